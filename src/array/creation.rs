//! Arrays that are filled with one value, generated inside the kernels that use them.

use super::args::IntoShape;
use super::{DeviceArray, located, or_panic, record};
use crate::backend::Device;
use crate::dtype::{Element, Scalar};
use crate::error::Result;
use crate::graph::Node;
use crate::shape;

impl<T: Element> DeviceArray<T> {
    /// An array filled with one value.
    ///
    /// **Shape.** As given. **Laziness.** Records; the value is generated inside the kernels that
    /// use the array and never uploaded. NumPy: `full`.
    ///
    /// # Panics
    /// Where the shape has too many elements or axes, or the current device is not there;
    /// [`try_full`](Self::try_full) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::full([2, 2], 7i32);
    /// assert_eq!(a.to_vec()?, [7, 7, 7, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn full(shape: impl IntoShape, value: T) -> Self {
        or_panic(Self::try_full(shape, value))
    }

    /// [`full`](Self::full) for shapes that come from data.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the shape has too many elements or axes,
    /// [`Error::is_device`](crate::Error::is_device) where the current device is not there.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::try_full([2, 2], 7u8)?;
    /// assert_eq!(a.to_vec()?, [7; 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn try_full(shape: impl IntoShape, value: T) -> Result<Self> {
        located(filled("full", shape, value))
    }

    /// An array of this one's shape, on its device, filled with one value.
    ///
    /// **Laziness.** Records; never uploaded. NumPy: `full_like`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f32>::zeros([2, 2]).full_like(7.0);
    /// assert_eq!(a.to_vec()?, [7.0; 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn full_like<U: Element>(&self, value: U) -> DeviceArray<U> {
        let shape = self.node().shape.clone();
        let filled = record::full(Scalar::new(value), shape, self.device());
        // One value everywhere lies as whatever it meets does, unless it is told.
        DeviceArray::from_node(match filled.device == self.device() {
            true => filled,
            false => Node::placed(&filled, self.device()),
        })
    }

    /// An array of zeros (`false` for `bool`).
    ///
    /// **Shape.** As given. **Laziness.** Records; never uploaded. NumPy: `zeros`.
    ///
    /// # Panics
    /// As [`full`](Self::full); [`try_zeros`](Self::try_zeros) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<Complex<f64>>::zeros((2, 3));
    /// assert_eq!(a.len(), 6);
    /// ```
    #[track_caller]
    pub fn zeros(shape: impl IntoShape) -> Self {
        or_panic(Self::try_zeros(shape))
    }

    /// [`zeros`](Self::zeros) for shapes that come from data.
    ///
    /// # Errors
    /// As [`try_full`](Self::try_full).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(DeviceArray::<f64>::try_zeros([usize::MAX, 2]).is_err_and(|e| e.is_shape()));
    /// ```
    #[track_caller]
    pub fn try_zeros(shape: impl IntoShape) -> Result<Self> {
        located(filled("zeros", shape, T::default()))
    }

    /// An array whose elements nobody relies on. Nothing is stored before it is written, so that
    /// there are no left-over values to find: elements that are read are zeros.
    ///
    /// **Shape.** As given. **Laziness.** Records; never uploaded, and nothing is allocated. NumPy:
    /// `empty`.
    ///
    /// # Panics
    /// As [`full`](Self::full); [`try_empty`](Self::try_empty) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::<i32>::empty(2);
    /// a.assign(s![..], 7);
    /// assert_eq!(a.to_vec()?, [7, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn empty(shape: impl IntoShape) -> Self {
        or_panic(Self::try_empty(shape))
    }

    /// [`empty`](Self::empty) for shapes that come from data.
    ///
    /// # Errors
    /// As [`try_full`](Self::try_full).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<f64>::try_empty([2, 0])?.shape(), [2, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn try_empty(shape: impl IntoShape) -> Result<Self> {
        located(filled("empty", shape, T::default()))
    }

    /// An array with this one's shape and type, on its device, whose elements nobody relies on; see
    /// [`empty`](Self::empty).
    ///
    /// **Laziness.** Records; never uploaded, and nothing is allocated. NumPy: `empty_like`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::<i32>::ones([2]).empty_like();
    /// a.fill(7);
    /// assert_eq!(a.to_vec()?, [7, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn empty_like(&self) -> Self {
        self.zeros_like()
    }

    /// An array of zeros with this one's shape and type, on its device.
    ///
    /// **Laziness.** Records; never uploaded. NumPy: `zeros_like`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.5, 2.5])?;
    /// assert_eq!(a.zeros_like().to_vec()?, [0.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn zeros_like(&self) -> Self {
        self.full_like(T::default())
    }
}

