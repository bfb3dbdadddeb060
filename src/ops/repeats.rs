//! Elements repeated as often as an array of counts says.

use super::movement::do_not_fit;
use super::search::{self, Side};
use crate::array::{DeviceArray, located, record};
use crate::dtype::{DType, Element, Integer};
use crate::error::{Error, Result};
use crate::shape::checked_len;
use smallvec::smallvec;

impl<T: Element> DeviceArray<T> {
    /// Each position of an axis as often as an array of counts says; one count is for all.
    ///
    /// **Shape.** The array's, the axis as long as the counts' sum. **Dtype.** The array's.
    /// **Laziness.** The shape depends on the data: evaluates the counts, and records the rest.
    /// NumPy: `repeat`; for counts on the host see [`repeat`](Self::repeat).
    ///
    /// # Errors
    /// [`Error::is_shape`] where the counts have not one axis, are not as many as the axis is long,
    /// or one is negative; [`Error::is_device`] where they live on another device; what their
    /// evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[10, 20, 30])?;
    /// let counts = DeviceArray::from_slice(&[2, 0, 1])?;
    /// assert_eq!(a.repeat_counts(&counts, 0)?.to_vec()?, [10, 10, 30]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn repeat_counts<I: Integer>(
        &self,
        counts: &DeviceArray<I>,
        axis: isize,
    ) -> Result<DeviceArray<T>> {
        located(counted(self, counts, axis))
    }
}

#[track_caller]
fn counted<T: Element, I: Integer>(
    a: &DeviceArray<T>,
    counts: &DeviceArray<I>,
    axis: isize,
) -> Result<DeviceArray<T>> {
    let axis = a.axis("repeat_counts", axis)?;
    let length = a.shape()[axis];
    if counts.device().differs(a.device()) {
        return Err(record::devices_differ("repeat_counts", a.device(), counts.device()));
    }
    if counts.ndim() != 1 || (counts.len() != length && counts.len() != 1) {
        return Err(do_not_fit(a, counts.shape(), axis));
    }
    if length == 0 {
        return Ok(a.clone());
    }
    let counts = counts.cast::<i64>().try_broadcast_to([length])?;
    let (ends, least) = (counts.try_cumsum(0)?, counts.try_min(0)?);
    let total = ends.try_index_axis(0, -1)?;
    crate::eval(&[&ends, &least, &total])?;
    let (least, total) = (least.item()?, total.item()?);
    if least < 0 {
        return Err(Error::shape(format!("repeat_counts: count {least} is negative")));
    }
    let mut shape = a.node().shape.clone();
    shape[axis] = total as usize;
    if checked_len("repeat_counts", &shape)? == 0 {
        let none = record::full(record::number(a.node(), 0.0), shape, a.device());
        return Ok(DeviceArray::from_node(none));
    }
    let line = record::iota(0, smallvec![total as usize], a.device());
    debug_assert_eq!(line.dtype, DType::I64);
    let positions = search::places(ends.node(), &line, Side::Right)?;
    a.try_take_clipped(DeviceArray::<i64>::from_node(positions), axis as isize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_on_either_side_repeat_alike() {
        let a = DeviceArray::<i32>::arange_to(6).reshape([2, 3]);
        let here = a.repeat([2usize, 0, 3], 1);
        let counts = DeviceArray::from_slice(&[2u8, 0, 3]).unwrap();
        let there = a.repeat_counts(&counts, -1).unwrap();
        assert_eq!(here.to_vec().unwrap(), [0, 0, 2, 2, 2, 3, 3, 5, 5, 5]);
        assert_eq!((there.shape(), there.to_vec().unwrap()), (&[2, 5][..], here.to_vec().unwrap()));
        let all = a.repeat_counts(&DeviceArray::from_slice(&[2i64]).unwrap(), 0).unwrap();
        assert_eq!(all.to_vec().unwrap(), a.repeat(2, 0).to_vec().unwrap());
        let none = DeviceArray::from_slice(&[0i64, 0]).unwrap();
        assert_eq!(a.repeat_counts(&none, 0).unwrap().shape(), [0, 3]);
        assert_eq!(a.repeat([0usize, 0], 0).shape(), [0, 3]);
        let empty = DeviceArray::<f64>::zeros([0, 2]);
        assert_eq!(empty.repeat_counts(&DeviceArray::<i64>::zeros(0), 0).unwrap().shape(), [0, 2]);
        assert_eq!(empty.repeat(&[] as &[usize], 0).shape(), [0, 2]);
    }

    #[test]
    fn counts_that_do_not_fit_are_refused() {
        let a = DeviceArray::<f32>::zeros([2, 3]);
        let negative = DeviceArray::from_slice(&[1i64, -1]).unwrap();
        for error in [
            a.try_repeat([1usize, 2], 1).unwrap_err(),
            a.try_repeat([usize::MAX, 2], 0).unwrap_err(),
            a.repeat_counts(&negative, 0).unwrap_err(),
            a.repeat_counts(&negative, 1).unwrap_err(),
            a.repeat_counts(&negative, 2).unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains("repeats.rs:"), "{error}");
        }
    }
}
