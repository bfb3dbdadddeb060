//! Linear algebra: products of matrices, contractions, factorisations, solvers, functions of matrices.

mod balance;
pub(crate) mod banded;
pub(crate) mod bases;
pub(crate) mod circular;
mod decompose;
pub(crate) mod einsum;
mod expm;
mod factor;
pub(crate) mod fiedler;
pub(crate) mod hermitian;
mod indefinite;
pub(crate) mod lu;
pub(crate) mod matmul;
pub(crate) mod norms;
mod predicates;
pub(crate) mod products;
pub(crate) mod real_form;
mod scaled;
pub(crate) mod schur;
pub(crate) mod solve;
pub(crate) mod special_matrices;
pub(crate) mod structured;
mod tensors;
pub(crate) mod trigonometric;
mod vectors;
