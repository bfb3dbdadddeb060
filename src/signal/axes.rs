//! Views along an axis.

use crate::DeviceArray;
use crate::array::record;
use crate::backend::Device;
use crate::dtype::{Complex, Element, Scalar};
use crate::error::{Error, Result};
use crate::fft::{Norm, Which, transform};
use crate::graph::{AxisMap, Node, View};
use crate::shape::Shape;
use std::sync::Arc;

/// Every `step`-th of the positions of an axis from `start` on, `len` of them; a negative step walks
/// towards the beginning.
#[track_caller]
pub(super) fn part<T: Element>(
    a: &DeviceArray<T>,
    axis: usize,
    start: usize,
    len: usize,
    step: i64,
) -> DeviceArray<T> {
    DeviceArray::from_node(steps(a.node(), axis, start, len, step))
}

/// [`part`] of a node.
#[track_caller]
pub(super) fn steps(a: &Arc<Node>, axis: usize, start: usize, len: usize, step: i64) -> Arc<Node> {
    let mut view = View::identity(a.shape.len());
    view.0[axis] = AxisMap::affine(axis, start as i64, step);
    let mut shape = a.shape.clone();
    shape[axis] = len;
    record::view(a, view, shape)
}

/// The array with an axis behind all others.
#[track_caller]
pub(super) fn to_last<T: Element>(a: &DeviceArray<T>, axis: usize) -> Result<DeviceArray<T>> {
    a.try_move_axis(axis as isize, -1)
}

/// The array with its last axis where another one was.
#[track_caller]
pub(super) fn from_last<T: Element>(a: &DeviceArray<T>, axis: usize) -> Result<DeviceArray<T>> {
    a.try_move_axis(-1, axis as isize)
}

/// The array in `f64`: a complex one as its real parts and, along a new first axis, its imaginary
/// ones.
#[track_caller]
pub(super) fn widened<T: Element>(a: &DeviceArray<T>) -> Result<DeviceArray<f64>> {
    match T::DTYPE.is_complex() {
        false => Ok(a.cast()),
        true => {
            let a = a.cast::<Complex<f64>>();
            crate::try_stack(&[a.real(), a.imag()], 0)
        }
    }
}

/// What [`widened`] made wide.
#[track_caller]
pub(super) fn narrowed<T: Element>(a: &DeviceArray<f64>) -> Result<DeviceArray<T>> {
    match T::DTYPE.is_complex() {
        false => Ok(a.cast()),
        true => {
            let (re, im) = (a.try_index_axis(0, 0)?, a.try_index_axis(0, 1)?);
            Ok(re.try_to_complex(&im)?.cast())
        }
    }
}

/// Zeros on a device.
pub(super) fn zeros(shape: &[usize], device: Device) -> DeviceArray<f64> {
    DeviceArray::from_node(record::full(Scalar::new(0.0), Shape::from_slice(shape), device))
}

/// An axis, which must have elements.
pub(super) fn with_elements<T: Element>(
    name: &str,
    a: &DeviceArray<T>,
    axis: isize,
) -> Result<usize> {
    let axis = crate::shape::axis_index(name, axis, a.ndim())?;
    if a.shape()[axis] == 0 {
        return Err(Error::shape(format!(
            "{name}: axis {axis} of shape {:?} has no elements",
            a.shape()
        )));
    }
    Ok(axis)
}

/// A Fourier transform along an axis, padded or trimmed to `n` points where they are given.
#[track_caller]
pub(super) fn fourier(
    name: &str,
    a: &Arc<Node>,
    axis: usize,
    n: Option<usize>,
    which: Which,
) -> Result<Arc<Node>> {
    transform(name, a, &[(axis, n)], Norm::Backward, which)
}
