//! Morphology of grey images.

use super::rank::{End, extreme};
use super::weighted::{balanced, last_axes, sums_of, truncated};
use super::window::{Around, InvertAll, Window};
use crate::array::{DeviceArray, checked_fns, record, upload_to};
use crate::dtype::{Real, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node};
use crate::shape::Shape;
use crate::table::Op;
use ndarray::{Array, ArrayD, Dimension};
use std::sync::Arc;

/// The window of a grey erosion or dilation: a [`Window`], on which heights may stand.
///
/// Made from what a window is made from. SciPy: the parameters `size`, `footprint`, `structure`,
/// `origin`, `mode` and `cval`.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Structure, grey_dilation};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[0.0, 0.0, 4.0, 0.0])?;
/// let cone = Structure::heights(ndarray::array![-1.0, 0.0, -1.0]);
/// assert_eq!(grey_dilation(&a, cone).to_vec()?, [0.0, 3.0, 4.0, 3.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    window: Window,
    heights: Option<ArrayD<f64>>,
}

impl Structure {
    /// A window with heights on all of its elements, which an erosion subtracts and a dilation adds;
    /// of integers the sums wrap.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Structure, grey_dilation}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0, 0.0, 4.0, 0.0])?;
    /// let cone = Structure::heights(ndarray::array![-1.0, 0.0, -1.0]);
    /// assert_eq!(grey_dilation(&a, cone).to_vec()?, [0.0, 3.0, 4.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn heights<D: Dimension>(heights: Array<f64, D>) -> Structure {
        let heights = heights.into_dyn();
        let window = Window::footprint(ArrayD::from_elem(heights.raw_dim(), true));
        Structure { window, heights: Some(heights) }
    }

    /// Heights on the elements of a window that has a footprint of the same shape.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Structure, Window, grey_dilation}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0, 0.0, 4.0, 0.0])?;
    /// let ends = Structure::from(Window::footprint(ndarray::array![true, false, true]));
    /// let ends = ends.with_heights(ndarray::array![-1.0, 0.0, -2.0]);
    /// assert_eq!(grey_dilation(&a, ends).to_vec()?, [-1.0, 3.0, -1.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn with_heights<D: Dimension>(self, heights: Array<f64, D>) -> Structure {
        Structure { heights: Some(heights.into_dyn()), ..self }
    }

    /// The window anew, made from the one there is: its border and its origins.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Structure, grey_dilation}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0, 0.0, 4.0, 0.0])?;
    /// let flat = Structure::heights(ndarray::array![0.0, 0.0, 0.0]);
    /// let walled = flat.window(|window| window.border(Border::Constant(9.0)));
    /// assert_eq!(grey_dilation(&a, walled).to_vec()?, [9.0, 4.0, 4.0, 9.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn window(self, change: impl FnOnce(Window) -> Window) -> Structure {
        Structure { window: change(self.window), ..self }
    }

    /// What a dilation has in place of it.
    fn turned(self, name: &str, rank: usize) -> Result<Structure> {
        let window = self.window.turned(name, rank)?;
        let mut heights = self.heights;
        if let Some(heights) = &mut heights {
            heights.invert_all();
        }
        Ok(Structure { window, heights })
    }
}

impl<W: Into<Window>> From<W> for Structure {
    fn from(window: W) -> Structure {
        Structure { window: window.into(), heights: None }
    }
}

/// Up to so many heights are written out.
const WRITTEN_OUT: usize = 32;

