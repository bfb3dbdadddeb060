//! Chains against the same operations one element after another.

use super::chain::{Linked, chain_fn};
use super::level::Level;
use super::loops::Arg;
use super::tests::Rng;
use crate::dtype::Element;
use crate::ops::table::Basic;
use std::ops::{Add, Div, Mul, Sub};

/// A type with the operators of Rust.
trait Number:
    Element + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
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
fn numbers<T: Element>(rng: &mut Rng, n: usize, from: fn(f64) -> T) -> Vec<T> {
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
        let f = chain_fn(T::DTYPE, level).expect("chains are made of such numbers");
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
            let arg = |k: usize| Arg { ptr: operands[k].0.as_ptr().cast(), vector: operands[k].1 };
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
                unsafe { f(out[at..].as_mut_ptr().cast(), arg(0), &links, n, past_caches) };
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
                let first = Arg { ptr: place.as_ptr().cast(), vector: true };
                let moved = |link: &Linked| match std::ptr::eq(link.arg.ptr, arg(0).ptr) {
                    true => Linked { arg: first, ..*link },
                    false => *link,
                };
                let links: Vec<Linked> = links.iter().map(moved).collect();
                // SAFETY: as above; the results lie where the first operand does.
                unsafe { f(place.as_mut_ptr().cast(), first, &links, n, false) };
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
