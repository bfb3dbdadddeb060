//! The ranges that the values of indices are known to have.

use super::{Atom, Index, Inst, Kernel};

/// The range of a value of which nothing is known.
const ANY: (i64, i64) = (i64::MIN / 4, i64::MAX / 4);

/// The least and greatest value of each index value of a kernel.
pub struct Ranges(Vec<(i64, i64)>);

impl Ranges {
    pub fn new(kernel: &Kernel) -> Self {
        let mut known = Ranges(Vec::with_capacity(kernel.values.len()));
        for value in &kernel.values {
            let range = match &value.inst {
                Inst::Index(index) => known.of(kernel, index),
                Inst::IndexDiv { index, by } => {
                    let (low, high) = known.of(kernel, index);
                    (low.div_euclid(*by), high.div_euclid(*by))
                }
                Inst::IndexMod { by, .. } => (0, by - 1),
                Inst::IndexClamp { low, high, .. } => (*low, *high),
                Inst::IndexAbs(index) => {
                    let (low, high) = known.of(kernel, index);
                    (0, high.max(-low))
                }
                _ => ANY,
            };
            known.0.push(range);
        }
        known
    }

    /// The least and greatest value of an index.
    pub fn of(&self, kernel: &Kernel, index: &Index) -> (i64, i64) {
        let mut range = (index.offset, index.offset);
        for &(atom, coefficient) in &index.terms {
            let (low, high) = match atom {
                Atom::Axis(k) => (0, kernel.axes[k as usize].extent as i64 - 1),
                Atom::Value(v) => self.0[v.at()],
            };
            let ends = (low.saturating_mul(coefficient), high.saturating_mul(coefficient));
            range.0 = range.0.saturating_add(ends.0.min(ends.1));
            range.1 = range.1.saturating_add(ends.0.max(ends.1));
        }
        range
    }
}
