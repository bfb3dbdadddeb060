//! What filters do to frequencies.

use crate::dtype::Complex;
use std::f64::consts::PI;

/// `n` frequencies from 0 to π, which is left out, in radians for each sample.
pub(in crate::signal) fn frequencies(n: usize) -> Vec<f64> {
    (0..n).map(|k| PI * k as f64 / n as f64).collect()
}

/// The polynomial in z⁻¹ with these coefficients.
fn value(c: &[f64], back: Complex<f64>) -> Complex<f64> {
    c.iter().rev().fold(Complex::new(0.0, 0.0), |sum, &c| sum * back + c)
}

/// `n` frequencies from 0 to π, in radians for each sample, and the complex gain of a filter at them.
///
/// Computed on the host. SciPy: `signal.freqz(b, a, worN=n)`.
///
/// # Example
/// ```
/// use lazuli::signal::freqz;
/// let (w, h) = freqz(&[0.5, 0.5], &[1.0], 4);
/// assert_eq!((w[0], h[0].re), (0.0, 1.0));
/// assert!((h[2].norm() - 0.5f64.sqrt()).abs() < 1e-15);
/// ```
pub fn freqz(b: &[f64], a: &[f64], n: usize) -> (Vec<f64>, Vec<Complex<f64>>) {
    let w = frequencies(n);
    let h = freqz_at(b, a, &w);
    (w, h)
}

/// The complex gain of a filter at given frequencies, in radians for each sample.
///
/// Computed on the host. SciPy: `signal.freqz(b, a, worN=w)`.
///
/// # Example
/// ```
/// use lazuli::signal::freqz_at;
/// let h = freqz_at(&[1.0], &[1.0, -0.5], &[0.0, std::f64::consts::PI]);
/// assert!((h[0].re - 2.0).abs() < 1e-15 && (h[1].re - 2.0 / 3.0).abs() < 1e-15);
/// ```
pub fn freqz_at(b: &[f64], a: &[f64], w: &[f64]) -> Vec<Complex<f64>> {
    let at = |w: &f64| {
        let back = Complex::from_polar(1.0, -w);
        value(b, back) / value(a, back)
    };
    w.iter().map(at).collect()
}

/// `n` frequencies from 0 to π, in radians for each sample, and the complex gain of a cascade of
/// sections at them.
///
/// Computed on the host. SciPy: `signal.sosfreqz`, `signal.freqz_sos`.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, butter, sosfreqz};
/// let (_, h) = sosfreqz(&butter(6, Band::Low(0.5))?.sos(), 8);
/// assert!((h[0].norm() - 1.0).abs() < 1e-12 && (h[4].norm() - 0.5f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn sosfreqz(sos: &[[f64; 6]], n: usize) -> (Vec<f64>, Vec<Complex<f64>>) {
    let w = frequencies(n);
    let h = sosfreqz_at(sos, &w);
    (w, h)
}

/// The complex gain of a cascade of sections at given frequencies, in radians for each sample.
///
/// Computed on the host. SciPy: `signal.sosfreqz(sos, worN=w)`.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, butter, sosfreqz_at};
/// let h = sosfreqz_at(&butter(6, Band::High(0.5))?.sos(), &[0.0]);
/// assert!(h[0].norm() < 1e-12);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn sosfreqz_at(sos: &[[f64; 6]], w: &[f64]) -> Vec<Complex<f64>> {
    let at = |w: &f64| {
        let back = Complex::from_polar(1.0, -w);
        let one = |row: &[f64; 6]| value(&row[..3], back) / value(&row[3..], back);
        sos.iter().map(one).product()
    };
    w.iter().map(at).collect()
}
