//! Workloads that are formulas of several lines.

use super::{
    GOLDEN, SQRT_2, SQRT_3, array_form, at, compare, kernel_form, places, row, spread, tolerance,
};
use crate::measure::{Bench, Check};
use crate::programs::great_circle;
use lazuli::prelude::*;
use lazuli::{Arithmetic, with_arithmetic};

const RATE: f64 = 0.02;
const VOLATILITY: f64 = 0.30;
const INV_SQRT_2PI: f64 = 0.398_942_280_401_432_7;
/// The coefficients of the polynomial for the normal distribution, the highest first.
const TERMS: [f64; 5] = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153];

fn normal_cdf<T: Float>(d: &DeviceArray<T>) -> DeviceArray<T> {
    let c = T::from_f64;
    let k = (d.abs() * c(0.2316419) + c(1.0)).reciprocal();
    let polynomial = TERMS[1..].iter().fold(&k * c(TERMS[0]), |sum, &term| (sum + c(term)) * &k);
    let tail = (d * c(-0.5) * d).exp() * c(INV_SQRT_2PI) * polynomial;
    d.greater(c(0.0)).select(-&tail + c(1.0), &tail)
}

/// The prices of a call and of a put, for either floating-point type.
fn prices<T: Float>([s, x, t]: [&DeviceArray<T>; 3]) -> [DeviceArray<T>; 2] {
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

/// [`normal_cdf`] of one number.
#[device]
fn cumulative<T: Float>(d: T) -> T {
    let k = T::ONE / (T::ONE + T::from_f64(0.2316419) * d.abs());
    let inner = k * (T::from_f64(-1.821255978) + k * T::from_f64(1.330274429));
    let middle = k * (T::from_f64(-0.356563782) + k * (T::from_f64(1.781477937) + inner));
    let polynomial = k * (T::from_f64(0.31938153) + middle);
    let tail = T::from_f64(INV_SQRT_2PI) * (T::from_f64(-0.5) * d * d).exp() * polynomial;
    if d > T::ZERO { T::ONE - tail } else { tail }
}

/// [`prices`] of one option.
#[vectorize]
fn prices_of_one<T: Float>(s: T, x: T, t: T) -> (T, T) {
    let spread = T::from_f64(VOLATILITY) * t.sqrt();
    let drift = T::from_f64(RATE + 0.5 * VOLATILITY * VOLATILITY) * t;
    let d1 = ((s / x).ln() + drift) / spread;
    let (c1, c2) = (cumulative(d1), cumulative(d1 - spread));
    let strike = x * (T::from_f64(-RATE) * t).exp();
    (s * c1 - strike * c2, strike * (T::ONE - c2) - s * (T::ONE - c1))
}

pub fn blackscholes<T: Float>(bench: &mut Bench, n: usize) -> Result<()> {
    let s = spread::<T>(n, GOLDEN, 5.0, 30.0)?;
    let x = spread::<T>(n, SQRT_2, 1.0, 100.0)?;
    let t = spread::<T>(n, SQRT_3, 0.25, 10.0)?;
    let evaluated = |both: [DeviceArray<T>; 2]| {
        lazuli::eval(&[&both[0], &both[1]])?;
        Ok(both)
    };
    let check = |both: [DeviceArray<T>; 2]| -> Check {
        let mut pairs = Vec::new();
        for i in places(n) {
            let right = price([at(&s, i)?, at(&x, i)?, at(&t, i)?]);
            pairs.extend([(at(&both[0], i)?, right[0]), (at(&both[1], i)?, right[1])]);
        }
        // Differences of large terms: the error counts against the terms.
        compare(pairs, 100.0 * tolerance::<T>())
    };
    let bytes = 5 * n * size_of::<T>();
    let lazy = || evaluated(prices([&s, &x, &t]));
    bench.form("lazy", bytes, || lazy().map(drop), || check(lazy()?))?;
    let vectorized = || evaluated(prices_of_one::call(&s, &x, &t).into());
    bench.form("vectorize", bytes, || vectorized().map(drop), || check(vectorized()?))?;
    if T::DTYPE != DType::F32 || !bench.device.is_cuda() {
        return Ok(());
    }
    // As other compilers divide without being asked.
    let fast = || with_arithmetic(Arithmetic::Fast, lazy);
    bench.form("lazy, fast division", bytes, || fast().map(drop), || check(fast()?))
}

const HALF_DEGREE: f64 = 0.008726645;
const DEGREE: f64 = 0.01745329;

/// The great-circle function on a mesh that is generated anew in each evaluation.
pub fn haversine(bench: &mut Bench, n: usize) -> Result<()> {
    let check = |d: DeviceArray<f64>| -> Check {
        let mut pairs = Vec::new();
        for y in places(n) {
            let got = row(&d, y)?;
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
    };
    let forms: [(_, fn(&Axis, &Axis) -> Axis); 2] =
        [("lazy", great_circle::great_circle), ("vectorize", great_circle::vectorized)];
    for (form, function) in forms {
        let record = || {
            let (lat, lon) = great_circle::mesh(n, n);
            Ok(function(&lat, &lon))
        };
        array_form(bench, form, 8 * n * n, record, check)?;
    }
    let launch = |d: &mut DeviceArray<f64>| {
        let blocks = great_circle::blocks(n, n);
        great_circle::on_mesh.launch(blocks, (32, 8), (29.0, 31.0, 99.0, 101.0, d))
    };
    kernel_form(bench, "kernel", 8 * n * n, DeviceArray::try_zeros([n, n])?, launch, check)
}

type Axis = DeviceArray<f64>;
