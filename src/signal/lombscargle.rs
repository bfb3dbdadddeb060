//! The periodogram of samples that are not evenly spaced.

use crate::DeviceArray;
use crate::array::checked_fns;
use crate::dtype::Floating;
use crate::error::{Error, Result};

/// What [`lombscargle`] measures power in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Power {
    /// The square of the amplitude times a quarter of the number of samples. SciPy: `"power"`.
    #[default]
    Absolute,
    /// The part of the signal's power that the wave explains, from 0 to 1. SciPy: `"normalize"`.
    Relative,
}

/// What is subtracted from the signal in [`lombscargle`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mean {
    /// Nothing. SciPy: `floating_mean=False`.
    #[default]
    Zero,
    /// A constant that is fitted together with the wave of each frequency. SciPy:
    /// `floating_mean=True`.
    Floating,
}

/// A line of numbers.
fn line<T: Floating>(what: &str, a: &DeviceArray<T>) -> Result<DeviceArray<f64>> {
    match a.ndim() {
        1 => Ok(a.cast()),
        _ => Err(Error::shape(format!(
            "lombscargle: {what} of shape {:?}, which must have one axis",
            a.shape()
        ))),
    }
}

/// The sums over samples of which the fit at each frequency consists.
struct Sums<'a> {
    /// The angles, frequencies down and samples to the right.
    angles: &'a DeviceArray<f64>,
    weights: &'a DeviceArray<f64>,
    mean: Mean,
}

impl Sums<'_> {
    /// The weighted mean over samples.
    fn over(&self, a: DeviceArray<f64>) -> Result<DeviceArray<f64>> {
        (a * self.weights).try_sum(1)
    }

    /// The variances of cosine and sine and their covariance: about 0, or about their means.
    fn moments(&self) -> Result<[DeviceArray<f64>; 3]> {
        let (cos, sin) = (self.angles.cos(), self.angles.sin());
        let cc = self.over(cos.square())?;
        let ss = self.over(sin.square())?;
        let cs = self.over(&cos * &sin)?;
        if self.mean == Mean::Zero {
            return Ok([cc, ss, cs]);
        }
        let (c, s) = (self.over(cos)?, self.over(sin)?);
        Ok([cc - c.square(), ss - s.square(), cs - c * s])
    }
}

/// The power at each frequency: M. Zechmeister and M. Kürster, The generalised Lomb-Scargle
/// periodogram (2009), with the phase of Lomb and Scargle for which cosine and sine do not correlate.
fn powers(
    x: &DeviceArray<f64>,
    y: &DeviceArray<f64>,
    freqs: &DeviceArray<f64>,
    weights: &DeviceArray<f64>,
    (power, mean): (Power, Mean),
) -> Result<DeviceArray<f64>> {
    let n = x.len() as f64;
    let (count, samples) = (freqs.len() as isize, x.len() as isize);
    let column = |a: &DeviceArray<f64>| a.try_reshape([count, 1]);
    let row = |a: &DeviceArray<f64>| a.try_reshape([1, samples]);
    let (x, y) = (row(x)?, row(y)?);
    let weights = row(&(weights / weights.try_sum(..)?))?;
    let angles = column(freqs)? * x;
    let [cc, ss, cs] = Sums { angles: &angles, weights: &weights, mean }.moments()?;
    let tau = (cs * 2.0).try_atan2(&(cc - ss))? * 0.5;
    let angles = angles - column(&tau)?;
    let sums = Sums { angles: &angles, weights: &weights, mean };
    let [cc, ss, _] = sums.moments()?;
    let (cos, sin) = (angles.cos(), angles.sin());
    let (mut yc, mut ys, mut yy) =
        (sums.over(&cos * &y)?, sums.over(&sin * &y)?, sums.over(y.square())?);
    if mean == Mean::Floating {
        let whole = sums.over(y)?;
        yc -= &whole * sums.over(cos)?;
        ys -= &whole * sums.over(sin)?;
        yy -= whole.square();
    }
    // Where all samples lie in a wave's roots, what would be divided by is rounding alone.
    let least = f64::EPSILON / 2.0;
    let explained = yc.square() / cc.try_maximum(least)? + ys.square() / ss.try_maximum(least)?;
    Ok(match power {
        Power::Absolute => explained * (n / 2.0),
        Power::Relative => explained / yy,
    })
}

checked_fns! {
    /// The power of the waves that fit samples `y` at the times `x` best, at frequencies given in
    /// radians for each unit of time. Samples may be weighted; without weights all count alike.
    ///
    /// Each frequency is a sum over all samples, so that the time is the product of both numbers.
    ///
    /// **Shape.** The frequencies', which have one axis. **Dtype.** The arrays'; computed in `f64` and
    /// rounded once. Times, samples and weights of different lengths are an error, and none at all.
    /// SciPy: `signal.lombscargle(x, y, freqs, normalize=…, weights=…, floating_mean=…)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Mean, Power, lombscargle};
    /// let x = DeviceArray::from_slice(&[0.0f64, 0.7, 1.1, 2.9, 3.0, 4.2, 5.5])?;
    /// let y = (&x * 2.0).sin() * 3.0;
    /// let freqs = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
    /// let power = lombscargle(&x, &y, &freqs, None, Power::Relative, Mean::Zero);
    /// // All of the signal is a wave of 2 radians for each unit of time.
    /// assert!((power.get(1)? - 1.0).abs() < 1e-12 && power.get(0)? < 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn lombscargle | try_lombscargle<T: Floating>(
        x: &DeviceArray<T>,
        y: &DeviceArray<T>,
        freqs: &DeviceArray<T>,
        weights: Option<&DeviceArray<T>>,
        power: Power,
        mean: Mean,
    ) -> DeviceArray<T> {
        let (x, y, freqs) = (line("times", x)?, line("samples", y)?, line("frequencies", freqs)?);
        let weights = match weights {
            Some(weights) => line("weights", weights)?,
            None => x.ones_like(),
        };
        if x.is_empty() || x.len() != y.len() || x.len() != weights.len() {
            return Err(Error::shape(format!(
                "lombscargle: {} times, {} samples and {} weights: there must be as many, one at least",
                x.len(), y.len(), weights.len()
            )));
        }
        Ok(powers(&x, &y, &freqs, &weights, (power, mean))?.cast())
    }
}
