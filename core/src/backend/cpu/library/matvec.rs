//! Products of a matrix with a vector, in whole or by parts.
//!
//! Where each result is a sum of rows' elements, threads share the rows and not the results, unless there
//! are very many of these: memory gives long stretches sooner than the same few columns of each row
//! (2,000 by 2,000 `f64` on two cores 1.6 ms by rows, 2.1 by columns).

use super::gemv::{Rows, sum_of_rows};
use super::row_products::Multiplied;
use crate::backend::cpu::room::room;
use crate::backend::pool;
use crate::error::Result;
use crate::library::linalg::Matmul;
use std::ops::Range;
use std::slice;

/// Shorter rows are left to faer: most of a loop's lanes would have nothing to do.
const NARROW: usize = 32;
/// The least rows of a part: adding its sums to those of the others then takes little.
const ROWS_OF_A_PART: usize = 64;
/// Blocks of so many results are read in stretches that are long enough.
const WIDE: usize = 8192;

/// A product of a matrix with contiguous rows, or of the transpose of one, with a vector.
#[derive(Clone, Copy)]
pub(super) struct OfVector<R> {
    matrix: *const R,
    /// The distance between the matrix's elements along the terms of a sum.
    along: usize,
    /// The distance between those of neighbouring results.
    across: usize,
    vector: *const R,
    by_step: usize,
    /// The terms of each sum.
    terms: usize,
    out: *mut R,
    /// The results.
    len: usize,
}

// SAFETY: threads read the operands and write each its own results.
unsafe impl<R> Send for OfVector<R> {}
// SAFETY: as above.
unsafe impl<R> Sync for OfVector<R> {}

impl<R: Multiplied> OfVector<R> {
    /// The product of a call, given its operands and where the product goes; nothing where faer is to
    /// compute it.
    pub(super) fn new(call: &Matmul, a: *const R, b: *const R, out: *mut R) -> Option<Self> {
        let (left, right) = (&call.a, &call.b);
        let product = match (call.m, call.n) {
            (1, len) => OfVector {
                matrix: b,
                along: right.row,
                across: right.col,
                vector: a,
                by_step: left.col,
                terms: call.k,
                out,
                len,
            },
            (len, 1) => OfVector {
                matrix: a,
                along: left.col,
                across: left.row,
                vector: b,
                by_step: right.row,
                terms: call.k,
                out,
                len,
            },
            _ => return None,
        };
        (product.is_sum() || product.is_products()).then_some(product)
    }

    /// Whether it is a sum of scaled rows.
    fn is_sum(&self) -> bool {
        self.across == 1 && self.len >= NARROW
    }

    /// Whether each result is the product of a row with the vector.
    fn is_products(&self) -> bool {
        self.along == 1 && self.by_step == 1 && self.terms >= NARROW
    }

    /// The rows of some results, from a term on.
    ///
    /// # Safety
    /// Both lie within the matrix.
    unsafe fn rows(&self, result: usize, term: usize, step: usize, count: usize) -> Rows<R> {
        let OfVector { along, across, by_step, .. } = *self;
        // SAFETY: the caller vouches for the places.
        unsafe {
            let at = self.matrix.add(result * across + term * along);
            Rows { at, step, by: self.vector.add(term * by_step), by_step, count }
        }
    }

    /// Where a result goes.
    fn result(&self, at: usize) -> *mut R {
        self.out.wrapping_add(at)
    }

    /// Computes some results.
    ///
    /// # Safety
    /// The operands lie where the call said, the product has room, and nobody else reads or writes
    /// these results.
    pub(super) unsafe fn compute(&self, results: Range<usize>) {
        let Range { start, end } = results;
        // SAFETY: the caller vouches for the places.
        unsafe {
            let to = self.result(start);
            if self.is_sum() {
                sum_of_rows(&self.rows(start, 0, self.along, self.terms), to, end - start);
            } else {
                R::products(&self.rows(start, 0, self.across, end - start), to, self.terms);
            }
        }
    }

