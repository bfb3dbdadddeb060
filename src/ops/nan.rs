//! Reductions that skip NaN.

use super::reduce::{over, over_some};
use super::statistics::{Correction, square_abs, wide};
use crate::array::args::AxisSet;
use crate::array::{Axes, DeviceArray, checked, record};
use crate::dtype::{DType, Element, Floating, Inexact};
use crate::error::Result;
use crate::graph::Node;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// The elements with another value in place of NaN, and where they are numbers.
#[track_caller]
pub(super) fn without_nan(a: &Arc<Node>, value: f64) -> Result<(Arc<Node>, Arc<Node>)> {
    let nan = record::unary(Op::IsNan, a);
    let filled = record::select(&nan, record::number(a, value), a)?;
    Ok((filled, record::unary(Op::LogicalNot, &nan)))
}

/// The number of numbers over the axes, in the real type of `a`.
#[track_caller]
fn count(numbers: &Arc<Node>, axes: AxisSet, dtype: DType) -> Arc<Node> {
    over(Reduction::Sum, &record::cast(numbers, dtype), axes)
}

#[track_caller]
fn nan_variance(a: &Arc<Node>, axes: AxisSet, ddof: f64) -> Result<Arc<Node>> {
    let (filled, numbers) = without_nan(a, 0.0)?;
    let total = over(Reduction::Sum, &filled, axes.kept());
    let mean = record::binary(Op::Divide, &total, &count(&numbers, axes.kept(), a.dtype))?;
    let distance = record::binary(Op::Subtract, a, &mean)?;
    let distance = record::select(&numbers, &distance, record::number(a, 0.0))?;
    let squares = square_abs(&distance)?;
    let n = count(&numbers, axes, squares.dtype);
    let n = record::binary(Op::Subtract, &n, record::number(&n, ddof))?;
    let total = over(Reduction::Sum, &squares, axes);
    let result = record::binary(Op::Divide, &total, &n)?;
    let some = record::binary(Op::Greater, &n, record::number(&n, 0.0))?;
    record::select(&some, &result, record::number(&result, f64::NAN))
}

impl<T: Inexact> DeviceArray<T> {
    checked! {
        /// Sum over the axes, NaN counted as 0.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** The array's. NumPy: `nansum`.
        #[doc(alias = "nansum")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1.0, f64::NAN])?.nan_sum(..).item()?, 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_sum | try_nan_sum(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("nan_sum", axes)?;
            let (filled, _) = without_nan(self.node(), 0.0)?;
            Ok(DeviceArray::from_node(over(Reduction::Sum, &filled, axes)))
        }

        /// Product over the axes, NaN counted as 1.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** The array's. NumPy: `nanprod`.
        #[doc(alias = "nanprod")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[2.0, f64::NAN])?.nan_prod(..).item()?, 2.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_prod | try_nan_prod(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("nan_prod", axes)?;
            let (filled, _) = without_nan(self.node(), 1.0)?;
            Ok(DeviceArray::from_node(over(Reduction::Prod, &filled, axes)))
        }

        /// Mean over the axes of what is not NaN; NaN where nothing is left.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** The array's. NumPy: `nanmean`.
        #[doc(alias = "nanmean")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[2.0, f64::NAN])?.nan_mean(..).item()?, 2.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_mean | try_nan_mean(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("nan_mean", axes)?;
            let (filled, numbers) = without_nan(&wide::<T>(self.node()), 0.0)?;
            let total = over(Reduction::Sum, &filled, axes);
            let mean = record::binary(Op::Divide, &total, &count(&numbers, axes, total.dtype))?;
            Ok(DeviceArray::from_node(record::cast(&mean, T::DTYPE)))
        }

        /// Variance over the axes of what is not NaN, the sum of the squares divided by the number
        /// of elements that are left minus `ddof`; NaN where that is not positive.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** Real: the component of a complex
        /// type. NumPy: `nanvar`.
        #[doc(alias = "nanvar")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, f64::NAN, 3.0])?;
        /// assert_eq!(a.nan_var(.., 0).item()?, 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_var | try_nan_var(&self, axes: impl Axes, ddof: impl Correction) -> DeviceArray<T::Real> {
            let axes = self.axes("nan_var", axes)?;
            let variance = nan_variance(&wide::<T>(self.node()), axes, ddof.degrees())?;
            Ok(DeviceArray::from_node(record::cast(&variance, T::Real::DTYPE)))
        }

        /// Standard deviation over the axes of what is not NaN: the root of
        /// [`nan_var`](Self::nan_var).
        ///
        /// **Shape.** The array's without the axes. **Dtype.** Real: the component of a complex
        /// type. NumPy: `nanstd`.
        #[doc(alias = "nanstd")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, f64::NAN, 3.0])?;
        /// assert_eq!(a.nan_std(.., 0).item()?, 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_std | try_nan_std(&self, axes: impl Axes, ddof: impl Correction) -> DeviceArray<T::Real> {
            let axes = self.axes("nan_std", axes)?;
            let variance = nan_variance(&wide::<T>(self.node()), axes, ddof.degrees())?;
            let deviation = record::unary(Op::Sqrt, &variance);
            Ok(DeviceArray::from_node(record::cast(&deviation, T::Real::DTYPE)))
        }
    }
}

