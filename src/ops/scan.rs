//! Scans: sums, products, extremes, and what users' functions make of all elements up to each one.

use super::nan::without_nan;
use crate::array::{Axes, DeviceArray, checked, record};
use crate::dtype::{Element, Inexact, Ordered, Scalar};
use crate::error::{Error, Result};
use crate::function::{Fold, Function};
use crate::graph::{Arg, Node, NodeOp};
use crate::shape::{Shape, checked_len};
use crate::table::Reduction;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// How a scan runs: from which end, and whether an element counts in its own result.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[1i64, 2, 3])?;
/// assert_eq!(a.cumsum_with(0, Scan::new()).to_vec()?, [1, 3, 6]);
/// assert_eq!(a.cumsum_with(0, Scan::new().exclusive()).to_vec()?, [0, 1, 3]);
/// assert_eq!(a.cumsum_with(0, Scan::new().reverse()).to_vec()?, [6, 5, 3]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    exclusive: bool,
    reverse: bool,
    initial: bool,
}

impl Scan {
    /// From the first element to the last, each with its own: NumPy's scans.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1i64, 2, 3])?;
    /// assert_eq!(a.cumsum_with(0, Scan::new()).to_vec()?, [1, 3, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub const fn new() -> Self {
        Scan { exclusive: false, reverse: false, initial: false }
    }

    /// Leaves each element out of its own result, which for the first is what a scan begins with:
    /// 0 for a sum, 1 for a product, the greatest value for a minimum, the least for a maximum, the
    /// identity for a function with [`reduce`](macro@crate::reduce).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1i64, 2, 3])?;
    /// assert_eq!(a.cumprod_with(0, Scan::new().exclusive()).to_vec()?, [1, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn exclusive(self) -> Self {
        Scan { exclusive: true, ..self }
    }

    /// From the last element to the first.
    ///
    /// Elements are combined in the order in which they are walked: where a function with
    /// [`reduce`](macro@crate::reduce) does not commute, the last element stands on the left of all,
    /// and each one before it on the right of what is behind.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1i64, 2, 3])?;
    /// assert_eq!(a.cumsum_with(0, Scan::new().reverse()).to_vec()?, [6, 5, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn reverse(self) -> Self {
        Scan { reverse: true, ..self }
    }

    /// Begins with what a scan begins with, before all elements: the axis is longer by one, and
    /// differences of neighbours are the elements. Both ends being there, nothing is left out:
    /// [`exclusive`](Self::exclusive) changes nothing beside it.
    ///
    /// Array API: `include_initial` of `cumulative_sum` and `cumulative_prod`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1i64, 2, 3])?;
    /// assert_eq!(a.cumsum_with(0, Scan::new().include_initial()).to_vec()?, [0, 1, 3, 6]);
    /// let left = a.cumsum_with(0, Scan::new().include_initial().reverse());
    /// assert_eq!(left.to_vec()?, [6, 5, 3, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn include_initial(self) -> Self {
        Scan { initial: true, ..self }
    }

    /// The array as it is scanned, and whether the scan leaves each element out. What follows the
    /// last element of a scan with its beginning is never read.
    #[track_caller]
    fn prepared(self, name: &str, a: &Arc<Node>, axis: usize) -> Result<(Arc<Node>, bool)> {
        if !self.initial {
            return Ok((a.clone(), self.exclusive));
        }
        let mut before = Shape::from_elem(0, a.shape.len());
        before[axis] = usize::from(self.reverse);
        let mut shape = a.shape.clone();
        shape[axis] += 1;
        checked_len(name, &shape)?;
        let args = smallvec![a.into(), Arg::Scalar(record::number(a, 0.0))];
        let op = NodeOp::Pad { before: before.into_iter().collect() };
        Ok((record::record(op, args, shape, a.dtype, a.device), true))
    }
}

/// Scans along the one axis that is given, or all elements in C order where all axes are.
#[track_caller]
pub(super) fn along(
    name: &str,
    op: Reduction,
    a: &Arc<Node>,
    axes: impl Axes,
    how: Scan,
) -> Result<Arc<Node>> {
    let (a, axis) = one_axis(name, a, axes)?;
    let (a, exclusive) = how.prepared(name, &a, axis)?;
    Ok(record::accumulate(op, &a, axis, exclusive, how.reverse))
}

