//! The graph as the planner sees it: nodes by number, arguments before their users.

use super::{Place, ScalarSource};
use crate::dtype::{DType, Scalar};
use crate::function::ScanBy;
use crate::graph::NodeOp;
use crate::library::linalg::Activation;
use crate::shape::{Shape, len};
use crate::table::Reduction;
use smallvec::SmallVec;

/// An argument of a [`GraphNode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum GraphArg {
    /// A node, by number.
    Node(u32),
    /// A scalar, by slot.
    Scalar(u32),
}

/// A node of the planner's graph.
#[derive(Clone, Debug)]
pub(crate) struct GraphNode {
    /// What the node computes.
    pub op: NodeOp,
    /// The arguments, all of them earlier nodes.
    pub args: SmallVec<[GraphArg; 3]>,
    /// The shape.
    pub shape: Shape,
    /// The element type.
    pub dtype: DType,
    /// The position among the leaves, where the node has its data.
    pub leaf: Option<u32>,
    /// Where the node is a window of a leaf, which begins anywhere in it: the number of elements up
    /// to the last one that is read or written.
    pub window: Option<usize>,
    /// Whether a user holds what a library computes here, so that it is better stored.
    pub held: bool,
    /// The function that this is the last operation of, where a library can apply it as well.
    pub activation: Option<Activation>,
}

/// A graph to be planned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// The nodes, arguments first.
    pub nodes: Vec<GraphNode>,
    /// The nodes to be stored. None is a leaf and none is empty.
    pub roots: Vec<u32>,
    /// The number of scalars that came with the graph; literals have the slots above.
    pub slots: u32,
    /// The planner's own scalars.
    pub literals: Vec<Scalar>,
    /// The types of the scalars that came with the graph.
    pub scalar_types: Vec<DType>,
    /// Roots that assign to a region of a leaf which nobody else can see: they are written in
    /// the leaf's own memory.
    pub in_place: Vec<u32>,
    /// Whether every reduction whose result depends on the order of its elements is a loop over few
    /// of them, from the first to the last; see `one_order`.
    pub in_one_order: bool,
}

impl GraphNode {
    /// Whether the node is computed here, so that storing it may save work.
    pub(crate) fn is_computation(&self) -> bool {
        self.leaf.is_none() && self.op.computes()
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        len(&self.shape)
    }

    /// Whether it is a window of a small part of its array.
    pub(super) fn moves(&self) -> bool {
        self.window.is_some_and(|reach| reach.saturating_mul(2) <= self.len())
    }

    /// The number of elements from the first to the last one that may be asked for.
    pub(super) fn reach(&self) -> usize {
        self.window.unwrap_or_else(|| self.len())
    }
}

impl Graph {
    /// Whether a reduction is a loop of one thread whatever its kernel does besides.
    pub(super) fn is_in_order(&self, n: usize) -> bool {
        self.in_one_order && is_inexact(&self.nodes[n].op, self.nodes[n].dtype)
    }

    /// Where the value of a scalar comes from.
    pub(super) fn scalar_source(&self, slot: u32) -> ScalarSource {
        match slot.checked_sub(self.slots) {
            Some(literal) => ScalarSource::Literal(self.literals[literal as usize]),
            None => ScalarSource::Slot(slot),
        }
    }

    pub(crate) fn literal(&mut self, value: Scalar) -> GraphArg {
        self.literals.push(value);
        GraphArg::Scalar(self.slots + self.literals.len() as u32 - 1)
    }

    /// The type of a scalar.
    pub(crate) fn scalar_type(&self, slot: u32) -> DType {
        match self.scalar_types.get(slot as usize) {
            Some(&dtype) => dtype,
            None => self.literals[(slot - self.slots) as usize].dtype(),
        }
    }
}

/// Whether the result of a reduction depends on the order of its elements.
pub(crate) fn is_inexact(op: &NodeOp, dtype: DType) -> bool {
    match op {
        NodeOp::Reduce { op: Reduction::Sum | Reduction::Prod, .. }
        | NodeOp::Scan { by: ScanBy::Table(Reduction::Sum | Reduction::Prod), .. } => {
            dtype.is_float() || dtype.is_complex()
        }
        NodeOp::Fold { .. } | NodeOp::Scan { by: ScanBy::User(_), .. } => true,
        _ => false,
    }
}

/// The node whose data an argument of a library call is: reshapes share data.
pub(super) fn stored(graph: &Graph, mut n: u32) -> u32 {
    while let node = &graph.nodes[n as usize]
        && let (NodeOp::Reshape, None, [GraphArg::Node(under)]) =
            (&node.op, node.leaf, &node.args[..])
    {
        n = *under;
    }
    n
}

/// Where the data of a stored node comes from.
pub(super) fn place(graph: &Graph, n: u32) -> Place {
    let node = &graph.nodes[n as usize];
    match (node.leaf, &node.op, &node.args[..]) {
        (Some(leaf), ..) => Place::Leaf(leaf),
        (None, NodeOp::Part(0), [GraphArg::Node(call)]) => Place::Node(*call),
        (None, NodeOp::Part(part), [GraphArg::Node(call)]) => Place::Part(*call, *part),
        _ => Place::Node(n),
    }
}
