//! Hyperbolic functions and their inverses from e^x - 1 and log(1 + x), which keep full precision
//! near zero (the forms of fdlibm's `e_sinh.c`, `s_asinh.c` and `e_atanh.c`).

use super::bits::{divide_parts, select, two_sum};
use super::exp::{half_exp, half_exp_m1};
use super::log::ln_1p;
use std::f64::consts::LN_2;

/// Beyond 2^28, x² + 1 is x² in every formula below.
const LARGE: f64 = 268435456.0;

#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let (h, lo) = half_exp_m1(x.abs());
    let y = (h + (h / (2.0 * h + 1.0) + lo)).copysign(x);
    // An infinite h leaves inf/inf; a tiny x would lose bits as a subnormal half.
    let y = select(h == f64::INFINITY, h.copysign(x), y);
    select(x.abs() < 1e-17, x, y)
}

#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let h = half_exp(x.abs());
    h + 0.25 / h
}

#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let a = x.abs();
    let (h, lo) = half_exp_m1(2.0 * select(a > 22.0, 22.0, a));
    let (d, d_lo) = two_sum(h, 1.0);
    let (y, y_lo) = divide_parts((h, lo), (d, d_lo + lo));
    select(a < 1e-17, x, (y + y_lo).copysign(x))
}

#[inline(always)]
pub fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let z = a * a;
    let large = a > LARGE;
    let y = ln_1p(select(large, a - 1.0, a + z / (1.0 + (z + 1.0).sqrt())));
    (select(large, y + LN_2, y)).copysign(x)
}

#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    let large = x > LARGE;
    let y = ln_1p(select(large, x - 1.0, t + t.mul_add(t, 2.0 * t).sqrt()));
    let y = select(large, y + LN_2, y);
    select(x < 1.0, f64::NAN, y)
}

#[inline(always)]
pub fn atanh(x: f64) -> f64 {
    let a = x.abs();
    let t = a + a;
    let y = 0.5 * ln_1p(t.mul_add(a / (1.0 - a), t));
    let y = select(a > 1.0, f64::NAN, y);
    select(a < 1e-17, x, y.copysign(x))
}
