//! Evaluation: the only place that sees both the planner and the backends.
//!
//! An evaluation walks the graph once, in order, under one lock: the walk gives the leaves, the
//! scalars and a key of everything that shapes the plan (operations, shapes, types, which
//! argument is which node; neither the data nor the values of scalars). A plan that was made for
//! the key is run again with the new leaves and scalars; else the graph is planned.

mod recording;
mod run;
mod walk;

pub(crate) use recording::{Recording, is_recording, record, while_recording};

use crate::backend::{Arithmetic, Backend, Buffer, Compiled, Device, LibraryCall, Origin};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node, NodeOp, Walks};
use crate::plan::{self, Graph, KernelStep, Options, Plan, Step};
use parking_lot::Mutex;
use run::Run;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::Cell;
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
    /// Launches made for them.
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
    count(|c| {
        c.kernels += 1;
        c.launches += 1;
    });
}

/// The most values of one kernel, and of a kernel that is only planned in part.
const MAX_VALUES: usize = 2000;
/// What a launch costs, in additions of one array element each.
const LAUNCH_COST: f64 = 1e6;
/// The most plans that are kept.
const MAX_PLANS: usize = 4096;

/// A plan with its kernels ready to launch.
pub(crate) struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// Its steps, ready to run.
    pub ready: Vec<Ready>,
    /// The nodes to be stored, by number in the walk.
    roots: Vec<u32>,
}

/// A step that is ready to run.
pub(crate) enum Ready {
    /// A kernel.
    Kernel(Compiled),
    /// A library call.
    Library(Box<dyn LibraryCall>),
}

/// The nodes that an evaluation is asked for.
type Targets = SmallVec<[Arc<Node>; 4]>;

/// The state shared by all evaluations.
#[derive(Default)]
struct Evaluator {
    /// The plans made so far, each with the turn at which it was last used.
    plans: FxHashMap<(Device, Arithmetic, u128), (Arc<Prepared>, u64)>,
    turn: u64,
    walks: Walks,
}

static EVALUATOR: LazyLock<Mutex<Evaluator>> = LazyLock::new(Mutex::default);

