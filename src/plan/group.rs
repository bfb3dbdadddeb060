//! Grouping: which nodes are stored, and which stores share a kernel.
//!
//! The nodes are visited from the roots to the leaves, so that when a node's turn comes, every
//! place at which it is read (its *uses*: a kernel, coordinates in that kernel's axes, a mask) is
//! known. Then its fate is decided by one rule each:
//!
//! - A requested or forced node is stored, in a kernel of the same nest if one can take it without
//!   a cycle and without computing too much again; a join that is forced is a kernel of its own.
//! - A reduction joins the sweep of a kernel that reads it if its axes are the kernel's Reduce axes
//!   and its place depends on X alone; it becomes a Serial loop where it is short or costs nothing
//!   extra; else it is stored. A second sweep never follows a reduction that has to be spread over
//!   the whole device ([`FEW_RESULTS`]).
//! - A scan joins the kernel that alone reads it, position by position, if that kernel runs along
//!   its axis for nothing else (`kernel/scans.rs`); else it is stored.
//! - A computation is stored where what its uses would compute again, counted over the whole
//!   subtree times its replication, costs more than writing and reading it ([`STORE_COST`]); it
//!   becomes a resident row instead where all its uses differ along one axis only and a row fits on
//!   the chip, and so does a short reduction, as a Serial loop at each element of the row (sums
//!   over windows of sums over windows). A use under a condition counts the part of the positions
//!   at which it may hold ([`LEAST_SHARE`] at least): a stencil whose borders take their
//!   neighbours' values is one kernel.
//! - A reduction of what depends on regions (an assignment, padding, a join) is a kernel of its own
//!   where the other one runs in pieces ([`Options::pieces_from`]).
//! - What many sweeps of a kernel would compute again ([`MAX_SWEEPS`]) is stored by another kernel,
//!   so that a chain of `a - a.max(…)` takes time in proportion to its length.
//! - What a library computes is stored, and so are its arguments; the call is a group of its own,
//!   never part of a kernel and never run twice.
//! - Everything else is computed where it is used; equal computations at equal places are one
//!   value.
//!
//! These rules look at one node at a time; `bound.rs` counts what comes of them.

use super::arena::Arena;
use super::assigned::InPlace;
use super::coords::{self, Coords};
use super::nodes::{Graph, GraphArg, stored};
use super::pieces::Pieces;
use super::work::work;
use super::{Forced, Options};
use crate::graph::NodeOp;
use crate::kernel::{AxisKind, AxisSet, Index, Val};
use costs::{Costs, LEAST_SHARE, MAX_SWEEPS, STORE_COST, reduced};
pub(super) use costs::{Repeats, extent, own_cost};
use hosts::Hosts;
use nest::Nest;
use smallvec::SmallVec;
use uses::Known;

mod costs;
mod hosts;
mod nest;
mod uses;

/// A reduction that is a kernel's root and no longer than this is a Serial loop of its thread.
pub(crate) const SHORT_EXTENT: usize = 8;
/// With fewer results than this, and more elements than [`HUGE_EXTENT`] for each, a reduction
/// has to be spread over the whole device, which a second sweep cannot follow in one kernel.
const FEW_RESULTS: usize = 256;
/// See [`FEW_RESULTS`].
const HUGE_EXTENT: usize = 32768;
/// The most stores of one kernel.
const MAX_ROOTS: usize = 12;
/// The most axes of one kernel, those of serial reductions among them: what an `AxisSet` holds.
const MAX_AXES: usize = 32;

/// How a use gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The expression is computed here.
    Compute,
    /// The stored array is read.
    Load,
    /// The resident row is read.
    RowLoad,
}

/// One place at which one kernel reads a node.
pub(super) struct Use {
    /// The kernel.
    pub group: usize,
    /// Where the node is read.
    pub coords: Coords,
    /// The mask under which it is read.
    pub mask: Option<Val>,
    /// How the value is had.
    pub how: How,
    /// The uses of the arguments that this use made: argument, position among its node's uses.
    pub args: SmallVec<[(usize, usize); 3]>,
    /// See [`coords::Reads::guards`].
    pub guards: SmallVec<[Option<Val>; 2]>,
    /// See [`coords::Reads::placeholder`].
    pub placeholder: Option<Val>,
    /// The axes that a reduction runs over here.
    pub axes: SmallVec<[usize; 2]>,
    /// Whether the use stands inside a sweep over the Reduce axes.
    in_sweep: bool,
    /// How many reductions over the Reduce axes stand one after another between the use and the
    /// kernel's end: as many sweeps compute the value again.
    sweeps: usize,
    /// Whether this use fills a resident row.
    pub fills_row: bool,
    /// Whether a scan of the kernel needs the value.
    below_scan: bool,
    /// Whether this use is an assignment in place, computed over its region alone.
    pub in_place: bool,
}

