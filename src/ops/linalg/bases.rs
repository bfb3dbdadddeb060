//! Bases of spaces and what is nearest to matrices, by singular values.

use super::factor::Matrices;
use super::solve::{adjoint, epsilon};
use crate::array::{DeviceArray, checked, checked_fns, located, recorded};
use crate::dtype::{Element, Factorable, Floating};
use crate::error::{Error, Result};

/// The adjoint of matrices.
#[track_caller]
pub(super) fn adjoint_of<T: Element>(a: &DeviceArray<T>) -> DeviceArray<T> {
    DeviceArray::from_node(adjoint(a.node()))
}

/// How many singular values, descending, count as more than zero.
fn rank<T: Floating>(values: &[T], a: &Matrices, rcond: Option<f64>, epsilon: f64) -> usize {
    let part = rcond.unwrap_or(epsilon * a.m.max(a.n) as f64);
    let largest = values.first().map_or(0.0, |v| v.to_f64());
    values.iter().take_while(|v| v.to_f64() > part * largest).count()
}

/// One matrix.
fn matrix<T: Factorable>(name: &str, a: &DeviceArray<T>) -> Result<Matrices> {
    let own = Matrices::of(name, a.node())?;
    match own.lead.is_empty() {
        true => Ok(own),
        false => {
            let shape = a.shape();
            Err(Error::shape(format!("{name}: shape {shape:?} is not of one matrix")))
        }
    }
}

impl<T: Factorable> DeviceArray<T> {
    checked! {
        /// The polar decomposition of a square matrix, or of one with more rows, into a unitary
        /// factor and a Hermitian, positive semi-definite one: `self = u · p`. With more columns than
        /// rows, `u` has orthonormal rows.
        ///
        /// **Shape.** `[…, m, n]` gives `[…, m, n]` and `[…, n, n]`. **Dtype.** The array's. SciPy:
        /// `linalg.polar`; `side="left"` is the decomposition of the adjoint.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, -2.0, 3.0, 0.0])?;
        /// let (u, p) = a.polar();
        /// let turn = DeviceArray::from_vec([2, 2], vec![0.0, -1.0, 1.0, 0.0])?;
        /// assert!((u - turn).abs().max(..).item()? < 1e-14);
        /// assert!((p.get([0, 0])? - 3.0).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn polar | try_polar(&self) -> (DeviceArray<T>, DeviceArray<T>) {
            Matrices::of("polar", self.node())?;
            let (w, values, vh) = self.try_svd()?;
            let u = w.try_matmul(&vh)?;
            let scaled = adjoint_of(&vh) * values.cast::<T>().insert_axis(-2);
            Ok((u, scaled.try_matmul(&vh)?))
        }

        /// An upper triangle `R` and `Q` with orthonormal rows with `self = R · Q`.
        ///
        /// The signs of the rows are the library's.
        ///
        /// **Shape.** `[…, m, n]` gives `[…, m, p]` and `[…, p, n]` with `p` the lesser of both.
        /// **Dtype.** The array's. SciPy: `linalg.rq(mode="economic")`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
        /// let (r, q) = a.rq();
        /// assert!((r.matmul(&q) - &a).abs().max(..).item()? < 1e-14);
        /// assert_eq!(r.get([1, 0])?, 0.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn rq | try_rq(&self) -> (DeviceArray<T>, DeviceArray<T>) {
            Matrices::of("rq", self.node())?;
            // Of the adjoint with its columns the other way round.
            let turned = adjoint_of(&self.try_flip(-2)?);
            let (q, r) = turned.try_qr()?;
            Ok((adjoint_of(&r).try_flip([-2, -1])?, adjoint_of(&q).try_flip(-2)?))
        }

        /// The pseudo-inverse of a Hermitian matrix, by eigenvalues, of which those whose magnitude is
        /// below `rcond` times the largest count as zero. What is above the diagonal is not read.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. `None` stands for the
        /// precision of the type times the number of rows. SciPy: `linalg.pinvh`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 0.0, 0.0, 0.0])?;
        /// assert_eq!(a.pinvh(None).to_vec()?, [0.5, 0.0, 0.0, 0.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn pinvh | try_pinvh(&self, rcond: Option<f64>) -> DeviceArray<T> {
            let own = Matrices::square("pinvh", self.node())?;
            if own.is_empty() {
                return Ok(self.clone());
            }
            let (w, v) = self.try_eigh()?;
            let part = rcond.unwrap_or(own.n as f64 * epsilon(T::DTYPE));
            let sizes = w.abs();
            let limit = sizes.max(crate::array::keep(-1)) * T::Real::from_f64(part);
            let counts = sizes.greater(limit);
            let scale = counts.select(w.reciprocal(), T::Real::from_f64(0.0));
            (&v * scale.cast::<T>().insert_axis(-2)).try_matmul(&adjoint_of(&v))
        }
    }

    /// An orthonormal basis of what a matrix makes of all vectors, as columns: the singular vectors of
    /// values above `rcond` times the largest (`None`: the precision of the type times the longer
    /// axis).
    ///
    /// **Evaluates** the singular values, which say how many columns there are. **Shape.** `[m, n]`
    /// gives `[m, r]`. **Dtype.** The array's. SciPy: `linalg.orth`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there are not two axes; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![3.0, 3.0, 4.0, 4.0])?;
    /// let basis = a.orth(None)?.abs().to_vec()?;
    /// assert!((basis[0] - 0.6).abs() < 1e-14 && (basis[1] - 0.8).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn orth(&self, rcond: Option<f64>) -> Result<DeviceArray<T>> {
        let find = || {
            let own = matrix("orth", self)?;
            let (u, values, _) = self.try_svd()?;
            crate::array::eval(&[&u, &values])?;
            let rank = rank(&values.to_vec()?, &own, rcond, epsilon(T::DTYPE));
            u.try_take(&(0..rank).collect::<Vec<_>>(), -1)
        };
        located(recorded(find))
    }

    /// An orthonormal basis of the vectors that a matrix makes zero of, as columns: the singular
    /// vectors of values up to `rcond` times the largest (`None`: the precision of the type times the
    /// longer axis).
    ///
    /// **Evaluates** the singular values, which say how many columns there are. **Shape.** `[m, n]`
    /// gives `[n, n - r]`. **Dtype.** The array's. SciPy: `linalg.null_space`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there are not two axes; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([1, 2], vec![1.0, 1.0])?;
    /// let basis = a.null_space(None)?;
    /// assert_eq!(basis.shape(), [2, 1]);
    /// assert!(a.matmul(&basis).abs().item()? < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn null_space(&self, rcond: Option<f64>) -> Result<DeviceArray<T>> {
        let find = || {
            let own = matrix("null_space", self)?;
            let (_, values, vh) = self.try_svd_full()?;
            crate::array::eval(&[&values, &vh])?;
            let rank = rank(&values.to_vec()?, &own, rcond, epsilon(T::DTYPE));
            Ok(adjoint_of(&vh.try_take(&(rank..own.n).collect::<Vec<_>>(), -2)?))
        };
        located(recorded(find))
    }
}

