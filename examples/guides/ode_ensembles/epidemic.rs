//! # A plane of parameters
//!
//! How many catch a disease, by how fast it spreads and how soon one is healed? The ensemble is a
//! plane: a row of one parameter and a column of the other broadcast in the right-hand side, and each
//! pixel is a member. With SciPy this is a call of `solve_ivp` for each of 57,600 pixels.
//! [`max_step`](lazuli::ode::Options::max_step), [`first_step`](lazuli::ode::Options::first_step) and
//! the tolerances are SciPy's keywords, with SciPy's defaults.
//!
//! The part of all who caught it after 200 days, from black (none) to yellow (all): rates of infection
//! to the right, rates of healing upwards.

use lazuli::ode;
use lazuli::prelude::*;

type Array = DeviceArray<f64>;

pub fn caught(spreads: &Array, heals: &Array) -> Result<Array> {
    let heals = heals.insert_axis(1);
    let shape = [heals.len(), spreads.len()];
    let start = (Array::full(shape, 0.999), Array::full(shape, 0.001));
    let slope = |_: &Array, (healthy, ill): &(Array, Array)| {
        let infected = spreads * healthy * ill;
        (-&infected, infected - &heals * ill)
    };
    let (healthy, _) = ode::solve(slope, (0.0, 200.0), start, &ode::Options::new()).y;
    Ok(1.0 - healthy)
}

#[test]
fn a_threshold_divides_the_plane() -> Result<()> {
    let (spreads, heals) =
        (DeviceArray::from_slice(&[0.2, 0.6])?, DeviceArray::from_slice(&[0.3])?);
    let caught = caught(&spreads, &heals)?.to_vec()?;
    assert!(caught[0] < 0.01); // each infects fewer than one
    // The end of an epidemic solves r = 1 - exp(-2 r).
    assert!((caught[1] - 0.797).abs() < 0.005);
    Ok(())
}
