//! Long runs of assignments of a few elements, which the processor computes without a plan: random
//! statements against an interpreter of their own, bit by bit, and what other handles see of them.

use crate::support::{Rng, on_each_device};
use half::f16;
use lazuli::prelude::*;
use lazuli::{Arithmetic, counters, with_arithmetic};
use ndarray::SliceInfoElem;
use num_complex::Complex;

type A = DeviceArray<f64>;

const ROWS: usize = 6;
const COLUMNS: usize = 40;

/// A value, and its elements by the rules of IEEE 754, each operation by itself.
#[derive(Clone)]
struct Both {
    array: A,
    host: Vec<f64>,
}

/// A matrix and what it has to be.
struct Matrix {
    array: A,
    host: Vec<f64>,
}

/// Some elements of a row or a column: the first one, the step and the number.
#[derive(Clone, Copy)]
struct Part {
    row: usize,
    column: usize,
    down: bool,
    len: usize,
    backwards: bool,
}

impl Part {
    fn random(random: &mut Rng, len: usize) -> Part {
        let down = len <= ROWS && random.one_in(3);
        let (rows, columns) = if down { (len, 1) } else { (1, len) };
        Part {
            row: random.below(ROWS + 1 - rows),
            column: random.below(COLUMNS + 1 - columns),
            down,
            len,
            backwards: random.one_in(4),
        }
    }

    fn places(&self) -> Vec<usize> {
        let step = if self.down { COLUMNS } else { 1 };
        let first = self.row * COLUMNS + self.column;
        let mut places: Vec<usize> = (0..self.len).map(|k| first + k * step).collect();
        if self.backwards {
            places.reverse();
        }
        places
    }

    fn region(&self) -> [SliceInfoElem; 2] {
        let step = if self.backwards { -1 } else { 1 };
        let range = |start: usize| SliceInfoElem::Slice {
            start: start as isize,
            end: Some((start + self.len) as isize),
            step,
        };
        let at = |index: usize| SliceInfoElem::Index(index as isize);
        match self.down {
            true => [range(self.row), at(self.column)],
            false => [at(self.row), range(self.column)],
        }
    }

    fn of(&self, matrix: &Matrix) -> Both {
        let host = self.places().iter().map(|&k| matrix.host[k]).collect();
        Both { array: matrix.array.slice(self.region()), host }
    }
}

/// Numbers that arithmetic meets seldom are among them.
fn number(random: &mut Rng) -> f64 {
    let rare = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 1e308, -1e308];
    match random.one_in(5) {
        true => random.pick(&rare),
        false => (random.below(2000) as f64 - 1000.0) / 64.0,
    }
}

fn map(a: &Both, array: A, f: impl Fn(f64) -> f64) -> Both {
    Both { array, host: a.host.iter().map(|&x| f(x)).collect() }
}

