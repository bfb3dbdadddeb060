//! Products of vectors and tensors, powers and traces.

use super::factor::{Matrices, identity};
use super::matmul::{matmul, multiplied_sum, swapped};
use super::solve::inverse;
use crate::array::{DeviceArray, checked, checked_fns, record};
use crate::dtype::{DType, Factorable, Number};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::ops::movement::{diagonal, permute};
use crate::shape::{Shape, axis_index, checked_len};
use crate::table::Op;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// An array as a matrix: the axes `rows` (in their order) by the axes `cols`. Where the columns
/// lie before the rows, the matrix is a transposed view, so that nothing is copied.
#[track_caller]
fn as_matrix(a: &Arc<Node>, rows: &[usize], cols: &[usize]) -> Arc<Node> {
    let lengths = |axes: &[usize]| axes.iter().map(|&k| a.shape[k]).product::<usize>();
    let (m, n) = (lengths(rows), lengths(cols));
    let in_order = |order: &[usize]| order.iter().copied().eq(0..a.shape.len());
    let behind: SmallVec<[usize; 4]> = cols.iter().chain(rows).copied().collect();
    if in_order(&behind) && !rows.is_empty() && !cols.is_empty() {
        return swapped(&record::reshape(a, smallvec![n, m]));
    }
    let order: SmallVec<[usize; 4]> = rows.iter().chain(cols).copied().collect();
    let ordered = if in_order(&order) { a.clone() } else { permute(a, &order) };
    record::reshape(&ordered, smallvec![m, n])
}

/// Vectors of so many elements are multiplied by a library on the processor.
const LONG: usize = 1 << 13;

/// The product of two vectors of one length and device, where it is multiplied and summed up as it
/// stands: the loops that take many of them record three nodes instead of eight.
#[track_caller]
fn of_vectors(a: &Arc<Node>, b: &Arc<Node>) -> Option<Result<Arc<Node>>> {
    let (&[n], &[m]) = (&a.shape[..], &b.shape[..]) else { return None };
    let is_plain = n == m && n > 0 && a.device == b.device && !a.device.is_placed();
    if is_plain && n < LONG { Some(multiplied_sum("dot", a, b)) } else { None }
}

/// The sum over pairs of axes of the products of all elements.
#[track_caller]
pub(super) fn tensordot(
    name: &str,
    (a, over_a): (&Arc<Node>, &[usize]),
    (b, over_b): (&Arc<Node>, &[usize]),
) -> Result<Arc<Node>> {
    if a.device.differs(b.device) {
        return Err(record::devices_differ(name, a.device, b.device));
    }
    let lengths = |x: &Arc<Node>, axes: &[usize]| -> Vec<usize> {
        axes.iter().map(|&k| x.shape[k]).collect()
    };
    if lengths(a, over_a) != lengths(b, over_b) {
        let (a, b) = (&a.shape, &b.shape);
        return Err(Error::shape(format!(
            "{name}: shapes {a:?} and {b:?} differ in the axes {over_a:?} and {over_b:?}"
        )));
    }
    let free = |x: &Arc<Node>, over: &[usize]| -> Vec<usize> {
        (0..x.shape.len()).filter(|k| !over.contains(k)).collect()
    };
    let (free_a, free_b) = (free(a, over_a), free(b, over_b));
    let shape: Shape = lengths(a, &free_a).into_iter().chain(lengths(b, &free_b)).collect();
    checked_len(name, &shape)?;
    let product = matmul(name, &as_matrix(a, &free_a, over_a), &as_matrix(b, over_b, &free_b))?;
    Ok(record::reshape(&product, shape))
}

fn axes(name: &str, axes: &[isize], rank: usize) -> Result<Vec<usize>> {
    let all: Result<Vec<usize>> = axes.iter().map(|&k| axis_index(name, k, rank)).collect();
    let all = all?;
    match (0..all.len()).find(|&k| all[..k].contains(&all[k])) {
        Some(k) => Err(Error::shape(format!("{name}: axis {} is given twice", all[k]))),
        None => Ok(all),
    }
}

