//! Loops over what `enumerate`, `zip` and `rev` give, and the parts of floating-point numbers.

use super::{Cases, Range};
use crate::device;
use crate::prelude::*;

#[device]
fn enumerated(x: f64, y: f64) -> (f64, u64) {
    let v = [x, y, x * y, 2.0];
    let (mut sum, mut places) = (0.0, 0u64);
    for (i, &a) in v.iter().enumerate() {
        sum = sum * 0.5 + a * i as f64;
        places = places * 10 + i as u64;
    }
    for (i, a) in v.iter().enumerate() {
        if *a < 0.0 {
            continue;
        }
        sum += a * 0.25 - *a;
        places += i as u64;
    }
    for (i, a) in v.into_iter().enumerate() {
        sum += a / (i + 1) as f64;
    }
    (sum, places)
}

#[device]
fn zipped(x: f64, n: i32) -> (f64, i64) {
    let v = [x, 1.0, -x];
    let w = [2i64, 3, 5, 7];
    let (mut sum, mut whole) = (0.0, 0i64);
    for (&a, &b) in v.iter().zip(w.iter()) {
        sum += a * b as f64;
        whole = whole * 3 + b;
    }
    for (a, k) in v.iter().copied().zip(0..n) {
        sum += a * k as f64;
        whole += k as i64;
    }
    for (k, a) in (1..=n).rev().step_by(2).zip(w) {
        whole = whole * 2 + a * k as i64;
        if whole > 1000 {
            break;
        }
    }
    for (i, (a, &b)) in v.iter().zip(&w).enumerate() {
        sum -= *a * (b * i as i64) as f64;
    }
    (sum, whole)
}

#[device]
fn reversed(x: f64) -> (f64, u64) {
    let v = [x, 0.5, 2.0 * x, 1.0];
    let w = [1u64, 2, 3];
    let (mut sum, mut places) = (0.0, 0u64);
    for a in v.iter().rev() {
        sum = sum * 0.5 + a;
    }
    for (i, &a) in v.iter().enumerate().rev() {
        sum += a * i as f64;
        places = places * 10 + i as u64;
    }
    for (&a, b) in v.iter().zip(w).rev() {
        sum -= a * b as f64;
        places = places * 10 + b;
    }
    for (k, a) in w.iter().rev().enumerate() {
        places = places * 10 + k as u64 * a;
    }
    (sum, places)
}

#[device]
fn over_ranges(n: i32) -> (i64, i64) {
    let (mut a, mut b) = (0i64, 0i64);
    for (i, k) in (-2..n).enumerate() {
        a = (a * 3 + i as i64 * k as i64) % 100_007;
    }
    for (j, k) in (0..n).zip((0..2 * n).step_by(3)) {
        b = (b * 5 + (j * k) as i64) % 100_007;
        if j == 4 {
            break;
        }
    }
    (a, b)
}

#[device]
fn parts<T: Float>(x: T, n: i32) -> (T, i32, T, T, T) {
    let (mantissa, exponent) = x.frexp();
    let (part, whole) = x.modf();
    (mantissa, exponent, part, whole, x.ldexp(n % 40))
}

#[test]
fn walks_are_rusts() {
    Cases::default()
        .add::<enumerated, ()>(Range::Small, 1e-14)
        .add::<zipped, ()>(Range::Small, 1e-14)
        .add::<reversed, ()>(Range::Small, 1e-14)
        .add::<over_ranges, ()>(Range::Small, 0.0)
        .check();
}

#[test]
fn parts_of_numbers_are_those_of_c() {
    Cases::default()
        .add::<parts, (f64,)>(Range::Edges, 0.0)
        .add::<parts, (f64,)>(Range::Small, 0.0)
        .add::<parts, (f32,)>(Range::Edges, 0.0)
        .add::<parts, (f16,)>(Range::Edges, 0.0)
        .add::<parts, (bf16,)>(Range::Small, 0.0)
        .check();
    assert_eq!((-6.5f64).frexp(), (-0.8125, 3));
    assert_eq!((-6.5f32).modf(), (-0.5, -6.0));
    assert_eq!(f64::NEG_INFINITY.modf(), (-0.0, f64::NEG_INFINITY));
    assert_eq!(0.75f64.ldexp(-1074), 5e-324);
    assert_eq!(f16::from_f32(1.5).ldexp(15), f16::from_f32(49152.0));
}
