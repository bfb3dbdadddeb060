//! NumPy-style arrays with a lazy expression graph, evaluated as fused kernels on NVIDIA GPUs and,
//! with no GPU, on the processor.
#![deny(missing_docs)]

mod backend;
pub mod dtype;
mod error;
mod eval;
mod graph;
mod kernel;
mod math;
mod ops;
mod plan;
mod shape;

pub use backend::{Device, DeviceInfo};
pub use error::{Error, Result};
pub use eval::{Counters, counters};
