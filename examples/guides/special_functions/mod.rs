//! Special functions.

use super::common::picture::{Picture, colours};
use super::common::plot::{BLUE, GREEN, ORANGE, Plot, RED};
use super::{Entry, Outcome, host, wide};
use lazuli::DeviceArray;

mod coil;
mod drum;
mod factorials;
mod normal;
mod sphere;

pub const ENTRIES: [Entry; 5] = [
    Entry { name: "drum", draw: drum },
    Entry { name: "factorials", draw: factorials },
    Entry { name: "normal", draw: normal },
    Entry { name: "coil", draw: coil },
    Entry { name: "sphere", draw: sphere },
];

fn drum(n: usize) -> Outcome<Picture> {
    let modes = drum::modes(n / 2)?;
    let parts = (0..6).map(|k| host(&modes.index(k)?)).collect::<Outcome<Vec<_>>>()?;
    let draw = |part| Picture::between(part, (-0.8, 0.8), &colours::TIDE, 21);
    let pictures: Vec<Picture> = parts.iter().map(|part| draw(part.view())).collect();
    Ok(Picture::sheet(&pictures.iter().collect::<Vec<_>>(), 3))
}

fn factorials(n: usize) -> Outcome<Picture> {
    let x = DeviceArray::linspace(-4.0, 4.0, 1601);
    let (gamma, reciprocal) = factorials::both(&x);
    let (x, mut gamma) = (x.to_vec()?, gamma.to_vec()?);
    // A pole is no line.
    for k in (0..=4).map(|k| 200 * k) {
        gamma[k] = f64::NAN;
    }
    let counts = [0.0, 1.0, 2.0, 3.0].map(|k| k + 1.0);
    let plot = Plot::new(wide(n), (-4.0, 4.0), (-6.0, 6.0))
        .line(&x, &reciprocal.to_vec()?, ORANGE)
        .line(&x, &gamma, BLUE)
        .points(&counts, &[1.0, 1.0, 2.0, 6.0], 2.5, RED);
    Ok(plot.picture())
}

fn normal(n: usize) -> Outcome<Picture> {
    let x = DeviceArray::linspace(0.0, 60.0, 400);
    let [plain, careful] = normal::tails(&x);
    let x = x.to_vec()?;
    let plot = Plot::new(wide(n), (0.0, 60.0), (-1900.0, 0.0))
        .line(&x, &careful.to_vec()?, GREEN)
        .line(&x, &plain.to_vec()?, RED);
    Ok(plot.picture())
}

fn coil(n: usize) -> Outcome<Picture> {
    let (strength, flux) = coil::field(n);
    let shade = host(&strength.ln().clip(-3.0, 2.0))?;
    let lines = host(&flux)?;
    // Black between two bands of the flux.
    let mut shade = shade.mapv(|v| ((v + 3.0) / 5.0 * 20.0).round() / 20.0);
    for ((row, column), value) in shade.indexed_iter_mut() {
        let band = |r: usize, c: usize| (lines[[r, c]] * 8.0).floor();
        let here = band(row, column);
        if row > 0 && band(row - 1, column) != here || column > 0 && band(row, column - 1) != here {
            *value = 0.0;
        }
    }
    Ok(Picture::scaled(shade.view(), &colours::ICE, 21))
}

fn sphere(n: usize) -> Outcome<Picture> {
    let shade = host(&sphere::globe(n, 6, 3))?;
    Ok(Picture::between(shade.view(), (-0.5, 0.5), &colours::TIDE, 25))
}
