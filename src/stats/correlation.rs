//! Coefficients of correlation.

use super::exact::{self, kendall};
use super::ranks::{Ties, try_rankdata};
use super::result::{self, Alternative, TestResult};
use super::sample::{Sample, at_least, host, same_device};
use crate::array::{Axes, DeviceArray, checked_fns, located};
use crate::dtype::Real;
use crate::error::{Error, Result};

/// Distances from the mean, of length 1 together; NaN where all elements are the same.
#[track_caller]
fn direction(a: &Sample) -> DeviceArray<f64> {
    let axes = a.axes.kept();
    let centred = a.centred();
    // Squares of large numbers overflow, and those of small ones vanish.
    let centred = &centred / centred.abs().max(axes);
    let unit = &centred / centred.square().sum(axes).sqrt();
    a.x.min(axes).equal(a.x.max(axes)).select(f64::NAN, unit)
}

/// Pearson's coefficient of samples with elements.
#[track_caller]
pub(super) fn pearson(a: &Sample, b: &Sample) -> DeviceArray<f64> {
    let r = (direction(a) * direction(b)).sum(a.axes).clip(-1.0, 1.0);
    if a.n == 2.0 { r.rint() } else { r }
}

checked_fns! {
    /// Pearson's coefficient of the linear correlation of pairs over the axes, and a test of
    /// independence: the probability of one as extreme for independent normal variables. NaN where
    /// all elements of one sample are the same.
    ///
    /// **Shape.** The arrays' without the axes, along which both have the same 2 elements or more;
    /// other axes broadcast. **Dtype.** As [`mean`](DeviceArray::mean). SciPy: `stats.pearsonr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, pearsonr};
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])?;
    /// let b = DeviceArray::from_slice(&[10.0f64, 9.0, 2.5, 6.0, 4.0, 3.0, 2.0])?;
    /// let test = pearsonr(&a, &b, .., Alternative::TwoSided);
    /// assert!((test.statistic.item()? + 0.828503883588428).abs() < 1e-14);
    /// assert!((test.pvalue.item()? - 0.021280260007523286).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn pearsonr | try_pearsonr<T: Real>(
        a: &DeviceArray<T>,
        b: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
    ) -> TestResult<T::Mean> {
        let a = Sample::new("pearsonr", a, axes)?;
        let b = a.paired("pearsonr", b)?;
        at_least("pearsonr", a.n as usize, 2)?;
        let r = pearson(&a, &b);
        let p = result::correlation(&r, a.n as usize, alternative);
        Ok(TestResult::of(r, p))
    }

    /// Spearman's coefficient of the correlation of pairs over the axes, Pearson's of their ranks, and
    /// a test of independence by Student's t, which is good for 500 pairs or more. NaN where all
    /// elements of one sample are the same.
    ///
    /// **Shape.** The arrays' without the axes, along which both have the same 2 elements or more;
    /// other axes broadcast. **Dtype.** As [`mean`](DeviceArray::mean). SciPy: `stats.spearmanr` of
    /// two variables.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, spearmanr};
    /// let a = DeviceArray::from_slice(&[1i32, 2, 3, 4, 5])?;
    /// let b = DeviceArray::from_slice(&[5, 6, 7, 8, 7])?;
    /// let test = spearmanr(&a, &b, .., Alternative::TwoSided);
    /// assert!((test.statistic.item()? - 0.8207826816681233).abs() < 1e-14);
    /// assert!((test.pvalue.item()? - 0.08858700531354381).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn spearmanr | try_spearmanr<T: Real>(
        a: &DeviceArray<T>,
        b: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
    ) -> TestResult<T::Mean> {
        let axes = a.axes("spearmanr", axes)?;
        let of = Sample::new("spearmanr", a, axes)?;
        let other = of.paired("spearmanr", b)?;
        at_least("spearmanr", of.n as usize, 2)?;
        let a = Sample::new("spearmanr", &try_rankdata(a, Ties::Average, axes)?, axes)?;
        let ranks = try_rankdata(b, Ties::Average, other.axes)?;
        let b = Sample::new("spearmanr", &ranks, other.axes)?;
        let r = pearson(&a, &b);
        let p = match a.n > 2.0 {
            true => result::correlation(&r, a.n as usize, alternative),
            // Without degrees of freedom there is no t.
            false => &r * f64::NAN,
        };
        Ok(TestResult::of(r, p))
    }
}

/// Kendall's coefficient τ of the correlation of pairs, with a correction for ties (τ-b), and a test
/// of independence: exact without ties for up to 33 pairs, and where all pairs but one are in the same
/// order or all but one in the opposite one; else by a normal approximation. NaN where all elements of
/// one sample are the same.
///
/// **Evaluates**, and works on the host, where counting takes `n log n` steps. **Shape.** One result;
/// the arrays have the same shape. **Dtype.** `f64`. SciPy: `stats.kendalltau`.
///
/// # Errors
/// [`Error::is_shape`] where the shapes differ, [`Error::is_device`] where the arrays live on several
/// devices; what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::stats::{Alternative, kendalltau};
/// let a = DeviceArray::from_slice(&[12, 2, 1, 12, 2])?;
/// let b = DeviceArray::from_slice(&[1, 4, 7, 1, 0])?;
/// let test = kendalltau(&a, &b, Alternative::TwoSided)?;
/// assert!((test.statistic.item()? + 0.47140452079103173).abs() < 1e-14);
/// assert!((test.pvalue.item()? - 0.2827454599327748).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn kendalltau<T: Real>(
    a: &DeviceArray<T>,
    b: &DeviceArray<T>,
    alternative: Alternative,
) -> Result<TestResult<f64>> {
    let find = || {
        same_device("kendalltau", a, b)?;
        if a.shape() != b.shape() {
            let (a, b) = (a.shape(), b.shape());
            return Err(Error::shape(format!("kendalltau: shapes {a:?} and {b:?} are not pairs")));
        }
        let [x, y] = [host(a)?, host(b)?];
        let (tau, p) = kendall(&x, &y, alternative);
        exact::uploaded(a, tau, p)
    };
    located(find())
}