/// The array and the axis to walk: all elements in C order where all axes are given.
#[track_caller]
pub(super) fn one_axis(name: &str, a: &Arc<Node>, axes: impl Axes) -> Result<(Arc<Node>, usize)> {
    let axis = walked(name, &a.shape, axes)?;
    Ok((laid_out(a, axis), axis.unwrap_or(0)))
}

/// The axis to walk; none where all elements are walked in C order.
fn walked(name: &str, shape: &[usize], axes: impl Axes) -> Result<Option<usize>> {
    let mask = axes.resolve(name, shape.len())?.mask;
    match mask.count_ones() as usize {
        1 => Ok(Some(mask.trailing_zeros() as usize)),
        count if count == shape.len() => Ok(None),
        _ => Err(Error::shape(format!(
            "{name}: one axis, or `..` for all elements, of shape {shape:?}"
        ))),
    }
}

/// The array as it is walked: as one axis where all elements are.
#[track_caller]
fn laid_out(a: &Arc<Node>, axis: Option<usize>) -> Arc<Node> {
    match axis {
        Some(_) => a.clone(),
        None => record::reshape(a, Shape::from_slice(&[a.len()])),
    }
}

/// Scans by a user's function: one node for each component of the states. The arguments are the
/// components of an element, which broadcast against each other.
#[track_caller]
pub(crate) fn by_function(
    function: Arc<Function>,
    identity: Vec<Scalar>,
    args: &[Arg],
    axes: impl Axes,
    how: Scan,
) -> Result<SmallVec<[Arc<Node>; 1]>> {
    let fold = Fold::new(function, identity)?;
    let name = &fold.function.name;
    let (shape, device) = record::join(name, args)?;
    let axis = walked(name, &shape, axes)?;
    let args = record::whole(args, &shape, device);
    let (mut lines, mut exclusive) = (SmallVec::<[Arc<Node>; 2]>::new(), how.exclusive);
    for a in &args {
        let (line, leaves_out) = how.prepared(name, &laid_out(a, axis), axis.unwrap_or(0))?;
        lines.push(line);
        exclusive = leaves_out;
    }
    record::scan(fold, &lines, axis.unwrap_or(0), exclusive, how.reverse)
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// Sum of the elements up to each one, along an axis, or of all in C order for `..`.
        ///
        /// **Shape.** The array's; one axis for `..`. **Dtype.** As [`sum`](Self::sum): small
        /// integers and `bool` widen to 64 bits, halves are summed in `f32` and each result is
        /// rounded once. Sums of floating-point numbers are grouped otherwise than one after
        /// another, the same way on every run; what is computed of the result fuses.
        /// NumPy: `cumsum`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1i8, 2, 3, 4])?;
        /// assert_eq!(a.cumsum(0).to_vec()?, [1i64, 2, 4, 6]);
        /// assert_eq!(a.cumsum(..).to_vec()?, [1, 3, 6, 10]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cumsum | try_cumsum(&self, axis: impl Axes) -> DeviceArray<T::Sum> {
            self.try_cumsum_with(axis, Scan::new())
        }

        /// Sum of the elements up to each one, or before it, or from it on.
        ///
        /// **Shape, dtype.** As [`cumsum`](Self::cumsum); see [`Scan::include_initial`].
        /// NumPy: `cumulative_sum(include_initial=…)`.
        #[doc(alias = "cumulative_sum")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
        /// let left = a.cumsum_with(0, Scan::new().reverse().exclusive());
        /// assert_eq!(left.to_vec()?, [5.0, 3.0, 0.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cumsum_with | try_cumsum_with(&self, axis: impl Axes, how: Scan) -> DeviceArray<T::Sum> {
            let wide = record::cast(self.node(), T::Sum::DTYPE);
            along("cumsum", Reduction::Sum, &wide, axis, how).map(DeviceArray::from_node)
        }

        /// Product of the elements up to each one, along an axis, or of all in C order for `..`.
        ///
        /// **Shape.** The array's; one axis for `..`. **Dtype.** As [`prod`](Self::prod).
        /// NumPy: `cumprod`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i64>::arange(1, 6, 1);
        /// assert_eq!(a.cumprod(0).to_vec()?, [1, 2, 6, 24, 120]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cumprod | try_cumprod(&self, axis: impl Axes) -> DeviceArray<T::Sum> {
            self.try_cumprod_with(axis, Scan::new())
        }

        /// Product of the elements up to each one, or before it, or from it on.
        ///
        /// **Shape, dtype.** As [`cumprod`](Self::cumprod).
        /// NumPy: `cumulative_prod(include_initial=…)`.
        #[doc(alias = "cumulative_prod")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i64>::arange(1, 5, 1);
        /// assert_eq!(a.cumprod_with(0, Scan::new().exclusive()).to_vec()?, [1, 1, 2, 6]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cumprod_with | try_cumprod_with(&self, axis: impl Axes, how: Scan) -> DeviceArray<T::Sum> {
            let wide = record::cast(self.node(), T::Sum::DTYPE);
            along("cumprod", Reduction::Prod, &wide, axis, how).map(DeviceArray::from_node)
        }
    }
}

