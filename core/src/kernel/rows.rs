//! How far a kernel looks along the outermost axis at what it gave when it ran before.
//!
//! The elements of each output are cut into rows, the positions of the outermost axis. Whoever knows
//! that a row of a turn needs rows of the turn before no further away than a reach may take several
//! turns of some rows before others begin.

use super::ranges::Ranges;
use super::{Atom, AxisKind, Index, Inst, Kernel, Output, Val};
use std::ops::Range;

/// The rows that a kernel writes, of as many as its outputs have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The axis whose positions are rows; none where all positions lie in one.
    pub axis: Option<usize>,
    /// The rows that are written.
    pub written: Range<usize>,
    /// How many rows away the furthest one lies that is read.
    pub reach: usize,
    /// Whether rows at one end are neighbours of those at the other.
    pub wraps: bool,
}

/// The rows of a kernel's outputs; none where the outermost axis is not plain.
pub fn count(kernel: &Kernel) -> Option<usize> {
    let store = kernel.stores.first()?;
    let outer = kernel.axes_of(AxisKind::Parallel).iter();
    let row = outer.map(|k| store.index.stride(k)).max().filter(|&stride| stride > 0)?;
    let len = kernel.outputs[store.output as usize].len;
    len.is_multiple_of(row as usize).then_some(len / row as usize)
}

/// The rows of a kernel, which may be a part of one, where outputs have so many rows, and pairs say
/// which input is which output of the turn before; none where that is not known.
pub fn rows(kernel: &Kernel, pairs: &[(u32, u32)], count: usize) -> Option<Rows> {
    if kernel.outputs.iter().any(|output| output.alias.is_some()) {
        return None;
    }
    let ranges = Ranges::new(kernel);
    let mut rows: Option<Rows> = None;
    for store in &kernel.stores {
        let row = row_of(&kernel.outputs[store.output as usize], count)?;
        let moving = |&k: &usize| kernel.axes[k].extent > 1 && store.index.stride(k) == row;
        let axis = (0..kernel.axes.len()).find(moving);
        let (low, high) = ranges.of(kernel, &within(&store.index, axis));
        let first = low.div_euclid(row);
        let extent = axis.map_or(1, |k| kernel.axes[k].extent);
        let end = first + extent as i64;
        if store.index.values().next().is_some()
            || first != high.div_euclid(row)
            || first < 0
            || end > count as i64
        {
            return None;
        }
        let written = first as usize..end as usize;
        match &rows {
            None => rows = Some(Rows { axis, written, reach: 0, wraps: false }),
            Some(same) if same.axis == axis && same.written == written => {}
            Some(_) => return None,
        }
    }
    let mut rows = rows?;
    for value in &kernel.values {
        let Inst::Load { input, index, .. } = &value.inst else { continue };
        let Some(&(_, output)) = pairs.iter().find(|pair| pair.0 == *input) else { continue };
        let of = &kernel.outputs[output as usize];
        let row = row_of(of, count).filter(|_| kernel.inputs[*input as usize].len == of.len)?;
        let index = unfolded(kernel, index, &mut rows, row, count);
        let along = |v: Val| rows.axis.is_some_and(|k| kernel.value(v).axes.has(k));
        if rows.axis.is_some_and(|k| index.stride(k) != row) || index.values().any(along) {
            return None;
        }
        let (low, high) = ranges.of(kernel, &within(&index, rows.axis));
        let away = |at: i64| at.div_euclid(row) - rows.written.start as i64;
        let (mut low, mut high) = (away(low), away(high));
        let count = count as i64;
        if low.max(high).abs() > count / 2 {
            let turns = if high > 0 { count } else { -count };
            (low, high) = (low - turns, high - turns);
            rows.wraps = true;
        }
        let reach = low.unsigned_abs().max(high.unsigned_abs());
        if reach as i64 > count / 2 {
            return None;
        }
        rows.reach = rows.reach.max(reach as usize);
    }
    Some(rows)
}

/// An index whose row is as far away or further, without folds at the ends of the rows: a row that
/// goes around lies at the other end, and one that is held back is no further away than it was.
fn unfolded(kernel: &Kernel, index: &Index, rows: &mut Rows, row: i64, count: usize) -> Index {
    let Some(axis) = rows.axis else { return index.clone() };
    let mut plain = Index::constant(index.offset);
    for &(atom, coefficient) in &index.terms {
        let folded = match atom {
            Atom::Value(v) if coefficient == row => Some(&kernel.value(v).inst),
            _ => None,
        };
        let inner = match folded {
            Some(Inst::IndexMod { index, by }) if *by == count as i64 => Some(index),
            Some(Inst::IndexClamp { index, low, high })
                if *low <= rows.written.start as i64 && rows.written.end as i64 <= *high + 1 =>
            {
                Some(index)
            }
            _ => None,
        };
        match inner.filter(|inner| inner.stride(axis) == 1) {
            Some(inner) => {
                rows.wraps |= matches!(folded, Some(Inst::IndexMod { .. }));
                plain.add_scaled(inner, row);
            }
            None => plain.add_term(atom, coefficient),
        }
    }
    plain
}