/// A value of `len` elements, or of one that stands for all.
fn value(random: &mut Rng, matrices: &[Matrix; 2], len: usize, depth: usize) -> Both {
    if depth == 0 {
        let single = random.one_in(5);
        let part = Part::random(random, if single { 1 } else { len });
        let part = part.of(&matrices[random.below(2)]);
        return match single && len > 1 {
            true => Both { array: part.array.reshape(()), ..part },
            false => part,
        };
    }
    let a = value(random, matrices, len, depth - 1);
    match random.below(9) {
        0 => map(&a, -&a.array, |x| -x),
        1 => map(&a, a.array.abs().sqrt(), |x| x.abs().sqrt()),
        2 => map(&a, &a.array * &a.array, |x| x * x),
        3 => {
            let scalar = number(random);
            map(&a, scalar - &a.array, |x| scalar - x)
        }
        4 => map(&a, a.array.cast::<f32>().cast::<f64>(), |x| f64::from(x as f32)),
        5 => {
            let most = a.host.iter().copied().fold(f64::NEG_INFINITY, |a, b| match a.is_nan() {
                true => a,
                false if b.is_nan() || b > a => b,
                false => a,
            });
            Both { array: a.array.max(..), host: vec![most] }
        }
        _ => {
            let b = value(random, matrices, len, depth - 1);
            let count = a.host.len().max(b.host.len());
            let pair = |k: usize| (a.host[k % a.host.len()], b.host[k % b.host.len()]);
            let host =
                |f: &dyn Fn(f64, f64) -> f64| (0..count).map(&pair).map(|(x, y)| f(x, y)).collect();
            match random.below(4) {
                0 => Both { array: &a.array + &b.array, host: host(&|x, y| x + y) },
                1 => Both { array: &a.array * &b.array, host: host(&|x, y| x * y) },
                2 => Both { array: &a.array / &b.array, host: host(&|x, y| x / y) },
                _ => Both {
                    array: a.array.less(&b.array).select(&a.array, &b.array),
                    host: host(&|x, y| if x < y { x } else { y }),
                },
            }
        }
    }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[track_caller]
fn check(array: &A, host: &[f64], what: &str) {
    let found = array.to_vec().unwrap();
    let equal = found.len() == host.len() && found.iter().zip(host).all(|(&a, &b)| same(a, b));
    assert!(equal, "{what}: {found:?}, not {host:?}");
}

#[test]
fn random_statements_have_the_bits_of_their_arithmetic() {
    on_each_device(|device| {
        let programs = if device == Device::cpu() { 300 } else { 2 };
        for seed in 0..programs {
            let mut random = Rng(seed);
            let matrix = |random: &mut Rng| {
                let host: Vec<f64> = (0..ROWS * COLUMNS).map(|_| number(random)).collect();
                let array = A::from_vec([ROWS, COLUMNS], host.clone()).unwrap();
                Matrix { array, host }
            };
            let mut matrices = [matrix(&mut random), matrix(&mut random)];
            let mut held: Vec<Both> = Vec::new();
            let len = random.pick(&[1, 1, 2, 5, 6, 17, 30]);
            for _ in 0..40 {
                let depth = random.below(4);
                let right = value(&mut random, &matrices, len, depth);
                let (target, part) = (random.below(2), Part::random(&mut random, len));
                if random.one_in(5) {
                    held.push(right.clone());
                }
                let matrix = &mut matrices[target];
                matrix.array.assign(part.region(), &right.array);
                for (k, &place) in part.places().iter().enumerate() {
                    matrix.host[place] = right.host[k % right.host.len()];
                }
                if random.one_in(9) {
                    let array = matrices[target].array.clone();
                    held.push(Both { array, host: matrices[target].host.clone() });
                }
                if random.one_in(7) && !held.is_empty() {
                    let both = held.swap_remove(random.below(held.len()));
                    check(&both.array, &both.host, "what was held");
                }
            }
            for both in held {
                check(&both.array, &both.host, &format!("held to the end, seed {seed}"));
            }
            for Matrix { array, host } in matrices {
                check(&array, &host, &format!("seed {seed}"));
            }
        }
    });
}

/// Runs a loop whose statements are small, and gives what they took.
fn taken(turns: usize, mut statement: impl FnMut(usize)) -> lazuli::Counters {
    // The first assignments to an array are recorded together.
    (0..12).for_each(&mut statement);
    let before = counters();
    (12..turns).for_each(statement);
    let after = counters();
    let mut taken = after;
    taken.kernels -= before.kernels;
    taken.plans -= before.plans;
    taken.allocated -= before.allocated;
    taken
}

#[test]
fn statements_of_all_lengths_and_places_have_no_plans() {
    let turns = 200;
    Device::cpu().scope(|| {
        let mut a = A::ones([turns, turns + 1]) * 0.5;
        a.eval().unwrap();
        let mut b = a.clone() * 2.0;
        b.eval().unwrap();
        let rows = taken(turns, |k| {
            let sum = a.slice(s![k, ..k]).dot(&b.slice(s![..k;-1, k]));
            a.assign(s![k, ..k.min(20)], a.slice(s![k, ..k.min(20)]) - &sum * b.slice(s![0, k]));
            b.assign(s![k, k], sum / b.slice(s![k, k + 1]));
        });
        assert_eq!(rows.plans, 0, "{rows:?}");
        assert!(rows.kernels <= 2 * turns as u64, "{rows:?}");
        let (columns, mut y) = (DeviceArray::<i64>::arange_to(turns as i64), A::zeros(turns));
        let values = A::arange_to(2.0 * turns as f64);
        lazuli::eval(&[&columns, &values]).unwrap();
        let gathers = taken(turns, |k| {
            let at = columns.slice(s![k / 2..k]) * 2 - 5;
            y.assign(s![k], values.take(&at, 0).sum(..));
        });
        assert_eq!((gathers.plans, gathers.allocated), (0, 0), "{gathers:?}");
        let expected: Vec<f64> = (0..turns)
            .map(|k| (k / 2..k).map(|c| (2 * c + 400 - 5) % 400).map(|at| at as f64).sum())
            .collect();
        assert_eq!(y.to_vec().unwrap(), expected);
    });
}

#[test]
fn what_a_loop_holds_is_computed_once() {
    let turns = 100;
    on_each_device(|device| {
        let mut a = A::ones([turns, 16]);
        let factors = A::linspace(0.0, 1.0, 16);
        lazuli::eval(&[&a, &factors]).unwrap();
        let mut norms = Vec::new();
        let taken = taken(turns, |k| {
            let row = a.slice(s![k, ..]);
            let norm = (&row * &factors).sum(..).sqrt();
            a.assign(s![k, ..], row / &norm);
            norms.push(norm);
        });
        if device == Device::cpu() {
            // The norm is stored with the row, and nobody computes it again.
            assert!(taken.kernels <= turns as u64, "{taken:?}");
        }
        let total: f64 = norms.iter().map(|norm| norm.item().unwrap()).sum();
        assert!((total - turns as f64 * 8f64.sqrt()).abs() < 1e-9, "{total}");
        let last = a.slice(s![-1, 0]).item().unwrap();
        assert!((last - 1.0 / 8f64.sqrt()).abs() < 1e-12, "{last}");
    });
}

#[test]
fn positions_out_of_range_are_errors_that_name_them() {
    on_each_device(|_| {
        let values = A::arange_to(10.0);
        let at = DeviceArray::<i64>::arange_to(40) - 12;
        lazuli::eval(&[&values, &at]).unwrap();
        let mut y = A::zeros(40);
        y.eval().unwrap();
        for k in 2..22 {
            y.assign(s![k], values.take(&at.slice(s![k..k + 1]), 0).sum(..));
        }
        let expected: Vec<f64> = (0..40)
            .map(|k| if (2..22).contains(&k) { ((k + 8) % 10) as f64 } else { 0.0 })
            .collect();
        assert_eq!(y.to_vec().unwrap(), expected);
        y.assign(s![22], values.take(&at.slice(s![22..23]), 0).sum(..));
        // The one behind it is in order.
        y.assign(s![23], values.slice(s![3]));
        let message = y.to_vec().unwrap_err().to_string();
        assert!(message.contains("index 10") && message.contains("length 10"), "{message}");
        // Held within the axis instead, from both ends.
        let mut z = A::zeros(40);
        for k in 0..40 {
            z.assign(s![k], values.take_clipped(&at.slice(s![k..k + 1]), 0).sum(..));
        }
        let held = |k: i64| match k - 12 {
            at if at < 0 => (at + 10).clamp(0, 9),
            at => at.clamp(0, 9),
        };
        let expected: Vec<f64> = (0..40).map(|k| held(k) as f64).collect();
        assert_eq!(z.to_vec().unwrap(), expected);
    });
}

/// Sums up neighbours of the type in a loop and on the host.
macro_rules! neighbours {
    ($($t:ty, $add:expr;)*) => {$({
        let n = 50;
        let host: Vec<$t> = (0..n).map(|k| <$t>::from((k * 5 % 127) as u8)).collect();
        let mut a = DeviceArray::<$t>::from_slice(&host).unwrap();
        let mut expected = host;
        let add: [fn($t, $t, $t) -> $t; 1] = [$add];
        for k in 1..n as usize {
            a.assign(s![k], a.slice(s![k]) + a.slice(s![k - 1]) * a.slice(s![0]) + a.slice(s![k - 1]));
            expected[k] = add[0](expected[k], expected[k - 1], expected[0]);
        }
        assert_eq!(a.to_vec().unwrap(), expected, stringify!($t));
        assert_eq!(a.slice(s![-1]).item().unwrap(), expected[n as usize - 1]);
    })*};
}

#[test]
fn every_type_has_statements() {
    on_each_device(|_| {
        neighbours! {
            u8, |a, b, c| a.wrapping_add(b.wrapping_mul(c)).wrapping_add(b);
            i32, |a, b, c| a.wrapping_add(b.wrapping_mul(c)).wrapping_add(b);
            u64, |a, b, c| a.wrapping_add(b.wrapping_mul(c)).wrapping_add(b);
            f32, |a, b, c| a + b * c + b;
            f16, |a, b, c| a + b * c + b;
        }
        let n = 30;
        let mut z = DeviceArray::<Complex<f64>>::ones(n);
        let mut flags = DeviceArray::from_slice(&vec![false; n]).unwrap();
        for k in 1..n {
            z.assign(s![k], z.slice(s![k - 1]) * Complex::new(0.0, 1.0));
            flags.assign(s![k], !flags.slice(s![k - 1]));
        }
        let turned = Complex::new(0.0, 1.0);
        let expected: Vec<Complex<f64>> = (0..n as i32).map(|k| turned.powi(k)).collect();
        assert_eq!(z.to_vec().unwrap(), expected);
        assert_eq!(flags.to_vec().unwrap(), (0..n).map(|k| k % 2 == 1).collect::<Vec<_>>());
        assert!(flags.slice(s![1]).item().unwrap());
    });
}

#[test]
fn what_is_too_much_at_once_has_plans() {
    on_each_device(|_| {
        // Many values, many elements, and an array that is not there yet.
        let (mut a, mut sum) = (A::ones([40, 64]), A::zeros(40));
        let long = A::ones([40, 9000]);
        long.eval().unwrap();
        for k in 0..40 {
            let mut value = a.slice(s![k, ..]);
            for step in 0..40 {
                value = value * 0.5 + f64::from(step) * a.slice(s![(k + step as usize) % 40, 3]);
            }
            a.assign(s![k, ..], &value - &value + k as f64);
            sum.assign(s![k], long.slice(s![k, ..]).sum(..) * a.slice(s![k, -1]));
        }
        let expected: Vec<f64> = (0..40).map(|k| 9000.0 * k as f64).collect();
        assert_eq!(sum.to_vec().unwrap(), expected);
        assert_eq!(a.sum(..).item().unwrap(), 64.0 * 780.0);
    });
}

#[test]
fn elements_are_read_where_they_lie() {
    on_each_device(|device| {
        let a = DeviceArray::<i32>::arange_to(24).reshape([2, 3, 4]);
        a.eval().unwrap();
        let before = counters();
        assert_eq!(a.slice(s![1, ..;-1, 2]).slice(s![0]).item().unwrap(), 22);
        assert_eq!(a.slice(s![-1, -1, -1]).item().unwrap(), 23);
        assert_eq!(a.slice(s![0, 1..2, 3]).item().unwrap(), 7);
        if device == Device::cpu() {
            assert!(counters().kernels - before.kernels <= 1, "a view of a view has a kernel");
        }
        let mut b = &a * 2;
        assert_eq!(b.slice(s![1, 0, 0]).item().unwrap(), 24);
        b.assign(s![0, 0, 0], 9);
        assert_eq!(b.slice(s![0, 0, 0]).item().unwrap(), 9);
        assert!(a.slice(s![0, 0, ..]).item().unwrap_err().is_shape());
        let halves = DeviceArray::from_slice(&[f16::from_f32(1.5), f16::from_f32(2.5)]).unwrap();
        assert_eq!(halves.slice(s![1]).item().unwrap().to_f32(), 2.5);
        // A compiled function notices that its argument is read.
        let f = lazuli::compile(|x: &DeviceArray<i32>| {
            let first = x.slice(s![0]).item().unwrap();
            x + first
        });
        for start in [3, 5] {
            let x = DeviceArray::from_slice(&[start, 1]).unwrap();
            assert_eq!(f.call(&x).unwrap().to_vec().unwrap(), [2 * start, 1 + start]);
        }
    });
}

/// One step of Euler's method for Lorenz's equations.
fn lorenz([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x + 0.01 * (10.0 * (y - x)), y + 0.01 * (x * (28.0 - z) - y), z + 0.01 * (x * y - 2.5 * z)]
}

#[test]
fn elements_that_are_held_cost_no_copy_of_the_array() {
    on_each_device(|device| {
        let mut allocated = Vec::new();
        for n in [1_000, 100_000] {
            let mut s = A::zeros([n, 3]);
            s.eval().unwrap();
            let mut host = [1.0, 0.5, 0.25];
            s.assign(s![0, ..], A::from_slice(&host).unwrap());
            let turns = 200;
            let taken = taken(turns, |k| {
                let (x, y, z) = (s.slice(s![k, 0]), s.slice(s![k, 1]), s.slice(s![k, 2]));
                s.assign(s![k + 1, 0], &x + 0.01 * (10.0 * (&y - &x)));
                s.assign(s![k + 1, 1], &y + 0.01 * (&x * (28.0 - &z) - &y));
                s.assign(s![k + 1, 2], &z + 0.01 * (&x * &y - 2.5 * &z));
            });
            allocated.push(taken.allocated / turns as u64);
            if device == Device::cpu() {
                assert_eq!(taken.plans, 0, "{taken:?}");
            }
            for k in 0..=turns {
                let found = s.slice(s![k, ..]).to_vec().unwrap();
                let near = found.iter().zip(&host).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs());
                assert!(near, "turn {k}: {found:?}, not {host:?}");
                host = lorenz(host);
            }
        }
        // In bytes a turn: the array of the longer run has 2.4 million.
        assert!(allocated[1] < 24 * 1_000 * 3, "{allocated:?}");
        if device == Device::cpu() {
            assert_eq!(allocated[0], allocated[1]);
        }
    });
}

