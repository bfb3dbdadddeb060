//! Coordinates: from the place at which a node is read to those at which its arguments are. Views,
//! paddings, joins and assignments become index arithmetic here.

use super::arena::Arena;
use super::nodes::{GraphArg, GraphNode};
use crate::graph::{AxisMap, NodeOp, Region, Wrap};
use crate::kernel::{Atom, AxisSet, Index, Val};
use smallvec::SmallVec;

/// A place in an array: one index for each axis.
pub(super) type Coords = SmallVec<[Index; 4]>;

/// One argument's read.
pub(super) struct Read {
    /// The argument, by position.
    pub arg: usize,
    /// Where it is read.
    pub coords: Coords,
    /// The mask under which it is read.
    pub mask: Option<Val>,
}

/// All reads of a node's arguments.
#[derive(Default)]
pub(super) struct Reads {
    /// The reads of the arguments that are nodes.
    pub reads: SmallVec<[Read; 2]>,
    /// For each argument of a node that selects between them (pad, concatenation, assignment):
    /// whether it is the one, where that is not always so.
    pub guards: SmallVec<[Option<Val>; 2]>,
    /// The index value that stands for an element of an index array until that is known.
    pub placeholder: Option<Val>,
}

/// Where the arguments of `node` are read when it is read at `coords` under `mask`. `axes` are
/// the kernel's axes that a reduction runs over.
pub(super) fn reads(
    arena: &mut Arena,
    node: &GraphNode,
    shape_of: impl Fn(GraphArg) -> SmallVec<[usize; 4]>,
    coords: &[Index],
    mask: Option<Val>,
    axes: &[usize],
) -> Reads {
    let mut to = Reader { arena, node, shape_of: &shape_of, mask, out: Reads::default() };
    match &node.op {
        NodeOp::Source
        | NodeOp::StandIn
        | NodeOp::Full
        | NodeOp::Iota { .. }
        | NodeOp::Random(_) => {}
        // What libraries compute is loaded, and their arguments are stored.
        NodeOp::Library(_) | NodeOp::Part(_) => {}
        NodeOp::Map(_) | NodeOp::Call { .. } | NodeOp::Cast => {
            for (k, &arg) in node.args.iter().enumerate() {
                to.read(k, broadcast(coords, &shape_of(arg)), mask);
            }
        }
        NodeOp::View(view) => {
            let at = view.0.iter().map(|map| apply(to.arena, map, coords)).collect();
            to.read(0, at, mask);
        }
        NodeOp::Reshape => {
            let position = to.arena.linear(coords, &node.shape);
            let at = to.arena.delinear(position, &shape_of(node.args[0]));
            to.read(0, at, mask);
        }
        NodeOp::Pad { before } => to.pad(before, coords),
        NodeOp::Concat { axis } => to.concatenation(*axis as usize, coords),
        NodeOp::Take { axis, .. } => to.take(*axis as usize, coords),
        NodeOp::TakeAlong { axis, .. } => to.take_along(*axis as usize, coords),
        NodeOp::Assign(region) => to.assignment(region, coords),
        NodeOp::Scan { .. } => {
            (0..node.args.len()).for_each(|k| to.read(k, Coords::from(coords), mask));
        }
        NodeOp::Reduce { axes: over, .. } | NodeOp::Fold { axes: over, .. } => {
            let at = to.reduced(*over, coords, axes);
            (0..node.args.len()).for_each(|k| to.read(k, at.clone(), mask));
        }
    }
    to.out
}

/// What a node reads where it is read itself.
struct Reader<'a> {
    arena: &'a mut Arena,
    node: &'a GraphNode,
    shape_of: &'a dyn Fn(GraphArg) -> SmallVec<[usize; 4]>,
    mask: Option<Val>,
    out: Reads,
}

