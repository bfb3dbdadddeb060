//! Medians and quantiles.

use super::nodes::{self, Gives};
use crate::array::args::AxisSet;
use crate::array::{Axes, DeviceArray, checked, record};
use crate::dtype::{DType, Element, Real, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::ops::movement::insert_axis;
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// What a quantile is that lies between two elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// On the straight line between them, as far along as the quantile is.
    #[default]
    Linear,
    /// The smaller one.
    Lower,
    /// The larger one.
    Higher,
    /// The nearer one; halfway, the one at an even position.
    Nearest,
    /// Halfway between them.
    Midpoint,
}

/// Where a quantile stands among sorted elements.
struct Between {
    below: usize,
    part: f64,
}

impl Interpolation {
    /// The place of a quantile among `n` elements.
    fn place(self, q: f64, n: usize) -> Between {
        let exact = q * (n - 1) as f64;
        let place = match self {
            Interpolation::Linear => exact,
            Interpolation::Lower => exact.floor(),
            Interpolation::Higher => exact.ceil(),
            Interpolation::Nearest => exact.round_ties_even(),
            Interpolation::Midpoint if exact.fract() > 0.0 => exact.floor() + 0.5,
            Interpolation::Midpoint => exact,
        };
        Between { below: (place.floor() as usize).min(n - 1), part: place.fract() }
    }

    /// The same for places that the device has computed, in `f64`.
    #[track_caller]
    fn of_places(self, exact: &Arc<Node>) -> Result<Arc<Node>> {
        Ok(match self {
            Interpolation::Linear => exact.clone(),
            Interpolation::Lower => record::unary(Op::Floor, exact),
            Interpolation::Higher => record::unary(Op::Ceil, exact),
            Interpolation::Nearest => record::unary(Op::Rint, exact),
            Interpolation::Midpoint => {
                let ends = record::binary(
                    Op::Add,
                    &record::unary(Op::Floor, exact),
                    &record::unary(Op::Ceil, exact),
                )?;
                record::binary(Op::Multiply, &ends, Scalar::new(0.5f64))?
            }
        })
    }
}

/// The rows to take quantiles of, sorted, and their shape.
#[track_caller]
fn sorted<T: Element>(a: &DeviceArray<T>, axes: AxisSet) -> Result<(Arc<Node>, Shape)> {
    let (rows, rest) = nodes::gathered(a.node(), axes.mask);
    Ok((nodes::sort(&rows, rest.len(), false, Gives::Elements)?, rest))
}

/// The shape of a result: that of the rows, or with the axes kept.
fn result_shape(a: &Arc<Node>, axes: AxisSet) -> Shape {
    let length = |k: usize| if axes.contains(k) { 1 } else { a.shape[k] };
    (0..a.shape.len()).filter(|&k| axes.keep || !axes.contains(k)).map(length).collect()
}

/// The type in which a mean of elements is computed.
#[track_caller]
fn wide<T: Element>(a: &Arc<Node>) -> Arc<Node> {
    record::cast(a, T::Mean::DTYPE.compute())
}

/// Between two values: exact at both ends, and where both are the same infinity.
#[track_caller]
fn lerp(low: &Arc<Node>, high: &Arc<Node>, part: f64) -> Result<Arc<Node>> {
    let difference = record::binary(Op::Subtract, high, low)?;
    let scaled = |by: f64| record::binary(Op::Multiply, &difference, record::number(low, by));
    let between = match part < 0.5 {
        true => record::binary(Op::Add, low, &scaled(part)?)?,
        false => record::binary(Op::Subtract, high, &scaled(1.0 - part)?)?,
    };
    record::select(&record::binary(Op::Equal, low, high)?, low, &between)
}

/// One quantile of sorted rows; NaN where a row holds one.
#[track_caller]
fn one<T: Element>(rows: &Arc<Node>, q: f64, how: Interpolation) -> Result<Arc<Node>> {
    let axis = rows.shape.len() - 1;
    let n = rows.shape[axis];
    let place = how.place(q, n);
    let low = wide::<T>(&nodes::at(rows, axis, place.below));
    let value = match place.part > 0.0 {
        true => lerp(&low, &wide::<T>(&nodes::at(rows, axis, place.below + 1)), place.part)?,
        false => low,
    };
    nan_where_last_is(rows, &value)
}

