//! Tests of samples having been drawn from a normal distribution, by their moments.

use super::moments::{excess, skewness};
use super::result::{self, Alternative, TestResult};
use super::sample::Sample;
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::Real;

/// The skewness as a normal statistic, for 8 elements or more (R. D'Agostino, 1970).
#[track_caller]
fn skew_statistic(a: &Sample) -> DeviceArray<f64> {
    let n = if a.n < 8.0 { f64::NAN } else { a.n };
    let y = skewness(a, false) * ((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0))).sqrt();
    let beta = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
        / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0));
    let w = (2.0 * (beta - 1.0)).sqrt() - 1.0;
    let delta = 1.0 / (0.5 * w.ln()).sqrt();
    let alpha = (2.0 / (w - 1.0)).sqrt();
    (y / alpha).asinh() * delta
}

/// The kurtosis as a normal statistic, for 5 elements or more (F. Anscombe and W. Glynn, 1983).
#[track_caller]
fn kurtosis_statistic(a: &Sample) -> DeviceArray<f64> {
    let n = if a.n < 5.0 { f64::NAN } else { a.n };
    let mean = 3.0 * (n - 1.0) / (n + 1.0);
    let variance =
        24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) * (n + 1.0) * (n + 3.0) * (n + 5.0));
    let x = (excess(a, false) + (3.0 - mean)) / variance.sqrt();
    let skew = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
        * (6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0))).sqrt();
    let a = 6.0 + 8.0 / skew * (2.0 / skew + (1.0 + 4.0 / (skew * skew)).sqrt());
    let below = x * (2.0 / (a - 4.0)).sqrt() + 1.0;
    let root = ((1.0 - 2.0 / a) / &below).cbrt();
    let root = below.equal(0.0).select(f64::NAN, root);
    (1.0 - 2.0 / (9.0 * a) - root) / (2.0 / (9.0 * a)).sqrt()
}

checked_fns! {
    /// The test of a sample over the axes having the skewness of a normal distribution, 0.
    ///
    /// **Shape.** The array's without the axes; NaN for fewer than 8 elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.skewtest`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, skewtest};
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
    /// let test = skewtest(&(&a * &a), .., Alternative::TwoSided);
    /// assert!((test.statistic.item()? - 0.9168130433566501).abs() < 1e-12);
    /// assert!((test.pvalue.item()? - 0.3592406165187134).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn skewtest | try_skewtest<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
    ) -> TestResult<T::Mean> {
        let z = skew_statistic(&Sample::new("skewtest", a, axes)?);
        let p = result::normal(&z, alternative);
        Ok(TestResult::of(z, p))
    }

    /// The test of a sample over the axes having the kurtosis of a normal distribution, 3.
    ///
    /// **Shape.** The array's without the axes; NaN for fewer than 5 elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.kurtosistest`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, kurtosistest};
    /// let a = DeviceArray::<f64>::arange_to(20.0);
    /// let test = kurtosistest(&a, .., Alternative::TwoSided);
    /// assert!((test.statistic.item()? + 1.7058104152122062).abs() < 1e-12);
    /// assert!((test.pvalue.item()? - 0.08804338332528348).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn kurtosistest | try_kurtosistest<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
    ) -> TestResult<T::Mean> {
        let z = kurtosis_statistic(&Sample::new("kurtosistest", a, axes)?);
        let p = result::normal(&z, alternative);
        Ok(TestResult::of(z, p))
    }

    /// The test of D'Agostino and Pearson of a sample over the axes having been drawn from a normal
    /// distribution, by its skewness and its kurtosis.
    ///
    /// **Shape.** The array's without the axes; NaN for fewer than 8 elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.normaltest`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::arange_to(20.0);
    /// let test = lazuli::stats::normaltest(&a.square(), ..);
    /// assert!((test.statistic.item()? - 2.5965136546761878).abs() < 1e-12);
    /// assert!((test.pvalue.item()? - 0.273007277310323).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn normaltest | try_normaltest<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
    ) -> TestResult<T::Mean> {
        let a = Sample::new("normaltest", a, axes)?;
        let k2 = skew_statistic(&a).square() + kurtosis_statistic(&a).square();
        let p = result::chi2_above(&k2, 2.0);
        Ok(TestResult::of(k2, p))
    }

    /// The test of Jarque and Bera of a sample over the axes having been drawn from a normal
    /// distribution, by its skewness and its kurtosis; for 2000 elements or more.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.jarque_bera`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::arange_to(20.0);
    /// let test = lazuli::stats::jarque_bera(&a, ..);
    /// assert!((test.statistic.item()? - 1.2120602257523512).abs() < 1e-12);
    /// assert!((test.pvalue.item()? - 0.54551219797069).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn jarque_bera | try_jarque_bera<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
    ) -> TestResult<T::Mean> {
        let a = Sample::new("jarque_bera", a, axes)?;
        // The distances from the mean have none of their own that rounding could be compared with.
        let a = Sample { x: a.centred(), ..a };
        let sum = skewness(&a, false).square() + excess(&a, false).square() * 0.25;
        let statistic = sum * (a.n / 6.0);
        let p = result::chi2_above(&statistic, 2.0);
        Ok(TestResult::of(statistic, p))
    }
}
