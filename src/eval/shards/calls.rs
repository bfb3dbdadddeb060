//! Library calls on shares: fewer rows, matrices, transforms or items of the same kind.

use super::forms::Shards;
use super::local::{Input, Local};
use super::rules::{Own, node_of};
use crate::dtype::{DType, Scalar};
use crate::graph::sharding::{axis_cut, cut, first_transformed, items_axes};
use crate::graph::{Arg, Node, NodeOp};
use crate::library::Library;
use crate::library::fft::Fft;
use crate::library::linalg::{Matmul, Matrix};
use crate::library::sort::{Check, Sort, Sorting, Top};
use crate::shape::{Shape, copy_of, len};
use crate::table::{Op, Reduction};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

impl Shards {
    /// A share's part of a library call that needs nothing of others.
    pub(super) fn called(
        &mut self,
        node: &Arc<Node>,
        args: &[Arg],
        call: &Arc<Library>,
        share: usize,
    ) -> Local {
        if let Library::Sort(Sorting::Scatter(scatter)) = &**call {
            return self.scattered(node, args, scatter, share);
        }
        // The shape of several outputs together is their bytes, which says nothing of rows.
        let rows = axis_cut(node).map(|axis| {
            let n = match &**call {
                Library::Items(items) => items.items[axis],
                Library::Factor(_) => args[0].shape()[axis],
                _ => node.shape[axis],
            };
            (axis, self.block(n, share))
        });
        let Some((axis, rows)) = rows else {
            let own: Vec<Own> = args.iter().map(|arg| self.aligned(arg, 0, None, share)).collect();
            return self.library((node.dtype, call.clone()), own, copy_of(&node.shape), share);
        };
        let own: Vec<Local> = match &**call {
            Library::Matmul(_) => self.operands(node, args, (axis, rows), share),
            Library::Items(items) => {
                let mut own = Vec::new();
                for (arg, (_, strides)) in args.iter().zip(&items.inputs) {
                    own.push(self.item_argument(arg, strides, (axis, rows), share));
                }
                own
            }
            _ => args.iter().map(|arg| self.rows(node_of(arg), axis, rows, share)).collect(),
        };
        let shapes: Vec<&[usize]> = own.iter().map(|own| &own.node.shape[..]).collect();
        let local = match &**call {
            Library::Matmul(call) => multiplied(call, &shapes),
            Library::Fft(fft) => transformed(fft, &node_of(&args[0]).shape, shapes[0]),
            Library::Sort(sorting) => sorted(sorting, shapes[0]),
            Library::Factor(factor) => {
                let batch = len(&shapes[0][..shapes[0].len() - 2]);
                let mut factor = factor.clone();
                // What libraries give of one matrix is not what they give of several.
                if batch == 1 && factor.batch > 1 {
                    return self.one_matrix(node, call, &own, share);
                }
                factor.batch = batch;
                Library::Factor(factor)
            }
            Library::Items(items) => {
                let mut items = items.clone();
                items.items[axis] = rows[1] - rows[0];
                for ((input, arg), shape) in items.inputs.iter_mut().zip(args).zip(&shapes) {
                    let strides = self.items_strides((arg.shape(), shape), &input.1);
                    input.1 = strides.expect("the advances were known when the call was recorded");
                }
                Library::Items(items)
            }
            _ => unreachable!("{} has no form over several devices", call.name()),
        };
        let shape = match axis_cut(node) {
            Some(_) if is_bundle(node) => self.bundle(&local),
            _ => self.own_shape(node, share),
        };
        let own = own.into_iter().map(Own::Local).collect();
        self.library((node.dtype, Arc::new(local)), own, shape, share)
    }

