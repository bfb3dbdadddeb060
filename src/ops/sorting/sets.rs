//! Distinct elements, and arrays as sets: how many there are depends on data, so these evaluate
//! when they are called.

use super::distinct::UniqueOptions;
use super::nodes::{self, Gives};
use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, located, record};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node, sharding};
use crate::library::Library;
use crate::library::sort::{Combine, Scatter, Sorting};
use crate::ops::search::{self, Side};
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

/// The distinct elements of an array, and where they stand in it; made by
/// [`DeviceArray::unique_all`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unique<T: Element> {
    /// The distinct elements, ascending.
    pub values: DeviceArray<T>,
    /// For each of them the position, in C order, of its first occurrence.
    pub positions: DeviceArray<i64>,
    /// For each element of the array the position of its value among the distinct ones; of the
    /// array's shape.
    pub inverse: DeviceArray<i64>,
    /// For each distinct element how often it occurs.
    pub counts: DeviceArray<i64>,
}

/// Whether neighbours differ; two NaN do where they are not taken for equal.
#[track_caller]
pub(super) fn differ(a: &Arc<Node>, b: &Arc<Node>, equal_nan: bool) -> Result<Arc<Node>> {
    let differ = record::binary(Op::NotEqual, a, b)?;
    if !equal_nan || !(a.dtype.is_float() || a.dtype.is_complex()) {
        return Ok(differ);
    }
    let nan = |x: &Arc<Node>| record::unary(Op::IsNan, x);
    let both = record::binary(Op::LogicalAnd, &nan(a), &nan(b))?;
    record::binary(Op::LogicalAnd, &differ, &record::unary(Op::LogicalNot, &both))
}

/// Whether each element of a sorted array differs from the one before it.
#[track_caller]
fn begins(sorted: &Arc<Node>, equal_nan: bool) -> Result<Arc<Node>> {
    let n = sorted.len();
    let all = DeviceArray::<bool>::from_node(record::full(
        Scalar::new(true),
        smallvec![1],
        sorted.device,
    ));
    if n <= 1 {
        return Ok(nodes::first(all.node(), 0, n));
    }
    let before = nodes::first(sorted, 0, n - 1);
    let behind = nodes::from(sorted, 0, 1);
    let differs = differ(&before, &behind, equal_nan)?;
    let differs = DeviceArray::<bool>::from_node(differs);
    Ok(crate::try_concatenate(&[&all, &differs], 0)?.node().clone())
}

impl<T: Element> DeviceArray<T> {
    /// The distinct elements, ascending; all NaN are one, the last.
    ///
    /// **Shape.** One axis, as long as there are distinct elements. **Dtype.** The array's.
    /// **Laziness.** The shape depends on the data: evaluates, counts and waits. NumPy: `unique`;
    /// for distinct rows, and for NaN that are each distinct, see [`unique_with`](Self::unique_with).
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![3, 1, 3, 2])?;
    /// assert_eq!(a.unique()?.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "unique_values")]
    #[track_caller]
    pub fn unique(&self) -> Result<DeviceArray<T>> {
        let sorted = nodes::sort(&flat(self), 0, false, Gives::Elements);
        let sorted = DeviceArray::from_node(located(sorted)?);
        sorted.eval()?;
        sorted.extract(&DeviceArray::from_node(located(begins(sorted.node(), true))?))
    }

    /// The distinct elements, ascending, and how often each occurs.
    ///
    /// **Shape.**, **Laziness.**, **Errors.** As [`unique`](Self::unique). NumPy:
    /// `unique(return_counts=True)`, `unique_counts`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (values, counts) = DeviceArray::from_slice(&[3, 1, 3])?.unique_counts()?;
    /// assert_eq!((values.to_vec()?, counts.to_vec()?), (vec![1, 3], vec![1, 2]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn unique_counts(&self) -> Result<(DeviceArray<T>, DeviceArray<i64>)> {
        let sorted = located(nodes::sort(&flat(self), 0, false, Gives::Elements))?;
        let sorted = DeviceArray::<T>::from_node(sorted);
        sorted.eval()?;
        let mask = DeviceArray::<bool>::from_node(located(begins(sorted.node(), true))?);
        let starts = mask.flat_nonzero()?;
        let values = DeviceArray::from_node(nodes::take(sorted.node(), starts.node()));
        Ok((values, located(lengths(&starts, self.len()))?))
    }

    /// The distinct elements, ascending, and for each element of the array which of them it is.
    ///
    /// **Shape.** The distinct elements have one axis, the positions the array's. **Dtype.** The
    /// array's, and `i64`. **Laziness.** As [`unique`](Self::unique). NumPy:
    /// `unique(return_inverse=True)`, `unique_inverse`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[3, 1, 3])?;
    /// let (values, inverse) = a.unique_inverse()?;
    /// assert_eq!(inverse.to_vec()?, [1, 0, 1]);
    /// assert_eq!(values.take(&inverse, 0).to_vec()?, a.to_vec()?);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn unique_inverse(&self) -> Result<(DeviceArray<T>, DeviceArray<i64>)> {
        let all = self.unique_all()?;
        Ok((all.values, all.inverse))
    }

    /// The distinct elements, ascending, with their first positions, the inverse, and how often
    /// each occurs.
    ///
    /// **Shape.** See [`Unique`]. **Laziness.** As [`unique`](Self::unique). NumPy: `unique_all`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let all = DeviceArray::from_slice(&[3, 1, 3])?.unique_all()?;
    /// assert_eq!(all.values.to_vec()?, [1, 3]);
    /// assert_eq!(all.positions.to_vec()?, [1, 0]);
    /// assert_eq!(all.inverse.to_vec()?, [1, 0, 1]);
    /// assert_eq!(all.counts.to_vec()?, [1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn unique_all(&self) -> Result<Unique<T>> {
        self.unique_with(UniqueOptions::new())
    }
}

