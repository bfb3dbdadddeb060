//! The loop nest that a stored node wants.
//!
//! It is that of the first reduction in the node's expression that it reads row by row; otherwise
//! the node's own shape. It is its own shape too where short reductions of that shape are read at
//! other places of a row than their own, a row fits on the chip, and there are many rows or short
//! ones.

use super::super::arena::Arena;
use super::super::coords::{self, Coords};
use super::super::nodes::{Graph, GraphArg, GraphNode};
use super::super::work::work;
use super::costs::{SERIAL_EXTENT, extent, reduced};
use super::{Direction, FEW_RESULTS, HUGE_EXTENT, MAX_AXES, SHORT_EXTENT, identity};
use crate::graph::NodeOp;
use crate::kernel::{AxisKind, AxisSet, Index};
use crate::shape::Shape;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A loop nest, and where the node's axes lie in it.
pub(super) struct Nest {
    /// The extents, in the order of the arrays' axes.
    pub dims: Vec<usize>,
    /// The axes that are reduced.
    pub reduce: AxisSet,
    /// The direction of the scans along them, where that is what they are there for.
    pub scan: Option<Direction>,
    /// For each axis of the node, its axis in the nest (none for an axis of extent 1).
    pub map: Vec<Option<usize>>,
}

impl Nest {
    /// The nest without a reduction.
    pub(super) fn elementwise(shape: &[usize]) -> Self {
        Nest {
            dims: shape.to_vec(),
            reduce: AxisSet::EMPTY,
            scan: None,
            map: (0..shape.len()).map(Some).collect(),
        }
    }
}

/// What is reduced along a row of no more elements than this is computed anew at each of them.
const SHORT_ROW: usize = 4;
/// The most places that the search for a reduction visits.
const MAX_VISITS: usize = 400;

/// Whether a reduction with so many results of so many elements each must be spread over the
/// whole device.
pub(super) fn is_huge(results: usize, elements: usize) -> bool {
    results < FEW_RESULTS && elements > HUGE_EXTENT
}

/// With fewer rows than this, a device is left idle by a kernel that takes them one by one.
const MANY_ROWS: usize = 32;
/// What a sum over windows may take of a row's time all the same, in elements: about as much as
/// a launch of its own.
const CHEAP_ROW: usize = 1 << 16;

/// What the expressions of a graph's nodes hold, as far as it is yet to be computed: the searches
/// leave out what holds nothing of what they look for.
#[derive(Default)]
pub(super) struct Contents {
    /// Whether there is a reduction or a scan.
    folds: Vec<bool>,
    /// Whether there is a reduction that may become a Serial loop.
    short: Vec<bool>,
    /// Whether what is computed depends on whether a position lies in some region.
    pub regions: Vec<bool>,
    /// For each shape the first reduction of it that may become one.
    first_short: FxHashMap<Shape, usize>,
}

impl Contents {
    /// The contents of all nodes.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut contents = Contents::default();
        for (n, node) in graph.nodes.iter().enumerate() {
            let computed =
                node.leaf.is_none() && !matches!(node.op, NodeOp::Library(_) | NodeOp::Part(_));
            let below = |known: &[bool]| {
                let holds = |arg: &GraphArg| matches!(arg, GraphArg::Node(a) if known[*a as usize]);
                node.args.iter().any(holds)
            };
            let fold = node.op.reduced().is_some() || matches!(node.op, NodeOp::Scan { .. });
            contents.folds.push(computed && (fold || below(&contents.folds)));
            let short = short_extent(graph, node).is_some();
            contents.short.push(computed && (short || below(&contents.short)));
            let region =
                matches!(node.op, NodeOp::Assign(_) | NodeOp::Pad { .. } | NodeOp::Concat { .. });
            contents.regions.push(computed && !fold && (region || below(&contents.regions)));
            if computed && short {
                contents.first_short.entry(node.shape.clone()).or_insert(n);
            }
        }
        contents
    }
}

