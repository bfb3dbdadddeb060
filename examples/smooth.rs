//! A weighted sum around each point of a ring, the first and the last weight halved.
//!
//! Inputs `z`: float64\[n\] and `a`: float64\[m\], m = 2s + 1; without `--in`, `z` is spread evenly
//! over [0, 1) (`i·0.6180339887498949 mod 1`), and `a` has the s of `--reach` and falls linearly
//! from 1 in its middle: `1 − |k − s|/(s + ½)`. Output `x`: float64\[n\],
//!
//! ```text
//! x[i] = Σ a[j + s]·z[(i − j) mod n]   over j = −s..s, the terms j = ±s halved
//! ```
//!
//! and for m = 1 the single term whole. The window may be longer than the ring.
//!
//! Forms: `lazy`, one kernel of a sum along windows; `kernel`, one thread a point, whose inner sum
//! is its own, so that no two threads add to one element; `guvectorize`, two plain loops, of which
//! the library sees that the outer one's turns are independent and that the inner one is a sum.
//!
//! ```sh
//! cargo run --release --example smooth -- --size 960 --reach 12 --explain
//! cargo run --release --example smooth -- --form kernel --out /tmp/smooth
//! ```

mod common;

use common::{Failure, GOLDEN, Job, Launches, Outcome, Program, Run, files::output, spread};
use lazuli::PadMode;
use lazuli::gpu::{Array, ArrayMut, grid};
use lazuli::prelude::*;
use std::cell::RefCell;
use std::process::ExitCode;

/// The sums as an expression: the inner weights along windows of the ring, and the halved ends.
pub fn smooth(z: &DeviceArray<f64>, a: &DeviceArray<f64>) -> DeviceArray<f64> {
    let (n, m) = (z.len() as isize, a.len());
    if m == 1 {
        return z * a;
    }
    // Element p of the ring is z[(p − s) mod n].
    let ring = z.pad(&[(m / 2, m / 2)], PadMode::Wrap);
    let windows = ring.slice(s![1..-1]).sliding_windows(m - 2, 0);
    let inner = (windows * a.slice(s![1..-1]).flip(0)).sum(-1);
    let ends = a.slice(s![0]) * ring.slice(s![-n..]) + a.slice(s![-1]) * ring.slice(s![..n]);
    inner + 0.5 * ends
}

/// The same, one thread a point.
#[kernel]
pub fn smooth_points(z: Array<f64, 1>, a: Array<f64, 1>, x: ArrayMut<f64, 1>) {
    let (i, n, m) = (grid::<1>(), z.len(), a.len());
    if i < n {
        let s = m / 2;
        // The place of z[(i + s) mod n], from which the sum walks down the ring.
        let mut at = (i + s) % n;
        let mut sum = 0.0;
        for k in 0..m {
            let is_end = m > 1 && (k == 0 || k == m - 1);
            let weight = if is_end { 0.5 * a[k] } else { a[k] };
            sum += weight * z[at];
            at = if at == 0 { n - 1 } else { at - 1 };
        }
        x[i] = sum;
    }
}

/// The same as plain loops.
#[guvectorize("(n),(m)->(n)")]
pub fn smooth_loops(z: &[f64], a: &[f64], x: &mut [f64]) {
    let (n, m) = (z.len(), a.len());
    let s = m / 2;
    for i in 0..n {
        let mut sum = 0.0;
        for k in 0..m {
            let is_end = m > 1 && (k == 0 || k == m - 1);
            let weight = if is_end { 0.5 * a[k] } else { a[k] };
            // i − (k − s), and as many whole rings as make it positive.
            sum += weight * z[(i + s + m * n - k) % n];
        }
        x[i] = sum;
    }
}

/// The threads of a block.
pub const BLOCK: usize = 128;

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "smooth",
    about: "z float64[n], a float64[m], m odd → x float64[n], a weighted sum around each point",
    forms: &["lazy", "kernel", "guvectorize"],
    size: &[("n", 960)],
    dtypes: &["float64"],
};

/// The ring and the weights, checked.
fn inputs(job: &mut Job) -> Outcome<[DeviceArray<f64>; 2]> {
    let reach: usize = job.options.number("--reach", 12)?;
    if job.options.own("--reach").is_some() || !job.has_files() {
        let m = reach.checked_mul(2).and_then(|m| m.checked_add(1));
        job.set_length("m", m.ok_or_else(|| Failure(format!("--reach {reach}: too far")))?);
    }
    let z = job.input("z", &["n"], |i| spread(i, GOLDEN))?;
    let s = reach as f64;
    let a = job.input("a", &["m"], |k| 1.0 - (k as f64 - s).abs() / (s + 0.5))?;
    if a.len() % 2 == 0 {
        return Err(Failure(format!("a: {} weights where an odd number is wanted", a.len())));
    }
    if z.is_empty() {
        return Err(Failure("z: a ring without points".to_owned()));
    }
    Ok([z, a])
}

/// Reads the inputs and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let [z, a] = inputs(job)?;
    match job.options.form {
        "lazy" => return job.evaluate(|| vec![output("x", smooth(&z, &a))]),
        "guvectorize" => return job.evaluate(|| vec![output("x", smooth_loops::call(&z, &a))]),
        _ => {}
    }
    let (n, m) = (z.len(), a.len());
    let blocks = n.div_ceil(BLOCK);
    let x = RefCell::new(DeviceArray::<f64>::try_zeros(n)?);
    let text = format!("smooth: {blocks} blocks of {BLOCK} threads, one a point");
    job.launch(Launches { bytes: 8 * (2 * n + m), text }, || {
        let mut x = x.borrow_mut();
        smooth_points.launch(blocks, BLOCK, (&z, &a, &mut x))?;
        Ok(vec![output("x", x.clone())])
    })
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
