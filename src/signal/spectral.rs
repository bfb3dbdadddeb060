//! Spectra of stretches of a signal: periodograms, Welch's method, spectrograms.

use super::axes::{fourier, from_last};
use super::segments::{Average, Lengths, Scaling, Segments, Sides};
use super::trend::{Trend, without};
use super::window::{Symmetry, Window};
use crate::DeviceArray;
use crate::array::{checked_fns, record, upload_to};
use crate::backend::Device;
use crate::dtype::{DType, Floating, Scalar};
use crate::error::{Error, Result};
use crate::fft::{Sample, Signal, Spectrum, Which, as_sample};
use crate::graph::{Arg, AxisMap, Node, NodeOp, View};
use crate::shape::{Shape, axis_index};
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

/// A signal along the last axis, in the type that is transformed.
#[track_caller]
pub(super) fn lines<T: Sample>(x: &DeviceArray<T>, axis: usize) -> Arc<Node> {
    let a = as_sample::<T>(x.node());
    let mut view = View::identity(a.shape.len());
    let mut shape = a.shape.clone();
    let (from, last) = (axis, shape.len() - 1);
    let n = shape.remove(from);
    shape.push(n);
    for (k, map) in view.0.iter_mut().enumerate() {
        *map = match k.cmp(&from) {
            std::cmp::Ordering::Less => AxisMap::same(k),
            std::cmp::Ordering::Equal => AxisMap::same(last),
            std::cmp::Ordering::Greater => AxisMap::same(k - 1),
        };
    }
    record::view(&a, view, shape)
}

/// Stretches of the last axis, along a new axis in front of it.
#[track_caller]
fn cut(a: &Arc<Node>, lengths: Lengths) -> Arc<Node> {
    let last = a.shape.len() - 1;
    let count = (a.shape[last] - lengths.segment) / lengths.step + 1;
    let mut view = View::identity(a.shape.len());
    view.0[last] = AxisMap {
        terms: smallvec![(last as u8, lengths.step as i64), (last as u8 + 1, 1)],
        ..AxisMap::fixed(0)
    };
    let mut shape = a.shape.clone();
    shape[last] = count;
    shape.push(lengths.segment);
    record::view(a, view, shape)
}

/// Zeros around the last axis.
#[track_caller]
pub(super) fn padded(a: &Arc<Node>, before: usize, after: usize) -> Arc<Node> {
    let (mut front, mut shape) = (Shape::from_elem(0, a.shape.len()), a.shape.clone());
    let last = shape.len() - 1;
    front[last] = before;
    shape[last] += before + after;
    if shape == a.shape {
        return a.clone();
    }
    let op = NodeOp::Pad { before: front.into_iter().collect() };
    let zero = Arg::Scalar(Scalar::from_f64(a.dtype, 0.0));
    record::record(op, smallvec![a.into(), zero], shape, a.dtype, a.device)
}

#[track_caller]
pub(super) fn times(a: &Arc<Node>, by: f64) -> Result<Arc<Node>> {
    record::binary(Op::Multiply, a, record::number(a, by))
}

/// Values of the host in the type of the components of an array.
#[track_caller]
pub(super) fn beside(a: &Arc<Node>, values: &[f64]) -> Result<Arc<Node>> {
    let values = upload_to(a.device, values, Shape::from_slice(&[values.len()]))?;
    Ok(record::cast(values.node(), a.dtype))
}

/// The spectra of the stretches of a signal: along the last axis, the stretches in front of it.
#[track_caller]
pub(super) fn spectra(
    name: &str,
    a: &Arc<Node>,
    how: &Segments,
    lengths: Lengths,
    window: &[f64],
    whole: bool,
) -> Result<Arc<Node>> {
    let cut = without(&cut(a, lengths), how.trend.unwrap_or_default())?;
    let weighted = record::binary(Op::Multiply, &cut, &beside(&cut, window)?)?;
    let which = if whole { Which::Forward } else { Which::RealForward };
    fourier(name, &weighted, weighted.shape.len() - 1, Some(lengths.points), which)
}

/// The frequencies of a spectrum.
pub(super) fn frequencies<T: Floating>(
    points: usize,
    rate: f64,
    whole: bool,
    device: Device,
) -> Result<DeviceArray<T>> {
    let (count, step) = (if whole { points } else { points / 2 + 1 }, rate / points as f64);
    let at = |k: usize| match whole && k >= points.div_ceil(2) {
        true => (k as f64 - points as f64) * step,
        false => k as f64 * step,
    };
    let values: Vec<T> = (0..count).map(|k| T::from_f64(at(k))).collect();
    upload_to(device, &values, Shape::from_slice(&[count]))
}

