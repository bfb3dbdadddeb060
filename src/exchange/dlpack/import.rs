//! From DLPack.

use super::abi::{DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLTensor};
use crate::array::{AnyArray, DeviceArray, TypedArray, located};
use crate::backend::{Device, Owner, RawStream};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::exchange::memory::{Memory, Strides};
use crate::shape::{MAX_RANK, Shape};
use std::panic::Location;
use std::ptr::NonNull;

const NAME: &str = "from_dlpack";

pub(super) mod sealed {
    use super::{DLTensor, Result};

    /// What both structures of DLPack have.
    pub trait Managed: 'static {
        /// The tensor, where its layout is known.
        ///
        /// # Safety
        /// `this` is a tensor that a producer has filled in.
        unsafe fn tensor(this: *mut Self) -> Result<DLTensor>;

        /// Gives the tensor back to its producer.
        ///
        /// # Safety
        /// As [`tensor`](Self::tensor), and it is done once.
        unsafe fn delete(this: *mut Self);
    }
}
use sealed::Managed;

/// One of DLPack's two structures: [`DLManagedTensorVersioned`] and the older [`DLManagedTensor`].
pub trait ManagedTensor: Managed {}

impl ManagedTensor for DLManagedTensor {}
impl ManagedTensor for DLManagedTensorVersioned {}

impl Managed for DLManagedTensor {
    unsafe fn tensor(this: *mut Self) -> Result<DLTensor> {
        // SAFETY: the producer has filled the structure in.
        Ok(unsafe { (*this).dl_tensor })
    }

    unsafe fn delete(this: *mut Self) {
        // SAFETY: as above, and the caller's promise.
        unsafe {
            if let Some(delete) = (*this).deleter {
                delete(this);
            }
        }
    }
}

impl Managed for DLManagedTensorVersioned {
    unsafe fn tensor(this: *mut Self) -> Result<DLTensor> {
        // SAFETY: every version begins with the version, the context, the deleter and the flags.
        let version = unsafe { (*this).version };
        if version.major != Self::VERSION.major {
            return Err(Error::unsupported(format!(
                "{NAME}: the tensor is of DLPack {}.{}, and {}.x is known",
                version.major,
                version.minor,
                Self::VERSION.major
            )));
        }
        // SAFETY: the producer has filled in the structure of this version.
        Ok(unsafe { (*this).dl_tensor })
    }

    unsafe fn delete(this: *mut Self) {
        // SAFETY: as for the version, and the caller's promise.
        unsafe {
            if let Some(delete) = (*this).deleter {
                delete(this);
            }
        }
    }
}

/// A producer's tensor, given back when dropped.
struct Given<M: ManagedTensor>(NonNull<M>);

// SAFETY: DLPack has consumers give tensors back from any thread.
unsafe impl<M: ManagedTensor> Send for Given<M> {}

impl<M: ManagedTensor> Drop for Given<M> {
    fn drop(&mut self) {
        // SAFETY: whoever handed the tensor over vouches for it, and gave it away.
        unsafe { M::delete(self.0.as_ptr()) }
    }
}

