//! Hyperbolic functions from e^x - 1, as in double precision.

use super::bits::{fma, select, two_sum};
use super::exp::{half_exp, half_exp_m1};

#[inline(always)]
pub fn sinh(x: f32) -> f32 {
    let (h, lo) = half_exp_m1(x.abs());
    let y = (h + (h / (2.0 * h + 1.0) + lo)).copysign(x);
    // An infinite h leaves inf/inf; a tiny x would lose bits as a subnormal half.
    let y = select(h == f32::INFINITY, h.copysign(x), y);
    select(x.abs() < 1e-9, x, y)
}

#[inline(always)]
pub fn cosh(x: f32) -> f32 {
    let h = half_exp(x.abs());
    h + 0.25 / h
}

#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let (h, lo) = half_exp_m1(2.0 * select(a > 10.0, 10.0, a));
    let (d, d_lo) = two_sum(h, 1.0);
    let inverse = 1.0 / d;
    let y = h * inverse;
    let y = y + inverse * (fma(-y, d, h) + fma(-y, d_lo + lo, lo));
    select(a < 1e-9, x, y.copysign(x))
}
