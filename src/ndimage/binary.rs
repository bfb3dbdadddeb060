//! Morphology of binary images.

use super::border::{Border, Placement};
use super::label::{roots, seeded};
use super::weighted::{balanced, last_axes};
use super::window::{Around, InvertAll, Window};
use crate::array::{DeviceArray, checked_fns, located, record, upload_to};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use ndarray::{Array, ArrayD, Dimension, IxDyn};
use std::sync::Arc;

/// Which elements around one count as its neighbours.
///
/// Made from a number, the most axes along which a neighbour may be away (1: those that share a
/// face), or from an array of the same rank. SciPy: the parameter `structure`.
///
/// # Example
/// ```
/// use lazuli::ndimage::Connectivity;
/// let cross = Connectivity::from(1).structure(2)?;
/// assert_eq!(cross.iter().filter(|&&set| set).count(), 5);
/// assert!(Connectivity::from(2).structure(2)?.iter().all(|&set| set));
/// # Ok::<(), lazuli::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Connectivity(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Number(usize),
    Array(ArrayD<bool>),
}

impl Connectivity {
    /// The array of this rank in which neighbours are set. SciPy: `generate_binary_structure`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the connectivity is an array of another rank, or has no element.
    ///
    /// # Example
    /// ```
    /// use lazuli::ndimage::Connectivity;
    /// let cross = Connectivity::from(1).structure(2)?;
    /// assert!(cross[[0, 1]] && !cross[[0, 0]]);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn structure(&self, rank: usize) -> Result<ArrayD<bool>> {
        located(self.of_rank("structure", rank))
    }

    pub(super) fn of_rank(&self, name: &str, rank: usize) -> Result<ArrayD<bool>> {
        match &self.0 {
            Kind::Number(most) => Ok(ArrayD::from_shape_fn(IxDyn(&vec![3; rank]), |at| {
                (0..rank).filter(|&k| at[k] != 1).count() <= (*most).max(1)
            })),
            Kind::Array(array) if array.ndim() == rank && !array.is_empty() => Ok(array.clone()),
            Kind::Array(array) => {
                let shape = array.shape();
                Err(Error::shape(format!(
                    "{name}: a structure of shape {shape:?} for an array of rank {rank}"
                )))
            }
        }
    }
}

impl From<usize> for Connectivity {
    fn from(most: usize) -> Connectivity {
        Connectivity(Kind::Number(most))
    }
}

impl<D: Dimension> From<Array<bool, D>> for Connectivity {
    fn from(structure: Array<bool, D>) -> Connectivity {
        Connectivity(Kind::Array(structure.into_dyn()))
    }
}

/// The structure of a binary erosion or dilation, with how often it is applied, what is beyond the
/// edges and where it may change anything.
///
/// Made from what a [`Connectivity`] is made from. SciPy: the parameters `structure`, `iterations`,
/// `mask`, `border_value` and `origin`.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Binary, binary_dilation};
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_slice(&[false, false, true, false, false, false])?;
/// let twice = Binary::new(1).iterations(2);
/// assert_eq!(binary_dilation(&a, twice).to_vec()?, [true, true, true, true, true, false]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Binary {
    structure: Connectivity,
    iterations: usize,
    beyond: bool,
    origins: Vec<isize>,
    mask: Option<DeviceArray<bool>>,
}

