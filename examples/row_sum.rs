//! The sum of every row of a matrix, or of a stack of matrices.
//!
//! Input `a`: float32 or int32, \[n,m\] or \[k,n,m\]; without `--in`, element number `i` in C order
//! is `i * 0.6180339887498949 % 1.0` as float32, or `i * 7919 % 2001 - 1000` as int32. Output `s`:
//! \[n\] or \[k,n\]; of float32 for float32, of int64 for int32, since sums of small integers widen
//! as NumPy's do.
//!
//! Forms: `lazy`; `guvectorize`, the two loops as a function of one matrix.
//!
//! ```sh
//! cargo run --release --example row_sum -- --size 1000x1000
//! cargo run --release --example row_sum -- --size 8x1000x1000 --dtype i32 --explain
//! cargo run --release --example row_sum -- --in examples/data/table --out /tmp/row_sum
//! ```

mod common;

use common::{GOLDEN, Job, Outcome, Program, Run, files::output, spread};
use lazuli::prelude::*;
use ndarray::{ArrayView2, ArrayViewMut1};
use std::process::ExitCode;

/// The sums along the last axis.
pub fn row_sum<T: Number>(a: &DeviceArray<T>) -> DeviceArray<T::Sum> {
    a.sum(-1)
}

/// The sums of the rows of one matrix.
#[guvectorize("(n,m)->(n)")]
pub fn row_sum_of<T: Float>(a: ArrayView2<T>, mut s: ArrayViewMut1<T>) {
    for i in 0..a.nrows() {
        let mut sum = T::ZERO;
        for j in 0..a.ncols() {
            sum += a[[i, j]];
        }
        s[i] = sum;
    }
}

/// The same for integers, in 64 bits.
#[guvectorize("(n,m)->(n)")]
pub fn row_sum_of_integers(a: ArrayView2<i32>, mut s: ArrayViewMut1<i64>) {
    for i in 0..a.nrows() {
        let mut sum = 0;
        for j in 0..a.ncols() {
            sum += a[[i, j]] as i64;
        }
        s[i] = sum;
    }
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "row_sum",
    about: "a float32 or int32, [n,m] or [k,n,m] → s[n] or s[k,n], the sums of the rows",
    forms: &["lazy", "guvectorize"],
    size: &[("k?", 1), ("n", 1000), ("m", 1000)],
    dtypes: &["float32", "int32"],
};

const AXES: [&str; 3] = ["k?", "n", "m"];

/// Reads the inputs and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let lazy = job.options.form == "lazy";
    match job.dtype("a")? {
        "int32" => {
            let a = job.input("a", &AXES, |i| (i as i64 * 7919 % 2001) as i32 - 1000)?;
            let sum = || if lazy { row_sum(&a) } else { row_sum_of_integers::call(&a) };
            job.evaluate(|| vec![output("s", sum())])
        }
        _ => {
            let a = job.input("a", &AXES, |i| spread(i, GOLDEN) as f32)?;
            let sum = || if lazy { row_sum(&a) } else { row_sum_of::call(&a) };
            job.evaluate(|| vec![output("s", sum())])
        }
    }
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
