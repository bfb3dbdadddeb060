//! Products of matrices: values, shapes, views read in place, counts of kernels and calls.

use lazuli::prelude::*;
use ndarray::{ArrayD, ArrayView2, Axis, Ix2, IxDyn};
use std::f64::consts::PI;

/// Numbers that look random and are the same everywhere, between -1 and 1.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

fn random(shape: &[usize], seed: u64) -> ArrayD<f64> {
    let data = numbers(shape.iter().product(), seed);
    ArrayD::from_shape_vec(IxDyn(shape), data).expect("the shape fits")
}

/// The matrix at a place of a batch, whose rank may be higher than the array's.
fn matrix_at<'a>(x: &'a ArrayD<f64>, at: &IxDyn, rank: usize) -> ArrayView2<'a, f64> {
    let mut view = x.view();
    for k in rank - x.ndim()..rank - 2 {
        let here = if view.shape()[0] == 1 { 0 } else { at[k] };
        view = view.index_axis_move(Axis(0), here);
    }
    view.into_dimensionality::<Ix2>().expect("two axes are left")
}

/// The product by plain loops, for arrays of at least two axes.
fn plain(a: &ArrayD<f64>, b: &ArrayD<f64>) -> ArrayD<f64> {
    let (ra, rb) = (a.ndim(), b.ndim());
    let rank = ra.max(rb);
    let extent = |x: &ArrayD<f64>, k: usize| match (k + x.ndim()).checked_sub(rank) {
        Some(axis) => x.shape()[axis],
        None => 1,
    };
    let mut shape: Vec<usize> = (0..rank - 2).map(|k| extent(a, k).max(extent(b, k))).collect();
    if (0..rank - 2).any(|k| extent(a, k).min(extent(b, k)) == 0) {
        shape.iter_mut().for_each(|n| *n = 0);
    }
    let (m, inner, n) = (a.shape()[ra - 2], a.shape()[ra - 1], b.shape()[rb - 1]);
    let mut values = Vec::new();
    for at in ndarray::indices(&shape[..]) {
        let (left, right) = (matrix_at(a, &at, rank), matrix_at(b, &at, rank));
        let rows: Vec<f64> = left.iter().copied().collect();
        let columns: Vec<f64> = right.t().iter().copied().collect();
        for row in (0..m).map(|i| &rows[i * inner..(i + 1) * inner]) {
            for column in (0..n).map(|j| &columns[j * inner..(j + 1) * inner]) {
                values.push(row.iter().zip(column).map(|(a, b)| a * b).sum());
            }
        }
    }
    shape.extend([m, n]);
    ArrayD::from_shape_vec(IxDyn(&shape), values).expect("as many values as places")
}

fn assert_close(got: &ArrayD<f64>, want: &ArrayD<f64>, tolerance: f64) {
    assert_eq!(got.shape(), want.shape());
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= tolerance * (1.0 + w.abs()), "{g} for {w}");
    }
}

#[test]
fn shapes_and_values_of_products() {
    let cases: &[(&[usize], &[usize])] = &[
        (&[1, 1], &[1, 1]),
        (&[3, 4], &[4, 5]),
        (&[1, 7], &[7, 1]),
        (&[7, 1], &[1, 6]),
        (&[65, 33], &[33, 130]),
        (&[2, 3, 4], &[4, 5]),
        (&[3, 4], &[6, 4, 5]),
        (&[2, 3, 4], &[2, 4, 5]),
        (&[5, 1, 3, 4], &[1, 6, 4, 2]),
        (&[2, 1, 5, 3, 4], &[6, 1, 4, 2]),
        (&[1, 3, 4], &[1, 4, 2]),
        (&[0, 3, 4], &[0, 4, 2]),
        (&[0, 4], &[4, 2]),
        (&[3, 0], &[0, 2]),
        (&[2, 3, 0], &[0, 2]),
    ];
    for (k, (left, right)) in cases.iter().enumerate() {
        let (a, b) = (random(left, 2 * k as u64), random(right, 2 * k as u64 + 1));
        let want = plain(&a, &b);
        let (x, y) = (to_device(&a).unwrap(), to_device(&b).unwrap());
        assert_close(&x.matmul(&y).copy_to_host().unwrap(), &want, 1e-13);
        let single = x.cast::<f32>().matmul(&y.cast()).cast::<f64>();
        assert_close(&single.copy_to_host().unwrap(), &want, 1e-4);
    }
}

