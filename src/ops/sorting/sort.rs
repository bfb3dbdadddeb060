//! Sorting along an axis.

use super::nodes::{self, Gives};
use crate::array::{AnyArray, DeviceArray, checked, checked_fns, record};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::axis_index;
use std::sync::Arc;

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The elements in ascending order along an axis.
        ///
        /// NaN goes last. The sort is stable, except that -0 is put before +0, which are equal,
        /// and that every NaN comes out as the same one. Complex numbers are sorted by the real
        /// part, then by the imaginary one, those with a NaN behind the others.
        ///
        /// **Shape.** The array's. **Dtype.** The array's. NumPy: `sort`; its `kind` is not
        /// needed here.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 3], vec![3.0, f64::NAN, 1.0, 2.0, 0.0, 5.0])?;
        /// let rows = a.sort(1).to_vec()?;
        /// assert_eq!(rows[..2], [1.0, 3.0]);
        /// assert!(rows[2].is_nan());
        /// assert_eq!(rows[3..], [0.0, 2.0, 5.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn sort | try_sort(&self, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("sort", axis)?;
            nodes::sort(self.node(), axis, false, Gives::Elements).map(DeviceArray::from_node)
        }

        /// The elements in descending order along an axis; NaN goes last all the same.
        ///
        /// **Shape.** The array's. **Dtype.** The array's. NumPy has no name for it: there, the
        /// result of `sort` is flipped, which puts NaN first.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1, 3, 2])?;
        /// assert_eq!(a.sort_descending(0).to_vec()?, [3, 2, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn sort_descending | try_sort_descending(&self, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("sort_descending", axis)?;
            nodes::sort(self.node(), axis, true, Gives::Elements).map(DeviceArray::from_node)
        }

        /// The positions along an axis at which the elements stand in ascending order.
        ///
        /// Stable: equal elements, among them -0 and +0, keep their order, and so do NaN, which
        /// go last.
        ///
        /// **Shape.** The array's. **Dtype.** `i64`. NumPy: `argsort(kind="stable")`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[2.0, 1.0, 2.0, 0.5])?;
        /// let order = a.argsort(0);
        /// assert_eq!(order.to_vec()?, [3, 1, 0, 2]);
        /// assert_eq!(a.take_along_axis(&order, 0).to_vec()?, [0.5, 1.0, 2.0, 2.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn argsort | try_argsort(&self, axis: isize) -> DeviceArray<i64> {
            let axis = self.axis("argsort", axis)?;
            nodes::sort(self.node(), axis, false, Gives::Positions).map(DeviceArray::from_node)
        }

        /// The positions along an axis at which the elements stand in descending order; equal
        /// ones keep their order, and NaN goes last.
        ///
        /// **Shape.** The array's. **Dtype.** `i64`. NumPy: `argsort(-a, kind="stable")`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[2, 1, 2, 5])?;
        /// assert_eq!(a.argsort_descending(0).to_vec()?, [3, 0, 2, 1]);
        /// # Ok::<(), Error>(())
        /// ```
        fn argsort_descending | try_argsort_descending(&self, axis: isize) -> DeviceArray<i64> {
            let axis = self.axis("argsort_descending", axis)?;
            nodes::sort(self.node(), axis, true, Gives::Positions).map(DeviceArray::from_node)
        }

        /// The elements in the order in which `keys` are ascending along an axis; those with
        /// equal keys keep their order.
        ///
        /// **Shape.** The array's, which is the keys'. NumPy: `take_along_axis` with `argsort`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let names = DeviceArray::from_slice(&[10, 20, 30])?;
        /// let keys = DeviceArray::from_slice(&[0.5, -1.0, 0.0])?;
        /// assert_eq!(names.sort_by_key(&keys, 0).to_vec()?, [20, 30, 10]);
        /// # Ok::<(), Error>(())
        /// ```
        fn sort_by_key | try_sort_by_key<K: Element>(
            &self,
            keys: &DeviceArray<K>,
            axis: isize,
        ) -> DeviceArray<T> {
            let axis = self.axis("sort_by_key", axis)?;
            same_shape("sort_by_key", self.node(), keys.node())?;
            let order = nodes::sort(keys.node(), axis, false, Gives::Positions)?;
            Ok(DeviceArray::from_node(nodes::take_along(self.node(), &order, axis)))
        }

        /// The elements of an axis such that the one at position `kth` is where a sort puts it,
        /// no larger one before it and no smaller one behind it.
        ///
        /// All elements are sorted, which is more than is asked for.
        ///
        /// **Shape.** The array's. NumPy: `partition`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[7, 1, 5, 3])?;
        /// assert_eq!(a.partition(1, 0).index_axis(0, 1).item()?, 3);
        /// # Ok::<(), Error>(())
        /// ```
        fn partition | try_partition(&self, kth: isize, axis: isize) -> DeviceArray<T> {
            let axis = self.axis("partition", axis)?;
            check_kth("partition", self.node(), kth, axis)?;
            nodes::sort(self.node(), axis, false, Gives::Elements).map(DeviceArray::from_node)
        }

        /// The positions of the elements in the order of [`partition`](Self::partition).
        ///
        /// **Shape.** The array's. **Dtype.** `i64`. NumPy: `argpartition`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[7, 1, 5, 3])?;
        /// assert_eq!(a.argpartition(0, 0).index_axis(0, 0).item()?, 1);
        /// # Ok::<(), Error>(())
        /// ```
        fn argpartition | try_argpartition(&self, kth: isize, axis: isize) -> DeviceArray<i64> {
            let axis = self.axis("argpartition", axis)?;
            check_kth("argpartition", self.node(), kth, axis)?;
            nodes::sort(self.node(), axis, false, Gives::Positions).map(DeviceArray::from_node)
        }

        /// The `k` largest elements along an axis, the largest first, and their positions.
        ///
        /// Among equal elements the one that stands first comes first. NaN counts as smaller than
        /// every number.
        ///
        /// **Shape.** The array's with `k` along the axis. **Dtype.** The array's, and `i64`.
        /// NumPy has no name for it; PyTorch's is `topk`, JAX's `top_k`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, 9.0, 4.0, 9.0])?;
        /// let (values, positions) = a.top_k(3, 0);
        /// assert_eq!(values.to_vec()?, [9.0, 9.0, 4.0]);
        /// assert_eq!(positions.to_vec()?, [1, 3, 2]);
        /// # Ok::<(), Error>(())
        /// ```
        fn top_k | try_top_k(&self, k: usize, axis: isize) -> (DeviceArray<T>, DeviceArray<i64>) {
            first_few("top_k", self, k, axis, true)
        }

        /// The `k` smallest elements along an axis, the smallest first, and their positions: as
        /// [`top_k`](Self::top_k), from the other end.
        ///
        /// **Shape.** The array's with `k` along the axis. **Dtype.** The array's, and `i64`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, 9.0, 4.0])?;
        /// assert_eq!(a.bottom_k(2, 0).0.to_vec()?, [1.0, 4.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn bottom_k | try_bottom_k(&self, k: usize, axis: isize) -> (DeviceArray<T>, DeviceArray<i64>) {
            first_few("bottom_k", self, k, axis, false)
        }
    }
}

