//! Linear systems, eigenvalues and singular values of sparse matrices: SciPy's `scipy.sparse.linalg`.
//!
//! Direct solvers ([`splu`], [`spsolve`], [`spsolve_triangular`]) work on the host. All others know the
//! matrix by its products alone, as a [`LinearOperator`]: a [`Csr`](super::Csr), a dense matrix, or a function that gives
//! the product with a vector, for which no matrix need be stored. All vectors stay on the device. Turns
//! are recorded as loops ([`repeat`](crate::repeat()) of 8, 16, 32 and then 64 turns), and the residual is looked at
//! after each of these, so that the host does not wait for each turn: a turn after the last one that is
//! needed changes nothing.

mod bicgstab;
mod bidiagonal;
mod cg;
mod cgs;
mod direct;
mod eigsh;
mod functions;
mod gmres;
mod krylov;
mod lanczos;
mod lsmr;
mod lsqr;
mod minres;
mod operator;
mod options;
mod ordering;
mod svds;
mod triangular;

pub use bicgstab::bicgstab;
pub use cg::cg;
pub use cgs::cgs;
pub use direct::{Factors, splu, spsolve};
pub use eigsh::{Eigen, EigenOptions, Which, eigsh};
pub use functions::{matrix_power, norm};
pub use gmres::gmres;
pub use lsmr::lsmr;
pub use lsqr::lsqr;
pub use minres::minres;
pub use operator::LinearOperator;
pub use options::{Options, Solution};
pub use svds::{Singular, svds};
pub use triangular::{Triangle, spsolve_triangular};
