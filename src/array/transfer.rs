//! Between host and device.

use super::args::IntoShape;
use super::numbers::number_of;
use super::{AnyArray, DeviceArray, located, over};
use crate::backend::{Device, faults, placement, trace};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::eval::shards::exchange::run_of;
use crate::eval::{evaluate, read_element};
use crate::graph::Node;
use crate::shape::{Shape, checked_len};
use ndarray::{ArrayD, ArrayRef, Dimension, IxDyn};
use std::alloc::{Layout, alloc_zeroed};
use std::borrow::Borrow;
use std::sync::Arc;

/// Computes several arrays together, in one kernel where they fuse.
///
/// The arrays may have different element types. Arrays that are computed already cost nothing.
///
/// **Laziness.** Evaluates; the work is started and not waited for.
///
/// # Errors
/// What evaluation meets: no device, no memory, a kernel that does not compile. Every array stays
/// usable.
///
/// Arrays of a list are given to [`eval_all`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let x = DeviceArray::<f64>::linspace(0.0, 1.0, 100);
/// let (total, last) = (x.sum(..), x.argmax(..));
/// lazuli::eval(&[&total, &last])?;
/// assert!(total.is_evaluated() && last.is_evaluated());
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn eval(arrays: &[&dyn AnyArray]) -> Result<()> {
    let nodes: smallvec::SmallVec<[Arc<Node>; 4]> =
        arrays.iter().map(|a| a.any_node().0.clone()).collect();
    located(evaluate(&nodes))
}

/// Makes the evaluation of several arrays ready without running it: plans it and compiles its
/// kernels, side by side, so that [`eval`] does not wait for that.
///
/// What was made ready is found by every evaluation of expressions of the same structure, types and
/// sizes, whatever their data.
///
/// **Laziness.** Plans and compiles; runs nothing, and the arrays stay as they are.
///
/// # Errors
/// As [`eval`], but for what running meets.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let step = |x: &DeviceArray<f64>| (x.sin() * 0.5).sum(keep(-1)) + x;
/// lazuli::warm_up(&[&step(&DeviceArray::ones([40, 960]))])?;
/// let x = step(&DeviceArray::zeros([40, 960]));
/// let before = lazuli::counters();
/// x.eval()?;
/// let after = lazuli::counters();
/// assert_eq!((after.plans, after.compiled), (before.plans, before.compiled));
/// assert_eq!(x.sum(..).item()?, 0.0);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "prepare")]
#[track_caller]
pub fn warm_up(arrays: &[&dyn AnyArray]) -> Result<()> {
    let nodes: smallvec::SmallVec<[Arc<Node>; 4]> =
        arrays.iter().map(|a| a.any_node().0.clone()).collect();
    located(crate::eval::prepare(&nodes).map(drop))
}

/// Evaluates the arrays of a vector, a slice or any iterator together: [`eval`] for arrays that are
/// held in a list.
///
/// # Errors
/// As [`eval`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let weights: Vec<_> = (1..4).map(|n| DeviceArray::<f64>::ones([n, n]) * 0.5).collect();
/// let biases = [DeviceArray::<f64>::zeros(3) + 1.0];
/// lazuli::eval_all(&weights)?;
/// lazuli::eval_all(weights.iter().chain(&biases))?;
/// assert!(weights[2].is_evaluated() && biases[0].is_evaluated());
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn eval_all<'a, A>(arrays: impl IntoIterator<Item = &'a A>) -> Result<()>
where
    A: AnyArray + ?Sized + 'a,
{
    let nodes: smallvec::SmallVec<[Arc<Node>; 4]> =
        arrays.into_iter().map(|a| a.any_node().0.clone()).collect();
    located(evaluate(&nodes))
}

/// Copies an `ndarray` array of any layout to the current device.
///
/// [`DeviceArray::from_ndarray`] under the name that Numba gives it.
///
/// # Errors
/// [`Error::is_device`] and [`Error::is_out_of_memory`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = ndarray::arr2(&[[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(to_device(&a.t())?.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "asarray")]
#[track_caller]
pub fn to_device<T: Element, D: Dimension>(array: &ArrayRef<T, D>) -> Result<DeviceArray<T>> {
    DeviceArray::from_ndarray(array)
}

