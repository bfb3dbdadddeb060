//! Square matrices on the host.

use super::C;
use std::ops::{Index, IndexMut};

/// A quotient, also where the square of a number is too small or too large.
pub(in crate::ops::linalg) fn over(a: C, b: C) -> C {
    let size = b.re.abs().max(b.im.abs());
    // A power of two, so that nothing is rounded; of zero and what is not finite the plain quotient.
    let unit = size.log2().floor();
    if !unit.is_finite() || unit.abs() < 300.0 {
        return a / b;
    }
    let half = [(0.5 * unit).floor(), unit - (0.5 * unit).floor()].map(|k| (-k).exp2());
    (a * half[0] * half[1]) / (b * half[0] * half[1])
}

/// A square matrix in rows.
#[derive(Clone, Debug)]
pub(super) struct Square {
    n: usize,
    elements: Vec<C>,
}

impl Index<(usize, usize)> for Square {
    type Output = C;

    fn index(&self, (i, j): (usize, usize)) -> &C {
        &self.elements[i * self.n + j]
    }
}

impl IndexMut<(usize, usize)> for Square {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut C {
        &mut self.elements[i * self.n + j]
    }
}

impl Square {
    pub(super) fn new(n: usize, elements: Vec<C>) -> Square {
        Square { n, elements }
    }

    pub(super) fn zeros(n: usize) -> Square {
        Square { n, elements: vec![C::new(0.0, 0.0); n * n] }
    }

    pub(super) fn identity(n: usize) -> Square {
        let mut a = Square::zeros(n);
        (0..n).for_each(|i| a[(i, i)] = C::new(1.0, 0.0));
        a
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn elements(&self) -> &[C] {
        &self.elements
    }

    /// The largest part of an element.
    pub(super) fn largest(&self) -> f64 {
        self.elements.iter().fold(0.0, |most: f64, x| most.max(x.re.abs()).max(x.im.abs()))
    }

    /// The largest sum of magnitudes of a column.
    pub(super) fn norm(&self) -> f64 {
        let column = |j: usize| (0..self.n).map(|i| self[(i, j)].norm()).sum::<f64>();
        (0..self.n).map(column).fold(0.0, f64::max)
    }

    pub(super) fn scale(&mut self, by: f64) {
        self.elements.iter_mut().for_each(|x| *x *= by);
    }

    pub(super) fn times(&self, other: &Square) -> Square {
        let mut product = Square::zeros(self.n);
        for i in 0..self.n {
            for k in 0..self.n {
                let factor = self[(i, k)];
                if factor == C::new(0.0, 0.0) {
                    continue;
                }
                for j in 0..self.n {
                    product[(i, j)] += factor * other[(k, j)];
                }
            }
        }
        product
    }

    pub(super) fn adjoint(&self) -> Square {
        let mut turned = Square::zeros(self.n);
        for i in 0..self.n {
            for j in 0..self.n {
                turned[(j, i)] = self[(i, j)].conj();
            }
        }
        turned
    }

    /// `z · self · zᴴ`.
    pub(super) fn turned_by(&self, z: &Square) -> Square {
        z.times(self).times(&z.adjoint())
    }

    /// The solution of `self · x = b` for an upper triangle without zeros on its diagonal.
    pub(super) fn solve_upper(&self, b: &Square) -> Square {
        let mut x = b.clone();
        for i in (0..self.n).rev() {
            for k in i + 1..self.n {
                let factor = self[(i, k)];
                for j in 0..self.n {
                    let known = x[(k, j)];
                    x[(i, j)] -= factor * known;
                }
            }
            let pivot = self[(i, i)];
            (0..self.n).for_each(|j| x[(i, j)] = over(x[(i, j)], pivot));
        }
        x
    }
}
