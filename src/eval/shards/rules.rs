//! What each operation is on a share: the same operation on the rows that its block needs.

use super::forms::Shards;
use super::local::{Form, Input, Local};
use crate::dtype::Scalar;
use crate::graph::sharding::{axis_cut, items_axes};
use crate::graph::{Arg, Node, NodeOp, Region};
use crate::shape::{Shape, copy_of};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A local argument: an array or a number.
pub(super) enum Own {
    Local(Local),
    Scalar(Scalar),
}

impl Own {
    pub(super) fn input(&self) -> Input<'_> {
        match self {
            Own::Local(local) => Input::Local(local),
            Own::Scalar(value) => Input::Scalar(*value),
        }
    }
}

impl Shards {
    /// What a node is on every share. Its arguments' forms are known.
    pub(super) fn computed(&mut self, node: &Arc<Node>, args: &[Arg]) -> Form {
        let cut = axis_cut(node);
        if let (NodeOp::Reshape, [Arg::Node(a)]) = (&node.op, args)
            && a.shape == node.shape
            && a.device != node.device
        {
            let shares = (0..self.count()).map(|k| self.placed(node, a, k)).collect();
            let whole = match self.form(a).cut {
                None => Some(a.clone()),
                Some(_) => None,
            };
            return Form { cut, shares, whole };
        }
        if let Some(shares) = self.across(node, args) {
            return Form { cut, shares, whole: None };
        }
        let shares = (0..self.count()).map(|k| self.block_of(node, args, k)).collect();
        Form { cut, shares, whole: None }
    }

    /// A share's rows of an operation that needs no more than rows of its arguments: those of its block,
    /// or those that it is asked for.
    pub(super) fn block_of(&mut self, node: &Arc<Node>, args: &[Arg], share: usize) -> Local {
        match &node.op {
            NodeOp::View(_) => self.view(node, node_of(&args[0]), share),
            NodeOp::Reshape => self.reshape(node, node_of(&args[0]), share),
            NodeOp::Pad { before } => self.padded(node, args, before, share),
            NodeOp::Concat { axis } => self.concatenated(node, args, *axis as usize, share),
            NodeOp::Take { axis, .. } => self.taken(node, args, *axis as usize, share),
            NodeOp::TakeAlong { axis, .. } => self.taken_along(node, args, *axis as usize, share),
            NodeOp::Assign(region) => self.assigned(node, args, region, share),
            NodeOp::Library(call) => self.called(node, args, call, share),
            NodeOp::Part(_) => self.part(node, node_of(&args[0]), share),
            NodeOp::Reduce { axes, .. } | NodeOp::Fold { axes, .. } => {
                let axes = *axes;
                self.reduced_elsewhere(node, args, axes, share)
            }
            _ => self.elementwise(node, args, share),
        }
    }

    /// The rows of an argument that broadcasts to a node which belong to the node's block.
    pub(super) fn aligned(
        &mut self,
        arg: &Arg,
        rank: usize,
        rows: Option<(usize, [usize; 2])>,
        share: usize,
    ) -> Own {
        let a = match arg {
            Arg::Scalar(value) => return Own::Scalar(*value),
            Arg::Node(a) => a,
        };
        let own = rows.and_then(|(axis, rows)| {
            let axis = (axis + a.shape.len()).checked_sub(rank)?;
            // An axis of one element is broadcast, unless the node's has one, too.
            (a.shape[axis] != 1 || rows == [0, 1]).then_some((axis, rows))
        });
        Own::Local(match own {
            Some((axis, rows)) => self.rows(a, axis, rows, share),
            None => self.whole(a, share),
        })
    }

    /// The axis along which a node is cut, and a share's rows of it.
    pub(super) fn own_rows(&self, node: &Node, share: usize) -> Option<(usize, [usize; 2])> {
        let asked = self.asked.last().filter(|asked| std::ptr::eq(asked.0, node));
        let rows = |axis: usize| asked.map_or_else(|| self.block(node.shape[axis], share), |a| a.1);
        axis_cut(node).map(|axis| (axis, rows(axis)))
    }

    /// The shape of those rows.
    pub(super) fn own_shape(&self, node: &Node, share: usize) -> Shape {
        let mut shape = copy_of(&node.shape);
        if let Some((axis, rows)) = self.own_rows(node, share) {
            shape[axis] = rows[1] - rows[0];
        }
        shape
    }

