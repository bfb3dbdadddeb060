//! How Golub's and Kahan's bidiagonalisation begins.

use super::operator::Product;
use super::options::quotient;
use super::{LinearOperator, Options};
use crate::array::DeviceArray;
use crate::dtype::Floating;
use crate::error::{Error, Result};

/// The first vectors of both sides, and where the solution begins.
pub(super) struct Beginning<'a, T: Floating> {
    /// The product with the transposed matrix.
    pub transposed: Product<'a, T>,
    pub x: DeviceArray<T>,
    /// The residual over its norm, which is `beta`.
    pub u: DeviceArray<T>,
    pub beta: DeviceArray<T>,
    /// The transposed matrix times `u`, over its norm, which is `alpha`.
    pub v: DeviceArray<T>,
    pub alpha: DeviceArray<T>,
    /// The norm of `Aᵀ·r`, which is zero at the minimum, and what it is to come down to.
    pub slope: DeviceArray<T>,
    pub tolerance: DeviceArray<T>,
}

impl<'a, T: Floating> Beginning<'a, T> {
    pub fn new(
        name: &str,
        a: &'a impl LinearOperator<T>,
        b: &DeviceArray<T>,
        options: &Options<'_, T>,
    ) -> Result<Self> {
        if b.ndim() != 1 {
            return Err(Error::shape(format!(
                "{name}: a right-hand side of shape {:?}",
                b.shape()
            )));
        }
        let transposed = a.transposed()?;
        let u = match &options.guess {
            Some(x) => b - a.apply(x)?,
            None => b.clone(),
        };
        let (one, always) = (DeviceArray::ones(()), u.equal(&u).all(..));
        let beta = u.norm(0);
        let u = &u * quotient(&one, &beta, &always).0;
        let v = transposed(&u)?;
        let alpha = v.norm(0);
        let v = &v * quotient(&one, &alpha, &always).0;
        let x = options.guess.clone().unwrap_or_else(|| DeviceArray::zeros_like(&v));
        let slope = &alpha * &beta;
        let tolerance = (&slope * T::from_f64(options.rtol)).maximum(T::from_f64(options.atol));
        Ok(Beginning { transposed, x, u, beta, v, alpha, slope, tolerance })
    }
}
