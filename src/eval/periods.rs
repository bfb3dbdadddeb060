//! Recorded loops as loops.
//!
//! A program that records many steps and evaluates them at once gives the planner one long graph.
//! Where its nodes come again ([`period::find`]) and all turns can be one launch, the turns become a
//! [`Turns`] call as [`repeat`](crate::repeat) makes one: what is compiled does not grow with them, and
//! rows and tiles stay on the chip from the first one to the last. Elsewhere steps are fused as they
//! were recorded.
//!
//! A graph has no values of scalars, and turns must have the same ones. So a plan with such a loop says
//! which slots have to agree ([`Known::same`]), and is found only for walks whose scalars do
//! ([`Walk::repeats`]); others have a plan of their own.

use super::body::{Body, End, From, Number, Source};
use super::loops::{MOST_MADE_AGAIN, MOST_VIEWS};
use super::ready::Known;
use super::recording;
use super::walk::Walk;
use crate::dtype::{DType, Scalar};
use crate::graph::{Arg, NodeOp};
use crate::library::Library;
use crate::library::turns::Turns;
use crate::plan::period::{self, Order, Period};
use crate::plan::{Graph, GraphArg, GraphNode};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::{SmallVec, smallvec};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A graph with a recorded loop in it, and what else is known of the loop.
pub(crate) struct Rolled {
    /// The graph, each node at the number that it had: the call stands for one of the first turns, and
    /// what the loop gives for what the last turns made.
    pub graph: Graph,
    /// What the plan of it knows.
    pub known: Known,
    /// The body.
    pub body: Arc<Body>,
}

/// The scalars of a walk, to be compared with each other; none where turns may not be taken together.
pub(super) struct Values {
    /// The scalars by slot; none where one is another at the next run.
    scalars: Vec<Option<Scalar>>,
}

impl Values {
    fn is_same(&self, a: u32, b: u32) -> bool {
        let value = |slot: u32| self.scalars.get(slot as usize).copied().flatten();
        a == b || value(a).is_some_and(|a| value(b) == Some(a))
    }
}

impl Walk<'_> {
    /// The scalars of the walk. What is recorded to be run with other scalars has those of stand-ins,
    /// which are nodes of their own, where a function is compiled; else any of them may be another.
    pub(super) fn values(&self) -> Option<Values> {
        let scalars = self.scalars.iter().copied().map(Some);
        if !recording::is_recording() {
            return Some(Values { scalars: scalars.collect() });
        }
        if !recording::is_compiled() {
            return None;
        }
        let mut scalars: Vec<Option<Scalar>> = scalars.collect();
        let mut slot = 0;
        for node in self.nodes.iter().filter(|node| !node.is_evaluated()) {
            let own = node.state().args.iter().filter(|arg| matches!(arg, Arg::Scalar(_))).count();
            if node.op == NodeOp::Full {
                scalars[slot..slot + own].fill(None);
            }
            slot += own;
        }
        Some(Values { scalars })
    }

    /// Whether the turns of a plan's recorded loop have the same scalars here.
    pub(super) fn repeats(&self, known: &Known) -> bool {
        let mut same = known.same.iter();
        if !recording::is_recording() {
            return same.all(|&(a, b)| self.scalars[a as usize] == self.scalars[b as usize]);
        }
        self.values().is_some_and(|values| same.all(|&(a, b)| values.is_same(a, b)))
    }
}

/// The graph with its recorded loop as a loop; none where it has none.
pub(super) fn rolled(graph: &Graph, order: Order, values: &Values) -> Option<Rolled> {
    let is_literal = |slot: u32| slot >= graph.slots;
    let same = |a: u32, b: u32| match (is_literal(a), is_literal(b)) {
        (false, false) => values.is_same(a, b),
        (true, true) => {
            let literal = |slot: u32| graph.literals[(slot - graph.slots) as usize];
            literal(a) == literal(b)
        }
        _ => false,
    };
    let period = period::find(graph, order, &same)?;
    let mut writer = Writer::new(graph);
    let results = writer.turn(&period);
    writer.rolled((&period, order), results)
}

/// Writes the body of a loop.
struct Writer<'g> {
    graph: &'g Graph,
    body: Graph,
    leaves: Vec<Source>,
    /// The number of each node in the body.
    map: FxHashMap<u32, u32>,
    /// The nodes that the body reads besides its state.
    captured: Vec<u32>,
    /// The number of each scalar in the body, and the scalars of the loop.
    slots: FxHashMap<u32, u32>,
    given: Vec<u32>,
}

