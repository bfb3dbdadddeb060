//! The product of a vector with a matrix whose rows are contiguous: sums of scaled rows.

use lazuli_inner_loops::level::{Level, levels};
use std::ops::{Add, Mul};
use std::slice;

/// A float that sums of rows are made of.
pub(in crate::backend::cpu) trait Real:
    Copy + Add<Output = Self> + Mul<Output = Self> + Default
{
}

impl Real for f32 {}
impl Real for f64 {}

/// The bytes of the results that are summed up at a time, which stay in the second cache: the longer
/// the stretches of a row are, the better memory gives them (16 KB take a tenth longer).
const TILE: usize = 64 << 10;

/// Rows of a matrix, and the vector that it is multiplied by.
pub(in crate::backend::cpu) struct Rows<T> {
    /// The first element of the first row.
    pub at: *const T,
    /// The distance between rows.
    pub step: usize,
    /// The first element of the vector.
    pub by: *const T,
    /// The distance between its elements.
    pub by_step: usize,
    /// How many rows there are.
    pub count: usize,
}

/// Writes the sum of the rows, each scaled by an element of the vector, to `len` elements.
///
/// # Safety
/// Rows of `len` elements and an element of the vector for each lie where they are said to, and the result has room that
/// nobody else reads or writes.
pub(in crate::backend::cpu) unsafe fn sum_of_rows<T: Real + 'static>(
    rows: &Rows<T>,
    to: *mut T,
    len: usize,
) {
    // SAFETY: the instruction set is there, and the caller keeps the contract.
    unsafe { find_sum::<T>(Level::best())(rows, to, len) }
}

levels! {
    /// The sum, for an instruction set.
    find_sum[T: Real](rows: *const Rows<T>, to: *mut T, len: usize) = sum;
}

/// # Safety
/// As [`sum_of_rows`].
#[inline(always)]
unsafe fn sum<T: Real>(rows: *const Rows<T>, to: *mut T, len: usize) {
    // SAFETY: the caller names rows that are alive, and room for the result.
    let (rows, to) = unsafe { (&*rows, slice::from_raw_parts_mut(to, len)) };
    let tile = TILE / size_of::<T>();
    for (k, to) in to.chunks_mut(tile).enumerate() {
        let len = to.len();
        // SAFETY: each row has as many elements as the result.
        let row =
            |r: usize| unsafe { slice::from_raw_parts(rows.at.add(r * rows.step + k * tile), len) };
        // SAFETY: there is a factor for each row.
        let by = |r: usize| unsafe { *rows.by.add(r * rows.by_step) };
        to.fill(T::default());
        let rest = rows.count / 8 * 8;
        for r in (0..rest).step_by(8) {
            let eight = std::array::from_fn(|i| row(r + i));
            add_eight(to, eight, std::array::from_fn(|i| by(r + i)));
        }
        for r in rest..rows.count {
            add_one(to, row(r), by(r));
        }
    }
}

/// Eight rows at a time, so that the sums are read and written once for eight.
#[inline(always)]
fn add_eight<T: Real>(to: &mut [T], rows: [&[T]; 8], by: [T; 8]) {
    let rows = rows.map(|row| &row[..to.len()]);
    for (k, to) in to.iter_mut().enumerate() {
        let two = |i: usize| by[i] * rows[i][k] + by[i + 1] * rows[i + 1][k];
        *to = *to + ((two(0) + two(2)) + (two(4) + two(6)));
    }
}

#[inline(always)]
fn add_one<T: Real>(to: &mut [T], row: &[T], by: T) {
    for (to, &x) in to.iter_mut().zip(row) {
        *to = *to + by * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_rows_of_all_lengths() {
        let value = |k: usize| ((k * 37 + 11) % 101) as f64 - 50.0;
        for len in [1, 7, 64, 2048, 2049, 5000] {
            for count in [0, 1, 7, 8, 9, 30] {
                let (step, by_step) = (len + 3, 2);
                let matrix: Vec<f64> = (0..step * count + 1).map(value).collect();
                let by: Vec<f64> = (0..by_step * count + 1).map(|k| value(k + 5)).collect();
                for level in Level::available() {
                    let mut to = vec![f64::NAN; len];
                    let rows = Rows { at: matrix.as_ptr(), step, by: by.as_ptr(), by_step, count };
                    // SAFETY: the vectors are as long as the rows say.
                    unsafe { find_sum::<f64>(level)(&rows, to.as_mut_ptr(), len) };
                    for (j, found) in to.into_iter().enumerate() {
                        let terms = (0..count).map(|r| matrix[r * step + j] * by[r * by_step]);
                        assert_eq!(found, terms.sum::<f64>(), "{len} of {count} rows at {j}");
                    }
                }
            }
        }
    }
}
