//! Ranges with a step, generated inside the kernels that use them.

use super::{DeviceArray, located, or_panic, record};
use crate::backend::Device;
use crate::dtype::{DType, Real, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::{Shape, checked_len};
use crate::table::Op;
use std::sync::Arc;

impl<T: Real> DeviceArray<T> {
    /// The values from `start` in steps of `step`, up to but without `stop`.
    ///
    /// **Shape.** One axis of `ceil((stop - start) / step)` elements, none where that is negative.
    /// **Dtype.** Any real number. As in NumPy, the values are `start + i·((start + step) -
    /// start)`; with floating-point steps, rounding may add an element at the end, and
    /// [`linspace`](Self::linspace) is the better choice. **Laziness.** Records; never uploaded.
    ///
    /// # Panics
    /// Where the step is zero or an argument is not finite; [`try_arange`](Self::try_arange)
    /// returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::arange(10, 0, -3);
    /// assert_eq!(a.to_vec()?, [10, 7, 4, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn arange(start: T, stop: T, step: T) -> Self {
        or_panic(Self::try_arange(start, stop, step))
    }

    /// [`arange`](Self::arange) for arguments that come from data.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the step is zero, an argument is not finite, or there would be
    /// too many elements.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(DeviceArray::try_arange(0, 4, 0).is_err_and(|e| e.is_shape()));
    /// ```
    #[track_caller]
    pub fn try_arange(start: T, stop: T, step: T) -> Result<Self> {
        located(arange(Scalar::new(start), Scalar::new(stop), Scalar::new(step)))
            .map(DeviceArray::from_node)
    }

    /// The whole numbers from zero up to but without `stop`.
    ///
    /// **Shape.** One axis. **Laziness.** Records; never uploaded. NumPy: `arange(stop)`.
    ///
    /// # Panics
    /// Where `stop` is not finite.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::arange_to(4.0f64);
    /// assert_eq!(a.to_vec()?, [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "arange")]
    #[track_caller]
    pub fn arange_to(stop: T) -> Self {
        Self::arange(T::ZERO, stop, T::ONE)
    }
}

#[track_caller]
fn arange(start: Scalar, stop: Scalar, step: Scalar) -> Result<Arc<Node>> {
    let dtype = start.dtype();
    let (len, delta) = if dtype.is_float() {
        let (a, b, s) = (start.to_f64(), stop.to_f64(), step.to_f64());
        let quotient = (b - a) / s;
        let len = quotient.ceil();
        if s == 0.0 || !len.is_finite() || len > 1e18 {
            return Err(bad_range(a, b, s));
        }
        // A step beyond all bounds makes the quotient zero, and the first value is within them.
        let one = quotient == 0.0 && a != b && quotient.is_sign_positive();
        match if one { 1 } else { len.max(0.0) as usize } {
            len @ 0..=1 => (len, Scalar::from_f64(dtype, 1.0)),
            len => (len, rounded_step(dtype, a, s)),
        }
    } else {
        let (a, b, s) = (start.to_i128(), stop.to_i128(), step.to_i128());
        if s == 0 {
            return Err(bad_range(a, b, s));
        }
        let len = (b - a + s - s.signum()) / s;
        (usize::try_from(len.max(0)).map_err(|_| bad_range(a, b, s))?, step)
    };
    let shape = Shape::from_slice(&[len]);
    checked_len("arange", &shape)?;
    let compute = dtype.compute();
    let i = record::cast(&record::iota(0, shape, Device::current()?), compute);
    let scaled = match delta == Scalar::from_f64(dtype, 1.0) {
        true => i,
        false => record::binary(Op::Multiply, &i, delta.converted(compute))?,
    };
    let moved = match start == Scalar::from_f64(dtype, 0.0) {
        true => scaled,
        false => record::binary(Op::Add, start.converted(compute), &scaled)?,
    };
    Ok(record::cast(&moved, dtype))
}

/// NumPy's step between floating-point values: the second value minus the first, as rounded.
fn rounded_step(dtype: DType, start: f64, step: f64) -> Scalar {
    let second = Scalar::from_f64(dtype, start + step).to_f64();
    match dtype {
        DType::F64 => Scalar::new(second - start),
        _ => Scalar::new((second - start) as f32),
    }
}

fn bad_range<N: std::fmt::Display>(start: N, stop: N, step: N) -> Error {
    Error::shape(format!("arange: no range goes from {start} to {stop} in steps of {step}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn arange_has_numpys_length_and_values() {
        let a = DeviceArray::<f64>::arange(0.0, 1.0, 0.3).to_vec().unwrap();
        assert_eq!(a, [0.0, 0.3, 0.6, 3.0 * 0.3]);
        assert_eq!(DeviceArray::<u8>::arange(250, 255, 2).to_vec().unwrap(), [250, 252, 254]);
        assert_eq!(DeviceArray::<i8>::arange(100, -100, -50).to_vec().unwrap(), [100, 50, 0, -50]);
        assert_eq!(DeviceArray::<i64>::arange(3, 3, 1).shape(), [0]);
        assert_eq!(DeviceArray::<u32>::arange(5, 3, 1).shape(), [0]);
        assert_eq!(DeviceArray::<i64>::arange(i64::MIN, i64::MAX, i64::MAX).len(), 3);
        let inf = f64::INFINITY;
        assert_eq!(DeviceArray::<f64>::arange(0.5, 1.0, inf).to_vec().unwrap(), [0.5]);
        assert_eq!(DeviceArray::<f64>::arange(1.0, 0.0, -inf).to_vec().unwrap(), [1.0]);
        assert_eq!(DeviceArray::<f64>::arange(0.0, 1.0, -inf).shape(), [0]);
        assert_eq!(DeviceArray::<f64>::arange(1.0, 1.0, inf).shape(), [0]);
        let h = DeviceArray::<f16>::arange(f16::ZERO, f16::from_f32(4096.0), f16::from_f32(4.0));
        assert_eq!(h.to_vec().unwrap()[1023], f16::from_f32(4092.0));
    }

    #[test]
    fn ranges_that_are_refused() {
        assert!(DeviceArray::<i32>::try_arange(0, 1, 0).unwrap_err().is_shape());
        assert!(DeviceArray::<f64>::try_arange(0.0, f64::INFINITY, 1.0).unwrap_err().is_shape());
        assert!(DeviceArray::<f64>::try_arange(0.0, f64::NAN, 1.0).unwrap_err().is_shape());
    }
}
