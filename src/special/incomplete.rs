//! The incomplete gamma and beta functions.

use super::several;

several! {
    /// The regularised lower incomplete gamma function `P(a, x)`, from 0 at `x = 0` to 1; NaN where an
    /// argument is negative. Relative error: within 20 units and 2 for each power of e below 1. SciPy:
    /// `special.gammainc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[3.0])?;
    /// let y = lazuli::special::gammainc(2.0, &x).item()?;
    /// assert!((y / 0.8008517265285442 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn gammainc | try_gammainc(; a, x);

    /// The regularised upper incomplete gamma function `Q(a, x) = 1 - P(a, x)`, also where it is tiny;
    /// NaN where an argument is negative. Relative error: within 60 units and 2 for each power of e
    /// below 1. SciPy: `special.gammaincc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[30.0])?;
    /// let y = lazuli::special::gammaincc(2.0, &x).item()?;
    /// assert!((y / 2.9008631203404573e-12 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn gammaincc | try_gammaincc(; a, x);

    /// The `x` with `P(a, x) = p`; NaN for `p` out of `[0, 1]`. By Newton's method, to what rounding
    /// in [`gammainc`] leaves: within 1e-14 unless the order is tiny. SciPy: `special.gammaincinv`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::gammaincinv(1.0, &x).item()?;
    /// assert!((y / 0.6931471805599453 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn gammaincinv | try_gammaincinv(; a, p);

    /// The `x` with `Q(a, x) = q`; NaN for `q` out of `[0, 1]`. By Newton's method, to what rounding
    /// in [`gammaincc`] leaves: within 2e-14 unless the order is tiny. SciPy: `special.gammainccinv`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1e-100])?;
    /// let y = lazuli::special::gammainccinv(1.0, &x).item()?;
    /// assert!((y / 230.25850929940458 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn gammainccinv | try_gammainccinv(; a, q);

    /// The regularised incomplete beta function `I(a, b, x)`; NaN where a parameter is negative or `x`
    /// is out of `[0, 1]`. Within 150 units, or absolutely within 1e-14 where a parameter is below
    /// 0.05; parameters above 1e7 may take thousands of steps. SciPy: `special.betainc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::betainc(2.0, 3.0, &x).item()?;
    /// assert!((y / 0.6875 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn betainc | try_betainc(; a, b, x);

    /// The complement of the regularised incomplete beta function, `1 - I(a, b, x)`, also where it is
    /// tiny; otherwise as [`betainc`]. SciPy: `special.betaincc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::betaincc(2.0, 3.0, &x).item()?;
    /// assert!((y / 0.3125 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn betaincc | try_betaincc(; a, b, x);

    /// The `x` with `I(a, b, x) = p`; NaN for `p` out of `[0, 1]` and parameters that are not
    /// positive. By Newton's method, to what rounding in [`betainc`] leaves. SciPy:
    /// `special.betaincinv`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.75])?;
    /// let y = lazuli::special::betaincinv(1.0, 2.0, &x).item()?;
    /// assert!((y / 0.5 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn betaincinv | try_betaincinv(; a, b, p);

    /// The `x` with `1 - I(a, b, x) = q`; otherwise as [`betaincinv`]. SciPy: `special.betainccinv`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.25])?;
    /// let y = lazuli::special::betainccinv(1.0, 2.0, &x).item()?;
    /// assert!((y / 0.5 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn betainccinv | try_betainccinv(; a, b, q);
}
