//! Lowering of what sweeps share: rows, accumulators, and values along the rows.

use super::copy::moves;
use super::layout::Mode;
use super::lower::{Lowering, combine_fn};
use super::places::Place;
use super::program::{Acc, LEVELS, Mem, Row, RowValue, SCAN_SWEEP, ScanState, round_up};
use super::scan::scan_fn;
use crate::function::ScanBy;
use crate::kernel::{Atom, AxisKind, Index, Inst, Val};
use lazuli_inner_loops::fold::{ACCUMULATOR, folds, searches};

/// The most elements of a row that are repeated at its other end.
const HALO: usize = 64;

impl Lowering<'_> {
    /// The elements that rows of so many repeat at either end: some where rows are read around
    /// their ends, and tiles lie along them.
    fn halo(&self, row: usize) -> usize {
        let reduce = self.kernel.axes_of(AxisKind::Reduce);
        let along = self.layout.mode == Mode::AlongReduce
            && reduce.len() == 1
            && self.layout.lanes.iter().copied().eq(reduce.iter());
        let wraps = |inst: &Inst| matches!(inst, Inst::IndexMod { by, .. } if *by as usize == row);
        let any = along && self.kernel.values.iter().any(|value| wraps(&value.inst));
        if any { HALO.min(row) } else { 0 }
    }

    /// Gives memory to the rows, from one sweep to the last that reads each.
    pub(super) fn make_rows(&mut self) {
        let reduce = self.kernel.axes_of(AxisKind::Reduce);
        let mut linear = Index::default();
        let mut stride = 1;
        for k in reduce.iter().rev() {
            linear.add_term(Atom::Axis(k as u8), stride);
            stride *= self.kernel.axes[k].extent as i64;
        }
        let halo = self.halo(stride as usize);
        // For each row its value, the sweep that fills it and the last that reads it.
        let mut spans: Vec<(Val, usize, usize)> = Vec::new();
        for (k, value) in self.kernel.values.iter().enumerate() {
            let v = Val(k as u32);
            let made = match value.inst {
                Inst::Row(_) => self.phases.of[k] as usize - 1,
                _ => match self.places.kept[k] {
                    Some(made) => made,
                    None => continue,
                },
            };
            spans.push((v, made, self.last_reader(v, made)));
        }
        spans.sort_by_key(|s| s.1);
        let mut free: Vec<(usize, usize, Mem)> = Vec::new();
        for (v, made, last) in spans {
            let size = self.kernel.value(v).dtype.compute().size();
            let copies = match self.layout.mode {
                Mode::AcrossReduce => self.sizes.len,
                Mode::ShortRows => self.sizes.tile,
                _ => self.sizes.block,
            };
            let bytes = round_up((stride as usize + 2 * halo) * copies * size);
            // A row that was read for the last time before this sweep gives its memory.
            let reused = free.iter().position(|&(until, room, _)| until < made && room == bytes);
            let mem = match reused {
                Some(at) => free.swap_remove(at).2,
                None => self.registers.outer_alloc(bytes),
            };
            free.push((last, bytes, mem));
            self.rows[v.at()] = Some(self.row_list.len() as u32);
            let moves = moves(self.kernel.value(v).dtype.compute(), self.level);
            let row = Row { linear: linear.clone(), moves, mem, bytes, halo };
            self.row_list.push((v, row));
        }
    }

    /// The last sweep that reads a row.
    fn last_reader(&self, row: Val, made: usize) -> usize {
        let count = self.places.sweeps();
        let kept = self.places.kept[row.at()].is_some();
        let reads = |place: Place, after: usize| {
            let needed = self.places.needed(place);
            (0..needed.len()).any(|k| {
                needed[k]
                    && match self.kernel.values[k].inst {
                        Inst::RowLoad { row: r, .. } => r == row,
                        _ => kept && k == row.at() && after > made,
                    }
            })
        };
        // Programs along the rows, and those along the lanes, read rows as well.
        let sweeps = [Place::Body, Place::Rows, Place::Lanes];
        let read_in = |&s: &usize| {
            s < count && sweeps.iter().any(|place| reads(place(s), s))
                || reads(Place::Outside(s), 0)
        };
        (made..=count).rev().find(read_in).unwrap_or(made)
    }

    /// The values along the rows that a program along the lanes uses.
    pub(super) fn row_values(&mut self, place: Place) -> Vec<RowValue> {
        let Place::Body(s) = place else { return Vec::new() };
        let mut places: Vec<Place> = vec![Place::Rows(s)];
        if matches!(self.layout.mode, Mode::AlongReduce | Mode::ShortRows) {
            places.extend((0..=s).map(Place::Outside));
        }
        let mut list = Vec::new();
        for p in places {
            let exported = self.places.exported(p);
            for k in (0..exported.len()).filter(|&k| exported[k]) {
                let size = self.kernel.values[k].dtype.compute().size();
                let spread = self.layout.mode == Mode::ShortRows && self.is_used(place, k);
                if self.layout.mode == Mode::ShortRows && !spread {
                    continue;
                }
                let mem = match spread {
                    true => self.registers.inner_alloc(self.sizes.len * size),
                    false => Mem::default(),
                };
                list.push(RowValue { v: k as u32, size, mem });
            }
        }
        list
    }

    /// Whether a program uses a value that another one computes.
    fn is_used(&self, place: Place, v: usize) -> bool {
        let Place::Body(sweep) = place else { return false };
        let needed = self.places.needed(place);
        let mut used = false;
        for k in (0..needed.len()).filter(|&k| needed[k]) {
            self.kernel.values[k].inst.for_each_arg(|a| used |= a.at() == v);
        }
        used || self.places.roots(sweep).iter().any(|r| r.at() == v)
    }

    /// The accumulators of a sweep.
    pub(super) fn accs(&mut self, sweep: usize) -> Vec<Acc> {
        let Some(phase) = self.phases.sweeps.get(sweep) else { return Vec::new() };
        let mut reductions = phase.reductions.clone();
        reductions.retain(|&v| self.kernel.value(v).inst.fold().is_none());
        reductions.iter().map(|&v| self.acc(v)).collect()
    }

    /// The scans of a sweep by operations of the table.
    pub(super) fn scans(&mut self, sweep: usize) -> Vec<ScanState> {
        let scans = if sweep == SCAN_SWEEP { self.kernel.scans() } else { Vec::new() };
        scans.into_iter().filter_map(|v| self.scan(v)).collect()
    }

    fn scan(&mut self, v: Val) -> Option<ScanState> {
        let Inst::Scan { by: ScanBy::Table(op), exclusive, .. } = self.kernel.value(v).inst else {
            return None;
        };
        let dtype = self.kernel.value(v).dtype;
        let count = match self.layout.mode {
            Mode::AcrossReduce => self.sizes.len,
            Mode::ShortRows => self.sizes.tile,
            _ => self.sizes.block,
        };
        Some(ScanState {
            dtype,
            along: scan_fn(op, dtype, self.level).expect("the operations check types"),
            combine: combine_fn(op, dtype, self.level),
            identity: op.identity_value(dtype),
            exclusive,
            carry: self.registers.inner_alloc(round_up(count * dtype.size())),
        })
    }

    fn acc(&mut self, v: Val) -> Acc {
        let (op, element) = match &self.kernel.value(v).inst {
            Inst::Reduce { op, args, .. } => (op, args[0]),
            Inst::Scan { by: ScanBy::Table(op), args, .. } => (op, args[0]),
            _ => unreachable!("phases list reductions"),
        };
        let dtype = self.kernel.value(element).dtype.compute();
        let size = dtype.size();
        let search = searches(*op, dtype, self.level);
        // The accumulator and, in a search, the positions; then the results, of which there is
        // one for each position of X in the block or tile.
        let (count, acc) = match self.layout.mode {
            Mode::AcrossReduce => (self.sizes.len, self.sizes.len * size),
            Mode::ShortRows => (self.sizes.tile, self.sizes.tile * size),
            _ => (self.sizes.block, self.sizes.block * ACCUMULATOR),
        };
        let places = |bytes: usize| if search.is_some() { round_up(bytes) } else { 0 };
        Acc {
            v: v.0,
            dtype,
            folds: folds(*op, dtype, self.level).expect("the planner checks classes"),
            search,
            combine: combine_fn(*op, dtype, self.level),
            identity: op.identity_value(dtype),
            vector: !self
                .kernel
                .value(v)
                .axes
                .intersection(self.along(Place::Outside(0)))
                .is_empty(),
            mem: self.registers.inner_alloc(round_up(acc)),
            places: self.registers.inner_alloc(places(count * 8)),
            tree: self.registers.outer_alloc(LEVELS * round_up(count * size)),
            tree_places: self.registers.outer_alloc(LEVELS * places(count * 8)),
        }
    }
}
