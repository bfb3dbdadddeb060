//! Divergences.

use super::formulas::rel_entr;
use super::gamma::ln_1p_minus;
use crate::vectorize;

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