#[track_caller]
fn first_few<T: Element>(
    name: &str,
    a: &DeviceArray<T>,
    k: usize,
    axis: isize,
    descending: bool,
) -> Result<(DeviceArray<T>, DeviceArray<i64>)> {
    let axis = axis_index(name, axis, a.ndim())?;
    if k > a.shape()[axis] {
        let shape = a.shape();
        return Err(Error::shape(format!(
            "{name}: axis {axis} of shape {shape:?} has no {k} elements"
        )));
    }
    let positions = nodes::top(a.node(), axis, k, descending)?;
    let values = match positions.len() {
        0 => record::full(record::number(a.node(), 0.0), positions.shape.clone(), a.device()),
        _ => nodes::take_along(a.node(), &positions, axis),
    };
    Ok((DeviceArray::from_node(values), DeviceArray::from_node(positions)))
}

fn check_kth(name: &str, a: &Arc<Node>, kth: isize, axis: usize) -> Result<()> {
    let len = a.shape[axis] as isize;
    if kth < -len || kth >= len {
        return Err(Error::shape(format!(
            "{name}: position {kth} is out of bounds for axis {axis} of length {len}"
        )));
    }
    Ok(())
}

fn same_shape(name: &str, a: &Arc<Node>, b: &Arc<Node>) -> Result<()> {
    if a.device.differs(b.device) {
        return Err(record::devices_differ(name, a.device, b.device));
    }
    if a.shape != b.shape {
        let (a, b) = (&a.shape, &b.shape);
        return Err(Error::shape(format!("{name}: shapes {a:?} and {b:?} differ")));
    }
    Ok(())
}

checked_fns! {
    /// The positions along the last axis at which several keys, the last of which counts most,
    /// are in ascending order. Keys may have different element types.
    ///
    /// **Shape.** The keys', which is one. **Dtype.** `i64`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let first = DeviceArray::from_slice(&[2u8, 1, 1])?;
    /// let then = DeviceArray::from_slice(&[0.0, 7.0, 5.0])?;
    /// assert_eq!(lazuli::lexsort(&[&then, &first]).to_vec()?, [2, 1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn lexsort | try_lexsort(keys: &[&dyn AnyArray]) -> DeviceArray<i64> {
        let keys: Vec<(Arc<Node>, bool)> =
            keys.iter().map(|key| (key.any_node().0.clone(), false)).collect();
        let Some((first, more)) = keys.split_first() else {
            return Err(Error::shape("lexsort: no keys are given"));
        };
        let axis = axis_index("lexsort", -1, first.0.shape.len())?;
        more.iter().try_for_each(|key| same_shape("lexsort", &first.0, &key.0))?;
        nodes::sort_by_keys(&keys, axis).map(DeviceArray::from_node)
    }
}
