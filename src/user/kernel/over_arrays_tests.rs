//! Device functions over arrays of kernels, in every place where kernels run.

use super::tests::{Place, everywhere, filled};
use super::*;
use crate::prelude::*;
use crate::{device, kernel};

/// The smoothing of one row of the Lorenz-2004 model, as its programs write it.
#[device]
fn calx(x: ArrayMut<f64, 2>, row: usize, a: Array<f64, 1>, z: Array<f64, 2>, steps: usize) {
    let n = z.shape(0) - 2 * steps;
    let i = grid::<1>();
    if i >= n {
        return;
    }
    x[(row, i)] = weighted(a, z, i, 0, steps) / 2.0;
    for j in 1..2 * steps {
        x[(row, i)] += weighted(a, z, i, j, steps);
    }
    x[(row, i)] += weighted(a, z, i, 2 * steps, steps) / 2.0;
}

#[device]
fn weighted(a: Array<f64, 1>, z: Array<f64, 2>, i: usize, j: usize, steps: usize) -> f64 {
    a[j] * z[(i + 2 * steps - j, 0)]
}

#[kernel]
fn step(z: Array<f64, 2>, a: Array<f64, 1>, steps: usize, x: ArrayMut<f64, 2>) {
    for row in 0..x.shape(0) {
        calx(x, row, a, z, steps);
    }
}

#[test]
fn nested_functions_write_what_kernels_write() {
    everywhere(|_| {
        let (n, steps) = (40, 3);
        let z: Vec<f64> = (0..n + 2 * steps).map(|i| (i as f64 * 0.7).sin()).collect();
        let a: Vec<f64> = (0..=2 * steps).map(|j| 1.0 / (j + 1) as f64).collect();
        let wanted = |i: usize| {
            let term = |j: usize| a[j] * z[i + 2 * steps - j];
            let ends = (term(0) + term(2 * steps)) / 2.0;
            (1..2 * steps).map(term).sum::<f64>() + ends
        };
        let dz = DeviceArray::from_vec([z.len(), 1], z.clone()).unwrap();
        let da = DeviceArray::from_slice(&a).unwrap();
        let mut x = DeviceArray::<f64>::zeros([2, n]);
        step.launch(2, 32, (&dz, &da, steps, &mut x)).unwrap();
        for (k, got) in x.to_vec().unwrap().into_iter().enumerate() {
            assert!((got - wanted(k % n)).abs() < 1e-14, "{k}");
        }
    });
}

#[device]
fn block_sum<T: Float>(tile: Shared<[T; 64]>, value: T) -> T {
    let t = thread_idx().x;
    tile[t] = value;
    sync_threads();
    let mut by = block_dim().x / 2;
    while by > 0 {
        if t < by {
            tile[t] = tile[t] + tile[t + by];
        }
        sync_threads();
        by /= 2;
    }
    tile[0]
}

/// The element, and whether it is there.
#[device]
fn element<T: Float, const N: usize>(x: Array<'_, T, 1>, i: usize) -> (T, bool) {
    if i < x.len().min(N) { (x[i], true) } else { (T::ZERO, false) }
}

#[kernel]
fn sums<T: Float>(x: Array<T, 1>, out: ArrayMut<T, 1>, count: ArrayMut<i32, 1>) {
    let tile = shared::<[T; 64]>();
    let (value, is_there) = element::<T, 100>(x, grid::<1>());
    if is_there {
        count.atomic_add(0, 1);
    }
    let total = block_sum(tile, value);
    if thread_idx().x == 0 {
        out[block_idx().x] = total;
    }
}

#[test]
fn shared_memory_and_types_are_handed_on() {
    everywhere(|_| {
        let x = filled(&[120], |i| i as f64);
        let (mut out, mut count) = (DeviceArray::<f64>::zeros(2), DeviceArray::<i32>::zeros(1));
        sums.launch(2, 64, (&x, &mut out, &mut count)).unwrap();
        assert_eq!(out.to_vec().unwrap(), [2016.0, (64..100).sum::<i32>() as f64]);
        assert_eq!(count.item().unwrap(), 100);
        let x = filled(&[3], |i| f16::from_f32(i as f32 + 0.5));
        let (mut out, mut count) = (DeviceArray::<f16>::zeros(1), DeviceArray::<i32>::zeros(1));
        sums.launch(1, 4, (&x, &mut out, &mut count)).unwrap();
        assert_eq!((out.item().unwrap().to_f32(), count.item().unwrap()), (4.5, 3));
    });
}

