//! The rules by which a kernel gets its schedule: which threads do what.
//!
//! Rules look at classes (which axis is contiguous, whether it divides by a pack, which power of
//! two a row fits) and at how much work there is for the device's multiprocessors.
//!
//! Without Reduce axes:
//! - one axis: [`Schedule::Flat`], each thread `items` packs;
//! - several axes: [`Schedule::Grid`], threads along the innermost axis and the one before it;
//!   where a load walks another axis by one, that axis is the second, and the load goes through
//!   a tile; where values of the rows alone are costly, a block covers 64 rows (8 where there
//!   would be too few blocks) and computes them once; a stencil takes four rows a thread;
//! - several axes of which the innermost is short: [`Schedule::Linear`], a position for each
//!   thread, taken apart by division.
//!
//! With Reduce axes:
//! - where the heaviest loads walk R by one, or there is nothing to walk: [`Schedule::Rows`], a
//!   team of threads for each X position: a part of a warp, a warp or a block by the length of
//!   the row; the row's packs stay in registers where several sweeps read them and they fit;
//!   few long rows are split over blocks, of which the last combines;
//! - where they walk X by one, or X and R both (windows), or what varies along X and along R comes
//!   from different loads: [`Schedule::Columns`], threads along X, R over the block's second axis
//!   and over blocks.
//!
//! With scans along R: `scan_schedule.rs`.

use super::Target;
use super::kinds::{BLOCK, GridPlan, Schedule};
use super::lockstep::HEAVY;
use super::measure::{accumulator_size, is_stencil, pack, reduced};
use super::{grid, scan_schedule};
use crate::kernel::phases::Phases;
use crate::kernel::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val};

/// The bytes that all loads along an axis read for one position.
fn bytes_read(kernel: &Kernel, axis: usize) -> usize {
    let loads = kernel.values.iter().filter(|v| matches!(v.inst, Inst::Load { .. }));
    loads.filter(|v| v.axes.has(axis)).map(|v| v.dtype.size()).sum()
}

/// How many items keep enough bytes in flight where each reads `bytes`.
fn items_for(bytes: usize, most: usize) -> usize {
    let mut items = 1;
    while items < most && items * bytes.max(8) < 16 {
        items *= 2;
    }
    items
}

/// The schedule of a kernel.
pub(super) fn choose(kernel: &Kernel, phases: &Phases, target: &Target) -> Schedule {
    if phases.sweeps.is_empty() {
        return elementwise(kernel, target);
    }
    if kernel.has_scans() {
        return scan_schedule::choose(kernel, target);
    }
    match columns(kernel, phases, target) {
        Some(schedule) => schedule,
        None => rows(kernel, phases, target),
    }
}

fn elementwise(kernel: &Kernel, target: &Target) -> Schedule {
    let axes = kernel.axes_of(AxisKind::Parallel);
    let all = kernel.extent(axes);
    let sms = target.multiprocessors as usize;
    let busy = sms * BLOCK;
    let Some(inner) = axes.iter().next_back() else { return Schedule::Linear { items: 1 } };
    let extent = kernel.axes[inner].extent;
    let mut v = pack(kernel, inner, axes.len() == 1);
    // Few elements are better spread over all multiprocessors.
    if all / v < busy {
        v = 1;
    }
    // A pack of narrow results is many costly positions one after another, and none needs a load:
    // apart, threads store whole lines together as well, and where a function takes as long as it
    // needs, neighbours take about as long.
    if v > 4 && bytes_read(kernel, inner) == 0 && cost(kernel) >= 60 {
        v = 1;
    }
    // Places that neighbours look up lie close together, as pixels of a turned picture do: a warp whose
    // lanes are neighbours finds them in fewer lines than one that covers `v` times as many.
    if gathers(kernel, inner) > 1 {
        v = 1;
    }
    let bytes = bytes_read(kernel, inner) * v;
    // Costly functions keep a thread busy enough, and so do stores alone.
    let most = if all / v >= 16 * busy && bytes > 0 && cost(kernel) < 60 { 4 } else { 1 };
    let items = items_for(bytes, most);
    if axes.len() == 1 {
        return Schedule::Flat { v, items };
    }
    if extent / v < 16 {
        return Schedule::Linear { items };
    }
    grid_plan(kernel, inner, v, items, sms)
}

/// How many loads read places along an axis that are computed or read themselves.
fn gathers(kernel: &Kernel, axis: usize) -> usize {
    let looked_up = |v: &&crate::kernel::Value| match &v.inst {
        Inst::Load { index, .. } => kernel.is_looked_up(index, axis),
        _ => false,
    };
    kernel.values.iter().filter(looked_up).count()
}

