//! What analog filters do to frequencies, and what filters given by zeros and poles do.

use super::response::frequencies;
use super::roots::roots;
use super::zpk::Zpk;
use crate::dtype::Complex;

type C = Complex<f64>;

/// The value of a polynomial, from its highest power down.
fn value(c: &[f64], x: C) -> C {
    c.iter().fold(C::new(0.0, 0.0), |sum, &c| sum * x + c)
}

/// The roots of a polynomial that may begin with zeros.
fn all_roots(c: &[f64]) -> Vec<C> {
    let leading = c.iter().take_while(|&&c| c == 0.0).count();
    if leading == c.len() { vec![] } else { roots(&c[leading..]) }
}

/// `n` frequencies, evenly spaced in their logarithms, between whole powers of 10 that enclose what is
/// interesting of these zeros and poles: SciPy's rule.
pub(in crate::signal) fn interesting(zeros: &[C], poles: &[C], n: usize) -> Vec<f64> {
    let far = [C::new(-1000.0, 0.0)];
    let poles = if poles.is_empty() { &far[..] } else { poles };
    let upper = |x: &&C| x.im >= 0.0;
    let near = zeros.iter().filter(|x| x.norm() < 1e5);
    let points: Vec<C> = poles.iter().filter(upper).chain(near.filter(upper)).copied().collect();
    // What is at 0 stands for 1, whose logarithm is one.
    let re = |x: &C| (x.re + f64::from(u8::from(x.norm() < 1e-10))).abs();
    let largest = points.iter().map(|x| 3.0 * re(x) + 1.5 * x.im).fold(0.0, f64::max);
    let least = points.iter().map(|x| re(x) + 2.0 * x.im).fold(f64::INFINITY, f64::min);
    let high = (largest.log10() + 0.5).round_ties_even();
    let low = ((0.1 * least).log10() - 0.5).round_ties_even();
    let gaps = n.saturating_sub(1).max(1) as f64;
    (0..n).map(|k| 10f64.powf(low + (high - low) * (k as f64 / gaps))).collect()
}

/// `n` frequencies at which the answer of an analog filter is worth a look, in radians a second, evenly
/// spaced in their logarithms. The coefficients go from the highest power of `s` down.
///
/// Computed on the host. SciPy: `signal.findfreqs`.
///
/// # Example
/// ```
/// use lazuli::signal::findfreqs;
/// let w = findfreqs(&[1.0, 0.0], &[1.0, 8.0, 25.0], 9);
/// assert!((w[0] - 0.01).abs() < 1e-15 && (w[8] - 100.0).abs() < 1e-11);
/// ```
pub fn findfreqs(b: &[f64], a: &[f64], n: usize) -> Vec<f64> {
    interesting(&all_roots(b), &all_roots(a), n)
}

/// `n` frequencies that [`findfreqs`] finds, in radians a second, and the complex gain of an analog
/// filter at them. The coefficients go from the highest power of `s` down.
///
/// Computed on the host. SciPy: `signal.freqs(b, a, worN=n)`.
///
/// # Example
/// ```
/// use lazuli::signal::{buttap, freqs};
/// let (b, a) = buttap(2).ba();
/// let (w, h) = freqs(&b, &a, 3);
/// assert!((w[1] - 1.0).abs() < 1e-15 && (h[1].norm() - 0.5f64.sqrt()).abs() < 1e-15);
/// ```
pub fn freqs(b: &[f64], a: &[f64], n: usize) -> (Vec<f64>, Vec<C>) {
    let w = findfreqs(b, a, n);
    let h = freqs_at(b, a, &w);
    (w, h)
}

/// The complex gain of an analog filter at given frequencies, in radians a second. The coefficients go
/// from the highest power of `s` down.
///
/// Computed on the host. SciPy: `signal.freqs(b, a, worN=w)`.
///
/// # Example
/// ```
/// use lazuli::signal::freqs_at;
/// let h = freqs_at(&[1.0], &[1.0, 1.0], &[1.0]);
/// assert_eq!((h[0].re, h[0].im), (0.5, -0.5));
/// ```
pub fn freqs_at(b: &[f64], a: &[f64], w: &[f64]) -> Vec<C> {
    let at = |&w: &f64| value(b, C::new(0.0, w)) / value(a, C::new(0.0, w));
    w.iter().map(at).collect()
}

impl Zpk {
    /// The quotient of the distances from zeros and poles, times the gain.
    fn value(&self, x: C) -> C {
        let product =
            |list: &[C]| list.iter().fold(C::new(1.0, 0.0), |product, y| product * (x - y));
        product(&self.z) * self.k / product(&self.p)
    }
}

