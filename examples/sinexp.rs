//! `sin(x)·exp(y)`, element by element, in one kernel.
//!
//! Inputs `x`, `y`: float32\[n\] or float64\[n\], both of one type; without `--in`,
//! `np.arange(n) * (2π / max(n - 1, 1))` and `np.arange(n) * (2 / max(n - 1, 1)) - 1`, rounded to
//! `--dtype`. Output `z`, of the same type.
//!
//! ```sh
//! cargo run --release --example sinexp -- --dtype f32 --explain
//! cargo run --release --example sinexp -- --in examples/data/waves --out /tmp/sinexp
//! ```

mod common;

use common::{Job, Outcome, Program, Run, files::Sample, files::output};
use lazuli::prelude::*;
use std::f64::consts::TAU;
use std::process::ExitCode;

/// `sin(x)·exp(y)`, for either floating-point type.
pub fn sinexp<T: Floating>(x: &DeviceArray<T>, y: &DeviceArray<T>) -> DeviceArray<T> {
    x.sin() * y.exp()
}

/// The same as a function of two numbers: `per_element::call` takes arrays.
#[vectorize]
pub fn per_element<T: Float>(x: T, y: T) -> T {
    x.sin() * y.exp()
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "sinexp",
    about: "x, y float32[n] or float64[n] → z = sin(x)·exp(y)",
    forms: &["lazy", "vectorize"],
    size: &[("n", 1_000_000)],
    dtypes: &["float64", "float32"],
};

/// Reads the inputs and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    match job.dtype("x")? {
        "float32" => run_as(job, |value| value as f32),
        _ => run_as(job, |value| value),
    }
}

fn run_as<T: Float + Sample>(job: &mut Job, round: fn(f64) -> T) -> Outcome<Run> {
    let step = 1.0 / job.length("n").saturating_sub(1).max(1) as f64;
    let x = job.input("x", &["n"], |i| round(i as f64 * (TAU * step)))?;
    let y = job.input("y", &["n"], |i| round(i as f64 * (2.0 * step) - 1.0))?;
    job.evaluate(|| match job.options.form {
        "vectorize" => vec![output("z", per_element::call(&x, &y))],
        _ => vec![output("z", sinexp(&x, &y))],
    })
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
