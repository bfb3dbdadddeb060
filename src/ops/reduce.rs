//! Reductions: the rows of the table of reductions, and the arguments they share.

use crate::array::args::AxisSet;
use crate::array::{Axes, DeviceArray, checked, record};
use crate::dtype::{DType, Element, Ordered, Real};
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View};
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// Reduces over a set of axes and puts them back with length 1 where they are to stay.
#[track_caller]
pub(super) fn over(op: Reduction, a: &Arc<Node>, axes: AxisSet) -> Arc<Node> {
    kept(&record::reduce(op, a, axes.mask), &a.shape, axes)
}

/// As [`over`], for reductions that have no value for no elements.
#[track_caller]
pub(super) fn over_some(
    name: &str,
    op: Reduction,
    a: &Arc<Node>,
    axes: AxisSet,
) -> Result<Arc<Node>> {
    let shape = &a.shape;
    let results: usize =
        (0..shape.len()).filter(|&k| !axes.contains(k)).map(|k| shape[k]).product();
    if axes.len(shape) == 0 && results > 0 {
        return Err(Error::shape(format!(
            "{name}: no elements to reduce in shape {shape:?}, and no value stands for none"
        )));
    }
    Ok(over(op, a, axes))
}

/// Puts the reduced axes of an array of the given shape back with length 1, if they are to stay.
#[track_caller]
pub(crate) fn kept(reduced: &Arc<Node>, whole: &[usize], axes: AxisSet) -> Arc<Node> {
    if !axes.keep || axes.mask == 0 {
        return reduced.clone();
    }
    let rank = whole.len();
    let shape: Shape = (0..rank).map(|k| if axes.contains(k) { 1 } else { whole[k] }).collect();
    let map = (0..rank).filter(|&k| !axes.contains(k)).map(AxisMap::same).collect();
    record::view(reduced, View(map), shape)
}

/// Takes kept axes of length 1 away again.
#[track_caller]
pub(super) fn dropped(kept: &Arc<Node>, axes: AxisSet) -> Arc<Node> {
    let mut shape = Shape::new();
    let mut view = View(Default::default());
    for (k, &n) in kept.shape.iter().enumerate() {
        if axes.contains(k) {
            view.0.push(AxisMap::fixed(0));
        } else {
            view.0.push(AxisMap::same(shape.len()));
            shape.push(n);
        }
    }
    record::view(kept, view, shape)
}

/// Sums with the type that sums have: small integers and `bool` widen.
#[track_caller]
pub(super) fn sum<T: Element>(a: &Arc<Node>, axes: AxisSet) -> Arc<Node> {
    over(Reduction::Sum, &record::cast(a, T::Sum::DTYPE), axes)
}

/// Whether each element differs from zero.
#[track_caller]
fn truth(a: &Arc<Node>) -> Result<Arc<Node>> {
    match a.dtype {
        DType::Bool => Ok(a.clone()),
        _ => record::binary(Op::NotEqual, a, record::number(a, 0.0)),
    }
}

impl<T: Element> DeviceArray<T> {
    pub(crate) fn axes(&self, name: &str, axes: impl Axes) -> Result<AxisSet> {
        axes.resolve(name, self.ndim())
    }

