//! The body of a loop, as it was recorded (`loops.rs`) or found (`periods.rs`).

use crate::dtype::Scalar;
use crate::plan::{Graph, GraphArg};
use std::sync::Arc;

/// What a turn takes for an array of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// A component of the state.
    State(usize),
    /// Another argument of the loop.
    Captured(usize),
}

impl Source {
    /// The array itself.
    pub(super) fn of<'a, B>(&self, state: &'a [Arc<B>], captured: &'a [Arc<B>]) -> &'a Arc<B> {
        match *self {
            Source::State(k) => &state[k],
            Source::Captured(k) => &captured[k],
        }
    }
}

/// What a turn takes for a number of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Number {
    /// The number of the turn.
    Turn,
    /// A scalar of the loop.
    Given(usize),
}

impl Number {
    /// The number itself, in a turn of a loop with these scalars.
    pub(super) fn of(&self, turn: i64, scalars: &[Scalar]) -> Scalar {
        match *self {
            Number::Turn => Scalar::new(turn),
            Number::Given(k) => scalars[k + 1],
        }
    }
}

/// Where a result of a turn comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum From {
    /// What the turn computes: a node of the body, and which of its outputs.
    Step(u32, u8),
    /// What it was given.
    Given(Source),
}

/// How a loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    /// After as many turns as the loop's first scalar says.
    Count,
    /// When the last result is false; what it is before the first turn is the last argument.
    False,
}

/// The body of a loop.
pub(crate) struct Body {
    pub(super) graph: Graph,
    pub(super) leaves: Vec<Source>,
    pub(super) numbers: Vec<Number>,
    /// The new state, the condition where there is one, then what is stacked.
    pub(super) results: Vec<From>,
    pub(super) states: usize,
    pub(super) end: End,
    /// What is stacked: the bytes of each turn's part.
    pub(super) stacked: Vec<usize>,
}

impl Body {
    pub(super) fn key(&self, graph: u128) -> u128 {
        use std::hash::{Hash, Hasher};
        let mut hasher = rustc_hash::FxHasher::default();
        (&self.leaves, &self.numbers, &self.results).hash(&mut hasher);
        (self.states, self.end, &self.stacked).hash(&mut hasher);
        let scalars = &self.graph.scalar_types;
        scalars.hash(&mut hasher);
        graph.rotate_left(31) ^ u128::from(hasher.finish()) << 32
    }

    /// The same for several turns, one upon the other; none where a result is the state of another
    /// shape.
    pub(super) fn several(&self, turns: usize) -> Option<Body> {
        let own = self.graph.nodes.len();
        let mut graph = self.graph.clone();
        // The number of each node in the last turn that was written.
        let mut now: Vec<u32> = (0..own as u32).collect();
        for _ in 1..turns {
            let mut next = Vec::with_capacity(own);
            for node in &self.graph.nodes[..own] {
                let number = match node.leaf.map(|leaf| self.leaves[leaf as usize]) {
                    Some(Source::State(k)) => match self.results[k] {
                        From::Step(n, 0) => now[n as usize],
                        From::Step(..) => return None,
                        From::Given(Source::State(same)) if same == k => next.len() as u32,
                        From::Given(_) => return None,
                    },
                    Some(Source::Captured(_)) => next.len() as u32,
                    None => {
                        let mut node = node.clone();
                        for arg in &mut node.args {
                            if let GraphArg::Node(n) = arg {
                                *n = next[*n as usize];
                            }
                        }
                        graph.nodes.push(node);
                        graph.nodes.len() as u32 - 1
                    }
                };
                let (given, taken) = (&self.graph.nodes[next.len()], &graph.nodes[number as usize]);
                if given.shape != taken.shape {
                    return None;
                }
                next.push(number);
            }
            now = next;
        }
        for root in &mut graph.roots {
            *root = now[*root as usize];
        }
        let result = |from: &From| match *from {
            From::Step(n, part) => From::Step(now[n as usize], part),
            given => given,
        };
        Some(Body {
            graph,
            leaves: self.leaves.clone(),
            numbers: self.numbers.clone(),
            results: self.results.iter().map(result).collect(),
            states: self.states,
            end: self.end,
            stacked: self.stacked.clone(),
        })
    }

    /// The node that says whether the loop goes on, where a turn computes it and it is no part of the
    /// state.
    pub(super) fn condition(&self) -> Option<u32> {
        match (self.end, self.results.get(self.states)) {
            (End::False, Some(&From::Step(node, 0))) if !self.is_state(node) => Some(node),
            _ => None,
        }
    }

    /// Whether a node is a part of the state that a turn computes.
    pub(super) fn is_state(&self, node: u32) -> bool {
        self.results[..self.states]
            .iter()
            .any(|from| matches!(from, From::Step(n, _) if *n == node))
    }

    /// The graph of a turn.
    pub(super) fn graph(&self) -> &Graph {
        &self.graph
    }
}
