//! # Lines, with and without outliers
//!
//! [`linregress`](lazuli::stats::linregress()) is `scipy.stats.linregress`: the slope and the
//! intercept, their errors, and the probability of such a slope by chance. Each is an array, and the
//! function takes axes, so that it fits thousands of lines at once. A few outliers pull the line of
//! least squares; [`theilslopes`](lazuli::stats::theilslopes()), the median of the slopes between all
//! pairs, hardly moves. Its arguments are places, then values, the other way round than SciPy's.
//!
//! Sixty points, of which every eighth is far off: blue least squares, red the median of slopes.

use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::stats::{Alternative, linregress, theilslopes};

type Array = DeviceArray<f64>;

pub fn measured(n: usize) -> (Array, Array) {
    let x = Array::linspace(0.0, 10.0, n);
    let noise: Array = Generator::new(11).normal(0.0, 0.5, n);
    let is_off = DeviceArray::<i64>::arange_to(n as i64).remainder(8).equal(0);
    let y = &x + 1.0 + noise + is_off.select(16.0 - 2.0 * &x, 0.0);
    (x, y)
}

/// The slopes and intercepts of both lines.
pub fn both(x: &Array, y: &Array) -> Result<((f64, f64), (f64, f64))> {
    let least = linregress(x, y, .., Alternative::TwoSided);
    let robust = theilslopes(x, y, 0.95)?;
    Ok(((least.slope.item()?, least.intercept.item()?), (robust.slope, robust.intercept)))
}

#[test]
fn outliers_pull_one_of_both() -> Result<()> {
    let (x, y) = measured(60);
    let ((least, _), (robust, _)) = both(&x, &y)?;
    assert!(least < 0.85 && (robust - 1.0).abs() < 0.07);
    Ok(())
}
