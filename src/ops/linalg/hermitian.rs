//! Eigenvalues of Hermitian matrices beside others, of few diagonals.

use super::bases::adjoint_of;
use super::factor::Matrices;
use crate::array::{DeviceArray, checked, checked_fns, record};
use crate::dtype::{Element, Factorable};
use crate::error::{Error, Result};
use crate::graph::{AxisMap, View};
use crate::ops::padding::PadMode;
use smallvec::smallvec;

/// A Hermitian matrix whole, of which the lower triangle counts.
#[track_caller]
fn whole<T: Factorable>(a: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    let below = a.try_tril(-1)?;
    Ok(a.try_tril(0)? + adjoint_of(&below))
}

/// The factor of `b`, and the matrix that has its eigenvalues alone.
#[track_caller]
fn alone<T: Factorable>(
    a: &DeviceArray<T>,
    b: &DeviceArray<T>,
) -> Result<(DeviceArray<T>, DeviceArray<T>)> {
    let (p, q) = (
        Matrices::square("eigh_generalized", a.node())?,
        Matrices::square("eigh_generalized", b.node())?,
    );
    if p.n != q.n {
        let (a, b) = (a.shape(), b.shape());
        return Err(Error::shape(format!("eigh_generalized: shapes {a:?} and {b:?} do not match")));
    }
    let lower = b.try_cholesky()?;
    let half = lower.try_solve_triangular(&whole(a)?, true)?;
    let both = lower.try_solve_triangular(&adjoint_of(&half), true)?;
    Ok((lower, both))
}

impl<T: Factorable> DeviceArray<T> {
    checked! {
        /// The eigenvalues, ascending, and the eigenvectors, as columns, of a Hermitian matrix beside
        /// a positive definite one: `self · v = b · v · w`. The vectors are orthonormal by `b`:
        /// `vᴴ · b · v` is the identity. What is above the diagonals is not read.
        ///
        /// The evaluation fails with [`Error::is_numeric`](crate::Error::is_numeric) where `b` is not
        /// positive definite. Where it is ill-conditioned, small eigenvalues have large errors.
        ///
        /// **Shape.** `[…, n, n]` for both, whose batches broadcast, gives `[…, n]` and `[…, n, n]`.
        /// **Dtype.** The arrays'; the values are real. SciPy: `linalg.eigh(a, b)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 0.0, 0.0, 12.0])?;
        /// let b = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 0.0, 0.0, 4.0])?;
        /// let (w, v) = a.eigh_generalized(&b);
        /// let w = w.to_vec()?;
        /// assert!((w[0] - 1.0).abs() < 1e-14 && (w[1] - 3.0).abs() < 1e-14);
        /// assert!((v.get([1, 1])?.abs() - 0.5).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn eigh_generalized | try_eigh_generalized(
            &self,
            b: &DeviceArray<T>,
        ) -> (DeviceArray<T::Real>, DeviceArray<T>) {
            let (lower, both) = alone(self, b)?;
            let (w, y) = both.try_eigh()?;
            Ok((w, adjoint_of(&lower).try_solve_triangular(&y, false)?))
        }

        /// The eigenvalues of [`eigh_generalized`](Self::eigh_generalized) alone, ascending.
        ///
        /// **Shape.** `[…, n, n]` for both gives `[…, n]`. **Dtype.** Real. SciPy:
        /// `linalg.eigvalsh(a, b)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([1, 1], vec![6.0])?;
        /// let w = a.eigvalsh_generalized(&DeviceArray::from_vec([1, 1], vec![2.0])?);
        /// assert!((w.item()? - 3.0).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn eigvalsh_generalized | try_eigvalsh_generalized(
            &self,
            b: &DeviceArray<T>,
        ) -> DeviceArray<T::Real> {
            alone(self, b)?.1.try_eigvalsh()
        }
    }
}

/// The lower triangle of a matrix of which there are diagonals `[…, u + 1, n]`, the main one first:
/// row `k` holds, in column `j`, the element `k` places below the diagonal in that column.
#[track_caller]
fn from_bands<T: Factorable>(bands: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    let own = Matrices::of("eig_banded", bands.node())?;
    let n = own.n;
    if own.m == 0 || own.m > n.max(1) {
        let shape = bands.shape();
        return Err(Error::shape(format!(
            "eig_banded: shape {shape:?} is not of a matrix's diagonals"
        )));
    }
    if n == 0 {
        return bands.try_reshape(&own.each(&[0, 0])[..]);
    }
    let rank = bands.ndim();
    let mut widths = vec![(0, 0); rank];
    widths[rank - 2] = (n - 1, n - own.m);
    let padded = bands.try_pad(&widths, PadMode::Constant(T::ZERO))?;
    let mut view = View::identity(rank);
    let (i, j) = (rank as u8 - 2, rank as u8 - 1);
    view.0[rank - 2] =
        AxisMap { terms: smallvec![(i, 1), (j, -1)], ..AxisMap::fixed(n as i64 - 1) };
    Ok(DeviceArray::from_node(record::view(padded.node(), view, own.each(&[n, n]))))
}

