//! Variates that take a number of attempts which depends on chance.
//!
//! Each element has a word of the generator, and the word is the key of a stream of its own from
//! which the element's attempts are drawn, so that no element's attempts move another's. All of it
//! is computed in `f64`: where two devices' logarithms differ in the last bit, an attempt that one
//! accepts and the other refuses is then a matter of once in 10¹⁵.
//!
//! These are operations on parameters and a word of the generator. They are written twice, here and
//! in `prelude/sample.cuh`, and must stay the same.

use super::philox::{Drawn, Normal, Uniform, Word, philox};
use crate::math::Math;

/// More attempts than chance ever needs: the least likely to succeed here does so two times in
/// three.
const ATTEMPTS: u32 = 200;

/// Whole numbers from words.
pub trait WordMath {
    /// A number below `span`, each with the same probability; 0 stands for a span of 2⁶⁴.
    fn below(span: Self, word: u64) -> Self;
}

impl WordMath for u64 {
    /// The upper half of `word · span` (D. Lemire, "Fast random integer generation in an
    /// interval", 2019): where the lower half is small, another word is taken.
    #[inline(always)]
    fn below(span: u64, word: u64) -> u64 {
        if span == 0 {
            return word;
        }
        let mut product = u128::from(word) * u128::from(span);
        if (product as u64) < span {
            let least = span.wrapping_neg() % span;
            for attempt in 0..ATTEMPTS {
                if product as u64 >= least {
                    break;
                }
                let other = u64::of(attempt_words(word, attempt, 0), 0);
                product = u128::from(other) * u128::from(span);
            }
        }
        (product >> 64) as u64
    }
}

/// Real variates from words.
pub trait DoubleMath: Sized {
    /// Gamma with the given shape and scale 1.
    fn sample_gamma(shape: Self, word: u64) -> Self;
    /// Beta with the given shapes.
    fn sample_beta(a: Self, b: Self, word: u64) -> Self;
    /// Poisson with the given mean.
    fn sample_poisson(mean: Self, word: u64) -> Self;
    /// The number of successes among `n` of probability `p`.
    fn sample_binomial(n: Self, p: Self, word: u64) -> Self;
}

impl DoubleMath for f64 {
    #[inline(always)]
    fn sample_gamma(shape: f64, word: u64) -> f64 {
        gamma(shape, word)
    }
    #[inline(always)]
    fn sample_beta(a: f64, b: f64, word: u64) -> f64 {
        beta(a, b, word)
    }
    #[inline(always)]
    fn sample_poisson(mean: f64, word: u64) -> f64 {
        poisson(mean, word)
    }
    #[inline(always)]
    fn sample_binomial(n: f64, p: f64, word: u64) -> f64 {
        binomial(n, p, word)
    }
}

/// Four words for an attempt of the element that has this word; `part` keeps streams apart.
#[inline(always)]
fn attempt_words(word: u64, attempt: u32, part: u32) -> [u32; 4] {
    philox([attempt, part, 0, 0], [word as u32, (word >> 32) as u32])
}

/// A number of (0, 1) from two words.
#[inline(always)]
fn open_unit(words: [u32; 4], lane: usize) -> f64 {
    Uniform::<f64>::of(u64::of(words, lane)) + 0.5 / (1u64 << 53) as f64
}

/// The logarithm of a gamma variate of shape 1 or more (G. Marsaglia and W. Tsang, "A simple
/// method for generating gamma variables", 2000).
#[inline(always)]
fn ln_gamma_of_large(shape: f64, word: u64, part: u32) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    for attempt in 0..ATTEMPTS {
        let words = attempt_words(word, attempt, part);
        let x = Normal::<f64>::of(u64::of(words, 0));
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let ln_v = 3.0 * Math::ln(root);
        let v = root * root * root;
        if Math::ln(open_unit(words, 1)) < 0.5 * x * x + d - d * v + d * ln_v {
            return Math::ln(d) + ln_v;
        }
    }
    Math::ln(d)
}

/// The logarithm of a gamma variate: one of a shape below 1 is one of the shape plus 1 times a
/// power of a uniform number.
#[inline(always)]
fn ln_gamma(shape: f64, word: u64, part: u32) -> f64 {
    if shape >= 1.0 {
        return ln_gamma_of_large(shape, word, part);
    }
    let u = open_unit(attempt_words(word, 0, part + 1), 0);
    ln_gamma_of_large(shape + 1.0, word, part) + Math::ln(u) / shape
}

#[inline(always)]
fn gamma(shape: f64, word: u64) -> f64 {
    if shape.is_nan() || shape < 0.0 {
        return f64::NAN;
    }
    if shape == 0.0 || shape == f64::INFINITY {
        return shape;
    }
    Math::exp(ln_gamma(shape, word, 0))
}

