//! Bessel functions.

use super::{several, unary};

unary! {
    /// The modified Bessel function K₀; infinite at zero, NaN below. Within 6 units. SciPy:
    /// `special.k0`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::k0(&x).item()?;
    /// assert!((y / 0.42102443824070823 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn k0;

    /// The modified Bessel function K₁; infinite at zero, NaN below. Within 6 units. SciPy:
    /// `special.k1`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::k1(&x).item()?;
    /// assert!((y / 0.6019072301972346 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn k1;

    /// The modified Bessel function K₀ times `exp(x)`. Within 6 units. SciPy: `special.k0e`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1000.0])?;
    /// let y = lazuli::special::k0e(&x).item()?;
    /// assert!((y / 0.03962832160075422 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn k0e;

    /// The modified Bessel function K₁ times `exp(x)`. Within 6 units. SciPy: `special.k1e`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1000.0])?;
    /// let y = lazuli::special::k1e(&x).item()?;
    /// assert!((y / 0.03964813081296021 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn k1e;

    /// The modified Bessel function I₀ times `exp(-|x|)`. Within 3 units. SciPy: `special.i0e`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1000.0])?;
    /// let y = lazuli::special::i0e(&x).item()?;
    /// assert!((y / 0.012617240455891257 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn i0e;

    /// The modified Bessel function I₁ times `exp(-|x|)`. Within 3 units. SciPy: `special.i1e`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1000.0])?;
    /// let y = lazuli::special::i1e(&x).item()?;
    /// assert!((y / 0.01261093025692863 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn i1e;
}

several! {
    /// The Bessel function of the first kind of integer order. Its error is within 4e-15 of the
    /// amplitude where it oscillates, and relative, within 20 units, where it does not. It takes as
    /// many steps as the order says. SciPy: `special.jn`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::jn(2, &x).item()?;
    /// assert!((y / 0.1149034849319005 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn jn | try_jn(n: i32, ; x);

    /// The Bessel function of the second kind of integer order; minus infinity at zero, NaN below. Its
    /// error is within 4e-15 of the amplitude where it oscillates, and relative, within 20 units,
    /// where it does not. It takes as many steps as the order says. SciPy: `special.yn`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::yn(2, &x).item()?;
    /// assert!((y / -1.6506826068162546 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn yn | try_yn(n: i32, ; x);

    /// The modified Bessel function of the second kind of integer order; infinite at zero, NaN below.
    /// Within 24 units. It takes as many steps as the order says. SciPy: `special.kn`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::kn(2, &x).item()?;
    /// assert!((y / 1.6248388986351774 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn kn | try_kn(n: i32, ; x);

    /// The Bessel function of the first kind of real order; NaN for negative arguments unless the
    /// order is whole, and for infinite orders. Its error is within 4e-15 of the amplitude where it
    /// oscillates, and relative, within 20 units, where it does not. The steps grow with the order.
    /// SciPy: `special.jv`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::jv(0.5, &x).item()?;
    /// assert!((y / 0.6713967071418031 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn jv | try_jv(; order, x);

    /// The Bessel function of the second kind of real order; NaN for negative arguments and infinite
    /// orders. Its error is within 4e-15 of the amplitude where it oscillates, and relative, within 20
    /// units, where it does not. The steps grow with the order. SciPy: `special.yv`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::yv(0.5, &x).item()?;
    /// assert!((y / -0.4310988680183761 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn yv | try_yv(; order, x);

    /// The modified Bessel function of the first kind of real order; NaN for negative arguments unless
    /// the order is whole. Within 24 units. The steps grow with the order. SciPy: `special.iv`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::iv(0.5, &x).item()?;
    /// assert!((y / 0.937674888245488 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn iv | try_iv(; order, x);

    /// The modified Bessel function of the first kind of real order, times `exp(-|x|)`; otherwise as
    /// [`iv`]. SciPy: `special.ive`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1000.0])?;
    /// let y = lazuli::special::ive(0.5, &x).item()?;
    /// assert!((y / 0.012615662610100801 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ive | try_ive(; order, x);

    /// The modified Bessel function of the second kind of real order; infinite at zero, NaN for
    /// negative arguments. Within 24 units. The steps grow with the order. SciPy: `special.kv`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::kv(0.5, &x).item()?;
    /// assert!((y / 0.46106850444789454 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn kv | try_kv(; order, x);

    /// The modified Bessel function of the second kind of real order, times `exp(x)`; otherwise as
    /// [`kv`]. SciPy: `special.kve`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1000.0])?;
    /// let y = lazuli::special::kve(0.5, &x).item()?;
    /// assert!((y / 0.03963327297606011 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn kve | try_kve(; order, x);

    /// The spherical Bessel function of the second kind of the order `n`; NaN where that is negative,
    /// minus infinity at zero. Within 16 units, absolutely near the roots. SciPy:
    /// `special.spherical_yn`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[3.5])?;
    /// let y = lazuli::special::spherical_yn(2, &x).item()?;
    /// assert!((y / -0.11612829076848646 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn spherical_yn | try_spherical_yn(n: i32, ; x);
}
