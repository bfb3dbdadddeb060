//! Complex functions, computed in double precision for both component types.
//!
//! Infinities, NaN, signed zeros and branch cuts follow C99's annex G, as NumPy does. The inverse
//! functions use W. Kahan's formulas ("Branch cuts for complex elementary functions", 1987), with
//! logarithms for arguments whose squares would overflow. All branch; they are inlined always
//! nonetheless, so that a caller compiled for a processor with fma uses it here too.

use super::double as d;
use num_complex::Complex;
use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, LOG10_E};

type C = Complex<f64>;

#[inline(always)]
fn c(re: f64, im: f64) -> C {
    C::new(re, im)
}

/// i·z.
#[inline(always)]
fn times_i(z: C) -> C {
    c(-z.im, z.re)
}

/// -i·z.
#[inline(always)]
fn times_minus_i(z: C) -> C {
    c(z.im, -z.re)
}

#[inline(always)]
fn sin_cos(y: f64) -> (f64, f64) {
    (d::sin_full(y), d::cos_full(y))
}

#[inline(always)]
pub(super) fn abs(z: C) -> f64 {
    d::hypot(z.re, z.im)
}

#[inline(always)]
pub(super) fn angle(z: C) -> f64 {
    d::atan2(z.im, z.re)
}

/// A value with a factor e^x that may overflow before the product does.
#[inline(always)]
fn scaled_exp(x: f64, re: f64, im: f64) -> C {
    const STEP: f64 = 700.0;
    const EXP_STEP: f64 = 1.014_232_054_735_004_5e304;
    if x > STEP && x < 1500.0 {
        let e = d::exp(x - STEP);
        return c(e * re * EXP_STEP, e * im * EXP_STEP);
    }
    let e = d::exp(x);
    c(e * re, e * im)
}

#[inline(always)]
pub(super) fn exp(z: C) -> C {
    if z.im == 0.0 {
        return c(d::exp(z.re), z.im);
    }
    if z.re == 0.0 {
        let (s, k) = sin_cos(z.im);
        return c(k, s);
    }
    if !z.im.is_finite() {
        return match z.re {
            f64::INFINITY => c(z.re, f64::NAN),
            f64::NEG_INFINITY => c(0.0, 0.0_f64.copysign(z.im)),
            _ => c(f64::NAN, f64::NAN),
        };
    }
    let (s, k) = sin_cos(z.im);
    scaled_exp(z.re, k, s)
}

/// log |z| without overflow, underflow or, near 1, cancellation.
#[inline(always)]
fn ln_abs(z: C) -> f64 {
    let (a, b) = (z.re.abs(), z.im.abs());
    let (hi, lo) = if a > b { (a, b) } else { (b, a) };
    if hi > 1e307 {
        return d::ln(d::hypot(hi * 0.25, lo * 0.25)) + 2.0 * LN_2;
    }
    if hi < 1e-290 {
        const UP: f64 = 18446744073709551616.0;
        return d::ln(d::hypot(hi * UP, lo * UP)) - 64.0 * LN_2;
    }
    let square = hi * hi + lo * lo;
    if !(0.5..2.0).contains(&square) {
        return d::ln(d::hypot(hi, lo));
    }
    // |z|² - 1 with the rounding errors of both squares and of their sum.
    let (p, q) = (hi * hi, lo * lo);
    let t = p - 1.0;
    let s = t + q;
    let v = s - t;
    let sum_error = (t - (s - v)) + (q - v);
    let rest = hi.mul_add(hi, -p) + lo.mul_add(lo, -q) + sum_error;
    0.5 * d::ln_1p(s + rest)
}

#[inline(always)]
pub(super) fn ln(z: C) -> C {
    c(ln_abs(z), angle(z))
}

#[inline(always)]
pub(super) fn log2(z: C) -> C {
    ln(z) * LOG2_E
}

#[inline(always)]
pub(super) fn log10(z: C) -> C {
    ln(z) * LOG10_E
}

