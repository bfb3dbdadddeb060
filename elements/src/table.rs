//! The table of elementwise operations, and the table of reductions beside it.
//!
//! One operation is one row: its documentation, its variant in [`Op`], its public method, its
//! arity, the types it takes and gives, how CUDA C++ and Rust spell it, and the range from which
//! its tests draw. Everything that knows an operation by name is made from these rows by
//! handing them to a macro. What holds for some operations alone, or follows from a row, is said in
//! `properties.rs`; no other list of operations exists.
//!
//! Reductions have a table of their own (`for_each_reduction!`). What composes from other
//! operations is a plain function in `ops/` and has no row.

mod properties;

pub use self::properties::Basic;
use crate::dtype::{DType, Scalar};

/// Hands every elementwise operation to the macro `$consumer`.
///
/// A row reads
/// ```text
/// /// documentation (with NumPy's name as a doc alias where it differs)
/// Variant method kind Class => Result, cuda "…", rust |a, b| …, test low .. high;
/// ```
/// - `kind`: `unary`, `binary` and `ternary` take arguments of one type; `select` takes a `bool`
///   and two of one type; `ldexp` takes a value and an `i32`; `sample1` and `sample2` take one or
///   two parameters of a distribution and a random `u64`, and are no public method.
/// - `Class`: the trait of [`crate::dtype`] that says which types the operation takes.
/// - `Result`: `Same`, `Bool`, `U8`, `I32`, `Real` (the component of a complex type) or `Complex`.
/// - `cuda`: the C++ expression with `{0}`, `{1}`, `{2}` for the arguments; functions called
///   `lz_…` are in `backend/cuda/prelude/`, overloaded on the type.
/// - `rust`: the value for one element, through the class traits of `crate::math::classes`; where
///   the vectorised form is right on a part of the domain only, `partial` of the fast value,
///   whether it is wrong, and the right one (`crate::math::lane`).
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_op {
    ($consumer:ident $(, $($extra:tt)*)?) => {
        $consumer! { $($($extra)*)?
            // Arithmetic.
            /// Sum; integers wrap.
            Add add binary Number => Same, cuda "lz_add({0}, {1})", rust |a, b| NumberMath::add(a, b), test -9.0 .. 9.0;
            /// Difference; integers wrap.
            Subtract subtract binary Number => Same, cuda "lz_subtract({0}, {1})", rust |a, b| NumberMath::subtract(a, b), test -9.0 .. 9.0;
            /// Product; integers wrap.
            Multiply multiply binary Number => Same, cuda "lz_multiply({0}, {1})", rust |a, b| NumberMath::multiply(a, b), test -9.0 .. 9.0;
            /// Quotient; integers truncate towards zero as in Rust, and division by zero gives 0 for them.
            #[doc(alias = "true_divide")]
            Divide divide binary Number => Same, cuda "lz_divide({0}, {1})", rust |a, b| NumberMath::divide(a, b), test -9.0 .. 9.0;
            /// Remainder of the truncated division (the sign of the dividend), Rust's `%`; an integer divisor of zero gives 0.
            Fmod fmod binary Real => Same, cuda "lz_fmod({0}, {1})", rust |a, b| partial(RealMath::fmod_fast(a, b), RealMath::fmod_rare(a, b), move || RealMath::fmod(a, b)), test -9.0 .. 9.0;
            /// Quotient rounded towards negative infinity; an integer divisor of zero gives 0.
            FloorDivide floor_divide binary Real => Same, cuda "lz_floor_divide({0}, {1})", rust |a, b| partial(RealMath::floor_divide_fast(a, b), RealMath::fmod_rare(a, b), move || RealMath::floor_divide(a, b)), test -9.0 .. 9.0;
            /// Remainder of the floored division (the sign of the divisor), NumPy's `%`; an integer divisor of zero gives 0.
            #[doc(alias = "mod")]
            Remainder remainder binary Real => Same, cuda "lz_remainder({0}, {1})", rust |a, b| partial(RealMath::remainder_fast(a, b), RealMath::fmod_rare(a, b), move || RealMath::remainder(a, b)), test -9.0 .. 9.0;
            /// Quotient of the Euclidean division: the remainder is never negative; an integer divisor of zero gives 0.
            DivEuclid div_euclid binary Real => Same, cuda "lz_div_euclid({0}, {1})", rust |a, b| partial(RealMath::div_euclid_fast(a, b), RealMath::fmod_rare(a, b), move || RealMath::div_euclid(a, b)), test -9.0 .. 9.0;
            /// Remainder of the Euclidean division, never negative; an integer divisor of zero gives 0.
            RemEuclid rem_euclid binary Real => Same, cuda "lz_rem_euclid({0}, {1})", rust |a, b| partial(RealMath::rem_euclid_fast(a, b), RealMath::fmod_rare(a, b), move || RealMath::rem_euclid(a, b)), test -9.0 .. 9.0;
            /// The first argument raised to the power of the second, `powf` of Rust's floats; integers wrap.
            #[doc(alias = "pow")]
            #[doc(alias = "powf")]
            Power power binary Number => Same, cuda "lz_power({0}, {1})", rust |a, b| NumberMath::power(a, b), test 0.1 .. 4.0;
            /// Negation; integers wrap.
            Negative negative unary Signed => Same, cuda "lz_negative({0})", rust |a| SignedMath::negative(a), test -9.0 .. 9.0;
            /// Absolute value; the modulus of a complex number. The smallest integer wraps to itself.
            #[doc(alias = "absolute")]
            #[doc(alias = "fabs")]
            Abs abs unary Number => Real, cuda "lz_abs({0})", rust |a| NumberMath::abs(a), test -9.0 .. 9.0;
            /// Sign: -1, 0 or 1; `z / |z|` for complex numbers; NaN stays NaN.
            Sign sign unary Number => Same, cuda "lz_sign({0})", rust |a| NumberMath::sign(a), test -9.0 .. 9.0;
            /// Square.
            Square square unary Number => Same, cuda "lz_square({0})", rust |a| NumberMath::square(a), test -9.0 .. 9.0;
            /// Reciprocal, `1 / x`; of an integer it is 0 except for ±1, and 0 gives 0.
            Reciprocal reciprocal unary Number => Same, cuda "lz_reciprocal({0})", rust |a| NumberMath::reciprocal(a), test -9.0 .. 9.0;
            /// `a * b + c`; one rounding for floats, halves included.
            #[doc(alias = "fma")]
            MulAdd mul_add ternary Number => Same, cuda "lz_mul_add({0}, {1}, {2})", rust |a, b, c| NumberMath::mul_add(a, b, c), test -9.0 .. 9.0;
            // Roots, exponentials and logarithms.
            /// Square root.
            Sqrt sqrt unary Inexact => Same, cuda "lz_sqrt({0})", rust |a| InexactMath::sqrt(a), test 0.0 .. 50.0;
            /// Exponential.
            Exp exp unary Inexact => Same, cuda "lz_exp({0})", rust |a| InexactMath::exp(a), test -20.0 .. 20.0;
            /// Natural logarithm.
            #[doc(alias = "log")]
            Ln ln unary Inexact => Same, cuda "lz_ln({0})", rust |a| InexactMath::ln(a), test 0.001 .. 1000.0;
            /// Logarithm to base 2.
            Log2 log2 unary Inexact => Same, cuda "lz_log2({0})", rust |a| InexactMath::log2(a), test 0.001 .. 1000.0;
            /// Logarithm to base 10.
            Log10 log10 unary Inexact => Same, cuda "lz_log10({0})", rust |a| InexactMath::log10(a), test 0.001 .. 1000.0;
            /// Cube root.
            Cbrt cbrt unary Floating => Same, cuda "lz_cbrt({0})", rust |a| FloatMath::cbrt(a), test -50.0 .. 50.0;
            /// `2` to the power of `x`.
            Exp2 exp2 unary Floating => Same, cuda "lz_exp2({0})", rust |a| FloatMath::exp2(a), test -20.0 .. 20.0;
            /// `10` to the power of `x`.
            Exp10 exp10 unary Floating => Same, cuda "lz_exp10({0})", rust |a| FloatMath::exp10(a), test -5.0 .. 5.0;
            /// `exp(x) - 1`, exact near zero: within 1.1 ulp.
            #[doc(alias = "expm1")]
            ExpM1 exp_m1 unary Floating => Same, cuda "lz_exp_m1({0})", rust |a| FloatMath::exp_m1(a), test -1.0 .. 3.0;
            /// `ln(1 + x)`, exact near zero.
            #[doc(alias = "log1p")]
            Ln1p ln_1p unary Floating => Same, cuda "lz_ln_1p({0})", rust |a| FloatMath::ln_1p(a), test -0.9 .. 10.0;
            /// `ln(exp(a) + exp(b))` without overflow: within 5 ulp, also near a result of zero, where
            /// the larger argument cancels; in `f64` a result below 1e-18 is within 1e-32.
            Logaddexp logaddexp binary Floating => Same, cuda "lz_logaddexp({0}, {1})", rust |a, b| partial(FloatMath::logaddexp_fast(a, b), FloatMath::logaddexp_rare(a, b), move || FloatMath::logaddexp(a, b)), test -20.0 .. 20.0;
            /// `log2(2^a + 2^b)` without overflow: within 5 ulp, also near a result of zero, where the
            /// larger argument cancels; in `f64` a result below 1e-18 is within 1e-32.
            Logaddexp2 logaddexp2 binary Floating => Same, cuda "lz_logaddexp2({0}, {1})", rust |a, b| partial(FloatMath::logaddexp2_fast(a, b), FloatMath::logaddexp2_rare(a, b), move || FloatMath::logaddexp2(a, b)), test -20.0 .. 20.0;
            // Trigonometric and hyperbolic functions.
            /// Sine of an angle in radians.
            Sin sin unary Inexact => Same, cuda "lz_sin({0})", rust |a| partial(InexactMath::sin_fast(a), InexactMath::sin_rare(a), move || InexactMath::sin(a)), test -30.0 .. 30.0;
            /// Cosine of an angle in radians.
            Cos cos unary Inexact => Same, cuda "lz_cos({0})", rust |a| partial(InexactMath::cos_fast(a), InexactMath::cos_rare(a), move || InexactMath::cos(a)), test -30.0 .. 30.0;
            /// Tangent of an angle in radians: of floats within 1 ulp on the processor, 4 in `f32` and 2 in
            /// `f64` on a GPU.
            Tan tan unary Inexact => Same, cuda "lz_tan({0})", rust |a| partial(InexactMath::tan_fast(a), InexactMath::tan_rare(a), move || InexactMath::tan(a)), test -30.0 .. 30.0;
            /// Inverse sine.
            #[doc(alias = "arcsin")]
            Asin asin unary Inexact => Same, cuda "lz_asin({0})", rust |a| InexactMath::asin(a), test -1.0 .. 1.0;
            /// Inverse cosine.
            #[doc(alias = "arccos")]
            Acos acos unary Inexact => Same, cuda "lz_acos({0})", rust |a| InexactMath::acos(a), test -1.0 .. 1.0;
            /// Inverse tangent.
            #[doc(alias = "arctan")]
            Atan atan unary Inexact => Same, cuda "lz_atan({0})", rust |a| InexactMath::atan(a), test -9.0 .. 9.0;
            /// Hyperbolic sine: of floats within 2 ulp, 3 in `f32` on a GPU.
            Sinh sinh unary Inexact => Same, cuda "lz_sinh({0})", rust |a| InexactMath::sinh(a), test -9.0 .. 9.0;
            /// Hyperbolic cosine.
            Cosh cosh unary Inexact => Same, cuda "lz_cosh({0})", rust |a| InexactMath::cosh(a), test -9.0 .. 9.0;
            /// Hyperbolic tangent: of floats within 1 ulp on the processor, 2 on a GPU.
            Tanh tanh unary Inexact => Same, cuda "lz_tanh({0})", rust |a| InexactMath::tanh(a), test -5.0 .. 5.0;
            /// Inverse hyperbolic sine.
            #[doc(alias = "arcsinh")]
            Asinh asinh unary Inexact => Same, cuda "lz_asinh({0})", rust |a| InexactMath::asinh(a), test -50.0 .. 50.0;
            /// Inverse hyperbolic cosine.
            #[doc(alias = "arccosh")]
            Acosh acosh unary Inexact => Same, cuda "lz_acosh({0})", rust |a| InexactMath::acosh(a), test 1.0 .. 50.0;
            /// Inverse hyperbolic tangent.
            #[doc(alias = "arctanh")]
            Atanh atanh unary Inexact => Same, cuda "lz_atanh({0})", rust |a| InexactMath::atanh(a), test -0.99 .. 0.99;
            /// Angle of the point `(b, a)`: the inverse tangent of `a / b` in the right quadrant.
            #[doc(alias = "arctan2")]
            Atan2 atan2 binary Floating => Same, cuda "lz_atan2({0}, {1})", rust |a, b| FloatMath::atan2(a, b), test -9.0 .. 9.0;
            /// `sqrt(a² + b²)` without overflow.
            Hypot hypot binary Floating => Same, cuda "lz_hypot({0}, {1})", rust |a, b| FloatMath::hypot(a, b), test -9.0 .. 9.0;
            /// Radians to degrees.
            #[doc(alias = "rad2deg")]
            Degrees degrees unary Floating => Same, cuda "lz_degrees({0})", rust |a| FloatMath::degrees(a), test -9.0 .. 9.0;
            /// Degrees to radians.
            #[doc(alias = "deg2rad")]
            Radians radians unary Floating => Same, cuda "lz_radians({0})", rust |a| FloatMath::radians(a), test -9.0 .. 9.0;
            /// `sin(πx) / (πx)`, 1 at zero.
            Sinc sinc unary Floating => Same, cuda "lz_sinc({0})", rust |a| FloatMath::sinc(a), test -9.0 .. 9.0;
            // Special functions.
            /// Error function.
            Erf erf unary Floating => Same, cuda "lz_erf({0})", rust |a| FloatMath::erf(a), test -4.0 .. 4.0;
            /// Complementary error function: within 1.5 ulp on the processor, 4 in `f32` and 5 in `f64` on
            /// a GPU (CUDA C++ Programming Guide, accuracy of mathematical functions).
            Erfc erfc unary Floating => Same, cuda "lz_erfc({0})", rust |a| FloatMath::erfc(a), test -4.0 .. 9.0;
            /// Inverse of the error function: within 1.5 ulp on the processor, 3 in `f32` and 5 in `f64`
            /// on a GPU (CUDA C++ Programming Guide).
            Erfinv erfinv unary Floating => Same, cuda "lz_erfinv({0})", rust |a| FloatMath::erfinv(a), test -0.999 .. 0.999;
            /// Inverse of the complementary error function: within 1.5 ulp on the processor, 4 in `f32`
            /// and 6 in `f64` on a GPU (CUDA C++ Programming Guide).
            Erfcinv erfcinv unary Floating => Same, cuda "lz_erfcinv({0})", rust |a| FloatMath::erfcinv(a), test 0.001 .. 1.999;
            /// Gamma function: within 1.5 ulp on the processor, 5 in `f32` and 10 in `f64` on a GPU (CUDA
            /// C++ Programming Guide). In `f64` it is a number up to 171.62437695630271.
            Gamma gamma unary Floating => Same, cuda "lz_gamma({0})", rust |a| FloatMath::gamma(a), test -4.9 .. 20.0;
            /// Logarithm of the absolute value of the gamma function: within 2 ulp on the processor, 6 in
            /// `f32` and 4 in `f64` on a GPU, near its negative roots too.
            #[doc(alias = "gammaln")]
            Lgamma lgamma unary Floating => Same, cuda "lz_lgamma({0})", rust |a| FloatMath::lgamma(a), test 0.1 .. 100.0;
            /// Bessel function of the first kind, order 0: within 1 ulp on the processor. On a GPU
            /// it is CUDA's below 8, within 9 ulp in `f32` and 7 in `f64`; beyond, its absolute error is at
            /// most 2.2e-6 in `f32`, in `f64` 5e-12 up to 16 and 1e-15 from there on (CUDA C++ Programming
            /// Guide).
            #[doc(alias = "j0")]
            BesselJ0 bessel_j0 unary Floating => Same, cuda "lz_bessel_j0({0})", rust |a| FloatMath::bessel_j0(a), test 0.0 .. 30.0;
            /// Bessel function of the first kind, order 1: within 1 ulp on the processor. On a GPU
            /// it is CUDA's below 8, within 9 ulp in `f32` and 7 in `f64`; beyond, its absolute error is at
            /// most 2.2e-6 in `f32`, in `f64` 5e-12 up to 16 and 1e-15 from there on (CUDA C++ Programming
            /// Guide).
            #[doc(alias = "j1")]
            BesselJ1 bessel_j1 unary Floating => Same, cuda "lz_bessel_j1({0})", rust |a| FloatMath::bessel_j1(a), test 0.0 .. 30.0;
            /// Bessel function of the second kind, order 0: within 1 ulp on the processor. On a GPU
            /// it is CUDA's below 8, within 9 ulp in `f32` and 7 in `f64`; beyond, its absolute error is at
            /// most 2.2e-6 in `f32`, in `f64` 5e-12 up to 16 and 1e-15 from there on (CUDA C++ Programming
            /// Guide).
            #[doc(alias = "y0")]
            BesselY0 bessel_y0 unary Floating => Same, cuda "lz_bessel_y0({0})", rust |a| FloatMath::bessel_y0(a), test 0.1 .. 30.0;
            /// Bessel function of the second kind, order 1: within 1 ulp on the processor. On a GPU
            /// it is CUDA's below 8, within 9 ulp in `f32` and 7 in `f64`; beyond, its absolute error is at
            /// most 2.2e-6 in `f32`, in `f64` 5e-12 up to 16 and 1e-15 from there on (CUDA C++ Programming
            /// Guide).
            #[doc(alias = "y1")]
            BesselY1 bessel_y1 unary Floating => Same, cuda "lz_bessel_y1({0})", rust |a| FloatMath::bessel_y1(a), test 0.1 .. 30.0;
            /// Modified Bessel function of the first kind, order 0: within 1 ulp on the processor, 6 on a GPU
            /// (CUDA C++ Programming Guide).
            #[doc(alias = "i0")]
            BesselI0 bessel_i0 unary Floating => Same, cuda "lz_bessel_i0({0})", rust |a| FloatMath::bessel_i0(a), test 0.0 .. 20.0;
            /// Modified Bessel function of the first kind, order 1: within 1 ulp on the processor, 6 on a GPU
            /// (CUDA C++ Programming Guide).
            #[doc(alias = "i1")]
            BesselI1 bessel_i1 unary Floating => Same, cuda "lz_bessel_i1({0})", rust |a| FloatMath::bessel_i1(a), test 0.0 .. 20.0;
            // Rounding and floating-point parts.
            /// The largest integer not above.
            Floor floor unary Floating => Same, cuda "lz_floor({0})", rust |a| FloatMath::floor(a), test -9.0 .. 9.0;
            /// The smallest integer not below.
            Ceil ceil unary Floating => Same, cuda "lz_ceil({0})", rust |a| FloatMath::ceil(a), test -9.0 .. 9.0;
            /// The integer part.
            #[doc(alias = "fix")]
            Trunc trunc unary Floating => Same, cuda "lz_trunc({0})", rust |a| FloatMath::trunc(a), test -9.0 .. 9.0;
            /// The nearest integer, ties to even, as [`round`](Self::round).
            Rint rint unary Floating => Same, cuda "lz_rint({0})", rust |a| FloatMath::rint(a), test -9.0 .. 9.0;
            /// The nearest integer; of two that are equally near the one farther from zero, as Rust's `round`.
            RoundTiesAway round_ties_away unary Floating => Same, cuda "lz_round({0})", rust |a| FloatMath::round(a), test -9.0 .. 9.0;
            /// The first argument with the sign of the second.
            Copysign copysign binary Floating => Same, cuda "lz_copysign({0}, {1})", rust |a, b| FloatMath::copysign(a, b), test -9.0 .. 9.0;
            /// The next representable value after `a` in the direction of `b`.
            Nextafter nextafter binary Floating => Same, cuda "lz_nextafter({0}, {1})", rust |a, b| FloatMath::nextafter(a, b), test -9.0 .. 9.0;
            /// `a * 2^b` for an integer `b`.
            Ldexp ldexp ldexp Floating => Same, cuda "lz_ldexp({0}, {1})", rust |a, b| FloatMath::ldexp(a, b), test -9.0 .. 9.0;
            /// The mantissa of `frexp`, from 0.5 to 1 in magnitude; zeros, infinities and NaN stay.
            #[doc(alias = "frexp")]
            FrexpMantissa frexp_mantissa unary Floating => Same, cuda "lz_frexp_mantissa({0})", rust |a| FloatMath::frexp_mantissa(a), test -99.0 .. 99.0;
            /// The exponent of `frexp`: the value is its mantissa times 2 to the exponent; 0 for zeros, infinities and NaN.
            #[doc(alias = "frexp")]
            FrexpExponent frexp_exponent unary Floating => I32, cuda "lz_frexp_exponent({0})", rust |a| FloatMath::frexp_exponent(a), test -99.0 .. 99.0;
            /// The Heaviside step function: 0 below zero, 1 above, `b` at zero.
            Heaviside heaviside binary Floating => Same, cuda "lz_heaviside({0}, {1})", rust |a, b| FloatMath::heaviside(a, b), test -2.0 .. 2.0;
            // Minimum and maximum.
            /// The smaller value; NaN wins.
            Minimum minimum binary Ordered => Same, cuda "lz_minimum({0}, {1})", rust |a, b| OrderedMath::minimum(a, b), test -9.0 .. 9.0;
            /// The larger value; NaN wins.
            Maximum maximum binary Ordered => Same, cuda "lz_maximum({0}, {1})", rust |a, b| OrderedMath::maximum(a, b), test -9.0 .. 9.0;
            /// The smaller value; a NaN is ignored where the other is a number.
            Fmin fmin binary Ordered => Same, cuda "lz_fmin({0}, {1})", rust |a, b| OrderedMath::fmin(a, b), test -9.0 .. 9.0;
            /// The larger value; a NaN is ignored where the other is a number.
            Fmax fmax binary Ordered => Same, cuda "lz_fmax({0}, {1})", rust |a, b| OrderedMath::fmax(a, b), test -9.0 .. 9.0;
            /// `a` held between `b` and `c`, as `minimum(maximum(a, b), c)`.
            Clip clip ternary Ordered => Same, cuda "lz_clip({0}, {1}, {2})", rust |a, b, c| OrderedMath::clip(a, b, c), test -9.0 .. 9.0;
            // Comparisons.
            /// Whether the values are equal.
            Equal equal binary Element => Bool, cuda "({0} == {1})", rust |a, b| a == b, test -3.0 .. 3.0;
            /// Whether the values differ.
            NotEqual not_equal binary Element => Bool, cuda "({0} != {1})", rust |a, b| a != b, test -3.0 .. 3.0;
            /// Whether `a < b`.
            Less less binary Ordered => Bool, cuda "({0} < {1})", rust |a, b| a < b, test -3.0 .. 3.0;
            /// Whether `a <= b`.
            LessEqual less_equal binary Ordered => Bool, cuda "({0} <= {1})", rust |a, b| a <= b, test -3.0 .. 3.0;
            /// Whether `a > b`.
            Greater greater binary Ordered => Bool, cuda "({0} > {1})", rust |a, b| a > b, test -3.0 .. 3.0;
            /// Whether `a >= b`.
            GreaterEqual greater_equal binary Ordered => Bool, cuda "({0} >= {1})", rust |a, b| a >= b, test -3.0 .. 3.0;
            // Classification.
            /// Whether the value is NaN.
            #[doc(alias = "isnan")]
            IsNan is_nan unary Inexact => Bool, cuda "lz_is_nan({0})", rust |a| InexactMath::is_nan(a), test -3.0 .. 3.0;
            /// Whether the value is infinite.
            #[doc(alias = "isinf")]
            IsInf is_inf unary Inexact => Bool, cuda "lz_is_inf({0})", rust |a| InexactMath::is_inf(a), test -3.0 .. 3.0;
            /// Whether the value is neither infinite nor NaN.
            #[doc(alias = "isfinite")]
            IsFinite is_finite unary Inexact => Bool, cuda "lz_is_finite({0})", rust |a| InexactMath::is_finite(a), test -3.0 .. 3.0;
            /// Whether the value is positive infinity.
            #[doc(alias = "isposinf")]
            IsPosInf is_pos_inf unary Floating => Bool, cuda "lz_is_pos_inf({0})", rust |a| FloatMath::is_pos_inf(a), test -3.0 .. 3.0;
            /// Whether the value is negative infinity.
            #[doc(alias = "isneginf")]
            IsNegInf is_neg_inf unary Floating => Bool, cuda "lz_is_neg_inf({0})", rust |a| FloatMath::is_neg_inf(a), test -3.0 .. 3.0;
            /// Whether the sign bit is set, also of zero and NaN.
            Signbit signbit unary Floating => Bool, cuda "lz_signbit({0})", rust |a| FloatMath::signbit(a), test -3.0 .. 3.0;
            // Logic and bits.
            /// Whether both values are non-zero.
            LogicalAnd logical_and binary Element => Bool, cuda "lz_logical_and({0}, {1})", rust |a, b| ElementMath::logical_and(a, b), test -2.0 .. 2.0;
            /// Whether at least one value is non-zero.
            LogicalOr logical_or binary Element => Bool, cuda "lz_logical_or({0}, {1})", rust |a, b| ElementMath::logical_or(a, b), test -2.0 .. 2.0;
            /// Whether exactly one value is non-zero.
            LogicalXor logical_xor binary Element => Bool, cuda "lz_logical_xor({0}, {1})", rust |a, b| ElementMath::logical_xor(a, b), test -2.0 .. 2.0;
            /// Whether the value is zero.
            LogicalNot logical_not unary Element => Bool, cuda "lz_logical_not({0})", rust |a| ElementMath::logical_not(a), test -2.0 .. 2.0;
            /// Bitwise and.
            BitwiseAnd bitwise_and binary Bits => Same, cuda "lz_bitwise_and({0}, {1})", rust |a, b| BitsMath::bitwise_and(a, b), test -99.0 .. 99.0;
            /// Bitwise or.
            BitwiseOr bitwise_or binary Bits => Same, cuda "lz_bitwise_or({0}, {1})", rust |a, b| BitsMath::bitwise_or(a, b), test -99.0 .. 99.0;
            /// Bitwise exclusive or.
            BitwiseXor bitwise_xor binary Bits => Same, cuda "lz_bitwise_xor({0}, {1})", rust |a, b| BitsMath::bitwise_xor(a, b), test -99.0 .. 99.0;
            /// Bitwise complement; logical not for `bool`.
            #[doc(alias = "invert")]
            BitwiseNot bitwise_not unary Bits => Same, cuda "lz_bitwise_not({0})", rust |a| BitsMath::bitwise_not(a), test -99.0 .. 99.0;
            /// `a << b`; a count of the type's width or more, or a negative one, gives 0.
            LeftShift left_shift binary Integer => Same, cuda "lz_left_shift({0}, {1})", rust |a, b| IntegerMath::left_shift(a, b), test 0.0 .. 9.0;
            /// `a >> b`, arithmetic for signed types; a count of the type's width or more, or a negative one, gives 0 or -1.
            RightShift right_shift binary Integer => Same, cuda "lz_right_shift({0}, {1})", rust |a, b| IntegerMath::right_shift(a, b), test 0.0 .. 9.0;
            /// The number of one bits in the absolute value.
            #[doc(alias = "popcount")]
            BitwiseCount bitwise_count unary Integer => U8, cuda "lz_bitwise_count({0})", rust |a| IntegerMath::bitwise_count(a), test -99.0 .. 99.0;
            /// Greatest common divisor.
            Gcd gcd binary Integer => Same, cuda "lz_gcd({0}, {1})", rust |a, b| IntegerMath::gcd(a, b), test -99.0 .. 99.0;
            /// Least common multiple; wraps.
            Lcm lcm binary Integer => Same, cuda "lz_lcm({0}, {1})", rust |a, b| IntegerMath::lcm(a, b), test -9.0 .. 9.0;
            // Complex numbers.
            /// Complex conjugate.
            #[doc(alias = "conjugate")]
            Conj conj unary Inexact => Same, cuda "lz_conj({0})", rust |a| InexactMath::conj(a), test -9.0 .. 9.0;
            /// Real part.
            RealPart real unary Inexact => Real, cuda "lz_real({0})", rust |a| InexactMath::real(a), test -9.0 .. 9.0;
            /// Imaginary part.
            ImagPart imag unary Inexact => Real, cuda "lz_imag({0})", rust |a| InexactMath::imag(a), test -9.0 .. 9.0;
            /// Angle of a complex number in radians, from -π to π.
            Angle angle unary Inexact => Real, cuda "lz_angle({0})", rust |a| InexactMath::angle(a), test -9.0 .. 9.0;
            /// The complex number with real part `a` and imaginary part `b`.
            ToComplex to_complex binary Component => Complex, cuda "lz_to_complex({0}, {1})", rust |a, b| ComponentMath::to_complex(a, b), test -9.0 .. 9.0;
            // Selection.
            /// `b` where the condition `a` holds, else `c`.
            #[doc(alias = "where")]
            Select select select Element => Same, cuda "({0} ? {1} : {2})", rust |a, b, c| if a { b } else { c }, test -9.0 .. 9.0;
            // What random words become, for `random::Generator`.
            /// A whole number below `a`, all of them equally probable; 0 stands for 2⁶⁴.
            Below below sample1 Word => Same, cuda "lz_sample_below({0}, {1})", rust |a, b| WordMath::below(a, b), test 0.0 .. 99.0;
            /// A gamma variate of shape `a` and scale 1.
            SampleGamma sample_gamma sample1 Double => Same, cuda "lz_sample_gamma({0}, {1})", rust |a, b| DoubleMath::sample_gamma(a, b), test 0.1 .. 20.0;
            /// A beta variate of shapes `a` and `b`.
            SampleBeta sample_beta sample2 Double => Same, cuda "lz_sample_beta({0}, {1}, {2})", rust |a, b, c| DoubleMath::sample_beta(a, b, c), test 0.1 .. 9.0;
            /// A Poisson variate of mean `a`; -1 where that is no mean.
            SamplePoisson sample_poisson sample1 Double => Same, cuda "lz_sample_poisson({0}, {1})", rust |a, b| DoubleMath::sample_poisson(a, b), test 0.1 .. 40.0;
            /// The successes among `a` trials of probability `b`; -1 where that is no distribution.
            SampleBinomial sample_binomial sample2 Double => Same, cuda "lz_sample_binomial({0}, {1}, {2})", rust |a, b, c| DoubleMath::sample_binomial(a, b, c), test 0.1 .. 0.9;
        }
    };
}
pub use for_each_op;

