//! Kernels as CUDA C++.
//!
//! [`render`] turns a kernel into source, a launch shape and a template of the launch's argument.
//! The source depends on the kernel's structure and on classes of its numbers only: extents,
//! strides, offsets and scalars are arguments, so that a new size finds its code compiled.
//!
//! The way: [`normalise`] sorts and merges axes, [`schedule`] says which threads do what,
//! [`elementwise`], [`grid`], [`rows`] and [`columns`] write the loops of a schedule, [`items`] the
//! packs in them, [`usual`] and [`lockstep`] other forms of an item, [`skipped`] kernels launched ahead, [`time_tiles`] several turns of a
//! stencil by tiles that [`time_plan`] chooses, [`strips`] rows that stay in registers, [`emit`] values and indices,
//! `ranges` what is known of those, [`args`] the argument's structure. `support.cuh` and
//! `scan.cuh` hold the device functions that only rendered kernels call.

mod args;
mod columns;
mod elementwise;
mod emit;
mod grid;
mod items;
mod lockstep;
mod names;
mod normalise;
mod outline;
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
use emit::{Emitter, Written};
use schedule::Schedule;
use skipped::Runs;
use std::fmt::Write;
use weight::Form;

/// The bytes of source that a kernel may have: the compiler takes seconds for more.
const SOURCE_BYTES: usize = 1 << 20;

/// The bytes that the argument of a launch may have.
const ARGUMENT_BYTES: usize = 4096;

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
    match strips::render(kernel, Some(pairs), target)? {
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
    let Written { text, args, form, tally, usual } = written;
    let (structure, mut template) = args.finish(kernel);
    if text.len() > SOURCE_BYTES {
        return Err(Error::unsupported(format!("a kernel of {} bytes of source", text.len())));
    }
    let threads = launch.block.iter().product::<usize>();
    let bounds = match launch.together {
        0 => threads.to_string(),
        blocks => format!("{threads}, {blocks}"),
    };
    let mut body = comment(kernel, name_of(&schedule), wide);
    body += &form.definitions(definitions(kernel)?);
    if usual {
        body += &usual::definitions(kernel);
    }
    let mut form_of_turns = None;
    body += &structure;
    let parts = (&*text, &*bounds, &*entry);
    match runs {
        Runs::Once => body += &skipped::once(parts),
        Runs::Unless => body += &skipped::skipped(parts, &mut template),
        Runs::Again(pairs) => {
            let barrier = turns::barrier(kernel, pairs, &schedule, &launch, &text)
                .ok_or_else(|| Error::unsupported("a kernel whose blocks combine results"))?;
            let (turns, form) =
                turns::repeated(kernel, pairs, barrier, parts, &launch, &mut template);
            body += "\n";
            body += &turns;
            form_of_turns = Some(form);
        }
    }
    check(&template, &launch, target)?;
    Ok(Rendered {
        body,
        entry,
        grid: [launch.grid as u32, 1, 1],
        block: launch.block.map(|n| n as u32),
        shared_bytes: launch.shared as u32,
        template,
        scratch_bytes: launch.scratch,
        counters: match &form_of_turns {
            Some(form) if form.barrier == Barrier::Grid => turns::COUNTERS,
            _ => launch.counters,
        },
        schedule: format!("{schedule:?}, {} blocks of {threads} threads", launch.grid),
        weight: form.weight(&tally),
        turns: form_of_turns,
        at_a_time: None,
    })
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

/// The definitions of the user's functions that a kernel calls, callees first, each once.
fn definitions(kernel: &Kernel) -> Result<String> {
    let mut known: Vec<&(String, String)> = Vec::new();
    let functions = kernel.values.iter().filter_map(|value| value.inst.function());
    for function in functions {
        let code = function.cuda.as_ref().ok_or_else(|| {
            Error::unsupported(format!("{} has no code for CUDA devices", function.name))
        })?;
        for definition in &code.definitions {
            match known.iter().find(|k| k.0 == definition.0) {
                None => known.push(definition),
                Some(other) if other.1 == definition.1 => {}
                Some(_) => {
                    let name = &definition.0;
                    return Err(Error::compile(format!("two device functions are named {name}")));
                }
            }
        }
    }
    Ok(known.iter().map(|k| format!("{}\n", k.1.trim_end())).collect())
}

/// The limits that a device sets, checked before anything is compiled.
fn check(template: &Template, launch: &Launch, target: &Target) -> Result<()> {
    if template.bytes.len() > ARGUMENT_BYTES {
        return Err(Error::unsupported(format!(
            "a kernel with an argument of {} bytes, where {ARGUMENT_BYTES} are allowed",
            template.bytes.len()
        )));
    }
    if launch.shared > target.shared_bytes {
        return Err(Error::unsupported(format!(
            "a kernel with {} bytes of shared memory, where the device has {}",
            launch.shared, target.shared_bytes
        )));
    }
    if launch.grid > i32::MAX as usize {
        return Err(Error::unsupported(format!("a kernel with {} blocks", launch.grid)));
    }
    Ok(())
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

/// What stands above the kernel: its axes and its schedule.
fn comment(kernel: &Kernel, schedule: &str, wide: bool) -> String {
    let mut text = String::new();
    for (k, axis) in kernel.axes.iter().enumerate() {
        let kind = match axis.kind {
            AxisKind::Parallel => "parallel",
            AxisKind::Reduce => "reduce",
            AxisKind::Serial => "serial",
        };
        let _ = writeln!(text, "// {kind} x{k} < n{k}");
    }
    let bits = if wide { 64 } else { 32 };
    let _ = writeln!(text, "// schedule: {schedule}, {bits}-bit indices");
    text
}
