//! Ensembles of differential equations.

use super::common::picture::{Picture, colours};
use super::common::plot::{BLUE, GREEN, GREY, ORANGE, Plot, RED};
use super::{Entry, Outcome, host, wide};
use lazuli::DeviceArray;

mod cycles;
mod epidemic;
mod orbits;
mod solitons;
mod spread;

pub const ENTRIES: [Entry; 5] = [
    Entry { name: "spread", draw: spread },
    Entry { name: "cycles", draw: cycles },
    Entry { name: "orbits", draw: orbits },
    Entry { name: "epidemic", draw: epidemic },
    Entry { name: "solitons", draw: solitons },
];

fn spread(n: usize) -> Outcome<Picture> {
    let times: Vec<f64> = (0..=600).map(|k| k as f64 / 20.0).collect();
    let paths = host(&spread::paths(5, &times))?;
    let mut plot = Plot::new(wide(n), (0.0, 30.0), (-22.0, 22.0));
    for (k, path) in paths.columns().into_iter().enumerate() {
        plot = plot.line(&times, &path.to_vec(), [BLUE, ORANGE, GREEN, RED, GREY][k]);
    }
    Ok(plot.picture())
}

fn cycles(n: usize) -> Outcome<Picture> {
    let (x, v) = cycles::paths(6, 500)?;
    let (x, v) = (host(&x)?, host(&v)?);
    let mut plot = Plot::new((n, n), (-4.0, 4.0), (-6.0, 6.0));
    for k in 0..x.ncols() {
        let colour = [BLUE, ORANGE, GREEN][k % 3];
        plot = plot.line(&x.column(k).to_vec(), &v.column(k).to_vec(), colour);
    }
    Ok(plot.picture())
}

fn orbits(n: usize) -> Outcome<Picture> {
    let e = DeviceArray::linspace(0.0, 0.95, 40);
    let (steps, _) = orbits::round(&e);
    let plot = Plot::new(wide(n), (0.0, 1.0), (0.0, 80.0));
    Ok(plot.points(&e.to_vec()?, &steps.cast::<f64>().to_vec()?, 2.0, RED).picture())
}

fn epidemic(n: usize) -> Outcome<Picture> {
    let spreads = DeviceArray::linspace(0.1, 1.0, n);
    let heals = DeviceArray::linspace(0.05, 0.5, n);
    let shade = host(&epidemic::caught(&spreads, &heals)?)?;
    let plot = Plot::new((n, n), (0.1, 1.0), (0.05, 0.5));
    Ok(plot.map(shade.view(), &colours::EMBER, 20).picture())
}

fn solitons(n: usize) -> Outcome<Picture> {
    let rows = host(&solitons::history(256, n, 40.0)?)?;
    let most = rows.iter().copied().fold(0.0, f64::max);
    Ok(Picture::between(rows.view(), (0.0, most), &colours::OCEAN, 24))
}
