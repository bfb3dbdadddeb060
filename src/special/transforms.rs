//! Box and Cox's transforms, angles in degrees, and differences from 1 that would cancel.

use super::{several, unary};

unary! {
    /// `cos(x) - 1`, exact near zero. Within 4 units. SciPy: `special.cosm1`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1e-05])?;
    /// let y = lazuli::special::cosm1(&x).item()?;
    /// assert!((y / -4.999999999958334e-11 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn cosm1;

    /// `(exp(x) - 1) / x`, exact near zero, where it is 1; finite up to 716, where SciPy's is infinite
    /// from 710 on. Within 4 units. SciPy: `special.exprel`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1e-05])?;
    /// let y = lazuli::special::exprel(&x).item()?;
    /// assert!((y / 1.0000050000166667 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn exprel;

    /// The sine of an angle in degrees. Exact for angles of any size, where SciPy gives 0 beyond 1e14;
    /// NaN of infinities. Within 4 units. SciPy: `special.sindg`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[30.0])?;
    /// let y = lazuli::special::sindg(&x).item()?;
    /// assert!((y / 0.49999999999999994 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn sindg;

    /// The cosine of an angle in degrees. Exact for angles of any size, where SciPy gives 0 beyond
    /// 1e14; NaN of infinities. Within 4 units. SciPy: `special.cosdg`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[60.0])?;
    /// let y = lazuli::special::cosdg(&x).item()?;
    /// assert!((y / 0.49999999999999994 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn cosdg;

    /// The tangent of an angle in degrees, infinite at odd multiples of 90. Exact for angles of any
    /// size, where SciPy gives 0 beyond 1e14; NaN of infinities. Within 4 units. SciPy:
    /// `special.tandg`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[60.0])?;
    /// let y = lazuli::special::tandg(&x).item()?;
    /// assert!((y / 1.7320508075688767 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn tandg;

    /// The cotangent of an angle in degrees, infinite at multiples of 180. Exact for angles of any
    /// size, where SciPy gives 0 beyond 1e14; NaN of infinities. Within 4 units. SciPy:
    /// `special.cotdg`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[60.0])?;
    /// let y = lazuli::special::cotdg(&x).item()?;
    /// assert!((y / 0.5773502691896257 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn cotdg;
}

several! {
    /// Box and Cox's transform, `(x^lambda - 1) / lambda`, the logarithm where `lambda` is 0; NaN where
    /// `x` is negative. Within 8 units and 1 for each power of e in the result. SciPy: `special.boxcox`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[3.0])?;
    /// let y = lazuli::special::boxcox(&x, 0.25).item()?;
    /// assert!((y / 1.26429605180997 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn boxcox | try_boxcox(; x, lambda);

    /// [`boxcox`] of `1 + x`, exact near zero. Within 8 units and 1 for each power of e in the result.
    /// SciPy: `special.boxcox1p`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.001])?;
    /// let y = lazuli::special::boxcox1p(&x, 0.25).item()?;
    /// assert!((y / 0.000999625218599722 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn boxcox1p | try_boxcox1p(; x, lambda);

    /// The `x` with `boxcox(x, lambda) = y`; NaN where there is none. Within 8 units and 2 for each
    /// power of e in the result. SciPy: `special.inv_boxcox`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::inv_boxcox(&x, 0.25).item()?;
    /// assert!((y / 2.44140625 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn inv_boxcox | try_inv_boxcox(; y, lambda);

    /// The `x` with `boxcox1p(x, lambda) = y`, exact near zero; NaN where there is none. Within 8 units
    /// and 2 for each power of e in the result. SciPy: `special.inv_boxcox1p`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::inv_boxcox1p(&x, 0.25).item()?;
    /// assert!((y / 1.44140625 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn inv_boxcox1p | try_inv_boxcox1p(; y, lambda);

    /// Degrees, minutes and seconds of an angle in radians. Within 4 units, where the parts have one
    /// sign. SciPy: `special.radian`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[30.0])?;
    /// let y = lazuli::special::radian(10.0, 20.0, &x).item()?;
    /// assert!((y / 0.18049613347708024 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn radian | try_radian(; d, m, s);
}