impl<'g> Writer<'g> {
    fn new(graph: &'g Graph) -> Writer<'g> {
        Writer {
            graph,
            body: Graph::default(),
            leaves: Vec::new(),
            map: FxHashMap::default(),
            captured: Vec::new(),
            slots: FxHashMap::default(),
            given: Vec::new(),
        }
    }

    /// Writes the last turn, and gives what it hands on.
    fn turn(&mut self, period: &Period) -> Vec<From> {
        let states = &period.states;
        let arrays: Vec<u32> =
            (0..states.len()).map(|k| self.array(states[k].node, Source::State(k))).collect();
        // What the turns before made, as this one reads it.
        for (state, &array) in states.iter().zip(&arrays) {
            self.map.insert(state.read, array);
        }
        for &n in &period.turn {
            // What nobody reads is no part of the body.
            if self.graph.nodes[n as usize].leaf.is_none() {
                self.write(n);
            }
        }
        let handed_on = |state: &period::State| match state.delay {
            1 => From::Step(self.map[&state.node], 0),
            delay => {
                let next =
                    |other: &period::State| other.node == state.node && other.delay + 1 == delay;
                let next = states.iter().position(next).expect("what is read later is kept");
                From::Given(Source::State(next))
            }
        };
        let results: Vec<From> = states.iter().map(handed_on).collect();
        let mut roots: Vec<u32> = results
            .iter()
            .filter_map(|result| match *result {
                From::Step(n, _) => Some(n),
                From::Given(_) => None,
            })
            .collect();
        roots.dedup();
        self.body.roots = roots;
        results
    }

    /// An array of the body, of a node's shape and type.
    fn array(&mut self, like: u32, source: Source) -> u32 {
        let GraphNode { shape, dtype, .. } = &self.graph.nodes[like as usize];
        self.body.nodes.push(GraphNode {
            op: NodeOp::Source,
            args: SmallVec::new(),
            shape: shape.clone(),
            dtype: *dtype,
            leaf: Some(self.leaves.len() as u32),
            window: None,
            held: false,
            activation: None,
        });
        self.leaves.push(source);
        self.body.nodes.len() as u32 - 1
    }

    /// Writes a node, whose arguments are written where they are part of the turn and given else.
    fn write(&mut self, n: u32) -> u32 {
        let mut node = self.graph.nodes[n as usize].clone();
        for arg in &mut node.args {
            *arg = match *arg {
                GraphArg::Node(n) => GraphArg::Node(self.given(n)),
                GraphArg::Scalar(slot) => GraphArg::Scalar(self.scalar(slot)),
            };
        }
        self.body.nodes.push(node);
        let own = self.body.nodes.len() as u32 - 1;
        self.map.insert(n, own);
        own
    }

    /// A node as the body has it. What no turn makes is an array, but for what is as cheap to make
    /// again, and views, which are of what they show.
    fn given(&mut self, n: u32) -> u32 {
        if let Some(&known) = self.map.get(&n) {
            return known;
        }
        let node = &self.graph.nodes[n as usize];
        let is_view = matches!(node.op, NodeOp::View(_) | NodeOp::Reshape) && node.leaf.is_none();
        if is_generated(self.graph, n) || (is_view && self.shows_a_whole_array(n)) {
            return self.write(n);
        }
        self.captured.push(n);
        let own = self.array(n, Source::Captured(self.captured.len() - 1));
        self.map.insert(n, own);
        own
    }

    /// Whether views, not too many of them, show an array that is no window of another one.
    fn shows_a_whole_array(&self, mut n: u32) -> bool {
        for _ in 0..=MOST_VIEWS {
            let node = &self.graph.nodes[n as usize];
            n = match (&node.op, node.leaf, &node.args[..]) {
                (NodeOp::View(_) | NodeOp::Reshape, None, [GraphArg::Node(under)]) => *under,
                _ => return node.window.is_none(),
            };
        }
        false
    }

    /// A scalar as the body has it: an argument of the loop.
    fn scalar(&mut self, slot: u32) -> u32 {
        *self.slots.entry(slot).or_insert_with(|| {
            self.given.push(slot);
            self.given.len() as u32 - 1
        })
    }

    /// The graph with the loop in it; none where what reads the loop comes before what the loop reads.
    fn rolled(self, (period, order): (&Period, Order), results: Vec<From>) -> Option<Rolled> {
        let Writer { graph: old, mut body, leaves, captured, given, .. } = self;
        body.slots = given.len() as u32;
        body.scalar_types = given.iter().map(|&slot| old.scalar_type(slot)).collect();
        let states = &period.states;
        let body = Body {
            graph: body,
            leaves,
            numbers: (0..given.len()).map(Number::Given).collect(),
            results,
            states: states.len(),
            end: End::Count,
            stacked: Vec::new(),
        };
        let like = |state: &period::State| &old.nodes[state.node as usize];
        let outputs = states.iter().map(|state| (like(state).len(), like(state).dtype)).collect();
        let key = body.key(hash_of(&body.graph));
        let body = Arc::new(body);
        let turns = Turns { name: "recorded loop", outputs, key, body: body.clone() };

        let mut graph = old.clone();
        let nothing = graph.literal(Scalar::new(0u8));
        for &n in &period.nodes {
            let node = &mut graph.nodes[n as usize];
            (node.op, node.args, node.activation) = (NodeOp::Full, smallvec![nothing], None);
            (node.shape, node.dtype) = (SmallVec::new(), DType::U8);
        }
        // Behind all that the loop reads, and before all that it gives.
        let read = states.iter().map(|state| state.start).chain(captured.iter().copied()).max();
        let ends = states.iter().map(|state| state.end);
        let is_free = |&&n: &&u32| read.is_none_or(|read| n > read);
        let call = *period.nodes.iter().filter(is_free).min()?;
        if ends.clone().any(|end| end <= call) {
            return None;
        }
        let count = graph.literal(Scalar::new(period.turns as i64));
        let arrays = states.iter().map(|state| state.start).chain(captured).map(GraphArg::Node);
        let numbers = given.into_iter().map(GraphArg::Scalar);
        let bundle: usize = turns.outputs.iter().map(|(len, dtype)| len * dtype.size()).sum();
        let node = &mut graph.nodes[call as usize];
        node.args = arrays.chain([count]).chain(numbers).collect();
        node.op = NodeOp::Library(Arc::new(Library::Turns(turns)));
        node.shape = smallvec![bundle];
        if let [state] = &states[..] {
            (node.shape, node.dtype) = (like(state).shape.clone(), like(state).dtype);
        }
        for (k, state) in states.iter().enumerate() {
            let node = &mut graph.nodes[state.end as usize];
            node.op = if states.len() == 1 { NodeOp::Reshape } else { NodeOp::Part(k as u8) };
            node.args = smallvec![GraphArg::Node(call)];
            (node.shape, node.dtype) = (like(state).shape.clone(), like(state).dtype);
        }
        let ends: Vec<u32> = ends.collect();
        let is_end: FxHashSet<u32> = ends.iter().copied().collect();
        let asked = graph.roots.len();
        graph.roots.retain(|root| !is_end.contains(root));
        if graph.roots.len() < asked {
            graph.roots.push(call);
        }
        let of_the_walk = |&&(a, b): &&(u32, u32)| a < old.slots && b < old.slots;
        let same = period.same.iter().filter(of_the_walk).copied().collect();
        let known = Known { call, ends, same, order };
        Some(Rolled { graph, known, body })
    }
}

/// Whether a node is made of positions and numbers by few operations.
fn is_generated(graph: &Graph, n: u32) -> bool {
    let (mut waiting, mut met) = (vec![n], 0);
    while let Some(n) = waiting.pop() {
        let node = &graph.nodes[n as usize];
        met += 1;
        let is_cheap = node.op.may_be_made_again();
        if !is_cheap || node.leaf.is_some() || met > MOST_MADE_AGAIN {
            return false;
        }
        waiting.extend(node.args.iter().filter_map(|arg| match arg {
            GraphArg::Node(n) => Some(*n),
            GraphArg::Scalar(_) => None,
        }));
    }
    true
}

/// What a graph computes, in short.
fn hash_of(graph: &Graph) -> u128 {
    let hash = |seed: u64| {
        let mut hasher = FxHasher::default();
        (seed, graph.slots, &graph.roots).hash(&mut hasher);
        for node in &graph.nodes {
            (&node.op, &node.args, &node.shape, node.dtype, node.leaf).hash(&mut hasher);
        }
        u128::from(hasher.finish())
    };
    hash(1) << 64 | hash(2)
}
