//! Gufuncs that call functions over arrays, and that sum rows.

use lazuli::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis};

/// The smoothing of the Lorenz-2004 model, as its programs write it: `gpu_calx(z, x)`.
#[device]
fn calx(z: ArrayView1<f64>, a: ArrayView1<f64>, mut x: ArrayViewMut1<f64>) {
    let (n, half) = (z.len(), a.len() / 2);
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..a.len() {
            sum += weight(a, j) * z[(i + n + half - j) % n];
        }
        x[i] = sum;
    }
}

/// Half of the weight at the ends.
#[device]
fn weight(a: ArrayView1<f64>, j: usize) -> f64 {
    if j == 0 || j == a.len() - 1 { a[j] / 2.0 } else { a[j] }
}

#[guvectorize("(n),(m)->(n)")]
fn tendency(z: ArrayView1<f64>, a: ArrayView1<f64>, mut dz: ArrayViewMut1<f64>) {
    calx(z, a, dz.view_mut());
    for i in 0..z.len() {
        dz[i] = z[i] - dz[i];
    }
}

/// Slices, a number that is given back, and a generic function.
#[device]
fn dot<T: Float>(a: &[T], b: &[T]) -> T {
    let mut sum = T::ZERO;
    for k in 0..a.len() {
        sum += a[k] * b[k];
    }
    sum
}

#[device]
fn scaled<T: Float>(x: &[T], by: T, out: &mut [T]) {
    for k in 0..x.len() {
        out[k] = x[k] * by;
    }
}

#[guvectorize("(n),(n)->(n)")]
fn projected<T: Float>(x: &[T], on: &[T], out: &mut [T]) {
    let by = dot(x, on) / dot(on, on);
    scaled(on, by, out);
}

/// Rows, by name and where they stand.
#[device]
fn normalised(row: ArrayView1<f64>, total: f64, mut out: ArrayViewMut1<f64>) {
    for j in 0..row.len() {
        out[j] = row[j] / total;
    }
}

#[guvectorize("(n,m)->(n,m)")]
fn stochastic(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
    for i in 0..a.nrows() {
        let row = a.row(i);
        normalised(row, a.row(i).sum(), out.row_mut(i));
    }
}

/// Sums of rows, of columns and of everything, which are recorded.
#[guvectorize("(n,m)->(n),(m),()")]
fn margins(
    a: ArrayView2<f64>,
    mut rows: ArrayViewMut1<f64>,
    mut columns: ArrayViewMut1<f64>,
    all: &mut f64,
) {
    for i in 0..a.nrows() {
        rows[i] = a.row(i).sum();
    }
    for j in 0..a.ncols() {
        columns[j] = a.column(j).sum() * 2.0;
    }
    *all = a.sum();
}

#[guvectorize("(n)->()")]
fn total(x: ArrayView1<i32>) -> i32 {
    if x.len() > 2 { x.sum() } else { -1 }
}

fn numbers(shape: &[usize]) -> ndarray::ArrayD<f64> {
    let mut k = 0.0;
    ndarray::ArrayD::from_shape_simple_fn(shape, || {
        k += 1.0;
        (k * 0.7f64).sin() + 2.0
    })
}

fn close(got: &ndarray::ArrayD<f64>, wanted: &ndarray::ArrayD<f64>) {
    assert_eq!(got.shape(), wanted.shape());
    for (got, wanted) in got.iter().zip(wanted) {
        assert!((got - wanted).abs() <= 1e-13 * wanted.abs().max(1.0), "{got} for {wanted}");
    }
}

#[test]
fn functions_over_views_are_called() {
    let (z, a) = (numbers(&[3, 50]), numbers(&[7]));
    let got =
        tendency::call(&DeviceArray::try_from(&z).unwrap(), &DeviceArray::try_from(&a).unwrap());
    let mut wanted = z.clone();
    for (row, mut out) in z.axis_iter(Axis(0)).zip(wanted.axis_iter_mut(Axis(0))) {
        let row = row.into_dimensionality().unwrap();
        let a = a.view().into_dimensionality().unwrap();
        tendency(row, a, out.view_mut().into_dimensionality().unwrap());
    }
    close(&got.copy_to_host().unwrap(), &wanted);
}

#[test]
fn functions_over_slices_are_generic() {
    let (x, on) = (numbers(&[4, 9]), numbers(&[9]) - 2.5);
    let (dx, don) = (DeviceArray::try_from(&x).unwrap(), DeviceArray::try_from(&on).unwrap());
    let got = projected::call(&dx, &don).copy_to_host().unwrap();
    let single = projected::call(&dx.cast::<f32>(), &don.cast::<f32>()).cast::<f64>();
    let mut wanted = x.clone();
    for (row, mut out) in x.axis_iter(Axis(0)).zip(wanted.axis_iter_mut(Axis(0))) {
        projected(row.to_slice().unwrap(), on.as_slice().unwrap(), out.as_slice_mut().unwrap());
    }
    close(&got, &wanted);
    let error = single.copy_to_host().unwrap() - wanted;
    assert!(error.iter().all(|x| x.abs() < 1e-5));
}

#[test]
fn rows_are_handed_on() {
    let a = numbers(&[2, 5, 6]);
    let got = stochastic::call(&DeviceArray::try_from(&a).unwrap());
    let sums = a.sum_axis(Axis(2)).insert_axis(Axis(2));
    close(&got.copy_to_host().unwrap(), &(a / sums));
}

#[test]
fn rows_and_columns_are_summed() {
    for shape in [[4, 3, 5], [1, 0, 5], [2, 3, 0], [1, 40, 300]] {
        let a = numbers(&shape);
        let (rows, columns, all) = margins::call(&DeviceArray::try_from(&a).unwrap());
        close(&rows.copy_to_host().unwrap(), &a.sum_axis(Axis(2)));
        close(&columns.copy_to_host().unwrap(), &(a.sum_axis(Axis(1)) * 2.0));
        close(&all.copy_to_host().unwrap(), &a.sum_axis(Axis(2)).sum_axis(Axis(1)));
    }
    let rows = Array2::from_shape_fn((3, 7), |(i, j)| (i * j) as i32);
    let got = total::call(&DeviceArray::try_from(&rows).unwrap()).to_vec().unwrap();
    assert_eq!(got, rows.sum_axis(Axis(1)).to_vec());
    let short = Array1::from_vec(vec![1, 2]);
    assert_eq!(total::call(&DeviceArray::try_from(&short).unwrap()).item().unwrap(), -1);
}

/// Sums of rows are recorded, so that they join the kernel around them.
#[test]
fn sums_of_rows_are_recorded() {
    let a = DeviceArray::try_from(&numbers(&[30, 40])).unwrap();
    let (rows, ..) = margins::call(&(&a * 2.0).sqrt());
    let plan = lazuli::explain(&[&(rows + 1.0)]);
    assert_eq!((plan.library_calls(), plan.kernels()), (0, 1));
}
