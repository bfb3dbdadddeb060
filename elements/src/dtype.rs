//! Plain types: the runtime [`DType`], the scalar values, and the traits by which the type
//! system refuses what makes no sense.

mod info;
mod promotion;

pub use half::{bf16, f16};
pub use info::{Capabilities, DefaultDTypes, FloatInfo, IntegerInfo, MAX_RANK};
pub use num_complex::Complex;
use std::fmt;

/// Runs an expression with `T` bound to the Rust type of a [`DType`] value.
#[doc(hidden)]
#[macro_export]
macro_rules! with_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::dtype::with_dtype!(@arms $dtype, $T, $body;
            Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64,
            F16 $crate::dtype::f16, BF16 $crate::dtype::bf16, F32 f32, F64 f64,
            C64 $crate::dtype::Complex<f32>, C128 $crate::dtype::Complex<f64>)
    };
    (@arms $dtype:expr, $T:ident, $body:expr; $($d:ident $t:ty),*) => {
        match $dtype {
            $($crate::dtype::DType::$d => {
                type $T = $t;
                $body
            })*
            // Other crates match with it, for which there may be more types.
            #[allow(unreachable_patterns)]
            _ => unreachable!("every type has its arm"),
        }
    };
}
pub use with_dtype;

/// The element type of an array, as a value.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// assert_eq!((DType::C64.size(), DType::C64.name()), (8, "complex64"));
/// assert_eq!((DType::C64.real(), DType::BF16.compute()), (DType::F32, DType::F32));
/// assert!(DType::F16.is_float() && DType::C64.is_complex() && !DType::C64.is_float());
/// assert!(DType::U8.is_integer() && !DType::U8.is_signed_integer() && !DType::Bool.is_integer());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    C64,
    C128,
}

impl DType {
    /// Every element type.
    pub const ALL: [DType; 15] = [
        DType::Bool,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];

