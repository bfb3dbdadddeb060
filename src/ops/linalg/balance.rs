//! Balancing: a similar matrix whose rows and columns are of about one size (B. Parlett and C.
//! Reinsch, 1969; R. James, J. Langou and B. Lowery, 2014, on which norm to take).

use super::factor::Matrices;
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::{Complex, Factorable};
use crate::error::{Error, Result};
use ndarray::Array2;
use std::ops::Range;

type C = Complex<f64>;

const ZERO: C = C::new(0.0, 0.0);

/// What scales is a power of this, so that nothing is rounded.
const BASE: f64 = 2.0;
/// A step that gains less than this part is not taken.
const GAIN: f64 = 0.95;
/// Beyond these limits scales lose digits.
const SMALL: f64 = f64::MIN_POSITIVE / f64::EPSILON;
const LARGE: f64 = 1.0 / SMALL;

/// A matrix `t⁻¹ · a · t`, and `t`.
struct Balanced {
    a: Array2<C>,
    t: Array2<f64>,
}

impl Balanced {
    fn swap(&mut self, k: usize, with: usize) {
        let n = self.a.nrows();
        if k == with {
            return;
        }
        (0..n).for_each(|j| self.a.swap([k, j], [with, j]));
        (0..n).for_each(|i| self.a.swap([i, k], [i, with]));
        (0..n).for_each(|i| self.t.swap([i, k], [i, with]));
    }

    /// Puts eigenvalues that stand alone to the ends; the rows between are what is left.
    fn permute(&mut self) -> Range<usize> {
        let (mut first, mut end) = (0, self.a.nrows());
        // A row that is 0 beside its diagonal goes to the end.
        while let Some(row) =
            (0..end).rev().find(|&i| (0..end).all(|j| i == j || self.a[[i, j]] == ZERO))
        {
            self.swap(row, end - 1);
            if end == 1 {
                return 0..1;
            }
            end -= 1;
        }
        // A column that is goes to the front.
        while let Some(column) =
            (first..end).find(|&j| (first..end).all(|i| i == j || self.a[[i, j]] == ZERO))
        {
            self.swap(column, first);
            first += 1;
        }
        first..end
    }

    /// The factor of a row and a column, 1 where there is nothing to gain.
    fn factor(&self, i: usize, left: &Range<usize>) -> f64 {
        let norm = |of: &dyn Fn(usize) -> C| {
            let most = left.clone().map(|k| of(k).norm()).fold(0.0, f64::max);
            let unit = if most == 0.0 { 1.0 } else { most };
            unit * left.clone().map(|k| (of(k) / unit).norm_sqr()).sum::<f64>().sqrt()
        };
        let mut column = norm(&|k| self.a[[k, i]]);
        let mut row = norm(&|k| self.a[[i, k]]);
        let mut high = (0..left.end).map(|k| self.a[[k, i]].norm()).fold(0.0, f64::max);
        let mut wide =
            (left.start..self.a.nrows()).map(|k| self.a[[i, k]].norm()).fold(0.0, f64::max);
        if column == 0.0 || row == 0.0 {
            return 1.0;
        }
        let (before, mut factor) = (column + row, 1.0f64);
        let mut scaled = |column: &mut f64, row: &mut f64, by: f64| {
            factor *= by;
            (*column, *row) = (*column * by, *row / by);
            (high, wide) = (high * by, wide / by);
            (factor.max(high) < LARGE / BASE && wide > SMALL * BASE)
                && (factor > SMALL * BASE && high > SMALL * BASE && wide < LARGE / BASE)
        };
        let mut inside = true;
        while inside && column < row / BASE {
            inside = scaled(&mut column, &mut row, BASE);
        }
        while inside && column / BASE >= row {
            inside = scaled(&mut column, &mut row, 1.0 / BASE);
        }
        if column + row >= GAIN * before { 1.0 } else { factor }
    }

    fn scale(&mut self, left: &Range<usize>) {
        let mut moved = true;
        while moved {
            moved = false;
            for i in left.clone() {
                let factor = self.factor(i, left);
                if factor == 1.0 {
                    continue;
                }
                moved = true;
                self.a.row_mut(i).mapv_inplace(|x| x / factor);
                self.a.column_mut(i).mapv_inplace(|x| x * factor);
                self.t.column_mut(i).mapv_inplace(|x| x * factor);
            }
        }
    }
}

impl<T: Factorable> DeviceArray<T> {
    /// A matrix similar to a square one, or to each of a batch, whose rows and columns are of about one
    /// size, and the matrix `t` of the change, `t⁻¹ · self · t`: a permutation that puts eigenvalues
    /// which stand alone to the ends, times powers of 2.
    ///
    /// **Evaluates**, and works on the host. **Shape.** `[…, n, n]` gives two of it. **Dtype.** The
    /// array's. SciPy: `linalg.matrix_balance`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where a matrix is not square, [`Error::is_numeric`] where it holds what is not
    /// finite; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 4096.0, 0.25, 2.0])?;
    /// let (b, t) = a.matrix_balance()?;
    /// assert_eq!(b.to_vec()?, [1.0, 32.0, 32.0, 2.0]);
    /// assert_eq!(a.matmul(&t), t.matmul(&b));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn matrix_balance(&self) -> Result<(DeviceArray<T>, DeviceArray<T>)> {
        let find = || {
            let own = Matrices::square("matrix_balance", self.node())?;
            let (n, all) = (own.n, self.cast::<C>().to_vec()?);
            if !all.iter().all(|x| x.is_finite()) {
                return Err(Error::numeric("matrix_balance: the matrix holds what is not finite"));
            }
            let (mut like, mut change) = (Vec::new(), Vec::new());
            for one in all.chunks(n * n + usize::from(n == 0)) {
                let a = Array2::from_shape_fn((n, n), |(i, j)| one[i * n + j]);
                let mut balanced = Balanced { a, t: Array2::eye(n) };
                let left = balanced.permute();
                balanced.scale(&left);
                like.extend(balanced.a);
                change.extend(balanced.t.iter().map(|&t| C::new(t, 0.0)));
            }
            let shape = own.each(&[n, n]);
            self.device().scope(|| {
                let of = |values| DeviceArray::<C>::from_vec(&shape[..], values);
                Ok((of(like)?.cast(), of(change)?.cast()))
            })
        };
        located(recorded(find))
    }
}