/// Multiplies each element of one array with each of the other, axis by axis.
#[track_caller]
fn kron(a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    let rank = a.shape.len().max(b.shape.len());
    let padded = |x: &Arc<Node>| -> Shape {
        std::iter::repeat_n(1, rank - x.shape.len()).chain(x.shape.iter().copied()).collect()
    };
    let (left, right) = (padded(a), padded(b));
    let shape: Shape = left.iter().zip(&right).map(|(&m, &n)| m.saturating_mul(n)).collect();
    checked_len("kron", &shape)?;
    let between = |x: &Arc<Node>, own: &Shape, before: bool| {
        let axes = own.iter().flat_map(|&n| if before { [n, 1] } else { [1, n] });
        record::reshape(x, axes.collect())
    };
    let product =
        record::binary(Op::Multiply, &between(a, &left, true), &between(b, &right, false))?;
    Ok(record::reshape(&product, shape))
}

/// A power by repeated squaring.
#[track_caller]
fn power(name: &str, a: &Arc<Node>, n: u32) -> Result<Arc<Node>> {
    match n {
        1 => Ok(a.clone()),
        _ if n.is_multiple_of(2) => {
            let half = power(name, a, n / 2)?;
            matmul(name, &half, &half)
        }
        _ => matmul(name, &power(name, a, n - 1)?, a),
    }
}