/// Products so large that the processor's threads share them.
#[test]
fn products_in_blocks() {
    let cases: &[(&[usize], &[usize])] = &[
        (&[201, 150], &[150, 131]),
        (&[2, 37, 300], &[300, 170]),
        (&[5, 120, 90], &[5, 90, 100]),
        (&[3, 700], &[700, 900]),
        (&[1, 1500], &[1500, 1100]),
        (&[1100, 1500], &[1500, 1]),
    ];
    for (k, (left, right)) in cases.iter().enumerate() {
        let (a, b) = (random(left, 2 * k as u64), random(right, 2 * k as u64 + 1));
        let want = plain(&a, &b);
        let (x, y) = (to_device(&a).unwrap(), to_device(&b).unwrap());
        assert_close(&x.matmul(&y).copy_to_host().unwrap(), &want, 1e-12);
        let single = x.cast::<f32>().matmul(&y.cast()).cast::<f64>();
        assert_close(&single.copy_to_host().unwrap(), &want, 1e-3);
        let turned = y.swap_axes(-1, -2).matmul(&x.swap_axes(-1, -2)).swap_axes(-1, -2);
        assert_close(&turned.copy_to_host().unwrap(), &want, 1e-12);
        let half = x.cast::<bf16>().matmul(&y.cast()).cast::<f64>();
        assert_close(&half.copy_to_host().unwrap(), &want, 0.5);
        let complex = x.cast::<Complex<f64>>().matmul(&y.cast());
        assert_close(&complex.real().copy_to_host().unwrap(), &want, 1e-12);
    }
}

/// Of a matrix with its own transpose the processor computes one half and mirrors it.
#[test]
fn products_with_the_own_transpose() {
    for (k, shape) in [&[310, 200][..], &[129, 70], &[3, 150, 260]].into_iter().enumerate() {
        let a = random(shape, 40 + k as u64);
        let whole = to_device(&a).unwrap();
        let (part, turned) = (whole.slice(s![.., 1..-1]), whole.swap_axes(-1, -2));
        for x in [&whole, &part, &turned] {
            let host = x.copy_to_host().unwrap();
            let across = x.swap_axes(-1, -2).copy_to_host().unwrap();
            let want = plain(&host, &across);
            let check = |got: DeviceArray<f64>, tolerance: f64| {
                assert_close(&got.copy_to_host().unwrap(), &want, tolerance);
                if got.device() == Device::cpu() {
                    assert!(got.swap_axes(-1, -2).equal(&got).all(..).item().unwrap());
                }
            };
            check(x.matmul(&x.swap_axes(-1, -2)), 1e-11);
            let complex = x.cast::<Complex<f64>>();
            check(complex.matmul(&complex.swap_axes(-1, -2)).real(), 1e-11);
            let single = x.cast::<f32>();
            single.eval().unwrap();
            check(single.matmul(&single.swap_axes(-1, -2)).cast(), 1e-3);
        }
    }
    let mut a = random(&[200, 150], 50);
    (a[[3, 4]], a[[190, 7]]) = (f64::NAN, f64::INFINITY);
    let x = to_device(&a).unwrap();
    let got = x.matmul(&x.t()).copy_to_host().unwrap();
    for i in 0..200 {
        for j in 0..200 {
            let bad = [i, j].iter().any(|k| [3, 190].contains(k));
            assert_eq!(!got[[i, j]].is_finite(), bad, "{i} {j}");
        }
    }
}

