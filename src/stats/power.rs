//! Power transformations.

use super::sample::{Sample, at_least};
use crate::array::{Axes, DeviceArray, checked_fns, located, recorded};
use crate::dtype::{Element, Real};
use crate::error::{Error, Result};

/// The transformation of Box and Cox of positive numbers: `(x^λ - 1) / λ`, for 0 its limit.
#[track_caller]
fn transformed(x: &DeviceArray<f64>, lambda: f64) -> DeviceArray<f64> {
    match lambda.abs() < 1e-19 {
        true => x.ln(),
        false => (x.ln() * lambda).exp_m1() / lambda,
    }
}

/// The logarithm of the likelihood of a parameter. A variance is not changed by a constant: powers are
/// compared with their logarithms' mean taken away, so that none overflows.
#[track_caller]
fn likelihood(a: &Sample, lambda: f64) -> DeviceArray<f64> {
    let logs = a.x.ln();
    let mean = logs.mean(a.axes.kept());
    let total = logs.sum(a.axes);
    if lambda == 0.0 {
        return (total * -1.0) - logs.var(a.axes).ln() * (0.5 * a.n);
    }
    let powers = ((&logs - &mean) * lambda).exp() / lambda;
    let log_variance = powers.var(a.axes).ln() + logs.mean(a.axes) * (2.0 * lambda);
    total * (lambda - 1.0) - log_variance * (0.5 * a.n)
}

checked_fns! {
    /// The transformation of Box and Cox by a given parameter, `(x^λ - 1) / λ`, or the logarithm for a
    /// parameter of 0; NaN for negative numbers.
    ///
    /// **Shape.** The array's. **Dtype.** As [`mean`](DeviceArray::mean). SciPy:
    /// `stats.boxcox(x, lmbda)`, `special.boxcox`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0])?;
    /// let b = lazuli::stats::boxcox_with(&a, 2.0).to_vec()?;
    /// assert!(b[0] == 0.0 && (b[1] - 4.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn boxcox_with | try_boxcox_with<T: Real>(
        a: &DeviceArray<T>,
        lambda: f64,
    ) -> DeviceArray<T::Mean> {
        Ok(transformed(&a.cast(), lambda).cast())
    }

    /// The logarithm of the likelihood of a parameter of the transformation of Box and Cox, over the
    /// axes.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.boxcox_llf`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0])?;
    /// assert!(lazuli::stats::boxcox_llf(1.0, &a, ..).item()?.abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn boxcox_llf | try_boxcox_llf<T: Real>(
        lambda: f64,
        a: &DeviceArray<T>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        Ok(likelihood(&Sample::new("boxcox_llf", a, axes)?, lambda).cast())
    }
}

/// The place of a maximum near an interval: parabolas through three points, or the golden section
/// where these do not help (R. P. Brent, "Algorithms for minimization without derivatives", 1973).
fn maximum(mut value: impl FnMut(f64) -> Result<f64>, low: f64, high: f64) -> Result<f64> {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    let (mut low, mut high) = (low, high);
    let mut x = low + GOLDEN * (high - low);
    let (mut w, mut v) = (x, x);
    let mut fx = value(x)?;
    let (mut fw, mut fv) = (fx, fx);
    let (mut step, mut before) = (0.0f64, 0.0f64);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        let tolerance = 1e-9 * x.abs() + 1e-11;
        if (x - middle).abs() <= 2.0 * tolerance - 0.5 * (high - low) {
            break;
        }
        let r = (x - w) * (fx - fv);
        let mut q = (x - v) * (fx - fw);
        let mut p = (x - v) * q - (x - w) * r;
        q = 2.0 * (q - r);
        if q > 0.0 {
            p = -p
        } else {
            q = -q
        }
        let useful = before.abs() > tolerance
            && p.abs() < (0.5 * q * before).abs()
            && p > q * (low - x)
            && p < q * (high - x);
        if useful {
            (before, step) = (step, p / q);
        } else {
            before = if x < middle { high - x } else { low - x };
            step = GOLDEN * before;
        }
        let u = x + if step.abs() >= tolerance { step } else { tolerance.copysign(step) };
        let fu = value(u)?;
        if fu >= fx {
            if u < x {
                high = x
            } else {
                low = x
            }
            (v, fv, w, fw, x, fx) = (w, fw, x, fx, u, fu);
        } else {
            if u < x {
                low = u
            } else {
                high = u
            }
            if fu >= fw || w == x {
                (v, fv, w, fw) = (w, fw, u, fu);
            } else if fu >= fv || v == x || v == w {
                (v, fv) = (u, fu);
            }
        }
    }
    Ok(x)
}

/// The transformation of Box and Cox with the parameter of the largest likelihood, and the parameter:
/// what makes positive numbers as normal as a power can.
///
/// **Shape.** The array's. **Dtype.** As [`mean`](DeviceArray::mean), and `f64`.
///
/// **Evaluates** the likelihood of some dozens of parameters; records the transformation. SciPy:
/// `stats.boxcox`.
///
/// # Errors
/// [`Error::is_shape`] where there are fewer than 2 elements, where one is not positive, or where all
/// are the same; what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::linspace(-2.0, 2.0, 101).exp();
/// let (normal, lambda) = lazuli::stats::boxcox(&a)?;
/// assert!(lambda.abs() < 1e-6);
/// assert!((normal - a.ln()).abs().max(..).item()? < 1e-5);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn boxcox<T: Real>(a: &DeviceArray<T>) -> Result<(DeviceArray<<T as Element>::Mean>, f64)> {
    let find = || {
        at_least("boxcox", a.len(), 2)?;
        let sample = Sample::new("boxcox", &a.cast::<f64>(), ..)?;
        let (least, most) = (sample.x.min(..), sample.x.max(..));
        crate::array::eval(&[&least, &most])?;
        let (least, most) = (least.item()?, most.item()?);
        // NaN is not positive either.
        if !(least > 0.0 && least < most) {
            return Err(Error::shape(format!(
                "boxcox: elements from {least} to {most}; they are positive and differ"
            )));
        }
        let value = |lambda: f64| likelihood(&sample, lambda).item();
        // The likelihood has one maximum; an interval that holds it is grown.
        let (mut low, mut high) = (-2.0, 2.0);
        let mut lambda = maximum(value, low, high)?;
        while lambda - low < 1e-3 * (high - low) || high - lambda < 1e-3 * (high - low) {
            (low, high) = (4.0 * low, 4.0 * high);
            if high > 1e6 {
                break;
            }
            lambda = maximum(value, low, high)?;
        }
        Ok((try_boxcox_with(a, lambda)?, lambda))
    };
    located(recorded(find))
}