    /// The node of a call, whose arguments an earlier stage stores.
    fn library(
        &mut self,
        (dtype, call): (DType, Arc<Library>),
        own: Vec<Own>,
        shape: Shape,
        share: usize,
    ) -> Local {
        let locals: Vec<&Local> = own
            .iter()
            .filter_map(|own| match own {
                Own::Local(local) => Some(local),
                Own::Scalar(_) => None,
            })
            .collect();
        // Nothing of nothing, which no library is asked for.
        if locals.iter().any(|local| local.node.len() == 0) || len(&shape) == 0 {
            return self.constant(Scalar::from_f64(dtype, 0.0), shape, share);
        }
        let inputs: Vec<_> = own.iter().map(Own::input).collect();
        let made = self.local(NodeOp::Library(call), &inputs, shape, dtype, share);
        self.call(made, &locals, share)
    }

    /// The shape of the bundle of a call with several outputs: its bytes.
    fn bundle(&self, call: &Library) -> Shape {
        let bytes = call.outputs().iter().map(|(len, dtype)| len * dtype.size()).sum();
        smallvec![bytes]
    }

    /// The first of a batch of two, both of which are a share's only matrix.
    fn one_matrix(
        &mut self,
        node: &Arc<Node>,
        call: &Arc<Library>,
        own: &[Local],
        share: usize,
    ) -> Local {
        let Library::Factor(factor) = &**call else { unreachable!("the call is a factorisation") };
        let twice = |a: &Local| {
            let matrices = a.node.shape.len() - 2;
            let mut shape: Shape = smallvec![1];
            shape.extend_from_slice(&a.node.shape[matrices..]);
            let one = self.reshaped(a, shape, share);
            Own::Local(self.joined(vec![one.clone(), one], 0, share))
        };
        let own: Vec<Own> = own.iter().map(twice).collect();
        let mut factor = factor.clone();
        factor.batch = 2;
        let local = Library::Factor(factor);
        if is_bundle(node) {
            let shape = self.bundle(&local);
            return self.library((node.dtype, Arc::new(local)), own, shape, share);
        }
        let mut shape = self.own_shape(node, share);
        let lead = axis_cut(node).map_or(0, |_| node.shape.len() - 2);
        let inner: Shape = shape.drain(lead..).collect();
        let mut pair: Shape = smallvec![2];
        pair.extend_from_slice(&inner);
        let both = self.library((node.dtype, Arc::new(local)), own, pair, share);
        let first = self.slice(&both, 0, [0, 1], share);
        shape.extend(inner);
        self.reshaped(&first, shape, share)
    }

    /// The operands of a product's block.
    fn operands(
        &mut self,
        node: &Arc<Node>,
        args: &[Arg],
        (axis, rows): (usize, [usize; 2]),
        share: usize,
    ) -> Vec<Local> {
        let (rank, mut own) = (node.shape.len(), Vec::new());
        for (k, arg) in args.iter().enumerate() {
            let a = node_of(arg);
            // The axis of the rows is the left operand's alone, that of the columns the right one's.
            let other = if k == 0 { rank - 1 } else { rank - 2 };
            let at = (axis + a.shape.len()).checked_sub(rank).filter(|_| axis != other);
            let at = at.filter(|&at| axis + 2 >= rank || a.shape[at] != 1);
            own.push(match at {
                Some(at) => self.rows(a, at, rows, share),
                None => self.whole(a, share),
            });
        }
        own
    }

    /// An argument of a function of items.
    fn item_argument(
        &mut self,
        arg: &Arg,
        strides: &[usize],
        (axis, rows): (usize, [usize; 2]),
        share: usize,
    ) -> Local {
        let a = node_of(arg);
        let loops = items_axes(&a.shape, strides);
        let at = loops.and_then(|loops| (axis + loops).checked_sub(strides.len()));
        match at.filter(|&at| a.shape[at] != 1) {
            Some(at) => self.rows(a, at, rows, share),
            None => self.whole(a, share),
        }
    }

