//! Parts of stored arrays, and the windows that they may have (`windows.rs`).

use crate::graph::{Arg, Node, NodeOp, Wrap};
use smallvec::SmallVec;
use std::sync::Arc;

/// A node that reads a part of stored data or, as an assignment, may overwrite one.
pub(super) struct Placed {
    /// The node's number in the walk.
    pub node: u32,
    /// The data's.
    pub leaf: u32,
    /// The window, if the part has one.
    pub window: Option<u32>,
}

impl Placed {
    /// A node that gets this number, and the number of the data.
    pub(super) fn new(node: u32, leaf: u32) -> Placed {
        Placed { node, leaf, window: None }
    }
}

/// A part of a stored array that a plan knows as an array of its own.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// The array, by its position among the leaves.
    pub leaf: u32,
    /// The first byte.
    pub start: usize,
    /// The number of elements from there on to the last one that is read or written.
    pub reach: usize,
    /// The position on each axis at which the window begins.
    pub corner: Position,
    /// The number under which the walk has the array as this window's.
    pub twin: u32,
}

/// A position on each axis.
pub(super) type Position = SmallVec<[i64; 4]>;

/// The stored array that a node reads or overwrites a regular part of.
pub(super) fn placed_on<'a>(node: &Node, args: &'a [Arg]) -> Option<&'a Arc<Node>> {
    let regular = match &node.op {
        NodeOp::View(view) => view.0.iter().all(|map| map.wrap == Wrap::None),
        NodeOp::Assign(_) => true,
        _ => return None,
    };
    match args.first() {
        Some(Arg::Node(leaf)) if regular && leaf.is_evaluated() && node.len() > 0 => Some(leaf),
        _ => None,
    }
}
