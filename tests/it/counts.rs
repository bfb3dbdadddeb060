//! How many kernels an evaluation runs, what it reads and allocates, and what it compiles.

use crate::expressions::{
    black_scholes, great_circle, hdiff, jacobi, layer_norm, lorenz, nearest, rk4, standardise,
};
use crate::support::{Rng, alone, on_each_device, resident};
use lazuli::prelude::*;
use lazuli::{PadMode, counters, explain};

/// What a piece of code did.
#[derive(Debug)]
struct Did {
    kernels: u64,
    launches: u64,
    plans: u64,
    compiled: u64,
    allocated: u64,
}

fn did(f: impl FnOnce()) -> Did {
    let before = counters();
    f();
    let after = counters();
    Did {
        kernels: after.kernels - before.kernels,
        launches: after.launches - before.launches,
        plans: after.plans - before.plans,
        compiled: after.compiled - before.compiled,
        allocated: after.allocated - before.allocated,
    }
}

/// Evaluates the arrays together, with at most so many kernels and launches.
#[track_caller]
fn at_most(kernels: u64, launches: u64, arrays: &[&dyn AnyArray]) -> Did {
    let plan = explain(arrays);
    let found = did(|| eval(arrays).unwrap_or_else(|e| panic!("{e}\n{plan}")));
    assert!(found.kernels > 0, "nothing was evaluated");
    assert!(
        found.kernels <= kernels && found.launches <= launches,
        "{} kernels and {} launches where {kernels} and {launches} are enough\n{plan}",
        found.kernels,
        found.launches,
    );
    assert_eq!(plan.kernels() as u64, found.kernels, "explain counts other kernels\n{plan}");
    found
}

fn random(shape: &[usize], seed: u64) -> DeviceArray<f64> {
    let mut rng = Rng(seed);
    let values = (0..shape.iter().product()).map(|_| rng.within(0.5, 2.0)).collect();
    DeviceArray::from_vec(shape, values).expect("an upload")
}

#[test]
fn chains_of_elementwise_operations() {
    on_each_device(|_| {
        let (a, b) = (random(&[64, 48], 1), random(&[48], 2));
        let chain =
            (a.sin() * &b + 1.5).exp().cast::<f32>().sqrt().cast::<f64>() - b.slice(s![..;-1]);
        at_most(1, 1, &[&chain]);
        let views = a.t().reshape([64, 48]).flip(0).roll(5, 1) + a.slice(s![.., ..;-1]);
        at_most(1, 1, &[&views]);
        let padded = a.slice(s![1..-1, 1..-1]).pad(&[(1, 1), (1, 1)], PadMode::Edge) - &a;
        at_most(1, 1, &[&padded]);
        let constant = a.pad(&[(2, 3), (0, 1)], PadMode::Constant(7.0)).abs().ln();
        at_most(1, 1, &[&constant]);
        let line = DeviceArray::<f64>::linspace(0.0, 1.0, 48);
        let generated = select(&a.greater(&line), &a, line.broadcast_to([64, 48])) + line.square();
        at_most(1, 1, &[&generated]);
        let joined = lazuli::concatenate(&[&a, &(&a * 2.0), &b.broadcast_to([3, 48])], 0) + &b;
        at_most(1, 1, &[&joined]);
        let windows = b.sliding_windows(5, 0).diagonal(0, 0, 1).tile([3]).repeat(2, 0) * 0.5;
        at_most(1, 1, &[&windows]);
        let halves = a.cast::<f16>().tanh().cast::<bf16>() + bf16::from_f32(1.0);
        at_most(1, 1, &[&halves]);
        let complex = a.to_complex(&b).exp().abs();
        at_most(1, 1, &[&complex]);
    });
}

#[test]
fn several_outputs_of_one_domain() {
    on_each_device(|_| {
        let (s, x, t) = (random(&[1000], 1), random(&[1000], 2), random(&[1000], 3));
        let (call, put) = black_scholes(&s, &x, &t);
        let found = at_most(1, 1, &[&call, &put]);
        assert_eq!(found.allocated, 2 * 8000, "only the outputs are stored");
    });
}

