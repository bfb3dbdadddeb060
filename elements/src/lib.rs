#![doc = include_str!("../README.md")]
// Who reads this documentation reads the sources, too.
#![allow(rustdoc::private_intra_doc_links)]
// So do its callers: this lint is about libraries for everybody.
#![allow(clippy::should_implement_trait)]

#[deny(missing_docs)]
pub mod dtype;
pub mod math;
pub mod table;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