/// Sums of whole numbers are exact in `f32`, so that products of halves are rounded once.
#[test]
fn products_of_halves_are_rounded_once() {
    let whole = |shape: &[usize], seed| random(shape, seed).mapv(|x| (16.0 * x).round());
    // Where the folded axis is long and the product is small, a GPU splits it.
    let mut cases =
        vec![(12, 1000, 12), (16, 2000, 16), (33, 1000, 8), (64, 700, 2), (100, 64, 96)];
    for m in [1, 2, 5, 8, 12, 13, 16, 33] {
        cases.extend([3, 12, 17, 40].map(|folded| (m, folded, (m * folded) % 37 + 1)));
    }
    for (m, folded, n) in cases {
        for batch in [1, 3] {
            let seed = (m + folded * n + batch) as u64;
            let (a, b) = (whole(&[batch, m, folded], seed), whole(&[batch, folded, n], seed + 1));
            let want = plain(&a, &b);
            let (x, y) = (to_device(&a).unwrap(), to_device(&b).unwrap());
            let brain = x.cast::<bf16>().matmul(&y.cast()).copy_to_host().unwrap();
            assert_eq!(brain, want.mapv(bf16::from_f64), "bf16 {batch} × {m} × {folded} × {n}");
            let half = x.cast::<f16>().matmul(&y.cast()).copy_to_host().unwrap();
            assert_eq!(half, want.mapv(f16::from_f64), "f16 {batch} × {m} × {folded} × {n}");
        }
    }
}

#[test]
fn vectors_stand_for_rows_and_columns() {
    let a = random(&[2, 3, 4], 1);
    let (v, w) = (random(&[4], 2), random(&[3], 3));
    let (x, y, z) = (to_device(&a).unwrap(), to_device(&v).unwrap(), to_device(&w).unwrap());
    let column = v.clone().into_shape_with_order(IxDyn(&[4, 1])).unwrap();
    let row = w.clone().into_shape_with_order(IxDyn(&[1, 3])).unwrap();
    let want = plain(&a, &column).into_shape_with_order(IxDyn(&[2, 3])).unwrap();
    assert_close(&x.matmul(&y).copy_to_host().unwrap(), &want, 1e-14);
    let want = plain(&row, &a).into_shape_with_order(IxDyn(&[2, 4])).unwrap();
    assert_close(&z.matmul(&x).copy_to_host().unwrap(), &want, 1e-14);
    let dot = y.matmul(&y);
    assert_eq!(dot.shape(), [0usize; 0]);
    assert!((dot.item().unwrap() - v.iter().map(|x| x * x).sum::<f64>()).abs() < 1e-14);
}

/// Two operands.
type Pair = (DeviceArray<f64>, DeviceArray<f64>);

#[test]
fn views_are_read_in_place() {
    let a = random(&[6, 9], 1);
    let b = random(&[9, 7], 2);
    let (x, y) = (to_device(&a).unwrap(), to_device(&b).unwrap());
    let cases: Vec<(Box<dyn Fn() -> Pair>, usize)> = vec![
        (Box::new(|| (x.clone(), y.clone())), 0),
        (Box::new(|| (y.t(), x.t())), 0),
        (Box::new(|| (x.t(), x.clone())), 0),
        (Box::new(|| (x.slice(s![1..5, 2..]), y.slice(s![2.., ..-1]))), 0),
        (Box::new(|| (x.slice(s![1..5, 2..8]).t(), x.slice(s![1..5, ..]))), 0),
        (Box::new(|| (x.slice(s![..;2, ..]), y.clone())), 0),
        (Box::new(|| (x.slice(s![.., ..;2]), y.slice(s![..5, ..]))), 1),
        (Box::new(|| (x.flip(0), y.clone())), 1),
        (Box::new(|| (x.broadcast_to([4, 6, 9]), y.clone())), 0),
    ];
    for (k, (make, kernels)) in cases.iter().enumerate() {
        // The copies to the host store these views; the same ones anew are only recorded.
        let (left, right) = make();
        let want = plain(&left.copy_to_host().unwrap(), &right.copy_to_host().unwrap());
        let (left, right) = make();
        let product = left.matmul(&right);
        let plan = explain(&[&product]);
        assert_eq!((plan.library_calls(), plan.kernels()), (1, *kernels), "case {k}\n{plan}");
        assert_close(&product.copy_to_host().unwrap(), &want, 1e-13);
    }
}

