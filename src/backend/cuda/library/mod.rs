//! Library calls on NVIDIA GPUs: cuBLASLt, cuSOLVER and their like, each loaded when it is first
//! needed, but for cuBLASLt, which is loaded while the device is opened.

mod batched;
mod count;
mod factor;
mod fft;
mod items;
mod linalg;
mod lt;
mod random;
mod sizes;
mod solver;
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
        Library::Factor(call) => factor::factor(device, call),
        Library::Count(call) => count::count(device, call),
        Library::Generate(call) => random::generate(device, call),
        Library::Items(call) => items::items(device, call),
    }
}

/// The handles of a device, each made when it is first needed.
#[derive(Default)]
pub(super) struct Handles {
    lt: OnceLock<Result<lt::Lt>>,
    solver: OnceLock<Result<solver::Solver>>,
    blas: OnceLock<Result<solver::Blas>>,
}

impl Handles {
    fn lt(&self) -> Result<&lt::Lt> {
        self.lt.get_or_init(lt::Lt::new).as_ref().map_err(Clone::clone)
    }

    fn solver(&self, device: &CudaDevice) -> Result<&solver::Solver> {
        let solver = self.solver.get_or_init(|| solver::Solver::new(device));
        solver.as_ref().map_err(Clone::clone)
    }

    fn blas(&self, device: &CudaDevice) -> Result<&solver::Blas> {
        self.blas.get_or_init(|| solver::Blas::new(device)).as_ref().map_err(Clone::clone)
    }
}

/// Loads the library of products in the background. It is large: a process's first product would
/// wait for it for longer than a new context takes, while the device is opened beside it.
pub(super) fn preload() {
    // Where there is no thread, or no library, the first product says so.
    let _ = std::thread::Builder::new().name("lazuli-preload".into()).spawn(|| load("cublasLt"));
}

/// Finds and loads a CUDA library by its plain name, `cublasLt` say, for good: cudarc's bindings,
/// which would panic without it, then find it loaded.
///
/// # Errors
/// Where the library is not on this machine.
fn load(name: &'static str) -> Result<&'static libloading::Library> {
    static LOADED: Mutex<Vec<(&'static str, &'static libloading::Library)>> =
        Mutex::new(Vec::new());
    let mut loaded = LOADED.lock();
    if let Some((_, library)) = loaded.iter().find(|l| l.0 == name) {
        return Ok(library);
    }
    for candidate in cudarc::get_lib_name_candidates(name) {
        // SAFETY: opening one of CUDA's libraries runs its initialisers, which are benign.
        if let Ok(library) = unsafe { libloading::Library::new(&candidate) } {
            let library: &'static _ = Box::leak(Box::new(library));
            loaded.push((name, library));
            return Ok(library);
        }
    }
    Err(Error::device(format!("the CUDA library {name} was not found")))
}
