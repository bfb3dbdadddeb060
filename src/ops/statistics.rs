//! Means, variances, norms and what else composes from reductions.

use super::movement::broadcast_to;
use super::reduce::{dropped, over, over_some, sum};
use crate::array::args::AxisSet;
use crate::array::{Axes, DeviceArray, checked, record};
use crate::dtype::{DType, Element, Floating, Inexact, Scalar};
use crate::error::Result;
use crate::graph::Node;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// The type in which means are computed: `f32` for halves, so that sums do not overflow.
#[track_caller]
pub(super) fn wide<T: Element>(a: &Arc<Node>) -> Arc<Node> {
    record::cast(a, T::Mean::DTYPE.compute())
}

#[track_caller]
fn mean_node(a: &Arc<Node>, axes: AxisSet) -> Result<Arc<Node>> {
    let n = record::number(a, axes.len(&a.shape) as f64);
    record::binary(Op::Divide, &over(Reduction::Sum, a, axes), n)
}

/// The share of true elements. They are counted: integers cost less than the sum of 0 and 1.
#[track_caller]
fn share(a: &Arc<Node>, axes: AxisSet) -> Result<Arc<Node>> {
    let count = record::cast(&sum::<bool>(a, axes), DType::F64);
    let n = record::number(&count, axes.len(&a.shape) as f64);
    record::binary(Op::Divide, &count, n)
}

/// The square of the absolute value.
#[track_caller]
pub(super) fn square_abs(a: &Arc<Node>) -> Result<Arc<Node>> {
    if !a.dtype.is_complex() {
        return Ok(record::unary(Op::Square, a));
    }
    let part = |op| record::unary(Op::Square, &record::unary(op, a));
    record::binary(Op::Add, &part(Op::RealPart), &part(Op::ImagPart))
}

/// The variance with two passes: the mean of the squared distances from the mean.
#[track_caller]
fn variance(a: &Arc<Node>, axes: AxisSet, ddof: f64) -> Result<Arc<Node>> {
    let mean = mean_node(a, axes.kept())?;
    let squares = square_abs(&record::binary(Op::Subtract, a, &mean)?)?;
    let n = (axes.len(&a.shape) as f64 - ddof).max(0.0);
    let total = over(Reduction::Sum, &squares, axes);
    record::binary(Op::Divide, &total, record::number(&squares, n))
}

mod sealed {
    pub trait Degrees {
        /// How many degrees of freedom are taken off.
        fn degrees(self) -> f64;
    }
}

/// What is taken off the number of elements by which a variance divides: a whole number or a
/// fraction.
pub trait Correction: sealed::Degrees {}

macro_rules! corrections {
    ($($t:ty)*) => {$(
        impl sealed::Degrees for $t {
            fn degrees(self) -> f64 {
                self as f64
            }
        }
        impl Correction for $t {}
    )*};
}
corrections! { i32 i64 usize f32 f64 }

type RealMean<T> = <<T as Element>::Mean as Element>::Real;

impl<T: Element> DeviceArray<T> {
    checked! {
        /// Arithmetic mean over the axes.
        ///
        /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** Floating-point
        /// and complex types keep theirs, integers and `bool` give `f64`; halves are computed in
        /// `f32`. NumPy: `mean`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1i32, 2, 4, 5])?.mean(..).item()?, 3.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn mean | try_mean(&self, axes: impl Axes) -> DeviceArray<T::Mean> {
            let axes = self.axes("mean", axes)?;
            let mean = match T::DTYPE {
                DType::Bool => share(self.node(), axes)?,
                _ => mean_node(&wide::<T>(self.node()), axes)?,
            };
            Ok(DeviceArray::from_node(record::cast(&mean, T::Mean::DTYPE)))
        }

