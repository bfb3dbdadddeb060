//! Workloads that compute every element by itself.

use super::{GOLDEN, SQRT_2, array_form, at, compare, kernel_form, places, spread, tolerance};
use crate::measure::{Bench, Check};
use crate::programs;
use lazuli::prelude::*;
use std::f64::consts::TAU;

/// Reads and writes every element once: what a kernel without arithmetic reaches.
pub fn copy(bench: &mut Bench, n: usize) -> Result<()> {
    let x = spread::<f32>(n, GOLDEN, 0.0, 1.0)?;
    bench.form(
        "-x",
        8 * n,
        || (-&x).eval(),
        || {
            let y = -&x;
            compare([(at(&y, n - 1)?, -at(&x, n - 1)?)], 0.0)
        },
    )
}

/// One number, doubled.
#[vectorize]
fn twice(x: f64) -> f64 {
    2.0 * x
}

pub fn scale(bench: &mut Bench, n: usize) -> Result<()> {
    const THREADS: usize = 128;
    let x = spread::<f64>(n, GOLDEN, 0.0, 1.0)?;
    let check = |y: DeviceArray<f64>| -> Check {
        let pair = |&i: &usize| Ok((at(&y, i)?, 2.0 * at(&x, i)?));
        let pairs: Result<Vec<_>> = places(n).iter().map(pair).collect();
        compare(pairs?, 0.0)
    };
    let (bytes, blocks) = (16 * n, n.div_ceil(THREADS));
    array_form(bench, "lazy", bytes, || Ok(&x * 2.0), check)?;
    array_form(bench, "vectorize", bytes, || Ok(twice::call(&x)), check)?;
    let launch =
        |y: &mut DeviceArray<f64>| programs::scale::scaled.launch(blocks, THREADS, (&x, 2.0, y));
    kernel_form(bench, "kernel", bytes, DeviceArray::try_zeros(n)?, launch, check)
}

pub fn sinexp<T: Float>(bench: &mut Bench, n: usize) -> Result<()> {
    let (x, y) = (spread::<T>(n, GOLDEN, 0.0, TAU)?, spread::<T>(n, SQRT_2, 1.0, 1.6)?);
    let check = |z: DeviceArray<T>| -> Check {
        let pair = |&i: &usize| Ok((at(&z, i)?, at(&x, i)?.sin() * at(&y, i)?.exp()));
        let pairs: Result<Vec<_>> = places(n).iter().map(pair).collect();
        compare(pairs?, tolerance::<T>())
    };
    let bytes = 3 * n * size_of::<T>();
    array_form(bench, "lazy", bytes, || Ok(x.sin() * y.exp()), check)?;
    let vectorized = || Ok(programs::sinexp::per_element::call(&x, &y));
    array_form(bench, "vectorize", bytes, vectorized, check)
}

/// Thirty operations on a thousand elements: what is measured is the host.
pub fn dispatch(bench: &mut Bench) -> Result<()> {
    let x = spread::<f32>(1000, GOLDEN, 0.0, 1.0)?;
    let result = || {
        let mut y = x.clone();
        for _ in 0..10 {
            y = y.sin() * 1.01 + 0.5;
        }
        y.eval().map(|()| y)
    };
    let recorded = lazuli::compile(|x: &DeviceArray<f32>| {
        (0..10).fold(x.clone(), |y, _| y.sin() * 1.01 + 0.5)
    });
    let check = |y: DeviceArray<f32>| {
        let chain = |x: f64| (0..10).fold(x, |y, _| y.sin() * 1.01 + 0.5);
        let pairs: Result<Vec<_>> =
            places(1000).iter().map(|&i| Ok((at(&y, i)?, chain(at(&x, i)?)))).collect();
        compare(pairs?, 1e-5)
    };
    bench.form("lazy", 0, || result().map(drop), || check(result()?))?;
    bench.form("compiled", 0, || recorded.call(&x).map(drop), || check(recorded.call(&x)?))
}
