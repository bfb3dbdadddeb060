//! Weighted sums over windows: correlations and convolutions.

use super::border::Placement;
use super::window::Around;
use crate::array::{DeviceArray, checked_fns, record, upload_to};
use crate::dtype::{DType, Number, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::{Shape, axis_index};
use crate::table::{Op, Reduction};
use smallvec::SmallVec;
use std::sync::Arc;

/// Up to so many weights along an axis are written out, one read for each; more are a loop.
const WRITTEN_OUT: usize = 33;
/// Weights up to this count as zero in correlations along several axes, as SciPy has it.
const NO_WEIGHT: f64 = f64::EPSILON;

checked_fns! {
    /// Sums over the elements around each one, with weights.
    ///
    /// Products are summed in `f64` for integers, which are truncated afterwards, else in the
    /// array's type (`f32` for halves). An element whose weight is zero has no part in the sum, even
    /// if it is infinite.
    ///
    /// **Shape.** The array's; the weights have the same rank. **Dtype.** The array's. SciPy:
    /// `ndimage.correlate`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, correlate};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
    /// let weights = DeviceArray::from_vec([2, 2], vec![1.0, 0.0, 0.0, 1.0])?;
    /// // Each element and the one above it on the left.
    /// assert_eq!(correlate(&a, &weights, Border::Constant(0.0)).to_vec()?, [1, 2, 3, 4, 6, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    fn correlate | try_correlate<T: Number, W: Number>(
        a: &DeviceArray<T>,
        weights: &DeviceArray<W>,
        placement: impl Into<Placement>,
    ) -> DeviceArray<T> {
        over_windows("correlate", a.node(), weights.node(), &placement.into())
            .map(DeviceArray::from_node)
    }

    /// Sums over the elements around each one, with weights that are turned around: what stands
    /// first in them is multiplied with what stands last.
    ///
    /// **Shape.** The array's; the weights have the same rank. **Dtype.** The array's; sums as in
    /// [`correlate`]. SciPy: `ndimage.convolve`. Parts of a full convolution are those of
    /// [`signal::convolve`](crate::signal::convolve).
    example
    /// ```
    /// use lazuli::ndimage::{Border, convolve};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0, 1.0, 0.0, 0.0])?;
    /// let weights = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(convolve(&a, &weights, Border::Reflect).to_vec()?, [1.0, 2.0, 3.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn convolve | try_convolve<T: Number, W: Number>(
        a: &DeviceArray<T>,
        weights: &DeviceArray<W>,
        placement: impl Into<Placement>,
    ) -> DeviceArray<T> {
        let placement = placement.into().turned("convolve", weights.shape())?;
        let weights = weights.try_flip(..)?;
        over_windows("convolve", a.node(), weights.node(), &placement).map(DeviceArray::from_node)
    }

    /// Sums over the elements around each one along an axis, with weights.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; sums as in [`correlate`], where however each
    /// weight counts. SciPy: `ndimage.correlate1d`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, correlate1d};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0, 4.0, 9.0, 16.0])?;
    /// let slope = correlate1d(&a, &[-0.5, 0.0, 0.5], 0, Border::Nearest);
    /// assert_eq!(slope.to_vec()?, [1.5, 4.0, 6.0, 3.5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn correlate1d | try_correlate1d<T: Number>(
        a: &DeviceArray<T>,
        weights: &[f64],
        axis: isize,
        placement: impl Into<Placement>,
    ) -> DeviceArray<T> {
        let axis = axis_index("correlate1d", axis, a.ndim())?;
        along("correlate1d", a.node(), weights, axis, &placement.into())
            .map(DeviceArray::from_node)
    }

    /// Sums over the elements around each one along an axis, with weights that are turned around.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; sums as in [`correlate1d`]. SciPy:
    /// `ndimage.convolve1d`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, convolve1d};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0, 1, 0, 0])?;
    /// assert_eq!(convolve1d(&a, &[1.0, 2.0, 3.0], -1, Border::Reflect).to_vec()?, [1, 2, 3, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn convolve1d | try_convolve1d<T: Number>(
        a: &DeviceArray<T>,
        weights: &[f64],
        axis: isize,
        placement: impl Into<Placement>,
    ) -> DeviceArray<T> {
        let axis = axis_index("convolve1d", axis, a.ndim())?;
        let placement = placement.into().turned("convolve1d", &[weights.len()])?;
        let weights: Vec<f64> = weights.iter().rev().copied().collect();
        along("convolve1d", a.node(), &weights, axis, &placement).map(DeviceArray::from_node)
    }
}

