//! The operations that every vector unit has as one instruction.

use super::Op;

/// An operation of IEEE 754 that takes one instruction, on one operand or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basic {
    /// The sum.
    Add,
    /// The first less the second.
    Subtract,
    /// The product.
    Multiply,
    /// The first over the second.
    Divide,
    /// The product of the only operand with itself.
    Square,
}

impl Basic {
    /// The same operation, where it is one of them.
    pub(crate) fn of(op: Op) -> Option<Basic> {
        match op {
            Op::Add => Some(Basic::Add),
            Op::Subtract => Some(Basic::Subtract),
            Op::Multiply => Some(Basic::Multiply),
            Op::Divide => Some(Basic::Divide),
            Op::Square => Some(Basic::Square),
            _ => None,
        }
    }
}
