//! Collapsing: axes that every index walks together become one, axes of one position go, dead
//! values go, and the values are put in order.

use super::KernelStep;
use crate::kernel::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val};

/// Brings an emitted kernel into the form that backends take: nearly always one kernel.
pub(super) fn collapse(mut step: KernelStep) -> Vec<KernelStep> {
    order_values(&mut step.kernel);
    if let Some(rest) = split(&mut step) {
        return [step, rest].into_iter().flat_map(collapse).collect();
    }
    let kernel = &mut step.kernel;
    shrink_unused_axes(kernel);
    drop_unit_axes(kernel);
    while merge_one(kernel) {}
    renumber_axes(kernel);
    vec![step]
}

/// Where no reduction over R is left, because nothing needs it or because it became a serial one,
/// R is an axis as any other. What is stored over fewer axes is then a kernel of its own.
fn split(step: &mut KernelStep) -> Option<KernelStep> {
    let kernel = &step.kernel;
    let is_swept =
        |k: &usize| kernel.axes[*k].kind == AxisKind::Reduce && kernel.axes[*k].extent > 1;
    let swept: AxisSet = (0..kernel.axes.len()).filter(is_swept).collect();
    let sweeps = kernel.values.iter().any(|v| match v.inst {
        Inst::Row(_) => true,
        ref inst => inst.swept().is_some_and(|over| !over.intersection(swept).is_empty()),
    });
    let over: Vec<AxisSet> =
        kernel.stores.iter().map(|s| kernel.index_axes(&s.index).intersection(swept)).collect();
    if sweeps || over.iter().all(|o| *o == over[0]) {
        return None;
    }
    let mut rest = step.clone();
    retain(step, |k| over[k] == over[0]);
    retain(&mut rest, |k| over[k] != over[0]);
    Some(rest)
}

/// Leaves some of the stores of a kernel, and their outputs.
fn retain(step: &mut KernelStep, keep: impl Fn(usize) -> bool) {
    let kernel = &mut step.kernel;
    let kept: Vec<_> = (0..kernel.stores.len()).filter(|&k| keep(k)).collect();
    let stores: Vec<_> = kept.iter().map(|&k| kernel.stores[k].clone()).collect();
    let outputs = stores.iter().map(|s| kernel.outputs[s.output as usize]).collect();
    step.outputs = stores.iter().map(|s| step.outputs[s.output as usize]).collect();
    kernel.outputs = outputs;
    kernel.stores = stores;
    for (k, store) in kernel.stores.iter_mut().enumerate() {
        store.output = k as u32;
    }
    step.in_place.retain(|placed| step.outputs.contains(&placed.0));
}

/// Every index of a kernel, those of the stores among them.
fn for_each_index(kernel: &mut Kernel, mut f: impl FnMut(&mut Index)) {
    for value in &mut kernel.values {
        if let Some(index) = value.inst.index_mut() {
            f(index);
        }
    }
    kernel.stores.iter_mut().for_each(|store| f(&mut store.index));
}

/// Keeps the values that stores need, each after those that it uses. No recursion: expressions
/// may be deep.
fn order_values(kernel: &mut Kernel) {
    let mut place: Vec<Option<u32>> = vec![None; kernel.values.len()];
    let mut order: Vec<u32> = Vec::new();
    let mut waiting: Vec<(u32, bool)> = Vec::new();
    for store in kernel.stores.iter().rev() {
        waiting.push((store.value.0, false));
        waiting.extend(store.index.values().map(|v| (v.0, false)));
    }
    while let Some((v, ready)) = waiting.pop() {
        if place[v as usize].is_some() {
            continue;
        }
        if ready {
            place[v as usize] = Some(order.len() as u32);
            order.push(v);
            continue;
        }
        waiting.push((v, true));
        let at = waiting.len();
        kernel.values[v as usize].inst.for_each_arg(|a| {
            if place[a.at()].is_none() {
                waiting.push((a.0, false));
            }
        });
        waiting[at..].reverse();
    }
    let to = |v: Val| Val(place[v.at()].expect("a needed value has its place"));
    let mut values: Vec<_> = order.iter().map(|&v| kernel.values[v as usize].clone()).collect();
    for value in &mut values {
        value.inst.rename(to);
    }
    kernel.values = values;
    for store in &mut kernel.stores {
        store.value = to(store.value);
        store.index.rename(to);
    }
    refresh_axes(kernel);
}