/// The type in which sums of products are computed.
pub(super) fn sums_of(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        dtype if dtype.is_float() || dtype.is_complex() => dtype,
        _ => DType::F64,
    }
}

/// A result in the array's type: integers are truncated, and wrap beyond their range, as C's
/// conversions do where SciPy runs.
#[track_caller]
pub(super) fn truncated(value: &Arc<Node>, dtype: DType) -> Result<Arc<Node>> {
    if !dtype.is_integer() {
        return Ok(record::cast(value, dtype));
    }
    Ok(match dtype.size() {
        1 | 2 => record::cast(&record::cast(value, DType::I32), dtype),
        4 => record::cast(&record::cast(value, DType::I64), dtype),
        _ if dtype == DType::U64 => {
            let negative = record::binary(Op::Less, value, Scalar::new(0.0))?;
            let below = record::cast(&record::cast(value, DType::I64), dtype);
            record::select(&negative, &below, &record::cast(value, dtype))?
        }
        _ => record::cast(value, dtype),
    })
}

/// The sum of arrays, pairwise.
#[track_caller]
pub(super) fn sum_of(terms: Vec<Arc<Node>>) -> Result<Arc<Node>> {
    balanced(terms, |a, b| record::binary(Op::Add, a, b))
}

/// All arrays joined by an associative function, as a tree of little depth.
#[track_caller]
pub(super) fn balanced(
    mut terms: Vec<Arc<Node>>,
    join: impl Fn(&Arc<Node>, &Arc<Node>) -> Result<Arc<Node>>,
) -> Result<Arc<Node>> {
    while terms.len() > 1 {
        let pairs = terms.chunks(2).map(|pair| match pair {
            [a, b] => join(a, b),
            [a, ..] => Ok(a.clone()),
            [] => unreachable!("chunks have elements"),
        });
        terms = pairs.collect::<Result<_>>()?;
    }
    terms.pop().ok_or_else(|| Error::shape("a window without elements"))
}

/// Sums along an axis, computed and given in the array's type.
#[track_caller]
pub(super) fn along(
    name: &str,
    a: &Arc<Node>,
    weights: &[f64],
    axis: usize,
    placement: &Placement,
) -> Result<Arc<Node>> {
    let source = record::cast(a, sums_of(a.dtype));
    truncated(&sums_along(name, &source, weights, axis, placement)?, a.dtype)
}

/// Sums along an axis in the type of `a`, which is that of the products.
#[track_caller]
pub(super) fn sums_along(
    name: &str,
    a: &Arc<Node>,
    weights: &[f64],
    axis: usize,
    placement: &Placement,
) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let n = weights.len();
    let single = Around::placed(name, &[n], &on_axis(name, placement, axis, rank)?)?;
    if a.len() == 0 {
        return Ok(a.clone());
    }
    let around = single.on(axis, rank);
    let extended = around.extend(name, a)?;
    let first = around.first[axis];
    if n > WRITTEN_OUT {
        return looped(a, weights, axis, &extended.windows(name, &around.first, &around.sizes)?);
    }
    let mut offsets: SmallVec<[i64; 4]> = SmallVec::from_elem(0, rank);
    let mut read = |k: usize| {
        offsets[axis] = first + k as i64;
        extended.shifted(&offsets)
    };
    let times = |x: &Arc<Node>, weight: f64| {
        record::binary(Op::Multiply, x, Scalar::from_f64(x.dtype, weight))
    };
    let mut terms = Vec::new();
    // Weights that are alike on both sides share a product.
    let mirrored = n % 2 == 1 && (0..n / 2).all(|k| weights[k] == weights[n - 1 - k]);
    for (k, &weight) in weights.iter().enumerate() {
        if mirrored && k > n / 2 {
            break;
        }
        terms.push(match mirrored && k < n / 2 {
            true => times(&record::binary(Op::Add, &read(k), &read(n - 1 - k))?, weight)?,
            false => times(&read(k), weight)?,
        });
    }
    // One after the other, from the least weights to the middle: each is a fused multiply-add.
    let mut terms = terms.into_iter();
    let first = terms.next().ok_or_else(|| Error::shape(format!("{name}: no weights")))?;
    terms.try_fold(first, |sum, term| record::binary(Op::Add, &sum, &term))
}

