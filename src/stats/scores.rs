//! Scores: distances from the mean in standard deviations.

use super::sample::{Sample, same_device};
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::Real;
use crate::ops::statistics::Correction;

/// The standard deviation, NaN where it is no more than rounding of the mean leaves.
#[track_caller]
fn spread(a: &Sample, ddof: impl Correction) -> (DeviceArray<f64>, DeviceArray<f64>) {
    let axes = a.axes.kept();
    (a.x.mean(axes), a.x.std_ddof(axes, ddof))
}

/// NaN in the place of deviations that rounding alone may have left.
#[track_caller]
fn certain(mean: &DeviceArray<f64>, deviation: &DeviceArray<f64>) -> DeviceArray<f64> {
    deviation.less_equal((mean * f64::EPSILON).abs()).select(f64::NAN, deviation)
}

checked_fns! {
    /// How many standard deviations each element is above the mean over the axes; NaN where all are
    /// the same. `ddof` is that of [`std_ddof`](DeviceArray::std_ddof), SciPy's default being 0.
    ///
    /// **Shape.** The array's. **Dtype.** As [`mean`](DeviceArray::mean). SciPy: `stats.zscore`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0])?;
    /// assert_eq!(lazuli::stats::zscore(&a, .., 0).to_vec()?, [-1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn zscore | try_zscore<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
        ddof: impl Correction,
    ) -> DeviceArray<T::Mean> {
        let a = Sample::new("zscore", a, axes)?;
        let (mean, deviation) = spread(&a, ddof);
        Ok(((&a.x - &mean) / certain(&mean, &deviation)).cast())
    }

    /// The scores of elements by the mean and the standard deviation of other ones, over the axes of
    /// these.
    ///
    /// **Shape.** That of both, where the axes of `compare` have length 1, broadcast. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.zmap`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[2.0f64, 4.0])?;
    /// let b = DeviceArray::from_slice(&[1.0, 3.0])?;
    /// assert_eq!(lazuli::stats::zmap(&a, &b, .., 0).to_vec()?, [0.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn zmap | try_zmap<T: Real>(
        scores: &DeviceArray<T>,
        compare: &DeviceArray<T>,
        axes: impl Axes,
        ddof: impl Correction,
    ) -> DeviceArray<T::Mean> {
        same_device("zmap", scores, compare)?;
        let compare = Sample::new("zmap", compare, axes)?;
        let (mean, deviation) = spread(&compare, ddof);
        let distance = scores.cast::<f64>().try_subtract(&mean)?;
        Ok(distance.try_divide(&deviation)?.cast())
    }

    /// The scores of the elements' logarithms: how many geometric standard deviations each is above
    /// the geometric mean.
    ///
    /// **Shape.** The array's. **Dtype.** As [`mean`](DeviceArray::mean). SciPy: `stats.gzscore`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[2.0f64, 8.0])?;
    /// let scores = lazuli::stats::gzscore(&a, .., 0).to_vec()?;
    /// assert!((scores[0] + 1.0).abs() < 1e-14 && (scores[1] - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn gzscore | try_gzscore<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
        ddof: impl Correction,
    ) -> DeviceArray<T::Mean> {
        let axes = a.axes("gzscore", axes)?;
        Ok(try_zscore(&a.cast::<f64>().ln(), axes, ddof)?.cast())
    }
}