/// The elements of a row.
fn row_of(output: &Output, count: usize) -> Option<i64> {
    let fits = output.len > 0 && output.len.is_multiple_of(count);
    fits.then(|| (output.len / count) as i64)
}

/// An index without what an axis adds.
fn within(index: &Index, axis: Option<usize>) -> Index {
    let mut within = index.clone();
    within.terms.retain(|(atom, _)| !matches!(atom, Atom::Axis(k) if Some(*k as usize) == axis));
    within
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::kernel::builder::{Builder, affine};
    use crate::table::Op;

    const COLUMNS: i64 = 10;

    /// The sum of elements at these rows and columns away, over the inner rows of 20.
    fn stencil(away: &[(i64, i64)]) -> Kernel {
        let (first, rows) = (3, 14);
        let mut b = Builder::new(&[(AxisKind::Parallel, rows), (AxisKind::Parallel, 10)]);
        let input = b.input(DType::F64, 200);
        let at = |row: i64, column: i64| {
            affine(&[(0, COLUMNS), (1, 1)], COLUMNS * (first + row) + column)
        };
        let mut sum = b.load(input, at(0, 0));
        for &(row, column) in away {
            let next = b.load(input, at(row, column));
            sum = b.op(Op::Add, &[sum, next]);
        }
        b.store(sum, at(0, 0), 200);
        b.kernel
    }

    #[test]
    fn the_furthest_row_that_is_read_is_the_reach() {
        let known = |away: &[(i64, i64)]| rows(&stencil(away), &[(0, 0)], 20);
        let plain = |reach| Some(Rows { axis: Some(0), written: 3..17, reach, wraps: false });
        assert_eq!(count(&stencil(&[])), Some(20));
        assert_eq!(known(&[]), plain(0));
        assert_eq!(known(&[(1, 0), (-2, 0)]), plain(2));
        // A column further lies in the next row at the end of this one.
        assert_eq!(known(&[(0, 1)]), plain(1));
        assert_eq!(known(&[(3, 0), (-3, -1)]), plain(4));
        // What is not handed on may be read anywhere.
        assert_eq!(rows(&stencil(&[(3, 0)]), &[], 20), plain(0));
        // Rows of another length, and rows that all read the same ones.
        assert_eq!(rows(&stencil(&[]), &[(0, 0)], 40), None);
        let mut kernel = stencil(&[(1, 0)]);
        let load = kernel.values.iter_mut().filter_map(|value| value.inst.index_mut()).nth(1);
        *load.expect("there are two loads") = affine(&[(1, 1)], 0);
        assert_eq!(rows(&kernel, &[(0, 0)], 20), None);
    }

    #[test]
    fn rows_at_the_ends_may_be_neighbours() {
        let mut b = Builder::new(&[(AxisKind::Parallel, 1), (AxisKind::Parallel, 10)]);
        let input = b.input(DType::F64, 200);
        let above = b.load(input, affine(&[(1, 1)], 19 * COLUMNS));
        let below = b.load(input, affine(&[(1, 1)], 2 * COLUMNS));
        let sum = b.op(Op::Add, &[above, below]);
        b.store(sum, affine(&[(1, 1)], 0), 200);
        let known = rows(&b.kernel, &[(0, 0)], 20);
        assert_eq!(known, Some(Rows { axis: None, written: 0..1, reach: 2, wraps: true }));
    }

    #[test]
    fn rows_that_go_around_or_are_held_back_are_near() {
        let folded = |inst: &dyn Fn(Index) -> Inst| {
            let mut b = Builder::new(&[(AxisKind::Parallel, 20), (AxisKind::Parallel, 10)]);
            let input = b.input(DType::F64, 200);
            let row = b.index(inst(affine(&[(0, 1)], 18)));
            let mut index = affine(&[(1, 1)], 0);
            index.add_term(Atom::Value(row), COLUMNS);
            let value = b.load(input, index);
            b.store(value, affine(&[(0, COLUMNS), (1, 1)], 0), 200);
            rows(&b.kernel, &[(0, 0)], 20)
        };
        let around = folded(&|index| Inst::IndexMod { index, by: 20 });
        let known = Rows { axis: Some(0), written: 0..20, reach: 2, wraps: true };
        assert_eq!(around, Some(known));
        // Held back at another row than the last, or around another number, a row may be anywhere.
        assert_eq!(folded(&|index| Inst::IndexMod { index, by: 10 }), None);
        assert_eq!(folded(&|index| Inst::IndexClamp { index, low: 0, high: 10 }), None);
    }
}
