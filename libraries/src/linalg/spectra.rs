//! Singular values and eigenvalues: faer's, of matrices of moderate size.

use super::balance::{self, Power, Scaled};
use super::householder::Qr;
use super::{Answer, Real};
use faer::traits::{ComplexField, Conjugate};
use faer::{Mat, MatMut, MatRef, Side};
use num_complex::Complex;

/// Where singular vectors go.
pub struct Singular<'a, T> {
    /// The left ones: as many columns as the matrix has, or as many as it has rows.
    pub u: MatMut<'a, T>,
    /// The right ones.
    pub v: MatMut<'a, T>,
    /// Whether the right ones are rows, those of `Vᴴ`.
    pub adjoint: bool,
}

/// What faer is given of a matrix, and the power by which its values are those of the matrix.
fn given<'a, T>(
    a: MatRef<'a, T>,
    moderate: &'a Option<(Mat<T>, Power)>,
) -> (MatRef<'a, T>, Option<Power>) {
    match moderate {
        Some((moderate, by)) => (moderate.as_ref(), Some(by.inverse())),
        None => (a, None),
    }
}

/// Writes values, times a power of two.
fn write<R: Scaled>(to: &mut [R], values: impl IntoIterator<Item = R>, by: Option<Power>) {
    for (to, value) in to.iter_mut().zip(values) {
        *to = by.map_or(value, |by| value.times(by));
    }
}

/// What [`Element::svd`](super::Element::svd) does for every type.
pub(super) fn svd<T>(
    a: MatRef<'_, T>,
    values: &mut [Real<T>],
    vectors: Option<Singular<'_, T>>,
) -> Answer
where
    T: ComplexField + Conjugate<Canonical = T> + Scaled,
    Real<T>: Scaled,
{
    const FAILED: &str = "has no singular values: the iteration does not converge";
    let (m, n) = a.shape();
    let moderate = balance::moderate(a);
    let (a, back) = given(a, &moderate);
    // faer would begin with its own factorisation, which leaves out columns.
    let tall = (m >= n + n / 2).then(|| Qr::new(a));
    let triangle = tall.as_ref().map(|qr| {
        let mut r = Mat::zeros(n, n);
        qr.write_triangle(r.as_mut());
        r
    });
    let a = triangle.as_ref().map_or(a, |r| r.as_ref());
    let Some(Singular { mut u, mut v, adjoint }) = vectors else {
        write(values, a.singular_values().map_err(|_| FAILED)?, back);
        return Ok(());
    };
    let is_full = u.ncols() > n;
    let svd = if is_full { a.svd() } else { a.thin_svd() }.map_err(|_| FAILED)?;
    match &tall {
        None => u.copy_from(svd.U()),
        Some(qr) => {
            u.fill(T::zero_impl());
            u.as_mut().diagonal_mut().fill(T::one_impl());
            u.as_mut().submatrix_mut(0, 0, n, n).copy_from(svd.U());
            qr.apply(u);
        }
    }
    write(values, svd.S().column_vector().iter().map(T::real_part_impl), back);
    match adjoint {
        true => v.copy_from(svd.V().adjoint()),
        false => v.copy_from(svd.V()),
    }
    Ok(())
}

/// What [`Element::eigh`](super::Element::eigh) does for every type.
pub(super) fn eigh<T>(
    a: MatRef<'_, T>,
    values: &mut [Real<T>],
    vectors: Option<MatMut<'_, T>>,
) -> Answer
where
    T: ComplexField + Conjugate<Canonical = T> + Scaled,
    Real<T>: Scaled,
{
    const FAILED: &str = "has no eigenvalues: the iteration does not converge";
    let moderate = balance::moderate_upper(a);
    let (a, back) = given(a, &moderate);
    let Some(mut vectors) = vectors else {
        write(values, a.self_adjoint_eigenvalues(Side::Upper).map_err(|_| FAILED)?, back);
        return Ok(());
    };
    let eigen = a.self_adjoint_eigen(Side::Upper).map_err(|_| FAILED)?;
    write(values, eigen.S().column_vector().iter().map(T::real_part_impl), back);
    vectors.copy_from(eigen.U());
    Ok(())
}

/// What [`Element::eig`](super::Element::eig) does for every type.
pub(super) fn eig<T>(
    a: MatRef<'_, T>,
    values: &mut [Complex<Real<T>>],
    vectors: Option<MatMut<'_, Complex<Real<T>>>>,
) -> Answer
where
    T: ComplexField + Conjugate<Canonical = T> + Scaled,
    Real<T>: Scaled,
{
    const FAILED: &str = "has no eigenvalues: the iteration does not converge";
    let balanced = balance::balanced(a);
    let a = balanced.as_ref().map_or(a, |balanced| balanced.matrix.as_ref());
    let back = balanced.as_ref().map(|balanced| balanced.by.inverse());
    let Some(mut vectors) = vectors else {
        write(values, a.eigenvalues().map_err(|_| FAILED)?, back);
        return Ok(());
    };
    let eigen = a.eigen().map_err(|_| FAILED)?;
    write(values, eigen.S().column_vector().iter().copied(), back);
    vectors.copy_from(eigen.U());
    if let Some(balanced) = &balanced {
        balanced.bring_back(vectors);
    }
    Ok(())
}
