//! # Three ways through the same points
//!
//! [`cubic_spline`](lazuli::interpolate::cubic_spline()) is the smoothest curve through points and
//! swings beyond them beside a step. [`akima`](lazuli::interpolate::akima()) swings less, and
//! [`pchip`](lazuli::interpolate::pchip()) not at all: it rises where the points rise and is level
//! where they are. SciPy: `CubicSpline`, `Akima1DInterpolator`, `PchipInterpolator`. Coefficients are
//! computed on the host, in `f64`, when an interpolant is made; points that do not rise are an error
//! then. [`at`](lazuli::interpolate::PPoly::at()) records, and the search for the interval and the
//! polynomial are one kernel with what stands around them.
//!
//! Eight points: blue the spline, green Akima's curve, orange pchip's.

use lazuli::interpolate::{Boundary, akima, cubic_spline, pchip};
use lazuli::prelude::*;

pub const HEIGHTS: [f64; 8] = [0.0, 0.0, 0.1, 0.9, 1.0, 0.9, 0.3, 0.3];

pub fn three_ways(at: &DeviceArray<f64>) -> Result<[DeviceArray<f64>; 3]> {
    let x = DeviceArray::<f64>::arange_to(8.0);
    let y = DeviceArray::from_slice(&HEIGHTS)?;
    let spline = cubic_spline(&x, &y, Boundary::NotAKnot)?;
    Ok([spline.at(at), akima(&x, &y)?.at(at), pchip(&x, &y)?.at(at)])
}

#[test]
fn pchip_stays_between_the_points() -> Result<()> {
    let [spline, akima, pchip] = three_ways(&DeviceArray::linspace(0.0, 7.0, 701))?;
    assert!(pchip.min(..).item()? > -1e-12 && pchip.max(..).item()? < 1.0 + 1e-12);
    assert!(spline.max(..).item()? > 1.02 && spline.min(..).item()? < -0.04);
    let apart = (spline - akima).abs().max(..);
    assert_eq!(explain(&[&apart]).kernels(), 1);
    Ok(())
}
