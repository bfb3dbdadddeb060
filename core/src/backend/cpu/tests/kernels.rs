//! Kernels written by hand, one for each way of running them.

use super::{Rng, bytes_of, check, check_with, run};
use crate::backend::pool;
use crate::dtype::DType;
use crate::function::tests::{affine, larger_half, moments, on_halves, two_results};
use crate::kernel::AxisKind::{Parallel, Reduce, Serial};
use crate::kernel::builder::{Builder, affine as affine_index, by_value};
use crate::kernel::{Inst, Val};
use crate::table::{Op, Reduction};
use lazuli_elements::testing::halves;
use lazuli_inner_loops::level::Level;
use std::sync::Arc;

#[test]
fn elementwise_of_every_type() {
    let mut rng = Rng(2);
    for dtype in DType::ALL {
        for n in [1, 15, 16, 17, 1000, 5000] {
            let mut b = Builder::new(&[(Parallel, n)]);
            let (x, y) = (b.input(dtype, n), b.input(dtype, 1));
            let x = b.load(x, affine_index(&[(0, 1)], 0));
            let y = b.load(y, affine_index(&[], 0));
            let equal = b.op(Op::Equal, &[x, y]);
            let z = match dtype {
                DType::Bool => b.op(Op::BitwiseXor, &[x, y]),
                _ => b.op(Op::MulAdd, &[x, y, x]),
            };
            let s = b.scalar(dtype);
            let z = b.op(Op::Select, &[equal, s, z]);
            b.store(z, affine_index(&[(0, 1)], 0), n);
            b.store(equal, affine_index(&[(0, -1)], n as i64 - 1), n);
            check(&b.kernel, &mut rng);
        }
    }
}

#[test]
fn conversions() {
    let mut rng = Rng(3);
    for from in DType::ALL {
        for to in DType::ALL {
            let mut b = Builder::new(&[(Parallel, 70)]);
            let x = b.input(from, 70);
            let x = b.load(x, affine_index(&[(0, 1)], 0));
            let y = b.cast(x, to);
            b.store(y, affine_index(&[(0, 1)], 0), 70);
            check(&b.kernel, &mut rng);
        }
    }
}

#[test]
fn mul_add_of_halves_rounds_once() {
    for (dtype, format) in [(DType::F16, halves::F16), (DType::BF16, halves::BF16)] {
        let triples = halves::triples(&format);
        let n = triples.len();
        let mut b = Builder::new(&[(Parallel, n)]);
        let args = [0, 1, 2].map(|_| b.input(dtype, n));
        let args = args.map(|x| b.load(x, affine_index(&[(0, 1)], 0)));
        let sum = b.op(Op::MulAdd, &args);
        b.store(sum, affine_index(&[(0, 1)], 0), n);
        let inputs =
            [0, 1, 2].map(|k| bytes_of(&triples.iter().map(|t| t[k]).collect::<Vec<u16>>()));
        for level in Level::available() {
            let found = run(&b.kernel, level, &inputs, &[]);
            for (&[x, y, z], bytes) in triples.iter().zip(found[0].chunks_exact(2)) {
                let (found, wanted) =
                    (u16::from_ne_bytes([bytes[0], bytes[1]]), format.mul_add(x, y, z));
                let same = found == wanted || format.is_nan(found) && format.is_nan(wanted);
                assert!(
                    same,
                    "{level:?} {dtype}: {x:#x} * {y:#x} + {z:#x}: {found:#x}, not {wanted:#x}"
                );
            }
        }
    }
}