impl<T: Element> DeviceArray<T> {
    /// Copies an `ndarray` array to the current device: owned or a view, of any layout and rank.
    ///
    /// **Shape.** The array's. **Laziness.** Uploads now; an array in C order is not copied on the
    /// host first. NumPy: `array`; CuPy: `asarray`.
    ///
    /// # Errors
    /// [`Error::is_device`] where the device is missing or fails, [`Error::is_out_of_memory`].
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let host = ndarray::arr1(&[1.0f32, 2.0, 3.0]);
    /// let a = DeviceArray::from_ndarray(&host)?;
    /// assert_eq!(a.copy_to_host()?, host.into_dyn());
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "array")]
    #[doc(alias = "asarray")]
    #[track_caller]
    pub fn from_ndarray<D: Dimension>(array: &ArrayRef<T, D>) -> Result<Self> {
        let shape = Shape::from_slice(array.shape());
        located(match array.as_slice() {
            Some(slice) => upload(slice, shape),
            None => upload(&array.iter().copied().collect::<Vec<T>>(), shape),
        })
    }

    /// Copies a slice to the current device.
    ///
    /// **Shape.** One axis. **Laziness.** Uploads now. NumPy: `array`.
    ///
    /// # Errors
    /// As [`from_ndarray`](Self::from_ndarray).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1i64, 2, 3])?;
    /// assert_eq!(a.sum(..).item()?, 6);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    #[doc(alias = "array")]
    pub fn from_slice(values: &[T]) -> Result<Self> {
        located(upload(values, Shape::from_slice(&[values.len()])))
    }

    /// Copies a vector to the current device, its values in C order under a shape.
    ///
    /// **Laziness.** Uploads now. NumPy: `array`, then `reshape`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the values do not fit the shape, and as
    /// [`from_ndarray`](Self::from_ndarray).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(a.t().to_vec()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_vec(shape: impl IntoShape, values: Vec<T>) -> Result<Self> {
        let shape = shape.lengths();
        let make = || {
            if checked_len("from_vec", &shape)? != values.len() {
                return Err(Error::shape(format!(
                    "from_vec: {} values do not fit shape {shape:?}",
                    values.len()
                )));
            }
            upload(&values, shape)
        };
        located(make())
    }

    /// Computes the array, if that has not happened.
    ///
    /// **Laziness.** Evaluates; the work is started and not waited for.
    ///
    /// # Errors
    /// As [`lazuli::eval`](eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::ones([3]).sqrt();
    /// a.eval()?;
    /// assert!(a.is_evaluated());
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn eval(&self) -> Result<()> {
        located(evaluate(std::slice::from_ref(self.node())))
    }

    /// Computes the array and copies it into a new `ndarray` array in C order.
    /// [`copy_to_array`](Self::copy_to_array) gives one of a known number of axes.
    ///
    /// **Laziness.** Evaluates and waits. CuPy: `asnumpy`, `get`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 3) * 2.0;
    /// assert_eq!(a.copy_to_host()?, ndarray::arr1(&[0.0, 1.0, 2.0]).into_dyn());
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "asnumpy")]
    #[track_caller]
    pub fn copy_to_host(&self) -> Result<ArrayD<T>> {
        let values = self.to_vec()?;
        Ok(ArrayD::from_shape_vec(IxDyn(self.shape()), values).expect("as many as the shape says"))
    }

    /// Computes the array and copies its elements, in C order, into a vector.
    ///
    /// **Laziness.** Evaluates and waits. NumPy: `ravel().tolist()`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<u8>::arange_to(3).to_vec()?, [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "tolist")]
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.eval()?;
        let mut values = located(zeroed(self.len()))?;
        located(self.download(&mut values))?;
        Ok(values)
    }

    /// Computes an array of one element and gives that element.
    ///
    /// **Laziness.** Evaluates and waits. NumPy: `item`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there is not exactly one element, and as
    /// [`lazuli::eval`](eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<f64>::ones([2, 3]).sum(..).item()?, 6.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn item(&self) -> Result<T> {
        if self.len() != 1 {
            let shape = self.shape();
            return located(Err(Error::shape(format!(
                "item: an array of shape {shape:?} does not have exactly one element"
            ))));
        }
        let mut value = [T::default()];
        if self.read_at_once(&mut value[0]) {
            return located(faults::check(self.device())).map(|()| value[0]);
        }
        self.eval()?;
        located(self.download(&mut value))?;
        Ok(value[0])
    }

    /// Computes the array and copies it into an `ndarray` array or view of the same shape.
    ///
    /// **Laziness.** Evaluates and waits. CuPy: `get(out=…)`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shapes differ, and as [`lazuli::eval`](eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let mut host = ndarray::Array1::zeros(3);
    /// DeviceArray::<f64>::ones([3]).copy_into(&mut host)?;
    /// assert_eq!(host.sum(), 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn copy_into<D: Dimension>(&self, into: &mut ArrayRef<T, D>) -> Result<()> {
        if into.shape() != self.shape() {
            let (from, to) = (self.shape(), into.shape());
            return located(Err(Error::shape(format!(
                "copy_into: an array of shape {from:?} does not fit into shape {to:?}"
            ))));
        }
        if let Some(slice) = into.as_slice_mut() {
            self.eval()?;
            return located(self.download(slice));
        }
        let values = self.to_vec()?;
        into.iter_mut().zip(values).for_each(|(to, from)| *to = from);
        Ok(())
    }

    /// The same values on another device, or over several, as [`Mesh`](crate::mesh::Mesh) has them.
    ///
    /// **Laziness.** On another device: evaluates and copies, between GPUs from memory to memory. What
    /// is made of numbers alone (`zeros`, `arange`, draws) is recorded there and not computed. Over the
    /// same devices in another way: records. On the device where the array is: gives another handle.
    /// CuPy: `asarray` on the other device; JAX: `device_put`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](eval), and [`Error::is_shape`] where the array has no axis along which it
    /// is to be cut.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::ones([3]).to(Device::cpu())?;
    /// assert_eq!(a.device(), Device::cpu());
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "asarray")]
    #[doc(alias = "device_put")]
    #[track_caller]
    pub fn to(&self, device: impl Borrow<Device>) -> Result<Self> {
        let device = *device.borrow();
        if device == self.device() {
            return Ok(self.clone());
        }
        located(over::to(self.node(), device)).map(DeviceArray::from_node)
    }

    /// Reads the only element, if it is there; says whether it is.
    fn read_at_once(&self, into: &mut T) -> bool {
        if let Some(number) = number_of(self.node()).and_then(|number| number.get()) {
            *into = number;
            return true;
        }
        // Other programs' memory may hold any byte for a `bool`.
        if T::DTYPE == DType::Bool {
            return false;
        }
        // SAFETY: every other element is plain old data without padding, and takes any bytes.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(std::ptr::from_mut(into).cast::<u8>(), size_of::<T>())
        };
        read_element(self.node(), bytes)
    }

    /// Copies the computed data into host memory of the same length.
    #[track_caller]
    pub(crate) fn download(&self, into: &mut [T]) -> Result<()> {
        if into.is_empty() {
            return Ok(());
        }
        let missing = || Error::device("the data of an evaluated array is not there");
        if self.device().is_placed() {
            // SAFETY: as below; every element type but `bool` takes any bytes.
            let bytes = unsafe {
                std::slice::from_raw_parts_mut(into.as_mut_ptr().cast::<u8>(), size_of_val(into))
            };
            over::download(self.node(), bytes)?;
            if T::DTYPE == DType::Bool {
                as_bools(bytes);
            }
            let Some(placement) = self.device().placement() else { return Ok(()) };
            let found = placement.devices.iter().try_for_each(|&device| faults::check(device));
            // What a kernel of this process found, no other one knows.
            return found.inspect_err(|error| {
                if let Some(run) = run_of(placement.devices) {
                    run.fail(error);
                }
            });
        }
        let buffer = self.node().data().ok_or_else(missing)?;
        // SAFETY: elements are plain old data without padding, every byte pattern is valid for them
        // but for `bool`, and for that `as_bools` makes them valid before anybody reads them.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(into.as_mut_ptr().cast::<u8>(), size_of_val(into))
        };
        let backend = self.device().backend();
        let downloaded = {
            let _span = trace::download(backend, bytes.len());
            backend.download(&buffer, bytes)
        };
        if T::DTYPE == DType::Bool {
            as_bools(bytes);
        }
        downloaded?;
        faults::check(self.device())
    }
}

