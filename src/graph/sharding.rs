//! Where the result of an operation on arrays over several devices lies.
//!
//! A node over several devices is an ordinary node of the whole array's shape: this file says, when
//! it is recorded, along which axis it is cut. The axis follows from those of the arguments, so that
//! every row of the result is made from few rows of each. What has no such axis lies nowhere
//! ([`Layout::Nowhere`]): evaluating it is an error that says so. `eval/shards/` computes it.

use super::{Arg, AxisMap, Node, NodeOp, View};
use crate::backend::Device;
use crate::backend::placement::Layout;
use crate::library::Library;
use crate::library::fft::Fft;
use crate::library::sort::{Scatter, Sorting};
use crate::shape::len;
use std::sync::Arc;

/// The device of a node whose arguments lie over several devices, of which `device` names one
/// placement.
#[cold]
pub(super) fn device_of(op: &NodeOp, args: &[Arg], shape: &[usize], device: Device) -> Device {
    let layout = layout_of(op, args, shape);
    // Several outputs of a call are together an array of bytes.
    let is_call = matches!(op, NodeOp::Library(_));
    let layout = match layout {
        Layout::Along(axis) if axis as usize >= shape.len() && !is_call => Layout::Nowhere,
        layout => layout,
    };
    device.with_layout(layout)
}

/// How an argument lies; a number and an array that each device has are whole.
pub(crate) fn layout(arg: &Arg) -> Layout {
    match arg {
        Arg::Node(node) => node.device.placement().map_or(Layout::Whole, |p| p.layout),
        Arg::Scalar(_) => Layout::Whole,
    }
}

/// The axis along which an argument is cut.
pub(crate) fn cut(arg: &Arg) -> Option<usize> {
    match arg {
        Arg::Node(node) => axis_cut(node),
        Arg::Scalar(_) => None,
    }
}

/// The axis along which an array is cut.
pub(crate) fn axis_cut(node: &Node) -> Option<usize> {
    node.device.placement()?.axis()
}

/// An array cut along the longest of its other axes, if it has any.
#[track_caller]
pub(crate) fn cut_elsewhere(a: &Arc<Node>, axis: usize) -> Option<Arc<Node>> {
    let others = (0..a.shape.len()).filter(|&other| other != axis);
    let other = others.max_by_key(|&other| (a.shape[other], std::cmp::Reverse(other)))?;
    Some(Node::placed(a, a.device.with_layout(along(other))))
}

/// An array that is cut along its first axis if at all, so that the blocks follow each other in C
/// order.
#[track_caller]
pub(crate) fn cut_in_front(a: &Arc<Node>) -> Arc<Node> {
    match axis_cut(a) {
        Some(1..) => Node::placed(a, a.device.with_layout(along(0))),
        _ => a.clone(),
    }
}

/// An array cut as another one of its shape is.
#[track_caller]
pub(crate) fn lying_as(a: &Arc<Node>, like: &Node) -> Arc<Node> {
    match axis_cut(like) {
        Some(_) if a.device != like.device => Node::placed(a, like.device),
        _ => a.clone(),
    }
}

/// An array that each device has all of.
#[track_caller]
pub(crate) fn whole(a: &Arc<Node>) -> Arc<Node> {
    Node::placed(a, a.device.with_layout(Layout::Whole))
}

fn along(axis: usize) -> Layout {
    Layout::Along(axis as u8)
}

fn layout_of(op: &NodeOp, args: &[Arg], shape: &[usize]) -> Layout {
    if args.iter().any(|arg| layout(arg) == Layout::Nowhere) {
        return Layout::Nowhere;
    }
    if args.iter().all(|arg| cut(arg).is_none()) {
        return Layout::Whole;
    }
    match op {
        NodeOp::Map(_) | NodeOp::Call { .. } | NodeOp::Cast => aligned(args, shape.len()),
        NodeOp::View(view) => viewed(view, args, shape),
        NodeOp::Reshape => reshaped(&args[0], shape),
        NodeOp::Pad { .. } | NodeOp::Concat { .. } | NodeOp::Scan { .. } => {
            aligned(args, shape.len())
        }
        NodeOp::Take { axis, .. } => taken(args, *axis as usize),
        NodeOp::TakeAlong { axis, .. } => match cut(&args[0]) {
            // The rows of the positions say where the elements go.
            Some(at) if at == *axis as usize => match cut(&args[1]) {
                None => along(at),
                Some(places) if places == at => along(at),
                _ => Layout::Nowhere,
            },
            _ => aligned(args, shape.len()),
        },
        NodeOp::Assign(_) => assigned(args, shape.len()),
        NodeOp::Reduce { axes, .. } | NodeOp::Fold { axes, .. } => reduced(args, *axes),
        NodeOp::Library(call) => called(call, args, shape),
        NodeOp::Part(_) => layout(&args[0]),
        NodeOp::Source
        | NodeOp::StandIn
        | NodeOp::Full
        | NodeOp::Iota { .. }
        | NodeOp::Random(_) => Layout::Nowhere,
    }
}

