//! Windows: from where on views read stored arrays, and assignments overwrite them.
//!
//! A loop over rows or elements evaluates one expression at one position after another. What its
//! plan depends on is how the parts of an array lie to each other, not where in the array they
//! are. So what reads or overwrites parts of one array near each other gets a *window*: the
//! array from the first of these parts on. The plan knows the parts by their places in the window,
//! and where the window begins is an argument of its run, as the array itself is. Parts that
//! lie apart have a window each, as if they were of different arrays.
//!
//! - Parts within four positions of each other share a window; parts that lie apart have one each,
//!   three an array at most. The walk's key holds the parts' places in their window, the graph the
//!   window as a leaf of its own (`GraphNode::window`, with how far it reaches), and a launch the
//!   byte at which it begins.
//! - A window begins at a multiple of 16 bytes, so that packs stay packs: a loop over the elements
//!   of an array of `f64` has two plans.
//! - An array that anything else needs whole, or that a view reads all of, has windows for small
//!   parts alone that are read, as in `&p - p.slice(s![i, ..])`, and none where some of it is
//!   overwritten. Products and factorisations read views
//!   where they lie: they are given the part of the buffer that begins there (`Buffer::part`), and a
//!   GPU's library chooses an algorithm for arrays that begin at a multiple of 16 bytes
//!   (`Matmul::part`). Other libraries' arguments are stored for them, and a view is then a kernel's.
//! - Where the planner finds that an assignment has to copy its array after all, it gives no plan
//!   (`Plan::needs_whole_arrays`), and the evaluation is walked again without windows.

use super::parts::{Placed, Position, Window};
use super::walk::{Marks, Walk};
use crate::dtype::DType;
use crate::graph::{Arg, Node, NodeOp, Region, View};
use crate::plan::{GraphNode, work};
use crate::shape::{contiguous_strides, len};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// The first and the last position on each axis, part after part.
type Bounds = SmallVec<[(i64, i64); 16]>;
/// Parts of one array, by their places among all.
type Parts = SmallVec<[usize; 8]>;

/// Parts that are so many positions apart share a window: what lies near each other in one step
/// of a loop does so in the others.
const NEAR: i64 = 4;
/// The most windows of one array. More parts than this have one in common.
const MOST_WINDOWS: usize = 3;
/// Of more parts than this, or of more arrays, none is searched for one by one.
const FEW: usize = 16;
/// The most parts of one array that are told apart.
const MOST_PARTS: usize = 16;
/// A part of an array that is read whole as well has a window where it is so many times smaller: the parts
/// that a stencil reads are about as large as the array.
const SMALL: usize = 4;
/// Packs of elements are so long, in bytes, and begin at multiples of it.
const PACK: usize = 16;

/// Adds where a node reads or overwrites its first argument, of the given shape; says whether that is
/// a regular part of it.
fn add_bounds(node: &Node, under: &[usize], bounds: &mut Bounds) -> bool {
    let from = bounds.len();
    match &node.op {
        NodeOp::View(view) => bounds.extend(view.0.iter().map(|map| map.bounds(&node.shape))),
        NodeOp::Assign(region) => bounds.extend((0..region.starts.len()).map(|k| {
            let start = region.starts[k];
            (start as i64, (start + region.steps[k] * (region.lens[k] - 1)) as i64)
        })),
        _ => return false,
    }
    let own = &bounds[from..];
    let is_inside = |(&(low, high), &n): (&(i64, i64), &usize)| low >= 0 && high < n as i64;
    own.len() == under.len() && own.iter().zip(under).all(is_inside)
}

fn are_near(a: &[(i64, i64)], b: &[(i64, i64)]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.0 <= b.1 + NEAR && b.0 <= a.1 + NEAR)
}

