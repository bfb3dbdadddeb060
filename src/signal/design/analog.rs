//! Analog low-pass prototypes, and how they become digital filters of other bands.
//!
//! The prototypes have their cut-off at 1 radian a second. Their formulas, and the names of the
//! steps, are SciPy's (`signal.buttap` and its kin), which follow S. J. Orfanidis, Lecture Notes on
//! Elliptic Filter Design (2006), for the elliptic one.

use super::zpk::Zpk;
use crate::dtype::Complex;
use crate::special::device::{ellipj, ellipk, ellipkm1};
use std::f64::consts::PI;

type C = Complex<f64>;

const I: C = C::new(0.0, 1.0);

/// `-(n - 1), -(n - 3), …, n - 1`, times `π / 2n`: the angles of the poles from the real axis.
fn angles(n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(move |k| PI * (2.0 * k as f64 + 1.0 - n as f64) / (2.0 * n as f64))
}

/// The product of the negatives, which for pairs of conjugates is real.
fn product(list: &[C]) -> C {
    list.iter().fold(C::new(1.0, 0.0), |product, x| product * -x)
}

/// Butterworth's: poles on a circle.
pub(super) fn butterworth(n: usize) -> Zpk {
    Zpk { z: vec![], p: angles(n).map(|angle| -C::from_polar(1.0, angle)).collect(), k: 1.0 }
}

/// Chebyshev's of type I: poles on an ellipse, ripple in the pass band.
pub(super) fn chebyshev1(n: usize, ripple: f64) -> Zpk {
    let eps = (10f64.powf(0.1 * ripple) - 1.0).sqrt();
    let mu = (1.0 / eps).asinh() / n as f64;
    let p: Vec<C> = angles(n).map(|angle| -C::new(mu, angle).sinh()).collect();
    let even = if n % 2 == 0 { (1.0 + eps * eps).sqrt() } else { 1.0 };
    let k = product(&p).re / even;
    Zpk { z: vec![], p, k }
}

/// Chebyshev's of type II: zeros on the imaginary axis, ripple in the stop band.
pub(super) fn chebyshev2(n: usize, attenuation: f64) -> Zpk {
    let de = 1.0 / (10f64.powf(0.1 * attenuation) - 1.0).sqrt();
    let mu = (1.0 / de).asinh() / n as f64;
    let middle = |k: &usize| 2 * k + 1 != n;
    let z: Vec<C> = (0..n)
        .filter(middle)
        .map(|k| I / (PI * (2.0 * k as f64 + 1.0 - n as f64) / (2.0 * n as f64)).sin())
        .collect();
    let p: Vec<C> = angles(n).map(|angle| -C::new(mu, angle).sinh().inv()).collect();
    let k = (product(&p) / product(&z)).re;
    Zpk { z, p, k }
}

/// The elliptic one: ripple in both bands. `None` where ripple and attenuation are so far apart that
/// their quotient is 0.
pub(super) fn elliptic(n: usize, ripple: f64, attenuation: f64) -> Option<Zpk> {
    let less_one = |decibels: f64| (0.1 * decibels * std::f64::consts::LN_10).exp_m1();
    let eps2 = less_one(ripple);
    if n == 1 {
        let k = (1.0 / eps2).sqrt();
        return Some(Zpk { z: vec![], p: vec![C::new(-k, 0.0)], k });
    }
    let ck2 = eps2 / less_one(attenuation);
    if ck2 == 0.0 || ck2.is_nan() {
        return None;
    }
    let m = degree_equation(n, ck2);
    let quarter = ellipk(m);
    let r = inverse_sc(1.0 / eps2.sqrt(), ck2);
    let v0 = quarter * r / (n as f64 * ellipk(ck2));
    let (sv, cv, dv, _) = ellipj(v0, 1.0 - m);
    let (mut z, mut p) = (Vec::new(), Vec::new());
    let mut conjugates = Vec::new();
    let mut upper = Vec::new();
    for j in (1 - n % 2..n).step_by(2) {
        let (s, c, d, _) = ellipj(j as f64 * quarter / n as f64, m);
        if s.abs() > 2e-16 {
            upper.push(I / (m.sqrt() * s));
        }
        let pole = -C::new(c * d * sv * cv, s * dv) / (1.0 - (d * sv).powi(2));
        match j {
            0 => p.push(C::new(pole.re, 0.0)),
            _ => {
                p.push(pole);
                conjugates.push(pole.conj());
            }
        }
    }
    z.extend(upper.iter().copied());
    z.extend(upper.iter().map(C::conj));
    p.extend(conjugates);
    let even = if n % 2 == 0 { (1.0 + eps2).sqrt() } else { 1.0 };
    let k = (product(&p) / product(&z)).re / even;
    Some(Zpk { z, p, k })
}

