//! Products of matrices.
//!
//! A product of matrices is a library call. A matrix times a vector is a kernel, which fuses with
//! what computes the matrix; on the processor a stored matrix goes to the library. A
//! batch whose matrices share the right one, each below the other on the left, is one product of
//! more rows (`Matmul::folded`), single rows included.

use crate::array::{DeviceArray, checked, numbers, record};
use crate::backend::Device;
use crate::dtype::Number;
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, Node, NodeOp, Wrap, sharding};
use crate::library::Library;
use crate::library::linalg::{Matmul, Matrix, Precision};
use crate::ops::movement;
use crate::shape::{self, Shape, broadcast, checked_len};
use crate::table::{Op, Reduction};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Runs `f` with products of matrices of type `f32` (and `Complex<f32>`) that are recorded in it,
/// in this thread, multiplied in the given precision.
///
/// **Laziness.** The precision is that at recording, not at evaluation; a function under
/// [`compile`](crate::compile()) has that of the call, and is recorded once for each. On the
/// processor it makes no difference.
///
/// # Example
/// ```
/// use lazuli::{linalg::{Precision, with_precision}, prelude::*};
/// let a = DeviceArray::<f32>::eye(64);
/// let b = with_precision(Precision::Tf32, || a.matmul(&a));
/// assert_eq!(b.sum(..).item()?, 64.0);
/// # Ok::<(), Error>(())
/// ```
pub fn with_precision<R>(precision: Precision, f: impl FnOnce() -> R) -> R {
    precision.scope(f)
}

impl<T: Number> DeviceArray<T> {
    checked! {
        /// The product of two matrices, of batches of matrices, or of vectors with either.
        ///
        /// The last two axes are the matrices' rows and columns; what comes before broadcasts. A
        /// vector on the left stands for a row, on the right for a column, and its axis is
        /// missing from the result.
        ///
        /// A view that only transposes, or that keeps rows or columns contiguous, is read where
        /// it lies. On a GPU a factor, the sum with a matrix of the same shape, and a bias (a
        /// vector added to every row) that follow, and [`relu`](Self::relu) or [`gelu`](Self::gelu) last, become part of the library's call. Integers wrap.
        ///
        /// **Shape.** `[…, n, k]` and `[…, k, m]` give `[…, n, m]`. **Dtype.** The arrays'; halves
        /// are summed in `f32` and rounded once. NumPy: `matmul`, `@`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
        /// let x = DeviceArray::from_slice(&[1.0, -1.0])?;
        /// assert_eq!(a.matmul(&x).to_vec()?, [-1.0, -1.0]);
        /// assert_eq!(a.matmul(&a.t()).to_vec()?, [5.0, 11.0, 11.0, 25.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn matmul | try_matmul(&self, other: &DeviceArray<T>) -> DeviceArray<T> {
            matmul("matmul", self.node(), other.node()).map(DeviceArray::from_node)
        }

        /// As [`matmul`](Self::matmul), in a precision of its own: see
        /// [`with_precision`](crate::linalg::with_precision), which does this for all products
        /// in a piece of code.
        ///
        /// **Shape.** As of [`matmul`](Self::matmul). **Dtype.** Only `f32` and `Complex<f32>`
        /// have a choice.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::linalg::Precision;
        /// let a = DeviceArray::from_vec([2, 2], vec![1.0f32, 2.0, 3.0, 4.0])?;
        /// // Small whole numbers are exact in TF32.
        /// assert_eq!(a.matmul_with(&a, Precision::Tf32).to_vec()?, [7.0, 10.0, 15.0, 22.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn matmul_with | try_matmul_with(&self, other: &DeviceArray<T>, precision: Precision) -> DeviceArray<T> {
            with_precision(precision, || self.try_matmul(other))
        }
    }
}

/// The product by NumPy's rules.
pub(in crate::ops) fn matmul(name: &str, a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    if a.device.differs(b.device) {
        return Err(record::devices_differ(name, a.device, b.device));
    }
    let (left, right) = (&a.shape, &b.shape);
    let differ = |why: &str| Error::shape(format!("{name}: shapes {left:?} and {right:?} {why}"));
    if left.is_empty() || right.is_empty() {
        return Err(differ("must have an axis each; multiply scalars instead"));
    }
    if left[left.len() - 1] != right[right.len().saturating_sub(2)] {
        return Err(differ("do not match: the columns of one must be the rows of the other"));
    }
    let (row, col) = (left.len() == 1, right.len() == 1);
    let a = if row { movement::insert_axis(a, 0) } else { a.clone() };
    let b = if col { movement::insert_axis(b, 1) } else { b.clone() };
    let batch = broadcast(&a.shape[..a.shape.len() - 2], &b.shape[..b.shape.len() - 2]);
    let batch = batch.ok_or_else(|| differ("have batches that cannot be broadcast"))?;
    let product = product(name, &a, &b, batch)?;
    let rank = product.shape.len();
    let stays = |&k: &usize| !(col && k == rank - 1 || row && k == rank - 2);
    let shape = (0..rank).filter(stays).map(|k| product.shape[k]).collect();
    Ok(record::reshape(&product, shape))
}

/// So many single rows times one matrix are a product of matrices.
const FEW_ROWS: usize = 8;

