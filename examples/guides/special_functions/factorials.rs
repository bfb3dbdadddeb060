//! # Between the factorials
//!
//! [`gamma`](lazuli::special::gamma()) goes through the factorials and has poles at zero and below;
//! [`rgamma`](lazuli::special::rgamma()), its reciprocal, has zeros there. Where only a ratio is
//! wanted, [`gammaln`](lazuli::special::gammaln()), [`poch`](lazuli::special::poch()) and
//! [`binom`](lazuli::special::binom()) do without the large numbers. All are SciPy's, with SciPy's
//! values at poles. `f32` is computed in `f64` and rounded once.
//!
//! Blue Γ, orange 1/Γ, red the factorials.

use lazuli::prelude::*;
use lazuli::special::{gamma, rgamma};

pub fn both(x: &DeviceArray<f64>) -> (DeviceArray<f64>, DeviceArray<f64>) {
    (gamma(x), rgamma(x))
}

#[test]
fn gamma_is_a_factorial() -> Result<()> {
    use lazuli::special::binom;
    let x = DeviceArray::from_slice(&[1.0, 2.0, 3.0, 4.0, 0.5])?;
    let (gamma, reciprocal) = both(&x);
    let known = DeviceArray::from_slice(&[1.0, 1.0, 2.0, 6.0, std::f64::consts::PI.sqrt()])?;
    assert!(gamma.all_close(&known).item()?);
    assert!((gamma * reciprocal - 1.0).abs().max(..).item()? < 1e-13);
    // Γ(1001) is no number in f64, and 1000 over 3 is.
    assert!((binom(1000.0, DeviceArray::full((), 3.0)).item()? / 166167000.0 - 1.0).abs() < 1e-12);
    Ok(())
}
