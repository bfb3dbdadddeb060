//! The normal distribution function, its inverse and its logarithm, and those of the error functions
//! that need care in the tails.

use crate::device;
use crate::device::Float;
use crate::vectorize;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// The distribution function of the standard normal distribution.
#[vectorize]
pub fn ndtr(x: f64) -> f64 {
    0.5 * erfc_of_root(-x)
}

/// `erfc(x / √2)`. Where the tail is steep the rounding of the quotient is put right by the slope.
#[device]
fn erfc_of_root(x: f64) -> f64 {
    const LOW: f64 = -4.833646656726457e-17;
    let z = x * FRAC_1_SQRT_2;
    let value = Float::erfc(z);
    if z > 1.0 && z < 40.0 {
        let lost = x.mul_add(FRAC_1_SQRT_2, -z) + x * LOW;
        // The slope over the value is near -(z + sqrt(z² + 4/π)).
        return value - value * lost * (z + (z * z + 1.2732395447351628).sqrt());
    }
    value
}

/// The inverse of `ndtr`, the quantiles of the standard normal distribution.
#[vectorize]
pub fn ndtri(p: f64) -> f64 {
    if p <= 0.5 {
        -SQRT_2 * Float::erfcinv(2.0 * p)
    } else {
        SQRT_2 * Float::erfcinv(2.0 * (1.0 - p))
    }
}

/// The logarithm of `ndtr`, also where that would vanish.
#[vectorize]
pub fn log_ndtr(x: f64) -> f64 {
    if x > -1.0 {
        return (-0.5 * erfc_of_root(x)).ln_1p();
    }
    if x > -30.0 {
        return (0.5 * erfc_of_root(-x)).ln();
    }
    // The asymptotic series of Mills' ratio, DLMF 7.12.1.
    let t = 1.0 / (x * x);
    let mut p = -945.0 * t + 105.0;
    p = p * t - 15.0;
    p = p * t + 3.0;
    p = p * t - 1.0;
    -0.5 * x * x - (-x).ln() - 0.9189385332046728 + (p * t).ln_1p()
}
