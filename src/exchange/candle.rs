//! candle's tensors.

use super::memory::{Memory, Strides};
use crate::array::{AnyArray, DeviceArray, TypedArray, located};
use crate::backend::{Device, Owner};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::Shape;
use candle_core::{CpuStorage, Layout, Storage, Tensor, WithDType};
use std::panic::Location;
use std::sync::Arc;

const FROM: &str = "from_candle";
const INTO: &str = "into_candle";

/// Takes the data of a candle tensor, without a copy; with the feature `candle`, and for tensors
/// on a GPU `candle-cuda`.
///
/// The array holds the tensor, and reads it by its strides. It lives where the tensor does. On a GPU
/// what candle has given its stream to do comes before what Lazuli reads, and that before what
/// candle does with the memory later.
///
/// **Shape.** The tensor's. **Dtype.** `u8`, `u32`, `i16` to `i64`, halves, `f32`, `f64`.
/// **Laziness.** Nothing is computed or copied.
///
/// # Safety
/// Nobody writes the tensor's memory while the array lives, or anything that was recorded from it
/// and is not evaluated. Of candle's operations those do that change a tensor in place:
/// `Var::set`, `slice_set`, `inplace_op1` and their kin.
///
/// # Errors
/// [`Error::is_unsupported`] for other types, [`Error::is_device`] for tensors on other devices.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use candle_core::{Device, Tensor};
/// let tensor = Tensor::new(&[[1f32, 2.0], [3.0, 4.0]], &Device::Cpu).unwrap().t().unwrap();
/// // SAFETY: nobody changes the tensor in place.
/// let TypedArray::F32(a) = unsafe { lazuli::exchange::from_candle(&tensor) }? else { panic!() };
/// assert_eq!(a.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub unsafe fn from_candle(tensor: &Tensor) -> Result<TypedArray> {
    let here = Location::caller();
    node_of(tensor).map(TypedArray::from_node).map_err(|why| why.at(here))
}

fn node_of(tensor: &Tensor) -> Result<Arc<Node>> {
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(storage) => on_the_host(storage, layout, tensor),
        #[cfg(feature = "candle-cuda")]
        Storage::Cuda(storage) => on_a_gpu(storage, layout, tensor),
        _ => {
            let place = tensor.device().location();
            Err(Error::device(format!("{FROM}: a tensor on {place:?} cannot be read")))
        }
    }
}

/// The lengths and the steps of a tensor's axes.
fn axes(layout: &Layout) -> (Shape, Strides) {
    let strides = layout.stride().iter().map(|&stride| stride as i64);
    (Shape::from_slice(layout.dims()), strides.collect())
}

fn unknown(tensor: &Tensor) -> Error {
    let dtype = tensor.dtype();
    Error::unsupported(format!("{FROM}: {dtype:?} is no type of Lazuli's elements"))
}

fn on_the_host(storage: &CpuStorage, layout: &Layout, tensor: &Tensor) -> Result<Arc<Node>> {
    fn node<T: Element>(values: &[T], layout: &Layout, tensor: &Tensor) -> Result<Arc<Node>> {
        let (shape, strides) = axes(layout);
        let first = values.as_ptr().wrapping_add(layout.start_offset());
        let memory = Memory {
            name: FROM,
            device: Device::cpu(),
            dtype: T::DTYPE,
            address: first.expose_provenance() as u64,
            shape,
            strides: Some(strides),
            stream: None,
        };
        memory.into_node(Owner::new(tensor.clone()))
    }
    macro_rules! by_type {
        ($($name:ident)*) => {
            match storage {
                $(CpuStorage::$name(values) => node(values, layout, tensor),)*
                _ => Err(unknown(tensor)),
            }
        };
    }
    by_type!(U8 U32 I16 I32 I64 BF16 F16 F32 F64)
}

