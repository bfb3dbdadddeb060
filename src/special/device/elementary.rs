//! Functions for entropies, losses and logistic models, in the type of their arguments.

use super::gamma::ln_1p_minus;
use crate::device::Float;
use crate::vectorize;

/// `x ln(y)`, 0 where `x` is zero and `y` is a number.
#[vectorize]
pub fn xlogy<T: Float>(x: T, y: T) -> T {
    if x == T::ZERO && !y.is_nan() { T::ZERO } else { x * y.ln() }
}

/// `x ln(1 + y)`, 0 where `x` is zero and `y` is a number.
#[vectorize]
pub fn xlog1py<T: Float>(x: T, y: T) -> T {
    if x == T::ZERO && !y.is_nan() { T::ZERO } else { x * y.ln_1p() }
}

/// The entropy `-x ln(x)`, 0 at zero and minus infinity below.
#[vectorize]
pub fn entr<T: Float>(x: T) -> T {
    if x == T::ZERO {
        T::ZERO
    } else if x < T::ZERO {
        T::NEG_INFINITY
    } else {
        -x * x.ln()
    }
}

/// The relative entropy `x ln(x / y)`, 0 where `x` is zero, infinite out of the domain.
#[vectorize]
pub fn rel_entr<T: Float>(x: T, y: T) -> T {
    if x.is_nan() || y.is_nan() {
        return T::NAN;
    }
    if x == T::ZERO && y >= T::ZERO {
        return T::ZERO;
    }
    if x <= T::ZERO || y <= T::ZERO {
        return T::INFINITY;
    }
    let ratio = x / y;
    // Near 1 the quotient's rounding says more than its logarithm.
    if ratio > T::from_f64(0.5) && ratio < T::from_f64(2.0) {
        return x * ((x - y) / y).ln_1p();
    }
    if ratio > T::MIN_POSITIVE && ratio < T::INFINITY {
        return x * ratio.ln();
    }
    x * (x.ln() - y.ln())
}

/// The Kullback-Leibler divergence `x ln(x / y) - x + y`, without cancellation where both are near.
#[vectorize]
pub fn kl_div(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == 0.0 && y >= 0.0 {
        return y;
    }
    if x <= 0.0 || y <= 0.0 {
        return f64::INFINITY;
    }
    let t = (y - x) / x;
    if t > -0.5 && t < 1.0 {
        return -x * ln_1p_minus(t);
    }
    if x == f64::INFINITY || y == f64::INFINITY {
        return if x == y { f64::NAN } else { f64::INFINITY };
    }
    rel_entr(x, y) - x + y
}

/// Huber's loss of the residual `r`: its half square up to `delta`, a line beyond; infinite where
/// `delta` is negative.
#[vectorize]
pub fn huber<T: Float>(delta: T, r: T) -> T {
    let (half, size) = (T::from_f64(0.5), r.abs());
    if delta < T::ZERO {
        T::INFINITY
    } else if size <= delta {
        half * r * r
    } else {
        delta * (size - half * delta)
    }
}

/// The smooth form of Huber's loss, `delta² (sqrt(1 + (r / delta)²) - 1)`, without cancellation.
#[vectorize]
pub fn pseudo_huber<T: Float>(delta: T, r: T) -> T {
    if delta < T::ZERO {
        return T::INFINITY;
    }
    if delta == T::ZERO || r == T::ZERO {
        return if delta.is_nan() || r.is_nan() { T::NAN } else { T::ZERO };
    }
    if r.is_infinite() && delta.is_finite() {
        return T::INFINITY;
    }
    r * (r / (T::ONE + T::ONE.hypot(r / delta)))
}

/// The logistic function, `1 / (1 + exp(-x))`.
#[vectorize]
pub fn expit<T: Float>(x: T) -> T {
    let e = (-x.abs()).exp();
    let top = if x < T::ZERO { e } else { T::ONE };
    top / (T::ONE + e)
}

/// The inverse of the logistic function, `ln(p / (1 - p))`.
#[vectorize]
pub fn logit<T: Float>(p: T) -> T {
    let off = p + p - T::ONE;
    // Near a half the quotient's rounding says more than its logarithm.
    if off.abs() < T::from_f64(0.4) {
        off.ln_1p() - (-off).ln_1p()
    } else {
        (p / (T::ONE - p)).ln()
    }
}

/// The logarithm of the logistic function.
#[vectorize]
pub fn log_expit<T: Float>(x: T) -> T {
    let rest = (-x.abs()).exp().ln_1p();
    if x < T::ZERO { x - rest } else { -rest }
}

/// `ln(1 + exp(x))`.
#[vectorize]
pub fn softplus<T: Float>(x: T) -> T {
    let rest = (-x.abs()).exp().ln_1p();
    if x < T::ZERO { rest } else { x + rest }
}
