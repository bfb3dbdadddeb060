//! Arrays joined and taken apart, and padding.

use crate::array::{DeviceArray, checked, checked_fns, located, or_panic, record};
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, AxisMap, Node, Wrap};
use crate::shape::{Shape, axis_index, checked_len};
use ndarray::SliceInfoElem;
use smallvec::{SmallVec, smallvec};
use std::borrow::Borrow;
use std::sync::Arc;

/// Joins along an axis that all have.
#[track_caller]
pub(crate) fn concat(name: &str, nodes: &[Arc<Node>], axis: isize) -> Result<Arc<Node>> {
    let Some(first) = nodes.first() else {
        return Err(Error::shape(format!("{name}: no arrays are given")));
    };
    let axis = axis_index(name, axis, first.shape.len())?;
    let mut shape = first.shape.clone();
    shape[axis] = 0;
    for node in nodes {
        if node.device.differs(first.device) {
            return Err(record::devices_differ(name, first.device, node.device));
        }
        let differs = |k: usize| k != axis && node.shape[k] != first.shape[k];
        if node.shape.len() != shape.len() || (0..shape.len()).any(differs) {
            return Err(Error::shape(format!(
                "{name}: shapes {:?} and {:?} do not fit along axis {axis}",
                first.shape, node.shape
            )));
        }
        let sum = shape[axis].checked_add(node.shape[axis]);
        shape[axis] = sum.ok_or_else(|| Error::shape(format!("{name}: too many elements")))?;
    }
    checked_len(name, &shape)?;
    let args: Args =
        nodes.iter().filter(|n| n.shape[axis] > 0).map(|node| Arg::Node(node.clone())).collect();
    match &args[..] {
        [] => Ok(first.clone()),
        [Arg::Node(only)] => Ok(only.clone()),
        _ => Ok(record::joined(args, axis, shape)),
    }
}

#[track_caller]
fn nodes<T: Element>(arrays: &[impl Borrow<DeviceArray<T>>]) -> SmallVec<[Arc<Node>; 4]> {
    arrays.iter().map(|a| a.borrow().node().clone()).collect()
}

/// The array with axes of length 1 added in front and behind.
#[track_caller]
fn raised<T: Element>(a: &DeviceArray<T>, front: usize, behind: usize) -> Arc<Node> {
    let mut shape = Shape::from_elem(1, front);
    shape.extend_from_slice(a.shape());
    shape.extend(std::iter::repeat_n(1, behind));
    record::reshape(a.node(), shape)
}

