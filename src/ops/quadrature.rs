//! Integrals along an axis by parabolas and by extrapolation: what `scipy.integrate` makes of samples.
//!
//! A spacing is a number, the distance of all neighbours, or an array of the coordinates.

use super::differences::{part, points, times};
use super::join::concat;
use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked, record};
use crate::dtype::{Inexact, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, View};
use crate::shape::Shape;
use crate::table::Reduction;

/// Every `step`th position of an axis from `start` on, so many.
#[track_caller]
fn every<T: Inexact>(
    a: &DeviceArray<T>,
    axis: usize,
    start: usize,
    step: usize,
    count: usize,
) -> DeviceArray<T> {
    let a = a.node();
    let mut view = View::identity(a.shape.len());
    view.0[axis] = AxisMap::affine(axis, start as i64, step as i64);
    let mut shape = a.shape.clone();
    shape[axis] = count;
    DeviceArray::from_node(record::view(a, view, shape))
}

#[track_caller]
fn scaled<T: Inexact>(a: &DeviceArray<T>, by: f64) -> Result<DeviceArray<T>> {
    times(a.node(), by).map(DeviceArray::from_node)
}

/// A quotient, zero where the divisor is.
#[track_caller]
fn over<T: Inexact>(a: &DeviceArray<T>, b: &DeviceArray<T>) -> DeviceArray<T> {
    b.equal(T::ZERO).select(T::ZERO, a / b)
}

/// What stands for the distances along an axis: one of all, or coordinates.
enum Spacing<T: Inexact> {
    Even(DeviceArray<T>),
    Points(DeviceArray<T>),
}

impl<T: Inexact> Spacing<T> {
    #[track_caller]
    fn new(
        name: &str,
        a: &DeviceArray<T>,
        spacing: impl Operand<T>,
        axis: usize,
    ) -> Result<Spacing<T>> {
        Ok(match arg(spacing, a.device())? {
            Arg::Scalar(distance) => Spacing::Even(DeviceArray::from_node(record::full(
                distance,
                Shape::new(),
                a.device(),
            ))),
            Arg::Node(x) => {
                Spacing::Points(DeviceArray::from_node(points(name, a.node(), &x, axis)?))
            }
        })
    }

    /// The distances from each of `count` positions, `step` apart, to the next.
    #[track_caller]
    fn distances(&self, axis: usize, start: usize, step: usize, count: usize) -> DeviceArray<T> {
        match self {
            Spacing::Even(distance) => distance.clone(),
            Spacing::Points(x) => {
                every(x, axis, start + 1, step, count) - every(x, axis, start, step, count)
            }
        }
    }
}

/// The sum of the areas under the parabolas through each three of an odd number of positions.
#[track_caller]
fn parabolas<T: Inexact>(
    y: &DeviceArray<T>,
    spacing: &Spacing<T>,
    axis: usize,
    length: usize,
) -> Result<DeviceArray<T>> {
    let count = length.saturating_sub(1) / 2;
    let at = |start: usize| every(y, axis, if count > 0 { start } else { 0 }, 2, count);
    let sum = |areas: DeviceArray<T>| {
        DeviceArray::from_node(record::reduce(Reduction::Sum, areas.node(), 1 << axis))
    };
    if let Spacing::Even(distance) = spacing {
        let areas = at(0) + scaled(&at(1), 4.0)? + at(2);
        return Ok(sum(areas) * scaled(distance, 1.0 / 3.0)?);
    }
    if count == 0 {
        return Ok(sum(at(0)));
    }
    let (h, k) = (spacing.distances(axis, 0, 2, count), spacing.distances(axis, 1, 2, count));
    let (whole, product) = (&h + &k, &h * &k);
    let two = DeviceArray::from_node(record::full(
        Scalar::from_f64(T::DTYPE, 2.0),
        Shape::new(),
        y.device(),
    ));
    // Of two points at one place the one between has no part.
    let (first, last) = (&two - over(&k, &h), &two - over(&h, &k));
    let middle = &whole * over(&whole, &product);
    let areas = at(0) * first + at(1) * middle + at(2) * last;
    Ok(sum(areas * scaled(&whole, 1.0 / 6.0)?))
}

/// The area between the last two of an even number of positions, under the parabola through three.
/// Source: K. V. Cartwright, Journal of Mathematical Sciences and Mathematics Education 12 (2017).
#[track_caller]
fn last_area<T: Inexact>(
    y: &DeviceArray<T>,
    spacing: &Spacing<T>,
    axis: usize,
    length: usize,
) -> Result<DeviceArray<T>> {
    let (h, k) =
        (spacing.distances(axis, length - 3, 1, 1), spacing.distances(axis, length - 2, 1, 1));
    let (both, squares, mixed) = (&h + &k, &k * &k, &h * &k);
    let last = over(&(scaled(&squares, 2.0)? + scaled(&mixed, 3.0)?), &scaled(&both, 6.0)?);
    let middle = over(&(&squares + scaled(&mixed, 3.0)?), &scaled(&h, 6.0)?);
    let first = over(&(&squares * &k), &scaled(&(&h * both), 6.0)?);
    let at = |place: usize| every(y, axis, place, 1, 1);
    let area = at(length - 1) * last + at(length - 2) * middle - at(length - 3) * first;
    Ok(DeviceArray::from_node(record::reduce(Reduction::Sum, area.node(), 1 << axis)))
}

