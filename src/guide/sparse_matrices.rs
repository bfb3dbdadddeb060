//! Sparse matrices: systems, eigenvalues and operators with [`sparse`](lazuli::sparse), picture by
//! picture.
//!
//! The names are those of `scipy.sparse` and `scipy.sparse.linalg`. Which entries a matrix has is known
//! on the host, their values are an array on the device: putting matrices together returns a
//! [`Result`](lazuli::Result), products with vectors record. Solvers compute when they are called,
//! since they look at their residuals.
//!
//! The pictures are those of the example `guides`, of any size:
//!
//! ```sh
//! cargo run --release --example guides -- --page sparse_matrices --size 480 --out /tmp/guides
//! ```
//!
// Only documentation has the pictures: who changes them need not build the library anew.
#![cfg_attr(doc, doc = include_str!("sparse_matrices.md"))]
#![cfg_attr(doc, doc = include_str!("pictures/sparse_matrices.md"))]
