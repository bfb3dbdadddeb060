//! Trigonometric functions of matrices, by exponentials, and the derivative of the exponential.

use super::factor::Matrices;
use crate::array::{DeviceArray, checked, checked_fns};
use crate::dtype::Factorable;
use crate::error::{Error, Result};

/// The exponential of a matrix, or of each of a batch, times the imaginary unit.
#[track_caller]
fn turning<T: Factorable>(a: &DeviceArray<T>, sign: f64) -> Result<DeviceArray<T::Complex>> {
    let turned = match sign < 0.0 {
        true => a.imag().try_to_complex(-a.real())?,
        false => (-a.imag()).try_to_complex(a.real())?,
    };
    turned.cast::<T::Complex>().try_expm()
}

#[track_caller]
fn half<T: Factorable>(a: &DeviceArray<T>) -> DeviceArray<T> {
    let two = T::ONE + T::ONE;
    a / two
}

/// The cosine and the sine.
#[track_caller]
fn circle<T: Factorable>(a: &DeviceArray<T>) -> Result<[DeviceArray<T>; 2]> {
    let ahead = turning(a, 1.0)?;
    if !T::DTYPE.is_complex() {
        return Ok([ahead.real().cast(), ahead.imag().cast()]);
    }
    let back = turning(a, -1.0)?;
    let cosine = half(&(&ahead + &back));
    let twice = half(&(ahead - back));
    // Divided by the imaginary unit.
    let sine = twice.imag().try_to_complex(-twice.real())?;
    Ok([cosine.cast(), sine.cast()])
}

/// The hyperbolic cosine and sine.
#[track_caller]
fn hyperbola<T: Factorable>(a: &DeviceArray<T>) -> Result<[DeviceArray<T>; 2]> {
    let (up, down) = (a.try_expm()?, (-a).try_expm()?);
    Ok([half(&(&up + &down)), half(&(up - down))])
}

impl<T: Factorable> DeviceArray<T> {
    checked! {
        /// The cosine of a square matrix, or of each of a batch.
        ///
        /// As [`expm`](Self::expm), of which it is made, it evaluates norms when it is called.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. SciPy: `linalg.cosm`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 1.0, 1.0, 0.0])?;
        /// let sums = a.cosm().sum(0);
        /// assert!((sums.get([0])? - 0.5403023058681398).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn cosm | try_cosm(&self) -> DeviceArray<T> {
            Matrices::square("cosm", self.node())?;
            circle(self).map(|[cosine, _]| cosine)
        }

        /// The sine of a square matrix, or of each of a batch.
        ///
        /// As [`expm`](Self::expm), of which it is made, it evaluates norms when it is called.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. SciPy: `linalg.sinm`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 1.0, 1.0, 0.0])?;
        /// let sums = a.sinm().sum(0);
        /// assert!((sums.get([0])? - 0.8414709848078965).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn sinm | try_sinm(&self) -> DeviceArray<T> {
            Matrices::square("sinm", self.node())?;
            circle(self).map(|[_, sine]| sine)
        }

        /// The tangent of a square matrix, or of each of a batch: the solution of `cos · x = sin`. The
        /// evaluation fails with [`Error::is_numeric`](crate::Error::is_numeric) where the cosine is
        /// singular.
        ///
        /// As [`expm`](Self::expm), of which it is made, it evaluates norms when it is called.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. SciPy: `linalg.tanm`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 1.0, 1.0, 0.0])?;
        /// let sums = a.tanm().sum(0);
        /// assert!((sums.get([0])? - 1.5574077246549023).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn tanm | try_tanm(&self) -> DeviceArray<T> {
            Matrices::square("tanm", self.node())?;
            let [cosine, sine] = circle(self)?;
            cosine.try_solve(&sine)
        }

        /// The hyperbolic cosine of a square matrix, or of each of a batch.
        ///
        /// As [`expm`](Self::expm), of which it is made, it evaluates norms when it is called.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. SciPy: `linalg.coshm`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 1.0, 1.0, 0.0])?;
        /// let sums = a.coshm().sum(0);
        /// assert!((sums.get([0])? - 1.543080634815244).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn coshm | try_coshm(&self) -> DeviceArray<T> {
            Matrices::square("coshm", self.node())?;
            hyperbola(self).map(|[cosine, _]| cosine)
        }

        /// The hyperbolic sine of a square matrix, or of each of a batch. Its error is of the size of
        /// the cosine's.
        ///
        /// As [`expm`](Self::expm), of which it is made, it evaluates norms when it is called.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. SciPy: `linalg.sinhm`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 1.0, 1.0, 0.0])?;
        /// let sums = a.sinhm().sum(0);
        /// assert!((sums.get([0])? - 1.1752011936438014).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn sinhm | try_sinhm(&self) -> DeviceArray<T> {
            Matrices::square("sinhm", self.node())?;
            hyperbola(self).map(|[_, sine]| sine)
        }

        /// The hyperbolic tangent of a square matrix, or of each of a batch: the solution of
        /// `cosh · x = sinh`. The evaluation fails with
        /// [`Error::is_numeric`](crate::Error::is_numeric) where the cosine is singular.
        ///
        /// As [`expm`](Self::expm), of which it is made, it evaluates norms when it is called.
        ///
        /// **Shape.** The array's, `[…, n, n]`. **Dtype.** The array's. SciPy: `linalg.tanhm`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![0.0, 1.0, 1.0, 0.0])?;
        /// let sums = a.tanhm().sum(0);
        /// assert!((sums.get([0])? - 0.7615941559557649).abs() < 1e-14);
        /// # Ok::<(), Error>(())
        /// ```
        fn tanhm | try_tanhm(&self) -> DeviceArray<T> {
            Matrices::square("tanhm", self.node())?;
            let [cosine, sine] = hyperbola(self)?;
            cosine.try_solve(&sine)
        }
    }
}

