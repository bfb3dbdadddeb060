//! The laws of the numbers, as users' functions of parameters and a word of the generator.
//!
//! The word is the key of a stream of its own, from which all attempts of its element are drawn: no
//! element's attempts move another's, and an element is the same whoever computes it. Differences of
//! nearly equal numbers are taken by hand, so that where two devices' logarithms differ in the last
//! bit, attempts that one accepts and the other refuses stay rare.

use crate::device;
use crate::vectorize;
use std::f64::consts::{LN_2, PI, SQRT_2};

/// Two numbers of (0, 1) for an attempt of the element with this word: Philox4x32-10 under the word
/// as its key, with the attempt as its counter.
#[device]
fn units(word: u64, attempt: u64) -> (f64, f64) {
    let mut c0 = attempt;
    let mut c1 = 0u64;
    let mut c2 = 0u64;
    let mut c3 = 0u64;
    let mut k0 = word & 0xffff_ffff;
    let mut k1 = word >> 32;
    for _ in 0..10 {
        let a = c0 * 0xd251_1f53;
        let b = c2 * 0xcd9e_8d57;
        c0 = (b >> 32) ^ c1 ^ k0;
        c1 = b & 0xffff_ffff;
        c2 = (a >> 32) ^ c3 ^ k1;
        c3 = a & 0xffff_ffff;
        k0 = (k0 + 0x9e37_79b9) & 0xffff_ffff;
        k1 = (k1 + 0xbb67_ae85) & 0xffff_ffff;
    }
    (unit(c0 | c1 << 32), unit(c2 | c3 << 32))
}

/// The middle of one of 2⁵² parts of (0, 1), which is a number of `f64`.
#[device]
fn unit(word: u64) -> f64 {
    ((word >> 12) as f64 + 0.5) * 2.220446049250313e-16
}

/// An angle of the von Mises distribution, from -π to π (D. Best and N. Fisher, "Efficient simulation
/// of the von Mises distribution", 1979): rejection from a wrapped Cauchy distribution, whose angle's
/// half has a tangent in proportion to that of an even angle's half.
#[vectorize]
pub(super) fn vonmises_of_word(mu: f64, kappa: f64, word: u64) -> f64 {
    if !(kappa >= 0.0 && kappa < f64::INFINITY && mu.is_finite()) {
        return f64::NAN;
    }
    // The concentration of the wrapped Cauchy distribution, and 1 less it.
    let q = 1f64.hypot(2.0 * kappa);
    let root = (1.0 + q).sqrt();
    let rho = 2.0 * kappa / (root * (root + SQRT_2));
    let rest = if kappa > 1.0 {
        (SQRT_2 * root - 1.0 - 1.0 / (2.0 * kappa + q)) / (2.0 * kappa)
    } else {
        1.0 - rho
    };
    let scale = rest / (1.0 + rho);
    let above = rest * rest / (2.0 * rho);
    let mut angle = 0.0;
    for attempt in 0..200u64 {
        let (u, v) = units(word, attempt);
        let even = PI * (u - 0.5);
        let (sine, cosine) = even.sin_cos();
        angle = 2.0 * (scale * sine).atan2(cosine);
        // What is left of the circle without a concentration.
        if kappa < 1e-16 {
            break;
        }
        let less = above * 2.0 * sine * sine / (above + 2.0 * cosine * cosine);
        let y = kappa * (above + less);
        if y * (2.0 - y) >= v || (y / v).ln() + 1.0 - y >= 0.0 {
            break;
        }
    }
    let x = mu + angle;
    x - 2.0 * PI * (x / (2.0 * PI)).round()
}

/// A whole number `k` from 1 to 2⁶³ with a probability in proportion to `k^-a`; -1 where `a` is not
/// above 1 (L. Devroye, *Non-Uniform Random Variate Generation*, 1986, chapter X.6).
#[vectorize]
pub(super) fn zipf_of_word(a: f64, word: u64) -> f64 {
    if a.is_nan() || a <= 1.0 {
        return -1.0;
    }
    let power = a - 1.0;
    if power > 700.0 {
        return 1.0;
    }
    // Powers of a uniform number, of those that do not leave the type: 63 ln 2 is the highest one's
    // logarithm.
    let span = -(-power * 63.0 * LN_2).exp_m1();
    let least = (power * LN_2).exp_m1();
    for attempt in 0..200u64 {
        let (u, v) = units(word, attempt);
        let k = (-(-span * u).ln_1p() / power).exp().floor();
        let step = (power * (1.0 / k).ln_1p()).exp_m1();
        if v * k * step / least <= (1.0 + step) / (1.0 + least) {
            return k.min(9223372036854774784.0);
        }
    }
    1.0
}

