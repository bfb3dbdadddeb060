//! Riccati's equations, indefinite factors, balancing and functions that users give, against SciPy's
//! answers (`tests/data/matrices/control.py`).

use super::answers::{C, File};
use crate::support::load::arrays;
use crate::support::on_each_device;
use lazuli::linalg::*;
use lazuli::prelude::*;

/// Runs a check with the arrays of a file on every device.
fn with_file(check: impl Fn(&File)) {
    let file = File(arrays("matrices/control.npz"));
    on_each_device(|_| check(&file));
}

fn matrix(n: usize, elements: &[f64]) -> DeviceArray<f64> {
    DeviceArray::from_vec([elements.len() / n, n], elements.to_vec()).unwrap()
}

fn riccati<T: Factorable>(file: &File, kind: &str, part: f64) {
    let [a, b, q, r] = ["a", "b", "q", "r"].map(|name| file.array::<T>(&format!("{kind}_{name}")));
    file.near(&format!("{kind}_care"), &solve_continuous_are(&a, &b, &q, &r).unwrap(), part);
    file.near(&format!("{kind}_dare"), &solve_discrete_are(&a, &b, &q, &r).unwrap(), part);
    // What no inverse of `a` finds.
    let singular = DeviceArray::<T>::eye(4).roll(1, 1) * &shifted();
    let x = solve_discrete_are(&singular, &b, &q, &r).unwrap();
    file.near(&format!("{kind}_dare_singular"), &x, part);
}

