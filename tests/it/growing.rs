//! Loops whose slices lie at one place after another, or grow: how many plans they make, and that
//! they give what plain loops give.

use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;
use lazuli::{Counters, counters};
use ndarray::{Array1, Array2, Array3, s as host};

#[path = "../../benches/npbench/programs/fractals.rs"]
#[allow(dead_code, clippy::too_many_arguments)]
mod fractals;
#[path = "../../benches/npbench/programs/triangles.rs"]
#[allow(dead_code)]
mod triangles;

type A = DeviceArray<f64>;

/// What a piece of code made the evaluator do.
fn did<R>(f: impl FnOnce() -> R) -> (R, Counters) {
    let before = counters();
    let result = f();
    let after = counters();
    let mut spent = after;
    spent.plans -= before.plans;
    spent.kernels -= before.kernels;
    spent.compiled -= before.compiled;
    (result, spent)
}

fn numbers(n: usize, seed: u64) -> Array1<f64> {
    let mut rng = Rng(seed);
    (0..n).map(|_| (rng.next() >> 11) as f64 / (1u64 << 53) as f64 - 0.5).collect()
}

/// Durbin's recursion for the Yule-Walker equations, in plain loops.
fn plain_durbin(r: &Array1<f64>) -> Array1<f64> {
    let mut y = Array1::zeros(r.len());
    let (mut alpha, mut beta) = (-r[0], 1.0);
    y[0] = -r[0];
    for k in 1..r.len() {
        beta *= 1.0 - alpha * alpha;
        let product: f64 = (0..k).map(|i| r[k - 1 - i] * y[i]).sum();
        alpha = -(r[k] + product) / beta;
        let old = y.clone();
        (0..k).for_each(|i| y[i] += alpha * old[k - 1 - i]);
        y[k] = alpha;
    }
    y
}

/// Slices of all lengths are assigned to one array: each turn makes a plan or two of its own, not
/// one with what is left of the turns before, and later runs make none.
#[test]
fn regions_that_grow() {
    on_each_device(|_| {
        let n = 160;
        let host = numbers(n, 3).mapv(|x| 0.2 * x);
        let r = A::from_ndarray(&host).unwrap();
        let want = plain_durbin(&host);
        let runs: Vec<Counters> = (0..8)
            .map(|_| {
                let (found, spent) = did(|| triangles::durbin(&r).to_vec().unwrap());
                for (found, want) in found.iter().zip(&want) {
                    assert!((found - want).abs() <= 1e-11, "{found} where {want} is right");
                }
                assert!(spent.kernels <= 5 * n as u64, "{} kernels", spent.kernels);
                spent
            })
            .collect();
        let plans: Vec<u64> = runs.iter().map(|spent| spent.plans).collect();
        assert!(plans.iter().sum::<u64>() <= 3 * n as u64, "{plans:?} plans");
        assert!(plans[7] <= n as u64 / 40, "{plans:?} plans");
    });
}

/// Small products of matrices that are taken from larger arrays at one place after another.
#[test]
fn products_at_many_places() {
    on_each_device(|device| {
        let (n, m) = (40, 3);
        let stack = |seed| {
            let values = numbers(n * m * m, seed).into_raw_vec_and_offset().0;
            Array3::from_shape_vec((n, m, m), values).unwrap()
        };
        let (a, b) = (stack(1), stack(2));
        let (x, y) = (A::from_ndarray(&a).unwrap(), A::from_ndarray(&b).unwrap());
        let mut total = A::zeros([n, m, m]);
        let (_, spent) = did(|| {
            for k in 0..n {
                let left = x.slice(s![k, .., ..]).matmul(&y.slice(s![n - 1 - k, .., ..]));
                let all = left.matmul(&y.slice(s![k / 2, .., ..])) * x.slice(s![k, 1, 2]);
                total.assign(s![k, .., ..], total.slice(s![k, .., ..]) + all);
            }
            total.eval().unwrap();
        });
        let found = total.copy_to_host().unwrap();
        for k in 0..n {
            let part = |of: &Array3<f64>, k: usize| of.slice(host![k, .., ..]).to_owned();
            let left: Array2<f64> = part(&a, k).dot(&part(&b, n - 1 - k));
            let want = left.dot(&part(&b, k / 2)) * a[[k, 1, 2]];
            for (i, want) in want.indexed_iter() {
                let found = found[[k, i.0, i.1]];
                assert!((found - want).abs() <= 1e-12, "{k}, {i:?}: {found} for {want}");
            }
        }
        // A GPU's library is told where its matrices begin.
        if !device.is_cuda() {
            assert!(spent.plans <= 12, "{} plans for {n} places", spent.plans);
        }
    });
}