/// The axis along which arguments that broadcast to a rank are cut, if it is the same for all. An
/// axis of one element that is broadcast says nothing.
fn aligned(args: &[Arg], rank: usize) -> Layout {
    let mut long = None;
    let mut short = None;
    for arg in args {
        let Some(axis) = cut(arg) else { continue };
        let at = axis + rank - arg.shape().len();
        let found = if arg.shape()[axis] == 1 { &mut short } else { &mut long };
        if *found.get_or_insert(at) != at {
            return Layout::Nowhere;
        }
    }
    long.or(short).map_or(Layout::Whole, along)
}

/// The axis of a view along which the rows of its argument follow each other: of several the
/// longest.
pub(crate) fn axis_of(map: &AxisMap, shape: &[usize]) -> Option<usize> {
    let axes = map.terms.iter().filter(|term| term.1 != 0).map(|term| term.0 as usize);
    axes.max_by_key(|&axis| (shape[axis], std::cmp::Reverse(axis)))
}

fn viewed(view: &View, args: &[Arg], shape: &[usize]) -> Layout {
    let axis = cut(&args[0]).expect("the argument is cut");
    axis_of(&view.0[axis], shape).map_or(Layout::Whole, along)
}

/// The axis of another shape that begins with the same axis as `axis` of `from`.
pub(crate) fn same_axis(from: &[usize], axis: usize, to: &[usize]) -> Option<usize> {
    let before = len(&from[..axis]);
    let fits = |&at: &usize| len(&to[..at]) == before;
    let mut axes = (0..to.len()).filter(fits);
    let long = axes.clone().rfind(|&at| to[at] != 1);
    long.or_else(|| axes.next_back())
}

fn reshaped(arg: &Arg, shape: &[usize]) -> Layout {
    let axis = cut(arg).expect("the argument is cut");
    match same_axis(arg.shape(), axis, shape) {
        _ if shape.is_empty() => Layout::Whole,
        Some(axis) => along(axis),
        // Nothing is anywhere.
        None if shape.contains(&0) => along(0),
        None => Layout::Nowhere,
    }
}

fn taken(args: &[Arg], axis: usize) -> Layout {
    match (cut(&args[0]), cut(&args[1])) {
        (Some(table), None) if table < axis => along(table),
        (Some(table), None) if table > axis => along(table + args[1].shape().len() - 1),
        (None, Some(places)) => along(axis + places),
        // Shares ask each other: the elements are cut as the positions are.
        (Some(table), places) if table == axis => match args[1].shape().len() {
            0 => Layout::Whole,
            _ => along(axis + places.unwrap_or(0)),
        },
        _ => Layout::Nowhere,
    }
}

fn assigned(args: &[Arg], rank: usize) -> Layout {
    match (layout(&args[0]), cut(&args[1])) {
        // What each device has may be cut along the axis of what is assigned.
        (Layout::Whole, Some(axis)) => along(axis + rank - args[1].shape().len()),
        (own, None) => own,
        (own, Some(axis)) => {
            let at = axis + rank - args[1].shape().len();
            let fits = own == along(at) || args[1].shape()[axis] == 1;
            if fits { own } else { Layout::Nowhere }
        }
    }
}

fn reduced(args: &[Arg], axes: u32) -> Layout {
    let Layout::Along(axis) = aligned(args, args[0].shape().len()) else { return Layout::Nowhere };
    if axes >> axis & 1 == 1 {
        return Layout::Whole;
    }
    let below = (axes & ((1 << axis) - 1)).count_ones();
    along(axis as usize - below as usize)
}

/// The first of the axes that a transform of an array of some shape goes over.
pub(crate) fn first_transformed(fft: &Fft, shape: &[usize]) -> Option<usize> {
    let fits = |&at: &usize| {
        at + fft.lens.len() <= shape.len()
            && len(&shape[..at]) == fft.outer
            && len(&shape[at + fft.lens.len()..]) == fft.inner
    };
    (0..shape.len()).find(fits)
}