/// What the operations of one position cost together, in additions.
fn cost(kernel: &Kernel) -> u32 {
    let each = |v: &crate::kernel::Value| v.inst.cost().unwrap_or(0);
    kernel.values.iter().map(each).sum()
}

/// How threads stand along two of several axes.
fn grid_plan(kernel: &Kernel, inner: usize, v: usize, items: usize, sms: usize) -> Schedule {
    let extent = kernel.axes[inner].extent;
    let all = kernel.extent(kernel.axes_of(AxisKind::Parallel));
    let turned = |row: &usize| !grid::turned_loads(kernel, *row, inner).is_empty();
    if let Some(row) = (0..inner).filter(|&k| kernel.axes[k].extent >= 16).find(turned) {
        return Schedule::Grid(grid::turned(row));
    }
    let row = inner - 1;
    let packs = |v: usize| extent / v;
    let across = |v: usize| {
        let waste = |across: usize| packs(v).div_ceil(across) * across;
        let widths = [256, 128, 64, 32, 16];
        let little = widths.into_iter().find(|&a| waste(a) * 8 <= packs(v) * 9);
        little.unwrap_or_else(|| widths.into_iter().min_by_key(|&a| waste(a)).unwrap_or(32))
    };
    let plan = |v: usize, items: usize, across: usize, terms: bool| {
        Schedule::Grid(GridPlan { v, items, across, row, terms, turned: false })
    };
    let rows = kernel.axes[row].extent;
    let room = grid::terms_bytes(kernel, row, inner) * 8 <= 32 << 10;
    if room && rows >= 8 && packs(v) >= 64 && grid::row_cost(kernel, row, inner) >= 16 {
        let blocks = |v: usize, wide: usize| packs(v).div_ceil(wide) * (all / extent / rows);
        let mut tile = grid::tile_rows(rows, blocks(v, BLOCK), sms);
        if grid::terms_bytes(kernel, row, inner) * tile > 32 << 10 {
            tile = 8;
        }
        // Costly functions want many threads more than they want wide access.
        let v = if tile < 64 { 1 } else { v };
        let wide = if packs(v) >= 4 * BLOCK { BLOCK } else { across(v).max(64) };
        return plan(v, tile / (BLOCK / wide).min(tile), wide, true);
    }
    if is_stencil(kernel) {
        let items = [4, 2].into_iter().find(|i| all / v >= 4 * i * sms * BLOCK).unwrap_or(1);
        return plan(v, items, across(v), false);
    }
    plan(v, items, across(v), false)
}

/// Which axis the loads over R walk by one, weighed by the bytes that they read.
fn contiguous(kernel: &Kernel) -> Option<usize> {
    let reduce = kernel.axes_of(AxisKind::Reduce);
    let mut weight = vec![0; kernel.axes.len()];
    for value in &kernel.values {
        let Inst::Load { index, .. } = &value.inst else { continue };
        let axes = kernel.index_axes(index);
        if axes.intersection(reduce).is_empty() {
            continue;
        }
        for k in index.axes().iter().filter(|&k| index.stride(k).abs() == 1) {
            if kernel.axes[k].extent > 1 {
                weight[k] += value.dtype.size().saturating_mul(kernel.extent(axes));
            }
        }
    }
    let best = (0..weight.len()).max_by_key(|&k| (weight[k], k))?;
    (weight[best] > 0).then_some(best)
}

/// Whether no load varies along X and along R at once.
fn is_outer(kernel: &Kernel) -> bool {
    let (x, r) = (kernel.axes_of(AxisKind::Parallel), kernel.axes_of(AxisKind::Reduce));
    let both = |axes: AxisSet| !axes.intersection(x).is_empty() && !axes.intersection(r).is_empty();
    let loads = || kernel.values.iter().filter(|v| matches!(v.inst, Inst::Load { .. }));
    loads().any(|v| !v.axes.intersection(r).is_empty())
        && loads().any(|v| !v.axes.intersection(x).is_empty())
        && !loads().any(|v| both(v.axes))
}

/// The sums of the columns of at most so many elements are one class, whatever their number and
/// their alignment.
const LITTLE: usize = 1 << 17;

