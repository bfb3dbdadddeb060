//! The mathematics of twins: functions that vectorise, under names that nothing else has.
//!
//! rustc has checked the user's function before, so what a type does not have is never called;
//! every type has every name, so that the twin of a generic function needs one bound alone.

use crate::dtype::Number;
use crate::math::{FloatMath, InexactMath, NumberMath};
use half::{bf16, f16};
use num_complex::Complex;

const NEVER: &str = "the function itself has no such method";

macro_rules! twin {
    (unary { $($name:ident = $class:ident::$of:ident;)* }
     float { $($fname:ident = $fclass:ident::$fof:ident;)* }
     binary { $($bname:ident = $bclass:ident::$bof:ident;)* }) => {
        /// The mathematics of twins.
        pub trait Twin: Copy {
            /// The component of a complex number, else the type itself.
            type Part: Copy;
            $(#[doc(hidden)] #[inline(always)]
            fn $name(self, _: &mut bool) -> Self { unreachable!("{NEVER}") })*
            $(#[doc(hidden)] #[inline(always)]
            fn $fname(self, _: &mut bool) -> Self { unreachable!("{NEVER}") })*
            $(#[doc(hidden)] #[inline(always)]
            fn $bname(self, _: Self, _: &mut bool) -> Self { unreachable!("{NEVER}") })*
            #[doc(hidden)] #[inline(always)]
            fn lz_sin(self, _: &mut bool) -> Self { unreachable!("{NEVER}") }
            #[doc(hidden)] #[inline(always)]
            fn lz_cos(self, _: &mut bool) -> Self { unreachable!("{NEVER}") }
            #[doc(hidden)] #[inline(always)]
            fn lz_tan(self, _: &mut bool) -> Self { unreachable!("{NEVER}") }
            #[doc(hidden)] #[inline(always)]
            fn lz_sin_cos(self, rare: &mut bool) -> (Self, Self) {
                (self.lz_sin(rare), self.lz_cos(rare))
            }
            #[doc(hidden)] #[inline(always)]
            fn lz_powf(self, _: Self::Part, _: &mut bool) -> Self { unreachable!("{NEVER}") }
            #[doc(hidden)] #[inline(always)]
            fn lz_powi(self, _: i32, _: &mut bool) -> Self { unreachable!("{NEVER}") }
            #[doc(hidden)] #[inline(always)]
            fn lz_log(self, _: Self::Part, _: &mut bool) -> Self { unreachable!("{NEVER}") }
            #[doc(hidden)] #[inline(always)]
            fn lz_norm(self, _: &mut bool) -> Self::Part { unreachable!("{NEVER}") }
            #[doc(hidden)] #[inline(always)]
            fn lz_arg(self, _: &mut bool) -> Self::Part { unreachable!("{NEVER}") }
            #[doc(hidden)] #[inline(always)]
            fn lz_to_polar(self, rare: &mut bool) -> (Self::Part, Self::Part) {
                (self.lz_norm(rare), self.lz_arg(rare))
            }
        }

        macro_rules! floats {
            ($t:ident) => {
                impl Twin for $t {
                    type Part = $t;
                    twin!(@common $($name = $class::$of;)*);
                    twin!(@common $($fname = $fclass::$fof;)*);
                    $(#[inline(always)]
                    fn $bname(self, b: Self, _: &mut bool) -> Self { $bclass::$bof(self, b) })*
                    #[inline(always)]
                    fn lz_powf(self, b: Self, _: &mut bool) -> Self { NumberMath::power(self, b) }
                    #[inline(always)]
                    fn lz_log(self, base: Self, _: &mut bool) -> Self {
                        InexactMath::ln(self) / InexactMath::ln(base)
                    }
                    twin!(@shared);
                }
            };
        }
        floats!(f32);
        floats!(f64);
        floats!(f16);
        floats!(bf16);

        macro_rules! complexes {
            ($t:ident) => {
                impl Twin for Complex<$t> {
                    type Part = $t;
                    twin!(@common $($name = $class::$of;)*);
                    #[inline(always)]
                    fn lz_powc(self, b: Self, _: &mut bool) -> Self { NumberMath::power(self, b) }
                    #[inline(always)]
                    fn lz_powf(self, b: $t, _: &mut bool) -> Self {
                        NumberMath::power(self, Complex::new(b, 0.0))
                    }
                    #[inline(always)]
                    fn lz_log(self, base: $t, _: &mut bool) -> Self {
                        InexactMath::ln(self) / InexactMath::ln(base)
                    }
                    #[inline(always)]
                    fn lz_norm(self, _: &mut bool) -> $t { NumberMath::abs(self) }
                    #[inline(always)]
                    fn lz_arg(self, _: &mut bool) -> $t { InexactMath::angle(self) }
                    twin!(@shared);
                }
            };
        }
        complexes!(f32);
        complexes!(f64);
    };
    (@common $($name:ident = $class:ident::$of:ident;)*) => {
        $(#[inline(always)]
        fn $name(self, _: &mut bool) -> Self { $class::$of(self) })*
    };
    (@shared) => {
        #[inline(always)]
        fn lz_sin(self, rare: &mut bool) -> Self {
            *rare |= InexactMath::sin_rare(self);
            InexactMath::sin_fast(self)
        }
        #[inline(always)]
        fn lz_cos(self, rare: &mut bool) -> Self {
            *rare |= InexactMath::cos_rare(self);
            InexactMath::cos_fast(self)
        }
        #[inline(always)]
        fn lz_tan(self, rare: &mut bool) -> Self {
            *rare |= InexactMath::tan_rare(self);
            InexactMath::tan_fast(self)
        }
        #[inline(always)]
        fn lz_powi(self, n: i32, _: &mut bool) -> Self {
            let (mut left, mut base, mut result) = (n.unsigned_abs(), self, <Self as Number>::ONE);
            while left != 0 {
                if left & 1 == 1 {
                    result = NumberMath::multiply(result, base);
                }
                left >>= 1;
                if left != 0 {
                    base = NumberMath::multiply(base, base);
                }
            }
            if n < 0 { NumberMath::reciprocal(result) } else { result }
        }
    };
}

