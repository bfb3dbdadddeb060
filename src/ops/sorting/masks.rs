//! Positions and elements that a mask selects: how many there are depends on data, so these
//! evaluate when they are called.

use super::{nodes, shares};
use crate::array::{DeviceArray, checked, located, or_panic, record};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node, NodeOp, sharding};
use crate::ops::movement::broadcast_to;
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

/// Whether each element differs from zero, in one axis.
#[track_caller]
fn flat_truth(a: &Arc<Node>) -> Result<Arc<Node>> {
    let a = &sharding::cut_in_front(a);
    let truth = match a.dtype {
        DType::Bool => a.clone(),
        _ => record::binary(Op::NotEqual, a, record::number(a, 0.0))?,
    };
    Ok(record::reshape(&truth, smallvec![a.len()]))
}

/// The positions at which a mask of one axis is true, once they were counted.
#[track_caller]
fn positions(mask: &Arc<Node>) -> Result<Arc<Node>> {
    if sharding::axis_cut(mask).is_some() {
        return shares::nonzero(mask);
    }
    let count = record::reduce(Reduction::Sum, &record::cast(mask, DType::I64), 1);
    let count = DeviceArray::<i64>::from_node(count).item()? as usize;
    if count == 0 {
        return Ok(record::full(Scalar::new(0i64), smallvec![0], mask.device));
    }
    Ok(nodes::nonzero(mask, count))
}

thread_local! {
    /// The masks whose positions this thread asked for last, and the positions. Neither is kept
    /// alive: the positions are found again as long as what was taken at them is yet to be computed.
    static RECENT: RefCell<VecDeque<(Weak<Node>, Weak<Node>)>> = const { RefCell::new(VecDeque::new()) };
}
/// The number of masks that are remembered.
const REMEMBERED: usize = 4;

/// The positions found for this mask before, where something still holds them. A step that extracts
/// several arrays by one mask counts it, waits for the count and finds its positions once.
#[track_caller]
fn found_before(mask: &Arc<Node>) -> Option<Arc<Node>> {
    let same = |(of, at): &(Weak<Node>, Weak<Node>)| {
        if std::ptr::eq(of.as_ptr(), Arc::as_ptr(mask)) { at.upgrade() } else { None }
    };
    RECENT.with_borrow(|recent| recent.iter().find_map(same))
}

fn remember(mask: &Arc<Node>, positions: &Arc<Node>) {
    RECENT.with_borrow_mut(|recent| {
        recent.truncate(REMEMBERED - 1);
        recent.push_front((Arc::downgrade(mask), Arc::downgrade(positions)));
    });
}

/// The depth of an expression from which on it is evaluated before elements are extracted.
const DEEP: u32 = 6;
/// Of so many nodes at most it is asked whether they take elements.
const FEW: usize = 32;

/// Whether an expression, as far as it is yet to be computed and small, takes elements at positions.
fn takes_elements(node: &Arc<Node>) -> bool {
    let mut waiting: SmallVec<[Arc<Node>; 8]> = smallvec![node.clone()];
    for _ in 0..FEW {
        let Some(node) = waiting.pop() else { return false };
        if node.is_evaluated() {
            continue;
        }
        if let NodeOp::Take { .. } = node.op {
            return true;
        }
        let nodes = |arg: &Arg| match arg {
            Arg::Node(node) => Some(node.clone()),
            Arg::Scalar(_) => None,
        };
        waiting.extend(node.state().args.iter().filter_map(nodes));
    }
    false
}

impl<T: Element> DeviceArray<T> {
    /// The positions, in C order, of the elements that are not zero.
    ///
    /// **Shape.** One axis, as long as there are such elements. **Dtype.** `i64`. **Laziness.**
    /// The shape depends on the data: evaluates the array, counts and waits; finding the
    /// positions is recorded. NumPy: `flatnonzero`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![0, 3, 0, 1])?;
    /// assert_eq!(a.flat_nonzero()?.to_vec()?, [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "flatnonzero")]
    #[track_caller]
    pub fn flat_nonzero(&self) -> Result<DeviceArray<i64>> {
        if let Some(found) = found_before(self.node()) {
            return Ok(DeviceArray::from_node(found));
        }
        let mask = located(flat_truth(self.node()))?;
        // The mask is read twice, to count and to find.
        DeviceArray::<bool>::from_node(mask.clone()).eval()?;
        let found = located(positions(&mask))?;
        remember(self.node(), &found);
        Ok(DeviceArray::from_node(found))
    }

