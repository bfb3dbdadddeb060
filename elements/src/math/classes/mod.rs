//! The functions of the operation table by class of element type: `NumberMath::add`,
//! `InexactMath::sin` and so on, for every type that the class holds.
//!
//! Halves are computed in `f32` and rounded. Every function is right on its whole domain; for
//! vector loops [`InexactMath`] offers `sin_fast`, `cos_fast` and `tan_fast` as well.

mod discrete;
mod float;
mod inexact;
mod number;

pub use discrete::{BitsMath, ElementMath, IntegerMath, OrderedMath};
pub use float::FloatMath;
pub use inexact::{ComponentMath, InexactMath};
pub use number::{NumberMath, RealMath, SignedMath};
