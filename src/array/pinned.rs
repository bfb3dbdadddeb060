//! Arrays of the host whose copies run while the host goes on.

use super::args::IntoShape;
use super::transfer::as_bools;
use super::{DeviceArray, located};
use crate::backend::{Buffer, Device, Memory, Uses, faults, trace};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::{Shape, checked_len, len};
use ndarray::{ArrayD, ArrayRef, ArrayView, ArrayViewD, ArrayViewMutD, Dimension, IxDyn};
use parking_lot::Mutex;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// An array in page-locked memory of the host: copies between it and a GPU run at the full speed
/// of the link, and the host does not wait for them.
///
/// [`DeviceArray::from_pinned`] starts a copy to the device and [`DeviceArray::copy_to_pinned`] one
/// back, on the current [`Stream`](crate::Stream), and both return at once. The array itself waits
/// where it must: reading it waits for the copies into it, writing and dropping it for all. So
/// nothing is ever read too early or overwritten too soon.
///
/// Pinning is slow, more than a second for each gigabyte, and what is pinned is never swapped out: make
/// such arrays once, use them often, and no larger than the host can spare. For one copy, [`to_device`](crate::to_device) and [`DeviceArray::copy_into`] are faster: they go
/// through a little pinned memory of their own.
///
/// **Shape.** Any; in C order. **Dtype.** Any element type. On the processor the memory is
/// ordinary and copies are done when their calls return.
///
/// Numba: `numba.cuda.pinned_array`; CuPy: `cupyx.empty_pinned`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::PinnedArray;
///
/// let x = PinnedArray::from_ndarray(&ndarray::arr1(&[1.0, 2.0, 3.0]))?;
/// let mut y = PinnedArray::zeros(3)?;
/// let a = DeviceArray::from_pinned(&x)?;
/// (&a * &a).copy_to_pinned(&mut y)?;
/// // The host is free until it reads.
/// assert_eq!(y.as_slice()?, [1.0, 4.0, 9.0]);
/// # Ok::<(), Error>(())
/// ```
pub struct PinnedArray<T: Element> {
    memory: Buffer,
    shape: Shape,
    device: Device,
    /// The device of the last copy into the array, which knows what went wrong there.
    last_from: Device,
    /// Whether the bytes may be other than 0 and 1 where they are to be `bool`s.
    unchecked: Mutex<bool>,
    elements: PhantomData<T>,
}

impl<T: Element> PinnedArray<T> {
    /// Zeros (for `bool`: false), for copies with the current device.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shape has too many elements, [`Error::is_out_of_memory`] and
    /// [`Error::is_device`] where the memory cannot be pinned.
    ///
    /// # Example
    /// ```
    /// use lazuli::PinnedArray;
    /// assert_eq!(PinnedArray::<u8>::zeros([2, 2])?.as_slice()?, [0; 4]);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    #[doc(alias = "empty_pinned")]
    #[track_caller]
    pub fn zeros(shape: impl IntoShape) -> Result<Self> {
        located(Self::new("PinnedArray::zeros", shape.lengths(), |memory, bytes| {
            // SAFETY: the memory holds that many bytes, and zeros are valid for every type.
            unsafe { std::ptr::write_bytes(memory, 0, bytes) }
        }))
    }

    /// A copy of an `ndarray` array of any layout.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    ///
    /// # Example
    /// ```
    /// use lazuli::PinnedArray;
    /// let a = ndarray::arr2(&[[1, 2], [3, 4]]);
    /// assert_eq!(PinnedArray::from_ndarray(&a.t())?.view()?, a.t().into_dyn());
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    #[track_caller]
    pub fn from_ndarray<D: Dimension>(array: &ArrayRef<T, D>) -> Result<Self> {
        let shape = Shape::from_slice(array.shape());
        located(Self::new("PinnedArray::from_ndarray", shape, |memory, _| {
            // SAFETY: the memory holds as many elements as the array, it is aligned for them, and
            // nobody reads them before they are written here.
            let to = unsafe { std::slice::from_raw_parts_mut(memory.cast::<T>(), array.len()) };
            match array.as_slice() {
                Some(from) => to.copy_from_slice(from),
                None => to.iter_mut().zip(array).for_each(|(to, from)| *to = *from),
            }
        }))
    }

