//! Special functions that are rarely hot, from the correctly rounding library `pxfm`.

use pxfm::{f_i0, f_i1, f_j0, f_j1, f_y0, f_y1};

macro_rules! library {
    ($($name:ident = $library:ident;)+) => {$(
        pub fn $name(x: f64) -> f64 {
            $library(x)
        }
    )+};
}

library! {
    bessel_j0 = f_j0;
    bessel_j1 = f_j1;
    bessel_y0 = f_y0;
    bessel_y1 = f_y1;
    bessel_i0 = f_i0;
    bessel_i1 = f_i1;
}
