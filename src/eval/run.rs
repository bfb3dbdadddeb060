//! One run of a plan: memory is allocated, kernels are launched and libraries called, in order.
//!
//! Where a device takes several launches at once (`backend::Series`), those of kernels that follow one
//! another are gathered, and given to it before anything else is: a library call, a loop, the end.
//!
//! A scatter on the processor that is the last step, and whose base nobody else sees, writes into
//! the base's own memory (`overwritten`).

use super::count;
use super::parts::Window;
use super::ready::{Prepared, Ready, ReadyTurns, places};
use crate::backend::trace::{self, Line, Span, What, Work};
use crate::backend::{
    Arguments, Backend, Buffer, Compiled, Device, Gathering, LibraryCall, Touched,
};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::graph::{Arg, Node, is_watched};
use crate::kernel;
use crate::library::Library;
use crate::library::sort::Sorting;
use crate::plan::{KernelStep, LibraryStep, Place, ScalarSource, Step};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// What steps have made, in order.
pub(super) type Made = SmallVec<[(Place, Arc<Buffer>); 8]>;

/// How many nodes are looked at for a line of the program.
const MOST_LOOKED_AT: usize = 16;

/// The line of the program that recorded a node, or what the node stands on where a function of this
/// crate recorded it whose own line is not known.
pub(super) fn recorded_at(node: &Arc<Node>) -> Option<Line> {
    let mut waiting = VecDeque::from([node.clone()]);
    for _ in 0..MOST_LOOKED_AT {
        let node = waiting.pop_front()?;
        if trace::is_outside(node.line) {
            return Some(node.line);
        }
        waiting.extend(node.state().args.iter().filter_map(|arg| match arg {
            Arg::Node(arg) if !arg.is_evaluated() => Some(arg.clone()),
            _ => None,
        }));
    }
    None
}

/// One run of a plan.
pub(super) struct Run<'a> {
    backend: &'a dyn Backend,
    prepared: &'a Prepared,
    leaves: &'a [Arc<Buffer>],
    /// What follows the leaves, as far as a plan knows.
    windows: &'a [Window],
    scalars: &'a [Scalar],
    /// The nodes that were walked; none where a recording runs.
    pub nodes: &'a [&'a Arc<Node>],
    /// For each step the line that it comes from, where a recording runs.
    pub lines: &'a [Option<Line>],
    /// What the steps have made so far, each at the position that the plan says.
    pub made: Made,
    /// Where some of it goes.
    pub presets: SmallVec<[Preset; 2]>,
    /// Memory of results that was allocated before all else, last first, with their positions.
    early: Vec<(usize, Arc<Buffer>)>,
    /// What was done.
    pub tally: Tally,
}

/// Memory that is there before a kernel runs and takes one of its outputs.
pub(super) struct Preset {
    /// The node that is stored.
    pub node: u32,
    /// The memory.
    pub buffer: Arc<Buffer>,
    /// The byte at which the output begins.
    pub start: usize,
}

/// The most steps whose launches wait for one another: the device should not wait for long.
const MOST_GATHERED: usize = 64;

/// Launches that wait to be given to the device together.
struct Gathered<'a> {
    launches: Box<dyn Gathering + 'a>,
    /// The first step of them.
    step: usize,
    /// How much was made before.
    made: usize,
}

impl<'a> Gathered<'a> {
    fn new(launches: Box<dyn Gathering + 'a>) -> Self {
        Gathered { launches, step: 0, made: 0 }
    }
}

/// What a run has done.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    kernels: u64,
    library_calls: u64,
    launches: u64,
    /// The bytes that were allocated.
    pub allocated: u64,
}

impl Tally {
    /// Adds a kernel.
    pub(super) fn kernel(&mut self, launches: u64) {
        self.kernels += 1;
        self.launches += launches;
    }

    /// Adds the kernels of turns, and their launches.
    pub(super) fn turns(&mut self, kernels: u64, launches: u64) {
        self.kernels += kernels;
        self.launches += launches;
    }

