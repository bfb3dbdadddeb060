//! The factorisation of matrices that are their own adjoints, but not positive definite, by pivots of
//! one and of two rows (J. Bunch and L. Kaufman, "Some stable methods for calculating inertia and
//! solving symmetric linear systems", 1977).

use super::factor::Matrices;
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::{Complex, Factorable};
use crate::error::{Error, Result};
use ndarray::Array2;

type C = Complex<f64>;

const ZERO: C = C::new(0.0, 0.0);
const ONE: C = C::new(1.0, 0.0);

/// The factors of one matrix: `a[order][order] = l · d · lᴴ`.
struct Factors {
    l: Array2<C>,
    d: Array2<C>,
    order: Vec<usize>,
}

/// The size that LAPACK compares.
fn size(x: C) -> f64 {
    x.re.abs() + x.im.abs()
}

/// The first row of the largest element of a column among the given rows, and its size.
fn largest(a: &Array2<C>, column: usize, rows: impl Iterator<Item = usize>) -> (usize, f64) {
    rows.map(|i| (i, size(a[[i, column]])))
        .fold((column, 0.0), |best, one| if one.1 > best.1 { one } else { best })
}

/// The row that becomes the pivot of what is left from `k` on, and whether it is one of two rows.
fn pivot(a: &Array2<C>, k: usize) -> (usize, bool) {
    let n = a.nrows();
    let alpha = (1.0 + 17f64.sqrt()) / 8.0;
    let own = a[[k, k]].re.abs();
    let (row, below) = largest(a, k, k + 1..n);
    if own.max(below) == 0.0 || own >= alpha * below {
        return (k, false);
    }
    let (_, beside) = largest(a, row, (k..n).filter(|&i| i != row));
    if own >= alpha * below * (below / beside) {
        return (k, false);
    }
    match a[[row, row]].re.abs() >= alpha * beside {
        true => (row, false),
        false => (row, true),
    }
}

impl Factors {
    fn swap(&mut self, a: &mut Array2<C>, k: usize, with: usize, columns: usize) {
        if k == with {
            return;
        }
        let n = a.nrows();
        (0..n).for_each(|j| a.swap([k, j], [with, j]));
        (0..n).for_each(|i| a.swap([i, k], [i, with]));
        (0..columns).for_each(|j| self.l.swap([k, j], [with, j]));
        self.order.swap(k, with);
    }

    /// Takes a pivot of one row out of what is left.
    fn take_one(&mut self, a: &mut Array2<C>, k: usize) {
        let n = a.nrows();
        let pivot = a[[k, k]].re;
        self.d[[k, k]] = C::new(pivot, 0.0);
        // A pivot of 0 stands in a column of zeros.
        if pivot == 0.0 {
            return;
        }
        (k + 1..n).for_each(|i| self.l[[i, k]] = a[[i, k]] / pivot);
        for i in k + 1..n {
            for j in k + 1..n {
                let product = self.l[[i, k]] * a[[j, k]].conj();
                a[[i, j]] -= product;
            }
        }
    }

    /// Takes a pivot of two rows out of what is left.
    fn take_two(&mut self, a: &mut Array2<C>, k: usize) {
        let n = a.nrows();
        let (first, second, off) = (a[[k, k]].re, a[[k + 1, k + 1]].re, a[[k + 1, k]]);
        self.d[[k, k]] = C::new(first, 0.0);
        self.d[[k + 1, k + 1]] = C::new(second, 0.0);
        (self.d[[k + 1, k]], self.d[[k, k + 1]]) = (off, off.conj());
        // In parts of the element beside the diagonal, which is the largest, so that nothing overflows.
        let far = off.norm();
        let (u, v, turn) = (first / far, second / far, off / far);
        let scale = 1.0 / (u * v - 1.0);
        for i in k + 2..n {
            let (x, y) = (a[[i, k]] / far, a[[i, k + 1]] / far);
            self.l[[i, k]] = (x * v - y * turn) * scale;
            self.l[[i, k + 1]] = (y * u - x * turn.conj()) * scale;
        }
        for i in k + 2..n {
            for j in k + 2..n {
                let product =
                    self.l[[i, k]] * a[[j, k]].conj() + self.l[[i, k + 1]] * a[[j, k + 1]].conj();
                a[[i, j]] -= product;
            }
        }
    }
}

