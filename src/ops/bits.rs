//! Truths packed into the bits of bytes, and unpacked.

use crate::array::{DeviceArray, checked, record};
use crate::dtype::{Bits, DType, Scalar};
use crate::graph::{Arg, AxisMap, Node, NodeOp, Wrap};
use crate::ops::movement::replace_axis;
use crate::shape::{Shape, checked_len};
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

/// How far the bit of each position along an axis is shifted to the left, the highest bit first.
#[track_caller]
fn shifts(
    shape: Shape,
    axis: usize,
    device: crate::backend::Device,
) -> crate::error::Result<Arc<Node>> {
    let place = record::iota(axis, shape, device);
    let within = record::binary(Op::BitwiseAnd, &place, Scalar::new(7i64))?;
    let shift = record::binary(Op::Subtract, Scalar::new(7i64), &within)?;
    Ok(record::cast(&shift, DType::U8))
}

impl<T: Bits> DeviceArray<T> {
    checked! {
        /// Whether elements are not zero, eight along an axis in the bits of one byte, the first in
        /// the highest bit; missing ones at the end are zero.
        ///
        /// **Shape.** The array's, the axis an eighth as long, rounded up. **Dtype.** `u8`. NumPy:
        /// `packbits`; without an axis it packs the [`flatten`](Self::flatten)ed array.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[true, false, true, false, false, false, false, true, true])?;
        /// assert_eq!(a.packbits(0).to_vec()?, [0b1010_0001, 0b1000_0000]);
        /// # Ok::<(), Error>(())
        /// ```
        fn packbits | try_packbits(&self, axis: isize) -> DeviceArray<u8> {
            let axis = self.axis("packbits", axis)?;
            let truth = record::binary(Op::NotEqual, self.node(), record::number(self.node(), 0.0))?;
            let bytes = self.shape()[axis].div_ceil(8);
            let mut shape = self.node().shape.clone();
            shape[axis] = 8 * bytes;
            let op = NodeOp::Pad { before: vec![0; self.ndim()].into() };
            let args = smallvec![Arg::from(&truth), Arg::Scalar(Scalar::new(false))];
            let whole = record::record(op, args, shape.clone(), DType::Bool, self.device());
            let bits = record::cast(&whole, DType::U8);
            let bits = record::binary(Op::LeftShift, &bits, &shifts(shape.clone(), axis, self.device())?)?;
            shape[axis] = bytes;
            shape.insert(axis + 1, 8);
            checked_len("packbits", &shape)?;
            let apart = record::reshape(&bits, shape);
            Ok(DeviceArray::from_node(record::reduce(Reduction::Sum, &apart, 1 << (axis + 1))))
        }
    }
}

impl DeviceArray<u8> {
    checked! {
        /// The bits of bytes along an axis as 0 and 1, the highest bit first.
        ///
        /// **Shape.** The array's, the axis eight times as long. **Dtype.** `u8`. NumPy:
        /// `unpackbits`; its `count` is a [`slice`](Self::slice) of the result.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let bits = DeviceArray::from_slice(&[0b1010_0001u8])?.unpackbits(0);
        /// assert_eq!(bits.to_vec()?, [1, 0, 1, 0, 0, 0, 0, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn unpackbits | try_unpackbits(&self, axis: isize) -> DeviceArray<u8> {
            let axis = self.axis("unpackbits", axis)?;
            let mut shape = self.node().shape.clone();
            shape[axis] = shape[axis].saturating_mul(8);
            checked_len("unpackbits", &shape)?;
            let map = AxisMap::same(axis).wrapped(Wrap::Div(8));
            let bytes = replace_axis(self.node(), axis, map, shape[axis]);
            let shifted = record::binary(Op::RightShift, &bytes, &shifts(shape, axis, self.device())?)?;
            record::binary(Op::BitwiseAnd, &shifted, Scalar::new(1u8)).map(DeviceArray::from_node)
        }
    }
}
