//! Keeps what calls of gufuncs, and of scalar functions in parts, recorded, so that it is recorded
//! again without running through the function.
//!
//! Running through a function symbolically costs several times what the nodes cost that come of
//! it. What comes of it depends on the arguments' shapes and types and on the device alone, so that
//! for a signature that was seen before its nodes are copied, with the new arguments in their
//! places. Numbers beside the arrays are given to each copy anew (`numbers.rs`).

use super::call::Call;
use super::lower::{Lower, Refusal, Results};
use super::numbers::{Numbers, Step};
use crate::array::record;
use crate::backend::Device;
use crate::dtype::{DType, Scalar};
use crate::eval;
use crate::graph::{Arg, Args, Node, NodeOp};
use crate::shape::{Shape, copy_of};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::any::TypeId;
use std::sync::{Arc, LazyLock};

/// What records a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Recorder {
    /// A function as a type.
    Type(TypeId),
    /// A function by its address.
    Code(usize),
}

/// What the nodes of a call depend on: the function, with the types that it was made for, and what
/// its arguments are.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    function: Recorder,
    /// Numbers have no shape.
    args: SmallVec<[(Option<Shape>, DType); 4]>,
    device: Device,
}

/// The nodes of a call on stand-ins.
struct Template {
    /// The nodes, each behind its arguments.
    nodes: Vec<(Arc<Node>, SmallVec<[Source; 2]>)>,
    results: SmallVec<[Source; 2]>,
    /// What is computed from the numbers alone.
    steps: Vec<Step>,
}

/// What is known of a signature.
#[derive(Clone)]
enum Entry {
    /// Its nodes.
    Nodes(Arc<Template>),
    /// The loops cannot be recorded.
    Unprovable,
    /// What is recorded depends on the values of its numbers.
    EachTime,
}

/// Where an argument comes from.
#[derive(Clone)]
enum Source {
    /// An argument of the call.
    Argument(usize),
    /// An earlier node.
    Node(usize),
    /// A number of the call, or computed from such.
    Number(usize),
    /// What is the same for every call: a number, or data.
    Constant(Arg),
}

/// More signatures than this, and all are forgotten.
const MOST: usize = 1024;

type Known = FxHashMap<Key, Entry>;
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

impl Call {
    /// The nodes of a call, as they were recorded before if they were.
    pub(super) fn recorded_once<F>(
        &self,
        name: &'static str,
        lower: F,
    ) -> Result<Vec<Arc<Node>>, Refusal>
    where
        F: Fn(&Lower, &Call) -> Result<Results, Refusal> + 'static,
    {
        // What a closure holds would become part of the nodes.
        match size_of::<F>() {
            0 => self.recorded_by(Recorder::Type(TypeId::of::<F>()), name, lower),
            _ => self.recorded(name, lower),
        }
    }

    /// The same for what is known by the address of its code. Of two functions with one address
    /// the code is the same, and so is what it records.
    pub(crate) fn recorded_once_at(
        &self,
        name: &'static str,
        lower: fn(&Lower, &Call) -> Result<Results, Refusal>,
    ) -> Result<Vec<Arc<Node>>, Refusal> {
        self.recorded_by(Recorder::Code(lower as usize), name, lower)
    }

    fn recorded_by<F>(
        &self,
        function: Recorder,
        name: &'static str,
        lower: F,
    ) -> Result<Vec<Arc<Node>>, Refusal>
    where
        F: Fn(&Lower, &Call) -> Result<Results, Refusal>,
    {
        let about = |arg: &Arg| match arg {
            Arg::Node(node) => (Some(copy_of(&node.shape)), node.dtype),
            Arg::Scalar(number) => (None, number.dtype()),
        };
        let args = self.args().iter().map(about).collect();
        let key = Key { function, args, device: self.device() };
        let known = KNOWN.lock().get(&key).cloned();
        let entry = match known {
            Some(entry) => entry,
            None => {
                let entry = self.entry(name, &lower)?;
                let mut known = KNOWN.lock();
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(key, entry.clone());
                entry
            }
        };
        match entry {
            Entry::Nodes(template) => Ok(template.nodes(self.args())),
            Entry::Unprovable => Err(Refusal::Unprovable),
            Entry::EachTime => self.recorded(name, lower),
        }
    }

