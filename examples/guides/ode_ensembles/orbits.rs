//! # Members take steps of their own
//!
//! Planets on orbits of forty eccentricities go round once. A round orbit needs few steps, a narrow one
//! many where it is close to the sun. [`accepted`](lazuli::ode::Solution::accepted) has the steps of
//! each member. `solve_ivp` for a stacked state of all members would take the smallest step that any of
//! them needs, for all; SciPy's way to the steps below is a loop over forty calls.
//!
//! Steps of one round over eccentricities.

use lazuli::ode;
use lazuli::prelude::*;

type Array = DeviceArray<f64>;

/// The steps of each member, and how far from its start it ends.
pub fn round(e: &Array) -> (DeviceArray<i32>, Array) {
    let zero = Array::zeros_like(e);
    let fast = ((1.0 + e) / (1.0 - e)).sqrt(); // closest to the sun
    let start = [1.0 - e, zero.clone(), zero, fast];
    let options = ode::Options::new().rtol(1e-6).atol(1e-9);
    let solution = ode::solve(
        |_, [x, y, vx, vy]: &[Array; 4]| {
            let cube = x.hypot(y).powi(3);
            [vx.clone(), vy.clone(), -x / &cube, -y / cube]
        },
        (0.0, std::f64::consts::TAU),
        start,
        &options,
    );
    let [x, y, ..] = &solution.y;
    (solution.accepted, (x + e - 1.0).hypot(y))
}

#[test]
fn narrow_orbits_take_more_steps() -> Result<()> {
    let (steps, missed) = round(&DeviceArray::from_slice(&[0.0, 0.5, 0.9])?);
    let steps = steps.to_vec()?;
    assert!(steps[0] < steps[1] && steps[1] < steps[2]);
    assert!(missed.max(..).item()? < 0.01);
    Ok(())
}
