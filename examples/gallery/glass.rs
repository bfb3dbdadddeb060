//! # Stained glass
//!
//! Voronoi's cells: each pixel has the colour of the nearest site, and is dark where a second site
//! is nearly as near. The distances of all pixels to all sites are written by broadcasting, as in
//! NumPy (`x[:, None] - sx`), where they would fill 69 MB. Here the kernel that computes them
//! reduces them, to the nearest site and to both distances, and they are never stored.

use lazuli::prelude::*;
use lazuli::random::Generator;

const TINTS: [[f64; 3]; 6] = [
    [0.85, 0.15, 0.15],
    [1.00, 0.75, 0.20],
    [0.15, 0.30, 0.80],
    [0.20, 0.60, 0.85],
    [0.10, 0.55, 0.35],
    [0.55, 0.20, 0.60],
];

pub fn glass(n: usize, sites: usize) -> Result<DeviceArray<f64>> {
    let mut rng = Generator::new(8);
    let [sx, sy] = [0, 1].map(|_| rng.random::<f64>(sites));
    let tints = DeviceArray::try_from(TINTS)?.take(rng.integers(0..6i64, sites), 0);
    let colours = tints * (0.6 + 0.4 * rng.random::<f64>([sites, 1]));
    let x = DeviceArray::<f64>::linspace(0.0, 1.0, n).insert_axis(1);
    let y = DeviceArray::<f64>::linspace(0.0, 1.0, n).reshape([n, 1, 1]);
    let distance = (x - sx).hypot(y - sy); // n × n × sites
    let nearest = distance.argmin(-1);
    let others = DeviceArray::<i64>::arange_to(sites as i64).not_equal(nearest.insert_axis(-1));
    let second = others.select(&distance, f64::INFINITY).min(-1);
    let lead = ((second - distance.min(-1)) * (8.0 * (sites as f64).sqrt()) - 0.3).clip(0.0, 1.0);
    Ok(colours.take(nearest, 0) * lead.sqrt().insert_axis(-1))
}

#[test]
fn between_two_sites_is_lead() -> Result<()> {
    let glass = glass(50, 20)?;
    assert_eq!((glass.shape(), glass.min(..).item()?), (&[50, 50, 3][..], 0.0));
    Ok(())
}
