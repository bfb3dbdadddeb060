//! # A density from points
//!
//! [`GaussianKde`](lazuli::stats::GaussianKde) is `scipy.stats.gaussian_kde`: a normal distribution
//! around each point, with the covariance of all points made narrower by Scott's factor or another.
//! Points are columns of a `[d, n]` array, places as well, as in SciPy. Every place is held against
//! every point in one kernel, without an array of the pairs.
//!
//! The density of 400 points, which are orange.

use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::stats::{Bandwidth, GaussianKde};

type Array = DeviceArray<f64>;

pub fn two_clouds(n: usize) -> Array {
    let mut rng = Generator::new(9);
    let right = rng.random::<f64>(n).greater(0.4).cast::<f64>();
    let [dx, dy]: [Array; 2] = [0, 1].map(|_| rng.normal(0.0, 0.8, n));
    stack(&[3.0 * &right - 1.8 + &dx, 0.7 * dx - right + dy], 0)
}

pub fn map(points: &Array, n: usize) -> Result<Array> {
    let line = Array::linspace(-4.0, 4.0, n);
    let (y, x) = (line.insert_axis(1), line.insert_axis(0));
    let places = stack(&[&x.broadcast_to([n, n]), &y.broadcast_to([n, n])], 0);
    let density = GaussianKde::new(points, Bandwidth::Scott)?;
    Ok(density.at(&places.reshape([2, n * n])).reshape([n, n]))
}

#[test]
fn all_points_are_somewhere() -> Result<()> {
    let map = map(&two_clouds(400), 81)?;
    let cell = 0.1 * 0.1;
    assert!((map.sum(..).item()? * cell - 1.0).abs() < 0.01);
    Ok(())
}
