//! # Edges
//!
//! The length of the gradient is large at edges. [`sobel`](lazuli::ndimage::sobel()) is
//! `scipy.ndimage.sobel` and gives a derivative along one axis; `np.hypot` of two of them is their
//! length. A blur before them keeps the grain of the grass out. With a Gaussian's own derivatives all
//! of it is one function,
//! [`gaussian_gradient_magnitude`](lazuli::ndimage::gaussian_gradient_magnitude()). Filters keep the
//! array's type: cast `u8` to a float first, since integers wrap, as in SciPy.

use lazuli::ndimage::{Border, gaussian_filter, sobel};
use lazuli::prelude::*;

pub fn edges(photograph: &DeviceArray<f64>, sigma: f64) -> DeviceArray<f64> {
    let smooth = gaussian_filter(photograph, sigma);
    let [down, across] = [0, 1].map(|axis| sobel(&smooth, axis, Border::Reflect));
    down.hypot(across)
}

#[test]
fn a_slope_has_one_gradient() -> Result<()> {
    let x = DeviceArray::<f64>::arange_to(40.0) * 0.01;
    let slope = 3.0 * x.insert_axis(1) + 4.0 * x.insert_axis(0);
    // Sobel's weights sum to eight: (3, 4) has the length 5.
    assert!((edges(&slope, 1.0).get([20, 20])? - 8.0 * 0.05).abs() < 1e-12);
    Ok(())
}
