//! Simplification: what is known without a kernel is replaced by what it equals, and library calls read
//! the arrays under views in place.

use super::nodes::{Graph, GraphArg, GraphNode, stored};
use crate::dtype::Scalar;
use crate::graph::{NodeOp, View, Wrap};
use crate::library::Layout;
use crate::shape::contiguous_strides;
use smallvec::SmallVec;
use std::sync::Arc;

impl Graph {
    /// Adds a node, simplified: what is known without a kernel is replaced by what it equals.
    pub(crate) fn push(&mut self, mut node: GraphNode) -> u32 {
        if let Some(axes) = node.op.reduced()
            && node.leaf.is_none()
            && let GraphArg::Node(input) = node.args[0]
        {
            let shape = &self.nodes[input as usize].shape;
            if (0..shape.len()).any(|k| axes & (1 << k) != 0 && shape[k] == 0) {
                let identity = match &node.op {
                    NodeOp::Reduce { op, .. } => op.identity_value(node.dtype),
                    NodeOp::Fold { fold, output, .. } => fold.identity[*output as usize],
                    _ => unreachable!("the operation is a reduction"),
                };
                node.args = SmallVec::from_iter([self.literal(identity)]);
                node.op = NodeOp::Full;
            }
        }
        // Of no elements there is nothing to compute, and no array to keep for other kernels.
        let computed = node.op.reduced().is_some() || matches!(node.op, NodeOp::Scan { .. });
        if node.leaf.is_none() && computed && node.len() == 0 {
            node.args = SmallVec::from_iter([self.literal(Scalar::from_f64(node.dtype, 0.0))]);
            node.op = NodeOp::Full;
        }
        if node.leaf.is_none() {
            absorb_views(self, &mut node);
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }
}

/// Lets a library call read the arrays under the views among its arguments, where the library
/// takes such a layout and the arrays are stored anyway or are no larger than the view.
fn absorb_views(graph: &Graph, node: &mut GraphNode) {
    let NodeOp::Library(call) = &mut node.op else { return };
    for (k, arg) in node.args.iter_mut().enumerate() {
        let GraphArg::Node(n) = *arg else { continue };
        let Some((source, layout)) = layout(graph, n) else { continue };
        if let Some(placed) = call.with_layout(k, &layout) {
            *call = Arc::new(placed);
            *arg = GraphArg::Node(source);
        }
    }
}

/// The array under a chain of views, and where the chain's elements lie in it.
fn layout(graph: &Graph, n: u32) -> Option<(u32, Layout)> {
    let shape = graph.nodes[n as usize].shape.clone();
    // Each axis of the current array as a sum over the axes of the view.
    let mut forms: Vec<Form> = (0..shape.len()).map(|k| Form::axis(k, shape.len())).collect();
    let mut at = n;
    let mut found = None;
    loop {
        let node = &graph.nodes[at as usize];
        let (NodeOp::View(view), None, [GraphArg::Node(under)]) =
            (&node.op, node.leaf, &node.args[..])
        else {
            break;
        };
        let Some(below) = below(view, &forms) else { break };
        (forms, at) = (below, *under);
        let source = &graph.nodes[at as usize];
        let kept = &graph.nodes[stored(graph, at) as usize];
        let kept = kept.leaf.is_some() || matches!(kept.op, NodeOp::Library(_) | NodeOp::Part(_));
        if kept || source.len() <= crate::shape::len(&shape) {
            found = Some((at, placed(&forms, &source.shape, &shape)));
        }
    }
    found
}

/// An affine function of the positions on the axes of a view.
#[derive(Clone)]
struct Form {
    offset: i64,
    steps: SmallVec<[i64; 4]>,
}

impl Form {
    fn constant(offset: i64, rank: usize) -> Form {
        Form { offset, steps: SmallVec::from_elem(0, rank) }
    }

    fn axis(k: usize, rank: usize) -> Form {
        let mut form = Form::constant(0, rank);
        form.steps[k] = 1;
        form
    }

    fn add(&mut self, other: &Form, times: i64) {
        self.offset += other.offset * times;
        self.steps.iter_mut().zip(&other.steps).for_each(|(s, o)| *s += o * times);
    }
}

/// The positions on the axes under a view; none where it is not affine.
fn below(view: &View, forms: &[Form]) -> Option<Vec<Form>> {
    let rank = forms.first().map_or(0, |f| f.steps.len());
    let map = |map: &crate::graph::AxisMap| {
        let mut form = Form::constant(map.offset, rank);
        map.terms.iter().for_each(|&(axis, step)| form.add(&forms[axis as usize], step));
        (map.wrap == Wrap::None).then_some(form)
    };
    view.0.iter().map(map).collect()
}

fn placed(forms: &[Form], under: &[usize], shape: &[usize]) -> Layout {
    let mut sum = Form::constant(0, shape.len());
    for (form, stride) in forms.iter().zip(contiguous_strides(under)) {
        sum.add(form, stride);
    }
    Layout { offset: sum.offset, shape: SmallVec::from_slice(shape), strides: sum.steps }
}
