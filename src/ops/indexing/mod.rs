//! Elements at several index arrays, masks and ranges together, as NumPy's `a[i, :, j]` has them:
//! taken, put and combined.

mod diagonals;
mod entries;
mod plan;
mod positions;

pub use diagonals::{
    diag_indices, mask_indices, tril_indices, triu_indices, try_diag_indices, try_tril_indices,
    try_triu_indices,
};
pub use entries::{Ellipsis, Index, IndexEntry};
pub use positions::{
    choose, choose_clipped, ravel_multi_index, try_choose, try_choose_clipped,
    try_ravel_multi_index, try_unravel_index, unravel_index,
};

use super::slice::{assign, slice};
use super::sorting::{How, counts_from_start, recorded, spread};
use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, located, record};
use crate::dtype::{Element, Number, Ordered};
use crate::error::Result;
use crate::graph::{Arg, Args, Node, NodeOp};
use crate::library::sort::Combine;
use crate::shape;
use crate::table::Op;
use plan::Plan;
use smallvec::smallvec;
use std::sync::Arc;

/// The elements that an index says.
#[track_caller]
fn taken<T: Element>(a: &DeviceArray<T>, at: impl Index) -> Result<Arc<Node>> {
    const NAME: &str = "index";
    let plan = Plan::new(NAME, a, at.entries()?)?;
    let region = slice(NAME, a.node(), &plan.region)?;
    if plan.is_slice() {
        return Ok(region);
    }
    let line = plan.lined_up(&region);
    let shape = plan.result(NAME, &line.shape)?;
    if shape::len(&shape) == 0 {
        return Ok(record::full(record::number(a.node(), 0.0), shape, a.device()));
    }
    let positions = plan.positions(&region.shape)?;
    let from_start = counts_from_start(&positions);
    let op = NodeOp::Take { axis: plan.axis() as u8, from_start };
    let args: Args = smallvec![Arg::Node(line), Arg::Node(positions)];
    Ok(record::record(op, args, shape, T::DTYPE, a.device()))
}

/// The array with values put to, or combined with, the elements that an index says.
#[track_caller]
fn put<T: Element>(
    how: How,
    a: &DeviceArray<T>,
    at: impl Index,
    values: Arg,
) -> Result<DeviceArray<T>> {
    let plan = Plan::new(how.name, a, at.entries()?)?;
    if plan.is_slice() {
        return combined(how, a.node(), &plan, values).map(DeviceArray::from_node);
    }
    let region = slice(how.name, a.node(), &plan.region)?;
    let line = plan.lined_up(&region);
    let values = spread(how, a.node(), values, plan.result(how.name, &line.shape)?)?;
    if values.len() == 0 {
        return Ok(a.clone());
    }
    let positions = plan.positions(&region.shape)?;
    let count = positions.len();
    let positions = record::reshape(&positions, smallvec![count]);
    let mut shape = line.shape.clone();
    shape[plan.axis()] = count;
    let values = record::reshape(&values, shape);
    let line = recorded(how, &line, plan.axis(), (&positions, true), (&values, count));
    let region = plan.put_back(&line, &region.shape);
    let whole = match plan.is_whole {
        true => region,
        false => assign(how.name, a.node(), &plan.region, Arg::Node(region))?,
    };
    Ok(DeviceArray::from_node(whole))
}

/// The array with values put to, or combined with, a region, no element of which comes twice.
#[track_caller]
fn combined(how: How, a: &Arc<Node>, plan: &Plan, values: Arg) -> Result<Arc<Node>> {
    let op = match how.combine {
        Combine::Put => return assign(how.name, a, &plan.region, values),
        Combine::Add => Op::Add,
        Combine::Multiply => Op::Multiply,
        Combine::Min => Op::Minimum,
        Combine::Max => Op::Maximum,
    };
    let region = slice(how.name, a, &plan.region)?;
    let values = spread(how, a, values, region.shape.clone())?;
    let region = record::binary(op, &region, &values)?;
    assign(how.name, a, &plan.region, Arg::Node(region))
}

/// As [`put`], of an operand.
#[track_caller]
fn put_on<T: Element>(
    how: How,
    a: &DeviceArray<T>,
    at: impl Index,
    values: impl Operand<T>,
) -> Result<DeviceArray<T>> {
    put(how, a, at, arg(values, a.device())?)
}

