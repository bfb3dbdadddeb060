//! The runs of loops.
//!
//! A loop's plan holds the plan of its body, made with it (`prepared.rs`). A turn binds the results of
//! the one before and runs it; nothing is walked or planned between turns.
//!
//! - Where a turn is one kernel, the device runs all turns, in one launch where it can
//!   (`Backend::compile_turns`).
//! - Where, besides, each element looks at neighbours no further than a tile's border is wide, a GPU may
//!   take several turns a launch and compute the borders again (`Backend::compile_tiles`).
//! - The turns of a loop with a condition may be launched before the host knows it (`ahead.rs`).
//! - Where each element looks at itself alone, several turns are written one upon the
//!   other, so that what they hand on stays in registers ([`together`]). Such a loop has two kernels:
//!   one of several turns, and one for those that are left.

use super::ahead;
use super::body::{Body, End, From, Number, Source};
use super::ready::{Pairs, Prepared, ReadyTurns, Way, Whole};
use super::run::{Preset, Run, Tally};
use crate::backend::trace::{self, What, Work};
use crate::backend::{Arguments, Backend, Buffer, Meter, current_queue};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::graph::NodeOp;
use crate::kernel::own::{Own, own};
use crate::kernel::{self, Kernel};
use crate::library::turns::Turns;
use crate::plan::{GraphArg, GraphNode, Place, Plan, ScalarSource, Step};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::time::Instant;

/// A kernel of several turns has about so many values.
const VALUES: usize = 96;
/// The most turns of a kernel.
const MOST_TOGETHER: usize = 8;

/// How many turns are worth writing one upon the other.
pub(super) fn together(kernel: &Kernel, pairs: &Pairs) -> usize {
    let is_alone = own(kernel, &pairs.list) == Some(Own::Element)
        && kernel.axes_of(crate::kernel::AxisKind::Reduce).is_empty();
    match is_alone {
        true => (VALUES / kernel.values.len().max(1)).clamp(1, MOST_TOGETHER),
        false => 1,
    }
}

impl Body {
    /// What a plan of one kernel gives that the next turn reads, where all turns may be one launch:
    /// the state is what the kernel gives, and nothing else changes from turn to turn.
    pub(super) fn pairs(&self, plan: &Plan) -> Option<Pairs> {
        let [Step::Kernel(step)] = &plan.steps[..] else { return None };
        let turns_differ = self.numbers.contains(&Number::Turn) || !self.stacked.is_empty();
        if turns_differ || self.end != End::Count {
            return None;
        }
        let mut pairs = Pairs { list: Vec::new(), results: Vec::new() };
        let mut taken = vec![false; step.outputs.len()];
        for (k, result) in self.results.iter().enumerate() {
            let output = match *result {
                From::Given(Source::State(same)) if same == k => None,
                From::Given(_) => return None,
                From::Step(n, _) => Some(step.outputs.iter().position(|&output| output == n)?),
            };
            pairs.results.push(output);
            let Some(output) = output else { continue };
            if std::mem::replace(&mut taken[output], true) {
                return None;
            }
            let reads = |place: &Place| match place {
                Place::Leaf(leaf) => self.leaves[*leaf as usize] == Source::State(k),
                _ => false,
            };
            let inputs = step.inputs.iter().enumerate().filter(|(_, place)| reads(place));
            pairs.list.extend(inputs.map(|(input, _)| (input as u32, output as u32)));
        }
        // Whoever computes something that nobody reads has no turn to hand it to.
        taken.iter().all(|&taken| taken).then_some(pairs)
    }

