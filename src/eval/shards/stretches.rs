//! The rows that each share asks for and makes, beside those of its block (`halos.rs`).

use super::local::Local;
use crate::graph::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Rows of an axis: the first one, and the one behind the last.
pub(super) type Rows = [usize; 2];

/// Stretches of rows, of which none touches another. Those that go on behind the last row go on with
/// the first ones: such are kept of rings alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stretches(pub SmallVec<[Rows; 3]>);

impl Stretches {
    /// Adds rows of an axis of length `n`.
    pub(super) fn add(&mut self, rows: Rows, n: usize, is_ring: bool) {
        if rows[0] >= rows[1] {
            return;
        }
        if rows[1] > n && !is_ring {
            self.add([rows[0], n], n, false);
            return self.add([0, rows[1] - n], n, false);
        }
        let laps = if is_ring { &[[0, 0], [n, 0], [0, n]][..] } else { &[[0, 0]] };
        let mut all = rows;
        self.0.retain(|known| {
            let joined = laps.iter().find_map(|lap| {
                let (a, b) = (known.map(|row| row + lap[0]), all.map(|row| row + lap[1]));
                (a[0] <= b[1] && b[0] <= a[1]).then(|| [a[0].min(b[0]), a[1].max(b[1])])
            });
            all = joined.unwrap_or(all);
            joined.is_none()
        });
        if all[1] - all[0] >= n {
            all = [0, n];
        }
        if all[0] >= n {
            all = all.map(|row| row - n);
        }
        let at = self.0.iter().position(|known| known[0] > all[0]).unwrap_or(self.0.len());
        self.0.insert(at, all);
    }

    pub(super) fn of(rows: Rows) -> Stretches {
        let mut all = Stretches::default();
        all.add(rows, rows[1], false);
        all
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|rows| rows[1] - rows[0]).sum()
    }
}

/// How far behind the first of known rows others begin that they hold.
pub(super) fn begin_in(known: Rows, rows: Rows, n: usize) -> Option<usize> {
    let one = |rows: Rows| known[0] <= rows[0] && rows[1] <= known[1];
    let laps = [rows, rows.map(|row| row + n)];
    laps.into_iter().find(|&rows| one(rows)).map(|rows| rows[0] - known[0])
}

/// What is asked for of the arrays of a graph.
#[derive(Default)]
pub(super) struct Halos {
    /// For each array that has data or is not made with other shares' rows, what each share asks for.
    pub read: FxHashMap<*const Node, Vec<Stretches>>,
    /// For each array that is made with other shares' rows, what each share makes.
    pub wide: FxHashMap<*const Node, Vec<Stretches>>,
    /// The same when they are made.
    pub made: FxHashMap<*const Node, Vec<Vec<(Rows, Local)>>>,
    /// The arrays that may be made with rows behind their last ones, which are the first ones again.
    pub rings: FxHashSet<*const Node>,
}

impl Halos {
    /// Whether rows of an array may be made that go on with the first ones behind the last.
    pub(super) fn is_ring(&self, node: &Node) -> bool {
        self.rings.contains(&std::ptr::from_ref(node))
    }
}

/// The array that some rows of an axis of length `n` are in, and where.
pub(super) fn held_in(made: &[(Rows, Local)], rows: Rows, n: usize) -> Option<(&Local, Rows)> {
    let mut all = made.iter();
    all.find_map(|(known, local)| {
        let begin = begin_in(*known, rows, n)?;
        Some((local, [begin, begin + rows[1] - rows[0]]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_joined_where_they_touch() {
        let mut all = Stretches::default();
        for rows in [[5, 7], [1, 2], [9, 9], [7, 8], [3, 4]] {
            all.add(rows, 20, false);
        }
        assert_eq!(all.0[..], [[1, 2], [3, 4], [5, 8]]);
        all.add([2, 3], 20, false);
        assert_eq!(all.0[..], [[1, 4], [5, 8]]);
        all.add([18, 21], 20, false);
        assert_eq!(all.0[..], [[0, 4], [5, 8], [18, 20]]);
        all.add([0, 20], 20, false);
        assert_eq!((&all.0[..], all.len()), (&[[0, 20]][..], 20));
    }

    #[test]
    fn stretches_of_a_ring_are_joined_over_its_end() {
        let mut all = Stretches::default();
        for rows in [[0, 5], [9, 10], [6, 7]] {
            all.add(rows, 10, true);
        }
        assert_eq!(all.0[..], [[6, 7], [9, 15]]);
        assert_eq!(begin_in(all.0[1], [0, 5], 10), Some(1));
        assert_eq!(begin_in(all.0[1], [9, 12], 10), Some(0));
        assert_eq!(begin_in(all.0[1], [6, 7], 10), None);
        all.add([5, 6], 10, true);
        assert_eq!(all.0[..], [[9, 17]]);
        all.add([7, 9], 10, true);
        assert_eq!(all.0[..], [[0, 10]]);
    }
}