#[test]
fn halves_round_after_every_operation() {
    let mut rng = Rng(4);
    for dtype in [DType::F16, DType::BF16] {
        let n = 65536;
        let mut b = Builder::new(&[(Parallel, n)]);
        let x = b.input(dtype, n);
        let x = b.load(x, affine_index(&[(0, 1)], 0));
        let third = b.op(Op::MulAdd, &[x, x, x]);
        let next = b.op(Op::Nextafter, &[x, third]);
        b.store(x, affine_index(&[(0, 1)], 0), n);
        b.store(third, affine_index(&[(0, 1)], 0), n);
        b.store(next, affine_index(&[(0, 1)], 0), n);
        let every: Vec<u16> = (0..=u16::MAX).collect();
        check_with(&b.kernel, &mut rng, &[bytes_of(&every)]);
    }
    // From wider types, ties and subnormal results included.
    let mut b = Builder::new(&[(Parallel, 4096)]);
    let x = b.input(DType::F64, 4096);
    let x = b.load(x, affine_index(&[(0, 1)], 0));
    let (h, bf) = (b.cast(x, DType::F16), b.cast(x, DType::BF16));
    b.store(h, affine_index(&[(0, 1)], 0), 4096);
    b.store(bf, affine_index(&[(0, 1)], 0), 4096);
    let wide: Vec<f64> = (0..4096)
        .map(|k| {
            let base = half::f16::from_bits((k * 8) as u16).to_f64();
            let step = half::f16::from_bits((k * 8 + 1) as u16).to_f64() - base;
            base + step / 2.0 * (1.0 + [0.0, 1e-12, -1e-12][k % 3])
        })
        .collect();
    check_with(&b.kernel, &mut rng, &[bytes_of(&wide)]);
}

#[test]
fn calls_of_a_users_function() {
    let mut rng = Rng(11);
    for (n, m) in [(1, 1), (3, 17), (40, 1000), (700, 5)] {
        let mut b = Builder::new(&[(Parallel, n), (Parallel, m)]);
        let (x, y, z) =
            (b.input(DType::F64, n * m), b.input(DType::F64, m), b.input(DType::F16, n));
        let x = b.load(x, affine_index(&[(0, m as i64), (1, 1)], 0));
        let (y, z) = (b.load(y, affine_index(&[(1, 1)], 0)), b.load(z, affine_index(&[(0, 1)], 0)));
        let whole = affine_index(&[(0, m as i64), (1, 1)], 0);
        let function = Arc::new(two_results());
        let both = b.call(&function, &[x, y]);
        // One result alone, of arguments that vary along fewer axes.
        let less = b.call(&function, &[y, y]);
        let half = b.call(&Arc::new(on_halves()), &[z, z]);
        let half = b.cast(half[0], DType::F64);
        let chosen = b.op(Op::Select, &[both[1], both[0], half]);
        let chosen = b.op(Op::Add, &[chosen, less[0]]);
        b.store(chosen, whole.clone(), n * m);
        b.store(both[0], whole.clone(), n * m);
        b.store(both[1], whole, n * m);
        check(&b.kernel, &mut rng);
    }
}

#[test]
fn reductions_by_users_functions() {
    let mut rng = Rng(12);
    let sizes = [(1, 2), (3, 17), (40, 1000), (700, 5), (5, 5000), (2, 70_001), (300, 33)];
    for (n, m) in sizes {
        for along in [true, false] {
            let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
            let at = |n: usize, m: usize| match along {
                true => affine_index(&[(0, m as i64), (1, 1)], 0),
                false => affine_index(&[(0, 1), (1, n as i64)], 0),
            };
            let x = b.input(DType::I64, n * m);
            let (y, z) = (b.input(DType::F64, n * m), b.input(DType::F16, n * m));
            let (x, y, z) = (b.load(x, at(n, m)), b.load(y, at(n, m)), b.load(z, at(n, m)));
            let one = b.scalar(DType::F64);
            let zero = b.op(Op::Subtract, &[one, one]);
            let maps = b.fold(&Arc::new(affine()), &[x, x], &[1]);
            let count = b.op(Op::Divide, &[one, one]);
            let moments = b.fold(&Arc::new(moments()), &[count, y, zero], &[1]);
            let top = b.fold(&Arc::new(larger_half()), &[z], &[1]);
            let sum = b.reduce(Reduction::Sum, &[y], &[1]);
            for v in maps.into_iter().chain(moments.clone()).chain(top).chain([sum]) {
                b.store(v, affine_index(&[(0, 1)], 0), n);
            }
            // A second sweep that uses what the first has folded.
            let centred = b.op(Op::Subtract, &[y, moments[1]]);
            b.store(centred, affine_index(&[(0, m as i64), (1, 1)], 0), n * m);
            if n * m <= 5000 || (n, m) == (2, 70_001) {
                check(&b.kernel, &mut rng);
            }
        }
    }
}