fn is_empty(name: &str, a: &[usize], axis: usize) -> Result<()> {
    match a[axis] {
        0 => Err(Error::shape(format!("{name}: axis {axis} of shape {a:?} is empty"))),
        _ => Ok(()),
    }
}

impl<T: Inexact> DeviceArray<T> {
    checked! {
        /// The integral along an axis by Simpson's rule: under parabolas, each through three
        /// neighbours. Of an even number of elements the last area is that under the parabola through
        /// the last three; two elements have a line between them, and one has no area.
        ///
        /// **Shape.** The array's without the axis. **Dtype.** The array's. SciPy:
        /// `integrate.simpson`, with `dx` or `x` as the spacing.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0])?;
        /// assert_eq!(x.square().simpson(1.0, 0).item()?, 8.0 / 3.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn simpson | try_simpson(&self, spacing: impl Operand<T>, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("simpson", axis)?;
            let length = self.shape()[axis];
            is_empty("simpson", self.shape(), axis)?;
            let spacing = Spacing::new("simpson", self, spacing, axis)?;
            if length == 2 {
                let ends = every(self, axis, 0, 1, 1) + every(self, axis, 1, 1, 1);
                let area = scaled(&(ends * spacing.distances(axis, 0, 1, 1)), 0.5)?;
                return Ok(DeviceArray::from_node(record::reduce(Reduction::Sum, area.node(), 1 << axis)));
            }
            if length % 2 == 1 {
                return parabolas(self, &spacing, axis, length);
            }
            Ok(parabolas(self, &spacing, axis, length - 1)? + last_area(self, &spacing, axis, length)?)
        }

        /// The integrals along an axis up to each place, under the parabola through three neighbours:
        /// two intervals of one after another, and the last three elements for the last interval.
        ///
        /// Coordinates are to rise. Two elements have a line between them.
        ///
        /// **Shape.** The array's, the axis shorter by 1, or the array's where there is an `initial`
        /// value, which stands before the others and is added to them. **Dtype.** The array's. SciPy:
        /// `integrate.cumulative_simpson`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let x = DeviceArray::<f64>::linspace(0.0, 3.0, 4);
        /// let areas = x.square().cumulative_simpson(1.0, 0, Some(0.0));
        /// assert!(areas.all_close(&(x.powi(3) / 3.0)).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn cumulative_simpson | try_cumulative_simpson(
            &self,
            spacing: impl Operand<T>,
            axis: isize,
            initial: Option<T>,
        ) -> DeviceArray<T> {
            let (name, k) = ("cumulative_simpson", self.axis("cumulative_simpson", axis)?);
            is_empty(name, self.shape(), k)?;
            let spacing = Spacing::new(name, self, spacing, k)?;
            let areas = match self.shape()[k] {
                1 => DeviceArray::from_node(part(self.node(), k, 0, 0)),
                2 => {
                    let ends = every(self, k, 0, 1, 1) + every(self, k, 1, 1, 1);
                    scaled(&(ends * spacing.distances(k, 0, 1, 1)), 0.5)?
                }
                _ => each_area(self, &spacing, k)?,
            };
            let sums = record::accumulate(Reduction::Sum, areas.node(), k, false, false);
            let Some(initial) = initial else { return Ok(DeviceArray::from_node(sums)) };
            let mut shape = sums.shape.clone();
            shape[k] = 1;
            let first = record::full(Scalar::new(initial), shape, self.device());
            let sums = DeviceArray::<T>::from_node(sums) + initial;
            concat(name, &[first, sums.node().clone()], axis).map(DeviceArray::from_node)
        }

        /// The integral along an axis by Romberg's method: areas under lines between more and more of
        /// the elements, extrapolated to lines between neighbours without a distance.
        ///
        /// **Shape.** The array's without the axis, which has a power of two and one elements.
        /// **Dtype.** The array's. SciPy: `integrate.romb`. Source: W. Romberg, Norske Vid. Selsk. Forh.
        /// 28 (1955), 30.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let x = DeviceArray::<f64>::linspace(0.0, 1.0, 17);
        /// let area = x.exp().romb(1.0 / 16.0, 0).item()?;
        /// assert!((area - (1f64.exp() - 1.0)).abs() < 1e-13);
        /// # Ok::<(), Error>(())
        /// ```
        fn romb | try_romb(&self, spacing: T, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("romb", axis)?;
            let length = self.shape()[axis];
            if length < 2 || !(length - 1).is_power_of_two() {
                return Err(Error::shape(format!(
                    "romb: axis {axis} of shape {:?} has not a power of two and one elements",
                    self.shape()
                )));
            }
            let levels = (length - 1).trailing_zeros() as usize;
            let sum = |a: &DeviceArray<T>| {
                DeviceArray::<T>::from_node(record::reduce(Reduction::Sum, a.node(), 1 << axis))
            };
            let ends = every(self, axis, 0, 1, 1) + every(self, axis, length - 1, 1, 1);
            let ends = scaled(&sum(&ends), -0.5)?;
            let mut whole: Option<DeviceArray<T>> = None;
            for (level, weight) in extrapolation(levels).into_iter().enumerate() {
                let step = 1 << level;
                let all = sum(&every(self, axis, 0, step, (length - 1) / step + 1));
                let area = scaled(&(all + &ends), weight * step as f64)?;
                whole = Some(match whole {
                    Some(whole) => whole + area,
                    None => area,
                });
            }
            Ok(whole.expect("there is a level") * spacing)
        }
    }
}

