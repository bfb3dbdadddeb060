//! Matrices of certain forms, their solvers and functions of matrices, against SciPy's answers
//! (`tests/data/matrices`).

use super::answers::{C, File};
use crate::support::load::arrays;
use crate::support::on_each_device;
use lazuli::fft::Norm;
use lazuli::linalg::*;
use lazuli::prelude::*;
use lazuli::signal::Mode;

fn with_file(check: impl Fn(&File)) {
    let file = File(arrays("matrices/matrices.npz"));
    on_each_device(|_| check(&file));
}

const NEAR: f64 = 1e-12;

/// Holds that an array is next to nothing.
#[track_caller]
fn nothing<T: Factorable>(a: DeviceArray<T>, part: f64) {
    let largest = a.abs().cast::<f64>().max(..).item().unwrap();
    assert!(largest <= part, "{largest}");
}

fn adjoint<T: Factorable>(a: &DeviceArray<T>) -> DeviceArray<T> {
    a.matrix_transpose().conj()
}

fn structured<T: Factorable>(file: &File, kind: &str, part: f64) {
    let [c, r, s] = ["c", "r", "s"].map(|name| file.array::<T>(&format!("{kind}_{name}")));
    let near = |name: &str, got: DeviceArray<T>| file.near(&format!("{kind}_{name}"), &got, part);
    near("toeplitz", toeplitz(&c, Some(&r)));
    near("toeplitz_own", toeplitz(&c, None));
    near("hankel", hankel(&c, Some(&r)));
    near("hankel_own", hankel(&c, None));
    near("circulant", circulant(&c));
    near("companion", companion(&c));
    near("leslie", leslie(&r, &s));
    near("block_diag", block_diag(&[&toeplitz(&c, Some(&r)), &s, &circulant(&s)]));
    for (name, mode) in [("full", Mode::Full), ("same", Mode::Same), ("valid", Mode::Valid)] {
        for n in [3, 7] {
            near(&format!("convolution_{name}_{n}"), convolution_matrix(&c, n, mode));
        }
    }
    near("khatri_rao", khatri_rao(&toeplitz(&c, Some(&r)), &hankel(&s, Some(&r))));
    let (x, b) = (file.array::<T>(&format!("{kind}_x")), file.array::<T>(&format!("{kind}_b")));
    near("matmul_toeplitz", matmul_toeplitz(&c, Some(&r), &x));
    let more = DeviceArray::from_slice(&[0.3]).unwrap().cast::<T>();
    let row = lazuli::concatenate(&[&r, &more], 0);
    file.near(&format!("{kind}_solve_toeplitz"), &solve_toeplitz(&c, Some(&row), &b), 50.0 * part);
    file.near(&format!("{kind}_solve_circulant"), &solve_circulant(&c, &b), 50.0 * part);
}

#[test]
fn matrices_of_lines() {
    with_file(|file| {
        structured::<f64>(file, "real", NEAR);
        structured::<C>(file, "complex", NEAR);
        structured::<f32>(file, "real", 1e-5);
        structured::<Complex<f32>>(file, "complex", 1e-5);
        let line = DeviceArray::from_slice(&[1.0, 4.0, 2.5]).unwrap();
        file.near("fiedler", &fiedler(&line), 0.0);
        for n in [1, 2, 5, 12] {
            let name = |what: &str| format!("{what}_{n}");
            file.near(&name("hilbert"), &hilbert::<f64>(n), 1e-15);
            file.near(&name("invhilbert"), &invhilbert::<f64>(n), 1e-15);
            file.near(&name("helmert"), &helmert::<f64>(n, false), 1e-15);
            file.near(&name("helmert_full"), &helmert::<f64>(n, true), 1e-15);
            for (scale, norm) in
                [("None", Norm::Backward), ("sqrtn", Norm::Ortho), ("n", Norm::Forward)]
            {
                file.near(&name(&format!("dft_{scale}")), &dft::<C>(n, norm), 1e-13);
            }
            use PascalKind::{Lower, Symmetric, Upper};
            for (kind, how) in [("symmetric", Symmetric), ("lower", Lower), ("upper", Upper)] {
                file.near(&name(&format!("pascal_{kind}")), &pascal::<f64>(n, how), 0.0);
                file.near(&name(&format!("invpascal_{kind}")), &invpascal::<f64>(n, how), 0.0);
            }
        }
        for n in [1, 2, 8] {
            file.near(&format!("hadamard_{n}"), &hadamard::<i32>(n), 0.0);
        }
    });
}

