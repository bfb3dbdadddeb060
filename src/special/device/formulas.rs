//! Functions that are made of others, for one element: the rows are `macros/src/formulas/rows.rs`.

use crate::device::Float;
use crate::vectorize;

macro_rules! functions {
    ($($kind:ident [$($doc:tt)*] [$($method:tt)*] [$($function:tt)*]
        fn $name:ident | $try_name:ident($($arg:ident),*) $body:block within $within:literal, floor $floor:literal;)*) => {
        $(
            $($doc)*
            #[vectorize]
            pub fn $name<T: Float>($($arg: T),*) -> T $body
        )*

        methods! { $($kind [$($doc)*] $name($($arg),*);)* }
    };
}

/// The trait of those that are methods.
macro_rules! methods {
    // Rows one by one, so that functions alone drop out.
    (@rows [$($made:tt)*]) => {
        /// Methods of floating-point numbers that are made of others: those of arrays with the same names,
        /// for one element. Users' functions call them on both kinds of devices.
        ///
        /// # Example
        /// ```
        /// use lazuli::prelude::*;
        ///
        /// /// The surprise of an outcome of probability `p`, weighed by another one.
        /// #[vectorize]
        /// fn cross(p: f64, q: f64) -> f64 {
        ///     -p.xlogy(q)
        /// }
        ///
        /// let p = DeviceArray::from_slice(&[0.0, 1.0])?;
        /// assert_eq!(cross::call(&p, 0.5).to_vec()?, [0.0, 2f64.ln()]);
        /// assert_eq!(3f64.softsign(), 0.75);
        /// # Ok::<(), Error>(())
        /// ```
        pub trait Formulas: Float {
            $($made)*
        }
        impl<T: Float> Formulas for T {}
    };
    (@rows [$($made:tt)*] method [$($doc:tt)*] $name:ident($this:ident $(, $arg:ident)*); $($rest:tt)*) => {
        methods! { @rows [$($made)*
            $($doc)*
            #[inline]
            fn $name(self $(, $arg: Self)*) -> Self {
                $name(self $(, $arg)*)
            }
        ] $($rest)* }
    };
    (@rows [$($made:tt)*] function [$($doc:tt)*] $name:ident($($arg:ident),*); $($rest:tt)*) => {
        methods! { @rows [$($made)*] $($rest)* }
    };
    ($kind:ident $($rest:tt)*) => {
        methods! { @rows [] $kind $($rest)* }
    };
}

lazuli_macros::formulas!(functions);
