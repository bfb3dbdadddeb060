//! Wider halos: of several recorded steps that read their neighbours' rows, the first reads more of
//! them, and each share computes for itself what its neighbours would send after the others.
//!
//! Before the graphs are made, a walk from the roots to the leaves collects, for each share, the rows of
//! each array that its readers ask for. An array that is computed, of which rows outside the share's
//! block are asked for, is then made with these rows at once, unless the program holds it or they are
//! too many: at most half as many as the block has, and so few bytes that to compute them takes no
//! longer than to wait for them ([`few`]). The work of a step is thus at most 1.5 times what it would
//! be, and a chain of steps waits once for as many of them as fit. Of other arrays the rows are moved,
//! those that several readers ask for once.
//!
//! What the walk knows of an operation is what `rules.rs` and `views.rs` read for it; where it knows
//! nothing, rows are moved as they are asked for.

use super::Graph;
use super::forms::Shards;
use super::local::{Form, Local};
use super::rules::node_of;
use super::stretches::{Halos, Rows, Stretches, begin_in, held_in};
use super::views::{from_row, rows_read};
use crate::backend::Device;
use crate::backend::placement::bounds;
use crate::graph::sharding::axis_cut;
use crate::graph::{Arg, AxisMap, Node, NodeOp, Wrap};
use crate::shape::{copy_of, len};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Whether so many bytes are computed in much less time than a wait takes. On two H200s a sweep waits 17
/// µs for its neighbours, and a kernel that reads and writes 512 MiB each takes 270 (`mesh.md` in
/// `benches/history`): 1 MiB is done in half a microsecond. The processor computes less in that time, and
/// the rows of every step count.
fn few(bytes: usize, device: Device) -> bool {
    bytes <= if device.is_cuda() { 1 << 20 } else { 16 << 10 }
}

impl Graph {
    /// What the shares ask for of each array.
    pub(super) fn halos(&self, devices: &[Device]) -> Halos {
        let mut asked: FxHashMap<*const Node, Vec<Stretches>> = FxHashMap::default();
        let mut halos = Halos::default();
        let rings = self
            .nodes
            .iter()
            .filter(|(node, args)| args.as_ref().is_some_and(|args| is_ring(node, args)));
        halos.rings = rings.map(|(node, _)| Arc::as_ptr(node)).collect();
        let mut near: FxHashMap<*const Node, u32> = FxHashMap::default();
        for (node, args) in self.nodes.iter().rev() {
            let key = Arc::as_ptr(node);
            let (Some(axis), asked_here) = (axis_cut(node), asked.remove(&key)) else { continue };
            let Some(args) = args else {
                halos.read.extend(asked_here.map(|asked| (key, asked)));
                continue;
            };
            let at = bounds(node.shape[axis], devices.len());
            let blocks = (0..devices.len()).map(|share| [at(share), at(share + 1)]);
            let blocks: Vec<Rows> = blocks.collect();
            let mut own: Vec<Stretches> =
                blocks.iter().map(|&block| Stretches::of(block)).collect();
            if let Some(asked) = asked_here {
                let mut wide = asked.clone();
                // What all readers ask for is known, or they may need the block.
                if near.get(&key) != self.uses.get(&key) {
                    let (n, ring) = (node.shape[axis], halos.is_ring(node));
                    wide.iter_mut()
                        .zip(&blocks)
                        .for_each(|(rows, &block)| rows.add(block, n, ring));
                }
                if wide != own && self.can_be_wide(node, axis, (&wide, &blocks), devices[0]) {
                    own.clone_from(&wide);
                    halos.wide.insert(key, wide);
                } else {
                    halos.read.insert(key, asked);
                }
            }
            for arg in args.iter().filter(|_| is_near(&node.op)) {
                if let Arg::Node(arg) = arg {
                    *near.entry(Arc::as_ptr(arg)).or_default() += 1;
                }
            }
            for (share, own) in own.iter().enumerate() {
                for &rows in &own.0 {
                    each_read(node, args, (axis, rows), |(arg, axis), rows| {
                        let shares = asked.entry(Arc::as_ptr(arg)).or_default();
                        shares.resize(devices.len(), Stretches::default());
                        shares[share].add(rows, arg.shape[axis], halos.is_ring(arg));
                    });
                }
            }
        }
        halos
    }

    /// Whether an array can be made with so many rows, a share with a block each.
    fn can_be_wide(
        &self,
        node: &Arc<Node>,
        axis: usize,
        (wide, blocks): (&[Stretches], &[Rows]),
        device: Device,
    ) -> bool {
        if !is_near(&node.op) || self.is_root.contains(&Arc::as_ptr(node)) {
            return false;
        }
        let row = len(&node.shape) / node.shape[axis].max(1) * node.dtype.size();
        wide.iter().zip(blocks).all(|(rows, block)| {
            let more = rows.len().saturating_sub(block[1] - block[0]);
            2 * more <= block[1] - block[0] && few(more * row, device)
        })
    }
}

/// Whether an operation makes rows of few rows, of which [`each_read`] says which.
pub(super) fn is_near(op: &NodeOp) -> bool {
    matches!(
        op,
        NodeOp::Map(_)
            | NodeOp::Call { .. }
            | NodeOp::Cast
            | NodeOp::View(_)
            | NodeOp::Pad { .. }
            | NodeOp::Concat { .. }
            | NodeOp::Assign(_)
    )
}

