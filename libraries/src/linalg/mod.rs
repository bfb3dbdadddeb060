//! Products and factorisations of matrices: faer's, and what has to be done around them.

pub mod balance;
mod householder;
mod lu;
mod spectra;

pub use faer::traits::pulp;
pub use faer::{MatMut, MatRef};
pub use lu::SMALL;
pub use spectra::Singular;

use balance::Scaled;
use faer::prelude::Solve;
use faer::traits::{ComplexField, Conjugate};
use faer::{Accum, Par, Side};
use householder::Qr;
use num_complex::Complex;

/// The real numbers under an element type.
pub type Real<T> = <T as ComplexField>::Real;

/// What a routine answers; the error says what is wrong with the matrix, "is singular" say.
pub type Answer = Result<(), &'static str>;

/// An element type of matrices, and what is computed of them. Outputs have the size of what they take.
pub trait Element: ComplexField + Copy {
    /// `out = a b`, by this thread.
    fn multiply(out: MatMut<'_, Self>, a: MatRef<'_, Self>, b: MatRef<'_, Self>);

    /// Solves `a x = b` in place of `b`.
    fn solve(a: MatRef<'_, Self>, b: MatMut<'_, Self>) -> Answer;

    /// Solves `a x = b` in place of `b` for a triangle, whose diagonal is ones where it is `unit`.
    fn solve_triangle(a: MatRef<'_, Self>, b: MatMut<'_, Self>, lower: bool, unit: bool) -> Answer;

    /// Writes `L` without its diagonal of ones and `U` in `P A = L U`, and gives for each row in turn
    /// the row that it was swapped with.
    fn lu(a: MatRef<'_, Self>, out: MatMut<'_, Self>) -> Vec<usize>;

    /// Writes the lower triangle `L` in `A = L Lᴴ`.
    fn cholesky(a: MatRef<'_, Self>, lower: MatMut<'_, Self>) -> Answer;

    /// Writes the first columns of `Q` and the first rows of `R` in `A = Q R`, as many as `q` and `r` have.
    fn qr(a: MatRef<'_, Self>, q: MatMut<'_, Self>, r: MatMut<'_, Self>);

    /// Singular values, the largest first, and vectors of a matrix that is at least as tall as wide.
    fn svd(
        a: MatRef<'_, Self>,
        values: &mut [Real<Self>],
        vectors: Option<Singular<'_, Self>>,
    ) -> Answer;

    /// Eigenvalues, the smallest first, and vectors of a Hermitian matrix, whose upper triangle is read.
    fn eigh(
        a: MatRef<'_, Self>,
        values: &mut [Real<Self>],
        vectors: Option<MatMut<'_, Self>>,
    ) -> Answer;

    /// Eigenvalues and vectors of a square matrix.
    fn eig(
        a: MatRef<'_, Self>,
        values: &mut [Complex<Real<Self>>],
        vectors: Option<MatMut<'_, Complex<Real<Self>>>>,
    ) -> Answer;
}

macro_rules! elements {
    ($($element:ty),*) => {$(
        // Each routine is compiled here, whatever calls it.
        impl Element for $element {
            #[inline(never)]
            fn multiply(out: MatMut<'_, Self>, a: MatRef<'_, Self>, b: MatRef<'_, Self>) {
                let one = <Self as ComplexField>::one_impl();
                faer::linalg::matmul::matmul(out, Accum::Replace, a, b, one, Par::Seq);
            }

            #[inline(never)]
            fn solve(a: MatRef<'_, Self>, b: MatMut<'_, Self>) -> Answer {
                solve(a, b)
            }

            #[inline(never)]
            fn solve_triangle(
                a: MatRef<'_, Self>,
                b: MatMut<'_, Self>,
                lower: bool,
                unit: bool,
            ) -> Answer {
                solve_triangle(a, b, lower, unit)
            }

            #[inline(never)]
            fn lu(a: MatRef<'_, Self>, out: MatMut<'_, Self>) -> Vec<usize> {
                lu::factorise(a, out)
            }

            #[inline(never)]
            fn cholesky(a: MatRef<'_, Self>, lower: MatMut<'_, Self>) -> Answer {
                cholesky(a, lower)
            }

            #[inline(never)]
            fn qr(a: MatRef<'_, Self>, q: MatMut<'_, Self>, r: MatMut<'_, Self>) {
                let qr = Qr::new(a);
                qr.write_basis(q);
                qr.write_triangle(r);
            }

            #[inline(never)]
            fn svd(
                a: MatRef<'_, Self>,
                values: &mut [Real<Self>],
                vectors: Option<Singular<'_, Self>>,
            ) -> Answer {
                spectra::svd(a, values, vectors)
            }

            #[inline(never)]
            fn eigh(
                a: MatRef<'_, Self>,
                values: &mut [Real<Self>],
                vectors: Option<MatMut<'_, Self>>,
            ) -> Answer {
                spectra::eigh(a, values, vectors)
            }

            #[inline(never)]
            fn eig(
                a: MatRef<'_, Self>,
                values: &mut [Complex<Real<Self>>],
                vectors: Option<MatMut<'_, Complex<Real<Self>>>>,
            ) -> Answer {
                spectra::eig(a, values, vectors)
            }
        }
    )*};
}

elements!(f32, f64, Complex<f32>, Complex<f64>);

/// What [`Element::solve`] does for every type.
fn solve<T>(a: MatRef<'_, T>, mut b: MatMut<'_, T>) -> Answer
where
    T: ComplexField + Conjugate<Canonical = T> + Scaled,
{
    if a.nrows().max(b.ncols()) < SMALL {
        return lu::solve(a, b);
    }
    let lu = a.partial_piv_lu();
    let pivots = || (0..a.nrows()).map(|i| lu.U()[(i, i)]);
    if lu::has_tiny(pivots()) {
        let Some((enlarged, by)) = balance::enlarged(a) else { return lu::solve(a, b) };
        b.as_mut().col_iter_mut().for_each(|b| b.iter_mut().for_each(|x| *x = x.times(by)));
        return solve(enlarged.as_ref(), b);
    }
    if pivots().any(|pivot| pivot == T::zero_impl()) {
        return Err("is singular");
    }
    lu.solve_in_place(b);
    Ok(())
}

/// What [`Element::solve_triangle`] does for every type.
fn solve_triangle<T: ComplexField>(
    a: MatRef<'_, T>,
    b: MatMut<'_, T>,
    lower: bool,
    unit: bool,
) -> Answer {
    if !unit && (0..a.nrows()).any(|i| a[(i, i)] == T::zero_impl()) {
        return Err("is singular");
    }
    if !unit && lu::has_tiny((0..a.nrows()).map(|i| a[(i, i)].clone())) {
        lu::solve_triangle(a, b, lower);
        return Ok(());
    }
    match (lower, unit) {
        (true, false) => a.solve_lower_triangular_in_place(b),
        (true, true) => a.solve_unit_lower_triangular_in_place(b),
        (false, false) => a.solve_upper_triangular_in_place(b),
        (false, true) => a.solve_unit_upper_triangular_in_place(b),
    }
    Ok(())
}

/// What [`Element::cholesky`] does for every type.
fn cholesky<T: ComplexField + Conjugate<Canonical = T>>(
    a: MatRef<'_, T>,
    mut lower: MatMut<'_, T>,
) -> Answer {
    let factor = a.llt(Side::Lower).map_err(|_| "is not positive definite")?;
    lower.copy_from(factor.L());
    Ok(())
}
