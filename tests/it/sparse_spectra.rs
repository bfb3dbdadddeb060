//! Eigenvalues and singular values of sparse matrices, against known spectra and dense matrices.

use crate::sparse_solvers::{dense, line, plane};
use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::sparse::Csr;
use lazuli::sparse::linalg::{Eigen, EigenOptions, Which, eigsh, splu, svds};
use std::f64::consts::PI;

/// The eigenvalues of the second difference.
fn spectrum(n: usize) -> Vec<f64> {
    (1..=n).map(|k| 2.0 - 2.0 * (PI * k as f64 / (n + 1) as f64).cos()).collect()
}

fn check(a: &Csr<f64>, found: &Eigen<f64>, wanted: &[f64], bound: f64) {
    assert!(found.converged, "{found:?}");
    assert_eq!(found.values.len(), wanted.len());
    for (got, wanted) in found.values.iter().zip(wanted) {
        assert!((got - wanted).abs() < bound, "{:?} for {wanted}", found.values);
    }
    let values = DeviceArray::from_slice(&found.values).unwrap();
    let rest = a.dot(&found.vectors) - &found.vectors * values;
    assert!(rest.abs().max(..).item().unwrap() < bound, "{rest}");
    let gram = found.vectors.t().matmul(&found.vectors) - DeviceArray::<f64>::eye(wanted.len());
    assert!(gram.abs().max(..).item().unwrap() < 1e-12);
}

#[test]
fn eigenvalues_of_every_kind() {
    on_each_device(|_| {
        let n = 80;
        // Shifted, so that there are both signs.
        let a = (&line(n, 0.0) - &(&Csr::eye(n).unwrap() * 1.01)).unwrap();
        let all: Vec<f64> = spectrum(n).iter().map(|x| x - 1.01).collect();
        let found = |which: Which, k: usize| {
            let options = EigenOptions::new().which(which).vectors(30);
            eigsh(&a, k, &options).unwrap()
        };
        check(&a, &found(Which::LargestAlgebraic, 4), &all[n - 4..], 1e-12);
        check(&a, &found(Which::LargestMagnitude, 1), &all[n - 1..], 1e-12);
        check(&a, &found(Which::SmallestAlgebraic, 3), &all[..3], 1e-12);
        let both = [&all[..2], &all[n - 3..]].concat();
        check(&a, &found(Which::BothEnds, 5), &both, 1e-12);
        let mut inner = all.clone();
        inner.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let mut inner = inner[..3].to_vec();
        inner.sort_by(f64::total_cmp);
        check(&a, &found(Which::SmallestMagnitude, 3), &inner, 1e-10);
        // All of them.
        let whole = eigsh(&a, n, &EigenOptions::new()).unwrap();
        check(&a, &whole, &all, 1e-12);
        assert_eq!(whole.turns, 1);
        // Through the inverse.
        let factors = splu(&a).unwrap();
        let inverse = |x: &DeviceArray<f64>| factors.solve(x).unwrap();
        let start = DeviceArray::<f64>::linspace(1.0, 2.0, n).sin();
        let near = eigsh(&inverse, 3, &EigenOptions::new().start(&start)).unwrap();
        let mut values: Vec<f64> = near.values.iter().map(|x| 1.0 / x).collect();
        values.sort_by(f64::total_cmp);
        values.iter().zip(&inner).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
    });
}

#[test]
fn multiple_eigenvalues_are_found() {
    on_each_device(|_| {
        // Each of a square's eigenvalues but those of its diagonal comes twice.
        let a = plane(14, 0.0);
        let of_line = spectrum(14);
        let mut all: Vec<f64> =
            of_line.iter().flat_map(|x| of_line.iter().map(move |y| x + y)).collect();
        all.sort_by(f64::total_cmp);
        for k in [2, 3, 6] {
            let options = EigenOptions::new().which(Which::LargestAlgebraic);
            check(&a, &eigsh(&a, k, &options).unwrap(), &all[196 - k..], 1e-12);
        }
        // The space of a vector is closed at once.
        let eye = &Csr::<f64>::eye(40).unwrap() * 3.0;
        check(&eye, &eigsh(&eye, 3, &EigenOptions::new()).unwrap(), &[3.0; 3], 1e-12);
        let zeros = Csr::<f64>::from_dense(&DeviceArray::zeros([30, 30])).unwrap();
        check(&zeros, &eigsh(&zeros, 2, &EigenOptions::new()).unwrap(), &[0.0; 2], 1e-300);
        // Graded over twelve orders.
        let scale = DeviceArray::<f64>::logspace(-6.0, 6.0, 50, 10.0);
        let graded = Csr::diags([50, 50], &[(0, &scale)]).unwrap();
        let wanted = scale.slice(s![48..]).to_vec().unwrap();
        check(&graded, &eigsh(&graded, 2, &EigenOptions::new()).unwrap(), &wanted, 1e-8);
    });
}