/// NaN where the last element of a sorted row is one.
#[track_caller]
fn nan_where_last_is(rows: &Arc<Node>, value: &Arc<Node>) -> Result<Arc<Node>> {
    if !rows.dtype.is_float() {
        return Ok(value.clone());
    }
    let axis = rows.shape.len() - 1;
    let last = record::unary(Op::IsNan, &nodes::at(rows, axis, rows.shape[axis] - 1));
    record::select(&last, record::number(value, f64::NAN), value)
}

/// One quantile of what is not NaN in sorted rows; NaN where nothing is left.
#[track_caller]
fn one_of_numbers<T: Element>(rows: &Arc<Node>, q: f64, how: Interpolation) -> Result<Arc<Node>> {
    if !rows.dtype.is_float() {
        return one::<T>(rows, q, how);
    }
    let Neighbours { low, high, part } = neighbours::<T>(rows, q, how)?;
    let difference = record::binary(Op::Subtract, &high, &low)?;
    let rest = record::binary(Op::Subtract, record::number(&part, 1.0), &part)?;
    let up = record::binary(Op::Add, &low, &record::binary(Op::Multiply, &difference, &part)?)?;
    let down =
        record::binary(Op::Subtract, &high, &record::binary(Op::Multiply, &difference, &rest)?)?;
    let half = record::number(&part, 0.5);
    let between = record::select(&record::binary(Op::Less, &part, half)?, &up, &down)?;
    let whole = record::binary(Op::Equal, &part, record::number(&part, 0.0))?;
    let same = record::binary(Op::Equal, &low, &high)?;
    let exact = record::binary(Op::LogicalOr, &whole, &same)?;
    record::select(&exact, &low, &between)
}

/// The middle one of sorted rows without NaN, or the mean of the two in the middle.
#[track_caller]
fn middle<T: Element>(rows: &Arc<Node>) -> Result<Arc<Node>> {
    let axis = rows.shape.len() - 1;
    let n = rows.shape[axis];
    let high = wide::<T>(&nodes::at(rows, axis, n / 2));
    match n % 2 {
        1 => Ok(high),
        _ => mean_of_two(&wide::<T>(&nodes::at(rows, axis, n / 2 - 1)), &high),
    }
}

/// The same of what is not NaN; NaN where nothing is left.
#[track_caller]
fn middle_of_numbers<T: Element>(rows: &Arc<Node>) -> Result<Arc<Node>> {
    if !rows.dtype.is_float() {
        return middle::<T>(rows);
    }
    let Neighbours { low, high, part } = neighbours::<T>(rows, 0.5, Interpolation::Linear)?;
    let whole = record::binary(Op::Equal, &part, record::number(&part, 0.0))?;
    record::select(&whole, &low, &mean_of_two(&low, &high)?)
}

#[track_caller]
fn mean_of_two(low: &Arc<Node>, high: &Arc<Node>) -> Result<Arc<Node>> {
    let sum = record::binary(Op::Add, low, high)?;
    record::binary(Op::Divide, &sum, record::number(&sum, 2.0))
}

/// The elements between which a quantile lies, and how far along.
struct Neighbours {
    low: Arc<Node>,
    high: Arc<Node>,
    part: Arc<Node>,
}

/// Of what is not NaN in sorted rows of floating-point numbers.
fn neighbours<T: Element>(rows: &Arc<Node>, q: f64, how: Interpolation) -> Result<Neighbours> {
    let axis = rows.shape.len() - 1;
    let numbers = record::unary(Op::LogicalNot, &record::unary(Op::IsNan, rows));
    let numbers = record::cast(&numbers, DType::F64);
    let last = record::reduce(Reduction::Sum, &numbers, 1 << axis);
    let last = record::binary(Op::Subtract, &last, Scalar::new(1.0f64))?;
    let last = record::binary(Op::Maximum, &last, Scalar::new(0.0f64))?;
    let exact = record::binary(Op::Multiply, &last, Scalar::new(q))?;
    let place = how.of_places(&exact)?;
    let below = record::unary(Op::Floor, &place);
    let above = record::binary(Op::Add, &below, Scalar::new(1.0f64))?;
    let above = record::binary(Op::Minimum, &above, &last)?;
    let part = record::cast(&record::binary(Op::Subtract, &place, &below)?, wide_type::<T>());
    let at = |place: &Arc<Node>| {
        let position = insert_axis(&record::cast(place, DType::I64), axis);
        wide::<T>(&nodes::at(&nodes::take_along(rows, &position, axis), axis, 0))
    };
    Ok(Neighbours { low: at(&below), high: at(&above), part })
}

