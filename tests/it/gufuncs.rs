//! Gufuncs on every device against the plain Rust functions: those whose loops are recorded, and
//! those that run item by item.

use crate::support::{Rng, on_each_device, panic_message};
use lazuli::prelude::*;
use ndarray::{
    Array1, Array2, Array3, ArrayD, ArrayView1, ArrayView2, ArrayViewMut0, ArrayViewMut1,
    ArrayViewMut2, Axis, Ix2, arr0,
};

#[guvectorize("(n,m)->(n)")]
fn row_sum<T: Float>(a: ArrayView2<T>, mut out: ArrayViewMut1<T>) {
    for i in 0..a.nrows() {
        let mut sum = T::ZERO;
        for j in 0..a.ncols() {
            sum += a[[i, j]];
        }
        out[i] = sum;
    }
}

#[guvectorize("(n,m),(m,p)->(n,p)")]
fn product(a: ArrayView2<f64>, b: ArrayView2<f64>, mut c: ArrayViewMut2<f64>) {
    let (n, m) = a.dim();
    let p = b.shape()[1];
    for i in 0..n {
        for j in 0..p {
            c[[i, j]] = 0.0;
            for k in 0..m {
                c[(i, j)] += a[(i, k)] * b[[k, j]];
            }
        }
    }
}

#[guvectorize("(n),(m)->(n)")]
fn smooth(z: &[f64], a: &[f64], x: &mut [f64]) {
    let (n, s) = (z.len(), a.len() / 2);
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..a.len() {
            let weight = if j == 0 || j == a.len() - 1 { 0.5 * a[j] } else { a[j] };
            sum += weight * z[(i + n * (s + 1) - j + s) % n];
        }
        x[i] = sum;
    }
}

/// Several results, a scalar argument, a scalar result, arrays of its own, a branch, and loops
/// that begin and end inside.
#[guvectorize("(n),()->(n),(),(n)")]
fn statistics(
    x: ArrayView1<f64>,
    power: f64,
    mut scaled: ArrayViewMut1<f64>,
    total: &mut f64,
    mut edges: ArrayViewMut1<f64>,
) {
    let n = x.len();
    let mut squares = Array1::<f64>::zeros(n);
    let (mut sum, mut largest, mut positive) = (0.0, f64::NEG_INFINITY, 0);
    for i in 0..n {
        squares[i] = x[i] * x[i];
        sum += squares[i];
        largest = largest.max(x[i]);
        if x[i] > 0.0 {
            positive += 1;
        }
    }
    let mean = sum / n as f64;
    for i in 0..n {
        let (s, c) = (squares[i] - mean).sin_cos();
        let mut value = s * power;
        if c < 0.0 {
            value += 1.0;
        }
        scaled[i] = value + largest * i as f64;
    }
    *total = mean + positive as f64;
    for i in 1..n - 1 {
        edges[i] = x[i + 1] - x[i - 1];
    }
    edges[0] = x[0];
    edges[n - 1] += x[n - 1];
}

/// Each element depends on the one before: nothing but one item after the other will do.
#[guvectorize("(n),()->(n)")]
fn decay(x: ArrayView1<f64>, rate: f64, mut out: ArrayViewMut1<f64>) {
    out[0] = x[0];
    for i in 1..x.len() {
        out[i] = x[i] + rate * out[i - 1];
    }
}

/// Numba's moving average, with a window that each item brings.
#[guvectorize("(n),()->(n)")]
fn moving_mean(a: ArrayView1<f64>, window: i64, mut out: ArrayViewMut1<f64>) {
    let mut sum = 0.0;
    let mut count = 0;
    let window = window as usize;
    for i in 0..window {
        sum += a[i];
        count += 1;
        out[i] = sum / count as f64;
    }
    for i in window..a.len() {
        sum += a[i] - a[i - window];
        out[i] = sum / count as f64;
    }
}

/// Results that are given back, with places that depend on the elements.
#[guvectorize("(n),(3)->(),()")]
fn looked_up(table: ArrayView1<f32>, at: ArrayView1<i32>) -> (f32, i64) {
    let mut sum = 0.0;
    let mut count = 0i64;
    for k in 0..3 {
        let place = at[k];
        if place < 0 {
            break;
        }
        sum += table[place as usize];
        count += 1;
    }
    (sum, count)
}

