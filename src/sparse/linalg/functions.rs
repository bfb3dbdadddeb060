//! Norms and powers of sparse matrices.

use crate::array::{DeviceArray, located};
use crate::dtype::{Factorable, Number};
use crate::error::{Error, Result};
use crate::ops::linalg::norms::MatrixNorm;
use crate::sparse::Csr;

/// A norm of a sparse matrix.
///
/// The norms by singular values are not here: [`svds`](super::svds) gives the largest ones.
///
/// **Shape.** One number. **Dtype.** Real. **Laziness.** Records; sums of columns sort the structure on
/// the host. SciPy: `scipy.sparse.linalg.norm`.
///
/// # Errors
/// [`Error::is_unsupported`] for the norms by singular values, [`Error::is_shape`] where a matrix
/// without elements has no sum of a row or a column.
///
/// # Example
/// ```
/// use lazuli::{linalg::MatrixNorm, prelude::*, sparse::{Csr, linalg}};
/// let a = DeviceArray::<f64>::from_vec([2, 2], vec![3.0, 0.0, -4.0, 2.0])?;
/// let a = Csr::from_dense(&a)?;
/// assert_eq!(linalg::norm(&a, MatrixNorm::One)?.item()?, 7.0);
/// assert_eq!(linalg::norm(&a, MatrixNorm::Infinity)?.item()?, 6.0);
/// assert!((linalg::norm(&a, MatrixNorm::Frobenius)?.item()? - 29.0f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn norm<T: Factorable>(a: &Csr<T>, which: MatrixNorm) -> Result<DeviceArray<T::Real>> {
    let sums = |axis: isize| {
        if a.shape().contains(&0) {
            let shape = a.shape();
            return located(Err(Error::shape(format!("norm: a matrix of shape {shape:?}"))));
        }
        a.with_data(&a.data().abs())?.sum(axis)
    };
    match which {
        MatrixNorm::Frobenius => Ok(a.data().norm(0)),
        MatrixNorm::One => Ok(sums(0)?.max(..)),
        MatrixNorm::MinusOne => Ok(sums(0)?.min(..)),
        MatrixNorm::Infinity => Ok(sums(1)?.max(..)),
        MatrixNorm::MinusInfinity => Ok(sums(1)?.min(..)),
        MatrixNorm::Two | MatrixNorm::MinusTwo | MatrixNorm::Nuclear => {
            located(Err(Error::unsupported(format!(
                "norm: {which:?} needs all singular values, which a sparse matrix does not give"
            ))))
        }
    }
}

/// A whole power of a square matrix.
///
/// **Laziness.** Finds the structure on the host now: a power has more entries than the matrix. SciPy:
/// `scipy.sparse.linalg.matrix_power`.
///
/// # Errors
/// As [`Csr::matmul`], and [`Error::is_shape`] where the matrix is not square.
///
/// # Example
/// ```
/// use lazuli::{prelude::*, sparse::{Csr, linalg}};
/// let a = Csr::from_dense(&DeviceArray::try_from([[1i64, 1], [1, 0]])?)?;
/// assert_eq!(linalg::matrix_power(&a, 10)?.to_dense().to_vec()?, [89, 55, 55, 34]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn matrix_power<T: Number>(a: &Csr<T>, power: u32) -> Result<Csr<T>> {
    let [n, columns] = a.shape();
    if n != columns {
        let shape = a.shape();
        return located(Err(Error::shape(format!("matrix_power: a matrix of shape {shape:?}"))));
    }
    let mut found: Option<Csr<T>> = None;
    let (mut square, mut left) = (a.clone(), power);
    while left > 0 {
        if left % 2 == 1 {
            found = Some(match found {
                Some(found) => found.matmul(&square)?,
                None => square.clone(),
            });
        }
        left /= 2;
        if left > 0 {
            square = square.matmul(&square)?;
        }
    }
    found.map_or_else(|| a.device().scope(|| Csr::eye(n)), Ok)
}
