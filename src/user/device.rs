//! The language of device code: what functions with [`#[device]`](macro@crate::device),
//! [`#[vectorize]`](macro@crate::vectorize) and [`#[reduce]`](macro@crate::reduce) are written in.
//!
//! It is a part of Rust, and means on the device what it means in Rust.
//!
//! **Values.** `bool`, the integers from 8 to 64 bits and `usize`, `f32`, `f64`, [`f16`](struct@f16) and
//! [`bf16`], [`Complex`] of `f32` and `f64`; tuples and arrays of constant size of those, which
//! live in registers; structs of numbers with [`#[derive(Columns)]`](trait@Columns). No references,
//! nothing that allocates.
//!
//! **Statements.** `let` and `let mut` with names, `_`, tuples and structs of them (`Point { x, .. }`), shadowing, assignment
//! to variables, their fields and elements, `if`, `match` on numbers and tuples of them (literals,
//! ranges, `|`, guards, bindings), `if let` and `matches!` with such patterns, `while`, `loop`,
//! `for` over a range (with `.rev()` and `.step_by(n)`), over an array (`v`, `&v`, `v.iter()`) or over
//! what `.enumerate()`, `.zip(…)` and `.rev()` make of these (`for (i, &a) in v.iter().enumerate()`),
//! `v.swap(i, j)`, `break` with values and labels, `continue`, early `return`; blocks, `if`,
//! `match` and `loop` are expressions. `const` and `use` may stand at the top of a body.
//! `debug_assert!` and its kin are checked on the processor, in builds with debug assertions.
//!
//! **Expressions.** Arithmetic, comparisons, logic, bits, shifts, casts with `as`, constants
//! (`std::f64::consts::PI`, `T::EPSILON`, a `const` or `static` of the program, whose value is taken
//! when the function is first used), the length `v.len()` of an array, calls of other `#[device]`
//! functions, and these methods:
//!
//! - of floating-point and complex numbers: `exp`, `ln`, `log`, `log2`, `log10`, `sqrt`, `powi`,
//!   `powf`, `powc`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `sinh`, `cosh`, `tanh`, `asinh`,
//!   `acosh`, `atanh`, `is_nan`, `is_infinite`, `is_finite`;
//! - of floating-point numbers: `exp2`, `exp_m1`, `ln_1p`, `cbrt`, `hypot`, `atan2`, `sin_cos`,
//!   `to_degrees`, `to_radians`, `floor`, `ceil`, `trunc`, `round`, `round_ties_even`, `fract`,
//!   `abs`, `signum`, `copysign`, `mul_add`, `recip`, `min`, `max`, `clamp`, `rem_euclid`,
//!   `div_euclid`, `to_bits`, `from_bits`, `is_sign_negative`, `is_sign_positive`; those that
//!   [`Float`] adds, such as `erf`, `gamma`, `ldexp`, `frexp` and `modf`, and those of
//!   [`Formulas`](crate::special::device::Formulas), such as `xlogy` and `softsign`;
//! - of integers: `abs`, `min`, `max`, `clamp`, `signum`, `pow`, `rem_euclid`, `div_euclid`,
//!   `abs_diff`, `unsigned_abs`, `div_ceil`, `is_multiple_of`, `isqrt`, `ilog2`, `count_ones`,
//!   `count_zeros`, `leading_zeros`, `leading_ones`, `trailing_zeros`, `trailing_ones`,
//!   `rotate_left`, `rotate_right`, `swap_bytes`, `reverse_bits`, `is_power_of_two`,
//!   `next_power_of_two`, `is_positive`, `is_negative`, the `wrapping_` methods, `saturating_add`,
//!   `saturating_sub`, `saturating_mul`;
//! - of complex numbers: `Complex::new`, `.re`, `.im`, `norm`, `norm_sqr`, `l1_norm`, `arg`,
//!   `conj`, `inv`, `scale`, `unscale`, `to_polar`, `Complex::from_polar`.
//!
//! **Arrays.** A `#[device]` function with a parameter of the types
//! [`Array`](crate::gpu::Array), [`ArrayMut`](crate::gpu::ArrayMut) or [`Shared`](crate::gpu::Shared) is for
//! [kernels](macro@crate::kernel#functions-over-arrays); one with a view of ndarray's or a slice is for
//! [gufuncs](macro@crate::guvectorize#functions-over-arrays).
//!
//! **Calls.** What is called has `#[device]`, or another attribute of these, itself. The call of a
//! plain function fails with «error E0573: expected type, found function»: the attribute makes a
//! type of the function's name, which holds its device code, and there is none. Functions of the
//! standard library have none either; write the method, `a.max(b)` instead of
//! `std::cmp::max(a, b)`.
//!
//! **Generics.** A function may be generic over numbers: `fn f<T: Float>(x: T) -> T`, with any
//! traits as bounds whose methods have the names above; it is compiled once for each choice of
//! types. `T::from_f64(0.5)` makes a constant of the type.
//!
//! **Types of literals** are rustc's: what an integer or a float without suffix is, is read off
//! the program as rustc has inferred it.
//!
//! **Where a device differs.** Overflow of integers wraps, as it does in a release build, and a
//! shift takes its count modulo the width. What would panic in Rust cannot panic on a device:
//! integer division by zero gives 0 (and so does the logarithm of zero or the root of a negative
//! integer), and an index outside of an array is undefined. On the
//! processor a panic of the function ends the evaluation with an error
//! ([`Error::is_panic`](crate::Error::is_panic)) that names the function, the element and the line,
//! and leaves every array as it was. There is one exception: elements run through a function with
//! loops together, and whether whole numbers overflow in one is found in builds with debug
//! assertions only, even where overflow checks are on. The hook of the program's panics
//! (`std::panic::set_hook`) is not told of such a panic. `f32` and `f64` functions differ from
//! the standard library's by rounding.
//!
//! **Locals.** On the processor a function with arrays among its locals has a stack of 1 GiB, and
//! a thread of a kernel one of 64 MiB, of which only what is touched takes memory; under a limit
//! of the address space they are smaller. A function that needs more ends the process. A thread of
//! a GPU has 512 KiB at most.
//!
//! # Example
//! ```
//! use lazuli::prelude::*;
//!
//! /// The normal distribution's density.
//! #[device]
//! fn density<T: Float>(x: T) -> T {
//!     (T::from_f64(-0.5) * x * x).exp() / (T::TAU).sqrt()
//! }
//!
//! #[vectorize]
//! fn score(x: f64, mean: f64, sigma: f64) -> (f64, bool) {
//!     let z = (x - mean) / sigma;
//!     if z.is_nan() {
//!         return (0.0, false);
//!     }
//!     (density(z) / sigma, z.abs() < 3.0)
//! }
//!
//! let x = DeviceArray::<f64>::linspace(-4.0, 4.0, 9);
//! let (p, inside) = score::call(&x, 0.0, 1.0);
//! assert_eq!(inside.to_vec()?[..2], [false, false]);
//! assert!((p.to_vec()?[4] - score(0.0, 0.0, 1.0).0).abs() < 1e-15);
//! # Ok::<(), Error>(())
//! ```

