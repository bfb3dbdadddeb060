//! The bound on work: what an evaluation computes and moves is at most half more than if every
//! recorded operation were a kernel of its own.
//!
//! The grouping decides node by node what is computed again, from constants, and cannot know what
//! becomes of the rest of an expression. So a finished plan is counted, value by value. Where it
//! exceeds the bound, what is computed again most is stored, and all is grouped anew.
//!
//! - The work of a kernel is its additions by the cost model, each value at every position of its
//!   axes and of the loops around it and in every sweep that computes it, and [`BYTE_COST`] additions
//!   a byte read or written.
//!   What is under a condition on positions counts by the part of the positions at which it may
//!   hold.
//! - Beyond [`MOST`] times the recorded operations' work, an evaluation may compute again what a
//!   launch costs.
//! - Where a plan exceeds that, the nodes at which repetition begins are stored; after [`ROUNDS`]
//!   rounds everything that is computed twice is.
//!
//! `bound_tests.rs` holds it for random graphs and for loops.

use super::group::Repeats;
use super::nodes::{Graph, GraphArg, GraphNode};
use super::{KernelStep, Plan};
use crate::graph::NodeOp;
use crate::kernel::{Atom, AxisKind, AxisSet, Inst, Kernel, Val};
use crate::table::Op;

/// How much work a plan may be, of what evaluating every node once is.
pub(crate) const MOST: f64 = 1.5;
/// What moving a byte costs, in additions: [`super::group::STORE_COST`] is a store and a load of
/// eight.
const BYTE_COST: f64 = 3.0;
/// What reading an element costs besides, in additions.
const LOAD_COST: f64 = 2.0;
/// A plan is grouped anew so often before everything that is computed twice is stored.
const ROUNDS: usize = 6;
/// A node that is computed so many times as often as what reads it is where repetition begins.
const BEGINS: f64 = 1.5;

/// Whether a plan is more work than the bound allows; `slack` is how much is not worth a launch.
pub(super) fn exceeds(graph: &Graph, plan: &Plan, in_place: &[u32], slack: f64) -> bool {
    // What one operation or two do is never computed again.
    graph.nodes.len() > 2 && of_plan(plan) > MOST * of_each(graph, in_place) + slack
}

/// Stores more of a graph whose plan exceeds the bound, the more the later the round; false where
/// nothing is left to store. `repeats` tells how often the plan computes each node.
pub(super) fn store_more(
    graph: &Graph,
    repeats: &Repeats,
    round: usize,
    forced: &mut [bool],
) -> bool {
    let storable = |&n: &usize| {
        let node = &graph.nodes[n];
        node.is_computation() && node.len() > 0 && !forced[n] && !graph.roots.contains(&(n as u32))
    };
    let mut chosen: Vec<usize> = match round < ROUNDS {
        true => repeats.begins(graph, forced, BEGINS).into_iter().filter(storable).collect(),
        false => Vec::new(),
    };
    // What is not found so is stored wherever it is computed more than once, and at last all is.
    let nodes = 0..graph.nodes.len();
    if chosen.is_empty() {
        chosen = nodes.clone().filter(storable).filter(|&n| repeats.of[n] > 1.01).collect();
    }
    if chosen.is_empty() || round > ROUNDS {
        chosen = nodes.filter(storable).collect();
    }
    chosen.iter().for_each(|&n| forced[n] = true);
    !chosen.is_empty()
}

/// The work of all kernels of a plan, in additions.
pub(crate) fn of_plan(plan: &Plan) -> f64 {
    plan.kernels().map(of_kernel).sum()
}

/// The work of evaluating every node of a graph once, each from the arrays of its arguments, in
/// additions. Views are no work, unless they are asked for; of what is assigned in place only the
/// region is.
pub(crate) fn of_each(graph: &Graph, in_place: &[u32]) -> f64 {
    let one = |(n, node): (usize, &GraphNode)| {
        let asked = graph.roots.contains(&(n as u32));
        let computes = node.is_computation() || (asked && node.leaf.is_none());
        let elsewhere = matches!(node.op, NodeOp::Library(_) | NodeOp::Part(_));
        if !computes || elsewhere {
            return 0.0;
        }
        let (len, turns) = match &node.op {
            NodeOp::Assign(region) if in_place.contains(&(n as u32)) => {
                let len = crate::shape::len(&region.lens) as f64;
                (len, len)
            }
            _ => {
                let folded = super::group::extent(graph, node).unwrap_or(1);
                (node.len() as f64, (node.len() * folded) as f64)
            }
        };
        let size = |node: &GraphNode| node.dtype.size() as f64;
        let read = |arg: &GraphArg| match *arg {
            GraphArg::Node(a) => {
                let arg = &graph.nodes[a as usize];
                let elements = (arg.len() as f64).min(turns);
                elements * size(arg) * BYTE_COST + turns * LOAD_COST
            }
            GraphArg::Scalar(_) => 0.0,
        };
        let reads: f64 = match node.op {
            // Each element comes from one of the parts.
            NodeOp::Concat { .. } => len * (size(node) * BYTE_COST + LOAD_COST),
            _ => node.args.iter().map(read).sum(),
        };
        turns * super::group::own_cost(node).max(1.0) + reads + len * size(node) * BYTE_COST
    };
    graph.nodes.iter().enumerate().map(one).sum()
}