/// The distinct elements, and where they stand.
#[track_caller]
pub(super) fn all<T: Element>(a: &DeviceArray<T>, equal_nan: bool) -> Result<Unique<T>> {
    let flat = flat(a);
    let order = nodes::sort(&flat, 0, false, Gives::Positions)?;
    let order = DeviceArray::<i64>::from_node(order);
    order.eval()?;
    let sorted = match flat.len() {
        0 => flat.clone(),
        _ => nodes::take(&flat, order.node()),
    };
    let mask = DeviceArray::<bool>::from_node(begins(&sorted, equal_nan)?);
    let starts = mask.flat_nonzero()?;
    let inverse = inverse(&order, mask.node())?;
    Ok(Unique {
        values: DeviceArray::from_node(nodes::take(&sorted, starts.node())),
        positions: DeviceArray::from_node(nodes::take(order.node(), starts.node())),
        inverse: DeviceArray::from_node(record::reshape(&inverse, a.node().shape.clone())),
        counts: lengths(&starts, a.len())?,
    })
}

#[track_caller]
fn flat<T: Element>(a: &DeviceArray<T>) -> Arc<Node> {
    record::reshape(&sharding::cut_in_front(a.node()), smallvec![a.len()])
}

/// The lengths of runs, from where they begin in an array of `total` elements.
#[track_caller]
fn lengths(starts: &DeviceArray<i64>, total: usize) -> Result<DeviceArray<i64>> {
    let n = starts.len();
    if n == 0 {
        return Ok(starts.clone());
    }
    let end = record::full(Scalar::new(total as i64), smallvec![1], starts.device());
    let ends = [nodes::from(starts.node(), 0, 1), end].map(DeviceArray::<i64>::from_node);
    let ends = crate::try_concatenate(&ends, 0)?;
    record::binary(Op::Subtract, ends.node(), starts.node()).map(DeviceArray::from_node)
}

/// For each element the number of its run: the numbers along the order, put back.
#[track_caller]
fn inverse(order: &DeviceArray<i64>, begins: &Arc<Node>) -> Result<Arc<Node>> {
    let n = order.len();
    if n == 0 {
        return Ok(order.node().clone());
    }
    let numbers = record::binary(Op::Subtract, &nodes::ranks(begins), Scalar::new(1i64))?;
    Ok(put(order.node(), &numbers))
}

/// The values at the positions of a permutation.
#[track_caller]
fn put(order: &Arc<Node>, values: &Arc<Node>) -> Arc<Node> {
    let n = order.len();
    let call = Scatter {
        name: "unique",
        axis: 0,
        dtype: values.dtype,
        outer: 1,
        len: n,
        inner: 1,
        count: n,
        shared: true,
        combine: Combine::Put,
        ordered: true,
    };
    let base = record::full(record::number(values, 0.0), smallvec![n], order.device);
    let args = smallvec![Arg::from(&base), Arg::from(order), Arg::from(values)];
    record::library(Library::Sort(Sorting::Scatter(call)), args, smallvec![n], order.device)
}

/// The distinct elements of both arrays, one array behind the other.
#[track_caller]
fn both<T: Element>(
    name: &str,
    a: &DeviceArray<T>,
    b: &DeviceArray<T>,
) -> Result<(DeviceArray<T>, DeviceArray<T>, DeviceArray<T>)> {
    if a.device().differs(b.device()) {
        return Err(record::devices_differ(name, a.device(), b.device()));
    }
    let (a, b) = (a.unique()?, b.unique()?);
    let joined = crate::try_concatenate(&[&a, &b], 0)?;
    Ok((a, b, joined))
}

