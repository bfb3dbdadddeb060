//! Logarithms: x = 2^k·(1 + f), s = f / (2 + f), log(1 + f) = 2s + s·R(s²), the sum arranged as in
//! fdlibm's `e_log.c` (Sun Microsystems, 1993) so that the error stays below one ulp; R is a
//! minimax polynomial of our own (error below 2^-58).

use super::bits::{LN2_HI, LN2_LO, MAGIC, fma, poly, pow2_bits, select, split, split_any};

/// (s·(f²/2 + R(s²)), f²/2) for a reduced argument.
#[inline(always)]
fn tail(f: f64) -> (f64, f64) {
    let s = f / (2.0 + f);
    let z = s * s;
    let half = 0.5 * f * f;
    let r = z * poly!(z; 0.6666666666666735, 0.39999999999409064, 0.28571428743825594,
        0.22222198407340005, 0.18183573850034235, 0.15313784889040163, 0.14798816519651523);
    (s * (half + r), half)
}

/// k·ln 2 + log(1 + f).
#[inline(always)]
fn assemble(k: f64, f: f64) -> f64 {
    let (t, half) = tail(f);
    fma(k, LN2_HI, f - (half - fma(k, LN2_LO, t)))
}

/// k·unit + log(1 + f)·(hi + lo): a logarithm to another base, where `hi + lo` is 1 / ln(base) and
/// `unit_hi + unit_lo` is log(2) to that base.
#[inline(always)]
fn assemble_base(k: f64, f: f64, (hi, lo): (f64, f64), (unit_hi, unit_lo): (f64, f64)) -> f64 {
    let (t, half) = tail(f);
    let a = f - half;
    let b = ((f - a) - half) + t;
    let p = a * hi;
    let p_lo = fma(a, hi, -p) + fma(a + b, lo, b * hi);
    let w = k * unit_hi;
    let sum = w + p;
    sum + (((w - sum) + p) + fma(k, unit_lo, p_lo))
}

/// Puts the results for 0, negative numbers, infinity and NaN over a logarithm of garbage.
#[inline(always)]
fn special(x: f64, y: f64) -> f64 {
    // Comparisons with 0 and infinity alone would be merged into one classification of the bits,
    // which costs more than it saves.
    let y = select(x <= f64::MAX, y, x);
    select(x <= 0.0, select(x < 0.0, f64::NAN, f64::NEG_INFINITY), y)
}

#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let (k, f) = split_any(x);
    special(x, assemble(k, f))
}

#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let (k, f) = split_any(x);
    let base = (1.4426950408889634, 2.0355273740931033e-17);
    special(x, assemble_base(k, f, base, (1.0, 0.0)))
}

#[inline(always)]
pub fn log10(x: f64) -> f64 {
    let (k, f) = split_any(x);
    let base = (0.4342944819032518, 1.098319650216765e-17);
    // The high part of log10(2) has 21 trailing zero bits, so that k times it is exact.
    let unit = (f64::from_bits(0x3fd3_4413_5080_0000), 1.145_110_089_802_183_8e-10);
    special(x, assemble_base(k, f, base, unit))
}

#[inline(always)]
pub fn ln_1p(x: f64) -> f64 {
    let u = 1.0 + x;
    // The rounding error of 1 + x, exactly (Knuth's two-sum).
    let v = u - 1.0;
    let c = (1.0 - (u - v)) + (x - v);
    let (k, f) = split(u);
    // c·2^-k; beyond 2^60 the error c no longer matters, and 2^-k may not exist.
    let scale = pow2_bits((MAGIC - k).to_bits());
    let c = select(u < 1.152921504606847e18, c * scale, 0.0);
    let y = special(u, assemble(k, f + c));
    select(x.abs() < 1e-17, x, y)
}
