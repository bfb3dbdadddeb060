//! Random kernels: loads of every shape, operations, reductions, rows and phases.

use super::{Rng, check};
use crate::dtype::DType;
use crate::function::tests::{affine, larger_half, on_halves, two_results};
use crate::kernel::AxisKind::{Parallel, Reduce};
use crate::kernel::builder::{Builder, by_value};
use crate::kernel::{Atom, AxisKind, Index, Inst, Kernel, Val, reference};
use crate::table::{Op, Reduction};
use std::ops::Range;
use std::sync::Arc;

struct Maker<'r> {
    rng: &'r mut Rng,
    b: Builder,
    dtype: DType,
    values: Vec<Val>,
}

impl Maker<'_> {
    fn axes(&self, kind: AxisKind) -> Vec<usize> {
        self.b.kernel.axes_of(kind).iter().collect()
    }

    fn extent(&self, k: usize) -> i64 {
        self.b.kernel.axes[k].extent as i64
    }

    /// The position on an axis, or something that stays inside its extent.
    fn coordinate(&mut self, k: usize) -> Index {
        let (n, axis) = (self.extent(k), Index::axis(k));
        let mut shifted = axis.clone();
        let inst = match self.rng.below(9) {
            0 => {
                shifted.offset = self.rng.below(n as usize) as i64;
                Inst::IndexMod { index: shifted, by: n }
            }
            1 => {
                shifted.offset = self.rng.below(7) as i64 - 3;
                Inst::IndexClamp { index: shifted, low: 0, high: n - 1 }
            }
            2 => Inst::IndexDiv { index: axis, by: 1 + self.rng.below(4) as i64 },
            3 => {
                shifted.offset = -(self.rng.below(n as usize) as i64);
                Inst::IndexAbs(shifted)
            }
            4 => {
                let mut flipped = Index::constant(n - 1);
                flipped.add_scaled(&axis, -1);
                return flipped;
            }
            _ => return axis,
        };
        by_value(self.b.index(inst))
    }

    /// A load along some of the axes, in any order, masked or not.
    fn load(&mut self) -> Val {
        let mut axes = self.axes(Parallel);
        axes.extend(self.axes(Reduce));
        axes.retain(|_| self.rng.chance(80));
        if self.rng.chance(25) {
            axes.reverse();
        }
        let (mut index, mut stride) = (Index::default(), 1);
        for &k in axes.iter().rev() {
            let at = self.coordinate(k);
            index.add_scaled(&at, stride);
            stride *= self.extent(k);
        }
        if self.rng.chance(20) {
            // Every other element of a larger array.
            let mut wide = Index::default();
            wide.add_scaled(&index, 2);
            (index, stride) = (wide, 2 * stride);
        }
        let mask = match axes.first() {
            Some(&k) if self.rng.chance(25) => {
                let low = self.rng.below(3) as i64;
                let high = self.extent(k) - self.rng.below(3) as i64;
                Some(self.b.index(Inst::InRange { index: Index::axis(k), low, high }))
            }
            _ => None,
        };
        let input = self.b.input(self.dtype, stride as usize);
        self.b.masked(input, index, mask)
    }

    fn pick(&mut self) -> Val {
        let at = self.rng.below(self.values.len());
        self.values[at]
    }

    /// Whether a position is in some range, or something about values, or both.
    fn condition(&mut self, x: Val, y: Val) -> Val {
        let mut axes = self.axes(Parallel);
        axes.extend(self.axes(Reduce));
        let range = |m: &mut Self| {
            let k = axes[m.rng.below(axes.len())];
            let index = m.coordinate(k);
            let low = m.rng.below(4) as i64 - 1;
            let high = m.extent(k) - m.rng.below(3) as i64;
            m.b.index(Inst::InRange { index, low, high })
        };
        let one = match self.rng.chance(70) {
            true => range(self),
            false => self.b.op(Op::NotEqual, &[x, y]),
        };
        match self.rng.below(6) {
            0 => self.b.op(Op::LogicalNot, &[one]),
            1 | 2 => {
                let other = range(self);
                let op = [Op::LogicalAnd, Op::LogicalOr][self.rng.below(2)];
                self.b.op(op, &[one, other])
            }
            _ => one,
        }
    }

    fn op(&mut self) -> Val {
        let (x, y, z) = (self.pick(), self.pick(), self.pick());
        let ops: &[Op] = match self.dtype {
            DType::Bool => &[Op::BitwiseAnd, Op::BitwiseXor, Op::Equal],
            d if d.is_complex() => &[Op::Add, Op::Subtract, Op::Conj],
            d if d.is_float() => {
                &[Op::Add, Op::Subtract, Op::Maximum, Op::Abs, Op::Cos, Op::Negative]
            }
            _ => &[Op::Add, Op::Subtract, Op::Multiply, Op::Maximum, Op::BitwiseXor],
        };
        match self.rng.below(8) {
            0 => {
                let condition = self.condition(x, y);
                self.b.op(Op::Select, &[condition, y, z])
            }
            1 if !self.dtype.is_complex() => {
                let mut axes = self.axes(Parallel);
                axes.extend(self.axes(Reduce));
                let at = self.rng.below(axes.len());
                let index = self.coordinate(axes[at]);
                let number = self.b.index(Inst::Index(index));
                self.b.cast(number, self.dtype)
            }
            2 if self.dtype == DType::F64 => {
                let results = self.b.call(&Arc::new(two_results()), &[x, y]);
                if self.rng.chance(50) { results[0] } else { results[1] }
            }
            2 if self.dtype == DType::F16 => self.b.call(&Arc::new(on_halves()), &[x, y])[0],
            _ => {
                let op = ops[self.rng.below(ops.len())];
                let args = [x, y];
                self.b.op(op, &args[..op.arity()])
            }
        }
    }

    fn reduction(&mut self) -> Val {
        let axes = self.axes(Reduce);
        let v = self.pick();
        let ops: &[Reduction] = match self.dtype {
            DType::Bool => &[Reduction::Any, Reduction::All],
            d if d.is_complex() => &[Reduction::Sum],
            _ => &[Reduction::Sum, Reduction::Max, Reduction::Fmin, Reduction::ArgMax],
        };
        if self.rng.chance(25) {
            return self.fold(v, &axes);
        }
        let op = ops[self.rng.below(ops.len())];
        let result = if op.is_arg() {
            let (mut index, mut stride) = (Index::default(), 1);
            for &k in axes.iter().rev() {
                index.add_scaled(&Index::axis(k), stride);
                stride *= self.extent(k);
            }
            let at = self.b.index(Inst::Index(index));
            self.b.reduce(op, &[v, at], &axes)
        } else {
            self.b.reduce(op, &[v], &axes)
        };
        // Sums of many small numbers stay small, so that tolerances hold.
        let result = self.b.cast(result, self.dtype);
        if self.dtype.is_float() && op == Reduction::Sum {
            let count: i64 = axes.iter().map(|&k| self.extent(k)).product();
            let count = self.b.index(Inst::Index(Index::constant(count)));
            let count = self.b.cast(count, self.dtype);
            return self.b.op(Op::Divide, &[result, count]);
        }
        result
    }

    /// A reduction by a user's function, in order.
    fn fold(&mut self, v: Val, axes: &[usize]) -> Val {
        let results = match self.dtype {
            DType::F16 => self.b.fold(&Arc::new(larger_half()), &[v], axes),
            dtype => {
                let w = self.pick();
                let args = [v, w]
                    .map(|v| if dtype == DType::I64 { v } else { self.b.cast(v, DType::I64) });
                self.b.fold(&Arc::new(affine()), &args, axes)
            }
        };
        let at = self.rng.below(results.len());
        let small = self.b.cast(results[at], DType::I8);
        self.b.cast(small, self.dtype)
    }

    fn row(&mut self) -> Option<Val> {
        let axes = self.axes(Reduce);
        let reduce = self.b.kernel.axes_of(Reduce);
        let v = self.pick();
        if !reduce.is_subset(self.b.kernel.value(v).axes) {
            return None;
        }
        let row = self.b.row(v);
        let (mut index, mut stride) = (Index::default(), 1);
        for &k in axes.iter().rev() {
            let at = self.coordinate(k);
            index.add_scaled(&at, stride);
            stride *= self.extent(k);
        }
        Some(self.b.row_load(row, index, None))
    }

    /// Stores a value along the axes that it varies along, and all Parallel ones.
    fn store(&mut self, v: Val) {
        let parallel = self.b.kernel.axes_of(Parallel);
        let mut axes: Vec<usize> = parallel.union(self.b.kernel.value(v).axes).iter().collect();
        if self.rng.chance(25) {
            axes.reverse();
        }
        let (mut index, mut stride) = (Index::default(), 1);
        for &k in axes.iter().rev() {
            index.add_term(Atom::Axis(k as u8), stride);
            stride *= self.extent(k);
        }
        self.b.store(v, index, stride as usize);
    }
}

