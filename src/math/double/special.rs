//! Special functions that are rarely hot, from the correctly rounding library `pxfm`.

use pxfm::{f_i0, f_i1, f_j0, f_j1, f_lgamma, f_tgamma, f_y0, f_y1};

macro_rules! library {
    ($($name:ident = $library:ident;)+) => {$(
        pub(crate) fn $name(x: f64) -> f64 {
            $library(x)
        }
    )+};
}

library! {
    lgamma = f_lgamma;
    bessel_j0 = f_j0;
    bessel_j1 = f_j1;
    bessel_y0 = f_y0;
    bessel_y1 = f_y1;
    bessel_i0 = f_i0;
    bessel_i1 = f_i1;
}

/// The gamma function; at zero it has the zero's sign, and where it is too small for a number the
/// sign that it alternates to.
pub(crate) fn gamma(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0 / x;
    }
    let y = f_tgamma(x);
    let is_odd = x.floor() % 2.0 != 0.0;
    match y == 0.0 {
        true => 0f64.copysign(if is_odd { -1.0 } else { 1.0 }),
        false => y,
    }
}
