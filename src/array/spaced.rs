//! A number of values between two ends, generated inside the kernels that use them.

use super::{DeviceArray, record};
use crate::backend::Device;
use crate::dtype::{Complex, DType, Floating, Inexact, Scalar, bf16, f16};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::{Shape, checked_len};
use crate::table::Op;
use std::sync::Arc;

impl<T: Inexact> DeviceArray<T> {
    super::checked_new! {
        /// `n` evenly spaced values from `start` to `stop`, both included.
        ///
        /// **Shape.** One axis of `n` elements. **Dtype.** Floating-point or complex; computed in
        /// `f64` and rounded once, the last element is exactly `stop`. NumPy: `linspace`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 5);
        /// assert_eq!(a.to_vec()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn linspace | try_linspace(start: T, stop: T, n: usize) {
            linear(start, stop, n, true)
        }

        /// `n` evenly spaced values from `start` up to but without `stop`.
        ///
        /// As [`linspace`](Self::linspace) with NumPy's `endpoint=False`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::linspace_open(0.0, 1.0, 4);
        /// assert_eq!(a.to_vec()?, [0.0, 0.25, 0.5, 0.75]);
        /// # Ok::<(), Error>(())
        /// ```
        fn linspace_open | try_linspace_open(start: T, stop: T, n: usize) {
            linear(start, stop, n, false)
        }
    }
}

impl<T: Floating> DeviceArray<T> {
    super::checked_new! {

        /// `n` values from `base^start` to `base^stop`, both included, evenly spaced on a
        /// logarithmic scale. NumPy's base is 10 by default.
        ///
        /// **Shape.** One axis of `n` elements.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::logspace(0.0, 3.0, 4, 10.0);
        /// let exact = DeviceArray::from_slice(&[1.0, 10.0, 100.0, 1000.0])?;
        /// assert!(a.all_close(&exact).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn logspace | try_logspace(start: T, stop: T, n: usize, base: T) {
            powers(start, stop, n, true, base)
        }

        /// `n` values from `base^start` up to but without `base^stop`, evenly spaced on a
        /// logarithmic scale.
        ///
        /// As [`logspace`](Self::logspace) with NumPy's `endpoint=False`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::logspace_open(0.0, 4.0, 4, 2.0);
        /// assert_eq!(a.rint().to_vec()?, [1.0, 2.0, 4.0, 8.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn logspace_open | try_logspace_open(start: T, stop: T, n: usize, base: T) {
            powers(start, stop, n, false, base)
        }

        /// `n` values from `start` to `stop`, both included and exact, each a constant multiple of
        /// the one before. Neither end may be zero, and both must have one sign.
        ///
        /// **Shape.** One axis of `n` elements. NumPy: `geomspace`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::geomspace(1.0, 8.0, 4);
        /// let exact = DeviceArray::from_slice(&[1.0, 2.0, 4.0, 8.0])?;
        /// assert!(a.all_close(&exact).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn geomspace | try_geomspace(start: T, stop: T, n: usize) {
            geometric(start, stop, n, true)
        }

        /// `n` values from `start` up to but without `stop`, each a constant multiple of the one
        /// before. Neither end may be zero, and both must have one sign.
        ///
        /// As [`geomspace`](Self::geomspace) with NumPy's `endpoint=False`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::geomspace_open(1.0, 16.0, 4);
        /// assert_eq!(a.rint().to_vec()?, [1.0, 2.0, 4.0, 8.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn geomspace_open | try_geomspace_open(start: T, stop: T, n: usize) {
            geometric(start, stop, n, false)
        }
    }
}

/// The real and the imaginary part.
fn parts<T: Inexact>(value: T) -> [f64; 2] {
    let scalar = Scalar::new(value);
    let wide = |z: Complex<f32>| Complex::new(z.re.into(), z.im.into());
    let complex = || scalar.get::<Complex<f64>>().or_else(|| scalar.get().map(wide));
    let real = scalar.get::<f64>().or_else(|| scalar.get::<f32>().map(f64::from));
    let half = || scalar.get().map(f16::to_f64).or_else(|| scalar.get().map(bf16::to_f64));
    match real.or_else(half) {
        Some(real) => [real, 0.0],
        None => complex().map_or([0.0; 2], |z| [z.re, z.im]),
    }
}

#[track_caller]
fn linear<T: Inexact>(start: T, stop: T, n: usize, endpoint: bool) -> Result<Arc<Node>> {
    let (start, stop) = (parts(start), parts(stop));
    let mut values = line(start[0], stop[0], n, endpoint)?;
    if T::DTYPE.is_complex() {
        values = record::binary(Op::ToComplex, &values, &line(start[1], stop[1], n, endpoint)?)?;
    }
    Ok(record::cast(&values, T::DTYPE))
}

