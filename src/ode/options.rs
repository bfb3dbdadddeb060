//! What [`solve`](super::solve) can be asked for, and what it gives.

use super::state::State;
use crate::array::{DeviceArray, Flat, located, named};
use crate::error::{Error, Result};
use crate::eval::evaluate;

/// The method of [`solve`](super::solve): an explicit embedded Runge–Kutta pair, or [`Rodas5P`] for
/// stiff equations.
///
/// [`Rodas5P`]: Method::Rodas5P
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Bogacki's and Shampine's pair of orders 3 and 2, for low accuracy: SciPy's `RK23`. Dense
    /// output is of third order.
    BogackiShampine3,
    /// Dormand's and Prince's pair of orders 5 and 4, for most equations: SciPy's `RK45`. Dense output
    /// is of fourth order.
    #[default]
    DormandPrince5,
    /// Dormand's and Prince's method of order 8 with estimates of orders 5 and 3, for high accuracy:
    /// SciPy's `DOP853`. Dense output is of seventh order.
    DormandPrince8,
    /// Steinebach's Rosenbrock method of orders 5 and 4, for stiff equations, in the place of SciPy's
    /// `Radau`, `BDF` and `LSODA`. Dense output is of fourth order.
    ///
    /// A step solves eight linear systems of the member's components with one matrix, which holds the
    /// slopes' derivatives. These are differences of slopes: two more calls of the function for each
    /// component, and one where it reads the time. The systems are written out element by element,
    /// with partial pivoting of each member's own, so that a turn stays one launch while its kernel has
    /// room: up to three components, most often. The work grows with the cube of their number, of which
    /// there may be 16. Where a member's matrix is singular, its step is tried again with a smaller
    /// size. With [`Options::coupled`] it is an error.
    ///
    /// States at asked times are less exact than those at steps where a very stiff component follows
    /// something: 1e-5 where the tolerance is 1e-8, for `y' = -1e6·(y - cos t) - sin t`.
    /// [`Options::max_step`] helps.
    Rodas5P,
}

/// How [`solve`](super::solve) integrates. The defaults are SciPy's: [`Method::DormandPrince5`] with
/// a relative tolerance of 1e-3, an absolute one of 1e-6, and steps of any size.
///
/// # Example
/// ```
/// use lazuli::{ode, prelude::*};
/// let options = ode::Options::new().method(ode::Method::DormandPrince8).rtol(1e-10).atol(1e-12);
/// let y0 = DeviceArray::from_slice(&[1.0, 2.0])?;
/// let end = ode::solve(|_, y| -y, (0.0, 1.0), y0, &options).y;
/// assert!((end.to_vec()?[1] - 2.0 * (-1f64).exp()).abs() < 1e-9);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) method: Method,
    pub(super) rtol: f64,
    pub(super) atol: f64,
    pub(super) first_step: Option<f64>,
    pub(super) max_step: f64,
    pub(super) max_steps: usize,
    pub(super) t_eval: Vec<f64>,
    pub(super) coupled: Vec<isize>,
}

impl Default for Options {
    fn default() -> Self {
        Options::new()
    }
}

