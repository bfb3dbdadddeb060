//! Prices of European options by the formula of Black and Scholes, both of them from one kernel.
//!
//! Inputs `s` (price), `x` (strike) and `t` (years): float64\[n\]; without `--in`,
//! `np.arange(n) * r % 1.0` spread over 5..30, 1..100 and 0.25..10, with `r` = 0.6180339887498949,
//! 0.4142135623730951 and 0.7320508075688772. Outputs `call` and `put`: float64\[n\]. The rate is
//! 0.02, the volatility 0.30, and a five-term polynomial stands for the normal distribution.
//!
//! ```sh
//! cargo run --release --example black_scholes -- --size 4000000 --explain
//! cargo run --release --example black_scholes -- --in examples/data/prices --out /tmp/prices
//! ```

mod common;

use common::{GOLDEN, Job, Outcome, Program, Run, files::output, spread};
use lazuli::prelude::*;
use std::process::ExitCode;

const RATE: f64 = 0.02;
const VOLATILITY: f64 = 0.30;
const INVERSE_SQRT_2PI: f64 = 0.398_942_280_401_432_7;

/// The normal distribution's cumulative probability, by a polynomial of five terms.
fn normal_cdf(d: &DeviceArray<f64>) -> DeviceArray<f64> {
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let inner = &k * (1.781477937 + &k * (-1.821255978 + &k * 1.330274429));
    let polynomial = &k * (0.31938153 + &k * (-0.356563782 + inner));
    let tail = INVERSE_SQRT_2PI * (-0.5 * d * d).exp() * polynomial;
    select(&d.greater(0.0), 1.0 - &tail, &tail)
}

/// The prices of a call and of a put.
pub fn black_scholes(
    s: &DeviceArray<f64>,
    x: &DeviceArray<f64>,
    t: &DeviceArray<f64>,
) -> (DeviceArray<f64>, DeviceArray<f64>) {
    let spread = VOLATILITY * t.sqrt();
    let drift = (RATE + 0.5 * VOLATILITY * VOLATILITY) * t;
    let d1 = ((s / x).ln() + drift) / &spread;
    let d2 = &d1 - spread;
    let (c1, c2) = (normal_cdf(&d1), normal_cdf(&d2));
    let strike = x * (-RATE * t).exp();
    let call = s * &c1 - &strike * &c2;
    let put = strike * (1.0 - c2) - s * (1.0 - c1);
    (call, put)
}

/// [`normal_cdf`] of one number.
#[device]
fn cumulative(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let inner = k * (1.781477937 + k * (-1.821255978 + k * 1.330274429));
    let polynomial = k * (0.31938153 + k * (-0.356563782 + inner));
    let tail = INVERSE_SQRT_2PI * (-0.5 * d * d).exp() * polynomial;
    if d > 0.0 { 1.0 - tail } else { tail }
}

/// [`black_scholes`] of one option.
#[vectorize]
pub fn prices(s: f64, x: f64, t: f64) -> (f64, f64) {
    let spread = VOLATILITY * t.sqrt();
    let drift = (RATE + 0.5 * VOLATILITY * VOLATILITY) * t;
    let d1 = ((s / x).ln() + drift) / spread;
    let d2 = d1 - spread;
    let (c1, c2) = (cumulative(d1), cumulative(d2));
    let strike = x * (-RATE * t).exp();
    (s * c1 - strike * c2, strike * (1.0 - c2) - s * (1.0 - c1))
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "black_scholes",
    about: "s, x, t float64[n] → call, put float64[n]",
    forms: &["lazy", "vectorize"],
    size: &[("n", 1_000_000)],
    dtypes: &["float64"],
};

/// Reads the inputs and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let s = job.input("s", &["n"], |i| 5.0 + 25.0 * spread(i, GOLDEN))?;
    let x = job.input("x", &["n"], |i| 1.0 + 99.0 * spread(i, 0.4142135623730951))?;
    let t = job.input("t", &["n"], |i| 0.25 + 9.75 * spread(i, 0.7320508075688772))?;
    job.evaluate(|| {
        let (call, put) = match job.options.form {
            "vectorize" => prices::call(&s, &x, &t),
            _ => black_scholes(&s, &x, &t),
        };
        vec![output("call", call), output("put", put)]
    })
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
