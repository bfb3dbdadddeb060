//! Arrays with at least so many axes, and columns put together.

use super::join::concat;
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::Element;
use crate::error::Result;
use crate::graph::Node;
use crate::shape::Shape;
use std::borrow::Borrow;
use std::sync::Arc;

impl<T: Element> DeviceArray<T> {
    /// The array with at least one axis.
    ///
    /// **Shape.** The array's; `[1]` where it has no axes. **Laziness.** Records a view. NumPy:
    /// `atleast_1d`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::full((), 7).atleast_1d();
    /// assert_eq!((a.shape(), a.to_vec()?), (&[1][..], vec![7]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn atleast_1d(&self) -> DeviceArray<T> {
        match self.shape() {
            [] => self.under(&[1]),
            _ => self.clone(),
        }
    }

    /// The array with at least two axes, new ones in front.
    ///
    /// **Shape.** The array's; `[1, n]` where it has one axis. **Laziness.** Records a view. NumPy:
    /// `atleast_2d`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 2])?.atleast_2d();
    /// assert_eq!((a.shape(), a.to_vec()?), (&[1, 2][..], vec![1, 2]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn atleast_2d(&self) -> DeviceArray<T> {
        match *self.shape() {
            [] => self.under(&[1, 1]),
            [n] => self.under(&[1, n]),
            _ => self.clone(),
        }
    }

    /// The array with at least three axes.
    ///
    /// **Shape.** The array's; `[1, n, 1]` where it has one axis, `[m, n, 1]` where it has two.
    /// **Laziness.** Records a view. NumPy: `atleast_3d`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1, 2])?.atleast_3d();
    /// assert_eq!((a.shape(), a.to_vec()?), (&[1, 2, 1][..], vec![1, 2]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn atleast_3d(&self) -> DeviceArray<T> {
        match *self.shape() {
            [] => self.under(&[1, 1, 1]),
            [n] => self.under(&[1, n, 1]),
            [m, n] => self.under(&[m, n, 1]),
            _ => self.clone(),
        }
    }

    /// The same elements under a shape of as many.
    #[track_caller]
    fn under(&self, shape: &[usize]) -> DeviceArray<T> {
        DeviceArray::from_node(record::reshape(self.node(), Shape::from_slice(shape)))
    }
}

checked_fns! {
    /// An array of rows of blocks: the blocks of a row are joined along the last axis, and the rows
    /// along the one before. Blocks of fewer axes than others get new ones in front.
    ///
    /// **Shape.** Two axes at least; the blocks of a row agree in all but the last, and rows in all
    /// but the last but one. NumPy: `block` of lists of lists.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (one, two) = (DeviceArray::full([2, 2], 1), DeviceArray::full([2, 1], 2));
    /// let below = DeviceArray::from_slice(&[7, 8, 9])?;
    /// let whole = lazuli::block(&[&[&one, &two], &[&below]]);
    /// assert_eq!(whole.to_vec()?, [1, 1, 2, 1, 1, 2, 7, 8, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    fn block | try_block<T: Element>(rows: &[&[&DeviceArray<T>]]) -> DeviceArray<T> {
        let rank = rows.iter().flat_map(|row| row.iter()).map(|a| a.ndim()).max();
        let rank = rank.unwrap_or(0).max(2);
        let raised = |a: &&DeviceArray<T>| {
            let mut shape = Shape::from_elem(1, rank - a.ndim());
            shape.extend_from_slice(a.shape());
            record::reshape(a.node(), shape)
        };
        let line = |row: &&[&DeviceArray<T>]| {
            concat("block", &row.iter().map(raised).collect::<Vec<_>>(), -1)
        };
        let lines = rows.iter().map(line).collect::<Result<Vec<_>>>()?;
        concat("block", &lines, -2).map(DeviceArray::from_node)
    }

    /// Puts arrays side by side: arrays of one axis are columns, others are joined along axis 1.
    ///
    /// **Shape.** As [`concatenate`](crate::concatenate) along axis 1; `[n]` counts as `[n, 1]`.
    /// NumPy: `column_stack`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (a, b) = (DeviceArray::from_slice(&[1, 2])?, DeviceArray::from_slice(&[3, 4])?);
    /// assert_eq!(lazuli::column_stack(&[&a, &b]).to_vec()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    fn column_stack | try_column_stack<T: Element>(
        arrays: &[impl Borrow<DeviceArray<T>>],
    ) -> DeviceArray<T> {
        let column = |a: &DeviceArray<T>| match a.ndim() {
            0 | 1 => a.under(&[a.len(), 1]).node().clone(),
            _ => a.node().clone(),
        };
        let columns: Vec<Arc<Node>> = arrays.iter().map(|a| column(a.borrow())).collect();
        concat("column_stack", &columns, 1).map(DeviceArray::from_node)
    }
}
