//! Distinct elements by other rules: rows, and NaN that are each distinct.

use super::nodes::{self, Gives};
use super::sets::{self, Unique, differ};
use crate::array::{DeviceArray, located, record};
use crate::dtype::{Element, Scalar};
use crate::error::Result;
use crate::graph::{AxisMap, Node, View};
use crate::ops::join::concat;
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

/// What [`DeviceArray::unique_with`] takes for distinct.
///
/// # Example
/// ```
/// use lazuli::{UniqueOptions, prelude::*};
/// let a = DeviceArray::from_vec([3, 2], vec![1, 2, 0, 9, 1, 2])?;
/// let rows = a.unique_with(UniqueOptions::new().axis(0))?;
/// assert_eq!(rows.values.to_vec()?, [0, 9, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniqueOptions {
    axis: Option<isize>,
    equal_nan: bool,
}

impl Default for UniqueOptions {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl UniqueOptions {
    /// Elements, all NaN being one: what [`DeviceArray::unique_all`] finds.
    ///
    /// # Example
    /// ```
    /// use lazuli::{UniqueOptions, prelude::*};
    /// let a = DeviceArray::from_slice(&[3, 1, 3])?;
    /// let found = a.unique_with(UniqueOptions::new())?;
    /// assert_eq!((found.values.to_vec()?, found.counts.to_vec()?), (vec![1, 3], vec![1, 2]));
    /// # Ok::<(), Error>(())
    /// ```
    pub const fn new() -> Self {
        UniqueOptions { axis: None, equal_nan: true }
    }

    /// The parts at each position of an axis, compared element by element: the rows of a matrix for
    /// axis 0.
    ///
    /// # Example
    /// ```
    /// use lazuli::{UniqueOptions, prelude::*};
    /// let a = DeviceArray::try_from([[1, 2], [3, 4], [1, 2]])?;
    /// let rows = a.unique_with(UniqueOptions::new().axis(0))?;
    /// assert_eq!((rows.values.to_vec()?, rows.counts.to_vec()?), (vec![1, 2, 3, 4], vec![2, 1]));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn axis(self, axis: isize) -> Self {
        UniqueOptions { axis: Some(axis), ..self }
    }

    /// Whether NaN are equal to each other. Where they are not, each is distinct, as the array API
    /// standard has it.
    ///
    /// # Example
    /// ```
    /// use lazuli::{UniqueOptions, prelude::*};
    /// let a = DeviceArray::from_slice(&[f64::NAN, 1.0, f64::NAN])?;
    /// assert_eq!(a.unique_with(UniqueOptions::new())?.values.len(), 2);
    /// assert_eq!(a.unique_with(UniqueOptions::new().equal_nan(false))?.values.len(), 3);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn equal_nan(self, equal_nan: bool) -> Self {
        UniqueOptions { equal_nan, ..self }
    }
}

impl<T: Element> DeviceArray<T> {
    /// The distinct elements, or the distinct parts along an axis, ascending, with their first
    /// positions, the inverse, and how often each occurs.
    ///
    /// Parts are ordered by their first elements, where these are equal by the next ones, and so on.
    ///
    /// **Shape.** See [`Unique`]; along an axis the values have the array's shape with the axis as
    /// long as there are distinct parts, positions and counts have that length, and the inverse the
    /// axis's. **Dtype.** The array's, and `i64`. **Laziness.** As [`unique`](Self::unique). NumPy:
    /// `unique(axis=…, equal_nan=…)`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where there is no such axis, and as [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::{UniqueOptions, prelude::*};
    /// let a = DeviceArray::from_vec([3, 2], vec![1, 2, 0, 9, 1, 2])?;
    /// let rows = a.unique_with(UniqueOptions::new().axis(0))?;
    /// assert_eq!((rows.values.shape(), rows.values.to_vec()?), (&[2, 2][..], vec![0, 9, 1, 2]));
    /// assert_eq!((rows.inverse.to_vec()?, rows.counts.to_vec()?), (vec![1, 0, 1], vec![1, 2]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn unique_with(&self, how: UniqueOptions) -> Result<Unique<T>> {
        located(match how.axis {
            None => sets::all(self, how.equal_nan),
            Some(axis) => parts(self, axis, how.equal_nan),
        })
    }
}

/// The distinct parts along an axis: elements that say the rank of each among all.
#[track_caller]
fn parts<T: Element>(a: &DeviceArray<T>, axis: isize, equal_nan: bool) -> Result<Unique<T>> {
    let axis = a.axis("unique_with", axis)? as isize;
    let front = a.try_move_axis(axis, 0)?;
    let count = front.shape()[0];
    let inner: usize = front.shape()[1..].iter().product();
    let ranks = match count.min(inner) {
        0 => record::full(Scalar::new(0i64), smallvec![count], a.device()),
        _ => {
            let rows = record::reshape(front.node(), smallvec![count, inner]);
            ranks(DeviceArray::<T>::from_node(rows).t().node(), equal_nan)?
        }
    };
    let found = sets::all(&DeviceArray::<i64>::from_node(ranks), true)?;
    let values = front.try_take_clipped(&found.positions, 0)?.try_move_axis(0, axis)?;
    let Unique { positions, inverse, counts, .. } = found;
    Ok(Unique { values, positions, inverse, counts })
}

