//! Slices: reading a region, and replacing one.
//!
//! An assignment records the array with a value in place of a region; whether it runs in place is
//! found when it is evaluated (`plan/in_place.rs`). From the ninth assignment to small regions of
//! one array on, each is evaluated before the next is recorded ([`LONG_RUN`]): together they would
//! be kernels over the whole array that choose between the regions, planned anew for every position
//! in time that grows with the square of their number.

use super::movement::broadcast_to;
use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked, numbers, or_panic, record};
use crate::backend::Device;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::eval::{Pending, evaluate_between_assignments, is_recording, write_number};
use crate::graph::{Arg, Args, AxisMap, LONG_RUN, Node, NodeOp, Region, View};
use crate::shape::{self, Shape, checked_len};
use ndarray::SliceInfoElem;
use smallvec::SmallVec;
use std::sync::Arc;

/// What a slice does to one axis of the array, or the new axis that it inserts.
enum Part {
    /// From `start` in steps of `step`, `len` positions, as an axis of the result.
    Range { start: i64, step: i64, len: usize },
    /// One position; the axis disappears.
    Index(i64),
    /// A new axis of length 1.
    New,
}

/// Resolves a slice against a shape. Axes that the slice does not mention are taken whole.
fn resolve(name: &str, shape: &[usize], slice: &[SliceInfoElem]) -> Result<SmallVec<[Part; 4]>> {
    let mut parts = SmallVec::new();
    let mut axis = 0;
    for element in slice {
        let Some(&n) = shape
            .get(axis)
            .or(Some(&0))
            .filter(|_| axis < shape.len() || matches!(element, SliceInfoElem::NewAxis))
        else {
            return Err(Error::shape(format!(
                "{name}: the slice has more entries than shape {shape:?} has axes"
            )));
        };
        let part = match *element {
            SliceInfoElem::NewAxis => Some(Part::New),
            SliceInfoElem::Index(index) => index_of(index, n).map(Part::Index),
            SliceInfoElem::Slice { step: 0, .. } => {
                return Err(Error::shape(format!(
                    "{name}: the step on axis {axis} of shape {shape:?} is 0"
                )));
            }
            SliceInfoElem::Slice { start, end, step } => Some(range_of(start, end, step, n)),
        };
        parts.push(part.ok_or_else(|| {
            Error::shape(format!(
                "{name}: {} is out of bounds on axis {axis} of shape {shape:?}",
                written(element)
            ))
        })?);
        axis += usize::from(!matches!(element, SliceInfoElem::NewAxis));
    }
    parts.extend(shape[axis..].iter().map(|&len| Part::Range { start: 0, step: 1, len }));
    Ok(parts)
}

fn index_of(index: isize, n: usize) -> Option<i64> {
    let i = if index < 0 { index + n as isize } else { index };
    (0 <= i && i < n as isize).then_some(i as i64)
}

/// An entry of a slice as `s!` takes it.
fn written(element: &SliceInfoElem) -> String {
    match *element {
        SliceInfoElem::Index(index) => index.to_string(),
        SliceInfoElem::NewAxis => "NewAxis".into(),
        SliceInfoElem::Slice { start, end, step } => {
            let start = if start == 0 { String::new() } else { start.to_string() };
            let end = end.map(|end| end.to_string()).unwrap_or_default();
            let step = if step == 1 { String::new() } else { format!(";{step}") };
            format!("{start}..{end}{step}")
        }
    }
}

/// A range as `ndarray` reads it, a negative step walking the same range from its end, but with
/// bounds beyond the axis cut to it, as NumPy does.
fn range_of(start: isize, end: Option<isize>, step: isize, n: usize) -> Part {
    let n = n as isize;
    let absolute = |i: isize| if i < 0 { i.saturating_add(n).max(0) } else { i.min(n) };
    let (start, end) = (absolute(start), absolute(end.unwrap_or(n)));
    let length = (end - start).max(0) as usize;
    let len = length.div_ceil(step.unsigned_abs());
    let first = if step < 0 && len > 0 { end - 1 } else { start };
    // Where there is no second element, a step of any size is as good as one of 1.
    let step = if len > 1 { step } else { step.signum() };
    Part::Range { start: first as i64, step: step as i64, len }
}

