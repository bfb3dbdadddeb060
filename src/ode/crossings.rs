//! Events while members go on, and their times afterwards.
//!
//! A turn of the loop only compares signs at the ends of a step, and keeps the start and the end of
//! the first steps with a crossing. When all members have come to their ends, those steps are taken
//! once more, and their interpolations bisected: so a turn has no loop within, and members without
//! events pay nothing for those of others. A terminal event ends its member at the end of the step;
//! what lies between it and there is taken back.

use super::events::{Crossings, Direction, Event};
use super::members::{Crossed, Last, Members, Watch};
use super::options::{Solution, Status};
use super::solver::{Array, Solver};
use super::state::{Parts, State};
use crate::array::DeviceArray;
use crate::error::{Error, Result};
use crate::loops::try_repeat;
use crate::try_stack;

/// The greatest number of crossings that an event keeps.
const MOST_CROSSINGS: usize = 64;

/// What an integration gives.
pub(super) type Outcome<S> = (Solution<S>, Vec<Crossings<S>>);

/// A time with the state there.
type Found<T> = (DeviceArray<T>, Parts<T>);

impl<S: State> Solver<'_, '_, S> {
    /// Checks what events ask for.
    pub(super) fn check_events(&self) -> Result<()> {
        for (k, event) in self.events.iter().enumerate() {
            if !(1..=MOST_CROSSINGS).contains(&event.crossings) {
                return Err(Error::shape(format!(
                    "event {k} asks for {} crossings: not from 1 to {MOST_CROSSINGS}",
                    event.crossings
                )));
            }
        }
        Ok(())
    }

    /// The value of an event's function. Where it has another shape than the times, that is remembered.
    fn value(&self, k: usize, t: &Array<S>, y: &[Array<S>]) -> Array<S> {
        let value = (self.events[k].value)(t, &self.system.whole(y));
        if value.shape() != t.shape() {
            self.system.note(Error::shape(format!(
                "the function of event {k} gives the shape {:?}, and that of the times is {:?}",
                value.shape(),
                t.shape()
            )));
            return t.clone();
        }
        if value.node().device.differs(t.device()) {
            self.system.note(Error::device(format!(
                "the function of event {k} gives an array on {}, and the times are on {}",
                value.device(),
                t.device()
            )));
            return t.clone();
        }
        value
    }

    /// Events before the first step.
    pub(super) fn watches(&self, t: &Array<S>, y: &[Array<S>]) -> Vec<Watch<S::Scalar>> {
        let none = t.full_like(0);
        let watch = |(k, event): (usize, &Event<'_, S>)| Watch {
            value: self.value(k, t, y),
            steps: vec![Crossed { from: t.clone(), to: t.clone(), y: y.to_vec() }; event.crossings],
            count: none.clone(),
            latest: none.clone(),
        };
        self.events.iter().enumerate().map(watch).collect()
    }

    /// Events after a step, and where one ended a member.
    #[track_caller]
    pub(super) fn watched(
        &self,
        before: &Members<S::Scalar>,
        (t, y): (&Array<S>, &[Array<S>]),
        taken: &DeviceArray<bool>,
    ) -> (Vec<Watch<S::Scalar>>, Option<DeviceArray<bool>>) {
        let mut ended: Option<DeviceArray<bool>> = None;
        let zero = Self::number(0.0);
        let watches = before.watches.iter().enumerate().map(|(k, watch)| {
            let (old, new) = (&watch.value, self.value(k, t, y));
            let rises = || old.less(zero) & new.greater_equal(zero);
            let falls = || old.greater(zero) & new.less_equal(zero);
            let crosses = match self.events[k].direction {
                Direction::Both => rises() | falls(),
                Direction::Rising => rises(),
                Direction::Falling => falls(),
            } & taken;
            if self.events[k].terminal {
                ended = Some(match ended.take() {
                    Some(ended) => ended | &crosses,
                    None => crosses.clone(),
                });
            }
            let step = |(n, step): (usize, &Crossed<S::Scalar>)| {
                let here = &crosses & watch.count.equal(n as i32);
                let parts = before.y.iter().zip(&step.y);
                Crossed {
                    from: here.select(&before.t, &step.from),
                    to: here.select(t, &step.to),
                    y: parts.map(|(new, old)| here.select(new, old)).collect(),
                }
            };
            let crossed = crosses.cast::<i32>();
            Watch {
                value: taken.select(&new, old),
                steps: watch.steps.iter().enumerate().map(step).collect(),
                count: &watch.count + &crossed,
                latest: taken.select(&crossed, &watch.latest),
            }
        });
        (watches.collect(), ended)
    }

    /// The time of an event within a step, and the state there.
    fn located(&self, k: usize, step: &Crossed<S::Scalar>) -> Result<Found<S::Scalar>> {
        let number = Self::number;
        let Crossed { from, to, y } = step;
        let h = to - from;
        let slope = self.system.slope(from, y);
        let end = self.attempt((from, &h, to), (y, &slope));
        let terms = self.terms((from, &h, y), &end.stages);
        let last = Last { t: from.clone(), y: y.clone(), terms };
        let at = |part: &Array<S>| {
            let t = part.equal(number(1.0)).select(to, from + &h * part);
            let y = self.within(&last, (to, &end.y, &end.slope), part);
            (t, y)
        };
        let rises = self.value(k, to, &end.y).greater(self.value(k, from, y));
        let bounds = (from.full_like(number(0.0)), from.full_like(number(1.0)));
        // As often as a part has bits, and once more.
        let turns = (2.0 - self.epsilon.log2()) as usize;
        let (_, part) = try_repeat(turns, bounds, |(low, high)| {
            let middle = (&low + &high) * number(0.5);
            let (t, y) = at(&middle);
            let value = self.value(k, &t, &y);
            let (zero, risen) = (number(0.0), value.greater_equal(number(0.0)));
            let crossed = rises.select(risen, value.less_equal(zero));
            (crossed.select(&low, &middle), crossed.select(&middle, &high))
        })?;
        Ok(at(&part))
    }

