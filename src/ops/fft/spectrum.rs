//! Spectra of real arrays: the second half from the first, and back.
//!
//! The second half is a view that no other function records, and is therefore known again: an
//! inverse transform of sums and products of such spectra is computed from their halves, and its
//! result is real.

use crate::array::record;
use crate::error::Result;
use crate::graph::{Arg, Args, AxisMap, Node, NodeOp, View, Wrap};
use crate::library::fft::half;
use crate::shape::{Shape, checked_len};
use crate::table::Op;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The whole spectrum of a real array, which had `n` points along the last of the transformed
/// axes, from its half: what is missing is the conjugate of what stands at the negated
/// frequencies.
#[track_caller]
pub(super) fn whole(a: &Arc<Node>, over: &[usize], n: usize) -> Result<Arc<Node>> {
    let last = over[over.len() - 1];
    let mut shape = a.shape.clone();
    shape[last] = n;
    checked_len("fft", &shape)?;
    if n == half(n) {
        return Ok(a.clone());
    }
    let mut rest = shape.clone();
    rest[last] = n - half(n);
    let mirrored = record::view(a, mirror(&a.shape, over, n), rest);
    let args = smallvec![a.into(), Arg::Node(record::unary(Op::Conj, &mirrored))];
    Ok(record::record(NodeOp::Concat { axis: last as u8 }, args, shape, a.dtype, a.device))
}

/// Where the second half is read in the first. No other function records a view that falls
/// around the end of an axis backwards, so that [`half_of`] knows it again.
fn mirror(shape: &[usize], over: &[usize], n: usize) -> View {
    let last = over[over.len() - 1];
    let backwards = |axis: usize, from: usize, len: usize| {
        AxisMap::affine(axis, from as i64, -1).wrapped(Wrap::Mod(len as i64))
    };
    let map = |axis: usize| match over.contains(&axis) {
        true if axis == last => backwards(axis, n - half(n), n),
        true => backwards(axis, shape[axis], shape[axis]),
        false => AxisMap::same(axis),
    };
    View((0..shape.len()).map(map).collect())
}

/// The most nodes that are looked at.
const MOST_NODES: usize = 64;

/// The half of what is known to be the spectrum of a real array over the given axes: a spectrum
/// that [`whole`] made, or what elementwise operations that commute with conjugation make of such
/// spectra.
#[track_caller]
pub(super) fn half_of(a: &Arc<Node>, over: &[usize]) -> Option<Arc<Node>> {
    Search { seen: SmallVec::new() }.half_of(a, over)
}

/// The nodes that were looked at.
struct Search {
    seen: SmallVec<[Seen; 8]>,
}

/// A node and its half, where it has one.
struct Seen {
    node: Arc<Node>,
    half: Option<Arc<Node>>,
}

impl Search {
    #[track_caller]
    fn half_of(&mut self, a: &Arc<Node>, over: &[usize]) -> Option<Arc<Node>> {
        if let Some(seen) = self.seen.iter().find(|seen| Arc::ptr_eq(&seen.node, a)) {
            return seen.half.clone();
        }
        if self.seen.len() >= MOST_NODES {
            return None;
        }
        self.seen.push(Seen { node: a.clone(), half: None });
        let at = self.seen.len() - 1;
        let args = a.state().args.clone();
        let found = match &a.op {
            NodeOp::Concat { axis } if usize::from(*axis) == over[over.len() - 1] => {
                first_half(a, &args, over)
            }
            NodeOp::Map(op) if commutes(*op) => self.map(a, *op, &args, over),
            _ => None,
        };
        self.seen[at].half = found.clone();
        found
    }

    /// The operation on the halves of its arguments.
    #[track_caller]
    fn map(&mut self, a: &Arc<Node>, op: Op, args: &Args, over: &[usize]) -> Option<Arc<Node>> {
        let mut halves = Args::new();
        for arg in args {
            halves.push(match arg {
                Arg::Scalar(value) => is_real(value.bytes()).then_some(Arg::Scalar(*value))?,
                Arg::Node(node) => Arg::Node(self.broadcast_half(a, node, over)?),
            });
        }
        record::map(op, halves).ok()
    }

    /// The half of an argument that may have fewer axes in front than the result.
    #[track_caller]
    fn broadcast_half(
        &mut self,
        a: &Arc<Node>,
        arg: &Arc<Node>,
        over: &[usize],
    ) -> Option<Arc<Node>> {
        let skip = a.shape.len() - arg.shape.len();
        let own: Option<SmallVec<[usize; 4]>> = over.iter().map(|k| k.checked_sub(skip)).collect();
        let own = own?;
        let same = own.iter().zip(over).all(|(&k, &axis)| arg.shape[k] == a.shape[axis]);
        if same { self.half_of(arg, &own) } else { None }
    }
}

/// Whether `f(conj(x))` is `conj(f(x))`.
fn commutes(op: Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::Subtract
            | Op::Multiply
            | Op::Divide
            | Op::Negative
            | Op::Square
            | Op::Reciprocal
            | Op::Conj
    )
}

/// Whether the imaginary part, the second half of the bytes of a complex number, is zero.
fn is_real(bytes: &[u8]) -> bool {
    bytes[bytes.len() / 2..].iter().all(|&b| b == 0)
}

/// The first part of what [`whole`] recorded.
#[track_caller]
fn first_half(a: &Arc<Node>, args: &Args, over: &[usize]) -> Option<Arc<Node>> {
    let [Arg::Node(first), Arg::Node(second)] = &args[..] else { return None };
    let n = a.shape[over[over.len() - 1]];
    let argument = |node: &Arc<Node>| match node.state().args.first() {
        Some(Arg::Node(arg)) => Some(arg.clone()),
        _ => None,
    };
    let mirrored = argument(second).filter(|_| second.op == NodeOp::Map(Op::Conj))?;
    let NodeOp::View(view) = &mirrored.op else { return None };
    let shape: Shape = first.shape.clone();
    let known = **view == mirror(&shape, over, n)
        && argument(&mirrored).is_some_and(|source| Arc::ptr_eq(&source, first));
    known.then(|| first.clone())
}
