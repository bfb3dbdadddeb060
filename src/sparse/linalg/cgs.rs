//! Conjugate gradients squared.

use super::options::{quotient, turns};
use super::{LinearOperator, Options, Solution};
use crate::array::{DeviceArray, located, or_panic};
use crate::dtype::Floating;
use crate::error::Result;

/// Solves `A·x = b` for a square `A` by conjugate gradients squared: two products a turn, none with
/// the transposed matrix.
///
/// Its residual falls and rises more than that of [`bicgstab`](super::bicgstab).
///
/// **Shape.** `b` is a vector. **Dtype.** In that of `b`. **Laziness.** Computes now; the solution stays
/// on the device. SciPy: `scipy.sparse.linalg.cgs`. Source: P. Sonneveld, SIAM J. Sci. Stat. Comput. 10
/// (1989), 36, with the preconditioner on the right.
///
/// # Errors
/// As [`cg`](super::cg).
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{Options, cgs}};
/// let a = Csr::from_dense(&DeviceArray::try_from([[4.0, 1.0], [-1.0, 3.0]])?)?;
/// let b = DeviceArray::from_slice(&[6.0, 5.0])?;
/// let x = cgs(&a, &b, &Options::new().rtol(1e-12))?.x.to_vec()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 2.0).abs() < 1e-10);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn cgs<T: Floating>(
    a: &impl LinearOperator<T>,
    b: &DeviceArray<T>,
    options: &Options<'_, T>,
) -> Result<Solution<T>> {
    let run = |options: &Options<'_, T>, b: &DeviceArray<T>| {
        let x = options.begin("cgs", b)?;
        let shadow = b - a.apply(&x)?;
        let (rho, residual) = (shadow.vecdot(&shadow), shadow.norm(0));
        turns(
            vec![x, shadow.clone(), shadow.clone(), shadow.clone(), rho],
            residual,
            &options.tolerance(b),
            options.most(b.len()),
            |state, goes_on| {
                let [x, r, u, p, rho] = &state[..] else { unreachable!("five were given") };
                let v = or_panic(a.apply(&options.precondition(p)));
                let (alpha, first) = quotient(rho, &shadow.vecdot(&v), &goes_on);
                let q = u - &alpha * v;
                let step = options.precondition(&(u + &q));
                let x = x + &alpha * &step;
                let r = r - alpha * or_panic(a.apply(&step));
                let next = shadow.vecdot(&r);
                let residual = r.norm(0);
                let (beta, second) = quotient(&next, rho, &goes_on);
                let u = &r + &beta * &q;
                let p = &u + &beta * (q + &beta * p);
                (vec![x, r, u, p, next], residual, first.logical_and(second))
            },
        )
    };
    located(b.device().scope(|| options.in_range(b, run)))
}
