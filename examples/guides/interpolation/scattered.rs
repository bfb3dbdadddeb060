//! # Scattered points
//!
//! Heights are known at sixty places. [`NearestND`](lazuli::interpolate::NearestND) gives that of the
//! nearest place, [`Rbf`](lazuli::interpolate::Rbf) a smooth surface through all of them: SciPy's
//! `NearestNDInterpolator` and `RBFInterpolator`. A surface by radial functions solves a dense system
//! with an unknown for each point when it is first evaluated, so it is for thousands of points and not
//! for millions. Both hold every place against every point, inside one kernel; the distances are not
//! stored. Where a point comes twice the system is singular, and the evaluation returns an error.
//!
//! White the points; on the left the nearest height, on the right a thin plate.

use lazuli::interpolate::{Kernel, NearestND, Rbf};
use lazuli::prelude::*;
use lazuli::random::Generator;

type Array = DeviceArray<f64>;

fn hills(points: &Array) -> Array {
    let (x, y) = (points.slice(s![.., 0]), points.slice(s![.., 1]));
    (6.0 * x).sin() + (5.0 * y).cos()
}

pub fn measured(n: usize) -> (Array, Array) {
    let points: Array = Generator::new(12).random([n, 2]);
    let heights = hills(&points);
    (points, heights)
}

pub fn mapped(points: &Array, heights: &Array, n: usize) -> Result<[Array; 2]> {
    let line = Array::linspace(0.0, 1.0, n);
    let (y, x) = (line.insert_axis(1), line.insert_axis(0));
    let places = stack(&[&x.broadcast_to([n, n]), &y.broadcast_to([n, n])], -1);
    let plate = Rbf::new(points, heights, Kernel::ThinPlateSpline, 0.0)?;
    Ok([NearestND::new(points, heights)?.at(&places), plate.at(&places)])
}

#[test]
fn the_plate_goes_through_the_points() -> Result<()> {
    let (points, heights) = measured(60);
    let plate = Rbf::new(&points, &heights, Kernel::ThinPlateSpline, 0.0)?;
    assert!((plate.at(&points) - &heights).abs().max(..).item()? < 1e-9);
    let between = DeviceArray::try_from([[0.5, 0.5]])?;
    assert!((plate.at(&between) - hills(&between)).abs().item()? < 0.1);
    Ok(())
}