fn wide_type<T: Element>() -> DType {
    T::Mean::DTYPE.compute()
}

/// Quantiles under a shape; all of them NaN where there are no elements.
#[track_caller]
fn shaped<T: Element>(
    a: &DeviceArray<T>,
    axes: AxisSet,
    of_rows: impl FnOnce(&Arc<Node>) -> Result<Arc<Node>>,
) -> Result<DeviceArray<T::Mean>> {
    let shape = result_shape(a.node(), axes);
    if axes.len(a.shape()) == 0 || crate::shape::len(&shape) == 0 {
        let nan = Scalar::from_f64(T::Mean::DTYPE, f64::NAN);
        return Ok(DeviceArray::from_node(record::full(nan, shape, a.device())));
    }
    let (rows, _) = sorted(a, axes)?;
    let result = record::cast(&of_rows(&rows)?, T::Mean::DTYPE);
    Ok(DeviceArray::from_node(record::reshape(&result, shape)))
}

fn check(name: &str, q: f64) -> Result<()> {
    match (0.0..=1.0).contains(&q) {
        true => Ok(()),
        false => Err(Error::shape(format!("{name}: the quantile {q} is not between 0 and 1"))),
    }
}

impl<T: Real> DeviceArray<T> {
    checked! {
        /// The middle element over the axes, or the mean of the two in the middle; NaN where
        /// there is a NaN.
        ///
        /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** Floating-point
        /// types keep theirs, integers give `f64`; halves are computed in `f32`. NumPy: `median`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![4i32, 1, 2, 9])?;
        /// assert_eq!(a.median(..).item()?, 3.0);
        /// assert_eq!(a.median(1).to_vec()?, [2.5, 5.5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn median | try_median(&self, axes: impl Axes) -> DeviceArray<T::Mean> {
            let axes = self.axes("median", axes)?;
            shaped(self, axes, |rows| nan_where_last_is(rows, &middle::<T>(rows)?))
        }

        /// The quantile `q`, from 0 to 1, of the elements over the axes, on the line between its
        /// two neighbours; NaN where there is a NaN.
        ///
        /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
        /// [`median`](Self::median). Two equal infinities give that infinity, where NumPy gives
        /// NaN.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[4.0f64, 1.0, 2.0])?;
        /// assert_eq!(a.quantile(0.25, 0).item()?, 1.5);
        /// # Ok::<(), Error>(())
        /// ```
        fn quantile | try_quantile(&self, q: f64, axes: impl Axes) -> DeviceArray<T::Mean> {
            self.try_quantile_by(q, axes, Interpolation::Linear)
        }