#[guvectorize("(n),(n)->()")]
fn dot<T: Float>(a: ArrayView1<T>, b: ArrayView1<T>) -> T {
    let mut sum = T::ZERO;
    for i in 0..a.len() {
        sum = sum + a[i] * b[i];
    }
    sum
}

fn numbers(len: usize, seed: u64) -> Vec<f64> {
    let mut rng = Rng(seed);
    (0..len).map(|_| rng.within(-2.0, 2.0)).collect()
}

fn close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    for (k, (f, w)) in found.iter().zip(wanted).enumerate() {
        let same =
            f == w || f.is_nan() && w.is_nan() || (f - w).abs() <= tolerance * w.abs().max(1.0);
        assert!(same, "element {k}: {f} where {w} is right");
    }
}

/// How often a library is called, and how many kernels run.
fn counts(arrays: &[&dyn AnyArray]) -> (usize, usize) {
    let plan = lazuli::explain(arrays);
    (plan.library_calls(), plan.kernels())
}

#[test]
fn rows_of_matrices_and_of_stacks_of_them() {
    on_each_device(|_| {
        for shape in [[1, 4, 5], [3, 7, 300], [2, 1, 1], [4, 3, 0], [1, 60, 2000]] {
            let [k, n, m] = shape;
            let values = numbers(k * n * m, 3);
            let a = Array3::from_shape_vec(shape, values).unwrap();
            let mut wanted = Array2::zeros((k, n));
            for (a, mut out) in a.outer_iter().zip(wanted.outer_iter_mut()) {
                row_sum(a.view(), out.view_mut());
            }
            let found = row_sum::call(&to_device(&a).unwrap());
            assert_eq!(found.shape(), [k, n]);
            close(&found.to_vec().unwrap(), wanted.as_slice().unwrap(), 1e-12);
        }
    });
}

#[test]
fn producers_and_consumers_are_in_the_kernel() {
    on_each_device(|_| {
        let a = DeviceArray::from_vec([40, 50], numbers(2000, 4)).unwrap();
        let y = row_sum::call(&(&a * 2.0 + 1.0)).sqrt() * 3.0;
        assert_eq!(counts(&[&y]), (0, 1));
        let x = a.exp().permute(&[1, 0]);
        let y = product::call(&a, &x);
        assert_eq!(y.shape(), [40, 40]);
        assert_eq!(counts(&[&y]).0, 0);
        let host = a.copy_to_host().unwrap().into_dimensionality().unwrap();
        let mut wanted = Array2::zeros((40, 40));
        product(host.view(), host.mapv(f64::exp).t(), wanted.view_mut());
        close(&y.to_vec().unwrap(), wanted.as_slice().unwrap(), 1e-11);
    });
}

#[test]
fn arguments_broadcast_along_the_axes_of_items() {
    on_each_device(|_| {
        let a = DeviceArray::from_vec([5, 1, 2, 3], numbers(30, 5)).unwrap();
        let b = DeviceArray::from_vec([4, 3, 6], numbers(72, 6)).unwrap();
        let found = product::call(&a, &b);
        assert_eq!(found.shape(), [5, 4, 2, 6]);
        close(&found.to_vec().unwrap(), &a.matmul(&b).to_vec().unwrap(), 1e-13);
        let half = dot::call(&a.cast::<f32>(), &b.slice(s![0, .., 0]).cast::<f32>());
        assert_eq!(half.shape(), [5, 1, 2]);
    });
}

#[test]
fn a_ring_of_weights() {
    on_each_device(|_| {
        for (n, m) in [(30, 5), (1, 3), (3, 9), (960, 25), (7, 1)] {
            let (z, a) = (numbers(n, 7), numbers(m, 8));
            let mut wanted = vec![0.0; n];
            smooth(&z, &a, &mut wanted);
            let (dz, da) = (DeviceArray::from_slice(&z), DeviceArray::from_slice(&a));
            let found = smooth::call(&dz.unwrap(), &da.unwrap());
            assert_eq!(counts(&[&found]), (0, 1), "{n}, {m}");
            close(&found.to_vec().unwrap(), &wanted, 1e-12);
        }
    });
}