#[test]
fn long_rows_that_are_held_are_stored_alone() {
    on_each_device(|_| {
        let (rows, len) = (40, 20_000);
        let mut a = A::arange_to((rows * len) as f64).reshape([rows, len]);
        a.eval().unwrap();
        let mut held = Vec::new();
        let turns = taken(rows, |k| {
            let row = a.slice(s![k, ..]);
            // The row is held while other rows are written; one has half of it as its value.
            a.assign(s![(k + 1) % rows, ..], a.slice(s![(k + 2) % rows, ..]) * 0.5);
            a.assign(s![k, 0], -1.0);
            held.push(row);
        });
        let row = 8 * len as u64;
        assert!(turns.allocated <= 2 * row * rows as u64, "{} rows", turns.allocated / row);
        // What was held has the values of its time: a row is written in the turn before.
        let at = |row: usize, column: usize| (row * len + column) as f64;
        for (k, row) in held.iter().enumerate() {
            let expected = |column| match k {
                0 => at(0, column),
                _ => 0.5 * if k + 1 < rows { at(k + 1, column) } else { at(0, column) },
            };
            let found = row.slice(s![1..10_001;9_999]).to_vec().unwrap();
            assert_eq!(found, [expected(1), expected(10_000)], "row {k}");
        }
    });
}

