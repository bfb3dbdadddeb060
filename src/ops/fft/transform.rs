//! Transforms recorded: lengths, library calls over groups of axes, norms.
//!
//! A transform is one library call over up to three neighbouring axes; what lies in front of and
//! behind them is a batch, so axes need not be moved to the end. Lengths, norms and the second half
//! of a real array's spectrum are nodes of the graph, so that they are part of the kernels around
//! the call. The norm is put in front of the call where its argument has to be computed anyway,
//! else behind.

use super::options::{AxisLen, Norm, complex_of};
use super::spectrum;
use crate::array::record;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, Node, NodeOp, View, sharding};
use crate::library::Library;
use crate::library::fft::{Fft, Kind, MOST_AXES, half};
use crate::shape::{Shape, checked_len};
use crate::table::Op;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::sync::Arc;

/// The transforms that the public functions are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Forward,
    Inverse,
    RealForward,
    RealInverse,
    Hermitian,
    HermitianInverse,
}

/// A list of axes.
pub(super) type List = SmallVec<[usize; 4]>;

/// Records a transform of an array of `f32`, `f64` or complex numbers.
pub(crate) fn transform(
    name: &str,
    a: &Arc<Node>,
    axes: &[AxisLen],
    norm: Norm,
    which: Which,
) -> Result<Arc<Node>> {
    match which {
        Which::Forward => complex(name, a, axes, norm, false),
        Which::Inverse => complex(name, a, axes, norm, true),
        Which::RealForward => real_forward(name, a, axes, norm),
        Which::RealInverse => real_inverse(name, a, axes, norm),
        Which::Hermitian => real_inverse(name, &conj(a), axes, norm.swapped()),
        Which::HermitianInverse => Ok(conj(&real_forward(name, a, axes, norm.swapped())?)),
    }
}

#[track_caller]
fn complex(
    name: &str,
    a: &Arc<Node>,
    axes: &[AxisLen],
    norm: Norm,
    inverse: bool,
) -> Result<Arc<Node>> {
    let a = fitted(name, a, axes)?;
    let mut over: List = axes.iter().map(|axis| axis.0).collect();
    over.sort_unstable();
    let Some(&last) = over.last() else { return Ok(record::cast(&a, complex_of(a.dtype))) };
    let factor = norm.factor(inverse, points(&a.shape, &over));
    if !a.dtype.is_complex() {
        // The inverse transform of real numbers is the conjugate of the forward transform.
        let forward = real_calls(&a, &over, last)?;
        let half = scaled(&if inverse { conj(&forward) } else { forward }, factor);
        return spectrum::whole(&half, &over, a.shape[last]);
    }
    if inverse && let Some(half) = spectrum::half_of(&a, &over) {
        let real = inverse_calls(&half, &over, last, a.shape[last], factor)?;
        return Ok(record::cast(&real, a.dtype));
    }
    let kind = if inverse { Kind::Inverse } else { Kind::Forward };
    around(&a, factor, |a| complex_calls(a, &over, kind))
}

#[track_caller]
fn real_forward(name: &str, a: &Arc<Node>, axes: &[AxisLen], norm: Norm) -> Result<Arc<Node>> {
    let a = if a.dtype.is_complex() { record::unary(Op::RealPart, a) } else { a.clone() };
    let a = fitted(name, &a, axes)?;
    let (over, last) = sorted(name, axes)?;
    let factor = norm.factor(false, points(&a.shape, &over));
    around(&a, factor, |a| real_calls(a, &over, last))
}

#[track_caller]
fn real_inverse(name: &str, a: &Arc<Node>, axes: &[AxisLen], norm: Norm) -> Result<Arc<Node>> {
    let a = record::cast(a, complex_of(a.dtype));
    let (over, last) = sorted(name, axes)?;
    let n = match axes[axes.len() - 1].1 {
        Some(n) => n,
        None => 2 * a.shape[last].saturating_sub(1),
    };
    if n == 0 {
        return Err(no_points(name, last, &a.shape));
    }
    let mut lens: SmallVec<[AxisLen; 4]> = SmallVec::from_slice(axes);
    lens[axes.len() - 1].1 = Some(half(n));
    let a = fitted(name, &a, &lens)?;
    let before: List = over.iter().copied().filter(|&axis| axis != last).collect();
    let factor = norm.factor(true, points(&a.shape, &before) * n as f64);
    inverse_calls(&a, &over, last, n, factor)
}

