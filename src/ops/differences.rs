//! Differences and integrals along an axis: what NumPy and SciPy make of neighbours.
//!
//! Where a function takes a spacing, a number is the distance of all neighbours, and an array holds
//! the coordinates of the elements.

use super::join::concat;
use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked, record};
use crate::dtype::{Inexact, Number, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, Node, View};
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// How [`gradient_with`](DeviceArray::gradient_with) estimates the slope at the ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeOrder {
    /// From two neighbours.
    #[default]
    First,
    /// From three neighbours: exact for parabolas.
    Second,
}

/// `len` positions of an axis from `start` on.
#[track_caller]
pub(super) fn part(a: &Arc<Node>, axis: usize, start: usize, len: usize) -> Arc<Node> {
    let mut view = View::identity(a.shape.len());
    view.0[axis] = AxisMap::affine(axis, start as i64, 1);
    let mut shape = a.shape.clone();
    shape[axis] = len;
    record::view(a, view, shape)
}

#[track_caller]
fn subtract(a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    record::binary(Op::Subtract, a, b)
}

#[track_caller]
fn add(a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    record::binary(Op::Add, a, b)
}

#[track_caller]
fn multiply(a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    record::binary(Op::Multiply, a, b)
}

#[track_caller]
fn divide(a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    record::binary(Op::Divide, a, b)
}

#[track_caller]
pub(super) fn times(a: &Arc<Node>, factor: f64) -> Result<Arc<Node>> {
    record::binary(Op::Multiply, a, record::number(a, factor))
}

/// The differences of neighbours along an axis.
#[track_caller]
fn difference(a: &Arc<Node>, axis: usize) -> Result<Arc<Node>> {
    let len = a.shape[axis].saturating_sub(1);
    let upper = part(a, axis, a.shape[axis].min(1), len);
    let lower = part(a, axis, 0, len);
    subtract(&upper, &lower)
}

/// The coordinates along an axis, in a shape that broadcasts against the array's.
#[track_caller]
pub(super) fn points(name: &str, a: &Arc<Node>, x: &Arc<Node>, axis: usize) -> Result<Arc<Node>> {
    if x.device.differs(a.device) {
        return Err(record::devices_differ(name, a.device, x.device));
    }
    if x.shape[..] == [a.shape[axis]] {
        let mut shape: Shape = a.shape.iter().map(|_| 1).collect();
        shape[axis] = a.shape[axis];
        return Ok(record::reshape(x, shape));
    }
    if x.shape == a.shape {
        return Ok(x.clone());
    }
    Err(Error::shape(format!(
        "{name}: coordinates of shape {:?} do not fit axis {axis} of shape {:?}",
        x.shape, a.shape
    )))
}

/// The areas between neighbours along an axis.
#[track_caller]
fn areas(name: &str, a: &Arc<Node>, spacing: Arg, axis: usize) -> Result<Arc<Node>> {
    let len = a.shape[axis].saturating_sub(1);
    let sum = add(&part(a, axis, a.shape[axis].min(1), len), &part(a, axis, 0, len))?;
    let whole = match spacing {
        Arg::Scalar(distance) => record::binary(Op::Multiply, &sum, distance)?,
        Arg::Node(x) => multiply(&difference(&points(name, a, &x, axis)?, axis)?, &sum)?,
    };
    times(&whole, 0.5)
}

/// `a·f(0) + b·f(1) + c·f(2)` of three parts of an axis, all of one length.
#[track_caller]
fn weighted(f: [&Arc<Node>; 3], weights: [&Arc<Node>; 3]) -> Result<Arc<Node>> {
    let sum = add(&multiply(f[0], weights[0])?, &multiply(f[1], weights[1])?)?;
    add(&sum, &multiply(f[2], weights[2])?)
}

