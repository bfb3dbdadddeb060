//! How many bins of one width a histogram of given elements should have: NumPy's rules.

use super::counting::{Bins, Line};
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::Real;
use crate::error::Result;
use std::f64::consts::PI;

/// A rule for the number of bins of a histogram, by the number of elements and their spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BinRule {
    /// The narrower bins of those by [`Sturges`](Self::Sturges) and by
    /// [`FreedmanDiaconis`](Self::FreedmanDiaconis), of the latter not more than twice those by
    /// [`Sqrt`](Self::Sqrt). NumPy: `auto`.
    #[default]
    Auto,
    /// By the distance between the quartiles. NumPy: `fd`.
    FreedmanDiaconis,
    /// Sturges' rule with a term for the skewness. NumPy: `doane`.
    Doane,
    /// By the standard deviation. NumPy: `scott`.
    Scott,
    /// The number, up to 100 or the root of the number of elements, for which cross-validation
    /// estimates the least error: one histogram for each. NumPy: `stone`.
    Stone,
    /// Twice the cube root of the number of elements. NumPy: `rice`.
    Rice,
    /// The logarithm of the number of elements to the base 2, and 1. NumPy: `sturges`.
    Sturges,
    /// The square root of the number of elements. NumPy: `sqrt`.
    Sqrt,
}

impl BinRule {
    /// The number of bins for elements between two bounds, which are not none.
    pub(super) fn bins<T: Real>(self, a: &DeviceArray<T>, low: f64, high: f64) -> Result<usize> {
        let span = high - low;
        let mut width = self.width(&a.cast::<f64>(), span)?;
        if width > 0.0 && width < 1.0 && T::DTYPE.is_integer() {
            width = 1.0;
        }
        // A spread of zero may have no width, and one that is not finite has no bins: an error later.
        // Of a spread that overflows one is left.
        let count = if span.is_finite() { (span / width).ceil() as usize } else { 1 };
        Ok(if width > 0.0 { count.max(1) } else { 1 })
    }

    /// The width of the bins; 0 where there is none.
    fn width(self, a: &DeviceArray<f64>, span: f64) -> Result<f64> {
        let n = a.len() as f64;
        Ok(match self {
            BinRule::Auto => {
                let fine = BinRule::FreedmanDiaconis.width(a, span)?.max(span / n.sqrt() / 2.0);
                fine.min(BinRule::Sturges.width(a, span)?)
            }
            BinRule::FreedmanDiaconis => {
                let quartiles = a.try_quantiles(&[0.25, 0.75], ..)?.to_vec()?;
                2.0 * (quartiles[1] - quartiles[0]) / n.cbrt()
            }
            BinRule::Doane => doane(a, span)?,
            BinRule::Scott => (24.0 * PI.sqrt() / n).cbrt() * a.try_std(..)?.item()?,
            BinRule::Stone => stone(a, span)?,
            BinRule::Rice => span / (2.0 * n.cbrt()),
            BinRule::Sturges => span / (n.log2() + 1.0),
            BinRule::Sqrt => span / n.sqrt(),
        })
    }
}

/// Doane's width, of more than two elements that differ.
fn doane(a: &DeviceArray<f64>, span: f64) -> Result<f64> {
    let n = a.len() as f64;
    let deviation = if n > 2.0 { a.try_std(..)?.item()? } else { 0.0 };
    if deviation <= 0.0 || deviation.is_nan() {
        return Ok(0.0);
    }
    let score = a.try_subtract(&a.try_mean(..)?)?.try_divide(deviation)?;
    let skewness = score.powi(3).try_mean(..)?.item()?;
    let error = (6.0 * (n - 2.0) / ((n + 1.0) * (n + 3.0))).sqrt();
    Ok(span / (1.0 + n.log2() + (1.0 + skewness.abs() / error).log2()))
}

/// The width of the number of bins with the least estimate of the integrated squared error.
fn stone(a: &DeviceArray<f64>, span: f64) -> Result<f64> {
    let n = a.len() as f64;
    if n <= 1.0 || span == 0.0 {
        return Ok(0.0);
    }
    let most = (n.sqrt() as usize).max(100);
    let mut squares = Vec::with_capacity(most);
    for bins in 1..=most {
        let share = a.histogram(Bins::Count(bins))?.0.cast::<f64>().try_divide(n)?;
        squares.push(share.square().try_sum(..)?);
    }
    crate::eval(&squares.iter().map(|sum| sum as _).collect::<Vec<_>>())?;
    let mut best = (f64::INFINITY, 1.0);
    for (k, sum) in squares.iter().enumerate() {
        let bins = k as f64 + 1.0;
        let estimate = (2.0 - (n + 1.0) * sum.item()?) * bins / span;
        if estimate < best.0 {
            best = (estimate, bins);
        }
    }
    Ok(span / best.1)
}

impl<T: Real> DeviceArray<T> {
    /// The bounds of the bins into which [`histogram`](Self::histogram) counts: by a rule
    /// ([`Bins::Rule`]) those that suit the elements.
    ///
    /// **Shape.** One axis, one longer than there are bins. **Dtype.** `f64`. **Laziness.** Evaluates
    /// the extremes where they say what the bins are, and what a rule needs. NumPy:
    /// `histogram_bin_edges`.
    ///
    /// # Errors
    /// As [`histogram`](Self::histogram).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0, 0, 0, 1, 2, 3, 3, 4, 5])?;
    /// let bounds = a.histogram_bin_edges(Bins::Rule(lazuli::BinRule::Auto))?;
    /// assert_eq!(bounds.to_vec()?, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn histogram_bin_edges(&self, bins: Bins) -> Result<DeviceArray<f64>> {
        located(recorded(|| Ok(Line::new("histogram_bin_edges", self, bins)?.edges)))
    }
}