impl Binary {
    /// A structure that is applied once.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Binary, binary_dilation}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0, 0, 1, 0, 0])?.cast::<bool>();
    /// assert_eq!(binary_dilation(&a, Binary::new(1)).cast::<u8>().to_vec()?, [0, 1, 1, 1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(structure: impl Into<Connectivity>) -> Binary {
        Binary {
            structure: structure.into(),
            iterations: 1,
            beyond: false,
            origins: Vec::new(),
            mask: None,
        }
    }

    /// How often it is applied, at least once; [`binary_propagation`] applies it until nothing changes.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Binary, binary_dilation}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0, 0, 1, 0, 0])?.cast::<bool>();
    /// let twice = binary_dilation(&a, Binary::new(1).iterations(2));
    /// assert_eq!(twice.cast::<u8>().to_vec()?, [1, 1, 1, 1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn iterations(self, iterations: usize) -> Binary {
        Binary { iterations, ..self }
    }

    /// What is beyond the edges; `false` if nothing else is said.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Binary, binary_erosion}, prelude::*};
    /// let a = DeviceArray::<bool>::ones(4);
    /// let (out, inside) = (Binary::new(1), Binary::new(1).beyond(true));
    /// assert_eq!(binary_erosion(&a, out).cast::<u8>().to_vec()?, [0, 1, 1, 0]);
    /// assert_eq!(binary_erosion(&a, inside).cast::<u8>().to_vec()?, [1, 1, 1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn beyond(self, value: bool) -> Binary {
        Binary { beyond: value, ..self }
    }

    /// How far the structure is shifted on each axis, or on all of them where one number is given;
    /// positive numbers shift it to the left.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Binary, binary_dilation}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0, 0, 1, 0, 0])?.cast::<bool>();
    /// let shifted = binary_dilation(&a, Binary::new(1).origin([1]));
    /// assert_eq!(shifted.cast::<u8>().to_vec()?, [1, 1, 1, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn origin(self, origins: impl IntoIterator<Item = isize>) -> Binary {
        Binary { origins: origins.into_iter().collect(), ..self }
    }

    /// The elements that may change, in the shape of the array.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Binary, binary_dilation}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0, 0, 1, 0, 0])?.cast::<bool>();
    /// let may_change = DeviceArray::from_slice(&[0, 1, 1, 0, 0])?.cast::<bool>();
    /// let masked = binary_dilation(&a, Binary::new(1).mask(&may_change));
    /// assert_eq!(masked.cast::<u8>().to_vec()?, [0, 1, 1, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn mask(self, mask: &DeviceArray<bool>) -> Binary {
        Binary { mask: Some(mask.clone()), ..self }
    }

    /// The mask's node, which has the array's shape.
    #[track_caller]
    fn mask_of(&self, name: &str, a: &Arc<Node>) -> Result<Option<Arc<Node>>> {
        let Some(mask) = &self.mask else { return Ok(None) };
        if mask.device().differs(a.device) {
            return Err(record::devices_differ(name, a.device, mask.device()));
        }
        if mask.shape() != &a.shape[..] {
            let (mask, a) = (mask.shape(), &a.shape);
            return Err(Error::shape(format!("{name}: a mask of shape {mask:?} for {a:?}")));
        }
        Ok(Some(mask.node().clone()))
    }
}

impl<C: Into<Connectivity>> From<C> for Binary {
    fn from(structure: C) -> Binary {
        Binary::new(structure)
    }
}

/// Which way one step goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Erode,
    Dilate,
}

/// Up to so many neighbours are read one by one.
const ONE_BY_ONE: usize = 32;

/// A step: whether all, or any, of the elements around each one are set.
struct Step {
    around: Around,
    way: Way,
}

impl Step {
    fn new(name: &str, rank: usize, how: &Binary, way: Way) -> Result<Step> {
        let structure = how.structure.of_rank(name, rank)?;
        let beyond = Border::Constant(f64::from(u8::from(how.beyond)));
        let placement = Placement::new(beyond).origin(how.origins.iter().copied());
        let mut structure = structure;
        let placement = match way {
            Way::Erode => placement,
            Way::Dilate => {
                structure.invert_all();
                placement.turned(name, structure.shape())?
            }
        };
        Step::over(name, structure, placement, way)
    }

    fn over(name: &str, structure: ArrayD<bool>, placement: Placement, way: Way) -> Result<Step> {
        let rank = structure.ndim();
        let window = Window::footprint(structure).placed(placement);
        Ok(Step { around: Around::new(name, &window, rank)?, way })
    }