/// Computes the nodes that have no data yet, together, and stores their data. A failed
/// evaluation leaves every node as it was.
pub(crate) fn evaluate(nodes: &[Arc<Node>]) -> Result<()> {
    let mut evaluator = EVALUATOR.lock();
    let mut targets = Targets::new();
    for node in nodes {
        let target = holder(node);
        if !target.is_evaluated() && !targets.iter().any(|t| Arc::ptr_eq(t, &target)) {
            targets.push(target);
        }
    }
    for (k, target) in targets.iter().enumerate() {
        let device = target.device;
        if targets[..k].iter().all(|earlier| earlier.device != device) {
            evaluator.run(device, &targets)?;
        }
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

/// Does something with nodes while no evaluation runs.
pub(crate) fn between_evaluations<R>(f: impl FnOnce(&mut Walks) -> R) -> R {
    f(&mut EVALUATOR.lock().walks)
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

/// The plan of an evaluation of the nodes, compiled but not run; `None` where nothing is to do.
/// The second part is the graph that was planned.
pub(crate) fn prepare(nodes: &[Arc<Node>]) -> Result<Option<(Arc<Prepared>, Graph, Device)>> {
    let mut evaluator = EVALUATOR.lock();
    let targets: Targets =
        nodes.iter().map(holder).filter(|n| !n.is_evaluated() && n.len() > 0).collect();
    let Some(device) = targets.first().map(|t| t.device) else { return Ok(None) };
    let mut walk = Walk::new(&mut evaluator.walks);
    walk.walk(targets.iter().filter(|target| target.device == device), true);
    let prepared = evaluator.prepare(device, &walk)?;
    Ok(Some((prepared, walk.graph(), device)))
}

impl Evaluator {
    /// Evaluates those of some nodes that are on a device.
    fn run(&mut self, device: Device, targets: &[Arc<Node>]) -> Result<()> {
        let backend = device.backend();
        let here = || targets.iter().filter(|target| target.device == device);
        here().try_for_each(|target| fits(device, target))?;
        if here().any(|target| target.len() > 0) {
            let mut walk = Walk::new(&mut self.walks);
            walk.walk(here().filter(|target| target.len() > 0), true);
            let mut stored =
                self.prepare(device, &walk).and_then(|plan| launch(backend, &walk, &plan));
            if walk.kept > 0 && stored.as_ref().is_err_and(Error::is_out_of_memory) {
                // There is no room for what nobody asked for.
                walk = Walk::new(&mut self.walks);
                walk.walk(here().filter(|target| target.len() > 0), false);
                stored = self.prepare(device, &walk).and_then(|plan| launch(backend, &walk, &plan));
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

    /// Finds or makes the plan of a walk.
    fn prepare(&mut self, device: Device, walk: &Walk) -> Result<Arc<Prepared>> {
        let key = (device, Arithmetic::current(), walk.key());
        self.turn += 1;
        if let Some((prepared, used)) = self.plans.get_mut(&key) {
            *used = self.turn;
            return Ok(prepared.clone());
        }
        count(|c| c.plans += 1);
        let prepared = Arc::new(build(device.backend(), &walk.graph())?);
        if self.plans.len() >= MAX_PLANS {
            self.forget_old_plans();
        }
        self.plans.insert(key, (prepared.clone(), self.turn));
        Ok(prepared)
    }

    /// Drops the half of the plans that was used longest ago: what a program runs again and
    /// again stays.
    fn forget_old_plans(&mut self) {
        let mut turns: Vec<u64> = self.plans.values().map(|plan| plan.1).collect();
        let middle = turns.len() / 2;
        let (_, &mut middle, _) = turns.select_nth_unstable(middle);
        self.plans.retain(|_, plan| plan.1 >= middle);
    }
}

/// Runs a plan on what was walked, and gives what is to be stored.
fn launch(backend: &dyn Backend, walk: &Walk, prepared: &Prepared) -> Result<Stored> {
    let mut run = Run::new(backend, &walk.leaves, &walk.scalars);
    run.nodes = &walk.nodes;
    run.steps(prepared)?;
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
            "{bytes} bytes were asked for, and {device} has {memory}"
        ))),
        _ => Ok(()),
    }
}

/// Plans a graph and compiles its kernels.
fn build(backend: &dyn Backend, graph: &Graph) -> Result<Prepared> {
    let mut options = Options {
        row_capacity: backend.row_capacity(),
        max_values: MAX_VALUES,
        launch_cost: LAUNCH_COST,
        epilogues: backend.epilogues(),
    };
    loop {
        let plan = plan::plan(graph, options);
        let kernels: Result<Vec<Compiled>> =
            plan.kernels().map(|step| compile(backend, step)).collect();
        match kernels {
            Ok(kernels) => {
                match ready(backend, &plan, kernels) {
                    Ok(ready) => return Ok(Prepared { plan, ready, roots: graph.roots.clone() }),
                    // What the library cannot do besides multiplying is a kernel.
                    Err(e) if e.is_unsupported() && options.epilogues => options.epilogues = false,
                    Err(e) => return Err(e),
                }
            }
            // What does not fit on the chip, or into one kernel's arguments, is planned smaller.
            Err(e) if e.is_unsupported() && options.row_capacity > 0 => options.row_capacity = 0,
            Err(e) if e.is_unsupported() && options.max_values > 8 => options.max_values /= 4,
            Err(e) => return Err(e),
        }
    }
}

/// The steps of a plan with their compiled kernels; library calls are prepared here.
fn ready(backend: &dyn Backend, plan: &Plan, kernels: Vec<Compiled>) -> Result<Vec<Ready>> {
    let mut kernels = kernels.into_iter();
    let ready = |step: &Step| match step {
        Step::Kernel(_) => Ok(Ready::Kernel(kernels.next().expect("every kernel was compiled"))),
        Step::Library(step) => backend.library(&step.call).map(Ready::Library),
    };
    plan.steps.iter().map(ready).collect()
}

fn compile(backend: &dyn Backend, step: &KernelStep) -> Result<Compiled> {
    let compiled = backend.compile(&step.kernel, Arithmetic::current())?;
    count(|c| c.compiled += u64::from(compiled.origin == Origin::Compiled));
    Ok(compiled)
}