/// A whole number `k` from 1 on with a probability in proportion to `p^k / k`; -1 where `p` is not
/// from 0 to below 1. A geometric number whose parameter is random (A. Kemp, "Efficient generation of
/// logarithmically distributed pseudo-random variables", 1981).
#[vectorize]
pub(super) fn logseries_of_word(p: f64, word: u64) -> f64 {
    if !(p >= 0.0 && p < 1.0) {
        return -1.0;
    }
    let (u, v) = units(word, 0);
    let e = u * (-p).ln_1p();
    let ln_q = if e > -LN_2 { (-e.exp_m1()).ln() } else { (-e.exp()).ln_1p() };
    (1.0 + (v.ln() / ln_q).floor()).min(9223372036854774784.0)
}

/// How many of `drawn` out of `good` and `bad` are good; -1 where there are not so many, or more than
/// 10⁹ of a kind.
#[vectorize]
pub(super) fn hypergeometric_of_word(good: f64, bad: f64, drawn: f64, word: u64) -> f64 {
    let all = good + bad;
    if !(good >= 0.0 && bad >= 0.0 && good <= 1e9 && bad <= 1e9 && drawn >= 0.0 && drawn <= all) {
        return -1.0;
    }
    // The rarer kind, and what is drawn or left, whichever is less.
    let few = good.min(bad);
    let taken = drawn.min(all - drawn);
    // So many terms cost no more than an attempt and a half.
    let k = if few.min(taken) <= 30.0 {
        hypergeometric_of_few(few, taken, all, word)
    } else {
        hypergeometric_of_many(few, taken, all, word)
    };
    let k = if good > bad { taken - k } else { k };
    if taken < drawn { good - k } else { k }
}

/// The distribution summed up to a uniform number.
#[device]
fn hypergeometric_of_few(few: f64, taken: f64, all: f64, word: u64) -> f64 {
    let (u, _) = units(word, 0);
    let least = few.min(taken);
    let rest = all - few.max(taken);
    let mut term = 1.0;
    let mut i = 0.0;
    while i < least {
        term *= (rest - i) / (all - i);
        i += 1.0;
    }
    let mut sum = term;
    let mut k = 0.0;
    while u > sum && k < least {
        term *= (least - k) / (k + 1.0) * ((all - rest - k) / (rest - least + k + 1.0));
        sum += term;
        k += 1.0;
    }
    k
}

/// Rejection from a ratio of uniform numbers (E. Stadlober, "The ratio of uniforms approach for
/// generating discrete random variates", 1990).
#[device]
fn hypergeometric_of_many(few: f64, taken: f64, all: f64, word: u64) -> f64 {
    let many = all - few;
    let centre = taken * (few / all) + 0.5;
    let variance = taken * (few / all) * (many / all) * ((all - taken) / (all - 1.0));
    let deviation = (variance + 0.5).sqrt();
    // 2 √(2/e) and 3 - 2 √(3/e).
    let width = 1.7155277699214135 * deviation + 0.8989161620588988;
    let mode = ((taken + 1.0) * ((few + 1.0) / (all + 2.0))).floor();
    let end = (few.min(taken) + 1.0).min((centre + 16.0 * deviation).floor());
    let mut k = mode;
    for attempt in 0..200u64 {
        let (u, v) = units(word, attempt);
        let x = centre + width * (v - 0.5) / u;
        if !(x >= 0.0 && x < end) {
            continue;
        }
        let next = x.floor();
        let d = next - mode;
        // The logarithm of the probability over the mode's.
        let own = ln_rise(mode, d) + ln_rise(few - mode, -d);
        let other = ln_rise(taken - mode, -d) + ln_rise(many - taken + mode, d);
        if 2.0 * u.ln() <= -(own + other) {
            k = next;
            break;
        }
    }
    k
}

/// `ln((n + d)! / n!)` by Stirling's formula with the large parts taken together; where a number is
/// small, of both raised by eight. Within 1e-11, which moves no probability that could be seen.
#[device]
fn ln_rise(n: f64, d: f64) -> f64 {
    let mut x = n + 1.0;
    let mut y = x + d;
    let mut less = 0.0;
    if x < 8.0 || y < 8.0 {
        less = (rising(y) / rising(x)).ln();
        x += 8.0;
        y += 8.0;
    }
    (y - 0.5) * (d / x).ln_1p() + d * (x.ln() - 1.0) + (stirling(y) - stirling(x)) - less
}

/// `x (x + 1) … (x + 7)`, which is `Γ(x + 8) / Γ(x)`.
#[device]
fn rising(x: f64) -> f64 {
    let mut product = x;
    for k in 1..8 {
        product *= x + k as f64;
    }
    product
}

/// `ln Γ(x)` less its leading terms, from 8 on (DLMF 5.11.1).
#[device]
fn stirling(x: f64) -> f64 {
    let r = 1.0 / x;
    let t = r * r;
    (((-1.0 / 1680.0 * t + 1.0 / 1260.0) * t - 1.0 / 360.0) * t + 1.0 / 12.0) * r
}
