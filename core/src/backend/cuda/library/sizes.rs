//! Work space that cuSOLVER wants for a factorisation, and its names of what is asked for.

use super::solver::{Solver, check, data_type};
use crate::dtype::DType;
use crate::error::Result;
use crate::library::factor::{Factor, Task, Vectors};
use cudarc::cusolver::sys;
use std::ptr::null;

/// The bytes of work space that one matrix takes on the device and on the host.
pub(super) fn sizes(solver: &Solver, call: &Factor) -> Result<(usize, usize)> {
    let &Solver { handle, params } = solver;
    let (m, n) = (call.m as i64, call.n as i64);
    let (own, real) = (data_type(call.dtype), data_type(call.dtype.real()));
    let (mut device, mut host) = (0, 0);
    let (d, h): (*mut usize, *mut usize) = (&mut device, &mut host);
    let (no, none) = (null(), mode(false));
    // SAFETY: the handles are alive, and no matrix is read or written here.
    let status = unsafe {
        match call.task {
            Task::Solve | Task::Lu => {
                sys::cusolverDnXgetrf_bufferSize(handle, params, n, n, own, no, n, own, d, h)
            }
            Task::Cholesky => {
                sys::cusolverDnXpotrf_bufferSize(handle, params, UPPER, n, own, no, n, own, d, h)
            }
            Task::Qr { .. } => sys::cusolverDnXgeqrf_bufferSize(
                handle, params, m, n, own, no, m, own, no, own, d, h,
            ),
            Task::Svd(vectors) => {
                let j = job(vectors);
                sys::cusolverDnXgesvd_bufferSize(
                    handle, params, j, j, m, n, own, no, m, real, no, own, no, m, own, no, n, own,
                    d, h,
                )
            }
            Task::Eigh { vectors } => {
                let mode = mode(vectors);
                sys::cusolverDnXsyevd_bufferSize(
                    handle, params, mode, UPPER, n, own, no, n, real, no, own, d, h,
                )
            }
            Task::Eig { vectors } => {
                let (mode, kind) = (mode(vectors), data_type(complex(call.dtype)));
                sys::cusolverDnXgeev_bufferSize(
                    handle, params, none, mode, n, own, no, n, kind, no, own, no, n, own, no, n,
                    own, d, h,
                )
            }
            Task::Triangular { .. } => unreachable!("cuBLAS solves triangles"),
        }
    };
    check(call.name, status)?;
    if let Task::Qr { .. } = call.task {
        device = device.max(basis_size(solver, call)? * call.dtype.size());
    }
    Ok((device, host))
}

/// What is upper in columns is lower in rows.
pub(super) const UPPER: sys::cublasFillMode_t = sys::cublasFillMode_t::CUBLAS_FILL_MODE_UPPER;

/// Whether vectors are wanted beside values, as the library says it.
pub(super) fn mode(vectors: bool) -> sys::cusolverEigMode_t {
    match vectors {
        true => sys::cusolverEigMode_t::CUSOLVER_EIG_MODE_VECTOR,
        false => sys::cusolverEigMode_t::CUSOLVER_EIG_MODE_NOVECTOR,
    }
}

/// Which vectors of a singular value decomposition are wanted, as the library says it.
pub(super) fn job(vectors: Vectors) -> i8 {
    match vectors {
        Vectors::None => b'N' as i8,
        Vectors::Reduced => b'S' as i8,
        Vectors::Full => b'A' as i8,
    }
}

/// The type of eigenvalues, which may be complex where the matrix is real.
pub(super) fn complex(dtype: DType) -> DType {
    match dtype {
        DType::F32 => DType::C64,
        DType::F64 => DType::C128,
        dtype => dtype,
    }
}

/// The elements of work space for a basis from reflections.
fn basis_size(solver: &Solver, call: &Factor) -> Result<usize> {
    let (m, q, k) = (call.m as i32, call.basis() as i32, call.m.min(call.n) as i32);
    let (handle, mut size) = (solver.handle, 0);
    // SAFETY: the handle is alive, and no matrix is read or written here.
    let status = unsafe {
        match call.dtype {
            DType::F32 => {
                sys::cusolverDnSorgqr_bufferSize(handle, m, q, k, null(), m, null(), &mut size)
            }
            DType::F64 => {
                sys::cusolverDnDorgqr_bufferSize(handle, m, q, k, null(), m, null(), &mut size)
            }
            DType::C64 => {
                sys::cusolverDnCungqr_bufferSize(handle, m, q, k, null(), m, null(), &mut size)
            }
            _ => sys::cusolverDnZungqr_bufferSize(handle, m, q, k, null(), m, null(), &mut size),
        }
    };
    check(call.name, status)?;
    Ok(size.max(0) as usize)
}
