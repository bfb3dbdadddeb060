//! Elements taken at positions that another array holds.

use super::movement::broadcast_to;
use super::sorting::{checked_positions, counts_from_start};
use crate::array::{DeviceArray, checked, record, upload_to};
use crate::backend::Device;
use crate::dtype::{DType, Element, Integer, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, NodeOp};
use crate::shape::{Shape, broadcast, checked_len};
use crate::table::Op;

pub(crate) mod sealed {
    use super::*;

    pub trait Positions {
        /// Whether the positions are known on the host, where they are checked at once.
        const CHECKED: bool;
        /// The positions as an array on the device, checked against the axis where they are
        /// known on the host.
        #[track_caller]
        fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>>;
    }
}

/// Positions along an axis: an array of integers of any shape, or integers on the host with one
/// axis. Negative positions count from the end.
pub trait Positions: sealed::Positions {}

impl<I: Integer> sealed::Positions for &DeviceArray<I> {
    const CHECKED: bool = false;
    #[track_caller]
    fn positions(self, name: &str, _: usize, device: Device) -> Result<DeviceArray<i64>> {
        if self.device().differs(device) {
            return Err(record::devices_differ(name, device, self.device()));
        }
        let node = match I::DTYPE {
            // What is beyond every axis stays beyond.
            DType::U64 => {
                let most = Scalar::new(1u64 << 62);
                &record::binary(Op::Minimum, self.node(), most)?
            }
            _ => self.node(),
        };
        Ok(DeviceArray::from_node(record::cast(node, DType::I64)))
    }
}
impl<I: Integer> Positions for &DeviceArray<I> {}

impl<I: Integer> sealed::Positions for DeviceArray<I> {
    const CHECKED: bool = false;
    #[track_caller]
    fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
        (&self).positions(name, length, device)
    }
}
impl<I: Integer> Positions for DeviceArray<I> {}

#[track_caller]
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
    let from_start = positions.iter().map(|&p| if p < 0 { p + n } else { p });
    let positions: Vec<i64> = from_start.collect();
    upload_to(device, &positions, Shape::from_slice(&[positions.len()]))
}

macro_rules! positions {
    ($($t:ty)*) => {$(
        impl sealed::Positions for &[$t] {
            const CHECKED: bool = true;
            #[track_caller]
            fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
                from_host(name, self.iter().map(|&p| i64::try_from(p).unwrap_or(i64::MAX)), length, device)
            }
        }
        impl Positions for &[$t] {}
        impl<const N: usize> sealed::Positions for [$t; N] {
            const CHECKED: bool = true;
            #[track_caller]
            fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
                from_host(name, self.iter().map(|&p| i64::try_from(p).unwrap_or(i64::MAX)), length, device)
            }
        }
        impl<const N: usize> Positions for [$t; N] {}
        impl<const N: usize> sealed::Positions for &[$t; N] {
            const CHECKED: bool = true;
            #[track_caller]
            fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
                from_host(name, self.iter().map(|&p| i64::try_from(p).unwrap_or(i64::MAX)), length, device)
            }
        }
        impl<const N: usize> Positions for &[$t; N] {}
        impl sealed::Positions for &Vec<$t> {
            const CHECKED: bool = true;
            #[track_caller]
            fn positions(self, name: &str, length: usize, device: Device) -> Result<DeviceArray<i64>> {
                from_host(name, self.iter().map(|&p| i64::try_from(p).unwrap_or(i64::MAX)), length, device)
            }
        }
        impl Positions for &Vec<$t> {}
    )*};
}
positions! { i32 i64 isize usize }

/// What is known of positions that a device computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// They are checked before they are used.
    Nothing,
    /// What lies beyond the axis is held within it.
    Clipped,
    /// The same, and none is negative: those would count from the start as well.
    FromStart,
}

/// The elements at positions of which none is negative; what is beyond the axis is held within it.
/// Positions that may count from the end cost the processor three passes more.
///
/// # Errors
/// As `try_take_clipped`.
#[track_caller]
pub(crate) fn take_from_start<T: Element>(
    a: &DeviceArray<T>,
    positions: impl Positions,
    axis: isize,
) -> Result<DeviceArray<T>> {
    take("take_clipped", a, positions, axis, Trust::FromStart)
}

