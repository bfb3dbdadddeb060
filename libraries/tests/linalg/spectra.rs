//! Eigenvalues of any matrices, and those of symmetric ones alone, with numbers of every size.

use faer::{Mat, MatRef};
use lazuli_libraries::linalg::Element;
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

#[test]
fn eigenvalues_of_symmetric_matrices_alone() {
    for (n, power) in SIZES.into_iter().flat_map(|n| SCALES.map(|power| (n, power))) {
        let big = scaled(symmetric(n).as_ref(), power);
        let (mut values, mut alone) = (vec![0.0; n], vec![0.0; n]);
        f64::eigh(big.as_ref(), &mut values, Some(Mat::zeros(n, n).as_mut())).unwrap();
        f64::eigh(big.as_ref(), &mut alone, None).unwrap();
        let pairs = alone.iter().zip(&values).map(|(a, b)| times(a - b, -power).abs());
        let off = pairs.fold(0.0, f64::max);
        assert!(off <= 1e-9 * n as f64, "{n} times 2^{power}: {off:e}");
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
