//! Factorisations: Cholesky, QR, singular values, eigenvalues.

use super::factor::{self, Matrices};
use super::solve::adjoint;
use crate::array::{DeviceArray, checked};
use crate::dtype::{Element, Factorable};

impl<T: Factorable> DeviceArray<T> {
    checked! {
        /// The lower triangle `L` with `self = L · Lᴴ`, of a Hermitian, positive definite matrix,
        /// or of each of a batch. What is above the diagonal is not read.
        ///
        /// The evaluation fails with [`Error::is_numeric`](crate::Error::is_numeric) where a
        /// matrix is not positive definite.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. NumPy: `linalg.cholesky`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![4.0, 2.0, 2.0, 2.0])?;
        /// assert_eq!(a.cholesky().to_vec()?, [2.0, 0.0, 1.0, 1.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cholesky | try_cholesky(&self) -> DeviceArray<T> {
            factor::cholesky("cholesky", self.node()).map(DeviceArray::from_node)
        }

        /// The upper triangle `U` with `self = Uᴴ · U`, of a Hermitian, positive definite matrix, or
        /// of each of a batch. What is below the diagonal is not read.
        ///
        /// The evaluation fails with [`Error::is_numeric`](crate::Error::is_numeric) where a
        /// matrix is not positive definite.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. NumPy:
        /// `linalg.cholesky(a, upper=True)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![4.0, 2.0, 2.0, 2.0])?;
        /// assert_eq!(a.cholesky_upper().to_vec()?, [2.0, 1.0, 0.0, 1.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cholesky_upper | try_cholesky_upper(&self) -> DeviceArray<T> {
            Matrices::square("cholesky_upper", self.node())?;
            let lower = factor::cholesky("cholesky_upper", &adjoint(self.node()))?;
            Ok(DeviceArray::from_node(adjoint(&lower)))
        }

        /// `Q` with orthonormal columns and an upper triangle `R` with `self = Q · R`.
        ///
        /// The signs of the columns are the library's: a diagonal element of `R` may be negative.
        ///
        /// **Shape.** `[…, m, n]` gives `[…, m, p]` and `[…, p, n]` with `p` the lesser of both.
        /// **Dtype.** The array's. NumPy: `linalg.qr`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
        /// let (q, r) = a.qr();
        /// assert!((q.matmul(&r) - &a).abs().max(..).item()? < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn qr | try_qr(&self) -> (DeviceArray<T>, DeviceArray<T>) {
            let (q, r) = factor::qr(self.node(), false)?;
            Ok((DeviceArray::from_node(q), DeviceArray::from_node(r)))
        }

        /// As [`qr`](Self::qr), with a square `Q`.
        ///
        /// **Shape.** `[…, m, n]` gives `[…, m, m]` and `[…, m, n]`. NumPy:
        /// `linalg.qr(mode="complete")`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([3, 1], vec![0.0f64, 3.0, 4.0])?;
        /// let (q, r) = a.qr_complete();
        /// assert_eq!((q.shape(), r.shape()), (&[3, 3][..], &[3, 1][..]));
        /// assert!((r.get([0, 0])?.abs() - 5.0).abs() < 1e-12);
        /// assert!(q.matmul(&r).all_close(&a).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn qr_complete | try_qr_complete(&self) -> (DeviceArray<T>, DeviceArray<T>) {
            let (q, r) = factor::qr(self.node(), true)?;
            Ok((DeviceArray::from_node(q), DeviceArray::from_node(r)))
        }

        /// The singular value decomposition `self = U · diag(S) · Vᴴ`, as `(U, S, Vᴴ)`, with as
        /// many vectors as there are singular values, which descend.
        ///
        /// The vectors' signs are the library's. The evaluation fails with
        /// [`Error::is_numeric`](crate::Error::is_numeric) where the iteration does not converge.
        ///
        /// **Shape.** `[…, m, n]` gives `[…, m, p]`, `[…, p]`, `[…, p, n]` with `p` the lesser of
        /// both. **Dtype.** The array's; the values are real. NumPy:
        /// `linalg.svd(full_matrices=False)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 2.0, 3.0, 0.0])?;
        /// let (u, s, vh) = a.svd();
        /// assert!((&s - &DeviceArray::<f64>::from_slice(&[3.0, 2.0])?).abs().max(..).item()? < 1e-14);
        /// assert!((u * s).matmul(&vh).subtract(&a).abs().max(..).item()? < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn svd | try_svd(&self) -> (DeviceArray<T>, DeviceArray<T::Real>, DeviceArray<T>) {
            let [u, s, vh] = factor::svd("svd", self.node(), false)?;
            Ok((DeviceArray::from_node(u), DeviceArray::from_node(s), DeviceArray::from_node(vh)))
        }

        /// As [`svd`](Self::svd), with whole bases.
        ///
        /// **Shape.** `[…, m, n]` gives `[…, m, m]`, `[…, p]`, `[…, n, n]`. NumPy: `linalg.svd`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([3, 1], vec![0.0f64, 3.0, 4.0])?;
        /// let (u, s, vh) = a.svd_full();
        /// assert_eq!((u.shape(), vh.shape()), (&[3, 3][..], &[1, 1][..]));
        /// assert!((s.item()? - 5.0).abs() < 1e-12);
        /// # Ok::<(), Error>(())
        /// ```
        fn svd_full | try_svd_full(&self) -> (DeviceArray<T>, DeviceArray<T::Real>, DeviceArray<T>) {
            let [u, s, vh] = factor::svd("svd", self.node(), true)?;
            Ok((DeviceArray::from_node(u), DeviceArray::from_node(s), DeviceArray::from_node(vh)))
        }

        /// The singular values alone, descending.
        ///
        /// **Shape.** `[…, m, n]` gives `[…, p]` with `p` the lesser of both. **Dtype.** Real.
        /// NumPy: `linalg.svdvals`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let s = DeviceArray::<f64>::from_vec([2, 1], vec![3.0, 4.0])?.svdvals();
        /// assert!((s.to_vec()?[0] - 5.0).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn svdvals | try_svdvals(&self) -> DeviceArray<T::Real> {
            factor::singular_values("svdvals", self.node()).map(DeviceArray::from_node)
        }

        /// The eigenvalues, ascending, and the eigenvectors, as columns, of a Hermitian matrix or
        /// of each of a batch. What is above the diagonal is not read.
        ///
        /// The vectors' signs are the library's.
        ///
        /// **Shape.** `[…, n, n]` gives `[…, n]` and `[…, n, n]`. **Dtype.** The array's; the values
        /// are real. NumPy: `linalg.eigh`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 1.0, 1.0, 2.0])?;
        /// let (w, v) = a.eigh();
        /// assert!((a.matmul(&v) - &v * &w).abs().max(..).item()? < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn eigh | try_eigh(&self) -> (DeviceArray<T::Real>, DeviceArray<T>) {
            let (w, v) = factor::eigh("eigh", self.node(), true)?;
            let v = v.expect("vectors were asked for");
            Ok((DeviceArray::from_node(w), DeviceArray::from_node(v)))
        }

        /// The eigenvalues of a Hermitian matrix alone, ascending. What is above the diagonal is
        /// not read.
        ///
        /// **Shape.** `[…, n, n]` gives `[…, n]`. **Dtype.** Real. NumPy: `linalg.eigvalsh`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let w = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 1.0, 1.0, 2.0])?.eigvalsh().to_vec()?;
        /// assert!((w[0] - 1.0).abs() < 1e-14 && (w[1] - 3.0).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn eigvalsh | try_eigvalsh(&self) -> DeviceArray<T::Real> {
            let (w, _) = factor::eigh("eigvalsh", self.node(), false)?;
            Ok(DeviceArray::from_node(w))
        }

        /// The eigenvalues, in no certain order, and the eigenvectors, as columns of length 1, of
        /// a square matrix or of each of a batch.
        ///
        /// **Shape.** `[…, n, n]` gives `[…, n]` and `[…, n, n]`. **Dtype.** Complex in any case;
        /// NumPy gives real ones where all are. NumPy: `linalg.eig`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, -1.0, 1.0, 0.0])?;
        /// let (w, v) = a.eig();
        /// let residual = a.cast::<Complex<f64>>().matmul(&v) - &v * &w;
        /// assert!(residual.abs().max(..).item()? < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn eig | try_eig(&self) -> (DeviceArray<T::Complex>, DeviceArray<T::Complex>) {
            let (w, v) = factor::eig("eig", self.node(), T::Complex::DTYPE, true)?;
            let v = v.expect("vectors were asked for");
            let v = DeviceArray::<T::Complex>::from_node(v);
            let length = super::norms::lengths(v.node())?;
            let v = crate::array::record::binary(crate::table::Op::Divide, v.node(), &length)?;
            Ok((DeviceArray::from_node(w), DeviceArray::from_node(v)))
        }

        /// The eigenvalues of a square matrix alone, in no certain order.
        ///
        /// **Shape.** `[…, n, n]` gives `[…, n]`. **Dtype.** Complex in any case. NumPy:
        /// `linalg.eigvals`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![0.0f64, -4.0, 1.0, 0.0])?;
        /// let imaginary = a.eigvals().imag().sort(0).to_vec()?;
        /// assert!((imaginary[0] + 2.0).abs() < 1e-12 && (imaginary[1] - 2.0).abs() < 1e-12);
        /// # Ok::<(), Error>(())
        /// ```
        fn eigvals | try_eigvals(&self) -> DeviceArray<T::Complex> {
            let (w, _) = factor::eig("eigvals", self.node(), T::Complex::DTYPE, false)?;
            Ok(DeviceArray::from_node(w))
        }
    }
}
