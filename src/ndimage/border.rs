//! What stands beyond an array's edges: index arithmetic in place of copies.

use crate::array::record;
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::graph::{Arg, AxisMap, Node, NodeOp, View, Wrap};
use crate::shape::{Shape, checked_len};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// How an array goes on beyond its edges.
///
/// Filters do not tell [`Constant`](Border::Constant) from [`GridConstant`](Border::GridConstant),
/// nor [`Wrap`](Border::Wrap) from [`GridWrap`](Border::GridWrap): they stand at grid points only.
/// SciPy: the parameters `mode` and `cval`.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Border, correlate1d};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[1, 2, 3])?;
/// // The neighbour on the left.
/// let left = |border: Border| correlate1d(&a, &[1.0, 0.0, 0.0], 0, border).to_vec();
/// assert_eq!(left(Border::Reflect)?, [1, 1, 2]);
/// assert_eq!(left(Border::Mirror)?, [2, 1, 2]);
/// assert_eq!(left(Border::Nearest)?, [1, 1, 2]);
/// assert_eq!(left(Border::Wrap)?, [3, 1, 2]);
/// assert_eq!(left(Border::Constant(9.0))?, [9, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Border {
    /// Mirrored at the edges, whose elements are repeated: `d c b a | a b c d | d c b a`. SciPy:
    /// `reflect`, `grid-mirror`.
    #[default]
    Reflect,
    /// The element at the edge: `a a a a | a b c d | d d d d`. SciPy: `nearest`.
    Nearest,
    /// Mirrored at the elements at the edges, which are not repeated: `d c b | a b c d | c b a`.
    /// SciPy: `mirror`.
    Mirror,
    /// A value. An interpolation gives it everywhere beyond the outermost elements. SciPy:
    /// `constant`.
    Constant(f64),
    /// A value at the grid points beyond the edges; an interpolation takes it in between as it
    /// takes elements. SciPy: `grid-constant`.
    GridConstant(f64),
    /// The array again: `a b c d | a b c d | a b c d`. An interpolation lets the first and the last
    /// element stand at one place. SciPy: `wrap`.
    Wrap,
    /// The array again, for interpolations too. SciPy: `grid-wrap`.
    GridWrap,
}

impl Border {
    /// The value beyond the edges, where it is one.
    pub(super) fn constant(self) -> Option<f64> {
        match self {
            Border::Constant(value) | Border::GridConstant(value) => Some(value),
            _ => None,
        }
    }

    /// What brings a position of an axis of `n` elements back onto it.
    pub(super) fn wrap(self, n: usize) -> Wrap {
        let n = n as i64;
        match self {
            Border::Reflect => Wrap::Symmetric(n),
            Border::Nearest => Wrap::Clamp(n),
            Border::Mirror => Wrap::Reflect(n),
            Border::Wrap | Border::GridWrap => Wrap::Mod(n),
            Border::Constant(_) | Border::GridConstant(_) => Wrap::None,
        }
    }
}

/// What a filter takes for the elements beyond the edges, and where it stands over the element
/// that it computes.
///
/// Made from a [`Border`], or a list of one for each axis.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Border, Placement, correlate1d};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[1, 2, 3, 4])?;
/// let how = Placement::new(Border::Nearest).origin([-1]);
/// assert_eq!(correlate1d(&a, &[1.0, 1.0, 1.0], 0, how).to_vec()?, [6, 9, 11, 12]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placement {
    borders: SmallVec<[Border; 2]>,
    origins: SmallVec<[isize; 4]>,
}

impl Placement {
    /// One border for all axes.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Placement, correlate1d}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 2, 3, 4])?;
    /// let how = Placement::new(Border::Nearest);
    /// assert_eq!(correlate1d(&a, &[1.0, 1.0, 1.0], 0, how).to_vec()?, [4, 6, 9, 11]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(border: Border) -> Placement {
        Placement::from(border)
    }

    /// A border for each axis. SciPy: a sequence as `mode`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Placement, Window, maximum_filter}, prelude::*};
    /// let a = DeviceArray::try_from([[1, 5], [2, 3]])?;
    /// let how = Placement::new(Border::Nearest).borders([Border::Nearest, Border::Wrap]);
    /// let window = Window::new([1, 2]).placed(how);
    /// assert_eq!(maximum_filter(&a, window).to_vec()?, [5, 5, 3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn borders(self, borders: impl IntoIterator<Item = Border>) -> Placement {
        Placement { borders: borders.into_iter().collect(), ..self }
    }

    /// How far the window is shifted on each axis, or on all of them where one number is given;
    /// positive numbers shift it to the left. SciPy: `origin`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Placement, correlate1d}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 2, 3, 4])?;
    /// let how = Placement::new(Border::Nearest).origin([1]);
    /// assert_eq!(correlate1d(&a, &[1.0, 1.0, 1.0], 0, how).to_vec()?, [3, 4, 6, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn origin(self, origins: impl IntoIterator<Item = isize>) -> Placement {
        Placement { origins: origins.into_iter().collect(), ..self }
    }

    /// The border of each axis.
    pub(super) fn each_border(&self, name: &str, rank: usize) -> Result<SmallVec<[Border; 4]>> {
        each(name, "borders", &self.borders, rank, Border::default())
    }

    /// The origin on each axis.
    pub(super) fn each_origin(&self, name: &str, rank: usize) -> Result<SmallVec<[isize; 4]>> {
        each(name, "origins", &self.origins, rank, 0)
    }

    /// The origins of a window that is turned around: those of a convolution.
    pub(super) fn turned(mut self, name: &str, sizes: &[usize]) -> Result<Placement> {
        let origins = self.each_origin(name, sizes.len())?;
        let turn = |(origin, size): (&isize, &usize)| -origin - isize::from(size % 2 == 0);
        self.origins = origins.iter().zip(sizes).map(turn).collect();
        Ok(self)
    }
}

