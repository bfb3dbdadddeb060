//! Operations: the table of elementwise operations and reductions, and the methods that record.

mod axes;
pub(crate) mod broadcasting;
mod composite;
pub mod convolve;
pub(crate) mod counting;
pub(crate) mod covariance;
pub(crate) mod differences;
pub(crate) mod dynamic;
pub(crate) mod elementwise;
pub mod fft;
pub(crate) mod index;
pub(crate) mod indexing;
pub(crate) mod join;
pub(crate) mod linalg;
mod movement;
mod nan;
mod numbers;
mod operators;
pub mod random;
pub(crate) mod reduce;
mod repeats;
pub(crate) mod scan;
pub(crate) mod search;
mod slice;
pub(crate) mod sorting;
pub(crate) mod statistics;
pub(crate) mod table;
