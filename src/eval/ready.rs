//! Plans and loops that are ready to run. They are one file, since a plan may have loops, whose turns
//! are plans.

use super::body::Body;
use crate::backend::{Ahead, Backend, Compiled, LibraryCall, Series};
use crate::plan::period::Order;
use crate::plan::{KernelStep, Place, Plan, Step};
use rustc_hash::FxHashSet;
use std::sync::Arc;

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
    /// The recorded loop that the plan takes as one.
    pub(super) rolled: Option<Known>,
    /// The values and inputs of its kernels.
    pub(super) size: usize,
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
    pub(super) fn new(
        backend: &dyn Backend,
        (plan, ready): (Plan, Vec<Ready>),
        roots: Vec<u32>,
        rolled: Option<Known>,
    ) -> Prepared {
        let positions = positions(&plan, rolled.as_ref());
        let size = plan.kernels().map(|step| step.kernel.values.len() + step.inputs.len()).sum();
        let series = if are_short(&plan) { backend.series(kernels(&ready)) } else { None };
        let results = if series.is_some() { results(&plan, &roots) } else { Vec::new() };
        Prepared { plan, ready, roots, positions, series, results, rolled, size }
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
fn positions(plan: &Plan, rolled: Option<&Known>) -> Vec<u32> {
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
            Step::Library(step) => match rolled.filter(|known| known.call == step.node) {
                Some(known) => known.ends.iter().for_each(|&end| make(end, 1)),
                None => make(step.node, step.call.outputs().len()),
            },
        }
    }
    // What reads a recorded loop reads the call's outputs.
    if let Some(known) = rolled
        && let Some(&first) = positions.get(known.ends[0] as usize)
    {
        positions[known.call as usize] = first;
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

/// What a plan knows of its recorded loop.
pub(crate) struct Known {
    /// The number of the call.
    pub call: u32,
    /// The nodes that its outputs are.
    pub ends: Vec<u32>,
    /// Slots whose scalars have to be the same.
    pub same: Vec<(u32, u32)>,
    /// The order in which it was found.
    pub order: Order,
}

/// What a kernel gives that it reads in the next turn.
pub(crate) struct Pairs {
    /// Inputs and the outputs that take their place.
    pub list: Vec<(u32, u32)>,
    /// For each component of the state, the output that it is; none where it never changes.
    pub(super) results: Vec<Option<usize>>,
}

/// A kernel that takes many turns in one launch.
pub(super) struct Whole {
    /// The kernel with what it reads and writes.
    pub step: KernelStep,
    /// The kernel, ready to launch.
    pub compiled: Compiled,
    /// What it hands on.
    pub pairs: Pairs,
    /// The turns of the loop that one of its own is.
    pub turns: u64,
}

/// A loop that is ready to run.
pub(crate) struct ReadyTurns {
    pub(super) body: Arc<Body>,
    pub(super) way: Way,
}

/// How turns run.
pub(super) enum Way {
    /// One plan each; they may be launched ahead.
    Singly(Box<Prepared>, Option<TurnsAhead>),
    /// In one launch, or two: the kernel of several turns comes first.
    AtOnce(Vec<Whole>),
}

/// A loop whose turns may be launched ahead.
pub(super) struct TurnsAhead {
    pub device: Box<dyn Ahead>,
    /// The arrays that a turn's kernels write, each with its bytes.
    pub written: Vec<(u32, usize)>,
    /// The kernels of a turn.
    pub kernels: usize,
}

/// Where the outputs of a loop lie among what its plan makes.
pub(super) fn places(node: u32, outputs: usize) -> impl Iterator<Item = Place> {
    (0..outputs).map(move |k| match k {
        0 => Place::Node(node),
        k => Place::Part(node, k as u8),
    })
}
