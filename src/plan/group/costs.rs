//! The costs of nodes, by which values are stored, become resident rows, or are computed again
//! wherever they are used. The costs are constants, in additions an element; there is no search.

use super::super::arena::Arena;
use super::super::nodes::{Graph, GraphArg, GraphNode};
use super::super::work::work;
use super::{Grouper, How, MAX_AXES, Use};
use crate::graph::NodeOp;
use crate::kernel::{Atom, AxisKind, AxisSet, Index, Inst, Val};
use crate::table::Op;
use smallvec::SmallVec;

/// What a store and the loads of it cost, in additions an element: the memory traffic of some
/// 16 bytes weighs about as much as this many operations, on a GPU and on a processor with its
/// vectors alike.
pub(super) const STORE_COST: f64 = 48.0;
/// The same for a row that stays on the chip.
const ROW_COST: f64 = 16.0;
/// A subtree that costs more than this may be cut further up: seen from its users it counts as
/// one load.
const OPAQUE_COST: f64 = 16.0;
/// What a load counts.
const LOAD_COST: f64 = 2.0;
/// What costs less may be computed at every position of a sweep, though it depends on fewer axes.
const CHEAP_COST: f64 = 8.0;
/// Reductions up to this length may become Serial loops.
pub(super) const SERIAL_EXTENT: usize = 128;
/// What is computed under a condition counts at least this part of its positions, however few they
/// are: the processor has programs for them alone, threads of a GPU wait for each other.
pub(super) const LEAST_SHARE: f64 = 0.25;
/// The most resident rows of one kernel: each is a phase of code, and compilers take more than
/// linear time.
const MAX_ROWS: usize = 12;
/// What so many sweeps of a kernel would compute again is stored, and each of them loads it: a
/// chain of `a - a.max(…)` would otherwise be one kernel that takes the square of its length.
pub(super) const MAX_SWEEPS: usize = 6;
/// A node used at more places than this is stored.
const MAX_USES: usize = 96;

/// What nodes cost, in additions an element.
pub(super) struct Costs {
    /// With expensive subtrees counted as one load: what a use surely computes again.
    pub near: Vec<f64>,
    /// With all of the subtree.
    pub full: Vec<f64>,
    /// With what is likely to become a row counted as one load: reductions, and what reductions
    /// read again and again.
    row: Vec<f64>,
}

impl Costs {
    /// The costs of all nodes.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut costs = Costs { near: Vec::new(), full: Vec::new(), row: Vec::new() };
        let read_again = read_again(graph);
        for node in &graph.nodes {
            let elsewhere = matches!(node.op, NodeOp::Library(_) | NodeOp::Part(_));
            let scan = matches!(node.op, NodeOp::Scan { .. });
            let extent = extent(graph, node).unwrap_or(1);
            if node.leaf.is_some() || elsewhere || scan || extent > SERIAL_EXTENT {
                costs.near.push(LOAD_COST);
                costs.full.push(LOAD_COST);
                costs.row.push(LOAD_COST);
                continue;
            }
            let own = own_cost(node);
            let total = |of: &dyn Fn(usize) -> f64| -> f64 {
                let cost = |arg: &GraphArg| match arg {
                    GraphArg::Node(a) => of(*a as usize),
                    GraphArg::Scalar(_) => 0.0,
                };
                ((own + node.args.iter().map(cost).sum::<f64>()) * extent as f64).min(1e12)
            };
            let near = total(&|a| match costs.near[a] {
                cost if cost > OPAQUE_COST => LOAD_COST,
                cost => cost,
            });
            let full = total(&|a| costs.full[a]);
            let row = total(&|a| match graph.nodes[a].op.reduced() {
                None if !read_again[a] => costs.row[a],
                _ => LOAD_COST,
            });
            costs.near.push(near);
            costs.full.push(full);
            costs.row.push(row);
        }
        costs
    }
}