    /// The same operation on local arguments.
    pub(super) fn like(
        &mut self,
        (node, args): (&Node, &[Arg]),
        op: NodeOp,
        own: &[Own],
        share: usize,
    ) -> Local {
        let shape = self.own_shape(node, share);
        let inputs: Vec<Input> = own.iter().map(Own::input).collect();
        let local = self.local(op, &inputs, shape, node.dtype, share);
        if local.node.len() > 0 {
            self.note(&local, node, args);
        }
        local
    }

    fn elementwise(&mut self, node: &Arc<Node>, args: &[Arg], share: usize) -> Local {
        let (rank, rows) = (node.shape.len(), self.own_rows(node, share));
        // One element may be all of an axis: its rows are then on one share alone.
        let rows =
            rows.filter(|(axis, _)| node.shape[*axis] != 1 || rows_are_cut(args, rank, *axis));
        let own: Vec<Own> = args.iter().map(|arg| self.aligned(arg, rank, rows, share)).collect();
        self.like((node, args), node.op.clone(), &own, share)
    }

    fn padded(&mut self, node: &Arc<Node>, args: &[Arg], before: &[usize], share: usize) -> Local {
        let (a, value) = (node_of(&args[0]), scalar_of(&args[1]));
        let Some((axis, rows)) = self.own_rows(node, share) else {
            let own = [Own::Local(self.whole(a, share)), Own::Scalar(value)];
            return self.like((node, args), node.op.clone(), &own, share);
        };
        let (start, end) = (before[axis], before[axis] + a.shape[axis]);
        let held = rows.map(|row| row.clamp(start, end) - start);
        if held[0] == held[1] {
            let shape = self.own_shape(node, share);
            let around = self.constant(value, shape, share);
            self.note(&around, node, args);
            return around;
        }
        let mut own_before: Box<[usize]> = before.into();
        own_before[axis] = start.saturating_sub(rows[0]);
        let own = [Own::Local(self.rows(a, axis, held, share)), Own::Scalar(value)];
        self.like((node, args), NodeOp::Pad { before: own_before }, &own, share)
    }

    fn concatenated(&mut self, node: &Arc<Node>, args: &[Arg], at: usize, share: usize) -> Local {
        let mut begin = 0;
        let mut pieces = Vec::new();
        for arg in args {
            let a = node_of(arg);
            let end = begin + a.shape[at];
            match self.own_rows(node, share) {
                Some((axis, rows)) if axis == at => {
                    let held = rows.map(|row| row.clamp(begin, end) - begin);
                    if held[0] < held[1] {
                        pieces.push(self.rows(a, axis, held, share));
                    }
                }
                Some((axis, rows)) => pieces.push(self.rows(a, axis, rows, share)),
                None => pieces.push(self.whole(a, share)),
            }
            begin = end;
        }
        if pieces.is_empty() {
            let shape = self.own_shape(node, share);
            return self.constant(Scalar::from_f64(node.dtype, 0.0), shape, share);
        }
        self.joined(pieces, at, share)
    }

    fn taken(&mut self, node: &Arc<Node>, args: &[Arg], at: usize, share: usize) -> Local {
        let (table, places) = (node_of(&args[0]), node_of(&args[1]));
        let own = match self.own_rows(node, share) {
            None => [self.whole(table, share), self.whole(places, share)],
            Some((axis, rows)) if axis < at => {
                [self.rows(table, axis, rows, share), self.whole(places, share)]
            }
            Some((axis, rows)) if axis < at + places.shape.len() => {
                [self.whole(table, share), self.rows(places, axis - at, rows, share)]
            }
            Some((axis, rows)) => {
                let axis = axis + 1 - places.shape.len();
                [self.rows(table, axis, rows, share), self.whole(places, share)]
            }
        };
        self.like((node, args), node.op.clone(), &own.map(Own::Local), share)
    }

    fn taken_along(&mut self, node: &Arc<Node>, args: &[Arg], at: usize, share: usize) -> Local {
        let (table, places) = (node_of(&args[0]), node_of(&args[1]));
        let own = match self.own_rows(node, share) {
            None => [self.whole(table, share), self.whole(places, share)],
            Some((axis, rows)) => {
                let table = match axis == at {
                    true => self.whole(table, share),
                    false => self.rows(table, axis, rows, share),
                };
                [table, self.rows(places, axis, rows, share)]
            }
        };
        self.like((node, args), node.op.clone(), &own.map(Own::Local), share)
    }

