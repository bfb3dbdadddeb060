//! Divergences.

use super::several;

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
