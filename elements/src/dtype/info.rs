//! What is known of an element type, and of the types together: limits, defaults, capabilities.

use super::{DType, bf16, f16};

/// The most axes that an array may have.
pub const MAX_RANK: usize = 16;

/// The limits of a floating-point type; those of its component for a complex one. Every one of them
/// is a number of `f64`. Made by [`DType::finfo`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloatInfo {
    /// The real type that this is about.
    pub dtype: DType,
    /// The bits of a number.
    pub bits: u32,
    /// The distance from 1 to the next larger number.
    pub eps: f64,
    /// The largest finite number.
    pub max: f64,
    /// The lowest finite number.
    pub min: f64,
    /// The smallest positive number of full precision.
    pub smallest_normal: f64,
    /// The smallest positive number.
    pub smallest_subnormal: f64,
}

/// The limits of an integer type. Made by [`DType::iinfo`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IntegerInfo {
    /// The type that this is about.
    pub dtype: DType,
    /// The bits of a number.
    pub bits: u32,
    /// The largest number.
    pub max: i128,
    /// The lowest number.
    pub min: i128,
}

/// The element types that functions give where no array says one. Made by
/// [`DType::default_dtypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefaultDTypes {
    /// Real numbers: means of integers, random numbers.
    pub real: DType,
    /// Complex numbers.
    pub complex: DType,
    /// Whole numbers: sums of integers, counts.
    pub integral: DType,
    /// Positions.
    pub indexing: DType,
}

/// What arrays can do. Made by [`DType::capabilities`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Whether elements are taken by masks.
    pub boolean_indexing: bool,
    /// Whether there are functions whose result has a shape that depends on data.
    pub data_dependent_shapes: bool,
    /// The most axes that an array may have.
    pub max_dimensions: usize,
}

impl DType {
    /// The limits of a floating-point or complex type; none for others. NumPy: `finfo`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let info = DType::C64.finfo().unwrap();
    /// assert_eq!((info.dtype, info.bits), (DType::F32, 32));
    /// assert_eq!(info.eps, f32::EPSILON as f64);
    /// assert!(DType::I32.finfo().is_none());
    /// ```
    pub fn finfo(self) -> Option<FloatInfo> {
        let dtype = self.real();
        // The digits of the significand, and the exponents of the largest and of the least normal
        // number.
        let (digits, highest, lowest) = match dtype {
            DType::F16 => (f16::MANTISSA_DIGITS, f16::MAX_EXP, f16::MIN_EXP),
            DType::BF16 => (bf16::MANTISSA_DIGITS, bf16::MAX_EXP, bf16::MIN_EXP),
            DType::F32 => (f32::MANTISSA_DIGITS, f32::MAX_EXP, f32::MIN_EXP),
            DType::F64 => (f64::MANTISSA_DIGITS, f64::MAX_EXP, f64::MIN_EXP),
            _ => return None,
        };
        let eps = power_of_two(1 - digits as i32);
        let max = (2.0 - eps) * power_of_two(highest - 1);
        let smallest_normal = power_of_two(lowest - 1);
        Some(FloatInfo {
            dtype,
            bits: 8 * dtype.size() as u32,
            eps,
            max,
            min: -max,
            smallest_normal,
            smallest_subnormal: smallest_normal * eps,
        })
    }

    /// The limits of an integer type; none for others. NumPy: `iinfo`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let info = DType::I16.iinfo().unwrap();
    /// assert_eq!((info.bits, info.min, info.max), (16, -32768, 32767));
    /// assert!(DType::Bool.iinfo().is_none());
    /// ```
    pub fn iinfo(self) -> Option<IntegerInfo> {
        if !self.is_integer() {
            return None;
        }
        let bits = 8 * self.size() as u32;
        let (min, max) = match self.is_signed_integer() {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        Some(IntegerInfo { dtype: self, bits, max, min })
    }

    /// The types that functions give where no array says one. Array API: `default_dtypes` of
    /// `__array_namespace_info__`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DType::default_dtypes().real, DType::F64);
    /// assert_eq!(DeviceArray::<i32>::ones(2).mean(..).dtype(), DType::default_dtypes().real);
    /// ```
    pub const fn default_dtypes() -> DefaultDTypes {
        DefaultDTypes {
            real: DType::F64,
            complex: DType::C128,
            integral: DType::I64,
            indexing: DType::I64,
        }
    }

    /// What arrays can do. Array API: `capabilities` of `__array_namespace_info__`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DType::capabilities().max_dimensions, 16);
    /// assert!(DeviceArray::<u8>::try_zeros([1; 17]).is_err());
    /// ```
    pub const fn capabilities() -> Capabilities {
        Capabilities {
            boolean_indexing: true,
            data_dependent_shapes: true,
            max_dimensions: MAX_RANK,
        }
    }
}

/// A power of two that `f64` holds as a normal number.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Scalar;

    #[test]
    fn limits_are_those_of_the_types() {
        let single = DType::F32.finfo().unwrap();
        assert_eq!(single.max, f64::from(f32::MAX));
        assert_eq!(single.smallest_normal, f64::from(f32::MIN_POSITIVE));
        assert_eq!(single.smallest_subnormal, f64::from(f32::from_bits(1)));
        let double = DType::C128.finfo().unwrap();
        assert_eq!((double.max, double.eps), (f64::MAX, f64::EPSILON));
        assert_eq!(double.smallest_normal, f64::MIN_POSITIVE);
        assert_eq!(double.smallest_subnormal, f64::from_bits(1));
        let half = DType::F16.finfo().unwrap();
        assert_eq!((half.max, half.eps), (65504.0, f16::EPSILON.to_f64()));
        assert_eq!(half.smallest_subnormal, f16::from_bits(1).to_f64());
        let brain = DType::BF16.finfo().unwrap();
        assert_eq!(brain.max, bf16::MAX.to_f64());
        assert_eq!(brain.smallest_normal, bf16::MIN_POSITIVE.to_f64());
        assert_eq!(DType::U64.iinfo().unwrap().max, i128::from(u64::MAX));
        assert_eq!(DType::I64.iinfo().unwrap().min, i128::from(i64::MIN));
        assert!(DType::Bool.finfo().is_none() && DType::F64.iinfo().is_none());
    }

    #[test]
    fn integers_are_as_long_as_their_limits() {
        for dtype in DType::ALL.into_iter().filter(|d| d.is_integer()) {
            let info = dtype.iinfo().unwrap();
            for end in [info.min, info.max] {
                let scalar = Scalar::from_f64(dtype, end as f64);
                assert_eq!(scalar.to_i128(), end, "{dtype}");
            }
        }
    }
}
