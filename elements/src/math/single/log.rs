//! Logarithms: x = 2^k·(1 + f), and a polynomial in f (the scheme of Cephes' `logf`, with minimax
//! coefficients of our own), which needs no division.

use super::bits::{MAGIC, fma, poly, pow2_bits, select, split_any, two_sum};

/// log(1 + f) - f for a reduced argument.
#[inline(always)]
fn tail(f: f32) -> f32 {
    let z = f * f;
    let p = poly!(f; 0.3333331, -0.24999987, 0.2000224, -0.16669275, 0.14218368, -0.12383729,
        0.11874775, -0.117943905, 0.06916524);
    fma(f * z, p, -0.5 * z)
}

/// k·ln 2 + log(1 + f).
#[inline(always)]
fn assemble(k: f32, f: f32) -> f32 {
    fma(k, 0.693_359_4, f + fma(k, -0.000_212_194_44, tail(f)))
}

/// The logarithm of a positive finite number in two parts.
#[inline(always)]
pub(super) fn ln_parts(x: f32) -> (f32, f32) {
    let (k, f) = split_any(x);
    let (s, s_lo) = two_sum(f, fma(k, -0.000_212_194_44, tail(f)));
    let (hi, lo) = two_sum(k * 0.693_359_4, s);
    (hi, lo + s_lo)
}

/// k·(unit_hi + unit_lo) + log(1 + f)·(hi + lo): a logarithm to another base.
#[inline(always)]
fn assemble_base(k: f32, f: f32, (hi, lo): (f32, f32), (unit_hi, unit_lo): (f32, f32)) -> f32 {
    let p = f * hi;
    let p_lo = fma(f, hi, -p) + fma(tail(f), hi, f * lo);
    let w = k * unit_hi;
    let sum = w + p;
    sum + (((w - sum) + p) + fma(k, unit_lo, p_lo))
}

/// Puts the results for 0, negative numbers, infinity and NaN over a logarithm of garbage.
#[inline(always)]
fn special(x: f32, y: f32) -> f32 {
    // Comparisons with 0 and infinity alone would be merged into one classification of the bits,
    // which costs more than it saves.
    let y = select(x <= f32::MAX, y, x);
    select(x <= 0.0, select(x < 0.0, f32::NAN, f32::NEG_INFINITY), y)
}

#[inline(always)]
pub fn ln(x: f32) -> f32 {
    let (k, f) = split_any(x);
    special(x, assemble(k, f))
}

#[inline(always)]
pub fn log2(x: f32) -> f32 {
    let (k, f) = split_any(x);
    special(x, assemble_base(k, f, (1.442695, 1.925963e-8), (1.0, 0.0)))
}

#[inline(always)]
pub fn log10(x: f32) -> f32 {
    let (k, f) = split_any(x);
    // The high part of log10(2) has 12 trailing zero bits, so that k times it is exact.
    special(x, assemble_base(k, f, (0.4342945, -1.010305e-8), (0.301_025_4, 4.605039e-6)))
}

#[inline(always)]
pub fn ln_1p(x: f32) -> f32 {
    let u = 1.0 + x;
    // The rounding error of 1 + x, exactly (Knuth's two-sum).
    let v = u - 1.0;
    let c = (1.0 - (u - v)) + (x - v);
    let (k, f) = split_any(u);
    // c·2^-k; beyond 2^60 the error c no longer matters, and 2^-k may not exist.
    let c = select(u < 1.1529215e18, c * pow2_bits((MAGIC - k).to_bits()), 0.0);
    let y = special(u, assemble(k, f + c));
    select(x.abs() < 1e-9, x, y)
}
