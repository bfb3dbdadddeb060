//! The trait of real functions: one list, from which the trait and both implementations come.

use super::{double, single};

macro_rules! real_math {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),+) -> $ret:ty;)+) => {
        /// Real functions of `f32` and `f64`, to be called as `Math::sin(x)`.
        ///
        /// Every function is right on its whole domain, and branch-free unless its line says
        /// otherwise. Three are right on a part only: `sin`, `cos` and `tan` of an argument for
        /// which `sin_rare`, `cos_rare` or `tan_rare` holds must be taken from `sin_full`,
        /// `cos_full` and `tan_full`, which branch and are right for all.
        pub trait Math: Copy {
            $($(#[$doc])* fn $name($($arg: $ty),+) -> $ret;)+
        }
        impl Math for f64 {
            $(#[inline(always)]
            fn $name($($arg: $ty),+) -> $ret { double::$name($($arg),+) })+
        }
        impl Math for f32 {
            $(#[inline(always)]
            fn $name($($arg: $ty),+) -> $ret { single::$name($($arg),+) })+
        }
    };
}

real_math! {
    /// e^x.
    exp(x: Self) -> Self;
    /// 2^x.
    exp2(x: Self) -> Self;
    /// 10^x.
    exp10(x: Self) -> Self;
    /// e^x - 1, precise near zero.
    exp_m1(x: Self) -> Self;
    /// The natural logarithm.
    ln(x: Self) -> Self;
    /// The logarithm to base 2.
    log2(x: Self) -> Self;
    /// The logarithm to base 10.
    log10(x: Self) -> Self;
    /// log(1 + x), precise near zero.
    ln_1p(x: Self) -> Self;
    /// log(e^x + e^y) without overflow; branches.
    logaddexp(x: Self, y: Self) -> Self;
    /// log2(2^x + 2^y) without overflow; branches.
    logaddexp2(x: Self, y: Self) -> Self;
    /// `logaddexp` without branches where `logaddexp_rare` is false.
    logaddexp_fast(x: Self, y: Self) -> Self;
    /// `logaddexp2` without branches where `logaddexp2_rare` is false.
    logaddexp2_fast(x: Self, y: Self) -> Self;
    /// Whether `logaddexp_fast` lost digits, as the result is near zero.
    logaddexp_rare(x: Self, y: Self) -> bool;
    /// Whether `logaddexp2_fast` lost digits, as the result is near zero.
    logaddexp2_rare(x: Self, y: Self) -> bool;
    /// The sine where `sin_rare` is false.
    sin(x: Self) -> Self;
    /// The cosine where `cos_rare` is false.
    cos(x: Self) -> Self;
    /// The tangent where `tan_rare` is false.
    tan(x: Self) -> Self;
    /// Whether `x` is too large for `sin`.
    sin_rare(x: Self) -> bool;
    /// Whether `x` is too large for `cos`.
    cos_rare(x: Self) -> bool;
    /// Whether `x` is too large for `tan`.
    tan_rare(x: Self) -> bool;
    /// The sine; branches.
    sin_full(x: Self) -> Self;
    /// The cosine; branches.
    cos_full(x: Self) -> Self;
    /// The tangent; branches.
    tan_full(x: Self) -> Self;
    /// sin(πx) / (πx), 1 at 0.
    sinc(x: Self) -> Self;
    /// The arc sine.
    asin(x: Self) -> Self;
    /// The arc cosine.
    acos(x: Self) -> Self;
    /// The arc tangent.
    atan(x: Self) -> Self;
    /// The angle of the point (x, y).
    atan2(y: Self, x: Self) -> Self;
    /// The hyperbolic sine.
    sinh(x: Self) -> Self;
    /// The hyperbolic cosine.
    cosh(x: Self) -> Self;
    /// The hyperbolic tangent.
    tanh(x: Self) -> Self;
    /// The inverse hyperbolic sine.
    asinh(x: Self) -> Self;
    /// The inverse hyperbolic cosine.
    acosh(x: Self) -> Self;
    /// The inverse hyperbolic tangent.
    atanh(x: Self) -> Self;
    /// x^y with C's and NumPy's rules: pow(x, 0) = pow(1, y) = 1.
    pow(x: Self, y: Self) -> Self;
    /// The square root.
    sqrt(x: Self) -> Self;
    /// The cube root.
    cbrt(x: Self) -> Self;
    /// sqrt(x² + y²) without overflow; infinite when either is.
    hypot(x: Self, y: Self) -> Self;
    /// The error function.
    erf(x: Self) -> Self;
    /// 1 - erf(x), precise for large x.
    erfc(x: Self) -> Self;
    /// The inverse of `erf`.
    erfinv(x: Self) -> Self;
    /// The inverse of `erfc`.
    erfcinv(x: Self) -> Self;
    /// The gamma function; branches.
    gamma(x: Self) -> Self;
    /// log |gamma(x)|; branches.
    lgamma(x: Self) -> Self;
    /// The Bessel function J0; branches.
    bessel_j0(x: Self) -> Self;
    /// The Bessel function J1; branches.
    bessel_j1(x: Self) -> Self;
    /// The Bessel function Y0; branches.
    bessel_y0(x: Self) -> Self;
    /// The Bessel function Y1; branches.
    bessel_y1(x: Self) -> Self;
    /// The modified Bessel function I0; branches.
    bessel_i0(x: Self) -> Self;
    /// The modified Bessel function I1; branches.
    bessel_i1(x: Self) -> Self;
    /// C's `fmod`: the remainder with the sign of `x`; calls the C library.
    fmod(x: Self, y: Self) -> Self;
    /// `fmod` without branches where `fmod_rare` is false.
    fmod_fast(x: Self, y: Self) -> Self;
    /// Whether the quotient is too large for `fmod_fast`.
    fmod_rare(x: Self, y: Self) -> bool;
    /// NumPy's `remainder`: the sign of `y`; calls the C library.
    remainder(x: Self, y: Self) -> Self;
    /// NumPy's `floor_divide`; calls the C library.
    floor_divide(x: Self, y: Self) -> Self;
    /// Rust's `div_euclid`; calls the C library.
    div_euclid(x: Self, y: Self) -> Self;
    /// Rust's `rem_euclid`; calls the C library.
    rem_euclid(x: Self, y: Self) -> Self;
    /// `remainder` without branches where `fmod_rare` is false.
    remainder_fast(x: Self, y: Self) -> Self;
    /// `floor_divide` without branches where `fmod_rare` is false.
    floor_divide_fast(x: Self, y: Self) -> Self;
    /// `div_euclid` without branches where `fmod_rare` is false.
    div_euclid_fast(x: Self, y: Self) -> Self;
    /// `rem_euclid` without branches where `fmod_rare` is false.
    rem_euclid_fast(x: Self, y: Self) -> Self;
    /// The magnitude of `x` with the sign of `y`.
    copysign(x: Self, y: Self) -> Self;
    /// The next number from `x` towards `y`.
    nextafter(x: Self, y: Self) -> Self;
    /// x·2^n, rounded once.
    ldexp(x: Self, n: i32) -> Self;
    /// The mantissa of C's `frexp`, in 0.5..1.
    frexp_mantissa(x: Self) -> Self;
    /// The exponent of C's `frexp`; 0 for 0, infinities and NaN.
    frexp_exponent(x: Self) -> i32;
    /// 0 below zero, 1 above, `y` at zero.
    heaviside(x: Self, y: Self) -> Self;
    /// To the nearest integer, halves to even.
    rint(x: Self) -> Self;
    /// To the nearest integer, halves away from zero.
    round(x: Self) -> Self;
    /// The integer part.
    trunc(x: Self) -> Self;
    /// The largest integer not above `x`.
    floor(x: Self) -> Self;
    /// The smallest integer not below `x`.
    ceil(x: Self) -> Self;
    /// The smaller number; a NaN gives way to the other.
    fmin(x: Self, y: Self) -> Self;
    /// The larger number; a NaN gives way to the other.
    fmax(x: Self, y: Self) -> Self;
    /// The smaller number, or NaN where either is NaN.
    minimum(x: Self, y: Self) -> Self;
    /// The larger number, or NaN where either is NaN.
    maximum(x: Self, y: Self) -> Self;
    /// The absolute value.
    abs(x: Self) -> Self;
    /// -1, 0 or 1; NaN stays.
    sign(x: Self) -> Self;
    /// 1 / x.
    reciprocal(x: Self) -> Self;
    /// x².
    square(x: Self) -> Self;
    /// Radians to degrees.
    degrees(x: Self) -> Self;
    /// Degrees to radians.
    radians(x: Self) -> Self;
    /// Whether the sign bit is set.
    signbit(x: Self) -> bool;
    /// Whether `x` is NaN.
    is_nan(x: Self) -> bool;
    /// Whether `x` is infinite.
    is_inf(x: Self) -> bool;
    /// Whether `x` is neither infinite nor NaN.
    is_finite(x: Self) -> bool;
}
