//! Functions that are made of others, of arrays: the rows are `macros/src/formulas/rows.rs`.

use super::{converted, device};
use crate::DeviceArray;
use crate::Operand;
use crate::array::{checked, checked_fns};
use crate::dtype::{DType, Floating};

/// Functions in the type of their arguments; halves by way of `f32`, rounded once.
macro_rules! functions {
    ($($kind:ident [$($doc:tt)*] [$($method:tt)*] [$($example:tt)*]
        fn $name:ident | $try_name:ident($($arg:ident),*) $body:block within $within:literal, floor $floor:literal;)*) => {
        checked_fns! {$(
            $($doc)*
            ///
            /// **Shape.** The arguments broadcast against each other. **Dtype.** The arguments', in
            /// which it is computed; halves by way of `f32`, rounded once.
            #[doc = concat!("**Accuracy.** In `f64` within ", $within, " units in the last place.")]
            ///
            $($example)*
            fn $name | $try_name<T: Floating>($($arg: impl Operand<T>),*) -> DeviceArray<T> {
                match T::DTYPE {
                    DType::F64 => {
                        let made = device::$name::try_call::<f64>($(converted::<T, f64>($arg)),*);
                        made.map(|array| array.cast())
                    }
                    _ => {
                        let made = device::$name::try_call::<f32>($(converted::<T, f32>($arg)),*);
                        made.map(|array| array.cast())
                    }
                }
            }
        )*}

        $(method! { $kind [$($doc)* $($method)*] $name $try_name($($arg),*) })*
    };
}

/// The method of a row.
macro_rules! method {
    (function $($row:tt)*) => {};
    (method [$($doc:tt)*] $name:ident $try_name:ident($this:ident)) => {
        impl<T: Floating> DeviceArray<T> {
            $($doc)*
            ///
            /// **Shape.** The array's. **Dtype.** The array's, in which it is computed; halves by way
            /// of `f32`, rounded once. **Laziness.** Records; nothing is computed.
            #[track_caller]
            pub fn $name(&self) -> DeviceArray<T> {
                $name(self)
            }
        }
    };
    (method [$($doc:tt)*] $name:ident $try_name:ident($this:ident, $($arg:ident),+)) => {
        impl<T: Floating> DeviceArray<T> {
            checked! {
                $($doc)*
                ///
                /// **Shape.** The arguments broadcast against each other. **Dtype.** The array's, in
                /// which it is computed; halves by way of `f32`, rounded once.
                fn $name | $try_name(&self, $($arg: impl Operand<T>),+) -> DeviceArray<T> {
                    $try_name(self, $($arg),+)
                }
            }
        }
    };
}

lazuli_macros::formulas!(functions);