#[test]
fn many_elements_are_held() {
    on_each_device(|_| {
        let mut a = A::arange_to(1000.0);
        a.eval().unwrap();
        let mut held: Vec<A> = Vec::new();
        for k in 0..600 {
            held.push(a.slice(s![k]) + 0.0);
            held.push(a.slice(s![k + 1]));
            a.assign(s![k + 1], a.slice(s![k + 1]) + 0.5);
        }
        for (k, pair) in held.chunks(2).enumerate() {
            let found = [pair[0].item().unwrap(), pair[1].item().unwrap()];
            let written = if k > 0 { 0.5 } else { 0.0 };
            assert_eq!(found, [k as f64 + written, (k + 1) as f64]);
        }
    });
}

#[test]
fn products_joins_and_rows_of_statements_have_no_plans() {
    for n in [1, 6, 33] {
        Device::cpu().scope(|| check_products(60, n));
    }
}

fn check_products(turns: usize, n: usize) {
    let matrix = A::linspace(-0.3, 0.4, n * n).reshape([n, n]);
    let vector = A::linspace(0.5, 1.0, n);
    lazuli::eval(&[&matrix, &vector]).unwrap();
    let m = matrix.to_vec().unwrap();
    let v = vector.to_vec().unwrap();
    let mut x = A::zeros([turns + 1, n]);
    let (mut outer, mut pairs, mut most) =
        (A::zeros([turns, n, n]), A::zeros([turns, 2, n]), A::zeros([turns, n]));
    let mut across = A::zeros([turns, n]);
    lazuli::eval(&[&x, &outer, &pairs, &most, &across]).unwrap();
    x.assign(s![0, ..], &vector);
    let taken = taken(turns, |k| {
        let row = x.slice(s![k, ..]);
        outer.assign(s![k, .., ..], row.insert_axis(1) * &vector);
        pairs.assign(s![k, .., ..], lazuli::stack(&[&row, &vector], 0));
        most.assign(s![k, ..], (&matrix * &row).max(1));
        across.assign(s![k, ..], row.dot(&matrix));
        x.assign(s![k + 1, ..], matrix.dot(&row));
    });
    assert_eq!(taken.plans, 0, "{taken:?}");
    let mut row = v.clone();
    for k in 0..turns {
        let of = |a: &A| a.slice(s![k, ..]).reshape(-1).to_vec().unwrap();
        let products = |i: usize| (0..n).map(|j| m[i * n + j] * row[j]).collect::<Vec<_>>();
        let outer_row: Vec<f64> = row.iter().flat_map(|a| v.iter().map(move |b| a * b)).collect();
        assert_eq!(of(&outer), outer_row);
        assert_eq!(of(&pairs), [row.clone(), v.clone()].concat());
        let largest = |i| products(i).into_iter().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(of(&most), (0..n).map(largest).collect::<Vec<_>>());
        let columns = |j: usize| (0..n).map(|i| m[i * n + j] * row[i]).sum::<f64>();
        check_near(&of(&across), &(0..n).map(columns).collect::<Vec<_>>());
        row = (0..n).map(|i| products(i).iter().sum()).collect();
        let found = x.slice(s![k + 1, ..]).to_vec().unwrap();
        check_near(&found, &row);
        row = found;
    }
}

