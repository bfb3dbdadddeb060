//! Signs, reciprocals and logarithms of Γ, and ζ less 1.

use super::zeta_functions::{zeta, zeta_hurwitz};
use crate::device::Float;
use crate::vectorize;
use std::f64::consts::PI;

/// The sign of Γ: NaN at its poles, that of a zero at zeros.
#[vectorize]
pub fn gammasgn(x: f64) -> f64 {
    if x.is_nan() || x > 0.0 {
        return if x > 0.0 { 1.0 } else { x };
    }
    if x == 0.0 {
        return 1f64.copysign(x);
    }
    if x == x.floor() {
        return f64::NAN;
    }
    let half = 0.5 * x.floor();
    if half == half.floor() { 1.0 } else { -1.0 }
}

/// The reciprocal of Γ, 0 at its poles.
#[vectorize]
pub fn rgamma(x: f64) -> f64 {
    if x.is_nan() || x == 0.0 {
        return x;
    }
    if x < 0.0 && x == x.floor() {
        return 0.0;
    }
    if x > 170.0 {
        // Γ overflows before its reciprocal vanishes.
        if x > 190.0 {
            return 0.0;
        }
        let mut value = 1.0 / Float::gamma(x - 24.0);
        let mut y = x - 24.0;
        for _ in 0..24 {
            value /= y;
            y += 1.0;
        }
        return value;
    }
    if x > -160.0 {
        return 1.0 / Float::gamma(x);
    }
    // 1 / Γ(x) = Γ(1 - x) sin(πx) / π, DLMF 5.5.3, the factors of Γ one after the other.
    let rest = x - x.round();
    let sine = (PI * rest).sin();
    let half = 0.5 * x.round();
    let mut value = (if half == half.floor() { sine } else { -sine }) / PI;
    if x < -200.0 {
        return f64::INFINITY.copysign(value);
    }
    let mut y = 1.0 - x - 48.0;
    value *= Float::gamma(y);
    for _ in 0..48 {
        value *= y;
        y += 1.0;
    }
    value
}

/// The logarithm of Γ where that is a real number; NaN below zero.
#[vectorize]
pub fn loggamma(x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { Float::lgamma(x) }
}

/// The logarithm of the multivariate Γ of dimension `d`; NaN where `a` is not above `(d - 1) / 2`.
#[vectorize]
pub fn multigammaln(a: f64, d: i32) -> f64 {
    let n = d as f64;
    if d < 0 || a.is_nan() || a <= 0.5 * (n - 1.0) {
        return f64::NAN;
    }
    let mut sum = 0.25 * n * (n - 1.0) * PI.ln();
    for k in 0..d {
        sum += Float::lgamma(a - 0.5 * k as f64);
    }
    sum
}

/// Riemann's zeta function less 1: from 1 on the sum from the second term on.
#[vectorize]
pub fn zetac(x: f64) -> f64 {
    if x > 1.0 { zeta_hurwitz(x, 2.0) } else { zeta(x) - 1.0 }
}