/// The extremes of windows, on which heights stand.
#[track_caller]
fn raised(name: &str, a: &Arc<Node>, structure: &Structure, end: End) -> Result<Arc<Node>> {
    let around = Around::new(name, &structure.window, a.shape.len())?;
    let Some(heights) = &structure.heights else { return extreme(name, a, &around, end) };
    if heights.shape() != &around.sizes[..] {
        let (given, wanted) = (heights.shape(), &around.sizes);
        return Err(Error::shape(format!("{name}: heights of shape {given:?} on {wanted:?}")));
    }
    if a.len() == 0 {
        return Ok(a.clone());
    }
    let dtype = sums_of(a.dtype);
    let heights: Vec<f64> = match end {
        End::Least => heights.iter().map(|h| -h).collect(),
        End::Greatest => heights.iter().copied().collect(),
    };
    // Sums are of the array's type, so that integers wrap before they are compared.
    let sum = |x: &Arc<Node>, height: Arg| {
        truncated(&record::binary(Op::Add, &record::cast(x, dtype), height)?, a.dtype)
    };
    if around.count() <= WRITTEN_OUT {
        let counts = |&k: &usize| around.footprint.as_ref().is_none_or(|f| f[k]);
        let own = (0..heights.len()).filter(counts).map(|k| Scalar::from_f64(dtype, heights[k]));
        let all = around.neighbours(name, a)?;
        let all = all.iter().zip(own).map(|(x, height)| sum(x, height.into()));
        return balanced(all.collect::<Result<_>>()?, |a, b| record::binary(end.op(), a, b));
    }
    let shape = Shape::from_slice(&around.sizes);
    let heights = upload_to(a.device, &heights, shape)?;
    let heights = record::cast(heights.node(), dtype);
    let windows = around.extend(name, a)?.windows(name, &around.first, &around.sizes)?;
    let mut sums = sum(&windows, Arg::from(&heights))?;
    if let Some(mask) = around.mask(a)? {
        sums = record::select(&mask, &sums, end.reduction().identity_value(a.dtype))?;
    }
    Ok(record::reduce(end.reduction(), &sums, last_axes(a.shape.len())))
}

#[track_caller]
fn erosion(name: &str, a: &Arc<Node>, structure: &Structure) -> Result<Arc<Node>> {
    raised(name, a, structure, End::Least)
}

#[track_caller]
fn dilation(name: &str, a: &Arc<Node>, structure: &Structure) -> Result<Arc<Node>> {
    let turned = structure.clone().turned(name, a.shape.len())?;
    raised(name, a, &turned, End::Greatest)
}

#[track_caller]
fn opening(name: &str, a: &Arc<Node>, structure: &Structure) -> Result<Arc<Node>> {
    dilation(name, &erosion(name, a, structure)?, structure)
}

#[track_caller]
fn closing(name: &str, a: &Arc<Node>, structure: &Structure) -> Result<Arc<Node>> {
    erosion(name, &dilation(name, a, structure)?, structure)
}

