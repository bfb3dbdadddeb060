//! Counts and histograms.

use super::bins::BinRule;
use super::search::{Side, places};
use crate::array::{DeviceArray, located, record, recorded};
use crate::dtype::{DType, Integer, Real, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, Node};
use crate::library::Library;
use crate::library::count::Count;
use crate::shape::{Shape, checked_len};
use crate::table::Op;
use std::sync::Arc;

/// The bins of a histogram. Each holds its lower bound, and the last one its upper bound too.
#[derive(Clone, Copy, Debug)]
pub enum Bins<'a> {
    /// So many of one width, between the least and the greatest element.
    Count(usize),
    /// So many of one width, between two bounds.
    Within(usize, f64, f64),
    /// Between neighbouring bounds, which rise, in an array with one axis.
    Edges(&'a DeviceArray<f64>),
    /// As many of one width between the least and the greatest element as a rule gives.
    Rule(BinRule),
}

/// Counts numbers of bins, of which those that are no bin count nowhere, or adds up weights.
#[track_caller]
pub(crate) fn count(
    name: &str,
    at: &Arc<Node>,
    weights: Option<&Arc<Node>>,
    bins: usize,
) -> Result<Arc<Node>> {
    let shape = Shape::from_slice(&[bins]);
    checked_len(name, &shape)?;
    let dtype = if weights.is_some() { DType::F64 } else { DType::I64 };
    if at.len() == 0 || bins == 0 {
        return Ok(record::full(Scalar::from_f64(dtype, 0.0), shape, at.device));
    }
    if i32::try_from(bins).is_err() {
        return Err(Error::unsupported(format!("{name}: {bins} bins")));
    }
    let mut args = Args::from_iter([Arg::from(at)]);
    args.extend(weights.map(Arg::from));
    let (len, index) = (at.len(), at.dtype);
    let call = Count { len, bins, index, weighted: weights.is_some() };
    Ok(record::library(Library::Count(call), args, shape, at.device))
}

#[track_caller]
fn check_weights(name: &str, a: &Arc<Node>, weights: &Arc<Node>) -> Result<Arc<Node>> {
    if weights.device.differs(a.device) {
        return Err(record::devices_differ(name, a.device, weights.device));
    }
    if weights.shape != a.shape {
        return Err(Error::shape(format!(
            "{name}: weights of shape {:?} for elements of shape {:?}",
            weights.shape, a.shape
        )));
    }
    Ok(record::cast(weights, DType::F64))
}

