//! Workloads that move elements to other places, and factorisations of many small matrices.

use super::{GOLDEN, SQRT_2, array_form, at, compare, places, spread};
use crate::measure::Bench;
use lazuli::prelude::*;

/// Arrays of one length, joined.
pub fn join(bench: &mut Bench, count: usize, n: usize) -> Result<()> {
    let part = |k: usize| spread::<f32>(n, GOLDEN, k as f64, k as f64 + 1.0);
    let parts = (0..count).map(part).collect::<Result<Vec<_>>>()?;
    array_form(
        bench,
        "concatenate",
        8 * count * n,
        || lazuli::try_concatenate(&parts, 0),
        |joined| {
            let mut pairs = Vec::new();
            for (k, part) in parts.iter().enumerate() {
                for i in places(n) {
                    pairs.push((at(&joined, k * n + i)?, at(part, i)?));
                }
            }
            compare(pairs, 0.0)
        },
    )
}

/// Rows added to those that positions name.
pub fn add_rows(bench: &mut Bench, rows: usize, count: usize, columns: usize) -> Result<()> {
    let sums = DeviceArray::<f32>::zeros([rows, columns]);
    let values = spread::<f32>(count * columns, SQRT_2, 0.0, 1.0)?.reshape([count, columns]);
    let positions = (spread::<f64>(count, GOLDEN, 0.0, rows as f64)?).floor().cast::<i64>();
    lazuli::eval(&[&sums, &positions, &values])?;
    let bytes = 4 * columns * (count + 2 * rows) + 8 * count;
    let check = |sums: DeviceArray<f32>| {
        let total = |a: &DeviceArray<f32>| a.cast::<f64>().sum(..).item();
        compare([(total(&sums)? / total(&values)?, 1.0)], 1e-5)
    };
    let ordered = || sums.try_scatter_add(&positions, &values, 0);
    array_form(bench, "scatter_add", bytes, ordered, check)?;
    let unordered = || sums.try_scatter_add_unordered(&positions, &values, 0);
    array_form(bench, "scatter_add_unordered", bytes, unordered, check)
}

/// Singular values and vectors of many square matrices.
pub fn svd(bench: &mut Bench, batch: usize, n: usize) -> Result<()> {
    let a = spread::<f32>(batch * n * n, SQRT_2, -1.0, 1.0)?.sin().reshape([batch, n, n]);
    a.eval()?;
    let parts = || {
        let (u, s, vh) = a.try_svd()?;
        lazuli::eval(&[&u, &s, &vh]).map(|()| (u, s, vh))
    };
    bench.form(
        "svd",
        0,
        || parts().map(drop),
        || {
            let (u, s, vh) = parts()?;
            let error = (u * s.insert_axis(1)).matmul(&vh) - &a;
            compare([(f64::from(error.abs().max(..).item()?), 0.0)], 1e-4)
        },
    )
}
