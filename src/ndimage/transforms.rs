//! Geometry: arrays read at other places.

use super::border::each;
use super::interpolate::{at_places, planes_at_places};
use super::spline::Spline;
use crate::array::{DeviceArray, checked_fns, record};
use crate::backend::Device;
use crate::dtype::{DType, Floating, Number, Scalar};
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View};
use crate::shape::{Shape, axis_index, checked_len};
use crate::table::Op;
use ndarray::{Array, Array2, Dimension};
use smallvec::SmallVec;
use std::sync::Arc;

/// An affine map from places of a result to places of an array: `matrix · place + offset`.
///
/// SciPy: the parameters `matrix`, `offset` and `output_shape`.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Affine, affine_transform};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
/// let transpose = Affine::new(ndarray::array![[0.0, 1.0], [1.0, 0.0]]);
/// assert_eq!(affine_transform(&a, &transpose, 0).to_vec()?, [1, 3, 2, 4]);
/// let part = Affine::new(ndarray::array![1.0, 1.0]).offset([1.0, 0.0]).output_shape([1, 2]);
/// assert_eq!(affine_transform(&a, &part, 1).to_vec()?, [3, 4]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    matrix: ndarray::ArrayD<f64>,
    offset: SmallVec<[f64; 4]>,
    output_shape: Option<Shape>,
}

impl Affine {
    /// The map of a matrix with as many rows as the array has axes and as many columns as the
    /// result, or of its diagonal. A matrix with one column more holds the offset there, and may have
    /// the row `0 … 0 1` below.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Affine, affine_transform}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 2, 3, 4])?;
    /// let every_other = Affine::new(ndarray::array![2.0]); // the result at i is the array at 2·i
    /// assert_eq!(affine_transform(&a, &every_other, 0).to_vec()?, [1, 3, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<D: Dimension>(matrix: Array<f64, D>) -> Affine {
        Affine { matrix: matrix.into_dyn(), offset: SmallVec::new(), output_shape: None }
    }

    /// What is added: a number for each axis of the array, or one for all.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Affine, affine_transform}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 2, 3, 4])?;
    /// let moved = Affine::new(ndarray::array![1.0]).offset([2.0]);
    /// assert_eq!(affine_transform(&a, &moved, 0).to_vec()?, [3, 4, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn offset(self, offset: impl IntoIterator<Item = f64>) -> Affine {
        Affine { offset: offset.into_iter().collect(), ..self }
    }

    /// The shape of the result; else it is the array's.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Affine, affine_transform}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 2, 3, 4])?;
    /// let part = Affine::new(ndarray::array![1.0]).output_shape([2]);
    /// assert_eq!(affine_transform(&a, &part, 0).to_vec()?, [1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn output_shape(self, shape: impl IntoIterator<Item = usize>) -> Affine {
        Affine { output_shape: Some(shape.into_iter().collect()), ..self }
    }
}

/// A rotation by an angle in degrees.
///
/// Made from the angle. SciPy: the parameters `angle`, `axes` and `reshape`.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Rotation, rotate};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
/// assert_eq!(rotate(&a, 90.0, 1).to_vec()?, [3, 6, 2, 5, 1, 4]);
/// assert_eq!(rotate(&a, Rotation::new(180.0).reshape(false), 1).to_vec()?, [6, 5, 4, 3, 2, 1]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    angle: f64,
    axes: (isize, isize),
    reshape: bool,
}

impl Rotation {
    /// A rotation in the plane of the first two axes, whose result holds all of the array.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Rotation, rotate}, prelude::*};
    /// let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
    /// let b = rotate(&a, Rotation::new(90.0), 0);
    /// assert_eq!((b.shape(), b.to_vec()?), (&[3, 2][..], vec![3, 6, 2, 5, 1, 4]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(angle: f64) -> Rotation {
        Rotation { angle, axes: (1, 0), reshape: true }
    }

    /// The two axes of the plane, in any order.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Rotation, rotate}, prelude::*};
    /// let a = DeviceArray::try_from([[[1, 2], [3, 4]]])?;
    /// let turned = rotate(&a, Rotation::new(90.0).axes(1, 2), 0);
    /// assert_eq!(turned.to_vec()?, [2, 4, 1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn axes(self, first: isize, second: isize) -> Rotation {
        Rotation { axes: (first, second), ..self }
    }

    /// Whether the result is as large as it takes to hold all of the array, or of the array's shape.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Rotation, rotate}, prelude::*};
    /// let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
    /// let same_shape = rotate(&a, Rotation::new(180.0).reshape(false), 0);
    /// assert_eq!(same_shape.to_vec()?, [6, 5, 4, 3, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn reshape(self, reshape: bool) -> Rotation {
        Rotation { reshape, ..self }
    }
}

