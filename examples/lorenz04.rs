//! An ensemble of Lorenz's model III (E. Lorenz, "Designing chaotic models", 2005): a ring of
//! points whose smooth part drives the small scales, stepped by the classical Runge–Kutta scheme.
//!
//! Input `z`: float64\[members, n\]; without `--in`, 15 and a small wave that differs from member
//! to member. Output `z`: the same after `--steps` steps of 0.001, and a picture: each member's
//! ring from left to right, time downwards, at most 12 members.
//!
//! Forms: `lazy`; `compiled`, one step recorded once and replayed; `guvectorize`, dz/dt written as
//! loops over one ring, with arrays between them; `repeat`, all steps as one loop.
//!
//! ```sh
//! cargo run --release --example lorenz04 -- --steps 500 --out /tmp/lorenz04
//! cargo run --release --example lorenz04 -- --form compiled --size 40x960
//! cargo run --release --example lorenz04 -- --size 4096x960 --mesh 2
//! ```

mod common;

use common::{
    GOLDEN, Job, Launches, Outcome, Program, Run, files::output, picture::Picture, spread,
};
use lazuli::prelude::*;
use lazuli::{Mesh, PadMode};
use ndarray::{Array1, Array2, ArrayD, ArrayView1, ArrayViewMut1, Axis};
use std::process::ExitCode;

/// The points on the ring over which `[X, X]` averages.
const K: usize = 32;
/// The half-width of the window that makes the smooth part.
const I: usize = 12;
/// How much faster the small scales are, how strongly they feel the large ones, and the forcing.
const B: f64 = 10.0;
const C: f64 = 2.5;
const FORCING: f64 = 15.0;
/// The time step.
const DT: f64 = 0.001;

/// The weights of a sum over a window, of which the first and last count half.
fn halved_ends(weight: impl Fn(isize) -> f64, reach: usize) -> Vec<f64> {
    let reach = reach as isize;
    let end = |i: isize| if i.abs() == reach { 0.5 } else { 1.0 };
    (-reach..=reach).map(|i| end(i) * weight(i)).collect()
}

/// The values within `reach` of each point of the ring, along a new last axis.
fn around(z: &DeviceArray<f64>, reach: usize) -> DeviceArray<f64> {
    z.pad(&[(0, 0), (reach, reach)], PadMode::Wrap).sliding_windows(2 * reach + 1, 1)
}

/// The model with the weights of its sums on the device.
pub struct Model {
    smooth: DeviceArray<f64>,
    mean: DeviceArray<f64>,
}

impl Model {
    /// The model on the current device.
    pub fn new() -> Result<Model> {
        let i = I as f64;
        let alpha = (3.0 * i * i + 3.0) / (2.0 * i.powi(3) + 4.0 * i);
        let beta = (2.0 * i * i + 1.0) / (i.powi(4) + 2.0 * i * i);
        let smooth = halved_ends(|k| 1.0 - beta / alpha * k.abs() as f64, I);
        let smooth: Vec<f64> = smooth.iter().map(|w| alpha * w).collect();
        let mean = halved_ends(|_| 1.0 / K as f64, K / 2);
        Ok(Model {
            smooth: DeviceArray::from_slice(&smooth)?,
            mean: DeviceArray::from_slice(&mean)?,
        })
    }

    /// The large scales of `z`.
    fn large(&self, z: &DeviceArray<f64>) -> DeviceArray<f64> {
        (around(z, I) * &self.smooth).sum(-1)
    }

    /// `[X, X]` of the large scales.
    fn advection(&self, x: &DeviceArray<f64>) -> DeviceArray<f64> {
        let k = K as isize;
        let w = (around(x, K / 2) * &self.mean).sum(-1);
        let near = around(&w.roll(k, 1), K / 2) * around(&x.roll(-k, 1), K / 2) * &self.mean;
        near.sum(-1) - w.roll(2 * k, 1) * w.roll(k, 1)
    }

