//! Statistics of what lies within limits, and of what is left without the ends.

use super::sample::{Sample, back, rows};
use crate::array::{Axes, DeviceArray, checked_fns, located, recorded};
use crate::dtype::Real;
use crate::error::{Error, Result};
use crate::ops::statistics::Correction;
use std::ops::{Bound, RangeBounds};

/// Where elements lie within limits; NaN lies nowhere.
#[track_caller]
fn within<T: Real>(a: &DeviceArray<T>, limits: &impl RangeBounds<T>) -> DeviceArray<bool> {
    let low = match limits.start_bound() {
        Bound::Included(&low) => a.greater_equal(low),
        Bound::Excluded(&low) => a.greater(low),
        Bound::Unbounded => a.equal(a),
    };
    match limits.end_bound() {
        Bound::Included(&high) => low.logical_and(a.less_equal(high)),
        Bound::Excluded(&high) => low.logical_and(a.less(high)),
        Bound::Unbounded => low,
    }
}

/// Elements within limits, and how they are counted.
struct Limited {
    sample: Sample,
    inside: DeviceArray<bool>,
}

impl Limited {
    #[track_caller]
    fn new<T: Real>(
        name: &str,
        a: &DeviceArray<T>,
        limits: impl RangeBounds<T>,
        axes: impl Axes,
    ) -> Result<Limited> {
        let sample = Sample::new(name, a, axes)?;
        // NaN, which is within no limits, makes its sample NaN.
        let inside = within(a, &limits).logical_or(a.not_equal(a));
        Ok(Limited { sample, inside })
    }

    #[track_caller]
    fn count(&self) -> DeviceArray<f64> {
        self.inside.sum(self.sample.axes).cast()
    }

    #[track_caller]
    fn variance(&self, ddof: impl Correction) -> DeviceArray<f64> {
        let axes = self.sample.axes;
        let count = self.inside.sum(axes.kept()).cast::<f64>();
        let all = self.inside.select(&self.sample.x, 0.0).sum(axes.kept());
        let squares = (&self.sample.x - all / count).square();
        let total = self.inside.select(squares, 0.0).sum(axes);
        let n = self.count() - ddof.degrees();
        n.greater(0.0).select(total / &n, f64::NAN)
    }
}

/// What [`sigmaclip`] gives.
#[derive(Clone, Debug)]
pub struct Clipped<T: Real> {
    /// The elements that are left, in their order.
    pub clipped: DeviceArray<T>,
    /// The lower limit that took away the last ones.
    pub lower: f64,
    /// The upper limit that took away the last ones.
    pub upper: f64,
}

/// An end of a sorted sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tail {
    /// The smallest elements.
    Left,
    /// The largest elements, NaN among them.
    #[default]
    Right,
}

/// How many elements a part of all is, rounded down.
fn part(name: &str, proportion: f64, n: usize) -> Result<usize> {
    match (0.0..=1.0).contains(&proportion) {
        true => Ok((proportion * n as f64) as usize),
        false => Err(Error::shape(format!("{name}: {proportion} is no part of a sample"))),
    }
}

/// Sorted elements along an axis from one place to another.
#[track_caller]
fn sorted_part<T: Real>(
    a: &DeviceArray<T>,
    axis: isize,
    from: usize,
    to: usize,
) -> Result<DeviceArray<T>> {
    let places: Vec<usize> = (from..to).collect();
    a.try_sort(axis)?.try_take(&places, axis)
}

fn axis_length<T: Real>(name: &str, a: &DeviceArray<T>, axis: isize) -> Result<usize> {
    Ok(a.axes(name, axis)?.len(a.shape()))
}