    /// Records the call on stand-ins.
    fn entry<F>(&self, name: &'static str, lower: &F) -> Result<Entry, Refusal>
    where
        F: Fn(&Lower, &Call) -> Result<Results, Refusal>,
    {
        let stand_in = |arg: &Arg| match arg {
            Arg::Node(node) => Arg::Node(Node::new(
                NodeOp::Source,
                Args::new(),
                copy_of(&node.shape),
                node.dtype,
                node.device,
            )),
            number => number.clone(),
        };
        let call = self.with_args(self.args().iter().map(stand_in).collect());
        let recording = call.recording(name);
        let numbers = call.args().iter().filter(|arg| matches!(arg, Arg::Scalar(_)));
        recording.numbers.replace(Numbers::of_call(numbers.map(Arg::dtype)));
        let results = eval::while_recording(|| lower(&recording, &call));
        let numbers = recording.numbers.into_inner();
        match results {
            _ if numbers.asked => Ok(Entry::EachTime),
            Ok(results) => Ok(match Template::new(call.args(), numbers, results) {
                Some(template) => Entry::Nodes(Arc::new(template)),
                None => Entry::EachTime,
            }),
            Err(Refusal::Unprovable) => Ok(Entry::Unprovable),
            Err(failed) => Err(failed),
        }
    }
}

impl Template {
    /// The nodes of a recording on stand-ins; nothing where a number is more than a number beside
    /// arrays to one of them.
    fn new(args: &[Arg], numbers: Numbers, results: Results) -> Option<Template> {
        let mut sources: FxHashMap<*const Node, Source> = FxHashMap::default();
        for (k, arg) in args.iter().enumerate() {
            if let Arg::Node(node) = arg {
                sources.insert(Arc::as_ptr(node), Source::Argument(k));
            }
        }
        for (k, node) in numbers.stand_ins() {
            sources.insert(Arc::as_ptr(node), Source::Number(k));
        }
        let mut nodes = Vec::new();
        let results: SmallVec<[Arc<Node>; 2]> =
            results.into_iter().map(|result| result.0).collect();
        // Depth first, each node seen once before its arguments and once behind them.
        let mut waiting: Vec<(Arc<Node>, bool)> =
            results.iter().rev().map(|node| (node.clone(), false)).collect();
        while let Some((node, ready)) = waiting.pop() {
            let at = Arc::as_ptr(&node);
            if sources.contains_key(&at) {
                continue;
            }
            if node.is_evaluated() {
                sources.insert(at, Source::Constant(Arg::Node(node)));
                continue;
            }
            let args = node.state().args.clone();
            if !ready {
                waiting.push((node, true));
                waiting.extend(args.into_iter().rev().filter_map(|arg| match arg {
                    Arg::Node(node) => Some((node, false)),
                    Arg::Scalar(_) => None,
                }));
                continue;
            }
            let source = |arg: &Arg| match arg {
                Arg::Node(node) => sources[&Arc::as_ptr(node)].clone(),
                Arg::Scalar(_) => Source::Constant(arg.clone()),
            };
            let from: SmallVec<[Source; 2]> = args.iter().map(source).collect();
            let takes_numbers =
                matches!(node.op, NodeOp::Map(_) | NodeOp::Call { .. } | NodeOp::Full);
            if !takes_numbers && from.iter().any(|source| matches!(source, Source::Number(_))) {
                return None;
            }
            sources.insert(at, Source::Node(nodes.len()));
            nodes.push((node, from));
        }
        let results = results.iter().map(|node| sources[&Arc::as_ptr(node)].clone()).collect();
        Some(Template { nodes, results, steps: numbers.into_steps() })
    }

    /// Records the nodes for other arguments.
    fn nodes(&self, args: &[Arg]) -> Vec<Arc<Node>> {
        let numbers = self.numbers(args);
        let mut made: Vec<Arc<Node>> = Vec::with_capacity(self.nodes.len());
        let arg = |source: &Source, made: &[Arc<Node>]| match source {
            Source::Argument(k) => args[*k].clone(),
            Source::Node(k) => Arg::Node(made[*k].clone()),
            Source::Number(k) => Arg::Scalar(numbers[*k]),
            Source::Constant(arg) => arg.clone(),
        };
        for (node, from) in &self.nodes {
            let list = from.iter().map(|source| arg(source, &made)).collect();
            made.push(record::record_like(node, list));
        }
        let result = |source: &Source| match arg(source, &made) {
            Arg::Node(node) => node,
            Arg::Scalar(_) => unreachable!("a result is a node"),
        };
        self.results.iter().map(result).collect()
    }

    /// The numbers among the arguments, and what is computed from them.
    fn numbers(&self, args: &[Arg]) -> Vec<Scalar> {
        let number = |arg: &Arg| match arg {
            Arg::Scalar(number) => Some(*number),
            Arg::Node(_) => None,
        };
        let mut numbers = args.iter().filter_map(number).collect();
        self.steps.iter().for_each(|step| step.run(&mut numbers));
        numbers
    }
}
