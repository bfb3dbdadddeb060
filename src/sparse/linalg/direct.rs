//! Direct solution of sparse systems, on the host.

use super::ordering::minimum_degree;
use crate::array::{DeviceArray, located};
use crate::backend::Device;
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::shape::checked_len;
use crate::sparse::Csr;

/// A column of a factor: rows and their values.
type Column = Vec<(u32, f64)>;

/// A factorisation of a sparse matrix, kept for several right-hand sides: rows and columns in another
/// order are a lower triangle times an upper one. [`splu`] makes one.
///
/// It stands on the host, in `f64`.
pub struct Factors {
    /// The columns of the lower triangle below its diagonal of ones, in the order of pivots.
    lower: Vec<Column>,
    /// The columns of the upper triangle above the diagonal.
    upper: Vec<Column>,
    diagonal: Vec<f64>,
    /// What each row of the matrix was multiplied by.
    scales: Vec<f64>,
    /// The row of the matrix of each pivot, and the column.
    rows: Vec<usize>,
    cols: Vec<usize>,
    device: Device,
}

/// How much smaller than the largest number of its column an element of the diagonal may be to be the
/// pivot all the same: the order of columns expects that one, and another one brings fill.
const DIAGONAL: f64 = 0.1;

/// Factorises a square sparse matrix by elimination with partial pivots, in an order of columns of
/// minimum degree.
///
/// **Laziness.** Evaluates the values, and works on the host, in `f64`. SciPy:
/// `scipy.sparse.linalg.splu`, whose order is another one. Source: J. R. Gilbert and T. Peierls, SIAM J.
/// Sci. Stat. Comput. 9 (1988), 862.
///
/// # Errors
/// [`Error::is_shape`] where the matrix is not square, [`Error::is_numeric`] where it is singular: a
/// column has no pivot but zero, or NaN. Those of the evaluation.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::splu};
/// let a = Csr::from_dense(&DeviceArray::try_from([[0.0, 2.0], [4.0, 0.0]])?)?;
/// let factors = splu(&a)?;
/// let b = DeviceArray::from_slice(&[2.0, 8.0])?;
/// assert_eq!(factors.solve(&b)?.to_vec()?, [2.0, 1.0]);
/// let zeros = Csr::from_dense(&DeviceArray::<f64>::zeros([2, 2]))?;
/// assert!(splu(&zeros).is_err_and(|e| e.is_numeric()));
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "factorized")]
#[track_caller]
pub fn splu<T: Floating>(a: &Csr<T>) -> Result<Factors> {
    located(factorise("splu", a))
}

/// The solution of `A·x = b` for a square sparse `A`, by [`splu`].
///
/// **Shape.** `b` is a vector or has a right-hand side in each column; `x` is as `b`. **Dtype.** That of
/// `b`. **Laziness.** Evaluates, and works on the host, in `f64`. SciPy:
/// `scipy.sparse.linalg.spsolve`, which warns of a singular matrix.
///
/// # Errors
/// As [`splu`] and [`Factors::solve`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::spsolve};
/// let a = Csr::from_dense(&DeviceArray::try_from([[4.0, 1.0], [0.0, 2.0]])?)?;
/// let b = DeviceArray::from_slice(&[6.0, 4.0])?;
/// assert_eq!(spsolve(&a, &b)?.to_vec()?, [1.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn spsolve<T: Floating>(a: &Csr<T>, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    located(factorise("spsolve", a).and_then(|factors| factors.solved("spsolve", b)))
}

/// The values of a matrix on the host.
pub(super) fn values<T: Floating>(a: &Csr<T>) -> Result<Vec<f64>> {
    Ok(a.data().to_vec()?.into_iter().map(Floating::to_f64).collect())
}

/// Right-hand sides on the host, one after another.
pub(super) fn sides<T: Floating>(
    name: &str,
    n: usize,
    device: Device,
    b: &DeviceArray<T>,
) -> Result<Vec<Vec<f64>>> {
    if !matches!(b.shape(), [m] | [m, _] if *m == n) {
        let shape = b.shape();
        return Err(Error::shape(format!(
            "{name}: a right-hand side of shape {shape:?} for {n} unknowns"
        )));
    }
    if b.device().differs(device) {
        let there = b.device();
        return Err(Error::device(format!(
            "{name}: the matrix is on {device}, and the right-hand side on {there}"
        )));
    }
    let all = b.to_vec()?;
    let width = b.shape().get(1).copied().unwrap_or(1);
    let side = |k: usize| (0..n).map(|i| all[i * width + k].to_f64()).collect();
    Ok((0..width).map(side).collect())
}

