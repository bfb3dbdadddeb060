//! The LU factorisation with partial pivots, as LAPACK packs it, and systems of few equations.
//!
//! faer asks for the number of threads whatever it factorises, and a call that is handed to the pool's
//! threads takes longer than a small system: those are solved here. So are systems and triangles with a
//! pivot so small that its reciprocal, by which faer multiplies, is no number.

use super::Answer;
use super::balance::{self, Scaled};
use faer::traits::ComplexField;
use faer::traits::math_utils::{mul, sub};
use faer::{ColMut, MatMut, MatRef};

/// Smaller matrices are factorised here.
pub const SMALL: usize = 32;

/// Writes `L` without its diagonal of ones and `U` in `P A = L U`, and gives for each row in turn the
/// row that it was swapped with.
pub(super) fn factorise<T: ComplexField + Scaled>(
    a: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Vec<usize> {
    let n = a.nrows();
    if n < SMALL {
        out.copy_from(a);
        return one_by_one(out);
    }
    let lu = a.partial_piv_lu();
    let pivots = || (0..n).map(|i| lu.U()[(i, i)]);
    if has_tiny(pivots())
        && let Some((enlarged, by)) = balance::enlarged(a)
    {
        let swaps = factorise(enlarged.as_ref(), out.as_mut());
        for j in 0..n {
            let upper = out.as_mut().col_mut(j).subrows_mut(0, j + 1);
            upper.iter_mut().for_each(|x| *x = x.times(by.inverse()));
        }
        return swaps;
    }
    if pivots().any(|pivot| pivot == T::zero_impl()) || has_tiny(pivots()) {
        // What follows such a pivot has been divided by it.
        out.copy_from(a);
        return one_by_one(out);
    }
    let (lower, upper) = (lu.L(), lu.U());
    for j in 0..n {
        for i in 0..n {
            out[(i, j)] = if i > j { lower[(i, j)] } else { upper[(i, j)] };
        }
    }
    swaps(lu.P().arrays().0)
}

/// Whether one of some pivots is no zero, and its reciprocal no number.
pub(super) fn has_tiny<T: ComplexField>(mut pivots: impl Iterator<Item = T>) -> bool {
    let is_tiny = |x: &T| !T::is_finite_impl(&T::recip_impl(x)) && *x != T::zero_impl();
    pivots.any(|pivot| T::is_finite_impl(&pivot) && is_tiny(&pivot))
}

/// Solves a system in place of its right-hand sides.
pub(super) fn solve<T: ComplexField>(a: MatRef<'_, T>, mut b: MatMut<'_, T>) -> Answer {
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
        substitute(lu.as_ref(), b.as_mut().col_mut(k), true, |_, x| x);
        substitute(lu.as_ref(), b.as_mut().col_mut(k), false, |i, x| pivots[i].divide(&x));
    }
    Ok(())
}

/// Solves a triangular system without zeros on its diagonal in place of its right-hand sides.
pub(super) fn solve_triangle<T: ComplexField>(a: MatRef<'_, T>, mut b: MatMut<'_, T>, lower: bool) {
    let pivots: Vec<_> = (0..a.nrows()).map(|i| Divisor::new(&a[(i, i)])).collect();
    for k in 0..b.ncols() {
        substitute(a, b.as_mut().col_mut(k), lower, |i, x| pivots[i].divide(&x));
    }
}

/// Solves a triangular system, given what is done at last for each row.
fn substitute<T: ComplexField>(
    a: MatRef<'_, T>,
    mut b: ColMut<'_, T>,
    lower: bool,
    last: impl Fn(usize, T) -> T,
) {
    let n = a.nrows();
    for step in 0..n {
        let i = if lower { step } else { n - 1 - step };
        let known = if lower { 0..i } else { i + 1..n };
        let rest = known.fold(b[i].clone(), |rest, j| sub(&rest, &mul(&a[(i, j)], &b[j])));
        b[i] = last(i, rest);
    }
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