/// Computes the axes of every value anew.
fn refresh_axes(kernel: &mut Kernel) {
    let scan = kernel.scan_axes();
    for k in 0..kernel.values.len() {
        let inst = &kernel.values[k].inst;
        let mut axes = inst.index().map_or(AxisSet::EMPTY, Index::axes);
        inst.for_each_arg(|v| axes = axes.union(kernel.values[v.at()].axes));
        if let Some(over) = inst.reduced() {
            axes = axes.minus(over);
        }
        if let Inst::Scan { .. } = inst {
            axes = scan;
        }
        kernel.values[k].axes = axes;
    }
}

/// Leaves one position of the axes that nothing depends on: those of a reduction, say, whose value
/// an assignment has replaced.
fn shrink_unused_axes(kernel: &mut Kernel) {
    let mut used = AxisSet::EMPTY;
    for_each_index(kernel, |index| used = used.union(index.axes()));
    for value in &kernel.values {
        match value.inst {
            // A resident row is as long as its axis, whatever is in it.
            Inst::Row(_) => return,
            ref inst => used = used.union(inst.swept().unwrap_or(AxisSet::EMPTY)),
        }
    }
    for (k, axis) in kernel.axes.iter_mut().enumerate() {
        if !used.has(k) {
            axis.extent = 1;
        }
    }
}

fn drop_unit_axes(kernel: &mut Kernel) {
    for k in 0..kernel.axes.len() {
        if kernel.axes[k].extent == 1 {
            for_each_index(kernel, |index| {
                let stride = index.stride(k);
                index.add_term(Atom::Axis(k as u8), -stride);
            });
        }
    }
}

/// Merges two axes of one kind that every index walks as one, if there are such.
fn merge_one(kernel: &mut Kernel) -> bool {
    let (axes, ordered) = (kernel.axes.clone(), kernel.is_ordered());
    for outer in 0..axes.len() {
        for inner in 0..axes.len() {
            let (a, b) = (axes[outer], axes[inner]);
            let serial = a.kind == AxisKind::Serial;
            if outer == inner || a.kind != b.kind || serial || a.extent == 1 || b.extent == 1 {
                continue;
            }
            // A fold walks R in C order, which only neighbours keep when they become one.
            if ordered && a.kind == AxisKind::Reduce {
                let between = |k: usize| axes[k].kind == AxisKind::Reduce && axes[k].extent > 1;
                if outer > inner || (outer + 1..inner).any(between) {
                    continue;
                }
            }
            let mut together = true;
            for_each_index(kernel, |index| {
                together &= index.stride(outer) == index.stride(inner) * b.extent as i64;
            });
            if together {
                for_each_index(kernel, |index| {
                    let stride = index.stride(outer);
                    index.add_term(Atom::Axis(outer as u8), -stride);
                });
                kernel.axes[inner].extent = a.extent * b.extent;
                kernel.axes[outer].extent = 1;
                return true;
            }
        }
    }
    false
}

/// Drops the axes of one position and sorts the rest: Parallel, Reduce, Serial.
fn renumber_axes(kernel: &mut Kernel) {
    let rank = |kind: AxisKind| match kind {
        AxisKind::Parallel => 0,
        AxisKind::Reduce => 1,
        AxisKind::Serial => 2,
    };
    let reduce = kernel.axes_of(AxisKind::Reduce);
    let has_reduce = kernel.values.iter().any(|v| match &v.inst {
        Inst::Row(_) => true,
        inst => inst.swept().is_some_and(|axes| !axes.intersection(reduce).is_empty()),
    });
    let keep = |k: usize| kernel.axes[k].extent > 1;
    let mut order: Vec<usize> = (0..kernel.axes.len()).filter(|&k| keep(k)).collect();
    // Reductions over axes of one position have become elementwise; nothing is left of R.
    let swept = order.iter().any(|&k| kernel.axes[k].kind == AxisKind::Reduce);
    if swept && !has_reduce {
        for axis in &mut kernel.axes {
            if axis.kind == AxisKind::Reduce {
                axis.kind = AxisKind::Parallel;
            }
        }
    }
    let axes = kernel.axes.clone();
    order.sort_by_key(|&k| rank(axes[k].kind));
    let to = |k: usize| order.iter().position(|&o| o == k);
    for_each_index(kernel, |index| {
        for term in &mut index.terms {
            if let Atom::Axis(k) = term.0 {
                let new = to(k as usize).expect("a dropped axis has no stride");
                term.0 = Atom::Axis(new as u8);
            }
        }
        index.terms.sort_by_key(|t| t.0);
    });
    for value in &mut kernel.values {
        if let Some(over) = value.inst.swept_mut() {
            *over = over.iter().filter_map(to).collect();
        }
    }
    kernel.axes = order.iter().map(|&k| axes[k]).collect();
    refresh_axes(kernel);
}
