//! Distances to the nearest element that is not set.
//!
//! Euclid's and the chessboard's distances go axis by axis: along a line the distance to the nearest
//! element is the lower envelope of one curve for each element, which a stack finds in one walk
//! (P. Felzenszwalb and D. Huttenlocher, Theory of Computing 8, 2012; A. Meijster, J. Roerdink and
//! W. Hesselink, 2000). A thread walks each line. Taxicab distances are minima from both ends.

use crate::array::{DeviceArray, checked_fns, located, record};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::gpu::*;
use crate::graph::Node;
use crate::ops::scan::Scan;
use crate::shape::{Shape, len};
use crate::table::Op;
use lazuli_macros::kernel;
use smallvec::smallvec;
use std::sync::Arc;

/// The threads of a block.
const BLOCK: usize = 64;
/// Farther than anything: steps of the chessboard in an array of less than 2^31 elements.
const FAR: i32 = 1 << 30;

/// One axis of Euclid's distances: squares of distances along the axes before, and the elements that
/// they lead to, become those of one axis more. `sites` and `starts` are the lines' stacks: the
/// elements whose parabola is lowest somewhere, and from where on.
#[kernel]
fn lowest_parabolas(
    squares: Array<f64, 1>,
    nearest: Array<i32, 1>,
    n: usize,
    inner: usize,
    weight: f64,
    sites: ArrayMut<i32, 1>,
    starts: ArrayMut<f64, 1>,
    out_squares: ArrayMut<f64, 1>,
    out_nearest: ArrayMut<i32, 1>,
) {
    let line = grid::<1>();
    if line < squares.len() / n {
        let base = line / inner * n * inner + line % inner;
        let mut top = 0usize;
        let mut q = 0usize;
        while q < n {
            let height = squares[base + q * inner];
            if height.is_finite() {
                let mut start = f64::NEG_INFINITY;
                let mut searching = top > 0;
                while searching {
                    let site = sites[base + (top - 1) * inner] as usize;
                    let (u, v) = (site as f64, q as f64);
                    let below = squares[base + site * inner];
                    // Where the two parabolas meet.
                    let meet = ((height - below) / weight + (v * v - u * u)) / (2.0 * (v - u));
                    if meet <= starts[base + (top - 1) * inner] {
                        top -= 1;
                        searching = top > 0;
                    } else {
                        start = meet;
                        searching = false;
                    }
                }
                sites.set(base + top * inner, q as i32);
                starts.set(base + top * inner, start);
                top += 1;
            }
            q += 1;
        }
        let mut at = 0usize;
        let mut x = 0usize;
        while x < n {
            if top == 0 {
                out_squares.set(base + x * inner, f64::INFINITY);
                out_nearest.set(base + x * inner, -1);
            } else {
                while at + 1 < top && starts[base + (at + 1) * inner] < x as f64 {
                    at += 1;
                }
                let site = sites[base + at * inner] as usize;
                let by = x as f64 - site as f64;
                out_squares.set(base + x * inner, squares[base + site * inner] + weight * by * by);
                out_nearest.set(base + x * inner, nearest[base + site * inner]);
            }
            x += 1;
        }
    }
}

/// One axis of the chessboard's distances, in the same way; the curve of an element is its own
/// distance, or how far it is away where that is more.
#[kernel]
fn lowest_steps(
    before: Array<i32, 1>,
    n: usize,
    inner: usize,
    sites: ArrayMut<i32, 1>,
    starts: ArrayMut<i32, 1>,
    out: ArrayMut<i32, 1>,
) {
    let line = grid::<1>();
    if line < before.len() / n {
        let base = line / inner * n * inner + line % inner;
        let mut top = 0usize;
        let mut q = 0i32;
        while q < n as i32 {
            let height = before[base + q as usize * inner];
            let mut start = 0;
            let mut searching = top > 0;
            while searching {
                let from = starts[base + (top - 1) * inner];
                let site = sites[base + (top - 1) * inner];
                let own = before[base + site as usize * inner];
                // The new curve wins from the old one's start on.
                if (from - site).abs().max(own) > (from - q).abs().max(height) {
                    top -= 1;
                    searching = top > 0;
                } else {
                    let middle = (site + q).div_euclid(2);
                    let meet = if own <= height {
                        (site + height).max(middle)
                    } else {
                        (q - own).min(middle)
                    };
                    start = meet + 1;
                    searching = false;
                }
            }
            if start < n as i32 {
                sites.set(base + top * inner, q);
                starts.set(base + top * inner, start);
                top += 1;
            }
            q += 1;
        }
        let mut x = n as i32 - 1;
        let mut at = top - 1;
        while x >= 0 {
            let site = sites[base + at * inner];
            let own = before[base + site as usize * inner];
            out.set(base + x as usize * inner, (x - site).abs().max(own));
            if x == starts[base + at * inner] && at > 0 {
                at -= 1;
            }
            x -= 1;
        }
    }
}

