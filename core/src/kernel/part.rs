//! A kernel over a part of its positions, with what is known there worked out.
//!
//! Conditions on positions choose between pieces: the border of a stencil, what was assigned and
//! what was there before. Over most of an array one answer holds, and what the others would need
//! is not there at all in the kernel of that part.

use super::{Atom, AxisSet, Index, Inst, Kernel, Store, Val, Value};
use crate::dtype::DType;
use crate::table::Op;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What a value of the whole kernel is in the part.
#[derive(Clone)]
enum Known {
    /// A value.
    Value(Val),
    /// A position that is affine here.
    Index(Index),
    /// A condition that holds everywhere or nowhere.
    Truth(bool),
    /// What is read where nothing is.
    Zero(DType),
}

impl Kernel {
    /// The kernel for a range of positions of each axis, none of them empty. An axis of one position
    /// stays, and no value depends on it.
    ///
    /// The kernel has no scans and no rows, and its Reduce and Serial axes are whole.
    pub fn part(&self, ranges: &[Range<usize>]) -> Kernel {
        let mut kernel = Kernel {
            axes: self.axes.clone(),
            values: Vec::with_capacity(self.values.len()),
            stores: Vec::with_capacity(self.stores.len()),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            scalars: self.scalars.clone(),
        };
        for (axis, range) in kernel.axes.iter_mut().zip(ranges) {
            axis.extent = range.len();
        }
        let known = Vec::with_capacity(self.values.len());
        let mut part = Part { kernel, ranges, made: FxHashMap::default(), known };
        for value in &self.values {
            let known = part.find(value);
            part.known.push(known);
        }
        for store in &self.stores {
            let index = part.index(&store.index);
            let value = part.value(store.value);
            part.kernel.stores.push(Store { output: store.output, index, value });
        }
        part.kernel.without_unused().checked("taking a part")
    }

    /// The kernel without the values that no store needs.
    fn without_unused(mut self) -> Kernel {
        let mut used = vec![false; self.values.len()];
        for store in &self.stores {
            used[store.value.at()] = true;
            store.index.values().for_each(|v| used[v.at()] = true);
        }
        for k in (0..self.values.len()).rev() {
            if used[k] {
                self.values[k].inst.for_each_arg(|v| used[v.at()] = true);
            }
        }
        let mut count = 0;
        let places: Vec<Val> = (used.iter())
            .map(|&used| {
                count += u32::from(used);
                Val(count.saturating_sub(1))
            })
            .collect();
        let mut each = used.iter();
        self.values.retain(|_| *each.next().expect("there is one for each value"));
        let place = |v: Val| places[v.at()];
        for value in &mut self.values {
            value.inst.rename(place);
        }
        for store in &mut self.stores {
            store.value = place(store.value);
            store.index.rename(place);
        }
        self
    }
}

/// A part on its way.
struct Part<'a> {
    kernel: Kernel,
    ranges: &'a [Range<usize>],
    /// The values by what they are: conditions that fall away leave the same value twice.
    made: FxHashMap<Value, Val>,
    /// What each value of the whole kernel is.
    known: Vec<Known>,
}

