//! Code that users write: CUDA C++ strings, and functions with an attribute.
//!
//! An attribute (`macros/`) leaves the Rust function as it is and adds a type of the same name,
//! which carries everything else: `f::call` and its kin, and what other device functions need to
//! call it. `#[kernel]` alone replaces the function, by a constant of its name, since a kernel's
//! parameters are places that only threads have and the plain function could not be called. A macro
//! sees tokens and no types, so it makes these things from one body:
//!
//! - a *template* of C++ with holes for types, constants and the names of callees (`code.rs`);
//! - a *probe*, the body in a closure that is never called, in which literals, casts and calls pass
//!   through slots. rustc infers their types; when the function is first used with some types, each
//!   slot fills its hole (`code.rs`);
//! - a *twin*, the body with its mathematics routed to `math/`, which the processor runs over small
//!   fixed arrays, once for each instruction set (`tile.rs`, `twin.rs`). A twin that meets an
//!   argument for which the fast mathematics is not right says so, and the plain function computes
//!   those elements again;
//! - a *lane form*, where the function has loops or calls one that has (`lanes.rs`).

pub(crate) mod apply;
pub(crate) mod attributes;
pub(crate) mod code;
pub(crate) mod columns;
pub mod device;
mod elementwise;
pub mod gufunc;
pub(crate) mod kernel;
pub mod lanes;
pub(crate) mod outputs;
pub(crate) mod pack;
mod raw;
pub(crate) mod reduce;
mod reduction;
mod strings;
pub(crate) mod tile;
pub(crate) mod tuples;
pub(crate) mod twin;
pub(crate) mod types;

#[cfg(all(test, feature = "cuda"))]
mod tests;

pub use elementwise::{ElementwiseKernel, KernelOperand, KernelOperands};
pub use raw::{LaunchExtents, RawArgument, RawArguments, RawFunction, RawModule};
pub use reduction::ReductionKernel;
