//! # A spline by least squares, and its slope
//!
//! Through noisy points no curve should go exactly.
//! [`make_lsq_spline`](lazuli::interpolate::make_lsq_spline()) fits a spline with few knots, as
//! `scipy.interpolate.make_lsq_spline` does;
//! [`make_interp_spline`](lazuli::interpolate::make_interp_spline()) goes through all points. Both
//! return a [`BSpline`](lazuli::interpolate::BSpline), whose derivative and antiderivative are splines
//! again. Knots are a slice, the ones at the ends as often as the degree says and once more, as in
//! SciPy.
//!
//! Grey 200 measurements of sin(x), blue the fit, red its derivative.

use lazuli::interpolate::{BSpline, make_lsq_spline};
use lazuli::prelude::*;
use lazuli::random::Generator;

type Array = DeviceArray<f64>;

pub fn measured(n: usize) -> (Array, Array) {
    let x = Array::linspace(0.0, 10.0, n);
    let noise: Array = Generator::new(5).normal(0.0, 0.2, n);
    let y = x.sin() + noise;
    (x, y)
}

pub fn fitted(x: &Array, y: &Array) -> Result<BSpline<f64>> {
    let inner = (1..6).map(|k| k as f64 * 10.0 / 6.0);
    let knots: Vec<f64> = [0.0; 4].into_iter().chain(inner).chain([10.0; 4]).collect();
    make_lsq_spline(x, y, &knots, 3, None)
}

#[test]
fn the_slope_is_a_cosine() -> Result<()> {
    let (x, y) = measured(200);
    let spline = fitted(&x, &y)?;
    let inner = Array::linspace(1.0, 9.0, 100);
    assert!((spline.at(&inner) - inner.sin()).abs().max(..).item()? < 0.12);
    assert!((spline.derivative()?.at(&inner) - inner.cos()).abs().mean(..).item()? < 0.15);
    Ok(())
}