/// How many elements a reduction that may become a Serial loop folds at a time.
fn short_extent(graph: &Graph, node: &GraphNode) -> Option<usize> {
    extent(graph, node).filter(|extent| (2..=SERIAL_EXTENT).contains(extent))
}

/// The nest of a node: that of the first reduction in its expression whose result is used row by
/// row, or the node's own shape. `row_capacity` is that of [`super::Options`].
pub(super) fn find(
    graph: &Graph,
    contents: &Contents,
    root: usize,
    row_capacity: usize,
    stored: impl Fn(usize) -> bool,
) -> Nest {
    let shape = &graph.nodes[root].shape;
    if !contents.folds[root] {
        return Nest::elementwise(shape);
    }
    if row_capacity > 0 && reads_windows_in_rows(graph, contents, root, row_capacity, &stored) {
        return Nest::elementwise(shape);
    }
    let mut arena = Arena::default();
    for &extent in shape {
        arena.axis(extent, AxisKind::Parallel);
    }
    let mut waiting: Vec<(usize, Coords)> = vec![(root, identity(shape, Some))];
    let mut seen: FxHashSet<(usize, Coords)> = FxHashSet::default();
    while let Some((n, at)) = waiting.pop() {
        work(1);
        let node = &graph.nodes[n];
        if node.leaf.is_some() || (n != root && stored(n)) || seen.len() > MAX_VISITS {
            continue;
        }
        if let Some(axes) = node.op.reduced() {
            // Reduce axes are shared by threads, in an order of theirs.
            if !graph.is_in_order(n)
                && let Some(nest) = fit(graph, root, n, axes, &at)
            {
                return nest;
            }
            continue;
        }
        if let NodeOp::Scan { axis, .. } = node.op {
            if node.shape == *shape && at == identity(shape, Some) {
                let scan = Direction::of(&node.op);
                let reduce = AxisSet::one(axis as usize);
                return Nest { reduce, scan, ..Nest::elementwise(shape) };
            }
            continue;
        }
        if seen.contains(&(n, at.clone())) {
            continue;
        }
        let shape_of = |arg: GraphArg| match arg {
            GraphArg::Node(a) => graph.nodes[a as usize].shape.clone(),
            GraphArg::Scalar(_) => SmallVec::new(),
        };
        let reads = coords::reads(&mut arena, node, shape_of, &at, None, &[]);
        for read in reads.reads {
            if let GraphArg::Node(a) = node.args[read.arg]
                && contents.folds[a as usize]
            {
                waiting.push((a as usize, read.coords));
            }
        }
        seen.insert((n, at));
    }
    Nest::elementwise(shape)
}

