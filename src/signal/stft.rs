//! The short-time Fourier transform and its inverse.

use super::axes::{fourier, from_last};
use super::segments::{Edges, Lengths, Segments, Sides};
use super::spectral::{
    axis_of, beside, frequencies, frequencies_first, lines, middles, padded, spectra, times,
};
use super::trend::Trend;
use super::window::Symmetry;
use crate::DeviceArray;
use crate::array::{checked_fns, record};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::fft::{Sample, Signal, Spectrum, Which, as_sample};
use crate::graph::{Arg, AxisMap, Node, NodeOp, View};
use crate::shape::{Shape, axis_index, checked_len};
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

fn half(n: usize) -> usize {
    n / 2
}

impl Segments {
    /// The factor of an amplitude.
    fn amplitude(&self, window: &[f64]) -> f64 {
        use super::segments::Scaling;
        let how =
            Segments { scaling: Some(self.scaling.unwrap_or(Scaling::Spectrum)), ..self.clone() };
        how.factor(window).sqrt()
    }
}

checked_fns! {
    /// The short-time Fourier transform: the complex spectrum of each stretch of a signal.
    ///
    /// Nothing is taken away from stretches unless the settings say so; the ends are padded
    /// ([`Edges`]). With [`Scaling::Spectrum`](super::Scaling::Spectrum), the default, values are
    /// amplitudes.
    ///
    /// **Shape.** Frequencies; the times of the stretches' middles; the array's with frequencies in
    /// the place of the axis, and times behind all axes. **Dtype.** Complex, of the array's precision.
    /// SciPy: `signal.stft`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Segments, istft, stft};
    /// let x = (DeviceArray::<f64>::arange_to(1000.0) * 0.3).sin();
    /// let (f, times, z) = stft(&x, &Segments::new());
    /// assert_eq!((f.len(), times.len(), z.shape()), (129, 9, &[129, 9][..]));
    /// let back = istft(&z, &Segments::new()).slice(s![..1000]);
    /// assert!((back - x).abs().max(..).item()? < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn stft | try_stft<T: Sample>(
        x: &DeviceArray<T>,
        how: &Segments,
    ) -> (DeviceArray<Signal<T>>, DeviceArray<Signal<T>>, DeviceArray<Spectrum<T>>) {
        let axis = axis_of("stft", x, how)?;
        let how = Segments { trend: Some(how.trend.unwrap_or(Trend::None)), ..how.clone() };
        let n = x.shape()[axis];
        let lengths = how.lengths("stft", n, half)?;
        let a = lines(x, axis);
        let (a, start) = match how.edges {
            Edges::Bare => (a, lengths.segment as f64 / 2.0),
            Edges::Padded => {
                let beyond = lengths.segment / 2;
                let whole = n + 2 * beyond;
                let left = (whole - lengths.segment) % lengths.step;
                let fill = if left == 0 { 0 } else { lengths.step - left };
                (padded(&a, beyond, beyond + fill), 0.0)
            }
        };
        let window = how.window.unwrap_or_default().values(lengths.segment, Symmetry::Periodic);
        let whole = T::DTYPE.is_complex() || how.sides == Sides::Two;
        let z = times(&spectra("stft", &a, &how, lengths, &window, whole)?, how.amplitude(&window))?;
        let f = frequencies(lengths.points, how.rate, whole, x.device())?;
        let t = middles(a.shape[a.shape.len() - 1], lengths, start, how.rate, x.device())?;
        Ok((f, t, frequencies_first(&z, axis)?))
    }

    /// The real signal of a short-time Fourier transform with the frequencies of one side, by the same
    /// settings: stretches are transformed back, weighted, and added where they overlap.
    ///
    /// Where settings name no length, it is that of an even number of points. Samples at which no
    /// stretch has weight are 0.
    ///
    /// **Shape.** The array's without its last axis, with samples in the place of the frequencies; at
    /// the end there may be some more than the signal had. **Dtype.** Real, of the array's precision.
    /// SciPy: `signal.istft`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Segments, Window, istft, stft};
    /// let x = DeviceArray::<f64>::linspace(0.0, 1.0, 300).reshape([3, 100]);
    /// let how = Segments::new().length(32).overlap(24).window(Window::Hamming);
    /// let back = istft(&stft(&x, &how).2, &how).slice(s![.., ..100]);
    /// assert!((back - x).abs().max(..).item()? < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn istft | try_istft<T: Sample>(
        z: &DeviceArray<T>,
        how: &Segments,
    ) -> DeviceArray<Signal<T>> {
        let (node, axis) = inverse("istft", z, how, false)?;
        from_last(&DeviceArray::from_node(node), axis)
    }

    /// The complex signal of a short-time Fourier transform with all frequencies, by the same
    /// settings.
    ///
    /// **Shape.** As [`istft`]. **Dtype.** Complex, of the array's precision. SciPy:
    /// `signal.istft(input_onesided=False)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Segments, istft_complex, stft};
    /// let t = DeviceArray::<f64>::arange_to(256.0) * 0.3;
    /// let x = t.cos().to_complex(&t.sin());
    /// let how = Segments::new().length(64);
    /// let back = istft_complex(&stft(&x, &how).2, &how);
    /// assert!((back - x).abs().max(..).item()? < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn istft_complex | try_istft_complex<T: Sample>(
        z: &DeviceArray<T>,
        how: &Segments,
    ) -> DeviceArray<Spectrum<T>> {
        let (node, axis) = inverse("istft_complex", z, how, true)?;
        from_last(&DeviceArray::from_node(node), axis)
    }
}