checked_fns! {
    /// The mean over the axes of what lies within limits: `2.0..=5.0`, `..3.0`, or `..` for all.
    ///
    /// **Shape.** The array's without the axes; NaN where nothing is within. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.tmean`, whose `inclusive` the range says.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 4.0, 90.0])?;
    /// assert_eq!(lazuli::stats::tmean(&a, 2.0..90.0, ..).item()?, 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn tmean | try_tmean<T: Real>(
        a: &DeviceArray<T>,
        limits: impl RangeBounds<T>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let a = Limited::new("tmean", a, limits, axes)?;
        let total = a.inside.select(&a.sample.x, 0.0).sum(a.sample.axes);
        Ok((total / a.count()).cast())
    }

    /// The variance over the axes of what lies within limits, `ddof` being that of
    /// [`var_ddof`](DeviceArray::var_ddof), SciPy's default 1.
    ///
    /// **Shape.** The array's without the axes; NaN where no more than `ddof` elements are within.
    /// **Dtype.** As [`mean`](DeviceArray::mean). SciPy: `stats.tvar`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 4.0, 90.0])?;
    /// assert_eq!(lazuli::stats::tvar(&a, 2.0..90.0, .., 1).item()?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn tvar | try_tvar<T: Real>(
        a: &DeviceArray<T>,
        limits: impl RangeBounds<T>,
        axes: impl Axes,
        ddof: impl Correction,
    ) -> DeviceArray<T::Mean> {
        Ok(Limited::new("tvar", a, limits, axes)?.variance(ddof).cast())
    }

    /// The standard deviation over the axes of what lies within limits: the root of [`tvar`].
    ///
    /// **Shape, dtype.** As of [`tvar`]. SciPy: `stats.tstd`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0, 90.0])?;
    /// assert_eq!(lazuli::stats::tstd(&a, ..=3.0, .., 0).item()?, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn tstd | try_tstd<T: Real>(
        a: &DeviceArray<T>,
        limits: impl RangeBounds<T>,
        axes: impl Axes,
        ddof: impl Correction,
    ) -> DeviceArray<T::Mean> {
        Ok(Limited::new("tstd", a, limits, axes)?.variance(ddof).sqrt().cast())
    }

    /// The standard error over the axes of the mean of what lies within limits: [`tstd`], divided by
    /// the root of their number.
    ///
    /// **Shape, dtype.** As of [`tvar`]. SciPy: `stats.tsem`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0, 90.0])?;
    /// assert_eq!(lazuli::stats::tsem(&a, ..=3.0, .., 1).item()?, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn tsem | try_tsem<T: Real>(
        a: &DeviceArray<T>,
        limits: impl RangeBounds<T>,
        axes: impl Axes,
        ddof: impl Correction,
    ) -> DeviceArray<T::Mean> {
        let a = Limited::new("tsem", a, limits, axes)?;
        Ok((a.variance(ddof) / a.count()).sqrt().cast())
    }

    /// The smallest element over the axes that lies within limits.
    ///
    /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** As
    /// [`mean`](DeviceArray::mean); NaN where nothing is within. SciPy: `stats.tmin`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1i32, 2, 4])?;
    /// assert_eq!(lazuli::stats::tmin(&a, 2.., ..).item()?, 2.0);
    /// assert!(lazuli::stats::tmin(&a, 5.., ..).item()?.is_nan());
    /// # Ok::<(), Error>(())
    /// ```
    fn tmin | try_tmin<T: Real>(
        a: &DeviceArray<T>,
        limits: impl RangeBounds<T>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let a = Limited::new("tmin", a, limits, axes)?;
        let least = a.inside.select(&a.sample.x, f64::INFINITY).try_min(a.sample.axes)?;
        Ok(a.inside.any(a.sample.axes).select(least, f64::NAN).cast())
    }

    /// The largest element over the axes that lies within limits.
    ///
    /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** As
    /// [`mean`](DeviceArray::mean); NaN where nothing is within. SciPy: `stats.tmax`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1i32, 2, 4])?;
    /// assert_eq!(lazuli::stats::tmax(&a, ..4, ..).item()?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn tmax | try_tmax<T: Real>(
        a: &DeviceArray<T>,
        limits: impl RangeBounds<T>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let a = Limited::new("tmax", a, limits, axes)?;
        let most = a.inside.select(&a.sample.x, f64::NEG_INFINITY).try_max(a.sample.axes)?;
        Ok(a.inside.any(a.sample.axes).select(most, f64::NAN).cast())
    }

    /// The elements along an axis, sorted, without a part of them at one end, rounded down to whole
    /// elements.
    ///
    /// **Shape.** The array's with a shorter axis. **Dtype.** The array's. The part is 0 to 1. SciPy:
    /// `stats.trim1`, which does not sort what is left.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Tail, trim1};
    /// let a = DeviceArray::from_slice(&[4, 1, 3, 2])?;
    /// assert_eq!(trim1(&a, 0.25, Tail::Right, 0).to_vec()?, [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn trim1 | try_trim1<T: Real>(
        a: &DeviceArray<T>,
        proportion: f64,
        tail: Tail,
        axis: isize,
    ) -> DeviceArray<T> {
        let n = axis_length("trim1", a, axis)?;
        let cut = part("trim1", proportion, n)?;
        match tail {
            Tail::Left => sorted_part(a, axis, cut, n),
            Tail::Right => sorted_part(a, axis, 0, n - cut),
        }
    }

    /// The elements along an axis, sorted, without a part of them at each end, rounded down to whole
    /// elements.
    ///
    /// **Shape.** The array's with a shorter axis. **Dtype.** The array's. An error where both parts
    /// are all elements. SciPy: `stats.trimboth`, which does not sort what is left.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[4, 1, 3, 2])?;
    /// assert_eq!(lazuli::stats::trimboth(&a, 0.25, 0).to_vec()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn trimboth | try_trimboth<T: Real>(
        a: &DeviceArray<T>,
        proportion: f64,
        axis: isize,
    ) -> DeviceArray<T> {
        let n = axis_length("trimboth", a, axis)?;
        let cut = part("trimboth", proportion, n)?;
        if n > 0 && 2 * cut >= n {
            return Err(Error::shape(format!("trimboth: {proportion} at each end leaves nothing")));
        }
        sorted_part(a, axis, cut, n - cut)
    }

    /// The mean over the axes without a part of the elements at each end of the sorted ones, rounded
    /// down to whole elements.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). An error where the part is above a half. SciPy:
    /// `stats.trim_mean`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[2.0f64, 1.0, 99.0, 4.0])?;
    /// assert_eq!(lazuli::stats::trim_mean(&a, 0.25, ..).item()?, 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn trim_mean | try_trim_mean<T: Real>(
        a: &DeviceArray<T>,
        proportion: f64,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let axes = a.axes("trim_mean", axes)?;
        let means = try_trimmed_means("trim_mean", &rows(a, axes), proportion)?;
        Ok(back(&means, a.shape(), axes).cast())
    }
}

