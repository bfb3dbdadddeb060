//! Functions of the real and complex floating-point types.

use super::number::{narrow, widen};
use crate::dtype::Plain;
use crate::math::{Math, complex};
use half::{bf16, f16};
use num_complex::Complex;

/// Makes the trait and its implementations from one list.
macro_rules! inexact_math {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        /// Functions of the real and complex floating-point types.
        ///
        /// `sin`, `cos` and `tan` are right for every argument, and branch. A vector loop takes
        /// the branch-free `sin_fast` and repairs with `sin` the lanes where `sin_rare` holds.
        pub trait InexactMath: Plain {
            $($(#[$doc])* fn $name(a: Self) -> Self;)+
            /// The sine; branches.
            fn sin(a: Self) -> Self;
            /// The cosine; branches.
            fn cos(a: Self) -> Self;
            /// The tangent; branches.
            fn tan(a: Self) -> Self;
            /// The sine where `sin_rare` is false.
            fn sin_fast(a: Self) -> Self;
            /// The cosine where `cos_rare` is false.
            fn cos_fast(a: Self) -> Self;
            /// The tangent where `tan_rare` is false.
            fn tan_fast(a: Self) -> Self;
            /// Whether the argument is too large for `sin_fast`.
            fn sin_rare(a: Self) -> bool;
            /// Whether the argument is too large for `cos_fast`.
            fn cos_rare(a: Self) -> bool;
            /// Whether the argument is too large for `tan_fast`.
            fn tan_rare(a: Self) -> bool;
            /// Whether a part is NaN.
            fn is_nan(a: Self) -> bool;
            /// Whether a part is infinite.
            fn is_inf(a: Self) -> bool;
            /// Whether no part is infinite or NaN.
            fn is_finite(a: Self) -> bool;
            /// The complex conjugate.
            fn conj(a: Self) -> Self;
            /// The real part.
            fn real(a: Self) -> Self::Part;
            /// The imaginary part.
            fn imag(a: Self) -> Self::Part;
            /// The angle in radians.
            fn angle(a: Self) -> Self::Part;
        }
        inexact_math!(@real f32, f32, |x| x, |x| x; $($name)+);
        inexact_math!(@real f64, f64, |x| x, |x| x; $($name)+);
        inexact_math!(@real f16, f32, |x| x.to_f32(), |x| f16::from_f32(x); $($name)+);
        inexact_math!(@real bf16, f32, |x| x.to_f32(), |x| bf16::from_f32(x); $($name)+);
        inexact_math!(@complex f32; $($name)+);
        inexact_math!(@complex f64; $($name)+);
    };
    (@real $t:ident, $via:ident, |$x:ident| $to:expr, |$y:ident| $from:expr; $($name:ident)+) => {
        impl InexactMath for $t {
            $(inexact_math!(@one $t, $name, $name, |$x| $to, |$y| $from);)+
            inexact_math!(@one $t, sin, sin_full, |$x| $to, |$y| $from);
            inexact_math!(@one $t, cos, cos_full, |$x| $to, |$y| $from);
            inexact_math!(@one $t, tan, tan_full, |$x| $to, |$y| $from);
            inexact_math!(@one $t, sin_fast, sin, |$x| $to, |$y| $from);
            inexact_math!(@one $t, cos_fast, cos, |$x| $to, |$y| $from);
            inexact_math!(@one $t, tan_fast, tan, |$x| $to, |$y| $from);
            #[inline(always)]
            fn sin_rare($x: $t) -> bool { Math::sin_rare($to) }
            #[inline(always)]
            fn cos_rare($x: $t) -> bool { Math::cos_rare($to) }
            #[inline(always)]
            fn tan_rare($x: $t) -> bool { Math::tan_rare($to) }
            #[inline(always)]
            fn is_nan(a: $t) -> bool { a.is_nan() }
            #[inline(always)]
            fn is_inf(a: $t) -> bool { a.is_infinite() }
            #[inline(always)]
            fn is_finite(a: $t) -> bool { a.is_finite() }
            #[inline(always)]
            fn conj(a: $t) -> $t { a }
            #[inline(always)]
            fn real(a: $t) -> $t { a }
            #[inline(always)]
            fn imag(_: $t) -> $t { <$t as num_traits::Zero>::zero() }
            #[inline(always)]
            fn angle($x: $t) -> $t {
                let a: $via = $to;
                let turned = if a.is_sign_negative() { std::$via::consts::PI } else { 0.0 };
                let $y = if a.is_nan() { a } else { turned };
                $from
            }
        }
    };
    (@one $t:ident, $name:ident, $math:ident, |$x:ident| $to:expr, |$y:ident| $from:expr) => {
        #[inline(always)]
        fn $name($x: $t) -> $t {
            let $y = Math::$math($to);
            $from
        }
    };
    (@complex $part:ident; $($name:ident)+) => {
        impl InexactMath for Complex<$part> {
            $(#[inline(always)]
            fn $name(a: Self) -> Self { narrow!($part, complex::$name(widen(a))) })+
            #[inline(always)]
            fn sin(a: Self) -> Self { narrow!($part, complex::sin(widen(a))) }
            #[inline(always)]
            fn cos(a: Self) -> Self { narrow!($part, complex::cos(widen(a))) }
            #[inline(always)]
            fn tan(a: Self) -> Self { narrow!($part, complex::tan(widen(a))) }
            // By the trait's name: `Self::sin` would be the type's own, of another library.
            #[inline(always)]
            fn sin_fast(a: Self) -> Self { <Self as InexactMath>::sin(a) }
            #[inline(always)]
            fn cos_fast(a: Self) -> Self { <Self as InexactMath>::cos(a) }
            #[inline(always)]
            fn tan_fast(a: Self) -> Self { <Self as InexactMath>::tan(a) }
            #[inline(always)]
            fn sin_rare(_: Self) -> bool { false }
            #[inline(always)]
            fn cos_rare(_: Self) -> bool { false }
            #[inline(always)]
            fn tan_rare(_: Self) -> bool { false }
            #[inline(always)]
            fn is_nan(a: Self) -> bool { a.re.is_nan() || a.im.is_nan() }
            #[inline(always)]
            fn is_inf(a: Self) -> bool { a.re.is_infinite() || a.im.is_infinite() }
            #[inline(always)]
            fn is_finite(a: Self) -> bool { a.re.is_finite() && a.im.is_finite() }
            #[inline(always)]
            fn conj(a: Self) -> Self { Complex::new(a.re, -a.im) }
            #[inline(always)]
            fn real(a: Self) -> $part { a.re }
            #[inline(always)]
            fn imag(a: Self) -> $part { a.im }
            #[inline(always)]
            fn angle(a: Self) -> $part { Math::atan2(a.im, a.re) }
        }
    };
}

inexact_math! {
    /// The square root.
    sqrt;
    /// e^a.
    exp;
    /// The natural logarithm.
    ln;
    /// The logarithm to base 2.
    log2;
    /// The logarithm to base 10.
    log10;
    /// The arc sine.
    asin;
    /// The arc cosine.
    acos;
    /// The arc tangent.
    atan;
    /// The hyperbolic sine.
    sinh;
    /// The hyperbolic cosine.
    cosh;
    /// The hyperbolic tangent.
    tanh;
    /// The inverse hyperbolic sine.
    asinh;
    /// The inverse hyperbolic cosine.
    acosh;
    /// The inverse hyperbolic tangent.
    atanh;
}

/// The types that are parts of a complex number.
pub trait ComponentMath: Plain {
    /// The complex type of these parts.
    type Complex: Plain;
    /// The complex number a + ib.
    fn to_complex(a: Self, b: Self) -> Self::Complex;
}

macro_rules! components {
    ($($t:ident)+) => {$(
        impl ComponentMath for $t {
            type Complex = Complex<$t>;
            #[inline(always)]
            fn to_complex(a: $t, b: $t) -> Complex<$t> { Complex::new(a, b) }
        }
    )+};
}
components! { f32 f64 }