    checked! {
        /// Sum of the elements over the axes.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** Small integers and `bool` widen to
        /// 64 bits; halves are summed in `f32` and rounded once. Nothing sums to 0. NumPy: `sum`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1i8, 2, 3, 4])?;
        /// assert_eq!(a.sum(0).to_vec()?, [4i64, 6]);
        /// assert_eq!(a.sum(..).item()?, 10);
        /// # Ok::<(), Error>(())
        /// ```
        fn sum | try_sum(&self, axes: impl Axes) -> DeviceArray<T::Sum> {
            let axes = self.axes("sum", axes)?;
            Ok(DeviceArray::from_node(sum::<T>(self.node(), axes)))
        }

        /// Product of the elements over the axes.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** Small integers and `bool` widen to
        /// 64 bits, and integers wrap. The product of nothing is 1. NumPy: `prod`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::<i64>::arange(1, 6, 1).prod(..).item()?, 120);
        /// # Ok::<(), Error>(())
        /// ```
        fn prod | try_prod(&self, axes: impl Axes) -> DeviceArray<T::Sum> {
            let axes = self.axes("prod", axes)?;
            let wide = record::cast(self.node(), T::Sum::DTYPE);
            Ok(DeviceArray::from_node(over(Reduction::Prod, &wide, axes)))
        }

        /// Whether any element over the axes is not zero.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** `bool`; `false` for no elements.
        /// NumPy: `any`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert!(DeviceArray::<i32>::arange_to(3).any(..).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn any | try_any(&self, axes: impl Axes) -> DeviceArray<bool> {
            let axes = self.axes("any", axes)?;
            Ok(DeviceArray::from_node(over(Reduction::Any, &truth(self.node())?, axes)))
        }

        /// Whether all elements over the axes are not zero.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** `bool`; `true` for no elements.
        /// NumPy: `all`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert!(!DeviceArray::<i32>::arange_to(3).all(..).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn all | try_all(&self, axes: impl Axes) -> DeviceArray<bool> {
            let axes = self.axes("all", axes)?;
            Ok(DeviceArray::from_node(over(Reduction::All, &truth(self.node())?, axes)))
        }

        /// The number of elements over the axes that are not zero.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** `i64`. NumPy: `count_nonzero`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::<i32>::arange_to(3).count_nonzero(..).item()?, 2);
        /// # Ok::<(), Error>(())
        /// ```
        fn count_nonzero | try_count_nonzero(&self, axes: impl Axes) -> DeviceArray<i64> {
            let axes = self.axes("count_nonzero", axes)?;
            Ok(DeviceArray::from_node(sum::<bool>(&truth(self.node())?, axes)))
        }
    }
}

impl<T: Ordered> DeviceArray<T> {
    checked! {
        /// The smallest element over the axes; NaN wins.
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** The
        /// array's. NumPy: `min`, `amin`; for two arrays see [`minimum`](Self::minimum).
        #[doc(alias = "amin")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[3, 1, 2])?.min(..).item()?, 1);
        /// # Ok::<(), Error>(())
        /// ```
        fn min | try_min(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("min", axes)?;
            over_some("min", Reduction::Min, self.node(), axes).map(DeviceArray::from_node)
        }

        /// The largest element over the axes; NaN wins.
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** The
        /// array's. NumPy: `max`, `amax`; for two arrays see [`maximum`](Self::maximum).
        #[doc(alias = "amax")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[3, 1, 2])?.max(..).item()?, 3);
        /// # Ok::<(), Error>(())
        /// ```
        fn max | try_max(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("max", axes)?;
            over_some("max", Reduction::Max, self.node(), axes).map(DeviceArray::from_node)
        }

        /// The position of the smallest element over the axes, the first one among equals; NaN
        /// wins.
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** `i64`;
        /// over several axes, the position in their C order. NumPy: `argmin`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[3, 1, 2])?.argmin(..).item()?, 1);
        /// # Ok::<(), Error>(())
        /// ```
        fn argmin | try_argmin(&self, axes: impl Axes) -> DeviceArray<i64> {
            let axes = self.axes("argmin", axes)?;
            over_some("argmin", Reduction::ArgMin, self.node(), axes).map(DeviceArray::from_node)
        }

        /// The position of the largest element over the axes, the first one among equals; NaN
        /// wins.
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** `i64`;
        /// over several axes, the position in their C order. NumPy: `argmax`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[3, 1, 2])?.argmax(..).item()?, 0);
        /// # Ok::<(), Error>(())
        /// ```
        fn argmax | try_argmax(&self, axes: impl Axes) -> DeviceArray<i64> {
            let axes = self.axes("argmax", axes)?;
            over_some("argmax", Reduction::ArgMax, self.node(), axes).map(DeviceArray::from_node)
        }
    }
}

