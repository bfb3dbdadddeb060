#![doc = include_str!("../README.md")]
// Who reads this documentation reads the sources, too.
#![allow(rustdoc::private_intra_doc_links)]
// So do its callers: these lints are about libraries for everybody.
#![allow(clippy::len_without_is_empty, clippy::new_without_default, clippy::should_implement_trait)]
// The floor that all devices and files build on stands whole; a build without some of them uses a
// part of it.
#![cfg_attr(not(all(feature = "cuda", feature = "fft", feature = "linalg")), allow(dead_code))]

pub mod backend;
pub mod caught;
#[deny(missing_docs)]
pub mod error;
pub mod files;
pub mod function;
pub mod kernel;
pub mod library;
pub mod report;
pub mod shape;

pub use lazuli_elements::{dtype, math, table};