/// The types that an operation takes, named after the traits of [`crate::dtype`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Element,
    Number,
    Real,
    Signed,
    Integer,
    Bits,
    Ordered,
    Inexact,
    Floating,
    Component,
    /// `u64`, as random words.
    Word,
    /// `f64` alone.
    Double,
}

impl Class {
    /// Whether the class holds the type.
    pub fn contains(self, dtype: DType) -> bool {
        let (float, complex, integer) = (dtype.is_float(), dtype.is_complex(), dtype.is_integer());
        match self {
            Class::Element => true,
            Class::Number => dtype != DType::Bool,
            Class::Real => integer || float,
            Class::Signed => dtype.is_signed_integer() || float || complex,
            Class::Integer => integer,
            Class::Bits => integer || dtype == DType::Bool,
            Class::Ordered => !complex,
            Class::Inexact => float || complex,
            Class::Floating => float,
            Class::Component => matches!(dtype, DType::F32 | DType::F64),
            Class::Word => dtype == DType::U64,
            Class::Double => dtype == DType::F64,
        }
    }
}

/// How an operation takes its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub enum Form {
    unary,
    binary,
    ternary,
    select,
    ldexp,
    sample1,
    sample2,
}

/// What an operation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    Same,
    Bool,
    U8,
    I32,
    Real,
    Complex,
}

