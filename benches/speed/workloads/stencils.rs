//! Workloads in which an element looks at its neighbours.

use super::{GOLDEN, compare, places, row, spread};
use crate::measure::Bench;
use lazuli::prelude::*;

/// One sweep: the inner part becomes the mean of an element and its four neighbours.
pub fn jacobi2d(bench: &mut Bench, n: usize) -> Result<()> {
    let a = spread::<f64>(n * n, GOLDEN, 0.0, 1.0)?.reshape([n, n]);
    a.eval()?;
    let sweep = || {
        let b = sweep(&a);
        b.eval().map(|()| b)
    };
    bench.form(
        "lazy",
        16 * n * n,
        || sweep().map(drop),
        || {
            let b = sweep()?;
            let mut pairs: Vec<(f64, f64)> = row(&b, 0)?.into_iter().zip(row(&a, 0)?).collect();
            for y in places(n - 2) {
                let [above, here, below] = [row(&a, y)?, row(&a, y + 1)?, row(&a, y + 2)?];
                let got = row(&b, y + 1)?;
                pairs.push((got[0], here[0]));
                pairs.extend((1..n - 1).map(|x| {
                    let sum = here[x] + here[x - 1] + here[x + 1] + below[x] + above[x];
                    (got[x], 0.2 * sum)
                }));
            }
            compare(pairs, 1e-13)
        },
    )
}

/// One sweep over a square with fixed edges.
fn sweep(a: &Rows) -> Rows {
    let inner = 0.2
        * (a.slice(s![1..-1, 1..-1])
            + a.slice(s![1..-1, ..-2])
            + a.slice(s![1..-1, 2..])
            + a.slice(s![2.., 1..-1])
            + a.slice(s![..-2, 1..-1]));
    a.with_slice(s![1..-1, 1..-1], inner)
}

/// Many sweeps: evaluated one by one, as a compiled function, and as one loop.
pub fn jacobi_sweeps(bench: &mut Bench, n: usize, sweeps: usize) -> Result<()> {
    let a = spread::<f64>(n * n, GOLDEN, 0.0, 1.0)?.reshape([n, n]);
    a.eval()?;
    let one_by_one = || {
        let mut a = a.clone();
        for _ in 0..sweeps {
            a = sweep(&a);
            a.eval()?;
        }
        Ok(a)
    };
    let recorded = lazuli::compile(|a: &Rows| sweep(a));
    let compiled = || (0..sweeps).try_fold(a.clone(), |a, _| recorded.call(&a));
    let looped = || {
        let a = lazuli::repeat(sweeps, a.clone(), |a| sweep(&a));
        a.eval().map(|()| a)
    };
    let check = |end: Rows| {
        let mut now = a.to_vec()?;
        for _ in 0..sweeps {
            let before = now.clone();
            for at in (n..n * (n - 1)).filter(|at| at % n > 0 && at % n < n - 1) {
                let around = before[at - 1] + before[at + 1] + before[at - n] + before[at + n];
                now[at] = 0.2 * (before[at] + around);
            }
        }
        compare(end.to_vec()?.into_iter().zip(now), 1e-12)
    };
    let bytes = sweeps * 16 * n * n;
    bench.form("step by step", bytes, || one_by_one().map(drop), || check(one_by_one()?))?;
    bench.form("compiled", bytes, || compiled().map(drop), || check(compiled()?))?;
    bench.form("repeat", bytes, || looped().map(drop), || check(looped()?))
}

type Rows = DeviceArray<f64>;

/// The right side of Lorenz' equations of 1996 along the rows.
fn slope(z: &Rows) -> Rows {
    (z.roll(-1, 1) - z.roll(2, 1)) * z.roll(1, 1) - z + 8.0
}

/// One Runge-Kutta step.
fn step(z: &Rows) -> Rows {
    const H: f64 = 0.01;
    let k1 = slope(z);
    let k2 = slope(&(z + 0.5 * H * &k1));
    let k3 = slope(&(z + 0.5 * H * &k2));
    let k4 = slope(&(z + H * &k3));
    z + H / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
}

/// The same on the host, for one row.
fn host_step(z: &[f64]) -> Vec<f64> {
    const H: f64 = 0.01;
    let n = z.len();
    let slope = |z: &[f64]| -> Vec<f64> {
        let right = |i: usize| (z[(i + 1) % n] - z[(i + n - 2) % n]) * z[(i + n - 1) % n];
        (0..n).map(|i| right(i) - z[i] + 8.0).collect()
    };
    let moved =
        |h: f64, k: &[f64]| -> Vec<f64> { z.iter().zip(k).map(|(z, k)| z + h * k).collect() };
    let k1 = slope(z);
    let k2 = slope(&moved(0.5 * H, &k1));
    let k3 = slope(&moved(0.5 * H, &k2));
    let k4 = slope(&moved(H, &k3));
    (0..n).map(|i| z[i] + H / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])).collect()
}

/// Some steps from one state: evaluated one by one, and recorded together.
pub fn lorenz_rk4(bench: &mut Bench, members: usize, points: usize, steps: usize) -> Result<()> {
    let z = spread::<f64>(members * points, GOLDEN, 7.98, 8.02)?.reshape([members, points]);
    z.eval()?;
    let one_by_one = || {
        let mut z = z.clone();
        for _ in 0..steps {
            z = step(&z);
            z.eval()?;
        }
        Ok(z)
    };
    let together = || {
        let z = (0..steps).fold(z.clone(), |z, _| step(&z));
        z.eval().map(|()| z)
    };
    let recorded = lazuli::compile(|z: &DeviceArray<f64>| step(z));
    let compiled = || (0..steps).try_fold(z.clone(), |z, _| recorded.call(&z));
    let check = |end: Rows| {
        let mut pairs = Vec::new();
        for i in places(members) {
            let right = (0..steps).fold(row(&z, i)?, |z, _| host_step(&z));
            pairs.extend(row(&end, i)?.into_iter().zip(right));
        }
        compare(pairs, 1e-9)
    };
    let bytes = steps * 16 * members * points;
    bench.form("step by step", bytes, || one_by_one().map(drop), || check(one_by_one()?))?;
    bench.form("compiled", bytes, || compiled().map(drop), || check(compiled()?))?;
    if steps > 1 {
        bench.form("all recorded", bytes, || together().map(drop), || check(together()?))?;
        let looped = || {
            let z = lazuli::repeat(steps, z.clone(), |z| step(&z));
            z.eval().map(|()| z)
        };
        bench.form("repeat", bytes, || looped().map(drop), || check(looped()?))?;
        let recorded = lazuli::compile(|z: &Rows| lazuli::repeat(steps, z.clone(), |z| step(&z)));
        let looped = || recorded.call(&z);
        bench.form("repeat, compiled", bytes, || looped().map(drop), || check(looped()?))?;
    }
    Ok(())
}