/// Whether each element of a sorted array is equal to the one behind it. NaN is equal to nothing.
#[track_caller]
fn twice(sorted: &Arc<Node>) -> Result<DeviceArray<bool>> {
    let n = sorted.len();
    let no = |n: usize| record::full(Scalar::new(false), smallvec![n], sorted.device);
    if n <= 1 {
        return Ok(DeviceArray::from_node(no(n)));
    }
    let pairs = (nodes::first(sorted, 0, n - 1), nodes::from(sorted, 0, 1));
    let equal = record::binary(Op::Equal, &pairs.0, &pairs.1)?;
    crate::try_concatenate(&[equal, no(1)].map(DeviceArray::<bool>::from_node), 0)
}

/// Whether each element of `a` is one of `b`'s, or equal to the one value `b`. NaN is equal to
/// nothing.
///
/// **Shape.** The first array's. **Dtype.** `bool`. **Laziness.** Depends on the second array; a
/// value is compared with, which is recorded alone:
/// integers evaluate its least and its largest element, to see whether a table of all between them
/// is small enough; up to 65,536 other real numbers are searched by halving, which is recorded
/// alone; what is left evaluates both arrays and counts their distinct elements. NumPy: `isin`,
/// `in1d`.
///
/// # Errors
/// [`Error::is_device`](crate::Error::is_device) where the arrays live on several devices, and as
/// [`lazuli::eval`](crate::eval).
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 2])?;
/// let found = lazuli::is_in(&a, &DeviceArray::from_slice(&[2, 7])?)?;
/// assert_eq!(found.to_vec()?, [false, true, false, true]);
/// assert_eq!(lazuli::is_in(&a, 3)?.to_vec()?, [false, false, true, false]);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "isin")]
#[doc(alias = "in1d")]
#[track_caller]
pub fn is_in<T: Element>(a: &DeviceArray<T>, b: impl Operand<T>) -> Result<DeviceArray<bool>> {
    match located(arg(b, a.device()))? {
        Arg::Scalar(value) => {
            located(record::binary(Op::Equal, a.node(), value)).map(DeviceArray::from_node)
        }
        Arg::Node(b) => located(found(a, &DeviceArray::from_node(b))),
    }
}

/// Whether each element of `a` is none of `b`'s, or differs from the one value `b`: what
/// [`is_in`] gives, negated. NaN is equal to nothing, and so is none of them.
///
/// **Shape.**, **Dtype.**, **Laziness.** As [`is_in`]. NumPy: `isin(…, invert=True)`.
///
/// # Errors
/// As [`is_in`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[1, 2, 3])?;
/// let others = lazuli::is_not_in(&a, &DeviceArray::from_slice(&[2, 7])?)?;
/// assert_eq!(others.to_vec()?, [true, false, true]);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "isin")]
#[track_caller]
pub fn is_not_in<T: Element>(a: &DeviceArray<T>, b: impl Operand<T>) -> Result<DeviceArray<bool>> {
    is_in(a, b).map(|found| found.logical_not())
}

/// Whether each element is one of another array's.
#[track_caller]
fn found<T: Element>(a: &DeviceArray<T>, b: &DeviceArray<T>) -> Result<DeviceArray<bool>> {
    if a.is_empty() {
        let none = record::full(Scalar::new(false), a.node().shape.clone(), a.device());
        return Ok(DeviceArray::from_node(none));
    }
    if a.device().differs(b.device()) {
        return Err(record::devices_differ("is_in", a.device(), b.device()));
    }
    if b.is_empty() {
        return Ok(a.full_like(false));
    }
    if let Some(found) = in_table(a, b)? {
        return Ok(DeviceArray::from_node(found));
    }
    if b.len() <= SEARCHED && !T::DTYPE.is_complex() && T::DTYPE != DType::Bool {
        let sorted = nodes::sort(&flat(b), 0, false, Gives::Elements)?;
        let at = search::places(&sorted, a.node(), Side::Left)?;
        // What is larger than all has no place, and equals none.
        let found = record::binary(Op::Equal, &search::taken(&sorted, &at), a.node());
        return found.map(DeviceArray::from_node);
    }
    let (values, inverse) = a.unique_inverse()?;
    let (_, _, joined) = both("is_in", &values, b)?;
    let order = nodes::sort(joined.node(), 0, false, Gives::Positions)?;
    let twice = twice(&nodes::take(joined.node(), &order))?;
    let found = nodes::first(&put(&order, twice.node()), 0, values.len());
    Ok(DeviceArray::from_node(nodes::take(&found, inverse.node())))
}

/// Longer arrays are not searched for each element of another.
const SEARCHED: usize = 1 << 16;
/// A table may have so many elements for each of the arrays': as NumPy's.
const TABLE: usize = 6;

