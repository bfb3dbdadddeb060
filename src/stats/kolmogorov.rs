//! The tests of Kolmogorov and Smirnov, which compare distribution functions.

use super::exact::uploaded;
use super::result::{Alternative, TestResult};
use super::sample::{host, same_device};
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::Real;
use crate::error::{Error, Result};
use std::f64::consts::PI;

/// The probability of a one-sided statistic of `n` elements of `d` or more (N. Smirnov; Z. Birnbaum
/// and F. Tingey, 1951). All terms of the sum are positive.
fn one_sided(n: usize, d: f64) -> f64 {
    if d <= 0.0 {
        return 1.0;
    }
    if d >= 1.0 {
        return 0.0;
    }
    let count = n as f64;
    let last = (count * (1.0 - d)).floor() as usize;
    let (mut sum, mut log_ways) = (0.0, 0.0);
    for j in 0..=last.min(n) {
        if j > 0 {
            log_ways += ((n - j + 1) as f64 / j as f64).ln();
        }
        let share = j as f64 / count;
        let rest = (1.0 - d - share).max(0.0);
        let log = log_ways + (j as f64 - 1.0) * (d + share).ln();
        // A power of 0 is 0, unless it is the power 0.
        sum += match (rest > 0.0, n - j) {
            (_, 0) => log.exp(),
            (true, left) => (log + left as f64 * rest.ln()).exp(),
            (false, _) => 0.0,
        };
    }
    (d * sum).clamp(0.0, 1.0)
}

/// The most elements for which the distribution is computed exactly where neither end is near.
const EXACT: usize = 1000;

/// The probability of a two-sided statistic of `n` elements of `d` or more, by the ways that R. Simard
/// and P. L'Ecuyer recommend (2011).
fn two_sided(n: usize, d: f64) -> f64 {
    let count = n as f64;
    let t = count * d;
    if d.is_nan() || n == 0 {
        return f64::NAN;
    }
    if t <= 0.5 {
        return 1.0;
    }
    if d >= 1.0 {
        return 0.0;
    }
    if t <= 1.0 {
        let inside: f64 = (1..=n).map(|k| k as f64 / count * (2.0 * t - 1.0)).product();
        return 1.0 - inside;
    }
    if t >= count - 1.0 {
        return 2.0 * (1.0 - d).powi(n as i32);
    }
    // Both sides are not, or hardly ever, this far off.
    let far = if n <= EXACT { 4.0 } else { 2.2 };
    if d >= 0.5 || t * d >= far {
        return (2.0 * one_sided(n, d)).min(1.0);
    }
    let inside = if n <= EXACT { durbin(n, d) } else { pelz_good(count, d) };
    (1.0 - inside).clamp(0.0, 1.0)
}

/// A square matrix of non-negative numbers, times two to a power.
#[derive(Clone)]
struct Scaled {
    size: usize,
    rows: Vec<f64>,
    exponent: i32,
}

impl Scaled {
    fn times(&self, other: &Scaled) -> Scaled {
        let size = self.size;
        let mut rows = vec![0.0; size * size];
        for i in 0..size {
            for k in 0..size {
                let factor = self.rows[i * size + k];
                for j in 0..size {
                    rows[i * size + j] += factor * other.rows[k * size + j];
                }
            }
        }
        let exponent = self.exponent + other.exponent;
        let mut product = Scaled { size, rows, exponent };
        if product.rows[size / 2 * size + size / 2] > 2f64.powi(128) {
            product.rows.iter_mut().for_each(|x| *x *= 2f64.powi(-128));
            product.exponent += 128;
        }
        product
    }
}

