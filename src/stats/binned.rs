//! Statistics of values by the bins in which other numbers lie, and frequencies.

use super::sample::host;
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::Real;
use crate::error::{Error, Result};
use crate::ops::cells::{Cells, cells_of};
use crate::ops::counting::{Bins, count};
use crate::ops::search::Side;
use crate::ops::sorting::try_lexsort;

/// What is computed of the values in each bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BinStatistic {
    /// Their mean; NaN for none.
    #[default]
    Mean,
    /// Their standard deviation; NaN for none.
    Std,
    /// Their median; NaN for none.
    Median,
    /// Their number.
    Count,
    /// Their sum.
    Sum,
    /// The smallest; NaN for none.
    Min,
    /// The largest; NaN for none.
    Max,
}

/// What [`binned_statistic`] gives.
#[derive(Clone, Debug)]
pub struct BinnedStatistic {
    /// The statistic of the values in each bin.
    pub statistic: DeviceArray<f64>,
    /// The bounds of the bins.
    pub edges: DeviceArray<f64>,
    /// The number of the bin in which each number lies, from 0 on; -1 for none.
    pub bins: DeviceArray<i64>,
}

/// What [`binned_statistic_2d`] and [`binned_statistic_dd`] give.
#[derive(Clone, Debug)]
pub struct BinnedStatistics {
    /// The statistic of the values in each cell, an axis for each coordinate.
    pub statistic: DeviceArray<f64>,
    /// The bounds of the bins along each axis.
    pub edges: Vec<DeviceArray<f64>>,
    /// The number of the cell in which each point lies, in C order from 0 on; -1 for none.
    pub cells: DeviceArray<i64>,
}

/// The sum of values in each cell.
#[track_caller]
fn sums(name: &str, cells: &Cells, values: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    count(name, cells.at.node(), Some(values.node()), cells.total).map(DeviceArray::from_node)
}

/// Values sorted by cells, and in each by their size.
struct Sorted {
    values: DeviceArray<f64>,
    starts: DeviceArray<i64>,
    ends: DeviceArray<i64>,
}

impl Sorted {
    #[track_caller]
    fn of(cells: &Cells, values: &DeviceArray<f64>) -> Result<Sorted> {
        let order = try_lexsort(&[values, &cells.at])?;
        let line = cells.at.take(&order, 0);
        let all = values.device().scope(|| DeviceArray::<i64>::arange_to(cells.total as i64));
        let bound = |side| line.searchsorted(&all, side);
        let (starts, ends) = (bound(Side::Left), bound(Side::Right));
        Ok(Sorted { values: values.take(&order, 0), starts, ends })
    }

    /// The elements at places of each cell; NaN for a cell without elements.
    #[track_caller]
    fn at(&self, places: DeviceArray<i64>) -> DeviceArray<f64> {
        let found = self.values.take_clipped(places, 0);
        self.starts.equal(&self.ends).select(f64::NAN, found)
    }
}

#[track_caller]
fn statistic_of(
    name: &str,
    cells: &Cells,
    values: &DeviceArray<f64>,
    statistic: BinStatistic,
) -> Result<DeviceArray<f64>> {
    let counted = || -> Result<DeviceArray<f64>> {
        let counts = count(name, cells.at.node(), None, cells.total)?;
        Ok(DeviceArray::<i64>::from_node(counts).cast())
    };
    if values.is_empty() {
        let empty = match statistic {
            BinStatistic::Count | BinStatistic::Sum => 0.0,
            _ => f64::NAN,
        };
        return Ok(values.device().scope(|| DeviceArray::full([cells.total], empty)));
    }
    Ok(match statistic {
        BinStatistic::Count => counted()?,
        BinStatistic::Sum => sums(name, cells, values)?,
        BinStatistic::Mean => sums(name, cells, values)? / counted()?,
        BinStatistic::Std => {
            let counts = counted()?;
            let means = sums(name, cells, values)? / &counts;
            let distances = values - means.take_clipped(&cells.at, 0);
            (sums(name, cells, &distances.square())? / counts).sqrt()
        }
        BinStatistic::Min => {
            let sorted = Sorted::of(cells, values)?;
            sorted.at(sorted.starts.clone())
        }
        BinStatistic::Max => {
            let sorted = Sorted::of(cells, values)?;
            sorted.at(&sorted.ends - 1)
        }
        BinStatistic::Median => {
            let sorted = Sorted::of(cells, values)?;
            let middle = &sorted.starts + &sorted.ends;
            let (low, high) = ((&middle - 1).floor_divide(2), middle.floor_divide(2));
            (sorted.at(low) + sorted.at(high)) * 0.5
        }
    })
}

