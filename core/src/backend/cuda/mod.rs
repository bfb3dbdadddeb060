//! NVIDIA GPUs. Nothing but the driver and libnvrtc is needed, and only at run time.
//!
//! Bottom up: `dylib` (where the libraries are), `driver` (is it there), `nvrtc` (the compiler),
//! `device` (the context), `queue` (streams), `pool` and `memory` (buffers), `staging` (copies),
//! `compile`, `disk`, `trust`, `identity` and `cache` (kernels), `launch` and `executable`,
//! `cuda_graph` and `series` (many launches at once), `ahead` (turns before their condition), `foreign`
//! (other libraries' memory). `prelude` is what every rendered kernel begins with, `render` makes
//! kernels into source, `raw` launches what users wrote, and `backend` joins all.

mod ahead;
mod backend;
pub mod cache;
pub mod compile;
mod cuda_graph;
pub mod device;
mod disk;
mod driver;
mod dylib;
mod executable;
mod foreign;
mod identity;
pub mod launch;
mod library;
pub mod memory;
pub mod nccl;
mod nvrtc;
mod peer;
mod pool;
pub mod prelude;
mod queue;
mod raw;
pub mod render;
pub mod series;
mod staging;
mod trust;

#[cfg(any(test, feature = "testing"))]
#[path = "../../../../tests/emulator/mod.rs"]
pub mod emulator;
#[cfg(test)]
mod emulator_tests;
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), allow(dead_code, unused_imports))]
pub mod gpu_tests;
#[cfg(test)]
mod value_tests;

use super::Backend;
use crate::error::Result;
use cudarc::driver::sys::CUcontext;
use std::sync::Arc;

/// The CUDA devices of this machine, or what is missing.
pub fn devices() -> Result<Vec<Arc<dyn Backend>>> {
    let as_backend = |p| Arc::new(backend::Cuda::new(p)) as Arc<dyn Backend>;
    Ok(device::list()?.into_iter().map(as_backend).collect())
}

/// The primary context of a device, in which everything of Lazuli's is.
pub fn primary_context(ordinal: usize) -> Result<CUcontext> {
    Ok(device::CudaDevice::get(ordinal)?.context())
}
