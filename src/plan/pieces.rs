//! Pieces: a graph of many nodes is cut before it is grouped, in one walk.

use super::Options;
use super::nodes::{Graph, GraphArg, GraphNode};
use crate::graph::NodeOp;
use crate::kernel::weight;

/// The most arrays and scalars that a kernel reads, if it can be cut: they are arguments of a launch,
/// which has room for 512 words, of which each array takes some.
const MOST_ARGUMENTS: usize = 160;
/// Graphs of more nodes than this are cut before they are grouped.
const MANY_NODES: usize = 4000;
/// How much of a kernel a piece may fill: what it shares with others is not seen.
pub(super) const FULL: f32 = 0.75;
/// What was read so many nodes ago is read anew by another piece.
const FAR: usize = 1000;
/// What one array or scalar takes of a kernel.
pub(super) const ARGUMENT: f32 = 1.0 / MOST_ARGUMENTS as f32;
/// The values that a part of a join takes: where it lies, whether it is the one, and the choice.
const VALUES_A_PART: usize = 4;

/// How much of a kernel the pieces of a graph fill.
pub(super) struct Pieces {
    /// For each node what computes it, down to what is stored; empty where all fits into one kernel.
    fill: Vec<f32>,
}

impl Pieces {
    /// Whether a kernel that is filled so far has room for a node's piece.
    pub(super) fn fits(&self, filled: f32, n: usize) -> bool {
        self.fill.is_empty() || filled + self.fill[n] <= FULL
    }

    /// What a node's piece fills.
    pub(super) fn of(&self, n: usize) -> f32 {
        self.fill.get(n).copied().unwrap_or(0.0)
    }
}

/// Cuts a graph of many nodes into pieces of at most about a kernel, and forces a store of each.
pub(super) fn pieces(graph: &Graph, options: Options, forced: &mut [bool]) -> Pieces {
    let mut fill = Vec::new();
    if graph.nodes.len() > MANY_NODES {
        let mut stored: Vec<bool> = graph.nodes.iter().map(is_stored).collect();
        graph.roots.iter().for_each(|&root| stored[root as usize] = true);
        let read_at = vec![0; graph.nodes.len()];
        let mut cutter = Cutter { graph, options, fill, stored, read_at };
        (0..graph.nodes.len()).for_each(|n| cutter.visit(n, forced));
        fill = cutter.fill;
    }
    Pieces { fill }
}

/// Whether a node has its data, or gets it from a library.
fn is_stored(node: &GraphNode) -> bool {
    node.leaf.is_some() || matches!(node.op, NodeOp::Library(_) | NodeOp::Part(_))
}

struct Cutter<'a> {
    graph: &'a Graph,
    options: Options,
    fill: Vec<f32>,
    stored: Vec<bool>,
    /// The last node that reads each, counted from 1.
    read_at: Vec<usize>,
}

impl Cutter<'_> {
    fn visit(&mut self, n: usize, forced: &mut [bool]) {
        let node = &self.graph.nodes[n];
        let mut own = self.own(node);
        let mut below: Vec<(f32, usize)> = Vec::new();
        if node.leaf.is_none() {
            for arg in &node.args {
                let GraphArg::Node(a) = *arg else {
                    own += ARGUMENT;
                    continue;
                };
                let a = a as usize;
                let before = std::mem::replace(&mut self.read_at[a], n + 1);
                if before == 0 || n + 1 - before > FAR {
                    below.push((if self.stored[a] { ARGUMENT } else { self.fill[a] }, a));
                }
            }
        }
        let mut sum = own + below.iter().map(|read| read.0).sum::<f32>();
        if sum > FULL {
            // The largest go first; what fills hardly more than an argument stays.
            below.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (fill, a) in below.into_iter().take_while(|read| read.0 > 4.0 * ARGUMENT) {
                if sum <= FULL {
                    break;
                }
                if let Some(at) = self.storable(a) {
                    (forced[at], self.stored[at]) = (true, true);
                    sum += ARGUMENT - fill;
                }
            }
        }
        self.fill.push(sum);
    }

    /// What a node itself takes of a kernel.
    fn own(&self, node: &GraphNode) -> f32 {
        let values = match node.op {
            NodeOp::Concat { .. } => node.args.len() * VALUES_A_PART,
            NodeOp::Assign(_) | NodeOp::Pad { .. } => VALUES_A_PART,
            _ => 1,
        };
        let weight = match node.op {
            NodeOp::Map(op) => u64::from(op.compile_weight(node.dtype).min(weight::CALL)),
            NodeOp::Call { .. } => u64::from(weight::CALL),
            _ => 0,
        };
        (values as f32 / self.options.max_values as f32).max(share(self.options, || weight))
    }

    /// The computation whose store makes a node cheap: itself, or what it is a view of.
    fn storable(&self, mut n: usize) -> Option<usize> {
        loop {
            let node = &self.graph.nodes[n];
            if self.stored[n] {
                return None;
            }
            if node.is_computation() {
                return (node.len() > 0).then_some(n);
            }
            let Some(&GraphArg::Node(under)) = node.args.first() else { return None };
            n = under as usize;
        }
    }
}

/// The part of what a kernel may weigh for a compiler.
pub(super) fn share(options: Options, weight: impl FnOnce() -> u64) -> f32 {
    options.max_weight.map_or(0.0, |most| weight() as f32 / most as f32)
}
