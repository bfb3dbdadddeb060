//! Bessel functions of real order.
//!
//! From a pair of orders near zero, or for the oscillating ones near the argument: up to 2 by Temme's
//! series (*On the numerical evaluation of the ordinary Bessel function of the second kind*, 1976; *…
//! of the modified Bessel function of the third kind*, 1975), beyond by Steed's continued fractions
//! (Thompson and Barnett, *Coulomb and Bessel functions of complex arguments and order*, 1986). The
//! functions of the second kind then recur upwards, and those of the first follow from the ratio of
//! two neighbours and the Wronskian. For arguments that are large beside the square of the order stand
//! Hankel's expansions (DLMF 10.17, and 10.40 in `modified_bessel.rs`).

use super::bessel::first_kind_ratio;
use crate::device;
use crate::device::Float;
use crate::vectorize;
use std::f64::consts::PI;

/// The Bessel function of the first kind of real order.
#[vectorize]
pub fn jv(order: f64, x: f64) -> f64 {
    let v = order.abs();
    let whole = v == v.floor();
    if order.is_nan() || x.is_nan() || v == f64::INFINITY || (x < 0.0 && !whole) {
        return f64::NAN;
    }
    let size = x.abs();
    if size == 0.0 {
        return first_kind_at_zero(order);
    }
    let (j, y) = oscillating(v, size);
    let odd = whole && (0.5 * v).fract() != 0.0;
    let value = if order >= 0.0 {
        j
    } else if whole {
        if odd { -j } else { j }
    } else {
        // DLMF 10.4.7 for a negative order.
        let (sine, cosine) = sine_cosine(v);
        cosine * j - sine * y
    };
    if x < 0.0 && odd { -value } else { value }
}

/// The Bessel function of the second kind of real order.
#[vectorize]
pub fn yv(order: f64, x: f64) -> f64 {
    let v = order.abs();
    if order.is_nan() || x.is_nan() || v == f64::INFINITY || x < 0.0 {
        return f64::NAN;
    }
    let (sine, cosine) = sine_cosine(v);
    if x == 0.0 {
        let half = cosine == 0.0 && order < 0.0;
        return if half {
            0.0
        } else {
            f64::NEG_INFINITY * (if order < 0.0 { cosine } else { 1.0 })
        };
    }
    let (j, y) = oscillating(v, x);
    if order >= 0.0 {
        return y;
    }
    if sine == 0.0 { cosine * y } else { sine * j + cosine * y }
}

/// The values at zero of J and I: powers of the argument over a gamma function.
#[device]
pub(super) fn first_kind_at_zero(order: f64) -> f64 {
    if order == 0.0 {
        return 1.0;
    }
    if order > 0.0 || order == order.floor() {
        return 0.0;
    }
    f64::INFINITY * Float::gamma(order + 1.0).signum()
}

/// The sine and the cosine of πv.
#[device]
pub(super) fn sine_cosine(v: f64) -> (f64, f64) {
    let rest = v - 2.0 * (0.5 * v).round();
    let size = rest.abs();
    let sine = if size > 0.5 { (PI * (1.0 - size)).sin() } else { (PI * size).sin() };
    let cosine = if size == 0.5 {
        0.0
    } else if size > 0.25 && size < 0.75 {
        (PI * (0.5 - size)).sin()
    } else {
        (PI * size).cos()
    };
    (sine.copysign(rest), cosine)
}

