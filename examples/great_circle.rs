//! The great-circle function of the point (30°, 101°) over a grid of latitudes and longitudes.
//!
//! The latitudes run along x, the longitudes along y. Without `--in` they go from 29 to 31 and from
//! 99 to 101, ends included, are made inside the kernel and never stored. With `--in`, they are
//! `lat`: float64\[nx\] and `lon`: float64\[ny\]. Output `d`: float64\[ny,nx\], and a picture of it,
//!
//! ```text
//! d = atan2(a, 1 − a)
//! a = sin²(0.008726645·(lat₂ − lat₁)) + cos(0.01745329·lat₁)·cos(0.01745329·lat₂)·sin²(0.008726645·(lon₂ − lon₁))
//! ```
//!
//! Forms: `lazy`; `vectorize`, a function of two points called with the axes and the scalars of the
//! point, which broadcast; `kernel`, with one thread a point of a two-dimensional grid.
//!
//! ```sh
//! cargo run --release --example great_circle -- --size 1000x1000 --explain
//! cargo run --release --example great_circle -- --size 20000x20000 --mesh 2
//! cargo run --release --example great_circle -- --in examples/data/route --out /tmp/great_circle
//! ```

mod common;

use common::picture::Picture;
use common::{Failure, Job, Launches, Outcome, Program, Run, files::output};
use lazuli::Mesh;
use lazuli::gpu::{Array, ArrayMut, grid};
use lazuli::prelude::*;
use ndarray::{ArrayD, Ix2};
use std::cell::RefCell;
use std::process::ExitCode;

/// Half a degree in radians, to as many digits as the formula's author had.
const HALF_DEGREE: f64 = 0.008726645;
/// A degree in radians, likewise.
const DEGREE: f64 = 0.01745329;
/// The point to which the function is taken: latitude and longitude.
const POINT: (f64, f64) = (30.0, 101.0);

/// The function on the grid of `lat`, along x, and `lon`, along y.
pub fn great_circle(lat: &DeviceArray<f64>, lon: &DeviceArray<f64>) -> DeviceArray<f64> {
    let (lat, lon) = (lat.insert_axis(0), lon.insert_axis(1));
    let across = (HALF_DEGREE * (POINT.0 - &lat)).sin().square();
    let along = (HALF_DEGREE * (POINT.1 - lon)).sin().square();
    let a = across + (DEGREE * lat).cos() * (DEGREE * POINT.0).cos() * along;
    a.atan2(1.0 - &a)
}

/// The function of two points, as the formula has it.
#[vectorize]
fn between(lat1: f64, lon1: f64, lat2: f64, lon2: f64) -> f64 {
    let across = (HALF_DEGREE * (lat2 - lat1)).sin();
    let along = (HALF_DEGREE * (lon2 - lon1)).sin();
    let scale = (DEGREE * lat1).cos() * (DEGREE * lat2).cos();
    let a = across * across + scale * (along * along);
    a.atan2(1.0 - a)
}

/// The same grid by [`between`]: the axes and the point's scalars broadcast.
pub fn vectorized(lat: &DeviceArray<f64>, lon: &DeviceArray<f64>) -> DeviceArray<f64> {
    between::call(lat.insert_axis(0), lon.insert_axis(1), POINT.0, POINT.1)
}

/// The grid that is used where no files are given: nothing of it is stored.
pub fn mesh(ny: usize, nx: usize) -> (DeviceArray<f64>, DeviceArray<f64>) {
    (DeviceArray::linspace(29.0, 31.0, nx), DeviceArray::linspace(99.0, 101.0, ny))
}

/// The function on the grid of `lat`, along x, and `lon`, along y.
#[kernel]
pub fn on_points(lat: Array<f64, 1>, lon: Array<f64, 1>, d: ArrayMut<f64, 2>) {
    let (x, y) = grid::<2>();
    if x < lat.len() && y < lon.len() {
        d[(y, x)] = between(lat[x], lon[y], POINT.0, POINT.1);
    }
}