    fn assigned(&mut self, node: &Arc<Node>, args: &[Arg], region: &Region, share: usize) -> Local {
        let base = node_of(&args[0]);
        let Some((axis, rows)) = self.own_rows(node, share) else {
            let own = [Own::Local(self.whole(base, share)), self.aligned(&args[1], 0, None, share)];
            return self.like((node, args), node.op.clone(), &own, share);
        };
        let held = self.rows(base, axis, rows, share);
        let (start, step) = (region.starts[axis], region.steps[axis]);
        let places = region.places(axis, rows);
        if places[0] == places[1] {
            return held;
        }
        let mut own = Region::clone(region);
        own.starts[axis] = start + places[0] * step - rows[0];
        own.lens[axis] = places[1] - places[0];
        let value = match &args[1] {
            Arg::Node(value) => {
                let rank = node.shape.len();
                let at = (axis + value.shape.len()).checked_sub(rank);
                let at = at.filter(|&at| value.shape[at] != 1 || region.lens[axis] == 1);
                Own::Local(match at {
                    Some(at) => self.rows(value, at, places, share),
                    None => self.whole(value, share),
                })
            }
            Arg::Scalar(value) => Own::Scalar(*value),
        };
        self.like((node, args), NodeOp::Assign(Box::new(own)), &[Own::Local(held), value], share)
    }

    /// An output of a library call with several.
    fn part(&mut self, node: &Arc<Node>, bundle: &Arc<Node>, share: usize) -> Local {
        let call = self.form(bundle).shares[share].clone();
        let shape = self.own_shape(node, share);
        if !matches!(call.node.op, NodeOp::Library(_)) && !call.node.is_evaluated() {
            return self.constant(Scalar::from_f64(node.dtype, 0.0), shape, share);
        }
        let (NodeOp::Part(part), NodeOp::Library(library)) = (&node.op, &call.node.op) else {
            return self.local(node.op.clone(), &[Input::Local(&call)], shape, node.dtype, share);
        };
        let len = crate::shape::len(&shape);
        let made = library.outputs()[*part as usize].0;
        if made == len {
            return self.local(node.op.clone(), &[Input::Local(&call)], shape, node.dtype, share);
        }
        // Of the two equal matrices of `one_matrix` the first.
        let both = smallvec![made / len.max(1), len];
        let both = self.local(node.op.clone(), &[Input::Local(&call)], both, node.dtype, share);
        let first = self.slice(&both, 0, [0, 1], share);
        self.reshaped(&first, shape, share)
    }

    /// The local shapes of the axes that items lie along, and of an argument's advances there.
    pub(super) fn items_strides(
        &self,
        (global, local): (&[usize], &[usize]),
        strides: &[usize],
    ) -> Option<SmallVec<[usize; 4]>> {
        let loops = items_axes(global, strides)?;
        let own = crate::shape::contiguous_strides(local);
        let skip = strides.len() - loops;
        let stride = |k: usize| match k.checked_sub(skip) {
            Some(axis) if global[axis] != 1 => own[axis] as usize,
            _ => 0,
        };
        Some((0..strides.len()).map(stride).collect())
    }
}

/// Whether an argument's one row along an axis is cut there: it is on one share then, and the others
/// have none.
fn rows_are_cut(args: &[Arg], rank: usize, axis: usize) -> bool {
    args.iter().any(|arg| match arg {
        Arg::Node(a) => {
            (axis + a.shape.len()).checked_sub(rank).is_some_and(|own| axis_cut(a) == Some(own))
        }
        Arg::Scalar(_) => false,
    })
}

/// The array that an argument is.
pub(super) fn node_of(arg: &Arg) -> &Arc<Node> {
    match arg {
        Arg::Node(node) => node,
        Arg::Scalar(_) => unreachable!("the argument is an array"),
    }
}

/// The number that an argument is.
fn scalar_of(arg: &Arg) -> Scalar {
    match arg {
        Arg::Scalar(value) => *value,
        Arg::Node(_) => unreachable!("the argument is a number"),
    }
}
