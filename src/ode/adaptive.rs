//! Steps whose sizes the errors decide, for each member by itself.
//!
//! The members' times, sizes and statuses are arrays like the components of the state. A turn of the
//! loop tries a step for all of them, and each takes it, tries a smaller one in the next turn, or
//! stays where it is. So no member sees another one.

use super::members::{
    Flattened, Last, Members, NOT_FINITE_YET, REJECTED, RUNNING, Trial, weighted,
};
use super::options::{Options, Solution, Status};
use super::state::{Parts, Slope, State, System};
use super::tableau::{Estimate, Stage, Tableau};
use crate::array::{DeviceArray, Operand, keep, located, named, or_panic};
use crate::dtype::{DType, Floating};
use crate::error::Result;
use crate::loops::{try_repeat, try_scan_over, try_while_loop};

/// How many steps a turn of the loop tries before it asks whether any member goes on. The answer
/// costs a launch and, on a GPU, a wait; steps beyond the end cost their arithmetic.
const STEPS_PER_TURN: usize = 4;

/// About so many steps at most are spent on members that have come to a time already, all times
/// together: who asks for more of them has turns of fewer steps. 10,000 members took 645 ms with two
/// times and turns of one step, and take 446 (200 without times), on two cores.
const IDLE_STEPS: usize = 50;

/// A step is by this factor smaller than the error allows.
const SAFETY: f64 = 0.9;
/// The factors within which a step's size changes.
const LEAST_FACTOR: f64 = 0.2;
const MOST_FACTOR: f64 = 10.0;

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
/// takes the steps that SciPy takes for it alone. A member that fails keeps its last good state and
/// says why ([`Solution::status`]); the others do not notice. An end before the start integrates
/// backwards.
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
    located(named("solve", solved(&f, interval, &y0, options)))
}

