//! Least squares by bidiagonalisation, with a slope that falls from turn to turn.

use super::bidiagonal::Beginning;
use super::options::{quotient, turns};
use super::{LinearOperator, Options, Solution};
use crate::array::{DeviceArray, located, or_panic};
use crate::dtype::Floating;
use crate::error::Result;

/// Minimises what [`lsqr`](super::lsqr) does, by the same products; here `‖Aᵀ·r‖` falls with every
/// turn, so that it may end sooner.
///
/// There is no preconditioner; one that the options have is not used. It ends where `‖Aᵀ·r‖`, which is
/// zero at the minimum, is at most [`rtol`](Options::rtol) times its value at the beginning;
/// [`Solution::residual`] is this norm.
///
/// **Shape.** `b` is a vector of the rows, `x` one of the columns. **Dtype.** In that of `b`.
/// **Laziness.** Computes now; the solution stays on the device. SciPy: `scipy.sparse.linalg.lsmr`,
/// whose tolerances are relative to estimated norms. Source: D. C.-L. Fong and M. A. Saunders, SIAM J.
/// Sci. Comput. 33 (2011), 2950.
///
/// # Errors
/// As [`lsqr`](super::lsqr).
///
/// # Example
/// A line through three points:
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{Options, lsmr}};
/// let a = Csr::from_dense(&DeviceArray::try_from([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])?)?;
/// let b = DeviceArray::from_slice(&[1.0, 2.0, 6.0])?;
/// let x = lsmr(&a, &b, &Options::new().rtol(1e-12))?.x.to_vec()?;
/// assert!((x[0] - 0.5).abs() < 1e-10 && (x[1] - 2.5).abs() < 1e-10);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn lsmr<T: Floating>(
    a: &impl LinearOperator<T>,
    b: &DeviceArray<T>,
    options: &Options<'_, T>,
) -> Result<Solution<T>> {
    let run = |options: &Options<'_, T>, b: &DeviceArray<T>| {
        let Beginning { transposed, x, u, v, alpha, slope, tolerance, .. } =
            Beginning::new("lsmr", a, b, options)?;
        let (one, none) = (DeviceArray::ones(()), DeviceArray::zeros_like(&v));
        let damp = T::from_f64(options.damp);
        let zero = DeviceArray::zeros(());
        turns(
            vec![
                x,
                v.clone(),
                none,
                u,
                v,
                alpha.clone(),
                alpha,
                one.clone(),
                one.clone(),
                one,
                zero,
                slope.clone(),
            ],
            slope,
            &tolerance,
            options.most(b.len()),
            |state, goes_on| {
                let product = |x: &DeviceArray<T>| or_panic(a.apply(x));
                let back = |x: &DeviceArray<T>| or_panic(transposed(x));
                let (next, slope, went_well) = step(product, back, damp, &state, &goes_on);
                // A turn that is to change nothing leaves what the next one reads.
                let kept = next.into_iter().zip(&state).map(|(new, old)| goes_on.select(new, old));
                (kept.collect(), slope, went_well)
            },
        )
    };
    located(b.device().scope(|| options.in_range(b, run)))
}

/// A turn: a step of the bidiagonalisation, and two rotations of its new column.
fn step<T: Floating>(
    product: impl Fn(&DeviceArray<T>) -> DeviceArray<T>,
    back: impl Fn(&DeviceArray<T>) -> DeviceArray<T>,
    damp: T,
    state: &[DeviceArray<T>],
    goes_on: &DeviceArray<bool>,
) -> (Vec<DeviceArray<T>>, DeviceArray<T>, DeviceArray<bool>) {
    let [x, h, h_bar, u, v, alpha, alpha_bar, rho_before, rest @ ..] = state else {
        unreachable!("twelve were given")
    };
    let [rho_bar_before, c_bar, s_bar, zeta_bar] = rest else { unreachable!("twelve were given") };
    let one = DeviceArray::ones(());
    let over = |a: &DeviceArray<T>, b: &DeviceArray<T>| quotient(a, b, goes_on).0;
    let next = product(v) - alpha * u;
    let beta = next.norm(0);
    let u = next * over(&one, &beta);
    let next = back(&u) - &beta * v;
    let alpha = next.norm(0);
    let v = next * over(&one, &alpha);
    // The damping is rotated away first.
    let damped = alpha_bar.hypot(damp);
    let rho = damped.hypot(&beta);
    let (c, s) = (over(&damped, &rho), over(&beta, &rho));
    let (theta, alpha_bar) = (&s * &alpha, &c * &alpha);
    let theta_bar = s_bar * &rho;
    let turned = c_bar * &rho;
    let rho_bar = turned.hypot(&theta);
    let (c_bar, s_bar) = (over(&turned, &rho_bar), over(&theta, &rho_bar));
    let zeta = &c_bar * zeta_bar;
    let zeta_bar = -(&s_bar * zeta_bar);
    let back_by = over(&(theta_bar * &rho), &(rho_before * rho_bar_before));
    let h_bar = h - back_by * h_bar;
    let (step, went_well) = quotient(&zeta, &(&rho * &rho_bar), goes_on);
    let x = x + step * &h_bar;
    let h = &v - over(&theta, &rho) * h;
    let slope = zeta_bar.abs();
    let state = vec![x, h, h_bar, u, v, alpha, alpha_bar, rho, rho_bar, c_bar, s_bar, zeta_bar];
    (state, slope, went_well)
}
