//! Counting into bins.

use super::Outputs;
use crate::dtype::DType;
use smallvec::smallvec;

/// How often each bin is named, or the sum of the weights beside its names. Argument 0 holds the
/// numbers of bins, `i32` or `i64`, of which those that are no bin count nowhere; argument 1 the
/// weights, `f64`, if there are any.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Count {
    /// The number of elements, at least one.
    pub len: usize,
    /// The number of bins, at least one.
    pub bins: usize,
    /// The type of the numbers.
    pub index: DType,
    /// Whether there are weights.
    pub weighted: bool,
}

impl Count {
    /// The counts, or the sums.
    pub(super) fn outputs(&self) -> Outputs {
        smallvec![(self.bins, if self.weighted { DType::F64 } else { DType::I64 })]
    }
}
