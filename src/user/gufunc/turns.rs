//! The turns of recorded loops, and the lengths of arrays that a function makes.

use super::symbol::{Affine, Int, Place};

/// The lengths of an array that a function makes.
pub trait Lengths<const N: usize> {
    /// The lengths.
    fn lengths(self) -> [usize; N];
}

impl Lengths<1> for usize {
    fn lengths(self) -> [usize; 1] {
        [self]
    }
}

impl<const N: usize> Lengths<N> for [usize; N] {
    fn lengths(self) -> [usize; N] {
        self
    }
}

impl Lengths<2> for (usize, usize) {
    fn lengths(self) -> [usize; 2] {
        [self.0, self.1]
    }
}

impl Lengths<3> for (usize, usize, usize) {
    fn lengths(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}

/// What a recorded loop runs over.
pub trait Turns<T> {
    /// The first position, the step and the number of turns, where they are known and fit.
    fn turns(self) -> Option<(i64, i64, usize)>;
}

impl<T: Int> Turns<T> for std::ops::Range<T> {
    fn turns(self) -> Option<(i64, i64, usize)> {
        let (start, end) = (self.start.to_i64()?, self.end.to_i64()?);
        Some((start, 1, usize::try_from(end.checked_sub(start)?.max(0)).ok()?))
    }
}

impl<T: Int> Turns<T> for std::ops::RangeInclusive<T> {
    fn turns(self) -> Option<(i64, i64, usize)> {
        let (start, end) = (self.start().to_i64()?, self.end().to_i64()?);
        Some((start, 1, usize::try_from(end.checked_sub(start)?.checked_add(1)?.max(0)).ok()?))
    }
}

/// A range from its end to its beginning.
pub struct Reversed<R>(pub R);

impl<T, R: Turns<T>> Turns<T> for Reversed<R> {
    fn turns(self) -> Option<(i64, i64, usize)> {
        let (start, step, turns) = self.0.turns()?;
        let last = (turns as i64).checked_sub(1)?.checked_mul(step)?.checked_add(start)?;
        Some((last, step.checked_neg()?, turns))
    }
}

/// Every so many positions of a range.
pub struct Stepped<R>(pub R, pub usize);

impl<T, R: Turns<T>> Turns<T> for Stepped<R> {
    fn turns(self) -> Option<(i64, i64, usize)> {
        let (start, step, turns) = self.0.turns()?;
        let by = i64::try_from(self.1).ok().filter(|&by| by > 0)?;
        Some((start, step.checked_mul(by)?, turns.div_ceil(self.1)))
    }
}

/// The form of a place's index.
pub fn place(index: impl Place) -> Option<Affine> {
    index.place()
}
