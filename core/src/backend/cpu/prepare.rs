//! From a kernel to a prepared one: the loop structure, the sizes of tiles, the programs.
//!
//! A tile is as long as all registers of its program allow, within a part of the second cache.

use super::affine::DIMS;
use super::layout::{self, Layout, Mode};
use super::lower::{Lowering, Sizes};
use super::moved::words;
use super::pieces::pieces;
use super::places::Places;
use super::program::{Prepared, Step, Sweep, Target};
use super::unroll::unroll;
use crate::backend::pool;
use crate::kernel::phases::Phases;
use crate::kernel::{AxisKind, Inst, Kernel, Value};
use lazuli_inner_loops::level::Level;

/// The bytes of registers that a tile should take: what every second cache has room for beside
/// what the tile is made of. Tiles that fit into the first cache were too short for kernels of
/// many values: a step costs some tens of nanoseconds however short its tile is.
const FAST: usize = 96 << 10;
/// The same where tiles are read once, or where a whole row of at most [`SHORT`] elements then is
/// one tile: long rows that are read in several sweeps need the room themselves.
const ROOMY: usize = 192 << 10;
/// The most elements of a row that is better one tile than two.
const SHORT: usize = 1024;
/// The most elements of a tile.
const MOST: usize = 4096;
/// The same where tiles are folded by a user's function: a few rounds for each, however long it is.
const FOLDED: usize = 16384;
/// The same where one loop reads memory and gives all results: nothing lies in registers, and a loop
/// costs what it costs to begin.
const ALONE: usize = 16384;
/// What is summed up in a row makes the larger errors the longer it is.
const SUMMED: usize = 8192;
/// The bytes of rows that a block of positions of X should take: a part of the second cache.
const ROWS: usize = 512 << 10;

/// A kernel made ready, as one program or as several for parts of its positions, the largest first.
pub struct Pieces(pub Vec<Prepared>);

impl Pieces {
    /// The schedule in one line.
    pub fn schedule(&self) -> String {
        let schedule = self.0[0].schedule();
        match self.0.len() {
            1 => schedule,
            count => format!("{schedule}, in {count} pieces"),
        }
    }

    /// The schedules with the steps of every program.
    pub fn text(&self) -> String {
        let texts: Vec<String> = self.0.iter().map(Prepared::text).collect();
        texts.join("\n")
    }
}

/// Prepares a kernel for an instruction set; in pieces if it has `least` elements.
pub fn prepare(kernel: &Kernel, level: Level, least: usize) -> Pieces {
    let parts = pieces(unroll(kernel).checked("writing out loops"), least);
    Pieces(parts.into_iter().map(|part| prepare_one(part, level, false)).collect())
}

/// [`prepare`] for a kernel that soon reads what it writes.
pub fn prepare_for_turns(kernel: &Kernel, level: Level, least: usize) -> Pieces {
    let parts = pieces(unroll(kernel).checked("writing out loops"), least);
    Pieces(parts.into_iter().map(|part| prepare_one(part, level, true)).collect())
}

fn prepare_one(kernel: Kernel, level: Level, stays: bool) -> Prepared {
    let kernel = words(slide(kernel).checked("sliding")).checked("moving halves as words");
    let phases = super::scan::phases(&kernel);
    let layout = layout::choose(&kernel);
    let mut places = Places::new(&kernel, &phases, &layout);
    let (mut row_bytes, must_keep) = rows_of(&kernel, &places);
    if row_bytes > 0 && !must_keep && row_bytes * fewest(&kernel, &layout) > ROWS {
        places.forget_kept();
        row_bytes = 0;
    }
    let lower = |sizes: Sizes| {
        let sizes = Sizes { stays, ..sizes };
        Lowering::new(&kernel, &phases, &layout, &places, level, sizes).lower()
    };
    let probe = sizes(&kernel, &layout, 64, row_bytes);
    let (first, peak) = lower(probe);
    let lane_bytes = peak.div_ceil(probe.len).max(4);
    let row = layout.lanes.first().map_or(1, |&k| kernel.axes[k].extent);
    let room = if layout.mode == Mode::Elementwise || row <= SHORT { ROOMY } else { FAST };
    let folds = layout.mode == Mode::AlongReduce
        && kernel.values.iter().any(|value| value.inst.fold().is_some());
    let (room, most) = match (folds, is_one_loop(&first)) {
        (true, _) => (ROOMY, FOLDED),
        (_, false) => (room, MOST),
        // Some tiles for each thread, so that none waits for another.
        (_, true) if layout.mode == Mode::Elementwise => {
            (room, (row / (8 * pool::threads())).clamp(MOST, ALONE))
        }
        (_, true) => (room, SUMMED),
    };
    let len = (room / lane_bytes).clamp(128, most);
    let len = 1 << len.ilog2();
    let chosen = sizes(&kernel, &layout, len, row_bytes);
    let mut prepared = if chosen == probe { first } else { lower(chosen).0 };
    prepared.work = work(&kernel, &phases);
    prepared.chunk = chunk(&kernel);
    prepared
}