        /// The quantile `q`, with a choice of what it is between two elements.
        ///
        /// **Shape.**, **Dtype.** As [`quantile`](Self::quantile). NumPy: `quantile(method=…)`,
        /// of whose methods these are the five that NumPy had first.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[4i32, 1, 2])?;
        /// assert_eq!(a.quantile_by(0.6, 0, lazuli::Interpolation::Higher).item()?, 4.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn quantile_by | try_quantile_by(
            &self,
            q: f64,
            axes: impl Axes,
            how: Interpolation,
        ) -> DeviceArray<T::Mean> {
            let axes = self.axes("quantile", axes)?;
            check("quantile", q)?;
            shaped(self, axes, |rows| one::<T>(rows, q, how))
        }

        /// Several quantiles of the elements over the axes, which are sorted once.
        ///
        /// **Shape.** One axis for the quantiles, then as [`quantile`](Self::quantile). **Dtype.**
        /// As there. NumPy: `quantile` with a list.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::arange_to(101.0);
        /// assert_eq!(a.quantiles(&[0.05, 0.5, 0.95], 0).to_vec()?, [5.0, 50.0, 95.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn quantiles | try_quantiles(&self, q: &[f64], axes: impl Axes) -> DeviceArray<T::Mean> {
            let axes = self.axes("quantiles", axes)?;
            q.iter().try_for_each(|&q| check("quantiles", q))?;
            if q.is_empty() {
                let mut shape = result_shape(self.node(), axes);
                shape.insert(0, 0);
                let zero = Scalar::from_f64(T::Mean::DTYPE, 0.0);
                return Ok(DeviceArray::from_node(record::full(zero, shape, self.device())));
            }
            let (rows, some) = match axes.len(self.shape()) {
                0 => (self.node().clone(), false),
                _ => (sorted(self, axes)?.0, !self.is_empty()),
            };
            let shape = result_shape(self.node(), axes);
            let one = |&q: &f64| -> Result<DeviceArray<T::Mean>> {
                let node = match some {
                    true => one::<T>(&rows, q, Interpolation::Linear)?,
                    false => {
                        let nan = Scalar::from_f64(T::Mean::DTYPE, f64::NAN);
                        record::full(nan, shape.clone(), self.device())
                    }
                };
                let node = record::cast(&node, T::Mean::DTYPE);
                Ok(DeviceArray::from_node(record::reshape(&node, shape.clone())))
            };
            let all: Result<Vec<_>> = q.iter().map(one).collect();
            crate::try_stack(&all?, 0)
        }

        /// The percentile `p`, from 0 to 100: the [`quantile`](Self::quantile) of a hundredth of
        /// it.
        ///
        /// **Shape.**, **Dtype.** As there. NumPy: `percentile`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0])?;
        /// assert_eq!(a.percentile(50.0, 0).item()?, 2.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn percentile | try_percentile(&self, p: f64, axes: impl Axes) -> DeviceArray<T::Mean> {
            let axes = self.axes("percentile", axes)?;
            if !(0.0..=100.0).contains(&p) {
                let what = format!("percentile: the percentile {p} is not between 0 and 100");
                return Err(Error::shape(what));
            }
            shaped(self, axes, |rows| one::<T>(rows, p / 100.0, Interpolation::Linear))
        }

        /// The median of what is not NaN; NaN where nothing is left.
        ///
        /// **Shape.**, **Dtype.** As [`median`](Self::median). NumPy: `nanmedian`.
        #[doc(alias = "nanmedian")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[f64::NAN, 3.0, 1.0])?;
        /// assert_eq!(a.nan_median(0).item()?, 2.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_median | try_nan_median(&self, axes: impl Axes) -> DeviceArray<T::Mean> {
            let axes = self.axes("nan_median", axes)?;
            shaped(self, axes, middle_of_numbers::<T>)
        }

        /// The quantile `q` of what is not NaN; NaN where nothing is left.
        ///
        /// **Shape.**, **Dtype.** As [`quantile`](Self::quantile). NumPy: `nanquantile`.
        #[doc(alias = "nanquantile")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[f64::NAN, 3.0, 1.0])?;
        /// assert_eq!(a.nan_quantile(0.25, 0).item()?, 1.5);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_quantile | try_nan_quantile(&self, q: f64, axes: impl Axes) -> DeviceArray<T::Mean> {
            self.try_nan_quantile_by(q, axes, Interpolation::Linear)
        }

        /// The quantile `q` of what is not NaN, with a choice of what it is between two elements.
        ///
        /// **Shape.**, **Dtype.** As [`quantile`](Self::quantile). NumPy: `nanquantile(method=…)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[f64::NAN, 3.0, 1.0])?;
        /// let lower = lazuli::Interpolation::Lower;
        /// assert_eq!(a.nan_quantile_by(0.5, 0, lower).item()?, 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_quantile_by | try_nan_quantile_by(
            &self,
            q: f64,
            axes: impl Axes,
            how: Interpolation,
        ) -> DeviceArray<T::Mean> {
            let axes = self.axes("nan_quantile", axes)?;
            check("nan_quantile", q)?;
            shaped(self, axes, |rows| one_of_numbers::<T>(rows, q, how))
        }
    }
}
