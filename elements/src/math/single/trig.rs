//! Sine and cosine, as in double precision with shorter polynomials.

use super::bits::{MAGIC, fma, poly, select};

/// π/2 in three parts of 24 bits each.
const PIO2: [f32; 3] = [1.5707964, -4.371139e-8, -1.7151245e-15];
/// Up to here the products with n stay exact enough.
const LIMIT: f32 = 131072.0;

/// Where the branch-free cores of this file are not right.
#[inline(always)]
pub fn sin_rare(x: f32) -> bool {
    x.abs() > LIMIT
}

/// The remainder and, in its two low bits, the quadrant.
#[inline(always)]
fn reduce(x: f32) -> (f32, u32) {
    let shifted = fma(x, std::f32::consts::FRAC_2_PI, MAGIC);
    let n = shifted - MAGIC;
    let r = fma(-n, PIO2[2], fma(-n, PIO2[1], fma(-n, PIO2[0], x)));
    (r, shifted.to_bits())
}

/// (sin r, cos r) for |r| <= π/4.
#[inline(always)]
fn reduced(r: f32) -> (f32, f32) {
    let z = r * r;
    let s = poly!(z; -0.16666667, 0.008333329, -0.00019839327, 2.71824e-6);
    let c = poly!(z; 0.041666646, -0.0013887362, 2.4437755e-5);
    (fma(r * z, s, r), fma(z * z, c, fma(-0.5, z, 1.0)))
}

#[inline(always)]
fn flip_sign(x: f32, q: u32) -> f32 {
    f32::from_bits(x.to_bits() ^ ((q & 2) << 30))
}

#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let (r, q) = reduce(x);
    let (s, c) = reduced(r);
    let y = flip_sign(select(q & 1 == 0, s, c), q);
    select(x == 0.0, x, y)
}

#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let (r, q) = reduce(x);
    let (s, c) = reduced(r);
    flip_sign(select(q & 1 == 0, c, s), q.wrapping_add(q & 1))
}

/// The sine of any number, huge ones included.
pub fn sin_full(x: f32) -> f32 {
    if sin_rare(x) { pxfm::f_sinf(x) } else { sin(x) }
}

/// The cosine of any number, huge ones included.
pub fn cos_full(x: f32) -> f32 {
    if sin_rare(x) { pxfm::f_cosf(x) } else { cos(x) }
}