impl<T: Ordered> DeviceArray<T> {
    checked! {
        /// Smallest element up to each one, along an axis, or of all in C order for `..`; NaN wins.
        ///
        /// **Shape.** The array's; one axis for `..`. **Dtype.** The array's. NumPy:
        /// `minimum.accumulate`.
        #[doc(alias = "minimum.accumulate")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[3, 4, 1, 2])?.cummin(0).to_vec()?, [3, 3, 1, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cummin | try_cummin(&self, axis: impl Axes) -> DeviceArray<T> {
            self.try_cummin_with(axis, Scan::new())
        }

        /// Smallest element up to each one, or before it, or from it on; NaN wins.
        ///
        /// **Shape, dtype.** As [`cummin`](Self::cummin).
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[3, 4, 1, 2])?;
        /// assert_eq!(a.cummin_with(0, Scan::new().reverse()).to_vec()?, [1, 1, 1, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cummin_with | try_cummin_with(&self, axis: impl Axes, how: Scan) -> DeviceArray<T> {
            along("cummin", Reduction::Min, self.node(), axis, how).map(DeviceArray::from_node)
        }

        /// Largest element up to each one, along an axis, or of all in C order for `..`; NaN wins.
        ///
        /// **Shape.** The array's; one axis for `..`. **Dtype.** The array's. NumPy:
        /// `maximum.accumulate`.
        #[doc(alias = "maximum.accumulate")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1, 4, 2, 5])?.cummax(0).to_vec()?, [1, 4, 4, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cummax | try_cummax(&self, axis: impl Axes) -> DeviceArray<T> {
            self.try_cummax_with(axis, Scan::new())
        }

        /// Largest element up to each one, or before it, or from it on; NaN wins.
        ///
        /// **Shape, dtype.** As [`cummax`](Self::cummax).
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 4, 2, 3])?;
        /// assert_eq!(a.cummax_with(0, Scan::new().reverse()).to_vec()?, [4, 4, 3, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cummax_with | try_cummax_with(&self, axis: impl Axes, how: Scan) -> DeviceArray<T> {
            along("cummax", Reduction::Max, self.node(), axis, how).map(DeviceArray::from_node)
        }
    }
}

impl<T: Inexact> DeviceArray<T> {
    checked! {
        /// Sum of the elements up to each one, NaN counted as 0; see [`cumsum`](Self::cumsum).
        ///
        /// **Shape.** The array's; one axis for `..`. **Dtype.** The array's. NumPy: `nancumsum`.
        #[doc(alias = "nancumsum")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, f64::NAN, 2.0])?;
        /// assert_eq!(a.nan_cumsum(0).to_vec()?, [1.0, 1.0, 3.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_cumsum | try_nan_cumsum(&self, axis: impl Axes) -> DeviceArray<T> {
            let filled = without_nan(self.node(), 0.0)?.0;
            along("nan_cumsum", Reduction::Sum, &filled, axis, Scan::new())
                .map(DeviceArray::from_node)
        }

