//! Conjugate gradients.

use super::options::{quotient, turns};
use super::{LinearOperator, Options, Solution};
use crate::array::{DeviceArray, located};
use crate::dtype::Floating;
use crate::error::Result;

/// Solves `A·x = b` for a symmetric, positive definite `A` by conjugate gradients.
///
/// **Shape.** `b` is a vector. **Dtype.** In that of `b`. **Laziness.** Computes now; the solution stays
/// on the device. SciPy: `scipy.sparse.linalg.cg`. Source: M. R. Hestenes and E. Stiefel, 1952; with a
/// preconditioner as in Y. Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.1.
///
/// # Errors
/// [`Error::is_shape`](crate::Error::is_shape) where the shapes do not fit, and those of an evaluation.
/// That the method did not converge is no error: [`Solution::converged`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{Options, cg}};
/// let a = Csr::from_dense(&DeviceArray::try_from([[4.0, 1.0], [1.0, 3.0]])?)?;
/// let b = DeviceArray::from_slice(&[1.0, 2.0])?;
/// let found = cg(&a, &b, &Options::new().rtol(1e-12))?;
/// let x = found.x.to_vec()?;
/// assert!((x[0] - 1.0 / 11.0).abs() < 1e-12 && (x[1] - 7.0 / 11.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn cg<T: Floating>(
    a: &impl LinearOperator<T>,
    b: &DeviceArray<T>,
    options: &Options<'_, T>,
) -> Result<Solution<T>> {
    let run = |options: &Options<'_, T>, b: &DeviceArray<T>| {
        let x = options.begin("cg", b)?;
        let r = b - a.apply(&x)?;
        let z = options.precondition(&r);
        let (rz, residual) = (r.vecdot(&z), r.norm(0));
        turns(
            vec![x, r, z, rz],
            residual,
            &options.tolerance(b),
            options.most(b.len()),
            |state, goes_on| {
                let [x, r, p, rz] = &state[..] else { unreachable!("four were given") };
                let q = crate::array::or_panic(a.apply(p));
                let (alpha, went_well) = quotient(rz, &p.vecdot(&q), &goes_on);
                let x = x + &alpha * p;
                let r = r - alpha * q;
                let z = options.precondition(&r);
                let next = r.vecdot(&z);
                let (beta, _) = quotient(&next, rz, &goes_on);
                let residual = r.norm(0);
                (vec![x, r, &z + beta * p, next], residual, went_well)
            },
        )
    };
    located(b.device().scope(|| options.in_range(b, run)))
}
