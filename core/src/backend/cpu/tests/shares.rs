//! When threads share the sweep of a reduction.

use super::{Level, prepare::prepare};
use crate::backend::cpu::nest::Turns;
use crate::dtype::DType;
use crate::kernel::builder::{Builder, affine};
use crate::kernel::{AxisKind, Kernel};
use crate::table::{Op, Reduction};

/// The sum of an operation over a row of so many elements.
fn sum_of(op: Op, len: usize) -> Kernel {
    let mut b = Builder::new(&[(AxisKind::Reduce, len)]);
    let input = b.input(DType::F64, len);
    let x = b.load(input, affine(&[(0, 1)], 0));
    let y = b.op(op, &[x]);
    let sum = b.reduce(Reduction::Sum, &[y], &[0]);
    b.store(sum, affine(&[], 0), 1);
    b.kernel
}

#[test]
fn a_sweep_that_takes_long_is_shared() {
    let shares = |kernel: &Kernel, threads| {
        let pieces = prepare(kernel, Level::best(), usize::MAX);
        let p = &pieces.0[0];
        Turns::new(p).shares_chunks(p, threads)
    };
    // A logarithm of Γ counts as twenty additions.
    let costly = sum_of(Op::Lgamma, 120_000);
    assert!(shares(&costly, 2) && shares(&costly, 16));
    assert!(!shares(&sum_of(Op::Lgamma, 10_000), 2));
    assert!(!shares(&sum_of(Op::Negative, 120_000), 2));
    assert!(shares(&sum_of(Op::Negative, 3_000_000), 16));
}
