//! Library calls: the steps that run them.
//!
//! A call is a group of its own: its arguments are stored, its outputs are loads, and what
//! surrounds it fuses into the kernels before and after.

use super::group::Grouping;
use super::nodes::{Graph, GraphArg, place, stored};
use super::work::work;
use super::{LibraryStep, Place, Step};
use crate::graph::NodeOp;
use crate::library::Library;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

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