impl<T: Integer> DeviceArray<T> {
    /// How often each number from 0 on occurs among the elements.
    ///
    /// **Shape.** One axis, one longer than the greatest element and at least `least`. **Dtype.**
    /// `i64`. Arrays of any shape are taken.
    ///
    /// **Laziness.** Evaluates the array and its extremes, which say how long the result is;
    /// records the rest. NumPy: `bincount`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where an element is negative; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0, 1, 1, 3])?;
    /// assert_eq!(a.bincount(0)?.to_vec()?, [1, 2, 0, 1]);
    /// assert_eq!(a.bincount(6)?.len(), 6);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn bincount(&self, least: usize) -> Result<DeviceArray<i64>> {
        let count_all = || {
            let bins = self.bins("bincount")?.max(least);
            count("bincount", &record::cast(self.node(), DType::I64), None, bins)
        };
        located(recorded(count_all)).map(DeviceArray::from_node)
    }

    /// The sum of the weights beside each number from 0 on.
    ///
    /// **Shape.** As [`bincount`](Self::bincount); the weights have the array's. **Dtype.** `f64`.
    /// Sums are the same bits on every run. NumPy: `bincount` with `weights`.
    ///
    /// **Laziness, errors.** As [`bincount`](Self::bincount); the weights are not evaluated here.
    ///
    /// # Errors
    /// [`Error::is_shape`] where an element is negative or the shapes differ,
    /// [`Error::is_device`] where the weights live on another device; what the evaluation fails
    /// with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0, 1, 1])?;
    /// let weights = DeviceArray::from_slice(&[0.5, 1.0, 2.0])?;
    /// assert_eq!(a.bincount_weighted(&weights, 0)?.to_vec()?, [0.5, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn bincount_weighted<W: Real>(
        &self,
        weights: &DeviceArray<W>,
        least: usize,
    ) -> Result<DeviceArray<f64>> {
        let count_all = || {
            let weights = check_weights("bincount_weighted", self.node(), weights.node())?;
            let bins = self.bins("bincount_weighted")?.max(least);
            count("bincount_weighted", &record::cast(self.node(), DType::I64), Some(&weights), bins)
        };
        located(recorded(count_all)).map(DeviceArray::from_node)
    }

    /// One more than the greatest element, none of which is negative.
    fn bins(&self, name: &str) -> Result<usize> {
        if self.is_empty() {
            return Ok(0);
        }
        let (least, most) = (self.try_min(..)?.cast::<i64>(), self.try_max(..)?.cast::<i64>());
        crate::eval(&[&least, &most])?;
        let (least, most) = (least.item()?, most.item()?);
        // Beyond 63 bits an unsigned number has become a negative one.
        let unsigned = matches!(T::DTYPE, DType::U8 | DType::U16 | DType::U32 | DType::U64);
        match least.min(most) {
            0.. => Ok(most as usize + 1),
            large if unsigned => Err(Error::shape(format!(
                "{name}: element {} is too large to be a bin's number",
                large as u64
            ))),
            negative => Err(Error::shape(format!("{name}: element {negative} is negative"))),
        }
    }
}

/// Bins along one axis of a sample.
pub(super) struct Line {
    /// The bounds, as `f64`.
    pub(super) edges: DeviceArray<f64>,
    /// The number of the bin of each element; -1 or the number of bins for none.
    pub(super) at: Arc<Node>,
}

impl Line {
    pub(super) fn new<T: Real>(name: &str, a: &DeviceArray<T>, bins: Bins) -> Result<Line> {
        let wide = record::cast(a.node(), DType::F64);
        match bins {
            Bins::Edges(edges) => {
                if edges.device().differs(a.device()) {
                    return Err(record::devices_differ(name, a.device(), edges.device()));
                }
                let host = if edges.ndim() == 1 { edges.to_vec()? } else { Vec::new() };
                if host.len() < 2 || !host.windows(2).all(|w| w[0] <= w[1]) {
                    return Err(Error::shape(format!(
                        "{name}: {} bounds of shape {:?} do not rise",
                        edges.len(),
                        edges.shape()
                    )));
                }
                let at = between(&wide, edges)?;
                Ok(Line { edges: edges.clone(), at })
            }
            Bins::Count(n) => {
                let (low, high) = extremes(name, a)?;
                Line::even(name, &wide, n, low, high)
            }
            Bins::Within(n, low, high) => Line::even(name, &wide, n, low, high),
            Bins::Rule(rule) => {
                let (low, high) = extremes(name, a)?;
                let n = if a.is_empty() { 1 } else { rule.bins(a, low, high)? };
                Line::even(name, &wide, n, low, high)
            }
        }
    }

    fn even(name: &str, a: &Arc<Node>, n: usize, low: f64, high: f64) -> Result<Line> {
        // The width, too: bounds may be as far apart as no number is.
        if n == 0 || !(high - low).is_finite() || low > high {
            return Err(Error::shape(format!("{name}: {n} bins between {low} and {high}")));
        }
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        let bounds = n.checked_add(1).ok_or_else(|| too_many(name, n))?;
        let edges = a.device.scope(|| DeviceArray::<f64>::try_linspace(low, high, bounds));
        let edges = edges.map_err(|_| too_many(name, n))?;
        if may_collapse(n, low, high) && !edges.to_vec()?.is_sorted_by(|a, b| a < b) {
            return Err(Error::shape(format!(
                "{name}: {n} bins between {low} and {high} are narrower than the distances of \
                 numbers there"
            )));
        }
        let at = evenly(a, &edges, n, low, high)?;
        Ok(Line { edges, at })
    }