/// The area between each two neighbours of three elements or more.
#[track_caller]
fn each_area<T: Inexact>(
    y: &DeviceArray<T>,
    spacing: &Spacing<T>,
    axis: usize,
) -> Result<DeviceArray<T>> {
    let count = y.shape()[axis] as i64 - 1;
    let place = y.device().scope(|| DeviceArray::<i64>::arange(0, count, 1));
    // The third element lies behind the interval, or before it.
    let behind = place.remainder(2).equal(0).logical_and(place.less(count - 1));
    let near = behind.select(&place, &place + 1);
    let middle = behind.select(&place + 1, &place);
    let far = behind.select(&place + 2, &place - 1);
    let at = |a: &DeviceArray<T>, places: &DeviceArray<i64>| a.try_take(places, axis as isize);
    let (f, g, h) = (at(y, &near)?, at(y, &middle)?, at(y, &far)?);
    let x = match spacing {
        Spacing::Even(distance) => {
            let areas = scaled(&f, 1.25)? + scaled(&g, 2.0)? - scaled(&h, 0.25)?;
            return Ok(areas * scaled(distance, 1.0 / 3.0)?);
        }
        Spacing::Points(x) => x,
    };
    let (a, b, c) = (at(x, &near)?, at(x, &middle)?, at(x, &far)?);
    // Seen from the other side all distances are negative, and so is the area.
    let (own, whole, rest) = (&b - &a, &c - &a, &c - &b);
    let (part, other) = (&own / whole, &own / rest);
    let both = &part * other;
    let three = scaled(&part.ones_like(), 3.0)?;
    let first = (&three - &part) * f;
    let second = (three + &both + part) * g;
    let along: Vec<usize> =
        (0..y.ndim()).map(|k| if k == axis { count as usize } else { 1 }).collect();
    let areas = (first + second - both * h) * scaled(&own, 1.0 / 6.0)?;
    Ok(behind.reshape(along).select(&areas, DeviceArray::zeros_like(&areas) - &areas))
}

/// The weights of areas by steps of 1, 2, 4, … in Romberg's extrapolation of all of them.
fn extrapolation(levels: usize) -> Vec<f64> {
    // Row i of the table as weights of the areas, the finest one first.
    let unit = |i: usize| (0..=levels).map(|k| f64::from(k == levels - i)).collect::<Vec<f64>>();
    let mut table: Vec<Vec<f64>> = (0..=levels).map(unit).collect();
    for order in 1..=levels {
        let power = 4f64.powi(order as i32);
        for i in (order..=levels).rev() {
            let coarse = table[i - 1].clone();
            let pairs = table[i].iter_mut().zip(coarse);
            pairs.for_each(|(fine, coarse)| *fine += (*fine - coarse) / (power - 1.0));
        }
    }
    table.swap_remove(levels)
}

#[cfg(test)]
mod tests {
    use super::extrapolation;

    /// Constants stay, and what an extrapolation of so many steps takes away goes.
    #[test]
    fn extrapolation_is_exact_for_powers() {
        for levels in 0..6 {
            let weights = extrapolation(levels);
            for order in 0..=levels as i32 {
                let term = |(k, w): (usize, &f64)| w * 4f64.powi(k as i32 * order);
                let sum: f64 = weights.iter().enumerate().map(term).sum();
                let size: f64 = weights.iter().enumerate().map(|kw| term(kw).abs()).sum();
                let wanted = if order == 0 { 1.0 } else { 0.0 };
                assert!((sum - wanted).abs() < 1e-13 * size, "{levels} {order}: {sum}");
            }
        }
    }
}
