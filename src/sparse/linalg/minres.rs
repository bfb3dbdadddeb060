//! Minimal residuals of symmetric matrices.

use super::options::{quotient, turns};
use super::{LinearOperator, Options, Solution};
use crate::array::{DeviceArray, located, or_panic};
use crate::dtype::Floating;
use crate::error::Result;

/// Solves `A·x = b` for a symmetric `A`, which need not be definite, by minimal residuals: one product a
/// turn.
///
/// Where the system has no solution it ends at the least-squares one, whose residual does not reach the
/// tolerance: [`Solution::converged`] is false there. A preconditioner is symmetric and positive
/// definite.
///
/// **Shape.** `b` is a vector. **Dtype.** In that of `b`. **Laziness.** Computes now; the solution stays
/// on the device. SciPy: `scipy.sparse.linalg.minres`, whose tolerance is relative to estimated norms.
/// Source: C. C. Paige and M. A. Saunders, SIAM J. Numer. Anal. 12 (1975), 617; the residual as in S.-C.
/// Choi, C. C. Paige and M. A. Saunders, SIAM J. Sci. Comput. 33 (2011), 1810.
///
/// # Errors
/// As [`cg`](super::cg).
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{Options, minres}};
/// // Eigenvalues of both signs.
/// let a = Csr::from_dense(&DeviceArray::try_from([[1.0, 2.0], [2.0, 1.0]])?)?;
/// let b = DeviceArray::from_slice(&[5.0, 4.0])?;
/// let x = minres(&a, &b, &Options::new().rtol(1e-12))?.x.to_vec()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 2.0).abs() < 1e-10);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn minres<T: Floating>(
    a: &impl LinearOperator<T>,
    b: &DeviceArray<T>,
    options: &Options<'_, T>,
) -> Result<Solution<T>> {
    let run = |options: &Options<'_, T>, b: &DeviceArray<T>| {
        let x = options.begin("minres", b)?;
        let r = b - a.apply(&x)?;
        let z = options.precondition(&r);
        let (beta, residual) = (r.vecdot(&z).sqrt(), r.norm(0));
        let (none, zero) = (DeviceArray::zeros_like(b), DeviceArray::zeros(()));
        turns(
            vec![
                x,
                r.clone(),
                // The vectors of Lanczos: the one before, this one, and this one preconditioned.
                none.clone(),
                r,
                z,
                none.clone(),
                none,
                zero.clone(),
                beta.clone(),
                // The last rotation, and what it leaves to the next one.
                DeviceArray::full((), -T::ONE),
                zero.clone(),
                zero.clone(),
                zero.clone(),
                beta,
                zero,
            ],
            residual,
            &options.tolerance(b),
            options.most(b.len()),
            |state, goes_on| {
                let (next, residual, acts) = step(a, options, &state, &goes_on);
                // A turn that is to change nothing leaves what the next one reads.
                let kept = next.into_iter().zip(&state).map(|(new, old)| acts.select(new, old));
                (kept.collect(), residual, acts)
            },
        )
    };
    located(b.device().scope(|| options.in_range(b, run)))
}

/// A turn: a step of Lanczos, and a rotation of its new column; and whether it is one that counts.
fn step<T: Floating>(
    a: &impl LinearOperator<T>,
    options: &Options<'_, T>,
    state: &[DeviceArray<T>],
    goes_on: &DeviceArray<bool>,
) -> (Vec<DeviceArray<T>>, DeviceArray<T>, DeviceArray<bool>) {
    let [x, r, before, here, near, w_before, w, beta_before, rest @ ..] = state else {
        unreachable!("fifteen were given")
    };
    let [beta, c, s, d_bar, epsilon, phi_bar, size] = rest else {
        unreachable!("fifteen were given")
    };
    let one = DeviceArray::ones(());
    let (inverse, first) = quotient(&one, beta, goes_on);
    let v = near * &inverse;
    let (ratio, _) = quotient(beta, beta_before, goes_on);
    let next = or_panic(a.apply(&v)) - ratio * before;
    let alpha = v.vecdot(&next);
    let next = next - &alpha * &inverse * here;
    let next_near = options.precondition(&next);
    let beta_next = next.vecdot(&next_near).sqrt();
    // The rotation before this one, applied to the new column.
    let delta = c * d_bar + s * &alpha;
    let gamma_bar = s * d_bar - c * &alpha;
    let (epsilon_next, d_next) = (s * &beta_next, -(c * &beta_next));
    let slope = gamma_bar.hypot(&d_next);
    let gamma = gamma_bar.hypot(&beta_next);
    let (per_gamma, second) = quotient(&one, &gamma, goes_on);
    let (c, s) = (gamma_bar * &per_gamma, &beta_next * &per_gamma);
    let phi = &c * phi_bar;
    let phi_next = &s * phi_bar;
    let w_next = (v - epsilon * w_before - delta * w) * per_gamma;
    let x = x + phi * &w_next;
    let (per_beta, _) = quotient(&one, &beta_next, goes_on);
    let r = s.square() * r - &phi_next * &c * per_beta * &next;
    let residual = r.norm(0);
    // `slope` times the residual before is ‖A·r‖, which is zero at the least-squares solution too: from
    // there on rounding is all that a turn would bring.
    let size = size.maximum(alpha.abs() + beta + &beta_next);
    let moves = slope.greater(&size * T::from_f64(16.0 * epsilon_of::<T>()));
    let acts = first.logical_and(second).logical_and(moves).logical_and(goes_on.clone());
    let state = vec![
        x,
        r,
        here.clone(),
        next,
        next_near,
        w.clone(),
        w_next,
        beta.clone(),
        beta_next,
        c,
        s,
        d_next,
        epsilon_next,
        phi_next,
        size,
    ];
    (state, residual, acts)
}

/// The distance from one to the next number of a type.
pub(super) fn epsilon_of<T: Floating>() -> f64 {
    T::DTYPE.finfo().map_or(f64::EPSILON, |info| info.eps)
}