/// An array on the current device, filled with one value.
#[track_caller]
fn filled<T: Element>(name: &str, shape: impl IntoShape, value: T) -> Result<DeviceArray<T>> {
    let shape = shape.lengths();
    shape::checked_len(name, &shape)?;
    let node = record::full(Scalar::new(value), shape, Device::current()?);
    Ok(DeviceArray::from_node(node))
}

impl<T: Element> DeviceArray<T> {
    /// An array of ones (`true` for `bool`).
    ///
    /// **Shape.** As given. **Laziness.** Records; never uploaded. NumPy: `ones`.
    ///
    /// # Panics
    /// As [`full`](Self::full); [`try_ones`](Self::try_ones) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f16>::ones([2, 3]);
    /// assert_eq!(a.dtype().name(), "float16");
    /// assert!(DeviceArray::<bool>::ones(3).all(..).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn ones(shape: impl IntoShape) -> Self {
        or_panic(Self::try_ones(shape))
    }

    /// [`ones`](Self::ones) for shapes that come from data.
    ///
    /// # Errors
    /// As [`try_full`](Self::try_full).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<i64>::try_ones(3)?.to_vec()?, [1, 1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn try_ones(shape: impl IntoShape) -> Result<Self> {
        located(filled("ones", shape, one::<T>()))
    }

    /// An array of ones with this one's shape and type, on its device.
    ///
    /// **Laziness.** Records; never uploaded. NumPy: `ones_like`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.5, 2.5])?;
    /// assert_eq!(a.ones_like().to_vec()?, [1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn ones_like(&self) -> Self {
        self.full_like(one())
    }
}

/// The 1 of a type, `true` for `bool`.
fn one<T: Element>() -> T {
    Scalar::from_f64(T::DTYPE, 1.0).get().unwrap_or_default()
}

impl<T: Element> From<T> for DeviceArray<T> {
    /// An array without axes that holds one value.
    ///
    /// # Panics
    /// Where `LAZULI_DEVICE` names a device that is not there.
    #[track_caller]
    fn from(value: T) -> Self {
        Self::full((), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_overflow_are_refused() {
        let error = DeviceArray::<u8>::try_zeros([usize::MAX, 2]).unwrap_err();
        assert!(error.is_shape());
        assert!(error.to_string().starts_with("zeros: shape ["));
        assert!(error.to_string().contains("has too many elements (src/array/creation.rs:"));
        let (a, b) = (DeviceArray::<u8>::zeros([1 << 40, 1]), DeviceArray::zeros([1, 1 << 40]));
        assert!(a.try_add(&b).unwrap_err().is_shape());
        assert!(DeviceArray::<u8>::try_ones([1; 17]).unwrap_err().is_shape());
        // An empty array has strides too, and a host's array of its shape: as NumPy, its other
        // lengths are bounded.
        let error = DeviceArray::<u8>::try_zeros([0, usize::MAX, 2]).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("has too many elements"));
        let empty = DeviceArray::<u8>::zeros([0, 1 << 40, 2]);
        assert_eq!(empty.len(), 0);
        assert_eq!(empty.copy_to_host().unwrap().shape(), [0, 1 << 40, 2]);
    }

    #[test]
    fn likenesses() {
        let a = DeviceArray::<f32>::zeros([2, 1]);
        assert_eq!(a.ones_like().to_vec().unwrap(), [1.0, 1.0]);
        assert_eq!(a.full_like(3u8).to_vec().unwrap(), [3, 3]);
        assert_eq!(DeviceArray::from(true).item().ok(), Some(true));
    }
}