        /// Variance over the axes: the mean of the squared distances from the mean.
        ///
        /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** Real: the
        /// component of a complex type; integers and `bool` give `f64`. NumPy: `var`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1.0f64, 3.0])?.var(..).item()?, 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn var | try_var(&self, axes: impl Axes) -> DeviceArray<RealMean<T>> {
            self.try_var_ddof(axes, 0)
        }

        /// Variance over the axes, the sum of the squares divided by the number of elements minus
        /// `ddof`: 1 gives the sample variance. It may be a fraction or negative; divided is by 0
        /// where it is as large as the number of elements.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** As [`var`](Self::var). NumPy:
        /// `var(ddof=…)`, `var(correction=…)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0f64, 3.0])?;
        /// assert_eq!(a.var_ddof(.., 1).item()?, 2.0);
        /// assert_eq!(a.var_ddof(.., 1.5).item()?, 4.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn var_ddof | try_var_ddof(&self, axes: impl Axes, ddof: impl Correction) -> DeviceArray<RealMean<T>> {
            let axes = self.axes("var", axes)?;
            let variance = variance(&wide::<T>(self.node()), axes, ddof.degrees())?;
            Ok(DeviceArray::from_node(record::cast(&variance, RealMean::<T>::DTYPE)))
        }

        /// Standard deviation over the axes, the square root of [`var`](Self::var).
        ///
        /// **Shape.** The array's without the axes. **Dtype.** As [`var`](Self::var). NumPy: `std`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1.0f64, 3.0])?.std(..).item()?, 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn std | try_std(&self, axes: impl Axes) -> DeviceArray<RealMean<T>> {
            self.try_std_ddof(axes, 0)
        }

        /// Standard deviation over the axes, the square root of [`var_ddof`](Self::var_ddof).
        ///
        /// **Shape.** The array's without the axes. **Dtype.** As [`var`](Self::var).
        /// NumPy: `std(ddof=…)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1.0f64, 5.0])?.std_ddof(.., 1).item()?, 8.0f64.sqrt());
        /// # Ok::<(), Error>(())
        /// ```
        fn std_ddof | try_std_ddof(&self, axes: impl Axes, ddof: impl Correction) -> DeviceArray<RealMean<T>> {
            let axes = self.axes("std", axes)?;
            let variance = variance(&wide::<T>(self.node()), axes, ddof.degrees())?;
            let deviation = record::unary(Op::Sqrt, &variance);
            Ok(DeviceArray::from_node(record::cast(&deviation, RealMean::<T>::DTYPE)))
        }
    }
}

impl<T: Inexact> DeviceArray<T> {
    checked! {
        /// Mean over the axes with weights, which broadcast against the array: the sum of the
        /// weighted elements over the sum of the weights.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** The array's. NumPy: `average`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let (a, w) = (DeviceArray::from_slice(&[1.0, 4.0])?, DeviceArray::from_slice(&[2.0, 1.0])?);
        /// assert_eq!(a.average(.., &w).item()?, 2.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn average | try_average(&self, axes: impl Axes, weights: &DeviceArray<T>) -> DeviceArray<T> {
            let axes = self.axes("average", axes)?;
            let weights = broadcast_to("average", weights.node(), self.node().shape.clone())?;
            // Products and sums of halves would leave their range where the mean does not.
            let [a, weights] = [self.node(), &weights].map(|x| record::cast(x, T::DTYPE.compute()));
            let weighted = record::binary(Op::Multiply, &a, &weights)?;
            let [total, whole] = [&weighted, &weights].map(|x| over(Reduction::Sum, x, axes));
            let average = record::binary(Op::Divide, &total, &whole)?;
            Ok(DeviceArray::from_node(record::cast(&average, T::DTYPE)))
        }
    }
}

/// A norm of absolute values: `p` may be 0 (the number of non-zero elements) or infinite.
#[track_caller]
fn norm(a: &Arc<Node>, axes: AxisSet, p: f64) -> Result<Arc<Node>> {
    let exponent = |p: f64| Scalar::from_f64(a.dtype, p);
    if p == f64::INFINITY {
        over_some("norm", Reduction::Max, a, axes)
    } else if p == f64::NEG_INFINITY {
        over_some("norm", Reduction::Min, a, axes)
    } else if p == 0.0 {
        let nonzero = record::binary(Op::NotEqual, a, record::number(a, 0.0))?;
        Ok(over(Reduction::Sum, &record::cast(&nonzero, a.dtype), axes))
    } else if p == 1.0 {
        Ok(over(Reduction::Sum, a, axes))
    } else {
        let powers = record::binary(Op::Power, a, exponent(p))?;
        record::binary(Op::Power, &over(Reduction::Sum, &powers, axes), exponent(1.0 / p))
    }
}

impl<T: Inexact> DeviceArray<T> {
    checked! {
        /// Euclidean norm over the axes: the root of the sum of the squared absolute values. Over
        /// two axes it is the Frobenius norm.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** Real: the component of a complex
        /// type. NumPy: `linalg.norm`, `linalg.vector_norm`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[3.0f64, -4.0])?.norm(..).item()?, 5.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn norm | try_norm(&self, axes: impl Axes) -> DeviceArray<T::Real> {
            let axes = self.axes("norm", axes)?;
            let total = over(Reduction::Sum, &square_abs(&wide::<T>(self.node()))?, axes);
            let root = record::unary(Op::Sqrt, &total);
            Ok(DeviceArray::from_node(record::cast(&root, T::Real::DTYPE)))
        }

