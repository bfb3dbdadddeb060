//! B-splines: the coefficients whose spline goes through an array's elements, and its weights.
//!
//! The prefilter is recursive in theory: its impulse response decays on both sides by the filter's
//! poles. Cut off where it has fallen below the rounding of the type, it is a short symmetric sum,
//! which every element of the array computes at once, and every border is the index arithmetic
//! that it is for other filters. With reflected edges this is the spline of the endless array to the
//! last digit; SciPy's recursion begins with an approximation there, which shows in short arrays.

use super::border::{Border, Placement};
use super::weighted::{sums_along, sums_of};
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::{DType, Inexact, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::axis_index;
use crate::table::Op;
use smallvec::SmallVec;
use std::sync::Arc;

/// A spline's order, what it takes beyond the edges, and whether the array is filtered first.
///
/// Made from an order, from 0 (the nearest element) to 5; the rest is as in SciPy: zeros beyond the
/// edges, and a prefilter. SciPy: the parameters `order`, `mode`, `cval` and `prefilter`.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Border, Spline, shift};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[0.0, 2.0, 4.0, 6.0])?;
/// let linear = Spline::new(1).border(Border::Nearest);
/// assert_eq!(shift(&a, &[0.5], linear).to_vec()?, [0.0, 1.0, 3.0, 5.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spline {
    pub(super) order: usize,
    pub(super) border: Border,
    pub(super) prefilter: bool,
}

impl Spline {
    /// A spline of this order.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Spline, shift}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0, 2.0, 4.0, 6.0])?;
    /// assert_eq!(shift(&a, &[1.0], Spline::new(1)).to_vec()?, [0.0, 0.0, 2.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(order: usize) -> Spline {
        Spline { order, border: Border::Constant(0.0), prefilter: true }
    }

    /// What is beyond the edges.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Spline, shift}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0, 2.0, 4.0, 6.0])?;
    /// let wrapped = Spline::new(1).border(Border::GridWrap);
    /// assert_eq!(shift(&a, &[1.0], wrapped).to_vec()?, [6.0, 0.0, 2.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn border(self, border: Border) -> Spline {
        Spline { border, ..self }
    }

    /// Whether the array is filtered first; without, it holds a spline's coefficients already
    /// ([`spline_filter`]), or is smoothed.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Spline, shift}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0f64, 0.0, 6.0, 0.0, 0.0])?;
    /// // Without the filter a cubic spline smooths: weights of 1/6, 4/6 and 1/6.
    /// let smooth = shift(&a, &[0.0], Spline::new(3).prefilter(false)).to_vec()?;
    /// assert!((smooth[1] - 1.0).abs() < 1e-12 && (smooth[2] - 4.0).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn prefilter(self, prefilter: bool) -> Spline {
        Spline { prefilter, ..self }
    }
}

impl Default for Spline {
    fn default() -> Spline {
        Spline::new(3)
    }
}

impl From<usize> for Spline {
    fn from(order: usize) -> Spline {
        Spline::new(order)
    }
}

/// Refuses what is no order of a spline.
pub(super) fn check_order(name: &str, order: usize) -> Result<()> {
    match order {
        0..=5 => Ok(()),
        _ => Err(Error::shape(format!("{name}: splines of order {order}; they go from 0 to 5"))),
    }
}

/// The poles of the prefilter within the unit circle: roots of the polynomials whose coefficients
/// are a spline's values at whole numbers (M. Unser, Splines, 1999).
fn poles(order: usize) -> SmallVec<[f64; 2]> {
    match order {
        2 => SmallVec::from_slice(&[8f64.sqrt() - 3.0]),
        3 => SmallVec::from_slice(&[3f64.sqrt() - 2.0]),
        4 => {
            let (a, b) = (438_976f64.sqrt(), 304f64.sqrt());
            SmallVec::from_slice(&[(664.0 - a).sqrt() + b - 19.0, (664.0 + a).sqrt() - b - 19.0])
        }
        5 => {
            let (a, b) = (4436.25f64.sqrt(), 26.25f64.sqrt());
            SmallVec::from_slice(&[(67.5 - a).sqrt() + b - 6.5, (67.5 + a).sqrt() - b - 6.5])
        }
        _ => SmallVec::new(),
    }
}

