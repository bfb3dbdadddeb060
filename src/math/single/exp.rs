//! The exponential, as in double precision but with a polynomial of degree six.

use super::bits::{MAGIC, fma, poly, pow2_bits, select};

#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    /// ln 2 with 15 trailing zero bits, and the rest.
    const HI: f32 = 0.693_359_4;
    const LO: f32 = -0.000_212_194_44;
    let x = select(x > 89.0, 89.0, x);
    let x = select(x < -105.0, -105.0, x);
    let shifted = fma(x, std::f32::consts::LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let r = fma(-n, LO, fma(-n, HI, x));
    let p = poly!(r; 0.5, 0.16666518, 0.041666202, 0.008368918, 0.0013950639);
    let p = fma(r * r, p, r) + 1.0;
    // 2^(n±30) is a normal number for every n; the product with 2^∓30 alone rounds.
    let (shift, back) = select(x < 0.0, (30, 9.313226e-10), (30u32.wrapping_neg(), 1073741824.0));
    p * pow2_bits(shifted.to_bits().wrapping_add(shift)) * back
}
