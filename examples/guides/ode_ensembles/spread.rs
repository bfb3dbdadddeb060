//! # Neighbours part
//!
//! Five solutions of Lorenz's equations begin within a thousandth of each other. A component of the
//! state is an array over the members, and [`ode::solve`](lazuli::ode::solve()) gives every member
//! steps of its own, those which `scipy.integrate.solve_ivp` would take for it alone.
//! [`t_eval`](lazuli::ode::Options::t_eval) asks for states at times, which the method's dense output
//! gives without shorter steps; they come with a new first axis. The right-hand side is recorded once,
//! and the loop over the steps of all members is one node of the graph. Nothing is computed before a
//! result is asked for.
//!
//! The first component over thirty units of time.

use lazuli::ode;
use lazuli::prelude::*;

type Array = DeviceArray<f64>;

/// The first component, `[times, members]`.
pub fn paths(members: usize, times: &[f64]) -> Array {
    let start =
        [1.0 + Array::linspace(0.0, 1e-3, members), Array::ones(members), Array::ones(members)];
    let options = ode::Options::new().rtol(1e-9).atol(1e-9).t_eval(times);
    let end = times[times.len() - 1];
    let lorenz = |_: &Array, [x, y, z]: &[Array; 3]| {
        [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]
    };
    let [x, ..] = ode::solve(lorenz, (0.0, end), start, &options).ys;
    x
}

#[test]
fn they_part_late_and_far() -> Result<()> {
    let x = paths(5, &[0.0, 5.0, 26.0, 27.0, 28.0, 29.0, 30.0]);
    let apart = x.ptp(1).to_vec()?;
    assert!(apart[1] < 1e-3 && apart[2..].iter().any(|apart| *apart > 10.0));
    Ok(())
}
