//! Scans by users' functions against plain loops: functions that do not commute, tuples, halves,
//! wrapping integers; along any axis, from both ends.

use crate::support::{on_each_device, panic_message};
use lazuli::explain;
use lazuli::prelude::*;

/// The map `x -> c·(a·x + b) + d`: the first map first.
#[reduce(identity = (1, 0))]
fn compose(a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    (a.0.wrapping_mul(b.0), b.0.wrapping_mul(a.1).wrapping_add(b.1))
}

#[reduce(identity = (0.0, 0.0, 0.0))]
fn moments(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {
    let n = a.0 + b.0;
    if n == 0.0 {
        return a;
    }
    let d = b.1 - a.1;
    (n, a.1 + d * b.0 / n, a.2 + b.2 + d * d * a.0 * b.0 / n)
}

#[reduce(identity = (f32::NEG_INFINITY, i64::MAX))]
fn place(a: (f32, i64), b: (f32, i64)) -> (f32, i64) {
    if a.0 > b.0 || a.0 == b.0 && a.1 < b.1 { a } else { b }
}

#[reduce(identity = T::NEG_INFINITY)]
fn largest<T: Float>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The last element that is not zero: what a run of zeros continues.
#[reduce(identity = 0)]
fn last(a: i32, b: i32) -> i32 {
    if b != 0 { b } else { a }
}

/// The states of a plain loop over one axis of `[outer, length, inner]`.
fn walk<S: Copy>(
    [outer, length, inner]: [usize; 3],
    how: (bool, bool),
    identity: S,
    element: impl Fn(usize) -> S,
    combine: impl Fn(S, S) -> S,
) -> Vec<S> {
    let (exclusive, reverse) = how;
    let mut out = vec![identity; outer * length * inner];
    for row in 0..outer * inner {
        let mut state = identity;
        for step in 0..length {
            let k = if reverse { length - 1 - step } else { step };
            let at = (row / inner * length + k) * inner + row % inner;
            let next = combine(state, element(at));
            out[at] = if exclusive { state } else { next };
            state = next;
        }
    }
    out
}

fn scan_of((exclusive, reverse): (bool, bool)) -> Scan {
    let scan = if exclusive { Scan::new().exclusive() } else { Scan::new() };
    if reverse { scan.reverse() } else { scan }
}

const WAYS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

#[test]
fn maps_that_do_not_commute_along_any_axis() {
    on_each_device(|_| {
        let shapes = [
            [1, 1, 1],
            [1, 2, 1],
            [3, 7, 1],
            [70, 33, 1],
            [2, 300, 5],
            [4, 5, 6],
            [1, 20_000, 3],
            [3, 30_011, 1],
            [900, 40, 1],
            [1, 50, 700],
            [1, 400_003, 1],
        ];
        for (k, shape) in shapes.into_iter().enumerate() {
            let n: usize = shape.iter().product();
            let slope: Vec<i64> = (0..n as i64).map(|i| i.wrapping_mul(77) % 9 - 4).collect();
            let shift: Vec<i64> = (0..n as i64).map(|i| i.wrapping_mul(i) % 1000).collect();
            let a = DeviceArray::from_vec(shape, slope.clone()).unwrap();
            let b = DeviceArray::from_vec(shape, shift.clone()).unwrap();
            for how in if n < 10_000 { &WAYS[..] } else { &WAYS[k % 4..k % 4 + 1] } {
                let element = |i: usize| (slope[i], shift[i]);
                let wanted = walk(shape, *how, (1, 0), element, compose);
                let (p, q) = compose::scan_with((&a, &b), 1, scan_of(*how));
                eval(&[&p, &q]).unwrap();
                let found = p.to_vec().unwrap().into_iter().zip(q.to_vec().unwrap());
                assert!(found.eq(wanted.iter().copied()), "{shape:?} {how:?}");
                // Each component alone.
                let q = compose::scan_with((&a, &b), -2, scan_of(*how)).1;
                assert!(q.to_vec().unwrap().into_iter().eq(wanted.iter().map(|s| s.1)));
            }
        }
    });
}

#[test]
fn all_elements_in_c_order_and_arguments_that_broadcast() {
    on_each_device(|_| {
        let x = DeviceArray::<i64>::arange_to(60).reshape([3, 4, 5]);
        let slope = DeviceArray::from_slice(&[1i64, -1, 2, 3, 1]).unwrap();
        let (p, q) = compose::scan((&slope, &x), ..);
        assert_eq!(p.shape(), [60]);
        let slopes = [1i64, -1, 2, 3, 1];
        let wanted =
            walk([1, 60, 1], (false, false), (1, 0), |i| (slopes[i % 5], i as i64), compose);
        let found = p.to_vec().unwrap().into_iter().zip(q.to_vec().unwrap());
        assert!(found.eq(wanted.iter().copied()));
        // A state that does not vary along the axis.
        let (p, q) = compose::scan((3, &x.slice(s![.., 0..1, ..])), 1);
        assert_eq!((p.shape(), p.to_vec().unwrap()), (&[3, 1, 5][..], vec![3; 15]));
        assert_eq!(q.to_vec().unwrap(), x.slice(s![.., 0, ..]).to_vec().unwrap());
        let (p, q) = compose::scan((2, DeviceArray::full([2, 9], 1i64)), 1);
        assert_eq!(p.slice(s![1, ..]).to_vec().unwrap(), [2, 4, 8, 16, 32, 64, 128, 256, 512]);
        assert_eq!(q.slice(s![0, ..]).to_vec().unwrap(), [1, 3, 7, 15, 31, 63, 127, 255, 511]);
        // Views: turned around, and walked against their order in memory.
        let t = x.permute(&[2, 0, 1]).slice(s![..;-1, .., 1..;2]);
        let host = t.to_vec().unwrap();
        let wanted = walk([1, 5, 6], (false, true), (1, 0), |i| (2, host[i]), compose);
        let q = compose::scan_with((2, &t), 0, Scan::new().reverse()).1;
        assert!(q.to_vec().unwrap().into_iter().eq(wanted.iter().map(|s| s.1)));
    });
}

#[test]
fn running_moments_fuse_with_what_surrounds_them() {
    on_each_device(|_| {
        for (rows, len) in [(40, 100), (3, 9_000), (1, 300_000), (6_000, 4)] {
            let host: Vec<f64> =
                (0..rows * len).map(|i| ((i * 7919) % 1000) as f64 / 250.0 + 3.0).collect();
            let x = DeviceArray::from_vec([rows, len], host.clone()).unwrap();
            let y = x.sqrt() * 2.0;
            let (n, mean, squares) = moments::scan((1.0, &y, 0.0), -1);
            let deviation = (&squares / &n).sqrt();
            let score = (&y - &mean) / (&deviation + 1.0);
            assert_eq!(explain(&[&score, &mean]).kernels(), 1, "{rows} {len}");
            eval(&[&score, &mean]).unwrap();
            let element = |i: usize| (1.0, host[i].sqrt() * 2.0, 0.0);
            let wanted = walk([rows, len, 1], (false, false), (0.0, 0.0, 0.0), element, moments);
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
            let (found, means) = (score.to_vec().unwrap(), mean.to_vec().unwrap());
            for (i, (n, mean, squares)) in wanted.into_iter().enumerate() {
                let score = (host[i].sqrt() * 2.0 - mean) / ((squares / n).sqrt() + 1.0);
                assert!(close(means[i], mean), "{i}: {} for {mean}", means[i]);
                assert!(close(found[i], score), "{i}: {} for {score}", found[i]);
            }
        }
    });
}

#[test]
fn bits_are_the_same_on_every_run() {
    on_each_device(|_| {
        let x = DeviceArray::<f64>::linspace(0.1, 7.0, 700_001).sin();
        x.eval().unwrap();
        let run = || moments::scan((1.0, &x, 0.0), 0).2.to_vec().unwrap();
        let first = run();
        for _ in 0..4 {
            assert!(run().iter().zip(&first).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    });
}

#[test]
fn the_place_of_the_largest_so_far_and_what_runs_on() {
    on_each_device(|_| {
        for shape in [[30, 50, 1], [1, 40_000, 2]] {
            let [outer, length, inner] = shape;
            let n: usize = shape.iter().product();
            let host: Vec<f32> = (0..n).map(|i| ((i * 7919) % 601) as f32).collect();
            let x = DeviceArray::from_vec(shape, host.clone()).unwrap();
            let at = DeviceArray::<i64>::arange(0, length as i64, 1).reshape([length, 1]);
            for how in WAYS {
                let element = |i: usize| (host[i], (i / inner % length) as i64);
                let wanted = walk(shape, how, (f32::NEG_INFINITY, i64::MAX), element, place);
                let (value, best) = place::scan_with((&x, &at), 1, scan_of(how));
                let found = value.to_vec().unwrap().into_iter().zip(best.to_vec().unwrap());
                assert!(found.eq(wanted.iter().copied()), "{outer} {length} {inner} {how:?}");
            }
            let sparse: Vec<i32> =
                (0..n as i32).map(|i| if i % 7 == 0 { i + 1 } else { 0 }).collect();
            let wanted = walk(shape, (false, false), 0, |i| sparse[i], last);
            let filled = last::scan(DeviceArray::from_vec(shape, sparse).unwrap(), 1);
            assert_eq!(filled.to_vec().unwrap(), wanted);
        }
    });
}

#[test]
fn halves_and_singles() {
    on_each_device(|_| {
        for shape in [[12, 700, 1], [1, 90, 33], [1, 30_000, 1]] {
            let n: usize = shape.iter().product();
            let host: Vec<f16> =
                (0..n).map(|i| f16::from_f32(((i * 7919) % 997) as f32 / 8.0 - 20.0)).collect();
            let x = DeviceArray::from_vec(shape, host.clone()).unwrap();
            for how in WAYS {
                let wanted = walk(shape, how, f16::NEG_INFINITY, |i| host[i], largest);
                let found = largest::scan_with(&x + f16::ZERO, 1, scan_of(how));
                assert_eq!(found.to_vec().unwrap(), wanted, "{shape:?} {how:?}");
                let wide: Vec<f32> = wanted.iter().map(|x| x.to_f32()).collect();
                let found = largest::scan_with(x.cast::<f32>(), 1, scan_of(how));
                assert_eq!(found.to_vec().unwrap(), wide, "{shape:?} {how:?}");
            }
        }
    });
}

#[test]
fn scans_of_one_position_and_of_none() {
    on_each_device(|_| {
        let one = DeviceArray::from_vec([2, 1], vec![3i64, 4]).unwrap();
        let (p, q) = compose::scan((2, &one), 1);
        assert_eq!((p.to_vec().unwrap(), q.to_vec().unwrap()), (vec![2, 2], vec![3, 4]));
        let (p, q) = compose::scan_with((2, &one), 1, Scan::new().exclusive());
        assert_eq!((p.to_vec().unwrap(), q.to_vec().unwrap()), (vec![1, 1], vec![0, 0]));
        for shape in [[0, 3], [3, 0]] {
            let none = DeviceArray::<i64>::zeros(shape);
            let (p, q) = compose::scan((&none, 1), 0);
            assert_eq!((p.shape(), q.to_vec().unwrap()), (&shape[..], vec![]));
            assert_eq!(compose::scan((&none, 1), ..).0.shape(), [0]);
        }
        let single = DeviceArray::from(5i64);
        assert_eq!(compose::scan((&single, 7), ..).1.to_vec().unwrap(), [7]);
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    let x = DeviceArray::<i64>::zeros([2, 3]);
    let error = compose::try_scan((&x, 1), 2).unwrap_err();
    assert!(error.is_shape() && error.to_string().contains("user_scans.rs"), "{error}");
    let error = compose::try_scan((&x, DeviceArray::<i64>::zeros([4])), 0).unwrap_err();
    assert!(error.is_shape(), "{error}");
    let cube = DeviceArray::<i64>::zeros([2, 3, 4]);
    let error = compose::try_scan_with((&cube, 1), [0, 1], Scan::new()).unwrap_err();
    assert!(error.to_string().starts_with("compose: one axis, or `..`"), "{error}");
    assert!(panic_message(|| compose::scan((&x, 1), 5)).contains("user_scans.rs"));
}
