//! Least squares by bidiagonalisation.

use super::bidiagonal::Beginning;
use super::options::{quotient, turns};
use super::{LinearOperator, Options, Solution};
use crate::array::{DeviceArray, located, or_panic};
use crate::dtype::Floating;
use crate::error::Result;

/// Minimises `‖A·x − b‖`, or with [`damp`](Options::damp) `‖A·x − b‖² + damp²·‖x‖²`, for a matrix of any
/// shape, by Golub's and Kahan's bidiagonalisation: a product with the matrix and one with its
/// transpose each turn.
///
/// There is no preconditioner; one that the options have is not used. It ends where `‖Aᵀ·r‖`, which is
/// zero at the minimum, is at most [`rtol`](Options::rtol) times its value at the beginning; [`Solution::residual`] is this norm.
///
/// **Shape.** `b` is a vector of the rows, `x` one of the columns. **Dtype.** In that of `b`.
/// **Laziness.** Computes now; the solution stays on the device. SciPy: `scipy.sparse.linalg.lsqr`,
/// whose tolerances are relative to estimated norms. Source: C. C. Paige and M. A. Saunders, ACM Trans.
/// Math. Softw. 8 (1982), 43.
///
/// # Errors
/// As [`cg`](super::cg), and [`Error::is_unsupported`](crate::Error::is_unsupported) where the product with the transposed matrix is
/// not known.
///
/// # Example
/// A line through three points:
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{Options, lsqr}};
/// let a = Csr::from_dense(&DeviceArray::try_from([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])?)?;
/// let b = DeviceArray::from_slice(&[1.0, 2.0, 6.0])?;
/// let x = lsqr(&a, &b, &Options::new().rtol(1e-12))?.x.to_vec()?;
/// assert!((x[0] - 0.5).abs() < 1e-10 && (x[1] - 2.5).abs() < 1e-10);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn lsqr<T: Floating>(
    a: &impl LinearOperator<T>,
    b: &DeviceArray<T>,
    options: &Options<'_, T>,
) -> Result<Solution<T>> {
    let run = |options: &Options<'_, T>, b: &DeviceArray<T>| {
        let Beginning { transposed, x, u, beta, v, alpha, slope: residual, tolerance } =
            Beginning::new("lsqr", a, b, options)?;
        let damp = T::from_f64(options.damp);
        turns(
            vec![x, v.clone(), u, v, alpha.clone(), alpha, beta],
            residual,
            &tolerance,
            options.most(b.len()),
            |state, goes_on| {
                let [x, w, u, v, alpha, rho_bar, phi_bar] = &state[..] else {
                    unreachable!("seven were given")
                };
                let one = DeviceArray::ones(());
                let next = or_panic(a.apply(v)) - alpha * u;
                let beta = next.norm(0);
                let u = next * quotient(&one, &beta, &goes_on).0;
                let next = or_panic(transposed(&u)) - &beta * v;
                let alpha = next.norm(0);
                let v = next * quotient(&one, &alpha, &goes_on).0;
                // The damping is rotated away first.
                let damped = rho_bar.hypot(damp);
                let phi_bar = phi_bar * (rho_bar / &damped);
                let rho = damped.hypot(&beta);
                let (c, s) = (&damped / &rho, &beta / &rho);
                let (theta, phi) = (&s * &alpha, &c * &phi_bar);
                let (step, went_well) = quotient(&phi, &rho, &goes_on);
                let (turn, _) = quotient(&theta, &rho, &goes_on);
                let residual = (&alpha * &s * &phi).abs();
                let x = x + step * w;
                let w = &v - turn * w;
                let next = vec![x, w, u, v, alpha.clone(), -(&c * &alpha), s * phi_bar];
                // A turn that is to change nothing leaves what the next one reads.
                let kept = next.into_iter().zip(&state).map(|(new, old)| goes_on.select(new, old));
                (kept.collect(), residual, went_well)
            },
        )
    };
    located(b.device().scope(|| options.in_range(b, run)))
}
