//! Axes in another order, new ones and fewer, and arrays taken apart along one: views all of them.

use super::movement::permute;
use crate::array::args::IntegerList;
use crate::array::{Axes, DeviceArray, checked, record};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::graph::{AxisMap, View};
use crate::shape::{Shape, axis_index, checked_len};
use smallvec::SmallVec;

/// The axes of a list, each of which may come once.
fn distinct(name: &str, axes: &[isize], rank: usize) -> Result<SmallVec<[usize; 4]>> {
    let mut indices: SmallVec<[usize; 4]> = SmallVec::new();
    for &axis in axes {
        let index = axis_index(name, axis, rank)?;
        if indices.contains(&index) {
            return Err(Error::shape(format!("{name}: axis {axis} is given twice")));
        }
        indices.push(index);
    }
    Ok(indices)
}

/// The order of the axes in which each of `from` stands at its place in `to`.
fn moved(rank: usize, from: &[usize], to: &[usize]) -> SmallVec<[usize; 4]> {
    let mut rest = (0..rank).filter(|k| !from.contains(k));
    let source = |k: usize| match to.iter().position(|&place| place == k) {
        Some(number) => from[number],
        None => rest.next().unwrap_or(k),
    };
    (0..rank).map(source).collect()
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The axes in another order: axis `order[k]` of the array becomes axis `k`.
        ///
        /// **Shape.** The array's, reordered. NumPy: `transpose(axes)`, `permute_dims`.
        #[doc(alias = "transpose")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::arange_to(6).reshape([1, 2, 3]).permute(&[2, 0, 1]);
        /// assert_eq!(a.shape(), [3, 1, 2]);
        /// assert_eq!(a.to_vec()?, [0, 3, 1, 4, 2, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn permute | try_permute(&self, order: &[isize]) -> DeviceArray<T> {
            let mut indices: SmallVec<[usize; 4]> = SmallVec::new();
            for &axis in order {
                indices.push(self.axis("permute", axis)?);
            }
            let twice = (0..indices.len()).any(|k| indices[..k].contains(&indices[k]));
            if twice || indices.len() != self.ndim() {
                let shape = self.shape();
                return Err(Error::shape(format!(
                    "permute: {order:?} is not an order of the axes of shape {shape:?}"
                )));
            }
            Ok(DeviceArray::from_node(permute(self.node(), &indices)))
        }

        /// Two axes exchanged.
        ///
        /// **Shape.** The array's with two lengths exchanged. NumPy: `swapaxes`.
        #[doc(alias = "swapaxes")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::arange_to(6).reshape([2, 3]).swap_axes(0, 1);
        /// assert_eq!(a.shape(), [3, 2]);
        /// assert_eq!(a.to_vec()?, [0, 3, 1, 4, 2, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn swap_axes | try_swap_axes(&self, a: isize, b: isize) -> DeviceArray<T> {
            let (a, b) = (self.axis("swap_axes", a)?, self.axis("swap_axes", b)?);
            let mut order: SmallVec<[usize; 4]> = (0..self.ndim()).collect();
            order.swap(a, b);
            Ok(DeviceArray::from_node(permute(self.node(), &order)))
        }

        /// Axes moved to other places, the others in their order: one, or a list with as many places.
        ///
        /// **Shape.** The array's with these lengths moved. NumPy: `moveaxis`.
        #[doc(alias = "moveaxis")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::arange_to(6).reshape([1, 2, 3]);
        /// assert_eq!(a.move_axis(0, -1).shape(), [2, 3, 1]);
        /// let b = a.move_axis([2, 0], [0, 1]);
        /// assert_eq!(b.shape(), [3, 1, 2]);
        /// assert_eq!(b.to_vec()?, [0, 3, 1, 4, 2, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn move_axis | try_move_axis(&self, from: impl IntegerList, to: impl IntegerList) -> DeviceArray<T> {
            let from = distinct("move_axis", &from.integers(), self.ndim())?;
            let to = distinct("move_axis", &to.integers(), self.ndim())?;
            if from.len() != to.len() {
                return Err(Error::shape(format!(
                    "move_axis: {} axes and {} places for them", from.len(), to.len()
                )));
            }
            let order = moved(self.ndim(), &from, &to);
            Ok(DeviceArray::from_node(permute(self.node(), &order)))
        }

        /// A new axis of length 1, or several; a negative index counts from the end of the result.
        ///
        /// **Shape.** The array's with a 1 inserted at each index. NumPy: `expand_dims`.
        #[doc(alias = "expand_dims")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2])?;
        /// let table = a.insert_axis(1) * DeviceArray::from_slice(&[10, 20, 30])?;
        /// assert_eq!(table.to_vec()?, [10, 20, 30, 20, 40, 60]);
        /// assert_eq!(a.insert_axis([0, 2]).shape(), [1, 2, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn insert_axis | try_insert_axis(&self, axis: impl IntegerList) -> DeviceArray<T> {
            let axes = axis.integers();
            let rank = self.ndim() + axes.len();
            let axes = distinct("insert_axis", &axes, rank)?;
            let mut view = View(SmallVec::new());
            let mut shape = Shape::from_elem(1, rank);
            for k in (0..rank).filter(|k| !axes.contains(k)) {
                shape[k] = self.shape()[view.0.len()];
                view.0.push(AxisMap::same(k));
            }
            checked_len("insert_axis", &shape)?;
            Ok(DeviceArray::from_node(record::view(self.node(), view, shape)))
        }

        /// The array without axes of length 1: those given, each of which must have length 1, or
        /// with `..` all that have it.
        ///
        /// **Shape.** The array's without these axes. NumPy: `squeeze`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([1, 3, 1], vec![1, 2, 3])?;
        /// assert_eq!(a.squeeze(0).shape(), [3, 1]);
        /// let line = a.squeeze(..);
        /// assert_eq!((line.shape(), line.to_vec()?), (&[3][..], vec![1, 2, 3]));
        /// # Ok::<(), Error>(())
        /// ```
        fn squeeze | try_squeeze(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("squeeze", axes)?;
            let shape = self.shape();
            let goes = |k: usize| axes.contains(k) && (shape[k] == 1 || !axes.all);
            if let Some(k) = (0..shape.len()).find(|&k| goes(k) && shape[k] != 1) {
                return Err(Error::shape(format!(
                    "squeeze: axis {k} of shape {shape:?} does not have length 1"
                )));
            }
            let mut at = 0;
            let map = (0..shape.len()).map(|k| match goes(k) {
                true => AxisMap::fixed(0),
                false => { at += 1; AxisMap::same(at - 1) }
            });
            let view = View(map.collect());
            let left = (0..shape.len()).filter(|&k| !goes(k)).map(|k| shape[k]).collect();
            Ok(DeviceArray::from_node(record::view(self.node(), view, left)))
        }

        /// The last two axes exchanged: the transpose of a matrix, or of each of a batch.
        ///
        /// **Shape.** The array's with the last two lengths exchanged. A view. NumPy: `mT`,
        /// `matrix_transpose`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([1, 2, 2], vec![1, 2, 3, 4])?;
        /// assert_eq!(a.matrix_transpose().to_vec()?, [1, 3, 2, 4]);
        /// # Ok::<(), Error>(())
        /// ```
        fn matrix_transpose | try_matrix_transpose(&self) -> DeviceArray<T> {
            if self.ndim() < 2 {
                let shape = self.shape();
                return Err(Error::shape(format!("matrix_transpose: shape {shape:?} has no two axes")));
            }
            self.try_swap_axes(-2, -1)
        }

        /// The parts at every position of an axis, which disappears.
        ///
        /// **Shape.** As many arrays as the axis is long, of the array's shape without it. Views.
        /// NumPy: `unstack`. The other direction is [`stack`](crate::stack).
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let columns = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?.unstack(1);
        /// assert_eq!(columns[1].to_vec()?, [2, 4]);
        /// # Ok::<(), Error>(())
        /// ```
        fn unstack | try_unstack(&self, axis: isize) -> Vec<DeviceArray<T>> {
            let axis = self.axis("unstack", axis)?;
            (0..self.shape()[axis] as isize).map(|k| self.try_index_axis(axis as isize, k)).collect()
        }
    }

    /// The array with its axes in reverse order: the transpose of a matrix.
    ///
    /// **Shape.** The array's, reversed. **Laziness.** Records a view; nothing is copied. NumPy:
    /// `T`, `transpose()`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::arange_to(6).reshape([2, 3]).t();
    /// assert_eq!(a.shape(), [3, 2]);
    /// assert_eq!(a.to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "transpose")]
    pub fn t(&self) -> DeviceArray<T> {
        let order: SmallVec<[usize; 4]> = (0..self.ndim()).rev().collect();
        DeviceArray::from_node(permute(self.node(), &order))
    }

    /// [`matrix_transpose`](Self::matrix_transpose) by its short name: NumPy's `mT`.
    ///
    /// **Shape.** The array's with the last two lengths exchanged. **Laziness.** Records a view;
    /// nothing is copied.
    ///
    /// # Panics
    /// Where the array has fewer than two axes;
    /// [`try_matrix_transpose`](Self::try_matrix_transpose) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::arange_to(8).reshape([2, 2, 2]).mt();
    /// assert_eq!(a.to_vec()?, [0, 2, 1, 3, 4, 6, 5, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "mT")]
    #[track_caller]
    pub fn mt(&self) -> DeviceArray<T> {
        self.matrix_transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_axes_at_once() {
        let a = DeviceArray::<i32>::arange_to(24).reshape([2, 3, 4]);
        assert_eq!(a.move_axis([2, 0], [0, 1]).shape(), [4, 2, 3]);
        assert_eq!(
            a.move_axis([2, 0], [0, 1]).to_vec().unwrap(),
            a.permute(&[2, 0, 1]).to_vec().unwrap()
        );
        assert_eq!(a.insert_axis([-1, 0]).shape(), [1, 2, 3, 4, 1]);
        assert_eq!(a.insert_axis(&[] as &[isize]).shape(), [2, 3, 4]);
        assert_eq!(a.insert_axis([1, 3]).to_vec().unwrap(), a.to_vec().unwrap());
        assert_eq!(DeviceArray::from(7).insert_axis([0, 1]).shape(), [1, 1]);
        let t = a.mt();
        assert_eq!(t.shape(), [2, 4, 3]);
        assert_eq!(t.to_vec().unwrap(), a.permute(&[0, 2, 1]).to_vec().unwrap());
        let parts = a.unstack(-2);
        assert_eq!(parts.len(), 3);
        assert_eq!(crate::stack(&parts, 1).to_vec().unwrap(), a.to_vec().unwrap());
        assert!(DeviceArray::<f64>::zeros([0, 2]).unstack(0).is_empty());
    }

    #[test]
    fn what_axes_refuse() {
        let a = DeviceArray::<f32>::zeros([2, 3]);
        for error in [
            a.try_move_axis([0, 1], 0).unwrap_err(),
            a.try_move_axis([0, -2], [0, 1]).unwrap_err(),
            a.try_insert_axis([0, 0]).unwrap_err(),
            a.try_insert_axis([0, 4]).unwrap_err(),
            a.try_insert_axis(vec![0isize; 15].as_slice()).unwrap_err(),
            a.try_unstack(2).unwrap_err(),
            DeviceArray::<f32>::zeros(3).try_matrix_transpose().unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains("axes.rs:"), "{error}");
        }
    }
}
