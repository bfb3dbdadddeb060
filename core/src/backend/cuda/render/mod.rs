//! Kernels as CUDA C++.
//!
//! [`render`] turns a kernel into source, a launch shape and a template of the launch's argument.
//! The source depends on the kernel's structure and on classes of its numbers only: extents,
//! strides, offsets and scalars are arguments, so that a new size finds its code compiled.
//!
//! The way: [`normalise`] sorts and merges axes, [`schedule`] says which threads do what (one of the
//! [`kinds`], by what [`measure`] finds), [`elementwise`], [`grid`], [`rows`] and [`columns`] write the
//! loops of a schedule, [`items`] the packs in them, [`forms`] an item, [`plain`] or, where it pays, for
//! [`usual`] arguments or in [`lockstep`], [`skipped`] kernels launched ahead,
//! [`time_tiles`] several turns of a stencil by tiles that [`time_plan`] chooses, [`alone`] and [`strips`]
//! positions and rows that stay in registers from turn to turn, [`emit`] values and indices, `ranges` what is known of those, [`args`] the
//! argument's structure, [`assemble`] the whole. `support.cuh` and `scan.cuh` hold the device functions
//! that only rendered kernels call.

mod alone;
mod args;
mod assemble;
mod beside;
mod columns;
mod elementwise;
mod emit;
mod forms;
mod grid;
mod items;
mod kinds;
mod lockstep;
mod measure;
mod names;
mod normalise;
mod outline;
mod plain;
mod rows;
mod scan_columns;
mod scan_rows;
mod scan_schedule;
mod schedule;
mod skipped;
mod strips;
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), allow(dead_code, unused_imports))]
pub mod tests;
mod tiled;
mod time_plan;
mod time_tiles;
mod turns;
mod uses;
pub mod usual;
mod weight;

pub use args::Template;
pub use tiled::render_tiled;
pub use turns::{Barrier, TurnForm};

use crate::error::{Error, Result};
use crate::kernel::{AxisKind, Index, Inst, Kernel, name};
use assemble::{Draft, Takes};
use emit::Emitter;
use kinds::Schedule;
use skipped::Runs;
use weight::Form;

/// The registers of a multiprocessor.
const REGISTERS: usize = 1 << 16;

/// What schedules need to know of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The most bytes of shared memory that a block may ask for.
    pub shared_bytes: usize,
}

/// A kernel as source, and how to launch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The C++ of the kernel, without the prelude.
    pub body: String,
    /// The name of its function there.
    pub entry: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The argument.
    pub template: Template,
    /// Bytes of scratch memory.
    pub scratch_bytes: usize,
    /// The number of counters, all zero before and after.
    pub counters: usize,
    /// One line on the schedule.
    pub schedule: String,
    /// What there is to compile, see [`crate::kernel::weight`].
    pub weight: u64,
    /// How the kernel takes many turns, where it does.
    pub turns: Option<TurnForm>,
    /// The most turns of a launch, where its argument says how many it takes.
    pub at_a_time: Option<u64>,
}

/// What a writer settles about the launch.
#[derive(Clone, Copy, Debug, Default)]
struct Launch {
    grid: usize,
    block: [usize; 3],
    shared: usize,
    scratch: usize,
    counters: usize,
    /// The blocks that a multiprocessor must have registers for; 0 leaves it to the compiler.
    together: usize,
}

impl Launch {
    fn flat(blocks: usize, threads: usize) -> Self {
        Launch { grid: blocks, block: [threads, 1, 1], ..Launch::default() }
    }
}

#[cfg(any(test, feature = "testing"))]
impl Rendered {
    /// The whole translation unit.
    pub fn source(&self) -> String {
        super::prelude::with_prelude(&self.body)
    }
}

/// Renders a kernel for a device.
pub fn render(kernel: &Kernel, target: &Target) -> Result<Rendered> {
    match strips::render_long(kernel, Runs::Once, target)? {
        Some(rendered) => Ok(rendered),
        None => render_as(kernel, target, Runs::Once),
    }
}

/// Renders a kernel that a byte in the device's memory may skip.
pub fn render_skipped(kernel: &Kernel, target: &Target) -> Result<Rendered> {
    match strips::render_long(kernel, Runs::Unless, target)? {
        Some(rendered) => Ok(rendered),
        None => render_as(kernel, target, Runs::Unless),
    }
}

/// Renders a kernel that runs again and again on what it gave, where pairs say which input is which
/// output of the turn before.
///
/// # Errors
/// Of the kind `unsupported`, where turns need launches of their own.
pub fn render_turns(kernel: &Kernel, pairs: &[(u32, u32)], target: &Target) -> Result<Rendered> {
    if let Some(rendered) = strips::render(kernel, Some(pairs), target)? {
        return Ok(rendered);
    }
    match alone::render(kernel, pairs, target)? {
        Some(rendered) => Ok(rendered),
        None => render_as(kernel, target, Runs::Again(pairs)),
    }
}

