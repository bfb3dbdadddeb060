//! Matrices made of a grid of blocks, of two grids' sums, and of the triangles of another matrix.

use super::Csr;
use super::build::placed;
use super::csr::wrong;
use crate::array::{DeviceArray, located};
use crate::dtype::Number;
use crate::error::Result;

/// The length that all blocks of a row or a column of the grid have.
fn common(what: &str, at: usize, lengths: impl Iterator<Item = Option<usize>>) -> Result<usize> {
    let mut lengths = lengths.flatten();
    let Some(first) = lengths.next() else {
        return Err(wrong(format!("block_array: {what} {at} of the grid has no block")));
    };
    match lengths.find(|&length| length != first) {
        Some(other) => Err(wrong(format!(
            "block_array: in {what} {at} of the grid stand blocks of {first} and of {other} {what}s"
        ))),
        None => Ok(first),
    }
}

/// Where each stretch of these lengths begins.
fn begins(lengths: &[usize]) -> Vec<usize> {
    let sums = lengths.iter().scan(0usize, |at, &length| {
        let here = *at;
        *at = at.saturating_add(length);
        Some(here)
    });
    sums.collect()
}

impl<T: Number> Csr<T> {
    /// A matrix of a grid of blocks, each `None` a block of zeros. A row of the grid has blocks of as
    /// many rows, a column of as many columns, and there is a block in each of both.
    ///
    /// **Laziness.** Finds the structure on the host now. SciPy: `block_array`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the blocks make no grid,
    /// [`Error::is_device`](crate::Error::is_device).
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let (a, b) = (Csr::<i32>::eye(2)?, Csr::from_dense(&DeviceArray::try_from([[5], [6]])?)?);
    /// let c = Csr::block_array(&[vec![Some(&a), Some(&b)], vec![Some(&a), None]])?;
    /// assert_eq!(c.to_dense().to_vec()?, [1, 0, 5, 0, 1, 6, 1, 0, 0, 0, 1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "bmat")]
    #[track_caller]
    pub fn block_array(blocks: &[Vec<Option<&Csr<T>>>]) -> Result<Csr<T>> {
        let columns = blocks.first().map_or(0, Vec::len);
        if columns == 0 || blocks.iter().any(|row| row.len() != columns) {
            let counts: Vec<usize> = blocks.iter().map(Vec::len).collect();
            return located(Err(wrong(format!("block_array: rows of {counts:?} blocks"))));
        }
        let length = |block: &Option<&Csr<T>>, k: usize| block.map(|block| block.shape()[k]);
        let heights = (0..blocks.len())
            .map(|i| common("row", i, blocks[i].iter().map(|block| length(block, 0))))
            .collect::<Result<Vec<usize>>>();
        let widths = (0..columns)
            .map(|j| common("column", j, blocks.iter().map(|row| length(&row[j], 1))))
            .collect::<Result<Vec<usize>>>();
        let (tops, lefts) = (begins(&located(heights)?), begins(&located(widths)?));
        let all = blocks.iter().zip(&tops).flat_map(|(row, &top)| {
            let there = row.iter().zip(&lefts);
            there.filter_map(move |(block, &left)| block.map(|block| (block, [top, left])))
        });
        placed(all)
    }

    /// The Kronecker sum of two square matrices: `kron(I, self) + kron(other, I)`.
    ///
    /// **Laziness.** Finds the structure on the host now. SciPy: `kronsum`.
    ///
    /// # Errors
    /// As [`kron`](Self::kron), and [`Error::is_shape`](crate::Error::is_shape) where a matrix is not
    /// square.
    ///
    /// # Example
    /// The Laplacian of a square from that of a line:
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
    /// let line = Csr::diags([3, 3], &[(-1, &minus), (0, &two), (1, &minus)])?;
    /// let square = line.kronsum(&line)?;
    /// assert_eq!((square.get([4, 4])?, square.get([4, 1])?, square.get([4, 0])?), (4.0, -1.0, 0.0));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn kronsum(&self, other: &Csr<T>) -> Result<Csr<T>> {
        let (a, b) = (self.shape(), other.shape());
        if a[0] != a[1] || b[0] != b[1] {
            return located(Err(wrong(format!(
                "kronsum: matrices of shapes {a:?} and {b:?}; both are square"
            ))));
        }
        let eye = |matrix: &Csr<T>, n| matrix.device().scope(|| Csr::eye(n));
        let (inner, outer) = (eye(self, b[0])?.kron(self)?, other.kron(&eye(other, a[0])?)?);
        &inner + &outer
    }

    /// The entries on and below a diagonal, `diagonal` places above the main one (below where it is
    /// negative).
    ///
    /// **Laziness.** Picks the structure on the host now. SciPy: `tril(A, k)`.
    ///
    /// # Errors
    /// Those of an evaluation of the values.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let a = Csr::from_dense(&DeviceArray::try_from([[1, 2], [3, 4]])?)?;
    /// assert_eq!(a.tril(0)?.to_dense().to_vec()?, [1, 0, 3, 4]);
    /// assert_eq!(a.tril(-1)?.to_dense().to_vec()?, [0, 0, 3, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn tril(&self, diagonal: isize) -> Result<Csr<T>> {
        self.picked(|offset| offset <= diagonal)
    }

    /// The entries on and above a diagonal, `diagonal` places above the main one (below where it is
    /// negative).
    ///
    /// **Laziness.** Picks the structure on the host now. SciPy: `triu(A, k)`.
    ///
    /// # Errors
    /// Those of an evaluation of the values.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let a = Csr::from_dense(&DeviceArray::try_from([[1, 2], [3, 4]])?)?;
    /// assert_eq!(a.triu(0)?.to_dense().to_vec()?, [1, 2, 0, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn triu(&self, diagonal: isize) -> Result<Csr<T>> {
        self.picked(|offset| offset >= diagonal)
    }

    /// The entries of some diagonals.
    #[track_caller]
    fn picked(&self, keep: impl Fn(isize) -> bool) -> Result<Csr<T>> {
        let (mut ends, mut indices, mut from) = (vec![0usize], Vec::new(), Vec::new());
        for (row, range) in self.indptr().windows(2).enumerate() {
            for k in range[0]..range[1] {
                let col = self.indices()[k];
                if keep(col as isize - row as isize) {
                    indices.push(col);
                    from.push(k as i64);
                }
            }
            ends.push(indices.len());
        }
        located(self.device().scope(|| {
            let data = self.data().take_clipped(&DeviceArray::from_slice(&from)?, 0);
            Csr::sorted_out(self.shape(), ends, indices, &data)
        }))
    }
}
