//! Kernels without reductions: one item after another, each independent.

use super::Launch;
use super::emit::{Emitter, Turns};
use super::forms::emit_item;
use super::items::{Lane, Work, declare_loads, early_loads, emit_whole, issue_loads};
use super::kinds::BLOCK;
use super::measure::is_stencil;
use crate::kernel::{AxisKind, Kernel, Val};
use rustc_hash::FxHashSet;

/// All of a kernel without reductions.
pub(super) fn work(e: &Emitter) -> Work {
    let kernel = e.kernel;
    let stored = kernel.stores.iter();
    let roots = stored.flat_map(|s| s.index.values().chain(std::iter::once(s.value)));
    Work { wanted: e.closure(roots), stores: (0..kernel.stores.len()).collect(), ..Work::default() }
}

/// The number of positions.
fn all(kernel: &Kernel) -> usize {
    kernel.extent(kernel.axes_of(AxisKind::Parallel))
}

/// One axis: every thread takes `items` packs, a block's width apart.
pub(super) fn flat(e: &mut Emitter, v: usize, items: usize) -> Launch {
    let n = e.kernel.axes[0].extent;
    let end = e.extent(0);
    let tail = (!n.is_multiple_of(v)).then(|| end.clone());
    let lane = Lane { axis: Some(0), v, base: "x0".into(), tail };
    let word = e.word();
    let start = format!("({word})blockIdx.x * {} + threadIdx.x", BLOCK * items);
    positions(
        e,
        &lane,
        items,
        &|item| {
            let step = if items == 1 { String::new() } else { format!(" + {item} * {BLOCK}") };
            let pack = if v == 1 { String::new() } else { format!(" * {v}") };
            vec![format!("const {word} x0 = ({start}{step}){pack};")]
        },
        &format!("x0 < {end}"),
        &|_| (),
    );
    Launch::flat(n.div_ceil(v * BLOCK * items), BLOCK)
}

/// Several axes of which the innermost is short: a position a thread, taken apart by division.
pub(super) fn linear(e: &mut Emitter, items: usize) -> Launch {
    let kernel = e.kernel;
    let axes = kernel.axes_of(AxisKind::Parallel);
    let n = all(kernel);
    let end = e.args.number("n".into(), n as i64);
    let word = e.word();
    let lane = Lane { axis: None, v: 1, base: "x".into(), tail: None };
    let start = format!("({word})blockIdx.x * {} + threadIdx.x", BLOCK * items);
    positions(
        e,
        &lane,
        items,
        &|item| {
            let step = if items == 1 { String::new() } else { format!(" + {item} * {BLOCK}") };
            vec![format!("const {word} x = {start}{step};")]
        },
        &format!("x < {end}"),
        &|e| e.decompose("x", axes),
    );
    Launch::flat(n.div_ceil(BLOCK * items), BLOCK)
}

/// Emits what varies along the lane axis alone into arrays over the positions of a pack.
pub(super) fn columns_into_arrays(e: &mut Emitter, lane: &Lane, work: &mut Work) {
    let Some(axis) = lane.axis else { return };
    let before = e.bound;
    e.bind(axis, lane.base.clone());
    emit_whole(e, lane, &work.wanted);
    let ready = e.ready(&work.wanted, work.phase);
    e.bound = before;
    if ready.is_empty() {
        return;
    }
    for &v in &ready {
        let held = e.held(v);
        e.for_turns(v, |e, _, name| e.line(&format!("{held} {name}[{}];", lane.v)));
    }
    work.kept = ready.iter().copied().collect::<FxHashSet<Val>>();
    work.subscript = "[e]".into();
    emit_item(e, lane, work);
    work.kept.clear();
}

/// Emits the items of a thread: all their loads, then what is computed of each.
pub(super) fn positions(
    e: &mut Emitter,
    lane: &Lane,
    items: usize,
    place: &dyn Fn(&str) -> Vec<String>,
    inside: &str,
    bind: &dyn Fn(&mut Emitter),
) {
    let mut work = work(e);
    if items == 1 {
        place("0").iter().for_each(|l| e.line(l));
        e.open(&format!("if ({inside})"));
        bind(e);
        emit_item(e, lane, &work);
        return e.close();
    }
    let first = format!("for (int u = 0; u < {items}; ++u)");
    let loads = listed_loads(e, lane, &work, items, bind);
    if !loads.is_empty() {
        declare_loads(e, lane, &loads, items);
        e.open_turns(&first, Turns::All(items));
        place("u").iter().for_each(|l| e.line(l));
        e.open(&format!("if ({inside})"));
        bind(e);
        issue_loads(e, lane, &loads, Some("[u]"));
        e.close();
        e.close();
    }
    e.open_turns(&first, Turns::All(items));
    place("u").iter().for_each(|l| e.line(l));
    e.open(&format!("if ({inside})"));
    bind(e);
    work.subscript = "[u]".into();
    emit_item(e, lane, &work);
    e.close();
    e.close();
}

/// The loads that can be issued early once the positions of an item are bound.
fn listed_loads(
    e: &mut Emitter,
    lane: &Lane,
    work: &Work,
    items: usize,
    bind: &dyn Fn(&mut Emitter),
) -> Vec<Val> {
    // The rows of a stencil share most of what they read: left to itself, the compiler reads it
    // once, where early loads of every row would take registers for each.
    if lane.axis.is_none() || is_stencil(e.kernel) {
        return Vec::new();
    }
    let before = e.bound;
    bind(e);
    let loads = early_loads(e, lane, work);
    e.bound = before;
    // More would cost more threads than the loads in flight are worth.
    let words = |v: Val| super::names::words(e.kernel.value(v).dtype) * lane.v * items;
    let mut room = 96;
    let fits = |&v: &Val| {
        let fits = words(v) <= room;
        room -= words(v).min(room);
        fits
    };
    loads.into_iter().filter(fits).collect()
}
