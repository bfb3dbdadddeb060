//! Powers of two, and matrices brought to a moderate size.

use faer::Mat;
use lazuli_libraries::linalg::balance::{self, Power, Scaled, moderate};

#[test]
fn powers_reach_every_number() {
    for x in [1e-320, 5e-324, 1e-300, 0.75, 3.0, 1e308, f64::MAX] {
        let by = Power::to(x, 0).unwrap();
        let y = x.times(by);
        assert!((0.5..2.0).contains(&y), "{x:e} {y}");
        assert_eq!(y.times(by.inverse()), x);
    }
    assert!(Power::to(0.0, 3).is_none() && Power::to(f64::NAN, 3).is_none());
}

#[test]
fn triangles_are_isolated_and_rows_evened_out() {
    // A lower triangle turns into an upper one.
    let lower = Mat::from_fn(5, 5, |i, j| if i >= j { (i + 2 * j + 1) as f64 } else { 0.0 });
    let balanced = balance::balanced(lower.as_ref()).unwrap();
    for i in 0..5 {
        for j in 0..i {
            assert_eq!(balanced.matrix[(i, j)], 0.0, "{i} {j}");
        }
    }
    let far = [[1.0, 1e10, 0.0], [1e-10, 2.0, 1e5], [0.0, 1e-5, 3.0]];
    let far = Mat::from_fn(3, 3, |i, j| far[i][j]);
    let even = balance::balanced(far.as_ref()).unwrap();
    for i in 0..2 {
        let ratio: f64 = even.matrix[(i, i + 1)] / even.matrix[(i + 1, i)];
        assert!((0.01..100.0).contains(&ratio), "{ratio}");
    }
}

#[test]
fn moderate_matrices_stay() {
    let a = Mat::from_fn(2, 2, |i, j| (1 + i + j) as f32);
    assert!(moderate(a.as_ref()).is_none());
    assert!(moderate(Mat::<f32>::zeros(2, 2).as_ref()).is_none());
    let tiny = Mat::from_fn(2, 2, |i, j| 1e-30 * (1 + i + j) as f32);
    let (scaled, by) = moderate(tiny.as_ref()).unwrap();
    assert_eq!(scaled[(1, 0)].times(by.inverse()), tiny[(1, 0)]);
}
