//! Padding: elements added around an array.

use super::join::concat;
use super::movement::{broadcast_to, replace_axis};
use crate::array::{DeviceArray, PadWidths, checked, record};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, Node, NodeOp, Wrap};
use crate::shape::{Shape, checked_len};
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

/// What stands around the array in [`DeviceArray::pad`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PadMode<T> {
    /// One value.
    Constant(T),
    /// The element at the edge.
    Edge,
    /// The array mirrored at its edges, which are not repeated.
    Reflect,
    /// The array mirrored at its edges, which are repeated.
    Symmetric,
    /// The array again, from its other end.
    Wrap,
    /// Values on a line from the element at the edge to this one at the end; integers are rounded
    /// down.
    LinearRamp(T),
    /// The largest element along the axis; NaN wins.
    Maximum,
    /// The smallest element along the axis; NaN wins.
    Minimum,
    /// The mean along the axis, of integers rounded to the nearest.
    Mean,
    /// Elements that nobody relies on; zeros.
    Empty,
}

/// The shape with widths added.
fn widened(a: &Arc<Node>, widths: &[(usize, usize)]) -> Result<Shape> {
    if widths.len() != a.shape.len() {
        return Err(Error::shape(format!(
            "pad: {} pairs of widths for shape {:?}",
            widths.len(),
            a.shape
        )));
    }
    let mut shape = Shape::new();
    for (&n, &(before, after)) in a.shape.iter().zip(widths) {
        let padded = n.checked_add(before).and_then(|n| n.checked_add(after));
        shape.push(padded.ok_or_else(|| Error::shape("pad: too many elements"))?);
    }
    checked_len("pad", &shape)?;
    Ok(shape)
}

#[track_caller]
fn pad<T: Element>(
    a: &Arc<Node>,
    widths: &[(usize, usize)],
    mode: PadMode<T>,
) -> Result<Arc<Node>> {
    let shape = widened(a, widths)?;
    let constant = match mode {
        PadMode::Constant(value) => Some(value),
        PadMode::Empty => Some(T::default()),
        _ => None,
    };
    if let Some(value) = constant {
        let before = widths.iter().map(|w| w.0).collect();
        let args = smallvec![a.into(), Arg::Scalar(Scalar::new(value))];
        return Ok(record::record(NodeOp::Pad { before }, args, shape, a.dtype, a.device));
    }
    let mut node = a.clone();
    for (axis, &(before, after)) in widths.iter().enumerate() {
        if before + after == 0 {
            continue;
        }
        if a.shape[axis] == 0 {
            return Err(Error::shape(format!(
                "pad: axis {axis} of shape {:?} has no elements to repeat",
                a.shape
            )));
        }
        node = along(&node, axis, (before, after), mode)?;
    }
    Ok(node)
}

/// One axis padded, which has elements.
#[track_caller]
fn along<T: Element>(
    a: &Arc<Node>,
    axis: usize,
    (before, after): (usize, usize),
    mode: PadMode<T>,
) -> Result<Arc<Node>> {
    let n = a.shape[axis] as i64;
    let (from, len) = (-(before as i64), before + a.shape[axis] + after);
    let view = |source: &Arc<Node>, from: i64, wrap: Wrap| {
        replace_axis(source, axis, AxisMap::affine(axis, from, 1).wrapped(wrap), len)
    };
    Ok(match mode {
        PadMode::Edge => view(a, from, Wrap::Clamp(n)),
        PadMode::Reflect => view(a, from, Wrap::Reflect(n)),
        PadMode::Wrap => view(a, from.rem_euclid(n), Wrap::Mod(n)),
        PadMode::Symmetric => view(a, from, Wrap::Symmetric(n)),
        PadMode::LinearRamp(end) => {
            let ramp = |width, first| ramp(a, axis, width, first, Scalar::new(end));
            let parts = [ramp(before, true)?, a.clone(), ramp(after, false)?];
            concat("pad", &parts, axis as isize)?
        }
        PadMode::Maximum | PadMode::Minimum | PadMode::Mean => {
            let value = statistic::<T>(a, axis, mode)?;
            let part = |width: usize| {
                let mut shape = a.shape.clone();
                shape[axis] = width;
                broadcast_to("pad", &value, shape)
            };
            concat("pad", &[part(before)?, a.clone(), part(after)?], axis as isize)?
        }
        PadMode::Constant(_) | PadMode::Empty => a.clone(),
    })
}

/// The largest, the smallest or the mean element along an axis, which stays with length 1.
#[track_caller]
fn statistic<T: Element>(a: &Arc<Node>, axis: usize, mode: PadMode<T>) -> Result<Arc<Node>> {
    let op = match mode {
        PadMode::Maximum => Some(Reduction::Max),
        PadMode::Minimum => Some(Reduction::Min),
        _ => None,
    };
    if op.is_some() && a.dtype.is_complex() {
        return Err(Error::shape(format!("pad: elements of type {} have no order", a.dtype)));
    }
    let value = match op {
        Some(op) => record::reduce(op, a, 1 << axis),
        None => {
            let mean = DeviceArray::<T>::from_node(a.clone()).try_mean(axis as isize)?;
            let whole = a.dtype.is_integer();
            let mean =
                if whole { record::unary(Op::Rint, mean.node()) } else { mean.node().clone() };
            record::cast(&mean, a.dtype)
        }
    };
    let mut shape = a.shape.clone();
    shape[axis] = 1;
    Ok(record::reshape(&value, shape))
}