#[test]
fn several_results_scalars_and_arrays_of_its_own() {
    on_each_device(|_| {
        for (items, n) in [(1, 3), (6, 40), (3, 1000), (2, 2)] {
            let x = numbers(items * n, 9);
            let power = numbers(items, 10);
            let dx = DeviceArray::from_vec([items, n], x.clone()).unwrap();
            let dp = DeviceArray::from_slice(&power).unwrap();
            let (scaled, total, edges) = statistics::call(&dx, &dp);
            assert_eq!((scaled.shape(), total.shape()), (&[items, n][..], &[items][..]));
            assert_eq!(counts(&[&scaled, &total, &edges]).0, 0);
            eval(&[&scaled, &total, &edges]).unwrap();
            let found =
                [scaled.to_vec().unwrap(), total.to_vec().unwrap(), edges.to_vec().unwrap()];
            for item in 0..items {
                let row = item * n..(item + 1) * n;
                let (mut s, mut t, mut e) = (Array1::zeros(n), 0.0, Array1::zeros(n));
                let x = ArrayView1::from(&x[row.clone()]);
                statistics(x, power[item], s.view_mut(), &mut t, e.view_mut());
                close(&found[0][row.clone()], s.as_slice().unwrap(), 1e-11);
                close(&found[1][item..item + 1], &[t], 1e-12);
                close(&found[2][row], e.as_slice().unwrap(), 0.0);
            }
        }
    });
}

#[test]
fn turns_that_need_each_other_run_item_by_item() {
    on_each_device(|_| {
        let x = numbers(6 * 50, 11);
        let dx = DeviceArray::from_vec([3, 2, 50], x.clone()).unwrap();
        let rates = DeviceArray::from_slice(&[0.5, -0.25]).unwrap();
        let found = decay::call(&(&dx + 0.0), &rates) * 2.0;
        assert_eq!(counts(&[&found]).0, 1);
        let windows = DeviceArray::from_vec([3, 1], vec![1i64, 4, 50]).unwrap();
        let means = moving_mean::call(&dx, &windows).to_vec().unwrap();
        let found = found.to_vec().unwrap();
        for item in 0..6 {
            let row = item * 50..(item + 1) * 50;
            let mut wanted = Array1::zeros(50);
            let own = ArrayView1::from(&x[row.clone()]);
            decay(own, [0.5, -0.25][item % 2], wanted.view_mut());
            close(&found[row.clone()], (wanted * 2.0).as_slice().unwrap(), 1e-13);
            let mut wanted = Array1::zeros(50);
            moving_mean(own, [1, 4, 50][item / 2], wanted.view_mut());
            close(&means[row], wanted.as_slice().unwrap(), 1e-13);
        }
        let all = decay::call(&dx.broadcast_to([4, 3, 2, 50]), 0.5);
        assert_eq!(all.shape(), [4, 3, 2, 50]);
        let first = decay::call(&dx, 0.5).to_vec().unwrap();
        assert_eq!(all.to_vec().unwrap()[900..], first[..]);
    });
}

