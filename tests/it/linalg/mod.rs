//! Linear algebra on the default device, against plain loops and files made by NumPy and SciPy.

mod matmul;
