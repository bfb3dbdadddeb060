//! What a kernel reads of what it gave when it ran before.
//!
//! A loop's turn is a kernel whose outputs are inputs of the next. Where each position of X reads
//! only what the same position wrote, whoever works on some positions may take all their turns one
//! after the other, without waiting for anybody.

use super::ranges::Ranges;
use super::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Store, Val};

/// How far a position of X looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Own {
    /// At the very element that is written there.
    Element,
    /// At elements that the same position of X writes.
    Row,
}

/// How far a kernel looks at what it gave, where pairs say which input is which output of the turn
/// before; none where a position of X reads what another one wrote.
pub fn own(kernel: &Kernel, pairs: &[(u32, u32)]) -> Option<Own> {
    let ranges = Ranges::new(kernel);
    let mut own = Own::Element;
    for &(input, output) in pairs {
        let mut stores = kernel.stores.iter().filter(|store| store.output == output);
        let store = stores.next()?;
        if stores.next().is_some() {
            return None;
        }
        let row = Row::of(kernel, store);
        for value in &kernel.values {
            let Inst::Load { input: from, index, .. } = &value.inst else { continue };
            if *from != input || *index == store.index {
                continue;
            }
            own = own.max(Own::Row);
            if !row.as_ref()?.has(kernel, &ranges, index) {
                return None;
            }
        }
    }
    Some(own)
}

/// What a position of X writes of an output: elements side by side.
struct Row<'a> {
    store: &'a Store,
    parallel: AxisSet,
    /// The first and the last element, counted from where the position's own begin.
    ends: (i64, i64),
}

impl<'a> Row<'a> {
    /// What a store writes; none where the elements of a position do not lie side by side, or
    /// positions share some.
    fn of(kernel: &Kernel, store: &'a Store) -> Option<Row<'a>> {
        let moving = |set: AxisSet| -> AxisSet {
            set.iter().filter(|&k| kernel.axes[k].extent > 1).collect()
        };
        let parallel = moving(kernel.axes_of(AxisKind::Parallel));
        let within = moving(kernel.axes_of(AxisKind::Reduce)).intersection(store.index.axes());
        if store.index.values().next().is_some() {
            return None;
        }
        let mut strides: Vec<(i64, usize)> =
            within.iter().map(|k| (store.index.stride(k), k)).collect();
        strides.sort_unstable();
        let mut len = 1;
        for (stride, k) in strides {
            if stride != len {
                return None;
            }
            len *= kernel.axes[k].extent as i64;
        }
        let apart = |k: usize| store.index.stride(k) % len == 0 && store.index.stride(k) != 0;
        let whole = kernel.extent(parallel) as i64 * len
            == kernel.outputs[store.output as usize].len as i64;
        let ends = (store.index.offset, store.index.offset + len - 1);
        (whole && parallel.iter().all(apart)).then_some(Row { store, parallel, ends })
    }

    /// Whether an index leads to these elements at every position.
    fn has(&self, kernel: &Kernel, ranges: &Ranges, index: &Index) -> bool {
        let as_stored = |k: usize| index.stride(k) == self.store.index.stride(k);
        let stays = |v: Val| kernel.value(v).axes.intersection(self.parallel).is_empty();
        if !self.parallel.iter().all(as_stored) || !index.values().all(stays) {
            return false;
        }
        let mut within = Index::constant(index.offset);
        for &(atom, coefficient) in &index.terms {
            let is_parallel = matches!(atom, Atom::Axis(k) if self.parallel.has(k as usize));
            if !is_parallel {
                within.add_term(atom, coefficient);
            }
        }
        let (low, high) = ranges.of(kernel, &within);
        self.ends.0 <= low && high <= self.ends.1
    }
}
