//! A walk through Lazuli: a photograph is filtered and normalised, then every program of the
//! examples runs in small. Each step prints its plan in short, its time on every device of this
//! machine, and its error against plain `ndarray`.
//!
//! Without `--in`, the photograph is `examples/data/camera.png`; with it, `image.npy` (uint8, or
//! float32 or float64 from 0 to 1, \[ny,nx\]) or `image.png` (8 bits, grey) of that folder. The pictures are
//! written to `--out`, by default `target/tour`. `--size` sets the length of the programs' inputs,
//! `--device` keeps to one device, and `--explain` prints every plan in full.
//!
//! ```sh
//! cargo run --release --example tour
//! ```

#[path = "../common/mod.rs"]
mod common;
mod examples;
mod filters;
mod libraries;
mod photo;
mod plain_filters;
mod programs;
mod report;

use common::picture::{Picture, read_grey};
use common::{Failure, Job, Outcome, Program, Run, files};
use ndarray::{Array2, Ix2};
use report::Tour;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

static PROGRAM: Program = Program {
    name: "tour",
    about: "a photograph → filtered pictures; then every example in small",
    forms: &["lazy"],
    size: &[("n", 1_000_000)],
    dtypes: &["float64"],
};

fn run(job: &mut Job) -> Outcome<Run> {
    let (name, image) = load(job)?;
    let (height, width) = image.dim();
    if height < 16 || width < 16 {
        return Err(Failure(format!("{name}: {height}×{width} is too small; 16×16 is the least")));
    }
    let root = root();
    job.options.out.get_or_insert_with(|| root.join("target/tour"));
    let mut tour = Tour::new(job)?;
    println!("Lazuli records array expressions and runs them as few, fused kernels.\n");
    println!("Devices");
    tour.devices.iter().for_each(|device| println!("  {}", device.info()));
    println!("\nA photograph: {name}, {height}×{width}, float64 from 0 to 1");
    let pictures = photo::walk(&mut tour, &image)?;
    println!("\nThe examples, in small (cargo run --release --example NAME -- --help)");
    programs::walk(&mut tour, job.length("n"))?;
    println!("\nLibraries and functions of one's own, in the same graph");
    libraries::walk(&mut tour, job.length("n"))?;
    println!();
    Ok(Run { pictures, ..tour.total() })
}

/// The folder that holds `examples`: where the program runs, or where it was built.
fn root() -> PathBuf {
    match Path::new("examples/data").is_dir() {
        true => PathBuf::new(),
        false => PathBuf::from(env!("CARGO_MANIFEST_DIR")),
    }
}

/// The photograph and its name.
fn load(job: &mut Job) -> Outcome<(String, Array2<f64>)> {
    let folder = match &job.options.input {
        None => {
            let path = root().join("examples/data/camera.png");
            return Ok(("examples/data/camera.png".to_owned(), read_grey(&path)?));
        }
        Some(folder) => folder.clone(),
    };
    let array = files::path(&folder, "image");
    let picture = folder.join("image.png");
    if !array.exists() && picture.exists() {
        return Ok((picture.display().to_string(), read_grey(&picture)?));
    }
    let name = array.display().to_string();
    let values = match files::dtype(&folder, "image")?.as_str() {
        "uint8" => files::read::<u8>(&folder, "image")?.mapv(|v| f64::from(v) / 255.0),
        "float32" => files::read::<f32>(&folder, "image")?.mapv(f64::from),
        _ => files::read::<f64>(&folder, "image")?,
    };
    let shape = values.shape().to_vec();
    let plane = values.into_dimensionality::<Ix2>();
    let plane =
        plane.map_err(|_| Failure(format!("{name}: shape {shape:?} where [ny, nx] is wanted")));
    Ok((name, plane?.as_standard_layout().into_owned()))
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
