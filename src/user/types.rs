//! The types that device code can hold, and how C++ spells them and their values.

use super::lanes::Laned;
use super::twin::Twin;
use crate::dtype::{Element, Scalar};
use crate::function::cpp::literal;
use crate::function::cpp::type_name;

/// A type that device code can hold: the element types, `usize` and `isize`, tuples and arrays of
/// constant size of those.
#[diagnostic::on_unimplemented(
    message = "device code cannot hold a value of type `{Self}`",
    label = "not a type of device code",
    note = "device code holds numbers, `bool`, complex numbers, and tuples and arrays (of constant \
            size) of those"
)]
pub trait DeviceType: Laned {
    /// The name of the type in C++.
    #[doc(hidden)]
    fn type_name() -> String;
    /// The value as a C++ expression.
    #[doc(hidden)]
    fn literal(&self) -> String;
}

/// One number: what operators, comparisons and mathematics are for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number that device code can compute with",
    label = "not a number of device code",
    note = "a type parameter of a device function is a number: bound it by `lazuli::device::Float`, \
            or call the function with one"
)]
pub trait DeviceScalar: DeviceType + Twin {}

macro_rules! elements {
    ($($t:ty),*) => {$(
        impl DeviceType for $t {
            fn type_name() -> String {
                type_name(<$t as Element>::DTYPE).into()
            }
            fn literal(&self) -> String {
                literal(&Scalar::new(*self))
            }
        }
        impl DeviceScalar for $t {}
    )*};
}
elements!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);
elements!(half::f16, half::bf16, num_complex::Complex<f32>, num_complex::Complex<f64>);

macro_rules! sizes {
    ($($t:ty as $fixed:ty),*) => {$(
        impl DeviceType for $t {
            fn type_name() -> String {
                <$fixed>::type_name()
            }
            fn literal(&self) -> String {
                (*self as $fixed).literal()
            }
        }
        impl DeviceScalar for $t {}
    )*};
}
sizes!(usize as u64, isize as i64);

impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    fn type_name() -> String {
        format!("lz_array<{}, {N}>", T::type_name())
    }
    fn literal(&self) -> String {
        let parts: Vec<String> = self.iter().map(T::literal).collect();
        format!("{}{{{{{}}}}}", Self::type_name(), parts.join(", "))
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: DeviceType),+> DeviceType for ($($name,)+) {
            fn type_name() -> String {
                format!("lz_tuple<{}>", [$($name::type_name()),+].join(", "))
            }
            fn literal(&self) -> String {
                #[allow(non_snake_case, reason = "a value has the name of its type here")]
                let ($($name,)+) = self;
                format!("lz_make_tuple({})", [$($name.literal()),+].join(", "))
            }
        }
    )*};
}
tuples! {
    A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H;
    A B C D E F G H I; A B C D E F G H I J; A B C D E F G H I J K; A B C D E F G H I J K L;
}
