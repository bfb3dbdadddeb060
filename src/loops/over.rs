//! Loops over several devices: the body is recorded once, on stand-ins, and each turn records it again
//! on what the turn before gave, and evaluates it.

use super::{Loop, Outcome};
use crate::array::{DeviceArray, Flat, record};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::eval::evaluate;
use crate::graph::{Arg, Args, Node};
use crate::shape::{Shape, copy_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A recorded body.
struct Body {
    /// What stands on the stand-ins, arguments first.
    nodes: Vec<Arc<Node>>,
    /// What else it reads and is not computed yet.
    captured: Vec<Arc<Node>>,
}

impl Body {
    /// What results stand on, down to the stand-ins.
    fn below(results: &[Arc<Node>], stand_ins: &[Arc<Node>]) -> Body {
        let given: FxHashSet<*const Node> = stand_ins.iter().map(Arc::as_ptr).collect();
        let mut stands: FxHashMap<*const Node, bool> = FxHashMap::default();
        let mut body = Body { nodes: Vec::new(), captured: Vec::new() };
        let mut arguments: FxHashMap<*const Node, Args> = FxHashMap::default();
        let mut todo: Vec<(Arc<Node>, bool)> =
            results.iter().rev().map(|node| (node.clone(), false)).collect();
        while let Some((node, is_met)) = todo.pop() {
            let key = Arc::as_ptr(&node);
            if stands.contains_key(&key) {
                continue;
            }
            if given.contains(&key) || node.is_evaluated() {
                stands.insert(key, given.contains(&key));
                continue;
            }
            let args = arguments.entry(key).or_insert_with(|| node.state().args.clone());
            let below = args.iter().filter_map(|arg| match arg {
                Arg::Node(arg) => Some(arg),
                Arg::Scalar(_) => None,
            });
            if !is_met {
                let below: Vec<(Arc<Node>, bool)> =
                    below.rev().map(|a| (a.clone(), false)).collect();
                todo.push((node.clone(), true));
                todo.extend(below);
                continue;
            }
            let is_above = below.clone().any(|arg| stands[&Arc::as_ptr(arg)]);
            stands.insert(key, is_above);
            if is_above {
                // Of what it reads, the topmost that stands on no stand-in is computed once.
                let once = below.filter(|arg| !stands[&Arc::as_ptr(arg)] && !arg.is_evaluated());
                body.captured.extend(once.cloned());
                body.nodes.push(node.clone());
            }
        }
        body
    }

    /// The body on other arrays; gives what some of its nodes are then.
    #[track_caller]
    fn on(&self, given: &[(Arc<Node>, Arc<Node>)], results: &[Arc<Node>]) -> Vec<Arc<Node>> {
        let mut made: FxHashMap<*const Node, Arc<Node>> =
            given.iter().map(|(from, to)| (Arc::as_ptr(from), to.clone())).collect();
        for node in &self.nodes {
            let again = |arg: &Arg| match arg {
                Arg::Node(arg) => match made.get(&Arc::as_ptr(arg)) {
                    Some(made) => Arg::Node(made.clone()),
                    None => Arg::Node(arg.clone()),
                },
                Arg::Scalar(value) => Arg::Scalar(*value),
            };
            let args: Args = node.state().args.iter().map(again).collect();
            made.insert(Arc::as_ptr(node), node.like(args));
        }
        let result = |node: &Arc<Node>| made.get(&Arc::as_ptr(node)).unwrap_or(node).clone();
        results.iter().map(result).collect()
    }
}

impl Loop {
    /// A stand-in for an array, which lies as it does.
    #[track_caller]
    pub(super) fn stand_in_for(node: &Node) -> Arc<Node> {
        Node::stand_in(copy_of(&node.shape), node.dtype, node.device)
    }

    /// Runs the turns, and gives the state in the end and the stacked arrays.
    #[track_caller]
    pub(super) fn turns_over(
        self,
        state: &Flat,
        (given, turn): (&[Arc<Node>], &Arc<Node>),
        outcome: &Outcome,
    ) -> Result<(Flat, Vec<Arc<Node>>)> {
        let mut results = outcome.state.nodes.clone();
        results.extend(outcome.condition.clone());
        results.extend(outcome.stacked.iter().cloned());
        let mut stand_ins = given.to_vec();
        stand_ins.push(turn.clone());
        let body = Body::below(&results, &stand_ins);
        evaluate(&body.captured)?;
        let count = state.nodes.len();
        let mut nodes = state.nodes.clone();
        let mut condition = self.start.clone();
        let mut stacks: Vec<Vec<Arc<Node>>> = vec![Vec::new(); outcome.stacked.len()];
        let mut number = 0;
        loop {
            let goes_on = match condition.take() {
                Some(condition) => DeviceArray::<bool>::from_node(condition).item()?,
                None => number < self.turns,
            };
            if !goes_on {
                break;
            }
            let own = record::full(Scalar::new(number), Shape::new(), turn.device);
            let pairs = given.iter().cloned().zip(nodes.iter().cloned());
            let pairs: Vec<_> = pairs.chain([(turn.clone(), own)]).collect();
            let mut made = body.on(&pairs, &results);
            for (made, before) in made.iter_mut().zip(&nodes) {
                if made.device != before.device {
                    *made = Node::placed(made, before.device);
                }
            }
            evaluate(&made)?;
            for (stack, part) in stacks.iter_mut().zip(&made[made.len() - outcome.stacked.len()..])
            {
                let shape = std::iter::once(1).chain(part.shape.iter().copied()).collect();
                stack.push(record::reshape(part, shape));
            }
            condition = outcome.condition.as_ref().map(|_| made[count].clone());
            made.truncate(count);
            nodes = made;
            number += 1;
        }
        let stacked =
            stacks.into_iter().zip(&outcome.stacked).map(|(stack, part)| match stack.is_empty() {
                true => {
                    let shape = self.stack_of(&part.shape);
                    record::full(Scalar::from_f64(part.dtype, 0.0), shape, part.device)
                }
                false => record::one_after_another(&stack, 0),
            });
        let stacked = stacked.collect();
        Ok((Flat { nodes, lengths: state.lengths.clone() }, stacked))
    }
}
