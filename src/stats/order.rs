//! Statistics of sorted samples.

use super::sample::{back, rows, same_device};
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::Real;
use crate::error::Error;
use crate::keep;
use crate::ops::search::Side;

/// What share of a sample is below a score that some of its elements are equal to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScoreKind {
    /// That below the middle of the ranks of the equal ones.
    #[default]
    Rank,
    /// That of the smaller elements and of the equal ones.
    Weak,
    /// That of the smaller elements.
    Strict,
    /// The mean of [`Weak`](Self::Weak) and [`Strict`](Self::Strict).
    Mean,
}

checked_fns! {
    /// The range between two percentiles over the axes; `[25.0, 75.0]` for the quartiles.
    ///
    /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** As
    /// [`mean`](DeviceArray::mean). Percentiles lie between 0 and 100, on the straight line between
    /// neighbouring elements. SciPy: `stats.iqr`; its scale `"normal"` is a division by
    /// 1.3489795003921634.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 4.0, 9.0])?;
    /// assert_eq!(lazuli::stats::iqr(&a, [25.0, 75.0], ..).item()?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn iqr | try_iqr<T: Real>(
        a: &DeviceArray<T>,
        range: [f64; 2],
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let axes = a.axes("iqr", axes)?;
        let q = range.map(|percent| percent / 100.0);
        let ends = a.cast::<f64>().try_quantiles(&[q[0].min(q[1]), q[0].max(q[1])], axes)?;
        Ok((ends.index_axis(0, 1) - ends.index_axis(0, 0)).cast())
    }

    /// The median over the axes of the absolute distances from the median.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.median_abs_deviation`; its scale `"normal"` is a
    /// division by 0.6744897501960817.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 4.0, 90.0])?;
    /// assert_eq!(lazuli::stats::median_abs_deviation(&a, ..).item()?, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn median_abs_deviation | try_median_abs_deviation<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let axes = a.axes("median_abs_deviation", axes)?;
        let a = a.cast::<f64>();
        let distances = (&a - a.try_median(axes.kept())?).abs();
        Ok(distances.try_median(axes)?.cast())
    }

    /// The percentage of the elements of a sample that are below each score.
    ///
    /// **Shape.** The scores'; the sample has any. **Dtype.** `f64`; NaN for a score that is, and for
    /// all where the sample has no element or holds NaN. SciPy: `stats.percentileofscore`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{ScoreKind, percentileofscore};
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0, 3.0, 4.0])?;
    /// let scores = DeviceArray::from_slice(&[3.0f64, 9.0])?;
    /// assert_eq!(percentileofscore(&a, &scores, ScoreKind::Rank).to_vec()?, [70.0, 100.0]);
    /// assert_eq!(percentileofscore(&a, &scores, ScoreKind::Strict).to_vec()?, [40.0, 100.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn percentileofscore | try_percentileofscore<T: Real>(
        a: &DeviceArray<T>,
        scores: &DeviceArray<T>,
        kind: ScoreKind,
    ) -> DeviceArray<f64> {
        same_device("percentileofscore", a, scores)?;
        if a.is_empty() {
            return Ok(scores.full_like(f64::NAN));
        }
        let (line, n) = (a.flatten().sort(0), a.len() as f64);
        let count = |side| line.searchsorted(scores, side).cast::<f64>();
        let (below, up_to) = (count(Side::Left), count(Side::Right));
        let percent = match kind {
            ScoreKind::Strict => below * (100.0 / n),
            ScoreKind::Weak => up_to * (100.0 / n),
            ScoreKind::Mean => (below + up_to) * (50.0 / n),
            ScoreKind::Rank => {
                let equal = below.less(&up_to).cast::<f64>();
                (below + up_to + equal) * (50.0 / n)
            }
        };
        let last = line.index_axis(0, -1);
        let no_number = scores.not_equal(scores).logical_or(last.not_equal(&last));
        Ok(no_number.select(f64::NAN, percent))
    }

    /// The expectile of a level from 0 to 1 over the axes: the number from which the distances of
    /// larger elements, weighted with `alpha`, and those of smaller ones, weighted with `1 - alpha`,
    /// have the same sum. It is the mean for 0.5 and an extreme for 0 and 1.
    ///
    /// For `alpha` above a half it is the largest of the means that weigh the elements behind a place
    /// of the sorted ones with `alpha` and the others with `1 - alpha`, else the smallest (F. Bellini
    /// et al., "Generalized quantiles as risk measures", 2014, by their dual representation).
    ///
    /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.expectile`, without weights.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 5.0])?;
    /// assert_eq!(lazuli::stats::expectile(&a, 0.75, ..).item()?, 4.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn expectile | try_expectile<T: Real>(
        a: &DeviceArray<T>,
        alpha: f64,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let axes = a.axes("expectile", axes)?;
        if !(0.0..=1.0).contains(&alpha) {
            return Err(Error::shape(format!("expectile: the level is {alpha}, not from 0 to 1")));
        }
        if axes.len(a.shape()) == 0 {
            let shape = a.shape();
            return Err(Error::shape(format!("expectile: no elements in shape {shape:?}")));
        }
        let all = rows(a, axes).cast::<f64>();
        let extreme = match alpha {
            0.0 => Some(all.min(-1)),
            1.0 => Some(all.max(-1)),
            _ => None,
        };
        if let Some(extreme) = extreme {
            return Ok(back(&extreme, a.shape(), axes).cast());
        }
        // Sums of distances from the mean have no digits of the mean.
        let mean = all.mean(keep(-1));
        let sorted = (&all - &mean).sort(-1);
        let n = sorted.shape()[sorted.ndim() - 1] as f64;
        let below = sorted.cumsum(-1);
        let count = (super::sample::places(&sorted) + 1).cast::<f64>();
        let total = sorted.sum(keep(-1));
        let sum = total * alpha + below * (1.0 - 2.0 * alpha);
        let means = sum / (count * (1.0 - 2.0 * alpha) + n * alpha);
        let found = match alpha < 0.5 {
            true => means.min(-1),
            false => means.max(-1),
        };
        Ok(back(&(found + mean.squeeze(-1)), a.shape(), axes).cast())
    }
}