/// Whether each element is one of `b`'s, by a table of all integers between the least of these and
/// the largest; none where that is too long.
#[track_caller]
fn in_table<T: Element>(a: &DeviceArray<T>, b: &DeviceArray<T>) -> Result<Option<Arc<Node>>> {
    if !T::DTYPE.is_integer() {
        return Ok(None);
    }
    let flat = record::reshape(b.node(), smallvec![b.len()]);
    let end = |op| DeviceArray::<T>::from_node(record::reduce(op, &flat, 1));
    let (least, most) = (end(Reduction::Min), end(Reduction::Max));
    crate::eval(&[&least, &most])?;
    let number = |x: &DeviceArray<T>| Ok::<_, Error>(Scalar::new(x.item()?).to_i128());
    let range = number(&most)? - number(&least)?;
    if range >= (a.len().saturating_add(b.len()).saturating_mul(TABLE)) as i128 {
        return Ok(None);
    }
    // Differences of 64 bits wrap, and as unsigned numbers those of smaller elements are large.
    let wide = if T::DTYPE == DType::U64 { DType::U64 } else { DType::I64 };
    let above = |x: &Arc<Node>| {
        let least = record::cast(least.node(), wide);
        let above = record::binary(Op::Subtract, &record::cast(x, wide), &least)?;
        Ok::<_, Error>(record::cast(&above, DType::U64))
    };
    let table = record::full(Scalar::new(false), smallvec![range as usize + 1], a.device());
    let places = DeviceArray::<i64>::from_node(record::cast(&above(&flat)?, DType::I64));
    let table = DeviceArray::<bool>::from_node(table).try_with_put(&places, true, 0)?;
    let (at, range) = (above(a.node())?, Scalar::new(range as u64));
    let inside = record::binary(Op::LessEqual, &at, range)?;
    let held = record::binary(Op::Minimum, &at, range)?;
    let found = search::taken(table.node(), &record::cast(&held, DType::I64));
    record::binary(Op::LogicalAnd, &inside, &found).map(Some)
}

/// The distinct elements that both arrays have, ascending.
///
/// **Shape.** One axis. **Dtype.** The arrays'. **Laziness.** The shape depends on the data:
/// evaluates, counts and waits.
///
/// # Errors
/// As [`is_in`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let (a, b) = (DeviceArray::from_slice(&[3, 1, 2])?, DeviceArray::from_slice(&[2, 3, 7])?);
/// assert_eq!(lazuli::intersect1d(&a, &b)?.to_vec()?, [2, 3]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn intersect1d<T: Element>(a: &DeviceArray<T>, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    let (_, _, joined) = located(both("intersect1d", a, b))?;
    let sorted = joined.sort(0);
    sorted.eval()?;
    sorted.extract(&located(twice(sorted.node()))?)
}

/// The distinct elements that either array has, ascending.
///
/// **Shape.** One axis. **Dtype.** The arrays'. **Laziness.** As [`intersect1d`].
///
/// # Errors
/// As [`is_in`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let (a, b) = (DeviceArray::from_slice(&[3, 1])?, DeviceArray::from_slice(&[2, 3])?);
/// assert_eq!(lazuli::union1d(&a, &b)?.to_vec()?, [1, 2, 3]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn union1d<T: Element>(a: &DeviceArray<T>, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    if a.device().differs(b.device()) {
        return located(Err(record::devices_differ("union1d", a.device(), b.device())));
    }
    let flat = [flat(a), flat(b)].map(DeviceArray::<T>::from_node);
    crate::try_concatenate(&flat, 0)?.unique()
}

/// The distinct elements of the first array that the second does not have, ascending.
///
/// **Shape.** One axis. **Dtype.** The arrays'. **Laziness.** As [`intersect1d`].
///
/// # Errors
/// As [`is_in`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let (a, b) = (DeviceArray::from_slice(&[3, 1, 2])?, DeviceArray::from_slice(&[2])?);
/// assert_eq!(lazuli::setdiff1d(&a, &b)?.to_vec()?, [1, 3]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn setdiff1d<T: Element>(a: &DeviceArray<T>, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    let values = a.unique()?;
    let found = is_in(&values, b)?;
    values.extract(&found.logical_not())
}

/// The distinct elements that one of the two arrays has and the other does not, ascending.
///
/// **Shape.** One axis. **Dtype.** The arrays'. **Laziness.** As [`intersect1d`].
///
/// # Errors
/// As [`is_in`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let (a, b) = (DeviceArray::from_slice(&[3, 1])?, DeviceArray::from_slice(&[2, 3])?);
/// assert_eq!(lazuli::setxor1d(&a, &b)?.to_vec()?, [1, 2]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn setxor1d<T: Element>(a: &DeviceArray<T>, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    let rest = [setdiff1d(a, b)?, setdiff1d(b, a)?];
    Ok(crate::try_concatenate(&rest, 0)?.sort(0))
}
