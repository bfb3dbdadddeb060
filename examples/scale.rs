//! Every element of an array, doubled.
//!
//! Input `x`: float64\[n\]; without `--in`, `np.arange(n) * 0.6180339887498949 % 1.0`.
//! Output `y`: float64\[n\], `2·x`.
//!
//! ```sh
//! cargo run --release --example scale -- --size 30000000
//! cargo run --release --example scale -- --in examples/data/line --out /tmp/scale
//! ```

mod common;

use common::{GOLDEN, Job, Outcome, Program, Run, files::output, spread};
use lazuli::prelude::*;
use std::process::ExitCode;

/// `2·x`.
pub fn scale(x: &DeviceArray<f64>) -> DeviceArray<f64> {
    2.0 * x
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "scale",
    about: "x float64[n] → y = 2·x",
    forms: &["lazy"],
    size: &[("n", 1_000_000)],
    dtypes: &["float64"],
};

/// Reads the inputs and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let x = job.input("x", &["n"], |i| spread(i, GOLDEN))?;
    job.evaluate(|| vec![output("y", scale(&x))])
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
