//! What calls of gufuncs, and of scalar functions in parts, recorded: to be recorded again without
//! running through the function.
//!
//! Running through a function symbolically costs several times what the nodes cost that come of
//! it. What comes of it depends on the arguments' shapes and types and on the device alone, so that
//! for a signature that was seen before its nodes are copied, with the new arguments in their
//! places. Numbers beside the arrays become parts of the nodes; calls with such are not kept.

use super::call::Call;
use super::lower::{Lower, Refusal, Results};
use crate::array::record;
use crate::backend::Device;
use crate::dtype::DType;
use crate::eval;
use crate::graph::{Arg, Args, Node, NodeOp};
use crate::shape::Shape;
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
    args: SmallVec<[(Shape, DType); 4]>,
    device: Device,
}

/// The nodes of a call on stand-ins.
struct Template {
    /// The nodes, each behind its arguments.
    nodes: Vec<(Arc<Node>, SmallVec<[Source; 2]>)>,
    results: SmallVec<[Source; 2]>,
}

/// Where an argument comes from.
#[derive(Clone)]
enum Source {
    /// An argument of the call.
    Argument(usize),
    /// An earlier node.
    Node(usize),
    /// What is the same for every call: a number, or data.
    Constant(Arg),
}

/// More signatures than this, and all are forgotten.
const MOST: usize = 1024;

/// For each signature its nodes, or that its loops cannot be recorded.
type Known = FxHashMap<Key, Option<Arc<Template>>>;
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

impl Call {
    /// The nodes of a call, as they were recorded before if they were.
    pub(super) fn recorded_once<F>(
        &self,
        name: &'static str,
        lower: F,
    ) -> Result<Vec<Arc<Node>>, Refusal>
    where
        F: FnOnce(&Lower, &Call) -> Result<Results, Refusal> + 'static,
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
        F: FnOnce(&Lower, &Call) -> Result<Results, Refusal>,
    {
        let nodes: Option<SmallVec<[&Arc<Node>; 4]>> = self
            .args()
            .iter()
            .map(|arg| match arg {
                Arg::Node(node) => Some(node),
                Arg::Scalar(_) => None,
            })
            .collect();
        // Numbers become parts of the nodes.
        let Some(args) = nodes else { return self.recorded(name, lower) };
        let about = |node: &&Arc<Node>| (Shape::from_slice(&node.shape), node.dtype);
        let key = Key { function, args: args.iter().map(about).collect(), device: self.device() };
        let known = KNOWN.lock().get(&key).cloned();
        let template = match known {
            Some(template) => template,
            None => {
                let template = self.template(name, &args, lower)?;
                let mut known = KNOWN.lock();
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(key, template.clone());
                template
            }
        };
        Ok(template.ok_or(Refusal::Unprovable)?.nodes(&args))
    }

    /// Records the call on stand-ins; `None` where the loops cannot be recorded.
    fn template<F>(
        &self,
        name: &'static str,
        args: &[&Arc<Node>],
        lower: F,
    ) -> Result<Option<Arc<Template>>, Refusal>
    where
        F: FnOnce(&Lower, &Call) -> Result<Results, Refusal>,
    {
        let stand_in = |node: &&Arc<Node>| {
            let shape = Shape::from_slice(&node.shape);
            Node::new(NodeOp::Source, Args::new(), shape, node.dtype, node.device)
        };
        let stand_ins: Vec<Arc<Node>> = args.iter().map(stand_in).collect();
        let call = self.with_args(stand_ins.iter().cloned().map(Arg::Node).collect());
        match eval::while_recording(|| call.recorded(name, lower)) {
            Ok(results) => Ok(Some(Arc::new(Template::new(&stand_ins, &results)))),
            Err(Refusal::Unprovable) => Ok(None),
            Err(failed) => Err(failed),
        }
    }
}

impl Template {
    fn new(stand_ins: &[Arc<Node>], results: &[Arc<Node>]) -> Template {
        let mut sources: FxHashMap<*const Node, Source> = FxHashMap::default();
        for (k, node) in stand_ins.iter().enumerate() {
            sources.insert(Arc::as_ptr(node), Source::Argument(k));
        }
        let mut nodes = Vec::new();
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
            let from = args.iter().map(source).collect();
            sources.insert(at, Source::Node(nodes.len()));
            nodes.push((node, from));
        }
        let results = results.iter().map(|node| sources[&Arc::as_ptr(node)].clone()).collect();
        Template { nodes, results }
    }

    /// Records the nodes for other arguments.
    fn nodes(&self, args: &[&Arc<Node>]) -> Vec<Arc<Node>> {
        let mut made: Vec<Arc<Node>> = Vec::with_capacity(self.nodes.len());
        let arg = |source: &Source, made: &[Arc<Node>]| match source {
            Source::Argument(k) => Arg::Node(args[*k].clone()),
            Source::Node(k) => Arg::Node(made[*k].clone()),
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
}
