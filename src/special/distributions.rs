//! Distribution functions, their complements and inverses.

use super::several;

several! {
    /// The binomial distribution: the probability of up to `k` successes, rounded down, in `n` trials
    /// of probability `p`; NaN where `k` is negative or above `n`. As accurate as
    /// [`betainc`](super::betainc). SciPy: `special.bdtr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.25])?;
    /// let y = lazuli::special::bdtr(3.0, 10.0, &x).item()?;
    /// assert!((y / 0.7758750915527344 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn bdtr | try_bdtr(; k, n, p);

    /// The complement of [`bdtr`]: the probability of more than `k` successes, also where it is tiny.
    /// SciPy: `special.bdtrc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.25])?;
    /// let y = lazuli::special::bdtrc(3.0, 10.0, &x).item()?;
    /// assert!((y / 0.22412490844726568 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn bdtrc | try_bdtrc(; k, n, p);

    /// The probability `p` with `bdtr(k, n, p) = y`; NaN where `k` is not below `n`. SciPy:
    /// `special.bdtri`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.25])?;
    /// let y = lazuli::special::bdtri(3.0, 10.0, &x).item()?;
    /// assert!((y / 0.4576961545748519 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn bdtri | try_bdtri(; k, n, y);

    /// The negative binomial distribution: the probability of up to `k` failures before `n` successes
    /// of probability `p`; both numbers are rounded towards zero. NaN where `k` is negative. SciPy:
    /// `special.nbdtr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::nbdtr(3.0, 5.0, &x).item()?;
    /// assert!((y / 0.3632812500000001 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn nbdtr | try_nbdtr(; k, n, p);

    /// The complement of [`nbdtr`], also where it is tiny. SciPy: `special.nbdtrc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::nbdtrc(3.0, 5.0, &x).item()?;
    /// assert!((y / 0.6367187499999999 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn nbdtrc | try_nbdtrc(; k, n, p);

    /// The probability `p` with `nbdtr(k, n, p) = y`. SciPy: `special.nbdtri`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.25])?;
    /// let y = lazuli::special::nbdtri(3.0, 5.0, &x).item()?;
    /// assert!((y / 0.44451368494768506 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn nbdtri | try_nbdtri(; k, n, y);

    /// The Poisson distribution: the probability of up to `k` events, rounded down, of mean `m`; NaN
    /// where an argument is negative. As accurate as [`gammaincc`](super::gammaincc). SciPy:
    /// `special.pdtr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[2.5])?;
    /// let y = lazuli::special::pdtr(3.0, &x).item()?;
    /// assert!((y / 0.7575761331330662 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn pdtr | try_pdtr(; k, m);

    /// The complement of [`pdtr`], also where it is tiny. SciPy: `special.pdtrc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[2.5])?;
    /// let y = lazuli::special::pdtrc(3.0, &x).item()?;
    /// assert!((y / 0.2424238668669339 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn pdtrc | try_pdtrc(; k, m);

    /// The mean `m` with `pdtr(k, m) = y`; `k` is rounded towards zero. NaN where `y` is not from 0 to
    /// below 1. SciPy: `special.pdtri`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.25])?;
    /// let y = lazuli::special::pdtri(3.0, &x).item()?;
    /// assert!((y / 5.10942748512338 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn pdtri | try_pdtri(; k, y);

    /// The chi-square distribution of `v` degrees of freedom up to `x`; NaN where that is negative. As
    /// accurate as [`gammainc`](super::gammainc). SciPy: `special.chdtr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[2.5])?;
    /// let y = lazuli::special::chdtr(3.0, &x).item()?;
    /// assert!((y / 0.5247089166569795 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn chdtr | try_chdtr(; v, x);

    /// The complement of [`chdtr`], also where it is tiny. SciPy:
    /// `special.chdtrc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[2.5])?;
    /// let y = lazuli::special::chdtrc(3.0, &x).item()?;
    /// assert!((y / 0.4752910833430205 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn chdtrc | try_chdtrc(; v, x);

    /// The `x` with `chdtrc(v, x) = p`. SciPy: `special.chdtri`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.25])?;
    /// let y = lazuli::special::chdtri(3.0, &x).item()?;
    /// assert!((y / 4.108344935632312 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn chdtri | try_chdtri(; v, p);

    /// The gamma distribution of the rate `a` and the shape `b` up to `x`; NaN where that is negative.
    /// As accurate as [`gammainc`](super::gammainc) of the rounded product of `a` and `x`. SciPy:
    /// `special.gdtr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.5])?;
    /// let y = lazuli::special::gdtr(2.0, 3.0, &x).item()?;
    /// assert!((y / 0.5768099188731566 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn gdtr | try_gdtr(; a, b, x);

    /// The complement of [`gdtr`], also where it is tiny. SciPy: `special.gdtrc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.5])?;
    /// let y = lazuli::special::gdtrc(2.0, 3.0, &x).item()?;
    /// assert!((y / 0.42319008112684364 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn gdtrc | try_gdtrc(; a, b, x);

    /// Fisher's F distribution of `a` and `b` degrees of freedom up to `x`; NaN where that is negative
    /// or a parameter is not positive. As accurate as [`betainc`](super::betainc). SciPy:
    /// `special.fdtr`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.5])?;
    /// let y = lazuli::special::fdtr(5.0, 12.0, &x).item()?;
    /// assert!((y / 0.738883234317461 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn fdtr | try_fdtr(; a, b, x);

    /// The complement of [`fdtr`], also where it is tiny. SciPy: `special.fdtrc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.5])?;
    /// let y = lazuli::special::fdtrc(5.0, 12.0, &x).item()?;
    /// assert!((y / 0.261116765682539 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn fdtrc | try_fdtrc(; a, b, x);

    /// The `x` with `fdtr(a, b, x) = p`; NaN where `p` is not from 0 to 1. SciPy:
    /// `special.fdtri`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.25])?;
    /// let y = lazuli::special::fdtri(5.0, 12.0, &x).item()?;
    /// assert!((y / 0.5297478198619815 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn fdtri | try_fdtri(; a, b, p);
}
