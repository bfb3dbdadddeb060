//! The elementwise methods: one for each row of the table, and casts.

mod examples;
mod names;

use self::{examples::example_code, names::numpy_name};
use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked, checked_fns, located, or_panic, record};
use crate::dtype::{self, Element, Scalar};
use crate::error::Result;
use crate::graph::Node;
use crate::table::{Op, for_each_op};
use std::sync::Arc;

/// The result's element type, by the name that the table gives it.
macro_rules! result_type {
    ($t:ident, Same) => {
        $t
    };
    ($t:ident, Bool) => {
        bool
    };
    ($t:ident, U8) => {
        u8
    };
    ($t:ident, I32) => {
        i32
    };
    ($t:ident, Real) => {
        $t::Real
    };
    ($t:ident, Complex) => {
        $t::Complex
    };
}

/// The words on the result's element type.
macro_rules! result_words {
    (Same) => {
        "the array's own"
    };
    (Bool) => {
        "`bool`"
    };
    (U8) => {
        "`u8`"
    };
    (I32) => {
        "`i32`"
    };
    (Real) => {
        "the component of a complex type, else the array's own"
    };
    (Complex) => {
        "the complex type of the array's component type"
    };
}

macro_rules! example {
    ($name:ident) => {
        concat!(
            "# Example\n```\nuse lazuli::prelude::*;\n",
            example_code!($name),
            "\n# Ok::<(), Error>(())\n```"
        )
    };
}

macro_rules! sections {
    ($name:ident, $class:ident, $gives:ident, $shape:literal) => {
        concat!(
            "**Shape.** ",
            $shape,
            " **Dtype.** Takes [`dtype::",
            stringify!($class),
            "`] types, gives ",
            result_words!($gives),
            ". **Laziness.** Records; nothing is computed. ",
            numpy_name!($name)
        )
    };
}

/// The broadcasting method of a row and its checked twin.
macro_rules! broadcasting {
    ([$($meta:meta)*] $variant:ident $name:ident $try_name:ident $class:ident $gives:ident
     ($($arg:ident: $element:ty),*)) => {
        impl<T: dtype::$class> DeviceArray<T> {
            $(#[$meta])*
            ///
            #[doc = sections!($name, $class, $gives, "The arguments broadcast against each other.")]
            ///
            #[doc = concat!(
                "# Panics\nWhere the shapes do not broadcast or the arrays live on different ",
                "devices; [`", stringify!($try_name), "`](Self::", stringify!($try_name),
                ") returns an error."
            )]
            ///
            #[doc = example!($name)]
            #[track_caller]
            #[inline]
            pub fn $name(
                &self, $($arg: impl Operand<$element>),*
            ) -> DeviceArray<result_type!(T, $gives)> {
                or_panic(self.$try_name($($arg),*))
            }

            #[doc = concat!(
                "[`", stringify!($name), "`](Self::", stringify!($name),
                ") for shapes that come from data.\n\n**Laziness.** Records; nothing is ",
                "computed.\n\n# Errors\n[`Error::is_shape`](crate::Error::is_shape) where the ",
                "shapes do not broadcast, [`Error::is_device`](crate::Error::is_device) where ",
                "the arrays live on different devices."
            )]
            #[track_caller]
            #[inline]
            pub fn $try_name(
                &self, $($arg: impl Operand<$element>),*
            ) -> Result<DeviceArray<result_type!(T, $gives)>> {
                let node = broadcasting!(@record $variant, self.arg(), $(arg($arg, self.device())),*);
                located(node).map(DeviceArray::from_node)
            }
        }
    };
    (@record $variant:ident, $a:expr, $b:expr) => {
        match $b {
            Ok(b) => record::binary(Op::$variant, $a, b),
            Err(error) => Err(error),
        }
    };
    (@record $variant:ident, $a:expr, $b:expr, $c:expr) => {
        match ($b, $c) {
            (Ok(b), Ok(c)) => record::map(Op::$variant, [$a, b, c].into_iter().collect()),
            (Err(error), _) | (_, Err(error)) => Err(error),
        }
    };
}

