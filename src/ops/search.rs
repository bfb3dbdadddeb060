//! Places in sorted arrays, and what is read between them.

use super::sorting::counts_from_start;
use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked, record};
use crate::dtype::{Floating, Ordered, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, Node, NodeOp, sharding};
use crate::shape::Shape;
use crate::table::Op;
use smallvec::smallvec;
use std::sync::Arc;

/// Which place [`searchsorted`](DeviceArray::searchsorted) gives among elements that are equal to
/// the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Before the first of them.
    #[default]
    Left,
    /// After the last of them.
    Right,
}

/// The elements at positions that are held within the only axis.
#[track_caller]
pub(super) fn taken(from: &Arc<Node>, at: &Arc<Node>) -> Arc<Node> {
    let args: Args = smallvec![Arg::from(from), Arg::from(at)];
    let op = NodeOp::Take { axis: 0, from_start: counts_from_start(at) };
    record::record(op, args, at.shape.clone(), from.dtype, from.device)
}

/// `a < b` where NaN is greater than every number.
#[track_caller]
fn less(a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    let less = record::binary(Op::Less, a, b)?;
    if !a.dtype.is_float() {
        return Ok(less);
    }
    let number = record::binary(Op::Equal, a, a)?;
    let nan = record::binary(Op::NotEqual, b, b)?;
    record::binary(Op::LogicalOr, &less, &record::binary(Op::LogicalAnd, &number, &nan)?)
}

/// The number of elements of a sorted array that lie before each value: a binary search without
/// branches, one step for each bit of the length, so that kernels differ by that alone.
#[track_caller]
pub(super) fn places(sorted: &Arc<Node>, values: &Arc<Node>, side: Side) -> Result<Arc<Node>> {
    let n = sorted.shape[0] as i64;
    let zero = Scalar::new(0i64);
    let place = record::full(zero, values.shape.clone(), values.device);
    let mut place = sharding::lying_as(&place, values);
    let mut step = if n == 0 { 0 } else { 1i64 << n.ilog2() };
    while step > 0 {
        let probe = record::binary(Op::Add, &place, Scalar::new(step - 1))?;
        let element = taken(sorted, &probe);
        let before = match side {
            Side::Left => less(&element, values)?,
            Side::Right => record::unary(Op::LogicalNot, &less(values, &element)?),
        };
        // Beyond the end a probe reads the last element, which does not count again.
        let inside = record::binary(Op::LessEqual, &place, Scalar::new(n - step))?;
        let goes = record::binary(Op::LogicalAnd, &before, &inside)?;
        let next = record::binary(Op::Add, &place, Scalar::new(step))?;
        place = record::select(&goes, &next, &place)?;
        step /= 2;
    }
    Ok(place)
}

/// Checks that an array has one axis and lives where the values do.
fn check_line<T: Ordered>(
    name: &str,
    what: &str,
    a: &DeviceArray<T>,
    values: &DeviceArray<T>,
) -> Result<()> {
    if a.ndim() != 1 {
        return Err(Error::shape(format!(
            "{name}: {what} of shape {:?} have not one axis",
            a.shape()
        )));
    }
    if a.device().differs(values.device()) {
        return Err(record::devices_differ(name, a.device(), values.device()));
    }
    Ok(())
}

/// The values of an operand, where it is a scalar as an array without axes beside `a`.
#[track_caller]
fn values_of<T: Ordered>(a: &DeviceArray<T>, values: impl Operand<T>) -> Result<DeviceArray<T>> {
    Ok(DeviceArray::from_node(match arg(values, a.device())? {
        Arg::Node(values) => values,
        Arg::Scalar(value) => record::full(value, Shape::new(), a.device()),
    }))
}

/// Whether host values rise or fall, equal neighbours allowed, where NaN is greater than every
/// number.
fn is_monotonic<T: PartialOrd>(values: &[T]) -> (bool, bool) {
    let is_nan = |a: &T| a.partial_cmp(a).is_none();
    let rises = |w: &[T]| w[0] <= w[1] || is_nan(&w[1]);
    let falls = |w: &[T]| w[0] >= w[1] || is_nan(&w[0]);
    (values.windows(2).all(rises), values.windows(2).all(falls))
}

