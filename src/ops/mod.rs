//! Operations: the table of elementwise operations and reductions, and the methods that record.

mod composite;
pub mod convolve;
pub(crate) mod counting;
pub(crate) mod covariance;
pub(crate) mod differences;
pub(crate) mod elementwise;
pub mod fft;
pub(crate) mod index;
pub(crate) mod join;
pub(crate) mod linalg;
mod movement;
mod nan;
mod operators;
pub mod random;
pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod search;
mod slice;
pub(crate) mod sorting;
mod statistics;
pub(crate) mod table;
