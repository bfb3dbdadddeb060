//! The LU factorisation, kept for several right-hand sides.

use super::bases::adjoint_of;
use super::factor::{self, Matrices};
use crate::array::{DeviceArray, checked, checked_fns, eval, located, recorded};
use crate::dtype::Factorable;
use crate::error::{Error, Result};

/// A factorisation `P · A = L · U` with partial pivots, of one matrix or of a batch.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 2.0, 4.0, 0.0])?;
/// let lu = a.lu_factor()?;
/// assert_eq!(lu.pivots.to_vec()?, [1, 1]);
/// let b = DeviceArray::from_slice(&[2.0, 8.0])?;
/// assert_eq!(lu.solve(&b).to_vec()?, [2.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lu<T: Factorable> {
    /// `U` and, below its diagonal, `L` without the ones on its own.
    pub factors: DeviceArray<T>,
    /// The number of the row, from 0 on, that each row in turn was swapped with.
    pub pivots: DeviceArray<i64>,
    /// The number of the row of the matrix that each row of the factors' product is.
    pub permutation: DeviceArray<i64>,
}

impl<T: Factorable> Lu<T> {
    checked! {
        /// The solution of `A · x = b`.
        ///
        /// A zero on the diagonal of `U` is treated as
        /// [`solve_triangular`](DeviceArray::solve_triangular) says.
        ///
        /// **Shape.** `[n]` or `[…, n, k]`, whose batches broadcast with the factors', gives the
        /// same. **Dtype.** The arrays'. SciPy: `linalg.lu_solve`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![4.0, 0.0, 4.0, 2.0])?;
        /// let x = a.lu_factor()?.solve(&DeviceArray::from_slice(&[4.0, 8.0])?);
        /// assert_eq!(x.to_vec()?, [1.0, 2.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn solve | try_solve(&self, b: &DeviceArray<T>) -> DeviceArray<T> {
            if b.ndim() == 1 {
                return self.try_solve(&b.try_insert_axis(1)?)?.try_squeeze(-1);
            }
            let rows = self.permuted(b)?;
            let half = self.factors.try_solve_unit_triangular(&rows, true)?;
            self.factors.try_solve_triangular(&half, false)
        }
    }

    /// The rows of right-hand sides in the order of the factors.
    #[track_caller]
    fn permuted(&self, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        let n = self.factors.shape()[self.factors.ndim() - 1];
        if b.ndim() < 2 || b.shape()[b.ndim() - 2] != n {
            let (a, b) = (self.factors.shape(), b.shape());
            return Err(Error::shape(format!("Lu: shapes {a:?} and {b:?} do not match")));
        }
        match self.permutation.ndim() {
            1 => b.try_take(&self.permutation, -2),
            _ => self.gathered(b, &self.permutation.try_insert_axis(-1)?),
        }
    }

    #[track_caller]
    fn gathered(&self, b: &DeviceArray<T>, places: &DeviceArray<i64>) -> Result<DeviceArray<T>> {
        let lead = |shape: &[usize]| shape[..shape.len() - 2].to_vec();
        let both = crate::ops::broadcasting::try_broadcast_shapes(&[
            &lead(b.shape()),
            &lead(places.shape()),
        ])?;
        let [n, k] = [2, 1].map(|behind| b.shape()[b.ndim() - behind]);
        let shape = |k: usize| both.iter().copied().chain([n, k]).collect::<Vec<usize>>();
        let (b, places) = (b.try_broadcast_to(shape(k))?, places.try_broadcast_to(shape(1))?);
        b.try_take_along_axis(&places, -2)
    }
}

/// The order of rows that swaps leave.
fn order(pivots: &[i64]) -> Vec<i64> {
    let mut rows: Vec<i64> = (0..pivots.len() as i64).collect();
    pivots.iter().enumerate().for_each(|(i, &with)| rows.swap(i, with as usize));
    rows
}

