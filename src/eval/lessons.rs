//! What evaluations are to store unasked, for each structure that one has met (`kept.rs`).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// More structures than this are not remembered.
const MOST_LESSONS: usize = 4096;
/// The bits of a note that say which node it was.
pub(super) const POSITION_BITS: u32 = 20;

/// A note about a node that was computed without being stored: the structure, in short, and the
/// node's position in it. 0 where there is none.
pub(super) type Note = u64;

/// The nodes that evaluations are to store, for each structure that one has met.
#[derive(Default)]
pub(super) struct Lessons(FxHashMap<u64, SmallVec<[u32; 4]>>);

impl Lessons {
    /// The positions of nodes to be stored where a walk found this structure; none where that is
    /// the first to find it.
    #[inline(always)]
    pub(super) fn of(&self, structure: u64) -> Option<&[u32]> {
        self.0.get(&structure).map(|positions| &positions[..])
    }

    /// Remembers a structure, and that what some notes are about is to be stored.
    pub(super) fn learn(&mut self, structure: u64, notes: &[Note]) {
        if self.0.len() > MOST_LESSONS {
            self.0.clear();
        }
        self.0.entry(structure).or_default();
        for &note in notes {
            let positions = self.0.entry(note >> POSITION_BITS).or_default();
            let position = note as u32 & ((1 << POSITION_BITS) - 1);
            if !positions.contains(&position) {
                positions.push(position);
            }
        }
    }
}
