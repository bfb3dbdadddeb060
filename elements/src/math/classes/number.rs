//! Arithmetic of every type but `bool`.

use crate::dtype::{Plain, halves_mul_add};
use crate::math::{IntMath, Math, complex};
use half::{bf16, f16};
use num_complex::Complex;

/// Arithmetic; integers wrap, and their division by zero gives 0.
pub trait NumberMath: Plain {
    /// a + b.
    fn add(a: Self, b: Self) -> Self;
    /// a - b.
    fn subtract(a: Self, b: Self) -> Self;
    /// a·b.
    fn multiply(a: Self, b: Self) -> Self;
    /// a / b; integers truncate.
    fn divide(a: Self, b: Self) -> Self;
    /// a^b.
    fn power(a: Self, b: Self) -> Self;
    /// |a|.
    fn abs(a: Self) -> Self::Part;
    /// -1, 0 or 1; z / |z| for complex numbers.
    fn sign(a: Self) -> Self;
    /// a².
    fn square(a: Self) -> Self;
    /// 1 / a.
    fn reciprocal(a: Self) -> Self;
    /// a·b + c, rounded once for real floats.
    fn mul_add(a: Self, b: Self, c: Self) -> Self;
}

/// Remainders and the quotients that go with them.
///
/// Each has a fast form without branches, which is right where `fmod_rare` is false; for integers
/// it is the function itself.
pub trait RealMath: Plain {
    /// The remainder with the sign of the dividend.
    fn fmod(a: Self, b: Self) -> Self;
    /// The quotient rounded down.
    fn floor_divide(a: Self, b: Self) -> Self;
    /// The remainder with the sign of the divisor.
    fn remainder(a: Self, b: Self) -> Self;
    /// The quotient that leaves a remainder of at least 0.
    fn div_euclid(a: Self, b: Self) -> Self;
    /// The remainder of at least 0.
    fn rem_euclid(a: Self, b: Self) -> Self;
    /// The fast form of `fmod`.
    fn fmod_fast(a: Self, b: Self) -> Self;
    /// The fast form of `floor_divide`.
    fn floor_divide_fast(a: Self, b: Self) -> Self;
    /// The fast form of `remainder`.
    fn remainder_fast(a: Self, b: Self) -> Self;
    /// The fast form of `div_euclid`.
    fn div_euclid_fast(a: Self, b: Self) -> Self;
    /// The fast form of `rem_euclid`.
    fn rem_euclid_fast(a: Self, b: Self) -> Self;
    /// Whether the quotient is too large for the fast forms.
    fn fmod_rare(a: Self, b: Self) -> bool;
}

/// Negation.
pub trait SignedMath: Plain {
    /// -a; integers wrap.
    fn negative(a: Self) -> Self;
}

/// `RealMath` through the functions of `$via`, after and before a conversion; the list pairs each
/// name with the function that it stands for.
macro_rules! remainders {
    (integer $t:ident) => {
        remainders!(@each $t, IntMath, |x| x, |x| x, |_x, _y| false; fmod fmod,
            floor_divide floor_divide, remainder remainder, div_euclid div_euclid,
            rem_euclid rem_euclid, fmod_fast fmod, floor_divide_fast floor_divide,
            remainder_fast remainder, div_euclid_fast div_euclid, rem_euclid_fast rem_euclid,);
    };
    (float $t:ident, |$x:ident| $to:expr, |$y:ident| $from:expr) => {
        remainders!(@each $t, Math, |$x| $to, |$y| $from, |a, b| Math::fmod_rare(a, b); fmod fmod,
            floor_divide floor_divide, remainder remainder, div_euclid div_euclid,
            rem_euclid rem_euclid, fmod_fast fmod_fast, floor_divide_fast floor_divide_fast,
            remainder_fast remainder_fast, div_euclid_fast div_euclid_fast,
            rem_euclid_fast rem_euclid_fast,);
    };
    (@each $t:ident, $via:ident, |$x:ident| $to:expr, |$y:ident| $from:expr,
        |$p:ident, $q:ident| $rare:expr; $($name:ident $of:ident,)+) => {
        impl RealMath for $t {
            $(#[inline(always)]
            fn $name(a: $t, b: $t) -> $t {
                let (a, b) = ({ let $x = a; $to }, { let $x = b; $to });
                let $y = $via::$of(a, b);
                $from
            })+
            #[inline(always)]
            fn fmod_rare(a: $t, b: $t) -> bool {
                let ($p, $q) = ({ let $x = a; $to }, { let $x = b; $to });
                $rare
            }
        }
    };
}

macro_rules! integers {
    ($($t:ident)+) => {$(
        impl NumberMath for $t {
            #[inline(always)]
            fn add(a: $t, b: $t) -> $t { a.wrapping_add(b) }
            #[inline(always)]
            fn subtract(a: $t, b: $t) -> $t { a.wrapping_sub(b) }
            #[inline(always)]
            fn multiply(a: $t, b: $t) -> $t { a.wrapping_mul(b) }
            #[inline(always)]
            fn divide(a: $t, b: $t) -> $t { IntMath::divide(a, b) }
            #[inline(always)]
            fn power(a: $t, b: $t) -> $t { IntMath::power(a, b) }
            #[inline(always)]
            fn abs(a: $t) -> $t { IntMath::abs(a) }
            #[inline(always)]
            fn sign(a: $t) -> $t { IntMath::sign(a) }
            #[inline(always)]
            fn square(a: $t) -> $t { a.wrapping_mul(a) }
            #[inline(always)]
            fn reciprocal(a: $t) -> $t { IntMath::reciprocal(a) }
            #[inline(always)]
            fn mul_add(a: $t, b: $t, c: $t) -> $t { a.wrapping_mul(b).wrapping_add(c) }
        }
        remainders!(integer $t);
    )+};
}

