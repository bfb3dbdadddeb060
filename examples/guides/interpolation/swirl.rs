//! # A picture read at any places
//!
//! [`map_coordinates`](lazuli::ndimage::map_coordinates()) is `scipy.ndimage.map_coordinates`: the
//! values of an array's spline at coordinates, of which the first axis has one entry for each axis of
//! the array. Here they are polar coordinates, turned the more the nearer the middle. In NumPy every
//! step of the coordinates would be an array of the picture's size; here the radius and the angle are,
//! and the rest is computed in the kernel that reads the spline.

use lazuli::ndimage::{Border, Spline, map_coordinates};
use lazuli::prelude::*;

pub fn swirled(picture: &DeviceArray<f64>, turn: f64) -> DeviceArray<f64> {
    let n = picture.shape()[0];
    let middle = (n - 1) as f64 / 2.0;
    let line = DeviceArray::<f64>::arange_to(n as f64) - middle;
    let (y, x) = (line.insert_axis(1), line.insert_axis(0));
    let radius = x.hypot(&y);
    let angle = y.atan2(&x) + turn * (-&radius * (4.0 / n as f64)).exp();
    let places = stack(&[&radius * angle.sin(), &radius * angle.cos()], 0) + middle;
    map_coordinates(picture, &places, Spline::new(3).border(Border::Nearest))
}

#[test]
fn without_a_turn_nothing_changes() -> Result<()> {
    let x = DeviceArray::<f64>::linspace(0.0, 3.0, 32);
    let waves = x.insert_axis(1).sin() * x.cos();
    assert!((swirled(&waves, 0.0) - &waves).abs().max(..).item()? < 1e-10);
    Ok(())
}
