//! Waves as functions of time: sweeps of frequency, squares, saw teeth, pulses.
//!
//! Phases are computed in `f64` and results rounded once: a phase of many turns has lost what `f32`
//! could say of it.

use crate::DeviceArray;
use crate::Operand;
use crate::array::checked_fns;
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::vectorize;
use std::f64::consts::{PI, TAU};

/// How the frequency of a [`chirp`](fn@chirp) goes from one to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sweep {
    /// `f(t) = f0 + (f1 - f0) t / t1`.
    #[default]
    Linear,
    /// A parabola whose vertex is at the time 0: `f(t) = f0 + (f1 - f0) (t / t1)²`.
    Quadratic,
    /// A parabola whose vertex is at the time `t1`: `f(t) = f1 - (f1 - f0) (1 - t / t1)²`. SciPy:
    /// `vertex_zero=False`.
    QuadraticToVertex,
    /// `f(t) = f0 (f1 / f0)^(t / t1)`; both frequencies have one sign.
    Logarithmic,
    /// `f(t) = f0 f1 t1 / ((f0 - f1) t + f1 t1)`; no frequency is 0.
    Hyperbolic,
}

/// The integral of a sweep's frequency from 0 to `t`, times 2π.
fn phase(
    t: &DeviceArray<f64>,
    f0: f64,
    t1: f64,
    f1: f64,
    sweep: Sweep,
) -> Result<DeviceArray<f64>> {
    let rise = f1 - f0;
    Ok(match sweep {
        Sweep::Linear => (t * (0.5 * rise / t1) + f0) * t * TAU,
        Sweep::Quadratic => (t.square() * (rise / (3.0 * t1 * t1)) + f0) * t * TAU,
        Sweep::QuadraticToVertex => {
            let left = (t1 - t).powi(3) - t1.powi(3);
            (t * f1 + left * (rise / (3.0 * t1 * t1))) * TAU
        }
        Sweep::Logarithmic if f0 * f1 <= 0.0 => {
            return Err(Error::shape(format!(
                "chirp: a logarithmic sweep from {f0} to {f1}: both must be of one sign, and none 0"
            )));
        }
        Sweep::Hyperbolic if f0 == 0.0 || f1 == 0.0 => {
            return Err(Error::shape(format!(
                "chirp: a hyperbolic sweep from {f0} to {f1}: none may be 0"
            )));
        }
        Sweep::Logarithmic | Sweep::Hyperbolic if f0 == f1 => t * (TAU * f0),
        Sweep::Logarithmic => {
            let turns = (f1 / f0).ln();
            // e^x - 1 keeps what a slow sweep adds.
            (t * (turns / t1)).exp_m1() * (TAU * f0 * t1 / turns)
        }
        Sweep::Hyperbolic => {
            // The time at which the frequency is infinite.
            let pole = f1 * t1 / rise;
            (t / -pole + 1.0).abs().ln() * (-TAU * pole * f0)
        }
    })
}

/// A square wave at a phase.
#[vectorize]
fn square_at(t: f64, duty: f64) -> f64 {
    if duty < 0.0 || duty > 1.0 {
        f64::NAN
    } else if t.rem_euclid(TAU) < duty * TAU {
        1.0
    } else {
        -1.0
    }
}

/// A saw tooth at a phase.
#[vectorize]
fn sawtooth_at(t: f64, width: f64) -> f64 {
    let turn = t.rem_euclid(TAU);
    if width < 0.0 || width > 1.0 {
        f64::NAN
    } else if turn < width * TAU {
        turn / (PI * width) - 1.0
    } else {
        (PI * (width + 1.0) - turn) / (PI * (1.0 - width))
    }
}

/// The factor of `-t²` in the exponent of a pulse's envelope.
fn decay(name: &str, fc: f64, bandwidth: f64, reference: f64) -> Result<f64> {
    if !(fc >= 0.0 && bandwidth > 0.0 && reference < 0.0) {
        return Err(Error::shape(format!(
            "{name}: a centre frequency of {fc}, a bandwidth of {bandwidth} of it, measured at \
             {reference} dB: the first must not be negative, the second must be positive, the third \
             negative"
        )));
    }
    let level = reference * std::f64::consts::LN_10 / 20.0;
    Ok(-(PI * fc * bandwidth).powi(2) / (4.0 * level))
}

/// The time from which on the envelope of a [`gausspulse`](fn@gausspulse) is below `floor` decibels.
///
/// Computed on the host. SciPy: `signal.gausspulse("cutoff", fc, bandwidth, reference, floor)`.
///
/// # Errors
/// [`Error::is_shape`] as [`gausspulse`](fn@gausspulse), and where the floor is not negative.
///
/// # Example
/// ```
/// use lazuli::signal::gausspulse_cutoff;
/// let t = gausspulse_cutoff(1000.0, 0.5, -6.0, -60.0)?;
/// assert!((t - 2.7813e-3).abs() < 1e-7);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn gausspulse_cutoff(fc: f64, bandwidth: f64, reference: f64, floor: f64) -> Result<f64> {
    let a = decay("gausspulse_cutoff", fc, bandwidth, reference)?;
    if floor.is_nan() || floor >= 0.0 {
        return Err(Error::shape(format!(
            "gausspulse_cutoff: a floor of {floor} dB; it must be negative"
        )));
    }
    Ok((-floor * std::f64::consts::LN_10 / 20.0 / a).sqrt())
}

