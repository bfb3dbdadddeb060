//! Intermediate values that an evaluation stores unasked, so that no later one computes them again.
//!
//! An evaluation stores what was asked for, and nothing for the mere reason that a handle lives:
//! names are free. What it has to store besides (what one kernel hands to another, the arguments of
//! library calls) keeps its data where a user holds the node; what a library has computed always
//! does. What was computed and not stored is computed again at most once:
//!
//! - An evaluation notes in each node that it computes without storing which node of which
//!   structure it was (`Node::computed`).
//! - A later one that meets the note stores the node where a handle or a waiting expression holds
//!   it. Where nobody does, a loop has moved on, and what is computed from the node and held is
//!   stored in its stead: the state of this turn.
//! - Either way it learns that evaluations of the structure that the note names have to store that
//!   node ([`Lessons`]), and from then on they do. So a loop that asks for a diagnostic in each
//!   turn computes each turn once, and a program whose intermediate values nobody asks for twice
//!   stores none of them.
//! - An evaluation that needs only small parts of what it meets keeps nothing but what replaces a
//!   lost state, and what is computed whole in less time than the plans for parts of it have taken. What
//!   would take an eighth of the device's memory, or does not fit, is not kept.
//!
//! `explain` says what is kept and what is not.

use super::Unasked;
use super::lessons::{Lessons, Note, POSITION_BITS};
use super::ready::Prepared;
use super::walk::{Marks, Walk};
use crate::backend::Device;
use crate::graph::{Arg, Node, NodeOp};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Where less than one in so many of all elements are needed, these are computed again instead of
/// storing them all.
const SMALL_PART: usize = 8;
/// Values that cost less than this to compute, in additions an element, are as cheap to compute
/// again as to store and load.
const CHEAP: f64 = 48.0;
/// What costs more than this is stored before anybody asks for it again: the store is a small part
/// of the work.
const DEAR: f64 = 256.0;
/// What costs less than this in all, in additions, is computed again once.
const LEAST_SAVED: f64 = 1e6;
/// Making a plan takes as long as so many additions, about. Parts of a value at other places may be
/// other plans: what costs less than those that were made so far is stored whole.
const PLANNED: f64 = 1e6;
/// More than this part of a device's memory is not kept by one evaluation.
const PART_OF_MEMORY: u64 = 8;
/// Less than this is kept without a question.
const LITTLE: u64 = 64 << 20;
/// More assignments than this are evaluated together: singly they would be as many launches.
const FEW_ASSIGNMENTS: usize = 64;

/// Whether a node is a stored array behind a few assignments of values that are there, or are numbers.
fn is_assigned_apart(node: &Arc<Node>) -> bool {
    let mut node = node.clone();
    for _ in 0..FEW_ASSIGNMENTS {
        if !matches!(node.op, NodeOp::Assign(_)) {
            return false;
        }
        let base = match &node.state().args[..] {
            [Arg::Node(base), Arg::Scalar(_)] => base.clone(),
            [Arg::Node(base), Arg::Node(value)] if is_there(value) => base.clone(),
            _ => return false,
        };
        if base.is_evaluated() {
            return true;
        }
        node = base;
    }
    false
}

/// Whether a node has its data, or is computed from nothing else.
fn is_there(node: &Node) -> bool {
    let is_there = |arg: &Arg| !matches!(arg, Arg::Node(under) if !under.is_evaluated());
    node.is_evaluated() || node.state().args.iter().all(is_there)
}

/// What is decided for the nodes of one walk.
struct Keeper<'w, 'a> {
    walk: &'w Walk<'a>,
    /// Whether somebody outside of the walk holds a node: a handle, or an expression that waits.
    wanted: Vec<bool>,
    /// Whether a node is a root.
    asked: Marks,
}

impl<'a> Walk<'a> {
    /// Notes the structure of what was walked, by which evaluations know it again.
    pub(super) fn note_structure(&mut self) {
        let mut hasher = FxHasher::default();
        (self.key(), self.nodes.first().map(|node| node.device)).hash(&mut hasher);
        // The topmost bit makes every note differ from none.
        self.structure = hasher.finish() >> POSITION_BITS | 1 << (63 - POSITION_BITS);
    }

