//! Positions in C order and along each axis, and arrays chosen from by positions.

use crate::array::args::IntoShape;
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::{Element, Integer, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, Node, NodeOp};
use crate::ops::index::sealed::Positions as _;
use crate::ops::movement::{broadcast_to, insert_axis};
use crate::ops::sorting::{along_axes, checked_positions, counts_from_start};
use crate::shape::{Shape, broadcast, checked_len};
use crate::table::Op;
use smallvec::smallvec;
use std::borrow::Borrow;
use std::sync::Arc;

/// At each place the element of the choice that an index in range names.
#[track_caller]
fn chosen<T: Element>(
    name: &str,
    index: &Arc<Node>,
    choices: &[impl Borrow<DeviceArray<T>>],
) -> Result<DeviceArray<T>> {
    let mut shape = index.shape.clone();
    for choice in choices {
        let own = choice.borrow();
        if own.device().differs(index.device) {
            return Err(record::devices_differ(name, index.device, own.device()));
        }
        shape = broadcast(&shape, own.shape()).ok_or_else(|| {
            let (all, own) = (&shape, own.shape());
            Error::shape(format!("{name}: shapes {all:?} and {own:?} cannot be broadcast"))
        })?;
    }
    checked_len(name, &shape)?;
    let whole = |choice: &DeviceArray<T>| broadcast_to(name, choice.node(), shape.clone());
    let whole: Result<Vec<DeviceArray<T>>> =
        choices.iter().map(|c| whole(c.borrow()).map(DeviceArray::from_node)).collect();
    let all = crate::try_stack(&whole?, 0)?;
    let index = insert_axis(&broadcast_to(name, index, shape.clone())?, 0);
    let args: Args = smallvec![all.arg(), Arg::from(&index)];
    let op = NodeOp::TakeAlong { axis: 0, from_start: counts_from_start(&index) };
    let line = record::record(op, args, index.shape.clone(), T::DTYPE, index.device);
    Ok(DeviceArray::from_node(record::reshape(&line, shape)))
}

/// The index, unless there is nothing to choose from.
#[track_caller]
fn index_of<I: Integer>(
    name: &str,
    index: &DeviceArray<I>,
    choices: usize,
) -> Result<DeviceArray<i64>> {
    if choices == 0 {
        return Err(Error::shape(format!("{name}: no choices are given")));
    }
    index.positions(name, choices, index.device())
}

checked_fns! {
    /// At each place the element of the array whose number among the choices an index says; a
    /// negative number counts from the last choice.
    ///
    /// A number that is out of range is an error of the evaluation, which names it.
    /// [`choose_clipped`] does without the check and its wait; for NumPy's `mode="wrap"` take the
    /// index's [`remainder`](DeviceArray::remainder).
    ///
    /// **Shape.** Index and choices broadcast. **Dtype.** The choices'. NumPy: `choose`, which
    /// refuses negative numbers.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let index = DeviceArray::from_slice(&[1, 0, 1])?;
    /// let (a, b) = (DeviceArray::from_slice(&[1, 2, 3])?, DeviceArray::from(9));
    /// assert_eq!(lazuli::choose(&index, &[&a, &b]).to_vec()?, [9, 2, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    fn choose | try_choose<T: Element, I: Integer>(
        index: &DeviceArray<I>,
        choices: &[impl Borrow<DeviceArray<T>>],
    ) -> DeviceArray<T> {
        let index = index_of("choose", index, choices.len())?;
        let index = checked_positions("choose", 0, choices.len(), index.node());
        chosen("choose", &index, choices)
    }

    /// As [`choose`], with numbers below 0 taken for 0 and numbers beyond the last choice for the
    /// last.
    ///
    /// **Shape.**, **Dtype.** As there. NumPy: `choose(…, mode="clip")`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let index = DeviceArray::from_slice(&[-5, 0, 7])?;
    /// let (a, b) = (DeviceArray::from_slice(&[1, 2, 3])?, DeviceArray::from(9));
    /// assert_eq!(lazuli::choose_clipped(&index, &[&a, &b]).to_vec()?, [1, 2, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    fn choose_clipped | try_choose_clipped<T: Element, I: Integer>(
        index: &DeviceArray<I>,
        choices: &[impl Borrow<DeviceArray<T>>],
    ) -> DeviceArray<T> {
        let index = index_of("choose_clipped", index, choices.len())?;
        let index = index.try_clip(0, choices.len() as i64 - 1)?;
        chosen("choose_clipped", index.node(), choices)
    }

    /// Positions in C order of an array of a shape as positions along each of its axes.
    ///
    /// Negative positions count from the end. One that is out of range is an error of the
    /// evaluation, which names it.
    ///
    /// **Shape.** For each length of the given shape an array of the positions' shape. **Dtype.**
    /// `i64`. NumPy: `unravel_index`, which refuses negative positions.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let at = lazuli::unravel_index(&DeviceArray::from_slice(&[1, 5])?, [2, 3]);
    /// assert_eq!((at[0].to_vec()?, at[1].to_vec()?), (vec![0, 1], vec![1, 2]));
    /// # Ok::<(), Error>(())
    /// ```
    fn unravel_index | try_unravel_index<I: Integer>(
        positions: &DeviceArray<I>,
        shape: impl IntoShape,
    ) -> Vec<DeviceArray<i64>> {
        const NAME: &str = "unravel_index";
        let shape = shape.lengths();
        let len = checked_len(NAME, &shape)?;
        if len == 0 && !positions.is_empty() {
            return Err(Error::shape(format!("{NAME}: shape {shape:?} has no positions")));
        }
        let positions = positions.positions(NAME, len, positions.device())?;
        let checked = checked_positions(NAME, 0, len, positions.node());
        Ok(along_axes(&DeviceArray::from_node(checked), &shape))
    }

    /// Positions along each axis of an array of a shape as positions in C order.
    ///
    /// Negative positions count from the end of their axis. One that is out of range is an error of
    /// the evaluation, which names it.
    ///
    /// **Shape.** The arrays broadcast against each other; there is one for each length of the given
    /// shape. **Dtype.** `i64`. NumPy: `ravel_multi_index`, which refuses negative positions.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (i, j) = (DeviceArray::from_slice(&[0, 1])?, DeviceArray::from_slice(&[1, -1])?);
    /// assert_eq!(lazuli::ravel_multi_index(&[&i, &j], [2, 3]).to_vec()?, [1, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn ravel_multi_index | try_ravel_multi_index<I: Integer>(
        positions: &[impl Borrow<DeviceArray<I>>],
        shape: impl IntoShape,
    ) -> DeviceArray<i64> {
        const NAME: &str = "ravel_multi_index";
        let shape = shape.lengths();
        checked_len(NAME, &shape)?;
        if positions.len() != shape.len() || shape.is_empty() {
            let count = positions.len();
            return Err(Error::shape(format!("{NAME}: {count} arrays for shape {shape:?}")));
        }
        flat::<I>(NAME, positions, &shape)
    }
}

