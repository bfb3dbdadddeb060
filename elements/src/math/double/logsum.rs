//! log(e^x + e^y) where it is near zero: x + log(1 + e^(y - x)) is then a difference of two numbers
//! that are nearly the same, so e^x + e^y - 1 is computed in pairs of numbers, to some 100 bits.

use super::bits::{LN2_HI, LN2_LO, fast_two_sum, fma, two_sum};
use super::log::ln_1p;
use std::f64::consts::{LN_2, LOG2_E};

type Pair = (f64, f64);

/// What ln 2 exceeds the numbers of `LN2_HI + LN2_LO` by, and its nearest number.
const LN2_REST: f64 = 1.1612227229362532e-26;
const LN_2_LO: f64 = 2.3190468138462996e-17;

/// 1 / k! for k from 1 to 8, in two parts.
const FACTORIALS: [Pair; 8] = [
    (1.0, 0.0),
    (0.5, 0.0),
    (0.16666666666666666, 9.25185853854297e-18),
    (0.041666666666666664, 2.3129646346357427e-18),
    (0.008333333333333333, 1.1564823173178714e-19),
    (0.001388888888888889, -5.300543954373577e-20),
    (0.0001984126984126984, 1.7209558293420705e-22),
    (2.48015873015873e-5, 2.1511947866775882e-23),
];
/// 1 / k! for k from 14 down to 9.
const HIGH_FACTORIALS: [f64; 6] = [
    1.1470745597729725e-11,
    1.6059043836821613e-10,
    2.08767569878681e-9,
    2.505210838544172e-8,
    2.755731922398589e-7,
    2.7557319223985893e-6,
];

fn add((a, a_lo): Pair, (b, b_lo): Pair) -> Pair {
    let (s, lo) = two_sum(a, b);
    let (t, t_lo) = two_sum(a_lo, b_lo);
    let (s, lo) = fast_two_sum(s, lo + t);
    fast_two_sum(s, lo + t_lo)
}

fn multiply((a, a_lo): Pair, (b, b_lo): Pair) -> Pair {
    let p = a * b;
    fast_two_sum(p, fma(a, b, -p) + fma(a, b_lo, a_lo * b))
}

/// n and e^r - 1 with x = n·ln 2 + r, |r| <= ln 2 / 2.
fn exp_m1((x, x_lo): Pair) -> (f64, Pair) {
    let n = (x * LOG2_E).round_ties_even();
    let p = n * LN2_LO;
    let near = two_sum(fma(-n, LN2_HI, x), -p);
    let r = add(near, (x_lo, -fma(n, LN2_LO, -p) - n * LN2_REST));
    // The series of a sixteenth, which is then doubled four times: e^2t - 1 = m·(m + 2).
    let t = (r.0 * 0.0625, r.1 * 0.0625);
    let high = HIGH_FACTORIALS.iter().fold(0.0, |sum, &c| fma(sum, t.0, c));
    let series = |sum, &c: &Pair| add(multiply(sum, t), c);
    let mut m = multiply(FACTORIALS.iter().rev().fold((high, 0.0), series), t);
    for _ in 0..4 {
        m = multiply(m, add(m, (2.0, 0.0)));
    }
    (n, m)
}

/// log(1 + (e^x - 1) + e^y) for negative x, and y below x.
fn sum(x: Pair, y: Pair) -> f64 {
    let (n, m) = exp_m1(x);
    let scale = super::exp2(n);
    let less = add((scale - 1.0, 0.0), (m.0 * scale, m.1 * scale));
    let (n, m) = exp_m1(y);
    let (e, scale) = (add((1.0, 0.0), m), super::exp2(n));
    let (s, lo) = add(less, (e.0 * scale, e.1 * scale));
    ln_1p(s) + lo / (1.0 + s)
}

/// log(e^x + e^y) where the larger of both is negative and at least twice the result.
pub(in crate::math) fn logaddexp(x: f64, y: f64) -> f64 {
    let (x, y) = if x > y { (x, y) } else { (y, x) };
    sum((x, 0.0), (y, 0.0))
}

/// log2(2^x + 2^y) where the larger of both is negative and at least twice the result.
pub(in crate::math) fn logaddexp2(x: f64, y: f64) -> f64 {
    let (x, y) = if x > y { (x, y) } else { (y, x) };
    let natural = |x: f64| multiply((x, 0.0), (LN_2, LN_2_LO));
    sum(natural(x), natural(y)) * LOG2_E
}
