//! Sine, cosine and tangent: x = n·π/2 + r with π/2 in three parts (Cody and Waite), then minimax
//! polynomials for sin r and cos r on |r| <= π/4, chosen by the low bits of n.

use super::bits::{MAGIC, divide_parts, fast_two_sum, flip_sign, fma, poly, select, two_sum};

/// π/2 in three parts of 53 bits each.
const PIO2: [f64; 3] = [1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33];
/// Up to here the products with n stay exact enough; larger arguments take the exact routine.
const LIMIT: f64 = 1073741824.0;

/// Where the branch-free cores of this file are not right.
#[inline(always)]
pub fn sin_rare(x: f64) -> bool {
    x.abs() > LIMIT
}

/// The remainder and, in its two low bits, the quadrant.
#[inline(always)]
fn reduce(x: f64) -> (f64, u64) {
    let shifted = fma(x, std::f64::consts::FRAC_2_PI, MAGIC);
    let n = shifted - MAGIC;
    let r = fma(-n, PIO2[2], fma(-n, PIO2[1], fma(-n, PIO2[0], x)));
    (r, shifted.to_bits())
}

/// (sin r - r) / r³ and (cos r - 1 + r²/2) / r⁴ for z = r² and |r| <= π/4.
#[inline(always)]
fn reduced_tails(z: f64) -> (f64, f64) {
    let s = poly!(z; -0.16666666666666632, 0.008333333333322339, -0.0001984126982974097,
        2.755731366661407e-6, -2.5050753852494458e-8, 1.589653286265125e-10);
    let c = poly!(z; 0.0416666666666666, -0.0013888888888874042, 2.4801587289422014e-5,
        -2.7557314332885704e-7, 2.0875720392503304e-9, -1.1359487931549517e-11);
    (s, c)
}

/// (sin r, cos r) for |r| <= π/4.
#[inline(always)]
fn reduced(r: f64) -> (f64, f64) {
    let z = r * r;
    let (s, c) = reduced_tails(z);
    let half = 0.5 * z;
    let w = 1.0 - half;
    (fma(r * z, s, r), w + fma(z * z, c, (1.0 - w) - half))
}

#[inline(always)]
pub fn sin(x: f64) -> f64 {
    let (r, q) = reduce(x);
    let (s, c) = reduced(r);
    let y = flip_sign(select(q & 1 == 0, s, c), q);
    // Keeps the sign of -0.
    select(x == 0.0, x, y)
}

#[inline(always)]
pub fn cos(x: f64) -> f64 {
    let (r, q) = reduce(x);
    let (s, c) = reduced(r);
    flip_sign(select(q & 1 == 0, c, s), q.wrapping_add(q & 1))
}

/// [`reduce`] with what rounding takes off the remainder.
#[inline(always)]
fn reduce_parts(x: f64) -> (f64, f64, u64) {
    let shifted = fma(x, std::f64::consts::FRAC_2_PI, MAGIC);
    let n = shifted - MAGIC;
    let near = fma(-n, PIO2[0], x);
    let p = n * PIO2[1];
    let p_lo = fma(n, PIO2[1], -p);
    let (r, r_lo) = two_sum(near, -p);
    (r, r_lo - fma(n, PIO2[2], p_lo), shifted.to_bits())
}

#[inline(always)]
pub fn tan(x: f64) -> f64 {
    let (r, r_lo, q) = reduce_parts(x);
    let z = r * r;
    let (s, c) = reduced_tails(z);
    let half = 0.5 * z;
    let w = 1.0 - half;
    // Sine and cosine in two parts; the remainder's low part moves both.
    let (s, s_lo) = fast_two_sum(r, fma(r * z, s, r_lo * w));
    let lost = fma(r, r_lo, 0.5 * fma(r, r, -z));
    let (c, c_lo) = fast_two_sum(w, fma(z * z, c, (1.0 - w) - half) - lost);
    let (num, den) = select(q & 1 == 0, ((s, s_lo), (c, c_lo)), ((-c, -c_lo), (s, s_lo)));
    let (y, y_lo) = divide_parts(num, den);
    select(x == 0.0, x, y + y_lo)
}

/// sin(πx) / (πx), reduced exactly, so that a large argument needs no second routine.
#[inline(always)]
pub fn sinc(x: f64) -> f64 {
    // A number this large is whole, and twice it may overflow; times 0 it is 0, or NaN if infinite.
    let whole = select(x.abs() > 1e300, 0.0 * x, x);
    let n = (2.0 * whole).round_ties_even();
    let r = fma(-0.5, n, whole);
    let angle = fma(r, 1.2246467991473532e-16, r * std::f64::consts::PI);
    let (s, c) = reduced(angle);
    // n mod 4, from exact products.
    let quarter = n - 4.0 * (0.25 * n).floor();
    let odd = quarter == 1.0 || quarter == 3.0;
    let y = select(odd, c, s);
    // Adding 0 makes every zero positive.
    let y = select(quarter >= 2.0, -y, y) / (x * std::f64::consts::PI) + 0.0;
    select(x == 0.0, 1.0, y)
}

/// The sine of any number, huge ones included.
pub fn sin_full(x: f64) -> f64 {
    if sin_rare(x) { pxfm::f_sin(x) } else { sin(x) }
}

/// The cosine of any number, huge ones included.
pub fn cos_full(x: f64) -> f64 {
    if sin_rare(x) { pxfm::f_cos(x) } else { cos(x) }
}

/// The tangent of any number, huge ones included.
pub fn tan_full(x: f64) -> f64 {
    if sin_rare(x) { pxfm::f_tan(x) } else { tan(x) }
}