#[test]
fn producers_and_consumers_are_kernels_around_the_call() {
    let a = random(&[20, 30], 1);
    let b = random(&[30, 10], 2);
    let (x, y) = (to_device(&a).unwrap(), to_device(&b).unwrap());
    let (s, e) = (a.mapv(f64::sin), b.mapv(f64::exp));
    let product = plain(&s, &e);
    let before = lazuli::counters();
    let out = (x.sin().matmul(&y.exp()) * 2.0 + 1.0).tanh().sum(0);
    let got = out.copy_to_host().unwrap();
    let counters = lazuli::counters();
    assert_eq!(counters.library_calls - before.library_calls, 1);
    // One kernel for each operand (their shapes differ), one for what follows.
    assert_eq!(counters.kernels - before.kernels, 3);
    let want = product.mapv(|v| (v * 2.0 + 1.0).tanh()).sum_axis(ndarray::Axis(0));
    assert_close(&got, &want, 1e-12);
}

#[test]
fn a_product_that_is_held_is_computed_once() {
    let x = to_device(&random(&[16, 16], 1)).unwrap();
    let before = lazuli::counters().library_calls;
    let product = x.matmul(&x);
    let sum = product.sum(..).item().unwrap();
    let largest = product.max(..).item().unwrap();
    let all = product.copy_to_host().unwrap();
    assert_eq!(lazuli::counters().library_calls - before, 1);
    assert!((all.sum() - sum).abs() < 1e-12);
    assert_eq!(all.iter().cloned().fold(f64::MIN, f64::max), largest);
}

#[test]
fn products_follow_products_and_meet_in_one_expression() {
    let a = random(&[8, 8], 5);
    let x = to_device(&a).unwrap();
    let p = x.matmul(&x);
    let out = p.matmul(&p.t()) + p.matmul(&x).sin() - &x;
    let before = lazuli::counters();
    let got = out.copy_to_host().unwrap();
    let counters = lazuli::counters();
    assert_eq!(counters.library_calls - before.library_calls, 3);
    assert_eq!(counters.kernels - before.kernels, 1);
    let q = plain(&a, &a);
    let t = q.clone().reversed_axes().as_standard_layout().to_owned();
    let want = plain(&q, &t) + plain(&q, &a).mapv(f64::sin) - &a;
    assert_close(&got, &want, 1e-12);
    // The plan is found again for new data.
    let before = lazuli::counters().plans;
    for seed in 0..3 {
        let x = to_device(&random(&[8, 8], 10 + seed)).unwrap();
        let p = x.matmul(&x);
        drop((p.matmul(&p.t()) + p.matmul(&x).sin() - &x).copy_to_host().unwrap());
    }
    assert!(lazuli::counters().plans - before <= 1);
}

#[test]
fn integers_multiply_in_one_kernel() {
    let a = DeviceArray::<i32>::arange_to(12).reshape([3, 4]);
    let b = DeviceArray::<i32>::arange_to(20).reshape([4, 5]);
    let plan = explain(&[&a.matmul(&b)]);
    assert_eq!((plan.kernels(), plan.library_calls()), (1, 0));
    let got = a.matmul(&b).to_vec().unwrap();
    let want: Vec<i32> =
        (0..15).map(|k| (0..4).map(|i| (k / 5 * 4 + i) * (i * 5 + k % 5)).sum()).collect();
    assert_eq!(got, want);
    let wrapped = DeviceArray::from_vec([1, 1], vec![200u8]).unwrap();
    assert_eq!(wrapped.matmul(&wrapped).to_vec().unwrap(), [64]);
}

#[test]
fn halves_and_complex_numbers() {
    let (a, b) = (random(&[17, 40], 1), random(&[40, 9], 2));
    let want = plain(&a, &b);
    let (x, y) = (to_device(&a).unwrap(), to_device(&b).unwrap());
    let half = x.cast::<f16>().matmul(&y.cast()).cast::<f64>();
    assert_close(&half.copy_to_host().unwrap(), &want, 5e-3);
    let brain = x.cast::<bf16>().matmul(&y.cast()).cast::<f64>();
    assert_close(&brain.copy_to_host().unwrap(), &want, 4e-2);
    let i = DeviceArray::from(Complex::new(0.0, 1.0));
    let (z, w) = (&x.cast::<Complex<f64>>() * &i, y.cast::<Complex<f64>>() + &i);
    let got = z.matmul(&w);
    // i·a·(b + i) = -Σa + i·a·b.
    let sums = plain(&a, &ArrayD::from_elem(IxDyn(&[40, 9]), -1.0));
    assert_close(&got.real().copy_to_host().unwrap(), &sums, 1e-13);
    assert_close(&got.imag().copy_to_host().unwrap(), &want, 1e-13);
    let single = z.cast::<Complex<f32>>().matmul(&w.cast());
    assert_close(&single.imag().cast::<f64>().copy_to_host().unwrap(), &want, 1e-4);
}