#[test]
fn great_circle_reads_nothing() {
    on_each_device(|_| {
        let lines =
            || (DeviceArray::linspace(29.0, 31.0, 60), DeviceArray::linspace(99.0, 101.0, 40));
        let (latitudes, longitudes) = lines();
        let distance = great_circle(&latitudes, &longitudes);
        assert_eq!(explain(&[&distance]).bytes_read(), 0);
        let found = at_most(1, 1, &[&distance]);
        assert_eq!(found.allocated, 8 * 60 * 40);
        assert!(!latitudes.is_evaluated() && !longitudes.is_evaluated());
    });
}

#[test]
fn full_reductions() {
    on_each_device(|_| {
        let (x, y) = (random(&[300, 70], 1), random(&[300, 70], 2));
        let distance = (&x - &y).square().sum(..);
        at_most(1, 2, &[&distance]);
        let expected: f64 =
            x.to_vec().unwrap().iter().zip(y.to_vec().unwrap()).map(|(a, b)| (a - b).powi(2)).sum();
        assert!((distance.item().unwrap() - expected).abs() < 1e-9 * expected);
        let (sum, max, argmin) = (x.sum(..), x.max(..), x.argmin(..));
        at_most(1, 2, &[&sum, &max, &argmin]);
        let (mean, var) = (x.mean(..), x.var(..));
        at_most(2, 4, &[&mean, &var]);
    });
}

#[test]
fn statistics_along_an_axis() {
    on_each_device(|_| {
        let x = random(&[40, 30, 20], 3);
        for axis in [0, 1, 2] {
            at_most(1, 2, &[&x.mean(axis)]);
            at_most(1, 2, &[&x.var(axis)]);
            at_most(1, 2, &[&x.std(axis)]);
        }
        at_most(1, 2, &[&x.sum([0, 2])]);
    });
}

#[test]
fn normalisations() {
    on_each_device(|_| {
        let x = random(&[50, 200], 4);
        let (scale, shift) = (random(&[200], 5), random(&[200], 6));
        let size = 8 * 50 * 200;
        for result in [
            x.softmax(-1),
            x.log_softmax(-1),
            layer_norm(&x, &scale, &shift),
            standardise(&x),
            x.softmax(0),
        ] {
            assert_eq!(at_most(1, 1, &[&result]).allocated, size);
        }
        let e = (&x - x.max(keep(-1))).exp();
        at_most(1, 1, &[&(&e / e.sum(keep(-1)))]);
    });
}

#[test]
fn nearest_partners_take_no_square() {
    on_each_device(|_| {
        let n = 120;
        let points = random(&[n, 3], 7);
        let distances = nearest(&points);
        let found = at_most(1, 2, &[&distances]);
        assert!(found.allocated <= 64 * n as u64, "{} bytes for {n} points", found.allocated);
        let p = points.to_vec().unwrap();
        let apart = |i: usize, j: usize| -> f64 {
            (0..3).map(|k| (p[3 * i + k] - p[3 * j + k]).powi(2)).sum()
        };
        for (i, got) in distances.to_vec().unwrap().into_iter().enumerate() {
            let others = (0..n).filter(|&j| j != i).map(|j| apart(i, j));
            assert!((got - others.fold(f64::INFINITY, f64::min)).abs() < 1e-12);
        }
    });
}

#[test]
fn jacobi_sweeps() {
    on_each_device(|_| {
        let mut grid = random(&[34, 40], 8);
        let host = grid.copy_to_host().unwrap();
        jacobi(&mut grid);
        at_most(1, 1, &[&grid]);
        let mut expected = host.clone();
        for i in 1..33 {
            for j in 1..39 {
                expected[[i, j]] =
                    (host[[i - 1, j]] + host[[i + 1, j]] + host[[i, j - 1]] + host[[i, j + 1]])
                        * 0.25;
            }
        }
        assert_eq!(grid.copy_to_host().unwrap(), expected);
        for _ in 0..3 {
            jacobi(&mut grid);
            at_most(1, 1, &[&grid]);
        }
    });
}

#[test]
fn runge_kutta_steps() {
    on_each_device(|_| {
        let small = random(&[40, 960], 9);
        at_most(1, 1, &[&rk4(lorenz, &small, 0.001)]);
        let long = random(&[2, 300_000], 10);
        at_most(4, 4, &[&rk4(lorenz, &long, 0.001)]);
    });
}

