//! Traits of the standard library: equality, default, sums and products of arrays, collecting.

use crate::array::{DeviceArray, or_panic};
use crate::dtype::{Element, Number};

/// Whether both arrays have one shape and equal elements:
/// [`array_equal`](DeviceArray::array_equal) and its answer. NaN is equal to nothing, so that an
/// array that holds NaN differs from itself.
///
/// **Laziness.** Evaluates and waits; arrays of different shapes are not computed.
/// [`equal`](DeviceArray::equal) compares element by element and records.
///
/// # Panics
/// Where the evaluation fails, or arrays of one shape live on different devices.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::linspace(0.0, 2.0, 3);
/// assert_eq!(&a * 2.0, DeviceArray::from_slice(&[0.0, 2.0, 4.0])?);
/// assert!(a != a.insert_axis(0) && a.sqrt() == a.sqrt());
/// # Ok::<(), Error>(())
/// ```
impl<T: Element> PartialEq for DeviceArray<T> {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        let compare = || self.try_array_equal(other)?.item();
        self.shape() == other.shape() && or_panic(compare())
    }
}

/// An array of one axis without elements, as of a vector.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Panics
/// Where the current device is not there.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let mut state = DeviceArray::from_slice(&[1.0, 2.0])?;
/// let taken = std::mem::take(&mut state);
/// assert_eq!((taken.shape(), state.shape()), (&[2][..], &[0][..]));
/// # Ok::<(), Error>(())
/// ```
impl<T: Element> Default for DeviceArray<T> {
    #[track_caller]
    fn default() -> Self {
        or_panic(Self::try_empty(0))
    }
}

/// Copies the elements to the current device.
///
/// **Shape.** One axis. **Laziness.** Uploads now.
///
/// # Panics
/// Where the device is not there, or has no room;
/// [`from_slice`](DeviceArray::from_slice) returns an error.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a: DeviceArray<f64> = (1..4).map(|k| 1.0 / f64::from(k)).collect();
/// assert_eq!((a.shape(), a.get([1])?), (&[3][..], 0.5));
/// # Ok::<(), Error>(())
/// ```
impl<T: Element> FromIterator<T> for DeviceArray<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let values: Vec<T> = values.into_iter().collect();
        or_panic(Self::from_slice(&values))
    }
}

macro_rules! folds {
    ($($(#[$doc:meta])* $trait:ident $method:ident $op:ident $neutral:ident;)*) => {$(
        $(#[$doc])*
        impl<T: Number> std::iter::$trait for DeviceArray<T> {
            #[track_caller]
            fn $method<I: Iterator<Item = Self>>(arrays: I) -> Self {
                let all = arrays.reduce(|a, b| or_panic(a.$op(b)));
                all.unwrap_or_else(|| or_panic(Self::try_full((), T::$neutral)))
            }
        }

        impl<'a, T: Number> std::iter::$trait<&'a DeviceArray<T>> for DeviceArray<T> {
            /// As for arrays by value.
            #[track_caller]
            fn $method<I: Iterator<Item = &'a Self>>(arrays: I) -> Self {
                arrays.cloned().$method()
            }
        }
    )*};
}
folds! {
    /// The sum of arrays, which broadcast against each other; of none, a zero without axes.
    ///
    /// **Laziness.** Records; nothing is computed.
    ///
    /// # Panics
    /// As `a + b`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let parts = [DeviceArray::<f64>::ones([2, 1]), DeviceArray::linspace(0.0, 1.0, 2)];
    /// let whole: DeviceArray<f64> = parts.iter().sum();
    /// assert_eq!(whole.to_vec()?, [1.0, 2.0, 1.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    Sum sum try_add ZERO;
    /// The product of arrays, which broadcast against each other; of none, a one without axes.
    ///
    /// **Laziness.** Records; nothing is computed.
    ///
    /// # Panics
    /// As `a * b`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let sides = [2.0, 3.0].map(|side| DeviceArray::<f64>::full(2, side));
    /// let area: DeviceArray<f64> = sides.into_iter().product();
    /// assert_eq!(area.to_vec()?, [6.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    Product product try_multiply ONE;
}
