//! Factorisations: what is unique against NumPy's, the rest by what it multiplies to.

use super::files::every_kind;
use crate::support::on_each_device;
use lazuli::prelude::*;

every_kind!(
    cholesky,
    qr,
    singular_values,
    batches_of_singular_values,
    hermitian_eigenvalues,
    eigenvalues
);

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
    // A GPU's library is given a moderate matrix, whose values are taken back.
    let kernels = if a.device().is_cuda() { 2 } else { 0 };
    assert_eq!((plan.kernels(), plan.library_calls()), (kernels, 1), "{plan}");
    let plan = explain(&[&a.cholesky()]);
    assert_eq!((plan.kernels(), plan.library_calls()), (1, 1), "{plan}");
    assert!(plan.to_string().contains("library call"), "{plan}");
    assert!(plan.dot().contains("cholesky"));
    // Two transpositions are none.
    let plan = explain(&[&a.t().t().det()]);
    assert_eq!((plan.kernels(), plan.library_calls()), (1, 1), "{plan}");
}

/// The processor's eigenvalues and singular values for sizes whose squares are no numbers; on a GPU
/// they are the library's own.
#[test]
fn values_of_matrices_of_any_size() {
    Device::cpu().scope(|| {
        let m =
            [0.3, 1.0, -2.0, 0.1, 0.7, 0.5, 1.5, -0.4, 0.2, 0.9, -1.1, 0.6, 0.0, 1.2, 0.8, -0.5];
        let one = DeviceArray::<f64>::from_vec([4, 4], m.to_vec()).unwrap();
        let want = one.svdvals().to_vec().unwrap();
        for exponent in [-1020, -600, -300, -60, 60, 300, 600, 1000] {
            let size = 2f64.powi(exponent);
            let a = &one * size;
            for (got, want) in a.svdvals().to_vec().unwrap().iter().zip(&want) {
                assert!((got / size / want - 1.0).abs() < 1e-12, "2^{exponent}: {got} for {want}");
            }
            let (u, s, vh) = a.svd();
            let error = ((u * s / size).matmul(&vh) - &one).abs().max(..).item().unwrap();
            assert!(error < 1e-13, "2^{exponent}: {error}");
            residuals(&one, &a, size, 1e-13);
        }
        let one = one.cast::<f32>();
        let want = one.svdvals().to_vec().unwrap();
        for exponent in [-120, -80, -40, -20, 20, 60, 120] {
            let size = 2f32.powi(exponent);
            let a = &one * size;
            for (got, want) in a.svdvals().to_vec().unwrap().iter().zip(&want) {
                assert!((got / size / want - 1.0).abs() < 1e-5, "2^{exponent}: {got} for {want}");
            }
            residuals(&one.cast(), &a.cast(), f64::from(size), 1e-13);
            let (w, v) = a.eig();
            let (w, v) = (w.cast::<Complex<f64>>() / f64::from(size), v.cast::<Complex<f64>>());
            let residual = (one.cast::<Complex<f64>>().matmul(&v) - &v * w).abs();
            assert!(residual.max(..).item().unwrap() < 1e-5, "2^{exponent}");
        }
        // Large enough for the library's other algorithms.
        let large =
            DeviceArray::<f64>::arange(0.0, 14_400.0, 1.0).square().sin().reshape([120, 120]);
        residuals(&large, &(&large * 2f64.powi(-700)), 2f64.powi(-700), 1e-11);
        let single = large.cast::<f32>();
        let (w, v) = (&single * 2f32.powi(-90)).eig();
        let (w, v) = (w.cast::<Complex<f64>>() / 2f64.powi(-90), v.cast::<Complex<f64>>());
        let residual = (single.cast::<Complex<f64>>().matmul(&v) - &v * w).abs();
        assert!(residual.max(..).item().unwrap() < 1e-3);
        let zero = DeviceArray::<f64>::zeros([3, 3]);
        assert_eq!(zero.eigvals().to_vec().unwrap(), [Complex::new(0.0, 0.0); 3]);
        assert_eq!(zero.cond(lazuli::linalg::MatrixNorm::Two).item().unwrap(), f64::INFINITY);
    });

    /// That `m v = v w` for the eigenvalues and vectors of `a`, which is `m` times `size`.
    fn residuals(m: &DeviceArray<f64>, a: &DeviceArray<f64>, size: f64, bound: f64) {
        let (w, v) = a.eig();
        let residual = m.cast::<Complex<f64>>().matmul(&v) - &v * &(w / size);
        let error = residual.abs().max(..).item().unwrap();
        assert!(error < bound, "size {size:e}: {error:e}");
    }
}

