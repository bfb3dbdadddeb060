//! Short Serial loops written out, so that what they compute can be hoisted like any value.

use crate::kernel::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val, Value};

/// The longest loop that is written out.
const TURNS: usize = 8;
/// The most values that writing out one loop may make.
const VALUES: usize = 96;

/// Writes out the short Serial loops of a kernel, the innermost first.
pub fn unroll(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    while let Some(at) = (0..kernel.values.len()).find(|&k| is_short(&kernel, k)) {
        kernel = write_out(&kernel, at);
    }
    kernel
}

/// Whether the value is a short loop with no other loop inside.
fn is_short(kernel: &Kernel, k: usize) -> bool {
    let Inst::Reduce { op, axes, .. } = &kernel.values[k].inst else { return false };
    let serial = kernel.axes_of(AxisKind::Serial);
    if op.is_arg() || !axes.is_subset(serial) || kernel.extent(*axes) > TURNS {
        return false;
    }
    let body = || body(kernel, *axes);
    let nested = body().any(|v| kernel.value(v).inst.reduced().is_some());
    !nested && (body().count() + 1) * kernel.extent(*axes) <= VALUES
}

/// The values inside a loop over some axes.
fn body(kernel: &Kernel, axes: AxisSet) -> impl Iterator<Item = Val> + '_ {
    let inside = move |v: &Val| !kernel.value(*v).axes.intersection(axes).is_empty();
    (0..kernel.values.len() as u32).map(Val).filter(inside)
}

/// Writes out the loop that is value `at`.
fn write_out(kernel: &Kernel, at: usize) -> Kernel {
    let Inst::Reduce { op, args, axes } = &kernel.values[at].inst else {
        unreachable!("the caller passes a loop")
    };
    let (op, arg, axes) = (*op, args[0], *axes);
    let inside: Vec<Val> = body(kernel, axes).collect();
    let mut new = Kernel { values: Vec::new(), ..kernel.clone() };
    let mut map: Vec<Val> = Vec::with_capacity(kernel.values.len());
    for (k, value) in kernel.values.iter().enumerate() {
        let place = Val(new.values.len() as u32);
        map.push(place);
        if k == at {
            let dtype = value.dtype;
            let mut sum = None;
            for turn in turns(kernel, axes) {
                let mut here = map.clone();
                for &v in &inside {
                    here[v.at()] = push(&mut new, &copy(kernel.value(v), &here, axes, &turn));
                }
                let mut element = here[arg.at()];
                let its = new.value(element).clone();
                if its.dtype != dtype {
                    element =
                        push(&mut new, &Value { inst: Inst::Cast(element), dtype, axes: its.axes });
                }
                sum = Some(match sum {
                    None => element,
                    Some(sum) => {
                        let inst = Inst::Op(op.combine(), [sum, element].into_iter().collect());
                        push(&mut new, &Value { inst, dtype, axes: value.axes })
                    }
                });
            }
            map[k] = sum.expect("a loop has a turn");
        } else if inside.contains(&Val(k as u32)) {
            // It stands in the turns; nothing outside of the loop uses it.
        } else {
            push(&mut new, &copy(value, &map, AxisSet::EMPTY, &[]));
        }
    }
    for store in &mut new.stores {
        store.value = map[store.value.at()];
        store.index = rename(&store.index, &map, AxisSet::EMPTY, &[]);
    }
    new
}

fn push(kernel: &mut Kernel, value: &Value) -> Val {
    kernel.values.push(value.clone());
    Val(kernel.values.len() as u32 - 1)
}

/// The positions of the axes, turn by turn in C order.
fn turns(kernel: &Kernel, axes: AxisSet) -> impl Iterator<Item = Vec<(usize, i64)>> + '_ {
    (0..kernel.extent(axes)).map(move |mut linear| {
        let mut position: Vec<(usize, i64)> = Vec::new();
        for k in axes.iter().rev() {
            position.push((k, (linear % kernel.axes[k].extent) as i64));
            linear /= kernel.axes[k].extent;
        }
        position
    })
}

/// A value with other arguments, and with some axes at a position.
fn copy(value: &Value, map: &[Val], axes: AxisSet, turn: &[(usize, i64)]) -> Value {
    let mut new = value.clone();
    new.axes = value.axes.minus(axes);
    new.inst.rename_operands(|v| map[v.at()]);
    if let Some(index) = new.inst.index_mut() {
        *index = rename(index, map, axes, turn);
    }
    new
}

fn rename(index: &Index, map: &[Val], axes: AxisSet, turn: &[(usize, i64)]) -> Index {
    let mut new = Index::constant(index.offset);
    for &(atom, coefficient) in &index.terms {
        match atom {
            Atom::Axis(k) if axes.has(k as usize) => {
                let here = turn.iter().find(|t| t.0 == k as usize).expect("every axis has one");
                new.offset += coefficient * here.1;
            }
            Atom::Axis(_) => new.add_term(atom, coefficient),
            Atom::Value(v) => new.add_term(Atom::Value(map[v.at()]), coefficient),
        }
    }
    new
}
