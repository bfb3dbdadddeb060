//! Properties that some operations alone have, and those that follow from an operation's row.

use super::{Class, Form, Gives, Op};
use crate::dtype::DType;

/// An operation of IEEE 754 that takes one instruction, on one operand or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basic {
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
    pub const USUAL: [Op; 6] = [Op::Divide, Op::Reciprocal, Op::Sqrt, Op::Exp, Op::Ln, Op::Atan2];

    /// The number of arguments.
    pub fn arity(self) -> usize {
        match self.form() {
            Form::unary => 1,
            Form::binary | Form::ldexp | Form::sample1 => 2,
            Form::ternary | Form::select | Form::sample2 => 3,
        }
    }

    /// The argument whose type is the principal one.
    pub fn principal(self) -> usize {
        usize::from(self.form() == Form::select)
    }

    /// The type of the result for arguments whose principal type is `dtype`: the type of the
    /// first argument, for `select` of the second.
    pub fn result(self, dtype: DType) -> DType {
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
    pub fn argument(self, k: usize, dtype: DType) -> DType {
        match (self.form(), k) {
            (Form::select, 0) => DType::Bool,
            (Form::ldexp, 1) => DType::I32,
            (Form::sample1, 1) | (Form::sample2, 2) => DType::U64,
            _ => dtype,
        }
    }

    /// Whether the result depends on how the type represents numbers: for a half it is not what
    /// `f32` gives, rounded.
    pub fn is_of_representation(self) -> bool {
        matches!(self, Op::Nextafter | Op::MulAdd)
    }

    /// Roughly what one element costs, in additions: the planner weighs recomputation by it.
    pub fn cost(self) -> u32 {
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

    /// What compiling the operation takes where it is written out, for a first argument of this type:
    /// microseconds of NVRTC 13.0 at one of a few places, on one core of a server.
    pub fn compile_weight(self, dtype: DType) -> u32 {
        match dtype {
            // Converted, computed as `f32` and rounded.
            DType::F16 | DType::BF16 => self.compile_weight_of_real()[0] + 200,
            DType::F32 => self.compile_weight_of_real()[0],
            DType::F64 => self.compile_weight_of_real()[1],
            DType::C64 => self.compile_weight_of_complex()[0],
            DType::C128 => self.compile_weight_of_complex()[1],
            DType::I64 | DType::U64 => self.compile_weight_of_whole()[1],
            _ => self.compile_weight_of_whole()[0],
        }
    }

    /// Of `f32` and of `f64`.
    fn compile_weight_of_real(self) -> [u32; 2] {
        match self {
            Op::Logaddexp | Op::Logaddexp2 => [100_000, 110_000],
            Op::Lgamma => [78_000, 100_000],
            Op::BesselY0 | Op::BesselY1 => [38_000, 70_000],
            Op::BesselJ0 | Op::BesselJ1 => [14_000, 47_000],
            Op::Gamma => [10_000, 25_000],
            Op::FloorDivide | Op::DivEuclid => [14_000, 40_000],
            Op::Fmod | Op::Remainder | Op::RemEuclid => [12_000, 32_000],
            Op::Sin | Op::Cos | Op::Tan => [8_500, 8_500],
            Op::Power => [6_000, 15_000],
            Op::Erfcinv => [4_500, 23_000],
            Op::Atan2 | Op::Erfc | Op::Ln => [4_500, 10_000],
            Op::Asinh | Op::Acosh | Op::Atanh | Op::Erfinv | Op::Ln1p => [2_500, 11_000],
            Op::Exp | Op::Exp2 | Op::Exp10 | Op::ExpM1 | Op::Log2 | Op::Log10 => [1_400, 5_500],
            _ if self.cost() >= 200 => [80_000, 80_000],
            _ if self.cost() >= 20 => [2_000, 6_500],
            Op::Nextafter => [2_000, 2_000],
            Op::Divide | Op::Reciprocal | Op::Sqrt => [1_000, 1_600],
            Op::Minimum | Op::Maximum | Op::Clip => [250, 600],
            _ => [130, 180],
        }
    }

    /// Of complex numbers with components of `f32` and of `f64`.
    fn compile_weight_of_complex(self) -> [u32; 2] {
        match self {
            Op::Power => [75_000, 130_000],
            Op::Tanh | Op::Tan => [42_000, 50_000],
            Op::Sin | Op::Cos | Op::Sinh | Op::Cosh => [31_000, 50_000],
            Op::Ln | Op::Log2 | Op::Log10 => [26_000, 66_000],
            Op::Asin | Op::Acos | Op::Asinh | Op::Acosh => [25_000, 55_000],
            Op::Atan | Op::Atanh => [20_000, 50_000],
            Op::Exp => [25_000, 30_000],
            Op::Divide => [11_000, 13_000],
            Op::Reciprocal | Op::Sqrt => [8_000, 11_000],
            Op::Angle => [5_000, 14_000],
            Op::Abs | Op::Sign => [2_500, 3_000],
            Op::Multiply | Op::Square | Op::MulAdd => [500, 500],
            _ => [300, 300],
        }
    }

    /// Of whole numbers of at most 32 bits and of 64.
    fn compile_weight_of_whole(self) -> [u32; 2] {
        match self {
            Op::FloorDivide | Op::DivEuclid => [5_000, 7_500],
            Op::Power | Op::Lcm => [4_000, 7_000],
            Op::Divide | Op::Reciprocal | Op::Gcd => [2_300, 3_700],
            Op::Fmod | Op::Remainder | Op::RemEuclid => [2_000, 2_700],
            _ => [150, 180],
        }
    }

    /// The weight of the operation that C++ calls `lz_` and this name, if there is one.
    pub fn compile_weight_of(name: &str, dtype: DType) -> u32 {
        let is_called = |op: &&Op| {
            let call = op.cuda().strip_prefix("lz_").and_then(|call| call.split_once('('));
            call.is_some_and(|call| call.0 == name)
        };
        Op::ALL.iter().find(is_called).map_or(0, |op| op.compile_weight(dtype))
    }

    /// Whether there is code for usual arguments of this type: without the branches for zeros,
    /// infinities, NaN and results that are near the ends of what the type holds.
    pub fn has_usual_form(self, dtype: DType) -> bool {
        Op::USUAL.contains(&self)
            && (dtype == DType::F64 || dtype == DType::F32 && self != Op::Atan2)
    }

    /// The instruction that the operation is, where every vector unit has one for it.
    pub fn basic(self) -> Option<Basic> {
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
