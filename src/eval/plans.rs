//! The plans that were made, and the making of new ones.
//!
//! A loop whose slices grow has a structure of its own in each turn. Where plans that differ in
//! sizes and places alone were made more than [`MOST_VARIANTS`] times for one kind of graph with
//! several assignments, the assignments of the next are evaluated one by one ([`Stop::Varying`]):
//! each is a small plan of its length, and comes again. `tests/it/growing.rs` counts them.
//!
//! A library may refuse a particular case of what it was to do besides multiplying, and a kernel
//! may not fit on the chip or into a launch's argument. The graph is then planned again without
//! what was refused.

use super::ahead::{self, TurnsAhead};
use super::loops::{Body, refuse_stand_ins};
use super::turns::{ReadyTurns, Way, Whole, together};
use super::walk::Walk;
use super::{EVALUATOR, Evaluator, Turn, count};
use crate::backend::trace::{self, What, Work};
use crate::backend::{Arithmetic, Backend, Compiled, Device, LibraryCall, Origin, Series};
use crate::error::{Error, Result};
use crate::kernel::{self, Kernel};
use crate::library::Library;
use crate::library::turns::Turns;
use crate::plan::{self, Graph, Options, Plan, Step};
use parking_lot::Condvar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::panic::resume_unwind;
use std::sync::Arc;

/// The most values of one kernel, and of a kernel that is only planned in part.
pub(crate) const MAX_VALUES: usize = 2000;
/// What a kernel may weigh for a GPU's compiler, see [`crate::kernel::weight`].
const MAX_WEIGHT: u64 = crate::kernel::weight::MOST;
/// What a launch costs, in additions of one array element each.
const LAUNCH_COST: f64 = 1e6;
/// What a launch costs the processor, which adds fewer elements at a time than a GPU and begins
/// sooner: by so much at most a plan exceeds the bound on work there.
const STEP_COST: f64 = 5e4;
/// The most plans that are kept.
const MAX_PLANS: usize = 1 << 14;
/// The most plans for graphs that assign to arrays more than once and differ in sizes and places
/// alone.
const MOST_VARIANTS: u8 = 4;
/// The most values that the kernels of kept plans have, but for the latest: each takes some hundred
/// bytes.
const MAX_KEPT: usize = 1 << 18;

/// Launches are gathered where kernels move fewer bytes than this on average. Larger ones take longer
/// than launches do: an H100 would have nothing to do at first, and gain little later. Twelve kernels
/// of 128 MiB each took 1082 µs from call to result, and 1072 launched one by one.
const MOST_MOVED: usize = 32 << 20;

/// A plan with its kernels ready to launch.
pub(crate) struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// Its steps, ready to run.
    pub ready: Vec<Ready>,
    /// The nodes to be stored, by number in the walk.
    pub(super) roots: Vec<u32>,
    /// For each node by number, the position of its first output among what the steps make.
    positions: Vec<u32>,
    /// Its kernels, where the device may take several launches at once.
    pub(super) series: Option<Box<dyn Series>>,
    /// The positions at which kernels make results, in order, and the bytes of each.
    pub(super) results: Vec<(usize, usize)>,
    /// What it takes of [`MAX_KEPT`].
    size: usize,
}

/// The position of what no step makes.
const NOWHERE: u32 = u32::MAX;

/// A step that is ready to run.
pub(crate) enum Ready {
    /// A kernel.
    Kernel(Compiled),
    /// A library call.
    Library(Box<dyn LibraryCall>),
    /// A loop.
    Turns(Box<ReadyTurns>),
}

impl Prepared {
    fn new(backend: &dyn Backend, plan: Plan, ready: Vec<Ready>, roots: Vec<u32>) -> Prepared {
        let positions = positions(&plan);
        let size = plan.kernels().map(|step| step.kernel.values.len() + step.inputs.len()).sum();
        let series = if are_short(&plan) { backend.series(kernels(&ready)) } else { None };
        let results = if series.is_some() { results(&plan, &roots) } else { Vec::new() };
        Prepared { plan, ready, roots, positions, series, results, size }
    }