/// The axes in order, and the one of them that is halved.
fn sorted(name: &str, axes: &[AxisLen]) -> Result<(List, usize)> {
    let Some(&(last, _)) = axes.last() else {
        return Err(Error::shape(format!("{name}: at least one axis is needed")));
    };
    let mut over: List = axes.iter().map(|axis| axis.0).collect();
    over.sort_unstable();
    Ok((over, last))
}

fn points(shape: &[usize], over: &[usize]) -> f64 {
    over.iter().map(|&axis| shape[axis] as f64).product()
}

fn no_points(name: &str, axis: usize, shape: &[usize]) -> Error {
    Error::shape(format!("{name}: axis {axis} of shape {shape:?} has no points to transform"))
}

/// The array padded with zeros, or trimmed, to the lengths that are set.
#[track_caller]
pub(super) fn fitted(name: &str, a: &Arc<Node>, axes: &[AxisLen]) -> Result<Arc<Node>> {
    let (mut trimmed, mut shape) = (a.shape.clone(), a.shape.clone());
    for &(axis, len) in axes {
        let n = len.unwrap_or(a.shape[axis]);
        if n == 0 {
            return Err(no_points(name, axis, &a.shape));
        }
        (trimmed[axis], shape[axis]) = (n.min(a.shape[axis]), n);
    }
    checked_len(name, &shape)?;
    let a = record::view(a, View::identity(shape.len()), trimmed);
    if a.shape == shape {
        return Ok(a);
    }
    let before = std::iter::repeat_n(0, shape.len()).collect();
    let zero = Arg::Scalar(Scalar::from_f64(a.dtype, 0.0));
    Ok(record::record(
        NodeOp::Pad { before },
        smallvec![(&a).into(), zero],
        shape,
        a.dtype,
        a.device,
    ))
}

/// The conjugate; real numbers are their own.
#[track_caller]
pub(super) fn conj(a: &Arc<Node>) -> Arc<Node> {
    if a.dtype.is_complex() { record::unary(Op::Conj, a) } else { a.clone() }
}

/// The array times a factor.
#[track_caller]
pub(super) fn scaled(a: &Arc<Node>, factor: f64) -> Arc<Node> {
    if factor == 1.0 {
        return a.clone();
    }
    record::binary(Op::Multiply, a, record::number(a, factor)).expect("a scalar broadcasts")
}

/// A linear computation with a factor, which is put where a kernel passes anyway: in front, where
/// what goes in has to be computed, else behind, where the next kernel takes it up.
#[track_caller]
fn around(
    a: &Arc<Node>,
    factor: f64,
    linear: impl FnOnce(&Arc<Node>) -> Result<Arc<Node>>,
) -> Result<Arc<Node>> {
    match is_stored(a) {
        true => Ok(scaled(&linear(a)?, factor)),
        false => linear(&scaled(a, factor)),
    }
}

/// Whether an array lies in memory without a kernel of its own.
fn is_stored(a: &Arc<Node>) -> bool {
    let mut node = a.clone();
    while node.op == NodeOp::Reshape && !node.is_evaluated() {
        let next = match node.state().args.first() {
            Some(Arg::Node(next)) => next.clone(),
            _ => break,
        };
        node = next;
    }
    node.is_evaluated() || matches!(node.op, NodeOp::Library(_) | NodeOp::Part(_))
}

/// The half of the spectrum of a real array, halved along `last`.
#[track_caller]
fn real_calls(a: &Arc<Node>, over: &[usize], last: usize) -> Result<Arc<Node>> {
    let (first, rest) = split(a, over, last);
    let half = call(a, first, Kind::RealForward, a.shape[last])?;
    complex_calls(&half, &rest, Kind::Forward)
}

/// The real array of length `n` along `last` that has the given half of a spectrum.
#[track_caller]
fn inverse_calls(
    a: &Arc<Node>,
    over: &[usize],
    last: usize,
    n: usize,
    factor: f64,
) -> Result<Arc<Node>> {
    let (first, rest) = split(a, over, last);
    around(a, factor, |a| {
        let a = complex_calls(a, &rest, Kind::Inverse)?;
        call(&a, first, Kind::RealInverse, n)
    })
}

