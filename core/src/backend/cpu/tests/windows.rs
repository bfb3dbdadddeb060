//! Serial loops whose values are computed before the turns: windows that slide along the lanes.

use super::{Rng, check};
use crate::dtype::DType;
use crate::function::tests::two_results;
use crate::kernel::AxisKind::{Parallel, Reduce, Serial};
use crate::kernel::builder::{Builder, affine, by_value};
use crate::kernel::{Atom, Index, Inst, Val};
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// `factor · (lane + turn · slide) + offset` around a ring of `n`, behind `rows` rings.
fn around(b: &mut Builder, n: usize, slide: i64, offset: i64) -> Index {
    let index = affine(&[(1, 1), (2, slide)], offset);
    let at = b.index(Inst::IndexMod { index, by: n as i64 });
    let mut place = by_value(at);
    place.add_term(Atom::Axis(0), n as i64);
    place
}

/// Every type, ring and window, in both directions, in long and short rows and past what is
/// computed ahead at a time.
#[test]
fn sums_along_windows_of_rings() {
    let mut rng = Rng(70);
    for dtype in [DType::F64, DType::F32, DType::F16, DType::I32, DType::U8, DType::C64] {
        for (rows, n, m) in [(1, 1, 9), (3, 7, 9), (2, 100, 25), (1, 1100, 33), (1, 300, 280)] {
            for slide in [1, -1] {
                let mut b = Builder::new(&[(Parallel, rows), (Parallel, n), (Serial, m)]);
                let (z, a) = (b.input(dtype, rows * n), b.input(dtype, 3 * m));
                // Never negative, and often more than one turn of the ring.
                let offset = ((m / n + 1) * n + 5) as i64;
                let place = around(&mut b, n, slide, offset);
                let z = b.load(z, place);
                let a = b.load(a, affine(&[(2, 3)], 1));
                let wide = dtype.compute();
                let (z, a) = (b.cast(z, wide), b.cast(a, wide));
                let element = b.op(Op::Multiply, &[a, z]);
                let sum = b.reduce(Reduction::Sum, &[element], &[2]);
                let sum = b.cast(sum, dtype);
                b.store(sum, affine(&[(0, n as i64), (1, 1)], 0), rows * n);
                if dtype != DType::F16 || m < 100 {
                    check(&b.kernel, &mut rng);
                }
            }
        }
    }
}

/// Other operations and reductions than a sum of products; a product of windows that slide the
/// same way, or in opposite directions; numbers of the turn that are used as numbers.
#[test]
fn other_folds_along_windows() {
    let mut rng = Rng(71);
    for (op, reduction) in [
        (Op::Subtract, Reduction::Sum),
        (Op::Multiply, Reduction::Max),
        (Op::Multiply, Reduction::Sum),
        (Op::Add, Reduction::Prod),
    ] {
        for slides in [[1, 1], [1, -1], [-1, -1]] {
            for with_turn in [false, true] {
                let (rows, n, m) = (3, 300, 12);
                let mut b = Builder::new(&[(Parallel, rows), (Parallel, n), (Serial, m)]);
                let (x, y) = (b.input(DType::F64, rows * n), b.input(DType::F64, rows * n));
                let [x, y] = [(x, slides[0], 20), (y, slides[1], 290)].map(|(z, slide, offset)| {
                    let place = around(&mut b, n, slide, offset);
                    b.load(z, place)
                });
                let mut element = b.op(op, &[x, y]);
                if with_turn {
                    let turn = b.index(Inst::Index(affine(&[(2, 1)], 1)));
                    let turn = b.cast(turn, DType::F64);
                    element = b.op(Op::Divide, &[element, turn]);
                }
                let sum = b.reduce(reduction, &[element], &[2]);
                // The lane by itself, and the row, are no part of a window.
                let lane = b.index(Inst::Index(affine(&[(1, 1), (0, 2)], 0)));
                let lane = b.cast(lane, DType::F64);
                let sum = b.op(Op::Add, &[sum, lane]);
                b.store(sum, affine(&[(0, n as i64), (1, 1)], 0), rows * n);
                check(&b.kernel, &mut rng);
            }
        }
    }
}

/// A window that ends at a border: loads with masks, places that are held; a loop over two axes; a
/// user's function of what slides; the position of the largest element.
#[test]
fn windows_with_borders_and_searches() {
    let mut rng = Rng(72);
    let (h, w) = (6i64, 200i64);
    let axes = [(Parallel, h as usize), (Parallel, w as usize), (Serial, 3), (Serial, 11)];
    let function = Arc::new(two_results());
    for kind in 0..4 {
        let mut b = Builder::new(&axes);
        let x = b.input(DType::F64, (h * w) as usize);
        let (row, column) = (affine(&[(0, 1), (2, 1)], -1), affine(&[(1, 1), (3, 1)], -5));
        let element: Val = if kind == 0 {
            let [above, left] = [(row, h), (column, w)]
                .map(|(index, high)| b.index(Inst::InRange { index, low: 0, high }));
            let mask = b.op(Op::BitwiseAnd, &[above, left]);
            let place = affine(&[(0, w), (1, 1), (2, w), (3, 1)], -w - 5);
            b.masked(x, place, Some(mask))
        } else {
            let [y, x_at] = [(row, h), (column, w)]
                .map(|(index, high)| b.index(Inst::IndexClamp { index, low: 0, high: high - 1 }));
            let mut place = by_value(x_at);
            place.add_term(Atom::Value(y), w);
            b.load(x, place)
        };
        let element = match kind {
            2 => {
                let weights = b.input(DType::F64, 33);
                let weight = b.load(weights, affine(&[(2, 11), (3, 1)], 0));
                let value = b.call(&function, &[element, element])[0];
                b.op(Op::Multiply, &[weight, value])
            }
            _ => element,
        };
        let result = match kind {
            3 => {
                let place = b.index(Inst::Index(affine(&[(2, 11), (3, 1)], 0)));
                b.reduce(Reduction::ArgMax, &[element, place], &[2, 3])
            }
            _ => b.reduce(Reduction::Sum, &[element], &[2, 3]),
        };
        b.store(result, affine(&[(0, w), (1, 1)], 0), (h * w) as usize);
        check(&b.kernel, &mut rng);
    }
}