/// A kernel in the making.
pub(super) struct Group {
    /// The values and axes; the first `dims.len()` axes are the nest's.
    pub arena: Arena,
    /// The nest's extents, in the order of the arrays' axes.
    dims: Vec<usize>,
    /// The Reduce axes.
    pub reduce: AxisSet,
    /// The direction of the kernel's scans, where it has any.
    pub scan: Option<Direction>,
    /// The stored nodes with the use that computes each.
    pub roots: Vec<(u32, usize)>,
    /// The number of resident rows.
    rows: usize,
    /// The groups that read this one's results.
    pub read_by: Vec<usize>,
    /// Whether the result lies in an array that the kernel may read.
    writes_what_it_reads: bool,
    /// The library call that the group is, in place of a kernel.
    pub call: Option<u32>,
    /// Whether a root that is no reduction depends on whether a position lies in some region.
    has_regions: bool,
    /// How much of a kernel its pieces fill.
    filled: f32,
}

/// The direction in which a scan runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// From the first position to the last.
    Forward,
    /// From the last position to the first.
    Backward,
}

impl Direction {
    /// The direction of a scan.
    fn of(op: &NodeOp) -> Option<Direction> {
        match op {
            NodeOp::Scan { reverse: true, .. } => Some(Direction::Backward),
            NodeOp::Scan { .. } => Some(Direction::Forward),
            _ => None,
        }
    }
}

/// What the grouping decided.
pub(super) struct Grouping {
    /// The kernels.
    pub groups: Vec<Group>,
    /// For each node, its uses.
    pub uses: Vec<Vec<Use>>,
}

/// Decides what is stored and what shares a kernel.
pub(super) fn group(
    graph: &Graph,
    forced: &Forced,
    in_place: &[u32],
    pieces: &Pieces,
    options: Options,
) -> Grouping {
    let Grouper { groups, uses, .. } = grouper(graph, forced, in_place, pieces, options);
    Grouping { groups, uses }
}

/// How often the kernels that [`group`] gives compute each node.
pub(super) fn repeats(
    graph: &Graph,
    forced: &Forced,
    in_place: &[u32],
    pieces: &Pieces,
    options: Options,
) -> Repeats {
    grouper(graph, forced, in_place, pieces, options).repeats()
}

fn grouper<'a>(
    graph: &'a Graph,
    forced: &'a Forced,
    in_place: &[u32],
    pieces: &'a Pieces,
    options: Options,
) -> Grouper<'a> {
    let mut g = Grouper {
        graph,
        options,
        in_place: InPlace::new(graph, in_place),
        pieces,
        costs: Costs::new(graph),
        contents: nest::Contents::new(graph),
        groups: Vec::new(),
        uses: (0..graph.nodes.len()).map(|_| Vec::new()).collect(),
        stored: vec![None; graph.nodes.len()],
        forced,
        readers: vec![SmallVec::new(); graph.nodes.len()],
        hosts: Hosts::default(),
        known: Known::default(),
    };
    let (mut wanted, mut requested) = (forced.stored.clone(), vec![false; graph.nodes.len()]);
    for &root in &graph.roots {
        wanted[root as usize] = true;
        requested[root as usize] = true;
    }
    for n in (0..graph.nodes.len()).rev() {
        work(1);
        if g.uses[n].is_empty() && g.readers[n].is_empty() && !requested[n] {
            continue;
        }
        match graph.nodes[n].op {
            NodeOp::Part(_) if graph.nodes[n].leaf.is_none() => g.part(n),
            NodeOp::Library(_) if graph.nodes[n].leaf.is_none() => g.call(n, &mut wanted),
            _ => g.visit(n, wanted[n]),
        }
    }
    g
}

