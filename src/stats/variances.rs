//! Tests of variances.

use super::result::{self, TestResult};
use super::sample::{Sample, at_least, back};
use super::trim::try_trimmed_means;
use super::ttest::{several, sum_of};
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::Real;
use crate::error::Result;

/// The middle of a sample, from which [`levene`] measures distances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Center {
    /// The median, for skewed distributions (the test of Brown and Forsythe).
    #[default]
    Median,
    /// The mean, for symmetric ones with moderate tails.
    Mean,
    /// The mean without this part of the elements at each end, for ones with heavy tails.
    Trimmed(f64),
}

impl Center {
    #[track_caller]
    fn of(self, s: &Sample) -> Result<DeviceArray<f64>> {
        let axes = s.axes.kept();
        match self {
            Center::Median => s.x.try_median(axes),
            Center::Mean => Ok(s.x.mean(axes)),
            Center::Trimmed(part) => {
                let means = try_trimmed_means("levene", &s.rows(), part)?;
                Ok(back(&means, s.x.shape(), axes))
            }
        }
    }
}

checked_fns! {
    /// Levene's test of samples over the axes having been drawn from distributions of one variance,
    /// also where these are not normal: the analysis of variance of the distances from the middles.
    ///
    /// **Shape.** The arrays' without the axes, along which they may have different lengths; other
    /// axes broadcast. **Dtype.** As [`mean`](DeviceArray::mean). There are 2 samples or more, with
    /// an element each. SciPy: `stats.levene`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Center, levene};
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 4.0])?;
    /// let b = DeviceArray::from_slice(&[1.0f64, 5.0, 9.0, 20.0])?;
    /// let test = levene(&[&a, &b], Center::Median, ..);
    /// assert!((test.statistic.item()? - 3.311926605504587).abs() < 1e-13);
    /// assert!((test.pvalue.item()? - 0.11864169748565902).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn levene | try_levene<T: Real>(
        samples: &[&DeviceArray<T>],
        center: Center,
        axes: impl Axes,
    ) -> TestResult<T::Mean> {
        let samples = several("levene", samples, axes)?;
        let mut distances = Vec::new();
        for sample in samples {
            at_least("levene", sample.n as usize, 1)?;
            let x = (&sample.x - center.of(&sample)?).abs();
            distances.push(Sample { x, ..sample });
        }
        let count: f64 = distances.iter().map(|s| s.n).sum();
        let mean = sum_of(&distances, |s| s.mean() * (s.n / count));
        let between = sum_of(&distances, |s| (s.mean() - &mean).square() * s.n);
        let inside = sum_of(&distances, |s| s.centred().square().sum(s.axes));
        let (above, below) = (distances.len() as f64 - 1.0, count - distances.len() as f64);
        let w = between * below / (inside * above);
        let p = result::f_above(&w, &w.full_like(above), &w.full_like(below));
        Ok(TestResult::of(w, p))
    }

    /// Bartlett's test of samples over the axes having been drawn from normal distributions of one
    /// variance.
    ///
    /// **Shape, dtype.** As of [`levene`]; there are 2 elements of each sample. SciPy:
    /// `stats.bartlett`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 4.0])?;
    /// let b = DeviceArray::from_slice(&[1.0f64, 5.0, 9.0, 20.0])?;
    /// let test = lazuli::stats::bartlett(&[&a, &b], ..);
    /// assert!((test.statistic.item()? - 6.057079849886131).abs() < 1e-13);
    /// assert!((test.pvalue.item()? - 0.013850652652504283).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn bartlett | try_bartlett<T: Real>(
        samples: &[&DeviceArray<T>],
        axes: impl Axes,
    ) -> TestResult<T::Mean> {
        let samples = several("bartlett", samples, axes)?;
        for sample in &samples {
            at_least("bartlett", sample.n as usize, 2)?;
        }
        let groups = samples.len() as f64;
        let df = samples.iter().map(|s| s.n).sum::<f64>() - groups;
        let pooled = sum_of(&samples, |s| s.variance() * ((s.n - 1.0) / df));
        let logs = sum_of(&samples, |s| s.variance().ln() * (s.n - 1.0));
        let parts: f64 = samples.iter().map(|s| 1.0 / (s.n - 1.0)).sum();
        let correction = 1.0 + (parts - 1.0 / df) / (3.0 * (groups - 1.0));
        let t = (pooled.ln() * df - logs) / correction;
        let p = result::chi2_above(&t, groups - 1.0);
        Ok(TestResult::of(t.clip_min(0.0), p))
    }
}
