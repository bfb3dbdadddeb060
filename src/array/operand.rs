//! Operands: an array or a scalar beside the array of an operation.

use super::DeviceArray;
use crate::dtype::{Element, Scalar};
use crate::graph::Arg;

pub(crate) mod sealed {
    use crate::graph::Arg;

    /// An argument of a node, out of reach for users.
    pub struct Wrapped(pub(crate) Arg);

    /// Turns an operand into an argument of a node.
    pub trait IntoArg<T> {
        fn wrap(self) -> Wrapped;
    }
}

/// An operand of an elementwise operation over elements of type `T`: `&DeviceArray<T>`,
/// `DeviceArray<T>` or a scalar `T`.
///
/// A scalar travels with the launch: another value never compiles another kernel.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::ones([3]);
/// let b = a.hypot(&a).minimum(2.0).maximum(a.sin());
/// assert_eq!(b.shape(), [3]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operand beside an array of `{T}`",
    label = "neither an array of `{T}` nor a number of this type",
    note = "a number has the type of the array's elements: `&a * 2.0`, not `&a * 2`, where they are floats",
    note = "an array of another type is converted first: `b.cast::<{T}>()`, also from real to complex"
)]
pub trait Operand<T: Element>: sealed::IntoArg<T> {}

/// The operand as an argument of a node.
#[inline]
pub(crate) fn arg<T: Element>(operand: impl Operand<T>) -> Arg {
    operand.wrap().0
}

impl<T: Element> sealed::IntoArg<T> for T {
    #[inline]
    fn wrap(self) -> sealed::Wrapped {
        sealed::Wrapped(Arg::Scalar(Scalar::new(self)))
    }
}
impl<T: Element> Operand<T> for T {}

impl<T: Element> sealed::IntoArg<T> for DeviceArray<T> {
    #[inline]
    fn wrap(self) -> sealed::Wrapped {
        sealed::Wrapped(self.into_arg())
    }
}
impl<T: Element> Operand<T> for DeviceArray<T> {}

impl<T: Element> sealed::IntoArg<T> for &DeviceArray<T> {
    #[inline]
    fn wrap(self) -> sealed::Wrapped {
        sealed::Wrapped(self.arg())
    }
}
impl<T: Element> Operand<T> for &DeviceArray<T> {}
