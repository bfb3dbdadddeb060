//! The kernel with its axes in the order and number that schedules work on: axes of one position
//! dropped, the others sorted by stride, and neighbours merged where every index allows it.

use crate::kernel::{Atom, AxisKind, AxisSet, Index, Inst, Kernel};

/// A kernel over sorted and merged axes.
pub(super) struct Normal {
    /// The kernel.
    pub kernel: Kernel,
    /// The position within a row, in C order over the Reduce axes as they were at first.
    pub row_at: Index,
}

/// Drops, sorts and merges axes.
pub(super) fn normalise(kernel: &Kernel) -> Normal {
    let mut normal = Normal { kernel: kernel.clone(), row_at: row_position(kernel) };
    let order = order(kernel);
    normal.select(&order);
    normal.merge();
    Normal { kernel: normal.kernel.checked("sorting and merging axes"), ..normal }
}

fn row_position(kernel: &Kernel) -> Index {
    let mut at = Index::default();
    let mut stride = 1;
    for k in kernel.axes_of(AxisKind::Reduce).iter().rev() {
        at.add_term(Atom::Axis(k as u8), stride);
        stride *= kernel.axes[k].extent as i64;
    }
    at
}

/// The axes that stay, outermost first: Parallel, Reduce, Serial.
fn order(kernel: &Kernel) -> Vec<usize> {
    let (mut order, ordered) = (Vec::new(), kernel.is_ordered());
    for kind in [AxisKind::Parallel, AxisKind::Reduce, AxisKind::Serial] {
        let set = kernel.axes_of(kind);
        let single = |k: usize| kernel.axes[k].extent == 1;
        let mut axes: Vec<usize> = match kind {
            AxisKind::Serial => set.iter().collect(),
            _ => set.iter().filter(|&k| !single(k)).collect(),
        };
        // Reductions need an axis to reduce, even one of a single position.
        if axes.is_empty() && kind == AxisKind::Reduce {
            axes.extend(set.iter().next_back());
        }
        // A fold walks R in C order.
        let sorted = kind == AxisKind::Parallel || (kind == AxisKind::Reduce && !ordered);
        if sorted {
            let strides = reference(kernel, kind);
            axes.sort_by_key(|&k| std::cmp::Reverse(strides[k]));
        }
        order.extend(axes);
    }
    order
}

/// The strides that order the axes of a kind, those of one access: the largest store for Parallel
/// ones; for Reduce ones the access that walks the most of them, and the largest of these. Axes that it
/// does not walk come first, as if their stride were the largest.
fn reference(kernel: &Kernel, kind: AxisKind) -> Vec<u64> {
    let axes = kernel.axes_of(kind);
    let strides = |index: &Index| -> Vec<u64> {
        let stride = |axis: usize| match kernel.is_looked_up(index, axis) {
            true => 0,
            false => kernel.slope(index, axis).unsigned_abs(),
        };
        (0..kernel.axes.len()).map(|k| stride(k).wrapping_sub(1)).collect()
    };
    let stores = kernel.stores.iter().map(|s| {
        let size = kernel.value(s.value).dtype.size();
        (&s.index, kernel.outputs[s.output as usize].len * size)
    });
    let best = if kind == AxisKind::Parallel {
        stores.max_by_key(|&(_, bytes)| bytes).map(|(index, _)| strides(index))
    } else {
        let loads = kernel.values.iter().filter_map(|v| match &v.inst {
            Inst::Load { input, index, .. } => {
                let input = &kernel.inputs[*input as usize];
                Some((index, input.len * input.dtype.size()))
            }
            _ => None,
        });
        let accesses = loads.chain(stores).map(|(index, bytes)| (strides(index), bytes));
        let walked = |strides: &[u64]| axes.iter().filter(|&k| strides[k] < u64::MAX).count();
        let walking = accesses.filter(|(strides, _)| walked(strides) > 0);
        let best = walking.max_by_key(|(strides, bytes)| (walked(strides), *bytes));
        best.map(|(strides, _)| strides)
    };
    best.unwrap_or_else(|| vec![u64::MAX; kernel.axes.len()])
}

impl Normal {
    fn indices(&mut self) -> impl Iterator<Item = &mut Index> {
        let values = self.kernel.values.iter_mut().filter_map(|v| v.inst.index_mut());
        let stores = self.kernel.stores.iter_mut().map(|s| &mut s.index);
        values.chain(stores).chain(std::iter::once(&mut self.row_at))
    }

    /// Keeps the listed axes, in that order.
    fn select(&mut self, order: &[usize]) {
        let place = |k: usize| order.iter().position(|&o| o == k);
        self.renumber(&place);
        self.kernel.axes = order.iter().map(|&k| self.kernel.axes[k]).collect();
    }

