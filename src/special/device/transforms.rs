//! Box and Cox's transforms and their inverses, functions of angles in degrees, and differences from
//! 1 that would cancel.

use crate::device;
use crate::vectorize;
use std::f64::consts::PI;

/// `(exp(lambda y) - 1) / lambda`, also where the exponential alone would overflow.
#[device]
fn scaled_exp(y: f64, lambda: f64) -> f64 {
    let power = lambda * y;
    // The transform is the logarithm where lambda changes nothing.
    if lambda == 0.0 || (power.abs() < 1e-300 && y.is_finite()) {
        return if lambda.is_nan() { lambda } else { y };
    }
    if power < 709.0 || power == f64::INFINITY || power.is_nan() {
        return power.exp_m1() / lambda;
    }
    let size = (power - lambda.abs().ln()).exp();
    (if lambda < 0.0 { -size } else { size }) - 1.0 / lambda
}

/// Box and Cox's transform, `(x^lambda - 1) / lambda`.
#[vectorize]
pub fn boxcox(x: f64, lambda: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { scaled_exp(x.ln(), lambda) }
}

/// Box and Cox's transform of `1 + x`.
#[vectorize]
pub fn boxcox1p(x: f64, lambda: f64) -> f64 {
    if x < -1.0 { f64::NAN } else { scaled_exp(x.ln_1p(), lambda) }
}

/// `ln(1 + lambda y) / lambda`.
#[device]
fn scaled_ln(y: f64, lambda: f64) -> f64 {
    let product = lambda * y;
    if lambda == 0.0 || (product.abs() < 1e-300 && lambda.is_finite()) {
        return y;
    }
    if product == f64::INFINITY && y.is_finite() && lambda.is_finite() {
        return (lambda.abs().ln() + y.abs().ln()) / lambda;
    }
    product.ln_1p() / lambda
}

/// The inverse of `boxcox`.
#[vectorize]
pub fn inv_boxcox(y: f64, lambda: f64) -> f64 {
    scaled_ln(y, lambda).exp()
}

/// The inverse of `boxcox1p`.
#[vectorize]
pub fn inv_boxcox1p(y: f64, lambda: f64) -> f64 {
    scaled_ln(y, lambda).exp_m1()
}

/// `cos(x) - 1`.
#[vectorize]
pub fn cosm1(x: f64) -> f64 {
    let sine = (0.5 * x).sin();
    -2.0 * sine * sine
}

/// `(exp(x) - 1) / x`, 1 at zero.
#[vectorize]
pub fn exprel(x: f64) -> f64 {
    if x.abs() < 1e-16 {
        return 1.0;
    }
    if x == f64::INFINITY {
        return x;
    }
    if x > 700.0 {
        // The exponential alone would overflow before the result does.
        let half = (0.5 * x).exp();
        return half / x * half;
    }
    x.exp_m1() / x
}

/// The rest of an angle in degrees from the nearest multiple of a right angle, in radians, and which
/// of four that is; without rounding before the last step.
#[device]
fn right_angles(x: f64) -> (f64, i32) {
    let rest = x % 360.0;
    let turns = (rest / 90.0).round();
    let angle = (rest - 90.0 * turns) * (PI / 180.0);
    let quarter = if turns < 0.0 { turns + 4.0 } else { turns };
    (angle, if quarter.is_nan() { 0 } else { quarter as i32 % 4 })
}

/// The sine of an angle in degrees.
#[vectorize]
pub fn sindg(x: f64) -> f64 {
    let (angle, quarter) = right_angles(x);
    let value = if quarter % 2 == 0 { angle.sin() } else { angle.cos() };
    if quarter >= 2 { -value } else { value }
}

/// The cosine of an angle in degrees.
#[vectorize]
pub fn cosdg(x: f64) -> f64 {
    let (angle, quarter) = right_angles(x);
    let value = if quarter % 2 == 0 { angle.cos() } else { angle.sin() };
    if quarter == 1 || quarter == 2 { -value } else { value }
}

/// The tangent of an angle in degrees; infinite at odd multiples of 90.
#[vectorize]
pub fn tandg(x: f64) -> f64 {
    let (angle, quarter) = right_angles(x);
    if quarter % 2 == 0 {
        return if angle == 0.0 { 0.0 } else { exact_tan(angle, x) };
    }
    if angle == 0.0 { f64::INFINITY } else { -1.0 / exact_tan(angle, x) }
}

/// The cotangent of an angle in degrees; infinite at multiples of 180.
#[vectorize]
pub fn cotdg(x: f64) -> f64 {
    let (angle, quarter) = right_angles(x);
    if quarter % 2 == 1 {
        return if angle == 0.0 { 0.0 } else { -exact_tan(angle, x) };
    }
    if angle == 0.0 { f64::INFINITY } else { 1.0 / exact_tan(angle, x) }
}

/// The tangent of the rest of an angle, 1 where that is half a right angle.
#[device]
fn exact_tan(angle: f64, x: f64) -> f64 {
    if (x % 90.0).abs() == 45.0 { 1f64.copysign(angle) } else { angle.tan() }
}

/// Degrees, minutes and seconds in radians.
#[vectorize]
pub fn radian(d: f64, m: f64, s: f64) -> f64 {
    (s / 3600.0 + m / 60.0 + d) * (PI / 180.0)
}
