//! The product of all elements of an array.
//!
//! Input `x`: float64\[n\]; without `--in`, factors near 1, so that the product stays in range:
//! `(np.arange(n) * 0.6180339887498949 % 1.0 - 0.5) * 0.001 + 1.0`. Output `product`: float64\[\], an array without axes. The product of nothing is 1.
//!
//! ```sh
//! cargo run --release --example product -- --size 4000000
//! cargo run --release --example product -- --in examples/data/factors --out /tmp/product
//! ```

mod common;

use common::{GOLDEN, Job, Outcome, Program, Run, files::output, spread};
use lazuli::prelude::*;
use std::process::ExitCode;

/// The product over all axes.
pub fn product(x: &DeviceArray<f64>) -> DeviceArray<f64> {
    x.prod(..)
}

/// The same with a function of one's own: what combines two products, and the product of nothing.
#[reduce(identity = 1.0)]
pub fn times(a: f64, b: f64) -> f64 {
    a * b
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "product",
    about: "x float64[n] → product float64[]",
    forms: &["lazy", "reduce"],
    size: &[("n", 4_000_000)],
    dtypes: &["float64"],
};

/// Reads the inputs and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let x = job.input("x", &["n"], |i| (spread(i, GOLDEN) - 0.5) * 0.001 + 1.0)?;
    job.evaluate(|| match job.options.form {
        "reduce" => vec![output("product", times::reduce(&x, ..))],
        _ => vec![output("product", product(&x))],
    })
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
