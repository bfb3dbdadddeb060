//! The regularised incomplete beta function and its inverse.
//!
//! A continued fraction on the side of the mean where it converges at once, times a
//! factor in which large powers are taken together. The inverse is Newton's method on a logarithm:
//! both `ln I` and `ln (1 - I)` are concave in the logit of `x`, so that no step leads away.

use super::gamma::{beta, ln_1p_minus, stirling};
use crate::device;
use crate::vectorize;
use std::f64::consts::PI;

/// The regularised incomplete beta function `I(a, b, x)`.
#[vectorize]
pub fn betainc(a: f64, b: f64, x: f64) -> f64 {
    parts(a, b, x, 1.0 - x).0
}

/// The complement of the regularised incomplete beta function, `1 - I(a, b, x)`.
#[vectorize]
pub fn betaincc(a: f64, b: f64, x: f64) -> f64 {
    parts(a, b, x, 1.0 - x).1
}

/// The function at `x = 1 - y`, its complement, and `x^a y^b / B(a, b)`.
#[device]
pub(super) fn parts(a: f64, b: f64, x: f64, y: f64) -> (f64, f64, f64) {
    if !(a >= 0.0 && b >= 0.0 && x >= 0.0 && y >= 0.0) {
        return (f64::NAN, f64::NAN, f64::NAN);
    }
    // All of the distribution stands at one end.
    let (low, high) = (a == 0.0 || b == f64::INFINITY, b == 0.0 || a == f64::INFINITY);
    if low && high {
        return (f64::NAN, f64::NAN, f64::NAN);
    }
    if x == 0.0 || (high && y != 0.0) {
        return (0.0, 1.0, 0.0);
    }
    if y == 0.0 || low {
        return (1.0, 0.0, 0.0);
    }
    let factor = prefactor(a, b, x, y);
    // A small parameter puts nearly all of the function on its side of the mean. Where the other one is
    // large the fraction does not reach that far beyond the mean: its terms cancel.
    let below = x * (a + b + 2.0) <= a + 1.0;
    let direct = if b < 0.05 && a > b {
        y > 0.01 || y * (a + b + 2.0) > b + 1.0
    } else if a < 0.05 && b > a {
        x <= 0.01 && below
    } else {
        below
    };
    let (near, far) = if direct { (a, b) } else { (b, a) };
    let (u, v) = if direct { (x, y) } else { (y, x) };
    let value = (factor / fraction(near, far, u, v)).min(1.0);
    if direct { (value, 1.0 - value, factor) } else { (1.0 - value, value, factor) }
}

/// `x^a y^b / B(a, b)`.
#[device]
fn prefactor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if a >= 10.0 && b >= 10.0 {
        let sum = a + b;
        let off = x * b - y * a;
        let (u, v) = (off / a, -off / b);
        let of_x = if u < -0.5 { (x * (sum / a)).ln() - u } else { ln_1p_minus(u) };
        let of_y = if v < -0.5 { (y * (sum / b)).ln() - v } else { ln_1p_minus(v) };
        let rest = stirling(sum) - stirling(a) - stirling(b);
        return (a * of_x + b * of_y + rest).exp() * (a / (2.0 * PI) * (b / sum)).sqrt();
    }
    let of_x = if x < 0.5 { x.powf(a) } else { (a * (-y).ln_1p()).exp() };
    let of_y = if y < 0.5 { y.powf(b) } else { (b * (-x).ln_1p()).exp() };
    of_x * of_y / beta(a, b)
}

/// The continued fraction of `x^a y^b / (B(a, b) I(a, b, x))`, by Lentz's method (DiDonato and Morris,
/// *Algorithm 708*, 1992, equation 9): its terms cancel less than those of DLMF 8.17.22, of which it is
/// the even part.
#[device]
fn fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let off = a * y - b * x + 1.0;
    let mut value = nonzero(a / (a + 1.0) * off);
    let mut c = value;
    let mut d = 0.0;
    let mut n = 1.0;
    for _ in 0..20_000 {
        let twice = a + 2.0 * n;
        let part = n * (b - n) * x / (twice - 1.0);
        let numerator = (a + n - 1.0) * (a + b + n - 1.0) * x / (twice - 1.0) * part;
        let denominator = n + part + (a + n) / (twice + 1.0) * (off + n * (1.0 + y));
        d = 1.0 / nonzero(denominator + numerator * d);
        c = nonzero(denominator + numerator / c);
        let factor = d * c;
        value *= factor;
        if (factor - 1.0).abs() <= 2.3e-16 {
            break;
        }
        n += 1.0;
    }
    value
}

/// The number, or the least one where it is zero.
#[device]
fn nonzero(x: f64) -> f64 {
    if x == 0.0 { 1e-300 } else { x }
}

/// The `x` with `I(a, b, x) = p`.
#[vectorize]
pub fn betaincinv(a: f64, b: f64, p: f64) -> f64 {
    inverse(a, b, p, 1.0 - p, p <= 0.5)
}

/// The `x` with `1 - I(a, b, x) = q`.
#[vectorize]
pub fn betainccinv(a: f64, b: f64, q: f64) -> f64 {
    inverse(a, b, 1.0 - q, q, q > 0.5)
}

/// The `x` with `I(a, b, x) = p` where `lower`, else with the complement `q`, the smaller of the two.
#[device]
fn inverse(a: f64, b: f64, p: f64, q: f64, lower: bool) -> f64 {
    if !(a > 0.0 && b > 0.0 && a + b < f64::INFINITY && p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    if p == 0.0 || q == 0.0 {
        return p;
    }
    // The logit of the mean, and what an end's power alone gives.
    let mut u = (a / b).ln();
    let goal = if lower { p.ln() } else { q.ln() };
    let power = if lower {
        (goal + (a * beta(a, b)).ln()) / a
    } else {
        -(goal + (b * beta(a, b)).ln()) / b
    };
    if lower == (power < u) && power.abs() > 3.0 && power.is_finite() {
        u = power;
    }
    // Every value narrows the bounds; a step that leaves them is halved.
    let (mut least, mut most) = (-800.0, 800.0);
    for _ in 0..100 {
        let e = (-u.abs()).exp();
        let (near, far) = (1.0 / (1.0 + e), e / (1.0 + e));
        let (x, y) = if u > 0.0 { (near, far) } else { (far, near) };
        let (below, above, factor) = parts(a, b, x, y);
        let too_low = if lower { below < p } else { above > q };
        if too_low {
            least = u;
        } else {
            most = u;
        }
        let step = if lower {
            (goal - below.ln()) * below / factor
        } else {
            (above.ln() - goal) * above / factor
        };
        if step.abs() < 1e-9 {
            u += step;
            break;
        }
        let next = u + step;
        // Far beyond the bulk the function vanishes, so that a step there is a short one first.
        u = if next > least && next < most {
            next
        } else if too_low {
            (u + 0.5 * (most - least)).min(u.abs() * 0.5 + u + 1.0)
        } else {
            (u - 0.5 * (most - least)).max(u - u.abs() * 0.5 - 1.0)
        };
    }
    if u > 0.0 { 1.0 / (1.0 + (-u).exp()) } else { u.exp() / (1.0 + u.exp()) }
}
