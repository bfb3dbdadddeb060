//! Values that vary, and are one element for whole tiles: what a choice takes may be.

use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::{PadMode, concatenate, eval};

type Array = DeviceArray<f64>;

/// For all pairs of rows the sum of products, by plain loops, then the sum over the second row.
fn sums_of_pairs(rows: &[Vec<f64>]) -> Vec<f64> {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    rows.iter().map(|a| rows.iter().map(|b| product(a, b)).sum()).collect()
}

fn rows_of(n: usize, columns: usize) -> Vec<Vec<f64>> {
    (0..n).map(|r| (0..columns).map(|c| (r * columns + c) as f64 * 0.25 + 1.0).collect()).collect()
}

#[test]
fn choices_by_column_in_sums_over_pairs() {
    on_each_device(|_| {
        for n in [9, 33] {
            for columns in [2, 8] {
                let mut rows = rows_of(n, columns);
                let x = Array::from_vec([n, columns], rows.concat()).unwrap();
                let chosen = DeviceArray::<i64>::arange_to(columns as i64).greater(0);
                rows.iter_mut().for_each(|row| row[0] = 0.0);
                let mut assigned = x.clone();
                assigned.assign(s![.., 0], 0.0);
                let inner = x.slice(s![.., 1..]);
                let padded = inner.pad(&[(0, 0), (1, 0)], PadMode::Constant(0.0));
                let joined = concatenate(&[&Array::zeros([n, 1]), &inner], 1);
                let expected = sums_of_pairs(&rows);
                for s in [select(&chosen, &x, 0.0), assigned, padded, joined] {
                    let sums = (s.insert_axis(1) * &s).sum(2).sum(1);
                    assert_eq!(sums.to_vec().unwrap(), expected, "{n} rows of {columns}");
                    let norms = (s.insert_axis(1) - &s).square().sum(2).min(1);
                    assert_eq!(norms.to_vec().unwrap(), vec![0.0; n]);
                }
            }
        }
    });
}

#[test]
fn hundreds_of_computed_parts_are_joined() {
    on_each_device(|_| {
        let x = Array::linspace(0.0, 1.0, 300);
        let parts: Vec<Array> = (0..300).map(|k| x.slice(s![k..k + 1]) * (k as f64)).collect();
        let joined = concatenate(&parts, 0).to_vec().unwrap();
        let expected: Vec<f64> = x.to_vec().unwrap();
        let expected: Vec<f64> = expected.iter().enumerate().map(|(k, x)| x * k as f64).collect();
        assert_eq!(joined, expected);
    });
}

#[test]
fn what_was_extracted_is_extracted_from_again() {
    on_each_device(|_| {
        let (mut x, mut left) = (Array::linspace(0.0, 1.0, 300), Vec::new());
        left.extend(x.to_vec().unwrap());
        for k in 0..200 {
            let least = k as f64 * 0.004;
            x = x.extract(&x.greater(least)).unwrap() + 0.0005;
            left = left.iter().filter(|&&x| x > least).map(|x| x + 0.0005).collect();
        }
        // What is left to compute does not go back to the first turn: that were hundreds of lines.
        assert!(lazuli::explain(&[&x]).dot().lines().count() <= 60);
        assert_eq!(x.to_vec().unwrap(), left);
    });
}

#[test]
fn windows_over_padding_in_products_of_rows() {
    on_each_device(|_| {
        for (n, columns, window) in [(2, 6, 3), (12, 100, 5)] {
            let rows = rows_of(n, columns);
            let x = Array::from_vec([n, columns], rows.concat()).unwrap() * -1.0;
            x.eval().unwrap();
            let before = window - 1;
            let s = x.pad(&[(0, 0), (before, 0)], PadMode::Constant(0.0));
            let s = s.sliding_windows(window, 1).max(-1);
            let largest: Vec<Vec<f64>> = rows
                .iter()
                .map(|row| {
                    let all = [vec![0.0; before], row.iter().map(|x| -x).collect()].concat();
                    let most = |w: &[f64]| w.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    all.windows(window).map(most).collect()
                })
                .collect();
            let sums = (s.insert_axis(1) * &s).sum(2).sum(1);
            assert_eq!(sums.to_vec().unwrap(), sums_of_pairs(&largest), "{n} {columns} {window}");
        }
    });
}

/// A costly value is kept as a row where it is read along a turned axis as well; what is the same in
/// all lanes is read once for a block of rows. Every row must come from its own place.
#[test]
fn kept_rows_that_are_the_same_in_all_lanes() {
    on_each_device(|_| {
        for (rows, lanes) in [(2, 8), (31, 16), (34, 16), (36, 16), (57, 32), (86, 16), (169, 32)] {
            let x = DeviceArray::<f64>::linspace(-8.0, 7.0, lanes).reshape([1, lanes]);
            let y = DeviceArray::<f64>::linspace(1.0, 3.0, rows).reshape([rows, 1]);
            eval(&[&x, &y]).unwrap();
            let same = DeviceArray::<f64>::full([rows, lanes], 10.2);
            let bases = [same.clone(), y.broadcast_to([rows, lanes]), &y + 0.0 * &x];
            for (k, base) in bases.iter().enumerate() {
                let power = base.power(base);
                let all = || {
                    let half = power.slice(s![..;-2, ..]);
                    [power.flip(0), power.roll(3, 0), &x * 1e-300 + &power, &x * 1e-300 + half]
                };
                let together = all();
                let [a, b, c, d] = &together;
                eval(&[a, b, c, d]).unwrap();
                let together = together.map(|a: Array| a.to_vec().unwrap());
                power.eval().unwrap();
                let apart = all().map(|a| a.to_vec().unwrap());
                assert!(together == apart, "base {k}, {rows} rows of {lanes}");
            }
        }
    });
}