        /// The `p`-norm over the axes, `(Σ |x|^p)^(1/p)`: the largest absolute value for
        /// `f64::INFINITY`, the smallest for `f64::NEG_INFINITY`, the number of non-zero elements
        /// for 0.
        ///
        /// **Shape.** The array's without the axes. **Dtype.** Real: the component of a complex
        /// type. NumPy: `linalg.vector_norm(…, ord=p)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[3.0f64, -4.0])?;
        /// assert_eq!(a.norm_p(1.0, ..).item()?, 7.0);
        /// assert_eq!(a.norm_p(f64::INFINITY, ..).item()?, 4.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn norm_p | try_norm_p(&self, p: f64, axes: impl Axes) -> DeviceArray<T::Real> {
            if p == 2.0 {
                return self.try_norm(axes);
            }
            let axes = self.axes("norm", axes)?;
            let sizes = record::unary(Op::Abs, &wide::<T>(self.node()));
            Ok(DeviceArray::from_node(record::cast(&norm(&sizes, axes, p)?, T::Real::DTYPE)))
        }
    }
}

/// The largest element over the axes, kept, or 0 where that is not finite.
#[track_caller]
fn finite_max(name: &str, a: &Arc<Node>, axes: AxisSet) -> Result<Arc<Node>> {
    let max = over_some(name, Reduction::Max, a, axes.kept())?;
    let finite = record::unary(Op::IsFinite, &max);
    record::select(&finite, &max, record::number(&max, 0.0))
}

impl<T: Floating> DeviceArray<T> {
    checked! {
        /// `ln(Σ exp(x))` over the axes, without overflow.
        ///
        /// **Shape.** The array's without the axes, which must hold an element. **Dtype.** The
        /// array's. SciPy: `special.logsumexp`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::full([2], 1000.0f64);
        /// assert_eq!(a.logsumexp(..).item()?, 1000.0 + 2.0f64.ln());
        /// # Ok::<(), Error>(())
        /// ```
        fn logsumexp | try_logsumexp(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("logsumexp", axes)?;
            let a = wide::<T>(self.node());
            let max = finite_max("logsumexp", &a, axes)?;
            let powers = record::unary(Op::Exp, &record::binary(Op::Subtract, &a, &max)?);
            let log = record::unary(Op::Ln, &over(Reduction::Sum, &powers, axes));
            let max = if axes.keep { max } else { dropped(&max, axes) };
            let result = record::binary(Op::Add, &log, &max)?;
            Ok(DeviceArray::from_node(record::cast(&result, T::DTYPE)))
        }

        /// `exp(x) / Σ exp(x)` over the axes, without overflow.
        ///
        /// **Shape.** The array's. **Dtype.** The array's. SciPy: `special.softmax`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[5.0f64, 5.0])?.softmax(-1);
        /// assert_eq!(a.to_vec()?, [0.5, 0.5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn softmax | try_softmax(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("softmax", axes)?.kept();
            let a = wide::<T>(self.node());
            let max = over_some("softmax", Reduction::Max, &a, axes)?;
            let powers = record::unary(Op::Exp, &record::binary(Op::Subtract, &a, &max)?);
            let total = over(Reduction::Sum, &powers, axes);
            let result = record::binary(Op::Divide, &powers, &total)?;
            Ok(DeviceArray::from_node(record::cast(&result, T::DTYPE)))
        }