/// J and Y for an order from 0 on and a positive argument.
#[device]
fn oscillating(v: f64, x: f64) -> (f64, f64) {
    if x > 30.0 && 2.0 * x > v * v {
        return hankel(v, x);
    }
    if x > 30.0 {
        return recurred(v, x);
    }
    let (n, start) = if x < 2.0 {
        let n = (v + 0.5).floor();
        (n, v - n)
    } else {
        let n = (v - x + 1.5).floor().max(0.0);
        (n, v - n)
    };
    // J at the order, up to a factor, and downwards to the beginning.
    let (ratio, sign) = first_kind_ratio(v, x);
    let (mut above, mut value) = (ratio * sign, sign);
    let mut scale = 1.0;
    let mut k = 0.0;
    while k < n {
        let next = 2.0 * (v - k) / x * value - above;
        above = value;
        value = next;
        if value.abs() > 1e200 {
            above *= 1e-200;
            value *= 1e-200;
            scale *= 1e-200;
        }
        k += 1.0;
    }
    let (j, mut y, mut next) = if x < 2.0 {
        let (y, next) = second_kind_series(start, x);
        // The Wronskian, DLMF 10.5.2.
        let ratio = above / value;
        (2.0 / (PI * x) / (ratio * y - next), y, next)
    } else {
        second_kind_fraction(start, x, start / x - above / value, value)
    };
    let mut order = start;
    let mut k = 0.0;
    while k < n {
        order += 1.0;
        let later = 2.0 * order / x * next - y;
        y = next;
        next = later;
        k += 1.0;
        if y == f64::NEG_INFINITY {
            break;
        }
    }
    (j * sign / value * scale, y)
}

/// J and Y upwards from low orders by Hankel's expansions. Where the order is above the argument J falls
/// and takes the ratio of neighbours and the Wronskian (DLMF 10.5.2) instead.
#[device]
fn recurred(v: f64, x: f64) -> (f64, f64) {
    let n = v.floor();
    let mut order = v - n;
    let (mut j, mut y) = hankel(order, x);
    order += 1.0;
    let (mut later_j, mut later_y) = hankel(order, x);
    let mut k = 0.0;
    while k < n {
        let factor = 2.0 * order / x;
        let (next_j, next_y) = (factor * later_j - j, factor * later_y - y);
        j = later_j;
        y = later_y;
        later_j = next_j;
        later_y = next_y;
        order += 1.0;
        k += 1.0;
        if y == f64::NEG_INFINITY {
            break;
        }
    }
    if v > x {
        let (ratio, _) = first_kind_ratio(v, x);
        j = if y == f64::NEG_INFINITY { 0.0 } else { 2.0 / (PI * x) / (ratio * y - later_y) };
    }
    (j, y)
}

/// J and Y by Hankel's expansions. The phase is `x - (v/2 + 1/4) π`.
#[device]
fn hankel(v: f64, x: f64) -> (f64, f64) {
    let four = 4.0 * v * v;
    let (mut p, mut q) = (1.0, 0.0);
    let mut term = 1.0;
    let mut k = 1.0;
    for _ in 0..60 {
        let odd = 2.0 * k - 1.0;
        let next = term * (four - odd * odd) / (8.0 * x * k);
        if next.abs() > term.abs() && k > v {
            break;
        }
        q += next;
        k += 1.0;
        let odd = 2.0 * k - 1.0;
        term = -next * (four - odd * odd) / (8.0 * x * k);
        p += term;
        k += 1.0;
        if term.abs() < 1e-17 {
            break;
        }
    }
    let (shift_sine, shift_cosine) = sine_cosine(0.5 * v + 0.25);
    let (sine, cosine) = x.sin_cos();
    let cos_phase = cosine * shift_cosine + sine * shift_sine;
    let sin_phase = sine * shift_cosine - cosine * shift_sine;
    let size = (2.0 / (PI * x)).sqrt();
    (size * (p * cos_phase - q * sin_phase), size * (p * sin_phase + q * cos_phase))
}

/// What Temme's series begin with: `πv / sin πv` times Γ₁ and Γ₂, and Γ(1 + v), Γ(1 - v).
#[device]
pub(super) fn temme_gammas(v: f64) -> (f64, f64, f64, f64) {
    let (first, second) = gamma_sums(v * v);
    let above = 1.0 / (second - v * first);
    let below = 1.0 / (second + v * first);
    // Γ(1 + v) Γ(1 - v) = πv / sin πv.
    let factor = above * below;
    (factor * first, factor * second, above, below)
}

