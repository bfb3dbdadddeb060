//! Heavy expressions, which a GPU computes without branches where all their arguments are usual:
//! each result is the one that its operation gives by itself, to the last bit, whatever the others
//! in an item are.

use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;

/// A type whose bits can be drawn.
trait Bits: Float {
    const EDGES: [Self; 14];
    fn of_bits(bits: u64) -> Self;
    fn is_same(self, other: Self) -> bool;
}

macro_rules! bits {
    ($type:ident, $unsigned:ident) => {
        impl Bits for $type {
            const EDGES: [$type; 14] = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                $type::INFINITY,
                $type::NEG_INFINITY,
                $type::NAN,
                $type::MIN_POSITIVE,
                $type::MIN_POSITIVE / 8.0,
                -$type::MIN_POSITIVE / 3.0,
                $type::MAX,
                $type::MIN,
                710.0,
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
    all[32_000].0 = T::ZERO;
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

#[test]
fn results_in_heavy_expressions_are_those_of_single_operations() {
    on_each_device(|_| {
        check::<f32>();
        check::<f64>();
    });
}
