//! The natural logarithm: x = 2^k·(1 + f), and a polynomial in f (the scheme of Cephes' `logf`,
//! with minimax coefficients of our own), which needs no division.

use super::bits::{fma, poly, select, split_any};

#[inline(always)]
pub(crate) fn ln(x: f32) -> f32 {
    const HI: f32 = 0.693_359_4;
    const LO: f32 = -0.000_212_194_44;
    let (k, f) = split_any(x);
    let z = f * f;
    let p = poly!(f; 0.3333331, -0.24999987, 0.2000224, -0.16669275, 0.14218368, -0.12383729,
        0.11874775, -0.117943905, 0.06916524);
    let y = fma(f * z, p, fma(-0.5, z, k * LO));
    let y = fma(k, HI, f + y);
    // Comparisons with 0 and infinity alone would be merged into one classification of the bits,
    // which costs more than it saves.
    let y = select(x <= f32::MAX, y, x);
    select(x <= 0.0, select(x < 0.0, f32::NAN, f32::NEG_INFINITY), y)
}
