//! The calls of linear algebra.

use super::Layout;
use crate::dtype::DType;
use smallvec::SmallVec;
use std::cell::Cell;
use std::ops::Range;

/// Products of matrices: `out[…] = a[…] · b[…]` for each place of a batch, `m × k` by `k × n`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Matmul {
    /// The element type of the operands and of the product.
    pub dtype: DType,
    /// The rows of the product.
    pub m: usize,
    /// The columns of the product.
    pub n: usize,
    /// The length of the sums.
    pub k: usize,
    /// The lengths of the batch's axes.
    pub batch: SmallVec<[usize; 2]>,
    /// Where the left matrices lie.
    pub a: Matrix,
    /// Where the right matrices lie.
    pub b: Matrix,
    /// How exactly singles are multiplied.
    pub precision: Precision,
    /// Whether the first scalar scales the product.
    pub scaled: bool,
    /// Whether the array after the operands is added, scaled by the next scalar if that is so.
    pub addend: Option<bool>,
    /// Whether the last array is added to every row.
    pub bias: bool,
    /// What is done with each value at last.
    pub activation: Option<Activation>,
    /// Whether an array begins at a multiple of 16 bytes and of no more: it is a part of another.
    pub part: bool,
}

/// A function that libraries apply to each value of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    /// Zero in place of what is negative.
    Relu,
    /// The Gaussian error linear unit, by the hyperbolic tangent.
    Gelu,
}

/// How exactly numbers of type `f32` are multiplied in products of matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// As IEEE has it: 24 bits of mantissa.
    #[default]
    Full,
    /// By tensor cores where the device has them: operands are rounded to 11 bits of mantissa
    /// (TF32), sums are `f32`.
    Tf32,
}

thread_local! {
    static PRECISION: Cell<Precision> = const { Cell::new(Precision::Full) };
}

impl Precision {
    /// What products are recorded with in this thread.
    #[doc(hidden)]
    pub fn current() -> Precision {
        PRECISION.get()
    }

    /// Runs `f` with this precision as the current one.
    #[doc(hidden)]
    pub fn scope<R>(self, f: impl FnOnce() -> R) -> R {
        struct Restore(Precision);
        impl Drop for Restore {
            fn drop(&mut self) {
                PRECISION.set(self.0);
            }
        }
        let _restore = Restore(PRECISION.replace(self));
        f()
    }
}

/// Where a batch of matrices lies in an array, in elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Matrix {
    /// The place of the first element.
    pub offset: usize,
    /// The distance between rows.
    pub row: usize,
    /// The distance between columns.
    pub col: usize,
    /// The distance between matrices, along each of the batch's axes; 0 where they are the same.
    pub batch: SmallVec<[usize; 2]>,
}

impl Matmul {
    /// The number of elements of the product.
    pub fn len(&self) -> usize {
        self.batch.iter().product::<usize>() * self.m * self.n
    }

    /// The call with its batch as further rows, where all share the right matrix and the left ones
    /// lie one below the other: one large product is faster than many small ones.
    pub fn folded(&self) -> Matmul {
        let mut step = self.m * self.a.row;
        let mut follows =
            self.addend.is_none() && self.a.col == 1 && self.b.batch.iter().all(|&b| b == 0);
        for (&extent, &stride) in self.batch.iter().zip(&self.a.batch).rev() {
            follows &= extent == 1 || stride == step;
            step *= extent;
        }
        let mut call = self.clone();
        if follows {
            call.m *= call.batch.iter().product::<usize>();
            for batch in [&mut call.batch, &mut call.a.batch, &mut call.b.batch] {
                batch.clear();
            }
        }
        call
    }

    /// Whether libraries add a bias to products of this type.
    pub fn takes_bias(&self) -> bool {
        self.dtype.is_float()
    }

    /// Whether libraries apply the function to values of this type, as exactly as kernels do. Of
    /// halves, cuBLASLt makes zeros of NaN where it cuts negative values.
    pub fn takes(&self, activation: Activation) -> bool {
        match activation {
            Activation::Relu => matches!(self.dtype, DType::F32 | DType::F64),
            Activation::Gelu => matches!(self.dtype, DType::F32 | DType::F16 | DType::BF16),
        }
    }

    /// The call with an operand read where it lies in another array: its rows or its columns
    /// must be contiguous.
    pub fn with_layout(&self, argument: usize, layout: &Layout) -> Option<Matmul> {
        let mut call = self.clone();
        let (matrix, rows, cols) = match argument {
            0 => (&mut call.a, self.m, self.k),
            1 => (&mut call.b, self.k, self.n),
            _ => return None,
        };
        *matrix = Matrix::of(rows, cols, &self.batch, layout)?;
        Some(call)
    }
}

impl Matrix {
    /// The places from the first element that `rows × cols` matrices of a batch occupy to the last.
    pub fn reach(&self, rows: usize, cols: usize, batch: &[usize]) -> Range<usize> {
        if rows == 0 || cols == 0 || batch.contains(&0) {
            return self.offset..self.offset;
        }
        let batches = batch.iter().zip(&self.batch).map(|(extent, step)| (extent - 1) * step);
        let last = (rows - 1) * self.row + (cols - 1) * self.col + batches.sum::<usize>();
        self.offset..self.offset + last + 1
    }

