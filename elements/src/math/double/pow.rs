//! Powers and roots.
//!
//! `pow` is e^(y·log x) with log x in two parts: log(1 + f) = 2s + (2/3)s³ + s⁵·R(s²), where s,
//! s² and the cubic term are carried as unevaluated sums (T. Dekker, "A floating-point technique
//! for extending the available precision", 1971), to about 2^-68. `cbrt` starts from a linear
//! guess on the exponent bits, as W. Kahan's does, for x^(-1/3), and needs no division.

use super::bits::{LN2_HI, LN2_LO, MAGIC, fma, poly, select, split_any};
use super::exp::exp_parts;

/// log x for a positive finite x as a sum of two numbers.
#[inline(always)]
pub(super) fn ln_parts(x: f64) -> (f64, f64) {
    let (k, f) = split_any(x);
    let d = 2.0 + f;
    let d_lo = f - (d - 2.0);
    let recip = 1.0 / d;
    let s = f * recip;
    let s_lo = (fma(-s, d, f) - s * d_lo) * recip;
    let z = s * s;
    let z_lo = fma(s, s, -z) + 2.0 * s * s_lo;
    // By pairs, for the chain from s to the result is long enough.
    let z2 = z * z;
    let low = fma(fma(0.2222222221751818, z, 0.28571428571445157), z, 0.3999999999999998);
    let high = fma(
        fma(0.11990998099469371, z, 0.11674594776036136),
        z2,
        fma(0.13336327562750394, z, 0.15384556635648947),
    );
    let q = z * fma(fma(high, z, 0.1818181887323922), z2 * z, low);
    // c = 2/3 + q, v = z·c, u = s·v, each in two parts.
    const TWO_THIRDS: f64 = 0.6666666666666666;
    let c = TWO_THIRDS + q;
    let c_lo = (TWO_THIRDS - c) + q + 3.700743415417188e-17;
    let v = z * c;
    let v_lo = fma(z, c, -v) + fma(z, c_lo, z_lo * c);
    let u = s * v;
    let u_lo = fma(s, v, -u) + fma(s, v_lo, s_lo * v);
    let a = 2.0 * s + u;
    let a_lo = (2.0 * s - a) + u + (u_lo + 2.0 * s_lo);
    let e = k * LN2_HI;
    let hi = e + a;
    let b = hi - e;
    let lo = (e - (hi - b)) + (a - b) + fma(k, LN2_LO, a_lo);
    let sum = hi + lo;
    (sum, (hi - sum) + lo)
}

/// |x|^y for finite nonzero x.
#[inline(always)]
fn pow_abs(x: f64, y: f64) -> f64 {
    let (hi, lo) = ln_parts(x);
    let e = y * hi;
    let e_lo = fma(y, hi, -e) + y * lo;
    exp_parts(e, select(e.abs() < 1000.0, e_lo, 0.0), 1.0)
}

#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let grow = (y > 0.0) == (a > 1.0);
    let limit = select(grow, f64::INFINITY, 0.0);
    let r = pow_abs(a, y);
    let extreme = a == 0.0 || a == f64::INFINITY || y.abs() == f64::INFINITY;
    let r = select(extreme, limit, r);
    let r = select(a == 1.0, 1.0, r);
    let whole = y.round_ties_even() == y;
    let half = 0.5 * y;
    let odd = whole && half.round_ties_even() != half;
    let negative = x.is_sign_negative();
    let r = select(negative && odd, -r, r);
    let invalid = x < 0.0 && !whole && a < f64::INFINITY;
    let r = select(invalid, f64::NAN, r);
    let r = select(x.is_nan() || y.is_nan(), x + y, r);
    select(y == 0.0 || x == 1.0, 1.0, r)
}

#[inline(always)]
pub fn cbrt(x: f64) -> f64 {
    let a = x.abs();
    let tiny = a < f64::MIN_POSITIVE;
    let a = select(tiny, a * 18014398509481984.0, a);
    // The high word of a^(-1/3) to about 3%: a constant less a third of a's high word.
    let word = super::bits::small_to_f64(a.to_bits() >> 32);
    let guess = fma(word, -1.0 / 3.0, 1430186361.0) + MAGIC;
    let y = f64::from_bits(guess.to_bits() << 32);
    // y·(1 - e)^(-1/3) with e = 1 - a·y³, as a series: 4e-6 after the first step, then 1e-17.
    let e = fma(-(a * y), y * y, 1.0);
    let y = y * poly!(e; 1.0, 1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0, 35.0 / 243.0);
    let e = fma(-(a * y), y * y, 1.0);
    let y = y * poly!(e; 1.0, 1.0 / 3.0, 2.0 / 9.0);
    let c = a * y * y;
    // One Newton step with the residual a - c³ in full precision.
    let square = c * c;
    let rest = fma(-c, square, a) - c * fma(c, c, -square);
    let c = fma(rest, y * y * (1.0 / 3.0), c);
    let c = select(tiny, c * 3.814697265625e-6, c).copysign(x);
    select(x == 0.0 || !(x.abs() < f64::INFINITY), x, c)
}

#[inline(always)]
pub fn hypot(x: f64, y: f64) -> f64 {
    let (ax, ay) = (x.abs(), y.abs());
    let (hi, lo) = select(ax > ay, (ax, ay), (ay, ax));
    const UP: f64 = 4.149515568880993e180;
    const DOWN: f64 = 2.409919865102884e-181;
    let (scale, back) = select(hi > 1e150, (DOWN, UP), (1.0, 1.0));
    let (scale, back) = select(hi < 1e-140, (UP, DOWN), (scale, back));
    let (a, b) = (hi * scale, lo * scale);
    let r = fma(a, a, b * b).sqrt() * back;
    select(ax == f64::INFINITY || ay == f64::INFINITY, f64::INFINITY, r)
}
