//! Workloads that put in order.

use super::{GOLDEN, at, compare, places, spread};
use crate::measure::Bench;
use lazuli::prelude::*;

/// Uniform values in no order at all: the multiples of the golden ratio alone would be in one.
pub fn sort(bench: &mut Bench, n: usize) -> Result<()> {
    let x =
        ((spread::<f64>(n, GOLDEN, 0.0, 1e3)?.sin() * 43_758.545_3).rem_euclid(1.0)).cast::<f32>();
    x.eval()?;
    let result = || {
        let s = x.sort(0);
        s.eval().map(|()| s)
    };
    let uniform = |i: usize| i as f64 / n as f64;
    bench.form(
        "lazy",
        8 * n,
        || result().map(drop),
        || {
            let s = result()?;
            let ascending = s.slice(s![1..]).greater_equal(s.slice(s![..-1])).all(..).item()?;
            let found: Result<Vec<f64>> = places(n).iter().map(|&i| at(&s, i)).collect();
            let pairs = found?.into_iter().zip(places(n)).map(|(got, i)| (got, uniform(i)));
            compare(pairs.chain([(f64::from(u8::from(ascending)), 1.0)]), 1e-2)
        },
    )
}
