//! Kernels whose rows stay in registers: a thread keeps a strip of neighbouring positions of its
//! block's row, in a loop from the first turn to the last.
//!
//! A kernel of several sweeps over a row reads its neighbours through rows in shared memory
//! ([`Inst::Row`]). Where all such reads lie at known, small distances around the ring that the row is,
//! nearly all neighbours are in the same strip, so that only a strip's ends go through shared memory;
//! and where turn follows turn, the state is read and written once a launch. Twenty Runge-Kutta steps
//! of 4096 rows of 9600 doubles, written by hand, take an H200 1.2 ms in one launch, 5.0 in a launch
//! for each, and 5.9 where every element goes through shared memory.
//!
//! - Every thread has a whole strip: the last one begins earlier where the row ends within it, and the
//!   threads beyond it do the same work again. What is computed twice is written once.
//! - Sums over windows of a row, and reads further along it, go through rows that are whole in shared
//!   memory, with their ends once more beyond their ends, so that no read asks where the ring closes. The
//!   windows of a strip are summed up together, term by term: each sum has its own order, and what
//!   neighbours' windows share is read once. Twenty steps of Lorenz's model III, 40 rows of 960 doubles
//!   with three windows of 25 to 33 terms in each slope, take an H200 0.27 ms, and 0.68 where each
//!   position sums up by itself.
//! - Not for folds, scans, draws, reads at other places, and rows whose strips do not fit into
//!   registers ([`Strips::plans`]).

mod find;
mod plan;
mod write;

use super::assemble::{Draft, Takes};
use super::emit::Emitter;
use super::skipped::Runs;
use super::turns::Barrier;
use super::weight::Form;
use super::{Rendered, Target, is_wide, normalise};
use crate::error::Result;
use crate::kernel::own::own;
use crate::kernel::{Kernel, name};
use find::Strips;

/// What a kernel by strips may weigh. Sums and products that are written out many times take NVRTC half
/// as long as their weight says: a Runge-Kutta step by strips of 25 positions, 370,500, takes 0.17 s. Sums
/// over windows take longer (`weight.rs`).
pub const MOST_WEIGHT: u64 = 450_000;
/// So many lengths of strips are tried before the kernel is written another way.
const TRIES: usize = 3;
/// Rows of fewer bytes are written another way where a launch takes one turn: they stay in the
/// innermost cache.
const LONG: usize = 32 << 10;

/// Renders a kernel of one turn, or of many where there are pairs, by strips; none where it cannot be,
/// or does not fit.
///
/// # Errors
/// Where users' functions cannot stand in one kernel.
pub(super) fn render(
    kernel: &Kernel,
    pairs: Option<&[(u32, u32)]>,
    target: &Target,
) -> Result<Option<Rendered>> {
    render_if(kernel, pairs.map_or(Runs::Once, Runs::Again), target, |_| true)
}

/// The same of a kernel of one turn where that is the faster way.
pub(super) fn render_long(
    kernel: &Kernel,
    runs: Runs,
    target: &Target,
) -> Result<Option<Rendered>> {
    render_if(kernel, runs, target, |strips| {
        let is_long = strips.row_bytes() >= LONG && strips.phases.sweeps.len() > 2;
        is_long || strips.has_windows()
    })
}

fn render_if(
    kernel: &Kernel,
    runs: Runs,
    target: &Target,
    pays: impl Fn(&Strips) -> bool,
) -> Result<Option<Rendered>> {
    let entry = name::identifier(kernel);
    let normal = normalise::normalise(kernel);
    let (kernel, pairs) = (&normal.kernel, runs.pairs());
    let takes = match runs {
        Runs::Once => Takes::One,
        Runs::Unless => Takes::OneUnless,
        Runs::Again(pairs) => Takes::All(pairs, Barrier::Block),
    };
    if is_wide(kernel) || pairs.is_some_and(|pairs| own(kernel, pairs).is_none()) {
        return Ok(None);
    }
    let phases = kernel.phases();
    let strips = Strips::new(kernel, &phases, &normal.row_at, pairs);
    let Some(strips) = strips.filter(pays) else { return Ok(None) };
    for plan in strips.plans(target).into_iter().take(TRIES) {
        let mut e = Emitter::new(kernel, &phases, false, &normal.row_at, Form::default());
        e.written(pairs.unwrap_or_default());
        let (launch, written) = (strips.write(&mut e, plan), e.finish());
        // Strips in rolled loops would lie in memory.
        if !written.form.is_written_out(&written.tally) {
            continue;
        }
        let (keep, team, blocks) = (plan.keep, plan.team, launch.grid);
        let words =
            format!("strips of {keep} positions for each of {team} threads, {blocks} blocks");
        let (name, schedule) = ("strips", words);
        let draft = Draft { kernel, entry: &entry, name, schedule, wide: false, launch, written };
        match draft.finish(takes, target) {
            Ok(rendered) if rendered.weight <= MOST_WEIGHT => return Ok(Some(rendered)),
            Err(error) if !error.is_unsupported() => return Err(error),
            _ => {}
        }
    }
    Ok(None)
}
