//! Special functions: SciPy's `scipy.special`.
//!
//! Each function records one node, which fuses with what is around it, on both kinds of devices, from
//! one text (see [`device`], whose functions users' own call). Arguments broadcast against each other
//! and may be scalars. `f32` and halves are computed in `f64` and rounded once, unless a function says
//! otherwise, so that an error of a few units in the last place of `f64` is none of theirs; on GPUs
//! whose `f64` is slow this costs time.
//!
//! **Accuracy.** Functions say their largest error in `f64` on the processor over the table in
//! `tests/data/special`: relative, in units of 2⁻⁵², or absolute where a function has roots. Functions
//! beneath (exponentials, logarithms, powers, Γ) are less accurate on a GPU; there the tests allow four
//! times as much, and for `jn` and `yn` the absolute error of CUDA's J and Y of orders 0 and 1, up to
//! 5e-12.
//!
//! [`guide::special_functions`](crate::guide::special_functions) shows some of them in pictures.
//!
//! | | |
//! | --- | --- |
//! | Γ and its kin | [`gamma`](fn@gamma), [`gammaln`], [`digamma`], [`polygamma`], [`beta`], [`betaln`], [`binom`], [`factorial`], [`factorial2`], [`poch`], [`zeta`], [`zetac`], [`zeta_hurwitz`], [`gammasgn`], [`rgamma`], [`loggamma`], [`multigammaln`] |
//! | incomplete | [`gammainc`], [`gammaincc`], [`gammaincinv`], [`gammainccinv`], [`betainc`], [`betaincc`], [`betaincinv`], [`betainccinv`] |
//! | distributions | [`bdtr`], [`bdtrc`], [`bdtri`], [`nbdtr`], [`nbdtrc`], [`nbdtri`], [`pdtr`], [`pdtrc`], [`pdtri`], [`chdtr`], [`chdtrc`], [`chdtri`], [`gdtr`], [`gdtrc`], [`fdtr`], [`fdtrc`], [`fdtri`] |
//! | errors | [`erf`], [`erfc`], [`erfinv`], [`erfcinv`], [`erfcx`], [`ndtr`], [`ndtri`], [`log_ndtr`] |
//! | exponential | [`exp1`], [`expi`], [`expn`], [`sici`], [`shichi`], [`lambertw`], [`lambertw_lower`] |
//! | Bessel | [`j0`], [`j1`], [`y0`], [`y1`], [`jn`], [`yn`], [`jv`], [`yv`], [`i0`], [`i1`], [`i0e`], [`i1e`], [`iv`], [`ive`], [`k0`], [`k1`], [`k0e`], [`k1e`], [`kn`], [`kv`], [`kve`], [`spherical_yn`] |
//! | elliptic | [`ellipk`], [`ellipkm1`], [`ellipe`], [`ellipkinc`], [`ellipeinc`], [`ellipj`] |
//! | Legendre | [`legendre_p`], [`assoc_legendre_p`], [`sph_harm_y`] |
//! | divergence, `sinc` | [`kl_div`], [`sinc`] |
//! | powers | [`cbrt`], [`exp2`], [`exp10`], [`expm1`], [`log1p`], [`cosm1`], [`exprel`], [`boxcox`], [`boxcox1p`], [`inv_boxcox`], [`inv_boxcox1p`] |
//! | degrees | [`sindg`], [`cosdg`], [`tandg`], [`cotdg`], [`radian`] |

#![doc = include_str!("formulas.md")]

mod bessel;
pub mod device;
mod distributions;
mod elementary;
mod elliptic;
mod exponential;
mod formulas;
mod gamma;
mod incomplete;
mod known;
mod legendre;
#[cfg(all(test, feature = "cuda"))]
mod tests;
mod transforms;

pub use bessel::*;
pub use distributions::*;
pub use elementary::*;
pub use elliptic::*;
pub use exponential::*;
pub use formulas::*;
pub use gamma::*;
pub use incomplete::*;
pub use known::*;
pub use legendre::*;
pub use transforms::*;

use crate::array::operand::sealed::{IntoArg, Wrapped};
use crate::array::{Operand, record};
use crate::backend::Device;
use crate::dtype::{Floating, Scalar};
use crate::error::Result;
use crate::graph::Arg;
use std::marker::PhantomData;

/// An operand of elements of type `T` that is converted to a type which holds all of their values.
struct Converted<T, O>(O, PhantomData<T>);

impl<T: Floating, U: Floating, O: Operand<T>> IntoArg<U> for Converted<T, O> {
    fn device(&self) -> Option<Device> {
        self.0.device()
    }

    #[track_caller]
    fn wrap(self, on: Option<Device>) -> Result<Wrapped> {
        Ok(Wrapped(match self.0.wrap(on)?.0 {
            Arg::Node(node) => Arg::Node(record::cast(&node, U::DTYPE)),
            Arg::Scalar(value) => {
                let value = value.get::<T>().map_or(f64::NAN, Floating::to_f64);
                Arg::Scalar(Scalar::new(U::from_f64(value)))
            }
        }))
    }
}
impl<T: Floating, U: Floating, O: Operand<T>> Operand<U> for Converted<T, O> {}

/// The operand in another type.
fn converted<T: Floating, U: Floating>(operand: impl Operand<T>) -> impl Operand<U> {
    Converted(operand, PhantomData)
}

/// The operand in the type in which most functions compute.
fn wide<T: Floating>(operand: impl Operand<T>) -> impl Operand<f64> {
    converted::<T, f64>(operand)
}

/// Functions of an array, by `device`'s function in `f64`.
macro_rules! unary {
    ($(
        $(#[$meta:meta])*
        example $(#[$example:meta])*
        fn $name:ident;
    )*) => {$(
        $(#[$meta])*
        ///
        /// **Shape.** The array's. **Dtype.** The array's. **Laziness.** Records; nothing is computed.
        ///
        /// # Example
        $(#[$example])*
        #[track_caller]
        pub fn $name<T: $crate::dtype::Floating>(
            a: &$crate::DeviceArray<T>,
        ) -> $crate::DeviceArray<T> {
            $crate::special::device::$name::call($crate::special::wide(a)).cast()
        }
    )*};
}
use unary;

/// Functions of several arguments that broadcast, by `device`'s function in `f64`; those with a type
/// are integers.
macro_rules! several {
    ($(
        $(#[$meta:meta])*
        example $(#[$example:meta])*
        fn $name:ident | $try_name:ident ($($whole:ident: i32,)* $(; $($arg:ident),*)?);
    )*) => {
        $crate::array::checked_fns! {$(
            $(#[$meta])*
            ///
            /// **Shape.** The arguments broadcast against each other. **Dtype.** The real arguments'.
            example $(#[$example])*
            fn $name | $try_name<T: $crate::dtype::Floating>(
                $($whole: impl $crate::Operand<i32>,)*
                $($($arg: impl $crate::Operand<T>),*)?
            ) -> $crate::DeviceArray<T> {
                let made = $crate::special::device::$name::try_call(
                    $($whole,)* $($($crate::special::wide($arg)),*)?
                );
                made.map(|array| array.cast())
            }
        )*}
    };
}
use several;