fn functions<T: Factorable>(file: &File, kind: &str, part: f64) {
    let array = |name: &str| file.array::<T>(&format!("{kind}_{name}"));
    let (a, e) = (array("a"), array("e"));
    let near = |name: &str, got: DeviceArray<T>| file.near(&format!("{kind}_{name}"), &got, part);
    near("cosm", a.cosm());
    near("sinm", a.sinm());
    near("coshm", a.coshm());
    near("sinhm", a.sinhm());
    near("tanm", a.tanm());
    near("tanhm", a.tanhm());
    near("signm", a.signm().unwrap());
    file.near(&format!("{kind}_sqrtm"), &a.sqrtm().unwrap(), part);
    file.near(&format!("{kind}_logm"), &a.logm().unwrap(), part);
    for p in [0.3, -1.7, 2.5] {
        let power = a.fractional_matrix_power(p).unwrap();
        file.near(&format!("{kind}_power_{p}"), &power, 20.0 * part);
    }
    near("frechet", expm_frechet(&a, &e).1);
    nothing(expm_frechet(&a, &e).0 - a.expm(), 20.0 * part);
    let (t, z) = a.schur().unwrap();
    let wide = a.cast::<T::Complex>();
    nothing(z.matmul(&t).matmul(&adjoint(&z)) - wide, 10.0 * part);
    nothing(adjoint(&z).matmul(&z) - DeviceArray::<T::Complex>::eye(5), 10.0 * part);
    assert_eq!(t.bandwidth().unwrap().0, 0);
    let (h, q) = a.hessenberg().unwrap();
    nothing(q.matmul(&h).matmul(&adjoint(&q)) - &a, 10.0 * part);
    file.near(&format!("{kind}_hessenberg_size"), &h.abs(), 10.0 * part);
    let q = array("q");
    near("sylvester", solve_sylvester(&a, &array("small"), &q).unwrap());
    near("lyapunov", solve_continuous_lyapunov(&a, &e).unwrap());
    let scaled = &a * DeviceArray::full((), 0.4).cast::<T>();
    near("discrete", solve_discrete_lyapunov(&scaled, &e).unwrap());
}

fn factors<T: Factorable>(file: &File, kind: &str, part: f64) {
    let array = |name: &str| file.array::<T>(&format!("{kind}_{name}"));
    let near = |name: &str, got: DeviceArray<T>| file.near(&format!("{kind}_{name}"), &got, part);
    let a = array("a");
    let lu = a.lu_factor().unwrap();
    near("lu", lu.factors.clone());
    file.near(&format!("{kind}_pivots"), &lu.pivots, 0.0);
    let (p, l, u) = a.lu().unwrap();
    nothing(p.matmul(&l).matmul(&u) - &a, 10.0 * part);
    let b = array("b");
    nothing(a.matmul(&lu.solve(&b)) - &b, 50.0 * part);
    let (hermitian, metric) = (array("hermitian"), array("metric"));
    let (w, v) = hermitian.eigh_generalized(&metric);
    file.near(&format!("{kind}_generalized"), &w, part);
    file.near(&format!("{kind}_generalized"), &hermitian.eigvalsh_generalized(&metric), part);
    let right = metric.matmul(&v) * w.cast::<T>();
    nothing(hermitian.matmul(&v) - right, 50.0 * part);
    let solved = cho_solve(&metric.cholesky(), true, &b);
    nothing(metric.matmul(&solved) - &b, 50.0 * part);
    nothing(cho_solve(&metric.cholesky_upper(), false, &b) - solved, 50.0 * part);
    let (tall, other) = (array("tall"), array("other"));
    file.near(&format!("{kind}_angles"), &subspace_angles(&tall, &other), part);
    let (u, p) = tall.polar();
    near("polar_u", u);
    near("polar_p", p);
    let (r, scale) = orthogonal_procrustes(&tall, &tall.matmul(&array("small")));
    near("procrustes", r);
    file.near(&format!("{kind}_procrustes_scale"), &scale, part);
    let low = array("low");
    let (null, orth) = (low.null_space(None).unwrap(), low.orth(None).unwrap());
    assert_eq!((null.shape(), orth.shape()), (&[5, 3][..], &[6, 2][..]));
    nothing(low.matmul(&null), 20.0 * part);
    nothing(orth.matmul(&adjoint(&orth).matmul(&low)) - &low, 20.0 * part);
    near("pinvh", array("half").pinvh(None));
    for matrix in [&tall, &adjoint(&tall)] {
        let (r, q) = matrix.rq();
        nothing(r.matmul(&q) - matrix, 10.0 * part);
        nothing(q.matmul(&adjoint(&q)) - DeviceArray::<T>::eye(3), 10.0 * part);
    }
    let (r, _) = adjoint(&tall).rq();
    assert_eq!(r.bandwidth().unwrap().0, 0);
}

