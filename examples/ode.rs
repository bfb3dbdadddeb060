//! An ensemble of Lorenz's equations of 1963, each member integrated by steps of its own
//! (E. Lorenz, "Deterministic nonperiodic flow").
//!
//! Input `y`: float64\[3, members\], the states at the start; without `--in`, neighbours of (1, 1, 1)
//! within 0.001, which lie all over the attractor in the end. Outputs: `y`, the states at `--end`;
//! `steps`: int32\[members\], the steps that each member took; `status`: int32\[members\], 0 where it
//! reached the end (`lazuli::ode::Status`); and a picture: how often the members came by, x from left
//! to right, z upwards.
//!
//! Forms: `lazy`; `compiled`, recorded once and replayed.
//!
//! ```sh
//! cargo run --release --example ode -- --size 10000 --end 30 --out /tmp/ode
//! cargo run --release --example ode -- --rtol 1e-9 --explain
//! ```

mod common;

use common::{
    Failure, GOLDEN, Job, Launches, Outcome, Program, Run, files::output, picture::Picture, spread,
};
use lazuli::ode::{self, Solution, Status};
use lazuli::prelude::*;
use ndarray::Array2;
use std::process::ExitCode;

type Array = DeviceArray<f64>;

/// The right-hand side: σ = 10, ρ = 28, β = 8/3.
pub fn lorenz([x, y, z]: &[Array; 3]) -> [Array; 3] {
    [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]
}

/// The ensemble from the states `y` on.
pub fn integrated(y: &Array, end: f64, options: &ode::Options) -> Solution<[Array; 3]> {
    let start = [0, 1, 2].map(|k| y.slice(s![k, ..]));
    ode::solve(|_, y| lorenz(y), (0.0, end), start, options)
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "ode",
    about: "y float64[3, members] → y at --end, steps and status, and a picture of the attractor",
    forms: &["lazy", "compiled"],
    size: &[("members", 1000)],
    dtypes: &["float64"],
};

/// A positive number among the options.
fn positive(job: &Job, name: &str, default: f64) -> Outcome<f64> {
    let Some(text) = job.options.own(name) else { return Ok(default) };
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| Failure(format!("{name} {text}: not a positive number")))
}

/// Reads the input, integrates, and draws.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let end = positive(job, "--end", 20.0)?;
    let rtol = positive(job, "--rtol", 1e-6)?;
    let options = ode::Options::new().rtol(rtol).atol(1e-3 * rtol);
    job.set_length("components", 3);
    let y = job.input("y", &["components", "members"], |at| 1.0 + 1e-3 * spread(at, GOLDEN))?;
    let all = |y: &Array| {
        let Solution { y: [a, b, c], accepted, status, .. } = integrated(y, end, &options);
        (lazuli::stack(&[a, b, c], 0), accepted, status)
    };
    let recorded = lazuli::compile(&all);
    let compiled = job.options.form == "compiled";
    let plan = {
        let (y, steps, status) = all(&y);
        explain(&[&y, &steps, &status])
    };
    let bytes = plan.bytes_read() + plan.bytes_written();
    let mut done = job.launch(Launches { bytes, text: plan.to_string() }, || {
        let (y, steps, status) = match compiled {
            true => recorded.call(&y).unwrap_or_else(|_| all(&y)),
            false => all(&y),
        };
        Ok(vec![output("y", y), output("steps", steps), output("status", status)])
    })?;
    let (_, steps, status) = all(&y);
    eval(&[&steps, &status])?;
    let (steps, status) = (steps.to_vec()?, status.to_vec()?);
    let finished = status.iter().filter(|&&code| code == Status::Finished as i32).count();
    if let (Some(least), Some(most)) = (steps.iter().min(), steps.iter().max()) {
        let of = status.len();
        done.notes
            .push(format!("{finished} of {of} members finished; {least} to {most} steps each"));
    }
    if job.options.out.is_some() && !y.is_empty() {
        done.pictures.push(("y", attractor(&y, end, &options)?));
    }
    Ok(done)
}

/// How often some members come to each place, as logarithms.
fn attractor(y: &Array, end: f64, options: &ode::Options) -> Outcome<Picture> {
    const MOMENTS: usize = 2000;
    const MEMBERS: isize = 64;
    let (width, height) = (480, 400);
    let times: Vec<f64> = (0..MOMENTS).map(|k| end * (k + 1) as f64 / MOMENTS as f64).collect();
    let options = options.clone().t_eval(&times);
    let [x, _, z] = integrated(&y.slice(s![.., ..MEMBERS]), end, &options).ys;
    eval(&[&x, &z])?;
    let mut counts = Array2::<f64>::zeros((height, width));
    for (x, z) in x.to_vec()?.into_iter().zip(z.to_vec()?) {
        // The attractor lies within 25 of x = 0 and between z = 0 and 55.
        let column = (x + 25.0) / 50.0 * width as f64;
        let row = (55.0 - z) / 55.0 * height as f64;
        if (0.0..width as f64).contains(&column) && (0.0..height as f64).contains(&row) {
            counts[[row as usize, column as usize]] += 1.0;
        }
    }
    Ok(Picture::coloured(counts.mapv(f64::ln_1p).view()))
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
