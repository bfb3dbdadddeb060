//! Linear algebra: products of matrices, contractions, factorisations, solvers.

mod matmul;
