//! Moments and what is made of them.

use super::sample::{Sample, at_least};
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::Real;
use crate::error::{Error, Result};
use crate::ops::statistics::Correction;

/// The second central moment and another one over the power of it that has no unit; NaN where the
/// elements differ by no more than rounding.
#[track_caller]
fn standardised(a: &Sample, order: i32) -> DeviceArray<f64> {
    let centred = a.centred();
    let second = centred.square().mean(a.axes);
    let moment = centred.powi(order).mean(a.axes);
    let rounding = (a.mean() * f64::EPSILON).square();
    let scale = match order {
        3 => &second * second.sqrt(),
        _ => second.square(),
    };
    second.less_equal(rounding).select(f64::NAN, moment / scale)
}

/// The skewness; that of the population where it is asked for and there are 3 elements.
#[track_caller]
pub(super) fn skewness(a: &Sample, unbiased: bool) -> DeviceArray<f64> {
    let (skew, n) = (standardised(a, 3), a.n);
    match unbiased && n > 2.0 {
        true => skew * (((n - 1.0) * n).sqrt() / (n - 2.0)),
        false => skew,
    }
}

/// The excess of the kurtosis; that of the population where it is asked for and there are 4 elements.
#[track_caller]
pub(super) fn excess(a: &Sample, unbiased: bool) -> DeviceArray<f64> {
    let (kurtosis, n) = (standardised(a, 4), a.n);
    match unbiased && n > 3.0 {
        true => {
            let factor = 1.0 / ((n - 2.0) * (n - 3.0));
            (kurtosis * (n * n - 1.0) - 3.0 * (n - 1.0) * (n - 1.0)) * factor
        }
        false => kurtosis - 3.0,
    }
}

/// What [`describe`] gives.
#[derive(Clone, Debug)]
pub struct Description<T: Real> {
    /// The number of elements of each sample.
    pub count: usize,
    /// The smallest element.
    pub min: DeviceArray<T>,
    /// The largest element.
    pub max: DeviceArray<T>,
    /// The mean.
    pub mean: DeviceArray<T::Mean>,
    /// The variance.
    pub variance: DeviceArray<T::Mean>,
    /// The skewness.
    pub skewness: DeviceArray<T::Mean>,
    /// The excess of the kurtosis.
    pub kurtosis: DeviceArray<T::Mean>,
}

/// The sums of the powers 1 to 4 of the distances from the mean, which k-statistics above the first
/// do not depend on.
struct Powers {
    mean: DeviceArray<f64>,
    sums: [DeviceArray<f64>; 3],
    n: f64,
}

impl Powers {
    #[track_caller]
    fn of(a: &Sample) -> Powers {
        let centred = a.centred();
        let sums = [2, 3, 4].map(|k| centred.powi(k).sum(a.axes));
        Powers { mean: a.mean(), sums, n: a.n }
    }

    /// The k-statistic of an order from 1 to 4.
    #[track_caller]
    fn k(&self, order: usize) -> DeviceArray<f64> {
        let (n, [s2, s3, s4]) = (self.n, &self.sums);
        match order {
            1 => self.mean.clone(),
            2 => s2 / (n - 1.0),
            3 => s3 * (n / ((n - 1.0) * (n - 2.0))),
            _ => {
                let sum = s4 * (n * (n + 1.0)) - s2.square() * (3.0 * (n - 1.0));
                sum / ((n - 1.0) * (n - 2.0) * (n - 3.0))
            }
        }
    }
}

fn check_order(name: &str, order: usize, most: usize) -> Result<()> {
    match (1..=most).contains(&order) {
        true => Ok(()),
        false => Err(Error::shape(format!("{name}: order {order}, and it is 1 to {most}"))),
    }
}

