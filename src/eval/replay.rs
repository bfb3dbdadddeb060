//! Plans that are kept with what they were made from, to be run on other data.

use super::parts::Window;
use super::plans::with_plans;
use super::ready::Prepared;
use super::recording::part;
use super::run::{Preset, Run, recorded_at};
use super::walk::Walk;
use super::{EVALUATOR, Evaluator, Turn, holder, planned, targets_of};
use crate::backend::trace::{self, Line, What, Work};
use crate::backend::{Buffer, Device};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::graph::{Arg, Node};
use crate::plan::{Place, Step};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A plan with what it was made from, to be run on other data.
pub(crate) struct Recording {
    prepared: Arc<Prepared>,
    /// The nodes that held the data, in the order in which a run takes data.
    pub leaves: Vec<Arc<Node>>,
    windows: SmallVec<[Window; 2]>,
    /// The nodes that had the scalars, and the scalars.
    pub scalars: Vec<(Arc<Node>, Scalar)>,
    /// For each result, where it stands among what a run makes; none where it had its data.
    pub places: Vec<Option<usize>>,
    /// For each step of the plan the line that it comes from.
    lines: Vec<Option<Line>>,
}

/// Plans the evaluation of results, all of one device, without running it; `None` where all of
/// them have their data.
pub(crate) fn record(results: &[Arc<Node>]) -> Result<Option<Recording>> {
    // Under the lock nothing becomes evaluated.
    with_plans(|evaluator| {
        let targets = targets_of(results);
        let Some(device) = targets.first().map(|t| t.device) else { return Ok(None) };
        if targets.iter().any(|t| t.len() == 0) {
            return Err(Error::unsupported("compile: a result without elements").into());
        }
        // What comes again would be stored at every call, and be given to nobody.
        let Evaluator { plans, walks, .. } = evaluator;
        let mut walk = Walk::new(walks);
        let prepared = planned(plans, walks, device, &mut walk, |walk| {
            walk.as_a_whole = true;
            walk.walk(targets.iter(), None);
        })?;
        let place = |node: &Arc<Node>| {
            let target = holder(node);
            let n = (!target.is_evaluated()).then(|| walk.place(&target)).flatten()?;
            prepared.position(n, part(node).unwrap_or(0))
        };
        let (mut leaves, mut scalars) = (Vec::new(), Vec::new());
        for (node, k) in walk.nodes.iter().copied().zip(0..) {
            if node.is_evaluated() {
                if !walk.is_twin(k) {
                    leaves.push(node.clone());
                }
                continue;
            }
            for arg in &node.state().args {
                if let Arg::Scalar(value) = arg {
                    scalars.push((node.clone(), *value));
                }
            }
        }
        let places = results.iter().map(place).collect();
        let line = |step: &Step| {
            let n = match step {
                Step::Kernel(step) => *step.outputs.first()?,
                Step::Library(step) => step.node,
            };
            walk.nodes.get(n as usize).and_then(|node| recorded_at(node))
        };
        let lines = prepared.plan.steps.iter().map(line).collect();
        let windows = walk.windows;
        Ok(Some(Recording { prepared, leaves, windows, scalars, places, lines }))
    })
}

impl Recording {
    /// The node that makes the only result, if a kernel stores it and nothing of the plan reads it: then
    /// it can be stored anywhere.
    pub(crate) fn only_output(&self) -> Option<u32> {
        let [Some(at)] = self.places[..] else { return None };
        let mut made = None;
        for step in &self.prepared.plan.steps {
            let (outputs, inputs, is_free) = match step {
                Step::Kernel(step) => (&step.outputs[..], &step.inputs, step.in_place.is_empty()),
                Step::Library(step) => (&[][..], &step.inputs, true),
            };
            let own = outputs.iter().find(|&&n| self.prepared.position(n, 0) == Some(at));
            made = made.or(own.copied().filter(|_| is_free));
            let reads = |input: &Place| made.is_some_and(|n| *input == Place::Node(n));
            if inputs.iter().any(reads) {
                return None;
            }
        }
        made
    }

    /// Runs the plan on other data and stores the [only output](Self::only_output) from a byte of a
    /// buffer on.
    pub(crate) fn run_into(
        &self,
        device: Device,
        leaves: &[Arc<Buffer>],
        scalars: &[Scalar],
        (node, buffer, start): (u32, &Arc<Buffer>, usize),
    ) -> Result<()> {
        let _turn = Turn::begin()?;
        let _span = trace::span(Work::Evaluate, device, || What::named("compiled function"));
        let _one_at_a_time = EVALUATOR.lock();
        let mut run = Run::new(device.backend(), &self.prepared, leaves, &self.windows, scalars);
        run.lines = &self.lines;
        run.presets = smallvec![Preset { node, buffer: buffer.clone(), start }];
        run.steps()
    }

    /// Runs the plan on other data and other scalars, and gives what makes up each result.
    pub(crate) fn run(
        &self,
        device: Device,
        leaves: &[Arc<Buffer>],
        scalars: &[Scalar],
    ) -> Result<Vec<Option<Arc<Buffer>>>> {
        let _turn = Turn::begin()?;
        let _span = trace::span(Work::Evaluate, device, || What::named("compiled function"));
        let _one_at_a_time = EVALUATOR.lock();
        let mut run = Run::new(device.backend(), &self.prepared, leaves, &self.windows, scalars);
        run.lines = &self.lines;
        run.steps()?;
        Ok(self.places.iter().map(|place| place.map(|at| run.made[at].1.clone())).collect())
    }
}