#[track_caller]
fn take<T: Element, P: Positions>(
    name: &'static str,
    a: &DeviceArray<T>,
    positions: P,
    axis: isize,
    trust: Trust,
) -> Result<DeviceArray<T>> {
    let axis = a.axis(name, axis)?;
    let length = a.shape()[axis];
    let positions = positions.positions(name, length, a.device())?;
    let mut shape = Shape::from_slice(&a.shape()[..axis]);
    shape.extend_from_slice(positions.shape());
    shape.extend_from_slice(&a.shape()[axis + 1..]);
    let len = checked_len(name, &shape)?;
    if length == 0 && len > 0 {
        return Err(Error::shape(format!(
            "{name}: axis {axis} of shape {:?} has no elements to take",
            a.shape()
        )));
    }
    let positions = match trust {
        Trust::Nothing if !P::CHECKED => checked_positions(name, axis, length, positions.node()),
        _ => positions.node().clone(),
    };
    let from_start = P::CHECKED || trust == Trust::FromStart || counts_from_start(&positions);
    let op = NodeOp::Take { axis: axis as u8, from_start };
    let mut args = Args::new();
    args.extend([a.arg(), Arg::Node(positions)]);
    Ok(DeviceArray::from_node(record::record(op, args, shape, T::DTYPE, a.device())))
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The elements at the given positions of an axis; negative positions count from the end.
        ///
        /// A position that is out of range is an error that names it: here where the positions are
        /// on the host, else when the result is evaluated. Positions from `argsort`, `top_k`,
        /// `argmin` and their kin need no check; for others, a check is a pass over them and a wait
        /// for its answer, which [`take_clipped`](Self::take_clipped) does without.
        ///
        /// **Shape.** The array's with the axis replaced by the axes of the positions. NumPy:
        /// `take`, `a[positions]`.
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
            take("take", self, positions, axis, Trust::Nothing)
        }

        /// As [`take`](Self::take), with positions that a device computes held within the axis in
        /// place of a check: what computes them fuses with what reads the elements.
        ///
        /// **Shape.** As there. NumPy: `take(mode="clip")`, which takes negative positions for 0.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[10, 20, 30])?;
        /// let at = DeviceArray::from_slice(&[1, 99])?;
        /// assert_eq!(a.take_clipped(&at, 0).to_vec()?, [20, 30]);
        /// # Ok::<(), Error>(())
        /// ```
        fn take_clipped | try_take_clipped(
            &self,
            positions: impl Positions,
            axis: isize,
        ) -> DeviceArray<T> {
            take("take_clipped", self, positions, axis, Trust::Clipped)
        }

        /// The elements at positions along an axis that are given for each place of the result,
        /// as `argmin` gives them. Positions are checked as in [`take`](Self::take).
        ///
        /// **Shape.** Along the axis the positions', else both broadcast. NumPy: `take_along_axis`.
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
            if positions.device().differs(self.device()) {
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
            let length = self.shape()[axis];
            let positions = checked_positions("take_along_axis", axis, length, positions.node());
            let from_start = counts_from_start(&positions);
            let positions = broadcast_to("take_along_axis", &positions, whole.clone())?;
            let mut args = Args::new();
            args.extend([Arg::Node(source), Arg::Node(positions)]);
            let op = NodeOp::TakeAlong { axis: axis as u8, from_start };
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
        assert_eq!(a.take_clipped(&at, 1).to_vec().unwrap(), [0, 1, 2, 2, 3, 4, 5, 5]);
        assert!(a.take(&at, 1).to_vec().unwrap_err().to_string().contains("index 3"));
        let beyond = DeviceArray::from_slice(&[u64::MAX, 1]).unwrap();
        assert_eq!(a.take_clipped(&beyond, 1).to_vec().unwrap(), [2, 1, 5, 4]);
        assert!(a.take(&beyond, 1).to_vec().is_err() && a.try_take([usize::MAX], 1).is_err());
        let at = at.remainder(3);
        assert_eq!(a.take(&at, 1).shape(), [2, 2, 2]);
        assert_eq!(a.take(&at, 1).to_vec().unwrap(), [0, 1, 2, 0, 3, 4, 5, 3]);
    }
}
