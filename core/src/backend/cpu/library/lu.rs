//! The LU factorisation with partial pivots, as LAPACK packs it, and systems of few equations.
//!
//! faer asks for the number of threads whatever it factorises, and a call that is handed to the pool's
//! threads takes longer than a small system: those are solved here.

use faer::traits::ComplexField;
use faer::traits::math_utils::{mul, sub};
use faer::{MatMut, MatRef};

/// Smaller matrices are factorised here.
pub(super) const SMALL: usize = 32;

/// Writes `L` without its diagonal of ones and `U` in `P A = L U`, and gives for each row in turn the
/// row that it was swapped with.
pub(super) fn factorise<T: ComplexField>(a: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Vec<usize> {
    let n = a.nrows();
    if n < SMALL {
        out.copy_from(a);
        return one_by_one(out);
    }
    let lu = a.partial_piv_lu();
    if (0..n).any(|i| lu.U()[(i, i)] == T::zero_impl()) {
        // What follows a pivot of zero has been divided by it.
        out.copy_from(a);
        return one_by_one(out);
    }
    let (lower, upper) = (lu.L(), lu.U());
    for j in 0..n {
        for i in 0..n {
            let from = if i > j { &lower[(i, j)] } else { &upper[(i, j)] };
            out[(i, j)] = from.clone();
        }
    }
    swaps(lu.P().arrays().0)
}

/// Solves a small system in place of its right-hand sides.
pub(super) fn solve<T: ComplexField>(
    a: MatRef<'_, T>,
    mut b: MatMut<'_, T>,
) -> Result<(), &'static str> {
    let (n, mut lu) = (a.nrows(), a.to_owned());
    let swaps = one_by_one(lu.as_mut());
    if (0..n).any(|i| lu[(i, i)] == T::zero_impl()) {
        return Err("is singular");
    }
    let pivots: Vec<_> = (0..n).map(|i| Divisor::new(&lu[(i, i)])).collect();
    for k in 0..b.ncols() {
        for (i, &with) in swaps.iter().enumerate() {
            let (upper, lower) = (b[(i, k)].clone(), b[(with, k)].clone());
            (b[(i, k)], b[(with, k)]) = (lower, upper);
        }
        for i in 0..n {
            b[(i, k)] = without(&b[(i, k)], (0..i).map(|j| (&lu[(i, j)], &b[(j, k)])));
        }
        for i in (0..n).rev() {
            let rest = without(&b[(i, k)], (i + 1..n).map(|j| (&lu[(i, j)], &b[(j, k)])));
            b[(i, k)] = pivots[i].divide(&rest);
        }
    }
    Ok(())
}

/// A number less the products of some pairs.
fn without<'a, T: ComplexField + 'a>(from: &T, pairs: impl Iterator<Item = (&'a T, &'a T)>) -> T {
    pairs.fold(from.clone(), |rest, (x, y)| sub(&rest, &mul(x, y)))
}

/// What numbers are divided by: its reciprocal, before which they are brought up by a power of two where
/// that would be too large.
struct Divisor<T> {
    large: Option<T>,
    reciprocal: T,
}

impl<T: ComplexField> Divisor<T> {
    fn new(by: &T) -> Divisor<T> {
        let reciprocal = T::recip_impl(by);
        if T::is_finite_impl(&reciprocal) {
            return Divisor { large: None, reciprocal };
        }
        let large = T::from_f64_impl(f64::from(1u32 << 30) * f64::from(1u32 << 30));
        Divisor { reciprocal: T::recip_impl(&mul(by, &large)), large: Some(large) }
    }

    fn divide(&self, x: &T) -> T {
        match &self.large {
            None => mul(x, &self.reciprocal),
            Some(large) => mul(&mul(x, large), &self.reciprocal),
        }
    }
}

/// The swaps that make a permutation, of which `forward` says where each row comes from.
fn swaps(forward: &[usize]) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..forward.len()).collect();
    // Where each row stands.
    let mut places = rows.clone();
    let swap = |(at, &row): (usize, &usize)| {
        let from = places[row];
        places[rows[at]] = from;
        rows.swap(at, from);
        from
    };
    forward.iter().enumerate().map(swap).collect()
}

/// In place, leaving out columns without a pivot.
fn one_by_one<T: ComplexField>(mut a: MatMut<'_, T>) -> Vec<usize> {
    let n = a.nrows();
    let mut swaps = Vec::with_capacity(n);
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if T::abs1_impl(&a[(i, k)]) > T::abs1_impl(&a[(pivot, k)]) {
                pivot = i;
            }
        }
        swaps.push(pivot);
        for j in 0..n {
            let (upper, lower) = (a[(k, j)].clone(), a[(pivot, j)].clone());
            (a[(k, j)], a[(pivot, j)]) = (lower, upper);
        }
        if a[(k, k)] == T::zero_impl() {
            continue;
        }
        let pivot = Divisor::new(&a[(k, k)]);
        for i in k + 1..n {
            a[(i, k)] = pivot.divide(&a[(i, k)]);
        }
        for j in k + 1..n {
            let above = a[(k, j)].clone();
            for i in k + 1..n {
                let product = mul(&a[(i, k)], &above);
                a[(i, j)] = sub(&a[(i, j)], &product);
            }
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn permutations_are_swaps() {
        assert_eq!(swaps(&[2, 0, 1]), [2, 2, 2]);
        assert_eq!(swaps(&[0, 1, 2]), [0, 1, 2]);
        assert_eq!(swaps(&[3, 2, 1, 0]), [3, 2, 2, 3]);
    }

    #[test]
    fn small_systems_are_solved() {
        for n in [1, 2, 3, 7, 31] {
            for scale in [1.0, 1e-300, 5e-310, 1e300] {
                let entry = |i: usize, j: usize| ((i * 7 + j * 3 + i * j) % 11) as f64 - 4.0;
                let a = Mat::from_fn(n, n, |i, j| {
                    (entry(i, j) + if i == j { 20.0 } else { 0.0 }) * scale
                });
                let x = Mat::from_fn(n, 2, |i, j| entry(i, j + 3));
                let mut b =
                    Mat::from_fn(n, 2, |i, k| (0..n).map(|j| a[(i, j)] * x[(j, k)]).sum::<f64>());
                solve(a.as_ref(), b.as_mut()).unwrap();
                let bound = if scale < 1e-305 { 1e-9 } else { 1e-12 };
                assert!((b - x).norm_max() < bound, "{n} {scale}");
            }
        }
        assert!(solve(Mat::<f64>::ones(3, 3).as_ref(), Mat::ones(3, 1).as_mut()).is_err());
    }

    #[test]
    fn factors_multiply_to_the_matrix() {
        for singular in [false, true] {
            let entry = |i: usize, j: usize| ((i * 7 + j * 3) % 5) as f64 + f64::from(i == j);
            let a = Mat::from_fn(6, 6, |i, j| if singular && j == 2 { 0.0 } else { entry(i, j) });
            let mut out = Mat::zeros(6, 6);
            let swaps = factorise(a.as_ref(), out.as_mut());
            let lower = |i: usize, k: usize| if i == k { 1.0 } else { out[(i, k)] };
            let mut rows: Vec<usize> = (0..6).collect();
            swaps.iter().enumerate().for_each(|(i, &j)| rows.swap(i, j));
            for (i, &row) in rows.iter().enumerate() {
                for j in 0..6 {
                    let sum: f64 = (0..=i.min(j)).map(|k| lower(i, k) * out[(k, j)]).sum();
                    assert!((sum - a[(row, j)]).abs() < 1e-13, "{i} {j}");
                }
            }
        }
    }
}
