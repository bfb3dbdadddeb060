//! Evenly spaced values, generated inside the kernels that use them.

use super::{DeviceArray, located, or_panic, record};
use crate::backend::Device;
use crate::dtype::{DType, Floating, Real, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::ops::table::Op;
use crate::shape::{Shape, checked_len};
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
    #[track_caller]
    pub fn try_arange(start: T, stop: T, step: T) -> Result<Self> {
        located(arange(Scalar::new(start), Scalar::new(stop), Scalar::new(step)))
            .map(DeviceArray::from_node)
    }

    /// The whole numbers from zero up to but without `stop`.
    ///
    /// **Shape.** One axis. **Laziness.** Records; never uploaded.
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

fn arange(start: Scalar, stop: Scalar, step: Scalar) -> Result<Arc<Node>> {
    let dtype = start.dtype();
    let (len, delta) = if dtype.is_float() {
        let (a, b, s) = (start.to_f64(), stop.to_f64(), step.to_f64());
        let len = ((b - a) / s).ceil();
        if s == 0.0 || !len.is_finite() || len > 1e18 {
            return Err(bad_range(a, b, s));
        }
        (len.max(0.0) as usize, rounded_step(dtype, a, s))
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

impl<T: Floating> DeviceArray<T> {
    /// `n` evenly spaced values from `start` to `stop`, both included.
    ///
    /// **Shape.** One axis of `n` elements. **Dtype.** Floating-point; computed in `f64` and
    /// rounded once, the last element is exactly `stop`. **Laziness.** Records; generated inside
    /// the kernels that use it, never uploaded.
    ///
    /// # Panics
    /// Where `n` is beyond what arrays can hold, or the current device is not there.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 5);
    /// assert_eq!(a.to_vec()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn linspace(start: T, stop: T, n: usize) -> Self {
        Self::from_node(or_panic(spaced(start, stop, n, true, Curve::Linear)))
    }

    /// `n` evenly spaced values from `start` up to but without `stop`.
    ///
    /// As [`linspace`](Self::linspace) with NumPy's `endpoint=False`.
    ///
    /// # Panics
    /// As [`linspace`](Self::linspace).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::linspace_open(0.0, 1.0, 4);
    /// assert_eq!(a.to_vec()?, [0.0, 0.25, 0.5, 0.75]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn linspace_open(start: T, stop: T, n: usize) -> Self {
        Self::from_node(or_panic(spaced(start, stop, n, false, Curve::Linear)))
    }

    /// `n` values from `base^start` to `base^stop`, both included, evenly spaced on a logarithmic
    /// scale. NumPy's base is 10 by default.
    ///
    /// **Shape.** One axis of `n` elements. **Laziness.** Records; never uploaded.
    ///
    /// # Panics
    /// As [`linspace`](Self::linspace).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::logspace(0.0, 3.0, 4, 10.0);
    /// assert_eq!(a.shape(), [4]);
    /// ```
    #[track_caller]
    pub fn logspace(start: T, stop: T, n: usize, base: T) -> Self {
        Self::from_node(or_panic(spaced(start, stop, n, true, Curve::Power(base.to_f64()))))
    }

    /// `n` values from `start` to `stop`, both included and exact, each a constant multiple of
    /// the one before.
    ///
    /// **Shape.** One axis of `n` elements. **Laziness.** Records; never uploaded.
    ///
    /// # Panics
    /// Where `start` or `stop` is zero or their signs differ, and as
    /// [`linspace`](Self::linspace).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::geomspace(1.0, 1000.0, 4);
    /// assert_eq!(a.shape(), [4]);
    /// ```
    #[track_caller]
    pub fn geomspace(start: T, stop: T, n: usize) -> Self {
        Self::from_node(or_panic(geometric(start, stop, n)))
    }
}

/// What is done to evenly spaced values.
enum Curve {
    Linear,
    Power(f64),
}

fn spaced<T: Floating>(
    start: T,
    stop: T,
    n: usize,
    endpoint: bool,
    curve: Curve,
) -> Result<Arc<Node>> {
    let line = line(start.to_f64(), stop.to_f64(), n, endpoint)?;
    let values = match curve {
        Curve::Linear => line,
        Curve::Power(base) => record::binary(Op::Power, Scalar::new(base), &line)?,
    };
    Ok(record::cast(&values, T::DTYPE))
}

/// Evenly spaced values in `f64`, in the order of operations that NumPy has.
fn line(start: f64, stop: f64, n: usize, endpoint: bool) -> Result<Arc<Node>> {
    let shape = Shape::from_slice(&[n]);
    checked_len("linspace", &shape)?;
    let gaps = if endpoint { n.saturating_sub(1) } else { n };
    let position = record::iota(0, shape, Device::current()?);
    let i = record::cast(&position, DType::F64);
    let delta = stop - start;
    let step = delta / gaps as f64;
    let scaled = if gaps == 0 {
        record::binary(Op::Multiply, &i, Scalar::new(delta))?
    } else if step == 0.0 {
        let part = record::binary(Op::Divide, &i, Scalar::new(gaps as f64))?;
        record::binary(Op::Multiply, &part, Scalar::new(delta))?
    } else {
        record::binary(Op::Multiply, &i, Scalar::new(step))?
    };
    let line = record::binary(Op::Add, &scaled, Scalar::new(start))?;
    if !endpoint || n < 2 {
        return Ok(line);
    }
    let is_last = record::binary(Op::Equal, &position, Scalar::new(gaps as i64))?;
    record::select(&is_last, Scalar::new(stop), &line)
}

fn geometric<T: Floating>(start: T, stop: T, n: usize) -> Result<Arc<Node>> {
    let (a, b) = (start.to_f64(), stop.to_f64());
    if a == 0.0 || b == 0.0 || (a < 0.0) != (b < 0.0) {
        return Err(Error::shape(format!(
            "geomspace: no geometric sequence goes from {a} to {b}; both must be non-zero and of one sign"
        )));
    }
    let logs = line(a.abs().log10(), b.abs().log10(), n, true)?;
    let sizes = record::binary(Op::Power, Scalar::new(10.0f64), &logs)?;
    let signed = record::binary(Op::Multiply, &sizes, Scalar::new(a.signum()))?;
    let position = record::iota(0, signed.shape.clone(), signed.device);
    let is_first = record::binary(Op::Equal, &position, Scalar::new(0i64))?;
    let mut values = record::select(&is_first, Scalar::new(a), &signed)?;
    if n > 1 {
        let is_last = record::binary(Op::Equal, &position, Scalar::new(n as i64 - 1))?;
        values = record::select(&is_last, Scalar::new(b), &values)?;
    }
    Ok(record::cast(&values, T::DTYPE))
}

impl Scalar {
    /// A real number as `f64`.
    pub(crate) fn to_f64(self) -> f64 {
        match self.dtype() {
            DType::F64 => self.get::<f64>().unwrap_or_default(),
            DType::F32 => f64::from(self.get::<f32>().unwrap_or_default()),
            DType::F16 => self.get::<half::f16>().unwrap_or_default().to_f64(),
            DType::BF16 => self.get::<half::bf16>().unwrap_or_default().to_f64(),
            _ => self.to_i128() as f64,
        }
    }

    /// An integer as `i128`.
    pub(crate) fn to_i128(self) -> i128 {
        let mut bytes = [0u8; 16];
        bytes[..self.bytes().len()].copy_from_slice(self.bytes());
        let unused = 128 - 8 * self.dtype().size() as u32;
        let raised = i128::from_le_bytes(bytes) << unused;
        match self.dtype().is_signed_integer() {
            true => raised >> unused,
            false => (raised as u128 >> unused) as i128,
        }
    }

    /// A real number in another type.
    fn converted(self, dtype: DType) -> Scalar {
        if self.dtype() == dtype { self } else { Scalar::from_f64(dtype, self.to_f64()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-13 * b.abs())
    }

    #[test]
    fn arange_has_numpys_length_and_values() {
        let a = DeviceArray::<f64>::arange(0.0, 1.0, 0.3).to_vec().unwrap();
        assert_eq!(a, [0.0, 0.3, 0.6, 3.0 * 0.3]);
        assert_eq!(DeviceArray::<u8>::arange(250, 255, 2).to_vec().unwrap(), [250, 252, 254]);
        assert_eq!(DeviceArray::<i8>::arange(100, -100, -50).to_vec().unwrap(), [100, 50, 0, -50]);
        assert_eq!(DeviceArray::<i64>::arange(3, 3, 1).shape(), [0]);
        assert_eq!(DeviceArray::<u32>::arange(5, 3, 1).shape(), [0]);
        assert_eq!(DeviceArray::<i64>::arange(i64::MIN, i64::MAX, i64::MAX).len(), 3);
        let h = DeviceArray::<f16>::arange(f16::ZERO, f16::from_f32(4096.0), f16::from_f32(4.0));
        assert_eq!(h.to_vec().unwrap()[1023], f16::from_f32(4092.0));
    }

    #[test]
    fn ranges_that_are_refused() {
        assert!(DeviceArray::<i32>::try_arange(0, 1, 0).unwrap_err().is_shape());
        assert!(DeviceArray::<f64>::try_arange(0.0, f64::INFINITY, 1.0).unwrap_err().is_shape());
        assert!(DeviceArray::<f64>::try_arange(0.0, f64::NAN, 1.0).unwrap_err().is_shape());
    }

    #[test]
    fn linspace_ends_exactly() {
        let a = DeviceArray::<f64>::linspace(0.25, 10.0, 1001).to_vec().unwrap();
        assert_eq!((a[0], a[1000]), (0.25, 10.0));
        assert_eq!(a[7], 7.0 * ((10.0 - 0.25) / 1000.0) + 0.25);
        assert_eq!(DeviceArray::<f32>::linspace(2.0, 3.0, 1).to_vec().unwrap(), [2.0]);
        assert_eq!(DeviceArray::<f64>::linspace(2.0, 3.0, 0).len(), 0);
        assert_eq!(DeviceArray::<f64>::linspace(5.0, 5.0, 3).to_vec().unwrap(), [5.0; 3]);
    }

    #[test]
    fn logarithmic_scales() {
        let a = DeviceArray::<f64>::logspace(0.0, 3.0, 4, 2.0).to_vec().unwrap();
        assert!(close(&a, &[1.0, 2.0, 4.0, 8.0]), "{a:?}");
        let a = DeviceArray::<f64>::geomspace(-3.0, -3000.0, 4).to_vec().unwrap();
        assert!(close(&a, &[-3.0, -30.0, -300.0, -3000.0]), "{a:?}");
        assert_eq!((a[0], a[3]), (-3.0, -3000.0));
        assert_eq!(DeviceArray::<f64>::geomspace(2.0, 8.0, 1).to_vec().unwrap(), [2.0]);
    }

    #[test]
    #[should_panic(expected = "geomspace: no geometric sequence goes from -1 to 2")]
    fn geomspace_refuses_two_signs() {
        let _ = DeviceArray::<f64>::geomspace(-1.0, 2.0, 3);
    }
}