struct Grouper<'a> {
    graph: &'a Graph,
    options: Options,
    costs: Costs,
    contents: nest::Contents,
    groups: Vec<Group>,
    uses: Vec<Vec<Use>>,
    /// The nodes that are stored in any case.
    forced: &'a Forced,
    /// The assignments that are written in their base's memory.
    in_place: InPlace,
    /// What was found of a graph that is too large for one kernel.
    pieces: &'a Pieces,
    /// The group that stores a node.
    stored: Vec<Option<usize>>,
    /// For a library call with several outputs, the groups that read one of them.
    readers: Vec<SmallVec<[usize; 4]>>,
    /// Which kernels may take a root.
    hosts: Hosts,
    /// Where the uses of a node with many of them stand.
    known: Known,
}

impl Grouper<'_> {
    fn visit(&mut self, n: usize, wanted: bool) {
        let node = &self.graph.nodes[n];
        if node.leaf.is_some() {
            self.uses[n].iter_mut().for_each(|u| u.how = How::Load);
            return;
        }
        let row = if wanted { None } else { self.row_group(n) };
        if let Some(group) = row {
            self.make_row(n, group);
        } else if wanted || self.must_store(n) {
            self.store(n);
        }
        for k in 0..self.uses[n].len() {
            if self.uses[n][k].how == How::Compute {
                self.expand(n, k);
            }
        }
    }

    /// An output of a library call: whoever reads it reads what the call has stored.
    fn part(&mut self, n: usize) {
        let GraphArg::Node(call) = self.graph.nodes[n].args[0] else { return };
        for u in &mut self.uses[n] {
            u.how = How::Load;
            self.readers[call as usize].push(u.group);
        }
    }

    /// A library call: a group of its own, whose arguments are stored.
    fn call(&mut self, n: usize, wanted: &mut [bool]) {
        let group = self.groups.len();
        self.groups.push(Group { call: Some(n as u32), ..Group::new(&Nest::elementwise(&[])) });
        self.load_elsewhere(n, group);
        for k in 0..self.readers[n].len() {
            let reader = self.readers[n][k];
            self.depend(reader, group);
        }
        for k in 0..self.graph.nodes[n].args.len() {
            let GraphArg::Node(a) = self.graph.nodes[n].args[k] else { continue };
            let a = stored(self.graph, a) as usize;
            wanted[a] = true;
            let nowhere = SmallVec::from_elem(Index::default(), self.graph.nodes[a].shape.len());
            self.add_use(a, group, nowhere, None, (false, 0));
        }
    }

    /// Makes the uses of the arguments.
    fn expand(&mut self, n: usize, k: usize) {
        let graph = self.graph;
        let node = &graph.nodes[n];
        let group = self.uses[n][k].group;
        let one_more = self.matches(n, k);
        if let Some(axes) = node.op.reduced() {
            let over = match one_more {
                true => self.groups[group].reduce_axes(),
                false => {
                    let (extents, _) = reduced(graph, node.args[0], axes);
                    let arena = &mut self.groups[group].arena;
                    extents.iter().map(|&e| arena.axis(e, AxisKind::Serial)).collect()
                }
            };
            self.uses[n][k].in_sweep |= one_more;
            self.uses[n][k].axes = over;
        }
        if let NodeOp::Scan { .. } = node.op {
            self.uses[n][k].axes = self.groups[group].reduce_axes();
            self.uses[n][k].in_sweep = true;
            self.uses[n][k].below_scan = true;
        }
        let shape_of = |arg: GraphArg| match arg {
            GraphArg::Node(a) => graph.nodes[a as usize].shape.clone(),
            GraphArg::Scalar(_) => SmallVec::new(),
        };
        let u = &self.uses[n][k];
        let arena = &mut self.groups[group].arena;
        let reads = match u.in_place {
            true => coords::assigned(node, shape_of, &u.coords),
            false => coords::reads(arena, node, shape_of, &u.coords, u.mask, &u.axes),
        };
        let below_scan = u.below_scan;
        let sweep = (u.in_sweep, u.sweeps + usize::from(one_more));
        let mut args = SmallVec::new();
        for read in reads.reads {
            let GraphArg::Node(a) = node.args[read.arg] else { continue };
            let at = self.add_use(a as usize, group, read.coords, read.mask, sweep);
            self.uses[a as usize][at].below_scan |= below_scan;
            args.push((read.arg, at));
        }
        let u = &mut self.uses[n][k];
        (u.args, u.guards, u.placeholder) = (args, reads.guards, reads.placeholder);
    }

    fn add_use(
        &mut self,
        n: usize,
        group: usize,
        coords: Coords,
        mask: Option<Val>,
        (in_sweep, sweeps): (bool, usize),
    ) -> usize {
        if let Some(k) = self.known.find(n, &self.uses[n], (group, &coords, mask)) {
            let u = &mut self.uses[n][k];
            u.in_sweep |= in_sweep;
            u.sweeps = u.sweeps.max(sweeps);
            return k;
        }
        self.uses[n].push(Use {
            group,
            coords,
            mask,
            how: How::Compute,
            args: SmallVec::new(),
            guards: SmallVec::new(),
            placeholder: None,
            axes: SmallVec::new(),
            in_sweep,
            sweeps,
            below_scan: false,
            fills_row: false,
            in_place: false,
        });
        self.known.add(n, &self.uses[n]);
        self.uses[n].len() - 1
    }

    /// Whether the reduction `n` at its use `k` runs over the Reduce axes of the use's kernel.
    fn matches(&self, n: usize, k: usize) -> bool {
        let (node, u) = (&self.graph.nodes[n], &self.uses[n][k]);
        let Some(axes) = node.op.reduced() else { return false };
        let group = &self.groups[u.group];
        let (extents, _) = reduced(self.graph, node.args[0], axes);
        let own: SmallVec<[usize; 4]> =
            group.reduce_axes().iter().map(|&axis| group.dims[axis]).collect();
        let mut used = group.arena.index_axes(&u.coords);
        if let Some(mask) = u.mask {
            used = used.union(group.arena.values[mask.at()].axes);
        }
        let serial = |axis: usize| group.arena.axes[axis].kind == AxisKind::Serial;
        !self.graph.is_in_order(n)
            && !own.is_empty()
            && own == extents
            && group.scan.is_none()
            && used.intersection(group.reduce).is_empty()
            && !used.iter().any(serial)
            && !(u.in_sweep && group.is_huge())
    }

    /// Whether the scan `n` at its use `k` is one of the use's kernel.
    fn scans(&self, n: usize, k: usize) -> bool {
        let (node, u) = (&self.graph.nodes[n], &self.uses[n][k]);
        let NodeOp::Scan { axis, .. } = node.op else { return false };
        let group = &self.groups[u.group];
        group.scan == Direction::of(&node.op)
            && group.reduce == AxisSet::one(axis as usize)
            && !u.below_scan
            && u.mask.is_none()
            && group.dims[..] == node.shape[..]
            && u.coords == identity(&node.shape, Some)
    }

    fn make_row(&mut self, n: usize, group: usize) {
        let dims = self.groups[group].dims.clone();
        let uses = &self.uses[n];
        let moved =
            |k: &usize| dims[*k] > 1 && uses.iter().any(|u| u.coords[*k] != Index::axis(*k));
        let axis = (0..dims.len()).find(moved).expect("row_group found one");
        let g = &mut self.groups[group];
        g.rows += 1;
        g.reduce = AxisSet::one(axis);
        g.arena.axes[axis].kind = AxisKind::Reduce;
        self.hosts.note(group, &self.groups[group]);
        self.uses[n].iter_mut().for_each(|u| u.how = How::RowLoad);
        let identity = identity(&dims, Some);
        // The fill is a use of its own, even where the row is read at the same place.
        let fill = Use {
            group,
            coords: identity,
            mask: None,
            how: How::Compute,
            args: SmallVec::new(),
            guards: SmallVec::new(),
            placeholder: None,
            axes: SmallVec::new(),
            in_sweep: true,
            sweeps: 0,
            below_scan: false,
            fills_row: true,
            in_place: false,
        };
        self.uses[n].push(fill);
    }

    /// Stores a node: finds or makes the kernel that computes it, and turns the uses elsewhere
    /// into loads.
    fn store(&mut self, n: usize) {
        if self.in_place.holds(n) {
            return self.store_in_place(n);
        }
        let capacity = self.options.row_capacity;
        let stored = |a: usize| self.stored[a].is_some();
        let nest = nest::find(self.graph, &self.contents, n, capacity, stored);
        // What was cut out of a kernel that joined too many parts would make another one too large.
        let joins =
            self.forced.stored[n] && matches!(self.graph.nodes[n].op, NodeOp::Concat { .. });
        let host = if joins || self.forced.alone[n] { None } else { self.host(n, &nest) };
        let group = match host {
            Some(group) => group,
            None => {
                self.groups.push(Group::new(&nest));
                self.groups.len() - 1
            }
        };
        self.load_elsewhere(n, group);
        let g = &mut self.groups[group];
        if g.reduce.is_empty() && !nest.reduce.is_empty() {
            g.reduce = nest.reduce;
            nest.reduce.iter().for_each(|axis| g.arena.axes[axis].kind = AxisKind::Reduce);
            g.scan = nest.scan;
        }
        g.filled += self.pieces.of(n);
        g.has_regions |= nest.reduce.is_empty() && self.contents.regions[n];
        self.hosts.note(group, g);
        let map = g.place(&nest).expect("the host takes this nest");
        let coords = identity(&self.graph.nodes[n].shape, |k| map[k]);
        let swept = g.arena.index_axes(&coords).intersection(g.reduce);
        let root = self.add_use(n, group, coords, None, (!swept.is_empty(), 0));
        self.groups[group].roots.push((n as u32, root));
    }

    /// Stores an assignment to a leaf that nobody else can see: a kernel over the region alone,
    /// which writes into the leaf's memory.
    fn store_in_place(&mut self, n: usize) {
        let node = &self.graph.nodes[n];
        let NodeOp::Assign(region) = &node.op else {
            unreachable!("only assignments are made in place")
        };
        let lens = &region.lens;
        let nest = match node.args[1] {
            GraphArg::Node(v) if self.graph.nodes[v as usize].shape == *lens => {
                let capacity = self.options.row_capacity;
                let stored = |a: usize| self.stored[a].is_some();
                nest::find(self.graph, &self.contents, v as usize, capacity, stored)
            }
            _ => Nest::elementwise(lens),
        };
        let group = self.groups.len();
        let writes_what_it_reads = self.in_place.reads_itself(self.graph, n);
        self.groups.push(Group { writes_what_it_reads, ..Group::new(&nest) });
        self.load_elsewhere(n, group);
        let coords = identity(lens, |k| nest.map[k]);
        let swept = self.groups[group].arena.index_axes(&coords).intersection(nest.reduce);
        let root = self.add_use(n, group, coords, None, (!swept.is_empty(), 0));
        self.uses[n][root].in_place = true;
        self.groups[group].roots.push((n as u32, root));
    }

    /// Makes the node the result of a kernel: the others load it.
    fn load_elsewhere(&mut self, n: usize, group: usize) {
        self.stored[n] = Some(group);
        for u in &mut self.uses[n] {
            if u.group != group {
                u.how = How::Load;
            }
        }
        for k in 0..self.uses[n].len() {
            let reader = self.uses[n][k].group;
            if reader != group {
                self.depend(reader, group);
            }
        }
    }

    /// Notes that a group reads another one's results.
    fn depend(&mut self, reader: usize, group: usize) {
        if self.hosts.note_read(reader, group) {
            self.groups[group].read_by.push(reader);
        }
    }

    /// A kernel that can compute and store the node beside its own roots.
    fn host(&mut self, n: usize, nest: &Nest) -> Option<usize> {
        let mut hosts = std::mem::take(&mut self.hosts);
        let host =
            hosts.find(nest, &self.groups, &self.uses[n], |group| self.takes(n, nest, group));
        self.hosts = hosts;
        host
    }

    /// Whether a kernel can compute and store the node, as far as what depends on it allows.
    fn takes(&self, n: usize, nest: &Nest, group: usize) -> bool {
        let g = &self.groups[group];
        if !self.pieces.fits(g.filled, n) {
            return false;
        }
        let Some(map) = g.place(nest) else { return false };
        let least = self.options.pieces_from.unwrap_or(usize::MAX);
        let is_one_reduced = g.reduce.is_empty() != nest.reduce.is_empty();
        if is_one_reduced
            && (g.has_regions || self.contents.regions[n])
            && crate::shape::len(&nest.dims) >= least
        {
            return false;
        }
        let own = identity(&self.graph.nodes[n].shape, |k| map[k]);
        // A kernel was cut here.
        if self.forced.apart[n] && self.uses[n].iter().any(|u| u.group == group) {
            return false;
        }
        // What many sweeps would compute again is to be loaded there.
        if self.uses[n].iter().any(|u| u.group == group && u.sweeps >= MAX_SWEEPS) {
            return false;
        }
        // What the kernel reads of this node elsewhere it would have to compute again.
        let elsewhere = |u: &&Use| u.group == group && u.coords != own;
        let again: f64 =
            self.uses[n].iter().filter(elsewhere).map(|u| self.turns(n, u, LEAST_SHARE)).sum();
        let again = again / self.graph.nodes[n].len().max(1) as f64;
        let reduction = self.graph.nodes[n].op.reduced().is_some();
        let scan = Direction::of(&self.graph.nodes[n].op).is_some();
        let unmatched = |k: usize| {
            let here = self.uses[n][k].group == group;
            here && (reduction && !self.matches(n, k) || scan && !self.scans(n, k))
        };
        !(0..self.uses[n].len()).any(unmatched) && again * self.costs.full[n] <= STORE_COST
    }
}

