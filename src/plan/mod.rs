//! The planner: from a graph to kernels.
//!
//! One pass, one file, one public function each:
//! - [`simplify`]: the graph without the cases that need no kernel, and views that library calls read
//!   in place; the graph itself is in `nodes.rs`.
//! - [`one_order`]: strict arithmetic's sums.
//! - [`epilogue`]: what products of matrices do besides multiplying.
//! - [`pieces`]: what is stored of many nodes, before they are grouped.
//! - [`group`]: which nodes are stored, and which stores share a kernel; what it costs is in
//!   `costs.rs`, the nest that a stored node wants in `nest.rs`.
//! - [`in_place`]: whether assignments may write where they read; which do is in `assigned.rs`.
//! - [`calls`]: the steps of library calls.
//! - [`emit`]: the scalar expressions of each kernel.
//! - [`cut`]: what is stored because kernels would be too large without.
//! - [`bound`]: what is stored because too much would be computed again without.
//! - [`collapse`]: fewer axes, dead values gone, values in order.
//! - [`order`]: kernels after those whose results they read.
//!
//! [`period`] finds recorded loops, for whoever plans a turn of them by itself.
//!
//! A plan depends on the structure of the graph, on sizes and on the device's limits, never on data
//! or on the values of scalars. Every pass takes time in proportion to the graph, also where one
//! node has very many users or one kernel is followed by very many others: `wide_tests.rs` counts
//! steps (`work.rs`). Walks are iterative.

mod arena;
mod assigned;
mod bound;
#[cfg(all(test, feature = "cuda"))]
mod bound_tests;
mod calls;
mod collapse;
mod coords;
mod cut;
mod emit;
mod epilogue;
mod group;
mod in_place;
mod nodes;
mod one_order;
mod order;
pub(crate) mod period;
#[cfg(test)]
mod period_tests;
mod pieces;
#[cfg(test)]
mod random_tests;
mod simplify;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wide_tests;
mod work;

pub(crate) use group::SHORT_EXTENT;
pub(crate) use nodes::{Graph, GraphArg, GraphNode, is_inexact};
#[cfg(test)]
pub(crate) use work::steps_of;
pub(crate) use work::work;

use in_place::Conflict;

use crate::dtype::Scalar;
use crate::kernel::{Kernel, Output};
use crate::library::Library;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What the planner must know of the device and of what was tried before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// The bytes of resident rows that fit on the chip; 0 turns resident rows off.
    pub row_capacity: usize,
    /// The most values that a kernel may have before it is cut.
    pub max_values: usize,
    /// What a kernel may weigh for a compiler before it is cut, see [`crate::kernel::weight`];
    /// none where nothing is compiled.
    pub max_weight: Option<u64>,
    /// Where a kernel without reductions runs in pieces, along whose borders conditions on positions
    /// change: from how many elements on. A reduction beside it would have the conditions at every
    /// element, so it is a kernel of its own.
    pub pieces_from: Option<usize>,
    /// What a launch costs, in additions: where less is computed again, nothing is stored.
    pub launch_cost: f64,
    /// By how much a plan may exceed the bound on work, in additions.
    pub slack: f64,
    /// Whether products of matrices may take in what follows them.
    pub epilogues: bool,
    /// Whether sums of floats are taken in one order, whatever computes them.
    pub one_order: bool,
}

/// Where an array of a step comes from or goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// Data that was there before, by its position among the graph's leaves.
    Leaf(u32),
    /// The result of a node of the graph; of a library call with several outputs, the first.
    Node(u32),
    /// An output of a library call after the first: the call's node, and which output.
    Part(u32, u8),
}

/// Where a scalar argument of a launch comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ScalarSource {
    /// The user's, by its position among the graph's scalars.
    Slot(u32),
    /// The planner's own.
    Literal(Scalar),
}

/// One thing that an evaluation runs.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A kernel.
    Kernel(KernelStep),
    /// A library call.
    Library(LibraryStep),
}

impl Step {
    /// The arrays that it reads.
    pub(crate) fn inputs(&self) -> &[Place] {
        match self {
            Step::Kernel(step) => &step.inputs,
            Step::Library(step) => &step.inputs,
        }
    }

    /// The nodes that it computes.
    pub(crate) fn outputs(&self) -> &[u32] {
        match self {
            Step::Kernel(step) => &step.outputs,
            Step::Library(step) => std::slice::from_ref(&step.node),
        }
    }
}

/// One library call with what it reads.
#[derive(Clone, Debug)]
pub(crate) struct LibraryStep {
    /// The call.
    pub call: Arc<Library>,
    /// The arrays of its arguments.
    pub inputs: Vec<Place>,
    /// The node that it computes.
    pub node: u32,
    /// The scalars among its arguments.
    pub scalars: Vec<ScalarSource>,
    /// Whether no later step reads its first argument, which a kernel has made for it: unless a
    /// user holds that array, its memory may be overwritten.
    pub last_use: bool,
}

/// One kernel with what it reads and writes.
#[derive(Clone, Debug)]
pub(crate) struct KernelStep {
    /// The kernel.
    pub kernel: Kernel,
    /// The arrays of `kernel.inputs`.
    pub inputs: Vec<Place>,
    /// The arrays of `kernel.outputs`, all of them nodes.
    pub outputs: Vec<u32>,
    /// The outputs that are written into the memory of a leaf, which they replace: the node and
    /// the leaf.
    pub in_place: Vec<(u32, u32)>,
    /// The scalars of `kernel.scalars`.
    pub scalars: Vec<ScalarSource>,
}

