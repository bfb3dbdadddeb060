//! Matrices that their size alone says.

use crate::array::{DeviceArray, checked_fns};
use crate::dtype::{Floating, Number};
use crate::error::{Error, Result};

/// What the matrices of Pascal are made of, and their inverses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PascalKind {
    /// `i + j` over `i`: a symmetric, positive definite matrix.
    #[default]
    Symmetric,
    /// `i` over `j`: its factor of Cholesky.
    Lower,
    /// `j` over `i`.
    Upper,
}

/// A matrix of numbers of the host.
fn upload<T: Floating>(n: usize, of: impl Fn(usize, usize) -> f64) -> Result<DeviceArray<T>> {
    let at = |k: usize| T::from_f64(of(k / n, k % n));
    DeviceArray::from_vec([n, n], (0..n * n).map(at).collect())
}

/// `n` over `k`, exact up to 2⁵³.
fn binomial(n: usize, k: usize) -> f64 {
    let k = k.min(n - k);
    let mut value = 1.0f64;
    for i in 1..=k {
        let product = value * (n - k + i) as f64;
        value = match product < 9e15 {
            true => product / i as f64,
            // Small parts keep the relative error small.
            false => value / i as f64 * (n - k + i) as f64,
        };
    }
    value
}

/// The number of a row as a column, and of a column as a row.
#[track_caller]
fn places(n: usize) -> (DeviceArray<i64>, DeviceArray<i64>) {
    let line = DeviceArray::<i64>::arange_to(n as i64);
    (line.insert_axis(1), line.insert_axis(0))
}

checked_fns! {
    /// The matrix of Hilbert, `1 / (i + j + 1)`, counted from 0: ill-conditioned as few are.
    ///
    /// **Shape.** `[n, n]`. **Dtype.** `hilbert::<f64>` or another floating-point type. SciPy:
    /// `linalg.hilbert`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = lazuli::linalg::hilbert::<f64>(2);
    /// assert_eq!(a.to_vec()?, [1.0, 0.5, 0.5, 1.0 / 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn hilbert | try_hilbert<T: Floating>(n: usize) -> DeviceArray<T> {
        let (i, j) = places(n);
        Ok((i + j + 1).cast::<f64>().reciprocal().cast())
    }

    /// The inverse of the matrix of Hilbert, whose elements are whole numbers: exact in `f64` up to
    /// 13 rows or so, beyond rounded.
    ///
    /// **Shape.** `[n, n]`. **Dtype.** As of [`hilbert`]. SciPy: `linalg.invhilbert`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = lazuli::linalg::invhilbert::<f64>(2);
    /// assert_eq!(a.to_vec()?, [4.0, -6.0, -6.0, 12.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn invhilbert | try_invhilbert<T: Floating>(n: usize) -> DeviceArray<T> {
        upload(n, |i, j| {
            let sign = if (i + j) % 2 == 0 { 1.0 } else { -1.0 };
            let middle = binomial(i + j, i);
            let sides = binomial(n + i, n - j - 1) * binomial(n + j, n - i - 1);
            sign * (i + j + 1) as f64 * sides * middle * middle
        })
    }

    /// The matrix of Pascal: binomial coefficients.
    ///
    /// **Shape.** `[n, n]`. **Dtype.** `pascal::<f64>` or another floating-point type; exact as far as
    /// it holds whole numbers. SciPy: `linalg.pascal`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::linalg::{PascalKind, pascal};
    /// let a = pascal::<f64>(3, PascalKind::Symmetric);
    /// assert_eq!(a.to_vec()?, [1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 1.0, 3.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn pascal | try_pascal<T: Floating>(n: usize, kind: PascalKind) -> DeviceArray<T> {
        let below = |i: usize, j: usize| if j > i { 0.0 } else { binomial(i, j) };
        match kind {
            PascalKind::Symmetric => upload(n, |i, j| binomial(i + j, i)),
            PascalKind::Lower => upload(n, below),
            PascalKind::Upper => upload(n, |i, j| below(j, i)),
        }
    }

    /// The inverse of the matrix of Pascal, whose elements are whole numbers too.
    ///
    /// **Shape, dtype.** As of [`pascal`]. SciPy: `linalg.invpascal`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::linalg::{PascalKind, invpascal};
    /// let a = invpascal::<f64>(2, PascalKind::Symmetric);
    /// assert_eq!(a.to_vec()?, [2.0, -1.0, -1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn invpascal | try_invpascal<T: Floating>(n: usize, kind: PascalKind) -> DeviceArray<T> {
        let sign = |i: usize, j: usize| if (i + j) % 2 == 0 { 1.0 } else { -1.0 };
        let below = |i: usize, j: usize| if j > i { 0.0 } else { sign(i, j) * binomial(i, j) };
        match kind {
            // The inverses of both factors: Σ of (k over i)(k over j).
            PascalKind::Symmetric => upload(n, |i, j| {
                let terms = (i.max(j)..n).map(|k| binomial(k, i) * binomial(k, j));
                sign(i, j) * terms.sum::<f64>()
            }),
            PascalKind::Lower => upload(n, below),
            PascalKind::Upper => upload(n, |i, j| below(j, i)),
        }
    }

    /// The matrix of Hadamard by J. Sylvester: 1 and -1 in orthogonal rows.
    ///
    /// **Shape.** `[n, n]`, `n` being a power of two. **Dtype.** Any type of numbers; an unsigned one
    /// wraps. SciPy: `linalg.hadamard`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = lazuli::linalg::hadamard::<i32>(2);
    /// assert_eq!(a.to_vec()?, [1, 1, 1, -1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn hadamard | try_hadamard<T: Number>(n: usize) -> DeviceArray<T> {
        if !n.is_power_of_two() {
            return Err(Error::shape(format!("hadamard: {n} is no power of two")));
        }
        let (i, j) = places(n);
        let odd = i.bitwise_and(j).bitwise_count().bitwise_and(1).equal(1);
        Ok(odd.select(-1i64, 1i64).cast())
    }

    /// The matrix of Helmert, whose rows are orthonormal and each, but for the first, compare an
    /// element with the mean of those before it. The first row, all the same, is there if `full`.
    ///
    /// **Shape.** `[n - 1, n]`, or `[n, n]` if `full`. **Dtype.** `helmert::<f64>` or another
    /// floating-point type. SciPy: `linalg.helmert`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = lazuli::linalg::helmert::<f64>(2, false).to_vec()?;
    /// assert!((a[0] - 0.5f64.sqrt()).abs() < 1e-15 && (a[1] + 0.5f64.sqrt()).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn helmert | try_helmert<T: Floating>(n: usize, full: bool) -> DeviceArray<T> {
        if n == 0 {
            return Err(Error::shape("helmert: a matrix has a row"));
        }
        let (i, j) = places(n);
        let count = i.cast::<f64>();
        let scale = (&count * (&count + 1.0)).sqrt();
        let before = j.less(&i).select(1.0, 0.0);
        let row = i.equal(&j).select(-&count, before) / scale;
        let all = i.equal(0).select(1.0 / (n as f64).sqrt(), row);
        let first = usize::from(!full);
        Ok(all.try_take(&(first..n).collect::<Vec<_>>(), 0)?.cast())
    }
}
