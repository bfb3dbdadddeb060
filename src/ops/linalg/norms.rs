//! Norms of matrices and what follows from them.

use super::factor::{self, Matrices, filled};
use crate::array::{DeviceArray, checked, record};
use crate::dtype::{Element, Factorable};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::ops::movement::insert_axis;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// Which norm of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MatrixNorm {
    /// Frobenius: the root of the sum of the squares. NumPy: `"fro"`.
    Frobenius,
    /// The sum of the singular values. NumPy: `"nuc"`.
    Nuclear,
    /// The largest sum of absolute values of a column. NumPy: `1`.
    One,
    /// The smallest sum of absolute values of a column. NumPy: `-1`.
    MinusOne,
    /// The largest singular value. NumPy: `2`.
    Two,
    /// The smallest singular value. NumPy: `-2`.
    MinusTwo,
    /// The largest sum of absolute values of a row. NumPy: `inf`.
    Infinity,
    /// The smallest sum of absolute values of a row. NumPy: `-inf`.
    MinusInfinity,
}

/// A norm over the last two axes.
#[track_caller]
fn norm(name: &'static str, a: &Arc<Node>, which: MatrixNorm) -> Result<Arc<Node>> {
    let own = Matrices::of(name, a)?;
    let last = own.lead.len();
    let sums = |of: Arc<Node>, axis: usize| record::reduce(Reduction::Sum, &of, 1 << axis);
    let sizes = || record::unary(Op::Abs, a);
    let least = |of: Arc<Node>, op: Reduction| -> Result<Arc<Node>> {
        if of.shape[last] == 0 {
            let shape = &a.shape;
            return Err(Error::shape(format!(
                "{name}: shape {shape:?} has no elements to compare"
            )));
        }
        Ok(record::reduce(op, &of, 1 << last))
    };
    match which {
        MatrixNorm::Frobenius => {
            let squares = record::unary(Op::Square, &sizes());
            let sum = record::reduce(Reduction::Sum, &squares, 3 << last);
            Ok(record::unary(Op::Sqrt, &sum))
        }
        MatrixNorm::One => least(sums(sizes(), last), Reduction::Max),
        MatrixNorm::MinusOne => least(sums(sizes(), last), Reduction::Min),
        MatrixNorm::Infinity => least(sums(sizes(), last + 1), Reduction::Max),
        MatrixNorm::MinusInfinity => least(sums(sizes(), last + 1), Reduction::Min),
        MatrixNorm::Nuclear => Ok(sums(factor::singular_values(name, a)?, last)),
        MatrixNorm::Two => least(factor::singular_values(name, a)?, Reduction::Max),
        MatrixNorm::MinusTwo => least(factor::singular_values(name, a)?, Reduction::Min),
    }
}

/// The lengths of the columns, with their axis kept, in the type of the matrices.
#[track_caller]
pub(super) fn lengths(a: &Arc<Node>) -> Result<Arc<Node>> {
    let axis = a.shape.len() - 2;
    let squares = record::unary(Op::Square, &record::unary(Op::Abs, a));
    let length = record::unary(Op::Sqrt, &record::reduce(Reduction::Sum, &squares, 1 << axis));
    Ok(record::cast(&insert_axis(&length, axis), a.dtype))
}

impl<T: Factorable> DeviceArray<T> {
    checked! {
        /// A norm of a matrix, or of each of a batch.
        ///
        /// **Shape.** The array's without the last two axes. **Dtype.** Real. NumPy:
        /// `linalg.matrix_norm`; for norms of vectors see [`norm_p`](Self::norm_p).
        example
        /// ```
        /// use lazuli::{linalg::MatrixNorm, prelude::*};
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, -2.0, 3.0, 4.0])?;
        /// assert_eq!(a.matrix_norm(MatrixNorm::One).item()?, 6.0);
        /// assert_eq!(a.matrix_norm(MatrixNorm::Infinity).item()?, 7.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn matrix_norm | try_matrix_norm(&self, which: MatrixNorm) -> DeviceArray<T::Real> {
            norm("matrix_norm", self.node(), which).map(DeviceArray::from_node)
        }

        /// The same with the axes of the matrices kept, with length 1, so that the norms broadcast
        /// against the array.
        ///
        /// **Shape.** The array's, `[…, 1, 1]`. **Dtype.** Real. NumPy:
        /// `linalg.matrix_norm(…, keepdims=True)`.
        example
        /// ```
        /// use lazuli::{linalg::MatrixNorm, prelude::*};
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, -2.0, 3.0, 4.0])?;
        /// let scaled = &a / a.matrix_norm_kept(MatrixNorm::Infinity);
        /// assert_eq!(scaled.to_vec()?[3], 4.0 / 7.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn matrix_norm_kept | try_matrix_norm_kept(&self, which: MatrixNorm) -> DeviceArray<T::Real> {
            let norm = norm("matrix_norm", self.node(), which)?;
            let last = norm.shape.len();
            Ok(DeviceArray::from_node(insert_axis(&insert_axis(&norm, last), last)))
        }

        /// The condition number of a matrix, or of each of a batch: by the 2-norm, the largest
        /// singular value over the smallest; by another norm, that of the matrix times that of
        /// its inverse.
        ///
        /// By another norm than the 2-norms, the evaluation fails with
        /// [`Error::is_numeric`](crate::Error::is_numeric) where a matrix is singular; NumPy
        /// gives infinity.
        ///
        /// **Shape.** The array's without the last two axes. **Dtype.** Real. NumPy:
        /// `linalg.cond`.
        example
        /// ```
        /// use lazuli::{linalg::MatrixNorm, prelude::*};
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 0.0, 0.0, 4.0])?;
        /// assert!((a.cond(MatrixNorm::Two).item()? - 4.0).abs() < 1e-12);
        /// # Ok::<(), Error>(())
        /// ```
        fn cond | try_cond(&self, which: MatrixNorm) -> DeviceArray<T::Real> {
            let (a, own) = (self.node(), Matrices::of("cond", self.node())?);
            let last = own.lead.len();
            if own.m.min(own.n) == 0 {
                let shape = self.shape();
                return Err(Error::shape(format!("cond: shape {shape:?} has empty matrices")));
            }
            if own.batch() == 0 {
                return Ok(DeviceArray::from_node(filled(a, T::Real::DTYPE, 0.0, own.lead)));
            }
            let ratio = match which {
                MatrixNorm::Two | MatrixNorm::MinusTwo => {
                    let values = factor::singular_values("cond", a)?;
                    let largest = record::reduce(Reduction::Max, &values, 1 << last);
                    let smallest = record::reduce(Reduction::Min, &values, 1 << last);
                    let ratio = match which {
                        MatrixNorm::Two => record::binary(Op::Divide, &largest, &smallest)?,
                        _ => record::binary(Op::Divide, &smallest, &largest)?,
                    };
                    // A matrix of zeros is as singular as can be.
                    let zero = record::binary(Op::Equal, &largest, record::number(&largest, 0.0))?;
                    record::select(&zero, record::number(&ratio, f64::INFINITY), &ratio)?
                }
                _ => {
                    Matrices::square("cond", a)?;
                    let inverse = norm("cond", self.try_inverse()?.node(), which)?;
                    record::binary(Op::Multiply, &norm("cond", a, which)?, &inverse)?
                }
            };
            Ok(DeviceArray::from_node(ratio))
        }
    }
}
