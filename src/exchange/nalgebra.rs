//! nalgebra's matrices and vectors.

use super::host::sealed::{IntoMemory, Parts};
use super::loan::Lent;
use crate::array::located;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::shape::Shape;
use nalgebra::{DMatrixView, Dim, Dyn, Matrix, Scalar, VecStorage};

// SAFETY: the elements lie on the heap, one column after the other, and the owner alone reaches
// them.
unsafe impl<T, R, C> IntoMemory<T> for Matrix<T, R, C, VecStorage<T, R, C>>
where
    T: Element + Scalar,
    R: Dim,
    C: Dim,
    VecStorage<T, R, C>: nalgebra::RawStorage<T, R, C>,
{
    type Owner = Self;

    fn into_memory(self) -> Parts<T, Self> {
        let (rows, columns) = self.shape();
        let shape = Shape::from_slice(&[rows, columns]);
        let strides = Some([1, rows as i64].into_iter().collect());
        let pointer = self.data.as_slice().as_ptr();
        Parts { pointer, shape, strides, owner: self }
    }
}

impl<T: Element + Scalar> Lent<T> {
    /// The matrix as nalgebra's, which reads the data where it lies; with the feature `nalgebra`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the array does not have two axes, [`Error::is_device`] where the
    /// data lies on a GPU.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let host = nalgebra::DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]);
    /// let a = DeviceArray::adopt(host)? + 1.0;
    /// assert_eq!(a.lend(None)?.nalgebra()?.row(1).sum(), 9.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn nalgebra(&self) -> Result<DMatrixView<'_, T, Dyn, Dyn>> {
        let slice = self.as_slice()?;
        match *self.shape() {
            [rows, columns] => {
                Ok(DMatrixView::from_slice_with_strides(slice, rows, columns, columns, 1))
            }
            ref shape => {
                let why = format!("nalgebra: an array of shape {shape:?} is no matrix");
                located(Err(Error::shape(why)))
            }
        }
    }
}
