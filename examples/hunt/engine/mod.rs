//! Random programs over the public API, run in several ways and held against an interpreter of
//! their own. The example `hunt` runs them for as long as it is told; a test runs a few.

pub mod bits;
pub mod check;
pub mod device;
pub mod draw;
pub mod functions;
pub mod interpret;
pub mod op;
pub mod rng;
pub mod shrink;
pub mod source;
pub mod value;
