//! The normal distribution, exponential integrals, and Lambert's function.

use super::{device, several, unary, wide};
use crate::array::{DeviceArray, Operand, checked_fns};
use crate::dtype::Floating;

unary! {
    /// The distribution function of the standard normal distribution, exact far down its tail: within
    /// 4 units. SciPy: `special.ndtr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[-1.0])?;
    /// let y = lazuli::special::ndtr(&x).item()?;
    /// assert!((y / 0.15865525393145707 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ndtr;

    /// The inverse of [`ndtr`], the quantiles of the standard normal distribution; NaN out of `[0,
    /// 1]`. Within 4 units. SciPy: `special.ndtri`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.975])?;
    /// let y = lazuli::special::ndtri(&x).item()?;
    /// assert!((y / 1.959963984540054 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ndtri;

    /// The logarithm of [`ndtr`], also where that would vanish: within 4 units. SciPy:
    /// `special.log_ndtr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[-100.0])?;
    /// let y = lazuli::special::log_ndtr(&x).item()?;
    /// assert!((y / -5005.524208694205 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn log_ndtr;

    /// The exponential integral E₁; infinite at zero, NaN for negative numbers. Within 4 units. SciPy:
    /// `special.exp1`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::exp1(&x).item()?;
    /// assert!((y / 0.21938393439552029 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn exp1;

    /// The exponential integral Ei. Within 8 units, near its root too. SciPy: `special.expi`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::expi(&x).item()?;
    /// assert!((y / 1.8951178163559368 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn expi;

    /// The principal branch of Lambert's W function, the solution `w` of `w exp(w) = x` that is at
    /// least -1; NaN below `-1/e`. Within 4 units, near the branch point too. SciPy:
    /// `special.lambertw(x).real`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::lambertw(&x).item()?;
    /// assert!((y / 0.5671432904097838 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn lambertw;

    /// The lower real branch of Lambert's W function, the solution `w` of `w exp(w) = x` that is at
    /// most -1, for `x` from `-1/e` to 0; NaN elsewhere. Within 4 units. SciPy: `special.lambertw(x,
    /// -1).real`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[-0.1])?;
    /// let y = lazuli::special::lambertw_lower(&x).item()?;
    /// assert!((y / -3.577152063957297 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn lambertw_lower;

    /// The complement of the error function times `exp(x²)`, which neither vanishes nor loses digits
    /// far out. Within 8 units. SciPy: `special.erfcx`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[30.0])?;
    /// let y = lazuli::special::erfcx(&x).item()?;
    /// assert!((y / 0.018795888861416754 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn erfcx;
}

several! {
    /// The exponential integral of the order `n`, the integral of `exp(-x t) / t^n` over `t` from 1 on;
    /// NaN where an argument is negative. Within 8 units. SciPy: `special.expn`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::expn(3, &x).item()?;
    /// assert!((y / 0.22160436427517846 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn expn | try_expn(n: i32, ; x);
}

checked_fns! {
    /// The sine and the cosine integral of `x`, the latter of its magnitude: where SciPy's is complex
    /// below zero, that is its real part. Absolutely within 1e-15. SciPy: `special.sici`.
    ///
    /// **Shape.** Two arrays of the array's. **Dtype.** The array's.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[5.0])?;
    /// let (s, c) = lazuli::special::sici(&x);
    /// assert!((s.item()? / 1.549931244944674 - 1.0).abs() < 1e-14);
    /// assert!((c.item()? / -0.1900297496566439 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn sici | try_sici<T: Floating>(x: impl Operand<T>) -> (DeviceArray<T>, DeviceArray<T>) {
        let (sine, cosine) = device::sici::try_call(wide(x))?;
        Ok((sine.cast(), cosine.cast()))
    }

    /// The hyperbolic sine and cosine integral of `x`, the latter of its magnitude: where SciPy's is
    /// complex below zero, that is its real part. Within 8 units, absolutely where they are below 1.
    /// SciPy: `special.shichi`.
    ///
    /// **Shape.** Two arrays of the array's. **Dtype.** The array's.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[5.0])?;
    /// let (s, c) = lazuli::special::shichi(&x);
    /// assert!((s.item()? / 20.09321182569723 - 1.0).abs() < 1e-14);
    /// assert!((c.item()? / 20.092063530105953 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn shichi | try_shichi<T: Floating>(x: impl Operand<T>) -> (DeviceArray<T>, DeviceArray<T>) {
        let (sine, cosine) = device::shichi::try_call(wide(x))?;
        Ok((sine.cast(), cosine.cast()))
    }
}