impl Reader<'_> {
    fn read(&mut self, arg: usize, coords: Coords, mask: Option<Val>) {
        if matches!(self.node.args[arg], GraphArg::Node(_)) {
            self.out.reads.push(Read { arg, coords, mask });
        }
    }

    fn shape(&self, arg: usize) -> SmallVec<[usize; 4]> {
        (self.shape_of)(self.node.args[arg])
    }

    /// The mask, where a guard holds too.
    fn under(&mut self, guard: Option<Val>) -> Option<Val> {
        self.arena.and(self.mask, guard)
    }

    fn pad(&mut self, before: &[usize], coords: &[Index]) {
        let shape = self.shape(0);
        let mut inside = None;
        let mut at = Coords::new();
        for (k, coord) in coords.iter().enumerate() {
            let shifted = shift(coord, before[k]);
            let here = self.arena.in_range(&shifted, 0, shape[k] as i64);
            inside = self.arena.and(inside, here);
            at.push(shifted);
        }
        let mask = self.under(inside);
        self.read(0, at, mask);
        self.out.guards.push(inside);
    }

    fn concatenation(&mut self, axis: usize, coords: &[Index]) {
        let mut start = 0;
        for k in 0..self.node.args.len() {
            let extent = self.shape(k)[axis];
            let end = (start + extent) as i64;
            let here = self.arena.in_range(&coords[axis], start as i64, end);
            let mut at = Coords::from(coords);
            at[axis] = shift(&coords[axis], start);
            let mask = self.under(here);
            self.read(k, at, mask);
            self.out.guards.push(here);
            start += extent;
        }
    }

    fn take(&mut self, axis: usize, coords: &[Index]) {
        let (from, rank) = (self.shape(0), self.shape(1).len());
        let at = Coords::from(&coords[axis..axis + rank]);
        let taken = placeholder(self.arena, &at, from[axis]);
        let mut source = Coords::from(&coords[..axis]);
        source.push(Index::atom(Atom::Value(taken)));
        source.extend(coords[axis + rank..].iter().cloned());
        self.taken(taken, source, at);
    }

    fn take_along(&mut self, axis: usize, coords: &[Index]) {
        let from = self.shape(0);
        let taken = placeholder(self.arena, coords, from[axis]);
        let mut source = Coords::from(coords);
        source[axis] = Index::atom(Atom::Value(taken));
        self.taken(taken, source, Coords::from(coords));
    }

    /// Reads an array at a position that the second one gives.
    fn taken(&mut self, placeholder: Val, source: Coords, at: Coords) {
        let mask = self.mask;
        self.read(0, source, mask);
        self.read(1, at, mask);
        self.out.placeholder = Some(placeholder);
    }

    fn assignment(&mut self, region: &Region, coords: &[Index]) {
        let Region { starts, steps, lens } = region;
        let mut inside = None;
        let mut at = Coords::new();
        for (k, coord) in coords.iter().enumerate() {
            let shifted = shift(coord, starts[k]);
            let (position, rest) = self.arena.div_mod(&shifted, steps[k] as i64);
            let on = self.arena.in_range(&rest, 0, 1);
            inside = self.arena.and(inside, on);
            let within = self.arena.in_range(&position, 0, lens[k] as i64);
            inside = self.arena.and(inside, within);
            at.push(position);
        }
        self.read(0, Coords::from(coords), self.mask);
        let value = broadcast(&at, &self.shape(1));
        let mask = self.under(inside);
        self.read(1, value, mask);
        self.out.guards.push(inside);
    }

    /// The place in a reduction's argument: what is kept stands where the result is read, what is reduced
    /// runs along the kernel's axes.
    fn reduced(&self, over: u32, coords: &[Index], axes: &[usize]) -> Coords {
        let shape = self.shape(0);
        let (mut kept, mut reduced) = (coords.iter(), axes.iter());
        let at = (0..shape.len()).map(|k| {
            if over & (1 << k) == 0 {
                kept.next().cloned().unwrap_or_default()
            } else if shape[k] == 1 {
                Index::default()
            } else {
                reduced.next().map(|&axis| Index::axis(axis)).unwrap_or_default()
            }
        });
        at.collect()
    }
}