    /// The same where a turn copies the components of the state that become other ones, so that it makes
    /// all that the next one reads; none where there are no such components, or nothing else reads them.
    pub(super) fn with_copies(&self) -> Option<Body> {
        let (mut graph, mut results) = (self.graph.clone(), self.results.clone());
        for (k, result) in results.iter_mut().enumerate().take(self.states) {
            let other = match *result {
                From::Given(Source::State(other)) if other != k => Source::State(other),
                _ => continue,
            };
            let leaf = self.leaves.iter().position(|source| *source == other)?;
            let read = graph.nodes.iter().position(|node| node.leaf == Some(leaf as u32))?;
            let copy = GraphNode {
                op: NodeOp::Cast,
                args: smallvec![GraphArg::Node(read as u32)],
                leaf: None,
                window: None,
                ..graph.nodes[read].clone()
            };
            let number = graph.nodes.len() as u32;
            graph.nodes.push(copy);
            graph.roots.push(number);
            *result = From::Step(number, 0);
        }
        (results != self.results).then(|| Body {
            graph,
            leaves: self.leaves.clone(),
            numbers: self.numbers.clone(),
            results,
            states: self.states,
            end: self.end,
            stacked: self.stacked.clone(),
        })
    }
}

impl ReadyTurns {
    /// The body of a loop.
    pub(super) fn body(call: &Turns) -> Arc<Body> {
        call.body.clone().downcast().expect("evaluations alone make loops")
    }

    pub(super) fn new(body: Arc<Body>, way: Way) -> ReadyTurns {
        ReadyTurns { body, way }
    }

    /// Whether many turns are one launch, or a few.
    pub(super) fn are_few_launches(&self, backend: &dyn Backend) -> bool {
        match &self.way {
            Way::Singly(..) => false,
            Way::AtOnce(wholes) => {
                wholes.iter().all(|whole| backend.takes_turns_together(&whole.compiled))
            }
        }
    }

    /// A loop in a few words, for `explain`.
    pub(crate) fn describe(&self) -> String {
        let (turn, ahead) = match &self.way {
            Way::Singly(turn, ahead) => (turn, ahead.is_some()),
            Way::AtOnce(wholes) => {
                let whole = wholes.last().expect("a loop has a kernel");
                let schedule = (whole.compiled.texts)().schedule;
                return match wholes.first().map_or(1, |whole| whole.turns) {
                    1 => format!("all turns are one kernel: {schedule}"),
                    turns => format!("all turns are one kernel, {turns} at a time: {schedule}"),
                };
            }
        };
        let kernels = turn.plan.kernels().count();
        let calls = turn.plan.steps.len() - kernels;
        let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        match calls {
            0 if ahead => {
                let kernels = plural(kernels, "kernel");
                format!("a turn runs {kernels}, launched before its condition is known")
            }
            0 => format!("a turn runs {}", plural(kernels, "kernel")),
            _ => format!(
                "a turn runs {} and {}",
                plural(kernels, "kernel"),
                plural(calls, "library call")
            ),
        }
    }