fn random_kernel(rng: &mut Rng, dtype: DType) -> Builder {
    let extents = [1, 2, 3, 5, 16, 17, 40, 130];
    let mut axes = Vec::new();
    let (mut size, parallel, reduce) = (1, 1 + rng.below(3), rng.below(3));
    for k in 0..parallel + reduce {
        let extent = extents[rng.below(extents.len())];
        let extent = if size * extent > 6000 { 1 + rng.below(2) } else { extent };
        size *= extent;
        axes.push((if k < parallel { Parallel } else { Reduce }, extent));
    }
    let mut m = Maker { rng, b: Builder::new(&axes), dtype, values: Vec::new() };
    let scalar = m.b.scalar(dtype);
    m.values.push(scalar);
    for _ in 0..1 + m.rng.below(4) {
        let v = m.load();
        m.values.push(v);
    }
    let mut results = Vec::new();
    for _ in 0..2 + m.rng.below(8) {
        let choice = m.rng.below(10);
        let v = match choice {
            0..2 if reduce > 0 => {
                let v = m.reduction();
                results.push(v);
                v
            }
            2 if reduce > 0 => m.row().unwrap_or_else(|| m.op()),
            _ => m.op(),
        };
        let v = if m.b.dtype(v) == dtype { v } else { m.b.cast(v, dtype) };
        m.values.push(v);
    }
    let last = *m.values.last().expect("there are values");
    m.store(last);
    if m.rng.chance(50) {
        let v = m.pick();
        m.store(v);
    }
    if let Some(&v) = results.last() {
        m.store(v);
    }
    m.b
}