twin! {
    unary {
    lz_exp = InexactMath::exp;
    lz_ln = InexactMath::ln;
    lz_log2 = InexactMath::log2;
    lz_log10 = InexactMath::log10;
    lz_sqrt = InexactMath::sqrt;
    lz_asin = InexactMath::asin;
    lz_acos = InexactMath::acos;
    lz_atan = InexactMath::atan;
    lz_sinh = InexactMath::sinh;
    lz_cosh = InexactMath::cosh;
    lz_tanh = InexactMath::tanh;
    lz_asinh = InexactMath::asinh;
    lz_acosh = InexactMath::acosh;
    lz_atanh = InexactMath::atanh;
    }
    float {
    lz_cbrt = FloatMath::cbrt;
    lz_exp2 = FloatMath::exp2;
    lz_exp10 = FloatMath::exp10;
    lz_exp_m1 = FloatMath::exp_m1;
    lz_ln_1p = FloatMath::ln_1p;
    lz_sinc = FloatMath::sinc;
    lz_erf = FloatMath::erf;
    lz_erfc = FloatMath::erfc;
    lz_erfinv = FloatMath::erfinv;
    lz_erfcinv = FloatMath::erfcinv;
    lz_gamma = FloatMath::gamma;
    lz_lgamma = FloatMath::lgamma;
    lz_bessel_j0 = FloatMath::bessel_j0;
    lz_bessel_j1 = FloatMath::bessel_j1;
    lz_bessel_y0 = FloatMath::bessel_y0;
    lz_bessel_y1 = FloatMath::bessel_y1;
    lz_bessel_i0 = FloatMath::bessel_i0;
    lz_bessel_i1 = FloatMath::bessel_i1;
    lz_round = FloatMath::round;
    }
    binary {
    lz_atan2 = FloatMath::atan2;
    lz_hypot = FloatMath::hypot;
    lz_logaddexp = FloatMath::logaddexp;
    lz_logaddexp2 = FloatMath::logaddexp2;
    lz_powc = NumberMath::power;
    }
}

macro_rules! others {
    ($($t:ty),*) => {$(
        impl Twin for $t {
            type Part = $t;
        }
    )*};
}
others!(bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