#[track_caller]
fn binned<T: Real, U: Real>(
    name: &str,
    coordinates: &[&DeviceArray<T>],
    values: &DeviceArray<U>,
    statistic: BinStatistic,
    bins: &[Bins],
) -> Result<BinnedStatistics> {
    let cells = cells_of(name, coordinates, bins)?;
    if values.ndim() != 1 || values.shape() != cells.at.shape() {
        let (a, b) = (cells.at.shape(), values.shape());
        return Err(Error::shape(format!(
            "{name}: values of shape {b:?} at places of shape {a:?}"
        )));
    }
    super::sample::same_device(name, &cells.at, values)?;
    let line = statistic_of(name, &cells, &values.cast(), statistic)?;
    let statistic = line.reshape(&cells.shape[..]);
    Ok(BinnedStatistics { statistic, edges: cells.edges, cells: cells.at })
}

/// A statistic of the values that belong to numbers in each bin. Values of NaN and of what lies outside
/// belong nowhere.
///
/// **Shape.** One axis of as many as there are bins; `x` and `values` have one axis of the same length.
/// **Dtype.** `f64`, and `i64`.
///
/// **Laziness.** As [`histogram`](DeviceArray::histogram): evaluates what says where bins are. SciPy:
/// `stats.binned_statistic`, whose numbers of bins begin with 1.
///
/// # Errors
/// As [`histogram`](DeviceArray::histogram), and [`Error::is_shape`] where the shapes differ.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::stats::{BinStatistic, binned_statistic};
/// let x = DeviceArray::from_slice(&[1.0f64, 1.0, 2.0, 5.0, 7.0])?;
/// let values = DeviceArray::from_slice(&[1.0f64, 1.0, 2.0, 1.5, 3.0])?;
/// let sums = binned_statistic(&x, &values, BinStatistic::Sum, Bins::Count(2))?;
/// assert_eq!(sums.statistic.to_vec()?, [4.0, 4.5]);
/// assert_eq!(sums.bins.to_vec()?, [0, 0, 0, 1, 1]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn binned_statistic<T: Real, U: Real>(
    x: &DeviceArray<T>,
    values: &DeviceArray<U>,
    statistic: BinStatistic,
    bins: Bins,
) -> Result<BinnedStatistic> {
    let find = || binned("binned_statistic", &[x], values, statistic, &[bins]);
    let mut found = located(recorded(find))?;
    let edges = found.edges.swap_remove(0);
    Ok(BinnedStatistic { statistic: found.statistic, edges, bins: found.cells })
}

/// A statistic of the values that belong to points in each of the cells that bins along two axes make.
///
/// **Shape.** An axis for each coordinate; the arrays have one axis of the same length. **Dtype.**
/// `f64`, and `i64`.
///
/// **Laziness.** As [`histogram`](DeviceArray::histogram). SciPy: `stats.binned_statistic_2d`.
///
/// # Errors
/// As [`binned_statistic`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::stats::{BinStatistic, binned_statistic_2d};
/// let x = DeviceArray::from_slice(&[0.1f64, 0.1, 0.1, 0.6])?;
/// let y = DeviceArray::from_slice(&[2.1f64, 2.6, 2.1, 2.1])?;
/// let bins = [Bins::Within(2, 0.0, 1.0), Bins::Within(2, 2.0, 3.0)];
/// let counts = binned_statistic_2d(&x, &y, &x, BinStatistic::Count, bins)?;
/// assert_eq!(counts.statistic.to_vec()?, [2.0, 1.0, 1.0, 0.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn binned_statistic_2d<T: Real, U: Real>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    values: &DeviceArray<U>,
    statistic: BinStatistic,
    bins: [Bins; 2],
) -> Result<BinnedStatistics> {
    let find = || binned("binned_statistic_2d", &[x, y], values, statistic, &bins);
    located(recorded(find))
}

/// A statistic of the values that belong to points in each of the cells that bins along several axes
/// make.
///
/// **Shape.** An axis for each coordinate; the arrays have one axis of the same length. **Dtype.**
/// `f64`, and `i64`.
///
/// **Laziness.** As [`histogram`](DeviceArray::histogram). SciPy: `stats.binned_statistic_dd`, which
/// takes the coordinates of a point as a row.
///
/// # Errors
/// As [`binned_statistic`], and [`Error::is_shape`] where there are not as many kinds of bins as
/// coordinates.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::stats::{BinStatistic, binned_statistic_dd};
/// let x = DeviceArray::from_slice(&[0.1f64, 0.2, 0.9])?;
/// let values = DeviceArray::from_slice(&[1, 3, 5])?;
/// let bins = [Bins::Within(2, 0.0, 1.0); 3];
/// let means = binned_statistic_dd(&[&x, &x, &x], &values, BinStatistic::Mean, &bins)?;
/// assert_eq!(means.statistic.get([0, 0, 0])?, 2.0);
/// assert!(means.statistic.get([0, 1, 0])?.is_nan());
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn binned_statistic_dd<T: Real, U: Real>(
    coordinates: &[&DeviceArray<T>],
    values: &DeviceArray<U>,
    statistic: BinStatistic,
    bins: &[Bins],
) -> Result<BinnedStatistics> {
    let find = || binned("binned_statistic_dd", coordinates, values, statistic, bins);
    located(recorded(find))
}