#[inline(always)]
pub(super) fn sqrt(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if x == 0.0 && y == 0.0 {
        return c(0.0, y);
    }
    if y.is_infinite() {
        return c(f64::INFINITY, y);
    }
    if x.is_infinite() {
        let rest = if y.is_nan() { f64::NAN } else { 0.0 };
        let (re, im) = if x > 0.0 { (x, rest) } else { (rest, -x) };
        return c(re, im.copysign(y));
    }
    // An even power of two keeps the sum finite and normal.
    let m = x.abs().max(y.abs());
    let (scale, back) = if m > 1e307 {
        (0.0625, 4.0)
    } else if m < 1e-290 {
        (18014398509481984.0, 7.450580596923828e-9)
    } else {
        (1.0, 1.0)
    };
    let (x, y) = (x * scale, y * scale);
    let t = (0.5 * (x.abs() + d::hypot(x, y))).sqrt();
    let other = y.abs() / (2.0 * t);
    let (re, im) = if x >= 0.0 { (t, other) } else { (other, t) };
    c(re * back, (im * back).copysign(y))
}

#[inline(always)]
pub(super) fn sinh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(d::sinh(x), y);
    }
    if !y.is_finite() {
        let nan = f64::NAN;
        if x == 0.0 {
            return c(x, nan);
        }
        return c(if x.is_infinite() { x } else { nan }, nan);
    }
    let (s, k) = sin_cos(y);
    if x.abs() > 30.0 && x.is_finite() {
        let e = scaled_exp(x.abs(), 0.5 * k, 0.5 * s);
        return c(e.re.copysign(x * k), e.im);
    }
    if x == 0.0 {
        return c(x * k, s);
    }
    c(d::sinh(x) * k, d::cosh(x) * s)
}

#[inline(always)]
pub(super) fn cosh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return c(d::cosh(x), if x.is_nan() { y } else { y * 1.0_f64.copysign(x) });
    }
    if !y.is_finite() {
        let nan = f64::NAN;
        if x == 0.0 {
            return c(nan, 0.0_f64.copysign(x) * 1.0_f64.copysign(y));
        }
        return c(if x.is_infinite() { x.abs() } else { nan }, nan);
    }
    let (s, k) = sin_cos(y);
    if x.abs() > 30.0 && x.is_finite() {
        let e = scaled_exp(x.abs(), 0.5 * k, 0.5 * s);
        return c(e.re, e.im.copysign(x * s));
    }
    c(d::cosh(x) * k, d::sinh(x) * s)
}

/// Kahan's formula, which neither overflows nor cancels.
#[inline(always)]
pub(super) fn tanh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if x.is_nan() {
        return c(x, if y == 0.0 { y } else { x * y });
    }
    if x.is_infinite() {
        let quadrant = if y.is_infinite() {
            y
        } else {
            let (s, k) = sin_cos(y);
            s * k
        };
        return c(1.0_f64.copysign(x), 0.0_f64.copysign(quadrant));
    }
    if !y.is_finite() {
        return c(if x == 0.0 { x } else { f64::NAN }, f64::NAN);
    }
    if x.abs() > 22.0 {
        let (s, k) = sin_cos(y);
        let e = d::exp(-x.abs());
        return c(1.0_f64.copysign(x), 4.0 * s * k * e * e);
    }
    let t = d::tan_full(y);
    let beta = 1.0 + t * t;
    let s = d::sinh(x);
    let rho = (1.0 + s * s).sqrt();
    if t.is_infinite() {
        return c(rho / s, 1.0 / t);
    }
    let denominator = 1.0 + beta * s * s;
    c(beta * rho * s / denominator, t / denominator)
}

#[inline(always)]
pub(super) fn sin(z: C) -> C {
    times_minus_i(sinh(times_i(z)))
}

#[inline(always)]
pub(super) fn cos(z: C) -> C {
    cosh(times_i(z))
}

#[inline(always)]
pub(super) fn tan(z: C) -> C {
    times_minus_i(tanh(times_i(z)))
}

/// Beyond this the 1 in 1 ± z no longer counts and squares come near overflow.
const LARGE: f64 = 1e15;

#[inline(always)]
fn is_large(z: C) -> bool {
    z.re.abs() > LARGE || z.im.abs() > LARGE
}