#[test]
fn random_kernels_agree_with_the_reference() {
    for seed in 0..150 {
        let mut rng = Rng(seed);
        let dtype = DType::ALL[rng.below(DType::ALL.len())];
        let b = random_kernel(&mut rng, dtype);
        let name = format!("seed {seed}, {dtype}");
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            check(&b.kernel, &mut rng);
        }));
        assert!(checked.is_ok(), "{name}");
    }
}

/// Kernels of parts that cover all positions write what the kernel writes.
#[test]
fn parts_of_random_kernels_do_the_work_of_all() {
    let mut conditions = [0, 0];
    for seed in 0..300 {
        let mut rng = Rng(1000 + seed);
        let dtype = [DType::F64, DType::I32, DType::Bool, DType::C64][rng.below(4)];
        let b = random_kernel(&mut rng, dtype);
        let kernel = &b.kernel;
        if kernel.values.iter().any(|v| matches!(v.inst, Inst::Row(_))) {
            continue;
        }
        let mut parts = vec![vec![]];
        for axis in &kernel.axes {
            let cuts = match axis.kind {
                Parallel => 1 + rng.below(3.min(axis.extent)),
                _ => 1,
            };
            let mut ends: Vec<usize> = (1..cuts).map(|_| rng.below(axis.extent)).collect();
            ends.extend([0, axis.extent]);
            ends.sort_unstable();
            ends.dedup();
            parts = (parts.iter())
                .flat_map(|part| {
                    let longer = |ends: &[usize]| {
                        let mut part: Vec<Range<usize>> = part.clone();
                        part.push(ends[0]..ends[1]);
                        part
                    };
                    ends.windows(2).map(longer).collect::<Vec<_>>()
                })
                .collect();
        }
        let buffers: Vec<Vec<u8>> =
            kernel.inputs.iter().map(|input| rng.buffer(input.dtype, input.len)).collect();
        let inputs: Vec<&[u8]> = buffers.iter().map(|bytes| &bytes[..]).collect();
        let scalars: Vec<_> = kernel.scalars.iter().map(|&dtype| rng.scalar(dtype)).collect();
        let outputs = kernel.outputs.iter().map(|output| vec![0; output.len * output.dtype.size()]);
        let mut whole: Vec<Vec<u8>> = outputs.collect();
        let mut together = whole.clone();
        reference::run(kernel, &inputs, &mut whole, &scalars);
        for part in &parts {
            let part = kernel.part(part);
            let asks = |kernel: &Kernel| {
                kernel.values.iter().filter(|v| matches!(v.inst, Inst::InRange { .. })).count()
            };
            conditions[0] += asks(kernel);
            conditions[1] += asks(&part);
            reference::run(&part, &inputs, &mut together, &scalars);
        }
        assert!(whole == together, "seed {seed}, {dtype}: {parts:?} of\n{kernel}");
    }
    assert!(3 * conditions[1] < 2 * conditions[0], "{conditions:?}");
}