/// Means over windows of means over windows: each row stays on the chip where it fits.
#[test]
fn windows_of_windows() {
    let around = |z: &DeviceArray<f64>, reach: usize| {
        z.pad(&[(0, 0), (reach, reach)], PadMode::Wrap).sliding_windows(2 * reach + 1, 1)
    };
    let smooth = |z: &[f64], reach: usize| -> Vec<f64> {
        let n = z.len();
        let window = |i: usize| (0..=2 * reach).map(move |k| z[(i + k + n * reach - reach) % n]);
        (0..n).map(|i| window(i).sum::<f64>() / (2 * reach + 1) as f64).collect()
    };
    on_each_device(|_| {
        for (shape, reach, shift, most) in [
            ([40, 333], 5, 3, 1),
            ([3, 7], 2, 3, 1),
            ([64, 5], 9, 3, 1),
            ([4, 1], 3, 5, 1),
            ([6, 64], 40, 63, 1),
            ([6, 65], 33, 64, 1),
            ([5, 200], 64, -65, 3),
            ([5, 200], 70, 100, 3),
            ([5, 200], 20, -65, 1),
            ([33, 2500], 16, -50, 1),
            ([2, 70_000], 16, 64, 3),
        ] {
            let z = random(&shape, 12);
            let once = around(&z, reach).mean(-1).square();
            let twice = around(&once, reach).mean(-1) - &once;
            let thrice = around(&twice.roll(shift, 1), reach).mean(-1) * around(&z, reach).max(-1);
            at_most(most, most, &[&thrice]);
            let (z, got) = (z.to_vec().unwrap(), thrice.to_vec().unwrap());
            let n = shape[1];
            for (row, got) in z.chunks(n).zip(got.chunks(n)) {
                let once: Vec<f64> = smooth(row, reach).iter().map(|x| x * x).collect();
                let again = smooth(&once, reach);
                let twice: Vec<f64> = again.iter().zip(&once).map(|(a, b)| a - b).collect();
                let from = |i: usize| (i as isize - shift).rem_euclid(n as isize) as usize;
                let rolled: Vec<f64> = (0..n).map(|i| twice[from(i)]).collect();
                let mean = smooth(&rolled, reach);
                for i in 0..n {
                    let near = (0..=2 * reach).map(|k| row[(i + k + n * reach - reach) % n]);
                    let wanted = mean[i] * near.fold(f64::MIN, f64::max);
                    assert!((wanted - got[i]).abs() < 1e-12, "{wanted} and {}", got[i]);
                }
            }
        }
    });
}

/// The same down columns, between borders of zeros, of other types.
#[test]
fn windows_of_windows_down_columns() {
    use num_complex::Complex;
    let (rows, columns, reach) = (37, 40, 3);
    let sums = |z: &[f64]| -> Vec<f64> {
        let at = |i: usize, j: usize| z[i * columns + j];
        let near = |i: usize| i.saturating_sub(reach)..(i + reach + 1).min(rows);
        let sum = |i: usize, j: usize| near(i).map(|k| at(k, j)).sum();
        (0..rows * columns).map(|p| sum(p / columns, p % columns)).collect()
    };
    on_each_device(|_| {
        let z = random(&[rows, columns], 13);
        let host = z.to_vec().unwrap();
        let wanted = sums(&sums(&host).iter().map(|x| x * 0.125).collect::<Vec<_>>());
        macro_rules! twice {
            ($type:ty, $zero:expr, $eighth:expr) => {{
                let around = |z: &DeviceArray<$type>| {
                    let padded = z.pad(&[(reach, reach), (0, 0)], PadMode::Constant($zero));
                    padded.sliding_windows(2 * reach + 1, 0)
                };
                let z: DeviceArray<$type> = z.cast();
                let once = around(&z).sum(-1) * $eighth;
                around(&once).sum(-1).to_vec().unwrap()
            }};
        }
        for (got, wanted) in twice!(f32, 0.0, 0.125).iter().zip(&wanted) {
            assert!((f64::from(*got) - wanted).abs() < 1e-4, "{got} and {wanted}");
        }
        let zero = Complex::new(0.0f64, 0.0);
        let eighth = Complex::new(0.0, 0.125);
        for (got, wanted) in twice!(Complex<f64>, zero, eighth).iter().zip(&wanted) {
            assert!((got - Complex::new(0.0, *wanted)).norm() < 1e-12, "{got} and {wanted}");
        }
    });
}