/// The function on an even grid, whose latitudes and longitudes each thread makes for itself.
#[kernel]
pub fn on_mesh(lat0: f64, lat1: f64, lon0: f64, lon1: f64, d: ArrayMut<f64, 2>) {
    let (x, y) = grid::<2>();
    let (ny, nx) = (d.shape(0), d.shape(1));
    if x < nx && y < ny {
        let step_x = if nx > 1 { (lat1 - lat0) / (nx - 1) as f64 } else { 0.0 };
        let step_y = if ny > 1 { (lon1 - lon0) / (ny - 1) as f64 } else { 0.0 };
        let (lat, lon) = (lat0 + x as f64 * step_x, lon0 + y as f64 * step_y);
        d[(y, x)] = between(lat, lon, POINT.0, POINT.1);
    }
}

/// The threads of a block.
const BLOCK: (usize, usize) = (32, 8);

/// As many blocks as cover a grid of points.
pub fn blocks(ny: usize, nx: usize) -> (usize, usize) {
    (nx.div_ceil(BLOCK.0).max(1), ny.div_ceil(BLOCK.1).max(1))
}

/// The kernel form.
fn launched(job: &mut Job) -> Outcome<Run> {
    let files = match job.has_files() {
        true => {
            let lat = job.input("lat", &["nx"], |_| 0.0)?;
            Some((lat, job.input("lon", &["ny"], |_| 0.0)?))
        }
        false => None,
    };
    let (ny, nx) = match &files {
        Some((lat, lon)) => (lon.len(), lat.len()),
        None => (job.length("ny"), job.length("nx")),
    };
    let (grid, d) = (blocks(ny, nx), RefCell::new(DeviceArray::<f64>::try_zeros([ny, nx])?));
    let read = if files.is_some() { 8 * (ny + nx) } else { 0 };
    let text = format!("great_circle: {grid:?} blocks of {BLOCK:?} threads, one a point");
    job.launch(Launches { bytes: 8 * ny * nx + read, text }, || {
        let mut d = d.borrow_mut();
        match &files {
            Some((lat, lon)) => on_points.launch(grid, BLOCK, (lat, lon, &mut d))?,
            None => on_mesh.launch(grid, BLOCK, (29.0, 31.0, 99.0, 101.0, &mut d))?,
        }
        Ok(vec![output("d", d.clone())])
    })
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "great_circle",
    about: "lat float64[nx], lon float64[ny] → d float64[ny,nx] and a picture",
    forms: &["lazy", "vectorize", "kernel"],
    size: &[("ny", 1000), ("nx", 1000)],
    dtypes: &["float64"],
};

/// Reads the inputs and evaluates: on one device, or with the rows cut over several.
pub fn run(job: &mut Job) -> Outcome<Run> {
    match job.mesh()? {
        Some(over) => over.replicate().scope(|| run_on(job, Some(over))),
        None => run_on(job, None),
    }
}

fn run_on(job: &mut Job, over: Option<Mesh>) -> Outcome<Run> {
    let function = match job.options.form {
        "vectorize" => vectorized,
        _ => great_circle,
    };
    if job.options.form == "kernel" {
        if over.is_some() {
            return Err(Failure("--mesh: the form kernel runs on one device".into()));
        }
        return launched(job)?.with_picture(job, "d", draw);
    }
    let files = match job.has_files() {
        true => {
            let lat = job.input("lat", &["nx"], |_| 0.0)?;
            Some((lat, job.input("lon", &["ny"], |_| 0.0)?))
        }
        false => None,
    };
    let (ny, nx) = (job.length("ny"), job.length("nx"));
    let grid = || -> Result<(DeviceArray<f64>, DeviceArray<f64>)> {
        let (lat, lon) = files.clone().unwrap_or_else(|| mesh(ny, nx));
        Ok(match over {
            // The rows are those of the longitudes; every device has all latitudes.
            Some(over) => (lat.to(over.replicate())?, lon.to(over.shard(0))?),
            None => (lat, lon),
        })
    };
    drop(grid()?);
    let done = job.evaluate(|| {
        let (lat, lon) = grid().expect("the same was made before");
        vec![output("d", function(&lat, &lon))]
    })?;
    done.with_picture(job, "d", draw)
}

/// The grid seen from above, with the north at the top.
fn draw(d: &ArrayD<f64>) -> Picture {
    let plane = d.view().into_dimensionality::<Ix2>().expect("the grid has two axes");
    Picture::coloured(plane.t().slice(ndarray::s![..;-1, ..]))
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
