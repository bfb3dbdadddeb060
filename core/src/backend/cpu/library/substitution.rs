//! Small triangular systems with one right-hand side, row by row: each unknown is a product of a contiguous
//! row with the unknowns before it.
//!
//! They are solved on the thread that asks. faer may divide such a system, and so has to run on the pool's
//! threads; to wake these takes longer. Two systems of 100 unknowns, one after the other, took 94 to 105 µs
//! that way and 30 this way, of 300 118 and 73, of 700 280 and 255 to 360 (two cores with AVX-512).

use lazuli_inner_loops::level::{Level, levels};
use std::ops::{Add, Div, Mul, Sub};
use std::slice;

/// The most unknowns of a system that is solved row by row.
pub(super) const MOST: usize = 512;

/// A float of a triangular system.
pub(super) trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Default
    + PartialEq
{
}

impl Real for f32 {}
impl Real for f64 {}

/// A triangle in contiguous rows, of a square matrix whose other half is not read.
pub(super) struct Triangle<T> {
    /// The first element of the first row.
    pub at: *const T,
    /// The number of rows.
    pub n: usize,
    /// Whether it is the lower triangle.
    pub lower: bool,
    /// Whether its diagonal counts as ones.
    pub unit: bool,
}

/// Puts the solution in the place of the right-hand side.
///
/// # Safety
/// The matrix and the right-hand side lie where they are said to, and nobody else reads or writes the
/// right-hand side.
pub(super) unsafe fn solve<T: Real + 'static>(triangle: &Triangle<T>, x: *mut T) {
    // SAFETY: the instruction set is there, and the caller keeps the contract.
    unsafe { find_solve::<T>(Level::best())(triangle, x) }
}

levels! {
    /// The substitution, for an instruction set.
    find_solve[T: Real](triangle: *const Triangle<T>, x: *mut T) = substitute;
}

/// # Safety
/// As [`solve`].
#[inline(always)]
unsafe fn substitute<T: Real>(triangle: *const Triangle<T>, x: *mut T) {
    // SAFETY: the caller names a triangle that is alive, and a right-hand side of as many elements.
    let (triangle, x) = unsafe { (&*triangle, slice::from_raw_parts_mut(x, (*triangle).n)) };
    let n = triangle.n;
    // SAFETY: the matrix has n rows of n elements.
    let row = |i: usize| unsafe { slice::from_raw_parts(triangle.at.add(i * n), n) };
    for step in 0..n {
        let i = if triangle.lower { step } else { n - 1 - step };
        let known = if triangle.lower { 0..i } else { i + 1..n };
        let rest = x[i] - product(&row(i)[known.clone()], &x[known]);
        x[i] = if triangle.unit { rest } else { rest / row(i)[i] };
    }
}

/// The inner product, in as many sums as fill the registers.
#[inline(always)]
fn product<T: Real>(a: &[T], b: &[T]) -> T {
    const LANES: usize = 32;
    let mut sums = [T::default(); LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a_chunks.remainder().iter().zip(b_chunks.remainder());
    for (a, b) in a_chunks.zip(b_chunks) {
        for (sum, (&a, &b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum = *sum + a * b;
        }
    }
    for (sum, (&a, &b)) in sums.iter_mut().zip(rest) {
        *sum = *sum + a * b;
    }
    let mut width = LANES / 2;
    while width > 0 {
        for k in 0..width {
            sums[k] = sums[k] + sums[k + width];
        }
        width /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_of_all_sizes() {
        let value = |k: usize| ((k * 37 + 11) % 101) as f64 / 101.0 - 0.5;
        for n in [0, 1, 2, 5, 31, 32, 33, 100] {
            for (lower, unit) in [(true, false), (true, true), (false, false), (false, true)] {
                let diagonal = |k: usize| k.is_multiple_of(n + 1);
                let a: Vec<f64> =
                    (0..n * n).map(|k| value(k) + if diagonal(k) { 20.0 } else { 0.0 }).collect();
                let b: Vec<f64> = (0..n).map(|k| value(k + 7)).collect();
                for level in Level::available() {
                    let mut x = b.clone();
                    let triangle = Triangle { at: a.as_ptr(), n, lower, unit };
                    // SAFETY: the vectors are as long as the triangle says.
                    unsafe { find_solve::<f64>(level)(&triangle, x.as_mut_ptr()) };
                    for (i, &b) in b.iter().enumerate() {
                        let known = if lower { 0..i } else { i + 1..n };
                        let own = if unit { x[i] } else { a[i * n + i] * x[i] };
                        let sum = known.map(|j| a[i * n + j] * x[j]).sum::<f64>() + own;
                        let scale = x.iter().fold(1.0, |most: f64, x| most.max(x.abs())) * 20.0;
                        assert!((sum - b).abs() <= 1e-14 * scale, "{n}, row {i}: {sum} for {b}");
                    }
                }
            }
        }
    }
}
