//! Bessel functions of integer order, and the scaled ones of orders 0 and 1.
//!
//! K near zero is its logarithm and fits, beyond an exponential times a fit in the reciprocal; the fits
//! were computed for this crate from values of more digits, to less than 2⁻⁵⁶. Higher orders come from
//! the recurrences in the direction in which they are stable (DLMF 10.74(iv)).

use crate::device;
use crate::device::Float;
use crate::vectorize;
use std::f64::consts::PI;

/// The modified Bessel function K₀.
#[vectorize]
pub fn k0(x: f64) -> f64 {
    if x > 2.0 { damped(x, k0_large(1.0 / x)) } else { k0_small(x) }
}

/// The modified Bessel function K₁.
#[vectorize]
pub fn k1(x: f64) -> f64 {
    if x > 2.0 { damped(x, k1_large(1.0 / x)) } else { k1_small(x) }
}

/// K₀ times `e^x`.
#[vectorize]
pub fn k0e(x: f64) -> f64 {
    if x > 2.0 { k0_large(1.0 / x) / x.sqrt() } else { k0_small(x) * x.exp() }
}

/// K₁ times `e^x`.
#[vectorize]
pub fn k1e(x: f64) -> f64 {
    if x > 2.0 { k1_large(1.0 / x) / x.sqrt() } else { k1_small(x) * x.exp() }
}

/// A fit times `e^-x / sqrt(x)`; the exponential alone would vanish before the result does.
#[device]
fn damped(x: f64, fit: f64) -> f64 {
    if x < 600.0 {
        return (-x).exp() * fit / x.sqrt();
    }
    let half = (-0.5 * x).exp();
    half / x.sqrt() * fit * half
}

/// K₀ up to 2, NaN below zero.
#[device]
fn k0_small(x: f64) -> f64 {
    let y = 0.25 * x * x;
    let mut p = 1.8077819604944196e-11;
    p = p * y + 1.3144978776280346e-09;
    p = p * y + 7.935384241305437e-08;
    p = p * y + 3.612621865803269e-06;
    p = p * y + 0.00011848039472713882;
    p = p * y + 0.0026147876184810332;
    p = p * y + 0.034892157456495126;
    p = p * y + 0.23069608377461176;
    p = p * y + 0.4227843350984673;
    p = p * y - 0.5772156649015329;
    p - (0.5 * x).ln() * Float::bessel_i0(x)
}

/// K₁ up to 2, NaN below zero.
#[device]
fn k1_small(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY;
    }
    let y = 0.25 * x * x;
    let mut p = -9.135866005497064e-13;
    p = p * y - 7.497222002731499e-11;
    p = p * y - 5.113301536429331e-09;
    p = p * y - 2.678864215015832e-07;
    p = p * y - 1.0355619246436187e-05;
    p = p * y - 0.0002788398729858117;
    p = p * y - 0.004795547459833495;
    p = p * y - 0.045393791740213844;
    p = p * y - 0.16819608377461678;
    p = p * y + 0.03860783245076643;
    1.0 / x + ((0.5 * x).ln() * Float::bessel_i1(x) + x * p)
}

/// `sqrt(x) e^x K₀(x)` from 2 on, where `t` is the reciprocal.
#[device]
fn k0_large(t: f64) -> f64 {
    let mut p = 0.33974004425260773;
    p = p * t + 14.367508354359941;
    p = p * t + 95.56192482550276;
    p = p * t + 213.41383149182934;
    p = p * t + 203.1758024887971;
    p = p * t + 89.42015574220102;
    p = p * t + 17.687706069192192;
    p = p * t + 1.2533141373155003;
    let mut q = 0.7012543409925525;
    q = q * t + 16.690703096460126;
    q = q * t + 91.67358794271783;
    q = q * t + 187.36285611247834;
    q = q * t + 170.31503244939915;
    q = q * t + 73.05636763987103;
    q = q * t + 14.237747588627577;
    q = q * t + 1.0;
    p / q
}

/// `sqrt(x) e^x K₁(x)` from 2 on, where `t` is the reciprocal.
#[device]
fn k1_large(t: f64) -> f64 {
    let mut p = 0.1697237975856166;
    p = p * t + 10.140721892883251;
    p = p * t + 92.47761866578604;
    p = p * t + 298.90242109735044;
    p = p * t + 436.61682216493546;
    p = p * t + 315.7030768870764;
    p = p * t + 114.77338163407113;
    p = p * t + 19.722105689429785;
    p = p * t + 1.2533141373155003;
    let mut q = 1.874180031652075;
    q = q * t + 33.94731349182043;
    q = q * t + 154.80842126072713;
    q = q * t + 273.9963821950083;
    q = q * t + 221.36740895981507;
    q = q * t + 85.93273533341548;
    q = q * t + 15.36096363611838;
    q = q * t + 1.0;
    p / q
}

/// The modified Bessel function I₀ times `e^-|x|`.
#[vectorize]
pub fn i0e(x: f64) -> f64 {
    let size = x.abs();
    if size < 600.0 {
        return Float::bessel_i0(x) * (-size).exp();
    }
    // Hankel's expansion, DLMF 10.40.1.
    let t = 1.0 / size;
    let mut p = 2401245.0 / 4194304.0;
    p = p * t + 59535.0 / 262144.0;
    p = p * t + 3675.0 / 32768.0;
    p = p * t + 75.0 / 1024.0;
    p = p * t + 9.0 / 128.0;
    p = p * t + 1.0 / 8.0;
    (p * t + 1.0) / (2.0 * PI * size).sqrt()
}

