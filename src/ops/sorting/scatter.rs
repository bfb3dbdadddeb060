//! Values scattered to positions.

use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked, or_panic, record};
use crate::backend::Device;
use crate::dtype::{Element, Number, Ordered};
use crate::error::{Error, Result};
use crate::eval::{Pending, evaluate_between_assignments, is_recording};
use crate::graph::{Arg, Node, NodeOp};
use crate::library::Library;
use crate::library::sort::{Combine, Scatter, Sorting};
use crate::ops::index::Positions;
use crate::ops::movement::broadcast_to;
use crate::shape::Shape;
use smallvec::smallvec;
use std::sync::Arc;

/// How values are scattered.
#[derive(Clone, Copy)]
pub(in crate::ops) struct How {
    pub name: &'static str,
    pub combine: Combine,
    ordered: bool,
}

impl How {
    pub(in crate::ops) fn new(name: &'static str, combine: Combine) -> How {
        How { name, combine, ordered: true }
    }
}

/// The values as an array of the shape that they come to have.
pub(in crate::ops) fn spread(
    how: How,
    a: &Arc<Node>,
    values: Arg,
    shape: Shape,
) -> Result<Arc<Node>> {
    match values {
        Arg::Scalar(value) => Ok(record::full(value, shape, a.device)),
        Arg::Node(values) if values.device.differs(a.device) => {
            Err(record::devices_differ(how.name, a.device, values.device))
        }
        Arg::Node(values) => broadcast_to(how.name, &values, shape),
    }
}

/// Records a scatter; there is a value.
pub(in crate::ops) fn recorded(
    how: How,
    a: &Arc<Node>,
    axis: usize,
    (positions, shared): (&Arc<Node>, bool),
    (values, count): (&Arc<Node>, usize),
) -> Arc<Node> {
    let call = Scatter {
        name: how.name,
        axis,
        dtype: a.dtype,
        outer: a.shape[..axis].iter().product(),
        len: a.shape[axis],
        inner: a.shape[axis + 1..].iter().product(),
        count,
        shared,
        combine: how.combine,
        ordered: how.ordered,
    };
    if count.saturating_mul(FEW) <= a.len() && is_scattered(a) && !is_recording() {
        // Should it fail, the array stays recorded, and whoever asks for its data gets the error.
        let _ = evaluate_between_assignments(a, Pending::Together);
    }
    let args = smallvec![Arg::from(a), Arg::from(positions), Arg::from(values)];
    record::library(Library::Sort(Sorting::Scatter(call)), args, a.shape.clone(), a.device)
}

/// Where at most one in so many elements gets a value, a scatter upon another waits for that one: it
/// then writes in its array, where it would copy all of it.
const FEW: usize = 8;

/// Whether an array is a scatter that the processor has yet to do.
fn is_scattered(a: &Node) -> bool {
    let NodeOp::Library(call) = &a.op else { return false };
    let is_scatter = matches!(**call, Library::Sort(Sorting::Scatter(_)));
    is_scatter && !a.is_evaluated() && a.device == Device::cpu()
}

fn no_place(how: How, a: &Arc<Node>, axis: usize) -> Error {
    let (name, shape) = (how.name, &a.shape);
    Error::shape(format!("{name}: axis {axis} of shape {shape:?} has no place for a value"))
}

/// Values at positions of an axis, the same for all other positions.
#[track_caller]
fn at<T: Element>(
    how: How,
    a: &DeviceArray<T>,
    positions: impl Positions,
    values: Arg,
    axis: isize,
) -> Result<DeviceArray<T>> {
    let axis = a.axis(how.name, axis)?;
    let positions = positions.positions(how.name, a.shape()[axis], a.device())?;
    let mut shape = Shape::from_slice(&a.shape()[..axis]);
    shape.extend_from_slice(positions.shape());
    shape.extend_from_slice(&a.shape()[axis + 1..]);
    let values = spread(how, a.node(), values, shape)?;
    if values.len() == 0 {
        return Ok(a.clone());
    }
    if a.shape()[axis] == 0 {
        return Err(no_place(how, a.node(), axis));
    }
    let count = positions.len();
    let node = recorded(how, a.node(), axis, (positions.node(), true), (&values, count));
    Ok(DeviceArray::from_node(node))
}

