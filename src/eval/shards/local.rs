//! What each share has of an array, and what is stored and moved between the stages.

use crate::dtype::Scalar;
use crate::graph::Node;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A node of one share's own graph.
#[derive(Clone)]
pub(super) struct Local {
    /// The node, on the share's device.
    pub node: Arc<Node>,
    /// The first stage in which it can be computed: one behind that of every move below it.
    pub stage: usize,
}

/// What an array of several devices is on each of them.
#[derive(Clone)]
pub(super) struct Form {
    /// The axis along which it is cut; each share has all of it where there is none.
    pub cut: Option<usize>,
    /// For each share its block.
    pub shares: Vec<Local>,
    /// An array that each share has and that holds the same, where there is one: its rows need not
    /// be moved.
    pub whole: Option<Arc<Node>>,
}

/// Bytes that go from a stored array of one share to an array of another.
pub(super) struct Move {
    /// The array that is read.
    pub from: Arc<Node>,
    /// The byte at which the piece begins.
    pub start: usize,
    /// The node that gets the piece as its data.
    pub to: Arc<Node>,
    /// Of an array that is read where it is, how many bytes are read.
    pub stays: Option<usize>,
}

/// What is done before the next stage can be computed.
#[derive(Default)]
pub(super) struct Stage {
    /// Library calls whose arguments an earlier stage stored: they are not part of a kernel, and no
    /// arithmetic is asked of them.
    pub calls: Vec<Arc<Node>>,
    /// What is stored, with the share that stores it.
    pub stored: Vec<(usize, Arc<Node>)>,
    /// What is stored then, in strict arithmetic.
    pub strict: Vec<(usize, Arc<Node>)>,
    /// What is moved then.
    pub moves: Vec<Move>,
}

impl Stage {
    /// How much there is of each kind.
    pub(super) fn lengths(&self) -> [usize; 4] {
        [self.calls.len(), self.stored.len(), self.strict.len(), self.moves.len()]
    }

    /// Keeps so much of each kind.
    pub(super) fn cut(&mut self, [calls, stored, strict, moves]: [usize; 4]) {
        self.calls.truncate(calls);
        self.stored.truncate(stored);
        self.strict.truncate(strict);
        self.moves.truncate(moves);
    }
}

/// An argument of a local node.
pub(super) enum Input<'a> {
    /// An array of the share.
    Local(&'a Local),
    /// A number.
    Scalar(Scalar),
}

/// What local nodes are made of.
#[derive(Default)]
pub(super) struct Made {
    /// The local nodes that have their data, in the order of the graph's leaves and the shares.
    pub leaves: Vec<Arc<Node>>,
    /// For a local node, the node of the graph and the argument that each of its scalars is.
    pub origins: FxHashMap<*const Node, Vec<(*const Node, usize)>>,
}
