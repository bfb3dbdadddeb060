//! Factorisations: what is unique against NumPy's, the rest by what it multiplies to.

use super::files::every_kind;
use lazuli::prelude::*;

every_kind!(cholesky, qr, singular_values, hermitian_eigenvalues, eigenvalues);

#[test]
fn outputs_that_nobody_holds_are_let_go_and_others_are_kept() {
    let a = DeviceArray::<f64>::linspace(-1.0, 1.0, 48).reshape([8, 6]).sin();
    let (q, r) = a.qr();
    let before = lazuli::counters().library_calls;
    drop(q.copy_to_host().unwrap());
    assert!(q.is_evaluated());
    let product = q.matmul(&r).copy_to_host().unwrap();
    // One factorisation, and the product.
    assert_eq!(lazuli::counters().library_calls - before, 2);
    let want = a.copy_to_host().unwrap();
    assert!(product.iter().zip(&want).all(|(p, w)| (p - w).abs() < 1e-13));
}

#[test]
fn a_symmetric_matrix_needs_no_transposed_copy() {
    let a = DeviceArray::<f64>::eye(6) * 3.0;
    a.eval().unwrap();
    let plan = explain(&[&a.eigvalsh()]);
    assert_eq!((plan.kernels(), plan.library_calls()), (0, 1), "{plan}");
    let plan = explain(&[&a.cholesky()]);
    assert_eq!((plan.kernels(), plan.library_calls()), (1, 1), "{plan}");
    assert!(plan.to_string().contains("library call"), "{plan}");
    assert!(plan.dot().contains("cholesky"));
    // Two transpositions are none.
    let plan = explain(&[&a.t().t().det()]);
    assert_eq!((plan.kernels(), plan.library_calls()), (1, 1), "{plan}");
}

mod checks {
    use super::super::files::{Kind, case, close, real};
    use lazuli::prelude::*;

    fn adjoint<T: Kind>(a: &DeviceArray<T>) -> DeviceArray<T> {
        let t = a.swap_axes(-1, -2);
        // The conjugate by way of the complex numbers, which real ones survive.
        t.cast::<Complex<f64>>().conj().cast()
    }

    fn orthonormal<T: Kind>(what: &str, q: &DeviceArray<T>) {
        let n = q.shape()[q.ndim() - 1];
        let ones = DeviceArray::<T>::eye(n).broadcast_to(adjoint(q).matmul(q).shape());
        close(what, &adjoint(q).matmul(q), &ones, T::TOLERANCE);
    }

    pub fn cholesky<T: Kind>() {
        let a = case::<T>("cholesky.a");
        close("cholesky", &a.cholesky(), &case("cholesky.l"), T::TOLERANCE);
        // What is above the diagonal is not read.
        let lower = a.tril(0);
        close("of the lower half", &lower.cholesky(), &case("cholesky.l"), T::TOLERANCE);
        let batch = lazuli::stack(&[&a, &(&a + &a)], 0).cholesky();
        close("in a batch", &batch.slice(s![0]), &case("cholesky.l"), T::TOLERANCE);
        assert_eq!(DeviceArray::<T>::zeros([0, 0]).cholesky().shape(), [0, 0]);
    }