/// The product of batches of matrices.
#[track_caller]
fn product(name: &str, a: &Arc<Node>, b: &Arc<Node>, batch: Shape) -> Result<Arc<Node>> {
    let (m, k) = (a.shape[a.shape.len() - 2], a.shape[a.shape.len() - 1]);
    let n = b.shape[b.shape.len() - 1];
    let mut shape = batch.clone();
    shape.extend([m, n]);
    let len = checked_len(name, &shape)?;
    if len == 0 || k == 0 {
        return Ok(record::full(record::number(a, 0.0), shape, a.device));
    }
    // What is as long as its operands is limited by memory, and fuses with what surrounds it.
    // Many single rows times one matrix are not: together they are a matrix.
    let shared = b.len() == k * n && shape::len(&batch) >= FEW_ROWS;
    let alone = m == 1 && !shared || n == 1;
    let is_inexact = a.dtype.is_float() || a.dtype.is_complex();
    if alone && !is_read_by_library(a, b, &batch) || !is_inexact || !has_library(a.device) {
        let [a, b] = brought_together(a, b);
        return summed(name, &a, &b);
    }
    let call = Matmul {
        dtype: a.dtype,
        m,
        n,
        k,
        a: Matrix::contiguous(&a.shape, &batch),
        b: Matrix::contiguous(&b.shape, &batch),
        batch: SmallVec::from_slice(&batch),
        precision: Precision::current(),
        scaled: false,
        addend: None,
        bias: false,
        activation: None,
        part: false,
    };
    let args = smallvec![a.into(), b.into()];
    Ok(record::library(Library::Matmul(call), args, shape, a.device))
}

/// The sides of a product that is summed up: where both are cut over several devices, and not along the
/// axis of the sum, each device gets all of one of them.
#[track_caller]
fn brought_together(a: &Arc<Node>, b: &Arc<Node>) -> [Arc<Node>; 2] {
    let behind = |a: &Node| sharding::axis_cut(a).map(|axis| a.shape.len() - axis);
    match (behind(a), behind(b)) {
        (Some(2), Some(1 | 2)) => [a.clone(), sharding::whole(b)],
        (Some(1), Some(1)) => [sharding::whole(a), b.clone()],
        _ => [a.clone(), b.clone()],
    }
}

/// Whether a device has a library of products: on the processor that is a feature.
fn has_library(device: Device) -> bool {
    cfg!(feature = "linalg") || device.is_cuda()
}

/// Elements of a stored matrix from which on the processor's library multiplies it with a vector: a
/// kernel would compute the vector again for each row. A power iteration takes 5 to 6 µs a turn with
/// matrices of 12² to 85², by kernels 6.6 to 17; smaller matrices, as those of rotations, fuse with
/// what surrounds them.
const STORED: usize = 1 << 6;

/// A matrix of more elements that is yet to be computed is never stored for a second product.
const MOST_STORED: usize = 1 << 22;

/// Whether a product of one matrix and a vector goes to the processor's library: where the matrix
/// is stored anyway, or was multiplied before. One that is yet to be computed is rather summed up as it
/// is computed, once.
fn is_read_by_library(a: &Arc<Node>, b: &Arc<Node>, batch: &[usize]) -> bool {
    let matrix = if b.shape[b.shape.len() - 1] == 1 { a } else { b };
    let one = b.len() == b.shape[b.shape.len() - 2..].iter().product::<usize>()
        && (Arc::ptr_eq(matrix, a) || shape::len(batch) == 1);
    if !one || a.device != Device::cpu() || !has_library(a.device) || matrix.len() < STORED {
        return false;
    }
    let under = under(matrix);
    under.is_evaluated() || under.len() <= MOST_STORED && under.is_multiplied_again()
}

/// The array that a matrix is a view of which libraries read where it lies: what is under views, and
/// under reshapes that share its data.
fn under(matrix: &Arc<Node>) -> Arc<Node> {
    /// Longer chains are not followed.
    const MOST: usize = 8;
    let is_plain =
        |map: &AxisMap| matches!(map.terms[..], [(_, 1)]) && matches!(map.wrap, Wrap::None);
    let mut under = matrix.clone();
    let mut is_reshaped = false;
    for _ in 0..MOST {
        is_reshaped |= matches!(under.op, NodeOp::Reshape);
        let goes_on = match &under.op {
            NodeOp::Reshape => true,
            NodeOp::View(view) => !is_reshaped && view.0.iter().all(is_plain),
            _ => false,
        };
        let next = match under.state().args.first() {
            Some(Arg::Node(next)) if goes_on && !under.is_evaluated() => next.clone(),
            _ => break,
        };
        under = next;
    }
    under
}

/// The product without a library: multiplied and summed in one kernel.
#[track_caller]
fn summed(name: &str, a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    let rows = movement::insert_axis(a, a.shape.len() - 1);
    let cols = movement::insert_axis(&swapped(b), b.shape.len() - 2);
    multiplied_sum(name, &rows, &cols)
}

/// The sum over the last axis of the products of two arrays that broadcast; halves are multiplied
/// and summed in `f32`.
#[track_caller]
pub(super) fn multiplied_sum(name: &str, a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    if a.device.differs(b.device) {
        return Err(record::devices_differ(name, a.device, b.device));
    }
    if let Some(number) = numbers::sum_of_products(a, b) {
        return Ok(number);
    }
    let wide = a.dtype.compute();
    let products = record::binary(Op::Multiply, &record::cast(a, wide), &record::cast(b, wide))?;
    let last = products.shape.len() - 1;
    Ok(record::cast(&record::reduce(Reduction::Sum, &products, 1 << last), a.dtype))
}

/// The matrices transposed: the last two axes swapped.
#[track_caller]
pub(super) fn swapped(a: &Arc<Node>) -> Arc<Node> {
    let rank = a.shape.len();
    let mut order: SmallVec<[usize; 4]> = (0..rank).collect();
    order.swap(rank - 2, rank - 1);
    movement::permute(a, &order)
}
