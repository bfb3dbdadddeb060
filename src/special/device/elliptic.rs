//! Elliptic integrals and Jacobi's elliptic functions, of the parameter `m = k²`.
//!
//! The complete integral of the first kind is an arithmetic-geometric mean (DLMF 19.8.5), the others
//! are Carlson's symmetric integrals by duplication and a series of degree 7 (DLMF 19.36.1), in forms
//! that add numbers of one sign (DLMF 19.25.1, 19.25.9, 19.25.10).

use crate::device;
use crate::vectorize;
use std::f64::consts::PI;

/// The complete elliptic integral of the first kind of the parameter `m`.
#[vectorize]
pub fn ellipk(m: f64) -> f64 {
    ellipkm1(1.0 - m)
}

/// The complete elliptic integral of the first kind of the parameter `1 - p`, exact for `m` near 1.
#[vectorize]
pub fn ellipkm1(p: f64) -> f64 {
    if p.is_nan() || p < 0.0 {
        return f64::NAN;
    }
    if p == 0.0 || p == f64::INFINITY {
        return if p == 0.0 { f64::INFINITY } else { 0.0 };
    }
    let mut a = 1.0;
    let mut g = p.sqrt();
    for _ in 0..40 {
        let near = (a - g).abs() <= 1e-8 * a;
        let mean = 0.5 * (a + g);
        g = (a * g).sqrt();
        a = mean;
        if near {
            break;
        }
    }
    PI / (a + g)
}

/// The complete elliptic integral of the second kind of the parameter `m`.
#[vectorize]
pub fn ellipe(m: f64) -> f64 {
    let p = 1.0 - m;
    if p.is_nan() || p < 0.0 {
        return f64::NAN;
    }
    if p == 0.0 || p == f64::INFINITY {
        return if p == 0.0 { 1.0 } else { p };
    }
    p / 3.0 * (carlson_d(0.0, p, 1.0) + carlson_d(0.0, 1.0, p))
}

/// The elliptic integral of the first kind of the amplitude `phi` and the parameter `m`.
#[vectorize]
pub fn ellipkinc(phi: f64, m: f64) -> f64 {
    if phi.is_nan() || m.is_nan() || m > 1.0 {
        return f64::NAN;
    }
    if phi.abs() == f64::INFINITY || m == f64::NEG_INFINITY {
        return if m == f64::NEG_INFINITY { 0.0 } else { phi };
    }
    let (turns, rest) = half_turns(phi);
    let (sine, cosine) = rest.sin_cos();
    let own = sine * carlson_f(cosine * cosine, below_one(sine, cosine, m), 1.0);
    if turns == 0.0 { own } else { own + 2.0 * turns * ellipkm1(1.0 - m) }
}

/// The elliptic integral of the second kind of the amplitude `phi` and the parameter `m`.
#[vectorize]
pub fn ellipeinc(phi: f64, m: f64) -> f64 {
    if phi.is_nan() || m.is_nan() || m > 1.0 {
        return f64::NAN;
    }
    if phi.abs() == f64::INFINITY || m == f64::NEG_INFINITY {
        return if m == f64::NEG_INFINITY { f64::INFINITY.copysign(phi) } else { phi };
    }
    let (turns, rest) = half_turns(phi);
    let (sine, cosine) = rest.sin_cos();
    let own = second_kind(sine, cosine, m);
    if turns == 0.0 { own } else { own + 2.0 * turns * ellipe(m) }
}

/// `1 - m sin²` without cancellation.
#[device]
fn below_one(sine: f64, cosine: f64, m: f64) -> f64 {
    cosine * cosine + (1.0 - m) * sine * sine
}

/// The integral of the second kind up to a right angle.
#[device]
fn second_kind(sine: f64, cosine: f64, m: f64) -> f64 {
    let square = sine * sine;
    let (c, p) = (cosine * cosine, below_one(sine, cosine, m));
    if m <= 0.0 {
        let first = carlson_f(c, p, 1.0);
        return sine * (first - m / 3.0 * square * carlson_d(c, p, 1.0));
    }
    let rest = 1.0 - m;
    let root = m * cosine.abs() / p.sqrt();
    let first = rest * carlson_f(c, p, 1.0);
    let second = if rest == 0.0 { 0.0 } else { m * rest / 3.0 * square * carlson_d(c, 1.0, p) };
    if p == 0.0 { sine } else { sine * (first + second + root) }
}

/// The nearest number of half turns, and what is left, by π as a sum of two numbers.
#[device]
fn half_turns(phi: f64) -> (f64, f64) {
    let turns = (phi / PI).round();
    if phi.abs() <= 0.5 * PI {
        return (0.0, phi);
    }
    (turns, (-turns).mul_add(PI, phi) - turns * 1.2246467991473532e-16)
}

