//! Prepares a matrix for eigenvalues and singular values, as LAPACK does and faer does not: the
//! matrix is brought to a size at which squares neither overflow nor underflow, and for eigenvalues
//! it is balanced (B. Parlett and C. Reinsch, "Balancing a matrix for calculation of eigenvalues
//! and eigenvectors", 1969; R. James, J. Langou and B. Lowery, "On matrix balancing and eigenvector
//! computation", 2014, for the norms and when to stop).

use faer::perm::{swap_cols_idx, swap_rows_idx};
use faer::traits::ComplexField;
use faer::{Mat, MatMut, MatRef};
use num_complex::Complex;

/// A number that can be scaled by powers of two.
pub trait Scaled: Copy {
    /// The largest absolute value of its parts.
    fn magnitude(self) -> f64;
    /// The sum of the squares of its parts.
    fn square(self) -> f64;
    /// It times a power of two: exact but for what becomes subnormal.
    fn times(self, by: Power) -> Self;
    /// The exponent that leaves room for squares of sums of squares.
    const HIGH: i32;
    /// Exponents between its negative and itself are harmless.
    const USUAL: i32;
}

/// A power of two, whose exponent may be beyond those of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power(i32);

impl Power {
    pub fn inverse(self) -> Power {
        Power(-self.0)
    }

    /// The power that brings the largest of some magnitudes to within a factor of 2 of 2 to the
    /// `exponent`; none where they are zero, or not finite.
    pub fn to(largest: f64, exponent: i32) -> Option<Power> {
        let is_number = largest > 0.0 && largest < f64::INFINITY;
        is_number.then(|| Power(exponent - largest.log2().floor() as i32))
    }

    /// The power that brings numbers of unusual magnitude to about one; none where they may stay.
    pub fn usual<T: Scaled>(largest: f64) -> Option<Power> {
        Power::to(largest, 0).filter(|by| by.0.abs() > T::USUAL)
    }
}

impl Scaled for f64 {
    const HIGH: i32 = 300;
    const USUAL: i32 = 200;
    fn magnitude(self) -> f64 {
        self.abs()
    }
    fn square(self) -> f64 {
        self * self
    }
    fn times(self, by: Power) -> f64 {
        // The power itself may be no number; its halves are.
        let half = by.0 / 2;
        self * 2f64.powi(half) * 2f64.powi(by.0 - half)
    }
}

impl Scaled for f32 {
    const HIGH: i32 = 40;
    const USUAL: i32 = 24;
    fn magnitude(self) -> f64 {
        f64::from(self.abs())
    }
    fn square(self) -> f64 {
        f64::from(self) * f64::from(self)
    }
    fn times(self, by: Power) -> f32 {
        (f64::from(self) * 2f64.powi(by.0)) as f32
    }
}

impl<T: Scaled> Scaled for Complex<T> {
    const HIGH: i32 = T::HIGH;
    const USUAL: i32 = T::USUAL;
    fn magnitude(self) -> f64 {
        self.re.magnitude().max(self.im.magnitude())
    }
    fn square(self) -> f64 {
        self.re.square() + self.im.square()
    }
    fn times(self, by: Power) -> Self {
        Complex { re: self.re.times(by), im: self.im.times(by) }
    }
}

/// The largest magnitude; NaN where there is one.
fn largest<T: Scaled + ComplexField>(a: MatRef<'_, T>) -> f64 {
    largest_of((0..a.ncols()).flat_map(|j| a.col(j).iter().copied()))
}

/// The largest magnitude of some numbers; NaN where there is one.
pub fn largest_of<T: Scaled>(numbers: impl Iterator<Item = T>) -> f64 {
    let mut top = 0.0f64;
    for x in numbers {
        let x = x.magnitude();
        top = if x > top || x.is_nan() { x } else { top };
        if top.is_nan() {
            return top;
        }
    }
    top
}

fn scale<T: Scaled + ComplexField>(a: &mut Mat<T>, by: Power) {
    for j in 0..a.ncols() {
        a.col_mut(j).iter_mut().for_each(|x| *x = x.times(by));
    }
}

/// A matrix of unusual size as one of about one, and the power that it was multiplied by; none
/// where it may stay as it is.
pub fn moderate<T: Scaled + ComplexField>(a: MatRef<'_, T>) -> Option<(Mat<T>, Power)> {
    brought(a, largest(a))
}

/// The same of a matrix of tiny numbers alone.
pub fn enlarged<T: Scaled + ComplexField>(a: MatRef<'_, T>) -> Option<(Mat<T>, Power)> {
    moderate(a).filter(|(_, by)| by.0 > 0)
}

/// The same as `moderate` of a matrix of which the upper triangle is read.
pub fn moderate_upper<T: Scaled + ComplexField>(a: MatRef<'_, T>) -> Option<(Mat<T>, Power)> {
    brought(a, largest_of((0..a.ncols()).flat_map(|j| a.col(j).subrows(0, j + 1).iter().copied())))
}

/// A matrix brought to about one, given the largest magnitude that counts.
fn brought<T: Scaled + ComplexField>(a: MatRef<'_, T>, largest: f64) -> Option<(Mat<T>, Power)> {
    let by = Power::usual::<T>(largest)?;
    let mut moderate = a.to_owned();
    scale(&mut moderate, by);
    Some((moderate, by))
}

