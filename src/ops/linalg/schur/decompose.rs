//! The forms of Hessenberg and Schur: Householder's reflections, and the QR iteration with single
//! shifts (G. Golub and C. Van Loan, "Matrix computations", 7.4 and 7.5), which gives up an element
//! below the diagonal as LAPACK's `zlahqr` does (M. Ahues and F. Tisseur, 1997).

use super::triangle::Square;
use super::{C, matrices, upload};
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::Factorable;
use crate::error::{Error, Result};

const ZERO: C = C::new(0.0, 0.0);

/// Zeros below the diagonal under the main one, and the unitary matrix that made them.
pub(super) fn hessenberg(a: &mut Square) -> Square {
    let n = a.n();
    let mut q = Square::identity(n);
    for k in 0..n.saturating_sub(2) {
        // Squares of tiny numbers vanish, and those of huge ones overflow.
        let largest = (k + 1..n).map(|i| a[(i, k)].norm()).fold(0.0, f64::max);
        let below = (k + 2..n).any(|i| a[(i, k)] != ZERO);
        if !below {
            continue;
        }
        let mut v: Vec<C> = (k + 1..n).map(|i| a[(i, k)] / largest).collect();
        let length = v.iter().map(C::norm_sqr).sum::<f64>().sqrt();
        let size = v[0].norm();
        let unit = if size == 0.0 { C::new(1.0, 0.0) } else { v[0] / size };
        v[0] += unit * length;
        let square = v.iter().map(C::norm_sqr).sum::<f64>();
        // 1 - 2 v vᴴ / vᴴ v from the left, then from the right.
        for j in 0..n {
            let product: C = v.iter().enumerate().map(|(i, x)| x.conj() * a[(k + 1 + i, j)]).sum();
            let factor = product * (2.0 / square);
            v.iter().enumerate().for_each(|(i, x)| a[(k + 1 + i, j)] -= x * factor);
        }
        for m in [&mut *a, &mut q] {
            for i in 0..n {
                let product: C = v.iter().enumerate().map(|(j, x)| m[(i, k + 1 + j)] * x).sum();
                let factor = product * (2.0 / square);
                v.iter().enumerate().for_each(|(j, x)| m[(i, k + 1 + j)] -= x.conj() * factor);
            }
        }
        (k + 2..n).for_each(|i| a[(i, k)] = ZERO);
    }
    q
}

fn size(x: C) -> f64 {
    x.re.abs() + x.im.abs()
}

/// Whether the element below the diagonal in column `k` is nothing beside those around it.
fn is_nothing(h: &Square, k: usize, norm: f64) -> bool {
    let below = size(h[(k + 1, k)]);
    if below <= f64::MIN_POSITIVE {
        return true;
    }
    let (here, next) = (h[(k, k)], h[(k + 1, k + 1)]);
    let around = size(here) + size(next);
    if below > f64::EPSILON * if around == 0.0 { norm } else { around } {
        return false;
    }
    let above = size(h[(k, k + 1)]);
    let (most, least) = (below.max(above), below.min(above));
    let difference = size(here - next);
    let (large, small) = (size(next).max(difference), size(next).min(difference));
    let sum = large + most;
    least * (most / sum) <= f64::MIN_POSITIVE.max(f64::EPSILON * (small * (large / sum)))
}

/// The eigenvalue of the last two rows of a block that is nearer to the last element.
fn shift(h: &Square, last: usize, turn: usize) -> C {
    let here = h[(last, last)];
    // Now and then another one, in case that the iteration goes round.
    if turn % 10 == 9 {
        return here + 0.75 * h[(last, last - 1)].re.abs();
    }
    let off = h[(last - 1, last)].sqrt() * h[(last, last - 1)].sqrt();
    if off == ZERO {
        return here;
    }
    let half = (h[(last - 1, last - 1)] - here) * 0.5;
    let scale = size(half).max(size(off));
    let mut root = ((half / scale).powi(2) + (off / scale).powi(2)).sqrt() * scale;
    if (half.conj() * root).re < 0.0 {
        root = -root;
    }
    here - off * (off / (half + root))
}

/// A rotation that makes the second of two numbers zero: `c` and `s` with `c · x + s · y = r` and
/// `-s* · x + c · y = 0`.
pub(super) fn rotation(x: C, y: C) -> (f64, C) {
    if y == ZERO {
        return (1.0, ZERO);
    }
    let scale = size(x).max(size(y));
    let (x, y) = (x / scale, y / scale);
    let length = (x.norm_sqr() + y.norm_sqr()).sqrt();
    let own = x.norm();
    if own == 0.0 {
        return (0.0, y.conj() / y.norm());
    }
    (own / length, (x / own) * y.conj() / length)
}

