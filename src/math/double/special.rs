//! Special functions that are rarely hot, from the correctly rounding library `pxfm`.

use super::erf::erfc;
use super::exp::exp;
use pxfm::{f_erfcinv, f_erfinv, f_i0, f_i1, f_j0, f_j1, f_lgamma, f_tgamma, f_y0, f_y1};

macro_rules! library {
    ($($name:ident = $library:ident;)+) => {$(
        pub(crate) fn $name(x: f64) -> f64 {
            $library(x)
        }
    )+};
}

library! {
    erfinv = f_erfinv;
    lgamma = f_lgamma;
    bessel_j0 = f_j0;
    bessel_j1 = f_j1;
    bessel_y0 = f_y0;
    bessel_y1 = f_y1;
    bessel_i0 = f_i0;
    bessel_i1 = f_i1;
}

/// The inverse of `erfc`. The library is right up to 1, and odd about it.
pub(crate) fn erfcinv(x: f64) -> f64 {
    if !(0.0..=2.0).contains(&x) {
        return f64::NAN;
    }
    if x > 1.0 { -erfcinv_below_one(2.0 - x) } else { erfcinv_below_one(x) }
}

/// In the tail the library loses digits, which one step of Newton's method gives back; where x is
/// nearly subnormal, `erfc` has too few itself.
fn erfcinv_below_one(x: f64) -> f64 {
    let y = f_erfcinv(x);
    if !(1e-300..1e-3).contains(&x) {
        return y;
    }
    let slope = -std::f64::consts::FRAC_2_SQRT_PI * exp(-y * y);
    y - (erfc(y) - x) / slope
}

/// The gamma function; at zero it has the zero's sign.
pub(crate) fn gamma(x: f64) -> f64 {
    if x == 0.0 { 1.0 / x } else { f_tgamma(x) }
}
