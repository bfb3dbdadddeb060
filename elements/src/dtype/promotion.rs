//! Which element types hold the values of which others, and what arithmetic between two gives.

use super::DType;

/// The types in the order in which a common type is looked for: the first that both cast to.
const ORDER: [DType; 15] = [
    DType::Bool,
    DType::U8,
    DType::I8,
    DType::U16,
    DType::I16,
    DType::U32,
    DType::I32,
    DType::U64,
    DType::I64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
    DType::C64,
    DType::C128,
];

/// What an element type is made of, as far as casts ask.
enum Kind {
    Bool,
    /// Bits of the magnitude, and whether there is a sign.
    Integer(u32, bool),
    /// Bits of the significand and of the exponent.
    Float(u32, u32),
    Complex(u32, u32),
}

const fn kind(dtype: DType) -> Kind {
    match dtype {
        DType::Bool => Kind::Bool,
        DType::I8 => Kind::Integer(7, true),
        DType::I16 => Kind::Integer(15, true),
        DType::I32 => Kind::Integer(31, true),
        DType::I64 => Kind::Integer(63, true),
        DType::U8 => Kind::Integer(8, false),
        DType::U16 => Kind::Integer(16, false),
        DType::U32 => Kind::Integer(32, false),
        DType::U64 => Kind::Integer(64, false),
        DType::F16 => Kind::Float(11, 5),
        DType::BF16 => Kind::Float(8, 8),
        DType::F32 => Kind::Float(24, 8),
        DType::F64 => Kind::Float(53, 11),
        DType::C64 => Kind::Complex(24, 8),
        DType::C128 => Kind::Complex(53, 11),
    }
}

impl DType {
    /// Whether every value of this type is a value of another. Integers of 64 bits count as values
    /// of `f64` and `Complex<f64>`, which round them, since nothing holds more.
    ///
    /// NumPy: `can_cast(from, to)`, with its rule "safe"; `bf16`, which NumPy lacks, holds integers
    /// of 8 bits and is held by `f32`. Arrays are converted by
    /// `DeviceArray::cast`, between any two types.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(DType::I32.can_cast(DType::F64) && !DType::I32.can_cast(DType::F32));
    /// assert!(DType::U8.can_cast(DType::I16) && !DType::U8.can_cast(DType::I8));
    /// ```
    pub const fn can_cast(self, to: DType) -> bool {
        match (kind(self), kind(to)) {
            (Kind::Bool, _) => true,
            (_, Kind::Bool) => false,
            (Kind::Integer(bits, sign), Kind::Integer(other, other_sign)) => {
                bits <= other && (other_sign || !sign)
            }
            // The rounding of 64 bits is NumPy's.
            (Kind::Integer(bits, _), Kind::Float(digits, _) | Kind::Complex(digits, _)) => {
                bits <= digits || digits == 53
            }
            (Kind::Float(a, x), Kind::Float(b, y) | Kind::Complex(b, y))
            | (Kind::Complex(a, x), Kind::Complex(b, y)) => a <= b && x <= y,
            _ => false,
        }
    }

    /// The smallest type that holds the values of this type and of another: that of arithmetic
    /// between both.
    ///
    /// NumPy: `promote_types`. `bf16` and `f16` together give `f32`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DType::I32.promote(DType::F32), DType::F64);
    /// assert_eq!(DType::U8.promote(DType::I8), DType::I16);
    /// assert_eq!(DType::F64.promote(DType::C64), DType::C128);
    /// ```
    pub fn promote(self, other: DType) -> DType {
        let both = |&dtype: &DType| self.can_cast(dtype) && other.can_cast(dtype);
        ORDER.into_iter().find(both).unwrap_or(DType::C128)
    }

    /// The type of arithmetic between arrays of several types; none for no types.
    ///
    /// NumPy: `result_type`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DType::result_type([DType::I8, DType::U8, DType::F16]), Some(DType::F32));
    /// assert_eq!(DType::result_type([]), None);
    /// ```
    pub fn result_type(types: impl IntoIterator<Item = DType>) -> Option<DType> {
        types.into_iter().reduce(DType::promote)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_is_a_least_upper_bound() {
        for a in DType::ALL {
            assert!(a.can_cast(a) && a.promote(a) == a, "{a}");
            for b in DType::ALL {
                let both = a.promote(b);
                assert_eq!(both, b.promote(a), "{a} {b}");
                assert!(a.can_cast(both) && b.can_cast(both), "{a} {b}");
                assert_eq!(a.can_cast(b), both == b, "{a} {b}");
            }
        }
    }

    #[test]
    fn halves_that_numpy_lacks() {
        let brain = DType::BF16;
        assert_eq!(brain.promote(DType::F16), DType::F32);
        assert_eq!(brain.promote(DType::U8), brain);
        assert_eq!(brain.promote(DType::I16), DType::F32);
        assert_eq!(brain.promote(DType::I32), DType::F64);
        assert_eq!(brain.promote(DType::C64), DType::C64);
    }
}