#[test]
fn results_that_are_given_back() {
    on_each_device(|_| {
        let table = DeviceArray::from_slice(&[1.0f32, 2.0, 4.0, 8.0]).unwrap();
        let at = [[0, 1, 2], [3, -1, 0], [-1, 0, 0], [3, 3, 3]];
        let places = DeviceArray::from_vec([4, 3], at.concat()).unwrap();
        let (sums, counts) = looked_up::call(&table, &places);
        assert_eq!(sums.to_vec().unwrap(), [7.0, 8.0, 0.0, 24.0]);
        assert_eq!(counts.to_vec().unwrap(), [3, 1, 0, 3]);
        let x = DeviceArray::from_slice(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(dot::call(&x, &x).item().unwrap(), 14.0);
    });
}

#[test]
fn no_items_and_no_elements() {
    on_each_device(|_| {
        let none = DeviceArray::<f64>::zeros([0, 3, 4]);
        assert_eq!(row_sum::call(&none).shape(), [0, 3]);
        let thin = DeviceArray::<f64>::zeros([3, 0]);
        assert_eq!(row_sum::call(&thin).to_vec().unwrap(), [0.0; 3]);
        assert_eq!(moving_mean::call(&DeviceArray::<f64>::zeros([2, 0]), 0i64).shape(), [2, 0]);
        let (sums, counts) = looked_up::call(
            &DeviceArray::<f32>::zeros([0]),
            &DeviceArray::from_slice(&[-1, 0, 0]).unwrap(),
        );
        assert_eq!((sums.item().unwrap(), counts.item().unwrap()), (0.0, 0));
    });
}

#[test]
fn shapes_that_do_not_go_together() {
    let a = DeviceArray::<f64>::zeros([3, 4]);
    let error = product::try_call(&a, &a).unwrap_err();
    assert!(error.is_shape(), "{error}");
    assert!(error.to_string().contains("product: dimension m is 4 in a and 3 in b"), "{error}");
    let error = row_sum::try_call(&DeviceArray::<f64>::zeros([3])).unwrap_err().to_string();
    assert!(error.contains("row_sum: a has the core (n,m), and an array of shape [3]"), "{error}");
    assert!(error.contains("gufuncs.rs"), "{error}");
    let at = DeviceArray::<i32>::zeros([4]);
    let error = looked_up::try_call(&DeviceArray::<f32>::zeros([2]), &at).unwrap_err().to_string();
    assert!(error.contains("a length of 4 was given where it is always 3"), "{error}");
    let wide = DeviceArray::<f64>::zeros([2, 3, 4]);
    let error = product::try_call(&wide, &DeviceArray::<f64>::zeros([3, 4, 5])).unwrap_err();
    assert!(error.to_string().contains("do not broadcast"), "{error}");
    let said = panic_message(|| product::call(&a, &a));
    assert!(said.contains("dimension m is 4"), "{said}");
}

/// Reads behind the end.
#[guvectorize("(n)->(n)")]
fn differences(x: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..x.len() {
        out[i] = x[i + 1] - x[i];
    }
}

#[test]
fn an_index_out_of_range_is_an_error() {
    on_each_device(|_| {
        let error = differences::try_call(&DeviceArray::<f64>::zeros([4])).unwrap_err().to_string();
        assert!(error.contains("differences: index 4 of axis 0 is out of range of x"), "{error}");
    });
    Device::cpu().scope(|| {
        let places = DeviceArray::from_slice(&[0, 9, 0]).unwrap();
        let (sums, _) = looked_up::call(&DeviceArray::<f32>::zeros([4]), &places);
        let error = sums.to_vec().unwrap_err().to_string();
        assert!(error.contains("looked_up: the function panicked"), "{error}");
    });
}

#[test]
fn another_size_and_another_scalar_compile_nothing() {
    on_each_device(|_| {
        let run = |n: usize, power: f64| {
            let x = DeviceArray::from_vec([4, n], numbers(4 * n, n as u64)).unwrap();
            let (scaled, total, _) = statistics::call(&x, power);
            eval(&[&scaled, &total]).unwrap();
        };
        run(600, 1.0);
        let before = lazuli::counters().compiled;
        run(616, 2.0);
        assert_eq!(lazuli::counters().compiled, before);
    });
}

#[test]
fn lengths_by_ndarrays_names() {
    #[guvectorize("(n,m)->(m,n)")]
    fn turned(a: ArrayView2<i32>, mut out: ArrayViewMut2<i32>) {
        for i in (0..a.len_of(Axis(0))).rev() {
            for j in (0..out.nrows()).step_by(1) {
                let k = a.ncols() - 1 - j;
                out[[k, i]] = a[[i, k]] * 2;
            }
        }
    }
    on_each_device(|_| {
        let a = DeviceArray::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6]).unwrap();
        let found = turned::call(&a);
        assert_eq!(counts(&[&found]), (0, 1));
        assert_eq!(found.to_vec().unwrap(), [2, 8, 4, 10, 6, 12]);
    });
}

/// Writes some of its result, and reads what it did not write.
#[guvectorize("(n)->(n)")]
fn sparse(x: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    let mut k = 0;
    while k < x.len() {
        out[k] += x[k];
        k += 2;
    }
}

