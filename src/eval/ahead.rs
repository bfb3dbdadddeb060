//! Loops whose turns are launched before the host knows that they are to run.
//!
//! A turn of a few short kernels takes a GPU less time than the host needs to learn its condition. So
//! after [`AFTER`] turns that were waited for, the device is given portions of many turns, one portion
//! ahead of the one that the host waits for; what follows the end of the loop does nothing there
//! (`backend::Ahead`). The first portion is waited for by itself, so that short loops launch little in
//! vain.
//!
//! - The state goes round between few buffers (`rounds.rs`). After a period of turns, two for most
//!   bodies, it lies where it lay, so that a portion of so many, or of a multiple, has the same
//!   arguments each time.
//! - All else that turns make has one place, since one turn follows the other.
//! - Results have the bits of turns one by one: the same kernels run.

use super::body::{Body, End, Number};
use super::ready::{Prepared, TurnsAhead, are_short};
use super::rounds::{self, Rounds};
use super::run::{Preset, Run, Tally};
use crate::backend::{Backend, Buffer, Portions, Touched};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::plan::{Plan, Step};
use smallvec::SmallVec;
use std::sync::Arc;

/// The turns that are waited for first. To begin portions takes 80 µs on an H200, about as long as four
/// turns that are waited for, which loops of 7 to 11 turns lose.
pub(super) const AFTER: i64 = rounds::MOST_PERIOD as i64;
/// The kernels of a portion, about: the device is to be busy for longer than the host needs to learn of
/// the portion before, and what is launched in vain at the end is to be little.
const KERNELS: usize = 32;
/// The most turns of a portion.
const MOST_TURNS: usize = 16;
/// The most kernels of a turn: for more of them waiting is a small part of the time.
const MOST_KERNELS: usize = 24;
/// The portions that are launched and not waited for.
const IN_FLIGHT: u32 = 2;

/// Whether the turns of a body that is planned so may be launched ahead: kernels alone, short ones, none
/// of which writes into what the loop was given.
pub(super) fn may_be(body: &Body, plan: &Plan) -> bool {
    let are_kernels = plan.steps.iter().all(|step| match step {
        Step::Kernel(step) => step.in_place.is_empty(),
        Step::Library(_) => false,
    });
    let few = (1..=MOST_KERNELS).contains(&plan.steps.len());
    let turns_differ = body.numbers.contains(&Number::Turn) || !body.stacked.is_empty();
    let ends = body.end == End::False && body.condition().is_some();
    are_kernels && few && ends && !turns_differ && are_short(plan) && rounds::come_round(body)
}

impl TurnsAhead {
    /// The turns of a plan that [`may_be`] launched ahead, and was compiled for it.
    ///
    /// # Errors
    /// Where the device fails.
    pub(super) fn new(backend: &dyn Backend, turn: &Prepared) -> Result<Option<TurnsAhead>> {
        let Some(device) = backend.ahead(turn.compiled())? else { return Ok(None) };
        let written = turn.plan.kernels().flat_map(|step| {
            let outputs = step.outputs.iter().zip(&step.kernel.outputs);
            outputs.map(|(&node, output)| (node, output.len * output.dtype.size()))
        });
        let written = written.collect();
        Ok(Some(TurnsAhead { device, written, kernels: turn.plan.steps.len() }))
    }

    /// Runs the turns of a loop that has taken [`AFTER`] of them and is to go on, and gives the state in
    /// the end; none where they have to be waited for.
    ///
    /// # Errors
    /// Where memory runs out, or the device fails.
    pub(super) fn run(
        &self,
        (body, turn): (&Body, &Prepared),
        (state, captured): (&[Arc<Buffer>], &[Arc<Buffer>]),
        scalars: &[Scalar],
        (backend, tally): (&dyn Backend, &mut Tally),
    ) -> Result<Option<Vec<Arc<Buffer>>>> {
        let mut allocate = |node: u32| {
            let known = self.written.iter().find(|written| written.0 == node);
            let bytes = known.expect("a turn's kernels write it").1;
            tally.allocated += bytes as u64;
            backend.allocate(bytes).map(Arc::new)
        };
        let Some(rounds) = Rounds::new(body, state, captured, &mut allocate)? else {
            return Ok(None);
        };
        let is_other = |node: &u32| Some(*node) != body.condition() && !body.is_state(*node);
        let others = self.written.iter().map(|written| written.0).filter(is_other);
        let between: Vec<(u32, Arc<Buffer>)> =
            others.map(|node| Ok((node, allocate(node)?))).collect::<Result<_>>()?;
        let count = (KERNELS / self.kernels).clamp(1, MOST_TURNS);
        let count = count.next_multiple_of(rounds.period());
        let Some(mut portions) = self.device.begin(count)? else { return Ok(None) };
        for at in 0..count as u64 {
            let given = (rounds.before(at), captured);
            let written = rounds.written(at).iter().chain(&between);
            add((body, turn, backend), given, scalars, written, &mut *portions)?;
        }
        let written = rounds.memory().chain(between.iter().map(|(_, buffer)| buffer));
        let written: Vec<&Buffer> = written.map(|buffer| &**buffer).collect();
        let given = state.iter().chain(captured).map(|buffer| &**buffer);
        let read: Vec<&Buffer> = written.iter().copied().chain(given).collect();
        let touched = Touched { read: &read, written: &written };
        let (turns, launched) = until_false(&mut *portions, touched)?;
        tally.turns(turns * self.kernels as u64, launched * (1 + count * self.kernels) as u64);
        Ok(Some(rounds.before(turns).to_vec()))
    }
}