/// Whether nothing lies in registers between the loops over a tile, because there is one.
fn is_one_loop(prepared: &Prepared) -> bool {
    let work = |step: &Step| match step {
        Step::Load { in_place, .. } => usize::from(!in_place) * 2,
        Step::Index { .. } | Step::Scalar { .. } => 0,
        Step::Store { .. } => 0,
        Step::Fold { .. } => 1,
        Step::Chain(chain) => match (chain.target, chain.sum) {
            (Target::Register, None) => 2,
            _ => 1,
        },
        _ => 2,
    };
    let body = |sweep: &Sweep| {
        let steps = sweep.lanes.steps.iter().chain(&sweep.rows.steps).chain(&sweep.body.steps);
        steps.map(work).sum::<usize>() <= 1
    };
    prepared.sweeps.iter().all(body)
}

/// The longest loop that becomes a Serial one: as many elements as are summed up in a chunk.
const SLIDE: usize = 64;

/// Where lanes lie across R and all that R does is one short reduction of what slides along the
/// lanes, R becomes a Serial axis: what its turns share is then computed ahead of them. Elements
/// are combined in the same order.
fn slide(mut kernel: Kernel) -> Kernel {
    let layout = layout::choose(&kernel);
    let reduce = kernel.axes_of(AxisKind::Reduce);
    let (&[lane], &[Some(r)]) = (&layout.lanes[..], &[reduce.iter().next()]) else {
        return kernel;
    };
    let slides = |value: &Value| {
        value.inst.index().is_some_and(|index| {
            let steps = [lane, r].map(|k| index.stride(k).abs());
            steps[0] == steps[1] && steps[0] != 0
        })
    };
    let other = |value: &Value| {
        matches!(value.inst, Inst::Row(_) | Inst::Scan { .. })
            || value.inst.fold().is_some() && value.inst.reduced() == Some(reduce)
    };
    let values = || kernel.values.iter();
    let single = values().filter(|value| value.inst.reduced() == Some(reduce)).count() == 1;
    let short = reduce.len() == 1 && kernel.axes[r].extent <= SLIDE;
    if layout.mode == Mode::AcrossReduce
        && short
        && single
        && values().any(slides)
        && !values().any(other)
        && kernel.stores.iter().all(|s| s.index.stride(r) == 0)
    {
        kernel.axes[r].kind = AxisKind::Serial;
    }
    kernel
}

/// The bytes of all rows for one position of X, and whether the kernel depends on them.
fn rows_of(kernel: &Kernel, places: &Places) -> (usize, bool) {
    let len = kernel.extent(kernel.axes_of(AxisKind::Reduce));
    let (mut bytes, mut must) = (0, false);
    for (k, value) in kernel.values.iter().enumerate() {
        let is_row = matches!(value.inst, Inst::Row(_));
        must |= is_row;
        if is_row || places.kept[k].is_some() {
            bytes += len * value.dtype.compute().size();
        }
    }
    (bytes, must)
}

/// The fewest positions of X that are worth working on together.
fn fewest(kernel: &Kernel, layout: &Layout) -> usize {
    match layout.mode {
        Mode::AcrossReduce => {
            layout.lanes.iter().map(|&k| kernel.axes[k].extent).product::<usize>().min(256)
        }
        _ => 1,
    }
}

