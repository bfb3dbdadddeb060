//! Modified Bessel functions of real order, by the methods of `bessel_real.rs`: all terms have one sign,
//! so that nothing cancels.

use super::bessel_real::{first_kind_at_zero, sine_cosine, sinh_over, temme_gammas};
use crate::device;
use crate::vectorize;
use std::f64::consts::PI;

/// The modified Bessel function of the first kind of real order.
#[vectorize]
pub fn iv(order: f64, x: f64) -> f64 {
    let size = x.abs();
    let half = (0.5 * size).exp();
    let value = ive(order, x);
    if size == f64::INFINITY {
        return if order.is_nan() || value.is_nan() {
            value
        } else {
            f64::INFINITY.copysign(if value == 0.0 { value.recip() } else { value })
        };
    }
    if value == 0.0 || value.is_nan() { value } else { value * half * half }
}

/// The modified Bessel function of the first kind of real order, times `e^-|x|`.
#[vectorize]
pub fn ive(order: f64, x: f64) -> f64 {
    let v = order.abs();
    let whole = v == v.floor();
    if order.is_nan() || x.is_nan() || v == f64::INFINITY || (x < 0.0 && !whole) {
        return f64::NAN;
    }
    let size = x.abs();
    if size == 0.0 {
        return first_kind_at_zero(if whole { v } else { order });
    }
    let (i, k) = growing(v, size);
    let value = if order < 0.0 && !whole {
        // DLMF 10.27.2 for a negative order.
        let (sine, _) = sine_cosine(v);
        i + 2.0 / PI * sine * k * (-2.0 * size).exp()
    } else {
        i
    };
    if x < 0.0 && (0.5 * v).fract() != 0.0 { -value } else { value }
}

/// The modified Bessel function of the second kind of real order.
#[vectorize]
pub fn kv(order: f64, x: f64) -> f64 {
    let half = (-0.5 * x).exp();
    let value = kve(order, x);
    if value == f64::INFINITY { value } else { value * half * half }
}

/// The modified Bessel function of the second kind of real order, times `e^x`.
#[vectorize]
pub fn kve(order: f64, x: f64) -> f64 {
    let v = order.abs();
    if order.is_nan() || x.is_nan() || v == f64::INFINITY || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::INFINITY;
    }
    growing(v, x).1
}

/// I times `e^-x` and K times `e^x`, for an order from 0 on and a positive argument.
#[device]
fn growing(v: f64, x: f64) -> (f64, f64) {
    if x > 30.0 && 2.0 * x > v * v {
        return growing_hankel(v, x);
    }
    let n = (v + 0.5).floor();
    let start = v - n;
    let (mut k, mut next) = if x <= 2.0 {
        let (k, next) = growing_series(start, x);
        (k * x.exp(), next * x.exp())
    } else {
        growing_fraction(start, x)
    };
    let mut order = start;
    let mut turn = 0.0;
    while turn < n {
        order += 1.0;
        let later = 2.0 * order / x * next + k;
        k = next;
        next = later;
        turn += 1.0;
        if k == f64::INFINITY {
            break;
        }
    }
    // The Wronskian, DLMF 10.28.2.
    (1.0 / (x * (next + growing_ratio(v, x) * k)), k)
}

/// `I(v + 1, x) / I(v, x)` by its continued fraction (DLMF 10.33.1), with Lentz's method.
#[device]
fn growing_ratio(v: f64, x: f64) -> f64 {
    let mut b = 2.0 * (v + 1.0) / x;
    let mut value = 1.0 / b;
    let (mut c, mut d) = (1e300, value);
    for _ in 0..300_000 {
        b += 2.0 / x;
        d = 1.0 / (b + d);
        c = b + 1.0 / c;
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() <= 1.2e-16 {
            break;
        }
    }
    value
}

/// I and K by Hankel's expansions.
#[device]
fn growing_hankel(v: f64, x: f64) -> (f64, f64) {
    let four = 4.0 * v * v;
    let (mut i, mut k) = (1.0, 1.0);
    let mut term = 1.0;
    let mut turn = 1.0;
    let mut sign = -1.0;
    for _ in 0..120 {
        let odd = 2.0 * turn - 1.0;
        let next = term * (four - odd * odd) / (8.0 * x * turn);
        if next.abs() > term.abs() && turn > v {
            break;
        }
        term = next;
        k += term;
        i += sign * term;
        sign = -sign;
        turn += 1.0;
        if term.abs() < 1e-17 {
            break;
        }
    }
    (i / (2.0 * PI * x).sqrt(), k * (PI / (2.0 * x)).sqrt())
}

/// K of the orders `v`, from -1/2 to 1/2, and `v + 1`, for arguments up to 2.
#[device]
fn growing_series(v: f64, x: f64) -> (f64, f64) {
    let (first, second, above, below) = temme_gammas(v);
    let log = (2.0 / x).ln();
    let power = (v * log).exp();
    let mut f = first * (v * log).cosh() + second * log * sinh_over(v * log);
    let (mut p, mut q) = (0.5 * power * above, 0.5 * below / power);
    let mut c = 1.0;
    let (mut sum, mut later) = (f, p);
    let mut k = 1.0;
    for _ in 0..40 {
        f = (k * f + p + q) / (k * k - v * v);
        p /= k - v;
        q /= k + v;
        c *= 0.25 * x * x / k;
        sum += c * f;
        later += c * (p - k * f);
        if c * f.abs() < 1e-17 * sum {
            break;
        }
        k += 1.0;
    }
    (sum, 2.0 / x * later)
}

/// K of the orders `v` and `v + 1` times `e^x`, for arguments above 2: Steed's fraction together with
/// Temme's sum of its denominators.
#[device]
fn growing_fraction(v: f64, x: f64) -> (f64, f64) {
    let start = 0.25 - v * v;
    let mut a = -start;
    let mut b = 2.0 * (1.0 + x);
    let mut d = 1.0 / b;
    let mut change = d;
    let mut value = d;
    let (mut older, mut newer) = (0.0, 1.0);
    let mut c = start;
    let mut weight = start;
    let mut sum = 1.0 + weight * change;
    let mut k = 2.0;
    for _ in 0..2000 {
        a -= 2.0 * (k - 1.0);
        c *= -a / k;
        let next = (older - b * newer) / a;
        older = newer;
        newer = next;
        weight += c * next;
        b += 2.0;
        d = 1.0 / (b + a * d);
        change *= b * d - 1.0;
        value += change;
        let part = weight * change;
        sum += part;
        if part.abs() <= 1e-17 * sum.abs() {
            break;
        }
        k += 1.0;
    }
    let result = (PI / (2.0 * x)).sqrt() / sum;
    (result, result * (v + x + 0.5 - start * value) / x)
}
