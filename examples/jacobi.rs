//! The temperature of a plate whose edges are held, by Jacobi's method: each sweep gives every inner
//! point the mean of its four neighbours.
//!
//! Input `u`: float64\[ny, nx\]; without `--in`, 1 along the first row and 0 elsewhere. Output `u`:
//! the same after `--steps` sweeps, and a picture.
//!
//! Forms: `lazy`, each sweep evaluated where it ends; `compiled`, a sweep recorded once and replayed;
//! `repeat`, all sweeps as one loop. With `--mesh` the rows are cut over several devices: the program
//! is the same, and each sweep moves two rows for each device. With `--together 8` the form `lazy`
//! evaluates each eighth sweep, and two times eight rows are moved for each device then.
//!
//! ```sh
//! cargo run --release --example jacobi -- --size 1024 --steps 1000 --form repeat
//! cargo run --release --example jacobi -- --size 16384 --mesh 2
//! torchrun --nproc-per-node 2 --no-python target/release/examples/jacobi --size 16384 --mesh world
//! mpiexec -n 4 target/release/examples/jacobi --device cpu --mesh world
//! ```

mod common;

use common::{Failure, Job, Launches, Outcome, Program, Run, files::output, picture::Picture};
use lazuli::prelude::*;
use ndarray::{ArrayD, Ix2};
use std::process::ExitCode;

/// One sweep.
pub fn sweep(u: &DeviceArray<f64>) -> DeviceArray<f64> {
    let (up, down) = (u.slice(s![..-2, 1..-1]), u.slice(s![2.., 1..-1]));
    let (left, right) = (u.slice(s![1..-1, ..-2]), u.slice(s![1..-1, 2..]));
    let mut next = u.clone();
    next.assign(s![1..-1, 1..-1], 0.25 * (up + down + left + right));
    next
}

/// So many sweeps, of which some are evaluated together; a failure shows when the result is asked for.
fn sweeps(
    (count, together): (usize, usize),
    u: &DeviceArray<f64>,
    sweep: impl Fn(&DeviceArray<f64>) -> DeviceArray<f64>,
) -> DeviceArray<f64> {
    let mut u = u.clone();
    for k in 1..=count {
        u = sweep(&u);
        if k % together == 0 {
            let _ = u.eval();
        }
    }
    u
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "jacobi",
    about: "u float64[ny, nx] → u after --steps sweeps, and a picture",
    forms: &["lazy", "compiled", "repeat"],
    size: &[("ny", 1024), ("nx", 1024)],
    dtypes: &["float64"],
};

/// Reads the input and sweeps.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let steps: usize = job.options.number("--steps", 100)?;
    let together = job.options.number("--together", 1)?.max(1);
    let nx = job.length("nx").max(1);
    let u = job.input("u", &["ny", "nx"], |at| if at < nx { 1.0 } else { 0.0 })?;
    let (mesh, form) = (job.mesh()?, job.options.form);
    if u.shape().iter().any(|&length| length < 2) {
        return Err(Failure(format!("u: shape {:?} has no inner points", u.shape())));
    }
    let u = match mesh {
        Some(_) if form != "lazy" => {
            return Err(Failure(format!("--mesh: the form {form} runs on one device")));
        }
        Some(mesh) => u.to(mesh.shard(0))?,
        None => u,
    };
    u.eval()?;
    let recorded = lazuli::compile(|u: &DeviceArray<f64>| sweep(u));
    let all = || match form {
        "compiled" => sweeps((steps, 1), &u, |u| recorded.call(u).unwrap_or_else(|_| sweep(u))),
        "repeat" => lazuli::repeat(steps, u.clone(), |u| sweep(&u)),
        _ => sweeps((steps, together), &u, sweep),
    };
    let plan = match form {
        "repeat" => explain(&[&lazuli::repeat(steps, u.clone(), |u| sweep(&u))]),
        _ => explain(&[&sweep(&u)]),
    };
    let launches =
        Launches { bytes: steps * 16 * u.len(), text: format!("one of {steps} sweeps: {plan}") };
    let done = match mesh {
        Some(mesh) => {
            mesh.replicate().scope(|| job.launch(launches, || Ok(vec![output("u", all())])))
        }
        None => job.launch(launches, || Ok(vec![output("u", all())])),
    }?;
    done.with_picture(job, "u", draw)
}

fn draw(u: &ArrayD<f64>) -> Picture {
    Picture::coloured(u.view().into_dimensionality::<Ix2>().expect("the plate has two axes"))
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
