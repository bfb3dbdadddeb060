//! Workloads that reduce.

use super::{GOLDEN, SQRT_2, SQRT_3, at, compare, places, row, spread};
use crate::measure::Bench;
use lazuli::prelude::*;

fn matrix(rows: usize, columns: usize, low: f64, high: f64) -> Result<DeviceArray<f32>> {
    Ok(spread::<f32>(rows * columns, GOLDEN, low, high)?.reshape([rows, columns]))
}

pub fn rowsum(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    let a = matrix(rows, columns, 0.75, 1.25)?;
    let result = || {
        let s = a.sum(1);
        s.eval().map(|()| s)
    };
    bench.form(
        "lazy",
        4 * rows * columns,
        || result().map(drop),
        || {
            let s = result()?;
            let pair = |&i: &usize| Ok((at(&s, i)?, row(&a, i)?.iter().sum()));
            let pairs: Result<Vec<_>> = places(rows).iter().map(pair).collect();
            compare(pairs?, 1e-5)
        },
    )
}

pub fn colsum(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    let a = matrix(rows, columns, 0.75, 1.25)?;
    let result = || {
        let s = a.sum(0);
        s.eval().map(|()| s)
    };
    bench.form(
        "lazy",
        4 * rows * columns,
        || result().map(drop),
        || {
            let s = result()?;
            let pair = |&i: &usize| Ok((at(&s, i)?, row(&a.t(), i)?.iter().sum()));
            let pairs: Result<Vec<_>> = places(columns).iter().map(pair).collect();
            compare(pairs?, 1e-5)
        },
    )
}

/// The factors of the second half are the inverses of those of the first, so that the product is 1;
/// their logarithms are spread evenly around 0, so that no part of it overflows.
pub fn prod(bench: &mut Bench, n: usize) -> Result<()> {
    let first = spread::<f64>(n / 2, GOLDEN, -0.25, 0.25)?.exp();
    let x = lazuli::concatenate(&[&first, &first.reciprocal()], 0);
    x.eval()?;
    drop(first);
    let result = || {
        let p = x.prod(..);
        p.eval().map(|()| p)
    };
    bench.form("lazy", 8 * n, || result().map(drop), || compare([(result()?.item()?, 1.0)], 1e-9))
}

pub fn sumsq(bench: &mut Bench, n: usize) -> Result<()> {
    let (x, y) = (spread::<f32>(n, GOLDEN, 0.0, 1.0)?, spread::<f32>(n, SQRT_2, 0.0, 1.0)?);
    let result = || {
        let s = (&x - &y).square().sum(..);
        s.eval().map(|()| s)
    };
    // Both are spread evenly and independently, where the mean of the squares is a sixth.
    bench.form(
        "lazy",
        8 * n,
        || result().map(drop),
        || compare([(f64::from(result()?.item()?), n as f64 / 6.0)], 1e-3),
    )
}

pub fn softmax(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    let x = matrix(rows, columns, -3.0, 3.0)?;
    let formula = || {
        let e = (&x - x.max(keep(1))).exp();
        let p = &e / e.sum(keep(1));
        p.eval().map(|()| p)
    };
    let method = || {
        let p = x.softmax(1);
        p.eval().map(|()| p)
    };
    let check = |p: DeviceArray<f32>| {
        let mut pairs = Vec::new();
        for i in places(rows) {
            let e: Vec<f64> = row(&x, i)?.into_iter().map(f64::exp).collect();
            let sum: f64 = e.iter().sum();
            let scale = columns as f64;
            pairs.extend(row(&p, i)?.into_iter().zip(e).map(|(p, e)| (p * scale, e / sum * scale)));
        }
        compare(pairs, 1e-4)
    };
    let bytes = 8 * rows * columns;
    bench.form("formula", bytes, || formula().map(drop), || check(formula()?))?;
    bench.form("softmax()", bytes, || method().map(drop), || check(method()?))
}

pub fn standardize(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    let x = matrix(rows, columns, -3.0, 3.0)?;
    let result = || {
        let z = (&x - x.mean(keep(1))) / x.std(keep(1));
        z.eval().map(|()| z)
    };
    bench.form(
        "lazy",
        8 * rows * columns,
        || result().map(drop),
        || {
            let z = result()?;
            let mut pairs = Vec::new();
            for i in places(rows) {
                let x = row(&x, i)?;
                let n = columns as f64;
                let mean = x.iter().sum::<f64>() / n;
                let std = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
                pairs.extend(row(&z, i)?.into_iter().zip(x.iter().map(|x| (x - mean) / std)));
            }
            compare(pairs, 1e-4)
        },
    )
}

/// The squared distance of each point to its nearest neighbour, itself kept away by 9.
pub fn pairwise_min(bench: &mut Bench, n: usize) -> Result<()> {
    let axis = |ratio| spread::<f32>(n, ratio, 0.0, 1.0);
    let p = lazuli::stack(&[&axis(GOLDEN)?, &axis(SQRT_2)?, &axis(SQRT_3)?], 1);
    p.eval()?;
    let result = || {
        let between = (p.insert_axis(1) - p.insert_axis(0)).square().sum(-1);
        let nearest = (between + DeviceArray::<f32>::eye(n) * 9.0).min(1);
        nearest.eval().map(|()| nearest)
    };
    bench.form(
        "lazy",
        0,
        || result().map(drop),
        || {
            let (found, points) = (result()?, p.to_vec()?);
            let mut pairs = Vec::new();
            for i in places(n) {
                let nearest = (0..n).filter(|&j| j != i).map(|j| {
                    (0..3).map(|k| f64::from(points[3 * i + k] - points[3 * j + k]).powi(2)).sum()
                });
                let nearest = nearest.fold(f64::INFINITY, f64::min);
                pairs.push((at(&found, i)? / nearest, 1.0));
            }
            compare(pairs, 1e-3)
        },
    )
}

/// The sum of everything up to each element.
pub fn cumsum(bench: &mut Bench, n: usize) -> Result<()> {
    let x = spread::<f32>(n, GOLDEN, -0.5, 0.5)?;
    let result = || {
        let sums = x.cumsum(0);
        sums.eval().map(|()| sums)
    };
    let check = || {
        let (host, sums) = (x.to_vec()?, result()?);
        let mut pairs = Vec::new();
        for i in places(n) {
            let exact: f64 = host[..=i].iter().map(|&x| f64::from(x)).sum();
            pairs.push((at(&sums, i)?, exact));
        }
        // Sums of numbers about zero stay small, and what is rounded on the way adds up.
        compare(pairs, 1e-2)
    };
    bench.form("lazy", 8 * n, || result().map(drop), check)
}

/// The largest element stands at a place of our choice.
pub fn argmax(bench: &mut Bench, n: usize) -> Result<()> {
    let mut x = spread::<f32>(n, GOLDEN, 0.0, 1.0)?;
    let place = n - n / 7;
    x.assign(s![place..=place], 2.0);
    x.eval()?;
    let result = || {
        let k = x.argmax(..);
        k.eval().map(|()| k)
    };
    bench.form(
        "lazy",
        4 * n,
        || result().map(drop),
        || compare([(result()?.item()? as f64, place as f64)], 0.0),
    )
}