/// The work of a kernel, in additions: every value at every position of the axes that it depends
/// on and of the loops around these, in each sweep that computes it, and the bytes that are read and
/// written. What is computed
/// under a condition counts by the part of the positions at which that may hold.
pub(crate) fn of_kernel(step: &KernelStep) -> f64 {
    let kernel = &step.kernel;
    let phases = kernel.phases();
    let shares = shares(kernel);
    let reduce = kernel.axes_of(AxisKind::Reduce);
    let extent = |axes: AxisSet| kernel.extent(axes) as f64;
    let turned = turned(kernel);
    let turn = |v: Val| cost(kernel, v) * extent(turned[v.at()]) * shares[v.at()];
    let mut work = 0.0;
    for sweep in &phases.sweeps {
        work += sweep.body.iter().map(|&v| turn(v)).sum::<f64>();
        let folds = sweep.reductions.iter().map(|&v| extent(kernel.value(v).axes.union(reduce)));
        work += folds.sum::<f64>();
        work += sweep.rows.iter().map(|&v| LOAD_COST * extent(kernel.value(v).axes)).sum::<f64>();
    }
    // What lies outside of all sweeps, loops among it.
    for (k, value) in kernel.values.iter().enumerate() {
        let swept = value.inst.reduced().is_some_and(|axes| !axes.intersection(reduce).is_empty());
        if value.axes.intersection(reduce).is_empty() && !swept {
            work += turn(Val(k as u32));
        }
    }
    let read = |k: usize| {
        let loads = kernel.values.iter().enumerate().filter_map(|(v, value)| match value.inst {
            Inst::Load { input, .. } if input as usize == k => Some(extent(value.axes) * shares[v]),
            _ => None,
        });
        let input = kernel.inputs[k];
        loads.sum::<f64>().min(input.len as f64) * input.dtype.size() as f64
    };
    let written = kernel.stores.iter().map(|store| {
        let dtype = kernel.outputs[store.output as usize].dtype;
        extent(kernel.index_axes(&store.index)) * dtype.size() as f64
    });
    let bytes = (0..kernel.inputs.len()).map(read).sum::<f64>() + written.sum::<f64>();
    work + bytes * BYTE_COST
}

/// For each value the axes at whose positions it is computed. A loop in place stands where its result
/// is needed, inside of other loops perhaps that what it folds does not depend on.
fn turned(kernel: &Kernel) -> Vec<AxisSet> {
    let serial = kernel.axes_of(AxisKind::Serial);
    let mut around = vec![AxisSet::default(); kernel.axes.len()];
    let mut turned = vec![AxisSet::default(); kernel.values.len()];
    // What folds comes behind what it folds.
    for (k, value) in kernel.values.iter().enumerate().rev() {
        let loops = value.axes.intersection(serial);
        turned[k] = loops.iter().fold(value.axes, |axes, s| axes.union(around[s]));
        let folded = value.inst.reduced().unwrap_or_default().intersection(serial);
        folded.iter().for_each(|s| around[s] = around[s].union(turned[k]));
    }
    turned
}

/// What a value costs for an element, in additions.
fn cost(kernel: &Kernel, v: Val) -> f64 {
    match &kernel.value(v).inst {
        Inst::Load { .. } | Inst::RowLoad { .. } => LOAD_COST,
        Inst::Cast(_) => 1.0,
        Inst::Scan { by, .. } => by.fold().map_or(1.0, |f| f64::from(f.function.additions())),
        // A loop in place folds at each of its positions.
        Inst::Reduce { axes, .. } => kernel.extent(*axes) as f64,
        Inst::Fold { fold, axes, .. } => {
            f64::from(fold.function.additions()) * kernel.extent(*axes) as f64
        }
        inst => inst.cost().map_or(0.0, f64::from),
    }
}

/// For each value the part of its positions at which it is needed.
fn shares(kernel: &Kernel) -> Vec<f64> {
    let mut shares = vec![0.0f64; kernel.values.len()];
    for store in &kernel.stores {
        shares[store.value.at()] = 1.0;
        store.index.values().for_each(|v| shares[v.at()] = 1.0);
    }
    for k in (0..kernel.values.len()).rev() {
        let own = shares[k];
        let inst = &kernel.values[k].inst;
        let mut need = |v: Val, share: f64| shares[v.at()] = shares[v.at()].max(share);
        match inst {
            Inst::Op(Op::Select, args) => {
                let [held, failed] = match held(kernel, args[0]) {
                    Some(share) => [own * share, own * (1.0 - share)],
                    None => [own, own],
                };
                need(args[0], own);
                need(args[1], held);
                need(args[2], failed);
            }
            inst => inst.for_each_arg(|v| need(v, own)),
        }
    }
    shares
}

/// The part of the positions at which a condition on them holds; `None` of other conditions.
fn held(kernel: &Kernel, condition: Val) -> Option<f64> {
    match &kernel.value(condition).inst {
        Inst::Op(Op::LogicalAnd, args) => {
            args.iter().map(|&arg| held(kernel, arg)).product::<Option<f64>>()
        }
        Inst::InRange { index, low, high } => match index.terms[..] {
            [(Atom::Axis(k), stride)] => {
                let extent = kernel.axes[k as usize].extent as i64;
                let inside = |k: &i64| (*low..*high).contains(&(index.offset + stride * k));
                let (first, last) = (index.offset, index.offset + stride * (extent - 1));
                let (first, last) = (first.min(last), first.max(last));
                let both = (last + 1).min(*high) - first.max(*low);
                Some(match stride {
                    1 | -1 => both.max(0) as f64 / extent as f64,
                    _ if extent <= 4096 => {
                        (0..extent).filter(inside).count() as f64 / extent as f64
                    }
                    _ => both.max(0) as f64 / (last + 1 - first) as f64,
                })
            }
            _ => None,
        },
        _ => None,
    }
}