    /// Runs all turns, and gives the state in the end and what the turns stacked.
    pub(super) fn run(
        &self,
        backend: &dyn Backend,
        call: &Turns,
        arguments: &[Arc<Buffer>],
        scalars: &[Scalar],
        tally: &mut Tally,
    ) -> Result<Vec<Arc<Buffer>>> {
        let body = &*self.body;
        let (state, rest) = arguments.split_at(body.states);
        let captured = &rest[..rest.len() - usize::from(body.end == End::False)];
        let mut state: Vec<Arc<Buffer>> = state.to_vec();
        let turns = scalars.first().and_then(|n| n.get::<i64>()).unwrap_or(0);
        let total = if body.end == End::False { 0 } else { turns.max(0) as u64 };
        let meter = Meter::start("turns", total);
        let (turn_plan, ahead) = match &self.way {
            // Who watches sees each kernel and each turn by itself.
            Way::Singly(turn, ahead) => (turn, ahead.as_ref().filter(|_| meter.is_none())),
            Way::AtOnce(wholes) => {
                let mut left = turns.max(0) as u64;
                for whole in wholes {
                    let own = left / whole.turns;
                    left %= whole.turns;
                    if own > 0 {
                        let given = (&state[..], captured);
                        state = match &meter {
                            None => body.at_once(backend, whole, own, given, scalars, tally)?,
                            Some(meter) => {
                                body.told(backend, whole, (own, meter), given, scalars, tally)?
                            }
                        };
                    }
                }
                return Ok(state);
            }
        };
        let mut stacks = Vec::new();
        for &(len, dtype) in &call.outputs[body.states..] {
            stacks.push(Arc::new(backend.allocate(len * dtype.size())?));
            tally.allocated += (len * dtype.size()) as u64;
        }
        let mut goes_on = rest.last().filter(|_| body.end == End::False).cloned();
        let mut turn = 0i64;
        while match &goes_on {
            Some(condition) => is_true(backend, condition)?,
            None => turn < turns,
        } {
            if let Some(ahead) = ahead.filter(|_| turn == ahead::AFTER && !trace::is_on()) {
                let given = (&state[..], captured);
                let end = ahead.run((body, turn_plan), given, scalars, (backend, tally))?;
                if let Some(end) = end {
                    return Ok(end);
                }
            }
            let mut results = body.one(
                turn_plan,
                (turn, scalars),
                (&state, captured, &stacks),
                (backend, tally),
            )?;
            goes_on = goes_on.and_then(|_| results.pop());
            state = results;
            turn += 1;
            if let Some(meter) = &meter {
                tell(meter, backend, 1)?;
            }
        }
        Ok(state.into_iter().chain(stacks).collect())
    }
}

/// The state, what is read besides, and what is stacked.
type Arrays<'a> = (&'a [Arc<Buffer>], &'a [Arc<Buffer>], &'a [Arc<Buffer>]);

/// Tells of turns that were launched, once the device is done with them.
fn tell(meter: &Meter, backend: &dyn Backend, turns: u64) -> Result<()> {
    if meter.is_due() {
        backend.synchronize_queue(current_queue(backend.device()))?;
    }
    meter.add(turns);
    Ok(())
}

/// The turns of the first launch of a loop that is told of.
const FIRST_TOLD: u64 = 16;

impl Body {
    /// Runs turns of a kernel in launches that take about as long as the program waits between two
    /// reports, and tells of each.
    fn told(
        &self,
        backend: &dyn Backend,
        whole: &Whole,
        (turns, meter): (u64, &Meter),
        (state, captured): (&[Arc<Buffer>], &[Arc<Buffer>]),
        scalars: &[Scalar],
        tally: &mut Tally,
    ) -> Result<Vec<Arc<Buffer>>> {
        let (mut state, mut left, mut portion) = (state.to_vec(), turns, FIRST_TOLD);
        while left > 0 {
            let begin = Instant::now();
            let own = portion.min(left);
            state = self.at_once(backend, whole, own, (&state, captured), scalars, tally)?;
            backend.synchronize_queue(current_queue(backend.device()))?;
            meter.add(own * whole.turns);
            left -= own;
            portion = match begin.elapsed() * 2 <= meter.every() {
                true => portion.saturating_mul(2),
                false => portion,
            };
        }
        Ok(state)
    }