fn columns(kernel: &Kernel, phases: &Phases, target: &Target) -> Option<Schedule> {
    let x = kernel.axes_of(AxisKind::Parallel);
    let rows = kernel.values.iter().any(|v| matches!(v.inst, Inst::Row(_)));
    let sms = target.multiprocessors as usize;
    if rows {
        return None;
    }
    if is_outer(kernel) {
        let axis = x.iter().max_by_key(|&k| kernel.axes[k].extent)?;
        return outer(kernel, phases, axis, sms);
    }
    let single = phases.sweeps.len() == 1 && phases.sweeps[0].stores.is_empty();
    if let Some(axis) = window_axis(kernel).filter(|&k| single && kernel.axes[k].extent >= BLOCK) {
        return Some(windows(kernel, axis, sms));
    }
    let axis = contiguous(kernel).filter(|&k| x.has(k))?;
    let (extent, length) = (kernel.axes[axis].extent, reduced(kernel));
    let others = kernel.extent(x) / extent;
    let little = others == 1 && single && extent.saturating_mul(length) <= LITTLE;
    // A short R is walked by few threads, so that none has nothing to do.
    let down = [(32, 8), (16, 4), (8, 2)].iter().find(|d| length >= d.0).map_or(1, |d| d.1);
    let across = BLOCK / down;
    // Few columns leave the rest of the threads to R, as far as it is long enough; then blocks are
    // small, and there are many.
    let narrow = |v: usize, across: usize, down: usize| {
        let wanted = if little { across.min(32) } else { extent.div_ceil(v).next_power_of_two() };
        let width = wanted.min(across);
        let times = (across / width).min((length / 4 / down).max(1));
        (width, down << times.ilog2())
    };
    if phases.sweeps.len() > 1 || !phases.sweeps[0].stores.is_empty() {
        let (across, down) = if length >= 256 { (32, 32) } else { (across, down) };
        let (across, down) = narrow(1, across, down);
        let tiles = extent.div_ceil(across) * others;
        // Several sweeps need all of a column; what one stores, each block stores of its part.
        let parts = match phases.sweeps.len() {
            1 => (2 * sms).div_ceil(tiles).min(length / (16 * down)).max(1),
            _ => 1,
        };
        return Some(Schedule::Columns { axis, v: 1, across, down, parts });
    }
    let mut v = if little { 1 } else { pack(kernel, axis, false) };
    while v > 1 && accumulator_bytes(kernel, phases) * v * BLOCK > 40 << 10 {
        v /= 2;
    }
    if cost(kernel) < HEAVY && packs_16_bytes(kernel, v) && length >= 64 {
        // What waits for memory alone needs four blocks a multiprocessor, all at once, and 256 bytes
        // of a row: with many short blocks a sum of columns took 3 to 15% longer on an H200.
        let (across, down) = narrow(v, 16, 16);
        let tiles = extent.div_ceil(across * v) * others;
        if tiles <= 4 * sms {
            let parts = (4 * sms / tiles).min(length / 64);
            return Some(Schedule::Columns { axis, v, across, down, parts: parts.max(1) });
        }
    }
    let (across, down) = narrow(v, across, down);
    let tiles = extent.div_ceil(across * v) * others;
    let parts = (32 * sms).div_ceil(tiles).min(length / 512);
    let parts = parts.max((4 * sms).div_ceil(tiles).min(length / 32));
    Some(Schedule::Columns { axis, v, across, down, parts: parts.max(1) })
}

/// Whether packs of the widest element that is read have 16 bytes.
fn packs_16_bytes(kernel: &Kernel, v: usize) -> bool {
    let loads = kernel.values.iter().filter(|value| matches!(value.inst, Inst::Load { .. }));
    loads.map(|value| value.dtype.size()).max().is_some_and(|widest| widest * v == 16)
}

/// A kernel whose body pairs what varies along X with what varies along R: each thread holds
/// several X positions and walks R, whose values all threads share.
fn outer(kernel: &Kernel, phases: &Phases, axis: usize, sms: usize) -> Option<Schedule> {
    let (extent, length) = (kernel.axes[axis].extent, reduced(kernel));
    let single = phases.sweeps.len() == 1 && phases.sweeps[0].stores.is_empty();
    if extent < 1024 || !single {
        return None;
    }
    // Several positions a thread share what is read of R.
    let v = [8, 4, 2].into_iter().find(|v| extent % v == 0 && extent >= 2 * v * BLOCK);
    let v = v.unwrap_or(1);
    let others = kernel.extent(kernel.axes_of(AxisKind::Parallel)) / extent;
    let tiles = extent.div_ceil(BLOCK * v) * others;
    let parts = (8 * sms).div_ceil(tiles).min(length / 64).max(1);
    Some(Schedule::Columns { axis, v, across: BLOCK, down: 1, parts })
}

