//! # Inside a function of numbers: the field of a coil
//!
//! The magnetic field of a ring of current is written with complete elliptic integrals. In Python one
//! would write it with `scipy.special.ellipk` and `ellipe` over arrays, a temporary array for each
//! operation; Numba's `@vectorize` has Python's `math` on a GPU, and they are not in it. Here the
//! functions of [`special::device`](lazuli::special::device) may be called inside of `#[vectorize]`,
//! beside loops, conditions and helper functions, and the whole field is one kernel on either device.
//!
//! The cross-section of a ring whose wire pierces the plane left and right of the middle: bright where
//! the field is strong, black the bounds of equal shares of the flux.

use lazuli::prelude::*;
use lazuli::special::device::{ellipe, ellipk};

/// The strength of the field and the flux, at a distance from the axis and a height.
#[vectorize]
fn ring(rho: f64, z: f64) -> (f64, f64) {
    let far = (1.0 + rho) * (1.0 + rho) + z * z;
    let near = (1.0 - rho) * (1.0 - rho) + z * z;
    let m = 1.0 - near / far;
    let (k, e) = (ellipk(m), ellipe(m));
    let up = (k + (1.0 - rho * rho - z * z) / near * e) / far.sqrt();
    let out = if rho > 0.0 {
        z / rho * ((1.0 + rho * rho + z * z) / near * e - k) / far.sqrt()
    } else {
        0.0
    };
    (up.hypot(out), far.sqrt() * ((1.0 - 0.5 * m) * k - e))
}

pub fn field(n: usize) -> (DeviceArray<f64>, DeviceArray<f64>) {
    let x = DeviceArray::<f64>::linspace(-2.5, 2.5, n);
    ring::call(x.abs(), x.insert_axis(1))
}

#[test]
fn the_field_on_the_axis_is_known() -> Result<()> {
    let (strength, _) = field(101);
    assert_eq!(explain(&[&strength]).kernels(), 1);
    // π / (1 + z²)^(3/2) on the axis, in these units.
    assert!((strength.get([50, 50])? - std::f64::consts::PI).abs() < 1e-12);
    assert!((strength.get([70, 50])? - std::f64::consts::PI / 8f64.sqrt()).abs() < 1e-12);
    Ok(())
}
