//! Matrices of a pattern, and coordinate grids.

use super::args::IntoShape;
use super::{DeviceArray, checked_fns, or_panic, record};
use crate::backend::Device;
use crate::dtype::{Element, Number, Scalar};
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View};
use crate::shape::{Shape, checked_len};
use crate::table::Op;
use std::sync::Arc;

/// Compares column minus row with `k` over a shape's last two axes.
#[track_caller]
fn band(op: Op, shape: &Shape, k: isize, device: Device) -> Result<Arc<Node>> {
    let rank = shape.len();
    let row = record::iota(rank - 2, shape.clone(), device);
    let column = record::iota(rank - 1, shape.clone(), device);
    // Beyond both ends there is nothing more to meet.
    let end = |k: usize| isize::try_from(shape[k]).unwrap_or(isize::MAX);
    let k = k.clamp(-end(rank - 2), end(rank - 1));
    let shifted = match k {
        0 => row,
        _ => record::binary(Op::Add, &row, Scalar::new(k as i64))?,
    };
    record::binary(op, &column, &shifted)
}

#[track_caller]
fn band_matrix<T: Number>(op: Op, rows: usize, columns: usize, k: isize) -> Result<Arc<Node>> {
    let shape = Shape::from_slice(&[rows, columns]);
    checked_len("eye", &shape)?;
    let inside = band(op, &shape, k, Device::current()?)?;
    record::select(&inside, Scalar::new(T::ONE), Scalar::new(T::ZERO))
}

impl<T: Number> DeviceArray<T> {
    super::checked_new! {
        /// The identity matrix of order `n`.
        ///
        /// **Shape.** `[n, n]`. NumPy: `eye`, `identity`.
        #[doc(alias = "identity")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::eye(2);
        /// assert_eq!(a.to_vec()?, [1, 0, 0, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn eye | try_eye(n: usize) {
            band_matrix::<T>(Op::Equal, n, n, 0)
        }

        /// A matrix with ones on the `k`-th diagonal (above the main one where `k` is positive) and
        /// zeros elsewhere.
        ///
        /// **Shape.** `[rows, columns]`. NumPy: `eye(N, M, k)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::eye_with(2, 3, 1);
        /// assert_eq!(a.to_vec()?, [0, 1, 0, 0, 0, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn eye_with | try_eye_with(rows: usize, columns: usize, k: isize) {
            band_matrix::<T>(Op::Equal, rows, columns, k)
        }

        /// A matrix with ones on and below the `k`-th diagonal and zeros above.
        ///
        /// **Shape.** `[rows, columns]`. NumPy: `tri`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::tri(2, 3, 0);
        /// assert_eq!(a.to_vec()?, [1, 0, 0, 1, 1, 0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn tri | try_tri(rows: usize, columns: usize, k: isize) {
            band_matrix::<T>(Op::LessEqual, rows, columns, k)
        }
    }
}

impl<T: Element> DeviceArray<T> {
    #[track_caller]
    fn triangle(&self, name: &str, op: Op, k: isize) -> Result<Self> {
        if self.ndim() < 2 {
            return Err(Error::shape(format!(
                "{name}: shape {:?} has fewer than two axes",
                self.shape()
            )));
        }
        let inside = band(op, &self.node().shape, k, self.device())?;
        record::select(&inside, self.node(), Scalar::new(T::default())).map(Self::from_node)
    }

    super::checked! {
        /// The elements on and below the `k`-th diagonal of the last two axes, zero elsewhere.
        ///
        /// **Shape.** The array's. NumPy: `tril`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::ones([2, 2]).tril(0);
        /// assert_eq!(a.to_vec()?, [1, 0, 1, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn tril | try_tril(&self, k: isize) -> DeviceArray<T> {
            self.triangle("tril", Op::LessEqual, k)
        }

        /// The elements on and above the `k`-th diagonal of the last two axes, zero elsewhere.
        ///
        /// **Shape.** The array's. NumPy: `triu`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::ones([2, 2]).triu(0);
        /// assert_eq!(a.to_vec()?, [1, 1, 0, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn triu | try_triu(&self, k: isize) -> DeviceArray<T> {
            self.triangle("triu", Op::GreaterEqual, k)
        }
    }
}

/// Which of the first two axes belongs to the first coordinate in [`meshgrid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Indexing {
    /// Cartesian: the first coordinate runs along axis 1, NumPy's default.
    #[default]
    Xy,
    /// Matrix: the first coordinate runs along axis 0.
    Ij,
}