checked_fns! {
    /// Joins arrays along an axis that they have.
    ///
    /// **Shape.** The arrays', which agree except along the axis; there the lengths add up.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::try_from([[1, 2], [3, 4]])?;
    /// let b = DeviceArray::try_from([[5], [6]])?;
    /// assert_eq!(concatenate(&[&a, &b], -1).to_vec()?, [1, 2, 5, 3, 4, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    fn concatenate | try_concatenate<T: Element>(
        arrays: &[impl Borrow<DeviceArray<T>>],
        axis: isize,
    ) -> DeviceArray<T> {
        concat("concatenate", &nodes(arrays), axis).map(DeviceArray::from_node)
    }

    /// Joins all elements of arrays of any shapes, each array's in C order.
    ///
    /// **Shape.** One axis of all elements. NumPy: `concatenate(…, axis=None)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (a, b) = (DeviceArray::from(1), DeviceArray::from_vec([2, 1], vec![2, 3])?);
    /// assert_eq!(lazuli::concatenate_flat(&[&a, &b]).to_vec()?, [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn concatenate_flat | try_concatenate_flat<T: Element>(
        arrays: &[impl Borrow<DeviceArray<T>>],
    ) -> DeviceArray<T> {
        let flat = |a: &Arc<Node>| record::reshape(a, smallvec![a.len()]);
        let lines: SmallVec<[Arc<Node>; 4]> = nodes(arrays).iter().map(flat).collect();
        concat("concatenate_flat", &lines, 0).map(DeviceArray::from_node)
    }

    /// Joins arrays of one shape along a new axis.
    ///
    /// **Shape.** The arrays' with their number inserted at the axis.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (a, b) = (DeviceArray::from_slice(&[1, 2])?, DeviceArray::from_slice(&[3, 4])?);
    /// assert_eq!(stack(&[&a, &b], 0).to_vec()?, [1, 2, 3, 4]);
    /// assert_eq!(stack(&[&a, &b], 1).to_vec()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    fn stack | try_stack<T: Element>(
        arrays: &[impl Borrow<DeviceArray<T>>],
        axis: isize,
    ) -> DeviceArray<T> {
        let nodes = nodes(arrays);
        let rank = nodes.first().map_or(0, |n| n.shape.len());
        let axis = axis_index("stack", axis, rank + 1)?;
        if let Some(other) = nodes.iter().find(|n| n.shape != nodes[0].shape) {
            return Err(Error::shape(format!(
                "stack: shapes {:?} and {:?} differ", nodes[0].shape, other.shape
            )));
        }
        let raised: SmallVec<[Arc<Node>; 4]> =
            nodes.iter().map(|n| super::movement::insert_axis(n, axis)).collect();
        concat("stack", &raised, axis as isize).map(DeviceArray::from_node)
    }

    /// Stacks arrays as rows: arrays with one axis become rows, others are joined along axis 0.
    ///
    /// **Shape.** As [`concatenate`] along axis 0.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (a, b) = (DeviceArray::from_slice(&[1, 2])?, DeviceArray::from_slice(&[3, 4])?);
    /// let c = vstack(&[&a, &b]);
    /// assert_eq!((c.shape(), c.to_vec()?), (&[2, 2][..], vec![1, 2, 3, 4]));
    /// # Ok::<(), Error>(())
    /// ```
    fn vstack | try_vstack<T: Element>(
        arrays: &[impl Borrow<DeviceArray<T>>],
    ) -> DeviceArray<T> {
        let rows: SmallVec<[Arc<Node>; 4]> =
            arrays.iter().map(Borrow::borrow).map(|a| raised(a, 2usize.saturating_sub(a.ndim()), 0)).collect();
        concat("vstack", &rows, 0).map(DeviceArray::from_node)
    }

    /// Stacks arrays side by side: along axis 0 where they have one axis, else along axis 1.
    ///
    /// **Shape.** As [`concatenate`].
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (a, b) = (DeviceArray::from_slice(&[1, 2])?, DeviceArray::from_slice(&[3, 4])?);
    /// let c = hstack(&[&a, &b]);
    /// assert_eq!((c.shape(), c.to_vec()?), (&[4][..], vec![1, 2, 3, 4]));
    /// # Ok::<(), Error>(())
    /// ```
    fn hstack | try_hstack<T: Element>(
        arrays: &[impl Borrow<DeviceArray<T>>],
    ) -> DeviceArray<T> {
        let columns: SmallVec<[Arc<Node>; 4]> =
            arrays.iter().map(Borrow::borrow).map(|a| raised(a, usize::from(a.ndim() == 0), 0)).collect();
        let axis = columns.first().is_some_and(|n| n.shape.len() > 1);
        concat("hstack", &columns, isize::from(axis)).map(DeviceArray::from_node)
    }

    /// Stacks arrays along a third axis.
    ///
    /// **Shape.** As [`concatenate`] along axis 2; `[n]` counts as `[1, n, 1]`, `[m, n]` as
    /// `[m, n, 1]`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (a, b) = (DeviceArray::from_slice(&[1, 2])?, DeviceArray::from_slice(&[3, 4])?);
    /// let c = dstack(&[&a, &b]);
    /// assert_eq!((c.shape(), c.to_vec()?), (&[1, 2, 2][..], vec![1, 3, 2, 4]));
    /// # Ok::<(), Error>(())
    /// ```
    fn dstack | try_dstack<T: Element>(
        arrays: &[impl Borrow<DeviceArray<T>>],
    ) -> DeviceArray<T> {
        let layers: SmallVec<[Arc<Node>; 4]> = arrays.iter().map(Borrow::borrow).map(|a| match a.ndim() {
            n @ 0..=1 => raised(a, 2 - n, 1),
            2 => raised(a, 0, 1),
            _ => a.node().clone(),
        }).collect();
        concat("dstack", &layers, 2).map(DeviceArray::from_node)
    }
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// A matrix with this array on its `offset`-th diagonal, zeros elsewhere.
        ///
        /// **Shape.** The array's one axis of length `n` gives `[n + |offset|, n + |offset|]`. The
        /// other direction is [`diagonal`](Self::diagonal). NumPy: `diag`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1, 2])?.diag(0).to_vec()?, [1, 0, 0, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn diag | try_diag(&self, offset: isize) -> DeviceArray<T> {
            diag(self.node(), offset).map(DeviceArray::from_node)
        }
    }

    /// Takes the array apart along an axis into `n` parts of one length.
    ///
    /// **Shape.** The array's with one length divided by `n`. **Laziness.** Records views.
    /// NumPy: `split`.
    ///
    /// # Panics
    /// Where the length is not a multiple of `n`; [`try_split`](Self::try_split) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let parts = DeviceArray::<i32>::arange_to(6).split(3, 0);
    /// assert_eq!(parts[2].to_vec()?, [4, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn split(&self, n: usize, axis: isize) -> Vec<DeviceArray<T>> {
        or_panic(self.try_split(n, axis))
    }

    /// [`split`](Self::split) for arguments that come from data.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the length is not a multiple of `n`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::arange_to(6);
    /// assert_eq!(a.try_split(2, 0)?.len(), 2);
    /// assert!(a.try_split(4, 0).is_err_and(|e| e.is_shape()));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn try_split(&self, n: usize, axis: isize) -> Result<Vec<DeviceArray<T>>> {
        let length = located(self.axis("split", axis)).map(|k| self.shape()[k])?;
        if n == 0 || !length.is_multiple_of(n) {
            return located(Err(Error::shape(format!(
                "split: axis {axis} of shape {:?} does not divide into {n} parts",
                self.shape()
            ))));
        }
        self.try_array_split(n, axis)
    }

    checked! {
        /// Takes the array apart along an axis into `n` parts, the first ones longer by one where
        /// the length is not a multiple of `n`.
        ///
        /// **Shape.** The array's with one length divided. Views. NumPy: `array_split`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let parts = DeviceArray::<i32>::arange_to(5).array_split(2, 0);
        /// assert_eq!(parts[0].to_vec()?, [0, 1, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn array_split | try_array_split(&self, n: usize, axis: isize) -> Vec<DeviceArray<T>> {
            let length = self.shape()[self.axis("array_split", axis)?];
            if n == 0 {
                return Err(Error::shape("array_split: no parts"));
            }
            let cut = |k: usize| k * (length / n) + k.min(length % n);
            (0..n).map(|k| self.between(axis, cut(k), cut(k + 1))).collect()
        }

        /// Takes the array apart along an axis before each of the given positions, which rise to at
        /// most its length.
        ///
        /// **Shape.** The array's with one length cut. Views. NumPy: `split` with a list.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let parts = DeviceArray::<i32>::arange_to(5).split_at(&[1, 4], 0);
        /// assert_eq!(parts[1].to_vec()?, [1, 2, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn split_at | try_split_at(&self, positions: &[usize], axis: isize) -> Vec<DeviceArray<T>> {
            let length = self.shape()[self.axis("split_at", axis)?];
            let ends = positions.windows(2).all(|pair| pair[0] <= pair[1]);
            if !ends || positions.last().is_some_and(|&last| last > length) {
                return Err(Error::shape(format!(
                    "split_at: positions {positions:?} do not rise to at most {length}, the length of \
                     the axis of shape {:?}",
                    self.shape()
                )));
            }
            let starts = std::iter::once(0).chain(positions.iter().copied());
            let ends = positions.iter().copied().chain([length]);
            starts.zip(ends).map(|(start, end)| self.between(axis, start, end)).collect()
        }
    }

    #[track_caller]
    fn between(&self, axis: isize, start: usize, end: usize) -> Result<DeviceArray<T>> {
        let axis = self.axis("split", axis)?;
        let whole = SliceInfoElem::Slice { start: 0, end: None, step: 1 };
        let mut region: SmallVec<[SliceInfoElem; 4]> = SmallVec::from_elem(whole, axis);
        let (start, end) = (start as isize, Some(end as isize));
        region.push(SliceInfoElem::Slice { start, end, step: 1 });
        self.try_slice(region)
    }
}

