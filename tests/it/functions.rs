//! User functions on arrays, on every device, against the plain Rust functions.

use crate::support::{on_each_device, panic_message};
use lazuli::prelude::*;

#[device]
fn damped<T: Float>(x: T, rate: T) -> T {
    (-(x * rate)).exp() * x.cos()
}

#[vectorize]
fn wave<T: Float>(x: T, rate: T) -> T {
    if x < T::ZERO {
        return T::ZERO;
    }
    damped(x, rate)
}

#[vectorize]
fn split(x: f64, n: i32) -> (f64, i64, bool) {
    let mut total = 0i64;
    for k in 0..n {
        total += (x * k as f64) as i64;
    }
    (x.fract(), total, total > 10)
}

#[vectorize]
fn escape(c: Complex<f32>, limit: u8) -> u8 {
    let mut z = Complex::new(0.0, 0.0);
    for k in 0..limit {
        z = z * z + c;
        if z.norm_sqr() >= 4.0 {
            return k;
        }
    }
    limit
}

fn ramp(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i as f64 * 0.618_033_988_749_895) % 1.0 * 12.0 - 3.0).collect()
}

fn close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    for (k, (a, b)) in found.iter().zip(wanted).enumerate() {
        let same = a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance;
        assert!(same, "element {k}: {a}, not {b}");
    }
}

#[vectorize]
fn fused<T: Float>(a: T, b: T, c: T) -> T {
    a.mul_add(b, c)
}

#[test]
fn mul_add_of_halves_rounds_once() {
    on_each_device(|_| {
        // By exact fractions; a float rounds all of these to a tie, a double the last one, too.
        let f16s = [[0xc06e, 0x7100, 0x0e59], [0x2f19, 0x8529, 0x86f2], [0xde20, 0xab2f, 0x6f1c]];
        let bf16s = [[0x3c60, 0x16dc, 0x004d], [0x73a4, 0x0130, 0xa1cc], [0x639c, 0xa0d0, 0x164e]];
        let part = |all: &[[u16; 3]; 3], k: usize| all.map(|bits| bits[k]);
        let [a, b, c] = [0, 1, 2]
            .map(|k| DeviceArray::from_slice(&part(&f16s, k).map(f16::from_bits)).unwrap());
        let wanted = [-22672.0, -0.00011473894, 7300.0].map(f16::from_f32);
        assert_eq!(a.mul_add(&b, &c).to_vec().unwrap(), wanted);
        assert_eq!(fused::call(&a, &b, &c).to_vec().unwrap(), wanted);
        assert_eq!(
            f16s.map(|[a, b, c]| fused(f16::from_bits(a), f16::from_bits(b), f16::from_bits(c))),
            wanted
        );
        let [a, b, c] = [0, 1, 2]
            .map(|k| DeviceArray::from_slice(&part(&bf16s, k).map(bf16::from_bits)).unwrap());
        let wanted = [4.872005e-27, 8.381903e-7, -2024.0].map(bf16::from_f32);
        assert_eq!(a.mul_add(&b, &c).to_vec().unwrap(), wanted);
        assert_eq!(fused::call(&a, &b, &c).to_vec().unwrap(), wanted);
    });
}

#[test]
fn calls_agree_with_the_function_itself() {
    on_each_device(|_| {
        for n in [0, 1, 15, 16, 17, 1000, 4099] {
            let x = ramp(n);
            let dx = DeviceArray::from_slice(&x).unwrap();
            let wanted: Vec<f64> = x.iter().map(|&x| wave(x, 0.25)).collect();
            close(&wave::call(&dx, 0.25).to_vec().unwrap(), &wanted, 1e-14);
            let single = wave::call(&dx.cast::<f32>(), 0.25).to_vec().unwrap();
            let single: Vec<f64> = single.into_iter().map(f64::from).collect();
            close(&single, &wanted, 2e-5);
        }
    });
}

#[test]
fn large_and_special_arguments() {
    on_each_device(|_| {
        // Angles for which the fast cosine is not good enough, among others.
        let x = [0.0, -0.0, 1e9, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 3.0, 2e15];
        let x: Vec<f64> = x.into_iter().cycle().take(50).collect();
        let wanted: Vec<f64> = x.iter().map(|&x| wave(x, 0.0)).collect();
        let found = wave::call(&DeviceArray::from_slice(&x).unwrap(), 0.0);
        close(&found.to_vec().unwrap(), &wanted, 1e-13);
    });
}

