//! Generalised minimal residuals.

use super::krylov::extended;
use super::{LinearOperator, Options, Solution};
use crate::array::{DeviceArray, eval, located};
use crate::dtype::Floating;
use crate::error::Result;
use ndarray::s;

/// Solves `A·x = b` for a square `A` by generalised minimal residuals, begun anew every
/// [`restart`](Options::restart) steps.
///
/// The host does not wait for the steps between two restarts; it reads their inner products at the
/// end, and solves the small least-squares problem of these.
///
/// **Shape.** `b` is a vector. **Dtype.** In that of `b`. **Laziness.** Computes now; the solution stays
/// on the device. SciPy: `scipy.sparse.linalg.gmres`, whose `maxiter` counts restarts. Source: Y. Saad
/// and M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986), 856, with the preconditioner on the right and
/// vectors that are made orthogonal twice.
///
/// # Errors
/// As [`cg`](super::cg).
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{Options, gmres}};
/// let a = Csr::from_dense(&DeviceArray::try_from([[0.0, 1.0], [-1.0, 3.0]])?)?;
/// let b = DeviceArray::from_slice(&[2.0, 5.0])?;
/// let x = gmres(&a, &b, &Options::new().rtol(1e-12))?.x.to_vec()?;
/// assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 2.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn gmres<T: Floating>(
    a: &impl LinearOperator<T>,
    b: &DeviceArray<T>,
    options: &Options<'_, T>,
) -> Result<Solution<T>> {
    let run = |options: &Options<'_, T>, b: &DeviceArray<T>| {
        let mut x = options.begin("gmres", b)?;
        let most = options.most(b.len());
        let tolerance = options.tolerance(b);
        let mut turns = 0;
        let mut before = f64::INFINITY;
        loop {
            let r = b - a.apply(&x)?;
            let size = r.norm(0);
            eval(&[&x, &r, &size, &tolerance])?;
            let (residual, enough) = (size.item()?.to_f64(), tolerance.item()?.to_f64());
            // Of an infinite right-hand side any residual is within the tolerance.
            let converged = residual <= enough && residual.is_finite();
            // A restart that brings nothing is the last one.
            let stays = residual.is_nan() || residual >= before;
            if converged || stays || turns >= most {
                return Ok(Solution { x, turns, residual, converged });
            }
            before = residual;
            let steps = options.restart.min(most - turns).min(b.len());
            let mut basis = DeviceArray::zeros([steps + 1, b.len()]);
            basis.assign(s![0, ..], &r / &size);
            let map = |v: &DeviceArray<T>| a.apply(&options.precondition(v));
            let columns = extended(&mut basis, 0, steps, map)?;
            let (weights, taken) = least(&columns, residual, enough);
            turns += taken;
            if taken > 0 {
                let weights: Vec<T> = weights.into_iter().map(T::from_f64).collect();
                let weights = DeviceArray::from_slice(&weights)?;
                let step = basis.slice(s![..taken, ..]).t().try_matmul(&weights)?;
                x = &x + options.precondition(&step);
            }
        }
    };
    located(b.device().scope(|| options.in_range(b, run)))
}

/// The weights of the basis that make the residual small, by Givens rotations, and how many of the
/// steps they take: as soon as it is small enough no further one.
fn least(columns: &[Vec<f64>], residual: f64, enough: f64) -> (Vec<f64>, usize) {
    let (mut triangle, mut turns) = (Vec::<Vec<f64>>::new(), Vec::<(f64, f64)>::new());
    let mut right = vec![residual];
    for column in columns {
        let mut column = column.clone();
        let k = column.len() - 2;
        for (i, &(c, s)) in turns.iter().enumerate() {
            let (a, b) = (column[i], column[i + 1]);
            (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
        }
        let length = column[k].hypot(column[k + 1]);
        if !(length > 0.0 && length.is_finite()) {
            break;
        }
        let (c, s) = (column[k] / length, column[k + 1] / length);
        turns.push((c, s));
        column[k] = length;
        triangle.push(column);
        let last = right[k];
        right[k] = c * last;
        right.push(-s * last);
        if right[k + 1].abs() <= enough {
            break;
        }
    }
    let taken = triangle.len();
    let mut weights = right[..taken].to_vec();
    for i in (0..taken).rev() {
        for j in i + 1..taken {
            weights[i] -= triangle[j][i] * weights[j];
        }
        weights[i] /= triangle[i][i];
    }
    (weights, taken)
}
