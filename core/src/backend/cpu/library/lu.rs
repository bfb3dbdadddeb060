//! The LU factorisation with partial pivots, as LAPACK packs it.

use faer::traits::ComplexField;
use faer::traits::math_utils::{mul, sub};
use faer::{MatMut, MatRef};

/// Writes `L` without its diagonal of ones and `U` in `P A = L U`, and gives for each row in turn the
/// row that it was swapped with.
pub(super) fn factorise<T: ComplexField>(a: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Vec<usize> {
    let (n, lu) = (a.nrows(), a.partial_piv_lu());
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
        let reciprocal = T::recip_impl(&a[(k, k)]);
        for i in k + 1..n {
            a[(i, k)] = mul(&a[(i, k)], &reciprocal);
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
