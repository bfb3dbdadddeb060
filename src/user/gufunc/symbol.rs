//! Positions in loops that are not run but recorded: integers that are affine in the turns of the
//! loops around them, perhaps wrapped once.

use crate::graph::Wrap;
use smallvec::SmallVec;
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// The most axes in one position.
const TERMS: usize = 4;

/// An axis of a recorded loop with the step of a position along it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Term {
    /// The number of the loop, unlike that of every other loop of the recording.
    pub(super) axis: u32,
    /// What the position grows by from turn to turn.
    pub(super) step: i64,
    /// The number of turns, at least 1.
    pub(super) turns: i64,
}

/// `wrap(offset + Σ step · turn)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    offset: i64,
    terms: [Term; TERMS],
    count: usize,
    wrap: Wrap,
}

impl Affine {
    fn constant(offset: i64) -> Affine {
        Affine { offset, terms: [Term::default(); TERMS], count: 0, wrap: Wrap::None }
    }

    /// The constant part.
    pub(super) fn offset(&self) -> i64 {
        self.offset
    }

    /// The axes.
    pub(super) fn terms(&self) -> &[Term] {
        &self.terms[..self.count]
    }

    /// What happens to the sum.
    pub(super) fn wrap(&self) -> Wrap {
        self.wrap
    }

    /// The lowest and the highest value of the sum; `None` where they do not fit.
    fn inner_range(&self) -> Option<(i64, i64)> {
        let (mut low, mut high) = (self.offset, self.offset);
        for term in self.terms() {
            let far = term.step.checked_mul(term.turns - 1)?;
            low = low.checked_add(far.min(0))?;
            high = high.checked_add(far.max(0))?;
        }
        Some((low, high))
    }

    /// The lowest and the highest position.
    pub(super) fn range(&self) -> Option<(i64, i64)> {
        let (low, high) = self.inner_range()?;
        Some(match self.wrap {
            Wrap::None => (low, high),
            Wrap::Div(n) => (low / n, high / n),
            Wrap::Mod(n) if low / n == high / n => (low % n, high % n),
            Wrap::Mod(n) => (0, n - 1),
            Wrap::Clamp(n) => (low.clamp(0, n - 1), high.clamp(0, n - 1)),
            Wrap::Reflect(n) | Wrap::Symmetric(n) => (0, n - 1),
        })
    }

    fn plus(mut self, other: &Affine, factor: i64) -> Option<Affine> {
        if self.wrap != Wrap::None || other.wrap != Wrap::None {
            return None;
        }
        self.offset = self.offset.checked_add(other.offset.checked_mul(factor)?)?;
        for term in other.terms() {
            let step = term.step.checked_mul(factor)?;
            match self.terms[..self.count].iter_mut().find(|own| own.axis == term.axis) {
                Some(own) => own.step = own.step.checked_add(step)?,
                None if self.count == TERMS => return None,
                None => {
                    self.terms[self.count] = Term { step, ..*term };
                    self.count += 1;
                }
            }
        }
        self.without_idle_terms()
    }

    fn without_idle_terms(self) -> Option<Affine> {
        let kept: SmallVec<[Term; TERMS]> =
            self.terms().iter().copied().filter(|t| t.step != 0 && t.turns > 1).collect();
        let mut out = Affine { count: kept.len(), terms: [Term::default(); TERMS], ..self };
        out.terms[..kept.len()].copy_from_slice(&kept);
        Some(out)
    }

    /// Whether all turns are values of the type: where one is not, the loop's own arithmetic wraps.
    /// Sums and products may wrap and come back; what else is done with a position may not.
    fn stays_in<T: Int>(&self) -> bool {
        self.range().is_some_and(|(low, high)| T::holds(low, high))
    }

    fn wrapped(self, wrap: Wrap) -> Option<Affine> {
        match (self.wrap, wrap) {
            (Wrap::None, wrap) => Some(Affine { wrap, ..self }),
            // A second remainder by the same number changes nothing.
            (Wrap::Mod(n), Wrap::Mod(m)) if n == m => Some(self),
            _ => None,
        }
    }
}