impl<T: Factorable> DeviceArray<T> {
    /// The LU factorisation with partial pivots of a square matrix, or of each of a batch, which
    /// solves systems of several right-hand sides. A singular matrix has one too, with a zero on the
    /// diagonal of `U`.
    ///
    /// **Evaluates** the factors. **Shape.** `[…, n, n]`. **Dtype.** The array's. SciPy:
    /// `linalg.lu_factor`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where a matrix is not square; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 4.0, 4.0, 4.0])?;
    /// assert_eq!(a.lu_factor()?.factors.to_vec()?, [4.0, 4.0, 0.5, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn lu_factor(&self) -> Result<Lu<T>> {
        let find = || {
            let own = Matrices::square("lu_factor", self.node())?;
            if own.is_empty() {
                let none: DeviceArray<i64> =
                    self.device().scope(|| DeviceArray::zeros(&own.each(&[own.n])[..]));
                let factors = self.clone();
                return Ok(Lu { factors, pivots: none.clone(), permutation: none });
            }
            let (factors, pivots) = factor::lu("lu_factor", self.node())?;
            let factors = DeviceArray::<T>::from_node(factors);
            let pivots = DeviceArray::<i64>::from_node(pivots);
            eval(&[&factors, &pivots])?;
            let host = pivots.to_vec()?;
            let rows: Vec<i64> = host.chunks(own.n).flat_map(order).collect();
            let shape = own.each(&[own.n]);
            let permutation = self.device().scope(|| DeviceArray::from_vec(&shape[..], rows))?;
            Ok(Lu { factors, pivots, permutation })
        };
        located(recorded(find))
    }

    /// A permutation `p`, a lower triangle `l` with ones on its diagonal and an upper one `u` with
    /// `self = p · l · u`.
    ///
    /// **Evaluates** the factors. **Shape.** Three of `[…, n, n]`. **Dtype.** The array's. SciPy:
    /// `linalg.lu`, of square matrices.
    ///
    /// # Errors
    /// As [`lu_factor`](Self::lu_factor).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 4.0, 4.0, 4.0])?;
    /// let (p, l, u) = a.lu()?;
    /// assert_eq!(p.to_vec()?, [0.0, 1.0, 1.0, 0.0]);
    /// assert_eq!((l.to_vec()?, u.to_vec()?), (vec![1.0, 0.0, 0.5, 1.0], vec![4.0, 4.0, 0.0, 2.0]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn lu(&self) -> Result<(DeviceArray<T>, DeviceArray<T>, DeviceArray<T>)> {
        let Lu { factors, permutation, .. } = located(self.lu_factor())?;
        let find = || {
            let n = factors.shape()[factors.ndim() - 1];
            let line = self.device().scope(|| DeviceArray::<i64>::arange_to(n as i64));
            // Row i of the product is row permutation[i] of the matrix.
            let p = line.insert_axis(1).try_equal(permutation.try_insert_axis(-2)?)?.cast::<T>();
            let ones = line.insert_axis(1).equal(line.insert_axis(0)).cast::<T>();
            Ok((p, factors.try_tril(-1)? + ones, factors.try_triu(0)?))
        };
        located(recorded(find))
    }
}

checked_fns! {
    /// The solution of `A · x = b` by a factor of `A` as [`cholesky`](DeviceArray::cholesky) gives it
    /// (`lower`) or [`cholesky_upper`](DeviceArray::cholesky_upper).
    ///
    /// **Shape.** `[…, n, n]` and `[n]` or `[…, n, k]`, whose batches broadcast, give the right-hand
    /// sides'. **Dtype.** The arrays'. SciPy: `linalg.cho_solve`, and `linalg.cho_factor` for the
    /// factor.
    #[doc(alias = "cho_factor")]
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![4.0, 2.0, 2.0, 2.0])?;
    /// let b = DeviceArray::from_slice(&[6.0, 4.0])?;
    /// let x = lazuli::linalg::cho_solve(&a.cholesky(), true, &b);
    /// assert_eq!(x.to_vec()?, [1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn cho_solve | try_cho_solve<T: Factorable>(
        factor: &DeviceArray<T>,
        lower: bool,
        b: &DeviceArray<T>,
    ) -> DeviceArray<T> {
        let other = adjoint_of(factor);
        let (first, second) = if lower { (factor, &other) } else { (&other, factor) };
        second.try_solve_triangular(&first.try_solve_triangular(b, true)?, false)
    }
}
