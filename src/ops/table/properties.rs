//! Properties that some operations alone have, and those that follow from an operation's row.

use super::{Class, Form, Gives, Op};
use crate::dtype::DType;

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

impl Op {
    /// The operations that have such a form, see [`has_usual_form`](Self::has_usual_form).
    pub(crate) const USUAL: [Op; 6] =
        [Op::Divide, Op::Reciprocal, Op::Sqrt, Op::Exp, Op::Ln, Op::Atan2];

    /// The number of arguments.
    pub(crate) fn arity(self) -> usize {
        match self.form() {
            Form::unary => 1,
            Form::binary | Form::ldexp | Form::sample1 => 2,
            Form::ternary | Form::select | Form::sample2 => 3,
        }
    }

    /// The type of the result for arguments whose principal type is `dtype`: the type of the
    /// first argument, for `select` of the second.
    pub(crate) fn result(self, dtype: DType) -> DType {
        match self.gives() {
            Gives::Same => dtype,
            Gives::Bool => DType::Bool,
            Gives::U8 => DType::U8,
            Gives::I32 => DType::I32,
            Gives::Real => dtype.real(),
            Gives::Complex if dtype == DType::F32 => DType::C64,
            Gives::Complex => DType::C128,
        }
    }

    /// The type of argument `k` where the principal type is `dtype`.
    #[cfg(any(test, debug_assertions))]
    pub(crate) fn argument(self, k: usize, dtype: DType) -> DType {
        match (self.form(), k) {
            (Form::select, 0) => DType::Bool,
            (Form::ldexp, 1) => DType::I32,
            (Form::sample1, 1) | (Form::sample2, 2) => DType::U64,
            _ => dtype,
        }
    }

    /// Whether the result depends on how the type represents numbers: for a half it is not what
    /// `f32` gives, rounded.
    pub(crate) fn is_of_representation(self) -> bool {
        matches!(self, Op::Nextafter | Op::MulAdd)
    }

    /// Roughly what one element costs, in additions: the planner weighs recomputation by it.
    pub(crate) fn cost(self) -> u32 {
        match self.class() {
            _ if self.cuda().starts_with('(') => 1,
            Class::Double => 200,
            Class::Word => 8,
            Class::Inexact | Class::Floating => match self {
                Op::Sqrt => 4,
                Op::IsNan | Op::IsInf | Op::IsFinite | Op::RealPart | Op::ImagPart | Op::Conj => 1,
                Op::Floor | Op::Ceil | Op::Trunc | Op::Rint | Op::Copysign | Op::Degrees => 1,
                _ => 20,
            },
            _ => match self {
                Op::Power => 40,
                Op::Divide | Op::Reciprocal => 5,
                Op::FloorDivide | Op::Remainder | Op::Fmod | Op::DivEuclid | Op::RemEuclid => 8,
                _ => 1,
            },
        }
    }

    /// Whether there is code for usual arguments of this type: without the branches for zeros,
    /// infinities, NaN and results that are near the ends of what the type holds.
    pub(crate) fn has_usual_form(self, dtype: DType) -> bool {
        Op::USUAL.contains(&self)
            && (dtype == DType::F64 || dtype == DType::F32 && self != Op::Atan2)
    }

    /// The instruction that the operation is, where every vector unit has one for it.
    pub(crate) fn basic(self) -> Option<Basic> {
        match self {
            Op::Add => Some(Basic::Add),
            Op::Subtract => Some(Basic::Subtract),
            Op::Multiply => Some(Basic::Multiply),
            Op::Divide => Some(Basic::Divide),
            Op::Square => Some(Basic::Square),
            _ => None,
        }
    }
}
