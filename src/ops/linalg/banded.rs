//! Systems of few diagonals, on the host: their steps follow one another.

use super::schur::over;
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::{Complex, Element, Factorable};
use crate::error::{Error, Result};
use std::ops::{Mul, SubAssign};

type C = Complex<f64>;

/// What systems are solved in: `f64`, or complex numbers of it where the matrix is complex.
trait Number: Element + Copy + PartialEq + Mul<Output = Self> + SubAssign {
    const ZERO: Self;
    /// How large it is as a pivot.
    fn size(self) -> f64;
    /// A quotient.
    fn over(self, by: Self) -> Self;
    fn conjugate(self) -> Self;
    fn real(self) -> f64;
    fn of_real(x: f64) -> Self;
}

impl Number for f64 {
    const ZERO: f64 = 0.0;
    fn size(self) -> f64 {
        self.abs()
    }
    fn over(self, by: f64) -> f64 {
        self / by
    }
    fn conjugate(self) -> f64 {
        self
    }
    fn real(self) -> f64 {
        self
    }
    fn of_real(x: f64) -> f64 {
        x
    }
}

impl Number for C {
    const ZERO: C = C::new(0.0, 0.0);
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
    fn over(self, by: C) -> C {
        over(self, by)
    }
    fn conjugate(self) -> C {
        self.conj()
    }
    fn real(self) -> f64 {
        self.re
    }
    fn of_real(x: f64) -> C {
        C::new(x, 0.0)
    }
}

/// The rows of bands, one after the other.
struct Bands<F> {
    all: Vec<F>,
    count: usize,
    n: usize,
}

impl<F: Number> Bands<F> {
    fn row(&mut self, k: usize) -> &mut [F] {
        &mut self.all[k * self.n..(k + 1) * self.n]
    }

    fn at(&self, k: usize, j: usize) -> F {
        self.all[k * self.n + j]
    }

    /// The bands of the other triangle of a Hermitian matrix.
    fn mirrored(&self, to_lower: bool) -> Bands<F> {
        let (below, n) = (self.count - 1, self.n);
        let mut other = Bands { all: vec![F::ZERO; self.all.len()], count: self.count, n };
        for k in 0..=below {
            for j in 0..n.saturating_sub(k) {
                // The element k places below the diagonal in column j is the one above it in column
                // j + k.
                match to_lower {
                    true => other.row(k)[j] = self.at(below - k, j + k).conjugate(),
                    false => other.row(below - k)[j + k] = self.at(k, j).conjugate(),
                }
            }
        }
        other
    }

    /// Makes the lower bands of a matrix those of its Cholesky factor.
    fn factorise(&mut self, name: &str) -> Result<()> {
        let (n, below) = (self.n, self.count - 1);
        for j in 0..n {
            let pivot = self.at(0, j).real();
            if pivot.is_nan() || pivot <= 0.0 {
                let why = format!("{name}: the matrix is not positive definite");
                return Err(Error::numeric(why));
            }
            let root = F::of_real(pivot.sqrt());
            self.row(0)[j] = root;
            let last = below.min(n - 1 - j);
            (1..=last).for_each(|k| self.row(k)[j] = self.at(k, j).over(root));
            for k in 1..=last {
                let factor = self.at(k, j).conjugate();
                for i in k..=last {
                    let element = self.at(i, j);
                    self.row(i - k)[j + k] -= element * factor;
                }
            }
        }
        Ok(())
    }
}

/// Bands, and right-hand sides, on the host.
struct System<F> {
    bands: Bands<F>,
    /// For each row of the matrix its right-hand sides.
    sides: Vec<F>,
    /// How many these are.
    width: usize,
}

impl<F: Number> System<F> {
    fn new<T: Factorable>(
        name: &str,
        bands: &DeviceArray<T>,
        b: &DeviceArray<T>,
        count: Option<usize>,
    ) -> Result<System<F>> {
        let fits = match (bands.shape(), b.shape()) {
            (&[rows, n], &[m]) | (&[rows, n], &[m, _]) => {
                n == m && count.map_or(rows > 0 && rows <= n.max(1), |count| count == rows)
            }
            _ => false,
        };
        if !fits {
            let (a, b) = (bands.shape(), b.shape());
            return Err(Error::shape(format!("{name}: bands {a:?} and right-hand sides {b:?}")));
        }
        if bands.device().differs(b.device()) {
            return Err(crate::array::record::devices_differ(name, bands.device(), b.device()));
        }
        let (count, n) = (bands.shape()[0], bands.shape()[1]);
        let (a, sides) = (bands.cast::<F>(), b.cast::<F>());
        crate::array::eval(&[&a, &sides])?;
        let width = b.len().checked_div(n).unwrap_or(0);
        let bands = Bands { all: a.to_vec()?, count, n };
        Ok(System { bands, sides: sides.to_vec()?, width })
    }

    fn upload<T: Factorable>(self, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        Ok(b.device().scope(|| DeviceArray::from_vec(b.shape(), self.sides))?.cast())
    }

    fn sides(&mut self, row: usize) -> &mut [F] {
        &mut self.sides[row * self.width..(row + 1) * self.width]
    }

