//! Other sampling rates: through Fourier transforms, and through filters without feedback.

use super::axes::{fourier, from_last, narrowed, part, steps, to_last, widened, with_elements};
use super::design::{Band, cheby1, firwin};
use super::filter::try_sosfilt;
use super::spectral::padded;
use super::window::Window;
use super::zero_phase::{Extension, try_sosfiltfilt};
use crate::DeviceArray;
use crate::array::{checked_fns, record, upload_to};
use crate::dtype::{Inexact, Scalar};
use crate::error::{Error, Result};
use crate::fft::{Sample, Which, as_sample};
use crate::graph::Node;
use crate::guvectorize;
use crate::ops::join::concat;
use crate::shape::{Shape, axis_index};
use crate::table::Op;
use std::ops::Range;
use std::sync::Arc;

/// A range of the positions of an axis.
#[track_caller]
fn range(a: &Arc<Node>, axis: usize, of: Range<usize>) -> Arc<Node> {
    steps(a, axis, of.start, of.len(), 1)
}

/// Zeros beside an array, so many along an axis.
#[track_caller]
fn zeros(a: &Arc<Node>, axis: usize, len: usize) -> Arc<Node> {
    let mut shape = a.shape.clone();
    shape[axis] = len;
    record::full(Scalar::from_f64(a.dtype, 0.0), shape, a.device)
}

#[track_caller]
fn scaled(a: &Arc<Node>, by: f64) -> Result<Arc<Node>> {
    match by {
        1.0 => Ok(a.clone()),
        by => record::binary(Op::Multiply, a, record::number(a, by)),
    }
}

#[track_caller]
fn joined(parts: &[Arc<Node>], axis: usize) -> Result<Arc<Node>> {
    concat("resample", parts, axis as isize)
}

/// A real signal of `n` samples as one of `num`, by half of its spectrum.
#[track_caller]
fn real(a: &Arc<Node>, axis: usize, n: usize, num: usize) -> Result<Arc<Node>> {
    let spectrum = fourier("resample", a, axis, None, Which::RealForward)?;
    let common = n.min(num);
    let kept = range(&spectrum, axis, 0..common / 2 + 1);
    // The one frequency that is its own negative in one of the two spectra, and a pair in the other.
    let kept = match common % 2 == 0 && n != num {
        true => {
            let unpaired = range(&kept, axis, common / 2..common / 2 + 1);
            let unpaired = scaled(&unpaired, if num < n { 2.0 } else { 0.5 })?;
            joined(&[range(&kept, axis, 0..common / 2), unpaired], axis)?
        }
        false => kept,
    };
    let kept = scaled(&kept, num as f64 / n as f64)?;
    fourier("resample", &kept, axis, Some(num), Which::RealInverse)
}

/// A complex signal of `n` samples as one of `num`.
#[track_caller]
fn complex(a: &Arc<Node>, axis: usize, n: usize, num: usize) -> Result<Arc<Node>> {
    let spectrum = fourier("resample", a, axis, None, Which::Forward)?;
    let common = n.min(num);
    // Frequencies up to the middle, then the negative ones; the middle of an even number stands with
    // both signs where there is room for both, by halves.
    let (positive, negative) = (common / 2 + common % 2, common / 2);
    let low = range(&spectrum, axis, 0..positive);
    let high = range(&spectrum, axis, n - negative..n);
    let parts = match (common % 2 == 0, num.cmp(&n)) {
        (true, std::cmp::Ordering::Less) => {
            let both = [common / 2, n - common / 2].map(|k| range(&spectrum, axis, k..k + 1));
            let middle = record::binary(Op::Add, &both[0], &both[1])?;
            vec![low, middle, range(&high, axis, 1..negative)]
        }
        (true, std::cmp::Ordering::Greater) => {
            let middle = scaled(&range(&spectrum, axis, common / 2..common / 2 + 1), 0.5)?;
            let between = zeros(&middle, axis, num - common - 1);
            vec![low, middle.clone(), between, middle, range(&high, axis, 1..negative)]
        }
        _ => vec![low, zeros(&spectrum, axis, num - common), high],
    };
    let moved = scaled(&joined(&parts, axis)?, num as f64 / n as f64)?;
    fourier("resample", &moved, axis, None, Which::Inverse)
}