    /// A product whose operands are both cut along the axis that is summed over: each share's
    /// product, added up in the order of the shares.
    pub(super) fn inner_product(
        &mut self,
        node: &Arc<Node>,
        args: &[Arg],
        call: &Matmul,
    ) -> Vec<Local> {
        let (a, b) = (node_of(&args[0]), node_of(&args[1]));
        let axes = [a.shape.len() - 1, b.shape.len() - 2];
        // Halves are multiplied and added up as singles, and rounded once.
        let wide = node.dtype.compute();
        let mut parts = Vec::new();
        for share in 0..self.count() {
            let rows = self.block(call.k, share);
            if rows[0] == rows[1] {
                continue;
            }
            let own = [self.rows(a, axes[0], rows, share), self.rows(b, axes[1], rows, share)];
            let own = own.map(|own| self.cast(&own, wide, share));
            let call = Matmul { dtype: wide, ..call.clone() };
            let local = multiplied(&call, &[&own[0].node.shape, &own[1].node.shape]);
            let own = own.map(Own::Local).into();
            let shape = copy_of(&node.shape);
            let part = self.library((wide, Arc::new(local)), own, shape, share);
            parts.push((share, part));
        }
        let sums = self.gathered(&parts, Reduction::Sum, None);
        let narrow = |(share, sum): (usize, &Local)| self.cast(sum, node.dtype, share);
        sums.iter().enumerate().map(narrow).collect()
    }

    /// A product whose operands are both cut, other than along the axis that is summed over: each share
    /// has its rows or columns of one of them and meets the blocks of the other one after another,
    /// beginning with its own. It holds two blocks at a time.
    pub(super) fn ring(&mut self, node: &Arc<Node>, args: &[Arg], call: &Matmul) -> Vec<Local> {
        let [a, b] = [node_of(&args[0]), node_of(&args[1])];
        let [from_a, from_b] = [a, b].map(|a| axis_cut(a).expect("both are cut"));
        let (rows_of_a, columns_of_b) = (from_a + 2 == a.shape.len(), from_b + 1 == b.shape.len());
        let wide = node.dtype.compute();
        // The operand whose blocks go round, and whether a block gives columns rather than a summand.
        let (round, axis, is_joined) = match (rows_of_a, columns_of_b) {
            (true, columns) => (b, from_b, columns),
            (false, _) => (a, from_a, false),
        };
        (0..self.count())
            .map(|share| {
                let shape = self.own_shape(node, share);
                let own = self.form(if rows_of_a { a } else { b }).shares[share].clone();
                let mut parts: Vec<(usize, Local)> = Vec::new();
                for turn in 0..self.count() {
                    let owner = (share + turn) % self.count();
                    let rows = self.block(round.shape[axis], owner);
                    if rows[0] == rows[1] || own.node.len() == 0 {
                        continue;
                    }
                    let block = self.form(round).shares[owner].clone();
                    // A block comes when the one before is done with.
                    let block = Local { stage: block.stage.max(turn), ..block };
                    let block = match owner == share {
                        true => block,
                        false => self.moved(&block, axis, [0, rows[1] - rows[0]], owner, share),
                    };
                    let sides = match (rows_of_a, is_joined) {
                        (true, true) => [own.clone(), block],
                        (true, false) => [self.slice(&own, a.shape.len() - 1, rows, share), block],
                        (false, _) => [block, self.slice(&own, b.shape.len() - 2, rows, share)],
                    };
                    let part =
                        self.product(call, sides, if is_joined { node.dtype } else { wide }, share);
                    parts.push((owner, part));
                }
                if parts.is_empty() {
                    return self.constant(Scalar::from_f64(node.dtype, 0.0), shape, share);
                }
                if is_joined {
                    parts.sort_by_key(|part| part.0);
                    let parts = parts.into_iter().map(|part| part.1).collect();
                    return self.joined(parts, node.shape.len() - 1, share);
                }
                let mut parts = parts.into_iter().map(|part| part.1);
                let mut sum = parts.next().expect("there is a part");
                for part in parts {
                    let inputs = [Input::Local(&sum), Input::Local(&part)];
                    sum = self.local(NodeOp::Map(Op::Add), &inputs, shape.clone(), wide, share);
                    self.store(&sum, share);
                }
                self.cast(&sum, node.dtype, share)
            })
            .collect()
    }

