//! Values with a period: phases that are unwrapped, and interpolation around a circle.

use super::join::concat;
use super::movement::replace_axis;
use crate::array::{DeviceArray, checked, record};
use crate::dtype::{Floating, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, Node, NodeOp, View};
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

/// All positions of an axis but one, from a first one on.
#[track_caller]
fn neighbours(a: &Arc<Node>, axis: usize, first: i64) -> Arc<Node> {
    replace_axis(a, axis, AxisMap::affine(axis, first, 1), a.shape[axis] - 1)
}

/// What has to be added to a difference of neighbours so that it is within half a period.
#[track_caller]
fn corrections(d: &Arc<Node>, period: f64, jump: f64) -> Result<Arc<Node>> {
    let with = |op, a: &Arc<Node>, b: f64| record::binary(op, a, record::number(a, b));
    let half = period / 2.0;
    let shifted = with(Op::Remainder, &with(Op::Add, d, half)?, period)?;
    let near = with(Op::Subtract, &shifted, half)?;
    // Half a period up stays up.
    let edge = with(Op::Equal, &near, -half)?;
    let up = record::binary(Op::LogicalAnd, &edge, &with(Op::Greater, d, 0.0)?)?;
    let near = record::select(&up, record::number(d, half), &near)?;
    let small = with(Op::Less, &record::unary(Op::Abs, d), jump)?;
    let correction = record::binary(Op::Subtract, &near, d)?;
    record::select(&small, record::number(d, 0.0), &correction)
}

/// The points of a line once around, in order, with one more on either side.
#[track_caller]
fn around(x: &Arc<Node>, period: f64) -> Result<Arc<Node>> {
    let end = |a: &Arc<Node>, k: usize, by: f64| -> Result<Arc<Node>> {
        let view = View(smallvec![AxisMap::affine(0, k as i64, 1)]);
        let one = record::view(a, view, smallvec![1]);
        record::binary(Op::Add, &one, record::number(a, by))
    };
    let n = x.shape[0];
    concat("interp_periodic", &[end(x, n - 1, -period)?, x.clone(), end(x, 0, period)?], 0)
}

impl<T: Floating> DeviceArray<T> {
    checked! {
        /// The array with jumps between neighbours along an axis made less than half a period, by
        /// adding multiples of the period to all that follows. Jumps below `least` are left; half a
        /// period where none is given.
        ///
        /// **Shape.** The array's. **Dtype.** The array's; halves are computed in `f32`. NumPy:
        /// `unwrap(a, discont, axis, period=…)`; its period is 2π by default.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[0.0, 1.0, 2.0, -1.0, 0.0])?;
        /// assert_eq!(a.unwrap_phase(0, 4.0, None).to_vec()?, [0.0, 1.0, 2.0, 3.0, 4.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn unwrap_phase | try_unwrap_phase(&self, axis: isize, period: T, least: Option<T>) -> DeviceArray<T> {
            let axis = self.axis("unwrap_phase", axis)?;
            let period = period.to_f64();
            if self.shape()[axis] < 2 {
                return Ok(self.clone());
            }
            let wide = record::cast(self.node(), T::DTYPE.compute());
            let mut before = Shape::from_elem(0, self.ndim());
            before[axis] = 1;
            // The first element has no neighbour, and no correction.
            let behind = neighbours(&wide, axis, 1);
            let front = neighbours(&wide, axis, 0);
            let differences = record::binary(Op::Subtract, &behind, &front)?;
            let jump = least.map_or(period / 2.0, T::to_f64).max(period / 2.0);
            let corrections = corrections(&differences, period, jump)?;
            let zero = Arg::Scalar(record::number(&corrections, 0.0));
            let op = NodeOp::Pad { before: before.into_iter().collect() };
            let shape = self.node().shape.clone();
            let steps = record::record(op, smallvec![Arg::from(&corrections), zero], shape, wide.dtype, wide.device);
            let total = record::accumulate(Reduction::Sum, &steps, axis, false, false);
            let unwrapped = record::binary(Op::Add, &wide, &total)?;
            Ok(DeviceArray::from_node(record::cast(&unwrapped, T::DTYPE)))
        }

        /// The values at this array's elements of the line through points with coordinates `x` around
        /// a circle, which need not rise, and values `y`.
        ///
        /// **Shape.** The array's. **Dtype.** The array's. NumPy: `interp(a, x, y, period=period)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let (x, y) = (DeviceArray::from_slice(&[190.0, 10.0])?, DeviceArray::from_slice(&[0.0, 18.0])?);
        /// let a = DeviceArray::from_slice(&[-120.0, 460.0])?;
        /// assert_eq!(a.interp_periodic(&x, &y, 360.0).to_vec()?, [5.0, 9.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn interp_periodic | try_interp_periodic(
            &self,
            x: &DeviceArray<T>,
            y: &DeviceArray<T>,
            period: T,
        ) -> DeviceArray<T> {
            let length = period.to_f64().abs();
            if length == 0.0 || length.is_nan() || x.ndim() != 1 || y.shape() != x.shape() || x.is_empty() {
                let (x, y) = (x.shape(), y.shape());
                return Err(Error::shape(format!(
                    "interp_periodic: points of shapes {x:?} and {y:?} with period {length}"
                )));
            }
            let period = Scalar::new(T::from_f64(length));
            let within = |a: &DeviceArray<T>| {
                record::binary(Op::Remainder, a.node(), period).map(DeviceArray::<T>::from_node)
            };
            let x = within(x)?;
            let order = x.try_argsort(0)?;
            let (x, y) = (x.try_take(&order, 0)?, y.try_take(&order, 0)?);
            let (x, y) = (around(x.node(), length)?, around(y.node(), 0.0)?);
            let (x, y) = (DeviceArray::from_node(x), DeviceArray::from_node(y));
            within(self)?.try_interp(&x, &y)
        }
    }
}
