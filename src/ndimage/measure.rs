//! Measurements of labelled regions.

use crate::array::{DeviceArray, checked_fns, located, record, upload_to};
use crate::dtype::{DType, Element, Integer, Real, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::ops::search::Side;
use crate::shape::{Shape, checked_len};
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::ops::Range;
use std::sync::Arc;

/// The regions that are measured.
pub(super) struct Regions {
    /// For each element the place of its label among those that are asked for, in order; elsewhere
    /// the number of them.
    pub(super) places: DeviceArray<i64>,
    /// How many different labels are asked for.
    pub(super) count: usize,
    /// For each label that is asked for its place among them, where they are not in order.
    order: Option<Vec<i64>>,
}

impl Regions {
    pub(super) fn new<T: Element, L: Integer>(
        name: &str,
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> Result<Regions> {
        if labels.device().differs(a.device()) {
            return Err(record::devices_differ(name, a.device(), labels.device()));
        }
        if labels.shape() != a.shape() {
            let (labels, a) = (labels.shape(), a.shape());
            return Err(Error::shape(format!("{name}: labels of shape {labels:?} for {a:?}")));
        }
        let index: Vec<i64> = index.into_iter().collect();
        let mut sorted = index.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let labels = flat(labels.node());
        // Labels beyond i64 are none that is asked for, unless the last one is.
        let labels = match L::DTYPE {
            DType::U64 => record::binary(Op::Minimum, &labels, Scalar::new(i64::MAX as u64))?,
            _ => labels,
        };
        let labels = DeviceArray::<i64>::from_node(record::cast(&labels, DType::I64));
        let at = |label: &i64| sorted.partition_point(|known| known < label) as i64;
        let order = (sorted != index).then(|| index.iter().map(at).collect());
        Ok(Regions { places: places(&labels, &sorted)?, count: sorted.len(), order })
    }

    /// The sums of the elements of each region.
    #[track_caller]
    fn sums(&self, values: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
        let start = self.all(Scalar::new(0.0f64));
        DeviceArray::from_node(start).try_scatter_add(&self.places, values, 0)
    }

    /// The number of elements of each region.
    #[track_caller]
    pub(super) fn counts(&self) -> Result<DeviceArray<f64>> {
        let start = DeviceArray::<i64>::from_node(self.all(Scalar::new(0i64)));
        let counts = start.try_scatter_add(&self.places, 1, 0)?;
        Ok(DeviceArray::from_node(record::cast(counts.node(), DType::F64)))
    }

    /// A value for each region, and one for all that belongs to none.
    #[track_caller]
    fn all(&self, value: Scalar) -> Arc<Node> {
        record::full(value, smallvec![self.count + 1], self.places.device())
    }

    /// For each element what its region has.
    #[track_caller]
    fn spread<T: Element>(&self, values: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        values.try_take_clipped(&self.places, 0)
    }

    /// The values of the regions that are asked for, in the order in which they are.
    #[track_caller]
    pub(super) fn asked<T: Element>(&self, values: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        let own = values.try_slice(ndarray::s![..self.count])?;
        match &self.order {
            Some(order) => own.try_take(&order[..], 0),
            None => Ok(own),
        }
    }

    /// The least or the greatest element of each region; what a region without any has is `first`.
    #[track_caller]
    fn extremes<T: Real>(&self, values: &DeviceArray<T>, end: Reduction) -> Result<DeviceArray<T>> {
        let start = DeviceArray::<T>::from_node(self.all(end.identity_value(T::DTYPE)));
        match end {
            Reduction::Min => start.try_scatter_min(&self.places, values, 0),
            _ => start.try_scatter_max(&self.places, values, 0),
        }
    }

    /// The first positions in C order at which a region has one of the values given for it.
    #[track_caller]
    fn first_places<T: Real>(
        &self,
        values: &DeviceArray<T>,
        wanted: &DeviceArray<T>,
    ) -> Result<DeviceArray<i64>> {
        let is_one = values.try_equal(&self.spread(wanted)?)?;
        let own = record::iota(0, smallvec![values.len()], values.device());
        let own = record::select(is_one.node(), &own, Scalar::new(i64::MAX))?;
        let start = DeviceArray::<i64>::from_node(self.all(Scalar::new(i64::MAX)));
        start.try_scatter_min(&self.places, DeviceArray::from_node(own), 0)
    }
}

/// The elements in C order along one axis.
#[track_caller]
pub(super) fn flat(a: &Arc<Node>) -> Arc<Node> {
    record::reshape(a, smallvec![a.len()])
}

/// For each label its place in a list in order; the list's length where it is not in it.
#[track_caller]
fn places(labels: &DeviceArray<i64>, sorted: &[i64]) -> Result<DeviceArray<i64>> {
    let count = sorted.len() as i64;
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return Ok(DeviceArray::from_node(record::full(
            Scalar::new(0i64),
            smallvec![labels.len()],
            labels.device(),
        )));
    };
    let found = if last.checked_sub(*first) == Some(count - 1) {
        // A range: no search is needed.
        let low = labels.try_greater_equal(*first)?;
        let inside = low.try_logical_and(labels.try_less_equal(*last)?)?;
        let place = labels.try_subtract(*first)?;
        record::select(inside.node(), place.node(), Scalar::new(count))?
    } else {
        let list = upload_to(labels.device(), sorted, Shape::from_slice(&[sorted.len()]))?;
        let place = list.try_searchsorted(labels, Side::Left)?;
        let same = list.try_take_clipped(&place, 0)?.try_equal(labels)?;
        record::select(same.node(), place.node(), Scalar::new(count))?
    };
    Ok(DeviceArray::from_node(found))
}

#[track_caller]
fn wide<T: Element>(a: &DeviceArray<T>) -> DeviceArray<f64> {
    DeviceArray::from_node(record::cast(&flat(a.node()), DType::F64))
}

/// The mean squares of the distances from the means.
#[track_caller]
fn variances<T: Real>(regions: &Regions, a: &DeviceArray<T>) -> Result<DeviceArray<f64>> {
    let values = wide(a);
    let counts = regions.counts()?;
    let means = regions.sums(&values)?.try_divide(&counts)?;
    let apart = values.try_subtract(regions.spread(&means)?)?;
    let squares = DeviceArray::from_node(record::unary(Op::Square, apart.node()));
    regions.asked(&regions.sums(&squares)?.try_divide(&counts)?)
}

/// The extremes of the regions that are asked for, 0 where one has no element.
#[track_caller]
fn ends<T: Real>(regions: &Regions, a: &DeviceArray<T>, end: Reduction) -> Result<DeviceArray<T>> {
    let values = DeviceArray::<T>::from_node(flat(a.node()));
    let found = regions.extremes(&values, end)?;
    let some = regions.counts()?.try_greater(0.0)?;
    let found = record::select(some.node(), found.node(), Scalar::new(T::ZERO))?;
    regions.asked(&DeviceArray::from_node(found))
}

/// The positions on all axes of the extremes.
#[track_caller]
fn end_places<T: Real>(
    regions: &Regions,
    a: &DeviceArray<T>,
    end: Reduction,
) -> Result<DeviceArray<i64>> {
    let values = DeviceArray::<T>::from_node(flat(a.node()));
    let found = regions.first_places(&values, &regions.extremes(&values, end)?)?;
    let found = regions.asked(&found)?;
    let mut rest = found.node().clone();
    let none = record::binary(Op::Equal, &rest, Scalar::new(i64::MAX))?;
    let mut parts = Vec::new();
    for &n in a.shape().iter().rev() {
        let n = Scalar::new(n.max(1) as i64);
        let at = record::binary(Op::RemEuclid, &rest, n)?;
        parts.push(record::select(&none, Scalar::new(0i64), &at)?);
        rest = record::binary(Op::FloorDivide, &rest, n)?;
    }
    stacked(parts.into_iter().rev(), found.len(), a.device())
}

/// Numbers of the regions as the columns of an array.
#[track_caller]
fn stacked<T: Element>(
    parts: impl Iterator<Item = Arc<Node>>,
    count: usize,
    device: crate::backend::Device,
) -> Result<DeviceArray<T>> {
    let parts: Vec<DeviceArray<T>> = parts.map(DeviceArray::from_node).collect();
    match parts.is_empty() {
        true => {
            let zero = Scalar::new(T::default());
            Ok(DeviceArray::from_node(record::full(zero, smallvec![count, 0], device)))
        }
        false => crate::try_stack(&parts, -1),
    }
}

/// The position on an axis of each element of an array, flat.
#[track_caller]
fn positions(shape: &[usize], axis: usize, device: crate::backend::Device) -> Arc<Node> {
    flat(&record::iota(axis, Shape::from_slice(shape), device))
}

checked_fns! {
    /// The sum of the elements of each region, for the labels that are asked for.
    ///
    /// **Shape.** One number for each label of `index`; the labels have the array's shape. **Dtype.**
    /// `f64`, which sums are computed in; 0 where a label does not occur. SciPy:
    /// `ndimage.sum_labels`.
    example
    /// ```
    /// use lazuli::ndimage::sum_labels;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0, 2.0, 4.0, 8.0])?;
    /// let labels = DeviceArray::from_slice(&[1, 0, 1, 2])?;
    /// assert_eq!(sum_labels(&a, &labels, [1, 2, 7]).to_vec()?, [5.0, 8.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn sum_labels | try_sum_labels<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<f64> {
        let regions = Regions::new("sum_labels", a, labels, index)?;
        regions.asked(&regions.sums(&wide(a))?)
    }

    /// The mean of the elements of each region, for the labels that are asked for.
    ///
    /// **Shape.** As for [`sum_labels`]. **Dtype.** `f64`; NaN where a label does not occur. SciPy:
    /// `ndimage.mean`.
    example
    /// ```
    /// use lazuli::ndimage::mean;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 2, 4, 8])?;
    /// let labels = DeviceArray::from_slice(&[1, 0, 1, 2])?;
    /// assert_eq!(mean(&a, &labels, 1..=2).to_vec()?, [2.5, 8.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn mean | try_mean<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<f64> {
        let regions = Regions::new("mean", a, labels, index)?;
        regions.asked(&regions.sums(&wide(a))?.try_divide(regions.counts()?)?)
    }

    /// The variance of the elements of each region, for the labels that are asked for.
    ///
    /// **Shape.** As for [`sum_labels`]. **Dtype.** `f64`; NaN where a label does not occur. SciPy:
    /// `ndimage.variance`.
    example
    /// ```
    /// use lazuli::ndimage::variance;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 2, 5, 8])?;
    /// let labels = DeviceArray::from_slice(&[1, 0, 1, 2])?;
    /// assert_eq!(variance(&a, &labels, 1..=2).to_vec()?, [4.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn variance | try_variance<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<f64> {
        variances(&Regions::new("variance", a, labels, index)?, a)
    }

    /// The standard deviation of the elements of each region, for the labels that are asked for.
    ///
    /// **Shape.** As for [`sum_labels`]. **Dtype.** `f64`; NaN where a label does not occur. SciPy:
    /// `ndimage.standard_deviation`.
    example
    /// ```
    /// use lazuli::ndimage::standard_deviation;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 2, 5, 8])?;
    /// let labels = DeviceArray::from_slice(&[1, 0, 1, 2])?;
    /// assert_eq!(standard_deviation(&a, &labels, 1..=2).to_vec()?, [2.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn standard_deviation | try_standard_deviation<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<f64> {
        let found = variances(&Regions::new("standard_deviation", a, labels, index)?, a)?;
        Ok(DeviceArray::from_node(record::unary(Op::Sqrt, found.node())))
    }

    /// The least element of each region, for the labels that are asked for.
    ///
    /// **Shape.** As for [`sum_labels`]. **Dtype.** The array's; NaN wins, and 0 stands where a label
    /// does not occur. SciPy: `ndimage.minimum`.
    example
    /// ```
    /// use lazuli::ndimage::minimum;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[4, 2, 1, 8])?;
    /// let labels = DeviceArray::from_slice(&[1, 0, 1, 2])?;
    /// assert_eq!(minimum(&a, &labels, 1..=2).to_vec()?, [1, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    fn minimum | try_minimum<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<T> {
        ends(&Regions::new("minimum", a, labels, index)?, a, Reduction::Min)
    }

    /// The greatest element of each region, for the labels that are asked for.
    ///
    /// **Shape.** As for [`sum_labels`]. **Dtype.** The array's; NaN wins, and 0 stands where a label
    /// does not occur. SciPy: `ndimage.maximum`.
    example
    /// ```
    /// use lazuli::ndimage::maximum;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[4, 2, 1, 8])?;
    /// let labels = DeviceArray::from_slice(&[1, 0, 1, 2])?;
    /// assert_eq!(maximum(&a, &labels, 1..=2).to_vec()?, [4, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    fn maximum | try_maximum<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<T> {
        ends(&Regions::new("maximum", a, labels, index)?, a, Reduction::Max)
    }

    /// Where the least element of each region stands, the first one in C order, for the labels that
    /// are asked for.
    ///
    /// **Shape.** A row for each label of `index`, with a position for each axis; zeros where a label
    /// does not occur. SciPy: `ndimage.minimum_position`.
    example
    /// ```
    /// use lazuli::ndimage::minimum_position;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![4, 2, 1, 8])?;
    /// let labels = DeviceArray::from_vec([2, 2], vec![1, 2, 1, 2])?;
    /// assert_eq!(minimum_position(&a, &labels, 1..=2).to_vec()?, [1, 0, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn minimum_position | try_minimum_position<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<i64> {
        end_places(&Regions::new("minimum_position", a, labels, index)?, a, Reduction::Min)
    }

    /// Where the greatest element of each region stands, the first one in C order, for the labels
    /// that are asked for.
    ///
    /// **Shape.** As for [`minimum_position`]. SciPy: `ndimage.maximum_position`.
    example
    /// ```
    /// use lazuli::ndimage::maximum_position;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![4, 2, 1, 8])?;
    /// let labels = DeviceArray::from_vec([2, 2], vec![1, 2, 1, 2])?;
    /// assert_eq!(maximum_position(&a, &labels, 1..=2).to_vec()?, [0, 0, 1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn maximum_position | try_maximum_position<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<i64> {
        end_places(&Regions::new("maximum_position", a, labels, index)?, a, Reduction::Max)
    }

    /// The mean position of each region, in which elements weigh what they are, for the labels that
    /// are asked for.
    ///
    /// **Shape.** A row for each label of `index`, with a number for each axis. **Dtype.** `f64`; NaN
    /// where a label does not occur. SciPy: `ndimage.center_of_mass`.
    example
    /// ```
    /// use lazuli::ndimage::center_of_mass;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 3], vec![1, 0, 1, 0, 0, 2])?;
    /// let labels = DeviceArray::<i32>::ones([2, 3]);
    /// assert_eq!(center_of_mass(&a, &labels, [1]).to_vec()?, [0.5, 1.5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn center_of_mass | try_center_of_mass<T: Real, L: Integer>(
        a: &DeviceArray<T>,
        labels: &DeviceArray<L>,
        index: impl IntoIterator<Item = i64>,
    ) -> DeviceArray<f64> {
        let regions = Regions::new("center_of_mass", a, labels, index)?;
        let weights = wide(a);
        let total = regions.sums(&weights)?;
        let along = |axis: usize| {
            let at = record::cast(&positions(a.shape(), axis, a.device()), DType::F64);
            let moments = weights.try_multiply(DeviceArray::<f64>::from_node(at))?;
            let mean = regions.sums(&moments)?.try_divide(&total)?;
            Ok(regions.asked(&mean)?.node().clone())
        };
        let all: Vec<Arc<Node>> = (0..a.ndim()).map(along).collect::<Result<_>>()?;
        let asked = regions.order.as_ref().map_or(regions.count, Vec::len);
        stacked(all.into_iter(), asked, a.device())
    }
}

