//! # A limit cycle
//!
//! Van der Pol's oscillator pulls every start to one cycle. The state is a tuple of the place and the
//! velocity, and a solution has the form of the start: a tuple goes in, tuples come out. Parameters are
//! captured by the closure, numbers or arrays over the members, where SciPy hands them over as `args`.
//! The methods are SciPy's `RK23`, `RK45` and `DOP853`, all explicit: a stiff equation takes many
//! steps, and a member that takes more than [`max_steps`](lazuli::ode::Options::max_steps) says so by
//! its [`Status`](lazuli::ode::Status) while the others go on.
//!
//! Places to the right, velocities upwards.

use lazuli::ode::{self, Method, Options, Status};
use lazuli::prelude::*;

type Array = DeviceArray<f64>;

/// The places and velocities, `[times, members]`, of starts along a line.
pub fn paths(members: usize, times: usize) -> Result<(Array, Array)> {
    let start = (Array::linspace(-3.5, 3.5, members), Array::linspace(5.0, -5.0, members));
    let at: Vec<f64> = (0..times).map(|k| 12.0 * k as f64 / (times - 1) as f64).collect();
    let options = Options::new().method(Method::DormandPrince8).rtol(1e-6).t_eval(&at);
    let slope = |_: &Array, (x, v): &(Array, Array)| (v.clone(), 1.5 * (1.0 - x.square()) * v - x);
    let solution = ode::solve(slope, (0.0, 12.0), start, &options);
    assert!(solution.statuses()?.iter().all(|status| *status == Status::Finished));
    Ok(solution.ys)
}

#[test]
fn all_starts_end_on_the_cycle() -> Result<()> {
    let (x, _) = paths(6, 500)?;
    // Whatever the start, the cycle reaches from -2 to 2.
    let late = x.slice(s![250.., ..]).abs().max(0);
    assert!((late - 2.0).abs().max(..).item()? < 0.05);
    Ok(())
}