/// The prefilter's impulse response, as far as a type tells it from zero.
pub(super) fn response(order: usize, dtype: DType) -> Vec<f64> {
    let least: f64 = match dtype.real() {
        DType::F64 => 1e-17,
        _ => 1e-9,
    };
    let poles = poles(order);
    let slowest = poles.iter().fold(0.0f64, |most, pole| most.max(pole.abs()));
    let radius = (least.ln() / slowest.ln()).ceil() as i64;
    let mut all = vec![1.0];
    for pole in &poles {
        let gain = (1.0 - pole) / (1.0 + pole);
        let one: Vec<f64> =
            (-radius..=radius).map(|k| gain * pole.powi(k.unsigned_abs() as i32)).collect();
        let mut product = vec![0.0; all.len() + one.len() - 1];
        for (i, a) in all.iter().enumerate() {
            one.iter().enumerate().for_each(|(k, b)| product[i + k] += a * b);
        }
        all = product;
    }
    // Two responses in a row are longer, and no slower to decay.
    let extra = all.len() / 2 - radius as usize;
    let mut kept = all[extra..all.len() - extra].to_vec();
    // Both halves are the same to the bit.
    let n = kept.len();
    (0..n / 2).for_each(|k| kept[n - 1 - k] = kept[k]);
    kept
}

/// How the spline of an array goes on beyond its edges. Where it ends, or stands on a period that
/// is no array's, it is taken for mirrored, as SciPy has it.
fn extension(border: Border) -> Border {
    match border {
        Border::Reflect | Border::Nearest => Border::Reflect,
        Border::GridWrap => Border::GridWrap,
        _ => Border::Mirror,
    }
}

/// The coefficients along an axis, in the type of `a`, which is a floating-point one.
#[track_caller]
pub(super) fn coefficients_along(
    name: &str,
    a: &Arc<Node>,
    order: usize,
    axis: usize,
    border: Border,
) -> Result<Arc<Node>> {
    if order < 2 || a.shape[axis] < 2 {
        return Ok(a.clone());
    }
    let response = response(order, a.dtype);
    sums_along(name, a, &response, axis, &Placement::new(extension(border)))
}

/// The coefficients along all axes.
#[track_caller]
pub(super) fn coefficients(
    name: &str,
    a: &Arc<Node>,
    order: usize,
    border: Border,
) -> Result<Arc<Node>> {
    let axes = 0..a.shape.len();
    axes.clone().try_fold(a.clone(), |a, axis| coefficients_along(name, &a, order, axis, border))
}

checked_fns! {
    /// The coefficients of the spline that goes through the elements of an array.
    ///
    /// **Shape.** The array's. **Dtype.** The array's, halves computed as `f32`; convert integers
    /// first. SciPy: `ndimage.spline_filter`, whose border is [`Border::Mirror`] by default and whose
    /// result is of `f64`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, spline_filter};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])?;
    /// let c = spline_filter(&a, 3, Border::Mirror).to_vec()?;
    /// // Weighted with 1/6, 4/6 and 1/6, they give the elements.
    /// assert!(((c[2] + 4.0 * c[3] + c[4]) / 6.0 - 1.0).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn spline_filter | try_spline_filter<T: Inexact>(
        a: &DeviceArray<T>,
        order: usize,
        border: Border,
    ) -> DeviceArray<T> {
        check_order("spline_filter", order)?;
        let source = record::cast(a.node(), sums_of(T::DTYPE));
        let found = coefficients("spline_filter", &source, order, border)?;
        Ok(DeviceArray::from_node(record::cast(&found, T::DTYPE)))
    }

    /// The coefficients of the splines that go through the elements along an axis.
    ///
    /// **Shape.** The array's. **Dtype.** The array's, halves computed as `f32`; convert integers
    /// first. SciPy: `ndimage.spline_filter1d`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, spline_filter1d};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::ones([3, 8]);
    /// let c = spline_filter1d(&a, 5, 1, Border::Reflect);
    /// assert!((c - 1.0).abs().max(..).item()? < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn spline_filter1d | try_spline_filter1d<T: Inexact>(
        a: &DeviceArray<T>,
        order: usize,
        axis: isize,
        border: Border,
    ) -> DeviceArray<T> {
        check_order("spline_filter1d", order)?;
        let axis = axis_index("spline_filter1d", axis, a.ndim())?;
        let source = record::cast(a.node(), sums_of(T::DTYPE));
        let found = coefficients_along("spline_filter1d", &source, order, axis, border)?;
        Ok(DeviceArray::from_node(record::cast(&found, T::DTYPE)))
    }
}