#[test]
fn results_begin_as_zeros() {
    on_each_device(|_| {
        let x = DeviceArray::from_vec([3, 5], (1..16).map(f64::from).collect()).unwrap();
        for _ in 0..3 {
            // Memory that was used before is used again.
            (&x + 1.0).eval().unwrap();
            let found = sparse::call(&x).slice(s![.., 1..4]).to_vec().unwrap();
            assert_eq!(found, [0.0, 3.0, 0.0, 0.0, 8.0, 0.0, 0.0, 13.0, 0.0]);
        }
    });
}

/// Sums with a guard, which is not seen through: threads share the turns of the outer loop.
#[guvectorize("(n),(k)->(n)")]
fn causal(x: ArrayView1<f64>, w: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    for i in 0..x.len() {
        for j in 0..w.len() {
            if i >= j {
                out[i] += w[j] * x[i - j];
            }
        }
    }
}

#[test]
fn turns_are_shared_where_the_loops_cannot_be_recorded() {
    on_each_device(|device| {
        for (items, n) in [(1, 5000), (300, 40), (7, 1)] {
            let (x, w) = (numbers(items * n, 12), numbers(6, 13));
            let dx = DeviceArray::from_vec([items, n], x.clone()).unwrap();
            let found = causal::call(&dx, &DeviceArray::from_slice(&w).unwrap());
            let plan = lazuli::explain(&[&found]);
            assert_eq!(plan.library_calls(), 1);
            if device.is_cuda() && n > 1 {
                assert!(plan.to_string().contains(" threads for each"), "{plan}");
            }
            let found = found.to_vec().unwrap();
            for item in 0..items {
                let row = item * n..(item + 1) * n;
                let mut wanted = Array1::zeros(n);
                let x = ArrayView1::from(&x[row.clone()]);
                causal(x, ArrayView1::from(&w), wanted.view_mut());
                close(&found[row], wanted.as_slice().unwrap(), 1e-13);
            }
        }
    });
}

/// Neighbours held within the picture, twice: both bounds are one.
#[guvectorize("(h,w)->(h,w)")]
fn blur(a: ArrayView2<u8>, mut out: ArrayViewMut2<u8>) {
    let (h, w) = a.dim();
    for y in 0..h {
        for x in 0..w {
            let mut sum = 0u32;
            for dy in 0..3 {
                for dx in 0..3 {
                    let yy = (y + dy).saturating_sub(1).min(h - 1);
                    let xx = (x + dx).saturating_sub(1).min(w - 1);
                    sum += a[[yy, xx]] as u32;
                }
            }
            out[[y, x]] = (sum / 9) as u8;
        }
    }
}

#[test]
fn bounds_that_hold_a_place() {
    on_each_device(|_| {
        for (h, w) in [(9, 12), (1, 3), (2, 2)] {
            let values: Vec<u8> = (0..h * w).map(|k| (k * 37 % 251) as u8).collect();
            let a = Array2::from_shape_vec((h, w), values).unwrap();
            let mut wanted = Array2::zeros((h, w));
            blur(a.view(), wanted.view_mut());
            let found = blur::call(&to_device(&a).unwrap());
            assert_eq!(counts(&[&found]), (0, 1));
            assert_eq!(found.to_vec().unwrap(), wanted.into_raw_vec_and_offset().0);
        }
    });
}

#[guvectorize("(n),(n),()->(n),()")]
fn blend<T: Float>(
    a: ArrayView1<T>,
    b: ArrayView1<T>,
    t: T,
    mut out: ArrayViewMut1<T>,
    total: &mut T,
) {
    let mut sum = T::ZERO;
    for i in 0..a.len() {
        let d = b[i] - a[i];
        out[i] = a[i] + t * d;
        sum += (a[i] - b[i]) * d / (a[i] + b[i]);
    }
    *total = sum;
}

/// A number that sums begin with, that is written, that decides, and that others are computed from.
#[guvectorize("(n),(),()->(n),(n),(),()")]
fn uses(
    a: &[f64],
    t: f64,
    k: i64,
    scaled: &mut [f64],
    written: &mut [f64],
    total: &mut f64,
    own: &mut f64,
) {
    let factor = t.cos() * k as f64;
    let mut sum = t;
    for i in 0..a.len() {
        scaled[i] = factor * a[i];
        written[i] = t;
        sum += a[i];
        if t > 0.5 {
            written[i] = a[i];
        }
    }
    *total = sum;
    *own = factor + 1.0;
}