impl From<f64> for Rotation {
    fn from(angle: f64) -> Rotation {
        Rotation::new(angle)
    }
}

/// The positions along an axis of a result as `f64`, an array that broadcasts to it.
#[track_caller]
fn positions(axis: usize, shape: &[usize], device: Device) -> Arc<Node> {
    let own: Shape = (0..shape.len()).map(|k| if k == axis { shape[k] } else { 1 }).collect();
    record::cast(&record::iota(axis, own, device), DType::F64)
}

#[track_caller]
fn plus(a: &Arc<Node>, value: f64) -> Result<Arc<Node>> {
    record::binary(Op::Add, a, Scalar::new(value))
}

#[track_caller]
fn times(a: &Arc<Node>, value: f64) -> Result<Arc<Node>> {
    record::binary(Op::Multiply, a, Scalar::new(value))
}

/// A map whose axes have nothing to do with each other: `(place + shift) · factor`.
#[track_caller]
fn separate(
    name: &str,
    a: &Arc<Node>,
    shape: &Shape,
    spline: Spline,
    map: impl Fn(usize, Arc<Node>) -> Result<Arc<Node>>,
) -> Result<Arc<Node>> {
    checked_len(name, shape)?;
    let place = |axis: usize| map(axis, positions(axis, shape, a.device));
    let places: Vec<Arc<Node>> = (0..shape.len()).map(place).collect::<Result<_>>()?;
    at_places(name, a, &places, shape, spline)
}

/// A map by a matrix of all axes.
#[track_caller]
fn by_matrix(
    name: &str,
    a: &Arc<Node>,
    matrix: &Array2<f64>,
    offset: &[f64],
    shape: &Shape,
    spline: Spline,
) -> Result<Arc<Node>> {
    checked_len(name, shape)?;
    let place = |row: usize| {
        let mut sum: Option<Arc<Node>> = None;
        for column in 0..shape.len() {
            let factor = matrix[[row, column]];
            if factor == 0.0 {
                continue;
            }
            let term = times(&positions(column, shape, a.device), factor)?;
            sum = Some(match sum {
                Some(sum) => record::binary(Op::Add, &sum, &term)?,
                None => term,
            });
        }
        match sum {
            Some(sum) => plus(&sum, offset[row]),
            None => {
                let ones = Shape::from_elem(1, shape.len());
                Ok(record::full(Scalar::new(offset[row]), ones, a.device))
            }
        }
    };
    let places: Vec<Arc<Node>> = (0..a.shape.len()).map(place).collect::<Result<_>>()?;
    at_places(name, a, &places, shape, spline)
}

#[track_caller]
fn affine(name: &str, a: &Arc<Node>, map: &Affine, spline: Spline) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let shape = map.output_shape.clone().unwrap_or_else(|| a.shape.clone());
    let refuse = |why: &str| {
        let (m, a) = (map.matrix.shape(), &a.shape);
        Err(Error::shape(format!(
            "{name}: a matrix of shape {m:?} for an array of shape {a:?}: {why}"
        )))
    };
    if rank == 0 || shape.is_empty() {
        return refuse("an array without axes");
    }
    let mut offset = each(name, "offsets", &map.offset, rank, 0.0)?;
    if let [n] = *map.matrix.shape() {
        if n != rank || shape.len() != rank {
            return refuse("a diagonal has an element for each axis of both");
        }
        let factor = |axis: usize| map.matrix[[axis]];
        return separate(name, a, &shape, spline, |axis, x| {
            plus(&times(&x, factor(axis))?, offset[axis])
        });
    }
    let Ok(mut matrix) = map.matrix.clone().into_dimensionality::<ndarray::Ix2>() else {
        return refuse("it has one axis or two");
    };
    let (rows, columns) = matrix.dim();
    if columns == rank + 1 && (rows == rank || rows == rank + 1) && columns != shape.len() {
        if rows == rank + 1
            && (0..=rank).any(|k| matrix[[rank, k]] != f64::from(u8::from(k == rank)))
        {
            return refuse("the last row of homogeneous coordinates is 0 … 0 1");
        }
        offset = (0..rank).map(|k| matrix[[k, rank]]).collect();
        matrix = matrix.slice(ndarray::s![..rank, ..rank]).to_owned();
    }
    if matrix.nrows() != rank {
        return refuse("it has a row for each axis of the array");
    }
    if matrix.ncols() != shape.len() {
        return refuse("it has a column for each axis of the result");
    }
    by_matrix(name, a, &matrix, &offset, &shape, spline)
}

