//! Loops that assign rows, columns or elements one after another, as programs in NumPy have them:
//! what they cost is what an expression costs, hundreds of times.

use super::{GOLDEN, SQRT_2, compare, spread};
use crate::measure::Bench;
use lazuli::prelude::*;

type A = DeviceArray<f64>;

/// A matrix of numbers spread over a range.
fn matrix(rows: usize, columns: usize, low: f64, high: f64) -> Result<A> {
    let a = spread::<f64>(rows * columns, GOLDEN, low, high)?.reshape([rows, columns]);
    a.eval()?;
    Ok(a)
}

/// Times a loop over an array of its own, and compares what it leaves with the same on the host.
fn form(
    bench: &mut Bench,
    start: &A,
    run: impl Fn(&mut A) -> Result<()>,
    on_host: impl FnOnce(&mut [f64]),
) -> Result<()> {
    let result = || {
        let mut a = start.clone();
        run(&mut a)?;
        a.eval().map(|()| a)
    };
    bench.form(
        "lazy",
        0,
        || result().map(drop),
        || {
            let mut expected = start.to_vec()?;
            on_host(&mut expected);
            compare(result()?.to_vec()?.into_iter().zip(expected), 1e-9)
        },
    )
}

/// Every row from the one before.
pub fn rows(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    form(
        bench,
        &matrix(rows, columns, 0.0, 1.0)?,
        |a| {
            for k in 1..rows {
                a.assign(s![k, ..], a.slice(s![k - 1, ..]) * 0.5 + a.slice(s![k, ..]));
            }
            Ok(())
        },
        |a| (columns..a.len()).for_each(|k| a[k] += a[k - columns] * 0.5),
    )
}

/// Every element from the one before.
pub fn elements(bench: &mut Bench, n: usize) -> Result<()> {
    form(
        bench,
        &spread::<f64>(n, GOLDEN, 0.0, 1.0)?,
        |x| {
            for k in 1..n {
                x.assign(s![k], x.slice(s![k - 1]) * 0.5 + x.slice(s![k]));
            }
            Ok(())
        },
        |x| (1..n).for_each(|k| x[k] += x[k - 1] * 0.5),
    )
}

/// Gram-Schmidt's orthogonalisation of the columns, as NPBench has it.
pub fn gramschmidt(bench: &mut Bench, rows: usize, columns: usize) -> Result<()> {
    // Far from singular: the host's sums have another order.
    let a = matrix(rows, columns, -0.1, 0.1)? + A::eye_with(rows, columns, 0);
    a.eval()?;
    form(
        bench,
        &a,
        |a| {
            let mut r = A::zeros([columns, columns]);
            for k in 0..columns {
                let column = a.slice(s![.., k]);
                r.assign(s![k, k], (&column * &column).sum(..).sqrt());
                a.assign(s![.., k], &column / r.slice(s![k, k]));
                let q = a.slice(s![.., k]);
                for j in k + 1..columns {
                    let column = a.slice(s![.., j]);
                    r.assign(s![k, j], (&q * &column).sum(..));
                    a.assign(s![.., j], column - &q * r.slice(s![k, j]));
                }
            }
            r.eval()
        },
        |a| {
            let dot = |a: &[f64], k: usize, j: usize| -> f64 {
                (0..rows).map(|i| a[i * columns + k] * a[i * columns + j]).sum()
            };
            for k in 0..columns {
                let length = dot(a, k, k).sqrt();
                (0..rows).for_each(|i| a[i * columns + k] /= length);
                for j in k + 1..columns {
                    let along = dot(a, k, j);
                    (0..rows).for_each(|i| a[i * columns + j] -= a[i * columns + k] * along);
                }
            }
        },
    )
}

/// The LU decomposition, element by element, as NPBench has it.
pub fn lu(bench: &mut Bench, n: usize) -> Result<()> {
    let a = matrix(n, n, 0.0, 1.0)? + A::eye(n) * (n as f64);
    a.eval()?;
    form(
        bench,
        &a,
        |a| {
            for i in 0..n {
                for j in 0..n {
                    let k = i.min(j);
                    let sum = (a.slice(s![i, ..k]) * a.slice(s![..k, j])).sum(..);
                    let value = a.slice(s![i, j]) - sum;
                    let value = if j < i { value / a.slice(s![j, j]) } else { value };
                    a.assign(s![i, j], value);
                }
            }
            Ok(())
        },
        |a| {
            for i in 0..n {
                for j in 0..n {
                    let sum: f64 = (0..i.min(j)).map(|m| a[i * n + m] * a[m * n + j]).sum();
                    let value = a[i * n + j] - sum;
                    a[i * n + j] = if j < i { value / a[j * n + j] } else { value };
                }
            }
        },
    )
}

/// Sweeps of Gauss and Seidel over nine neighbours, as NPBench has them.
pub fn seidel(bench: &mut Bench, n: usize, sweeps: usize) -> Result<()> {
    form(
        bench,
        &spread::<f64>(n * n, SQRT_2, 0.0, 1.0)?.reshape([n, n]),
        |a| {
            for _ in 0..sweeps {
                for i in 1..n - 1 {
                    let others = a.slice(s![i - 1, ..-2])
                        + a.slice(s![i - 1, 1..-1])
                        + a.slice(s![i - 1, 2..])
                        + a.slice(s![i, 2..])
                        + a.slice(s![i + 1, ..-2])
                        + a.slice(s![i + 1, 1..-1])
                        + a.slice(s![i + 1, 2..]);
                    a.assign(s![i, 1..-1], a.slice(s![i, 1..-1]) + others);
                    for j in 1..n - 1 {
                        a.assign(s![i, j], (a.slice(s![i, j]) + a.slice(s![i, j - 1])) / 9.0);
                    }
                }
            }
            Ok(())
        },
        |a| {
            for _ in 0..sweeps {
                for i in 1..n - 1 {
                    for j in 1..n - 1 {
                        let three = |y: usize| a[y * n + j - 1] + a[y * n + j] + a[y * n + j + 1];
                        a[i * n + j] = (three(i - 1) + three(i) + three(i + 1)) / 9.0;
                    }
                }
            }
        },
    )
}
