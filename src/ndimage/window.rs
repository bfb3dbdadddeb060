//! The elements that a filter sees around each one.

use super::border::{Border, Extended, Placement, each};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::checked_len;
use ndarray::{Array, ArrayD, Dimension};
use smallvec::SmallVec;
use std::sync::Arc;

/// The window of a filter: a size or a footprint, where it stands, and what it takes beyond the
/// edges.
///
/// Made from a size for all axes (`3`) or one for each (`[3, 5]`). SciPy: the parameters `size`,
/// `footprint`, `origin`, `mode` and `cval`.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Border, Window, maximum_filter};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[1, 5, 2, 3])?;
/// assert_eq!(maximum_filter(&a, 3).to_vec()?, [5, 5, 5, 3]);
/// let before = Window::new(2).border(Border::Constant(9.0));
/// assert_eq!(maximum_filter(&a, before).to_vec()?, [9, 5, 5, 3]);
/// let beside = Window::footprint(ndarray::array![true, false, true]);
/// assert_eq!(maximum_filter(&a, beside).to_vec()?, [5, 2, 5, 3]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    sizes: SmallVec<[usize; 4]>,
    footprint: Option<ArrayD<bool>>,
    pub(super) placement: Placement,
}

impl Window {
    /// A window of so many elements along each axis.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Window, maximum_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 5, 2, 3])?;
    /// assert_eq!(maximum_filter(&a, Window::new(3)).to_vec()?, [5, 5, 5, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(size: impl Into<Window>) -> Window {
        size.into()
    }

    /// A window of the elements at which an array of the same rank holds `true`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Window, maximum_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 5, 2, 3])?;
    /// let left = Window::footprint(ndarray::array![true, false, false]);
    /// assert_eq!(maximum_filter(&a, left).to_vec()?, [1, 1, 5, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn footprint<D: Dimension>(footprint: Array<bool, D>) -> Window {
        let footprint = Some(footprint.into_dyn());
        Window { sizes: SmallVec::new(), footprint, placement: Placement::default() }
    }

    /// What the filter takes beyond the edges of all axes.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Window, maximum_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 5, 2, 3])?;
    /// let walled = Window::new(3).border(Border::Constant(9.0));
    /// assert_eq!(maximum_filter(&a, walled).to_vec()?, [9, 5, 5, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn border(mut self, border: Border) -> Window {
        self.placement = self.placement.borders([border]);
        self
    }

    /// What the filter takes beyond the edges, axis by axis.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Window, maximum_filter}, prelude::*};
    /// let a = DeviceArray::try_from([[1, 5], [2, 3]])?;
    /// let rows_wrap = Window::new([1, 2]).borders([Border::Nearest, Border::Wrap]);
    /// assert_eq!(maximum_filter(&a, rows_wrap).to_vec()?, [5, 5, 3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn borders(mut self, borders: impl IntoIterator<Item = Border>) -> Window {
        self.placement = self.placement.borders(borders);
        self
    }

    /// How far the window is shifted on each axis, or on all of them where one number is given;
    /// positive numbers shift it to the left.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Window, maximum_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 5, 2, 3])?;
    /// assert_eq!(maximum_filter(&a, Window::new(3).origin([1])).to_vec()?, [5, 5, 5, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn origin(mut self, origins: impl IntoIterator<Item = isize>) -> Window {
        self.placement = self.placement.origin(origins);
        self
    }

    /// Both at once, as [`Placement`] has them.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Placement, Window, maximum_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[1, 5, 2, 3])?;
    /// let placement = Placement::new(Border::Constant(9.0)).origin([1]);
    /// assert_eq!(maximum_filter(&a, Window::new(3).placed(placement)).to_vec()?, [9, 9, 5, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn placed(self, placement: impl Into<Placement>) -> Window {
        Window { placement: placement.into(), ..self }
    }

    /// The window turned around, with its origins: that of a dilation.
    pub(super) fn turned(mut self, name: &str, rank: usize) -> Result<Window> {
        let sizes = self.each_size(name, rank)?;
        if let Some(footprint) = &mut self.footprint {
            footprint.invert_all();
        }
        self.placement = self.placement.turned(name, &sizes)?;
        Ok(self)
    }

    /// The lengths along the axes of an array.
    pub(crate) fn each_size(&self, name: &str, rank: usize) -> Result<SmallVec<[usize; 4]>> {
        match &self.footprint {
            Some(footprint) if footprint.ndim() == rank => {
                Ok(SmallVec::from_slice(footprint.shape()))
            }
            Some(footprint) => {
                let shape = footprint.shape();
                Err(Error::shape(format!(
                    "{name}: a footprint of shape {shape:?} for an array of rank {rank}"
                )))
            }
            None => each(name, "sizes", &self.sizes, rank, 1),
        }
    }
}

/// Reverses all axes of an array.
pub(super) trait InvertAll {
    fn invert_all(&mut self);
}

impl<T> InvertAll for ArrayD<T> {
    fn invert_all(&mut self) {
        (0..self.ndim()).for_each(|k| self.invert_axis(ndarray::Axis(k)));
    }
}

impl From<usize> for Window {
    fn from(size: usize) -> Window {
        Window::from([size])
    }
}