pub use super::columns::Columns;
pub use super::types::{DeviceScalar, DeviceType};
#[doc(no_inline)]
pub use crate::dtype::{Complex, bf16, f16};

use crate::dtype::{Floating, halves_mul_add};
use crate::math::FloatMath;
use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

macro_rules! float {
    (constants { $($(#[$cdoc:meta])* $constant:ident;)* }
     unary { $($(#[$udoc:meta])* $unary:ident;)* }
     binary { $($(#[$bdoc:meta])* $binary:ident;)* }
     special { $($(#[$sdoc:meta])* $special:ident;)* }
     tests { $($(#[$tdoc:meta])* $test:ident;)* }) => {
        /// The real floating-point types with their mathematics: the bound for generic functions.
        ///
        /// Implemented for `f32`, `f64`, [`f16`](struct@f16) and [`bf16`]; the halves compute in `f32` and round.
        ///
        /// # Example
        /// ```
        /// use lazuli::prelude::*;
        ///
        /// #[vectorize]
        /// fn logistic<T: Float>(x: T) -> T {
        ///     T::ONE / (T::ONE + (-x).exp())
        /// }
        ///
        /// let x = DeviceArray::from_slice(&[0.0f32, 100.0])?;
        /// assert_eq!(logistic::call(&x).to_vec()?, [0.5, 1.0]);
        /// assert_eq!(logistic(0.0f64), 0.5);
        /// # Ok::<(), Error>(())
        /// ```
        pub trait Float:
            Floating
            + DeviceScalar
            + Add<Output = Self>
            + Sub<Output = Self>
            + Mul<Output = Self>
            + Div<Output = Self>
            + Rem<Output = Self>
            + Neg<Output = Self>
            + AddAssign
            + SubAssign
            + MulAssign
            + DivAssign
            + RemAssign
        {
            $($(#[$cdoc])* const $constant: Self;)*
            $($(#[$udoc])* fn $unary(self) -> Self;)*
            $($(#[$bdoc])* fn $binary(self, other: Self) -> Self;)*
            $($(#[$sdoc])* fn $special(self) -> Self;)*
            $($(#[$tdoc])* fn $test(self) -> bool;)*
            /// The power with a whole exponent.
            fn powi(self, n: i32) -> Self;
            /// `self * a + b`, rounded once.
            fn mul_add(self, a: Self, b: Self) -> Self;
            /// The value held between two others.
            fn clamp(self, low: Self, high: Self) -> Self;
            /// The sine and the cosine.
            fn sin_cos(self) -> (Self, Self);
            /// The value times 2 to the power of `n`, rounded once. C: `ldexp`.
            fn ldexp(self, n: i32) -> Self;
            /// The mantissa, from 0.5 to 1 in magnitude, and the power of 2 that it is to be
            /// multiplied by; zeros, infinities and NaN with 0. C: `frexp`.
            fn frexp(self) -> (Self, i32);
            /// The part behind the point and the whole part, both with the sign of the value. C:
            /// `modf`.
            #[inline]
            fn modf(self) -> (Self, Self) {
                let whole = self.trunc();
                let part = if self.is_infinite() { Self::from_f64(0.0) } else { self - whole };
                (part.copysign(self), whole)
            }
        }
        float!(@native f32; $($constant)*; $($unary)*; $($binary)*; $($special)*; $($test)*);
        float!(@native f64; $($constant)*; $($unary)*; $($binary)*; $($special)*; $($test)*);
        float!(@half f16; $($constant)*; $($unary)*; $($binary)*; $($special)*; $($test)*);
        float!(@half bf16; $($constant)*; $($unary)*; $($binary)*; $($special)*; $($test)*);
    };
    (@native $t:ident; $($constant:ident)*; $($unary:ident)*; $($binary:ident)*;
     $($special:ident)*; $($test:ident)*) => {
        impl Float for $t {
            $(const $constant: $t = float!(@constant $t $constant);)*
            $(#[inline]
            fn $unary(self) -> $t { $t::$unary(self) })*
            $(#[inline]
            fn $binary(self, other: $t) -> $t { $t::$binary(self, other) })*
            $(#[inline]
            fn $special(self) -> $t { <$t as FloatMath>::$special(self) })*
            $(#[inline]
            fn $test(self) -> bool { $t::$test(self) })*
            #[inline]
            fn powi(self, n: i32) -> $t { $t::powi(self, n) }
            #[inline]
            fn mul_add(self, a: $t, b: $t) -> $t { $t::mul_add(self, a, b) }
            #[inline]
            fn clamp(self, low: $t, high: $t) -> $t { $t::clamp(self, low, high) }
            #[inline]
            fn sin_cos(self) -> ($t, $t) { $t::sin_cos(self) }
            #[inline]
            fn ldexp(self, n: i32) -> $t { <$t as FloatMath>::ldexp(self, n) }
            #[inline]
            fn frexp(self) -> ($t, i32) {
                (<$t as FloatMath>::frexp_mantissa(self), <$t as FloatMath>::frexp_exponent(self))
            }
        }
    };
    (@half $t:ident; $($constant:ident)*; $($unary:ident)*; $($binary:ident)*;
     $($special:ident)*; $($test:ident)*) => {
        impl Float for $t {
            $(const $constant: $t = float!(@half_constant $t $constant);)*
            $(#[inline]
            fn $unary(self) -> $t { $t::from_f32(self.to_f32().$unary()) })*
            $(#[inline]
            fn $binary(self, other: $t) -> $t {
                $t::from_f32(self.to_f32().$binary(other.to_f32()))
            })*
            $(#[inline]
            fn $special(self) -> $t { <$t as FloatMath>::$special(self) })*
            $(#[inline]
            fn $test(self) -> bool { self.to_f32().$test() })*
            #[inline]
            fn powi(self, n: i32) -> $t { $t::from_f32(self.to_f32().powi(n)) }
            #[inline]
            fn mul_add(self, a: $t, b: $t) -> $t {
                $t::from_f32(halves_mul_add(self.to_f32(), a.to_f32(), b.to_f32()))
            }
            #[inline]
            fn clamp(self, low: $t, high: $t) -> $t {
                $t::from_f32(self.to_f32().clamp(low.to_f32(), high.to_f32()))
            }
            #[inline]
            fn sin_cos(self) -> ($t, $t) {
                let (sin, cos) = self.to_f32().sin_cos();
                ($t::from_f32(sin), $t::from_f32(cos))
            }
            #[inline]
            fn ldexp(self, n: i32) -> $t { <$t as FloatMath>::ldexp(self, n) }
            #[inline]
            fn frexp(self) -> ($t, i32) {
                (<$t as FloatMath>::frexp_mantissa(self), <$t as FloatMath>::frexp_exponent(self))
            }
        }
    };
    (@half_constant $t:ident TAU) => { $t::from_f32_const(std::f32::consts::TAU) };
    (@half_constant $t:ident $constant:ident) => { $t::$constant };
    (@constant $t:ident TAU) => { std::$t::consts::TAU };
    (@constant $t:ident PI) => { std::$t::consts::PI };
    (@constant $t:ident E) => { std::$t::consts::E };
    (@constant $t:ident LN_2) => { std::$t::consts::LN_2 };
    (@constant $t:ident LN_10) => { std::$t::consts::LN_10 };
    (@constant $t:ident SQRT_2) => { std::$t::consts::SQRT_2 };
    (@constant $t:ident $constant:ident) => { $t::$constant };
}

float! {
    constants {
    /// π.
    PI;
    /// 2π.
    TAU;
    /// Euler's number.
    E;
    /// The natural logarithm of 2.
    LN_2;
    /// The natural logarithm of 10.
    LN_10;
    /// The square root of 2.
    SQRT_2;
    /// The distance from 1 to the next number.
    EPSILON;
    /// Infinity.
    INFINITY;
    /// Minus infinity.
    NEG_INFINITY;
    /// Not a number.
    NAN;
    /// The largest finite number.
    MAX;
    /// The lowest finite number.
    MIN;
    /// The smallest positive normal number.
    MIN_POSITIVE;
    }
    unary {
    /// e to the power of the number.
    exp;
    /// 2 to the power of the number.
    exp2;
    /// `exp(x) - 1`, exact near zero.
    exp_m1;
    /// The natural logarithm.
    ln;
    /// `ln(1 + x)`, exact near zero.
    ln_1p;
    /// The logarithm to base 2.
    log2;
    /// The logarithm to base 10.
    log10;
    /// The square root.
    sqrt;
    /// The cube root.
    cbrt;
    /// The sine.
    sin;
    /// The cosine.
    cos;
    /// The tangent.
    tan;
    /// The inverse sine.
    asin;
    /// The inverse cosine.
    acos;
    /// The inverse tangent.
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
    /// The largest integer not above.
    floor;
    /// The smallest integer not below.
    ceil;
    /// The integer part.
    trunc;
    /// The nearest integer, ties away from zero.
    round;
    /// The nearest integer, ties to even.
    round_ties_even;
    /// The part behind the point.
    fract;
    /// The absolute value.
    abs;
    /// The sign as 1 or -1, of zeros too; NaN stays.
    signum;
    /// The reciprocal.
    recip;
    /// Radians to degrees.
    to_degrees;
    /// Degrees to radians.
    to_radians;
    }
    binary {
    /// The power.
    powf;
    /// The logarithm to a base.
    log;
    /// The angle of the point (other, self).
    atan2;
    /// `sqrt(x² + y²)` without overflow.
    hypot;
    /// The smaller number; a NaN gives way.
    min;
    /// The larger number; a NaN gives way.
    max;
    /// The magnitude of the one with the sign of the other.
    copysign;
    /// The remainder of the Euclidean division, never negative.
    rem_euclid;
    /// The quotient of the Euclidean division.
    div_euclid;
    }
    special {
    /// 10 to the power of the number.
    exp10;
    /// The error function.
    erf;
    /// The complementary error function.
    erfc;
    /// The inverse of the error function.
    erfinv;
    /// The inverse of the complementary error function.
    erfcinv;
    /// The gamma function.
    gamma;
    /// The logarithm of the gamma function's magnitude.
    lgamma;
    /// `sin(πx) / (πx)`, 1 at zero.
    sinc;
    /// The Bessel function J0.
    bessel_j0;
    /// The Bessel function J1.
    bessel_j1;
    /// The Bessel function Y0.
    bessel_y0;
    /// The Bessel function Y1.
    bessel_y1;
    /// The modified Bessel function I0.
    bessel_i0;
    /// The modified Bessel function I1.
    bessel_i1;
    }
    tests {
    /// Whether the value is NaN.
    is_nan;
    /// Whether the value is infinite.
    is_infinite;
    /// Whether the value is neither infinite nor NaN.
    is_finite;
    /// Whether the sign bit is set.
    is_sign_negative;
    /// Whether the sign bit is not set.
    is_sign_positive;
    }
}
