//! Tests against values from 60 digits (mpmath) and against NumPy's special cases; the files and
//! the program that wrote them are in `tests/data/math`.

mod bench;
mod complex;
pub mod halves;
mod integer;
mod oracle;

#[allow(unused_imports)] // Not every backend is built.
pub use oracle::rows;