/// The distribution function by a power of J. Durbin's matrix (G. Marsaglia, W. W. Tsang and J. Wang,
/// 2003).
fn durbin(n: usize, d: f64) -> f64 {
    let t = n as f64 * d;
    let k = t.ceil() as usize;
    let (h, size) = (k as f64 - t, 2 * k - 1);
    let mut rows = vec![0.0; size * size];
    let mut factorial = vec![1.0; size + 1];
    (1..=size).for_each(|i| factorial[i] = factorial[i - 1] / i as f64);
    for i in 0..size {
        for j in 0..size.min(i + 2) {
            rows[i * size + j] = factorial[i + 1 - j];
        }
    }
    for i in 0..size {
        let lack = h.powi(i as i32 + 1);
        rows[i * size] -= lack * factorial[i + 1];
        rows[(size - 1) * size + size - 1 - i] -= lack * factorial[i + 1];
    }
    let corner = (2.0 * h - 1.0).max(0.0).powi(size as i32);
    rows[(size - 1) * size] += corner * factorial[size];
    let mut square = Scaled { size, rows, exponent: 0 };
    let mut power: Option<Scaled> = None;
    let mut left = n;
    while left > 0 {
        if left % 2 == 1 {
            power = Some(power.map_or_else(|| square.clone(), |p| p.times(&square)));
        }
        left /= 2;
        if left > 0 {
            square = square.times(&square);
        }
    }
    let power = power.expect("there is an element");
    let mut exponent = power.exponent;
    let mut p = power.rows[(k - 1) * size + k - 1];
    for i in 1..=n {
        p *= i as f64 / n as f64;
        if p < 2f64.powi(-128) {
            p *= 2f64.powi(128);
            exponent -= 128;
        }
    }
    // In two factors, of which each is a number.
    p * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// The distribution function for many elements, by its limit and three terms more (W. Pelz and I. J.
/// Good, 1976).
fn pelz_good(n: f64, d: f64) -> f64 {
    let z = n.sqrt() * d;
    let [z2, z4, z6] = [2, 4, 6].map(|k| z.powi(k));
    let [pi2, pi4, pi6] = [2, 4, 6].map(|k| PI.powi(k));
    let mut sums = [0.0; 4];
    let most = (16.0 * z / PI).ceil() as i32;
    for k in 1..=most {
        let m = f64::from(2 * k - 1);
        let [m2, m4, m6] = [2, 4, 6].map(|k| m.powi(k));
        let weight = (-pi2 * m2 / (8.0 * z2)).exp();
        sums[0] += weight;
        sums[1] += weight * (pi2 * m2 / 4.0 - z2);
        sums[2] += weight
            * (6.0 * z6
                + 2.0 * z4
                + pi2 * m2 * (2.0 * z4 - 5.0 * z2) / 4.0
                + pi4 * m4 * (1.0 - 2.0 * z2) / 16.0);
        sums[3] += weight
            * (-30.0 * z6 - 90.0 * z4 * z4
                + pi2 * m2 * (135.0 * z4 - 96.0 * z6) / 4.0
                + pi4 * m4 * (212.0 * z4 - 60.0 * z2) / 16.0
                + pi6 * m6 * (5.0 - 30.0 * z2) / 64.0);
    }
    let root = (2.0 * PI).sqrt();
    let divisors = [z, 6.0 * z4, 72.0 * z6 * z, 6480.0 * z6 * z4];
    (0..4).for_each(|k| sums[k] *= root / divisors[k]);
    for k in 1..=most {
        let k2 = f64::from(k * k);
        let weight = (-pi2 * k2 / (2.0 * z2)).exp();
        sums[2] -= root * pi2 * k2 * weight / (36.0 * z2 * z);
        sums[3] += root * pi2 * k2 * weight * (3.0 * z2 - pi2 * k2) / (216.0 * z6);
    }
    (0..4).map(|k| sums[k] / n.sqrt().powi(k as i32)).sum()
}

/// The probability that the distribution functions of samples of `n` and `m` elements from one
/// distribution differ somewhere by `least` or more, in units of the least common multiple: of a walk
/// over the samples in random order having left the strip around the diagonal.
fn of_two(n: usize, m: usize, least: i64, alternative: Alternative) -> f64 {
    let gcd = common_divisor(n, m);
    let (up, along) = ((m / gcd) as i64, (n / gcd) as i64);
    let is_out = |i: usize, j: usize| {
        let difference = i as i64 * up - j as i64 * along;
        match alternative {
            Alternative::TwoSided => difference.abs() >= least,
            Alternative::Greater => difference >= least,
            Alternative::Less => -difference >= least,
        }
    };
    // The share of the ways to each place that have been outside.
    let mut row = vec![0.0; m + 1];
    for i in 0..=n {
        for j in 0..=m {
            let both = (i + j) as f64;
            let below = if i > 0 { i as f64 / both * row[j] } else { 0.0 };
            let before = if j > 0 { j as f64 / both * row[j - 1] } else { 0.0 };
            row[j] = if is_out(i, j) { 1.0 } else { below + before };
        }
    }
    row[m]
}

/// The greatest common divisor.
fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// The most elements of a sample for which the distribution is computed exactly.
const EXACT_TWO: usize = 10_000;

/// The test of Kolmogorov and Smirnov of a sample having been drawn from a distribution: `cdf` gives
/// the distribution function at sorted elements. The statistic is the largest distance between it and
/// the sample's.
///
/// [`Alternative::Greater`] counts where the sample's function is above, [`Alternative::Less`] where it
/// is below. Probabilities are exact, beyond 1000 elements to six digits.
///
/// **Evaluates**; the probability is found on the host. **Shape.** One result; the array has any.
/// **Dtype.** `f64`; NaN for a sample that holds one. SciPy: `stats.ks_1samp`.
///
/// # Errors
/// [`Error::is_shape`] where the sample has no element, or `cdf` gives another shape than it was given;
/// what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::special::ndtr;
/// use lazuli::stats::{Alternative, ks_1samp};
/// let a = DeviceArray::from_slice(&[-1.0f64, 0.0, 0.5, 2.0])?;
/// let test = ks_1samp(&a, ndtr, Alternative::TwoSided)?;
/// assert!((test.statistic.item()? - 0.25).abs() < 1e-14);
/// assert!((test.pvalue.item()? - 0.90625).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn ks_1samp<T: Real>(
    a: &DeviceArray<T>,
    cdf: impl FnOnce(&DeviceArray<f64>) -> DeviceArray<f64>,
    alternative: Alternative,
) -> Result<TestResult<f64>> {
    let find = || {
        let (n, line) = (a.len(), a.cast::<f64>().flatten().sort(0));
        let values = cdf(&line);
        if n == 0 || values.shape() != line.shape() {
            let (a, b) = (a.shape(), values.shape());
            return Err(Error::shape(format!(
                "ks_1samp: a sample of shape {a:?} and a distribution function of shape {b:?}"
            )));
        }
        let place = super::sample::places(&line).cast::<f64>();
        let above = ((&place + 1.0) / n as f64 - &values).max(..);
        let below = (&values - place / n as f64).max(..);
        crate::array::eval(&[&above, &below])?;
        let (above, below) = (above.item()?, below.item()?);
        let (d, p) = match alternative {
            Alternative::Greater => (above, one_sided(n, above)),
            Alternative::Less => (below, one_sided(n, below)),
            Alternative::TwoSided => (above.max(below), two_sided(n, above.max(below))),
        };
        let is_nan = above.is_nan() || below.is_nan();
        let (d, p) = if is_nan { (f64::NAN, f64::NAN) } else { (d, p) };
        uploaded(a, d, p)
    };
    located(recorded(find))
}

