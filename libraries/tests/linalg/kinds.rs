//! Every routine for every element type, with numbers from one end to the other, by residuals.

use faer::traits::ComplexField;
use faer::{Mat, MatRef};
use lazuli_libraries::linalg::balance::{Power, Scaled};
use lazuli_libraries::linalg::{Element, Real, Singular};
use num_complex::Complex;

trait Kind: Element + Scaled {
    /// The powers of two by which matrices are multiplied.
    const POWERS: [i32; 7];
    /// What may be left, for each row: more where numbers have lost digits.
    const EPS: [f64; 2];
    fn of(re: f64, im: f64) -> Self;
}

macro_rules! kinds {
    ($($t:ty, $powers:expr, $eps:expr, |$re:ident, $im:ident| $of:expr);*) => {$(
        impl Kind for $t {
            const POWERS: [i32; 7] = $powers;
            const EPS: [f64; 2] = $eps;
            fn of($re: f64, $im: f64) -> $t {
                $of
            }
        }
    )*};
}

const DOUBLE: [i32; 7] = [0, -400, 400, -700, 700, 1000, -1029];
const SINGLE: [i32; 7] = [0, -50, 50, -100, 90, 110, -132];
kinds! {
    f64, DOUBLE, [1e-12, 1e-9], |re, _im| re;
    Complex<f64>, DOUBLE, [1e-12, 1e-9], |re, im| Complex::new(re, im);
    f32, SINGLE, [2e-5, 1e-2], |re, _im| re as f32;
    Complex<f32>, SINGLE, [2e-5, 1e-2], |re, im| Complex::new(re as f32, im as f32)
}

fn power(exponent: i32) -> Power {
    Power::to(1.0, exponent).expect("1 is a number")
}

fn scaled<T: Kind>(a: MatRef<'_, T>, exponent: i32) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].times(power(exponent)))
}

fn product<T: Kind>(a: &Mat<T>, b: &Mat<T>) -> Mat<T> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    T::multiply(out.as_mut(), a.as_ref(), b.as_ref());
    out
}

fn adjoint<T: Kind>(a: &Mat<T>) -> Mat<T> {
    Mat::from_fn(a.ncols(), a.nrows(), |i, j| T::conj_impl(&a[(j, i)]))
}

fn matrix<T: Kind>(m: usize, n: usize) -> Mat<T> {
    let entry = |i: usize, j: usize| ((i * 7 + j * 3 + i * j) % 11) as f64 / 8.0 - 0.5;
    Mat::from_fn(m, n, |i, j| T::of(entry(i, j), entry(j + 3, i)))
}

/// Asserts that two matrices are the same but for rounding.
fn check<T: Kind>(what: &str, a: &Mat<T>, b: &Mat<T>, exponent: i32) {
    let lost = exponent == T::POWERS[6];
    let off = (0..a.ncols()).flat_map(|j| (0..a.nrows()).map(move |i| (i, j)));
    let off = off.map(|(i, j)| (a[(i, j)] - b[(i, j)]).magnitude());
    let (most, sum) = off.fold((0.0, 0.0), |(most, sum), x: f64| (x.max(most), sum + x));
    let bound = T::EPS[usize::from(lost)] * a.nrows() as f64;
    let kind = std::any::type_name::<T>();
    // The sum sees what is not a number.
    assert!(
        most <= bound && sum.is_finite(),
        "{what}, {kind}, {}: 2^{exponent}: {most:e}",
        a.nrows()
    );
}