macro_rules! floats {
    ($($t:ident)+) => {$(
        impl NumberMath for $t {
            #[inline(always)]
            fn add(a: $t, b: $t) -> $t { a + b }
            #[inline(always)]
            fn subtract(a: $t, b: $t) -> $t { a - b }
            #[inline(always)]
            fn multiply(a: $t, b: $t) -> $t { a * b }
            #[inline(always)]
            fn divide(a: $t, b: $t) -> $t { a / b }
            #[inline(always)]
            fn power(a: $t, b: $t) -> $t { Math::pow(a, b) }
            #[inline(always)]
            fn abs(a: $t) -> $t { Math::abs(a) }
            #[inline(always)]
            fn sign(a: $t) -> $t { Math::sign(a) }
            #[inline(always)]
            fn square(a: $t) -> $t { a * a }
            #[inline(always)]
            fn reciprocal(a: $t) -> $t { 1.0 / a }
            #[inline(always)]
            fn mul_add(a: $t, b: $t, c: $t) -> $t { a.mul_add(b, c) }
        }
        remainders!(float $t, |x| x, |x| x);
    )+};
}

/// Halves go through `f32`, which has enough digits for two roundings to give what one would; for
/// `mul_add` it has not.
macro_rules! halves {
    ($($t:ident)+) => {$(
        impl NumberMath for $t {
            halves!(@each $t; add(a, b) subtract(a, b) multiply(a, b) divide(a, b) power(a, b)
                abs(a) sign(a) square(a) reciprocal(a));
            #[inline(always)]
            fn mul_add(a: $t, b: $t, c: $t) -> $t {
                $t::from_f32(halves_mul_add(a.to_f32(), b.to_f32(), c.to_f32()))
            }
        }
        remainders!(float $t, |x| x.to_f32(), |x| $t::from_f32(x));
    )+};
    (@each $t:ident; $($name:ident($($a:ident),+))+) => {
        $(
            #[inline(always)]
            fn $name($($a: $t),+) -> $t {
                $t::from_f32(<f32 as NumberMath>::$name($($a.to_f32()),+))
            }
        )+
    };
}

/// Rounds both parts to the component type.
macro_rules! narrow {
    ($part:ident, $z:expr) => {{
        let z = $z;
        Complex::new(z.re as $part, z.im as $part)
    }};
}
pub(super) use narrow;

macro_rules! complexes {
    ($($part:ident)+) => {$(
        impl NumberMath for Complex<$part> {
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self { Complex::new(a.re + b.re, a.im + b.im) }
            #[inline(always)]
            fn subtract(a: Self, b: Self) -> Self { Complex::new(a.re - b.re, a.im - b.im) }
            #[inline(always)]
            fn multiply(a: Self, b: Self) -> Self {
                Complex::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
            }
            #[inline(always)]
            fn divide(a: Self, b: Self) -> Self { narrow!($part, complex::div(widen(a), widen(b))) }
            #[inline(always)]
            fn power(a: Self, b: Self) -> Self { narrow!($part, complex::pow(widen(a), widen(b))) }
            #[inline(always)]
            fn abs(a: Self) -> $part { Math::hypot(a.re, a.im) }
            #[inline(always)]
            fn sign(a: Self) -> Self { narrow!($part, complex::sign(widen(a))) }
            #[inline(always)]
            fn square(a: Self) -> Self { Self::multiply(a, a) }
            #[inline(always)]
            fn reciprocal(a: Self) -> Self { narrow!($part, complex::reciprocal(widen(a))) }
            #[inline(always)]
            fn mul_add(a: Self, b: Self, c: Self) -> Self { Self::add(Self::multiply(a, b), c) }
        }

        impl SignedMath for Complex<$part> {
            #[inline(always)]
            fn negative(a: Self) -> Self { Complex::new(-a.re, -a.im) }
        }
    )+};
}

/// The number in double precision, where complex functions are computed.
#[inline(always)]
pub(super) fn widen<T: Into<f64>>(z: Complex<T>) -> Complex<f64> {
    Complex::new(z.re.into(), z.im.into())
}

macro_rules! signed {
    ($($t:ident: |$a:ident| $e:expr,)+) => {$(
        impl SignedMath for $t {
            #[inline(always)]
            fn negative($a: $t) -> $t { $e }
        }
    )+};
}

integers! { i8 i16 i32 i64 u8 u16 u32 u64 }
floats! { f32 f64 }
halves! { f16 bf16 }
complexes! { f32 f64 }
signed! {
    i8: |a| a.wrapping_neg(), i16: |a| a.wrapping_neg(), i32: |a| a.wrapping_neg(),
    i64: |a| a.wrapping_neg(), f16: |a| -a, bf16: |a| -a, f32: |a| -a, f64: |a| -a,
}
