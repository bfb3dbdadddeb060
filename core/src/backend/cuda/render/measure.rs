//! What rules and writers ask of a kernel: its accesses, the packs that they allow, and the bytes of
//! its accumulators.

use super::items::{draws_packed, packable};
use crate::kernel::{AxisKind, Index, Inst, Kernel, Val};

/// The accesses of a kernel: loads and stores with their type's size and their mask.
pub(super) fn accesses(kernel: &Kernel) -> Vec<(&Index, usize, Option<Val>)> {
    let loads = kernel.values.iter().filter_map(|v| match &v.inst {
        Inst::Load { index, mask, .. } => Some((index, v.dtype.size(), *mask)),
        _ => None,
    });
    let stores = kernel.stores.iter();
    let stores = stores.map(|s| (&s.index, kernel.outputs[s.output as usize].dtype.size(), None));
    loads.chain(stores).collect()
}

/// The elements that one pack along an axis may have: 16 bytes of the widest type, up to 32 of
/// it where others are narrower; 1 where an access along the axis cannot be packed.
pub(super) fn pack(kernel: &Kernel, axis: usize, may_cut: bool) -> usize {
    let all = accesses(kernel);
    let walking: Vec<_> = all.iter().filter(|a| kernel.index_axes(a.0).has(axis)).collect();
    let draws = draw_sizes(kernel, axis);
    let sizes = || walking.iter().map(|a| a.1).chain(draws.iter().copied());
    let (Some(widest), Some(narrowest)) = (sizes().max(), sizes().min()) else { return 1 };
    let mut v = (32 / widest).min(16 / narrowest).clamp(1, 16);
    let affine = |index: &Index| index.stride(axis) != 0;
    let fits = |v: usize| {
        let whole = may_cut || kernel.axes[axis].extent.is_multiple_of(v);
        whole && walking.iter().all(|a| !affine(a.0) || packable(kernel, a.0, a.2, axis, v))
    };
    while v > 1 && !fits(v) {
        v /= 2;
    }
    v
}

/// The sizes of the random numbers along an axis that are best made as packs.
fn draw_sizes(kernel: &Kernel, axis: usize) -> Vec<usize> {
    let values = (0..kernel.values.len()).map(|k| Val(k as u32));
    let packed = values.filter(|&v| draws_packed(kernel, v, axis, 4));
    packed.map(|v| kernel.value(v).dtype.size()).collect()
}

/// The number of positions along R.
pub(super) fn reduced(kernel: &Kernel) -> usize {
    kernel.extent(kernel.axes_of(AxisKind::Reduce))
}

/// The bytes of one accumulator.
pub(super) fn accumulator_size(kernel: &Kernel, v: Val) -> usize {
    match &kernel.value(v).inst {
        Inst::Reduce { op, .. } if op.is_arg() => 16,
        inst => match inst.fold() {
            Some(fold) => {
                // As C++ lays the components out: each aligned to its size, the whole to the
                // largest.
                let sizes = || fold.types().iter().map(|t| t.size());
                let end = sizes().fold(0usize, |at, size| at.next_multiple_of(size) + size);
                end.next_multiple_of(sizes().max().unwrap_or(1))
            }
            None => kernel.value(v).dtype.size(),
        },
    }
}

/// Whether the kernel reads one input at several places around each position.
pub(super) fn is_stencil(kernel: &Kernel) -> bool {
    let axes = kernel.axes_of(AxisKind::Parallel);
    let loads: Vec<_> = kernel
        .values
        .iter()
        .filter_map(|v| match &v.inst {
            Inst::Load { input, index, .. } if axes.is_subset(v.axes) => Some((*input, index)),
            _ => None,
        })
        .collect();
    let like = |a: &(u32, &crate::kernel::Index)| {
        loads.iter().filter(|b| a.0 == b.0 && a.1.terms == b.1.terms).count() >= 3
    };
    loads.iter().any(like)
}
