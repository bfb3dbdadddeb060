//! Solvers of sparse systems by residuals, norms and powers against dense matrices.

use crate::support::on_each_device;
use lazuli::linalg::MatrixNorm;
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::sparse::Csr;
use lazuli::sparse::linalg::{
    Options, Solution, Triangle, bicgstab, cg, cgs, gmres, lsmr, lsqr, matrix_power, minres, norm,
    splu, spsolve, spsolve_triangular,
};

/// The second difference of a line, with a drift that makes it unsymmetric.
pub fn line(n: usize, drift: f64) -> Csr<f64> {
    let full = |value: f64| DeviceArray::full([1], value);
    let parts = [full(-1.0 - drift), full(2.0), full(-1.0 + drift)];
    Csr::diags([n, n], &[(-1, &parts[0]), (0, &parts[1]), (1, &parts[2])]).unwrap()
}

pub fn plane(n: usize, drift: f64) -> Csr<f64> {
    line(n, drift).kronsum(&line(n, 0.0)).unwrap()
}

fn size(v: &DeviceArray<f64>) -> f64 {
    v.square().sum(..).item().unwrap().sqrt()
}

fn rest(a: &Csr<f64>, x: &DeviceArray<f64>, b: &DeviceArray<f64>) -> f64 {
    size(&(a.dot(x) - b)) / size(b)
}

pub fn dense(rows: &[&[f64]]) -> Csr<f64> {
    let all: Vec<f64> = rows.iter().flat_map(|row| row.to_vec()).collect();
    Csr::from_dense(&DeviceArray::from_vec([rows.len(), rows[0].len()], all).unwrap()).unwrap()
}

