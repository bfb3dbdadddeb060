//! Steps whose sizes the errors decide, for each member by itself.
//!
//! The members' times, sizes and statuses are arrays like the components of the state. A turn of the
//! loop tries a step for all of them, and each takes it, tries a smaller one in the next turn, or
//! stays where it is. So no member sees another one.

use super::crossings::Outcome;
use super::events::{Crossings, Event};
use super::members::{Members, RUNNING};
use super::options::{Options, Solution, Status};
use super::scheme::Scheme;
use super::solver::{Array, Solver};
use super::state::{Parts, Slope, State, System};
use crate::array::{DeviceArray, keep, located, named, or_panic};
use crate::dtype::{DType, Floating};
use crate::error::{Error, Result};

/// The greatest number of components that a method for stiff equations takes.
const MOST_COMPONENTS: usize = 16;

/// Integrates an ensemble from one time to another, each member by steps of its own.
///
/// **Shape, dtype.** The state's components have one shape, that of the ensemble, and one type, `f32`
/// or `f64`. The function takes the members' times, an array of the ensemble's shape, and a state, and
/// gives the slopes, of the state's shapes. What differs between members besides are arrays that the
/// function captures. Where positions depend on each other, [`Options::coupled`] says along which
/// axes.
///
/// A member's step is taken where its estimated error is within the tolerances, and tried again with
/// a smaller size where it is not: the formulas are those of SciPy's `solve_ivp`, so that a member
/// takes the steps that SciPy takes for it alone, with the explicit methods. A member that fails keeps
/// its last good state and says why ([`Solution::status`]); the others do not notice. An end before the
/// start integrates backwards.
///
/// The function is recorded, not run step by step; [`repeat`](crate::repeat) says what a body cannot
/// do. The steps are a [`while_loop`](crate::while_loop), a few to a turn; where the function's values
/// at a position depend on the state there alone, these are one launch.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Panics
/// Where the state has no components, or their shapes or devices differ, where the function gives
/// another number of components or other shapes, where options are out of their range;
/// [`try_solve`] returns an error.
///
/// # Example
/// ```
/// use lazuli::{ode, prelude::*};
/// // Lotka and Volterra's hares and lynxes, for three birth rates.
/// let birth = DeviceArray::from_slice(&[0.5, 1.0, 1.5])?;
/// let start = (DeviceArray::full(3, 10.0), DeviceArray::full(3, 5.0));
/// let options = ode::Options::new().rtol(1e-6);
/// let solution = ode::solve(
///     |_, (hares, lynxes)| {
///         let met = 0.1 * hares * lynxes;
///         (&birth * hares - &met, 0.75 * met - lynxes)
///     },
///     (0.0, 10.0),
///     start,
///     &options,
/// );
/// assert_eq!(solution.statuses()?, [ode::Status::Finished; 3]);
/// let (hares, _) = &solution.y;
/// assert!((hares.to_vec()?[1] - 12.014).abs() < 1e-3);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "solve_ivp")]
#[doc(alias = "odeint")]
#[track_caller]
pub fn solve<S: State>(
    f: impl Fn(&DeviceArray<S::Scalar>, &S) -> S,
    interval: (f64, f64),
    y0: S,
    options: &Options,
) -> Solution<S> {
    or_panic(try_solve(f, interval, y0, options))
}

/// [`solve`] for equations and options that come from data.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Errors
/// [`Error::is_shape`](crate::Error::is_shape) where the state has no components, their shapes differ,
/// the function gives another number of components or other shapes, an end of the interval is not
/// finite, or options are out of their range;
/// [`Error::is_device`](crate::Error::is_device) where arrays live on several devices;
/// [`Error::is_unsupported`](crate::Error::is_unsupported) where the function draws random numbers.
#[track_caller]
pub fn try_solve<S: State>(
    f: impl Fn(&DeviceArray<S::Scalar>, &S) -> S,
    interval: (f64, f64),
    y0: S,
    options: &Options,
) -> Result<Solution<S>> {
    let solved = integrated(&f, interval, &y0, &[], options);
    located(named("solve", solved.map(|(solution, _)| solution)))
}

