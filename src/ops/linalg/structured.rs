//! Matrices that a line of numbers makes.

use super::factor::conjugate;
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::{ComplexFloating, Element, Inexact, Number};
use crate::error::{Error, Result};
use crate::graph::{AxisMap, View};
use crate::ops::broadcasting::try_broadcast_shapes;
use crate::ops::convolve::Mode;
use crate::ops::fft::Norm;
use crate::ops::join::try_concatenate;
use crate::ops::padding::PadMode;
use crate::shape::Shape;
use smallvec::smallvec;

/// Lines along the last axis, which must have one and `least` elements.
fn length<T: Element>(name: &str, a: &DeviceArray<T>, least: usize) -> Result<usize> {
    match a.shape().last() {
        Some(&n) if n >= least => Ok(n),
        _ => {
            let shape = a.shape();
            Err(Error::shape(format!("{name}: shape {shape:?} is not of lines of {least} or more")))
        }
    }
}

/// The element `first + i · down + j · right` of a line in row `i` and column `j` of a matrix.
#[track_caller]
fn by_places<T: Element>(
    line: &DeviceArray<T>,
    first: i64,
    [down, right]: [i64; 2],
    [m, n]: [usize; 2],
) -> DeviceArray<T> {
    let last = line.ndim() - 1;
    let mut shape = Shape::from_slice(&line.shape()[..last]);
    shape.extend_from_slice(&[m, n]);
    if shape.contains(&0) {
        return line.device().scope(|| DeviceArray::empty(&shape[..]));
    }
    let mut view = View::identity(line.ndim());
    view.0[last] = AxisMap {
        terms: smallvec![(last as u8, down), (last as u8 + 1, right)],
        ..AxisMap::fixed(first)
    };
    DeviceArray::from_node(record::view(line.node(), view, shape))
}

/// Lines of two arrays one behind the other, batches broadcast.
#[track_caller]
fn joined<T: Element>(a: &DeviceArray<T>, b: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    let own = |x: &DeviceArray<T>| x.shape()[..x.ndim() - 1].to_vec();
    let lead = try_broadcast_shapes(&[&own(a), &own(b)])?;
    let wide = |x: &DeviceArray<T>| {
        let shape: Vec<usize> = lead.iter().copied().chain(x.shape().last().copied()).collect();
        x.try_broadcast_to(shape)
    };
    try_concatenate(&[&wide(a)?, &wide(b)?], -1)
}

/// The elements of lines from one on.
#[track_caller]
fn from<T: Element>(a: &DeviceArray<T>, first: usize) -> Result<DeviceArray<T>> {
    let n = a.shape()[a.ndim() - 1];
    let places: Vec<usize> = (first.min(n)..n).collect();
    a.try_take(&places, -1)
}

/// Rows with zeros before and behind.
#[track_caller]
fn padded<T: Number>(a: &DeviceArray<T>, before: usize, behind: usize) -> Result<DeviceArray<T>> {
    let mut widths = vec![(0, 0); a.ndim()];
    widths[a.ndim() - 1] = (before, behind);
    a.try_pad(&widths, PadMode::Constant(T::ZERO))
}

/// A first row and a diagonal below the main one; zeros elsewhere.
#[track_caller]
fn under_a_row<T: Number>(row: &DeviceArray<T>, below: &DeviceArray<T>) -> Result<DeviceArray<T>> {
    let n = row.shape()[row.ndim() - 1];
    let (i, j) = places(row, n);
    let rows = row.insert_axis(-2);
    let below = padded(below, 0, 1)?.insert_axis(-2);
    let inner = i.equal(&j + 1).try_select(&below, T::ZERO)?;
    i.equal(0).try_select(&rows, &inner)
}

/// The numbers of rows and of columns of a square matrix.
#[track_caller]
fn places<T: Element>(like: &DeviceArray<T>, n: usize) -> (DeviceArray<i64>, DeviceArray<i64>) {
    let line = like.device().scope(|| DeviceArray::<i64>::arange_to(n as i64));
    (line.insert_axis(1), line.insert_axis(0))
}