/// Takes over a tensor of another library, without a copy.
///
/// The tensor is consumed in any case: its deleter runs once, when nothing reads the data any
/// more, or when this call fails; on whichever thread that is. No lock of Lazuli's is held then.
///
/// `stream` is the one on which the producer computes the data, and on which it goes on with the
/// memory once it is given back: in Python, the one that was named to `__dlpack__`. Without one the
/// data has to be there, and the host waits before it gives the tensor back. The processor needs
/// none.
///
/// **Shape.** The tensor's; strides and the byte offset are read in place, and memory in C order is
/// the array's data. **Dtype.** `bool`, integers, halves, floats and complex numbers of one lane.
/// **Laziness.** Nothing is computed or copied. Lazuli never writes the data, be it read-only or
/// not: an assignment makes a copy first. The array lives where the data lies: on the processor for
/// memory of the host, pinned memory included (which has to be there, whatever the stream), else on
/// the GPU of that number.
///
/// NumPy, CuPy, PyTorch: `from_dlpack`.
///
/// # Safety
/// - The pointer is null or to a tensor as DLPack describes it, which nobody else consumes.
/// - Nobody writes the data until the deleter runs; on a GPU, except by work on the named stream
///   that was started before this call. What a library calls read-only, it does not write itself.
/// - For `bool` the bytes are 0 and 1.
/// - The stream lives until then.
///
/// # Errors
/// [`Error::is_unsupported`] for another major version of DLPack, types that Lazuli lacks, several
/// lanes, and negative strides; [`Error::is_device`] for memory of other devices, GPUs that are
/// not there, and addresses that are known to be of other memory; [`Error::is_shape`] where
/// pointers are null or misaligned, or the lengths are negative or too large.
///
/// # Example
/// An array goes out and comes back; nothing is copied on the way.
/// ```
/// use lazuli::prelude::*;
/// use lazuli::exchange::dlpack;
/// let a = DeviceArray::<f32>::arange_to(6.0).reshape([2, 3]);
/// let tensor = a.to_dlpack(None)?.into_raw();
/// // SAFETY: the tensor was made just now, and only this takes it.
/// let TypedArray::F32(b) = unsafe { dlpack::from_dlpack(tensor, None) }? else { panic!() };
/// assert_eq!(b.sum(1).to_vec()?, [3.0, 12.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub unsafe fn from_dlpack<M: ManagedTensor>(
    tensor: *mut M,
    stream: Option<RawStream>,
) -> Result<TypedArray> {
    let Some(given) = NonNull::new(tensor).map(Given) else {
        return located(Err(Error::shape(format!("{NAME}: the pointer to the tensor is null"))));
    };
    let here = Location::caller();
    // SAFETY: the caller vouches for the tensor.
    let tensor = unsafe { M::tensor(given.0.as_ptr()) };
    // SAFETY: as above.
    let memory = tensor.and_then(|tensor| unsafe { described(&tensor, stream) });
    let owner = Owner::new(given);
    let node = memory.and_then(|memory| memory.into_node(owner));
    node.map(TypedArray::from_node).map_err(|why| why.at(here))
}

impl<T: Element> DeviceArray<T> {
    /// Takes over a tensor of another library whose elements have this type, without a copy;
    /// [`dlpack::from_dlpack`](from_dlpack) where the type is to be found out.
    ///
    /// # Safety
    /// As [`dlpack::from_dlpack`](from_dlpack).
    ///
    /// # Errors
    /// As [`dlpack::from_dlpack`](from_dlpack), and [`Error::is_shape`] where the elements have
    /// another type. The tensor is given back then.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let tensor = DeviceArray::<i32>::ones(3).to_dlpack(None)?.into_raw_unversioned();
    /// // SAFETY: the tensor was made just now, and only this takes it.
    /// let a = unsafe { DeviceArray::<i32>::from_dlpack(tensor, None) }?;
    /// assert_eq!(a.to_vec()?, [1, 1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub unsafe fn from_dlpack<M: ManagedTensor>(
        tensor: *mut M,
        stream: Option<RawStream>,
    ) -> Result<Self> {
        // SAFETY: the caller's promise.
        let array = unsafe { from_dlpack(tensor, stream) }?;
        (&array as &dyn AnyArray).try_typed_as()
    }
}