/// The signal along the last axis, and the axis where it belongs.
#[track_caller]
fn inverse<T: Sample>(
    name: &str,
    z: &DeviceArray<T>,
    how: &Segments,
    whole: bool,
) -> Result<(Arc<Node>, usize)> {
    if z.ndim() < 2 || z.is_empty() {
        return Err(Error::shape(format!(
            "{name}: shape {:?}: frequencies and times are needed",
            z.shape()
        )));
    }
    let axis = axis_index(name, how.axis, z.ndim() - 1)?;
    // Times, then frequencies, behind the other axes.
    let spectra = z.try_move_axis(axis as isize, -1)?;
    let a = as_sample::<T>(spectra.node());
    let count = z.shape()[axis];
    let points = if whole { count } else { (2 * (count - 1)).max(1) };
    let segment = how.length.unwrap_or(points);
    let odd = !whole && segment == points + 1;
    let points = how.points.unwrap_or(if odd { segment } else { points });
    let how = how.clone().length(segment).points(points);
    let lengths = how.lengths(name, segment, half)?;
    let window = how.window.unwrap_or_default().values(segment, Symmetry::Periodic);
    let which = if whole { Which::Inverse } else { Which::RealInverse };
    let back = fourier(name, &a, a.shape.len() - 1, Some(points), which)?;
    let mut shape = back.shape.clone();
    *shape.last_mut().expect("spectra have an axis") = segment;
    let back = record::view(&back, View::identity(shape.len()), shape.clone());
    let scale = 1.0 / how.amplitude(&window);
    let weights: Vec<f64> = window.iter().map(|w| w * scale).collect();
    let weighted = record::binary(Op::Multiply, &back, &beside(&back, &weights)?)?;
    let squares: Vec<f64> = window.iter().map(|w| w * w).collect();
    let squares = beside(&back, &squares)?;
    let squares = record::view(
        &squares,
        View(smallvec![AxisMap::same(1)]),
        Shape::from_slice(&shape[shape.len() - 2..]),
    );
    let added = added(name, &weighted, lengths)?;
    let weight = self::added(name, &squares, lengths)?;
    let weight =
        if weight.dtype.is_complex() { record::unary(Op::RealPart, &weight) } else { weight };
    let has = record::binary(Op::Greater, &weight, record::number(&weight, 1e-10))?;
    let weight = record::select(&has, &weight, record::number(&weight, 1.0))?;
    let x = record::binary(Op::Divide, &added, &record::cast(&weight, added.dtype))?;
    let beyond = if how.edges == Edges::Padded { segment / 2 } else { 0 };
    let last = x.shape.len() - 1;
    let mut view = View::identity(x.shape.len());
    view.0[last] = AxisMap::affine(last, beyond as i64, 1);
    let mut shape = x.shape.clone();
    shape[last] = shape[last].saturating_sub(2 * beyond);
    Ok((record::view(&x, view, shape), axis))
}

/// Stretches of the last axis, along the axis in front of it, added where they overlap. A stretch is
/// cut into pieces of a step's length, so that each piece of the result is a sum of pieces, the k-th
/// of the stretch k steps earlier.
#[track_caller]
fn added(name: &str, a: &Arc<Node>, lengths: Lengths) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let (count, step) = (a.shape[rank - 2], lengths.step);
    let pieces = lengths.segment.div_ceil(step);
    // Zeros fill the last piece of a stretch, and stand in for stretches before and behind all.
    let mut shape = a.shape.clone();
    shape[rank - 2] = count + 2 * (pieces - 1);
    shape[rank - 1] = pieces * step;
    checked_len(name, &shape)?;
    let mut before = Shape::from_elem(0, rank);
    before[rank - 2] = pieces - 1;
    let zero = Arg::Scalar(Scalar::from_f64(a.dtype, 0.0));
    let op = NodeOp::Pad { before: before.into_iter().collect() };
    let padded = record::record(op, smallvec![a.into(), zero], shape, a.dtype, a.device);
    // Place (k, s, j) of the sum takes the sample s of the piece j of the stretch k - j.
    let mut view = View::identity(rank);
    let axis = |k: usize| k as u8;
    view.0[rank - 2] = AxisMap {
        terms: smallvec![(axis(rank - 2), 1), (axis(rank), -1)],
        ..AxisMap::fixed(pieces as i64 - 1)
    };
    view.0[rank - 1] = AxisMap {
        terms: smallvec![(axis(rank - 1), 1), (axis(rank), step as i64)],
        ..AxisMap::fixed(0)
    };
    let mut shape = a.shape.clone();
    shape[rank - 2] = count + pieces - 1;
    shape[rank - 1] = step;
    shape.push(pieces);
    let sum = record::reduce(Reduction::Sum, &record::view(&padded, view, shape), 1 << rank);
    let mut flat = Shape::from_slice(&a.shape[..rank - 2]);
    flat.push((count + pieces - 1) * step);
    let sum = record::reshape(&sum, flat.clone());
    flat[rank - 2] = lengths.segment + (count - 1) * step;
    Ok(record::view(&sum, View::identity(rank - 1), flat))
}