/// Positions in C order of positions along each axis, of which there is one.
#[track_caller]
fn flat<I: Integer>(
    name: &'static str,
    positions: &[impl Borrow<DeviceArray<I>>],
    shape: &Shape,
) -> Result<DeviceArray<i64>> {
    let mut flat: Option<Arc<Node>> = None;
    for (axis, (positions, &len)) in positions.iter().zip(shape).enumerate() {
        let positions = positions.borrow();
        if len == 0 && !positions.is_empty() {
            return Err(Error::shape(format!("{name}: shape {shape:?} has no positions")));
        }
        let positions = positions.positions(name, len, positions.device())?;
        let along = checked_positions(name, axis, len, positions.node());
        flat = Some(match flat {
            None => along,
            Some(flat) => {
                let row = record::binary(Op::Multiply, &flat, Scalar::new(len as i64))?;
                record::binary(Op::Add, &row, &along)?
            }
        });
    }
    flat.map(DeviceArray::from_node).ok_or_else(|| Error::shape(format!("{name}: no positions")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_go_round() {
        let shape = [3, 4, 5];
        let all = DeviceArray::<i64>::arange_to(60).reshape([6, 10]);
        let parts = unravel_index(&all, shape);
        assert_eq!(parts[2].shape(), [6, 10]);
        let back = ravel_multi_index(&parts, shape);
        assert_eq!(back.to_vec().unwrap(), all.to_vec().unwrap());
        assert_eq!(unravel_index(&DeviceArray::<u8>::zeros(0), [0, 2])[1].len(), 0);
        assert_eq!(unravel_index(&DeviceArray::from(7u64), 9)[0].item().unwrap(), 7);
    }

    #[test]
    fn what_positions_refuse() {
        let beyond = DeviceArray::from_slice(&[3, 6]).unwrap();
        for error in [
            unravel_index(&beyond, [2, 3])[0].eval().unwrap_err(),
            ravel_multi_index(&[&beyond, &beyond], [7, 6]).eval().unwrap_err(),
            choose(&beyond, &[&beyond; 5]).eval().unwrap_err(),
        ] {
            assert!(error.is_shape() && error.to_string().contains("index 6, number 1"), "{error}");
        }
        for error in [
            try_unravel_index(&beyond, [0, 3]).unwrap_err(),
            try_ravel_multi_index(&[&beyond], [2, 3]).unwrap_err(),
            try_choose(&beyond, &[] as &[DeviceArray<f32>]).unwrap_err(),
            try_choose(&beyond, &[DeviceArray::<f32>::zeros(3)]).unwrap_err(),
        ] {
            assert!(error.is_shape() && error.to_string().contains("positions.rs:"), "{error}");
        }
    }
}
