//! Powers: 2^(y·log2 x) in double precision, whose 53 bits make a logarithm in two parts needless.

use crate::math::double::bits::{MAGIC, fma, poly, pow2_bits, split};
use crate::math::select::select;

/// |x|^y for positive finite x, which is a normal number in double precision.
#[inline(always)]
fn pow_abs(x: f64, y: f64) -> f64 {
    let (k, f) = split(x);
    let s = f / (2.0 + f);
    let z = s * s;
    // log2(1 + f) = s·Q(s²), to 2^-43.
    let q = poly!(z; 2.8853900817778486, 0.9617966941158762, 0.5770779415926364,
        0.4122093337795279, 0.3199022282961509, 0.2829514754778901);
    let e = y * fma(s, q, k);
    let e = select(e > 200.0, 200.0, e);
    let e = select(e < -200.0, -200.0, e);
    let shifted = e + MAGIC;
    let r = e - (shifted - MAGIC);
    let p = poly!(r; 0.999999999959405, 0.6931471805349486, 0.2402265121493754,
        0.055504109763686284, 0.009618025426654278, 0.001333342242989637,
        0.00015469787816652566, 1.5316512659299835e-5);
    p * pow2_bits(shifted.to_bits())
}

#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    let a = x.abs();
    let limit = select((y > 0.0) == (a > 1.0), f32::INFINITY, 0.0);
    let r = pow_abs(f64::from(a), f64::from(y)) as f32;
    let extreme = a == 0.0 || a == f32::INFINITY || y.abs() == f32::INFINITY;
    let r = select(extreme, limit, r);
    let r = select(a == 1.0, 1.0, r);
    let whole = y.round_ties_even() == y;
    let half = 0.5 * y;
    let odd = whole && half.round_ties_even() != half;
    let r = select(x.is_sign_negative() && odd, -r, r);
    let invalid = x < 0.0 && !whole && a < f32::INFINITY;
    let r = select(invalid, f32::NAN, r);
    let r = select(x.is_nan() || y.is_nan(), x + y, r);
    select(y == 0.0 || x == 1.0, 1.0, r)
}