/// The parameter `m` whose quarter periods stand in `n` times the ratio of those of `m1`, by the nome.
fn degree_equation(n: usize, m1: f64) -> f64 {
    let q1 = (-PI * ellipkm1(m1) / ellipk(m1)).exp();
    let q = q1.powf(1.0 / n as f64);
    let sum = |from: i32, power: &dyn Fn(i32) -> i32| -> f64 {
        (from..from + 8).map(|k| q.powi(power(k))).sum()
    };
    let (top, bottom) = (sum(0, &|k| k * (k + 1)), 1.0 + 2.0 * sum(1, &|k| k * k));
    16.0 * q * (top / bottom).powi(4)
}

/// The real `u` with `sc(u, 1 - m) = w`, as the inverse of `sn` at `iw` by descending Landen
/// transformations.
fn inverse_sc(w: f64, m: f64) -> f64 {
    let complement = |k: C| ((1.0 - k) * (1.0 + k)).sqrt();
    let (mut k, mut scale, mut w) = (m.sqrt(), PI / 2.0, I * w);
    while k != 0.0 {
        let kp = ((1.0 - k) * (1.0 + k)).sqrt();
        let next = (1.0 - kp) / (1.0 + kp);
        w = 2.0 * w / ((1.0 + next) * (1.0 + complement(k * w)));
        scale *= 1.0 + next;
        k = next;
    }
    (scale * 2.0 / PI * w.asin()).im
}

/// How many more poles than zeros there are.
fn excess(filter: &Zpk) -> usize {
    filter.p.len() - filter.z.len()
}

fn each(list: &[C], f: impl Fn(C) -> C) -> Vec<C> {
    list.iter().map(|&x| f(x)).collect()
}

/// The low-pass filter with its cut-off at `w`.
pub(super) fn to_low(filter: &Zpk, w: f64) -> Zpk {
    let scaled = |list: &[C]| each(list, |x| w * x);
    let k = filter.k * w.powi(excess(filter) as i32);
    Zpk { z: scaled(&filter.z), p: scaled(&filter.p), k }
}

/// The high-pass filter with its cut-off at `w`.
pub(super) fn to_high(filter: &Zpk, w: f64) -> Zpk {
    let mut z = each(&filter.z, |x| w / x);
    z.resize(filter.p.len(), C::new(0.0, 0.0));
    let k = filter.k * (product(&filter.z) / product(&filter.p)).re;
    Zpk { z, p: each(&filter.p, |x| w / x), k }
}

/// Both points that a point goes to when a band around `w` is made of one around 0.
fn doubled(list: &[C], w: f64) -> Vec<C> {
    let root = |x: C| (x * x - w * w).sqrt();
    [each(list, |x| x + root(x)), each(list, |x| x - root(x))].concat()
}

/// The filter that passes a band of a width around `w`, their geometric mean.
pub(super) fn to_band(filter: &Zpk, w: f64, width: f64) -> Zpk {
    let scaled = |list: &[C]| doubled(&each(list, |x| x * width / 2.0), w);
    let (degree, mut z) = (excess(filter), scaled(&filter.z));
    z.resize(z.len() + degree, C::new(0.0, 0.0));
    Zpk { z, p: scaled(&filter.p), k: filter.k * width.powi(degree as i32) }
}

/// The filter that stops a band of a width around `w`.
pub(super) fn to_stop(filter: &Zpk, w: f64, width: f64) -> Zpk {
    let scaled = |list: &[C]| doubled(&each(list, |x| (width / 2.0) / x), w);
    let (degree, mut z) = (excess(filter), scaled(&filter.z));
    z.extend(std::iter::repeat_n(I * w, degree));
    z.extend(std::iter::repeat_n(-I * w, degree));
    let k = filter.k * (product(&filter.z) / product(&filter.p)).re;
    Zpk { z, p: scaled(&filter.p), k }
}

/// The digital filter by the bilinear transform at a rate. Zeros at infinity go to Nyquist's
/// frequency.
pub(super) fn bilinear(filter: &Zpk, rate: f64) -> Zpk {
    let twice = 2.0 * rate;
    let moved = |list: &[C]| each(list, |x| (twice + x) / (twice - x));
    let mut z = moved(&filter.z);
    z.resize(filter.p.len(), C::new(-1.0, 0.0));
    let whole = |list: &[C]| list.iter().fold(C::new(1.0, 0.0), |product, x| product * (twice - x));
    let k = filter.k * (whole(&filter.z) / whole(&filter.p)).re;
    Zpk { z, p: moved(&filter.p), k }
}
