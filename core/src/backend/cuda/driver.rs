//! The driver: whether it is there, what it says when it fails, its version, and the context that a
//! thread has of it.
//!
//! Nothing of CUDA may be called before [`driver`] has returned `Ok`: cudarc panics where the
//! library or a symbol is missing, and this is the one place that finds out first.

use std::sync::OnceLock;

use cudarc::driver::{CudaContext, result, sys};

use super::dylib;
use crate::error::{Error, Result};

/// The oldest driver with everything that is called here (stream-ordered pools, lazy loading).
const OLDEST_DRIVER: i32 = 12_000;

/// An initialised driver.
#[derive(Clone, Copy, Debug)]
pub struct Driver {
    /// The CUDA version that the driver supports, as `major * 1000 + minor * 10`.
    version: i32,
    device_count: usize,
}

/// The process's driver, or why there is none. It is looked for once.
pub fn driver() -> Result<Driver> {
    static DRIVER: OnceLock<std::result::Result<Driver, String>> = OnceLock::new();
    DRIVER
        .get_or_init(open)
        .clone()
        .map_err(|why| Error::device(format!("CUDA is not available: {why}")))
}

impl Driver {
    /// The CUDA version that the driver supports, such as (13, 0).
    pub fn version(&self) -> (i32, i32) {
        (self.version / 1000, self.version % 1000 / 10)
    }

    /// How many CUDA devices there are; zero is an answer, not an error.
    pub fn device_count(&self) -> usize {
        self.device_count
    }
}

fn open() -> std::result::Result<Driver, String> {
    let library = if cfg!(windows) { "nvcuda" } else { "cuda" };
    // Miri opens no libraries.
    if cfg!(miri) || dylib::open(library).is_none() {
        return Err("no NVIDIA driver library (libcuda) was found".into());
    }
    let mut version = 0;
    // SAFETY: the pointer is to a live integer; the function may be called before cuInit.
    let status = unsafe { sys::cuDriverGetVersion(&mut version) };
    if status != sys::CUresult::CUDA_SUCCESS || version < OLDEST_DRIVER {
        return Err(format!("the driver is for CUDA {version}, and {OLDEST_DRIVER} is needed"));
    }
    let device_count = match result::init() {
        Ok(()) => result::device::get_count().map_err(|error| error.to_string())?,
        Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE => 0,
        Err(error) => return Err(format!("the driver does not start: {error}")),
    };
    Ok(Driver { version, device_count: device_count.max(0) as usize })
}

/// Turns a driver error into the crate's, saying what was being done.
pub fn failed(doing: &str, error: result::DriverError) -> Error {
    let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|_| format!("{:?}", error.0));
    let text = text.unwrap_or_else(|_| "no description".into());
    Error::device(format!("{doing}: {text} ({name})"))
}

/// Adds what was being done to a driver result.
pub trait Doing<T> {
    /// Names the attempt in the error.
    fn doing(self, what: &str) -> Result<T>;
}

impl<T> Doing<T> for std::result::Result<T, result::DriverError> {
    #[inline]
    fn doing(self, what: &str) -> Result<T> {
        self.map_err(|error| failed(what, error))
    }
}

/// Makes a context the calling thread's, where another one is.
#[inline]
pub(super) fn bind(context: &CudaContext) -> Result<()> {
    let current = result::ctx::get_current().doing("ask for the thread's context")?;
    if current == Some(context.cu_ctx()) {
        return Ok(());
    }
    // SAFETY: the primary context is retained for the life of the process.
    unsafe { result::ctx::set_current(context.cu_ctx()) }.doing("set the thread's context")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_cuda_gets_an_error_and_no_panic() {
        match driver() {
            Ok(driver) => assert!(driver.version() >= (12, 0)),
            Err(error) => assert!(error.to_string().contains("CUDA is not available")),
        }
    }
}