    /// Makes roots of what earlier evaluations computed without storing it, and of what took its
    /// place: in a loop the state of this turn, where that of the turn before was computed again.
    pub(super) fn keep_what_comes_again(&mut self, lessons: &Lessons) {
        let learned = lessons.of(self.structure);
        if self.noted == 0 && learned.is_some_and(<[u32]>::is_empty) {
            return;
        }
        let keeper = Keeper::new(self);
        let mut notes: SmallVec<[Note; 4]> = SmallVec::new();
        let learned: SmallVec<[u32; 4]> = match learned {
            Some(learned) => learned.into(),
            None => {
                let dear = keeper.dear();
                notes.extend(dear.iter().map(|&k| self.note(k as usize)));
                dear
            }
        };
        let is_known = learned.iter().filter(|&&k| (k as usize) < self.nodes.len());
        let mut kept: Vec<u32> =
            is_known.copied().filter(|&k| keeper.may_keep(k as usize)).collect();
        if self.noted > 0 {
            notes.extend(keeper.again(self.asked, &mut kept));
        }
        kept.sort_unstable();
        kept.dedup();
        keeper.within_budget(&mut kept);
        (self.lessons, self.has_news) = (notes, true);
        self.kept = kept.len();
        self.roots.extend(kept);
    }

    /// Whether what was asked for reads an array that is kept behind assignments of values which do not
    /// come from it. In one plan they would copy the array, whose old data must stay until everything else
    /// has run; one by one before it they are written in place.
    pub(super) fn reads_kept_assignments(&self) -> bool {
        let kept = self.roots[self.asked..self.asked + self.kept].iter().map(|&k| k as usize);
        let apart: SmallVec<[usize; 4]> =
            kept.filter(|&k| is_assigned_apart(self.nodes[k])).collect();
        if apart.is_empty() {
            return false;
        }
        let used = self.used(self.asked);
        apart.into_iter().any(|k| used[k] > 0)
    }

    /// The note for a node of this walk.
    fn note(&self, k: usize) -> Note {
        self.structure << POSITION_BITS | k as u64
    }

    /// What is stored although nobody asked for it, and what is held and not stored.
    pub(super) fn unasked(&self, prepared: &Prepared) -> Unasked {
        let roots = Marks::of(&self.roots, self.nodes.len());
        let is_lost = |&k: &u32| {
            let node = self.nodes[k as usize];
            let made = roots.contains(k) || prepared.position(k, 0).is_some();
            node.has_handles() && !node.is_evaluated() && !made && node.op.computes()
        };
        Unasked {
            kept: self.roots[self.asked..self.asked + self.kept].to_vec(),
            again: (0..self.nodes.len() as u32).filter(is_lost).collect(),
        }
    }

    /// Makes roots of small values that nodes outside of this walk have as arguments.
    pub(super) fn keep_what_others_wait_for(&mut self) {
        let held = self.held();
        let asked = self.roots.iter().map(|&root| self.nodes[root as usize].len());
        let most = asked.max().unwrap_or(0) / SMALL_PART;
        let roots = Marks::of(&self.roots, self.nodes.len());
        for (k, node) in self.nodes.iter().enumerate() {
            let small = (1..=most).contains(&node.len());
            let waited_for = Arc::strong_count(node) > held[k] && !node.is_evaluated();
            if small && waited_for && node.op.computes() && !roots.contains(k as u32) {
                self.roots.push(k as u32);
            }
        }
    }

    /// Notes in the nodes that were computed, and have no data, which ones they were.
    pub(super) fn note_what_was_computed(&self) {
        for (k, node) in self.nodes.iter().enumerate().take(1 << POSITION_BITS) {
            if !node.is_evaluated() {
                node.note_computed(self.note(k), !0 << POSITION_BITS);
            }
        }
    }

    /// Whether the first `asked` roots need little of all that was met: a slice of a long array
    /// costs less than the array, however often.
    fn computes_small_parts(&self, asked: usize) -> bool {
        let used = self.used(asked);
        let (mut all, mut needed) = (0.0, 0.0);
        for (node, used) in self.nodes.iter().zip(used).filter(|(node, _)| !node.is_evaluated()) {
            all += node.len() as f64;
            needed += used as f64;
        }
        needed * (SMALL_PART as f64) < all
    }

