//! Conversions between compute types, and the rounding of tiles to half precision.

use crate::apply::Apply;
use crate::dtype::{DType, round_to_odd};
use crate::level::Level;
use crate::math::lane::Lane;
use crate::operations::{OpFn, op_loop};
use num_complex::Complex;
use std::marker::PhantomData;

/// A conversion as Rust's `as` does it, and what follows from it for `bool` and complex types.
pub trait CastTo<U> {
    /// The value in the other type.
    fn cast_to(self) -> U;
}

macro_rules! casts {
    (@to $from:ident; $($to:ident)*) => {$(
        impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast_to(self) -> $to { self as $to }
        }
    )*};
    ($zero:expr; $($from:ident)*) => {$(
        casts!(@to $from; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        impl CastTo<bool> for $from {
            #[inline(always)]
            fn cast_to(self) -> bool { self != $zero }
        }
        impl CastTo<Complex<f32>> for $from {
            #[inline(always)]
            fn cast_to(self) -> Complex<f32> { Complex::new(self as f32, 0.0) }
        }
        impl CastTo<Complex<f64>> for $from {
            #[inline(always)]
            fn cast_to(self) -> Complex<f64> { Complex::new(self as f64, 0.0) }
        }
    )*};
}
casts!(0; i8 i16 i32 i64 u8 u16 u32 u64);
casts!(0.0; f32 f64);

macro_rules! through {
    ($from:ty, |$v:ident| $via:expr; $($to:ty)*) => {$(
        impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast_to(self) -> $to {
                let $v = self;
                CastTo::<$to>::cast_to($via)
            }
        }
    )*};
}
through!(bool, |v| v as u8; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 Complex<f32> Complex<f64>);
through!(Complex<f32>, |v| v.re; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
through!(Complex<f64>, |v| v.re; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

macro_rules! between_complex {
    ($($from:ident $to:ident;)*) => {$(
        impl CastTo<Complex<$to>> for Complex<$from> {
            #[inline(always)]
            fn cast_to(self) -> Complex<$to> { Complex::new(self.re as $to, self.im as $to) }
        }
    )*};
}
between_complex! { f32 f32; f32 f64; f64 f32; f64 f64; }

macro_rules! complex_truth {
    ($($t:ty)*) => {$(
        impl CastTo<bool> for $t {
            #[inline(always)]
            fn cast_to(self) -> bool { (self.re != 0.0) | (self.im != 0.0) }
        }
    )*};
}
complex_truth!(Complex<f32> Complex<f64>);
impl CastTo<bool> for bool {
    #[inline(always)]
    fn cast_to(self) -> bool {
        self
    }
}

/// The conversion to `U` as an operation.
pub struct To<U>(PhantomData<U>);

impl<T: CastTo<U> + Copy + 'static, U: Copy + Lane<U> + 'static> Apply<T> for To<U> {
    type A = T;
    type B = ();
    type C = ();
    type R = U;
    #[inline(always)]
    fn apply(a: T, _: (), _: ()) -> impl Lane<U> {
        a.cast_to()
    }
}

/// The conversion to `f32` on the way to a half: to odd, so that the second rounding is right.
pub struct ToOdd;

impl<T: CastTo<f64> + Copy + 'static> Apply<T> for ToOdd {
    type A = T;
    type B = ();
    type C = ();
    type R = f32;
    #[inline(always)]
    fn apply(a: T, _: (), _: ()) -> impl Lane<f32> {
        round_to_odd(a.cast_to())
    }
}

/// Rounds an `f32` to the values of `f16`.
pub struct RoundF16;

impl Apply<f32> for RoundF16 {
    type A = f32;
    type B = ();
    type C = ();
    type R = f32;
    #[inline(always)]
    fn apply(a: f32, _: (), _: ()) -> impl Lane<f32> {
        let bits = a.to_bits();
        let sign = bits & 0x8000_0000;
        let size = bits & 0x7fff_ffff;
        let normal = size.wrapping_add(0xfff + ((size >> 13) & 1)) & !0x1fff;
        // Beyond 65504 everything is infinite.
        let normal = if normal > 0x477f_e000 { 0x7f80_0000 } else { normal };
        // Below 2^-14 the spacing is 2^-24, which is that of f32 from one half to one.
        let tiny = (f32::from_bits(size) + 0.5 - 0.5).to_bits();
        let rounded = if size < 0x3880_0000 { tiny } else { normal };
        if size > 0x7f80_0000 { a } else { f32::from_bits(rounded | sign) }
    }
}

/// Rounds an `f32` to the values of `bf16`.
pub struct RoundBf16;

impl Apply<f32> for RoundBf16 {
    type A = f32;
    type B = ();
    type C = ();
    type R = f32;
    #[inline(always)]
    fn apply(a: f32, _: (), _: ()) -> impl Lane<f32> {
        let bits = a.to_bits();
        let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) & 0xffff_0000;
        let nan = bits & 0x7fff_ffff > 0x7f80_0000;
        if nan { a } else { f32::from_bits(rounded) }
    }
}

/// The loop that rounds a tile in `f32` to a half type; none for other types.
pub fn round_fn(dtype: DType, level: Level) -> Option<OpFn> {
    match dtype {
        DType::F16 => Some(op_loop::<RoundF16, f32>(level)),
        DType::BF16 => Some(op_loop::<RoundBf16, f32>(level)),
        _ => None,
    }
}

/// Runs an expression with `$T` bound to a compute type.
macro_rules! with_compute {
    ($dtype:expr, $T:ident => $body:expr) => {
        with_compute!(@ $dtype, $T, $body; Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8,
            U16 u16, U32 u32, U64 u64, F32 f32, F64 f64, C64 Complex<f32>, C128 Complex<f64>)
    };
    (@ $dtype:expr, $T:ident, $body:expr; $($d:ident $t:ty),*) => {
        match $dtype {
            $(DType::$d => { type $T = $t; $body })*
            _ => unreachable!("halves compute in f32, and every other type has its arm"),
        }
    };
}
/// The loop that converts tiles from one type to another, before rounding to a half.
pub fn cast_fn(from: DType, to: DType, level: Level) -> OpFn {
    let (source, target) = (from.compute(), to.compute());
    let exact = matches!(source, DType::F32 | DType::C64 | DType::Bool)
        || (source.is_integer() && source.size() <= 2);
    if target != to && !exact {
        return with_compute!(source, T => op_loop::<ToOdd, T>(level.min(Level::Avx2)));
    }
    // Small types gain nothing from wider registers.
    let level = if source.size().min(target.size()) < 4 { level.min(Level::Avx2) } else { level };
    with_compute!(source, T => with_compute!(target, U => op_loop::<To<U>, T>(level)))
}