/// What a tensor says of its memory.
///
/// # Safety
/// Its shape and strides are as many numbers as it has axes.
unsafe fn described(tensor: &DLTensor, stream: Option<RawStream>) -> Result<Memory> {
    let dtype = tensor.dtype.dtype().ok_or_else(|| unknown(tensor.dtype))?;
    let device = device_of(tensor.device)?;
    let rank = usize::try_from(tensor.ndim).ok().filter(|&rank| rank <= MAX_RANK);
    let rank = rank.ok_or_else(|| {
        Error::shape(format!("{NAME}: {} axes, and 0 to {MAX_RANK} are possible", tensor.ndim))
    })?;
    // SAFETY: the caller vouches for so many numbers.
    let numbers = |numbers: *mut i64| unsafe {
        if rank == 0 { &[][..] } else { std::slice::from_raw_parts(numbers.cast_const(), rank) }
    };
    if rank > 0 && tensor.shape.is_null() {
        return Err(Error::shape(format!("{NAME}: the tensor has {rank} axes and no shape")));
    }
    let lengths = numbers(tensor.shape);
    let length = |&length: &i64| {
        usize::try_from(length)
            .map_err(|_| Error::shape(format!("{NAME}: shape {lengths:?} has a negative length")))
    };
    let shape = lengths.iter().map(length).collect::<Result<Shape>>()?;
    let strides = (!tensor.strides.is_null()).then(|| numbers(tensor.strides));
    // Steps along axes of one element or none are never taken.
    let steps = |strides: &&[i64]| {
        !shape.contains(&0) && strides.iter().zip(&shape).any(|(&by, &n)| by < 0 && n > 1)
    };
    if let Some(strides) = strides.filter(steps) {
        return Err(Error::unsupported(format!("{NAME}: the strides {strides:?} go backwards")));
    }
    // An offset behind null is none that could be read; nor is one behind the address space.
    let data = tensor.data.addr() as u64;
    let address = if data == 0 { Some(0) } else { data.checked_add(tensor.byte_offset) };
    let address = address.ok_or_else(|| {
        Error::shape(format!("{NAME}: the byte offset {} is too large", tensor.byte_offset))
    })?;
    // The pointer is used again by its address alone.
    tensor.data.expose_provenance();
    let strides = strides.map(Strides::from_slice);
    Ok(Memory { name: NAME, device, dtype, address, shape, strides, stream })
}

#[cold]
fn unknown(dtype: DLDataType) -> Error {
    let DLDataType { code, bits, lanes } = dtype;
    if lanes != 1 {
        return Error::unsupported(format!(
            "{NAME}: elements of {lanes} lanes are none of Lazuli's; numbers along one more axis are"
        ));
    }
    let class = match code {
        DLDataType::INT => "signed integers",
        DLDataType::UINT => "unsigned integers",
        DLDataType::FLOAT => "floats",
        DLDataType::BFLOAT => "brain floats",
        DLDataType::COMPLEX => "complex numbers",
        DLDataType::BOOL => "truth values",
        3 => "opaque handles",
        7..=17 => "floats narrower than halves",
        _ => "numbers of an unknown class",
    };
    Error::unsupported(format!(
        "{NAME}: {class} of {bits} bits (type code {code}) are no elements of Lazuli's arrays"
    ))
}

fn device_of(device: DLDevice) -> Result<Device> {
    let DLDevice { device_type, device_id } = device;
    match device_type {
        // Whatever it is numbered, there is one.
        DLDevice::CPU | DLDevice::CUDA_HOST => Ok(Device::cpu()),
        DLDevice::CUDA | DLDevice::CUDA_MANAGED => match usize::try_from(device_id) {
            Ok(ordinal) => Device::cuda(ordinal).map_err(|why| why.in_operation(NAME)),
            Err(_) => Err(Error::device(format!("{NAME}: there is no cuda:{device_id}"))),
        },
        other => Err(Error::device(format!(
            "{NAME}: the data lies on a device of kind {other} ({}), and the processor's and CUDA's \
             memory can be read",
            kind(other)
        ))),
    }
}

/// The name of a kind of device.
fn kind(device_type: i32) -> &'static str {
    match device_type {
        4 => "OpenCL",
        7 => "Vulkan",
        8 => "Metal",
        9 => "VPI",
        10 => "ROCm",
        11 => "ROCm's pinned memory",
        14 => "oneAPI",
        15 => "WebGPU",
        16 => "Hexagon",
        17 => "MAIA",
        18 => "Trainium",
        _ => "unknown",
    }
}
