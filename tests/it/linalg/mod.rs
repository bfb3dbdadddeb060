//! Linear algebra on the default device, against plain loops and files made by NumPy and SciPy.

mod contractions;
mod factorisations;
mod files;
mod hard;
mod hard_values;
mod matmul;
mod refusals;
mod solvers;
