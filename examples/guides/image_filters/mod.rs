//! Filters on the photograph.

use super::common::picture::{Picture, colours};
use super::{Entry, Outcome, host, photograph};
use ndarray::Array2;

mod edges;
mod median;
mod regions;
mod sharpen;
mod turn;

pub const ENTRIES: [Entry; 5] = [
    Entry { name: "sharpen", draw: sharpened },
    Entry { name: "edges", draw: edges },
    Entry { name: "median", draw: cleaned },
    Entry { name: "regions", draw: regions },
    Entry { name: "turn", draw: turned },
];

/// A grey picture of values from 0 to 1, in few levels.
fn grey(values: &Array2<f64>) -> Picture {
    Picture::scaled(values.mapv(|v| v.clamp(0.0, 1.0)).view(), &colours::GREY, 12)
}

fn sharpened(n: usize) -> Outcome<Picture> {
    let whole = photograph(n)?;
    let sharp = sharpen::sharpened(&whole, n as f64 / 120.0);
    Ok(Picture::sheet(&[&grey(&host(&whole)?), &grey(&host(&sharp)?)], 2))
}

fn edges(n: usize) -> Outcome<Picture> {
    let steps = edges::edges(&photograph(n)?, n as f64 / 200.0);
    Ok(Picture::scaled(host(&steps.clip(0.0, 0.8))?.view(), &colours::EMBER, 12))
}

fn cleaned(n: usize) -> Outcome<Picture> {
    let noisy = median::with_dead_pixels(&photograph(n)?, 0.1);
    let clean = median::cleaned(&noisy);
    Ok(Picture::sheet(&[&grey(&host(&noisy)?), &grey(&host(&clean)?)], 2))
}

fn regions(n: usize) -> Outcome<Picture> {
    let (labels, _) = regions::dark_regions(&photograph(n)?)?;
    // Neighbouring numbers get colours that are far from each other.
    let shade = labels.copy_to_array()?.mapv(|label: i32| match label {
        0 => 0.0,
        label => 0.25 + 0.75 * (f64::from(label) * 0.618 % 1.0),
    });
    Ok(Picture::scaled(shade.view(), &colours::EMBER, 24))
}

fn turned(n: usize) -> Outcome<Picture> {
    let turned = turn::turned(&photograph(n)?, 20.0);
    Ok(grey(&host(&turned)?))
}
