//! Cutting: what would be too large for one kernel is stored in between.
//!
//! A graph of many nodes is cut before it is grouped (`pieces.rs`). Kernels of smaller graphs, and what
//! was not foreseen there, are cut once they are found to be too large ([`cut`]), and all is grouped
//! anew.
//!
//! - A kernel that has grown too large, or reads more arrays and scalars than a launch's argument
//!   has room for, is cut in its middle, between joints where it has any; after some rounds several
//!   cuts are made at once. Kernels have at most 2,000 values (`MAX_VALUES` in `eval/prepared.rs`),
//!   [`MOST_SWEEPS`] sweeps and [`MOST_LOOPS`] long loops at single elements, and for a GPU a weight
//!   that NVRTC compiles in a quarter of a second ([`weight::MOST`]). Users' functions are compiled
//!   whole, and reductions and scans, which weigh a flat amount, can take longer than that.
//! - A chain of turns that is too large for one kernel is cut where few arrays are handed on, seen
//!   from its end (`cut_between_turns`): the pieces are then as many turns each, and the same
//!   kernel. The functions that weigh most in it are compiled once and called
//!   (`cuda/render/weight.rs`).
//! - One node joins 64 parts at most (`ops/join.rs`); more are joins of joins.

use super::emit::Emitted;
use super::group::SHORT_EXTENT;
use super::nodes::{Graph, GraphArg};
use super::pieces::{ARGUMENT, FULL, share};
use super::{Forced, Options};
use crate::graph::NodeOp;
use crate::kernel::{Axis, AxisKind, Kernel, weight};
use smallvec::SmallVec;

/// The most long loops at single elements of one kernel: each is code by itself, and a chain of them
/// is spread over fewer positions than a kernel for each has.
pub(super) const MOST_LOOPS: usize = 16;
/// The most sweeps of one kernel: compilers take more than linear time.
pub(super) const MOST_SWEEPS: usize = 16;

/// Forces stores inside of all kernels that are too large; false if there is none that can be cut.
/// What joins hundreds of parts needs as many cuts: soon there are more of them in a round.
pub(super) fn cut(
    graph: &Graph,
    emitted: &[Emitted],
    options: Options,
    round: usize,
    forced: &mut Forced,
) -> bool {
    let cuts = 1 << round.saturating_sub(3).min(16);
    let filled = emitted.iter().map(|e| (e, filled(&e.step.kernel, options)));
    filled.filter(|(_, filled)| *filled > 1.0).fold(false, |any, (e, filled)| {
        cut_between_turns(graph, &e.nodes, filled, forced)
            || cut_one(graph, &e.nodes, cuts, 3, forced)
            || any
    })
}

/// How much of a kernel one fills, before it has its final form.
fn filled(kernel: &Kernel, options: Options) -> f32 {
    let arguments = (kernel.inputs.len() + kernel.scalars.len()) as f32 * ARGUMENT;
    let values = kernel.values.len() as f32 / options.max_values as f32;
    let loops = long_loops(kernel) as f32 / MOST_LOOPS as f32;
    let weight = share(options, || weight::at_least(kernel));
    arguments.max(values).max(loops).max(weight)
}

/// How much of a kernel one fills whose phases are known.
pub(super) fn filled_at_last(kernel: &Kernel, options: Options) -> f32 {
    let phases = kernel.phases();
    let weight = share(options, || weight::least(kernel, &phases));
    weight.max(phases.sweeps.len() as f32 / MOST_SWEEPS as f32)
}

/// The number of long loops at single elements.
pub(super) fn long_loops(kernel: &Kernel) -> usize {
    let is_long = |axis: &&Axis| axis.kind == AxisKind::Serial && axis.extent > SHORT_EXTENT;
    kernel.axes.iter().filter(is_long).count()
}

/// Cuts the kernels that have become too many sweeps, or weigh too much by what each of them computes;
/// false where there are none, or none that can be cut.
pub(super) fn cut_at_last(
    graph: &Graph,
    emitted: Vec<Emitted>,
    options: Options,
    forced: &mut Forced,
) -> bool {
    let mut any = false;
    for Emitted { step, mut nodes } in emitted {
        let outputs = step.outputs.clone();
        let kernels = super::collapse::collapse(step).into_iter();
        let filled = kernels.map(|step| filled_at_last(&step.kernel, options));
        let filled = filled.fold(0.0, f32::max);
        if filled > 1.0 {
            any |= cut_between_turns(graph, &nodes, filled, forced) || {
                nodes.retain(|n| !outputs.contains(n));
                // As many pieces as it fills kernels: each round plans all anew.
                let cuts = filled.ceil() as usize - 1;
                cut_one(graph, &nodes, cuts, 1, forced) || part(&outputs, forced)
            };
        }
    }
    any
}