/// The method of a row for more types than devices have code for: what it gives for the others is
/// known without it.
macro_rules! widened {
    ([$($meta:meta)*] $variant:ident $name:ident $class:ident $gives:ident, $wide:ident, $words:literal, $other:expr) => {
        impl<T: dtype::$wide> DeviceArray<T> {
            $(#[$meta])*
            ///
            #[doc = concat!("**Other types.** ", $words)]
            ///
            #[doc = sections!($name, $wide, $gives, "The array's.")]
            ///
            #[doc = example!($name)]
            #[inline]
            #[track_caller]
            pub fn $name(&self) -> DeviceArray<result_type!(T, $gives)> {
                if T::DTYPE.is_float() || T::DTYPE.is_complex() {
                    return DeviceArray::from_node(record::unary(Op::$variant, self.node()));
                }
                let other: fn(&Arc<Node>) -> Arc<Node> = $other;
                DeviceArray::from_node(other(self.node()))
            }
        }
    };
    // Whole numbers stay as they are.
    (whole [$($meta:meta)*] $variant:ident $name:ident $class:ident $gives:ident) => {
        widened! { [$($meta)*] $variant $name $class $gives, Real, "Integers stay.", Arc::clone }
    };
    // Numbers without an imaginary part.
    (real [$($meta:meta)*] $variant:ident $name:ident $class:ident $gives:ident, $words:literal, $other:expr) => {
        widened! { [$($meta)*] $variant $name $class $gives, Number, $words, $other }
    };
    // Numbers that are neither infinite nor NaN.
    (finite [$($meta:meta)*] $variant:ident $name:ident $class:ident $gives:ident, $truth:literal) => {
        widened! { [$($meta)*] $variant $name $class $gives, Element,
            "Integers and `bool` are finite numbers.",
            |a| record::full(Scalar::new($truth), a.shape.clone(), a.device) }
    };
}

/// The method of a row, by how the operation takes its arguments.
macro_rules! method {
    (unary [$($meta:meta)*] $variant:ident floor $try_name:ident $class:ident $gives:ident) => {
        widened! { whole [$($meta)*] $variant floor $class $gives }
    };
    (unary [$($meta:meta)*] $variant:ident ceil $try_name:ident $class:ident $gives:ident) => {
        widened! { whole [$($meta)*] $variant ceil $class $gives }
    };
    (unary [$($meta:meta)*] $variant:ident trunc $try_name:ident $class:ident $gives:ident) => {
        widened! { whole [$($meta)*] $variant trunc $class $gives }
    };
    (unary [$($meta:meta)*] $variant:ident rint $try_name:ident $class:ident $gives:ident) => {
        widened! { whole [$($meta)*] $variant rint $class $gives }
    };
    (unary [$($meta:meta)*] $variant:ident round_ties_away $try_name:ident $class:ident $gives:ident) => {
        widened! { whole [$($meta)*] $variant round_ties_away $class $gives }
    };
    (unary [$($meta:meta)*] $variant:ident conj $try_name:ident $class:ident $gives:ident) => {
        widened! { real [$($meta)*] $variant conj $class $gives, "Integers stay.", Arc::clone }
    };
    (unary [$($meta:meta)*] $variant:ident real $try_name:ident $class:ident $gives:ident) => {
        widened! { real [$($meta)*] $variant real $class $gives, "Integers stay.", Arc::clone }
    };
    (unary [$($meta:meta)*] $variant:ident imag $try_name:ident $class:ident $gives:ident) => {
        widened! { real [$($meta)*] $variant imag $class $gives, "Integers give 0.",
            |a| record::full(record::number(a, 0.0), a.shape.clone(), a.device) }
    };
    (unary [$($meta:meta)*] $variant:ident is_nan $try_name:ident $class:ident $gives:ident) => {
        widened! { finite [$($meta)*] $variant is_nan $class $gives, false }
    };
    (unary [$($meta:meta)*] $variant:ident is_inf $try_name:ident $class:ident $gives:ident) => {
        widened! { finite [$($meta)*] $variant is_inf $class $gives, false }
    };
    (unary [$($meta:meta)*] $variant:ident is_finite $try_name:ident $class:ident $gives:ident) => {
        widened! { finite [$($meta)*] $variant is_finite $class $gives, true }
    };
    (unary [$($meta:meta)*] $variant:ident $name:ident $try_name:ident $class:ident $gives:ident) => {
        impl<T: dtype::$class> DeviceArray<T> {
            $(#[$meta])*
            ///
            #[doc = sections!($name, $class, $gives, "The array's.")]
            ///
            #[doc = example!($name)]
            #[inline]
            #[track_caller]
            pub fn $name(&self) -> DeviceArray<result_type!(T, $gives)> {
                DeviceArray::from_node(record::unary(Op::$variant, self.node()))
            }
        }
    };
    (binary [$($meta:meta)*] $variant:ident $name:ident $try_name:ident $class:ident $gives:ident) => {
        broadcasting! { [$($meta)*] $variant $name $try_name $class $gives (b: T) }
    };
    (ternary [$($meta:meta)*] $variant:ident $name:ident $try_name:ident $class:ident $gives:ident) => {
        broadcasting! { [$($meta)*] $variant $name $try_name $class $gives (b: T, c: T) }
    };
    (ldexp [$($meta:meta)*] $variant:ident $name:ident $try_name:ident $class:ident $gives:ident) => {
        broadcasting! { [$($meta)*] $variant $name $try_name $class $gives (b: i32) }
    };
    // Methods of the generator of random numbers.
    (sample1 [$($meta:meta)*] $variant:ident $name:ident $try_name:ident $class:ident $gives:ident) => {};
    (sample2 [$($meta:meta)*] $variant:ident $name:ident $try_name:ident $class:ident $gives:ident) => {};
    // The condition is the array here; written out below.
    (select [$($meta:meta)*] $variant:ident $name:ident $try_name:ident $class:ident $gives:ident) => {};
}

macro_rules! methods {
    ($($(#[$meta:meta])* $variant:ident $name:ident $kind:ident $class:ident => $gives:ident,
        cuda $cuda:literal, rust |$($arg:ident),*| $rust:expr, test $low:literal .. $high:literal;)*) => {
        $(pastey::paste! {
            method! { $kind [$($meta)*] $variant $name [<try_ $name>] $class $gives }
        })*
    };
}
for_each_op!(methods);

impl DeviceArray<bool> {
    checked! {
        /// `yes` where the condition holds, else `no`.
        ///
        /// **Shape.** The arguments broadcast against each other. NumPy: `where`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let x = DeviceArray::from_slice(&[-1.0, 2.0])?;
        /// assert_eq!(x.less(0.0).select(0.0, &x).to_vec()?, [0.0, 2.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn select | try_select<T: Element>(&self, yes: impl Operand<T>, no: impl Operand<T>) -> DeviceArray<T> {
            let (yes, no) = (arg(yes, self.device())?, arg(no, self.device())?);
            record::select(self.arg(), yes, no).map(DeviceArray::from_node)
        }
    }
}

impl<T: Element> DeviceArray<T> {
    /// Converts every element to another type.
    ///
    /// **Shape.** The array's. **Dtype.** `U`. Floating-point values saturate in integers and NaN
    /// gives 0, as Rust's `as`; integers wrap; what is not zero is `true`; a complex number gives
    /// its real part. **Laziness.** Records; nothing is computed. NumPy: `astype`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.9, -300.0])?.cast::<i8>();
    /// assert_eq!(a.to_vec()?, [1, -128]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "astype")]
    #[track_caller]
    pub fn cast<U: Element>(&self) -> DeviceArray<U> {
        DeviceArray::from_node(record::cast(self.node(), U::DTYPE))
    }
}

checked_fns! {
    /// `yes` where the condition holds, else `no`: NumPy's `where`.
    ///
    /// **Shape.** The arguments broadcast against each other.
    #[doc(alias = "where")]
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[-1.0, 2.0])?;
    /// let y = select(&x.less(0.0), 0.0, &x);
    /// assert_eq!(y.to_vec()?, [0.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn select | try_select<T: Element>(
        condition: &DeviceArray<bool>,
        yes: impl Operand<T>,
        no: impl Operand<T>,
    ) -> DeviceArray<T> {
        condition.try_select(yes, no)
    }
}