#[test]
fn runge_kutta_steps_are_right() {
    on_each_device(|_| {
        let n = 37;
        let start = random(&[3, n], 11);
        let got = rk4(lorenz, &rk4(lorenz, &start, 0.01), 0.01).copy_to_host().unwrap();
        let f = |z: &[f64]| -> Vec<f64> {
            let at = |i: usize, by: usize| z[(i + by) % n];
            (0..n).map(|i| (at(i, 1) - at(i, n - 2)) * at(i, n - 1) - z[i] + 8.0).collect()
        };
        let plus = |z: &[f64], k: &[f64], h: f64| -> Vec<f64> {
            z.iter().zip(k).map(|(z, k)| z + h * k).collect()
        };
        let step = |z: Vec<f64>| -> Vec<f64> {
            let h = 0.01;
            let k1 = f(&z);
            let k2 = f(&plus(&z, &k1, h / 2.0));
            let k3 = f(&plus(&z, &k2, h / 2.0));
            let k4 = f(&plus(&z, &k3, h));
            let slope = |i: usize| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
            (0..n).map(|i| z[i] + h * slope(i)).collect()
        };
        let rows = start.to_vec().unwrap();
        for (row, got) in rows.chunks(n).zip(got.rows()) {
            for (expected, got) in step(step(row.to_vec())).iter().zip(got) {
                assert!((expected - got).abs() < 1e-12, "{got} where {expected} is right");
            }
        }
    });
}

#[test]
fn horizontal_diffusion() {
    on_each_device(|_| {
        let (field, coefficient) = (random(&[20, 24, 8], 12), random(&[16, 20, 8], 13));
        let result = hdiff(&field, &coefficient);
        at_most(2, 2, &[&result]);
        let f = field.copy_to_host().unwrap();
        let c = coefficient.copy_to_host().unwrap();
        let laplacian = |i: usize, j: usize, k: usize| {
            4.0 * f[[i, j, k]]
                - (f[[i + 1, j, k]] + f[[i - 1, j, k]] + f[[i, j + 1, k]] + f[[i, j - 1, k]])
        };
        let flux = |i: usize, j: usize, k: usize, (di, dj): (usize, usize)| {
            let flux = laplacian(i + di, j + dj, k) - laplacian(i, j, k);
            if flux * (f[[i + di, j + dj, k]] - f[[i, j, k]]) > 0.0 { 0.0 } else { flux }
        };
        for ((i, j, k), got) in result
            .copy_to_host()
            .unwrap()
            .into_dimensionality::<ndarray::Ix3>()
            .unwrap()
            .indexed_iter()
        {
            let (p, q) = (i + 2, j + 2);
            let change = flux(p, q, k, (1, 0)) - flux(p - 1, q, k, (1, 0)) + flux(p, q, k, (0, 1))
                - flux(p, q - 1, k, (0, 1));
            let expected = f[[p, q, k]] - c[[i, j, k]] * change;
            assert!(
                (expected - got).abs() < 1e-12,
                "{got} where {expected} is right at {i}, {j}, {k}"
            );
        }
    });
}

#[test]
fn loops_are_bounded() {
    alone("counts::a_million_steps_of_a_loop");
}

#[test]
fn sizes_and_scalars_are_no_classes() {
    alone("counts::sizes_and_scalars_do_not_compile_again");
}

#[test]
#[ignore = "needs a process of its own; another test runs it"]
fn a_million_steps_of_a_loop() {
    on_each_device(|_| {
        let steps = 1_000_000;
        let mut b = DeviceArray::from_slice(&[0.0, 1.0, -3.0]).unwrap();
        let mut expected = [0.0, 1.0, -3.0];
        for _ in 0..1000 {
            b += 0.02;
        }
        let before = resident();
        let found = did(|| {
            for _ in 1000..steps {
                b = b.clone() + 0.02;
            }
            b.eval().unwrap();
        });
        for value in &mut expected {
            (0..steps).for_each(|_| *value += 0.02);
        }
        assert_eq!(b.to_vec().unwrap(), expected);
        assert!(found.plans <= 3 && found.compiled <= 3, "{found:?}");
        if let (Some(before), Some(after)) = (before, resident()) {
            assert!(after < before + (256 << 20), "{} MiB more", (after - before) >> 20);
        }
    });
}

