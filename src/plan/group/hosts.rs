//! Finds kernels that may take one more root. Of a graph of many stores each is offered to few
//! kernels, however many there are.

use super::super::work::work;
use super::{Group, Nest, Use};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The most kernels of one nest that are asked whether they take a root.
const MOST_ASKED: usize = 64;
/// Where it takes more steps than this to find what depends on the readers of a node, it gets a kernel
/// of its own.
const MOST_STEPS: usize = 2000;

/// The kernels by the nests that they may take, and which depends on which.
#[derive(Default)]
pub(super) struct Hosts {
    /// For the extents of a nest the kernels that have them, or have them as Parallel axes.
    by_dims: FxHashMap<Vec<usize>, BTreeSet<usize>>,
    /// Which group reads which other one's results.
    reads: FxHashSet<(usize, usize)>,
    above: Above,
}

/// The groups that depend on the readers of a node.
#[derive(Default)]
struct Above {
    /// For each group the search that met it last.
    met: Vec<u32>,
    search: u32,
}

impl Hosts {
    /// Notes a kernel, or what has become of it: it is found by the nests that it may take.
    pub(super) fn note(&mut self, group: usize, g: &Group) {
        if g.call.is_some() || g.writes_what_it_reads {
            return;
        }
        self.by_dims.entry(g.dims.clone()).or_default().insert(group);
        if !g.reduce.is_empty() {
            let parallel = (0..g.dims.len()).filter(|&k| !g.reduce.has(k));
            let parallel = parallel.map(|k| g.dims[k]).collect();
            self.by_dims.entry(parallel).or_default().insert(group);
        }
    }

    /// Notes that a group reads another one's results; false where that is known.
    pub(super) fn note_read(&mut self, reader: usize, group: usize) -> bool {
        work(1);
        self.reads.insert((reader, group))
    }

    /// The last kernel noted that takes a root of a nest and depends on none of the readers of the
    /// root. Kernels that have become full are forgotten.
    pub(super) fn find(
        &mut self,
        nest: &Nest,
        groups: &[Group],
        uses: &[Use],
        takes: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let candidates = self.by_dims.get_mut(&nest.dims)?;
        let (mut full, mut marked, mut found) = (Vec::new(), false, None);
        for &group in candidates.iter().rev().take(MOST_ASKED) {
            work(1);
            if groups[group].is_full() {
                full.push(group);
            } else if takes(group) {
                if !std::mem::replace(&mut marked, true) && !self.above.mark(groups, uses) {
                    break;
                }
                if !self.above.holds(group) {
                    found = Some(group);
                    break;
                }
            }
        }
        for group in full {
            candidates.remove(&group);
        }
        found
    }
}

impl Above {
    /// Marks the groups that depend on one that reads a node, directly or not; false where these are
    /// too many to be found.
    fn mark(&mut self, groups: &[Group], uses: &[Use]) -> bool {
        self.search += 1;
        self.met.resize(groups.len(), 0);
        let (mut found, mut left) = (Vec::new(), MOST_STEPS);
        let mut readers: Vec<usize> = uses.iter().map(|u| u.group).collect();
        readers.dedup();
        // The groups above a reader, and then those above what was found.
        let mut next = 0;
        while let Some(group) =
            readers.pop().or_else(|| found.get(next).copied().inspect(|_| next += 1))
        {
            for &above in &groups[group].read_by {
                work(1);
                left -= 1;
                if left == 0 {
                    return false;
                }
                if std::mem::replace(&mut self.met[above], self.search) != self.search {
                    found.push(above);
                }
            }
        }
        true
    }

    fn holds(&self, group: usize) -> bool {
        self.met[group] == self.search
    }
}
