//! Matrices that have no result.

use lazuli::prelude::*;

fn numeric(error: Error, begins: &str) {
    assert!(error.is_numeric(), "{error}");
    assert!(error.to_string().starts_with(begins), "{error}");
}

#[test]
fn singular_matrices() {
    let a = DeviceArray::<f64>::ones([2, 2]);
    let b = DeviceArray::<f64>::ones(2);
    numeric(a.solve(&b).eval().unwrap_err(), "solve: the matrix is singular");
    numeric(a.inverse().copy_to_host().unwrap_err(), "inverse: the matrix is singular");
    let batch = lazuli::stack(&[&DeviceArray::<f64>::eye(2), &a], 0);
    numeric(batch.inverse().eval().unwrap_err(), "inverse: matrix 1 of the batch is singular");
}

#[test]
fn a_failure_leaves_everything_as_it_was() {
    let a = DeviceArray::<f64>::ones([2, 2]) * 3.0;
    let (other, bad) = (&a + 1.0, a.inverse());
    assert!(lazuli::eval(&[&other, &bad]).unwrap_err().is_numeric());
    assert!(!bad.is_evaluated());
    assert_eq!(other.to_vec().unwrap(), [4.0; 4]);
    assert!(bad.eval().unwrap_err().is_numeric());
}

#[test]
fn matrices_that_are_not_positive_definite() {
    let a = DeviceArray::from_vec([2, 2], vec![1.0, 2.0, 2.0, 1.0]).unwrap();
    numeric(a.cholesky().eval().unwrap_err(), "cholesky: the matrix is not positive definite");
    let batch = lazuli::stack(&[&a, &DeviceArray::<f64>::eye(2), &a], 0);
    numeric(batch.cholesky().eval().unwrap_err(), "cholesky: matrix ");
}

#[test]
fn shapes_that_do_not_fit() {
    let (a, v) = (DeviceArray::<f64>::ones([2, 3]), DeviceArray::<f64>::ones(3));
    let square = DeviceArray::<f64>::eye(2);
    let refused = [
        ("inverse: shape [2, 3] is not of square matrices", a.try_inverse().unwrap_err()),
        ("det: shape [2, 3]", a.try_det().unwrap_err()),
        ("slogdet: shape [2, 3]", a.try_slogdet().unwrap_err()),
        ("cholesky: shape [2, 3]", a.try_cholesky().unwrap_err()),
        ("eigh: shape [2, 3]", a.try_eigh().unwrap_err()),
        ("eig: shape [2, 3]", a.try_eig().unwrap_err()),
        ("expm: shape [2, 3]", a.try_expm().unwrap_err()),
        ("matrix_power: shape [2, 3]", a.try_matrix_power(2).unwrap_err()),
        ("solve: shape [2, 3]", a.try_solve(&v).unwrap_err()),
        ("solve: shapes [2, 2] and [3, 1] do not match", square.try_solve(&v).unwrap_err()),
        ("solve_triangular: shapes", square.try_solve_triangular(&v, true).unwrap_err()),
        ("lstsq: shapes", a.try_lstsq(&v, None).unwrap_err()),
        ("qr: shape [3] has no two axes", v.try_qr().unwrap_err()),
        ("svd: shape [3]", v.try_svd().unwrap_err()),
        ("trace: shape [3]", v.try_trace(0).unwrap_err()),
    ];
    for (begins, error) in refused {
        assert!(error.is_shape() && error.to_string().starts_with(begins), "{error}");
        assert!(error.to_string().contains("refusals.rs"), "{error}");
    }
    let many = DeviceArray::<f64>::ones([3, 2, 2]);
    assert!(many.try_solve(&DeviceArray::<f64>::ones([2, 2, 1])).unwrap_err().is_shape());
}
