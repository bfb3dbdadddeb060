//! Where to cut an expression that has become too deep.

use super::{Arg, Node};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The nodes to evaluate so that the expression below `node` becomes shallow: the arrays that
/// the user holds in the upper quarter of its depth, as few as do, or the node itself.
///
/// A loop carries its state in arrays that the program holds from one turn to the next, so a cut
/// there falls between two turns, where the state is small, and not inside one, where what was
/// half computed would be computed again.
pub(crate) fn cut_set(node: &Arc<Node>) -> Vec<Arc<Node>> {
    let depth = node.depth();
    let mut held = upper(node, depth - depth / 4);
    held.retain(|n| n.has_handles() && !Arc::ptr_eq(n, node) && n.len() > 0);
    held.sort_by_key(|n| n.depth());
    for count in 1..=held.len().min(4) {
        if depth_above(node, &held[..count]) <= depth / 2 {
            held.truncate(count);
            return held;
        }
    }
    vec![node.clone()]
}

/// The unevaluated nodes below `node` that are at least so deep, each once.
fn upper(node: &Arc<Node>, least: u32) -> Vec<Arc<Node>> {
    let mut found: Vec<Arc<Node>> = Vec::new();
    let mut seen = FxHashMap::default();
    let mut waiting = vec![node.clone()];
    while let Some(node) = waiting.pop() {
        if node.depth() < least || seen.insert(Arc::as_ptr(&node), ()).is_some() {
            continue;
        }
        for arg in &node.state().args {
            if let Arg::Node(arg) = arg {
                waiting.push(arg.clone());
            }
        }
        found.push(node);
    }
    found
}

/// The depth of `node` if some nodes below it had their data.
fn depth_above(node: &Arc<Node>, evaluated: &[Arc<Node>]) -> u32 {
    let mut depths: FxHashMap<*const Node, u32> = FxHashMap::default();
    for node in evaluated {
        depths.insert(Arc::as_ptr(node), 0);
    }
    let mut waiting = vec![(node.clone(), false)];
    while let Some((node, opened)) = waiting.pop() {
        let key = Arc::as_ptr(&node);
        if depths.contains_key(&key) {
            continue;
        }
        if node.is_evaluated() {
            depths.insert(key, 0);
            continue;
        }
        let state = node.state();
        let args = state.args.iter().filter_map(|arg| match arg {
            Arg::Node(arg) => Some(arg),
            Arg::Scalar(_) => None,
        });
        if opened {
            let deepest = args.filter_map(|arg| depths.get(&Arc::as_ptr(arg))).max();
            depths.insert(key, 1 + deepest.copied().unwrap_or(0));
        } else {
            let unknown = args.filter(|arg| !depths.contains_key(&Arc::as_ptr(arg)));
            let unknown: Vec<_> = unknown.map(|arg| (arg.clone(), false)).collect();
            drop(state);
            waiting.push((node, true));
            waiting.extend(unknown);
        }
    }
    depths[&Arc::as_ptr(node)]
}

/// Brings the depth of `node` up to date after nodes below it were evaluated.
pub(crate) fn refresh_depth(node: &Arc<Node>) {
    if !node.is_evaluated() {
        node.set_depth(depth_above(node, &[]));
    }
}