impl Part<'_> {
    /// What a value of the whole kernel is.
    fn find(&mut self, value: &Value) -> Known {
        let mut inst = value.inst.clone();
        if let Some(index) = inst.index_mut() {
            *index = self.index(index);
        }
        if let Some(known) = self.index_known(&inst) {
            return known;
        }
        match &mut inst {
            Inst::Op(op, args) => {
                if let Some(known) = self.op(*op, args) {
                    return known;
                }
                inst.rename_operands(|v| self.value(v));
            }
            Inst::Load { mask, .. } => {
                if let Some(condition) = *mask {
                    match &self.known[condition.at()] {
                        Known::Truth(true) => *mask = None,
                        Known::Truth(false) => return Known::Zero(value.dtype),
                        _ => *mask = Some(self.value(condition)),
                    }
                }
            }
            _ => inst.rename_operands(|v| self.value(v)),
        }
        Known::Value(self.push(inst, value.dtype))
    }

    /// What is known of an instruction that computes with an index, which is that of the part.
    fn index_known(&self, inst: &Inst) -> Option<Known> {
        let range = |index: &Index| index.range(&self.kernel.axes);
        let known = match inst {
            Inst::InRange { index, low, high } => {
                let (first, last) = range(index)?;
                match (first >= *low && last < *high, last < *low || first >= *high) {
                    (true, _) => Known::Truth(true),
                    (_, true) => Known::Truth(false),
                    _ => return None,
                }
            }
            Inst::IndexClamp { index, low, high } => {
                let (first, last) = range(index)?;
                if first >= *low && last <= *high {
                    Known::Index(index.clone())
                } else if last <= *low {
                    Known::Index(Index::constant(*low))
                } else if first >= *high {
                    Known::Index(Index::constant(*high))
                } else {
                    return None;
                }
            }
            Inst::IndexMod { index, by } | Inst::IndexDiv { index, by } => {
                let (first, last) = range(index)?;
                let turns = first.div_euclid(*by);
                if turns != last.div_euclid(*by) {
                    return None;
                }
                Known::Index(match inst {
                    Inst::IndexDiv { .. } => Index::constant(turns),
                    _ => {
                        let mut index = index.clone();
                        index.offset -= turns * by;
                        index
                    }
                })
            }
            Inst::IndexAbs(index) => {
                let (first, last) = range(index)?;
                if first >= 0 {
                    Known::Index(index.clone())
                } else if last <= 0 {
                    let mut negative = Index::default();
                    negative.add_scaled(index, -1);
                    Known::Index(negative)
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        Some(known)
    }

    /// What is known of an operation on conditions.
    fn op(&self, op: Op, args: &[Val]) -> Option<Known> {
        let of = |at: usize| &self.known[args[at].at()];
        let truth = |at: usize| match of(at) {
            Known::Truth(truth) => Some(*truth),
            _ => None,
        };
        match op {
            Op::LogicalNot => Some(Known::Truth(!truth(0)?)),
            Op::LogicalAnd | Op::LogicalOr => {
                let decides = op == Op::LogicalOr;
                match (truth(0), truth(1)) {
                    (Some(truth), _) | (_, Some(truth)) if truth == decides => {
                        Some(Known::Truth(decides))
                    }
                    (Some(_), _) => Some(of(1).clone()),
                    (_, Some(_)) => Some(of(0).clone()),
                    // Of numbers the result is a condition all the same, and no number.
                    _ => match (of(0), of(1)) {
                        (Known::Value(a), Known::Value(b))
                            if a == b && self.kernel.value(*a).dtype == DType::Bool =>
                        {
                            Some(of(0).clone())
                        }
                        _ => None,
                    },
                }
            }
            Op::Select => Some(of(if truth(0)? { 1 } else { 2 }).clone()),
            _ => None,
        }
    }

    /// An index at the positions of the part.
    fn index(&self, index: &Index) -> Index {
        let mut new = Index::constant(index.offset);
        for &(atom, coefficient) in &index.terms {
            match atom {
                Atom::Axis(k) => {
                    let range = &self.ranges[k as usize];
                    new.offset += coefficient * range.start as i64;
                    if range.len() > 1 {
                        new.add_term(atom, coefficient);
                    }
                }
                Atom::Value(v) => match &self.known[v.at()] {
                    Known::Index(known) => new.add_scaled(known, coefficient),
                    Known::Value(v) => new.add_term(Atom::Value(*v), coefficient),
                    Known::Zero(_) => {}
                    Known::Truth(_) => unreachable!("a condition is no number"),
                },
            }
        }
        new
    }

    /// A value of the whole kernel as one of the part.
    fn value(&mut self, v: Val) -> Val {
        let truth = |truth: bool| {
            let (low, high) = (i64::from(!truth), 2);
            Inst::InRange { index: Index::default(), low, high }
        };
        match self.known[v.at()].clone() {
            Known::Value(v) => v,
            Known::Index(index) => self.push(Inst::Index(index), DType::I64),
            Known::Truth(holds) => self.push(truth(holds), DType::Bool),
            Known::Zero(dtype) => {
                let never = self.push(truth(false), DType::Bool);
                if dtype == DType::Bool { never } else { self.push(Inst::Cast(never), dtype) }
            }
        }
    }

    fn push(&mut self, inst: Inst, dtype: DType) -> Val {
        let mut axes = inst.index().map_or(AxisSet::EMPTY, Index::axes);
        inst.for_each_arg(|v| axes = axes.union(self.kernel.value(v).axes));
        axes = axes.minus(inst.reduced().unwrap_or_default());
        let value = Value { inst, dtype, axes };
        if let Some(&known) = self.made.get(&value) {
            return known;
        }
        let v = Val(self.kernel.values.len() as u32);
        self.kernel.values.push(value.clone());
        self.made.insert(value, v);
        v
    }
}
