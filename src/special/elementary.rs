//! Entropies, losses and logistic functions.

use super::{converted, device, several};
use crate::DeviceArray;
use crate::Operand;
use crate::array::checked_fns;
use crate::dtype::{DType, Floating};

/// Functions in the type of their arguments; halves by way of `f32`, rounded once.
macro_rules! own_type {
    ($(
        $(#[$meta:meta])*
        example $(#[$example:meta])*
        fn $name:ident | $try_name:ident ($($arg:ident),*);
    )*) => {
        checked_fns! {$(
            $(#[$meta])*
            ///
            /// **Shape.** The arguments broadcast against each other. **Dtype.** The arguments', in
            /// which it is computed; halves by way of `f32`.
            example $(#[$example])*
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
    };
}

own_type! {
    /// `x ln(y)`, 0 where `x` is zero and `y` is a number. SciPy: `special.xlogy`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.0, 2.0])?;
    /// let y = lazuli::special::xlogy(&x, &x).to_vec()?;
    /// assert_eq!(y, [0.0, 2.0 * 2f64.ln()]);
    /// # Ok::<(), Error>(())
    /// ```
    fn xlogy | try_xlogy(x, y);

    /// `x ln(1 + y)`, 0 where `x` is zero and `y` is a number. SciPy: `special.xlog1py`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.0, 2.0])?;
    /// let y = lazuli::special::xlog1py(&x, -1.0).to_vec()?;
    /// assert_eq!(y, [0.0, f64::NEG_INFINITY]);
    /// # Ok::<(), Error>(())
    /// ```
    fn xlog1py | try_xlog1py(x, y);

    /// The entropy `-x ln(x)`, 0 at zero and minus infinity below. SciPy: `special.entr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let p = DeviceArray::from_slice(&[0.5f64, 0.5, 0.0])?;
    /// assert_eq!(lazuli::special::entr(&p).sum(..).item()?, 2f64.ln());
    /// # Ok::<(), Error>(())
    /// ```
    fn entr | try_entr(x);

    /// The relative entropy `x ln(x / y)`, 0 where `x` is zero, infinite out of the domain; exact where
    /// both are near. SciPy: `special.rel_entr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let p = DeviceArray::from_slice(&[0.0, 1.0, 1.0])?;
    /// let q = DeviceArray::from_slice(&[0.5, 0.5, 0.0])?;
    /// let entropy = lazuli::special::rel_entr(&p, &q).to_vec()?;
    /// assert_eq!(entropy, [0.0, 2f64.ln(), f64::INFINITY]);
    /// # Ok::<(), Error>(())
    /// ```
    fn rel_entr | try_rel_entr(x, y);

    /// Huber's loss of the residual `r`: its half square up to `delta`, a line beyond; infinite where
    /// `delta` is negative. SciPy: `special.huber`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let r = DeviceArray::from_slice(&[-0.5, 3.0])?;
    /// assert_eq!(lazuli::special::huber(1.0, &r).to_vec()?, [0.125, 2.5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn huber | try_huber(delta, r);

    /// The smooth form of Huber's loss, `delta² (sqrt(1 + (r / delta)²) - 1)`, without cancellation.
    /// SciPy: `special.pseudo_huber`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let r = DeviceArray::from_slice(&[0.0, 0.75])?;
    /// assert_eq!(lazuli::special::pseudo_huber(1.0, &r).to_vec()?, [0.0, 0.25]);
    /// # Ok::<(), Error>(())
    /// ```
    fn pseudo_huber | try_pseudo_huber(delta, r);

    /// The logistic function, `1 / (1 + exp(-x))`, as [`sigmoid`](DeviceArray::sigmoid). SciPy:
    /// `special.expit`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[-800.0, 0.0])?;
    /// assert_eq!(lazuli::special::expit(&x).to_vec()?, [0.0, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn expit | try_expit(x);

    /// The inverse of the logistic function, `ln(p / (1 - p))`; NaN out of `[0, 1]`. SciPy:
    /// `special.logit`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let p = DeviceArray::from_slice(&[0.0, 0.5, 1.0])?;
    /// let x = lazuli::special::logit(&p).to_vec()?;
    /// assert_eq!(x, [f64::NEG_INFINITY, 0.0, f64::INFINITY]);
    /// # Ok::<(), Error>(())
    /// ```
    fn logit | try_logit(p);

    /// The logarithm of the logistic function, which neither vanishes nor overflows. SciPy:
    /// `special.log_expit`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[-800.0, 0.0])?;
    /// assert_eq!(lazuli::special::log_expit(&x).to_vec()?, [-800.0, -2f64.ln()]);
    /// # Ok::<(), Error>(())
    /// ```
    fn log_expit | try_log_expit(x);

    /// `ln(1 + exp(x))` without overflow. SciPy: `special.softplus`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.0, 800.0])?;
    /// assert_eq!(lazuli::special::softplus(&x).to_vec()?, [2f64.ln(), 800.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn softplus | try_softplus(x);
}

several! {
    /// The Kullback-Leibler divergence `x ln(x / y) - x + y`; `y` where `x` is zero, infinite out of the
    /// domain. Nothing cancels where both are near: within 4 units, unlike SciPy's. SciPy:
    /// `special.kl_div`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.0, 1.0])?;
    /// assert_eq!(lazuli::special::kl_div(&x, 1.0).to_vec()?, [1.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn kl_div | try_kl_div(; x, y);
}