/// The times of the middles of stretches.
pub(super) fn middles<T: Floating>(
    n: usize,
    lengths: Lengths,
    start: f64,
    rate: f64,
    device: Device,
) -> Result<DeviceArray<T>> {
    let count = (n - lengths.segment) / lengths.step + 1;
    let at = |k: usize| (start + (k * lengths.step) as f64) / rate;
    let values: Vec<T> = (0..count).map(|k| T::from_f64(at(k))).collect();
    upload_to(device, &values, Shape::from_slice(&[count]))
}

/// Power, or cross power, of the stretches of two signals: stretches, then frequencies, behind the
/// other axes.
struct Power {
    node: Arc<Node>,
    lengths: Lengths,
    whole: bool,
}

/// The power of a signal beside itself, or beside another one of the same length.
#[track_caller]
fn power(
    name: &str,
    signals: (&Arc<Node>, Option<&Arc<Node>>),
    how: &Segments,
    shared: impl Fn(usize) -> usize,
) -> Result<Power> {
    let (x, y) = signals;
    let n = x.shape[x.shape.len() - 1];
    let lengths = how.lengths(name, n, shared)?;
    let window = how.window.unwrap_or_default().values(lengths.segment, Symmetry::Periodic);
    let complex = x.dtype.is_complex() || y.is_some_and(|y| y.dtype.is_complex());
    let whole = complex || how.sides == Sides::Two;
    let of = |a: &Arc<Node>| spectra(name, a, how, lengths, &window, whole);
    let first = of(x)?;
    let product = match y {
        // The squared magnitude is real, and half of a product of complex numbers.
        None => {
            let (re, im) =
                (record::unary(Op::RealPart, &first), record::unary(Op::ImagPart, &first));
            let square = |part: &Arc<Node>| record::unary(Op::Square, part);
            record::binary(Op::Add, &square(&re), &square(&im))?
        }
        Some(y) => record::binary(Op::Multiply, &record::unary(Op::Conj, &first), &of(y)?)?,
    };
    // Frequencies that have a negative one count twice.
    let factor = how.factor(&window);
    let last = product.shape.len() - 1;
    let count = product.shape[last];
    let single = |k: usize| whole || k == 0 || 2 * k == lengths.points;
    let factors: Vec<f64> =
        (0..count).map(|k| if single(k) { factor } else { 2.0 * factor }).collect();
    let node = record::binary(Op::Multiply, &product, &beside(&product, &factors)?)?;
    Ok(Power { node, lengths, whole })
}

impl Power {
    /// One spectrum for all stretches; frequencies are the last axis.
    #[track_caller]
    fn averaged(&self, how: Average) -> Result<Arc<Node>> {
        let axis = self.node.shape.len() - 2;
        let count = self.node.shape[axis];
        if how == Average::Mean || count == 1 {
            return times(
                &record::reduce(Reduction::Sum, &self.node, 1 << axis),
                1.0 / count as f64,
            );
        }
        // The median of a power under noise is below its mean; its expected part of it.
        let bias: f64 = 1.0
            + (1..=(count - 1) / 2)
                .map(|k| 1.0 / (2.0 * k as f64 + 1.0) - 1.0 / (2.0 * k as f64))
                .sum::<f64>();
        match self.node.dtype.is_complex() {
            false => times(&median(&self.node, axis)?, 1.0 / bias),
            true => {
                let part = |op: Op| median(&record::unary(op, &self.node), axis);
                let (re, im) = (part(Op::RealPart)?, part(Op::ImagPart)?);
                times(&record::binary(Op::ToComplex, &re, &im)?, 1.0 / bias)
            }
        }
    }
}

/// The median along an axis of an array of `f32` or `f64`.
#[track_caller]
fn median(a: &Arc<Node>, axis: usize) -> Result<Arc<Node>> {
    let axis = axis as isize;
    Ok(match a.dtype {
        DType::F32 => DeviceArray::<f32>::from_node(a.clone()).try_median(axis)?.node().clone(),
        _ => DeviceArray::<f64>::from_node(a.clone()).try_median(axis)?.node().clone(),
    })
}

/// The axis of a signal, which must have samples.
pub(super) fn axis_of<T: Sample>(name: &str, x: &DeviceArray<T>, how: &Segments) -> Result<usize> {
    let axis = axis_index(name, how.axis, x.ndim())?;
    if x.is_empty() {
        return Err(Error::shape(format!("{name}: shape {:?} has no samples", x.shape())));
    }
    Ok(axis)
}

fn half(n: usize) -> usize {
    n / 2
}