#[test]
#[ignore = "needs a process of its own; another test runs it"]
fn sizes_and_scalars_do_not_compile_again() {
    on_each_device(|_| {
        let program = |n: usize, scalar: f64| {
            let x = DeviceArray::<f64>::from_vec([n], vec![scalar; n]).unwrap();
            let total = ((&x * scalar + 0.25).square() - x.roll(1, 0)).sum(..);
            let expected = n as f64 * ((scalar * scalar + 0.25).powi(2) - scalar);
            let got = total.item().unwrap();
            assert!((got - expected).abs() <= 1e-12 * expected.abs() + 1e-12, "{got} {expected}");
        };
        let sizes: Vec<usize> = (0..50).map(|k| 1000 + 37 * k).collect();
        let found = did(|| {
            for &n in &sizes {
                (0..50).for_each(|k| program(n, 1.0 + k as f64));
            }
        });
        assert_eq!(found.kernels, 2500);
        assert!(found.compiled <= 4, "{} compilations", found.compiled);
        assert!(found.plans <= 50, "{} plans for 50 sizes", found.plans);
        let again = did(|| sizes.iter().for_each(|&n| program(n, -0.5)));
        assert_eq!((again.plans, again.compiled), (0, 0));
    });
}

#[test]
fn explain_tells_what_runs() {
    on_each_device(|device| {
        let x = random(&[30, 50], 14);
        let y = standardise(&x);
        let plan = explain(&[&y]);
        assert!(!y.is_evaluated(), "explain evaluates nothing");
        assert_eq!((plan.kernels(), plan.launches()), (1, 1));
        assert_eq!((plan.bytes_read(), plan.bytes_written()), (8 * 1500, 8 * 1500));
        assert!(plan.error().is_none());
        assert!(plan.to_string().contains(&device.to_string()), "{plan}");
        assert_eq!(plan.sources().count(), 1);
        assert!(plan.loop_nests().all(|nest| !nest.is_empty()));
        assert!(plan.dot().starts_with("digraph") && plan.dot().trim_end().ends_with('}'));
        y.eval().unwrap();
        assert_eq!(explain(&[&y]).kernels(), 0);
    });
}

/// Rows that are computed from elements at positions which other parts of arrays hold: where these
/// parts lie is no part of a plan, with checks or without, of data or of masks.
#[test]
fn a_loop_over_slices_of_positions_has_few_plans() {
    type Row = fn(&DeviceArray<f64>, &DeviceArray<i64>, usize) -> DeviceArray<f64>;
    let rows: [(&str, Row); 4] = [
        ("take", |x, at, i| x.take(at.slice(s![2 * i..2 * i + 2]), 0).sum(..)),
        ("take_clipped", |x, at, i| x.take_clipped(at.slice(s![2 * i..2 * i + 2]), 0).sum(..)),
        ("sort", |x, _, i| x.slice(s![i..i + 8]).sort(0).slice(s![3])),
        ("where", |x, at, i| {
            let part = at.slice(s![i..i + 8]);
            select(&part.greater(100), x.slice(s![i..i + 8]), 0.0).sum(..)
        }),
    ];
    on_each_device(|_| {
        let n = 120;
        let x = random(&[200], 5);
        let at = (DeviceArray::<i64>::arange_to(2 * n as i64) * 7).remainder(200);
        at.eval().unwrap();
        for (name, row) in rows {
            let mut y = DeviceArray::<f64>::zeros(n);
            let mut run = |from: usize, to: usize| {
                did(|| {
                    for i in from..to {
                        y.assign(s![i], row(&x, &at, i));
                    }
                    y.eval().unwrap();
                })
            };
            let (first, more) = (run(0, 40), run(40, n));
            assert!(first.plans <= 24, "{name}: {first:?}");
            assert!(more.plans <= 2 && more.compiled == 0, "{name}: {more:?} after {first:?}");
            let want: Vec<f64> = (0..n).map(|i| row(&x, &at, i).item().unwrap()).collect();
            assert_eq!(y.to_vec().unwrap(), want, "{name}");
        }
    });
}