/// The positions on each axis of a grid: for every axis an array of the grid's shape.
///
/// **Shape.** One array of the given shape for each axis. **Dtype.** `i64`. **Laziness.**
/// Records; never uploaded.
///
/// # Panics
/// Where the shape has too many elements or axes, or the current device is not there.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let grid = lazuli::indices([2, 2]);
/// assert_eq!(grid[0].to_vec()?, [0, 0, 1, 1]);
/// assert_eq!(grid[1].to_vec()?, [0, 1, 0, 1]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn indices(shape: impl IntoShape) -> Vec<DeviceArray<i64>> {
    let shape = shape.lengths();
    or_panic(checked_len("indices", &shape));
    let device = or_panic(Device::current());
    let axis = |k| DeviceArray::from_node(record::iota(k, shape.clone(), device));
    (0..shape.len()).map(axis).collect()
}

/// Each coordinate vector along its own axis of a grid; the lengths of the grid beside it.
fn coordinates<T: Element>(
    name: &str,
    vectors: &[&DeviceArray<T>],
    indexing: Indexing,
) -> Result<(Vec<usize>, Shape)> {
    let rank = vectors.len();
    if let Some(v) = vectors.iter().find(|v| v.ndim() != 1) {
        let shape = v.shape();
        return Err(Error::shape(format!("{name}: shape {shape:?} does not have one axis")));
    }
    let axis = |k: usize| match indexing {
        Indexing::Xy if rank > 1 && k < 2 => 1 - k,
        _ => k,
    };
    let axes: Vec<usize> = (0..rank).map(axis).collect();
    let mut shape = Shape::from_elem(1, rank);
    for (v, &axis) in vectors.iter().zip(&axes) {
        shape[axis] = v.len();
    }
    checked_len(name, &shape)?;
    Ok((axes, shape))
}

#[track_caller]
fn along<T: Element>(vector: &DeviceArray<T>, axis: usize, shape: Shape) -> DeviceArray<T> {
    let map = View([AxisMap::same(axis)].into_iter().collect());
    DeviceArray::from_node(record::view(vector.node(), map, shape))
}

checked_fns! {
    /// Coordinate grids from coordinate vectors, dense: every result has the grid's shape.
    ///
    /// **Shape.** The lengths of the vectors, the first two exchanged for [`Indexing::Xy`].
    /// The results are views and take no memory.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (x, y) = (DeviceArray::<f64>::linspace(0.0, 1.0, 3), DeviceArray::<f64>::ones(2));
    /// let grid = lazuli::meshgrid(&[&x, &y], lazuli::Indexing::Xy);
    /// assert_eq!(grid[0].shape(), [2, 3]);
    /// assert_eq!(grid[0].to_vec()?, [0.0, 0.5, 1.0, 0.0, 0.5, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn meshgrid | try_meshgrid<T: Element>(
        vectors: &[&DeviceArray<T>],
        indexing: Indexing,
    ) -> Vec<DeviceArray<T>> {
        let (axes, shape) = coordinates("meshgrid", vectors, indexing)?;
        Ok(vectors.iter().zip(axes).map(|(v, axis)| along(v, axis, shape.clone())).collect())
    }

    /// Coordinate grids from coordinate vectors, open: each result has its vector's length along
    /// one axis and 1 along the others, and they broadcast to the grid.
    ///
    /// NumPy: `meshgrid(…, sparse=True)`, `ogrid`, `ix_`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (x, y) = (DeviceArray::<f64>::linspace(0.0, 1.0, 3), DeviceArray::<f64>::ones(2));
    /// let grid = lazuli::meshgrid_open(&[&x, &y], lazuli::Indexing::Ij);
    /// assert_eq!((grid[0].shape(), grid[1].shape()), (&[3, 1][..], &[1, 2][..]));
    /// assert_eq!((&grid[0] + &grid[1]).to_vec()?, [1.0, 1.0, 1.5, 1.5, 2.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn meshgrid_open | try_meshgrid_open<T: Element>(
        vectors: &[&DeviceArray<T>],
        indexing: Indexing,
    ) -> Vec<DeviceArray<T>> {
        let (axes, shape) = coordinates("meshgrid_open", vectors, indexing)?;
        let open = |(v, axis): (&&DeviceArray<T>, usize)| {
            let mut own = Shape::from_elem(1, shape.len());
            own[axis] = v.len();
            along(v, axis, own)
        };
        Ok(vectors.iter().zip(axes).map(open).collect())
    }
}
