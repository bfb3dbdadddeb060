//! Host arrays of a known rank, and host values for arrays that are there already.

use super::{DeviceArray, PinnedArray, located, over};
use crate::backend::{Buffer, trace};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::graph::{Node, is_watched};
use ndarray::{Array, ArrayRef, Dimension};
use std::sync::Arc;

impl<T: Element> DeviceArray<T> {
    /// Computes the array and copies it into a new `ndarray` array of as many axes as its type says.
    ///
    /// **Laziness.** Evaluates and waits. CuPy: `asnumpy`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the array has another number of axes, before anything is computed,
    /// and as [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use ndarray::{Array1, Array2};
    /// let a = DeviceArray::<f64>::linspace(0.0, 5.0, 6).reshape([2, 3]);
    /// let m: Array2<f64> = a.copy_to_array()?;
    /// assert_eq!(m[[1, 0]], 3.0);
    /// let sums: Array1<f64> = a.sum(1).copy_to_array()?;
    /// assert_eq!(sums.to_vec(), [3.0, 12.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "asnumpy")]
    #[track_caller]
    pub fn copy_to_array<D: Dimension>(&self) -> Result<Array<T, D>> {
        if let Some(rank) = D::NDIM
            && rank != self.ndim()
        {
            return located(Err(Error::shape(format!(
                "copy_to_array: an array of shape {:?} does not have {rank} axes",
                self.shape()
            ))));
        }
        let array = self.copy_to_host()?.into_dimensionality();
        Ok(array.expect("the ranks were compared"))
    }