fn banded<T: Factorable>(file: &File, kind: &str, part: f64) {
    let array = |name: &str| file.array::<T>(&format!("{kind}_{name}"));
    let near = |name: &str, got: DeviceArray<T>| file.near(&format!("{kind}_{name}"), &got, part);
    let (bands, b) = (array("bands"), array("band_b"));
    near("solve_banded", solve_banded((2, 1), &bands, &b).unwrap());
    let line = b.index_axis(1, 0);
    near("solve_banded_line", solve_banded((2, 1), &bands, &line).unwrap());
    let (lower, upper) = (array("lower"), array("upper"));
    near("solveh_banded", solveh_banded(&lower, &b, true).unwrap());
    near("solveh_banded", solveh_banded(&upper, &b, false).unwrap());
    let factor = cholesky_banded(&lower, true).unwrap();
    near("solveh_banded", cho_solve_banded(&factor, &b, true).unwrap());
    near("cholesky_banded", factor);
    let factor = cholesky_banded(&upper, false).unwrap();
    near("solveh_banded", cho_solve_banded(&factor, &b, false).unwrap());
    near("cholesky_banded_upper", factor);
    let name = format!("{kind}_eigvals_banded");
    file.near(&name, &eigvals_banded(&upper, false), part);
    file.near(&name, &eigvals_banded(&lower, true), part);
    let (w, v) = eig_banded(&upper, false);
    let positive = array("positive");
    nothing(positive.matmul(&v) - &v * w.cast::<T>(), 1e3 * part);
}

#[test]
fn functions_of_matrices() {
    with_file(|file| {
        functions::<f64>(file, "real", 1e-11);
        functions::<C>(file, "complex", 1e-11);
        functions::<f32>(file, "real", 1e-4);
        functions::<Complex<f32>>(file, "complex", 1e-4);
    });
}

#[test]
fn factors_and_bases() {
    with_file(|file| {
        factors::<f64>(file, "real", NEAR);
        factors::<C>(file, "complex", NEAR);
        factors::<f32>(file, "real", 2e-5);
        factors::<Complex<f32>>(file, "complex", 2e-5);
        for kind in ["real", "complex"] {
            let [tall, other] =
                ["tall", "other"].map(|name| file.array::<C>(&format!("{kind}_{name}")));
            let near = tall.slice(s![.., ..2]) + other * C::new(1e-9, 0.0);
            file.near(&format!("{kind}_angles_near"), &subspace_angles(&tall, &near), 1e-6);
        }
    });
}

#[test]
fn few_diagonals() {
    with_file(|file| {
        banded::<f64>(file, "real", NEAR);
        banded::<C>(file, "complex", NEAR);
        banded::<f32>(file, "real", 1e-5);
        let (d, e) = (file.array::<f64>("d"), file.array::<f64>("off"));
        file.near("tridiagonal", &eigvalsh_tridiagonal(&d, &e), NEAR);
        let (w, v) = eigh_tridiagonal(&d, &e);
        file.near("tridiagonal", &w, NEAR);
        nothing(adjoint(&v).matmul(&v) - DeviceArray::<f64>::eye(6), NEAR);
    });
}