    /// The values of a vector in C order under a shape.
    ///
    /// # Errors
    /// [`Error::is_shape`] where they do not fit the shape, and as [`zeros`](Self::zeros).
    ///
    /// # Example
    /// ```
    /// use lazuli::PinnedArray;
    /// assert_eq!(PinnedArray::from_vec([2, 2], vec![1, 2, 3, 4])?.shape(), [2, 2]);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    #[track_caller]
    pub fn from_vec(shape: impl IntoShape, values: Vec<T>) -> Result<Self> {
        let shape = shape.lengths();
        let view = ArrayView::from_shape(IxDyn(&shape), &values).map_err(|_| {
            let count = values.len();
            Error::shape(format!("PinnedArray: {count} values do not fit shape {shape:?}"))
        });
        located(view).and_then(|view| Self::from_ndarray(&view))
    }

    #[track_caller]
    fn new(name: &str, shape: Shape, fill: impl FnOnce(*mut u8, usize)) -> Result<Self> {
        let bytes = checked_len(name, &shape)?.checked_mul(size_of::<T>());
        let bytes = bytes.filter(|&bytes| bytes <= isize::MAX as usize).ok_or_else(|| {
            Error::out_of_memory(format!("{name}: an array of shape {shape:?} has no room"))
        })?;
        let device = Device::current()?.first();
        let memory = device.backend().pin(bytes)?;
        if bytes > 0 {
            fill(memory.address() as *mut u8, bytes);
        }
        let unchecked = Mutex::new(false);
        Ok(PinnedArray {
            memory,
            shape,
            device,
            last_from: device,
            unchecked,
            elements: PhantomData,
        })
    }