/// Ones above the diagonal's place, and zeros in the corner.
fn shifted<T: Factorable>() -> DeviceArray<T> {
    matrix(4, &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
        .cast()
}

#[test]
fn riccatis_equations_are_solved_as_scipys() {
    with_file(|file| {
        riccati::<f64>(file, "real", 1e-11);
        riccati::<C>(file, "complex", 1e-11);
        riccati::<f32>(file, "real", 1e-4);
        riccati::<Complex<f32>>(file, "complex", 1e-4);
    });
}

#[test]
fn riccatis_equations_without_an_answer_are_refused() {
    on_each_device(|_| {
        let one = |x: f64| matrix(1, &[x]);
        // No control reaches what grows.
        let (grows, none) = (one(2.0), one(0.0));
        for solve in [solve_continuous_are::<f64>, solve_discrete_are::<f64>] {
            let numeric = |a: &_, b: &_, q: &_, r: &_| {
                let error = solve(a, b, q, r).unwrap_err();
                assert!(error.is_numeric(), "{error}");
            };
            numeric(&grows, &none, &one(1.0), &one(1.0));
            numeric(&grows, &one(1.0), &one(1.0), &none);
            numeric(&one(f64::NAN), &one(1.0), &one(1.0), &one(1.0));
            let eye = DeviceArray::<f64>::eye(2);
            let crooked = matrix(2, &[1.0, 0.5, 0.0, 1.0]);
            let shape = |a: &_, b: &_, q: &_, r: &_| {
                let error = solve(a, b, q, r).unwrap_err();
                assert!(error.is_shape(), "{error}");
            };
            shape(&eye, &eye, &crooked, &eye);
            shape(&eye, &eye, &eye, &crooked);
            shape(&eye, &one(1.0), &eye, &eye);
            shape(&eye, &eye, &eye, &one(1.0));
            let empty = DeviceArray::<f64>::zeros([0, 0]);
            shape(&empty, &empty, &empty, &empty);
        }
        // A rotation with no cost stays on the boundary.
        let turning = matrix(2, &[0.0, 1.0, -1.0, 0.0]);
        let (eye, none) = (DeviceArray::<f64>::eye(2), DeviceArray::<f64>::zeros([2, 2]));
        assert!(solve_continuous_are(&turning, &none, &none, &eye).unwrap_err().is_numeric());
        assert!(solve_discrete_are(&turning, &none, &none, &eye).unwrap_err().is_numeric());
    });
}

fn indefinite<T: Factorable>(file: &File, kind: &str, part: f64) {
    for name in ["0", "1", "2", "3", "4", "zeros"].map(|k| format!("{kind}_ldl_{k}")) {
        let a = file.array::<T>(&name);
        let (l, d, order) = a.ldl().unwrap();
        file.near(&format!("{name}_l"), &l, part);
        file.near(&format!("{name}_d"), &d, part);
        file.near(&format!("{name}_p"), &order, 0.0);
        // Of the upper triangle nothing is read.
        let lower = a.tril(0);
        assert_eq!(lower.ldl().unwrap().1.to_vec().unwrap(), d.to_vec().unwrap());
    }
}

#[test]
fn indefinite_factors_are_scipys() {
    with_file(|file| {
        indefinite::<f64>(file, "real", 1e-12);
        indefinite::<C>(file, "complex", 1e-12);
        indefinite::<f32>(file, "real", 1e-5);
        let batch = lazuli::stack(&[matrix(2, &[4.0, 2.0, 2.0, 3.0]), DeviceArray::eye(2)], 0);
        let (l, d, order) = batch.ldl().unwrap();
        assert_eq!(l.to_vec().unwrap(), [1.0, 0.0, 0.5, 1.0, 1.0, 0.0, 0.0, 1.0]);
        assert_eq!(d.to_vec().unwrap(), [4.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0]);
        assert_eq!(order.shape(), [2, 2]);
        // Squares of these are no numbers.
        let (huge, tiny) = (matrix(2, &[0.0, 1e300, 1e300, 0.0]), matrix(1, &[1e-310]));
        assert_eq!(huge.ldl().unwrap().1.to_vec().unwrap(), huge.to_vec().unwrap());
        assert_eq!(tiny.ldl().unwrap().1.item().unwrap(), 1e-310);
        let empty = DeviceArray::<f64>::zeros([0, 0]).ldl().unwrap();
        assert_eq!((empty.0.shape(), empty.2.shape()), (&[0, 0][..], &[0][..]));
        assert!(matrix(1, &[f64::NAN]).ldl().unwrap_err().is_numeric());
        assert!(matrix(2, &[1.0, 2.0]).ldl().unwrap_err().is_shape());
    });
}

fn balanced<T: Factorable>(file: &File, kind: &str, part: f64) {
    for name in ["wide", "alone", "triangle"].map(|name| format!("{kind}_balance_{name}")) {
        let (b, t) = file.array::<T>(&name).matrix_balance().unwrap();
        file.near(&format!("{name}_b"), &b, part);
        file.near(&format!("{name}_t"), &t, 0.0);
    }
}

#[test]
fn balanced_matrices_are_scipys() {
    with_file(|file| {
        balanced::<f64>(file, "real", 1e-15);
        balanced::<C>(file, "complex", 1e-15);
        balanced::<f32>(file, "real", 1e-6);
        let empty = DeviceArray::<f64>::zeros([2, 0, 0]).matrix_balance().unwrap();
        assert_eq!(empty.0.shape(), [2, 0, 0]);
        for odd in [f64::NAN, f64::INFINITY] {
            assert!(matrix(1, &[odd]).matrix_balance().unwrap_err().is_numeric());
        }
        assert!(matrix(2, &[1.0, 2.0]).matrix_balance().unwrap_err().is_shape());
        let far = matrix(2, &[1.0, 1e300, 1e-300, 1.0]).matrix_balance().unwrap().0;
        let far = far.to_vec().unwrap();
        assert!(far.iter().all(|x| (0.4..2.5).contains(x)), "{far:?}");
    });
}

#[test]
fn functions_of_matrices_are_scipys() {
    with_file(|file| {
        let (a, b) = (file.array::<f64>("real_funm"), file.array::<C>("complex_funm"));
        file.near("real_funm_cos", &a.funm(|x| x.cos()).unwrap(), 1e-11);
        file.near("complex_funm_cos", &b.funm(|x| x.cos()).unwrap(), 1e-11);
        file.near("real_funm_cube", &a.funm(|x| x.powi(3)).unwrap(), 1e-11);
        let single = file.array::<f32>("real_funm").funm(|x| x.powi(3)).unwrap();
        file.near("real_funm_cube", &single, 1e-5);
        // Equal eigenvalues with eigenvectors of their own need no derivative.
        let same = DeviceArray::<f64>::eye(3).funm(|x| x.exp()).unwrap().real();
        assert_eq!(same.get([2, 2]).unwrap(), 1f64.exp());
        assert_eq!(same.get([0, 2]).unwrap(), 0.0);
        let jordan = matrix(2, &[2.0, 1.0, 0.0, 2.0]);
        assert!(jordan.funm(|x| x).unwrap_err().to_string().contains("derivative"));
        assert!(matrix(1, &[f64::NAN]).funm(|x| x).unwrap_err().is_numeric());
        assert!(matrix(2, &[1.0, 2.0]).funm(|x| x).unwrap_err().is_shape());
        let empty = DeviceArray::<f64>::zeros([0, 0]).funm(|x| x).unwrap();
        assert_eq!(empty.shape(), [0, 0]);
    });
}

#[test]
fn real_forms_are_scipys() {
    with_file(|file| {
        let (w, v) = (file.array::<C>("values"), file.array::<C>("vectors"));
        let (real, vectors) = cdf2rdf(&w, &v).unwrap();
        file.near("cdf2rdf_w", &real, 1e-15);
        file.near("cdf2rdf_v", &vectors, 1e-15);
        let (w, v) = (w.cast::<Complex<f32>>(), v.cast::<Complex<f32>>());
        file.near("cdf2rdf_v", &cdf2rdf(&w, &v).unwrap().1, 1e-6);
        let eye = DeviceArray::<C>::eye(2);
        let list = |re, im| DeviceArray::from_slice(&[C::new(1.0, 1.0), C::new(re, im)]).unwrap();
        for alone in [list(1.0, 1.0), list(2.0, -1.0), list(1.0, 0.0), list(f64::NAN, -1.0)] {
            assert!(cdf2rdf(&alone, &eye).unwrap_err().is_numeric());
        }
        assert!(cdf2rdf(&list(1.0, -1.0), &DeviceArray::eye(3)).unwrap_err().is_shape());
        let number = DeviceArray::<C>::zeros(());
        assert!(cdf2rdf(&number, &eye).unwrap_err().is_shape());
        let (none, empty) = (DeviceArray::<C>::zeros(0), DeviceArray::<C>::zeros([0, 0]));
        assert_eq!(cdf2rdf(&none, &empty).unwrap().0.shape(), [0, 0]);
    });
}

#[test]
fn fiedlers_matrices_are_scipys() {
    with_file(|file| {
        for n in 2..9 {
            let (real, complex) = (format!("real_line_{n}"), format!("complex_line_{n}"));
            file.near(
                &format!("real_fiedler_{n}"),
                &fiedler_companion(&file.array::<f64>(&real)),
                1e-15,
            );
            let made = fiedler_companion(&file.array::<C>(&complex));
            file.near(&format!("complex_fiedler_{n}"), &made, 1e-14);
            let made = fiedler_companion(&file.array::<f32>(&real));
            file.near(&format!("real_fiedler_{n}"), &made, 1e-6);
        }
        // Each line of a batch makes its own.
        let lines = matrix(3, &[1.0, 2.0, 3.0, 2.0, 8.0, 4.0]);
        let wanted = [-2.0, -3.0, 1.0, 0.0, -4.0, -2.0, 1.0, 0.0];
        assert_eq!(fiedler_companion(&lines).to_vec().unwrap(), wanted);
        let number = DeviceArray::<f64>::zeros(());
        for few in [number, DeviceArray::zeros(0), DeviceArray::zeros(1)] {
            let error = try_fiedler_companion(&few).unwrap_err();
            assert!(error.is_shape() && error.to_string().contains("fiedler_companion"), "{error}");
        }
    });
}