    /// Adds what another run has done.
    pub(super) fn add(&mut self, other: &Tally) {
        self.kernels += other.kernels;
        self.library_calls += other.library_calls;
        self.launches += other.launches;
        self.allocated += other.allocated;
    }
}

impl<'a> Run<'a> {
    /// A run of no node that was walked.
    pub(super) fn new(
        backend: &'a dyn Backend,
        prepared: &'a Prepared,
        leaves: &'a [Arc<Buffer>],
        windows: &'a [Window],
        scalars: &'a [Scalar],
    ) -> Self {
        let (nodes, lines, made) = (&[][..], &[][..], SmallVec::new());
        let (presets, early, tally) = (SmallVec::new(), Vec::new(), Tally::default());
        Run {
            backend,
            prepared,
            leaves,
            windows,
            scalars,
            nodes,
            lines,
            made,
            presets,
            early,
            tally,
        }
    }

    /// Runs all steps of the plan, and counts them.
    pub(super) fn steps(&mut self) -> Result<()> {
        self.turn()?;
        let tally = self.tally;
        count(|c| {
            c.evaluations += 1;
            c.kernels += tally.kernels;
            c.library_calls += tally.library_calls;
            c.launches += tally.launches;
            c.allocated += tally.allocated;
        });
        Ok(())
    }

    /// Runs all steps as a part of something else that is counted.
    pub(super) fn turn(&mut self) -> Result<()> {
        let prepared = self.prepared;
        // Who watches sees each kernel by itself.
        let series = prepared.series.as_ref().filter(|_| !trace::is_on());
        let mut gathered = series.and_then(|series| series.begin()).map(Gathered::new);
        if gathered.is_some() {
            self.allocate_results()?;
        }
        for (at, (step, ready)) in prepared.plan.steps.iter().zip(&prepared.ready).enumerate() {
            match (step, ready) {
                (Step::Kernel(step), Ready::Kernel(compiled)) => {
                    let _span = self.kernel_span(at, step);
                    let launches = gathered.as_mut().map(|gathered| &mut *gathered.launches);
                    self.kernel(step, compiled, launches.map(|launches| launches as _))
                        .map_err(|error| error.in_step(&self.name(step)))?;
                    self.tally.kernels += 1;
                }
                (Step::Library(step), Ready::Library(call)) => {
                    self.launch_gathered(&mut gathered, at)?;
                    let _span = self.library_span(at, step, Work::Library);
                    self.library(step, &**call).map_err(|error| error.in_step(step.call.name()))?;
                    self.tally.library_calls += 1;
                }
                (Step::Library(step), Ready::Turns(turns)) => {
                    self.launch_gathered(&mut gathered, at)?;
                    let _span = self.library_span(at, step, Work::Loop);
                    self.turns(step, turns).map_err(|error| error.in_step(step.call.name()))?;
                }
                _ => unreachable!("each step was made ready as what it is"),
            }
            if gathered.as_ref().is_some_and(|gathered| at + 1 - gathered.step >= MOST_GATHERED) {
                self.launch_gathered(&mut gathered, at + 1)?;
            }
        }
        self.launch_gathered(&mut gathered, prepared.plan.steps.len())
    }

    /// Gives the launches of a plan of kernels alone to whoever gathers them.
    pub(super) fn gather(&mut self, launches: &mut dyn Gathering) -> Result<()> {
        let prepared = self.prepared;
        for (step, ready) in prepared.plan.steps.iter().zip(&prepared.ready) {
            let (Step::Kernel(step), Ready::Kernel(compiled)) = (step, ready) else {
                unreachable!("all steps are kernels")
            };
            self.kernel(step, compiled, Some(&mut *launches))
                .map_err(|error| error.in_step(&self.name(step)))?;
        }
        Ok(())
    }

