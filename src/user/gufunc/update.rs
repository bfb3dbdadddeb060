//! How loops change what is declared outside of them.

use crate::table::{Op, Reduction};

/// How a variable that is declared outside of a loop changes in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `x = x.max(…)`, which drops NaN.
    Max,
    /// `x = x.min(…)`, which drops NaN.
    Min,
    /// `|=`
    Or,
    /// `&=`
    And,
}

impl Update {
    /// How the terms are combined with each other.
    pub(super) fn reduction(self) -> Reduction {
        match self {
            Update::Add | Update::Subtract => Reduction::Sum,
            Update::Multiply => Reduction::Prod,
            Update::Max => Reduction::Fmax,
            Update::Min => Reduction::Fmin,
            Update::Or => Reduction::Any,
            Update::And => Reduction::All,
        }
    }

    /// How they are combined with what was there before.
    pub(super) fn op(self) -> Op {
        match self {
            Update::Subtract => Op::Subtract,
            other => other.reduction().combine(),
        }
    }
}