checked_fns! {
    /// The array with `num` samples along an axis, through Fourier transforms: the samples of the one
    /// periodic signal without frequencies above Nyquist's that goes through the given ones.
    ///
    /// **Shape.** The array's, with `num` in the place of the axis. **Dtype.** The array's; halves
    /// computed in `f32`. SciPy: `signal.resample`, whose axis is 0 by default.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::resample;
    /// let step = |n: usize| 3.0 * std::f64::consts::TAU / n as f64;
    /// let wave = |n: usize| (DeviceArray::<f64>::arange_to(n as f64) * step(n)).cos();
    /// assert!((resample(&wave(20), 35, -1) - wave(35)).abs().max(..).item()? < 1e-10);
    /// # Ok::<(), Error>(())
    /// ```
    fn resample | try_resample<T: Sample>(
        x: &DeviceArray<T>,
        num: usize,
        axis: isize,
    ) -> DeviceArray<T> {
        let axis = with_elements("resample", x, axis)?;
        if num == 0 {
            return Err(Error::shape("resample: 0 samples were asked for"));
        }
        let (a, n) = (as_sample::<T>(x.node()), x.shape()[axis]);
        let made = match T::DTYPE.is_complex() {
            true => complex(&a, axis, n, num)?,
            false => real(&a, axis, n, num)?,
        };
        Ok(DeviceArray::from_node(record::cast(&made, T::DTYPE)))
    }
}

/// Zeros put in between, a filter, and samples left out: `up - 1` zeros behind each sample, then the
/// convolution with `h`, of which every `down`-th sample is given, `len` of them from the position
/// `first` of the full convolution on.
///
/// An output meets the samples by every `up`-th tap alone, the taps of its *phase*.
fn upfirdn_range(
    h: &[f64],
    x: &DeviceArray<f64>,
    (up, down): (usize, usize),
    first: usize,
    len: usize,
) -> Result<DeviceArray<f64>> {
    let (last, device) = (x.ndim() - 1, x.device());
    let taps = h.len().div_ceil(up);
    // The taps of each phase, backwards, so that both they and the samples are read forwards.
    let by_phase: Vec<f64> = (0..up * taps)
        .map(|k| h.get(k / taps + (taps - 1 - k % taps) * up).copied().unwrap_or(0.0))
        .collect();
    let by_phase = upload_to(device, &by_phase, Shape::from_slice(&[up * taps]))?;
    // Zeros around the samples, for the first and the last output.
    let before = (taps - 1).saturating_sub(first / up);
    let end = (first + len.saturating_sub(1) * down) / up + 1;
    let around = padded(x.node(), before, end.saturating_sub(x.shape()[last]));
    let around = DeviceArray::<f64>::from_node(around).try_insert_axis(-2)?;
    let rates = [up, down, first, before, taps, len].map(|n| n as i64);
    let rates = upload_to(device, &rates, Shape::from_slice(&[rates.len()]))?;
    let blocks = len.div_ceil(OUTPUTS);
    let begin = record::iota(0, Shape::from_slice(&[blocks]), device);
    let begin = DeviceArray::<i64>::from_node(begin).try_multiply(OUTPUTS as i64)?;
    let room = super::axes::zeros(&[OUTPUTS], device);
    let y = outputs::try_call(&around, &by_phase, &rates, &begin, &room)?;
    let y = y.try_reshape([&x.shape()[..last], &[blocks * OUTPUTS]].concat())?;
    Ok(part(&y, last, 0, len, 1))
}

/// The outputs of a line that one call computes.
const OUTPUTS: usize = 1024;

/// The outputs from number `begin` on, as many as there is `room` for: each the sum of the products of
/// its phase's taps with samples. `rates` are `up`, `down`, the position of the first output, the zeros
/// before the samples, the taps of a phase and the number of outputs.
#[guvectorize("(n),(h),(6),(),(b)->(b)")]
pub(super) fn outputs(
    x: &[f64],
    h: &[f64],
    rates: &[i64],
    begin: i64,
    room: &[f64],
    y: &mut [f64],
) {
    let (up, taps) = (rates[0], rates[4] as usize);
    for i in 0..room.len() {
        let number = begin + i as i64;
        let place = rates[2] + number * rates[1];
        let row = (place % up) as usize * taps;
        // The oldest sample that the output meets.
        let from = place / up + rates[3] + 1 - taps as i64;
        // Four sums: one would wait for each addition.
        let (mut s0, mut s1, mut s2, mut s3) = (0.0, 0.0, 0.0, 0.0);
        if number < rates[5] {
            let from = from as usize;
            let mut k = 0;
            while k + 3 < taps {
                s0 += h[row + k] * x[from + k];
                s1 += h[row + k + 1] * x[from + k + 1];
                s2 += h[row + k + 2] * x[from + k + 2];
                s3 += h[row + k + 3] * x[from + k + 3];
                k += 4;
            }
            while k < taps {
                s0 += h[row + k] * x[from + k];
                k += 1;
            }
        }
        y[i] = (s0 + s1) + (s2 + s3);
    }
}

