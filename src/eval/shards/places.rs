//! Elements at positions of the axis that is cut, read and written.
//!
//! The numbers of elements that are moved follow from shapes alone. Who reads asks every share, which
//! answers all positions, those of its rows rightly; then each answer is taken from the share that has
//! the row. Who writes gets all values, and puts those of other shares' rows into a row that is left out
//! at the end.

use super::forms::Shards;
use super::local::{Input, Local};
use super::rules::node_of;
use crate::dtype::{DType, Scalar};
use crate::graph::sharding::axis_cut;
use crate::graph::{Arg, Node, NodeOp};
use crate::library::Library;
use crate::library::sort::{Check, Scatter, Sorting};
use crate::shape::{copy_of, len};
use crate::table::Op;
use smallvec::smallvec;
use std::sync::Arc;

impl Shards {
    fn map(&self, op: Op, inputs: &[Input], shape: &[usize], dtype: DType, share: usize) -> Local {
        self.local(NodeOp::Map(op), inputs, copy_of(shape), dtype, share)
    }

    /// Positions that count from the beginning of an axis of length `n`.
    fn counted_from_start(&self, places: &Local, n: usize, share: usize) -> Local {
        let shape = &places.node.shape;
        let number = |value: i64| Input::Scalar(Scalar::new(value));
        let wide = self.cast(places, DType::I64, share);
        let is_negative =
            self.map(Op::Less, &[Input::Local(&wide), number(0)], shape, DType::Bool, share);
        let behind =
            self.map(Op::Add, &[Input::Local(&wide), number(n as i64)], shape, DType::I64, share);
        let inputs = [Input::Local(&is_negative), Input::Local(&behind), Input::Local(&wide)];
        self.map(Op::Select, &inputs, shape, DType::I64, share)
    }

    /// What every share has of elements taken along the axis that is cut.
    pub(super) fn taken_across(&mut self, node: &Arc<Node>, args: &[Arg]) -> Vec<Local> {
        let (table, places) = (node_of(&args[0]), node_of(&args[1]));
        let (at, is_along) = match node.op {
            NodeOp::Take { axis, .. } => (axis as usize, false),
            NodeOp::TakeAlong { axis, .. } => (axis as usize, true),
            _ => unreachable!("the node takes elements"),
        };
        (0..self.count())
            .map(|share| self.asked_for(node, [table, places], (at, is_along), share))
            .collect()
    }

    /// One share's elements, of which each share may have some.
    fn asked_for(
        &mut self,
        node: &Arc<Node>,
        [table, places]: [&Arc<Node>; 2],
        (at, is_along): (usize, bool),
        share: usize,
    ) -> Local {
        let n = table.shape[at];
        let shape = self.own_shape(node, share);
        if len(&shape) == 0 {
            return self.constant(Scalar::from_f64(node.dtype, 0.0), shape, share);
        }
        // The axis of the positions along which the result is cut.
        let rows = self.own_rows(node, share);
        let rows = rows.map(|(axis, rows)| (if is_along { axis } else { axis - at }, rows));
        let mut found: Option<Local> = None;
        for owner in 0..self.count() {
            let [start, end] = self.block(n, owner);
            if start == end {
                continue;
            }
            let answer = self.answered([table, places], (at, is_along, rows), &shape, owner);
            let answer = match owner == share {
                true => answer,
                false => self.moved(&answer, 0, [0, answer.node.shape[0]], owner, share),
            };
            let answer = self.reshaped(&answer, shape.clone(), share);
            found = Some(match found {
                None => answer,
                Some(before) => {
                    let own = self.places_of(places, rows, share);
                    let own = self.counted_from_start(&own, n, share);
                    let own = self.spread_over(&own, (at, is_along), shape.len(), share);
                    let bound = Input::Scalar(Scalar::new(start as i64));
                    let is_there = self.map(
                        Op::GreaterEqual,
                        &[Input::Local(&own), bound],
                        &own.node.shape,
                        DType::Bool,
                        share,
                    );
                    let inputs =
                        [Input::Local(&is_there), Input::Local(&answer), Input::Local(&before)];
                    self.map(Op::Select, &inputs, &shape, node.dtype, share)
                }
            });
        }
        found.expect("a table with positions has rows")
    }

    /// The positions of some rows of them, on a share.
    fn places_of(
        &mut self,
        places: &Arc<Node>,
        rows: Option<(usize, [usize; 2])>,
        share: usize,
    ) -> Local {
        match rows {
            Some((axis, rows)) => self.rows(places, axis, rows, share),
            None => self.whole(places, share),
        }
    }

    /// Positions with axes of one element behind them, so that they broadcast to what is taken.
    fn spread_over(
        &self,
        places: &Local,
        (at, is_along): (usize, bool),
        rank: usize,
        share: usize,
    ) -> Local {
        if is_along {
            return places.clone();
        }
        let mut shape = copy_of(&places.node.shape);
        shape.resize(rank - at, 1);
        self.reshaped(places, shape, share)
    }

