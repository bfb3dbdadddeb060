//! Functions that libraries can apply to what they have computed, found among recorded operations.
//!
//! Scalars are no part of a graph's structure, so it is known here alone, before planning, whether
//! a chain of operations has the numbers that make it such a function.

use super::{Arg, Node, NodeOp};
use crate::dtype::Scalar;
use crate::library::linalg::Activation;
use crate::table::Op;
use smallvec::SmallVec;
use std::sync::Arc;

/// The factors of [`gelu`]: `√(2/π)`, and that times 0.044715.
pub(crate) const GELU: [f64; 2] = [0.797_884_560_802_865_4, 0.035_677_408_136_300_125];

/// The function that a node with these arguments is the last operation of, if it is one.
#[inline]
pub(crate) fn activation(node: &Node, args: &[Arg]) -> Option<Activation> {
    // Every node is asked at every evaluation, and most end here.
    match node.op {
        NodeOp::Map(Op::Maximum | Op::Multiply) | NodeOp::Cast => last_of(node, args),
        _ => None,
    }
}

fn last_of(node: &Node, args: &[Arg]) -> Option<Activation> {
    match &node.op {
        NodeOp::Map(Op::Maximum) => {
            let zero = |arg: &Arg| is(arg, 0.0);
            args.iter().any(zero).then_some(Activation::Relu)
        }
        NodeOp::Map(Op::Multiply) => gelu(args).map(|_| Activation::Gelu),
        // Halves are widened before and rounded after.
        NodeOp::Cast => {
            let wide = args.first().and_then(array)?;
            let product = wide.op == NodeOp::Map(Op::Multiply);
            let argument = product.then(|| gelu(&wide.state().args)).flatten()?;
            let narrow = argument.state().args.first().and_then(array)?;
            let rounds = argument.op == NodeOp::Cast && narrow.dtype == node.dtype;
            rounds.then_some(Activation::Gelu)
        }
        _ => None,
    }
}

/// The argument of `x/2 · (1 + tanh(x · (x²·c + d)))`, where a product is that.
fn gelu(product: &[Arg]) -> Option<Arc<Node>> {
    let [Arg::Node(half), Arg::Node(one_more)] = product else { return None };
    let tanh = with_number(one_more, Op::Add, 1.0)?;
    let [inner] = arrays(&tanh, Op::Tanh)?;
    let x = with_number(half, Op::Multiply, 0.5)?;
    let [factor, same] = arrays(&inner, Op::Multiply)?;
    let scaled = with_number(&factor, Op::Add, GELU[0])?;
    let square = with_number(&scaled, Op::Multiply, GELU[1])?;
    let [again] = arrays(&square, Op::Square)?;
    (Arc::ptr_eq(&x, &same) && Arc::ptr_eq(&x, &again)).then_some(x)
}

fn array(arg: &Arg) -> Option<Arc<Node>> {
    match arg {
        Arg::Node(node) => Some(node.clone()),
        Arg::Scalar(_) => None,
    }
}

/// Whether an argument is a number.
fn is(arg: &Arg, number: f64) -> bool {
    matches!(arg, Arg::Scalar(s) if *s == Scalar::from_f64(s.dtype(), number))
}

/// The arguments of an operation, where that is what the node is and all are arrays.
fn arrays<const N: usize>(node: &Node, op: Op) -> Option<[Arc<Node>; N]> {
    if node.op != NodeOp::Map(op) {
        return None;
    }
    let args: Option<SmallVec<[Arc<Node>; N]>> = node.state().args.iter().map(array).collect();
    args?.into_inner().ok()
}

/// The array in an operation with a number behind it, where that is what the node is.
fn with_number(node: &Node, op: Op, number: f64) -> Option<Arc<Node>> {
    if node.op != NodeOp::Map(op) {
        return None;
    }
    match &node.state().args[..] {
        [Arg::Node(a), scalar] if is(scalar, number) => Some(a.clone()),
        _ => None,
    }
}
