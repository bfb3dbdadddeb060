//! How long a kernel's strips are.

use super::find::{State, Strips, Table};
use crate::backend::cuda::render::names::words;
use crate::backend::cuda::render::{REGISTERS, Target, uses};
use crate::dtype::DType;
use crate::kernel::AxisKind;

/// The registers of a thread besides those of its strip.
const WORKING: usize = 18;
/// The most registers of a thread.
const MOST_REGISTERS: usize = 255;
/// The warps of a multiprocessor from which on they cover each other's waiting.
const BUSY_WARPS: f64 = 8.0;
/// What the ends of a strip cost, in positions.
const ENDS: f64 = 6.0;
/// The bytes that a multiprocessor reads of shared memory at once, each four of a bank of their own.
const BANKS: usize = 128;
/// What it costs that another thread waits for the same bank. Sums over windows of 960 doubles by 4, 8,
/// and 12 positions a thread took an H200 2.3, 2.8, and 1.3 times as long as without conflicts.
const CONFLICT: f64 = 0.25;
/// The fewest and the most positions of a strip where windows are summed up. The fewer, the more warps
/// cover each other's waiting, and the more turns of a loop are written out: twenty steps of Lorenz's
/// model III took an H200 0.272, 0.303, 0.326, and 0.74 ms for 40 rows of 960 doubles by 3, 5, 7, and 9
/// positions, and 7.4, 7.9, and 11.1 for 4096 rows by 3, 7, and 15.
const WINDOWED: (usize, usize) = (3, 7);
/// The fewest strips of a row.
const FEWEST: usize = 8;

/// The positions of a strip, and the threads of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub keep: usize,
    pub team: usize,
}

impl Strips<'_> {
    /// The bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        self.length * self.widest()
    }

    /// The bytes of the widest element that passes through shared memory.
    fn widest(&self) -> usize {
        let states = self.states.iter().map(|state| state.dtype);
        let rows = self.rows.iter().map(|row| self.dtype_of(row.element));
        let staged = (0..self.kernel.stores.len()).filter(|&k| self.is_staged(k));
        let staged = staged.map(|k| self.kernel.value(self.kernel.stores[k].value).dtype);
        states.chain(rows).chain(staged).map(DType::size).max().unwrap_or(8)
    }

    /// The bytes of a row's memory, and of all of them with the tables.
    pub(super) fn bytes(&self) -> (usize, usize) {
        let whole = self.rows.iter().filter(|row| row.whole);
        let ends = whole.map(|row| (row.left + row.right) as usize).max().unwrap_or(0);
        let slots = self.rows.iter().map(|row| row.slot + 1).max().unwrap_or(1);
        let one = ((self.length + ends) * self.widest()).next_multiple_of(16);
        let tables = self.tables.iter().map(|table| self.table_bytes(table));
        (one, one * slots + tables.sum::<usize>())
    }

    fn table_bytes(&self, table: &Table) -> usize {
        (self.kernel.axes[table.axis].extent * table.dtype.size()).next_multiple_of(16)
    }

    /// Where a table stands in shared memory: behind the rows.
    pub(super) fn table_at(&self, k: usize) -> usize {
        let behind = self.tables[k..].iter().map(|table| self.table_bytes(table));
        self.bytes().1 - behind.sum::<usize>()
    }

    /// The registers that a position takes.
    fn live_words(&self) -> usize {
        let of = |dtypes: &mut dyn Iterator<Item = DType>| -> usize { dtypes.map(words).sum() };
        let constant = of(&mut self.constant.iter().map(|&v| self.kernel.value(v).dtype));
        let row = self.rows.iter().map(|row| words(self.dtype_of(row.element))).max().unwrap_or(0);
        let sweeps = uses::live_words(self.kernel, self.phases) + row;
        if self.pairs.is_none() {
            return sweeps + constant;
        }
        let (handed_on, stays): (Vec<&State>, Vec<&State>) =
            self.states.iter().partition(|state| state.store.is_some());
        let next = of(&mut handed_on.iter().map(|state| state.dtype));
        let stays = of(&mut stays.iter().map(|state| state.dtype));
        let loose = self.loose_stores().map(|k| self.kernel.stores[k].value);
        let loose = of(&mut loose.map(|v| self.kernel.value(v).dtype));
        sweeps.max(2 * next) + stays + constant + loose
    }

    /// How much longer a kernel takes whose threads read rows at once, each in its own strip, where
    /// several of them find their element in one bank of shared memory.
    fn conflicts(&self, keep: usize) -> f64 {
        let whole = self.rows.iter().filter(|row| row.whole);
        let sizes = whole.map(|row| self.dtype_of(row.element).size());
        let at_once = |size: usize| (1 << keep.trailing_zeros()).min(BANKS / size) as f64;
        1.0 + CONFLICT * (sizes.map(at_once).fold(1.0, f64::max) - 1.0)
    }

    /// Strips by which a row stays in registers, the best ones first.
    pub(super) fn plans(&self, target: &Target) -> Vec<Plan> {
        let (n, live, (_, shared)) = (self.length, self.live_words(), self.bytes());
        let at_ends = self.rows.iter().filter(|row| !row.whole);
        let reach = at_ends.map(|row| row.left.max(row.right)).max().unwrap_or(0) as usize;
        let count = self.kernel.extent(self.kernel.axes_of(AxisKind::Parallel));
        let at_once = count.div_ceil(target.multiprocessors as usize);
        let mut found: Vec<(f64, Plan)> = Vec::new();
        let windows = self.has_windows();
        let (least, most) = if windows { WINDOWED } else { (2, 32) };
        for keep in reach.max(least)..=most {
            let (strips, rest) = (n.div_ceil(keep), n % keep);
            let team = strips.next_multiple_of(32);
            // Whoever reads beyond the last strip but one finds the last one there, or the ring's begin.
            let ends_well = rest == 0 || rest >= reach;
            if strips < FEWEST || team > 1024 || !ends_well || shared > target.shared_bytes {
                continue;
            }
            let registers = (keep * live + WORKING).next_multiple_of(8);
            let fitting = (REGISTERS / team / 8 * 8).min(MOST_REGISTERS);
            if registers > fitting {
                continue;
            }
            let by_memory = target.shared_bytes / (shared + 1024).min(target.shared_bytes);
            let together = (REGISTERS / (registers * team))
                .min(2048 / team)
                .min(by_memory)
                .min(at_once)
                .max(1);
            let warps = (together * team / 32) as f64;
            let waste = (team * keep) as f64 / n as f64;
            let waits = (BUSY_WARPS / warps).max(1.0).sqrt();
            let cost = match windows {
                true => waste * keep as f64,
                false => waste * (1.0 + ENDS / keep as f64) * waits,
            };
            found.push((cost * self.conflicts(keep), Plan { keep, team }));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.into_iter().map(|(_, plan)| plan).collect()
    }
}
