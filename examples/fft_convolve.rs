//! A picture filtered with a 5×5 Laplacian by Fourier transforms.
//!
//! Input `image`: float32, float64 or uint8, \[ny,nx\], from `image.npy` or, in grey values from 0 to
//! 255, from an 8-bit grey `image.png`; without `--in`, rings that grow closer away from the top
//! left corner. It is converted to float32. Output `filtered`: float32\[ny,nx\], the circular
//! convolution with the Laplacian, which stands in the top left corner of a picture of zeros, so
//! that the result is moved by two rows and two columns. Pictures of both: `image.png` and
//! `filtered.png`.
//!
//! The form `lazy` is the program as it was always written, `ifft2(fft2(image)·fft2(response))`, of
//! which the real part is the result; Lazuli sees that both spectra are those of real pictures,
//! and computes halves of them. The form `library` is one call of `fftconvolve`, on the picture
//! continued around its ends.
//!
//! ```sh
//! cargo run --release --example fft_convolve -- --size 1024x1024 --explain
//! mkdir photo && cp examples/data/camera.png photo/image.png
//! cargo run --release --example fft_convolve -- --in photo --out filtered
//! ```

mod common;

use common::files::{output, path};
use common::picture::{Picture, read_grey};
use common::{Failure, Job, Outcome, Output, Program, Run};
use lazuli::PadMode;
use lazuli::fft::{fft2, ifft2};
use lazuli::prelude::*;
use lazuli::signal::{Mode, fftconvolve};
use ndarray::{Array2, ArrayD, Ix2};
use std::process::ExitCode;

/// The filter.
pub const LAPLACIAN: [[i8; 5]; 5] = [
    [-4, -1, 0, -1, -4],
    [-1, 2, 3, 2, -1],
    [0, 3, 4, 3, 0],
    [-1, 2, 3, 2, -1],
    [-4, -1, 0, -1, -4],
];

/// The filter on the device.
pub fn laplacian() -> Result<DeviceArray<f32>> {
    DeviceArray::from_vec([5, 5], LAPLACIAN.as_flattened().iter().map(|&w| w.into()).collect())
}

/// Transforms, product, inverse transform, real part.
pub fn by_transforms(image: &DeviceArray<f32>, laplacian: &DeviceArray<f32>) -> DeviceArray<f32> {
    let (ny, nx) = (image.shape()[0], image.shape()[1]);
    let response = laplacian.pad(&[(0, ny - 5), (0, nx - 5)], PadMode::Constant(0.0));
    ifft2(&(fft2(image) * fft2(&response))).real()
}

/// The library's convolution of the picture continued around its ends.
pub fn by_library(image: &DeviceArray<f32>, laplacian: &DeviceArray<f32>) -> DeviceArray<f32> {
    fftconvolve(&image.pad(&[(4, 0), (4, 0)], PadMode::Wrap), laplacian, Mode::Valid)
}

/// Rings around the top left corner, as grey values from 0 to 255.
fn rings(i: usize, nx: usize) -> f64 {
    let (y, x) = ((i / nx) as f64, (i % nx) as f64);
    127.5 * (1.0 + ((x * x + y * y) * std::f64::consts::PI / (4.0 * nx as f64)).cos())
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "fft_convolve",
    about: "image float32, float64 or uint8[ny,nx] (image.npy or image.png) → filtered float32[ny,nx], pictures of both",
    forms: &["lazy", "library"],
    size: &[("ny", 512), ("nx", 512)],
    dtypes: &["float32", "float64", "uint8"],
};

/// Reads the input and evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    if let Some(picture) = photograph(job)? {
        return filter(job, to_device(&picture)?);
    }
    const AXES: [&str; 2] = ["ny", "nx"];
    let nx = job.length("nx");
    let image = match job.dtype("image")? {
        "float64" => job.input("image", &AXES, |i| rings(i, nx))?.cast(),
        "uint8" => job.input("image", &AXES, |i| rings(i, nx) as u8)?.cast(),
        _ => job.input("image", &AXES, |i| rings(i, nx) as f32)?,
    };
    image.eval()?;
    filter(job, image)
}

/// The picture in the folder of inputs, where there is one and no array.
fn photograph(job: &Job) -> Outcome<Option<Array2<f32>>> {
    let Some(folder) = &job.options.input else { return Ok(None) };
    let file = folder.join("image.png");
    if path(folder, "image").exists() || !file.exists() {
        return Ok(None);
    }
    let picture = read_grey(&file)?.mapv(|v| (255.0 * v).round() as f32);
    if let Some(size) = job.options.size.as_ref().filter(|size| size[..] != *picture.shape()) {
        let (file, shape) = (file.display(), picture.shape());
        return Err(Failure(format!("{file}: shape {shape:?} where --size says {size:?}")));
    }
    Ok(Some(picture))
}

fn filter(job: &Job, image: DeviceArray<f32>) -> Outcome<Run> {
    let shape = image.shape();
    if shape[0] < 5 || shape[1] < 5 {
        return Err(Failure(format!("image: shape {shape:?} where at least 5×5 is wanted")));
    }
    let laplacian = laplacian()?;
    let apply = if job.options.form == "library" { by_library } else { by_transforms };
    let record = || -> Vec<Output> { vec![output("filtered", apply(&image, &laplacian))] };
    let mut done = job.evaluate(record)?.with_picture(job, "filtered", draw)?;
    if job.options.out.is_some() {
        done.pictures.insert(0, ("image", draw(&image.copy_to_host()?)));
    }
    Ok(done)
}

/// Grey values between the smallest and the largest.
fn draw(values: &ArrayD<f32>) -> Picture {
    let plane = values.mapv(f64::from).into_dimensionality::<Ix2>().expect("a picture");
    let low = plane.iter().copied().fold(f64::INFINITY, f64::min);
    let high = plane.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = if high > low { high - low } else { 1.0 };
    Picture::grey(plane.mapv(|v| (v - low) / range).view())
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