#[test]
fn users_reductions_in_serial_loops() {
    let mut rng = Rng(13);
    for (n, s, t) in [(1, 2, 3), (100, 5, 30), (33, 40, 2)] {
        let mut b = Builder::new(&[(Parallel, n), (Serial, s), (Serial, t)]);
        let x = b.input(DType::I64, n * s * t);
        let y = b.input(DType::I64, s);
        let x = b.load(x, affine_index(&[(0, (s * t) as i64), (1, t as i64), (2, 1)], 0));
        let y = b.load(y, affine_index(&[(1, 1)], 0));
        let maps = b.fold(&Arc::new(affine()), &[x, y], &[1, 2]);
        let both = b.op(Op::BitwiseXor, &[maps[0], maps[1]]);
        b.store(both, affine_index(&[(0, 1)], 0), n);
        b.store(maps[1], affine_index(&[(0, 1)], 0), n);
        check(&b.kernel, &mut rng);
    }
}

#[test]
fn views() {
    let mut rng = Rng(5);
    for (n, m) in [(5, 7), (40, 130), (3, 2000), (2000, 3), (1, 1)] {
        for dtype in [DType::F64, DType::U8, DType::F16] {
            let mut b = Builder::new(&[(Parallel, n), (Parallel, m)]);
            let (nn, mm) = (n as i64, m as i64);
            let x = b.input(dtype, n * m);
            let plain = b.load(x, affine_index(&[(0, mm), (1, 1)], 0));
            let transposed = b.load(x, affine_index(&[(0, 1), (1, nn)], 0));
            let flipped = b.load(x, affine_index(&[(0, -mm), (1, -1)], nn * mm - 1));
            let row = b.load(x, affine_index(&[(1, 1)], 0));
            let column = b.load(x, affine_index(&[(0, mm)], 0));
            let shift = Inst::IndexMod { index: affine_index(&[(1, 1)], 1), by: mm };
            let shift = b.index(shift);
            let mut rolled = affine_index(&[(0, mm)], 0);
            rolled.add_scaled(&by_value(shift), 1);
            let rolled = b.load(x, rolled);
            let inside =
                b.index(Inst::InRange { index: affine_index(&[(1, 1)], -1), low: 0, high: mm });
            let padded = b.masked(x, affine_index(&[(0, mm), (1, 1)], -1), Some(inside));
            let lines =
                b.index(Inst::InRange { index: affine_index(&[(0, 1)], 0), low: 1, high: nn });
            let both = b.op(Op::BitwiseAnd, &[inside, lines]);
            let corner = b.masked(x, affine_index(&[(0, mm), (1, 1)], -mm - 1), Some(both));
            let mut sum = plain;
            for v in [transposed, flipped, row, column, rolled, padded, corner] {
                sum = b.op(Op::Maximum, &[sum, v]);
                sum = b.op(Op::Add, &[sum, v]);
            }
            b.store(sum, affine_index(&[(0, mm), (1, 1)], 0), n * m);
            b.store(rolled, affine_index(&[(0, 1), (1, nn)], 0), n * m);
            check(&b.kernel, &mut rng);
        }
    }
}

#[test]
fn flat_indices_and_concatenation() {
    let mut rng = Rng(6);
    let n = 3000;
    let mut b = Builder::new(&[(Parallel, n)]);
    let x = b.input(DType::I32, n);
    let div = b.index(Inst::IndexDiv { index: affine_index(&[(0, 1)], 0), by: 7 });
    let rem = b.index(Inst::IndexMod { index: affine_index(&[(0, 1)], 0), by: 7 });
    let mut swapped = by_value(rem);
    swapped.add_scaled(&by_value(div), 2);
    let a = b.load(x, swapped);
    let clamp =
        b.index(Inst::IndexClamp { index: affine_index(&[(0, 1)], -1000), low: 0, high: 500 });
    let c = b.load(x, by_value(clamp));
    let abs = b.index(Inst::IndexAbs(affine_index(&[(0, 1)], -1500)));
    let d = b.load(x, by_value(abs));
    let first = b.index(Inst::InRange { index: affine_index(&[(0, 1)], 0), low: 0, high: 1111 });
    let left = b.masked(x, affine_index(&[(0, 1)], 0), Some(first));
    let other = b.op(Op::LogicalNot, &[first]);
    let right = b.masked(x, affine_index(&[(0, 2)], -2222), Some(other));
    let place = b.index(Inst::Index(affine_index(&[(0, 3)], 5)));
    let place = b.cast(place, DType::I32);
    // The right part reads beyond the end after a while: hold it.
    let _ = right;
    let held =
        b.index(Inst::IndexClamp { index: affine_index(&[(0, 2)], -2222), low: 0, high: 2999 });
    let right = b.masked(x, by_value(held), Some(other));
    let joined = b.op(Op::Select, &[first, left, right]);
    let mut sum = joined;
    for v in [a, c, d, place] {
        sum = b.op(Op::Add, &[sum, v]);
    }
    b.store(sum, affine_index(&[(0, 1)], 0), n);
    b.store(place, affine_index(&[(0, 1)], 0), n);
    // The load that would read outside is not part of the kernel.
    b.kernel.values.iter_mut().for_each(|v| {
        if let Inst::Load { index, .. } = &mut v.inst
            && index.offset == -2222
        {
            *index = affine_index(&[], 0);
        }
    });
    check(&b.kernel, &mut rng);
}

