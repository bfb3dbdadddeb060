//! Tests of means.

use super::result::{self, Alternative, TestResult};
use super::sample::{Sample, at_least};
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::{Element, Real};
use crate::error::{Error, Result};

#[track_caller]
fn by_student<T: Element>(
    t: DeviceArray<f64>,
    df: DeviceArray<f64>,
    alternative: Alternative,
) -> TestResult<T> {
    let p = result::student(&t, &df, alternative);
    TestResult::of(t, p)
}

/// The test of a mean, of distances from it.
#[track_caller]
fn of_one<T: Element>(a: &Sample, mean: f64, alternative: Alternative) -> TestResult<T> {
    let t = (a.mean() - mean) / (a.variance() / a.n).sqrt();
    let df = result::degrees(&t, a.n - 1.0);
    by_student(t, df, alternative)
}

/// Two samples or more, along the axes of the first.
#[track_caller]
pub(super) fn several<T: Real>(
    name: &str,
    samples: &[&DeviceArray<T>],
    axes: impl Axes,
) -> Result<Vec<Sample>> {
    let [first, others @ ..] = samples else {
        return Err(Error::shape(format!("{name}: no samples")));
    };
    if others.is_empty() {
        return Err(Error::shape(format!("{name}: one sample, and there must be 2")));
    }
    let first = Sample::new(name, first, axes)?;
    let others = others.iter().map(|a| first.beside(name, a)).collect::<Result<Vec<_>>>()?;
    Ok([first].into_iter().chain(others).collect())
}

/// The sum of what is made of each sample; there is one.
#[track_caller]
pub(super) fn sum_of(
    samples: &[Sample],
    of: impl Fn(&Sample) -> DeviceArray<f64>,
) -> DeviceArray<f64> {
    let terms = samples[1..].iter().map(&of);
    terms.fold(of(&samples[0]), |sum, term| sum + term)
}

