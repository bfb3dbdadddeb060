//! Elementwise kernels in pieces, where conditions on positions hold nearly everywhere.
//!
//! A stencil that writes the inner part of an array in a step with others asks at every element
//! whether it is inside: programs of the inner part alone, and of each border, need not, and what
//! a border needs is not computed anywhere else.
//!
//! Each piece is the kernel over a part of its positions (`Kernel::part`), where the answers are
//! known. What a step of a simulation writes by slices is such a kernel, and stays one launch.

use super::cuts::changes;
use crate::kernel::{AxisKind, Kernel};
use std::ops::Range;

/// Kernels of fewer elements run as they are: making programs ready takes longer than they save,
/// even in a loop of hundreds of turns.
pub const LEAST: usize = 1 << 10;

/// The most pieces of a kernel: each has a program of its own.
const MOST: usize = 32;

/// What is a smaller part of the kernel than one in so many stays in one piece, and asks.
const SMALL_PART: usize = 64;

/// The kernel, or kernels that do its work together, the largest first: each is for a part of the
/// positions, and no two are for the same one.
pub fn pieces(kernel: Kernel, least: usize) -> Vec<Kernel> {
    let parallel = kernel.axes_of(AxisKind::Parallel);
    let is_plain = kernel.axes_of(AxisKind::Reduce).is_empty();
    let few = kernel.extent(parallel) < least;
    if !is_plain || few || parallel.iter().all(|k| changes(&kernel, k).is_empty()) {
        return vec![kernel];
    }
    let whole: Ranges = kernel.axes.iter().map(|axis| 0..axis.extent).collect();
    let mut cut = Cut { kernel: &kernel, parts: Vec::new(), left: MOST - 1 };
    cut.cut(whole);
    let mut parts = cut.parts;
    parts.sort_by_key(|part| std::cmp::Reverse(part.extent(parallel)));
    parts
}

/// The positions of a part on each axis.
type Ranges = Vec<Range<usize>>;

/// A kernel on its way into pieces.
struct Cut<'a> {
    kernel: &'a Kernel,
    parts: Vec<Kernel>,
    /// So many pieces more may be made.
    left: usize,
}

impl Cut<'_> {
    /// Cuts a part along the first axis on which its conditions change, and what results along the
    /// others.
    fn cut(&mut self, ranges: Ranges) {
        let part = self.kernel.part(&ranges);
        let parallel = part.axes_of(AxisKind::Parallel);
        let is_small = part.extent(parallel) * SMALL_PART < self.kernel.extent(parallel);
        let axes = parallel.iter().filter(|_| !is_small);
        let cells = axes.map(|k| (k, self.cells(&part, k))).find(|(_, cells)| cells.len() > 1);
        let Some((axis, cells)) = cells else {
            self.parts.push(part);
            return;
        };
        self.left -= cells.len() - 1;
        for cell in cells {
            let mut inner = ranges.clone();
            let start = inner[axis].start;
            inner[axis] = start + cell.start..start + cell.end;
            self.cut(inner);
        }
    }

    /// The ranges along an axis in which no condition on it alone changes. Where they are too many, the
    /// longest, with what lies before and after, if that is more than half of the axis; else none.
    fn cells(&self, part: &Kernel, axis: usize) -> Vec<Range<usize>> {
        let extent = part.axes[axis].extent;
        let changes = changes(part, axis);
        let starts = std::iter::once(0).chain(changes.iter().copied());
        let ends = changes.iter().copied().chain([extent]);
        let cells: Vec<_> = starts.zip(ends).map(|(start, end)| start..end).collect();
        if cells.len() - 1 <= self.left {
            return cells;
        }
        let longest = cells.into_iter().max_by_key(Range::len).expect("there is one");
        match 2 * longest.len() > extent && self.left >= 2 {
            true => [0..longest.start, longest.clone(), longest.end..extent]
                .into_iter()
                .filter(|cell| !cell.is_empty())
                .collect(),
            false => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::kernel::Inst;
    use crate::kernel::builder::{Builder, affine};
    use crate::table::Op;

    /// What is inside is read without a question; borders ask for what they do not know.
    #[test]
    fn the_inner_part_of_a_stencil_has_no_conditions() {
        let (rows, columns) = (50, 100);
        let at = |row: i64, column: i64| affine(&[(0, 100), (1, 1)], 100 * row + column);
        let mut b = Builder::new(&[(AxisKind::Parallel, rows), (AxisKind::Parallel, columns)]);
        let input = b.input(DType::F64, rows * columns);
        let [down, right] = [(0, rows), (1, columns)].map(|(axis, extent)| {
            let (low, high) = (1, extent as i64 - 1);
            b.index(Inst::InRange { index: affine(&[(axis, 1)], 0), low, high })
        });
        let inside = b.op(Op::LogicalAnd, &[down, right]);
        let before = b.load(input, at(0, 0));
        let mut sum = before;
        for (row, column) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            let next = b.masked(input, at(row, column), Some(inside));
            sum = b.op(Op::Add, &[sum, next]);
        }
        let after = b.op(Op::Select, &[inside, sum, before]);
        b.store(after, at(0, 0), rows * columns);
        assert_eq!(pieces(b.kernel.clone(), rows * columns + 1), [b.kernel.clone()]);
        let parts = pieces(b.kernel, 1);
        let extents = |kernel: &Kernel| [kernel.axes[0].extent, kernel.axes[1].extent];
        let all: Vec<_> = parts.iter().map(extents).collect();
        assert_eq!(all, [[48, 98], [1, 100], [1, 100], [48, 1], [48, 1]]);
        let counts = |kernel: &Kernel| {
            let loads = kernel.values.iter().filter(|v| matches!(v.inst, Inst::Load { .. }));
            (loads.count(), kernel.values.len())
        };
        // Five loads and four additions inside, a copy on the borders.
        let expected = [(5, 9), (1, 1), (1, 1), (1, 1), (1, 1)];
        assert_eq!(parts.iter().map(counts).collect::<Vec<_>>(), expected);
    }
    /// A point in the middle cuts what is around it; many points cut nothing.
    #[test]
    fn points_are_cut_out() {
        let (rows, columns) = (60, 100);
        for points in [1, 40] {
            let mut b = Builder::new(&[(AxisKind::Parallel, rows), (AxisKind::Parallel, columns)]);
            let at = affine(&[(0, 100), (1, 1)], 0);
            let input = b.input(DType::F64, rows * columns);
            let mut value = b.load(input, at.clone());
            for k in 0..points {
                let place = 30 + k % 20;
                let [row, column] = [(0, place), (1, place)].map(|(axis, at)| {
                    b.index(Inst::InRange { index: affine(&[(axis, 1)], 0), low: at, high: at + 1 })
                });
                let here = b.op(Op::LogicalAnd, &[row, column]);
                let more = b.op(Op::Add, &[value, value]);
                value = b.op(Op::Select, &[here, more, value]);
            }
            b.store(value, at, rows * columns);
            let parts = pieces(b.kernel, 1);
            let sizes = parts.iter().map(|part| part.axes[0].extent * part.axes[1].extent);
            assert_eq!(sizes.sum::<usize>(), rows * columns);
            assert!(parts.len() <= MOST, "{}", parts.len());
            if points == 1 {
                // Above, below, and the row of the point, which is a small part.
                let extents = parts.iter().map(|part| (part.axes[0].extent, part.values.len()));
                assert!(extents.take(2).all(|(rows, values)| rows > 28 && values == 1));
            }
        }
    }
}