#[test]
fn right_hand_sides_of_any_size_have_their_solution() {
    on_each_device(|_| {
        let a = plane(8, 0.0);
        let b = DeviceArray::<f64>::linspace(-1.0, 2.0, 64).cos();
        type Solve = fn(&Csr<f64>, &DeviceArray<f64>, &Options<'_, f64>) -> Result<Solution<f64>>;
        let all: [(&str, Solve); 7] = [
            ("cg", cg),
            ("cgs", cgs),
            ("bicgstab", bicgstab),
            ("gmres", gmres),
            ("minres", minres),
            ("lsqr", lsqr),
            ("lsmr", lsmr),
        ];
        for (name, solve) in all {
            let options = || Options::new().rtol(1e-11).max_turns(500);
            let one = solve(&a, &b, &options()).unwrap();
            assert!(one.converged && rest(&a, &one.x, &b) < 1e-9, "{name}: {one:?}");
            // Powers of two, so that everything is the same but for them.
            for power in [-1020, -700, -390, 390, 700, 1010] {
                let by = f64::from(power / 2).exp2();
                let guess = (&one.x * 0.5) * by * by;
                let near = |r: &DeviceArray<f64>| r * 0.25;
                let found = solve(&a, &(&b * by * by), &options()).unwrap();
                let back = &found.x / by / by;
                assert!(found.converged, "{name}, 2^{power}: {found:?}");
                assert!(size(&(&back - &one.x)) <= 1e-9 * size(&one.x), "{name}, 2^{power}");
                assert!(
                    (found.residual / by / by - one.residual).abs() < 1e-9,
                    "{name}, 2^{power}"
                );
                if name.starts_with("ls") {
                    continue;
                }
                let begun = options().guess(&guess).preconditioner(near);
                let found = solve(&a, &(&b * by * by), &begun).unwrap();
                let back = &found.x / by / by;
                assert!(size(&(&back - &one.x)) <= 1e-9 * size(&one.x), "{name}, 2^{power}");
            }
        }
        let tiny = (DeviceArray::<f32>::ones([3])) * 1e-30;
        let eye = Csr::<f32>::eye(3).unwrap();
        let found = cg(&eye, &tiny, &Options::new()).unwrap();
        assert_eq!(found.x.to_vec().unwrap(), [1e-30; 3]);
    });
}

#[test]
fn minres_solves_indefinite_systems() {
    on_each_device(|_| {
        // Shifted into the middle of its spectrum.
        let a = (&plane(16, 0.0) - &(&Csr::eye(256).unwrap() * 1.5)).unwrap();
        let b = DeviceArray::<f64>::linspace(-1.0, 2.0, 256).cos();
        let found = minres(&a, &b, &Options::new().rtol(1e-9).max_turns(2000)).unwrap();
        assert!(found.converged, "{found:?}");
        let true_rest = rest(&a, &found.x, &b);
        assert!(true_rest < 3e-9, "{true_rest}");
        // The residual is that of the recurrences.
        assert!((found.residual / size(&b) - true_rest).abs() < 1e-9);
        let again = minres(&a, &b, &Options::new().rtol(1e-8).guess(&found.x)).unwrap();
        assert!(again.converged && again.turns == 0);
        // Preconditioned.
        let scale = DeviceArray::<f64>::logspace(0.0, 6.0, 256, 10.0);
        let graded = Csr::diags(
            [256, 256],
            &[(0, &scale), (1, &DeviceArray::full([1], 0.3)), (-1, &DeviceArray::full([1], 0.3))],
        )
        .unwrap();
        let near = || Options::new().rtol(1e-9).preconditioner(|r: &DeviceArray<f64>| r / &scale);
        let found = minres(&graded, &b, &near()).unwrap();
        assert!(found.converged && found.turns < 60, "{found:?}");
        assert!(rest(&graded, &found.x, &b) < 3e-9);
        // What has no solution: the least-squares one is found, and is no solution.
        let singular = dense(&[&[1.0, 1.0, 0.0], &[1.0, 1.0, 0.0], &[0.0, 0.0, 3.0]]);
        let b = DeviceArray::from_slice(&[1.0, 3.0, 3.0]).unwrap();
        let found = minres(&singular, &b, &Options::new().rtol(1e-10)).unwrap();
        assert!(!found.converged && (found.residual - 2f64.sqrt()).abs() < 1e-12, "{found:?}");
        let x = found.x.to_vec().unwrap();
        assert!((x[0] + x[1] - 2.0).abs() < 1e-12 && (x[2] - 1.0).abs() < 1e-12, "{x:?}");
        // What has one, of a singular matrix.
        let b = DeviceArray::from_slice(&[2.0, 2.0, 3.0]).unwrap();
        let found = minres(&singular, &b, &Options::new().rtol(1e-12)).unwrap();
        assert!(found.converged && rest(&singular, &found.x, &b) < 1e-12);
    });
}

#[test]
fn cgs_solves_unsymmetric_systems() {
    on_each_device(|_| {
        let b = DeviceArray::<f64>::linspace(-1.0, 2.0, 400).cos();
        for drift in [0.0, 0.3] {
            let a = plane(20, drift);
            let found = cgs(&a, &b, &Options::new().rtol(1e-9)).unwrap();
            assert!(found.converged, "{found:?}");
            assert!(rest(&a, &found.x, &b) < 1e-7, "{}", rest(&a, &found.x, &b));
            let again = cgs(&a, &b, &Options::new().rtol(1e-6).guess(&found.x)).unwrap();
            assert!(again.converged && again.turns == 0);
        }
    });
}

#[test]
fn lsmr_finds_least_squares() {
    on_each_device(|_| {
        let mut generator = Generator::new(7);
        let b = DeviceArray::<f64>::linspace(0.0, 9.0, 120).sin();
        for shape in [[120, 30], [120, 200]] {
            let a = Csr::<f64>::random(&mut generator, shape, 0.2).unwrap();
            for damp in [0.0, 0.5] {
                let options = || Options::new().rtol(1e-11).damp(damp).max_turns(3000);
                let found = lsmr(&a, &b, &options()).unwrap();
                assert!(found.converged, "{shape:?} {damp} {found:?}");
                // Aᵀ(b − A·x) = damp²·x at the minimum.
                let slope =
                    a.transpose().unwrap().dot(&(&b - a.dot(&found.x))) - damp * damp * &found.x;
                assert!((size(&slope) - found.residual).abs() < 1e-9, "{}", size(&slope));
                assert!(size(&slope) < 1e-9, "{}", size(&slope));
                let other = lsqr(&a, &b, &options()).unwrap();
                assert!(size(&(&other.x - &found.x)) < 1e-6 * size(&found.x));
            }
        }
        let matrix = dense(&[&[1.0, 1.0], &[1.0, 1.0], &[0.0, 0.0]]);
        let found = lsmr(
            &matrix,
            &DeviceArray::from_slice(&[1.0, 3.0, 5.0]).unwrap(),
            &Options::new().rtol(1e-10),
        )
        .unwrap();
        // Of a matrix without full rank the shortest solution.
        let x = found.x.to_vec().unwrap();
        assert!(found.converged && (x[0] - 1.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12);
    });
}

#[test]
fn new_solvers_tell_what_they_cannot_solve() {
    on_each_device(|_| {
        let b = DeviceArray::<f64>::ones([4]);
        let zeros = Csr::<f64>::from_dense(&DeviceArray::zeros([4, 4])).unwrap();
        for found in [
            cgs(&zeros, &b, &Options::new()).unwrap(),
            minres(&zeros, &b, &Options::new()).unwrap(),
        ] {
            assert!(!found.converged && found.residual == 2.0, "{found:?}");
            assert_eq!(found.x.to_vec().unwrap(), [0.0; 4]);
        }
        let eye = Csr::<f64>::eye(4).unwrap();
        let solvers: [&dyn Fn(&DeviceArray<f64>) -> Solution<f64>; 3] = [
            &|b| cgs(&eye, b, &Options::new()).unwrap(),
            &|b| minres(&eye, b, &Options::new()).unwrap(),
            &|b| lsmr(&eye, b, &Options::new()).unwrap(),
        ];
        for solve in solvers {
            let found = solve(&(&b * 0.0));
            assert!(found.converged && found.turns == 0);
            assert_eq!(found.x.to_vec().unwrap(), [0.0; 4]);
            for wrong in [f64::NAN, f64::INFINITY] {
                assert!(!solve(&(&b * wrong)).converged);
            }
            let found = solve(&b);
            assert!(found.converged && found.turns == 1, "{found:?}");
            assert_eq!(found.x.to_vec().unwrap(), [1.0; 4]);
        }
        let a = plane(20, 0.0);
        let b = DeviceArray::<f64>::ones([400]);
        let few = || Options::new().rtol(1e-10).max_turns(9);
        for found in [
            cgs(&a, &b, &few()).unwrap(),
            minres(&a, &b, &few()).unwrap(),
            lsmr(&a, &b, &few()).unwrap(),
        ] {
            assert!(!found.converged && found.turns == 9, "{found:?}");
        }
        let none = DeviceArray::<f64>::zeros([0]);
        let empty = Csr::<f64>::eye(0).unwrap();
        assert!(minres(&empty, &none, &Options::new()).unwrap().converged);
        assert!(cgs(&empty, &none, &Options::new()).unwrap().converged);
        // In single precision.
        let single = a.with_data(&a.data().cast::<f32>()).unwrap();
        let b = b.cast::<f32>();
        for found in [
            cgs(&single, &b, &Options::new().rtol(1e-5)).unwrap(),
            minres(&single, &b, &Options::new().rtol(1e-5)).unwrap(),
        ] {
            assert!(found.converged);
            let rest = (single.dot(&found.x) - &b).norm(0).item().unwrap() / 20.0;
            assert!(rest < 1e-4, "{rest}");
        }
    });
    let short = DeviceArray::<f64>::ones([3]);
    let eye = Csr::<f64>::eye(4).unwrap();
    assert!(cgs(&eye, &short, &Options::new()).unwrap_err().is_shape());
    assert!(minres(&eye, &short, &Options::new()).unwrap_err().is_shape());
    let plain = |x: &DeviceArray<f64>| x.clone();
    assert!(lsmr(&plain, &short, &Options::new()).unwrap_err().is_unsupported());
}

#[test]
fn direct_solvers() {
    on_each_device(|_| {
        let mut generator = Generator::new(11);
        let b = generator.standard_normal::<f64>([300, 3]);
        let far = Csr::<f64>::random(&mut generator, [300, 300], 0.02).unwrap();
        let graded = DeviceArray::<f64>::logspace(-8.0, 8.0, 300, 10.0);
        let by = Csr::diags([300, 300], &[(0, &graded)]).unwrap();
        let symmetric = (&far + &far.transpose().unwrap()).unwrap();
        let with_eye = |a: &Csr<f64>, by: f64| (a + &(&Csr::eye(300).unwrap() * by)).unwrap();
        // With no number on its diagonal: pivots are needed.
        let shifted = far.tril(-1).unwrap();
        let turned = (&shifted
            + &Csr::diags(
                [300, 300],
                &[(1, &DeviceArray::ones([299])), (-299, &DeviceArray::ones([1]))],
            )
            .unwrap())
            .unwrap();
        for (name, a) in [
            ("drift", line(300, 0.4)),
            ("random", with_eye(&far, 1e-3)),
            ("symmetric", with_eye(&symmetric, 0.5)),
            ("graded", by.matmul(&with_eye(&far, 3.0)).unwrap()),
            ("turned", turned),
        ] {
            let x = spsolve(&a, &b).unwrap();
            assert_eq!(x.shape(), [300, 3]);
            // Each row by its own size.
            let absolute = a.with_data(&a.data().abs()).unwrap();
            let room = absolute.sum(1).unwrap().insert_axis(1) * x.abs().max(..) + b.abs();
            let worst = ((a.dot(&x) - &b).abs() / room).max(..).item().unwrap();
            assert!(worst < 1e-13, "{name} {worst}");
            let one = splu(&a).unwrap().solve(&b.slice(s![.., 1])).unwrap();
            assert_eq!(one.to_vec().unwrap(), x.slice(s![.., 1]).to_vec().unwrap());
        }
        // A grid stays sparse: in the order of lines there are about 2·30³ numbers.
        let grid = plane(30, 0.1);
        let factors = splu(&grid).unwrap();
        assert!(factors.nnz() < 36_000, "{}", factors.nnz());
        let b = DeviceArray::<f64>::ones([900]);
        assert!(rest(&grid, &factors.solve(&b).unwrap(), &b) < 1e-13);
        let single = grid.with_data(&grid.data().cast::<f32>()).unwrap();
        let x = spsolve(&single, &b.cast::<f32>()).unwrap();
        assert!((single.dot(&x) - 1.0).abs().max(..).item().unwrap() < 1e-3);
        let none = DeviceArray::<f64>::zeros([0]);
        assert!(spsolve(&Csr::<f64>::eye(0).unwrap(), &none).unwrap().is_empty());
        let flat = DeviceArray::<f64>::zeros([2, 0]);
        assert_eq!(spsolve(&Csr::eye(2).unwrap(), &flat).unwrap().shape(), [2, 0]);
    });
}

#[test]
fn singular_matrices_have_no_factors() {
    for a in [
        dense(&[&[1.0, 2.0], &[2.0, 4.0]]),
        dense(&[&[0.0, 1.0], &[0.0, 3.0]]),
        dense(&[&[0.0, 0.0], &[1.0, 3.0]]),
        dense(&[&[f64::NAN, 1.0], &[1.0, 1.0]]),
        dense(&[&[1.0, f64::NAN], &[1.0, 1.0]]),
    ] {
        let error = splu(&a).unwrap_err();
        assert!(error.is_numeric() && error.to_string().contains("singular"), "{error}");
        assert!(spsolve(&a, &DeviceArray::ones([2])).unwrap_err().is_numeric());
    }
    assert!(splu(&dense(&[&[1.0, 2.0]])).unwrap_err().is_shape());
    let factors = splu(&Csr::<f64>::eye(3).unwrap()).unwrap();
    assert!(factors.solve(&DeviceArray::<f64>::ones([2])).unwrap_err().is_shape());
    assert!(factors.solve(&DeviceArray::<f64>::ones([3, 1, 1])).unwrap_err().is_shape());
    let nan = DeviceArray::from_slice(&[1.0, f64::NAN, 2.0]).unwrap();
    let x = factors.solve(&nan).unwrap().to_vec().unwrap();
    assert!(x[0] == 1.0 && x[1].is_nan() && x[2] == 2.0);
}

#[test]
fn triangles_are_solved() {
    on_each_device(|_| {
        let mut generator = Generator::new(5);
        let a = Csr::<f64>::random(&mut generator, [60, 60], 0.2).unwrap();
        let a = (&a + &Csr::eye(60).unwrap()).unwrap();
        let b = generator.standard_normal::<f64>([60, 2]);
        for (triangle, lower) in [(Triangle::Lower, true), (Triangle::Upper, false)] {
            let part = if lower { a.tril(0) } else { a.triu(0) }.unwrap();
            let x = spsolve_triangular(&part, &b, triangle).unwrap();
            let wanted = part.to_dense().solve_triangular(&b, lower);
            let worst = ((&x - &wanted).abs() / wanted.abs().max(..)).max(..).item().unwrap();
            assert!(worst < 1e-10, "{worst}");
            assert!(spsolve_triangular(&a, &b, triangle).unwrap_err().is_shape());
        }
    });
    let b = DeviceArray::<f64>::ones([2]);
    let zero = dense(&[&[1.0, 0.0], &[1.0, 0.0]]);
    assert!(spsolve_triangular(&zero, &b, Triangle::Lower).unwrap_err().is_numeric());
    let eye = Csr::<f64>::eye(3).unwrap();
    assert!(spsolve_triangular(&eye, &b, Triangle::Lower).unwrap_err().is_shape());
}

#[test]
fn norms_and_powers() {
    on_each_device(|_| {
        let mut generator = Generator::new(2);
        let a = Csr::<f64>::random(&mut generator, [20, 20], 0.2).unwrap();
        let a = a.with_data(&(a.data() - 0.5)).unwrap();
        for which in [
            MatrixNorm::Frobenius,
            MatrixNorm::One,
            MatrixNorm::MinusOne,
            MatrixNorm::Infinity,
            MatrixNorm::MinusInfinity,
        ] {
            let (got, wanted) = (norm(&a, which).unwrap(), a.to_dense().matrix_norm(which));
            assert!((got - wanted).abs().item().unwrap() < 1e-14);
        }
        for power in 0..8 {
            let got = matrix_power(&a, power).unwrap().to_dense();
            let wanted = a.to_dense().matrix_power(power as i32);
            assert!((got - wanted).abs().max(..).item().unwrap() < 1e-12);
        }
        let complex = Csr::from_dense(
            &DeviceArray::try_from([[Complex::new(3.0, 4.0), Complex::new(0.0, 0.0)]]).unwrap(),
        );
        assert_eq!(norm(&complex.unwrap(), MatrixNorm::One).unwrap().item().unwrap(), 5.0);
    });
    let wide = dense(&[&[1.0, 2.0]]);
    assert!(matrix_power(&wide, 2).unwrap_err().is_shape());
    assert!(norm(&wide, MatrixNorm::Two).unwrap_err().is_unsupported());
    let empty = Csr::<f64>::eye(0).unwrap();
    assert!(norm(&empty, MatrixNorm::One).unwrap_err().is_shape());
    assert_eq!(norm(&empty, MatrixNorm::Frobenius).unwrap().item().unwrap(), 0.0);
}