/// Values that come to an array that nobody else sees are put into its own memory; others keep what
/// they have, and so does everybody where a position is wrong.
#[test]
fn values_are_put_in_place_on_the_processor() {
    Device::cpu().scope(|| {
        let n = 10_000;
        let mut a = random(&[n], 3);
        let mut want = a.to_vec().unwrap();
        let at = DeviceArray::from_slice(&[7i64, -1]).unwrap();
        at.eval().unwrap();
        for turn in 0..3 {
            a.put(&at, turn as f64, 0);
            let done = did(|| a.eval().unwrap());
            assert!(done.allocated < 1000, "{done:?}");
            (want[7], want[n - 1]) = (turn as f64, turn as f64);
            assert_eq!(a.to_vec().unwrap(), want);
        }
        let before = a.clone();
        a.put(&at, 9.0, 0);
        assert_eq!(a.to_vec().unwrap()[7], 9.0);
        assert_eq!(before.to_vec().unwrap(), want);
        drop(before);
        let sum = a.scatter_add(&at, 1.0, 0);
        let other = &a * 2.0;
        drop(a);
        assert_eq!(sum.to_vec().unwrap()[7], 10.0);
        assert_eq!(other.to_vec().unwrap()[7], 18.0);
        let mut b = random(&[n], 3);
        let kept = b.to_vec().unwrap();
        let mut wrong = b.scatter_add(DeviceArray::from_slice(&[3i64, 10_000]).unwrap(), 1.0, 0);
        std::mem::swap(&mut b, &mut wrong);
        drop(wrong);
        assert!(b.eval().unwrap_err().is_shape());
        assert!(b.eval().unwrap_err().is_shape());
        let twice = random(&[n], 3);
        let sum = twice.scatter_add(&at, &twice.take(&at, 0), 0);
        drop(twice);
        assert_eq!(sum.to_vec().unwrap()[7], 2.0 * kept[7]);
    });
}

/// A step that removes particles extracts each of their fields by the same mask.
#[test]
fn one_mask_is_counted_once() {
    on_each_device(|_| {
        let (n, seeds) = (3000, [1, 2, 3]);
        let fields = seeds.map(|seed| random(&[n], seed));
        eval(&[&fields[0], &fields[1], &fields[2]]).unwrap();
        let values = fields.each_ref().map(|field| field.to_vec().unwrap());
        let mask = fields[0].greater(1.0);
        let mut parts = Vec::new();
        let first = did(|| parts.push(fields[0].extract(&mask).unwrap()));
        let others = did(|| {
            parts.push(fields[1].extract(&mask).unwrap());
            parts.push(fields[2].extract(&mask).unwrap());
        });
        assert!(first.launches > 0, "{first:?}");
        assert_eq!(others.launches, 0, "{others:?}");
        at_most(1, 2, &[&parts[0], &parts[1], &parts[2]]);
        for (part, all) in parts.iter().zip(&values) {
            let kept = all.iter().zip(&values[0]).filter(|pair| *pair.1 > 1.0);
            assert_eq!(part.to_vec().unwrap(), kept.map(|pair| *pair.0).collect::<Vec<_>>());
        }
        // Nothing holds the positions any more, and then the mask is another one.
        let len = parts[0].len();
        drop(parts);
        assert_eq!(fields[1].extract(&mask).unwrap().len(), len);
        let mut mask = mask;
        let part = fields[2].extract(&mask).unwrap();
        mask.assign(s![..1000], false);
        let rest = fields[2].extract(&mask).unwrap();
        assert_eq!(part.len(), len);
        let kept = (1000..n).filter(|&k| values[0][k] > 1.0).map(|k| values[2][k]);
        assert_eq!(rest.to_vec().unwrap(), kept.collect::<Vec<_>>());
        // Positions that others may come to hold are not overwritten in place.
        let mut at = mask.flat_nonzero().unwrap();
        at.eval().unwrap();
        at.assign(s![..], 0i64);
        let again = mask.flat_nonzero().unwrap();
        at.eval().unwrap();
        assert_eq!(
            again.to_vec().unwrap()[0],
            (1000..n).find(|&k| values[0][k] > 1.0).unwrap() as i64
        );
    });
}
