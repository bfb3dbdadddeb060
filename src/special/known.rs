//! Functions that are methods of arrays as well, under SciPy's names.

use crate::DeviceArray;
use crate::dtype::Floating;

macro_rules! methods {
    ($($(#[$meta:meta])* fn $name:ident = $method:ident, example $x:literal => $y:literal;)*) => {$(
        $(#[$meta])*
        ///
        #[doc = concat!(
            "The method [`", stringify!($method), "`](DeviceArray::", stringify!($method),
            "), which says how accurate it is, also inside users' functions ",
            "([`Float`](crate::device::Float))."
        )]
        ///
        /// **Shape.** The array's. **Dtype.** The array's. **Laziness.** Records; nothing is computed.
        ///
        /// # Example
        /// ```
        /// use lazuli::prelude::*;
        #[doc = concat!("let x = DeviceArray::from_slice(&[", stringify!($x), "])?;")]
        #[doc = concat!("let y = lazuli::special::", stringify!($name), "(&x).item()?;")]
        #[doc = concat!("assert!((y - ", stringify!($y), ").abs() < 1e-14);")]
        /// # Ok::<(), Error>(())
        /// ```
        pub fn $name<T: Floating>(a: &DeviceArray<T>) -> DeviceArray<T> {
            a.$method()
        }
    )*};
}

methods! {
    /// The error function. SciPy: `special.erf`.
    fn erf = erf, example 1.0 => 0.8427007929497149;
    /// The complementary error function. SciPy: `special.erfc`.
    fn erfc = erfc, example 1.0 => 0.15729920705028513;
    /// The inverse of the error function. SciPy: `special.erfinv`.
    fn erfinv = erfinv, example 0.5 => 0.4769362762044699;
    /// The inverse of the complementary error function. SciPy: `special.erfcinv`.
    fn erfcinv = erfcinv, example 0.5 => 0.4769362762044699;
    /// The gamma function. SciPy: `special.gamma`.
    fn gamma = gamma, example 5.0 => 24.0;
    /// The logarithm of the gamma function's magnitude. SciPy: `special.gammaln`.
    fn gammaln = lgamma, example 3.0 => 0.6931471805599453;
    /// The Bessel function J₀. SciPy: `special.j0`.
    fn j0 = bessel_j0, example 1.0 => 0.7651976865579666;
    /// The Bessel function J₁. SciPy: `special.j1`.
    fn j1 = bessel_j1, example 1.0 => 0.44005058574493355;
    /// The Bessel function Y₀. SciPy: `special.y0`.
    fn y0 = bessel_y0, example 1.0 => 0.08825696421567697;
    /// The Bessel function Y₁. SciPy: `special.y1`.
    fn y1 = bessel_y1, example 2.0 => -0.10703243154093755;
    /// The modified Bessel function I₀. SciPy: `special.i0`.
    fn i0 = bessel_i0, example 1.0 => 1.2660658777520082;
    /// The modified Bessel function I₁. SciPy: `special.i1`.
    fn i1 = bessel_i1, example 1.0 => 0.5651591039924851;
    /// `sin(πx) / (πx)`, 1 at zero. SciPy: `special.sinc`.
    fn sinc = sinc, example 0.5 => 0.6366197723675814;
    /// The cube root. SciPy: `special.cbrt`.
    fn cbrt = cbrt, example 27.0 => 3.0;
    /// 2 to the power of the number. SciPy: `special.exp2`.
    fn exp2 = exp2, example 3.0 => 8.0;
    /// 10 to the power of the number. SciPy: `special.exp10`.
    fn exp10 = exp10, example 2.0 => 100.0;
    /// `exp(x) - 1`, exact near zero. SciPy: `special.expm1`.
    fn expm1 = exp_m1, example 1.0 => 1.718281828459045;
    /// `ln(1 + x)`, exact near zero. SciPy: `special.log1p`.
    fn log1p = ln_1p, example 1.0 => 0.6931471805599453;
}
