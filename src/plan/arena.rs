//! The values of one kernel while it is being made: hash-consed, with the algebra of indices.

use crate::dtype::DType;
use crate::kernel::{Atom, Axis, AxisKind, AxisSet, Index, Inst, Val, Value};
use crate::table::Op;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// The values and axes of a kernel in the making.
#[derive(Default)]
pub(super) struct Arena {
    /// The axes.
    pub axes: Vec<Axis>,
    /// The values; a placeholder's arguments may come after it.
    pub values: Vec<Value>,
    known: FxHashMap<(Inst, DType), Val>,
    /// The least and greatest value of each index value.
    ranges: Vec<(i64, i64)>,
}

/// The range of a value of which nothing is known.
const ANY: (i64, i64) = (i64::MIN / 4, i64::MAX / 4);

impl Arena {
    /// Adds an axis.
    pub(super) fn axis(&mut self, extent: usize, kind: AxisKind) -> usize {
        self.axes.push(Axis { extent, kind });
        self.axes.len() - 1
    }

    /// The value of an instruction; equal instructions are one value.
    pub(super) fn push(&mut self, inst: Inst, dtype: DType) -> Val {
        if let Some(&v) = self.known.get(&(inst.clone(), dtype)) {
            return v;
        }
        let axes = self.axes_of(&inst);
        let range = self.range_of(&inst);
        let v = Val(self.values.len() as u32);
        self.values.push(Value { inst: inst.clone(), dtype, axes });
        self.ranges.push(range);
        self.known.insert((inst, dtype), v);
        v
    }

    fn axes_of(&self, inst: &Inst) -> AxisSet {
        let mut axes = inst.index().map_or(AxisSet::EMPTY, Index::axes);
        inst.for_each_arg(|v| axes = axes.union(self.values[v.at()].axes));
        if let Inst::Scan { .. } = inst {
            let kind = |k: &usize| self.axes[*k].kind != AxisKind::Serial;
            return (0..self.axes.len()).filter(kind).collect();
        }
        // A row is one piece of memory for all positions of R; its element depends on R.
        inst.reduced().map_or(axes, |over| axes.minus(over))
    }

    /// A value of its own that `fill` will define: an element of an index array, which indices
    /// use before its expression is known. `low` and `high` bound it, ends included.
    pub(super) fn placeholder(&mut self, axes: AxisSet, low: i64, high: i64) -> Val {
        let v = Val(self.values.len() as u32);
        let inst = Inst::Index(Index::constant(0));
        self.values.push(Value { inst, dtype: DType::I64, axes });
        self.ranges.push((low, high));
        v
    }

    /// Defines a placeholder.
    pub(super) fn fill(&mut self, placeholder: Val, inst: Inst) {
        let axes = self.axes_of(&inst);
        let value = &mut self.values[placeholder.at()];
        value.inst = inst;
        value.axes = axes;
    }

    /// The least and greatest value of an index.
    pub(super) fn range(&self, index: &Index) -> (i64, i64) {
        let mut range = (index.offset, index.offset);
        for &(atom, coefficient) in &index.terms {
            let (low, high) = match atom {
                Atom::Axis(k) => (0, self.axes[k as usize].extent as i64 - 1),
                Atom::Value(v) => self.ranges[v.at()],
            };
            let ends = (low.saturating_mul(coefficient), high.saturating_mul(coefficient));
            range.0 = range.0.saturating_add(ends.0.min(ends.1));
            range.1 = range.1.saturating_add(ends.0.max(ends.1));
        }
        range
    }

    fn range_of(&self, inst: &Inst) -> (i64, i64) {
        match inst {
            Inst::Index(index) => self.range(index),
            Inst::IndexDiv { index, by } => {
                let (low, high) = self.range(index);
                (low.div_euclid(*by), high.div_euclid(*by))
            }
            Inst::IndexMod { by, .. } => (0, by - 1),
            Inst::IndexClamp { low, high, .. } => (*low, *high),
            Inst::IndexAbs(index) => {
                let (low, high) = self.range(index);
                (0, high.max(-low))
            }
            _ => ANY,
        }
    }

    /// `index / by` and `index % by`, rounding down; `by` is positive.
    pub(super) fn div_mod(&mut self, index: &Index, by: i64) -> (Index, Index) {
        if by == 1 {
            return (index.clone(), Index::default());
        }
        // What is a multiple of `by` leaves the division; what is left decides.
        let mut quotient = Index::constant(index.offset.div_euclid(by));
        let mut rest = Index::constant(index.offset.rem_euclid(by));
        for &(atom, coefficient) in &index.terms {
            let into = if coefficient % by == 0 { &mut quotient } else { &mut rest };
            into.add_term(atom, if coefficient % by == 0 { coefficient / by } else { coefficient });
        }
        let (mut low, mut high) = self.range(&rest);
        if low < 0 {
            let lift = (-low + by - 1) / by;
            quotient.offset -= lift;
            rest.offset += lift * by;
            (low, high) = (low + lift * by, high + lift * by);
        }
        debug_assert!(low >= 0);
        if high < by {
            return (quotient, rest);
        }
        let div = self.push(Inst::IndexDiv { index: rest.clone(), by }, DType::I64);
        quotient.add_term(Atom::Value(div), 1);
        (quotient, self.modulo(rest, by))
    }