impl From<Border> for Placement {
    fn from(border: Border) -> Placement {
        Placement { borders: smallvec![border], origins: SmallVec::new() }
    }
}

impl<const N: usize> From<[Border; N]> for Placement {
    fn from(borders: [Border; N]) -> Placement {
        Placement::default().borders(borders)
    }
}

/// One value for each axis, from a list that has as many, one, or none.
pub(super) fn each<T: Copy>(
    name: &str,
    what: &str,
    given: &[T],
    rank: usize,
    default: T,
) -> Result<SmallVec<[T; 4]>> {
    match given {
        [] => Ok(SmallVec::from_elem(default, rank)),
        [one] => Ok(SmallVec::from_elem(*one, rank)),
        list if list.len() == rank => Ok(SmallVec::from_slice(list)),
        list => {
            Err(Error::shape(format!("{name}: {} {what} for an array of rank {rank}", list.len())))
        }
    }
}

/// An array that goes on beyond its edges as far as a filter reads.
pub(super) struct Extended {
    node: Arc<Node>,
    /// How many elements stand before the first one, axis by axis.
    before: SmallVec<[i64; 4]>,
    wraps: SmallVec<[Wrap; 4]>,
    shape: Shape,
}

impl Extended {
    /// An array with elements, read up to `reach` positions before its first and behind its last
    /// one on each axis.
    pub(super) fn new(
        name: &str,
        a: &Arc<Node>,
        borders: &[Border],
        reach: &[(usize, usize)],
    ) -> Result<Extended> {
        let rank = a.shape.len();
        let mut all = Extended {
            node: a.clone(),
            before: SmallVec::from_elem(0, rank),
            wraps: SmallVec::from_elem(Wrap::None, rank),
            shape: a.shape.clone(),
        };
        for (k, &(before, after)) in reach.iter().enumerate() {
            if (before, after) == (0, 0) {
                continue;
            }
            all.wraps[k] = borders[k].wrap(a.shape[k]);
            if let Some(value) = borders[k].constant() {
                all.pad(name, k, (before, after), value)?;
            }
        }
        Ok(all)
    }

    fn pad(
        &mut self,
        name: &str,
        axis: usize,
        (before, after): (usize, usize),
        value: f64,
    ) -> Result<()> {
        let mut shape = self.node.shape.clone();
        let rank = shape.len();
        shape[axis] = shape[axis].saturating_add(before).saturating_add(after);
        checked_len(name, &shape)?;
        let starts: Box<[usize]> = (0..rank).map(|k| if k == axis { before } else { 0 }).collect();
        let (dtype, device) = (self.node.dtype, self.node.device);
        let args = smallvec![Arg::from(&self.node), Arg::Scalar(Scalar::from_f64(dtype, value))];
        self.node = record::record(NodeOp::Pad { before: starts }, args, shape, dtype, device);
        self.before[axis] = before as i64;
        Ok(())
    }

    /// The map of an axis for positions that begin at `offset`.
    fn map(&self, axis: usize, offset: i64) -> AxisMap {
        let offset = offset + self.before[axis];
        let offset = match self.wraps[axis] {
            Wrap::Mod(n) => offset.rem_euclid(n),
            _ => offset,
        };
        AxisMap::affine(axis, offset, 1).wrapped(self.wraps[axis])
    }

    /// For each element the one that stands so far from it.
    pub(super) fn shifted(&self, offsets: &[i64]) -> Arc<Node> {
        let maps = offsets.iter().enumerate().map(|(k, &offset)| self.map(k, offset));
        record::view(&self.node, View(maps.collect()), self.shape.clone())
    }

    /// For each element those around it: `sizes` of them along as many more axes, the first of
    /// them `first` away.
    pub(super) fn windows(&self, name: &str, first: &[i64], sizes: &[usize]) -> Result<Arc<Node>> {
        let rank = first.len();
        let mut shape = self.shape.clone();
        shape.extend_from_slice(sizes);
        checked_len(name, &shape)?;
        let map = |k: usize| {
            let mut map = self.map(k, first[k]);
            if sizes[k] > 1 {
                map.terms.push(((rank + k) as u8, 1));
            }
            map
        };
        Ok(record::view(&self.node, View((0..rank).map(map).collect()), shape))
    }

    /// One axis with what stands before and behind it: `len` positions, the first of them `first`
    /// away.
    pub(super) fn line(&self, axis: usize, first: i64, len: usize) -> Arc<Node> {
        let rank = self.shape.len();
        let maps = (0..rank).map(|k| self.map(k, if k == axis { first } else { 0 }));
        let mut shape = self.shape.clone();
        shape[axis] = len;
        record::view(&self.node, View(maps.collect()), shape)
    }
}

impl Extended {
    /// The array with all that it was extended by, in the shape that has.
    pub(super) fn around(&self, reach: &[(usize, usize)], shape: Shape) -> Arc<Node> {
        let maps = reach.iter().enumerate().map(|(k, reach)| self.map(k, -(reach.0 as i64)));
        record::view(&self.node, View(maps.collect()), shape)
    }
}