fn render_as(kernel: &Kernel, target: &Target, runs: Runs) -> Result<Rendered> {
    let entry = name::identifier(kernel);
    let normal = normalise::normalise(kernel);
    let kernel = &normal.kernel;
    let phases = kernel.phases();
    let schedule = schedule::choose(kernel, &phases, target);
    let wide = is_wide(kernel);
    let mut form = Form::default();
    let (launch, written) = loop {
        let mut e = Emitter::new(kernel, &phases, wide, &normal.row_at, form);
        e.written(runs.pairs().unwrap_or_default());
        let (launch, written) = (write(&mut e, &schedule), e.finish());
        match written.form.lighter(&written.tally) {
            Some(lighter) => form = lighter,
            None => break (launch, written),
        }
    };
    let takes = match runs {
        Runs::Once => Takes::One,
        Runs::Unless => Takes::OneUnless,
        Runs::Again(pairs) => {
            let barrier = turns::barrier(kernel, pairs, &schedule, &launch, &written.text)
                .ok_or_else(|| Error::unsupported("a kernel whose blocks combine results"))?;
            Takes::Each(pairs, barrier)
        }
    };
    let threads = launch.block.iter().product::<usize>();
    let words = format!("{schedule:?}, {} blocks of {threads} threads", launch.grid);
    let name = name_of(&schedule);
    let draft = Draft { kernel, entry: &entry, name, schedule: words, wide, launch, written };
    draft.finish(takes, target)
}

fn write(e: &mut Emitter, schedule: &Schedule) -> Launch {
    match *schedule {
        Schedule::Flat { v, items } => elementwise::flat(e, v, items),
        Schedule::Grid(ref plan) => grid::grid(e, plan),
        Schedule::Linear { items } => elementwise::linear(e, items),
        Schedule::Rows { v, team, keep, parts } => {
            rows::rows(e, &rows::RowPlan { v, team, keep, parts })
        }
        Schedule::ScanRows { v, team, keep, parts } => {
            scan_rows::scan_rows(e, &scan_rows::ScanRows { v, team, keep, parts })
        }
        Schedule::ScanColumns { axis, v, across, down, parts } => {
            let plan = scan_columns::ScanColumns { axis, v, across, down, parts };
            scan_columns::scan_columns(e, &plan)
        }
        Schedule::Columns { axis, v, across, down, parts } => {
            columns::columns(e, &columns::ColumnPlan { axis, v, across, down, parts })
        }
    }
}

/// Whether an index may leave 31 bits.
fn is_wide(kernel: &Kernel) -> bool {
    // Loops step past the end by what all threads of a launch take at once.
    let limit = i64::from(i32::MAX) - (1 << 26);
    let large = |n: usize| n as i64 > limit;
    let reach = |index: &Index| {
        let axes = index.axes();
        let along = |k: usize| {
            (kernel.axes[k].extent as i64).saturating_mul(index.stride(k).saturating_abs())
        };
        axes.iter().map(along).fold(index.offset.saturating_abs(), i64::saturating_add) > limit
    };
    let values = kernel.values.iter().filter_map(|v| v.inst.index());
    let bounds = kernel.values.iter().any(|v| match v.inst {
        Inst::IndexDiv { by, .. } | Inst::IndexMod { by, .. } => by > limit,
        Inst::IndexClamp { low, high, .. } | Inst::InRange { low, high, .. } => {
            low.saturating_abs().max(high.saturating_abs()) > limit
        }
        _ => false,
    });
    // Serial loops count each axis by itself.
    let sides = [AxisKind::Parallel, AxisKind::Reduce];
    bounds
        || sides.iter().any(|&kind| large(kernel.extent(kernel.axes_of(kind))))
        || kernel.axes.iter().any(|axis| large(axis.extent))
        || kernel.inputs.iter().any(|i| large(i.len))
        || kernel.outputs.iter().any(|o| large(o.len))
        || values.chain(kernel.stores.iter().map(|s| &s.index)).any(reach)
}

/// The name of a schedule above the kernel.
fn name_of(schedule: &Schedule) -> &'static str {
    match schedule {
        Schedule::Flat { .. } => "flat",
        Schedule::Grid(_) => "grid",
        Schedule::Linear { .. } => "linear",
        Schedule::Rows { .. } => "rows",
        Schedule::Columns { .. } => "columns",
        Schedule::ScanRows { .. } => "scan by rows",
        Schedule::ScanColumns { .. } => "scan by columns",
    }
}