    /// Subtracts a multiple of the right-hand sides of `row` from those of `from`.
    fn subtract(&mut self, from: usize, row: usize, factor: F) {
        let width = self.width;
        let (head, tail) = self.sides.split_at_mut(from.max(row) * width);
        let low = &mut head[from.min(row) * width..][..width];
        let high = &mut tail[..width];
        let (target, source) = if from > row { (high, low) } else { (low, high) };
        target.iter_mut().zip(source).for_each(|(x, y)| *x -= factor * *y);
    }

    fn divide(&mut self, row: usize, by: F) {
        self.sides(row).iter_mut().for_each(|x| *x = x.over(by));
    }

    /// Gaussian elimination with the largest pivot of each column.
    fn eliminate(&mut self, lower: usize, upper: usize) -> Result<()> {
        let n = self.bands.n;
        let reach = lower + upper;
        // Row i holds the columns from i - lower on; exchanged rows reach further to the right.
        let width = reach + lower + 1;
        let mut rows = vec![F::ZERO; n * width];
        let place = |i: usize, j: usize| i * width + j + lower - i;
        for k in 0..self.bands.count {
            for j in 0..n {
                // Row k of the bands holds what lies upper - k places above the diagonal.
                if j + k >= upper && j + k - upper < n {
                    rows[place(j + k - upper, j)] = self.bands.at(k, j);
                }
            }
        }
        for k in 0..n {
            let (last, end) = ((k + lower).min(n - 1), (k + reach + 1).min(n));
            let size = |rows: &[F], i: usize| rows[place(i, k)].size();
            let larger = |best: usize, i: usize| {
                if size(&rows, i) > size(&rows, best) { i } else { best }
            };
            let pivot = (k..=last).fold(k, larger);
            let value = rows[place(pivot, k)];
            if value == F::ZERO {
                return Err(Error::numeric("solve_banded: the matrix is singular"));
            }
            if pivot != k {
                (k..end).for_each(|j| rows.swap(place(k, j), place(pivot, j)));
                (0..self.width)
                    .for_each(|s| self.sides.swap(k * self.width + s, pivot * self.width + s));
            }
            for i in k + 1..=last {
                let factor = rows[place(i, k)].over(value);
                if factor == F::ZERO {
                    continue;
                }
                for j in k..end {
                    let above = rows[place(k, j)];
                    rows[place(i, j)] -= factor * above;
                }
                self.subtract(i, k, factor);
            }
        }
        for k in (0..n).rev() {
            for j in k + 1..(k + reach + 1).min(n) {
                self.subtract(k, j, rows[place(k, j)]);
            }
            self.divide(k, rows[place(k, k)]);
        }
        Ok(())
    }

    /// Solves with the lower bands of a Cholesky factor.
    fn substitute(&mut self) {
        let (n, below) = (self.bands.n, self.bands.count - 1);
        for j in 0..n {
            self.divide(j, self.bands.at(0, j));
            for k in 1..=below.min(n - 1 - j) {
                self.subtract(j + k, j, self.bands.at(k, j));
            }
        }
        for j in (0..n).rev() {
            for k in 1..=below.min(n - 1 - j) {
                self.subtract(j, j + k, self.bands.at(k, j).conjugate());
            }
            self.divide(j, self.bands.at(0, j).conjugate());
        }
    }
}

/// The solution of `A · x = b` for a matrix of few diagonals, so many below the main one and above it:
/// row `u` of the bands is the main one, those before it, beginning late, are the ones above, and those
/// behind it, ending early, the ones below.
///
/// Elimination with partial pivots. **Evaluates**, and works on the host: the steps follow one another,
/// `n · l · (l + u)` of them. **Shape.** `[l + u + 1, n]` and `[n]` or `[n, k]` give the last. **Dtype.**
/// The arrays'. SciPy: `linalg.solve_banded`.
///
/// # Errors
/// [`Error::is_shape`] where the shapes do not fit, [`Error::is_device`] where the arrays live on several
/// devices, [`Error::is_numeric`] where the matrix is singular; what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// // ⎡2 1⎤
/// // ⎣4 1⎦
/// let bands = DeviceArray::<f64>::from_vec([3, 2], vec![0.0, 1.0, 2.0, 1.0, 4.0, 0.0])?;
/// let b = DeviceArray::from_slice(&[4.0, 6.0])?;
/// assert_eq!(lazuli::linalg::solve_banded((1, 1), &bands, &b)?.to_vec()?, [1.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn solve_banded<T: Factorable>(
    (lower, upper): (usize, usize),
    bands: &DeviceArray<T>,
    b: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    fn solved<F: Number, T: Factorable>(
        (lower, upper): (usize, usize),
        bands: &DeviceArray<T>,
        b: &DeviceArray<T>,
    ) -> Result<DeviceArray<T>> {
        let count = lower.saturating_add(upper).saturating_add(1);
        let mut system = System::<F>::new("solve_banded", bands, b, Some(count))?;
        system.eliminate(lower, upper)?;
        system.upload(b)
    }
    let by = if T::DTYPE.is_complex() { solved::<C, T> } else { solved::<f64, T> };
    located(recorded(|| by((lower, upper), bands, b)))
}

