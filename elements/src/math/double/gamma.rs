//! The gamma function and the logarithm of its absolute value: the library `pxfm`, whose results
//! are rounded correctly but for the arguments that are treated here.

use super::bits::{fma, two_sum};
use super::lgamma_roots::ROOTS;
use super::log::ln;
use super::pow::ln_parts;
use pxfm::{f_lgamma, f_tgamma};

/// The gamma function; at zero it has the zero's sign, and where it is too small for a number the
/// sign that it alternates to.
pub fn gamma(x: f64) -> f64 {
    /// The library ends at 171.624, the numbers at 171.62437695630271.
    const LAST: std::ops::Range<f64> = 171.6..171.7;
    if x == 0.0 {
        return 1.0 / x;
    }
    if LAST.contains(&x) {
        return (x - 1.0) * f_tgamma(x - 1.0);
    }
    let y = f_tgamma(x);
    let is_odd = x.floor() % 2.0 != 0.0;
    match y == 0.0 {
        true => 0f64.copysign(if is_odd { -1.0 } else { 1.0 }),
        false => y,
    }
}

/// log |gamma x|.
pub fn lgamma(x: f64) -> f64 {
    if x.abs() < 1e-290 {
        return -ln(x.abs());
    }
    if x > 1e290 && x < f64::INFINITY {
        return far(x);
    }
    near_root(x).unwrap_or_else(|| f_lgamma(x))
}

/// Stirling's formula where nothing but its largest term is left.
fn far(x: f64) -> f64 {
    let (ln, ln_lo) = ln_parts(x);
    let (l, lo) = two_sum(ln, -1.0);
    let y = x * l;
    match y < f64::INFINITY {
        true => y + fma(x, lo + ln_lo, fma(x, l, -y)),
        false => y,
    }
}

/// The expansion about a negative root, a 128th of the distance to the next pole around it: there
/// the logarithm loses the digits that the terms of every other formula have in common.
fn near_root(x: f64) -> Option<f64> {
    if !(-17.0..-2.0).contains(&x) {
        return None;
    }
    let [root, root_lo, first @ .., last] = &ROOTS[(-2.0 * x).ceil() as usize - 5];
    let d = (x - root) - root_lo;
    let reach = (root - root.round()).abs() * 0.0078125;
    let sum = first.iter().rev().fold(*last, |sum, &c| fma(sum, d, c));
    (d.abs() <= reach).then_some(sum * d)
}