#[inline(always)]
pub(super) fn acos(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        return match () {
            () if x.is_infinite() => c(f64::NAN, f64::NEG_INFINITY),
            () if y.is_infinite() => c(f64::NAN, -y),
            () if x == 0.0 => c(FRAC_PI_2, f64::NAN),
            () => c(f64::NAN, f64::NAN),
        };
    }
    if is_large(z) {
        let w = ln(z);
        return c(w.im.abs(), -(w.re + LN_2).copysign(y));
    }
    let (a, b) = (sqrt(c(1.0 - x, -y)), sqrt(c(1.0 + x, y)));
    let im = b.re * a.im - b.im * a.re;
    c(2.0 * d::atan2(a.re, b.re), d::asinh(im).copysign(-y))
}

#[inline(always)]
pub(super) fn asinh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        return match () {
            () if x.is_infinite() => c(x, f64::NAN),
            () if y.is_infinite() => c(y, f64::NAN),
            () if y == 0.0 => c(f64::NAN, y),
            () => c(f64::NAN, f64::NAN),
        };
    }
    if is_large(z) {
        let w = ln(if x.is_sign_negative() { -z } else { z });
        return c((w.re + LN_2).copysign(x), w.im.copysign(y));
    }
    // asinh z = -i·asin(iz), with sqrt(1 - iz) and sqrt(1 + iz).
    let (a, b) = (sqrt(c(1.0 + y, -x)), sqrt(c(1.0 - y, x)));
    let re = d::asinh(a.re * b.im - a.im * b.re);
    let im = d::atan2(y, a.re * b.re - a.im * b.im);
    c(re.copysign(x), im.copysign(y))
}

#[inline(always)]
pub(super) fn asin(z: C) -> C {
    let w = asinh(c(z.im, z.re));
    c(w.im, w.re)
}

#[inline(always)]
pub(super) fn acosh(z: C) -> C {
    let w = acos(z);
    if w.re.is_nan() {
        return c(w.im.abs(), w.re);
    }
    if w.im.is_nan() {
        return c(w.im, w.re);
    }
    c(w.im.abs(), w.re.copysign(z.im))
}

#[inline(always)]
pub(super) fn atanh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if y == 0.0 && x.abs() <= 1.0 {
        return c(d::atanh(x), y);
    }
    if x == 0.0 {
        return c(x, d::atan(y));
    }
    if x.is_nan() || y.is_nan() {
        return match () {
            () if x.is_infinite() => c(0.0_f64.copysign(x), f64::NAN),
            () if y.is_infinite() => c(0.0_f64.copysign(x), FRAC_PI_2.copysign(y)),
            () => c(f64::NAN, f64::NAN),
        };
    }
    if is_large(z) {
        let re = if x.is_infinite() || y.is_infinite() { 0.0 } else { reciprocal(z).re };
        return c(re.copysign(x), FRAC_PI_2.copysign(y));
    }
    let (a, b) = (x.abs(), y.abs());
    let e = 1.0 - a;
    let square = e * e + b * b;
    // At the pole what is left of the logarithm is the distance, whose square may underflow.
    let re = match square < 1e-30 {
        true => 0.5 * (LN_2 - d::ln(d::hypot(e, b))),
        false => 0.25 * d::ln_1p(4.0 * a / square),
    };
    let im = 0.5 * d::atan2(2.0 * b, e * (1.0 + a) - b * b);
    c(re.copysign(x), im.copysign(y))
}

#[inline(always)]
pub(super) fn atan(z: C) -> C {
    let w = atanh(c(z.im, z.re));
    c(w.im, w.re)
}

