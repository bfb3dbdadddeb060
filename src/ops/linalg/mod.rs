//! Linear algebra: products of matrices, contractions, factorisations, solvers.

mod decompose;
pub(crate) mod einsum;
mod expm;
mod factor;
pub(crate) mod matmul;
pub(crate) mod norms;
pub(crate) mod products;
mod scaled;
pub(crate) mod solve;
mod vectors;