checked_fns! {
    /// The power of a signal over frequencies, from the spectrum of all of it: noisy, but as fine as
    /// can be.
    ///
    /// Without a window and without its mean, unless the settings say otherwise; the length of a
    /// stretch is the signal's.
    ///
    /// **Shape.** Frequencies; the array's with frequencies in the place of the axis. **Dtype.** Real,
    /// of the array's precision. SciPy: `signal.periodogram`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Segments, periodogram};
    /// let x = DeviceArray::from_slice(&[1.0, 0.0, -1.0, 0.0])?;
    /// let (f, power) = periodogram(&x, &Segments::new());
    /// assert_eq!(f.to_vec()?, [0.0, 0.25, 0.5]);
    /// assert_eq!(power.to_vec()?, [0.0, 2.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn periodogram | try_periodogram<T: Sample>(
        x: &DeviceArray<T>,
        how: &Segments,
    ) -> (DeviceArray<Signal<T>>, DeviceArray<Signal<T>>) {
        let axis = axis_of("periodogram", x, how)?;
        // With fewer points than samples, the first ones are transformed.
        let n = how.points.map_or(x.shape()[axis], |points| points.min(x.shape()[axis]));
        let how = how.clone().length(n).overlap(0);
        let how = how.or(Window::Boxcar, Trend::Constant, Scaling::Density);
        let a = lines(x, axis);
        let mut shape = a.shape.clone();
        *shape.last_mut().expect("a signal has an axis") = n;
        let a = record::view(&a, View::identity(shape.len()), shape);
        let power = power("periodogram", (&a, None), &how, half)?;
        let f = frequencies(power.lengths.points, how.rate, power.whole, x.device())?;
        let node = power.averaged(Average::Mean)?;
        Ok((f, from_last(&DeviceArray::from_node(node), axis)?))
    }

    /// The power of a signal over frequencies by Welch's method: the mean, or the median, over
    /// stretches that overlap by half.
    ///
    /// **Shape.** Frequencies; the array's with frequencies in the place of the axis. **Dtype.** Real,
    /// of the array's precision. SciPy: `signal.welch`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::random::Generator;
    /// use lazuli::signal::{Segments, welch};
    /// let noise: DeviceArray<f64> = Generator::new(1).normal(0.0, 1.0, 100_000);
    /// let (f, density) = welch(&noise, &Segments::new());
    /// // White noise of variance 1 has the density 2 on one side.
    /// assert!((density.slice(s![1..-1]).mean(..).item()? - 2.0).abs() < 0.05);
    /// # Ok::<(), Error>(())
    /// ```
    fn welch | try_welch<T: Sample>(
        x: &DeviceArray<T>,
        how: &Segments,
    ) -> (DeviceArray<Signal<T>>, DeviceArray<Signal<T>>) {
        let axis = axis_of("welch", x, how)?;
        let how = how.or(Window::Hann, Trend::Constant, Scaling::Density);
        let power = power("welch", (&lines(x, axis), None), &how, half)?;
        let f = frequencies(power.lengths.points, how.rate, power.whole, x.device())?;
        let node = power.averaged(how.average)?;
        Ok((f, from_last(&DeviceArray::from_node(node), axis)?))
    }

    /// The cross power of two signals over frequencies by Welch's method: of the first one's
    /// conjugate and the second one.
    ///
    /// **Shape.** Frequencies; the arrays', broadcast, with frequencies in the place of the axis. The
    /// shorter signal goes on with zeros. **Dtype.** Complex, of the arrays' precision. SciPy:
    /// `signal.csd`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Segments, csd};
    /// let t = DeviceArray::<f64>::arange_to(1024.0) * (std::f64::consts::TAU / 16.0);
    /// let (f, cross) = csd(&t.cos(), &t.sin(), &Segments::new());
    /// // A sine is a quarter of a turn behind a cosine.
    /// assert!((cross.angle().get(16)? + std::f64::consts::FRAC_PI_2).abs() < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    fn csd | try_csd<T: Sample>(
        x: &DeviceArray<T>,
        y: &DeviceArray<T>,
        how: &Segments,
    ) -> (DeviceArray<Signal<T>>, DeviceArray<Spectrum<T>>) {
        let (f, node, axis) = cross("csd", x, y, how)?;
        Ok((f, from_last(&DeviceArray::from_node(node), axis)?))
    }

    /// How far two signals depend on each other linearly, at each frequency, from 0 to 1: their cross
    /// power squared over both powers, by Welch's method.
    ///
    /// **Shape.** Frequencies; the arrays', broadcast, with frequencies in the place of the axis.
    /// **Dtype.** Real, of the arrays' precision. SciPy: `signal.coherence`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::random::Generator;
    /// use lazuli::signal::{Segments, coherence};
    /// let noise: DeviceArray<f64> = Generator::new(1).normal(0.0, 1.0, 10_000);
    /// let (f, c) = coherence(&noise, &(3.0 * &noise + 1.0), &Segments::new());
    /// assert!((c.slice(s![1..]) - 1.0).abs().max(..).item()? < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    fn coherence | try_coherence<T: Sample>(
        x: &DeviceArray<T>,
        y: &DeviceArray<T>,
        how: &Segments,
    ) -> (DeviceArray<Signal<T>>, DeviceArray<Signal<T>>) {
        let how = Segments { average: Average::Mean, ..how.clone() };
        let (f, cross, axis) = cross("coherence", x, y, &how)?;
        let how = how.or(Window::Hann, Trend::Constant, Scaling::Density);
        let own = |x: &DeviceArray<T>| -> Result<Arc<Node>> {
            power("coherence", (&lines(x, axis_of("coherence", x, &how)?), None), &how, half)?
                .averaged(Average::Mean)
        };
        let square = |op: Op| record::unary(Op::Square, &record::unary(op, &cross));
        let square = record::binary(Op::Add, &square(Op::RealPart), &square(Op::ImagPart))?;
        let ratio = record::binary(Op::Divide, &square, &own(x)?)?;
        let ratio = record::binary(Op::Divide, &ratio, &own(y)?)?;
        Ok((f, from_last(&DeviceArray::from_node(ratio), axis)?))
    }

    /// The power of a signal over frequencies and time: the spectrum of each stretch.
    ///
    /// Stretches overlap by an eighth and stand under Tukey's window with 0.25, unless the settings say
    /// otherwise.
    ///
    /// **Shape.** Frequencies; the times of the stretches' middles; the array's with frequencies in
    /// the place of the axis, and times behind all axes. **Dtype.** Real, of the array's precision.
    /// SciPy: `signal.spectrogram`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Segments, spectrogram};
    /// // A tone that rises.
    /// let t = DeviceArray::<f64>::linspace(0.0, 1.0, 8000);
    /// let (f, times, power) = spectrogram(&(6000.0 * t.square()).sin(), &Segments::new());
    /// assert_eq!(power.shape(), [f.len(), times.len()]);
    /// let strongest = power.argmax(0).to_vec()?;
    /// assert!(strongest[0] < strongest[10] && strongest[10] < strongest[30]);
    /// # Ok::<(), Error>(())
    /// ```
    fn spectrogram | try_spectrogram<T: Sample>(
        x: &DeviceArray<T>,
        how: &Segments,
    ) -> (DeviceArray<Signal<T>>, DeviceArray<Signal<T>>, DeviceArray<Signal<T>>) {
        let axis = axis_of("spectrogram", x, how)?;
        let how = how.or(Window::Tukey(0.25), Trend::Constant, Scaling::Density);
        let power = power("spectrogram", (&lines(x, axis), None), &how, |n| n / 8)?;
        let f = frequencies(power.lengths.points, how.rate, power.whole, x.device())?;
        let start = power.lengths.segment as f64 / 2.0;
        let n = x.shape()[axis];
        let t = middles(n, power.lengths, start, how.rate, x.device())?;
        Ok((f, t, frequencies_first(&power.node, axis)?))
    }
}

