//! Short Serial loops written out, so that what they compute can be hoisted like any value.

use crate::kernel::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val, Value};

/// The longest loop that is written out.
const TURNS: usize = 8;
/// The most values that writing out one loop may make.
const VALUES: usize = 96;

/// A Serial loop: the value that it gives, its axes, and the values inside.
struct Loop {
    at: usize,
    axes: AxisSet,
    inside: Vec<Val>,
    /// Whether there is another loop inside.
    is_nested: bool,
}

/// Writes out the short Serial loops of a kernel, the innermost first. Each round takes time in proportion
/// to the values that it finds and makes, and there are no more rounds than loops inside of each other.
pub fn unroll(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    loop {
        let mut short = loops(&kernel);
        short.retain(|of| is_short(&kernel, of));
        if short.is_empty() {
            return kernel;
        }
        kernel = write_out(&kernel, &short);
    }
}

/// The loops of a kernel, each of which has its axes to itself.
fn loops(kernel: &Kernel) -> Vec<Loop> {
    let serial = kernel.axes_of(AxisKind::Serial);
    let (mut loops, mut of_axis) = (Vec::<Loop>::new(), vec![None; kernel.axes.len()]);
    for (at, value) in kernel.values.iter().enumerate() {
        let Inst::Reduce { op, axes, .. } = &value.inst else { continue };
        if op.is_arg() || !axes.is_subset(serial) {
            continue;
        }
        // What shares an axis with another loop stays a loop, as does the other.
        let others: Vec<usize> = axes.iter().filter_map(|k| of_axis[k]).collect();
        others.iter().for_each(|&other| loops[other].is_nested = true);
        axes.iter().for_each(|k| of_axis[k] = Some(loops.len()));
        loops.push(Loop { at, axes: *axes, inside: Vec::new(), is_nested: !others.is_empty() });
    }
    for (v, value) in (0..).map(Val).zip(&kernel.values) {
        for k in value.axes.intersection(serial).iter() {
            let Some(of) = of_axis[k] else { continue };
            let of = &mut loops[of];
            if of.inside.last() != Some(&v) {
                of.inside.push(v);
                of.is_nested |= value.inst.reduced().is_some();
            }
        }
    }
    loops
}

fn is_short(kernel: &Kernel, of: &Loop) -> bool {
    let turns = kernel.extent(of.axes);
    turns <= TURNS && !of.is_nested && (of.inside.len() + 1) * turns <= VALUES
}

/// Writes out loops that have no others inside.
fn write_out(kernel: &Kernel, loops: &[Loop]) -> Kernel {
    let (mut stands_in_turns, mut loops) =
        (vec![false; kernel.values.len()], loops.iter().peekable());
    loops.clone().flat_map(|of| &of.inside).for_each(|v| stands_in_turns[v.at()] = true);
    let mut new = Kernel {
        axes: kernel.axes.clone(),
        values: Vec::with_capacity(kernel.values.len()),
        stores: kernel.stores.clone(),
        inputs: kernel.inputs.clone(),
        outputs: kernel.outputs.clone(),
        scalars: kernel.scalars.clone(),
    };
    let mut map: Vec<Val> = Vec::with_capacity(kernel.values.len());
    for (k, value) in kernel.values.iter().enumerate() {
        map.push(Val(new.values.len() as u32));
        if let Some(of) = loops.next_if(|of| of.at == k) {
            map[k] = turns_of(kernel, of, &mut map, &mut new);
        } else if !stands_in_turns[k] {
            // Nothing outside of a loop uses what stands inside.
            push(&mut new, copy(value, &map, AxisSet::EMPTY, &[]));
        }
    }
    for store in &mut new.stores {
        store.value = map[store.value.at()];
        store.index = rename(&store.index, &map, AxisSet::EMPTY, &[]);
    }
    new
}

/// Writes the turns of a loop, and gives what they come to.
fn turns_of(kernel: &Kernel, of: &Loop, map: &mut [Val], new: &mut Kernel) -> Val {
    let value = &kernel.values[of.at];
    let Inst::Reduce { op, args, .. } = &value.inst else {
        unreachable!("the caller passes a loop")
    };
    let (dtype, mut sum) = (value.dtype, None);
    for turn in turns(kernel, of.axes) {
        for &v in &of.inside {
            // Arguments come before their users, so that those of an earlier turn are replaced in time.
            map[v.at()] = push(new, copy(kernel.value(v), map, of.axes, &turn));
        }
        let mut element = map[args[0].at()];
        let axes = new.value(element).axes;
        if new.value(element).dtype != dtype {
            element = push(new, Value { inst: Inst::Cast(element), dtype, axes });
        }
        sum = Some(match sum {
            None => element,
            Some(sum) => {
                let inst = Inst::Op(op.combine(), [sum, element].into_iter().collect());
                push(new, Value { inst, dtype, axes: value.axes })
            }
        });
    }
    sum.expect("a loop has a turn")
}

fn push(kernel: &mut Kernel, value: Value) -> Val {
    kernel.values.push(value);
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