/// The test of Kolmogorov and Smirnov of two samples having been drawn from one distribution. The
/// statistic is the largest distance between their distribution functions.
///
/// [`Alternative::Greater`] counts where that of `a` is above, [`Alternative::Less`] where it is below.
/// Probabilities are exact for samples of up to 10 000 elements, which takes as many steps as there are
/// pairs; else they are those of the limit.
///
/// **Evaluates**, and works on the host. **Shape.** One result; the arrays have any. **Dtype.** `f64`;
/// NaN for a sample that holds one. SciPy: `stats.ks_2samp`.
///
/// # Errors
/// [`Error::is_shape`] where a sample has no element, [`Error::is_device`] where the arrays live on
/// several devices; what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::stats::{Alternative, ks_2samp};
/// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 4.0])?;
/// let b = DeviceArray::from_slice(&[3.5f64, 5.0, 6.0, 7.0])?;
/// let test = ks_2samp(&a, &b, Alternative::TwoSided)?;
/// assert!((test.statistic.item()? - 0.75).abs() < 1e-14);
/// assert!((test.pvalue.item()? - 8.0 / 35.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn ks_2samp<T: Real>(
    a: &DeviceArray<T>,
    b: &DeviceArray<T>,
    alternative: Alternative,
) -> Result<TestResult<f64>> {
    let find = || {
        same_device("ks_2samp", a, b)?;
        if a.is_empty() || b.is_empty() {
            let (a, b) = (a.shape(), b.shape());
            return Err(Error::shape(format!("ks_2samp: samples of shapes {a:?} and {b:?}")));
        }
        let (d, p) = compare(&mut host(a)?, &mut host(b)?, alternative);
        uploaded(a, d, p)
    };
    located(recorded(find))
}

/// The largest distance of distribution functions, and its probability.
fn compare(x: &mut [f64], y: &mut [f64], alternative: Alternative) -> (f64, f64) {
    if x.iter().chain(y.iter()).any(|v| v.is_nan()) {
        return (f64::NAN, f64::NAN);
    }
    x.sort_by(f64::total_cmp);
    y.sort_by(f64::total_cmp);
    let (n, m) = (x.len(), y.len());
    let gcd = common_divisor(n, m);
    let (up, along) = ((m / gcd) as i64, (n / gcd) as i64);
    let (mut i, mut j, mut above, mut below) = (0, 0, 0i64, 0i64);
    while i < n && j < m {
        let next = x[i].min(y[j]);
        i += x[i..].iter().take_while(|&&v| v <= next).count();
        j += y[j..].iter().take_while(|&&v| v <= next).count();
        let difference = i as i64 * up - j as i64 * along;
        (above, below) = (above.max(difference), below.max(-difference));
    }
    let largest = match alternative {
        Alternative::TwoSided => above.max(below),
        Alternative::Greater => above,
        Alternative::Less => below,
    };
    let d = largest as f64 / (along as f64 * m as f64);
    if largest == 0 {
        return (0.0, 1.0);
    }
    if n.max(m) <= EXACT_TWO {
        return (d, of_two(n, m, largest, alternative));
    }
    let (large, small) = (n.max(m) as f64, n.min(m) as f64);
    let size = large * small / (large + small);
    let p = match alternative {
        Alternative::TwoSided => two_sided(size.round_ties_even() as usize, d),
        _ => {
            let z = size.sqrt() * d;
            let slope = (large + 2.0 * small) / (large * small * (large + small)).sqrt();
            (-2.0 * z * z - 2.0 * z * slope / 3.0).exp()
        }
    };
    (d, p.clamp(0.0, 1.0))
}