    /// Launches the kernels that were gathered before a step.
    fn launch_gathered(&mut self, gathered: &mut Option<Gathered>, end: usize) -> Result<()> {
        let Some(gathered) = gathered else { return Ok(()) };
        let steps = &self.prepared.plan.steps[gathered.step..end];
        let inputs = steps.iter().filter_map(|step| match step {
            Step::Kernel(step) => Some(self.inputs(&step.inputs)),
            Step::Library(_) => None,
        });
        let read: SmallVec<[&Buffer; 32]> = inputs.flatten().collect();
        let touched = Touched { read: &read, written: &self.outputs(gathered.made) };
        let launched = gathered.launches.launch(touched);
        (gathered.step, gathered.made) = (end, self.made.len());
        launched
    }

    /// Allocates results before all else. Memory that was let go last is given out first, so that
    /// what a run needs besides has the same addresses each time, or each second time.
    fn allocate_results(&mut self) -> Result<()> {
        if !self.presets.is_empty() {
            return Ok(());
        }
        for &(position, bytes) in self.prepared.results.iter().rev() {
            self.early.push((position, Arc::new(self.backend.allocate(bytes)?)));
        }
        Ok(())
    }

    /// Runs a loop.
    fn turns(&mut self, step: &LibraryStep, ready: &ReadyTurns) -> Result<()> {
        let Library::Turns(call) = &*step.call else { unreachable!("it was made ready as a loop") };
        let arguments: Vec<Arc<Buffer>> = step.inputs.iter().map(|at| self.whole(at)).collect();
        let scalars = self.scalars(&step.scalars);
        let made = ready.run(self.backend, call, &arguments, &scalars, &mut self.tally)?;
        match self.prepared.rolled.as_ref().filter(|known| known.call == step.node) {
            Some(known) => self.made.extend(known.ends.iter().map(|&n| Place::Node(n)).zip(made)),
            None => self.made.extend(places(step.node, made.len()).zip(made)),
        }
        Ok(())
    }

    /// The memory of an array, as one that others may hold: what loops read is stored for them, never
    /// a window.
    fn whole(&self, place: &Place) -> Arc<Buffer> {
        let (node, part) = match *place {
            Place::Leaf(leaf) => return self.leaves[leaf as usize].clone(),
            Place::Node(n) => (n, 0),
            Place::Part(n, part) => (n, part),
        };
        let position = self.prepared.position(node, part).expect("an earlier step made it");
        self.made[position].1.clone()
    }

    /// What a kernel computes, for messages: the operation of its first result.
    #[cold]
    fn name(&self, step: &KernelStep) -> String {
        let node = step.outputs.first().and_then(|&n| self.nodes.get(n as usize));
        node.map_or_else(|| "evaluation".to_owned(), |node| node.op.name())
    }

    /// Tells who watches of a kernel.
    #[inline(always)]
    fn kernel_span(&self, at: usize, step: &KernelStep) -> Option<Span> {
        trace::span(Work::Kernel, self.backend.device(), || What {
            name: kernel::name::name(&step.kernel).into(),
            line: self.line(at, step.outputs.first()),
            bytes: (step.bytes_read() + step.bytes_written()) as u64,
        })
    }

    /// Tells who watches of a library call.
    #[inline(always)]
    fn library_span(&self, at: usize, step: &LibraryStep, work: Work) -> Option<Span> {
        trace::span(work, self.backend.device(), || {
            let read: usize = self.inputs(&step.inputs).iter().map(|buffer| buffer.bytes()).sum();
            let outputs = step.call.outputs();
            let written: usize = outputs.iter().map(|(len, dtype)| len * dtype.size()).sum();
            What {
                name: step.call.name().into(),
                line: self.line(at, Some(&step.node)),
                bytes: (read + written) as u64,
            }
        })
    }

    /// The line of the program that a step comes from, as far as it is known.
    fn line(&self, at: usize, node: Option<&u32>) -> Option<Line> {
        let walked = node.and_then(|&n| self.nodes.get(n as usize));
        match walked {
            Some(node) => recorded_at(node),
            None => self.lines.get(at).copied().flatten(),
        }
    }