/// The sine and the cosine of degrees, exact at right angles.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let turn = degrees.rem_euclid(360.0);
    match turn {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => turn.to_radians().sin_cos(),
    }
}

#[track_caller]
fn rotated(name: &str, a: &Arc<Node>, how: Rotation, spline: Spline) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let (x, y) = (axis_index(name, how.axes.0, rank)?, axis_index(name, how.axes.1, rank)?);
    if x == y || !how.angle.is_finite() {
        let Rotation { angle, axes, .. } = how;
        return Err(Error::shape(format!(
            "{name}: by {angle} degrees in the plane of axes {axes:?}"
        )));
    }
    let (y, x) = (x.min(y), x.max(y));
    let (sin, cos) = sin_cos(how.angle);
    let (height, width) = (a.shape[y] as f64, a.shape[x] as f64);
    let mut shape = a.shape.clone();
    if how.reshape {
        // The extent of the corners on each axis, rounded.
        let extent = |ends: [f64; 4]| {
            let range = ends.iter().fold((0.0f64, 0.0f64), |r, &e| (r.0.min(e), r.1.max(e)));
            (range.1 - range.0 + 0.5) as usize
        };
        let (rows, columns) = (
            extent([0.0, sin * width, cos * height, cos * height + sin * width]),
            extent([0.0, cos * width, -sin * height, -sin * height + cos * width]),
        );
        (shape[y], shape[x]) = (rows, columns);
    }
    let center = |n: f64| (n - 1.0) / 2.0;
    let (cy, cx) = (center(shape[y] as f64), center(shape[x] as f64));
    let mut matrix = Array2::<f64>::eye(rank);
    (matrix[[y, y]], matrix[[y, x]], matrix[[x, y]], matrix[[x, x]]) = (cos, sin, -sin, cos);
    let mut offset = vec![0.0; rank];
    offset[y] = center(height) - (cos * cy + sin * cx);
    offset[x] = center(width) - (-sin * cy + cos * cx);
    plane_by_plane(name, a, (y, x), &matrix, &offset, &shape, spline)
}

/// A map of the plane of two axes. The other axes stay as they are: with the plane's axes behind
/// them, each plane is an array of its own, whose spline knows nothing of its neighbours.
#[track_caller]
fn plane_by_plane(
    name: &str,
    a: &Arc<Node>,
    (y, x): (usize, usize),
    matrix: &Array2<f64>,
    offset: &[f64],
    shape: &Shape,
    spline: Spline,
) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    if rank == 2 {
        return by_matrix(name, a, matrix, offset, shape, spline);
    }
    let others: SmallVec<[usize; 4]> = (0..rank).filter(|&k| k != y && k != x).collect();
    let mut order = others.clone();
    order.extend([y, x]);
    let moved = permuted(a, &order);
    let count = others.iter().map(|&k| a.shape[k]).product::<usize>();
    if count == 0 || crate::shape::len(shape) == 0 {
        return Ok(record::full(Scalar::from_f64(a.dtype, 0.0), shape.clone(), a.device));
    }
    let planes = record::reshape(&moved, Shape::from_slice(&[count, a.shape[y], a.shape[x]]));
    let matrix =
        ndarray::array![[matrix[[y, y]], matrix[[y, x]]], [matrix[[x, y]], matrix[[x, x]]]];
    let plane_shape = Shape::from_slice(&[shape[y], shape[x]]);
    let stacked = planes_at_places(
        name,
        &planes,
        &plane_places(&matrix, &[offset[y], offset[x]], &plane_shape, a.device)?,
        &plane_shape,
        spline,
    )?;
    let mut long: Shape = others.iter().map(|&k| shape[k]).collect();
    long.extend([shape[y], shape[x]]);
    let long = record::reshape(&stacked, long);
    let mut back = SmallVec::<[usize; 4]>::from_elem(0, rank);
    order.iter().enumerate().for_each(|(at, &axis)| back[axis] = at);
    Ok(permuted(&long, &back))
}