/// Values at positions along an axis that are given for each value.
#[track_caller]
fn along<T: Element>(
    how: How,
    a: &DeviceArray<T>,
    positions: &DeviceArray<i64>,
    values: Arg,
    axis: isize,
) -> Result<DeviceArray<T>> {
    let axis = a.axis(how.name, axis)?;
    if positions.device().differs(a.device()) {
        return Err(record::devices_differ(how.name, a.device(), positions.device()));
    }
    if positions.ndim() != a.ndim() {
        let (own, other) = (a.shape(), positions.shape());
        return Err(Error::shape(format!(
            "{}: shapes {own:?} and {other:?} do not fit along axis {axis}",
            how.name
        )));
    }
    let mut shape = a.node().shape.clone();
    let count = positions.shape()[axis];
    shape[axis] = count;
    let positions = broadcast_to(how.name, positions.node(), shape.clone())?;
    let values = spread(how, a.node(), values, shape)?;
    if values.len() == 0 {
        return Ok(a.clone());
    }
    if a.shape()[axis] == 0 {
        return Err(no_place(how, a.node(), axis));
    }
    let node = recorded(how, a.node(), axis, (&positions, false), (&values, count));
    Ok(DeviceArray::from_node(node))
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The array with values at the given positions of an axis; the array itself stays as it
        /// is. Where a position comes twice, the last value stays.
        ///
        /// Negative positions count from the end. One that is out of range is an error that names
        /// it: here where the positions are on the host, else when the result is evaluated, which
        /// then fails and leaves every array as it was.
        ///
        /// **Shape.** The array's; the values broadcast to it with the axis replaced by the axes of
        /// the positions, as [`take`](Self::take) has them. NumPy: a copy, then
        /// `a[:, positions] = values`, or `put`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::zeros([2, 3]);
        /// let values = DeviceArray::from_slice(&[7, 8])?;
        /// assert_eq!(a.with_put([2, 0], &values, 1).to_vec()?, [8, 0, 7, 8, 0, 7]);
        /// # Ok::<(), Error>(())
        /// ```
        fn with_put | try_with_put(
            &self,
            positions: impl Positions,
            values: impl Operand<T>,
            axis: isize,
        ) -> DeviceArray<T> {
            at(How::new("with_put", Combine::Put), self, positions, arg(values, self.device())?, axis)
        }

        /// The array with values at positions along an axis that are given for each of them; the
        /// array itself stays as it is. Positions as in [`with_put`](Self::with_put).
        ///
        /// **Shape.** The array's. The positions broadcast to it, except along the axis, and the
        /// values to the positions. NumPy: a copy, then `put_along_axis`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![3, 1, 5, 7])?;
        /// let smallest = a.argmin(keep(1));
        /// assert_eq!(a.with_put_along_axis(&smallest, 0, 1).to_vec()?, [3, 0, 0, 7]);
        /// # Ok::<(), Error>(())
        /// ```
        fn with_put_along_axis | try_with_put_along_axis(
            &self,
            positions: &DeviceArray<i64>,
            values: impl Operand<T>,
            axis: isize,
        ) -> DeviceArray<T> {
            along(
                How::new("with_put_along_axis", Combine::Put),
                self,
                positions,
                arg(values, self.device())?,
                axis,
            )
        }
    }

    /// Puts values to the given positions of an axis: NumPy's `a[:, positions] = values`.
    ///
    /// This handle gets the new array, as [`with_put`](Self::with_put) makes it; other handles keep
    /// what they have. **Laziness.** Records; nothing is computed, but of few values that are put to
    /// an array again and again each put is evaluated before the next, in place.
    ///
    /// # Panics
    /// Where positions on the host are out of range or the values do not fit;
    /// [`try_with_put`](Self::try_with_put) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::<i32>::zeros(3);
    /// a.put([-1], 7, 0);
    /// assert_eq!(a.to_vec()?, [0, 0, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn put(&mut self, positions: impl Positions, values: impl Operand<T>, axis: isize) {
        let how = How::new("put", Combine::Put);
        let values = arg(values, self.device());
        *self = or_panic(values.and_then(|values| at(how, self, positions, values, axis)));
    }

    /// Puts values to positions along an axis that are given for each of them: NumPy's
    /// `put_along_axis`.
    ///
    /// This handle gets the new array, as [`with_put_along_axis`](Self::with_put_along_axis) makes
    /// it; other handles keep what they have. **Laziness.** Records; nothing is computed.
    ///
    /// # Panics
    /// Where the values do not fit; [`try_with_put_along_axis`](Self::try_with_put_along_axis)
    /// returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::from_slice(&[3, 1, 2])?;
    /// a.put_along_axis(&a.argmax(keep(0)), 0, 0);
    /// assert_eq!(a.to_vec()?, [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn put_along_axis(
        &mut self,
        positions: &DeviceArray<i64>,
        values: impl Operand<T>,
        axis: isize,
    ) {
        let how = How::new("put_along_axis", Combine::Put);
        let values = arg(values, self.device());
        *self = or_panic(values.and_then(|values| along(how, self, positions, values, axis)));
    }
}