/// [`solve`], and the crossings of events: SciPy's `solve_ivp` with `events`.
///
/// **Shape, dtype.** As [`solve`] has them; the events' functions give arrays of the
/// shape of the times. A [`Crossings`] comes for each event.
///
/// All methods and options work. Signs are compared at the ends of the steps, and the times are found
/// by bisection of the method's interpolation, to the last bit of the step. A time is at or just after
/// the change of sign. A member with a [`terminal`](Event::terminal) event ends there: its time and
/// state are the event's, later crossings and times of [`t_eval`](Options::t_eval) are NaN. Unlike in
/// SciPy, a function that is zero at a step's start has no event there ([`Event`]).
///
/// **Laziness.** Records; nothing is computed.
///
/// # Panics
/// As [`solve`], and where an event's function gives another shape than that of the
/// times, or an event asks for no crossings or more than 64; [`try_solve_events`] returns an error.
///
/// # Example
/// ```
/// use lazuli::{ode, prelude::*};
/// type State = (DeviceArray<f64>, DeviceArray<f64>);
/// // Stones thrown upwards: when are they at the top, when on the ground?
/// let start = (DeviceArray::zeros(2), DeviceArray::from_slice(&[9.81, 19.62])?);
/// let top = ode::Event::new(|_, (_, speed): &State| speed.clone()).falling();
/// let ground = ode::Event::new(|_, (height, _): &State| height.clone()).falling().terminal();
/// let (solution, found) = ode::solve_events(
///     |_, (_, speed)| (speed.clone(), speed.full_like(-9.81)),
///     (0.0, 10.0),
///     start,
///     &[top, ground],
///     &ode::Options::new(),
/// );
/// assert_eq!(solution.statuses()?, [ode::Status::Event; 2]);
/// let (at_the_top, heights) = (found[0].t.to_vec()?, found[0].y.0.to_vec()?);
/// assert!((at_the_top[1] - 2.0).abs() < 1e-12 && (heights[1] - 19.62).abs() < 1e-12);
/// assert!((solution.t.to_vec()?[0] - 2.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "solve_ivp")]
#[track_caller]
pub fn solve_events<S: State>(
    f: impl Fn(&DeviceArray<S::Scalar>, &S) -> S,
    interval: (f64, f64),
    y0: S,
    events: &[Event<'_, S>],
    options: &Options,
) -> (Solution<S>, Vec<Crossings<S>>) {
    or_panic(try_solve_events(f, interval, y0, events, options))
}

/// [`solve_events`] for equations, events and options that come from data.
///
/// **Laziness.** Records; nothing is computed.
///
/// # Errors
/// As [`try_solve`]; [`Error::is_shape`](crate::Error::is_shape) where an event's
/// function gives another shape than that of the times, or an event asks for no crossings or more than
/// 64; [`Error::is_device`](crate::Error::is_device) where it gives an array on another device.
#[track_caller]
pub fn try_solve_events<S: State>(
    f: impl Fn(&DeviceArray<S::Scalar>, &S) -> S,
    interval: (f64, f64),
    y0: S,
    events: &[Event<'_, S>],
    options: &Options,
) -> Result<(Solution<S>, Vec<Crossings<S>>)> {
    located(named("solve_events", integrated(&f, interval, &y0, events, options)))
}

/// Integrates, and looks for events.
fn integrated<S: State>(
    slope: Slope<S>,
    interval: (f64, f64),
    y0: &S,
    events: &[Event<'_, S>],
    options: &Options,
) -> Result<Outcome<S>> {
    options.check(interval)?;
    let (system, y) = System::new(slope, y0)?;
    let scheme = options.method.scheme();
    let reads_time = match scheme {
        Scheme::Explicit(_) => false,
        Scheme::Rosenbrock(_) => {
            check_stiff(y.len(), options)?;
            system.reads_time(&y)?
        }
    };
    let by_threads = y[0].device().is_cuda()
        && events.is_empty()
        && options.coupled.is_empty()
        && scheme.is_light(y.len())
        && system.is_elementwise(&y)?;
    let number = S::Scalar::from_f64;
    let (epsilon, least_normal) = match y[0].node().dtype {
        DType::F32 => (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE)),
        _ => (f64::EPSILON, f64::MIN_POSITIVE),
    };
    let solver = Solver {
        system: &system,
        scheme,
        events,
        reads_time,
        by_threads,
        start: number(interval.0),
        end: number(interval.1),
        length: number((interval.1 - interval.0).abs()),
        forward: interval.1 >= interval.0,
        rtol: number(options.rtol.max(100.0 * epsilon)),
        epsilon,
        least_normal,
        options,
        most_steps: options.max_steps as i32,
    };
    solver.check_events()?;
    let members = solver.first(y);
    let members = system.checked(members)?;
    let solution = solver.run(members);
    system.checked(solution)
}

/// Checks what a method for stiff equations cannot do.
fn check_stiff(components: usize, options: &Options) -> Result<()> {
    if !options.coupled.is_empty() {
        return Err(Error::unsupported(
            "Rodas5P solves a system of the components of a member, and coupled axes would make their \
             points unknowns, too: make each point a component, or take an explicit method",
        ));
    }
    if components > MOST_COMPONENTS {
        return Err(Error::unsupported(format!(
            "Rodas5P solves systems of {MOST_COMPONENTS} components at most, written out element by \
             element, and the state has {components}: take an explicit method, or SciPy's Radau"
        )));
    }
    Ok(())
}

impl<S: State> Solver<'_, '_, S> {
    /// The members at the start, with the sizes of their first steps.
    fn first(&self, y: Parts<S::Scalar>) -> Result<Members<S::Scalar>> {
        let t = match &self.options.coupled[..] {
            [] => y[0].full_like(self.start),
            axes => y[0].try_sum(keep(axes))?.full_like(self.start),
        };
        let slope = self.system.slope(&t, &y);
        let size = match self.options.first_step {
            Some(size) => t.full_like(Self::number(size)),
            None => self.first_size(&t, &y, &slope),
        };
        let is_there = self.start == self.end;
        let status = if is_there { Status::Finished as i32 } else { RUNNING };
        let good = self.finite(&y) & self.finite(&slope);
        let status = good.select(status, Status::NotFinite as i32);
        let last = (!self.options.t_eval.is_empty()).then(|| self.no_last(&t, &y));
        let watches = self.watches(&t, &y);
        let (accepted, rejected) = (t.full_like(0), t.full_like(0));
        Ok(Members { t, size, y, slope, last, watches, accepted, rejected, status })
    }

    /// The sizes of first steps: Hairer, Nørsett and Wanner, "Solving Ordinary Differential Equations
    /// I", II.4, as SciPy has it.
    #[track_caller]
    fn first_size(&self, t: &Array<S>, y: &[Array<S>], slope: &[Array<S>]) -> Array<S> {
        let number = Self::number;
        let scale = self.first_scale(y, slope);
        let d0 = self.mean_square(y.to_vec(), &scale).sqrt();
        let d1 = self.mean_square(slope.to_vec(), &scale).sqrt();
        let small = d0.less(number(1e-5)) | d1.less(number(1e-5));
        let h0 = small.select(number(1e-6), &d0 / &d1 * number(0.01)).fmin(self.length);
        let h = self.directed(&h0);
        let moved: Parts<_> = y.iter().zip(slope).map(|(y, slope)| y + slope * &h).collect();
        let there = self.system.slope(&(t + &h), &moved);
        let change = there.iter().zip(slope).map(|(there, slope)| there - slope).collect();
        let d2 = self.mean_square(change, &scale).sqrt() / &h0;
        let still = d1.less_equal(number(1e-15)) & d2.less_equal(number(1e-15));
        let exponent = number(1.0 / f64::from(self.scheme.order() + 1));
        let h1 = still.select(
            (&h0 * number(1e-3)).maximum(number(1e-6)),
            (d1.maximum(&d2).reciprocal() * number(0.01)).power(exponent),
        );
        (h0 * number(100.0)).fmin(h1).minimum(self.length).minimum(number(self.options.max_step))
    }

    /// The errors that are allowed at the start. Without an absolute tolerance none is for a component that
    /// is zero: it counts as large as its slope makes it over the whole interval, or as 1 where the slope
    /// is zero, too.
    #[track_caller]
    fn first_scale(&self, y: &[Array<S>], slope: &[Array<S>]) -> Parts<S::Scalar> {
        let scale = self.scale(y.iter().map(DeviceArray::abs));
        if self.options.atol > 0.0 {
            return scale;
        }
        let (zero, one) = (Self::number(0.0), Self::number(1.0));
        let known = |(scale, slope): (Array<S>, &Array<S>)| {
            let change = slope.abs() * self.length * self.rtol;
            let change = change.greater(zero).select(&change, one);
            scale.greater(zero).select(&scale, change)
        };
        scale.into_iter().zip(slope).map(known).collect()
    }
}