    pub(super) fn bins(&self) -> usize {
        self.edges.len() - 1
    }
}

/// Whether rounding may make neighbouring bounds equal: the roundings of two of them make out less
/// than four times the distance of the greatest numbers among them.
fn may_collapse(n: usize, low: f64, high: f64) -> bool {
    let most = low.abs().max(high.abs());
    (high - low) / n as f64 <= 4.0 * (most.next_up() - most)
}

pub(super) fn too_many(name: &str, bins: usize) -> Error {
    Error::shape(format!("{name}: {bins} bins are too many"))
}

/// The least and the greatest element, finite; 0 and 1 of none.
fn extremes<T: Real>(name: &str, a: &DeviceArray<T>) -> Result<(f64, f64)> {
    if a.is_empty() {
        return Ok((0.0, 1.0));
    }
    let wide = a.cast::<f64>();
    let (low, high) = (wide.try_min(..)?, wide.try_max(..)?);
    crate::eval(&[&low, &high])?;
    let (low, high) = (low.item()?, high.item()?);
    match low.is_finite() && high.is_finite() {
        true => Ok((low, high)),
        false => {
            Err(Error::shape(format!("{name}: elements between {low} and {high} have no bins")))
        }
    }
}

/// The bin of each element between bounds.
#[track_caller]
fn between(a: &Arc<Node>, edges: &DeviceArray<f64>) -> Result<Arc<Node>> {
    let bins = edges.len() as i64 - 1;
    let after = places(edges.node(), a, Side::Right)?;
    let at = record::binary(Op::Subtract, &after, Scalar::new(1i64))?;
    let last = edges.try_slice(crate::prelude::s![bins as isize])?;
    let is_last = record::binary(Op::Equal, a, last.node())?;
    let at = record::select(&is_last, Scalar::new(bins - 1), &at)?;
    Ok(record::cast(&at, DType::I32))
}

/// The bin of each element among bins of one width: by division, and then by the bounds, which
/// rounding may have put on the other side.
#[track_caller]
fn evenly(
    a: &Arc<Node>,
    edges: &DeviceArray<f64>,
    n: usize,
    low: f64,
    high: f64,
) -> Result<Arc<Node>> {
    let number = |v: f64| Scalar::new(v);
    let place = |v: i64| Scalar::new(v);
    let far = record::binary(Op::Subtract, a, number(low))?;
    let part = record::binary(Op::Divide, &far, number(high - low))?;
    let guess = record::cast(&record::binary(Op::Multiply, &part, number(n as f64))?, DType::I64);
    let guess = record::binary(Op::Maximum, &guess, place(0))?;
    let guess = record::binary(Op::Minimum, &guess, place(n as i64 - 1))?;
    let guess = DeviceArray::<i64>::from_node(guess);
    let lower = edges.try_take(&guess, 0)?;
    let below = record::binary(Op::Less, a, lower.node())?;
    let down = record::binary(Op::Subtract, guess.node(), place(1))?;
    let at = DeviceArray::<i64>::from_node(record::select(&below, &down, guess.node())?);
    let next = DeviceArray::<i64>::from_node(record::binary(Op::Add, at.node(), place(1))?);
    let upper = edges.try_take(&next, 0)?;
    let reaches = record::binary(Op::GreaterEqual, a, upper.node())?;
    let not_last = record::binary(Op::NotEqual, at.node(), place(n as i64 - 1))?;
    let goes = record::binary(Op::LogicalAnd, &reaches, &not_last)?;
    let at = record::select(&goes, next.node(), at.node())?;
    let inside = record::binary(
        Op::LogicalAnd,
        &record::binary(Op::GreaterEqual, a, number(low))?,
        &record::binary(Op::LessEqual, a, number(high))?,
    )?;
    let at = record::select(&inside, &at, place(-1))?;
    Ok(record::cast(&at, DType::I32))
}