impl<T: Element> DeviceArray<T> {
    /// The elements that an index says: positions, ranges, arrays of positions and masks, an entry
    /// for each axis; NumPy's `a[i, j]`, `a[:, mask]`, `a[..., 0]`.
    ///
    /// Arrays of positions broadcast against each other and are read together, so that `(i, j)`
    /// gives the elements `a[i[k], j[k]]`. A mask stands for the positions at which it is true,
    /// whole numbers beside arrays for arrays without axes. Axes that are not mentioned are taken
    /// whole, behind the others or where [`Ellipsis`] stands.
    ///
    /// A position that is out of range is an error that names it: here where it is known on the
    /// host, else when the result is evaluated. Of arrays on a device the check is a pass over them
    /// and a wait for its answer.
    ///
    /// **Shape.** An axis for each range and each new axis. The axes of the arrays stand where the
    /// first array stands; where ranges, new axes or an ellipsis stand between arrays, they are the
    /// first ones. **Dtype.** The array's. **Laziness.** Records, a view where there are no arrays;
    /// masks are evaluated, since the shape depends on them. NumPy: `a[…]`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the index does not fit the array,
    /// [`Error::is_device`](crate::Error::is_device) where its arrays live on another device; what
    /// the evaluation of masks fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::arange_to(12).reshape([3, 4]);
    /// let (i, j) = (DeviceArray::from_slice(&[0, 2])?, DeviceArray::from_slice(&[1, -1])?);
    /// assert_eq!(a.index((&i, &j))?.to_vec()?, [1, 11]);
    /// assert_eq!(a.index((&i.insert_axis(1), [1, 2]))?.to_vec()?, [1, 2, 9, 10]);
    /// let mask = DeviceArray::from_slice(&[false, true, true])?;
    /// assert_eq!(a.index((&mask, 2..))?.to_vec()?, [6, 7, 10, 11]);
    /// assert_eq!(a.index((Ellipsis, 0))?.to_vec()?, [0, 4, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn index(&self, at: impl Index) -> Result<DeviceArray<T>> {
        located(taken(self, at)).map(DeviceArray::from_node)
    }

    /// The array with values in place of the elements that an index says, as [`index`](Self::index)
    /// reads them; the array itself stays as it is. Where an element comes twice, the last value
    /// stays.
    ///
    /// **Shape.** The array's; the values broadcast to what `index` gives. **Laziness.** Records;
    /// masks are evaluated. NumPy: a copy, then `a[…] = values`.
    ///
    /// # Errors
    /// As [`index`](Self::index), and [`Error::is_shape`](crate::Error::is_shape) where the values do
    /// not fit.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::zeros([2, 3]);
    /// assert_eq!(a.with_index(([0, 1], [2, 0]), 7)?.to_vec()?, [0, 0, 7, 7, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn with_index(&self, at: impl Index, values: impl Operand<T>) -> Result<DeviceArray<T>> {
        located(put_on(How::new("with_index", Combine::Put), self, at, values))
    }

    /// Puts values in place of the elements that an index says: NumPy's `a[…] = values`.
    ///
    /// This handle gets the new array, as [`with_index`](Self::with_index) makes it; other handles
    /// keep what they have. **Laziness.** Records; masks are evaluated.
    ///
    /// # Errors
    /// As [`with_index`](Self::with_index); the array then stays as it was.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::<i32>::zeros([2, 2]);
    /// a.assign_index((Ellipsis, [0]), 5)?;
    /// assert_eq!(a.to_vec()?, [5, 0, 5, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn assign_index(&mut self, at: impl Index, values: impl Operand<T>) -> Result<()> {
        *self = located(put_on(How::new("assign_index", Combine::Put), self, at, values))?;
        Ok(())
    }
}

impl<T: Number> DeviceArray<T> {
    /// The array with values added to the elements that an index says; an element that comes several
    /// times gets all of its values, in their order. The array itself stays as it is.
    ///
    /// **Shape.**, **Laziness.** As [`with_index`](Self::with_index). **Dtype.** As
    /// [`scatter_add`](Self::scatter_add). NumPy: a copy, then `add.at(a, (…), values)`.
    ///
    /// # Errors
    /// As [`with_index`](Self::with_index).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::zeros([2, 2]);
    /// assert_eq!(a.scatter_add_at(([0, 0, 1], [1, 1, 0]), 1)?.to_vec()?, [0, 2, 1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn scatter_add_at(
        &self,
        at: impl Index,
        values: impl Operand<T>,
    ) -> Result<DeviceArray<T>> {
        located(put_on(How::new("scatter_add_at", Combine::Add), self, at, values))
    }

    /// The array with values multiplied into the elements that an index says, as
    /// [`scatter_add_at`](Self::scatter_add_at) adds them.
    ///
    /// **Shape.**, **Dtype.**, **Laziness.** As there. NumPy: a copy, then `multiply.at`.
    ///
    /// # Errors
    /// As [`with_index`](Self::with_index).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::ones([2, 2]);
    /// assert_eq!(a.scatter_multiply_at(([0, 0], [1, 1]), 3)?.to_vec()?, [1, 9, 1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn scatter_multiply_at(
        &self,
        at: impl Index,
        values: impl Operand<T>,
    ) -> Result<DeviceArray<T>> {
        located(put_on(How::new("scatter_multiply_at", Combine::Multiply), self, at, values))
    }
}

impl<T: Ordered> DeviceArray<T> {
    /// The array with, at the elements that an index says, the smallest of what is there and the
    /// values that come there; NaN wins.
    ///
    /// **Shape.**, **Laziness.** As [`with_index`](Self::with_index). NumPy: a copy, then
    /// `minimum.at`.
    ///
    /// # Errors
    /// As [`with_index`](Self::with_index).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::zeros([2, 2]);
    /// assert_eq!(a.scatter_min_at((0, [0, 1]), -3)?.to_vec()?, [-3, -3, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn scatter_min_at(
        &self,
        at: impl Index,
        values: impl Operand<T>,
    ) -> Result<DeviceArray<T>> {
        located(put_on(How::new("scatter_min_at", Combine::Min), self, at, values))
    }

    /// The array with, at the elements that an index says, the largest of what is there and the
    /// values that come there; NaN wins.
    ///
    /// **Shape.**, **Laziness.** As [`with_index`](Self::with_index). NumPy: a copy, then
    /// `maximum.at`.
    ///
    /// # Errors
    /// As [`with_index`](Self::with_index).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<i32>::zeros([2, 2]);
    /// assert_eq!(a.scatter_max_at((.., [1, 1]), 3)?.to_vec()?, [0, 3, 0, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn scatter_max_at(
        &self,
        at: impl Index,
        values: impl Operand<T>,
    ) -> Result<DeviceArray<T>> {
        located(put_on(How::new("scatter_max_at", Combine::Max), self, at, values))
    }
}
