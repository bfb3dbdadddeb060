//! Intervals of the parameters of a normal distribution.

use super::sample::{at_least, host};
use crate::array::{DeviceArray, located};
use crate::dtype::Real;
use crate::error::{Error, Result};
use crate::special::device::{betaincinv, gammainccinv, ndtri};

/// What is known of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BayesInterval {
    /// The mean of its distribution.
    pub center: f64,
    /// The interval that holds it with the probability that was asked for, as likely above as below.
    pub interval: (f64, f64),
}

/// What [`bayes_mvs`] gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BayesIntervals {
    /// The mean.
    pub mean: BayesInterval,
    /// The variance.
    pub variance: BayesInterval,
    /// The standard deviation.
    pub std: BayesInterval,
}

/// The value that a variable of Student's t stays below with a probability of a half or more.
fn student_quantile(q: f64, df: f64) -> f64 {
    let x = betaincinv(0.5 * df, 0.5, 2.0 * (1.0 - q));
    (df * (1.0 - x) / x).sqrt()
}

/// By normal distributions, for many elements.
fn by_normal(n: f64, mean: f64, variance: f64, upper: f64) -> BayesIntervals {
    let z = ndtri(upper);
    let around = |center: f64, width: f64| BayesInterval {
        center,
        interval: (center - z * width, center + z * width),
    };
    BayesIntervals {
        mean: around(mean, (variance / n).sqrt()),
        variance: around(variance, (2.0 / n).sqrt() * variance),
        std: around(variance.sqrt(), (variance / (2.0 * n)).sqrt()),
    }
}

/// Γ(a - 1/2) / Γ(a).
fn gamma_ratio(a: f64) -> f64 {
    (libm::lgamma(a - 0.5) - libm::lgamma(a)).exp()
}

fn exactly(n: f64, mean: f64, variance: f64, upper: f64) -> BayesIntervals {
    let (df, scale) = (n - 1.0, 0.5 * n * variance);
    let a = 0.5 * df;
    let width = student_quantile(upper, df) * (variance / df).sqrt();
    // The inverse of a gamma variable; its root has the standard deviation's distribution.
    let quantile = |q: f64| scale / gammainccinv(a, q);
    let (low, high) = (quantile(1.0 - upper), quantile(upper));
    let center = if a > 1.0 { scale / (a - 1.0) } else { f64::INFINITY };
    let root = if a > 0.5 { scale.sqrt() * gamma_ratio(a) } else { f64::INFINITY };
    BayesIntervals {
        mean: BayesInterval {
            // With one degree of freedom there is no mean, for which SciPy has infinity.
            center: if df > 1.0 { mean } else { f64::INFINITY },
            interval: (mean - width, mean + width),
        },
        variance: BayesInterval { center, interval: (low, high) },
        std: BayesInterval { center: root, interval: (low.sqrt(), high.sqrt()) },
    }
}

/// What a sample of a normal distribution says of its mean, its variance and its standard deviation,
/// nothing being known before: the means of their distributions, and intervals that hold them with a
/// probability, 0.9 say. For more than 1000 elements by normal distributions (T. E. Oliphant, "A
/// Bayesian perspective on estimating mean, variance, and standard-deviation from data", 2006).
///
/// **Evaluates**, and works on the host. **Shape.** The array has any. **Dtype.** `f64`. SciPy:
/// `stats.bayes_mvs`.
///
/// # Errors
/// [`Error::is_shape`] where there are fewer than 2 elements or the probability is not between 0 and 1;
/// what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[6.0f64, 9.0, 12.0, 7.0, 8.0, 8.0, 13.0])?;
/// let known = lazuli::stats::bayes_mvs(&a, 0.9)?;
/// assert!((known.mean.interval.0 - 7.103650222492962).abs() < 1e-10);
/// assert!((known.variance.center - 10.0).abs() < 1e-12);
/// assert!((known.std.interval.1 - 4.945614605014631).abs() < 1e-9);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn bayes_mvs<T: Real>(a: &DeviceArray<T>, probability: f64) -> Result<BayesIntervals> {
    let find = || {
        at_least("bayes_mvs", a.len(), 2)?;
        if !(probability > 0.0 && probability < 1.0) {
            return Err(Error::shape(format!("bayes_mvs: the probability is {probability}")));
        }
        let values = host(a)?;
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let upper = 0.5 + 0.5 * probability;
        Ok(match n > 1000.0 {
            true => by_normal(n, mean, variance, upper),
            false => exactly(n, mean, variance, upper),
        })
    };
    located(find())
}
