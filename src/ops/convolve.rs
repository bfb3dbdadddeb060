//! Convolution and correlation, by SciPy's names (`scipy.signal`) and conventions: directly, as a
//! stencil inside the kernels around them, or by Fourier transforms. [`signal`](crate::signal) is where
//! users find them.

use super::fft::{AxisLen, Norm, Which, fast_multiple, transform};
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::{DType, Inexact, Number};
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, Node, NodeOp, View};
use crate::shape::{Shape, checked_len, len};
use crate::table::{Op, Reduction};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::sync::Arc;

/// Which part of a convolution is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All places at which the two overlap: `n + m - 1` of them.
    #[default]
    Full,
    /// The middle part, of the first array's shape.
    Same,
    /// The places at which one lies wholly within the other: `|n - m| + 1` of them.
    Valid,
}

/// Kernels of at most this many elements are applied directly.
const DIRECT: usize = 64;

checked_fns! {
    /// The convolution of two arrays.
    ///
    /// **Shape.** By the mode; both have the same number of axes. **Dtype.** The arrays';
    /// integers wrap. SciPy: `signal.convolve`. NumPy: `convolve` for one axis, whose mode `same`
    /// has the length of the longer array: put that one first.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Mode, convolve};
    /// let image = DeviceArray::<f32>::ones([4, 4]);
    /// let blur = DeviceArray::full([3, 3], 1.0 / 9.0);
    /// let blurred = convolve(&image, &blur, Mode::Valid);
    /// assert_eq!(blurred.shape(), [2, 2]);
    /// assert!((blurred.max(..).item()? - 1.0).abs() < 1e-6);
    /// # Ok::<(), Error>(())
    /// ```
    fn convolve | try_convolve<T: Number>(
        a: &DeviceArray<T>,
        v: &DeviceArray<T>,
        mode: Mode,
    ) -> DeviceArray<T> {
        either("convolve", a.node(), v.node(), mode).map(DeviceArray::from_node)
    }

    /// The correlation of two arrays: the convolution with the second one reversed along all axes
    /// and conjugated.
    ///
    /// **Shape.** By the mode; both have the same number of axes. **Dtype.** The arrays';
    /// integers wrap. SciPy: `signal.correlate`. NumPy: `correlate` for one axis, whose mode
    /// `same` has the length of the longer array.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Mode, correlate};
    /// let a = DeviceArray::from_slice(&[1, 2, 3, 4])?;
    /// let v = DeviceArray::from_slice(&[1, 10])?;
    /// assert_eq!(correlate(&a, &v, Mode::Valid).to_vec()?, [21, 32, 43]);
    /// # Ok::<(), Error>(())
    /// ```
    fn correlate | try_correlate<T: Number>(
        a: &DeviceArray<T>,
        v: &DeviceArray<T>,
        mode: Mode,
    ) -> DeviceArray<T> {
        let reversed = v.try_flip(..)?;
        let v = match T::DTYPE.is_complex() {
            true => record::unary(Op::Conj, reversed.node()),
            false => reversed.node().clone(),
        };
        either("correlate", a.node(), &v, mode).map(DeviceArray::from_node)
    }

    /// The convolution of two arrays through Fourier transforms, whatever their sizes.
    ///
    /// **Shape.** By the mode; both have the same number of axes. **Dtype.** The arrays'; halves
    /// are transformed as `f32`. SciPy: `signal.fftconvolve`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Mode, fftconvolve};
    /// let a = DeviceArray::<f64>::ones(1000);
    /// let b = DeviceArray::<f64>::ones(500);
    /// let c = fftconvolve(&a, &b, Mode::Valid);
    /// assert!((c - 500.0).abs().max(..).item()? < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    fn fftconvolve | try_fftconvolve<T: Inexact>(
        a: &DeviceArray<T>,
        v: &DeviceArray<T>,
        mode: Mode,
    ) -> DeviceArray<T> {
        let place = Place::new("fftconvolve", a.node(), v.node(), mode)?;
        by_transforms("fftconvolve", a.node(), v.node(), &place).map(DeviceArray::from_node)
    }
}

/// The part of the full convolution that is wanted: a range on each axis.
struct Place(SmallVec<[Range<usize>; 4]>);

impl Place {
    fn new(name: &str, a: &Arc<Node>, v: &Arc<Node>, mode: Mode) -> Result<Place> {
        let (n, m) = (&a.shape, &v.shape);
        let fail = |why: &str| Err(Error::shape(format!("{name}: shapes {n:?} and {m:?}: {why}")));
        if a.device.differs(v.device) {
            return Err(record::devices_differ(name, a.device, v.device));
        }
        if n.len() != m.len() {
            return fail("both need the same number of axes");
        }
        if n.contains(&0) || m.contains(&0) {
            return fail("an array without elements");
        }
        let pairs = || n.iter().zip(m);
        let within = pairs().all(|(n, m)| n >= m) || pairs().all(|(n, m)| n <= m);
        if mode == Mode::Valid && !within {
            return fail("neither fits within the other");
        }
        checked_len(name, &pairs().map(|(n, m)| n.saturating_add(*m)).collect::<Shape>())?;
        Ok(Place(
            pairs()
                .map(|(&n, &m)| match mode {
                    Mode::Full => 0..n + m - 1,
                    Mode::Same => (m - 1) / 2..(m - 1) / 2 + n,
                    Mode::Valid => n.min(m) - 1..n.max(m),
                })
                .collect(),
        ))
    }

