//! The functions of [`special`](crate::special) for one element: what users' functions call.
//!
//! They are ordinary functions of numbers, and carry their device code: functions with
//! [`#[vectorize]`](macro@crate::vectorize), [`#[device]`](macro@crate::device),
//! [`#[reduce]`](macro@crate::reduce) and [`#[kernel]`](macro@crate::kernel) call them by name, on both
//! kinds of devices. Most take and give `f64`; entropies, losses and logistic functions are generic
//! over [`Float`](crate::device::Float). The functions on arrays say how accurate each one is, and
//! what it gives out of its domain.
//!
//! # Example
//! ```
//! use lazuli::prelude::*;
//! use lazuli::special::device::{digamma, gammainc};
//!
//! /// The distribution function of χ² with `k` degrees of freedom, and the derivative of the entropy.
//! #[vectorize]
//! fn chi_square(x: f64, k: f64) -> (f64, f64) {
//!     (gammainc(0.5 * k, 0.5 * x), digamma(0.5 * k))
//! }
//!
//! let x = DeviceArray::from_slice(&[0.0, 2.0])?;
//! let (p, _) = chi_square::call(&x, 2.0);
//! let p = p.to_vec()?;
//! assert!(p[0] == 0.0 && (p[1] - (1.0 - (-1f64).exp())).abs() < 1e-15);
//! assert_eq!(gammainc(1.0, 0.0), 0.0);
//! # Ok::<(), Error>(())
//! ```

mod bessel;
mod bessel_real;
mod distributions;
mod elementary;
mod elliptic;
mod exponential;
mod formulas;
mod gamma;
mod gamma_related;
mod incomplete_beta;
mod incomplete_gamma;
mod integrals;
mod legendre;
mod modified_bessel;
mod normal;
mod transforms;
mod zeta_functions;

pub use bessel::{i0e, i1e, jn, k0, k0e, k1, k1e, kn, spherical_yn, yn};
pub use bessel_real::{jv, yv};
pub use distributions::{
    bdtr, bdtrc, bdtri, chdtr, chdtrc, chdtri, fdtr, fdtrc, fdtri, gdtr, gdtrc, nbdtr, nbdtrc,
    nbdtri, pdtr, pdtrc, pdtri,
};
pub use elementary::kl_div;
pub use elliptic::{ellipe, ellipeinc, ellipj, ellipk, ellipkinc, ellipkm1};
pub use exponential::{exp1, expi, lambertw, lambertw_lower};
pub use formulas::*;
pub use gamma::{beta, betaln, binom, digamma, factorial, factorial2, poch, polygamma};
pub use gamma_related::{gammasgn, loggamma, multigammaln, rgamma, zetac};
pub use incomplete_beta::{betainc, betaincc, betainccinv, betaincinv};
pub use incomplete_gamma::{gammainc, gammaincc, gammainccinv, gammaincinv};
pub use integrals::{erfcx, expn, shichi, sici};
pub use legendre::{assoc_legendre_p, legendre_p, sph_harm_y};
pub use modified_bessel::{iv, ive, kv, kve};
pub use normal::{log_ndtr, ndtr, ndtri};
pub use transforms::{
    boxcox, boxcox1p, cosdg, cosm1, cotdg, exprel, inv_boxcox, inv_boxcox1p, radian, sindg, tandg,
};
pub use zeta_functions::{zeta, zeta_hurwitz};