#[test]
fn index_arrays() {
    let mut rng = Rng(7);
    let (n, m) = (300, 40);
    let mut b = Builder::new(&[(Parallel, n), (Parallel, m)]);
    let x = b.input(DType::F32, n * m);
    let at = b.input(DType::I64, n);
    let at = b.load(at, affine_index(&[(0, 1)], 0));
    let zero = b.index(Inst::IndexClamp { index: by_value(at), low: 0, high: n as i64 - 1 });
    let mut index = affine_index(&[(1, 1)], 0);
    index.add_scaled(&by_value(zero), m as i64);
    let y = b.load(x, index);
    b.store(y, affine_index(&[(0, m as i64), (1, 1)], 0), n * m);
    check(&b.kernel, &mut rng);
}

/// Two outputs in place of two inputs: a swap, and values used after the other was written.
#[test]
fn in_place() {
    let mut rng = Rng(8);
    for n in [100, 10_000] {
        let mut b = Builder::new(&[(Parallel, n)]);
        let (x, y) = (b.input(DType::F64, n), b.input(DType::F64, n));
        let (u, v) = (b.load(x, affine_index(&[(0, 1)], 0)), b.load(y, affine_index(&[(0, 1)], 0)));
        b.store_in(v, affine_index(&[(0, 1)], 0), n, Some(x));
        b.store_in(u, affine_index(&[(0, 1)], 0), n, Some(y));
        check(&b.kernel, &mut rng);
        let mut b = Builder::new(&[(Parallel, n)]);
        let (x, y) = (b.input(DType::F64, n), b.input(DType::F64, n));
        let (u, v) = (b.load(x, affine_index(&[(0, 1)], 0)), b.load(y, affine_index(&[(0, 1)], 0)));
        let sum = b.op(Op::Add, &[u, v]);
        let difference = b.op(Op::Subtract, &[u, v]);
        let more = b.op(Op::Multiply, &[difference, u]);
        b.store_in(sum, affine_index(&[(0, 1)], 0), n, Some(x));
        b.store_in(more, affine_index(&[(0, 1)], 0), n, Some(y));
        check(&b.kernel, &mut rng);
    }
}

/// The reductions of every kind over the last, the first and all axes, of every type.
#[test]
fn reductions() {
    let mut rng = Rng(9);
    for &op in Reduction::ALL {
        for dtype in DType::ALL {
            if !op.class().contains(dtype) || (op == Reduction::Prod && dtype.is_float()) {
                continue;
            }
            for (x, r) in [(1, 5000), (7, 300), (300, 7), (1000, 2), (40, 40)] {
                for along in [false, true] {
                    let mut b = Builder::new(&[(Parallel, x), (Reduce, r)]);
                    let input = b.input(dtype, x * r);
                    let strides = if along { (r as i64, 1) } else { (1, x as i64) };
                    let v = b.load(input, affine_index(&[(0, strides.0), (1, strides.1)], 0));
                    let at = b.index(Inst::Index(affine_index(&[(1, 1)], 0)));
                    let args: &[Val] = if op.is_arg() { &[v, at] } else { &[v] };
                    let result = b.reduce(op, args, &[1]);
                    let result = if op.is_arg() { result } else { b.cast(result, dtype) };
                    b.store(result, affine_index(&[(0, 1)], 0), x);
                    check(&b.kernel, &mut rng);
                }
            }
        }
    }
}

