//! Windows: from where on views read stored arrays, and assignments overwrite them.
//!
//! A loop over rows or elements evaluates one expression at one position after another. What its
//! plan depends on is how the parts of an array lie to each other, not where in the array they
//! are. So what reads or overwrites parts of one array near each other gets a *window*: the
//! array from the first of these parts on. The plan knows the parts by their places in the window,
//! and where the window begins is an argument of its run, as the array itself is. Parts that
//! lie apart have a window each, as if they were of different arrays.

use super::walk::Walk;
use crate::dtype::DType;
use crate::graph::{Arg, Node, NodeOp, Region, View, Wrap};
use crate::plan::GraphNode;
use crate::shape::contiguous_strides;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A node that reads a part of stored data or, as an assignment, may overwrite one.
pub(super) struct Placed {
    /// The node's number in the walk.
    pub node: u32,
    /// The data's.
    leaf: u32,
    /// The window, if the part has one.
    pub window: Option<u32>,
}

impl Placed {
    /// A node that gets this number, and the number of the data.
    pub(super) fn new(node: u32, leaf: u32) -> Placed {
        Placed { node, leaf, window: None }
    }
}

/// A part of a stored array that a plan knows as an array of its own.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// The array, by its position among the leaves.
    pub leaf: u32,
    /// The first byte.
    pub start: usize,
    /// The number of elements from there on to the last one that is read or written.
    pub reach: usize,
    /// The position on each axis at which the window begins.
    corner: Position,
    /// The number under which the walk has the array as this window's.
    pub twin: u32,
}

/// A position on each axis.
type Position = SmallVec<[i64; 4]>;

/// The first and the last positions of a part on each axis.
#[derive(Clone)]
struct Extent {
    low: Position,
    high: Position,
}

/// Parts that are so many positions apart share a window: what lies near each other in one step
/// of a loop does so in the others.
const NEAR: i64 = 4;
/// The most windows of one array. More parts than this have one in common.
const MOST_WINDOWS: usize = 3;
/// The most parts of one array that are told apart.
const MOST_PARTS: usize = 16;
/// Packs of elements are so long, in bytes, and begin at multiples of it.
const PACK: usize = 16;

impl Extent {
    /// Where a node reads or overwrites its first argument, of the given shape; `None` unless that
    /// is a regular part of it.
    fn of(node: &Node, under: &[usize]) -> Option<Extent> {
        let mut extent = Extent { low: Position::new(), high: Position::new() };
        match &node.op {
            NodeOp::View(view) => {
                for map in &view.0 {
                    let (mut low, mut high) = (map.offset, map.offset);
                    for &(axis, step) in &map.terms {
                        let last = step * (node.shape[axis as usize] as i64 - 1);
                        low += last.min(0);
                        high += last.max(0);
                    }
                    extent.push(low, high);
                }
            }
            NodeOp::Assign(region) => {
                for ((&start, &step), &len) in
                    region.starts.iter().zip(&region.steps).zip(&region.lens)
                {
                    extent.push(start as i64, (start + step * (len - 1)) as i64);
                }
            }
            _ => return None,
        }
        let inside = |part: &Extent, shape: &[usize]| {
            let ends = part.low.iter().zip(&part.high).zip(shape);
            part.low.len() == shape.len()
                && ends.into_iter().all(|((l, h), n)| *l >= 0 && *h < *n as i64)
        };
        inside(&extent, under).then_some(extent)
    }

    fn push(&mut self, low: i64, high: i64) {
        self.low.push(low);
        self.high.push(high);
    }

    fn is_near(&self, other: &Extent) -> bool {
        let ends = |a: &Extent, b: &Extent| a.low.iter().zip(&b.high).all(|(l, h)| *l <= h + NEAR);
        ends(self, other) && ends(other, self)
    }

    fn widen(&mut self, other: &Extent) {
        self.low.iter_mut().zip(&other.low).for_each(|(a, b)| *a = *b.min(a));
        self.high.iter_mut().zip(&other.high).for_each(|(a, b)| *a = *b.max(a));
    }
}

/// The stored array that a node reads or overwrites a regular part of.
pub(super) fn placed_on<'a>(node: &Node, args: &'a [Arg]) -> Option<&'a Arc<Node>> {
    let regular = match &node.op {
        NodeOp::View(view) => view.0.iter().all(|map| map.wrap == Wrap::None),
        NodeOp::Assign(_) => true,
        _ => return None,
    };
    match args.first() {
        Some(Arg::Node(leaf)) if regular && leaf.is_evaluated() && node.len() > 0 => Some(leaf),
        _ => None,
    }
}

