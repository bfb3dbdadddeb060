//! cuSOLVER and the triangular solver of cuBLAS: handles, element types, what they report of calls and
//! of matrices, and the copies before them.

use super::load;
use crate::backend::Buffer;
use crate::backend::cuda::device::CudaDevice;
use crate::backend::cuda::driver::Doing;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::library::factor::Factor;
use cudarc::cusolver::sys::{self, cusolverStatus_t as Status};
use cudarc::{cublas, cusolver};
use std::ptr;

/// What a report of singular values means.
pub(super) const NO_SINGULAR_VALUES: &str =
    "has no singular values: the iteration does not converge";

/// The handles of cuSOLVER, on the device's stream.
pub(super) struct Solver {
    pub handle: sys::cusolverDnHandle_t,
    pub params: sys::cusolverDnParams_t,
}

// SAFETY: a handle is any thread's to use, one at a time: `Turn` is held wherever a call is made
// ready or run, and nothing else uses the handles.
unsafe impl Send for Solver {}
// SAFETY: as above.
unsafe impl Sync for Solver {}

impl Solver {
    /// Loads the library and makes handles in the current context.
    pub(super) fn new(device: &CudaDevice) -> Result<Solver> {
        load("cusolver")?;
        let handle = cusolver::result::dn_create().map_err(|e| failed("start", e.0))?;
        let mut params = ptr::null_mut();
        // SAFETY: the handle is new, the stream is the device's, the pointer is to a live handle.
        unsafe {
            check("start", sys::cusolverDnSetStream(handle, device.raw_stream().cast()))?;
            check("start", sys::cusolverDnCreateParams(&mut params))?;
        }
        Ok(Solver { handle, params })
    }
}

/// A handle of cuBLAS, on the device's stream.
pub(super) struct Blas(pub cublas::sys::cublasHandle_t);

// SAFETY: as for `Solver`.
unsafe impl Send for Blas {}
// SAFETY: as above.
unsafe impl Sync for Blas {}

impl Blas {
    /// Loads the library and makes a handle in the current context.
    pub(super) fn new(device: &CudaDevice) -> Result<Blas> {
        load("cublas")?;
        let handle = cublas::result::create_handle().map_err(|e| blas_failed("start", e.0))?;
        // SAFETY: the handle is new and the stream is the device's.
        let status = unsafe { cublas::sys::cublasSetStream_v2(handle, device.raw_stream().cast()) };
        check_blas("start", status)?;
        Ok(Blas(handle))
    }
}

/// Whether the cuSOLVER of this machine has a function: newer ones are missing from older
/// libraries.
pub(super) fn has_solver(symbol: &[u8]) -> bool {
    // SAFETY: the symbol is only looked for.
    load("cusolver").is_ok_and(|l| unsafe { l.get::<unsafe extern "C" fn()>(symbol) }.is_ok())
}

/// What a call of cuSOLVER returned.
pub(super) fn check(doing: &str, status: Status) -> Result<()> {
    if status == Status::CUSOLVER_STATUS_SUCCESS { Ok(()) } else { Err(failed(doing, status)) }
}

fn failed(doing: &str, status: Status) -> Error {
    let message = format!("{doing}: cuSOLVER: {status:?}");
    match status {
        Status::CUSOLVER_STATUS_ALLOC_FAILED => Error::out_of_memory(message),
        Status::CUSOLVER_STATUS_NOT_SUPPORTED => Error::unsupported(message),
        _ => Error::device(message),
    }
}

/// What a call of cuBLAS returned.
pub(super) fn check_blas(doing: &str, status: cublas::sys::cublasStatus_t) -> Result<()> {
    match status {
        cublas::sys::cublasStatus_t::CUBLAS_STATUS_SUCCESS => Ok(()),
        status => Err(blas_failed(doing, status)),
    }
}

fn blas_failed(doing: &str, status: cublas::sys::cublasStatus_t) -> Error {
    Error::device(format!("{doing}: cuBLAS: {status:?}"))
}

/// Reads what the library reports of each matrix, which waits for it.
pub(super) fn report(
    device: &'static CudaDevice,
    call: &Factor,
    info: &Buffer,
    why: Option<&str>,
) -> Result<()> {
    let Some(why) = why else { return Ok(()) };
    let mut bytes = vec![0u8; 4 * call.batch];
    device.copy_to_host(info, 0, &mut bytes)?;
    let reports = bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    match reports.enumerate().find(|report| report.1 != 0) {
        None => Ok(()),
        Some((_, report)) if report < 0 => {
            let name = call.name;
            Err(Error::device(format!("{name}: the library refuses argument {}", -report)))
        }
        Some((k, _)) => {
            let which = match call.batch {
                1 => "the matrix".to_owned(),
                _ => format!("matrix {k} of the batch"),
            };
            Err(Error::numeric(format!("{}: {which} {why}", call.name)))
        }
    }
}

/// Copies within the device, in stream order.
pub(super) fn copy(device: &CudaDevice, from: u64, to: u64, bytes: usize) -> Result<()> {
    // SAFETY: the callers name buffers of this device by the sizes that the call gives them.
    unsafe { cudarc::driver::result::memcpy_dtod_async(to, from, bytes, device.raw_stream()) }
        .doing("copy within the device")
}

/// CUDA's name of an element type.
pub(super) fn data_type(dtype: DType) -> sys::cudaDataType {
    match dtype {
        DType::F32 => sys::cudaDataType::CUDA_R_32F,
        DType::F64 => sys::cudaDataType::CUDA_R_64F,
        DType::C64 => sys::cudaDataType::CUDA_C_32F,
        DType::C128 => sys::cudaDataType::CUDA_C_64F,
        dtype => unreachable!("there are no factorisations of {dtype}"),
    }
}