impl Walk<'_> {
    /// Finds the windows, once it is known what is overwritten in place, and adds to the key what
    /// their plan depends on.
    pub(super) fn find_windows(&mut self) {
        if self.placed.is_empty() {
            return;
        }
        let mut placed = std::mem::take(&mut self.placed);
        let (whole, by_leaf) = (self.read_as_a_whole(&placed), by_leaf(&placed));
        let ranks = if by_leaf.len() > FEW { self.ranks(&placed) } else { Vec::new() };
        for (leaf, mut parts) in by_leaf {
            // A view of all of an array, as of a matrix with one more axis, reads it whole, too.
            let (all, rest) = self.apart(&placed, leaf, &parts);
            if whole[leaf as usize] || all {
                match self.are_small(&placed, leaf, &rest) {
                    true => parts = rest,
                    false if whole[leaf as usize] => continue,
                    false => {}
                }
            }
            let rank = match ranks.get(leaf as usize) {
                Some(&rank) => rank,
                None => self.rank(leaf, &placed),
            };
            self.windows_of(&mut placed, (leaf, rank), &parts);
        }
        for part in &placed {
            let node = self.nodes[part.node as usize];
            match part.window {
                None => self.mix(node.hash),
                Some(window) => {
                    self.mix(u64::from(window) | 1 << 43);
                    self.mix_within(node, window);
                }
            }
        }
        self.placed = placed;
    }

    /// For each number, whether it is data that something needs as a whole.
    fn read_as_a_whole(&self, placed: &[Placed]) -> SmallVec<[bool; 64]> {
        let mut whole = SmallVec::from_elem(false, self.nodes.len());
        let mut parts = placed.iter().peekable();
        let in_place = Marks::of(&self.in_place, self.nodes.len());
        for (k, node) in self.nodes.iter().enumerate() {
            let is_placed = parts.next_if(|part| part.node as usize == k).is_some();
            let is_part = match node.op {
                _ if node.is_evaluated() => continue,
                NodeOp::Assign(_) => is_placed && in_place.contains(k as u32),
                _ => is_placed,
            };
            // SAFETY: the walk is part of the evaluation that runs.
            let args = &unsafe { node.state_unlocked() }.args;
            for arg in &args[usize::from(is_part)..] {
                if let Arg::Node(arg) = arg
                    && arg.is_evaluated()
                {
                    whole[self.place(arg).expect("every argument was walked") as usize] = true;
                }
            }
        }
        whole
    }

    /// Whether views read all of an array, and which of its parts are no such views.
    fn apart(&self, placed: &[Placed], leaf: u32, parts: &[usize]) -> (bool, Parts) {
        let all = len(&self.nodes[leaf as usize].shape);
        let rest: Parts = parts
            .iter()
            .copied()
            .filter(|&k| self.span(placed[k].node, leaf) != Some(all))
            .collect();
        (rest.len() < parts.len(), rest)
    }

    /// Whether parts of an array are read alone, and are small beside it.
    fn are_small(&self, placed: &[Placed], leaf: u32, parts: &[usize]) -> bool {
        let all = len(&self.nodes[leaf as usize].shape);
        let is_small = |span: usize| span.saturating_mul(SMALL) <= all;
        parts.iter().all(|&k| self.span(placed[k].node, leaf).is_some_and(is_small))
    }

    /// The number of elements from the first to the last that a view reads on each axis of an array.
    fn span(&self, node: u32, leaf: u32) -> Option<usize> {
        work(1);
        let (node, mut bounds) = (self.nodes[node as usize], Bounds::new());
        let is_read = matches!(node.op, NodeOp::View(_))
            && add_bounds(node, &self.nodes[leaf as usize].shape, &mut bounds);
        is_read.then(|| bounds.iter().map(|ends| (ends.1 - ends.0 + 1) as usize).product())
    }

    /// The position among the leaves of the data with a number.
    fn rank(&self, number: u32, placed: &[Placed]) -> u32 {
        work(number as usize);
        let data = self.nodes[..number as usize].iter().filter(|n| n.is_evaluated()).count();
        (data - placed.partition_point(|part| part.node <= number)) as u32
    }

    /// The same for all numbers.
    fn ranks(&self, placed: &[Placed]) -> Vec<u32> {
        let (mut rank, mut twins) = (0, placed.iter().map(|part| part.node - 1).peekable());
        let count = |(k, node): (usize, &&Arc<Node>)| {
            let before = rank;
            let is_twin = twins.next_if_eq(&(k as u32)).is_some();
            rank += u32::from(node.is_evaluated() && !is_twin);
            before
        };
        self.nodes.iter().enumerate().map(count).collect()
    }

    /// Gives windows to the parts of one array, which has a number and a position among the leaves.
    fn windows_of(&mut self, placed: &mut [Placed], (number, at): (u32, u32), parts: &[usize]) {
        let leaf = self.nodes[number as usize];
        let (shape, mut bounds) = (&leaf.shape[..], Bounds::new());
        for &k in parts {
            work(1);
            if !add_bounds(self.nodes[placed[k].node as usize], shape, &mut bounds) {
                return;
            }
        }
        let rank = shape.len();
        let groups = together(&bounds, rank, parts.len());
        let strides = contiguous_strides(shape);
        for k in 0..parts.len() {
            if groups[..k].contains(&groups[k]) {
                continue;
            }
            let window = self.windows.len() as u32;
            let mut whole: Bounds = SmallVec::from_slice(&bounds[k * rank..(k + 1) * rank]);
            for other in (k..parts.len()).filter(|&other| groups[other] == groups[k]) {
                placed[parts[other]].window = Some(window);
                for (all, own) in whole.iter_mut().zip(&bounds[other * rank..]) {
                    *all = (all.0.min(own.0), all.1.max(own.1));
                }
            }
            let (corner, start) = aligned(&whole, &strides, leaf.dtype);
            let last: i64 = whole.iter().zip(&strides).map(|(ends, stride)| ends.1 * stride).sum();
            self.windows.push(Window {
                leaf: at,
                start: start as usize * leaf.dtype.size(),
                reach: (last - start) as usize + 1,
                corner,
                twin: placed[parts[k]].node - 1,
            });
        }
    }

    /// Adds to the key what a node does within a window.
    fn mix_within(&mut self, node: &Node, window: u32) {
        for axis in 0..self.windows[window as usize].corner.len() {
            let corner = self.windows[window as usize].corner[axis];
            match &node.op {
                NodeOp::View(view) => {
                    let map = &view.0[axis];
                    self.mix((map.offset - corner) as u64 ^ (map.terms.len() as u64) << 56);
                    for &(axis, step) in &map.terms {
                        self.mix(step as u64 ^ u64::from(axis) << 56);
                    }
                }
                NodeOp::Assign(region) => {
                    self.mix((region.starts[axis] as i64 - corner) as u64);
                    self.mix(region.steps[axis] as u64);
                    self.mix(region.lens[axis] as u64);
                }
                _ => unreachable!("only views and assignments have windows"),
            }
        }
    }

    /// The windows by the numbers by which they are known.
    pub(super) fn twins(&self) -> FxHashMap<u32, usize> {
        self.windows.iter().enumerate().map(|(k, window)| (window.twin, k)).collect()
    }

    /// Makes data that the walk has under another number, too, the array of the window that is
    /// known by this one, if any is.
    pub(super) fn set_twin(&self, node: &mut GraphNode, window: Option<&usize>) {
        if let Some(&k) = window {
            node.leaf = Some((self.leaves.len() + k) as u32);
            node.window = Some(self.windows[k].reach);
        }
    }

    /// What a node does within a window.
    pub(super) fn within(&self, node: &Node, window: u32) -> NodeOp {
        let corner = &self.windows[window as usize].corner;
        match &node.op {
            NodeOp::View(view) => {
                let mut maps = view.0.clone();
                maps.iter_mut().zip(corner).for_each(|(map, corner)| map.offset -= corner);
                NodeOp::View(Arc::new(View(maps)))
            }
            NodeOp::Assign(region) => {
                let starts = region.starts.iter().zip(corner);
                let starts = starts.map(|(&start, corner)| start - *corner as usize).collect();
                NodeOp::Assign(Box::new(Region { starts, ..(**region).clone() }))
            }
            _ => unreachable!("only views and assignments have windows"),
        }
    }
}

