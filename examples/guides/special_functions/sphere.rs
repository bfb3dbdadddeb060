//! # A spherical harmonic on its sphere
//!
//! [`sph_harm_y`](lazuli::special::sph_harm_y()) is `scipy.special.sph_harm_y`: the degree and the
//! order first, then the polar angle and the azimuth, and a complex result. A globe seen from the side
//! gets its angles from the coordinates of the pixels. Pixels beside the globe have the square root of
//! a negative number, which is NaN, and [`select`](lazuli::DeviceArray::select) takes the other value
//! there: no element of a masked branch is ever an error.
//!
//! The real part of degree 6 and order 3, from above the equator.

use lazuli::prelude::*;
use lazuli::special::sph_harm_y;

pub fn globe(n: usize, degree: i32, order: i32) -> DeviceArray<f64> {
    let x = DeviceArray::<f64>::linspace(-1.05, 1.05, n);
    let y = -x.insert_axis(1);
    let front = (1.0 - x.square() - y.square()).sqrt();
    // The globe is tilted by half a radian.
    let (sin, cos) = 0.5f64.sin_cos();
    let (up, depth) = (cos * &y + sin * &front, cos * &front - sin * &y);
    let wave = sph_harm_y(degree, order, up.acos(), x.atan2(depth)).real();
    front.is_nan().select(0.0, wave)
}

#[test]
fn degree_zero_is_even() -> Result<()> {
    let even = 0.5 / std::f64::consts::PI.sqrt();
    let globe = globe(41, 0, 0);
    assert!((globe.get([20, 20])? - even).abs() < 1e-14);
    assert_eq!(globe.get([0, 0])?, 0.0); // beside the globe
    Ok(())
}