/// An integer type of loops.
pub trait Int: Copy + 'static {
    /// The value, where it fits.
    fn to_i64(self) -> Option<i64>;
    /// Whether the type has the values from `low` to `high`.
    fn holds(low: i64, high: i64) -> bool;
}

/// A position of type `T` in recorded loops. What is no affine form any more is noted as such,
/// and nothing can be read there.
#[derive(Debug)]
pub struct Sym<T> {
    form: Option<Affine>,
    of: PhantomData<T>,
}

impl<T> Clone for Sym<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Sym<T> {}

impl<T: Int> Sym<T> {
    fn new(form: Option<Affine>) -> Self {
        Sym { form, of: PhantomData }
    }

    fn constant(value: T) -> Self {
        Self::new(value.to_i64().map(Affine::constant))
    }

    /// `start + step · turn` of a loop.
    pub(super) fn of_loop(axis: u32, turns: i64, start: i64, step: i64) -> Self {
        let mut form = Affine::constant(start);
        form.terms[0] = Term { axis, step, turns };
        form.count = 1;
        Self::new(form.without_idle_terms())
    }

    /// The affine form, if it is one.
    pub(super) fn form(&self) -> Option<Affine> {
        self.form
    }

    /// A function of the position that is no sum and no product.
    fn with_value(self, change: impl FnOnce(Affine) -> Option<Affine>) -> Self {
        Self::new(self.form.filter(Affine::stays_in::<T>)).with(change)
    }

    fn with(self, change: impl FnOnce(Affine) -> Option<Affine>) -> Self {
        // Below zero an unsigned number would wrap, and come back in a sum that is in range; what
        // stays out of range is found where it is used.
        Self::new(self.form.and_then(change).filter(|form| form.range().is_some()))
    }

    /// `self as U`.
    pub fn cast<U: Int>(self) -> Sym<U> {
        Sym::new(self.form.filter(|form| form.stays_in::<T>() && form.stays_in::<U>()))
    }

    /// The remainder of the Euclidean division.
    pub fn rem_euclid(self, by: T) -> Self {
        self.with_value(|form| {
            let n = by.to_i64().filter(|&n| n > 0)?;
            let (low, _) = form.inner_range()?;
            // Whole turns of the ring change nothing, and make the sum positive.
            let turns = if low < 0 { low.checked_neg()?.checked_add(n - 1)? / n } else { 0 };
            let form = form.plus(&Affine::constant(turns.checked_mul(n)?), 1)?;
            form.wrapped(Wrap::Mod(n))
        })
    }

    /// The smaller of the position and a number.
    pub fn min(self, most: T) -> Self {
        self.with_value(|form| {
            let most = most.to_i64()?;
            let (low, high) = form.range()?;
            match (form.wrap, high <= most, low >= 0 && most >= 0) {
                (_, true, _) => Some(form),
                // Held once more: between 0 and the smaller of the bounds.
                (Wrap::None | Wrap::Clamp(_), false, true) => {
                    Some(Affine { wrap: Wrap::Clamp(most.checked_add(1)?), ..form })
                }
                _ => None,
            }
        })
    }

    /// The larger of the position and a number, which is 0 or no more than the position.
    pub fn max(self, least: T) -> Self {
        self.with_value(|form| {
            let least = least.to_i64()?;
            let (low, high) = form.range()?;
            match (low >= least, least == 0 && high >= 0) {
                (true, _) => Some(form),
                (false, true) => form.wrapped(Wrap::Clamp(high.checked_add(1)?)),
                _ => None,
            }
        })
    }

    /// The position held between 0 and a number.
    pub fn clamp(self, least: T, most: T) -> Self {
        self.with_value(|form| {
            let (least, most) = (least.to_i64()?, most.to_i64()?);
            let (low, high) = form.range()?;
            match (low >= least && high <= most, least == 0 && most >= 0) {
                (true, _) => Some(form),
                (false, true) => form.wrapped(Wrap::Clamp(most.checked_add(1)?)),
                _ => None,
            }
        })
    }

