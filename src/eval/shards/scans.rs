//! Scans along the axis that is cut: within each chunk, behind what the chunks before come to.

use super::forms::Shards;
use super::local::{Input, Local};
use super::reductions::without;
use super::rules::node_of;
use crate::backend::placement::chunk;
use crate::dtype::{DType, Scalar};
use crate::function::ScanBy;
use crate::graph::{Arg, AxisMap, Node, NodeOp, View};
use crate::shape::copy_of;
use std::sync::Arc;

impl Shards {
    /// A scan: within each chunk, behind what the chunks before come to.
    pub(super) fn scanned(&mut self, node: &Arc<Node>, args: &[Arg]) -> Vec<Local> {
        let NodeOp::Scan { by, axis, output, exclusive, reverse } = &node.op else {
            unreachable!("the node is a scan")
        };
        let (axis, output) = (*axis as usize, *output as usize);
        let types: Vec<DType> = args.iter().map(|arg| by_type(by, arg.dtype())).collect();
        let mut inside: Vec<Vec<Vec<Local>>> = Vec::new();
        let mut totals: Vec<Vec<(usize, Local)>> = vec![Vec::new(); args.len()];
        for share in 0..self.count() {
            let mut chunks = Vec::new();
            for (arg, &wide) in args.iter().zip(&types) {
                let parts = self.chunks(node_of(arg), axis, share, false);
                chunks.push(
                    parts.iter().map(|part| self.cast(part, wide, share)).collect::<Vec<_>>(),
                );
            }
            let count = chunks[0].len();
            let mut own = Vec::new();
            for k in 0..count {
                let states: Vec<&Local> = chunks.iter().map(|chunk| &chunk[k]).collect();
                for (component, totals) in totals.iter_mut().enumerate() {
                    let total = self.total(by, &states, (axis + 1, *reverse), component, share);
                    totals.push((share, self.strictly(total, share)));
                }
                own.push(self.scan_of(by, &states, (axis + 1, *exclusive, *reverse), share));
            }
            inside.push(own);
        }
        let mut shares = Vec::new();
        for (share, own) in inside.iter().enumerate() {
            let shape = self.own_shape(node, share);
            if own.is_empty() {
                shares.push(self.constant(Scalar::from_f64(node.dtype, 0.0), shape, share));
                continue;
            }
            let all: Vec<Local> =
                totals.iter().map(|totals| self.brought(totals, axis, share)).collect();
            let all: Vec<&Local> = all.iter().collect();
            let before = self.scan_of(by, &all, (axis, true, *reverse), share);
            let first = self.block(node.shape[axis], share)[0] / chunk(node.shape[axis]);
            let (mut at, mut pieces) = (first, Vec::new());
            for states in own {
                let count = states[0].node.shape[axis];
                let carried: Vec<Local> = before
                    .iter()
                    .map(|before| {
                        let rows = self.slice(before, axis, [at, at + count], share);
                        let mut shape = copy_of(&rows.node.shape);
                        shape.insert(axis + 1, 1);
                        self.reshaped(&rows, shape, share)
                    })
                    .collect();
                at += count;
                let sides: [&[Local]; 2] = [&carried, states];
                let piece = self.combined(by, sides, &states[0].node.shape, output, share);
                let mut shape = copy_of(&states[0].node.shape);
                let length = shape.remove(axis + 1);
                shape[axis] = count * length;
                pieces.push(self.reshaped(&piece, shape, share));
            }
            let all = self.joined(pieces, axis, share);
            let scanned = self.cast(&all, node.dtype, share);
            shares.push(self.strictly(scanned, share));
        }
        shares
    }

    /// What the elements along an axis come to.
    fn total(
        &self,
        by: &ScanBy,
        states: &[&Local],
        (axis, reverse): (usize, bool),
        component: usize,
        share: usize,
    ) -> Local {
        // A scan from the end meets its elements in that order.
        let turned: Vec<Local> = match (by, reverse) {
            (ScanBy::User(_), true) => {
                states.iter().map(|state| self.turned_over(state, axis, share)).collect()
            }
            _ => states.iter().map(|&state| state.clone()).collect(),
        };
        let inputs: Vec<Input> = turned.iter().map(Input::Local).collect();
        let shape = without(&states[0].node.shape, 1 << axis);
        let (op, dtype) = match by {
            ScanBy::Table(op) => {
                let dtype = states[0].node.dtype;
                (NodeOp::Reduce { op: *op, axes: 1 << axis }, dtype)
            }
            ScanBy::User(fold) => {
                let op =
                    NodeOp::Fold { fold: fold.clone(), axes: 1 << axis, output: component as u8 };
                (op, fold.types()[component])
            }
        };
        self.local(op, &inputs, shape, dtype, share)
    }

    /// An array from the end of an axis to its beginning.
    fn turned_over(&self, a: &Local, axis: usize, share: usize) -> Local {
        let shape = copy_of(&a.node.shape);
        let mut view = View::identity(shape.len());
        view.0[axis] = AxisMap::affine(axis, shape[axis] as i64 - 1, -1);
        let op = NodeOp::View(Arc::new(view));
        self.local(op, &[Input::Local(a)], shape, a.node.dtype, share)
    }

    /// The scan of states along an axis: every component.
    fn scan_of(
        &self,
        by: &ScanBy,
        states: &[&Local],
        (axis, exclusive, reverse): (usize, bool, bool),
        share: usize,
    ) -> Vec<Local> {
        let shape = &states[0].node.shape;
        let identity = |component: usize| match by {
            ScanBy::Table(op) => op.identity_value(states[component].node.dtype),
            ScanBy::User(fold) => fold.identity[component],
        };
        let component = |k: usize| {
            if shape[axis] <= 1 {
                return match exclusive {
                    true => self.constant(identity(k), shape.clone(), share),
                    false => states[k].clone(),
                };
            }
            let inputs: Vec<Input> = states.iter().map(|state| Input::Local(state)).collect();
            let op = NodeOp::Scan {
                by: by.clone(),
                axis: axis as u8,
                output: k as u8,
                exclusive,
                reverse,
            };
            self.local(op, &inputs, shape.clone(), states[k].node.dtype, share)
        };
        (0..states.len()).map(component).collect()
    }

    /// Two states combined: one component of the result.
    fn combined(
        &self,
        by: &ScanBy,
        [left, right]: [&[Local]; 2],
        shape: &[usize],
        output: usize,
        share: usize,
    ) -> Local {
        let inputs: Vec<Input> = left.iter().chain(right).map(Input::Local).collect();
        let dtype = left[output].node.dtype;
        let op = match by {
            ScanBy::Table(op) => NodeOp::Map(op.combine()),
            ScanBy::User(fold) => {
                NodeOp::Call { function: fold.function.clone(), output: output as u8 }
            }
        };
        self.local(op, &inputs, copy_of(shape), dtype, share)
    }
}

/// The type in which a scan adds up: halves as singles.
fn by_type(by: &ScanBy, dtype: DType) -> DType {
    match by {
        ScanBy::Table(op) => op.accumulator(dtype),
        ScanBy::User(_) => dtype,
    }
}