macro_rules! define_ops {
    ($($(#[$meta:meta])* $variant:ident $name:ident $kind:ident $class:ident => $gives:ident,
        cuda $cuda:literal, rust |$($arg:ident),*| $rust:expr, test $low:literal .. $high:literal;)*) => {
        /// An elementwise operation.
        // What rows say links to methods of arrays.
        #[allow(rustdoc::broken_intra_doc_links)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Op { $($(#[$meta])* $variant),* }

        impl Op {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$variant),*];

            /// The name, which is also the public method's.
            pub fn name(self) -> &'static str {
                match self { $(Op::$variant => stringify!($name)),* }
            }

            /// The C++ expression, with `{0}`, `{1}` and `{2}` for the arguments.
            pub fn cuda(self) -> &'static str {
                match self { $(Op::$variant => $cuda),* }
            }

            /// The types that the operation takes.
            pub fn class(self) -> Class {
                match self { $(Op::$variant => Class::$class),* }
            }

            /// How the operation takes its arguments.
            pub fn form(self) -> Form {
                match self { $(Op::$variant => Form::$kind),* }
            }

            /// The range from which tests draw the arguments.
            #[cfg(any(test, feature = "testing"))]
            pub fn test_range(self) -> (f64, f64) {
                match self { $(Op::$variant => ($low, $high)),* }
            }

            fn gives(self) -> Gives {
                match self { $(Op::$variant => Gives::$gives),* }
            }
        }
    };
}
for_each_op!(define_ops);

