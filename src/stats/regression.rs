//! Straight lines through points.

use super::correlation::pearson;
use super::result::{self, Alternative};
use super::sample::{Sample, at_least, host, same_device};
use crate::array::{Axes, DeviceArray, checked_fns, located, recorded};
use crate::dtype::{Element, Real};
use crate::error::{Error, Result};
use crate::special::device::ndtri;

/// What [`linregress`] gives.
#[derive(Clone, Debug)]
pub struct Line<T: Element> {
    /// The slope.
    pub slope: DeviceArray<T>,
    /// The value at 0.
    pub intercept: DeviceArray<T>,
    /// Pearson's coefficient of correlation. Its square is the part of the variance that the line
    /// explains.
    pub rvalue: DeviceArray<T>,
    /// The probability of a slope as extreme where the values do not depend on the places.
    pub pvalue: DeviceArray<T>,
    /// The standard error of the slope.
    pub stderr: DeviceArray<T>,
    /// The standard error of the value at 0.
    pub intercept_stderr: DeviceArray<T>,
}

/// What [`theilslopes`] gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobustLine {
    /// The median of the slopes between all pairs of points.
    pub slope: f64,
    /// The median of the values, less the slope times the median of the places.
    pub intercept: f64,
    /// The lower end of the slope's interval of confidence.
    pub low_slope: f64,
    /// The upper end.
    pub high_slope: f64,
}

checked_fns! {
    /// The straight line with the least sum of squared distances of the values `y` at places `x` over
    /// the axes, and a test of a slope of 0.
    ///
    /// **Shape.** Each has the arrays' without the axes, along which both have the same 2 elements or
    /// more; other axes broadcast. NaN where all places are the same. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.linregress`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Alternative, linregress};
    /// let x = DeviceArray::from_slice(&[0.0f64, 1.0, 2.0, 3.0])?;
    /// let y = DeviceArray::from_slice(&[1.0f64, 3.0, 5.0, 9.0])?;
    /// let line = linregress(&x, &y, .., Alternative::TwoSided);
    /// assert!((line.slope.item()? - 2.6).abs() < 1e-14);
    /// assert!((line.intercept.item()? - 0.6).abs() < 1e-14);
    /// assert!((line.stderr.item()? - 0.3464101615137754).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn linregress | try_linregress<T: Real>(
        x: &DeviceArray<T>,
        y: &DeviceArray<T>,
        axes: impl Axes,
        alternative: Alternative,
    ) -> Line<T::Mean> {
        let x = Sample::new("linregress", x, axes)?;
        let y = x.paired("linregress", y)?;
        at_least("linregress", x.n as usize, 2)?;
        let (dx, dy) = (x.centred(), y.centred());
        let [xx, yy] = [&dx, &dy].map(|d| d.square().mean(x.axes));
        let flat = |s: &Sample| s.x.min(s.axes).equal(s.x.max(s.axes));
        let slope = (dx * dy).mean(x.axes) / &xx;
        let slope = flat(&x).select(f64::NAN, slope);
        let intercept = y.mean() - &slope * x.mean();
        // Values that are all the same are on the line, and nothing depends on the places.
        let r = flat(&y).select(&slope, pearson(&x, &y));
        let df = x.n - 2.0;
        let (p, stderr) = match df > 0.0 {
            true => {
                let error = (((1.0 - r.square()) * yy / &xx) / df).sqrt();
                (result::correlation(&r, x.n as usize, alternative), error)
            }
            // A line through two points: SciPy's probability is 0 unless it is level.
            false => (flat(&y).select(1.0, &slope * 0.0), &slope * 0.0),
        };
        let intercept_stderr = &stderr * (xx + x.mean().square()).sqrt();
        Ok(Line {
            slope: slope.cast(),
            intercept: intercept.cast(),
            rvalue: r.cast(),
            pvalue: p.cast(),
            stderr: stderr.cast(),
            intercept_stderr: intercept_stderr.cast(),
        })
    }
}

/// The sum of `t (t - 1) (2t + 5)` over runs of equal numbers.
fn tie_term(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let runs = values.chunk_by(|a, b| a == b).map(|run| run.len() as f64);
    runs.filter(|&t| t > 1.0).map(|t| t * (t - 1.0) * (2.0 * t + 5.0)).sum()
}

/// The straight line of Theil and Sen, which few outliers hardly move: the median of the slopes
/// between all pairs of points, with an interval of a confidence, 0.95 say.
///
/// **Evaluates.** The slopes are computed on the device, `n (n - 1) / 2` of them. **Shape.** One
/// result; both arrays have one axis of 2 elements or more. **Dtype.** `f64`; NaN where all places are
/// the same. SciPy: `stats.theilslopes`, whose arguments are the other way round.
///
/// # Errors
/// [`Error::is_shape`] where the shapes do not fit, [`Error::is_device`] where the arrays live on
/// several devices; what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::stats::theilslopes;
/// let x = DeviceArray::from_slice(&[0.0f64, 1.0, 2.0, 3.0, 4.0])?;
/// let y = DeviceArray::from_slice(&[1.0f64, 3.0, 5.0, 700.0, 9.0])?;
/// let line = theilslopes(&x, &y, 0.95)?;
/// assert_eq!((line.slope, line.intercept), (2.0, 1.0));
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn theilslopes<T: Real>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    confidence: f64,
) -> Result<RobustLine> {
    located(recorded(|| theil_sen(x, y, confidence)))
}

#[track_caller]
fn theil_sen<T: Real>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    confidence: f64,
) -> Result<RobustLine> {
    same_device("theilslopes", x, y)?;
    if x.ndim() != 1 || x.shape() != y.shape() || x.len() < 2 {
        let (x, y) = (x.shape(), y.shape());
        return Err(Error::shape(format!(
            "theilslopes: shapes {x:?} and {y:?} are not those of 2 points or more"
        )));
    }
    let n = x.len() as f64;
    let [u, v] = [x, y].map(|a| a.cast::<f64>());
    let apart = |a: &DeviceArray<f64>| a.insert_axis(1) - a.insert_axis(0);
    let run = apart(&u);
    let slopes = (apart(&v) / &run).extract(&run.greater(0.0))?.sort(0);
    let (slope, median_x, median_y) = (slopes.median(..), u.median(..), v.median(..));
    crate::array::eval(&[&slope, &median_x, &median_y])?;
    let (slope, median_x, median_y) = (slope.item()?, median_x.item()?, median_y.item()?);
    let alpha = if confidence > 0.5 { 1.0 - confidence } else { confidence };
    let z = ndtri(alpha / 2.0);
    let ties = tie_term(host(x)?) + tie_term(host(y)?);
    let sigma = ((n * (n - 1.0) * (2.0 * n + 5.0) - ties) / 18.0).sqrt();
    let count = slopes.len() as f64;
    let high = ((count - z * sigma) / 2.0).round_ties_even().min(count - 1.0);
    let low = (((count + z * sigma) / 2.0).round_ties_even() - 1.0).max(0.0);
    let at = |place: f64| match place >= 0.0 && place < count && !slope.is_nan() {
        true => slopes.get([place as i64]),
        false => Ok(f64::NAN),
    };
    Ok(RobustLine {
        slope,
        intercept: median_y - slope * median_x,
        low_slope: at(low)?,
        high_slope: at(high)?,
    })
}
