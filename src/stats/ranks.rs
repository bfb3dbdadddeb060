//! Ranks and ties: runs of equal elements of sorted rows.

use super::sample::{back, from_rows, places, rows};
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::Real;
use crate::ops::scan::Scan;

/// Sorted rows, and the runs of equal elements in them.
pub(super) struct Runs<T: Real> {
    pub sorted: DeviceArray<T>,
    /// Where each sorted element stood.
    order: DeviceArray<i64>,
    /// Whether a sorted element is the first of its run.
    begins: DeviceArray<bool>,
    /// Where the run of each sorted element begins.
    first: DeviceArray<i64>,
    /// Where it ends.
    last: DeviceArray<i64>,
}

impl<T: Real> Runs<T> {
    #[track_caller]
    pub(super) fn of(rows: &DeviceArray<T>) -> Runs<T> {
        let order = rows.argsort(-1);
        let sorted = rows.take_along_axis(&order, -1);
        let place = places(&sorted);
        let n = sorted.shape()[sorted.ndim() - 1] as i64;
        // NaN, of which all are sorted behind the numbers, is equal to NaN here.
        let is_nan = sorted.not_equal(&sorted);
        let differs = |by: isize| {
            let both = is_nan.logical_and(is_nan.roll(by, -1));
            sorted.not_equal(sorted.roll(by, -1)).logical_and(both.logical_not())
        };
        let begins = place.equal(0).logical_or(differs(1));
        let ends = place.equal(n - 1).logical_or(differs(-1));
        let first = begins.select(&place, 0).cummax(-1);
        let last = ends.select(&place, n - 1).cummin_with(-1, Scan::new().reverse());
        Runs { sorted, order, begins, first, last }
    }

    /// How many elements the run of each sorted one has.
    #[track_caller]
    pub(super) fn lengths(&self) -> DeviceArray<i64> {
        &self.last - &self.first + 1
    }

    /// The sum of `t³ - t` over the lengths of the runs.
    #[track_caller]
    pub(super) fn ties(&self) -> DeviceArray<f64> {
        let t = self.lengths().cast::<f64>();
        // Each of a run's elements has its share.
        (t.square() - 1.0).sum(-1)
    }

    /// The ranks from 1 on where the elements stood.
    #[track_caller]
    pub(super) fn ranks(&self, ties: Ties) -> DeviceArray<f64> {
        let ranks = match ties {
            Ties::Average => (&self.first + &self.last).cast::<f64>() * 0.5 + 1.0,
            Ties::Min => (&self.first + 1).cast(),
            Ties::Max => (&self.last + 1).cast(),
            Ties::Dense => self.begins.cumsum(-1).cast(),
            Ties::Ordinal => {
                let place = (places(&self.sorted) + 1).cast::<f64>();
                place.broadcast_to(self.sorted.shape())
            }
        };
        ranks.full_like(0.0).with_put_along_axis(&self.order, ranks, -1)
    }
}

/// The rank of elements that are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ties {
    /// The mean of the ranks that they take up.
    #[default]
    Average,
    /// The smallest of these.
    Min,
    /// The largest of these.
    Max,
    /// One more than that of the next smaller elements.
    Dense,
    /// A rank of its own for each, in the order in which they stand.
    Ordinal,
}

/// What [`mode`] gives.
#[derive(Clone, Debug)]
pub struct Mode<T: Real> {
    /// The commonest element, of several the smallest.
    pub mode: DeviceArray<T>,
    /// How often it occurs.
    pub count: DeviceArray<i64>,
}

checked_fns! {
    /// The ranks of the elements over the axes, the smallest having rank 1. Where one of them is NaN,
    /// all ranks are.
    ///
    /// **Shape.** The array's. **Dtype.** `f64`. SciPy: `stats.rankdata`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{Ties, rankdata};
    /// let a = DeviceArray::from_slice(&[0, 2, 3, 2])?;
    /// assert_eq!(rankdata(&a, Ties::Average, ..).to_vec()?, [1.0, 2.5, 4.0, 2.5]);
    /// assert_eq!(rankdata(&a, Ties::Dense, ..).to_vec()?, [1.0, 2.0, 3.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn rankdata | try_rankdata<T: Real>(
        a: &DeviceArray<T>,
        ties: Ties,
        axes: impl Axes,
    ) -> DeviceArray<f64> {
        let axes = a.axes("rankdata", axes)?;
        if a.is_empty() {
            return Ok(a.cast());
        }
        let lines = rows(a, axes);
        let ranks = Runs::of(&lines).ranks(ties);
        let ranks = lines.not_equal(&lines).any(crate::keep(-1)).select(f64::NAN, ranks);
        Ok(from_rows(&ranks, a.shape(), axes))
    }

    /// The factor by which ties among ranks make the variance of their sums smaller,
    /// `1 - Σ(t³ - t) / (n³ - n)` over the numbers `t` of equal ranks.
    ///
    /// **Shape.** No axes; the array's have any. **Dtype.** `f64`. SciPy: `stats.tiecorrect`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let ranks = DeviceArray::from_slice(&[1.0f64, 2.5, 2.5, 4.0])?;
    /// assert_eq!(lazuli::stats::tiecorrect(&ranks).item()?, 0.9);
    /// # Ok::<(), Error>(())
    /// ```
    fn tiecorrect | try_tiecorrect<T: Real>(ranks: &DeviceArray<T>) -> DeviceArray<f64> {
        let n = ranks.len() as f64;
        if n < 2.0 {
            return Ok(ranks.cast::<f64>().sum(..).full_like(1.0));
        }
        Ok(1.0 - Runs::of(&ranks.flatten()).ties() / (n * n * n - n))
    }

    /// The commonest element over the axes, of several the smallest, and how often it occurs. NaN
    /// counts as an element like others.
    ///
    /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** The array's,
    /// and `i64`. SciPy: `stats.mode`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 4], vec![3, 1, 3, 1, 7, 8, 8, 8])?;
    /// let found = lazuli::stats::mode(&a, 1);
    /// assert_eq!((found.mode.to_vec()?, found.count.to_vec()?), (vec![1, 8], vec![2, 3]));
    /// # Ok::<(), Error>(())
    /// ```
    fn mode | try_mode<T: Real>(a: &DeviceArray<T>, axes: impl Axes) -> Mode<T> {
        let axes = a.axes("mode", axes)?;
        let lines = rows(a, axes);
        let runs = Runs::of(&lines);
        let lengths = runs.lengths();
        let at = lengths.try_argmax(crate::keep(-1))?;
        let mode = runs.sorted.take_along_axis(&at, -1).squeeze(-1);
        let count = lengths.take_along_axis(&at, -1).squeeze(-1);
        Ok(Mode { mode: back(&mode, a.shape(), axes), count: back(&count, a.shape(), axes) })
    }
}