fn softmax(n: usize, m: usize, dtype: DType, along: bool) -> Builder {
    let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
    let (s, t) = if along { (m as i64, 1) } else { (1, n as i64) };
    let x = b.input(dtype, n * m);
    let x = b.load(x, affine_index(&[(0, s), (1, t)], 0));
    let max = b.reduce(Reduction::Max, &[x], &[1]);
    let max = b.cast(max, dtype);
    let d = b.op(Op::Subtract, &[x, max]);
    let e = b.op(Op::Exp, &[d]);
    let sum = b.reduce(Reduction::Sum, &[e], &[1]);
    let sum = b.cast(sum, dtype);
    let p = b.op(Op::Divide, &[e, sum]);
    b.store(p, affine_index(&[(0, s), (1, t)], 0), n * m);
    b.store(sum, affine_index(&[(0, 1)], 0), n);
    b
}

#[test]
fn phases() {
    let mut rng = Rng(10);
    for dtype in [DType::F32, DType::F16, DType::F64] {
        for (n, m) in [(3, 700), (300, 5), (70, 40), (1, 3000), (2, 70_000)] {
            if n * m > 10_000 && dtype != DType::F64 {
                continue;
            }
            for along in [true, false] {
                check(&softmax(n, m, dtype, along).kernel, &mut rng);
            }
        }
    }
}

#[test]
fn rows() {
    let mut rng = Rng(11);
    for (n, m) in [(4, 50), (40, 960), (1, 17), (500, 6)] {
        for along in [true, false] {
            let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
            let (s, t) = if along { (m as i64, 1) } else { (1, n as i64) };
            let x = b.input(DType::F64, n * m);
            let mut y = b.load(x, affine_index(&[(0, s), (1, t)], 0));
            for shift in [1, 3] {
                let row = b.row(y);
                let index = affine_index(&[(1, 1)], shift);
                let rolled = b.index(Inst::IndexMod { index, by: m as i64 });
                let next = b.row_load(row, by_value(rolled), None);
                let inside = b.index(Inst::InRange {
                    index: affine_index(&[(1, 1)], -2),
                    low: 0,
                    high: m as i64,
                });
                let before = b.row_load(row, affine_index(&[(1, 1)], -2), Some(inside));
                let flipped = b.row_load(row, affine_index(&[(1, -1)], m as i64 - 1), None);
                let first = b.row_load(row, affine_index(&[], 0), None);
                let product = b.op(Op::Multiply, &[next, before]);
                let sum = b.op(Op::Add, &[product, flipped]);
                y = b.op(Op::MulAdd, &[first, y, sum]);
            }
            let top = b.reduce(Reduction::Max, &[y], &[1]);
            b.store(y, affine_index(&[(0, s), (1, t)], 0), n * m);
            b.store(top, affine_index(&[(0, 1)], 0), n);
            check(&b.kernel, &mut rng);
        }
    }
}

/// `min over j of Σ over d of (x_id - x_jd)²`, with a short loop and a long one.
#[test]
fn serial_loops() {
    let mut rng = Rng(12);
    for (n, depth) in [(50, 3), (20, 40), (130, 1)] {
        let mut b = Builder::new(&[(Parallel, n), (Reduce, n), (Serial, depth)]);
        let d = depth as i64;
        let x = b.input(DType::F32, n * depth);
        let (p, q) = (
            b.load(x, affine_index(&[(0, d), (2, 1)], 0)),
            b.load(x, affine_index(&[(1, d), (2, 1)], 0)),
        );
        let difference = b.op(Op::Subtract, &[p, q]);
        let square = b.op(Op::Square, &[difference]);
        let distance = b.reduce(Reduction::Sum, &[square], &[2]);
        let min = b.reduce(Reduction::Min, &[distance], &[1]);
        let at = b.index(Inst::Index(affine_index(&[(1, 1)], 0)));
        let place = b.reduce(Reduction::ArgMax, &[distance, at], &[1]);
        b.store(min, affine_index(&[(0, 1)], 0), n);
        b.store(place, affine_index(&[(0, 1)], 0), n);
        check(&b.kernel, &mut rng);
    }
}