/// Reads the region.
#[track_caller]
pub(super) fn slice(name: &str, a: &Arc<Node>, slice: &[SliceInfoElem]) -> Result<Arc<Node>> {
    let parts = resolve(name, &a.shape, slice)?;
    if let Some(number) = number(a, &parts) {
        return Ok(number);
    }
    let mut shape = Shape::new();
    let mut view = View(SmallVec::new());
    for part in &parts {
        match *part {
            Part::Range { start, step, len } => {
                view.0.push(AxisMap::affine(shape.len(), start, step));
                shape.push(len);
            }
            Part::Index(index) => view.0.push(AxisMap::fixed(index)),
            Part::New => shape.push(1),
        }
    }
    checked_len(name, &shape)?;
    Ok(record::view(a, view, shape))
}

/// The number that one position along each axis takes out of an array, where it is there.
#[track_caller]
fn number(a: &Arc<Node>, parts: &[Part]) -> Option<Arc<Node>> {
    numbers::element(a, position(a, parts)?, a.is_in_long_run())
}

/// The place in C order of the element that one position along each axis is.
fn position(a: &Node, parts: &[Part]) -> Option<usize> {
    let mut at = 0;
    for (part, &len) in parts.iter().zip(&a.shape) {
        let Part::Index(index) = *part else { return None };
        at = at * len + index as usize;
    }
    (parts.len() == a.shape.len() && !parts.is_empty()).then_some(at)
}

/// Writes a number in place of an element, in a long run of assignments, where nobody else sees the
/// array; says whether that was done.
fn is_written(a: &Arc<Node>, slice: &[SliceInfoElem], value: &Arg) -> bool {
    a.is_in_long_run()
        && a.is_evaluated()
        && numbers::given_as(value).is_some_and(|number| {
            let parts = resolve("assign", &a.shape, slice).ok();
            let at = parts.and_then(|parts| position(a, &parts));
            at.is_some_and(|at| write_number(a, at, number))
        })
}

/// Records the array with a value in place of the region.
#[track_caller]
pub(super) fn assign(
    name: &str,
    a: &Arc<Node>,
    slice: &[SliceInfoElem],
    value: Arg,
) -> Result<Arc<Node>> {
    let parts = resolve(name, &a.shape, slice)?;
    let mut starts: SmallVec<[usize; 4]> = SmallVec::new();
    let (mut steps, mut lens) = (starts.clone(), starts.clone());
    for part in &parts {
        let (start, step, len) = match *part {
            // A region goes forwards; the value is turned round instead.
            Part::Range { start, step, len } if step < 0 => {
                (start + (len as i64 - 1).max(0) * step, -step, len)
            }
            Part::Range { start, step, len } => (start, step, len),
            Part::Index(index) => (index, 1, 1),
            Part::New => continue,
        };
        starts.push(start as usize);
        steps.push(step as usize);
        lens.push(len);
    }
    let value = match value {
        Arg::Scalar(_) => value,
        Arg::Node(node) => match numbers::number_of(&node) {
            Some(number) if node.device == a.device => Arg::Scalar(number),
            _ => Arg::Node(fitted(name, a, &parts, &node)?),
        },
    };
    if lens.contains(&0) {
        return Ok(a.clone());
    }
    let mut args = Args::new();
    args.push(a.into());
    args.push(value);
    let region = Region { starts, steps, lens };
    let run = if is_small(&region, a) { a.assignments().saturating_add(1) } else { 0 };
    if run > LONG_RUN && !a.is_evaluated() && !is_recording() {
        // Should it fail, the array stays recorded, and whoever asks for its data gets the error.
        let begins = run == LONG_RUN + 1;
        let pending = if begins { Pending::Singly } else { Pending::Together };
        let _ = evaluate_between_assignments(a, pending);
    }
    let op = NodeOp::Assign(Box::new(region));
    let node = record::record(op, args, a.shape.clone(), a.dtype, a.device);
    node.set_assignments(run);
    Ok(node)
}

/// A region is small where it has at most one in so many of the array's elements.
const SMALL_REGION: usize = 8;
/// The same where a region has steps, on the processor. Together with others it would be written by asking
/// at each element of the array whether it is one of the region's.
const STEPPED_REGION: usize = 2;
/// A small region takes at most one in so many lines of the array's memory. A column of rows of 16
/// numbers takes half of them, and is still written sooner than all rows are chosen from.
const FEW_LINES: usize = 2;
/// Arrays of more bytes lie beyond the inner caches.
const NEAR: usize = 1 << 19;
/// What memory gives at once, in bytes.
const LINE: usize = 64;

/// On the processor any region of an array of so few elements is written at once sooner than a plan for
/// several of them is found.
const FEW_ELEMENTS: usize = 1 << 11;