    /// Its kernels.
    pub(super) fn compiled(&self) -> Vec<Compiled> {
        kernels(&self.ready)
    }

    /// Where an output of a node stands among what the steps make, one after the other; `None`
    /// where none makes it.
    pub(super) fn position(&self, node: u32, part: u8) -> Option<usize> {
        let first = *self.positions.get(node as usize)?;
        (first != NOWHERE).then_some(first as usize + part as usize)
    }
}

fn kernels(ready: &[Ready]) -> Vec<Compiled> {
    let kernel = |ready: &Ready| match ready {
        Ready::Kernel(compiled) => Some(compiled.clone()),
        Ready::Library(_) | Ready::Turns(_) => None,
    };
    ready.iter().filter_map(kernel).collect()
}

/// Whether the kernels of a plan are over so soon that launches matter.
pub(super) fn are_short(plan: &Plan) -> bool {
    let moved = plan.kernels().map(|step| step.bytes_read().saturating_add(step.bytes_written()));
    moved.fold(0, usize::saturating_add) < plan.kernels().count() * MOST_MOVED
}

/// For each node by number, the position of its first output among what the steps make. It is
/// found once for a plan, since a plan of many steps would be searched again at each run.
fn positions(plan: &Plan) -> Vec<u32> {
    let (mut positions, mut made) = (Vec::new(), 0);
    let mut make = |node: u32, outputs: usize| {
        let node = node as usize;
        if positions.len() <= node {
            positions.resize(node + 1, NOWHERE);
        }
        if positions[node] == NOWHERE {
            positions[node] = made;
        }
        made += outputs as u32;
    };
    for step in &plan.steps {
        match step {
            Step::Kernel(step) => step.outputs.iter().for_each(|&node| make(node, 1)),
            Step::Library(step) => make(step.node, step.call.outputs().len()),
        }
    }
    positions
}

/// The positions at which kernels make what is to be stored, in memory of its own, and the bytes of
/// each.
fn results(plan: &Plan, roots: &[u32]) -> Vec<(usize, usize)> {
    let roots: FxHashSet<u32> = roots.iter().copied().collect();
    let (mut results, mut made) = (Vec::new(), 0);
    for step in &plan.steps {
        let step = match step {
            Step::Kernel(step) => step,
            Step::Library(step) => {
                made += step.call.outputs().len();
                continue;
            }
        };
        for (n, output) in step.outputs.iter().zip(&step.kernel.outputs) {
            if roots.contains(n) && step.in_place.iter().all(|place| place.0 != *n) {
                results.push((made, output.len * output.dtype.size()));
            }
            made += 1;
        }
    }
    results
}

/// What a plan depends on, in short.
type Key = (Device, Arithmetic, u128);

/// The plans made so far.
#[derive(Default)]
pub(super) struct Plans {
    /// Each plan, with the turn at which it was last used.
    made: FxHashMap<Key, (Arc<Prepared>, u64)>,
    /// The sizes of all of them.
    size: usize,
    turn: u64,
    /// What some thread is planning and compiling.
    in_the_making: FxHashSet<Key>,
    /// For each kind of graph that assigns to arrays more than once, how many plans were made that
    /// differ in sizes and places alone.
    variants: FxHashMap<u64, u8>,
}

/// Told whenever a plan was made, or could not be made.
static MADE: Condvar = Condvar::new();

