//! Gives each value the program that computes it, and each program what it needs from the others.

use super::layout::{Layout, Mode};
use crate::kernel::phases::Phases;
use crate::kernel::{AxisKind, AxisSet, Inst, Kernel, Val};

/// The program that computes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Once for a launch.
    Launch,
    /// Once for a position of X, before a sweep.
    Outside(usize),
    /// In a sweep, once for a tile of lanes.
    Lanes(usize),
    /// In a sweep, once for a block of rows.
    Rows(usize),
    /// In a sweep, for each row of lanes.
    Body(usize),
}

/// What each program computes.
pub struct Places<'k> {
    kernel: &'k Kernel,
    phases: &'k Phases,
    lanes: AxisSet,
    rows: Option<usize>,
    reduce: AxisSet,
    serial: AxisSet,
    /// Whether a value is an index described per tile.
    pub is_desc: Vec<bool>,
    /// Values that later sweeps read from a row instead of computing them again, with the sweep
    /// that makes them.
    pub kept: Vec<Option<usize>>,
    /// For each program, which values it computes.
    pub needs: Vec<(Place, Vec<bool>)>,
    /// For each program, which of its values others use.
    pub exports: Vec<(Place, Vec<bool>)>,
}

impl<'k> Places<'k> {
    pub fn new(kernel: &'k Kernel, phases: &'k Phases, layout: &Layout) -> Self {
        let is_desc =
            |inst: &Inst| inst.is_index() || matches!(inst, Inst::Index(_) | Inst::InRange { .. });
        let mut places = Places {
            kernel,
            phases,
            lanes: layout.lanes.iter().copied().collect(),
            rows: layout.rows,
            reduce: kernel.axes_of(AxisKind::Reduce),
            serial: kernel.axes_of(AxisKind::Serial),
            is_desc: kernel.values.iter().map(|v| is_desc(&v.inst)).collect(),
            kept: vec![None; kernel.values.len()],
            needs: Vec::new(),
            exports: Vec::new(),
        };
        places.keep(layout);
        places.fill();
        places
    }

    /// The number of sweeps; an elementwise kernel has one.
    pub fn sweeps(&self) -> usize {
        match self.reduce.is_empty() {
            true => 1,
            false => self.phases.sweeps.len(),
        }
    }

    /// The sweep's stores.
    pub fn stores(&self, sweep: usize) -> &[usize] {
        match self.reduce.is_empty() {
            true => &self.phases.stores,
            false => &self.phases.sweeps[sweep].stores,
        }
    }

    /// The stores after all sweeps.
    pub fn last_stores(&self) -> &[usize] {
        match self.reduce.is_empty() {
            true => &[],
            false => &self.phases.stores,
        }
    }

    /// Whether the value belongs to the body of a Serial loop.
    pub fn in_serial(&self, v: Val) -> bool {
        !self.kernel.value(v).axes.intersection(self.serial).is_empty()
    }

    /// Whether the value is a reduction over R.
    pub fn is_result(&self, v: Val) -> bool {
        match &self.kernel.value(v).inst {
            Inst::Component { of, .. } => self.is_result(*of),
            inst => inst.reduced().is_some_and(|a| !a.intersection(self.reduce).is_empty()),
        }
    }

    /// The program that computes a value where `sweep` needs it.
    pub fn place(&self, v: Val, sweep: usize) -> Place {
        let axes = self.kernel.value(v).axes;
        let phase = self.phases.of[v.at()] as usize;
        let row_load = matches!(self.kernel.value(v).inst, Inst::RowLoad { .. });
        if axes.is_empty() && phase == 0 && !row_load && !self.is_result(v) {
            return Place::Launch;
        }
        if !self.reduce.is_empty() && axes.intersection(self.reduce).is_empty() {
            return Place::Outside(phase);
        }
        match self.rows {
            Some(rows) if !axes.has(rows) => Place::Lanes(sweep),
            Some(_) if axes.intersection(self.lanes).is_empty() => Place::Rows(sweep),
            _ => Place::Body(sweep),
        }
    }

    /// Chooses the values that are kept for later sweeps: those over R that cost something, vary
    /// along the lanes, and are used by a later sweep. What is the same for a tile is one number,
    /// as are its register and those of what is made of it: read from a row it would be as many as
    /// the tile has lanes.
    fn keep(&mut self, layout: &Layout) {
        // Sweeps of a scan take a chunk each, one right after the other.
        if layout.mode == Mode::Elementwise || self.kernel.has_scans() {
            return;
        }
        for sweep in 1..self.sweeps() {
            let body = &self.phases.sweeps[sweep].body;
            for &v in body {
                let Some(cost) = self.kernel.value(v).inst.cost() else { continue };
                let earlier = (0..sweep).find(|&p| self.phases.sweeps[p].body.contains(&v));
                let Some(earlier) = earlier else { continue };
                let costs = cost >= 4 && self.place(v, sweep) == Place::Body(sweep);
                let varies = !self.kernel.value(v).axes.intersection(self.lanes).is_empty();
                if costs && varies && !self.in_serial(v) {
                    self.kept[v.at()] = Some(earlier);
                }
            }
        }
        // What is used through another kept value only need not be kept itself.
        let mut used = vec![false; self.kept.len()];
        for sweep in 1..self.sweeps() {
            let mut elsewhere = Vec::new();
            let needed = self.closure(Place::Body(sweep), self.roots(sweep), &mut elsewhere);
            (0..used.len())
                .for_each(|k| used[k] |= needed[k] && self.reads_kept(Val(k as u32), sweep));
        }
        (0..used.len()).filter(|&k| !used[k]).for_each(|k| self.kept[k] = None);
    }

