//! Filters that single out one frequency, or one and its multiples: S. J. Orfanidis, Introduction to
//! Signal Processing (1996), chapter 11.

use crate::error::{Error, Result};
use std::f64::consts::PI;

/// A numerator and a denominator.
type Quotient = (Vec<f64>, Vec<f64>);

/// Whether a [`iircomb`] takes frequencies away or leaves them alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Comb {
    /// Takes them away. SciPy: `"notch"`.
    #[default]
    Notch,
    /// Leaves them alone. SciPy: `"peak"`.
    Peak,
}

/// What a [`iircomb`] does to frequency 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AtZero {
    /// Takes it away. SciPy: `pass_zero=False`.
    #[default]
    Stops,
    /// Leaves it as it is. SciPy: `pass_zero=True`.
    Passes,
}

/// Checks a frequency and a quality.
fn check(name: &str, w0: f64, q: f64) -> Result<()> {
    if w0 > 0.0 && w0 < 1.0 && q > 0.0 {
        return Ok(());
    }
    Err(Error::shape(format!(
        "{name}: a frequency of {w0} and a quality of {q}: the first lies between 0 and 1, which is \
         half the sampling rate, the second is positive"
    )))
}

/// The coefficients of both filters: the gain, the cosine of the frequency, and what is left of 1.
fn second_order(name: &str, w0: f64, q: f64) -> Result<(f64, f64)> {
    check(name, w0, q)?;
    let w0 = PI * w0;
    // Half the width of the band at -3 dB.
    let beta = (w0 / q / 2.0).tan();
    Ok((1.0 / (1.0 + beta), w0.cos()))
}

/// A filter of second order that takes a narrow band around a frequency away, which is `1 / q` of it
/// wide at -3 dB. The frequency is a fraction of Nyquist's, half the sampling rate.
///
/// Computed on the host. Numerator and denominator, for [`lfilter`](super::super::lfilter()). SciPy:
/// `signal.iirnotch(w0, Q)`.
///
/// # Errors
/// [`Error::is_shape`] for a frequency that does not lie between 0 and 1, and a quality that is not
/// positive.
///
/// # Example
/// ```
/// use lazuli::signal::{freqz_at, iirnotch};
/// // 50 Hz of 1000 samples a second.
/// let (b, a) = iirnotch(50.0 / 500.0, 30.0)?;
/// let h = freqz_at(&b, &a, &[0.1 * std::f64::consts::PI, 1.0]);
/// assert!(h[0].norm() < 1e-12 && h[1].norm() > 0.999);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn iirnotch(w0: f64, q: f64) -> Result<(Vec<f64>, Vec<f64>)> {
    let (gain, cosine) = second_order("iirnotch", w0, q)?;
    let middle = -2.0 * gain * cosine;
    Ok((vec![gain, middle, gain], vec![1.0, middle, 2.0 * gain - 1.0]))
}

/// A filter of second order that passes a narrow band around a frequency alone, which is `1 / q` of it
/// wide at -3 dB. The frequency is a fraction of Nyquist's, half the sampling rate.
///
/// Computed on the host. Numerator and denominator, for [`lfilter`](super::super::lfilter()). SciPy:
/// `signal.iirpeak(w0, Q)`.
///
/// # Errors
/// As [`iirnotch`].
///
/// # Example
/// ```
/// use lazuli::signal::{freqz_at, iirpeak};
/// let (b, a) = iirpeak(0.1, 30.0)?;
/// let h = freqz_at(&b, &a, &[0.1 * std::f64::consts::PI, 1.0]);
/// assert!((h[0].norm() - 1.0).abs() < 1e-12 && h[1].norm() < 0.03);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn iirpeak(w0: f64, q: f64) -> Result<(Vec<f64>, Vec<f64>)> {
    let (gain, cosine) = second_order("iirpeak", w0, q)?;
    let a = vec![1.0, -2.0 * gain * cosine, 2.0 * gain - 1.0];
    Ok((vec![1.0 - gain, 0.0, gain - 1.0], a))
}

/// A filter that takes a frequency and its multiples away, or passes them alone, each in a band that
/// is `1 / q` of the frequency wide at -3 dB. Where 0 is treated the other way, the frequencies lie in
/// the middle between those multiples. The frequency is a fraction of Nyquist's and divides 2, the
/// sampling rate.
///
/// Computed on the host. Numerator and denominator, for [`lfilter`](super::super::lfilter()). SciPy:
/// `signal.iircomb(w0, Q, ftype, pass_zero=…)`.
///
/// # Errors
/// As [`iirnotch`], and [`Error::is_shape`] for a frequency that does not divide the sampling rate.
///
/// # Example
/// ```
/// use lazuli::signal::{AtZero, Comb, freqz_at, iircomb};
/// let (b, a) = iircomb(0.2, 30.0, Comb::Notch, AtZero::Stops)?;
/// assert_eq!(b.len(), 11);
/// let h = freqz_at(&b, &a, &[0.0, 0.4 * std::f64::consts::PI, 0.5]);
/// assert!(h[0].norm() < 1e-12 && h[1].norm() < 1e-12 && h[2].norm() > 0.99);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn iircomb(w0: f64, q: f64, comb: Comb, at_zero: AtZero) -> Result<Quotient> {
    check("iircomb", w0, q)?;
    let order = (2.0 / w0).round();
    if (w0 - 2.0 / order).abs() > 2e-14 || order > f64::from(u32::MAX) {
        return Err(Error::shape(format!(
            "iircomb: a frequency of {w0} does not divide 2, which is the sampling rate"
        )));
    }
    let beta = (order * PI * w0 / q / 4.0).tan();
    // The gains where the wave of the order's frequency is 1, and where it is -1.
    let (low, high) = match comb {
        Comb::Notch => (1.0, 0.0),
        Comb::Peak => (0.0, 1.0),
    };
    let first = (low + high * beta) / (1.0 + beta);
    let last = (low - high * beta) / (1.0 + beta);
    let pole = (1.0 - beta) / (1.0 + beta);
    let sign = match (comb, at_zero) {
        (Comb::Notch, AtZero::Stops) | (Comb::Peak, AtZero::Passes) => -1.0,
        _ => 1.0,
    };
    let ends = |first: f64, last: f64| {
        let mut c = vec![0.0; order as usize + 1];
        (c[0], c[order as usize]) = (first, sign * last);
        c
    };
    Ok((ends(first, last), ends(1.0, pole)))
}
