//! The invariants of a kernel, checked in builds with debug assertions after planning and after each
//! rewrite by a backend.

use super::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val};
use crate::dtype::DType;
use crate::function::ScanBy;
use crate::table::Law;

/// Says what is wrong with a kernel of the planner's, if anything is.
pub fn verify(kernel: &Kernel) -> Result<(), String> {
    for (k, axis) in kernel.axes.iter().enumerate() {
        if axis.extent < 2 {
            return Err(format!("axis i{k} has {} positions", axis.extent));
        }
    }
    verify_rewritten(kernel)
}

/// Says what is wrong with a kernel that a backend has rewritten, which may have axes of one position.
pub fn verify_rewritten(kernel: &Kernel) -> Result<(), String> {
    for k in 0..kernel.values.len() {
        verify_value(kernel, k).map_err(|why| format!("v{k}: {why}"))?;
    }
    super::scans::verify(kernel)?;
    let parallel = kernel.axes_of(AxisKind::Parallel);
    let parallel: AxisSet = parallel.iter().filter(|&k| kernel.axes[k].extent > 1).collect();
    for store in &kernel.stores {
        let output = &kernel.outputs[store.output as usize];
        if kernel.value(store.value).dtype != output.dtype {
            return Err(format!("out{}: the value has another type", store.output));
        }
        if !parallel.is_subset(kernel.index_axes(&store.index)) {
            return Err(format!("out{}: written at every position of an axis", store.output));
        }
        verify_atoms(kernel, &store.index).map_err(|why| format!("out{}: {why}", store.output))?;
        if let Some((low, high)) = store.index.range(&kernel.axes)
            && (low < 0 || high >= output.len as i64)
        {
            return Err(format!("out{}: written from {low} to {high}", store.output));
        }
    }
    Ok(())
}