/// A matrix times a vector, row by row and column by column of what is stored.
#[test]
fn products_with_rows_and_columns_of_a_matrix() {
    on_each_device(|device| {
        let (n, m) = (300, 200);
        let values = numbers(n * m, 5).into_raw_vec_and_offset().0;
        let host = Array2::from_shape_vec((n, m), values).unwrap();
        let data = A::from_ndarray(&host).unwrap();
        let mut found = A::zeros([m, m]);
        let (_, spent) = did(|| {
            for i in 0..m {
                let row = data.slice(s![.., i]).matmul(&data.slice(s![.., i..m]));
                found.assign(s![i..m, i], &row);
                found.assign(s![i, i..m], row);
            }
            found.eval().unwrap();
        });
        let (want, found) = (host.t().dot(&host), found.copy_to_host().unwrap());
        for (at, want) in want.indexed_iter() {
            let found = found[[at.0, at.1]];
            assert!((found - want).abs() <= 1e-11, "{at:?}: {found} for {want}");
        }
        if !device.is_cuda() {
            assert!(spent.plans <= 4 * m as u64, "{} plans for {m} rows", spent.plans);
        }
    });
}

/// A row or an element of an array that is read whole as well.
#[test]
fn parts_beside_the_whole() {
    on_each_device(|_| {
        let n = 48;
        let host = numbers(n * 5, 7).into_shape_with_order((n, 5)).unwrap();
        let p = A::from_ndarray(&host).unwrap();
        let square = numbers(n * n, 8).into_shape_with_order((n, n)).unwrap();
        let m = A::from_ndarray(&square).unwrap();
        let line = numbers(n, 9);
        let x = A::from_ndarray(&line).unwrap();
        // What is read, of which part of which array, and what comes out.
        type Step<'a> = (&'a str, &'a dyn Fn(usize) -> A, &'a dyn Fn(usize) -> Vec<f64>);
        let steps: [Step; 7] = [
            (
                "a row of each row",
                &|i| {
                    let (rows, row) = (p.insert_axis(1), p.slice(s![i, ..]));
                    (rows - row.insert_axis(0)).square().sum(2).reshape([n])
                },
                &|i| {
                    let rows = host.rows().into_iter();
                    rows.map(|row| (&row - &host.row(i)).mapv(|d| d * d).sum()).collect()
                },
            ),
            ("a transposed matrix", &|i| (m.t() * m.slice(s![i, ..])).sum(1), &|i| {
                square.t().dot(&square.row(i)).to_vec()
            }),
            ("a row", &|i| (&p - p.slice(s![i, ..])).square().sum(1), &|i| {
                let rows = host.rows().into_iter();
                rows.map(|row| (&row - &host.row(i)).mapv(|d| d * d).sum()).collect()
            }),
            ("a column", &|i| (&p * p.slice(s![.., i % 5..i % 5 + 1])).sum(1), &|i| {
                host.rows().into_iter().map(|row| row.sum() * row[i % 5]).collect()
            }),
            ("an element", &|i| &x * x.slice(s![i]) + x.slice(s![n - 1 - i]), &|i| {
                line.iter().map(|v| v * line[i] + line[n - 1 - i]).collect()
            }),
            ("a product", &|i| m.dot(&m.slice(s![i, ..])), &|i| {
                square.dot(&square.row(i)).to_vec()
            }),
            ("order", &|i| (&p - p.slice(s![i, ..])).abs().sum(1).sort(0), &|i| {
                let off = |row: ndarray::ArrayView1<f64>| {
                    row.iter().zip(host.row(i)).map(|(a, b)| (a - b).abs()).sum::<f64>()
                };
                let mut sums: Vec<f64> = host.rows().into_iter().map(off).collect();
                sums.sort_by(f64::total_cmp);
                sums
            }),
        ];
        for (name, step, plain) in steps {
            let (_, spent) = did(|| {
                for i in 0..n {
                    let found = step(i).to_vec().unwrap();
                    for (found, wanted) in found.into_iter().zip(plain(i)) {
                        assert!((found - wanted).abs() < 1e-12, "{name} {i}: {found} for {wanted}");
                    }
                }
            });
            assert!(spent.plans <= 8, "{name}: {} plans for {n} places", spent.plans);
        }
        // What is overwritten is read as it was before.
        let mut q = A::from_ndarray(&host).unwrap();
        let mut wanted = host.clone();
        for i in 0..n {
            q.assign(s![i, ..], (&q - q.slice(s![n - 1 - i, ..])).sum(0));
            let row = (&wanted - &wanted.row(n - 1 - i)).sum_axis(ndarray::Axis(0));
            wanted.row_mut(i).assign(&row);
            if i % 7 == 0 {
                let scale = wanted.iter().fold(1.0f64, |most, v| most.max(v.abs()));
                q = &q / scale;
                wanted /= scale;
            }
        }
        let scale = wanted.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        for (found, wanted) in q.to_vec().unwrap().into_iter().zip(wanted) {
            assert!((found - wanted).abs() <= 1e-9 * scale, "{found} for {wanted}");
        }
    });
}

