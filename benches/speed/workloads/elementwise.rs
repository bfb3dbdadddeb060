//! Workloads that compute every element by itself.

use super::{GOLDEN, SQRT_2, SQRT_3, at, compare, places, spread, tolerance};
use crate::measure::Bench;
use lazuli::prelude::*;
use std::f64::consts::TAU;

/// Reads and writes every element once: what a kernel without arithmetic reaches.
pub fn copy(bench: &mut Bench, n: usize) -> Result<()> {
    let x = spread::<f32>(n, GOLDEN, 0.0, 1.0)?;
    bench.form(
        "-x",
        8 * n,
        || (-&x).eval(),
        || {
            let y = -&x;
            compare([(at(&y, n - 1)?, -at(&x, n - 1)?)], 0.0)
        },
    )
}

pub fn scale(bench: &mut Bench, n: usize) -> Result<()> {
    let x = spread::<f64>(n, GOLDEN, 0.0, 1.0)?;
    let result = || {
        let y = &x * 2.0;
        y.eval().map(|()| y)
    };
    bench.form(
        "lazy",
        16 * n,
        || result().map(drop),
        || {
            let y = result()?;
            let pairs: Result<Vec<_>> =
                places(n).iter().map(|&i| Ok((at(&y, i)?, 2.0 * at(&x, i)?))).collect();
            compare(pairs?, 0.0)
        },
    )
}

pub fn sinexp<T: Floating>(bench: &mut Bench, n: usize) -> Result<()> {
    let (x, y) = (spread::<T>(n, GOLDEN, 0.0, TAU)?, spread::<T>(n, SQRT_2, 1.0, 1.6)?);
    let result = || {
        let z = x.sin() * y.exp();
        z.eval().map(|()| z)
    };
    bench.form(
        "lazy",
        3 * n * size_of::<T>(),
        || result().map(drop),
        || {
            let z = result()?;
            let pair = |&i: &usize| Ok((at(&z, i)?, at(&x, i)?.sin() * at(&y, i)?.exp()));
            let pairs: Result<Vec<_>> = places(n).iter().map(pair).collect();
            compare(pairs?, tolerance::<T>())
        },
    )
}

const RATE: f64 = 0.02;
const VOLATILITY: f64 = 0.30;
const INV_SQRT_2PI: f64 = 0.398_942_280_401_432_7;
/// The coefficients of the polynomial for the normal distribution, the highest first.
const TERMS: [f64; 5] = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153];

fn normal_cdf<T: Floating>(d: &DeviceArray<T>) -> DeviceArray<T> {
    let c = T::from_f64;
    let k = (d.abs() * c(0.2316419) + c(1.0)).reciprocal();
    let polynomial = TERMS[1..].iter().fold(&k * c(TERMS[0]), |sum, &term| (sum + c(term)) * &k);
    let tail = (d * c(-0.5) * d).exp() * c(INV_SQRT_2PI) * polynomial;
    d.greater(c(0.0)).select(-&tail + c(1.0), &tail)
}

/// The prices of a call and of a put, for either floating-point type.
fn prices<T: Floating>([s, x, t]: [&DeviceArray<T>; 3]) -> [DeviceArray<T>; 2] {
    let c = T::from_f64;
    let root = t.sqrt();
    let drift = t * c(RATE + 0.5 * VOLATILITY * VOLATILITY);
    let d1 = ((s / x).ln() + drift) / (&root * c(VOLATILITY));
    let d2 = &d1 - root * c(VOLATILITY);
    let (c1, c2) = (normal_cdf(&d1), normal_cdf(&d2));
    let strike = x * (t * c(-RATE)).exp();
    let call = s * &c1 - &strike * &c2;
    let put = strike * (-c2 + c(1.0)) - s * (-c1 + c(1.0));
    [call, put]
}

