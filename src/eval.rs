//! Evaluation: the only place that sees both the planner and the backends.
//!
//! An evaluation walks the graph once, in order, under one lock: the walk gives the leaves, the
//! scalars and a key of everything that shapes the plan (operations, shapes, types, which
//! argument is which node; neither the data nor the values of scalars). A plan that was made for
//! the key is run again with the new leaves and scalars; else the graph is planned.

use crate::backend::{Backend, Buffer, Compiled, Device, LibraryCall, Origin};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::graph::{Arg, Node, NodeOp, activation};
use crate::plan::{
    self, Graph, GraphArg, GraphNode, KernelStep, LibraryStep, Options, Place, Plan, ScalarSource,
    Step,
};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock};

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

/// The state shared by all evaluations.
#[derive(Default)]
struct Evaluator {
    /// The plans made so far, each with the turn at which it was last used.
    plans: FxHashMap<(Device, u128), (Arc<Prepared>, u64)>,
    turn: u64,
    walk: Walk,
}

static EVALUATOR: LazyLock<Mutex<Evaluator>> = LazyLock::new(Mutex::default);

/// Computes the nodes that have no data yet, together, and stores their data. A failed
/// evaluation leaves every node as it was.
pub(crate) fn evaluate(nodes: &[Arc<Node>]) -> Result<()> {
    let mut evaluator = EVALUATOR.lock();
    let mut targets: SmallVec<[Arc<Node>; 4]> = SmallVec::new();
    for node in nodes {
        let target = holder(node);
        if !target.is_evaluated() && !targets.iter().any(|t| Arc::ptr_eq(t, &target)) {
            targets.push(target);
        }
    }
    while let Some(first) = targets.first() {
        let device = first.device;
        let here: SmallVec<[Arc<Node>; 4]> =
            targets.iter().filter(|t| t.device == device).cloned().collect();
        targets.retain(|t| t.device != device);
        evaluator.run(device, &here)?;
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
    let targets: SmallVec<[Arc<Node>; 4]> =
        nodes.iter().map(holder).filter(|n| !n.is_evaluated() && n.len() > 0).collect();
    let Some(device) = targets.first().map(|t| t.device) else { return Ok(None) };
    let targets: Vec<Arc<Node>> = targets.into_iter().filter(|t| t.device == device).collect();
    let prepared = evaluator.prepare(device, &targets);
    let graph = evaluator.walk.graph();
    evaluator.walk.clear();
    Ok(Some((prepared?, graph, device)))
}

/// A plan with what it was made from, to be run on other data.
pub(crate) struct Recording {
    prepared: Arc<Prepared>,
    /// The nodes that held the data, in the order in which a run takes data.
    pub leaves: Vec<Arc<Node>>,
    /// The nodes that had the scalars, and the scalars.
    pub scalars: Vec<(Arc<Node>, Scalar)>,
    /// For each result, what makes it; none where it had its data.
    pub places: Vec<Option<Place>>,
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

/// Plans the evaluation of results, all of one device, without running it; `None` where all of
/// them have their data.
pub(crate) fn record(results: &[Arc<Node>]) -> Result<Option<Recording>> {
    let mut targets: Vec<Arc<Node>> = Vec::new();
    for target in results.iter().map(holder) {
        let known = targets.iter().any(|t| Arc::ptr_eq(t, &target));
        if !target.is_evaluated() && !known {
            targets.push(target);
        }
    }
    let Some(device) = targets.first().map(|t| t.device) else { return Ok(None) };
    if targets.iter().any(|t| t.len() == 0) {
        return Err(Error::unsupported("compile: a result without elements"));
    }
    let mut evaluator = EVALUATOR.lock();
    let prepared = evaluator.prepare(device, &targets);
    let walk = &evaluator.walk;
    let recording = prepared.map(|prepared| {
        let place = |node: &Arc<Node>| {
            let target = holder(node);
            let n = (!target.is_evaluated()).then(|| walk.place(&target)).flatten()?;
            Some(match part(node) {
                Some(k) if k > 0 => Place::Part(n, k),
                _ => Place::Node(n),
            })
        };
        let leaves = walk.nodes.iter().filter(|node| node.is_evaluated()).cloned().collect();
        let mut scalars = Vec::new();
        for node in walk.nodes.iter().filter(|node| !node.is_evaluated()) {
            for arg in &node.state().args {
                if let Arg::Scalar(value) = arg {
                    scalars.push((node.clone(), *value));
                }
            }
        }
        Recording { prepared, leaves, scalars, places: results.iter().map(place).collect() }
    });
    evaluator.walk.clear();
    recording.map(Some)
}

/// Which output of a library call a node is, if it is one.
fn part(node: &Arc<Node>) -> Option<u8> {
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
    /// Runs the plan on other data and other scalars, and gives what makes up each result.
    pub(crate) fn run(
        &self,
        device: Device,
        leaves: &[Arc<Buffer>],
        scalars: &[Scalar],
    ) -> Result<Vec<Option<Arc<Buffer>>>> {
        let _one_at_a_time = EVALUATOR.lock();
        let mut run = Run::new(device.backend(), leaves, scalars);
        run.steps(&self.prepared)?;
        let made = |place: Place| run.made.iter().find(|m| m.0 == place).map(|m| m.1.clone());
        Ok(self.places.iter().map(|place| place.and_then(made)).collect())
    }
}

impl Evaluator {
    fn run(&mut self, device: Device, targets: &[Arc<Node>]) -> Result<()> {
        let backend = device.backend();
        targets.iter().try_for_each(|target| fits(device, target))?;
        let full: SmallVec<[Arc<Node>; 4]> =
            targets.iter().filter(|t| t.len() > 0).cloned().collect();
        if !full.is_empty() {
            let ran =
                self.prepare(device, &full).and_then(|prepared| self.launch(backend, &prepared));
            // The walk lets go of the nodes in any case.
            self.walk.clear();
            ran?;
        }
        for empty in targets.iter().filter(|t| t.len() == 0) {
            empty.set_data(Arc::new(backend.allocate(0)?));
        }
        Ok(())
    }

    /// Walks the graph and finds or makes its plan.
    fn prepare(&mut self, device: Device, targets: &[Arc<Node>]) -> Result<Arc<Prepared>> {
        self.walk.walk(targets);
        let key = (device, self.walk.key());
        self.turn += 1;
        if let Some((prepared, used)) = self.plans.get_mut(&key) {
            *used = self.turn;
            return Ok(prepared.clone());
        }
        count(|c| c.plans += 1);
        let prepared = Arc::new(build(device.backend(), &self.walk.graph())?);
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

    fn launch(&mut self, backend: &dyn Backend, prepared: &Prepared) -> Result<()> {
        let walk = &self.walk;
        let mut run = Run::new(backend, &walk.leaves, &walk.scalars);
        run.nodes = &walk.nodes;
        run.steps(prepared)?;
        let made = run.made;
        // Nothing has changed until here, so a failure leaves every array as it was.
        walk.finish(&prepared.roots, &made);
        Ok(())
    }
}

/// One run of a plan.
struct Run<'a> {
    backend: &'a dyn Backend,
    leaves: &'a [Arc<Buffer>],
    scalars: &'a [Scalar],
    /// The nodes that were walked; none where a recording runs.
    nodes: &'a [Arc<Node>],
    /// What the steps have made so far.
    made: SmallVec<[(Place, Arc<Buffer>); 8]>,
    launches: u64,
    allocated: u64,
}

impl<'a> Run<'a> {
    fn new(backend: &'a dyn Backend, leaves: &'a [Arc<Buffer>], scalars: &'a [Scalar]) -> Self {
        let (nodes, made) = (&[][..], SmallVec::new());
        Run { backend, leaves, scalars, nodes, made, launches: 0, allocated: 0 }
    }

    /// Runs all steps of a plan, and counts them.
    fn steps(&mut self, prepared: &Prepared) -> Result<()> {
        let (mut kernels, mut library_calls) = (0, 0);
        for (step, ready) in prepared.plan.steps.iter().zip(&prepared.ready) {
            match (step, ready) {
                (Step::Kernel(step), Ready::Kernel(compiled)) => {
                    self.kernel(step, compiled)?;
                    kernels += 1;
                }
                (Step::Library(step), Ready::Library(call)) => {
                    self.library(step, &**call)?;
                    library_calls += 1;
                }
                _ => unreachable!("each step was made ready as what it is"),
            }
        }
        count(|c| {
            c.evaluations += 1;
            c.kernels += kernels;
            c.library_calls += library_calls;
            c.launches += self.launches;
            c.allocated += self.allocated;
        });
        Ok(())
    }

    fn kernel(&mut self, step: &KernelStep, compiled: &Compiled) -> Result<()> {
        let from = self.made.len();
        for (&n, output) in step.outputs.iter().zip(&step.kernel.outputs) {
            if let Some(&(_, leaf)) = step.in_place.iter().find(|p| p.0 == n) {
                self.made.push((Place::Node(n), self.leaves[leaf as usize].clone()));
                continue;
            }
            self.allocate(Place::Node(n), output.len * output.dtype.size())?;
        }
        self.launches += u64::from(compiled.launches);
        let (inputs, outputs) = (self.inputs(&step.inputs), self.outputs(from));
        let scalars = self.scalars(&step.scalars);
        self.backend.launch(compiled, &inputs, &outputs, &scalars)
    }

    fn library(&mut self, step: &LibraryStep, call: &dyn LibraryCall) -> Result<()> {
        let from = self.made.len();
        for (k, (len, dtype)) in step.call.outputs().into_iter().enumerate() {
            let place = match k {
                0 => Place::Node(step.node),
                k => Place::Part(step.node, k as u8),
            };
            self.allocate(place, len * dtype.size())?;
        }
        let (inputs, outputs) = (self.inputs(&step.inputs), self.outputs(from));
        let scalars = self.scalars(&step.scalars);
        let Some(unwanted) = self.unwanted(step) else {
            return call.run(&inputs, &outputs, &scalars);
        };
        call.run_last(&inputs, &outputs, &scalars)?;
        // The values are gone, so nobody may be given them.
        drop((inputs, outputs));
        self.made.retain(|m| m.0 != unwanted);
        Ok(())
    }

    /// The first argument of a call, where nobody reads it afterwards.
    fn unwanted(&self, step: &LibraryStep) -> Option<Place> {
        match step.inputs.first() {
            Some(&Place::Node(n)) if step.last_use => {
                let held = self.nodes.get(n as usize).is_some_and(|node| node.has_handles());
                (!held).then_some(Place::Node(n))
            }
            _ => None,
        }
    }

    fn allocate(&mut self, place: Place, bytes: usize) -> Result<()> {
        self.made.push((place, Arc::new(self.backend.allocate(bytes)?)));
        self.allocated += bytes as u64;
        Ok(())
    }

    fn inputs(&self, places: &[Place]) -> SmallVec<[&Buffer; 8]> {
        let made = |place: &Place| self.made.iter().find(|m| m.0 == *place);
        let input = |place: &Place| match *place {
            Place::Leaf(leaf) => &*self.leaves[leaf as usize],
            _ => &*made(place).expect("an earlier step made it").1,
        };
        places.iter().map(input).collect()
    }

    /// What was made from a position on.
    fn outputs(&self, from: usize) -> SmallVec<[&Buffer; 8]> {
        self.made[from..].iter().map(|m| &*m.1).collect()
    }

    fn scalars(&self, sources: &[ScalarSource]) -> SmallVec<[Scalar; 16]> {
        let value = |source: &ScalarSource| match *source {
            ScalarSource::Slot(slot) => self.scalars[slot as usize],
            ScalarSource::Literal(scalar) => scalar,
        };
        sources.iter().map(value).collect()
    }
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
    let compiled = backend.compile(&step.kernel)?;
    count(|c| c.compiled += u64::from(compiled.origin == Origin::Compiled));
    Ok(compiled)
}

/// One walk over the unevaluated part of a graph, arguments before their users.
#[derive(Default)]
struct Walk {
    /// The number of this walk, by which nodes tell whether they were met.
    epoch: u32,
    nodes: Vec<Arc<Node>>,
    leaves: Vec<Arc<Buffer>>,
    scalars: Vec<Scalar>,
    roots: Vec<u32>,
    /// Assignments whose base nobody else can see.
    in_place: Vec<u32>,
    waiting: Vec<(Arc<Node>, bool)>,
    /// The arguments of the node that is being opened.
    args: Vec<Arc<Node>>,
    hash: [u64; 2],
}

impl Walk {
    fn clear(&mut self) {
        self.nodes.clear();
        self.leaves.clear();
        self.scalars.clear();
        self.roots.clear();
        self.in_place.clear();
    }

    fn walk(&mut self, targets: &[Arc<Node>]) {
        self.clear();
        self.epoch = self.epoch.wrapping_add(1).max(1);
        self.hash = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];
        for target in targets {
            self.visit(target.clone());
            self.roots.push(self.place(target).expect("a visited node has its place"));
        }
        for k in 0..self.nodes.len() {
            // Recompute once, then keep: a value that a user holds and that would be computed
            // a second time is stored.
            let node = &self.nodes[k];
            let again = node.has_handles() && node.recomputed.load(Relaxed) > 0;
            if again && !node.is_evaluated() && is_worth_keeping(node) && node.len() > 0 {
                let k = k as u32;
                if !self.roots.contains(&k) {
                    self.roots.push(k);
                }
            }
        }
        self.find_in_place();
        for k in 0..self.roots.len() {
            self.mix(u64::from(self.roots[k]));
        }
        for k in 0..self.in_place.len() {
            self.mix(u64::from(self.in_place[k]) | 1 << 40);
        }
    }

    /// Finds the roots that assign to data which nobody else can see: the base is held by the
    /// assignment alone, and its memory by the base alone (each once more by this walk).
    fn find_in_place(&mut self) {
        for &root in &self.roots {
            let node = &self.nodes[root as usize];
            if !matches!(node.op, NodeOp::Assign(_)) {
                continue;
            }
            let state = node.state();
            if let Some(Arg::Node(base)) = state.args.first()
                && Arc::strong_count(base) == 2
                && base.data().is_some_and(|data| Arc::strong_count(&data) == 3)
            {
                self.in_place.push(root);
            }
        }
    }

    /// The number that this walk gave to a node.
    fn place(&self, node: &Node) -> Option<u32> {
        let mark = node.mark.load(Relaxed);
        (mark >> 32 == u64::from(self.epoch)).then_some(mark as u32)
    }

    fn visit(&mut self, target: Arc<Node>) {
        self.waiting.push((target, false));
        while let Some((node, opened)) = self.waiting.pop() {
            if self.place(&node).is_some() {
                continue;
            }
            if opened || node.is_evaluated() {
                self.enter(node);
                continue;
            }
            if share_output(&node) {
                self.enter(node);
                continue;
            }
            // SAFETY: the walk is part of the evaluation that runs.
            for arg in unsafe { node.state_unlocked() }.args.iter().rev() {
                if let Arg::Node(arg) = arg
                    && self.place(arg).is_none()
                {
                    self.args.push(arg.clone());
                }
            }
            self.waiting.push((node, true));
            self.waiting.extend(self.args.drain(..).map(|arg| (arg, false)));
        }
    }

    /// Gives a node its number, once its arguments have theirs.
    fn enter(&mut self, node: Arc<Node>) {
        // SAFETY: the walk is part of the evaluation that runs.
        let state = unsafe { node.state_unlocked() };
        if let Some(data) = &state.data {
            self.leaves.push(data.clone());
            self.mix(1);
            let mut hasher = rustc_hash::FxHasher::default();
            node.shape.hash(&mut hasher);
            node.dtype.hash(&mut hasher);
            self.mix(hasher.finish());
        } else {
            self.mix(node.hash);
            if counts_handles(&node) {
                self.mix(u64::from(node.has_handles()) | 1 << 41);
            }
            if let Some(activation) = activation(&node) {
                self.mix((activation as u64 + 1) << 42);
            }
            for arg in &state.args {
                match arg {
                    Arg::Node(arg) => {
                        let place = self.place(arg).expect("arguments come first");
                        self.mix(u64::from(place) << 8);
                    }
                    Arg::Scalar(scalar) => {
                        self.scalars.push(*scalar);
                        self.mix(scalar.dtype() as u64 + 2);
                    }
                }
            }
        }
        let place = self.nodes.len() as u64;
        node.mark.store(u64::from(self.epoch) << 32 | place, Relaxed);
        self.nodes.push(node);
    }

    fn mix(&mut self, word: u64) {
        let [a, b] = self.hash;
        self.hash[0] = (a.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.hash[1] = (b.rotate_left(23) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ (b >> 29);
    }

    fn key(&self) -> u128 {
        u128::from(self.hash[0]) << 64 | u128::from(self.hash[1])
    }

    /// The planner's graph of what was walked.
    fn graph(&self) -> Graph {
        let mut graph = Graph {
            slots: self.scalars.len() as u32,
            scalar_types: self.scalars.iter().map(Scalar::dtype).collect(),
            roots: self.roots.clone(),
            in_place: self.in_place.clone(),
            ..Graph::default()
        };
        let (mut leaf, mut slot) = (0, 0);
        for node in &self.nodes {
            let activation = activation(node);
            let state = node.state();
            let is_leaf = state.data.is_some();
            let args = state.args.iter().map(|arg| match arg {
                Arg::Node(arg) => {
                    GraphArg::Node(self.place(arg).expect("every argument was walked"))
                }
                Arg::Scalar(_) => {
                    slot += 1;
                    GraphArg::Scalar(slot - 1)
                }
            });
            graph.push(GraphNode {
                op: node.op.clone(),
                args: args.collect(),
                shape: node.shape.clone(),
                dtype: node.dtype,
                leaf: is_leaf.then_some(leaf),
                held: !is_leaf && counts_handles(node) && node.has_handles(),
                activation,
            });
            leaf += u32::from(is_leaf);
        }
        graph
    }

    /// Gives the roots their data, and what had to be stored besides: all that libraries have
    /// computed, and what users hold of the rest. Counts what was computed without being stored.
    fn finish(&self, roots: &[u32], made: &[(Place, Arc<Buffer>)]) {
        for (k, (place, data)) in made.iter().enumerate() {
            let Place::Node(n) = *place else { continue };
            let node = &self.nodes[n as usize];
            if let NodeOp::Library(_) = node.op {
                let more = made[k + 1..].iter();
                let more = more.take_while(|m| matches!(m.0, Place::Part(call, _) if call == n));
                node.set_outputs(data.clone(), more.map(|m| m.1.clone()).collect());
            } else if node.has_handles() || roots.contains(&n) {
                node.set_data(data.clone());
            }
        }
        for node in &self.nodes {
            if node.has_handles() && !node.is_evaluated() {
                node.recomputed.fetch_add(1, Relaxed);
            }
        }
    }
}

/// Whether it matters to the plan that a user holds the node: a library's work is not done a
/// second time for him.
fn counts_handles(node: &Node) -> bool {
    // SAFETY: the walk is part of the evaluation that runs.
    let of = |node: &Node, k: usize| match unsafe { node.state_unlocked() }.args.get(k) {
        Some(Arg::Node(arg)) => matches!(arg.op, NodeOp::Library(_)),
        _ => false,
    };
    match node.op {
        NodeOp::Library(_) => true,
        NodeOp::Map(_) => of(node, 0) || of(node, 1),
        _ => false,
    }
}

/// Gives an output of a library call its data where the call has been evaluated.
fn share_output(node: &Node) -> bool {
    let NodeOp::Part(part) = node.op else { return false };
    // SAFETY: the walk is part of the evaluation that runs.
    let call = match unsafe { node.state_unlocked() }.args.first() {
        Some(Arg::Node(call)) if call.is_evaluated() => call.clone(),
        _ => return false,
    };
    call.output(part).map(|data| node.set_data(data)).is_some()
}

/// Whether storing a node saves computing: views and generated values are as cheap to make again.
fn is_worth_keeping(node: &Node) -> bool {
    matches!(
        node.op,
        NodeOp::Map(_)
            | NodeOp::Call { .. }
            | NodeOp::Random(_)
            | NodeOp::Cast
            | NodeOp::Reduce { .. }
            | NodeOp::Fold { .. }
            | NodeOp::Scan { .. }
            | NodeOp::Concat { .. }
            | NodeOp::Assign(_)
    )
}
