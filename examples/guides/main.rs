//! The programs of the guides to Lazuli's modules, each with the picture that it draws:
//! `lazuli::guide::image_filters` and its neighbours.
//!
//! A folder beside this file is a page, and a file in it is a section: its first lines are the text,
//! what follows is the program, and the function at its end, which says what is known of the result,
//! is a test. The folder's `mod.rs` draws the pictures of the results. `tools/gallery` writes the
//! pages from them.
//!
//! `--size` sets the side of the pictures, `--page` chooses one page. With `--out` they are written
//! as PNG files; the time of each program is that of its first run, compilation included.
//!
//! ```sh
//! cargo run --release --example guides -- --page image_filters --out /tmp/guides
//! ```

#[path = "../common/mod.rs"]
mod common;
pub mod image_filters;
pub mod interpolation;
pub mod linear_algebra;
pub mod ode_ensembles;
pub mod signals;
pub mod sparse_matrices;
pub mod special_functions;
pub mod statistics;

use common::picture::{Picture, read_grey};
use common::{Failure, Job, Outcome, Program, Run, files};
use lazuli::ndimage::{gaussian_filter, zoom_grid};
use lazuli::prelude::*;
use ndarray::Array2;
use std::process::ExitCode;

/// A section of a page.
pub struct Entry {
    pub name: &'static str,
    /// A picture of so many pixels a side.
    draw: fn(usize) -> Outcome<Picture>,
}

/// The pages and their sections.
pub const PAGES: [(&str, &[Entry]); 8] = [
    ("image_filters", &image_filters::ENTRIES),
    ("signals", &signals::ENTRIES),
    ("interpolation", &interpolation::ENTRIES),
    ("special_functions", &special_functions::ENTRIES),
    ("statistics", &statistics::ENTRIES),
    ("linear_algebra", &linear_algebra::ENTRIES),
    ("sparse_matrices", &sparse_matrices::ENTRIES),
    ("ode_ensembles", &ode_ensembles::ENTRIES),
];

/// The photograph of `examples/data`, with so many pixels a side.
fn photograph(n: usize) -> Outcome<DeviceArray<f64>> {
    let whole = to_device(&read_grey(&files::data("camera.png"))?)?;
    let part = n as f64 / whole.shape()[0] as f64;
    Ok(zoom_grid(&gaussian_filter(&whole, 0.4 / part), &[part, part], 1))
}

/// A matrix on the host.
fn host(a: &DeviceArray<f64>) -> Outcome<Array2<f64>> {
    Ok(a.copy_to_array()?)
}

/// The size of a plot beside pictures of `n` pixels a side.
fn wide(n: usize) -> (usize, usize) {
    (3 * n / 2, 5 * n / 6)
}

/// What the command line knows of this program.
pub static PROGRAM: Program = Program {
    name: "guides",
    about: "the programs of the guides to the modules, and the pictures that they draw",
    forms: &["lazy"],
    size: &[("n", 240)],
    dtypes: &["float64"],
};

/// Draws the pictures, and prints a line for each.
pub fn run(job: &mut Job) -> Outcome<Run> {
    let n = job.length("n");
    if n < 32 {
        return Err(Failure(format!("--size {n}: 32 is the least")));
    }
    let wanted = job.options.own("--page");
    if let Some(name) = wanted.filter(|name| PAGES.iter().all(|page| page.0 != *name)) {
        let names = PAGES.map(|page| page.0).join(", ");
        return Err(Failure(format!("--page {name}: no such page; there is {names}")));
    }
    let mut done = Run::default();
    for (page, entries) in PAGES.iter().filter(|page| wanted.is_none_or(|name| name == page.0)) {
        for Entry { name, draw } in *entries {
            let picture = done.draw(|| draw(n), |_| format!("{page:<18} {name:<12}"))?;
            done.pictures.push((name, picture));
        }
    }
    Ok(done)
}

fn main() -> ExitCode {
    PROGRAM.main(run)
}
