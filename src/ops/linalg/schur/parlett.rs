//! Functions of matrices that users give, by the recurrence of B. Parlett (1976).

use super::C;
use super::functions::by_triangles;
use super::triangle::{Square, over};
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::Factorable;
use crate::error::{Error, Result};

/// A function of a triangle, diagonal by diagonal.
fn of_triangle(t: &Square, f: &impl Fn(C) -> C) -> Result<Square> {
    let n = t.n();
    let mut result = Square::zeros(n);
    (0..n).for_each(|i| result[(i, i)] = f(t[(i, i)]));
    let mut least = f64::INFINITY;
    for off in 1..n {
        for i in 0..n - off {
            let j = i + off;
            let step = result[(j, j)] - result[(i, i)];
            let known: C =
                (i + 1..j).map(|k| t[(i, k)] * result[(k, j)] - result[(i, k)] * t[(k, j)]).sum();
            let (sum, gap) = (t[(i, j)] * step + known, t[(j, j)] - t[(i, i)]);
            // A pair that nothing binds needs no derivative.
            if t[(i, j)] == C::new(0.0, 0.0) && known == C::new(0.0, 0.0) {
                continue;
            }
            least = least.min(gap.norm());
            result[(i, j)] = over(sum, gap);
        }
    }
    let mut above = t.clone();
    (0..n).for_each(|i| above[(i, i)] = C::new(0.0, 0.0));
    // Each quotient loses as many digits as the gap is smaller than what binds the pair.
    if above.norm() * f64::EPSILON > f64::EPSILON.sqrt() * least {
        return Err(Error::numeric(
            "funm: eigenvalues that lie so close together need the function's derivative",
        ));
    }
    Ok(result)
}

impl<T: Factorable> DeviceArray<T> {
    /// A function of a square matrix, or of each of a batch: the matrix on whose eigenvalues it acts, for
    /// matrices that have eigenvectors enough. It is called with each eigenvalue, on the host.
    ///
    /// Functions with names of their own, as [`expm`](Self::expm) and [`sqrtm`](Self::sqrtm), are more
    /// accurate. Of eigenvalues that lie close together, digits are lost.
    ///
    /// **Evaluates**, and works on the host. **Shape.** The array's, `[…, n, n]`. **Dtype.** Complex in
    /// any case. SciPy: `linalg.funm`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where a matrix is not square, [`Error::is_numeric`] where more than half of the
    /// digits would be lost, as for equal eigenvalues that share an eigenvector, or it holds what is not
    /// finite; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 3.0, 0.0, 4.0])?;
    /// let squared = a.funm(|x| x * x)?.real().to_vec()?;
    /// assert!(squared.iter().zip([1.0, 15.0, 0.0, 16.0]).all(|(x, y)| (x - y).abs() < 1e-13));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn funm(
        &self,
        f: impl Fn(crate::dtype::Complex<f64>) -> crate::dtype::Complex<f64>,
    ) -> Result<DeviceArray<T::Complex>> {
        located(recorded(|| by_triangles("funm", self, |t| of_triangle(t, &f))))
    }
}
