//! NVIDIA GPUs. Nothing but the driver and libnvrtc is needed, and only at run time.
//!
//! Bottom up: `dylib` (where the libraries are), `driver` (is it there), `identity` and `nvrtc` (the
//! compiler), `compile`, `trust`, `disk` and `cache` (kernels), `memory` and `pool` (buffers), `queue`
//! (streams), `slots` (pinned memory), `device` (the context, with all of these), `staging` (copies),
//! `launch`, `functions` and `executable`, `cuda_graph` and `series` (many launches at once),
//! `allocate` (memory, for which graphs are given up), `ahead` (turns before their condition),
//! `foreign` (other libraries' memory). Each imports those before it, with one exception: a device
//! keeps the functions that were loaded onto it, so that `device` and `launch` know each other.
//!
//! `prelude` is what every rendered kernel begins with, and `render` makes kernels into source: both
//! know no device. `library` calls NVIDIA's libraries, `raw` launches what users wrote, and `backend`
//! joins all.

mod ahead;
mod allocate;
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
mod functions;
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
mod slots;
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
