//! Random numbers for one position: the counter-based generator, what its words become, and the
//! variates that take several attempts.
//!
//! A stream is named by a key, a first block and a stream number ([`Seed`]). Number `at` of it is
//! a function of these and of `at` alone, so that it does not matter who computes it, and when.

mod philox;
mod sample;
mod xorwow;

pub(crate) use philox::{BLOCKS, Drawn, Normal, Seed, Uniform, Word};
#[allow(unused_imports)] // The processor's loops take them up through the operation table.
pub(crate) use sample::{DoubleMath, WordMath};
pub(crate) use xorwow::{PARTS, Xorwow};