    /// The difference, or 0 where it would be negative.
    pub fn saturating_sub(self, by: T) -> Self {
        self.with_value(|form| {
            let form = form.plus(&Affine::constant(by.to_i64()?), -1)?;
            let (low, high) = form.range()?;
            match T::holds(low, high) {
                true => Some(form),
                // A signed type stops at its own bounds, not at zero.
                false if T::holds(-1, -1) => None,
                false => form.wrapped(Wrap::Clamp(high.max(0).checked_add(1)?)),
            }
        })
    }
}

/// What stands in an index: a position of a loop or a plain number.
pub trait Place {
    /// The affine form, if it is one.
    fn place(self) -> Option<Affine>;
}

impl<T: Int> Place for Sym<T> {
    fn place(self) -> Option<Affine> {
        self.form
    }
}

impl<T: Int> Add<Sym<T>> for Sym<T> {
    type Output = Sym<T>;
    fn add(self, other: Sym<T>) -> Sym<T> {
        self.with(|form| form.plus(&other.form?, 1))
    }
}

impl<T: Int> Sub<Sym<T>> for Sym<T> {
    type Output = Sym<T>;
    fn sub(self, other: Sym<T>) -> Sym<T> {
        self.with(|form| form.plus(&other.form?, -1))
    }
}

impl<T: Int> Mul<Sym<T>> for Sym<T> {
    type Output = Sym<T>;
    fn mul(self, _: Sym<T>) -> Sym<T> {
        Sym::new(None)
    }
}

impl<T: Int> Div<Sym<T>> for Sym<T> {
    type Output = Sym<T>;
    fn div(self, _: Sym<T>) -> Sym<T> {
        Sym::new(None)
    }
}

impl<T: Int> Rem<Sym<T>> for Sym<T> {
    type Output = Sym<T>;
    fn rem(self, _: Sym<T>) -> Sym<T> {
        Sym::new(None)
    }
}

impl<T: Int> Neg for Sym<T> {
    type Output = Sym<T>;
    fn neg(self) -> Sym<T> {
        self.with(|form| Affine::constant(0).plus(&form, -1))
    }
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Int for $t {
            fn to_i64(self) -> Option<i64> {
                i64::try_from(self).ok()
            }
            fn holds(low: i64, high: i64) -> bool {
                $t::try_from(low).is_ok() && $t::try_from(high).is_ok()
            }
        }

        impl Place for $t {
            fn place(self) -> Option<Affine> {
                self.to_i64().map(Affine::constant)
            }
        }