fn solved<S: State>(
    slope: Slope<S>,
    interval: (f64, f64),
    y0: &S,
    options: &Options,
) -> Result<Solution<S>> {
    options.check(interval)?;
    let (system, y) = System::new(slope, y0)?;
    let number = S::Scalar::from_f64;
    let epsilon = match y[0].node().dtype {
        DType::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    let solver = Solver {
        system: &system,
        table: options.method.tableau(),
        start: number(interval.0),
        end: number(interval.1),
        length: number((interval.1 - interval.0).abs()),
        forward: interval.1 >= interval.0,
        rtol: number(options.rtol.max(100.0 * epsilon)),
        options,
        most_steps: options.max_steps as i32,
    };
    let members = solver.first(y);
    let members = system.checked(members)?;
    let solution = solver.run(members);
    system.checked(solution)
}

/// An integration.
struct Solver<'a, 'f, S: State> {
    system: &'a System<'f, S>,
    table: &'static Tableau,
    start: S::Scalar,
    end: S::Scalar,
    length: S::Scalar,
    forward: bool,
    rtol: S::Scalar,
    options: &'a Options,
    most_steps: i32,
}

type Array<S> = DeviceArray<<S as State>::Scalar>;

impl<S: State> Solver<'_, '_, S> {
    fn number(value: f64) -> S::Scalar {
        S::Scalar::from_f64(value)
    }

    /// A size in the direction of the integration.
    #[track_caller]
    fn directed(&self, size: &Array<S>) -> Array<S> {
        if self.forward { size.clone() } else { -size }
    }

    /// Where a time has not come yet to another one.
    #[track_caller]
    fn before(&self, t: &Array<S>, bound: impl Operand<S::Scalar>) -> DeviceArray<bool> {
        if self.forward { t.less(bound) } else { t.greater(bound) }
    }

    /// The mean over the components of a member.
    #[track_caller]
    fn mean(&self, parts: impl Iterator<Item = Array<S>>, components: usize) -> Array<S> {
        let sum = parts.reduce(|sum, part| sum + part).expect("a state has components");
        let mean = sum * Self::number(1.0 / components as f64);
        match &self.options.coupled[..] {
            [] => mean,
            axes => mean.mean(keep(axes)),
        }
    }

    /// The mean square, over the components of a member, of numbers in terms of a scale.
    #[track_caller]
    fn mean_square(&self, parts: Vec<Array<S>>, scale: &[Array<S>]) -> Array<S> {
        let components = parts.len();
        let squares = parts.iter().zip(scale).map(|(part, scale)| (part / scale).square());
        self.mean(squares, components)
    }

    /// Where all components of a member are finite.
    #[track_caller]
    fn finite(&self, parts: &[Array<S>]) -> DeviceArray<bool> {
        let all = parts.iter().map(DeviceArray::is_finite).reduce(|a, b| a & b);
        let all = all.expect("a state has components");
        match &self.options.coupled[..] {
            [] => all,
            axes => all.all(keep(axes)),
        }
    }

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
        let zeros: Parts<_> = y.iter().map(|y| y.full_like(Self::number(0.0))).collect();
        let last = (!self.options.t_eval.is_empty()).then(|| Last {
            t: t.clone(),
            y: y.clone(),
            slope: slope.clone(),
            terms: self.table.dense.iter().map(|_| zeros.clone()).collect(),
        });
        let none = t.full_like(0);
        Ok(Members { t, size, y, slope, last, accepted: none.clone(), rejected: none, status })
    }

    /// The sizes of first steps: Hairer, Nørsett and Wanner, "Solving Ordinary Differential Equations
    /// I", II.4, as SciPy has it.
    #[track_caller]
    fn first_size(&self, t: &Array<S>, y: &[Array<S>], slope: &[Array<S>]) -> Array<S> {
        let number = Self::number;
        let scale = self.scale(y.iter().map(DeviceArray::abs));
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
        let exponent = number(1.0 / f64::from(self.table.order + 1));
        let h1 = still.select(
            (&h0 * number(1e-3)).maximum(number(1e-6)),
            (d1.maximum(&d2).reciprocal() * number(0.01)).power(exponent),
        );
        (h0 * number(100.0)).fmin(h1).minimum(self.length).minimum(number(self.options.max_step))
    }

    /// The errors that are allowed, for the absolute values of components.
    fn scale(&self, sizes: impl Iterator<Item = Array<S>>) -> Parts<S::Scalar> {
        let atol = Self::number(self.options.atol);
        sizes.map(|size| size * self.rtol + atol).collect()
    }

    /// Where a member goes on, before a time where one is given.
    #[track_caller]
    fn going(&self, members: &Members<S::Scalar>, until: Option<&Array<S>>) -> DeviceArray<bool> {
        let running = members.status.less(0);
        match until {
            Some(until) => running & self.before(&members.t, until),
            None => running,
        }
    }

    /// Adds the slopes of some stages to those that are known.
    fn stages(
        &self,
        stages: &[Stage],
        (t, h, y): (&Array<S>, &Array<S>, &[Array<S>]),
        slopes: &mut Vec<Parts<S::Scalar>>,
    ) {
        for stage in stages {
            let time = t + h * Self::number(stage.time);
            let state = self.moved(y, h, slopes, stage.weights);
            slopes.push(self.system.slope(&time, &state));
        }
    }

    /// The state moved along slopes.
    fn moved(
        &self,
        y: &[Array<S>],
        h: &Array<S>,
        slopes: &[Parts<S::Scalar>],
        weights: &[f64],
    ) -> Parts<S::Scalar> {
        let moved = y.iter().enumerate().map(|(k, y)| y + weighted(slopes, weights, k) * h);
        moved.collect()
    }

    /// Tries a step.
    fn tried(&self, members: &Members<S::Scalar>) -> Trial<S::Scalar> {
        let Members { t, y, .. } = members;
        let far = Self::number(if self.forward { f64::INFINITY } else { f64::NEG_INFINITY });
        let least = (t.nextafter(far) - t).abs() * Self::number(10.0);
        let most = Self::number(self.options.max_step);
        let fresh = members.status.equal(RUNNING);
        let size = fresh.select(members.size.minimum(most).maximum(&least), &members.size);
        let possible = size.greater_equal(&least);
        let ahead = t + self.directed(&size);
        let next = self.before(&ahead, self.end).select(&ahead, self.end);
        let h = &next - t;
        let mut slopes = vec![members.slope.clone()];
        self.stages(self.table.stages, (t, &h, y), &mut slopes);
        let moved = self.moved(y, &h, &slopes, self.table.weights);
        slopes.push(self.system.slope(&next, &moved));
        let error = self.error(y, &moved, &h, &slopes);
        let error = self.finite(&moved).select(error, Self::number(f64::NAN));
        Trial { possible, t: next, h, y: moved, slopes, error }
    }

    /// The error of a step in terms of the tolerances: below 1 where it can be taken.
    #[track_caller]
    fn error(
        &self,
        y: &[Array<S>],
        moved: &[Array<S>],
        h: &Array<S>,
        slopes: &[Parts<S::Scalar>],
    ) -> Array<S> {
        let sizes = y.iter().zip(moved).map(|(y, moved)| y.abs().maximum(moved.abs()));
        let scale = self.scale(sizes);
        let mean = |weights: &[f64]| {
            let parts = (0..y.len()).map(|k| weighted(slopes, weights, k));
            self.mean_square(parts.collect(), &scale)
        };
        match self.table.estimate {
            Estimate::One(weights) => mean(weights).sqrt() * h.abs(),
            Estimate::Two(fifth, third) => {
                let fifth = mean(fifth);
                let both = &fifth + mean(third) * Self::number(0.01);
                let error = fifth * h.abs() / both.sqrt();
                both.equal(Self::number(0.0)).select(Self::number(0.0), error)
            }
        }
    }

    /// Tries a step for all members that go on, and takes it where its error allows.
    fn step(&self, members: Members<S::Scalar>, until: Option<&Array<S>>) -> Members<S::Scalar> {
        let number = Self::number;
        let going = self.going(&members, until);
        let trial = self.tried(&members);
        let fits = trial.error.less(number(1.0));
        let tried = &going & &trial.possible;
        let taken = &tried & &fits;
        // After a rejection a step does not grow.
        let most = members.status.equal(RUNNING).select(number(MOST_FACTOR), number(1.0));
        let exponent = number(-1.0 / f64::from(self.table.order + 1));
        let factor = trial.error.power(exponent) * number(SAFETY);
        // An error that is NaN makes the step as small as it becomes at once.
        let factor = fits.select(factor.minimum(most), factor.fmax(number(LEAST_FACTOR)));
        let size = tried.select(trial.h.abs() * factor, &members.size);
        let accepted = &members.accepted + taken.cast::<i32>();
        let rejected = &members.rejected + (&tried & !&fits).cast::<i32>();
        let status = self.status_after(&members, &trial, &(&accepted + &rejected));
        let last = members.last.as_ref().map(|last| self.last(last, &members, &trial, &taken));
        let slope = trial.slopes[self.table.stages.len() + 1].iter();
        let chosen = |new: &Array<S>, old: &Array<S>| taken.select(new, old);
        Members {
            t: chosen(&trial.t, &members.t),
            size,
            slope: slope.zip(&members.slope).map(|(new, old)| chosen(new, old)).collect(),
            y: trial.y.iter().zip(&members.y).map(|(new, old)| chosen(new, old)).collect(),
            last,
            accepted,
            rejected,
            status: going.select(status, &members.status),
        }
    }

    /// The statuses of members that went on, after a trial.
    #[track_caller]
    fn status_after(
        &self,
        members: &Members<S::Scalar>,
        trial: &Trial<S::Scalar>,
        steps: &DeviceArray<i32>,
    ) -> DeviceArray<i32> {
        let spent = steps.greater_equal(self.most_steps);
        let or_spent =
            |running: DeviceArray<i32>| spent.select(Status::TooManySteps as i32, running);
        let running = steps.full_like(RUNNING);
        let ended = !self.before(&trial.t, self.end);
        let taken = ended.select(Status::Finished as i32, or_spent(running));
        let given_up = or_spent(trial.error.is_finite().select(REJECTED, NOT_FINITE_YET));
        let was_bad = members.status.equal(NOT_FINITE_YET);
        let stuck = was_bad.select(Status::NotFinite as i32, Status::StepTooSmall as i32);
        let fits = trial.error.less(Self::number(1.0));
        trial.possible.select(fits.select(taken, given_up), stuck)
    }

    /// What dense output needs to know, after a trial that some members took.
    fn last(
        &self,
        last: &Last<S::Scalar>,
        members: &Members<S::Scalar>,
        trial: &Trial<S::Scalar>,
        taken: &DeviceArray<bool>,
    ) -> Last<S::Scalar> {
        let mut slopes = trial.slopes.clone();
        self.stages(self.table.more, (&members.t, &trial.h, &members.y), &mut slopes);
        let chosen = |new: &[Array<S>], old: &[Array<S>]| -> Parts<S::Scalar> {
            new.iter().zip(old).map(|(new, old)| taken.select(new, old)).collect()
        };
        let terms = self.table.dense.iter().zip(&last.terms).map(|(weights, old)| {
            let components = 0..members.y.len();
            let new: Parts<_> =
                components.map(|k| weighted(&slopes, weights, k) * &trial.h).collect();
            chosen(&new, old)
        });
        Last {
            t: taken.select(&members.t, &last.t),
            y: chosen(&members.y, &last.y),
            slope: chosen(&members.slope, &last.slope),
            terms: terms.collect(),
        }
    }

    /// The states at a time within the last steps, by Hairer's form of the interpolation; NaN for
    /// members that did not come so far.
    fn at(&self, members: &Members<S::Scalar>, time: &Array<S>) -> Parts<S::Scalar> {
        let Some(last) = &members.last else { return members.y.clone() };
        let h = &members.t - &last.t;
        let part = (time - &last.t) / &h;
        // Before the first step there is no interval.
        let part = h.equal(Self::number(0.0)).select(Self::number(0.0), part);
        let rest = -&part + Self::number(1.0);
        let reached = !self.before(&members.t, time);
        let value = |k: usize| {
            let (before, slope) = (&last.y[k], &last.slope[k]);
            let change = &members.y[k] - before;
            let bend = slope * &h - &change;
            let twist = &change - &members.slope[k] * &h - &bend;
            let terms = last.terms.iter().map(|term| term[k].clone());
            let terms: Vec<Array<S>> = [change, bend, twist].into_iter().chain(terms).collect();
            let mut sum = None;
            for (n, term) in terms.into_iter().enumerate().rev() {
                let inner = match sum {
                    Some(sum) => term + sum,
                    None => term,
                };
                sum = Some(inner * if n % 2 == 0 { &part } else { &rest });
            }
            let value = before + sum.expect("there are three terms at least");
            reached.select(value, Self::number(f64::NAN))
        };
        (0..members.y.len()).map(value).collect()
    }

    /// Lets members go on until none does, before a time where one is given.
    fn go(
        &self,
        start: Members<S::Scalar>,
        until: Option<&Array<S>>,
    ) -> Result<Members<S::Scalar>> {
        let components = start.y.len();
        let build = |flat: Flattened<S::Scalar>| Members::build(flat, components);
        let step = |flat| self.step(build(flat), until).flatten();
        let goes_on = |flat: &Flattened<S::Scalar>| self.going(&build(flat.clone()), until).any(..);
        let steps = match until {
            // Where many times are asked for, there are few steps between two of them.
            Some(_) => (IDLE_STEPS / self.options.t_eval.len()).clamp(1, STEPS_PER_TURN),
            None => STEPS_PER_TURN,
        };
        let turn = |flat: Flattened<S::Scalar>| match steps {
            1 => step(flat),
            _ => try_repeat(steps, flat.clone(), step).unwrap_or_else(|error| {
                self.system.note(error);
                flat
            }),
        };
        try_while_loop(start.flatten(), goes_on, turn).map(build)
    }

    /// Integrates.
    fn run(&self, mut members: Members<S::Scalar>) -> Result<Solution<S>> {
        let components = members.y.len();
        let times: Vec<S::Scalar> = self.options.t_eval.iter().map(|&t| Self::number(t)).collect();
        let is_there = times.last() == Some(&self.end);
        let (shape, device) = (members.y[0].shape().to_vec(), members.y[0].device());
        let ys = if times.is_empty() {
            let shape: Vec<usize> = std::iter::once(0).chain(shape).collect();
            device.scope(|| members.y.iter().map(|_| DeviceArray::zeros(shape.clone())).collect())
        } else {
            let times = device.scope(|| DeviceArray::from_slice(&times))?;
            let (end, ys) = try_scan_over(times, members.flatten(), |flat, time| {
                let members = Members::build(flat.clone(), components);
                match self.go(members, Some(&time)) {
                    Ok(members) => {
                        let ys = self.at(&members, &time);
                        (members.flatten(), ys)
                    }
                    Err(error) => {
                        self.system.note(error);
                        (flat, Vec::new())
                    }
                }
            })?;
            members = Members::build(end, components);
            // Only the rest of the way is left, without dense output.
            members.last = None;
            ys
        };
        let end = if is_there { members } else { self.go(members, None)? };
        Ok(Solution {
            y: self.system.whole(&end.y),
            t: end.t,
            ys: self.system.whole(&ys),
            accepted: end.accepted,
            rejected: end.rejected,
            status: end.status,
        })
    }
}