    #[track_caller]
    fn apply(&self, name: &str, a: &Arc<Node>) -> Result<Arc<Node>> {
        if a.len() == 0 {
            return Ok(a.clone());
        }
        let (op, reduction) = match self.way {
            Way::Erode => (Op::LogicalAnd, Reduction::All),
            Way::Dilate => (Op::LogicalOr, Reduction::Any),
        };
        let around = &self.around;
        if around.count() <= ONE_BY_ONE {
            return balanced(around.neighbours(name, a)?, |a, b| record::binary(op, a, b));
        }
        let mut windows = around.extend(name, a)?.windows(name, &around.first, &around.sizes)?;
        if let Some(footprint) = &around.footprint {
            let set = upload_to(a.device, footprint, Shape::from_slice(&around.sizes))?;
            windows = record::select(set.node(), &windows, Scalar::new(self.way == Way::Erode))?;
        }
        Ok(record::reduce(reduction, &windows, last_axes(a.shape.len())))
    }

    /// The step where the mask allows it.
    #[track_caller]
    fn within(&self, name: &str, a: &Arc<Node>, mask: Option<&Arc<Node>>) -> Result<Arc<Node>> {
        let next = self.apply(name, a)?;
        match mask {
            Some(mask) => record::select(mask, &next, a),
            None => Ok(next),
        }
    }
}

#[track_caller]
fn repeated(name: &str, a: &Arc<Node>, how: &Binary, way: Way) -> Result<Arc<Node>> {
    if how.iterations == 0 {
        return Err(Error::shape(format!("{name}: no iterations")));
    }
    let step = Step::new(name, a.shape.len(), how, way)?;
    let mask = how.mask_of(name, a)?;
    (0..how.iterations).try_fold(a.clone(), |a, _| step.within(name, &a, mask.as_ref()))
}

#[track_caller]
fn then(name: &str, a: &Arc<Node>, how: &Binary, ways: [Way; 2]) -> Result<Arc<Node>> {
    ways.iter().try_fold(a.clone(), |a, &way| repeated(name, &a, how, way))
}

/// Steps between two looks at whether anything has changed.
const AT_ONCE: usize = 8;

/// A dilation until nothing changes. Where the neighbours of neighbours are components, what the
/// array touches of each component of the mask is all of it; else it goes step by step.
#[track_caller]
fn propagated(name: &str, a: &DeviceArray<bool>, how: &Binary) -> Result<DeviceArray<bool>> {
    let step = Step::new(name, a.ndim(), how, Way::Dilate)?;
    let mask = how.mask_of(name, a.node())?;
    if a.is_empty() {
        return Ok(a.clone());
    }
    let structure = how.structure.of_rank(name, a.ndim())?;
    if let (Some(mask), true) = (&mask, is_mutual(&structure, &how.origins)) {
        let touched = DeviceArray::from_node(step.within(name, a.node(), Some(mask))?);
        let mask = DeviceArray::<bool>::from_node(mask.clone());
        return seeded(&roots(name, &mask, &structure)?, &touched);
    }
    let mut now = a.clone();
    loop {
        let mut next = now.node().clone();
        for _ in 0..AT_ONCE {
            next = step.within(name, &next, mask.as_ref())?;
        }
        let next = DeviceArray::<bool>::from_node(next);
        crate::eval(&[&next])?;
        if !next.try_not_equal(&now)?.any(..).item()? {
            return Ok(next);
        }
        now = next;
    }
}

/// Whether a structure says of every two elements the same both ways, from one element to the next
/// alone, and holds the element itself.
fn is_mutual(structure: &ArrayD<bool>, origins: &[isize]) -> bool {
    let mut turned = structure.clone();
    turned.invert_all();
    let center = IxDyn(&vec![1; structure.ndim()]);
    structure.shape().iter().all(|&n| n == 3)
        && turned == *structure
        && structure[center]
        && origins.iter().all(|&o| o == 0)
}

