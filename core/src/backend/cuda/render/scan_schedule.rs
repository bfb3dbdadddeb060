//! The rules by which a kernel with scans along R gets its schedule:
//! - where the heaviest accesses walk X by one: [`Schedule::ScanColumns`], threads along X, and where
//!   there are few columns R over the block's second axis and over blocks;
//! - else [`Schedule::ScanRows`], a team for each row, or a block for each tile of few long rows.

use super::Target;
use super::kinds::{BLOCK, Schedule};
use super::measure::{accesses, accumulator_size, pack, reduced};
use crate::kernel::{AxisKind, Kernel, Val};

/// The schedule of a kernel with scans.
pub(super) fn choose(kernel: &Kernel, target: &Target) -> Schedule {
    let (x, reduce) = (kernel.axes_of(AxisKind::Parallel), kernel.axes_of(AxisKind::Reduce));
    let mut weight = vec![0; kernel.axes.len()];
    for (index, size, _) in accesses(kernel) {
        let bytes = size.saturating_mul(kernel.extent(kernel.index_axes(index)));
        for k in index.axes().iter().filter(|&k| index.stride(k).abs() == 1) {
            weight[k] += bytes;
        }
    }
    let heaviest = x.iter().max_by_key(|&k| weight[k]);
    let inner = reduce.iter().next().unwrap_or(0);
    match heaviest.filter(|&k| weight[k] > weight[inner]) {
        Some(axis) => scan_columns(kernel, axis, target),
        None => scan_rows(kernel, inner, target),
    }
}

/// The 32-bit registers that the states of users' scans take for one position.
fn state_words(kernel: &Kernel) -> usize {
    let scans = kernel.scans().into_iter();
    let users = scans.filter(|&v| kernel.value(v).inst.fold().is_some());
    users.map(|v| accumulator_size(kernel, v).div_ceil(4)).sum()
}

/// The registers of a thread that states of users' scans may take.
const STATE_WORDS: usize = 64;

/// The most parts of a column for each thread along it: each block reads what all before its own
/// combine to.
const MOST_PARTS: usize = 64;
/// The fewest rows for each thread along a column, and the most such threads.
const ROWS_DOWN: usize = 16;
const MOST_DOWN: usize = 64;

fn scan_columns(kernel: &Kernel, axis: usize, target: &Target) -> Schedule {
    let (extent, length) = (kernel.axes[axis].extent, reduced(kernel));
    let others = kernel.extent(kernel.axes_of(AxisKind::Parallel)) / extent;
    let full = 8 * target.multiprocessors as usize;
    let mut v = pack(kernel, axis, false).min(4);
    let states = state_words(kernel);
    while v > 1 && (extent * others / v < full * 32 || v * states > STATE_WORDS / 2) {
        v /= 2;
    }
    let tiles = |across: usize| extent.div_ceil(across * v) * others;
    let across = [32, 64, 128].into_iter().find(|&a| a * v >= extent).unwrap_or(128);
    if tiles(across) >= full {
        return Schedule::ScanColumns { axis, v, across, down: 1, parts: 1 };
    }
    // Few columns: the rest of a block's threads share their rows.
    let across = extent.div_ceil(v).next_power_of_two().clamp(4, 128);
    let sizes = kernel.scans().into_iter().map(|s| accumulator_size(kernel, s));
    let widest = across * v * sizes.max().unwrap_or(1);
    let rows = (length / ROWS_DOWN).min(MOST_DOWN).min((40 << 10) / widest).min(BLOCK / across);
    let down = 1 << rows.max(1).ilog2();
    let most = (MOST_PARTS * down).min(length / (2 * ROWS_DOWN * down)).max(1);
    let parts = full.div_ceil(tiles(across)).min(most);
    // No part is empty.
    let parts = length.div_ceil(length.div_ceil(parts * down) * down);
    Schedule::ScanColumns { axis, v, across, down, parts }
}

fn scan_rows(kernel: &Kernel, axis: usize, target: &Target) -> Schedule {
    let length = kernel.axes[axis].extent;
    let count = kernel.extent(kernel.axes_of(AxisKind::Parallel));
    let sms = target.multiprocessors as usize;
    let (mut v, states) = (pack(kernel, axis, count == 1), state_words(kernel));
    while v > 1 && v * states > STATE_WORDS / 2 {
        v /= 2;
    }
    let packs = length.div_ceil(v);
    let mut keep = if v == 1 { 8 } else { 4 };
    while keep > 1 && keep * v * states > STATE_WORDS {
        keep /= 2;
    }
    if packs <= 128 || (packs <= 1024 && count >= 64 * sms) {
        // A short row is a tile of a warp or of a part of one.
        let items = [1, 2, 4].into_iter().find(|k| packs <= 32 * k).unwrap_or(4).min(keep);
        let team = packs.div_ceil(items).next_power_of_two().min(32);
        return Schedule::ScanRows { v, team, keep: items, parts: 1 };
    }
    if count < 16 * sms {
        keep = long_tile(kernel, v, keep, [count, length], sms);
    }
    let tile = BLOCK * keep * v;
    let parts = if count < 16 * sms { length.div_ceil(tile) } else { 1 };
    let team = if length <= tile / 2 && parts == 1 { BLOCK / 2 } else { BLOCK };
    Schedule::ScanRows { v, team, keep, parts }
}

/// The packs of a thread where rows are cut into tiles. Blocks wait for those before them, so that
/// long tiles waste less, as long as there are enough of them; of one scan of plain numbers, as
/// many as leave three blocks a multiprocessor. On an H200 a scan of 64 million `f32` takes
/// 0.319 ms with 4 packs, 0.247 with 8, 0.199 with 20, 0.238 with 22 and 0.209 with 32.
fn long_tile(
    kernel: &Kernel,
    v: usize,
    keep: usize,
    [count, length]: [usize; 2],
    sms: usize,
) -> usize {
    let scans = kernel.scans();
    let words = |scan: Val| v * accumulator_size(kernel, scan).div_ceil(4);
    let is_light = matches!(scans[..], [scan] if words(scan) <= 4) && state_words(kernel) == 0;
    let fits = |&packs: &usize| {
        let tile = BLOCK * packs * v;
        length >= 4 * tile && count * length >= 8 * sms * tile
    };
    match is_light {
        true => [20, 8].into_iter().find(fits).unwrap_or(keep),
        false => keep,
    }
}
