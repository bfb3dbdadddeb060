//! Shapes and arrays broadcast against each other.

use super::movement::broadcast_to;
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::shape::{Shape, broadcast, checked_len};
use std::borrow::Borrow;

/// The shape to which all shapes broadcast.
fn common(name: &str, shapes: &[&[usize]]) -> Result<Shape> {
    let all = shapes.iter().try_fold(Shape::new(), |all, shape| broadcast(&all, shape));
    let all = all.ok_or_else(|| {
        let list: Vec<String> = shapes.iter().map(|shape| format!("{shape:?}")).collect();
        Error::shape(format!("{name}: shapes {} cannot be broadcast", list.join(", ")))
    })?;
    checked_len(name, &all)?;
    Ok(all)
}

checked_fns! {
    /// The shape to which several shapes broadcast.
    ///
    /// **Shape.** As elementwise operations give it: shapes are aligned at their ends, and a length
    /// of 1 takes any other. No shapes give no axes. NumPy: `broadcast_shapes`.
    example
    /// ```
    /// assert_eq!(lazuli::broadcast_shapes(&[&[2, 1], &[3]]), [2, 3]);
    /// assert!(lazuli::try_broadcast_shapes(&[&[2], &[3]]).is_err());
    /// ```
    fn broadcast_shapes | try_broadcast_shapes(shapes: &[&[usize]]) -> Vec<usize> {
        common("broadcast_shapes", shapes).map(Shape::into_vec)
    }

    /// Several arrays as arrays of one shape, to which they broadcast.
    ///
    /// **Shape.** As [`broadcast_shapes`] gives it. **Dtype.** The arrays'. Views: nothing is
    /// copied, and operations broadcast by themselves. NumPy: `broadcast_arrays`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (a, b) = (DeviceArray::from_slice(&[1, 2])?, DeviceArray::from(7));
    /// let both = lazuli::broadcast_arrays(&[&a, &b]);
    /// assert_eq!(both[1].to_vec()?, [7, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    fn broadcast_arrays | try_broadcast_arrays<T: Element>(
        arrays: &[impl Borrow<DeviceArray<T>>],
    ) -> Vec<DeviceArray<T>> {
        let all = || arrays.iter().map(Borrow::borrow);
        if let Some(first) = all().next()
            && let Some(other) = all().find(|a| a.device().differs(first.device()))
        {
            return Err(record::devices_differ("broadcast_arrays", first.device(), other.device()));
        }
        let shape = common("broadcast_arrays", &all().map(DeviceArray::shape).collect::<Vec<_>>())?;
        let whole = |a: &DeviceArray<T>| broadcast_to("broadcast_arrays", a.node(), shape.clone());
        all().map(|a| whole(a).map(DeviceArray::from_node)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_get_one_shape() {
        let a = DeviceArray::from_vec([2, 1], vec![1, 2]).unwrap();
        let b = DeviceArray::from_slice(&[3, 4, 5]).unwrap();
        let both = broadcast_arrays(&[&a, &b]);
        assert_eq!(both[0].to_vec().unwrap(), [1, 1, 1, 2, 2, 2]);
        assert_eq!(both[1].to_vec().unwrap(), [3, 4, 5, 3, 4, 5]);
        assert!(broadcast_arrays(&[] as &[DeviceArray<f64>]).is_empty());
        assert_eq!(broadcast_shapes(&[]), [0usize; 0]);
        assert_eq!(broadcast_shapes(&[&[5, 1, 0], &[1, 1], &[]]), [5, 1, 0]);
        let error = try_broadcast_arrays(&[&b, &DeviceArray::zeros(2)]).unwrap_err();
        assert!(
            error.is_shape() && error.to_string().contains("shapes [3], [2] cannot"),
            "{error}"
        );
        assert!(try_broadcast_shapes(&[&[usize::MAX, 1], &[2]]).unwrap_err().is_shape());
    }
}