#[test]
fn results_of_several_types_broadcast_and_come_from_one_kernel() {
    on_each_device(|_| {
        let x = ramp(60);
        let dx = DeviceArray::from_vec([3, 20], x.clone()).unwrap();
        let n = DeviceArray::from_vec([3, 1], vec![0, 3, 7]).unwrap();
        let (fraction, total, large) = split::call(&dx, &n);
        assert_eq!(total.shape(), [3, 20]);
        let before = lazuli::counters();
        eval(&[&fraction, &total, &large]).unwrap();
        assert_eq!(lazuli::counters().kernels - before.kernels, 1);
        let wanted: Vec<_> = (0..60).map(|i| split(x[i], [0, 3, 7][i / 20])).collect();
        let parts = (fraction.to_vec().unwrap(), total.to_vec().unwrap(), large.to_vec().unwrap());
        for (i, wanted) in wanted.into_iter().enumerate() {
            assert_eq!((parts.0[i], parts.1[i], parts.2[i]), wanted, "element {i}");
        }
    });
}

#[test]
fn a_call_between_lazy_chains_is_one_kernel() {
    on_each_device(|_| {
        let x = DeviceArray::from_vec([40, 50], ramp(2000)).unwrap();
        let y = (wave::call((&x * 2.0).abs() + 1.0, x.mean(keep(-1)).abs()) * 3.0 - &x).sum(-1);
        let before = lazuli::counters();
        let found = y.to_vec().unwrap();
        assert_eq!(lazuli::counters().kernels - before.kernels, 1);
        let wanted: Vec<f64> = ramp(2000)
            .chunks(50)
            .map(|row| {
                let rate = (row.iter().sum::<f64>() / 50.0).abs();
                row.iter().map(|x| wave((x * 2.0).abs() + 1.0, rate) * 3.0 - x).sum()
            })
            .collect();
        close(&found, &wanted, 1e-11);
    });
}

#[test]
fn views_and_scalars_are_arguments_too() {
    on_each_device(|_| {
        let x = DeviceArray::from_vec([10, 12], ramp(120)).unwrap();
        let view = x.slice(s![..;-2, 1..7]).permute(&[1, 0]);
        let host = view.to_vec().unwrap();
        let wanted: Vec<f64> = host.iter().map(|&x| wave(x, 0.5)).collect();
        close(&wave::call(view, 0.5).to_vec().unwrap(), &wanted, 1e-14);
        let alone = wave::call(1.5, 0.5);
        assert_eq!(alone.shape(), [0usize; 0]);
        close(&[alone.item().unwrap()], &[wave(1.5, 0.5)], 1e-15);
    });
}

#[test]
fn complex_arguments() {
    on_each_device(|_| {
        let re = DeviceArray::<f32>::linspace(-2.0, 1.0, 31);
        let im = DeviceArray::<f32>::linspace(-1.0, 1.0, 21).insert_axis(1);
        let c = (re + DeviceArray::<f32>::zeros([21, 1])).to_complex(im);
        let found = escape::call(&c, 20).to_vec().unwrap();
        let wanted: Vec<u8> = c.to_vec().unwrap().into_iter().map(|c| escape(c, 20)).collect();
        // A point on the edge may escape a step earlier or later, by rounding.
        let differ = found.iter().zip(&wanted).filter(|(a, b)| a != b).count();
        assert!(differ <= 6, "{differ} of {} points differ", wanted.len());
    });
}

#[test]
fn wrong_shapes_are_named_with_the_line_of_the_caller() {
    let (a, b) = (DeviceArray::<f64>::zeros([3]), DeviceArray::<f64>::zeros([4]));
    let error = wave::try_call(&a, &b).unwrap_err();
    assert!(error.is_shape());
    let message = error.to_string();
    assert!(message.starts_with("wave: shapes [3] and [4] cannot be broadcast"), "{message}");
    assert!(message.contains("tests/it/functions.rs"), "{message}");
    let message = panic_message(|| wave::call(&a, &b));
    assert!(message.contains("tests/it/functions.rs"), "{message}");
}

#[test]
fn functions_inside_of_functions() {
    const OFFSET: f64 = 0.25;
    #[device]
    fn inner(x: f64) -> f64 {
        x + OFFSET
    }
    #[vectorize]
    fn outer(x: f64) -> f64 {
        inner(inner(x)) * 2.0
    }
    let x = DeviceArray::from_slice(&[1.0, 2.0]).unwrap();
    assert_eq!(outer::call(&x).to_vec().unwrap(), [3.0, 5.0]);
}