/// Carlson's symmetric integral of the first kind.
#[device]
fn carlson_f(x: f64, y: f64, z: f64) -> f64 {
    let (mut x, mut y, mut z) = (x, y, z);
    let mut mean = (x + y + z) / 3.0;
    for _ in 0..60 {
        let far = (mean - x).abs().max((mean - y).abs()).max((mean - z).abs());
        if far <= 2e-3 * mean.abs() || mean == 0.0 || mean == f64::INFINITY {
            break;
        }
        let (a, b, c) = (x.sqrt(), y.sqrt(), z.sqrt());
        let shift = a * b + b * c + c * a;
        x = 0.25 * (x + shift);
        y = 0.25 * (y + shift);
        z = 0.25 * (z + shift);
        mean = (x + y + z) / 3.0;
    }
    let (u, v) = ((mean - x) / mean, (mean - y) / mean);
    let w = -u - v;
    let second = u * v - w * w;
    let third = u * v * w;
    let series = 1.0 - second / 10.0 + third / 14.0 + second * second / 24.0
        - 3.0 * second * third / 44.0
        - 5.0 * second * second * second / 208.0
        + 3.0 * third * third / 104.0
        + second * second * third / 16.0;
    series / mean.sqrt()
}

/// Carlson's symmetric integral of the second kind, in which the last argument stands alone.
#[device]
fn carlson_d(x: f64, y: f64, z: f64) -> f64 {
    let (mut x, mut y, mut z) = (x, y, z);
    let mut mean = (x + y + 3.0 * z) / 5.0;
    let mut sum = 0.0;
    let mut power = 1.0;
    for _ in 0..60 {
        let far = (mean - x).abs().max((mean - y).abs()).max((mean - z).abs());
        if far <= 1.5e-3 * mean.abs() || mean == 0.0 || mean == f64::INFINITY {
            break;
        }
        let (a, b, c) = (x.sqrt(), y.sqrt(), z.sqrt());
        let shift = a * b + b * c + c * a;
        sum += power / (c * (z + shift));
        power *= 0.25;
        x = 0.25 * (x + shift);
        y = 0.25 * (y + shift);
        z = 0.25 * (z + shift);
        mean = (x + y + 3.0 * z) / 5.0;
    }
    let (u, v) = ((mean - x) / mean, (mean - y) / mean);
    let w = -(u + v) / 3.0;
    let (product, square) = (u * v, w * w);
    let second = product - 6.0 * square;
    let third = (3.0 * product - 8.0 * square) * w;
    let fourth = 3.0 * (product - square) * square;
    let fifth = product * w * square;
    let series = 1.0 - 3.0 * second / 14.0 + third / 6.0 + 9.0 * second * second / 88.0
        - 3.0 * fourth / 22.0
        - 9.0 * second * third / 52.0
        + 3.0 * fifth / 26.0
        - second * second * second / 16.0
        + 3.0 * third * third / 40.0
        + 3.0 * second * fourth / 20.0
        + 45.0 * second * second * third / 272.0
        - 9.0 * (third * fourth + second * fifth) / 68.0;
    3.0 * sum + power * series / (mean * mean.sqrt())
}

/// Jacobi's elliptic functions sn, cn and dn of `u` and the parameter `m` from 0 to 1, and the
/// amplitude.
#[vectorize]
pub fn ellipj(u: f64, m: f64) -> (f64, f64, f64, f64) {
    if u.is_nan() || !(m >= 0.0 && m <= 1.0) {
        return (f64::NAN, f64::NAN, f64::NAN, f64::NAN);
    }
    if m == 1.0 {
        let sech = 1.0 / u.cosh();
        return (u.tanh(), sech, sech, u.sinh().atan());
    }
    // Descending means, DLMF 22.20(ii).
    let mut means = [0.0; 12];
    let mut offs = [0.0; 12];
    let mut a = 1.0;
    let mut g = (1.0 - m).sqrt();
    let mut c = m.sqrt();
    let mut n = 0;
    let mut scale = 1.0;
    means[0] = a;
    offs[0] = c;
    while c > 1e-16 * a && n < 11 {
        c = 0.5 * (a - g);
        let mean = 0.5 * (a + g);
        g = (a * g).sqrt();
        a = mean;
        n += 1;
        scale *= 2.0;
        means[n] = a;
        offs[n] = c;
    }
    let mut phase = scale * a * u;
    let mut before = phase;
    while n > 0 {
        before = phase;
        phase = 0.5 * (phase + (offs[n] / means[n] * phase.sin()).clamp(-1.0, 1.0).asin());
        n -= 1;
    }
    let (sn, cn) = phase.sin_cos();
    let near = (before - phase).cos();
    let dn = if near.abs() < 0.1 { (1.0 - m * sn * sn).sqrt() } else { cn / near };
    (sn, cn, if m == 0.0 { 1.0 } else { dn }, phase)
}