#[track_caller]
fn check_near(found: &[f64], expected: &[f64]) {
    let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs()));
    assert!(near && found.len() == expected.len(), "{found:?}, not {expected:?}");
}

#[test]
fn numbers_have_the_bits_of_arrays() {
    on_each_device(|device| {
        let values =
            [0.0, -0.0, 1.5, -2.25, 1e300, 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.3];
        let a = A::from_slice(&values).unwrap();
        let b = a.roll(3, 0);
        lazuli::eval(&[&a, &b]).unwrap();
        let operations: [fn(&A, &A) -> A; 12] = [
            |a, b| a + b,
            |a, b| a * 3.0 - b / a,
            |a, b| a.less(b).select(a, b),
            |a, b| a.maximum(b) - 1.0,
            |a, _| a.sqrt().exp(),
            |a, _| a.sin() + a.tanh() * a.power(3.0),
            |a, b| a.power(b),
            |a, b| a.atan2(b),
            |a, b| a.hypot(b),
            |a, _| -a.cast::<f32>().cast::<f64>(),
            |a, b| a.is_nan().logical_or(b.greater(0.0)).cast::<f64>(),
            |a, b| a.clip(-1.0, 1.0) % b,
        ];
        for (which, operation) in operations.iter().enumerate() {
            let all = operation(&a, &b).to_vec().unwrap();
            let before = counters();
            for (k, &expected) in all.iter().enumerate() {
                let found = operation(&a.slice(s![k]), &b.slice(s![k])).item().unwrap();
                assert!(same(found, expected), "operation {which}: {found}, not {expected}");
            }
            if device == Device::cpu() {
                assert_eq!(counters().kernels, before.kernels, "operation {which}");
            }
        }
        // Beside an array, of other types, and as a condition.
        let n = DeviceArray::<i64>::arange_to(6);
        n.eval().unwrap();
        let third = n.slice(s![3]) * 2 + 1;
        assert_eq!((&n * &third).to_vec().unwrap(), [0, 7, 14, 21, 28, 35]);
        assert_eq!((&third - &n).slice(s![1..3]).to_vec().unwrap(), [6, 5]);
        assert_eq!(third.shape(), &[] as &[usize]);
        assert_eq!(third.reshape([1, 1]).to_vec().unwrap(), [7]);
        assert_eq!(third.broadcast_to([2, 2]).sum(..).item().unwrap(), 28);
        let is_odd = (&third % 2).equal(1);
        assert_eq!(is_odd.select(&n, 0).to_vec().unwrap(), [0, 1, 2, 3, 4, 5]);
        let before = counters();
        assert!(is_odd.item().unwrap());
        let flags = n.greater(2);
        flags.eval().unwrap();
        assert_eq!([2, 3].map(|k| flags.slice(s![k]).item().unwrap()), [false, true]);
        if device == Device::cpu() {
            assert_eq!(counters().kernels - before.kernels, 1);
        }
        let turned = DeviceArray::from_slice(&[Complex::new(1.0f32, 2.0)]).unwrap();
        turned.eval().unwrap();
        let product = turned.slice(s![0]) * turned.slice(s![0]);
        assert_eq!(product.item().unwrap(), Complex::new(-3.0, 4.0));
        assert_eq!(product.real().item().unwrap(), -3.0);
        // A number is what it was, whatever becomes of the array.
        let (mut c, d) = (n.clone(), n.slice(s![5]));
        c.assign(s![5], 0);
        assert_eq!((c.slice(s![5]).item().unwrap(), d.item().unwrap()), (0, 5));
        assert!(n.slice(s![2]).try_slice(s![0..1]).unwrap_err().is_shape());
        assert!(n.try_slice(s![6]).unwrap_err().is_shape());
    });
}