checked_fns! {
    /// The angles between the spaces that the columns of two matrices span, the largest first.
    ///
    /// Small ones are found by sines, large ones by cosines (A. Knyazev and M. Argentati, "Principal
    /// angles between subspaces in an A-based scalar product", 2002). The columns of each matrix must
    /// not depend on each other; SciPy leaves out those that do.
    ///
    /// **Shape.** `[…, m, k]` and `[…, m, l]`, whose batches broadcast, give `[…, p]` with `p` the
    /// lesser of `k` and `l`, which are no more than `m`. **Dtype.** Real. SciPy:
    /// `linalg.subspace_angles`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 1], vec![1.0, 0.0])?;
    /// let b = DeviceArray::<f64>::from_vec([2, 1], vec![1.0, 1.0])?;
    /// let angle = lazuli::linalg::subspace_angles(&a, &b).item()?;
    /// assert!((angle - std::f64::consts::FRAC_PI_4).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn subspace_angles | try_subspace_angles<T: Factorable>(
        a: &DeviceArray<T>,
        b: &DeviceArray<T>,
    ) -> DeviceArray<T::Real> {
        let own = [a, b].map(|x| Matrices::of("subspace_angles", x.node()));
        let [p, q] = own;
        let (p, q) = (p?, q?);
        if p.m != q.m || p.n > p.m || q.n > p.m {
            let (a, b) = (a.shape(), b.shape());
            return Err(Error::shape(format!(
                "subspace_angles: columns of shapes {a:?} and {b:?} span no such spaces"
            )));
        }
        let (qa, qb) = (a.try_qr()?.0, b.try_qr()?.0);
        let (wide, narrow) = if p.n >= q.n { (qa, qb) } else { (qb, qa) };
        let product = adjoint_of(&wide).try_matmul(&narrow)?;
        let cosines = product.try_svdvals()?;
        let rest = &narrow - wide.try_matmul(&product)?;
        // The largest sine belongs to the smallest cosine.
        let sines = rest.try_svdvals()?;
        let one = T::Real::from_f64(1.0);
        let limit = T::Real::from_f64(0.5);
        let by_sines = sines.clip_max(one);
        let by_cosines = cosines.try_flip(-1)?.clip_max(one);
        let small = (&by_cosines * &by_cosines).greater_equal(limit);
        Ok(small.select(by_sines.asin(), by_cosines.acos()))
    }

    /// The unitary matrix `r` for which `a · r` is nearest to `b`, and the sum of the singular values
    /// of `aᴴ · b`.
    ///
    /// **Shape.** `[…, m, n]` for both, whose batches broadcast, gives `[…, n, n]` and `[…]`.
    /// **Dtype.** The arrays', and real. SciPy: `linalg.orthogonal_procrustes`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 0.0, 0.0, 2.0])?;
    /// let turn = DeviceArray::from_vec([2, 2], vec![0.0, 1.0, -1.0, 0.0])?;
    /// let (r, scale) = lazuli::linalg::orthogonal_procrustes(&a, &a.matmul(&turn));
    /// assert!((r - turn).abs().max(..).item()? < 1e-14 && (scale.item()? - 5.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn orthogonal_procrustes | try_orthogonal_procrustes<T: Factorable>(
        a: &DeviceArray<T>,
        b: &DeviceArray<T>,
    ) -> (DeviceArray<T>, DeviceArray<T::Real>) {
        let (p, q) = (
            Matrices::of("orthogonal_procrustes", a.node())?,
            Matrices::of("orthogonal_procrustes", b.node())?,
        );
        if (p.m, p.n) != (q.m, q.n) {
            let (a, b) = (a.shape(), b.shape());
            return Err(Error::shape(format!(
                "orthogonal_procrustes: shapes {a:?} and {b:?} do not match"
            )));
        }
        let (u, values, vh) = adjoint_of(a).try_matmul(b)?.try_svd()?;
        Ok((u.try_matmul(&vh)?, values.try_sum(-1)?.cast()))
    }
}
