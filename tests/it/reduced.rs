//! Products and reductions of a few elements that are there, which the processor does while the program
//! records: their bits, what they see of assignments, and when they are recorded as ever.

use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;
use lazuli::{Arithmetic, compile, counters, with_arithmetic};
use ndarray::SliceInfoElem;
use num_complex::Complex;

type A = DeviceArray<f64>;

/// The same elements in a long run of assignments.
fn in_a_run<T: Number>(a: &DeviceArray<T>) -> DeviceArray<T> {
    let mut a = a.clone();
    let region = vec![SliceInfoElem::Slice { start: 0, end: Some(1), step: 1 }; a.ndim()];
    let first = a.slice(&region);
    (0..12).for_each(|_| a.assign(&region, &first));
    a
}

/// Lengths about the ends of lanes, rounds and pieces. A statement that gathers more has a plan.
const LENGTHS: [usize; 13] = [1, 2, 7, 8, 9, 31, 32, 33, 64, 127, 257, 1056, 4096];

#[test]
fn bits_are_those_of_statements() {
    on_each_device(|_| {
        let mut random = Rng(31);
        let mut out = in_a_run(&A::zeros(16));
        for n in LENGTHS {
            let all = (0..3 * n).map(|_| random.below(1 << 20) as f64 / 1e4 - 50.0).collect();
            let a = A::from_vec([3, n], all).unwrap();
            let a = in_a_run(&a);
            let parts: [fn(&A) -> A; 4] = [
                |a| a.slice(s![1, ..]),
                |a| a.slice(s![.., 0]),
                |a| a.slice(s![2, ..;-1]),
                |a| a.slice(s![0, ..]).flip(0),
            ];
            for (which, part) in parts.iter().enumerate() {
                let there = part(&a);
                let reductions: [fn(&A, &A) -> A; 6] = [
                    |x, _| x.sum(..),
                    |x, _| x.max(..),
                    |x, _| x.min(..),
                    |x, _| x.prod(..),
                    |x, _| x.mean(..),
                    |x, y| x.dot(y),
                ];
                for (k, reduction) in reductions.iter().enumerate() {
                    // As a part of a statement, whose terms are computed in it.
                    out.assign(s![k], reduction(&(&there * 1.0), &there));
                    let found = reduction(&there, &there).item().unwrap();
                    let expected = out.slice(s![k]).item().unwrap();
                    assert_eq!(found.to_bits(), expected.to_bits(), "{n} of part {which}: {k}");
                }
            }
        }
    });
}

#[test]
fn as_many_as_are_done_at_once_and_more() {
    on_each_device(|_| {
        for n in [8191, 8192, 8193, 20_000] {
            let a = in_a_run(&A::arange_to(n as f64));
            let (sum, last) = (n * (n - 1) / 2, n as f64 - 1.0);
            for part in [a.slice(s![..]), a.slice(s![..;-1])] {
                assert_eq!(part.sum(..).item().unwrap(), sum as f64);
                assert_eq!(part.max(..).item().unwrap(), last);
                assert_eq!(part.dot(&part.ones_like()).item().unwrap(), sum as f64);
            }
        }
    });
}

/// Sums and products of whole numbers, which no order of the terms changes.
fn whole_numbers<T: Number + PartialEq + std::fmt::Debug>(number: fn(usize) -> T) {
    for n in [1, 5, 64, 200] {
        let host: Vec<T> = (0..n).map(|k| number(k % 5)).collect();
        let a = in_a_run(&DeviceArray::from_slice(&host).unwrap());
        let product = host.iter().rev().zip(&host).fold(T::zero(), |sum, (&x, &y)| sum + x * y);
        assert_eq!(a.flip(0).dot(&a).item().unwrap(), product);
        assert_eq!(a.matmul(&a.flip(0)).item().unwrap(), product);
    }
}

#[test]
fn every_type_has_products() {
    on_each_device(|_| {
        whole_numbers::<u8>(|k| k as u8 % 2);
        whole_numbers::<i32>(|k| k as i32 - 2);
        whole_numbers::<i64>(|k| k as i64 - 2);
        whole_numbers::<f32>(|k| k as f32 - 2.0);
        whole_numbers::<half::f16>(|k| half::f16::from_f32(k as f32 - 2.0));
        whole_numbers::<Complex<f32>>(|k| Complex::new(k as f32, 1.0));
        let flags = DeviceArray::from_slice(&[false, true, false]).unwrap();
        assert!(flags.any(..).item().unwrap() && !flags.all(..).item().unwrap());
        assert_eq!(flags.count_nonzero(..).item().unwrap(), 1);
        let small = in_a_run(&DeviceArray::from_slice(&[200u8, 100]).unwrap());
        assert_eq!(small.sum(..).item().unwrap(), 300);
        let rare = in_a_run(&A::from_slice(&[1.0, f64::NAN, f64::INFINITY]).unwrap());
        assert!(rare.sum(..).item().unwrap().is_nan() && rare.max(..).item().unwrap().is_nan());
        assert_eq!(rare.argmax(..).item().unwrap(), 1);
        assert_eq!(rare.slice(s![2..]).dot(&rare.slice(s![2..])).item().unwrap(), f64::INFINITY);
        let none = A::zeros(0);
        assert_eq!((none.sum(..).item().unwrap(), none.dot(&none).item().unwrap()), (0.0, 0.0));
        assert!(none.try_max(..).is_err());
        assert!(rare.try_dot(&none).unwrap_err().is_shape());
        let wide = A::ones(()).broadcast_to([9]);
        assert_eq!((wide.sum(..).item().unwrap(), wide.dot(&wide).item().unwrap()), (9.0, 9.0));
    });
}