/// The parts of each array, in the order in which the arrays are met.
fn by_leaf(placed: &[Placed]) -> SmallVec<[(u32, Parts); 2]> {
    let mut lists: SmallVec<[(u32, Parts); 2]> = SmallVec::new();
    let mut known: FxHashMap<u32, usize> = FxHashMap::default();
    for (k, part) in placed.iter().enumerate() {
        work(1);
        let list = match placed.len() <= FEW {
            true => lists.iter().position(|list| list.0 == part.leaf),
            false => known.get(&part.leaf).copied(),
        };
        let list = list.unwrap_or_else(|| {
            if placed.len() > FEW {
                known.insert(part.leaf, lists.len());
            }
            lists.push((part.leaf, SmallVec::new()));
            lists.len() - 1
        });
        lists[list].1.push(k);
    }
    lists
}

/// Which parts share a window, as a number for each.
fn together(bounds: &[(i64, i64)], rank: usize, count: usize) -> SmallVec<[u32; 16]> {
    let mut groups: SmallVec<[u32; 16]> = SmallVec::from_elem(0, count);
    if count == 1 || count > MOST_PARTS {
        return groups;
    }
    let part = |k: usize| &bounds[k * rank..(k + 1) * rank];
    for k in 1..count {
        groups[k] = k as u32;
        for other in 0..k {
            let (own, its) = (groups[k], groups[other]);
            if own != its && are_near(part(k), part(other)) {
                let joined = own.min(its);
                let both = groups[..=k].iter_mut().filter(|g| **g == own || **g == its);
                both.for_each(|g| *g = joined);
            }
        }
    }
    // A group has the number of its first part.
    if (0..count).filter(|&k| groups[k] == k as u32).count() > MOST_WINDOWS {
        groups.fill(0);
    }
    groups
}

/// The last position not after the first ones from which on an array begins as packs of elements
/// do, and the number of elements before it.
fn aligned(bounds: &[(i64, i64)], strides: &[i64], dtype: DType) -> (Position, i64) {
    let mask = (PACK / dtype.size()).max(1) as i64 - 1;
    let mut corner: Position = bounds.iter().map(|ends| ends.0).collect();
    let mut start: i64 = corner.iter().zip(strides).map(|(at, stride)| at * stride).sum();
    for axis in (0..corner.len()).rev() {
        if start & mask == 0 {
            break;
        }
        // As far towards a beginning of a pack as this axis leads.
        let back =
            (0..=corner[axis].min(mask)).min_by_key(|back| (start - back * strides[axis]) & mask);
        let back = back.unwrap_or(0);
        corner[axis] -= back;
        start -= back * strides[axis];
    }
    if start & mask != 0 {
        corner.fill(0);
        start = 0;
    }
    (corner, start)
}
