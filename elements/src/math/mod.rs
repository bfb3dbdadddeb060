//! Scalar mathematics that vectorises.
//!
//! The functions here are written so that a loop over a small fixed array, compiled for AVX-512
//! or AVX2 with fma, becomes vector code: they are inlined always, select instead of branching,
//! call no library symbol, and avoid what has no vector instruction (tables, `i64` to `f64`).
//! Compiled for a target without fma they stay right and become slow.
//!
//! [`Math`] holds the real functions for `f32` and `f64`, [`IntMath`] NumPy's integer arithmetic,
//! and `complex` the complex functions. [`classes`] puts all of them behind the traits that the
//! operation table names. They are called as `Math::sin(x)`, never as methods, so that the
//! inherent methods of the standard library cannot win.
//!
//! Errors are below 2 ulp, but for `sinc` (4) and sums of exponentials (5), of which the tests say
//! what was measured;
//! NaN, infinities, signed zeros and subnormal numbers are treated as in C and NumPy.

// Coefficients are what the fitting gave, near a known constant or not, and `!(a < b)` is how a
// NaN is told to count as the other case.
#![allow(clippy::approx_constant, clippy::excessive_precision, clippy::neg_cmp_op_on_partial_ord)]
#![allow(dead_code)] // Not every function has a caller in every build.

pub mod classes;
mod complex;
mod double;
mod integer;
pub mod lane;
pub mod random;
mod real;
mod select;
mod shared;
mod single;
#[cfg(test)]
mod tests;

#[allow(unused_imports)] // The backends take up what the table names.
pub use classes::{
    BitsMath, ComponentMath, ElementMath, FloatMath, InexactMath, IntegerMath, NumberMath,
    OrderedMath, RealMath, SignedMath,
};
pub use integer::IntMath;
pub use real::Math;
