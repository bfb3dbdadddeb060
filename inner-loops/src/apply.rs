//! The rows of the operation table as types, so that loops can be generic over an operation.

use crate::dtype::{Rounded, halves_mul_add};
use crate::math::classes::{
    BitsMath, ComponentMath, ElementMath, FloatMath, InexactMath, IntegerMath, NumberMath,
    OrderedMath, RealMath, SignedMath,
};
use crate::math::lane::{Lane, partial};
use crate::math::random::{DoubleMath, WordMath};
use crate::table::{for_each_op, for_each_reduction};
use std::marker::PhantomData;

/// An operation on the compute type `T`. An argument that the operation does not take has the
/// type `()`, whose arrays occupy nothing.
pub trait Apply<T>: 'static {
    /// The first argument.
    type A: Copy + 'static;
    /// The second argument.
    type B: Copy + 'static;
    /// The third argument.
    type C: Copy + 'static;
    /// The result.
    type R: Copy + 'static;
    /// The value for one element.
    fn apply(a: Self::A, b: Self::B, c: Self::C) -> impl Lane<Self::R>;
}

macro_rules! result {
    (Same) => {
        T
    };
    (Bool) => {
        bool
    };
    (U8) => {
        u8
    };
    (I32) => {
        i32
    };
    (Real) => {
        <T as crate::dtype::Plain>::Part
    };
    (Complex) => {
        <T as ComponentMath>::Complex
    };
}

macro_rules! apply_with {
    (unary $bound:ident $gives:ident $variant:ident ($a:ident) $rust:expr) => {
        impl<T: $bound> Apply<T> for op::$variant
        where
            result!($gives): Lane<result!($gives)>,
        {
            type A = T;
            type B = ();
            type C = ();
            type R = result!($gives);
            #[inline(always)]
            fn apply($a: T, _: (), _: ()) -> impl Lane<result!($gives)> {
                $rust
            }
        }
    };
    (binary $bound:ident $gives:ident $variant:ident ($a:ident $b:ident) $rust:expr) => {
        impl<T: $bound> Apply<T> for op::$variant
        where
            result!($gives): Lane<result!($gives)>,
        {
            type A = T;
            type B = T;
            type C = ();
            type R = result!($gives);
            #[inline(always)]
            fn apply($a: T, $b: T, _: ()) -> impl Lane<result!($gives)> {
                $rust
            }
        }
    };
    (ternary $bound:ident $gives:ident $variant:ident ($a:ident $b:ident $c:ident) $rust:expr) => {
        impl<T: $bound> Apply<T> for op::$variant
        where
            result!($gives): Lane<result!($gives)>,
        {
            type A = T;
            type B = T;
            type C = T;
            type R = result!($gives);
            #[inline(always)]
            fn apply($a: T, $b: T, $c: T) -> impl Lane<result!($gives)> {
                $rust
            }
        }
    };
    (select $bound:ident $gives:ident $variant:ident ($a:ident $b:ident $c:ident) $rust:expr) => {
        impl<T: $bound> Apply<T> for op::$variant
        where
            result!($gives): Lane<result!($gives)>,
        {
            type A = bool;
            type B = T;
            type C = T;
            type R = result!($gives);
            #[inline(always)]
            fn apply($a: bool, $b: T, $c: T) -> impl Lane<result!($gives)> {
                $rust
            }
        }
    };
    (ldexp $bound:ident $gives:ident $variant:ident ($a:ident $b:ident) $rust:expr) => {
        impl<T: $bound> Apply<T> for op::$variant
        where
            result!($gives): Lane<result!($gives)>,
        {
            type A = T;
            type B = i32;
            type C = ();
            type R = result!($gives);
            #[inline(always)]
            fn apply($a: T, $b: i32, _: ()) -> impl Lane<result!($gives)> {
                $rust
            }
        }
    };
    (sample1 $bound:ident $gives:ident $variant:ident ($a:ident $b:ident) $rust:expr) => {
        impl<T: $bound + Copy + 'static> Apply<T> for op::$variant
        where
            result!($gives): Lane<result!($gives)>,
        {
            type A = T;
            type B = u64;
            type C = ();
            type R = result!($gives);
            #[inline(always)]
            fn apply($a: T, $b: u64, _: ()) -> impl Lane<result!($gives)> {
                $rust
            }
        }
    };
    (sample2 $bound:ident $gives:ident $variant:ident ($a:ident $b:ident $c:ident) $rust:expr) => {
        impl<T: $bound + Copy + 'static> Apply<T> for op::$variant
        where
            result!($gives): Lane<result!($gives)>,
        {
            type A = T;
            type B = T;
            type C = u64;
            type R = result!($gives);
            #[inline(always)]
            fn apply($a: T, $b: T, $c: u64) -> impl Lane<result!($gives)> {
                $rust
            }
        }
    };
}

