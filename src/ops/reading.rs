//! One element, and the arrays along an axis one after the other.

use crate::array::{DeviceArray, IntegerList, checked, located};
use crate::dtype::Element;
use crate::error::{Error, Result};
use ndarray::SliceInfoElem;
use smallvec::SmallVec;
use std::iter::FusedIterator;
use std::ops::Range;

/// The arrays at the positions of an axis, one after the other; made by
/// [`axis_iter`](DeviceArray::axis_iter), [`outer_iter`](DeviceArray::outer_iter),
/// [`rows`](DeviceArray::rows) and [`columns`](DeviceArray::columns).
///
/// Each one is recorded when it is asked for, as a view.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_vec([3, 2], vec![1, 2, 3, 4, 5, 6])?;
/// let mut rows = a.rows().rev();
/// assert_eq!(rows.len(), 3);
/// assert_eq!(rows.next().unwrap().to_vec()?, [5, 6]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct AxisIter<T: Element> {
    array: DeviceArray<T>,
    axis: usize,
    left: Range<usize>,
}

impl<T: Element> AxisIter<T> {
    #[track_caller]
    fn new(array: &DeviceArray<T>, axis: usize) -> Self {
        AxisIter { array: array.clone(), axis, left: 0..array.shape()[axis] }
    }

    /// The array at a position that is left.
    #[track_caller]
    fn at(&self, position: usize) -> DeviceArray<T> {
        self.array.index_axis(self.axis as isize, position as isize)
    }
}

impl<T: Element> Iterator for AxisIter<T> {
    type Item = DeviceArray<T>;

    #[track_caller]
    fn next(&mut self) -> Option<DeviceArray<T>> {
        self.left.next().map(|position| self.at(position))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[track_caller]
    fn nth(&mut self, n: usize) -> Option<DeviceArray<T>> {
        self.left.nth(n).map(|position| self.at(position))
    }
}

impl<T: Element> DoubleEndedIterator for AxisIter<T> {
    #[track_caller]
    fn next_back(&mut self) -> Option<DeviceArray<T>> {
        self.left.next_back().map(|position| self.at(position))
    }
}

impl<T: Element> ExactSizeIterator for AxisIter<T> {}
impl<T: Element> FusedIterator for AxisIter<T> {}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The arrays at the positions of an axis, one after the other; a negative axis counts from
        /// the end. What an operation does for a whole axis takes one kernel, and a loop over its
        /// positions at least one for each.
        ///
        /// **Shape.** Of each, the array's without the axis. Views. ndarray: `axis_iter`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
        /// let sums: Vec<i32> = a.axis_iter(-1).map(|line| line.max(..).item()).collect::<Result<_>>()?;
        /// assert_eq!(sums, [3, 4]);
        /// # Ok::<(), Error>(())
        /// ```
        fn axis_iter | try_axis_iter(&self, axis: isize) -> AxisIter<T> {
            Ok(AxisIter::new(self, self.axis("axis_iter", axis)?))
        }

        /// The arrays at the positions of the first axis, one after the other.
        ///
        /// **Shape.** Of each, the array's without its first axis. Views. NumPy: `for row in a`;
        /// ndarray: `outer_iter`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::ones([4, 3, 2]);
        /// let total: DeviceArray<f64> = a.outer_iter().sum();
        /// assert_eq!((total.shape(), total.to_vec()?), (&[3, 2][..], vec![4.0; 6]));
        /// # Ok::<(), Error>(())
        /// ```
        fn outer_iter | try_outer_iter(&self) -> AxisIter<T> {
            Ok(AxisIter::new(self, self.axis("outer_iter", 0)?))
        }

        /// The rows of a matrix, one after the other.
        ///
        /// **Shape.** Of each, one axis. Views. NumPy: `for row in a`; ndarray: `rows`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
        /// assert_eq!(a.rows().nth(1).unwrap().to_vec()?, [4, 5, 6]);
        /// # Ok::<(), Error>(())
        /// ```
        fn rows | try_rows(&self) -> AxisIter<T> {
            matrix(self, "rows", 0)
        }

        /// The columns of a matrix, one after the other.
        ///
        /// **Shape.** Of each, one axis. Views. NumPy: `for column in a.T`; ndarray: `columns`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
        /// assert_eq!(a.columns().next_back().unwrap().to_vec()?, [3, 6]);
        /// # Ok::<(), Error>(())
        /// ```
        fn columns | try_columns(&self) -> AxisIter<T> {
            matrix(self, "columns", 1)
        }
    }

    /// The element at a place: a position for each axis, of which negative ones count from the end.
    ///
    /// **Laziness.** Evaluates the whole array, so that a loop over places computes it once, copies
    /// one element and waits. [`copy_to_host`](Self::copy_to_host) is the way to many elements,
    /// [`index`](Self::index) to what stays on the device. NumPy: `a[i, j]`, `a.item(i, j)`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there are not as many positions as axes, or one is out of range, and
    /// as [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::linspace(0.0, 5.0, 6).reshape([2, 3]);
    /// assert_eq!((a.get([1, 0])?, a.get([0, -1])?), (3.0, 2.0));
    /// assert!(a.get([2, 0]).unwrap_err().is_shape());
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "item")]
    #[track_caller]
    pub fn get(&self, place: impl IntegerList) -> Result<T> {
        located(element(self, &place.integers()))
    }
}

/// The arrays along an axis of a matrix.
fn matrix<T: Element>(a: &DeviceArray<T>, name: &str, axis: usize) -> Result<AxisIter<T>> {
    match a.ndim() {
        2 => Ok(AxisIter::new(a, axis)),
        _ => Err(Error::shape(format!(
            "{name}: an array of shape {:?} is no matrix; `axis_iter` goes along any axis",
            a.shape()
        ))),
    }
}

fn element<T: Element>(a: &DeviceArray<T>, place: &[isize]) -> Result<T> {
    let shape = a.shape();
    if place.len() != a.ndim() {
        return Err(Error::shape(format!(
            "get: {} positions for the {} axes of shape {shape:?}",
            place.len(),
            a.ndim()
        )));
    }
    let out = |(&p, &n): (&isize, &usize)| p < -(n as isize) || p >= n as isize;
    if place.iter().zip(shape).any(out) {
        return Err(Error::shape(format!("get: {place:?} is out of range for shape {shape:?}")));
    }
    a.eval()?;
    let region: SmallVec<[SliceInfoElem; 4]> =
        place.iter().map(|&p| SliceInfoElem::Index(p)).collect();
    a.try_slice(&region[..])?.item()
}