/// Loops in loops, without a reduction over R, and a search inside.
#[test]
fn nested_serial_loops() {
    let mut rng = Rng(13);
    for (a, c) in [(2, 3), (12, 3), (3, 20), (15, 17)] {
        let n = 40;
        let mut b = Builder::new(&[(Parallel, n), (Serial, a), (Serial, c)]);
        let x = b.input(DType::F64, n + a * c);
        let v = b.load(x, affine_index(&[(0, 1), (1, 1), (2, a as i64)], 0));
        let s = b.op(Op::Sin, &[v]);
        let inner = b.reduce(Reduction::Sum, &[s], &[2]);
        let w = b.load(x, affine_index(&[(1, 1)], 0));
        let term = b.op(Op::Multiply, &[inner, w]);
        let at = b.index(Inst::Index(affine_index(&[(1, 1)], 0)));
        let sum = b.reduce(Reduction::Sum, &[term], &[1]);
        b.store(sum, affine_index(&[(0, 1)], 0), n);
        let mut only = Builder::new(&[(Parallel, n), (Serial, a)]);
        let x = only.input(DType::F64, n + a);
        let v = only.load(x, affine_index(&[(0, 1), (1, 1)], 0));
        let at2 = only.index(Inst::Index(affine_index(&[(1, 1)], 0)));
        let best = only.reduce(Reduction::ArgMin, &[v, at2], &[1]);
        only.store(best, affine_index(&[(0, 1)], 0), n);
        let _ = at;
        check(&b.kernel, &mut rng);
        check(&only.kernel, &mut rng);
    }
}

/// Values that depend on rows or on columns only, and a sum over a table of them.
#[test]
fn hoisting() {
    let mut rng = Rng(14);
    for (n, m) in [(70, 300), (3, 5000), (1000, 20)] {
        for reduce in [false, true] {
            let kind = if reduce { Reduce } else { Parallel };
            let mut b = Builder::new(&[(Parallel, n), (kind, m)]);
            let (x, y) = (b.input(DType::F64, n), b.input(DType::F64, m));
            let (x, y) =
                (b.load(x, affine_index(&[(0, 1)], 0)), b.load(y, affine_index(&[(1, 1)], 0)));
            let (s, c) = (b.op(Op::Sin, &[x]), b.op(Op::Cos, &[y]));
            let k = b.scalar(DType::F64);
            let k = b.op(Op::Exp, &[k]);
            let s = b.op(Op::Multiply, &[s, k]);
            let product = b.op(Op::Multiply, &[s, c]);
            let both = b.op(Op::Hypot, &[product, y]);
            if reduce {
                let sum = b.reduce(Reduction::Sum, &[both], &[1]);
                let ratio = b.op(Op::Divide, &[sum, s]);
                b.store(ratio, affine_index(&[(0, 1)], 0), n);
            } else {
                b.store(both, affine_index(&[(0, m as i64), (1, 1)], 0), n * m);
            }
            check(&b.kernel, &mut rng);
        }
    }
}

/// A sum has the same bits whoever computes its chunks, and the error of a pairwise sum.
#[test]
fn sums_are_deterministic_and_precise() {
    let n = 3_000_000;
    let mut b = Builder::new(&[(Reduce, n)]);
    let x = b.input(DType::F32, n);
    let x = b.load(x, affine_index(&[(0, 1)], 0));
    let sum = b.reduce(Reduction::Sum, &[x], &[0]);
    b.store(sum, affine_index(&[], 0), 1);
    let data: Vec<f32> = (0..n).map(|k| ((k * 7919) % 1009) as f32 / 1009.0).collect();
    let exact: f64 = data.iter().map(|&v| v as f64).sum();
    let bytes = [bytes_of(&data)];
    let level = super::Level::best();
    let alone = pool::with_threads(1, || super::run(&b.kernel, level, &bytes, &[]));
    let shared = pool::with_threads(3, || super::run(&b.kernel, level, &bytes, &[]));
    assert_eq!(alone, shared);
    let value = f32::from_ne_bytes(alone[0][..4].try_into().expect("four bytes")) as f64;
    assert!((value - exact).abs() < 2e-7 * exact, "{value} {exact}");
}

/// Sums of equal numbers, whose rounding errors all have one sign, along and across the lanes.
#[test]
fn long_sums_of_equal_numbers() {
    for (x, r, along) in [(1, 4_000_000, true), (10, 300_000, true), (10, 300_000, false)] {
        let mut b = Builder::new(&[(Parallel, x), (Reduce, r)]);
        let input = b.input(DType::F32, x * r);
        let (s, t) = if along { (r as i64, 1) } else { (1, x as i64) };
        let v = b.load(input, affine_index(&[(0, s), (1, t)], 0));
        let sum = b.reduce(Reduction::Sum, &[v], &[1]);
        b.store(sum, affine_index(&[(0, 1)], 0), x);
        let inputs = [bytes_of(&vec![0.1f32; x * r])];
        let found = super::run(&b.kernel, super::Level::best(), &inputs, &[]);
        let exact = r as f64 * f64::from(0.1f32);
        for value in found[0].chunks(4) {
            let value = f32::from_ne_bytes(value.try_into().expect("four bytes")) as f64;
            assert!((value - exact).abs() < 2e-6 * exact, "{x} {r} {along}: {value} {exact}");
        }
    }
}