/// The Parallel axis along which windows move on by one: every load that varies along X and along
/// R walks it by one, perhaps around a ring. Neighbouring threads then read neighbouring elements
/// at every step, and nothing has to be combined; loads along R alone are the same for all.
fn window_axis(kernel: &Kernel) -> Option<usize> {
    let (x, r) = (kernel.axes_of(AxisKind::Parallel), kernel.axes_of(AxisKind::Reduce));
    let inner = x.iter().next_back()?;
    let both = |set: AxisSet| !set.intersection(x).is_empty() && !set.intersection(r).is_empty();
    let mut moved = kernel.values.iter().filter_map(|v| match &v.inst {
        Inst::Load { index, .. } if both(v.axes) => Some(index),
        _ => None,
    });
    let steps = |index: &Index| {
        let along_r = r.iter().any(|k| step(kernel, index, k).abs() == 1);
        along_r && step(kernel, index, inner).abs() == 1
    };
    let first = moved.next()?;
    (steps(first) && moved.all(steps)).then_some(inner)
}

/// How far an index moves with a step along an axis, where nothing wraps or ends.
fn step(kernel: &Kernel, index: &Index, axis: usize) -> i64 {
    let through = |v: Val| match &kernel.value(v).inst {
        Inst::IndexMod { index, .. } | Inst::IndexClamp { index, .. } => step(kernel, index, axis),
        _ => 0,
    };
    index.values().map(|v| index.coefficient(Atom::Value(v)) * through(v)).sum::<i64>()
        + index.stride(axis)
}

/// A thread for each window, as far as there are enough of them.
fn windows(kernel: &Kernel, axis: usize, sms: usize) -> Schedule {
    let length = reduced(kernel);
    let all = kernel.extent(kernel.axes_of(AxisKind::Parallel));
    let short = |down: &usize| all * down >= 8 * sms * BLOCK || length < 16 * down;
    let down = [1, 2, 4, 8].into_iter().find(short).unwrap_or(8);
    let across = BLOCK / down;
    let tiles = kernel.axes[axis].extent.div_ceil(across) * (all / kernel.axes[axis].extent);
    let parts = (4 * sms).div_ceil(tiles).min(length / 512).max(1);
    Schedule::Columns { axis, v: 1, across, down, parts }
}

/// The bytes of all accumulators of the first sweep.
pub(super) fn accumulator_bytes(kernel: &Kernel, phases: &Phases) -> usize {
    let sizes = phases.sweeps[0].reductions.iter().map(|&v| accumulator_size(kernel, v));
    sizes.sum::<usize>().max(1)
}

/// The registers of what a thread keeps of a row, up to which four blocks of 512 threads fit.
pub(super) const LIGHT: usize = 8;

/// The packs of a row for each multiprocessor from which on it is a long one.
const LONG_PART: usize = 8192;

/// A single row of at most so many elements is one of two classes. A launch takes longer than
/// reading it, and loops whose slices grow go through all lengths: with a class for each power of
/// two, and for each alignment, a Cholesky factorisation of 100 by 100 was 57 kernels; now it is 17.
const SHORT_ROW: usize = 16 * BLOCK;

fn rows(kernel: &Kernel, phases: &Phases, target: &Target) -> Schedule {
    let reduce = kernel.axes_of(AxisKind::Reduce);
    let (sms, length) = (target.multiprocessors as usize, reduced(kernel));
    let count = kernel.extent(kernel.axes_of(AxisKind::Parallel));
    let inner = reduce.iter().next_back().unwrap_or(0);
    let resident = kernel.values.iter().any(|v| matches!(v.inst, Inst::Row(_)));
    let may_cut = reduce.len() == 1 && count == 1;
    let several = phases.sweeps.len() > 1;
    let stored = !phases.sweeps[0].stores.is_empty();
    if count == 1 && length <= SHORT_ROW && !several && !resident && !stored {
        let team = if length <= 8 * 32 { 32 } else { BLOCK };
        return Schedule::Rows { v: 1, team, keep: None, parts: 1 };
    }
    let v = if resident { 1 } else { pack(kernel, inner, may_cut) };
    let packs = length.div_ceil(v);
    if several {
        let live = super::uses::live_words(kernel, phases).max(1) * v;
        let wide = v >= WIDE_PACK;
        if let Some((team, keep)) = kept_row(packs, live, count, sms, resident, wide) {
            return Schedule::Rows { v, team, keep: Some(keep), parts: 1 };
        }
    } else if !resident && !stored {
        // A short row is loaded as a whole before anything is folded.
        if let Some((team, keep)) = short_row(packs, count, sms, [4, 2, 1]) {
            return Schedule::Rows { v, team, keep: Some(keep), parts: 1 };
        }
    }
    // What is stored beside, each block stores of its part: twice the elements and the largest of
    // them, 1024² `f64` on an H100, take 258 µs by one block and 7.5 by all of them.
    let split = !several && !resident;
    if split && count < 2 * sms && packs >= 4 * BLOCK {
        // One wave of blocks, none left over: they all take the same time. Long rows are read
        // faster by fewer, larger ones: on an H200 a kernel written by hand for the squared
        // differences of two arrays of 256 million `f32` takes 0.457 ms with blocks of 256 threads
        // and 0.444 with blocks of 512.
        let team = if packs / sms >= LONG_PART { 2 * BLOCK } else { BLOCK };
        let parts = (8 * sms * BLOCK / team / count).min(packs / (2 * team));
        if parts > 1 {
            return Schedule::Rows { v, team, keep: None, parts };
        }
    }
    let team = match packs {
        _ if resident => (packs / 2).next_power_of_two().clamp(64, 1024),
        0..=32 => packs.next_power_of_two(),
        33..=256 if count >= 32 * sms => 32,
        _ if several => (packs / 4).next_power_of_two().clamp(64, 1024),
        _ => (packs / 2).next_power_of_two().clamp(64, BLOCK),
    };
    Schedule::Rows { v, team, keep: None, parts: 1 }
}

