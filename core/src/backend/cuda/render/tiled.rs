//! A stencil's kernel as one that takes several turns a launch, where that pays.

use super::assemble::{Draft, Takes};
use super::emit::Emitter;
use super::time_plan::{self, Tiled, TimePlan};
use super::weight::Form;
use super::{Rendered, Target, is_wide, normalise, time_tiles};
use crate::error::Result;
use crate::kernel::around::{Along, Around};
use crate::kernel::own::own;
use crate::kernel::{Index, Inst, Kernel, Val, name, weight};
use crate::table::Op;
use rustc_hash::FxHashSet;

/// Renders a kernel that takes several turns a launch, and computes the borders of its tiles again;
/// none where that cannot be, or a launch a turn is as good.
///
/// # Errors
/// Where a user's function has no code for the device.
pub fn render_tiled(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    target: &Target,
) -> Result<Option<Rendered>> {
    render_by(kernel, pairs, target, &|tiled| time_plan::choose(tiled, target))
}

/// The same by tiles that somebody else chooses.
pub(super) fn render_by(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    target: &Target,
    choose: &dyn Fn(&Tiled) -> Option<TimePlan>,
) -> Result<Option<Rendered>> {
    // Turns that read nothing that others wrote wait for nobody.
    if own(kernel, pairs).is_some() {
        return Ok(None);
    }
    let mut normal = normalise::normalise(kernel);
    if is_wide(&normal.kernel) {
        return Ok(None);
    }
    let Some(around) = normal.kernel.around(pairs) else { return Ok(None) };
    drop_places(&mut normal.kernel, &around);
    drop_masks(&mut normal.kernel, &around);
    let entry = name::identifier(kernel);
    let kernel = &normal.kernel;
    let Some(tiled) = Tiled::new(kernel, &around) else { return Ok(None) };
    let Some(plan) = choose(&tiled) else { return Ok(None) };
    let phases = kernel.phases();
    let mut form = Form::default();
    let (launch, written) = loop {
        let mut e = Emitter::new(kernel, &phases, false, &normal.row_at, form);
        let (launch, written) = (time_tiles::tiles(&mut e, &tiled, &plan), e.finish());
        match written.form.lighter(&written.tally) {
            Some(lighter) => form = lighter,
            None => break (launch, written),
        }
    };
    let threads = launch.block.iter().product::<usize>();
    let (rows, columns) = tiled.interior(&plan).unwrap_or_default();
    let words = format!(
        "{} turns a launch, borders computed again: {} tiles of {rows}x{columns}, \
         {}x{} positions for each of {threads} threads",
        plan.turns, launch.grid, plan.rows, plan.v
    );
    let (name, schedule) = ("tiles over turns", words);
    let draft = Draft { kernel, entry: &entry, name, schedule, wide: false, launch, written };
    match draft.finish(Takes::Most(plan.turns as u64), target) {
        Ok(rendered) if rendered.weight <= weight::MOST => Ok(Some(rendered)),
        Err(error) if !error.is_unsupported() => Err(error),
        _ => Ok(None),
    }
}

/// Leaves out the arithmetic of places that lie at the same distance from every position.
fn drop_places(kernel: &mut Kernel, around: &Around) {
    for (&v, near) in &around.loads {
        let is_beside = |along: &Along| matches!(along, Along::Beside(_));
        if let Inst::Load { index, .. } = &mut kernel.values[v.at()].inst
            && near.along.iter().all(is_beside)
        {
            *index = Index::default();
        }
    }
}

/// Leaves out the masks of reads whose elements count under the same condition alone: a read near a
/// position is within the tile whatever there is. Users' functions may rely on the zeros.
fn drop_masks(kernel: &mut Kernel, around: &Around) {
    if kernel.values.iter().any(|value| value.inst.function().is_some()) {
        return;
    }
    let masks = around.loads.keys().filter_map(|&v| match kernel.value(v).inst {
        Inst::Load { mask, .. } => mask,
        _ => None,
    });
    let masks: FxHashSet<Val> = masks.collect();
    for condition in masks {
        let under = under(kernel, condition);
        for v in around.loads.keys() {
            if let Inst::Load { mask, .. } = &mut kernel.values[v.at()].inst
                && *mask == Some(condition)
                && under[v.at()]
            {
                *mask = None;
            }
        }
    }
}

/// For each value, whether all that is made of it is chosen under a condition.
fn under(kernel: &Kernel, condition: Val) -> Vec<bool> {
    let mut under = vec![true; kernel.values.len()];
    kernel.stores.iter().for_each(|store| under[store.value.at()] = false);
    for (k, value) in kernel.values.iter().enumerate().rev() {
        let own = under[k];
        match &value.inst {
            Inst::Op(Op::Select, args) if args[0] == condition => {
                under[args[0].at()] = false;
                under[args[2].at()] &= own;
            }
            // Places are computed whatever the condition says.
            Inst::Op(..) | Inst::Cast(_) if own => {}
            inst => inst.for_each_arg(|a| under[a.at()] = false),
        }
    }
    under
}
