//! The functions that are computed in double precision and rounded.

use crate::math::double;

macro_rules! wide {
    ($($name:ident($($arg:ident),+);)+) => {$(
        #[inline(always)]
        pub fn $name($($arg: f32),+) -> f32 {
            double::$name($($arg as f64),+) as f32
        }
    )+};
}

wide! {
    tan(x); tan_full(x); sinc(x); asinh(x); acosh(x); atanh(x); cbrt(x); hypot(x, y); erfc(x);
}

/// Where `tan` is not right.
#[inline(always)]
pub fn tan_rare(x: f32) -> bool {
    double::sin_rare(f64::from(x))
}
