//! Library calls: what they read in place of a view, and the steps that run them.
//!
//! A call is a group of its own: its arguments are stored, its outputs are loads, and what
//! surrounds it fuses into the kernels before and after.

use super::group::Grouping;
use super::simplify::{Graph, GraphArg, GraphNode};
use super::work::work;
use super::{LibraryStep, Place, Step};
use crate::graph::{NodeOp, View, Wrap};
use crate::library::{Layout, Library};
use crate::shape::contiguous_strides;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// Lets a library call read the arrays under the views among its arguments, where the library
/// takes such a layout and the arrays are stored anyway or are no larger than the view.
pub(super) fn absorb_views(graph: &Graph, node: &mut GraphNode) {
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

/// The node whose data an argument of a library call is: reshapes share data.
pub(super) fn stored(graph: &Graph, mut n: u32) -> u32 {
    while let node = &graph.nodes[n as usize]
        && let (NodeOp::Reshape, None, [GraphArg::Node(under)]) =
            (&node.op, node.leaf, &node.args[..])
    {
        n = *under;
    }
    n
}

/// Where the data of a stored node comes from.
pub(super) fn place(graph: &Graph, n: u32) -> Place {
    let node = &graph.nodes[n as usize];
    match (node.leaf, &node.op, &node.args[..]) {
        (Some(leaf), ..) => Place::Leaf(leaf),
        (None, NodeOp::Part(0), [GraphArg::Node(call)]) => Place::Node(*call),
        (None, NodeOp::Part(part), [GraphArg::Node(call)]) => Place::Part(*call, *part),
        _ => Place::Node(n),
    }
}

/// The steps of the library calls that the grouping found necessary.
pub(super) fn steps(graph: &Graph, grouping: &Grouping) -> Vec<LibraryStep> {
    let step = |n: u32| {
        let node = &graph.nodes[n as usize];
        let NodeOp::Library(call) = &node.op else { unreachable!("a group's call is one") };
        let (mut inputs, mut scalars, mut of_part) = (Vec::new(), Vec::new(), false);
        for arg in &node.args {
            match *arg {
                GraphArg::Node(a) => {
                    let stored = stored(graph, a);
                    of_part |= graph.nodes[stored as usize].window.is_some();
                    inputs.push(place(graph, stored));
                }
                GraphArg::Scalar(slot) => scalars.push(graph.scalar_source(slot)),
            }
        }
        let mut call = call.clone();
        if let (true, Library::Matmul(product)) = (of_part, Arc::make_mut(&mut call)) {
            product.part = true;
        }
        LibraryStep { call, inputs, node: n, scalars, last_use: false }
    };
    grouping.groups.iter().filter_map(|g| g.call).map(step).collect()
}

/// Finds the library calls that are the last to read their first argument.
pub(super) fn mark_last_uses(graph: &Graph, steps: &mut [Step]) {
    if !steps.iter().any(|step| matches!(step, Step::Library(_))) {
        return;
    }
    let roots: FxHashSet<u32> = graph.roots.iter().copied().collect();
    let mut last: FxHashMap<Place, usize> = FxHashMap::default();
    for (k, step) in steps.iter().enumerate() {
        work(step.inputs().len());
        last.extend(step.inputs().iter().map(|&place| (place, k)));
    }
    for k in 0..steps.len() {
        let Step::Library(LibraryStep { inputs, .. }) = &steps[k] else { continue };
        let Some(&Place::Node(n)) = inputs.first() else { continue };
        // What a library has computed stays with its node.
        let kept = roots.contains(&n)
            || matches!(graph.nodes[n as usize].op, NodeOp::Library(_))
            || inputs[1..].contains(&Place::Node(n))
            || last[&Place::Node(n)] > k;
        if let (Step::Library(step), false) = (&mut steps[k], kept) {
            step.last_use = true;
        }
    }
}
