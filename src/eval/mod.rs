//! Evaluation: the only place that sees both the planner and the backends, but for `explain/`.
//!
//! An evaluation walks the graph once, in order: the walk gives the leaves, the scalars and a key
//! of everything that shapes the plan (operations, shapes, types, which argument is which node;
//! neither the data nor the values of scalars). A plan that was made for the key is run again with
//! the new leaves and scalars. Where there is none, the graph is copied, planned and compiled, its
//! kernels side by side, and the evaluation begins anew.
//!
//! - Evaluations run one at a time, under one lock ([`Evaluator`]). Plans are made without it
//!   (`plans.rs`): threads evaluate while others compile, and a thread that needs a plan which
//!   another one makes waits for that.
//! - A thread has one turn at a time ([`Turn`]). What asks for an evaluation inside of one gets an
//!   error, and so does a process that was forked after the devices were opened
//!   (`backend/fork.rs`), whose threads and locks stayed behind.
//! - A failed evaluation leaves every array as it was: nodes get their data after everything has
//!   run, and a kernel that overwrites an array runs last.

mod ahead;
mod at_once;
mod body;
mod copies;
mod culprit;
mod kept;
mod lessons;
mod loops;
mod parts;
mod periods;
mod plans;
mod prepared;
mod ready;
mod recording;
mod replay;
mod rounds;
mod run;
pub(crate) mod shards;
#[cfg(test)]
mod tests;
mod turns;
mod walk;
mod windows;

pub(crate) use at_once::{
    number_in, read_element, read_number, reduced, remember as remember_view, sum_of_products,
    write_number,
};
pub(crate) use body::End;
pub(crate) use loops::{Function, Recorded, in_body, padding, record_body, tell_of_draw};
#[cfg(all(test, feature = "cuda"))]
pub(crate) use prepared::{MAX_VALUES, turn_of};
pub(crate) use ready::{Prepared, Ready};
pub(crate) use recording::{ask, is_in_vain, is_recording, while_recording, while_watched};
pub(crate) use replay::{Recording, record};

use crate::backend::trace::{self, Line, Span, What, Work};
use crate::backend::{Arithmetic, Backend, Buffer, Device, Hold, fork, pool};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node, NodeOp, Walks};
use crate::plan::{self, Graph};
use lessons::Lessons;
use parking_lot::Mutex;
use plans::{Attempt, Plans, Stop, with_plans};
use run::Run;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cell::Cell;
use std::panic::Location;
use std::sync::{Arc, LazyLock};
use walk::{Stored, Walk};

/// What evaluations in this thread have done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Evaluations that ran something.
    pub evaluations: u64,
    /// Kernels run.
    pub kernels: u64,
    /// Launches made for them; those that a CUDA graph makes in one go count singly.
    pub launches: u64,
    /// Library calls run.
    pub library_calls: u64,
    /// Graphs planned, rather than found in the cache of plans.
    pub plans: u64,
    /// Kernels that the compiler made.
    pub compiled: u64,
    /// Bytes allocated for results and temporaries.
    pub allocated: u64,
}

thread_local! {
    static COUNTERS: Cell<Counters> = const { Cell::new(Counters {
        evaluations: 0, kernels: 0, launches: 0, library_calls: 0, plans: 0, compiled: 0, allocated: 0,
    }) };
}

/// What evaluations in this thread have done so far; take the difference of two readings to see
/// what a piece of code did.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let x = DeviceArray::<f64>::linspace(0.0, 1.0, 100);
/// let before = lazuli::counters();
/// let y = (x.sin() * 2.0 + 1.0).sum(..);
/// y.item()?;
/// assert_eq!(lazuli::counters().kernels - before.kernels, 1);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn counters() -> Counters {
    COUNTERS.get()
}

fn count(f: impl FnOnce(&mut Counters)) {
    let mut counters = COUNTERS.get();
    f(&mut counters);
    COUNTERS.set(counters);
}

/// Counts a launch that no evaluation made: that of a user's own kernel.
pub(crate) fn count_launch() {
    recording::tell_of_launch();
    count(|c| {
        c.kernels += 1;
        c.launches += 1;
    });
}

/// The nodes that an evaluation is asked for.
type Targets = SmallVec<[Arc<Node>; 4]>;

/// The state shared by all evaluations.
#[derive(Default)]
struct Evaluator {
    plans: Plans,
    walks: Walks,
    lessons: Lessons,
    workspace: at_once::Workspace,
}

static EVALUATOR: LazyLock<Mutex<Evaluator>> = LazyLock::new(Mutex::default);

thread_local! {
    static EVALUATES: Cell<bool> = const { Cell::new(false) };
}