checked_fns! {
    /// The central moment of an order over the axes: the mean of that power of the distances from the
    /// mean. It is 1 for order 0 and 0 for order 1.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). A negative order is an error. SciPy: `stats.moment`; about another
    /// point `c` it is `(&a - c).powi(order).mean(axes)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 6.0])?;
    /// assert_eq!(lazuli::stats::moment(&a, 3, ..).item()?, 6.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn moment | try_moment<T: Real>(
        a: &DeviceArray<T>,
        order: i32,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        if order < 0 {
            return Err(Error::shape(format!("moment: the order is {order}")));
        }
        let a = Sample::new("moment", a, axes)?;
        Ok(match order {
            // NaN stays, and so does what is made of no elements.
            0 | 1 => ((&a.x * 0.0).mean(a.axes) + f64::from(1 - order)).cast(),
            _ => a.centred().powi(order).mean(a.axes).cast(),
        })
    }

    /// The skewness over the axes: the third central moment over the third power of the standard
    /// deviation. NaN where all elements are the same.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.skew`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let skew = lazuli::stats::skew(&DeviceArray::from_slice(&[0.0f64, 0.0, 3.0])?, ..).item()?;
    /// assert!((skew - 0.5f64.sqrt()).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn skew | try_skew<T: Real>(a: &DeviceArray<T>, axes: impl Axes) -> DeviceArray<T::Mean> {
        Ok(skewness(&Sample::new("skew", a, axes)?, false).cast())
    }

    /// The skewness of the population that a sample of 3 elements or more was drawn from; of fewer,
    /// their own.
    ///
    /// **Shape, dtype.** As of [`skew`]. SciPy: `stats.skew(bias=False)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0f64, 0.0, 3.0])?;
    /// let skew = lazuli::stats::skew_unbiased(&a, ..).item()?;
    /// assert!((skew - 3.0f64.sqrt()).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn skew_unbiased | try_skew_unbiased<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        Ok(skewness(&Sample::new("skew_unbiased", a, axes)?, true).cast())
    }

    /// The excess of the kurtosis over the axes: the fourth central moment over the square of the
    /// variance, less 3, which is what a normal distribution has. NaN where all elements are the same.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.kurtosis`; with `fisher=False` it is 3 more.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0, 1.0, 3.0])?;
    /// assert_eq!(lazuli::stats::kurtosis(&a, ..).item()?, -2.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn kurtosis | try_kurtosis<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        Ok(excess(&Sample::new("kurtosis", a, axes)?, false).cast())
    }

    /// The excess of the kurtosis of the population that a sample of 4 elements or more was drawn
    /// from; of fewer, their own.
    ///
    /// **Shape, dtype.** As of [`kurtosis`]. SciPy: `stats.kurtosis(bias=False)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0, 1.0, 3.0])?;
    /// let excess = lazuli::stats::kurtosis_unbiased(&a, ..).item()?;
    /// assert!((excess + 6.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn kurtosis_unbiased | try_kurtosis_unbiased<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        Ok(excess(&Sample::new("kurtosis_unbiased", a, axes)?, true).cast())
    }

    /// The commonest statistics over the axes. `ddof` is that of the variance, SciPy's default being
    /// 1; skewness and kurtosis are those of [`skew`] and [`kurtosis`].
    ///
    /// **Shape.** Each has the array's without the axes, which must hold an element. **Dtype.** The
    /// extremes the array's, else as [`mean`](DeviceArray::mean). SciPy: `stats.describe`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let all = lazuli::stats::describe(&DeviceArray::from_slice(&[1, 2, 6])?, .., 1);
    /// assert_eq!((all.count, all.min.item()?, all.max.item()?), (3, 1, 6));
    /// assert_eq!((all.mean.item()?, all.variance.item()?), (3.0, 7.0));
    /// # Ok::<(), Error>(())
    /// ```
    fn describe | try_describe<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
        ddof: impl Correction,
    ) -> Description<T> {
        let sample = Sample::new("describe", a, axes)?;
        let axes = sample.axes;
        Ok(Description {
            count: axes.len(a.shape()),
            min: a.try_min(axes)?,
            max: a.try_max(axes)?,
            mean: sample.mean().cast(),
            variance: sample.x.var_ddof(axes, ddof).cast(),
            skewness: skewness(&sample, false).cast(),
            kurtosis: excess(&sample, false).cast(),
        })
    }

    /// The k-statistic of an order from 1 to 4 over the axes: the symmetric function of a sample
    /// whose expectation is the cumulant of that order.
    ///
    /// **Shape.** The array's without the axes, which must hold as many elements as the order says.
    /// **Dtype.** As [`mean`](DeviceArray::mean). SciPy: `stats.kstat`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 6.0])?;
    /// assert_eq!(lazuli::stats::kstat(&a, 2, ..).item()?, 7.0);
    /// assert_eq!(lazuli::stats::kstat(&a, 3, ..).item()?, 27.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn kstat | try_kstat<T: Real>(
        a: &DeviceArray<T>,
        order: usize,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        check_order("kstat", order, 4)?;
        let a = Sample::new("kstat", a, axes)?;
        at_least("kstat", a.n as usize, order)?;
        Ok(Powers::of(&a).k(order).cast())
    }

    /// An estimate of the variance of the k-statistic of order 1 or 2, without bias.
    ///
    /// **Shape.** The array's without the axes, which must hold 2 elements, for order 2 four.
    /// **Dtype.** As [`mean`](DeviceArray::mean). SciPy: `stats.kstatvar`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 6.0])?;
    /// assert_eq!(lazuli::stats::kstatvar(&a, 1, ..).item()?, 7.0 / 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn kstatvar | try_kstatvar<T: Real>(
        a: &DeviceArray<T>,
        order: usize,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        check_order("kstatvar", order, 2)?;
        let a = Sample::new("kstatvar", a, axes)?;
        let n = a.n;
        at_least("kstatvar", n as usize, 2 * order)?;
        let powers = Powers::of(&a);
        let k2 = powers.k(2);
        Ok(match order {
            1 => (k2 / n).cast(),
            _ => {
                let sum = k2.square() * (2.0 * n) + powers.k(4) * (n - 1.0);
                (sum / (n * (n + 1.0))).cast()
            }
        })
    }
}
