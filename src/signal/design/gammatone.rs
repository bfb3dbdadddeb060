//! The gammatone filter, a model of the ear's: M. Slaney, An efficient implementation of the
//! Patterson-Holdsworth auditory filter bank (1993).

use super::substitutions::multiplied;
use crate::dtype::Complex;
use crate::error::{Error, Result};
use std::f64::consts::TAU;

/// The form of a [`gammatone`] filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gammatone {
    /// Without feedback: the response itself, of an order, cut off after so many coefficients. SciPy
    /// takes the order 4 and 15 milliseconds, at least 15 coefficients, by default.
    Fir {
        /// The order.
        order: usize,
        /// The number of coefficients.
        taps: usize,
    },
    /// With feedback, of order 4, whose eight poles are two.
    Iir,
}

/// The filter that the ear is at a frequency, of so many samples a second: `t^(n-1) exp(-2πbt)
/// cos(2πft)`, where `b` is 1.019 of the ear's bandwidth there, `24.7 + f / 9.26449`. The gain at the
/// frequency is nearly 1.
///
/// Computed on the host. Numerator and denominator, for [`lfilter`](super::super::lfilter()). SciPy:
/// `signal.gammatone(freq, ftype, order, numtaps, fs)`.
///
/// # Errors
/// [`Error::is_shape`] for a frequency that does not lie between 0 and half the sampling rate, and for
/// an order that does not lie between 1 and 24.
///
/// # Example
/// ```
/// use lazuli::signal::{Gammatone, freqz_at, gammatone};
/// let (b, a) = gammatone(440.0, 16000.0, Gammatone::Iir)?;
/// let h = freqz_at(&b, &a, &[std::f64::consts::TAU * 440.0 / 16000.0]);
/// assert!((h[0].norm() - 1.0).abs() < 1e-5);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn gammatone(freq: f64, rate: f64, form: Gammatone) -> Result<(Vec<f64>, Vec<f64>)> {
    if !(freq > 0.0 && freq < rate / 2.0) {
        return Err(Error::shape(format!(
            "gammatone: a frequency of {freq} of {rate} samples a second: it lies between 0 and half \
             the rate"
        )));
    }
    let width = TAU * 1.019 * (24.7 + freq / 9.26449);
    match form {
        Gammatone::Iir => Ok(recursive(freq / rate, width / rate)),
        Gammatone::Fir { order, .. } if !(1..=24).contains(&order) => Err(Error::shape(format!(
            "gammatone: an order of {order}, which lies between 1 and 24"
        ))),
        Gammatone::Fir { order, taps } => {
            let factorial: f64 = (1..order).map(|k| k as f64).product();
            let scale = 2.0 * width.powi(order as i32) / factorial / rate;
            let at = |k: usize| {
                let t = k as f64 / rate;
                let envelope = t.powi(order as i32 - 1) * (-width * t).exp();
                scale * envelope * (TAU * freq * t).cos()
            };
            Ok(((0..taps).map(at).collect(), vec![1.0]))
        }
    }
}

/// Slaney's filter of a frequency and a width in turns and radians a sample. Its four zeros beside
/// those at 0 lie at `e^(-b) (cos φ ± √(3 ± √8) sin φ)`, its poles, each four times, at `e^(-b ± iφ)`.
fn recursive(turns: f64, width: f64) -> (Vec<f64>, Vec<f64>) {
    let (phi, fall) = (TAU * turns, (-width).exp());
    let quadratic = [1.0, -2.0 * phi.cos() * fall, fall * fall];
    let a = (0..4).fold(vec![1.0], |a, _| multiplied(&a, &quadratic));
    // The numerator is the transform of the sampled cosine's derivative of third order.
    let binomials = [1.0, -4.0, 6.0, -4.0, 1.0];
    let b =
        binomials.iter().enumerate().map(|(k, c)| c * (k as f64 * phi).cos() * fall.powi(k as i32));
    let b: Vec<f64> = b.collect();
    (b.iter().map(|b| b / gain(phi, fall)).collect(), a)
}

/// Slaney's gain: of the four sections, each with its own zero, at the frequency.
fn gain(phi: f64, fall: f64) -> f64 {
    let turn = Complex::from_polar(1.0, phi);
    let (twice, (sin, cos)) = (turn * turn, phi.sin_cos());
    let offsets = [-(3.0 - 8f64.sqrt()).sqrt(), (3.0 - 8f64.sqrt()).sqrt()];
    let wide = [-(3.0 + 8f64.sqrt()).sqrt(), (3.0 + 8f64.sqrt()).sqrt()];
    let zeros = offsets.iter().chain(&wide);
    let top: Complex<f64> =
        zeros.map(|o| -2.0 * twice + 2.0 * fall * turn * (cos + o * sin)).product();
    let bottom = -2.0 * fall * fall - 2.0 * twice + 2.0 * (1.0 + twice) * fall;
    (top / bottom.powu(4)).norm()
}