#[device]
fn scale_row(row: ArrayMut<f32, 1>, by: Array<f32, 1>) {
    for j in 0..row.len() {
        row[j] *= by[j];
    }
}

#[device]
fn largest(row: Array<f32, 1>) -> f32 {
    let mut most = f32::NEG_INFINITY;
    for j in 0..row.len() {
        most = most.max(row[j]);
    }
    most
}

#[kernel]
fn by_rows(a: Array<f32, 2>, b: ArrayMut<f32, 2>, most: ArrayMut<f32, 1>) {
    let i = grid::<1>();
    if i < b.shape(0) {
        let same = b;
        let mine = same.row(i);
        scale_row(mine, a.row(i));
        mine[0] += 1.0;
        most[i] = largest(a.row(i));
    }
}

#[kernel]
fn beyond(a: Array<f32, 2>, out: ArrayMut<f32, 1>) {
    let i = grid::<1>();
    out[i] = largest(a.row(i));
}

#[test]
fn rows_are_arrays() {
    everywhere(|place| {
        let a = filled(&[3, 4], |i| (i as f32 - 5.0) * 0.5);
        let mut b = filled(&[3, 4], |i| i as f32);
        let mut most = DeviceArray::<f32>::zeros(3);
        by_rows.launch(1, 32, (&a, &mut b, &mut most)).unwrap();
        let wanted = |k: usize| (k as f32 - 5.0) * 0.5 * k as f32 + f32::from(k % 4 == 0);
        assert_eq!(b.to_vec().unwrap(), (0..12).map(wanted).collect::<Vec<_>>());
        assert_eq!(most.to_vec().unwrap(), [-1.0, 1.0, 3.0]);
        let mut out = DeviceArray::<f32>::zeros(4);
        let ran = beyond.launch(1, 4, (&a, &mut out));
        let error = match place {
            Place::Gpu => Device::cuda(0).unwrap().synchronize().unwrap_err(),
            _ => ran.unwrap_err(),
        };
        let text = error.to_string();
        assert!(text.contains("a[(3)] is out of range of shape [3]"), "{text}");
        let none = DeviceArray::<f32>::zeros([3, 0]);
        let mut out = DeviceArray::<f32>::zeros(3);
        beyond.launch(1, 3, (&none, &mut out)).unwrap();
        assert_eq!(out.to_vec().unwrap(), [f32::NEG_INFINITY; 3]);
    });
}

/// Sums of rows and elements of rows that have no name.
#[kernel]
fn rows_without_names<T: Float>(x: Array<T, 2>, y: ArrayMut<T, 2>, out: ArrayMut<T, 1>) {
    let i = grid::<1>();
    if i < x.shape(0) {
        let row = y.row(i);
        y.row(i)[0] = x.row(i)[1] + x.row(i).get(2);
        y.row(i)[1] += x[(i, 0)];
        out[i] = x.row(i).sum() + row.sum() + y.row(i)[0] + T::from_f64(y.row(i).len() as f64);
    }
}

fn check_rows<T: Float + std::fmt::Debug>() {
    let number = |k: usize| T::from_f64((k % 7) as f64);
    let x: Vec<T> = (0..20).map(number).collect();
    let dx = DeviceArray::from_vec([4, 5], x.clone()).unwrap();
    let mut y = DeviceArray::<T>::ones([4, 5]);
    let mut out = DeviceArray::<T>::zeros([4]);
    rows_without_names.launch(1, 32, (&dx, &mut y, &mut out)).unwrap();
    let out = out.to_vec().unwrap();
    for (row, got) in x.chunks(5).zip(out) {
        let first = row[1] + row[2];
        let sum = row.iter().fold(T::ZERO, |sum, &x| sum + x);
        let other = first + (T::ONE + row[0]) + T::from_f64(3.0);
        assert_eq!(got, sum + other + first + T::from_f64(5.0));
    }
}

#[test]
fn rows_are_summed_and_read_where_they_stand() {
    everywhere(|_| {
        check_rows::<f64>();
        check_rows::<f32>();
        check_rows::<f16>();
    });
}