#[cfg(feature = "candle-cuda")]
fn on_a_gpu(
    storage: &candle_core::CudaStorage,
    layout: &Layout,
    tensor: &Tensor,
) -> Result<Arc<Node>> {
    use candle_core::cuda_backend::CudaStorageSlice;
    macro_rules! by_type {
        ($($name:ident)*) => {
            match &storage.slice {
                $(CudaStorageSlice::$name(slice) => {
                    let (shape, strides) = axes(layout);
                    let first = layout.start_offset();
                    super::cuda::strided(FROM, slice, first, shape, strides, tensor.clone())
                })*
                _ => Err(unknown(tensor)),
            }
        };
    }
    by_type!(U8 U32 I16 I32 I64 BF16 F16 F32 F64)
}

impl<T: Element + WithDType> DeviceArray<T> {
    /// Takes the data of a candle tensor whose elements have this type, without a copy;
    /// [`exchange::from_candle`](from_candle) where the type is to be found out.
    ///
    /// # Safety
    /// As [`exchange::from_candle`](from_candle).
    ///
    /// # Errors
    /// As [`exchange::from_candle`](from_candle), and [`Error::is_shape`] where the elements have
    /// another type.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use candle_core::Tensor;
    /// let tensor = Tensor::arange(0i64, 5, &candle_core::Device::Cpu).unwrap();
    /// // SAFETY: nobody changes the tensor in place.
    /// let a = unsafe { DeviceArray::<i64>::from_candle(&tensor) }?;
    /// assert_eq!(a.sum(..).item()?, 10);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub unsafe fn from_candle(tensor: &Tensor) -> Result<Self> {
        // SAFETY: the caller's promise.
        let array = unsafe { from_candle(tensor) }?;
        (&array as &dyn AnyArray).try_typed_as()
    }

    /// Computes the array and makes it a candle tensor on a device.
    ///
    /// From a GPU to candle's device of the same GPU (with the feature `candle-cuda`) nothing is
    /// copied, unless somebody else sees the array's data. candle's tensors on the processor own
    /// vectors, so that those are copies.
    ///
    /// **Shape.** The array's. **Laziness.** Evaluates; waits where it copies.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval), and [`Error::is_device`] where candle fails.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f32>::linspace(0.0, 1.0, 3).exp();
    /// let tensor = a.into_candle(&candle_core::Device::Cpu)?;
    /// assert_eq!(tensor.to_vec1::<f32>().unwrap()[0], 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn into_candle(self, device: &candle_core::Device) -> Result<Tensor> {
        let failed = |why| Error::device(format!("{INTO}: {why}"));
        #[cfg(feature = "candle-cuda")]
        if let candle_core::Device::Cuda(gpu) = device
            && self.device().is_cuda()
        {
            return self.into_candle_gpu(gpu);
        }
        let shape = self.shape().to_vec();
        located(Tensor::from_vec(self.to_vec()?, shape, device).map_err(failed))
    }

    #[cfg(feature = "candle-cuda")]
    #[track_caller]
    fn into_candle_gpu(self, gpu: &candle_core::CudaDevice) -> Result<Tensor> {
        use crate::array::AnyArray as _;
        use candle_core::cuda_backend::CudaStorageSlice;
        let shape = self.shape().to_vec();
        let stream = gpu.cuda_stream();
        macro_rules! by_type {
            ($($name:ident)*) => {
                match self.any_typed() {
                    $(TypedArray::$name(array) => {
                        // The only handle, so that the data is nobody else's.
                        drop(self);
                        CudaStorageSlice::$name(array.into_cuda(&stream)?)
                    })*
                    other => {
                        let why = format!("{INTO}: candle has no {}", other.any_dtype());
                        return located(Err(Error::unsupported(why)));
                    }
                }
            };
        }
        let slice = by_type!(U8 U32 I16 I32 I64 BF16 F16 F32 F64);
        let storage = candle_core::CudaStorage { slice, device: gpu.clone() };
        let op = candle_core::op::BackpropOp::none();
        Ok(Tensor::from_storage(Storage::Cuda(storage), shape, op, false))
    }
}
