//! Sparse matrices against plain loops over their entries, and solvers by their residuals.

use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::sparse::linalg::{LinearOperator, Options, Solution, bicgstab, cg, gmres, lsqr};
use lazuli::sparse::{Coo, Csr};
use std::collections::BTreeMap;

/// Numbers that repeat nowhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn number(&mut self) -> f64 {
        self.below(2001) as f64 / 1000.0 - 1.0
    }
}

/// Entries of a matrix: some rows empty, one of them long, places that come twice.
fn entries(shape: [usize; 2], count: usize, seed: u64) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let mut random = Random(seed);
    let (mut rows, mut cols, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..count {
        rows.push(if k % 3 == 0 { 0 } else { random.below(shape[0]) / 2 * 2 });
        cols.push(random.below(shape[1]));
        values.push(random.number());
    }
    (rows, cols, values)
}

type Places = BTreeMap<(usize, usize), f64>;

fn places(rows: &[usize], cols: &[usize], values: &[f64]) -> Places {
    let mut all = Places::new();
    for ((&row, &col), &value) in rows.iter().zip(cols).zip(values) {
        *all.entry((row, col)).or_default() += value;
    }
    all
}

fn made(shape: [usize; 2], count: usize, seed: u64) -> (Csr<f64>, Places) {
    let (rows, cols, values) = entries(shape, count, seed);
    let data = DeviceArray::from_slice(&values).unwrap();
    let matrix = Coo::new(shape, &rows, &cols, &data).unwrap().to_csr().unwrap();
    (matrix, places(&rows, &cols, &values))
}

fn dense(shape: [usize; 2], all: &Places) -> Vec<f64> {
    let mut dense = vec![0.0; shape[0] * shape[1]];
    all.iter().for_each(|(&(row, col), value)| dense[row * shape[1] + col] += value);
    dense
}

