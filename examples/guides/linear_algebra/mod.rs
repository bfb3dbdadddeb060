//! Fits, factorisations and functions of matrices.

use super::common::picture::{Picture, colours};
use super::common::plot::{BLUE, GREEN, GREY, ORANGE, Plot, RED};
use super::{Entry, Outcome, host, photograph, wide};
use lazuli::DeviceArray;

mod fit;
mod heat;
mod levels;
mod low_rank;
mod turning;

pub const ENTRIES: [Entry; 5] = [
    Entry { name: "fit", draw: fit },
    Entry { name: "low_rank", draw: low_rank },
    Entry { name: "levels", draw: levels },
    Entry { name: "turning", draw: turning },
    Entry { name: "heat", draw: heat },
];

fn fit(n: usize) -> Outcome<Picture> {
    let (t, y) = fit::tides(200);
    let (found, _) = fit::fitted(&t, &y);
    let t = t.to_vec()?;
    let plot = Plot::new(wide(n), (0.0, 60.0), (-2.5, 3.5));
    Ok(plot.points(&t, &y.to_vec()?, 1.2, GREY).line(&t, &found.to_vec()?, BLUE).picture())
}

fn low_rank(n: usize) -> Outcome<Picture> {
    let close = low_rank::of_rank(&photograph(n)?, n / 12);
    Ok(Picture::scaled(host(&close.clip(0.0, 1.0))?.view(), &colours::GREY, 12))
}

fn levels(n: usize) -> Outcome<Picture> {
    let (energies, waves, x, potential) = levels::levels(400)?;
    let (energies, x) = (energies.to_vec()?, x.to_vec()?);
    let mut plot = Plot::new(wide(n), (-4.0, 4.0), (0.0, 8.0)).line(&x, &potential.to_vec()?, GREY);
    for (k, colour) in [BLUE, ORANGE, GREEN, RED].into_iter().enumerate() {
        let wave = waves.slice(ndarray::s![.., k]) * 6.0 + energies[k];
        plot = plot.line(&x, &wave.to_vec()?, colour);
    }
    Ok(plot.picture())
}

fn turning(n: usize) -> Outcome<Picture> {
    let t = DeviceArray::linspace(0.0, 12.0, 300);
    let paths = turning::paths(&t)?;
    let mut plot = Plot::new((n, n), (-1.2, 1.2), (-1.2, 1.2));
    for (k, colour) in [BLUE, ORANGE, GREEN].into_iter().enumerate() {
        let [x, y] = [0, 1].map(|c| paths.slice(ndarray::s![k, .., c]).to_vec());
        plot = plot.line(&x?, &y?, colour);
    }
    Ok(plot.picture())
}

fn heat(n: usize) -> Outcome<Picture> {
    let rows = heat::history(n, n / 2)?;
    Ok(Picture::scaled(host(&rows)?.view(), &colours::EMBER, 24))
}