#[test]
fn matrices_are_balanced_for_their_eigenvalues() {
    Device::cpu().scope(|| {
        // The companion matrix of (x - 1)(x - 2)…(x - 10), whose roots LAPACK gives to 3e-9.
        let mut polynomial = vec![1.0f64];
        for root in 1..=10 {
            let mut next = polynomial.clone();
            next.push(0.0);
            for (k, c) in polynomial.iter().enumerate() {
                next[k + 1] -= f64::from(root) * c;
            }
            polynomial = next;
        }
        let mut a = DeviceArray::<f64>::eye_with(10, 10, -1);
        let first: Vec<f64> = polynomial[1..].iter().map(|c| -c).collect();
        a.assign(s![0, ..], &DeviceArray::from_vec(10, first).unwrap());
        let mut roots = a.eigvals().to_vec().unwrap();
        roots.sort_by(|a, b| a.re.total_cmp(&b.re));
        for (root, want) in roots.iter().zip(1..) {
            assert!((root - f64::from(want)).norm() < 1e-7, "{root} for {want}");
        }
        // A triangle's are on its diagonal, however often they come.
        for a in [DeviceArray::<f64>::ones([6, 6]).triu(0), DeviceArray::ones([6, 6]).tril(0)] {
            assert_eq!(a.eigvals().to_vec().unwrap(), [Complex::new(1.0, 0.0); 6]);
        }
        let far = vec![1.0, 1e10, 0.0, 1e-10, 2.0, 1e5, 0.0, 1e-5, 3.0];
        let far = DeviceArray::<f64>::from_vec([3, 3], far).unwrap();
        let (w, v) = far.eig();
        let mut values = w.to_vec().unwrap();
        values.sort_by(|a, b| a.re.total_cmp(&b.re));
        for (value, want) in values.iter().zip([2.0 - 3f64.sqrt(), 2.0, 2.0 + 3f64.sqrt()]) {
            assert!((value - want).norm() < 1e-13, "{value} for {want}");
        }
        let z = far.cast::<Complex<f64>>();
        let residual = (z.matmul(&v) - &v * &w).abs().max(..).item().unwrap();
        assert!(residual < 1e-5 && (v.norm(0) - 1.0).abs().max(..).item().unwrap() < 1e-14);
    });
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

    /// Many small matrices, none alike, against each by itself.
    pub fn batches_of_singular_values<T: Kind>() {
        for [m, n] in [[1, 1], [4, 4], [7, 3], [3, 8], [32, 20], [20, 32], [32, 32], [33, 5]] {
            let batch = 5;
            let at = DeviceArray::<f64>::arange_to((batch * m * n) as f64);
            let a = (&at * 0.7).sin() + (&at * &at).cos() * 0.3;
            let i = Complex::new(0.0, 1.0);
            let a = a.cast::<Complex<f64>>() + (&at * 1.3).sin().cast::<Complex<f64>>() * i;
            let a = a.reshape([batch, m, n]).cast::<T>();
            // A matrix of zeros, and one of rank 1.
            let a = a.with_slice(s![1, .., ..], DeviceArray::zeros(()));
            let a =
                a.with_slice(s![2, .., ..], a.slice(s![2, .., 0..1]) * a.slice(s![2, 0..1, ..]));
            let each: Vec<DeviceArray<T::Real>> =
                (0..batch as isize).map(|k| a.index_axis(0, k).svdvals()).collect();
            let want = lazuli::stack(&each, 0).cast::<f64>();
            close("values", &a.svdvals().cast::<f64>(), &want, T::TOLERANCE);
            for full in [false, true] {
                let (u, s, vh) = if full { a.svd_full() } else { a.svd() };
                close("values", &s.cast::<f64>(), &want, T::TOLERANCE);
                let p = m.min(n);
                assert_eq!(u.shape(), [batch, m, if full { m } else { p }]);
                assert_eq!(vh.shape(), [batch, if full { n } else { p }, n]);
                let name = format!("{m} by {n}, full: {full}");
                orthonormal(&name, &u);
                orthonormal(&name, &adjoint(&vh));
                let scaled = u.slice(s![.., .., ..p]) * s.cast::<T>().insert_axis(-2);
                close(&name, &scaled.matmul(&vh.slice(s![.., ..p, ..])), &a, T::TOLERANCE);
            }
        }
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

/// Plans are made while other threads evaluate, and both ask the library's handles.
#[test]
fn threads_factor_matrices_of_new_shapes_side_by_side() {
    on_each_device(|device| {
        let factor = |thread: usize| {
            for turn in 0..6 {
                // No shape comes twice, so that every turn needs a plan.
                let n = 20 + 6 * thread + turn;
                let a = DeviceArray::<f64>::linspace(-1.0, 1.0, n * n).reshape([n, n]);
                let a = a.cos() + DeviceArray::<f64>::eye(n) * 9.0;
                let (q, r) = a.qr();
                let off = (q.matmul(&r) - &a).abs().max(..).item().unwrap();
                assert!(off < 1e-12, "{n}: {off}");
                let (values, largest) = (a.svdvals(), a.square().sum(..).sqrt());
                let off = (values.square().sum(..).sqrt() / largest - 1.0).abs().item().unwrap();
                assert!(off < 1e-12, "{n}: {off}");
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || device.scope(|| factor(thread)));
            }
        });
    });
}