/// The box around each of the regions that are labelled 1, 2, 3 and so on: a range on each axis, or
/// `None` where no element has the label. As many as `count`, or as the greatest label.
///
/// **Laziness.** Evaluates. SciPy: `ndimage.find_objects`.
///
/// # Errors
/// What an evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::ndimage::find_objects;
/// use lazuli::prelude::*;
/// let labels = DeviceArray::from_vec([2, 4], vec![0, 1, 1, 0, 3, 1, 0, 0])?;
/// let boxes = find_objects(&labels, None)?;
/// assert_eq!(boxes, [Some(vec![0..2, 1..3]), None, Some(vec![1..2, 0..1])]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn find_objects<L: Integer>(
    labels: &DeviceArray<L>,
    count: Option<usize>,
) -> Result<Vec<Option<Vec<Range<usize>>>>> {
    located(boxes(labels, count))
}

fn boxes<L: Integer>(
    labels: &DeviceArray<L>,
    count: Option<usize>,
) -> Result<Vec<Option<Vec<Range<usize>>>>> {
    let count = match count {
        Some(count) => count,
        None if labels.is_empty() => 0,
        None => {
            let most = record::cast(labels.max(..).node(), DType::I64);
            DeviceArray::<i64>::from_node(most).item()?.max(0) as usize
        }
    };
    if count == 0 {
        return Ok(Vec::new());
    }
    if labels.is_empty() {
        return Ok(vec![None; count]);
    }
    checked_len("find_objects", &[count, labels.ndim()])?;
    let regions = Regions::new("find_objects", labels, labels, 1..=count as i64)?;
    let mut ends = vec![regions.asked(&regions.counts()?)?.cast::<i64>()];
    for axis in 0..labels.ndim() {
        let at = DeviceArray::<i64>::from_node(positions(labels.shape(), axis, labels.device()));
        for end in [Reduction::Min, Reduction::Max] {
            ends.push(regions.asked(&regions.extremes(&at, end)?)?);
        }
    }
    let ends = crate::try_stack(&ends, 1)?.to_vec()?;
    let row = |row: &[i64]| {
        let (counted, ends) = row.split_first()?;
        let range = |end: &[i64]| end[0] as usize..end[1] as usize + 1;
        (*counted > 0).then(|| ends.chunks(2).map(range).collect())
    };
    Ok(ends.chunks(2 * labels.ndim() + 1).map(row).collect())
}
