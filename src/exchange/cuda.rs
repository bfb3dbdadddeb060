//! cudarc's memory of a GPU: in and out without a copy, with its stream and its context.

use super::memory::{Memory, Strides};
use crate::array::{DeviceArray, IntoShape, located};
use crate::backend::{Buffer, Device, Owner, RawStream, cuda};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::exchange::loan::Loan;
use crate::graph::Node;
use crate::shape::{Shape, checked_len};
use cudarc::driver::{CudaSlice, CudaStream, CudaView, DevicePtr, DevicePtrMut};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

mod sealed {
    use super::{Arc, CudaStream};

    pub trait Parts<T> {
        /// What keeps the memory.
        type Owner: Send + 'static;
        /// The address and the number of elements, and their stream.
        fn place(&self) -> (u64, usize, Arc<CudaStream>);
        fn owner(self) -> Self::Owner;
    }
}
use sealed::Parts;

/// Memory of cudarc's that [`DeviceArray::from_cuda`] takes over: a `CudaSlice<T>`, or an
/// `Arc<CudaSlice<T>>` that others read, too.
pub trait CudaMemory<T: Element>: Parts<T> {}

impl<T: Element> CudaMemory<T> for CudaSlice<T> {}
impl<T: Element> CudaMemory<T> for Arc<CudaSlice<T>> {}

impl<T: Element> Parts<T> for CudaSlice<T> {
    type Owner = Self;

    fn place(&self) -> (u64, usize, Arc<CudaStream>) {
        place(self)
    }

    fn owner(self) -> Self {
        self
    }
}

impl<T: Element> Parts<T> for Arc<CudaSlice<T>> {
    type Owner = Shared<T>;

    fn place(&self) -> (u64, usize, Arc<CudaStream>) {
        place(&**self)
    }

    fn owner(self) -> Shared<T> {
        Shared(self)
    }
}

/// A slice that others may write once they are its only holders.
pub struct Shared<T>(Arc<CudaSlice<T>>);

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        // The slice's stream has waited for what read it; noted as a read of the slice, this
        // makes writers on other streams wait as well.
        drop(self.0.device_ptr(self.0.stream()).1);
    }
}

/// Where memory lies. Its stream has waited for the last write when this returns.
fn place<T, S: DevicePtr<T>>(memory: &S) -> Place {
    let stream = memory.stream();
    let (address, noted) = memory.device_ptr(stream);
    drop(noted);
    (address, memory.len(), stream.clone())
}

/// The device whose primary context a stream belongs to.
fn device_of(stream: &CudaStream) -> Result<Device> {
    let device = Device::cuda(stream.context().ordinal())?;
    if cuda::primary_context(stream.context().ordinal())? != stream.context().cu_ctx() {
        return Err(Error::device(format!(
            "the stream belongs to another context of {device} than the primary one, in which \
             Lazuli's arrays are"
        )));
    }
    Ok(device)
}

fn raw(stream: &CudaStream) -> RawStream {
    // SAFETY: the stream is of a primary context, as `device_of` has found, and who keeps this
    // keeps the stream.
    unsafe { RawStream::from_handle(stream.cu_stream().cast()) }
}

/// An owner of memory with the stream on which the memory goes back.
struct OnStream<O> {
    _owner: O,
    _stream: Arc<CudaStream>,
}

/// An address, the number of elements from there on, and their stream.
type Place = (u64, usize, Arc<CudaStream>);

/// A node that reads memory in the order of its stream.
fn node<T: Element>(
    name: &'static str,
    (address, _, stream): Place,
    shape: Shape,
    strides: Option<Strides>,
    owner: impl Send + 'static,
) -> Result<Arc<Node>> {
    let device = device_of(&stream).map_err(|why| why.in_operation(name))?;
    let order = Some(raw(&stream));
    let memory = Memory { name, device, dtype: T::DTYPE, address, shape, strides, stream: order };
    memory.into_node(Owner::new(OnStream { _owner: owner, _stream: stream }))
}

fn adopt<T: Element>(
    name: &'static str,
    place: Place,
    shape: Shape,
    owner: impl Send + 'static,
) -> Result<DeviceArray<T>> {
    let len = place.1;
    if checked_len(name, &shape)? != len {
        return Err(Error::shape(format!("{name}: {len} elements do not fit shape {shape:?}")));
    }
    node::<T>(name, place, shape, None, owner).map(DeviceArray::from_node)
}