/// Batches, views, empty matrices and those of one element.
#[test]
fn shapes() {
    with_file(|file| {
        let a = file.array::<f64>("real_a");
        let batch = lazuli::stack(&[&a, &file.array::<f64>("real_e"), &a.t()], 0);
        let lu = batch.lu_factor().unwrap();
        let b = file.array::<f64>("real_b");
        nothing(batch.matmul(&lu.solve(&b)) - &b, 1e-11);
        let line = b.index_axis(1, 0);
        nothing(batch.matmul(&lu.solve(&line).insert_axis(-1)) - line.insert_axis(1), 1e-11);
        let (p, l, u) = batch.lu().unwrap();
        nothing(p.matmul(&l).matmul(&u) - &batch, 1e-13);
        let root = batch.sqrtm().unwrap();
        nothing(root.matmul(&root) - batch.cast::<C>(), 1e-11);
        nothing(batch.cosm().index_axis(0, 2) - a.cosm().t(), 1e-12);
        let lines = batch.index_axis(0, 0);
        nothing(
            toeplitz(&lines, None).index_axis(0, 3) - toeplitz(&lines.index_axis(0, 3), None),
            0.0,
        );
        nothing(companion(&lines).index_axis(0, 1) - companion(&lines.index_axis(0, 1)), 0.0);
        let view = a.flip([0, 1]).t();
        let root = view.sqrtm().unwrap();
        nothing(root.matmul(&root) - view.cast::<C>(), 1e-11);
    });
    let none = DeviceArray::<f64>::zeros([0, 0]);
    assert_eq!(none.sqrtm().unwrap().shape(), [0, 0]);
    assert_eq!(none.logm().unwrap().shape(), [0, 0]);
    assert_eq!(none.schur().unwrap().0.shape(), [0, 0]);
    assert_eq!(none.lu_factor().unwrap().pivots.shape(), [0]);
    assert_eq!(none.cosm().shape(), [0, 0]);
    assert_eq!(none.bandwidth().unwrap(), (0, 0));
    assert!(none.is_symmetric(0.0, 0.0).item().unwrap());
    assert_eq!(none.pinvh(None).shape(), [0, 0]);
    let line = DeviceArray::<f64>::zeros([0]);
    assert_eq!(toeplitz(&line, None).shape(), [0, 0]);
    assert_eq!(circulant(&line).shape(), [0, 0]);
    assert_eq!(hilbert::<f64>(0).shape(), [0, 0]);
    assert_eq!(pascal::<f32>(0, PascalKind::Symmetric).shape(), [0, 0]);
    let wide = DeviceArray::<f64>::zeros([0, 3]);
    assert_eq!(wide.null_space(None).unwrap().shape(), [3, 3]);
    assert_eq!(wide.orth(None).unwrap().shape(), [0, 0]);
    let one = DeviceArray::<f64>::full([1, 1], -4.0);
    assert!((one.sqrtm().unwrap().item().unwrap() - C::new(0.0, 2.0)).norm() < 1e-15);
    assert!((one.logm().unwrap().item().unwrap().im - std::f64::consts::PI).abs() < 1e-15);
    assert_eq!(one.signm().unwrap().item().unwrap(), -1.0);
    assert_eq!(one.lu_factor().unwrap().factors.item().unwrap(), -4.0);
    assert_eq!(solve_banded((0, 0), &one, &one).unwrap().item().unwrap(), 1.0);
    assert!(solve_banded((usize::MAX, 1), &one, &one).unwrap_err().is_shape());
}

/// Graded, huge, tiny, defective and singular matrices.
#[test]
fn hard_matrices() {
    let matrix = |n: usize, values: &[f64]| DeviceArray::from_vec([n, n], values.to_vec()).unwrap();
    // A defective matrix has one root, and a nilpotent one none.
    let jordan = matrix(3, &[2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 2.0]);
    let root = jordan.sqrtm().unwrap();
    nothing(root.matmul(&root) - jordan.cast::<C>(), 1e-14);
    nothing(jordan.logm().unwrap().expm() - jordan.cast::<C>(), 1e-13);
    let nilpotent = matrix(2, &[0.0, 1.0, 0.0, 0.0]);
    assert!(nilpotent.sqrtm().unwrap_err().is_numeric());
    assert!(nilpotent.logm().unwrap_err().is_numeric());
    nothing(
        matrix(2, &[0.0, 0.0, 0.0, 9.0]).sqrtm().unwrap().real() - matrix(2, &[0.0, 0.0, 0.0, 3.0]),
        1e-14,
    );
    assert!(matrix(2, &[0.0, -1.0, 1.0, 0.0]).signm().unwrap_err().is_numeric());
    assert!(matrix(1, &[f64::NAN]).schur().unwrap_err().is_numeric());
    for scale in [1e-300, 1e-150, 1e150, 1e300] {
        let a = matrix(3, &[1.0, 2.0, 3.0, 0.5, -1.0, 2.0, 4.0, 1.0, 1.0]) * scale;
        let (t, z) = a.schur().unwrap();
        let back = z.matmul(&t).matmul(&adjoint(&z)).real();
        nothing((back - &a) / scale, 1e-14);
        let root = a.sqrtm().unwrap();
        nothing((root.matmul(&root).real() - &a) / scale, 1e-13);
        let (p, l, u) = a.lu().unwrap();
        nothing((p.matmul(&l).matmul(&u) - &a) / scale, 1e-14);
    }
    // The eigenvalues of a graded matrix span twelve orders; each root has its digits.
    let graded = matrix(3, &[1.0, 1e-3, 1e-6, 1e-3, 1e-6, 1e-9, 1e-6, 1e-9, 1e-12])
        + DeviceArray::<f64>::eye(3) * 1e-14;
    let root = graded.sqrtm().unwrap();
    nothing(root.matmul(&root).real() - &graded, 1e-15);
    // Near the identity a logarithm keeps its digits.
    let near = DeviceArray::<f64>::eye(2) + matrix(2, &[0.0, 1e-9, 0.0, 1e-9]);
    let log = near.logm().unwrap().real().to_vec().unwrap();
    assert!((log[1] / 1e-9 - 1.0).abs() < 1e-8 && (log[3] / 1e-9 - 1.0).abs() < 1e-7);
    let singular = matrix(3, &[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 1.0, 1.0]);
    let (p, l, u) = singular.lu().unwrap();
    nothing(p.matmul(&l).matmul(&u) - &singular, 1e-14);
    let zero = matrix(3, &[0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0]);
    let (p, l, u) = zero.lu().unwrap();
    nothing(p.matmul(&l).matmul(&u) - &zero, 1e-14);
    let ones = DeviceArray::<f64>::ones([3]);
    assert!(solve_banded((1, 1), &DeviceArray::zeros([3, 3]), &ones).unwrap_err().is_numeric());
    let bands = DeviceArray::from_vec([2, 3], vec![1.0, 1.0, 1.0, 2.0, 2.0, 0.0]).unwrap();
    assert!(solveh_banded(&bands, &ones, true).unwrap_err().is_numeric());
    let eye = DeviceArray::<f64>::eye(2);
    assert!(solve_sylvester(&eye, &-&eye, &eye).unwrap_err().is_numeric());
    assert!(solve_discrete_lyapunov(&eye, &eye).unwrap_err().is_numeric());
    // Large orders: random matrices with eigenvalues all over the plane.
    let a = lazuli::random::Generator::new(3).normal(0.0, 1.0, [60, 60]);
    let (t, z) = DeviceArray::<f64>::schur(&a).unwrap();
    nothing(z.matmul(&t).matmul(&adjoint(&z)).real() - &a, 1e-12);
    nothing(adjoint(&z).matmul(&z) - DeviceArray::<C>::eye(60), 1e-12);
    let powers = lazuli::stack(&[&t.diagonal(0, 0, 1).real().sum(..), &a.trace(0)], 0);
    let powers = powers.to_vec().unwrap();
    assert!((powers[0] - powers[1]).abs() < 1e-11);
    // A rotation of ten places has its eigenvalues on a circle, all of one size.
    let shift = circulant(&DeviceArray::<f64>::eye(10).index_axis(0, 1));
    let (t, z) = shift.schur().unwrap();
    nothing(z.matmul(&t).matmul(&adjoint(&z)).real() - &shift, 1e-13);
}

