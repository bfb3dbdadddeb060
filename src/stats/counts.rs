//! Tests of counts.

use super::result::{self, TestResult};
use super::sample::Sample;
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::{Element, Real};
use crate::error::Result;
use crate::special::xlogy;

/// The statistic of Cressie and Read.
#[track_caller]
fn divergence<T: Real>(
    name: &str,
    observed: &DeviceArray<T>,
    expected: Option<&DeviceArray<T>>,
    lambda: f64,
    ddof: f64,
    axes: impl Axes,
) -> Result<TestResult<<T as Element>::Mean>> {
    let observed = Sample::new(name, observed, axes)?;
    let (o, e) = match expected {
        None => (&observed.x, observed.x.mean(observed.axes.kept())),
        Some(expected) => (&observed.x, observed.paired(name, expected)?.x),
    };
    let terms = if lambda == 1.0 {
        (o - &e).square() / &e
    } else if lambda == 0.0 {
        2.0 * xlogy(o, o / &e)
    } else if lambda == -1.0 {
        2.0 * xlogy(&e, &e / o)
    } else {
        o * ((o / &e).power(lambda) - 1.0) / (0.5 * lambda * (lambda + 1.0))
    };
    let statistic = terms.sum(observed.axes);
    let p = result::chi2_above(&statistic, observed.n - 1.0 - ddof);
    // A statistic that is NaN has no probability, whatever the degrees of freedom.
    let p = statistic.is_nan().select(f64::NAN, p);
    Ok(TestResult::of(statistic, p))
}

checked_fns! {
    /// The χ² test of counts over the axes having expected frequencies, all the same where none are
    /// given. `ddof` is the number of degrees of freedom, beside one, that the expected ones have
    /// taken.
    ///
    /// The sums of the counts and of the expected frequencies should be the same; this is not checked.
    ///
    /// **Shape.** The arrays' without the axes; other axes broadcast. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.chisquare`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let counts = DeviceArray::from_slice(&[16.0f64, 18.0, 16.0, 14.0, 12.0, 12.0])?;
    /// let test = lazuli::stats::chisquare(&counts, None, 0.0, ..);
    /// assert!((test.statistic.item()? - 2.0).abs() < 1e-14);
    /// assert!((test.pvalue.item()? - 0.8491450360846096).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn chisquare | try_chisquare<T: Real>(
        observed: &DeviceArray<T>,
        expected: Option<&DeviceArray<T>>,
        ddof: f64,
        axes: impl Axes,
    ) -> TestResult<T::Mean> {
        divergence("chisquare", observed, expected, 1.0, ddof, axes)
    }

    /// The test of counts over the axes having expected frequencies, by the statistics of Cressie and
    /// Read: Pearson's χ² for a `lambda` of 1, the logarithm of the likelihood ratio (the G-test) for
    /// 0, Freeman and Tukey's for -1/2, the modified ratio for -1, Neyman's for -2, Cressie and Read's
    /// own for 2/3.
    ///
    /// **Shape, dtype.** As of [`chisquare`]. SciPy: `stats.power_divergence`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let counts = DeviceArray::from_slice(&[16.0f64, 18.0, 16.0, 14.0, 12.0, 12.0])?;
    /// let test = lazuli::stats::power_divergence(&counts, None, 0.0, 0.0, ..);
    /// assert!((test.statistic.item()? - 2.006573162632538).abs() < 1e-13);
    /// assert!((test.pvalue.item()? - 0.8482347677946377).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn power_divergence | try_power_divergence<T: Real>(
        observed: &DeviceArray<T>,
        expected: Option<&DeviceArray<T>>,
        lambda: f64,
        ddof: f64,
        axes: impl Axes,
    ) -> TestResult<T::Mean> {
        divergence("power_divergence", observed, expected, lambda, ddof, axes)
    }
}