    /// `dz/dt`.
    pub fn slope(&self, z: &DeviceArray<f64>) -> DeviceArray<f64> {
        let x = self.large(z);
        let y = z - &x;
        let pair = |a: &DeviceArray<f64>, b: &DeviceArray<f64>| {
            b.roll(-1, 1) * a.roll(1, 1) - a.roll(2, 1) * b.roll(1, 1)
        };
        self.advection(&x) + B * B * pair(&y, &y) + C * pair(&y, &x) - x - B * y + FORCING
    }

    /// One step of the Runge–Kutta scheme.
    pub fn step(&self, z: &DeviceArray<f64>) -> DeviceArray<f64> {
        runge_kutta(z, |z| self.slope(z))
    }
}

/// One step of the Runge–Kutta scheme.
fn runge_kutta(
    z: &DeviceArray<f64>,
    slope: impl Fn(&DeviceArray<f64>) -> DeviceArray<f64>,
) -> DeviceArray<f64> {
    let k1 = slope(z);
    let k2 = slope(&(z + 0.5 * DT * &k1));
    let k3 = slope(&(z + 0.5 * DT * &k2));
    let k4 = slope(&(z + DT * &k3));
    z + DT / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
}

/// The weight of the point `at - reach` in a sum over a window.
#[device]
fn end(at: usize, reach: usize) -> f64 {
    if at == 0 || at == 2 * reach { 0.5 } else { 1.0 }
}

/// The weight of the point `at - I` in the large scales.
#[device]
fn smooth_weight(at: usize) -> f64 {
    let i = I as f64;
    let alpha = (3.0 * i * i + 3.0) / (2.0 * i * i * i + 4.0 * i);
    let beta = (2.0 * i * i + 1.0) / (i * i * i * i + 2.0 * i * i);
    end(at, I) * (alpha - beta * (at as f64 - i).abs())
}

/// `dz/dt` of one ring, as loops. Places on the ring are never negative: `p + d·(n − 1)` is
/// `p − d`, and d whole rings.
#[guvectorize("(n)->(n)")]
pub fn slope_of_ring(z: ArrayView1<f64>, mut dz: ArrayViewMut1<f64>) {
    const J: usize = K / 2;
    let n = z.len();
    let mut x = Array1::<f64>::zeros(n);
    let mut w = Array1::<f64>::zeros(n);
    for p in 0..n {
        let mut sum = 0.0;
        for k in 0..2 * I + 1 {
            let weight = smooth_weight(k);
            sum += weight * z[(p + k + I * (n - 1)) % n];
        }
        x[p] = sum;
    }
    for p in 0..n {
        let mut sum = 0.0;
        for k in 0..2 * J + 1 {
            let weight = end(k, J);
            sum += weight * x[(p + k + J * (n - 1)) % n];
        }
        w[p] = sum / K as f64;
    }
    for p in 0..n {
        let mut near = 0.0;
        for k in 0..2 * J + 1 {
            let weight = end(k, J);
            let behind = w[(p + k + (K + J) * (n - 1)) % n];
            near += weight * behind * x[(p + K + k + J * (n - 1)) % n];
        }
        let advection = near / K as f64 - w[(p + 2 * K * (n - 1)) % n] * w[(p + K * (n - 1)) % n];
        let (before, twice, after) = ((p + n - 1) % n, (p + 2 * (n - 1)) % n, (p + 1) % n);
        let y_before = z[before] - x[before];
        let y_twice = z[twice] - x[twice];
        let small = y_before * (z[after] - x[after]) - y_twice * y_before;
        let coupling = y_before * x[after] - y_twice * x[before];
        let linear = x[p] + B * (z[p] - x[p]);
        dz[p] = advection + B * B * small + C * coupling - linear + FORCING;
    }
}

/// One step of all members, with the loops.
pub fn step_of_rings(z: &DeviceArray<f64>) -> DeviceArray<f64> {
    runge_kutta(z, |z| slope_of_ring::call(z))
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "lorenz04",
    about: "z float64[members, n] → z after --steps steps of model III, and a picture of the members",
    forms: &["lazy", "compiled", "guvectorize", "repeat"],
    size: &[("members", 40), ("n", 960)],
    dtypes: &["float64"],
};

