//! Legendre polynomials and functions, and spherical harmonics.

use super::{device, several, wide};
use crate::DeviceArray;
use crate::Operand;
use crate::array::{checked_fns, record};
use crate::dtype::Component;
use crate::table::Op;

several! {
    /// The Legendre polynomial of degree `n`; a negative degree is that of `-n - 1`. Its absolute
    /// error on `[-1, 1]` is within 1e-15. It takes as many steps as the degree says. SciPy:
    /// `special.legendre_p`, `special.eval_legendre`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.5])?;
    /// let y = lazuli::special::legendre_p(2, &x).item()?;
    /// assert!((y / -0.125 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn legendre_p | try_legendre_p(n: i32, ; x);

    /// The associated Legendre function of degree `n` and order `m` for `x` from -1 to 1, with the
    /// phase of Condon and Shortley; NaN elsewhere. Within 40 units, absolutely near its roots. SciPy:
    /// `special.assoc_legendre_p`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[0.6])?;
    /// let y = lazuli::special::assoc_legendre_p(2, 1, &x).item()?;
    /// assert!((y / -1.44 - 1.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn assoc_legendre_p | try_assoc_legendre_p(n: i32, m: i32, ; x);
}

checked_fns! {
    /// The spherical harmonic of degree `n` and order `m` at the polar angle `theta` and the azimuth
    /// `phi`, normalised to 1 over the sphere, with the phase of Condon and Shortley; 0 where the order
    /// is above the degree, NaN for a negative degree. Its absolute error is within 1e-14. SciPy:
    /// `special.sph_harm_y`.
    ///
    /// **Shape.** The arguments broadcast against each other. **Dtype.** Complex, of the angles' type.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let theta = DeviceArray::<f64>::linspace(0.0, 3.0, 4);
    /// let y = lazuli::special::sph_harm_y(1, 0, &theta, 0.0).to_vec()?;
    /// assert!((y[0].re - (3.0 / (4.0 * std::f64::consts::PI)).sqrt()).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn sph_harm_y | try_sph_harm_y<T: Component>(
        n: impl Operand<i32>,
        m: impl Operand<i32>,
        theta: impl Operand<T>,
        phi: impl Operand<T>,
    ) -> DeviceArray<T::Complex> {
        let (re, im) = device::sph_harm_y::try_call(n, m, wide(theta), wide(phi))?;
        let (re, im) = (re.cast::<T>(), im.cast::<T>());
        record::binary(Op::ToComplex, re.node(), im.node()).map(DeviceArray::from_node)
    }
}
