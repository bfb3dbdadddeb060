//! Data of other libraries, and data for them.

mod crates;
mod cuda;
mod errors;
mod export;
mod host;
mod import;
mod kernels;
mod producer;