/// Without a file: the forcing, and small waves.
fn start(member: usize, point: usize, n: usize) -> f64 {
    let place = point as f64 / n as f64;
    let phase = spread(member + 1, GOLDEN);
    FORCING + 0.1 * ((3.0 + member as f64 % 5.0) * std::f64::consts::TAU * (place + phase)).sin()
}

/// Steps a model so many times. Each step is evaluated where it ends, so that all of them are the
/// same plan; a failure shows when the result is asked for.
fn run_for(
    steps: usize,
    z: &DeviceArray<f64>,
    step: impl Fn(&DeviceArray<f64>) -> DeviceArray<f64>,
) -> DeviceArray<f64> {
    let mut z = z.clone();
    for _ in 0..steps {
        z = step(&z);
        let _ = z.eval();
    }
    z
}

/// Reads the input, steps, and draws: on one device, or with the members cut over several.
pub fn run(job: &mut Job) -> Outcome<Run> {
    match job.mesh()? {
        Some(mesh) => mesh.replicate().scope(|| run_on(job, Some(mesh))),
        None => run_on(job, None),
    }
}

fn run_on(job: &mut Job, mesh: Option<Mesh>) -> Outcome<Run> {
    let steps: usize = job.options.number("--steps", 100)?;
    let n = job.length("n");
    let z = job.input("z", &["members", "n"], |at| start(at / n.max(1), at % n.max(1), n))?;
    let z = match mesh {
        Some(mesh) => z.to(mesh.shard(0))?,
        None => z,
    };
    let model = Model::new()?;
    let recorded = lazuli::compile(|z: &DeviceArray<f64>| model.step(z));
    let form = job.options.form;
    let step = |z: &DeviceArray<f64>| match form {
        "compiled" => recorded.call(z).unwrap_or_else(|_| model.step(z)),
        "guvectorize" => step_of_rings(z),
        _ => model.step(z),
    };
    // A step is evaluated where it ends, so that the plan is that of one.
    z.eval()?;
    let one = match form {
        "guvectorize" => step_of_rings(&z),
        "repeat" => lazuli::repeat(steps, z.clone(), |z| model.step(&z)),
        _ => model.step(&z),
    };
    let plan = explain(&[&one]);
    let text = match form {
        "repeat" => format!("{steps} steps: {plan}"),
        _ => format!("one of {steps} steps: {plan}"),
    };
    let launches = Launches { bytes: steps * 16 * z.len(), text };
    let all_steps = || match form {
        "repeat" => lazuli::repeat(steps, z.clone(), |z| model.step(&z)),
        _ => run_for(steps, &z, step),
    };
    let mut done = job.launch(launches, || Ok(vec![output("z", all_steps())]))?;
    if job.options.out.is_some() && !z.is_empty() {
        let few = z.slice(s![..12.min(z.shape()[0] as isize), ..]);
        done.pictures.push(("z", history(&model, &few, steps)?));
    }
    Ok(done)
}

/// Some members' rings from left to right, time downwards.
fn history(model: &Model, start: &DeviceArray<f64>, steps: usize) -> Outcome<Picture> {
    let (lines, every) = (240, steps.div_ceil(240).max(1));
    let mut z = start.clone();
    let mut moments: Vec<ArrayD<f64>> = vec![z.copy_to_host()?];
    for step in 1..=steps {
        z = model.step(&z);
        z.eval()?;
        if step % every == 0 && moments.len() < lines {
            moments.push(z.copy_to_host()?);
        }
    }
    let sheet: Vec<Picture> = (0..z.shape()[0])
        .map(|member| {
            let rows = moments
                .iter()
                .map(|z| z.index_axis(Axis(0), member).iter().copied().collect::<Vec<_>>());
            let values: Vec<f64> = rows.flatten().collect();
            let shape = (moments.len(), z.shape()[1]);
            let values = Array2::from_shape_vec(shape, values).expect("a row for each moment");
            Picture::coloured(values.view())
        })
        .collect();
    Ok(Picture::sheet(&sheet.iter().collect::<Vec<_>>(), 2.min(sheet.len())))
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
