//! Loops as nodes: the recording of a body, and its runs.
//!
//! A body is recorded once, on stand-ins ([`NodeOp::StandIn`]) for the state, for the items of a
//! scan and for the number of the turn. What it reads besides and what does not depend on these
//! becomes an argument of the loop, computed once before the first turn; numbers travel as scalars.
//! So two recordings of one loop have one key and one plan, wherever their data lies.
//!
//! - The body's graph is a copy in which every stand-in is an array of its own. An array that leaves
//!   the body otherwise than as a result stays a stand-in, which nobody can plan
//!   ([`refuse_stand_ins`]).
//! - What turns stack is written where it belongs: each turn's part begins at a multiple of
//!   [`ALIGNED`] bytes, so that packs stay packs.
//!
//! `turns.rs` runs what is recorded here.

use super::body::{Body, End, From, Number, Source};
use super::walk::Walk;
use super::{between_evaluations, holder, is_recording, recording, targets_of};
use crate::backend::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, Node, NodeOp, Walks};
use crate::plan::Graph;
use crate::shape::{self, Shape};
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use std::cell::Cell;
use std::sync::Arc;

/// Each turn's part of what a loop stacks begins at a multiple of so many bytes.
const ALIGNED: usize = 16;
/// A turn makes what is made of positions and numbers by so few nodes again, rather than read it.
pub(super) const MOST_MADE_AGAIN: usize = 12;
/// A turn reads what so few views show, rather than have it stored.
pub(super) const MOST_VIEWS: usize = 8;

thread_local! {
    /// How many bodies this thread records, one inside of the other.
    static BODIES: Cell<u32> = const { Cell::new(0) };
    /// Whether the innermost of them drew random numbers.
    static DREW: Cell<bool> = const { Cell::new(false) };
}

/// Tells the body that is recorded in this thread, if any, that random numbers were drawn, which
/// would be the same in every turn.
pub(crate) fn tell_of_draw() {
    if BODIES.get() > 0 {
        DREW.set(true);
    }
}

/// Runs the function of a body. Says whether it drew random numbers.
pub(crate) fn in_body<R>(f: impl FnOnce() -> R) -> (R, bool) {
    struct Restore(u32, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            BODIES.set(self.0);
            DREW.set(self.1);
        }
    }
    let _restore = Restore(BODIES.replace(BODIES.get() + 1), DREW.replace(false));
    let result = recording::while_recording(f);
    (result, DREW.get())
}

/// A body with what its loop is to be given.
pub(crate) struct Recorded {
    /// The body.
    pub body: Body,
    /// What it computes, in short.
    pub key: u128,
    /// What it reads besides the state.
    pub captured: Vec<Arc<Node>>,
    /// Its numbers.
    pub scalars: Vec<Scalar>,
}

/// What a body was recorded on and what it gave.
pub(crate) struct Function<'a> {
    /// The stand-ins for the state.
    pub state: &'a [Arc<Node>],
    /// The stand-in for the number of the turn.
    pub turn: &'a Arc<Node>,
    /// The new state, and the condition where there is one.
    pub results: &'a [Arc<Node>],
    /// What is stacked: each with as many elements as a turn's part has.
    pub stacked: &'a [Arc<Node>],
    /// How the loop ends.
    pub end: End,
}

/// Makes a body of what a function recorded.
///
/// # Errors
/// Inside of an evaluation.
pub(crate) fn record_body(function: &Function) -> Result<Recorded> {
    recording::while_recording(|| between_evaluations(|walks| recorded(function, walks)))
        .ok_or_else(|| Error::unsupported("a loop is recorded inside of an evaluation"))?
}