/// Adds the launches of a turn that has this state and writes there.
fn add<'a>(
    (body, turn, backend): (&Body, &Prepared, &dyn Backend),
    (state, captured): (&[Arc<Buffer>], &[Arc<Buffer>]),
    scalars: &[Scalar],
    written: impl Iterator<Item = &'a (u32, Arc<Buffer>)>,
    portions: &mut dyn Portions,
) -> Result<()> {
    let (conditions, start) = portions.turn();
    let leaves = body.leaves.iter().map(|source| source.of(state, captured).clone());
    let leaves: SmallVec<[Arc<Buffer>; 8]> = leaves.collect();
    let numbers: SmallVec<[Scalar; 16]> =
        body.numbers.iter().map(|number| number.of(0, scalars)).collect();
    let mut run = Run::new(backend, turn, &leaves, &[], &numbers);
    let whole = |(node, buffer): &(u32, Arc<Buffer>)| Preset {
        node: *node,
        buffer: buffer.clone(),
        start: 0,
    };
    run.presets = written.map(whole).collect();
    let condition = body.condition().expect("it may be launched ahead");
    run.presets.push(Preset { node: condition, buffer: conditions, start });
    run.gather(portions)
}

/// Launches portions until the condition is false. Gives the turns that ran, and the portions that were
/// launched.
fn until_false(portions: &mut dyn Portions, touched: Touched) -> Result<(u64, u64)> {
    let (mut turns, mut launched, mut waiting, mut most) = (0, 0, 0, 1);
    loop {
        while waiting < most {
            portions.launch(touched)?;
            (waiting, launched) = (waiting + 1, launched + 1);
        }
        let portion = portions.wait()?;
        waiting -= 1;
        turns += portion.turns;
        if !portion.goes_on {
            return Ok((turns, launched));
        }
        most = IN_FLIGHT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Arguments, Gathering, Portion};

    /// A loop of so many turns, on a device that is done with a portion when it is waited for.
    struct Counted {
        left: u64,
        turns: u64,
        launched: Vec<Portion>,
        most: usize,
    }

    impl Gathering for Counted {
        fn add(&mut self, _: &Arguments) -> Result<()> {
            Ok(())
        }

        fn launch(&mut self, _: Touched) -> Result<()> {
            let turns = self.turns.min(self.left);
            self.left -= turns;
            self.launched.push(Portion { turns, goes_on: self.left > 0 });
            self.most = self.most.max(self.launched.len());
            Ok(())
        }
    }

    impl Portions for Counted {
        fn turn(&mut self) -> (Arc<Buffer>, usize) {
            unreachable!("nothing is added")
        }

        fn wait(&mut self) -> Result<Portion> {
            Ok(self.launched.remove(0))
        }
    }

    #[test]
    fn portions_are_launched_until_the_condition_is_false_and_one_at_most_in_vain() {
        for (left, turns) in [(1, 16), (15, 16), (16, 16), (17, 16), (32, 16), (33, 16), (999, 2)] {
            let mut counted = Counted { left, turns, launched: Vec::new(), most: 0 };
            let (ran, launched) = until_false(&mut counted, Touched::default()).unwrap();
            assert_eq!(ran, left);
            let needed = left.div_ceil(turns);
            assert_eq!(launched, if needed == 1 { 1 } else { needed + 1 });
            assert!(counted.most <= IN_FLIGHT as usize);
        }
    }
}
