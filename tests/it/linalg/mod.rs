//! Linear algebra on the default device, against plain loops and files made by NumPy and SciPy.

mod answers;
mod contractions;
mod control;
mod factorisations;
mod files;
mod hard;
mod hard_values;
mod matmul;
mod matrices;
mod refusals;
mod solvers;