    /// Gives up keeping values, and computes them again.
    pub fn forget_kept(&mut self) {
        self.kept.fill(None);
        self.fill();
    }

    /// What a sweep's body must have in registers at its end.
    pub fn roots(&self, sweep: usize) -> Vec<Val> {
        let mut roots = Vec::new();
        if let Some(phase) = self.phases.sweeps.get(sweep) {
            for &v in phase.reductions.iter().chain(&phase.rows) {
                self.kernel.value(v).inst.for_each_arg(|a| roots.push(a));
            }
            let kept = (0..self.kept.len()).filter(|&k| self.kept[k] == Some(sweep));
            roots.extend(kept.map(|k| Val(k as u32)));
        }
        for &k in self.stores(sweep) {
            roots.extend(self.store_values(k));
        }
        roots
    }

    /// The value of a store, and those of its index.
    pub fn store_values(&self, k: usize) -> Vec<Val> {
        let store = &self.kernel.stores[k];
        std::iter::once(store.value).chain(store.index.values()).collect()
    }

    /// Whether the sweep reads the value from a row.
    pub fn reads_kept(&self, v: Val, sweep: usize) -> bool {
        self.kept[v.at()].is_some_and(|made| made < sweep)
    }

    /// Finds what each program needs, from the last one to the first.
    fn fill(&mut self) {
        let count = self.kernel.values.len();
        let sweeps = self.sweeps();
        let mut order = Vec::new();
        for sweep in 0..sweeps {
            order.extend([Place::Body(sweep), Place::Rows(sweep), Place::Lanes(sweep)]);
        }
        order.extend((0..=sweeps).rev().map(Place::Outside));
        order.push(Place::Launch);
        let mut wanted: Vec<(Place, Vec<bool>)> =
            order.iter().map(|&p| (p, vec![false; count])).collect();
        let mut needs = Vec::new();
        for &place in &order {
            let mut roots: Vec<Val> = match place {
                Place::Body(sweep) => self.roots(sweep),
                Place::Outside(p) if p == sweeps => {
                    self.last_stores().iter().flat_map(|&k| self.store_values(k)).collect()
                }
                _ => Vec::new(),
            };
            let here = &wanted.iter().find(|w| w.0 == place).expect("every place is listed").1;
            roots.extend((0..count).filter(|&k| here[k]).map(|k| Val(k as u32)));
            let needed = self.closure(place, roots, &mut wanted);
            needs.push((place, needed));
        }
        self.needs = needs;
        self.exports = wanted;
    }

    /// The values that a program computes for some roots; what others must compute goes into
    /// `wanted`.
    fn closure(
        &self,
        place: Place,
        roots: Vec<Val>,
        wanted: &mut [(Place, Vec<bool>)],
    ) -> Vec<bool> {
        let sweep = match place {
            Place::Body(s) | Place::Rows(s) | Place::Lanes(s) => s,
            Place::Launch | Place::Outside(_) => 0,
        };
        let mut needed = vec![false; self.kernel.values.len()];
        let mut stack = roots;
        while let Some(v) = stack.pop() {
            if needed[v.at()] || matches!(self.kernel.value(v).inst, Inst::Row(_)) {
                continue;
            }
            let local = self.is_desc[v.at()] || self.in_serial(v);
            let home = self.place(v, sweep);
            if !local && home != place {
                if let Some(list) = wanted.iter_mut().find(|w| w.0 == home) {
                    list.1[v.at()] = true;
                }
                continue;
            }
            if self.is_result(v) {
                continue;
            }
            needed[v.at()] = true;
            if !self.reads_kept(v, sweep) || !matches!(place, Place::Body(_)) {
                self.kernel.value(v).inst.for_each_arg(|a| stack.push(a));
            }
        }
        needed
    }

    /// The values that a program computes.
    pub fn needed(&self, place: Place) -> &[bool] {
        &self.needs.iter().find(|n| n.0 == place).expect("every place is listed").1
    }

    /// The values of a program that others use.
    pub fn exported(&self, place: Place) -> &[bool] {
        &self.exports.iter().find(|n| n.0 == place).expect("every place is listed").1
    }
}