checked_fns! {
    /// The array at `up / down` times its rate along an axis: `up - 1` zeros are put behind each
    /// sample, a filter without feedback and without delay smooths them, and every `down`-th sample is
    /// given. The filter is [`firwin`]'s of `20 max(up, down) + 1` coefficients with a window; beyond
    /// the ends the signal is 0.
    ///
    /// **Shape.** The array's, with `n` along the axis becoming `n up / down`, rounded up. **Dtype.**
    /// The array's; computed in `f64` and rounded once. SciPy: `signal.resample_poly`, whose window is
    /// [`Window::Kaiser`] with 5 and whose axis is 0 by default.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Window, resample_poly};
    /// let x = (DeviceArray::<f64>::arange_to(100.0) * 0.1).sin();
    /// let y = resample_poly(&x, 3, 2, -1, Window::Kaiser(5.0));
    /// assert_eq!(y.shape(), [150]);
    /// assert!((y.get(75)? - 5f64.sin()).abs() < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    fn resample_poly | try_resample_poly<T: Inexact>(
        x: &DeviceArray<T>,
        up: usize,
        down: usize,
        axis: isize,
        window: Window,
    ) -> DeviceArray<T> {
        let name = "resample_poly";
        check_rates(name, up, down)?;
        let common = gcd(up, down);
        let (up, down) = (up / common, down / common);
        if up == 1 && down == 1 {
            axis_index(name, axis, x.ndim())?;
            return Ok(x.clone());
        }
        let most = up.max(down);
        let h = firwin(20 * most + 1, Band::Low(1.0 / most as f64), window)?;
        polyphase(name, x, (up, down), axis, h)
    }

    /// [`resample_poly`] with a filter of one's own, of an odd number of coefficients at `up` times
    /// the rate, which are multiplied by `up`.
    ///
    /// **Shape, dtype.** As [`resample_poly`]. SciPy: `signal.resample_poly(…, window=h)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::resample_poly_with;
    /// let x = DeviceArray::from_slice(&[2.0, 4.0, 8.0])?;
    /// // Straight lines between the samples.
    /// let y = resample_poly_with(&x, 2, 1, -1, &[0.25, 0.5, 0.25]);
    /// assert_eq!(y.to_vec()?, [2.0, 3.0, 4.0, 6.0, 8.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn resample_poly_with | try_resample_poly_with<T: Inexact>(
        x: &DeviceArray<T>,
        up: usize,
        down: usize,
        axis: isize,
        h: &[f64],
    ) -> DeviceArray<T> {
        let name = "resample_poly_with";
        check_rates(name, up, down)?;
        if h.is_empty() {
            return Err(Error::shape(format!("{name}: the filter has no coefficients")));
        }
        let common = gcd(up, down);
        polyphase(name, x, (up / common, down / common), axis, h.to_vec())
    }

    /// Zeros put in between, a filter and samples left out along an axis: `up - 1` zeros behind each
    /// sample, the full convolution with `h`, and every `down`-th sample of it.
    ///
    /// **Shape.** The array's, with `n` along the axis becoming `((n - 1) up + len(h)) / down`, rounded
    /// up. **Dtype.** The array's; computed in `f64` and rounded once. SciPy: `signal.upfirdn`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::upfirdn;
    /// let x = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
    /// let y = upfirdn(&[0.5, 1.0, 0.5], &x, 2, 1, -1);
    /// assert_eq!(y.to_vec()?, [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 1.5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn upfirdn | try_upfirdn<T: Inexact>(
        h: &[f64],
        x: &DeviceArray<T>,
        up: usize,
        down: usize,
        axis: isize,
    ) -> DeviceArray<T> {
        check_rates("upfirdn", up, down)?;
        if h.is_empty() {
            return Err(Error::shape("upfirdn: the filter has no coefficients"));
        }
        let axis = with_elements("upfirdn", x, axis)?;
        let lines = widened(&to_last(x, axis)?)?;
        let len = ((x.shape()[axis] - 1) * up + h.len()).div_ceil(down);
        let y = upfirdn_range(h, &lines, (up, down), 0, len)?;
        from_last(&narrowed(&y)?, axis)
    }

    /// Every `q`-th sample along an axis, after a filter that lets through only what they can hold:
    /// forwards and backwards, without delay, where `phase` says so.
    ///
    /// **Shape.** The array's, with `n` along the axis becoming `n / q`, rounded up. **Dtype.** The
    /// array's; computed in `f64` and rounded once. SciPy: `signal.decimate`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{AntiAlias, Phase, decimate};
    /// let x = (DeviceArray::<f64>::arange_to(200.0) * 0.05).sin();
    /// let y = decimate(&x, 4, AntiAlias::Iir(8), -1, Phase::Zero);
    /// assert_eq!(y.shape(), [50]);
    /// assert!((y.get(25)? - 5f64.sin()).abs() < 0.02);
    /// # Ok::<(), Error>(())
    /// ```
    fn decimate | try_decimate<T: Inexact>(
        x: &DeviceArray<T>,
        q: usize,
        filter: AntiAlias,
        axis: isize,
        phase: Phase,
    ) -> DeviceArray<T> {
        check_rates("decimate", 1, q)?;
        let axis = with_elements("decimate", x, axis)?;
        let (n, along) = (x.shape()[axis].div_ceil(q), axis as isize);
        match filter {
            // No frequency is to be taken away.
            _ if q == 1 => Ok(x.clone()),
            AntiAlias::Iir(order) => {
                let sos = cheby1(order, 0.05, Band::Low(0.8 / q as f64))?.sos();
                let y = match phase {
                    Phase::Zero => try_sosfiltfilt(&sos, x, along, Extension::Odd, None)?,
                    Phase::Causal => try_sosfilt(&sos, x, along)?,
                };
                Ok(part(&y, axis, 0, n, q as i64))
            }
            AntiAlias::Fir(order) => {
                let h = firwin(order + 1, Band::Low(1.0 / q as f64), Window::Hamming)?;
                match phase {
                    Phase::Zero => polyphase("decimate", x, (1, q), along, h),
                    Phase::Causal => {
                        let lines = widened(&to_last(x, axis)?)?;
                        let y = upfirdn_range(&h, &lines, (1, q), 0, n)?;
                        from_last(&narrowed(&y)?, axis)
                    }
                }
            }
        }
    }
}

