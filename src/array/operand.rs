//! Operands: an array or a scalar beside the array of an operation.

use super::DeviceArray;
use super::transfer::upload_array;
use crate::backend::Device;
use crate::dtype::{Element, Scalar};
use crate::error::Result;
use crate::graph::Arg;
use ndarray::{ArrayBase, ArrayView1, Data, Dimension};

pub(crate) mod sealed {
    use crate::backend::Device;
    use crate::error::Result;
    use crate::graph::Arg;

    /// An argument of a node, out of reach for users.
    pub struct Wrapped(pub(crate) Arg);

    /// Turns an operand into an argument of a node.
    pub trait IntoArg<T> {
        /// The device of an array that is on one.
        #[inline]
        fn device(&self) -> Option<Device> {
            None
        }

        /// The argument; an array of the host is copied to the device `on`, else to the current one.
        fn wrap(self, on: Option<Device>) -> Result<Wrapped>;
    }
}

/// An operand of an elementwise operation over elements of type `T`: `&DeviceArray<T>`,
/// `DeviceArray<T>`, a scalar `T`, or an array of the host by reference: ndarray's arrays and views,
/// slices, vectors.
///
/// A scalar travels with the launch: another value never compiles another kernel. An array of the
/// host is copied when the operation is recorded, to the device of the arrays beside it, where there
/// are none to the current one; what is used more than once is copied once by
/// [`to_device`](crate::to_device).
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::ones([3]);
/// let b = a.hypot(&a).minimum(2.0).maximum(a.sin());
/// assert_eq!(b.shape(), [3]);
/// let host = ndarray::arr2(&[[1.0], [2.0]]);
/// assert_eq!((&a + &host).to_vec()?, [2.0, 2.0, 2.0, 3.0, 3.0, 3.0]);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operand beside an array of `{T}`",
    label = "neither an array of `{T}`, of a device or of the host, nor a number of this type",
    note = "a number has the type of the array's elements: `&a * 2.0`, not `&a * 2`, where they are floats",
    note = "an array of another type is converted first: `b.cast::<{T}>()`, also from real to complex"
)]
pub trait Operand<T: Element>: sealed::IntoArg<T> {}

/// The operand as an argument of a node, on the given device where it is an array of the host.
///
/// # Errors
/// Where an array of the host cannot be copied.
#[inline(always)]
pub(crate) fn arg<T: Element>(operand: impl Operand<T>, device: Device) -> Result<Arg> {
    Ok(operand.wrap(Some(device))?.0)
}

/// The one operand that may be an array, as an argument of a node.
///
/// # Errors
/// As [`arg`].
#[inline]
pub(crate) fn only_arg<T: Element>(operand: impl Operand<T>) -> Result<Arg> {
    Ok(operand.wrap(None)?.0)
}

/// Both operands as arguments of a node; arrays of the host go where the other operand is.
///
/// # Errors
/// As [`arg`].
#[inline]
pub(crate) fn args<T: Element, U: Element>(
    a: impl Operand<T>,
    b: impl Operand<U>,
) -> Result<(Arg, Arg)> {
    let device = a.device().or(b.device());
    Ok((a.wrap(device)?.0, b.wrap(device)?.0))
}

impl<T: Element> sealed::IntoArg<T> for T {
    #[inline(always)]
    fn wrap(self, _: Option<Device>) -> Result<sealed::Wrapped> {
        Ok(sealed::Wrapped(Arg::Scalar(Scalar::new(self))))
    }
}
impl<T: Element> Operand<T> for T {}

impl<T: Element> sealed::IntoArg<T> for DeviceArray<T> {
    #[inline]
    fn device(&self) -> Option<Device> {
        Some(DeviceArray::device(self))
    }

    #[inline(always)]
    fn wrap(self, _: Option<Device>) -> Result<sealed::Wrapped> {
        Ok(sealed::Wrapped(self.into_arg()))
    }
}
impl<T: Element> Operand<T> for DeviceArray<T> {}

impl<T: Element> sealed::IntoArg<T> for &DeviceArray<T> {
    #[inline]
    fn device(&self) -> Option<Device> {
        Some(DeviceArray::device(self))
    }

    #[inline(always)]
    fn wrap(self, _: Option<Device>) -> Result<sealed::Wrapped> {
        Ok(sealed::Wrapped(self.arg()))
    }
}
impl<T: Element> Operand<T> for &DeviceArray<T> {}

impl<T: Element, S: Data<Elem = T>, D: Dimension> sealed::IntoArg<T> for &ArrayBase<S, D> {
    #[cold]
    fn wrap(self, on: Option<Device>) -> Result<sealed::Wrapped> {
        let device = on.map_or_else(Device::current, Ok)?;
        Ok(sealed::Wrapped(upload_array(device, self)?.into_arg()))
    }
}
impl<T: Element, S: Data<Elem = T>, D: Dimension> Operand<T> for &ArrayBase<S, D> {}

/// What has one axis.
macro_rules! lines {
    ($($t:ty $(, $n:ident)?;)*) => {$(
        impl<T: Element $(, const $n: usize)?> sealed::IntoArg<T> for $t {
            #[cold]
            fn wrap(self, on: Option<Device>) -> Result<sealed::Wrapped> {
                (&ArrayView1::from(&self[..])).wrap(on)
            }
        }
        impl<T: Element $(, const $n: usize)?> Operand<T> for $t {}
    )*};
}
lines! {
    &[T];
    &Vec<T>;
    &[T; N], N;
}