#[test]
fn a_product_for_two_statements_is_computed_once() {
    Device::cpu().scope(|| {
        // Smaller matrices are multiplied and summed by kernels.
        let (rows, n, turns) = (60, 300, 160);
        let data = A::from_vec([rows, n], (0..rows * n).map(|k| (k * 7 % 11) as f64).collect());
        let data = data.unwrap();
        let mut found = A::zeros([n, n]);
        let mut row = A::zeros(n);
        let products = taken(turns, |i| {
            let before = counters().allocated;
            row = data.slice(s![.., i]).matmul(&data.slice(s![.., i..]));
            found.assign(s![i.., i], &row);
            found.assign(s![i, i..], &row);
            // It is stored by the first of them, in memory that is counted.
            let own = ((n - i) * size_of::<f64>()) as u64;
            let stored = counters().allocated - before;
            assert!(
                i < 12 || data.slice(s![.., i..]).len() < 8192 || stored == own,
                "{i}: {stored}"
            );
        });
        assert_eq!(products.plans, 0, "{products:?}");
        let part = s![..turns, ..];
        let expected = data.t().matmul(&data).slice(part);
        assert_eq!((found.slice(part) - expected).abs().max(..).item().unwrap(), 0.0);
    });
}

/// A value of a few elements, by operations with which loops ask for one.
fn asked(random: &mut Rng, leaves: &[A; 3], depth: usize) -> A {
    let leaf = |random: &mut Rng| match random.below(4) {
        0 => leaves[0].slice(s![1..;2, ..]).sum(0),
        1 => leaves[random.below(2)].slice(s![random.below(5), ..]),
        _ => leaves[random.below(3)].clone(),
    };
    if depth == 0 {
        return leaf(random);
    }
    let a = asked(random, leaves, depth - 1);
    match random.below(12) {
        0 => a.sin(),
        1 => (a * 0.25).exp(),
        2 => a.abs().sqrt(),
        3 => a.square() - 0.5,
        4 => a.sum(..),
        5 if !a.shape().is_empty() => a.mean(-1),
        6 if !a.shape().is_empty() => a.max(-1),
        7 => a.greater(0.0).select(&a, 0.125),
        8 => a.cast::<f32>().square().sum(..).cast(),
        _ => {
            let b = asked(random, leaves, depth - 1);
            let fits = a.shape() == b.shape() || a.shape().is_empty() || b.shape().is_empty();
            match random.below(3) {
                _ if !fits => a.max(..) - b.sum(..),
                0 => a + b,
                1 => a * b,
                _ => a / (b.square() + 1.0),
            }
        }
    }
}

