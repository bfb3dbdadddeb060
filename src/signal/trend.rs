//! Trends taken away, and the analytic signal.

use super::axes::{fourier, from_last, to_last, with_elements};
use crate::DeviceArray;
use crate::array::{checked_fns, record, upload_to};
use crate::dtype::{DType, Inexact};
use crate::error::{Error, Result};
use crate::fft::{Sample, Spectrum, Which, as_sample};
use crate::graph::Node;
use crate::shape::{Shape, axis_index};
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// What [`detrend`] takes away from a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Trend {
    /// The straight line that fits best.
    #[default]
    Linear,
    /// The mean.
    Constant,
    /// Nothing.
    None,
}

/// The mean along the last axis, which stays with length 1.
#[track_caller]
fn mean(a: &Arc<Node>) -> Result<Arc<Node>> {
    let last = a.shape.len() - 1;
    let sum = record::reduce(Reduction::Sum, a, 1 << last);
    let mut shape = a.shape.clone();
    shape[last] = 1;
    let sum = record::reshape(&sum, shape);
    record::binary(Op::Divide, &sum, record::number(&sum, a.shape[last] as f64))
}

/// Takes a trend away along the last axis, which has elements; the array is of `f32`, `f64` or
/// complex numbers.
#[track_caller]
pub(super) fn without(a: &Arc<Node>, trend: Trend) -> Result<Arc<Node>> {
    let n = a.shape[a.shape.len() - 1];
    if trend == Trend::None {
        return Ok(a.clone());
    }
    let centred = record::binary(Op::Subtract, a, &mean(a)?)?;
    if trend == Trend::Constant || n < 2 {
        return Ok(centred);
    }
    // Places from -1 to 1, whose squares add up to n (n + 1) / 3 (n - 1).
    let places = record::cast(&record::iota(0, Shape::from_slice(&[n]), a.device), DType::F64);
    let (half, n) = (0.5 * (n as f64 - 1.0), n as f64);
    let places = record::binary(Op::Subtract, &places, record::number(&places, half))?;
    let places = record::binary(Op::Divide, &places, record::number(&places, half))?;
    let places = record::cast(&places, a.dtype);
    let moment = mean(&record::binary(Op::Multiply, &centred, &places)?)?;
    let slope = 3.0 * (n - 1.0) / (n + 1.0);
    let slope = record::binary(Op::Multiply, &moment, record::number(&moment, slope))?;
    record::binary(Op::Subtract, &centred, &record::binary(Op::Multiply, &slope, &places)?)
}

checked_fns! {
    /// The array without its mean, or without the straight line that fits best, along an axis.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; halves computed in `f32`. SciPy:
    /// `signal.detrend`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Trend, detrend};
    /// let x = DeviceArray::from_slice(&[1.0f64, 3.0, 5.0, 7.0])?;
    /// assert!(detrend(&x, Trend::Linear, -1).abs().max(..).item()? < 1e-14);
    /// assert_eq!(detrend(&x, Trend::Constant, -1).to_vec()?, [-3.0, -1.0, 1.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn detrend | try_detrend<T: Inexact>(
        a: &DeviceArray<T>,
        trend: Trend,
        axis: isize,
    ) -> DeviceArray<T> {
        let axis = axis_index("detrend", axis, a.ndim())?;
        if a.is_empty() {
            return Ok(a.clone());
        }
        let wide = match T::DTYPE {
            DType::F16 | DType::BF16 => DType::F32,
            dtype => dtype,
        };
        let lines = record::cast(to_last(a, axis)?.node(), wide);
        let left = record::cast(&without(&lines, trend)?, T::DTYPE);
        from_last(&DeviceArray::from_node(left), axis)
    }

    /// The analytic signal along an axis, by transforms: the array plus `i` times its Hilbert
    /// transform. Its magnitude is the envelope, its angle the phase.
    ///
    /// **Shape.** The array's. **Dtype.** Complex, of the array's precision; of a complex array, which
    /// SciPy refuses, it is an error. SciPy: `signal.hilbert`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::hilbert;
    /// let t = DeviceArray::<f64>::arange_to(64.0) * (std::f64::consts::TAU / 16.0);
    /// let envelope = hilbert(&(3.0 * t.cos()), -1).abs();
    /// assert!((envelope - 3.0).abs().max(..).item()? < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn hilbert | try_hilbert<T: Sample>(x: &DeviceArray<T>, axis: isize) -> DeviceArray<Spectrum<T>> {
        if T::DTYPE.is_complex() {
            return Err(Error::shape("hilbert: the array is complex, and the analytic signal is that \
                of a real one"));
        }
        let axis = with_elements("hilbert", x, axis)?;
        let spectrum = fourier("hilbert", &as_sample::<T>(x.node()), axis, None, Which::Forward)?;
        let half = one_sided(&spectrum, axis, 1.0)?;
        fourier("hilbert", &half, axis, None, Which::Inverse).map(DeviceArray::from_node)
    }

    /// The analytic signal of images, along their last two axes, by transforms: what has a negative
    /// frequency along one of both, or Nyquist's, is taken away, what has positive ones along both is
    /// four times as much.
    ///
    /// **Shape.** The array's, which has two axes or more. **Dtype.** Complex, of the array's
    /// precision; of a complex array it is an error. SciPy: `signal.hilbert2`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::hilbert2;
    /// let t = DeviceArray::<f64>::arange_to(16.0) * (std::f64::consts::TAU / 8.0);
    /// let waves = t.cos().reshape([16, 1]) * t.cos();
    /// let envelope = hilbert2(&waves).abs();
    /// assert!((envelope - 1.0).abs().max(..).item()? < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn hilbert2 | try_hilbert2<T: Sample>(x: &DeviceArray<T>) -> DeviceArray<Spectrum<T>> {
        if T::DTYPE.is_complex() || x.ndim() < 2 {
            return Err(Error::shape(format!(
                "hilbert2: an array of {} of shape {:?}: it must be real and have two axes",
                T::DTYPE, x.shape()
            )));
        }
        let mut a = as_sample::<T>(x.node());
        for axis in [-2, -1] {
            let axis = with_elements("hilbert2", x, axis)?;
            let spectrum = fourier("hilbert2", &a, axis, None, Which::Forward)?;
            a = fourier("hilbert2", &one_sided(&spectrum, axis, 0.0)?, axis, None, Which::Inverse)?;
        }
        Ok(DeviceArray::from_node(a))
    }
}

/// A spectrum with twice its positive frequencies and nothing of its negative ones along an axis;
/// Nyquist's, which is both, is multiplied by a number.
fn one_sided(spectrum: &Arc<Node>, axis: usize, nyquist: f64) -> Result<Arc<Node>> {
    let n = spectrum.shape[axis];
    let weight = |k: usize| match k {
        0 => 1.0,
        k if 2 * k == n => nyquist,
        k if 2 * k < n => 2.0,
        _ => 0.0,
    };
    let mut shape = Shape::from_elem(1, spectrum.shape.len());
    shape[axis] = n;
    let weights: Vec<f64> = (0..n).map(weight).collect();
    let weights = upload_to(spectrum.device, &weights, shape)?;
    let weights = record::cast(weights.node(), spectrum.dtype);
    record::binary(Op::Multiply, spectrum, &weights)
}
