//! The walk of a block through its part of a row whose elements are combined in order.
//!
//! The warps of a block take neighbouring tiles in each turn, so that a block reads one stretch of
//! memory after the other: with a part for each warp the reads of a device lie in eight times as
//! many places, and take 3% longer on an H200. What the warps have folded in a turn waits in shared
//! memory until there is one for each thread; then the block folds it, in order.

use super::super::emit::{Emitter, Turns};
use super::super::items::Work;
use super::super::measure::accumulator_size;
use super::{Rows, combiner};
use crate::kernel::Val;

/// The tiles of a warp in one turn.
const TILES: usize = 2;
/// The turns whose results wait: with one of each warp in each, there is one for each thread.
const TURNS: usize = 32;

/// The tiles of a warp that its lanes fold together where nothing else is done with them: fewer
/// shuffles, and fewer calls of the function, than one after the other.
pub(super) const TOGETHER: usize = 4;

/// Whether what a lane holds of such tiles fits into registers.
pub(super) fn fit_together(e: &Emitter, work: &Work) -> bool {
    let folds = work.reductions.iter().filter(|&&v| e.is_fold(v));
    TOGETHER * folds.map(|&v| accumulator_size(e.kernel, v)).sum::<usize>() <= 96
}

/// The bytes of shared memory that results may wait in.
const ROOM: usize = 24 << 10;

/// Whether there is room for what waits, and parts are so long that waiting is worth its barriers.
pub(super) fn pays(rows: &Rows, e: &Emitter, work: &Work) -> bool {
    let folds = work.reductions.iter().filter(|&&v| e.is_fold(v));
    let room = folds.map(|&v| accumulator_size(e.kernel, v) * rows.plan.team).sum::<usize>();
    let stretch = rows.plan.team * TILES * rows.plan.v;
    room <= ROOM && rows.length / rows.plan.parts >= 16 * stretch
}

pub(super) fn sweep(rows: &Rows, e: &mut Emitter, work: &Work) {
    let (word, end, p) = (e.word(), rows.end(e), work.phase);
    let (team, tile) = (rows.plan.team, 32 * rows.plan.v);
    let warps = team / 32;
    let stretch = warps * TILES * tile;
    let chunk = rows.length.div_ceil(rows.plan.parts * tile) * tile;
    let chunk = e.args.number("chunk".into(), chunk as i64);
    let folds: Vec<Val> = work.reductions.iter().copied().filter(|&v| e.is_fold(v)).collect();
    for &v in &folds {
        let (k, ctype, identity) = (v.0, e.accumulator(v), e.identity(v));
        e.line(&format!("__shared__ {ctype} wait{k}[{team}], folded{k}[{warps}];"));
        e.line(&format!("{ctype} total{k} = {identity};"));
    }
    e.line(&format!("{word} base{p} = part * {chunk};"));
    e.line(&format!(
        "const {word} last{p} = base{p} + {chunk} < {end} ? base{p} + {chunk} : {end};"
    ));
    e.line(&format!("int turn{p} = 0;"));
    e.open(&format!("for (; base{p} + {stretch} <= last{p}; base{p} += {stretch})"));
    turn(rows, e, work, &folds, None);
    e.open(&format!("if (++turn{p} == {TURNS})"));
    flush(e, &folds, team, None);
    e.line(&format!("turn{p} = 0;"));
    e.close();
    e.close();
    e.open(&format!("if (base{p} < last{p})"));
    turn(rows, e, work, &folds, Some(&format!("last{p}")));
    e.line(&format!("++turn{p};"));
    e.close();
    flush(e, &folds, team, Some(&format!("lane < turn{p} * {warps}")));
    // The first warp has the block's result, and the others nothing.
    for &v in &folds {
        let (k, identity) = (v.0, e.identity(v));
        e.line(&format!("fold{k} = {identity};"));
        e.line(&format!("if (lane < 32) fold{k} = total{k};"));
    }
}

/// One turn: each warp folds its tiles, of which positions from `last` on are left out.
fn turn(rows: &Rows, e: &mut Emitter, work: &Work, folds: &[Val], last: Option<&str>) {
    let (word, p, tile) = (e.word(), work.phase, 32 * rows.plan.v);
    for &v in folds {
        let identity = e.identity(v);
        e.line(&format!("fold{} = {identity};", v.0));
    }
    e.open_turns(&format!("for (int t = 0; t < {TILES}; ++t)"), Turns::All(TILES));
    e.line(&format!("const {word} own{p} = base{p} + (lane / 32 * {TILES} + t) * {tile};"));
    rows.tile(e, work, &format!("own{p}"), last);
    e.close();
    for &v in folds {
        let (k, warps) = (v.0, rows.plan.team / 32);
        e.line(&format!("if (lane % 32 == 0) wait{k}[turn{p} * {warps} + lane / 32] = fold{k};"));
    }
}

/// Some whole tiles of a warp from `base` on, which the lanes then fold together.
pub(super) fn tiles_together(rows: &Rows, e: &mut Emitter, work: &Work, base: &str) {
    let (tiles, tile, word) = (TOGETHER, 32 * rows.plan.v, e.word());
    let folds: Vec<Val> = work.reductions.iter().copied().filter(|&v| e.is_fold(v)).collect();
    for &v in &folds {
        e.line(&format!("{} tiles{}[{tiles}];", e.accumulator(v), v.0));
    }
    e.open_turns(&format!("for (int t = 0; t < {tiles}; ++t)"), Turns::All(tiles));
    rows.begin_tile(e, work);
    e.line(&format!("const {word} own = {base} + t * {tile};"));
    rows.tile_items(e, work, "own", None);
    for &v in &folds {
        e.line(&format!("tiles{0}[t] = tile{0};", v.0));
    }
    e.close();
    for &v in &folds {
        let (k, fold) = (v.0, combiner(e, v));
        let (ctype, all) = (e.accumulator(v), format!("all{k}"));
        e.line(&format!(
            "const {ctype} {all} = lz_fold_tiles_in_order<{tiles}>(tiles{k}, {fold});"
        ));
        let folded = e.combined(v, &format!("fold{k}"), &all);
        e.line(&format!("fold{k} = {folded};"));
    }
}

/// Folds what waits, as far as there is some, behind what was folded before.
fn flush(e: &mut Emitter, folds: &[Val], team: usize, only_if: Option<&str>) {
    let guard = only_if.map(|condition| format!("if ({condition}) ")).unwrap_or_default();
    e.line("__syncthreads();");
    for &v in folds {
        let (k, ctype, identity, fold) = (v.0, e.accumulator(v), e.identity(v), combiner(e, v));
        e.open("");
        e.line(&format!("{ctype} all = {identity};"));
        e.line(&format!("{guard}all = wait{k}[lane];"));
        e.line(&format!("all = lz_fold_in_order<32>(all, {fold});"));
        e.line(&format!("all = lz_block_in_order<{team}>(all, folded{k}, {fold});"));
        let folded = e.combined(v, &format!("total{k}"), "all");
        e.line(&format!("total{k} = {folded};"));
        e.close();
    }
}
