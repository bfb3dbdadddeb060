//! The code for GPUs of functions that run item by item, without a GPU: compiled by NVRTC, and run
//! by the emulator against the function itself.

use crate::backend::cuda::compile::{Arch, CompileOptions, compile_to_cubin, nvrtc_is_here};
use crate::backend::cuda::emulator;
use crate::backend::cuda::prelude::with_prelude;
use crate::dtype::DType;
use crate::library::items::Items;
use crate::prelude::Float;
use crate::shape::Shape;
use crate::{device, guvectorize};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2};
use smallvec::smallvec;

#[guvectorize("(n),()->(n),()")]
fn decay(x: ArrayView1<f64>, rate: f64, mut out: ArrayViewMut1<f64>, last: &mut f64) {
    out[0] = x[0];
    for i in 1..x.len() {
        out[i] = x[i] + rate * out[i - 1];
        *last += out[i];
    }
}

#[guvectorize("(n,m),(2)->(m,n)")]
fn walk(a: ArrayView2<i32>, by: &[i64], mut out: ArrayViewMut2<i32>) {
    let (n, m) = a.dim();
    let mut at = 0;
    while at < n * m {
        let (i, j) = (at / m, at % m);
        out[[j, i]] += a[(i, j)] * 2 + a.nrows() as i32 - a.shape()[1] as i32;
        at += by[0] as usize + by.len() - 1;
    }
}

#[guvectorize("(n)->(),()")]
fn first_above(x: &[f32]) -> (f32, u8) {
    let mut k = 0u8;
    for i in 0..x.len() {
        if x[i] > 1.0 {
            return (x[i], k);
        }
        k += 1;
    }
    (0.0, k)
}

#[guvectorize("(n),(n)->(),()")]
fn above(x: ArrayView1<f64>, w: &[f64]) -> (f64, i64) {
    let (mut sum, mut last) = (0.0, -1i64);
    for (i, (&v, least)) in x.iter().zip(w).enumerate() {
        if v > *least {
            last = i as i64;
        }
        sum += v * least;
    }
    for v in w.iter().rev() {
        sum = sum * 0.5 + v;
    }
    (sum, last)
}

/// Loops with breaks, whose turns are independent, one after the other.
#[guvectorize("(n)->(n),(n)")]
fn ranks(x: ArrayView1<f32>, mut rank: ArrayViewMut1<i64>, mut sorted: ArrayViewMut1<f32>) {
    let n = x.len();
    for i in 0..n {
        let mut k = 0;
        for j in 0..n {
            if x[j] < x[i] || x[j] == x[i] && j < i {
                k += 1;
            }
        }
        rank[i] = k;
    }
    // All threads read this before any of them writes to it again.
    let first = sorted[0];
    for i in 0..n {
        let mut j = 0;
        while j < n {
            if x[j] >= first && j * j >= i {
                break;
            }
            j += 1;
        }
        sorted[i] = x[j] + rank[i] as f32;
    }
}

#[test]
fn turns_that_threads_share() {
    let x = [[3.0f32, 1.0, 2.0, 1.0, 5.0], [0.0, -1.0, 4.0, 4.0, 2.0]];
    let items = Items {
        name: "ranks",
        native: never,
        source: Some(ranks::lz_source),
        stages: 2,
        inputs: vec![(DType::F32, smallvec![5])],
        outputs: vec![(DType::I64, 5), (DType::F32, 5)],
        sizes: smallvec![5],
        items: Shape::from_slice(&[2]),
    };
    let (mut rank, mut sorted) = ([[0i64; 5]; 2], [[0.0f32; 5]; 2]);
    let outputs = [rank.as_mut_ptr().cast(), sorted.as_mut_ptr().cast()];
    if run(&items, &[x.as_ptr().cast()], &outputs) {
        for (k, row) in x.iter().enumerate() {
            let (mut a, mut b) = (Array1::zeros(5), Array1::zeros(5));
            ranks(ArrayView1::from(row), a.view_mut(), b.view_mut());
            assert_eq!(rank[k], *a.as_slice().unwrap());
            assert_eq!(sorted[k], *b.as_slice().unwrap());
        }
    }
}

