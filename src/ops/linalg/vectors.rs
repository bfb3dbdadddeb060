//! Products of vectors along an axis.

use super::factor::conjugate;
use super::matmul::multiplied_sum;
use crate::array::{DeviceArray, checked, record};
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View};
use crate::ops::join::concat;
use crate::ops::movement::insert_axis;
use crate::shape::Shape;
use crate::table::Op;
use std::sync::Arc;

/// The cross products of vectors along the last axis, of two components or of three.
#[track_caller]
fn cross(a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    let lengths = [a, b].map(|x| x.shape.last().copied().unwrap_or(0));
    if lengths.iter().any(|n| !(2..=3).contains(n)) {
        return Err(Error::shape(format!(
            "cross: vectors of 2 or 3 components are wanted along the last axes of shapes {:?} and {:?}",
            a.shape, b.shape
        )));
    }
    let component = |x: &Arc<Node>, k: usize| {
        let last = x.shape.len() - 1;
        let mut view = View::identity(x.shape.len());
        view.0[last] = AxisMap::fixed(k as i64);
        record::view(x, view, Shape::from_slice(&x.shape[..last]))
    };
    let product = |i, j| record::binary(Op::Multiply, &component(a, i), &component(b, j));
    let minus = |x: &Arc<Node>, y: &Arc<Node>| record::binary(Op::Subtract, x, y);
    // A vector of two components has 0 as its third.
    let [x, y] = match lengths {
        [2, 2] => return minus(&product(0, 1)?, &product(1, 0)?),
        [2, _] => [product(1, 2)?, negative(&product(0, 2)?)?],
        [_, 2] => [negative(&product(2, 1)?)?, product(2, 0)?],
        _ => [minus(&product(1, 2)?, &product(2, 1)?)?, minus(&product(2, 0)?, &product(0, 2)?)?],
    };
    let z = minus(&product(0, 1)?, &product(1, 0)?)?;
    let parts = [x, y, z].map(|part| insert_axis(&part, part.shape.len()));
    concat("cross", &parts, -1)
}

/// The negative, which of unsigned numbers wraps.
#[track_caller]
fn negative(a: &Arc<Node>) -> Result<Arc<Node>> {
    match a.dtype {
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            record::binary(Op::Subtract, record::number(a, 0.0), a)
        }
        _ => Ok(record::unary(Op::Negative, a)),
    }
}

/// The products of vectors along the last axis.
#[track_caller]
fn vecdot(a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    let lengths = (a.shape.last(), b.shape.last());
    if lengths.0.is_none() || lengths.0 != lengths.1 {
        let (a, b) = (&a.shape, &b.shape);
        return Err(Error::shape(format!("vecdot: shapes {a:?} and {b:?} do not match")));
    }
    multiplied_sum("vecdot", &conjugate(a), b)
}

impl<T: Number> DeviceArray<T> {
    checked! {
        /// The products of vectors along the last axis, this array's conjugated.
        ///
        /// **Shape.** The broadcast shape without its last axis. **Dtype.** The arrays'. NumPy:
        /// `vecdot`, and for whole arrays `vdot`.
        #[doc(alias = "vdot")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
        /// assert_eq!(a.vecdot(&a).to_vec()?, [5, 25]);
        /// # Ok::<(), Error>(())
        /// ```
        fn vecdot | try_vecdot(&self, other: &DeviceArray<T>) -> DeviceArray<T> {
            vecdot(self.node(), other.node()).map(DeviceArray::from_node)
        }

        /// The products of vectors along an axis of each array, this array's conjugated.
        ///
        /// **Shape.** The shapes without the axis, broadcast against each other; a negative axis
        /// counts from the end of each. **Dtype.** The arrays'. NumPy: `vecdot(…, axis=axis)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
        /// assert_eq!(a.vecdot_along(&a, 0).to_vec()?, [10, 20]);
        /// # Ok::<(), Error>(())
        /// ```
        fn vecdot_along | try_vecdot_along(&self, other: &DeviceArray<T>, axis: isize) -> DeviceArray<T> {
            let (a, b) = (self.try_move_axis(axis, -1)?, other.try_move_axis(axis, -1)?);
            vecdot(a.node(), b.node()).map(DeviceArray::from_node)
        }

        /// The cross products of vectors along the last axis, of two components or of three. One of
        /// two components lies in the plane; of two such vectors, the third component of the product
        /// is the result.
        ///
        /// **Shape.** The broadcast shape of both without their last axes, followed by an axis of 3,
        /// which is missing where both have two components. **Dtype.** The arrays'. NumPy: `cross`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 3], vec![1, 0, 0, 1, 2, 3])?;
        /// let b = DeviceArray::from_slice(&[0, 1, 0])?;
        /// assert_eq!(a.cross(&b).to_vec()?, [0, 0, 1, -3, 0, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cross | try_cross(&self, other: &DeviceArray<T>) -> DeviceArray<T> {
            cross(self.node(), other.node()).map(DeviceArray::from_node)
        }

        /// The cross products of vectors along an axis of both arrays.
        ///
        /// **Shape.** As [`cross`](Self::cross), with the components along the axis. A negative axis
        /// counts from the end of each. **Dtype.** The arrays'. NumPy: `cross(…, axis=axis)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([3, 1], vec![1, 2, 3])?;
        /// let b = DeviceArray::from_vec([3, 1], vec![0, 1, 0])?;
        /// assert_eq!(a.cross_along(&b, 0).to_vec()?, [-3, 0, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cross_along | try_cross_along(&self, other: &DeviceArray<T>, axis: isize) -> DeviceArray<T> {
            let (a, b) = (self.try_move_axis(axis, -1)?, other.try_move_axis(axis, -1)?);
            let product = DeviceArray::<T>::from_node(cross(a.node(), b.node())?);
            let is_plane = |x: &DeviceArray<T>| x.shape().last() == Some(&2);
            if is_plane(&a) && is_plane(&b) { Ok(product) } else { product.try_move_axis(-1, axis) }
        }
    }
}