/// The team and the packs of a thread for a row that few threads hold: the first of some numbers of
/// packs a thread that leaves the device full, by lanes that still read 128 bytes together.
fn short_row(packs: usize, count: usize, sms: usize, by: [usize; 3]) -> Option<(usize, usize)> {
    let full = |keep: usize| count.saturating_mul(packs) / keep >= sms * 2048;
    let fits = |&keep: &usize| {
        let team = packs.div_ceil(keep).next_power_of_two();
        (keep == 1 || (full(keep) && team >= 8)) && team <= 32
    };
    if let Some(keep) = by.into_iter().find(fits) {
        return Some((packs.div_ceil(keep).next_power_of_two(), keep));
    }
    // A block a row, two packs a thread. A single row is no class of its own: little is gained.
    let team = packs.div_ceil(2).next_power_of_two();
    let few = count > 1 && count < 32 * sms;
    (packs > 64 && team <= BLOCK && few).then_some((team.max(64), 2))
}

/// The elements of a pack from which on a thread has much to compute for what it reads.
const WIDE_PACK: usize = 8;

/// The team and the packs of a thread by which a row stays in registers, if it can: `live` is
/// the registers that one pack takes, `wide` whether it has many elements.
fn kept_row(
    packs: usize,
    live: usize,
    count: usize,
    sms: usize,
    resident: bool,
    wide: bool,
) -> Option<(usize, usize)> {
    let rounded = |team: usize| {
        let items = packs.div_ceil(team);
        [1, 2, 3, 4, 5, 6, 8, 10, 12, 16].into_iter().find(|&k| k >= items)
    };
    let smallest = if resident { 64 } else { 1 };
    let short = short_row(packs, count, sms, [2, 4, 1]);
    if !resident && let Some(short) = short.filter(|s| s.0 <= 32) {
        return Some(short);
    }
    // Few rows leave multiprocessors idle, so that only the length of a thread's work counts. Of many
    // two packs of floats a thread are best, as long as two blocks share a multiprocessor: on an H200
    // rows of 4096 are standardised in 0.132 ms by blocks of 512 threads and in 0.1335 by 256, rows of
    // 8192 in 0.138 by blocks of 1024 and in 0.133 by 512. Half as long elements are twice the work
    // for as many bytes, of which what a block does together is the less the fewer threads it has,
    // so that four packs are best: softmax of 128 million `f16` in rows of 4096 takes 0.179 ms by 512
    // threads, 0.146 by 256 and 0.137 by 128, standardising them 0.188, 0.144 and 0.138.
    let few = count <= 2 * sms;
    let first = match (few, wide) {
        (true, _) => (live, 1024),
        (false, true) => (64.min(4 * live), 512),
        (false, false) => (LIGHT, 512),
    };
    for (allowed, most) in [first, (16, 1024), (32, 1024), (40, 1024)] {
        let teams = [32, 64, 128, 256, 512, 1024].into_iter();
        for team in teams.filter(|&t| t >= smallest && t <= most) {
            let enough = team >= 64 || count >= 32 * sms;
            if let Some(keep) = rounded(team).filter(|k| enough && k * live <= allowed) {
                return Some((team, keep));
            }
        }
    }
    None
}
