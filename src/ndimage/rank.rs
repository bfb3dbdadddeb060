//! Filters by order: minima, maxima, medians, percentiles.
//!
//! - Minima and maxima over rectangles run axis by axis; longer windows are put together from
//!   windows of half their length.
//! - Other ranks of few elements come from a network of comparisons, without a branch.
//! - Ranks of many elements are found bit by bit (`select.rs`).

use super::network::Network;
use super::select::bit_by_bit;
use super::weighted::{balanced, last_axes};
use super::window::{Around, Window};
use crate::array::{DeviceArray, checked_fns, record, upload_to};
use crate::dtype::Ordered;
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View};
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// Up to so many elements are sorted by a network.
const IN_A_NETWORK: usize = 25;
/// Up to so many elements of a footprint are read one by one.
const ONE_BY_ONE: usize = 32;
/// Windows along an axis up to this length are read element by element.
const SHORT: usize = 4;

/// Which end of the order is sought.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Least,
    Greatest,
}

impl End {
    pub(super) fn op(self) -> Op {
        match self {
            End::Least => Op::Minimum,
            End::Greatest => Op::Maximum,
        }
    }

    pub(super) fn reduction(self) -> Reduction {
        match self {
            End::Least => Reduction::Min,
            End::Greatest => Reduction::Max,
        }
    }
}

/// The minimum or the maximum of each window.
#[track_caller]
pub(super) fn extreme(name: &str, a: &Arc<Node>, around: &Around, end: End) -> Result<Arc<Node>> {
    if a.len() == 0 {
        return Ok(a.clone());
    }
    if around.footprint.is_some() {
        return of_footprint(name, a, around, end);
    }
    let rank = a.shape.len();
    let mut result = a.clone();
    for axis in (0..rank).filter(|&k| around.sizes[k] > 1) {
        result = extreme_along(name, &result, &around.one_axis(axis), axis, end)?;
    }
    Ok(result)
}

/// The extremes of windows along one axis. Those of `w` elements make those of `2w`, two of which
/// overlap to any length in between.
#[track_caller]
fn extreme_along(
    name: &str,
    a: &Arc<Node>,
    around: &Around,
    axis: usize,
    end: End,
) -> Result<Arc<Node>> {
    let (n, size) = (a.shape[axis], around.sizes[axis]);
    let join = |a: &Arc<Node>, b: &Arc<Node>| record::binary(end.op(), a, b);
    if size <= SHORT {
        return balanced(around.neighbours(name, a)?, join);
    }
    let whole = n.checked_add(size - 1).ok_or_else(|| Error::shape(format!("{name}: too long")))?;
    let mut line = around.extend(name, a)?.line(axis, around.first[axis], whole);
    let mut width = 1;
    while 2 * width <= size {
        let len = line.shape[axis] - width;
        line = join(&part(&line, axis, 0, len), &part(&line, axis, width, len))?;
        width *= 2;
    }
    join(&part(&line, axis, 0, n), &part(&line, axis, size - width, n))
}

/// A range of positions of an axis.
#[track_caller]
fn part(a: &Arc<Node>, axis: usize, start: usize, len: usize) -> Arc<Node> {
    let mut view = View::identity(a.shape.len());
    view.0[axis] = AxisMap::affine(axis, start as i64, 1);
    let mut shape = a.shape.clone();
    shape[axis] = len;
    record::view(a, view, shape)
}

#[track_caller]
fn of_footprint(name: &str, a: &Arc<Node>, around: &Around, end: End) -> Result<Arc<Node>> {
    if around.count() <= ONE_BY_ONE {
        let join = |a: &Arc<Node>, b: &Arc<Node>| record::binary(end.op(), a, b);
        return balanced(around.neighbours(name, a)?, join);
    }
    let windows = around.extend(name, a)?.windows(name, &around.first, &around.sizes)?;
    let windows = match around.mask(a)? {
        Some(mask) => record::select(&mask, &windows, end.reduction().identity_value(a.dtype))?,
        None => windows,
    };
    Ok(record::reduce(end.reduction(), &windows, last_axes(a.shape.len())))
}

impl Around {
    /// The window along one of its axes alone.
    fn one_axis(&self, axis: usize) -> Around {
        let own = |k: usize| k == axis;
        Around {
            sizes: (0..self.sizes.len()).map(|k| if own(k) { self.sizes[k] } else { 1 }).collect(),
            first: (0..self.sizes.len()).map(|k| if own(k) { self.first[k] } else { 0 }).collect(),
            borders: self.borders.clone(),
            footprint: None,
        }
    }

    /// The footprint on the array's device, where not all elements count.
    #[track_caller]
    pub(super) fn mask(&self, a: &Arc<Node>) -> Result<Option<Arc<Node>>> {
        let Some(footprint) = &self.footprint else { return Ok(None) };
        let shape = Shape::from_slice(&self.sizes);
        Ok(Some(upload_to(a.device, footprint, shape)?.node().clone()))
    }
}

/// The element that stands at `rank` in the order of each window.
#[track_caller]
fn ranked(name: &str, a: &Arc<Node>, around: &Around, rank: usize) -> Result<Arc<Node>> {
    let count = around.count();
    if a.len() == 0 {
        return Ok(a.clone());
    }
    if rank == 0 || rank == count - 1 {
        return extreme(name, a, around, if rank == 0 { End::Least } else { End::Greatest });
    }
    if count > IN_A_NETWORK {
        return bit_by_bit(name, a, around, rank);
    }
    let mut lanes = around.neighbours(name, a)?;
    for step in Network::new(count).toward(rank) {
        let (low, high) = (lanes[step.low].clone(), lanes[step.high].clone());
        if step.keeps_low {
            lanes[step.low] = record::binary(Op::Minimum, &low, &high)?;
        }
        if step.keeps_high {
            lanes[step.high] = record::binary(Op::Maximum, &low, &high)?;
        }
    }
    Ok(lanes.swap_remove(rank))
}

