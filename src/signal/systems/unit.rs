//! Responses of systems to impulses and steps.

use super::state_space::{StateSpace, positive};
use super::time::{Hold, Steps, TimeResponse, response};
use crate::array::{located, recorded, upload_to};
use crate::backend::Device;
use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::signal::axes::zeros;

/// The length of steps, where none is given: `n` points reach seven times the longest time in which a
/// state falls to 1/e, or 7 where one stays. SciPy's rule.
fn length(name: &str, system: &StateSpace, step: Option<f64>, n: usize) -> Result<f64> {
    system.continuous(name)?;
    if let Some(step) = step {
        return positive(name, step);
    }
    let slowest = system.poles()?.iter().map(|p| p.re.abs()).fold(f64::INFINITY, f64::min);
    let slowest = if slowest == 0.0 { 1.0 } else { slowest };
    Ok(7.0 / slowest / n.saturating_sub(1).max(1) as f64)
}

/// The first state and the samples of each input.
type Inputs = (Vec<f64>, Vec<f64>);

/// The response to each input by itself: along a first axis, where there are several.
#[track_caller]
fn each(
    name: &str,
    system: &StateSpace,
    steps: &Steps,
    n: usize,
    of: impl Fn(usize, usize) -> f64,
    first: impl Fn(usize, usize) -> f64,
) -> Result<TimeResponse> {
    if n == 0 {
        return Err(Error::shape(format!("{name}: no samples")));
    }
    let (m, states, device) = (system.inputs(), system.a.nrows(), Device::current()?);
    let sample = |place: usize| of(place % m, place / m);
    let own = |k: usize| (0..n * m).map(move |p| if p % m == k { sample(p) } else { 0.0 });
    let (firsts, samples): Inputs = (
        (0..m * states).map(|p| first(p / states, p % states)).collect(),
        (0..m).flat_map(own).collect(),
    );
    let shape = |tail: [usize; 2]| {
        let lead = if m > 1 { vec![m] } else { vec![] };
        Shape::from_slice(&[lead, tail.to_vec()].concat())
    };
    let firsts = match firsts.iter().all(|&x| x == 0.0) {
        true => zeros(&shape([1, states]), device),
        false => upload_to(device, &firsts, shape([1, states]))?,
    };
    response(system, steps, &upload_to(device, &samples, shape([n, m]))?, &firsts)
}

/// The response of a continuous system to an impulse, at `n` times. Where no step is given, they end
/// where a slow state has fallen to a thousandth.
///
/// Each input has an impulse by itself. What of it reaches the output at once, infinitely high, is left
/// out.
///
/// **Shape.** Outputs `[n]`, of several outputs `[n, outputs]`, of several inputs with a first axis of
/// inputs; the states, `[n, states]`, likewise. **Dtype.** `f64`. On the current device; records the
/// response, and computes what a step does on the host. SciPy: `signal.impulse(system, T=t)`.
///
/// # Errors
/// [`Error::is_shape`] for a discrete system, a step that is not positive, and no samples.
///
/// # Example
/// ```
/// use lazuli::signal::{impulse, tf2ss};
/// let response = impulse(&tf2ss(&[3.0], &[1.0, 2.0])?, Some(0.5), 3)?;
/// let y = response.y.to_vec()?;
/// assert!((0..3).all(|k| (y[k] - 3.0 * (-(k as f64)).exp()).abs() < 1e-14));
/// # Ok::<(), lazuli::Error>(())
/// ```
#[track_caller]
pub fn impulse(system: &StateSpace, step: Option<f64>, n: usize) -> Result<TimeResponse> {
    let find = || {
        let length = length("impulse", system, step, n)?;
        let steps = Steps::of_continuous(system, length, Hold::Zero)?;
        each("impulse", system, &steps, n, |_, _| 0.0, |input, state| system.b[[state, input]])
    };
    located(recorded(find))
}

/// The response of a continuous system to an input that becomes 1, at `n` times. Where no step is
/// given, they end where a slow state has fallen to a thousandth.
///
/// Each input becomes 1 by itself.
///
/// **Shape, dtype.** As of [`impulse`]. SciPy: `signal.step(system, T=t)`, of one input.
///
/// # Errors
/// As [`impulse`].
///
/// # Example
/// ```
/// use lazuli::signal::{step, tf2ss};
/// let response = step(&tf2ss(&[2.0], &[1.0, 2.0])?, Some(0.5), 3)?;
/// let y = response.y.to_vec()?;
/// assert!((0..3).all(|k| (y[k] - (1.0 - (-(k as f64)).exp())).abs() < 1e-14));
/// # Ok::<(), lazuli::Error>(())
/// ```
#[track_caller]
pub fn step(system: &StateSpace, step: Option<f64>, n: usize) -> Result<TimeResponse> {
    let find = || {
        let length = length("step", system, step, n)?;
        let steps = Steps::of_continuous(system, length, Hold::Zero)?;
        each("step", system, &steps, n, |_, _| 1.0, |_, _| 0.0)
    };
    located(recorded(find))
}

/// The response of a discrete system to a first sample of 1, at `n` steps. Each input has it by itself.
///
/// **Shape, dtype.** As of [`impulse`]. SciPy: `signal.dimpulse(system, n=n)`, a tuple over inputs.
///
/// # Errors
/// [`Error::is_shape`] for a continuous system and no samples.
///
/// # Example
/// ```
/// use lazuli::signal::{dimpulse, tf2ss};
/// let response = dimpulse(&tf2ss(&[1.0], &[1.0, -0.5])?.discrete(1.0)?, 4)?;
/// assert_eq!(response.y.to_vec()?, [0.0, 1.0, 0.5, 0.25]);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[track_caller]
pub fn dimpulse(system: &StateSpace, n: usize) -> Result<TimeResponse> {
    let find = || {
        let steps = Steps::of_discrete(system, system.stepped("dimpulse")?);
        let at = |_, k| f64::from(u8::from(k == 0));
        each("dimpulse", system, &steps, n, at, |_, _| 0.0)
    };
    located(recorded(find))
}

/// The response of a discrete system to samples of 1, at `n` steps. Each input has them by itself.
///
/// **Shape, dtype.** As of [`impulse`]. SciPy: `signal.dstep(system, n=n)`, a tuple over inputs.
///
/// # Errors
/// As [`dimpulse`].
///
/// # Example
/// ```
/// use lazuli::signal::{dstep, tf2ss};
/// let response = dstep(&tf2ss(&[1.0], &[1.0, -0.5])?.discrete(1.0)?, 4)?;
/// assert_eq!(response.y.to_vec()?, [0.0, 1.0, 1.5, 1.75]);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[track_caller]
pub fn dstep(system: &StateSpace, n: usize) -> Result<TimeResponse> {
    let find = || {
        let steps = Steps::of_discrete(system, system.stepped("dstep")?);
        each("dstep", system, &steps, n, |_, _| 1.0, |_, _| 0.0)
    };
    located(recorded(find))
}