/// Why what was tried under the evaluator's lock came to no end.
pub(super) enum Stop {
    /// It failed.
    Failed(Error),
    /// A plan is missing, which this thread has to make.
    Missing(Box<Missing>),
    /// A plan is missing, which another thread makes.
    InTheMaking(Key),
    /// A plan is missing that would hardly be used again: many of its kind were made before. The
    /// assignments in the graph are evaluated one by one, whose plans come again.
    Varying,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What is tried under the evaluator's lock.
pub(super) type Attempt<T> = std::result::Result<T, Stop>;

/// Does something under the evaluator's lock. Where it finds a plan missing, the plan is made
/// without the lock, so that other threads evaluate meanwhile, and the whole is done anew: what
/// it had seen of the graph may have changed.
pub(super) fn with_plans<R>(mut attempt: impl FnMut(&mut Evaluator) -> Attempt<R>) -> Result<R> {
    let _turn = Turn::begin()?;
    let mut evaluator = EVALUATOR.lock();
    loop {
        match attempt(&mut evaluator) {
            Ok(done) => return Ok(done),
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Varying) => unreachable!("who evaluates goes on one by one"),
            Err(Stop::InTheMaking(key)) => {
                while evaluator.plans.in_the_making.contains(&key) {
                    MADE.wait(&mut evaluator);
                }
            }
            Err(Stop::Missing(missing)) => {
                drop(evaluator);
                missing.make()?;
                evaluator = EVALUATOR.lock();
            }
        }
    }
}

impl Plans {
    /// The plan of a walk.
    pub(super) fn find(&mut self, device: Device, walk: &Walk) -> Attempt<Arc<Prepared>> {
        let key = (device, Arithmetic::current(), walk.key());
        self.turn += 1;
        if let Some((prepared, used)) = self.made.get_mut(&key) {
            *used = self.turn;
            return Ok(prepared.clone());
        }
        if self.in_the_making.contains(&key) {
            return Err(Stop::InTheMaking(key));
        }
        if !walk.as_a_whole && self.is_variant(walk) {
            return Err(Stop::Varying);
        }
        let graph = walk.graph();
        self.in_the_making.insert(key);
        Err(Stop::Missing(Box::new(Missing { key, graph })))
    }

    /// Whether a walk's plan would hardly come again: it assigns to regions of many sizes, or many
    /// plans were made that differ from its own in sizes and places alone. Counts this one.
    fn is_variant(&mut self, walk: &Walk) -> bool {
        let Some(skeleton) = walk.skeleton() else { return false };
        if walk.has_growing_regions() {
            return true;
        }
        if self.variants.len() >= MAX_PLANS {
            self.variants.clear();
        }
        let count = self.variants.entry(skeleton).or_default();
        *count = count.saturating_add(1);
        *count > MOST_VARIANTS
    }

    fn keep(&mut self, key: Key, prepared: Prepared) {
        let is_too_much =
            |plans: &Plans| plans.made.len() >= MAX_PLANS || plans.size + prepared.size > MAX_KEPT;
        while !self.made.is_empty() && is_too_much(self) {
            self.forget_old();
        }
        self.size += prepared.size;
        if let Some((old, _)) = self.made.insert(key, (Arc::new(prepared), self.turn)) {
            self.size -= old.size;
        }
    }

    /// Drops the half of the plans that was used longest ago, at least one: what a program runs
    /// again and again stays.
    fn forget_old(&mut self) {
        let mut turns: Vec<u64> = self.made.values().map(|plan| plan.1).collect();
        let middle = (turns.len() - 1) / 2;
        let (_, &mut middle, _) = turns.select_nth_unstable(middle);
        self.made.retain(|_, plan| plan.1 > middle);
        self.size = self.made.values().map(|plan| plan.0.size).sum();
    }
}

/// A plan to be made by the thread that has this.
pub(super) struct Missing {
    key: Key,
    graph: Graph,
}

impl Missing {
    /// Makes the plan and keeps it.
    fn make(self) -> Result<()> {
        count(|c| c.plans += 1);
        let prepared = build(self.key.0, &self.graph, None)?;
        EVALUATOR.lock().plans.keep(self.key, prepared);
        Ok(())
    }
}

impl Drop for Missing {
    /// Whatever came of it, others need not wait any more; they try themselves.
    fn drop(&mut self) {
        EVALUATOR.lock().plans.in_the_making.remove(&self.key);
        MADE.notify_all();
    }
}

/// What the planner is told of a device.
fn options(device: Device, arithmetic: Arithmetic) -> Options {
    let backend = device.backend();
    Options {
        row_capacity: backend.row_capacity(),
        pieces_from: backend.pieces_from(),
        max_values: MAX_VALUES,
        max_weight: device.is_cuda().then_some(MAX_WEIGHT),
        launch_cost: LAUNCH_COST,
        slack: if device.is_cuda() { LAUNCH_COST } else { STEP_COST },
        epilogues: backend.epilogues(),
        one_order: arithmetic == Arithmetic::Strict,
    }
}

