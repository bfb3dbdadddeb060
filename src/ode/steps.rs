//! The turns of the loop: steps tried and taken or not, until no member goes on.

use super::crossings::Outcome;
use super::members::{Attempt, Flattened, Members, NOT_FINITE_YET, REJECTED, RUNNING, Trial};
use super::options::{Solution, Status};
use super::scheme::Scheme;
use super::solver::{Array, Solver};
use super::state::{Parts, State};
use crate::array::DeviceArray;
use crate::error::Result;
use crate::loops::{try_repeat, try_scan_over, try_while_loop};

/// How many steps a turn of the loop tries before it asks whether any member goes on. The answer
/// costs a launch and, on a GPU, a wait; steps beyond the end cost their arithmetic.
const STEPS_PER_TURN: usize = 4;

/// The same on a GPU where a thread takes the steps of a member, and ends where the member has arrived. A
/// million Lorenz systems of 44 to 115 steps took an H100 17.8 ms by turns of 4 that went through memory.
const STEPS_OF_A_THREAD: usize = 64;

/// About so many steps at most are spent on members that have come to a time already, all times
/// together: who asks for more of them has turns of fewer steps. 10,000 members took 645 ms with two
/// times and turns of one step, and take 446 (200 without times), on two cores.
const IDLE_STEPS: usize = 50;

/// A step is by this factor smaller than the error allows.
const SAFETY: f64 = 0.9;
/// The factors within which a step's size changes.
const LEAST_FACTOR: f64 = 0.2;
const MOST_FACTOR: f64 = 10.0;

impl<S: State> Solver<'_, '_, S> {
    /// Where a member goes on, before a time where one is given.
    #[track_caller]
    fn going(&self, members: &Members<S::Scalar>, until: Option<&Array<S>>) -> DeviceArray<bool> {
        let running = members.status.less(0);
        match until {
            Some(until) => running & self.before(&members.t, until),
            None => running,
        }
    }

    /// A step of the method from a state and its slope, to the time `next`.
    pub(super) fn attempt(
        &self,
        times: (&Array<S>, &Array<S>, &Array<S>),
        from: (&[Array<S>], &[Array<S>]),
    ) -> Attempt<S::Scalar> {
        match self.scheme {
            Scheme::Explicit(table) => self.explicit(table, times, from),
            Scheme::Rosenbrock(table) => self.rosenbrock(table, times, from),
        }
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
        let mut to = self.attempt((t, &h, &next), (y, &members.slope));
        to.error = self.finite(&to.y).select(&to.error, Self::number(f64::NAN));
        Trial { possible, t: next, h, to }
    }

    /// Tries a step for all members that go on, and takes it where its error allows.
    fn step(&self, members: Members<S::Scalar>, until: Option<&Array<S>>) -> Members<S::Scalar> {
        let number = Self::number;
        let going = self.going(&members, until);
        let trial = self.tried(&members);
        let fits = trial.to.error.less(number(1.0));
        let tried = &going & &trial.possible;
        let taken = &tried & &fits;
        // After a rejection a step does not grow.
        let most = members.status.equal(RUNNING).select(number(MOST_FACTOR), number(1.0));
        let exponent = number(-1.0 / f64::from(self.scheme.order() + 1));
        let factor = trial.to.error.power(exponent) * number(SAFETY);
        // An error that is NaN makes the step as small as it becomes at once.
        let factor = fits.select(factor.minimum(most), factor.fmax(number(LEAST_FACTOR)));
        let size = tried.select(trial.h.abs() * factor, &members.size);
        let accepted = &members.accepted + taken.cast::<i32>();
        let rejected = &members.rejected + (&tried & !&fits).cast::<i32>();
        let status = self.status_after(&members, &trial, &(&accepted + &rejected));
        let last = members.last.as_ref().map(|last| self.last(last, &members, &trial, &taken));
        let chosen = |new: &[Array<S>], old: &[Array<S>]| -> Parts<S::Scalar> {
            new.iter().zip(old).map(|(new, old)| taken.select(new, old)).collect()
        };
        let (t, y) = (taken.select(&trial.t, &members.t), chosen(&trial.to.y, &members.y));
        let (watches, ended) = self.watched(&members, (&t, &y), &taken);
        let status = match ended {
            Some(ended) => ended.select(Status::Event as i32, status),
            None => status,
        };
        Members {
            t,
            size,
            y,
            slope: chosen(&trial.to.slope, &members.slope),
            last,
            watches,
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
        let given_up = or_spent(trial.to.error.is_finite().select(REJECTED, NOT_FINITE_YET));
        let was_bad = members.status.equal(NOT_FINITE_YET);
        let stuck = was_bad.select(Status::NotFinite as i32, Status::StepTooSmall as i32);
        let fits = trial.to.error.less(Self::number(1.0));
        trial.possible.select(fits.select(taken, given_up), stuck)
    }

    /// Lets members go on until none does, before a time where one is given.
    fn go(
        &self,
        start: Members<S::Scalar>,
        until: Option<&Array<S>>,
    ) -> Result<Members<S::Scalar>> {
        let layout = start.layout();
        let build = |flat: Flattened<S::Scalar>| Members::build(flat, &layout);
        let step = |flat| self.step(build(flat), until).flatten();
        let goes_on = |flat: &Flattened<S::Scalar>| self.going(&build(flat.clone()), until).any(..);
        let steps = match until {
            None if self.by_threads => STEPS_OF_A_THREAD,
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
    pub(super) fn run(&self, mut members: Members<S::Scalar>) -> Result<Outcome<S>> {
        let layout = members.layout();
        let times: Vec<S::Scalar> = self.options.t_eval.iter().map(|&t| Self::number(t)).collect();
        let is_there = times.last() == Some(&self.end);
        let (shape, device) = (members.y[0].shape().to_vec(), members.y[0].device());
        let ys = if times.is_empty() {
            let shape: Vec<usize> = std::iter::once(0).chain(shape).collect();
            device.scope(|| members.y.iter().map(|_| DeviceArray::zeros(shape.clone())).collect())
        } else {
            let times = device.scope(|| DeviceArray::from_slice(&times))?;
            let (end, ys) = try_scan_over(times, members.flatten(), |flat, time| {
                let members = Members::build(flat.clone(), &layout);
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
            members = Members::build(end, &layout);
            // Only the rest of the way is left, without dense output.
            members.last = None;
            ys
        };
        let end = if is_there { members } else { self.go(members, None)? };
        let solution = Solution {
            y: self.system.whole(&end.y),
            t: end.t,
            ys: self.system.whole(&ys),
            accepted: end.accepted,
            rejected: end.rejected,
            status: end.status,
        };
        if self.events.is_empty() {
            return Ok((solution, Vec::new()));
        }
        self.with_events(solution, (end.y, end.watches), ys)
    }
}
