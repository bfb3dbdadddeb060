//! Discrete systems that behave as continuous ones.

use super::host::{below, beside, expm, solve};
use super::state_space::{StateSpace, positive};
use crate::error::{Error, Result};
use ndarray::{Array2, s};

/// A way from a continuous system to a discrete one, for [`cont2discrete`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Discretization {
    /// Exact for inputs that stay during a step. SciPy: `"zoh"`.
    #[default]
    ZeroOrderHold,
    /// Exact for inputs that go straight during a step. SciPy: `"foh"`.
    FirstOrderHold,
    /// The trapezoidal rule, Tustin's. SciPy: `"bilinear"`.
    Bilinear,
    /// The derivative of a step's beginning. SciPy: `"euler"`.
    Euler,
    /// The derivative of a step's end. SciPy: `"backward_diff"`.
    BackwardDifference,
    /// The derivative of a step's end with this weight, from 0 to 1, and of its beginning with the
    /// rest. SciPy: `"gbt"` with `alpha`.
    Generalized(f64),
    /// Samples of the response to an impulse, times the step. SciPy: `"impulse"`.
    Impulse,
}

/// What a step of constant input does: the exponential of `[a b; 0 0]` times the step.
pub(super) fn held(a: &Array2<f64>, b: &Array2<f64>, step: f64) -> Result<[Array2<f64>; 2]> {
    let (n, inputs) = b.dim();
    let upper = beside(&[a, b]) * step;
    let both = expm(&below(&[&upper, &Array2::zeros((inputs, n + inputs))]))?;
    let part = |from: usize, to: usize| both.slice(s![..n, from..to]).to_owned();
    Ok([part(0, n), part(n, n + inputs)])
}

/// What a step of straight input does: the factors of the state, of the input at the beginning and of
/// that at the end.
pub(super) fn ramped(a: &Array2<f64>, b: &Array2<f64>, step: f64) -> Result<[Array2<f64>; 3]> {
    let (n, inputs) = b.dim();
    let none = Array2::zeros((n, inputs));
    let upper = beside(&[&(a * step), &(b * step), &none]);
    let middle = beside(&[&Array2::zeros((inputs, n + inputs)), &Array2::eye(inputs)]);
    let both = expm(&below(&[&upper, &middle, &Array2::zeros((inputs, n + 2 * inputs))]))?;
    let part = |from: usize, to: usize| both.slice(s![..n, from..to]).to_owned();
    let (all, end) = (part(n, n + inputs), part(n + inputs, n + 2 * inputs));
    Ok([part(0, n), all - &end, end])
}

/// The rule that weighs the derivatives of a step's end and beginning.
fn weighed(system: &StateSpace, step: f64, end: f64) -> Result<[Array2<f64>; 4]> {
    let StateSpace { a, b, c, d, .. } = system;
    let one = Array2::eye(a.nrows());
    let left = &one - &(a * (end * step));
    let right = &one + &(a * ((1.0 - end) * step));
    let output = solve(&left.t().to_owned(), &c.t().to_owned())?.t().to_owned();
    let through = d + &(c.dot(&solve(&left, &(b * step))?) * end);
    Ok([solve(&left, &right)?, solve(&left, &(b * step))?, output, through])
}

/// The discrete system that a continuous one is with steps of a length.
///
/// Computed on the host. A transfer function goes by [`tf2ss`](super::super::tf2ss()) and
/// [`ss2tf`](super::super::ss2tf()). SciPy: `signal.cont2discrete`.
///
/// # Errors
/// [`Error::is_shape`] where the system is discrete, the length is not positive, a weight is not from 0
/// to 1, or a system whose input reaches the output at once is to keep its response to an impulse;
/// [`Error::is_numeric`] where a rule has no solution.
///
/// # Example
/// ```
/// use lazuli::signal::{Discretization, cont2discrete, tf2ss};
/// let system = tf2ss(&[1.0], &[1.0, 2.0])?;
/// let discrete = cont2discrete(&system, 0.5, Discretization::ZeroOrderHold)?;
/// let [a, b, ..] = discrete.matrices();
/// assert!((a[[0, 0]] - (-1.0f64).exp()).abs() < 1e-15);
/// assert!((b[[0, 0]] - (1.0 - (-1.0f64).exp()) / 2.0).abs() < 1e-15);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn cont2discrete(system: &StateSpace, step: f64, method: Discretization) -> Result<StateSpace> {
    const NAME: &str = "cont2discrete";
    system.continuous(NAME)?;
    positive(NAME, step)?;
    let StateSpace { a, b, c, d, .. } = system;
    let made = match method {
        Discretization::ZeroOrderHold => {
            held(a, b, step).map(|[a, b]| [a, b, c.clone(), d.clone()])
        }
        Discretization::FirstOrderHold => ramped(a, b, step).map(|[a, begin, end]| {
            // The state takes up what the next input adds to it.
            let through = d + &c.dot(&end);
            let b = begin + a.dot(&end);
            [a, b, c.clone(), through]
        }),
        Discretization::Bilinear => weighed(system, step, 0.5),
        Discretization::Euler => weighed(system, step, 0.0),
        Discretization::BackwardDifference => weighed(system, step, 1.0),
        Discretization::Generalized(end) if (0.0..=1.0).contains(&end) => {
            weighed(system, step, end)
        }
        Discretization::Generalized(end) => {
            Err(Error::shape(format!("{NAME}: a weight of {end}; it must be from 0 to 1")))
        }
        Discretization::Impulse if d.iter().any(|&d| d != 0.0) => Err(Error::shape(format!(
            "{NAME}: the input reaches the output at once, by {d}: samples of the response to an \
             impulse are not finite"
        ))),
        Discretization::Impulse => expm(&(a * step)).map(|power| {
            let b = power.dot(b) * step;
            [power, b, c.clone(), c.dot(&system.b) * step]
        }),
    };
    let [a, b, c, d] = made.map_err(|error| error.in_operation(NAME))?;
    StateSpace::new(a, b, c, d)?.discrete(step)
}
