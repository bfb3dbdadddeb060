//! # Dead pixels
//!
//! A tenth of the pixels is black or white. A mean would smear them over their neighbours, a median
//! leaves them out: [`median_filter`](lazuli::ndimage::median_filter()) is
//! `scipy.ndimage.median_filter`. Windows of up to 25 elements are recorded like any operation, larger
//! ones are computed at once. The noise is made by a [`Generator`](lazuli::random::Generator), whose
//! numbers are the same on every device.
//!
//! On the left the noise, on the right its median over 3×3 pixels.

use lazuli::ndimage::median_filter;
use lazuli::prelude::*;
use lazuli::random::Generator;

pub fn with_dead_pixels(photograph: &DeviceArray<f64>, part: f64) -> DeviceArray<f64> {
    let chance = Generator::new(3).random::<f64>(photograph.shape());
    let black = chance.less(0.5 * part).select(0.0, photograph);
    chance.greater(1.0 - 0.5 * part).select(1.0, black)
}

pub fn cleaned(noisy: &DeviceArray<f64>) -> DeviceArray<f64> {
    median_filter(noisy, 3)
}

#[test]
fn a_median_repairs_a_slope() -> Result<()> {
    let slope = DeviceArray::linspace(0.3, 0.7, 100).broadcast_to([100, 100]);
    let noisy = with_dead_pixels(&slope, 0.1);
    let error = |a: &DeviceArray<f64>| (a - &slope).abs().mean(..).item();
    assert!(error(&noisy)? > 0.04 && error(&cleaned(&noisy))? < 0.004);
    Ok(())
}
