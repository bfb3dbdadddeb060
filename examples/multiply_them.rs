//! The product of two arrays, by a kernel in CUDA C++ that is compiled from a string: PyCUDA's
//! first example.
//!
//! Inputs `a`, `b`: float32\[n\]; without `--in`, `i * 0.6180339887498949 % 1.0` and
//! `i * 0.41421356 % 1.0`.
//! Output `dest`: float32\[n\], `a·b`.
//!
//! It needs a GPU; on the processor it says so and ends with status 2.
//!
//! ```sh
//! cargo run --release --example multiply_them -- --size 1000000
//! ```

mod common;

use common::{GOLDEN, Job, Outcome, Program, Run, files::output, spread};
use lazuli::prelude::*;
use lazuli::{RawFunction, RawModule};
use std::process::ExitCode;

/// The kernel, as a PyCUDA user writes it.
const SOURCE: &str = r#"
extern "C" __global__ void multiply_them(float *dest, const float *a, const float *b, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) dest[i] = a[i] * b[i];
}
"#;

/// The kernel, compiled for the current device.
pub fn kernel() -> Result<RawFunction> {
    RawModule::from_source(SOURCE)?.function("multiply_them")
}

/// `a·b`, for arrays of one shape.
pub fn multiply_them(
    kernel: &RawFunction,
    a: &DeviceArray<f32>,
    b: &DeviceArray<f32>,
) -> Result<DeviceArray<f32>> {
    assert_eq!(a.shape(), b.shape(), "both arrays have one shape");
    let mut dest = DeviceArray::zeros(a.shape());
    let blocks = a.len().div_ceil(256);
    // SAFETY: the kernel stays below n, and all three arrays have n elements.
    unsafe { kernel.launch(blocks, 256, (&mut dest, a, b, a.len() as i64))? };
    Ok(dest)
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "multiply_them",
    about: "a, b float32[n] → dest = a·b, by CUDA C++ from a string",
    forms: &["raw"],
    size: &[("n", 400)],
    dtypes: &["float32"],
};

/// Reads the inputs and launches.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let kernel = kernel()?;
    let a = job.input("a", &["n"], |i| spread(i, GOLDEN) as f32)?;
    let b = job.input("b", &["n"], |i| spread(i, 0.414_213_56) as f32)?;
    multiply_them(&kernel, &a, &b)?.eval()?;
    let again = || multiply_them(&kernel, &a, &b).expect("it was launched just now");
    let run = job.evaluate(|| vec![output("dest", again())])?;
    Ok(Run { bytes: 3 * 4 * a.len(), ..run })
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
