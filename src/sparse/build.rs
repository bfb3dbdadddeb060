//! Matrices made of diagonals, of dense arrays and of other matrices.

use super::csr::{check_count, wrong};
use super::{Coo, Csr};
use crate::array::{DeviceArray, located};
use crate::dtype::{Element, Number};
use crate::error::Result;
use crate::try_concatenate;

/// The arrays one after another, on the device of the first.
fn joined<T: Element>(parts: &[DeviceArray<T>]) -> Result<DeviceArray<T>> {
    match parts {
        [] => Ok(DeviceArray::zeros([0])),
        [one] => Ok(one.clone()),
        _ => try_concatenate(&parts.iter().collect::<Vec<_>>(), 0),
    }
}

impl<T: Number> Csr<T> {
    /// The identity of so many rows and columns, on the current device. SciPy: `eye_array`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where there are more than 2³¹ − 1 of them.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let x = DeviceArray::from_slice(&[3.0, 4.0])?;
    /// assert_eq!(Csr::eye(2)?.dot(&x).to_vec()?, [3.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "identity")]
    #[track_caller]
    pub fn eye(n: usize) -> Result<Csr<T>> {
        located(check_count(n))?;
        let (ends, places): (Vec<usize>, Vec<usize>) = ((0..=n).collect(), (0..n).collect());
        Csr::from_parts([n, n], &ends, &places, &DeviceArray::ones([n]))
    }

    /// The matrix of these diagonals, each with its distance above the main one (below where it is
    /// negative) and its values: as many as the diagonal has places, or one for all.
    ///
    /// SciPy: `diags_array`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where a diagonal lies outside or has another length,
    /// [`Error::is_device`](crate::Error::is_device) where the values are on several devices.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// // The second difference.
    /// let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
    /// let a = Csr::diags([4, 4], &[(-1, &minus), (0, &two), (1, &minus)])?;
    /// let x = DeviceArray::from_slice(&[1.0, 4.0, 9.0, 16.0])?;
    /// assert_eq!(a.dot(&x).to_vec()?, [-2.0, -2.0, -2.0, 23.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "spdiags")]
    #[track_caller]
    pub fn diags(shape: [usize; 2], diagonals: &[(isize, &DeviceArray<T>)]) -> Result<Csr<T>> {
        let (mut rows, mut cols, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for &(offset, values) in diagonals {
            let above = usize::try_from(offset).unwrap_or(0);
            let below = usize::try_from(-offset).unwrap_or(0);
            let length = shape[0].saturating_sub(below).min(shape[1].saturating_sub(above));
            if length == 0 || !(values.shape() == [length] || values.shape() == [1]) {
                return located(Err(wrong(format!(
                    "diagonal {offset} of a matrix of shape {shape:?} has {length} places, and the \
                     values are of shape {:?}",
                    values.shape()
                ))));
            }
            rows.extend(below..below + length);
            cols.extend(above..above + length);
            parts.push(values.broadcast_to([length]));
        }
        Coo::new(shape, &rows, &cols, &located(joined(&parts))?)?.to_csr()
    }

    /// The elements of a dense matrix that are not zero.
    ///
    /// **Laziness.** Copies the matrix to the host to find them. SciPy: `csr_array(a)`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the array has not two axes, and those of an evaluation.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let a = DeviceArray::try_from([[0, 5], [0, 0]])?;
    /// let sparse = Csr::from_dense(&a)?;
    /// assert_eq!((sparse.nnz(), sparse.get([0, 1])?), (1, 5));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_dense(matrix: &DeviceArray<T>) -> Result<Csr<T>> {
        let &[rows, cols] = matrix.shape() else {
            let shape = matrix.shape();
            return located(Err(wrong(format!("an array of shape {shape:?} is no matrix"))));
        };
        let all = matrix.to_vec()?;
        let (mut ends, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..rows {
            let row = &all[row * cols..(row + 1) * cols];
            let found = row.iter().enumerate().filter(|(_, value)| **value != T::ZERO);
            found.for_each(|(col, &value)| {
                places.push(col);
                values.push(value);
            });
            ends.push(places.len());
        }
        let data = matrix.device().scope(|| DeviceArray::from_vec([values.len()], values))?;
        Csr::from_parts([rows, cols], &ends, &places, &data)
    }

    /// The Kronecker product: each entry of this matrix times the whole other one.
    ///
    /// SciPy: `kron`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the result has more than 2³¹ − 1 rows or columns,
    /// [`Error::is_device`](crate::Error::is_device).
    ///
    /// # Example
    /// The Laplacian of a square from that of a line:
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
    /// let line = Csr::diags([3, 3], &[(-1, &minus), (0, &two), (1, &minus)])?;
    /// let eye = Csr::eye(3)?;
    /// let square = (&eye.kron(&line)? + &line.kron(&eye)?)?;
    /// assert_eq!((square.shape(), square.get([4, 4])?, square.get([4, 1])?), ([9, 9], 4.0, -1.0));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn kron(&self, other: &Csr<T>) -> Result<Csr<T>> {
        let (a, b) = (self.to_coo(), other.to_coo());
        let scaled = |x: &[i32], y: &[i32], by: usize| -> Vec<i64> {
            x.iter()
                .flat_map(|&x| y.iter().map(move |&y| x as i64 * by as i64 + y as i64))
                .collect()
        };
        let data = a.data.insert_axis(1).try_multiply(b.data)?;
        let shape = [0, 1].map(|k| a.shape[k].saturating_mul(b.shape[k]));
        Coo::new(
            shape,
            &scaled(&a.rows, &b.rows, b.shape[0]),
            &scaled(&a.cols, &b.cols, b.shape[1]),
            &data.reshape([data.len()]),
        )?
        .to_csr()
    }

