//! Savitzky's and Golay's filter: polynomials fitted to the samples around each one.

use super::axes::{from_last, narrowed, part, to_last, widened};
use crate::DeviceArray;
use crate::array::{checked_fns, upload_to};
use crate::dtype::Inexact;
use crate::error::{Error, Result};
use crate::ndimage::{Border, Placement};
use crate::shape::{Shape, axis_index};

/// The weights with which samples at the positions `0..n` give the derivative of their least-squares
/// polynomial of a degree at a place. The polynomial is written in polynomials that are orthogonal
/// over the positions, which are found by their recurrence of three terms (G. Forsythe, 1957), so
/// that no system of equations is solved.
fn weights(n: usize, degree: usize, derivative: usize, at: f64) -> Vec<f64> {
    let middle = (n as f64 - 1.0) / 2.0;
    let x: Vec<f64> = (0..n).map(|i| i as f64 - middle).collect();
    let at = at - middle;
    // The last two polynomials at the positions, and their derivatives from 0 on at the place.
    let (mut before, mut now) = (vec![0.0; n], vec![1.0; n]);
    let (mut before_at, mut now_at) = (vec![0.0; derivative + 1], vec![0.0; derivative + 1]);
    now_at[0] = 1.0;
    let (mut weights, mut size_before) = (vec![0.0; n], 1.0);
    for k in 0..=degree {
        let size: f64 = now.iter().map(|p| p * p).sum();
        let scale = now_at[derivative] / size;
        weights.iter_mut().zip(&now).for_each(|(w, p)| *w += scale * p);
        let mean: f64 = x.iter().zip(&now).map(|(x, p)| x * p * p).sum::<f64>() / size;
        let back = if k == 0 { 0.0 } else { size / size_before };
        let next = x.iter().zip(now.iter().zip(&before));
        let next: Vec<f64> = next.map(|(x, (p, q))| (x - mean) * p - back * q).collect();
        let next_at = |d: usize| {
            let lower = if d == 0 { 0.0 } else { d as f64 * now_at[d - 1] };
            (at - mean) * now_at[d] + lower - back * before_at[d]
        };
        let next_at: Vec<f64> = (0..=derivative).map(next_at).collect();
        (before, now, before_at, now_at) = (now, next, now_at, next_at);
        size_before = size;
    }
    weights
}

fn check(name: &str, n: usize, degree: usize) -> Result<()> {
    if degree < n {
        return Ok(());
    }
    Err(Error::shape(format!(
        "{name}: a polynomial of degree {degree} needs more than the {n} samples of a window"
    )))
}

/// The weights of Savitzky's and Golay's filter: what a convolution with them gives is a derivative,
/// or with 0 the value, of the polynomial of a degree that is fitted to `n` samples, at their middle,
/// or at the position `at` among them, which need not be whole. Samples are `delta` apart.
///
/// Computed on the host. SciPy: `signal.savgol_coeffs(n, degree, deriv=derivative, delta=delta,
/// pos=at)`.
///
/// # Errors
/// [`Error::is_shape`] where the degree is not less than the number of samples, and where an even
/// number of them has no position given.
///
/// # Example
/// ```
/// use lazuli::signal::savgol_coeffs;
/// let c = savgol_coeffs(5, 2, 0, 1.0, None)?;
/// assert!((c[0] + 3.0 / 35.0).abs() < 1e-15 && (c[2] - 17.0 / 35.0).abs() < 1e-15);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn savgol_coeffs(
    n: usize,
    degree: usize,
    derivative: usize,
    delta: f64,
    at: Option<f64>,
) -> Result<Vec<f64>> {
    check("savgol_coeffs", n, degree)?;
    if at.is_none() && n % 2 == 0 {
        return Err(Error::shape(format!(
            "savgol_coeffs: {n} samples have no middle one: say at which position among them"
        )));
    }
    let at = at.unwrap_or((n as f64 - 1.0) / 2.0);
    let scale = delta.powi(-(derivative as i32));
    let mut weights = weights(n, degree, derivative, at);
    weights.reverse();
    weights.iter_mut().for_each(|w| *w *= scale);
    Ok(weights)
}

