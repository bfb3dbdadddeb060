//! Uniform and normal random numbers.
//!
//! Inputs `seed` and `n`: int64\[\], the seed and how many numbers; without `--in`, `--seed` and
//! `--size`. Outputs `u`: float64\[n\], uniform in \[0, 1), and `g`: float64\[n\], standard normal.
//!
//! In the form `lazy` the numbers are made by Philox inside the kernels, the same ones on every
//! device. In the form `library` they are those of cuRAND's generators, uniform in (0, 1]; on the
//! processor there is XORWOW, and normal numbers are made of uniform ones.
//!
//! ```sh
//! cargo run --release --example random -- --size 1000000 --seed 7 --out /tmp/random
//! cargo run --release --example random -- --form library --generator sobol
//! ```

mod common;

use common::{Failure, Job, Outcome, Output, Program, Run, files::output};
use lazuli::prelude::*;
use lazuli::random::{Generator, Kind, LibraryGenerator};
use std::f64::consts::TAU;
use std::process::ExitCode;

/// Uniform and normal numbers, made inside the kernels that use them.
pub fn random(seed: u64, n: usize) -> [DeviceArray<f64>; 2] {
    let mut rng = Generator::new(seed);
    [rng.random(n), rng.standard_normal(n)]
}

/// The same by a generator of cuRAND's.
pub fn library(kind: Kind, seed: u64, n: usize) -> lazuli::Result<[DeviceArray<f64>; 2]> {
    let mut rng = LibraryGenerator::new(kind, seed)?;
    let u = rng.try_random(n)?;
    let g = match Device::current()?.is_cuda() {
        true => rng.try_normal(0.0, 1.0, n)?,
        // G. Box's and M. Muller's way from two uniform numbers to a normal one.
        false => {
            let (a, b) = (rng.try_random::<f64>(n)?, rng.try_random::<f64>(n)?);
            (a.ln() * -2.0).sqrt() * (b * TAU).cos()
        }
    };
    Ok([u, g])
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "random",
    about: "seed, n → u float64[n] uniform, g float64[n] normal",
    forms: &["lazy", "library"],
    size: &[("n", 1_000_000)],
    dtypes: &["float64"],
};

/// Reads the inputs and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let (seed, n) = match job.has_files() {
        true => (whole(job, "seed")? as u64, usize::try_from(whole(job, "n")?).map_err(negative)?),
        false => (job.options.number("--seed", 42)?, job.length("n")),
    };
    let outputs =
        |[u, g]: [DeviceArray<f64>; 2]| -> Vec<Output> { vec![output("u", u), output("g", g)] };
    let kind = kind(job.options.own("--generator"))?;
    if job.options.form == "library" {
        let _ = library(kind, seed, n)?;
        return job.evaluate(|| outputs(library(kind, seed, n).expect("it was there before")));
    }
    job.evaluate(|| outputs(random(seed, n)))
}

/// An input of a single whole number.
fn whole(job: &mut Job, name: &'static str) -> Outcome<i64> {
    Ok(job.input(name, &[], |_| 0i64)?.item()?)
}

fn negative(_: std::num::TryFromIntError) -> Failure {
    Failure("n.npy: a number of elements is wanted".to_owned())
}

fn kind(name: Option<&str>) -> Outcome<Kind> {
    match name {
        None | Some("xorwow") => Ok(Kind::Xorwow),
        Some("mrg32k3a") => Ok(Kind::Mrg32k3a),
        Some("sobol") => Ok(Kind::ScrambledSobol32),
        Some("sobol64") => Ok(Kind::ScrambledSobol64),
        Some(other) => Err(Failure(format!(
            "--generator {other}: there is xorwow, mrg32k3a, sobol and sobol64"
        ))),
    }
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
