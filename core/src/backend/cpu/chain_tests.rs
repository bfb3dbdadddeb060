//! Chains against the same operations one element after another.

use super::tests::Rng;
use crate::dtype::Plain;
use crate::table::{Basic, Reduction};
use lazuli_inner_loops::chain::{Linked, chain_fns};
use lazuli_inner_loops::fold::{ACCUMULATOR, folds};
use lazuli_inner_loops::level::Level;
use lazuli_inner_loops::operations::Arg;
use std::ops::{Add, Div, Mul, Sub};

/// A type with the operators of Rust.
trait Number:
    Plain + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}
impl Number for f32 {}
impl Number for f64 {}

/// What a link does to one element.
fn step<T: Number>(op: Basic, second: bool, held: T, other: T) -> T {
    let (a, b) = if second { (other, held) } else { (held, other) };
    match op {
        Basic::Add => a + b,
        Basic::Subtract => a - b,
        Basic::Multiply => a * b,
        Basic::Divide => a / b,
        Basic::Square => held * held,
    }
}

/// Numbers with all that is special among them.
fn numbers<T: Plain>(rng: &mut Rng, n: usize, from: fn(f64) -> T) -> Vec<T> {
    let special =
        [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e-300, 5e-324, 1e38];
    (0..n)
        .map(|_| match rng.below(8) {
            0 => from(special[rng.below(special.len())]),
            _ => from(rng.below(2_000_000) as f64 / 1e5 - 10.0),
        })
        .collect()
}

fn check<T: Number>(from: fn(f64) -> T, same: fn(T, T) -> bool) {
    const OPS: [Basic; 5] =
        [Basic::Add, Basic::Subtract, Basic::Multiply, Basic::Divide, Basic::Square];
    let mut rng = Rng(7);
    for level in Level::available() {
        let fns = chain_fns(T::TYPE, level).expect("chains are made of such numbers");
        for round in 0..600 {
            let n = match round % 3 {
                0 => rng.below(40),
                1 => rng.below(300),
                _ => 1000 + rng.below(300),
            };
            let operands: Vec<(Vec<T>, bool)> = (0..1 + rng.below(6))
                .map(|_| {
                    let vector = rng.chance(70);
                    (numbers(&mut rng, if vector { n } else { 1 }, from), vector)
                })
                .collect();
            let arg = |k: usize| Arg::near(operands[k].0.as_ptr().cast(), operands[k].1);
            let list: Vec<(Basic, bool, usize)> = (0..rng.below(7))
                .map(|_| (OPS[rng.below(5)], rng.chance(50), rng.below(operands.len())))
                .collect();
            let links: Vec<Linked> =
                list.iter().map(|&(op, second, k)| Linked { op, second, arg: arg(k) }).collect();
            let element = |k: usize, i: usize| operands[k].0[if operands[k].1 { i } else { 0 }];
            let right: Vec<T> = (0..n)
                .map(|i| {
                    list.iter().fold(element(0, i), |held, &(op, second, k)| {
                        step(op, second, held, element(k, i))
                    })
                })
                .collect();
            // The results begin anywhere in a line, and nothing around them is touched.
            let mark = from(77.0);
            let at = 3 + rng.below(40);
            for past_caches in [false, true] {
                let mut out = vec![mark; n + 80];
                // SAFETY: the operands have `n` elements, or one, and the results have room.
                unsafe {
                    (fns.run)(
                        out[at..].as_mut_ptr().cast(),
                        arg(0),
                        &links,
                        n,
                        past_caches,
                        past_caches,
                    )
                };
                super::copy::end_streams();
                let got = &out[at..at + n];
                let equal = got.iter().zip(&right).all(|(&a, &b)| same(a, b));
                assert!(equal, "{level:?} {n} {list:?} {past_caches}");
                let around = out[..at].iter().chain(&out[at + n..]);
                assert!(around.copied().all(|x| same(x, mark)), "{level:?} {n} {past_caches}");
            }
            if operands[0].1 {
                // In the place of the first operand.
                let mut place = operands[0].0.clone();
                let first = Arg::near(place.as_ptr().cast(), true);
                let moved = |link: &Linked| match std::ptr::eq(link.arg.ptr, arg(0).ptr) {
                    true => Linked { arg: first, ..*link },
                    false => *link,
                };
                let links: Vec<Linked> = links.iter().map(moved).collect();
                // SAFETY: as above; the results lie where the first operand does.
                unsafe { (fns.run)(place.as_mut_ptr().cast(), first, &links, n, false, false) };
                assert!(place.iter().zip(&right).all(|(&a, &b)| same(a, b)), "{level:?} {n}");
            }
        }
    }
}

#[test]
fn chains_of_doubles() {
    check::<f64>(|x| x, |a, b| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
}

#[test]
fn chains_of_singles() {
    check::<f32>(|x| x as f32, |a, b| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
}

/// A chain's sum is, bit by bit, what its results give that are written and then folded.
fn check_sum<T: Number>(from: fn(f64) -> T) {
    let mut rng = Rng(11);
    for level in Level::available() {
        let fns = chain_fns(T::TYPE, level).expect("chains are made of such numbers");
        let folds = folds(Reduction::Sum, T::TYPE, level).expect("numbers have sums");
        for _ in 0..300 {
            let n = rng.below(900);
            let list: Vec<(Vec<T>, bool)> = (0..3)
                .map(|k| {
                    let vector = k == 0 || rng.chance(70);
                    let number = |_| from(rng.below(2_000_000) as f64 / 1e5 - 10.0);
                    ((0..if vector { n } else { 1 }).map(number).collect(), vector)
                })
                .collect();
            let arg =
                |k: usize| Arg { far: k == 1, ..Arg::near(list[k].0.as_ptr().cast(), list[k].1) };
            let links = [
                Linked { op: Basic::Subtract, second: rng.chance(50), arg: arg(1) },
                Linked { op: Basic::Multiply, second: false, arg: arg(2) },
                Linked { op: Basic::Square, second: false, arg: arg(0) },
            ];
            let links = &links[..rng.below(4)];
            let start: Vec<T> = (0..ACCUMULATOR / size_of::<T>()).map(|k| from(k as f64)).collect();
            let (mut right, mut got) = (start.clone(), start);
            let mut results = vec![from(0.0); n];
            let to: *mut u8 = results.as_mut_ptr().cast();
            let (a, b): (*mut u8, *mut u8) = (right.as_mut_ptr().cast(), got.as_mut_ptr().cast());
            // SAFETY: the operands have `n` elements, or one, the accumulators all their lanes.
            unsafe {
                (fns.run)(to, arg(0), links, n, false, true);
                (folds.fold)(a, to, n, false);
                let done = (fns.sum)(b, arg(0), links, n);
                assert!(done <= n && n - done < ACCUMULATOR / size_of::<T>(), "{level:?} {n}");
                (folds.fold)(b, to.add(done * size_of::<T>()), n - done, true);
            }
            let bits = |list: &[T]| list.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>();
            assert_eq!(bits(&got), bits(&right), "{level:?} {n} {}", links.len());
        }
    }
}

#[test]
fn sums_of_chains() {
    check_sum::<f64>(|x| x);
    check_sum::<f32>(|x| x as f32);
}
