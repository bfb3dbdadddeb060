//! Integrals: the scaled error function, exponential integrals of whole order, and sine and cosine
//! integrals.
//!
//! The error function is scaled by an exponential whose argument is the sum of two numbers, and has
//! its asymptotic series beyond (DLMF 7.12.1). Exponential integrals are a recurrence, a power series
//! (DLMF 8.19.8) or a continued fraction (DLMF 8.19.17); sine and cosine integrals power series (DLMF
//! 6.6) and the continued fraction on the imaginary axis.

use super::exponential::{exp1, expi};
use crate::device;
use crate::device::Float;
use crate::vectorize;
use std::f64::consts::{FRAC_PI_2, PI};

const EULER_GAMMA: f64 = 0.5772156649015329;

/// `exp(x²)` with the square's rounding put right.
#[device]
fn exp_of_square(x: f64) -> f64 {
    let square = x * x;
    let lost = x.mul_add(x, -square);
    let value = square.exp();
    value + value * lost
}

/// The error function's complement times `exp(x²)`.
#[vectorize]
pub fn erfcx(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    // Twice the exponential overflows a little before the exponential alone, whose rounding could not be
    // put right any more: infinity less infinity.
    if x < -26.64 {
        return f64::INFINITY;
    }
    if x < 12.0 {
        return exp_of_square(x) * Float::erfc(x);
    }
    let r = 1.0 / x;
    let t = 0.5 * r * r;
    let mut sum = 1.0;
    let mut k = 11.0;
    while k > 0.0 {
        sum = 1.0 - (2.0 * k - 1.0) * t * sum;
        k -= 1.0;
    }
    r / PI.sqrt() * sum
}

/// The exponential integral of order `n`, the integral of `exp(-x t) / t^n` from 1 on.
#[vectorize]
pub fn expn(n: i32, x: f64) -> f64 {
    if x.is_nan() || n < 0 || x < 0.0 {
        return f64::NAN;
    }
    let order = n as f64;
    if x == 0.0 {
        return if n < 2 { f64::INFINITY } else { 1.0 / (order - 1.0) };
    }
    if x > 750.0 {
        return 0.0;
    }
    if n == 0 {
        return (-x).exp() / x;
    }
    if n == 1 {
        return exp1(x);
    }
    if x > 1.0 {
        return expn_fraction(order, x);
    }
    if n >= 25 {
        return expn_series(order, x);
    }
    let power = (-x).exp();
    let mut value = exp1(x);
    for k in 1..n {
        value = (power - x * value) / k as f64;
    }
    value
}

/// Eₙ beyond 1, by the continued fraction from its end: all of its terms are positive, so that
/// nothing cancels.
#[device]
fn expn_fraction(n: f64, x: f64) -> f64 {
    let mut t = x;
    let mut k = (12.0 + 100.0 / x).ceil();
    while k > 0.0 {
        t = x + (n + k - 1.0) / (1.0 + k / t);
        k -= 1.0;
    }
    let half = (-0.5 * x).exp();
    if x < 600.0 { (-x).exp() / t } else { half / t * half }
}

/// Eₙ up to 1 of an order so large that the term with the logarithm vanishes.
#[device]
fn expn_series(n: f64, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0 / (n - 1.0);
    let mut k = 1.0;
    for _ in 0..20 {
        term *= -x / k;
        sum += term / (n - 1.0 - k);
        k += 1.0;
    }
    sum
}

/// The sums of the series of odd and even powers of the sine and cosine integrals, where the square
/// comes with its sign: `x` times the first, and the second without its logarithm.
#[device]
fn power_sums(x: f64, square: f64) -> (f64, f64) {
    let (mut odd, mut even) = (1.0, 0.0);
    let mut term = 1.0;
    let mut k = 2.0;
    for _ in 0..30 {
        term *= square / (k * (k - 1.0));
        even += term / k;
        let next = term / (k + 1.0);
        odd += next / (k + 1.0);
        k += 2.0;
        if term.abs() < 1e-18 {
            break;
        }
    }
    (x * odd, even)
}

/// The sine and the cosine integral, the latter of the argument's magnitude.
#[vectorize]
pub fn sici(x: f64) -> (f64, f64) {
    let size = x.abs();
    if x.is_nan() || size == f64::INFINITY {
        let cosine = if x == f64::INFINITY { 0.0 } else { f64::NAN };
        return (if x.is_nan() { x } else { FRAC_PI_2.copysign(x) }, cosine);
    }
    if size < 3.0 {
        let (sine, cosine) = power_sums(x, -x * x);
        return (sine, if x == 0.0 { f64::NEG_INFINITY } else { EULER_GAMMA + size.ln() + cosine });
    }
    let (f, g) = auxiliary(size);
    let (sine, cosine) = size.sin_cos();
    ((FRAC_PI_2 - f * cosine - g * sine).copysign(x), f * sine - g * cosine)
}

/// The auxiliary functions f and g (DLMF 6.2.17): `g - i f` is `E₁(ix) exp(ix)`, by Lentz's method for
/// the fraction whose terms are `2k + 1 + ix` and `-k²`.
#[device]
fn auxiliary(x: f64) -> (f64, f64) {
    // Reciprocals of numbers of the upper right quarter, with their parts.
    let mut b = 1.0;
    let norm = b * b + x * x;
    let (mut dr, mut di) = (b / norm, -x / norm);
    let (mut cr, mut ci) = (1e300, 0.0);
    let (mut vr, mut vi) = (dr, di);
    let mut k = 1.0;
    for _ in 0..300 {
        let a = -k * k;
        b += 2.0;
        let (re, im) = (a * dr + b, a * di + x);
        let norm = re * re + im * im;
        dr = re / norm;
        di = -im / norm;
        let norm = cr * cr + ci * ci;
        let (re, im) =
            if norm < f64::INFINITY { (a * cr / norm, -a * ci / norm) } else { (0.0, 0.0) };
        cr = b + re;
        ci = x + im;
        let (fr, fi) = (cr * dr - ci * di, cr * di + ci * dr);
        let (re, im) = (vr * fr - vi * fi, vr * fi + vi * fr);
        vr = re;
        vi = im;
        if (fr - 1.0).abs() + fi.abs() <= 2.3e-16 {
            break;
        }
        k += 1.0;
    }
    (-vi, vr)
}

/// The hyperbolic sine and cosine integral, the latter of the argument's magnitude.
#[vectorize]
pub fn shichi(x: f64) -> (f64, f64) {
    let size = x.abs();
    if x.is_nan() {
        return (x, x);
    }
    if size < 3.0 {
        let (sine, cosine) = power_sums(x, x * x);
        return (sine, if x == 0.0 { f64::NEG_INFINITY } else { EULER_GAMMA + size.ln() + cosine });
    }
    let (above, below) = (expi(size), exp1(size));
    ((0.5 * (above + below)).copysign(x), 0.5 * (above - below))
}
