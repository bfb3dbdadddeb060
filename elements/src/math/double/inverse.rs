//! Inverse trigonometric functions. The arc tangent is reduced as in Cephes (S. Moshier, 1989) to
//! |a| <= tan(π/8) with one division, the arc sine by asin x = π/2 - 2·asin(sqrt((1 - x)/2));
//! the polynomials are minimax ones of our own.

use super::bits::{fma, poly, select};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// What the nearest numbers to π/4, π/2 and π leave out.
const PI_4_LO: f64 = 3.061616997868383e-17;
const PI_2_LO: f64 = 6.123233995736766e-17;
const PI_LO: f64 = 1.2246467991473532e-16;
const TWO_TO_100: f64 = 1.2676506002282294e30;
const TAN_PI_8: f64 = 0.41421356237309503;

/// atan a - a for |a| <= tan(π/8).
#[inline(always)]
fn atan_tail(a: f64) -> f64 {
    let z = a * a;
    let p = poly!(z; -0.333333333333332, 0.1999999999995414, -0.1428571428025132,
        0.11111110786174912, -0.09090897835276633, 0.0769206158461848, -0.0666311949042817,
        0.05848000585513018, -0.050398008449247966, 0.03807702695934595,
        -0.01792070709964623);
    a * z * p
}

/// The angle of the point (mx, mn) in the first octant: j·π/4 + atan(num / den), j being 0 or 1.
#[inline(always)]
fn octant(mn: f64, mx: f64) -> (f64, f64) {
    let steep = mn > TAN_PI_8 * mx;
    let num = select(steep, mn - mx, mn);
    let den = select(steep, mn + mx, mx);
    (select(steep, 1.0, 0.0), num / den)
}

/// j·π/4 + sign·atan(a) for a small whole j.
#[inline(always)]
fn combine(j: f64, sign: f64, a: f64) -> f64 {
    let hi = j * FRAC_PI_4;
    let lo = fma(j, PI_4_LO, fma(j, FRAC_PI_4, -hi));
    let a = a * sign;
    hi + (a + (atan_tail(a) + lo))
}

#[inline(always)]
pub fn atan(x: f64) -> f64 {
    let a = x.abs();
    let flip = a > 1.0;
    let (mn, mx) = select(flip, (1.0, a), (a, 1.0));
    let (j, t) = octant(mn, mx);
    let (j, sign) = select(flip, (2.0 - j, -1.0), (j, 1.0));
    combine(j, sign, t).copysign(x)
}

#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    let (ax, ay) = (x.abs(), y.abs());
    let flip = ay > ax;
    let (mn, mx) = select(flip, (ax, ay), (ay, ax));
    // A quarter of both keeps mn + mx finite; what becomes subnormal by it gives 0 anyway. Subnormal
    // numbers are made large, since a multiple of them by which the octant is told has few digits.
    let scale = select(mx > 1e307, 0.25, select(mx < 1e-290, TWO_TO_100, 1.0));
    let (mn, mx) = (mn * scale, mx * scale);
    // Two infinities are a diagonal, two zeros an angle of 0.
    let (mn, mx) = select(mn == f64::INFINITY, (1.0, 1.0), (mn, mx));
    let mx = select(mx == 0.0, 1.0, mx);
    let (j, t) = octant(mn, mx);
    let (j, sign) = select(flip, (2.0 - j, -1.0), (j, 1.0));
    let left = x.is_sign_negative();
    let (j, sign) = select(left, (4.0 - j, -sign), (j, sign));
    let r = combine(j, sign, t).copysign(y);
    select(x.is_nan() || y.is_nan(), x + y, r)
}

/// (asin s - s) / s for s² = z <= 1/4.
#[inline(always)]
fn asin_tail(z: f64) -> f64 {
    z * poly!(z; 0.16666666666665386, 0.07500000000342698, 0.04464285682349139,
        0.03038195933902592, 0.022371753180597368, 0.017359778303076386,
        0.013884509413129771, 0.012173972508645482, 0.006507418951658705,
        0.019584422909544555, -0.016312225087423304, 0.03197247179775269)
}

/// Whether |x| > 1/2, the reduced argument s, and asin(s) - s.
#[inline(always)]
fn asin_reduce(x: f64) -> (bool, f64, f64) {
    let a = x.abs();
    let large = a > 0.5;
    let z = select(large, 0.5 * (1.0 - a), a * a);
    let s = select(large, z.sqrt(), a);
    (large, s, s * asin_tail(z))
}

#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let (large, s, tail) = asin_reduce(x);
    let far = FRAC_PI_2 - (2.0 * s + (2.0 * tail - PI_2_LO));
    select(large, far.copysign(x), (s + tail).copysign(x))
}

#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let (large, s, tail) = asin_reduce(x);
    let near = FRAC_PI_2 - (s.copysign(x) + (tail.copysign(x) - PI_2_LO));
    let right = 2.0 * s + 2.0 * tail;
    let left = PI - (2.0 * s + (2.0 * tail - PI_LO));
    let far = select(x < 0.0, left, right);
    select(large, far, near)
}