/// Diagonals in the order of [`from_bands`]; those of the upper triangle end with the main one, each
/// beginning where it does, and become their conjugates.
#[track_caller]
fn below<T: Factorable>(bands: &DeviceArray<T>, lower: bool) -> Result<DeviceArray<T>> {
    let own = Matrices::of("eig_banded", bands.node())?;
    if lower || own.is_empty() {
        return from_bands(bands);
    }
    // Of the matrix with rows and columns the other way round these are the lower ones.
    let turned = from_bands(&bands.try_flip([-2, -1])?)?;
    turned.try_flip([-2, -1]).map(|upper| adjoint_of(&upper))
}

checked_fns! {
    /// The eigenvalues, ascending, and the eigenvectors, as columns, of a Hermitian matrix of three
    /// diagonals: the main one `d` and the one below it `e`.
    ///
    /// The matrix is written out, so that it costs what [`eigh`](DeviceArray::eigh) does.
    ///
    /// **Shape.** `[…, n]` and `[…, n - 1]` give `[…, n]` and `[…, n, n]`. **Dtype.** The arrays'; the
    /// values are real. SciPy: `linalg.eigh_tridiagonal`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let d = DeviceArray::<f64>::from_slice(&[2.0, 2.0])?;
    /// let (w, _) = lazuli::linalg::eigh_tridiagonal(&d, &DeviceArray::from_slice(&[1.0])?);
    /// assert!((w.get([0])? - 1.0).abs() < 1e-14 && (w.get([1])? - 3.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn eigh_tridiagonal | try_eigh_tridiagonal<T: Factorable>(
        d: &DeviceArray<T>,
        e: &DeviceArray<T>,
    ) -> (DeviceArray<<T as Element>::Real>, DeviceArray<T>) {
        tridiagonal(d, e)?.try_eigh()
    }

    /// The eigenvalues of [`eigh_tridiagonal`] alone, ascending.
    ///
    /// **Shape.** `[…, n]` and `[…, n - 1]` give `[…, n]`. **Dtype.** Real. SciPy:
    /// `linalg.eigvalsh_tridiagonal`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let d = DeviceArray::<f64>::from_slice(&[2.0, 2.0])?;
    /// let w = lazuli::linalg::eigvalsh_tridiagonal(&d, &DeviceArray::from_slice(&[1.0])?);
    /// assert!((w.get([1])? - 3.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn eigvalsh_tridiagonal | try_eigvalsh_tridiagonal<T: Factorable>(
        d: &DeviceArray<T>,
        e: &DeviceArray<T>,
    ) -> DeviceArray<<T as Element>::Real> {
        tridiagonal(d, e)?.try_eigvalsh()
    }

    /// The eigenvalues, ascending, and the eigenvectors, as columns, of a Hermitian matrix of few
    /// diagonals. If `lower`, row `k` of the bands is the diagonal `k` places below the main one,
    /// ending early; else the last row is the main one, and those before it, beginning late, the ones
    /// above it.
    ///
    /// The matrix is written out, so that it costs what [`eigh`](DeviceArray::eigh) does.
    ///
    /// **Shape.** `[…, u + 1, n]` gives `[…, n]` and `[…, n, n]`. **Dtype.** The array's; the values are
    /// real. SciPy: `linalg.eig_banded`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let bands = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 2.0, 1.0, 0.0])?;
    /// let (w, _) = lazuli::linalg::eig_banded(&bands, true);
    /// assert!((w.get([0])? - 1.0).abs() < 1e-14 && (w.get([1])? - 3.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn eig_banded | try_eig_banded<T: Factorable>(
        bands: &DeviceArray<T>,
        lower: bool,
    ) -> (DeviceArray<<T as Element>::Real>, DeviceArray<T>) {
        below(bands, lower)?.try_eigh()
    }

    /// The eigenvalues of [`eig_banded`] alone, ascending.
    ///
    /// **Shape.** `[…, u + 1, n]` gives `[…, n]`. **Dtype.** Real. SciPy: `linalg.eigvals_banded`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let bands = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 1.0, 2.0, 2.0])?;
    /// let w = lazuli::linalg::eigvals_banded(&bands, false);
    /// assert!((w.get([1])? - 3.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn eigvals_banded | try_eigvals_banded<T: Factorable>(
        bands: &DeviceArray<T>,
        lower: bool,
    ) -> DeviceArray<<T as Element>::Real> {
        below(bands, lower)?.try_eigvalsh()
    }
}

/// The lower triangle of a matrix of three diagonals.
#[track_caller]
fn tridiagonal<T: Factorable>(d: &DeviceArray<T>, e: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    let (n, m) = (d.shape().last().copied(), e.shape().last().copied());
    let fits = n.is_some_and(|n| n > 0) && m.map(|m| m + 1) == n && d.ndim() == e.ndim();
    if !fits {
        let (d, e) = (d.shape(), e.shape());
        return Err(Error::shape(format!("eigh_tridiagonal: diagonals of shapes {d:?} and {e:?}")));
    }
    let mut widths = vec![(0, 0); e.ndim()];
    widths[e.ndim() - 1] = (0, 1);
    let e = e.try_pad(&widths, PadMode::Constant(T::ZERO))?;
    if n == Some(1) {
        return d.try_insert_axis(-2);
    }
    from_bands(&crate::try_stack(&[d.clone(), e], -2)?)
}