#[track_caller]
fn powers<T: Floating>(start: T, stop: T, n: usize, endpoint: bool, base: T) -> Result<Arc<Node>> {
    let line = line(start.to_f64(), stop.to_f64(), n, endpoint)?;
    let values = record::binary(Op::Power, Scalar::new(base.to_f64()), &line)?;
    Ok(record::cast(&values, T::DTYPE))
}

/// Evenly spaced values in `f64`, in the order of operations that NumPy has.
#[track_caller]
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

#[track_caller]
fn geometric<T: Floating>(start: T, stop: T, n: usize, endpoint: bool) -> Result<Arc<Node>> {
    let (a, b) = (start.to_f64(), stop.to_f64());
    if a == 0.0 || b == 0.0 || (a < 0.0) != (b < 0.0) {
        return Err(Error::shape(format!(
            "geomspace: no geometric sequence goes from {a} to {b}; both must be non-zero and of one sign"
        )));
    }
    let logs = line(a.abs().log10(), b.abs().log10(), n, endpoint)?;
    let sizes = record::binary(Op::Power, Scalar::new(10.0f64), &logs)?;
    let signed = record::binary(Op::Multiply, &sizes, Scalar::new(a.signum()))?;
    let position = record::iota(0, signed.shape.clone(), signed.device);
    let is_first = record::binary(Op::Equal, &position, Scalar::new(0i64))?;
    let mut values = record::select(&is_first, Scalar::new(a), &signed)?;
    if endpoint && n > 1 {
        let is_last = record::binary(Op::Equal, &position, Scalar::new(n as i64 - 1))?;
        values = record::select(&is_last, Scalar::new(b), &values)?;
    }
    Ok(record::cast(&values, T::DTYPE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-13 * b.abs())
    }

    #[test]
    fn linspace_ends_exactly() {
        let a = DeviceArray::<f64>::linspace(0.25, 10.0, 1001).to_vec().unwrap();
        assert_eq!((a[0], a[1000]), (0.25, 10.0));
        let wanted: f64 = 7.0 * ((10.0 - 0.25) / 1000.0) + 0.25;
        // A GPU contracts the product and the sum into one rounding.
        let contracts = Device::current().unwrap().is_cuda();
        assert!(a[7] == wanted || contracts && (a[7] - wanted).abs() <= wanted.next_up() - wanted);
        assert_eq!(DeviceArray::<f32>::linspace(2.0, 3.0, 1).to_vec().unwrap(), [2.0]);
        assert_eq!(DeviceArray::<f64>::linspace(2.0, 3.0, 0).len(), 0);
        assert_eq!(DeviceArray::<f64>::linspace(5.0, 5.0, 3).to_vec().unwrap(), [5.0; 3]);
    }

    #[test]
    fn complex_lines() {
        let ends = (Complex::new(1.0, -2.0), Complex::new(3.0, 2.0));
        let a = DeviceArray::linspace(ends.0, ends.1, 5).to_vec().unwrap();
        assert_eq!(a, [-2.0, -1.0, 0.0, 1.0, 2.0].map(|y| Complex::new(2.0 + y / 2.0, y)));
        let b = DeviceArray::<Complex<f32>>::linspace_open(Complex::ZERO, Complex::I, 2);
        assert_eq!(b.to_vec().unwrap(), [Complex::ZERO, Complex::new(0.0, 0.5)]);
        let flat = DeviceArray::linspace(ends.0, Complex::new(3.0, -2.0), 3).to_vec().unwrap();
        assert_eq!(flat, [1.0, 2.0, 3.0].map(|x| Complex::new(x, -2.0)));
        assert_eq!(
            DeviceArray::<f16>::linspace(f16::ZERO, f16::ONE, 3).to_vec().unwrap()[1].to_f64(),
            0.5
        );
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

    #[test]
    fn ends_that_do_not_fit_are_errors() {
        for (start, stop) in [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0)] {
            assert!(DeviceArray::<f64>::try_geomspace(start, stop, 3).unwrap_err().is_shape());
        }
        let error = DeviceArray::<f32>::try_linspace(0.0, 1.0, usize::MAX).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("src/array/spaced.rs"), "{error}");
        assert!(DeviceArray::<f32>::try_eye(usize::MAX).unwrap_err().is_shape());
    }
}
