//! Workloads that reduce.

use super::{GOLDEN, SQRT_2, SQRT_3, array_form, at, compare, places, row, spread};
use crate::measure::{Bench, Check};
use crate::programs::{product, row_sum};
use lazuli::prelude::*;

fn matrix<T: Floating>(rows: usize, columns: usize, low: f64, high: f64) -> Result<DeviceArray<T>> {
    Ok(spread::<T>(rows * columns, GOLDEN, low, high)?.reshape([rows, columns]))
}

pub fn rowsum(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    let a = matrix::<f32>(rows, columns, 0.75, 1.25)?;
    let check = |s: DeviceArray<f32>| -> Check {
        let pair = |&i: &usize| Ok((at(&s, i)?, row(&a, i)?.iter().sum()));
        let pairs: Result<Vec<_>> = places(rows).iter().map(pair).collect();
        compare(pairs?, 1e-5)
    };
    let bytes = 4 * rows * columns;
    array_form(bench, "lazy", bytes, || Ok(a.sum(1)), check)?;
    array_form(bench, "guvectorize", bytes, || Ok(row_sum::row_sum_of::call(&a)), check)
}

pub fn colsum(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    let a = matrix::<f32>(rows, columns, 0.75, 1.25)?;
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
    let check = |p: DeviceArray<f64>| compare([(p.item()?, 1.0)], 1e-9);
    array_form(bench, "lazy", 8 * n, || Ok(x.prod(..)), check)?;
    array_form(bench, "reduce", 8 * n, || Ok(product::times::reduce(&x, ..)), check)
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

/// What is accepted of values that a row's sum divides.
fn tolerance<T: Floating>() -> f64 {
    if T::DTYPE == DType::F16 { 1e-2 } else { 1e-4 }
}

pub fn softmax<T: Floating>(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    let x = matrix::<T>(rows, columns, -3.0, 3.0)?;
    let formula = || {
        let e = (&x - x.max(keep(1))).exp();
        let p = &e / e.sum(keep(1));
        p.eval().map(|()| p)
    };
    let method = || {
        let p = x.softmax(1);
        p.eval().map(|()| p)
    };
    let check = |p: DeviceArray<T>| {
        let mut pairs = Vec::new();
        for i in places(rows) {
            let e: Vec<f64> = row(&x, i)?.into_iter().map(f64::exp).collect();
            let sum: f64 = e.iter().sum();
            let scale = columns as f64;
            pairs.extend(row(&p, i)?.into_iter().zip(e).map(|(p, e)| (p * scale, e / sum * scale)));
        }
        compare(pairs, tolerance::<T>())
    };
    let bytes = 2 * size_of::<T>() * rows * columns;
    bench.form("formula", bytes, || formula().map(drop), || check(formula()?))?;
    bench.form("softmax()", bytes, || method().map(drop), || check(method()?))
}

pub fn standardize<T: Floating>(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    let x = matrix::<T>(rows, columns, -3.0, 3.0)?;
    let result = || {
        let z = (&x - x.mean(keep(1))) / x.std(keep(1));
        z.eval().map(|()| z)
    };
    bench.form(
        "lazy",
        2 * size_of::<T>() * rows * columns,
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
            compare(pairs, tolerance::<T>())
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

/// The sum of everything up to each element, held against sums in double precision.
///
/// - The numbers that are timed are multiples of 2⁻¹⁰ about zero, whose sums stay below 2¹³: every
///   sum of neighbours is a number of 24 bits, so that any order of additions gives the exact
///   result, and one lost or doubled element shows.
/// - Of positive numbers, k roundings on the way of a result change it by no more than k·u parts,
///   u = 2⁻²⁴. A tree has about log₂ n on each way, and so much is allowed. Adding one element
///   after the other has up to n: past 2²⁴, where the sum no longer sees numbers below 1, it loses
///   a third and more.
pub fn cumsum(bench: &mut Bench, n: usize) -> Result<()> {
    let x = spread::<f32>(n, GOLDEN, -512.0, 512.0)?.round() / 1024.0;
    x.eval()?;
    let check = |sums: DeviceArray<f32>| {
        let exact = compare(sums_beside(&x, &sums)?, 0.0)?;
        let positive = spread::<f32>(n, GOLDEN, 0.0, 1.0)?;
        let allowed = f64::from(f32::EPSILON) / 2.0 * (n as f64).log2();
        let near = compare(sums_beside(&positive, &positive.cumsum(0))?, allowed)?;
        Ok(exact.and(near))
    };
    array_form(bench, "lazy", 8 * n, || Ok(x.cumsum(0)), check)
}

/// The sums up to each element, and what they are in double precision.
fn sums_beside(
    x: &DeviceArray<f32>,
    sums: &DeviceArray<f32>,
) -> Result<impl Iterator<Item = (f64, f64)>> {
    let (x, sums) = (x.to_vec()?, sums.to_vec()?);
    let mut exact = 0.0;
    Ok(sums.into_iter().zip(x).map(move |(sum, x)| {
        exact += f64::from(x);
        (f64::from(sum), exact)
    }))
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