/// What an operation costs by itself, in additions an element that it computes or folds.
pub(crate) fn own_cost(node: &GraphNode) -> f64 {
    match &node.op {
        NodeOp::Map(op) => f64::from(op.cost()),
        NodeOp::Call { function, .. } => f64::from(function.additions()),
        NodeOp::Fold { fold, .. } => f64::from(fold.function.additions()),
        NodeOp::Random(law) => f64::from(law.cost()),
        NodeOp::Concat { .. } => node.args.len() as f64,
        NodeOp::Source | NodeOp::Full | NodeOp::View(_) | NodeOp::Reshape => 0.0,
        _ => 1.0,
    }
}

/// How often the plan of a grouping computes each node.
pub(crate) struct Repeats {
    /// How often an element is computed, on average.
    pub of: Vec<f64>,
    /// How often what reads the node is computed.
    readers: Vec<f64>,
}

impl Repeats {
    /// The nodes at which repetition begins and costs more than a store: they are computed `times`
    /// as often as what reads them. What is below a forced node counts as loads.
    pub(crate) fn begins(&self, graph: &Graph, forced: &[bool], times: f64) -> Vec<usize> {
        let mut whole: Vec<f64> = Vec::with_capacity(graph.nodes.len());
        let mut found = Vec::new();
        for (n, node) in graph.nodes.iter().enumerate() {
            let elsewhere = matches!(node.op, NodeOp::Library(_) | NodeOp::Part(_));
            if node.leaf.is_some() || elsewhere || forced[n] {
                whole.push(LOAD_COST);
                continue;
            }
            let turns = extent(graph, node).unwrap_or(1) as f64;
            let len = (node.len() as f64 * turns).max(1.0);
            let below = |arg: &GraphArg| match *arg {
                GraphArg::Node(a) => {
                    whole[a as usize] * (graph.nodes[a as usize].len() as f64 / len).min(1.0)
                }
                GraphArg::Scalar(_) => 0.0,
            };
            let cost = turns * (own_cost(node) + node.args.iter().map(below).sum::<f64>());
            let repeated = self.of[n] >= times * self.readers[n].max(1.0);
            if repeated && node.is_computation() && (self.of[n] - 1.0) * cost > STORE_COST {
                found.push(n);
                whole.push(LOAD_COST);
            } else {
                whole.push(cost.min(1e12));
            }
        }
        found
    }
}

/// The computations that a short reduction reads through a larger array, as sums over windows do:
/// it computes them again for most of its elements.
fn read_again(graph: &Graph) -> Vec<bool> {
    let mut found = vec![false; graph.nodes.len()];
    let mut inputs: Vec<(usize, u32)> = Vec::new();
    for node in &graph.nodes {
        if extent(graph, node).is_some_and(|e| (2..=SERIAL_EXTENT).contains(&e))
            && let GraphArg::Node(input) = node.args[0]
        {
            inputs.push((graph.nodes[input as usize].len(), input));
        }
    }
    // What was met for an array of one length need not be met again for another one of it.
    inputs.sort_unstable();
    let mut seen = vec![usize::MAX; graph.nodes.len()];
    for (len, input) in inputs {
        let mut waiting = vec![input as usize];
        while let Some(a) = waiting.pop() {
            work(1);
            let node = &graph.nodes[a];
            if std::mem::replace(&mut seen[a], len) == len || node.leaf.is_some() {
                continue;
            }
            if node.is_computation() && node.len() < len {
                found[a] = true;
                continue;
            }
            let nodes = node.args.iter().filter_map(|arg| match *arg {
                GraphArg::Node(a) => Some(a as usize),
                GraphArg::Scalar(_) => None,
            });
            waiting.extend(nodes);
        }
    }
    found
}

/// How many elements a reduction that is yet to be computed folds at a time.
pub(crate) fn extent(graph: &Graph, node: &GraphNode) -> Option<usize> {
    // What has its data has no arguments any more.
    let axes = node.op.reduced().filter(|_| node.leaf.is_none())?;
    Some(reduced(graph, node.args[0], axes).1)
}

/// The extents that a reduction over `axes` of an argument runs over (those of 1 left out), and
/// their product.
pub(super) fn reduced(graph: &Graph, arg: GraphArg, axes: u32) -> (SmallVec<[usize; 4]>, usize) {
    let GraphArg::Node(input) = arg else { return (SmallVec::new(), 1) };
    let shape = &graph.nodes[input as usize].shape;
    let over = |k: &usize| axes & (1 << k) != 0 && shape[*k] != 1;
    let extents: SmallVec<[usize; 4]> = (0..shape.len()).filter(over).map(|k| shape[k]).collect();
    let product = extents.iter().product();
    (extents, product)
}