    /// The size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::I8 | DType::U8 => 1,
            DType::I16 | DType::U16 | DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 | DType::C64 => 8,
            DType::C128 => 16,
        }
    }

    /// The name, as NumPy spells it.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I8 => "int8",
            DType::I16 => "int16",
            DType::I32 => "int32",
            DType::I64 => "int64",
            DType::U8 => "uint8",
            DType::U16 => "uint16",
            DType::U32 => "uint32",
            DType::U64 => "uint64",
            DType::F16 => "float16",
            DType::BF16 => "bfloat16",
            DType::F32 => "float32",
            DType::F64 => "float64",
            DType::C64 => "complex64",
            DType::C128 => "complex128",
        }
    }

    /// Whether this is a real floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
    }

    /// Whether this is a complex type.
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::C64 | DType::C128)
    }

    /// Whether this is a signed or unsigned integer type (bool is not).
    pub const fn is_integer(self) -> bool {
        !self.is_float() && !self.is_complex() && !matches!(self, DType::Bool)
    }

    /// Whether this is a signed integer type.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, DType::I8 | DType::I16 | DType::I32 | DType::I64)
    }

    /// The type of the real part: complex types give their component, others themselves.
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// The type in which values of this type are computed: halves compute in `f32` and are
    /// rounded after every operation, so that fusing never changes a result.
    pub const fn compute(self) -> DType {
        match self {
            DType::F16 | DType::BF16 => DType::F32,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One value of any element type, as its little-endian bytes.
///
/// # Example
/// ```
/// use lazuli::{dtype::Scalar, prelude::*};
/// let number = Scalar::new(2.5f32);
/// assert_eq!((number.dtype(), number.get::<f32>(), number.get::<f64>()), (DType::F32, Some(2.5), None));
/// assert_eq!(number.bytes(), 2.5f32.to_ne_bytes());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    bits: [u64; 2],
    dtype: DType,
}

impl Scalar {
    /// A value that nobody asks for.
    #[doc(hidden)]
    pub const NOTHING: Scalar = Scalar { bits: [0; 2], dtype: DType::Bool };

    /// Wraps a value.
    #[inline]
    pub fn new<T: Plain>(value: T) -> Self {
        let mut bits = [0u64; 2];
        // SAFETY: every Plain is plain old data of at most 16 bytes without padding.
        unsafe {
            std::ptr::copy_nonoverlapping(
                (&raw const value).cast::<u8>(),
                bits.as_mut_ptr().cast::<u8>(),
                size_of::<T>(),
            );
        }
        Scalar { bits, dtype: T::TYPE }
    }

    /// The value of a type whose bytes are the first ones of these words, of which the others are zero.
    #[doc(hidden)]
    pub fn from_words(dtype: DType, bits: [u64; 2]) -> Self {
        Scalar { bits, dtype }
    }

    /// A small number in any type: `0`, `1`, `2`, as reductions and conversions need it.
    #[doc(hidden)]
    pub fn from_f64(dtype: DType, value: f64) -> Self {
        match dtype {
            DType::Bool => Scalar::new(value != 0.0),
            DType::I8 => Scalar::new(value as i8),
            DType::I16 => Scalar::new(value as i16),
            DType::I32 => Scalar::new(value as i32),
            DType::I64 => Scalar::new(value as i64),
            DType::U8 => Scalar::new(value as u8),
            DType::U16 => Scalar::new(value as u16),
            DType::U32 => Scalar::new(value as u32),
            DType::U64 => Scalar::new(value as u64),
            DType::F16 => Scalar::new(half_from(value, f16::from_f32)),
            DType::BF16 => Scalar::new(half_from(value, bf16::from_f32)),
            DType::F32 => Scalar::new(value as f32),
            DType::F64 => Scalar::new(value),
            DType::C64 => Scalar::new(Complex::new(value as f32, 0.0)),
            DType::C128 => Scalar::new(Complex::new(value, 0.0)),
        }
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The value, if it is of type `T`.
    pub fn get<T: Plain>(&self) -> Option<T> {
        // SAFETY: the dtype says that the bytes are a valid T, and `bits` is large enough.
        (self.dtype == T::TYPE).then(|| unsafe { self.bits.as_ptr().cast::<T>().read_unaligned() })
    }

    /// The bytes of the value.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `bits` is 16 initialised bytes, and no element is larger.
        unsafe { std::slice::from_raw_parts(self.bits.as_ptr().cast(), self.dtype.size()) }
    }

    /// A real number as `f64`.
    #[doc(hidden)]
    pub fn to_f64(self) -> f64 {
        match self.dtype() {
            DType::F64 => self.get::<f64>().unwrap_or_default(),
            DType::F32 => f64::from(self.get::<f32>().unwrap_or_default()),
            DType::F16 => self.get::<f16>().unwrap_or_default().to_f64(),
            DType::BF16 => self.get::<bf16>().unwrap_or_default().to_f64(),
            _ => self.to_i128() as f64,
        }
    }

    /// An integer as `i128`.
    #[doc(hidden)]
    pub fn to_i128(self) -> i128 {
        let mut bytes = [0u8; 16];
        bytes[..self.bytes().len()].copy_from_slice(self.bytes());
        let unused = 128 - 8 * self.dtype().size() as u32;
        let raised = i128::from_le_bytes(bytes) << unused;
        match self.dtype().is_signed_integer() {
            true => raised >> unused,
            false => (raised as u128 >> unused) as i128,
        }
    }

    /// A real number in another type.
    #[doc(hidden)]
    pub fn converted(self, dtype: DType) -> Scalar {
        if self.dtype() == dtype { self } else { Scalar::from_f64(dtype, self.to_f64()) }
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_dtype!(self.dtype, T => self.get::<T>().expect("dtype was matched").fmt(f))
    }
}

mod private {
    pub trait Sealed {}
}

/// Rounds to `f32` such that rounding the result to a half gives what rounding once would: an
/// inexact value gets an odd last bit, which is no tie of any half.
#[inline(always)]
pub fn round_to_odd(value: f64) -> f32 {
    let near = value as f32;
    let back = near as f64;
    let (bits, even) = (near.to_bits(), near.to_bits() & 1 == 0);
    let inexact = (back != value) & even & near.is_finite();
    let away = value.abs() > back.abs();
    let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f32::from_bits(if inexact { odd } else { bits })
}

/// `a·b + c` of numbers that are halves, such that rounding the result to a half is the only
/// rounding: of the nearest double, which holds the product of two halves exactly but not its sum
/// with a third, the neighbour with an odd last bit where digits were lost.
///
/// Nothing overflows or is subnormal on the way: exponents of products of `bf16` end at ±266. So
/// what the sum has lost is a double itself (D. Knuth's two-sum), and of a sum without a value, NaN.
#[inline(always)]
pub fn halves_mul_add(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let added = sum - product;
    let lost = (product - (sum - added)) + (c - added);
    let (bits, even) = (sum.to_bits(), sum.to_bits() & 1 == 0);
    let inexact = ((lost > 0.0) | (lost < 0.0)) & even;
    let away = (lost > 0.0) == (sum > 0.0);
    let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    round_to_odd(f64::from_bits(if inexact { odd } else { bits }))
}

/// The nearest half. The `half` crate's `from_f64` rounds twice where the processor converts
/// halves itself.
pub fn half_from<H>(value: f64, from_f32: impl Fn(f32) -> H) -> H {
    from_f32(round_to_odd(value))
}

/// Plain data that arrays hold: an element type, as devices see it. Users know it as `Plain` of the
/// crate above.
pub trait Plain:
    private::Sealed + Copy + Send + Sync + fmt::Debug + PartialEq + Default + 'static
{
    /// The type as a value.
    const TYPE: DType;
    /// The type of the real part: the component of a complex type, else the type itself.
    type Part: Plain;
}

macro_rules! plain {
    ($($t:ty, $d:ident, $part:ty;)*) => {$(
        impl private::Sealed for $t {}
        impl Plain for $t {
            const TYPE: DType = DType::$d;
            type Part = $part;
        }
    )*};
}
plain! {
    bool, Bool, bool;
    i8, I8, i8;
    i16, I16, i16;
    i32, I32, i32;
    i64, I64, i64;
    u8, U8, u8;
    u16, U16, u16;
    u32, U32, u32;
    u64, U64, u64;
    f16, F16, f16;
    bf16, BF16, bf16;
    f32, F32, f32;
    f64, F64, f64;
    Complex<f32>, C64, f32;
    Complex<f64>, C128, f64;
}

/// Real floating-point types, from and to `f64`.
pub trait Rounded: Plain {
    /// The nearest value of this type.
    fn rounded(value: f64) -> Self;
    /// The value as `f64`.
    fn widened(self) -> f64;
}

macro_rules! rounded {
    ($($t:ty, $from:expr, $to:expr;)*) => {$(
        impl Rounded for $t {
            #[inline]
            fn rounded(value: f64) -> Self { $from(value) }
            #[inline]
            fn widened(self) -> f64 { $to(self) }
        }
    )*};
}
rounded! {
    f16, |v| half_from(v, f16::from_f32), f16::to_f64;
    bf16, |v| half_from(v, bf16::from_f32), bf16::to_f64;
    f32, |v| v as f32, |v| v as f64;
    f64, |v| v, |v| v;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_once() {
        // Just above the middle of 2048 and 2050, and just below that of 2050 and 2052.
        for (value, nearest) in [(2049.000000001, 2050.0), (2050.999999999, 2050.0)] {
            assert_eq!(<f16 as Rounded>::rounded(value).to_f64(), nearest);
            assert_eq!(<f16 as Rounded>::rounded(-value).to_f64(), -nearest);
            assert_eq!(Scalar::from_f64(DType::F16, value), Scalar::new(f16::from_f64(nearest)));
        }
        let above = 1.0 + 1.0 / 256.0 + 1e-12;
        assert_eq!(<bf16 as Rounded>::rounded(above).to_f64(), 1.0 + 1.0 / 128.0);
        assert_eq!(<f16 as Rounded>::rounded(65519.999999).to_f64(), 65504.0);
        assert_eq!(<f16 as Rounded>::rounded(1e300), f16::INFINITY);
        assert_eq!(<f16 as Rounded>::rounded(2.0f64.powi(-25)), f16::ZERO);
        assert_eq!(<f16 as Rounded>::rounded(2.0f64.powi(-25) * 1.000000001).to_bits(), 1);
        assert!(<bf16 as Rounded>::rounded(f64::NAN).is_nan());
    }
}