    /// The positions along each axis of the elements that are not zero, in C order.
    ///
    /// **Shape.** For each axis of the array one array with one axis. **Dtype.** `i64`.
    /// **Laziness.** As [`flat_nonzero`](Self::flat_nonzero). An array with no axes is refused, as
    /// in NumPy.
    ///
    /// # Errors
    /// [`Error::is_shape`] for an array with no axes, and as [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![0, 3, 0, 1])?;
    /// let at = a.nonzero()?;
    /// assert_eq!((at[0].to_vec()?, at[1].to_vec()?), (vec![0, 1], vec![1, 1]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn nonzero(&self) -> Result<Vec<DeviceArray<i64>>> {
        if self.ndim() == 0 {
            return located(Err(Error::shape("nonzero: the array has no axes")));
        }
        let flat = self.flat_nonzero()?;
        Ok(along_axes(&flat, self.shape()))
    }

    /// The positions of the elements that are not zero, one a row.
    ///
    /// **Shape.** `[count, ndim]`. **Dtype.** `i64`. **Laziness.** As
    /// [`flat_nonzero`](Self::flat_nonzero). NumPy: `argwhere`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![0, 3, 0, 1])?;
    /// assert_eq!(a.argwhere()?.to_vec()?, [0, 1, 1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn argwhere(&self) -> Result<DeviceArray<i64>> {
        let flat = self.flat_nonzero()?;
        let axes = along_axes(&flat, self.shape());
        if axes.is_empty() || flat.is_empty() {
            let shape = [flat.len(), self.ndim()];
            return Ok(DeviceArray::from_node(record::full(
                Scalar::new(0i64),
                Shape::from_slice(&shape),
                self.device(),
            )));
        }
        crate::try_stack(&axes, 1)
    }

    /// The elements at which a mask is true: boolean indexing.
    ///
    /// **Shape.** The mask's axes are the array's first ones; they become one axis, as long as the
    /// mask has true elements. **Dtype.** The array's. **Laziness.** The shape depends on the data:
    /// evaluates the mask, counts and waits, and evaluates the array with it where its expression is
    /// deep or takes elements itself; taking the elements is recorded, and fuses with what follows. NumPy: `a[mask]`, `extract`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the mask does not have the array's first axes, and as
    /// [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![1, -2, 3, -4])?;
    /// assert_eq!(a.extract(&a.less(0))?.to_vec()?, [-2, -4]);
    /// let rows = a.extract(&DeviceArray::from_slice(&[false, true])?)?;
    /// assert_eq!((rows.shape(), rows.to_vec()?), (&[1, 2][..], vec![3, -4]));
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "boolean_mask")]
    #[track_caller]
    pub fn extract(&self, mask: &DeviceArray<bool>) -> Result<DeviceArray<T>> {
        let rank = mask.ndim();
        if rank > self.ndim() || mask.shape() != &self.shape()[..rank] {
            let (own, mask) = (self.shape(), mask.shape());
            return located(Err(Error::shape(format!(
                "extract: a mask of shape {mask:?} does not have the first axes of shape {own:?}"
            ))));
        }
        if mask.device().differs(self.device()) {
            let (own, other) = (self.device(), mask.device());
            return located(Err(record::devices_differ("extract", own, other)));
        }
        self.settle(mask)?;
        let positions = mask.flat_nonzero()?;
        let mut shape: Shape = smallvec![mask.len()];
        shape.extend_from_slice(&self.shape()[rank..]);
        let rows = record::reshape(&sharding::cut_in_front(self.node()), shape);
        Ok(DeviceArray::from_node(nodes::take(&rows, positions.node())))
    }

    /// The slices along an axis at which a mask is true.
    ///
    /// **Shape.** The array's with the axis as long as the mask has true elements. A mask that is
    /// shorter than the axis selects none of the rest, as in NumPy. **Dtype.** The array's.
    /// **Laziness.** As [`extract`](Self::extract).
    ///
    /// # Errors
    /// [`Error::is_shape`] where the mask does not have one axis or is longer than the array's,
    /// and as [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
    /// let odd = DeviceArray::from_slice(&[true, false, true])?;
    /// assert_eq!(a.compress(&odd, 1)?.to_vec()?, [1, 3, 4, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn compress(&self, mask: &DeviceArray<bool>, axis: isize) -> Result<DeviceArray<T>> {
        let axis = located(self.axis("compress", axis))?;
        if mask.ndim() != 1 || mask.len() > self.shape()[axis] {
            let (own, mask) = (self.shape(), mask.shape());
            return located(Err(Error::shape(format!(
                "compress: a mask of shape {mask:?} does not fit axis {axis} of shape {own:?}"
            ))));
        }
        self.settle(mask)?;
        let positions = mask.flat_nonzero()?;
        if positions.is_empty() {
            let mut shape = self.node().shape.clone();
            shape[axis] = 0;
            let empty = record::full(record::number(self.node(), 0.0), shape, self.device());
            return Ok(DeviceArray::from_node(empty));
        }
        self.try_take(&positions, axis as isize)
    }

    /// Evaluates the array along with the mask where it was extracted itself, or is deep: in a loop
    /// that extracts what it has extracted each turn would read through all turns before it, by a
    /// kernel of its own.
    pub(in crate::ops) fn settle(&self, mask: &DeviceArray<bool>) -> Result<()> {
        if self.node().depth() > DEEP || takes_elements(self.node()) {
            located(crate::eval(&[self, mask]))?;
        }
        Ok(())
    }

    checked! {
        /// The array with values, one after the other, where a mask is true: the first value goes
        /// to the first true element in C order; should there be too few values, they begin again.
        /// The array itself stays as it is.
        ///
        /// **Shape.** The array's, which is the mask's. NumPy: a copy, then `place`, or
        /// `a[mask] = values`, which does not begin again.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, -2, 3, -4, -5])?;
        /// let values = DeviceArray::from_slice(&[10, 20])?;
        /// assert_eq!(a.with_placed(&a.less(0), &values).to_vec()?, [1, 10, 3, 20, 10]);
        /// # Ok::<(), Error>(())
        /// ```
        fn with_placed | try_with_placed(
            &self,
            mask: &DeviceArray<bool>,
            values: &DeviceArray<T>,
        ) -> DeviceArray<T> {
            placed("with_placed", self, mask, values)
        }
    }

    /// Puts values, one after the other, where a mask is true: NumPy's `place`.
    ///
    /// This handle gets the new array, as [`with_placed`](Self::with_placed) makes it; other
    /// handles keep what they have. **Laziness.** Records; nothing is computed.
    ///
    /// # Panics
    /// Where the mask does not have the array's shape, or there are no values;
    /// [`try_with_placed`](Self::try_with_placed) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::from_slice(&[0, 1, 2])?;
    /// a.place(&a.greater(0), &DeviceArray::from_slice(&[7, 8])?);
    /// assert_eq!(a.to_vec()?, [0, 7, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn place(&mut self, mask: &DeviceArray<bool>, values: &DeviceArray<T>) {
        *self = or_panic(located(placed("place", self, mask, values)));
    }
}

