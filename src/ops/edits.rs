//! Arrays with elements added, left out, repeated to another shape, and compared as wholes.

use super::join::concat;
use super::movement::{broadcast_to, replace_axis};
use crate::array::args::{IntegerList, IntoShape};
use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked, located, record, recorded};
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, Node, Wrap};
use crate::shape::{Shape, broadcast, checked_len};
use crate::table::Op;
use smallvec::smallvec;
use std::sync::Arc;

/// Positions of a list, counted from the beginning; `end` is the first that is out of range.
fn places(name: &str, list: &[isize], end: usize, length: usize) -> Result<Vec<usize>> {
    let n = length as isize;
    let one = |&k: &isize| match if k < 0 { k + n } else { k } {
        place if place >= 0 && place < end as isize => Ok(place as usize),
        _ => Err(Error::shape(format!(
            "{name}: position {k} is out of bounds for an axis of length {length}"
        ))),
    };
    list.iter().map(one).collect()
}

/// The values of an insertion: as many along the axis as positions, or as they are for one.
#[track_caller]
fn inserted<T: Element>(
    a: &DeviceArray<T>,
    values: Arg,
    axis: usize,
    positions: usize,
) -> Result<Arc<Node>> {
    let mut shape = a.node().shape.clone();
    shape[axis] = positions;
    match values {
        Arg::Scalar(value) => Ok(record::full(value, shape, a.device())),
        Arg::Node(values) if values.device.differs(a.device()) => {
            Err(record::devices_differ("insert", a.device(), values.device))
        }
        Arg::Node(values) => {
            if positions == 1 && values.shape.len() == shape.len() {
                shape[axis] = values.shape[axis];
            }
            broadcast_to("insert", &values, shape)
        }
    }
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The array with the values of another behind it along an axis.
        ///
        /// **Shape.** As [`concatenate`](crate::concatenate). **Dtype.** The arrays'. NumPy:
        /// `append(a, values, axis)`; without an axis
        /// [`concatenate_flat`](crate::concatenate_flat).
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2])?;
        /// assert_eq!(a.append(&DeviceArray::from_slice(&[7])?, 0).to_vec()?, [1, 2, 7]);
        /// # Ok::<(), Error>(())
        /// ```
        fn append | try_append(&self, values: &DeviceArray<T>, axis: isize) -> DeviceArray<T> {
            let both = [self.node().clone(), values.node().clone()];
            concat("append", &both, axis).map(DeviceArray::from_node)
        }

        /// The array with values inserted along an axis, each before the element at a position of
        /// the array as it was; a position at the axis's length appends. At one position as many
        /// values are inserted as there are along the axis.
        ///
        /// **Shape.** The array's, the axis longer by the number of values, which broadcast to the
        /// positions. **Dtype.** The array's. NumPy: `insert`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2, 3])?;
        /// assert_eq!(a.insert(1, 9, 0).to_vec()?, [1, 9, 2, 3]);
        /// let values = DeviceArray::from_slice(&[7, 8])?;
        /// assert_eq!(a.insert([0, -1], &values, 0).to_vec()?, [7, 1, 2, 8, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn insert | try_insert(
            &self,
            positions: impl IntegerList,
            values: impl Operand<T>,
            axis: isize,
        ) -> DeviceArray<T> {
            let axis = self.axis("insert", axis)?;
            let length = self.shape()[axis];
            let mut places = places("insert", &positions.integers(), length + 1, length)?;
            let values = inserted(self, arg(values, self.device())?, axis, places.len())?;
            if let [only] = places[..] {
                places = vec![only; values.shape[axis]];
            }
            // Values at one position keep their order.
            let mut order: Vec<usize> = (0..places.len()).collect();
            order.sort_by_key(|&k| places[k]);
            let (mut sources, mut next) = (Vec::with_capacity(length + places.len()), 0);
            for k in order {
                sources.extend((next..places[k]).map(|p| p as i64));
                next = places[k];
                sources.push((length + k) as i64);
            }
            sources.extend((next..length).map(|p| p as i64));
            let both = concat("insert", &[self.node().clone(), values], axis as isize)?;
            DeviceArray::from_node(both).try_take(&sources, axis as isize)
        }

        /// The array without the elements at some positions of an axis.
        ///
        /// **Shape.** The array's, the axis shorter by the number of different positions. **Dtype.**
        /// The array's. NumPy: `delete`; by a mask see [`compress`](Self::compress).
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2, 3, 4])?;
        /// assert_eq!(a.delete([0, -1], 0).to_vec()?, [2, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn delete | try_delete(&self, positions: impl IntegerList, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("delete", axis)?;
            let length = self.shape()[axis];
            let mut stays = vec![true; length];
            for place in places("delete", &positions.integers(), length, length)? {
                stays[place] = false;
            }
            let rest: Vec<i64> = (0..length as i64).filter(|&k| stays[k as usize]).collect();
            self.try_take(&rest, axis as isize)
        }

        /// The elements in C order under another shape, again from the first where there are too
        /// few; zeros where there are none.
        ///
        /// **Shape.** As given. **Dtype.** The array's. A view. NumPy: `resize`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[1, 2, 3])?.resize([2, 2]).to_vec()?, [1, 2, 3, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn resize | try_resize(&self, shape: impl IntoShape) -> DeviceArray<T> {
            let shape = shape.lengths();
            let len = checked_len("resize", &shape)?;
            if self.is_empty() {
                let zeros = record::full(record::number(self.node(), 0.0), shape, self.device());
                return Ok(DeviceArray::from_node(zeros));
            }
            let line = record::reshape(self.node(), smallvec![self.len()]);
            let map = AxisMap::same(0).wrapped(Wrap::Mod(self.len() as i64));
            let repeated = replace_axis(&line, 0, map, len);
            Ok(DeviceArray::from_node(record::reshape(&repeated, shape)))
        }

        /// Whether both arrays have one shape and equal elements. NaN is equal to nothing.
        ///
        /// **Shape.** No axes. **Dtype.** `bool`. NumPy: `array_equal`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2])?;
        /// assert!(a.array_equal(&a).item()? && !a.array_equal(&a.insert_axis(0)).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn array_equal | try_array_equal(&self, other: &DeviceArray<T>) -> DeviceArray<bool> {
            if self.shape() != other.shape() {
                if self.device().differs(other.device()) {
                    let (own, other) = (self.device(), other.device());
                    return Err(record::devices_differ("array_equal", own, other));
                }
                let no = record::full(Scalar::new(false), Shape::new(), self.device());
                return Ok(DeviceArray::from_node(no));
            }
            self.try_equal(other)?.try_all(..)
        }

        /// Whether both arrays are equal where they are broadcast against each other; not where
        /// their shapes do not fit. NaN is equal to nothing.
        ///
        /// **Shape.** No axes. **Dtype.** `bool`. NumPy: `array_equiv`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2])?;
        /// let b = DeviceArray::try_from([[1, 2], [1, 2]])?;
        /// assert!(a.array_equiv(&b).item()? && !a.array_equal(&b).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn array_equiv | try_array_equiv(&self, other: &DeviceArray<T>) -> DeviceArray<bool> {
            match broadcast(self.shape(), other.shape()) {
                Some(_) => self.try_equal(other)?.try_all(..),
                None => self.try_array_equal(other),
            }
        }
    }

    /// The array of one axis without the zeros at its ends.
    ///
    /// **Shape.** One axis, from the first element that is not zero to the last. **Dtype.** The
    /// array's. **Laziness.** The shape depends on the data: evaluates and waits; the result is a
    /// view. NumPy: `trim_zeros`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the array has not one axis; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::from_slice(&[0, 1, 0, 2, 0])?.trim_zeros()?.to_vec()?, [1, 0, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn trim_zeros(&self) -> Result<DeviceArray<T>> {
        let trimmed = || {
            if self.ndim() != 1 {
                let shape = self.shape();
                return Err(Error::shape(format!("trim_zeros: shape {shape:?} has not one axis")));
            }
            let zero = record::number(self.node(), 0.0);
            let truth = record::binary(Op::NotEqual, self.node(), zero)?;
            let truth = DeviceArray::<bool>::from_node(truth);
            if self.is_empty() {
                return Ok(self.clone());
            }
            let (first, last) = (truth.try_argmax(0)?, truth.try_flip(0)?.try_argmax(0)?);
            let any = truth.try_any(0)?;
            crate::eval(&[self, &first, &last, &any])?;
            let (first, last) =
                (first.item()? as isize, self.len() as isize - last.item()? as isize);
            let end = if any.item()? { last } else { first };
            self.try_slice(crate::prelude::s![first..end])
        };
        located(recorded(trimmed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_and_deletions_along_an_axis() {
        let a = DeviceArray::<i32>::arange_to(6).reshape([2, 3]);
        let b = a.insert([0, 3, 0], DeviceArray::from_slice(&[7, 8, 9]).unwrap(), 1);
        assert_eq!(b.to_vec().unwrap(), [7, 9, 0, 1, 2, 8, 7, 9, 3, 4, 5, 8]);
        let rows = DeviceArray::from_vec([2, 3], vec![7; 6]).unwrap();
        assert_eq!(a.insert(1, &rows, 0).shape(), [4, 3]);
        assert_eq!(a.insert(-1, 7, 0).to_vec().unwrap(), [0, 1, 2, 7, 7, 7, 3, 4, 5]);
        assert_eq!(a.delete([1, 1, -2], 1).to_vec().unwrap(), [0, 2, 3, 5]);
        assert_eq!(a.delete(&[] as &[isize], 0).shape(), [2, 3]);
        assert_eq!(a.delete([0, 1], 0).shape(), [0, 3]);
        let empty = DeviceArray::<f64>::zeros([0, 2]);
        assert_eq!(empty.insert(0, 5.0, 0).to_vec().unwrap(), [5.0, 5.0]);
        assert_eq!(empty.resize([1, 2]).to_vec().unwrap(), [0.0, 0.0]);
        assert_eq!(a.t().resize(8).to_vec().unwrap(), [0, 3, 1, 4, 2, 5, 0, 3]);
        assert_eq!(a.resize([0, 4]).shape(), [0, 4]);
    }

    #[test]
    fn zeros_at_both_ends() {
        let trimmed =
            |v: &[i32]| DeviceArray::from_slice(v).unwrap().trim_zeros().unwrap().to_vec().unwrap();
        assert_eq!(trimmed(&[0, 0, 3, 0, 1]), [3, 0, 1]);
        assert_eq!(trimmed(&[2, 0]), [2]);
        assert_eq!(trimmed(&[0, 0]), [0i32; 0]);
        assert_eq!(trimmed(&[]), [0i32; 0]);
        let nan = DeviceArray::from_slice(&[0.0, f64::NAN, -0.0]).unwrap().trim_zeros().unwrap();
        assert!(nan.len() == 1 && nan.to_vec().unwrap()[0].is_nan());
    }

    #[test]
    fn what_edits_refuse() {
        let a = DeviceArray::<i32>::zeros([2, 3]);
        for error in [
            a.try_insert(4, 1, 1).unwrap_err(),
            a.try_insert([0, 1], DeviceArray::zeros([2, 3]), 1).unwrap_err(),
            a.try_delete(3, 1).unwrap_err(),
            a.try_append(&DeviceArray::zeros(3), 0).unwrap_err(),
            a.trim_zeros().unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains("edits.rs:"), "{error}");
        }
    }
}