    fn shape(&self) -> Shape {
        self.0.iter().map(ExactSizeIterator::len).collect()
    }
}

#[track_caller]
fn either(name: &str, a: &Arc<Node>, v: &Arc<Node>, mode: Mode) -> Result<Arc<Node>> {
    let place = Place::new(name, a, v, mode)?;
    let small = len(&a.shape).min(len(&v.shape)) <= DIRECT;
    if small || a.dtype.is_integer() {
        return directly(a, v, &place);
    }
    by_transforms(name, a, v, &place)
}

/// Every product of an element of the larger array with one of the smaller, summed up where it
/// belongs: windows of the one times the other.
#[track_caller]
fn directly(a: &Arc<Node>, v: &Arc<Node>, place: &Place) -> Result<Arc<Node>> {
    let (long, short) = if len(&a.shape) >= len(&v.shape) { (a, v) } else { (v, a) };
    let rank = long.shape.len();
    let mut before: SmallVec<[usize; 4]> = SmallVec::new();
    let mut padded = Shape::new();
    for (k, part) in place.0.iter().enumerate() {
        let (n, m) = (long.shape[k], short.shape[k]);
        let front = (m - 1).saturating_sub(part.start);
        before.push(front);
        padded.push(front + n.max(part.end));
    }
    let source = match padded == long.shape {
        true => long.clone(),
        false => {
            let before = before.iter().copied().collect();
            let args = smallvec![long.into(), Arg::Scalar(record::number(long, 0.0))];
            let op = NodeOp::Pad { before };
            record::record(op, args, padded, long.dtype, long.device)
        }
    };
    // Place i and kernel element j meet at element i - j.
    let window = |k: usize| AxisMap {
        terms: smallvec![(k as u8, 1), ((rank + k) as u8, -1)],
        ..AxisMap::fixed((place.0[k].start + before[k]) as i64)
    };
    let mut shape = place.shape();
    shape.extend_from_slice(&short.shape);
    checked_len("convolve", &shape)?;
    let windows = record::view(&source, View((0..rank).map(window).collect()), shape);
    let product = record::binary(Op::Multiply, &windows, short)?;
    let axes = ((1u32 << rank) - 1) << rank;
    let sum = record::reduce(Reduction::Sum, &product, axes);
    Ok(record::cast(&sum, a.dtype))
}

/// Spectra multiplied.
#[track_caller]
fn by_transforms(name: &str, a: &Arc<Node>, v: &Arc<Node>, place: &Place) -> Result<Arc<Node>> {
    let dtype = match a.dtype {
        DType::F16 | DType::BF16 => DType::F32,
        dtype => dtype,
    };
    let (a_in, v_in) = (record::cast(a, dtype), record::cast(v, dtype));
    let axes = lengths(&a.shape, &v.shape, place, !dtype.is_complex());
    let (forward, inverse) = match dtype.is_complex() {
        true => (Which::Forward, Which::Inverse),
        false => (Which::RealForward, Which::RealInverse),
    };
    let convolved = match axes.is_empty() {
        true => record::binary(Op::Multiply, &a_in, &v_in)?,
        false => {
            let [a, v] = [&a_in, &v_in].map(|x| transform(name, x, &axes, Norm::Backward, forward));
            let product = record::binary(Op::Multiply, &a?, &v?)?;
            transform(name, &product, &axes, Norm::Backward, inverse)?
        }
    };
    // A circular convolution is as long as the transform; an axis that was not transformed is
    // already what is wanted, except for a part of it.
    let mut view = View::identity(place.0.len());
    for (map, part) in view.0.iter_mut().zip(&place.0) {
        map.offset = part.start as i64;
    }
    Ok(record::cast(&record::view(&convolved, view, place.shape()), a.dtype))
}

/// The axes to transform with their lengths: long enough that what comes around the end falls
/// outside of the wanted part. An axis on which either array has length 1 needs no transform.
fn lengths(n: &[usize], m: &[usize], place: &Place, real: bool) -> SmallVec<[AxisLen; 4]> {
    let needs = |&k: &usize| n[k] > 1 && m[k] > 1;
    let over: SmallVec<[usize; 4]> = (0..n.len()).filter(needs).collect();
    let len = |&k: &usize| {
        let part = &place.0[k];
        let least = (n[k] + m[k] - 1 - part.start).max(part.end).max(n[k]).max(m[k]);
        let even = real && Some(&k) == over.last();
        (k, Some(fast_multiple(least, if even { 2 } else { 1 })))
    };
    over.iter().map(len).collect()
}