/// The elements of an axis and those behind it.
fn line(shape: &[usize], axis: usize) -> (usize, usize) {
    (shape[axis], shape[axis + 1..].iter().product())
}

fn check_len(name: &str, len: usize) -> Result<()> {
    match len < FAR as usize {
        true => Ok(()),
        false => {
            Err(Error::unsupported(format!("{name}: an array of {len} elements, of 2^30 and more")))
        }
    }
}

#[track_caller]
fn zeros<T: crate::dtype::Element>(a: &DeviceArray<bool>) -> DeviceArray<T> {
    let value = Scalar::new(T::default());
    DeviceArray::from_node(record::full(value, smallvec![a.len()], a.device()))
}

/// Squares of distances and the nearest elements, flat.
type Nearest = (DeviceArray<f64>, DeviceArray<i32>);

fn nearest(name: &str, a: &DeviceArray<bool>, sampling: &[f64]) -> Result<Nearest> {
    let rank = a.ndim();
    check_len(name, a.len())?;
    let sampling = super::border::each(name, "distances", sampling, rank, 1.0)?;
    if let Some(step) = sampling.iter().find(|s| !s.is_finite() || **s <= 0.0) {
        return Err(Error::shape(format!("{name}: a distance of {step} between elements")));
    }
    let flat = record::reshape(a.node(), smallvec![a.len()]);
    let far = record::select(&flat, Scalar::new(f64::INFINITY), Scalar::new(0.0))?;
    let mut squares = DeviceArray::<f64>::from_node(far);
    let own = record::iota(0, smallvec![a.len()], a.device());
    let mut nearest = DeviceArray::<i32>::from_node(record::cast(&own, DType::I32));
    if a.is_empty() {
        return Ok((squares, nearest));
    }
    let (mut sites, mut starts) = (zeros::<i32>(a), zeros::<f64>(a));
    for (axis, step) in sampling.iter().enumerate() {
        let (n, inner) = line(a.shape(), axis);
        let (mut next, mut leads) = (zeros::<f64>(a), zeros::<i32>(a));
        lowest_parabolas.launch(
            (a.len() / n).div_ceil(BLOCK),
            BLOCK,
            (
                &squares,
                &nearest,
                n,
                inner,
                step * step,
                &mut sites,
                &mut starts,
                &mut next,
                &mut leads,
            ),
        )?;
        (squares, nearest) = (next, leads);
    }
    Ok((squares, nearest))
}

#[track_caller]
fn in_shape(a: &Arc<Node>, shape: &[usize]) -> Arc<Node> {
    record::reshape(a, Shape::from_slice(shape))
}

/// Euclid's distance from each element that is set to the nearest one that is not; infinity where
/// there is none. Exact: no element is overlooked.
///
/// `sampling` is the distance of neighbours on each axis, or on all of them; 1 where none is given.
///
/// **Shape.** The array's. **Dtype.** `f64`. **Laziness.** Evaluates, a kernel for each axis. SciPy:
/// `ndimage.distance_transform_edt`.
///
/// # Errors
/// [`Error::is_shape`] where there are not as many distances as axes, or one is not positive;
/// [`Error::is_unsupported`] for arrays of 2³⁰ elements or more; what an evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::ndimage::distance_transform_edt;
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_vec([2, 3], vec![0, 1, 1, 1, 1, 1])?.not_equal(0);
/// let distances = distance_transform_edt(&a, &[])?.to_vec()?;
/// assert_eq!(distances[..5], [0.0, 1.0, 2.0, 1.0, 2f64.sqrt()]);
/// assert_eq!(distance_transform_edt(&a, &[1.0, 3.0])?.to_vec()?[2], 6.0);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn distance_transform_edt(a: &DeviceArray<bool>, sampling: &[f64]) -> Result<DeviceArray<f64>> {
    let (squares, _) = located(nearest("distance_transform_edt", a, sampling))?;
    let root = record::unary(Op::Sqrt, squares.node());
    Ok(DeviceArray::from_node(in_shape(&root, a.shape())))
}

