//! A small builder with which tests write kernels by hand.

use super::{Atom, Axis, AxisKind, AxisSet, Index, Input, Inst, Kernel, Output, Store, Val, Value};
use crate::dtype::DType;
use crate::function::{Fold, Function, ScanBy};
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// Builds a kernel; types and axes of values follow from their arguments.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    /// The kernel so far.
    pub kernel: Kernel,
}

/// The index `offset + Σ coefficient · axis`.
pub fn affine(terms: &[(usize, i64)], offset: i64) -> Index {
    let mut index = Index::constant(offset);
    for &(axis, coefficient) in terms {
        index.add_term(Atom::Axis(axis as u8), coefficient);
    }
    index
}

/// The index that is one value.
pub fn by_value(v: Val) -> Index {
    Index::atom(Atom::Value(v))
}

impl Builder {
    /// A kernel with these axes.
    pub fn new(axes: &[(AxisKind, usize)]) -> Self {
        let axes = axes.iter().map(|&(kind, extent)| Axis { kind, extent }).collect();
        Builder { kernel: Kernel { axes, ..Kernel::default() } }
    }

    /// Adds an input.
    pub fn input(&mut self, dtype: DType, len: usize) -> u32 {
        self.kernel.inputs.push(Input { dtype, len, moves: false });
        self.kernel.inputs.len() as u32 - 1
    }

    /// A scalar argument.
    pub fn scalar(&mut self, dtype: DType) -> Val {
        self.kernel.scalars.push(dtype);
        let slot = self.kernel.scalars.len() as u32 - 1;
        self.value(Inst::Scalar(slot), dtype, AxisSet::EMPTY)
    }

    /// A value with everything given.
    pub fn value(&mut self, inst: Inst, dtype: DType, axes: AxisSet) -> Val {
        self.kernel.values.push(Value { inst, dtype, axes });
        Val(self.kernel.values.len() as u32 - 1)
    }

    /// A load without a mask.
    pub fn load(&mut self, input: u32, index: Index) -> Val {
        self.masked(input, index, None)
    }

    /// A load.
    pub fn masked(&mut self, input: u32, index: Index, mask: Option<Val>) -> Val {
        let dtype = self.kernel.inputs[input as usize].dtype;
        let axes = self.kernel.index_axes(&index).union(self.axes(mask.as_slice()));
        self.value(Inst::Load { input, index, mask }, dtype, axes)
    }

    /// An operation.
    pub fn op(&mut self, op: Op, args: &[Val]) -> Val {
        let principal = args[usize::from(op == Op::Select)];
        let dtype = op.result(self.dtype(principal));
        let axes = self.axes(args);
        self.value(Inst::Op(op, args.iter().copied().collect()), dtype, axes)
    }

    /// The results of a call.
    pub fn call(&mut self, function: &Arc<Function>, args: &[Val]) -> Vec<Val> {
        let axes = self.axes(args);
        let results = function.results.iter().enumerate();
        let one = |(k, &dtype): (usize, &DType)| {
            let args = args.iter().copied().collect();
            (Inst::Call { function: function.clone(), args, output: k as u8 }, dtype)
        };
        let made: Vec<_> = results.map(one).collect();
        made.into_iter().map(|(inst, dtype)| self.value(inst, dtype, axes)).collect()
    }

    /// A conversion.
    pub fn cast(&mut self, v: Val, dtype: DType) -> Val {
        let axes = self.axes(&[v]);
        self.value(Inst::Cast(v), dtype, axes)
    }

    /// A reduction over axes; for `ArgMin` and `ArgMax` the second argument is the position.
    pub fn reduce(&mut self, op: Reduction, args: &[Val], axes: &[usize]) -> Val {
        let over: AxisSet = axes.iter().copied().collect();
        let dtype = match op.is_arg() {
            true => DType::I64,
            false => op.accumulator(self.dtype(args[0])),
        };
        let axes = self.axes(args).minus(over);
        let inst = Inst::Reduce { op, args: args.iter().copied().collect(), axes: over };
        self.value(inst, dtype, axes)
    }

