//! How long a kernel's strips are.

use super::find::{State, Strips};
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
/// The fewest strips of a row.
const FEWEST: usize = 8;

/// The positions of a strip, and the threads of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub keep: usize,
    pub team: usize,
}

impl Strips<'_> {
    /// The bytes of a row's memory, and of all of them.
    pub(super) fn bytes(&self) -> (usize, usize) {
        let states = self.states.iter().map(|state| state.dtype);
        let rows = self.rows.iter().map(|row| self.dtype_of(row.element));
        let staged = (0..self.kernel.stores.len()).filter(|&k| self.is_staged(k));
        let staged = staged.map(|k| self.kernel.value(self.kernel.stores[k].value).dtype);
        let widest = states.chain(rows).chain(staged).map(DType::size).max().unwrap_or(8);
        let slots = self.rows.iter().map(|row| row.slot + 1).max().unwrap_or(1);
        let one = (self.length * widest).next_multiple_of(16);
        (one, one * slots)
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

    /// Strips by which a row stays in registers, the best ones first.
    pub(super) fn plans(&self, target: &Target) -> Vec<Plan> {
        let (n, live, (_, shared)) = (self.length, self.live_words(), self.bytes());
        let reach = self.rows.iter().map(|row| row.left.max(row.right)).max().unwrap_or(0) as usize;
        let count = self.kernel.extent(self.kernel.axes_of(AxisKind::Parallel));
        let at_once = count.div_ceil(target.multiprocessors as usize);
        let mut found: Vec<(f64, Plan)> = Vec::new();
        for keep in reach.max(2)..=32 {
            let (strips, rest) = (n.div_ceil(keep), n % keep);
            let team = strips.next_multiple_of(32);
            // Whoever reads beyond the last strip but one finds the last one there, or the ring's begin.
            let ends_well = rest == 0 || rest >= reach;
            if strips < FEWEST || team > 1024 || !ends_well || shared > target.shared_bytes {
                continue;
            }
            let registers = (keep * live + WORKING).next_multiple_of(8);
            let most = (REGISTERS / team / 8 * 8).min(MOST_REGISTERS);
            if registers > most {
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
            found.push((waste * (1.0 + ENDS / keep as f64) * waits, Plan { keep, team }));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.into_iter().map(|(_, plan)| plan).collect()
    }
}