/// A node that reads a slice from an element on, by strides that stay inside of it.
#[cfg(feature = "candle-cuda")]
pub(super) fn strided<T: Element>(
    name: &'static str,
    slice: &CudaSlice<T>,
    first: usize,
    shape: Shape,
    strides: Strides,
    owner: impl Send + 'static,
) -> Result<Arc<Node>> {
    let (address, len, stream) = place(slice);
    let address = address + (first * size_of::<T>()) as u64;
    node::<T>(name, (address, len - first, stream), shape, Some(strides), owner)
}

impl<T: Element> DeviceArray<T> {
    /// Makes cudarc's memory of a GPU an array there, without a copy.
    ///
    /// What its stream computes comes before what Lazuli reads, and what Lazuli reads before
    /// whatever the slice's stream does next, without the host waiting for either; the slice goes
    /// when nothing reads it any more. Lazuli never writes it.
    ///
    /// **Shape.** As given; as many elements as the slice has. **Laziness.** Nothing is computed or
    /// copied. The context is the primary one of the slice's device, whoever retained it.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the number of elements is another one, [`Error::is_device`] where
    /// the slice is in a context that is not a primary one, or Lazuli cannot use the GPU.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::cudarc::driver::{CudaContext, CudaSlice};
    /// if Device::cuda(0).is_ok() {
    ///     let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    ///     let slice: CudaSlice<f64> = stream.clone_htod(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    ///     let a = DeviceArray::from_cuda(slice, [2, 2])?;
    ///     assert_eq!((&a + 1.0).sum(0).to_vec()?, [6.0, 8.0]);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "CudaSlice")]
    #[track_caller]
    pub fn from_cuda(memory: impl CudaMemory<T>, shape: impl IntoShape) -> Result<Self> {
        let (place, owner) = (memory.place(), memory.owner());
        located(adopt("from_cuda", place, shape.lengths(), owner))
    }

    /// Makes a part of cudarc's memory an array, without a copy; `owner` is what keeps the memory
    /// alive, `()` where the caller does.
    ///
    /// **Shape.** As given; as many elements as the view has. **Laziness.** As
    /// [`from_cuda`](Self::from_cuda).
    ///
    /// # Safety
    /// Until the owner is dropped the memory stays allocated and nobody writes it. It is dropped
    /// when nothing reads the memory any more, behind work on the view's stream.
    ///
    /// # Errors
    /// As [`from_cuda`](Self::from_cuda).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::cudarc::driver::{CudaContext, CudaSlice};
    /// use std::sync::Arc;
    /// if Device::cuda(0).is_ok() {
    ///     let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    ///     let slice: Arc<CudaSlice<i32>> = Arc::new(stream.clone_htod(&[1, 2, 3, 4]).unwrap());
    ///     let view = slice.slice(1..4);
    ///     // SAFETY: the slice is the owner, and nobody writes it.
    ///     let a = unsafe { DeviceArray::from_cuda_view(&view, 3, slice.clone()) }?;
    ///     assert_eq!(a.to_vec()?, [2, 3, 4]);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "CudaView")]
    #[track_caller]
    pub unsafe fn from_cuda_view(
        view: &CudaView<'_, T>,
        shape: impl IntoShape,
        owner: impl Send + 'static,
    ) -> Result<Self> {
        located(adopt("from_cuda_view", place(view), shape.lengths(), owner))
    }

    /// Computes the array and gives its memory to cudarc, as a slice that belongs to a stream.
    ///
    /// The stream waits for the data, and the host for nothing. Where somebody else can see the data
    /// (a clone of the array, an expression that reads it, the library that it came from), the
    /// slice is a copy.
    ///
    /// **Shape.** Is lost: a slice has the elements in C order. **Laziness.** Evaluates.
    ///
    /// # Errors
    /// [`Error::is_device`] where the array is not on the stream's device, and as
    /// [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::cudarc::driver::CudaContext;
    /// if let Ok(gpu) = Device::cuda(0) {
    ///     let a = gpu.scope(|| DeviceArray::<f32>::linspace(0.0, 1.0, 3)) * 2.0;
    ///     let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    ///     let slice = a.into_cuda(&stream)?;
    ///     assert_eq!(stream.clone_dtoh(&slice).unwrap(), [0.0, 1.0, 2.0]);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "CudaSlice")]
    #[track_caller]
    pub fn into_cuda(mut self, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
        let len = self.len();
        let taken = same_device("into_cuda", self.device(), stream).and_then(|device| {
            if len == 0 {
                return Ok(None);
            }
            let data = self.data_mut()?;
            device.backend().lend(&data, Some(raw(stream)))?;
            Ok(Some(data))
        });
        let data = located(taken)?;
        drop(self);
        let Some(data) = data else {
            let why = |why| Error::device(format!("into_cuda: {why}"));
            return located(stream.null().map_err(why));
        };
        let held = || Error::device("into_cuda: somebody else took the data at the same time");
        let buffer = located(Arc::into_inner(data).ok_or_else(held))?;
        let address = located(buffer.surrender().map_err(|_: Buffer| held()))?;
        // SAFETY: the block was allocated for so many elements in the stream's context, by the pool
        // or the call that cudarc frees it with, it holds elements, and nobody else has it.
        Ok(unsafe { stream.upgrade_device_ptr(address, len) })
    }

