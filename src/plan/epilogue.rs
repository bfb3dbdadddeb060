//! Epilogues: operations after a product of matrices that the library can do in the same call
//! (scaling, the sum with another matrix, a bias, a function of each value).
//!
//! The last operation of such a chain becomes the call, in place of the product: nodes keep their
//! numbers, and those before it are no longer needed. A product that a user holds, or that
//! several operations read, is stored as it is.
//!
//! Devices say whether their library does this (`Backend::epilogues`). Which recorded operations
//! are ReLU or GELU depends on scalars, which are no part of the structure: `graph/activation.rs`
//! looks before planning. Where the library then refuses a particular case, the graph is planned
//! again without (`eval/prepared.rs`).

use super::nodes::{Graph, GraphArg, GraphNode};
use crate::graph::NodeOp;
use crate::library::Library;
use crate::library::linalg::{Activation, Matmul};
use crate::table::Op;
use smallvec::SmallVec;
use std::sync::Arc;

/// The graph with the operations after products made part of them; none where there is nothing
/// to do.
pub(super) fn fuse(graph: &Graph) -> Option<Graph> {
    if !graph.nodes.iter().any(|node| product(node).is_some()) {
        return None;
    }
    let mut uses = vec![0u32; graph.nodes.len()];
    for node in &graph.nodes {
        for arg in &node.args {
            if let GraphArg::Node(a) = arg {
                uses[*a as usize] += 1;
            }
        }
    }
    graph.roots.iter().for_each(|&root| uses[root as usize] += 1);
    let mut fused: Option<Graph> = None;
    for n in 0..graph.nodes.len() {
        let current = fused.as_ref().unwrap_or(graph);
        if let Some((op, args)) = fused_node(current, &uses, n) {
            let node = &mut fused.get_or_insert_with(|| graph.clone()).nodes[n];
            (node.op, node.args) = (op, args);
        }
    }
    fused
}

/// The product that a node is, where it is one that waits.
fn product(node: &GraphNode) -> Option<&Matmul> {
    match &node.op {
        NodeOp::Library(call) if node.leaf.is_none() => match &**call {
            Library::Matmul(call) => Some(call),
            _ => None,
        },
        _ => None,
    }
}

type Args = SmallVec<[GraphArg; 3]>;

/// A node as one call with the product that it reads, or that is under the chain which it ends.
fn fused_node(graph: &Graph, uses: &[u32], n: usize) -> Option<(NodeOp, Args)> {
    let node = &graph.nodes[n];
    if node.activation == Some(Activation::Gelu) && node.leaf.is_none() {
        return gelu(graph, uses, n);
    }
    let (NodeOp::Map(op), None, &[left, right]) = (&node.op, node.leaf, &node.args[..]) else {
        return None;
    };
    for (own, other) in [(left, right), (right, left)] {
        let GraphArg::Node(p) = own else { continue };
        let read = &graph.nodes[p as usize];
        let Some(call) = product(read) else { continue };
        let alone = uses[p as usize] == 1 && !read.held && read.shape == node.shape;
        if !alone || read.dtype != node.dtype {
            continue;
        }
        if call.activation.is_some() {
            continue;
        }
        let found = match op {
            Op::Maximum if node.activation.is_some_and(|f| call.takes(f)) => {
                Some((Matmul { activation: node.activation, ..call.clone() }, read.args.clone()))
            }
            Op::Multiply => scaled(call, &read.args, other),
            Op::Add => added(graph, uses, call, &read.args, (other, &node.shape)),
            _ => None,
        };
        if let Some((call, args)) = found {
            return Some((NodeOp::Library(Arc::new(Library::Matmul(call))), args));
        }
    }
    None
}

/// The product under the chain of a [`Activation::Gelu`] that ends with node `n`, where nothing else
/// reads any of it.
fn gelu(graph: &Graph, uses: &[u32], n: usize) -> Option<(NodeOp, Args)> {
    let array = |n: u32, k: usize| match graph.nodes[n as usize].args[k] {
        GraphArg::Node(a) => Some(a),
        GraphArg::Scalar(_) => None,
    };
    let mut between: SmallVec<[u32; 8]> = SmallVec::new();
    let (mut last, halves) = (n as u32, graph.nodes[n].op == NodeOp::Cast);
    if halves {
        last = array(last, 0)?;
        between.push(last);
    }
    between.push(array(last, 0)?);
    // The sum with 1, the tangent, and the four operations of its argument.
    let mut at = array(last, 1)?;
    for _ in 0..6 {
        between.push(at);
        at = array(at, 0)?;
    }
    // The chain reads its argument three times, which of halves is widened before.
    if uses[at as usize] != 3 || between.iter().any(|&a| uses[a as usize] != 1) {
        return None;
    }
    if halves {
        at = array(at, 0).filter(|&a| uses[a as usize] == 1)?;
    }
    let (read, node) = (&graph.nodes[at as usize], &graph.nodes[n]);
    let call = product(read)?;
    let fits = !read.held && read.dtype == node.dtype && call.takes(Activation::Gelu);
    (fits && call.activation.is_none()).then(|| {
        let call = Matmul { activation: Some(Activation::Gelu), ..call.clone() };
        (NodeOp::Library(Arc::new(Library::Matmul(call))), read.args.clone())
    })
}

fn scaled(call: &Matmul, args: &Args, by: GraphArg) -> Option<(Matmul, Args)> {
    let GraphArg::Scalar(_) = by else { return None };
    if call.scaled || call.addend.is_some() || call.bias {
        return None;
    }
    let args = args.iter().copied().chain([by]).collect();
    Some((Matmul { scaled: true, ..call.clone() }, args))
}

/// The sum with a matrix that is stored anyway, perhaps scaled, or with a vector along the rows.
fn added(
    graph: &Graph,
    uses: &[u32],
    call: &Matmul,
    args: &Args,
    (other, shape): (GraphArg, &[usize]),
) -> Option<(Matmul, Args)> {
    let GraphArg::Node(a) = other else { return None };
    let node = &graph.nodes[a as usize];
    let columns = shape.last().copied().unwrap_or(0);
    let is_row = node.shape.last() == Some(&columns) && node.len() == columns;
    // The arrays among the arguments come first, then the scalars.
    let with = |array: GraphArg, scalar: Option<GraphArg>| -> Args {
        let arrays = args.iter().copied().filter(|a| matches!(a, GraphArg::Node(_)));
        let scalars = args.iter().copied().filter(|a| matches!(a, GraphArg::Scalar(_)));
        arrays.chain([array]).chain(scalars).chain(scalar).collect()
    };
    if is_row && node.leaf.is_some() && !call.bias && call.takes_bias() {
        return Some((Matmul { bias: true, ..call.clone() }, with(other, None)));
    }
    if call.addend.is_some() || call.bias {
        return None;
    }
    if node.shape[..] == *shape && node.leaf.is_some() {
        return Some((Matmul { addend: Some(false), ..call.clone() }, with(other, None)));
    }
    let (NodeOp::Map(Op::Multiply), 1, [x, y]) = (&node.op, uses[a as usize], &node.args[..])
    else {
        return None;
    };
    let (array, factor) = match (*x, *y) {
        (GraphArg::Node(array), factor @ GraphArg::Scalar(_)) => (array, factor),
        (factor @ GraphArg::Scalar(_), GraphArg::Node(array)) => (array, factor),
        _ => return None,
    };
    let source = &graph.nodes[array as usize];
    (source.leaf.is_some() && source.shape[..] == *shape).then(|| {
        let call = Matmul { addend: Some(true), ..call.clone() };
        (call, with(GraphArg::Node(array), Some(factor)))
    })
}