    fn kernel(
        &mut self,
        step: &KernelStep,
        compiled: &Compiled,
        launches: Option<&mut dyn Gathering>,
    ) -> Result<()> {
        let from = self.made.len();
        for (&n, output) in step.outputs.iter().zip(&step.kernel.outputs) {
            if let Some(&(_, leaf)) = step.in_place.iter().find(|p| p.0 == n) {
                self.made.push((Place::Node(n), self.leaf(leaf).0.clone()));
                continue;
            }
            if let Some(preset) = self.presets.iter().find(|preset| preset.node == n) {
                self.made.push((Place::Node(n), preset.buffer.clone()));
                continue;
            }
            self.allocate(Place::Node(n), output.len * output.dtype.size())?;
        }
        self.tally.launches += u64::from(compiled.launches);
        let (inputs, outputs) = (self.inputs(&step.inputs), self.outputs(from));
        let (scalars, starts) = (self.scalars(&step.scalars), self.starts(step));
        let arguments =
            Arguments { inputs: &inputs, outputs: &outputs, starts: &starts, scalars: &scalars };
        match launches {
            Some(launches) => launches.add(&arguments),
            None => self.backend.launch(compiled, &arguments),
        }
    }

    /// A leaf or a window of one, and the byte at which it begins.
    fn leaf(&self, leaf: u32) -> (&Arc<Buffer>, usize) {
        match (leaf as usize).checked_sub(self.leaves.len()) {
            None => (&self.leaves[leaf as usize], 0),
            Some(window) => {
                let window = &self.windows[window];
                (&self.leaves[window.leaf as usize], window.start)
            }
        }
    }

    /// The byte at which each array of a kernel begins, if not all begin with their buffers.
    fn starts(&self, step: &KernelStep) -> SmallVec<[usize; 8]> {
        if self.windows.is_empty() && self.presets.is_empty() {
            return SmallVec::new();
        }
        let preset = |n: &u32| self.presets.iter().find(|preset| preset.node == *n);
        let input = |place: &Place| match place {
            Place::Leaf(leaf) => self.leaf(*leaf).1,
            Place::Node(n) => preset(n).map_or(0, |preset| preset.start),
            Place::Part(..) => 0,
        };
        let output = |n: &u32| match preset(n) {
            Some(preset) => preset.start,
            None => {
                step.in_place.iter().find(|p| p.0 == *n).map_or(0, |&(_, leaf)| self.leaf(leaf).1)
            }
        };
        step.inputs.iter().map(input).chain(step.outputs.iter().map(output)).collect()
    }

    fn library(&mut self, step: &LibraryStep, call: &dyn LibraryCall) -> Result<()> {
        let from = self.made.len();
        if let Some(base) = self.overwritten(step) {
            self.made.push((Place::Node(step.node), base));
            let (inputs, outputs) = (self.inputs(&step.inputs), self.outputs(from));
            return call.run(&inputs, &outputs, &self.scalars(&step.scalars));
        }
        for (k, (len, dtype)) in step.call.outputs().into_iter().enumerate() {
            let place = match k {
                0 => Place::Node(step.node),
                k => Place::Part(step.node, k as u8),
            };
            self.allocate(place, len * dtype.size())?;
        }
        let parts = self.parts(&step.inputs);
        let mut inputs = self.inputs(&step.inputs);
        parts.iter().for_each(|(k, part)| inputs[*k] = part);
        let outputs = self.outputs(from);
        let scalars = self.scalars(&step.scalars);
        let Some(unwanted) = self.unwanted(step) else {
            return call.run(&inputs, &outputs, &scalars);
        };
        call.run_last(&inputs, &outputs, &scalars)?;
        // The values are gone, so nobody may be given them: a leaf is nothing that a step makes.
        // What was made afterwards keeps its position, and the memory goes.
        drop((inputs, outputs));
        self.made[unwanted] = (Place::Leaf(u32::MAX), Arc::new(self.backend.allocate(0)?));
        Ok(())
    }