/// The same on the host, for one option.
fn price([s, x, t]: [f64; 3]) -> [f64; 2] {
    let cdf = |d: f64| {
        let k = 1.0 / (1.0 + 0.2316419 * d.abs());
        let polynomial = TERMS[1..].iter().fold(k * TERMS[0], |sum, term| (sum + term) * k);
        let tail = INV_SQRT_2PI * (-0.5 * d * d).exp() * polynomial;
        if d > 0.0 { 1.0 - tail } else { tail }
    };
    let spread = VOLATILITY * t.sqrt();
    let d1 = ((s / x).ln() + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / spread;
    let (c1, c2, strike) = (cdf(d1), cdf(d1 - spread), x * (-RATE * t).exp());
    [s * c1 - strike * c2, strike * (1.0 - c2) - s * (1.0 - c1)]
}

pub fn blackscholes<T: Floating>(bench: &mut Bench, n: usize) -> Result<()> {
    let s = spread::<T>(n, GOLDEN, 5.0, 30.0)?;
    let x = spread::<T>(n, SQRT_2, 1.0, 100.0)?;
    let t = spread::<T>(n, SQRT_3, 0.25, 10.0)?;
    let result = || {
        let [call, put] = prices([&s, &x, &t]);
        lazuli::eval(&[&call, &put]).map(|()| [call, put])
    };
    bench.form(
        "lazy",
        5 * n * size_of::<T>(),
        || result().map(drop),
        || {
            let both = result()?;
            let mut pairs = Vec::new();
            for i in places(n) {
                let right = price([at(&s, i)?, at(&x, i)?, at(&t, i)?]);
                pairs.extend([(at(&both[0], i)?, right[0]), (at(&both[1], i)?, right[1])]);
            }
            // Differences of large terms: the error counts against the terms.
            compare(pairs, 100.0 * tolerance::<T>())
        },
    )
}

const HALF_DEGREE: f64 = 0.008726645;
const DEGREE: f64 = 0.01745329;

/// The great-circle function on a mesh that is generated anew in each evaluation.
pub fn haversine(bench: &mut Bench, n: usize) -> Result<()> {
    let result = || {
        let lat = DeviceArray::<f64>::linspace(29.0, 31.0, n).insert_axis(0);
        let lon = DeviceArray::<f64>::linspace(99.0, 101.0, n).insert_axis(1);
        let across = (HALF_DEGREE * (30.0 - &lat)).sin().square();
        let along = (HALF_DEGREE * (101.0 - lon)).sin().square();
        let a = across + (DEGREE * lat).cos() * (DEGREE * 30.0).cos() * along;
        let d = a.atan2(1.0 - &a);
        d.eval().map(|()| d)
    };
    bench.form(
        "lazy",
        8 * n * n,
        || result().map(drop),
        || {
            let d = result()?;
            let mut pairs = Vec::new();
            for y in places(n) {
                let got = super::row(&d, y)?;
                for x in places(n) {
                    let step = 2.0 / (n - 1) as f64;
                    let (lat, lon) = (29.0 + step * x as f64, 99.0 + step * y as f64);
                    let a = (HALF_DEGREE * (30.0 - lat)).sin().powi(2)
                        + (DEGREE * lat).cos()
                            * (DEGREE * 30.0).cos()
                            * (HALF_DEGREE * (101.0 - lon)).sin().powi(2);
                    pairs.push((1e4 * got[x], 1e4 * a.atan2(1.0 - a)));
                }
            }
            compare(pairs, 1e-10)
        },
    )
}

/// Thirty operations on a thousand elements: what is measured is the host.
pub fn dispatch(bench: &mut Bench) -> Result<()> {
    let x = spread::<f32>(1000, GOLDEN, 0.0, 1.0)?;
    let result = || {
        let mut y = x.clone();
        for _ in 0..10 {
            y = y.sin() * 1.01 + 0.5;
        }
        y.eval().map(|()| y)
    };
    bench.form(
        "lazy",
        0,
        || result().map(drop),
        || {
            let y = result()?;
            let chain = |x: f64| (0..10).fold(x, |y, _| y.sin() * 1.01 + 0.5);
            let pairs: Result<Vec<_>> =
                places(1000).iter().map(|&i| Ok((at(&y, i)?, chain(at(&x, i)?)))).collect();
            compare(pairs?, 1e-5)
        },
    )
}