/// The most elements of a window of which ranks are sought.
const MOST: usize = 1 << 24;

/// A filter by rank, with the rank that a window of so many elements has.
#[track_caller]
fn filter<T: Ordered>(
    name: &str,
    a: &DeviceArray<T>,
    window: &Window,
    rank: impl Fn(usize) -> Option<usize>,
) -> Result<DeviceArray<T>> {
    let around = Around::new(name, window, a.ndim())?;
    let count = around.count();
    if around.sizes.iter().product::<usize>() > MOST {
        return Err(Error::shape(format!("{name}: a window of {count} elements is too large")));
    }
    let rank = rank(count).filter(|&rank| rank < count).ok_or_else(|| {
        Error::shape(format!("{name}: no such rank among the {count} elements of a window"))
    })?;
    ranked(name, a.node(), &around, rank).map(DeviceArray::from_node)
}

/// The rank of a percentile among so many elements, as SciPy has it.
fn of_percentile(percentile: f64, count: usize) -> Option<usize> {
    let percentile = if percentile < 0.0 { percentile + 100.0 } else { percentile };
    match percentile {
        100.0 => Some(count - 1),
        p if (0.0..100.0).contains(&p) => Some((count as f64 * p / 100.0) as usize),
        _ => None,
    }
}

checked_fns! {
    /// The least element around each one.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; NaN wins. SciPy: `ndimage.minimum_filter`.
    example
    /// ```
    /// use lazuli::ndimage::minimum_filter;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[4, 5, 2, 3, 9])?;
    /// assert_eq!(minimum_filter(&a, 3).to_vec()?, [4, 2, 2, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn minimum_filter | try_minimum_filter<T: Ordered>(
        a: &DeviceArray<T>,
        window: impl Into<Window>,
    ) -> DeviceArray<T> {
        filter("minimum_filter", a, &window.into(), |_| Some(0))
    }

    /// The greatest element around each one.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; NaN wins. SciPy: `ndimage.maximum_filter`.
    example
    /// ```
    /// use lazuli::ndimage::maximum_filter;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[4, 5, 2, 3, 9])?;
    /// assert_eq!(maximum_filter(&a, 3).to_vec()?, [5, 5, 5, 9, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    fn maximum_filter | try_maximum_filter<T: Ordered>(
        a: &DeviceArray<T>,
        window: impl Into<Window>,
    ) -> DeviceArray<T> {
        filter("maximum_filter", a, &window.into(), |count| Some(count - 1))
    }

    /// The median of the elements around each one; of an even number of them the higher of the two
    /// in the middle. Windows of more than 25 elements are computed when this is called.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. Of up to 25 elements a NaN gives NaN; of more
    /// of them NaNs count as the greatest. SciPy: `ndimage.median_filter`, `signal.medfilt`.
    example
    /// ```
    /// use lazuli::ndimage::median_filter;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0, 1.0, 9.0, 2.0, 2.0])?;
    /// assert_eq!(median_filter(&a, 3).to_vec()?, [1.0, 1.0, 2.0, 2.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn median_filter | try_median_filter<T: Ordered>(
        a: &DeviceArray<T>,
        window: impl Into<Window>,
    ) -> DeviceArray<T> {
        filter("median_filter", a, &window.into(), |count| Some(count / 2))
    }

    /// The element of a rank among those around each one; the least has rank 0, negative ranks count
    /// from the greatest, which has -1. Windows of more than 25 elements are computed when this is
    /// called, except for the least and the greatest.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; NaNs as in [`median_filter`]. SciPy:
    /// `ndimage.rank_filter`.
    example
    /// ```
    /// use lazuli::ndimage::rank_filter;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[4, 5, 2, 3, 9])?;
    /// assert_eq!(rank_filter(&a, -2, 3).to_vec()?, [4, 4, 3, 3, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    fn rank_filter | try_rank_filter<T: Ordered>(
        a: &DeviceArray<T>,
        rank: isize,
        window: impl Into<Window>,
    ) -> DeviceArray<T> {
        filter("rank_filter", a, &window.into(), |count| match rank {
            0.. => Some(rank as usize),
            _ => count.checked_add_signed(rank),
        })
    }

    /// The element at a percentile of those around each one: of `n` elements in order that at
    /// `n · percentile / 100`, rounded down. Negative percentiles count from 100. Windows of more than
    /// 25 elements are computed when this is called, except for the least and the greatest.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; NaNs as in [`median_filter`]. SciPy:
    /// `ndimage.percentile_filter`.
    example
    /// ```
    /// use lazuli::ndimage::percentile_filter;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[4, 5, 2, 3, 9])?;
    /// assert_eq!(percentile_filter(&a, 20.0, 3).to_vec()?, [4, 2, 2, 2, 3]);
    /// assert_eq!(percentile_filter(&a, 50.0, 3).to_vec()?, [4, 4, 3, 3, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    fn percentile_filter | try_percentile_filter<T: Ordered>(
        a: &DeviceArray<T>,
        percentile: f64,
        window: impl Into<Window>,
    ) -> DeviceArray<T> {
        filter("percentile_filter", a, &window.into(), |count| of_percentile(percentile, count))
    }
}