/// The weights of three neighbours in the slope at one of them, for distances `p` and `q` between
/// them: the slope of the parabola through all three at the first, the second or the third.
#[track_caller]
fn weights(p: &Arc<Node>, q: &Arc<Node>, at: usize) -> Result<[Arc<Node>; 3]> {
    let both = add(p, q)?;
    let (first, middle, last) = (multiply(p, &both)?, multiply(p, q)?, multiply(q, &both)?);
    let negative = |a: &Arc<Node>| record::unary(Op::Negative, a);
    Ok(match at {
        0 => [
            negative(&divide(&add(p, &both)?, &first)?),
            divide(&both, &middle)?,
            negative(&divide(p, &last)?),
        ],
        1 => [negative(&divide(q, &first)?), divide(&subtract(q, p)?, &middle)?, divide(p, &last)?],
        _ => [
            divide(q, &first)?,
            negative(&divide(&both, &middle)?),
            divide(&add(q, &both)?, &last)?,
        ],
    })
}

/// The slope along an axis for one distance.
#[track_caller]
fn even_slope(a: &Arc<Node>, h: Scalar, axis: usize, edge: EdgeOrder) -> Result<Vec<Arc<Node>>> {
    let n = a.shape[axis];
    let over = |a: &Arc<Node>| record::binary(Op::Divide, a, h);
    let at = |k: usize| part(a, axis, k, 1);
    let inner = subtract(&part(a, axis, 2, n - 2), &part(a, axis, 0, n - 2))?;
    let inner = over(&times(&inner, 0.5)?)?;
    let (first, last) = match edge {
        EdgeOrder::First => (subtract(&at(1), &at(0))?, subtract(&at(n - 1), &at(n - 2))?),
        EdgeOrder::Second => {
            let of = |near: usize, middle: usize, far: usize, sign: f64| {
                let sum = add(&times(&at(near), -1.5 * sign)?, &times(&at(middle), 2.0 * sign)?)?;
                add(&sum, &times(&at(far), -0.5 * sign)?)
            };
            (of(0, 1, 2, 1.0)?, of(n - 1, n - 2, n - 3, -1.0)?)
        }
    };
    Ok(vec![over(&first)?, inner, over(&last)?])
}

/// The slope along an axis for coordinates.
#[track_caller]
fn uneven_slope(
    a: &Arc<Node>,
    x: &Arc<Node>,
    axis: usize,
    edge: EdgeOrder,
) -> Result<Vec<Arc<Node>>> {
    let n = a.shape[axis];
    let d = difference(x, axis)?;
    let (f, h) = (
        |k: usize, len: usize| part(a, axis, k, len),
        |k: usize, len: usize| part(&d, axis, k, len),
    );
    let [u, v, w] = weights(&h(0, n - 2), &h(1, n - 2), 1)?;
    let inner = weighted([&f(0, n - 2), &f(1, n - 2), &f(2, n - 2)], [&u, &v, &w])?;
    let (first, last) = match edge {
        EdgeOrder::First => (
            divide(&subtract(&f(1, 1), &f(0, 1))?, &h(0, 1))?,
            divide(&subtract(&f(n - 1, 1), &f(n - 2, 1))?, &h(n - 2, 1))?,
        ),
        EdgeOrder::Second => {
            let of = |k: usize, at: usize| {
                let [u, v, w] = weights(&h(k, 1), &h(k + 1, 1), at)?;
                weighted([&f(k, 1), &f(k + 1, 1), &f(k + 2, 1)], [&u, &v, &w])
            };
            (of(0, 0)?, of(n - 3, 2)?)
        }
    };
    Ok(vec![first, inner, last])
}

