//! Views that rearrange axes and elements: index arithmetic, never copies.

use crate::array::args::{IntegerList, IntoShape};
use crate::array::{Axes, DeviceArray, ReshapeTo, checked, record};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View, Wrap};
use crate::shape::{Shape, axis_index, checked_len, copy_of};
use std::sync::Arc;

/// A view in which one axis of the input is read through another map, and the others as they are.
#[track_caller]
pub(super) fn replace_axis(a: &Arc<Node>, axis: usize, map: AxisMap, len: usize) -> Arc<Node> {
    let mut view = View::identity(a.shape.len());
    view.0[axis] = map;
    let mut shape = copy_of(&a.shape);
    shape[axis] = len;
    record::view(a, view, shape)
}

/// Broadcasts to a shape of the same or a higher rank.
#[track_caller]
pub(super) fn broadcast_to(name: &str, a: &Arc<Node>, shape: Shape) -> Result<Arc<Node>> {
    let extra = shape.len().checked_sub(a.shape.len());
    let fits = extra.is_some_and(|extra| {
        a.shape.iter().zip(&shape[extra..]).all(|(&from, &to)| from == to || from == 1)
    });
    let Some(extra) = extra.filter(|_| fits) else {
        let from = &a.shape;
        return Err(Error::shape(format!(
            "{name}: shape {from:?} does not broadcast to {shape:?}"
        )));
    };
    checked_len(name, &shape)?;
    let map = |(k, &from): (usize, &usize)| match from == shape[k + extra] {
        true => AxisMap::same(k + extra),
        false => AxisMap::fixed(0),
    };
    let view = View(a.shape.iter().enumerate().map(map).collect());
    Ok(record::view(a, view, shape))
}

/// Reads axis `order[k]` of the input at position `k` of the result.
#[track_caller]
pub(super) fn permute(a: &Arc<Node>, order: &[usize]) -> Arc<Node> {
    let mut view = View::identity(a.shape.len());
    for (to, &from) in order.iter().enumerate() {
        view.0[from] = AxisMap::same(to);
    }
    record::view(a, view, order.iter().map(|&k| a.shape[k]).collect())
}

/// Inserts an axis of length 1.
#[track_caller]
pub(super) fn insert_axis(a: &Arc<Node>, axis: usize) -> Arc<Node> {
    let map = (0..a.shape.len()).map(|k| AxisMap::same(k + usize::from(k >= axis)));
    let mut shape = a.shape.clone();
    shape.insert(axis, 1);
    record::view(a, View(map.collect()), shape)
}

impl<T: Element> DeviceArray<T> {
    pub(super) fn axis(&self, name: &str, axis: isize) -> Result<usize> {
        axis_index(name, axis, self.ndim())
    }

    checked! {
        /// The array repeated along axes of length 1, and along new leading axes.
        ///
        /// **Shape.** As given. A view: nothing is copied. Operations broadcast by themselves.
        /// NumPy: `broadcast_to`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2])?.broadcast_to([2, 2]);
        /// assert_eq!(a.to_vec()?, [1, 2, 1, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn broadcast_to | try_broadcast_to(&self, shape: impl IntoShape) -> DeviceArray<T> {
            broadcast_to("broadcast_to", self.node(), shape.lengths()).map(DeviceArray::from_node)
        }