checked_fns! {
    /// The elements whose neighbours are all set.
    ///
    /// **Shape.** The array's. SciPy: `ndimage.binary_erosion`.
    example
    /// ```
    /// use lazuli::ndimage::binary_erosion;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[true, true, true, true, false, true])?;
    /// let inner = [false, true, true, false, false, false];
    /// assert_eq!(binary_erosion(&a, 1).to_vec()?, inner);
    /// # Ok::<(), Error>(())
    /// ```
    fn binary_erosion | try_binary_erosion(
        a: &DeviceArray<bool>,
        how: impl Into<Binary>,
    ) -> DeviceArray<bool> {
        repeated("binary_erosion", a.node(), &how.into(), Way::Erode).map(DeviceArray::from_node)
    }

    /// The elements that have a neighbour which is set.
    ///
    /// **Shape.** The array's. SciPy: `ndimage.binary_dilation`.
    example
    /// ```
    /// use lazuli::ndimage::binary_dilation;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[true, false, false, false])?;
    /// assert_eq!(binary_dilation(&a, 1).to_vec()?, [true, true, false, false]);
    /// # Ok::<(), Error>(())
    /// ```
    fn binary_dilation | try_binary_dilation(
        a: &DeviceArray<bool>,
        how: impl Into<Binary>,
    ) -> DeviceArray<bool> {
        repeated("binary_dilation", a.node(), &how.into(), Way::Dilate).map(DeviceArray::from_node)
    }

    /// An erosion and then a dilation, each as often as is asked for: what the structure does not fit
    /// into goes.
    ///
    /// **Shape.** The array's. SciPy: `ndimage.binary_opening`.
    example
    /// ```
    /// use lazuli::ndimage::binary_opening;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[true, false, true, true, true, false])?;
    /// assert_eq!(binary_opening(&a, 1).to_vec()?, [false, false, true, true, true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    fn binary_opening | try_binary_opening(
        a: &DeviceArray<bool>,
        how: impl Into<Binary>,
    ) -> DeviceArray<bool> {
        then("binary_opening", a.node(), &how.into(), [Way::Erode, Way::Dilate])
            .map(DeviceArray::from_node)
    }

    /// A dilation and then an erosion, each as often as is asked for: gaps into which the structure
    /// does not fit are closed.
    ///
    /// **Shape.** The array's. SciPy: `ndimage.binary_closing`.
    example
    /// ```
    /// use lazuli::ndimage::binary_closing;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[false, true, false, true, false, false])?;
    /// assert_eq!(binary_closing(&a, 1).to_vec()?, [false, true, true, true, false, false]);
    /// # Ok::<(), Error>(())
    /// ```
    fn binary_closing | try_binary_closing(
        a: &DeviceArray<bool>,
        how: impl Into<Binary>,
    ) -> DeviceArray<bool> {
        then("binary_closing", a.node(), &how.into(), [Way::Dilate, Way::Erode])
            .map(DeviceArray::from_node)
    }

    /// The elements around which all of one structure is set and nothing of another.
    ///
    /// **Shape.** The array's. What is beyond the edges is not set; iterations and masks are not
    /// asked. SciPy: `ndimage.binary_hit_or_miss`.
    example
    /// ```
    /// use lazuli::ndimage::binary_hit_or_miss;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[true, true, false, true, false])?;
    /// let alone = [ndarray::array![false, true, false], ndarray::array![true, false, true]];
    /// let [hit, miss] = alone;
    /// let found = binary_hit_or_miss(&a, hit, miss);
    /// assert_eq!(found.to_vec()?, [false, false, false, true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    fn binary_hit_or_miss | try_binary_hit_or_miss(
        a: &DeviceArray<bool>,
        hit: impl Into<Binary>,
        miss: impl Into<Binary>,
    ) -> DeviceArray<bool> {
        const NAME: &str = "binary_hit_or_miss";
        let step = |how: Binary, way: Way| {
            let structure = how.structure.of_rank(NAME, a.ndim())?;
            let placement = Placement::new(Border::Constant(0.0)).origin(how.origins);
            Step::over(NAME, structure, placement, way)?.apply(NAME, a.node())
        };
        let (hit, miss) = (step(hit.into(), Way::Erode)?, step(miss.into(), Way::Dilate)?);
        let clear = record::unary(Op::LogicalNot, &miss);
        record::binary(Op::LogicalAnd, &hit, &clear).map(DeviceArray::from_node)
    }
}

