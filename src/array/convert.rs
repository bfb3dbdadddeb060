//! Conversions by `try_from` and `try_into`, both ways. Each one copies, so each one can fail.

use super::transfer::upload;
use super::{DeviceArray, located};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::shape::Shape;
use ndarray::{Array, ArrayBase, Data, Dimension};

impl<T: Element, S: Data<Elem = T>, D: Dimension> TryFrom<&ArrayBase<S, D>> for DeviceArray<T> {
    type Error = Error;

    /// As [`DeviceArray::from_ndarray`].
    #[track_caller]
    fn try_from(array: &ArrayBase<S, D>) -> Result<Self> {
        Self::from_ndarray(array)
    }
}

impl<T: Element, S: Data<Elem = T>, D: Dimension> TryFrom<ArrayBase<S, D>> for DeviceArray<T> {
    type Error = Error;

    /// As [`DeviceArray::from_ndarray`]; [`DeviceArray::adopt`] takes an array without a copy.
    #[track_caller]
    fn try_from(array: ArrayBase<S, D>) -> Result<Self> {
        Self::from_ndarray(&array)
    }
}

/// A line of elements.
macro_rules! lines {
    ($($t:ty $(, $n:ident)?;)*) => {$(
        impl<T: Element $(, const $n: usize)?> TryFrom<$t> for DeviceArray<T> {
            type Error = Error;

            /// As [`DeviceArray::from_slice`].
            #[track_caller]
            fn try_from(values: $t) -> Result<Self> {
                Self::from_slice(&values[..])
            }
        }
    )*};
}
lines! {
    &[T];
    Vec<T>;
    &Vec<T>;
    [T; N], N;
    &[T; N], N;
}

impl<T: Element, const N: usize, const M: usize> TryFrom<[[T; M]; N]> for DeviceArray<T> {
    type Error = Error;

    /// Copies a matrix to the current device, by rows.
    ///
    /// # Errors
    /// As [`DeviceArray::from_ndarray`].
    #[track_caller]
    fn try_from(rows: [[T; M]; N]) -> Result<Self> {
        nested(rows.as_flattened(), &[N, M])
    }
}

impl<T: Element, const N: usize, const M: usize, const L: usize> TryFrom<[[[T; L]; M]; N]>
    for DeviceArray<T>
{
    type Error = Error;

    /// Copies an array of three axes to the current device.
    ///
    /// # Errors
    /// As [`DeviceArray::from_ndarray`].
    #[track_caller]
    fn try_from(planes: [[[T; L]; M]; N]) -> Result<Self> {
        nested(planes.as_flattened().as_flattened(), &[N, M, L])
    }
}

#[track_caller]
fn nested<T: Element>(values: &[T], shape: &[usize]) -> Result<DeviceArray<T>> {
    let upload = || upload(values, Shape::from_slice(shape));
    located(upload())
}

/// To the host, from arrays by reference and by value.
macro_rules! to_host {
    ($($t:ty)*) => {$(
        impl<T: Element, D: Dimension> TryFrom<$t> for Array<T, D> {
            type Error = Error;

            /// As [`DeviceArray::copy_to_array`].
            #[track_caller]
            fn try_from(array: $t) -> Result<Self> {
                array.copy_to_array()
            }
        }

        impl<T: Element> TryFrom<$t> for Vec<T> {
            type Error = Error;

            /// As [`DeviceArray::to_vec`].
            #[track_caller]
            fn try_from(array: $t) -> Result<Self> {
                array.to_vec()
            }
        }
    )*};
}
to_host! { &DeviceArray<T> DeviceArray<T> }

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, Array2, Array3, arr2};

    #[test]
    fn nested_arrays_keep_their_order() {
        let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]]).unwrap();
        assert_eq!(Array2::try_from(&a).unwrap(), arr2(&[[1, 2, 3], [4, 5, 6]]));
        let b: DeviceArray<u8> = [[[1], [2]], [[3], [4]], [[5], [6]]].try_into().unwrap();
        let host: Array3<u8> = b.try_into().unwrap();
        assert_eq!((host.shape(), host[[2, 0, 0]]), (&[3, 2, 1][..], 5));
        let none = DeviceArray::try_from([[0.0; 3]; 0]).unwrap();
        assert_eq!(none.shape(), [0, 3]);
        assert!(Array1::try_from(none).unwrap_err().is_shape());
    }

    #[test]
    fn lines_and_arrays_by_reference_and_value() {
        let host = vec![1.5, -0.0];
        for a in [
            DeviceArray::try_from(&host).unwrap(),
            DeviceArray::try_from(&host[..]).unwrap(),
            DeviceArray::try_from([1.5, -0.0]).unwrap(),
            DeviceArray::try_from(&[1.5, -0.0]).unwrap(),
            DeviceArray::try_from(Array1::from(host.clone())).unwrap(),
            DeviceArray::try_from(Array1::from(host.clone()).view()).unwrap(),
            DeviceArray::try_from(host.clone()).unwrap(),
        ] {
            assert_eq!(a.shape(), [2]);
            let back: Vec<f64> = a.try_into().unwrap();
            assert_eq!(back.iter().map(|x| x.to_bits()).max(), Some((-0.0f64).to_bits()));
            assert_eq!(back, host);
        }
        let turned = arr2(&[[1, 2], [3, 4]]).reversed_axes();
        assert_eq!(Vec::try_from(DeviceArray::try_from(turned).unwrap()).unwrap(), [1, 3, 2, 4]);
    }
}
