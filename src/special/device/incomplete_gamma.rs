//! The regularised incomplete gamma functions and their inverses.
//!
//! Below its mean the lower one is a power series (DLMF 8.7.1), above it the upper one is a continued
//! fraction (DLMF 8.9.2), and for orders from 100 on both are Temme's uniform expansion near the mean
//! (DLMF 8.12; N. M. Temme, *The asymptotic expansion of the incomplete gamma functions*, 1979). The
//! smaller one of the two is computed, except near zero, where the upper one has a series of its own.
//!
//! The inverses are Newton's method on a logarithm: `ln P` is concave in `ln x`, and `ln Q` in `x`
//! where the order is 1 or more, so that no step leads away.

use super::gamma::{factorial, ln_1p_minus, ln_gamma_1p, stirling};
use crate::device;
use crate::device::Float;
use crate::vectorize;
use std::f64::consts::PI;

/// The regularised lower incomplete gamma function `P(a, x)`.
#[vectorize]
pub fn gammainc(a: f64, x: f64) -> f64 {
    incomplete(a, x).0
}

/// The regularised upper incomplete gamma function `Q(a, x) = 1 - P(a, x)`.
#[vectorize]
pub fn gammaincc(a: f64, x: f64) -> f64 {
    incomplete(a, x).1
}

/// `P`, `Q`, and `x^a e^-x / Γ(a + 1)`, which is the density of the logarithm over `a`.
#[device]
fn incomplete(a: f64, x: f64) -> (f64, f64, f64) {
    if a.is_nan() || x.is_nan() || a < 0.0 || x < 0.0 {
        return (f64::NAN, f64::NAN, f64::NAN);
    }
    if a == 0.0 || x == 0.0 || a == f64::INFINITY || x == f64::INFINITY {
        return at_edge(a, x);
    }
    let factor = prefactor(a, x);
    if a >= 100.0 && (x - a).abs() < 0.3 * a {
        let (p, q) = uniform(a, x);
        return (p, q, factor);
    }
    if x > 1.1 && x > a {
        let q = (factor * a * fraction(a, x)).min(1.0);
        return (1.0 - q, q, factor);
    }
    // Where P is above a half its complement has a series of its own.
    let limit = if x <= 0.5 { -0.4 / x.ln() } else { x * 1.1 };
    if x <= 1.1 && a <= limit {
        let q = near_zero(a, x);
        return (1.0 - q, q, factor);
    }
    let p = (factor * series(a, x)).min(1.0);
    (p, 1.0 - p, factor)
}

/// The values where an argument is zero or infinite.
#[device]
fn at_edge(a: f64, x: f64) -> (f64, f64, f64) {
    if (a == 0.0 && x == 0.0) || (a == f64::INFINITY && x == f64::INFINITY) {
        return (f64::NAN, f64::NAN, 0.0);
    }
    if a == 0.0 || x == f64::INFINITY { (1.0, 0.0, 0.0) } else { (0.0, 1.0, 0.0) }
}

/// `x^a e^-x / Γ(a + 1)`.
#[device]
fn prefactor(a: f64, x: f64) -> f64 {
    if a >= 20.0 {
        let t = (x - a) / a;
        let power = if t < -0.5 { a * ((x / a).ln() - t) } else { a * ln_1p_minus(t) };
        return (power - stirling(a)).exp() / (2.0 * PI * a).sqrt();
    }
    let gamma = factorial(a);
    if x < 600.0 {
        return x.powf(a) * (-x).exp() / gamma;
    }
    // Beyond this nothing is left of any power that comes here, which itself would overflow at last.
    if x > 1e4 {
        return 0.0;
    }
    // The exponential alone would vanish.
    let half = x.powf(0.5 * a) * (-0.5 * x).exp();
    half * half / gamma
}

/// The sum of `x^n / ((a + 1) … (a + n))`.
#[device]
fn series(a: f64, x: f64) -> f64 {
    let mut sum = 1.0;
    let mut term = 1.0;
    let mut n = a;
    for _ in 0..2000 {
        n += 1.0;
        term *= x / n;
        sum += term;
        if term <= 1e-17 * sum {
            break;
        }
    }
    sum
}