/// The distribution of the numbers that a generator draws, one word a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Law {
    /// All words, or for floating-point types all multiples of 2⁻²⁴ (2⁻⁵³) in `[0, 1)`.
    Uniform,
    /// The standard normal distribution.
    Normal,
}

impl Law {
    /// The C++ type that stands for the law.
    pub fn cuda(self) -> &'static str {
        match self {
            Law::Uniform => "lz_uniform",
            Law::Normal => "lz_normal",
        }
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Law::Uniform => "uniform",
            Law::Normal => "normal",
        }
    }

    /// Roughly what one number costs, in additions.
    pub fn cost(self) -> u32 {
        match self {
            Law::Uniform => 20,
            Law::Normal => 50,
        }
    }
}

/// Hands every reduction to the macro `$consumer`.
///
/// A row reads
/// ```text
/// /// documentation
/// Variant name Class, combine Op, identity [0 | 1 | lowest | highest | nan | none], of Op;
/// ```
/// A reduction folds `combine` over its elements, beginning with `identity`. `of`, if it is there,
/// names a commutative operation on two elements whose results are so often folded that backends
/// may do both in one loop, with the same rounding. `ArgMin` and
/// `ArgMax` fold pairs of a value and its position: a smaller (larger) value wins, NaN wins over
/// every number, and among equals the lower position wins; they give the position.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_reduction {
    ($consumer:ident) => {
        $consumer! {
            /// Sum.
            Sum sum Number, combine Add, identity Zero, of Multiply;
            /// Product.
            Prod prod Number, combine Multiply, identity One;
            /// Smallest value; NaN wins.
            Min min Ordered, combine Minimum, identity Highest;
            /// Largest value; NaN wins.
            Max max Ordered, combine Maximum, identity Lowest;
            /// Smallest value, NaN ignored.
            Fmin fmin Ordered, combine Fmin, identity Nan;
            /// Largest value, NaN ignored.
            Fmax fmax Ordered, combine Fmax, identity Nan;
            /// Whether any element is true.
            Any any Bits, combine BitwiseOr, identity Zero;
            /// Whether all elements are true.
            All all Bits, combine BitwiseAnd, identity Ones;
            /// Position of the smallest value.
            ArgMin argmin Ordered, combine Minimum, identity Highest;
            /// Position of the largest value.
            ArgMax argmax Ordered, combine Maximum, identity Lowest;
        }
    };
}
pub use for_each_reduction;