        /// The same elements, in C order, under another shape; in signed integers one length may
        /// be `-1`, which stands for what remains. `reshape(())` gives an array without axes.
        ///
        /// **Shape.** As given, with as many elements. A view inside kernels, whatever the order
        /// of the elements was. NumPy: `reshape`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::arange_to(6);
        /// assert_eq!(a.reshape([2, 3]).get([1, 0])?, 3);
        /// assert_eq!(a.reshape([3, -1]).shape(), [3, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn reshape | try_reshape(&self, shape: impl ReshapeTo) -> DeviceArray<T> {
            let to = shape.fit(self.len())?;
            if checked_len("reshape", &to)? != self.len() {
                let from = self.shape();
                return Err(Error::shape(format!(
                    "reshape: shape {from:?} does not fit into shape {to:?}"
                )));
            }
            Ok(DeviceArray::from_node(record::reshape(self.node(), to)))
        }

        /// The elements in reverse order along the axes.
        ///
        /// **Shape.** The array's. NumPy: `flip`, `flipud`, `fliplr`.
        #[doc(alias = "flipud")]
        #[doc(alias = "fliplr")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1, 2, 3])?.flip(..).to_vec()?, [3, 2, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn flip | try_flip(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("flip", axes)?;
            let map = |(k, &n): (usize, &usize)| match axes.contains(k) {
                true => AxisMap::affine(k, n as i64 - 1, -1),
                false => AxisMap::same(k),
            };
            let view = View(self.shape().iter().enumerate().map(map).collect());
            Ok(DeviceArray::from_node(record::view(self.node(), view, self.node().shape.clone())))
        }

        /// The elements moved along an axis by `shift` positions; what leaves at one end comes in
        /// at the other. Along several axes by a shift for each, or by one for all; where an axis
        /// comes again, its shifts add up.
        ///
        /// **Shape.** The array's. NumPy: `roll`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1, 2, 3])?.roll(1, 0).to_vec()?, [3, 1, 2]);
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
        /// assert_eq!(a.roll([1, 1], [0, 1]).to_vec()?, [4, 3, 2, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn roll | try_roll(&self, shift: impl IntegerList, axis: impl IntegerList) -> DeviceArray<T> {
            let (shifts, axes) = (shift.integers(), axis.integers());
            let count = shifts.len().max(axes.len());
            let fits = |n: usize| n == count || n == 1;
            if !fits(shifts.len()) || !fits(axes.len()) {
                return Err(Error::shape(format!(
                    "roll: {} shifts along {} axes", shifts.len(), axes.len()
                )));
            }
            let mut node = self.node().clone();
            for k in 0..count {
                let axis = self.axis("roll", axes[k.min(axes.len() - 1)])?;
                node = roll(&node, shifts[k.min(shifts.len() - 1)], axis);
            }
            Ok(DeviceArray::from_node(node))
        }

        /// The elements moved by `shift` positions in C order, over the ends of all axes.
        ///
        /// **Shape.** The array's. NumPy: `roll` without an axis.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?.roll_flat(1);
        /// assert_eq!(a.to_vec()?, [4, 1, 2, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn roll_flat | try_roll_flat(&self, shift: isize) -> DeviceArray<T> {
            let line = record::reshape(self.node(), Shape::from_slice(&[self.len()]));
            let node = record::reshape(&roll(&line, shift, 0), self.node().shape.clone());
            Ok(DeviceArray::from_node(node))
        }

        /// The array turned by `turns` right angles in the plane of two axes, from the first
        /// towards the second.
        ///
        /// **Shape.** The array's, the two lengths exchanged for an odd number of turns.
        /// NumPy: `rot90`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?.rot90(1, 0, 1);
        /// assert_eq!(a.to_vec()?, [2, 4, 1, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn rot90 | try_rot90(&self, turns: isize, from: isize, to: isize) -> DeviceArray<T> {
            let (a, b) = (self.axis("rot90", from)?, self.axis("rot90", to)?);
            if a == b {
                return Err(Error::shape(format!("rot90: axis {a} is given twice")));
            }
            match turns.rem_euclid(4) {
                0 => Ok(self.clone()),
                1 => self.try_flip(b)?.try_swap_axes(from, to),
                2 => self.try_flip([a, b]),
                _ => self.try_swap_axes(from, to)?.try_flip(b),
            }
        }

        /// The array repeated as a whole, `repetitions[k]` times along axis `k`; missing leading
        /// axes or repetitions count as 1.
        ///
        /// **Shape.** The lengths times the repetitions. A view. NumPy: `tile`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1, 2])?.tile([2, 1]).shape(), [2, 2]);
        /// assert_eq!(DeviceArray::from_slice(&[1, 2])?.tile(2).to_vec()?, [1, 2, 1, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn tile | try_tile(&self, repetitions: impl IntoShape) -> DeviceArray<T> {
            tile(self.node(), &repetitions.lengths()).map(DeviceArray::from_node)
        }

        /// Every element repeated `n` times along an axis, or each as often as a list says.
        ///
        /// **Shape.** The array's with one length times `n`, a view, or the sum of the list. NumPy:
        /// `repeat`; for counts on a device see [`repeat_counts`](Self::repeat_counts).
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2])?;
        /// assert_eq!(a.repeat(2, 0).to_vec()?, [1, 1, 2, 2]);
        /// assert_eq!(a.repeat([1, 3], 0).to_vec()?, [1, 2, 2, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn repeat | try_repeat(&self, n: impl IntoShape, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("repeat", axis)?;
            match n.lengths()[..] {
                [n] => repeat(self.node(), n, axis).map(DeviceArray::from_node),
                ref counts => listed(self, counts, axis),
            }
        }

        /// The elements on the `offset`-th diagonal of the plane of two axes (above the main
        /// diagonal where `offset` is positive), as a new last axis.
        ///
        /// **Shape.** The array's without the two axes, with the diagonal's length behind.
        /// NumPy: `diagonal`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
        /// assert_eq!(a.diagonal(0, 0, 1).to_vec()?, [1, 4]);
        /// # Ok::<(), Error>(())
        /// ```
        fn diagonal | try_diagonal(&self, offset: isize, axis1: isize, axis2: isize) -> DeviceArray<T> {
            let (a, b) = (self.axis("diagonal", axis1)?, self.axis("diagonal", axis2)?);
            if a == b {
                return Err(Error::shape(format!("diagonal: axis {a} is given twice")));
            }
            Ok(DeviceArray::from_node(diagonal(self.node(), offset, a, b)))
        }

        /// Every window of the given length along an axis, as a new last axis.
        ///
        /// **Shape.** The axis gets `n - window + 1` positions, one for each window, and the last
        /// axis has the window's length. A view. NumPy: `lib.stride_tricks.sliding_window_view`.
        #[doc(alias = "sliding_window_view")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::arange_to(4).sliding_windows(3, 0);
        /// assert_eq!(a.to_vec()?, [0, 1, 2, 1, 2, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn sliding_windows | try_sliding_windows(&self, window: usize, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("sliding_windows", axis)?;
            let n = self.shape()[axis];
            if window == 0 || window > n {
                return Err(Error::shape(format!(
                    "sliding_windows: a window of {window} does not fit into axis {axis} of shape {:?}",
                    self.shape()
                )));
            }
            let mut shape = self.node().shape.clone();
            shape[axis] = n - window + 1;
            shape.push(window);
            checked_len("sliding_windows", &shape)?;
            let mut view = View::identity(self.ndim());
            view.0[axis].terms.push((self.ndim() as u8, 1));
            Ok(DeviceArray::from_node(record::view(self.node(), view, shape)))
        }
    }

    /// The elements in C order under one axis.
    ///
    /// **Shape.** `[len]`. **Laziness.** Records a view; nothing is copied.
    /// NumPy: `ravel`, `flatten`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(a.t().flatten().to_vec()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "ravel")]
    #[track_caller]
    pub fn flatten(&self) -> DeviceArray<T> {
        let shape = Shape::from_slice(&[self.len()]);
        DeviceArray::from_node(record::reshape(self.node(), shape))
    }
}

