//! # Turned by splines
//!
//! [`rotate`](lazuli::ndimage::rotate()), [`zoom`](lazuli::ndimage::zoom()),
//! [`shift`](lazuli::ndimage::shift()) and [`affine_transform`](lazuli::ndimage::affine_transform())
//! read an array between its elements, through splines of orders 0 to 5, as in `scipy.ndimage`. Two of
//! them in a row would interpolate twice and blur twice, so the turn and the magnification are one
//! matrix here. It maps places of the result to places of the photograph; the offset keeps the middle
//! where it is. The coefficients of the spline are a filter along each axis, and reading the values
//! fuses with what follows.

use lazuli::ndimage::{Affine, Border, Spline, affine_transform};
use lazuli::prelude::*;
use ndarray::{arr1, arr2};

pub fn turned(photograph: &DeviceArray<f64>, degrees: f64) -> DeviceArray<f64> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let matrix = arr2(&[[cos, sin], [-sin, cos]]) / 1.3;
    let middle = arr1(photograph.shape()).mapv(|n| (n - 1) as f64 / 2.0);
    let offset = &middle - &matrix.dot(&middle);
    let map = Affine::new(matrix).offset(offset.to_vec());
    affine_transform(photograph, &map, Spline::new(3).border(Border::Mirror))
}

#[test]
fn the_middle_stays() -> Result<()> {
    let x = DeviceArray::<f64>::linspace(-1.0, 1.0, 65);
    let hill = (-4.0 * (x.insert_axis(1).square() + x.insert_axis(0).square())).exp();
    let turned = turned(&hill, 30.0);
    assert!((turned.get([32, 32])? - 1.0).abs() < 1e-9);
    // A round hill is as round as before, and 1.3 times as wide.
    assert!((turned.get([32, 45])? - hill.get([32, 42])?).abs() < 1e-5);
    Ok(())
}