/// The means of rows without a part at each end, NaN for rows that hold one.
#[track_caller]
pub(super) fn try_trimmed_means<T: Real>(
    name: &str,
    rows: &DeviceArray<T>,
    proportion: f64,
) -> Result<DeviceArray<f64>> {
    let n = rows.shape()[rows.ndim() - 1];
    let cut = part(name, proportion, n)?;
    if 2 * cut > n {
        return Err(Error::shape(format!("{name}: {proportion} at each end is more than all")));
    }
    let means = sorted_part(rows, -1, cut, n - cut)?.cast::<f64>().mean(-1);
    // What was cut off may have been NaN.
    Ok(rows.not_equal(rows).any(-1).select(f64::NAN, means))
}

/// The elements that are left when those go which are further from the mean than `low` standard
/// deviations below or `high` above, again and again until none goes.
///
/// **Shape.** One axis. **Dtype.** The array's.
///
/// **Evaluates**, as what is left decides what goes next. SciPy: `stats.sigmaclip`, whose defaults
/// are 4 and 4.
///
/// # Errors
/// What the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 2.0, 1.0, 3.0, 2.0, 50.0])?;
/// let left = lazuli::stats::sigmaclip(&a, 2.0, 2.0)?;
/// assert_eq!(left.clipped.to_vec()?, [1.0, 2.0, 3.0, 2.0, 1.0, 3.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn sigmaclip<T: Real>(a: &DeviceArray<T>, low: f64, high: f64) -> Result<Clipped<T>> {
    let clip = || {
        let mut left = a.flatten();
        loop {
            let wide = left.cast::<f64>();
            let (mean, deviation) = (wide.mean(..), wide.std(..));
            crate::array::eval(&[&mean, &deviation])?;
            let (mean, deviation) = (mean.item()?, deviation.item()?);
            let (lower, upper) = (mean - low * deviation, mean + high * deviation);
            let kept = left.extract(&within(&wide, &(lower..=upper)))?;
            let done = kept.len() == left.len();
            left = kept;
            if done {
                return Ok(Clipped { clipped: left, lower, upper });
            }
        }
    };
    located(recorded(clip))
}