/// Solutions, one after another, as an array like the right-hand sides.
pub(super) fn upload<T: Floating>(
    sides: &[Vec<f64>],
    b: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    let n = b.shape()[0];
    let row = |i: usize| sides.iter().map(move |side| T::from_f64(side[i]));
    let all: Vec<T> = (0..n).flat_map(row).collect();
    b.device().scope(|| DeviceArray::from_vec(b.shape(), all))
}

impl Factors {
    /// The solution of `A·x = b`.
    ///
    /// **Shape.** `b` is a vector or has a right-hand side in each column; `x` is as `b`. **Dtype.** That
    /// of `b`. **Laziness.** Evaluates `b`, and works on the host. SciPy: `SuperLU.solve`, and what
    /// `factorized` gives.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the right-hand side does not fit, [`Error::is_device`], and those of
    /// the evaluation.
    ///
    /// # Example
    /// The smallest eigenvalue of a matrix is the inverse of the largest one of its inverse:
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::sparse::{Csr, linalg::{EigenOptions, eigsh, splu}};
    /// let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
    /// let a = Csr::diags([50, 50], &[(-1, &minus), (0, &two), (1, &minus)])?;
    /// let factors = splu(&a)?;
    /// let inverse = |x: &DeviceArray<f64>| factors.solve(x).expect("x fits");
    /// let options = EigenOptions::new().start(&DeviceArray::linspace(1.0, 2.0, 50));
    /// let found = eigsh(&inverse, 1, &options)?;
    /// let wanted = 2.0 - 2.0 * (std::f64::consts::PI / 51.0).cos();
    /// assert!((1.0 / found.values[0] - wanted).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn solve<T: Floating>(&self, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        located(self.solved("Factors::solve", b))
    }

    fn solved<T: Floating>(&self, name: &str, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        let n = self.diagonal.len();
        let mut all = sides(name, n, self.device, b)?;
        for side in &mut all {
            let mut x: Vec<f64> =
                self.rows.iter().map(|&row| side[row] * self.scales[row]).collect();
            for k in 0..n {
                let value = x[k];
                // What is zero has no part, also where a factor is infinite.
                if value != 0.0 {
                    self.lower[k].iter().for_each(|&(i, l)| x[i as usize] -= l * value);
                }
            }
            for k in (0..n).rev() {
                x[k] /= self.diagonal[k];
                let value = x[k];
                if value != 0.0 {
                    self.upper[k].iter().for_each(|&(i, u)| x[i as usize] -= u * value);
                }
            }
            self.cols.iter().zip(x).for_each(|(&col, value)| side[col] = value);
        }
        upload(&all, b)
    }

    /// The number of numbers of both triangles, the diagonal of ones left out.
    ///
    /// # Example
    /// ```
    /// use lazuli::sparse::{Csr, linalg::splu};
    /// assert_eq!(splu(&Csr::<f64>::eye(3)?)?.nnz(), 3);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn nnz(&self) -> usize {
        let entries = |columns: &[Column]| columns.iter().map(Vec::len).sum::<usize>();
        entries(&self.lower) + entries(&self.upper) + self.diagonal.len()
    }
}

impl std::fmt::Debug for Factors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = self.diagonal.len();
        write!(f, "Factors({n} × {n}, {} numbers, {})", self.nnz(), self.device)
    }
}

fn factorise<T: Floating>(name: &str, a: &Csr<T>) -> Result<Factors> {
    let [n, columns] = a.shape();
    if n != columns {
        return Err(Error::shape(format!("{name}: a matrix of shape {:?}", a.shape())));
    }
    checked_len(name, &[n])?;
    let edges = a.rows().into_iter().zip(a.indices()).map(|(i, &j)| (i as u32, j as u32));
    let cols = minimum_degree(n, edges);
    let values = values(a)?;
    let scales: Vec<f64> =
        a.indptr().windows(2).map(|row| scale(&values[row[0]..row[1]])).collect();
    // The columns of the matrix.
    let mut given: Vec<Column> = vec![Vec::new(); n];
    for ((row, &col), value) in a.rows().into_iter().zip(a.indices()).zip(values) {
        given[col as usize].push((row as u32, value * scales[row as usize]));
    }
    let mut work = Elimination::new(n);
    for (k, &col) in cols.iter().enumerate() {
        work.column(&given[col], col).ok_or_else(|| {
            Error::numeric(format!(
                "{name}: the matrix is singular: no pivot for column {col}, the {k}. one"
            ))
        })?;
    }
    Ok(work.finish(cols, scales, a.device()))
}