/// For each element the nearest one that is not set by Euclid's distance, as its position in C order;
/// -1 where there is none. Of several that are equally near it is one of them.
///
/// **Shape.** The array's. **Dtype.** `i64`. **Laziness.** Evaluates, a kernel for each axis. SciPy:
/// `ndimage.distance_transform_edt(return_indices=True)`, whose positions are
/// [`unravel_index`](crate::unravel_index)'s of these.
///
/// # Errors
/// As [`distance_transform_edt`].
///
/// # Example
/// ```
/// use lazuli::ndimage::nearest_background;
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[0, 1, 1, 1, 0, 1])?.not_equal(0);
/// assert_eq!(nearest_background(&a, &[])?.to_vec()?[3..], [4, 4, 4]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn nearest_background(a: &DeviceArray<bool>, sampling: &[f64]) -> Result<DeviceArray<i64>> {
    let (_, nearest) = located(nearest("nearest_background", a, sampling))?;
    let wide = record::cast(nearest.node(), DType::I64);
    Ok(DeviceArray::from_node(in_shape(&wide, a.shape())))
}

/// The number of steps of a chessboard's king from each element that is set to the nearest one that
/// is not; -1 where there is none.
///
/// **Shape.** The array's. **Dtype.** `i32`. **Laziness.** Evaluates, a kernel for each axis. SciPy:
/// `ndimage.distance_transform_cdt(metric="chessboard")`.
///
/// # Errors
/// [`Error::is_unsupported`] for arrays of 2³⁰ elements or more; what an evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::ndimage::distance_transform_chessboard;
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_vec([2, 3], vec![0, 1, 1, 1, 1, 1])?.not_equal(0);
/// assert_eq!(distance_transform_chessboard(&a)?.to_vec()?, [0, 1, 2, 1, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn distance_transform_chessboard(a: &DeviceArray<bool>) -> Result<DeviceArray<i32>> {
    located(chessboard(a))
}

#[track_caller]
fn chessboard(a: &DeviceArray<bool>) -> Result<DeviceArray<i32>> {
    check_len("distance_transform_chessboard", a.len())?;
    let flat = record::reshape(a.node(), smallvec![a.len()]);
    let first = record::select(&flat, Scalar::new(FAR), Scalar::new(0i32))?;
    let mut distances = DeviceArray::<i32>::from_node(first);
    if !a.is_empty() {
        let (mut sites, mut starts) = (zeros::<i32>(a), zeros::<i32>(a));
        for axis in 0..a.ndim() {
            let (n, inner) = line(a.shape(), axis);
            let mut next = zeros::<i32>(a);
            lowest_steps.launch(
                (a.len() / n).div_ceil(BLOCK),
                BLOCK,
                (&distances, n, inner, &mut sites, &mut starts, &mut next),
            )?;
            distances = next;
        }
    }
    known(&in_shape(distances.node(), a.shape())).map(DeviceArray::from_node)
}

/// Distances, -1 in place of what is farther than anything.
#[track_caller]
fn known(distances: &Arc<Node>) -> Result<Arc<Node>> {
    let far = record::binary(Op::GreaterEqual, distances, Scalar::new(FAR))?;
    record::select(&far, Scalar::new(-1i32), distances)
}

checked_fns! {
    /// The number of steps along the axes from each element that is set to the nearest one that is
    /// not; -1 where there is none.
    ///
    /// **Shape.** The array's. **Dtype.** `i32`. SciPy:
    /// `ndimage.distance_transform_cdt(metric="taxicab")`.
    example
    /// ```
    /// use lazuli::ndimage::distance_transform_taxicab;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 3], vec![0, 1, 1, 1, 1, 1])?.not_equal(0);
    /// assert_eq!(distance_transform_taxicab(&a).to_vec()?, [0, 1, 2, 1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn distance_transform_taxicab | try_distance_transform_taxicab(
        a: &DeviceArray<bool>,
    ) -> DeviceArray<i32> {
        check_len("distance_transform_taxicab", len(a.shape()))?;
        let mut distances = record::select(a.node(), Scalar::new(FAR), Scalar::new(0i32))?;
        for axis in 0..a.ndim() {
            let at = record::iota(axis, distances.shape.clone(), a.device());
            let at = record::cast(&at, DType::I32);
            let from_end = |op: Op, how: Scan| -> Result<Arc<Node>> {
                let leaning = DeviceArray::<i32>::from_node(record::binary(op, &distances, &at)?);
                Ok(leaning.try_cummin_with(axis as isize, how)?.node().clone())
            };
            let before = from_end(Op::Subtract, Scan::new())?;
            let behind = from_end(Op::Add, Scan::new().reverse())?;
            let before = record::binary(Op::Add, &before, &at)?;
            let behind = record::binary(Op::Subtract, &behind, &at)?;
            let nearest = record::binary(Op::Minimum, &before, &behind)?;
            distances = record::binary(Op::Minimum, &nearest, Scalar::new(FAR))?;
        }
        known(&distances).map(DeviceArray::from_node)
    }
}