impl<T: Ordered> DeviceArray<T> {
    checked! {
        /// The places in this sorted array at which values would have to be put to keep it sorted:
        /// those of an array, or the place of one value.
        ///
        /// **Shape.** The values', no axes for one value. **Dtype.** `i64`. NaN goes last, as when sorting. The array has
        /// one axis and is not checked to be sorted; where it is not, places mean nothing, but none
        /// is out of range. One kernel, which fuses with what makes the values and what uses the
        /// places. NumPy: `searchsorted`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2, 2, 5])?;
        /// let values = DeviceArray::from_slice(&[2, 0, 9])?;
        /// assert_eq!(a.searchsorted(&values, Side::Left).to_vec()?, [1, 0, 4]);
        /// assert_eq!(a.searchsorted(&values, Side::Right).to_vec()?, [3, 0, 4]);
        /// assert_eq!(a.searchsorted(2, Side::Right).item()?, 3);
        /// # Ok::<(), Error>(())
        /// ```
        fn searchsorted | try_searchsorted(&self, values: impl Operand<T>, side: Side) -> DeviceArray<i64> {
            let values = values_of(self, values)?;
            check_line("searchsorted", "sorted elements", self, &values)?;
            places(self.node(), values.node(), side).map(DeviceArray::from_node)
        }

        /// The same for an array that is sorted when it is read in the order of `sorter`, as
        /// `argsort` gives it.
        ///
        /// **Shape.** The values'. **Dtype.** `i64`. NumPy: `searchsorted` with `sorter`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[5, 1, 2])?;
        /// let order = DeviceArray::from_slice(&[1i64, 2, 0])?;
        /// let values = DeviceArray::from_slice(&[2, 7])?;
        /// assert_eq!(a.searchsorted_by(&order, &values, Side::Left).to_vec()?, [1, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn searchsorted_by | try_searchsorted_by(
            &self,
            sorter: &DeviceArray<i64>,
            values: impl Operand<T>,
            side: Side,
        ) -> DeviceArray<i64> {
            let values = values_of(self, values)?;
            check_line("searchsorted", "sorted elements", self, &values)?;
            if sorter.shape() != self.shape() {
                return Err(Error::shape(format!(
                    "searchsorted: a sorter of shape {:?} for elements of shape {:?}",
                    sorter.shape(), self.shape()
                )));
            }
            self.try_take(sorter, 0)?.try_searchsorted(values, side)
        }
    }

    /// The number of the bin that each element falls into: 0 before the first bound, the number of
    /// bounds after the last. A bin holds its lower bound, or its upper one where `right` is true.
    /// Bounds may fall instead of rising, and bins are then counted from the other end. NaN is
    /// greater than every number, as when sorting: among the elements it lies behind all bounds
    /// that rise, and among these it is the last.
    ///
    /// **Shape.** The array's. **Dtype.** `i64`.
    ///
    /// **Laziness.** Evaluates and reads the bounds, to see which way they go; records the rest.
    /// NumPy: `digitize`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the bounds have not one axis, or neither rise nor fall;
    /// [`Error::is_device`] where they live on another device; what their evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.2, 6.4, 3.0])?;
    /// let bounds = DeviceArray::from_slice(&[0.0, 1.0, 3.0, 10.0])?;
    /// assert_eq!(a.digitize(&bounds, false)?.to_vec()?, [1, 3, 3]);
    /// assert_eq!(a.digitize(&bounds, true)?.to_vec()?, [1, 3, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn digitize(&self, bounds: &DeviceArray<T>, right: bool) -> Result<DeviceArray<i64>> {
        let find = || {
            check_line("digitize", "bounds", bounds, self)?;
            let side = if right { Side::Left } else { Side::Right };
            match is_monotonic(&bounds.to_vec()?) {
                (true, _) => bounds.try_searchsorted(self, side),
                (_, true) => {
                    let from_end = bounds.try_flip(0)?.try_searchsorted(self, side)?;
                    Ok(bounds.len() as i64 - from_end)
                }
                _ => Err(Error::shape("digitize: the bounds neither rise nor fall".to_string())),
            }
        };
        crate::array::located(crate::array::recorded(find))
    }
}

/// What [`interp`](DeviceArray::interp) gives outside of the points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outside<T> {
    /// Below the first point; the first point's value where there is none.
    pub left: Option<T>,
    /// Above the last point; the last point's value where there is none.
    pub right: Option<T>,
}

impl<T: Floating> DeviceArray<T> {
    checked! {
        /// The values at this array's elements of the line through points with coordinates `x`,
        /// which rise, and values `y`.
        ///
        /// **Shape.** The array's. **Dtype.** The array's. NaN gives NaN. The points have one axis
        /// and are not checked to rise. NumPy: `interp(a, x, y)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let x = DeviceArray::from_slice(&[1.0, 2.0, 4.0])?;
        /// let y = DeviceArray::from_slice(&[3.0, 2.0, 0.0])?;
        /// let a = DeviceArray::from_slice(&[0.0, 1.5, 3.0, 9.0])?;
        /// assert_eq!(a.interp(&x, &y).to_vec()?, [3.0, 2.5, 1.0, 0.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn interp | try_interp(&self, x: &DeviceArray<T>, y: &DeviceArray<T>) -> DeviceArray<T> {
            self.try_interp_with(x, y, Outside::default())
        }