    /// The shape.
    ///
    /// # Example
    /// ```
    /// assert_eq!(lazuli::PinnedArray::<f32>::zeros([2, 3])?.shape(), [2, 3]);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of elements.
    ///
    /// # Example
    /// ```
    /// assert_eq!(lazuli::PinnedArray::<f32>::zeros([2, 3])?.len(), 6);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        len(&self.shape)
    }

    /// Whether there are no elements.
    ///
    /// # Example
    /// ```
    /// assert!(lazuli::PinnedArray::<f32>::zeros([2, 0])?.is_empty());
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The device for whose copies the memory was pinned. Other devices take it, too.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = Device::cpu().scope(|| lazuli::PinnedArray::<f32>::zeros(3))?;
    /// assert_eq!(a.device(), Device::cpu());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device(&self) -> Device {
        self.device
    }

    /// The elements in C order, once the copies into them are done.
    ///
    /// # Errors
    /// [`Error::is_device`] where work on the device has failed.
    ///
    /// # Example
    /// ```
    /// assert_eq!(lazuli::PinnedArray::<i32>::zeros(2)?.as_slice()?, [0, 0]);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn as_slice(&self) -> Result<&[T]> {
        self.wait(true)?;
        // SAFETY: the memory holds so many elements, aligned, and copies into it are done; a new
        // one needs the array mutably.
        Ok(unsafe { std::slice::from_raw_parts(self.address(), self.len()) })
    }

    /// The elements in C order, once all copies from and into them are done.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice).
    ///
    /// # Example
    /// ```
    /// let mut a = lazuli::PinnedArray::<i32>::zeros(2)?;
    /// a.as_mut_slice()?[1] = 7;
    /// assert_eq!(a.as_slice()?, [0, 7]);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        self.wait(false)?;
        // SAFETY: as for `as_slice`, and no copy reads it either; the array is borrowed mutably.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.address(), self.len()) })
    }

    /// The array, once the copies into it are done.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice).
    ///
    /// # Example
    /// ```
    /// assert_eq!(lazuli::PinnedArray::<f64>::zeros([2, 2])?.view()?.sum(), 0.0);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn view(&self) -> Result<ArrayViewD<'_, T>> {
        let shape = IxDyn(&self.shape);
        self.as_slice().map(|slice| ArrayViewD::from_shape(shape, slice).expect(FITS))
    }

    /// The array, once all copies from and into it are done.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice).
    ///
    /// # Example
    /// ```
    /// let mut a = lazuli::PinnedArray::<f64>::zeros([2, 2])?;
    /// a.view_mut()?.fill(1.5);
    /// assert_eq!(a.view()?.sum(), 6.0);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn view_mut(&mut self) -> Result<ArrayViewMutD<'_, T>> {
        let shape = self.shape.clone();
        let slice = self.as_mut_slice()?;
        Ok(ArrayViewMutD::from_shape(IxDyn(&shape), slice).expect(FITS))
    }

    /// A copy as an owned array, once the copies into this one are done.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice).
    ///
    /// # Example
    /// ```
    /// let host = lazuli::PinnedArray::<u8>::zeros(3)?.to_ndarray()?;
    /// assert_eq!(host, ndarray::arr1(&[0, 0, 0]).into_dyn());
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn to_ndarray(&self) -> Result<ArrayD<T>> {
        self.view().map(|view| view.to_owned())
    }

    /// Waits until all copies from and into the array are done.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice).
    ///
    /// # Example
    /// ```
    /// lazuli::PinnedArray::<u8>::zeros(3)?.synchronize()?;
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn synchronize(&self) -> Result<()> {
        self.wait(false)
    }

    /// Cuts the array into parts of `rows` positions along the first axis, the last one shorter
    /// where they do not divide it. The parts share the pinned memory, which goes when the last of
    /// them does, and each waits for its own copies.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice): copies of the whole array are waited for.
    ///
    /// # Panics
    /// Where the array has no axes or `rows` is 0.
    ///
    /// # Example
    /// ```
    /// let parts = lazuli::PinnedArray::<f32>::zeros([7, 2])?.into_parts(3)?;
    /// let shapes: Vec<&[usize]> = parts.iter().map(|part| part.shape()).collect();
    /// assert_eq!(shapes, [[3, 2], [3, 2], [1, 2]]);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    #[track_caller]
    pub fn into_parts(self, rows: usize) -> Result<Vec<PinnedArray<T>>> {
        assert!(!self.shape.is_empty(), "into_parts: an array without axes has no parts");
        assert!(rows > 0, "into_parts: a part has at least one row");
        // From here on each part waits for what it was copied itself.
        self.wait(false)?;
        let PinnedArray { memory, shape, device, last_from, .. } = self;
        let (address, whole) = (memory.address(), Arc::new(Whole { _memory: memory }));
        let row = len(&shape[1..]) * size_of::<T>();
        let part = |k: usize| {
            let mut shape = shape.clone();
            shape[0] = rows.min(shape[0] - k * rows);
            let memory =
                Buffer::new(address + (k * rows * row) as u64, shape[0] * row, whole.clone());
            let unchecked = Mutex::new(false);
            PinnedArray { memory, shape, device, last_from, unchecked, elements: PhantomData }
        };
        Ok((0..shape[0].div_ceil(rows)).map(part).collect())
    }

    /// The pinned memory.
    pub(super) fn memory(&self) -> &Buffer {
        &self.memory
    }

    fn address(&self) -> *mut T {
        match self.memory.bytes() {
            0 => std::ptr::NonNull::dangling().as_ptr(),
            _ => self.memory.address() as *mut T,
        }
    }

    /// Makes `bool`s of what a device has written. Who reads holds the lock or comes after it, and
    /// while anybody has a slice nothing is copied here, since a copy borrows the array mutably.
    fn check_bools(&self) {
        let mut unchecked = self.unchecked.lock();
        if std::mem::take(&mut *unchecked) {
            // SAFETY: the memory holds so many bytes; copies into it are done, and no slice of it
            // is left from before the last one.
            let bytes = unsafe {
                std::slice::from_raw_parts_mut(self.address().cast::<u8>(), self.memory.bytes())
            };
            as_bools(bytes);
        }
    }

    fn wait(&self, writes_alone: bool) -> Result<()> {
        self.memory.wait(writes_alone)?;
        if T::DTYPE == DType::Bool {
            self.check_bools();
        }
        faults::check(self.last_from)
    }
}