/// Whether a region takes a small part of an array, and of the memory that the array lies in.
fn is_small(region: &Region, a: &Node) -> bool {
    if a.device == Device::cpu() && a.len() <= FEW_ELEMENTS {
        return true;
    }
    let elements = shape::len(&region.lens);
    let has_steps = region.steps.iter().zip(&region.lens).any(|(&step, &len)| step > 1 && len > 1);
    if has_steps && a.device == Device::cpu() {
        return elements.saturating_mul(STEPPED_REGION) <= a.len();
    }
    let size = a.dtype.size();
    let together = match (region.steps.last(), region.lens.last()) {
        (Some(1), Some(len)) => len * size,
        _ => size,
    };
    let apart = if a.len() * size > NEAR { (LINE / together).max(1) } else { 1 };
    elements.saturating_mul(SMALL_REGION) <= a.len()
        && elements.saturating_mul(apart).saturating_mul(FEW_LINES) <= a.len()
}

/// The value of an assignment in the shape of the region, every axis of the array present.
#[track_caller]
fn fitted(name: &str, a: &Arc<Node>, parts: &[Part], value: &Arc<Node>) -> Result<Arc<Node>> {
    if value.device.differs(a.device) {
        return Err(record::devices_differ(name, a.device, value.device));
    }
    let sliced = parts.iter().filter_map(|part| match part {
        Part::Range { len, .. } => Some(*len),
        Part::Index(_) => None,
        Part::New => Some(1),
    });
    let value = broadcast_to(name, value, sliced.collect())?;
    let mut view = View(SmallVec::new());
    let mut region = Shape::new();
    for part in parts {
        match *part {
            Part::Range { step, len, .. } if step < 0 => {
                view.0.push(AxisMap::affine(region.len(), len as i64 - 1, -1));
                region.push(len);
            }
            Part::Range { len, .. } => {
                view.0.push(AxisMap::same(region.len()));
                region.push(len);
            }
            Part::Index(_) => region.push(1),
            Part::New => view.0.push(AxisMap::fixed(0)),
        }
    }
    Ok(record::view(&value, view, region))
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// A region of the array, written with `ndarray`'s [`s!`](ndarray::s): ranges with steps,
        /// indices, new axes. Axes that are not mentioned are taken whole.
        ///
        /// **Shape.** An axis for each range and each new axis. A negative step walks the same
        /// range from its end, as in `ndarray`. Bounds of ranges beyond the axis are cut to it, as
        /// in NumPy; an index must lie within it. A view: nothing is copied. On the processor one
        /// element of an array whose data is there is read at once, and operations of such numbers are
        /// done as they are recorded.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::arange_to(12).reshape([3, 4]);
        /// assert_eq!(a.slice(s![1, ..;2]).to_vec()?, [4, 6]);
        /// assert_eq!(a.slice(s![..;-1, 3]).to_vec()?, [11, 7, 3]);
        /// assert_eq!(a.slice(s![1..]).shape(), [2, 4]);
        /// assert_eq!(a.slice(s![-9..2, 2..99]).shape(), [2, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn slice | try_slice(&self, region: impl AsRef<[SliceInfoElem]>) -> DeviceArray<T> {
            slice("slice", self.node(), region.as_ref()).map(DeviceArray::from_node)
        }

        /// The array at one position of an axis, which disappears; a negative index counts from
        /// the end.
        ///
        /// **Shape.** The array's without the axis. A view.
        /// NumPy: `take(index, axis)`, `a[:, index]`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::arange_to(6).reshape([2, 3]);
        /// assert_eq!(a.index_axis(1, -1).to_vec()?, [2, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn index_axis | try_index_axis(&self, axis: isize, index: isize) -> DeviceArray<T> {
            let axis = self.axis("index_axis", axis)?;
            let whole = SliceInfoElem::Slice { start: 0, end: None, step: 1 };
            let mut region: SmallVec<[SliceInfoElem; 4]> = SmallVec::from_elem(whole, axis);
            region.push(SliceInfoElem::Index(index));
            slice("index_axis", self.node(), &region).map(DeviceArray::from_node)
        }

        /// The array with a value in place of a region; the array itself stays as it is.
        ///
        /// **Shape.** The array's; the value broadcasts to the region. NumPy: a copy, then
        /// `a[…] = value`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::<i32>::zeros(4).with_slice(s![1..3], 7);
        /// assert_eq!(a.to_vec()?, [0, 7, 7, 0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn with_slice | try_with_slice(
            &self,
            region: impl AsRef<[SliceInfoElem]>,
            value: impl Operand<T>,
        ) -> DeviceArray<T> {
            assign("with_slice", self.node(), region.as_ref(), arg(value, self.device())?)
                .map(DeviceArray::from_node)
        }

        /// The array with a value where a mask holds; the array itself stays as it is.
        ///
        /// **Shape.** The array's; mask and value broadcast to it. NumPy: `putmask`, a copy, then
        /// `a[mask] = value`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, -2, 3])?;
        /// assert_eq!(a.with_where(&a.less(0), 0).to_vec()?, [1, 0, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        fn with_where | try_with_where(
            &self,
            mask: &DeviceArray<bool>,
            value: impl Operand<T>,
        ) -> DeviceArray<T> {
            replaced("with_where", self, mask, arg(value, self.device())?)
        }
    }

    /// Puts a value in place of a region: NumPy's `a[…] = value`.
    ///
    /// This handle gets the new array. Other handles keep what they have: where none of them sees
    /// the data, it is changed in place, else it is copied.
    ///
    /// **Shape.** The value broadcasts to the region. **Laziness.** Records; nothing is computed,
    /// but in a long run of assignments to small regions (rows, elements, on the processor also every other element) each
    /// is evaluated before the next, and slices of the array that are held meanwhile are stored.
    ///
    /// # Panics
    /// Where the region is out of bounds or the value does not fit;
    /// [`try_with_slice`](Self::try_with_slice) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::<i32>::zeros([2, 3]);
    /// a.assign(s![.., ..;-2], &DeviceArray::from_slice(&[1, 2])?);
    /// assert_eq!(a.to_vec()?, [2, 0, 1, 2, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn assign(&mut self, region: impl AsRef<[SliceInfoElem]>, value: impl Operand<T>) {
        // Without a closure, which would hide the program's line.
        let value = or_panic(arg(value, self.device()));
        if is_written(self.node(), region.as_ref(), &value) {
            return;
        }
        let node = or_panic(assign("assign", self.node(), region.as_ref(), value));
        *self = DeviceArray::from_node(node);
    }

    /// Puts a value where a mask holds: NumPy's `a[mask] = value`.
    ///
    /// This handle gets the new array; other handles keep what they have.
    ///
    /// **Shape.** Mask and value broadcast to the array. **Laziness.** Records; nothing is
    /// computed.
    ///
    /// # Panics
    /// Where mask or value do not fit; [`try_with_where`](Self::try_with_where) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::from_slice(&[1.0, f64::NAN])?;
    /// a.assign_where(&a.is_nan(), 0.0);
    /// assert_eq!(a.to_vec()?, [1.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn assign_where(&mut self, mask: &DeviceArray<bool>, value: impl Operand<T>) {
        let assigned = |value| replaced("assign_where", self, mask, value);
        *self = or_panic(arg(value, self.device()).and_then(assigned));
    }

    /// Puts one value everywhere. This handle gets the new array; other handles keep what they
    /// have.
    ///
    /// **Laziness.** Records; nothing is computed. NumPy: `fill`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::<i32>::zeros(2);
    /// a.fill(7);
    /// assert_eq!(a.to_vec()?, [7, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fill(&mut self, value: T) {
        *self = self.full_like(value);
    }
}

