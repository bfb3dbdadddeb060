//! The untyped functions under the methods.
//!
//! What has a size that depends on data evaluates when it is called, counts, and records the rest.

use super::shares;
use crate::array::record;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::graph::{Arg, Args, AxisMap, Node, NodeOp, View, sharding};
use crate::library::Library;
use crate::library::sort::{Check, Nonzero, Ranks, Sort, Sorting, Top};
use crate::ops::movement::permute;
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// What a sort along an axis gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// The elements.
    Elements,
    /// The positions where they stood.
    Positions,
}

/// An array with one axis moved to the end, and the order of axes that moves it back.
#[track_caller]
fn with_last(a: &Arc<Node>, axis: usize) -> (Arc<Node>, SmallVec<[usize; 4]>) {
    let rank = a.shape.len();
    let mut order: SmallVec<[usize; 4]> = (0..rank).filter(|&k| k != axis).collect();
    order.push(axis);
    let mut back: SmallVec<[usize; 4]> = (0..rank - 1).collect();
    back.insert(axis, rank - 1);
    (permute(a, &order), back)
}

/// Elements or positions in order along an axis.
#[track_caller]
pub(super) fn sort(
    a: &Arc<Node>,
    axis: usize,
    descending: bool,
    gives: Gives,
) -> Result<Arc<Node>> {
    let len = a.shape[axis];
    if a.len() == 0 || len == 1 {
        return Ok(match gives {
            Gives::Elements => a.clone(),
            Gives::Positions => record::full(Scalar::new(0i64), a.shape.clone(), a.device),
        });
    }
    if a.dtype.is_complex() {
        let order = complex_order(a, axis, descending)?;
        return Ok(match gives {
            Gives::Elements => take_along(a, &order, axis),
            Gives::Positions => order,
        });
    }
    if sharding::axis_cut(a) == Some(axis)
        && let Some(whole) = sharding::cut_elsewhere(a, axis)
    {
        // Each device gets whole lines of some places, and gives them back.
        return Ok(Node::placed(&sort(&whole, axis, descending, gives)?, a.device));
    }
    if sharding::axis_cut(a) == Some(axis) {
        return shares::sort(a, descending, gives);
    }
    let (rows, back) = with_last(a, axis);
    let positions = gives == Gives::Positions;
    let call = Sort { dtype: a.dtype, rows: a.len() / len, len, descending, positions };
    let call = Library::Sort(Sorting::Sort(call));
    let shape = rows.shape.clone();
    let sorted = record::library(call, smallvec![Arg::from(&rows)], shape, a.device);
    Ok(permute(&sorted, &back))
}

/// The positions of the first `count` elements of the order along an axis.
#[track_caller]
pub(super) fn top(a: &Arc<Node>, axis: usize, count: usize, descending: bool) -> Result<Arc<Node>> {
    let len = a.shape[axis];
    let mut shape = a.shape.clone();
    shape[axis] = count;
    if crate::shape::len(&shape) == 0 || len == 1 {
        return Ok(record::full(Scalar::new(0i64), shape, a.device));
    }
    if sharding::axis_cut(a) == Some(axis)
        && let Some(whole) = sharding::cut_elsewhere(a, axis)
    {
        return Ok(Node::placed(&top(&whole, axis, count, descending)?, a.device));
    }
    if a.dtype.is_complex() || 4 * count > len || sharding::axis_cut(a) == Some(axis) {
        let order = sort(a, axis, descending, Gives::Positions)?;
        return Ok(first(&order, axis, count));
    }
    let (rows, back) = with_last(a, axis);
    let sort = Sort { dtype: a.dtype, rows: a.len() / len, len, descending, positions: true };
    let call = Library::Sort(Sorting::Top(Top { sort, count }));
    let mut shape = rows.shape.clone();
    shape[back.len() - 1] = count;
    let found = record::library(call, smallvec![Arg::from(&rows)], shape, a.device);
    Ok(permute(&found, &back))
}

