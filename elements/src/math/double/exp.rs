//! Exponentials: x = n·ln 2 + r with |r| <= ln 2 / 2, a minimax polynomial for e^r, and 2^n put
//! into the exponent bits (the reduction of Cody and Waite, "Software Manual for the Elementary
//! Functions", 1980; coefficients by a Remez exchange in 70 digits, error below 2^-58).

use super::bits::{LN2_HI, LN2_LO, MAGIC, fast_two_sum, fma, poly, pow2_bits, select};

/// (e^r - 1 - r) / r² on |r| <= ln 2 / 2.
#[inline(always)]
fn tail(r: f64) -> f64 {
    poly!(r; 0.5000000000000013, 0.166666666666667, 0.04166666666651504, 0.00833333333330685,
        0.0013888888947135847, 0.00019841269918038676, 2.4801489799702054e-5,
        2.7557215802488156e-6, 2.763133666901871e-7, 2.5117997563654057e-8)
}

/// e^r - 1 on |r| <= ln 2 / 2.
#[inline(always)]
fn reduced_m1(r: f64) -> f64 {
    fma(r * r, tail(r), r)
}

/// The multiple n of ln 2 nearest to `x` in the low bits, and the remainder of `x + lo`. A `lo` of
/// -0 costs nothing: adding it is the identity, which +0 is not.
#[inline(always)]
fn reduce(x: f64, lo: f64) -> (u64, f64) {
    let shifted = fma(x, std::f64::consts::LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let r = fma(-n, LN2_LO, fma(-n, LN2_HI, x)) + lo;
    (shifted.to_bits(), r)
}

/// [`reduce`] with what rounding takes off the remainder.
#[inline(always)]
fn reduce_parts(x: f64) -> (u64, f64, f64) {
    let shifted = fma(x, std::f64::consts::LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let near = fma(-n, LN2_HI, x);
    let r = fma(-n, LN2_LO, near);
    (shifted.to_bits(), r, fma(-n, LN2_LO, near - r))
}

/// `p·2^n`, rounded once, for results from subnormal to infinite: 2^(n±100) is always a normal
/// number, and the last product with 2^∓100 is the only one that rounds.
#[inline(always)]
fn scale(p: f64, n: u64, negative: bool) -> f64 {
    let shift = select(negative, 100, 100u64.wrapping_neg());
    let back = select(negative, 7.888609052210118e-31, 1.2676506002282294e30);
    p * pow2_bits(n.wrapping_add(shift)) * back
}

#[inline(always)]
fn clamp(x: f64, low: f64, high: f64) -> f64 {
    let x = select(x > high, high, x);
    select(x < low, low, x)
}

/// `e^(hi + lo)·factor` for a `lo` below the precision of `hi` and a factor near one.
#[inline(always)]
pub(super) fn exp_parts(hi: f64, lo: f64, factor: f64) -> f64 {
    let x = clamp(hi, -750.0, 710.0);
    let (n, r) = reduce(x, lo);
    scale((reduced_m1(r) + 1.0) * factor, n, x < 0.0)
}

/// `e^(hi + lo)·(factor + factor_lo)`, rounded nearly once, for `hi <= 0`.
#[inline(always)]
pub(super) fn exp_product(hi: f64, lo: f64, (factor, factor_lo): (f64, f64)) -> f64 {
    let (n, r, r_lo) = reduce_parts(clamp(hi, -750.0, 0.0));
    let small = r * r * tail(r);
    let small = fma(r_lo + lo, 1.0 + (r + small), small);
    let (a, a_lo) = fast_two_sum(1.0, r);
    let (e, e_lo) = fast_two_sum(a, a_lo + small);
    let p = e * factor;
    let p_lo = fma(e, factor, -p) + fma(e, factor_lo, e_lo * factor);
    scale(p + p_lo, n, true)
}

/// e^x for -700 < x <= 0, where no result is subnormal.
#[inline(always)]
pub(super) fn exp_negative(x: f64) -> f64 {
    let (n, r) = reduce(x, -0.0);
    (reduced_m1(r) + 1.0) * pow2_bits(n)
}

#[inline(always)]
pub fn exp(x: f64) -> f64 {
    exp_parts(x, -0.0, 1.0)
}

#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    let x = clamp(x, -1100.0, 1025.0);
    let shifted = x + MAGIC;
    let r = x - (shifted - MAGIC);
    let p = poly!(r; 1.0, 0.6931471805599453, 0.24022650695910133, 0.05550410866482174,
        0.00961812910759322, 0.0013333558146378713, 0.0001540353045823305,
        1.5252733867810824e-5, 1.3215434734568322e-6, 1.0178046360554139e-7,
        7.0738752155442235e-9, 4.4574012071662453e-10);
    scale(p, shifted.to_bits(), x < 0.0)
}

#[inline(always)]
pub fn exp10(x: f64) -> f64 {
    /// log10(2) with 21 trailing zero bits, and the rest of it.
    const HI: f64 = f64::from_bits(0x3fd3_4413_5080_0000);
    const LO: f64 = 1.145_110_089_802_183_8e-10;
    let x = clamp(x, -330.0, 310.0);
    let shifted = fma(x, std::f64::consts::LOG2_10, MAGIC);
    let n = shifted - MAGIC;
    let r = fma(-n, LO, fma(-n, HI, x));
    let p = poly!(r; 1.0, 2.302585092994046, 2.650949055239206, 2.0346785922934822,
        1.1712551489079701, 0.5393829291935681, 0.20699584956887837, 0.06808936535919696,
        0.019597617400599843, 0.0050139092942293705, 0.0011576036943482886,
        0.0002423117430868704);
    scale(p, shifted.to_bits(), x < 0.0)
}

/// (e^x - 1) / 2 in two parts, which does not overflow before e^x / 2 does.
#[inline(always)]
pub(super) fn half_exp_m1(x: f64) -> (f64, f64) {
    let x = clamp(x, -50.0, 710.6);
    let (n, r, r_lo) = reduce_parts(x);
    let t = pow2_bits(n.wrapping_sub(2));
    let whole = t - 0.25;
    let y = fma(t, r, whole);
    // What y falls short of the sum: `whole` is 0 or larger than t·r.
    let rest = fma(t, r, whole - y);
    let (y, y_lo) = fast_two_sum(y, fma(t, fma(r * r, tail(r), r_lo), rest));
    (2.0 * y, 2.0 * y_lo)
}

/// e^x / 2 for x >= 0, which does not overflow before its value does.
#[inline(always)]
pub(super) fn half_exp(x: f64) -> f64 {
    let (n, r) = reduce(clamp(x, 0.0, 710.6), -0.0);
    2.0 * ((reduced_m1(r) + 1.0) * pow2_bits(n.wrapping_sub(2)))
}

#[inline(always)]
pub fn exp_m1(x: f64) -> f64 {
    let y = 2.0 * half_exp_m1(x).0;
    // Near zero the halves above would lose bits of a subnormal result and the sign of -0.
    select(x.abs() < 1e-17, x, y)
}
