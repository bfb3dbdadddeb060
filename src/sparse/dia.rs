//! Matrices as arrays of diagonals, the form that SciPy calls DIA.

use super::csr::{check_count, wrong};
use super::{Coo, Csr};
use crate::array::{DeviceArray, located};
use crate::dtype::Number;
use crate::error::Result;
use crate::shape::checked_len;
use std::collections::BTreeSet;

impl<T: Number> Csr<T> {
    /// The matrix of diagonals that are rows of an array: `data[d, j]` stands in column `j` and
    /// `offsets[d]` places above the main diagonal. What lies outside of the matrix is not read.
    ///
    /// Zeros of the diagonals are entries. [`diags`](Self::diags) takes diagonals that begin with
    /// their first element.
    ///
    /// **Shape.** `data` is of shape `[offsets.len(), width]`; columns from `width` on are zeros.
    /// **Laziness.** Arranges the values, on their device, now. SciPy:
    /// `dia_array((data, offsets), shape).tocsr()`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the parts do not fit together, or an offset
    /// comes twice.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let data = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
    /// let a = Csr::from_dia([3, 3], &data, &[0, 1])?;
    /// assert_eq!(a.to_dense().to_vec()?, [1, 5, 0, 0, 2, 6, 0, 0, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "dia_array")]
    #[track_caller]
    pub fn from_dia(shape: [usize; 2], data: &DeviceArray<T>, offsets: &[isize]) -> Result<Csr<T>> {
        let fits = matches!(data.shape(), [count, _] if *count == offsets.len());
        let each: BTreeSet<isize> = offsets.iter().copied().collect();
        if !fits || each.len() != offsets.len() {
            return located(Err(wrong(format!(
                "from_dia: diagonals of shape {:?} at the offsets {offsets:?}",
                data.shape()
            ))));
        }
        located(shape.iter().try_for_each(|&n| check_count(n)))?;
        let width = data.shape()[1];
        let (mut rows, mut cols, mut from) = (Vec::new(), Vec::new(), Vec::new());
        for (d, &offset) in offsets.iter().enumerate() {
            let first = offset.clamp(0, width as isize);
            let last =
                offset.saturating_add_unsigned(shape[0]).clamp(0, width.min(shape[1]) as isize);
            for col in first..last {
                rows.push((col - offset) as i64);
                cols.push(col as i64);
                from.push((d * width) as i64 + col as i64);
            }
        }
        let values = located(
            data.device()
                .scope(|| Ok(data.flatten().take_clipped(&DeviceArray::from_slice(&from)?, 0))),
        )?;
        Coo::new(shape, &rows, &cols, &values)?.to_csr()
    }

    /// The diagonals that have entries, as rows of an array, and their distances above the main
    /// diagonal, which rise; see [`from_dia`](Self::from_dia).
    ///
    /// **Shape.** `[diagonals, columns]`: of a matrix whose entries lie scattered this is much more than
    /// the matrix has. **Laziness.** Finds the diagonals on the host now. SciPy: `todia`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the array would have too many elements.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let a = Csr::from_dense(&DeviceArray::try_from([[1, 5], [0, 2]])?)?;
    /// let (data, offsets) = a.to_dia()?;
    /// assert_eq!((data.to_vec()?, offsets), (vec![1, 2, 0, 5], vec![0, 1]));
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "todia")]
    #[track_caller]
    pub fn to_dia(&self) -> Result<(DeviceArray<T>, Vec<isize>)> {
        let cols = self.shape()[1];
        let entries = self.rows().into_iter().zip(self.indices());
        let of_entries: Vec<isize> =
            entries.map(|(row, &col)| col as isize - row as isize).collect();
        let each: BTreeSet<isize> = of_entries.iter().copied().collect();
        let offsets: Vec<isize> = each.into_iter().collect();
        let place = |(&offset, &col): (&isize, &i32)| {
            let d = offsets.partition_point(|&other| other < offset);
            d as i64 * cols as i64 + i64::from(col)
        };
        let places: Vec<i64> = of_entries.iter().zip(self.indices()).map(place).collect();
        let data = self.device().scope(|| {
            let zeros = DeviceArray::zeros([checked_len("to_dia", &[offsets.len(), cols])?]);
            let all = zeros.try_scatter_add(&DeviceArray::from_slice(&places)?, self.data(), 0)?;
            Ok(all.reshape([offsets.len(), cols]))
        });
        Ok((located(data)?, offsets))
    }
}