    /// A user's reduction over axes: all components of the result.
    pub fn fold(&mut self, fold: &Arc<Fold>, args: &[Val], axes: &[usize]) -> Vec<Val> {
        let over: AxisSet = axes.iter().copied().collect();
        let axes = self.axes(args).minus(over);
        let args = args.iter().copied().collect();
        self.components(Inst::Fold { fold: fold.clone(), args, axes: over }, fold, axes)
    }

    /// A value with the other components of its state.
    fn components(&mut self, inst: Inst, fold: &Fold, axes: AxisSet) -> Vec<Val> {
        let first = self.value(inst, fold.types()[0], axes);
        let mut all = vec![first];
        for (k, &dtype) in fold.types().iter().enumerate().skip(1) {
            let inst = Inst::Component { of: first, output: k as u8 };
            all.push(self.value(inst, dtype, axes));
        }
        all
    }

    /// A scan along the Reduce axis.
    pub fn scan(&mut self, op: Reduction, arg: Val, exclusive: bool) -> Val {
        let over = self.kernel.axes_of(AxisKind::Reduce);
        let dtype = op.accumulator(self.dtype(arg));
        let axes = self.kernel.scan_axes();
        let args = [arg].into_iter().collect();
        self.value(Inst::Scan { by: ScanBy::Table(op), args, axes: over, exclusive }, dtype, axes)
    }

    /// A user's scan along the Reduce axis: all components of the states.
    pub fn user_scan(&mut self, fold: &Arc<Fold>, args: &[Val], exclusive: bool) -> Vec<Val> {
        let over = self.kernel.axes_of(AxisKind::Reduce);
        let (by, args) = (ScanBy::User(fold.clone()), args.iter().copied().collect());
        let axes = self.kernel.scan_axes();
        self.components(Inst::Scan { by, args, axes: over, exclusive }, fold, axes)
    }

    /// A row.
    pub fn row(&mut self, v: Val) -> Val {
        let (dtype, axes) = (self.dtype(v), self.axes(&[v]));
        self.value(Inst::Row(v), dtype, axes)
    }

    /// An element of a row elsewhere.
    pub fn row_load(&mut self, row: Val, at: Index, mask: Option<Val>) -> Val {
        let axes = self.axes(&[row]).union(self.kernel.index_axes(&at));
        let axes = axes.union(self.axes(mask.as_slice()));
        let dtype = self.dtype(row);
        self.value(Inst::RowLoad { row, at, mask }, dtype, axes)
    }

    /// An index instruction; its type is `i64`, or `bool` for `InRange`.
    pub fn index(&mut self, inst: Inst) -> Val {
        let axes = self.kernel.index_axes(inst.index().expect("an index instruction has one"));
        let dtype = match inst {
            Inst::InRange { .. } => DType::Bool,
            _ => DType::I64,
        };
        self.value(inst, dtype, axes)
    }

    /// Stores a value in a new output of `len` elements.
    pub fn store(&mut self, value: Val, index: Index, len: usize) -> u32 {
        self.store_in(value, index, len, None)
    }

    /// Stores a value in a new output that may stand in an input's place.
    pub fn store_in(&mut self, value: Val, index: Index, len: usize, alias: Option<u32>) -> u32 {
        let dtype = self.dtype(value);
        let output = self.kernel.outputs.len() as u32;
        self.kernel.outputs.push(Output { dtype, len, moves: false, alias });
        self.kernel.stores.push(Store { output, index, value });
        output
    }

    /// The type of a value.
    pub fn dtype(&self, v: Val) -> DType {
        self.kernel.value(v).dtype
    }

    fn axes(&self, args: &[Val]) -> AxisSet {
        args.iter().fold(AxisSet::EMPTY, |set, &v| set.union(self.kernel.value(v).axes))
    }
}