/// Runs the kernel of all items on arrays and gives the outputs, which begin as zeros.
fn run(items: &Items, inputs: &[*const u8], outputs: &[*mut u8]) -> bool {
    let source = with_prelude(&items.source.expect("code for GPUs")());
    if nvrtc_is_here() {
        let arch = Arch::new(9, 0);
        compile_to_cubin(&source, arch, &CompileOptions::default())
            .unwrap_or_else(|e| panic!("{e}"));
    }
    if !emulator::available() {
        return false;
    }
    let words = inputs.iter().map(|p| *p as u64).chain(outputs.iter().map(|p| *p as u64));
    let words = words.chain(items.numbers().into_iter().map(|n| n as u64));
    let mut args: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    // Fewer than there are items, so that threads and blocks go on to further ones.
    let grid = if items.stages == 1 { [1, 2, 1] } else { [1, 1, 1] };
    let ran = emulator::run(&source, "lz_items", grid, [2, 1, 1], 0, &mut args);
    ran.unwrap_or_else(|error| panic!("{error}"));
    true
}

unsafe fn never(_: &[*const u8], _: &[*mut u8], _: &[usize]) {
    unreachable!("the kernel is what runs");
}

#[test]
fn items_with_scalars_and_two_results() {
    let x: Vec<f64> = (0..3 * 5).map(|k| k as f64 * 0.5 - 2.0).collect();
    let rates = [0.5, -0.25];
    let items = Items {
        name: "decay",
        native: never,
        source: Some(decay::lz_source),
        stages: 0,
        // Three rows, each with both rates.
        inputs: vec![(DType::F64, smallvec![5, 0]), (DType::F64, smallvec![0, 1])],
        outputs: vec![(DType::F64, 5), (DType::F64, 1)],
        sizes: smallvec![5],
        items: Shape::from_slice(&[3, 2]),
    };
    let (mut out, mut last) = (vec![0.0f64; 30], vec![0.0f64; 6]);
    let inputs = [x.as_ptr().cast(), rates.as_ptr().cast()];
    if !run(&items, &inputs, &[out.as_mut_ptr().cast(), last.as_mut_ptr().cast()]) {
        return;
    }
    for item in 0..6 {
        let (mut wanted, mut sum) = (Array1::zeros(5), 0.0);
        let row = ArrayView1::from(&x[item / 2 * 5..][..5]);
        decay(row, rates[item % 2], wanted.view_mut(), &mut sum);
        assert_eq!(out[item * 5..][..5], *wanted.as_slice().unwrap());
        assert_eq!(last[item], sum);
    }
}

#[test]
fn items_of_matrices() {
    let a = Array2::from_shape_fn((3, 4), |(i, j)| (i * 10 + j) as i32);
    let by = [2i64, 0];
    let items = Items {
        name: "walk",
        native: never,
        source: Some(walk::lz_source),
        stages: 0,
        inputs: vec![(DType::I32, smallvec![]), (DType::I64, smallvec![])],
        outputs: vec![(DType::I32, 12)],
        sizes: smallvec![3, 4],
        items: Shape::new(),
    };
    let mut out = vec![0i32; 12];
    let inputs = [a.as_ptr().cast(), by.as_ptr().cast()];
    if run(&items, &inputs, &[out.as_mut_ptr().cast()]) {
        let mut wanted = Array2::zeros((4, 3));
        walk(a.view(), &by, wanted.view_mut());
        assert_eq!(out, *wanted.as_slice().unwrap());
    }
}

#[test]
fn results_that_are_given_back() {
    let x = [[0.5f32, 2.0, 3.0], [0.0, 0.5, 1.0], [9.0, 0.0, 0.0]];
    let items = Items {
        name: "first_above",
        native: never,
        source: Some(first_above::lz_source),
        stages: 0,
        inputs: vec![(DType::F32, smallvec![3])],
        outputs: vec![(DType::F32, 1), (DType::U8, 1)],
        sizes: smallvec![3],
        items: Shape::from_slice(&[3]),
    };
    let (mut value, mut place) = ([0.0f32; 3], [0u8; 3]);
    let outputs = [value.as_mut_ptr().cast(), place.as_mut_ptr().cast()];
    if run(&items, &[x.as_ptr().cast()], &outputs) {
        let wanted = x.map(|row| first_above(&row));
        assert_eq!(value, wanted.map(|w| w.0));
        assert_eq!(place, wanted.map(|w| w.1));
    }
}