/// The place of every element of an array in the nest: axis `k` at the nest's axis `at(k)`.
fn identity(shape: &[usize], at: impl Fn(usize) -> Option<usize>) -> Coords {
    let coord = |k: usize| match at(k) {
        Some(axis) if shape[k] > 1 => Index::axis(axis),
        _ => Index::default(),
    };
    (0..shape.len()).map(coord).collect()
}

impl Group {
    fn new(nest: &Nest) -> Self {
        let mut arena = Arena::default();
        for (k, &extent) in nest.dims.iter().enumerate() {
            let reduce = nest.reduce.has(k);
            arena.axis(extent, if reduce { AxisKind::Reduce } else { AxisKind::Parallel });
        }
        Group {
            arena,
            dims: nest.dims.clone(),
            reduce: nest.reduce,
            scan: nest.scan,
            roots: Vec::new(),
            rows: 0,
            read_by: Vec::new(),
            writes_what_it_reads: false,
            call: None,
            has_regions: false,
            filled: 0.0,
        }
    }

    /// Whether no further root may join. What the roots are computed from may need serial axes too.
    fn is_full(&self) -> bool {
        self.roots.len() >= MAX_ROOTS || self.arena.axes.len() > MAX_AXES / 2
    }

    /// The Reduce axes that are longer than 1.
    fn reduce_axes(&self) -> SmallVec<[usize; 2]> {
        self.reduce.iter().filter(|&axis| self.dims[axis] > 1).collect()
    }