/// A thread's turn to evaluate, or to wait for it: it has one at a time. What an evaluation lets go
/// of that other libraries own goes with it, behind the lock.
struct Turn {
    _hold: Hold,
}

impl Turn {
    /// Begins a turn.
    ///
    /// # Errors
    /// Inside of an evaluation, which whoever evaluates there would wait for in vain, and in a
    /// process that was forked.
    fn begin() -> Result<Turn> {
        fork::check()?;
        if pool::is_worker() || EVALUATES.replace(true) {
            return Err(Error::unsupported(
                "a function that runs in an evaluation asks for another one",
            ));
        }
        Ok(Turn { _hold: Hold::new() })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        EVALUATES.set(false);
    }
}

/// Computes the nodes that have no data yet, together, and stores their data. A failed
/// evaluation leaves every node as it was. Whoever wants data asks for it here, even if it is
/// there.
#[track_caller]
pub(crate) fn evaluate(nodes: &[Arc<Node>]) -> Result<()> {
    ask(nodes);
    // The processor's data is there in a copy of the process, too.
    let is_here = |node: &Arc<Node>| node.is_evaluated() && node.device == Device::cpu();
    if fork::is_copy() && nodes.iter().all(is_here) {
        return Ok(());
    }
    if nodes.iter().any(|node| node.device.is_placed()) {
        return shards::evaluate(nodes);
    }
    evaluate_keeping(nodes, false, Pending::Together)
}

/// How the assignments below what is asked for are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pending {
    /// With it, unless they turn out to grow.
    Together,
    /// One by one before it.
    Singly,
}

/// What looks at nodes before they are evaluated, and may evaluate what they stand on.
pub(crate) type Inspector = fn(&[Arc<Node>]) -> Result<()>;

thread_local! {
    static INSPECTOR: Cell<Option<Inspector>> = const { Cell::new(None) };
}

/// Runs a function whose evaluations, in this thread, are inspected.
pub(crate) fn while_inspected<R>(by: Option<Inspector>, f: impl FnOnce() -> R) -> R {
    struct Restore(Option<Inspector>);
    impl Drop for Restore {
        fn drop(&mut self) {
            INSPECTOR.set(self.0);
        }
    }
    let _restore = Restore(INSPECTOR.replace(by));
    f()
}

/// Whether this thread's evaluations are inspected.
pub(crate) fn is_inspected() -> bool {
    INSPECTOR.get().is_some()
}

/// [`evaluate`] for the blocks of arrays that lie over several devices: an error says that the places
/// that it names are theirs.
#[track_caller]
fn evaluate_blocks(nodes: &[Arc<Node>]) -> Result<()> {
    evaluate_named(nodes, false, Pending::Together, " of its device's block")
}

#[track_caller]
fn evaluate_keeping(nodes: &[Arc<Node>], keep_shared: bool, pending: Pending) -> Result<()> {
    evaluate_named(nodes, keep_shared, pending, "")
}

#[track_caller]
fn evaluate_named(
    nodes: &[Arc<Node>],
    keep_shared: bool,
    pending: Pending,
    of: &str,
) -> Result<()> {
    if let Some(inspect) = INSPECTOR.get() {
        inspect(nodes)?;
    }
    let _span = if trace::is_on() { span_of(nodes, Location::caller()) } else { None };
    let mut singly = pending == Pending::Singly;
    with_plans(|evaluator| evaluator.evaluate(nodes, keep_shared, &mut singly))
        .map_err(|e| culprit::named(e, nodes, of))
}

/// Tells who watches of an evaluation that computes something.
#[cold]
fn span_of(nodes: &[Arc<Node>], asked_at: Line) -> Option<Span> {
    let node = nodes.iter().find(|node| !node.is_evaluated())?;
    trace::span(Work::Evaluate, node.device, || What {
        line: Some(asked_at).filter(|line| trace::is_outside(line)),
        ..What::named("evaluation")
    })
}

/// [`evaluate`] for an array between two assignments of many: what other expressions wait for is
/// stored as well where it is small, since these evaluations follow the loop step by step and
/// would compute it again in each. Where the assignments below are many, they are evaluated singly,
/// too: together they would be kernels that nothing runs again.
#[track_caller]
pub(crate) fn evaluate_between_assignments(node: &Arc<Node>, pending: Pending) -> Result<()> {
    if node.device.is_placed() {
        return shards::evaluate(std::slice::from_ref(node));
    }
    if pending == Pending::Together && at_once::evaluate(node) {
        return Ok(());
    }
    let mut nodes = at_once::views_to_store(node);
    nodes.insert(0, node.clone());
    evaluate_keeping(&nodes, true, pending)
}

