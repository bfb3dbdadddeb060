//! Reductions along the axis that is cut, and along others; `scans.rs` has the scans.
//!
//! The axis is cut at multiples of a chunk whose length follows from the axis alone
//! (`backend/placement.rs`). Each share reduces its chunks, every share gets the results of all
//! chunks, and those are reduced; where results are large, each share reduces a part of them. So floats
//! are summed in the same order however many shares there are. What does not depend on the order is
//! reduced block by block, and sums in the fast arithmetic are, too.

use super::forms::Shards;
use super::local::{Input, Local};
use super::rules::{Own, node_of};
use crate::backend::Arithmetic;
use crate::backend::placement::{CHUNKS, chunk};
use crate::dtype::{DType, Scalar};
use crate::function::Fold;
use crate::graph::{Arg, Node, NodeOp, sharding};
use crate::library::Library;
use crate::plan::is_inexact;
use crate::shape::{Shape, copy_of};
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::cmp::Reverse;
use std::sync::Arc;

/// Results of reductions of so many bytes are reduced by parts, each on one share: less is moved and
/// computed, and all wait once more. Two H200s wait 17 µs, in which 6 MB are moved at the 374 GB/s of a
/// peer's copy.
const DIVIDED: usize = 8 << 20;

impl Shards {
    /// What every share has of an operation for which shares need each other's results; none where
    /// that is not so.
    pub(super) fn across(&mut self, node: &Arc<Node>, args: &[Arg]) -> Option<Vec<Local>> {
        let cut = args.iter().find_map(sharding::cut)?;
        match &node.op {
            NodeOp::Reduce { op, axes } if axes >> cut & 1 == 1 => {
                let (op, axes) = (*op, *axes);
                self.store_what_others_use(node_of(&args[0]));
                Some(match op.is_arg() {
                    true => self.arg_reduced(node_of(&args[0]), op, axes, cut),
                    false => self.reduced(node, node_of(&args[0]), (op, axes), cut),
                })
            }
            NodeOp::Fold { fold, axes, output } if axes >> cut & 1 == 1 => {
                args.iter().for_each(|arg| self.store_what_others_use(node_of(arg)));
                Some(self.folded(args, (fold, *axes, *output), cut))
            }
            NodeOp::Take { axis, .. } | NodeOp::TakeAlong { axis, .. }
                if sharding::cut(&args[0]) == Some(*axis as usize) =>
            {
                Some(self.taken_across(node, args))
            }
            NodeOp::Scan { axis, .. } if *axis as usize == cut => Some(self.scanned(node, args)),
            NodeOp::Library(call) => match &**call {
                Library::Matmul(matmul) if sharding::axis_cut(node).is_none() => {
                    Some(self.inner_product(node, args, matmul))
                }
                Library::Matmul(matmul) if args.iter().all(is_cut_in_matrices) => {
                    Some(self.ring(node, args, matmul))
                }
                Library::Count(_) => Some(self.counts(node, args, call)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Has an array stored that others need besides, since its reduction needs all of it first.
    fn store_what_others_use(&mut self, a: &Arc<Node>) {
        if self.uses.get(&Arc::as_ptr(a)).is_some_and(|&uses| uses > 1) {
            for (k, share) in self.form(a).shares.clone().iter().enumerate() {
                self.store(share, k);
            }
        }
    }

    /// A reduction over axes that are not cut.
    pub(super) fn reduced_elsewhere(
        &mut self,
        node: &Arc<Node>,
        args: &[Arg],
        axes: u32,
        share: usize,
    ) -> Local {
        let rank = node_of(&args[0]).shape.len();
        let rows = self.own_rows(node, share).map(|(axis, rows)| {
            let kept = (0..rank).filter(|&k| axes >> k & 1 == 0).nth(axis);
            (kept.expect("the axis is kept"), rows)
        });
        let rows_of = |shards: &mut Shards, arg: &Arg| {
            let a = node_of(arg);
            Own::Local(match rows {
                Some((axis, rows)) => shards.rows(a, axis, rows, share),
                None => shards.whole(a, share),
            })
        };
        let own: Vec<Own> = args.iter().map(|arg| rows_of(self, arg)).collect();
        self.like((node, args), node.op.clone(), &own, share)
    }

    /// A share's block of an array in chunks: an axis of chunks and one within them in place of
    /// the axis that is cut. The last chunk may be shorter, and is by itself then.
    pub(super) fn chunks(
        &mut self,
        a: &Arc<Node>,
        axis: usize,
        share: usize,
        block: bool,
    ) -> Vec<Local> {
        let n = a.shape[axis];
        let [start, end] = self.block(n, share);
        let step = if block { (end - start).max(1) } else { chunk(n) };
        let full = (end - start) / step * step;
        let own = self.rows(a, axis, [start, end], share);
        let mut parts = Vec::new();
        for rows in [[0, full], [full, end - start]] {
            let held = rows[1] - rows[0];
            if held == 0 {
                continue;
            }
            let length = step.min(held);
            let mut shape = copy_of(&own.node.shape);
            shape[axis] = length;
            shape.insert(axis, held / length);
            let part = self.slice(&own, axis, rows, share);
            parts.push(self.reshaped(&part, shape, share));
        }
        parts
    }

    fn reduced(
        &mut self,
        node: &Arc<Node>,
        a: &Arc<Node>,
        (op, axes): (Reduction, u32),
        cut: usize,
    ) -> Vec<Local> {
        let inexact = is_inexact(&node.op, a.dtype);
        // The fast arithmetic takes each block as it comes.
        let ordered = inexact && Arithmetic::current() != Arithmetic::Fast;
        // Halves are summed as singles, and rounded once.
        let wide = op.accumulator(a.dtype);
        let mut parts = Vec::new();
        for share in 0..self.count() {
            for part in self.chunks(a, cut, share, !ordered) {
                let part = if inexact { self.cast(&part, wide, share) } else { part };
                let part = self.reduced_chunks(&part, (op, axes), cut, share);
                parts.push((share, if ordered { self.strictly(part, share) } else { part }));
            }
        }
        let at = kept_before(axes, cut);
        let shares = self.gathered(&parts, op, Some(at));
        if parts.is_empty() {
            // The reduction of nothing.
            let wholes = self.form(a).shares.clone();
            let empty = |share: usize| {
                let whole = wholes[share].clone();
                let op = NodeOp::Reduce { op, axes };
                let shape = copy_of(&node.shape);
                self.local(op, &[Input::Local(&whole)], shape, node.dtype, share)
            };
            return (0..self.count()).map(empty).collect();
        }
        let back = |(share, local)| self.cast(&local, node.dtype, share);
        shares.into_iter().enumerate().map(back).collect()
    }

    /// One result for each chunk: the axes that were given, but with the axis in chunks.
    fn reduced_chunks(
        &self,
        part: &Local,
        (op, axes): (Reduction, u32),
        cut: usize,
        share: usize,
    ) -> Local {
        let axes = within_chunks(axes, cut);
        let shape = without(&part.node.shape, axes);
        let dtype = op.result(part.node.dtype);
        self.local(NodeOp::Reduce { op, axes }, &[Input::Local(part)], shape, dtype, share)
    }

    /// The results of all shares on every one, reduced: along the axis `at`, where each has a row
    /// for each of its chunks, or each share's as one row.
    pub(super) fn gathered(
        &mut self,
        parts: &[(usize, Local)],
        op: Reduction,
        at: Option<usize>,
    ) -> Vec<Local> {
        let rows = |(owner, part): &(usize, Local)| match at {
            Some(_) => (*owner, part.clone()),
            None => {
                let mut shape: Shape = smallvec![1];
                shape.extend_from_slice(&part.node.shape);
                (*owner, self.reshaped(part, shape, *owner))
            }
        };
        let parts: Vec<(usize, Local)> = parts.iter().map(rows).collect();
        let at = at.unwrap_or(0);
        if parts.is_empty() {
            return Vec::new();
        }
        if let Some(axis) = self.divisible(&parts, at) {
            return self.gathered_by_parts(&parts, op, (at, axis));
        }
        let mut shares = Vec::new();
        for share in 0..self.count() {
            let all = self.brought(&parts, at, share);
            shares.push(self.reduced_in_order(&all, op, at, share));
        }
        shares
    }

    /// Results of several shares, one after another along an axis, reduced.
    fn reduced_in_order(&mut self, all: &Local, op: Reduction, at: usize, share: usize) -> Local {
        let shape = without(&all.node.shape, 1 << at);
        let dtype = op.result(all.node.dtype);
        let reduce = NodeOp::Reduce { op, axes: 1 << at };
        let reduced = self.local(reduce, &[Input::Local(all)], shape, dtype, share);
        let inexact = dtype.is_float() || dtype.is_complex();
        let ordered = inexact && Arithmetic::current() != Arithmetic::Fast;
        if ordered { self.strictly(reduced, share) } else { reduced }
    }

    /// The axis along which the work of reducing many results is divided among the shares: the longest
    /// one, where the results are large.
    fn divisible(&self, parts: &[(usize, Local)], at: usize) -> Option<usize> {
        let node = &parts[0].1.node;
        let result = node.len() / node.shape[at].max(1) * node.dtype.size();
        let others = (0..node.shape.len()).filter(|&axis| axis != at);
        let axis = others.max_by_key(|&axis| (node.shape[axis], Reverse(axis)))?;
        let is_long = node.shape[axis] >= CHUNKS * self.count();
        // Of so many rows each share would get those of the others, or a part of each, and the parts
        // of the result.
        let rows: usize = parts.iter().map(|(_, part)| part.node.shape[at]).sum();
        let is_less = 5 * (rows / self.count() + 1) < 4 * rows;
        (result >= DIVIDED && is_long && is_less).then_some(axis)
    }

    /// Each share reduces its part of the results, and gets the others' parts then.
    fn gathered_by_parts(
        &mut self,
        parts: &[(usize, Local)],
        op: Reduction,
        (at, axis): (usize, usize),
    ) -> Vec<Local> {
        let n = parts[0].1.node.shape[axis];
        let mut own = Vec::new();
        for share in 0..self.count() {
            let rows = self.block(n, share);
            let mut pieces = Vec::new();
            for (owner, part) in parts {
                pieces.push(match *owner == share {
                    true => self.slice(part, axis, rows, share),
                    false => self.moved(part, axis, rows, *owner, share),
                });
            }
            let all = self.joined(pieces, at, share);
            own.push((share, self.reduced_in_order(&all, op, at, share)));
        }
        let axis = axis - usize::from(axis > at);
        (0..self.count()).map(|share| self.brought(&own, axis, share)).collect()
    }

    /// Parts of several shares on one of them, one after another along an axis.
    pub(super) fn brought(&mut self, parts: &[(usize, Local)], at: usize, share: usize) -> Local {
        let mut pieces = Vec::new();
        for (owner, part) in parts {
            pieces.push(match *owner == share {
                true => part.clone(),
                false => self.moved(part, at, [0, part.node.shape[at]], *owner, share),
            });
        }
        self.joined(pieces, at, share)
    }

    /// The position of the smallest or largest element: each block's, then the first among those of
    /// the blocks whose value is that of all.
    fn arg_reduced(&mut self, a: &Arc<Node>, op: Reduction, axes: u32, cut: usize) -> Vec<Local> {
        let extreme = if op == Reduction::ArgMin { Reduction::Min } else { Reduction::Max };
        let (mut values, mut places) = (Vec::new(), Vec::new());
        for share in 0..self.count() {
            let own = self.form(a).shares[share].clone();
            if own.node.len() == 0 {
                continue;
            }
            let shape = without(&own.node.shape, axes);
            let reduce = |op: Reduction, dtype| {
                let op = NodeOp::Reduce { op, axes };
                self.local(op, &[Input::Local(&own)], shape.clone(), dtype, share)
            };
            let (value, place) = (reduce(extreme, a.dtype), reduce(op, DType::I64));
            let place = self.place_in_all(place, (a, &own.node.shape, axes, cut), share);
            let row = |local: &Local| {
                let mut shape: Shape = smallvec![1];
                shape.extend_from_slice(&local.node.shape);
                self.reshaped(local, shape, share)
            };
            values.push((share, row(&value)));
            places.push((share, row(&place)));
        }
        let mut shares = Vec::new();
        for share in 0..self.count() {
            if values.is_empty() {
                // An axis that is kept has no elements.
                let shape = without(&a.shape, axes);
                shares.push(self.constant(Scalar::new(0i64), shape, share));
                continue;
            }
            let value = self.brought(&values, 0, share);
            let place = self.brought(&places, 0, share);
            let best = self.reduced_rows(&value, extreme, share);
            let wins = self.wins(&value, &best, share);
            let nowhere = Input::Scalar(Scalar::new(i64::MAX));
            let inputs = [Input::Local(&wins), Input::Local(&place), nowhere];
            let shape = copy_of(&place.node.shape);
            let first = self.local(NodeOp::Map(Op::Select), &inputs, shape, DType::I64, share);
            shares.push(self.reduced_rows(&first, Reduction::Min, share));
        }
        shares
    }

    /// Which values equal the best one; NaN is the best where there is one.
    fn wins(&self, value: &Local, best: &Local, share: usize) -> Local {
        let map = |op: Op, inputs: &[Input], shape: &Shape| {
            self.local(NodeOp::Map(op), inputs, shape.clone(), DType::Bool, share)
        };
        let shape = &value.node.shape;
        let both = [Input::Local(value), Input::Local(best)];
        let equal = map(Op::Equal, &both, shape);
        if !value.node.dtype.is_float() {
            return equal;
        }
        let nan = map(Op::IsNan, &[Input::Local(value)], shape);
        map(Op::BitwiseOr, &[Input::Local(&equal), Input::Local(&nan)], shape)
    }

    fn reduced_rows(&self, a: &Local, op: Reduction, share: usize) -> Local {
        let shape = without(&a.node.shape, 1);
        let op = NodeOp::Reduce { op, axes: 1 };
        self.local(op, &[Input::Local(a)], shape, a.node.dtype, share)
    }

    /// Positions among the elements of a block along the reduced axes, in C order, as positions
    /// among all elements.
    fn place_in_all(
        &self,
        place: Local,
        (a, own, axes, cut): (&Arc<Node>, &[usize], u32, usize),
        share: usize,
    ) -> Local {
        let behind: usize =
            (cut + 1..own.len()).filter(|k| axes >> k & 1 == 1).map(|k| own[k]).product();
        let start = self.block(a.shape[cut], share)[0];
        let shape = copy_of(&place.node.shape);
        let map = |op: Op, a: &Local, b: i64| {
            let inputs = [Input::Local(a), Input::Scalar(Scalar::new(b))];
            self.local(NodeOp::Map(op), &inputs, shape.clone(), DType::I64, share)
        };
        // Each row in front of the cut axis is longer by what the block lacks.
        let missing = ((a.shape[cut] - own[cut]) * behind) as i64;
        let row = map(Op::FloorDivide, &place, (own[cut] * behind).max(1) as i64);
        let skipped = map(Op::Multiply, &row, missing);
        let inputs = [Input::Local(&place), Input::Local(&skipped)];
        let place = self.local(NodeOp::Map(Op::Add), &inputs, shape.clone(), DType::I64, share);
        map(Op::Add, &place, (start * behind) as i64)
    }

    /// A reduction by a user's function, whose states are of several components.
    fn folded(
        &mut self,
        args: &[Arg],
        (fold, axes, output): (&Arc<Fold>, u32, u8),
        cut: usize,
    ) -> Vec<Local> {
        let at = kept_before(axes, cut);
        let mut parts: Vec<Vec<(usize, Local)>> = vec![Vec::new(); args.len()];
        for share in 0..self.count() {
            let chunks: Vec<Vec<Local>> =
                args.iter().map(|arg| self.chunks(node_of(arg), cut, share, false)).collect();
            for k in 0..chunks[0].len() {
                let own: Vec<Input> = chunks.iter().map(|c| Input::Local(&c[k])).collect();
                let axes = within_chunks(axes, cut);
                let shape = without(&chunks[0][k].node.shape, axes);
                for (output, parts) in parts.iter_mut().enumerate() {
                    let op = NodeOp::Fold { fold: fold.clone(), axes, output: output as u8 };
                    let dtype = fold.types()[output];
                    let part = self.local(op, &own, shape.clone(), dtype, share);
                    parts.push((share, self.strictly(part, share)));
                }
            }
        }
        let mut shares = Vec::new();
        for share in 0..self.count() {
            if parts[0].is_empty() {
                let value = fold.identity[output as usize];
                let shape = without(args[0].shape(), axes);
                shares.push(self.constant(value, shape, share));
                continue;
            }
            let states: Vec<Local> =
                parts.iter().map(|parts| self.brought(parts, at, share)).collect();
            let inputs: Vec<Input> = states.iter().map(Input::Local).collect();
            let shape = without(&states[0].node.shape, 1 << at);
            let op = NodeOp::Fold { fold: fold.clone(), axes: 1 << at, output };
            let folded = self.local(op, &inputs, shape, fold.types()[output as usize], share);
            shares.push(self.strictly(folded, share));
        }
        shares
    }
}

/// Whether a product's operand is cut along one of the axes of its matrices.
fn is_cut_in_matrices(arg: &Arg) -> bool {
    sharding::cut(arg).is_some_and(|axis| axis + 2 >= arg.shape().len())
}

/// The axes of an array of chunks for those of the array: the axis of the chunks itself is kept.
fn within_chunks(axes: u32, cut: usize) -> u32 {
    let low = (1 << cut) - 1;
    axes & low | (axes & !low) << 1
}

/// How many axes are kept in front of one.
fn kept_before(axes: u32, axis: usize) -> usize {
    axis - (axes & ((1 << axis) - 1)).count_ones() as usize
}

/// A shape without some axes.
pub(super) fn without(shape: &[usize], axes: u32) -> Shape {
    (0..shape.len()).filter(|&k| axes >> k & 1 == 0).map(|k| shape[k]).collect()
}
