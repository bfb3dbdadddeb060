//! The products of a matrix's contiguous rows with a vector.
//!
//! Eight rows are read side by side: memory gives them sooner than one after another (10,000 by 12,500
//! `f64` on two cores 39 ms, one by one 68, faer 41). Vectors are pulp's, faer's crate for them: loops over
//! arrays were vectorised across the rows.

use super::gemv::{Real, Rows};
use lazuli_libraries::linalg::pulp::{Arch, Simd, WithSimd};
use std::slice;

/// The rows that are read side by side.
const ROWS: usize = 8;

/// A float that rows are multiplied in.
pub(super) trait Multiplied: Real + 'static {
    /// Writes the product of each row of `len` elements with the vector, whose elements are contiguous.
    ///
    /// # Safety
    /// Rows and vector of `len` elements lie where they are said to, and the result has room for an
    /// element a row that nobody else reads or writes.
    unsafe fn products(rows: &Rows<Self>, to: *mut Self, len: usize);
}

macro_rules! multiplied {
    ($real:ty, $products:ident, $packs:ident, $zero:ident, $add:ident, $sum:ident) => {
        impl Multiplied for $real {
            unsafe fn products(rows: &Rows<Self>, to: *mut Self, len: usize) {
                debug_assert_eq!(rows.by_step, 1);
                // SAFETY: the caller keeps the contract.
                let (to, by) = unsafe {
                    (slice::from_raw_parts_mut(to, rows.count), slice::from_raw_parts(rows.by, len))
                };
                Arch::new().dispatch($products { rows, by, to });
            }
        }

        /// The products, whose rows are as long as the vector.
        struct $products<'a> {
            rows: &'a Rows<$real>,
            by: &'a [$real],
            to: &'a mut [$real],
        }

        impl WithSimd for $products<'_> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                let (first, step, by) = (self.rows.at, self.rows.step, self.by);
                let row = |r: usize| {
                    // SAFETY: whoever made this names so many rows of that length.
                    unsafe { slice::from_raw_parts(first.add(r * step), by.len()) }
                };
                let (eights, rest) = self.to.as_chunks_mut::<ROWS>();
                let whole = ROWS * eights.len();
                for (r, to) in (0..whole).step_by(ROWS).zip(eights) {
                    Self::eight(simd, row, r, by, to);
                }
                for (r, to) in (whole..).zip(rest) {
                    *to = Self::one(simd, row(r), by);
                }
            }
        }

        impl $products<'_> {
            /// The products of eight rows.
            #[inline(always)]
            fn eight<'a, S: Simd>(
                simd: S,
                row: impl Fn(usize) -> &'a [$real],
                r: usize,
                by: &[$real],
                to: &mut [$real; ROWS],
            ) {
                let (by_packs, by_rest) = S::$packs(by);
                let packs = |i: usize| &S::$packs(row(r + i)).0[..by_packs.len()];
                let [a, b, c, d] = [packs(0), packs(1), packs(2), packs(3)];
                let [e, f, g, h] = [packs(4), packs(5), packs(6), packs(7)];
                let mut sums = [simd.$zero(0.0); ROWS];
                for (k, &by) in by_packs.iter().enumerate() {
                    sums[0] = simd.$add(a[k], by, sums[0]);
                    sums[1] = simd.$add(b[k], by, sums[1]);
                    sums[2] = simd.$add(c[k], by, sums[2]);
                    sums[3] = simd.$add(d[k], by, sums[3]);
                    sums[4] = simd.$add(e[k], by, sums[4]);
                    sums[5] = simd.$add(f[k], by, sums[5]);
                    sums[6] = simd.$add(g[k], by, sums[6]);
                    sums[7] = simd.$add(h[k], by, sums[7]);
                }
                for i in 0..ROWS {
                    let rest = S::$packs(row(r + i)).1.iter().zip(by_rest);
                    let rest = rest.fold(0.0, |sum, (&x, &by)| x * by + sum);
                    to[i] = simd.$sum(sums[i]) + rest;
                }
            }

            /// The product of one row, eight packs of which are multiplied side by side.
            #[inline(always)]
            fn one<S: Simd>(simd: S, row: &[$real], by: &[$real]) -> $real {
                let ((packs, rest), (by_packs, by_rest)) = (S::$packs(row), S::$packs(by));
                let mut sums = [simd.$zero(0.0); ROWS];
                for (packs, by) in packs.chunks(ROWS).zip(by_packs.chunks(ROWS)) {
                    for ((sum, &pack), &by) in sums.iter_mut().zip(packs).zip(by) {
                        *sum = simd.$add(pack, by, *sum);
                    }
                }
                let rest = rest.iter().zip(by_rest).fold(0.0, |sum, (&x, &by)| x * by + sum);
                sums.into_iter().fold(rest, |sum, lanes| sum + simd.$sum(lanes))
            }
        }
    };
}

multiplied!(f32, ProductsF32, as_simd_f32s, splat_f32s, mul_add_f32s, reduce_sum_f32s);
multiplied!(f64, ProductsF64, as_simd_f64s, splat_f64s, mul_add_f64s, reduce_sum_f64s);

#[cfg(test)]
mod tests {
    use super::*;

    /// Small whole numbers, so that sums of products are exact in any order.
    fn value(k: usize) -> f64 {
        ((k * 37 + 11) % 101) as f64 - 50.0
    }

    #[test]
    fn products_of_rows_of_all_lengths() {
        fn check<T: Multiplied + PartialEq + std::fmt::Debug>(of: impl Fn(f64) -> T) {
            for len in [0, 1, 3, 4, 7, 8, 31, 64, 65, 300, 1003] {
                for count in [0, 1, 7, 8, 9, 30] {
                    let step = len + 3;
                    let matrix: Vec<T> = (0..step * count + 1).map(|k| of(value(k))).collect();
                    let by: Vec<T> = (0..len + 1).map(|k| of(value(k + 5))).collect();
                    let mut to = vec![of(f64::NAN); count];
                    let rows =
                        Rows { at: matrix.as_ptr(), step, by: by.as_ptr(), by_step: 1, count };
                    // SAFETY: the vectors are as long as the rows say.
                    unsafe { T::products(&rows, to.as_mut_ptr(), len) };
                    for (r, found) in to.into_iter().enumerate() {
                        let terms = (0..len).map(|k| value(r * step + k) * value(k + 5));
                        assert_eq!(found, of(terms.sum()), "{len} of {count} rows at {r}");
                    }
                }
            }
        }
        check::<f64>(|x| x);
        check::<f32>(|x| x as f32);
    }
}