    /// The matrices of an array in C order, of a shape that ends with the matrix's and broadcasts
    /// to the batch before.
    pub fn contiguous(shape: &[usize], batch: &[usize]) -> Matrix {
        let strides = crate::shape::contiguous_strides(shape);
        let layout = Layout { offset: 0, shape: SmallVec::from_slice(shape), strides };
        let matrix = Self::of(shape[shape.len() - 2], shape[shape.len() - 1], batch, &layout);
        matrix.expect("rows in C order are contiguous")
    }

    /// The matrices read where they lie in another array, if rows or columns are contiguous
    /// there and none lie over each other.
    fn of(rows: usize, cols: usize, batch: &[usize], layout: &Layout) -> Option<Matrix> {
        let natural = |&s: &i64| usize::try_from(s).ok();
        let strides: Option<SmallVec<[usize; 4]>> = layout.strides.iter().map(natural).collect();
        let (strides, offset) = (strides?, usize::try_from(layout.offset).ok()?);
        let own = strides.len() - 2;
        let (row, col) = in_blas(rows, cols, strides[own], strides[own + 1])?;
        let skip = batch.len() - own;
        let step = |k: usize| match k.checked_sub(skip) {
            Some(axis) if layout.shape[axis] > 1 => strides[axis],
            _ => 0,
        };
        Some(Matrix { offset, row, col, batch: (0..batch.len()).map(step).collect() })
    }
}

/// The distances between rows and between columns as libraries take them: one of them is 1, and
/// the other at least the length of what it steps over.
fn in_blas(rows: usize, cols: usize, row: usize, col: usize) -> Option<(usize, usize)> {
    match (rows, cols) {
        (1, 1) => Some((1, 1)),
        (1, _) if col == 1 => Some((cols, 1)),
        (1, _) => (col > 0).then_some((1, col)),
        (_, 1) if row == 1 => Some((1, rows)),
        (_, 1) => (row > 0).then_some((row, 1)),
        _ => ((col == 1 && row >= cols) || (row == 1 && col >= rows)).then_some((row, col)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    #[test]
    fn matrices_reach_from_their_first_element_to_their_last() {
        let matrix = Matrix { offset: 7, row: 10, col: 1, batch: smallvec![100, 0] };
        assert_eq!(matrix.reach(3, 4, &[2, 5]), 7..7 + 20 + 3 + 100 + 1);
        assert_eq!(matrix.reach(1, 1, &[1, 1]), 7..8);
        assert_eq!(matrix.reach(3, 0, &[2, 5]), 7..7);
        assert_eq!(matrix.reach(3, 4, &[0, 5]), 7..7);
    }

    #[test]
    fn layouts_that_libraries_take() {
        assert_eq!(in_blas(3, 4, 4, 1), Some((4, 1)));
        assert_eq!(in_blas(3, 4, 1, 9), Some((1, 9)));
        assert_eq!(in_blas(3, 4, 2, 1), None);
        assert_eq!(in_blas(3, 4, 8, 2), None);
        assert_eq!(in_blas(3, 4, 0, 1), None);
        assert_eq!(in_blas(1, 4, 0, 2), Some((1, 2)));
        assert_eq!(in_blas(3, 1, 5, 0), Some((5, 1)));
    }

    #[test]
    fn batches_that_share_the_right_matrix_are_rows() {
        let product = |a: &[usize], b: &[usize], batch: &[usize]| Matmul {
            dtype: DType::F64,
            m: a[a.len() - 2],
            n: b[b.len() - 1],
            k: a[a.len() - 1],
            batch: SmallVec::from_slice(batch),
            a: Matrix::contiguous(a, batch),
            b: Matrix::contiguous(b, batch),
            precision: Precision::Full,
            scaled: false,
            addend: None,
            bias: false,
            activation: None,
            part: false,
        };
        let rows = |a: &[usize], b: &[usize], batch: &[usize]| {
            let call = product(a, b, batch);
            let folded = call.folded();
            assert_eq!(folded.len(), call.len());
            (folded.m, folded.batch.len())
        };
        assert_eq!(rows(&[6, 5, 1, 8], &[8, 9], &[6, 5]), (30, 0));
        assert_eq!(rows(&[6, 5, 3, 8], &[1, 1, 8, 9], &[6, 5]), (90, 0));
        assert_eq!(rows(&[5, 3, 8], &[8, 9], &[5]), (15, 0));
        // Each has its own right matrix; the left one is shared; another array is added.
        assert_eq!(rows(&[5, 3, 8], &[5, 8, 9], &[5]), (3, 1));
        assert_eq!(rows(&[3, 8], &[5, 8, 9], &[5]), (3, 1));
        assert_eq!(rows(&[6, 1, 3, 8], &[8, 9], &[6, 5]), (3, 2));
        let call = Matmul { addend: Some(false), ..product(&[5, 3, 8], &[8, 9], &[5]) };
        assert_eq!(call.folded(), call);
    }

    #[test]
    fn batches_broadcast() {
        let matrix = Matrix::contiguous(&[1, 2, 3], &[5, 4]);
        assert_eq!((matrix.row, matrix.col, &matrix.batch[..]), (3, 1, &[0, 0][..]));
        let matrix = Matrix::contiguous(&[5, 1, 2, 3], &[5, 4]);
        assert_eq!(matrix.batch[..], [6, 0]);
        let turned = Layout { offset: 7, shape: smallvec![4, 3, 2], strides: smallvec![6, 1, 3] };
        let matrix = Matrix::of(3, 2, &[4], &turned).unwrap();
        assert_eq!((matrix.offset, matrix.row, matrix.col), (7, 1, 3));
    }
}