/// Gives one of several results of a kernel a kernel of its own; false if all have theirs.
fn part(outputs: &[u32], forced: &mut Forced) -> bool {
    let first = outputs.iter().skip(1).find(|&&n| !forced.alone[n as usize]);
    first.is_some_and(|&n| !std::mem::replace(&mut forced.alone[n as usize], true))
}

/// The most arrays that are stored where a kernel is cut between two turns of a loop.
const MOST_STATE: usize = 6;

/// Cuts a kernel where few arrays are handed on, as between two turns of a loop: a chain of turns
/// becomes kernels of as many turns each, seen from its end, and these are the same kernel. False
/// where too much is handed on everywhere.
fn cut_between_turns(graph: &Graph, nodes: &[u32], filled: f32, forced: &mut Forced) -> bool {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    // As many nodes fill a kernel, about.
    let most = (nodes.len() as f32 * FULL / filled) as usize;
    if most < 4 || nodes.len() < 2 * most / 3 {
        return false;
    }
    let handed_on = HandedOn::new(graph, &nodes);
    let (mut end, mut any) = (nodes.len(), false);
    while end > most {
        // The narrowest place in the lower half of the piece; of several the first, so that the
        // piece is as large as it may be.
        let places = end - most..end - most / 3;
        let Some(at) = places.min_by_key(|&at| handed_on.count[at]) else { break };
        let Some(state) = handed_on.state(graph, at) else { return any };
        for n in state {
            any |= !std::mem::replace(&mut forced.apart[n as usize], true);
            forced.stored[n as usize] = true;
        }
        end = at;
    }
    any
}

/// How many computations of a kernel are handed on at each place in the order of its nodes.
struct HandedOn<'a> {
    nodes: &'a [u32],
    /// For each node the last one that reads it, through views, by position.
    last: Vec<usize>,
    /// The number of nodes before a position that one at or behind it reads.
    count: Vec<usize>,
}

impl HandedOn<'_> {
    fn new<'a>(graph: &Graph, nodes: &'a [u32]) -> HandedOn<'a> {
        let mut last = vec![0; nodes.len()];
        let position = |n: u32| nodes.binary_search(&n).ok();
        for (k, &n) in nodes.iter().enumerate().rev() {
            // Whoever reads a view reads what it is a view of.
            let reader = if graph.nodes[n as usize].is_computation() { k } else { last[k].max(k) };
            for arg in &graph.nodes[n as usize].args {
                if let GraphArg::Node(a) = *arg
                    && let Some(at) = position(a)
                {
                    last[at] = last[at].max(reader);
                }
            }
        }
        let mut ends = vec![0usize; nodes.len() + 2];
        let mut count = vec![0; nodes.len() + 1];
        for at in 0..nodes.len() {
            count[at + 1] = count[at] - ends[at];
            if graph.nodes[nodes[at] as usize].is_computation() && last[at] > at {
                count[at + 1] += 1;
                ends[last[at]] += 1;
            }
        }
        HandedOn { nodes, last, count }
    }

    /// The nodes that are handed on at a position; `None` where these are too many.
    fn state(&self, graph: &Graph, at: usize) -> Option<SmallVec<[u32; 4]>> {
        if self.count[at] == 0 || self.count[at] > MOST_STATE {
            return None;
        }
        let handed_on = (0..at).filter(|&k| self.last[k] >= at).map(|k| self.nodes[k]);
        Some(handed_on.filter(|&n| graph.nodes[n as usize].is_computation()).collect())
    }
}

/// Forces stores of some of a kernel's nodes, evenly spread; false if fewer than `least` can be stored.
fn cut_one(graph: &Graph, nodes: &[u32], cuts: usize, least: usize, forced: &mut Forced) -> bool {
    let storable =
        |&&n: &&u32| !forced.stored[n as usize] && graph.nodes[n as usize].is_computation();
    let mut candidates: Vec<u32> = nodes.iter().filter(storable).copied().collect();
    if candidates.len() < least {
        return false;
    }
    // What joins parts of what is joined is where a kernel that joins many has its joints.
    let joins = |n: &u32| matches!(graph.nodes[*n as usize].op, NodeOp::Concat { .. });
    let joints: Vec<u32> = candidates.iter().copied().filter(joins).collect();
    if joints.len() > 2 {
        candidates = joints;
    }
    // At least one is stored, or the next round would be this one again.
    let cuts = cuts.min(candidates.len() / 2).max(1);
    for k in 1..=cuts {
        let n = candidates[k * candidates.len() / (cuts + 1)] as usize;
        (forced.stored[n], forced.apart[n]) = (true, true);
    }
    true
}