/// The solution of `A · x = b` for a Hermitian, positive definite matrix of few diagonals. If `lower`,
/// row `k` of the bands is the diagonal `k` places below the main one, ending early; else the last row
/// is the main one, and those before it, beginning late, the ones above it.
///
/// **Evaluates**, and works on the host: the steps follow one another, `n · u²` of them. **Shape.**
/// `[u + 1, n]` and `[n]` or `[n, k]` give the last. **Dtype.** The arrays'. SciPy:
/// `linalg.solveh_banded`.
///
/// # Errors
/// As [`solve_banded`], and [`Error::is_numeric`] where the matrix is not positive definite.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// // ⎡4 2⎤
/// // ⎣2 5⎦
/// let bands = DeviceArray::<f64>::from_vec([2, 2], vec![4.0, 5.0, 2.0, 0.0])?;
/// let b = DeviceArray::from_slice(&[6.0, 7.0])?;
/// let x = lazuli::linalg::solveh_banded(&bands, &b, true)?;
/// assert_eq!(x.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn solveh_banded<T: Factorable>(
    bands: &DeviceArray<T>,
    b: &DeviceArray<T>,
    lower: bool,
) -> Result<DeviceArray<T>> {
    fn solved<F: Number, T: Factorable>(
        bands: &DeviceArray<T>,
        b: &DeviceArray<T>,
        lower: bool,
    ) -> Result<DeviceArray<T>> {
        let mut system = System::<F>::new("solveh_banded", bands, b, None)?;
        if !lower {
            system.bands = system.bands.mirrored(true);
        }
        system.bands.factorise("solveh_banded")?;
        system.substitute();
        system.upload(b)
    }
    let by = if T::DTYPE.is_complex() { solved::<C, T> } else { solved::<f64, T> };
    located(recorded(|| by(bands, b, lower)))
}

/// The factor of Cholesky of a Hermitian, positive definite matrix of few diagonals, in bands as
/// [`solveh_banded`] takes them: the lower triangle, or the upper one, its adjoint.
///
/// **Evaluates**, and works on the host. **Shape.** `[u + 1, n]`. **Dtype.** The array's. SciPy:
/// `linalg.cholesky_banded`.
///
/// # Errors
/// As [`solveh_banded`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let bands = DeviceArray::<f64>::from_vec([2, 2], vec![4.0, 5.0, 2.0, 0.0])?;
/// let factor = lazuli::linalg::cholesky_banded(&bands, true)?;
/// assert_eq!(factor.to_vec()?, [2.0, 2.0, 1.0, 0.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn cholesky_banded<T: Factorable>(
    bands: &DeviceArray<T>,
    lower: bool,
) -> Result<DeviceArray<T>> {
    fn factorised<F: Number, T: Factorable>(
        bands: &DeviceArray<T>,
        lower: bool,
    ) -> Result<DeviceArray<T>> {
        let n = bands.shape().last().copied().unwrap_or(0);
        let none = bands.device().scope(|| DeviceArray::<T>::zeros([n]));
        let mut own = System::<F>::new("cholesky_banded", bands, &none, None)?.bands;
        if !lower {
            own = own.mirrored(true);
        }
        own.factorise("cholesky_banded")?;
        if !lower {
            own = own.mirrored(false);
        }
        Ok(bands.device().scope(|| DeviceArray::from_vec(bands.shape(), own.all))?.cast())
    }
    let by = if T::DTYPE.is_complex() { factorised::<C, T> } else { factorised::<f64, T> };
    located(recorded(|| by(bands, lower)))
}

/// The solution of `A · x = b` by a factor of `A` as [`cholesky_banded`] gives it.
///
/// **Evaluates**, and works on the host. **Shape.** `[u + 1, n]` and `[n]` or `[n, k]` give the last.
/// **Dtype.** The arrays'. SciPy: `linalg.cho_solve_banded`.
///
/// # Errors
/// As [`solve_banded`]; a zero on the factor's diagonal gives infinities or NaN.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let factor = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 2.0, 1.0, 0.0])?;
/// let b = DeviceArray::from_slice(&[6.0, 7.0])?;
/// let x = lazuli::linalg::cho_solve_banded(&factor, &b, true)?;
/// assert_eq!(x.to_vec()?, [1.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn cho_solve_banded<T: Factorable>(
    factor: &DeviceArray<T>,
    b: &DeviceArray<T>,
    lower: bool,
) -> Result<DeviceArray<T>> {
    fn solved<F: Number, T: Factorable>(
        factor: &DeviceArray<T>,
        b: &DeviceArray<T>,
        lower: bool,
    ) -> Result<DeviceArray<T>> {
        let mut system = System::<F>::new("cho_solve_banded", factor, b, None)?;
        if !lower {
            system.bands = system.bands.mirrored(true);
        }
        system.substitute();
        system.upload(b)
    }
    let by = if T::DTYPE.is_complex() { solved::<C, T> } else { solved::<f64, T> };
    located(recorded(|| by(factor, b, lower)))
}