#[track_caller]
fn roll(a: &Arc<Node>, shift: isize, axis: usize) -> Arc<Node> {
    let n = a.shape[axis] as i64;
    let offset = if n == 0 { 0 } else { (-(shift as i64 % n)).rem_euclid(n) };
    if offset == 0 {
        return a.clone();
    }
    let map = AxisMap::affine(axis, offset, 1).wrapped(Wrap::Mod(n));
    replace_axis(a, axis, map, a.shape[axis])
}

#[track_caller]
fn repeat(a: &Arc<Node>, n: usize, axis: usize) -> Result<Arc<Node>> {
    let mut shape = a.shape.clone();
    shape[axis] = times("repeat", shape[axis], n)?;
    checked_len("repeat", &shape)?;
    let map = AxisMap::same(axis).wrapped(Wrap::Div(n.max(1) as i64));
    Ok(replace_axis(a, axis, map, shape[axis]))
}

/// The error of counts that are not as many as an axis is long.
pub(super) fn do_not_fit<T: Element>(a: &DeviceArray<T>, counts: &[usize], axis: usize) -> Error {
    let shape = a.shape();
    Error::shape(format!("repeat: counts of shape {counts:?} do not fit axis {axis} of {shape:?}"))
}

/// Each position of an axis as often as a list on the host says.
#[track_caller]
fn listed<T: Element>(a: &DeviceArray<T>, counts: &[usize], axis: usize) -> Result<DeviceArray<T>> {
    if counts.len() != a.shape()[axis] {
        return Err(do_not_fit(a, &[counts.len()], axis));
    }
    let total = counts.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
    let total = total.ok_or_else(|| Error::shape("repeat: too many elements"))?;
    let mut shape = a.node().shape.clone();
    shape[axis] = total;
    checked_len("repeat", &shape)?;
    let each = counts.iter().enumerate();
    let positions: Vec<i64> = each.flat_map(|(k, &n)| std::iter::repeat_n(k as i64, n)).collect();
    a.try_take(&positions, axis as isize)
}

