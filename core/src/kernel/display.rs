//! Kernels as text, for `explain`, snapshots and debugging.

use super::{Atom, AxisKind, Index, Inst, Kernel, Val};
use std::fmt;

struct Args<'a>(&'a [Val]);

impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for Args<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, v) in self.0.iter().enumerate() {
            write!(f, "{}{v}", if k == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for &(atom, coefficient) in &self.terms {
            if !first {
                f.write_str(" + ")?;
            }
            first = false;
            match atom {
                Atom::Axis(k) => write!(f, "i{k}")?,
                Atom::Value(v) => write!(f, "{v}")?,
            }
            if coefficient != 1 {
                write!(f, "*{coefficient}")?;
            }
        }
        match (first, self.offset) {
            (true, offset) => write!(f, "{offset}"),
            (false, 0) => Ok(()),
            (false, offset) => write!(f, " + {offset}"),
        }
    }
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let masked = |f: &mut fmt::Formatter<'_>, mask: &Option<Val>| match mask {
            Some(m) => write!(f, " if {m}"),
            None => Ok(()),
        };
        match self {
            Inst::Scalar(slot) => write!(f, "scalar {slot}"),
            Inst::Index(index) => write!(f, "{index}"),
            Inst::Op(op, args) => write!(f, "{}({})", op.name(), Args(args)),
            Inst::Call { function, args, output } => {
                write!(f, "{}({})", function.name, Args(args))?;
                if function.results.len() > 1 { write!(f, ".{output}") } else { Ok(()) }
            }
            Inst::Draw { law, index, seed } => {
                write!(f, "{}({})[{index}]", law.name(), Args(&seed[..3]))
            }
            Inst::Cast(v) => write!(f, "cast({v})"),
            Inst::Load { input, index, mask } => {
                write!(f, "in{input}[{index}]")?;
                masked(f, mask)
            }
            Inst::Reduce { op, args, axes } => {
                write!(f, "{}({}) over", op.name(), Args(args))?;
                axes.iter().try_for_each(|k| write!(f, " i{k}"))
            }
            Inst::Fold { fold, args, axes } => {
                write!(f, "{}({}) over", fold.function.name, Args(args))?;
                axes.iter().try_for_each(|k| write!(f, " i{k}"))
            }
            Inst::Component { of, output } => write!(f, "{of}.{output}"),
            Inst::Scan { by, args, axes, exclusive } => {
                let before = if *exclusive { "before" } else { "scan" };
                write!(f, "{before} {}({}) along", by.name(), Args(args))?;
                axes.iter().try_for_each(|k| write!(f, " i{k}"))
            }
            Inst::Row(v) => write!(f, "row({v})"),
            Inst::RowLoad { row, at, mask } => {
                write!(f, "{row}[{at}]")?;
                masked(f, mask)
            }
            Inst::IndexDiv { index, by } => write!(f, "({index}) / {by}"),
            Inst::IndexMod { index, by } => write!(f, "({index}) % {by}"),
            Inst::IndexClamp { index, low, high } => write!(f, "clamp({index}, {low}, {high})"),
            Inst::IndexAbs(index) => write!(f, "abs({index})"),
            Inst::InRange { index, low, high } => write!(f, "{low} <= {index} < {high}"),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, axis) in self.axes.iter().enumerate() {
            let kind = match axis.kind {
                AxisKind::Parallel => "parallel",
                AxisKind::Reduce => "reduce",
                AxisKind::Serial => "serial",
            };
            writeln!(f, "{kind} i{k} < {}", axis.extent)?;
        }
        for (k, input) in self.inputs.iter().enumerate() {
            writeln!(f, "in{k}: {}[{}]", input.dtype, input.len)?;
        }
        for (k, output) in self.outputs.iter().enumerate() {
            write!(f, "out{k}: {}[{}]", output.dtype, output.len)?;
            match output.alias {
                Some(input) => writeln!(f, " in place of in{input}")?,
                None => writeln!(f)?,
            }
        }
        for (k, value) in self.values.iter().enumerate() {
            writeln!(f, "v{k}: {} = {}", value.dtype, value.inst)?;
        }
        for store in &self.stores {
            writeln!(f, "out{}[{}] = {}", store.output, store.index, store.value)?;
        }
        Ok(())
    }
}
