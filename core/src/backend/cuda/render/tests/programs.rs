//! Random kernels against the interpreter: axes, strides, masks, sweeps and rows as they come.

use super::{LARGE, Noise, SMALL, check_on, fixtures::case};
use crate::dtype::DType;
use crate::function::tests::two_results;
use crate::kernel::AxisKind::{self, Parallel, Reduce, Serial};
use crate::kernel::builder::{Builder, affine, by_value};
use crate::kernel::{Inst, Kernel, Val};
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// How many kernels are tried; each is compiled by the emulator's compiler.
const PROGRAMS: u64 = 24;

struct Maker {
    noise: Noise,
    b: Builder,
    axes: Vec<(AxisKind, usize)>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let mut noise = Noise(seed * 7919 + 3);
        let sizes = [1, 2, 3, 5, 8, 12, 16, 33, 64, 100];
        let mut axes = Vec::new();
        let mut total = 1;
        let parallel = noise.below(4);
        let reduce = if parallel == 0 { 1 } else { noise.below(3) };
        for k in 0..parallel + reduce {
            let mut extent = sizes[noise.below(sizes.len())];
            while extent * total > 20_000 {
                extent /= 2;
            }
            let extent = extent.max(1);
            total *= extent;
            axes.push((if k < parallel { Parallel } else { Reduce }, extent));
        }
        if noise.below(4) == 0 && total < 4000 {
            axes.push((Serial, [2, 3, 20][noise.below(3)]));
        }
        Maker { noise, b: Builder::new(&axes), axes }
    }

    fn of(&self, kind: AxisKind) -> Vec<usize> {
        (0..self.axes.len()).filter(|&k| self.axes[k].0 == kind).collect()
    }

    /// A load over some of the axes, in any order and direction.
    fn load(&mut self, dtype: DType, mut over: Vec<usize>, drop: bool) -> Val {
        if drop {
            over.retain(|_| self.noise.below(5) > 0);
        }
        if self.noise.below(3) == 0 && over.len() > 1 {
            let (i, j) = (self.noise.below(over.len()), self.noise.below(over.len()));
            over.swap(i, j);
        }
        let (mut stride, mut offset, mut terms) = (1, 0, Vec::new());
        for &k in over.iter().rev() {
            let extent = self.axes[k].1 as i64;
            if self.noise.below(8) == 0 {
                terms.push((k, -stride));
                offset += stride * (extent - 1);
            } else {
                terms.push((k, stride));
            }
            stride *= extent;
        }
        let shift = if self.noise.below(4) == 0 { self.noise.below(9) as i64 } else { 0 };
        let input = self.b.input(dtype, (stride + shift) as usize);
        let mask = (self.noise.below(5) == 0 && !over.is_empty()).then(|| {
            let k = over[self.noise.below(over.len())];
            let high = self.axes[k].1 as i64 - 1;
            self.b.index(Inst::InRange { index: affine(&[(k, 1)], 0), low: 1, high })
        });
        self.b.masked(input, affine(&terms, offset + shift), mask)
    }

    fn mixed(&mut self, a: Val, b: Val) -> Val {
        if self.b.dtype(a) == DType::F64 && self.noise.below(4) == 0 {
            let results = self.b.call(&Arc::new(two_results()), &[a, b]);
            let arg = [results[1], results[0], b];
            return self.b.op(Op::Select, &arg);
        }
        let ops = [Op::Add, Op::Subtract, Op::Multiply, Op::Minimum, Op::Maximum];
        self.b.op(ops[self.noise.below(ops.len())], &[a, b])
    }

    fn changed(&mut self, v: Val) -> Val {
        let ops = [Op::Sin, Op::Cos, Op::Abs, Op::Square, Op::Negative];
        self.b.op(ops[self.noise.below(ops.len())], &[v])
    }

    /// An expression over some axes, of reals.
    fn expression(&mut self, dtype: DType, over: &[usize], with: &[Val]) -> Val {
        let mut v = self.load(dtype, over.to_vec(), false);
        for _ in 0..self.noise.below(3) {
            let w = self.load(dtype, over.to_vec(), true);
            let w = if self.noise.below(2) == 0 { self.changed(w) } else { w };
            v = self.mixed(v, w);
        }
        for &w in with {
            v = self.mixed(v, w);
        }
        if self.noise.below(3) == 0 {
            let k = over[self.noise.below(over.len())];
            let at = self.b.index(Inst::Index(affine(&[(k, 2)], 1)));
            let at = self.b.cast(at, dtype);
            v = self.b.op(Op::Add, &[v, at]);
        }
        v
    }

    fn store(&mut self, v: Val, over: &[usize]) {
        let (mut stride, mut terms) = (1, Vec::new());
        for &k in over.iter().rev() {
            terms.push((k, stride));
            stride *= self.axes[k].1 as i64;
        }
        self.b.store(v, affine(&terms, 0), stride as usize);
    }

    /// The value elsewhere on R, through a row.
    fn rolled(&mut self, v: Val) -> Val {
        let row = self.b.row(v);
        let reduce = self.of(Reduce);
        let (mut stride, mut terms) = (1, Vec::new());
        for &k in reduce.iter().rev() {
            terms.push((k, stride));
            stride *= self.axes[k].1 as i64;
        }
        let by = self.noise.below(stride as usize) as i64;
        let at = self.b.index(Inst::IndexMod { index: affine(&terms, by), by: stride });
        self.b.row_load(row, by_value(at), None)
    }

    fn serial(&mut self, v: Val) -> Val {
        let serial = self.of(Serial);
        self.b.reduce(Reduction::Sum, &[v], &serial)
    }

    fn make(mut self) -> Kernel {
        let dtype = [DType::F32, DType::F64][self.noise.below(2)];
        let (x, r) = (self.of(Parallel), self.of(Reduce));
        let all: Vec<usize> = (0..self.axes.len()).collect();
        let xr: Vec<usize> = x.iter().chain(&r).copied().collect();
        let mut v = self.expression(dtype, &all, &[]);
        if !self.of(Serial).is_empty() {
            v = self.serial(v);
        }
        let mut stored = false;
        for _ in 0..if r.is_empty() { 0 } else { 1 + self.noise.below(3) } {
            if self.noise.below(3) == 0 {
                v = self.rolled(v);
                continue;
            }
            let op = [Reduction::Sum, Reduction::Max, Reduction::Min][self.noise.below(3)];
            let folded = self.b.reduce(op, &[v], &r);
            if self.noise.below(3) == 0 {
                self.store(folded, &x);
                stored = true;
            }
            v = self.mixed(v, folded);
        }
        if !r.is_empty() && (self.noise.below(2) == 0 || stored) {
            v = self.b.reduce(Reduction::Max, &[v], &r);
            self.store(v, &x);
        } else {
            self.store(v, &xr);
        }
        self.b.kernel
    }
}

#[test]
fn random_kernels_give_what_the_interpreter_gives() {
    let from = std::env::var("LAZULI_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    for seed in from..from + PROGRAMS {
        let kernel = Maker::new(seed).make();
        let target = if seed % 4 == 0 { LARGE } else { SMALL };
        check_on(&format!("program {seed}"), &case(kernel), &target);
    }
}