/// What is the same for a whole row of a second sweep and costs something: a condition, a factor, a
/// number drawn for it.
#[test]
fn what_a_second_sweep_needs_once_a_row() {
    on_each_device(|_| {
        for (rows, n) in [(2, 256), (1, 40), (3, 7), (5, 1000), (40, 300), (300, 5)] {
            let values: Vec<f64> = (0..n).map(|k| (k as f64 * 0.7).sin()).collect();
            let wide = DeviceArray::from_slice(&values).unwrap();
            let narrow = wide.cast::<f32>();
            let starts = DeviceArray::<f64>::linspace(0.1, 0.9, rows).insert_axis(1);
            let drawn = Generator::new(rows as u64).bernoulli(0.5, [rows, 1]);
            let conditions = [starts.exp().less(1.7), starts.sin().greater(0.4), drawn];
            for condition in conditions {
                let chosen = condition.to_vec().unwrap();
                let all = |other: f64| -> Vec<f64> {
                    let row = |&c: &bool| values.iter().map(move |&x| if c { x } else { other });
                    chosen.iter().flat_map(row).collect()
                };
                let variance = |all: &[f64]| {
                    let mean = all.iter().sum::<f64>() / all.len() as f64;
                    all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64
                };
                let want = variance(&all(-3.0));
                let found = [
                    condition.select(&wide, -3.0).var(..).item().unwrap(),
                    f64::from(condition.select(&narrow, -3.0f32).var(..).item().unwrap()),
                ];
                for found in found {
                    let close = (found - want).abs() <= 1e-5 * (1.0 + want);
                    assert!(close, "{rows} by {n}: {found} where {want} is right");
                }
                let want = variance(&all(0.0));
                let found = (condition.cast::<f64>() * &wide).var(..).item().unwrap();
                let close = (found - want).abs() <= 1e-12 * (1.0 + want);
                assert!(close, "{rows} by {n}: {found} where {want} is right");
            }
            let factors: Vec<f64> = starts.exp().to_vec().unwrap();
            let all: Vec<f64> =
                factors.iter().flat_map(|f| values.iter().map(move |x| (f * x).exp())).collect();
            let total: f64 = all.iter().sum();
            let shares = (starts.exp() * &wide).exp();
            let found = (&shares / shares.sum(..)).copy_to_host().unwrap();
            for (found, all) in found.iter().zip(all) {
                let close = (found - all / total).abs() <= 1e-13;
                assert!(close, "{rows} by {n}: {found} where {} is right", all / total);
            }
        }
    });
}

/// Two rows that are the same in all lanes, read at moved places in one sweep: the memory of the first
/// is not the second's.
#[test]
fn two_rows_that_are_read_along_the_rows() {
    on_each_device(|_| {
        for (n, m) in [(5, 3), (40, 7), (300, 20)] {
            let v1: Vec<i32> = (0..m as i32).map(|k| k % 5 + 1).collect();
            let ones = DeviceArray::<i32>::full([n, 1], 1);
            let row = DeviceArray::from_vec([1, m], v1.clone()).unwrap();
            let product = DeviceArray::<i32>::full([n, 5], 1)
                .matmul(&concatenate(&[&row, &DeviceArray::zeros([4, m])], 0));
            for base in [product, &ones * &row] {
                let power = base.power(&base);
                let mixed = (&power + &base * 10_000).roll(2, 1);
                let wide = power.cast::<f64>();
                eval(&[&wide, &mixed]).unwrap();
                let want = |k: usize| v1[k % m].pow(v1[k % m] as u32);
                for (k, found) in wide.to_vec().unwrap().into_iter().enumerate() {
                    assert_eq!(found, f64::from(want(k)), "{n} by {m} at {k}");
                }
                for (k, found) in mixed.to_vec().unwrap().into_iter().enumerate() {
                    let from = (k % m + m - 2) % m;
                    assert_eq!(found, want(from) + 10_000 * v1[from], "{n} by {m} at {k}");
                }
            }
        }
    });
}

/// Several turns of shortest paths are one kernel, in which rows and columns share most of the work.
#[test]
fn turns_of_shortest_paths() {
    on_each_device(|_| {
        for (n, turns) in [(200usize, 23), (33, 33), (5, 5), (300, 12)] {
            let mut plain: Vec<i32> =
                (0..n * n).map(|k| (k / n * (k % n) % 7 + 1 + k % 13) as i32).collect();
            let mut path = DeviceArray::from_vec([n, n], plain.clone()).unwrap();
            for k in 0..turns {
                path = path.minimum(path.slice(s![.., k..k + 1]) + path.slice(s![k, ..]));
                let before = plain.clone();
                for (at, value) in plain.iter_mut().enumerate() {
                    *value = before[at].min(before[at / n * n + k] + before[k * n + at % n]);
                }
            }
            assert_eq!(path.to_vec().unwrap(), plain, "{n}");
        }
    });
}