fn verify_value(kernel: &Kernel, k: usize) -> Result<(), String> {
    let value = &kernel.values[k];
    let mut early = true;
    value.inst.for_each_arg(|v| early &= v.at() < k);
    if !early {
        return Err("an argument comes later".into());
    }
    verify_axes(kernel, k)?;
    verify_types(kernel, k)?;
    if let Inst::Load { input, index, mask: None } = &value.inst {
        let len = kernel.inputs[*input as usize].len;
        match index.range(&kernel.axes) {
            Some((low, high)) if low < 0 || high >= len as i64 => {
                return Err(format!("reads from {low} to {high} of {len}"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What an index is a sum of besides positions: integers of 64 bits.
fn verify_atoms(kernel: &Kernel, index: &Index) -> Result<(), String> {
    let values = index.terms.iter().filter_map(|&(atom, _)| match atom {
        Atom::Value(v) => Some(kernel.value(v).dtype),
        Atom::Axis(_) => None,
    });
    match values.into_iter().find(|&dtype| dtype != DType::I64) {
        Some(dtype) => Err(format!("an index of {dtype}")),
        None => Ok(()),
    }
}

/// The axes that a value depends on follow from its arguments.
fn verify_axes(kernel: &Kernel, k: usize) -> Result<(), String> {
    let value = &kernel.values[k];
    let mut axes = value.inst.index().map_or(AxisSet::EMPTY, Index::axes);
    value.inst.for_each_arg(|v| axes = axes.union(kernel.value(v).axes));
    if let Some(over) = value.inst.reduced() {
        axes = axes.minus(over);
        let kinds = [AxisKind::Reduce, AxisKind::Serial].map(|kind| kernel.axes_of(kind));
        if !(over == kinds[0] && !over.is_empty() || over.is_subset(kinds[1])) {
            return Err("reduces over neither all Reduce axes nor Serial ones".into());
        }
    }
    if matches!(value.inst, Inst::Scan { .. }) {
        axes = kernel.scan_axes();
    }
    if axes != value.axes {
        return Err(format!("depends on {axes:?} and says {:?}", value.axes));
    }
    Ok(())
}

/// The type of a value follows from its arguments.
fn verify_types(kernel: &Kernel, k: usize) -> Result<(), String> {
    let value = &kernel.values[k];
    if let Some(index) = value.inst.index() {
        verify_atoms(kernel, index)?;
    }
    let dtype = |v: Val| kernel.value(v).dtype;
    let expect = |expected: DType| match value.dtype == expected {
        true => Ok(()),
        false => Err(format!("a value of {expected} that says it is {}", value.dtype)),
    };
    let condition = |mask: &Option<Val>| match mask {
        Some(mask) if dtype(*mask) != DType::Bool => Err(format!("a mask of {}", dtype(*mask))),
        _ => Ok(()),
    };
    match &value.inst {
        Inst::Scalar(slot) => expect(kernel.scalars[*slot as usize]),
        Inst::Op(..) => verify_op(kernel, k),
        Inst::Call { .. } | Inst::Fold { .. } | Inst::Component { .. } => verify_user(kernel, k),
        Inst::Scan { by: ScanBy::User(_), .. } => verify_user(kernel, k),
        Inst::Scan { by: ScanBy::Table(op), args, .. } if args.len() != 1 => {
            Err(format!("{} scans {} values", op.name(), args.len()))
        }
        Inst::Scan { by: ScanBy::Table(_), args, .. } => expect(dtype(args[0])),
        Inst::Reduce { op, args, .. } if op.is_arg() => {
            if args.len() != 2 || dtype(args[1]) != DType::I64 {
                return Err(format!("{} without a position", op.name()));
            }
            expect(DType::I64)
        }
        Inst::Reduce { op, args, .. } => expect(op.accumulator(dtype(args[0]))),
        Inst::Draw { law, seed, .. } => {
            if seed.iter().any(|&v| dtype(v) != DType::U64) {
                return Err(format!("{} numbers of a seed that is not u64", law.name()));
            }
            let float = matches!(value.dtype, DType::F32 | DType::F64);
            let word = *law == Law::Uniform && matches!(value.dtype, DType::U32 | DType::U64);
            if float || word { Ok(()) } else { Err(format!("{} of {}", law.name(), value.dtype)) }
        }
        Inst::Load { input, mask, .. } => {
            condition(mask)?;
            expect(kernel.inputs[*input as usize].dtype)
        }
        Inst::RowLoad { row, mask, .. } => {
            if !matches!(kernel.value(*row).inst, Inst::Row(_)) {
                return Err(format!("reads {row:?}, which is no row"));
            }
            condition(mask)?;
            expect(dtype(*row))
        }
        Inst::Row(v) => expect(dtype(*v)),
        Inst::Cast(_) => Ok(()),
        Inst::InRange { .. } => expect(DType::Bool),
        Inst::Index(_)
        | Inst::IndexDiv { .. }
        | Inst::IndexMod { .. }
        | Inst::IndexClamp { .. }
        | Inst::IndexAbs(_) => expect(DType::I64),
    }
}

/// An operation takes and gives what its row says.
fn verify_op(kernel: &Kernel, k: usize) -> Result<(), String> {
    let value = &kernel.values[k];
    let Inst::Op(op, args) = &value.inst else { return Ok(()) };
    let dtype = |v: Val| kernel.value(v).dtype;
    let select = usize::from(op.argument(0, DType::F64) == DType::Bool);
    let principal = dtype(args[select]);
    if !op.class().contains(principal) {
        return Err(format!("{} does not take {principal}", op.name()));
    }
    if op.result(principal) != value.dtype {
        return Err(format!("{} of {principal} is not {}", op.name(), value.dtype));
    }
    for (at, &arg) in args.iter().enumerate() {
        if dtype(arg) != op.argument(at, principal) {
            return Err(format!("argument {at} of {} is {}", op.name(), dtype(arg)));
        }
    }
    Ok(())
}

/// A user's function takes and gives what it was compiled for.
fn verify_user(kernel: &Kernel, k: usize) -> Result<(), String> {
    let value = &kernel.values[k];
    let dtype = |v: Val| kernel.value(v).dtype;
    match &value.inst {
        Inst::Fold { fold, args, .. } | Inst::Scan { by: ScanBy::User(fold), args, .. }
            if value.dtype != fold.types()[0]
                || !args.iter().map(|&arg| dtype(arg)).eq(fold.types().iter().copied()) =>
        {
            Err(format!("{} takes other types", fold.function.name))
        }
        Inst::Component { of, output } => {
            let types = kernel.value(*of).inst.fold().map_or(&[][..], |fold| fold.types());
            match types.get(*output as usize) {
                Some(found) if *found == value.dtype => Ok(()),
                _ => Err(format!("component {output} of {of} is not there")),
            }
        }
        Inst::Call { function, args, output } => {
            if function.results.get(*output as usize) != Some(&value.dtype) {
                return Err(format!("result {output} of {} is another type", function.name));
            }
            if !args.iter().map(|&arg| dtype(arg)).eq(function.args.iter().copied()) {
                return Err(format!("{} takes other arguments", function.name));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