/// The part of it that asks for no number.
#[guvectorize("(n),(),()->(n),()")]
fn multiples(a: &[f64], t: f64, k: i64, scaled: &mut [f64], own: &mut f64) {
    let factor = t.cos() * k as f64;
    for i in 0..a.len() {
        scaled[i] = factor * a[i];
    }
    *own = factor + 1.0;
}

#[test]
fn calls_with_numbers_keep_them_apart() {
    fn same(got: &[f64], wanted: &[f64]) {
        for (got, wanted) in got.iter().zip(wanted) {
            let near = (got - wanted).abs() <= 1e-14 * wanted.abs();
            assert!(near || got.is_nan() && wanted.is_nan(), "{got} for {wanted}");
        }
    }
    on_each_device(|_| {
        let items = [[1.0, -2.0, 4.0], [0.5, 0.0, -0.0]];
        let a = DeviceArray::from_vec([2, 3], items.concat()).unwrap();
        for (t, k) in [(0.25, 2), (0.75, 2), (0.0, -3), (-0.0, 1), (f64::NAN, 1), (0.25, 2)] {
            let (scaled, written, total, own) = uses::call(&a, t, k);
            let (multiple, also) = multiples::call(&a, t, k);
            let (each, _) = multiples::call(&a, DeviceArray::from_slice(&[t, 2.0]).unwrap(), k);
            for (row, item) in items.iter().enumerate() {
                let (mut s, mut w, mut sum, mut o) = ([0.0; 3], [0.0; 3], 0.0, 0.0);
                uses(item, t, k, &mut s, &mut w, &mut sum, &mut o);
                let of = |x: &DeviceArray<f64>| x.to_vec().unwrap()[3 * row..][..3].to_vec();
                same(&of(&scaled), &s);
                same(&of(&multiple), &s);
                same(&of(&written), &w);
                same(&total.to_vec().unwrap()[row..=row], &[sum]);
                same(&own.to_vec().unwrap()[row..=row], &[o]);
                same(&also.to_vec().unwrap()[row..=row], &[o]);
                let mut other = [0.0; 3];
                multiples(item, [t, 2.0][row], k, &mut other, &mut o);
                same(&of(&each), &other);
            }
        }
    });
}

/// What was recorded for one call is recorded again for others, with their own arguments.
#[test]
fn calls_of_one_signature_keep_their_arguments_apart() {
    fn wanted(a: &[f64], b: &[f64], t: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = a.len() / t.len();
        let item = |k: usize| (k * n..(k + 1) * n).map(|i| (a[i], b[i]));
        let out = |k: usize| item(k).map(move |(a, b)| a + t[k] * (b - a));
        let total = |k: usize| item(k).map(|(a, b)| (a - b) * (b - a) / (a + b)).sum();
        ((0..t.len()).flat_map(out).collect(), (0..t.len()).map(total).collect())
    }
    let array = |shape: [usize; 2], seed: u64| {
        let values: Vec<f64> =
            numbers(shape[0] * shape[1], seed).iter().map(|x| x.abs() + 1.0).collect();
        DeviceArray::from_vec(shape, values).unwrap()
    };
    on_each_device(|_| {
        for (shape, seed) in [([3, 5], 1), ([3, 5], 2), ([2, 7], 3), ([3, 5], 4)] {
            let (x, y) = (array(shape, seed), array(shape, seed + 10));
            let t = DeviceArray::from_slice(&numbers(shape[0], seed + 20)).unwrap();
            let sums = &x + &y;
            for (a, b) in [(&x, &y), (&y, &x), (&x, &x), (&sums, &y)] {
                let (out, total) = blend::call(a, b, &t);
                let right =
                    wanted(&a.to_vec().unwrap(), &b.to_vec().unwrap(), &t.to_vec().unwrap());
                close(&out.to_vec().unwrap(), &right.0, 1e-14);
                close(&total.to_vec().unwrap(), &right.1, 1e-13);
            }
            // A number in the place of an array, and another type.
            for number in [0.25, 0.5] {
                let (out, _) = blend::call(&x, &y, number);
                let t = vec![number; shape[0]];
                let right = wanted(&x.to_vec().unwrap(), &y.to_vec().unwrap(), &t);
                close(&out.to_vec().unwrap(), &right.0, 1e-14);
            }
            let (out, _) = blend::call(&x.cast::<f32>(), &y.cast::<f32>(), &t.cast::<f32>());
            let right = wanted(&x.to_vec().unwrap(), &y.to_vec().unwrap(), &t.to_vec().unwrap());
            let out: Vec<f64> = out.to_vec().unwrap().into_iter().map(f64::from).collect();
            close(&out, &right.0, 1e-5);
        }
    });
}