/// `n` frequencies, in radians a second, and the complex gain of an analog filter at them.
///
/// Computed on the host. SciPy: `signal.freqs_zpk(z, p, k, worN=n)`.
///
/// # Example
/// ```
/// use lazuli::signal::{buttap, freqs_zpk};
/// let (w, h) = freqs_zpk(&buttap(2), 3);
/// assert!((w[1] - 1.0).abs() < 1e-15 && (h[1].norm() - 0.5f64.sqrt()).abs() < 1e-15);
/// ```
pub fn freqs_zpk(filter: &Zpk, n: usize) -> (Vec<f64>, Vec<C>) {
    let w = interesting(&filter.z, &filter.p, n);
    let h = freqs_zpk_at(filter, &w);
    (w, h)
}

/// The complex gain of an analog filter at given frequencies, in radians a second.
///
/// Computed on the host. SciPy: `signal.freqs_zpk(z, p, k, worN=w)`.
///
/// # Example
/// ```
/// use lazuli::signal::{buttap, freqs_zpk_at};
/// let h = freqs_zpk_at(&buttap(1), &[1.0]);
/// assert_eq!((h[0].re, h[0].im), (0.5, -0.5));
/// ```
pub fn freqs_zpk_at(filter: &Zpk, w: &[f64]) -> Vec<C> {
    w.iter().map(|&w| filter.value(C::new(0.0, w))).collect()
}

/// `n` frequencies from 0 to π, in radians for each sample, and the complex gain of a digital filter at
/// them.
///
/// Computed on the host. SciPy: `signal.freqz_zpk(z, p, k, worN=n)`.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, butter, freqz_zpk};
/// let (_, h) = freqz_zpk(&butter(6, Band::Low(0.5))?, 8);
/// assert!((h[0].norm() - 1.0).abs() < 1e-12 && (h[4].norm() - 0.5f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn freqz_zpk(filter: &Zpk, n: usize) -> (Vec<f64>, Vec<C>) {
    let w = frequencies(n);
    let h = freqz_zpk_at(filter, &w);
    (w, h)
}

/// The complex gain of a digital filter at given frequencies, in radians for each sample.
///
/// Computed on the host. SciPy: `signal.freqz_zpk(z, p, k, worN=w)`.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, butter, freqz_zpk_at};
/// let h = freqz_zpk_at(&butter(6, Band::High(0.5))?, &[0.0]);
/// assert!(h[0].norm() < 1e-12);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn freqz_zpk_at(filter: &Zpk, w: &[f64]) -> Vec<C> {
    w.iter().map(|&w| filter.value(C::from_polar(1.0, w))).collect()
}

/// `n` frequencies from 0 to π, in radians for each sample, and by how many samples a digital filter
/// delays what is around them.
///
/// Computed on the host. SciPy: `signal.group_delay((b, a), w=n)`.
///
/// # Example
/// ```
/// use lazuli::signal::group_delay;
/// // The mean of three samples is that of the middle one's time.
/// let (_, delay) = group_delay(&[1.0, 1.0, 1.0], &[3.0], 4);
/// assert!(delay.iter().all(|d| (d - 1.0).abs() < 1e-14));
/// ```
pub fn group_delay(b: &[f64], a: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let w = frequencies(n);
    let delay = group_delay_at(b, a, &w);
    (w, delay)
}

/// By how many samples a digital filter delays what is around given frequencies, in radians for each
/// sample. Where nothing passes the result is 0, as SciPy's.
///
/// Computed on the host, by J. O. Smith's formula: the logarithmic derivative of the numerator's
/// convolution with the denominator turned around. SciPy: `signal.group_delay((b, a), w=w)`.
///
/// # Example
/// ```
/// use lazuli::signal::group_delay_at;
/// let delay = group_delay_at(&[1.0], &[1.0, -0.5], &[0.0, std::f64::consts::PI]);
/// assert!((delay[0] - 1.0).abs() < 1e-14 && (delay[1] + 1.0 / 3.0).abs() < 1e-14);
/// ```
pub fn group_delay_at(b: &[f64], a: &[f64], w: &[f64]) -> Vec<f64> {
    let turned: Vec<f64> = a.iter().rev().copied().collect();
    let c: Vec<f64> = super::substitutions::multiplied(b, &turned).into_iter().rev().collect();
    let last = c.len().saturating_sub(1);
    let ramped: Vec<f64> = c.iter().enumerate().map(|(k, c)| c * (last - k) as f64).collect();
    let at = |&w: &f64| {
        let back = C::from_polar(1.0, -w);
        let delay = (value(&ramped, back) / value(&c, back)).re - (a.len() as f64 - 1.0);
        if delay.is_finite() { delay } else { 0.0 }
    };
    w.iter().map(at).collect()
}