/// The largest magnitude of matrices, 1 where all are zero, in a shape that broadcasts with them.
#[track_caller]
fn size<T: Factorable>(a: &DeviceArray<T>) -> Result<DeviceArray<f64>> {
    let largest = a.abs().cast::<f64>().try_max(crate::array::keep([-2, -1]))?;
    Ok(largest.equal(0.0).select(1.0, largest))
}

checked_fns! {
    /// The exponential of a matrix, or of each of a batch, and its derivative in a direction (Fréchet's),
    /// by the exponential of a matrix of twice the size (R. Mathias, "A chain rule for matrix functions
    /// and applications", 1996).
    ///
    /// As [`expm`](DeviceArray::expm), of which it is made, it evaluates norms when it is called.
    ///
    /// **Shape.** `[…, n, n]` for both gives two of it. **Dtype.** The arrays'. SciPy:
    /// `linalg.expm_frechet(method="blockEnlarge")`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([1, 1], vec![1.0])?;
    /// let (value, slope) = lazuli::linalg::expm_frechet(&a, &(&a * 3.0));
    /// let e = std::f64::consts::E;
    /// assert!((value.item()? - e).abs() < 1e-14 && (slope.item()? - 3.0 * e).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn expm_frechet | try_expm_frechet<T: Factorable>(
        a: &DeviceArray<T>,
        direction: &DeviceArray<T>,
    ) -> (DeviceArray<T>, DeviceArray<T>) {
        let own = Matrices::square("expm_frechet", a.node())?;
        if a.shape() != direction.shape() {
            let (a, e) = (a.shape(), direction.shape());
            return Err(Error::shape(format!("expm_frechet: shapes {a:?} and {e:?} differ")));
        }
        if own.is_empty() {
            return Ok((a.clone(), direction.clone()));
        }
        // The derivative is linear: a direction of the matrix's size needs no more squarings.
        let factor = size(direction)? / size(a)?;
        let scaled = direction / factor.cast::<T>();
        let upper = crate::try_concatenate(&[a, &scaled], -1)?;
        let lower = crate::try_concatenate(&[&a.full_like(T::ZERO), a], -1)?;
        let both = crate::try_concatenate(&[&upper, &lower], -2)?.try_expm()?;
        let first: Vec<usize> = (0..own.n).collect();
        let second: Vec<usize> = (own.n..2 * own.n).collect();
        let rows = both.try_take(&first, -2)?;
        let slope = rows.try_take(&second, -1)? * factor.cast::<T>();
        Ok((rows.try_take(&first, -1)?, slope))
    }
}