        /// The same with values for what lies outside of the points.
        ///
        /// **Shape, dtype.** As [`interp`](Self::interp). NumPy: `interp` with `left` and `right`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let x = DeviceArray::from_slice(&[1.0, 2.0])?;
        /// let a = DeviceArray::from_slice(&[0.0, 1.5, 9.0])?;
        /// let outside = Outside { left: Some(-1.0), right: None };
        /// assert_eq!(a.interp_with(&x, &x, outside).to_vec()?, [-1.0, 1.5, 2.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn interp_with | try_interp_with(
            &self,
            x: &DeviceArray<T>,
            y: &DeviceArray<T>,
            outside: Outside<T>,
        ) -> DeviceArray<T> {
            check_line("interp", "coordinates", x, self)?;
            check_line("interp", "values", y, self)?;
            if x.len() != y.len() || x.is_empty() {
                return Err(Error::shape(format!(
                    "interp: points with {} coordinates and {} values", x.len(), y.len()
                )));
            }
            line(self.node(), x.node(), y.node(), outside).map(DeviceArray::from_node)
        }
    }
}

/// The line through points, at each element.
#[track_caller]
fn line<T: Floating>(
    a: &Arc<Node>,
    x: &Arc<Node>,
    y: &Arc<Node>,
    outside: Outside<T>,
) -> Result<Arc<Node>> {
    let (last, i64s) = (x.shape[0] as i64 - 1, |v: i64| Scalar::new(v));
    let after = places(x, a, Side::Right)?;
    // The point before each element, and the next one; at the last point both are the last.
    let low = record::binary(Op::Subtract, &after, i64s(1))?;
    let low = record::binary(Op::Maximum, &low, i64s(0))?;
    let high = record::binary(Op::Minimum, &record::binary(Op::Add, &low, i64s(1))?, i64s(last))?;
    let (x0, x1) = (taken(x, &low), taken(x, &high));
    let (y0, y1) = (taken(y, &low), taken(y, &high));
    let slope = record::binary(
        Op::Divide,
        &record::binary(Op::Subtract, &y1, &y0)?,
        &record::binary(Op::Subtract, &x1, &x0)?,
    )?;
    let from = |x: &Arc<Node>, y: &Arc<Node>| -> Result<Arc<Node>> {
        let distance = record::binary(Op::Subtract, a, x)?;
        record::binary(Op::Add, &record::binary(Op::Multiply, &slope, &distance)?, y)
    };
    // Infinite points make NaN of one side where the other may have a value.
    let value = from(&x0, &y0)?;
    let is_nan = |a: &Arc<Node>| record::unary(Op::IsNan, a);
    let other = from(&x1, &y1)?;
    let flat = record::binary(Op::Equal, &y0, &y1)?;
    let other =
        record::select(&record::binary(Op::LogicalAnd, &is_nan(&other), &flat)?, &y0, &other)?;
    let value = record::select(&is_nan(&value), &other, &value)?;
    let exact = record::binary(Op::Equal, a, &x0)?;
    let value = record::select(&exact, &y0, &value)?;
    let end = |k: i64| taken_at(x, k).and_then(|x| Ok((x, taken_at(y, k)?)));
    let ((first_x, first_y), (last_x, last_y)) = (end(0)?, end(last)?);
    let given = |value: Option<T>, own: Arc<Node>| match value {
        Some(value) => Arg::Scalar(Scalar::new(value)),
        None => Arg::Node(own),
    };
    let below = record::binary(Op::Less, a, &first_x)?;
    let value = record::select(&below, given(outside.left, first_y), &value)?;
    let above = record::binary(Op::Greater, a, &last_x)?;
    let value = record::select(&above, given(outside.right, last_y), &value)?;
    record::select(&is_nan(a), a, &value)
}

/// One element, without axes.
#[track_caller]
fn taken_at(from: &Arc<Node>, at: i64) -> Result<Arc<Node>> {
    use crate::graph::{AxisMap, View};
    let view = View(smallvec![AxisMap::fixed(at)]);
    debug_assert_eq!(from.shape.len(), 1);
    Ok(record::view(from, view, Shape::new()))
}
