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
    pub accepted: DeviceArray<i32>,
    pub rejected: DeviceArray<i32>,
    pub status: DeviceArray<i32>,
}

/// What dense output needs to know of each member's last step.
pub(super) struct Last<T: Floating> {
    pub t: DeviceArray<T>,
    pub y: Parts<T>,
    pub slope: Parts<T>,
    /// The terms beyond the cubic ones.
    pub terms: Vec<Parts<T>>,
}

/// Members as loops take them: times, sizes, states and slopes; then counts and statuses.
pub(super) type Flattened<T> = (Parts<T>, Vec<DeviceArray<i32>>);

impl<T: Floating> Members<T> {
    pub fn flatten(self) -> Flattened<T> {
        let mut numbers = vec![self.t, self.size];
        numbers.extend(self.y.into_iter().chain(self.slope));
        if let Some(last) = self.last {
            numbers.push(last.t);
            numbers.extend(last.y.into_iter().chain(last.slope));
            numbers.extend(last.terms.into_iter().flatten());
        }
        (numbers, vec![self.accepted, self.rejected, self.status])
    }

    /// Members of so many components.
    pub fn build((numbers, counts): Flattened<T>, components: usize) -> Members<T> {
        let mut numbers = numbers.into_iter();
        let mut one = || numbers.next().expect("as many arrays as were flattened");
        let (t, size) = (one(), one());
        let (y, slope) = (numbers.by_ref().take(components).collect(), numbers.by_ref());
        let slope = slope.take(components).collect();
        let last = numbers.next().map(|t| {
            let mut part = || numbers.by_ref().take(components).collect::<Parts<T>>();
            let (y, slope) = (part(), part());
            let terms = std::iter::repeat_with(part).take_while(|term| !term.is_empty()).collect();
            Last { t, y, slope, terms }
        });
        let [accepted, rejected, status] =
            counts.try_into().unwrap_or_else(|_| unreachable!("two counts and the status"));
        Members { t, size, y, slope, last, accepted, rejected, status }
    }
}

/// A step that was tried.
pub(super) struct Trial<T: Floating> {
    /// Where the step is large enough to be taken.
    pub possible: DeviceArray<bool>,
    pub t: DeviceArray<T>,
    pub h: DeviceArray<T>,
    pub y: Parts<T>,
    /// The slopes of all stages; the last is that at the step's end.
    pub slopes: Vec<Parts<T>>,
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