/// The array with its axes in another order.
#[track_caller]
fn permuted(a: &Arc<Node>, order: &[usize]) -> Arc<Node> {
    let shape: Shape = order.iter().map(|&k| a.shape[k]).collect();
    let mut maps: SmallVec<[AxisMap; 2]> = (0..order.len()).map(AxisMap::same).collect();
    order.iter().enumerate().for_each(|(at, &axis)| maps[axis] = AxisMap::same(at));
    record::view(a, View(maps), shape)
}

/// Where the two axes of a plane are read for a plane of a result.
#[track_caller]
fn plane_places(
    matrix: &Array2<f64>,
    offset: &[f64; 2],
    shape: &Shape,
    device: Device,
) -> Result<Vec<Arc<Node>>> {
    let place = |row: usize| {
        let down = times(&positions(0, shape, device), matrix[[row, 0]])?;
        let across = times(&positions(1, shape, device), matrix[[row, 1]])?;
        plus(&record::binary(Op::Add, &down, &across)?, offset[row])
    };
    (0..2).map(place).collect()
}

/// The array zoomed, with the centres of the outermost elements or their outer edges in place.
#[track_caller]
fn zoomed(
    name: &str,
    a: &Arc<Node>,
    factors: &[f64],
    spline: Spline,
    edges: bool,
) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let factors = each(name, "factors", factors, rank, 1.0)?;
    if let Some(factor) = factors.iter().find(|f| !f.is_finite() || **f < 0.0) {
        return Err(Error::shape(format!("{name}: by a factor of {factor}")));
    }
    let shape: Shape = a
        .shape
        .iter()
        .zip(&factors)
        .map(|(&n, factor)| (n as f64 * factor).round_ties_even() as usize)
        .collect();
    if factors.iter().all(|&f| f == 1.0) && spline.prefilter {
        return Ok(a.clone());
    }
    let less = if edges { 0.0 } else { 1.0 };
    let step = |axis: usize| {
        let (from, to) = (a.shape[axis] as f64 - less, shape[axis] as f64 - less);
        if to == 0.0 { 1.0 } else { from / to }
    };
    separate(name, a, &shape, spline, |axis, x| match edges {
        true => plus(&times(&plus(&x, 0.5)?, step(axis))?, -0.5),
        false => times(&x, step(axis)),
    })
}