    /// How many elements of each node the first `asked` roots need, about.
    fn used(&self, asked: usize) -> Vec<usize> {
        let mut used = vec![0; self.nodes.len()];
        for &root in &self.roots[..asked] {
            used[root as usize] = self.nodes[root as usize].len();
        }
        for (k, node) in self.nodes.iter().enumerate().rev().filter(|(_, n)| !n.is_evaluated()) {
            for arg in &node.state().args {
                let Arg::Node(arg) = arg else { continue };
                let at = self.place(arg).expect("every argument was walked") as usize;
                let share = match node.op {
                    NodeOp::Reduce { .. } | NodeOp::Fold { .. } => {
                        (used[k] as f64 / node.len().max(1) as f64 * arg.len() as f64) as usize
                    }
                    NodeOp::Scan { .. } | NodeOp::Library(_) | NodeOp::Part(_) => arg.len(),
                    _ => used[k].min(arg.len()),
                };
                used[at] = used[at].max(share);
            }
        }
        used
    }
}

impl<'w, 'a> Keeper<'w, 'a> {
    fn new(walk: &'w Walk<'a>) -> Self {
        let held = walk.held();
        let is_held = |(k, node): (usize, &&Arc<Node>)| {
            node.has_handles() || Arc::strong_count(node) > held[k]
        };
        let mut wanted: Vec<bool> = walk.nodes.iter().enumerate().map(is_held).collect();
        // Who holds a view of most of an array waits for the array.
        for k in (0..wanted.len()).rev().filter(|&k| !walk.nodes[k].is_evaluated()) {
            if let (true, Some(under)) = (wanted[k], walk.under(k)) {
                wanted[under] |= 2 * walk.nodes[k].len() >= walk.nodes[under].len();
            }
        }
        Keeper { walk, wanted, asked: Marks::of(&walk.roots, walk.nodes.len()) }
    }

    /// Whether storing a node may save work: it is no root, has elements, and somebody waits.
    fn may_keep(&self, k: usize) -> bool {
        let node = self.walk.nodes[k];
        let is_new = !node.is_evaluated() && !self.asked.contains(k as u32);
        is_new && self.wanted[k] && node.len() > 0 && node.op.computes()
    }

    /// The note in a node that has no data.
    fn note(&self, k: usize) -> Note {
        let node = self.walk.nodes[k];
        if node.is_evaluated() { 0 } else { node.computed.load(Relaxed) }
    }

    /// What is computed here for the second time: what somebody still waits for is kept. Of what
    /// nobody waits for any more, what is computed from it is kept in its stead. Gives the notes
    /// of what should have been stored.
    fn again(&self, asked: usize, kept: &mut Vec<u32>) -> SmallVec<[Note; 4]> {
        let nodes = &self.walk.nodes;
        let small_parts = self.walk.computes_small_parts(asked);
        let costs = self.costs();
        let mut is_kept = vec![false; nodes.len()];
        for k in 0..nodes.len() {
            let planned = PLANNED * f64::from(nodes[k].parts().saturating_add(1));
            let is_one = !small_parts || costs[k] < planned;
            if self.note(k) != 0 && is_one && self.may_keep(k) {
                is_kept[k] = true;
                kept.push(k as u32);
            }
        }
        let edge = self.edge(asked);
        // For each node how long the longest array is that it is computed from and that is lost.
        let mut lost = vec![0; nodes.len()];
        for &k in edge.iter().filter(|&&k| !is_kept[k] && !self.asked.contains(k as u32)) {
            lost[k] = nodes[k].len();
        }
        self.walk.for_each_argument(|k, at| {
            if !is_kept[at] {
                lost[k] = lost[k].max(lost[at]);
            }
        });
        let mut moved_on = false;
        for k in 0..nodes.len() {
            if lost[k] == 0 || self.note(k) != 0 || !self.may_keep(k) {
                continue;
            }
            let is_whole = nodes[k].len().saturating_mul(SMALL_PART) >= lost[k];
            if is_whole || !small_parts {
                kept.push(k as u32);
            }
            moved_on |= is_whole;
        }
        let is_worth_it = |k: &&usize| {
            let is_dear = costs[**k] > CHEAP * nodes[**k].len() as f64 && !small_parts;
            is_kept[**k] || self.asked.contains(**k as u32) || moved_on || is_dear
        };
        edge.iter().filter(is_worth_it).map(|&k| self.note(k)).collect()
    }