impl<T: Ordered + Real> DeviceArray<T> {
    checked! {
        /// Largest minus smallest element over the axes ("peak to peak").
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** The
        /// array's. NumPy: `ptp`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[3, 1, 2])?.ptp(..).item()?, 2);
        /// # Ok::<(), Error>(())
        /// ```
        fn ptp | try_ptp(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("ptp", axes)?;
            let max = over_some("ptp", Reduction::Max, self.node(), axes)?;
            let min = over_some("ptp", Reduction::Min, self.node(), axes)?;
            record::binary(Op::Subtract, &max, &min).map(DeviceArray::from_node)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::keep;

    #[test]
    fn shapes_of_reductions() {
        let a = DeviceArray::<f32>::ones([2, 3, 4]);
        assert_eq!(a.sum(1).shape(), [2, 4]);
        assert_eq!(a.max(keep([0, -1])).shape(), [1, 3, 1]);
        assert_eq!(a.argmin(..).shape(), [0usize; 0]);
        assert_eq!(a.mean(keep(..)).shape(), [1, 1, 1]);
        assert_eq!(a.sum(&[] as &[usize]).shape(), [2, 3, 4]);
    }

    #[test]
    fn what_reductions_refuse() {
        let a = DeviceArray::<f32>::ones([0, 3]);
        assert!(a.try_max(0).unwrap_err().to_string().starts_with("max: no elements"));
        assert_eq!(a.max(1).shape(), [0]);
        assert!(a.try_sum(2).unwrap_err().to_string().contains("axis 2 is out of range"));
        assert!(a.try_sum([0, -2]).unwrap_err().to_string().contains("given twice"));
    }

    #[test]
    fn values_of_reductions() {
        let a = DeviceArray::from_vec([2, 2, 2], vec![5i16, 1, 7, 3, 2, 8, 6, 4]).unwrap();
        assert_eq!(a.sum([0, 2]).to_vec().unwrap(), [16i64, 20]);
        assert_eq!(a.prod(-1).to_vec().unwrap(), [5i64, 21, 16, 24]);
        assert_eq!(a.min(0).to_vec().unwrap(), [2, 1, 6, 3]);
        assert_eq!(a.argmax(..).item().unwrap(), 5);
        assert_eq!(a.argmin([0, 2]).to_vec().unwrap(), [1, 1]);
        assert_eq!(a.ptp(keep(1)).to_vec().unwrap(), [2, 2, 4, 4]);
        assert_eq!(a.greater(4).count_nonzero(2).to_vec().unwrap(), [1, 1, 1, 1]);
        assert_eq!(DeviceArray::from_slice(&[true, true]).unwrap().sum(..).item().unwrap(), 2i64);
        let x = DeviceArray::from_slice(&[1.0, f64::NAN, 0.0]).unwrap();
        assert!(x.max(..).item().unwrap().is_nan());
        assert_eq!(x.argmin(..).item().unwrap(), 1);
        assert!(x.any(..).item().unwrap() && !x.all(..).item().unwrap());
    }

    #[test]
    fn reductions_without_axes() {
        let a = DeviceArray::from(3i8);
        assert_eq!(a.sum(..).item().unwrap(), 3i64);
        assert_eq!(a.argmax(..).item().unwrap(), 0);
        assert_eq!(a.mean(keep(..)).item().unwrap(), 3.0);
        let b = DeviceArray::<f64>::ones(2);
        assert_eq!(b.max(&[] as &[i32]).to_vec().unwrap(), [1.0, 1.0]);
    }

    #[test]
    fn reductions_of_nothing() {
        let a = DeviceArray::<f64>::zeros([0, 3]);
        assert_eq!(a.sum(0).to_vec().unwrap(), [0.0; 3]);
        assert_eq!(a.prod(keep(0)).to_vec().unwrap(), [1.0; 3]);
        assert!(a.all(..).item().unwrap() && !a.any(..).item().unwrap());
        assert_eq!(a.sum(1).shape(), [0]);
    }
}
