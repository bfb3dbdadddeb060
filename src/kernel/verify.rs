//! The invariants of a kernel, checked in builds with debug assertions after planning.

use super::{AxisKind, AxisSet, Index, Inst, Kernel, Val};
use crate::dtype::DType;
use crate::function::ScanBy;

/// Says what is wrong with a kernel, if anything is.
pub(crate) fn verify(kernel: &Kernel) -> Result<(), String> {
    for (k, axis) in kernel.axes.iter().enumerate() {
        if axis.extent < 2 {
            return Err(format!("axis i{k} has {} positions", axis.extent));
        }
    }
    for k in 0..kernel.values.len() {
        verify_value(kernel, k).map_err(|why| format!("v{k}: {why}"))?;
    }
    super::scans::verify(kernel)?;
    let parallel = kernel.axes_of(AxisKind::Parallel);
    for store in &kernel.stores {
        let output = &kernel.outputs[store.output as usize];
        if kernel.value(store.value).dtype != output.dtype {
            return Err(format!("out{}: the value has another type", store.output));
        }
        if !parallel.is_subset(kernel.index_axes(&store.index)) {
            return Err(format!("out{}: written at every position of an axis", store.output));
        }
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
    let dtype = |v: Val| kernel.value(v).dtype;
    match &value.inst {
        Inst::Op(op, args) => {
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
        }
        Inst::Fold { fold, args, .. }
            if value.dtype != fold.types()[0]
                || !args.iter().map(|&arg| dtype(arg)).eq(fold.types().iter().copied()) =>
        {
            return Err(format!("{} folds other types", fold.function.name));
        }
        Inst::Scan { by: ScanBy::User(fold), args, .. }
            if value.dtype != fold.types()[0]
                || !args.iter().map(|&arg| dtype(arg)).eq(fold.types().iter().copied()) =>
        {
            return Err(format!("{} scans other types", fold.function.name));
        }
        Inst::Scan { by: ScanBy::Table(op), args, .. }
            if args.len() != 1 || dtype(args[0]) != value.dtype =>
        {
            return Err(format!("{} scans another type", op.name()));
        }
        Inst::Component { of, output } => {
            let types = kernel.value(*of).inst.fold().map_or(&[][..], |fold| fold.types());
            if types.get(*output as usize) != Some(&value.dtype) {
                return Err(format!("component {output} of {of} is not there"));
            }
        }
        Inst::Call { function, args, output } => {
            if function.results.get(*output as usize) != Some(&value.dtype) {
                return Err(format!("result {output} of {} is another type", function.name));
            }
            if !args.iter().map(|&arg| dtype(arg)).eq(function.args.iter().copied()) {
                return Err(format!("{} takes other arguments", function.name));
            }
        }
        Inst::Draw { law, seed, .. } => {
            if seed.iter().any(|&v| dtype(v) != DType::U64) {
                return Err(format!("{} numbers of a seed that is not u64", law.name()));
            }
        }
        Inst::Load { input, index, mask } => {
            let input = &kernel.inputs[*input as usize];
            if input.dtype != value.dtype {
                return Err(format!("an input of {} loaded as {}", input.dtype, value.dtype));
            }
            if let (None, Some((low, high))) = (mask, index.range(&kernel.axes))
                && (low < 0 || high >= input.len as i64)
            {
                return Err(format!("reads from {low} to {high} of {}", input.len));
            }
        }
        _ => {}
    }
    Ok(())
}