/// A balanced matrix and how to come back.
pub struct Balanced<T> {
    pub matrix: Mat<T>,
    /// What the matrix, and so its eigenvalues, were multiplied by.
    pub by: Power,
    /// The exchanges of rows and columns, in order.
    exchanges: Vec<(usize, usize)>,
    /// What each row of the eigenvectors is to be multiplied by.
    rows: Vec<Power>,
}

/// Balances a square matrix; none where it holds nothing but zeros, or what is not finite.
///
/// It is scaled up rather than to one: faer takes a block of two rows for singular by comparing
/// its determinant, which grows with the square of the size, with its norm.
pub fn balanced<T: Scaled + ComplexField>(a: MatRef<'_, T>) -> Option<Balanced<T>> {
    let first = Power::to(largest(a), 0)?;
    let mut matrix = a.to_owned();
    scale(&mut matrix, first);
    let mut exchanges = Vec::new();
    let (low, high) = isolate(&mut matrix, &mut exchanges);
    let rows = even_out(&mut matrix, low, high);
    let second = Power::to(largest(matrix.as_ref()), T::HIGH)?;
    scale(&mut matrix, second);
    Some(Balanced { matrix, by: Power(first.0 + second.0), exchanges, rows })
}

/// Moves rows that are zero beside the diagonal to the end, and such columns to the beginning:
/// their diagonal elements are eigenvalues. Gives the range of the rest.
fn isolate<T: Scaled + ComplexField>(
    a: &mut Mat<T>,
    exchanges: &mut Vec<(usize, usize)>,
) -> (usize, usize) {
    let (mut low, mut high) = (0, a.nrows());
    let mut exchange = |a: &mut Mat<T>, i: usize, j: usize| {
        exchanges.push((i, j));
        swap_rows_idx(a.as_mut(), i, j);
        swap_cols_idx(a.as_mut(), i, j);
    };
    let is_zero = |x: T| x.magnitude() == 0.0;
    while let Some(row) = (0..high).rev().find(|&i| (0..high).all(|k| k == i || is_zero(a[(i, k)])))
    {
        high -= 1;
        exchange(a, row, high);
    }
    while let Some(column) =
        (low..high).find(|&j| (low..high).all(|k| k == j || is_zero(a[(k, j)])))
    {
        exchange(a, column, low);
        low += 1;
    }
    (low, high)
}

/// Multiplies columns and divides rows of a range by powers of two, until the norms of a row and its
/// column are about the same. Gives what the rows of eigenvectors have to be multiplied by.
fn even_out<T: Scaled + ComplexField>(a: &mut Mat<T>, low: usize, high: usize) -> Vec<Power> {
    /// A row and its column are left alone where less than a twentieth is gained.
    const GAIN: f64 = 0.95;
    let mut rows = vec![Power(0); a.nrows()];
    // Each turn makes norms smaller, so there is an end; what is far apart meets in a few.
    for _ in 0..100 {
        let mut done = true;
        for i in low..high {
            let column: f64 = (low..high).map(|k| a[(k, i)].square()).sum::<f64>().sqrt();
            let row: f64 = (low..high).map(|k| a[(i, k)].square()).sum::<f64>().sqrt();
            if !(column > 0.0 && row > 0.0) {
                continue;
            }
            // The power nearest to where both norms meet.
            let exponent = ((row / column).log2() / 2.0).round() as i32;
            let limit = T::USUAL * 2;
            let exponent = exponent.clamp(-limit - rows[i].0, limit - rows[i].0);
            let (down, up) = (2f64.powi(-exponent), 2f64.powi(exponent));
            if exponent == 0 || column * up + row * down >= GAIN * (column + row) {
                continue;
            }
            rows[i].0 += exponent;
            done = false;
            for k in 0..a.nrows() {
                a[(i, k)] = a[(i, k)].times(Power(-exponent));
            }
            for k in 0..a.nrows() {
                a[(k, i)] = a[(k, i)].times(Power(exponent));
            }
        }
        if done {
            break;
        }
    }
    rows
}

impl<T> Balanced<T> {
    /// Makes eigenvectors of the balanced matrix those of the matrix itself, of a size at which
    /// their squares are numbers.
    pub fn bring_back<U: Scaled + ComplexField>(&self, mut vectors: MatMut<'_, U>) {
        let n = vectors.nrows();
        for j in 0..vectors.ncols() {
            let exponent = |x: U| x.magnitude().log2().floor() as i32;
            let is_number = |x: f64| x > 0.0 && x < f64::INFINITY;
            let tops = (0..n).filter(|&i| is_number(vectors[(i, j)].magnitude()));
            let top = tops.map(|i| exponent(vectors[(i, j)]) + self.rows[i].0).max().unwrap_or(0);
            for i in 0..n {
                vectors[(i, j)] = vectors[(i, j)].times(Power(self.rows[i].0 - top));
            }
        }
        for &(i, j) in self.exchanges.iter().rev() {
            swap_rows_idx(vectors.as_mut(), i, j);
        }
    }
}
