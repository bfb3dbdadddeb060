//! Workloads on random numbers, which are made inside the kernels.

use super::compare;
use crate::measure::Bench;
use lazuli::prelude::*;
use lazuli::random::Generator;
use std::cell::RefCell;
use std::f64::consts::PI;

/// Uniform numbers of [0, 1), new ones each time.
pub fn uniform<T: Component>(bench: &mut Bench, n: usize) -> Result<()> {
    let rng = RefCell::new(Generator::new(1));
    let draw = || rng.borrow_mut().try_random::<T>(n);
    bench.form(
        "Philox",
        n * size_of::<T>(),
        || draw()?.eval(),
        || {
            let u = draw()?;
            u.eval()?;
            // A mean of singles sums in singles.
            let u = u.cast::<f64>();
            let near = 4.0 / (n as f64).sqrt();
            let spread = u.var(..).item()?;
            compare([(u.mean(..).item()?, 0.5), (spread, 1.0 / 12.0)], near)
        },
    )
}

/// The part of points of the unit square that lie within a quarter of a circle.
pub fn mcpi(bench: &mut Bench, n: usize) -> Result<()> {
    let rng = RefCell::new(Generator::new(1));
    let mean = || -> Result<f64> {
        let mut rng = rng.borrow_mut();
        let (u, v) = (rng.try_random::<f32>(n)?, rng.try_random::<f32>(n)?);
        (u.square() + v.square()).less(1.0).mean(..).item()
    };
    bench.form(
        "lazy",
        0,
        || mean().map(drop),
        || compare([(4.0 * mean()?, PI)], 4.0 * 4.0 * 0.41 / (n as f64).sqrt() / PI),
    )
}
