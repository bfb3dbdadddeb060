//! The photograph's part of the walk.

use super::common::files::output;
use super::filters::{self as f, Image};
use super::report::{Entry, Record, Tour};
use super::{Outcome, Picture, plain_filters as plain};
use lazuli::prelude::*;
use ndarray::{Array2, ArrayView2, Ix2};

/// One filter: its picture's name, what it does, and both ways to compute it.
struct Step {
    name: &'static str,
    what: &'static str,
    lazy: fn(&Image) -> Image,
    plain: fn(&Array2<f64>) -> Array2<f64>,
    draw: fn(ArrayView2<f64>) -> Picture,
}

/// Grey values around zero, where the deviation is 1.
fn around_zero(z: ArrayView2<f64>) -> Picture {
    Picture::grey(z.mapv(|v| 0.5 + 0.2 * v).view())
}

/// Grey values that reach white before the largest, since few edges are that strong.
fn bright(x: ArrayView2<f64>) -> Picture {
    Picture::grey(x.mapv(|v| (0.7 * v).sqrt()).view())
}

const STEPS: [Step; 8] = [
    Step {
        name: "blur",
        what: "Gaussian blur: slices of a padded picture, along both axes",
        lazy: f::blur,
        plain: plain::blur,
        draw: Picture::grey,
    },
    Step {
        name: "edges",
        what: "edges: Sobel's stencils by slices, and hypot",
        lazy: f::edges,
        plain: plain::edges,
        draw: bright,
    },
    Step {
        name: "sharpen",
        what: "sharpened by the Laplacian: rolls, and clip",
        lazy: f::sharpen,
        plain: plain::sharpen,
        draw: Picture::grey,
    },
    Step {
        name: "standardise",
        what: "mean 0, deviation 1: (x - x.mean(..)) / x.std(..)",
        lazy: f::standardise,
        plain: plain::standardise,
        draw: Picture::coloured,
    },
    Step {
        name: "stretch",
        what: "shadows lifted: a logarithm, its range stretched over 0 to 1",
        lazy: f::stretch,
        plain: plain::stretch,
        draw: Picture::grey,
    },
    Step {
        name: "local_contrast",
        what: "against the mean and deviation of a 15×15 window: sliding windows",
        lazy: f::local_contrast,
        plain: plain::local_contrast,
        draw: around_zero,
    },
    Step {
        name: "softmax",
        what: "softmax of every row: max, exp, sum and quotient in one go",
        lazy: f::softmax_rows,
        plain: plain::softmax_rows,
        draw: Picture::coloured,
    },
    Step {
        name: "diffuse",
        what: "thirty steps of heat flow, recorded in a loop",
        lazy: f::diffuse,
        plain: plain::diffuse,
        draw: Picture::grey,
    },
];

/// Filters the photograph; gives the pictures, with all of them on one sheet as the last.
pub fn walk(tour: &mut Tour, image: &Array2<f64>) -> Outcome<Vec<(&'static str, Picture)>> {
    let mut pictures = vec![("original", Picture::grey(image.view()))];
    for step in &STEPS {
        let results = tour.step(&Entry {
            name: step.name,
            what: step.what,
            prepare: &|| {
                let x = DeviceArray::from_ndarray(image)?;
                Ok(Record::lazy(move || vec![output("image", (step.lazy)(&x))]))
            },
            plain: &|| vec![(step.plain)(image).into_dyn()],
        })?;
        let plane = results[0].view().into_dimensionality::<Ix2>().expect("a picture has two axes");
        pictures.push((step.name, (step.draw)(plane)));
    }
    let sheet = Picture::sheet(&pictures.iter().map(|(_, p)| p).collect::<Vec<_>>(), 3);
    pictures.push(("all", sheet));
    Ok(pictures)
}