    /// `index % by` of an index that is not negative and not known to be below `by`.
    fn modulo(&mut self, index: Index, by: i64) -> Index {
        let inner = self.strip_modulo(&index, by);
        if inner != index {
            return self.div_mod(&inner, by).1;
        }
        Index::atom(Atom::Value(self.push(Inst::IndexMod { index, by }, DType::I64)))
    }

    /// The index without remainders by a multiple of `by` inside it, which do not matter to a
    /// remainder by `by`: a roll of a roll is one roll.
    fn strip_modulo(&self, index: &Index, by: i64) -> Index {
        let mut out = Index::constant(index.offset);
        for &(atom, coefficient) in &index.terms {
            match atom {
                Atom::Value(v) => match &self.values[v.at()].inst {
                    Inst::IndexMod { index: inner, by: n } if n % by == 0 => {
                        out.add_scaled(inner, coefficient);
                    }
                    _ => out.add_term(atom, coefficient),
                },
                Atom::Axis(_) => out.add_term(atom, coefficient),
            }
        }
        out
    }

    /// `index` held between `low` and `high`, ends included.
    pub(super) fn clamp(&mut self, index: &Index, low: i64, high: i64) -> Index {
        let (least, greatest) = self.range(index);
        if least >= low && greatest <= high {
            return index.clone();
        }
        let inst = Inst::IndexClamp { index: index.clone(), low, high };
        Index::atom(Atom::Value(self.push(inst, DType::I64)))
    }

    /// The absolute value of an index.
    pub(super) fn abs(&mut self, index: &Index) -> Index {
        if self.range(index).0 >= 0 {
            return index.clone();
        }
        Index::atom(Atom::Value(self.push(Inst::IndexAbs(index.clone()), DType::I64)))
    }

    /// Whether `low <= index < high`, as a mask; `None` where it always holds.
    pub(super) fn in_range(&mut self, index: &Index, low: i64, high: i64) -> Option<Val> {
        let (least, greatest) = self.range(index);
        if least >= low && greatest < high {
            return None;
        }
        Some(self.push(Inst::InRange { index: index.clone(), low, high }, DType::Bool))
    }

    /// Both masks at once.
    pub(super) fn and(&mut self, a: Option<Val>, b: Option<Val>) -> Option<Val> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => {
                Some(self.push(Inst::Op(Op::LogicalAnd, smallvec![a, b]), DType::Bool))
            }
            (a, b) => a.or(b),
        }
    }

    /// The position in C order of a place in an array of the given shape.
    pub(super) fn linear(&self, coords: &[Index], shape: &[usize]) -> Index {
        let mut index = Index::default();
        for (coord, stride) in coords.iter().zip(crate::shape::contiguous_strides(shape)) {
            index.add_scaled(coord, stride);
        }
        self.recombine(index)
    }

    /// Puts `n·k·(e / n) + k·(e % n)` together again as `k·e`: a reshape and its inverse.
    fn recombine(&self, mut index: Index) -> Index {
        'again: loop {
            for at in 0..index.terms.len() {
                let (Atom::Value(v), k) = index.terms[at] else { continue };
                let Inst::IndexMod { index: e, by } = &self.values[v.at()].inst else { continue };
                let div = (Inst::IndexDiv { index: e.clone(), by: *by }, DType::I64);
                let Some(&d) = self.known.get(&div) else { continue };
                if index.coefficient(Atom::Value(d)) == k * by {
                    let (e, by) = (e.clone(), *by);
                    index.add_term(Atom::Value(v), -k);
                    index.add_term(Atom::Value(d), -k * by);
                    index.add_scaled(&e, k);
                    continue 'again;
                }
            }
            return index;
        }
    }

    /// The place in an array of the given shape of a position in C order.
    pub(super) fn delinear(&mut self, position: Index, shape: &[usize]) -> SmallVec<[Index; 4]> {
        let mut coords: SmallVec<[Index; 4]> = SmallVec::from_elem(Index::default(), shape.len());
        let mut rest = position;
        for k in (1..shape.len()).rev() {
            if shape[k] > 1 {
                (rest, coords[k]) = self.div_mod(&rest, shape[k] as i64);
            }
        }
        if let Some(first) = coords.first_mut() {
            *first = rest;
        }
        coords
    }

    /// The axes that some indices depend on, through their values too.
    pub(super) fn index_axes(&self, coords: &[Index]) -> AxisSet {
        let of = |index: &Index| {
            index.values().fold(index.axes(), |set, v| set.union(self.values[v.at()].axes))
        };
        coords.iter().fold(AxisSet::EMPTY, |set, index| set.union(of(index)))
    }
}