/// `(1/Γ(1 - v) ∓ 1/Γ(1 + v)) / 2`, the first one over `v`, by the square of `v`.
#[device]
fn gamma_sums(m: f64) -> (f64, f64) {
    let mut p = -4.93879550720818e-09;
    p = p * m - 1.1335052322538187e-06;
    p = p * m + 2.0134955919270268e-05;
    p = p * m + 0.00021524166225494787;
    p = p * m - 0.0072189432459076166;
    p = p * m + 0.0421977345555207;
    p = p * m + 0.042002635034095515;
    p = p * m - 0.5772156649015329;
    let first = p;
    let mut p = -2.005432513359909e-07;
    p = p * m - 1.2525826088721304e-06;
    p = p * m + 0.00012805072837295927;
    p = p * m - 0.0011651676446282817;
    p = p * m - 0.009621971524482107;
    p = p * m + 0.166538611382184;
    p = p * m - 0.6558780715202526;
    p = p * m + 1.0;
    (first, p)
}

/// `sinh(s) / s` where `s` is small.
#[device]
pub(super) fn sinh_over(s: f64) -> f64 {
    if s.abs() < 1e-4 { 1.0 + s * s / 6.0 } else { s.sinh() / s }
}

/// Y of the orders `v`, from -1/2 to 1/2, and `v + 1`, for arguments below 2.
#[device]
fn second_kind_series(v: f64, x: f64) -> (f64, f64) {
    let (first, second, above, below) = temme_gammas(v);
    let log = (2.0 / x).ln();
    let power = (v * log).exp();
    let mut f = 2.0 / PI * (first * (v * log).cosh() + second * log * sinh_over(v * log));
    let (mut p, mut q) = (power * above / PI, below / (power * PI));
    let half = (0.5 * PI * v).sin();
    let r = if v == 0.0 { 0.0 } else { 2.0 * half * half / v };
    let mut c = 1.0;
    let (mut sum, mut later) = (f + r * q, p);
    let mut k = 1.0;
    for _ in 0..40 {
        f = (k * f + p + q) / (k * k - v * v);
        p /= k - v;
        q /= k + v;
        c *= -0.25 * x * x / k;
        let g = f + r * q;
        sum += c * g;
        later += c * (p - k * g);
        if (c * g).abs() < 1e-17 * (1.0 + sum.abs()) {
            break;
        }
        k += 1.0;
    }
    (-sum, -2.0 / x * later)
}

/// J and Y of an order and Y of the next, by Steed's second fraction, for arguments from 2 on; from the
/// logarithmic derivative of J and its sign.
#[device]
fn second_kind_fraction(v: f64, x: f64, slope: f64, sign: f64) -> (f64, f64, f64) {
    let (p, q) = steed(v, x);
    let gamma = (p - slope) / q;
    let j = (2.0 / (PI * x) / ((p - slope) * gamma + q)).sqrt().copysign(sign);
    let y = gamma * j;
    (j, y, v / x * y - j * (gamma * p + q))
}

/// The logarithmic derivative of Hankel's function, `p + i q`, by Lentz's method in complex numbers:
/// `-1/(2x) + i + i/x · a₁/(b₁ + a₂/(b₂ + …))` with `aₖ = (k - 1/2)² - v²` and `bₖ = 2 (x + i k)`.
#[device]
fn steed(v: f64, x: f64) -> (f64, f64) {
    let mut k = 1.0;
    let a = 0.25 - v * v;
    // The value and c begin with b₁ + a tiny number, d with zero, as a fraction of its own.
    let b = 2.0 * x;
    let norm = b * b + 4.0;
    let (mut dr, mut di) = (b / norm, -2.0 / norm);
    let (mut fr, mut fi) = (a * dr, a * di);
    let (mut cr, mut ci) = (1e300, 0.0);
    for _ in 0..5000 {
        let a = (k + 0.5) * (k + 0.5) - v * v;
        k += 1.0;
        let bi = 2.0 * k;
        let (er, ei) = (b + a * dr, bi + a * di);
        let size = 1.0 / (er * er + ei * ei);
        dr = er * size;
        di = -ei * size;
        let size = a / (cr * cr + ci * ci);
        cr = b + cr * size;
        ci = bi - ci * size;
        let (gr, gi) = (cr * dr - ci * di, cr * di + ci * dr);
        let old = fr;
        fr = fr * gr - fi * gi;
        fi = old * gi + fi * gr;
        if (gr - 1.0).abs() + gi.abs() <= 2e-16 {
            break;
        }
    }
    (-0.5 / x - fi / x, 1.0 + fr / x)
}
