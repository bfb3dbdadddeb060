//! faer's matrices.

use super::host::sealed::{IntoMemory, Parts};
use super::loan::Lent;
use crate::array::located;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::shape::Shape;
use faer::{Mat, MatRef};

// SAFETY: the elements lie on the heap, within the rows and columns that the strides say, and the
// owner alone reaches them.
unsafe impl<T: Element> IntoMemory<T> for Mat<T> {
    type Owner = Mat<T>;

    fn into_memory(self) -> Parts<T, Mat<T>> {
        let shape = Shape::from_slice(&[self.nrows(), self.ncols()]);
        let strides = [self.row_stride() as i64, self.col_stride() as i64];
        let strides = Some(strides.into_iter().collect());
        Parts { pointer: self.as_ptr(), shape, strides, owner: self }
    }
}

impl<T: Element> Lent<T> {
    /// The matrix as faer's, which reads the data where it lies; with the feature `faer`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the array does not have two axes, [`Error::is_device`] where the
    /// data lies on a GPU.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let host = faer::Mat::from_fn(2, 3, |i, j| (i * 3 + j) as f64);
    /// let a = DeviceArray::adopt(host)? * 2.0;
    /// assert_eq!(a.lend(None)?.faer()?[(1, 2)], 10.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn faer(&self) -> Result<MatRef<'_, T>> {
        let slice = self.as_slice()?;
        match *self.shape() {
            [rows, columns] => Ok(MatRef::from_row_major_slice(slice, rows, columns)),
            ref shape => {
                let why = format!("faer: an array of shape {shape:?} is no matrix");
                located(Err(Error::shape(why)))
            }
        }
    }
}