impl Options {
    /// The defaults.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let y0 = DeviceArray::from_slice(&[1.0f64])?;
    /// let options = ode::Options::new();
    /// let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0, &options);
    /// assert!((solution.y.item()? - (-1.0f64).exp()).abs() < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    pub const fn new() -> Self {
        Options {
            method: Method::DormandPrince5,
            rtol: 1e-3,
            atol: 1e-6,
            first_step: None,
            max_step: f64::INFINITY,
            max_steps: 100_000,
            t_eval: Vec::new(),
            coupled: Vec::new(),
        }
    }

    /// The method.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let y0 = DeviceArray::from_slice(&[1.0f64])?;
    /// let options = ode::Options::new().method(ode::Method::BogackiShampine3);
    /// let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0, &options);
    /// assert!((solution.y.item()? - (-1.0f64).exp()).abs() < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn method(self, method: Method) -> Self {
        Options { method, ..self }
    }

    /// The relative tolerance: a step's estimated error in a component `y` is to be at most
    /// `atol + rtol·|y|`, in the root mean square over the components of a member. At least 100
    /// times the type's epsilon is taken.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let y0 = DeviceArray::from_slice(&[1.0f64])?;
    /// let options = ode::Options::new().rtol(1e-10).atol(1e-12);
    /// let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0, &options);
    /// assert!((solution.y.item()? - (-1.0f64).exp()).abs() < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn rtol(self, rtol: f64) -> Self {
        Options { rtol, ..self }
    }

    /// The absolute tolerance.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let y0 = DeviceArray::from_slice(&[1.0f64])?;
    /// let options = ode::Options::new().rtol(1e-10).atol(1e-12);
    /// let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0, &options);
    /// assert!((solution.y.item()? - (-1.0f64).exp()).abs() < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn atol(self, atol: f64) -> Self {
        Options { atol, ..self }
    }

    /// The size of each member's first step, which else is estimated from the slopes at the start.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let y0 = DeviceArray::from_slice(&[1.0f64])?;
    /// let options = ode::Options::new().first_step(0.25).max_step(0.25);
    /// let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0, &options);
    /// assert_eq!(solution.accepted.item()?, 4); // four steps of a quarter
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn first_step(self, size: f64) -> Self {
        Options { first_step: Some(size), ..self }
    }

    /// The size that no step exceeds.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let y0 = DeviceArray::from_slice(&[1.0f64])?;
    /// let options = ode::Options::new().first_step(0.1).max_step(0.1);
    /// let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0, &options);
    /// assert!(solution.accepted.item()? >= 10);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn max_step(self, size: f64) -> Self {
        Options { max_step: size, ..self }
    }

    /// The number of steps, accepted and rejected, after which a member is given up:
    /// [`Status::TooManySteps`]. 100,000 where nothing is said.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let y0 = DeviceArray::from_slice(&[1.0f64])?;
    /// let options = ode::Options::new().max_step(0.1).max_steps(3);
    /// let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0, &options);
    /// assert_eq!(solution.statuses()?, [ode::Status::TooManySteps]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn max_steps(self, count: usize) -> Self {
        Options { max_steps: count, ..self }
    }

    /// The times at which the states are asked for, in the direction of the integration:
    /// [`Solution::ys`]. The steps do not depend on them; values between are those of the method's
    /// own interpolation.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let options = ode::Options::new().rtol(1e-8).atol(1e-10).t_eval(&[0.5, 1.0]);
    /// let y0 = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
    /// let ys = ode::solve(|t, y| y * t, (0.0, 1.0), y0, &options).ys;
    /// assert_eq!(ys.shape(), [2, 3]);
    /// assert!((ys.to_vec()?[0] - 0.125f64.exp()).abs() < 1e-6);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn t_eval(self, times: &[f64]) -> Self {
        Options { t_eval: times.to_vec(), ..self }
    }

    /// Axes of the ensemble's shape along which positions belong to one member: the points of a grid
    /// whose slopes depend on each other. Along them the time and the step are shared, and the error
    /// is the root mean square over them too; times, statuses and numbers of steps have the length 1
    /// there.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// // Heat on a ring of 32 points, for two conductivities.
    /// let k = DeviceArray::from_slice(&[1.0, 10.0])?.insert_axis(1);
    /// let u0 = DeviceArray::<f64>::ones([2, 32]).cumsum(1).equal(1.0).cast::<f64>();
    /// let f = |_: &_, u: &DeviceArray<f64>| &k * (u.roll(1, 1) + u.roll(-1, 1) - 2.0 * u);
    /// let solution = ode::solve(f, (0.0, 1.0), u0, &ode::Options::new().coupled(&[1]));
    /// assert_eq!(solution.t.shape(), [2, 1]);
    /// assert!(solution.y.sum(1).to_vec()?.iter().all(|heat| (heat - 1.0).abs() < 1e-12));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn coupled(self, axes: &[isize]) -> Self {
        Options { coupled: axes.to_vec(), ..self }
    }

    /// Checks the numbers for an integration over an interval.
    pub(super) fn check(&self, (t0, t1): (f64, f64)) -> Result<()> {
        let wrong = |what: String| Err(Error::shape(what));
        if !t0.is_finite() || !t1.is_finite() {
            return wrong(format!("from {t0} to {t1}: both must be finite"));
        }
        for (name, tolerance) in [("rtol", self.rtol), ("atol", self.atol)] {
            if !(tolerance >= 0.0 && tolerance.is_finite()) {
                return wrong(format!(
                    "{name} is {tolerance}: neither zero nor positive and finite"
                ));
            }
        }
        if self.max_step.is_nan() || self.max_step <= 0.0 {
            return wrong(format!("max_step is {}: not positive", self.max_step));
        }
        if self.max_steps == 0 || i32::try_from(self.max_steps).is_err() {
            return wrong(format!("max_steps is {}: not from 1 to {}", self.max_steps, i32::MAX));
        }
        let length = (t1 - t0).abs();
        if let Some(first) = self.first_step
            && !(first > 0.0 && first <= length)
        {
            return wrong(format!("first_step is {first}: not within the interval's {length}"));
        }
        let (low, high) = (t0.min(t1), t0.max(t1));
        if let Some(outside) = self.t_eval.iter().find(|t| !(low..=high).contains(t)) {
            return wrong(format!("t_eval has {outside}, which is not between {t0} and {t1}"));
        }
        let forward = t1 >= t0;
        if self
            .t_eval
            .windows(2)
            .any(|two| if forward { two[0] >= two[1] } else { two[0] <= two[1] })
        {
            return wrong("the times of t_eval do not go on in the direction of t1".to_owned());
        }
        Ok(())
    }
}