/// Where the assigned value is read when an assignment in place is computed at a position of its
/// region.
pub(super) fn assigned(
    node: &GraphNode,
    shape_of: impl Fn(GraphArg) -> SmallVec<[usize; 4]>,
    coords: &[Index],
) -> Reads {
    let mut out = Reads::default();
    if matches!(node.args[1], GraphArg::Node(_)) {
        let coords = broadcast(coords, &shape_of(node.args[1]));
        out.reads.push(Read { arg: 1, coords, mask: None });
    }
    out
}

/// The place in an assignment's base of a position in its region.
pub(super) fn in_base(op: &NodeOp, coords: &[Index]) -> Coords {
    let NodeOp::Assign(region) = op else { unreachable!("only assignments are made in place") };
    let Region { starts, steps, .. } = &**region;
    let at = |(k, coord): (usize, &Index)| {
        let mut index = Index::constant(starts[k] as i64);
        index.add_scaled(coord, steps[k] as i64);
        index
    };
    coords.iter().enumerate().map(at).collect()
}

/// The place in an argument of the given shape that broadcasts to the node.
fn broadcast(coords: &[Index], shape: &[usize]) -> Coords {
    let skip = coords.len() - shape.len();
    let at = |(k, &extent): (usize, &usize)| {
        if extent == 1 { Index::default() } else { coords[skip + k].clone() }
    };
    shape.iter().enumerate().map(at).collect()
}

fn shift(coord: &Index, by: usize) -> Index {
    Index { offset: coord.offset - by as i64, terms: coord.terms.clone() }
}

fn apply(arena: &mut Arena, map: &AxisMap, coords: &[Index]) -> Index {
    let mut index = Index::constant(map.offset);
    for &(axis, step) in &map.terms {
        index.add_scaled(&coords[axis as usize], step);
    }
    match map.wrap {
        Wrap::None => index,
        Wrap::Div(n) => arena.div_mod(&index, n).0,
        Wrap::Mod(n) => arena.div_mod(&index, n).1,
        Wrap::Clamp(n) => arena.clamp(&index, 0, n - 1),
        Wrap::Reflect(1) | Wrap::Symmetric(1) => Index::default(),
        Wrap::Reflect(n) => folded(arena, index, n, Ends::Once),
        Wrap::Symmetric(n) => folded(arena, index, n, Ends::Twice),
    }
}

/// How often a reflected axis shows its ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Once,
    Twice,
}

/// The index on an axis of `n > 1` positions that is reflected at both ends.
///
/// With `c` the index held within the axis, what is beyond an end lies at `2c - i`, a position
/// nearer to the end where that is repeated. Clamps and sums are all there is to it, so that a
/// part of the positions which stays within the axis reads it with no arithmetic at all. Only an
/// index that may be beyond the reflected axis is brought there first, by a remainder.
fn folded(arena: &mut Arena, index: Index, n: i64, ends: Ends) -> Index {
    let (period, before) = match ends {
        Ends::Once => (2 * (n - 1), n - 1),
        Ends::Twice => (2 * n, n),
    };
    let (low, high) = arena.range(&index);
    let near = low >= -before && high < n + before;
    let index = if near { index } else { arena.div_mod(&index, period).1 };
    if !near && ends == Ends::Once {
        // The distance from the far end: n-1 - |n-1 - i|.
        let mut from_end = Index::constant(n - 1);
        from_end.add_scaled(&index, -1);
        let mut out = Index::constant(n - 1);
        out.add_scaled(&arena.abs(&from_end), -1);
        return out;
    }
    let inside = arena.clamp(&index, 0, n - 1);
    let mut out = Index::default();
    out.add_scaled(&inside, 2);
    out.add_scaled(&index, -1);
    if ends == Ends::Twice {
        let mut beyond = inside;
        beyond.add_scaled(&index, -1);
        out.add_scaled(&arena.clamp(&beyond, -1, 1), -1);
    }
    // The range of the sum is not that of the result, which is within the axis.
    arena.clamp(&out, 0, n - 1)
}

/// The value that stands for an element of an index array, read at `at`, into an axis of the
/// given extent.
fn placeholder(arena: &mut Arena, at: &[Index], extent: usize) -> Val {
    let axes: AxisSet = arena.index_axes(at);
    arena.placeholder(axes, 0, extent as i64 - 1)
}