impl Walk<'_> {
    /// Finds the windows, once it is known what is overwritten in place, and adds to the key what
    /// their plan depends on.
    pub(super) fn find_windows(&mut self) {
        if self.placed.is_empty() {
            return;
        }
        let mut placed = std::mem::take(&mut self.placed);
        if let Some(whole) = self.read_as_a_whole(&placed) {
            for at in 0..placed.len() {
                let leaf = placed[at].leaf;
                if !whole[leaf as usize] && placed[..at].iter().all(|p| p.leaf != leaf) {
                    let parts: SmallVec<[usize; 8]> =
                        (at..placed.len()).filter(|&k| placed[k].leaf == leaf).collect();
                    self.windows_of(&mut placed, &parts);
                }
            }
        }
        for part in &placed {
            let node = self.nodes[part.node as usize];
            match part.window {
                None => self.mix(node.hash),
                Some(window) => {
                    let mut hasher = rustc_hash::FxHasher::default();
                    self.within(node, window).hash(&mut hasher);
                    self.mix(hasher.finish());
                    self.mix(u64::from(window) | 1 << 43);
                }
            }
        }
        self.placed = placed;
    }

    /// For each number, whether it is data that something needs as a whole; `None` where all of
    /// it is: libraries take arrays from their beginnings.
    fn read_as_a_whole(&self, placed: &[Placed]) -> Option<Vec<bool>> {
        let mut whole = vec![false; self.nodes.len()];
        let mut parts = placed.iter().peekable();
        for (k, node) in self.nodes.iter().enumerate().filter(|(_, n)| !n.is_evaluated()) {
            let is_placed = parts.next_if(|part| part.node as usize == k).is_some();
            let is_part = match node.op {
                NodeOp::Library(_) | NodeOp::Part(_) => return None,
                NodeOp::Assign(_) => is_placed && self.in_place.contains(&(k as u32)),
                _ => is_placed,
            };
            // SAFETY: the walk is part of the evaluation that runs.
            for arg in unsafe { node.state_unlocked() }.args.iter().skip(usize::from(is_part)) {
                if let Arg::Node(arg) = arg
                    && arg.is_evaluated()
                {
                    whole[self.place(arg).expect("every argument was walked") as usize] = true;
                }
            }
        }
        Some(whole)
    }

    /// Gives windows to the parts of one array.
    fn windows_of(&mut self, placed: &mut [Placed], parts: &[usize]) {
        let number = placed[parts[0]].leaf;
        let leaf = self.nodes[number as usize];
        let extent = |&k: &usize| Extent::of(self.nodes[placed[k].node as usize], &leaf.shape);
        let extents: Option<SmallVec<[Extent; 8]>> = parts.iter().map(extent).collect();
        let Some(extents) = extents else { return };
        let groups = together(&extents);
        let data = self.nodes[..number as usize].iter().filter(|n| n.is_evaluated()).count();
        let twins = placed.iter().filter(|part| part.node <= number).count();
        let strides = contiguous_strides(&leaf.shape);
        for group in 0..=groups.iter().copied().max().unwrap_or(0) {
            let members = || parts.iter().zip(&extents).zip(&groups).filter(|m| *m.1 == group);
            let Some(((&first, extent), _)) = members().next() else { continue };
            let mut extent = extent.clone();
            members().for_each(|((_, other), _)| extent.widen(other));
            let corner = aligned(&extent.low, &strides, leaf.dtype);
            let at = |position: &Position| -> i64 {
                position.iter().zip(&strides).map(|(p, stride)| p * stride).sum()
            };
            let start = at(&corner);
            let window = self.windows.len() as u32;
            self.windows.push(Window {
                leaf: (data - twins) as u32,
                start: start as usize * leaf.dtype.size(),
                reach: (at(&extent.high) - start) as usize + 1,
                corner,
                twin: placed[first].node - 1,
            });
            let members: SmallVec<[usize; 8]> = members().map(|((&k, _), _)| k).collect();
            members.iter().for_each(|&k| placed[k].window = Some(window));
        }
    }

    /// Makes data that the walk has under another number, too, the array of the window that is
    /// known by this one, if any is.
    pub(super) fn set_twin(&self, node: &mut GraphNode, number: u32) {
        if let Some(k) = self.windows.iter().position(|window| window.twin == number) {
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
            op => op.clone(),
        }
    }
}

/// Which parts share a window, as a number for each.
fn together(extents: &[Extent]) -> SmallVec<[usize; 8]> {
    let mut groups: SmallVec<[usize; 8]> = SmallVec::from_elem(0, extents.len());
    if extents.len() > MOST_PARTS {
        return groups;
    }
    let mut count = 0;
    for k in 0..extents.len() {
        groups[k] = count;
        for other in 0..k {
            let (own, its) = (groups[k], groups[other]);
            if own != its && extents[k].is_near(&extents[other]) {
                let joined = own.min(its);
                groups[..=k]
                    .iter_mut()
                    .filter(|g| **g == own || **g == its)
                    .for_each(|g| *g = joined);
            }
        }
        count += 1;
    }
    let mut distinct = groups.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() > MOST_WINDOWS {
        groups.fill(0);
    }
    groups
}

/// The last position not after `low` from which on an array begins as packs of elements do.
fn aligned(low: &[i64], strides: &[i64], dtype: DType) -> Position {
    let pack = (PACK / dtype.size()).max(1) as i64;
    let mut corner = Position::from_slice(low);
    let rest = |corner: &[i64]| -> i64 {
        corner.iter().zip(strides).map(|(p, stride)| p * stride).sum::<i64>() % pack
    };
    // A step back on one axis is enough for most arrays, on two for the others.
    for axis in (0..low.len()).rev() {
        let most = low[axis].min(pack - 1);
        let best = (0..=most).min_by_key(|back| {
            corner[axis] = low[axis] - back;
            (rest(&corner), *back)
        });
        corner[axis] = low[axis] - best.unwrap_or(0);
    }
    if rest(&corner) != 0 {
        corner.fill(0);
    }
    corner
}
