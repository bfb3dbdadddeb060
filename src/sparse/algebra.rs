//! Sums, products and reductions of sparse matrices.

use super::{Coo, Csr};
use crate::array::{DeviceArray, located};
use crate::dtype::Number;
use crate::error::{Error, Result};
use crate::try_concatenate;
use std::ops::{Add, Mul, Neg, Sub};

impl<T: Number> Csr<T> {
    /// This matrix and another one, entry by entry, with a sign of the other.
    #[track_caller]
    fn joined(
        &self,
        other: &Csr<T>,
        sign: impl Fn(&DeviceArray<T>) -> DeviceArray<T>,
    ) -> Result<Csr<T>> {
        if self.shape() != other.shape() {
            let (a, b) = (self.shape(), other.shape());
            return located(Err(Error::shape(format!(
                "sparse: matrices of shapes {a:?} and {b:?}"
            ))));
        }
        let (mut a, b) = (self.to_coo(), other.to_coo());
        a.rows.extend(b.rows);
        a.cols.extend(b.cols);
        let data = located(try_concatenate(&[&a.data, &sign(&b.data)], 0))?;
        Coo { data, ..a }.to_csr()
    }

    /// The product of two sparse matrices.
    ///
    /// **Laziness.** Finds the structure on the host now: a list of all products of two entries.
    /// SciPy: `A @ B`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shapes do not fit, [`Error::is_device`],
    /// [`Error::is_out_of_memory`].
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let a = Csr::from_dense(&DeviceArray::try_from([[1, 2], [0, 3]])?)?;
    /// assert_eq!(a.matmul(&a)?.to_dense().to_vec()?, [1, 8, 0, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn matmul(&self, other: &Csr<T>) -> Result<Csr<T>> {
        let ([rows, inner], [also, cols]) = (self.shape(), other.shape());
        if inner != also {
            let (a, b) = (self.shape(), other.shape());
            return located(Err(Error::shape(format!(
                "sparse: the product of shapes {a:?} and {b:?}"
            ))));
        }
        let (mut at_row, mut at_col) = (Vec::<i32>::new(), Vec::<i32>::new());
        let (mut left, mut right) = (Vec::<i64>::new(), Vec::<i64>::new());
        for (k, (&middle, row)) in self.indices().iter().zip(self.rows()).enumerate() {
            let entries = other.indptr()[middle as usize]..other.indptr()[middle as usize + 1];
            for entry in entries {
                at_row.push(row);
                at_col.push(other.indices()[entry]);
                left.push(k as i64);
                right.push(entry as i64);
            }
        }
        let data = located(self.device().scope(|| {
            let a = self.data().take_clipped(&DeviceArray::from_slice(&left)?, 0);
            a.try_multiply(other.data().take_clipped(&DeviceArray::from_slice(&right)?, 0))
        }))?;
        Coo { shape: [rows, cols], rows: at_row, cols: at_col, data }.to_csr()
    }

    /// The sums of the columns (axis 0) or of the rows (axis 1).
    ///
    /// **Shape.** `[columns]` or `[rows]`. **Laziness.** Sums of columns sort the structure on the host.
    /// SciPy: `A.sum(axis)`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there is no such axis.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let a = Csr::from_dense(&DeviceArray::try_from([[1, 2], [0, 3]])?)?;
    /// assert_eq!((a.sum(0)?.to_vec()?, a.sum(1)?.to_vec()?), (vec![1, 5], vec![3, 3]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn sum(&self, axis: isize) -> Result<DeviceArray<T>> {
        let ones = |n: usize| self.device().scope(|| DeviceArray::ones([n]));
        match axis {
            0 | -2 => self.transpose()?.try_dot(&ones(self.shape()[0])),
            1 | -1 => self.try_dot(&ones(self.shape()[1])),
            _ => located(Err(Error::shape(format!("sparse: a matrix has no axis {axis}")))),
        }
    }
}

/// All values times a number.
impl<T: Number> Mul<T> for &Csr<T> {
    type Output = Csr<T>;

    #[track_caller]
    fn mul(self, by: T) -> Csr<T> {
        crate::array::or_panic(self.with_data(&self.data().multiply(by)))
    }
}

impl<T: Number + Neg<Output = T>> Neg for &Csr<T> {
    type Output = Csr<T>;

    #[track_caller]
    fn neg(self) -> Csr<T> {
        self * -T::ONE
    }
}

/// The sum of two matrices, or why there is none: their shapes differ.
impl<T: Number> Add for &Csr<T> {
    type Output = Result<Csr<T>>;

    #[track_caller]
    fn add(self, other: &Csr<T>) -> Result<Csr<T>> {
        self.joined(other, Clone::clone)
    }
}

/// The difference of two matrices, or why there is none: their shapes differ.
impl<T: Number> Sub for &Csr<T> {
    type Output = Result<Csr<T>>;

    #[track_caller]
    fn sub(self, other: &Csr<T>) -> Result<Csr<T>> {
        self.joined(other, |data| DeviceArray::zeros_like(data).subtract(data))
    }
}