/// What a reduction begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Zero, or false.
    Zero,
    /// One.
    One,
    /// All bits set: true.
    Ones,
    /// The lowest value: minus infinity where there is one.
    Lowest,
    /// The highest value: infinity where there is one.
    Highest,
    /// NaN for floating-point types, else the highest (for `Fmin`) or lowest value.
    Nan,
}

macro_rules! define_reductions {
    ($($(#[$meta:meta])* $variant:ident $name:ident $class:ident, combine $op:ident, identity $identity:ident $(, of $of:ident)?;)*) => {
        /// A reduction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Reduction { $($(#[$meta])* $variant),* }

        impl Reduction {
            /// Every reduction, in the order of the table.
            #[cfg(any(test, feature = "testing"))]
            pub const ALL: &'static [Reduction] = &[$(Reduction::$variant),*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self { $(Reduction::$variant => stringify!($name)),* }
            }

            /// The operation that combines two values; for `ArgMin` and `ArgMax`, the order.
            pub fn combine(self) -> Op {
                match self { $(Reduction::$variant => Op::$op),* }
            }

            /// The types that the reduction takes.
            #[cfg(any(test, feature = "testing"))]
            pub fn class(self) -> Class {
                match self { $(Reduction::$variant => Class::$class),* }
            }

            /// What the reduction begins with.
            pub fn identity(self) -> Identity {
                match self { $(Reduction::$variant => Identity::$identity),* }
            }
        }
    };
}
for_each_reduction!(define_reductions);

impl Reduction {
    /// Whether the reduction folds pairs of a value and its position and gives the position.
    pub fn is_arg(self) -> bool {
        matches!(self, Reduction::ArgMin | Reduction::ArgMax)
    }

    /// The type of the accumulator for elements of type `dtype`: halves accumulate in `f32`.
    pub fn accumulator(self, dtype: DType) -> DType {
        dtype.compute()
    }

    /// The type of the result for elements of type `dtype`.
    pub fn result(self, dtype: DType) -> DType {
        if self.is_arg() { DType::I64 } else { dtype }
    }

    /// The identity as a value of the accumulator's type.
    pub fn identity_value(self, dtype: DType) -> Scalar {
        let extreme = |low: bool| {
            if dtype.is_float() || dtype.is_complex() {
                return Scalar::from_f64(
                    dtype,
                    if low { f64::NEG_INFINITY } else { f64::INFINITY },
                );
            }
            match dtype {
                DType::Bool => Scalar::new(!low),
                DType::I64 => Scalar::new(if low { i64::MIN } else { i64::MAX }),
                DType::U64 => Scalar::new(if low { u64::MIN } else { u64::MAX }),
                // The conversion saturates, and every other integer type fits into f64.
                _ => Scalar::from_f64(dtype, if low { -1e18 } else { 1e18 }),
            }
        };
        match self.identity() {
            Identity::Zero => Scalar::from_f64(dtype, 0.0),
            Identity::One => Scalar::from_f64(dtype, 1.0),
            Identity::Ones => match dtype {
                DType::Bool => Scalar::new(true),
                signed if signed.is_signed_integer() => Scalar::from_f64(dtype, -1.0),
                _ => extreme(false),
            },
            Identity::Lowest => extreme(true),
            Identity::Highest => extreme(false),
            Identity::Nan if dtype.is_float() => Scalar::from_f64(dtype, f64::NAN),
            Identity::Nan => extreme(self == Reduction::Fmax),
        }
    }
}
