//! What an evaluation over several devices stores unasked, so that no later one computes it again.
//! These are the rules that `eval/kept.rs` has for one device, without its costs: an array over several
//! devices is large, and what it needs of others is moved again, too.
//!
//! - An evaluation notes in each array that it computes without storing it which one of which structure
//!   it was (`Node::computed`).
//! - A later one that meets the note stores the array where the program holds it. Where it does not, a
//!   loop has moved on, and what is computed from the array and held is stored in its stead.
//! - Either way evaluations of the structure that the note names store that array from then on: a loop
//!   that asks for a diagnostic in each turn computes each turn once.

use super::Graph;
use super::script::Key;
use crate::graph::{Arg, Node, NodeOp};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Which array of which structure was computed without being stored; 0 for none.
type Note = u64;

/// The bits of a note that say which array it was.
const POSITION_BITS: u32 = 20;
/// More structures than this are not remembered.
const MOST: usize = 4096;
/// In a key, what stands before the arrays that are stored unasked.
const UNASKED: u64 = u64::MAX;

/// The arrays that evaluations are to store, for each structure.
static LESSONS: Mutex<Option<FxHashMap<u64, SmallVec<[u32; 4]>>>> = Mutex::new(None);

/// Remembers that what some notes are about is to be stored.
fn learn(notes: &[Note]) {
    let mut lessons = LESSONS.lock();
    let lessons = lessons.get_or_insert_default();
    if lessons.len() >= MOST {
        lessons.clear();
    }
    for &note in notes {
        let positions = lessons.entry(note >> POSITION_BITS).or_default();
        let position = note as u32 & ((1 << POSITION_BITS) - 1);
        if !positions.contains(&position) {
            positions.push(position);
        }
    }
}

/// A structure in short, as notes have it. The topmost bit makes every note differ from none.
fn structure_of(key: &Key) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish() >> POSITION_BITS | 1 << (63 - POSITION_BITS)
}

impl Graph {
    /// Makes roots of what is to be stored besides what was asked for, and notes what was to learn.
    pub(super) fn keep_what_comes_again(&mut self) {
        self.key = self.key();
        self.structure = structure_of(&self.key);
        let learned = LESSONS.lock().as_ref().and_then(|all| all.get(&self.structure).cloned());
        let learned = learned.unwrap_or_default().into_iter().map(|k| k as usize);
        let mut kept: FxHashSet<usize> =
            learned.filter(|&k| k < self.nodes.len() && self.may_keep(k)).collect();
        // For each array the note of a lost one that it is computed from.
        let mut lost: FxHashMap<*const Node, Note> = FxHashMap::default();
        for (k, (node, args)) in self.nodes.iter().enumerate() {
            let Some(args) = args else { continue };
            let from = args.iter().find_map(|arg| match arg {
                Arg::Node(arg) => lost.get(&Arc::as_ptr(arg)).copied(),
                Arg::Scalar(_) => None,
            });
            let own = node.computed.load(Relaxed);
            let Some(note) = Some(own).filter(|&own| own != 0).or(from) else { continue };
            if self.is_root.contains(&Arc::as_ptr(node)) {
                self.news.extend(Some(own).filter(|&own| own != 0));
            } else if kept.contains(&k) {
                continue;
            } else if self.may_keep(k) {
                self.news.push(note);
                kept.insert(k);
            } else {
                lost.insert(Arc::as_ptr(node), note);
            }
        }
        if kept.is_empty() {
            return;
        }
        let mut kept: Vec<usize> = kept.into_iter().collect();
        kept.sort_unstable();
        self.key.push(UNASKED);
        for k in kept {
            let node = &self.nodes[k].0;
            self.key.push(k as u64);
            self.is_root.insert(Arc::as_ptr(node));
            *self.uses.entry(Arc::as_ptr(node)).or_default() += 1;
            self.roots.push(node.clone());
        }
    }

    /// Whether an array is held, has no data and is no root, and more work than a look elsewhere.
    fn may_keep(&self, k: usize) -> bool {
        let (node, args) = &self.nodes[k];
        let moves_alone = matches!(
            node.op,
            NodeOp::View(_) | NodeOp::Reshape | NodeOp::Cast | NodeOp::Full | NodeOp::Iota { .. }
        );
        let is_waited_for = args.is_some() && node.has_handles() && node.len() > 0;
        is_waited_for && !moves_alone && !self.is_root.contains(&Arc::as_ptr(node))
    }

    /// Notes in the arrays that were computed and not stored which ones they were, and remembers what
    /// was learned.
    pub(super) fn note_what_was_computed(&self) {
        for (k, (node, args)) in self.nodes.iter().enumerate().take(1 << POSITION_BITS) {
            if args.is_some() && !self.is_root.contains(&Arc::as_ptr(node)) {
                node.computed.store(self.structure << POSITION_BITS | k as u64, Relaxed);
            }
        }
        if !self.news.is_empty() {
            learn(&self.news);
        }
    }
}