/// One step of the iteration on a block, its bulge chased to the end.
fn step(h: &mut Square, z: &mut Square, [first, last]: [usize; 2], shift: C) {
    let n = h.n();
    let (mut x, mut y) = (h[(first, first)] - shift, h[(first + 1, first)]);
    for k in first..last {
        let (c, s) = rotation(x, y);
        let from = if k > first { k - 1 } else { first };
        for j in from..n {
            let (upper, lower) = (h[(k, j)], h[(k + 1, j)]);
            h[(k, j)] = upper * c + s * lower;
            h[(k + 1, j)] = lower * c - s.conj() * upper;
        }
        if k > first {
            h[(k + 1, k - 1)] = ZERO;
        }
        for i in 0..(k + 3).min(last + 1) {
            let (left, right) = (h[(i, k)], h[(i, k + 1)]);
            h[(i, k)] = left * c + s.conj() * right;
            h[(i, k + 1)] = right * c - s * left;
        }
        for i in 0..n {
            let (left, right) = (z[(i, k)], z[(i, k + 1)]);
            z[(i, k)] = left * c + s.conj() * right;
            z[(i, k + 1)] = right * c - s * left;
        }
        if k + 1 < last {
            (x, y) = (h[(k + 1, k)], h[(k + 2, k)]);
        }
    }
}

/// A triangle `t` and a unitary `z` with `a = z · t · zᴴ`.
pub(super) fn schur(name: &str, mut h: Square) -> Result<(Square, Square)> {
    let n = h.n();
    let largest = h.largest();
    if n == 0 || largest == 0.0 {
        return Ok((h, Square::identity(n)));
    }
    // By a power of two, so that no product leaves the range; in two factors, of which each is a number.
    let exponent = largest.log2().floor();
    let by = |exponent: f64| {
        [(0.5 * exponent).floor().exp2(), (exponent - (0.5 * exponent).floor()).exp2()]
    };
    by(-exponent).iter().for_each(|&factor| h.scale(factor));
    let mut z = hessenberg(&mut h);
    let norm = h.norm();
    let (mut last, mut turn) = (n - 1, 0);
    while last > 0 {
        let small = (0..last).rev().find(|&k| is_nothing(&h, k, norm));
        let first = small.map_or(0, |k| k + 1);
        if let Some(k) = small {
            h[(k + 1, k)] = ZERO;
        }
        if first == last {
            (last, turn) = (last - 1, 0);
            continue;
        }
        if turn == 100 {
            return Err(Error::numeric(format!("{name}: the iteration does not converge")));
        }
        let shift = shift(&h, last, turn);
        step(&mut h, &mut z, [first, last], shift);
        turn += 1;
    }
    by(exponent).iter().for_each(|&factor| h.scale(factor));
    for i in 0..n {
        (0..i).for_each(|j| h[(i, j)] = ZERO);
    }
    Ok((h, z))
}

impl<T: Factorable> DeviceArray<T> {
    /// Schur's decomposition of a square matrix, or of each of a batch: an upper triangle `t`, whose
    /// diagonal are the eigenvalues in no certain order, and a unitary `z` with `self = z · t · zᴴ`.
    ///
    /// **Evaluates**, and works on the host. **Shape.** `[…, n, n]` gives two of it. **Dtype.** Complex
    /// in any case. SciPy: `linalg.schur(output="complex")`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where a matrix is not square, [`Error::is_numeric`] where it holds what is
    /// not finite; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, -1.0, 1.0, 0.0])?;
    /// let (t, z) = a.schur()?;
    /// let back = z.matmul(&t).matmul(&z.matrix_transpose().conj());
    /// assert!((back - a.cast::<Complex<f64>>()).abs().max(..).item()? < 1e-14);
    /// assert_eq!(t.get([1, 0])?.norm(), 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn schur(&self) -> Result<(DeviceArray<T::Complex>, DeviceArray<T::Complex>)> {
        let find = || {
            let (own, squares) = matrices("schur", self)?;
            let (mut ts, mut zs) = (Vec::new(), Vec::new());
            for square in squares {
                let (t, z) = schur("schur", square)?;
                ts.push(t);
                zs.push(z);
            }
            Ok((upload(self, &own, &ts)?, upload(self, &own, &zs)?))
        };
        located(recorded(find))
    }

    /// Hessenberg's form of a square matrix, or of each of a batch: `h` with zeros below the diagonal
    /// under the main one, and a unitary `q` with `self = q · h · qᴴ`.
    ///
    /// **Evaluates**, and works on the host. **Shape.** `[…, n, n]` gives two of it. **Dtype.** The
    /// array's. SciPy: `linalg.hessenberg(calc_q=True)`.
    ///
    /// # Errors
    /// As [`schur`](Self::schur).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::arange_to(9.0).reshape([3, 3]);
    /// let (h, q) = a.hessenberg()?;
    /// assert_eq!(h.get([2, 0])?, 0.0);
    /// assert!((q.matmul(&h).matmul(&q.t()) - a).abs().max(..).item()? < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn hessenberg(&self) -> Result<(DeviceArray<T>, DeviceArray<T>)> {
        let find = || {
            let (own, mut squares) = matrices("hessenberg", self)?;
            let qs: Vec<Square> = squares.iter_mut().map(hessenberg).collect();
            Ok((upload(self, &own, &squares)?, upload(self, &own, &qs)?))
        };
        located(recorded(find))
    }
}