/// Stretches behind all axes, and frequencies where the samples were.
#[track_caller]
pub(super) fn frequencies_first<T: crate::dtype::Element>(
    spectra: &Arc<Node>,
    axis: usize,
) -> Result<DeviceArray<T>> {
    DeviceArray::from_node(spectra.clone()).try_swap_axes(-1, -2)?.try_move_axis(-2, axis as isize)
}

/// The cross power of two signals with its frequencies, which are the last axis, and the axis where
/// they belong.
#[track_caller]
fn cross<T: Sample>(
    name: &'static str,
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    how: &Segments,
) -> Result<(DeviceArray<Signal<T>>, Arc<Node>, usize)> {
    let (on_x, on_y) = (axis_of(name, x, how)?, axis_of(name, y, how)?);
    let how = how.or(Window::Hann, Trend::Constant, Scaling::Density);
    let (a, b) = (lines(x, on_x), lines(y, on_y));
    let (n, m) = (a.shape[a.shape.len() - 1], b.shape[b.shape.len() - 1]);
    let longer = n.max(m);
    let (a, b) = (padded(&a, 0, longer - n), padded(&b, 0, longer - m));
    let power = power(name, (&a, Some(&b)), &how, half)?;
    let f = frequencies(power.lengths.points, how.rate, power.whole, x.device())?;
    let node = power.averaged(how.average)?;
    let axis = if x.ndim() >= y.ndim() { on_x } else { on_y };
    Ok((f, node, axis))
}