fn all<T: Kind>()
where
    Real<T>: Scaled,
{
    for (n, exponent) in
        [1, 2, 5, 31, 33, 60, 100].into_iter().flat_map(|n| T::POWERS.map(|p| (n, p)))
    {
        let real = |x: Real<T>| T::from_real_impl(&x.times(power(-exponent)));
        let a = matrix::<T>(n, n);
        let diagonal =
            |i: usize, j: usize| if i == j { T::of(2.0 * n as f64, 0.0) } else { T::of(0.0, 0.0) };
        let heavy = Mat::from_fn(n, n, |i, j| a[(i, j)] + diagonal(i, j));
        // The diagonal is as large as twice the rows.
        let room = exponent.min(T::POWERS[5] - 8);

        let x = matrix::<T>(n, 3);
        let mut b = scaled(product(&heavy, &x).as_ref(), room);
        T::solve(scaled(heavy.as_ref(), room).as_ref(), b.as_mut()).unwrap();
        check("solve", &b, &x, exponent);

        let mut lu = Mat::zeros(n, n);
        let swaps = T::lu(scaled(heavy.as_ref(), room).as_ref(), lu.as_mut());
        let lower = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Greater => lu[(i, j)],
            std::cmp::Ordering::Equal => T::of(1.0, 0.0),
            std::cmp::Ordering::Less => T::of(0.0, 0.0),
        });
        let upper = Mat::from_fn(n, n, |i, j| match i <= j {
            true => lu[(i, j)].times(power(-room)),
            false => T::of(0.0, 0.0),
        });
        let mut rows: Vec<usize> = (0..n).collect();
        swaps.iter().enumerate().for_each(|(i, &j)| rows.swap(i, j));
        let swapped = Mat::from_fn(n, n, |i, j| heavy[(rows[i], j)]);
        check("lu", &product(&lower, &upper), &swapped, exponent);

        for low in [true, false] {
            let inside = |i: usize, j: usize| if low { i >= j } else { i <= j };
            let half =
                Mat::from_fn(
                    n,
                    n,
                    |i, j| if inside(i, j) { heavy[(i, j)] } else { T::of(0.0, 0.0) },
                );
            let mut b = scaled(product(&half, &x).as_ref(), room);
            T::solve_triangle(scaled(half.as_ref(), room).as_ref(), b.as_mut(), low, false)
                .unwrap();
            check("triangle", &b, &x, exponent);
        }

        let positive = {
            let square = product(&a, &adjoint(&a));
            Mat::from_fn(n, n, |i, j| square[(i, j)] + diagonal(i, j))
        };
        let even = room - room.rem_euclid(2);
        let mut lower = Mat::zeros(n, n);
        T::cholesky(scaled(positive.as_ref(), even).as_ref(), lower.as_mut()).unwrap();
        let lower = scaled(lower.as_ref(), -even / 2);
        check("cholesky", &product(&lower, &adjoint(&lower)), &positive, exponent);

        let (mut q, mut r) = (Mat::zeros(n, n), Mat::zeros(n, n));
        T::qr(scaled(a.as_ref(), exponent).as_ref(), q.as_mut(), r.as_mut());
        check("qr", &product(&q, &scaled(r.as_ref(), -exponent)), &a, exponent);

        let hermitian = {
            let other = adjoint(&a);
            Mat::from_fn(n, n, |i, j| a[(i, j)] + other[(i, j)])
        };
        let (mut w, mut v) = (vec![<Real<T> as ComplexField>::zero_impl(); n], Mat::zeros(n, n));
        T::eigh(scaled(hermitian.as_ref(), exponent).as_ref(), &mut w, Some(v.as_mut())).unwrap();
        let right = Mat::from_fn(n, n, |i, j| v[(i, j)] * real(w[j]));
        check("eigh", &product(&hermitian, &v), &right, exponent);
        check("basis", &product(&adjoint(&v), &v), &Mat::identity(n, n), exponent);

        for m in [n, n + 3, 2 * n + 1] {
            let a = matrix::<T>(m, n);
            let (mut s, mut u, mut v) = (
                vec![<Real<T> as ComplexField>::zero_impl(); n],
                Mat::zeros(m, n),
                Mat::zeros(n, n),
            );
            let vectors = Singular { u: u.as_mut(), v: v.as_mut(), adjoint: true };
            T::svd(scaled(a.as_ref(), exponent).as_ref(), &mut s, Some(vectors)).unwrap();
            let left = Mat::from_fn(m, n, |i, j| u[(i, j)] * real(s[j]));
            check("svd", &product(&left, &v), &a, exponent);
            check("left", &product(&adjoint(&u), &u), &Mat::identity(n, n), exponent);
            check("right", &product(&v, &adjoint(&v)), &Mat::identity(n, n), exponent);
        }
    }
}

#[test]
fn singles() {
    all::<f32>();
}

#[test]
fn doubles() {
    all::<f64>();
}

#[test]
fn complex_singles() {
    all::<Complex<f32>>();
}

#[test]
fn complex_doubles() {
    all::<Complex<f64>>();
}
