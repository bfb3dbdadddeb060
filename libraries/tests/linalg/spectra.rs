//! Eigenvalues, singular values and Cholesky's factors of matrices of every size of numbers, by residuals.

use faer::{Mat, MatRef};
use lazuli_libraries::linalg::{Element, Singular};
use num_complex::Complex;

/// Powers of two by which matrices are multiplied: some make numbers whose squares are none, and whose
/// reciprocals are none.
const SCALES: [i32; 7] = [0, -400, 400, -700, 700, 1010, -1029];
const SIZES: [usize; 6] = [1, 2, 5, 33, 40, 100];

fn entry(i: usize, j: usize) -> f64 {
    ((i * 7 + j * 3 + i * j) % 11) as f64 / 8.0 - 0.5
}

fn symmetric(n: usize) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| entry(i, j) + entry(j, i))
}

/// Times a power of two, by way of halves, which are numbers.
fn times(x: f64, power: i32) -> f64 {
    x * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
}

fn scaled(a: MatRef<'_, f64>, power: i32) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| times(a[(i, j)], power))
}

/// How far numbers of a matrix are from those of another, where rounding leaves as much.
fn check(what: &str, a: &Mat<f64>, b: &Mat<f64>, power: i32) {
    // What is below the least number with all digits has lost some of them.
    let eps = if power < -1000 { 1e-9 } else { 1e-12 };
    let off = (a - b).norm_max();
    assert!(off <= eps * a.nrows() as f64, "{what} of {} times 2^{power}: {off:e}", a.nrows());
}

#[test]
fn eigenvalues_of_symmetric_matrices() {
    for (n, power) in SIZES.into_iter().flat_map(|n| SCALES.map(|power| (n, power))) {
        let a = symmetric(n);
        let (mut values, mut vectors) = (vec![0.0; n], Mat::zeros(n, n));
        let big = scaled(a.as_ref(), power);
        f64::eigh(big.as_ref(), &mut values, Some(vectors.as_mut())).unwrap();
        let values: Vec<f64> = values.into_iter().map(|w| times(w, -power)).collect();
        let right = Mat::from_fn(n, n, |i, j| vectors[(i, j)] * values[j]);
        check("eigh", &(&a * &vectors), &right, power);
        check("basis", &(vectors.transpose() * &vectors), &Mat::identity(n, n), power);
        let mut alone = vec![0.0; n];
        f64::eigh(big.as_ref(), &mut alone, None).unwrap();
        let alone = alone.into_iter().map(|w| times(w, -power));
        let off = alone.zip(&values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off <= 1e-9 * n as f64, "values alone of {n} times 2^{power}: {off:e}");
    }
}

#[test]
fn eigenvalues_of_any_matrices() {
    for (n, power) in SIZES.into_iter().flat_map(|n| SCALES.map(|power| (n, power))) {
        let a = Mat::from_fn(n, n, entry);
        let (mut values, mut vectors) = (vec![Complex::default(); n], Mat::zeros(n, n));
        f64::eig(scaled(a.as_ref(), power).as_ref(), &mut values, Some(vectors.as_mut())).unwrap();
        let a = Mat::from_fn(n, n, |i, j| Complex::new(a[(i, j)], 0.0));
        let sized = |w: Complex<f64>| Complex::new(times(w.re, -power), times(w.im, -power));
        let right = Mat::from_fn(n, n, |i, j| vectors[(i, j)] * sized(values[j]));
        let off = (&a * &vectors - right).norm_max();
        let eps = if power < -1000 { 1e-9 } else { 1e-12 };
        assert!(off <= eps * n as f64, "eig of {n} times 2^{power}: {off:e}");
    }
}

#[test]
fn singular_values() {
    for (n, power) in SIZES.into_iter().flat_map(|n| SCALES.map(|power| (n, power))) {
        for m in [n, n + 3, 2 * n + 1] {
            let a = Mat::from_fn(m, n, entry);
            let (mut s, mut u, mut v) = (vec![0.0; n], Mat::zeros(m, n), Mat::zeros(n, n));
            let vectors = Singular { u: u.as_mut(), v: v.as_mut(), adjoint: false };
            f64::svd(scaled(a.as_ref(), power).as_ref(), &mut s, Some(vectors)).unwrap();
            let right = Mat::from_fn(m, n, |i, j| u[(i, j)] * times(s[j], -power));
            check("svd", &(&a * &v), &right, power);
            check("left", &(u.transpose() * &u), &Mat::identity(n, n), power);
            check("right", &(v.transpose() * &v), &Mat::identity(n, n), power);
        }
    }
}

#[test]
fn factors_of_positive_matrices() {
    for (n, power) in SIZES.into_iter().flat_map(|n| SCALES.map(|power| (n, power))) {
        let root = symmetric(n);
        let a = &root * &root + Mat::<f64>::identity(n, n);
        // Diagonals are as large as n.
        let power = power.min(1000);
        let mut lower = Mat::zeros(n, n);
        f64::cholesky(scaled(a.as_ref(), power).as_ref(), lower.as_mut()).unwrap();
        // Odd powers have no root.
        let odd = power.rem_euclid(2);
        let lower = scaled(lower.as_ref(), -(power - odd) / 2);
        let product = scaled((&lower * lower.transpose()).as_ref(), -odd);
        check("cholesky", &a, &product, power);
    }
}
