//! # Regions
//!
//! Which dark things are there, and how large are they? A bound makes a mask, an opening takes away
//! what is thinner than three pixels, [`label`](lazuli::ndimage::label()) numbers what is connected,
//! and [`sum_labels`](lazuli::ndimage::sum_labels()) counts the pixels of each region, by the names of
//! `scipy.ndimage`. Masks are arrays of `bool`. How many regions there are depends on data, so that
//! `label` evaluates and returns a [`Result`](lazuli::Result); blur, bound and opening are recorded and
//! computed with it.

use lazuli::ndimage::{binary_opening, gaussian_filter, label, sum_labels};
use lazuli::prelude::*;

pub fn dark_regions(photograph: &DeviceArray<f64>) -> Result<(DeviceArray<i32>, DeviceArray<f64>)> {
    let dark = gaussian_filter(photograph, 0.7).less(0.3);
    let (labels, count) = label(&binary_opening(&dark, 1), 1)?;
    let sizes = sum_labels(&labels.greater(0).cast::<u8>(), &labels, 1..=count as i64);
    Ok((labels, sizes))
}

#[test]
fn two_squares_are_two_regions() -> Result<()> {
    let mut image = DeviceArray::<f64>::ones([40, 40]);
    image.assign(s![5..15, 5..15], 0.0);
    image.assign(s![20..36, 20..36], 0.0);
    let (labels, sizes) = dark_regions(&image)?;
    assert_eq!(labels.get([10, 10])?, 1);
    assert_eq!(sizes.to_vec()?, [96.0, 252.0]); // the blur rounds their corners
    Ok(())
}