/// The continued fraction of `Γ(a, x) e^x x^-a`, by Lentz's method.
#[device]
fn fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut c = 1e300;
    let mut d = 1.0 / b;
    let mut value = d;
    let mut i = 1.0;
    for _ in 0..2000 {
        let numerator = i * (a - i);
        b += 2.0;
        d = numerator * d + b;
        d = 1.0 / if d == 0.0 { 1e-300 } else { d };
        c = b + numerator / c;
        c = if c == 0.0 { 1e-300 } else { c };
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() <= 1.2e-16 {
            break;
        }
        i += 1.0;
    }
    value
}

/// `Q` where `x` is at most 1.1 and `P` above a half (DLMF 8.7.3): the first term of the series of `P`
/// by its logarithm, and the others.
#[device]
fn near_zero(a: f64, x: f64) -> f64 {
    let ln_gamma = if a <= 1.0 { ln_gamma_1p(a) } else { Float::lgamma(1.0 + a) };
    let power = a * x.ln() - ln_gamma;
    let mut sum = 0.0;
    let mut term = 1.0;
    let mut n = 1.0;
    for _ in 0..40 {
        term *= -x / n;
        let part = term / (a + n);
        sum += part;
        if part.abs() <= 1e-17 * sum.abs() {
            break;
        }
        n += 1.0;
    }
    -power.exp_m1() - power.exp() * a * sum
}

/// `P` and `Q` near the mean, by Temme's expansion in `1 / a` and in `e`, where `e²/2` is
/// `t - ln(1 + t)` for `x = a (1 + t)`.
#[device]
fn uniform(a: f64, x: f64) -> (f64, f64) {
    let t = (x - a) / a;
    let half_square = -ln_1p_minus(t);
    let e = (2.0 * half_square).sqrt().copysign(t);
    let r = 1.0 / a;
    let sum = ((temme_3(e, r) * r + temme_2(e)) * r + temme_1(e)) * r + temme_0(e);
    let rest = (-a * half_square).exp() / (2.0 * PI * a).sqrt() * sum;
    let z = (a * half_square).sqrt().copysign(t);
    (0.5 * Float::erfc(-z) - rest, 0.5 * Float::erfc(z) + rest)
}

/// The term of order 0 in `1 / a`.
#[device]
fn temme_0(e: f64) -> f64 {
    let mut c = 9.14769958223679e-10;
    c = c * e - 4.382036018453353e-09;
    c = c * e + 1.0261809784240309e-08;
    c = c * e + 6.707853543401498e-09;
    c = c * e - 1.7665952736826078e-07;
    c = c * e + 8.296711340953087e-07;
    c = c * e - 1.85406221071516e-06;
    c = c * e - 2.185448510679992e-06;
    c = c * e + 3.919263178522438e-05;
    c = c * e - 0.0001787551440329218;
    c = c * e + 0.0003527336860670194;
    c = c * e + 0.0011574074074074073;
    c = c * e - 0.014814814814814815;
    c = c * e + 0.08333333333333333;
    c = c * e - 0.3333333333333333;
    c
}

/// The term of order 1 in `1 / a`.
#[device]
fn temme_1(e: f64) -> f64 {
    let mut c = 1.1951628599778148e-08;
    c = c * e - 5.752545603517705e-08;
    c = c * e + 1.378633446915721e-07;
    c = c * e + 4.647127802807434e-09;
    c = c * e - 1.6120900894563446e-06;
    c = c * e + 7.64916091608111e-06;
    c = c * e - 1.8098550334489977e-05;
    c = c * e - 4.018775720164609e-07;
    c = c * e + 0.00020576131687242798;
    c = c * e - 0.0009902263374485596;
    c = c * e + 0.0026455026455026454;
    c = c * e - 0.003472222222222222;
    c = c * e - 0.001851851851851852;
    c
}

/// The term of order 2 in `1 / a`.
#[device]
fn temme_2(e: f64) -> f64 {
    let mut c = 1.4280614206064242e-07;
    c = c * e - 6.298992138380055e-07;
    c = c * e + 1.3721957309062934e-06;
    c = c * e + 3.423578734096138e-08;
    c = c * e - 1.2760635188618728e-05;
    c = c * e + 5.2923448829120125e-05;
    c = c * e - 0.0001073665322636516;
    c = c * e + 2.0093878600823047e-06;
    c = c * e + 0.0007716049382716049;
    c = c * e - 0.0026813271604938273;
    c = c * e + 0.004133597883597883;
    c
}