/// Whether the expression reads a short reduction of the root's own shape at other places of a
/// row than its own (a sum over windows of sums over windows, say), where a row fits on the chip:
/// then all of them are loops at the elements of resident rows.
fn reads_windows_in_rows(
    graph: &Graph,
    contents: &Contents,
    root: usize,
    row_capacity: usize,
    stored: &impl Fn(usize) -> bool,
) -> bool {
    let shape = &graph.nodes[root].shape;
    let short = |n: usize| short_extent(graph, &graph.nodes[n]);
    let first = contents.first_short.get(shape);
    if !contents.short[root] || first.is_none_or(|&first| first >= root) {
        return false;
    }
    let mut arena = Arena::default();
    for &extent in shape {
        arena.axis(extent, AxisKind::Parallel);
    }
    let own = identity(shape, Some);
    let mut waiting: Vec<(usize, Coords)> = vec![(root, own.clone())];
    let mut seen: FxHashSet<(usize, Coords)> = FxHashSet::default();
    while let Some((n, at)) = waiting.pop() {
        work(1);
        let node = &graph.nodes[n];
        let known = seen.contains(&(n, at.clone()));
        if known || node.leaf.is_some() || (n != root && stored(n)) || seen.len() > MAX_VISITS {
            continue;
        }
        let mut over: SmallVec<[usize; 2]> = SmallVec::new();
        if let Some(extent) = short(n) {
            if node.shape == *shape && at != own {
                let mut moved = (0..shape.len()).filter(|&k| at[k] != own[k]);
                let axis = moved.next().expect("some place differs");
                let bytes = 2 * shape[axis] * node.dtype.size();
                let rows: usize = node.len() / shape[axis];
                let many = rows >= MANY_ROWS || shape[axis] * extent <= CHEAP_ROW;
                if moved.next().is_none() && bytes <= row_capacity && many {
                    return true;
                }
                continue;
            }
            let axes = node.op.reduced().expect("a short reduction is one");
            let (extents, _) = reduced(graph, node.args[0], axes);
            if arena.axes.len() + extents.len() > MAX_AXES {
                continue;
            }
            over = extents.iter().map(|&e| arena.axis(e, AxisKind::Serial)).collect();
        } else if node.op.reduced().is_some() || matches!(node.op, NodeOp::Scan { .. }) {
            continue;
        }
        let shape_of = |arg: GraphArg| match arg {
            GraphArg::Node(a) => graph.nodes[a as usize].shape.clone(),
            GraphArg::Scalar(_) => SmallVec::new(),
        };
        let reads = coords::reads(&mut arena, node, shape_of, &at, None, &over);
        for read in reads.reads {
            if let GraphArg::Node(a) = node.args[read.arg]
                && contents.short[a as usize]
            {
                waiting.push((a as usize, read.coords));
            }
        }
        seen.insert((n, at));
    }
    false
}

/// The nest in which `root` reads the reduction `n` at `at`, if it is one: the places are axes of
/// the root as they are, and what axes the root has beyond them are those that are reduced.
fn fit(graph: &Graph, root: usize, n: usize, axes: u32, at: &[Index]) -> Option<Nest> {
    let (shape, node) = (&graph.nodes[root].shape, &graph.nodes[n]);
    let (extents, elements) = reduced(graph, node.args[0], axes);
    if elements <= SHORT_ROW {
        return None;
    }
    let mut of: SmallVec<[Option<usize>; 4]> = SmallVec::new();
    for (k, index) in at.iter().enumerate() {
        let axis = (0..shape.len()).find(|&j| *index == Index::axis(j));
        match axis {
            Some(j) if shape[j] == node.shape[k] && !of.contains(&Some(j)) => of.push(Some(j)),
            _ if node.shape[k] == 1 => of.push(None),
            _ => return None,
        }
    }
    let beyond: Vec<usize> =
        (0..shape.len()).filter(|&j| shape[j] > 1 && !of.contains(&Some(j))).collect();
    if beyond.is_empty() {
        if elements <= SHORT_EXTENT {
            return None;
        }
        return Some(reduction(graph, root, n, axes, &of));
    }
    let results: usize = node.len();
    let same = beyond.iter().map(|&j| shape[j]).eq(extents.iter().copied());
    (same && !is_huge(results, elements)).then(|| Nest {
        dims: shape.to_vec(),
        reduce: beyond.into_iter().collect(),
        scan: None,
        map: (0..shape.len()).map(Some).collect(),
    })
}

/// The nest of a root that has the axes of the reduction's result: the axes of its argument.
fn reduction(graph: &Graph, root: usize, n: usize, axes: u32, of: &[Option<usize>]) -> Nest {
    let GraphArg::Node(input) = graph.nodes[n].args[0] else {
        unreachable!("a reduction's argument is a node")
    };
    let dims = graph.nodes[input as usize].shape.to_vec();
    let reduce: AxisSet = (0..dims.len()).filter(|k| axes & (1 << k) != 0).collect();
    let kept = (0..dims.len()).filter(|&k| !reduce.has(k));
    let mut map = vec![None; graph.nodes[root].shape.len()];
    for (axis, dim) in of.iter().zip(kept) {
        if let Some(j) = axis {
            map[*j] = Some(dim);
        }
    }
    Nest { dims, reduce, scan: None, map }
}
