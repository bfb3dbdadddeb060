//! # Blur, and sharpen by it
//!
//! An unsharp mask adds what a blur takes away. [`gaussian_filter`](lazuli::ndimage::gaussian_filter())
//! is `scipy.ndimage.gaussian_filter`: the same weights, cut off at four deviations, and the same
//! borders, mirrored unless a [`Border`](lazuli::ndimage::Border) says otherwise. SciPy makes a pass
//! and an array for each axis, and NumPy one for each of the four operations behind them. Here the plan
//! below has one kernel: both passes, the difference and the clip.
//!
//! On the right the photograph on the left, sharpened.

use lazuli::ndimage::gaussian_filter;
use lazuli::prelude::*;

pub fn sharpened(photograph: &DeviceArray<f64>, sigma: f64) -> DeviceArray<f64> {
    let blurred = gaussian_filter(photograph, sigma);
    (2.0 * photograph - blurred).clip(0.0, 1.0)
}

#[test]
fn both_sides_of_an_edge_are_enhanced() -> Result<()> {
    let side = DeviceArray::<f64>::arange_to(64.0).less(32.0).select(0.4, 0.6);
    let image = side.broadcast_to([64, 64]);
    image.eval()?;
    let sharp = sharpened(&image, 2.0);
    assert_eq!(explain(&[&sharp]).kernels(), 1);
    let row = sharp.index(20)?.to_vec()?;
    assert!(row[31] < 0.33 && row[32] > 0.67); // steeper at the edge
    assert!((row[0] - 0.4).abs() < 1e-12); // and as before away from it
    Ok(())
}
