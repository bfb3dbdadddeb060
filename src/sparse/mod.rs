//! Sparse matrices: SciPy's `scipy.sparse` and `scipy.sparse.linalg`.
//!
//! A [`Csr`] has its entries by rows, a [`Coo`] as a list, from which matrices are put together. Products
//! with vectors and matrices are recorded like any operation and fuse with what stands around them;
//! [`linalg`] solves systems by products alone.
//!
//! | SciPy | here |
//! | --- | --- |
//! | `csr_array((data, indices, indptr), shape)` | [`Csr::from_parts`] |
//! | `coo_array((data, (rows, cols)), shape)` | [`Coo::new`], [`Coo::to_csr`] |
//! | `csr_array(dense)`, `a.toarray()` | [`Csr::from_dense`], [`Csr::to_dense`] |
//! | `a @ x`, `a @ b` | [`Csr::dot`], [`Csr::matmul`] |
//! | `a.T`, `csc_array` | [`Csr::transpose`] |
//! | `a + b`, `a - b`, `2 * a` | `(&a + &b)?`, `(&a - &b)?`, `&a * 2.0` |
//! | `a.data = …`, functions of the entries | [`Csr::with_data`] |
//! | `a[i, j]`, `a[[i]].toarray()`, `a.diagonal()`, `a.sum(0)` | [`Csr::get`], [`Csr::row`], [`Csr::diagonal`], [`Csr::sum`] |
//! | `eye_array`, `diags_array`, `kron`, `block_diag`, `hstack`, `vstack` | [`Csr::eye`], [`Csr::diags`], [`Csr::kron`], [`Csr::block_diag`], [`Csr::hstack`], [`Csr::vstack`] |
//! | `block_array`, `kronsum`, `tril`, `triu` | [`Csr::block_array`], [`Csr::kronsum`], [`Csr::tril`], [`Csr::triu`] |
//! | `dia_array`, `a.todia()` | [`Csr::from_dia`], [`Csr::to_dia`] |
//! | `random_array` | [`Csr::random`] |
//! | `save_npz`, `load_npz` | [`Csr::write_npz`], [`Csr::read_npz`] |
//! | `linalg.cg`, `bicgstab`, `cgs`, `gmres`, `minres` | [`linalg::cg`], [`linalg::bicgstab`], [`linalg::cgs`], [`linalg::gmres`], [`linalg::minres`] |
//! | `linalg.lsqr`, `lsmr` | [`linalg::lsqr`], [`linalg::lsmr`] |
//! | `linalg.splu`, `factorized`, `spsolve`, `spsolve_triangular` | [`linalg::splu`], [`linalg::Factors::solve`], [`linalg::spsolve`], [`linalg::spsolve_triangular`] |
//! | `linalg.eigsh`, `svds` | [`linalg::eigsh`], [`linalg::svds`] |
//! | `linalg.norm`, `matrix_power` | [`linalg::norm`], [`linalg::matrix_power`] |
//! | `csgraph.connected_components` | [`csgraph::connected_components`] |
//!
//! [`guide::sparse_matrices`](crate::guide::sparse_matrices) shows it in pictures.
//!
//! # Example
//! The temperature of a plate that is heated inside and cold at its edges:
//! ```
//! use lazuli::prelude::*;
//! use lazuli::sparse::{Csr, linalg};
//!
//! let n = 20;
//! let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
//! let line = Csr::diags([n, n], &[(-1, &minus), (0, &two), (1, &minus)])?;
//! let eye = Csr::eye(n)?;
//! let laplacian = (&eye.kron(&line)? + &line.kron(&eye)?)?;
//! let heat = DeviceArray::<f64>::ones([n * n]);
//! let found = linalg::cg(&laplacian, &heat, &linalg::Options::new().rtol(1e-10))?;
//! assert!(found.converged);
//! let rest = (laplacian.dot(&found.x) - heat).abs().max(..).item()?;
//! assert!(rest < 1e-8);
//! # Ok::<(), Error>(())
//! ```

mod algebra;
mod blocks;
mod build;
mod coo;
pub mod csgraph;
mod csr;
mod dia;
mod elements;
#[cfg(feature = "npy")]
mod files;
pub mod linalg;
mod random;
mod segments;

pub use coo::Coo;
pub use csr::Csr;