        /// The logarithm of [`softmax`](Self::softmax), exact where that is small.
        ///
        /// **Shape.** The array's. **Dtype.** The array's. SciPy: `special.log_softmax`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[0.0f64, 0.0])?.log_softmax(-1);
        /// assert_eq!(a.to_vec()?, [-2.0f64.ln(); 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn log_softmax | try_log_softmax(&self, axes: impl Axes) -> DeviceArray<T> {
            let axes = self.axes("log_softmax", axes)?.kept();
            let a = wide::<T>(self.node());
            let moved = record::binary(Op::Subtract, &a, &finite_max("log_softmax", &a, axes)?)?;
            let total = over(Reduction::Sum, &record::unary(Op::Exp, &moved), axes);
            let result = record::binary(Op::Subtract, &moved, &record::unary(Op::Ln, &total))?;
            Ok(DeviceArray::from_node(record::cast(&result, T::DTYPE)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::keep;
    use half::f16;
    use num_complex::Complex;

    const NAN: f64 = f64::NAN;
    const INF: f64 = f64::INFINITY;

    fn array(values: &[f64]) -> DeviceArray<f64> {
        DeviceArray::from_slice(values).unwrap()
    }

    #[test]
    fn means_and_variances_of_all_kinds() {
        let a = DeviceArray::from_vec([2, 3], vec![1u8, 2, 3, 4, 5, 9]).unwrap();
        assert_eq!(a.mean(1).to_vec().unwrap(), [2.0, 6.0]);
        assert_eq!(a.var_ddof(keep(0), 1).to_vec().unwrap(), [4.5, 4.5, 18.0]);
        assert_eq!(DeviceArray::from_slice(&[true, false]).unwrap().mean(..).item().unwrap(), 0.5);
        let z = [Complex::new(1.0, 1.0), Complex::new(3.0, -1.0)];
        let z = DeviceArray::from_slice(&z).unwrap();
        assert_eq!(z.mean(..).item().unwrap(), Complex::new(2.0, 0.0));
        assert_eq!(z.var(..).item().unwrap(), 2.0);
        let h = DeviceArray::full([100], f16::from_f32(60000.0));
        assert_eq!(h.mean(..).item().unwrap(), f16::from_f32(60000.0));
        assert_eq!(h.std(..).item().unwrap(), f16::ZERO);
        assert!(array(&[]).mean(..).item().unwrap().is_nan());
    }

    #[test]
    fn corrections_may_be_fractions() {
        let a = array(&[1.0, 2.0, 4.0, 5.0]);
        assert_eq!(a.var_ddof(.., 0.5).item().unwrap(), 10.0 / 3.5);
        assert_eq!(a.var_ddof(.., -1).item().unwrap(), 2.0);
        assert_eq!(a.var_ddof(.., 5).item().unwrap(), INF);
        assert!(array(&[3.0]).std_ddof(.., 1.0f32).item().unwrap().is_nan());
        assert_eq!(a.reshape([2, 2]).std_ddof(keep(1), 1.5).to_vec().unwrap(), [1.0, 1.0]);
    }

    #[test]
    fn norms() {
        let a = array(&[3.0, 0.0, -4.0]);
        let norms = [1.0, 2.0, 3.0, INF, -INF, 0.0].map(|p| a.norm_p(p, ..).item().unwrap());
        let cube = (27.0f64 + 64.0).powf(1.0 / 3.0);
        assert_eq!((norms[0], norms[1], norms[3], norms[4], norms[5]), (7.0, 5.0, 4.0, 0.0, 2.0));
        assert!((norms[2] - cube).abs() < 1e-14);
        let z = DeviceArray::from_slice(&[Complex::new(3.0f32, 4.0)]).unwrap();
        assert_eq!(z.norm(..).item().unwrap(), 5.0);
    }

    #[test]
    fn logsumexp_at_the_ends() {
        let lse = |v: &[f64]| array(v).logsumexp(..).item().unwrap();
        assert_eq!(lse(&[-INF, -INF]), -INF);
        assert_eq!(lse(&[INF, 1.0]), INF);
        assert!(lse(&[NAN, 1.0]).is_nan());
        assert_eq!(lse(&[-1000.0, -1000.0]), -1000.0 + 2.0f64.ln());
        let a = DeviceArray::<f64>::zeros([2, 4]);
        assert_eq!(a.logsumexp(keep(1)).shape(), [2, 1]);
        assert_eq!(a.softmax([0, 1]).sum(..).item().unwrap(), 1.0);
        assert!(a.try_softmax(2).unwrap_err().to_string().starts_with("softmax: axis 2"));
    }

    #[test]
    fn averages_with_weights() {
        let a = DeviceArray::from_vec([2, 2], vec![1.0, 3.0, 5.0, 9.0]).unwrap();
        let w = array(&[3.0, 1.0]);
        assert_eq!(a.average(1, &w).to_vec().unwrap(), [1.5, 6.0]);
        let large = DeviceArray::full(3, half::f16::from_f32(30_000.0));
        let weights = large.full_like(half::f16::from_f32(3.0));
        assert_eq!(large.average(.., &weights).item().unwrap().to_f32(), 30_000.0);
        assert!(a.try_average(0, &array(&[1.0; 3])).unwrap_err().is_shape());
    }

    #[test]
    fn composites_are_one_kernel() {
        let host = ndarray::Array2::from_shape_fn((30, 40), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
        let a = DeviceArray::from_ndarray(&host).unwrap();
        let normal = (&a - a.mean(keep(-1))) / (a.var(keep(-1)) + 1e-5).sqrt();
        let rows = [
            ("softmax", a.softmax(-1)),
            ("softmax along axis 0", a.softmax(0)),
            ("log_softmax", a.log_softmax(-1)),
            ("layer norm", normal),
            ("mean", a.mean(1)),
            ("var", a.var(1)),
            ("std", a.std_ddof(keep(1), 1)),
            ("logsumexp", a.logsumexp(1)),
            ("nan_mean", a.nan_mean(1)),
            ("nan_var", a.nan_var(1, 0)),
            ("norm", a.norm(1)),
            ("average", a.average(1, &a)),
            ("ptp", a.ptp(1)),
        ];
        for (name, result) in rows {
            let plan = crate::explain(&[&result]);
            assert_eq!(plan.kernels(), 1, "{name}: {plan}");
        }
    }
}