    /// Whether the reduction must be spread over the whole device.
    fn is_huge(&self) -> bool {
        let extent = |reduce: bool| -> usize {
            (0..self.dims.len())
                .filter(|&k| self.reduce.has(k) == reduce)
                .map(|k| self.dims[k])
                .product()
        };
        nest::is_huge(extent(false), extent(true))
    }

    /// Where the axes of a root with the given nest lie in this kernel's, if it fits.
    fn place(&self, nest: &Nest) -> Option<Vec<Option<usize>>> {
        // Scans share a kernel with scans in their direction alone, and with what covers R.
        let other = self.scan != nest.scan && !self.reduce.is_empty() && !nest.reduce.is_empty();
        if (self.scan.is_some() || nest.scan.is_some()) && (self.dims != nest.dims || other) {
            return None;
        }
        if self.dims == nest.dims
            && (self.reduce == nest.reduce || self.reduce.is_empty() || nest.reduce.is_empty())
        {
            return Some(nest.map.clone());
        }
        // An elementwise root over the Parallel axes alone.
        let parallel: Vec<usize> = (0..self.dims.len()).filter(|&k| !self.reduce.has(k)).collect();
        let same = nest.dims.len() == parallel.len()
            && nest.dims.iter().zip(&parallel).all(|(&d, &k)| d == self.dims[k]);
        (nest.reduce.is_empty() && same)
            .then(|| nest.map.iter().map(|at| at.map(|k| parallel[k])).collect())
    }
}
