//! # Draws beside their density
//!
//! Numbers of a [`Generator`](lazuli::random::Generator) are made inside the kernels that use them, and
//! are the same on every device. [`histogram_density`](lazuli::DeviceArray::histogram_density) is
//! `np.histogram(density=True)`; [`Bins`](lazuli::Bins) says where bins lie. It evaluates where it must
//! look at data or bounds, and returns a [`Result`](lazuli::Result). Distributions have no classes as
//! in `scipy.stats`: their functions are those of `special`, here Γ's. Whether draws fit is a test,
//! [`ks_1samp`](lazuli::stats::ks_1samp()), that of Kolmogorov and Smirnov; it takes the distribution
//! function as a closure.
//!
//! Blue 20,000 draws of a gamma distribution of shape 3, red its density.

use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::special::gamma;

type Array = DeviceArray<f64>;

pub fn waits(n: usize) -> Array {
    Generator::new(6).gamma(3.0, 1.0, n)
}

pub fn histogram(waits: &Array) -> Result<(Array, Array)> {
    waits.histogram_density(Bins::Within(48, 0.0, 12.0))
}

pub fn density(x: &Array) -> Array {
    x.square() * (-x).exp() / gamma(&DeviceArray::full((), 3.0))
}

#[test]
fn draws_fit_their_distribution() -> Result<()> {
    use lazuli::special::gammainc;
    use lazuli::stats::{Alternative, ks_1samp};
    let waits = waits(20_000);
    let fits = ks_1samp(&waits, |x| gammainc(3.0, x), Alternative::TwoSided)?;
    let others = ks_1samp(&waits, |x| gammainc(3.1, x), Alternative::TwoSided)?;
    assert!(fits.pvalue.item()? > 0.01 && others.pvalue.item()? < 1e-4);
    Ok(())
}