impl<T: Number> DeviceArray<T> {
    checked! {
        /// The differences between neighbours along an axis, taken `n` times, where `before` and
        /// `after` stand at the ends of the axis.
        ///
        /// **Shape.** The array's, the axis longer by what is put before and after and shorter by
        /// `n`; with an `n` of 0 nothing is put there, and the array is what it was. **Dtype.** The
        /// array's. NumPy: `diff` with `prepend` and `append`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 4, 9])?;
        /// let zero = DeviceArray::from_slice(&[0])?;
        /// assert_eq!(a.diff_with(1, 0, Some(&zero), None).to_vec()?, [1, 3, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn diff_with | try_diff_with(
            &self,
            n: usize,
            axis: isize,
            before: Option<&DeviceArray<T>>,
            after: Option<&DeviceArray<T>>,
        ) -> DeviceArray<T> {
            self.axis("diff", axis)?;
            if n == 0 {
                return Ok(self.clone());
            }
            let mut pieces = Vec::new();
            pieces.extend(before.map(|a| a.node().clone()));
            pieces.push(self.node().clone());
            pieces.extend(after.map(|a| a.node().clone()));
            let joined = match pieces.len() {
                1 => self.clone(),
                _ => DeviceArray::from_node(concat("diff", &pieces, axis)?),
            };
            joined.try_diff(n, axis)
        }

        /// The differences between neighbours among all elements in C order.
        ///
        /// **Shape.** One axis, shorter by 1 than there are elements. **Dtype.** The array's.
        /// NumPy: `ediff1d`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 4, 7])?;
        /// assert_eq!(a.ediff1d().to_vec()?, [1, 2, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn ediff1d | try_ediff1d(&self) -> DeviceArray<T> {
            let flat = record::reshape(self.node(), Shape::from_slice(&[self.len()]));
            difference(&flat, 0).map(DeviceArray::from_node)
        }

        /// The differences between neighbours among all elements in C order, between `before` and
        /// `after`, which are put there as they are.
        ///
        /// **Shape.** One axis. **Dtype.** The array's. NumPy: `ediff1d` with `to_begin` and
        /// `to_end`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2, 4])?;
        /// let end = DeviceArray::from_slice(&[-1, -2])?;
        /// assert_eq!(a.ediff1d_with(None, Some(&end)).to_vec()?, [1, 2, -1, -2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn ediff1d_with | try_ediff1d_with(
            &self,
            before: Option<&DeviceArray<T>>,
            after: Option<&DeviceArray<T>>,
        ) -> DeviceArray<T> {
            let flat = |a: &DeviceArray<T>| {
                record::reshape(a.node(), Shape::from_slice(&[a.len()]))
            };
            let mut pieces: Vec<Arc<Node>> = Vec::new();
            pieces.extend(before.map(flat));
            pieces.push(difference(&flat(self), 0)?);
            pieces.extend(after.map(flat));
            concat("ediff1d", &pieces, 0).map(DeviceArray::from_node)
        }
    }
}

impl<T: Inexact> DeviceArray<T> {
    checked! {
        /// The integral along an axis by the trapezoidal rule.
        ///
        /// **Shape.** The array's without the axis. **Dtype.** The array's. NumPy: `trapezoid`,
        /// with `dx` or `x` as the spacing.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1.0, 2.0, 3.0])?.trapezoid(2.0, 0).item()?, 8.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn trapezoid | try_trapezoid(&self, spacing: impl Operand<T>, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("trapezoid", axis)?;
            let areas = areas("trapezoid", self.node(), arg(spacing, self.device())?, axis)?;
            Ok(DeviceArray::from_node(record::reduce(Reduction::Sum, &areas, 1 << axis)))
        }