    /// Computes the array and lends its data to cudarc, to be read.
    ///
    /// The stream waits for the data, and the host for nothing. What is given to the stream, or to
    /// others with the slice as an argument, while this lives comes before whatever Lazuli does
    /// with the memory afterwards.
    ///
    /// **Laziness.** Evaluates.
    ///
    /// # Errors
    /// As [`into_cuda`](Self::into_cuda).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::cudarc::driver::CudaContext;
    /// if let Ok(gpu) = Device::cuda(0) {
    ///     let a = gpu.scope(|| DeviceArray::<f32>::linspace(0.0, 1.0, 3));
    ///     let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    ///     let lent = a.lend_cuda(&stream)?;
    ///     assert_eq!(stream.clone_dtoh(&lent.slice(1..)).unwrap(), [0.5, 1.0]);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "CudaView")]
    #[track_caller]
    pub fn lend_cuda(&self, stream: &Arc<CudaStream>) -> Result<LentCuda<T>> {
        let lend = |device| {
            let loan = Loan::new(self.data()?, device, Some(raw(stream)))?;
            // SAFETY: the buffer holds so many elements, and the slice is never dropped as one that
            // owns them.
            let slice = unsafe { stream.upgrade_device_ptr(loan.address(), self.len()) };
            Ok(LentCuda { slice: ManuallyDrop::new(slice), _loan: loan })
        };
        located(same_device("lend_cuda", self.device(), stream).and_then(lend))
    }
}

/// The device of an array, which is to be that of a stream.
fn same_device(name: &'static str, device: Device, stream: &CudaStream) -> Result<Device> {
    if !device.is_cuda() {
        return Err(Error::device(format!("{name}: the array lives on {device}, not on a GPU")));
    }
    let other = device_of(stream).map_err(|why| why.in_operation(name))?;
    match other == device {
        true => Ok(device),
        false => Err(Error::device(format!(
            "{name}: the array lives on {device}, and the stream belongs to {other}"
        ))),
    }
}

/// The data of an array on a GPU as a slice of cudarc's, to be read; [`DeviceArray::lend_cuda`]
/// makes one.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::exchange::cudarc::driver::CudaContext;
/// if let Ok(gpu) = Device::cuda(0) {
///     let a = gpu.scope(|| DeviceArray::<i64>::arange_to(5));
///     let stream = CudaContext::new(0).unwrap().default_stream();
///     assert_eq!(a.lend_cuda(&stream)?.len(), 5);
/// }
/// # Ok::<(), Error>(())
/// ```
pub struct LentCuda<T: Element> {
    slice: ManuallyDrop<CudaSlice<T>>,
    /// Behind the slice, whose events its stream waits for first.
    _loan: Loan,
}

impl<T: Element> Deref for LentCuda<T> {
    type Target = CudaSlice<T>;

    fn deref(&self) -> &CudaSlice<T> {
        &self.slice
    }
}

impl<T: Element> Drop for LentCuda<T> {
    fn drop(&mut self) {
        // SAFETY: the slice is taken once, and not used again.
        let mut slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        let stream = slice.stream().clone();
        // The slice's stream, for which Lazuli waits next, waits for those that used it.
        drop(slice.device_ptr_mut(&stream).1);
        slice.leak();
    }
}

impl<T: Element> fmt::Debug for LentCuda<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LentCuda({} elements of {})", self.slice.len(), T::DTYPE)
    }
}