/// The neighbouring axes that end with `last` and fit into one call, and the others. The axis along
/// which an array is cut over several devices is by itself.
fn split(a: &Arc<Node>, over: &[usize], last: usize) -> (Range<usize>, List) {
    let cut = sharding::axis_cut(a);
    let joins = |axis: usize| over.contains(&axis) && cut != Some(axis) && cut != Some(axis + 1);
    let mut first = last;
    while first > 0 && joins(first - 1) && last - first + 1 < MOST_AXES {
        first -= 1;
    }
    let run = first..last + 1;
    (run.clone(), over.iter().copied().filter(|axis| !run.contains(axis)).collect())
}

/// Complex transforms over the given axes, in as few calls as there are groups of neighbours.
#[track_caller]
fn complex_calls(a: &Arc<Node>, over: &[usize], kind: Kind) -> Result<Arc<Node>> {
    let (mut a, mut left) = (a.clone(), List::from_slice(over));
    while let Some(&last) = left.last() {
        let (run, rest) = split(&a, &left, last);
        a = call(&a, run, kind, a.shape[last])?;
        left = rest;
    }
    Ok(a)
}

/// The most places in front of strided lines at which a library is called one after another;
/// with more of them, the lines are made contiguous first.
const MOST_OUTER: usize = 8;

/// Whether lines that lie in strides are better made contiguous first. cuFFT takes four times as
/// long for long lines in strides, once they do not fit into a GPU's cache, and the two
/// transpositions half of that; the processor's blocks of lines are as good as a transposition.
fn is_far_apart(a: &Node, n: usize) -> bool {
    const LONG: usize = 1024;
    const CACHED: usize = 16 << 20;
    a.device.is_cuda() && n > LONG && a.len() * a.dtype.size() > CACHED
}

/// One library call over neighbouring axes; `n` is the real length along the last of them.
#[track_caller]
fn call(a: &Arc<Node>, run: Range<usize>, kind: Kind, n: usize) -> Result<Arc<Node>> {
    let mut shape = a.shape.clone();
    let last = run.end - 1;
    match kind {
        Kind::RealForward => shape[last] = half(n),
        Kind::RealInverse => shape[last] = n,
        Kind::Forward | Kind::Inverse => {}
    }
    checked_len("fft", &shape)?;
    if run.len() == 1
        && sharding::axis_cut(a) == Some(last)
        && let Some(whole) = sharding::cut_elsewhere(a, last)
    {
        // Each device gets whole lines of some places, and gives them back.
        return Ok(Node::placed(&call(&whole, run, kind, n)?, a.device));
    }
    let (outer, inner) =
        (crate::shape::len(&a.shape[..run.start]), crate::shape::len(&a.shape[run.end..]));
    let most = match kind {
        Kind::Forward | Kind::Inverse => MOST_OUTER,
        // An odd number of reals in front would put the lines off the alignment of complex
        // numbers, which cuFFT asks for.
        Kind::RealForward | Kind::RealInverse => 1,
    };
    if inner > 1 && (outer > most || is_far_apart(a, n)) {
        return moved_call(a, run, kind, n);
    }
    let mut lens: SmallVec<[usize; 3]> = SmallVec::from_slice(&a.shape[run]);
    *lens.last_mut().expect("a run has an axis") = n;
    let double = matches!(a.dtype, DType::F64 | DType::C128);
    let fft = Fft { kind, double, outer, lens, inner };
    let dtype = fft.output().1;
    if shape.contains(&0) {
        return Ok(record::full(Scalar::from_f64(dtype, 0.0), shape, a.device));
    }
    Ok(record::library(Library::Fft(fft), smallvec![a.into()], shape, a.device))
}

/// The same with the axes moved to the end, and back.
#[track_caller]
fn moved_call(a: &Arc<Node>, run: Range<usize>, kind: Kind, n: usize) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let order: List = (0..rank).filter(|k| !run.contains(k)).chain(run.clone()).collect();
    let mut back: List = smallvec![0; rank];
    for (to, &from) in order.iter().enumerate() {
        back[from] = to;
    }
    let done = call(&permuted(a, &order), rank - run.len()..rank, kind, n)?;
    Ok(permuted(&done, &back))
}

/// The axes in another order: axis `order[k]` becomes axis `k`.
#[track_caller]
fn permuted(a: &Arc<Node>, order: &[usize]) -> Arc<Node> {
    let mut view = View::identity(a.shape.len());
    for (to, &from) in order.iter().enumerate() {
        view.0[from] = AxisMap::same(to);
    }
    let shape: Shape = order.iter().map(|&k| a.shape[k]).collect();
    record::view(a, view, shape)
}
