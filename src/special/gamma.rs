//! The gamma function's kin.

use super::{device, several, unary, wide};
use crate::array::{DeviceArray, Operand, checked_fns};
use crate::dtype::Floating;

unary! {
    /// The digamma function ψ, the logarithmic derivative of Γ, also by the name psi. Within 4 units
    /// for positive arguments; below zero its absolute error is a few units of ψ(1 - x). Infinite at
    /// zero, NaN at negative integers. SciPy: `special.digamma`, `special.psi`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::digamma(&x).item()?;
    /// assert!((y / -0.5772156649015329 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn digamma;

    /// Riemann's zeta function of real numbers: within 8 units down to -30, where it is below 1e11,
    /// and within 1 unit for each power of e of larger results. SciPy: `special.zeta(x)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[2.0])?;
    /// let y = lazuli::special::zeta(&x).item()?;
    /// assert!((y / 1.6449340668482264 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn zeta;

    /// The factorial, Γ(x + 1), also of numbers that are not whole; 0 for negative numbers. Within 2
    /// units. SciPy: `special.factorial`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[5.0])?;
    /// let y = lazuli::special::factorial(&x).item()?;
    /// assert!((y / 120.0 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn factorial;

    /// The double factorial of whole numbers, n (n - 2) (n - 4) …; 0 for negative ones, NaN for what
    /// is not whole. Within 8 units. SciPy: `special.factorial2`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[7.0])?;
    /// let y = lazuli::special::factorial2(&x).item()?;
    /// assert!((y / 105.0 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn factorial2;

    /// The sign of the gamma function, 1 or -1; NaN at its poles below zero, and at zeros by their
    /// sign. SciPy: `special.gammasgn`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[-2.5])?;
    /// let y = lazuli::special::gammasgn(&x).item()?;
    /// assert!((y / -1.0 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn gammasgn;

    /// The reciprocal of the gamma function, 0 at its poles; also where the gamma function itself
    /// overflows. Within 16 units. SciPy: `special.rgamma`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[4.5])?;
    /// let y = lazuli::special::rgamma(&x).item()?;
    /// assert!((y / 0.08597174606442 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn rgamma;

    /// The logarithm of the gamma function of positive numbers: [`gammaln`](super::gammaln), but NaN
    /// below zero, where it would be complex. SciPy: `special.loggamma`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[4.5])?;
    /// let y = lazuli::special::loggamma(&x).item()?;
    /// assert!((y / 2.4537365708424423 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn loggamma;

    /// Riemann's zeta function less 1, exact where that is tiny; otherwise as [`zeta`]. Within 8 units
    /// above 1, absolutely within 2e-16 near its roots. SciPy: `special.zetac`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[60.0])?;
    /// let y = lazuli::special::zetac(&x).item()?;
    /// assert!((y / 8.673617380119933e-19 - 1.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn zetac;
}

several! {
    /// The derivative of order `n` of the digamma function; NaN where `n` is negative. Within 8 units
    /// for positive arguments. SciPy: `special.polygamma`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::polygamma(1, &x).item()?;
    /// assert!((y / 1.6449340668482266 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn polygamma | try_polygamma(n: i32, ; x);

    /// Hurwitz' zeta function, the sum of `(q + k)^-s` over `k` from 0 on. NaN where `s` is below 1,
    /// or `q` is negative and `s` no integer; the poles at whole `q` up to 0 give infinity. Within 8
    /// units. SciPy: `special.zeta(s, q)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::zeta_hurwitz(2.0, &x).item()?;
    /// assert!((y / 4.93480220054468 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn zeta_hurwitz | try_zeta_hurwitz(; s, q);

    /// The beta function, Γ(a) Γ(b) / Γ(a + b). Within 4 units and 2 for each power of e in the
    /// result. SciPy: `special.beta`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[3.0])?;
    /// let y = lazuli::special::beta(2.0, &x).item()?;
    /// assert!((y / 0.08333333333333333 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn beta | try_beta(; a, b);

    /// The logarithm of the beta function's magnitude. Within 4 units, absolutely near the roots.
    /// SciPy: `special.betaln`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[3.0])?;
    /// let y = lazuli::special::betaln(2.0, &x).item()?;
    /// assert!((y / -2.4849066497880004 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn betaln | try_betaln(; a, b);

    /// The binomial coefficient of real numbers, `1 / ((n + 1) B(n - k + 1, k + 1))`; NaN where `n` is
    /// a negative integer. What is whole is exact while it fits; within 8 units and 1 for each power
    /// of e in the result. SciPy: `special.binom`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[2.0])?;
    /// let y = lazuli::special::binom(5.0, &x).item()?;
    /// assert!((y / 10.0 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn binom | try_binom(; n, k);

    /// Pochhammer's symbol, the rising factorial Γ(x + m) / Γ(x). Within 8 units and 2 for each power
    /// of e in the result. SciPy: `special.poch`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[2.0])?;
    /// let y = lazuli::special::poch(&x, 3.0).item()?;
    /// assert!((y / 24.0 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn poch | try_poch(; x, m);
}

checked_fns! {
    /// The logarithm of the multivariate gamma function of the dimension `d`; NaN where `a` is not
    /// above `(d - 1) / 2`. The sum of as many logarithms of the gamma function. SciPy:
    /// `special.multigammaln`, where such an `a` is an error.
    ///
    /// **Shape.** The arguments broadcast against each other. **Dtype.** The real argument's.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[4.5])?;
    /// let y = lazuli::special::multigammaln(&x, 3).item()?;
    /// assert!((y / 7.163564471191672 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn multigammaln | try_multigammaln<T: Floating>(
        a: impl Operand<T>,
        d: impl Operand<i32>,
    ) -> DeviceArray<T> {
        device::multigammaln::try_call(wide(a), d).map(|value| value.cast())
    }
}