    /// The product of local matrices.
    fn product(&mut self, call: &Matmul, sides: [Local; 2], dtype: DType, share: usize) -> Local {
        let sides = sides.map(|side| self.cast(&side, dtype, share));
        let call = Matmul { dtype, ..call.clone() };
        let local = multiplied(&call, &[&sides[0].node.shape, &sides[1].node.shape]);
        let Library::Matmul(made) = &local else { unreachable!("it is a product") };
        let mut shape: Shape = made.batch.iter().copied().collect();
        shape.extend([made.m, made.n]);
        self.library((dtype, Arc::new(local)), sides.map(Own::Local).into(), shape, share)
    }

    /// Counts over an axis that is cut: each share's, added up.
    pub(super) fn counts(&mut self, node: &Arc<Node>, args: &[Arg], call: &Library) -> Vec<Local> {
        let Library::Count(count) = call else { unreachable!("the call counts") };
        let places = node_of(&args[0]);
        let axis = args.iter().find_map(cut).expect("an argument is cut");
        let mut parts = Vec::new();
        for share in 0..self.count() {
            let [start, end] = self.block(places.shape[axis], share);
            // Sums of floats do not depend on how many shares there are: they are those of chunks.
            let step = match count.weighted {
                true => crate::backend::placement::chunk(places.shape[axis]),
                false => (end - start).max(1),
            };
            for at in (start..end).step_by(step) {
                let rows = [at, (at + step).min(end)];
                let own: Vec<Own> = args
                    .iter()
                    .map(|arg| Own::Local(self.rows(node_of(arg), axis, rows, share)))
                    .collect();
                let len = match &own[0] {
                    Own::Local(own) => own.node.len(),
                    Own::Scalar(_) => 0,
                };
                if len > 0 {
                    let local =
                        Library::Count(crate::library::count::Count { len, ..count.clone() });
                    let shape = copy_of(&node.shape);
                    parts.push((
                        share,
                        self.library((node.dtype, Arc::new(local)), own, shape, share),
                    ));
                }
            }
        }
        self.gathered(&parts, Reduction::Sum, None)
    }
}

/// Whether a node is the bundle of a call with several outputs.
fn is_bundle(node: &Node) -> bool {
    match &node.op {
        NodeOp::Library(call) => node.dtype == DType::U8 && call.outputs().len() > 1,
        _ => false,
    }
}

fn multiplied(call: &Matmul, shapes: &[&[usize]]) -> Library {
    let [a, b] = [shapes[0], shapes[1]];
    let batch = crate::shape::broadcast(&a[..a.len() - 2], &b[..b.len() - 2]);
    let batch = batch.expect("batches broadcast");
    Library::Matmul(Matmul {
        m: a[a.len() - 2],
        k: a[a.len() - 1],
        n: b[b.len() - 1],
        a: Matrix::contiguous(a, &batch),
        b: Matrix::contiguous(b, &batch),
        batch: SmallVec::from_slice(&batch),
        ..call.clone()
    })
}

fn transformed(fft: &Fft, global: &[usize], local: &[usize]) -> Library {
    let first = first_transformed(fft, global).expect("the transform was recorded");
    let outer = len(&local[..first]);
    let inner = len(&local[first + fft.lens.len()..]);
    Library::Fft(Fft { outer, inner, ..fft.clone() })
}

fn sorted(sorting: &Sorting, local: &[usize]) -> Library {
    let rows = local.split_last().map_or(1, |(_, before)| len(before));
    Library::Sort(match sorting {
        Sorting::Sort(sort) => Sorting::Sort(Sort { rows, ..sort.clone() }),
        Sorting::Top(top) => {
            let sort = Sort { rows, ..top.sort.clone() };
            Sorting::Top(Top { sort, count: top.count })
        }
        Sorting::Check(check) => Sorting::Check(Check { count: len(local), ..check.clone() }),
        _ => unreachable!("it works on rows"),
    })
}
