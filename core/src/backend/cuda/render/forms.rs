//! An item in the form that pays: by functions for usual arguments (`usual.rs`), or plainly
//! (`plain.rs`).

use super::emit::Emitter;
use super::items::{Lane, Work};
use super::plain::emit_plain;
use super::usual;
use crate::kernel::Val;

/// The values that are needed for what is done with an item, and that have no name yet.
fn unnamed(e: &Emitter, work: &Work) -> Vec<bool> {
    let mut roots: Vec<Val> = work.kept.iter().copied().collect();
    let taking = [&work.reductions, &work.rows, &work.scans, &work.totals];
    for &v in taking.into_iter().flatten() {
        e.kernel.value(v).inst.for_each_arg(|a| roots.push(a));
    }
    for &k in &work.stores {
        roots.push(e.kernel.stores[k].value);
        roots.extend(e.kernel.stores[k].index.values());
    }
    if roots.is_empty() {
        return work.wanted.clone();
    }
    let there = |v: Val| e.has_name(v) || work.reread.contains_key(&v);
    e.closure_up_to(roots, &there)
}

/// Emits all of an item: what its values are, and what is done with them.
pub(super) fn emit_item(e: &mut Emitter, lane: &Lane, work: &Work) {
    let work = &Work { wanted: unnamed(e, work), ..work.clone() };
    if usual::pays(e, lane, work) {
        return usual::emit(e, lane, work);
    }
    emit_plain(e, lane, work);
}
