//! User functions on the processor and as device code, against the plain Rust functions.

mod arithmetic;
mod control;
mod harness;
mod lanes;
#[rustfmt::skip]
mod random;
mod special;
mod structs;
mod values;
mod walks;

use harness::{Cases, Range};
