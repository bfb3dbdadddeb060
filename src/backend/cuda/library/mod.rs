//! Library calls on NVIDIA GPUs: cuBLASLt, cuSOLVER and their like, each loaded when it is first
//! needed.

mod fft;
mod linalg;
mod lt;
mod random;
mod sort;

use super::device::CudaDevice;
use crate::backend::LibraryCall;
use crate::error::{Error, Result};
use crate::library::Library;
use parking_lot::Mutex;
use std::sync::OnceLock;

/// Makes a call ready.
pub(super) fn prepare(device: &'static CudaDevice, call: &Library) -> Result<Box<dyn LibraryCall>> {
    device.bind()?;
    match call {
        Library::Matmul(call) => linalg::matmul(device, call),
        Library::Fft(call) => fft::transform(device, call),
        Library::Sort(call) => sort::prepare(device, call),
        Library::Generate(call) => random::generate(device, call),
    }
}

/// The handles of a device, each made when it is first needed.
#[derive(Default)]
pub(super) struct Handles {
    lt: OnceLock<Result<lt::Lt>>,
}

impl Handles {
    fn lt(&self) -> Result<&lt::Lt> {
        self.lt.get_or_init(lt::Lt::new).as_ref().map_err(Clone::clone)
    }
}

/// Finds and loads a CUDA library by its plain name, `cublasLt` say, for good: cudarc's bindings,
/// which would panic without it, then find it loaded.
///
/// # Errors
/// Where the library is not on this machine.
fn load(name: &'static str) -> Result<()> {
    static LOADED: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut loaded = LOADED.lock();
    if loaded.contains(&name) {
        return Ok(());
    }
    for candidate in cudarc::get_lib_name_candidates(name) {
        // SAFETY: opening one of CUDA's libraries runs its initialisers, which are benign.
        if let Ok(library) = unsafe { libloading::Library::new(&candidate) } {
            std::mem::forget(library);
            loaded.push(name);
            return Ok(());
        }
    }
    Err(Error::device(format!("the CUDA library {name} was not found")))
}