impl<T: Number> DeviceArray<T> {
    checked! {
        /// The array with values added at the given positions of an axis; a position that comes
        /// several times gets all of its values. The array itself stays as it is.
        ///
        /// The values of a place are added in their order, so that the result has the same bits on
        /// every run; [`scatter_add_unordered`](Self::scatter_add_unordered) is faster for floats
        /// on a GPU. Positions as in [`with_put`](Self::with_put).
        ///
        /// **Shape.** As [`with_put`](Self::with_put). **Dtype.** The array's; integers wrap, and
        /// halves are added in `f32` and rounded once. NumPy: a copy, then
        /// `add.at(a, positions, values)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let bins = DeviceArray::<i64>::zeros(3);
        /// let found = DeviceArray::from_slice(&[0, 2, 2, 2])?;
        /// assert_eq!(bins.scatter_add(&found, 1, 0).to_vec()?, [1, 0, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn scatter_add | try_scatter_add(
            &self,
            positions: impl Positions,
            values: impl Operand<T>,
            axis: isize,
        ) -> DeviceArray<T> {
            at(How::new("scatter_add", Combine::Add), self, positions, arg(values, self.device())?, axis)
        }

        /// As [`scatter_add`](Self::scatter_add), with the values of a place added in any order:
        /// on a GPU the last bits of `f32` and `f64` may differ from run to run.
        ///
        /// **Shape.**, **Dtype.** As there. NumPy: `add.at`.
        #[doc(alias = "add.at")]
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let bins = DeviceArray::<f32>::zeros(2);
        /// let found = DeviceArray::from_slice(&[1, 1])?;
        /// assert_eq!(bins.scatter_add_unordered(&found, 0.5, 0).to_vec()?, [0.0, 1.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn scatter_add_unordered | try_scatter_add_unordered(
            &self,
            positions: impl Positions,
            values: impl Operand<T>,
            axis: isize,
        ) -> DeviceArray<T> {
            let how = How { name: "scatter_add_unordered", combine: Combine::Add, ordered: false };
            at(how, self, positions, arg(values, self.device())?, axis)
        }

        /// The array with values multiplied in at the given positions of an axis, as
        /// [`scatter_add`](Self::scatter_add) adds them.
        ///
        /// **Shape.**, **Dtype.** As there. NumPy: a copy, then `multiply.at`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 2])?;
        /// assert_eq!(a.scatter_multiply([1, 1], 3, 0).to_vec()?, [1, 18]);
        /// # Ok::<(), Error>(())
        /// ```
        fn scatter_multiply | try_scatter_multiply(
            &self,
            positions: impl Positions,
            values: impl Operand<T>,
            axis: isize,
        ) -> DeviceArray<T> {
            at(How::new("scatter_multiply", Combine::Multiply), self, positions, arg(values, self.device())?, axis)
        }

        /// As [`scatter_add`](Self::scatter_add), at positions along the axis that are given for
        /// each value.
        ///
        /// **Shape.** As [`with_put_along_axis`](Self::with_put_along_axis). **Dtype.** As there.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![3, 1, 5, 7])?;
        /// let largest = a.argmax(keep(1));
        /// assert_eq!(a.scatter_add_along_axis(&largest, 10, 1).to_vec()?, [13, 1, 5, 17]);
        /// # Ok::<(), Error>(())
        /// ```
        fn scatter_add_along_axis | try_scatter_add_along_axis(
            &self,
            positions: &DeviceArray<i64>,
            values: impl Operand<T>,
            axis: isize,
        ) -> DeviceArray<T> {
            let how = How::new("scatter_add_along_axis", Combine::Add);
            along(how, self, positions, arg(values, self.device())?, axis)
        }
    }
}

impl<T: Ordered> DeviceArray<T> {
    checked! {
        /// The array with, at the given positions of an axis, the smallest of what is there and the
        /// values that come there; NaN wins. Positions as in [`with_put`](Self::with_put).
        ///
        /// **Shape.** As [`with_put`](Self::with_put). NumPy: a copy, then `minimum.at`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[5, 5])?;
        /// let values = DeviceArray::from_slice(&[7, 3, 4])?;
        /// assert_eq!(a.scatter_min([0, 1, 1], &values, 0).to_vec()?, [5, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn scatter_min | try_scatter_min(
            &self,
            positions: impl Positions,
            values: impl Operand<T>,
            axis: isize,
        ) -> DeviceArray<T> {
            at(How::new("scatter_min", Combine::Min), self, positions, arg(values, self.device())?, axis)
        }

        /// The array with, at the given positions of an axis, the largest of what is there and the
        /// values that come there; NaN wins. Positions as in [`with_put`](Self::with_put).
        ///
        /// **Shape.** As [`with_put`](Self::with_put). NumPy: a copy, then `maximum.at`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[5, 5])?;
        /// let values = DeviceArray::from_slice(&[7, 3, 4])?;
        /// assert_eq!(a.scatter_max([0, 1, 1], &values, 0).to_vec()?, [7, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn scatter_max | try_scatter_max(
            &self,
            positions: impl Positions,
            values: impl Operand<T>,
            axis: isize,
        ) -> DeviceArray<T> {
            at(How::new("scatter_max", Combine::Max), self, positions, arg(values, self.device())?, axis)
        }
    }
}