checked_fns! {
    /// A cosine whose frequency goes from `f0` at the time 0 to `f1` at the time `t1`, in cycles for
    /// each unit of time. `phi` is added to the phase, in degrees.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; computed in `f64` and rounded once. A
    /// logarithmic sweep between frequencies of different signs is an error, and a hyperbolic one
    /// from or to 0. SciPy: `signal.chirp(t, f0, t1, f1, method=sweep, phi=phi)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Sweep, chirp};
    /// let t = DeviceArray::from_slice(&[0.0f64, 0.5, 1.0])?;
    /// // After half a second at 0 to 2 cycles a second, a quarter of a turn.
    /// let y = chirp(&t, 0.0, 1.0, 2.0, Sweep::Linear, 0.0).to_vec()?;
    /// assert!(y[0] == 1.0 && y[1].abs() < 1e-15 && (y[2] - 1.0).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn chirp | try_chirp<T: Floating>(
        t: &DeviceArray<T>,
        f0: f64,
        t1: f64,
        f1: f64,
        sweep: Sweep,
        phi: f64,
    ) -> DeviceArray<T> {
        let phase = phase(&t.cast(), f0, t1, f1, sweep)?;
        Ok((phase + phi.to_radians()).cos().cast())
    }

    /// A cosine whose frequency is a polynomial of time, given from its highest power down. `phi` is
    /// added to the phase, in degrees.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; computed in `f64` and rounded once. SciPy:
    /// `signal.sweep_poly`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::sweep_poly;
    /// let t = DeviceArray::from_slice(&[0.0f64, 1.0])?;
    /// // Between 0 and 1, 2t cycles a second are one turn.
    /// let y = sweep_poly(&t, &[2.0, 0.0], 180.0).to_vec()?;
    /// assert_eq!(y, [-1.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn sweep_poly | try_sweep_poly<T: Floating>(
        t: &DeviceArray<T>,
        polynomial: &[f64],
        phi: f64,
    ) -> DeviceArray<T> {
        let t = t.cast::<f64>();
        let n = polynomial.len();
        // Horner's rule of the integral, whose constant is 0.
        let turns = polynomial.iter().enumerate().fold(t.zeros_like(), |sum, (k, c)| {
            (sum + c / (n - k) as f64) * &t
        });
        Ok((turns * TAU + phi.to_radians()).cos().cast())
    }

    /// A square wave of the period 2π: 1 in the fraction `duty` of a period, then -1. Where the
    /// fraction is below 0 or above 1 the result is NaN.
    ///
    /// **Shape.** The arguments broadcast against each other. **Dtype.** The array's. SciPy:
    /// `signal.square`, whose `duty` is 0.5 by default.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::square;
    /// let t = DeviceArray::from_slice(&[0.0, 3.0, 4.0, -1.0])?;
    /// assert_eq!(square(&t, 0.5).to_vec()?, [1.0, 1.0, -1.0, -1.0]);
    /// assert_eq!(square(&t, 0.75).to_vec()?, [1.0, 1.0, 1.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn square | try_square<T: Floating>(
        t: &DeviceArray<T>,
        duty: impl Operand<f64>,
    ) -> DeviceArray<T> {
        Ok(square_at::try_call(t.cast::<f64>(), duty)?.cast())
    }

    /// A saw tooth of the period 2π: it rises from -1 to 1 in the fraction `width` of a period, and
    /// falls back in the rest. Where the fraction is not between 0 and 1 the result is NaN.
    ///
    /// **Shape.** The arguments broadcast against each other. **Dtype.** The array's; computed in
    /// `f64` and rounded once. SciPy: `signal.sawtooth`, whose `width` is 1 by default.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::sawtooth;
    /// let t = DeviceArray::from_slice(&[0.0, std::f64::consts::PI])?;
    /// assert_eq!(sawtooth(&t, 1.0).to_vec()?, [-1.0, 0.0]);
    /// assert_eq!(sawtooth(&t, 0.5).to_vec()?, [-1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn sawtooth | try_sawtooth<T: Floating>(
        t: &DeviceArray<T>,
        width: impl Operand<f64>,
    ) -> DeviceArray<T> {
        Ok(sawtooth_at::try_call(t.cast::<f64>(), width)?.cast())
    }

    /// A pulse: a wave of the frequency `fc` under a Gaussian envelope, whose spectrum is
    /// `bandwidth` times `fc` wide where it is `reference` decibels below its peak. The results are the
    /// part in phase, the quadrature and the envelope; those that are not used are not computed.
    ///
    /// **Shape.** The array's, each. **Dtype.** The array's; computed in `f64` and rounded once. A
    /// negative frequency, a bandwidth that is not positive and a reference that is not negative are
    /// errors. SciPy: `signal.gausspulse(t, fc, bandwidth, reference, retquad=True, retenv=True)`;
    /// its `"cutoff"` is [`gausspulse_cutoff`].
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::gausspulse;
    /// let t = DeviceArray::from_slice(&[0.0f64, 0.25])?;
    /// let (wave, quadrature, envelope) = gausspulse(&t, 1.0, 0.5, -6.0);
    /// assert_eq!(wave.get(0)?, 1.0);
    /// // A quarter of a turn later all is quadrature.
    /// assert!(wave.get(1)?.abs() < 1e-15);
    /// assert_eq!(quadrature.get(1)?, envelope.get(1)?);
    /// # Ok::<(), Error>(())
    /// ```
    fn gausspulse | try_gausspulse<T: Floating>(
        t: &DeviceArray<T>,
        fc: f64,
        bandwidth: f64,
        reference: f64,
    ) -> (DeviceArray<T>, DeviceArray<T>, DeviceArray<T>) {
        let a = decay("gausspulse", fc, bandwidth, reference)?;
        let t = t.cast::<f64>();
        let (envelope, angle) = ((t.square() * -a).exp(), t * (TAU * fc));
        let (wave, quadrature) = (angle.cos() * &envelope, angle.sin() * &envelope);
        Ok((wave.cast(), quadrature.cast(), envelope.cast()))
    }
}