/// How the integration of a member ended; as `i32`, what [`Solution::status`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It reached the end.
    Finished = 0,
    /// It took as many steps as [`Options::max_steps`] allows.
    TooManySteps = 1,
    /// Its tolerance asked for steps smaller than ten times the distance of neighbouring numbers: the
    /// solution has a singularity, the equation is too stiff for the method, or the tolerance is too
    /// small for the type.
    StepTooSmall = 2,
    /// The state or its slope at the start is NaN or infinite, or they became so for steps of any
    /// size.
    NotFinite = 3,
    /// A [terminal](super::Event::terminal) event ended it: SciPy's status 1.
    Event = 4,
}

/// What [`solve`](super::solve) gives. All of it is recorded, not computed yet.
#[derive(Clone, Debug)]
pub struct Solution<S: State> {
    /// The state at the end; of a member that failed, that after its last good step, of one that an
    /// event ended, that at the event.
    pub y: S,
    /// The times that members reached.
    pub t: DeviceArray<S::Scalar>,
    /// The states at the times that [`Options::t_eval`] asks for, along a new first axis. NaN at times
    /// that a member did not reach.
    pub ys: S,
    /// The number of steps that each member took.
    pub accepted: DeviceArray<i32>,
    /// The number of steps that were tried and given up, because their errors were too large.
    pub rejected: DeviceArray<i32>,
    /// How each member ended: a [`Status`] as a number, `Status::Finished as i32` for 0.
    pub status: DeviceArray<i32>,
}

impl<S: State> Solution<S> {
    /// Computes all arrays of the solution, together.
    ///
    /// # Errors
    /// Those of an evaluation.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, prelude::*};
    /// let y0 = DeviceArray::from_slice(&[1.0, 2.0])?;
    /// let solution = ode::solve(|_, y| -y, (0.0, 1.0), y0, &ode::Options::new());
    /// solution.eval()?;
    /// assert_eq!(solution.t.to_vec()?, [1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn eval(&self) -> Result<()> {
        let mut nodes = Flat::of(&self.y).nodes;
        nodes.extend(Flat::of(&self.ys).nodes);
        nodes.push(self.t.node().clone());
        nodes.extend([&self.accepted, &self.rejected, &self.status].map(|a| a.node().clone()));
        located(evaluate(&nodes))
    }

    /// How each member ended, in C order.
    ///
    /// **Laziness.** Evaluates the solution: all arrays of it, together.
    ///
    /// # Errors
    /// Those of an evaluation.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ode, ode::Status, prelude::*};
    /// // y' = y² from 1 has a singularity at 1, from 0.1 at 10.
    /// let y0 = DeviceArray::from_slice(&[1.0, 0.1, f64::NAN])?;
    /// let solution = ode::solve(|_, y| y * y, (0.0, 2.0), y0, &ode::Options::new());
    /// let ends = [Status::StepTooSmall, Status::Finished, Status::NotFinite];
    /// assert_eq!(solution.statuses()?, ends);
    /// assert!((solution.y.to_vec()?[1] - 0.125).abs() < 1e-4);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn statuses(&self) -> Result<Vec<Status>> {
        let read = || {
            self.eval()?;
            Ok(self.status.to_vec()?.into_iter().map(status_of).collect())
        };
        located(named("statuses", read()))
    }
}

fn status_of(code: i32) -> Status {
    match code {
        0 => Status::Finished,
        1 => Status::TooManySteps,
        2 => Status::StepTooSmall,
        4 => Status::Event,
        _ => Status::NotFinite,
    }
}
