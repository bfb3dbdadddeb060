//! Systems of few linear equations, one for each member: every coefficient is an array over them.

use super::state::Parts;
use crate::array::DeviceArray;
use crate::dtype::Component;

/// A matrix's factors by Gauss's elimination with partial pivoting. Members choose their pivots by
/// selections, so that all of it works element by element.
pub(super) struct Lu<T: Component> {
    /// Above the diagonal the upper factor; below it multipliers, as the elimination used them.
    rows: Vec<Parts<T>>,
    /// The reciprocals of the pivots.
    pivots: Parts<T>,
    /// Where a column's elimination exchanged its row with one further down, in order.
    swaps: Vec<Vec<DeviceArray<bool>>>,
}

/// Exchanges two arrays where a mask says so.
#[track_caller]
fn exchange<T: Component>(
    mask: &DeviceArray<bool>,
    a: &mut DeviceArray<T>,
    b: &mut DeviceArray<T>,
) {
    (*a, *b) = (mask.select(&*b, &*a), mask.select(&*a, &*b));
}

impl<T: Component> Lu<T> {
    /// Factors a matrix, given by rows. Where it is singular, solutions are infinite or NaN.
    #[track_caller]
    pub fn new(mut rows: Vec<Parts<T>>) -> Lu<T> {
        let n = rows.len();
        let (mut pivots, mut swaps) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for c in 0..n {
            let (above, below) = rows.split_at_mut(c + 1);
            let pivot = &mut above[c];
            let exchanged = below.iter_mut().map(|row| {
                let larger = row[c].abs().greater(pivot[c].abs());
                for (a, b) in pivot[c..].iter_mut().zip(&mut row[c..]) {
                    exchange(&larger, a, b);
                }
                larger
            });
            swaps.push(exchanged.collect());
            let reciprocal = pivot[c].reciprocal();
            for row in below {
                let factor = &row[c] * &reciprocal;
                for k in c + 1..n {
                    row[k] = &row[k] - &factor * &pivot[k];
                }
                row[c] = factor;
            }
            pivots.push(reciprocal);
        }
        Lu { rows, pivots, swaps }
    }

    /// The solution for a right-hand side.
    #[track_caller]
    pub fn solve(&self, mut x: Parts<T>) -> Parts<T> {
        let n = x.len();
        for c in 0..n {
            let (above, below) = x.split_at_mut(c + 1);
            for (b, swap) in below.iter_mut().zip(&self.swaps[c]) {
                exchange(swap, &mut above[c], b);
            }
            for (b, row) in below.iter_mut().zip(&self.rows[c + 1..]) {
                *b = &*b - &row[c] * &above[c];
            }
        }
        for c in (0..n).rev() {
            for k in c + 1..n {
                x[c] = &x[c] - &self.rows[c][k] * &x[k];
            }
            x[c] = &x[c] * &self.pivots[c];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matrices whose pivots members choose differently, one of them singular.
    #[test]
    fn members_choose_their_pivots() {
        let matrices = [
            [[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [4.0, 0.0, 1.0]],
            [[3.0, 1e-9, 0.0], [1e-20, 0.0, 1.0], [0.0, 5.0, 10.0]],
            [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]],
        ];
        let x = [1.0, -2.0, 3.0];
        let over = |value: &dyn Fn(usize) -> f64| {
            DeviceArray::from_slice(&[value(0), value(1), value(2)]).unwrap()
        };
        let row = |r: usize| (0..3).map(|c| over(&|m| matrices[m][r][c])).collect();
        let right = |r: usize| over(&|m| (0..3).map(|c| matrices[m][r][c] * x[c]).sum());
        let factors = Lu::new((0..3).map(row).collect::<Vec<Parts<f64>>>());
        let found: Parts<f64> = factors.solve((0..3).map(right).collect());
        for (found, want) in found.iter().zip(x) {
            let found = found.to_vec().unwrap();
            assert!((found[0] - want).abs() < 1e-14, "{found:?}, not {want}");
            assert!((found[1] - want).abs() < 1e-14, "{found:?}, not {want}");
        }
        assert!(found.iter().any(|x| !x.to_vec().unwrap()[2].is_finite()));
    }
}
