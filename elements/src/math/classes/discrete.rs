//! Order, truth and bits.

use crate::dtype::Plain;
use crate::math::{IntMath, Math};
use half::{bf16, f16};
use num_complex::Complex;

/// Logic on every element type: zero is false, all else, NaN too, is true.
pub trait ElementMath: Plain {
    /// Whether the value differs from zero.
    #[inline(always)]
    fn truth(a: Self) -> bool {
        a != Self::default()
    }
    /// Whether both are true.
    #[inline(always)]
    fn logical_and(a: Self, b: Self) -> bool {
        Self::truth(a) & Self::truth(b)
    }
    /// Whether one is true.
    #[inline(always)]
    fn logical_or(a: Self, b: Self) -> bool {
        Self::truth(a) | Self::truth(b)
    }
    /// Whether exactly one is true.
    #[inline(always)]
    fn logical_xor(a: Self, b: Self) -> bool {
        Self::truth(a) ^ Self::truth(b)
    }
    /// Whether the value is false.
    #[inline(always)]
    fn logical_not(a: Self) -> bool {
        !Self::truth(a)
    }
}

macro_rules! elements {
    ($($t:ty),+) => { $(impl ElementMath for $t {})+ };
}
elements!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);
elements!(Complex<f32>, Complex<f64>);

/// The smaller and the larger value.
pub trait OrderedMath: Plain + PartialOrd {
    /// The smaller value; NaN wins.
    fn minimum(a: Self, b: Self) -> Self;
    /// The larger value; NaN wins.
    fn maximum(a: Self, b: Self) -> Self;
    /// The smaller value; NaN loses.
    fn fmin(a: Self, b: Self) -> Self;
    /// The larger value; NaN loses.
    fn fmax(a: Self, b: Self) -> Self;
    /// `a` held between `b` and `c`.
    #[inline(always)]
    fn clip(a: Self, b: Self, c: Self) -> Self {
        Self::minimum(Self::maximum(a, b), c)
    }
}

macro_rules! ordered {
    (total: $($t:ident)+) => {$(
        impl OrderedMath for $t {
            #[inline(always)]
            fn minimum(a: $t, b: $t) -> $t { if a < b { a } else { b } }
            #[inline(always)]
            fn maximum(a: $t, b: $t) -> $t { if a > b { a } else { b } }
            #[inline(always)]
            fn fmin(a: $t, b: $t) -> $t { Self::minimum(a, b) }
            #[inline(always)]
            fn fmax(a: $t, b: $t) -> $t { Self::maximum(a, b) }
        }
    )+};
    (float: $($t:ident)+) => {$(
        impl OrderedMath for $t {
            #[inline(always)]
            fn minimum(a: $t, b: $t) -> $t { Math::minimum(a, b) }
            #[inline(always)]
            fn maximum(a: $t, b: $t) -> $t { Math::maximum(a, b) }
            #[inline(always)]
            fn fmin(a: $t, b: $t) -> $t { Math::fmin(a, b) }
            #[inline(always)]
            fn fmax(a: $t, b: $t) -> $t { Math::fmax(a, b) }
        }
    )+};
    (half: $($t:ident)+) => {$(
        impl OrderedMath for $t {
            #[inline(always)]
            fn minimum(a: $t, b: $t) -> $t { $t::from_f32(Math::minimum(a.to_f32(), b.to_f32())) }
            #[inline(always)]
            fn maximum(a: $t, b: $t) -> $t { $t::from_f32(Math::maximum(a.to_f32(), b.to_f32())) }
            #[inline(always)]
            fn fmin(a: $t, b: $t) -> $t { $t::from_f32(Math::fmin(a.to_f32(), b.to_f32())) }
            #[inline(always)]
            fn fmax(a: $t, b: $t) -> $t { $t::from_f32(Math::fmax(a.to_f32(), b.to_f32())) }
        }
    )+};
}
ordered! { total: bool i8 i16 i32 i64 u8 u16 u32 u64 }
ordered! { float: f32 f64 }
ordered! { half: f16 bf16 }

/// Bitwise operations of `bool` and the integers.
pub trait BitsMath: Plain {
    /// Bitwise and.
    fn bitwise_and(a: Self, b: Self) -> Self;
    /// Bitwise or.
    fn bitwise_or(a: Self, b: Self) -> Self;
    /// Bitwise exclusive or.
    fn bitwise_xor(a: Self, b: Self) -> Self;
    /// Bitwise complement.
    fn bitwise_not(a: Self) -> Self;
}

macro_rules! bits {
    ($($t:ident)+) => {$(
        impl BitsMath for $t {
            #[inline(always)]
            fn bitwise_and(a: $t, b: $t) -> $t { a & b }
            #[inline(always)]
            fn bitwise_or(a: $t, b: $t) -> $t { a | b }
            #[inline(always)]
            fn bitwise_xor(a: $t, b: $t) -> $t { a ^ b }
            #[inline(always)]
            fn bitwise_not(a: $t) -> $t { !a }
        }
    )+};
}
bits! { bool i8 i16 i32 i64 u8 u16 u32 u64 }

/// Functions of the integers alone.
pub trait IntegerMath: Plain {
    /// `a << b`, 0 for a count out of range.
    fn left_shift(a: Self, b: Self) -> Self;
    /// `a >> b`, all sign bits for a count out of range.
    fn right_shift(a: Self, b: Self) -> Self;
    /// The number of ones in |a|.
    fn bitwise_count(a: Self) -> u8;
    /// The greatest common divisor.
    fn gcd(a: Self, b: Self) -> Self;
    /// The least common multiple, wrapping.
    fn lcm(a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($t:ident)+) => {$(
        impl IntegerMath for $t {
            #[inline(always)]
            fn left_shift(a: $t, b: $t) -> $t { IntMath::left_shift(a, b) }
            #[inline(always)]
            fn right_shift(a: $t, b: $t) -> $t { IntMath::right_shift(a, b) }
            #[inline(always)]
            fn bitwise_count(a: $t) -> u8 { IntMath::bitwise_count(a) }
            #[inline(always)]
            fn gcd(a: $t, b: $t) -> $t { IntMath::gcd(a, b) }
            #[inline(always)]
            fn lcm(a: $t, b: $t) -> $t { IntMath::lcm(a, b) }
        }
    )+};
}
integers! { i8 i16 i32 i64 u8 u16 u32 u64 }