impl<T: Number> DeviceArray<T> {
    checked! {
        /// The product of two arrays over the last axis of this one and the last but one of the
        /// other (its only one, of a vector).
        ///
        /// **Shape.** The axes that are left, first this array's; a scalar multiplies. **Dtype.**
        /// The arrays'. NumPy: `dot`. For batches of matrices see [`matmul`](Self::matmul).
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2, 3])?;
        /// assert_eq!(a.dot(&a).item()?, 14);
        /// # Ok::<(), Error>(())
        /// ```
        fn dot | try_dot(&self, other: &DeviceArray<T>) -> DeviceArray<T> {
            let (a, b) = (self.node(), other.node());
            if a.shape.is_empty() || b.shape.is_empty() {
                return record::binary(Op::Multiply, a, b).map(DeviceArray::from_node);
            }
            if let Some(sum) = of_vectors(a, b) {
                return Ok(DeviceArray::from_node(sum?));
            }
            let over_b = b.shape.len().saturating_sub(2);
            let product = tensordot("dot", (a, &[a.shape.len() - 1]), (b, &[over_b]))?;
            Ok(DeviceArray::from_node(product))
        }

        /// The sum of products over the last axis of both arrays.
        ///
        /// **Shape.** The axes that are left, first this array's; a scalar multiplies. **Dtype.**
        /// The arrays'. NumPy: `inner`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
        /// assert_eq!(a.inner(&a).to_vec()?, [5, 11, 11, 25]);
        /// # Ok::<(), Error>(())
        /// ```
        fn inner | try_inner(&self, other: &DeviceArray<T>) -> DeviceArray<T> {
            let (a, b) = (self.node(), other.node());
            if a.shape.is_empty() || b.shape.is_empty() {
                return record::binary(Op::Multiply, a, b).map(DeviceArray::from_node);
            }
            let product =
                tensordot("inner", (a, &[a.shape.len() - 1]), (b, &[b.shape.len() - 1]))?;
            Ok(DeviceArray::from_node(product))
        }

        /// Every element of this array times every element of the other.
        ///
        /// **Shape.** The lengths of both arrays. **Dtype.** The arrays'. NumPy: `outer`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2])?;
        /// assert_eq!(a.outer(&a).to_vec()?, [1, 2, 2, 4]);
        /// # Ok::<(), Error>(())
        /// ```
        fn outer | try_outer(&self, other: &DeviceArray<T>) -> DeviceArray<T> {
            checked_len("outer", &[self.len(), other.len()])?;
            let column = record::reshape(self.node(), smallvec![self.len(), 1]);
            let row = record::reshape(other.node(), smallvec![1, other.len()]);
            record::binary(Op::Multiply, &column, &row).map(DeviceArray::from_node)
        }

        /// The Kronecker product: every element of this array times the other array.
        ///
        /// **Shape.** The lengths multiplied, axis by axis; the array with fewer axes gets leading
        /// ones. **Dtype.** The arrays'. NumPy: `kron`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 10])?;
        /// assert_eq!(a.kron(&DeviceArray::from_slice(&[1, 2, 3])?).to_vec()?, [1, 2, 3, 10, 20, 30]);
        /// # Ok::<(), Error>(())
        /// ```
        fn kron | try_kron(&self, other: &DeviceArray<T>) -> DeviceArray<T> {
            kron(self.node(), other.node()).map(DeviceArray::from_node)
        }

        /// The sum of products over the given axes of this array and those of the other, pair by
        /// pair.
        ///
        /// **Shape.** The axes that are left, first this array's. **Dtype.** The arrays'. NumPy:
        /// `tensordot(a, b, (axes, other_axes))`; for a number of axes see
        /// [`tensordot_last`](Self::tensordot_last).
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::ones([2, 3, 4]);
        /// let b = DeviceArray::<f64>::ones([4, 3, 5]);
        /// let c = a.tensordot(&b, &[1, 2], &[1, 0]);
        /// assert_eq!(c.shape(), [2, 5]);
        /// assert_eq!(c.max(..).item()?, 12.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn tensordot | try_tensordot(&self, other: &DeviceArray<T>, axes_here: &[isize], axes_there: &[isize]) -> DeviceArray<T> {
            if axes_here.len() != axes_there.len() {
                return Err(Error::shape(format!(
                    "tensordot: {axes_here:?} and {axes_there:?} are not pairs of axes"
                )));
            }
            let here = axes("tensordot", axes_here, self.ndim())?;
            let there = axes("tensordot", axes_there, other.ndim())?;
            let product = tensordot("tensordot", (self.node(), &here), (other.node(), &there))?;
            Ok(DeviceArray::from_node(product))
        }

        /// The sum of products over the last `count` axes of this array and the first of the other,
        /// in their order; none multiplies every element with every other.
        ///
        /// **Shape.** The axes that are left, first this array's. **Dtype.** The arrays'. NumPy:
        /// `tensordot(a, b, count)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::ones([2, 3, 4]);
        /// assert_eq!(a.tensordot_last(&DeviceArray::ones([3, 4, 5]), 2).to_vec()?, [12.0; 10]);
        /// # Ok::<(), Error>(())
        /// ```
        fn tensordot_last | try_tensordot_last(&self, other: &DeviceArray<T>, count: usize) -> DeviceArray<T> {
            if count > self.ndim().min(other.ndim()) {
                let (a, b) = (self.shape(), other.shape());
                return Err(Error::shape(format!(
                    "tensordot: shapes {a:?} and {b:?} do not both have {count} axes"
                )));
            }
            let here: Vec<usize> = (self.ndim() - count..self.ndim()).collect();
            let there: Vec<usize> = (0..count).collect();
            let product = tensordot("tensordot", (self.node(), &here), (other.node(), &there))?;
            Ok(DeviceArray::from_node(product))
        }

        /// The sum of the elements on a diagonal of the last two axes.
        ///
        /// **Shape.** The array's without the last two axes. **Dtype.** As of
        /// [`sum`](Self::sum). NumPy: `linalg.trace`; `trace` takes the first two axes.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::<i64>::arange_to(9).reshape([3, 3]).trace(0).item()?, 12);
        /// # Ok::<(), Error>(())
        /// ```
        fn trace | try_trace(&self, offset: isize) -> DeviceArray<T::Sum> {
            let rank = Matrices::of("trace", self.node())?.lead.len() + 2;
            let elements = diagonal(self.node(), offset, rank - 2, rank - 1);
            DeviceArray::<T>::from_node(elements).try_sum(-1)
        }

        /// A square matrix, or each of a batch, multiplied with itself; no times gives the
        /// identity, a negative number multiplies the inverse, which `f32`, `f64` and the complex
        /// types have.
        ///
        /// For a negative number the evaluation fails with
        /// [`Error::is_numeric`](crate::Error::is_numeric) where a matrix is singular.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. NumPy:
        /// `linalg.matrix_power`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 1, 1, 0])?;
        /// assert_eq!(a.matrix_power(10).to_vec()?, [89, 55, 55, 34]);
        /// let b = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 0.0, 0.0, 4.0])?;
        /// assert_eq!(b.matrix_power(-2).to_vec()?, [0.25, 0.0, 0.0, 0.0625]);
        /// # Ok::<(), Error>(())
        /// ```
        fn matrix_power | try_matrix_power(&self, n: i32) -> DeviceArray<T> {
            let a = self.node();
            Matrices::square("matrix_power", a)?;
            let factorised = matches!(T::DTYPE, DType::F32 | DType::F64 | DType::C64 | DType::C128);
            let node = match n {
                0 => identity(a, T::DTYPE, a.shape.clone())?,
                1.. => power("matrix_power", a, n.unsigned_abs())?,
                _ if factorised => {
                    power("matrix_power", &inverse("matrix_power", a)?, n.unsigned_abs())?
                }
                _ => {
                    return Err(Error::shape(format!(
                        "matrix_power: power {n} of matrices of {}, which have no inverse", T::DTYPE
                    )));
                }
            };
            Ok(DeviceArray::from_node(node))
        }
    }
}

