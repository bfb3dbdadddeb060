//! Tests against values from 60 digits (mpmath) and against NumPy's special cases; the files and
//! the program that wrote them are in `tests/data/math`.

mod bench;
mod complex;
mod halves;
mod integer;
mod oracle;
