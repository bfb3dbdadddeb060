//! Some singular values of a matrix.

use super::eigsh::{EigenOptions, Which, found};
use super::lanczos::Numbers;
use super::{LinearOperator, operator::Product};
use crate::array::{DeviceArray, eval, located};
use crate::backend::Device;
use crate::dtype::{Component, Factorable};
use crate::error::{Error, Result};

/// Singular values and vectors.
#[derive(Clone, Debug)]
pub struct Singular<T: Component> {
    /// The singular vectors on the left, as columns.
    pub u: DeviceArray<T>,
    /// The singular values, descending.
    pub s: DeviceArray<T>,
    /// The singular vectors on the right, as rows.
    pub vt: DeviceArray<T>,
    /// The restarts.
    pub turns: usize,
    /// Whether all of them reached the tolerance.
    pub converged: bool,
}

/// The product of a matrix with its transpose, the smaller one of both.
struct Square<'a, T: Component, A> {
    a: &'a A,
    transposed: &'a Product<'a, T>,
    is_wide: bool,
}

impl<T: Component, A: LinearOperator<T>> LinearOperator<T> for Square<'_, T, A> {
    fn apply(&self, x: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        match self.is_wide {
            true => self.a.apply(&(self.transposed)(x)?),
            false => (self.transposed)(&self.a.apply(x)?),
        }
    }
}

/// The `k` largest singular values of a matrix of any shape, or the smallest ones, and their vectors: by
/// [`eigsh`](super::eigsh) of the product with the transposed matrix, whose eigenvalues are their
/// squares.
///
/// Values below the root of the type's precision times the largest one are not found well. A pair of
/// functions takes a [`start`](EigenOptions::start) of the columns, and is to have as many rows at
/// least.
///
/// **Shape.** `[m, n]` gives `[m, k]`, `[k]` and `[k, n]`. **Dtype.** That of the matrix. **Laziness.**
/// Computes now; all three stay on the device. SciPy: `scipy.sparse.linalg.svds`, which raises an error
/// where it does not converge.
///
/// # Errors
/// As [`eigsh`](super::eigsh), and [`Error::is_unsupported`] where the product with the transposed
/// matrix is not known, or others than the largest or smallest magnitudes are asked for.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{EigenOptions, svds}};
/// let a = Csr::from_dense(&DeviceArray::try_from([[3.0, 0.0], [0.0, -2.0], [0.0, 0.0]])?)?;
/// let found = svds(&a, 1, &EigenOptions::new())?;
/// assert!((found.s.to_vec()?[0] - 3.0).abs() < 1e-12);
/// assert_eq!((found.u.shape(), found.vt.shape()), (&[3, 1][..], &[1, 2][..]));
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn svds<T, A>(a: &A, k: usize, options: &EigenOptions<T>) -> Result<Singular<T>>
where
    T: Component + Factorable,
    A: LinearOperator<T>,
{
    located(decomposed(a, k, options))
}

fn decomposed<T, A>(a: &A, k: usize, options: &EigenOptions<T>) -> Result<Singular<T>>
where
    T: Component + Factorable,
    A: LinearOperator<T>,
{
    if !matches!(options.wanted(), Which::LargestMagnitude | Which::SmallestMagnitude) {
        return Err(Error::unsupported(format!("svds: singular values by {:?}", options.wanted())));
    }
    let transposed = a.transposed()?;
    let dimensions = a.dimensions();
    let is_wide = dimensions.is_some_and(|([rows, columns], _)| rows < columns);
    let square = Square { a, transposed: &transposed, is_wide };
    let turned = |([rows, columns], device): ([usize; 2], Device)| {
        let n = rows.min(columns);
        ([n, n], device)
    };
    let mut numbers = Numbers(1);
    let start = options.begin("svds", dimensions.map(turned), &mut numbers)?;
    start.device().scope(|| {
        let near = found(&square, k, &start, options, numbers)?;
        if k == 0 {
            let rows = transposed_rows(a, &transposed, dimensions, &start)?;
            let (u, vt) = (DeviceArray::zeros([rows[0], 0]), DeviceArray::zeros([0, rows[1]]));
            let s = DeviceArray::zeros([0]);
            return Ok(Singular { u, s, vt, turns: 0, converged: true });
        }
        // The other side's vectors, and with them values that are no roots of squares.
        let product = |x: &DeviceArray<T>| match is_wide {
            true => transposed(x),
            false => a.apply(x),
        };
        let columns: Result<Vec<DeviceArray<T>>> =
            (0..k).map(|j| product(&near.vectors.slice(ndarray::s![.., j]))).collect();
        let columns = columns?;
        let other = crate::try_stack(&columns.iter().collect::<Vec<_>>(), 1)?;
        let (left, s, right) = other.try_svd()?;
        let right = near.vectors.try_matmul(&right.t())?;
        let (u, vt) = if is_wide { (right, left.t()) } else { (left, right.t()) };
        eval(&[&u, &s, &vt])?;
        Ok(Singular { u, s, vt, turns: near.turns, converged: near.converged })
    })
}

/// The numbers of rows and columns, of a pair of functions by a product.
fn transposed_rows<T: Component, A: LinearOperator<T>>(
    a: &A,
    transposed: &Product<'_, T>,
    dimensions: Option<([usize; 2], Device)>,
    start: &DeviceArray<T>,
) -> Result<[usize; 2]> {
    match dimensions {
        Some((shape, _)) => Ok(shape),
        None => {
            let image = a.apply(start)?;
            Ok([image.len(), transposed(&image)?.len()])
        }
    }
}
