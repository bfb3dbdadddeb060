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

/// The kernel, or kernels that do its work together, the largest first: each is for a part of the
/// positions, and no two are for the same one.
pub fn pieces(kernel: Kernel, least: usize) -> Vec<Kernel> {
    let whole: Vec<Range<usize>> = kernel.axes.iter().map(|axis| 0..axis.extent).collect();
    let parallel = kernel.axes_of(AxisKind::Parallel);
    let is_plain = kernel.axes_of(AxisKind::Reduce).is_empty();
    if !is_plain || kernel.extent(parallel) < least {
        return vec![kernel];
    }
    let mut inside = whole.clone();
    for k in parallel.iter() {
        let longest = longest(&kernel, k);
        if 2 * longest.len() > whole[k].len() {
            inside[k] = longest;
        }
    }
    if inside == whole {
        return vec![kernel];
    }
    let mut parts = vec![kernel.part(&inside)];
    let mut rest = whole;
    for k in parallel.iter() {
        let Range { start, end } = rest[k].clone();
        for border in [start..inside[k].start, inside[k].end..end] {
            if !border.is_empty() {
                rest[k] = border;
                parts.push(kernel.part(&rest));
            }
        }
        rest[k] = inside[k].clone();
    }
    parts
}

/// The longest range of positions on an axis along which no condition on them alone changes.
fn longest(kernel: &Kernel, axis: usize) -> Range<usize> {
    let changes = changes(kernel, axis);
    let starts = std::iter::once(0).chain(changes.iter().copied());
    let ends = changes.iter().copied().chain([kernel.axes[axis].extent]);
    let ranges = starts.zip(ends).map(|(start, end)| start..end);
    ranges.max_by_key(Range::len).expect("there is one more than changes")
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
}
