//! Sparse matrices.

use super::common::picture::{Picture, colours};
use super::{Entry, Outcome, host, photograph};
use lazuli::random::Generator;
use lazuli::{DeviceArray, concatenate};
use ndarray::s;

mod bracket;
mod plate;
mod smoothing;
mod structure;

pub const ENTRIES: [Entry; 4] = [
    Entry { name: "structure", draw: structure },
    Entry { name: "plate", draw: plate },
    Entry { name: "smoothing", draw: smoothed },
    Entry { name: "bracket", draw: bracket },
];

fn structure(n: usize) -> Outcome<Picture> {
    let side = 6;
    let entries = host(&structure::laplacian(side, side)?.to_dense())?;
    let cell = (n / (side * side)).max(1);
    let size = cell * side * side;
    let spread =
        ndarray::Array2::from_shape_fn((size, size), |(y, x)| entries[[y / cell, x / cell]]);
    Ok(Picture::between(spread.view(), (-4.0, 4.0), &colours::TIDE, 9))
}

fn plate(n: usize) -> Outcome<Picture> {
    let (found, _) = plate::temperature(n / 2)?;
    let shade = host(&lazuli::ndimage::zoom_grid(&found, &[2.0, 2.0], 1))?;
    Ok(Picture::scaled(shade.view(), &colours::EMBER, 24))
}

fn smoothed(n: usize) -> Outcome<Picture> {
    let noise: DeviceArray<f64> = Generator::new(15).normal(0.0, 0.06, [n, n]);
    let noisy = photograph(n)? + noise;
    let smooth = smoothing::smoothed(&noisy, 8.0)?;
    let halves = [noisy.slice(s![.., ..n / 2]), smooth.slice(s![.., n / 2..])];
    let both = host(&concatenate(&halves, 1).clip(0.0, 1.0))?;
    Ok(Picture::scaled(both.view(), &colours::GREY, 12))
}

fn bracket(n: usize) -> Outcome<Picture> {
    let side = (n / 3) | 1;
    let modes = host(&bracket::modes(side, 6)?.0)?;
    let draw = |k: usize| {
        let mode = modes.column(k).to_shape((side, side)).expect("a plane").to_owned();
        let most = mode.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        Picture::between(mode.view(), (-most, most), &colours::TIDE, 15)
    };
    let pictures: Vec<Picture> = (0..6).map(draw).collect();
    Ok(Picture::sheet(&pictures.iter().collect::<Vec<_>>(), 3))
}