checked_fns! {
    /// The product of several matrices, multiplied in the order that takes the fewest
    /// multiplications. The first and the last may be vectors.
    ///
    /// **Shape.** The rows of the first by the columns of the last. **Dtype.** The arrays'.
    /// NumPy: `linalg.multi_dot`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (a, b) = (DeviceArray::<f64>::ones([2, 3]), DeviceArray::<f64>::ones([3, 4]));
    /// let x = DeviceArray::<f64>::ones(4);
    /// assert_eq!(lazuli::linalg::multi_dot(&[&a, &b, &x]).to_vec()?, [12.0, 12.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn multi_dot | try_multi_dot<T: Number>(arrays: &[&DeviceArray<T>]) -> DeviceArray<T> {
        let nodes: Vec<Arc<Node>> = arrays.iter().map(|a| a.node().clone()).collect();
        chain(&nodes).map(DeviceArray::from_node)
    }
}

/// The product of a chain of matrices.
#[track_caller]
fn chain(nodes: &[Arc<Node>]) -> Result<Arc<Node>> {
    let count = nodes.len();
    let shape = |k: usize| &nodes[k].shape[..];
    let fits = |k: usize| match shape(k).len() {
        2 => true,
        1 => k == 0 || k == count - 1,
        _ => false,
    };
    if count == 0 || !(0..count).all(fits) {
        return Err(Error::shape(
            "multi_dot: the arrays must be matrices, the ends perhaps vectors",
        ));
    }
    // The lengths between the matrices; a vector stands for a row or a column.
    let rows = |k: usize| if shape(k).len() == 1 && k == 0 { 1 } else { shape(k)[0] };
    let last = if shape(count - 1).len() == 1 && count > 1 {
        1
    } else {
        shape(count - 1)[shape(count - 1).len() - 1]
    };
    let lengths: Vec<f64> = (0..count).map(rows).chain([last]).map(|n| n as f64).collect();
    let mut costs = vec![vec![0.0f64; count]; count];
    let mut cuts = vec![vec![0; count]; count];
    for span in 1..count {
        for i in 0..count - span {
            let j = i + span;
            let cost = |k: usize| {
                costs[i][k] + costs[k + 1][j] + lengths[i] * lengths[k + 1] * lengths[j + 1]
            };
            let best = (i..j).min_by(|&x, &y| cost(x).total_cmp(&cost(y))).unwrap_or(i);
            (costs[i][j], cuts[i][j]) = (cost(best), best);
        }
    }
    #[track_caller]
    fn product(nodes: &[Arc<Node>], cuts: &[Vec<usize>], i: usize, j: usize) -> Result<Arc<Node>> {
        if i == j {
            return Ok(nodes[i].clone());
        }
        let cut = cuts[i][j];
        let (left, right) = (product(nodes, cuts, i, cut)?, product(nodes, cuts, cut + 1, j)?);
        matmul("multi_dot", &left, &right)
    }
    product(nodes, &cuts, 0, count - 1)
}

impl<T: Factorable> DeviceArray<T> {
    checked! {
        /// The exponential of a square matrix, or of each of a batch, by scaling, a Padé
        /// approximant and squaring.
        ///
        /// How often each matrix is squared depends on the norms of its powers (A. Al-Mohy and
        /// N. Higham, 2009), as in SciPy; of a triangular matrix the diagonal and the one above are
        /// computed exactly. This evaluates the norms when it is called; the rest is recorded. The
        /// error is about the type's precision times the condition of the exponential.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. SciPy: `linalg.expm`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let turn = DeviceArray::from_vec([2, 2], vec![0.0, -1.0, 1.0, 0.0])?.expm();
        /// assert!((turn.to_vec()?[0] - 1f64.cos()).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn expm | try_expm(&self) -> DeviceArray<T> {
            super::expm::expm(self).map(DeviceArray::from_node)
        }
    }
}