/// Does something with nodes while no evaluation runs; `None` where this thread is part of one, or
/// in a process that was forked.
pub(crate) fn between_evaluations<R>(f: impl FnOnce(&mut Walks) -> R) -> Option<R> {
    let _turn = Turn::begin().ok()?;
    Some(f(&mut EVALUATOR.lock().walks))
}

/// The node whose evaluation gives a node its data: reshapes and the outputs of library calls
/// share what another node holds.
pub(crate) fn holder(node: &Arc<Node>) -> Arc<Node> {
    let mut node = node.clone();
    while matches!(node.op, NodeOp::Reshape | NodeOp::Part(_)) && !node.is_evaluated() {
        let next = match node.state().args.first() {
            Some(Arg::Node(next)) => next.clone(),
            _ => break,
        };
        node = next;
    }
    node
}

/// The data that a node shares with its holder, once that is evaluated.
pub(crate) fn held(node: &Arc<Node>) -> Option<Arc<Buffer>> {
    let mut node = node.clone();
    loop {
        if let Some(data) = node.data() {
            return Some(data);
        }
        let under = match (&node.op, node.state().args.first()) {
            (NodeOp::Reshape | NodeOp::Part(_), Some(Arg::Node(under))) => under.clone(),
            _ => return None,
        };
        match node.op {
            NodeOp::Part(part) => return under.output(part),
            _ => node = under,
        }
    }
}

/// What has to be evaluated for nodes to have their data, each once.
fn targets_of(nodes: &[Arc<Node>]) -> Targets {
    /// More nodes than this are not compared with each other one by one.
    const FEW: usize = 16;
    let mut targets = Targets::new();
    let mut met: FxHashSet<*const Node> = FxHashSet::default();
    for target in nodes.iter().map(holder).filter(|target| !target.is_evaluated()) {
        let new = match nodes.len() <= FEW {
            true => !targets.iter().any(|t| Arc::ptr_eq(t, &target)),
            false => met.insert(Arc::as_ptr(&target)),
        };
        if new {
            targets.push(target);
        }
    }
    targets
}

/// What an evaluation meets besides what was asked for, by number in the graph.
pub(crate) struct Unasked {
    /// What is stored all the same.
    pub kept: Vec<u32>,
    /// What the program holds and is computed without being stored.
    pub again: Vec<u32>,
}

/// What an evaluation would run, the graph that was planned, and what is stored besides.
type Preparation = (Arc<Prepared>, Graph, Unasked, Device);

/// The plan of an evaluation of the nodes, compiled but not run; `None` where nothing is to do.
pub(crate) fn prepare(nodes: &[Arc<Node>]) -> Result<Option<Preparation>> {
    with_plans(|evaluator| {
        let targets: Targets =
            targets_of(nodes).into_iter().filter(|target| target.len() > 0).collect();
        let Some(device) = targets.first().map(|t| t.device) else { return Ok(None) };
        let Evaluator { plans, walks, lessons, .. } = evaluator;
        let mut walk = Walk::new(walks);
        let prepared = planned(plans, walks, device, &mut walk, |walk| {
            walk.as_a_whole = true;
            walk.walk(targets.iter().filter(|target| target.device == device), Some(lessons));
        })?;
        let unasked = walk.unasked(&prepared);
        let mut graph = walk.graph();
        if let Some(known) = &prepared.rolled
            && let Some(values) = walk.values()
            && let Some(rolled) = periods::rolled(&graph, known.order, &values)
        {
            graph = rolled.graph;
        }
        let one_order = Arithmetic::current() == Arithmetic::Strict;
        Ok(Some((prepared, plan::as_planned(graph, one_order), unasked, device)))
    })
}

/// The plan of a walk that has met nothing and begins here.
fn planned<'a>(
    plans: &mut Plans,
    walks: &mut Walks,
    device: Device,
    walk: &mut Walk<'a>,
    begin: impl Fn(&mut Walk<'a>),
) -> Attempt<Arc<Prepared>> {
    begin(walk);
    let prepared = plans.find(device, walk)?;
    if !prepared.plan.needs_whole_arrays {
        return Ok(prepared);
    }
    *walk = Walk::new(walks);
    walk.with_windows = false;
    begin(walk);
    plans.find(device, walk)
}

impl Evaluator {
    /// Evaluates nodes, unless a plan is missing; `singly` the assignments below them first, one
    /// by one. That is found out here.
    fn evaluate(
        &mut self,
        nodes: &[Arc<Node>],
        keep_shared: bool,
        singly: &mut bool,
    ) -> Attempt<()> {
        let targets = targets_of(nodes);
        match &targets[..] {
            [target] if !keep_shared && !*singly && self.again(target) => {}
            targets => self.run_all(targets, keep_shared, singly)?,
        }
        for node in nodes {
            // A reshape of data is the same data, and so is an output of a library call.
            if !node.is_evaluated()
                && let Some(data) = held(node)
            {
                node.set_data(data);
            }
        }
        Ok(())
    }

