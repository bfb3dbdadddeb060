//! Steps of a Rosenbrock method, for stiff equations: linear systems with the slopes' derivatives
//! stand in the place of an implicit method's equations.
//!
//! With `J` the derivatives by the state and `F` that by the time, the increments of a step of size
//! `h` obey `(I/γ − h·J)·kᵢ = h·f(t + αᵢ·h, y + Σ aᵢⱼ·kⱼ) + Σ cᵢⱼ·kⱼ + h²·γᵢ·F`: Hairer and Wanner,
//! "Solving Ordinary Differential Equations II", IV.7, times `h`, so that no small step is divided by.

use super::lu::Lu;
use super::members::Attempt;
use super::rodas::Rosenbrock;
use super::solver::{Array, Solver};
use super::state::{Parts, State};
use crate::array::DeviceArray;
use crate::dtype::Floating;

impl Rosenbrock {
    /// The terms of dense output.
    pub fn terms<T: Floating>(&self, stages: &[Parts<T>]) -> Vec<Parts<T>> {
        self.dense.iter().map(|weights| sums(stages, weights)).collect()
    }
}

/// The sums of increments, with weights. The components share the weights' nodes: a kernel has room
/// for few scalars, and with those of each component by itself, steps of three components were nine
/// kernels.
fn sums<T: Floating>(increments: &[Parts<T>], weights: &[f64]) -> Parts<T> {
    let terms = increments.iter().zip(weights).map(|(parts, &weight)| {
        let weight = parts[0].full_like(T::from_f64(weight));
        parts.iter().map(|part| part * &weight).collect::<Parts<T>>()
    });
    let added = |sums: Parts<T>, terms: Parts<T>| {
        sums.into_iter().zip(terms).map(|(sum, term)| sum + term).collect()
    };
    terms.reduce(added).expect("every row of a table has a weight")
}

/// Sums by components.
fn added<T: Floating>(a: &[DeviceArray<T>], b: &[DeviceArray<T>]) -> Parts<T> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// An increment by which a component moves for its derivative, in terms of its size, is the cubic root
/// of the type's epsilon, and differences are centred: the order stands and falls with the derivatives,
/// and with one-sided ones 16 components, mixed, of rates up to 3e7, took 650 to 1,600 steps at a
/// tolerance of 1e-9, where they take 320. Components near zero move as if they were of the size of their change in a step,
/// if that is from the absolute tolerance to so many times it.
const MOST_CHANGE: f64 = 1000.0;
/// The size of a component that is zero and stays so, where the absolute tolerance is zero, too.
const UNKNOWN_SIZE: f64 = 1e-5;

impl<S: State> Solver<'_, '_, S> {
    /// A step of a method from a state and its slope, to the time `next`.
    pub(super) fn rosenbrock(
        &self,
        table: &Rosenbrock,
        (t, h, next): (&Array<S>, &Array<S>, &Array<S>),
        (y, slope): (&[Array<S>], &[Array<S>]),
    ) -> Attempt<S::Scalar> {
        let factors = Lu::new(self.matrix(table.gamma, (t, h), (y, slope)));
        let rates = self.reads_time.then(|| self.rates((t, h), (y, slope)));
        let mut stages: Vec<Parts<S::Scalar>> = Vec::new();
        let mut state = y.to_vec();
        for (n, stage) in table.stages.iter().enumerate() {
            let slope = match n {
                0 => slope.to_vec(),
                _ => {
                    state = match stage.weights {
                        [] => added(&state, &stages[n - 1]),
                        weights => added(y, &sums(&stages, weights)),
                    };
                    self.system.slope(&(t + h * Self::number(stage.time)), &state)
                }
            };
            let mut right: Parts<_> = slope.iter().map(|slope| slope * h).collect();
            if n > 0 {
                right = added(&right, &sums(&stages, stage.couplings));
            }
            if let Some(rates) = rates.as_ref().filter(|_| stage.rate != 0.0) {
                right = added(&right, &sums(std::slice::from_ref(rates), &[stage.rate]));
            }
            stages.push(factors.solve(right));
        }
        let last = &stages[table.stages.len() - 1];
        let moved = added(&state, last);
        let sizes = y.iter().zip(&moved).map(|(y, moved)| y.abs().maximum(moved.abs()));
        let error = self.mean_square(last.clone(), &self.scale(sizes)).sqrt();
        // A state without slopes is no good one.
        let slope = self.system.slope(next, &moved);
        let error = self.finite(&slope).select(error, Self::number(f64::NAN));
        Attempt { y: moved, slope, stages, error }
    }

