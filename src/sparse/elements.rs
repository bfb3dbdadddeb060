//! Elements, rows and diagonals of a matrix, and the matrix with its zeros.

use super::Csr;
use super::csr::{Structure, wrong};
use crate::array::{DeviceArray, located};
use crate::dtype::Number;
use crate::error::Result;

impl<T: Number> Csr<T> {
    /// The value at a place; entries of one place count together.
    ///
    /// **Laziness.** Evaluates the values. SciPy: `A[i, j]`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the place is out of range, and those of the evaluation.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let a = Csr::<i32>::eye(2)?;
    /// assert_eq!((a.get([1, 1])?, a.get([1, 0])?), (1, 0));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, [row, col]: [usize; 2]) -> Result<T> {
        let shape = self.structure.shape;
        if row >= shape[0] || col >= shape[1] {
            return located(Err(wrong(format!(
                "the place [{row}, {col}] of a matrix of shape {shape:?}"
            ))));
        }
        let mut sum = T::ZERO;
        for k in self.structure.indptr[row]..self.structure.indptr[row + 1] {
            if self.structure.indices[k] as usize == col {
                sum += self.data.get([k])?;
            }
        }
        Ok(sum)
    }

    /// A row as a vector with its zeros.
    ///
    /// **Shape.** `[columns]`. **Laziness.** Records. SciPy: `A[[i]].toarray()`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where there is no such row.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<i32>::eye(3)?.row(1)?.to_vec()?, [0, 1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "getrow")]
    #[track_caller]
    pub fn row(&self, row: usize) -> Result<DeviceArray<T>> {
        let Structure { shape, indptr, indices, device, .. } = &*self.structure;
        if row >= shape[0] {
            return located(Err(wrong(format!("row {row} of a matrix of shape {shape:?}"))));
        }
        let entries = indptr[row]..indptr[row + 1];
        located(device.scope(|| {
            let places = DeviceArray::from_slice(&indices[entries.clone()])?;
            let values = self.data.slice(ndarray::s![entries]);
            DeviceArray::zeros([shape[1]]).try_scatter_add(&places, &values, 0)
        }))
    }

    /// The matrix with its zeros.
    ///
    /// **Shape.** The matrix's. **Laziness.** Records. SciPy: `toarray`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<i32>::eye(2)?.to_dense().to_vec()?, [1, 0, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "toarray")]
    #[track_caller]
    pub fn to_dense(&self) -> DeviceArray<T> {
        crate::array::or_panic(self.to_coo().try_to_dense())
    }

    /// The main diagonal.
    ///
    /// **Shape.** `[min(rows, columns)]`. **Laziness.** Records. SciPy: `diagonal`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<i32>::eye(2)?.diagonal().to_vec()?, [1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn diagonal(&self) -> DeviceArray<T> {
        let Structure { shape, indices, device, .. } = &*self.structure;
        let entries = self.rows().into_iter().zip(indices).enumerate();
        let on: (Vec<i64>, Vec<i32>) = entries
            .filter(|(_, (row, col))| row == *col)
            .map(|(k, (row, _))| (k as i64, row))
            .unzip();
        crate::array::or_panic(device.scope(|| {
            let (from, places) = (DeviceArray::from_slice(&on.0)?, DeviceArray::from_slice(&on.1)?);
            let zeros = DeviceArray::zeros([shape[0].min(shape[1])]);
            zeros.try_scatter_add(&places, self.data.take_clipped(&from, 0), 0)
        }))
    }
}