/// The product as it is written.
#[inline(always)]
pub(super) fn mul(a: C, b: C) -> C {
    c(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

/// Smith's quotient ("Algorithm 116: complex division", 1962), selecting instead of branching, with
/// a quarter of numbers whose sums would overflow and a multiple of those that are nearly
/// subnormal. By zero each part is divided on its own, and the signs of zeros are those of the
/// formula, both as in NumPy.
#[inline(always)]
pub(super) fn div(a: C, b: C) -> C {
    let factor = |z: C| {
        let large = z.re.abs() > 1e307 || z.im.abs() > 1e307;
        let tiny = z.re.abs() < 1e-290 && z.im.abs() < 1e-290;
        let by = if large { 0.25 } else { 1.0 };
        if tiny { 18446744073709551616.0 } else { by }
    };
    let (fa, fb) = (factor(a), factor(b));
    let wide = b.re.abs() >= b.im.abs();
    let (big, small) = if wide { (b.re * fb, b.im * fb) } else { (b.im * fb, b.re * fb) };
    let ratio = if big == 0.0 { 0.0 } else { small / big };
    let scale = small.mul_add(ratio, big);
    let (p, q) = if wide { (a.re * fa, a.im * fa) } else { (a.im * fa, a.re * fa) };
    let turned = if wide { p.mul_add(-ratio, q) } else { p.mul_add(ratio, -q) };
    let back = fb / fa;
    let re = q.mul_add(ratio, p) / scale * back;
    let im = turned / scale * back;
    let by_zero = (b.re == 0.0) & (b.im == 0.0);
    c(if by_zero { a.re / 0.0 } else { re }, if by_zero { a.im / 0.0 } else { im })
}

/// Smith's quotient of a real one, which keeps the sign of the imaginary part, a zero's too.
#[inline(always)]
pub(super) fn reciprocal(z: C) -> C {
    let wide = z.re.abs() >= z.im.abs();
    let (big, small) = if wide { (z.re, z.im) } else { (z.im, z.re) };
    // Quotients of subnormal numbers overflow, and sums of the largest do.
    let by = match big.abs() {
        large if large > 1e307 => 0.25,
        tiny if tiny < 1e-300 => 18446744073709551616.0,
        _ => 1.0,
    };
    let (big, small) = (big * by, small * by);
    let ratio = if big == 0.0 { 0.0 } else { small / big };
    let scale = small.mul_add(ratio, big);
    let (one, other) = (by / scale, ratio / scale * by);
    let by_zero = (z.re == 0.0) & (z.im == 0.0);
    match (by_zero, wide) {
        (true, _) => c(f64::INFINITY, f64::NAN),
        (false, true) => c(one, -other),
        (false, false) => c(other, -one),
    }
}

#[inline(always)]
pub(super) fn sign(z: C) -> C {
    let r = abs(z);
    match r {
        0.0 => c(0.0, 0.0),
        f64::INFINITY if z.re.is_finite() && z.im.is_finite() => sign(z * 0.25),
        f64::INFINITY if z.im.is_finite() => c(1.0_f64.copysign(z.re), 0.0),
        f64::INFINITY if z.re.is_finite() => c(0.0, 1.0_f64.copysign(z.im)),
        _ => c(z.re / r, z.im / r),
    }
}

/// z^n by squaring, without a product by one, which would be none for infinities.
#[inline(always)]
fn whole_power(z: C, n: u32) -> C {
    let (mut base, mut left, mut r) = (z, n, None);
    while left > 0 {
        if left & 1 == 1 {
            r = Some(r.map_or(base, |r| mul(r, base)));
        }
        left >>= 1;
        if left > 0 {
            base = mul(base, base);
        }
    }
    r.unwrap_or(c(1.0, 0.0))
}

#[inline(always)]
pub(super) fn pow(z: C, w: C) -> C {
    if w.re == 0.0 && w.im == 0.0 {
        return c(1.0, 0.0);
    }
    if z.re == 0.0 && z.im == 0.0 {
        let zero = w.re > 0.0;
        return if zero { c(0.0, 0.0) } else { c(f64::NAN, f64::NAN) };
    }
    if w.im == 0.0 && w.re.abs() < 100.0 && w.re.trunc() == w.re {
        let r = whole_power(z, w.re.abs() as u32);
        return if w.re < 0.0 { reciprocal(r) } else { r };
    }
    let (ln, theta) = (ln_abs(z), angle(z));
    let turn = w.im * ln + w.re * theta;
    let (s, k) = sin_cos(turn);
    // The modulus by `pow`, whose logarithm is carried in two parts, unless |z| is not a number
    // that can stand for itself, or so near to one that its rounding says more than its logarithm.
    let r = abs(z);
    if r.is_finite() && r > 1e-290 && ln.abs() >= 0.5 {
        let m = d::pow(r, w.re) * d::exp(-w.im * theta);
        if m.is_finite() && m > 0.0 {
            return c(m * k, m * s);
        }
    }
    exp(c(w.re * ln - w.im * theta, turn))
}