    /// Matrices along a diagonal, with zeros around them. SciPy: `block_diag`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the result has more than 2³¹ − 1 rows or columns,
    /// [`Error::is_device`](crate::Error::is_device).
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let eye = Csr::<i32>::eye(2)?;
    /// let a = Csr::block_diag(&[&eye, &(&eye * 5)])?;
    /// assert_eq!((a.shape(), a.get([3, 3])?), ([4, 4], 5));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn block_diag(blocks: &[&Csr<T>]) -> Result<Csr<T>> {
        let places = blocks.iter().scan([0, 0], |at, block| {
            let here = *at;
            *at = [0, 1].map(|k| at[k] + block.shape()[k]);
            Some(here)
        });
        placed(blocks.iter().copied().zip(places))
    }

    /// Matrices beside each other. SciPy: `hstack`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where they differ in rows, [`Error::is_device`](crate::Error::is_device).
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let eye = Csr::<i32>::eye(2)?;
    /// assert_eq!(Csr::hstack(&[&eye, &eye])?.to_dense().to_vec()?, [1, 0, 1, 0, 0, 1, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn hstack(blocks: &[&Csr<T>]) -> Result<Csr<T>> {
        stacked(blocks, 1)
    }

    /// Matrices below each other. SciPy: `vstack`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where they differ in columns, [`Error::is_device`](crate::Error::is_device).
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let eye = Csr::<i32>::eye(2)?;
    /// assert_eq!(Csr::vstack(&[&eye, &eye])?.shape(), [4, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn vstack(blocks: &[&Csr<T>]) -> Result<Csr<T>> {
        stacked(blocks, 0)
    }
}

#[track_caller]
fn stacked<T: Number>(blocks: &[&Csr<T>], axis: usize) -> Result<Csr<T>> {
    let shapes: Vec<[usize; 2]> = blocks.iter().map(|block| block.shape()).collect();
    if shapes.windows(2).any(|pair| pair[0][1 - axis] != pair[1][1 - axis]) {
        return located(Err(wrong(format!(
            "matrices of shapes {shapes:?} do not stack along axis {axis}"
        ))));
    }
    let places = blocks.iter().scan(0, |at, block| {
        let mut place = [0, 0];
        place[axis] = *at;
        *at += block.shape()[axis];
        Some(place)
    });
    placed(blocks.iter().copied().zip(places))
}

/// The matrix in which each block begins at its place.
#[track_caller]
pub(super) fn placed<'a, T: Number>(
    blocks: impl Iterator<Item = (&'a Csr<T>, [usize; 2])>,
) -> Result<Csr<T>> {
    let (mut shape, mut rows, mut cols, mut parts) = ([0, 0], Vec::new(), Vec::new(), Vec::new());
    for (block, at) in blocks {
        shape = [0, 1].map(|k: usize| shape[k].max(at[k] + block.shape()[k]));
        rows.extend(block.rows().into_iter().map(|row| row as i64 + at[0] as i64));
        cols.extend(block.indices().iter().map(|&col| col as i64 + at[1] as i64));
        parts.push(block.data().clone());
    }
    Coo::new(shape, &rows, &cols, &located(joined(&parts))?)?.to_csr()
}
