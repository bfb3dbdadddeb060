//! # A photograph as a pencil drawing
//!
//! A photograph divided by its own blur: even surfaces become paper, and edges become strokes. The
//! filters of [`ndimage`](lazuli::ndimage) are `scipy.ndimage`'s, with the same borders. They are
//! expressions like all others, so that the division and the clip run inside the last pass of the
//! blur.

use lazuli::ndimage::{gaussian_filter, zoom_grid};
use lazuli::prelude::*;

pub fn sketch(photograph: &DeviceArray<f64>, n: usize) -> DeviceArray<f64> {
    let factors = [0, 1].map(|axis| n as f64 / photograph.shape()[axis] as f64);
    let small = zoom_grid(&gaussian_filter(photograph, 0.4 / factors[0]), &factors, 1);
    let blurred = gaussian_filter(&small, n as f64 / 60.0);
    ((small + 0.05) / (blurred + 0.05)).clip(0.4, 1.0)
}

#[test]
fn an_even_surface_is_paper() -> Result<()> {
    let grey = DeviceArray::full([64, 64], 0.3);
    assert!(sketch(&grey, 32).min(..).item()? > 0.999);
    Ok(())
}
