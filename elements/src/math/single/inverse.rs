//! Inverse trigonometric functions, as in double precision with shorter polynomials.

use super::bits::{fma, poly, select};
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// What the nearest numbers to π/4, π/2 and π leave out.
const PI_4_LO: f32 = -2.1855694e-8;
const PI_2_LO: f32 = -4.371139e-8;
const PI_LO: f32 = -8.742278e-8;
const TWO_TO_64: f32 = 1.8446744e19;
const TAN_PI_8: f32 = 0.41421357;

/// The angle of the point (mx, mn) in the first octant: j·π/4 + atan(num / den), j being 0 or 1.
#[inline(always)]
fn octant(mn: f32, mx: f32) -> (f32, f32) {
    let steep = mn > TAN_PI_8 * mx;
    let num = select(steep, mn - mx, mn);
    let den = select(steep, mn + mx, mx);
    (select(steep, 1.0, 0.0), num / den)
}

/// j·π/4 + sign·atan(a) for a small whole j and |a| <= tan(π/8).
#[inline(always)]
fn combine(j: f32, sign: f32, a: f32) -> f32 {
    let a = a * sign;
    let z = a * a;
    let p = poly!(z; -0.33333316, 0.19998491, -0.14243859, 0.10596, -0.06083297);
    let hi = j * FRAC_PI_4;
    let lo = fma(j, PI_4_LO, fma(j, FRAC_PI_4, -hi));
    hi + (a + fma(a * z, p, lo))
}

#[inline(always)]
pub fn atan(x: f32) -> f32 {
    let a = x.abs();
    let flip = a > 1.0;
    let (mn, mx) = select(flip, (1.0, a), (a, 1.0));
    let (j, t) = octant(mn, mx);
    let (j, sign) = select(flip, (2.0 - j, -1.0), (j, 1.0));
    combine(j, sign, t).copysign(x)
}

#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    let flip = ay > ax;
    let (mn, mx) = select(flip, (ax, ay), (ay, ax));
    // A quarter of both keeps mn + mx finite; what becomes subnormal by it gives 0 anyway. Subnormal
    // numbers are made large, since a multiple of them by which the octant is told has few digits.
    let scale = select(mx > 1e38, 0.25, select(mx < 1e-30, TWO_TO_64, 1.0));
    let (mn, mx) = (mn * scale, mx * scale);
    // Two infinities are a diagonal, two zeros an angle of 0.
    let (mn, mx) = select(mn == f32::INFINITY, (1.0, 1.0), (mn, mx));
    let mx = select(mx == 0.0, 1.0, mx);
    let (j, t) = octant(mn, mx);
    let (j, sign) = select(flip, (2.0 - j, -1.0), (j, 1.0));
    let (j, sign) = select(x.is_sign_negative(), (4.0 - j, -sign), (j, sign));
    let r = combine(j, sign, t).copysign(y);
    select(x.is_nan() || y.is_nan(), x + y, r)
}

/// Whether |x| > 1/2, the reduced argument s, and asin(s) - s.
#[inline(always)]
fn asin_reduce(x: f32) -> (bool, f32, f32) {
    let a = x.abs();
    let large = a > 0.5;
    let z = select(large, 0.5 * (1.0 - a), a * a);
    let s = select(large, z.sqrt(), a);
    let p = poly!(z; 0.1666666, 0.075005114, 0.04451561, 0.031818844, 0.014396945, 0.03757439);
    (large, s, s * (z * p))
}

#[inline(always)]
pub fn asin(x: f32) -> f32 {
    let (large, s, tail) = asin_reduce(x);
    let far = FRAC_PI_2 - (2.0 * s + (2.0 * tail - PI_2_LO));
    select(large, far, s + tail).copysign(x)
}

#[inline(always)]
pub fn acos(x: f32) -> f32 {
    let (large, s, tail) = asin_reduce(x);
    let near = FRAC_PI_2 - (s.copysign(x) + (tail.copysign(x) - PI_2_LO));
    let right = 2.0 * s + 2.0 * tail;
    let left = PI - (2.0 * s + (2.0 * tail - PI_LO));
    select(large, select(x < 0.0, left, right), near)
}
