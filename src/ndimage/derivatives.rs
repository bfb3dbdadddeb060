//! Means over windows, and derivatives by small ones.

use super::border::Placement;
use super::weighted::{along, last_axes, on_axis, sum_of, sums_of, truncated};
use super::window::{Around, Window};
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::{Number, Scalar};
use crate::error::Result;
use crate::graph::Node;
use crate::shape::axis_index;
use crate::table::{Op, Reduction};
use smallvec::SmallVec;
use std::sync::Arc;

/// Means over up to so many elements along an axis are written out; more are a loop.
const WRITTEN_OUT: usize = 33;

/// The mean over a window along an axis.
#[track_caller]
fn mean_along(
    name: &str,
    a: &Arc<Node>,
    size: usize,
    axis: usize,
    placement: &Placement,
) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let around = Around::placed(name, &[size], placement)?.on(axis, rank);
    if a.len() == 0 {
        return Ok(a.clone());
    }
    let source = record::cast(a, sums_of(a.dtype));
    let sum = match size <= WRITTEN_OUT {
        true => {
            let mut all = around.neighbours(name, &source)?.into_iter();
            let first = all.next().unwrap_or_else(|| source.clone());
            all.try_fold(first, |sum, x| record::binary(Op::Add, &sum, &x))?
        }
        false => {
            let windows =
                around.extend(name, &source)?.windows(name, &around.first, &around.sizes)?;
            record::reduce(Reduction::Sum, &windows, last_axes(rank))
        }
    };
    let mean = record::binary(Op::Divide, &sum, Scalar::from_f64(sum.dtype, size as f64))?;
    truncated(&mean, a.dtype)
}

/// A difference along one axis and a blur along the others.
#[track_caller]
fn edge(
    name: &str,
    a: &Arc<Node>,
    axis: isize,
    blur: [f64; 3],
    placement: &Placement,
) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let axis = axis_index(name, axis, rank)?;
    let mut result = along(name, a, &[-1.0, 0.0, 1.0], axis, placement)?;
    for other in (0..rank).filter(|&k| k != axis) {
        result = along(name, &result, &blur, other, placement)?;
    }
    Ok(result)
}

checked_fns! {
    /// The mean of the elements around each one.
    ///
    /// Axis by axis, each result in the array's type: means of integers are computed in `f64` and
    /// truncated every time.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. A window with a footprint takes the mean over
    /// all elements of its rectangle. SciPy: `ndimage.uniform_filter`.
    example
    /// ```
    /// use lazuli::ndimage::uniform_filter;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[2, 8, 0, 4, 1, 9, 9, 0])?;
    /// assert_eq!(uniform_filter(&a, 3).to_vec()?, [4, 3, 4, 1, 4, 6, 6, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn uniform_filter | try_uniform_filter<T: Number>(
        a: &DeviceArray<T>,
        window: impl Into<Window>,
    ) -> DeviceArray<T> {
        let window = window.into();
        let sizes = window.each_size("uniform_filter", a.ndim())?;
        let mut result = a.node().clone();
        for (axis, &size) in sizes.iter().enumerate() {
            let placement = on_axis("uniform_filter", &window.placement, axis, a.ndim())?;
            if size != 1 {
                result = mean_along("uniform_filter", &result, size, axis, &placement)?;
            }
        }
        Ok(DeviceArray::from_node(result))
    }

    /// The mean of the elements around each one along an axis.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. SciPy: `ndimage.uniform_filter1d`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, uniform_filter1d};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0, 3.0, 5.0])?;
    /// assert_eq!(uniform_filter1d(&a, 2, 0, Border::Nearest).to_vec()?, [1.0, 2.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn uniform_filter1d | try_uniform_filter1d<T: Number>(
        a: &DeviceArray<T>,
        size: usize,
        axis: isize,
        placement: impl Into<Placement>,
    ) -> DeviceArray<T> {
        let axis = axis_index("uniform_filter1d", axis, a.ndim())?;
        let placement = on_axis("uniform_filter1d", &placement.into(), axis, a.ndim())?;
        mean_along("uniform_filter1d", a.node(), size, axis, &placement)
            .map(DeviceArray::from_node)
    }

    /// A derivative along an axis by Sobel's weights: `-1, 0, 1` along it, `1, 2, 1` along the
    /// others.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; integers wrap. SciPy: `ndimage.sobel`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, sobel};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 3], vec![1, 2, 4, 1, 2, 4])?;
    /// assert_eq!(sobel(&a, 1, Border::Reflect).to_vec()?, [4, 12, 8, 4, 12, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    fn sobel | try_sobel<T: Number>(
        a: &DeviceArray<T>,
        axis: isize,
        placement: impl Into<Placement>,
    ) -> DeviceArray<T> {
        edge("sobel", a.node(), axis, [1.0, 2.0, 1.0], &placement.into())
            .map(DeviceArray::from_node)
    }

    /// A derivative along an axis by Prewitt's weights: `-1, 0, 1` along it, `1, 1, 1` along the
    /// others.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; integers wrap. SciPy: `ndimage.prewitt`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, prewitt};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 3], vec![1, 2, 4, 1, 2, 4])?;
    /// assert_eq!(prewitt(&a, 1, Border::Reflect).to_vec()?, [3, 9, 6, 3, 9, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    fn prewitt | try_prewitt<T: Number>(
        a: &DeviceArray<T>,
        axis: isize,
        placement: impl Into<Placement>,
    ) -> DeviceArray<T> {
        edge("prewitt", a.node(), axis, [1.0; 3], &placement.into()).map(DeviceArray::from_node)
    }

    /// The sum of the second differences along all axes.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; integers wrap. SciPy: `ndimage.laplace`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, laplace};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0, 1.0, 4.0, 9.0])?;
    /// assert_eq!(laplace(&a, Border::Nearest).to_vec()?, [1.0, 2.0, 2.0, -5.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn laplace | try_laplace<T: Number>(
        a: &DeviceArray<T>,
        placement: impl Into<Placement>,
    ) -> DeviceArray<T> {
        let placement = placement.into();
        if a.ndim() == 0 {
            return Ok(a.clone());
        }
        let second = |axis| along("laplace", a.node(), &[1.0, -2.0, 1.0], axis, &placement);
        let all: SmallVec<[Arc<Node>; 4]> = (0..a.ndim()).map(second).collect::<Result<_>>()?;
        sum_of(all.into_vec()).map(DeviceArray::from_node)
    }
}