macro_rules! apply_class {
    ($kind:ident Element $($rest:tt)*) => { apply_with! { $kind ElementMath $($rest)* } };
    ($kind:ident Number $($rest:tt)*) => { apply_with! { $kind NumberMath $($rest)* } };
    ($kind:ident Real $($rest:tt)*) => { apply_with! { $kind RealMath $($rest)* } };
    ($kind:ident Signed $($rest:tt)*) => { apply_with! { $kind SignedMath $($rest)* } };
    ($kind:ident Integer $($rest:tt)*) => { apply_with! { $kind IntegerMath $($rest)* } };
    ($kind:ident Bits $($rest:tt)*) => { apply_with! { $kind BitsMath $($rest)* } };
    ($kind:ident Ordered $($rest:tt)*) => { apply_with! { $kind OrderedMath $($rest)* } };
    ($kind:ident Inexact $($rest:tt)*) => { apply_with! { $kind InexactMath $($rest)* } };
    ($kind:ident Floating $($rest:tt)*) => { apply_with! { $kind FloatMath $($rest)* } };
    ($kind:ident Component $($rest:tt)*) => { apply_with! { $kind ComponentMath $($rest)* } };
    ($kind:ident Word $($rest:tt)*) => { apply_with! { $kind WordMath $($rest)* } };
    ($kind:ident Double $($rest:tt)*) => { apply_with! { $kind DoubleMath $($rest)* } };
}

macro_rules! apply_all {
    ($($(#[$meta:meta])* $variant:ident $name:ident $kind:ident $class:ident => $gives:ident,
        cuda $cuda:literal, rust |$($arg:ident),*| $rust:expr, test $low:literal .. $high:literal;)*) => {
        /// One type for each operation.
        pub mod op { $(pub struct $variant;)* }
        $(apply_class! { $kind $class $gives $variant ($($arg)*) $rust })*
    };
}
for_each_op!(apply_all);

/// An operation on two halves computed in the half type itself, between tiles of `f32`.
pub struct InHalf<O, H>(PhantomData<(O, H)>);

impl<O, H> Apply<f32> for InHalf<O, H>
where
    O: Apply<H, A = H, B = H, C = (), R = H>,
    H: Rounded,
{
    type A = f32;
    type B = f32;
    type C = ();
    type R = f32;
    #[inline(always)]
    fn apply(a: f32, b: f32, _: ()) -> impl Lane<f32> {
        let half = |x: f32| H::rounded(x as f64);
        O::apply(half(a), half(b), ()).value().widened() as f32
    }
}

/// The `mul_add` of halves between tiles of `f32`, which is yet to be rounded to the half: the same
/// for both types.
pub struct MulAddOfHalves;

impl Apply<f32> for MulAddOfHalves {
    type A = f32;
    type B = f32;
    type C = f32;
    type R = f32;
    #[inline(always)]
    fn apply(a: f32, b: f32, c: f32) -> impl Lane<f32> {
        halves_mul_add(a, b, c)
    }
}

/// An operation on two elements, the result of which is combined with a third.
pub struct Paired<O, P>(PhantomData<(O, P)>);

impl<O, P, T> Apply<T> for Paired<O, P>
where
    O: Apply<T, A = T, B = T, C = (), R = T>,
    P: Apply<T, A = T, B = T, C = (), R = T>,
    T: Lane<T> + Copy + 'static,
{
    type A = T;
    type B = T;
    type C = T;
    type R = T;
    #[inline(always)]
    fn apply(sum: T, a: T, b: T) -> impl Lane<T> {
        O::apply(sum, P::apply(a, b, ()).value(), ()).value()
    }
}

macro_rules! reductions {
    ($($(#[$meta:meta])* $variant:ident $name:ident $class:ident, combine $op:ident, identity $identity:ident $(, of $of:ident)?;)*) => {
        /// The operation that each reduction combines with.
        pub mod combine { $(pub type $variant = super::op::$op;)* }
    };
}
for_each_reduction!(reductions);

/// Runs `$then!(Type, level count)` for the compute type of `$dtype` where the class has it.
#[doc(hidden)]
#[macro_export]
macro_rules! class_types {
    (Element, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16,
            U32 u32, U64 u64, F32 f32, F64 f64, C64 Complex<f32>, C128 Complex<f64>)
    };
    (Number, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16,
            U32 u32, U64 u64, F32 f32, F64 f64, C64 Complex<f32>, C128 Complex<f64>)
    };
    (Real, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16,
            U32 u32, U64 u64, F32 f32, F64 f64)
    };
    (Signed, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; I8 i8, I16 i16, I32 i32, I64 i64, F32 f32, F64 f64,
            C64 Complex<f32>, C128 Complex<f64>)
    };
    (Integer, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16,
            U32 u32, U64 u64)
    };
    (Bits, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16,
            U32 u32, U64 u64)
    };
    (Ordered, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16,
            U32 u32, U64 u64, F32 f32, F64 f64)
    };
    (Inexact, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; F32 f32, F64 f64, C64 Complex<f32>, C128 Complex<f64>)
    };
    (Floating, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; F32 f32, F64 f64)
    };
    (Component, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; F32 f32, F64 f64)
    };
    (Word, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; U64 u64)
    };
    (Double, $d:expr, $T:ident => $body:expr) => {
        class_types!(@ $d, $T, $body; F64 f64)
    };
    (@ $d:expr, $T:ident, $body:expr; $($variant:ident $t:ty),*) => {
        match $d {
            $($crate::dtype::DType::$variant => {
                type $T = $t;
                Some($body)
            })*
            _ => None,
        }
    };
}
pub use class_types;
