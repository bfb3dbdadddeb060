//! Samples, densities, tests and lines.

use super::common::picture::{Picture, colours};
use super::common::plot::{BLUE, GREEN, GREY, ORANGE, Plot, RED};
use super::{Entry, Outcome, host, wide};
use lazuli::DeviceArray;

mod bins;
mod density;
mod draws;
mod lines;
mod pairs;

pub const ENTRIES: [Entry; 5] = [
    Entry { name: "draws", draw: draws },
    Entry { name: "density", draw: density },
    Entry { name: "pairs", draw: many_tests },
    Entry { name: "lines", draw: lines },
    Entry { name: "bins", draw: bins },
];

fn draws(n: usize) -> Outcome<Picture> {
    let (heights, edges) = draws::histogram(&draws::waits(20_000))?;
    let x = DeviceArray::linspace(0.01, 12.0, 300);
    let plot = Plot::new(wide(n), (0.0, 12.0), (0.0, 0.3))
        .bars(&edges.to_vec()?, &heights.to_vec()?, [0.68, 0.80, 0.92])
        .line(&x.to_vec()?, &draws::density(&x).to_vec()?, RED);
    Ok(plot.picture())
}

fn density(n: usize) -> Outcome<Picture> {
    let points = density::two_clouds(400);
    let map = host(&density::map(&points, n)?)?;
    let highest = map.iter().copied().fold(0.0, f64::max);
    let both = points.to_vec()?;
    let (x, y) = both.split_at(400);
    let plot = Plot::new((n, n), (-4.0, 4.0), (-4.0, 4.0));
    let plot = plot.map((map / highest).view(), &colours::OCEAN, 12);
    Ok(plot.points(x, y, 0.7, ORANGE).picture())
}

fn many_tests(n: usize) -> Outcome<Picture> {
    let count = |difference: f64| pairs::histogram(&pairs::probabilities(5000, 40, difference));
    let [(same, edges), (other, _)] = [count(0.0)?, count(0.5)?];
    let edges = edges.to_vec()?;
    let plot = Plot::new(wide(n), (0.0, 1.0), (0.0, 3000.0))
        .bars(&edges, &other.cast::<f64>().to_vec()?, ORANGE)
        .bars(&edges, &same.cast::<f64>().to_vec()?, BLUE);
    Ok(plot.picture())
}

fn lines(n: usize) -> Outcome<Picture> {
    let (x, y) = lines::measured(60);
    let (least, robust) = lines::both(&x, &y)?;
    let ends = [0.0, 10.0];
    let line = |(slope, start): (f64, f64)| ends.map(|x| start + slope * x);
    let plot = Plot::new(wide(n), (0.0, 10.0), (-2.0, 20.0))
        .points(&x.to_vec()?, &y.to_vec()?, 1.6, GREY)
        .line(&ends, &line(least), BLUE)
        .line(&ends, &line(robust), RED);
    Ok(plot.picture())
}

fn bins(n: usize) -> Outcome<Picture> {
    let (x, y) = bins::measured(3000);
    let (middles, means, deviations) = bins::summary(&x, &y)?;
    let [above, below] = [&means + &deviations, &means - &deviations];
    let middles = middles.to_vec()?;
    let plot = Plot::new(wide(n), (0.0, 10.0), (-3.0, 3.0))
        .points(&x.to_vec()?, &y.to_vec()?, 0.5, GREY)
        .line(&middles, &above.to_vec()?, GREEN)
        .line(&middles, &below.to_vec()?, GREEN)
        .line(&middles, &means.to_vec()?, BLUE);
    Ok(plot.picture())
}