#[test]
fn what_follows_a_product_is_part_of_the_call_or_one_kernel() {
    let (a, b) = (random(&[16, 24], 1), random(&[24, 8], 2));
    let (c, row) = (random(&[16, 8], 3), random(&[8], 4));
    let product = plain(&a, &b);
    let gpu = Device::current().unwrap().is_cuda();
    let check = |what: &str, out: DeviceArray<f32>, want: ArrayD<f64>, fuses: bool| {
        let plan = explain(&[&out]);
        let kernels = usize::from(!(fuses && gpu));
        assert_eq!((plan.library_calls(), plan.kernels()), (1, kernels), "{what}\n{plan}");
        let got = out.cast::<f64>().copy_to_host().unwrap();
        assert_close(&got, &want, 1e-4);
    };
    let up = |x: &ArrayD<f64>| {
        let x = to_device(x).unwrap().cast::<f32>();
        x.eval().unwrap();
        x
    };
    let (x, y, z, bias) = (up(&a), up(&b), up(&c), up(&row));
    check("scaled", x.matmul(&y) * 2.5, &product * 2.5, true);
    check("scaled", 2.5 * x.matmul(&y), &product * 2.5, true);
    check("added", x.matmul(&y) + &z, &product + &c, true);
    check("added", &z + x.matmul(&y), &product + &c, true);
    check("both", x.matmul(&y) * 2.0 + &z * -3.0, &product * 2.0 - &c * 3.0, true);
    check("biased", x.matmul(&y) + &bias, &product + &row, true);
    check("all", x.matmul(&y) * 2.0 + &z * 3.0 + &bias, &product * 2.0 + &c * 3.0 + &row, true);
    let cut = |x: ArrayD<f64>| x.mapv(|v| v.max(0.0));
    // A method borrows what it is called on, so the product lives to the end of the statement: a
    // statement of its own lets go of it before the evaluation, and else it is held.
    let out = x.matmul(&y).relu();
    check("cut", out, cut(product.clone()), true);
    let out = (x.matmul(&y) + &bias).relu();
    check("biased and cut", out, cut(&product + &row), true);
    let out = (x.matmul(&y) * 2.0 + &z).relu();
    check("added and cut", out, cut(&product * 2.0 + &c), true);
    check("cut while held", x.matmul(&y).relu(), cut(product.clone()), false);
    let bend = |x: ArrayD<f64>| {
        x.mapv(|v| 0.5 * v * (1.0 + ((2.0 / PI).sqrt() * (v + 0.044715 * v * v * v)).tanh()))
    };
    let out = x.matmul(&y).gelu();
    check("into a gelu", out, bend(product.clone()), true);
    let out = (x.matmul(&y) + &bias).gelu();
    check("biased, into a gelu", out, bend(&product + &row), true);
    let out = (x.matmul(&y) * 2.0 + &z * 3.0 + &bias).gelu();
    check("scaled, added, biased, into a gelu", out, bend(&product * 2.0 + &c * 3.0 + &row), true);
    check("after a gelu", x.matmul(&y).gelu() + &bias, bend(product.clone()) + &row, false);
    let read = x.matmul(&y);
    let apart = read.gelu() + &read;
    drop(read);
    check("read beside it", apart, bend(product.clone()) + &product, false);
    check("at another number", x.matmul(&y).maximum(0.5), product.mapv(|v| v.max(0.5)), false);
    let out = x.matmul(&y).relu() + &bias;
    check("after a cut", out, cut(product.clone()) + &row, false);
    check("after a bias", (x.matmul(&y) + &bias) * 2.0, (&product + &row) * 2.0, false);
    check(
        "a column",
        x.matmul(&y) + z.slice(s![.., ..1]),
        &product + &c.slice(ndarray::s![.., ..1]),
        false,
    );
    let (xt, yt) = (up(&a.t().as_standard_layout().to_owned()), y.clone());
    check("transposed", xt.t().matmul(&yt) * 0.5 + &bias, &product * 0.5 + &row, true);
    // What two read, or a user holds, is stored as it is.
    let held = x.matmul(&y);
    check("held", &held * 2.0, &product * 2.0, false);
    let square = x.matmul(&y);
    let both = &square * &square;
    drop(square);
    check("read twice", both, &product * &product, false);
    // NaN stays.
    let mut bad = a.clone();
    bad[[3, 4]] = f64::NAN;
    let bad = up(&bad);
    let in_row = |k: usize, is_nan: bool| is_nan == (k / 8 == 3);
    let biased = (bad.matmul(&y) + &bias).relu();
    assert!(biased.to_vec().unwrap().iter().enumerate().all(|(k, v)| in_row(k, v.is_nan())));
    let alone = bad.matmul(&y).relu();
    assert!(alone.to_vec().unwrap().iter().enumerate().all(|(k, v)| in_row(k, v.is_nan())));
    let wide = (bad.cast::<f64>().matmul(&y.cast()) + bias.cast::<f64>()).relu();
    assert!(wide.to_vec().unwrap().iter().enumerate().all(|(k, v)| in_row(k, v.is_nan())));
    let half = (up(&a).cast::<f16>().matmul(&y.cast::<f16>()) * f16::NAN).relu();
    assert!(half.to_vec().unwrap().iter().all(|v| v.is_nan()));
    // In batches, and in every type.
    let batch = lazuli::stack(&[&x, &(&x * 2.0)], 0);
    let doubled = ndarray::stack(ndarray::Axis(0), &[product.view(), (&product * 2.0).view()]);
    let got = (batch.matmul(&y) * 2.0 + &bias).cast::<f64>().copy_to_host().unwrap();
    assert_close(&got, &(doubled.unwrap() * 2.0 + &row), 1e-4);
    let wide = (x.cast::<f64>().matmul(&y.cast()) + bias.cast::<f64>()).relu();
    assert_close(&wide.copy_to_host().unwrap(), &cut(&product + &row), 1e-5);
    let wide = (x.cast::<f64>().matmul(&y.cast()) * 2.0 + z.cast::<f64>() + bias.cast::<f64>())
        .copy_to_host();
    assert_close(&wide.unwrap(), &(&product * 2.0 + &c + &row), 1e-5);
    let half = x.cast::<f16>().matmul(&y.cast()) * f16::from_f64(2.0) + bias.cast::<f16>();
    let half = half.cast::<f64>().copy_to_host().unwrap();
    assert_close(&half, &(&product * 2.0 + &row), 3e-2);
    let i = Complex::new(0.0, 1.0);
    let complex = x.cast::<Complex<f64>>().matmul(&y.cast()) * i + z.cast::<Complex<f64>>();
    assert_close(&complex.imag().copy_to_host().unwrap(), &product, 1e-5);
    assert_close(&complex.real().copy_to_host().unwrap(), &c, 1e-5);
}

