//! Heavy expressions, which a GPU computes without branches where all their arguments are usual:
//! each result is the one that its operation gives by itself, to the last bit, whatever the others
//! in an item are.

use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;

/// A type whose bits can be drawn.
trait Bits: Float {
    const EDGES: [Self; 19];
    fn of_bits(bits: u64) -> Self;
    fn is_same(self, other: Self) -> bool;
}

macro_rules! bits {
    ($type:ident, $unsigned:ident) => {
        impl Bits for $type {
            const EDGES: [$type; 19] = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                $type::INFINITY,
                $type::NEG_INFINITY,
                $type::NAN,
                -$type::NAN,
                $type::MIN_POSITIVE,
                $type::MIN_POSITIVE / 8.0,
                -$type::MIN_POSITIVE / 3.0,
                $type::MAX,
                $type::MIN,
                710.0,
                -710.0,
                -745.5,
                -746.5,
                -1e30,
                1e-30,
            ];

            fn of_bits(bits: u64) -> $type {
                $type::from_bits(bits as $unsigned)
            }

            fn is_same(self, other: $type) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
        }
    };
}
bits!(f32, u32);
bits!(f64, u64);

/// Pairs of edges; numbers of any bits; numbers of which few end in zeros; ordinary ones with one
/// zero among them.
fn pairs<T: Bits>() -> (Vec<T>, Vec<T>) {
    let edges = || T::EDGES.into_iter();
    let mut all: Vec<(T, T)> = edges().flat_map(|x| edges().map(move |y| (x, y))).collect();
    let mut rng = Rng(11);
    for k in 0..30_000 {
        let mut bits = || rng.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ rng.next();
        let (a, b) = (bits(), bits());
        let short = |a: u64| a & (u64::MAX << (a & 31));
        all.push(match k % 2 {
            0 => (T::of_bits(a), T::of_bits(b)),
            _ => (T::of_bits(short(a)), T::of_bits(short(b))),
        });
    }
    let ordinary = |rng: &mut Rng| T::from_f64(rng.within(0.1, 30.0));
    all.extend((0..5001).map(|_| (ordinary(&mut rng), ordinary(&mut rng))));
    let at = all.len() - 3000;
    all[at].0 = T::ZERO;
    all.into_iter().unzip()
}

/// Everything that has a form for usual arguments, and more that is computed beside.
fn each<T: Float>(x: &DeviceArray<T>, y: &DeviceArray<T>) -> [DeviceArray<T>; 7] {
    let sum = x.exp() + y.exp();
    [x / y, y.reciprocal(), x.sqrt(), x.exp(), x.ln(), x.atan2(y), sum]
}

#[vectorize]
fn all_of<T: Float>(x: T, y: T) -> (T, T, T, T, T, T, T) {
    let sum = x.exp() + y.exp();
    (x / y, T::ONE / y, x.sqrt(), x.exp(), x.ln(), x.atan2(y), sum)
}

fn compare<T: Bits>(
    what: &str,
    found: &[DeviceArray<T>; 7],
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
) {
    let together: Vec<&dyn AnyArray> = found.iter().map(|a| a as &dyn AnyArray).collect();
    lazuli::eval(&together).unwrap();
    let (xs, ys) = (x.to_vec().unwrap(), y.to_vec().unwrap());
    for (k, (one, found)) in each(x, y).into_iter().zip(found).enumerate() {
        // By itself, an operation is light.
        let (alone, found) = (one.to_vec().unwrap(), found.to_vec().unwrap());
        for at in 0..alone.len() {
            let (x, y) = (xs[at % xs.len()], ys[at % ys.len()]);
            assert!(
                found[at].is_same(alone[at]),
                "{what}: result {k} of {x:?} and {y:?} is {:?}, by itself {:?}",
                found[at],
                alone[at]
            );
        }
    }
}

fn check<T: Bits>() {
    let (xs, ys) = pairs::<T>();
    for n in [xs.len(), xs.len() - 3, 4097, 5] {
        let x = DeviceArray::from_slice(&xs[..n]).unwrap();
        let y = DeviceArray::from_slice(&ys[..n]).unwrap();
        compare("expression", &each(&x, &y), &x, &y);
        compare("function", &all_of::call(&x, &y).into(), &x, &y);
    }
    // The end, where numbers are ordinary but for one, read backwards.
    let last = s![30_300..; -1];
    let x = DeviceArray::from_slice(&xs).unwrap().slice(last);
    let y = DeviceArray::from_slice(&ys).unwrap().slice(last);
    compare("backwards", &each(&x, &y), &x, &y);
    compare("function backwards", &all_of::call(&x, &y).into(), &x, &y);
    // Along two axes.
    let column = DeviceArray::from_slice(&xs[31_000..31_130]).unwrap().insert_axis(1);
    let row = DeviceArray::from_slice(&ys[..300]).unwrap().insert_axis(0);
    let (tall, wide) = (column.broadcast_to([130, 300]), row.broadcast_to([130, 300]));
    compare("mesh", &each(&tall, &wide), &tall, &wide);
    compare("function of a mesh", &all_of::call(&column, &row).into(), &tall, &wide);
}

/// Complex and whole numbers beside, and a choice.
#[vectorize]
fn mixed(z: Complex<f64>, x: f64, n: i32) -> (f64, f64, i32) {
    let w = z / x + z.sqrt();
    let size = (w.re * w.re + w.im * w.im).sqrt();
    let decay = (-size).exp() / (1.0 + x.exp());
    (if n > 0 { decay } else { 1.0 / size }, w.im / w.re, 100 / (n * n + 1))
}

#[test]
fn functions_of_several_types_run_for_usual_arguments() {
    on_each_device(|_| {
        let mut rng = Rng(5);
        let n = 3001;
        let mut some = |at: usize| if at % 97 == 0 { 0.0 } else { rng.within(-3.0, 9.0) };
        let x: Vec<f64> = (0..n).map(&mut some).collect();
        let z: Vec<Complex<f64>> = (0..n).map(|k| Complex::new(some(k + 1), some(k + 2))).collect();
        let k: Vec<i32> = (0..n as i32).map(|k| k % 5 - 2).collect();
        let arrays = (
            DeviceArray::from_slice(&z).unwrap(),
            DeviceArray::from_slice(&x).unwrap(),
            DeviceArray::from_slice(&k).unwrap(),
        );
        let (a, b, c) = mixed::call(&arrays.0, &arrays.1, &arrays.2);
        lazuli::eval(&[&a, &b, &c]).unwrap();
        let (a, b, c) = (a.to_vec().unwrap(), b.to_vec().unwrap(), c.to_vec().unwrap());
        for at in 0..n {
            let right = mixed(z[at], x[at], k[at]);
            let near = |found: f64, right: f64| {
                (found.is_nan() && right.is_nan())
                    || found == right
                    || (found - right).abs() <= 1e-9 * (1.0 + right.abs())
            };
            let place = (z[at], x[at], k[at]);
            assert!(near(a[at], right.0), "{place:?}: {} should be {}", a[at], right.0);
            assert!(near(b[at], right.1), "{place:?}: {} should be {}", b[at], right.1);
            assert_eq!(c[at], right.2, "{place:?}");
        }
    });
}

#[test]
fn results_in_heavy_expressions_are_those_of_single_operations() {
    on_each_device(|_| {
        check::<f32>();
        check::<f64>();
    });
}
