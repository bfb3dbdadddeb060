//! An integration, and what all of its parts ask of it.

use super::events::Event;
use super::options::Options;
use super::scheme::Scheme;
use super::state::{Parts, State, System};
use crate::array::{DeviceArray, Operand, keep};
use crate::dtype::Floating;

/// An integration.
pub(super) struct Solver<'a, 'f, S: State> {
    pub system: &'a System<'f, S>,
    pub scheme: Scheme,
    pub events: &'a [Event<'a, S>],
    /// Whether the slopes depend on the time, where the method asks for their derivative by it.
    pub reads_time: bool,
    /// Whether threads of a GPU take the steps of a member each.
    pub by_threads: bool,
    pub start: S::Scalar,
    pub end: S::Scalar,
    pub length: S::Scalar,
    pub forward: bool,
    pub rtol: S::Scalar,
    /// The distance of 1 and the next number of the type.
    pub epsilon: f64,
    pub least_normal: f64,
    pub options: &'a Options,
    pub most_steps: i32,
}

pub(super) type Array<S> = DeviceArray<<S as State>::Scalar>;

impl<S: State> Solver<'_, '_, S> {
    pub(super) fn number(value: f64) -> S::Scalar {
        S::Scalar::from_f64(value)
    }

    /// A size in the direction of the integration.
    #[track_caller]
    pub(super) fn directed(&self, size: &Array<S>) -> Array<S> {
        if self.forward { size.clone() } else { -size }
    }

    /// Where a time has not come yet to another one.
    #[track_caller]
    pub(super) fn before(&self, t: &Array<S>, bound: impl Operand<S::Scalar>) -> DeviceArray<bool> {
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
    pub(super) fn mean_square(&self, parts: Vec<Array<S>>, scale: &[Array<S>]) -> Array<S> {
        let components = parts.len();
        let is_exact = self.options.atol == 0.0;
        let ratio = |(part, scale): (&Array<S>, &Array<S>)| match is_exact {
            // A component that is zero, and stays so, has no error.
            true => part.not_equal(Self::number(0.0)).select(part / scale, Self::number(0.0)),
            false => part / scale,
        };
        let squares = parts.iter().zip(scale).map(|pair| ratio(pair).square());
        self.mean(squares, components)
    }

    /// Where all components of a member are finite.
    #[track_caller]
    pub(super) fn finite(&self, parts: &[Array<S>]) -> DeviceArray<bool> {
        let all = parts.iter().map(DeviceArray::is_finite).reduce(|a, b| a & b);
        let all = all.expect("a state has components");
        match &self.options.coupled[..] {
            [] => all,
            axes => all.all(keep(axes)),
        }
    }

    /// The errors that are allowed, for the absolute values of components.
    pub(super) fn scale(&self, sizes: impl Iterator<Item = Array<S>>) -> Parts<S::Scalar> {
        let atol = Self::number(self.options.atol);
        sizes.map(|size| size * self.rtol + atol).collect()
    }
}
