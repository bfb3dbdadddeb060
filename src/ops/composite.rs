//! Functions that compose from rows of the table.

use crate::array::{DeviceArray, Operand, checked, named, or_panic, record};
use crate::dtype::{DType, Floating, Inexact, Number, Real, Scalar};
use crate::error::Result;
use crate::graph::{GELU, Node};
use crate::table::Op;
use ndarray::SliceInfoElem;
use std::sync::Arc;

impl<T: Number> DeviceArray<T> {
    /// Raised to a whole power; small powers are products.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; integers wrap, and of negative powers of
    /// integers only those of 1 and -1 are not 0. **Laziness.** Records; nothing is computed.
    /// NumPy: `power` with an integer.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::from_slice(&[2, 3])?.powi(3).to_vec()?, [8, 27]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn powi(&self, n: i32) -> DeviceArray<T> {
        let a = self.node();
        let node = match n {
            0 => return self.ones_like(),
            1..=8 => product(a, n as u32),
            _ if T::DTYPE.is_integer() => whole_power(a, n),
            -8..=-1 => inverse_power(a, n.unsigned_abs()),
            _ => float_power(a, n),
        };
        DeviceArray::from_node(node.expect("one shape fits itself"))
    }
}

/// A power of integers, whose type may be too narrow for the exponent. Of a negative exponent only
/// its parity counts: 1 and -1 have powers, others give 0.
#[track_caller]
fn whole_power(a: &Arc<Node>, n: i32) -> Result<Arc<Node>> {
    match n {
        1.. => product(a, n as u32),
        _ if a.dtype.is_signed_integer() => {
            record::binary(Op::Power, a, Scalar::from_f64(a.dtype, f64::from(n % 2 - 2)))
        }
        _ => Ok(record::cast(
            &record::binary(Op::Equal, a, Scalar::from_f64(a.dtype, 1.0))?,
            a.dtype,
        )),
    }
}

/// One by a small power of floating-point or complex numbers. Where the power is too large for its
/// type the result may still be a number near zero: by the inverse of its root instead.
#[track_caller]
fn inverse_power(a: &Arc<Node>, n: u32) -> Result<Arc<Node>> {
    if matches!(a.dtype, DType::F16 | DType::BF16) {
        let wide = record::cast(a, DType::F32);
        return Ok(record::cast(&inverse_power(&wide, n)?, a.dtype));
    }
    let inverse = record::unary(Op::Reciprocal, &product(a, n)?);
    if n == 1 || a.dtype.is_complex() {
        return Ok(inverse);
    }
    let root = record::unary(Op::Reciprocal, &product(a, n / 2)?);
    let near_zero = match n.is_multiple_of(2) {
        true => record::unary(Op::Square, &root),
        false => record::binary(Op::Divide, &record::unary(Op::Square, &root), a)?,
    };
    let vanished = record::binary(Op::Equal, &inverse, record::number(a, 0.0))?;
    record::select(&vanished, &near_zero, &inverse)
}

/// A power of floating-point or complex numbers, in a type that holds the exponent.
#[track_caller]
fn float_power(a: &Arc<Node>, n: i32) -> Result<Arc<Node>> {
    let single = n.unsigned_abs() <= 1 << 24;
    let dtype = match a.dtype {
        DType::F16 | DType::BF16 if single => DType::F32,
        DType::F16 | DType::BF16 | DType::F32 if !single => DType::F64,
        DType::C64 if !single => DType::C128,
        dtype => dtype,
    };
    let wide = record::cast(a, dtype);
    let power = record::binary(Op::Power, &wide, Scalar::from_f64(dtype, n.into()))?;
    Ok(record::cast(&power, a.dtype))
}

/// By the exponential of what has no positive real part: the other one may be infinite.
#[track_caller]
fn sigmoid(z: &Arc<Node>) -> Result<Arc<Node>> {
    let one = Scalar::from_f64(z.dtype, 1.0);
    let left = match z.dtype.is_complex() {
        true => record::unary(Op::Signbit, &record::unary(Op::RealPart, z)),
        false => record::unary(Op::Signbit, z),
    };
    let e = record::unary(Op::Exp, &record::select(&left, z, &record::unary(Op::Negative, z))?);
    let top = record::select(&left, &e, one)?;
    record::binary(Op::Divide, &top, &record::binary(Op::Add, &e, one)?)
}