/// The part of the positions at which a condition may hold.
fn share(arena: &Arena, condition: Val) -> f64 {
    match &arena.values[condition.at()].inst {
        Inst::Op(Op::LogicalAnd, args) => args.iter().map(|&arg| share(arena, arg)).product(),
        Inst::InRange { index, low, high } => match index.terms[..] {
            [(Atom::Axis(k), 1 | -1)] => {
                let (first, last) = index.range(&arena.axes).expect("the index is affine");
                let held = (last + 1).min(*high) - first.max(*low);
                held.max(0) as f64 / arena.axes[k as usize].extent as f64
            }
            _ => 1.0,
        },
        _ => 1.0,
    }
}

impl Grouper<'_> {
    /// How often the uses compute an element of the node, on average, where a use under a condition
    /// counts at least a part of its positions.
    fn replication(&self, n: usize, least: f64) -> f64 {
        let len = self.graph.nodes[n].len().max(1) as f64;
        self.uses[n].iter().map(|u| self.turns(n, u, least)).sum::<f64>() / len
    }

    /// How many times the kernel computes a use; under a condition, at `least` at a part of its
    /// positions. What depends on Parallel axes alone is hoisted to those; what depends on R is
    /// computed at every position of the sweep, which matters where it is not cheap.
    pub(super) fn turns(&self, n: usize, u: &Use, least: f64) -> f64 {
        let group = &self.groups[u.group];
        let arena = &group.arena;
        let mut axes = arena.index_axes(&u.coords);
        if let Some(mask) = u.mask {
            axes = axes.union(arena.values[mask.at()].axes);
        }
        let reduction = self.graph.nodes[n].op.reduced().is_some();
        let cheap = !reduction && self.costs.near[n] < CHEAP_COST;
        if !cheap && !axes.intersection(group.reduce).is_empty() {
            axes = axes.union((0..group.dims.len()).collect());
        }
        let positions: f64 = axes.iter().map(|axis| arena.axes[axis].extent as f64).product();
        positions * u.mask.map_or(1.0, |mask| share(arena, mask).max(least))
    }

    /// How often each node is computed, now that all is decided.
    pub(super) fn repeats(&self) -> Repeats {
        let nodes = self.graph.nodes.len();
        let mut repeats = Repeats { of: vec![0.0; nodes], readers: vec![0.0; nodes] };
        for n in (0..nodes).rev() {
            let mut turns = 0.0;
            for u in self.uses[n].iter().filter(|u| u.how == How::Compute) {
                let group = &self.groups[u.group];
                let swept =
                    !group.arena.index_axes(&u.coords).intersection(group.reduce).is_empty();
                let sweeps = if swept { u.sweeps.max(1) } else { 1 };
                turns += self.turns(n, u, 0.0) * sweeps as f64;
            }
            repeats.of[n] = turns / self.graph.nodes[n].len().max(1) as f64;
            for u in self.uses[n].iter().filter(|u| u.how == How::Compute) {
                for &(arg, _) in &u.args {
                    if let GraphArg::Node(a) = self.graph.nodes[n].args[arg] {
                        let readers = &mut repeats.readers[a as usize];
                        *readers = readers.max(repeats.of[n]);
                    }
                }
            }
        }
        repeats
    }

    /// Whether a node that nobody asked for is stored all the same.
    pub(super) fn must_store(&self, n: usize) -> bool {
        let node = &self.graph.nodes[n];
        if !node.is_computation() || self.uses[n].is_empty() {
            return false;
        }
        if self.uses[n].len() > MAX_USES || self.uses[n].iter().any(|u| u.sweeps >= MAX_SWEEPS) {
            return true;
        }
        if let NodeOp::Scan { .. } = node.op {
            let group = self.uses[n][0].group;
            let joins = |k: usize| self.uses[n][k].group == group && self.scans(n, k);
            return !(0..self.uses[n].len()).all(joins);
        }
        let again = self.replication(n, LEAST_SHARE) - 1.0;
        if let Some(axes) = node.op.reduced() {
            let extent = reduced(self.graph, node.args[0], axes).1;
            let input = match node.args[0] {
                GraphArg::Node(a) => self.costs.near[a as usize] + 1.0,
                GraphArg::Scalar(_) => 1.0,
            };
            let serial = extent <= SERIAL_EXTENT
                && (again < 0.1
                    || again * extent as f64 * input <= STORE_COST
                    || again * extent as f64 * input * node.len() as f64
                        <= self.options.launch_cost);
            let fits = |k: usize| self.matches(n, k) || (serial && self.has_axes_left(n, k));
            return !(0..self.uses[n].len()).all(fits);
        }
        let total = again * self.costs.full[n] * node.len() as f64;
        again * self.near(n) > STORE_COST && total > self.options.launch_cost
    }

    /// What a use of a node surely computes again.
    fn near(&self, n: usize) -> f64 {
        self.costs.near[n].min(self.costs.row[n])
    }

    /// Whether the kernel of use `k` can have serial axes for the reduction `n`, at every use.
    pub(super) fn has_axes_left(&self, n: usize, k: usize) -> bool {
        let Some(axes) = self.graph.nodes[n].op.reduced() else { return true };
        let group = self.uses[n][k].group;
        let uses = self.uses[n].iter().filter(|u| u.group == group).count();
        let each = reduced(self.graph, self.graph.nodes[n].args[0], axes).0.len();
        self.groups[group].arena.axes.len() + uses * each <= MAX_AXES
    }

    /// The kernel in which the node becomes a resident row, if it does.
    pub(super) fn row_group(&self, n: usize) -> Option<usize> {
        let node = &self.graph.nodes[n];
        let uses = &self.uses[n];
        if self.options.row_capacity == 0 || !node.is_computation() || uses.is_empty() {
            return None;
        }
        let [again, counted] = [0.0, LEAST_SHARE].map(|least| self.replication(n, least) - 1.0);
        let cheap = match again == counted {
            true => again * self.costs.row[n] <= ROW_COST,
            // What a border needs is computed again there, unless it would rather be stored.
            false => again * self.near(n) <= ROW_COST && counted * self.near(n) <= STORE_COST,
        };
        if matches!(node.op, NodeOp::Scan { .. }) || cheap {
            return None;
        }
        // A reduction inside a row is a loop at each of its elements.
        if let Some(axes) = node.op.reduced() {
            let over = reduced(self.graph, node.args[0], axes);
            let group = &self.groups[uses[0].group];
            if over.1 > SERIAL_EXTENT || group.arena.axes.len() + over.0.len() > MAX_AXES {
                return None;
            }
        }
        let group = uses[0].group;
        let g = &self.groups[group];
        if uses.iter().any(|u| u.group != group) || g.dims[..] != node.shape[..] {
            return None;
        }
        if g.rows >= MAX_ROWS || g.scan.is_some() {
            return None;
        }
        // Where every use differs from the row itself along one axis only, that axis is R.
        let moved = |u: &Use, k: usize| u.coords[k] != Index::axis(k) && g.dims[k] > 1;
        let mut axes = (0..g.dims.len()).filter(|&k| uses.iter().any(|u| moved(u, k)));
        let axis = axes.next()?;
        let own = AxisSet::one(axis);
        let serial = |&k: &usize| g.arena.axes[k].kind == AxisKind::Serial;
        let read = own.union((0..g.arena.axes.len()).filter(serial).collect());
        let along = |u: &Use| {
            let mask = u.mask.map_or(AxisSet::EMPTY, |m| g.arena.values[m.at()].axes);
            g.arena.index_axes(&u.coords[axis..=axis]).union(mask).is_subset(read)
        };
        let fits = 2 * g.dims[axis] * node.dtype.size() <= self.options.row_capacity;
        let free = g.reduce.is_empty() || g.reduce == own;
        (axes.next().is_none() && free && fits && uses.iter().all(along)).then_some(group)
    }
}
