//! Systems of sparse triangles, on the host: their steps follow one another.

use super::direct::{sides, upload, values};
use crate::array::{DeviceArray, located};
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::sparse::Csr;

/// Which triangle of a matrix has entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// The one below the diagonal, with it.
    Lower,
    /// The one above the diagonal, with it.
    Upper,
}

/// The solution of `A·x = b` for a sparse triangle `A`.
///
/// **Shape.** `b` is a vector or has a right-hand side in each column; `x` is as `b`. **Dtype.** That of
/// `b`. **Laziness.** Evaluates, and works on the host, in `f64`. SciPy:
/// `scipy.sparse.linalg.spsolve_triangular`, without `unit_diagonal`.
///
/// # Errors
/// [`Error::is_shape`] where the matrix is not square, is no such triangle, or the right-hand side does
/// not fit; [`Error::is_numeric`] where there is a zero on the diagonal; [`Error::is_device`], and those
/// of the evaluation.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{Triangle, spsolve_triangular}};
/// let a = Csr::from_dense(&DeviceArray::try_from([[2.0, 0.0], [1.0, 4.0]])?)?;
/// let b = DeviceArray::from_slice(&[2.0, 9.0])?;
/// assert_eq!(spsolve_triangular(&a, &b, Triangle::Lower)?.to_vec()?, [1.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn spsolve_triangular<T: Floating>(
    a: &Csr<T>,
    b: &DeviceArray<T>,
    triangle: Triangle,
) -> Result<DeviceArray<T>> {
    located(solved(a, b, triangle))
}

fn solved<T: Floating>(
    a: &Csr<T>,
    b: &DeviceArray<T>,
    triangle: Triangle,
) -> Result<DeviceArray<T>> {
    let [n, columns] = a.shape();
    if n != columns {
        let shape = a.shape();
        return Err(Error::shape(format!("spsolve_triangular: a matrix of shape {shape:?}")));
    }
    let entries = a.rows().into_iter().zip(a.indices());
    let is_outside = |row: i32, col: i32| match triangle {
        Triangle::Lower => col > row,
        Triangle::Upper => col < row,
    };
    if let Some((row, col)) = entries.into_iter().find(|&(row, &col)| is_outside(row, col)) {
        return Err(Error::shape(format!(
            "spsolve_triangular: an entry at [{row}, {col}] of what is to be {triangle:?}"
        )));
    }
    let mut all = sides("spsolve_triangular", n, a.device(), b)?;
    let values = values(a)?;
    for step in 0..n {
        let row = match triangle {
            Triangle::Lower => step,
            Triangle::Upper => n - 1 - step,
        };
        let range = a.indptr()[row]..a.indptr()[row + 1];
        let others = || range.clone().filter(|&k| a.indices()[k] as usize != row);
        let on: f64 =
            range.clone().filter(|&k| a.indices()[k] as usize == row).map(|k| values[k]).sum();
        if on == 0.0 {
            return Err(Error::numeric(format!(
                "spsolve_triangular: the matrix is singular: zero at [{row}, {row}]"
            )));
        }
        for side in &mut all {
            let rest =
                others().fold(side[row], |x, k| x - values[k] * side[a.indices()[k] as usize]);
            side[row] = rest / on;
        }
    }
    upload(&all, b)
}
