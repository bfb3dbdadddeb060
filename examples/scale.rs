//! Every element of an array, doubled.
//!
//! Input `x`: float64\[n\]; without `--in`, `np.arange(n) * 0.6180339887498949 % 1.0`.
//! Output `y`: float64\[n\], `2·x`.
//!
//! Forms: `lazy`; `kernel`, where three kernels with one thread an element follow each other on the
//! device: the first doubles, the second halves in place, the third doubles again.
//!
//! ```sh
//! cargo run --release --example scale -- --size 30000000
//! cargo run --release --example scale -- --in examples/data/line --out /tmp/scale
//! ```

mod common;

use common::{GOLDEN, Job, Launches, Outcome, Program, Run, files::output, spread};
use lazuli::gpu::{Array, ArrayMut, grid};
use lazuli::prelude::*;
use std::cell::RefCell;
use std::process::ExitCode;

/// `2·x`.
pub fn scale(x: &DeviceArray<f64>) -> DeviceArray<f64> {
    2.0 * x
}

/// `y = factor·x`, one thread an element.
#[kernel]
pub fn scaled(x: Array<f64, 1>, factor: f64, y: ArrayMut<f64, 1>) {
    let i = grid::<1>();
    if i < x.len() {
        y[i] = factor * x[i];
    }
}

/// `y = factor·y`, one thread an element.
#[kernel]
pub fn scaled_in_place(y: ArrayMut<f64, 1>, factor: f64) {
    let i = grid::<1>();
    if i < y.len() {
        y[i] *= factor;
    }
}

/// `y = 2·x` by three kernels, with no copy between them.
pub fn chained(x: &DeviceArray<f64>, y: &mut DeviceArray<f64>) -> Result<()> {
    let threads = 128;
    let blocks = x.len().div_ceil(threads).max(1);
    scaled.launch(blocks, threads, (x, 2.0, y))?;
    scaled_in_place.launch(blocks, threads, (y, 0.5))?;
    scaled_in_place.launch(blocks, threads, (y, 2.0))
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "scale",
    about: "x float64[n] → y = 2·x",
    forms: &["lazy", "kernel"],
    size: &[("n", 1_000_000)],
    dtypes: &["float64"],
};

/// Reads the inputs and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let x = job.input("x", &["n"], |i| spread(i, GOLDEN))?;
    if job.options.form == "lazy" {
        return job.evaluate(|| vec![output("y", scale(&x))]);
    }
    let y = RefCell::new(DeviceArray::<f64>::try_zeros(x.shape())?);
    let text = "scaled, scaled_in_place, scaled_in_place: 128 threads a block, one an element";
    job.launch(Launches { bytes: 6 * 8 * x.len(), text: text.into() }, || {
        let mut y = y.borrow_mut();
        chained(&x, &mut y)?;
        Ok(vec![output("y", y.clone())])
    })
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