    /// Evaluates nodes by plans, those of each device together.
    fn run_all(
        &mut self,
        targets: &[Arc<Node>],
        keep_shared: bool,
        singly: &mut bool,
    ) -> Attempt<()> {
        for (k, target) in targets.iter().enumerate() {
            let device = target.device;
            if targets[..k].iter().any(|earlier| earlier.device == device) {
                continue;
            }
            if !*singly {
                match self.run(device, targets, keep_shared, false) {
                    Err(Stop::Varying) => *singly = true,
                    done => {
                        done?;
                        continue;
                    }
                }
            }
            self.assign_singly(device, targets)?;
            self.run(device, targets, keep_shared, true)?;
        }
        Ok(())
    }

    /// Evaluates the assignments below some nodes one by one. What else waits for their values is
    /// stored with them where it is small.
    fn assign_singly(&mut self, device: Device, targets: &[Arc<Node>]) -> Attempt<()> {
        let here = || targets.iter().filter(|target| target.device == device);
        let assignments = Walk::new(&mut self.walks).assignments_below(here());
        // Each goes before the next begins, which may then write where it was written.
        for assignment in assignments {
            copies::give_a_copy(&assignment)?;
            if at_once::evaluate_with(self, &assignment) {
                continue;
            }
            self.run(device, std::slice::from_ref(&assignment), true, true)?;
        }
        here().try_for_each(copies::give_a_copy)?;
        Ok(())
    }

    /// Evaluates those of some nodes that are on a device; without `as_a_whole` it may be that the
    /// assignments below are to be evaluated first.
    fn run(
        &mut self,
        device: Device,
        targets: &[Arc<Node>],
        keep_shared: bool,
        as_a_whole: bool,
    ) -> Attempt<()> {
        let backend = device.backend();
        let here = || targets.iter().filter(|target| target.device == device);
        here().try_for_each(|target| fits(device, target))?;
        if here().any(|target| target.len() > 0) {
            let targets = || here().filter(|target| target.len() > 0);
            let Evaluator { plans, walks, lessons, .. } = self;
            let mut walk = Walk::new(walks);
            let mut prepared = planned(plans, walks, device, &mut walk, |walk| {
                walk.keep_shared = keep_shared;
                walk.as_a_whole = as_a_whole;
                walk.walk(targets(), Some(lessons));
            })?;
            let mut stored = launch(backend, &walk, &prepared);
            if walk.kept > 0 && stored.as_ref().is_err_and(Error::is_out_of_memory) {
                // There is no room for what nobody asked for.
                walk = Walk::new(walks);
                prepared = planned(plans, walks, device, &mut walk, |walk| {
                    walk.as_a_whole = true;
                    walk.walk(targets(), None);
                })?;
                stored = launch(backend, &walk, &prepared);
            }
            if stored.is_ok() && walk.has_news {
                lessons.learn(walk.structure, &walk.lessons);
            }
            // Nodes with data let go of their arguments: from here on nothing is borrowed.
            drop(walk);
            stored?.into_iter().for_each(|(node, data, more)| node.set_outputs(data, more));
        }
        for empty in here().filter(|target| target.len() == 0) {
            empty.set_data(Arc::new(backend.allocate(0)?));
        }
        Ok(())
    }
}

/// Runs a plan on what was walked, and gives what is to be stored.
fn launch(backend: &dyn Backend, walk: &Walk, prepared: &Prepared) -> Result<Stored> {
    let mut run = Run::new(backend, prepared, &walk.leaves, &walk.windows, &walk.scalars);
    run.nodes = &walk.nodes;
    run.steps()?;
    // Nothing has changed until here, so a failure leaves every array as it was.
    Ok(walk.finish(&prepared.roots, run.made))
}

/// Results of so many bytes are compared with the device's memory before anything is planned.
const HUGE_RESULT: usize = 64 << 30;

/// Says so at once where a result alone is larger than the device's memory: no kernel could be
/// made for it.
fn fits(device: Device, target: &Node) -> Result<()> {
    let bytes = target.len().saturating_mul(target.dtype.size());
    if bytes < HUGE_RESULT {
        return Ok(());
    }
    match device.info().memory {
        memory if memory > 0 && bytes as u64 > memory => Err(Error::out_of_memory(format!(
            "{}: {bytes} bytes were asked for, and {device} has {memory}",
            target.op.name()
        ))),
        _ => Ok(()),
    }
}