checked_fns! {
    /// The matrix with the same elements along each diagonal: its first column is `c`, its first row
    /// `r`, of which the first element counts for nothing. Without a row it is the column's conjugate.
    ///
    /// **Shape.** `[…, m]` and `[…, n]`, whose batches broadcast, give `[…, m, n]`. **Dtype.** The
    /// arrays'. SciPy: `linalg.toeplitz`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::linalg::toeplitz;
    /// let c = DeviceArray::from_slice(&[1, 2, 3])?;
    /// let r = DeviceArray::from_slice(&[1, 4])?;
    /// assert_eq!(toeplitz(&c, Some(&r)).to_vec()?, [1, 4, 2, 1, 3, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn toeplitz | try_toeplitz<T: Number>(
        c: &DeviceArray<T>,
        r: Option<&DeviceArray<T>>,
    ) -> DeviceArray<T> {
        let m = length("toeplitz", c, 0)?;
        let own = DeviceArray::from_node(conjugate(c.node()));
        let r = r.unwrap_or(&own);
        let n = length("toeplitz", r, 0)?;
        let line = joined(&c.try_flip(-1)?, &from(r, 1)?)?;
        Ok(by_places(&line, m as i64 - 1, [-1, 1], [m, n]))
    }

    /// The matrix with the same elements along each diagonal from the right to the left: its first
    /// column is `c`, its last row `r`, of which the first element counts for nothing. Without a row
    /// it is zero.
    ///
    /// **Shape.** `[…, m]` and `[…, n]`, whose batches broadcast, give `[…, m, n]`. **Dtype.** The
    /// arrays'. SciPy: `linalg.hankel`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::linalg::hankel;
    /// let c = DeviceArray::from_slice(&[1, 2, 3])?;
    /// assert_eq!(hankel(&c, None).to_vec()?, [1, 2, 3, 2, 3, 0, 3, 0, 0]);
    /// let r = DeviceArray::from_slice(&[3, 9])?;
    /// assert_eq!(hankel(&c, Some(&r)).to_vec()?, [1, 2, 2, 3, 3, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    fn hankel | try_hankel<T: Number>(
        c: &DeviceArray<T>,
        r: Option<&DeviceArray<T>>,
    ) -> DeviceArray<T> {
        let m = length("hankel", c, 0)?;
        let none = c.full_like(T::ZERO);
        let r = r.unwrap_or(&none);
        let n = length("hankel", r, 0)?;
        Ok(by_places(&joined(c, &from(r, 1)?)?, 0, [1, 1], [m, n]))
    }

    /// The matrix whose columns are a line and what it becomes when it is turned by one place after
    /// another.
    ///
    /// **Shape.** `[…, n]` gives `[…, n, n]`. **Dtype.** The array's. SciPy: `linalg.circulant`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = lazuli::linalg::circulant(&DeviceArray::from_slice(&[1, 2, 3])?);
    /// assert_eq!(a.to_vec()?, [1, 3, 2, 2, 1, 3, 3, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn circulant | try_circulant<T: Number>(c: &DeviceArray<T>) -> DeviceArray<T> {
        let n = length("circulant", c, 0)?;
        let line = joined(&from(c, 1)?, c)?;
        Ok(by_places(&line, n as i64 - 1, [1, -1], [n, n]))
    }

    /// The companion matrix of a polynomial, the coefficient of the highest power coming first: its
    /// eigenvalues are the polynomial's roots.
    ///
    /// **Shape.** `[…, n]`, of 2 coefficients or more, gives `[…, n - 1, n - 1]`. **Dtype.** The
    /// array's. A first coefficient of 0, which SciPy refuses, gives infinities or NaN. SciPy:
    /// `linalg.companion`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = lazuli::linalg::companion(&DeviceArray::from_slice(&[2.0, -10.0, 12.0])?);
    /// assert_eq!(a.to_vec()?, [5.0, -6.0, 1.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn companion | try_companion<T: Inexact>(a: &DeviceArray<T>) -> DeviceArray<T> {
        let n = length("companion", a, 2)? - 1;
        let row = -(from(a, 1)? / a.try_take([0], -1)?);
        let ones = row.full_like(T::ONE).try_take(&(1..n).collect::<Vec<_>>(), -1)?;
        under_a_row(&row, &ones)
    }

    /// The matrix of a population by ages (P. H. Leslie, 1945): the first row is how many each age
    /// has, the diagonal below the main one which part of it survives.
    ///
    /// **Shape.** `[…, n]` and `[…, n - 1]`, whose batches broadcast, give `[…, n, n]`. **Dtype.** The
    /// arrays'. SciPy: `linalg.leslie`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let born = DeviceArray::from_slice(&[0.1, 2.0, 1.0])?;
    /// let left = DeviceArray::from_slice(&[0.2, 0.8])?;
    /// let a = lazuli::linalg::leslie(&born, &left);
    /// assert_eq!(a.to_vec()?, [0.1, 2.0, 1.0, 0.2, 0.0, 0.0, 0.0, 0.8, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn leslie | try_leslie<T: Number>(f: &DeviceArray<T>, s: &DeviceArray<T>) -> DeviceArray<T> {
        let (n, m) = (length("leslie", f, 1)?, length("leslie", s, 0)?);
        if m + 1 != n {
            return Err(Error::shape(format!("leslie: {m} parts that survive of {n} ages")));
        }
        under_a_row(f, s)
    }

    /// The matrix of the distances of all pairs of numbers, `|a[i] - a[j]|`.
    ///
    /// **Shape.** `[…, n]` gives `[…, n, n]`. **Dtype.** Real: the component of a complex type. SciPy:
    /// `linalg.fiedler`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = lazuli::linalg::fiedler(&DeviceArray::from_slice(&[1.0, 4.0])?);
    /// assert_eq!(a.to_vec()?, [0.0, 3.0, 3.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn fiedler | try_fiedler<T: Inexact>(a: &DeviceArray<T>) -> DeviceArray<T::Real> {
        length("fiedler", a, 0)?;
        Ok((a.insert_axis(-1) - a.insert_axis(-2)).abs())
    }

    /// The matrix whose product with a line of `n` elements is the convolution with another one.
    ///
    /// **Shape.** `[…, m]` gives `[…, k, n]`, `k` being the length of the convolution in this mode.
    /// **Dtype.** The array's. SciPy: `linalg.convolution_matrix`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::Mode;
    /// let a = DeviceArray::from_slice(&[1, 2])?;
    /// let full = lazuli::linalg::convolution_matrix(&a, 2, Mode::Full);
    /// assert_eq!(full.to_vec()?, [1, 0, 2, 1, 0, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn convolution_matrix | try_convolution_matrix<T: Number>(
        a: &DeviceArray<T>,
        n: usize,
        mode: Mode,
    ) -> DeviceArray<T> {
        let m = length("convolution_matrix", a, 1)?;
        if n == 0 {
            return Err(Error::shape("convolution_matrix: a line has an element"));
        }
        let trim = m.min(n) - 1;
        let (above, below) = match mode {
            Mode::Full => (0, 0),
            Mode::Same => (trim / 2, trim - trim / 2),
            Mode::Valid => (trim, trim),
        };
        let line = padded(a, n - 1, n - 1)?;
        let rows = m + n - 1 - above - below;
        Ok(by_places(&line, (n - 1 + above) as i64, [1, -1], [rows, n]))
    }

    /// Matrices along the diagonal of one, zeros elsewhere. Arrays with one axis are rows.
    ///
    /// **Shape.** The sums of the rows and of the columns. **Dtype.** The arrays'. An error for no
    /// arrays. SciPy: `linalg.block_diag`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (a, b) = (DeviceArray::from_slice(&[1, 2])?, DeviceArray::full([1, 1], 3));
    /// let both = lazuli::linalg::block_diag(&[&a, &b]);
    /// assert_eq!((both.shape(), both.to_vec()?), (&[2, 3][..], vec![1, 2, 0, 0, 0, 3]));
    /// # Ok::<(), Error>(())
    /// ```
    fn block_diag | try_block_diag<T: Number>(arrays: &[&DeviceArray<T>]) -> DeviceArray<T> {
        let mut blocks = Vec::new();
        for a in arrays {
            blocks.push(match a.ndim() {
                0 | 1 => a.try_reshape([1, a.len()])?,
                2 => (*a).clone(),
                _ => {
                    let shape = a.shape();
                    return Err(Error::shape(format!("block_diag: shape {shape:?} is no matrix")));
                }
            });
        }
        let columns: usize = blocks.iter().map(|b| b.shape()[1]).sum();
        let mut before = 0;
        let mut rows = Vec::new();
        for block in &blocks {
            let own = block.shape()[1];
            rows.push(padded(block, before, columns - before - own)?);
            before += own;
        }
        try_concatenate(&rows.iter().collect::<Vec<_>>(), 0)
    }

    /// The matrix with numbers along its diagonal, singular values say, so that `u · s · vᴴ` can be
    /// written.
    ///
    /// **Shape.** `[…, p]` gives `[…, m, n]`, whose lesser length is `p`. **Dtype.** The array's.
    /// SciPy: `linalg.diagsvd`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let s = DeviceArray::from_slice(&[3.0, 1.0])?;
    /// let a = lazuli::linalg::diagsvd(&s, 2, 3);
    /// assert_eq!(a.to_vec()?, [3.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn diagsvd | try_diagsvd<T: Number>(
        values: &DeviceArray<T>,
        m: usize,
        n: usize,
    ) -> DeviceArray<T> {
        let p = length("diagsvd", values, 0)?;
        if p != m.min(n) {
            return Err(Error::shape(format!("diagsvd: {p} numbers for a matrix [{m}, {n}]")));
        }
        let line = padded(values, 0, n - p)?.insert_axis(-2);
        let number = |n: usize| values.device().scope(|| DeviceArray::<i64>::arange_to(n as i64));
        let diagonal = number(m).insert_axis(1).equal(number(n).insert_axis(0));
        diagonal.try_select(&line, T::ZERO)
    }

    /// The columns' products of Kronecker: column `k` is that of the columns `k` of both matrices.
    ///
    /// **Shape.** `[m, k]` and `[n, k]` give `[m · n, k]`. **Dtype.** The arrays'. SciPy:
    /// `linalg.khatri_rao`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// let b = DeviceArray::from_vec([1, 2], vec![10, 100])?;
    /// assert_eq!(lazuli::linalg::khatri_rao(&a, &b).to_vec()?, [10, 200, 30, 400]);
    /// # Ok::<(), Error>(())
    /// ```
    fn khatri_rao | try_khatri_rao<T: Number>(
        a: &DeviceArray<T>,
        b: &DeviceArray<T>,
    ) -> DeviceArray<T> {
        let (&[m, k], &[n, l]) = (a.shape(), b.shape()) else {
            return Err(mismatch("khatri_rao", a, b));
        };
        if k != l {
            return Err(mismatch("khatri_rao", a, b));
        }
        a.insert_axis(1).try_multiply(b.insert_axis(0))?.try_reshape([m * n, k])
    }

    /// The matrix of the discrete Fourier transform: its product with a line is the line's transform
    /// with this norm.
    ///
    /// **Shape.** `[n, n]`. **Dtype.** `dft::<Complex<f64>>` or `dft::<Complex<f32>>`. SciPy: `linalg.dft`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::fft::Norm;
    /// let a = lazuli::linalg::dft::<Complex<f64>>(4, Norm::Backward);
    /// let wanted = [1.0, 0.0, -1.0, 0.0];
    /// let row = a.real().index_axis(0, 1).to_vec()?;
    /// assert!(row.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-15));
    /// # Ok::<(), Error>(())
    /// ```
    fn dft | try_dft<T: ComplexFloating>(n: usize, norm: Norm) -> DeviceArray<T> {
        let line = DeviceArray::<i64>::arange_to(n as i64);
        if n == 0 {
            return Ok(DeviceArray::empty([0, 0]));
        }
        // Products below n, whose angles are right to the last place.
        let turns = (line.insert_axis(1) * line.insert_axis(0)).remainder(n as i64);
        let angle = turns.cast::<f64>() * (-std::f64::consts::TAU / n as f64);
        let scale = match norm {
            Norm::Backward => 1.0,
            Norm::Ortho => 1.0 / (n as f64).sqrt(),
            Norm::Forward => 1.0 / n as f64,
        };
        let (re, im) = (angle.cos() * scale, angle.sin() * scale);
        Ok(re.try_to_complex(im)?.cast())
    }
}

fn mismatch<T: Element>(name: &str, a: &DeviceArray<T>, b: &DeviceArray<T>) -> Error {
    let (a, b) = (a.shape(), b.shape());
    Error::shape(format!("{name}: shapes {a:?} and {b:?} do not match"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::s;

    #[test]
    fn lines_are_read_in_place() {
        let c = DeviceArray::<f64>::arange_to(5.0);
        let plan = crate::explain(&[&(circulant(&c) * 2.0)]);
        assert!(plan.kernels() <= 2, "{plan}");
        let slice = c.slice(s![1..]);
        assert_eq!(toeplitz(&slice, None).get([3, 0]).unwrap(), 4.0);
    }
}