#[reduce(identity = 1.0)]
fn product(a: f64, b: f64) -> f64 {
    a * b
}

#[reduce(identity = T::NEG_INFINITY)]
fn largest<T: Float>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// Number, mean, and sum of the squares of the differences from it.
#[reduce(identity = (0.0, 0.0, 0.0))]
fn moments(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {
    let n = a.0 + b.0;
    if n == 0.0 {
        return a;
    }
    let d = b.1 - a.1;
    (n, a.1 + d * b.0 / n, a.2 + b.2 + d * d * a.0 * b.0 / n)
}

#[reduce(identity = (f64::NEG_INFINITY, i64::MAX))]
fn place(a: (f64, i64), b: (f64, i64)) -> (f64, i64) {
    if a.0 > b.0 || a.0 == b.0 && a.1 < b.1 { a } else { b }
}

#[test]
fn reductions_over_any_axes() {
    on_each_device(|_| {
        let x: Vec<f64> = ramp(3 * 70 * 5).iter().map(|x| 1.0 + x / 100.0).collect();
        let dx = DeviceArray::from_vec([3, 70, 5], x.clone()).unwrap();
        let whole: f64 = x.iter().product();
        assert!((product::reduce(&dx, ..).item().unwrap() / whole - 1.0).abs() < 1e-12);
        let middle = product::reduce(&dx, keep(1));
        assert_eq!(middle.shape(), [3, 1, 5]);
        let wanted: Vec<f64> =
            (0..15).map(|k| (0..70).map(|j| x[k / 5 * 350 + j * 5 + k % 5]).product()).collect();
        close(&middle.to_vec().unwrap(), &wanted, 1e-12);
        let largest_of = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(largest::reduce(&dx, ..).item().unwrap(), largest_of);
        let single = largest::reduce(&dx.cast::<f32>(), [0, 2]);
        assert_eq!(single.shape(), [70]);
        assert_eq!(
            product::reduce(&DeviceArray::<f64>::zeros([2, 0]), -1).to_vec().unwrap(),
            [1.0; 2]
        );
    });
}

#[test]
fn reductions_of_tuples() {
    on_each_device(|_| {
        let x = ramp(6 * 400);
        let dx = DeviceArray::from_vec([6, 400], x.clone()).unwrap();
        let (n, mean, squares) = moments::reduce((1.0, &dx, 0.0), -1);
        let variance = &squares / &n;
        let before = lazuli::counters();
        eval(&[&mean, &variance]).unwrap();
        assert_eq!(lazuli::counters().kernels - before.kernels, 1);
        let means: Vec<f64> = x.chunks(400).map(|r| r.iter().sum::<f64>() / 400.0).collect();
        let variances: Vec<f64> = x
            .chunks(400)
            .zip(&means)
            .map(|(r, m)| r.iter().map(|x| (x - m) * (x - m)).sum::<f64>() / 400.0)
            .collect();
        close(&mean.to_vec().unwrap(), &means, 1e-12);
        close(&variance.to_vec().unwrap(), &variances, 1e-11);
        let (value, at) = place::reduce((&dx, DeviceArray::<i64>::arange(0, 400, 1)), -1);
        assert_eq!(at.to_vec().unwrap(), dx.argmax(-1).to_vec().unwrap());
        assert_eq!(value.to_vec().unwrap(), dx.max(-1).to_vec().unwrap());
    });
}

/// The map `x -> c·(a·x + b) + d`: the first map first, so that order matters, and every bit does.
#[reduce(identity = (1, 0))]
fn compose(a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    (a.0.wrapping_mul(b.0), b.0.wrapping_mul(a.1).wrapping_add(b.1))
}

/// Short and long rows of even and odd lengths, one row and many, one component the same for all.
#[test]
fn reductions_keep_the_order_of_elements() {
    on_each_device(|_| {
        for (rows, n) in [
            (1, 1),
            (1, 2),
            (1, 7),
            (3, 16),
            (50, 31),
            (50, 32),
            (2, 1023),
            (1, 2050),
            (1, 300_001),
        ] {
            let factor = |k: usize| 2 * (k as i64 % 1009) + 1;
            let a: Vec<i64> = (0..rows * n).map(factor).collect();
            let b: Vec<i64> = (0..rows * n).map(|k| k as i64 % 777 - 300).collect();
            let [da, db] = [&a, &b].map(|x| DeviceArray::from_vec([rows, n], x.clone()).unwrap());
            let whole = |second: &dyn Fn(usize) -> i64| -> Vec<(i64, i64)> {
                let row = |r: usize| (r * n..(r + 1) * n).map(|k| (a[k], second(k)));
                (0..rows).map(|r| row(r).fold((1, 0), compose)).collect()
            };
            let (x, y) = compose::reduce((&da, &db), -1);
            let found: Vec<_> = x.to_vec().unwrap().into_iter().zip(y.to_vec().unwrap()).collect();
            assert_eq!(found, whole(&|k| b[k]), "{rows} rows of {n}");
            let (_, y) = compose::reduce((&da, 5i64), -1);
            let wanted: Vec<i64> = whole(&|_| 5).iter().map(|state| state.1).collect();
            assert_eq!(y.to_vec().unwrap(), wanted, "{rows} rows of {n}, one shift");
        }
    });
}

/// So long that each of a device's blocks folds many times what its warps have folded; with numbers
/// that are made on the way, and with stored ones.
#[test]
fn long_reductions_keep_the_order_of_elements() {
    on_each_device(|device| {
        let lengths =
            if device.is_cuda() { [20_000_003, 36_000_000] } else { [2_000_003, 100_000] };
        for (n, stored) in lengths.into_iter().zip([false, true]) {
            let at = DeviceArray::<i64>::arange(0, n, 1);
            let (a, b) = (&at % 1009 * 2 + 1, &at % 777 - 300);
            if stored {
                lazuli::eval(&[&a, &b]).unwrap();
            }
            let wanted = (0..n).map(|k| (k % 1009 * 2 + 1, k % 777 - 300)).fold((1, 0), compose);
            let (x, y) = compose::reduce((&a, &b), ..);
            lazuli::eval(&[&x, &y]).unwrap();
            assert_eq!((x.item().unwrap(), y.item().unwrap()), wanted, "{n}");
        }
    });
}

#[test]
fn reductions_refuse_axes_that_are_not_there() {
    let x = DeviceArray::<f64>::zeros([2, 3]);
    let error = product::try_reduce(&x, 2).unwrap_err();
    assert!(error.is_shape() && error.to_string().contains("product"), "{error}");
    let error = place::try_reduce((&x, DeviceArray::<i64>::zeros([4])), 0).unwrap_err();
    assert!(error.is_shape(), "{error}");
}

/// The distance on a sphere, of which every part but the last depends on one or two arguments.
#[vectorize]
fn sphere<T: Float>(lat: T, lon: T, lat0: T, lon0: T) -> (T, bool) {
    let half = T::from_f64(0.5);
    let s = (half * (lat - lat0)).sin();
    let a = s * s + lat.cos() * lat0.cos() * (half * (lon - lon0)).sin().powi(2);
    (a.atan2(T::ONE - a), s > T::ZERO && lon > lon0)
}

#[test]
fn what_depends_on_some_arguments_is_computed_along_their_axes() {
    on_each_device(|_| {
        let (lat, lon) = (ramp(300), ramp(200));
        let column = DeviceArray::from_vec([300, 1], lat.clone()).unwrap();
        let row = DeviceArray::from_slice(&lon).unwrap();
        let (d, west) = sphere::call(&column, &row, 0.25, 1.0);
        let before = lazuli::counters();
        eval(&[&d, &west]).unwrap();
        assert_eq!(lazuli::counters().kernels - before.kernels, 1);
        let wanted: Vec<_> =
            (0..60_000).map(|k| sphere(lat[k / 200], lon[k % 200], 0.25, 1.0)).collect();
        close(&d.to_vec().unwrap(), &wanted.iter().map(|w| w.0).collect::<Vec<_>>(), 1e-13);
        assert_eq!(west.to_vec().unwrap(), wanted.iter().map(|w| w.1).collect::<Vec<_>>());
        // Four calls along the mesh: two of the parts, and both results.
        let again = sphere::call(&column, &row, 0.25, 1.0).0;
        let plan = lazuli::explain(&[&again]);
        assert!(plan.dot().matches("sphere").count() > 2, "{}", plan.dot());
        let (d, _) = sphere::call(&column.cast::<f32>(), row.cast::<f32>(), 0.25, 1.0);
        assert_eq!(d.shape(), [300, 200]);
        let error = sphere::try_call(&column, &column.slice(s![..2]), 0.0, 0.0).unwrap_err();
        assert!(error.to_string().contains("sphere: shapes"), "{error}");
    });
}

/// What was recorded for one number is recorded again for others, wherever they stand.
#[test]
fn calls_with_numbers_keep_them_apart() {
    fn same(got: &[f64], wanted: impl Iterator<Item = f64>) {
        for (got, wanted) in got.iter().zip(wanted) {
            let near = (got - wanted).abs() <= 1e-13 * wanted.abs();
            assert!(near || got.is_nan() && wanted.is_nan(), "{got} for {wanted}");
            assert!(got.is_nan() || got.is_sign_negative() == wanted.is_sign_negative());
        }
    }
    on_each_device(|_| {
        let (lat, lon) = (ramp(7), ramp(5));
        let column = DeviceArray::from_vec([7, 1], lat.clone()).unwrap();
        let row = DeviceArray::from_slice(&lon).unwrap();
        for t in [0.25, 0.0, -0.0, -1.5, f64::NAN, 0.25] {
            let values = [0.5, t, -t];
            for (a, b) in [(values[0], values[1]), (values[1], values[0]), (t, t), (t, -t)] {
                let (d, west) = sphere::call(&column, &row, a, b);
                let wanted = |k: usize| sphere(lat[k / 5], lon[k % 5], a, b);
                same(&d.to_vec().unwrap(), (0..35).map(|k| wanted(k).0));
                assert_eq!(west.to_vec().unwrap(), Vec::from_iter((0..35).map(|k| wanted(k).1)));
                // Numbers at other places among the arguments.
                let (d, _) = sphere::call(a, &column, &row, b);
                same(&d.to_vec().unwrap(), (0..35).map(|k| sphere(a, lat[k / 5], lon[k % 5], b).0));
            }
            let (d, _) = sphere::call(&column.cast::<f32>(), row.cast::<f32>(), t as f32, 1.0);
            let wanted = |k: usize| sphere(lat[k / 5] as f32, lon[k % 5] as f32, t as f32, 1.0).0;
            for (k, got) in d.to_vec().unwrap().into_iter().enumerate() {
                let right = wanted(k);
                assert!((got - right).abs() <= 1e-4 || got.is_nan() && right.is_nan());
            }
        }
    });
}

/// Numbers of several types, of which one says how often a loop turns and another is computed with
/// alone.
#[vectorize]
fn turned(x: f64, y: f64, turns: i64, unit: f32, back: bool) -> f64 {
    let angle = (unit as f64).sin() + (turns as f64).sqrt();
    let mut sum = x.sin() * angle.cos();
    for k in 0..turns {
        sum += k as f64 * y.cos();
    }
    if back { -sum } else { sum }
}

#[test]
fn numbers_may_decide_what_a_function_does() {
    on_each_device(|_| {
        let (x, y) = (ramp(4), ramp(3));
        let column = DeviceArray::from_vec([4, 1], x.clone()).unwrap();
        let row = DeviceArray::from_slice(&y).unwrap();
        for turns in [3, 0, 5, -1, 3] {
            for (unit, back) in [(0.5, false), (0.5, true), (-0.0, true), (2.0, false)] {
                let got = turned::call(&column, &row, turns, unit, back).to_vec().unwrap();
                let wanted: Vec<f64> =
                    (0..12).map(|k| turned(x[k / 3], y[k % 3], turns, unit, back)).collect();
                if turns < 0 {
                    assert!(got.iter().all(|value| value.is_nan()));
                } else {
                    close(&got, &wanted, 1e-13);
                }
            }
        }
    });
}

/// Nothing in it is worth computing along one axis alone.
#[vectorize]
fn squares(x: f64, y: f64) -> f64 {
    let both = x * x + y * y;
    both * 0.5
}

#[test]
fn what_is_not_worth_it_is_one_call() {
    let (x, y) = (DeviceArray::<f64>::ones([3, 1]), DeviceArray::<f64>::ones([4]));
    let z = squares::call(&x, &y);
    let plan = lazuli::explain(&[&z]);
    assert_eq!(plan.dot().matches("squares").count(), 1, "{}", plan.dot());
    assert_eq!(z.to_vec().unwrap(), [1.0; 12]);
}

mod helpers {
    use lazuli::prelude::*;

    #[device]
    pub fn squared(x: f64) -> f64 {
        x * x
    }

    #[device]
    pub fn tail(x: f64) -> f64 {
        // Methods that the standard library has as well, for some.
        x.erfc() + x.erf() + x.gamma()
    }
}

#[vectorize]
fn by_name(x: f64) -> f64 {
    use helpers::squared;
    squared(x)
}

#[vectorize]
fn by_all_names(x: f64, n: i32) -> f64 {
    use helpers::*;
    let mut sum = 0.0;
    for _ in 0..n {
        sum += squared(x);
    }
    sum
}

#[device]
fn by_another_name(x: f64) -> f64 {
    use helpers as h;
    h::squared(x) + h::tail(x)
}

#[vectorize]
fn by_both(x: f64, y: f64) -> f64 {
    use helpers::squared as own;
    by_another_name(x) + own(y)
}

#[reduce(identity = 0.0)]
fn added(a: f64, b: f64) -> f64 {
    use helpers::squared;
    a + b + 0.0 * squared(a)
}

#[guvectorize("(n)->(n)")]
fn recorded(a: &[f64], out: &mut [f64]) {
    use helpers::*;
    for i in 0..a.len() {
        out[i] = squared(a[i]);
    }
}

#[guvectorize("(n)->(n)")]
fn item_by_item(a: &[f64], out: &mut [f64]) {
    use helpers::squared;
    let mut k = 0;
    while k < a.len() {
        out[k] = squared(a[k]);
        k += 1;
    }
}

#[test]
fn bodies_import_what_they_call() {
    on_each_device(|_| {
        let x: Vec<f64> = (1..30).map(|k| k as f64 * 0.1).collect();
        let dx = DeviceArray::from_slice(&x).unwrap();
        let squares: Vec<f64> = x.iter().map(|x| x * x).collect();
        close(&by_name::call(&dx).to_vec().unwrap(), &squares, 0.0);
        close(&recorded::call(&dx).to_vec().unwrap(), &squares, 0.0);
        close(&item_by_item::call(&dx).to_vec().unwrap(), &squares, 0.0);
        let thrice: Vec<f64> = x.iter().map(|&x| by_all_names(x, 3)).collect();
        close(&by_all_names::call(&dx, 3).to_vec().unwrap(), &thrice, 1e-14);
        let both: Vec<f64> = x.iter().map(|&x| by_both(x, 2.0)).collect();
        close(&by_both::call(&dx, 2.0).to_vec().unwrap(), &both, 1e-12);
        let sum = added::reduce(&dx, 0).item().unwrap();
        assert!((sum - x.iter().sum::<f64>()).abs() < 1e-12);
    });
}

#[vectorize]
fn divided(a: i64, y: i64) -> i64 {
    let c = a + 1;
    (c) / y // fails: divided
}

#[vectorize]
fn remainders(a: i64, y: i64) -> i64 {
    let mut s = 0;
    for _ in 0..y + 3 {
        s += a % y; // fails: remainders
    }
    s
}

#[vectorize]
fn halved(a: i64, y: i64) -> i64 {
    let mut s = a;
    while s < 100 {
        s /= y; // fails: halved
    }
    s
}

#[vectorize]
fn beside(a: i64, y: i64) -> i64 {
    let v = [a; 3];
    v[y as usize + 3] // fails: beside
}

#[vectorize]
fn euclidean(a: i64, y: i64) -> i64 {
    let k = if a > 0 { 1 } else { 2 };
    k + a.rem_euclid(y) // fails: euclidean
}

#[vectorize]
fn asserted(a: i64, y: i64) -> i64 {
    let b = a;
    debug_assert!(y != 0, "{y}"); // fails: asserted
    b
}

#[test]
fn panics_name_the_line_of_the_body() {
    let a = DeviceArray::<i64>::arange_to(50).to(Device::cpu()).unwrap();
    let y = a.zeros_like();
    let check = |name: &str, call: &dyn Fn() -> DeviceArray<i64>| {
        let error = call().eval().expect_err(name);
        let marked = |line: &str| line.ends_with(&format!("// fails: {name}"));
        let line = 1 + include_str!("functions.rs").lines().position(marked).unwrap();
        assert!(error.is_panic(), "{name}: {error}");
        assert!(error.to_string().contains(&format!("functions.rs:{line}")), "{line}: {error}");
    };
    check("divided", &|| divided::call(&a, &y));
    check("remainders", &|| remainders::call(&a, &y));
    check("halved", &|| halved::call(&a, &y));
    check("beside", &|| beside::call(&a, &y));
    check("euclidean", &|| euclidean::call(&a, &y));
    if cfg!(debug_assertions) {
        check("asserted", &|| asserted::call(&a, &y));
    }
}
