//! Element types: the runtime [`DType`], the scalar values, and the traits by which the type
//! system refuses what makes no sense.

#[doc(inline)]
pub use lazuli_core::dtype::{
    Capabilities, Complex, DType, DefaultDTypes, FloatInfo, IntegerInfo, Scalar, bf16, f16,
};
pub(crate) use lazuli_core::dtype::{halves_mul_add, with_dtype};

use lazuli_core::dtype::{Plain, Rounded};

/// A type that arrays can hold.
///
/// Sealed: `bool`, `i8` to `i64`, `u8` to `u64`, [`half::f16`], [`half::bf16`], `f32`, `f64`,
/// `Complex<f32>` and `Complex<f64>`.
pub trait Element: Plain<Part = <Self as Element>::Real> {
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
pub trait Floating: Inexact + Real + Rounded + Element<Real = Self> {
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// The value as `f64`.
    fn to_f64(self) -> f64;
}
/// Complex types.
pub trait ComplexFloating: Inexact {}

macro_rules! elements {
    ($($t:ty, $d:ident, $real:ty, $sum:ty, $mean:ty;)*) => {$(
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
    ($($t:ty),*) => {$(
        impl Floating for $t {
            #[inline]
            fn from_f64(value: f64) -> Self { Rounded::rounded(value) }
            #[inline]
            fn to_f64(self) -> f64 { self.widened() }
        }
    )*};
}
floating!(f16, bf16, f32, f64);

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
