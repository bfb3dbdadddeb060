//! Arrays beyond the caches: on the processor, what is computed of them goes past the caches and is
//! asked for ahead.

use crate::support::on_each_device;
use lazuli::prelude::*;

/// Rows of odd lengths, so that no row but the first begins a cache line.
const SHAPE: [usize; 2] = [3, 4_400_003];

#[vectorize]
fn sum_and_larger(x: f32, y: f32) -> (f32, f32) {
    (x + y, if x > y { x } else { y })
}

#[vectorize]
fn clamped(x: f64) -> f64 {
    if x < 0.25 { 0.25 } else { x }
}

/// The same pseudo-random number for the same place, in [0, 1).
fn number(k: usize) -> f32 {
    ((k as u32).wrapping_mul(0x9e37_79b9) >> 8) as f32 / (1 << 24) as f32
}

fn check<T: Element + PartialEq>(what: &str, got: &DeviceArray<T>, right: impl Fn(usize) -> T) {
    let got = got.to_vec().unwrap();
    let wrong = got.iter().enumerate().find(|(k, x)| **x != right(*k));
    assert!(wrong.is_none(), "{what}: {wrong:?}");
}

#[test]
fn single_operations_calls_and_sums() {
    on_each_device(|_| {
        let len = SHAPE[0] * SHAPE[1];
        let x: Vec<f32> = (0..len).map(number).collect();
        let y: Vec<f32> = (0..len).map(|k| number(k + 77)).collect();
        let a = DeviceArray::from_vec(SHAPE, x.clone()).unwrap();
        let b = DeviceArray::from_vec(SHAPE, y.clone()).unwrap();

        check("floor", &(&a * 8.0).floor(), |k| (x[k] * 8.0).floor());
        check("maximum", &a.maximum(&b), |k| x[k].max(y[k]));
        check("chain", &((&a - &b) * 2.0 + &a), |k| (x[k] - y[k]) * 2.0 + x[k]);
        check("cast", &a.cast::<f64>(), |k| f64::from(x[k]));

        let (sum, larger) = sum_and_larger::call(&a, &b);
        eval(&[&sum, &larger]).unwrap();
        check("sums", &sum, |k| x[k] + y[k]);
        check("the larger", &larger, |k| x[k].max(y[k]));

        // Columns are left out: no row begins where a cache line does, in either array.
        let inner = a.slice(s![.., 1..-1]).cast::<f64>();
        let place = |k: usize| k / (SHAPE[1] - 2) * SHAPE[1] + k % (SHAPE[1] - 2) + 1;
        check("clamped", &clamped::call(&inner), |k| f64::from(x[place(k)]).max(0.25));

        let differences = x.iter().zip(&y).map(|(x, y)| f64::from(x - y) * f64::from(x - y));
        let right: f64 = differences.sum();
        let got = f64::from((&a - &b).square().sum(..).item().unwrap());
        assert!((got / right - 1.0).abs() < 1e-5, "{got} {right}");
        let rows = (&a - &b).square().sum(1).to_vec().unwrap();
        let total: f64 = rows.iter().map(|&row| f64::from(row)).sum();
        assert!((total / right - 1.0).abs() < 1e-5, "{total} {right}");
    });
}
