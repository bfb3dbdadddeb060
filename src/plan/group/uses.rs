//! Finds a use of a node among its others, in the same time however many there are.

use super::super::coords::Coords;
use super::super::work::work;
use super::Use;
use crate::kernel::Val;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Up to so many uses are looked through one by one.
const FEW: usize = 16;

/// The uses of the nodes that have many: for a hash of node and place the positions among the node's
/// uses.
#[derive(Default)]
pub(super) struct Known(FxHashMap<u64, SmallVec<[u32; 2]>>);

/// What a use is: its kernel, where it stands there, and its mask.
type Place<'a> = (usize, &'a Coords, Option<Val>);

fn place(u: &Use) -> Place<'_> {
    (u.group, &u.coords, u.mask)
}

fn hash(n: usize, place: Place) -> u64 {
    let mut hasher = FxHasher::default();
    (n, place).hash(&mut hasher);
    hasher.finish()
}

impl Known {
    /// The position of a use.
    pub(super) fn find(&self, n: usize, uses: &[Use], at: Place) -> Option<usize> {
        work(uses.len().min(FEW));
        if uses.len() <= FEW {
            return uses.iter().position(|u| place(u) == at);
        }
        // Another node's uses may have the hash, which this node has fewer of.
        let same = |k: &usize| uses.get(*k).is_some_and(|u| place(u) == at);
        self.0.get(&hash(n, at))?.iter().map(|&k| k as usize).find(same)
    }

    /// Notes the last of a node's uses.
    pub(super) fn add(&mut self, n: usize, uses: &[Use]) {
        let first = match uses.len() {
            count if count <= FEW => return,
            // The few before it are noted with it.
            count if count == FEW + 1 => 0,
            count => count - 1,
        };
        for (k, u) in uses.iter().enumerate().skip(first) {
            self.0.entry(hash(n, place(u))).or_default().push(k as u32);
        }
    }
}