/// The array dilated until nothing changes: with a mask, all of the mask that is connected with what
/// is set. Iterations are not asked.
///
/// **Shape.** The array's. **Laziness.** Evaluates. SciPy: `ndimage.binary_propagation`,
/// `ndimage.binary_dilation(iterations=-1)`.
///
/// # Errors
/// [`Error::is_shape`] where the structure or the mask does not fit the array, and what an evaluation
/// fails with.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Binary, binary_propagation};
/// use lazuli::prelude::*;
/// let seeds = DeviceArray::from_slice(&[false, true, false, false, false, false])?;
/// let mask = DeviceArray::from_slice(&[true, true, true, false, true, true])?;
/// let filled = binary_propagation(&seeds, Binary::new(1).mask(&mask))?;
/// assert_eq!(filled.to_vec()?, [true, true, true, false, false, false]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn binary_propagation(
    a: &DeviceArray<bool>,
    how: impl Into<Binary>,
) -> Result<DeviceArray<bool>> {
    located(propagated("binary_propagation", a, &how.into()))
}

/// The array with its holes filled: what is not set and not connected with what is beyond the edges.
///
/// **Shape.** The array's. **Laziness.** Evaluates. SciPy: `ndimage.binary_fill_holes`.
///
/// # Errors
/// [`Error::is_shape`] where the structure does not fit the array, and what an evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::ndimage::binary_fill_holes;
/// use lazuli::prelude::*;
///
/// let ring = DeviceArray::from_vec([3, 3], vec![1, 1, 1, 1, 0, 1, 1, 1, 1])?;
/// assert!(binary_fill_holes(&ring.not_equal(0), 1)?.all(..).item()?);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn binary_fill_holes(
    a: &DeviceArray<bool>,
    structure: impl Into<Connectivity>,
) -> Result<DeviceArray<bool>> {
    let open = DeviceArray::from_node(record::unary(Op::LogicalNot, a.node()));
    let none = record::full(Scalar::new(false), a.node().shape.clone(), a.device());
    let how = Binary::new(structure).beyond(true).mask(&open);
    let outside = located(propagated("binary_fill_holes", &DeviceArray::from_node(none), &how))?;
    Ok(DeviceArray::from_node(record::unary(Op::LogicalNot, outside.node())))
}

/// A structure dilated with itself: its neighbours, their neighbours and so on, `iterations` deep.
///
/// SciPy: `ndimage.iterate_structure`.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Connectivity, iterate_structure};
/// let cross = Connectivity::from(1).structure(2)?;
/// let diamond = iterate_structure(&cross, 2);
/// assert_eq!(diamond.shape(), [5, 5]);
/// assert_eq!(diamond.iter().filter(|&&set| set).count(), 13);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn iterate_structure(structure: &ArrayD<bool>, iterations: usize) -> ArrayD<bool> {
    let once = structure;
    (1..iterations).fold(structure.clone(), |all, _| {
        let shape: Vec<usize> =
            all.shape().iter().zip(once.shape()).map(|(a, b)| (a + b).saturating_sub(1)).collect();
        let mut next = ArrayD::from_elem(IxDyn(&shape), false);
        let set = |a: &ArrayD<bool>| -> Vec<IxDyn> {
            a.indexed_iter().filter(|(_, set)| **set).map(|(at, _)| at).collect()
        };
        for a in set(&all) {
            for b in set(once) {
                let at: Vec<usize> = (0..shape.len()).map(|k| a[k] + b[k]).collect();
                next[IxDyn(&at)] = true;
            }
        }
        next
    })
}
