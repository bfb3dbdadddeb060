//! Windows: weights that fall off towards both ends, generated inside the kernels that use them.

use crate::array::{DeviceArray, checked_new, record};
use crate::backend::Device;
use crate::dtype::{DType, Floating, Scalar};
use crate::error::Result;
use crate::graph::Node;
use crate::shape::{Shape, checked_len};
use crate::table::Op;
use std::sync::Arc;

/// A binary operation with a number on the right.
#[track_caller]
fn with(op: Op, a: &Arc<Node>, b: f64) -> Result<Arc<Node>> {
    record::binary(op, a, Scalar::new(b))
}

/// The values of a function at `2i - (n - 1)` over `n - 1`, from -1 to 1; one at a single place.
#[track_caller]
fn window<T: Floating>(
    n: usize,
    values: impl Fn(&Arc<Node>) -> Result<Arc<Node>>,
) -> Result<Arc<Node>> {
    let shape = Shape::from_slice(&[n]);
    checked_len("window", &shape)?;
    let device = Device::current()?;
    if n < 2 {
        return Ok(record::full(Scalar::from_f64(T::DTYPE, 1.0), shape, device));
    }
    let place = record::cast(&record::iota(0, shape, device), DType::F64);
    let last = n as f64 - 1.0;
    let across = with(Op::Subtract, &with(Op::Multiply, &place, 2.0)?, last)?;
    Ok(record::cast(&values(&with(Op::Divide, &across, last)?)?, T::DTYPE))
}

/// A sum of cosines of multiples of `π x`.
#[track_caller]
fn cosines(x: &Arc<Node>, weights: &[f64]) -> Result<Arc<Node>> {
    let mut sum: Option<Arc<Node>> = None;
    for (k, &weight) in weights.iter().enumerate().skip(1) {
        let angle = with(Op::Multiply, x, k as f64 * std::f64::consts::PI)?;
        let term = with(Op::Multiply, &record::unary(Op::Cos, &angle), weight)?;
        sum = Some(match sum {
            None => with(Op::Add, &term, weights[0])?,
            Some(sum) => record::binary(Op::Add, &sum, &term)?,
        });
    }
    Ok(sum.unwrap_or_else(|| x.clone()))
}

impl<T: Floating> DeviceArray<T> {
    checked_new! {
        /// The Bartlett window of `n` points: a triangle from 0 at the ends to 1 in the middle.
        ///
        /// **Shape.** One axis of `n`. **Dtype.** Floating-point; computed in `f64` and rounded
        /// once. NumPy: `bartlett`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::<f64>::bartlett(5).to_vec()?, [0.0, 0.5, 1.0, 0.5, 0.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn bartlett | try_bartlett(n: usize) {
            window::<T>(n, |x| record::binary(Op::Subtract, Scalar::new(1.0), &record::unary(Op::Abs, x)))
        }

        /// The Hann window of `n` points, `0.5 + 0.5 cos(πx)` for `x` from -1 to 1.
        ///
        /// **Shape.** One axis of `n`. **Dtype.** Floating-point; computed in `f64` and rounded
        /// once. NumPy: `hanning`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let w = DeviceArray::<f64>::hanning(5).to_vec()?;
        /// assert!((w[1] - 0.5).abs() < 1e-15 && w[2] == 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn hanning | try_hanning(n: usize) {
            window::<T>(n, |x| cosines(x, &[0.5, 0.5]))
        }

        /// The Hamming window of `n` points, `0.54 + 0.46 cos(πx)` for `x` from -1 to 1.
        ///
        /// **Shape.** One axis of `n`. **Dtype.** Floating-point; computed in `f64` and rounded
        /// once. NumPy: `hamming`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let w = DeviceArray::<f64>::hamming(5).to_vec()?;
        /// assert!((w[0] - 0.08).abs() < 1e-15 && w[2] == 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn hamming | try_hamming(n: usize) {
            window::<T>(n, |x| cosines(x, &[0.54, 0.46]))
        }

        /// The Blackman window of `n` points, `0.42 + 0.5 cos(πx) + 0.08 cos(2πx)` for `x` from -1
        /// to 1.
        ///
        /// **Shape.** One axis of `n`. **Dtype.** Floating-point; computed in `f64` and rounded
        /// once. NumPy: `blackman`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let w = DeviceArray::<f64>::blackman(5).to_vec()?;
        /// assert!(w[0].abs() < 1e-15 && (w[1] - 0.34).abs() < 1e-15);
        /// # Ok::<(), Error>(())
        /// ```
        fn blackman | try_blackman(n: usize) {
            window::<T>(n, |x| cosines(x, &[0.42, 0.5, 0.08]))
        }

        /// The Kaiser window of `n` points, `I₀(β √(1 - x²)) / I₀(β)` for `x` from -1 to 1.
        ///
        /// **Shape.** One axis of `n`. **Dtype.** Floating-point; computed in `f64` and rounded
        /// once. NumPy: `kaiser`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let w = DeviceArray::<f64>::kaiser(5, 14.0).to_vec()?;
        /// assert!(w[2] == 1.0 && (w[1] - 0.164932).abs() < 1e-6);
        /// # Ok::<(), Error>(())
        /// ```
        fn kaiser | try_kaiser(n: usize, beta: f64) {
            window::<T>(n, |x| {
                let rest = record::binary(Op::Subtract, Scalar::new(1.0), &record::unary(Op::Square, x))?;
                let beta = record::full(Scalar::new(beta.abs()), Shape::new(), x.device);
                let inner = record::binary(Op::Multiply, &record::unary(Op::Sqrt, &rest), &beta)?;
                let bessel = |a: &Arc<Node>| record::unary(Op::BesselI0, a);
                record::binary(Op::Divide, &bessel(&inner), &bessel(&beta))
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_windows() {
        for n in 0..2 {
            let all = [
                DeviceArray::<f32>::bartlett(n),
                DeviceArray::hanning(n),
                DeviceArray::hamming(n),
                DeviceArray::blackman(n),
                DeviceArray::kaiser(n, 3.0),
            ];
            assert!(all.iter().all(|w| w.to_vec().unwrap() == vec![1.0f32; n]));
        }
        assert!(DeviceArray::<f64>::try_hanning(usize::MAX).unwrap_err().is_shape());
    }
}
