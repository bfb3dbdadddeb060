//! Fiedler's companion matrices.

use crate::array::{DeviceArray, checked_fns};
use crate::dtype::Inexact;
use crate::error::Error;
use crate::ops::join::try_concatenate;

/// The place in a list of `n` coefficients, a 0 and a 1 of what stands in row `i` and column `j`.
fn place(n: usize, i: usize, j: usize) -> usize {
    let (zero, one) = (n, n + 1);
    match (i, j) {
        (0, 0) => 0,
        (1, 0) => one,
        _ if i % 2 == 1 => {
            if i == j + 2 {
                one
            } else {
                zero
            }
        }
        _ if i == j + 1 => i,
        _ if i + 1 == j => j,
        _ if i + 2 == j => one,
        _ => zero,
    }
}

checked_fns! {
    /// The companion matrix of a polynomial with five diagonals (M. Fiedler, "A note on companion
    /// matrices", 2003), the coefficient of the highest power coming first: its eigenvalues are the
    /// polynomial's roots.
    ///
    /// **Shape.** `[…, n]`, of 2 coefficients or more, gives `[…, n - 1, n - 1]`. **Dtype.** The
    /// array's. A first coefficient of 0, which SciPy refuses, gives infinities or NaN. SciPy:
    /// `linalg.fiedler_companion`, which gives nothing of one coefficient.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[2.0, -12.0, 22.0, -12.0])?;
    /// let a = lazuli::linalg::fiedler_companion(&a);
    /// assert_eq!(a.to_vec()?, [6.0, -11.0, 1.0, 1.0, 0.0, 0.0, 0.0, 6.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn fiedler_companion | try_fiedler_companion<T: Inexact>(
        a: &DeviceArray<T>,
    ) -> DeviceArray<T> {
        let Some((&count, lead)) = a.shape().split_last().filter(|(count, _)| **count >= 2) else {
            let shape = a.shape();
            return Err(Error::shape(format!("shape {shape:?} is not of lines of 2 or more")));
        };
        let n = count - 1;
        let first = a.try_take([0], -1)?;
        let row = -(a.try_take(&(1..count).collect::<Vec<_>>(), -1)? / &first);
        let line = try_concatenate(&[&row, &first.full_like(T::ZERO), &first.full_like(T::ONE)], -1)?;
        let places: Vec<usize> = (0..n * n).map(|p| place(n, p / n, p % n)).collect();
        line.try_take(&places, -1)?.try_reshape([lead, &[n, n]].concat())
    }
}
