//! Ten programs in the manner of NumPy, each with the picture that it draws: the gallery of
//! `lazuli::guide::gallery`.
//!
//! Each file beside this one is a program: its first lines and its code are a section of the guide,
//! and the function at its end, which says what is known of the result, is a test. `tools/gallery`
//! writes the guide from them.
//!
//! `--size` sets the width and the height of the pictures. With `--out` they are written as PNG
//! files; the time of each program is that of its first run, compilation included.
//!
//! ```sh
//! cargo run --release --example gallery -- --out /tmp/gallery
//! ```

mod clifford;
#[path = "../common/mod.rs"]
mod common;
mod coral;
mod glass;
pub mod life;
mod mandelbrot;
mod pendulum;
mod percolation;
mod sketch;
mod star;
mod waves;

use common::picture::{Picture, colours, read_grey};
use common::{Failure, Job, Outcome, Program, Run, files};
use lazuli::prelude::*;
use ndarray::{ArrayD, Ix2};
use std::process::ExitCode;

type Pixels = Outcome<DeviceArray<f64>>;

/// A program of the gallery.
pub struct Entry {
    pub name: &'static str,
    /// The colours from the smallest value to the largest, none for pixels of red, green and blue,
    /// and how many steps there are.
    colours: (&'static [[f64; 3]], usize),
    /// A picture of so many pixels a side.
    draw: fn(usize) -> Pixels,
}

pub const ENTRIES: [Entry; 10] = [
    Entry {
        name: "mandelbrot",
        colours: (&colours::DUSK, 48),
        draw: |n| Ok(mandelbrot::mandelbrot(n)),
    },
    Entry {
        name: "coral",
        colours: (&colours::OCEAN, 24),
        draw: |n| Ok(coral::coral(n, 6000).cast()),
    },
    Entry { name: "star", colours: (&colours::EMBER, 40), draw: |n| Ok(star::star(n)) },
    Entry { name: "sketch", colours: (&colours::GREY, 16), draw: sketch },
    Entry { name: "pendulum", colours: (&[], 24), draw: |n| Ok(pendulum::basins(n, 20)?) },
    Entry {
        name: "percolation",
        colours: (&colours::VIRIDIS, 32),
        draw: |n| Ok(percolation::clusters(n)?),
    },
    Entry {
        name: "life",
        colours: (&colours::EMBER, 32),
        draw: |n| Ok(life::life(&life::ACORN, n, 2000)?.cast()),
    },
    Entry { name: "glass", colours: (&[], 12), draw: |n| Ok(glass::glass(n, 150)?) },
    Entry {
        name: "clifford",
        colours: (&colours::ICE, 40),
        draw: |n| Ok(clifford::attractor(n, (n * n / 14) as u32)?),
    },
    Entry {
        name: "waves",
        colours: (&colours::TIDE, 48),
        draw: |n| Ok(waves::waves(n, 3 * n)?.cast()),
    },
];

fn sketch(n: usize) -> Pixels {
    let photograph = read_grey(&files::data("camera.png"))?;
    Ok(sketch::sketch(&to_device(&photograph)?, n))
}

/// A picture of values, or of red, green and blue along a third axis.
fn picture(pixels: &ArrayD<f64>, stops: &[[f64; 3]], levels: usize) -> Picture {
    let pixels = pixels.view();
    match pixels.clone().into_dimensionality::<Ix2>() {
        Ok(plane) => Picture::scaled(plane, stops, levels),
        Err(_) => Picture::rgb(pixels.into_dimensionality().expect("two axes, or three"), levels),
    }
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "gallery",
    about: "ten programs and the pictures that they draw",
    forms: &["lazy"],
    size: &[("n", 240)],
    dtypes: &["float64"],
};

/// Draws all pictures, and prints a line for each.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let n = job.length("n");
    if n < 32 {
        return Err(Failure(format!("--size {n}: 32 is the least")));
    }
    let mut done = Run::default();
    for Entry { name, colours: (stops, levels), draw } in &ENTRIES {
        let label = |pixels: &ArrayD<f64>| {
            format!("{name:<12} {:>5}×{:<5}", pixels.shape()[0], pixels.shape()[1])
        };
        let pixels = done.draw(|| Ok(draw(n)?.copy_to_host()?), label)?;
        done.pictures.push((name, picture(&pixels, stops, *levels)));
    }
    Ok(done)
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
