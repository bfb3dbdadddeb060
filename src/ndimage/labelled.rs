//! What is made of the elements of each labelled region: medians, histograms, any function.

use super::measure::{Regions, flat};
use crate::array::{DeviceArray, checked_fns, located, record, upload_to};
use crate::dtype::{Element, Integer, Real, Scalar};
use crate::error::{Error, Result};
use crate::ops::search::Side;
use crate::ops::sorting::try_lexsort;
use crate::shape::{Shape, checked_len};
use smallvec::smallvec;

checked_fns! {
    /// The median of the elements of each region, for the labels that are asked for: of an even number
    /// of them the mean of the two in the middle. NaN counts as greater than all numbers.
    ///
    /// **Shape.** As for [`sum_labels`](super::sum_labels). **Dtype.** `f64`; NaN where a label does not
    /// occur. SciPy: `ndimage.median`.
    example
    /// ```
    /// use lazuli::ndimage::median;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[4, 2, 1, 8, 5, 7])?;
    /// let labels = DeviceArray::from_slice(&[1, 0, 1, 2, 1, 2])?;
    /// assert_eq!(median(&a, &labels, 1..=2).to_vec()?, [4.0, 7.5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn median | try_median<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<f64> {
        let regions = Regions::new("median", a, labels, index)?;
        let values = DeviceArray::<T>::from_node(flat(a.node()));
        if values.is_empty() {
            let nan = record::full(Scalar::new(f64::NAN), smallvec![regions.count + 1], a.device());
            return regions.asked(&DeviceArray::from_node(nan));
        }
        let order = try_lexsort(&[&values, &regions.places])?;
        let sorted = values.try_take_clipped(&order, 0)?.cast::<f64>();
        let counts = regions.counts()?.cast::<i64>();
        // Where each region ends among the sorted elements.
        let begins = counts.cumsum(0).cast::<i64>() - &counts;
        let low = &begins + (&counts - 1).clip_min(0).floor_divide(2);
        let high = &begins + counts.floor_divide(2);
        let at = |places: &DeviceArray<i64>| sorted.try_take_clipped(places, 0);
        let (low, high) = (at(&low)?, at(&high)?);
        // Of one element in the middle no sum is made, which might be infinite.
        let is_one = counts.remainder(2).equal(1);
        let middle = is_one.select(&low, (&low + high) / 2.0);
        regions.asked(&counts.greater(0).select(middle, f64::NAN))
    }

    /// How many elements of each region lie between neighbouring ones of `bins + 1` evenly spaced
    /// numbers from `low` to `high`, for the labels that are asked for; the last number belongs to the
    /// last bin.
    ///
    /// **Shape.** A row of `bins` numbers for each label of `index`. **Dtype.** `i64`; zeros where a
    /// label does not occur. SciPy: `ndimage.histogram`.
    example
    /// ```
    /// use lazuli::ndimage::histogram;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[4.0, 2.0, 1.0, 8.0, 5.0, 7.0])?;
    /// let labels = DeviceArray::from_slice(&[1, 0, 1, 2, 1, 2])?;
    /// let counts = histogram(&a, 0.0, 8.0, 4, &labels, 1..=2);
    /// assert_eq!(counts.to_vec()?, [1, 0, 2, 0, 0, 0, 0, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn histogram | try_histogram<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        low: f64,
        high: f64,
        bins: usize,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<i64> {
        let width = high - low;
        if bins == 0 || !(width > 0.0 && width.is_finite()) {
            return Err(Error::shape(format!("histogram: {bins} bins from {low} to {high}")));
        }
        let regions = Regions::new("histogram", a, labels, index)?;
        let all = checked_len("histogram", &[regions.count + 1, bins])?;
        let step = width / bins as f64;
        let mut edges: Vec<f64> = (0..=bins).map(|k| k as f64 * step + low).collect();
        edges[bins] = high;
        let edges = upload_to(a.device(), &edges, Shape::from_slice(&[bins + 1]))?;
        let values = DeviceArray::<T>::from_node(flat(a.node())).cast::<f64>();
        let bin = (edges.try_searchsorted(&values, Side::Right)? - 1).clip(0, bins as i64 - 1);
        let inside = values.greater_equal(low).logical_and(values.less_equal(high));
        let place = &regions.places * bins as i64 + bin;
        let place = inside.select(place, all as i64);
        let start = record::full(Scalar::new(0i64), smallvec![all + 1], a.device());
        let counts = DeviceArray::<i64>::from_node(start).try_scatter_add(&place, 1, 0)?;
        let counts = counts.try_slice(ndarray::s![..all])?.reshape([regions.count + 1, bins]);
        regions.asked(&counts)
    }
}