/// Whether rows of a node behind the last one are made as the first ones are, from rows of its
/// arguments behind their last ones.
fn is_ring(node: &Node, args: &[Arg]) -> bool {
    let Some(axis) = axis_cut(node).filter(|&axis| node.shape[axis] > 1) else { return false };
    match &node.op {
        NodeOp::Map(_) | NodeOp::Call { .. } | NodeOp::Cast => true,
        NodeOp::View(view) => {
            let a = node_of(&args[0]);
            let n = node.shape[axis];
            let Some(at) = axis_cut(a).filter(|&at| a.shape[at] == n) else { return false };
            let stays = |map: &AxisMap| map.terms.iter().all(|term| term.0 as usize != axis);
            let others = view.0.iter().enumerate().filter(|(k, _)| *k != at);
            let terms = &view.0[at].terms;
            others.into_iter().all(|(_, map)| stays(map))
                && view.0[at].wrap == Wrap::Mod(n as i64)
                && terms.len() == 1
                && (terms[0].0 as usize, terms[0].1) == (axis, 1)
        }
        _ => false,
    }
}

/// Which rows of its cut arguments, each with its axis, some rows of a node are made from, where it is
/// known.
fn each_read(
    node: &Node,
    args: &[Arg],
    (axis, rows): (usize, Rows),
    mut ask: impl FnMut((&Arc<Node>, usize), Rows),
) {
    // Rows of an argument along the axis that stands where the node's does.
    let mut aligned = |arg: &Arg, rows: Rows| {
        let Arg::Node(a) = arg else { return };
        if let Some(at) = axis_cut(a)
            && at + node.shape.len() == axis + a.shape.len()
            && (a.shape[at] != 1 || rows == [0, 1])
        {
            ask((a, at), rows);
        }
    };
    match &node.op {
        NodeOp::Map(_) | NodeOp::Call { .. } | NodeOp::Cast => {
            args.iter().for_each(|arg| aligned(arg, rows));
        }
        NodeOp::View(view) => {
            let a = node_of(&args[0]);
            let mut shape = copy_of(&node.shape);
            shape[axis] = rows[1] - rows[0];
            if let Some(at) = axis_cut(a)
                && len(&shape) > 0
            {
                let map = &from_row(view, axis, rows[0]).0[at];
                ask((a, at), rows_read(map, &shape, a.shape[at]).rows);
            }
        }
        NodeOp::Pad { before } => {
            let (start, end) = (before[axis], before[axis] + args[0].shape()[axis]);
            aligned(&args[0], rows.map(|row| row.clamp(start, end) - start));
        }
        NodeOp::Concat { axis: at } if *at as usize == axis => {
            let mut begin = 0;
            for arg in args {
                let end = begin + arg.shape()[axis];
                aligned(arg, rows.map(|row| row.clamp(begin, end) - begin));
                begin = end;
            }
        }
        NodeOp::Concat { .. } => args.iter().for_each(|arg| aligned(arg, rows)),
        NodeOp::Assign(region) => {
            aligned(&args[0], rows);
            aligned(&args[1], region.places(axis, rows));
        }
        _ => {}
    }
}

impl Shards {
    /// What an array is on the shares that is made with rows of other shares' blocks.
    pub(super) fn with_halos(&mut self, node: &Arc<Node>, args: &[Arg]) -> Option<Form> {
        let (key, cut) = (Arc::as_ptr(node), axis_cut(node)?);
        let wide = self.halos.wide.remove(&key)?;
        let (mut shares, mut made) = (Vec::new(), Vec::new());
        for (share, stretches) in wide.iter().enumerate() {
            let mut own = Vec::new();
            for &rows in &stretches.0 {
                let made = self.rows_of_block((node, args), rows, share);
                // As it would be if its rows were moved: a plan might compute it for each reader.
                self.store(&made, share);
                own.push((rows, made));
            }
            let block = self.block(node.shape[cut], share);
            let held = held_in(&own, block, node.shape[cut]).filter(|_| block[0] < block[1]);
            shares.push(match held {
                Some((local, rows)) => self.slice(local, cut, rows, share),
                None => self.block_of(node, args, share),
            });
            made.push(own);
        }
        self.halos.made.insert(key, made);
        Some(Form { cut: Some(cut), shares, whole: None })
    }

    /// Rows of an array that a share has made with more than its block.
    pub(super) fn made_wide(
        &self,
        a: &Arc<Node>,
        axis: usize,
        rows: Rows,
        share: usize,
    ) -> Option<Local> {
        let made = self.halos.made.get(&Arc::as_ptr(a)).filter(|_| axis_cut(a) == Some(axis))?;
        let (local, rows) = held_in(&made[share], rows, a.shape[axis])?;
        Some(self.slice(local, axis, rows, share))
    }

    /// Of the rows that a share asks for of an array with so many the stretch that some are in.
    pub(super) fn stretch(&self, a: &Arc<Node>, rows: Rows, n: usize, share: usize) -> Rows {
        let Some(known) = self.halos.read.get(&Arc::as_ptr(a)) else { return rows };
        let held = known[share].0.iter().find_map(|&known| {
            let begin = begin_in(known, rows, n)?;
            let start = rows[0].saturating_sub(begin);
            Some([start, rows[0] + (known[1] - known[0]) - begin])
        });
        held.unwrap_or(rows)
    }
}
