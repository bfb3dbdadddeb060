//! Ordinary differential equations, for ensembles of members that are integrated side by side.
//!
//! - [`solve`] chooses each member's steps by its own errors, with the methods of [`Method`], and
//!   gives states at asked times by dense output: SciPy's `solve_ivp` for every member at once.
//!   [`Method::Rodas5P`] is for stiff equations.
//! - [`solve_events`] also says when functions of the solution change their signs ([`Event`]), and
//!   ends members there.
//! - [`rk4`] and [`euler`] take steps of one size.
//!
//! A component of the state is an array over the members, and the state is one such array, a tuple,
//! an array or a `Vec` of them ([`State`]). The right-hand side is a function of arrays; parameters
//! are arrays that it captures:
//!
//! ```
//! use lazuli::{ode, prelude::*};
//! // Pendulums of four lengths, drawn aside and let go.
//! let length = DeviceArray::from_slice(&[0.25, 0.5, 1.0, 2.0])?;
//! let start = (DeviceArray::full(4, 0.1), DeviceArray::zeros(4));
//! let options = ode::Options::new().rtol(1e-9).atol(1e-12).t_eval(&[0.5, 1.0, 1.5]);
//! let solution = ode::solve(
//!     |_, (angle, speed)| (speed.clone(), -9.81 * angle.sin() / &length),
//!     (0.0, 1.5),
//!     start,
//!     &options,
//! );
//! let (angles, _) = &solution.ys;
//! assert_eq!(angles.shape(), [3, 4]); // times, members
//! assert!((angles.to_vec()?[3] - 0.04477).abs() < 1e-5);
//! # Ok::<(), Error>(())
//! ```
//!
//! Nothing is computed before a result is asked for, and then in a few kernels: a turn of the loop is
//! one launch where the function works element by element, with all stages of the method and several
//! steps in it: four, and 64 on a GPU, where a thread takes a member's steps and ends where it has arrived
//! (unless there are events, coupled axes, times to report at, or much to compute in a step).
//!
//! [`guide::ode_ensembles`](crate::guide::ode_ensembles) shows it in pictures.
//!
//! # Beside SciPy and diffrax
//!
//! | SciPy | diffrax | here |
//! | --- | --- | --- |
//! | `solve_ivp(f, (t0, t1), y0)`, a call for each member | `vmap` of `diffeqsolve(ODETerm(f), Dopri5(), t0, t1, dt0, y0)` | `ode::solve(f, (t0, t1), y0, &Options::new())` |
//! | `method="RK23"`, `"RK45"`, `"DOP853"` | `Bosh3()`, `Dopri5()`, `Dopri8()` | [`Options::method`] |
//! | `method="Radau"`, `"BDF"`, `"LSODA"` | `Kvaerno5()` | [`Method::Rodas5P`] |
//! | `rtol=`, `atol=` | `PIDController(rtol, atol)` | [`Options::rtol`], [`Options::atol`] |
//! | `first_step=`, `max_step=` | `dt0`, `dtmax` | [`Options::first_step`], [`Options::max_step`] |
//! | `t_eval=`, `sol.y` | `SaveAt(ts=…)`, `sol.ys` | [`Options::t_eval`], [`Solution::ys`] |
//! | `events=`, `event.terminal`, `event.direction` | `Event(cond_fn, …)` | [`solve_events`], [`Event`] |
//! | `sol.t_events`, `sol.y_events` | `sol.event_mask` | [`Crossings`] |
//! | `args=` | `args` | captured by the function |
//! | `sol.status`, `sol.message` | `sol.result` | [`Solution::status`], [`Status`] |
//! | one state of a grid's points | one state of a grid's points | [`Options::coupled`] |
//! | a loop of steps in Python | `ConstantStepSize()` | [`rk4`], [`euler`] |
//!
//! A call of `solve_ivp` for a stacked state of all members takes the smallest step that any of them
//! needs, for all; here members do not share steps, as under diffrax's `vmap`.
//!
//! # Stiff equations
//!
//! Explicit methods take small steps where a component decays fast, though nothing of it is seen
//! any more. [`Method::Rodas5P`] does not:
//!
//! ```
//! use lazuli::{ode, prelude::*};
//! // Van der Pol's oscillator, whose cycle has slow ways and fast jumps.
//! let stiffness = DeviceArray::from_slice(&[10.0, 1000.0])?;
//! let start = (DeviceArray::full(2, 2.0), DeviceArray::zeros(2));
//! let options = ode::Options::new().method(ode::Method::Rodas5P).rtol(1e-6).atol(1e-9);
//! let solution = ode::solve(
//!     |_, (x, v)| (v.clone(), &stiffness * (1.0 - x * x) * v - x),
//!     (0.0, 2000.0),
//!     start,
//!     &options,
//! );
//! assert_eq!(solution.statuses()?, [ode::Status::Finished; 2]);
//! assert!((solution.y.0.to_vec()?[1] - 1.70617).abs() < 1e-4);
//! assert!(solution.accepted.to_vec()?[1] < 1000);
//! # Ok::<(), Error>(())
//! ```

mod adaptive;
mod crossings;
mod dense;
mod events;
mod explicit;
mod fixed;
mod lu;
mod members;
mod options;
mod rodas;
mod rosenbrock;
mod scheme;
mod solver;
mod state;
mod steps;
mod tableau;

pub use adaptive::{solve, solve_events, try_solve, try_solve_events};
pub use events::{Crossings, Event};
pub use fixed::{euler, rk4, try_euler, try_rk4};
pub use options::{Method, Options, Solution, Status};
pub use state::State;