/// An array with a value where a mask is true.
#[track_caller]
fn replaced<T: Element>(
    name: &str,
    a: &DeviceArray<T>,
    mask: &DeviceArray<bool>,
    value: Arg,
) -> Result<DeviceArray<T>> {
    let (own, shapes) = (a.shape(), [mask.shape(), value.shape()]);
    let fits = |shape: &&[usize]| shape::broadcast(own, shape).is_some_and(|s| s[..] == *own);
    if !shapes.iter().all(fits) {
        let [mask, value] = shapes;
        return Err(Error::shape(format!(
            "{name}: a mask of shape {mask:?} and a value of shape {value:?} do not fit shape {own:?}"
        )));
    }
    record::select(mask.node(), value, a.node()).map(DeviceArray::from_node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::s;

    #[test]
    fn slices_read_as_ndarray_reads_them() {
        let host = ndarray::Array::from_iter(0..60).into_shape_with_order((3, 4, 5)).unwrap();
        let a = DeviceArray::from_ndarray(&host).unwrap();
        macro_rules! same {
            ($($slice:expr),* $(,)?) => {$(
                let expected = host.slice($slice).to_owned().into_dyn();
                assert_eq!(a.slice($slice).copy_to_host().unwrap(), expected);
            )*};
        }
        same!(
            s![.., .., ..],
            s![1..;2, ..;-1, 1..-1],
            s![-1, ..;-3, ndarray::NewAxis, 2],
            s![2..2, .., 3..;-2],
            s![.., 1..4;-2, 4],
        );
    }

    #[test]
    fn bounds_beyond_the_axis_are_cut_as_in_numpy() {
        let a = DeviceArray::<i32>::arange_to(5);
        let of =
            |slice: ndarray::SliceInfo<[SliceInfoElem; 1], _, _>| a.slice(slice).to_vec().unwrap();
        assert_eq!(of(s![3..9]), [3, 4]);
        assert_eq!(of(s![-9..2]), [0, 1]);
        assert_eq!(of(s![7..9]), [0i32; 0]);
        assert_eq!(of(s![..-9]), [0i32; 0]);
        assert_eq!(of(s![isize::MIN..isize::MAX]), [0, 1, 2, 3, 4]);
        let b = a.with_slice(s![4..isize::MAX], 9);
        assert_eq!(b.to_vec().unwrap(), [0, 1, 2, 3, 9]);
        assert_eq!(a.with_slice(s![5..], 9).to_vec().unwrap(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn slices_are_printed_as_they_are_written() {
        let all = s![3, ..;-2, 1..-1, -4..7;2, ndarray::NewAxis];
        let words: Vec<String> = all.as_ref().iter().map(written).collect();
        assert_eq!(words, ["3", "..;-2", "1..-1", "-4..7;2", "NewAxis"]);
        let error = DeviceArray::<i32>::zeros(5).try_slice(s![-6]).unwrap_err().to_string();
        assert!(error.starts_with("slice: -6 is out of bounds on axis 0 of shape [5]"), "{error}");
    }

    #[test]
    fn assignments_write_as_ndarray_writes_them() {
        let host = ndarray::Array::from_iter(0..12).into_shape_with_order((3, 4)).unwrap();
        let value = ndarray::arr1(&[100, 200]);
        let (mut a, v) =
            (DeviceArray::from_ndarray(&host).unwrap(), DeviceArray::from_ndarray(&value).unwrap());
        let before = a.clone();
        let mut expected = host.clone();
        expected.slice_mut(s![1.., ..;-2]).assign(&value);
        a.assign(s![1.., ..;-2], &v);
        expected.slice_mut(s![0, 1..3]).assign(&value);
        a.assign(s![0, 1..3], &v);
        expected.slice_mut(s![.., 0]).fill(-1);
        a.assign(s![.., 0], -1);
        assert_eq!(a.copy_to_host().unwrap(), expected.into_dyn());
        assert_eq!(before.copy_to_host().unwrap(), host.into_dyn());
    }

    #[test]
    fn what_slices_refuse() {
        let a = DeviceArray::<f32>::zeros([2, 3]);
        for error in [
            a.try_slice(s![2, ..]).unwrap_err(),
            a.try_slice(s![.., -4]).unwrap_err(),
            a.try_slice(s![.., .., 0]).unwrap_err(),
            a.try_with_slice(s![0, ..], DeviceArray::zeros(4)).unwrap_err(),
            a.try_with_where(&DeviceArray::zeros([4, 2, 3]), 1.0).unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains("slice.rs:"), "{error}");
        }
    }

    #[test]
    fn levels_along_the_last_axis_are_written_in_place() {
        const LEVELS: usize = 40;
        let mut a = DeviceArray::<f64>::zeros([60, 60, LEVELS]);
        a.eval().unwrap();
        let before = crate::counters();
        for k in 1..LEVELS {
            a.assign(s![.., .., k], a.slice(s![.., .., k - 1]) + 1.0);
        }
        a.eval().unwrap();
        let evaluations = crate::counters().evaluations - before.evaluations;
        assert!(evaluations > LEVELS as u64 / 2, "{evaluations} evaluations");
        let row: Vec<f64> = (0..LEVELS).map(|k| k as f64).collect();
        assert_eq!(a.slice(s![7, 8, ..]).to_vec().unwrap(), row);
    }

    #[test]
    fn a_sweep_by_slices_is_one_kernel() {
        let mut a = DeviceArray::from_ndarray(&ndarray::Array2::<f64>::ones((30, 30))).unwrap();
        let neighbours = a.slice(s![1..-1, ..-2])
            + a.slice(s![1..-1, 2..])
            + a.slice(s![..-2, 1..-1])
            + a.slice(s![2.., 1..-1]);
        a.assign(s![1..-1, 1..-1], 0.25 * neighbours);
        assert_eq!(crate::explain(&[&a]).kernels(), 1);
        assert_eq!(a.sum(..).item().unwrap(), 900.0);
    }
}