/// The first positions along an axis.
#[track_caller]
pub(super) fn first(a: &Arc<Node>, axis: usize, count: usize) -> Arc<Node> {
    let mut shape = a.shape.clone();
    shape[axis] = count;
    record::view(a, View::identity(a.shape.len()), shape)
}

/// The positions along an axis from one on.
#[track_caller]
pub(super) fn from(a: &Arc<Node>, axis: usize, start: usize) -> Arc<Node> {
    let mut view = View::identity(a.shape.len());
    view.0[axis] = AxisMap::affine(axis, start as i64, 1);
    let mut shape = a.shape.clone();
    shape[axis] -= start;
    record::view(a, view, shape)
}

/// One position of an axis, which disappears.
#[track_caller]
pub(super) fn at(a: &Arc<Node>, axis: usize, position: usize) -> Arc<Node> {
    let map = (0..a.shape.len()).map(|k| match k {
        k if k == axis => AxisMap::fixed(position as i64),
        k => AxisMap::same(k - usize::from(k > axis)),
    });
    let mut shape = a.shape.clone();
    shape.remove(axis);
    record::view(a, View(map.collect()), shape)
}

/// Argument 0 at positions along an axis that are known to lie within it.
#[track_caller]
pub(super) fn take_along(a: &Arc<Node>, positions: &Arc<Node>, axis: usize) -> Arc<Node> {
    let op = NodeOp::TakeAlong { axis: axis as u8, from_start: counts_from_start(positions) };
    let args: Args = smallvec![Arg::from(a), Arg::from(positions)];
    record::record(op, args, positions.shape.clone(), a.dtype, a.device)
}

/// Elements of axis 0 at positions that are known to lie within it.
#[track_caller]
pub(super) fn take(a: &Arc<Node>, positions: &Arc<Node>) -> Arc<Node> {
    let mut shape = positions.shape.clone();
    shape.extend_from_slice(&a.shape[1..]);
    if crate::shape::len(&shape) == 0 {
        return record::full(record::number(a, 0.0), shape, a.device);
    }
    let op = NodeOp::Take { axis: 0, from_start: counts_from_start(positions) };
    let args: Args = smallvec![Arg::from(a), Arg::from(positions)];
    record::record(op, args, shape, a.dtype, a.device)
}

/// The positions that sort by several keys of one shape, the last of them first.
#[track_caller]
pub(super) fn sort_by_keys(keys: &[(Arc<Node>, bool)], axis: usize) -> Result<Arc<Node>> {
    let (first, more) = keys.split_first().expect("there is a key");
    let mut order = sort(&first.0, axis, first.1, Gives::Positions)?;
    for (key, descending) in more {
        let next = sort(&take_along(key, &order, axis), axis, *descending, Gives::Positions)?;
        order = take_along(&order, &next, axis);
    }
    Ok(order)
}

/// The positions that sort complex numbers: by the real part, then by the imaginary one. Numbers
/// with a NaN go last: first those whose real part is a number, then those whose imaginary part
/// is, each by that part.
#[track_caller]
fn complex_order(a: &Arc<Node>, axis: usize, descending: bool) -> Result<Arc<Node>> {
    let (re, im) = (record::unary(Op::RealPart, a), record::unary(Op::ImagPart, a));
    let (no_re, no_im) = (record::unary(Op::IsNan, &re), record::unary(Op::IsNan, &im));
    let nan = record::number(&re, f64::NAN);
    let primary = record::select(&record::binary(Op::LogicalOr, &no_re, &no_im)?, nan, &re)?;
    let two = record::cast(&no_re, DType::U8);
    let two = record::binary(Op::Add, &two, &two)?;
    let class = record::binary(Op::Add, &two, &record::cast(&no_im, DType::U8))?;
    let without_re = record::select(&no_im, record::number(&re, 0.0), &im)?;
    let with_re = record::select(&no_im, &re, &im)?;
    let rest = record::select(&no_re, &without_re, &with_re)?;
    sort_by_keys(&[(rest, descending), (class, false), (primary, descending)], axis)
}