    /// Gives every axis the number `place` says; those without a place disappear.
    fn renumber(&mut self, place: &dyn Fn(usize) -> Option<usize>) {
        for index in self.indices() {
            let old = std::mem::replace(index, Index::constant(index.offset));
            for (atom, coefficient) in old.terms {
                match atom {
                    Atom::Axis(k) => {
                        if let Some(k) = place(k as usize) {
                            index.add_term(Atom::Axis(k as u8), coefficient);
                        }
                    }
                    value => index.add_term(value, coefficient),
                }
            }
        }
        let set = |axes: AxisSet| axes.iter().filter_map(place).collect::<AxisSet>();
        for value in &mut self.kernel.values {
            value.axes = set(value.axes);
            if let Some(axes) = value.inst.swept_mut() {
                *axes = set(*axes);
            }
        }
    }

    fn merge(&mut self) {
        let mut inner = 1;
        while inner < self.kernel.axes.len() {
            let (a, b) = (self.kernel.axes[inner - 1], self.kernel.axes[inner]);
            let kinds = a.kind == b.kind && a.kind != AxisKind::Serial;
            let outer = inner - 1;
            let extent = b.extent as i64;
            let fits = |ix: &mut Index| ix.stride(outer) == ix.stride(inner) * extent;
            if kinds && self.indices().all(fits) {
                for index in self.indices() {
                    index.add_term(Atom::Axis(outer as u8), -index.stride(outer));
                }
                self.renumber(&|k| {
                    if k <= outer { (k != outer).then_some(k) } else { Some(k - 1) }
                });
                self.kernel.axes[outer].extent = a.extent * b.extent;
                self.kernel.axes.remove(inner);
            } else {
                inner += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::normalise;
    use crate::dtype::DType;
    use crate::kernel::AxisKind::{Parallel, Reduce};
    use crate::kernel::builder::{Builder, affine};
    use crate::kernel::{Atom, Inst};
    use crate::table::{Op, Reduction};

    #[test]
    fn axes_that_walk_as_one_become_one_and_transposed_ones_stay() {
        let mut b = Builder::new(&[(Parallel, 4), (Parallel, 5), (Parallel, 6)]);
        let input = b.input(DType::F32, 120);
        let v = b.load(input, affine(&[(0, 30), (1, 6), (2, 1)], 0));
        b.store(v, affine(&[(0, 30), (1, 6), (2, 1)], 0), 120);
        let normal = normalise(&b.kernel).kernel;
        assert_eq!(normal.axes.len(), 1);
        assert_eq!(normal.axes[0].extent, 120);
        assert!(normal.value(v).axes.has(0));
        let v = b.load(input, affine(&[(0, 1), (1, 4), (2, 20)], 0));
        b.store(v, affine(&[(0, 30), (1, 6), (2, 1)], 0), 120);
        assert_eq!(normalise(&b.kernel).kernel.axes.len(), 3);
    }

    #[test]
    fn axes_of_one_position_disappear_and_others_are_sorted_by_the_stores() {
        let mut b = Builder::new(&[(Parallel, 8), (Parallel, 1), (Parallel, 3)]);
        let input = b.input(DType::F64, 24);
        let v = b.load(input, affine(&[(0, 3), (1, 24), (2, 1)], 0));
        b.store(v, affine(&[(0, 1), (2, 8)], 0), 24);
        let normal = normalise(&b.kernel).kernel;
        let extents: Vec<usize> = normal.axes.iter().map(|a| a.extent).collect();
        assert_eq!(extents, [3, 8]);
    }

    /// A wrapped position moves with its axis: the rows stay innermost, however they are rolled.
    #[test]
    fn what_is_rolled_is_walked_along_its_rows() {
        for swapped in [false, true] {
            let mut b = Builder::new(&[(Reduce, 40), (Reduce, 50)]);
            let input = b.input(DType::F64, 2000);
            let wrapped = |b: &mut Builder, axis: usize, by: i64| {
                b.index(Inst::IndexMod { index: affine(&[(axis, 1)], 1), by })
            };
            let (row, column) = (wrapped(&mut b, 0, 40), wrapped(&mut b, 1, 50));
            let (mut below, mut beside) = (affine(&[(1, 1)], 0), affine(&[(0, 50)], 0));
            below.add_term(Atom::Value(row), 50);
            beside.add_term(Atom::Value(column), 1);
            let places = if swapped { [beside, below] } else { [below, beside] };
            let [x, y] = places.map(|at| b.load(input, at));
            let sum = b.op(Op::Add, &[x, y]);
            let most = b.reduce(Reduction::Max, &[sum], &[0, 1]);
            b.store(most, affine(&[], 0), 1);
            let extents: Vec<usize> =
                normalise(&b.kernel).kernel.axes.iter().map(|a| a.extent).collect();
            assert_eq!(extents, [40, 50]);
        }
    }
}