checked_fns! {
    /// The values of an array's spline at any coordinates.
    ///
    /// A coordinate that is NaN gives the constant of the border, or 0. Whole numbers are rounded
    /// and held within their range.
    ///
    /// **Shape.** That of the coordinates without their first axis, along which they stand for the
    /// axes of the array. **Dtype.** The array's; sums in `f64` for integers, else in the array's type
    /// (`f32` for halves). SciPy: `ndimage.map_coordinates`.
    example
    /// ```
    /// use lazuli::ndimage::map_coordinates;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::arange_to(12.0).reshape([4, 3]);
    /// let at = DeviceArray::from_vec([2, 2], vec![0.5, 2.0, 0.5, 1.0])?;
    /// assert_eq!(map_coordinates(&a, &at, 1).to_vec()?, [2.0, 7.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn map_coordinates | try_map_coordinates<T: Number, C: Floating>(
        a: &DeviceArray<T>,
        coordinates: &DeviceArray<C>,
        spline: impl Into<Spline>,
    ) -> DeviceArray<T> {
        const NAME: &str = "map_coordinates";
        if a.device().differs(coordinates.device()) {
            return Err(record::devices_differ(NAME, a.device(), coordinates.device()));
        }
        if a.ndim() == 0 || coordinates.shape().first() != Some(&a.ndim()) {
            let (a, c) = (a.shape(), coordinates.shape());
            return Err(Error::shape(format!("{NAME}: coordinates of shape {c:?} in an array of shape {a:?}")));
        }
        let places: Vec<Arc<Node>> =
            coordinates.try_unstack(0)?.iter().map(|c| c.node().clone()).collect();
        let shape = Shape::from_slice(&coordinates.shape()[1..]);
        at_places(NAME, a.node(), &places, &shape, spline.into()).map(DeviceArray::from_node)
    }

    /// The array read through an affine map.
    ///
    /// **Shape.** The array's, or the map's output shape. **Dtype.** The array's, as in
    /// [`map_coordinates`]. SciPy: `ndimage.affine_transform`.
    example
    /// ```
    /// use lazuli::ndimage::{Affine, affine_transform};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0, 10.0, 20.0, 30.0])?;
    /// let half = Affine::new(ndarray::array![0.5]).offset([1.0]);
    /// assert_eq!(affine_transform(&a, &half, 1).to_vec()?, [10.0, 15.0, 20.0, 25.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn affine_transform | try_affine_transform<T: Number>(
        a: &DeviceArray<T>,
        map: &Affine,
        spline: impl Into<Spline>,
    ) -> DeviceArray<T> {
        affine("affine_transform", a.node(), map, spline.into()).map(DeviceArray::from_node)
    }

    /// The array moved by any distances: an element of the result is read `shift` before it.
    ///
    /// **Shape.** The array's; a distance for each axis, or one for all. **Dtype.** The array's, as
    /// in [`map_coordinates`]. SciPy: `ndimage.shift`.
    example
    /// ```
    /// use lazuli::ndimage::shift;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 2, 3, 4])?;
    /// assert_eq!(shift(&a, &[2.0], 3).to_vec()?, [0, 0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn shift | try_shift<T: Number>(
        a: &DeviceArray<T>,
        by: &[f64],
        spline: impl Into<Spline>,
    ) -> DeviceArray<T> {
        let by = each("shift", "distances", by, a.ndim(), 0.0)?;
        let shape = a.node().shape.clone();
        separate("shift", a.node(), &shape, spline.into(), |axis, x| plus(&x, -by[axis]))
            .map(DeviceArray::from_node)
    }

    /// The array with more or fewer elements: the centres of the outermost ones stay where they are.
    ///
    /// **Shape.** The lengths times the factors, of which there is one for each axis or one for all,
    /// rounded. **Dtype.** The array's, as in [`map_coordinates`]. SciPy: `ndimage.zoom`.
    example
    /// ```
    /// use lazuli::ndimage::zoom;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0, 3.0, 6.0])?;
    /// assert_eq!(zoom(&a, &[5.0 / 3.0], 1).to_vec()?, [0.0, 1.5, 3.0, 4.5, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn zoom | try_zoom<T: Number>(
        a: &DeviceArray<T>,
        factors: &[f64],
        spline: impl Into<Spline>,
    ) -> DeviceArray<T> {
        zoomed("zoom", a.node(), factors, spline.into(), false).map(DeviceArray::from_node)
    }

    /// The array with more or fewer elements: the outer edges of the outermost ones stay where they
    /// are.
    ///
    /// **Shape.** As for [`zoom`]. **Dtype.** The array's, as in [`map_coordinates`]. SciPy:
    /// `ndimage.zoom(grid_mode=True)`.
    example
    /// ```
    /// use lazuli::ndimage::{Border, Spline, zoom_grid};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 2])?;
    /// let nearest = Spline::new(0).border(Border::Nearest);
    /// assert_eq!(zoom_grid(&a, &[3.0], nearest).to_vec()?, [1, 1, 1, 2, 2, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn zoom_grid | try_zoom_grid<T: Number>(
        a: &DeviceArray<T>,
        factors: &[f64],
        spline: impl Into<Spline>,
    ) -> DeviceArray<T> {
        zoomed("zoom_grid", a.node(), factors, spline.into(), true).map(DeviceArray::from_node)
    }

    /// The array rotated in the plane of two axes.
    ///
    /// **Shape.** Large enough to hold all of the array, or the array's
    /// ([`Rotation::reshape`]). **Dtype.** The array's, as in [`map_coordinates`]. SciPy:
    /// `ndimage.rotate`.
    example
    /// ```
    /// use lazuli::ndimage::rotate;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::ones([10, 10]);
    /// let b = rotate(&a, 45.0, 1);
    /// assert_eq!(b.shape(), [14, 14]);
    /// assert!((b.get([7, 7])? - 1.0).abs() < 1e-12 && b.get([0, 0])? == 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn rotate | try_rotate<T: Number>(
        a: &DeviceArray<T>,
        how: impl Into<Rotation>,
        spline: impl Into<Spline>,
    ) -> DeviceArray<T> {
        rotated("rotate", a.node(), how.into(), spline.into()).map(DeviceArray::from_node)
    }
}