/// Near one half the quotient is near one, where its rounding says more than its logarithm: by the
/// distance from there instead.
#[track_caller]
fn logit(x: &Arc<Node>) -> Result<Arc<Node>> {
    let number = |value| record::number(x, value);
    let rest = record::binary(Op::Subtract, number(1.0), x)?;
    let far = record::unary(Op::Ln, &record::binary(Op::Divide, x, &rest)?);
    let twice = record::binary(Op::Multiply, x, number(2.0))?;
    let off = record::binary(Op::Subtract, &twice, number(1.0))?;
    let above = record::unary(Op::Ln1p, &off);
    let below = record::unary(Op::Ln1p, &record::unary(Op::Negative, &off));
    let near = record::binary(Op::Subtract, &above, &below)?;
    let is_near = record::binary(Op::Less, &record::unary(Op::Abs, &off), number(0.4))?;
    record::select(&is_near, &near, &far)
}

/// A power by repeated squaring.
#[track_caller]
fn product(a: &Arc<Node>, n: u32) -> Result<Arc<Node>> {
    match n {
        1 => Ok(a.clone()),
        _ if n.is_multiple_of(2) => Ok(record::unary(Op::Square, &product(a, n / 2)?)),
        _ => record::binary(Op::Multiply, &product(a, n - 1)?, a),
    }
}

impl<T: Real> DeviceArray<T> {
    /// Quotient and remainder of the floored division together.
    ///
    /// **Shape.** Broadcast. **Laziness.** Records; nothing is computed. NumPy: `divmod`.
    ///
    /// # Panics
    /// Where the shapes do not broadcast.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (q, r) = DeviceArray::from_slice(&[-7, 7])?.divmod(3);
    /// assert_eq!((q.to_vec()?, r.to_vec()?), (vec![-3, 2], vec![2, 1]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn divmod(&self, divisor: impl Operand<T> + Clone) -> (DeviceArray<T>, DeviceArray<T>) {
        let quotient = named("divmod", self.try_floor_divide(divisor.clone()));
        (or_panic(quotient), self.remainder(divisor))
    }
}

impl<T: Inexact> DeviceArray<T> {
    checked! {
        /// Whether the values are equal within `1e-5 · |b| + 1e-8`; NaN is close to nothing.
        ///
        /// **Shape.** Broadcast. **Dtype.** `bool`. NumPy: `isclose`.
        #[doc(alias = "isclose")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, f64::INFINITY])?;
        /// assert_eq!(a.is_close(&(&a + 1e-7)).to_vec()?, [true, true]);
        /// # Ok::<(), Error>(())
        /// ```
        fn is_close | try_is_close(&self, other: &DeviceArray<T>) -> DeviceArray<bool> {
            self.try_is_close_within(other, 1e-5, 1e-8)
        }

        /// Whether the values are equal within `relative · |b| + absolute`; NaN is close to
        /// nothing, an infinity to itself.
        ///
        /// **Shape.** Broadcast. **Dtype.** `bool`. NumPy: `isclose(a, b, rtol, atol)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[100.0, 200.0])?;
        /// assert!(a.is_close_within(&(&a + 1.0), 0.0, 1.5).all(..).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn is_close_within | try_is_close_within(
            &self,
            other: &DeviceArray<T>,
            relative: f64,
            absolute: f64,
        ) -> DeviceArray<bool> {
            let b = other.node();
            let size = record::unary(Op::Abs, b);
            let number = |v: f64| Scalar::from_f64(size.dtype, v);
            let allowed = record::binary(Op::Multiply, &size, number(relative))?;
            let allowed = record::binary(Op::Add, &allowed, number(absolute))?;
            let distance = record::unary(Op::Abs, &record::binary(Op::Subtract, self.node(), b)?);
            let near = record::binary(Op::LessEqual, &distance, &allowed)?;
            let near = record::binary(Op::BitwiseAnd, &near, &record::unary(Op::IsFinite, b))?;
            let equal = record::binary(Op::Equal, self.node(), b)?;
            record::binary(Op::BitwiseOr, &near, &equal).map(DeviceArray::from_node)
        }

        /// Whether all values are close in the sense of [`is_close`](Self::is_close).
        ///
        /// **Shape.** Broadcast, then reduced to no axes. **Dtype.** `bool`. NumPy: `allclose`.
        #[doc(alias = "allclose")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 5);
        /// assert!(a.all_close(&a.sin().asin()).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn all_close | try_all_close(&self, other: &DeviceArray<T>) -> DeviceArray<bool> {
            self.try_is_close(other)?.try_all(..)
        }
    }

    /// The logistic function, `1 / (1 + exp(-x))`.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. **Laziness.** Records; nothing is computed.
    /// SciPy: `special.expit`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<f64>::zeros(1).sigmoid().item()?, 0.5);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "expit")]
    #[track_caller]
    pub fn sigmoid(&self) -> DeviceArray<T> {
        let node = match T::DTYPE {
            DType::F16 | DType::BF16 => {
                let wide = record::cast(self.node(), DType::F32);
                record::cast(DeviceArray::<f32>::from_node(wide).sigmoid().node(), T::DTYPE)
            }
            _ => sigmoid(self.node()).expect("one shape fits itself"),
        };
        DeviceArray::from_node(node)
    }
}