#[test]
fn walks_over_arrays() {
    let x = [[0.5, 2.0, f64::NAN, 4.0], [0.0, 0.5, 1.0, -1.0]];
    let w = [0.25, 2.5, 1.0, 3.0];
    let items = Items {
        name: "above",
        native: never,
        source: Some(above::lz_source),
        stages: 0,
        inputs: vec![(DType::F64, smallvec![4]), (DType::F64, smallvec![0])],
        outputs: vec![(DType::F64, 1), (DType::I64, 1)],
        sizes: smallvec![4],
        items: Shape::from_slice(&[2]),
    };
    let (mut sum, mut last) = ([0.0f64; 2], [0i64; 2]);
    let outputs = [sum.as_mut_ptr().cast(), last.as_mut_ptr().cast()];
    if run(&items, &[x.as_ptr().cast(), w.as_ptr().cast()], &outputs) {
        let wanted = x.map(|row| above(ArrayView1::from(&row), &w));
        assert_eq!(last, wanted.map(|of| of.1));
        assert!(sum[0].is_nan() && wanted[0].0.is_nan() && sum[1] == wanted[1].0);
    }
}

/// Functions over views and slices that functions of items call.
#[device]
fn smoothed(z: ArrayView1<f64>, a: ArrayView1<f64>, mut x: ArrayViewMut1<f64>) {
    let (n, half) = (z.len(), a.len() / 2);
    for i in 0..n {
        x[i] = 0.0;
        for j in 0..a.len() {
            x[i] += a[j] * z[(i + n + half - j) % n];
        }
    }
}

#[device]
fn total<T: Float>(x: &[T]) -> T {
    let mut sum = T::ZERO;
    for k in 0..x.len() {
        sum += x[k];
    }
    sum
}

#[guvectorize("(n,m),(k),(m)->(n,m),()")]
fn smoothed_rows<T: Float>(
    z: ArrayView2<f64>,
    a: ArrayView1<f64>,
    by: &[T],
    mut out: ArrayViewMut2<f64>,
    sum: &mut T,
) {
    *sum = total(by);
    for i in 0..z.nrows() {
        let row = z.row(i);
        smoothed(row, a, out.row_mut(i));
        out[[i, 0]] += z.row(i).sum() + z.column(1).sum();
    }
}

#[test]
fn functions_over_arrays_are_called() {
    let z = Array2::from_shape_fn((3, 6), |(i, j)| ((i * 7 + j) as f64).sin());
    let (a, by) = ([0.25, 0.5, 0.125], [1.0f32, 2.0, 4.0, 8.0, 16.0, 32.0]);
    let items = Items {
        name: "smoothed_rows",
        native: never,
        source: Some(smoothed_rows::lz_source::<f32>),
        stages: 0,
        inputs: vec![
            (DType::F64, smallvec![3, 6]),
            (DType::F64, smallvec![3]),
            (DType::F32, smallvec![6]),
        ],
        outputs: vec![(DType::F64, 18), (DType::F32, 1)],
        sizes: smallvec![3, 6, 3],
        items: Shape::from_slice(&[1]),
    };
    let (mut out, mut sum) = ([0.0f64; 18], [0.0f32]);
    let inputs = [z.as_ptr().cast(), a.as_ptr().cast(), by.as_ptr().cast()];
    if run(&items, &inputs, &[out.as_mut_ptr().cast(), sum.as_mut_ptr().cast()]) {
        let (mut wanted, mut one) = (Array2::zeros((3, 6)), 0.0f32);
        smoothed_rows(z.view(), ArrayView1::from(&a), &by, wanted.view_mut(), &mut one);
        assert_eq!(sum, [one]);
        for (got, wanted) in out.iter().zip(wanted.iter()) {
            assert!((got - wanted).abs() < 1e-14, "{got} for {wanted}");
        }
    }
}
