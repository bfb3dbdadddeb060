//! Operations: the table of elementwise operations and reductions, and the methods that record.

mod composite;
pub mod convolve;
pub(crate) mod elementwise;
pub mod fft;
pub(crate) mod index;
pub(crate) mod join;
mod linalg;
mod movement;
mod nan;
mod operators;
pub mod random;
mod reduce;
mod slice;
pub(crate) mod sorting;
mod statistics;
pub(crate) mod table;
