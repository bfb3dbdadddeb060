//! Elements taken at positions that another array holds.

use super::movement::broadcast_to;
use crate::array::{DeviceArray, checked, record, upload_to};
use crate::backend::Device;
use crate::dtype::{DType, Element, Integer};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, NodeOp};
use crate::shape::{Shape, broadcast, checked_len};

mod sealed {
    use super::*;

    pub trait Positions {
        /// The positions as an array on the device, checked against the axis where they are
        /// known on the host.
        fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>>;
    }
}

/// Positions along an axis: an array of integers of any shape, or integers on the host with one
/// axis. Negative positions count from the end.
pub trait Positions: sealed::Positions {}

impl<I: Integer> sealed::Positions for &DeviceArray<I> {
    fn positions(self, name: &str, _: usize, device: Device) -> Result<DeviceArray<i64>> {
        if self.device() != device {
            return Err(record::devices_differ(name, device, self.device()));
        }
        Ok(DeviceArray::from_node(record::cast(self.node(), DType::I64)))
    }
}
impl<I: Integer> Positions for &DeviceArray<I> {}

impl<I: Integer> sealed::Positions for DeviceArray<I> {
    fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
        (&self).positions(name, length, device)
    }
}
impl<I: Integer> Positions for DeviceArray<I> {}

fn from_host(
    name: &str,
    positions: impl Iterator<Item = i64>,
    length: usize,
    device: Device,
) -> Result<DeviceArray<i64>> {
    let n = length as i64;
    let positions: Vec<i64> = positions.collect();
    if let Some(position) = positions.iter().find(|&&p| p < -n || p >= n) {
        return Err(Error::shape(format!(
            "{name}: position {position} is out of bounds for an axis of length {length}"
        )));
    }
    upload_to(device, &positions, Shape::from_slice(&[positions.len()]))
}

macro_rules! positions {
    ($($t:ty)*) => {$(
        impl sealed::Positions for &[$t] {
            fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
                from_host(name, self.iter().map(|&p| p as i64), length, device)
            }
        }
        impl Positions for &[$t] {}
        impl<const N: usize> sealed::Positions for [$t; N] {
            fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
                from_host(name, self.iter().map(|&p| p as i64), length, device)
            }
        }
        impl<const N: usize> Positions for [$t; N] {}
        impl<const N: usize> sealed::Positions for &[$t; N] {
            fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
                from_host(name, self.iter().map(|&p| p as i64), length, device)
            }
        }
        impl<const N: usize> Positions for &[$t; N] {}
        impl sealed::Positions for &Vec<$t> {
            fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
                from_host(name, self.iter().map(|&p| p as i64), length, device)
            }
        }
        impl Positions for &Vec<$t> {}
    )*};
}
positions! { i32 i64 isize usize }

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The elements at the given positions of an axis; negative positions count from the end.
        ///
        /// **Shape.** The array's with the axis replaced by the axes of the positions. Positions
        /// on the host are checked here; those that a device computes are held within the axis
        /// (NumPy's `mode="clip"`). NumPy: `take`, `a[positions]`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[10, 20, 30])?;
        /// assert_eq!(a.take([2, 0, -1], 0).to_vec()?, [30, 10, 30]);
        /// let order = DeviceArray::<i64>::arange(2, -1, -1);
        /// assert_eq!(a.take(&order, 0).to_vec()?, [30, 20, 10]);
        /// # Ok::<(), Error>(())
        /// ```
        fn take | try_take(&self, positions: impl Positions, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("take", axis)?;
            let length = self.shape()[axis];
            let positions = positions.positions("take", length, self.device())?;
            let mut shape = Shape::from_slice(&self.shape()[..axis]);
            shape.extend_from_slice(positions.shape());
            shape.extend_from_slice(&self.shape()[axis + 1..]);
            let len = checked_len("take", &shape)?;
            if length == 0 && len > 0 {
                return Err(Error::shape(format!(
                    "take: axis {axis} of shape {:?} has no elements to take", self.shape()
                )));
            }
            let mut args = Args::new();
            args.extend([self.arg(), positions.arg()]);
            let op = NodeOp::Take { axis: axis as u8 };
            let node = record::record(op, args, shape, T::DTYPE, self.device());
            Ok(DeviceArray::from_node(node))
        }

        /// The elements at positions along an axis that are given for each place of the result,
        /// as `argmin` gives them.
        ///
        /// **Shape.** Along the axis the positions', else both broadcast. Positions are held
        /// within the axis; negative ones count from the end.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![3, 1, 5, 7])?;
        /// let smallest = a.take_along_axis(&a.argmin(keep(1)), 1);
        /// assert_eq!(smallest.to_vec()?, [1, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn take_along_axis | try_take_along_axis(
            &self,
            positions: &DeviceArray<i64>,
            axis: isize,
        ) -> DeviceArray<T> {
            let axis = self.axis("take_along_axis", axis)?;
            let differ = || {
                let (a, b) = (self.shape(), positions.shape());
                Error::shape(format!(
                    "take_along_axis: shapes {a:?} and {b:?} do not fit along axis {axis}"
                ))
            };
            if positions.ndim() != self.ndim() {
                return Err(differ());
            }
            if positions.device() != self.device() {
                return Err(record::devices_differ("take_along_axis", self.device(), positions.device()));
            }
            let (mut from, mut at) = (self.node().shape.clone(), positions.node().shape.clone());
            (from[axis], at[axis]) = (1, 1);
            let mut whole = broadcast(&from, &at).ok_or_else(differ)?;
            whole[axis] = self.shape()[axis];
            let source = broadcast_to("take_along_axis", self.node(), whole.clone())?;
            whole[axis] = positions.shape()[axis];
            if self.shape()[axis] == 0 && checked_len("take_along_axis", &whole)? > 0 {
                return Err(differ());
            }
            let positions = broadcast_to("take_along_axis", positions.node(), whole.clone())?;
            let mut args = Args::new();
            args.extend([Arg::Node(source), Arg::Node(positions)]);
            let op = NodeOp::TakeAlong { axis: axis as u8 };
            let node = record::record(op, args, whole, T::DTYPE, self.device());
            Ok(DeviceArray::from_node(node))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_taking_refuses() {
        let a = DeviceArray::<i32>::zeros([2, 3]);
        for error in [
            a.try_take([0, 2], 0).unwrap_err(),
            a.try_take([-4i64], 1).unwrap_err(),
            a.try_take([0], 2).unwrap_err(),
            DeviceArray::<i32>::zeros(0).try_take(DeviceArray::<u8>::zeros(1), 0).unwrap_err(),
            a.try_take_along_axis(&DeviceArray::zeros(2), 0).unwrap_err(),
            a.try_take_along_axis(&DeviceArray::zeros([2, 2]), 0).unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains("index.rs:"), "{error}");
        }
    }

    #[test]
    fn positions_of_any_shape() {
        let a = DeviceArray::<i64>::arange_to(6).reshape([2, 3]);
        let at = DeviceArray::<i64>::arange_to(4).reshape([2, 2]);
        assert_eq!(a.take(&at, 1).shape(), [2, 2, 2]);
        assert_eq!(a.take(&at, 1).to_vec().unwrap(), [0, 1, 2, 2, 3, 4, 5, 5]);
    }
}