/// The terms of order 3 to 7 in `r = 1 / a`, over its third power.
#[device]
fn temme_3(e: f64, r: f64) -> f64 {
    let c7 = 0.00034436760689237765;
    let mut c6 = 0.0002708782096718045;
    c6 = c6 * e - 0.0005921664373536939;
    c6 = c6 * e + 0.0005313079364639922;
    let mut c5 = 6.797780477937208e-05;
    c5 = c5 * e - 0.00019932570516188847;
    c5 = c5 * e + 0.0002772753244959392;
    c5 = c5 * e - 6.972813758365857e-05;
    c5 = c5 * e - 0.00033679855336635813;
    let mut c4 = 1.1375726970678419e-05;
    c4 = c4 * e - 3.968365047179435e-05;
    c4 = c4 * e + 6.641498215465122e-05;
    c4 = c4 * e - 1.4638452578843418e-06;
    c4 = c4 * e - 0.0002990724803031902;
    c4 = c4 * e + 0.0007840392217200666;
    c4 = c4 * e - 0.0008618882909167117;
    let mut c3 = 1.4230900732435883e-06;
    c3 = c3 * e - 5.6749528269915965e-06;
    c3 = c3 * e + 1.1082654115347302e-05;
    c3 = c3 * e - 2.396505113867297e-07;
    c3 = c3 * e - 7.561801671883977e-05;
    c3 = c3 * e + 0.00026772063206283885;
    c3 = c3 * e - 0.0004691894943952557;
    c3 = c3 * e + 0.00022947209362139917;
    c3 = c3 * e + 0.0006494341563786008;
    (((c7 * r + c6) * r + c5) * r + c4) * r + c3
}
/// The `x` with `P(a, x) = p`.
#[vectorize]
pub fn gammaincinv(a: f64, p: f64) -> f64 {
    inverse(a, p, 1.0 - p, p <= 0.5)
}

/// The `x` with `Q(a, x) = q`.
#[vectorize]
pub fn gammainccinv(a: f64, q: f64) -> f64 {
    inverse(a, 1.0 - q, q, q > 0.5)
}

/// The `x` with `P(a, x) = p` where `lower`, else with `Q(a, x) = q`, the smaller of the two.
#[device]
fn inverse(a: f64, p: f64, q: f64, lower: bool) -> f64 {
    if !(p >= 0.0 && p <= 1.0 && a >= 0.0 && a < f64::INFINITY) {
        return f64::NAN;
    }
    if a == 0.0 || p == 0.0 {
        return 0.0;
    }
    if q == 0.0 {
        return f64::INFINITY;
    }
    let mut x = first_guess(a, p, q, lower);
    let goal = if lower { p.ln() } else { q.ln() };
    for _ in 0..60 {
        let (below, above, factor) = incomplete(a, x);
        // Both are steps in ln x; the one of Q is taken in x.
        let slope = a * factor;
        let step = if lower {
            (goal - below.ln()) * below / slope
        } else {
            (above.ln() - goal) * above / slope
        };
        if !step.is_finite() {
            x *= if (lower && below == 0.0) || (!lower && above > 0.5) { 2.0 } else { 0.5 };
            continue;
        }
        x = if lower { x * step.clamp(-40.0, 40.0).exp() } else { x * (1.0 + step.max(-0.875)) };
        if step.abs() < 1e-9 || x == 0.0 {
            break;
        }
    }
    x
}

/// Wilson and Hilferty's approximation by a normal distribution's quantile, or the first term of the
/// series where it says nothing.
#[device]
fn first_guess(a: f64, p: f64, q: f64, lower: bool) -> f64 {
    let root = if lower { (p.ln() + Float::lgamma(1.0 + a)) / a } else { 0.0 };
    if a < 0.5 || (lower && root < (0.2 * (a + 1.0)).ln()) {
        if lower {
            return root.exp().max(1e-308);
        }
        let log = (p.ln() + Float::lgamma(1.0 + a)) / a;
        return if log < -1.0 { log.exp().max(1e-308) } else { (-q.ln()).max(0.1) };
    }
    let z = std::f64::consts::SQRT_2
        * if lower { -Float::erfcinv(2.0 * p) } else { Float::erfcinv(2.0 * q) };
    let s = 1.0 / (9.0 * a);
    let c = 1.0 - s + z * s.sqrt();
    let guess = a * c * c * c;
    if guess > 0.01 * a { guess } else { 0.01 * a }
}