impl<T: Floating> DeviceArray<T> {
    checked! {
        /// The smallest element over the axes that is not NaN; NaN where there is none.
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** The
        /// array's. NumPy: `nanmin`.
        #[doc(alias = "nanmin")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[2.0, f64::NAN])?.nan_min(..).item()?, 2.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_min | try_nan_min(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("nan_min", axes)?;
            over_some("nan_min", Reduction::Fmin, self.node(), axes).map(DeviceArray::from_node)
        }

        /// The largest element over the axes that is not NaN; NaN where there is none.
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** The
        /// array's. NumPy: `nanmax`.
        #[doc(alias = "nanmax")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[2.0, f64::NAN])?.nan_max(..).item()?, 2.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_max | try_nan_max(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("nan_max", axes)?;
            over_some("nan_max", Reduction::Fmax, self.node(), axes).map(DeviceArray::from_node)
        }

        /// The position over the axes of the smallest element that is not NaN; where all are NaN,
        /// position 0 (NumPy refuses that case).
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** `i64`.
        /// NumPy: `nanargmin`.
        #[doc(alias = "nanargmin")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[f64::NAN, 2.0])?.nan_argmin(..).item()?, 1);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_argmin | try_nan_argmin(&self, axes: impl Axes) -> DeviceArray<i64> {
            let axes = self.axes("nan_argmin", axes)?;
            let (filled, _) = without_nan(self.node(), f64::INFINITY)?;
            over_some("nan_argmin", Reduction::ArgMin, &filled, axes).map(DeviceArray::from_node)
        }

        /// The position over the axes of the largest element that is not NaN; where all are NaN,
        /// position 0 (NumPy refuses that case).
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** `i64`.
        /// NumPy: `nanargmax`.
        #[doc(alias = "nanargmax")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[f64::NAN, 2.0])?.nan_argmax(..).item()?, 1);
        /// # Ok::<(), Error>(())
        /// ```
        fn nan_argmax | try_nan_argmax(&self, axes: impl Axes) -> DeviceArray<i64> {
            let axes = self.axes("nan_argmax", axes)?;
            let (filled, _) = without_nan(self.node(), f64::NEG_INFINITY)?;
            over_some("nan_argmax", Reduction::ArgMax, &filled, axes).map(DeviceArray::from_node)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;

    #[test]
    fn nan_is_skipped() {
        let a = DeviceArray::from_vec([2, 3], vec![NAN, 1.0, 3.0, NAN, NAN, NAN]).unwrap();
        let both = |a: DeviceArray<f64>| a.to_vec().unwrap();
        assert_eq!(both(a.nan_sum(1)), [4.0, 0.0]);
        assert_eq!(both(a.nan_prod(1)), [3.0, 1.0]);
        for (row, expected) in [
            (both(a.nan_mean(1)), 2.0),
            (both(a.nan_var(1, 0)), 1.0),
            (both(a.nan_std(1, 1)), 2.0f64.sqrt()),
            (both(a.nan_min(1)), 1.0),
            (both(a.nan_max(1)), 3.0),
        ] {
            assert_eq!(row[0], expected);
            assert!(row[1].is_nan());
        }
        assert_eq!(a.nan_argmin(1).to_vec().unwrap(), [1, 0]);
        assert_eq!(a.nan_argmax(1).to_vec().unwrap(), [2, 0]);
    }
}
