//! NumPy-style arrays with a lazy expression graph, evaluated as fused kernels on NVIDIA GPUs and,
//! with no GPU, on the processor.
//!
//! A [`DeviceArray<T>`] is a handle to a node of an expression graph. Operations only record;
//! [`DeviceArray::copy_to_host`], [`DeviceArray::item`], [`DeviceArray::eval`] and [`eval`]
//! compute, in as few kernels as the planner finds, and data stays on the device until it is
//! asked for.
//!
//! ```
//! use lazuli::prelude::*;
//!
//! let x = DeviceArray::<f64>::linspace(-3.0, 3.0, 7);
//! let e = (&x - x.max(keep(-1))).exp();
//! let p = &e / e.sum(keep(-1));
//! let host: ndarray::ArrayD<f64> = p.copy_to_host()?;
//! assert!((host.sum() - 1.0).abs() < 1e-12);
//! # Ok::<(), Error>(())
//! ```
#![deny(missing_docs)]

// The attributes write paths that begin with the crate's name.
extern crate self as lazuli;

mod array;
mod backend;
mod compile;
pub mod dtype;
mod error;
mod eval;
mod explain;
mod function;
mod graph;
mod kernel;
mod library;
mod math;
mod ops;
mod plan;
#[cfg(test)]
mod planned_kernels_tests;
mod shape;
mod user;

pub use array::{
    AnyArray, Axes, DeviceArray, Indexing, IntoShape, Keep, NpyElement, NpzFile, NpzMember,
    Operand, ReshapeTo, eval, indices, keep, meshgrid, meshgrid_open, to_device, try_meshgrid,
    try_meshgrid_open, write_npz,
};
pub use backend::{Device, DeviceInfo};
pub use compile::{Arrays, CompiledFunction, compile};
pub use error::{Error, Result};
pub use eval::{Counters, counters};
pub use explain::{Explanation, explain};
pub use lazuli_macros::{device, vectorize};
pub use ops::convolve as signal;
pub use ops::elementwise::{select, try_select};
pub use ops::fft;
pub use ops::index::Positions;
pub use ops::join::{
    PadMode, concatenate, dstack, hstack, stack, try_concatenate, try_dstack, try_hstack,
    try_stack, try_vstack, vstack,
};
pub use user::device;

pub use user::{LaunchExtents, RawArgument, RawArguments, RawFunction, RawModule};

#[doc(inline)]
pub use ops::random;

/// What the code that the attributes write stands on; nothing for users.
#[doc(hidden)]
pub mod __private {
    pub use crate::function::{CudaCode, Function, TileArg, TileFn};
    pub use crate::user::apply::{Outputs, call, operand, or_panic};
    pub use crate::user::code::{
        Callee, Const, Describe, DeviceFn, Slot, comparable, register_array,
    };
    pub use crate::user::twin::Twin;
}
pub use ops::sorting::{
    Interpolation, Unique, intersect1d, is_in, lexsort, setdiff1d, setxor1d, try_lexsort, union1d,
};

/// What most programs need: `use lazuli::prelude::*;`.
pub mod prelude {
    pub use crate::device::Float;
    pub use crate::dtype::{
        Bits, Complex, ComplexFloating, Component, DType, Element, Floating, Inexact, Integer,
        Number, Ordered, Real, Signed, bf16, f16,
    };
    pub use crate::{
        AnyArray, Axes, Device, DeviceArray, Error, Indexing, IntoShape, Keep, NpzFile, Operand,
        PadMode, Positions, ReshapeTo, Result, concatenate, device, dstack, eval, explain, hstack,
        indices, keep, meshgrid, meshgrid_open, select, stack, to_device, vectorize, vstack,
        write_npz,
    };
    pub use ndarray::s;
}

/// The code in README.md, run with the documentation's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
