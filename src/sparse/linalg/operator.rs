//! What has a product with a vector.

use crate::array::DeviceArray;
use crate::backend::Device;
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::sparse::Csr;

/// A linear map of vectors: a [`Csr`], a dense matrix, a function `|x| …`, or a pair of functions, of
/// which the second one is the product with the transposed matrix (for [`lsqr`](super::lsqr)).
///
/// SciPy: `LinearOperator`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::linalg::{Options, cg};
/// // The second difference with zeros beyond the ends, without a matrix.
/// let product = |x: &DeviceArray<f64>| {
///     let around = x.pad(&[(1, 1)], PadMode::Constant(0.0));
///     2.0 * x - around.slice(s![..-2]) - around.slice(s![2..])
/// };
/// let b = DeviceArray::<f64>::ones([9]);
/// let found = cg(&product, &b, &Options::new())?;
/// assert!((found.x.to_vec()?[4] - 12.5).abs() < 1e-4);
/// # Ok::<(), Error>(())
/// ```
pub trait LinearOperator<T: Floating> {
    /// The product with a vector.
    ///
    /// # Errors
    /// Where the vector does not fit.
    fn apply(&self, x: &DeviceArray<T>) -> Result<DeviceArray<T>>;

    /// The numbers of rows and columns, and the device, where they are known: a function does not
    /// know them.
    fn dimensions(&self) -> Option<([usize; 2], Device)> {
        None
    }

    /// The product of the transposed matrix with vectors, made ready.
    ///
    /// # Errors
    /// [`Error::is_unsupported`] where it is not known.
    fn transposed(&self) -> Result<Product<'_, T>> {
        Err(Error::unsupported(
            "sparse::linalg: the product with the transposed matrix is not known; give a pair of functions"
                .to_owned(),
        ))
    }
}

/// A product with vectors.
pub type Product<'a, T> = Box<dyn Fn(&DeviceArray<T>) -> Result<DeviceArray<T>> + 'a>;

impl<T: Floating> LinearOperator<T> for Csr<T> {
    #[track_caller]
    fn apply(&self, x: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        self.try_dot(x)
    }

    fn dimensions(&self) -> Option<([usize; 2], Device)> {
        Some((self.shape(), self.device()))
    }

    #[track_caller]
    fn transposed(&self) -> Result<Product<'_, T>> {
        let transposed = self.transpose()?;
        Ok(Box::new(move |x| transposed.try_dot(x)))
    }
}

impl<T: Floating> LinearOperator<T> for DeviceArray<T> {
    #[track_caller]
    fn apply(&self, x: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        self.try_matmul(x)
    }

    fn dimensions(&self) -> Option<([usize; 2], Device)> {
        let &[rows, columns] = self.shape() else { return None };
        Some(([rows, columns], self.device()))
    }

    #[track_caller]
    fn transposed(&self) -> Result<Product<'_, T>> {
        let transposed = self.t();
        Ok(Box::new(move |x| transposed.try_matmul(x)))
    }
}

impl<T: Floating, F: Fn(&DeviceArray<T>) -> DeviceArray<T>> LinearOperator<T> for F {
    fn apply(&self, x: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        Ok(self(x))
    }
}

impl<T, F, G> LinearOperator<T> for (F, G)
where
    T: Floating,
    F: Fn(&DeviceArray<T>) -> DeviceArray<T>,
    G: Fn(&DeviceArray<T>) -> DeviceArray<T>,
{
    fn apply(&self, x: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        Ok((self.0)(x))
    }

    fn transposed(&self) -> Result<Product<'_, T>> {
        Ok(Box::new(|x| Ok((self.1)(x))))
    }
}