    pub fn qr<T: Kind>() {
        for name in ["tall.a", "wide.a", "line.a", "solve.a", "batch.a"] {
            let a = case::<T>(name);
            for full in [false, true] {
                let (q, r) = if full { a.qr_complete() } else { a.qr() };
                let (m, n) = (a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]);
                let p = if full { m } else { m.min(n) };
                assert_eq!(q.shape()[q.ndim() - 2..], [m, p]);
                assert_eq!(r.shape()[r.ndim() - 2..], [p, n]);
                close(name, &q.matmul(&r), &a, T::TOLERANCE);
                close(name, &r.triu(0), &r, 0.0);
                orthonormal(name, &q);
            }
        }
        let (q, r) = DeviceArray::<T>::zeros([4, 0]).qr_complete();
        assert_eq!((q.shape(), r.shape()), (&[4, 4][..], &[4, 0][..]));
        orthonormal("of nothing", &q);
    }

    pub fn singular_values<T: Kind>() {
        for name in ["tall", "wide", "line", "low"] {
            let a = case::<T>(&format!("{name}.a"));
            let want = real::<T>(&format!("{name}.s"));
            close(name, &a.svdvals(), &want, T::TOLERANCE);
            for full in [false, true] {
                let (u, s, vh) = if full { a.svd_full() } else { a.svd() };
                close(name, &s, &want, T::TOLERANCE);
                orthonormal(name, &u);
                orthonormal(name, &adjoint(&vh));
                let p = s.len();
                let (m, n) = (a.shape()[0], a.shape()[1]);
                assert_eq!(u.shape(), if full { [m, m] } else { [m, p] });
                assert_eq!(vh.shape(), if full { [n, n] } else { [p, n] });
                let scaled = u.slice(s![.., ..p]) * s.cast::<T>();
                close(name, &scaled.matmul(&vh.slice(s![..p, ..])), &a, T::TOLERANCE);
            }
        }
        let a = case::<T>("batch.a");
        let (u, s, vh) = a.svd();
        let scaled = u * s.cast::<T>().insert_axis(-2);
        close("batch", &scaled.matmul(&vh), &a, T::TOLERANCE);
        let (u, s, vh) = DeviceArray::<T>::zeros([0, 3]).svd_full();
        assert_eq!((u.shape(), s.shape(), vh.shape()), (&[0, 0][..], &[0][..], &[3, 3][..]));
    }

    pub fn hermitian_eigenvalues<T: Kind>() {
        let a = case::<T>("cholesky.a");
        let want = real::<T>("eigh.w");
        close("eigvalsh", &a.eigvalsh(), &want, T::TOLERANCE);
        // What is above the diagonal is not read.
        let (w, v) = a.tril(0).eigh();
        close("eigh", &w, &want, T::TOLERANCE);
        close("vectors", &a.matmul(&v), &(&v * &w.cast()), T::TOLERANCE);
        orthonormal("vectors", &v);
        let batch = lazuli::stack(&[&a, &(&a + &a), &a], 0);
        let (w, v) = batch.eigh();
        close("batch", &w.slice(s![2]), &want, T::TOLERANCE);
        close("batch", &batch.matmul(&v), &(&v * &w.cast().insert_axis(1)), T::TOLERANCE);
        let (w, v) = DeviceArray::<T>::zeros([2, 0, 0]).eigh();
        assert_eq!((w.shape(), v.shape()), (&[2, 0][..], &[2, 0, 0][..]));
    }

    /// Eigenvalues in an order of their own: by real part, then by imaginary part.
    fn sorted<T: Kind>(values: &DeviceArray<T::Complex>) -> Vec<Complex<f64>> {
        let mut values = values.cast::<Complex<f64>>().to_vec().unwrap();
        let key = |z: &Complex<f64>| ((z.re * 1e3).round(), (z.im * 1e3).round());
        values.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap());
        values
    }

    pub fn eigenvalues<T: Kind>() {
        let a = case::<T>("solve.a");
        let want = super::super::files::stored::<Complex<f64>>(&format!("{}.eig.w", T::NAME));
        let want = want.to_vec().unwrap();
        let (w, v) = a.eig();
        for got in [sorted::<T>(&w), sorted::<T>(&a.eigvals())] {
            for (g, w) in got.iter().zip(&want) {
                assert!((g - w).norm() < T::TOLERANCE * 10.0, "{g} for {w}");
            }
        }
        let residual = a.cast::<T::Complex>().matmul(&v) - &v * &w;
        close("vectors", &residual, &residual.zeros_like(), T::TOLERANCE);
        let lengths = v.cast::<Complex<f64>>().norm(0);
        close("lengths", &lengths, &DeviceArray::ones(5), T::TOLERANCE);
        let batch = case::<T>("batch.a");
        let (w, v) = batch.eig();
        let residual = batch.cast::<T::Complex>().matmul(&v) - &v * &w.insert_axis(-2);
        close("batch", &residual, &residual.zeros_like(), T::TOLERANCE);
    }
}
