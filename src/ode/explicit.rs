//! Steps of the embedded Runge–Kutta pairs.

use super::members::{Attempt, weighted};
use super::solver::{Array, Solver};
use super::state::{Parts, State};
use super::tableau::{Estimate, Stage, Tableau};

impl<S: State> Solver<'_, '_, S> {
    /// A step of a pair from a state and its slope, to the time `next`.
    pub(super) fn explicit(
        &self,
        table: &Tableau,
        (t, h, next): (&Array<S>, &Array<S>, &Array<S>),
        (y, slope): (&[Array<S>], &[Array<S>]),
    ) -> Attempt<S::Scalar> {
        let mut slopes = vec![slope.to_vec()];
        self.stages(table.stages, (t, h, y), &mut slopes);
        let moved = self.moved(y, h, &slopes, table.weights);
        slopes.push(self.system.slope(next, &moved));
        let error = self.error(table, y, &moved, h, &slopes);
        let slope = slopes[table.stages.len() + 1].clone();
        Attempt { y: moved, slope, stages: slopes, error }
    }

    /// What the interpolation over a step needs besides its ends: the slope at the start and the terms
    /// beyond the cubic ones.
    pub(super) fn explicit_terms(
        &self,
        table: &Tableau,
        (t, h, y): (&Array<S>, &Array<S>, &[Array<S>]),
        stages: &[Parts<S::Scalar>],
    ) -> Vec<Parts<S::Scalar>> {
        let mut slopes = stages.to_vec();
        self.stages(table.more, (t, h, y), &mut slopes);
        let terms = table.dense.iter().map(|weights| {
            let components = 0..y.len();
            components.map(|k| weighted(&slopes, weights, k) * h).collect()
        });
        let terms: Vec<Parts<_>> = terms.collect();
        std::iter::once(stages[0].clone()).chain(terms).collect()
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

    /// The error of a step in terms of the tolerances: below 1 where it can be taken.
    #[track_caller]
    fn error(
        &self,
        table: &Tableau,
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
        match table.estimate {
            Estimate::One(weights) => mean(weights).sqrt() * h.abs(),
            Estimate::Two(fifth, third) => {
                let fifth = mean(fifth);
                let both = &fifth + mean(third) * Self::number(0.01);
                let error = fifth * h.abs() / both.sqrt();
                both.equal(Self::number(0.0)).select(Self::number(0.0), error)
            }
        }
    }
}
