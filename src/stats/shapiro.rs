//! The test of Shapiro and Wilk.

use super::exact::{normal, uploaded};
use super::result::{Alternative, TestResult};
use super::sample::{at_least, host};
use crate::array::{DeviceArray, located};
use crate::dtype::Real;
use crate::error::Result;
use crate::special::device::ndtri;

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The weights of the upper half of a sorted sample, the largest element's first; those of the lower
/// half are their negatives.
fn weights(n: usize) -> Vec<f64> {
    if n == 3 {
        return vec![0.5f64.sqrt()];
    }
    let count = n as f64;
    let scores: Vec<f64> =
        (1..=n / 2).map(|i| -ndtri((i as f64 - 0.375) / (count + 0.25))).collect();
    let squares = 2.0 * scores.iter().map(|m| m * m).sum::<f64>();
    let u = 1.0 / count.sqrt();
    const LAST: [f64; 6] = [0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056];
    const NEXT: [f64; 6] = [0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633];
    let last = polynomial(&LAST, u) + scores[0] / squares.sqrt();
    let mut all = vec![last];
    let mut rest = squares - 2.0 * scores[0] * scores[0];
    let mut part = 1.0 - 2.0 * last * last;
    if n > 5 {
        let next = polynomial(&NEXT, u) + scores[1] / squares.sqrt();
        all.push(next);
        rest -= 2.0 * scores[1] * scores[1];
        part -= 2.0 * next * next;
    }
    let scale = (part / rest).sqrt();
    let known = all.len();
    all.extend(scores[known..].iter().map(|m| m * scale));
    all
}

/// The probability of a smaller statistic, whose complement is given.
fn probability(n: usize, complement: f64) -> f64 {
    let count = n as f64;
    if n == 3 {
        let angle = (1.0 - complement).max(0.75).sqrt().asin();
        return (6.0 / std::f64::consts::PI * (angle - 0.75f64.sqrt().asin())).clamp(0.0, 1.0);
    }
    let (y, mean, deviation) = if n <= 11 {
        let limit = polynomial(&[-2.273, 0.459], count);
        if complement.ln() >= limit {
            return 0.0;
        }
        let mean = polynomial(&[0.544, -0.39978, 0.025054, -6.714e-4], count);
        let log = polynomial(&[1.3822, -0.77857, 0.062767, -0.0020322], count);
        (-(limit - complement.ln()).ln(), mean, log.exp())
    } else {
        let x = count.ln();
        let mean = polynomial(&[-1.5861, -0.31082, -0.083751, 0.0038915], x);
        let log = polynomial(&[-0.4803, -0.082676, 0.0030302], x);
        (complement.ln(), mean, log.exp())
    };
    normal((y - mean) / deviation, Alternative::Greater)
}

/// The test of Shapiro and Wilk of a sample having been drawn from a normal distribution: how well its
/// sorted elements follow those that are expected, 1 being perfect (P. Royston, "Remark AS R94", 1995).
/// The probability is good for up to 5000 elements.
///
/// **Evaluates**, and works on the host. **Shape.** One result; the array has any. **Dtype.** `f64`;
/// NaN for a sample that holds one; the statistic is 1 where all elements are the same. SciPy:
/// `stats.shapiro`.
///
/// # Errors
/// [`Error::is_shape`](crate::Error::is_shape) where there are fewer than 3 elements; what the
/// evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[148.0f64, 154., 158., 160., 161., 162., 166., 170., 182., 195., 236.])?;
/// let test = lazuli::stats::shapiro(&a)?;
/// assert!((test.statistic.item()? - 0.7888146948631716).abs() < 1e-10);
/// assert!((test.pvalue.item()? - 0.006703814061898823).abs() < 1e-9);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn shapiro<T: Real>(a: &DeviceArray<T>) -> Result<TestResult<f64>> {
    let find = || {
        let n = a.len();
        at_least("shapiro", n, 3)?;
        let mut values = host(a)?;
        if values.iter().any(|v| v.is_nan()) {
            return uploaded(a, f64::NAN, f64::NAN);
        }
        values.sort_by(f64::total_cmp);
        let range = values[n - 1] - values[0];
        if range == 0.0 {
            return uploaded(a, 1.0, 1.0);
        }
        let middle = values[n / 2];
        values.iter_mut().for_each(|v| *v = (*v - middle) / range);
        let mean = values.iter().sum::<f64>() / n as f64;
        let mut all = vec![0.0; n];
        for (i, weight) in weights(n).into_iter().enumerate() {
            (all[i], all[n - 1 - i]) = (-weight, weight);
        }
        let of_weights = all.iter().map(|w| w * w).sum::<f64>();
        let pairs = || all.iter().zip(&values).map(|(w, v)| (w, v - mean));
        let of_values = pairs().map(|(_, v)| v * v).sum::<f64>();
        let product = pairs().map(|(w, v)| w * v).sum::<f64>();
        // The complement, which may be small, as a product.
        let length = (of_weights * of_values).sqrt();
        let complement = (length - product) * (length + product) / (of_weights * of_values);
        uploaded(a, 1.0 - complement, probability(n, complement))
    };
    located(find())
}
