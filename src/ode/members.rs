//! The members of an ensemble between two turns of the loop, and a step that they try.

use super::state::Parts;
use crate::array::DeviceArray;
use crate::dtype::Floating;

/// A member goes on; its last step was accepted.
pub(super) const RUNNING: i32 = -1;
/// A member goes on, with a smaller step: the error was too large.
pub(super) const REJECTED: i32 = -2;
/// A member goes on, with a smaller step: the error was not finite.
pub(super) const NOT_FINITE_YET: i32 = -3;

/// The members of an ensemble, on their ways.
pub(super) struct Members<T: Floating> {
    pub t: DeviceArray<T>,
    /// The size of the next step.
    pub size: DeviceArray<T>,
    pub y: Parts<T>,
    /// The slopes at `t` and `y`.
    pub slope: Parts<T>,
    /// The last steps, for dense output: nothing where none is asked for.
    pub last: Option<Last<T>>,
    /// What became of each event so far.
    pub watches: Vec<Watch<T>>,
    pub accepted: DeviceArray<i32>,
    pub rejected: DeviceArray<i32>,
    pub status: DeviceArray<i32>,
}

/// What dense output needs to know of each member's last step, besides its end.
pub(super) struct Last<T: Floating> {
    pub t: DeviceArray<T>,
    pub y: Parts<T>,
    /// Slopes or terms of the interpolation, by the method.
    pub terms: Vec<Parts<T>>,
}

/// What became of an event so far.
pub(super) struct Watch<T: Floating> {
    /// The event's function at the members' times.
    pub value: DeviceArray<T>,
    /// The steps of the first crossings.
    pub steps: Vec<Crossed<T>>,
    /// The number of crossings.
    pub count: DeviceArray<i32>,
    /// 1 where the last step that was taken had a crossing, else 0.
    pub latest: DeviceArray<i32>,
}

/// A step within which an event happened: a repetition gives its end and all between.
#[derive(Clone)]
pub(super) struct Crossed<T: Floating> {
    pub from: DeviceArray<T>,
    pub to: DeviceArray<T>,
    /// The state at the start.
    pub y: Parts<T>,
}

/// Members as loops take them: numbers first, then counts and statuses.
pub(super) type Flattened<T> = (Parts<T>, Vec<DeviceArray<i32>>);

/// How many arrays of each kind members have.
#[derive(Clone)]
pub(super) struct Layout {
    pub components: usize,
    /// The number of terms of dense output, where there is one.
    pub terms: Option<usize>,
    /// The number of steps that each event keeps.
    pub steps: Vec<usize>,
}

impl<T: Floating> Members<T> {
    pub fn layout(&self) -> Layout {
        Layout {
            components: self.y.len(),
            terms: self.last.as_ref().map(|last| last.terms.len()),
            steps: self.watches.iter().map(|watch| watch.steps.len()).collect(),
        }
    }

    pub fn flatten(self) -> Flattened<T> {
        let mut numbers = vec![self.t, self.size];
        let mut counts = vec![self.accepted, self.rejected, self.status];
        numbers.extend(self.y.into_iter().chain(self.slope));
        if let Some(last) = self.last {
            numbers.push(last.t);
            numbers.extend(last.y.into_iter().chain(last.terms.into_iter().flatten()));
        }
        for watch in self.watches {
            numbers.push(watch.value);
            for step in watch.steps {
                numbers.extend([step.from, step.to].into_iter().chain(step.y));
            }
            counts.extend([watch.count, watch.latest]);
        }
        (numbers, counts)
    }

    /// The members that were flattened.
    pub fn build((numbers, counts): Flattened<T>, layout: &Layout) -> Members<T> {
        let (mut numbers, mut counts) = (numbers.into_iter(), counts.into_iter());
        let mut count = || counts.next().expect("as many counts as were flattened");
        let one = |numbers: &mut std::vec::IntoIter<DeviceArray<T>>| {
            numbers.next().expect("as many arrays as were flattened")
        };
        let part = |numbers: &mut std::vec::IntoIter<DeviceArray<T>>| -> Parts<T> {
            numbers.by_ref().take(layout.components).collect()
        };
        let numbers = &mut numbers;
        Members {
            t: one(numbers),
            size: one(numbers),
            y: part(numbers),
            slope: part(numbers),
            accepted: count(),
            rejected: count(),
            status: count(),
            last: layout.terms.map(|terms| Last {
                t: one(numbers),
                y: part(numbers),
                terms: (0..terms).map(|_| part(numbers)).collect(),
            }),
            watches: layout
                .steps
                .iter()
                .map(|&steps| Watch {
                    value: one(numbers),
                    steps: (0..steps)
                        .map(|_| Crossed { from: one(numbers), to: one(numbers), y: part(numbers) })
                        .collect(),
                    count: count(),
                    latest: count(),
                })
                .collect(),
        }
    }
}

/// A step that was tried.
pub(super) struct Trial<T: Floating> {
    /// Where the step is large enough to be taken.
    pub possible: DeviceArray<bool>,
    pub t: DeviceArray<T>,
    pub h: DeviceArray<T>,
    pub to: Attempt<T>,
}

/// Where a step of the method comes to.
pub(super) struct Attempt<T: Floating> {
    pub y: Parts<T>,
    /// The slopes there.
    pub slope: Parts<T>,
    /// What dense output is made of: the slopes of all stages, or their increments.
    pub stages: Vec<Parts<T>>,
    /// The error in terms of the tolerances: NaN where the new state is not finite.
    pub error: DeviceArray<T>,
}

/// The sum of slopes of one component, with weights.
#[track_caller]
pub(super) fn weighted<T: Floating>(
    slopes: &[Parts<T>],
    weights: &[f64],
    component: usize,
) -> DeviceArray<T> {
    let terms = slopes.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
    let terms = terms.map(|(slope, &weight)| &slope[component] * T::from_f64(weight));
    terms.reduce(|sum, term| sum + term).expect("every row of a tableau has a weight")
}