/// What [`cumfreq`] and [`relfreq`] give.
#[derive(Clone, Debug)]
pub struct Frequencies {
    /// The frequencies of the bins.
    pub frequency: DeviceArray<f64>,
    /// The lower bound of the first bin.
    pub lower_limit: f64,
    /// The width of the bins.
    pub bin_size: f64,
    /// The number of elements outside of the bins.
    pub extra_points: usize,
}

/// Counts in so many bins between limits, or half a bin beyond the extremes.
fn frequencies<T: Real>(
    name: &str,
    a: &DeviceArray<T>,
    bins: usize,
    limits: Option<(f64, f64)>,
) -> Result<Frequencies> {
    let (low, high) = match limits {
        Some(limits) => limits,
        None if a.is_empty() => (0.0, 1.0),
        None if bins < 2 => {
            return Err(Error::shape(format!(
                "{name}: {bins} bins, and without limits 2 at least"
            )));
        }
        None => {
            let ends = crate::ops::join::try_stack(&[a.min(..), a.max(..)], 0)?;
            let ends = host(&ends)?;
            let half = (ends[1] - ends[0]) / (2.0 * (bins as f64 - 1.0));
            (ends[0] - half, ends[1] + half)
        }
    };
    let (counts, edges) = a.histogram(Bins::Within(bins, low, high))?;
    let wide = a.cast::<f64>();
    let outside = wide.less(low).logical_or(wide.greater(high)).sum(..);
    let first = edges.take([0, 1], 0);
    crate::array::eval(&[&outside, &first])?;
    let first = first.to_vec()?;
    Ok(Frequencies {
        frequency: counts.cast(),
        lower_limit: low,
        bin_size: first[1] - first[0],
        extra_points: outside.item()? as usize,
    })
}

/// How many elements lie in each bin or before it, for bins of one width between limits, by default
/// half a bin beyond the extremes.
///
/// **Shape.** One axis of as many as there are bins; the array has any. **Dtype.** `f64`.
///
/// **Laziness.** Evaluates the limits and what lies outside; records the counts. SciPy:
/// `stats.cumfreq`, without weights.
///
/// # Errors
/// [`Error::is_shape`] where there are no bins, without limits fewer than 2, or elements are not finite;
/// what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[1.0f64, 4.0, 2.0, 1.0, 3.0, 1.0])?;
/// let found = lazuli::stats::cumfreq(&a, 4, Some((1.5, 5.0)))?;
/// assert_eq!(found.frequency.to_vec()?, [1.0, 2.0, 3.0, 3.0]);
/// assert_eq!((found.bin_size, found.extra_points), (0.875, 3));
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn cumfreq<T: Real>(
    a: &DeviceArray<T>,
    bins: usize,
    limits: Option<(f64, f64)>,
) -> Result<Frequencies> {
    let find = || {
        let found = frequencies("cumfreq", a, bins, limits)?;
        Ok(Frequencies { frequency: found.frequency.cumsum(0), ..found })
    };
    located(recorded(find))
}

/// What part of the elements lies in each bin, for bins of one width between limits, by default half a
/// bin beyond the extremes.
///
/// **Shape, dtype, laziness.** As of [`cumfreq`]. SciPy: `stats.relfreq`, without weights.
///
/// # Errors
/// As [`cumfreq`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[2.0f64, 4.0, 1.0, 2.0, 3.0, 2.0, 4.0, 4.0])?;
/// let found = lazuli::stats::relfreq(&a, 4, None)?;
/// assert_eq!(found.frequency.to_vec()?, [0.125, 0.375, 0.125, 0.375]);
/// assert_eq!((found.lower_limit, found.bin_size), (0.5, 1.0));
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn relfreq<T: Real>(
    a: &DeviceArray<T>,
    bins: usize,
    limits: Option<(f64, f64)>,
) -> Result<Frequencies> {
    let find = || {
        let found = frequencies("relfreq", a, bins, limits)?;
        Ok(Frequencies { frequency: found.frequency / a.len() as f64, ..found })
    };
    located(recorded(find))
}
