//! Extremes along an axis.

use crate::DeviceArray;
use crate::array::record;
use crate::dtype::{DType, Ordered};
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View, Wrap};
use crate::shape::axis_index;
use crate::table::Op;
use std::sync::Arc;

/// How an extreme compares with its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extreme {
    /// It is greater than all of them. NumPy: `greater`.
    Greater,
    /// None is greater. NumPy: `greater_equal`.
    GreaterEqual,
    /// It is less than all of them. NumPy: `less`.
    Less,
    /// None is less. NumPy: `less_equal`.
    LessEqual,
}

/// The array read some places further on, the ends standing for what is beyond them.
#[track_caller]
fn shifted(a: &Arc<Node>, axis: usize, by: i64) -> Arc<Node> {
    let mut view = View::identity(a.shape.len());
    view.0[axis] = AxisMap::affine(axis, by, 1).wrapped(Wrap::Clamp(a.shape[axis] as i64));
    record::view(a, view, a.shape.clone())
}

/// The positions of elements that compare with each of the `order` neighbours on both sides along an
/// axis as `how` says: an array of indices for each axis. Beyond the ends stands the element at the
/// end, so that with [`Extreme::Greater`] and [`Extreme::Less`] no end is an extreme.
///
/// **Evaluates**, as the number of positions depends on the data. SciPy: `signal.argrelextrema`,
/// `argrelmax` and `argrelmin`, whose axis is 0 by default.
///
/// # Errors
/// [`Error::is_shape`] where there is no such axis, or the order is 0.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::{Extreme, argrelextrema};
/// let x = DeviceArray::from_slice(&[2, 1, 2, 3, 2, 0, 1, 0])?;
/// assert_eq!(argrelextrema(&x, Extreme::Greater, -1, 1)?[0].to_vec()?, [3, 6]);
/// assert_eq!(argrelextrema(&x, Extreme::Less, -1, 1)?[0].to_vec()?, [1, 5]);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "argrelmax")]
#[doc(alias = "argrelmin")]
#[track_caller]
pub fn argrelextrema<T: Ordered>(
    a: &DeviceArray<T>,
    how: Extreme,
    axis: isize,
    order: usize,
) -> Result<Vec<DeviceArray<i64>>> {
    let axis = axis_index("argrelextrema", axis, a.ndim())?;
    if order == 0 {
        return Err(Error::shape("argrelextrema: the order is 0, and an extreme has neighbours"));
    }
    let op = match how {
        Extreme::Greater => Op::Greater,
        Extreme::GreaterEqual => Op::GreaterEqual,
        Extreme::Less => Op::Less,
        Extreme::LessEqual => Op::LessEqual,
    };
    let mut all: Option<Arc<Node>> = None;
    for by in 1..=order.min(a.shape()[axis]) as i64 {
        for by in [by, -by] {
            let one = record::binary(op, a.node(), &shifted(a.node(), axis, by))?;
            all = Some(match all {
                None => one,
                Some(all) => record::binary(Op::LogicalAnd, &all, &one)?,
            });
        }
    }
    let none = || DeviceArray::<bool>::from_node(record::cast(a.node(), DType::Bool));
    all.map_or_else(none, DeviceArray::from_node).nonzero()
}
