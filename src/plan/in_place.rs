//! Assignments in place that read what they overwrite: where that is harmless.
//!
//! A kernel writes its region while other threads still read. What it reads of its own base must
//! therefore lie outside the region, or at the very place that the same thread writes. Other
//! kernels and library calls read the base before (`order.rs`), so none of them may need the
//! result.
//!
//! An assignment to a slice runs in place when nothing but the evaluation holds the array's data;
//! the kernel then covers the region alone. A scan may not read what it overwrites. Where reads and
//! writes overlap, the value of a small region is stored first, and a large region makes a copy of
//! the array. What somebody holds of the old array is stored in the same evaluation, and the kernel
//! that overwrites runs last, so that a failure leaves everything as it was. Nothing runs in place
//! that reads what it overwrites where a user's function may panic, nor while a function is
//! recorded. Where a kernel that overwrites a small region would store what others read, as the state
//! that a loop writes into its trajectory, that has a kernel of its own, before.

use super::assigned::assigned_base;
use super::coords::{self, Coords};
use super::group::{Group, Grouping, How, Use};
use super::nodes::{Graph, GraphArg};
use crate::graph::{NodeOp, Region};
use crate::shape::len;

/// Why an assignment cannot be written in place as it was grouped.
pub(super) enum Conflict {
    /// The value is to be stored first.
    Value(u32),
    /// What the kernel that writes into the array stores beside is to have a kernel of its own.
    Beside(Vec<u32>),
    /// The assignment is a copy of its base.
    Copy(u32),
}

/// A region that has at most one in so many of its array's elements is worth a kernel of its own
/// for the value, rather than a copy of the array.
const SMALL_REGION: usize = 4;

/// An array of fewer elements is rather copied by the kernel that runs anyway than written by another one,
/// which is a guess between what launches cost on a GPU and on the processor. One with a window is never
/// copied: a plan that does is one for this place alone.
const LONG: usize = 1 << 16;

/// The first conflict among the assignments in place; with `at_once` all of them, so that they are solved
/// in one round.
pub(super) fn conflicts(
    graph: &Graph,
    grouping: &Grouping,
    in_place: &[u32],
    at_once: bool,
) -> Vec<Conflict> {
    let most = if at_once { usize::MAX } else { 1 };
    let conflicts = in_place.iter().filter_map(|&n| conflict_of(graph, grouping, n, at_once));
    conflicts.take(most).collect()
}

fn conflict_of(graph: &Graph, grouping: &Grouping, n: u32, at_once: bool) -> Option<Conflict> {
    let base = assigned_base(graph, n)?;
    let node = &graph.nodes[n as usize];
    let NodeOp::Assign(region) = &node.op else { return None };
    let reads = &grouping.uses[base as usize];
    if reads.is_empty() {
        return None;
    }
    let root = grouping.uses[n as usize].iter().find(|u| u.in_place)?;
    let group = &grouping.groups[root.group];
    let is_small = len(&region.lens).saturating_mul(SMALL_REGION) <= node.len();
    if !group.read_by.is_empty() {
        let beside = group.roots.iter().map(|&(root, _)| root).filter(|&root| root != n);
        let beside: Vec<u32> = beside.collect();
        let is_long = graph.nodes[base as usize].window.is_some() || node.len() >= LONG;
        return Some(match is_small && is_long && !at_once && !beside.is_empty() {
            true => Conflict::Beside(beside),
            false => Conflict::Copy(n),
        });
    }
    let own = coords::in_base(&node.op, &root.coords);
    let harmless = |u: &Use| {
        // A scan may give a result before it reads what stood in its place.
        let at_own_place = u.coords == own && group.scan.is_none();
        u.group != root.group || at_own_place || is_outside(group, &u.coords, region)
    };
    if reads.iter().all(harmless) {
        return None;
    }
    match node.args[1] {
        GraphArg::Node(value)
            if is_small && grouping.uses[value as usize].iter().all(|u| u.how == How::Compute) =>
        {
            Some(Conflict::Value(value))
        }
        _ => Some(Conflict::Copy(n)),
    }
}

/// Whether no place that the coordinates take is in the region.
fn is_outside(group: &Group, at: &Coords, region: &Region) -> bool {
    (0..at.len()).any(|k| {
        let (start, step) = (region.starts[k] as i64, region.steps[k] as i64);
        let (low, high) = group.arena.range(&at[k]);
        let last = start + step * (region.lens[k] as i64 - 1);
        high < start || low > last || (region.lens[k] > 1 && at[k].is_between(start, step))
    })
}
