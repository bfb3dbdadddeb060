//! Plans that are kept with what they were made from, to be run on other data.

use super::plans::with_plans;
use super::run::{Preset, Run, recorded_at};
use super::walk::Walk;
use super::windows::Window;
use super::{EVALUATOR, Evaluator, Prepared, Turn, holder, planned, targets_of};
use crate::backend::trace::{self, Line, What, Work};
use crate::backend::{Buffer, Device};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::graph::{Arg, Node, NodeOp};
use crate::plan::{Place, Step};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::{self, ThreadId};

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

thread_local! {
    static RECORDING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is recording a function to be run again and again.
pub(crate) fn is_recording() -> bool {
    RECORDING.get()
}

/// Runs a function whose expressions are recorded as a whole, however deep they are.
pub(crate) fn while_recording<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            RECORDING.set(self.0);
        }
    }
    let _restore = Restore(RECORDING.replace(true));
    f()
}

/// A function that is recorded on stand-ins for its arguments, watched for who asks for the data
/// of these: what was computed from it on the host cannot be replayed.
pub(crate) struct Watch {
    thread: ThreadId,
    stand_ins: Vec<Arc<Node>>,
    saw_data: AtomicBool,
}

/// What is watched in all threads: a function may hand its arguments to other threads.
static WATCHES: Mutex<Vec<Arc<Watch>>> = Mutex::new(Vec::new());
/// How many there are. An evaluation asks for no more than this where there are none.
static WATCHED: AtomicUsize = AtomicUsize::new(0);

/// Records a function and all that becomes of it, and watches the stand-ins meanwhile.
pub(crate) fn while_watched<R>(stand_ins: &[Arc<Node>], f: impl FnOnce(&Watch) -> R) -> R {
    struct Watching(Arc<Watch>);
    impl Drop for Watching {
        fn drop(&mut self) {
            let mut watches = WATCHES.lock();
            watches.retain(|watch| !Arc::ptr_eq(watch, &self.0));
            WATCHED.store(watches.len(), Relaxed);
        }
    }
    let watch = Arc::new(Watch {
        thread: thread::current().id(),
        stand_ins: stand_ins.to_vec(),
        saw_data: AtomicBool::new(false),
    });
    let watching = Watching(watch.clone());
    {
        let mut watches = WATCHES.lock();
        watches.push(watch);
        WATCHED.store(watches.len(), Relaxed);
    }
    while_recording(|| f(&watching.0))
}

/// Tells the recordings under way that somebody asks for the data of nodes. Every way to data
/// begins here, whether there is some by now and whether what follows fails or not.
#[inline(always)]
pub(crate) fn ask(nodes: &[Arc<Node>]) {
    // Who has a stand-in got it after the number rose, so that the order does not matter.
    if WATCHED.load(Relaxed) > 0 {
        tell(nodes);
    }
}

#[cold]
fn tell(nodes: &[Arc<Node>]) {
    let here = thread::current().id();
    let watches = WATCHES.lock().clone();
    for watch in watches.iter().filter(|watch| !watch.saw_data()) {
        // What the function computes now, it might compute from other values next time, be it
        // with its arguments or not. To read what it captured changes nothing.
        let computes = watch.thread == here && nodes.iter().any(|node| !node.is_evaluated());
        if computes || watch.is_below(nodes) {
            watch.saw_data.store(true, Relaxed);
        }
    }
}

/// Tells the recording under way in this thread that it ran a kernel, which writes whatever it
/// likes.
pub(super) fn tell_of_launch() {
    if let Some(watch) = own() {
        watch.saw_data.store(true, Relaxed);
    }
}

/// Whether the recording under way in this thread will come to nothing, since data was seen.
pub(crate) fn is_in_vain() -> bool {
    own().is_some_and(|watch| watch.saw_data())
}

/// Whether this thread records a compiled function, whose numbers are others at the next call.
pub(super) fn is_compiled() -> bool {
    own().is_some()
}

/// What watches this thread, which records one function at a time.
fn own() -> Option<Arc<Watch>> {
    if !is_recording() {
        return None;
    }
    let here = thread::current().id();
    WATCHES.lock().iter().find(|watch| watch.thread == here).cloned()
}

impl Watch {
    /// Whether somebody asked for the data of the arguments, or the function computed something.
    pub(crate) fn saw_data(&self) -> bool {
        self.saw_data.load(Relaxed)
    }

    /// Whether nodes stand on a stand-in.
    fn is_below(&self, nodes: &[Arc<Node>]) -> bool {
        let stand_ins: FxHashSet<*const Node> = self.stand_ins.iter().map(Arc::as_ptr).collect();
        let mut met: FxHashSet<*const Node> = FxHashSet::default();
        let mut waiting = nodes.to_vec();
        while let Some(node) = waiting.pop() {
            if stand_ins.contains(&Arc::as_ptr(&node)) {
                return true;
            }
            if !met.insert(Arc::as_ptr(&node)) {
                continue;
            }
            waiting.extend(node.state().args.iter().filter_map(|arg| match arg {
                Arg::Node(arg) => Some(arg.clone()),
                Arg::Scalar(_) => None,
            }));
        }
        false
    }
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

/// Which output of a library call a node is, if it is one.
pub(super) fn part(node: &Arc<Node>) -> Option<u8> {
    let mut node = node.clone();
    loop {
        let next = match (&node.op, node.state().args.first()) {
            (NodeOp::Part(k), _) => return Some(*k),
            (NodeOp::Reshape, Some(Arg::Node(next))) => next.clone(),
            _ => return None,
        };
        node = next;
    }
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
