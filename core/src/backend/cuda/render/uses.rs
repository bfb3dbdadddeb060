//! The uses of values in a kernel by rows: the sweep that computes each, the one that uses it last,
//! and what is kept in registers between.

use super::emit::cheap;
use super::names::words;
use crate::kernel::phases::Phases;
use crate::kernel::{AxisKind, Inst, Kernel, Val};
use rustc_hash::FxHashMap;

/// For each value over R, the sweep that computes it where rows stay in registers: the first that
/// can; what stands in a Serial loop, where the loop is.
pub(super) fn computed(kernel: &Kernel, phases: &Phases) -> Vec<u32> {
    let mut computed = phases.of.clone();
    let all = kernel.axes_of(AxisKind::Serial);
    // Loops around others come later.
    for (l, value) in kernel.values.iter().enumerate().rev() {
        let Some(looped) = value.inst.reduced().map(|axes| axes.intersection(all)) else {
            continue;
        };
        for (k, value) in kernel.values.iter().enumerate().take(l) {
            if !value.axes.intersection(looped).is_empty() {
                computed[k] = computed[k].max(computed[l]);
            }
        }
    }
    computed
}

/// For each value, the last sweep that uses it, where values that are cheap to make again are
/// made again in each sweep that needs them.
fn last_uses(kernel: &Kernel, phases: &Phases) -> Vec<Option<u32>> {
    let (cheap, reduce) = (cheap(kernel), kernel.axes_of(AxisKind::Reduce));
    let computed = computed(kernel, phases);
    let mut last: Vec<Option<u32>> = vec![None; kernel.values.len()];
    let mut used = |v: Val, by: u32| last[v.at()] = last[v.at()].max(Some(by));
    for (p, sweep) in phases.sweeps.iter().enumerate() {
        for &v in sweep.reductions.iter().chain(&sweep.rows) {
            kernel.value(v).inst.for_each_arg(|a| used(a, p as u32));
        }
        for &k in &sweep.stores {
            used(kernel.stores[k].value, p as u32);
            kernel.stores[k].index.values().for_each(|a| used(a, p as u32));
        }
    }
    for k in (0..kernel.values.len()).rev() {
        let (Some(by), value) = (last[k], &kernel.values[k]) else { continue };
        // What a sweep folds or fills was marked above, as used by that sweep.
        let swept = match value.inst {
            Inst::Row(_) => true,
            ref inst => inst.reduced().is_some_and(|axes| !axes.intersection(reduce).is_empty()),
        };
        if swept {
            continue;
        }
        let by = if cheap[k] { by } else { computed[k] };
        value.inst.for_each_arg(|a| last[a.at()] = last[a.at()].max(Some(by)));
    }
    last
}

/// The values over R that a later sweep uses than the first that can compute them.
pub(super) fn crossing(kernel: &Kernel, phases: &Phases) -> Vec<bool> {
    let (reduce, serial) = (kernel.axes_of(AxisKind::Reduce), kernel.axes_of(AxisKind::Serial));
    let (last, cheap) = (last_uses(kernel, phases), cheap(kernel));
    let reread = rereads(kernel, phases);
    let crosses = |k: usize| {
        let value = &kernel.values[k];
        let over_r = !value.axes.intersection(reduce).is_empty();
        let own = value.axes.intersection(serial).is_empty();
        let row = matches!(value.inst, Inst::Row(_));
        let v = Val(k as u32);
        over_r
            && own
            && !row
            && !cheap[k]
            && !reread.contains_key(&v)
            && last[k] > Some(phases.of[k])
    };
    (0..kernel.values.len()).map(crosses).collect()
}

/// The values that are the element of a row which is still there when they are used last: later
/// sweeps read them back from it, where a register would otherwise hold them.
pub(super) fn rereads(kernel: &Kernel, phases: &Phases) -> FxHashMap<Val, Val> {
    let last = last_uses(kernel, phases);
    let mut read: Vec<u32> = vec![0; kernel.values.len()];
    for (k, value) in kernel.values.iter().enumerate() {
        if let Inst::RowLoad { row, .. } = value.inst {
            read[row.at()] = read[row.at()].max(phases.of[k]);
        }
    }
    let mut found = FxHashMap::default();
    for (k, value) in kernel.values.iter().enumerate() {
        if let Inst::Row(element) = value.inst
            && last[element.at()] > Some(phases.of[element.at()])
            && last[element.at()] <= Some(read[k])
        {
            found.insert(element, Val(k as u32));
        }
    }
    found
}

/// The most 32-bit registers that one position's kept values take at once.
pub(super) fn live_words(kernel: &Kernel, phases: &Phases) -> usize {
    let (kept, last) = (crossing(kernel, phases), last_uses(kernel, phases));
    let live = |p: u32| {
        let alive = |k: &usize| kept[*k] && phases.of[*k] < p && last[*k] >= Some(p);
        (0..kernel.values.len()).filter(alive).map(|k| words(kernel.values[k].dtype)).sum()
    };
    (1..phases.sweeps.len() as u32).map(live).max().unwrap_or(0)
}