fn recorded(function: &Function, walks: &mut Walks) -> Result<Recorded> {
    let device = function.turn.device;
    let mut copy = Copy::new(function, device)?;
    let mut results: Vec<Arc<Node>> =
        function.results.iter().map(|node| copy.of(node)).collect::<Result<_>>()?;
    if let (End::False, Some((condition, state))) = (function.end, results.split_last_mut())
        && state.iter().any(|node| Arc::ptr_eq(node, condition))
    {
        // A node of its own, so that turns that are launched ahead may store it elsewhere than the state.
        *condition = copied(condition);
    }
    for node in function.stacked {
        // A node of its own, so that a turn's part is written by a kernel and read by nobody.
        results.push(copied(&copy.of(node)?));
    }
    let targets = targets_of(&results);
    let mut walk = Walk::new(walks);
    walk.as_a_whole = true;
    walk.with_windows = false;
    walk.walk(targets.iter(), None);
    let (mut leaves, mut numbers, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
    for &node in &walk.nodes {
        if node.is_evaluated() {
            leaves.push(copy.sources[&Arc::as_ptr(node)]);
            continue;
        }
        for arg in &node.state().args {
            if let Arg::Scalar(value) = arg {
                if Arc::ptr_eq(node, &copy.turn) {
                    numbers.push(Number::Turn);
                } else {
                    numbers.push(Number::Given(scalars.len()));
                    scalars.push(*value);
                }
            }
        }
    }
    let from = |node: &Arc<Node>| {
        let under = holder(node);
        match walk.place(&under).filter(|_| !under.is_evaluated()) {
            Some(n) => From::Step(n, recording::part(node).unwrap_or(0)),
            None => From::Given(copy.sources[&Arc::as_ptr(&under)]),
        }
    };
    let results: Vec<From> = results.iter().map(from).collect();
    let stacked = function.stacked.iter().map(|node| part_bytes(node.len(), node.dtype)).collect();
    let body = Body {
        graph: walk.graph(),
        leaves,
        numbers,
        results,
        states: function.state.len(),
        end: function.end,
        stacked,
    };
    let key = body.key(walk.key());
    drop(walk);
    Ok(Recorded { body, key, captured: copy.captured, scalars })
}

/// A node of its own that has the values of another.
fn copied(node: &Arc<Node>) -> Arc<Node> {
    let (shape, dtype, device) = (node.shape.clone(), node.dtype, node.device);
    Node::new(NodeOp::Cast, smallvec![Arg::from(node)], shape, dtype, device)
}

/// The copy of a body's graph in which stand-ins and what does not depend on them are arrays.
struct Copy {
    device: Device,
    /// The number of the turn.
    turn: Arc<Node>,
    /// What each node has become; none where it does not depend on a stand-in.
    known: FxHashMap<*const Node, Option<Arc<Node>>>,
    /// What stands for each array.
    sources: FxHashMap<*const Node, Source>,
    captured: Vec<Arc<Node>>,
    stand_ins: FxHashMap<*const Node, Arc<Node>>,
    /// The nodes that the pointers above belong to.
    alive: Vec<Arc<Node>>,
    /// Whether numbers may be others when the loop runs again: those that arrays are made of are
    /// then its arguments.
    is_compiled: bool,
}

impl Copy {
    fn new(function: &Function, device: Device) -> Result<Copy> {
        let number = smallvec![Arg::Scalar(Scalar::new(0i64))];
        let turn = Node::new(NodeOp::Full, number, Shape::new(), DType::I64, device);
        let known = (Arc::as_ptr(function.turn), Some(turn.clone()));
        let mut copy = Copy {
            device,
            turn,
            known: FxHashMap::from_iter([known]),
            sources: FxHashMap::default(),
            captured: Vec::new(),
            stand_ins: FxHashMap::default(),
            alive: Vec::new(),
            is_compiled: recording::is_compiled(),
        };
        for (k, node) in function.state.iter().enumerate() {
            let array = copy.array(node, Source::State(k))?;
            copy.known.insert(Arc::as_ptr(node), Some(array));
        }
        Ok(copy)
    }

    /// An array of its own in the place of a node. Its memory is nobody's: it is never run.
    fn array(&mut self, node: &Arc<Node>, source: Source) -> Result<Arc<Node>> {
        let nothing = Arc::new(self.device.backend().allocate(0)?);
        let array = Node::shared(nothing, node.shape.clone(), node.dtype, node.device);
        self.sources.insert(Arc::as_ptr(&array), source);
        self.alive.push(array.clone());
        Ok(array)
    }

    /// A node of the body as the copy has it.
    fn of(&mut self, node: &Arc<Node>) -> Result<Arc<Node>> {
        self.visit(node)?;
        match &self.known[&Arc::as_ptr(node)] {
            Some(copied) => Ok(copied.clone()),
            None => self.given(node),
        }
    }

    /// Copies what depends on a stand-in, arguments first.
    fn visit(&mut self, root: &Arc<Node>) -> Result<()> {
        let mut waiting: Vec<(Arc<Node>, bool)> = vec![(root.clone(), false)];
        while let Some((node, entered)) = waiting.pop() {
            if self.known.contains_key(&Arc::as_ptr(&node)) {
                continue;
            }
            let args = node.state().args.clone();
            let nodes = || args.iter().filter_map(node_of);
            if !entered && !node.is_evaluated() {
                waiting.push((node.clone(), true));
                let unknown = nodes().filter(|arg| !self.known.contains_key(&Arc::as_ptr(arg)));
                waiting.extend(unknown.map(|arg| (arg.clone(), false)));
                continue;
            }
            let depends = nodes().any(|arg| self.known[&Arc::as_ptr(arg)].is_some());
            let copied = if depends { Some(node.like(self.arguments(&args)?)) } else { None };
            self.known.insert(Arc::as_ptr(&node), copied);
            self.alive.push(node);
        }
        Ok(())
    }

    fn arguments(&mut self, args: &Args) -> Result<Args> {
        let argument = |arg: &Arg| match arg {
            Arg::Node(node) => match self.known[&Arc::as_ptr(node)].clone() {
                Some(copied) => Ok(Arg::Node(copied)),
                None => self.given(node).map(Arg::Node),
            },
            Arg::Scalar(value) => Ok(Arg::Scalar(*value)),
        };
        args.iter().map(argument).collect()
    }

    /// What does not depend on a stand-in: an argument of the loop, but for what is as cheap to make
    /// again, and views, which are of what they show.
    fn given(&mut self, node: &Arc<Node>) -> Result<Arc<Node>> {
        if is_generated(node, self.is_compiled) {
            return Ok(node.clone());
        }
        if let Some(known) = self.stand_ins.get(&Arc::as_ptr(node)) {
            return Ok(known.clone());
        }
        if node.device.differs(self.device) {
            return Err(Error::device(format!(
                "the body reads an array on {}, and the state is on {}",
                node.device, self.device
            )));
        }
        let array = match under_views(node) {
            _ if node.len() == 0 => {
                let nothing = smallvec![Arg::Scalar(Scalar::from_f64(node.dtype, 0.0))];
                Node::new(NodeOp::Full, nothing, node.shape.clone(), node.dtype, node.device)
            }
            Some((views, under)) if under.len() > 0 => {
                let under = self.given(&under)?;
                let over = |under, view: &Arc<Node>| view.like(smallvec![Arg::Node(under)]);
                views.iter().rev().fold(under, over)
            }
            _ => {
                self.captured.push(node.clone());
                self.array(node, Source::Captured(self.captured.len() - 1))?
            }
        };
        self.stand_ins.insert(Arc::as_ptr(node), array.clone());
        self.alive.push(node.clone());
        Ok(array)
    }
}

/// The views that a node is, itself first, and what they show; none where it is none, or so many of
/// them that what they show together is better stored.
fn under_views(node: &Arc<Node>) -> Option<(Vec<Arc<Node>>, Arc<Node>)> {
    let (mut views, mut under) = (Vec::new(), node.clone());
    while matches!(under.op, NodeOp::View(_) | NodeOp::Reshape) && !under.is_evaluated() {
        let next = under.state().args.first().and_then(node_of).cloned()?;
        views.push(std::mem::replace(&mut under, next));
    }
    (1..=MOST_VIEWS).contains(&views.len()).then_some((views, under))
}

fn node_of(arg: &Arg) -> Option<&Arc<Node>> {
    match arg {
        Arg::Node(node) => Some(node),
        Arg::Scalar(_) => None,
    }
}

/// Whether a node is made of positions by few operations, and of numbers unless those may change.
fn is_generated(node: &Arc<Node>, numbers_change: bool) -> bool {
    let (mut waiting, mut met) = (vec![node.clone()], 0);
    while let Some(node) = waiting.pop() {
        met += 1;
        let changes = node.op == NodeOp::Full && numbers_change;
        let is_cheap = node.op.may_be_made_again() && !changes;
        if !is_cheap || node.is_evaluated() || met > MOST_MADE_AGAIN {
            return false;
        }
        waiting.extend(node.state().args.iter().filter_map(node_of).cloned());
    }
    true
}

/// Refuses to plan what stands on a stand-in: outside of its loop it has no value.
///
/// # Errors
/// Where a graph has one.
pub(super) fn refuse_stand_ins(graph: &Graph) -> Result<()> {
    if !graph.nodes.iter().any(|node| node.leaf.is_none() && node.op == NodeOp::StandIn) {
        return Ok(());
    }
    Err(no_value())
}

/// The error of what stands on a stand-in and is asked for its value.
#[cold]
pub(super) fn no_value() -> Error {
    let why = match is_recording() {
        true => {
            "the body of a loop asks for values of its state, which are not there while it is \
             recorded; while_loop has conditions"
        }
        false => {
            "an array of a loop's body is used outside of the loop: return it as part of the state"
        }
    };
    Error::unsupported(why)
}

/// The bytes that each turn's part of a stack takes, for so many elements.
fn part_bytes(len: usize, dtype: DType) -> usize {
    (len * dtype.size()).next_multiple_of(ALIGNED)
}

/// The elements of that many bytes more than a part needs.
pub(crate) fn padding(shape: &[usize], dtype: DType) -> usize {
    let len = shape::len(shape);
    part_bytes(len, dtype) / dtype.size() - len
}
