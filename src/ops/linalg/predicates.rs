//! What a matrix is like.

use super::factor::Matrices;
use super::solve::adjoint;
use crate::array::{DeviceArray, checked, located, recorded};
use crate::dtype::{Inexact, Number};
use crate::error::Result;

/// Whether two arrays are the same but for what the tolerances allow, over the last two axes.
#[track_caller]
fn agree<T: Inexact>(
    a: &DeviceArray<T>,
    b: &DeviceArray<T>,
    [rtol, atol]: [f64; 2],
) -> DeviceArray<bool> {
    let equal = a.equal(b);
    let same = match rtol == 0.0 && atol == 0.0 {
        true => equal,
        false => {
            let distance = (a - b).abs().cast::<f64>();
            distance.less_equal(b.abs().cast::<f64>() * rtol + atol).logical_or(equal)
        }
    };
    same.all([-2, -1])
}

impl<T: Inexact> DeviceArray<T> {
    checked! {
        /// Whether a square matrix, or each of a batch, is its own transpose: each pair of elements
        /// differs by at most `atol + rtol · |element|`; 0 and 0 for exactly. Nothing is equal to NaN.
        ///
        /// **Shape.** The array's without the last two axes. **Dtype.** `bool`. SciPy:
        /// `linalg.issymmetric`.
        #[doc(alias = "issymmetric")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1.0, 2.0, 2.1, 1.0])?;
        /// assert!(!a.is_symmetric(0.0, 0.0).item()?);
        /// assert!(a.is_symmetric(0.1, 0.0).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn is_symmetric | try_is_symmetric(&self, rtol: f64, atol: f64) -> DeviceArray<bool> {
            Matrices::square("is_symmetric", self.node())?;
            Ok(agree(self, &self.try_matrix_transpose()?, [rtol, atol]))
        }

        /// Whether a square matrix, or each of a batch, is its own conjugate transpose, as
        /// [`is_symmetric`](Self::is_symmetric) says it of the transpose.
        ///
        /// **Shape.** The array's without the last two axes. **Dtype.** `bool`. SciPy:
        /// `linalg.ishermitian`.
        #[doc(alias = "ishermitian")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let i = Complex::new(0.0, 1.0);
        /// let a = DeviceArray::from_vec([2, 2], vec![i * 0.0, i, -i, i * 0.0])?;
        /// assert!(a.is_hermitian(0.0, 0.0).item()? && !a.is_symmetric(0.0, 0.0).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn is_hermitian | try_is_hermitian(&self, rtol: f64, atol: f64) -> DeviceArray<bool> {
            Matrices::square("is_hermitian", self.node())?;
            let other = DeviceArray::from_node(adjoint(self.node()));
            Ok(agree(self, &other, [rtol, atol]))
        }
    }
}

impl<T: Number> DeviceArray<T> {
    /// How many diagonals below and above the main one hold anything but zeros, counted to the
    /// farthest.
    ///
    /// **Evaluates.** **Shape.** Two numbers of a matrix, or of all of a batch together. SciPy:
    /// `linalg.bandwidth`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where there are not two axes; what the evaluation
    /// fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([3, 3], vec![1, 2, 3, 0, 1, 2, 0, 4, 1])?;
    /// assert_eq!(a.bandwidth()?, (1, 2));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn bandwidth(&self) -> Result<(usize, usize)> {
        let find = || {
            let own = Matrices::of("bandwidth", self.node())?;
            if own.is_empty() {
                return Ok((0, 0));
            }
            let line = |n: usize| self.device().scope(|| DeviceArray::<i64>::arange_to(n as i64));
            let above = line(own.n).insert_axis(0) - line(own.m).insert_axis(1);
            let held = self.not_equal(T::ZERO).select(above, 0);
            let (low, high) = (held.try_min(..)?, held.try_max(..)?);
            crate::array::eval(&[&low, &high])?;
            Ok((-low.item()? as usize, high.item()? as usize))
        };
        located(recorded(find))
    }
}
