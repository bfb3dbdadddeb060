//! Code that users write: CUDA C++ strings, and functions with an attribute.

pub(crate) mod apply;
pub(crate) mod attributes;
pub(crate) mod code;
pub mod device;
mod elementwise;
pub mod gufunc;
pub(crate) mod kernel;
pub mod lanes;
pub(crate) mod pack;
mod raw;
pub(crate) mod reduce;
mod reduction;
mod strings;
pub(crate) mod tile;
pub(crate) mod tuples;
pub(crate) mod twin;
pub(crate) mod types;

#[cfg(test)]
mod tests;

pub use elementwise::{ElementwiseKernel, KernelOperand, KernelOperands};
pub use raw::{LaunchExtents, RawArgument, RawArguments, RawFunction, RawModule};
pub use reduction::ReductionKernel;
