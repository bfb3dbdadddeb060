//! Bit tricks that the single-precision functions share.

/// 1.5·2^23: adding it rounds to an integer, which then stands in the low mantissa bits.
pub(super) const MAGIC: f32 = 12582912.0;
/// sqrt(1/2), the lower end of the range that [`split_any`] reduces to.
const SQRT_HALF: u32 = 0x3f35_04f3;
const ONE: u32 = 0x3f80_0000;

pub(super) use crate::math::select::select;

/// `a * b + c`, rounded once.
#[inline(always)]
pub(super) fn fma(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

/// Horner's rule with fused steps, the constant term first.
macro_rules! poly {
    ($x:expr; $c:expr) => { $c };
    ($x:expr; $c:expr, $($rest:expr),+ $(,)?) => { fma(poly!($x; $($rest),+), $x, $c) };
}
pub(super) use poly;

/// 2^n, where the low bits of `n` hold an integer of -126..=127 in two's complement.
#[inline(always)]
pub(super) fn pow2_bits(n: u32) -> f32 {
    f32::from_bits(n.wrapping_add(127) << 23)
}

/// `a + b` in two parts, exactly (D. Knuth's two-sum).
#[inline(always)]
pub(super) fn two_sum(a: f32, b: f32) -> (f32, f32) {
    let s = a + b;
    let v = s - a;
    (s, (a - (s - v)) + (b - v))
}

/// The same where `a` is zero or no smaller than `b` (T. Dekker's).
#[inline(always)]
pub(super) fn fast_two_sum(a: f32, b: f32) -> (f32, f32) {
    let s = a + b;
    (s, b - (s - a))
}

/// Splits a positive number into k and f with x = 2^k·(1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
#[inline(always)]
pub(super) fn split_any(x: f32) -> (f32, f32) {
    let tiny = x < f32::MIN_POSITIVE;
    let t = (select(tiny, x * 33554432.0, x)).to_bits().wrapping_add(ONE - SQRT_HALF);
    let bias = select(tiny, 152, 127);
    let k = ((t >> 23) as i32 - bias) as f32;
    (k, f32::from_bits((t & 0x007f_ffff).wrapping_add(SQRT_HALF)) - 1.0)
}