/// Values from one at the end of the padding to the element at the edge, which is not among them.
#[track_caller]
fn ramp(a: &Arc<Node>, axis: usize, width: usize, first: bool, end: Scalar) -> Result<Arc<Node>> {
    let mut shape = a.shape.clone();
    let at = if first { 0 } else { shape[axis] as i64 - 1 };
    shape[axis] = width;
    let dtype = if a.dtype.is_complex() { DType::C128 } else { DType::F64 };
    let edge = replace_axis(a, axis, AxisMap::fixed(at), width);
    let [edge, end] =
        [edge, record::full(end, Shape::new(), a.device)].map(|x| record::cast(&x, dtype));
    let place = record::iota(axis, shape, a.device);
    let steps = match first {
        true => place,
        false => record::binary(Op::Subtract, Scalar::new(width as i64 - 1), &place)?,
    };
    let step = record::binary(Op::Subtract, &edge, &end)?;
    let step = record::binary(Op::Divide, &step, record::number(&edge, width.max(1) as f64))?;
    let part = record::binary(Op::Multiply, &record::cast(&steps, dtype), &step)?;
    let line = record::binary(Op::Add, &part, &end)?;
    let line = if a.dtype.is_integer() { record::unary(Op::Floor, &line) } else { line };
    Ok(record::cast(&line, a.dtype))
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The array with elements added around it: as many as a number says at both ends of every
        /// axis, or for each axis a pair of widths, before and after.
        ///
        /// **Shape.** The lengths plus both widths. Index arithmetic with a guard; nothing is
        /// copied. Axes are padded one after the other, so that means and their kin of the later
        /// ones take in what the earlier ones added. NumPy: `pad`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::PadMode;
        /// let a = DeviceArray::from_slice(&[1, 2, 3])?;
        /// assert_eq!(a.pad(1, PadMode::Constant(0)).to_vec()?, [0, 1, 2, 3, 0]);
        /// assert_eq!(a.pad(&[(2, 1)], PadMode::Constant(0)).to_vec()?, [0, 0, 1, 2, 3, 0]);
        /// assert_eq!(a.pad(&[(2, 1)], PadMode::Edge).to_vec()?, [1, 1, 1, 2, 3, 3]);
        /// assert_eq!(a.pad(&[(2, 1)], PadMode::Reflect).to_vec()?, [3, 2, 1, 2, 3, 2]);
        /// assert_eq!(a.pad(&[(2, 1)], PadMode::Symmetric).to_vec()?, [2, 1, 1, 2, 3, 3]);
        /// assert_eq!(a.pad(&[(2, 1)], PadMode::Wrap).to_vec()?, [2, 3, 1, 2, 3, 1]);
        /// assert_eq!(a.pad(&[(2, 1)], PadMode::LinearRamp(-1)).to_vec()?, [-1, 0, 1, 2, 3, -1]);
        /// assert_eq!(a.pad(&[(2, 1)], PadMode::Mean).to_vec()?, [2, 2, 1, 2, 3, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn pad | try_pad(&self, widths: impl PadWidths, mode: PadMode<T>) -> DeviceArray<T> {
            let widths = widths.widths(self.ndim());
            pad(self.node(), &widths, mode).map(DeviceArray::from_node)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_paddings_refuse() {
        let a = DeviceArray::<i32>::zeros([2, 3]);
        for error in [
            a.try_pad(&[(1, 1)], PadMode::Edge).unwrap_err(),
            a.try_pad(&[(1, 1), (usize::MAX, 1)], PadMode::Edge).unwrap_err(),
            DeviceArray::<i32>::zeros(0).try_pad(&[(1, 1)], PadMode::Wrap).unwrap_err(),
        ] {
            assert!(error.is_shape() && error.to_string().contains("padding.rs:"), "{error}");
        }
        let z = DeviceArray::from(crate::dtype::Complex::new(1.0, 2.0)).insert_axis(0);
        assert!(z.try_pad(&[(1, 0)], PadMode::Maximum).unwrap_err().is_shape());
        assert_eq!(z.pad(&[(1, 1)], PadMode::Mean).to_vec().unwrap(), [z.item().unwrap(); 3]);
    }

    #[test]
    fn paddings_beyond_the_length() {
        let a = DeviceArray::from_slice(&[1, 2, 3]).unwrap();
        let padded = |mode| a.pad(&[(5, 4)], mode).to_vec().unwrap();
        assert_eq!(padded(PadMode::Reflect), [2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3]);
        assert_eq!(padded(PadMode::Wrap), [2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1]);
        assert_eq!(padded(PadMode::Edge), [1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3]);
        let b = DeviceArray::<i32>::ones([1, 2]).pad(&[(1, 0), (0, 1)], PadMode::Constant(9));
        assert_eq!(b.to_vec().unwrap(), [9, 9, 9, 1, 1, 9]);
    }
}
