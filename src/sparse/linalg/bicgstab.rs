//! Stabilised biconjugate gradients.

use super::options::{quotient, turns};
use super::{LinearOperator, Options, Solution};
use crate::array::{DeviceArray, located, or_panic};
use crate::dtype::Floating;
use crate::error::Result;

/// Solves `A·x = b` for a square `A` by stabilised biconjugate gradients: two products a turn.
///
/// **Shape.** `b` is a vector. **Dtype.** In that of `b`. **Laziness.** Computes now; the solution stays
/// on the device. SciPy: `scipy.sparse.linalg.bicgstab`. Source: H. A. van der Vorst, SIAM J. Sci. Stat.
/// Comput. 13 (1992), 631, with the preconditioner on the right.
///
/// # Errors
/// As [`cg`](super::cg).
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{Options, bicgstab}};
/// let a = Csr::from_dense(&DeviceArray::try_from([[4.0, 1.0], [-1.0, 3.0]])?)?;
/// let b = DeviceArray::from_slice(&[6.0, 5.0])?;
/// let x = bicgstab(&a, &b, &Options::new().rtol(1e-12))?.x.to_vec()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 2.0).abs() < 1e-10);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn bicgstab<T: Floating>(
    a: &impl LinearOperator<T>,
    b: &DeviceArray<T>,
    options: &Options<'_, T>,
) -> Result<Solution<T>> {
    let run = |options: &Options<'_, T>, b: &DeviceArray<T>| {
        let x = options.begin("bicgstab", b)?;
        let shadow = b - a.apply(&x)?;
        let (rho, residual) = (shadow.vecdot(&shadow), shadow.norm(0));
        turns(
            vec![x, shadow.clone(), shadow.clone(), rho],
            residual,
            &options.tolerance(b),
            options.most(b.len()),
            |state, goes_on| {
                let [x, r, p, rho] = &state[..] else { unreachable!("four were given") };
                let p_near = options.precondition(p);
                let v = or_panic(a.apply(&p_near));
                let (alpha, first) = quotient(rho, &shadow.vecdot(&v), &goes_on);
                let s = r - &alpha * &v;
                let s_near = options.precondition(&s);
                let t = or_panic(a.apply(&s_near));
                // Where `s` is zero already, so is `t`, and `x` is found.
                let found = s.norm(0).equal(T::ZERO);
                let (omega, second) = quotient(&t.vecdot(&s), &t.vecdot(&t), &goes_on);
                let x = x + &alpha * p_near + &omega * s_near;
                let r = s - &omega * t;
                let next = shadow.vecdot(&r);
                let (ratio, _) = quotient(&next, rho, &goes_on);
                let (scale, _) = quotient(&alpha, &omega, &goes_on);
                let p = &r + ratio * scale * (p - omega * v);
                let residual = r.norm(0);
                let went_well = first.logical_and(second.logical_or(found));
                (vec![x, r, p, next], residual, went_well)
            },
        )
    };
    located(b.device().scope(|| options.in_range(b, run)))
}
