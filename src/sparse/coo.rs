//! Matrices as lists of entries.

use super::Csr;
use super::csr::{room_for_ends, whole};
use super::segments::Segments;
use crate::array::{AnyArray, DeviceArray, located};
use crate::dtype::{Element, Number};
use crate::error::{Error, Result};
use num_traits::PrimInt;
use std::fmt;

/// A sparse matrix as a list of entries with their rows and columns, SciPy's `coo_array`: the form in
/// which matrices are put together. Entries of one place count together.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::Coo;
/// let values = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
/// let a = Coo::new([2, 2], &[0, 1, 0], &[1, 0, 1], &values)?.to_csr()?;
/// assert_eq!((a.nnz(), a.get([0, 1])?), (2, 4.0)); // 1 + 3
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Coo<T: Element> {
    pub(super) shape: [usize; 2],
    pub(super) rows: Vec<i32>,
    pub(super) cols: Vec<i32>,
    pub(super) data: DeviceArray<T>,
}

impl<T: Element> Coo<T> {
    /// The matrix of these entries.
    ///
    /// **Shape.** `data` is of shape `[rows.len()]`. SciPy: `coo_array((data, (rows, cols)), shape)`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the parts do not fit together, or a place is out of range.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Coo};
    /// let a = Coo::new([2, 3], &[1], &[2], &DeviceArray::from_slice(&[5])?)?;
    /// assert_eq!(a.to_dense().to_vec()?, [0, 0, 0, 0, 0, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new<I: PrimInt, J: PrimInt>(
        shape: [usize; 2],
        rows: &[I],
        cols: &[J],
        data: &DeviceArray<T>,
    ) -> Result<Coo<T>> {
        let checked = || {
            if rows.len() != cols.len() || data.shape() != [rows.len()] {
                return Err(Error::shape(format!(
                    "sparse::Coo: {} rows, {} columns and data of shape {:?}",
                    rows.len(),
                    cols.len(),
                    data.shape()
                )));
            }
            let (rows, cols) = (whole("rows", rows, shape[0])?, whole("cols", cols, shape[1])?);
            Ok(Coo { shape, rows, cols, data: data.clone() })
        };
        located(checked())
    }

    /// The numbers of rows and columns.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<f32>::eye(3)?.to_coo().shape(), [3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// The row of each entry.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<f32>::eye(2)?.to_coo().rows(), [0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rows(&self) -> &[i32] {
        &self.rows
    }

    /// The column of each entry.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<f32>::eye(2)?.to_coo().cols(), [0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cols(&self) -> &[i32] {
        &self.cols
    }

    /// The value of each entry.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<f32>::eye(2)?.to_coo().data().to_vec()?, [1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn data(&self) -> &DeviceArray<T> {
        &self.data
    }

    /// The order of the entries by rows and by columns in them, and where each row begins.
    fn order(&self) -> Result<(Vec<i64>, Vec<usize>)> {
        let mut ends = room_for_ends(self.shape[0])?;
        self.rows.iter().for_each(|&row| ends[row as usize + 1] += 1);
        (0..self.shape[0]).for_each(|row| ends[row + 1] += ends[row]);
        let mut next = ends.clone();
        let mut order = vec![0i64; self.rows.len()];
        for (k, &row) in self.rows.iter().enumerate() {
            order[next[row as usize]] = k as i64;
            next[row as usize] += 1;
        }
        for row in ends.windows(2) {
            // Entries of one place stay in their order.
            let row = &mut order[row[0]..row[1]];
            let col = |k: &i64| self.cols[*k as usize];
            if !row.is_sorted_by_key(col) {
                row.sort_by_key(col);
            }
        }
        Ok((order, ends))
    }
}

impl<T: Number> Coo<T> {
    /// The matrix of compressed rows: entries sorted by row and column, those of one place added up
    /// in the order in which they stand.
    ///
    /// **Laziness.** Sorts the structure on the host now, and arranges the values. SciPy: `tocsr`.
    ///
    /// # Errors
    /// [`Error::is_out_of_memory`], and those of an evaluation of the values.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Coo};
    /// let a = Coo::new([2, 2], &[1, 0], &[0, 1], &DeviceArray::from_slice(&[5, 7])?)?;
    /// assert_eq!(a.to_csr()?.data().to_vec()?, [7, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "sum_duplicates")]
    #[track_caller]
    pub fn to_csr(&self) -> Result<Csr<T>> {
        let (order, ends) = located(self.order())?;
        let (mut indices, mut indptr, mut groups) = (Vec::new(), vec![0usize], Vec::new());
        for row in ends.windows(2) {
            let mut last = -1;
            for k in row[0]..row[1] {
                let col = self.cols[order[k] as usize];
                if col != last {
                    groups.push(k);
                    indices.push(col);
                    last = col;
                }
            }
            indptr.push(indices.len());
        }
        groups.push(order.len());
        located(self.data.device().scope(|| {
            let order_there = DeviceArray::from_slice(&order)?;
            let data = if indices.len() == order.len() {
                self.data.take_clipped(&order_there, 0)
            } else {
                Segments::new(&groups)?.sum(None, |_, slice| {
                    Ok(self.data.take_clipped(order_there.take_clipped(slice.entries(), 0), 0))
                })?
            };
            Csr::sorted_out(self.shape, indptr, indices, &data)
        }))
    }

    /// The matrix with its zeros.
    ///
    /// **Shape.** The matrix's. **Laziness.** Records. SciPy: `toarray`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Coo};
    /// let a = Coo::new([1, 2], &[0, 0], &[1, 1], &DeviceArray::from_slice(&[5, 7])?)?;
    /// assert_eq!(a.to_dense().to_vec()?, [0, 12]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "toarray")]
    #[track_caller]
    pub fn to_dense(&self) -> DeviceArray<T> {
        crate::array::or_panic(self.try_to_dense())
    }

    pub(super) fn try_to_dense(&self) -> Result<DeviceArray<T>> {
        let [rows, cols] = self.shape;
        let places = self.rows.iter().zip(&self.cols);
        let places: Vec<i64> = places.map(|(&r, &c)| r as i64 * cols as i64 + c as i64).collect();
        self.data.device().scope(|| {
            let zeros = DeviceArray::zeros([crate::shape::checked_len("to_dense", &[rows, cols])?]);
            let all = zeros.try_scatter_add(&DeviceArray::from_slice(&places)?, &self.data, 0)?;
            Ok(all.reshape([rows, cols]))
        })
    }
}

impl<T: Element> fmt::Debug for Coo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([rows, cols], entries) = (self.shape, self.rows.len());
        let dtype = self.data.any_dtype().name();
        write!(f, "Coo({rows} × {cols}, {entries} entries of {dtype}, {})", self.data.device())
    }
}