#[test]
fn what_matrices_refuse() {
    let (square, wide) = (DeviceArray::<f64>::eye(2), DeviceArray::<f64>::ones([2, 3]));
    let line = DeviceArray::<f64>::ones([3]);
    let refused = [
        wide.sqrtm().unwrap_err(),
        wide.schur().unwrap_err(),
        wide.lu_factor().err().unwrap(),
        wide.try_cosm().unwrap_err(),
        wide.try_is_symmetric(0.0, 0.0).unwrap_err(),
        line.bandwidth().unwrap_err(),
        square.fractional_matrix_power(f64::NAN).unwrap_err(),
        try_companion(&line.slice(s![..1])).unwrap_err(),
        try_leslie(&line, &line).unwrap_err(),
        try_hadamard::<f64>(3).unwrap_err(),
        try_block_diag(&[&DeviceArray::<f64>::ones([1, 1, 1])]).unwrap_err(),
        try_block_diag::<f64>(&[]).unwrap_err(),
        try_khatri_rao(&square, &wide).unwrap_err(),
        try_solve_toeplitz(&line, None, &square).unwrap_err(),
        try_orthogonal_procrustes(&square, &wide).err().unwrap(),
        try_subspace_angles(&square, &wide.t()).unwrap_err(),
        try_expm_frechet(&square, &wide).err().unwrap(),
        try_eigh_tridiagonal(&line, &line).err().unwrap(),
        square.try_eigh_generalized(&DeviceArray::eye(3)).err().unwrap(),
        solve_banded((1, 1), &wide, &line).unwrap_err(),
        solve_sylvester(&square, &square, &wide).unwrap_err(),
        DeviceArray::<f64>::ones([2, 2, 2]).orth(None).unwrap_err(),
    ];
    for error in refused {
        assert!(error.is_shape(), "{error}");
        assert!(error.to_string().contains("matrices.rs:"), "{error}");
    }
    let a = DeviceArray::from_vec([2, 2], vec![1.0, f64::NAN, f64::NAN, 1.0]).unwrap();
    assert!(!a.is_symmetric(0.1, 0.1).item().unwrap());
    assert_eq!(a.bandwidth().unwrap(), (1, 1));
}