    /// What a share has at positions, those outside of its block moved into it; flat, to be moved.
    fn answered(
        &mut self,
        [table, places]: [&Arc<Node>; 2],
        (at, is_along, rows): (usize, bool, Option<(usize, [usize; 2])>),
        shape: &[usize],
        owner: usize,
    ) -> Local {
        let [start, end] = self.block(table.shape[at], owner);
        let asked = self.places_of(places, rows, owner);
        let asked = self.counted_from_start(&asked, table.shape[at], owner);
        let number = |value: usize| Input::Scalar(Scalar::new(value as i64));
        let places = &asked.node.shape;
        let moved = [Input::Local(&asked), number(start)];
        let moved = self.map(Op::Subtract, &moved, places, DType::I64, owner);
        let low =
            self.map(Op::Maximum, &[Input::Local(&moved), number(0)], places, DType::I64, owner);
        let inside = [Input::Local(&low), number(end - start - 1)];
        let inside = self.map(Op::Minimum, &inside, places, DType::I64, owner);
        let block = self.form(table).shares[owner].clone();
        let op = match is_along {
            true => NodeOp::TakeAlong { axis: at as u8, from_start: true },
            false => NodeOp::Take { axis: at as u8, from_start: true },
        };
        let inputs = [Input::Local(&block), Input::Local(&inside)];
        let answer = self.local(op, &inputs, copy_of(shape), table.dtype, owner);
        self.reshaped(&answer, smallvec![len(shape)], owner)
    }

    /// A share's block of an array into which values are put at positions.
    pub(super) fn scattered(
        &mut self,
        node: &Arc<Node>,
        args: &[Arg],
        call: &Scatter,
        share: usize,
    ) -> Local {
        let [base, places, values] = [0, 1, 2].map(|k| node_of(&args[k]));
        let at =
            call.axis_in(&base.shape).expect("the layout was known when the call was recorded");
        match axis_cut(node).map(|axis| (axis, self.block(node.shape[axis], share))) {
            Some((axis, rows)) if axis == at => {
                self.scattered_across([base, places, values], (call, at), rows, share)
            }
            Some((axis, rows)) => {
                // The same axis of the values, which have those of the positions in place of one.
                let more = values.shape.len() + 1 - base.shape.len();
                let moved = if axis < at { axis } else { axis + more - 1 };
                let own = [
                    self.rows(base, axis, rows, share),
                    match call.shared {
                        true => self.whole(places, share),
                        false => self.rows(places, moved, rows, share),
                    },
                    self.rows(values, moved, rows, share),
                ];
                self.scatter_of(&own, (call, at), share)
            }
            None => {
                let own = [base, places, values].map(|a| self.whole(a, share));
                self.scatter_of(&own, (call, at), share)
            }
        }
    }

    /// The scatter of local arrays.
    fn scatter_of(
        &mut self,
        own: &[Local; 3],
        (call, at): (&Scatter, usize),
        share: usize,
    ) -> Local {
        let shape = copy_of(&own[0].node.shape);
        let mut call = call.clone();
        (call.outer, call.inner) = (len(&shape[..at]), len(&shape[at + 1..]));
        call.len = shape[at];
        if len(&shape) == 0 || own[2].node.len() == 0 {
            return own[0].clone();
        }
        let inputs = own.each_ref().map(Input::Local);
        let dtype = own[0].node.dtype;
        let library = Arc::new(Library::Sort(Sorting::Scatter(call)));
        let made = self.local(NodeOp::Library(library), &inputs, shape, dtype, share);
        self.call(made, &own.each_ref(), share)
    }

    /// Positions that lie within the axis and count from its beginning; else the evaluation fails.
    fn checked(&mut self, places: &Local, call: &Scatter, share: usize) -> Local {
        let (name, axis, len) = (call.name, call.axis, call.len);
        let check = Check { name, axis, len, count: places.node.len() };
        let library = Arc::new(Library::Sort(Sorting::Check(check)));
        let shape = copy_of(&places.node.shape);
        let made = [Input::Local(places)];
        let made = self.local(NodeOp::Library(library), &made, shape, DType::I64, share);
        self.call(made, &[places], share)
    }

    /// The scatter along the axis that is cut: values of rows that others have go into one more row.
    fn scattered_across(
        &mut self,
        [base, places, values]: [&Arc<Node>; 3],
        (call, at): (&Scatter, usize),
        rows: [usize; 2],
        share: usize,
    ) -> Local {
        let block = self.form(base).shares[share].clone();
        let height = rows[1] - rows[0];
        if block.node.len() == 0 {
            return block;
        }
        let (places, values) = (self.whole(places, share), self.whole(values, share));
        let places = self.checked(&places, call, share);
        let shape = copy_of(&places.node.shape);
        let number = |value: usize| Input::Scalar(Scalar::new(value as i64));
        let own = [Input::Local(&places), number(rows[0])];
        let own = self.map(Op::Subtract, &own, &shape, DType::I64, share);
        let is_there = |op: Op, bound: usize| {
            self.map(op, &[Input::Local(&own), number(bound)], &shape, DType::Bool, share)
        };
        let (low, high) = (is_there(Op::GreaterEqual, 0), is_there(Op::Less, height));
        let both = [Input::Local(&low), Input::Local(&high)];
        let both = self.map(Op::BitwiseAnd, &both, &shape, DType::Bool, share);
        let own = [Input::Local(&both), Input::Local(&own), number(height)];
        let own = self.map(Op::Select, &own, &shape, DType::I64, share);
        let mut one = copy_of(&block.node.shape);
        one[at] = 1;
        let rest = self.constant(Scalar::from_f64(block.node.dtype, 0.0), one, share);
        let taller = self.joined(vec![block, rest], at, share);
        let all = self.scatter_of(&[taller, own, values], (call, at), share);
        self.slice(&all, at, [0, height], share)
    }
}