#[test]
fn a_gelu_after_a_product_is_as_exact_as_a_kernel() {
    let (a, b) = (random(&[64, 96], 5), random(&[96, 128], 6));
    let row = random(&[128], 7);
    // Singles of a few bits, whose products are exact: what differs is the function alone.
    let round = |x: &ArrayD<f64>| x.mapv(|v| (v * 64.0).round() / 64.0);
    let (a, b, row) = (round(&a), round(&b), round(&row));
    let want = (plain(&a, &b) + &row)
        .mapv(|v| 0.5 * v * (1.0 + ((2.0 / PI).sqrt() * (v + 0.044715 * v * v * v)).tanh()));
    let up = |x: &ArrayD<f64>| {
        let x = to_device(x).unwrap().cast::<f32>();
        x.eval().unwrap();
        x
    };
    let (x, y, bias) = (up(&a), up(&b), up(&row));
    let got = (x.matmul(&y) + &bias).gelu().cast::<f64>().copy_to_host().unwrap();
    assert_close(&got, &want, 1e-6);
    let half = (x.cast::<f16>().matmul(&y.cast()) + bias.cast::<f16>()).gelu();
    assert_close(&half.cast::<f64>().copy_to_host().unwrap(), &want, 2e-3);
    let brain = (x.cast::<bf16>().matmul(&y.cast()) + bias.cast::<bf16>()).gelu();
    assert_close(&brain.cast::<f64>().copy_to_host().unwrap(), &want, 2e-2);
}