#[test]
fn what_is_asked_often_has_the_bits_of_its_plan() {
    Device::cpu().scope(|| {
        for seed in 0..400 {
            let mut random = Rng(seed);
            let columns = 1 + random.below(90);
            let mut leaf = |shape: &[usize]| {
                let count = shape.iter().product();
                let of = |_| random.below(2000) as f64 / 640.0 - 1.5;
                A::from_vec(shape.to_vec(), (0..count).map(of).collect()).unwrap()
            };
            let leaves = [leaf(&[6, columns]), leaf(&[5, columns]), leaf(&[columns])];
            let once = || asked(&mut Rng(seed), &leaves, 1 + seed as usize % 4).to_vec().unwrap();
            // Who watches has a plan.
            let (wanted, _) = lazuli::profile(once);
            for turn in 0..20 {
                let found = once();
                let equal = found.iter().zip(&wanted).all(|(&a, &b)| same(a, b));
                assert!(equal, "{seed}, {turn}: {found:?}, not {wanted:?}");
            }
        }
    });
}

#[test]
fn what_is_asked_often_has_no_plans() {
    Device::cpu().scope(|| {
        let turns = 200;
        let x = A::arange_to(turns as f64);
        x.eval().unwrap();
        let before = counters();
        for n in 1..turns {
            let total = (x.slice(s![..n]) * 2.0).sum(..).item().unwrap();
            assert_eq!(total, (n * (n - 1)) as f64);
        }
        let after = counters();
        assert!(after.plans - before.plans <= 20, "{} plans", after.plans - before.plans);
        assert_eq!(after.evaluations - before.evaluations, turns as u64 - 1);
        // What the program holds is stored with the number that is computed from it.
        let held: Vec<A> = (1..=60)
            .map(|n| {
                let y = x.slice(s![..n]) * 2.0;
                assert_eq!(y.max(..).item().unwrap(), (n - 1) as f64 * 2.0);
                y
            })
            .collect();
        let kernels = counters().kernels;
        for (n, y) in (1..).zip(&held).skip(20) {
            assert_eq!(y.to_vec().unwrap().last(), Some(&((n - 1) as f64 * 2.0)));
        }
        assert_eq!(counters().kernels, kernels);
        // Strict sums have an order of their own, and so have products of matrices.
        for _ in 0..40 {
            let of_strict = with_arithmetic(Arithmetic::Strict, || x.sum(..).item().unwrap());
            assert_eq!(of_strict, (turns * (turns - 1) / 2) as f64);
        }
    });
}
