//! The making of plans: from a graph to kernels that are compiled, and library calls and loops that are
//! ready.
//!
//! A library may refuse a particular case of what it was to do besides multiplying, and a kernel
//! may not fit on the chip or into a launch's argument. The graph is then planned again without
//! what was refused.

use super::ahead;
use super::body::Body;
use super::count;
use super::loops::refuse_stand_ins;
use super::periods::{self, Rolled, Values};
use super::ready::{Prepared, Ready, ReadyTurns, TurnsAhead, Way, Whole};
use super::turns::together;
use crate::backend::trace::{self, What, Work};
use crate::backend::{Arithmetic, Backend, Compiled, Device, Origin};
use crate::error::Result;
use crate::kernel::{self, Kernel};
use crate::library::Library;
use crate::library::turns::Turns;
use crate::plan::period::Order;
use crate::plan::{self, Graph, LibraryStep, Options, Plan, Step};
use std::cell::LazyCell;
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

/// Makes the plan of a graph; with the values of its scalars a recorded loop may be one.
pub(super) fn prepared(device: Device, graph: &Graph, values: Option<&Values>) -> Result<Prepared> {
    let looped = values.and_then(|values| looped(device, graph, values));
    looped.map_or_else(|| build(device, graph, None), Ok)
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
                match ready(device, &plan, kernels, None) {
                    Ok(ready) => {
                        let steps = (plan, ready);
                        return Ok(Prepared::new(backend, steps, graph.roots.clone(), None));
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

/// A graph with a recorded loop as a loop, where all turns are few launches; none where they are not,
/// or where one kernel does all that was recorded: its intermediate values stay in registers.
fn looped(device: Device, graph: &Graph, values: &Values) -> Option<Prepared> {
    let options = options(device, Arithmetic::current());
    let is_one_kernel = LazyCell::new(|| {
        graph.nodes.len() < MAX_VALUES && plan::plan(graph, options).steps.len() <= 1
    });
    [Order::Walked, Order::Late].into_iter().find_map(|order| {
        let rolled = periods::rolled(graph, order, values)?;
        let turn = plan::plan(rolled.body.graph(), options);
        let may_be = rolled.body.pairs(&turn).is_some() || rolled.body.with_copies().is_some();
        if !may_be || *is_one_kernel { None } else { in_few_launches(device, graph, rolled) }
    })
}

/// The plan of a graph with its recorded loop, where all turns are few launches.
fn in_few_launches(device: Device, graph: &Graph, rolled: Rolled) -> Option<Prepared> {
    let backend = device.backend();
    let options = options(device, Arithmetic::current());
    let Rolled { graph: rolled, known, body } = rolled;
    // What fails here is planned as it was recorded, and fails there if it has to.
    let turns = turns(device, &body).ok().filter(|turns| turns.are_few_launches(backend))?;
    let plan = plan::plan(&rolled, options);
    if plan.needs_whole_arrays {
        return None;
    }
    let kernels = compile(backend, &plan, false).ok()?;
    let ready = ready(device, &plan, kernels, Some((known.call, turns))).ok()?;
    Some(Prepared::new(backend, (plan, ready), graph.roots.clone(), Some(known)))
}

/// The steps of a plan with their compiled kernels; library calls are prepared here, but for a loop that
/// is ready.
fn ready(
    device: Device,
    plan: &Plan,
    kernels: Vec<Compiled>,
    mut looped: Option<(u32, ReadyTurns)>,
) -> Result<Vec<Ready>> {
    let _span = match kernels.len() < plan.steps.len() {
        true => trace::span(Work::Compile, device, || What::named("make library calls ready")),
        false => None,
    };
    let mut kernels = kernels.into_iter();
    let mut loop_of = |step: &LibraryStep, call: &Turns| match looped.take() {
        Some((node, turns)) if node == step.node => Ok(turns),
        other => {
            looped = other;
            turns(device, &ReadyTurns::body(call))
        }
    };
    let ready = |step: &Step| match step {
        Step::Kernel(_) => Ok(Ready::Kernel(kernels.next().expect("every kernel was compiled"))),
        Step::Library(step) => match &*step.call {
            Library::Turns(call) => loop_of(step, call).map(|turns| Ready::Turns(Box::new(turns))),
            call => device.backend().library(call).map(Ready::Library),
        },
    };
    plan.steps.iter().map(ready).collect()
}

/// A loop made ready: as a kernel that takes all turns, where a turn is one, or as a plan a turn.
fn turns(device: Device, body: &Arc<Body>) -> Result<ReadyTurns> {
    let arithmetic = Arithmetic::current();
    let plan = plan::plan(body.graph(), options(device, arithmetic));
    let pairs = body.pairs(&plan);
    if pairs.is_none()
        && let Some(looped) = copied(device, body, arithmetic)?
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
        let one = whole(device, body, plan, (1, arithmetic));
        let several =
            several.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (one, several.unwrap_or(Ok(None)))
    });
    if let Some(one) = one? {
        let wholes: Vec<Whole> = several?.into_iter().chain([one]).collect();
        let new = |whole: &&Whole| whole.compiled.origin == Origin::Compiled;
        count(|c| c.compiled += wholes.iter().filter(new).count() as u64);
        return Ok(ReadyTurns::new(body.clone(), Way::AtOnce(wholes)));
    }
    let turn = build(device, body.graph(), Some(body))?;
    let ahead = match ahead::may_be(body, &turn.plan) {
        true => TurnsAhead::new(device.backend(), &turn)?,
        false => None,
    };
    Ok(ReadyTurns::new(body.clone(), Way::Singly(Box::new(turn), ahead)))
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