#[inline(always)]
fn beta(a: f64, b: f64, word: u64) -> f64 {
    let fits = |x: f64| x > 0.0 && x < f64::INFINITY;
    if !(fits(a) && fits(b)) {
        return f64::NAN;
    }
    let difference = ln_gamma(b, word, 2) - ln_gamma(a, word, 0);
    1.0 / (1.0 + Math::exp(difference))
}

/// Below this mean, the distribution is summed up to a uniform number.
const FEW: f64 = 10.0;

#[inline(always)]
fn poisson(mean: f64, word: u64) -> f64 {
    if mean.is_nan() || mean < 0.0 || mean == f64::INFINITY {
        return -1.0;
    }
    if mean < FEW {
        let u = open_unit(attempt_words(word, 0, 0), 0);
        let mut term = Math::exp(-mean);
        let (mut sum, mut k) = (term, 0.0);
        for _ in 0..ATTEMPTS {
            if u <= sum {
                break;
            }
            k += 1.0;
            term *= mean / k;
            sum += term;
        }
        return k;
    }
    poisson_of_large(mean, word)
}

/// Rejection from a transformed uniform number (W. Hörmann, "The transformed rejection method for
/// generating Poisson random variables", 1993).
#[inline(always)]
fn poisson_of_large(mean: f64, word: u64) -> f64 {
    let (root, ln_mean) = (mean.sqrt(), Math::ln(mean));
    let b = 0.931 + 2.53 * root;
    let a = -0.059 + 0.02483 * b;
    let ln_inverse = Math::ln(1.1239 + 1.1328 / (b - 3.4));
    let inner = 0.9277 - 3.6224 / (b - 2.0);
    for attempt in 0..ATTEMPTS {
        let words = attempt_words(word, attempt, 0);
        let (u, v) = (open_unit(words, 0) - 0.5, open_unit(words, 1));
        let edge = 0.5 - u.abs();
        let k = ((2.0 * a / edge + b) * u + mean + 0.43).floor();
        if edge >= 0.07 && v <= inner {
            return k;
        }
        if k < 0.0 || (edge < 0.013 && v > edge) {
            continue;
        }
        let left = Math::ln(v) + ln_inverse - Math::ln(a / (edge * edge) + b);
        if left <= k * ln_mean - mean - Math::lgamma(k + 1.0) {
            return k;
        }
    }
    mean.floor()
}

#[inline(always)]
fn binomial(n: f64, p: f64, word: u64) -> f64 {
    if !((0.0..f64::INFINITY).contains(&n) && (0.0..=1.0).contains(&p)) {
        return -1.0;
    }
    let n = n.floor();
    let rarer = if p > 0.5 { 1.0 - p } else { p };
    let k = if n * rarer < FEW {
        binomial_of_few(n, rarer, word)
    } else {
        binomial_of_many(n, rarer, word)
    };
    if p > 0.5 { n - k } else { k }
}

/// The distribution summed up to a uniform number.
#[inline(always)]
fn binomial_of_few(n: f64, p: f64, word: u64) -> f64 {
    let u = open_unit(attempt_words(word, 0, 0), 0);
    let odds = p / (1.0 - p);
    let mut term = Math::exp(n * Math::ln_1p(-p));
    let (mut sum, mut k) = (term, 0.0);
    for _ in 0..ATTEMPTS {
        if u <= sum || k >= n {
            break;
        }
        k += 1.0;
        term *= odds * (n - k + 1.0) / k;
        sum += term;
    }
    k
}

/// Rejection from a transformed uniform number (W. Hörmann, "The generation of binomial random
/// variates", 1993).
#[inline(always)]
fn binomial_of_many(n: f64, p: f64, word: u64) -> f64 {
    let q = 1.0 - p;
    let spread = (n * p * q).sqrt();
    let b = 1.15 + 2.53 * spread;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let centre = n * p + 0.5;
    let inner = 0.92 - 4.2 / b;
    let alpha = (2.83 + 5.1 / b) * spread;
    let ln_odds = Math::ln(p / q);
    let mode = ((n + 1.0) * p).floor();
    let peak = Math::lgamma(mode + 1.0) + Math::lgamma(n - mode + 1.0);
    for attempt in 0..ATTEMPTS {
        let words = attempt_words(word, attempt, 0);
        let (u, v) = (open_unit(words, 0) - 0.5, open_unit(words, 1));
        let edge = 0.5 - u.abs();
        let k = ((2.0 * a / edge + b) * u + centre).floor();
        if edge >= 0.07 && v <= inner {
            return k;
        }
        if k < 0.0 || k > n {
            continue;
        }
        let left = Math::ln(v * alpha / (a / (edge * edge) + b));
        let right = peak - Math::lgamma(k + 1.0) - Math::lgamma(n - k + 1.0);
        if left <= right + (k - mode) * ln_odds {
            return k;
        }
    }
    mode
}
