//! The error function: an odd polynomial below one, 1 - e^q with a polynomial q beyond. Its inverses
//! as in double precision.

use super::bits::{fma, poly, select, two_sum};
use super::exp::exp_negative;
use super::log::ln_parts;

#[inline(always)]
pub fn erf(x: f32) -> f32 {
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
pub fn erfinv(x: f32) -> f32 {
    // Above the bound this is exact.
    let tail = 1.0 - x.abs();
    inverse(x, tail)
}

#[inline(always)]
pub fn erfcinv(x: f32) -> f32 {
    let tail = select(x > 1.0, 2.0 - x, x);
    let (q, q_lo) = two_sum(1.0, -x);
    let y = inverse(q, tail);
    // The slope of erf's inverse to some hundredths, times what 1 - x was rounded by.
    let z = q * q;
    let slope = fma(fma(5.38, z, -2.64), z - 0.25, fma(1.69, z, 0.69));
    select(q.abs() <= CENTER, fma(slope, q_lo, y), y)
}

/// The number whose `erf` is q, and the `erfc` of whose magnitude is `tail`: q itself, or the root of
/// -log tail, and what that is wrong by.
#[inline(always)]
fn inverse(q: f32, tail: f32) -> f32 {
    let center = q.abs() <= CENTER;
    let t = fma(-q, q, 0.7226);
    let p0 = poly!(t; 0.1976223, 0.10846685, -1.549806, -1.346293, -0.037083652);
    let q0 = poly!(t; 1.0, 5.1032634, 7.0405883, 2.3230963);
    let (ln, ln_lo) = ln_parts(select(tail > 0.0, tail, 1.0));
    let r = (-ln).sqrt();
    // Half of what r is short of the root; the inverse's slope by r is near one.
    let r_lo = (fma(-r, r, -ln) - ln_lo) / select(r > 0.0, r, 1.0) * 0.5;
    let t = r - 1.6;
    let p1 = poly!(t; 0.35086524, 0.39518344, 0.12716896, 0.010284237, 5.4206569e-5,
        -4.5590378e-7);
    let q1 = poly!(t; 1.0, 1.2506645, 0.56596396, 0.09670358, 0.004585098);
    let quotient = select(center, p0, p1) / select(center, q0, q1);
    let far = r + fma(1.03, r_lo, -quotient);
    let far = select(tail == 0.0, f32::INFINITY, far);
    let far = select(tail >= 0.0, far, f32::NAN);
    // A zero keeps its sign.
    select(center, fma(q, quotient, q), far).copysign(q)
}
