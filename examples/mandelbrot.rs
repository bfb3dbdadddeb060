//! The Mandelbrot set over [−2, 1] × [−1, 1].
//!
//! Output `image`: uint8\[ny,nx\], and a picture of it. The pixel in column x and row y stands for
//! c = −2 + x·3/nx + i·(−1 + y·2/ny) and holds the number of steps z ← z² + c, from z = 0, before
//! the squared modulus of z reaches 4, at most 20.
//!
//! ```sh
//! cargo run --release --example mandelbrot -- --out /tmp/mandelbrot
//! cargo run --release --example mandelbrot -- --form vectorize --size 4096x6144
//! ```

mod common;

use common::picture::Picture;
use common::{Job, Launches, Outcome, Program, Run, files::output};
use lazuli::gpu::{ArrayMut, grid, grid_size};
use lazuli::prelude::*;
use ndarray::{ArrayD, Ix2};
use std::cell::RefCell;
use std::process::ExitCode;

/// The most steps.
const STEPS: u32 = 20;

/// The number of steps before z leaves the circle of radius 2, at most `most`.
#[device]
pub fn steps(c: Complex<f64>, most: u32) -> u32 {
    let mut z = Complex::new(0.0, 0.0);
    for step in 0..most {
        z = z * z + c;
        if z.re * z.re + z.im * z.im >= 4.0 {
            return step;
        }
    }
    most
}

/// The image of a rectangle, by a grid of any size: each thread takes the pixels that are whole
/// grids apart.
#[kernel]
pub fn mandelbrot(low: Complex<f64>, high: Complex<f64>, image: ArrayMut<u8, 2>, most: u32) {
    let (height, width) = (image.shape(0), image.shape(1));
    let pixel_x = (high.re - low.re) / width as f64;
    let pixel_y = (high.im - low.im) / height as f64;
    let (start_x, start_y) = grid::<2>();
    let (grid_x, grid_y) = grid_size::<2>();
    for x in (start_x..width).step_by(grid_x) {
        let re = low.re + x as f64 * pixel_x;
        for y in (start_y..height).step_by(grid_y) {
            let im = low.im + y as f64 * pixel_y;
            image[(y, x)] = steps(Complex::new(re, im), most) as u8;
        }
    }
}

/// The rectangle's corners.
const LOW: Complex<f64> = Complex::new(-2.0, -1.0);
const HIGH: Complex<f64> = Complex::new(1.0, 1.0);

/// The blocks and the threads of a block.
const GRID: (usize, usize) = (32, 16);
const BLOCK: (usize, usize) = (32, 8);

/// One pixel, for arrays.
#[vectorize]
pub fn pixel(re: f64, im: f64) -> u8 {
    steps(Complex::new(re, im), 20) as u8
}

/// The image as an expression.
pub fn vectorized(ny: usize, nx: usize) -> DeviceArray<u8> {
    let line = |low: f64, high: f64, n: usize| {
        low + DeviceArray::<i64>::arange_to(n as i64).cast::<f64>() * ((high - low) / n as f64)
    };
    let (re, im) = (line(LOW.re, HIGH.re, nx), line(LOW.im, HIGH.im, ny));
    pixel::call(re.insert_axis(0), im.insert_axis(1))
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "mandelbrot",
    about: "image uint8[ny,nx] and a picture",
    forms: &["kernel", "vectorize"],
    size: &[("ny", 1024), ("nx", 1536)],
    dtypes: &["uint8"],
};

/// Evaluates.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let (ny, nx) = (job.length("ny"), job.length("nx"));
    let done = if job.options.form == "vectorize" {
        job.evaluate(|| vec![output("image", vectorized(ny, nx))])?
    } else {
        let image = RefCell::new(DeviceArray::<u8>::try_zeros([ny, nx])?);
        let launches =
            Launches { bytes: ny * nx, text: format!("mandelbrot: {GRID:?} blocks of {BLOCK:?}") };
        job.launch(launches, || {
            mandelbrot.launch(GRID, BLOCK, (LOW, HIGH, &mut image.borrow_mut(), STEPS))?;
            Ok(vec![output("image", image.borrow().clone())])
        })?
    };
    done.with_picture(job, "image", draw)
}

/// The image with the steps as colours.
fn draw(image: &ArrayD<u8>) -> Picture {
    let plane = image.mapv(f64::from).into_dimensionality::<Ix2>().expect("the image has two axes");
    Picture::coloured(plane.view())
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