fn times(name: &str, a: usize, b: usize) -> Result<usize> {
    let overflow = || Error::shape(format!("{name}: {a} times {b} elements are too many"));
    a.checked_mul(b).ok_or_else(overflow)
}

#[track_caller]
fn tile(a: &Arc<Node>, repetitions: &[usize]) -> Result<Arc<Node>> {
    let rank = a.shape.len().max(repetitions.len());
    let (pad_a, pad_r) = (rank - a.shape.len(), rank - repetitions.len());
    let mut shape = Shape::from_elem(1, rank);
    for (k, length) in shape.iter_mut().enumerate() {
        let n = if k < pad_a { 1 } else { a.shape[k - pad_a] };
        *length = times("tile", n, if k < pad_r { 1 } else { repetitions[k - pad_r] })?;
    }
    checked_len("tile", &shape)?;
    let map = |(k, &n): (usize, &usize)| match n == shape[k + pad_a] {
        true => AxisMap::same(k + pad_a),
        false if n <= 1 => AxisMap::fixed(0),
        false => AxisMap::same(k + pad_a).wrapped(Wrap::Mod(n as i64)),
    };
    let view = View(a.shape.iter().enumerate().map(map).collect());
    Ok(record::view(a, view, shape))
}

#[track_caller]
pub(super) fn diagonal(a: &Arc<Node>, offset: isize, first: usize, second: usize) -> Arc<Node> {
    let (rows, columns) = (a.shape[first] as isize, a.shape[second] as isize);
    // A diagonal beyond the corner is empty, however far it lies.
    let (row, column) = (offset.saturating_neg().clamp(0, rows), offset.clamp(0, columns));
    let len = (rows - row).min(columns - column).max(0) as usize;
    let mut shape: Shape =
        (0..a.shape.len()).filter(|&k| k != first && k != second).map(|k| a.shape[k]).collect();
    let last = shape.len();
    shape.push(len);
    let mut at = 0;
    let map = (0..a.shape.len()).map(|k| {
        if k == first {
            AxisMap::affine(last, row as i64, 1)
        } else if k == second {
            AxisMap::affine(last, column as i64, 1)
        } else {
            at += 1;
            AxisMap::same(at - 1)
        }
    });
    let view = View(map.collect());
    record::view(a, view, shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_views() {
        let a = DeviceArray::<f32>::zeros([2, 3, 4]);
        assert_eq!(a.t().shape(), [4, 3, 2]);
        assert_eq!(a.reshape([-1, 2]).shape(), [12, 2]);
        assert_eq!(a.reshape(24).shape(), [24]);
        assert_eq!(a.tile([2, 1, 1, 3]).shape(), [2, 2, 3, 12]);
        assert_eq!(a.repeat(0, 1).shape(), [2, 0, 4]);
        assert_eq!(a.diagonal(1, 0, -1).shape(), [3, 2]);
        assert_eq!(a.sliding_windows(2, 1).shape(), [2, 2, 4, 2]);
        assert_eq!(a.rot90(3, 0, 1).shape(), [3, 2, 4]);
        assert_eq!(a.broadcast_to([5, 2, 3, 4]).len(), 120);
    }

    #[test]
    fn what_views_refuse() {
        let a = DeviceArray::<f32>::zeros([2, 3]);
        for error in [
            a.try_reshape([4, 2]).unwrap_err(),
            a.try_reshape([4, -1]).unwrap_err(),
            a.try_permute(&[0, 0]).unwrap_err(),
            a.try_squeeze(0).unwrap_err(),
            DeviceArray::<f32>::zeros(3).try_squeeze(0).unwrap_err(),
            DeviceArray::<f32>::zeros([1, 3]).try_squeeze([0, 1]).unwrap_err(),
            a.try_broadcast_to([3, 3]).unwrap_err(),
            a.try_sliding_windows(4, 1).unwrap_err(),
            a.try_roll(1, 2).unwrap_err(),
            a.try_tile([usize::MAX, 2]).unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains("movement.rs:"), "{error}");
        }
    }

    #[test]
    fn views_of_views_read_the_right_elements() {
        let host = ndarray::Array::from_iter(0i32..24).into_shape_with_order((2, 3, 4)).unwrap();
        let a = DeviceArray::from_ndarray(&host).unwrap();
        let expected = host.t().to_owned().into_dyn();
        assert_eq!(a.t().copy_to_host().unwrap(), expected);
        let moved = a.roll(5, 2).flip(1).move_axis(0, 1).repeat(2, 0);
        let at = |i: usize, j: usize, k: usize| host[[j, 2 - i / 2, (k + 3) % 4]];
        let expected = ndarray::Array3::from_shape_fn((6, 2, 4), |(i, j, k)| at(i, j, k));
        assert_eq!(moved.copy_to_host().unwrap(), expected.into_dyn());
        let windows = a.slice(ndarray::s![0, .., ..;-1]).sliding_windows(2, 1).sum(-1);
        let expected = ndarray::Array2::from_shape_fn((3, 3), |(i, j)| {
            i64::from(host[[0, i, 3 - j]] + host[[0, i, 2 - j]])
        });
        assert_eq!(windows.copy_to_host().unwrap(), expected.into_dyn());
        let tiled = a.index_axis(0, 1).tile([2, 1]).t().flatten();
        let expected: Vec<i32> = (0..24).map(|k| host[[1, (k % 6) % 3, k / 6]]).collect();
        assert_eq!(tiled.to_vec().unwrap(), expected);
    }

    #[test]
    fn a_long_chain_is_cut_and_stays_right() {
        let mut b = DeviceArray::<f64>::zeros(3);
        for _ in 0..2000 {
            b += 0.5;
        }
        assert!(b.node().depth() < crate::array::limits::DEPTH_LIMIT);
        assert_eq!(b.to_vec().unwrap(), [1000.0; 3]);
    }
}
