//! Products with matrices of equal diagonals, and systems of them.

use super::structured::try_toeplitz;
use crate::array::{DeviceArray, checked_fns};
use crate::dtype::{Complex, Factorable};
use crate::error::{Error, Result};
use crate::ops::fft::{Options, next_fast_len};

/// The transforms of lines along the first axis.
#[track_caller]
fn spectrum(a: &DeviceArray<Complex<f64>>, n: usize) -> Result<DeviceArray<Complex<f64>>> {
    Options::new().axis(0).n(n).try_fft(a)
}

#[track_caller]
fn signal(a: &DeviceArray<Complex<f64>>) -> Result<DeviceArray<Complex<f64>>> {
    Options::new().axis(0).try_ifft(a)
}

/// A line of numbers, and one or several right-hand sides of as many rows.
fn check<T: Factorable>(
    name: &str,
    lines: [&DeviceArray<T>; 2],
    sides: &DeviceArray<T>,
) -> Result<[usize; 2]> {
    let [c, r] = lines.map(|line| line.shape());
    let fits = |&(c, r): &(usize, usize)| {
        (1..=2).contains(&sides.ndim()) && c > 0 && sides.shape()[0] == r
    };
    let lengths = match (c, r) {
        (&[c], &[r]) => Some((c, r)).filter(fits),
        _ => None,
    };
    match lengths {
        Some((c, r)) => Ok([c, r]),
        None => {
            let b = sides.shape();
            Err(Error::shape(format!("{name}: shapes {c:?}, {r:?} and {b:?} do not match")))
        }
    }
}

/// Numbers that stand beside several columns or one.
#[track_caller]
fn beside(
    line: &DeviceArray<Complex<f64>>,
    sides: &DeviceArray<Complex<f64>>,
) -> DeviceArray<Complex<f64>> {
    if sides.ndim() == 2 { line.insert_axis(1) } else { line.clone() }
}

checked_fns! {
    /// The product of the Toeplitz matrix that [`toeplitz`](crate::linalg::toeplitz()) makes of a column
    /// and a row with vectors, by Fourier transforms. Errors are of the size of the largest result's.
    ///
    /// **Shape.** `[m]`, `[n]` and `[n]` or `[n, k]` give `[m]` or `[m, k]`. **Dtype.** The arrays',
    /// computed in `f64`. SciPy: `linalg.matmul_toeplitz`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::linalg::matmul_toeplitz;
    /// let c = DeviceArray::<f64>::from_slice(&[1.0, 2.0])?;
    /// let r = DeviceArray::from_slice(&[1.0, 4.0])?;
    /// let y = matmul_toeplitz(&c, Some(&r), &DeviceArray::from_slice(&[1.0, 1.0])?).to_vec()?;
    /// assert!((y[0] - 5.0).abs() < 1e-14 && (y[1] - 3.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn matmul_toeplitz | try_matmul_toeplitz<T: Factorable>(
        c: &DeviceArray<T>,
        r: Option<&DeviceArray<T>>,
        x: &DeviceArray<T>,
    ) -> DeviceArray<T> {
        let own = c.conj();
        let r = r.unwrap_or(&own);
        let [m, n] = check("matmul_toeplitz", [c, r], x)?;
        let points = next_fast_len(m + n - 1);
        let wide = |a: &DeviceArray<T>| a.cast::<Complex<f64>>();
        // One column of a circulant matrix that holds it: the column, zeros, the row backwards.
        let row: Vec<usize> = (1..n).rev().collect();
        let row = wide(r).try_take(&row, 0)?;
        let gap = row.device().scope(|| DeviceArray::zeros([points - (m + n - 1)]));
        let line = crate::try_concatenate(&[&wide(c), &gap, &row], 0)?;
        let x = spectrum(&wide(x), points)?;
        let y = signal(&(beside(&spectrum(&line, points)?, &x) * x))?;
        Ok(y.try_take(&(0..m).collect::<Vec<_>>(), 0)?.cast())
    }

    /// The solution of `A · x = b` for the Toeplitz matrix that
    /// [`toeplitz`](crate::linalg::toeplitz()) makes of a column and a row.
    ///
    /// The matrix is written out, so that this is as accurate as [`solve`](DeviceArray::solve) and
    /// costs as much; Levinson's recursion, which SciPy has, fails where a leading part of the matrix
    /// is singular.
    ///
    /// **Shape.** `[n]`, `[n]` and `[n]` or `[n, k]` give the last. **Dtype.** The arrays'. SciPy:
    /// `linalg.solve_toeplitz`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::linalg::solve_toeplitz;
    /// let c = DeviceArray::<f64>::from_slice(&[0.0, 2.0])?;
    /// let x = solve_toeplitz(&c, None, &DeviceArray::from_slice(&[2.0, 4.0])?);
    /// assert_eq!(x.to_vec()?, [2.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn solve_toeplitz | try_solve_toeplitz<T: Factorable>(
        c: &DeviceArray<T>,
        r: Option<&DeviceArray<T>>,
        b: &DeviceArray<T>,
    ) -> DeviceArray<T> {
        check("solve_toeplitz", [c, r.unwrap_or(c)], b)?;
        try_toeplitz(c, r)?.try_solve(b)
    }

    /// The solution of `A · x = b` for the matrix that [`circulant`](crate::linalg::circulant()) makes
    /// of a column, by Fourier transforms: the quotient of the spectra.
    ///
    /// Where a frequency of the column is zero the matrix is singular, and results are infinite, NaN or
    /// as large as rounding leaves them.
    ///
    /// **Shape.** `[n]` and `[n]` or `[n, k]` give the last. **Dtype.** The arrays', computed in `f64`.
    /// SciPy: `linalg.solve_circulant`, which raises an error for a singular matrix.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::linalg::solve_circulant;
    /// let c = DeviceArray::<f64>::from_slice(&[2.0, 1.0])?;
    /// let x = solve_circulant(&c, &DeviceArray::from_slice(&[4.0, 5.0])?).to_vec()?;
    /// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn solve_circulant | try_solve_circulant<T: Factorable>(
        c: &DeviceArray<T>,
        b: &DeviceArray<T>,
    ) -> DeviceArray<T> {
        let [n, _] = check("solve_circulant", [c, c], b)?;
        let wide = |a: &DeviceArray<T>| a.cast::<Complex<f64>>();
        let sides = spectrum(&wide(b), n)?;
        let line = beside(&spectrum(&wide(c), n)?, &sides);
        Ok(signal(&(sides / line))?.cast())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::linalg::structured::try_circulant;

    #[test]
    fn products_are_those_of_the_matrix() {
        let c = DeviceArray::<f64>::arange_to(5.0).sin();
        let x = DeviceArray::<f64>::arange_to(5.0).cos();
        let product = try_circulant(&c).unwrap().matmul(&x);
        assert!((solve_circulant(&c, &product) - &x).abs().max(..).item().unwrap() < 1e-13);
    }
}
