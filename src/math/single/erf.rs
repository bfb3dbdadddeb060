//! The error function: an odd polynomial below one, 1 - e^q with a polynomial q beyond. Its inverses
//! as in double precision.

use super::bits::{fma, poly, select};
use super::exp::exp_negative;
use super::log::ln;

#[inline(always)]
pub(crate) fn erf(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let near = poly!(z; 0.12837917, -0.37612626, 0.112835996, -0.026854403, 0.005189445,
        -0.00080199476, 7.885847e-5);
    let b = select(a > 4.0, 4.0, a);
    let q = poly!(b; -0.00033268594, -1.1271225, -0.63809353, -0.103147976, 0.02185631,
        -0.0029518753, 0.00018677673);
    let far = (1.0 - exp_negative(q)).copysign(x);
    select(a < 1.0, fma(x, near, x), far)
}

/// The inverse of `erf` where its magnitude is below this comes from its square.
const CENTER: f32 = 0.85;

#[inline(always)]
pub(crate) fn erfinv(x: f32) -> f32 {
    // Above the bound this is exact.
    let tail = 1.0 - x.abs();
    inverse(x, tail)
}

#[inline(always)]
pub(crate) fn erfcinv(x: f32) -> f32 {
    let tail = select(x > 1.0, 2.0 - x, x);
    inverse(1.0 - x, tail)
}

/// The number whose `erf` is q, and the `erfc` of whose magnitude is `tail`.
#[inline(always)]
fn inverse(q: f32, tail: f32) -> f32 {
    let center = q.abs() <= CENTER;
    let t = fma(-q, q, 0.7226);
    let p0 = poly!(t; 1.1976223, 6.281257, 9.317502, 3.8232696, 0.20693792);
    let q0 = poly!(t; 1.0, 5.9963064, 10.906939, 6.374966, 0.8095295);
    let r = (-ln(tail)).sqrt();
    let t = r - 1.6;
    let p1 = poly!(t; 1.2491348, 2.6150713, 2.0460222, 0.72133106, 0.10673215, 0.0047899405);
    let q1 = poly!(t; 1.0, 1.2580228, 0.5734131, 0.09912721, 0.0047894362);
    let y = select(center, q * p0, p1) / select(center, q0, q1);
    let y = select(tail == 0.0, f32::INFINITY, y);
    select(center, y, y.copysign(q))
}