        /// The integrals along an axis up to each place, by the trapezoidal rule.
        ///
        /// **Shape.** The array's, the axis shorter by 1, or the array's where there is an
        /// `initial` value to put before. **Dtype.** The array's. SciPy: `cumulative_trapezoid`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, 3.0, 5.0])?;
        /// assert_eq!(a.cumulative_trapezoid(1.0, 0, None).to_vec()?, [2.0, 6.0]);
        /// assert_eq!(a.cumulative_trapezoid(1.0, 0, Some(0.0)).to_vec()?, [0.0, 2.0, 6.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cumulative_trapezoid | try_cumulative_trapezoid(
            &self,
            spacing: impl Operand<T>,
            axis: isize,
            initial: Option<T>,
        ) -> DeviceArray<T> {
            let (name, k) = ("cumulative_trapezoid", self.axis("cumulative_trapezoid", axis)?);
            if self.shape()[k] == 0 {
                return Err(Error::shape(format!("{name}: axis {k} of shape {:?} is empty", self.shape())));
            }
            let areas = areas(name, self.node(), arg(spacing, self.device())?, k)?;
            let sums = record::accumulate(Reduction::Sum, &areas, k, false, false);
            let Some(initial) = initial else { return Ok(DeviceArray::from_node(sums)) };
            let mut shape = sums.shape.clone();
            shape[k] = 1;
            let first = record::full(Scalar::new(initial), shape, self.device());
            concat(name, &[first, sums], axis).map(DeviceArray::from_node)
        }

        /// The slope along an axis: central differences, and differences of neighbours at the ends.
        ///
        /// **Shape, dtype.** The array's; the axis holds two elements at least. The spacing is a
        /// distance or coordinates with one axis. NumPy: `gradient` along one axis.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, 2.0, 4.0, 7.0])?;
        /// assert_eq!(a.gradient(1.0, 0).to_vec()?, [1.0, 1.5, 2.5, 3.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn gradient | try_gradient(&self, spacing: impl Operand<T>, axis: isize) -> DeviceArray<T> {
            self.try_gradient_with(spacing, axis, EdgeOrder::First)
        }

        /// The slope along an axis, with a choice of how it is estimated at the ends.
        ///
        /// **Shape, dtype.** As [`gradient`](Self::gradient); the axis holds three elements at
        /// least where the ends take three. NumPy: `gradient` with `edge_order`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let x = DeviceArray::from_slice(&[0.0, 1.0, 3.0, 4.0])?;
        /// let slope = (&x * &x).gradient_with(&x, 0, EdgeOrder::Second);
        /// assert!(slope.all_close(&(&x * 2.0)).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn gradient_with | try_gradient_with(
            &self,
            spacing: impl Operand<T>,
            axis: isize,
            edge: EdgeOrder,
        ) -> DeviceArray<T> {
            let k = self.axis("gradient", axis)?;
            let least = if edge == EdgeOrder::First { 2 } else { 3 };
            if self.shape()[k] < least {
                return Err(Error::shape(format!(
                    "gradient: axis {k} of shape {:?} needs {least} elements", self.shape()
                )));
            }
            let pieces = match arg(spacing, self.device())? {
                Arg::Scalar(h) => even_slope(self.node(), h, k, edge)?,
                Arg::Node(x) if x.shape.len() != 1 => {
                    return Err(Error::shape(format!(
                        "gradient: coordinates of shape {:?} have more than one axis", x.shape
                    )));
                }
                Arg::Node(x) => {
                    uneven_slope(self.node(), &points("gradient", self.node(), &x, k)?, k, edge)?
                }
            };
            concat("gradient", &pieces, axis).map(DeviceArray::from_node)
        }

        /// The slopes along every axis, for a distance of 1.
        ///
        /// **Shape, dtype.** As [`gradient`](Self::gradient), one array for each axis. NumPy:
        /// `gradient(a)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1.0, 2.0, 4.0, 8.0])?;
        /// let slopes = a.gradients();
        /// assert_eq!(slopes[0].to_vec()?, [3.0, 6.0, 3.0, 6.0]);
        /// assert_eq!(slopes[1].to_vec()?, [1.0, 1.0, 4.0, 4.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn gradients | try_gradients(&self) -> Vec<DeviceArray<T>> {
            (0..self.ndim() as isize).map(|axis| self.try_gradient(T::ONE, axis)).collect()
        }
    }
}
