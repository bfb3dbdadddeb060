//! Workloads on rings of points: weighted sums around each, and Lorenz's model III.

use super::{GOLDEN, array_form, at, compare, kernel_form, places, row, spread};
use crate::measure::{Bench, Check};
use crate::programs::common::plain;
use crate::programs::lorenz04::{Model, step_of_rings};
use crate::programs::smooth as program;
use lazuli::prelude::*;

type Rows = DeviceArray<f64>;

/// A weighted sum around each point of a ring.
pub fn smooth(bench: &mut Bench, n: usize, m: usize) -> Result<()> {
    let z = spread::<f64>(n, GOLDEN, 0.0, 1.0)?;
    let reach = (m / 2) as f64;
    let weight = |k: usize| 1.0 - (k as f64 - reach).abs() / (reach + 0.5);
    let weights: Vec<f64> = (0..m).map(weight).collect();
    let a = DeviceArray::from_slice(&weights)?;
    let check = |x: Rows| -> Check {
        let host = [z.to_vec()?, weights.clone()].map(ndarray::Array1::from);
        let right = plain::smooth(&host[0], &host[1]);
        let pairs: Result<Vec<_>> = places(n).iter().map(|&i| Ok((at(&x, i)?, right[i]))).collect();
        compare(pairs?, 1e-13)
    };
    let bytes = 8 * (2 * n + m);
    array_form(bench, "lazy", bytes, || Ok(program::smooth(&z, &a)), check)?;
    let launch = |x: &mut Rows| {
        let blocks = n.div_ceil(program::BLOCK);
        program::smooth_points.launch(blocks, program::BLOCK, (&z, &a, x))
    };
    kernel_form(bench, "kernel", bytes, DeviceArray::try_zeros(n)?, launch, check)?;
    array_form(bench, "guvectorize", bytes, || Ok(program::smooth_loops::call(&z, &a)), check)
}

/// Rings near the forcing, each with a wave of its own.
fn rings(members: usize, points: usize) -> Result<Rows> {
    let z = spread::<f64>(members * points, GOLDEN, 14.9, 15.1)?.reshape([members, points]);
    z.eval().map(|()| z)
}

/// Looks at some rings after some steps.
fn check_rings(start: &Rows, end: Rows, steps: usize) -> Check {
    let mut pairs = Vec::new();
    for i in places(start.shape()[0]) {
        let right = (0..steps).fold(row(start, i)?, |z, _| plain::lorenz04::step(&z));
        pairs.extend(row(&end, i)?.into_iter().zip(right));
    }
    compare(pairs, 1e-12)
}

/// One Runge-Kutta step.
pub fn lorenz04(bench: &mut Bench, members: usize, points: usize) -> Result<()> {
    let (z, model) = (rings(members, points)?, Model::new()?);
    let compiled = lazuli::compile(|z: &Rows| model.step(z));
    let (bytes, check) = (16 * members * points, |end| check_rings(&z, end, 1));
    array_form(bench, "lazy", bytes, || Ok(model.step(&z)), check)?;
    array_form(bench, "compiled", bytes, || compiled.call(&z), check)?;
    array_form(bench, "guvectorize", bytes, || Ok(step_of_rings(&z)), check)
}

/// Some steps, each evaluated where it ends.
pub fn lorenz04_steps(
    bench: &mut Bench,
    members: usize,
    points: usize,
    steps: usize,
) -> Result<()> {
    let (z, model) = (rings(members, points)?, Model::new()?);
    let compiled = lazuli::compile(|z: &Rows| model.step(z));
    let (bytes, check) = (16 * steps * members * points, |end| check_rings(&z, end, steps));
    let repeated = |step: &dyn Fn(&Rows) -> Result<Rows>| {
        (0..steps).try_fold(z.clone(), |z, _| step(&z).and_then(|z| z.eval().map(|()| z)))
    };
    array_form(bench, "lazy", bytes, || repeated(&|z| Ok(model.step(z))), check)?;
    array_form(bench, "compiled", bytes, || repeated(&|z| compiled.call(z)), check)?;
    array_form(bench, "guvectorize", bytes, || repeated(&|z| Ok(step_of_rings(z))), check)?;
    let looped = || Ok(lazuli::repeat(steps, z.clone(), |z| model.step(&z)));
    array_form(bench, "repeat", bytes, looped, check)?;
    let recorded = lazuli::compile(|z: &Rows| lazuli::repeat(steps, z.clone(), |z| model.step(&z)));
    array_form(bench, "repeat, compiled", bytes, || recorded.call(&z), check)?;
    let looped = || Ok(lazuli::repeat(steps, z.clone(), |z| step_of_rings(&z)));
    array_form(bench, "repeat, guvectorize", bytes, looped, check)
}
