//! Element types: the runtime [`DType`], the scalar values, and the traits by which the type
//! system refuses what makes no sense.

mod info;
mod promotion;

pub use half::{bf16, f16};
pub use info::{Capabilities, DefaultDTypes, FloatInfo, IntegerInfo};
pub use num_complex::Complex;
use std::fmt;

/// Runs an expression with `T` bound to the Rust type of a [`DType`] value.
macro_rules! with_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::dtype::with_dtype!(@arms $dtype, $T, $body;
            Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64,
            F16 half::f16, BF16 half::bf16, F32 f32, F64 f64,
            C64 num_complex::Complex<f32>, C128 num_complex::Complex<f64>)
    };
    (@arms $dtype:expr, $T:ident, $body:expr; $($d:ident $t:ty),*) => {
        match $dtype {
            $($crate::dtype::DType::$d => {
                type $T = $t;
                $body
            })*
        }
    };
}
pub(crate) use with_dtype;

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
    pub(crate) const NOTHING: Scalar = Scalar { bits: [0; 2], dtype: DType::Bool };

    /// Wraps a value.
    #[inline]
    pub fn new<T: Element>(value: T) -> Self {
        let mut bits = [0u64; 2];
        // SAFETY: every Element is plain old data of at most 16 bytes without padding.
        unsafe {
            std::ptr::copy_nonoverlapping(
                (&raw const value).cast::<u8>(),
                bits.as_mut_ptr().cast::<u8>(),
                size_of::<T>(),
            );
        }
        Scalar { bits, dtype: T::DTYPE }
    }

    /// The value of a type whose bytes are the first ones of these words, of which the others are zero.
    pub(crate) fn from_words(dtype: DType, bits: [u64; 2]) -> Self {
        Scalar { bits, dtype }
    }

    /// A small number in any type: `0`, `1`, `2`, as reductions and conversions need it.
    pub(crate) fn from_f64(dtype: DType, value: f64) -> Self {
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
    pub fn get<T: Element>(&self) -> Option<T> {
        // SAFETY: the dtype says that the bytes are a valid T, and `bits` is large enough.
        (self.dtype == T::DTYPE).then(|| unsafe { self.bits.as_ptr().cast::<T>().read_unaligned() })
    }

    /// The bytes of the value.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `bits` is 16 initialised bytes, and no element is larger.
        unsafe { std::slice::from_raw_parts(self.bits.as_ptr().cast(), self.dtype.size()) }
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
pub(crate) fn round_to_odd(value: f64) -> f32 {
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
pub(crate) fn halves_mul_add(a: f32, b: f32, c: f32) -> f32 {
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
pub(crate) fn half_from<H>(value: f64, from_f32: impl Fn(f32) -> H) -> H {
    from_f32(round_to_odd(value))
}

/// A type that arrays can hold.
///
/// Sealed: `bool`, `i8` to `i64`, `u8` to `u64`, [`half::f16`], [`half::bf16`], `f32`, `f64`,
/// `Complex<f32>` and `Complex<f64>`.
pub trait Element:
    private::Sealed + Copy + Send + Sync + fmt::Debug + PartialEq + Default + 'static
{
    /// The type as a value.
    const DTYPE: DType;
    /// The type of the real part: the component of a complex type, else the type itself.
    type Real: Element;
    /// What `sum` and `prod` give: small integers widen to 64 bits, as in NumPy.
    type Sum: Element;
    /// What `mean` and its kin give: integers and `bool` give `f64`, as in NumPy.
    type Mean: Inexact;
}

/// Numbers: every element type except `bool`.
///
/// The operators and the neutral elements are those of the crate `num_traits`, so that generic code of
/// the host computes with elements, and may call what other crates have for such numbers.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// fn horner<T: Number>(coefficients: &[T], x: T) -> T {
///     coefficients.iter().fold(T::zero(), |sum, &c| sum * x + c)
/// }
/// assert_eq!(horner(&[2, 0, 1], 3), 19);
/// assert_eq!(horner(&[1.0, 0.5], 2.0f32), 2.5);
/// assert_eq!(horner(&[Complex::new(0.0, 1.0); 2], Complex::new(0.0, 1.0)), Complex::new(-1.0, 1.0));
/// ```
pub trait Number: Element + num_traits::NumAssign {
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
}
/// Numbers with an order: integers and real floating-point types.
pub trait Real: Number + Ordered {}
/// Signed numbers: signed integers, floating-point and complex types.
pub trait Signed: Number + std::ops::Neg<Output = Self> {}
/// Integer types.
pub trait Integer: Real + Bits {}
/// Types with bits to combine: `bool` and the integers.
pub trait Bits:
    Element
    + std::ops::BitAnd<Output = Self>
    + std::ops::BitOr<Output = Self>
    + std::ops::BitXor<Output = Self>
    + std::ops::Not<Output = Self>
{
}
/// Types with an order, `bool` among them.
pub trait Ordered: Element + PartialOrd {}
/// Floating-point types, real or complex: what has a sine (NumPy's `inexact`).
pub trait Inexact: Signed + Element<Sum = Self, Mean = Self> {}
/// Real floating-point types: `f16`, `bf16`, `f32`, `f64`.
///
/// Mathematics is what [`device::Float`](trait@crate::device::Float) adds, for the host too. The
/// trait `num_traits::Float` has methods of the same names, which round twice for halves
/// (`mul_add`), so it is a bound of its own: `T: Floating + num_traits::Float`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// fn f<T: Floating>(x: T) -> T {
///     x * x + T::one()
/// }
/// assert_eq!((f(2.0f32), f(f16::from_f32(3.0))), (5.0, f16::from_f32(10.0)));
/// ```
pub trait Floating: Inexact + Real + Element<Real = Self> {
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// The value as `f64`.
    fn to_f64(self) -> f64;
}
/// Complex types.
pub trait ComplexFloating: Inexact {}

macro_rules! elements {
    ($($t:ty, $d:ident, $real:ty, $sum:ty, $mean:ty;)*) => {$(
        impl private::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$d;
            type Real = $real;
            type Sum = $sum;
            type Mean = $mean;
        }
    )*};
}
elements! {
    bool, Bool, bool, i64, f64;
    i8, I8, i8, i64, f64;
    i16, I16, i16, i64, f64;
    i32, I32, i32, i64, f64;
    i64, I64, i64, i64, f64;
    u8, U8, u8, u64, f64;
    u16, U16, u16, u64, f64;
    u32, U32, u32, u64, f64;
    u64, U64, u64, u64, f64;
    f16, F16, f16, f16, f16;
    bf16, BF16, bf16, bf16, bf16;
    f32, F32, f32, f32, f32;
    f64, F64, f64, f64, f64;
    Complex<f32>, C64, f32, Complex<f32>, Complex<f32>;
    Complex<f64>, C128, f64, Complex<f64>, Complex<f64>;
}

macro_rules! impls {
    ($trait:ident: $($t:ty),*) => {$( impl $trait for $t {} )*};
}
macro_rules! numbers {
    ($($t:ty, $zero:expr, $one:expr;)*) => {$(
        impl Number for $t { const ZERO: Self = $zero; const ONE: Self = $one; }
    )*};
}
numbers! {
    i8, 0, 1; i16, 0, 1; i32, 0, 1; i64, 0, 1; u8, 0, 1; u16, 0, 1; u32, 0, 1; u64, 0, 1;
    f16, f16::ZERO, f16::ONE; bf16, bf16::ZERO, bf16::ONE; f32, 0.0, 1.0; f64, 0.0, 1.0;
    Complex<f32>, Complex::new(0.0, 0.0), Complex::new(1.0, 0.0);
    Complex<f64>, Complex::new(0.0, 0.0), Complex::new(1.0, 0.0);
}
impls!(Real: i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);
impls!(Signed: i8, i16, i32, i64, f16, bf16, f32, f64, Complex<f32>, Complex<f64>);
impls!(Integer: i8, i16, i32, i64, u8, u16, u32, u64);
impls!(Bits: bool, i8, i16, i32, i64, u8, u16, u32, u64);
impls!(Ordered: bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);
impls!(Inexact: f16, bf16, f32, f64, Complex<f32>, Complex<f64>);
impls!(ComplexFloating: Complex<f32>, Complex<f64>);

macro_rules! floating {
    ($($t:ty, $from:expr, $to:expr;)*) => {$(
        impl Floating for $t {
            fn from_f64(value: f64) -> Self { $from(value) }
            fn to_f64(self) -> f64 { $to(self) }
        }
    )*};
}
floating! {
    f16, |v| half_from(v, f16::from_f32), f16::to_f64;
    bf16, |v| half_from(v, bf16::from_f32), bf16::to_f64;
    f32, |v| v as f32, |v| v as f64;
    f64, |v| v, |v| v;
}

/// The types that are components of complex numbers: `f32` and `f64`.
pub trait Component: Floating {
    /// The complex type with this component.
    type Complex: ComplexFloating<Real = Self>;
}
impl Component for f32 {
    type Complex = Complex<f32>;
}
impl Component for f64 {
    type Complex = Complex<f64>;
}

/// The types that linear algebra factorises: `f32`, `f64` and the complex numbers over both.
pub trait Factorable: Inexact + Element<Real: Component> {
    /// The complex type of the same precision.
    type Complex: Factorable<Real = Self::Real> + ComplexFloating;
}
impl Factorable for f32 {
    type Complex = Complex<f32>;
}
impl Factorable for f64 {
    type Complex = Complex<f64>;
}
impl Factorable for Complex<f32> {
    type Complex = Complex<f32>;
}
impl Factorable for Complex<f64> {
    type Complex = Complex<f64>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_once() {
        // Just above the middle of 2048 and 2050, and just below that of 2050 and 2052.
        for (value, nearest) in [(2049.000000001, 2050.0), (2050.999999999, 2050.0)] {
            assert_eq!(<f16 as Floating>::from_f64(value).to_f64(), nearest);
            assert_eq!(<f16 as Floating>::from_f64(-value).to_f64(), -nearest);
            assert_eq!(Scalar::from_f64(DType::F16, value), Scalar::new(f16::from_f64(nearest)));
        }
        let above = 1.0 + 1.0 / 256.0 + 1e-12;
        assert_eq!(<bf16 as Floating>::from_f64(above).to_f64(), 1.0 + 1.0 / 128.0);
        assert_eq!(<f16 as Floating>::from_f64(65519.999999).to_f64(), 65504.0);
        assert_eq!(<f16 as Floating>::from_f64(1e300), f16::INFINITY);
        assert_eq!(<f16 as Floating>::from_f64(2.0f64.powi(-25)), f16::ZERO);
        assert_eq!(<f16 as Floating>::from_f64(2.0f64.powi(-25) * 1.000000001).to_bits(), 1);
        assert!(<bf16 as Floating>::from_f64(f64::NAN).is_nan());
    }
}