impl<T: Floating> DeviceArray<T> {
    /// The inverse of [`sigmoid`](Self::sigmoid), `ln(x / (1 - x))`.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. **Laziness.** Records; nothing is computed.
    /// SciPy: `special.logit`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::full(1, 0.5f64).logit().item()?, 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn logit(&self) -> DeviceArray<T> {
        let wide = record::cast(self.node(), T::DTYPE.compute());
        let logit = logit(&wide).expect("one shape fits itself");
        DeviceArray::from_node(record::cast(&logit, T::DTYPE))
    }

    /// Negative values replaced by 0; NaN stays.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. **Laziness.** Records; nothing is computed.
    /// NumPy has none; it is `maximum(x, 0)`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::from_slice(&[-1.0, 2.0])?.relu().to_vec()?, [0.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn relu(&self) -> DeviceArray<T> {
        self.maximum(T::ZERO)
    }

    /// The Gaussian error linear unit, `x/2 · (1 + tanh(√(2/π) · (x + 0.044715·x³)))`; NaN stays.
    ///
    /// This is the approximation by the hyperbolic tangent of Hendrycks and Gimpel, *Gaussian Error
    /// Linear Units* (2016), which is what cuBLASLt computes after a product: on devices with it,
    /// [`matmul`](Self::matmul), a bias and this function are one call. Halves are computed in
    /// `f32` and rounded once.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. **Laziness.** Records; nothing is computed.
    /// PyTorch: `gelu(x, approximate='tanh')`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let y = DeviceArray::from_slice(&[-30.0, 0.0, 1.0, 30.0])?.gelu().to_vec()?;
    /// assert_eq!((y[1], y[3]), (0.0, 30.0));
    /// assert!(y[0].abs() < 1e-12 && (y[2] - 0.841192).abs() < 1e-6);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn gelu(&self) -> DeviceArray<T> {
        let x = record::cast(self.node(), T::DTYPE.compute());
        let with = |op, a: &Arc<Node>, b: f64| record::binary(op, a, record::number(a, b));
        let both = |op, a: &Arc<Node>, b: &Arc<Node>| record::binary(op, a, b);
        let made = || {
            // `graph/activation.rs` finds these operations again.
            let square = record::unary(Op::Square, &x);
            let factor = with(Op::Add, &with(Op::Multiply, &square, GELU[1])?, GELU[0])?;
            let tanh = record::unary(Op::Tanh, &both(Op::Multiply, &factor, &x)?);
            both(Op::Multiply, &with(Op::Multiply, &x, 0.5)?, &with(Op::Add, &tanh, 1.0)?)
        };
        let wide = made().expect("one shape fits itself");
        DeviceArray::from_node(record::cast(&wide, T::DTYPE))
    }

    checked! {
        /// Linear interpolation, `a + (b - a) · t`.
        ///
        /// **Shape.** Broadcast. **Dtype.** The array's. C++: `std::lerp`; PyTorch: `lerp`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[0.0, 10.0])?;
        /// assert_eq!(a.lerp(20.0, 0.5).to_vec()?, [10.0, 15.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn lerp | try_lerp(&self, other: impl Operand<T>, t: impl Operand<T>) -> DeviceArray<T> {
            let distance = record::binary(Op::Subtract, crate::array::operand::arg(other, self.device())?, self.node())?;
            let part = record::binary(Op::Multiply, &distance, crate::array::operand::arg(t, self.device())?)?;
            record::binary(Op::Add, self.node(), &part).map(DeviceArray::from_node)
        }
    }
}

