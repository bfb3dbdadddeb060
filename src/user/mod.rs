//! Code that users write: CUDA C++ strings, and functions with an attribute.

mod raw;

pub use raw::{LaunchExtents, RawArgument, RawArguments, RawFunction, RawModule};
