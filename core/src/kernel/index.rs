//! Affine indices over the axes of a kernel, and sets of axes.

use super::{Axis, Val};
use crate::math::IntMath;
use smallvec::SmallVec;

/// A set of axes of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AxisSet(pub u32);

impl AxisSet {
    /// No axis.
    pub const EMPTY: AxisSet = AxisSet(0);

    /// The set of one axis.
    pub fn one(axis: usize) -> Self {
        AxisSet(1 << axis)
    }

    /// Whether the set has the axis.
    pub fn has(self, axis: usize) -> bool {
        self.0 & (1 << axis) != 0
    }

    /// Whether the set has no axis.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of axes.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The axes of either set.
    #[must_use]
    pub fn union(self, other: AxisSet) -> Self {
        AxisSet(self.0 | other.0)
    }

    /// The axes of both sets.
    #[must_use]
    pub fn intersection(self, other: AxisSet) -> Self {
        AxisSet(self.0 & other.0)
    }

    /// The axes of this set that are not in the other.
    #[must_use]
    pub fn minus(self, other: AxisSet) -> Self {
        AxisSet(self.0 & !other.0)
    }

    /// Whether every axis of this set is in the other.
    pub fn is_subset(self, other: AxisSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// The axes, ascending.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = usize> + Clone {
        (0..32).filter(move |&k| self.has(k))
    }
}

impl FromIterator<usize> for AxisSet {
    fn from_iter<I: IntoIterator<Item = usize>>(axes: I) -> Self {
        axes.into_iter().fold(AxisSet::EMPTY, |set, k| set.union(AxisSet::one(k)))
    }
}

/// What an index is a sum of: the position on an axis, or an integer value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The position on an axis.
    Axis(u8),
    /// An `i64` value: an index instruction, or an element of an index array.
    Value(Val),
}

/// `offset + Σ coefficient · atom`, with the atoms ascending and no coefficient 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Index {
    /// The constant part.
    pub offset: i64,
    /// The atoms with their coefficients.
    pub terms: SmallVec<[(Atom, i64); 2]>,
}

impl Index {
    /// The least and the greatest value over axes; `None` where the index is no sum of positions
    /// alone.
    pub fn range(&self, axes: &[Axis]) -> Option<(i64, i64)> {
        let mut range = (self.offset, self.offset);
        for &(atom, coefficient) in &self.terms {
            let Atom::Axis(k) = atom else { return None };
            let end = coefficient * (axes[k as usize].extent as i64 - 1);
            range = (range.0 + end.min(0), range.1 + end.max(0));
        }
        Some(range)
    }

    /// Whether the index never meets `start` plus a multiple of `step`, whatever its atoms are.
    pub fn is_between(&self, start: i64, step: i64) -> bool {
        let together = self.terms.iter().fold(step, |divisor, term| i64::gcd(divisor, term.1));
        (self.offset - start).rem_euclid(together) != 0
    }

    /// A constant.
    pub fn constant(offset: i64) -> Self {
        Index { offset, terms: SmallVec::new() }
    }

    /// One atom.
    pub fn atom(atom: Atom) -> Self {
        Index { offset: 0, terms: SmallVec::from_iter([(atom, 1)]) }
    }

    /// The position on an axis.
    pub fn axis(axis: usize) -> Self {
        Self::atom(Atom::Axis(axis as u8))
    }

    /// The coefficient of an atom; 0 where it does not occur.
    pub fn coefficient(&self, atom: Atom) -> i64 {
        self.terms.iter().find(|t| t.0 == atom).map_or(0, |t| t.1)
    }

    /// The coefficient of the position on an axis.
    pub fn stride(&self, axis: usize) -> i64 {
        self.coefficient(Atom::Axis(axis as u8))
    }

    /// The values among the atoms.
    pub fn values(&self) -> impl Iterator<Item = Val> + '_ {
        self.terms.iter().filter_map(|t| match t.0 {
            Atom::Value(v) => Some(v),
            Atom::Axis(_) => None,
        })
    }

    /// The axes among the atoms (those of the values not included).
    pub fn axes(&self) -> AxisSet {
        let axis = |t: &(Atom, i64)| match t.0 {
            Atom::Axis(k) => Some(k as usize),
            Atom::Value(_) => None,
        };
        self.terms.iter().filter_map(axis).collect()
    }

    /// Puts other values, all of them different, in the place of those among the atoms.
    pub fn rename(&mut self, to: impl Fn(Val) -> Val) {
        for term in &mut self.terms {
            if let Atom::Value(v) = term.0 {
                term.0 = Atom::Value(to(v));
            }
        }
        self.terms.sort_by_key(|t| t.0);
    }

    /// Adds `coefficient · atom`.
    pub fn add_term(&mut self, atom: Atom, coefficient: i64) {
        match self.terms.binary_search_by_key(&atom, |t| t.0) {
            Ok(at) => {
                self.terms[at].1 += coefficient;
                if self.terms[at].1 == 0 {
                    self.terms.remove(at);
                }
            }
            Err(_) if coefficient == 0 => {}
            Err(at) => self.terms.insert(at, (atom, coefficient)),
        }
    }

    /// Adds `factor · other`.
    pub fn add_scaled(&mut self, other: &Index, factor: i64) {
        self.offset += other.offset * factor;
        for &(atom, coefficient) in &other.terms {
            self.add_term(atom, coefficient * factor);
        }
    }
}
