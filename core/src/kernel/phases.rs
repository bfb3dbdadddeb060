//! The phases of a kernel: which sweep over R computes what.
//!
//! Phases are derived from the values and never stored: a reduction over R, or a resident row, ends
//! one.

use super::{AxisKind, AxisSet, Inst, Kernel, Val};

/// What one sweep over the Reduce axes does, and what follows it.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// The values that depend on R and that this sweep computes for each position of R, each
    /// after those that it uses; Serial loops inside are listed with them. Values that an
    /// earlier sweep computed stand here again where this one needs them.
    pub body: Vec<Val>,
    /// The reductions over R that this sweep folds.
    pub reductions: Vec<Val>,
    /// The rows ([`Inst::Row`]) that this sweep fills.
    pub rows: Vec<Val>,
    /// The stores that this sweep makes for each position of R, by position in `Kernel::stores`.
    pub stores: Vec<usize>,
}

/// A kernel divided into its phases.
#[derive(Clone, Debug, Default)]
pub struct Phases {
    /// The sweeps, in order. A kernel without Reduce axes has none.
    pub sweeps: Vec<Phase>,
    /// For each value, the first sweep before which (for values that do not depend on R) or in
    /// which (for the others) it can be computed.
    pub of: Vec<u32>,
    /// The values that do not depend on R, with the number of the sweep before which each is
    /// computed (`sweeps.len()` means after the last), in an order that respects their uses.
    pub outside: Vec<(u32, Val)>,
    /// The stores outside of all sweeps; they come last.
    pub stores: Vec<usize>,
}

impl Kernel {
    /// Divides the kernel into phases.
    ///
    /// A value's phase is that of its latest argument, where the result of a reduction over R is
    /// ready one phase after its elements, and a row one phase after its element.
    pub fn phases(&self) -> Phases {
        let reduce = self.axes_of(AxisKind::Reduce);
        let of = self.ready(reduce);
        let store_axes = |k: usize| {
            let store = &self.stores[k];
            self.index_axes(&store.index).union(self.value(store.value).axes)
        };
        let inside = |k: usize| !store_axes(k).intersection(reduce).is_empty();
        let mut sweeps: Vec<Phase> = Vec::new();
        for (k, value) in self.values.iter().enumerate() {
            let (phase, v) = (of[k] as usize, Val(k as u32));
            match &value.inst {
                inst if inst.reduced().is_some_and(|axes| is_sweep(axes, reduce)) => {
                    // A reduction's own phase is that of its elements.
                    at(&mut sweeps, phase - 1).reductions.push(v);
                }
                Inst::Row(_) => at(&mut sweeps, phase - 1).rows.push(v),
                _ => {}
            }
        }
        let mut phases = Phases::default();
        for k in 0..self.stores.len() {
            if inside(k) {
                at(&mut sweeps, of[self.stores[k].value.at()] as usize).stores.push(k);
            } else {
                phases.stores.push(k);
            }
        }
        for sweep in &mut sweeps {
            sweep.body = self.body_of(sweep, reduce);
        }
        let needed = self.needed_outside(&sweeps, &phases.stores, reduce);
        for (k, value) in self.values.iter().enumerate() {
            if needed[k] && value.axes.intersection(reduce).is_empty() && !self.in_serial(k) {
                phases.outside.push((of[k], Val(k as u32)));
            }
        }
        phases.outside.sort_by_key(|&(phase, v)| (phase, v));
        Phases { sweeps, of, ..phases }
    }

    /// The axes that an index depends on, through its values too.
    pub fn index_axes(&self, index: &super::Index) -> AxisSet {
        index.values().fold(index.axes(), |set, v| set.union(self.value(v).axes))
    }

    /// For each value, the phase at which it is ready.
    fn ready(&self, reduce: AxisSet) -> Vec<u32> {
        let mut ready = vec![0u32; self.values.len()];
        for (k, value) in self.values.iter().enumerate() {
            let mut phase = 0;
            value.inst.for_each_arg(|v| phase = phase.max(ready[v.at()]));
            let sweeps = match &value.inst {
                Inst::Row(_) => true,
                inst => inst.reduced().is_some_and(|axes| is_sweep(axes, reduce)),
            };
            ready[k] = phase + u32::from(sweeps);
        }
        ready
    }

    /// Whether the value belongs to the body of a Serial loop.
    fn in_serial(&self, k: usize) -> bool {
        !self.values[k].axes.intersection(self.axes_of(AxisKind::Serial)).is_empty()
    }

    /// The values over R that a sweep must compute, in order.
    fn body_of(&self, sweep: &Phase, reduce: AxisSet) -> Vec<Val> {
        let mut wanted = vec![false; self.values.len()];
        for &v in &sweep.reductions {
            self.value(v).inst.for_each_arg(|a| wanted[a.at()] = true);
        }
        for &v in &sweep.rows {
            self.value(v).inst.for_each_arg(|a| wanted[a.at()] = true);
        }
        for &k in &sweep.stores {
            wanted[self.stores[k].value.at()] = true;
            self.stores[k].index.values().for_each(|v| wanted[v.at()] = true);
        }
        let inside = |k: usize| !self.values[k].axes.intersection(reduce).is_empty();
        for k in (0..self.values.len()).rev() {
            // A row is memory that an earlier sweep filled: what fills it is not needed again.
            if wanted[k] && inside(k) && !matches!(self.values[k].inst, Inst::Row(_)) {
                self.values[k].inst.for_each_arg(|a| wanted[a.at()] = true);
            }
        }
        let listed =
            |&k: &usize| wanted[k] && inside(k) && !matches!(self.values[k].inst, Inst::Row(_));
        (0..self.values.len()).filter(listed).map(|k| Val(k as u32)).collect()
    }

    /// Which values are needed at all outside of the sweeps' bodies.
    fn needed_outside(&self, sweeps: &[Phase], stores: &[usize], reduce: AxisSet) -> Vec<bool> {
        let mut wanted = vec![false; self.values.len()];
        let inside = |k: usize| !self.values[k].axes.intersection(reduce).is_empty();
        for sweep in sweeps {
            for &v in sweep.body.iter().chain(&sweep.reductions) {
                wanted[v.at()] = true;
                self.value(v).inst.for_each_arg(|a| wanted[a.at()] = true);
            }
            for &k in &sweep.stores {
                wanted[self.stores[k].value.at()] = true;
                self.stores[k].index.values().for_each(|v| wanted[v.at()] = true);
            }
        }
        for &k in stores {
            wanted[self.stores[k].value.at()] = true;
            self.stores[k].index.values().for_each(|v| wanted[v.at()] = true);
        }
        for k in (0..self.values.len()).rev() {
            if wanted[k] && !inside(k) {
                self.values[k].inst.for_each_arg(|a| wanted[a.at()] = true);
            }
        }
        wanted
    }
}

fn is_sweep(axes: AxisSet, reduce: AxisSet) -> bool {
    !axes.intersection(reduce).is_empty()
}

fn at(sweeps: &mut Vec<Phase>, phase: usize) -> &mut Phase {
    if sweeps.len() <= phase {
        sweeps.resize_with(phase + 1, Phase::default);
    }
    &mut sweeps[phase]
}