    /// The times and states of the events, and the solution that ends at the terminal ones.
    pub(super) fn with_events(
        &self,
        mut solution: Solution<S>,
        (y, watches): (Parts<S::Scalar>, Vec<Watch<S::Scalar>>),
        ys: Parts<S::Scalar>,
    ) -> Result<Outcome<S>> {
        let mut found = Vec::new();
        for (k, watch) in watches.iter().enumerate() {
            let steps = watch.steps.iter().map(|step| self.located(k, step));
            found.push(steps.collect::<Result<Vec<_>>>()?);
        }
        let ended = solution.status.equal(Status::Event as i32);
        let end = self.end_of(&watches, &found, &ended);
        let mut all = Vec::new();
        for (k, (watch, found)) in watches.iter().zip(found).enumerate() {
            let count = match &end {
                Some((stop, step)) => {
                    // What the last step crossed behind the event that ended it.
                    let (t, _) = if self.events[k].terminal {
                        found[0].clone()
                    } else {
                        self.located(k, step)?
                    };
                    let behind = &ended & watch.latest.equal(1) & self.before(&stop.0, &t);
                    &watch.count - behind.cast::<i32>()
                }
                None => watch.count.clone(),
            };
            all.push(self.crossings(found, count)?);
        }
        if let Some(((t, state), _)) = &end {
            let parts = state.iter().zip(&y).map(|(new, old)| ended.select(new, old));
            solution.y = self.system.whole(&parts.collect::<Parts<_>>());
            solution.t = ended.select(t, &solution.t);
            if !self.options.t_eval.is_empty() {
                solution.ys = self.system.whole(&self.until(&ys, &ended, t)?);
            }
        }
        Ok((solution, all))
    }

    /// The first terminal event of members that have one, and the step in which it was; nothing where
    /// no event is terminal.
    fn end_of(
        &self,
        watches: &[Watch<S::Scalar>],
        found: &[Vec<Found<S::Scalar>>],
        ended: &DeviceArray<bool>,
    ) -> Option<(Found<S::Scalar>, Crossed<S::Scalar>)> {
        let mut end: Option<(DeviceArray<bool>, Found<S::Scalar>, Crossed<S::Scalar>)> = None;
        for (k, watch) in watches.iter().enumerate().filter(|(k, _)| self.events[*k].terminal) {
            let here = ended & watch.latest.equal(1);
            let ((t, y), step) = (&found[k][0], &watch.steps[0]);
            end = Some(match end {
                None => (here, (t.clone(), y.clone()), step.clone()),
                Some((was, (old_t, old_y), old)) => {
                    let first = &here & (!&was | self.before(t, &old_t));
                    let parts = |new: &[Array<S>], old: &[Array<S>]| -> Parts<S::Scalar> {
                        new.iter().zip(old).map(|(new, old)| first.select(new, old)).collect()
                    };
                    let step = Crossed {
                        from: first.select(&step.from, &old.from),
                        to: first.select(&step.to, &old.to),
                        y: parts(&step.y, &old.y),
                    };
                    (was | here, (first.select(t, &old_t), parts(y, &old_y)), step)
                }
            });
        }
        end.map(|(_, found, step)| (found, step))
    }

    /// The crossings that count.
    fn crossings(
        &self,
        found: Vec<Found<S::Scalar>>,
        count: DeviceArray<i32>,
    ) -> Result<Crossings<S>> {
        let nan = Self::number(f64::NAN);
        let (mut times, mut states) = (Vec::new(), vec![Vec::new(); found[0].1.len()]);
        for (n, (t, y)) in found.into_iter().enumerate() {
            let there = count.greater(n as i32);
            times.push(there.select(t, nan));
            for (states, y) in states.iter_mut().zip(y) {
                states.push(there.select(y, nan));
            }
        }
        let stacked = |arrays: Vec<Array<S>>| try_stack(&arrays.iter().collect::<Vec<_>>(), 0);
        let y = states.into_iter().map(stacked).collect::<Result<Parts<_>>>()?;
        Ok(Crossings { t: stacked(times)?, y: self.system.whole(&y), count })
    }

    /// States at times, without those behind the ends of members.
    fn until(
        &self,
        ys: &[Array<S>],
        ended: &DeviceArray<bool>,
        end: &Array<S>,
    ) -> Result<Parts<S::Scalar>> {
        let times: Vec<S::Scalar> = self.options.t_eval.iter().map(|&t| Self::number(t)).collect();
        let mut shape = vec![1; ys[0].shape().len()];
        shape[0] = times.len();
        let times = end.device().scope(|| DeviceArray::from_slice(&times))?.reshape(shape);
        let behind = ended & self.before(end, &times);
        Ok(ys.iter().map(|y| behind.select(Self::number(f64::NAN), y)).collect())
    }
}