/// The pieces of a B-spline as polynomials, times a common divisor: for each coefficient that a
/// place takes part in, from the lowest power up. Places lie between 0 and 1 behind a grid point
/// where the order is odd, else within a half of one; the second half follows by symmetry.
fn pieces(order: usize) -> (&'static [&'static [f64]], f64) {
    match order {
        0 => (&[&[1.0]], 1.0),
        1 => (&[&[1.0, -1.0]], 1.0),
        2 => (&[&[1.0, -4.0, 4.0], &[6.0, 0.0, -8.0]], 8.0),
        3 => (&[&[1.0, -3.0, 3.0, -1.0], &[4.0, 0.0, -6.0, 3.0]], 6.0),
        4 => (
            &[
                &[1.0, -8.0, 24.0, -32.0, 16.0],
                &[76.0, -176.0, 96.0, 64.0, -64.0],
                &[230.0, 0.0, -240.0, 0.0, 96.0],
            ],
            384.0,
        ),
        _ => (
            &[
                &[1.0, -5.0, 10.0, -10.0, 5.0, -1.0],
                &[26.0, -50.0, 20.0, 20.0, -20.0, 5.0],
                &[66.0, 0.0, -60.0, 0.0, 30.0, -10.0],
            ],
            120.0,
        ),
    }
}

/// The weights of the `order + 1` coefficients around each place, `t` behind its grid point.
#[track_caller]
pub(super) fn weights(t: &Arc<Node>, order: usize) -> Result<Vec<Arc<Node>>> {
    let number = |value: f64| Scalar::from_f64(t.dtype, value);
    let (pieces, divisor) = pieces(order);
    // The second half reads the first one's polynomials at the mirrored place.
    let mirrored = match order % 2 {
        1 => record::binary(Op::Subtract, number(1.0), t)?,
        _ => record::unary(Op::Negative, t),
    };
    let one = |k: usize| {
        let (x, piece) = match k < pieces.len() {
            true => (t, pieces[k]),
            false => (&mirrored, pieces[order - k]),
        };
        let scaled: Vec<f64> = piece.iter().map(|c| c / divisor).collect();
        let (last, rest) = scaled.split_last().expect("a polynomial has coefficients");
        let last = record::full(number(*last), t.shape.clone(), t.device);
        rest.iter().rev().try_fold(last, |sum, &c| {
            let product = record::binary(Op::Multiply, &sum, x)?;
            match c {
                0.0 => Ok(product),
                c => record::binary(Op::Add, &product, number(c)),
            }
        })
    };
    (0..=order).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splines of all orders are one where all coefficients are, and their first moments vanish.
    #[test]
    fn weights_sum_to_one_and_keep_lines() {
        for order in 0..=5 {
            let places: Vec<f64> = match order % 2 {
                1 => vec![0.0, 0.25, 0.5, 0.875],
                _ => vec![-0.5, -0.25, 0.0, 0.375],
            };
            let t = DeviceArray::from_slice(&places).unwrap();
            let weights = weights(t.node(), order).unwrap();
            let values: Vec<Vec<f64>> = weights
                .into_iter()
                .map(|w| DeviceArray::<f64>::from_node(w).to_vec().unwrap())
                .collect();
            for (k, place) in places.iter().enumerate() {
                let sum: f64 = values.iter().map(|w| w[k]).sum();
                assert!((sum - 1.0).abs() < 1e-14, "{order} {place}");
                let at = |l: usize| l as f64 - (order / 2) as f64;
                let mean: f64 = values.iter().enumerate().map(|(l, w)| at(l) * w[k]).sum();
                assert!(order == 0 || (mean - place).abs() < 1e-14, "{order} {place} {mean}");
            }
        }
    }
}
