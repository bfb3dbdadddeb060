//! Many small matrices in one call: the batched routines of cuBLAS and cuSOLVER.

use super::jacobi::Jacobi;
use super::sizes::{UPPER, mode};
use super::solver::{Blas, Solver, check, check_blas, copy, data_type, has_solver, report};
use crate::backend::cuda::device::CudaDevice;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::library::factor::{Factor, Task};
use cudarc::cublas::sys as blas;
use cudarc::cusolver::sys;
use parking_lot::Mutex;
use std::ffi::c_void;
use std::ptr::null;

/// Larger matrices fill a GPU one at a time.
const LARGEST: usize = 512;

/// A batch in one call.
struct Batched {
    device: &'static CudaDevice,
    blas: &'static Blas,
    solver: &'static Solver,
    call: Factor,
    /// The bytes of work space on the device.
    workspace: usize,
    /// The work space on the host.
    host: Mutex<Vec<u8>>,
}

/// Makes a batch ready, where there is a routine for it.
pub(super) fn batched(
    device: &'static CudaDevice,
    call: &Factor,
) -> Result<Option<Box<dyn LibraryCall>>> {
    let one_call = match call.task {
        Task::Solve | Task::Lu | Task::Cholesky => true,
        Task::Eigh { .. } => has_solver(b"cusolverDnXsyevBatched"),
        Task::Svd(_) => Factor::is_small_batch([call.batch, call.m, call.n]),
        _ => false,
    };
    if call.batch == 1 || call.n > LARGEST || call.batch > i32::MAX as usize || !one_call {
        return Ok(None);
    }
    let solver = device.handles().solver(device)?;
    if let Task::Svd(_) = call.task {
        return Ok(Some(Box::new(Jacobi::new(device, solver, call)?)));
    }
    let (workspace, host) = match call.task {
        Task::Eigh { vectors } => eigh_sizes(solver, call, vectors)?,
        _ => (0, 0),
    };
    let blas = device.handles().blas(device)?;
    let host = Mutex::new(vec![0; host]);
    Ok(Some(Box::new(Batched { device, blas, solver, call: call.clone(), workspace, host })))
}

fn eigh_sizes(solver: &Solver, call: &Factor, vectors: bool) -> Result<(usize, usize)> {
    let (n, own, real) = (call.n as i64, data_type(call.dtype), data_type(call.dtype.real()));
    let (mut device, mut host) = (0, 0);
    // SAFETY: the handles are alive, and no matrix is read or written here.
    let status = unsafe {
        sys::cusolverDnXsyevBatched_bufferSize(
            solver.handle,
            solver.params,
            mode(vectors),
            UPPER,
            n,
            own,
            null(),
            n,
            real,
            null(),
            own,
            &mut device,
            &mut host,
            call.batch as i64,
        )
    };
    check(call.name, status)?;
    Ok((device, host))
}

impl LibraryCall for Batched {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        let (call, device) = (&self.call, self.device);
        device.bind()?;
        let bytes = call.batch * call.n * call.n * call.dtype.size();
        let info = device.allocate(4 * call.batch)?;
        match call.task {
            Task::Eigh { vectors } => {
                let copied = if vectors { None } else { Some(device.allocate(bytes)?) };
                let matrices = copied.as_ref().unwrap_or_else(|| outputs[1]).address();
                copy(device, inputs[0].address(), matrices, bytes)?;
                self.eigh(vectors, matrices, outputs[0].address(), info.address())?;
                report(
                    device,
                    call,
                    &info,
                    Some("has no eigenvalues: the iteration does not converge"),
                )
            }
            Task::Cholesky => {
                copy(device, inputs[0].address(), outputs[0].address(), bytes)?;
                let matrices = self.pointers(outputs[0].address(), call.n * call.n)?;
                self.cholesky(matrices.address(), info.address())?;
                report(device, call, &info, Some("is not positive definite"))
            }
            Task::Lu => {
                copy(device, inputs[0].address(), outputs[0].address(), bytes)?;
                let matrices = self.pointers(outputs[0].address(), call.n * call.n)?;
                self.lu(matrices.address(), outputs[1].address(), info.address())
            }
            _ => {
                let factors = device.allocate(bytes)?;
                copy(device, inputs[0].address(), factors.address(), bytes)?;
                let matrices = self.pointers(factors.address(), call.n * call.n)?;
                let pivots = device.allocate(4 * call.batch * call.n)?;
                self.lu(matrices.address(), pivots.address(), info.address())?;
                let sides = call.batch * call.n * call.k * call.dtype.size();
                copy(device, inputs[1].address(), outputs[0].address(), sides)?;
                let right = self.pointers(outputs[0].address(), call.n * call.k)?;
                self.substitute(matrices.address(), pivots.address(), right.address())?;
                report(device, call, &info, Some("is singular"))
            }
        }
    }

    fn describe(&self) -> String {
        match self.call.task {
            Task::Solve | Task::Lu => "cuBLAS, batched".to_owned(),
            _ => "cuSOLVER, batched".to_owned(),
        }
    }
}