        impl Add<$t> for Sym<$t> {
            type Output = Sym<$t>;
            fn add(self, other: $t) -> Sym<$t> {
                self + Sym::constant(other)
            }
        }
        impl Add<Sym<$t>> for $t {
            type Output = Sym<$t>;
            fn add(self, other: Sym<$t>) -> Sym<$t> {
                Sym::constant(self) + other
            }
        }
        impl Sub<$t> for Sym<$t> {
            type Output = Sym<$t>;
            fn sub(self, other: $t) -> Sym<$t> {
                self - Sym::constant(other)
            }
        }
        impl Sub<Sym<$t>> for $t {
            type Output = Sym<$t>;
            fn sub(self, other: Sym<$t>) -> Sym<$t> {
                Sym::constant(self) - other
            }
        }
        impl Mul<$t> for Sym<$t> {
            type Output = Sym<$t>;
            fn mul(self, factor: $t) -> Sym<$t> {
                self.with(|form| Affine::constant(0).plus(&form, factor.to_i64()?))
            }
        }
        impl Mul<Sym<$t>> for $t {
            type Output = Sym<$t>;
            fn mul(self, position: Sym<$t>) -> Sym<$t> {
                position * self
            }
        }
        // Rust's division truncates, so that positions must not be negative here.
        impl Div<$t> for Sym<$t> {
            type Output = Sym<$t>;
            fn div(self, by: $t) -> Sym<$t> {
                self.with_value(|form| {
                    let n = by.to_i64().filter(|&n| n > 0)?;
                    let (low, _) = form.inner_range()?;
                    if low < 0 { None } else { form.wrapped(Wrap::Div(n)) }
                })
            }
        }
        impl Rem<$t> for Sym<$t> {
            type Output = Sym<$t>;
            fn rem(self, by: $t) -> Sym<$t> {
                self.with_value(|form| {
                    let n = by.to_i64().filter(|&n| n > 0)?;
                    let (low, _) = form.inner_range()?;
                    if low < 0 { None } else { form.wrapped(Wrap::Mod(n)) }
                })
            }
        }
    )*};
}
integers!(usize isize i8 i16 i32 i64 u8 u16 u32 u64);

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(axis: u32, turns: i64) -> Sym<usize> {
        Sym::of_loop(axis, turns, 0, 1)
    }

    #[test]
    fn positions_follow_the_arithmetic_of_the_loop() {
        let (i, j) = (turn(1, 10), turn(2, 4));
        let form = ((i + 10 - j) % 10).form().unwrap();
        assert_eq!((form.offset(), form.wrap()), (10, Wrap::Mod(10)));
        assert_eq!(form.range(), Some((0, 9)));
        assert_eq!((2 * i + 1).form().unwrap().range(), Some((1, 19)));
        assert_eq!((i - i).form().unwrap().terms(), []);
        assert_eq!((9 - i).form().unwrap().terms()[0].step, -1);
        assert_eq!(i.saturating_sub(1).form().unwrap().range(), Some((0, 8)));
        assert_eq!((i + 1).min(9).form().unwrap().range(), Some((1, 9)));
        let held = (i + j).saturating_sub(1).min(9).form().unwrap();
        assert_eq!((held.range(), held.wrap()), (Some((0, 9)), Wrap::Clamp(10)));
        assert_eq!((i / 3).form().unwrap().range(), Some((0, 3)));
    }

    #[test]
    fn what_leaves_its_type_wraps_there_and_is_no_form() {
        let i = Sym::<u8>::of_loop(1, 100, 0, 1);
        assert!((i * 2).cast::<u32>().form().is_some());
        // A sum may come back; nothing else is done with what has left.
        assert!((i * 3 - i).cast::<u32>().form().is_some());
        let far = i * 3;
        assert!(far.form().is_some());
        for form in
            [far / 2, far % 50, far.min(100), far.max(0), far.clamp(0, 77), far.rem_euclid(7)]
        {
            assert!(form.form().is_none());
        }
        assert!(far.cast::<u32>().form().is_none() && far.saturating_sub(3).form().is_none());
        assert!((i - 5).saturating_sub(3).form().is_none());
        assert!((i - 5).cast::<i64>().form().is_none());
        let j = Sym::<i64>::of_loop(1, 100, 0, 1);
        assert_eq!(j.saturating_sub(2).form().unwrap().range(), Some((-2, 97)));
        let k = Sym::<i8>::of_loop(1, 100, 0, 1);
        assert!(
            k.saturating_sub(100).form().is_some() && (k - 60).saturating_sub(100).form().is_none()
        );
    }

    #[test]
    fn what_is_not_affine_is_known_as_such() {
        let (i, j) = (turn(1, 10), turn(2, 4));
        assert!((i * j).form().is_none());
        assert!((i % 3 + 1).form().is_none());
        assert!((i % 0).form().is_none());
        // Below zero Rust's remainder is negative, the Euclidean one is not.
        let below = i.cast::<isize>() - 3;
        assert!((below % 5).form().is_none());
        assert_eq!(below.rem_euclid(5).form().unwrap().range(), Some((0, 4)));
        assert!(below.cast::<usize>().form().is_none());
    }
}
