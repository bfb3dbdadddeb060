//! Riemann's and Hurwitz' zeta functions.
//!
//! Both are summed by Euler and Maclaurin's formula (DLMF 25.11.43 and 25.2.9); around zero stands a
//! rational function over the distance from the pole, which was computed for this crate from values of
//! more digits, to less than 2⁻⁵⁶, and below -1 the reflection.

use super::gamma::stirling;
use crate::device;
use crate::device::Float;
use crate::vectorize;
use std::f64::consts::PI;

/// Riemann's zeta function of a real number.
#[vectorize]
pub fn zeta(s: f64) -> f64 {
    if s > 1.0 {
        return zeta_sum(s, 1.0);
    }
    if s == 1.0 {
        return f64::INFINITY;
    }
    if s >= -1.0 {
        return zeta_middle(s);
    }
    if s.is_nan() || s == f64::NEG_INFINITY {
        return f64::NAN;
    }
    // ζ(s) = 2 (2π)^(s - 1) sin(πs/2) Γ(1 - s) ζ(1 - s), DLMF 25.4.2. The sine of the rest modulo 4,
    // which is exact.
    let rest = s - 4.0 * (s / 4.0).floor();
    let half = rest - 2.0;
    if half == 0.0 || rest == 0.0 {
        return 0.0;
    }
    let sine = if half.abs() <= 1.0 {
        -(PI / 2.0 * half).sin()
    } else if half > 0.0 {
        (PI / 2.0 * (rest - 4.0)).sin()
    } else {
        (PI / 2.0 * rest).sin()
    };
    let y = 1.0 - s;
    let rest = 2.0 * sine * zeta_sum(y, 1.0);
    if y < 150.0 {
        return rest * (2.0 * PI).powf(-y) * Float::gamma(y);
    }
    let half_power = (y / (2.0 * PI * std::f64::consts::E)).powf(0.5 * y);
    let t = 1.0 / y;
    rest * (2.0 * PI * t).sqrt() * stirling(y).exp() * half_power * half_power
}

/// ζ on `[-1, 1)`: a fit over the distance from the pole.
#[device]
fn zeta_middle(s: f64) -> f64 {
    let mut p = 4.535019403666736e-07;
    p = p * s + 1.6366776314847783e-05;
    p = p * s + 0.0002972796176212184;
    p = p * s + 0.0043049426171212785;
    p = p * s + 0.04194391604738104;
    p = p * s + 0.22209503169153222;
    p = p * s + 0.5565921789651656;
    p = p * s + 0.5;
    let mut q = 4.865722465281518e-07;
    q = q * s + 1.5435809150207548e-05;
    q = q * s + 0.0003351287917530218;
    q = q * s + 0.004554818419822016;
    q = q * s + 0.045037008103119086;
    q = q * s + 0.2753072915209857;
    q = q * s + 1.0;
    p / (q * (s - 1.0))
}

/// Hurwitz' zeta function, the sum of `(q + k)^-s` over `k` from 0 on. `s` below 1 gives NaN, and so
/// do negative `q` where `s` is no integer; the poles at whole `q` up to 0 give infinity.
#[vectorize]
pub fn zeta_hurwitz(s: f64, q: f64) -> f64 {
    if s.is_nan() || q.is_nan() || s < 1.0 {
        return f64::NAN;
    }
    if s == 1.0 {
        return f64::INFINITY;
    }
    if q > 0.0 {
        return zeta_sum(s, q);
    }
    if q == q.floor() {
        return f64::INFINITY;
    }
    if s != s.floor() || s == f64::INFINITY {
        return f64::NAN;
    }
    // The sum over all whole numbers less that over those below: for the rest f of q, from -1/2 to
    // 1/2, the sum over all is f^-s + ζ(s, 1 + f) ± ζ(s, 1 - f).
    let f = q - q.round();
    let below = zeta_sum(s, 1.0 - f) - zeta_sum(s, 1.0 - q);
    let odd = s - 2.0 * (0.5 * s).floor();
    let signed = if odd == 1.0 { -below } else { below };
    let own = f.abs().powf(-s);
    (if odd == 1.0 && f < 0.0 { -own } else { own }) + zeta_sum(s, 1.0 + f) + signed
}

/// Hurwitz' zeta function for `s > 1` and `q > 0`: ten terms, and Euler and Maclaurin's formula.
#[device]
fn zeta_sum(s: f64, q: f64) -> f64 {
    if s == f64::INFINITY {
        return if q < 1.0 {
            f64::INFINITY
        } else if q == 1.0 {
            1.0
        } else {
            0.0
        };
    }
    if q == f64::INFINITY {
        return 0.0;
    }
    let mut sum = 0.0;
    let mut a = q;
    // Beyond, the formula is exact without the terms.
    if q < 1e8 {
        for _ in 0..10 {
            sum += a.powf(-s);
            a += 1.0;
        }
    }
    let w = a.powf(-s);
    let t = 1.0 / a;
    // The rising factorial of s, each time with the next Bernoulli number over a factorial.
    let mut rise = s * t * w;
    let mut tail = rise / 12.0;
    rise *= (s + 1.0) * (s + 2.0) * t * t;
    tail -= rise / 720.0;
    rise *= (s + 3.0) * (s + 4.0) * t * t;
    tail += rise / 30240.0;
    rise *= (s + 5.0) * (s + 6.0) * t * t;
    tail -= rise / 1209600.0;
    rise *= (s + 7.0) * (s + 8.0) * t * t;
    tail += rise / 47900160.0;
    rise *= (s + 9.0) * (s + 10.0) * t * t;
    tail -= rise * (691.0 / 1307674368000.0);
    rise *= (s + 11.0) * (s + 12.0) * t * t;
    tail += rise / 74724249600.0;
    rise *= (s + 13.0) * (s + 14.0) * t * t;
    tail -= rise * (3617.0 / 10670622842880000.0);
    rise *= (s + 15.0) * (s + 16.0) * t * t;
    tail += rise * (43867.0 / 5109094217170944000.0);
    if w == 0.0 {
        return sum;
    }
    sum + (0.5 * w + tail) + a * w / (s - 1.0)
}
