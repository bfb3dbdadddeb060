//! The assignments that are made in place, as the grouping asks for them; whether they may be is found
//! by `in_place.rs`.

use super::nodes::{Graph, GraphArg};

/// The array that an assignment replaces a region of.
pub(super) fn assigned_base(graph: &Graph, n: u32) -> Option<u32> {
    match graph.nodes[n as usize].args.first() {
        Some(&GraphArg::Node(base)) => Some(base),
        _ => None,
    }
}

/// The assignments that are made in place.
pub(super) struct InPlace {
    /// Whether a node is one; empty where there is none.
    is_one: Vec<bool>,
    /// How often nodes that are yet to be computed read each node.
    reads: Vec<u32>,
}

impl InPlace {
    /// The given ones of a graph.
    pub(super) fn new(graph: &Graph, in_place: &[u32]) -> InPlace {
        let (mut is_one, mut reads) = (Vec::new(), Vec::new());
        if !in_place.is_empty() {
            is_one.resize(graph.nodes.len(), false);
            in_place.iter().for_each(|&n| is_one[n as usize] = true);
            reads.resize(graph.nodes.len(), 0);
            for node in graph.nodes.iter().filter(|node| node.leaf.is_none()) {
                for arg in &node.args {
                    if let GraphArg::Node(a) = arg {
                        reads[*a as usize] += 1;
                    }
                }
            }
        }
        InPlace { is_one, reads }
    }

    /// Whether a node is one of them.
    pub(super) fn holds(&self, n: usize) -> bool {
        !self.is_one.is_empty() && self.is_one[n]
    }

    /// Whether something besides the assignment itself reads what one of them overwrites.
    pub(super) fn reads_itself(&self, graph: &Graph, n: usize) -> bool {
        let base = assigned_base(graph, n as u32);
        base.is_some_and(|base| self.reads[base as usize] > 1)
    }
}
