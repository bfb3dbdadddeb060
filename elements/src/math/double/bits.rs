//! Bit tricks and constants that every double-precision function shares.
//!
//! A conversion between `i64` and `f64` has no AVX2 instruction, so integers travel through the
//! low mantissa bits of a number near 1.5·2^52 instead.

/// 1.5·2^52: adding it rounds to an integer, which then stands in the low mantissa bits.
pub(in crate::math) const MAGIC: f64 = 6755399441055744.0;
/// ln 2 with its low 21 bits zero, so that its product with an exponent is exact.
pub(super) const LN2_HI: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
/// ln 2 less [`LN2_HI`].
pub(super) const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
/// The bits below the exponent.
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;
/// sqrt(1/2), the lower end of the range that [`split`] reduces to.
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE: u64 = 0x3ff0_0000_0000_0000;
/// The bits of 2^52, whose mantissa field reads as an integer.
const TWO_52: u64 = 0x4330_0000_0000_0000;

pub(super) use crate::math::select::select;

/// `a * b + c`, rounded once.
#[inline(always)]
pub(in crate::math) fn fma(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

/// Horner's rule with fused steps, the constant term first.
macro_rules! poly {
    ($x:expr; $c:expr) => { $c };
    ($x:expr; $c:expr, $($rest:expr),+ $(,)?) => { fma(poly!($x; $($rest),+), $x, $c) };
}
pub(in crate::math) use poly;

/// 2^n, where the low bits of `n` hold an integer of -1022..=1023 in two's complement.
#[inline(always)]
pub(in crate::math) fn pow2_bits(n: u64) -> f64 {
    f64::from_bits(n.wrapping_add(1023) << 52)
}

/// `x·y` for a sign taken from bit 1 of `q`: the quadrant's sign in a reduced angle.
#[inline(always)]
pub(super) fn flip_sign(x: f64, q: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ ((q & 2) << 62))
}

/// `a + b` in two parts, exactly (D. Knuth's two-sum).
#[inline(always)]
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let v = s - a;
    (s, (a - (s - v)) + (b - v))
}

/// The same where `a` is zero or no smaller than `b` (T. Dekker's).
#[inline(always)]
pub(super) fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// The quotient of two numbers in two parts, rounded once but for some hundredths of an ulp.
#[inline(always)]
pub(super) fn divide_parts((a, a_lo): (f64, f64), (b, b_lo): (f64, f64)) -> (f64, f64) {
    let inverse = 1.0 / b;
    let q = a * inverse;
    (q, inverse * (fma(-q, b, a) + fma(-q, b_lo, a_lo)))
}

/// Reads a small unsigned integer as a number.
#[inline(always)]
pub(super) fn small_to_f64(n: u64) -> f64 {
    f64::from_bits(n | TWO_52) - 4503599627370496.0
}

/// Splits a positive normal number into k and f with x = 2^k·(1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
#[inline(always)]
pub(in crate::math) fn split(x: f64) -> (f64, f64) {
    let t = x.to_bits().wrapping_add(ONE - SQRT_HALF);
    let k = small_to_f64(t >> 52) - 1023.0;
    let m = f64::from_bits((t & MANTISSA).wrapping_add(SQRT_HALF));
    (k, m - 1.0)
}

/// [`split`] for subnormal numbers too.
#[inline(always)]
pub(super) fn split_any(x: f64) -> (f64, f64) {
    let tiny = x < f64::MIN_POSITIVE;
    let (k, f) = split(select(tiny, x * 18014398509481984.0, x));
    (k - select(tiny, 54.0, 0.0), f)
}