impl<T: Number> DeviceArray<T> {
    checked! {
        /// The differences between neighbours along an axis, taken `n` times.
        ///
        /// **Shape.** The array's, the axis shorter by `n`. **Dtype.** The array's. NumPy: `diff`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1, 4, 9])?.diff(1, 0).to_vec()?, [3, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn diff | try_diff(&self, n: usize, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("diff", axis)?;
            let whole = SliceInfoElem::Slice { start: 0, end: None, step: 1 };
            let mut region = vec![whole; axis + 1];
            let mut result = self.clone();
        // Once the axis is empty it stays so.
            for _ in 0..n.min(self.shape()[axis]) {
                let length = result.shape()[axis] as isize;
                let start = 1.min(length);
                region[axis] = SliceInfoElem::Slice { start, end: None, step: 1 };
                let upper = result.try_slice(&region)?;
                let end = Some((length - 1).max(0));
                region[axis] = SliceInfoElem::Slice { start: 0, end, step: 1 };
                result = upper.try_subtract(result.try_slice(&region)?)?;
            }
            Ok(result)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;
    use num_complex::Complex;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn powers() {
        let a = DeviceArray::from_slice(&[2.0, -3.0]).unwrap();
        for n in -12..=12 {
            let powers = a.powi(n).to_vec().unwrap();
            for (x, p) in [2.0f64, -3.0].into_iter().zip(powers) {
                assert!((p / x.powi(n) - 1.0).abs() < 1e-14, "{x}^{n} = {p}");
            }
        }
        assert_eq!(a.power(2.0).to_vec().unwrap(), [4.0, 9.0]);
        let z = DeviceArray::from_slice(&[Complex::new(0.0, 1.0)]).unwrap();
        assert_eq!(z.powi(2).item().unwrap(), Complex::new(-1.0, 0.0));
    }

    #[test]
    fn closeness_as_numpy_has_it() {
        let a = DeviceArray::from_slice(&[INF, INF, f64::NAN, 1.0, 1.0, 0.0]).unwrap();
        let b = DeviceArray::from_slice(&[INF, -INF, f64::NAN, 1.00001, 1.1, INF]).unwrap();
        let close = [true, false, false, true, false, false];
        assert_eq!(a.is_close(&b).to_vec().unwrap(), close);
        assert!(!a.all_close(&b).item().unwrap());
    }

    #[test]
    fn differences() {
        let a = DeviceArray::from_vec([2, 3], vec![1, 4, 9, 2, 2, 5]).unwrap();
        assert_eq!(a.diff(1, -1).to_vec().unwrap(), [3, 5, 0, 3]);
        assert_eq!(a.diff(2, 1).to_vec().unwrap(), [2, 3]);
        assert_eq!(a.diff(3, 1).shape(), [2, 0]);
    }

    #[test]
    fn powers_whose_exponent_the_type_does_not_hold() {
        let byte = |x: u8, n: i32| DeviceArray::from_slice(&[x]).unwrap().powi(n).item().unwrap();
        assert_eq!([byte(3, 256), byte(3, 257), byte(2, -3), byte(1, -300)], [1, 3, 0, 1]);
        let signed = |x: i8, n: i32| DeviceArray::from_slice(&[x]).unwrap().powi(n).item().unwrap();
        assert_eq!([signed(-1, 300), signed(-1, -301), signed(-1, -300)], [1, -1, 1]);
        assert_eq!(
            [signed(3, 129), signed(2, -1), signed(2, i32::MIN)],
            [3i8.wrapping_pow(129), 0, 0]
        );
        let halves = DeviceArray::from_slice(&[f16::from_f64(-1.0), f16::from_f64(1.01)]).unwrap();
        let [x, y] = halves.powi(2049).to_vec().unwrap()[..] else { panic!("two elements") };
        let exact = f16::from_f64(1.01).to_f64().powi(2049);
        assert_eq!((x.to_f64(), y), (-1.0, f16::from_f64(exact)));
        let single = |n: i32| DeviceArray::from_slice(&[-1f32]).unwrap().powi(n).item().unwrap();
        assert_eq!([single(16_777_217), single(-16_777_217), single(i32::MIN)], [-1.0, -1.0, 1.0]);
    }

    #[test]
    fn sigmoid_and_its_inverse() {
        let halves = DeviceArray::from_slice(&[f16::from_f64(-12.0)]).unwrap();
        let exact = f16::from_f64(1.0 / (1.0 + 12f64.exp()));
        assert_eq!(halves.sigmoid().item().unwrap(), exact);
        let far = [Complex::new(-800.0, 1.0), Complex::new(800.0, -1.0), Complex::new(0.5, 2.0)];
        let z = DeviceArray::from_slice(&far).unwrap().sigmoid().to_vec().unwrap();
        let near = 1.0 / (1.0 + (-far[2]).exp());
        let close = |a: Complex<f64>, b: Complex<f64>| (a - b).norm() < 1e-15;
        assert!(z[0].norm() == 0.0 && close(z[1], 1.0.into()) && close(z[2], near));
        let a = DeviceArray::from_slice(&[-800.0, 0.0, 800.0]).unwrap();
        assert_eq!(a.sigmoid().to_vec().unwrap(), [0.0, 0.5, 1.0]);
        let b = DeviceArray::<f64>::linspace(-3.0, 3.0, 7);
        assert!(b.sigmoid().logit().all_close(&b).item().unwrap());
    }
}