#[track_caller]
fn diag(a: &Arc<Node>, offset: isize) -> Result<Arc<Node>> {
    use crate::table::Op;
    let &[n] = &a.shape[..] else {
        let instead = if a.shape.len() > 1 { "; `diagonal` takes the diagonal out" } else { "" };
        return Err(Error::shape(format!(
            "diag: shape {:?} does not have one axis{instead}",
            a.shape
        )));
    };
    let order = n + offset.unsigned_abs();
    let shape = Shape::from_slice(&[order, order]);
    checked_len("diag", &shape)?;
    let zero = crate::dtype::Scalar::from_f64(a.dtype, 0.0);
    if n == 0 {
        return Ok(record::full(zero, shape, a.device));
    }
    // The row of an element on the diagonal says its position; rows beyond are not on it.
    let along = AxisMap::affine(0, offset.min(0) as i64, 1).wrapped(Wrap::Clamp(n as i64));
    let values = record::view(a, crate::graph::View(smallvec![along]), shape.clone());
    let row = record::iota(0, shape.clone(), a.device);
    let column = record::iota(1, shape, a.device);
    let shifted = record::binary(Op::Add, &row, Scalar::new(offset as i64))?;
    record::select(&record::binary(Op::Equal, &column, &shifted)?, &values, zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagonals_of_both_sides() {
        let a = DeviceArray::from_slice(&[1, 2]).unwrap();
        assert_eq!(a.diag(1).to_vec().unwrap(), [0, 1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(a.diag(-1).to_vec().unwrap(), [0, 0, 0, 1, 0, 0, 0, 2, 0]);
        assert_eq!(a.diag(-1).diagonal(-1, 0, 1).to_vec().unwrap(), [1, 2]);
    }

    #[test]
    fn joins_and_parts() {
        let a = DeviceArray::<i32>::arange_to(6).reshape([2, 3]);
        let parts = a.array_split(2, 1);
        let back = concatenate(&parts, 1);
        assert_eq!(back.to_vec().unwrap(), a.to_vec().unwrap());
        assert_eq!(stack(&[&a, &a], -1).shape(), [2, 3, 2]);
    }

    #[test]
    fn what_joins_refuse() {
        let (a, b) = (DeviceArray::<i32>::zeros([2, 3]), DeviceArray::<i32>::zeros([3, 3]));
        for error in [
            try_concatenate(&[&a, &b], 1).unwrap_err(),
            try_concatenate(&[] as &[&DeviceArray<i32>], 0).unwrap_err(),
            try_stack(&[&a, &b], 0).unwrap_err(),
            a.try_split(2, 1).unwrap_err(),
            a.try_split_at(&[4], 1).unwrap_err(),
            a.try_diag(0).unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains("join.rs:"), "{error}");
        }
    }
}