/// A search tries one change of what it has after another, and keeps some.
#[test]
fn changes_of_copies_at_many_places() {
    on_each_device(|device| {
        let n = 600;
        let line = numbers(n, 3);
        let places: Vec<(usize, usize)> = (0..200).map(|k| (k * 37 % (n - 9), 9)).collect();
        let lengths: Vec<(usize, usize)> =
            (0..200).map(|k| (k * 23 % 40, 2 + k * 7 % 18)).collect();
        for (varied, tried) in [(false, places), (true, lengths)] {
            let mut best = A::from_ndarray(&line).unwrap();
            let (mut host, mut kept) = (line.to_vec(), 0);
            let (_, spent) = did(|| {
                for &(i, len) in &tried {
                    let mut new = best.clone();
                    new.assign(s![i..i + len], best.slice(s![i..i + len]).flip(0) * 0.5);
                    let mut wanted = host.clone();
                    for k in 0..len {
                        wanted[i + k] = host[i + len - 1 - k] * 0.5;
                    }
                    let rough = |x: &[f64]| x.windows(2).map(|p| (p[1] - p[0]).abs()).sum::<f64>();
                    let found = new.diff(1, 0).abs().sum(..).item().unwrap();
                    assert!((found - rough(&wanted)).abs() < 1e-12, "{i} {len}");
                    if (i + len) % 11 == 0 {
                        (best, host, kept) = (new, wanted, kept + 1);
                    }
                }
            });
            assert!(kept > 5);
            assert_eq!(best.to_vec().unwrap(), host);
            // Sixteen places have plans of their own, and a few are for how the others lie to packs. A GPU
            // plans for each of the 18 lengths.
            let most = if varied && device.is_cuda() { 60 } else { 32 };
            assert!(spent.plans <= most, "{} plans for {} places", spent.plans, tried.len());
        }
        // What comes again has a plan of its own, and is one evaluation of one kernel.
        let a = A::from_ndarray(&line).unwrap();
        let again = |k: usize| {
            let mut b = a.clone();
            b.assign(s![k % 30..k % 30 + 5], 1.0);
            b.sum(..).item().unwrap()
        };
        (0..150).for_each(|k| assert!(again(k).is_finite()));
        let (_, spent) = did(|| (0..30).for_each(|k| assert!(again(k).is_finite())));
        assert_eq!((spent.plans, spent.kernels), (0, 30));
        assert_eq!(a.to_vec().unwrap(), line.to_vec());
    });
}

/// Few values put to a long array again and again are written in place.
#[test]
fn puts_upon_puts() {
    on_each_device(|device| {
        let n = 100_000;
        let mut x = A::zeros(n);
        x.eval().unwrap();
        let places = DeviceArray::<i64>::from_slice(&[5, 70_000]).unwrap();
        let before = counters().allocated;
        for k in 0..40 {
            x.put(&places, k as f64, 0);
            x.put([k as isize, -1 - k as isize], 1.0, 0);
        }
        x.eval().unwrap();
        let allocated = counters().allocated - before;
        let mut want = vec![0.0; n];
        for k in 0..40 {
            (want[5], want[70_000]) = (k as f64, k as f64);
            (want[k], want[n - 1 - k]) = (1.0, 1.0);
        }
        assert_eq!(x.to_vec().unwrap(), want);
        if !device.is_cuda() {
            assert!(allocated < 4 * 8 * n as u64, "{allocated} bytes");
        }
    });
}

/// A loop over slices or masks of all lengths runs thousands of kernels of few kinds.
#[test]
fn few_kinds_of_kernels() {
    on_each_device(|_| {
        let n = 40;
        let mut values = numbers(n * n, 7).into_raw_vec_and_offset().0;
        (0..n).for_each(|k| values[k * n + k] += n as f64);
        let host = Array2::from_shape_vec((n, n), values).unwrap();
        let symmetric = &host + &host.t();
        let spd = A::from_ndarray(&symmetric).unwrap();
        let (factor, first) = did(|| triangles::cholesky(spd).copy_to_host().unwrap());
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let product: f64 = (0..=j).map(|k| factor[[i, k]] * factor[[j, k]]).sum();
            let want = symmetric[[i, j]];
            assert!((product - want).abs() <= 1e-12 * n as f64, "{i}, {j}: {product} for {want}");
        }
        let (_, second) = did(|| {
            let (xn, yn) = (60, 50);
            fractals::mandelbrot2(-2.0, 0.5, -1.25, 1.25, xn, yn, 30, 2.0).unwrap().1.to_vec()
        });
        for (spent, most) in [(first, 20), (second, 24)] {
            assert!(spent.kernels >= 100, "{} kernels", spent.kernels);
            assert!(spent.compiled <= most, "{} of {} kernels", spent.compiled, spent.kernels);
        }
    });
}
