//! Functions of the real floating-point types alone.

use crate::dtype::Rounded;
use crate::math::Math;
use half::{bf16, f16};

/// Makes the trait and its implementations from one list.
macro_rules! float_math {
    ($($(#[$doc:meta])* $name:ident($($a:ident),+);)+) => {
        /// Functions of the real floating-point types.
        pub trait FloatMath: Rounded {
            $($(#[$doc])* fn $name($($a: Self),+) -> Self;)+
            /// The next number from `a` towards `b`.
            fn nextafter(a: Self, b: Self) -> Self;
            /// a·2^n, rounded once.
            fn ldexp(a: Self, n: i32) -> Self;
            /// The mantissa of C's `frexp`.
            fn frexp_mantissa(a: Self) -> Self;
            /// The exponent of C's `frexp`.
            fn frexp_exponent(a: Self) -> i32;
            /// Whether `logaddexp_fast` lost digits, as the result is near zero.
            fn logaddexp_rare(a: Self, b: Self) -> bool;
            /// Whether `logaddexp2_fast` lost digits, as the result is near zero.
            fn logaddexp2_rare(a: Self, b: Self) -> bool;
            /// Whether `a` is positive infinity.
            fn is_pos_inf(a: Self) -> bool;
            /// Whether `a` is negative infinity.
            fn is_neg_inf(a: Self) -> bool;
            /// Whether the sign bit is set.
            fn signbit(a: Self) -> bool;
        }
        float_math!(@native f32; $($name($($a),+))+);
        float_math!(@native f64; $($name($($a),+))+);
        float_math!(@half f16; $($name($($a),+))+);
        float_math!(@half bf16; $($name($($a),+))+);
    };
    (@native $t:ident; $($name:ident($($a:ident),+))+) => {
        impl FloatMath for $t {
            $(#[inline(always)]
            fn $name($($a: $t),+) -> $t { Math::$name($($a),+) })+
            #[inline(always)]
            fn nextafter(a: $t, b: $t) -> $t { Math::nextafter(a, b) }
            #[inline(always)]
            fn ldexp(a: $t, n: i32) -> $t { Math::ldexp(a, n) }
            #[inline(always)]
            fn frexp_mantissa(a: $t) -> $t { Math::frexp_mantissa(a) }
            #[inline(always)]
            fn frexp_exponent(a: $t) -> i32 { Math::frexp_exponent(a) }
            #[inline(always)]
            fn logaddexp_rare(a: $t, b: $t) -> bool { Math::logaddexp_rare(a, b) }
            #[inline(always)]
            fn logaddexp2_rare(a: $t, b: $t) -> bool { Math::logaddexp2_rare(a, b) }
            float_math!(@tests $t);
        }
    };
    (@half $t:ident; $($name:ident($($a:ident),+))+) => {
        impl FloatMath for $t {
            $(#[inline(always)]
            fn $name($($a: $t),+) -> $t { $t::from_f32(Math::$name($($a.to_f32()),+)) })+
            #[inline(always)]
            fn nextafter(a: $t, b: $t) -> $t {
                const SIGN: u16 = 0x8000;
                let (bits, up) = (a.to_bits(), (b > a) == (a > $t::ZERO));
                let step = if up { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
                let step = if a == $t::ZERO { (b.to_bits() & SIGN) | 1 } else { step };
                let r = if a == b { b } else { $t::from_bits(step) };
                if a.is_nan() || b.is_nan() { $t::NAN } else { r }
            }
            #[inline(always)]
            fn ldexp(a: $t, n: i32) -> $t { <$t as Rounded>::rounded(Math::ldexp(a.to_f64(), n)) }
            #[inline(always)]
            fn frexp_mantissa(a: $t) -> $t { $t::from_f32(Math::frexp_mantissa(a.to_f32())) }
            #[inline(always)]
            fn frexp_exponent(a: $t) -> i32 { Math::frexp_exponent(a.to_f32()) }
            #[inline(always)]
            fn logaddexp_rare(a: $t, b: $t) -> bool { Math::logaddexp_rare(a.to_f32(), b.to_f32()) }
            #[inline(always)]
            fn logaddexp2_rare(a: $t, b: $t) -> bool { Math::logaddexp2_rare(a.to_f32(), b.to_f32()) }
            float_math!(@tests $t);
        }
    };
    (@tests $t:ident) => {
        #[inline(always)]
        fn is_pos_inf(a: $t) -> bool { a == $t::INFINITY }
        #[inline(always)]
        fn is_neg_inf(a: $t) -> bool { a == $t::NEG_INFINITY }
        #[inline(always)]
        fn signbit(a: $t) -> bool { a.is_sign_negative() }
    };
}

float_math! {
    /// The cube root.
    cbrt(a);
    /// 2^a.
    exp2(a);
    /// 10^a.
    exp10(a);
    /// e^a - 1.
    exp_m1(a);
    /// log(1 + a).
    ln_1p(a);
    /// log(e^a + e^b).
    logaddexp(a, b);
    /// log2(2^a + 2^b).
    logaddexp2(a, b);
    /// The first where `logaddexp_rare` is false.
    logaddexp_fast(a, b);
    /// The second where `logaddexp2_rare` is false.
    logaddexp2_fast(a, b);
    /// The angle of the point (b, a).
    atan2(a, b);
    /// sqrt(a² + b²).
    hypot(a, b);
    /// Radians to degrees.
    degrees(a);
    /// Degrees to radians.
    radians(a);
    /// sin(πa) / (πa).
    sinc(a);
    /// The error function.
    erf(a);
    /// The complementary error function.
    erfc(a);
    /// The inverse of `erf`.
    erfinv(a);
    /// The inverse of `erfc`.
    erfcinv(a);
    /// The gamma function.
    gamma(a);
    /// log |gamma(a)|.
    lgamma(a);
    /// The Bessel function J0.
    bessel_j0(a);
    /// The Bessel function J1.
    bessel_j1(a);
    /// The Bessel function Y0.
    bessel_y0(a);
    /// The Bessel function Y1.
    bessel_y1(a);
    /// The modified Bessel function I0.
    bessel_i0(a);
    /// The modified Bessel function I1.
    bessel_i1(a);
    /// The largest integer not above.
    floor(a);
    /// The smallest integer not below.
    ceil(a);
    /// The integer part.
    trunc(a);
    /// The nearest integer, ties to even.
    rint(a);
    /// The nearest integer, ties away from zero.
    round(a);
    /// The magnitude of `a` with the sign of `b`.
    copysign(a, b);
    /// The step function, `b` at zero.
    heaviside(a, b);
}