#[test]
fn what_eigsh_cannot_find_is_told() {
    on_each_device(|_| {
        let a = plane(30, 0.0);
        let options = EigenOptions::new().which(Which::SmallestAlgebraic).max_turns(2);
        let found = eigsh(&a, 4, &options).unwrap();
        assert!(!found.converged && found.turns == 2);
        // The residuals say how near they are.
        let values = DeviceArray::from_slice(&found.values).unwrap();
        let rest = (a.dot(&found.vectors) - &found.vectors * values).norm(0).to_vec().unwrap();
        for (told, rest) in found.residuals.iter().zip(rest) {
            assert!((told - rest).abs() < 1e-10, "{told} {rest}");
        }
        let nan = &line(30, 0.0) * f64::NAN;
        assert!(eigsh(&nan, 2, &EigenOptions::new()).unwrap_err().is_numeric());
        let single = line(60, 0.0);
        let single = single.with_data(&single.data().cast::<f32>()).unwrap();
        let options = EigenOptions::new().which(Which::LargestAlgebraic);
        let found = eigsh(&single, 2, &options).unwrap();
        assert!(found.converged && (found.values[1] - spectrum(60)[59]).abs() < 1e-5, "{found:?}");
    });
    let a = line(6, 0.0);
    let none = eigsh(&a, 0, &EigenOptions::new()).unwrap();
    assert!(none.converged && none.vectors.shape() == [6, 0]);
    assert!(eigsh(&a, 7, &EigenOptions::new()).unwrap_err().is_shape());
    assert!(eigsh(&a, 3, &EigenOptions::new().vectors(3)).unwrap_err().is_shape());
    assert!(eigsh(&dense(&[&[1.0, 2.0]]), 1, &EigenOptions::new()).unwrap_err().is_shape());
    let short = DeviceArray::<f64>::ones([5]);
    assert!(eigsh(&a, 1, &EigenOptions::new().start(&short)).unwrap_err().is_shape());
    let zeros = DeviceArray::<f64>::zeros([6]);
    assert!(eigsh(&a, 1, &EigenOptions::new().start(&zeros)).unwrap_err().is_numeric());
    let plain = |x: &DeviceArray<f64>| x.clone();
    assert!(eigsh(&plain, 1, &EigenOptions::new()).unwrap_err().is_shape());
}

#[test]
fn singular_values() {
    on_each_device(|_| {
        let mut generator = Generator::new(9);
        for shape in [[70, 40], [40, 70], [30, 30]] {
            let a = Csr::<f64>::random(&mut generator, shape, 0.3).unwrap();
            let (_, all, _) = a.to_dense().svd();
            let all = all.to_vec().unwrap();
            let least = all.len();
            for (which, wanted) in [
                (Which::LargestMagnitude, &all[..4]),
                (Which::SmallestMagnitude, &all[least - 4..]),
            ] {
                let found = svds(&a, 4, &EigenOptions::new().which(which)).unwrap();
                assert!(found.converged);
                let s = found.s.to_vec().unwrap();
                for (got, wanted) in s.iter().zip(wanted) {
                    assert!((got - wanted).abs() < 1e-9, "{s:?} {wanted:?}");
                }
                let (rows, k) = (shape[0], 4);
                assert_eq!(
                    (found.u.shape(), found.vt.shape()),
                    (&[rows, k][..], &[k, shape[1]][..])
                );
                let rest = a.dot(&found.vt.t()) - &found.u * &found.s;
                assert!(rest.abs().max(..).item().unwrap() < 1e-10);
            }
            // A pair of functions.
            let t = a.transpose().unwrap();
            let pair = (|x: &DeviceArray<f64>| a.dot(x), |y: &DeviceArray<f64>| t.dot(y));
            let start = DeviceArray::<f64>::ones([shape[1]]);
            let found = svds(&pair, 2, &EigenOptions::new().start(&start)).unwrap();
            assert!((found.s.get([1]).unwrap() - all[1]).abs() < 1e-10);
        }
        // Of rank one.
        let a = dense(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]]);
        let s = svds(&a, 2, &EigenOptions::new()).unwrap().s.to_vec().unwrap();
        assert!((s[0] - 70f64.sqrt()).abs() < 1e-12 && s[1].abs() < 1e-12, "{s:?}");
    });
    let a = dense(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]]);
    assert!(svds(&a, 3, &EigenOptions::new()).unwrap_err().is_shape());
    let options = EigenOptions::new().which(Which::BothEnds);
    assert!(svds(&a, 1, &options).unwrap_err().is_unsupported());
    let none = svds(&a, 0, &EigenOptions::new()).unwrap();
    assert_eq!((none.u.shape(), none.vt.shape()), (&[2, 0][..], &[0, 3][..]));
}