/// Sums that begin with what a place further out has: a number or an item's, an element of an outer
/// loop, what a variable of the same place had before.
#[guvectorize("(n,m),(n),(),()->(n,m),(n),()")]
fn begun_elsewhere(
    x: ArrayView2<f64>,
    y: ArrayView1<f64>,
    number: f64,
    items: f64,
    mut parts: ArrayViewMut2<f64>,
    mut sums: ArrayViewMut1<f64>,
    mut all: ArrayViewMut0<f64>,
) {
    let (n, m) = x.dim();
    let mut total = items;
    for i in 0..n {
        let first = y[i];
        let mut sum = number;
        for j in 0..m {
            let mut part = first;
            for k in 0..n {
                part += x[[k, j]];
            }
            parts[[i, j]] = part;
            sum += x[[i, j]];
        }
        let mut product = 1.0;
        if m > 0 {
            product = first;
        }
        for j in 0..m {
            product *= x[[i, j]] + items;
        }
        let (mut low, high) = (items, number);
        for j in 0..m {
            low -= x[[i, j]];
        }
        sums[i] = sum + product + low * high;
        total += sum;
    }
    all[[]] = total;
}

#[test]
fn sums_begin_with_what_is_known_further_out() {
    on_each_device(|_| {
        let (items, n, m) = (3, 4, 5);
        let x = ArrayD::from_shape_fn(vec![items, n, m], |i| (i[0] * 31 + i[1] * 7 + i[2]) as f64);
        let y = ArrayD::from_shape_fn(vec![items, n], |i| 0.5 + (i[0] + 2 * i[1]) as f64);
        let s = ArrayD::from_shape_fn(vec![items], |i| 0.25 * i[0] as f64 - 1.0);
        let [dx, dy, ds] = [&x, &y, &s].map(|a| DeviceArray::from_ndarray(a).unwrap());
        for number in [0.0, -2.5, 3.0] {
            let (parts, sums, all) = begun_elsewhere::call(&dx, &dy, number, &ds);
            assert_eq!(counts(&[&parts, &sums, &all]).0, 0, "recorded");
            let found = (
                parts.copy_to_host().unwrap(),
                sums.copy_to_host().unwrap(),
                all.copy_to_host().unwrap(),
            );
            for item in 0..items {
                let (own, start) = (x.index_axis(Axis(0), item), s[[item]]);
                let own = own.into_dimensionality::<Ix2>().unwrap();
                let mut parts = Array2::zeros((n, m));
                let (mut sums, mut all) = (Array1::zeros(n), arr0(0.0));
                begun_elsewhere(
                    own,
                    y.index_axis(Axis(0), item).into_dimensionality().unwrap(),
                    number,
                    start,
                    parts.view_mut(),
                    sums.view_mut(),
                    all.view_mut(),
                );
                let near = |a: &f64, b: &f64| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
                let of = |a: &ArrayD<f64>| a.index_axis(Axis(0), item).to_owned();
                let same = |a: ArrayD<f64>, b: ArrayD<f64>| {
                    assert!(a.iter().zip(&b).all(|(a, b)| near(a, b)), "{a} {b}");
                };
                same(of(&found.0.clone().into_dyn()), parts.into_dyn());
                same(of(&found.1.clone().into_dyn()), sums.into_dyn());
                same(of(&found.2.clone().into_dyn()), all.into_dyn());
            }
        }
    });
}