checked_fns! {
    /// The least element around each one, with heights subtracted where the structure has any.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. SciPy: `ndimage.grey_erosion`.
    example
    /// ```
    /// use lazuli::ndimage::grey_erosion;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[5, 5, 2, 5, 5, 5])?;
    /// assert_eq!(grey_erosion(&a, 3).to_vec()?, [5, 2, 2, 2, 5, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn grey_erosion | try_grey_erosion<T: Real>(
        a: &DeviceArray<T>,
        structure: impl Into<Structure>,
    ) -> DeviceArray<T> {
        erosion("grey_erosion", a.node(), &structure.into()).map(DeviceArray::from_node)
    }

    /// The greatest element around each one, with heights added where the structure has any; the
    /// structure is turned around.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. SciPy: `ndimage.grey_dilation`.
    example
    /// ```
    /// use lazuli::ndimage::{Window, grey_dilation};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0, 0, 7, 0, 0])?;
    /// let right = Window::footprint(ndarray::array![false, true, true]);
    /// assert_eq!(grey_dilation(&a, right).to_vec()?, [0, 0, 7, 7, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn grey_dilation | try_grey_dilation<T: Real>(
        a: &DeviceArray<T>,
        structure: impl Into<Structure>,
    ) -> DeviceArray<T> {
        dilation("grey_dilation", a.node(), &structure.into()).map(DeviceArray::from_node)
    }

    /// An erosion and then a dilation: what is brighter and narrower than the structure goes.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. SciPy: `ndimage.grey_opening`.
    example
    /// ```
    /// use lazuli::ndimage::grey_opening;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 9, 1, 5, 5, 5, 1])?;
    /// assert_eq!(grey_opening(&a, 3).to_vec()?, [1, 1, 1, 5, 5, 5, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn grey_opening | try_grey_opening<T: Real>(
        a: &DeviceArray<T>,
        structure: impl Into<Structure>,
    ) -> DeviceArray<T> {
        opening("grey_opening", a.node(), &structure.into()).map(DeviceArray::from_node)
    }

    /// A dilation and then an erosion: what is darker and narrower than the structure goes.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. SciPy: `ndimage.grey_closing`.
    example
    /// ```
    /// use lazuli::ndimage::grey_closing;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[9, 1, 9, 5, 5, 5, 9])?;
    /// assert_eq!(grey_closing(&a, 3).to_vec()?, [9, 9, 9, 5, 5, 5, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    fn grey_closing | try_grey_closing<T: Real>(
        a: &DeviceArray<T>,
        structure: impl Into<Structure>,
    ) -> DeviceArray<T> {
        closing("grey_closing", a.node(), &structure.into()).map(DeviceArray::from_node)
    }

    /// The dilation less the erosion.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; integers wrap. SciPy:
    /// `ndimage.morphological_gradient`.
    example
    /// ```
    /// use lazuli::ndimage::morphological_gradient;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 1, 1, 4, 4])?;
    /// assert_eq!(morphological_gradient(&a, 3).to_vec()?, [0, 0, 3, 3, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn morphological_gradient | try_morphological_gradient<T: Real>(
        a: &DeviceArray<T>,
        structure: impl Into<Structure>,
    ) -> DeviceArray<T> {
        let (name, structure) = ("morphological_gradient", structure.into());
        let (high, low) = (dilation(name, a.node(), &structure)?, erosion(name, a.node(), &structure)?);
        record::binary(Op::Subtract, &high, &low).map(DeviceArray::from_node)
    }

    /// The dilation and the erosion together, less twice the array.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; integers wrap. SciPy:
    /// `ndimage.morphological_laplace`.
    example
    /// ```
    /// use lazuli::ndimage::morphological_laplace;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 1, 1, 4, 4])?;
    /// assert_eq!(morphological_laplace(&a, 3).to_vec()?, [0, 0, 3, -3, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn morphological_laplace | try_morphological_laplace<T: Real>(
        a: &DeviceArray<T>,
        structure: impl Into<Structure>,
    ) -> DeviceArray<T> {
        let (name, structure) = ("morphological_laplace", structure.into());
        let (high, low) = (dilation(name, a.node(), &structure)?, erosion(name, a.node(), &structure)?);
        let sum = record::binary(Op::Add, &high, &low)?;
        let sum = record::binary(Op::Subtract, &sum, a.node())?;
        record::binary(Op::Subtract, &sum, a.node()).map(DeviceArray::from_node)
    }

    /// The array less its opening: what is brighter and narrower than the structure.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; integers wrap. SciPy: `ndimage.white_tophat`.
    example
    /// ```
    /// use lazuli::ndimage::white_tophat;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 9, 1, 5, 5, 5, 1])?;
    /// assert_eq!(white_tophat(&a, 3).to_vec()?, [0, 8, 0, 0, 0, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn white_tophat | try_white_tophat<T: Real>(
        a: &DeviceArray<T>,
        structure: impl Into<Structure>,
    ) -> DeviceArray<T> {
        let opened = opening("white_tophat", a.node(), &structure.into())?;
        record::binary(Op::Subtract, a.node(), &opened).map(DeviceArray::from_node)
    }

    /// The closing of the array less the array: what is darker and narrower than the structure.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; integers wrap. SciPy: `ndimage.black_tophat`.
    example
    /// ```
    /// use lazuli::ndimage::black_tophat;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[9, 1, 9, 5, 5, 5, 9])?;
    /// assert_eq!(black_tophat(&a, 3).to_vec()?, [0, 8, 0, 0, 0, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn black_tophat | try_black_tophat<T: Real>(
        a: &DeviceArray<T>,
        structure: impl Into<Structure>,
    ) -> DeviceArray<T> {
        let closed = closing("black_tophat", a.node(), &structure.into())?;
        record::binary(Op::Subtract, &closed, a.node()).map(DeviceArray::from_node)
    }
}