/// The ranks of columns: neighbouring rows are replaced by the ranks of their pairs until one row
/// is left, which takes sorts of twice as many elements as there are.
#[track_caller]
fn ranks(columns: &Arc<Node>, equal_nan: bool) -> Result<Arc<Node>> {
    let mut ranks = row_ranks(columns, equal_nan)?;
    while ranks.shape[0] > 1 {
        let (rows, n) = (ranks.shape[0], ranks.shape[1]);
        let every_second = |first: usize| {
            let mut view = View::identity(2);
            view.0[0] = AxisMap::affine(0, first as i64, 2);
            record::view(&ranks, view, smallvec![(rows - first).div_ceil(2), n])
        };
        let left = record::binary(Op::Multiply, &every_second(0), Scalar::new(n as i64))?;
        // An odd row has none beside it.
        let alone = record::full(Scalar::new(0i64), smallvec![rows % 2, n], ranks.device);
        let right = concat("unique_with", &[every_second(1), alone], 0)?;
        ranks = row_ranks(&record::binary(Op::Add, &left, &right)?, true)?;
    }
    Ok(record::reshape(&ranks, smallvec![columns.shape[1]]))
}

/// For each element the number of smaller distinct elements in its row.
#[track_caller]
fn row_ranks(a: &Arc<Node>, equal_nan: bool) -> Result<Arc<Node>> {
    let (rows, n) = (a.shape[0], a.shape[1]);
    let zeros = |n: usize| record::full(Scalar::new(0i64), smallvec![rows, n], a.device);
    if n == 1 {
        return Ok(zeros(1));
    }
    let order = nodes::sort(a, 1, false, Gives::Positions)?;
    let sorted = nodes::take_along(a, &order, 1);
    let pairs = (nodes::first(&sorted, 1, n - 1), nodes::from(&sorted, 1, 1));
    let steps = differ(&pairs.0, &pairs.1, equal_nan)?;
    let steps = concat("unique_with", &[zeros(1), record::cast(&steps, zeros(1).dtype)], 1)?;
    let ranks = record::accumulate(Reduction::Sum, &steps, 1, false, false);
    let [order, ranks, base] = [order, ranks, zeros(n)].map(DeviceArray::<i64>::from_node);
    Ok(base.try_with_put_along_axis(&order, &ranks, 1)?.node().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_all_kinds() {
        let a = DeviceArray::from_vec([2, 3, 2], vec![1, 2, 3, 4, 1, 2, 5, 6, 0, 0, 5, 6]).unwrap();
        let middle = a.unique_with(UniqueOptions::new().axis(1)).unwrap();
        assert_eq!(middle.values.shape(), [2, 2, 2]);
        assert_eq!(middle.values.to_vec().unwrap(), [1, 2, 3, 4, 5, 6, 0, 0]);
        assert_eq!(middle.positions.to_vec().unwrap(), [0, 1]);
        assert_eq!(middle.inverse.to_vec().unwrap(), [0, 1, 0]);
        assert_eq!(middle.counts.to_vec().unwrap(), [2, 1]);
        let nothing = DeviceArray::<f32>::zeros([0, 3]).unique_with(UniqueOptions::new().axis(0));
        assert_eq!(nothing.unwrap().values.shape(), [0, 3]);
        let thin = DeviceArray::<f32>::zeros([4, 0]).unique_with(UniqueOptions::new().axis(0));
        let thin = thin.unwrap();
        assert_eq!((thin.values.shape(), thin.counts.to_vec().unwrap()), (&[1, 0][..], vec![4]));
        assert!(a.unique_with(UniqueOptions::new().axis(3)).is_err_and(|e| e.is_shape()));
    }

    #[test]
    fn nan_are_one_or_each_distinct() {
        let nan = f64::NAN;
        let a = DeviceArray::from_vec([3, 2], vec![nan, 1.0, 0.0, nan, nan, 1.0]).unwrap();
        let how = UniqueOptions::new();
        let lengths = [how, how.axis(0), how.axis(1)].map(|how| {
            let (one, each) = (a.unique_with(how), a.unique_with(how.equal_nan(false)));
            (one.unwrap().values.len(), each.unwrap().values.len())
        });
        assert_eq!(lengths, [(3, 5), (4, 6), (6, 6)]);
    }
}
