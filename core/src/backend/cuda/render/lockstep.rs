//! Items computed value by value instead of position by position: each value for all positions of
//! the item before the next value.
//!
//! A quotient, a root or an exponential branches where its argument is extreme, and the compiler
//! moves nothing across a branch. With all positions side by side it makes each constant of a
//! function once for an item, and waits for one position's result while it computes another's:
//! Black-Scholes in f32, written so by hand, took 0.361 ms where it had taken 0.396
//! (it is written for usual arguments now). Of doubles an
//! item has two, which gained nothing beside an exponential with its constants in memory.

use super::emit::{Emitter, Turns};
use super::items::{Lane, Work, item_values};
use crate::kernel::{Inst, Val};

/// An expression lighter than this, in additions, waits for memory however it is written.
pub(super) const HEAVY: u32 = 40;
/// The most bytes that live at once for all positions of an item: a quarter of what a thread can
/// keep in registers.
const MOST_LIVE: usize = 256;

/// The values of an item in their order, where they are to be emitted so.
pub(super) fn values(
    e: &mut Emitter,
    lane: &Lane,
    work: &Work,
    packed: &[usize],
) -> Option<Vec<Val>> {
    let whole = lane.axis.is_some() && lane.v > 1 && packed.len() == work.stores.len();
    // Arrays whose loops are not written out do not stay in registers.
    if !whole || !work.only_stores() || e.form.rolled {
        return None;
    }
    let ready = item_values(e, lane, work);
    let narrow = |v: Val| e.kernel.value(v).dtype.size() <= 4;
    let simple = |&v: &Val| match &e.kernel.value(v).inst {
        Inst::Op(..) | Inst::Cast(_) => narrow(v),
        // Past the end of a cut item nothing may be read.
        Inst::Load { .. } => lane.tail.is_none() && narrow(v),
        Inst::Draw { .. } | Inst::RowLoad { .. } => false,
        inst => inst.index().is_some(),
    };
    let cost: u32 = ready.iter().filter_map(|&v| e.kernel.value(v).inst.cost()).sum();
    let worth = cost >= HEAVY && ready.iter().all(simple);
    (worth && live(e, &ready, work) * lane.v <= MOST_LIVE).then_some(ready)
}

/// The most bytes of the values that live at once for one position.
fn live(e: &Emitter, ready: &[Val], work: &Work) -> usize {
    let kernel = e.kernel;
    let mut last = vec![0; kernel.values.len()];
    for (at, &v) in ready.iter().enumerate() {
        last[v.at()] = at;
        kernel.value(v).inst.for_each_arg(|arg| last[arg.at()] = at);
    }
    for &k in &work.stores {
        last[kernel.stores[k].value.at()] = ready.len();
    }
    let size = |v: Val| kernel.value(v).dtype.size();
    let mut ends = vec![0; ready.len() + 1];
    ready.iter().for_each(|&v| ends[last[v.at()]] += size(v));
    let (mut now, mut most) = (0, 0);
    for (at, &v) in ready.iter().enumerate() {
        now += size(v);
        most = most.max(now);
        now -= ends[at];
    }
    most
}

/// Emits the values and puts them into the packs of the stores.
pub(super) fn emit(e: &mut Emitter, lane: &Lane, ready: &[Val], packed: &[usize]) {
    let Some(axis) = lane.axis else { return };
    let each = format!("for (int e = 0; e < {}; ++e)", lane.v);
    for &v in ready {
        let held = e.held(v);
        e.for_turns(v, |e, _, name| e.line(&format!("{held} {name}[{}];", lane.v)));
        e.open_turns(&each, Turns::All(lane.v));
        e.bind(axis, format!("({} + e)", lane.base));
        e.emit(v, Some(&|name| format!("{name}[e]")));
        e.close();
        // Until the item's own block closes.
        e.for_turns(v, |e, turn, name| e.name((v.0, turn), format!("{name}[e]")));
    }
    for &k in packed {
        let value = e.operand(e.kernel.stores[k].value);
        e.line("#pragma unroll");
        e.line(&format!("{each} store{k}.at[e] = {value};"));
    }
}
