//! One of several values at each place, by several conditions.

use super::movement::broadcast_to;
use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked_fns, located, or_panic, record, recorded};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::graph::Arg;
use std::borrow::Borrow;

checked_fns! {
    /// At each place the value that belongs to the first condition that holds, or the default where
    /// none does.
    ///
    /// **Shape.** All arguments broadcast. **Dtype.** The values'. NumPy:
    /// `select(conditions, values, default)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::<i32>::arange_to(5);
    /// let y = lazuli::select_first(&[x.less(2), x.less(4)], &[&x * 10, -&x], 99);
    /// assert_eq!(y.to_vec()?, [0, 10, -2, -3, 99]);
    /// # Ok::<(), Error>(())
    /// ```
    fn select_first | try_select_first<T: Element>(
        conditions: &[impl Borrow<DeviceArray<bool>>],
        values: &[impl Borrow<DeviceArray<T>>],
        default: impl Operand<T>,
    ) -> DeviceArray<T> {
        let (n, m) = (conditions.len(), values.len());
        let (Some(first), true) = (conditions.first(), n == m) else {
            return Err(Error::shape(format!("select_first: {n} conditions for {m} values")));
        };
        let device = first.borrow().device();
        let mut result = arg(default, device)?;
        for (condition, value) in conditions.iter().zip(values).rev() {
            let (condition, value) = (condition.borrow(), value.borrow());
            result = Arg::Node(record::select(condition.node(), value.node(), result)?);
        }
        match result {
            Arg::Node(node) => Ok(DeviceArray::from_node(node)),
            Arg::Scalar(value) => {
                Ok(DeviceArray::from_node(record::full(value, Default::default(), device)))
            }
        }
    }
}

impl<T: Element> DeviceArray<T> {
    /// At each place what the function of the last condition that holds gives for the array there,
    /// or what `otherwise` gives where none does.
    ///
    /// The functions are called once, with the whole array, when this is recorded; each element is
    /// then chosen, in one kernel.
    ///
    /// **Shape.** The array's, to which the conditions broadcast. **Dtype.** What the functions give.
    /// **Laziness.** Records; nothing is computed. NumPy: `piecewise`.
    ///
    /// # Panics
    /// Where there are not as many functions as conditions, shapes do not fit, or arrays live on
    /// several devices; [`try_piecewise`](Self::try_piecewise) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[-2.0, -1.0, 0.0, 3.0])?;
    /// let y = x.piecewise(&[x.less(-1.0), x.greater(0.0)], &[&|x| -x, &|x| x * 10.0], |x| x + 1.0);
    /// assert_eq!(y.to_vec()?, [2.0, 0.0, 1.0, 30.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn piecewise<U: Element>(
        &self,
        conditions: &[impl Borrow<DeviceArray<bool>>],
        functions: &[&dyn Fn(&DeviceArray<T>) -> DeviceArray<U>],
        otherwise: impl Fn(&DeviceArray<T>) -> DeviceArray<U>,
    ) -> DeviceArray<U> {
        or_panic(self.try_piecewise(conditions, functions, otherwise))
    }

    /// [`piecewise`](Self::piecewise) for arguments that come from data.
    ///
    /// **Laziness.** Records; nothing is computed.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there are not as many functions as conditions, or shapes do not
    /// fit; [`Error::is_device`] where arrays live on several devices.
    #[track_caller]
    pub fn try_piecewise<U: Element>(
        &self,
        conditions: &[impl Borrow<DeviceArray<bool>>],
        functions: &[&dyn Fn(&DeviceArray<T>) -> DeviceArray<U>],
        otherwise: impl Fn(&DeviceArray<T>) -> DeviceArray<U>,
    ) -> Result<DeviceArray<U>> {
        let record = || {
            let (n, m) = (conditions.len(), functions.len());
            if n != m {
                return Err(Error::shape(format!("piecewise: {n} conditions for {m} functions")));
            }
            let whole =
                |a: &DeviceArray<U>| broadcast_to("piecewise", a.node(), self.node().shape.clone());
            let mut result = whole(&otherwise(self))?;
            for (condition, function) in conditions.iter().zip(functions) {
                let condition = condition.borrow().node();
                let condition = broadcast_to("piecewise", condition, self.node().shape.clone())?;
                result = record::select(&condition, &whole(&function(self))?, &result)?;
            }
            Ok(DeviceArray::from_node(result))
        };
        located(recorded(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_do_not_fit_are_refused() {
        let a = DeviceArray::<f64>::zeros(3);
        let no: [DeviceArray<bool>; 0] = [];
        for error in [
            try_select_first(&[a.is_nan()], &[] as &[DeviceArray<f64>], 1.0).unwrap_err(),
            try_select_first(&no, &[] as &[DeviceArray<f64>], 1.0).unwrap_err(),
            try_select_first(&[a.is_nan()], &[DeviceArray::zeros(2)], 1.0).unwrap_err(),
            a.try_piecewise(&[a.is_nan()], &[], |x| x.clone()).unwrap_err(),
            a.try_piecewise(&[DeviceArray::zeros([2, 3])], &[&|x| x.clone()], |x| x.clone())
                .unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
        }
        let x = DeviceArray::from(2.0).piecewise(&no, &[], |x| x * 2.0);
        assert_eq!(x.item().unwrap(), 4.0);
    }
}