fn close(got: &[f64], wanted: &[f64]) {
    assert_eq!(got.len(), wanted.len());
    for (k, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        assert!((got - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{k}: {got} for {wanted}");
    }
}

const SHAPES: [([usize; 2], usize); 6] =
    [([7, 5], 12), ([1, 1], 1), ([40, 30], 300), ([3, 100], 150), ([5, 4], 0), ([300, 300], 900)];

#[test]
fn products_are_those_of_loops() {
    on_each_device(|_| {
        for (round, (shape, count)) in SHAPES.into_iter().enumerate() {
            let (a, all) = made(shape, count, round as u64);
            assert_eq!((a.shape(), a.nnz()), (shape, all.len()));
            let mut random = Random(99);
            for width in [None, Some(1), Some(4), Some(0)] {
                let k = width.unwrap_or(1);
                let x: Vec<f64> = (0..shape[1] * k).map(|_| random.number()).collect();
                let dims: Vec<usize> = [shape[1]].into_iter().chain(width).collect();
                let dx = DeviceArray::from_vec(dims, x.clone()).unwrap();
                let mut wanted = vec![0.0; shape[0] * k];
                for (&(row, col), value) in &all {
                    (0..k).for_each(|j| wanted[row * k + j] += value * x[col * k + j]);
                }
                // The expression around the product is part of it.
                let got = a.dot(&(&dx * 2.0)) * 0.5;
                close(&got.to_vec().unwrap(), &wanted);
            }
        }
    });
}

#[test]
fn padding_is_not_read() {
    on_each_device(|_| {
        // The first element is in no product of the second row, whose row is padded.
        let data = DeviceArray::from_slice(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        let a = Csr::from_parts([2, 3], &[0, 3, 4], &[0, 1, 2, 2], &data).unwrap();
        let x = DeviceArray::from_slice(&[f64::NAN, 1.0, f64::INFINITY]).unwrap();
        let y = a.dot(&x).to_vec().unwrap();
        assert!(y[0].is_nan() && y[1] == f64::INFINITY);
        let x = DeviceArray::from_slice(&[f64::NAN, f64::NAN, 1.0]).unwrap();
        assert_eq!(a.dot(&x).to_vec().unwrap()[1], 4.0);
    });
}

#[test]
fn a_stencil_is_one_kernel() {
    let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
    let a = Csr::diags([500, 500], &[(-1, &minus), (0, &two), (1, &minus)]).unwrap();
    let x = DeviceArray::<f64>::linspace(0.0, 1.0, 500);
    let plan = lazuli::explain(&[&(a.dot(&x.sin()).square() + 1.0)]);
    assert_eq!((plan.kernels(), plan.library_calls()), (1, 0));
}

#[test]
fn matrices_are_converted_and_combined() {
    on_each_device(|_| {
        for (round, (shape, count)) in SHAPES.into_iter().enumerate() {
            let (a, all) = made(shape, count, 10 + round as u64);
            let full = dense(shape, &all);
            assert_eq!(a.to_dense().to_vec().unwrap(), full);
            let back = Csr::from_dense(&a.to_dense()).unwrap();
            assert_eq!(back.to_dense().to_vec().unwrap(), full);
            let t = a.transpose().unwrap();
            let turned: Places = all.iter().map(|(&(r, c), &v)| ((c, r), v)).collect();
            assert_eq!(t.to_dense().to_vec().unwrap(), dense([shape[1], shape[0]], &turned));
            close(
                &a.sum(1).unwrap().to_vec().unwrap(),
                &(0..shape[0])
                    .map(|r| full[r * shape[1]..][..shape[1]].iter().sum())
                    .collect::<Vec<_>>(),
            );
            close(&a.sum(-2).unwrap().to_vec().unwrap(), &t.sum(1).unwrap().to_vec().unwrap());
            let diagonal: Vec<f64> =
                (0..shape[0].min(shape[1])).map(|k| full[k * shape[1] + k]).collect();
            assert_eq!(a.diagonal().to_vec().unwrap(), diagonal);
            assert_eq!(a.row(0).unwrap().to_vec().unwrap(), full[..shape[1]]);
            assert_eq!(a.get([shape[0] - 1, 0]).unwrap(), full[(shape[0] - 1) * shape[1]]);
            // Sums, differences and products.
            let (b, others) = made(shape, count / 2 + 1, 20 + round as u64);
            let other = dense(shape, &others);
            let sum = (&a + &(&b * 3.0)).unwrap();
            let wanted: Vec<f64> = full.iter().zip(&other).map(|(a, b)| a + 3.0 * b).collect();
            close(&sum.to_dense().to_vec().unwrap(), &wanted);
            let rest = (&sum - &sum).unwrap().to_dense().to_vec().unwrap();
            assert!(rest.iter().all(|&x| x == 0.0));
            let product = a.matmul(&b.transpose().unwrap()).unwrap();
            let wanted = a.to_dense().matmul(&b.to_dense().t()).to_vec().unwrap();
            close(&product.to_dense().to_vec().unwrap(), &wanted);
            // Blocks.
            let beside = Csr::hstack(&[&a, &b]).unwrap();
            let wanted = lazuli::concatenate(&[&a.to_dense(), &b.to_dense()], 1);
            assert_eq!(beside.to_dense(), wanted);
            let below = Csr::vstack(&[&a, &b]).unwrap();
            assert_eq!(below.to_dense(), lazuli::concatenate(&[&a.to_dense(), &b.to_dense()], 0));
            let blocks = Csr::block_diag(&[&a, &b]).unwrap();
            assert_eq!(blocks.shape(), [2 * shape[0], 2 * shape[1]]);
            let corner = blocks.to_dense().slice(s![shape[0].., shape[1]..]);
            assert_eq!(corner, b.to_dense());
            // The Kronecker product, element by element.
            let small = Csr::from_dense(&DeviceArray::try_from([[0.0, 2.0], [3.0, 0.0]]).unwrap());
            let kron = a.kron(&small.unwrap()).unwrap().to_dense();
            let wanted =
                a.to_dense().kron(&DeviceArray::try_from([[0.0, 2.0], [3.0, 0.0]]).unwrap());
            assert_eq!(kron, wanted);
        }
    });
}

#[test]
fn other_types() {
    on_each_device(|_| {
        let data =
            DeviceArray::from_slice(&[Complex::new(0.0f32, 2.0), Complex::new(1.0, 0.0)]).unwrap();
        let a = Csr::from_parts([2, 2], &[0u8, 1, 2], &[1u64, 0], &data).unwrap();
        let x =
            DeviceArray::from_slice(&[Complex::new(1.0f32, 0.0), Complex::new(0.0, 1.0)]).unwrap();
        let y = a.dot(&x).to_vec().unwrap();
        assert_eq!(y, [Complex::new(-2.0, 0.0), Complex::new(1.0, 0.0)]);
        let whole =
            Csr::from_dense(&DeviceArray::try_from([[200u8, 100], [0, 1]]).unwrap()).unwrap();
        let x = DeviceArray::from_slice(&[1u8, 1]).unwrap();
        assert_eq!(whole.dot(&x).to_vec().unwrap(), [44, 1]);
        let halves = whole.with_data(&whole.data().cast::<f16>()).unwrap();
        let x = DeviceArray::from_slice(&[f16::ONE, f16::from_f32(0.5)]).unwrap();
        assert_eq!(halves.dot(&x).to_vec().unwrap(), [f16::from_f32(250.0), f16::from_f32(0.5)]);
    });
}

#[test]
fn parts_that_do_not_fit_are_errors() {
    let data = DeviceArray::from_slice(&[1.0, 2.0]).unwrap();
    let wrong: [(Result<Csr<f64>>, &str); 7] = [
        (Csr::from_parts([2, 2], &[0, 1], &[0, 1], &data), "indptr has 2 numbers for 2 rows"),
        (Csr::from_parts([2, 2], &[0, 1, 3], &[0, 1], &data), "does not rise from 0 to 2"),
        (Csr::from_parts([2, 2], &[0, 2, 1], &[0, 1], &data), "does not rise"),
        (Csr::from_parts([2, 2], &[0, -1, 2], &[0, 1], &data), "does not rise"),
        (Csr::from_parts([2, 2], &[0, 1, 2], &[0, 2], &data), "indices[1] is 2"),
        (Csr::from_parts([2, 2], &[0, 1, 2], &[0, -1], &data), "indices[1] is -1"),
        (Csr::from_parts([2, 2], &[0, 1, 3], &[0, 1, 1], &data), "data has shape [2]"),
    ];
    for (result, said) in wrong {
        let error = result.unwrap_err();
        assert!(error.is_shape() && error.to_string().contains(said), "{error} for {said}");
    }
    // More rows or columns than there are numbers for, before memory is asked for.
    assert!(Csr::<f64>::eye(1 << 40).unwrap_err().is_shape());
    let none = DeviceArray::<f64>::zeros([0]);
    for shape in [[usize::MAX, 1], [1 << 40, 1], [0, usize::MAX]] {
        assert!(Csr::from_parts(shape, &[0], &[0; 0], &none).unwrap_err().is_shape());
        assert!(Coo::new(shape, &[0; 0], &[0; 0], &none).unwrap_err().is_shape());
    }
    let eye = Csr::<f64>::eye(2).unwrap();
    let x = DeviceArray::<f64>::ones([3]);
    assert!(eye.try_dot(&x).unwrap_err().is_shape());
    assert!(eye.try_dot(&x.reshape([1, 1, 3])).unwrap_err().is_shape());
    assert!(eye.get([0, 2]).unwrap_err().is_shape());
    assert!(eye.row(2).unwrap_err().is_shape());
    assert!((&eye + &Csr::eye(3).unwrap()).unwrap_err().is_shape());
    assert!(eye.matmul(&Csr::eye(3).unwrap()).unwrap_err().is_shape());
    assert!(Csr::hstack(&[&eye, &Csr::eye(3).unwrap()]).unwrap_err().is_shape());
    assert!(Csr::diags([2, 2], &[(2, &x)]).unwrap_err().is_shape());
    assert!(Coo::new([2, 2], &[0, 1], &[0, 1], &x).unwrap_err().is_shape());
    assert!(Csr::from_dense(&x).unwrap_err().is_shape());
    assert!(eye.sum(2).unwrap_err().is_shape());
}

/// The Laplacian of a square, with a drift that makes it unsymmetric.
fn laplacian(n: usize, drift: f64) -> Csr<f64> {
    let full = |value: f64| DeviceArray::full([1], value);
    let line = |drift: f64| {
        let parts = [full(-1.0 - drift), full(2.0), full(-1.0 + drift)];
        Csr::diags([n, n], &[(-1, &parts[0]), (0, &parts[1]), (1, &parts[2])]).unwrap()
    };
    let eye = Csr::eye(n).unwrap();
    (&eye.kron(&line(drift)).unwrap() + &line(0.0).kron(&eye).unwrap()).unwrap()
}

fn rest(a: &Csr<f64>, x: &DeviceArray<f64>, b: &DeviceArray<f64>) -> f64 {
    let size = |v: &DeviceArray<f64>| v.square().sum(..).item().unwrap().sqrt();
    size(&(a.dot(x) - b)) / size(b)
}

fn solved(a: &Csr<f64>, b: &DeviceArray<f64>, found: Solution<f64>, rtol: f64) {
    assert!(found.converged, "{found:?}");
    assert!(rest(a, &found.x, b) < 2.0 * rtol, "{}", rest(a, &found.x, b));
}

#[test]
fn solvers_reach_their_tolerance() {
    on_each_device(|_| {
        let (a, b) = (laplacian(24, 0.0), DeviceArray::<f64>::linspace(-1.0, 2.0, 576).cos());
        let rtol = 1e-9;
        let found = cg(&a, &b, &Options::new().rtol(rtol)).unwrap();
        // SciPy takes as many: 78, a turn more or less by rounding.
        assert!((70..90).contains(&found.turns), "{}", found.turns);
        solved(&a, &b, found, rtol);
        let unsymmetric = laplacian(24, 0.3);
        for a in [&a, &unsymmetric] {
            solved(a, &b, bicgstab(a, &b, &Options::new().rtol(rtol)).unwrap(), rtol);
            let options = Options::new().rtol(rtol).restart(40);
            solved(a, &b, gmres(a, &b, &options).unwrap(), rtol);
            // By its normal equations.
            let found = lsqr(a, &b, &Options::new().rtol(1e-12).max_turns(4000)).unwrap();
            assert!(rest(a, &found.x, &b) < 1e-7, "{}", rest(a, &found.x, &b));
        }
    });
}

#[test]
fn preconditioners_and_guesses_save_turns() {
    on_each_device(|_| {
        let n = 300;
        let scale = DeviceArray::<f64>::logspace(0.0, 5.0, n, 10.0);
        let full = DeviceArray::full([1], 0.3);
        let a = Csr::diags([n, n], &[(0, &scale), (1, &full), (-1, &full)]).unwrap();
        let b = DeviceArray::<f64>::ones([n]);
        let plain = || Options::new().rtol(1e-8);
        let near = || plain().preconditioner(|r: &DeviceArray<f64>| r / &scale);
        let (slow, fast) = (cg(&a, &b, &plain()).unwrap(), cg(&a, &b, &near()).unwrap());
        assert!(fast.converged && 3 * fast.turns < slow.turns, "{} {}", fast.turns, slow.turns);
        solved(&a, &b, fast.clone(), 1e-8);
        solved(&a, &b, bicgstab(&a, &b, &near()).unwrap(), 1e-8);
        solved(&a, &b, gmres(&a, &b, &near()).unwrap(), 1e-8);
        for found in [
            cg(&a, &b, &near().guess(&fast.x)).unwrap(),
            bicgstab(&a, &b, &near().guess(&fast.x)).unwrap(),
            gmres(&a, &b, &near().guess(&fast.x)).unwrap(),
        ] {
            assert!(found.converged && found.turns == 0);
        }
    });
}

#[test]
fn least_squares() {
    on_each_device(|_| {
        let (a, _) = made([300, 40], 2000, 5);
        let b = DeviceArray::<f64>::linspace(0.0, 9.0, 300).sin();
        for damp in [0.0, 0.5] {
            let options = Options::new().rtol(1e-12).damp(damp);
            let found = lsqr(&a, &b, &options).unwrap();
            // Aᵀ(b − A·x) = damp²·x at the minimum.
            let slope =
                a.transpose().unwrap().dot(&(&b - a.dot(&found.x))) - damp * damp * &found.x;
            let slope = slope.abs().max(..).item().unwrap();
            assert!(slope < 1e-9, "{slope}");
            // A pair of functions.
            let t = a.transpose().unwrap();
            let pair = (|x: &DeviceArray<f64>| a.dot(x), |y: &DeviceArray<f64>| t.dot(y));
            let again = lsqr(&pair, &b, &options).unwrap();
            assert!((again.x - &found.x).abs().max(..).item().unwrap() < 1e-9);
        }
        // A dense matrix.
        let again = lsqr(&a.to_dense(), &b, &Options::new().rtol(1e-12)).unwrap();
        assert!((a.dot(&again.x) - &b).square().sum(..).item().unwrap() < 150.0);
    });
}

#[test]
fn what_cannot_be_solved_is_told() {
    on_each_device(|_| {
        let b = DeviceArray::<f64>::ones([4]);
        let zeros = Csr::<f64>::from_dense(&DeviceArray::zeros([4, 4])).unwrap();
        for found in [
            cg(&zeros, &b, &Options::new()).unwrap(),
            bicgstab(&zeros, &b, &Options::new()).unwrap(),
            gmres(&zeros, &b, &Options::new()).unwrap(),
        ] {
            assert!(!found.converged && found.residual == 2.0, "{found:?}");
            assert_eq!(found.x.to_vec().unwrap(), [0.0; 4]);
        }
        let nothing = DeviceArray::<f64>::zeros([4]);
        let eye = Csr::eye(4).unwrap();
        let all: [&dyn Fn(&DeviceArray<f64>) -> Solution<f64>; 4] = [
            &|b| cg(&eye, b, &Options::new()).unwrap(),
            &|b| bicgstab(&eye, b, &Options::new()).unwrap(),
            &|b| gmres(&eye, b, &Options::new()).unwrap(),
            &|b| lsqr(&eye, b, &Options::new()).unwrap(),
        ];
        for solve in all {
            let found = solve(&nothing);
            assert!(found.converged && found.turns == 0);
            assert_eq!(found.x.to_vec().unwrap(), [0.0; 4]);
            // A NaN ends it.
            assert!(!solve(&(&nothing * f64::NAN)).converged);
            let found = solve(&b);
            assert!(found.converged);
            assert_eq!(found.x.to_vec().unwrap(), [1.0; 4]);
        }
        // Too few turns.
        let a = laplacian(20, 0.0);
        let b = DeviceArray::<f64>::ones([400]);
        let found = cg(&a, &b, &Options::new().rtol(1e-10).max_turns(11)).unwrap();
        assert!(!found.converged && found.turns == 11);
        let found = gmres(&a, &b, &Options::new().rtol(1e-10).max_turns(30)).unwrap();
        assert!(!found.converged && found.turns == 30);
    });
    let short = DeviceArray::<f64>::ones([3]);
    assert!(cg(&Csr::eye(4).unwrap(), &short, &Options::new()).unwrap_err().is_shape());
    let plain = |x: &DeviceArray<f64>| x.clone();
    assert!(lsqr(&plain, &short, &Options::new()).unwrap_err().is_unsupported());
    assert!(LinearOperator::<f64>::apply(&plain, &short).is_ok());
}

fn kept(name: &str) -> std::path::PathBuf {
    crate::support::load::data("sparse").join(name)
}

#[test]
fn files_of_scipy_are_read() {
    let mut wanted = vec![0.0; 20];
    for (place, value) in [(4, 1.5), (10, -2.0), (13, 3.0), (16, 4.0), (1, 0.25)] {
        wanted[place] = value;
    }
    on_each_device(|_| {
        for name in ["csr.npz", "csc.npz", "coo.npz", "old_coo.npz"] {
            let a = Csr::<f64>::read_npz(kept(name)).unwrap();
            assert_eq!((a.shape(), a.nnz()), ([4, 5], 5), "{name}");
            assert_eq!(a.to_dense().to_vec().unwrap(), wanted, "{name}");
        }
    });
    let other = Csr::<f64>::read_npz(kept("dia.npz")).unwrap_err();
    assert!(other.is_io() && other.to_string().contains("\"dia\""), "{other}");
    assert!(Csr::<f32>::read_npz(kept("csr.npz")).unwrap_err().is_io());
}

#[test]
fn files_are_read_again() {
    let path = std::env::temp_dir().join(format!("lazuli-sparse-it-{}.npz", std::process::id()));
    on_each_device(|_| {
        let (a, all) = made([9, 4], 20, 3);
        a.write_npz(&path).unwrap();
        let back = Csr::<f64>::read_npz(&path).unwrap();
        assert_eq!(back.indptr(), a.indptr());
        assert_eq!(back.to_dense().to_vec().unwrap(), dense([9, 4], &all));
    });
    std::fs::remove_file(&path).unwrap();
}