fn called(call: &Library, args: &[Arg], shape: &[usize]) -> Layout {
    let first = cut(&args[0]);
    let rank = args[0].shape().len();
    match call {
        Library::Matmul(_) => multiplied(args, shape.len()),
        Library::Fft(fft) => match (first, first_transformed(fft, args[0].shape())) {
            (Some(axis), Some(at)) if axis < at || axis >= at + fft.lens.len() => along(axis),
            _ => Layout::Nowhere,
        },
        Library::Sort(sorting) => match (sorting.works_on_rows(), first) {
            (true, Some(axis)) if axis + 1 < rank => along(axis),
            (true, _) => Layout::Nowhere,
            _ => match sorting {
                Sorting::Scatter(scatter) => scattered(scatter, args),
                Sorting::Check(_) => layout(&args[0]),
                _ => Layout::Nowhere,
            },
        },
        // The axes in front of the matrices are the same for all arguments and results.
        Library::Factor(_) => match args.iter().all(|arg| layout(arg) == layout(&args[0])) {
            true if first.is_some_and(|axis| axis + 2 < rank) => layout(&args[0]),
            _ => Layout::Nowhere,
        },
        Library::Items(items) => {
            let mut found = None;
            for (arg, (_, strides)) in args.iter().zip(&items.inputs) {
                let Some(axis) = cut(arg) else { continue };
                let loops = items_axes(arg.shape(), strides);
                let Some(loops) = loops.filter(|&loops| axis < loops) else {
                    return Layout::Nowhere;
                };
                let at = axis + items.items.len() - loops;
                if arg.shape()[axis] != items.items[at] || *found.get_or_insert(at) != at {
                    return Layout::Nowhere;
                }
            }
            found.map_or(Layout::Nowhere, along)
        }
        // Every share's counts are added up.
        Library::Count(_) => match aligned(args, rank) {
            Layout::Along(_) => Layout::Whole,
            layout => layout,
        },
        Library::Generate(_) | Library::Turns(_) => Layout::Nowhere,
    }
}

/// Values put at positions: cut as what they are put into.
fn scattered(call: &Scatter, args: &[Arg]) -> Layout {
    let base = args[0].shape();
    let Some(at) = call.axis_in(base) else { return Layout::Nowhere };
    let Some(axis) = cut(&args[0]).filter(|&axis| axis != at) else { return layout(&args[0]) };
    let places = args[2].shape().len() + 1 - base.len();
    let moved = if axis < at { axis } else { axis + places - 1 };
    let fits = |arg: &Arg| cut(arg).is_none_or(|axis| axis == moved);
    let own = call.shared || (fits(&args[1]) && args[1].shape() == args[2].shape());
    if own && fits(&args[2]) { along(axis) } else { Layout::Nowhere }
}

/// How many of an argument's leading axes items lie along, from its advances.
pub(crate) fn items_axes(shape: &[usize], strides: &[usize]) -> Option<usize> {
    let own = crate::shape::contiguous_strides(shape);
    let fits = |&loops: &usize| {
        let Some(skip) = strides.len().checked_sub(loops) else { return false };
        strides.iter().enumerate().all(|(k, &stride)| match k.checked_sub(skip) {
            Some(axis) if shape[axis] != 1 => stride as i64 == own[axis],
            _ => stride == 0,
        })
    };
    (0..=shape.len()).find(fits)
}

/// A product: of rows with a whole right side, of columns with a whole left one, of batches, or of
/// both along the axis that is summed over.
fn multiplied(args: &[Arg], rank: usize) -> Layout {
    let ranks = [args[0].shape().len(), args[1].shape().len()];
    let at = |k: usize| cut(&args[k]).map(|axis| axis as isize - ranks[k] as isize);
    let is_batch = |axis: isize| axis < -2;
    let place = |axis: isize| along((rank as isize + axis) as usize);
    match (at(0), at(1)) {
        (Some(-1), Some(-2) | None) | (None, Some(-2)) => Layout::Whole,
        (Some(axis), None) | (None, Some(axis)) => place(axis),
        // Blocks go round: rows of the left side with any blocks of the right one, or columns of both.
        (Some(-2), Some(-2 | -1)) => place(-2),
        (Some(-1), Some(-1)) => place(-1),
        (Some(a), Some(b)) if a == b && is_batch(a) => place(a),
        _ => Layout::Nowhere,
    }
}