/// Makes every byte 0 or 1. A kernel on a GPU that reads shared memory before anybody has written it
/// may have stored any byte as a `bool`.
pub(crate) fn as_bools(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
}

#[track_caller]
pub(super) fn upload<T: Element>(values: &[T], shape: Shape) -> Result<DeviceArray<T>> {
    let device = Device::current()?;
    if device.is_placed() {
        return over::upload(device, bytes_of(values), shape, T::DTYPE).map(DeviceArray::from_node);
    }
    upload_to(device, values, shape)
}

fn bytes_of<T: Element>(values: &[T]) -> &[u8] {
    // SAFETY: elements are plain old data without padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) }
}

/// A copy of an array of the host, of any layout, on a device.
#[track_caller]
pub(super) fn upload_array<T: Element, D: Dimension>(
    device: Device,
    array: &ArrayRef<T, D>,
) -> Result<DeviceArray<T>> {
    let shape = Shape::from_slice(array.shape());
    match array.as_slice() {
        Some(slice) => upload_to(device, slice, shape),
        None => {
            let ordered: Vec<T> = array.iter().copied().collect();
            upload_to(device, &ordered, shape)
        }
    }
}

#[track_caller]
pub(crate) fn upload_to<T: Element>(
    device: Device,
    values: &[T],
    shape: Shape,
) -> Result<DeviceArray<T>> {
    checked_len("from_ndarray", &shape)?;
    let bytes = bytes_of(values);
    if device.is_placed() {
        // Operations that need a list have it on each device; users cut arrays.
        let device = device.with_layout(placement::Layout::Whole);
        return over::upload(device, bytes, shape, T::DTYPE).map(DeviceArray::from_node);
    }
    let _span = trace::upload(device, bytes.len());
    let buffer = device.backend().upload(bytes).map_err(|error| error.in_step("upload"))?;
    Ok(DeviceArray::from_node(Node::source(buffer, shape, T::DTYPE, device)))
}

