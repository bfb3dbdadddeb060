//! The element for which a user's function panicked.
//!
//! A kernel knows its own places alone, and how many of its parts ran before it ended is chance. So
//! the arguments of the function are evaluated as arrays, and it is called once more along them in
//! C order: the first element that panics is named, whatever was fused and however many threads ran.

use super::{Evaluator, held, with_plans};
use crate::backend::Buffer;
use crate::backend::cpu::culprit::{Lines, Operand, first_failure};
use crate::error::{Error, Result};
use crate::function::{Fold, Function};
use crate::graph::{Arg, Node, NodeOp};
use crate::shape::{Shape, contiguous_strides, position};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The error of an evaluation with the element, if it is that of a function that panicked; `of` says
/// of which array the element is, where it is not that of the program.
#[cold]
pub(super) fn named(error: Error, nodes: &[Arc<Node>], of: &str) -> Error {
    let Some(name) = error.panicked().map(str::to_owned) else { return error };
    for node in waiting(nodes) {
        let called = match &node.op {
            NodeOp::Call { function, .. } => &function.name,
            NodeOp::Fold { fold, .. } => &fold.function.name,
            NodeOp::Scan { by, .. } if by.fold().is_some() => by.name(),
            _ => continue,
        };
        if *called != *name || node.device.is_cuda() {
            continue;
        }
        match element(&node) {
            Ok(Some(found)) => return error.for_element(&(found + of)),
            Ok(None) => {}
            // The arguments have no room; the message says the values.
            Err(_) => break,
        }
    }
    error.for_element("")
}

/// What is not evaluated yet of the nodes and of what they are made of, arguments first.
fn waiting(nodes: &[Arc<Node>]) -> Vec<Arc<Node>> {
    let mut seen = FxHashSet::default();
    let mut todo: Vec<(Arc<Node>, bool)> = nodes.iter().rev().map(|n| (n.clone(), false)).collect();
    let mut order = Vec::new();
    while let Some((node, is_done)) = todo.pop() {
        if is_done {
            order.push(node);
        } else if !node.is_evaluated() && seen.insert(Arc::as_ptr(&node)) {
            let args = node.state().args.clone();
            todo.push((node, true));
            for arg in args.iter().rev() {
                if let Arg::Node(arg) = arg {
                    todo.push((arg.clone(), false));
                }
            }
        }
    }
    order
}

/// The first element of a node for which its function panics, in words.
fn element(node: &Arc<Node>) -> Result<Option<String>> {
    let args = node.state().args.clone();
    let arrays = args.iter().filter_map(|arg| match arg {
        Arg::Node(node) => Some(node.clone()),
        Arg::Scalar(_) => None,
    });
    let arrays: Vec<Arc<Node>> = arrays.collect();
    let mut singly = false;
    with_plans(|evaluator: &mut Evaluator| evaluator.evaluate(&arrays, false, &mut singly))?;
    let data: Vec<Option<Arc<Buffer>>> = args
        .iter()
        .map(|arg| match arg {
            Arg::Node(node) => held(node),
            Arg::Scalar(_) => None,
        })
        .collect();
    // Elements lie along the shape of the result, or, where axes were reduced, of the arguments.
    let shape = match node.op {
        NodeOp::Fold { .. } => arrays.first().map_or(Shape::new(), |a| a.shape.clone()),
        _ => node.shape.clone(),
    };
    let operands: Vec<Operand> = args
        .iter()
        .zip(&data)
        .filter_map(|(arg, data)| operand(arg, data.as_deref(), &shape))
        .collect();
    if operands.len() < args.len() {
        return Ok(None);
    }
    Ok(match &node.op {
        NodeOp::Call { function, .. } => {
            let at = first_failure(function, None, &Lines::elements(&shape), &operands);
            at.map(|(at, _)| format!(", at element {:?}", position(at, &shape)))
        }
        NodeOp::Fold { fold, axes, .. } => combined(fold, &shape, *axes, false, &operands),
        NodeOp::Scan { by, axis, reverse, .. } => {
            by.fold().and_then(|fold| combined(fold, &shape, 1 << axis, *reverse, &operands))
        }
        _ => None,
    })
}

/// The first element at which states cannot be combined any further.
fn combined(
    fold: &Fold,
    shape: &Shape,
    axes: u32,
    reverse: bool,
    args: &[Operand],
) -> Option<String> {
    let function: &Function = &fold.function;
    let (_, at) = first_failure(function, Some(fold), &Lines::along(shape, axes, reverse), args)?;
    Some(format!(", at element {at:?}"))
}

/// Where an argument's elements lie.
fn operand<'a>(arg: &'a Arg, data: Option<&'a Buffer>, shape: &Shape) -> Option<Operand> {
    let node = match arg {
        Arg::Scalar(value) => {
            return Some(Operand { first: value.bytes().as_ptr(), strides: vec![0; shape.len()] });
        }
        Arg::Node(node) => node,
    };
    let missing = shape.len() - node.shape.len();
    let own = contiguous_strides(&node.shape);
    let mut strides = vec![0; shape.len()];
    for (k, stride) in own.iter().enumerate() {
        if node.shape[k] > 1 {
            strides[missing + k] = *stride as usize * node.dtype.size();
        }
    }
    Some(Operand { first: data?.address() as *const u8, strides })
}
