//! A function of arrays with one axis, called for each line along an axis.

use crate::array::{DeviceArray, located, or_panic, record};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::shape::{Shape, checked_len};
use smallvec::SmallVec;

impl<T: Element> DeviceArray<T> {
    /// What a function gives for each line along an axis, put together.
    ///
    /// The function is called once for each line when this is recorded, so that many lines make a
    /// large expression: where a method takes an axis, or a function can be written for whole
    /// arrays, that is the better choice.
    ///
    /// **Shape.** The array's with the axis replaced by the axes of what the function gives, which
    /// has one shape for all lines. **Dtype.** What the function gives. **Laziness.** Records, as
    /// far as the function does. NumPy: `apply_along_axis`.
    ///
    /// # Panics
    /// Where there is no such axis, there are no lines, or results have several shapes;
    /// [`try_apply_along_axis`](Self::try_apply_along_axis) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
    /// let ends = a.apply_along_axis(1, |line| line.take([0, -1], 0));
    /// assert_eq!((ends.shape(), ends.to_vec()?), (&[2, 2][..], vec![1, 3, 4, 6]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn apply_along_axis<U: Element>(
        &self,
        axis: isize,
        function: impl Fn(&DeviceArray<T>) -> DeviceArray<U>,
    ) -> DeviceArray<U> {
        or_panic(self.try_apply_along_axis(axis, function))
    }

    /// [`apply_along_axis`](Self::apply_along_axis) for arguments that come from data.
    ///
    /// **Laziness.** Records, as far as the function does.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there is no such axis, there are no lines, or results have several
    /// shapes.
    #[track_caller]
    pub fn try_apply_along_axis<U: Element>(
        &self,
        axis: isize,
        function: impl Fn(&DeviceArray<T>) -> DeviceArray<U>,
    ) -> Result<DeviceArray<U>> {
        located(along(self, axis, function))
    }
}

#[track_caller]
fn along<T: Element, U: Element>(
    a: &DeviceArray<T>,
    axis: isize,
    function: impl Fn(&DeviceArray<T>) -> DeviceArray<U>,
) -> Result<DeviceArray<U>> {
    const NAME: &str = "apply_along_axis";
    let axis = a.axis(NAME, axis)?;
    let last = a.try_move_axis(axis as isize, -1)?;
    let (lead, length) = last.shape().split_at(a.ndim() - 1);
    let count: usize = lead.iter().product();
    if count == 0 {
        let shape = a.shape();
        return Err(Error::shape(format!(
            "{NAME}: shape {shape:?} has no lines along axis {axis}"
        )));
    }
    let lines = last.try_reshape([count, length[0]])?;
    let results: Vec<DeviceArray<U>> = lines.try_unstack(0)?.iter().map(function).collect();
    let all = crate::try_stack(&results, 0)?;
    let own = &all.shape()[1..];
    let mut shape = Shape::from_slice(lead);
    shape.extend_from_slice(own);
    checked_len(NAME, &shape)?;
    // The axes of the results go where the axis was.
    let from: SmallVec<[usize; 4]> = (lead.len()..shape.len()).collect();
    let to: SmallVec<[usize; 4]> = (axis..axis + own.len()).collect();
    let joined = DeviceArray::<U>::from_node(record::reshape(all.node(), shape));
    joined.try_move_axis(&from[..], &to[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_along_any_axis() {
        let a = DeviceArray::<i64>::arange_to(24).reshape([2, 3, 4]);
        for axis in 0..3 {
            let sums = a.apply_along_axis(axis, |line| line.sum(0));
            assert_eq!(sums.to_vec().unwrap(), a.sum(axis).to_vec().unwrap());
            let same = a.apply_along_axis(axis - 3, DeviceArray::clone);
            assert_eq!(same.to_vec().unwrap(), a.to_vec().unwrap());
        }
        let outer = a.apply_along_axis(1, |line| line.outer(&line.slice(ndarray::s![..2])));
        assert_eq!(outer.shape(), [2, 3, 2, 4]);
        let expected = (a.insert_axis(2) * a.slice(ndarray::s![.., ..2]).insert_axis(1)).to_vec();
        assert_eq!(outer.to_vec().unwrap(), expected.unwrap());
        let line = DeviceArray::<f64>::zeros(0).apply_along_axis(0, |line| line.sum(0));
        assert_eq!(line.item().unwrap(), 0.0);
        let none = DeviceArray::<f64>::zeros([0, 2]);
        assert!(none.try_apply_along_axis(1, DeviceArray::clone).unwrap_err().is_shape());
        assert!(a.try_apply_along_axis(3, DeviceArray::clone).unwrap_err().is_shape());
    }
}
