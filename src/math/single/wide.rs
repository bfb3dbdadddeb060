//! The functions that are computed in double precision and rounded.

use crate::math::double;

macro_rules! wide {
    ($($name:ident($($arg:ident),+);)+) => {$(
        #[inline(always)]
        pub(crate) fn $name($($arg: f32),+) -> f32 {
            double::$name($($arg as f64),+) as f32
        }
    )+};
}

wide! {
    exp2(x); exp10(x); exp_m1(x);
    log2(x); log10(x); ln_1p(x);
    tan(x); tan_full(x);
    sinc(x); asin(x); acos(x); atan(x); atan2(y, x);
    sinh(x); cosh(x); tanh(x); asinh(x); acosh(x); atanh(x);
    pow(x, y); cbrt(x); hypot(x, y);
    erf(x); erfc(x);
}

/// Where `tan` is not right.
#[inline(always)]
pub(crate) fn tan_rare(x: f32) -> bool {
    double::sin_rare(f64::from(x))
}
