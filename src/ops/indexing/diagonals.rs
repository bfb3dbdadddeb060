//! The positions of diagonals and triangles, and diagonals that are filled.

use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked, checked_fns, located, or_panic, record};
use crate::backend::Device;
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node};
use crate::ops::search::{self, Side};
use crate::shape::checked_len;
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

checked_fns! {
    /// The positions along each axis of the main diagonal of an array with `ndim` axes of length
    /// `n`.
    ///
    /// **Shape.** `ndim` arrays of one axis of `n`. **Dtype.** `i64`. On the current device; nothing
    /// is uploaded. NumPy: `diag_indices`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let at = lazuli::diag_indices(2, 2);
    /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(a.index((&at[0], &at[1]))?.to_vec()?, [1, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    fn diag_indices | try_diag_indices(n: usize, ndim: usize) -> Vec<DeviceArray<i64>> {
        checked_len("diag_indices", &vec![1; ndim])?;
        checked_len("diag_indices", &[n])?;
        let line = record::iota(0, smallvec![n], Device::current()?);
        Ok(vec![DeviceArray::from_node(line); ndim])
    }

    /// The positions along both axes of the lower triangle of a matrix of `n` rows and `m` columns,
    /// row by row: up to the `offset`-th diagonal, above the main one where that is positive.
    ///
    /// **Shape.** Two arrays of one axis. **Dtype.** `i64`. On the current device; nothing is
    /// uploaded. NumPy: `tril_indices(n, offset, m)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (rows, columns) = lazuli::tril_indices(2, 2, 0);
    /// assert_eq!((rows.to_vec()?, columns.to_vec()?), (vec![0, 1, 1], vec![0, 0, 1]));
    /// # Ok::<(), Error>(())
    /// ```
    fn tril_indices | try_tril_indices(
        n: usize,
        m: usize,
        offset: isize,
    ) -> (DeviceArray<i64>, DeviceArray<i64>) {
        triangle("tril_indices", [n, m], offset, true)
    }

    /// The positions along both axes of the upper triangle of a matrix of `n` rows and `m` columns,
    /// row by row: from the `offset`-th diagonal on, above the main one where that is positive.
    ///
    /// **Shape.** Two arrays of one axis. **Dtype.** `i64`. On the current device; nothing is
    /// uploaded. NumPy: `triu_indices(n, offset, m)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (rows, columns) = lazuli::triu_indices(2, 2, 1);
    /// assert_eq!((rows.to_vec()?, columns.to_vec()?), (vec![0], vec![1]));
    /// # Ok::<(), Error>(())
    /// ```
    fn triu_indices | try_triu_indices(
        n: usize,
        m: usize,
        offset: isize,
    ) -> (DeviceArray<i64>, DeviceArray<i64>) {
        triangle("triu_indices", [n, m], offset, false)
    }
}

/// The positions along both axes at which a function of masks leaves ones of a matrix of `n` rows and
/// columns that are all 1: those that an index takes where `mask` keeps elements.
///
/// **Shape.** Two arrays of one axis. **Dtype.** `i64`. **Laziness.** How many there are depends on
/// the function: evaluates and waits. NumPy: `mask_indices(n, mask)`, whose `k` the closure holds.
///
/// # Errors
/// [`Error::is_shape`] where the function gives no matrix, or `n` is too large; as
/// [`lazuli::eval`](crate::eval).
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let (rows, columns) = lazuli::mask_indices(3, |ones| ones.triu(1))?;
/// assert_eq!((rows.to_vec()?, columns.to_vec()?), (vec![0, 0, 1], vec![1, 2, 2]));
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn mask_indices(
    n: usize,
    mask: impl FnOnce(DeviceArray<i64>) -> DeviceArray<i64>,
) -> Result<(DeviceArray<i64>, DeviceArray<i64>)> {
    let ones = located(DeviceArray::<i64>::try_full([n, n], 1))?;
    let at = located(mask(ones).nonzero())?;
    match <[DeviceArray<i64>; 2]>::try_from(at) {
        Ok([rows, columns]) => Ok((rows, columns)),
        Err(at) => located(Err(Error::shape(format!(
            "mask_indices: the function gives an array of {} axes",
            at.len()
        )))),
    }
}

/// The positions of a triangle: the row of each is found among the ends of all rows.
#[track_caller]
fn triangle(
    name: &str,
    [n, m]: [usize; 2],
    offset: isize,
    lower: bool,
) -> Result<(DeviceArray<i64>, DeviceArray<i64>)> {
    checked_len(name, &[n, m])?;
    let device = Device::current()?;
    let (width, offset) = (m as i64, (offset as i64).clamp(-(n as i64) - 1, m as i64 + 1));
    // In row `r` the lower triangle ends, and the upper one begins, at this column.
    let bound = |r: i64, past: i64| (r + offset + past).clamp(0, width);
    let length = |r: usize| match lower {
        true => bound(r as i64, 1),
        false => width - bound(r as i64, 0),
    };
    let total = (0..n).map(length).sum::<i64>() as usize;
    if total == 0 {
        let none = || DeviceArray::from_node(record::full(Scalar::new(0i64), smallvec![0], device));
        return Ok((none(), none()));
    }
    let op = |op, a: &Arc<Node>, b: i64| record::binary(op, a, Scalar::new(b));
    let rows = op(Op::Add, &record::iota(0, smallvec![n], device), offset)?;
    let past = if lower { op(Op::Add, &rows, 1)? } else { rows };
    let bounds = op(Op::Minimum, &op(Op::Maximum, &past, 0)?, width)?;
    let lengths = match lower {
        true => bounds.clone(),
        false => record::binary(Op::Subtract, Scalar::new(width), &bounds)?,
    };
    let ends = record::accumulate(Reduction::Sum, &lengths, 0, false, false);
    let line = record::iota(0, smallvec![total], device);
    let row = search::places(&ends, &line, Side::Right)?;
    // The distance from the end of the row.
    let left = record::binary(Op::Subtract, &search::taken(&ends, &row), &line)?;
    let last = match lower {
        true => search::taken(&bounds, &row),
        false => record::full(Scalar::new(width), smallvec![total], device),
    };
    let column = record::binary(Op::Subtract, &last, &left)?;
    Ok((DeviceArray::from_node(row), DeviceArray::from_node(column)))
}

/// The array with values on its main diagonal.
#[track_caller]
fn with_diagonal<T: Element>(
    name: &str,
    a: &DeviceArray<T>,
    values: Arg,
) -> Result<DeviceArray<T>> {
    let shape = a.shape();
    if shape.len() < 2 || shape.len() > 2 && shape.iter().any(|&n| n != shape[0]) {
        return Err(Error::shape(format!("{name}: shape {shape:?} has no main diagonal")));
    }
    let row = record::iota(0, a.node().shape.clone(), a.device());
    let mut mask: Option<Arc<Node>> = None;
    for axis in 1..shape.len() {
        let along = record::iota(axis, a.node().shape.clone(), a.device());
        let equal = record::binary(Op::Equal, &row, &along)?;
        mask = Some(match mask {
            None => equal,
            Some(mask) => record::binary(Op::LogicalAnd, &mask, &equal)?,
        });
    }
    let values = match values {
        Arg::Scalar(_) => values,
        Arg::Node(values) if values.device.differs(a.device()) => {
            return Err(record::devices_differ(name, a.device(), values.device));
        }
        Arg::Node(values) if values.len() == 0 => {
            return Err(Error::shape(format!("{name}: no values are given")));
        }
        Arg::Node(values) => {
            let count = Scalar::new(values.len() as i64);
            let line = record::reshape(&values, smallvec![values.len()]);
            Arg::Node(search::taken(&line, &record::binary(Op::Remainder, &row, count)?))
        }
    };
    match mask {
        Some(mask) => record::select(&mask, values, a.node()).map(DeviceArray::from_node),
        None => Ok(a.clone()),
    }
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The array with a value, or the elements of an array one after the other, on its main
        /// diagonal; the array itself stays as it is. Should there be too few values, they begin
        /// again.
        ///
        /// **Shape.** The array's, which has two axes or more of one length. **Dtype.** The array's.
        /// NumPy: a copy, then `fill_diagonal`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::zeros([2, 3]);
        /// assert_eq!(a.with_diagonal(7).to_vec()?, [7, 0, 0, 0, 7, 0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn with_diagonal | try_with_diagonal(&self, values: impl Operand<T>) -> DeviceArray<T> {
            with_diagonal("with_diagonal", self, arg(values, self.device())?)
        }
    }

    /// Puts a value, or the elements of an array one after the other, on the main diagonal: NumPy's
    /// `fill_diagonal`.
    ///
    /// This handle gets the new array, as [`with_diagonal`](Self::with_diagonal) makes it; other
    /// handles keep what they have. **Laziness.** Records; nothing is computed.
    ///
    /// # Panics
    /// Where the array has fewer than two axes, or more of different lengths;
    /// [`try_with_diagonal`](Self::try_with_diagonal) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::<i32>::zeros([2, 2]);
    /// a.fill_diagonal(&DeviceArray::from_slice(&[1, 2])?);
    /// assert_eq!(a.to_vec()?, [1, 0, 0, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn fill_diagonal(&mut self, values: impl Operand<T>) {
        let values = arg(values, self.device());
        *self = or_panic(values.and_then(|values| with_diagonal("fill_diagonal", self, values)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_are_those_of_masks() {
        for (n, m) in [(3, 3), (2, 5), (5, 2), (1, 1), (0, 3), (3, 0)] {
            for offset in [isize::MIN, -4, -2, -1, 0, 1, 2, 7, isize::MAX] {
                let within = |lower: bool| -> (Vec<i64>, Vec<i64>) {
                    let all = (0..n as i64).flat_map(|r| (0..m as i64).map(move |c| (r, c)));
                    let diagonal = |r: i64| (r as isize).saturating_add(offset) as i64;
                    let is_in = |&(r, c): &(i64, i64)| match lower {
                        true => c <= diagonal(r),
                        false => c >= diagonal(r),
                    };
                    all.filter(is_in).unzip()
                };
                let both = |(r, c): (DeviceArray<i64>, DeviceArray<i64>)| {
                    (r.to_vec().unwrap(), c.to_vec().unwrap())
                };
                assert_eq!(both(tril_indices(n, m, offset)), within(true), "{n} {m} {offset}");
                assert_eq!(both(triu_indices(n, m, offset)), within(false), "{n} {m} {offset}");
            }
        }
    }

    #[test]
    fn diagonals_are_filled() {
        let cube = DeviceArray::<i32>::zeros([3, 3, 3]);
        let values = DeviceArray::from_slice(&[1, 2]).unwrap();
        let filled = cube.with_diagonal(&values);
        let at = diag_indices(3, 3);
        assert_eq!(filled.index((&at[0], &at[1], &at[2])).unwrap().to_vec().unwrap(), [1, 2, 1]);
        assert_eq!(filled.sum(..).item().unwrap(), 4);
        let tall = DeviceArray::<f64>::ones([4, 2]).with_diagonal(f64::NAN).to_vec().unwrap();
        let nan: Vec<usize> = (0..8).filter(|&k| tall[k].is_nan()).collect();
        assert_eq!(nan, [0, 3]);
        for error in [
            DeviceArray::<i32>::zeros(3).try_with_diagonal(1).unwrap_err(),
            DeviceArray::<i32>::zeros([2, 2, 3]).try_with_diagonal(1).unwrap_err(),
            cube.try_with_diagonal(DeviceArray::zeros(0)).unwrap_err(),
            try_diag_indices(2, 17).unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
        }
    }
}