/// The sizes of tiles of about `len` elements.
fn sizes(kernel: &Kernel, layout: &Layout, len: usize, row_bytes: usize) -> Sizes {
    let extent = |k: usize| kernel.axes[k].extent;
    debug_assert!(layout.lanes.len() <= DIMS);
    let inner: usize = layout.lanes.iter().skip(1).map(|&k| extent(k)).product();
    let outer = layout.lanes.first().map_or(1, |&k| extent(k));
    // A cache line for each element of a column should stay in the fastest cache.
    let mut len = if layout::is_transposed(kernel, layout) { len.min(256) } else { len };
    if layout.mode == Mode::AcrossReduce && row_bytes > 0 {
        len = len.min((ROWS / row_bytes).max(16));
    }
    // Tiles of equal size, whole vectors as far as possible.
    let most = (len / inner).max(1);
    let even = outer.div_ceil(outer.div_ceil(most));
    let even = match layout.mode {
        // Some tiles for each thread, so that none waits for another.
        Mode::ShortRows => even.min(outer.div_ceil(4 * pool::threads())),
        _ => even,
    };
    let whole = if inner == 1 { even.next_multiple_of(16) } else { even };
    let tile = whole.min(outer);
    let reduce = kernel.extent(kernel.axes_of(AxisKind::Reduce));
    let block = match layout.mode {
        Mode::Elementwise | Mode::AcrossReduce | Mode::ShortRows => 64,
        Mode::AlongReduce => {
            let fit = (ROWS / 4).checked_div(row_bytes).map_or(usize::MAX, |fit| fit.max(1));
            (4096 / reduce).clamp(16, 64).min(fit)
        }
    };
    let rows = layout.rows.map_or(1, extent);
    // Some blocks for each thread, so that none waits for another.
    let share = match layout.mode {
        Mode::AlongReduce => rows.div_ceil(4 * pool::threads()),
        _ => rows,
    };
    Sizes { tile, len: tile * inner, block: block.min(share).max(1), stays: false }
}

/// Chunks of R along the lanes have at least so many elements, or so much to compute where functions
/// make elements costly: a sweep that takes long is one that threads can share.
const CHUNK: usize = 1 << 16;
const CHUNK_WORK: usize = 1 << 19;

/// The least elements of a chunk along the lanes. They follow from the kernel alone, not from the threads,
/// and so does the order in which a sum is taken.
fn chunk(kernel: &Kernel) -> usize {
    let cost = |value: &Value| match value.inst.cost() {
        Some(cost) if !value.axes.is_empty() => cost as usize,
        _ => 0,
    };
    let cost = kernel.values.iter().map(cost).fold(1, usize::saturating_add);
    CHUNK.min(CHUNK_WORK / cost)
}

/// The work of a launch, in operations on elements.
fn work(kernel: &Kernel, phases: &Phases) -> usize {
    let steps: usize = kernel
        .values
        .iter()
        .map(|value| match &value.inst {
            inst @ (Inst::Op(..) | Inst::Call { .. }) => {
                let cost = inst.cost().unwrap_or(1) as usize;
                kernel.extent(value.axes).saturating_mul(cost)
            }
            Inst::Draw { law, .. } => {
                kernel.extent(value.axes).saturating_mul(law.cost() as usize / 4)
            }
            Inst::Load { .. } | Inst::Cast(_) => kernel.extent(value.axes),
            Inst::Scan { by, .. } => {
                let cost = by.fold().map_or(1, |fold| 2 * fold.function.additions() as usize);
                kernel.extent(value.axes).saturating_mul(cost)
            }
            Inst::Reduce { axes, .. } => kernel.extent(value.axes.union(*axes)),
            Inst::Fold { fold, axes, .. } => {
                let cost = fold.function.additions() as usize;
                kernel.extent(value.axes.union(*axes)).saturating_mul(cost)
            }
            _ => 0,
        })
        .fold(0, usize::saturating_add);
    steps.saturating_mul(phases.sweeps.len().max(1))
}