impl KernelStep {
    /// The bytes that the kernel reads, every input once.
    pub(crate) fn bytes_read(&self) -> usize {
        self.kernel.inputs.iter().map(|input| input.len * input.dtype.size()).sum()
    }

    /// The bytes that it writes.
    pub(crate) fn bytes_written(&self) -> usize {
        let kernel = &self.kernel;
        let written = |(output, k): (&Output, usize)| {
            let stores = kernel.stores.iter().filter(|store| store.output as usize == k);
            let stored: usize =
                stores.map(|store| kernel.extent(kernel.index_axes(&store.index))).sum();
            stored.min(output.len) * output.dtype.size()
        };
        kernel.outputs.iter().zip(0..).map(written).sum()
    }
}

/// What an evaluation runs, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The kernels and library calls.
    pub steps: Vec<Step>,
    /// Whether there is no plan without windows: what was to be overwritten has to be copied, all
    /// of it, of which a window is a part.
    pub needs_whole_arrays: bool,
}

impl Plan {
    /// The kernels.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &KernelStep> {
        self.steps.iter().filter_map(|step| match step {
            Step::Kernel(step) => Some(step),
            Step::Library(_) => None,
        })
    }
}

/// Plans the computation of the graph's roots.
pub(crate) fn plan(graph: &Graph, options: Options) -> Plan {
    if options.one_order {
        let ordered = one_order::in_one_order(graph);
        return ordered.renumbered(plan_forced(&ordered.graph, options, ordered.forced.clone()));
    }
    let fused = if options.epilogues { epilogue::fuse(graph) } else { None };
    plan_forced(fused.as_ref().unwrap_or(graph), options, vec![false; graph.nodes.len()])
}

/// A graph as it is planned, each node at the number that its plan has for it.
pub(crate) fn as_planned(graph: Graph, one_order: bool) -> Graph {
    if one_order { one_order::in_one_order(&graph).by_number() } else { graph }
}

/// So many conflicts of assignments are solved one by one: one that is solved may solve the next.
const CONFLICTS: usize = 8;

/// What is stored although the grouping by itself would not.
struct Forced {
    /// For each node whether it is stored.
    stored: Vec<bool>,
    /// Whether it is stored by a kernel that does not read it: one that did was too large.
    apart: Vec<bool>,
    /// Whether no kernel that was begun before it stores it: one that did was too large.
    alone: Vec<bool>,
}

/// The same with some nodes stored in any case.
fn plan_forced(graph: &Graph, options: Options, stored: Vec<bool>) -> Plan {
    let none = vec![false; stored.len()];
    let mut forced = Forced { apart: none.clone(), alone: none, stored };
    let pieces = pieces::pieces(graph, options, &mut forced.stored);
    let mut in_place = graph.in_place.clone();
    let (mut round, mut solved, mut stored_more) = (0, 0, 0);
    loop {
        let groups = group::group(graph, &forced, &in_place, &pieces, options);
        let conflicts = in_place::conflicts(graph, &groups, &in_place, solved >= CONFLICTS);
        if !conflicts.is_empty() {
            solved += 1;
            let mut copies = FxHashSet::default();
            for conflict in conflicts {
                match conflict {
                    Conflict::Value(value) => forced.stored[value as usize] = true,
                    Conflict::Beside(nodes) => {
                        nodes.iter().for_each(|&n| forced.alone[n as usize] = true);
                    }
                    Conflict::Copy(n) => drop(copies.insert(n)),
                }
            }
            let has_window = |&n: &u32| {
                let base = assigned::assigned_base(graph, n);
                base.is_some_and(|base| graph.nodes[base as usize].window.is_some())
            };
            if copies.iter().any(has_window) {
                return Plan { needs_whole_arrays: true, ..Plan::default() };
            }
            in_place.retain(|n| !copies.contains(n));
            continue;
        }
        let calls = calls::steps(graph, &groups);
        let emitted = emit::emit(graph, groups);
        if cut::cut(graph, &emitted, options, round, &mut forced) {
            round += 1;
            continue;
        }
        let plan = finish(graph, emitted, calls);
        if plan.kernels().any(|step| cut::filled_at_last(&step.kernel, options) > 1.0) {
            let groups = group::group(graph, &forced, &in_place, &pieces, options);
            if cut::cut_at_last(graph, emit::emit(graph, groups), options, &mut forced) {
                continue;
            }
        }
        if bound::exceeds(graph, &plan, &in_place, options.slack) {
            let repeats = group::repeats(graph, &forced, &in_place, &pieces, options);
            stored_more += 1;
            if bound::store_more(graph, &repeats, stored_more, &mut forced.stored) {
                continue;
            }
        }
        return plan;
    }
}

/// The plan of kernels that are as large as they may be.
fn finish(graph: &Graph, emitted: Vec<emit::Emitted>, calls: Vec<LibraryStep>) -> Plan {
    let kernels = emitted.into_iter().flat_map(|e| collapse::collapse(e.step));
    let steps = kernels.map(Step::Kernel).chain(calls.into_iter().map(Step::Library));
    let mut plan = Plan { steps: order::order(steps.collect()), ..Plan::default() };
    calls::mark_last_uses(graph, &mut plan.steps);
    #[cfg(any(test, debug_assertions))]
    for step in plan.kernels() {
        if let Err(why) = crate::kernel::verify::verify(&step.kernel) {
            panic!("the planner made a wrong kernel: {why}\n{}", step.kernel);
        }
    }
    plan
}