    /// Copies an `ndarray` array of the same shape, of any layout, into this array.
    ///
    /// This handle gets the values; other handles keep what they have. Where none of them sees the
    /// data, its memory is used again, else the array gets new memory. What was recorded and not
    /// computed of this array never is.
    ///
    /// **Laziness.** Uploads now, to the device that the array lives on. When this returns, `host` has
    /// been read. [`copy_from_pinned`](Self::copy_from_pinned) does not wait for that.
    ///
    /// Numba: `to_device(host, to=array)`; CuPy: `array.set(host)`; NumPy: `copyto`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shapes differ, [`Error::is_device`] where the device fails,
    /// [`Error::is_out_of_memory`].
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut a = DeviceArray::<f64>::empty([2, 2]);
    /// for step in 0..3 {
    ///     let host = ndarray::Array2::from_elem((2, 2), step as f64);
    ///     a.copy_from_host(&host)?;
    ///     assert_eq!((&a * 2.0).sum(..).item()?, 8.0 * step as f64);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "set")]
    #[doc(alias = "to_device")]
    #[track_caller]
    #[doc(alias = "copyto")]
    pub fn copy_from_host<D: Dimension>(&mut self, host: &ArrayRef<T, D>) -> Result<()> {
        located(self.check_shape("copy_from_host", host.shape()))?;
        let ordered: Vec<T>;
        let values = match host.as_slice() {
            Some(slice) => slice,
            None => {
                ordered = host.iter().copied().collect();
                &ordered
            }
        };
        // SAFETY: elements are plain old data without padding.
        let bytes = unsafe {
            std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values))
        };
        if self.device().is_placed() {
            let shape = self.node().shape.clone();
            *self = Self::from_node(located(over::upload(self.device(), bytes, shape, T::DTYPE))?);
            return Ok(());
        }
        let backend = self.device().backend();
        let _span = trace::upload(self.device(), bytes.len());
        located(self.refill(|memory| match memory {
            Some(buffer) => backend.write(bytes, buffer).map(|()| None),
            None => backend.upload(bytes).map(Some),
        }))
    }

    /// Starts a copy of a pinned array of the same shape into this array, on the current
    /// [`Stream`](crate::Stream), and does not wait for it.
    ///
    /// Handles and memory are as for [`copy_from_host`](Self::copy_from_host). Changes of the host's
    /// array wait for the copy.
    ///
    /// **Laziness.** Uploads now, to the device that the array lives on, while the host goes on.
    ///
    /// # Errors
    /// As [`copy_from_host`](Self::copy_from_host).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut host = lazuli::PinnedArray::from_vec(3, vec![1.0, 2.0, 3.0])?;
    /// let mut a = DeviceArray::<f64>::empty(3);
    /// a.copy_from_pinned(&host)?;
    /// host.as_mut_slice()?.fill(0.0); // waits for the copy
    /// assert_eq!(a.to_vec()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "set")]
    #[track_caller]
    pub fn copy_from_pinned(&mut self, host: &PinnedArray<T>) -> Result<()> {
        located(self.check_shape("copy_from_pinned", host.shape()))?;
        let device = self.device();
        if device.is_placed() || device.is_cuda() != host.device().is_cuda() {
            return host.view().and_then(|view| self.copy_from_host(&view));
        }
        let (backend, host) = (device.backend(), host.memory());
        let _span = trace::upload(device, host.bytes());
        located(self.refill(|memory| match memory {
            Some(buffer) => backend.write_pinned(host, buffer, host.bytes()).map(|()| None),
            None => backend.upload_pinned(host, host.bytes()).map(Some),
        }))
    }

    fn check_shape(&self, name: &str, host: &[usize]) -> Result<()> {
        match host == self.shape() {
            true => Ok(()),
            false => Err(Error::shape(format!(
                "{name}: an array of shape {host:?} does not fit into shape {:?}",
                self.shape()
            ))),
        }
    }

    /// Has the array's memory written where nobody else sees it, else a new buffer made for it.
    fn refill(&mut self, write: impl Fn(Option<&Buffer>) -> Result<Option<Buffer>>) -> Result<()> {
        // One holder of the node is this handle, two of the data are the node and this function.
        let own = self.node().data().filter(|data| {
            let alone = Arc::strong_count(self.node()) == 1 && Arc::strong_count(data) == 2;
            alone && !is_watched(self.node()) && data.may_be_written()
        });
        if let Some(new) = write(own.as_deref())? {
            let (shape, device) = (self.node().shape.clone(), self.device());
            *self = Self::from_node(Node::source(new, shape, T::DTYPE, device));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Device;
    use ndarray::{Array1, Array2, ArrayD, IxDyn, arr2, s};

    /// What a test does on each device.
    fn on_each_device(test: impl Fn()) {
        Device::all().into_iter().for_each(|device| device.scope(&test));
    }

    #[test]
    fn memory_that_nobody_else_sees_is_filled_again() {
        on_each_device(|| {
            let mut a = DeviceArray::<i32>::empty([2, 3]);
            a.eval().unwrap();
            let own = a.data().unwrap().address();
            let host = arr2(&[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]);
            for view in
                [host.slice(s![..2, ..3]), host.slice(s![1.., ..;-1]).slice_move(s![.., 1..])]
            {
                a.copy_from_host(&view).unwrap();
                assert_eq!(a.copy_to_array::<ndarray::Ix2>().unwrap(), view);
                assert_eq!(a.data().unwrap().address(), own);
            }
            let pinned = PinnedArray::from_ndarray(&host.slice(s![..2, 1..])).unwrap();
            a.copy_from_pinned(&pinned).unwrap();
            assert_eq!(a.to_vec().unwrap(), [2, 3, 4, 6, 7, 8]);
            assert_eq!(a.data().unwrap().address(), own);
        });
    }

    #[test]
    fn others_keep_what_they_have() {
        on_each_device(|| {
            let mut a = DeviceArray::from_slice(&[1.0, 2.0]).unwrap();
            let (clone, double, flat) = (a.clone(), &a * 2.0, a.reshape([2, 1]));
            a.copy_from_host(&Array1::from(vec![5.0, f64::NAN])).unwrap();
            assert_eq!(clone.to_vec().unwrap(), [1.0, 2.0]);
            assert_eq!(double.to_vec().unwrap(), [2.0, 4.0]);
            assert_eq!(flat.to_vec().unwrap(), [1.0, 2.0]);
            let values = a.to_vec().unwrap();
            assert!(values[0] == 5.0 && values[1].is_nan());
            let shared = std::sync::Arc::new(vec![1u8, 2]);
            let mut foreign = DeviceArray::adopt(shared.clone()).unwrap();
            foreign.copy_from_host(&Array1::from(vec![7, 8])).unwrap();
            assert_eq!((shared.to_vec(), foreign.to_vec().unwrap()), (vec![1, 2], vec![7, 8]));
        });
    }

    #[test]
    fn expressions_that_are_replaced_are_not_computed() {
        let mut a = DeviceArray::<f64>::ones([3]).exp();
        let before = crate::counters();
        a.copy_from_host(&Array1::zeros(3)).unwrap();
        assert_eq!(a.to_vec().unwrap(), [0.0; 3]);
        assert_eq!(crate::counters().kernels, before.kernels);
    }

    #[test]
    fn shapes_and_ranks_have_to_fit() {
        let mut a = DeviceArray::<f32>::empty([2, 2]);
        let error = a.copy_from_host(&Array1::zeros(4)).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("[4]"), "{error}");
        let pinned = PinnedArray::zeros(4).unwrap();
        assert!(a.copy_from_pinned(&pinned).unwrap_err().is_shape());
        assert!(a.copy_to_array::<ndarray::Ix1>().unwrap_err().is_shape());
        let any: ArrayD<f32> = a.copy_to_array().unwrap();
        assert_eq!(any.shape(), [2, 2]);
        let same = Array2::try_from(&a).unwrap();
        assert_eq!(same.dim(), (2, 2));
        assert!(Array1::try_from(&a).unwrap_err().is_shape());
    }

    #[test]
    fn arrays_without_axes_or_elements() {
        on_each_device(|| {
            for shape in [&[][..], &[0, 3]] {
                let mut a = DeviceArray::<u16>::empty(shape);
                a.copy_from_host(&ArrayD::from_elem(IxDyn(shape), 9)).unwrap();
                assert_eq!(a.to_vec().unwrap(), vec![9; a.len()]);
            }
        });
    }
}