/// The modified Bessel function I₁ times `e^-|x|`.
#[vectorize]
pub fn i1e(x: f64) -> f64 {
    let size = x.abs();
    if size < 600.0 {
        return Float::bessel_i1(x) * (-size).exp();
    }
    // Hankel's expansion, DLMF 10.40.1.
    let t = 1.0 / size;
    let mut p = -2837835.0 / 4194304.0;
    p = p * t - 72765.0 / 262144.0;
    p = p * t - 4725.0 / 32768.0;
    p = p * t - 105.0 / 1024.0;
    p = p * t - 15.0 / 128.0;
    p = p * t - 3.0 / 8.0;
    ((p * t + 1.0) / (2.0 * PI * size).sqrt()).copysign(x)
}

/// The Bessel function of the first kind of integer order.
#[vectorize]
pub fn jn(n: i32, x: f64) -> f64 {
    let order = n.unsigned_abs();
    let size = x.abs();
    // J₋ₙ(x) = Jₙ(-x) = (-1)ⁿ Jₙ(x).
    let negative = order % 2 == 1 && ((n < 0) != (x < 0.0));
    if x.is_nan() || size == f64::INFINITY {
        return if x.is_nan() { x } else { 0.0 };
    }
    let value = jn_positive(order, size);
    if negative { -value } else { value }
}

/// Jₙ for `x >= 0`.
#[device]
fn jn_positive(n: u32, x: f64) -> f64 {
    let (zeroth, first) = (Float::bessel_j0(x), Float::bessel_j1(x));
    if n < 2 {
        return if n == 0 { zeroth } else { first };
    }
    let order = n as f64;
    if x == 0.0 {
        return 0.0;
    }
    if x > order {
        let (mut below, mut value) = (zeroth, first);
        for k in 1..n {
            let next = 2.0 * k as f64 / x * value - below;
            below = value;
            value = next;
        }
        return value;
    }
    // Downwards, from the ratio of two neighbours to the orders 0 and 1.
    let (mut above, mut value) = (first_kind_ratio(order, x).0, 1.0);
    let mut scale = 1.0;
    for turn in 0..n - 1 {
        let next = 2.0 * (order - turn as f64) / x * value - above;
        above = value;
        value = next;
        if value.abs() > 1e200 {
            above *= 1e-200;
            value *= 1e-200;
            scale *= 1e-200;
        }
    }
    // Here stand the orders 2 and 1.
    let zero = 2.0 / x * value - above;
    if zeroth.abs() > first.abs() { zeroth / zero * scale } else { first / value * scale }
}

/// `J(ν + 1, x) / J(ν, x)` by its continued fraction (DLMF 10.10.1), with Lentz's method, and the sign
/// of `J(ν, x)`, which changes with each negative denominator.
#[device]
pub(super) fn first_kind_ratio(order: f64, x: f64) -> (f64, f64) {
    let mut b = 2.0 * (order + 1.0) / x;
    let mut value = 1.0 / b;
    let (mut c, mut d) = (1e300, value);
    let mut sign = 1.0;
    for _ in 0..300_000 {
        b += 2.0 / x;
        d = b - d;
        d = 1.0 / if d == 0.0 { 1e-300 } else { d };
        sign = if d < 0.0 { -sign } else { sign };
        c = b - 1.0 / c;
        c = if c == 0.0 { 1e-300 } else { c };
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() <= 1.2e-16 {
            break;
        }
    }
    (value, sign)
}

/// The Bessel function of the second kind of integer order.
#[vectorize]
pub fn yn(n: i32, x: f64) -> f64 {
    let order = n.unsigned_abs();
    let (mut below, mut value) = (Float::bessel_y0(x), Float::bessel_y1(x));
    if order == 0 || x.is_nan() || x < 0.0 || x == f64::INFINITY {
        return below;
    }
    for k in 1..order {
        let next = 2.0 * k as f64 / x * value - below;
        below = value;
        value = next;
        if value == f64::NEG_INFINITY {
            break;
        }
    }
    if n < 0 && order % 2 == 1 { -value } else { value }
}

/// The spherical Bessel function of the second kind; NaN where `n` is negative.
#[vectorize]
pub fn spherical_yn(n: i32, x: f64) -> f64 {
    if x.is_nan() || n < 0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    let size = x.abs();
    if size == f64::INFINITY {
        return 0.0;
    }
    let (sine, cosine) = size.sin_cos();
    // The order -1 is the sine over x.
    let (mut below, mut value) = (sine / size, -cosine / size);
    for k in 0..n {
        let next = (2 * k + 1) as f64 / size * value - below;
        below = value;
        value = next;
        if value == f64::NEG_INFINITY {
            break;
        }
    }
    // DLMF 10.47.14: of an order n the sign is that of (-1)^(n + 1).
    if x < 0.0 && n % 2 == 0 { -value } else { value }
}

/// The modified Bessel function of the second kind of integer order.
#[vectorize]
pub fn kn(n: i32, x: f64) -> f64 {
    let order = n.unsigned_abs();
    let (mut below, mut value) = (k0(x), k1(x));
    if order == 0 {
        return below;
    }
    for k in 1..order {
        let next = 2.0 * k as f64 / x * value + below;
        below = value;
        value = next;
        if value == f64::INFINITY {
            break;
        }
    }
    value
}