fn factors(mut a: Array2<C>) -> Factors {
    let n = a.nrows();
    let (l, d) = (Array2::from_diag_elem(n, ONE), Array2::from_elem((n, n), ZERO));
    let mut made = Factors { l, d, order: (0..n).collect() };
    let mut k = 0;
    while k < n {
        let (row, two) = pivot(&a, k);
        made.swap(&mut a, k + usize::from(two), row, k);
        match two {
            true => made.take_two(&mut a, k),
            false => made.take_one(&mut a, k),
        }
        k += 1 + usize::from(two);
    }
    made
}

/// The matrices `l` and `d` and the order of a factorisation.
type Ldl<T> = (DeviceArray<T>, DeviceArray<T>, DeviceArray<i64>);

impl<T: Factorable> DeviceArray<T> {
    /// The factorisation `self = l · d · lᴴ` of a matrix that is its own adjoint, or of each of a batch:
    /// `d` has blocks of one or two rows on its diagonal, and the rows of `l` in the third result's order
    /// are a lower triangle with ones on its diagonal. Only the lower triangle is read.
    ///
    /// **Evaluates**, and works on the host. **Shape.** `[…, n, n]` gives two of it and `[…, n]`.
    /// **Dtype.** The array's, and `i64`; computed in double precision. SciPy: `linalg.ldl`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where a matrix is not square, [`Error::is_numeric`] where it holds what is not
    /// finite; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 2.0, 2.0, 0.0])?;
    /// let (l, d, order) = a.ldl()?;
    /// // There is no pivot of one row.
    /// assert_eq!(d.to_vec()?, [0.0, 2.0, 2.0, 0.0]);
    /// assert_eq!((l.to_vec()?, order.to_vec()?), (vec![1.0, 0.0, 0.0, 1.0], vec![0, 1]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn ldl(&self) -> Result<Ldl<T>> {
        let find = || {
            let own = Matrices::square("ldl", self.node())?;
            let (n, all) = (own.n, self.cast::<C>().to_vec()?);
            if !all.iter().all(|x| x.is_finite()) {
                return Err(Error::numeric("ldl: the matrix holds what is not finite"));
            }
            let (mut l, mut d, mut orders) = (Vec::new(), Vec::new(), Vec::new());
            for one in all.chunks(n * n + usize::from(n == 0)) {
                let at = |i: usize, j: usize| match i.cmp(&j) {
                    std::cmp::Ordering::Less => one[j * n + i].conj(),
                    std::cmp::Ordering::Equal => C::new(one[i * n + i].re, 0.0),
                    std::cmp::Ordering::Greater => one[i * n + j],
                };
                let made = factors(Array2::from_shape_fn((n, n), |(i, j)| at(i, j)));
                // Back into the order of the matrix.
                let mut places = vec![0; n];
                made.order.iter().enumerate().for_each(|(k, &row)| places[row] = k);
                l.extend(places.iter().flat_map(|&k| made.l.row(k).to_vec()));
                d.extend(made.d);
                orders.extend(made.order.iter().map(|&row| row as i64));
            }
            let (square, line) = (own.each(&[n, n]), own.each(&[n]));
            self.device().scope(|| {
                let of = |values| DeviceArray::<C>::from_vec(&square[..], values);
                Ok((of(l)?.cast(), of(d)?.cast(), DeviceArray::from_vec(&line[..], orders)?))
            })
        };
        located(recorded(find))
    }
}
