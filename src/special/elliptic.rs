//! Elliptic integrals and Jacobi's elliptic functions, of the parameter m = k².

use super::{device, several, unary, wide};
use crate::DeviceArray;
use crate::Operand;
use crate::array::checked_fns;
use crate::dtype::Floating;

unary! {
    /// The complete elliptic integral of the first kind of the parameter `m`, also negative; infinite
    /// at 1, NaN above. Within 4 units. SciPy: `special.ellipk`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::ellipk(&x).item()?;
    /// assert!((y / 1.8540746773013719 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ellipk;

    /// The complete elliptic integral of the first kind of the parameter `1 - p`, exact for tiny `p`:
    /// within 4 units. SciPy: `special.ellipkm1`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1e-100])?;
    /// let y = lazuli::special::ellipkm1(&x).item()?;
    /// assert!((y / 116.51554901082218 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ellipkm1;

    /// The complete elliptic integral of the second kind of the parameter `m`, also negative; NaN
    /// above 1. Within 4 units. SciPy: `special.ellipe`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::ellipe(&x).item()?;
    /// assert!((y / 1.3506438810476755 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ellipe;
}

several! {
    /// The elliptic integral of the first kind of the amplitude `phi` and the parameter `m` up to 1,
    /// also negative; NaN above. Within 8 units. SciPy: `special.ellipkinc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::ellipkinc(&x, 0.5).item()?;
    /// assert!((y / 1.0832167728451687 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ellipkinc | try_ellipkinc(; phi, m);

    /// The elliptic integral of the second kind of the amplitude `phi` and the parameter `m` up to 1,
    /// also negative; NaN above. Within 8 units. SciPy: `special.ellipeinc`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0])?;
    /// let y = lazuli::special::ellipeinc(&x, 0.5).item()?;
    /// assert!((y / 0.92732988362444 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn ellipeinc | try_ellipeinc(; phi, m);
}

/// sn, cn, dn and the amplitude.
type Jacobi<T> = (DeviceArray<T>, DeviceArray<T>, DeviceArray<T>, DeviceArray<T>);

checked_fns! {
    /// Jacobi's elliptic functions sn, cn and dn of `u` and the parameter `m` from 0 to 1, and the
    /// amplitude; NaN for other parameters. Their absolute error is within 4e-15 and the last place of `u`.
    /// SciPy: `special.ellipj`.
    ///
    /// **Shape.** The arguments broadcast against each other. **Dtype.** The arguments'.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let u = DeviceArray::from_slice(&[0.0, 1.0])?;
    /// let (sn, cn, dn, amplitude) = lazuli::special::ellipj(&u, 1.0);
    /// assert_eq!(sn.to_vec()?, [0.0, 1f64.tanh()]);
    /// assert_eq!(cn.to_vec()?, dn.to_vec()?);
    /// assert_eq!(amplitude.to_vec()?[0], 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn ellipj | try_ellipj<T: Floating>(u: impl Operand<T>, m: impl Operand<T>) -> Jacobi<T> {
        let (sn, cn, dn, amplitude) = device::ellipj::try_call(wide(u), wide(m))?;
        Ok((sn.cast(), cn.cast(), dn.cast(), amplitude.cast()))
    }
}