/// What [`savgol_filter`] takes at the ends of a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Ends {
    /// The polynomial that is fitted to the first, or the last, samples of a window.
    #[default]
    Polynomial,
    /// Samples beyond the ends as [`Border`] says. SciPy's `mirror`, `constant`, `nearest` and `wrap`
    /// are [`Border::Mirror`], [`Border::Constant`], [`Border::Nearest`] and [`Border::Wrap`].
    Beyond(Border),
}

/// The samples near an end by the polynomial of the window there: `rows` of them from `first` on.
fn fitted(
    window: &DeviceArray<f64>,
    degree: usize,
    derivative: usize,
    first: usize,
    rows: usize,
    scale: f64,
) -> Result<DeviceArray<f64>> {
    let n = window.shape()[window.ndim() - 1];
    let row = |i: usize| weights(n, degree, derivative, (first + i) as f64);
    let matrix: Vec<f64> = (0..rows).flat_map(row).map(|w| w * scale).collect();
    let matrix = upload_to(window.device(), &matrix, Shape::from_slice(&[rows, n]))?;
    window.try_insert_axis(-2)?.try_multiply(&matrix)?.try_sum(-1)
}

checked_fns! {
    /// Savitzky's and Golay's filter along an axis: each sample becomes a derivative, or with 0 the
    /// value, of the polynomial of a degree that is fitted to the `n` samples around it. Samples are
    /// `delta` apart.
    ///
    /// **Shape.** The array's. `n` is odd, and with [`Ends::Polynomial`] at most the length of the
    /// axis. **Dtype.** The array's; computed in `f64` and rounded once. SciPy:
    /// `signal.savgol_filter(x, n, degree, deriv=derivative, delta=delta)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Ends, savgol_filter};
    /// let x = DeviceArray::<f64>::arange_to(9.0);
    /// let slope = savgol_filter(&x.square(), 5, 2, 1, 1.0, -1, Ends::Polynomial);
    /// assert!((slope - 2.0 * x).abs().max(..).item()? < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn savgol_filter | try_savgol_filter<T: Inexact>(
        x: &DeviceArray<T>,
        n: usize,
        degree: usize,
        derivative: usize,
        delta: f64,
        axis: isize,
        ends: Ends,
    ) -> DeviceArray<T> {
        let name = "savgol_filter";
        check(name, n, degree)?;
        if n % 2 == 0 {
            return Err(Error::shape(format!("{name}: a window of {n} samples has no middle one")));
        }
        let axis = axis_index(name, axis, x.ndim())?;
        let scale = delta.powi(-(derivative as i32));
        let middle = weights(n, degree, derivative, (n / 2) as f64);
        let middle: Vec<f64> = middle.iter().map(|w| w * scale).collect();
        let lines = widened(&to_last(x, axis)?)?;
        let last = lines.ndim() - 1;
        let length = lines.shape()[last];
        let place = |border| Placement::new(border);
        let filtered = match ends {
            Ends::Beyond(border) => {
                crate::ndimage::try_correlate1d(&lines, &middle, -1, place(border))?
            }
            Ends::Polynomial if n > length => {
                return Err(Error::shape(format!(
                    "{name}: axis {axis} of shape {:?} is shorter than the window of {n} samples",
                    x.shape()
                )));
            }
            Ends::Polynomial if n == 1 => lines * middle[0],
            Ends::Polynomial => {
                let inside = crate::ndimage::try_correlate1d(&lines, &middle, -1, place(Border::Nearest))?;
                let half = n / 2;
                let end = |first, row| {
                    fitted(&part(&lines, last, first, n, 1), degree, derivative, row, half, scale)
                };
                let (left, right) = (end(0, 0)?, end(length - n, n - half)?);
                let inside = part(&inside, last, half, length - 2 * half, 1);
                crate::try_concatenate(&[left, inside, right], -1)?
            }
        };
        from_last(&narrowed(&filtered)?, axis)
    }
}