    /// The matrix `I/γ − h·J`, by rows.
    fn matrix(
        &self,
        gamma: f64,
        (t, h): (&Array<S>, &Array<S>),
        (y, slope): (&[Array<S>], &[Array<S>]),
    ) -> Vec<Parts<S::Scalar>> {
        let increments = self.increments(h, y, slope);
        let columns = increments.iter().enumerate().map(|(k, increment)| {
            let moved = |place: Array<S>| {
                let mut moved = y.to_vec();
                moved[k] = place;
                self.system.slope(t, &moved)
            };
            // The differences of what is rounded.
            let (ahead, behind) = (&y[k] + increment, &y[k] - increment);
            let (per, per_half) = (h / (&ahead - &behind), h / (&ahead - &y[k]));
            let (ahead, behind) = (moved(ahead), moved(behind));
            let entry = |((ahead, behind), slope): ((&Array<S>, &Array<S>), &Array<S>)| {
                let one_sided = (ahead - slope) * &per_half;
                let centred = (ahead - behind) * &per;
                // Behind a component may leave what the function is defined for.
                behind.is_finite().select(centred, one_sided)
            };
            ahead.iter().zip(&behind).zip(slope).map(entry).collect()
        });
        let columns: Vec<Parts<S::Scalar>> = columns.collect();
        let diagonal = y[0].full_like(Self::number(1.0 / gamma));
        let entry = |row: usize, column: usize| match row == column {
            true => &diagonal - &columns[column][row],
            false => -&columns[column][row],
        };
        (0..y.len()).map(|row| (0..y.len()).map(|column| entry(row, column)).collect()).collect()
    }

    /// How far components move for their derivatives: each in the direction of its change first, because
    /// it may be at the border of what the function is defined for.
    fn increments(&self, h: &Array<S>, y: &[Array<S>], slope: &[Array<S>]) -> Parts<S::Scalar> {
        let number = |value: f64| h.full_like(Self::number(value));
        let atol = self.options.atol;
        let (least, most, zero) = (number(atol), number(MOST_CHANGE * atol), number(0.0));
        // Smaller sizes have increments that are no normal numbers.
        let normal = number(self.least_normal / self.epsilon);
        let (unknown, root) = (number(UNKNOWN_SIZE), number(self.epsilon.cbrt()));
        let increment = |(y, slope): (&Array<S>, &Array<S>)| {
            let change = (slope * h).abs().fmin(&most).maximum(&least);
            let size = y.abs().maximum(&change);
            let size = size.less(&normal).select(&unknown, size) * &root;
            let down = if self.forward { slope.less(&zero) } else { slope.greater(&zero) };
            down.select(-&size, size)
        };
        y.iter().zip(slope).map(increment).collect()
    }

    /// The derivatives by the time, times the step's size twice.
    fn rates(
        &self,
        (t, h): (&Array<S>, &Array<S>),
        (y, slope): (&[Array<S>], &[Array<S>]),
    ) -> Parts<S::Scalar> {
        let far = Self::number(if self.forward { f64::INFINITY } else { f64::NEG_INFINITY });
        let least = (t.nextafter(far) - t) * Self::number(2.0);
        let small = h * Self::number(self.epsilon.sqrt());
        // Times that are many steps from zero have no nearer neighbours.
        let later = t + small.abs().less(least.abs()).select(least, small);
        let per = h / (&later - t);
        let there = self.system.slope(&later, y);
        there.iter().zip(slope).map(|(there, slope)| (there - slope) * &per * h).collect()
    }
}
