//! That the factors multiply to the matrix and the basis is orthonormal, on hard matrices.

use faer::{Mat, MatRef};
use lazuli_libraries::linalg::Element;
use lazuli_libraries::linalg::balance::Scaled;
use num_complex::Complex;

/// Asserts that both residuals are below some multiple of the rounding error.
fn check<T: Element + Scaled>(what: &str, a: MatRef<'_, T>, eps: f64) {
    let (m, n) = a.shape();
    let size = m.min(n);
    let (mut q, mut r) = (Mat::zeros(m, size), Mat::zeros(size, n));
    T::qr(a, q.as_mut(), r.as_mut());
    let norm = |x: MatRef<'_, T>| {
        let squares = (0..x.ncols()).flat_map(|j| x.col(j).iter().map(|x| x.square()));
        squares.sum::<f64>().sqrt()
    };
    // The sums of long columns are rounded, also those of the test itself.
    let long = 0.1 * (m as f64).sqrt() * size as f64;
    let bound = eps * 20.0 * (size as f64).sqrt().max(long);
    let mut product = Mat::zeros(m, n);
    T::multiply(product.as_mut(), q.as_ref(), r.as_ref());
    let residual = norm((product - a).as_ref());
    assert!(residual <= bound * norm(a), "{what}: {:e}", residual / norm(a));
    let adjoint = Mat::from_fn(size, m, |i, j| T::conj_impl(&q[(j, i)]));
    let mut product = Mat::zeros(size, size);
    T::multiply(product.as_mut(), adjoint.as_ref(), q.as_ref());
    let residual = norm((product - Mat::<T>::identity(size, size)).as_ref());
    assert!(residual <= bound, "{what}: basis {residual:e}");
}

const SHAPES: [(usize, usize); 8] =
    [(1, 1), (4, 4), (3, 7), (50, 5), (70, 33), (33, 70), (1000, 6), (300, 300)];

/// Values between −1 and 1 without a pattern.
fn noise(i: usize, j: usize) -> f64 {
    (1e4 * ((i * 131 + j * 7 + 1) as f64).sin()).fract()
}

#[test]
fn columns_that_nearly_depend() {
    let sign = |i: usize| if i % 2 == 0 { 1.0 } else { -1.0 };
    let near = |delta: f64| move |i, j| if j == 0 { 1.0 } else { 1.0 + delta * sign(i) };
    check("f64", Mat::from_fn(1000, 2, near(1e-12)).as_ref(), f64::EPSILON);
    let single = Mat::from_fn(100_000, 2, |i, j| near(0.1)(i, j) as f32);
    check("f32", single.as_ref(), f64::from(f32::EPSILON));
    let powers = Mat::from_fn(20_000, 6, |i, j| (i as f64 / 20_000.0).powi(j as i32) as f32);
    check("powers", powers.as_ref(), f64::from(f32::EPSILON));
}

#[test]
fn noise_grades_hilbert_and_zero() {
    for (m, n) in SHAPES {
        let what = format!("{m} by {n}");
        check(&what, Mat::from_fn(m, n, noise).as_ref(), f64::EPSILON);
        let single = Mat::from_fn(m, n, |i, j| noise(i, j) as f32);
        check(&what, single.as_ref(), f64::from(f32::EPSILON));
        let complex = Mat::from_fn(m, n, |i, j| Complex::new(noise(i, j), noise(j, i + 9)));
        check(&what, complex.as_ref(), f64::EPSILON);
        let graded = Mat::from_fn(m, n, |i, j| noise(i, j) * 0.1f64.powi(j as i32));
        check(&what, graded.as_ref(), f64::EPSILON);
        let hilbert = Mat::from_fn(m, n, |i, j| 1.0 / (i + j + 1) as f64);
        check(&what, hilbert.as_ref(), f64::EPSILON);
        check(&what, Mat::<f64>::zeros(m, n).as_ref(), f64::EPSILON);
    }
}

#[test]
fn not_a_number_is_seen() {
    let mut a = Mat::from_fn(9, 5, noise);
    a[(4, 2)] = f64::NAN;
    let (mut q, mut r) = (Mat::zeros(9, 5), Mat::zeros(5, 5));
    f64::qr(a.as_ref(), q.as_mut(), r.as_mut());
    assert!(r[(2, 2)].is_nan() && r[(4, 4)].is_nan());
}