    /// The memory of a scatter's base, where nobody but this call can see it: the values are put
    /// there in place of a copy. The processor checks all positions before it writes the first
    /// value, and the scatter is the last step, so that a failure leaves every array as it was.
    fn overwritten(&self, step: &LibraryStep) -> Option<Arc<Buffer>> {
        let Library::Sort(Sorting::Scatter(_)) = &*step.call else { return None };
        let (Some(&Place::Leaf(leaf)), Some(Step::Library(last))) =
            (step.inputs.first(), self.prepared.plan.steps.last())
        else {
            return None;
        };
        let node = self.nodes.get(step.node as usize)?;
        let base = match node.state().args.first() {
            Some(Arg::Node(base)) => base.clone(),
            _ => return None,
        };
        let data = self.leaves.get(leaf as usize)?;
        // The scatter's argument and `base` here; the node's data and the walk's leaf.
        let alone = Arc::strong_count(&base) == 2 && Arc::strong_count(data) == 2;
        let alone = alone && !is_watched(&base);
        let is_its_data = base.data().is_some_and(|own| Arc::ptr_eq(&own, data));
        let is_once = !step.inputs[1..].contains(&Place::Leaf(leaf));
        let may_be = alone && data.may_be_written();
        let fits = last.node == step.node && may_be && is_its_data && is_once;
        (fits && node.device == Device::cpu()).then(|| data.clone())
    }

    /// The position of a call's first argument, where nobody reads that afterwards.
    fn unwanted(&self, step: &LibraryStep) -> Option<usize> {
        match step.inputs.first() {
            Some(&Place::Node(n)) if step.last_use => {
                let held = self.nodes.get(n as usize).is_some_and(|node| node.has_handles());
                if held { None } else { self.prepared.position(n, 0) }
            }
            _ => None,
        }
    }

    fn allocate(&mut self, place: Place, bytes: usize) -> Result<()> {
        let is_next = |early: &mut (usize, Arc<Buffer>)| early.0 == self.made.len();
        let buffer = match self.early.pop_if(is_next) {
            Some((_, buffer)) => buffer,
            None => Arc::new(self.backend.allocate(bytes)?),
        };
        self.made.push((place, buffer));
        self.tally.allocated += bytes as u64;
        Ok(())
    }

    /// The arguments of a library call that begin within their arrays, by position.
    fn parts(&self, places: &[Place]) -> SmallVec<[(usize, Buffer); 2]> {
        if self.windows.is_empty() {
            return SmallVec::new();
        }
        let part = |(k, place): (usize, &Place)| match *place {
            Place::Leaf(leaf) => {
                let (whole, start) = self.leaf(leaf);
                (start > 0).then(|| (k, Buffer::part(whole, start)))
            }
            Place::Node(_) | Place::Part(..) => None,
        };
        places.iter().enumerate().filter_map(part).collect()
    }

    fn inputs(&self, places: &[Place]) -> SmallVec<[&Buffer; 8]> {
        let made = |place: Place, n, part| {
            let position = self.prepared.position(n, part).expect("an earlier step made it");
            let made = &self.made[position];
            // What a recorded loop makes has the numbers of what was recorded.
            debug_assert!(made.0 == place || self.prepared.rolled.is_some());
            &*made.1
        };
        let input = |&place: &Place| match place {
            Place::Leaf(leaf) => &**self.leaf(leaf).0,
            Place::Node(n) => made(place, n, 0),
            Place::Part(n, part) => made(place, n, part),
        };
        places.iter().map(input).collect()
    }

    /// What was made from a position on.
    fn outputs(&self, from: usize) -> SmallVec<[&Buffer; 8]> {
        self.made[from..].iter().map(|m| &*m.1).collect()
    }

    fn scalars(&self, sources: &[ScalarSource]) -> SmallVec<[Scalar; 32]> {
        let value = |source: &ScalarSource| match *source {
            ScalarSource::Slot(slot) => self.scalars[slot as usize],
            ScalarSource::Literal(scalar) => scalar,
        };
        sources.iter().map(value).collect()
    }
}