impl<const N: usize> From<[usize; N]> for Window {
    fn from(sizes: [usize; N]) -> Window {
        Window::from(&sizes[..])
    }
}

impl From<&[usize]> for Window {
    fn from(sizes: &[usize]) -> Window {
        let sizes = SmallVec::from_slice(sizes);
        Window { sizes, footprint: None, placement: Placement::default() }
    }
}

impl From<Vec<usize>> for Window {
    fn from(sizes: Vec<usize>) -> Window {
        Window::from(&sizes[..])
    }
}

/// A window over the arrays of one rank: checked, with its place around an element.
pub(super) struct Around {
    pub(super) sizes: SmallVec<[usize; 4]>,
    /// The first element's distance on each axis.
    pub(super) first: SmallVec<[i64; 4]>,
    pub(super) borders: SmallVec<[Border; 4]>,
    /// Which elements count, in C order, where not all of them do.
    pub(super) footprint: Option<Vec<bool>>,
}

impl Around {
    pub(super) fn new(name: &str, window: &Window, rank: usize) -> Result<Around> {
        let sizes = window.each_size(name, rank)?;
        let footprint = window.footprint.as_ref().map(|f| f.iter().copied().collect::<Vec<_>>());
        if footprint.as_ref().is_some_and(|f| !f.contains(&true)) {
            return Err(Error::shape(format!("{name}: no element of the footprint is set")));
        }
        let all = footprint.as_ref().is_some_and(|f| !f.contains(&false));
        let mut around = Around::placed(name, &sizes, &window.placement)?;
        around.footprint = footprint.filter(|_| !all);
        Ok(around)
    }

    /// A window of all elements of these sizes.
    pub(super) fn placed(name: &str, sizes: &[usize], placement: &Placement) -> Result<Around> {
        let borders = placement.each_border(name, sizes.len())?;
        let origins = placement.each_origin(name, sizes.len())?;
        let mut first = SmallVec::new();
        for (&size, &origin) in sizes.iter().zip(&origins) {
            let before = (size as isize / 2).saturating_add(origin);
            if before < 0 || before >= size as isize {
                return Err(Error::shape(format!(
                    "{name}: a window of {size} elements with origin {origin} does not hold the \
                     element that it stands over"
                )));
            }
            first.push(-(before as i64));
        }
        Ok(Around { sizes: SmallVec::from_slice(sizes), first, borders, footprint: None })
    }

    /// The number of elements that count.
    pub(super) fn count(&self) -> usize {
        match &self.footprint {
            Some(footprint) => footprint.iter().filter(|&&set| set).count(),
            None => self.sizes.iter().product(),
        }
    }

    /// How far the window reaches before and behind an element, axis by axis.
    fn reach(&self) -> SmallVec<[(usize, usize); 4]> {
        let reach = |(&first, &size): (&i64, &usize)| (-first as usize, size - 1 - -first as usize);
        self.first.iter().zip(&self.sizes).map(reach).collect()
    }

    /// The array, extended as far as the window reaches.
    pub(super) fn extend(&self, name: &str, a: &Arc<Node>) -> Result<Extended> {
        Extended::new(name, a, &self.borders, &self.reach())
    }

    /// The array with all that the window reads around it, and how much stands before the first
    /// element on each axis.
    pub(super) fn whole(
        &self,
        name: &str,
        a: &Arc<Node>,
    ) -> Result<(Arc<Node>, SmallVec<[i64; 4]>)> {
        let reach = self.reach();
        let mut shape = a.shape.clone();
        for (n, (before, behind)) in shape.iter_mut().zip(&reach) {
            *n = n.saturating_add(*before).saturating_add(*behind);
        }
        checked_len(name, &shape)?;
        let whole = self.extend(name, a)?.around(&reach, shape);
        Ok((whole, reach.iter().map(|r| r.0 as i64).collect()))
    }

    /// The distances of the elements that count, in C order.
    pub(super) fn offsets(&self) -> Vec<SmallVec<[i64; 4]>> {
        let len = self.sizes.iter().product();
        let counts = |&k: &usize| self.footprint.as_ref().is_none_or(|f| f[k]);
        let offset = |k: usize| {
            let at = crate::shape::position(k, &self.sizes);
            self.first.iter().zip(&at).map(|(first, &at)| first + at as i64).collect()
        };
        (0..len).filter(counts).map(offset).collect()
    }

    /// For each element those of its window that count: one array for each.
    pub(super) fn neighbours(&self, name: &str, a: &Arc<Node>) -> Result<Vec<Arc<Node>>> {
        let extended = self.extend(name, a)?;
        Ok(self.offsets().iter().map(|offsets| extended.shifted(offsets)).collect())
    }
}

impl Around {
    /// This window along one axis, as a window along one of several.
    pub(super) fn on(&self, axis: usize, rank: usize) -> Around {
        let own = |k: usize| k == axis;
        Around {
            sizes: (0..rank).map(|k| if own(k) { self.sizes[0] } else { 1 }).collect(),
            first: (0..rank).map(|k| if own(k) { self.first[0] } else { 0 }).collect(),
            borders: SmallVec::from_elem(self.borders[0], rank),
            footprint: None,
        }
    }
}