        /// Product of the elements up to each one, NaN counted as 1; see
        /// [`cumprod`](Self::cumprod).
        ///
        /// **Shape.** The array's; one axis for `..`. **Dtype.** The array's. NumPy: `nancumprod`.
        #[doc(alias = "nancumprod")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[3.0, f64::NAN, 2.0])?;
        /// assert_eq!(a.nan_cumprod(0).to_vec()?, [3.0, 3.0, 6.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_cumprod | try_nan_cumprod(&self, axis: impl Axes) -> DeviceArray<T> {
            let filled = without_nan(self.node(), 1.0)?.0;
            along("nan_cumprod", Reduction::Prod, &filled, axis, Scan::new())
                .map(DeviceArray::from_node)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_scans() {
        let a = DeviceArray::<f32>::ones([2, 3, 4]);
        assert_eq!(a.cumsum(1).shape(), [2, 3, 4]);
        assert_eq!(a.cumsum(..).shape(), [24]);
        assert_eq!(a.cummax(-1).shape(), [2, 3, 4]);
        assert_eq!(DeviceArray::from(3i8).cumsum(..).to_vec().unwrap(), [3i64]);
        let error = a.try_cumprod([0, 1]).unwrap_err();
        assert!(error.is_shape() && error.to_string().starts_with("cumprod: one axis"), "{error}");
        assert!(a.try_cummin(3).unwrap_err().to_string().contains("axis 3 is out of range"));
    }

    #[test]
    fn scans_with_their_beginning() {
        let how = Scan::new().include_initial();
        let a = DeviceArray::from_vec([2, 3], vec![3i32, 1, 2, 6, 5, 4]).unwrap();
        assert_eq!(a.cumsum_with(1, how).to_vec().unwrap(), [0i64, 3, 4, 6, 0, 6, 11, 15]);
        assert_eq!(a.cumprod_with(0, how).to_vec().unwrap(), [1i64, 1, 1, 3, 1, 2, 18, 5, 8]);
        assert_eq!(
            a.cumsum_with(.., how.reverse()).to_vec().unwrap(),
            [21i64, 18, 17, 15, 9, 4, 0]
        );
        let least = a.cummin_with(1, how.exclusive()).to_vec().unwrap();
        assert_eq!(least, [i32::MAX, 3, 1, 1, i32::MAX, 6, 5, 4]);
        let none = DeviceArray::<f64>::zeros([2, 0]);
        assert_eq!(none.cumprod_with(1, how).to_vec().unwrap(), [1.0, 1.0]);
        assert_eq!(none.cumsum_with(0, how).shape(), [3, 0]);
        let nan = DeviceArray::from_slice(&[f64::NAN, 1.0]).unwrap().cumsum_with(0, how);
        let nan = nan.to_vec().unwrap();
        assert!(nan[0] == 0.0 && nan[1].is_nan() && nan[2].is_nan());
        let flipped = a.t().flip(0).cumsum_with(0, how);
        assert_eq!(flipped.to_vec().unwrap(), [0i64, 0, 2, 4, 3, 9, 6, 15]);
    }

    #[test]
    fn scans_of_one_position_and_of_none() {
        let a = DeviceArray::from_vec([2, 1], vec![3i32, 4]).unwrap();
        assert_eq!(a.cumsum(1).to_vec().unwrap(), [3i64, 4]);
        assert_eq!(a.cumprod_with(1, Scan::new().exclusive()).to_vec().unwrap(), [1i64, 1]);
        assert_eq!(a.cummin_with(1, Scan::new().exclusive()).to_vec().unwrap(), [i32::MAX; 2]);
        assert_eq!(DeviceArray::<f64>::zeros([0, 3]).cumsum(0).to_vec().unwrap(), [0.0; 0]);
        assert_eq!(DeviceArray::<f64>::zeros([0, 3]).cumsum(..).shape(), [0]);
    }
}