/// The positions at which a mask of one axis is true; there must be `count`, at least one.
#[track_caller]
pub(super) fn nonzero(mask: &Arc<Node>, count: usize) -> Arc<Node> {
    let call = Library::Sort(Sorting::Nonzero(Nonzero { len: mask.len(), count }));
    record::library(call, smallvec![Arg::from(mask)], smallvec![count], mask.device)
}

/// For each element of a mask of one axis how many are true up to it.
#[track_caller]
pub(super) fn ranks(mask: &Arc<Node>) -> Arc<Node> {
    if mask.len() == 0 {
        return record::full(Scalar::new(0i64), mask.shape.clone(), mask.device);
    }
    if sharding::axis_cut(mask).is_some() {
        return record::accumulate(
            Reduction::Sum,
            &record::cast(mask, DType::I64),
            0,
            false,
            false,
        );
    }
    let call = Library::Sort(Sorting::Ranks(Ranks { len: mask.len() }));
    record::library(call, smallvec![Arg::from(mask)], mask.shape.clone(), mask.device)
}

/// Positions along an axis of length `len`; should one lie outside when they are computed, the
/// evaluation fails and names it.
#[track_caller]
pub(crate) fn checked_positions(
    name: &'static str,
    axis: usize,
    len: usize,
    positions: &Arc<Node>,
) -> Arc<Node> {
    if positions.len() == 0 || inside(positions, len) {
        return positions.clone();
    }
    let call = Check { name, axis, len, count: positions.len() };
    let call = Library::Sort(Sorting::Check(call));
    let shape = positions.shape.clone();
    record::library(call, smallvec![Arg::from(positions)], shape, positions.device)
}

/// Views of positions are looked through so many at a time at most.
const MOST_VIEWS: usize = 16;

/// What computed positions, seen through views that are yet to be computed.
#[track_caller]
fn origin(positions: &Arc<Node>) -> Arc<Node> {
    let mut node = positions.clone();
    for _ in 0..MOST_VIEWS {
        let under = match (&node.op, node.state().args.first()) {
            (NodeOp::View(_) | NodeOp::Reshape, Some(Arg::Node(under))) => under.clone(),
            _ => break,
        };
        node = under;
    }
    node
}

/// Whether no position counts from the end, by what computed them.
pub(crate) fn counts_from_start(positions: &Arc<Node>) -> bool {
    match &origin(positions).op {
        NodeOp::Library(call) => call.gives_positions(),
        NodeOp::Reduce { op, .. } => matches!(op, Reduction::ArgMin | Reduction::ArgMax),
        _ => false,
    }
}

/// Whether positions are known to lie within an axis by what computed them.
fn inside(positions: &Arc<Node>, len: usize) -> bool {
    let node = origin(positions);
    match &node.op {
        NodeOp::Library(call) => match &**call {
            Library::Sort(Sorting::Sort(sort)) => sort.positions && sort.len <= len,
            Library::Sort(Sorting::Top(top)) => top.sort.len <= len,
            Library::Sort(Sorting::Nonzero(nonzero)) => nonzero.len <= len,
            Library::Sort(Sorting::Check(check)) => check.len <= len,
            _ => false,
        },
        NodeOp::Reduce { op: Reduction::ArgMin | Reduction::ArgMax, axes } => {
            match node.state().args.first() {
                Some(Arg::Node(a)) => {
                    let reduced = (0..a.shape.len()).filter(|k| axes >> k & 1 == 1);
                    reduced.map(|k| a.shape[k]).product::<usize>() <= len
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// The elements with several axes moved to the end and made one; `rest` is the shape before it.
#[track_caller]
pub(super) fn gathered(a: &Arc<Node>, axes: u32) -> (Arc<Node>, Shape) {
    let rank = a.shape.len();
    let stays = |k: &usize| axes >> k & 1 == 0;
    let mut order: SmallVec<[usize; 4]> = (0..rank).filter(stays).collect();
    let rest: Shape = order.iter().map(|&k| a.shape[k]).collect();
    order.extend((0..rank).filter(|k| !stays(k)));
    let mut shape = rest.clone();
    shape.push(order[rest.len()..].iter().map(|&k| a.shape[k]).product());
    (record::reshape(&permute(a, &order), shape), rest)
}