/// Plans a graph and compiles its kernels, so that they can be launched ahead where the graph is the body
/// of a loop for which that may be done.
fn build(device: Device, graph: &Graph, of: Option<&Body>) -> Result<Prepared> {
    refuse_stand_ins(graph)?;
    let backend = device.backend();
    let mut options = options(device, Arithmetic::current());
    loop {
        let plan = {
            let _span = trace::span(Work::Plan, device, || What::named("plan"));
            plan::plan(graph, options)
        };
        let is_ahead = of.is_some_and(|body| ahead::may_be(body, &plan));
        let kernels = compile(backend, &plan, is_ahead);
        match kernels {
            Ok(kernels) => {
                match ready(device, &plan, kernels) {
                    Ok(ready) => {
                        return Ok(Prepared::new(backend, plan, ready, graph.roots.clone()));
                    }
                    // What the library cannot do besides multiplying is a kernel.
                    Err(e) if e.is_unsupported() && options.epilogues => options.epilogues = false,
                    Err(e) => return Err(e),
                }
            }
            // What does not fit on the chip, or into one kernel's arguments, is planned smaller.
            Err(e) if e.is_unsupported() && options.row_capacity > 0 => options.row_capacity = 0,
            Err(e) if e.is_unsupported() && options.max_values > 8 => {
                options.max_values /= 4;
                options.max_weight = options.max_weight.map(|most| most / 4);
            }
            Err(e) => return Err(e),
        }
    }
}

/// The steps of a plan with their compiled kernels; library calls are prepared here.
fn ready(device: Device, plan: &Plan, kernels: Vec<Compiled>) -> Result<Vec<Ready>> {
    let _span = match kernels.len() < plan.steps.len() {
        true => trace::span(Work::Compile, device, || What::named("make library calls ready")),
        false => None,
    };
    let mut kernels = kernels.into_iter();
    let ready = |step: &Step| match step {
        Step::Kernel(_) => Ok(Ready::Kernel(kernels.next().expect("every kernel was compiled"))),
        Step::Library(step) => match &*step.call {
            Library::Turns(call) => turns(device, call).map(|turns| Ready::Turns(Box::new(turns))),
            call => device.backend().library(call).map(Ready::Library),
        },
    };
    plan.steps.iter().map(ready).collect()
}

/// A loop made ready: as a kernel that takes all turns, where a turn is one, or as a plan a turn.
fn turns(device: Device, call: &Turns) -> Result<ReadyTurns> {
    let body = ReadyTurns::body(call);
    let arithmetic = Arithmetic::current();
    let plan = plan::plan(body.graph(), options(device, arithmetic));
    let pairs = body.pairs(&plan);
    if pairs.is_none()
        && let Some(looped) = copied(device, &body, arithmetic)?
    {
        return Ok(looped);
    }
    let many = match (plan.kernels().next(), &pairs) {
        (Some(step), Some(pairs)) => together(&step.kernel, pairs),
        _ => 1,
    };
    let several = if many > 1 { body.several(many) } else { None };
    // Side by side: each takes a GPU's compiler as long.
    let (one, several) = std::thread::scope(|scope| {
        let several = several.as_ref().map(|several| {
            scope.spawn(move || {
                let plan = plan::plan(several.graph(), options(device, arithmetic));
                whole(device, several, plan, (many as u64, arithmetic))
            })
        });
        let one = whole(device, &body, plan, (1, arithmetic));
        let several =
            several.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (one, several.unwrap_or(Ok(None)))
    });
    if let Some(one) = one? {
        let wholes: Vec<Whole> = several?.into_iter().chain([one]).collect();
        let new = |whole: &&Whole| whole.compiled.origin == Origin::Compiled;
        count(|c| c.compiled += wholes.iter().filter(new).count() as u64);
        return Ok(ReadyTurns::new(body, Way::AtOnce(wholes)));
    }
    let turn = build(device, body.graph(), Some(&body))?;
    let ahead = match ahead::may_be(&body, &turn.plan) {
        true => TurnsAhead::new(device.backend(), &turn)?,
        false => None,
    };
    Ok(ReadyTurns::new(body, Way::Singly(turn, ahead)))
}