checked_fns! {
    /// The t-test of a sample over the axes having been drawn from a distribution of a given mean.
    ///
    /// **Shape.** The array's without the axes; NaN for fewer than 2 elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.ttest_1samp`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, ttest_1samp};
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 4.0, 5.0])?;
    /// let test = ttest_1samp(&a, 2.0, .., Alternative::TwoSided);
    /// assert!((test.statistic.item()? - 2f64.sqrt()).abs() < 1e-14);
    /// assert!((test.pvalue.item()? - 0.2301996410804990).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ttest_1samp | try_ttest_1samp<T: Real>(
        a: &DeviceArray<T>,
        mean: f64,
        axes: impl Axes,
        alternative: Alternative,
    ) -> TestResult<T::Mean> {
        Ok(of_one(&Sample::new("ttest_1samp", a, axes)?, mean, alternative))
    }

    /// The t-test of two samples over the axes having been drawn from distributions of one mean, whose
    /// variances are the same.
    ///
    /// **Shape.** The arrays' without the axes, along which they may have different lengths; other
    /// axes broadcast. NaN for no elements. **Dtype.** As [`mean`](DeviceArray::mean). SciPy:
    /// `stats.ttest_ind`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, ttest_ind};
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0])?;
    /// let b = DeviceArray::from_slice(&[4.0, 6.0])?;
    /// let test = ttest_ind(&a, &b, .., Alternative::TwoSided);
    /// assert!((test.statistic.item()? + 2.8460498941515415).abs() < 1e-14);
    /// assert!((test.pvalue.item()? - 0.06532071006198005).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ttest_ind | try_ttest_ind<T: Real>(
        a: &DeviceArray<T>,
        b: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
    ) -> TestResult<T::Mean> {
        let a = Sample::new("ttest_ind", a, axes)?;
        let b = a.beside("ttest_ind", b)?;
        let squares = |s: &Sample| s.centred().square().sum(s.axes);
        let df = a.n + b.n - 2.0;
        let pooled = (squares(&a) + squares(&b)) / df * (1.0 / a.n + 1.0 / b.n);
        let t = (a.mean() - b.mean()) / pooled.sqrt();
        let df = result::degrees(&t, df);
        Ok(by_student(t, df, alternative))
    }

    /// The t-test of two samples over the axes having been drawn from distributions of one mean, whose
    /// variances may differ (Welch's).
    ///
    /// **Shape, dtype.** As of [`ttest_ind`]; NaN for fewer than 2 elements. SciPy:
    /// `stats.ttest_ind(equal_var=False)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, ttest_welch};
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0])?;
    /// let b = DeviceArray::from_slice(&[4.0, 6.0])?;
    /// let test = ttest_welch(&a, &b, .., Alternative::TwoSided);
    /// assert!((test.statistic.item()? + 2.598076211353316).abs() < 1e-14);
    /// assert!((test.pvalue.item()? - 0.14436620481676535).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn ttest_welch | try_ttest_welch<T: Real>(
        a: &DeviceArray<T>,
        b: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
    ) -> TestResult<T::Mean> {
        let a = Sample::new("ttest_welch", a, axes)?;
        let b = a.beside("ttest_welch", b)?;
        let (u, v) = (a.variance() / a.n, b.variance() / b.n);
        let both = &u + &v;
        let df = both.square() / (u.square() / (a.n - 1.0) + v.square() / (b.n - 1.0));
        let t = (a.mean() - b.mean()) / both.sqrt();
        // Without any variance there are no degrees to count; t is infinite.
        let df = df.is_nan().select(1.0, df);
        Ok(by_student(t, df, alternative))
    }

    /// The t-test of pairs over the axes having no difference in the mean.
    ///
    /// **Shape.** The arrays' without the axes, along which both have the same length; other axes
    /// broadcast. NaN for fewer than 2 pairs. **Dtype.** As [`mean`](DeviceArray::mean). SciPy:
    /// `stats.ttest_rel`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, ttest_rel};
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0])?;
    /// let b = DeviceArray::from_slice(&[2.0f64, 4.0, 6.0])?;
    /// let test = ttest_rel(&a, &b, .., Alternative::Less);
    /// assert!((test.statistic.item()? + 12f64.sqrt()).abs() < 1e-14);
    /// assert!((test.pvalue.item()? - 0.03708995011372427).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ttest_rel | try_ttest_rel<T: Real>(
        a: &DeviceArray<T>,
        b: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
    ) -> TestResult<T::Mean> {
        let a = Sample::new("ttest_rel", a, axes)?;
        let b = a.paired("ttest_rel", b)?;
        let differences = Sample { x: a.x - b.x, ..b };
        Ok(of_one(&differences, 0.0, alternative))
    }

    /// The analysis of variance: a test of samples over the axes having been drawn from distributions
    /// of one mean, which are normal with one variance.
    ///
    /// **Shape.** The arrays' without the axes, along which they may have different lengths; other
    /// axes broadcast. NaN where all elements are the same, an infinite statistic where those of each
    /// sample are. **Dtype.** As [`mean`](DeviceArray::mean). There are 2 samples or more, with an
    /// element each. SciPy: `stats.f_oneway`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0])?;
    /// let b = DeviceArray::from_slice(&[4.0, 6.0])?;
    /// let test = lazuli::stats::f_oneway(&[&a, &b], ..);
    /// assert!((test.statistic.item()? - 8.1).abs() < 1e-13);
    /// assert!((test.pvalue.item()? - 0.06532071006198005).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn f_oneway | try_f_oneway<T: Real>(
        samples: &[&DeviceArray<T>],
        axes: impl Axes,
    ) -> TestResult<T::Mean> {
        let samples = several("f_oneway", samples, axes)?;
        for sample in &samples {
            at_least("f_oneway", sample.n as usize, 1)?;
        }
        let count: f64 = samples.iter().map(|s| s.n).sum();
        let mean = sum_of(&samples, |s| s.mean() * (s.n / count));
        let between = sum_of(&samples, |s| (s.mean() - &mean).square() * s.n);
        let inside = sum_of(&samples, |s| s.centred().square().sum(s.axes));
        let (above, below) = (samples.len() as f64 - 1.0, count - samples.len() as f64);
        let f = (between / above) / (inside / below);
        let ends = |s: &Sample| (s.x.min(s.axes), s.x.max(s.axes));
        let flat = sum_of(&samples, |s| ends(s).0.not_equal(ends(s).1).cast()).equal(0.0);
        let first = ends(&samples[0]).0;
        let same = sum_of(&samples, |s| ends(s).0.not_equal(&first).cast()).equal(0.0);
        // NaN differs from itself, and is in no flat sample.
        let f = flat.select(f64::INFINITY, f);
        let f = flat.logical_and(same).select(f64::NAN, f);
        let p = result::f_above(&f, &f.full_like(above), &f.full_like(below));
        Ok(TestResult::of(f, p))
    }
}