/// An array with values, one after the other and again from the first, where a mask is true.
#[track_caller]
fn placed<T: Element>(
    name: &str,
    a: &DeviceArray<T>,
    mask: &DeviceArray<bool>,
    values: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    if a.is_empty() {
        return Ok(a.clone());
    }
    let mask = broadcast_to(name, mask.node(), a.node().shape.clone())?;
    if values.is_empty() {
        return Err(Error::shape(format!("{name}: no values are given")));
    }
    let flat = record::reshape(&sharding::cut_in_front(&mask), smallvec![a.len()]);
    let rank = record::binary(Op::Subtract, &nodes::ranks(&flat), Scalar::new(1i64))?;
    let rank = record::binary(Op::Remainder, &rank, Scalar::new(values.len() as i64))?;
    let from = record::reshape(values.node(), smallvec![values.len()]);
    let placed = record::reshape(&nodes::take(&from, &rank), a.node().shape.clone());
    let placed = sharding::lying_as(&placed, a.node());
    record::select(&mask, &placed, a.node()).map(DeviceArray::from_node)
}

/// Positions in C order as positions along each axis.
pub(in crate::ops) fn along_axes(
    flat: &DeviceArray<i64>,
    shape: &[usize],
) -> Vec<DeviceArray<i64>> {
    let mut behind: usize = shape.iter().product();
    let axis = |&len: &usize| {
        behind /= len.max(1);
        (flat / behind.max(1) as i64) % len.max(1) as i64
    };
    shape.iter().map(axis).collect()
}
