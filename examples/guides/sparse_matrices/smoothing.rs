//! # A matrix that is never made
//!
//! A photograph is smoothed, but not across its edges: neighbours pull on each other the less the more
//! they differ. The matrix `I + λ DᵀWD` has the differences `D` of neighbours, and the weights `W` are
//! computed on the device from the photograph itself. The product with all of it is written as a
//! closure, which solvers take like SciPy's `LinearOperator`: `DᵀWD` is never put together. Where a
//! matrix should have other values in the same places, [`with_data`](lazuli::sparse::Csr::with_data)
//! does what `a.data = …` does in SciPy.
//!
//! The left half is the noisy photograph, the right half is smoothed.

use lazuli::prelude::*;
use lazuli::sparse::{Csr, linalg};

type Array = DeviceArray<f64>;

fn differences(n: usize) -> Result<Csr<f64>> {
    let (one, minus) = (Array::full([1], 1.0), Array::full([1], -1.0));
    Csr::diags([n - 1, n], &[(0, &minus), (1, &one)])
}

pub fn smoothed(photograph: &Array, strength: f64) -> Result<Array> {
    let n = photograph.shape()[0];
    let (line, eye) = (differences(n)?, Csr::eye(n)?);
    let d = Csr::vstack(&[&line.kron(&eye)?, &eye.kron(&line)?])?;
    let dt = d.transpose()?;
    let pixels = photograph.flatten();
    let blurred = lazuli::ndimage::gaussian_filter(photograph, 1.0).flatten();
    let weights = (-(d.dot(&blurred) / 0.05).square()).exp();
    let product = |x: &Array| x + strength * dt.dot(&(&weights * d.dot(x)));
    let found = linalg::cg(&product, &pixels, &linalg::Options::new().rtol(1e-4))?;
    Ok(found.x.reshape([n, n]))
}

#[test]
fn noise_goes_and_edges_stay() -> Result<()> {
    use lazuli::random::Generator;
    let step = Array::arange_to(48.0).less(24.0).select(0.2, 0.8).broadcast_to([48, 48]);
    let noise: Array = Generator::new(1).normal(0.0, 0.05, [48, 48]);
    let smooth = smoothed(&(&step + &noise), 8.0)?;
    assert!((smooth - step).abs().mean(..).item()? < 0.4 * noise.abs().mean(..).item()?);
    Ok(())
}