/// Many weights: a loop over windows, whose code does not grow with them.
#[track_caller]
fn looped(a: &Arc<Node>, weights: &[f64], axis: usize, windows: &Arc<Node>) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let mut shape = Shape::from_elem(1, rank);
    shape[axis] = weights.len();
    let weights = match a.dtype {
        DType::F32 => {
            let rounded: Vec<f32> = weights.iter().map(|&w| w as f32).collect();
            upload_to(a.device, &rounded, shape)?.node().clone()
        }
        _ => upload_to(a.device, weights, shape)?.node().clone(),
    };
    let weights = record::cast(&weights, a.dtype);
    let product = record::binary(Op::Multiply, windows, &weights)?;
    Ok(record::reduce(Reduction::Sum, &product, last_axes(rank)))
}

/// The last `rank` of twice as many axes.
pub(super) fn last_axes(rank: usize) -> u32 {
    ((1u32 << rank) - 1) << rank
}

/// What a placement says of one axis.
pub(super) fn on_axis(
    name: &str,
    placement: &Placement,
    axis: usize,
    rank: usize,
) -> Result<Placement> {
    let border = placement.each_border(name, rank)?[axis];
    // A function along one axis has one origin, of which lists for all axes are made elsewhere.
    let origin = placement.each_origin(name, rank)?[axis];
    Ok(Placement::new(border).origin([origin]))
}

/// Sums over windows with weights of several axes.
#[track_caller]
fn over_windows(
    name: &str,
    a: &Arc<Node>,
    weights: &Arc<Node>,
    placement: &Placement,
) -> Result<Arc<Node>> {
    if a.device.differs(weights.device) {
        return Err(record::devices_differ(name, a.device, weights.device));
    }
    if a.shape.len() != weights.shape.len() {
        let (a, w) = (&a.shape, &weights.shape);
        return Err(Error::shape(format!(
            "{name}: weights of shape {w:?} for an array of shape {a:?}"
        )));
    }
    let dtype = sums_of(a.dtype);
    if weights.dtype.is_complex() && !dtype.is_complex() {
        return Err(Error::shape(format!("{name}: complex weights for an array of {}", a.dtype)));
    }
    if a.len() == 0 || weights.len() == 0 {
        return match a.len() {
            0 => Ok(a.clone()),
            _ => Err(Error::shape(format!("{name}: no weights"))),
        };
    }
    let around = Around::placed(name, &weights.shape, placement)?;
    let source = record::cast(a, dtype);
    let windows = around.extend(name, &source)?.windows(name, &around.first, &around.sizes)?;
    let weights = record::cast(weights, dtype);
    let size = record::unary(Op::Abs, &weights);
    let least = Scalar::from_f64(size.dtype, NO_WEIGHT);
    let counts = record::binary(Op::Greater, &size, least)?;
    let product = record::binary(Op::Multiply, &windows, &weights)?;
    let product = record::select(&counts, &product, Scalar::from_f64(dtype, 0.0))?;
    let sum = record::reduce(Reduction::Sum, &product, last_axes(a.shape.len()));
    truncated(&sum, a.dtype)
}
