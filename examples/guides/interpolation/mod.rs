//! Interpolants of lines, grids and scattered points.

use super::common::picture::{Picture, colours};
use super::common::plot::{BLUE, GREEN, GREY, ORANGE, Plot, RED};
use super::{Entry, Outcome, host, photograph, wide};
use lazuli::{DeviceArray, stack};

mod curves;
mod fitted;
mod scattered;
mod swirl;
mod table;

pub const ENTRIES: [Entry; 5] = [
    Entry { name: "curves", draw: curves },
    Entry { name: "fitted", draw: fitted },
    Entry { name: "table", draw: table },
    Entry { name: "scattered", draw: scattered },
    Entry { name: "swirl", draw: swirl },
];

fn curves(n: usize) -> Outcome<Picture> {
    let at = DeviceArray::linspace(0.0, 7.0, 400);
    let [spline, akima, pchip] = curves::three_ways(&at)?;
    let x = at.to_vec()?;
    let plot = Plot::new(wide(n), (0.0, 7.0), (-0.2, 1.2))
        .line(&x, &spline.to_vec()?, BLUE)
        .line(&x, &akima.to_vec()?, GREEN)
        .line(&x, &pchip.to_vec()?, ORANGE);
    let places: Vec<f64> = (0..8).map(f64::from).collect();
    Ok(plot.points(&places, &curves::HEIGHTS, 2.5, [0.0; 3]).picture())
}

fn fitted(n: usize) -> Outcome<Picture> {
    let (x, y) = fitted::measured(200);
    let spline = fitted::fitted(&x, &y)?;
    let at = DeviceArray::linspace(0.0, 10.0, 400);
    let places = at.to_vec()?;
    let plot = Plot::new(wide(n), (0.0, 10.0), (-1.5, 1.5))
        .points(&x.to_vec()?, &y.to_vec()?, 1.2, GREY)
        .line(&places, &spline.at(&at).to_vec()?, BLUE)
        .line(&places, &spline.derivative()?.at(&at).to_vec()?, RED);
    Ok(plot.picture())
}

fn table(n: usize) -> Outcome<Picture> {
    let fine = host(&table::fine(n)?)?;
    Ok(Picture::scaled(fine.view(), &colours::VIRIDIS, 20))
}

fn scattered(n: usize) -> Outcome<Picture> {
    let (points, heights) = scattered::measured(60);
    let [nearest, smooth] = scattered::mapped(&points, &heights, n)?;
    let both = host(&stack(&[&nearest, &smooth], 1).reshape([n, 2 * n]))?;
    let (low, high) = both.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
    let scaled = both.mapv(|v| (v - low) / (high - low));
    let xy = points.t().to_vec()?;
    let (x, y) = xy.split_at(60);
    let right: Vec<f64> = x.iter().map(|x| x + 1.0).collect();
    let plot = Plot::new((2 * n, n), (0.0, 2.0), (0.0, 1.0));
    let plot = plot.map(scaled.view(), &colours::VIRIDIS, 16);
    Ok(plot.points(x, y, 1.5, [1.0; 3]).points(&right, y, 1.5, [1.0; 3]).picture())
}

fn swirl(n: usize) -> Outcome<Picture> {
    let turned = swirl::swirled(&photograph(n)?, 2.5).clip(0.0, 1.0);
    Ok(Picture::scaled(host(&turned)?.view(), &colours::GREY, 12))
}
