//! The graph as the planner sees it: nodes by number, arguments before their users.

use super::{ScalarSource, calls, one_order};
use crate::dtype::{DType, Scalar};
use crate::graph::NodeOp;
use crate::library::linalg::Activation;
use crate::shape::{Shape, len};
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
    /// Whether the node computes something, so that storing it may save work. Views and
    /// generated values are never worth a store.
    pub(crate) fn is_computation(&self) -> bool {
        self.leaf.is_none()
            && matches!(
                self.op,
                NodeOp::Map(_)
                    | NodeOp::Call { .. }
                    | NodeOp::Random(_)
                    | NodeOp::Cast
                    | NodeOp::Reduce { .. }
                    | NodeOp::Fold { .. }
                    | NodeOp::Scan { .. }
                    | NodeOp::Concat { .. }
                    | NodeOp::Assign(_)
            )
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
    /// Adds a node, simplified: what is known without a kernel is replaced by what it equals.
    pub(crate) fn push(&mut self, mut node: GraphNode) -> u32 {
        if let Some(axes) = node.op.reduced()
            && node.leaf.is_none()
            && let GraphArg::Node(input) = node.args[0]
        {
            let shape = &self.nodes[input as usize].shape;
            if (0..shape.len()).any(|k| axes & (1 << k) != 0 && shape[k] == 0) {
                let identity = match &node.op {
                    NodeOp::Reduce { op, .. } => op.identity_value(node.dtype),
                    NodeOp::Fold { fold, output, .. } => fold.identity[*output as usize],
                    _ => unreachable!("the operation is a reduction"),
                };
                node.args = SmallVec::from_iter([self.literal(identity)]);
                node.op = NodeOp::Full;
            }
        }
        // Of no elements there is nothing to compute, and no array to keep for other kernels.
        let computed = node.op.reduced().is_some() || matches!(node.op, NodeOp::Scan { .. });
        if node.leaf.is_none() && computed && node.len() == 0 {
            node.args = SmallVec::from_iter([self.literal(Scalar::from_f64(node.dtype, 0.0))]);
            node.op = NodeOp::Full;
        }
        if node.leaf.is_none() {
            calls::absorb_views(self, &mut node);
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Whether a reduction is a loop of one thread whatever its kernel does besides.
    pub(super) fn is_in_order(&self, n: usize) -> bool {
        self.in_one_order && one_order::is_inexact(&self.nodes[n].op, self.nodes[n].dtype)
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