    /// Computes a sum of rows by parts of the rows, at most so many, and adds them up in their order.
    /// Tells whether it did, or whether it is better computed by blocks of results.
    ///
    /// # Errors
    /// Where there is no memory for the parts' sums.
    ///
    /// # Safety
    /// As [`compute`](Self::compute), for all results.
    pub(super) unsafe fn by_parts(self, most: usize) -> Result<bool> {
        let OfVector { terms, len, .. } = self;
        let parts = most.min(terms / ROWS_OF_A_PART);
        if !self.is_sum() || parts < 2 || len / most >= WIDE {
            return Ok(false);
        }
        let mut sums = room::<R>("matmul", parts * len)?;
        let room = sums.spare_capacity_mut().as_mut_ptr() as usize;
        let sum = |part: usize| (room as *mut R).wrapping_add(part * len);
        let first = |part: usize| terms * part / parts;
        pool::each(parts, |part| {
            let (start, end) = (first(part), first(part + 1));
            // SAFETY: the caller vouches for the operands, and each part's sums have room of their own.
            unsafe { sum_of_rows(&self.rows(0, start, self.along, end - start), sum(part), len) };
        });
        let cuts = pool::threads().min(len.div_ceil(WIDE));
        pool::each(cuts, |cut| {
            let Range { start, end } = len * cut / cuts..len * (cut + 1) / cuts;
            // SAFETY: all sums are made, the product has room, and cuts are apart.
            let (to, sum) = unsafe {
                let sum = |part| slice::from_raw_parts(sum(part).add(start), end - start);
                (slice::from_raw_parts_mut(self.result(start), end - start), sum)
            };
            to.copy_from_slice(sum(0));
            for part in 1..parts {
                to.iter_mut().zip(sum(part)).for_each(|(to, &sum)| *to = *to + sum);
            }
        });
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::library::linalg::{Matrix, Precision};
    use smallvec::SmallVec;

    /// Small whole numbers, so that sums of products are exact in any order.
    fn numbers(len: usize, by: usize) -> impl Iterator<Item = f64> {
        (0..len).map(move |k| ((k * by + 11) % 101) as f64 - 50.0)
    }

    /// Rows and columns of vectors, in whole, by results and by terms, are what one sum after another is.
    #[test]
    fn blocks_and_parts_give_the_product() {
        fn check<R: Multiplied + PartialEq + std::fmt::Debug>(dtype: DType, of: fn(f64) -> R) {
            for sizes in [(1, 40), (40, 40), (300, 33), (129, 1000), (1000, 129), (64, 9000)] {
                for form in [(false, 1), (true, 1), (true, 2)] {
                    product_of(dtype, of, sizes, form);
                }
            }
        }
        check::<f64>(DType::F64, |x| x);
        check::<f32>(DType::F32, |x| x as f32);
    }

    /// Checks a product of a matrix, or of its transpose, and a vector of some step.
    fn product_of<R: Multiplied + PartialEq + std::fmt::Debug>(
        dtype: DType,
        of: fn(f64) -> R,
        (rows, cols): (usize, usize),
        (transposed, step): (bool, usize),
    ) {
        let matrix: Vec<R> = numbers(rows * cols, 37).map(of).collect();
        let vector: Vec<R> = numbers(2 * rows.max(cols), 29).map(of).collect();
        let (k, len) = if transposed { (rows, cols) } else { (cols, rows) };
        let (row, col) = if transposed { (1, cols) } else { (cols, 1) };
        let flat = |row, col| Matrix { row, col, offset: 0, batch: SmallVec::new() };
        let call = Matmul {
            dtype,
            precision: Precision::Full,
            scaled: false,
            addend: None,
            bias: false,
            activation: None,
            part: false,
            batch: SmallVec::new(),
            m: len,
            n: 1,
            k,
            a: flat(row, col),
            b: flat(step, 1),
        };
        let sum = |i: usize| {
            let terms = (0..k).map(|j| matrix[i * row + j * col] * vector[j * step]);
            terms.fold(of(0.0), |sum, term| sum + term)
        };
        let wanted: Vec<R> = (0..len).map(sum).collect();
        let mut found = vec![of(f64::NAN); len];
        let (a, b) = (matrix.as_ptr(), vector.as_ptr());
        let Some(product) = OfVector::new(&call, a, b, found.as_mut_ptr()) else {
            assert!(len.min(k) < NARROW, "{call:?}");
            return;
        };
        for cut in [0, 1, len / 3] {
            // SAFETY: the vectors are as long as the call says.
            unsafe {
                product.compute(0..cut);
                product.compute(cut..len);
            }
            assert_eq!(found, wanted, "{call:?} cut at {cut}");
            found.fill(of(f64::NAN));
        }
        for most in [1, 2, 5, 16] {
            // SAFETY: as above.
            let is_done = unsafe { product.by_parts(most) }.unwrap();
            let wide = len / most >= WIDE;
            assert_eq!(is_done, transposed && most.min(k / ROWS_OF_A_PART) > 1 && !wide);
            if is_done {
                assert_eq!(found, wanted, "{call:?} by {most} parts");
                found.fill(of(f64::NAN));
            }
        }
    }
}
