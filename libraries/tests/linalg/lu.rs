//! Factors multiply to the matrix, and systems are solved.

use faer::Mat;
use lazuli_libraries::linalg::Element;

#[test]
fn systems_are_solved() {
    for n in [1, 2, 3, 7, 31, 32, 50] {
        for scale in [1.0, 1e-300, 5e-310, 1e300] {
            let entry = |i: usize, j: usize| ((i * 7 + j * 3 + i * j) % 11) as f64 - 4.0;
            let a =
                Mat::from_fn(n, n, |i, j| (entry(i, j) + if i == j { 20.0 } else { 0.0 }) * scale);
            let x = Mat::from_fn(n, 2, |i, j| entry(i, j + 3));
            let mut b =
                Mat::from_fn(n, 2, |i, k| (0..n).map(|j| a[(i, j)] * x[(j, k)]).sum::<f64>());
            f64::solve(a.as_ref(), b.as_mut()).unwrap();
            let bound = if scale < 1e-305 { 1e-9 } else { 1e-12 };
            assert!((b - x).norm_max() < bound, "{n} {scale}");
        }
    }
    for n in [3, 40] {
        assert!(f64::solve(Mat::ones(n, n).as_ref(), Mat::ones(n, 1).as_mut()).is_err());
    }
}

#[test]
fn factors_multiply_to_the_matrix() {
    let sizes =
        [6, 40].map(|n| [(n, false, 1.0), (n, true, 1.0), (n, false, f64::MIN_POSITIVE / 256.0)]);
    for (n, singular, scale) in sizes.into_iter().flatten() {
        let entry = |i: usize, j: usize| ((i * 7 + j * 3) % 5) as f64 + 30.0 * f64::from(i == j);
        let entry = |i: usize, j: usize| entry(i, j) * scale;
        let a = Mat::from_fn(n, n, |i, j| if singular && j == 2 { 0.0 } else { entry(i, j) });
        let mut out = Mat::zeros(n, n);
        let swaps = f64::lu(a.as_ref(), out.as_mut());
        let lower = |i: usize, k: usize| if i == k { 1.0 } else { out[(i, k)] };
        let mut rows: Vec<usize> = (0..n).collect();
        swaps.iter().enumerate().for_each(|(i, &j)| rows.swap(i, j));
        for (i, &row) in rows.iter().enumerate() {
            for j in 0..n {
                let sum: f64 = (0..=i.min(j)).map(|k| lower(i, k) * out[(k, j)]).sum();
                let bound = if scale < 1.0 { 1e-11 } else { 1e-12 };
                assert!((sum - a[(row, j)]).abs() <= bound * scale, "{n} {i} {j}");
            }
        }
    }
}

/// Rows from usual to tiny numbers, which no one scale makes moderate.
#[test]
fn graded_systems_are_solved() {
    for n in [20, 60] {
        let by = |i: usize| {
            2f64.powi(-(500 * i as i32) / n as i32) * 2f64.powi(-(530 * i as i32) / n as i32)
        };
        let entry = |i: usize, j: usize| ((i * 7 + j * 3 + i * j) % 11) as f64 - 5.0;
        let a =
            Mat::from_fn(n, n, |i, j| by(i) * (entry(i, j) + 9.0 * n as f64 * f64::from(i == j)));
        let x = Mat::from_fn(n, 2, |i, j| entry(i, j + 3));
        let sum = |i: usize, k: usize| (0..n).map(|j| a[(i, j)] * x[(j, k)]).sum::<f64>();
        let mut b = Mat::from_fn(n, 2, sum);
        f64::solve(a.as_ref(), b.as_mut()).unwrap();
        assert!((b - x).norm_max() < 1e-4, "{n}");
    }
}

#[test]
fn permutations_are_swaps() {
    for n in [5, 40] {
        let from = |i: usize| (i * 3 + 2) % n;
        let a = Mat::from_fn(n, n, |i, j| f64::from(j == from(i)));
        let swaps = f64::lu(a.as_ref(), Mat::zeros(n, n).as_mut());
        let mut rows: Vec<usize> = (0..n).collect();
        swaps.iter().enumerate().for_each(|(i, &j)| rows.swap(i, j));
        assert!(rows.iter().enumerate().all(|(i, &row)| from(row) == i), "{n}: {rows:?}");
    }
}

#[test]
fn triangles_are_solved() {
    for (n, lower) in [(7, true), (7, false), (40, true), (40, false)] {
        for (scale, unit) in [(1.0, false), (1.0, true), (5e-310, false), (1e300, false)] {
            let inside = |i: usize, j: usize| if lower { i > j } else { i < j };
            let entry = |i: usize, j: usize| ((i * 7 + j * 3) % 11) as f64 / 8.0 - 0.5;
            let a = Mat::from_fn(n, n, |i, j| match (i == j, inside(i, j)) {
                (true, _) if unit => 1.0,
                (true, _) => scale * 16.0,
                (_, true) => scale * entry(i, j),
                // Nobody reads the other half.
                _ => f64::NAN,
            });
            let x = Mat::from_fn(n, 2, |i, k| entry(k, i));
            let product = |i: usize, k: usize| {
                let terms = (0..n).filter(|&j| i == j || inside(i, j));
                terms.map(|j| a[(i, j)] * x[(j, k)]).sum::<f64>()
            };
            let mut b = Mat::from_fn(n, 2, product);
            f64::solve_triangle(a.as_ref(), b.as_mut(), lower, unit).unwrap();
            let bound = if scale < 1e-305 {
                1e-9
            } else if unit {
                1e-6
            } else {
                1e-12
            };
            assert!((b - x).norm_max() < bound, "{n} {lower} {unit} {scale}");
        }
    }
}
