//! Legendre polynomials and functions, and spherical harmonics, by their recurrences in the degree
//! (DLMF 14.10.3), which are stable upwards.

use crate::vectorize;
use std::f64::consts::PI;

/// The Legendre polynomial of degree `n`; a negative degree is that of `-n - 1`.
#[vectorize]
pub fn legendre_p(n: i32, x: f64) -> f64 {
    let degree = if n < 0 { -1 - n } else { n };
    if degree == 0 {
        return if x.is_nan() { x } else { 1.0 };
    }
    let distance = x.abs() - 1.0;
    if distance > -0.5 {
        // Near the ends neighbouring degrees differ by little: that is what is summed up, since the
        // recurrence itself would lose it in differences of large terms.
        let (mut step, mut value) = (distance, x.abs());
        for k in 1..degree {
            let k = k as f64;
            step = ((2.0 * k + 1.0) * distance * value + k * step) / (k + 1.0);
            value += step;
        }
        return if x < 0.0 && degree % 2 == 1 { -value } else { value };
    }
    let (mut below, mut value) = (1.0, x);
    for k in 1..degree {
        let k = k as f64;
        let next = ((2.0 * k + 1.0) * x * value - k * below) / (k + 1.0);
        below = value;
        value = next;
    }
    value
}

/// The associated Legendre function of degree `n` and order `m` for `x` from -1 to 1, with the phase
/// of Condon and Shortley; NaN elsewhere.
#[vectorize]
pub fn assoc_legendre_p(n: i32, m: i32, x: f64) -> f64 {
    let degree = if n < 0 { -1 - n } else { n };
    let order = m.max(-i32::MAX).abs();
    if !(x >= -1.0 && x <= 1.0) {
        return f64::NAN;
    }
    if order > degree {
        return 0.0;
    }
    let root = -((1.0 - x) * (1.0 + x)).sqrt();
    let mut value = 1.0;
    for k in 0..order {
        value *= (2 * k + 1) as f64 * root;
    }
    let mut below = 0.0;
    for k in order..degree {
        let next =
            ((2 * k + 1) as f64 * x * value - (k + order) as f64 * below) / (k + 1 - order) as f64;
        below = value;
        value = next;
    }
    if m < 0 {
        // DLMF 14.9.3: times (-1)^m (n - |m|)! / (n + |m|)!.
        for k in degree - order..degree + order {
            value /= (k + 1) as f64;
        }
        if order % 2 == 1 {
            value = -value;
        }
    }
    value
}

/// The spherical harmonic of degree `n` and order `m` at the polar angle `theta` and the azimuth
/// `phi`, as its real and imaginary parts.
#[vectorize]
pub fn sph_harm_y(n: i32, m: i32, theta: f64, phi: f64) -> (f64, f64) {
    let order = m.max(-i32::MAX).abs();
    if n < 0 || order > n {
        return if n < 0 { (f64::NAN, f64::NAN) } else { (0.0, 0.0) };
    }
    let (sine, x) = theta.sin_cos();
    // Normalised from the first step on, so that nothing overflows.
    let mut value = (0.25 / PI).sqrt();
    for k in 0..order {
        value *= -sine * (1.0 + 0.5 / (k as f64 + 1.0)).sqrt();
    }
    let square = order as f64 * order as f64;
    let mut below = 0.0;
    let mut ratio = 0.0;
    for k in order..n {
        let degree = k as f64 + 1.0;
        let factor = ((4.0 * degree * degree - 1.0) / (degree * degree - square)).sqrt();
        let next = factor * (x * value - ratio * below);
        below = value;
        value = next;
        ratio = 1.0 / factor;
    }
    if m < 0 && order % 2 == 1 {
        value = -value;
    }
    let (s, c) = (m as f64 * phi).sin_cos();
    (value * c, value * s)
}