impl<T: Real> DeviceArray<T> {
    /// How many elements fall into each bin, and the bounds of the bins. NaN and what lies outside
    /// falls into none.
    ///
    /// **Shape.** One axis of as many as there are bins, and one of one more. **Dtype.** `i64` and
    /// `f64`: bins are found in `f64` whatever the type of the elements.
    ///
    /// **Laziness.** Evaluates the extremes where they say what the bins are, and given bounds, to
    /// check that they rise; records the rest. The bounds of bins that are about as narrow as the
    /// distances of numbers there are checked as well. NumPy: `histogram`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there are no bins, bounds do not rise, bins of one width are
    /// narrower than the distances of numbers there, or the extremes are not finite;
    /// [`Error::is_device`] where bounds live on another device; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 2, 1])?;
    /// let bounds = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 3.0])?;
    /// let (counts, _) = a.histogram(Bins::Edges(&bounds))?;
    /// assert_eq!(counts.to_vec()?, [0, 2, 1]);
    /// let (counts, bounds) = a.histogram(Bins::Count(2))?;
    /// assert_eq!((counts.to_vec()?, bounds.to_vec()?), (vec![2, 1], vec![1.0, 1.5, 2.0]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn histogram(&self, bins: Bins) -> Result<(DeviceArray<i64>, DeviceArray<f64>)> {
        let find = || {
            let line = Line::new("histogram", self, bins)?;
            let counts = count("histogram", &line.at, None, line.bins())?;
            Ok((DeviceArray::from_node(counts), line.edges))
        };
        located(recorded(find))
    }

    /// The sum of the weights of the elements in each bin, and the bounds of the bins.
    ///
    /// **Shape.** As [`histogram`](Self::histogram); the weights have the array's. **Dtype.**
    /// `f64`. Sums are the same bits on every run. NumPy: `histogram` with `weights`.
    ///
    /// **Laziness.** As [`histogram`](Self::histogram).
    ///
    /// # Errors
    /// As [`histogram`](Self::histogram), and [`Error::is_shape`] where the weights' shape differs.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0, 0.1, 0.9])?;
    /// let weights = DeviceArray::from_slice(&[1.0, 2.0, 4.0])?;
    /// let (sums, _) = a.histogram_weighted(Bins::Within(2, 0.0, 1.0), &weights)?;
    /// assert_eq!(sums.to_vec()?, [3.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn histogram_weighted<W: Real>(
        &self,
        bins: Bins,
        weights: &DeviceArray<W>,
    ) -> Result<(DeviceArray<f64>, DeviceArray<f64>)> {
        let find = || {
            let weights = check_weights("histogram", self.node(), weights.node())?;
            let line = Line::new("histogram", self, bins)?;
            let sums = count("histogram", &line.at, Some(&weights), line.bins())?;
            Ok((DeviceArray::from_node(sums), line.edges))
        };
        located(recorded(find))
    }

    /// The density in each bin: its share of all that fell into bins, over its width; and the
    /// bounds of the bins.
    ///
    /// **Shape.** As [`histogram`](Self::histogram). **Dtype.** `f64`. NumPy: `histogram` with
    /// `density=True`.
    ///
    /// **Laziness.** As [`histogram`](Self::histogram).
    ///
    /// # Errors
    /// As [`histogram`](Self::histogram).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0, 0.1, 0.3, 0.9])?;
    /// let (density, _) = a.histogram_density(Bins::Within(2, 0.0, 1.0))?;
    /// assert_eq!(density.to_vec()?, [1.5, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn histogram_density(&self, bins: Bins) -> Result<(DeviceArray<f64>, DeviceArray<f64>)> {
        let find = || {
            let (counts, edges) = self.histogram(bins)?;
            let counts = counts.cast::<f64>();
            let whole = counts.try_sum(..)?.try_multiply(edges.try_diff(1, 0)?)?;
            Ok((counts.try_divide(whole)?, edges))
        };
        located(recorded(find))
    }
}