#[test]
fn precision_is_chosen_when_recording() {
    use lazuli::linalg::{Precision, with_precision};
    let a = random(&[64, 64], 7);
    let want = plain(&a, &a);
    let x = to_device(&a).unwrap().cast::<f32>();
    let exact = x.matmul(&x);
    let coarse = with_precision(Precision::Tf32, || x.matmul(&x));
    let same = x.matmul_with(&x, Precision::Tf32);
    let error = |out: &DeviceArray<f32>| {
        let got = out.cast::<f64>().copy_to_host().unwrap();
        (&got - &want).iter().fold(0.0f64, |m, e| m.max(e.abs()))
    };
    assert!(error(&exact) < 2e-5, "{}", error(&exact));
    assert!(error(&coarse) < 3e-2);
    assert_eq!(error(&coarse), error(&same));
    if Device::current().unwrap().is_cuda() {
        assert!(error(&coarse) > error(&exact));
        assert!(explain(&[&x.matmul_with(&x, Precision::Tf32)]).to_string().contains("TF32"));
    }
}

#[test]
fn what_products_refuse() {
    let a = DeviceArray::<f64>::zeros([2, 3]);
    let error = a.try_matmul(&a).unwrap_err();
    assert!(error.is_shape());
    assert!(error.to_string().starts_with("matmul: shapes [2, 3] and [2, 3] do not match"));
    assert!(a.try_matmul(&DeviceArray::from(1.0)).unwrap_err().is_shape());
    let b = DeviceArray::<f64>::zeros([2, 3, 4]);
    let c = DeviceArray::<f64>::zeros([3, 4, 4]);
    assert!(b.try_matmul(&c).unwrap_err().to_string().contains("batches"));
}

/// A matrix that is yet to be computed is summed up as it is, once; a matrix that is multiplied again is
/// stored for the processor's library, also under a reshape and transposed.
#[test]
fn a_matrix_that_is_multiplied_again_is_stored_once() {
    for (rows, cols) in [(300, 20), (20, 300), (64, 64)] {
        let x = (DeviceArray::<f64>::arange_to((rows * cols) as f64) * 0.7).sin();
        let x = x.reshape([rows, cols]);
        let want = x.copy_to_array::<ndarray::Ix2>().unwrap();
        let x = (DeviceArray::<f64>::arange_to((rows * cols) as f64) * 0.7).sin();
        let x = x.reshape([rows, cols]);
        let mut v = DeviceArray::<f64>::ones(cols);
        let mut u = ndarray::Array1::<f64>::ones(cols);
        let before = lazuli::counters().library_calls;
        for _ in 0..20 {
            v = x.t().dot(&x.dot(&v)) / rows as f64;
            u = want.t().dot(&want.dot(&u)) / rows as f64;
        }
        for (found, want) in v.to_vec().unwrap().into_iter().zip(&u) {
            assert!((found - want).abs() <= 1e-11 * u.iter().fold(0.0f64, |m, x| m.max(x.abs())));
        }
        let calls = lazuli::counters().library_calls - before;
        if x.device() == Device::cpu() {
            assert_eq!(calls, 39, "{rows} by {cols}");
        }
    }
}

/// Products of integers are kernels on every device: of twenty turns, each with two sums, many are loops
/// of one kernel, the product of whose lengths no integer holds.
#[test]
fn long_chains_of_products_of_integers() {
    let (rows, cols) = (300usize, 20usize);
    let x = (DeviceArray::<i64>::arange_to((rows * cols) as i64) % 7).reshape([rows, cols]);
    let mut v = DeviceArray::<i64>::ones(cols);
    let mut want = vec![1i64; cols];
    let at = |i: usize, j: usize| ((i * cols + j) % 7) as i64;
    for _ in 0..20 {
        v = x.t().dot(&x.dot(&v)) % 1000;
        let u: Vec<i64> = (0..rows).map(|i| (0..cols).map(|j| at(i, j) * want[j]).sum()).collect();
        want = (0..cols).map(|j| (0..rows).map(|i| at(i, j) * u[i]).sum::<i64>() % 1000).collect();
    }
    assert_eq!(v.to_vec().unwrap(), want);
}
