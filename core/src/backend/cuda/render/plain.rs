//! An item with the functions that take all arguments: position by position, or value by value where
//! that pays (`lockstep.rs`).

use super::emit::{Emitter, Turns};
use super::items::{
    Lane, Work, declare_stores, early_loads, issue_draws, issue_loads, packed_stores, write_one,
    write_packs,
};
use super::lockstep;
use crate::kernel::{Inst, Val};

/// Emits an item with the functions that take all arguments, or with those that the emitter is
/// set to.
pub(super) fn emit_plain(e: &mut Emitter, lane: &Lane, work: &Work) {
    e.emit_ready(&work.wanted, work.phase);
    if lane.v > 1 {
        let loads = early_loads(e, lane, work);
        issue_loads(e, lane, &loads, None);
        issue_draws(e, lane, work);
    }
    let packed = packed_stores(e, lane, work);
    if work.held_back {
        let opened = open_lanes(e, lane, work, &packed);
        emit_lane(e, work, &packed);
        return (0..opened).for_each(|_| e.close());
    }
    declare_stores(e, lane, &packed);
    if let Some(values) = lockstep::values(e, lane, work, &packed) {
        lockstep::emit(e, lane, &values, &packed);
    } else {
        let opened = open_lanes(e, lane, work, &packed);
        emit_lane(e, work, &packed);
        (0..opened).for_each(|_| e.close());
    }
    write_packs(e, lane, work, &packed);
}

/// Opens the loop over the positions of an item, and the guard of a cut item where one is needed.
fn open_lanes(e: &mut Emitter, lane: &Lane, work: &Work, packed: &[usize]) -> usize {
    let Some(axis) = lane.axis else { return 0 };
    if lane.v == 1 {
        e.bind(axis, lane.base.clone());
        return 0;
    }
    e.open_turns(&format!("for (int e = 0; e < {}; ++e)", lane.v), Turns::All(lane.v));
    e.bind(axis, format!("({} + e)", lane.base));
    let Some(n) = &lane.tail else { return 1 };
    let scattered = packed.len() < work.stores.len();
    let reads = |k: usize| {
        work.wanted[k]
            && matches!(e.kernel.values[k].inst, Inst::Load { .. })
            && !e.has_name(Val(k as u32))
    };
    let gathers = (0..e.kernel.values.len()).any(reads);
    let folds = !work.reductions.is_empty() || !work.scans.is_empty();
    if scattered || gathers || folds || !work.rows.is_empty() {
        e.open(&format!("if ({} + e < {n})", lane.base));
        return 2;
    }
    1
}

fn emit_lane(e: &mut Emitter, work: &Work, packed: &[usize]) {
    let mut reread: Vec<(Val, Val)> = work.reread.iter().map(|(v, row)| (*v, *row)).collect();
    reread.sort();
    for (v, row) in reread.into_iter().filter(|(v, _)| work.wanted[v.at()]) {
        let (held, memory, at) = (e.held(v), e.rows[&row].clone(), e.rows_at());
        e.line(&format!("const {held} v{} = {memory}[{at}];", v.0));
        e.name((v.0, 0), format!("v{}", v.0));
    }
    for v in e.ready(&work.wanted, work.phase) {
        if work.kept.contains(&v) {
            e.emit(v, Some(&|name| format!("{name}{}", work.subscript)));
        } else {
            e.emit(v, None);
        }
    }
    for &v in [&work.reductions, &work.scans, &work.totals].into_iter().flatten() {
        e.count_fold(v);
    }
    for &v in &work.reductions {
        let own = if work.tiles && e.is_fold(v) { format!("tile{}", v.0) } else { e.own(v) };
        let accumulator = format!("{own}{}", work.fold_into);
        let folded = e.folded(v, &accumulator);
        e.line(&format!("{accumulator} = {folded};"));
    }
    for &v in &work.scans {
        let element = e.element(v);
        e.line(&format!("scan{}{} = {element};", v.0, work.scan_into));
    }
    for &v in &work.totals {
        let sum = format!("sum{}{}", v.0, work.fold_into);
        let folded = e.folded(v, &sum);
        e.line(&format!("{sum} = {folded};"));
    }
    for &v in &work.rows {
        let kernel = e.kernel;
        let Inst::Row(element) = kernel.value(v).inst else { continue };
        let memory = e.rows.get(&v).cloned().unwrap_or_default();
        let (at, element) = (e.rows_at(), e.operand(element));
        e.line(&format!("{memory}[{at}] = {element};"));
    }
    for &k in &work.stores {
        if packed.contains(&k) {
            let store = &e.kernel.stores[k];
            let value = e.operand(store.value);
            e.line(&format!("store{k}.at[e] = {value};"));
        } else if work.held_back {
            let value = e.operand(e.kernel.stores[k].value);
            e.line(&format!("store{k} = {value};"));
        } else {
            write_one(e, k, work.store_if.as_deref());
        }
    }
}