/// The power of two that brings the largest number of a row near one, so that rows of different sizes
/// are compared fairly where a pivot is chosen; nothing is rounded by it.
fn scale(row: &[f64]) -> f64 {
    let most = row.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    match most > 0.0 && most.is_finite() {
        true => 2f64.powi(-(most.log2().floor().clamp(-1000.0, 1000.0) as i32)),
        false => 1.0,
    }
}

/// Left-looking elimination: a column is solved with those before it.
struct Elimination {
    /// The columns of the lower triangle by rows of the matrix.
    lower: Vec<Column>,
    upper: Vec<Column>,
    diagonal: Vec<f64>,
    rows: Vec<usize>,
    /// The place of each row among the pivots, or none.
    places: Vec<Option<u32>>,
    /// The column being worked on, and its rows.
    values: Vec<f64>,
    reached: Vec<bool>,
}

impl Elimination {
    fn new(n: usize) -> Self {
        Elimination {
            lower: Vec::with_capacity(n),
            upper: Vec::with_capacity(n),
            diagonal: Vec::with_capacity(n),
            rows: Vec::with_capacity(n),
            places: vec![None; n],
            values: vec![0.0; n],
            reached: vec![false; n],
        }
    }

    /// The rows that a column reaches through those that are done, each before all that it changes.
    fn reach(&mut self, column: &Column) -> Vec<u32> {
        let (mut order, mut path) = (Vec::new(), Vec::<(u32, usize)>::new());
        for &(row, _) in column {
            if !self.reached[row as usize] {
                self.reached[row as usize] = true;
                path.push((row, 0));
            }
            while let Some((row, next)) = path.last_mut() {
                let below = self.places[*row as usize].map(|k| &self.lower[k as usize]);
                match below.and_then(|below| below.get(*next)) {
                    Some(&(to, _)) => {
                        *next += 1;
                        if !self.reached[to as usize] {
                            self.reached[to as usize] = true;
                            path.push((to, 0));
                        }
                    }
                    None => {
                        order.push(*row);
                        path.pop();
                    }
                }
            }
        }
        order.reverse();
        order
    }

    /// Eliminates in the next column, whose diagonal is in this row; none where there is no pivot.
    fn column(&mut self, column: &Column, own: usize) -> Option<()> {
        let order = self.reach(column);
        column.iter().for_each(|&(row, value)| self.values[row as usize] += value);
        let (mut above, mut rest) = (Column::new(), Column::new());
        for &row in &order {
            self.reached[row as usize] = false;
            let value = std::mem::take(&mut self.values[row as usize]);
            match self.places[row as usize] {
                Some(k) => {
                    if value != 0.0 {
                        let below = &self.lower[k as usize];
                        below.iter().for_each(|&(i, l)| self.values[i as usize] -= l * value);
                        above.push((k, value));
                    }
                }
                None => rest.push((row, value)),
            }
        }
        let largest = rest.iter().fold(0.0, |most: f64, (_, value)| most.max(value.abs()));
        let own = rest.iter().find(|(row, _)| *row as usize == own);
        let own = own.filter(|(_, value)| value.abs() >= DIAGONAL * largest);
        let pivot = own.or_else(|| rest.iter().find(|(_, value)| value.abs() == largest));
        // A NaN is never the largest.
        let has_nan = rest.iter().any(|(_, value)| value.is_nan());
        let &(row, value) = pivot.filter(|(_, value)| *value != 0.0 && !has_nan)?;
        let below = rest.into_iter().filter(|&(i, x)| i != row && x != 0.0);
        self.lower.push(below.map(|(i, x)| (i, x / value)).collect());
        self.upper.push(above);
        self.diagonal.push(value);
        self.places[row as usize] = Some(self.rows.len() as u32);
        self.rows.push(row as usize);
        Some(())
    }

    fn finish(mut self, cols: Vec<usize>, scales: Vec<f64>, device: Device) -> Factors {
        for column in &mut self.lower {
            for (row, _) in column {
                *row = self.places[*row as usize].expect("every row is a pivot's");
            }
        }
        let Elimination { lower, upper, diagonal, rows, .. } = self;
        Factors { lower, upper, diagonal, scales, rows, cols, device }
    }
}
