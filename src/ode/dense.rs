//! States at times within a step.

use super::members::{Last, Members, Trial};
use super::scheme::Scheme;
use super::solver::{Array, Solver};
use super::state::{Parts, State};
use crate::array::DeviceArray;
use crate::dtype::Component;

/// The end of a step: its time, state and slope.
pub(super) type End<'a, S> = (&'a Array<S>, &'a [Array<S>], &'a [Array<S>]);

impl<S: State> Solver<'_, '_, S> {
    /// What dense output needs to know, before the first step.
    pub(super) fn no_last(&self, t: &Array<S>, y: &[Array<S>]) -> Last<S::Scalar> {
        let zeros: Parts<_> = y.iter().map(|y| y.full_like(Self::number(0.0))).collect();
        Last { t: t.clone(), y: y.to_vec(), terms: vec![zeros; self.scheme.terms()] }
    }

    /// What the interpolation over a step needs besides its ends.
    pub(super) fn terms(
        &self,
        from: (&Array<S>, &Array<S>, &[Array<S>]),
        stages: &[Parts<S::Scalar>],
    ) -> Vec<Parts<S::Scalar>> {
        match self.scheme {
            Scheme::Explicit(table) => self.explicit_terms(table, from, stages),
            Scheme::Rosenbrock(table) => table.terms(stages),
        }
    }

    /// What dense output needs to know, after a trial that some members took.
    pub(super) fn last(
        &self,
        last: &Last<S::Scalar>,
        members: &Members<S::Scalar>,
        trial: &Trial<S::Scalar>,
        taken: &DeviceArray<bool>,
    ) -> Last<S::Scalar> {
        let terms = self.terms((&members.t, &trial.h, &members.y), &trial.to.stages);
        let chosen = |new: &[Array<S>], old: &[Array<S>]| -> Parts<S::Scalar> {
            new.iter().zip(old).map(|(new, old)| taken.select(new, old)).collect()
        };
        Last {
            t: taken.select(&members.t, &last.t),
            y: chosen(&members.y, &last.y),
            terms: terms.iter().zip(&last.terms).map(|(new, old)| chosen(new, old)).collect(),
        }
    }

    /// The states at a time within the last steps; NaN for members that did not come so far.
    pub(super) fn at(&self, members: &Members<S::Scalar>, time: &Array<S>) -> Parts<S::Scalar> {
        let Some(last) = &members.last else { return members.y.clone() };
        let h = &members.t - &last.t;
        let part = (time - &last.t) / &h;
        // Before the first step there is no interval.
        let part = h.equal(Self::number(0.0)).select(Self::number(0.0), part);
        let reached = !self.before(&members.t, time);
        let values = self.within(last, (&members.t, &members.y, &members.slope), &part);
        values.iter().map(|value| reached.select(value, Self::number(f64::NAN))).collect()
    }

    /// The states after a part of a step, by Hairer's nested form of the interpolation.
    #[track_caller]
    pub(super) fn within(
        &self,
        last: &Last<S::Scalar>,
        (t, y, slope): End<'_, S>,
        part: &Array<S>,
    ) -> Parts<S::Scalar> {
        let h = t - &last.t;
        let rest = -part + Self::number(1.0);
        let value = |k: usize| {
            let before = &last.y[k];
            let change = &y[k] - before;
            let known: Vec<Array<S>> = last.terms.iter().map(|term| term[k].clone()).collect();
            let terms = match self.scheme {
                Scheme::Explicit(_) => {
                    let bend = &known[0] * &h - &change;
                    let twist = &change - &slope[k] * &h - &bend;
                    [change, bend, twist].into_iter().chain(known.into_iter().skip(1)).collect()
                }
                Scheme::Rosenbrock(_) => [vec![change], known].concat(),
            };
            before + nested(terms, |n| if self.scheme.is_part(n) { part } else { &rest })
        };
        (0..y.len()).map(value).collect()
    }
}

/// A sum of terms in Horner's manner, each with those after it and times a factor.
#[track_caller]
fn nested<'a, T: Component>(
    terms: Vec<DeviceArray<T>>,
    factor: impl Fn(usize) -> &'a DeviceArray<T>,
) -> DeviceArray<T> {
    let mut sum = None;
    for (n, term) in terms.into_iter().enumerate().rev() {
        let inner = match sum {
            Some(sum) => term + sum,
            None => term,
        };
        sum = Some(inner * factor(n));
    }
    sum.expect("there are terms of every method")
}