#[test]
fn scans_along_and_across_the_lanes() {
    let mut rng = Rng(41);
    let shapes = [(1, 5), (1, 70_001), (3, 20_000), (40, 33), (500, 7), (33, 600), (300, 900)];
    for (k, (n, m)) in shapes.into_iter().enumerate() {
        for (along, exclusive) in [(true, k % 2 == 0), (false, k % 2 == 1)] {
            let dtype = [DType::F64, DType::I64, DType::I32][k % 3];
            let op = [Reduction::Sum, Reduction::Min, Reduction::Max][k % 3];
            let mut b = Builder::new(&[(Parallel, n), (Reduce, m)]);
            if n == 1 {
                b = Builder::new(&[(Reduce, m)]);
            }
            let (row, column) = (0, b.kernel.axes.len() - 1);
            let at = match (n, along) {
                (1, _) => crate::kernel::builder::affine(&[(column, 1)], 0),
                (_, true) => crate::kernel::builder::affine(&[(row, m as i64), (column, 1)], 0),
                (_, false) => crate::kernel::builder::affine(&[(row, 1), (column, n as i64)], 0),
            };
            let x = b.input(dtype, n * m);
            let x = b.load(x, at.clone());
            let y = b.op(Op::Square, &[x]);
            let scanned = b.scan(op, y, exclusive);
            let constant = b.scalar(dtype);
            let counted = b.scan(Reduction::Max, constant, false);
            let z = b.op(Op::Subtract, &[scanned, x]);
            b.store(z, at.clone(), n * m);
            b.store(scanned, at.clone(), n * m);
            b.store(counted, at, n * m);
            check(&b.kernel, &mut rng);
        }
    }
}

#[test]
fn scans_by_users_functions() {
    let mut rng = Rng(43);
    let shapes =
        [(1, 2), (1, 70_001), (3, 9_000), (40, 33), (500, 7), (700, 3), (33, 600), (300, 200)];
    for (k, (n, m)) in shapes.into_iter().enumerate() {
        for (along, exclusive) in [(true, k % 2 == 0), (false, k % 2 == 1), (true, k % 2 == 1)] {
            let rows = if n == 1 { vec![] } else { vec![(Parallel, n)] };
            let mut b = Builder::new(&[rows, vec![(Reduce, m)]].concat());
            let (row, column) = (0, b.kernel.axes.len() - 1);
            let at = match (n, along) {
                (1, _) => affine_index(&[(column, 1)], 0),
                (_, true) => affine_index(&[(row, m as i64), (column, 1)], 0),
                (_, false) => affine_index(&[(row, 1), (column, n as i64)], 0),
            };
            let (x, y) = (b.input(DType::I64, n * m), b.input(DType::F64, n * m));
            let (z, line) = (b.input(DType::F16, n * m), b.input(DType::I64, m));
            let (x, y, z) = (b.load(x, at.clone()), b.load(y, at.clone()), b.load(z, at.clone()));
            let line = b.load(line, affine_index(&[(column, 1)], 0));
            let one = b.scalar(DType::F64);
            let zero = b.op(Op::Subtract, &[one, one]);
            let count = b.op(Op::Divide, &[one, one]);
            let maps = b.user_scan(&Arc::new(affine()), &[x, line], exclusive);
            let moments = b.user_scan(&Arc::new(moments()), &[count, y, zero], false);
            let top = b.user_scan(&Arc::new(larger_half()), &[z], exclusive);
            let sum = b.scan(Reduction::Sum, x, exclusive);
            let after = b.op(Op::BitwiseXor, &[maps[1], sum]);
            let centred = b.op(Op::Subtract, &[y, moments[1]]);
            for v in [maps[0], after, moments[2], centred, top[0]] {
                b.store(v, at.clone(), n * m);
            }
            check(&b.kernel, &mut rng);
        }
    }
}
