//! Cuts the tiles of an elementwise kernel so that conditions hold in all of a tile or in none of
//! it.
//!
//! A stencil's border, or the place where a roll wraps, would otherwise make every tile that
//! touches it read its inputs piece by piece; cut there, the long tiles read in place.

use super::layout::{Layout, Mode};
use crate::kernel::{Atom, Index, Inst, Kernel};

/// With more cuts than this, tiles would be too short.
const MOST: usize = 8;

/// The positions of the lanes' axis at which tiles are cut, ascending.
pub fn cuts(kernel: &Kernel, layout: &Layout) -> Vec<usize> {
    let &[axis] = &layout.lanes[..] else { return Vec::new() };
    if layout.mode != Mode::Elementwise || layout.rows.is_some() {
        return Vec::new();
    }
    let cuts = changes(kernel, axis);
    if cuts.len() > MOST { Vec::new() } else { cuts }
}

/// The positions on an axis at which conditions on it alone change, ascending.
pub(super) fn changes(kernel: &Kernel, axis: usize) -> Vec<usize> {
    let extent = kernel.axes[axis].extent;
    let mut changes: Vec<usize> = kernel
        .values
        .iter()
        .flat_map(|value| match &value.inst {
            Inst::InRange { index, low, high } => crossings(index, axis, extent, *low, *high),
            Inst::IndexClamp { index, low, high } => {
                crossings(index, axis, extent, *low, *high + 1)
            }
            Inst::IndexMod { index, by } => crossings(index, axis, extent, 0, *by),
            _ => Vec::new(),
        })
        .collect();
    changes.sort_unstable();
    changes.dedup();
    changes
}

/// The positions at which an index that follows the axis alone enters or leaves a range.
fn crossings(index: &Index, axis: usize, extent: usize, low: i64, high: i64) -> Vec<usize> {
    let &[(Atom::Axis(k), step)] = &index.terms[..] else { return Vec::new() };
    if k as usize != axis || step == 0 {
        return Vec::new();
    }
    // The first position at which the index has reached a bound, walking upwards; walking
    // downwards, the first at which it is below it.
    let reached = |bound: i64| match step > 0 {
        true => (bound - index.offset + step - 1).div_euclid(step),
        false => (index.offset - bound).div_euclid(-step) + 1,
    };
    [reached(low), reached(high)]
        .into_iter()
        .filter(|&at| at > 0 && at < extent as i64)
        .map(|at| at as usize)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    #[test]
    fn ranges_are_entered_and_left() {
        for (offset, step) in [(0, 1), (-3, 1), (2, 2), (9, -1), (20, -3), (5, 0)] {
            let index = Index { offset, terms: smallvec![(Atom::Axis(1), step)] };
            for (low, high) in [(0, 10), (1, 9), (4, 5), (-5, 100)] {
                let inside = |k: usize| (low..high).contains(&(offset + step * k as i64));
                let expected: Vec<usize> =
                    (1..16).filter(|&k| inside(k) != inside(k - 1)).collect();
                let mut found = crossings(&index, 1, 16, low, high);
                found.sort_unstable();
                // An index that steps over the whole range is cut where nothing changes, too.
                assert!(expected.iter().all(|k| found.contains(k)), "{found:?} {expected:?}");
                assert!(found.len() <= 2 && found.iter().all(|&k| k > 0 && k < 16));
            }
        }
    }
}
