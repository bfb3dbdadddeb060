//! Special functions that are rarely hot, from the correctly rounding library `pxfm`.

use pxfm::{f_i0f, f_i1f, f_j0f, f_j1f, f_lgammaf, f_tgammaf, f_y0f, f_y1f};

macro_rules! library {
    ($($name:ident = $library:ident;)+) => {$(
        pub fn $name(x: f32) -> f32 {
            $library(x)
        }
    )+};
}

library! {
    lgamma = f_lgammaf;
    bessel_j0 = f_j0f;
    bessel_j1 = f_j1f;
    bessel_y0 = f_y0f;
    bessel_y1 = f_y1f;
    bessel_i0 = f_i0f;
    bessel_i1 = f_i1f;
}

/// The gamma function; at zero it has the zero's sign.
pub fn gamma(x: f32) -> f32 {
    // What is subnormal or zero is right, and has the right sign, by way of `f64`.
    if x < -30.0 {
        return crate::math::double::gamma(f64::from(x)) as f32;
    }
    if x == 0.0 { 1.0 / x } else { f_tgammaf(x) }
}