    /// Runs turns of a kernel in one launch.
    fn at_once(
        &self,
        backend: &dyn Backend,
        whole: &Whole,
        turns: u64,
        (state, captured): (&[Arc<Buffer>], &[Arc<Buffer>]),
        scalars: &[Scalar],
        tally: &mut Tally,
    ) -> Result<Vec<Arc<Buffer>>> {
        let Whole { step, compiled, pairs, .. } = whole;
        let mut allocate = |output: usize| {
            let output = &step.kernel.outputs[output];
            let bytes = output.len * output.dtype.size();
            tally.allocated += bytes as u64;
            backend.allocate(bytes)
        };
        let outputs: Vec<Arc<Buffer>> = (0..step.outputs.len())
            .map(|output| allocate(output).map(Arc::new))
            .collect::<Result<_>>()?;
        let spares: Vec<Buffer> = match turns {
            1 => Vec::new(),
            _ => pairs.list.iter().map(|pair| allocate(pair.1 as usize)).collect::<Result<_>>()?,
        };
        let input = |place: &Place| match place {
            Place::Leaf(leaf) => match self.leaves[*leaf as usize] {
                Source::State(k) => &*state[k],
                Source::Captured(k) => &*captured[k],
            },
            _ => unreachable!("one kernel reads what the loop was given"),
        };
        let inputs: SmallVec<[&Buffer; 8]> = step.inputs.iter().map(input).collect();
        let number = |source: &ScalarSource| match *source {
            ScalarSource::Literal(scalar) => scalar,
            ScalarSource::Slot(slot) => match self.numbers[slot as usize] {
                Number::Given(k) => scalars[k + 1],
                Number::Turn => unreachable!("its turns are told apart"),
            },
        };
        let numbers: SmallVec<[Scalar; 16]> = step.scalars.iter().map(number).collect();
        let written: SmallVec<[&Buffer; 8]> = outputs.iter().map(|output| &**output).collect();
        let spares: SmallVec<[&Buffer; 8]> = spares.iter().collect();
        let arguments =
            Arguments { inputs: &inputs, outputs: &written, starts: &[], scalars: &numbers };
        let _span = trace::span(Work::Kernel, backend.device(), || What {
            name: format!("{turns} × {}", kernel::name::name(&step.kernel)).into(),
            line: None,
            bytes: (step.bytes_read() + step.bytes_written()) as u64,
        });
        tally.kernel(backend.launch_turns(compiled, &arguments, &spares, turns)?);
        let result = |(k, output): (usize, &Option<usize>)| match output {
            Some(output) => outputs[*output].clone(),
            None => state[k].clone(),
        };
        Ok(pairs.results.iter().enumerate().map(result).collect())
    }

    /// Runs one turn, and gives the new state and the condition.
    fn one(
        &self,
        plan: &Prepared,
        (turn, scalars): (i64, &[Scalar]),
        (state, captured, stacks): Arrays,
        (backend, tally): (&dyn Backend, &mut Tally),
    ) -> Result<Vec<Arc<Buffer>>> {
        let source = |source: &Source| source.of(state, captured).clone();
        let leaves: SmallVec<[Arc<Buffer>; 8]> = self.leaves.iter().map(source).collect();
        let numbers = self.numbers.iter().map(|number| number.of(turn, scalars));
        let numbers: SmallVec<[Scalar; 16]> = numbers.collect();
        let (results, stacked) = self.results.split_at(self.results.len() - stacks.len());
        let mut run = Run::new(backend, plan, &leaves, &[], &numbers);
        run.presets = stacked
            .iter()
            .zip(stacks.iter().zip(&self.stacked))
            .map(|(from, (stack, bytes))| match from {
                From::Step(n, _) => {
                    Preset { node: *n, buffer: stack.clone(), start: turn as usize * bytes }
                }
                From::Given(_) => unreachable!("what is stacked is a node of its own"),
            })
            .collect();
        run.turn()?;
        tally.add(&run.tally);
        let result = |from: &From| match from {
            From::Step(n, part) => {
                let at = plan.position(*n, *part).expect("the turn makes it");
                run.made[at].1.clone()
            }
            From::Given(given) => source(given),
        };
        Ok(results.iter().map(result).collect())
    }
}

/// What a condition is, once it is computed.
fn is_true(backend: &dyn Backend, condition: &Buffer) -> Result<bool> {
    let mut byte = [0];
    trace::wait_apart(backend);
    let _span = trace::span(Work::Download, backend.device(), || What {
        bytes: 1,
        ..What::named("copy of a condition")
    });
    backend.download(condition, &mut byte)?;
    Ok(byte[0] != 0)
}
