//! Systems of equations, inverses, determinants.

use super::factor::{self, Matrices, filled, identity};
use super::matmul::{matmul, swapped};
use crate::array::{DeviceArray, checked, record};
use crate::dtype::{DType, Factorable, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::ops::movement::insert_axis;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// What [`DeviceArray::lstsq`] gives.
#[derive(Clone, Debug)]
pub struct LeastSquares<T: Factorable> {
    /// The solution of the least norm.
    pub x: DeviceArray<T>,
    /// The sum of the squared distances for each right-hand side.
    pub residuals: DeviceArray<T::Real>,
    /// The rank of the matrix.
    pub rank: DeviceArray<i64>,
    /// The singular values of the matrix, descending.
    pub singular_values: DeviceArray<T::Real>,
}

/// The distance from 1 to the next number of a type's real part.
pub(super) fn epsilon(dtype: DType) -> f64 {
    match dtype.real() {
        DType::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    }
}

/// Applies a solver to right-hand sides that may be one vector.
#[track_caller]
fn with_columns(
    name: &str,
    b: &Arc<Node>,
    solve: impl FnOnce(&Arc<Node>) -> Result<Arc<Node>>,
) -> Result<Arc<Node>> {
    match b.shape.len() {
        0 => Err(Error::shape(format!("{name}: the right-hand side has no axis"))),
        1 => {
            let x = solve(&insert_axis(b, 1))?;
            let shape = x.shape[..x.shape.len() - 1].into();
            Ok(record::reshape(&x, shape))
        }
        _ => solve(b),
    }
}

fn same_device(name: &str, a: &Arc<Node>, b: &Arc<Node>) -> Result<()> {
    match a.device.differs(b.device) {
        false => Ok(()),
        true => Err(record::devices_differ(name, a.device, b.device)),
    }
}

/// Which singular values count: those above `rcond` times the largest.
#[track_caller]
fn significant(values: &Arc<Node>, rcond: f64) -> Result<Arc<Node>> {
    let last = values.shape.len() - 1;
    let largest = record::reduce(Reduction::Max, values, 1 << last);
    let limit = record::binary(Op::Multiply, &largest, record::number(values, rcond))?;
    record::binary(Op::Greater, values, &insert_axis(&limit, last))
}

/// The reciprocals of the singular values that count, and zero for the rest.
#[track_caller]
fn reciprocals(values: &Arc<Node>, rcond: f64) -> Result<Arc<Node>> {
    let counts = significant(values, rcond)?;
    record::select(&counts, &record::unary(Op::Reciprocal, values), record::number(values, 0.0))
}

/// The conjugate transposes.
#[track_caller]
pub(super) fn adjoint(a: &Arc<Node>) -> Arc<Node> {
    factor::conjugate(&swapped(a))
}

fn default_rcond(a: &Arc<Node>, rcond: Option<f64>) -> f64 {
    let rank = a.shape.len();
    let longest = a.shape[rank - 2..].iter().max().copied().unwrap_or(0);
    rcond.unwrap_or(longest as f64 * epsilon(a.dtype))
}

/// The pseudo-inverse.
#[track_caller]
fn pinv(name: &'static str, a: &Arc<Node>, rcond: Option<f64>) -> Result<Arc<Node>> {
    let own = Matrices::of(name, a)?;
    if own.is_empty() {
        return Ok(filled(a, a.dtype, 0.0, own.each(&[own.n, own.m])));
    }
    let [u, values, vh] = factor::svd(name, a, false)?;
    let scale = record::cast(&reciprocals(&values, default_rcond(a, rcond))?, a.dtype);
    let scaled =
        record::binary(Op::Multiply, &adjoint(&vh), &insert_axis(&scale, scale.shape.len() - 1))?;
    matmul(name, &scaled, &adjoint(&u))
}

/// The inverses of square matrices of a type that is factorised.
#[track_caller]
pub(super) fn inverse(name: &'static str, a: &Arc<Node>) -> Result<Arc<Node>> {
    let own = Matrices::square(name, a)?;
    let ones = identity(a, a.dtype, own.each(&[own.n, own.n]))?;
    factor::solve(name, a, &ones)
}

/// The number of singular values that count.
#[track_caller]
fn rank(name: &'static str, a: &Arc<Node>, rtol: Option<f64>) -> Result<Arc<Node>> {
    let own = Matrices::of(name, a)?;
    if own.is_empty() {
        return Ok(filled(a, DType::I64, 0.0, own.lead));
    }
    let values = factor::singular_values(name, a)?;
    count(&significant(&values, default_rcond(a, rtol))?)
}

#[track_caller]
fn count(truth: &Arc<Node>) -> Result<Arc<Node>> {
    let last = truth.shape.len() - 1;
    Ok(record::reduce(Reduction::Sum, &record::cast(truth, DType::I64), 1 << last))
}

impl<T: Factorable> DeviceArray<T> {
    checked! {
        /// The solution of `self · x = b`, for one matrix or a batch of them.
        ///
        /// The evaluation fails with [`Error::is_numeric`](crate::Error::is_numeric) where a
        /// matrix is singular.
        ///
        /// **Shape.** `[…, n, n]` and `[n]` or `[…, n, k]`, whose batches broadcast, give the
        /// right-hand sides'. **Dtype.** The arrays'. NumPy: `linalg.solve`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 0.0, 0.0, 4.0])?;
        /// assert_eq!(a.solve(&DeviceArray::<f64>::from_slice(&[2.0, 2.0])?).to_vec()?, [1.0, 0.5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn solve | try_solve(&self, b: &DeviceArray<T>) -> DeviceArray<T> {
            same_device("solve", self.node(), b.node())?;
            let solve = |b: &Arc<Node>| factor::solve("solve", self.node(), b);
            with_columns("solve", b.node(), solve).map(DeviceArray::from_node)
        }

        /// The solution of `self · x = b` where only the lower or only the upper triangle of the
        /// matrix counts.
        ///
        /// On the processor a zero on the diagonal makes the evaluation fail with
        /// [`Error::is_numeric`](crate::Error::is_numeric); on a GPU it gives infinities or NaN.
        ///
        /// **Shape.** As of [`solve`](Self::solve). SciPy: `linalg.solve_triangular`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 0.0, 1.0, 4.0])?;
        /// let x = a.solve_triangular(&DeviceArray::<f64>::from_slice(&[2.0, 5.0])?, true);
        /// assert_eq!(x.to_vec()?, [1.0, 1.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn solve_triangular | try_solve_triangular(&self, b: &DeviceArray<T>, lower: bool) -> DeviceArray<T> {
            same_device("solve_triangular", self.node(), b.node())?;
            let solve =
                |b: &Arc<Node>| factor::triangular("solve_triangular", self.node(), b, lower, false);
            with_columns("solve_triangular", b.node(), solve).map(DeviceArray::from_node)
        }

        /// The same with a diagonal of ones, whatever the matrix has there.
        ///
        /// **Shape.** As of [`solve`](Self::solve). SciPy:
        /// `linalg.solve_triangular(…, unit_diagonal=True)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let l = DeviceArray::from_vec([2, 2], vec![9.0, 0.0, 3.0, 9.0])?; // the nines are not read
        /// let b = DeviceArray::from_slice(&[1.0, 5.0])?;
        /// assert_eq!(l.solve_unit_triangular(&b, true).to_vec()?, [1.0, 2.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn solve_unit_triangular | try_solve_unit_triangular(&self, b: &DeviceArray<T>, lower: bool) -> DeviceArray<T> {
            const NAME: &str = "solve_unit_triangular";
            same_device(NAME, self.node(), b.node())?;
            let solve = |b: &Arc<Node>| factor::triangular(NAME, self.node(), b, lower, true);
            with_columns(NAME, b.node(), solve).map(DeviceArray::from_node)
        }

        /// The inverse of a matrix, or of each of a batch.
        ///
        /// The evaluation fails with [`Error::is_numeric`](crate::Error::is_numeric) where a
        /// matrix is singular. [`solve`](Self::solve) is quicker and more accurate where the
        /// inverse would only be multiplied.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. NumPy: `linalg.inv`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 0.0, 0.0, 4.0])?;
        /// assert_eq!(a.inverse().to_vec()?, [0.5, 0.0, 0.0, 0.25]);
        /// # Ok::<(), Error>(())
        /// ```
        fn inverse | try_inverse(&self) -> DeviceArray<T> {
            inverse("inverse", self.node()).map(DeviceArray::from_node)
        }

        /// The determinant of a matrix, or of each of a batch: the product of the pivots, which
        /// overflows or vanishes only where the determinant itself does.
        ///
        /// **Shape.** The array's without the last two axes. **Dtype.** The array's. NumPy:
        /// `linalg.det`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 2.0, 3.0, 1.0])?;
        /// assert_eq!(a.det().item()?, -6.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn det | try_det(&self) -> DeviceArray<T> {
            let own = Matrices::square("det", self.node())?;
            if own.is_empty() {
                return Ok(DeviceArray::from_node(filled(self.node(), T::DTYPE, 1.0, own.lead)));
            }
            let (diagonal, sign) = factor::determinant("det", self.node())?;
            let product = super::scaled::product(&diagonal)?;
            record::binary(Op::Multiply, &product, &sign).map(DeviceArray::from_node)
        }

        /// The sign and the logarithm of the absolute value of the determinant, where the
        /// determinant itself might be too large or too small for its type.
        ///
        /// For complex matrices the sign is a number of absolute value 1. A singular matrix has
        /// the sign 0 and the logarithm negative infinity. Both are those of a matrix that differs
        /// from this one by rounding: of one as ill-conditioned as the type is precise, any.
        ///
        /// **Shape.** Two arrays of the array's shape without the last two axes. NumPy:
        /// `linalg.slogdet`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let (sign, log) = (DeviceArray::<f64>::eye(400) * 0.01).slogdet();
        /// assert_eq!(sign.item()?, 1.0);
        /// assert!((log.item()? - 400.0 * 0.01f64.ln()).abs() < 1e-9);
        /// # Ok::<(), Error>(())
        /// ```
        fn slogdet | try_slogdet(&self) -> (DeviceArray<T>, DeviceArray<T::Real>) {
            let own = Matrices::square("slogdet", self.node())?;
            let (lead, real) = (own.lead.clone(), T::DTYPE.real());
            if own.is_empty() {
                let sign = filled(self.node(), T::DTYPE, 1.0, lead.clone());
                let log = filled(self.node(), real, 0.0, lead);
                return Ok((DeviceArray::from_node(sign), DeviceArray::from_node(log)));
            }
            let (diagonal, sign) = factor::determinant("slogdet", self.node())?;
            let sizes = record::unary(Op::Abs, &diagonal);
            let units = record::binary(Op::Divide, &diagonal, &record::cast(&sizes, T::DTYPE))?;
            let zero = record::binary(Op::Equal, &sizes, record::number(&sizes, 0.0))?;
            let units = record::select(&zero, record::number(&units, 0.0), &units)?;
            let unit = record::reduce(Reduction::Prod, &units, 1 << lead.len());
            let logs = record::unary(Op::Ln, &sizes);
            let log = record::reduce(Reduction::Sum, &logs, 1 << lead.len());
            let sign = record::binary(Op::Multiply, &unit, &sign)?;
            Ok((DeviceArray::from_node(sign), DeviceArray::from_node(log)))
        }

        /// The solution of `self · x = b` in the least-squares sense, of the least norm where
        /// there are several; by singular values, of which those below `rcond` times the largest
        /// count as zero (`None`: the precision of the type times the longer axis).
        ///
        /// **Shape.** `[…, m, n]` and `[m]` or `[…, m, k]` give `x` as `[n]` or `[…, n, k]`. Unlike
        /// NumPy's, matrices may come in batches, and the residuals are always there. NumPy:
        /// `linalg.lstsq`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([3, 2], vec![1.0, 0.0, 1.0, 1.0, 1.0, 2.0])?;
        /// let line = a.lstsq(&DeviceArray::<f64>::from_slice(&[1.0, 3.0, 5.0])?, None);
        /// let x = line.x.to_vec()?;
        /// assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 2.0).abs() < 1e-12);
        /// assert_eq!(line.rank.item()?, 2);
        /// # Ok::<(), Error>(())
        /// ```
        fn lstsq | try_lstsq(&self, b: &DeviceArray<T>, rcond: Option<f64>) -> LeastSquares<T> {
            same_device("lstsq", self.node(), b.node())?;
            let (a, own) = (self.node(), Matrices::of("lstsq", self.node())?);
            let rows = b.shape().get(b.ndim().max(2) - 2);
            if rows != Some(&own.m) {
                let (a, b) = (self.shape(), b.shape());
                return Err(Error::shape(format!("lstsq: shapes {a:?} and {b:?} do not match")));
            }
            let empty = own.is_empty();
            let [u, values, vh] = factor::svd("lstsq", a, false)?;
            let rcond = default_rcond(a, rcond);
            let scale = match empty {
                true => record::cast(&values, T::DTYPE),
                false => record::cast(&reciprocals(&values, rcond)?, T::DTYPE),
            };
            let scale = insert_axis(&scale, scale.shape.len());
            let solved = |b: &Arc<Node>| {
                let parts = matmul("lstsq", &adjoint(&u), b)?;
                matmul("lstsq", &adjoint(&vh), &record::binary(Op::Multiply, &parts, &scale)?)
            };
            // Sums over many rows round, and so do the columns of u. What that leaves is solved
            // for once more (Å. Björck, "Iterative refinement of linear least squares solutions
            // I", 1967): 1 and 2 from 100,000 rows of `f32` were 0.9989 and 2.0011 before.
            let x = with_columns("lstsq", b.node(), |b| {
                let x = solved(b)?;
                let rest = record::binary(Op::Subtract, b, &matmul("lstsq", a, &x)?)?;
                record::binary(Op::Add, &x, &solved(&rest)?)
            })?;
            let x = DeviceArray::<T>::from_node(x);
            let distance = self.try_matmul(&x)?.try_subtract(b)?;
            let sizes = record::unary(Op::Abs, distance.node());
            let axis = distance.ndim() - if b.ndim() == 1 { 1 } else { 2 };
            let squares = record::unary(Op::Square, &sizes);
            let residuals = record::reduce(Reduction::Sum, &squares, 1 << axis);
            let rank = match empty {
                true => filled(a, DType::I64, 0.0, own.lead),
                false => count(&significant(&values, rcond)?)?,
            };
            Ok(LeastSquares {
                x,
                residuals: DeviceArray::from_node(residuals),
                rank: DeviceArray::from_node(rank),
                singular_values: DeviceArray::from_node(values),
            })
        }

        /// The Moore–Penrose pseudo-inverse, by singular values, of which those below `rcond`
        /// times the largest count as zero.
        ///
        /// **Shape.** `[…, m, n]` gives `[…, n, m]`. `None` stands for the precision of the type
        /// times the longer axis, which is NumPy's `rtol=None`; NumPy's default is 1e-15. NumPy:
        /// `linalg.pinv`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 1], vec![3.0, 4.0])?;
        /// let inverse = a.pinv(None).to_vec()?;
        /// assert!((inverse[0] - 0.12).abs() < 1e-12 && (inverse[1] - 0.16).abs() < 1e-12);
        /// # Ok::<(), Error>(())
        /// ```
        fn pinv | try_pinv(&self, rcond: Option<f64>) -> DeviceArray<T> {
            pinv("pinv", self.node(), rcond).map(DeviceArray::from_node)
        }

        /// The number of singular values above `rtol` times the largest (`None`: the precision of
        /// the type times the longer axis).
        ///
        /// **Shape.** The array's without the last two axes. **Dtype.** `i64`. NumPy:
        /// `linalg.matrix_rank`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::<f64>::ones([3, 3]).matrix_rank(None).item()?, 1);
        /// # Ok::<(), Error>(())
        /// ```
        fn matrix_rank | try_matrix_rank(&self, rtol: Option<f64>) -> DeviceArray<i64> {
            rank("matrix_rank", self.node(), rtol).map(DeviceArray::from_node)
        }
    }
}

/// Kept for what scales by powers of two.
#[track_caller]
pub(super) fn times(a: &Arc<Node>, factor: f64) -> Result<Arc<Node>> {
    record::binary(Op::Multiply, a, Scalar::from_f64(a.dtype, factor))
}