/// The filter of [`decimate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AntiAlias {
    /// Chebyshev's filter of type I of an order, with 0.05 dB of ripple; SciPy's default is 8.
    Iir(usize),
    /// A filter without feedback of so many coefficients and one, with Hamming's window; SciPy's
    /// default is `20 q`.
    Fir(usize),
}

/// Whether [`decimate`] delays the signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing is delayed: samples depend on later ones. SciPy: `zero_phase=True`.
    #[default]
    Zero,
    /// Samples depend on earlier ones alone. SciPy: `zero_phase=False`.
    Causal,
}

fn check_rates(name: &str, up: usize, down: usize) -> Result<()> {
    if up > 0 && down > 0 {
        return Ok(());
    }
    Err(Error::shape(format!("{name}: the rate by {up} / {down}; both must be positive")))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A filter whose middle coefficient stands above each sample that is given.
#[track_caller]
fn polyphase<T: Inexact>(
    name: &str,
    x: &DeviceArray<T>,
    (up, down): (usize, usize),
    axis: isize,
    mut h: Vec<f64>,
) -> Result<DeviceArray<T>> {
    let axis = with_elements(name, x, axis)?;
    h.iter_mut().for_each(|h| *h *= up as f64);
    let lines = widened(&to_last(x, axis)?)?;
    let len = (x.shape()[axis] * up).div_ceil(down);
    let middle = (h.len() - 1) / 2;
    let y = upfirdn_range(&h, &lines, (up, down), middle, len)?;
    from_last(&narrowed(&y)?, axis)
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    #[test]
    fn the_code_for_gpus_compiles() {
        crate::signal::gpu_tests::compiles(&super::outputs::lz_source());
    }
}