/// A loop some of whose state becomes another part of it, as that of a wave equation by leaps does, where
/// several turns a launch are worth the copies; else such parts are handed on as they are.
fn copied(device: Device, body: &Body, arithmetic: Arithmetic) -> Result<Option<ReadyTurns>> {
    let Some(body) = body.with_copies() else { return Ok(None) };
    let plan = plan::plan(body.graph(), options(device, arithmetic));
    let Some(pairs) = body.pairs(&plan) else { return Ok(None) };
    let Some(Step::Kernel(step)) = plan.steps.into_iter().next() else { return Ok(None) };
    let backend = device.backend();
    let Some(compiled) = backend.compile_tiles(&step.kernel, &pairs.list, arithmetic)? else {
        return Ok(None);
    };
    count(|c| c.compiled += u64::from(compiled.origin == Origin::Compiled));
    let whole = Whole { step, compiled, pairs, turns: 1 };
    Ok(Some(ReadyTurns::new(Arc::new(body), Way::AtOnce(vec![whole]))))
}

/// The kernel that takes many turns; none where a turn is several kernels or calls, or has to be
/// planned smaller.
fn whole(
    device: Device,
    body: &Body,
    plan: Plan,
    (turns, arithmetic): (u64, Arithmetic),
) -> Result<Option<Whole>> {
    let Some(pairs) = body.pairs(&plan) else { return Ok(None) };
    let Some(Step::Kernel(step)) = plan.steps.into_iter().next() else { return Ok(None) };
    match device.backend().compile_turns(&step.kernel, &pairs.list, arithmetic) {
        Ok(compiled) => Ok(Some(Whole { step, compiled, pairs, turns })),
        Err(error) if error.is_unsupported() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The kernel of a loop's turn as a GPU's planner makes it, and what it hands on to the next turn: of the
/// first loop among what an evaluation would run.
#[cfg(all(test, feature = "cuda"))]
pub(crate) fn turn_of(prepared: &Prepared) -> Option<(Kernel, Vec<(u32, u32)>)> {
    let body = prepared.plan.steps.iter().find_map(|step| match step {
        Step::Library(step) => match &*step.call {
            Library::Turns(call) => Some(ReadyTurns::body(call)),
            _ => None,
        },
        Step::Kernel(_) => None,
    })?;
    let options = Options {
        row_capacity: 48 << 10,
        pieces_from: None,
        max_weight: Some(MAX_WEIGHT),
        slack: LAUNCH_COST,
        ..options(Device::cpu(), Arithmetic::Exact)
    };
    let mut plan = plan::plan(body.graph(), options);
    let pairs = match (body.pairs(&plan), body.with_copies()) {
        (None, Some(body)) => {
            plan = plan::plan(body.graph(), options);
            body.pairs(&plan)?.list
        }
        (pairs, _) => pairs?.list,
    };
    Some((plan.kernels().next()?.kernel.clone(), pairs))
}

fn compile(backend: &dyn Backend, plan: &Plan, is_ahead: bool) -> Result<Vec<Compiled>> {
    let kernels: Vec<&Kernel> = plan.kernels().map(|step| &step.kernel).collect();
    let _span = trace::span(Work::Compile, backend.device(), || What {
        name: match kernels.as_slice() {
            [kernel] => format!("compile {}", kernel::name::name(kernel)).into(),
            kernels => format!("compile {} kernels", kernels.len()).into(),
        },
        line: None,
        bytes: 0,
    });
    let compiled = match is_ahead {
        true => backend.compile_ahead(&kernels, Arithmetic::current())?,
        false => backend.compile_all(&kernels, Arithmetic::current())?,
    };
    let new = compiled.iter().filter(|kernel| kernel.origin == Origin::Compiled).count();
    count(|c| c.compiled += new as u64);
    Ok(compiled)
}