    /// The nodes with notes that are asked for, or read by what has none: the results of earlier
    /// evaluations.
    fn edge(&self, asked: usize) -> Vec<usize> {
        let mut is_edge = vec![false; self.walk.nodes.len()];
        let mut add = |k: usize| {
            if self.note(k) != 0
                && let Some(k) = self.storable(k)
            {
                is_edge[k] |= self.note(k) != 0;
            }
        };
        self.walk.roots[..asked].iter().for_each(|&root| add(root as usize));
        self.walk.for_each_argument(|k, at| {
            if self.note(k) == 0 {
                add(at);
            }
        });
        (0..is_edge.len()).filter(|&k| is_edge[k]).collect()
    }

    /// The nodes whose values cost much more to compute than to store: who holds one finds it
    /// stored from the first time on.
    fn dear(&self) -> SmallVec<[u32; 4]> {
        if self.walk.computes_small_parts(self.walk.asked) {
            return SmallVec::new();
        }
        let costs = self.costs();
        let is_dear = |&k: &u32| {
            let (node, cost) = (self.walk.nodes[k as usize], costs[k as usize]);
            let is_much = cost > DEAR * node.len() as f64 && cost > LEAST_SAVED;
            is_much && node.op.computes() && !node.is_evaluated()
        };
        (0..self.walk.nodes.len().min(1 << POSITION_BITS) as u32).filter(is_dear).collect()
    }

    /// The computation that a node is, or is a view of.
    fn storable(&self, mut k: usize) -> Option<usize> {
        loop {
            let node = self.walk.nodes[k];
            if node.is_evaluated() || node.len() == 0 {
                return None;
            }
            if node.op.computes() {
                return Some(k);
            }
            k = self.walk.under(k)?;
        }
    }

    /// What it takes to compute each node from what is stored, in additions, or a little more:
    /// what several of its arguments share counts for each, up to all that was walked before.
    fn costs(&self) -> Vec<f64> {
        let (mut costs, mut before) = (Vec::with_capacity(self.walk.nodes.len()), 0.0);
        for node in &self.walk.nodes {
            if node.is_evaluated() {
                costs.push(0.0);
                continue;
            }
            let (mut turns, mut below) = (node.len() as f64, 0.0);
            for arg in &node.state().args {
                let Arg::Node(arg) = arg else { continue };
                below += costs[self.walk.place(arg).expect("every argument was walked") as usize];
                if let NodeOp::Reduce { .. } | NodeOp::Fold { .. } = node.op {
                    turns = turns.max(arg.len() as f64);
                }
            }
            let own = turns * additions(&node.op);
            before += own;
            costs.push(f64::min(own + below, before));
        }
        costs
    }

    /// Leaves out what is too much for the device's memory.
    fn within_budget(&self, kept: &mut Vec<u32>) {
        let bytes = |k: &u32| {
            let node = self.walk.nodes[*k as usize];
            (node.len() * node.dtype.size()) as u64
        };
        let all: u64 = kept.iter().map(bytes).sum();
        let Some(first) = kept.first().filter(|_| all > LITTLE) else { return };
        let mut left = budget(self.walk.nodes[*first as usize].device);
        kept.retain(|k| match left.checked_sub(bytes(k)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        });
    }
}

/// What an element of an operation costs, in additions.
fn additions(op: &NodeOp) -> f64 {
    match op {
        NodeOp::Map(op) => f64::from(op.cost()),
        NodeOp::Call { function, .. } => f64::from(function.additions()),
        NodeOp::Fold { fold, .. } => f64::from(fold.function.additions()),
        NodeOp::Scan { by, .. } => by.fold().map_or(1.0, |f| f64::from(f.function.additions())),
        NodeOp::Random(law) => f64::from(law.cost()),
        NodeOp::Reduce { .. } | NodeOp::Cast | NodeOp::Assign(_) | NodeOp::Concat { .. } => 1.0,
        _ => 0.0,
    }
}

/// The bytes that one evaluation may keep.
fn budget(device: Device) -> u64 {
    match device.info().memory {
        0 => u64::MAX,
        memory => memory / PART_OF_MEMORY,
    }
}