#[test]
fn assignments_before_are_seen_and_later_ones_are_not() {
    on_each_device(|_| {
        let n = 24;
        let (mut x, mut host) = (A::zeros(n), vec![0.0; n]);
        let (mut sums, mut expected) = (Vec::new(), Vec::new());
        for k in 0..60 {
            let at = k * 7 % n;
            let (old, old_host) = (x.slice(s![..5]), host[..5].to_vec());
            x.assign(s![at], k as f64);
            host[at] = k as f64;
            x.assign(s![(at + 1) % n..(at + 1) % n + 1], &x.slice(s![at..at + 1]) + 0.5);
            host[(at + 1) % n] = k as f64 + 0.5;
            // The old elements lie where the assignments that are left to do would write.
            let both = old.dot(&x.slice(s![..5]));
            sums.extend([
                both.item().unwrap(),
                x.sum(..).item().unwrap(),
                old.max(..).item().unwrap(),
            ]);
            let dot = old_host.iter().zip(&host).map(|(a, b)| a * b).sum::<f64>();
            let most = old_host.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            expected.extend([dot, host.iter().sum(), most]);
        }
        assert_eq!(sums, expected);
        // A sum is what it was, whatever becomes of the array.
        let (sum, before) = (x.sum(..), host.iter().sum::<f64>());
        x.assign(s![3], 1e9);
        assert_eq!(sum.item().unwrap(), before);
    });
}

#[test]
fn loops_of_products_have_no_plans() {
    Device::cpu().scope(|| {
        let n = 40;
        let l = A::from_vec(
            [n, n],
            (0..n * n).map(|k| if k % 41 == 0 { 40.0 } else { (k % 7) as f64 / 7.0 }).collect(),
        )
        .unwrap();
        let mut x = A::zeros(n);
        let mut solve = |i: usize| {
            let rest = 1.0 - l.slice(s![i, ..i]).dot(&x.slice(s![..i]));
            x.assign(s![i], rest / l.slice(s![i, i]));
        };
        (0..20).for_each(&mut solve);
        let before = counters();
        (20..n).for_each(&mut solve);
        let after = counters();
        assert_eq!((after.plans - before.plans, after.allocated - before.allocated), (0, 0));
        let lower = A::tri(n, n, 0) * &l;
        let left = (lower.matmul(&x) - 1.0).abs().max(..).item().unwrap();
        assert!(left < 1e-9, "{left}");
    });
}

#[test]
fn functions_that_run_again_and_strict_arithmetic_record_them() {
    on_each_device(|_| {
        let a = in_a_run(&A::from_slice(&[1.0, 2.0, 3.0]).unwrap());
        let norm = compile(|x: &A| x / x.dot(x).sqrt());
        for scale in [1.0, 2.0, 5.0] {
            let x = in_a_run(&(&a * scale));
            let found = norm.call(&x).unwrap();
            let length = found.dot(&found).item().unwrap();
            assert!((length - 1.0).abs() < 1e-15, "{length}");
        }
        let terms: Vec<f64> = (0..100).map(|k| (f64::from(k) * 1.7).exp2().sin()).collect();
        let terms = A::from_slice(&terms).unwrap();
        let strict = |terms: &A| {
            with_arithmetic(Arithmetic::Strict, || terms.sum(..).item().unwrap().to_bits())
        };
        assert_eq!(strict(&in_a_run(&terms)), strict(&terms));
    });
}

#[test]
fn threads_do_not_wait_for_each_other() {
    let work = |seed: usize| {
        let a = in_a_run(&(A::arange_to(100.0) + seed as f64));
        let sum = |k: usize| (0..100).map(|x| (x + seed) as f64).skip(k).sum::<f64>();
        for k in 0..300 {
            let part = a.slice(s![k % 100..]);
            assert_eq!(part.sum(..).item().unwrap(), sum(k % 100));
            assert_eq!((&part * 2.0).sum(..).item().unwrap(), 2.0 * sum(k % 100));
            assert_eq!(part.dot(&part.ones_like()).item().unwrap(), sum(k % 100));
        }
    };
    std::thread::scope(|scope| {
        (0..4).for_each(|seed| {
            scope.spawn(move || Device::cpu().scope(|| work(seed)));
        });
    });
}
