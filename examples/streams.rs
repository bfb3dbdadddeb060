//! A function of data that lives on the host, computed part by part on two streams, so that the
//! copies of one part overlap the kernel of another and both directions of the link are in use.
//!
//! Input `x`: float32\[n\]; without `--in`, spread evenly over [0, 20) (`20·(i·0.6180339887498949
//! mod 1)`). Output `y`: float32\[n\], Bessel's function J₀ by his integral (Bessel 1824), with the
//! midpoint rule on `--nodes` angles, 64 by default:
//!
//! ```text
//! y = 1/π · ∫ cos(x·sin τ) dτ over (0, π)  ≈  1/K · Σ cos(x·sin((k + ½)·π/K)) over k = 0..K
//! ```
//!
//! which is exact up to rounding where |x| is well below 2K. The host's arrays are pinned and cut
//! into `--parts` parts, 16 by default. One evaluation copies every part to the device, computes it
//! and copies the result back; its time is printed for one stream, where all of that is one queue,
//! and for two, between which the parts alternate. The last line has the time with two.
//!
//! Forms: `lazy`, one kernel a part; `kernel`, one thread an element.
//!
//! ```sh
//! cargo run --release --example streams -- --size 67108864
//! cargo run --release --example streams -- --form kernel --parts 4 --out /tmp/streams
//! ```

mod common;

use common::{Failure, GOLDEN, Job, Outcome, Program, Run, files::output, spread};
use lazuli::gpu::{Array, ArrayMut, grid};
use lazuli::prelude::*;
use lazuli::{PinnedArray, Stream};
use std::f32::consts::PI;
use std::process::ExitCode;
use std::time::Instant;

/// The sines of the angles at which the integral is taken.
pub fn sines(nodes: usize) -> Result<DeviceArray<f32>> {
    let angles = (DeviceArray::<f32>::arange_to(nodes as f32) + 0.5) * (PI / nodes as f32);
    let sines = angles.sin();
    sines.eval()?;
    Ok(sines)
}

/// J₀ as an expression.
pub fn bessel(x: &DeviceArray<f32>, sines: &DeviceArray<f32>) -> DeviceArray<f32> {
    (x.insert_axis(-1) * sines).cos().mean(-1)
}

/// The same, one thread an element.
#[kernel]
pub fn bessel_points(x: Array<f32, 1>, sines: Array<f32, 1>, y: ArrayMut<f32, 1>) {
    let i = grid::<1>();
    if i < x.len() {
        let mut sum = 0.0;
        for k in 0..sines.len() {
            sum += (x[i] * sines[k]).cos();
        }
        y[i] = sum / sines.len() as f32;
    }
}

/// The threads of a block.
const BLOCK: usize = 256;

/// J₀ in one of the forms.
pub fn evaluated(
    form: &str,
    x: &DeviceArray<f32>,
    sines: &DeviceArray<f32>,
) -> Result<DeviceArray<f32>> {
    if form == "lazy" {
        return Ok(bessel(x, sines));
    }
    let mut y = DeviceArray::try_zeros(x.len())?;
    bessel_points.launch(x.len().div_ceil(BLOCK), BLOCK, (x, sines, &mut y))?;
    Ok(y)
}

/// Computes every part on one of the streams, in turn, and waits for all of them.
pub fn compute(
    form: &str,
    streams: &[Stream],
    sines: &DeviceArray<f32>,
    x: &[PinnedArray<f32>],
    y: &mut [PinnedArray<f32>],
) -> Result<()> {
    for ((x, y), stream) in x.iter().zip(y).zip(streams.iter().cycle()) {
        // None of this waits: the host has given out all parts before the first is done.
        stream.scope(|| {
            let x = DeviceArray::from_pinned(x)?;
            evaluated(form, &x, sines)?.copy_to_pinned(y)
        })?;
    }
    streams.iter().try_for_each(Stream::synchronize)
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "streams",
    about: "x float32[n] → y = J0(x), in parts on two streams whose copies and kernels overlap",
    forms: &["lazy", "kernel"],
    size: &[("n", 1 << 20)],
    dtypes: &["float32"],
};

/// A positive number from the command line.
fn count(job: &Job, name: &str, default: usize) -> Outcome<usize> {
    match job.options.number(name, default)? {
        0 => Err(Failure(format!("{name} 0: at least 1 is wanted"))),
        count => Ok(count),
    }
}

/// The median time of some runs, after one that warms up, and the kernels of one.
fn timed(repeat: usize, mut run: impl FnMut() -> Result<()>) -> Outcome<(f64, u64)> {
    run()?;
    let (mut times, mut kernels) = (Vec::new(), 0);
    for _ in 0..repeat {
        let (before, start) = (lazuli::counters().kernels, Instant::now());
        run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        kernels = lazuli::counters().kernels - before;
    }
    times.sort_by(f64::total_cmp);
    Ok((times[times.len() / 2], kernels))
}

/// Reads the input and computes it with one stream and with two.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let (nodes, parts) = (count(job, "--nodes", 64)?, count(job, "--parts", 16)?);
    let x = job.input("x", &["n"], |i| (20.0 * spread(i, GOLDEN)) as f32)?;
    let n = x.len();
    let rows = n.div_ceil(parts).max(1);
    let (form, sines) = (job.options.form, sines(nodes)?);
    let host = x.copy_to_host()?;
    let plan = match form {
        "lazy" => explain(&[&bessel(&x.slice(s![..rows.min(n)]), &sines)]).to_string(),
        _ => format!("bessel_points: {} blocks of {BLOCK} threads a part", rows.div_ceil(BLOCK)),
    };
    // Each reads x and writes y, and the kernel's array for y is filled with zeros before.
    let arrays = if form == "lazy" { 2 } else { 3 };
    drop(x);
    let inputs = PinnedArray::from_ndarray(&host)?.into_parts(rows)?;
    let mut results = PinnedArray::zeros(n)?.into_parts(rows)?;
    let streams = [Stream::new()?, Stream::new()?];
    let mut time = |streams: &[Stream]| {
        timed(job.options.repeat, || compute(form, streams, &sines, &inputs, &mut results))
    };
    let (without, _) = time(&streams[..1])?;
    let (with, kernels) = time(&streams)?;
    let mut y = Vec::with_capacity(n);
    for part in &results {
        y.extend_from_slice(part.as_slice()?);
    }
    Ok(Run {
        ms: with,
        kernels,
        bytes: 4 * (arrays * n + nodes * inputs.len()),
        plan,
        outputs: vec![output("y", DeviceArray::from_vec(n, y)?)],
        notes: vec![
            format!("one stream: {without:.6} ms, copies and kernels one after another"),
            format!("two streams: {with:.6} ms, {:.2} times as fast", without / with),
        ],
        ..Run::default()
    })
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
