//! Random numbers that are read anywhere but from their beginning: whatever surrounds a draw, its
//! numbers are those of the same draw evaluated by itself.

use crate::support::on_each_device;
use lazuli::dtype::Signed;
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::{PadMode, concatenate, stack};

/// What a program does with a matrix.
type Pattern<T> = (&'static str, fn(&DeviceArray<T>) -> DeviceArray<T>);

/// Ordinary programs that read a matrix before, behind and beside its beginning.
fn patterns<T: Real<Sum = T> + Signed>() -> Vec<Pattern<T>> {
    vec![
        ("itself", |z| z.clone()),
        ("a join with its negation", |z| concatenate(&[z, &-z], 0)),
        ("a join of columns", |z| concatenate(&[z, &-z, z], 1)),
        ("behind zeros", |z| concatenate(&[&DeviceArray::zeros([5, z.shape()[1]]), z], 0)),
        ("beside zeros", |z| concatenate(&[&DeviceArray::zeros([z.shape()[0], 1]), z], 1)),
        ("a stack", |z| stack(&[z, z], 0)),
        ("padded", |z| z.pad(&[(3, 1), (2, 5)], PadMode::Constant(T::ONE))),
        ("padded by its edges", |z| z.pad(&[(1, 1), (1, 2)], PadMode::Edge)),
        ("rolled", |z| z.roll(1, 0) + z.roll(-1, 1)),
        ("flipped", |z| z.flip(0) - z.flip(1)),
        ("transposed", |z| z.t().into_owned_view()),
        ("steps", |z| z.slice(s![..;2, 1..]).flip(..)),
        ("assigned rows", |z| {
            let mut a = DeviceArray::zeros([z.shape()[0] + 3, z.shape()[1]]);
            a.assign(s![3.., ..], z);
            a
        }),
        // Sums of whole numbers are exact, in whatever order a plan takes them.
        ("assigned columns and scanned", |z| {
            let mut a = DeviceArray::zeros([z.shape()[0], z.shape()[1] + 2]);
            a.assign(s![.., 2..], (z.cast::<f64>() * 64.0).floor().cast::<T>());
            a.cumsum(0)
        }),
        ("assigned backwards", |z| {
            let mut a = DeviceArray::zeros([z.shape()[0], z.shape()[1] + 1]);
            a.assign(s![..;-1, 1..], z);
            a
        }),
        ("a row by rows", |z| {
            let flat = z.flatten();
            let mut a = DeviceArray::zeros([flat.len() + 7]);
            a.assign(s![7..], &flat);
            a
        }),
        ("windows", |z| z.flatten().pad(&[(4, 0)], PadMode::Constant(T::ZERO)).windows_of_five()),
        ("differences", |z| z.slice(s![1.., ..]) - z.slice(s![..-1, ..])),
    ]
}

/// What the patterns need besides the library's methods.
trait Shaped {
    fn into_owned_view(self) -> Self;
    fn windows_of_five(&self) -> Self;
}

impl<T: Real> Shaped for DeviceArray<T> {
    fn into_owned_view(self) -> Self {
        self + T::ZERO
    }

    fn windows_of_five(&self) -> Self {
        self.sliding_windows(5, 0).max(-1)
    }
}

/// Each pattern of a draw beside the pattern of the same draw that was evaluated first.
fn compare<T: Real<Sum = T> + Signed + Component>(
    law: &str,
    draw: fn(&mut Generator, [usize; 2]) -> DeviceArray<T>,
) {
    on_each_device(|device| {
        let shapes = [[4, 3], [1, 9], [33, 5], [5, 33], [16, 8], [70, 90]];
        for shape in if device.is_cuda() { &shapes[..3] } else { &shapes[..] } {
            for (what, pattern) in patterns::<T>() {
                let rng = Generator::new(shape[0] as u64 + 7);
                let stored = draw(&mut rng.clone(), *shape);
                stored.eval().unwrap();
                let expected = pattern(&stored).to_vec().unwrap();
                let found = pattern(&draw(&mut rng.clone(), *shape)).to_vec().unwrap();
                let same = |(a, b): (&T, &T)| a.to_f64().to_bits() == b.to_f64().to_bits();
                let differ = found.iter().zip(&expected).position(|pair| !same(pair));
                assert_eq!(differ, None, "{law} of {shape:?}, {what}, on {device}");
                assert_eq!(found.len(), expected.len());
            }
        }
    });
}

#[test]
fn uniform_numbers_are_the_same_wherever_they_are_read() {
    compare::<f32>("random f32", |rng, shape| rng.random(shape));
    compare::<f64>("random f64", |rng, shape| rng.random(shape));
}

#[test]
fn normal_numbers_are_the_same_wherever_they_are_read() {
    compare::<f32>("standard_normal f32", |rng, shape| rng.standard_normal(shape));
    compare::<f64>("standard_normal f64", |rng, shape| rng.standard_normal(shape));
}

#[test]
fn numbers_of_other_laws_are_the_same_wherever_they_are_read() {
    compare::<f64>("gamma f64", |rng, shape| rng.gamma(0.7, 2.0, shape));
    compare::<f32>("exponential f32", |rng, shape| rng.exponential(2.0f32, shape));
}

/// Numbers that stand apart in a tile, as the columns of short rows do, are those of the stream.
#[test]
fn columns_and_sums_of_short_rows_are_those_of_stored_draws() {
    on_each_device(|_| {
        for columns in 1..=9 {
            let mut g = Generator::new(columns as u64);
            let z: DeviceArray<f64> = g.normal(0.0, 1.0, [3001, columns]);
            let u: DeviceArray<f32> = g.random([3001, columns]);
            let stored = (&z + 0.0, &u + 0.0);
            lazuli::eval(&[&stored.0, &stored.1]).unwrap();
            let other = DeviceArray::<f64>::linspace(0.0, 1.0, 3001);
            let of = |z: &DeviceArray<f64>, u: &DeviceArray<f32>| {
                let turned = z.t() + &other;
                let most = u.max(0).cast::<f64>();
                let parts =
                    [turned.to_vec(), most.to_vec(), z.max(1).to_vec(), u.min(1).cast().to_vec()];
                parts.map(|part| part.unwrap())
            };
            assert_eq!(of(&z, &u), of(&stored.0, &stored.1), "{columns} columns");
            let near = |a: DeviceArray<f64>, b: DeviceArray<f64>| {
                assert!((a - b).abs().max(..).item().unwrap() < 1e-10, "{columns} columns");
            };
            near(z.sum(1), stored.0.sum(1));
            near(z.sum(0), stored.0.sum(0));
            near(z.var(1), stored.0.var(1));
        }
    });
}