/// A vector of zeros, from pages that the system clears when they are first touched; an error
/// where the host has no room for it.
fn zeroed<T: Element>(len: usize) -> Result<Vec<T>> {
    if len == 0 {
        return Ok(Vec::new());
    }
    let full = || {
        let bytes = len.saturating_mul(size_of::<T>());
        Error::out_of_memory(format!("copy_to_host: cannot allocate {bytes} bytes"))
    };
    let layout = Layout::array::<T>(len).map_err(|_| full())?;
    // SAFETY: the layout has a size above zero; the memory comes from the global allocator with
    // the layout that Vec<T> gives back, and zero bytes are a valid value of every element type.
    unsafe {
        let memory = alloc_zeroed(layout).cast::<T>();
        if memory.is_null() {
            return Err(full());
        }
        // The pages are touched first by the copy that fills them.
        crate::backend::pages::ask_for_large_pages(memory.cast(), layout.size());
        Ok(Vec::from_raw_parts(memory, len, len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array, ShapeBuilder, arr0, s};

    #[test]
    fn every_layout_arrives_in_its_order() {
        let host = Array::from_shape_vec((2, 3).f(), (0..6).collect::<Vec<i32>>()).unwrap();
        for view in
            [host.view().into_dyn(), host.t().into_dyn(), host.slice(s![.., ..;-2]).into_dyn()]
        {
            let a = DeviceArray::from_ndarray(&view).unwrap();
            assert_eq!(a.copy_to_host().unwrap(), view);
        }
        let scalar = arr0(2.5);
        assert_eq!(to_device(&scalar).unwrap().copy_to_host().unwrap(), scalar.into_dyn());
        let empty = Array::<f32, _>::zeros((0, 4));
        assert_eq!(to_device(&empty).unwrap().copy_to_host().unwrap(), empty.into_dyn());
    }

    #[test]
    fn copies_into_views() {
        let a = DeviceArray::<i32>::arange_to(4).reshape([2, 2]);
        let mut host = Array::zeros((2, 4));
        a.copy_into(&mut host.slice_mut(s![.., ..;2])).unwrap();
        assert_eq!(host.as_slice().unwrap(), [0, 0, 1, 0, 2, 0, 3, 0]);
        assert!(a.copy_into(&mut Array::zeros(4)).unwrap_err().is_shape());
    }

    #[test]
    fn what_transfers_refuse() {
        let error = DeviceArray::from_vec([2, 2], vec![1, 2, 3]).unwrap_err();
        assert!(error.to_string().starts_with("from_vec: 3 values do not fit shape [2, 2] ("));
        let error = DeviceArray::<f32>::zeros([2]).item().unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("transfer.rs:"));
    }

    #[test]
    fn what_the_host_has_no_room_for_is_an_error() {
        for len in [1 << 50, isize::MAX as usize / 8, usize::MAX] {
            let error = zeroed::<f64>(len).unwrap_err();
            assert!(error.is_out_of_memory(), "{error}");
        }
        assert_eq!(zeroed::<i16>(3).unwrap(), [0, 0, 0]);
    }

    #[test]
    fn empty_arrays_of_long_axes_are_refused_or_copied() {
        for shape in [[0, 1 << 40, 1 << 40], [1 << 40, 1 << 40, 0]] {
            let error = DeviceArray::<f64>::try_zeros(shape).unwrap_err();
            assert!(error.is_shape() && error.to_string().contains("too many elements"), "{error}");
        }
        let long = DeviceArray::<f64>::zeros([1 << 30, 0, 1 << 20]);
        assert_eq!(long.copy_to_host().unwrap().shape(), [1 << 30, 0, 1 << 20]);
    }

    #[test]
    fn arrays_of_several_types_are_computed_together() {
        let a = DeviceArray::<f64>::linspace(0.0, 1.0, 5);
        let (b, c) = (a.sum(..), a.greater(0.5));
        eval(&[&b, &c]).unwrap();
        assert!(b.is_evaluated() && c.is_evaluated() && !a.is_evaluated());
    }
}
