//! # A photograph of few cosines
//!
//! JPEG's idea: blocks of 8×8 pixels become amplitudes of cosines, and most of these are small.
//! [`dctn`](lazuli::fft::dctn()) and [`idctn`](lazuli::fft::idctn()) are `scipy.fft.dctn` and `idctn`.
//! [`Options`](lazuli::fft::Options) chooses the axes and the norm, and the other axes are a stack: all
//! blocks are transformed together. The amplitude that decides is a
//! [`quantile`](lazuli::DeviceArray::quantile), which stays on the device. The amplitudes are evaluated
//! first: computed once more for the comparison, the one that is the bound could round to its other side.
//!
//! The photograph of a twentieth of its amplitudes.

use lazuli::fft::{Kind, Norm, Options};
use lazuli::prelude::*;

pub fn kept(photograph: &DeviceArray<f64>, part: f64) -> Result<DeviceArray<f64>> {
    let (rows, columns) = (photograph.shape()[0], photograph.shape()[1]);
    let blocks = photograph.reshape([rows / 8, 8, columns / 8, 8]);
    let blockwise = Options::new().axes(&[1, 3]).norm(Norm::Ortho);
    let waves = blockwise.dctn(&blocks, Kind::II);
    waves.eval()?;
    let bound = waves.abs().quantile(1.0 - part, ..);
    let large = waves.abs().greater_equal(bound).select(&waves, 0.0);
    Ok(blockwise.idctn(&large, Kind::II).reshape([rows, columns]))
}

#[test]
fn all_amplitudes_give_the_photograph() -> Result<()> {
    let x = DeviceArray::<f64>::linspace(0.0, 1.0, 64);
    let image = (9.0 * &x * x.insert_axis(1)).sin();
    assert!((kept(&image, 1.0)? - &image).abs().max(..).item()? < 1e-12);
    assert!((kept(&image, 0.1)? - &image).abs().max(..).item()? < 0.1);
    Ok(())
}