/// What a function makes of the elements of each region, in C order along one axis, for the labels that
/// are asked for; `default` where a label does not occur.
///
/// **Shape.** One value for each label of `index`; the function's result has one element. **Laziness.**
/// Evaluates the labels, and calls the function for each of them that occurs, whose results it
/// records. SciPy: `ndimage.labeled_comprehension`.
///
/// # Errors
/// [`Error::is_shape`] where the labels have another shape, or a result has not one element;
/// [`Error::is_device`], and those of an evaluation.
///
/// # Example
/// ```
/// use lazuli::ndimage::labeled_comprehension;
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[4, 2, 1, 8])?;
/// let labels = DeviceArray::from_slice(&[1, 0, 1, 2])?;
/// let spread = |region: &DeviceArray<i32>| region.max(..) - region.min(..);
/// assert_eq!(labeled_comprehension(&a, &labels, 1..=3, -1, spread)?.to_vec()?, [3, 0, -1]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn labeled_comprehension<T: Element, L: Integer, U: Element>(
    a: &DeviceArray<T>,
    labels: &DeviceArray<L>,
    index: impl IntoIterator<Item = i64>,
    default: U,
    mut function: impl FnMut(&DeviceArray<T>) -> DeviceArray<U>,
) -> Result<DeviceArray<U>> {
    let run = || {
        let regions = Regions::new("labeled_comprehension", a, labels, index)?;
        let order = regions.places.try_argsort(0)?;
        let sorted = DeviceArray::<T>::from_node(flat(a.node())).try_take_clipped(&order, 0)?;
        sorted.eval()?;
        let counts = regions.counts()?.cast::<i64>().to_vec()?;
        let (mut begin, mut found) = (0, Vec::with_capacity(regions.count));
        for &count in &counts[..regions.count] {
            let end = begin + count as usize;
            found.push(match count {
                0 => DeviceArray::from_node(record::full(Scalar::new(default), smallvec![1], a.device())),
                _ => {
                    let value = function(&sorted.try_slice(ndarray::s![begin..end])?);
                    if value.len() != 1 {
                        let shape = value.shape();
                        return Err(Error::shape(format!(
                            "labeled_comprehension: the function gave shape {shape:?}, not one element"
                        )));
                    }
                    value.reshape([1])
                }
            });
            begin = end;
        }
        // The last one belongs to no region.
        found.push(DeviceArray::from_node(record::full(
            Scalar::new(default),
            smallvec![1],
            a.device(),
        )));
        let all = match &found[..] {
            [one] => one.clone(),
            _ => crate::ops::join::try_concatenate(&found.iter().collect::<Vec<_>>(), 0)?,
        };
        regions.asked(&all)
    };
    located(run())
}

/// The values of an array of integers, rising, and where each of them stands: an array of positions for
/// each axis, in C order. `ignore` is left out.
///
/// **Laziness.** Evaluates. SciPy: `ndimage.value_indices`.
///
/// # Errors
/// What an evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::ndimage::value_indices;
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_vec([2, 2], vec![0, 7, 7, 3])?;
/// let found = value_indices(&a, Some(0))?;
/// let (value, places) = &found[1];
/// assert_eq!((*value, places[0].to_vec()?, places[1].to_vec()?), (7, vec![0, 1], vec![1, 0]));
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn value_indices<L: Integer>(
    a: &DeviceArray<L>,
    ignore: Option<L>,
) -> Result<Vec<(L, Vec<DeviceArray<i64>>)>> {
    located(indices(a, ignore))
}

fn indices<L: Integer>(
    a: &DeviceArray<L>,
    ignore: Option<L>,
) -> Result<Vec<(L, Vec<DeviceArray<i64>>)>> {
    let values = DeviceArray::<L>::from_node(flat(a.node()));
    let order = values.try_argsort(0)?;
    let sorted = values.try_take_clipped(&order, 0)?;
    let mut positions = Vec::new();
    let mut rest = order;
    for &n in a.shape().iter().rev() {
        let n = n.max(1) as i64;
        positions.push(rest.remainder(n));
        rest = rest.floor_divide(n);
    }
    positions.reverse();
    let mut all: Vec<&dyn crate::array::AnyArray> = vec![&sorted];
    all.extend(positions.iter().map(|p| p as &dyn crate::array::AnyArray));
    crate::array::eval(&all)?;
    let sorted = sorted.to_vec()?;
    let mut begin = 0;
    let mut found = Vec::new();
    for run in sorted.chunk_by(|a, b| a == b) {
        let end = begin + run.len();
        if ignore != Some(run[0]) {
            let of = |p: &DeviceArray<i64>| p.try_slice(ndarray::s![begin..end]);
            found.push((run[0], positions.iter().map(of).collect::<Result<Vec<_>>>()?));
        }
        begin = end;
    }
    Ok(found)
}
