//! Equations and inverses of tensors, by way of matrices.

use crate::array::{DeviceArray, checked};
use crate::dtype::Factorable;
use crate::error::{Error, Result};
use crate::shape::{axis_index, checked_len};

impl<T: Factorable> DeviceArray<T> {
    checked! {
        /// The inverse of the array as a map from its axes behind the first `count` to those: with
        /// [`tensordot_last`](Self::tensordot_last) over `count` axes it gives back what
        /// `self.tensordot_last(x, …)` gave.
        ///
        /// **Shape.** The axes from `count` on, and then the first `count`; the products of both
        /// groups' lengths are equal. **Dtype.** The array's. The evaluation fails with
        /// [`Error::is_numeric`](crate::Error::is_numeric) where the map is singular. NumPy:
        /// `linalg.tensorinv(a, count)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = (DeviceArray::<f64>::eye(6) * 2.0).reshape([2, 3, 6]);
        /// let inverse = a.tensorinv(2);
        /// assert_eq!(inverse.shape(), [6, 2, 3]);
        /// let b = DeviceArray::from_vec([2, 3], vec![2.0, 4.0, 6.0, 8.0, 10.0, 12.0])?;
        /// assert_eq!(inverse.tensordot_last(&b, 2).to_vec()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn tensorinv | try_tensorinv(&self, count: usize) -> DeviceArray<T> {
            if count == 0 || count > self.ndim() {
                let shape = self.shape();
                return Err(Error::shape(format!("tensorinv: {count} axes of shape {shape:?}")));
            }
            let (to, from) = self.shape().split_at(count);
            let n = square("tensorinv", self.shape(), to, from)?;
            let inverse = self.try_reshape([n, n])?.try_inverse()?;
            inverse.try_reshape(&[from, to].concat()[..])
        }

        /// The solution `x` of `tensordot(a, x)` = `b` over all axes of `x`, which are the last ones
        /// of this array; those among `axes` are put last before.
        ///
        /// **Shape.** The array's axes behind as many as `b` has; the product of their lengths is
        /// that of `b`'s. **Dtype.** The arrays'. The evaluation fails with
        /// [`Error::is_numeric`](crate::Error::is_numeric) where the map is singular. NumPy:
        /// `linalg.tensorsolve(a, b, axes)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = (DeviceArray::<f64>::eye(6) * 2.0).reshape([2, 3, 3, 2]);
        /// let b = DeviceArray::from_vec([2, 3], vec![2.0, 4.0, 6.0, 8.0, 10.0, 12.0])?;
        /// let x = a.tensorsolve(&b, &[]);
        /// assert_eq!(x.shape(), [3, 2]);
        /// assert_eq!(x.to_vec()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn tensorsolve | try_tensorsolve(&self, b: &DeviceArray<T>, axes: &[isize]) -> DeviceArray<T> {
            let rank = self.ndim();
            let mut order: Vec<usize> = (0..rank).collect();
            for &axis in axes {
                let axis = axis_index("tensorsolve", axis, rank)?;
                order.retain(|&k| k != axis);
                order.push(axis);
            }
            let order: Vec<isize> = order.into_iter().map(|k| k as isize).collect();
            let a = self.try_permute(&order)?;
            let (to, from) = a.shape().split_at(b.ndim().min(rank));
            let n = square("tensorsolve", a.shape(), to, from)?;
            if b.len() != n {
                return Err(Error::shape(format!(
                    "tensorsolve: shapes {:?} and {:?}", a.shape(), b.shape()
                )));
            }
            let x = a.try_reshape([n, n])?.try_solve(&b.try_reshape([n])?)?;
            x.try_reshape(from)
        }
    }
}

/// The length of both groups of axes as one, which must be the same.
fn square(name: &str, shape: &[usize], to: &[usize], from: &[usize]) -> Result<usize> {
    let (rows, columns) = (checked_len(name, to)?, checked_len(name, from)?);
    match rows == columns {
        true => Ok(rows),
        false => Err(Error::shape(format!(
            "{name}: shape {shape:?} is a map from {columns} numbers to {rows}"
        ))),
    }
}
