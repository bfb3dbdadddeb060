//! How programs over several devices scale: measured on this machine, drawn as bars.
//!
//! Each program runs on one device as it is, then over 2, 3, … of them, up to `--mesh`: `weak` with as
//! much work for each device, `strong` with the same work for all. The programs: sweeps of Jacobi's
//! method on a plate of `ny` rows and `nx` columns, arithmetic on as many numbers, their sum as a
//! number of the host, and an ensemble of Lorenz's model III with a member for each eighth row.
//!
//! Output `ms`: float64\[8, devices\], the milliseconds of a step, the median of `--repeat` runs; rows
//! are the weak forms of the four programs, then the strong ones. The picture has a bar for each: how
//! near a device over several comes to one alone, 1 at full height.
//!
//! ```sh
//! cargo run --release --example scaling -- --size 8192 --mesh 2 --out /tmp/scaling
//! ```

#![allow(clippy::duplicate_mod, reason = "every example brings the module that they share")]

mod common;
#[allow(dead_code, reason = "the sweep alone is used")]
#[path = "jacobi.rs"]
mod jacobi;
#[allow(dead_code, reason = "the model alone is used")]
#[path = "lorenz04.rs"]
mod lorenz04;

use common::{Job, Outcome, Program, Run, files::output, picture::Picture};
use lazuli::Mesh;
use lazuli::prelude::*;
use ndarray::{Array2, ArrayD, Ix2};
use std::process::ExitCode;
use std::time::Instant;

/// The programs, in the order of the output's rows.
const NAMES: [&str; 4] = ["jacobi", "x += 2*y", "sum", "lorenz04"];

/// One device, or several.
#[derive(Clone, Copy)]
enum On {
    One(Device),
    Several(Mesh),
}

impl On {
    fn rows(self) -> Device {
        match self {
            On::One(device) => device,
            On::Several(mesh) => mesh.shard(0),
        }
    }

    fn all(self) -> Device {
        match self {
            On::One(device) => device,
            On::Several(mesh) => mesh.replicate(),
        }
    }
}

/// The milliseconds of one of so many steps, which `step` takes and evaluates.
fn timed<S: Clone>(
    on: On,
    (steps, repeat): (usize, usize),
    start: &S,
    step: impl Fn(S) -> Result<S>,
) -> Result<f64> {
    let mut times = Vec::new();
    for run in 0..=repeat {
        on.all().synchronize()?;
        let (begun, mut state) = (Instant::now(), start.clone());
        for _ in 0..steps {
            state = step(state)?;
        }
        on.all().synchronize()?;
        // The first run plans and compiles.
        if run > 0 {
            times.push(begun.elapsed().as_secs_f64() * 1e3 / steps as f64);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// The time of a step of each program, with so many rows.
fn measured(on: On, ny: usize, nx: usize, counts: (usize, usize)) -> Result<[f64; 4]> {
    let plate = DeviceArray::<f64>::ones_on(on.rows(), [ny, nx]) * 0.5;
    plate.eval()?;
    let jacobi = timed(on, counts, &plate, |u| {
        let next = jacobi::sweep(&u);
        next.eval().map(|()| next)
    })?;
    let arithmetic = timed(on, counts, &plate, |x| {
        let x = x + 2.0 * &plate;
        x.eval().map(|()| x)
    })?;
    let sum = timed(on, counts, &(), |()| plate.sum(..).item().map(drop))?;
    let model = on.all().scope(lorenz04::Model::new)?;
    let members = (ny / 8).max(1);
    let start = DeviceArray::<f64>::arange_to((members * 960) as f64).reshape([members, 960]);
    let start = ((start * 0.618).sin() + 15.0).to(on.rows())?;
    start.eval()?;
    let lorenz04 = timed(on, counts, &start, |z| {
        let next = model.step(&z);
        next.eval().map(|()| next)
    })?;
    Ok([jacobi, arithmetic, sum, lorenz04])
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "scaling",
    about: "→ ms float64[8, devices], the time of a step, and a picture",
    forms: &["lazy"],
    size: &[("ny", 2048), ("nx", 2048)],
    dtypes: &["float64"],
};

/// Measures all programs.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let counts = (job.options.number("--steps", 50)?, job.options.repeat);
    let most: usize = job.options.number("--mesh", 2)?;
    let (ny, nx) = (job.length("ny"), job.length("nx"));
    let device = Device::current()?;
    let mut ms = Array2::<f64>::zeros((2 * NAMES.len(), most));
    let begun = Instant::now();
    for count in 1..=most {
        let on = match (count, device.is_cuda()) {
            (1, _) => On::One(device),
            (_, true) => On::Several(Mesh::local(count)?),
            (_, false) => On::Several(Mesh::processors(count)?),
        };
        let (weak, strong) = (measured(on, ny * count, nx, counts)?, measured(on, ny, nx, counts)?);
        for (row, time) in weak.into_iter().chain(strong).enumerate() {
            ms[[row, count - 1]] = time;
        }
    }
    let mut notes = Vec::new();
    for (row, times) in ms.outer_iter().enumerate() {
        let (how, name) = (["weak", "strong"][row / NAMES.len()], NAMES[row % NAMES.len()]);
        let list: Vec<String> = times.iter().map(|time| format!("{time:.4}")).collect();
        notes.push(format!("{name:<9} {how:<6} ms a step on 1, 2, …: {}", list.join("  ")));
    }
    let total = begun.elapsed().as_secs_f64() * 1e3;
    let outputs = vec![output("ms", to_device(&ms)?)];
    let done = Run { ms: total, outputs, notes, ..Run::default() };
    done.with_picture(job, "ms", draw)
}

/// A bar for each program and number of devices, weak forms above strong ones.
fn draw(ms: &ArrayD<f64>) -> Picture {
    const HEIGHT: usize = 120;
    const WIDTH: usize = 24;
    let ms = ms.view().into_dimensionality::<Ix2>().expect("the times have two axes");
    let (rows, devices) = ms.dim();
    let group = (devices + 1) * WIDTH;
    let mut picture = Array2::<f64>::zeros((2 * (HEIGHT + WIDTH), rows / 2 * group + WIDTH));
    for ((row, device), &time) in ms.indexed_iter() {
        let strong = row >= rows / 2;
        let share = if strong { (device + 1) as f64 } else { 1.0 };
        let reached = ms[[row, 0]] / (time * share);
        let height = (reached.clamp(0.0, 1.0) * HEIGHT as f64) as usize;
        let left = WIDTH + row % (rows / 2) * group + device * WIDTH;
        let bottom = (HEIGHT + WIDTH) * (1 + usize::from(strong));
        let colour = 0.3 + 0.7 * (device + 1) as f64 / devices as f64;
        picture
            .slice_mut(ndarray::s![bottom - height..bottom, left..left + WIDTH - 4])
            .fill(colour);
    }
    Picture::coloured(picture.view())
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