/// Why views are made without an error.
const FITS: &str = "there are as many elements as the shape says";

/// The memory of an array that was cut into parts: what the parts hold of it.
struct Whole {
    _memory: Buffer,
}

impl Memory for Whole {
    unsafe fn release(&self, _: u64, _: usize, uses: Option<Box<dyn Uses>>) {
        // The memory goes with the last part, and each has waited for its copies then; after a
        // failure the device copies nothing more.
        let _ = uses.map(|uses| uses.wait(false));
    }
}

impl<T: Element> fmt::Debug for PinnedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.view() {
            Ok(view) => view.fmt(f),
            Err(why) => write!(f, "PinnedArray of shape {:?}: {why}", &self.shape[..]),
        }
    }
}

impl<T: Element> DeviceArray<T> {
    /// Starts a copy of a pinned array to the current device, on the current
    /// [`Stream`](crate::Stream), and does not wait for it.
    ///
    /// **Shape.** The array's. **Laziness.** Uploads now, while the host goes on; what is computed
    /// from the array waits for the copy on the device. Changes of the host's array that come
    /// later do not show.
    ///
    /// # Errors
    /// [`Error::is_device`] where the device is missing or fails, [`Error::is_out_of_memory`].
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut host = lazuli::PinnedArray::from_vec(3, vec![1.0, 2.0, 3.0])?;
    /// let a = DeviceArray::from_pinned(&host)?;
    /// host.as_mut_slice()?.fill(0.0); // waits for the copy
    /// assert_eq!(a.to_vec()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_pinned(host: &PinnedArray<T>) -> Result<Self> {
        let device = located(Device::current())?;
        if device.is_placed() || device.is_cuda() != host.device.is_cuda() {
            return located(host.as_slice())
                .and_then(|slice| located(super::transfer::upload(slice, host.shape.clone())));
        }
        let bytes = host.memory.bytes();
        let _span = trace::upload(device, bytes);
        let buffer = located(device.backend().upload_pinned(&host.memory, bytes))?;
        let node = Node::source(buffer, host.shape.clone(), T::DTYPE, device);
        Ok(DeviceArray::from_node(node))
    }

    /// Computes the array and starts a copy into a pinned array of the same shape, on the current
    /// [`Stream`](crate::Stream); does not wait for it.
    ///
    /// **Laziness.** Evaluates; the host goes on, and waits when it reads the pinned array.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shapes differ, and as [`lazuli::eval`](crate::eval). What goes
    /// wrong on the device later is an error where the pinned array is read.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut host = lazuli::PinnedArray::zeros(4)?;
    /// DeviceArray::<f64>::linspace(0.0, 3.0, 4).copy_to_pinned(&mut host)?;
    /// assert_eq!(host.as_slice()?, [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn copy_to_pinned(&self, host: &mut PinnedArray<T>) -> Result<()> {
        if host.shape() != self.shape() {
            let (from, to) = (self.shape(), host.shape());
            return located(Err(Error::shape(format!(
                "copy_to_pinned: an array of shape {from:?} does not fit into shape {to:?}"
            ))));
        }
        let device = self.device();
        if device.is_placed() || device.is_cuda() != host.device.is_cuda() {
            let view = located(host.view_mut());
            return view.and_then(|mut view| self.copy_into(&mut view));
        }
        let data = located(self.data())?;
        host.last_from = device;
        *host.unchecked.get_mut() = true;
        let _span = trace::download(device.backend(), host.memory.bytes());
        located(device.backend().download_pinned(&data, &host.memory, host.memory.bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array, arr2, s};

    #[test]
    fn bytes_that_are_no_bools_become_some() {
        let cpu = Device::cpu();
        let buffer = cpu.backend().upload(&[0, 1, 2, 0x37, 0xff]).unwrap();
        let node = Node::source(buffer, Shape::from_slice(&[5]), DType::Bool, cpu);
        let array = DeviceArray::<bool>::from_node(node);
        assert_eq!(array.to_vec().unwrap(), [false, true, true, true, true]);
        let mut host = cpu.scope(|| PinnedArray::<bool>::zeros(5)).unwrap();
        array.copy_to_pinned(&mut host).unwrap();
        let bytes: Vec<u8> = host.as_slice().unwrap().iter().map(|&b| u8::from(b)).collect();
        assert_eq!(bytes, [0, 1, 1, 1, 1]);
        // SAFETY: a `bool` has one byte.
        let raw = unsafe { std::slice::from_raw_parts(host.address().cast::<u8>(), 5) };
        assert_eq!(raw, [0, 1, 1, 1, 1]);
    }

    #[test]
    fn arrays_of_every_layout_and_size_come_back() {
        let host = arr2(&[[1.5f32, 2.0, -3.0], [4.0, 5.0, f32::INFINITY]]);
        for view in
            [host.view().into_dyn(), host.t().into_dyn(), host.slice(s![.., ..;-2]).into_dyn()]
        {
            let pinned = PinnedArray::from_ndarray(&view).unwrap();
            assert_eq!(pinned.view().unwrap(), view);
            let a = DeviceArray::from_pinned(&pinned).unwrap();
            assert_eq!(a.copy_to_host().unwrap(), view);
            let mut back = PinnedArray::zeros(view.shape()).unwrap();
            (&a * 2.0).copy_to_pinned(&mut back).unwrap();
            assert_eq!(back.to_ndarray().unwrap(), view.mapv(|x| x * 2.0));
        }
        for shape in [vec![], vec![0], vec![3, 0, 2]] {
            let pinned = PinnedArray::<i16>::zeros(&shape[..]).unwrap();
            let a = DeviceArray::from_pinned(&pinned).unwrap();
            let mut back = PinnedArray::from_ndarray(&Array::from_elem(&shape[..], 7)).unwrap();
            a.copy_to_pinned(&mut back).unwrap();
            assert_eq!(back.view().unwrap(), Array::<i16, _>::zeros(&shape[..]));
        }
    }

    #[test]
    fn what_is_refused() {
        let error = PinnedArray::from_vec([2, 2], vec![1, 2, 3]).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("3 values"), "{error}");
        let error = PinnedArray::<f64>::zeros([1 << 40, 1 << 40]).unwrap_err();
        assert!(error.is_shape() || error.is_out_of_memory(), "{error}");
        let mut host = PinnedArray::<f64>::zeros([2, 3]).unwrap();
        let error = DeviceArray::<f64>::zeros([3, 2]).copy_to_pinned(&mut host).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("[3, 2]"), "{error}");
    }

    #[test]
    fn parts_are_disjoint_and_outlive_each_other() {
        let whole = PinnedArray::from_vec([7, 2], (0..14).collect::<Vec<i32>>()).unwrap();
        let mut parts = whole.into_parts(3).unwrap();
        parts[1].as_mut_slice().unwrap().fill(-1);
        let last = parts.pop().unwrap();
        assert_eq!(parts[0].as_slice().unwrap(), [0, 1, 2, 3, 4, 5]);
        drop(parts);
        assert_eq!(last.as_slice().unwrap(), [12, 13]);
        assert!(PinnedArray::<i32>::zeros([0, 2]).unwrap().into_parts(3).unwrap().is_empty());
        let thin = PinnedArray::<i32>::zeros([5, 0]).unwrap().into_parts(3).unwrap();
        assert_eq!(thin[1].shape(), [2, 0]);
    }
}