impl Batched {
    /// The addresses of the matrices, on the device.
    fn pointers(&self, from: u64, elements: usize) -> Result<Buffer> {
        let step = (elements * self.call.dtype.size()) as u64;
        let addresses = (0..self.call.batch as u64).flat_map(|k| (from + k * step).to_le_bytes());
        let bytes: Vec<u8> = addresses.collect();
        let buffer = self.device.allocate(bytes.len())?;
        self.device.copy_to_device(&bytes, &buffer, 0)?;
        Ok(buffer)
    }

    fn eigh(&self, vectors: bool, matrices: u64, values: u64, info: u64) -> Result<()> {
        let call = &self.call;
        let (n, own, real) = (call.n as i64, data_type(call.dtype), data_type(call.dtype.real()));
        let workspace = self.device.allocate(self.workspace)?;
        let mut host = self.host.lock();
        // SAFETY: the buffers are as large as the call says, and the stream orders their release
        // after it.
        let status = unsafe {
            sys::cusolverDnXsyevBatched(
                self.solver.handle,
                self.solver.params,
                mode(vectors),
                UPPER,
                n,
                own,
                matrices as *mut c_void,
                n,
                real,
                values as *mut c_void,
                own,
                workspace.address() as *mut c_void,
                self.workspace,
                host.as_mut_ptr().cast(),
                host.len(),
                info as *mut i32,
                call.batch as i64,
            )
        };
        check(call.name, status)
    }

    fn cholesky(&self, matrices: u64, info: u64) -> Result<()> {
        let (n, count) = (self.call.n as i32, self.call.batch as i32);
        macro_rules! run {
            ($f:ident, $t:ty) => {
                sys::$f(
                    self.solver.handle,
                    UPPER,
                    n,
                    matrices as *mut *mut $t,
                    n,
                    info as *mut i32,
                    count,
                )
            };
        }
        // SAFETY: as in `eigh`.
        let status = unsafe {
            match self.call.dtype {
                DType::F32 => run!(cusolverDnSpotrfBatched, f32),
                DType::F64 => run!(cusolverDnDpotrfBatched, f64),
                DType::C64 => run!(cusolverDnCpotrfBatched, sys::cuComplex),
                _ => run!(cusolverDnZpotrfBatched, sys::cuDoubleComplex),
            }
        };
        check(self.call.name, status)
    }

    fn lu(&self, matrices: u64, pivots: u64, info: u64) -> Result<()> {
        let (n, count) = (self.call.n as i32, self.call.batch as i32);
        macro_rules! run {
            ($f:ident, $t:ty) => {
                blas::$f(
                    self.blas.0,
                    n,
                    matrices as *const *mut $t,
                    n,
                    pivots as *mut i32,
                    info as *mut i32,
                    count,
                )
            };
        }
        // SAFETY: as in `eigh`.
        let status = unsafe {
            match self.call.dtype {
                DType::F32 => run!(cublasSgetrfBatched, f32),
                DType::F64 => run!(cublasDgetrfBatched, f64),
                DType::C64 => run!(cublasCgetrfBatched, blas::cuComplex),
                _ => run!(cublasZgetrfBatched, blas::cuDoubleComplex),
            }
        };
        check_blas(self.call.name, status)
    }

    fn substitute(&self, matrices: u64, pivots: u64, right: u64) -> Result<()> {
        let (n, k, count) = (self.call.n as i32, self.call.k as i32, self.call.batch as i32);
        let transposed = blas::cublasOperation_t::CUBLAS_OP_T;
        // This report is on the arguments alone, and comes to the host.
        let mut wrong = 0;
        macro_rules! run {
            ($f:ident, $t:ty) => {
                blas::$f(
                    self.blas.0,
                    transposed,
                    n,
                    k,
                    matrices as *const *const $t,
                    n,
                    pivots as *const i32,
                    right as *const *mut $t,
                    n,
                    &mut wrong,
                    count,
                )
            };
        }
        // SAFETY: as in `eigh`.
        let status = unsafe {
            match self.call.dtype {
                DType::F32 => run!(cublasSgetrsBatched, f32),
                DType::F64 => run!(cublasDgetrsBatched, f64),
                DType::C64 => run!(cublasCgetrsBatched, blas::cuComplex),
                _ => run!(cublasZgetrsBatched, blas::cuDoubleComplex),
            }
        };
        check_blas(self.call.name, status)
    }
}
