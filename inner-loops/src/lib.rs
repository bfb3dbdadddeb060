#![doc = include_str!("../README.md")]
// Who reads this documentation reads the sources, too.
#![allow(rustdoc::private_intra_doc_links)]

pub mod ahead;
pub mod apply;
pub mod casts;
pub mod chain;
pub mod fold;
pub mod level;
pub mod operations;
pub mod slide;

#[doc(hidden)]
pub use lazuli_elements::{dtype, math, table};