/// Windows over resident rows, over loads in a sweep, and where lanes lie across the rows.
#[test]
fn windows_of_resident_rows() {
    let mut rng = Rng(73);
    for (rows, n, m) in [(3, 960, 33), (40, 30, 9), (3, 1, 9), (1, 1500, 40), (300, 40, 17)] {
        let mut b = Builder::new(&[(Parallel, rows), (Reduce, n), (Serial, m), (Serial, m)]);
        let (x, a) = (b.input(DType::F64, rows * n), b.input(DType::F64, m));
        let offset = ((m / n + 1) * n - m / 2) as i64;
        let place = around(&mut b, n, 1, offset);
        let (z, weight) = (b.load(x, place), b.load(a, affine(&[(2, 1)], 0)));
        let element = b.op(Op::Multiply, &[z, weight]);
        let sum = b.reduce(Reduction::Sum, &[element], &[2]);
        let row = b.row(sum);
        let both = [(1, offset), (-1, offset + m as i64)].map(|(slide, offset)| {
            let index = affine(&[(1, 1), (3, slide)], offset);
            let at = b.index(Inst::IndexMod { index, by: n as i64 });
            b.row_load(row, by_value(at), None)
        });
        let weight = b.load(a, affine(&[(3, 1)], 0));
        let one = b.op(Op::Multiply, &[both[0], weight]);
        let two = b.op(Op::Multiply, &[one, both[1]]);
        let (one, two) =
            (b.reduce(Reduction::Sum, &[one], &[3]), b.reduce(Reduction::Sum, &[two], &[3]));
        b.store(one, affine(&[(0, n as i64), (1, 1)], 0), rows * n);
        b.store(two, affine(&[(0, n as i64), (1, 1)], 0), rows * n);
        check(&b.kernel, &mut rng);
        if n >= 960 {
            let text = super::prepare::prepare(&b.kernel, super::Level::best(), usize::MAX).text();
            assert_eq!(text.matches("all turns at once").count(), 3, "{text}");
        }
    }
}

/// What is computed ahead leaves one loop for all turns.
#[test]
fn a_sum_of_products_along_a_window_is_one_loop() {
    let (n, m) = (960, 25);
    let mut b = Builder::new(&[(Parallel, n), (Serial, m)]);
    let (z, a) = (b.input(DType::F64, n), b.input(DType::F64, m));
    let index = affine(&[(0, 1), (1, 1)], n as i64 - 12);
    let at = b.index(Inst::IndexMod { index, by: n as i64 });
    let (z, a) = (b.load(z, by_value(at)), b.load(a, affine(&[(1, 1)], 0)));
    let element = b.op(Op::Multiply, &[z, a]);
    let sum = b.reduce(Reduction::Sum, &[element], &[1]);
    b.store(sum, affine(&[(0, 1)], 0), n);
    let text = super::prepare::prepare(&b.kernel, super::Level::best(), usize::MAX).text();
    let loops = text.split("each row of lanes:\n").nth(1).expect("there is a body");
    let expected = "  ahead, all turns of the launch:\n    v2 = in1[i1]\n  \
                    ahead, tiles that slide by 1:\n    \
                    v0 = index Mod(960) of i0 + i1 + 948\n    v1 = in0[v0]\n  \
                    v4 = fold v1 with v2 over i1, all turns at once:\n  store 0\n";
    assert_eq!(loops, expected, "{text}");
}

/// A short reduction of what slides along the lanes is one loop too, and gives the same.
#[test]
fn reductions_across_lanes_that_slide_are_serial() {
    let mut rng = Rng(74);
    for (rows, n, m) in [(1, 2000, 25), (5, 300, 33), (3, 500, 64), (3, 500, 65)] {
        for reduction in [Reduction::Sum, Reduction::Min] {
            let mut b = Builder::new(&[(Parallel, rows), (Parallel, n), (Reduce, m)]);
            let (x, a) = (b.input(DType::F64, rows * n), b.input(DType::F64, m));
            let place = around(&mut b, n, -1, (n + m) as i64);
            let (z, weight) = (b.load(x, place), b.load(a, affine(&[(2, 1)], 0)));
            let element = b.op(Op::Multiply, &[weight, z]);
            let sum = b.reduce(reduction, &[element], &[2]);
            b.store(sum, affine(&[(0, n as i64), (1, 1)], 0), rows * n);
            let text = super::prepare::prepare(&b.kernel, super::Level::best(), usize::MAX).text();
            assert_eq!(text.contains("tiles that slide by -1"), m <= 64, "{text}");
            check(&b.kernel, &mut rng);
        }
    }
}
