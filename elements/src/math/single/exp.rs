//! Exponentials, as in double precision but with polynomials of degree six.

use super::bits::{MAGIC, fast_two_sum, fma, poly, pow2_bits, select};

/// e^r - 1 on |r| <= ln 2 / 2.
#[inline(always)]
fn reduced_m1(r: f32) -> f32 {
    fma(r * r, tail(r), r)
}

/// (e^r - 1 - r) / r² on |r| <= ln 2 / 2.
#[inline(always)]
fn tail(r: f32) -> f32 {
    poly!(r; 0.5, 0.16666518, 0.041666202, 0.008368918, 0.0013950639)
}

/// The multiple of ln 2 nearest to `x` in the low bits, and the remainder.
#[inline(always)]
fn reduce(x: f32) -> (u32, f32) {
    /// ln 2 with 15 trailing zero bits, and the rest.
    const HI: f32 = 0.693_359_4;
    const LO: f32 = -0.000_212_194_44;
    let shifted = fma(x, std::f32::consts::LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    (shifted.to_bits(), fma(-n, LO, fma(-n, HI, x)))
}

/// `p·2^n` for results from subnormal to infinite: 2^(n±30) is a normal number for every n, and
/// the product with 2^∓30 alone rounds.
#[inline(always)]
fn scale(p: f32, n: u32, negative: bool) -> f32 {
    let shift = select(negative, 30, 30u32.wrapping_neg());
    let back = select(negative, 9.313226e-10, 1073741824.0);
    p * pow2_bits(n.wrapping_add(shift)) * back
}

#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = select(x > high, high, x);
    select(x < low, low, x)
}

#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let x = clamp(x, -105.0, 89.0);
    let (n, r) = reduce(x);
    scale(reduced_m1(r) + 1.0, n, x < 0.0)
}

/// e^x for -80 < x <= 0, where no result is subnormal.
#[inline(always)]
pub(super) fn exp_negative(x: f32) -> f32 {
    let (n, r) = reduce(x);
    (reduced_m1(r) + 1.0) * pow2_bits(n)
}

#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let x = clamp(x, -155.0, 129.0);
    let shifted = x + MAGIC;
    let r = x - (shifted - MAGIC);
    let p = poly!(r; 1.0, 0.6931472, 0.2402265, 0.055503275, 0.009618003, 0.001340032,
        0.00015476496);
    scale(p, shifted.to_bits(), x < 0.0)
}

#[inline(always)]
pub fn exp10(x: f32) -> f32 {
    let x = clamp(x, -47.0, 39.0);
    let shifted = fma(x, std::f32::consts::LOG2_10, MAGIC);
    let n = shifted - MAGIC;
    // log10(2) in two parts.
    let r = fma(-n, 4.605039e-6, fma(-n, 0.301_025_4, x));
    let p = poly!(r; 1.0, 2.3025851, 2.6509492, 2.0346482, 1.1712397, 0.5420842, 0.20797658);
    scale(p, shifted.to_bits(), x < 0.0)
}

/// (e^x - 1) / 2 in two parts, which does not overflow before e^x / 2 does.
#[inline(always)]
pub(super) fn half_exp_m1(x: f32) -> (f32, f32) {
    let (n, r) = reduce(clamp(x, -20.0, 89.5));
    let t = pow2_bits(n.wrapping_sub(2));
    let whole = t - 0.25;
    let y = fma(t, r, whole);
    // What y falls short of the sum: `whole` is 0 or larger than t·r.
    let rest = fma(t, r, whole - y);
    let (y, y_lo) = fast_two_sum(y, fma(t * (r * r), tail(r), rest));
    (2.0 * y, 2.0 * y_lo)
}

/// e^x / 2 for x >= 0, which does not overflow before its value does.
#[inline(always)]
pub(super) fn half_exp(x: f32) -> f32 {
    let (n, r) = reduce(clamp(x, 0.0, 89.5));
    2.0 * ((reduced_m1(r) + 1.0) * pow2_bits(n.wrapping_sub(2)))
}

#[inline(always)]
pub fn exp_m1(x: f32) -> f32 {
    let y = 2.0 * half_exp_m1(x).0;
    // Near zero the halves above would lose bits of a subnormal result and the sign of -0.
    select(x.abs() < 1e-9, x, y)
}
