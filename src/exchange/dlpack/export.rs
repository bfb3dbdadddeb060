//! To DLPack.

use super::abi::{DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLTensor};
use crate::array::{DeviceArray, located};
use crate::backend::{Device, RawStream};
use crate::dtype::Element;
use crate::error::Result;
use crate::exchange::loan::Loan;
use crate::shape::contiguous_strides;
use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;

/// An array as a tensor for another library, which [`into_raw`](Self::into_raw) hands over.
///
/// The data stays as it is until the consumer gives the tensor back, whatever becomes of the array.
/// A tensor that is dropped here goes back to Lazuli by itself.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::ones([2, 3]);
/// let tensor = a.to_dlpack(None)?;
/// assert_eq!((tensor.tensor().ndim, tensor.tensor().dtype.bits), (2, 64));
/// # Ok::<(), Error>(())
/// ```
#[must_use = "a tensor that nobody takes goes back at once"]
pub struct DlpackTensor(NonNull<Exported>);

// SAFETY: the parts are owned, and the pointers among them are to parts.
unsafe impl Send for DlpackTensor {}
// SAFETY: a shared tensor is only read.
unsafe impl Sync for DlpackTensor {}

/// Everything that a consumer sees, and what keeps it there.
struct Exported {
    versioned: DLManagedTensorVersioned,
    unversioned: DLManagedTensor,
    /// The lengths of the axes, then the strides.
    _numbers: Box<[i64]>,
    _loan: Loan,
}

unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: consumers give back what they were given, once; it names what it is a part of.
    unsafe { delete(tensor.as_ref().map(|tensor| tensor.manager_ctx)) }
}

unsafe extern "C" fn delete_unversioned(tensor: *mut DLManagedTensor) {
    // SAFETY: as above.
    unsafe { delete(tensor.as_ref().map(|tensor| tensor.manager_ctx)) }
}

/// # Safety
/// The context is that of an exported tensor that nobody uses any more.
unsafe fn delete(context: Option<*mut c_void>) {
    if let Some(context) = context {
        // SAFETY: the context is the box that `DlpackTensor::new` made.
        drop(unsafe { Box::from_raw(context.cast::<Exported>()) });
    }
}

impl DlpackTensor {
    fn new<T: Element>(loan: Loan, shape: &[usize], device: Device, flags: u64) -> DlpackTensor {
        let lengths = shape.iter().map(|&length| length as i64);
        let mut numbers: Box<[i64]> = lengths.chain(contiguous_strides(shape)).collect();
        let first = numbers.as_mut_ptr();
        let empty = shape.contains(&0);
        let dl_tensor = DLTensor {
            data: if empty { std::ptr::null_mut() } else { loan.address() as *mut c_void },
            device: device_of(device),
            ndim: shape.len() as i32,
            dtype: DLDataType::from(T::DTYPE),
            shape: first,
            // Behind the lengths.
            strides: first.wrapping_add(shape.len()),
            byte_offset: 0,
        };
        let exported = Box::new(Exported {
            versioned: DLManagedTensorVersioned {
                version: DLManagedTensorVersioned::VERSION,
                manager_ctx: std::ptr::null_mut(),
                deleter: Some(delete_versioned),
                flags,
                dl_tensor,
            },
            unversioned: DLManagedTensor {
                dl_tensor,
                manager_ctx: std::ptr::null_mut(),
                deleter: Some(delete_unversioned),
            },
            _numbers: numbers,
            _loan: loan,
        });
        let exported = Box::into_raw(exported);
        // SAFETY: the box was made just now and is this function's alone.
        unsafe {
            (*exported).versioned.manager_ctx = exported.cast();
            (*exported).unversioned.manager_ctx = exported.cast();
            DlpackTensor(NonNull::new_unchecked(exported))
        }
    }

    /// What the consumer will read.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let tensor = DeviceArray::<u8>::ones(3).to_dlpack(None)?;
    /// // SAFETY: the tensor has one axis.
    /// assert_eq!(unsafe { *tensor.tensor().shape }, 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tensor(&self) -> &DLTensor {
        // SAFETY: what was exported lives as long as this.
        unsafe { &(*self.0.as_ptr()).versioned.dl_tensor }
    }

    /// The flags of the versioned structure.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::dlpack::DLManagedTensorVersioned;
    /// let a = DeviceArray::<u8>::ones(3);
    /// assert_eq!(a.to_dlpack(None)?.flags(), DLManagedTensorVersioned::READ_ONLY);
    /// assert_eq!(a.into_dlpack(None)?.flags(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn flags(&self) -> u64 {
        // SAFETY: what was exported lives as long as this.
        unsafe { (*self.0.as_ptr()).versioned.flags }
    }

    /// Hands the tensor over in DLPack's structure with a version: in Python, a capsule named
    /// `dltensor_versioned`. Whoever gets it calls its deleter once.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let tensor = DeviceArray::<u8>::ones(3).to_dlpack(None)?.into_raw();
    /// // SAFETY: the tensor was made just now and goes back once.
    /// unsafe {
    ///     assert_eq!((*tensor).version.major, 1);
    ///     (*tensor).deleter.unwrap()(tensor);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use = "its deleter has to be called"]
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        let exported = std::mem::ManuallyDrop::new(self).0.as_ptr();
        // SAFETY: what was exported lives until the deleter is called.
        unsafe { &raw mut (*exported).versioned }
    }

    /// Hands the tensor over in the older structure without a version: in Python, a capsule named
    /// `dltensor`. It cannot say that data is read-only; consumers of what
    /// [`to_dlpack`](DeviceArray::to_dlpack) gave must know.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let tensor = DeviceArray::<u8>::ones(3).to_dlpack(None)?.into_raw_unversioned();
    /// // SAFETY: the tensor was made just now and goes back once.
    /// unsafe {
    ///     assert_eq!((*tensor).dl_tensor.ndim, 1);
    ///     (*tensor).deleter.unwrap()(tensor);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use = "its deleter has to be called"]
    pub fn into_raw_unversioned(self) -> *mut DLManagedTensor {
        let exported = std::mem::ManuallyDrop::new(self).0.as_ptr();
        // SAFETY: what was exported lives until the deleter is called.
        unsafe { &raw mut (*exported).unversioned }
    }
}

impl Drop for DlpackTensor {
    fn drop(&mut self) {
        // SAFETY: the tensor was not handed over, so nobody else has it.
        unsafe { delete(Some(self.0.as_ptr().cast())) }
    }
}

impl fmt::Debug for DlpackTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DlpackTensor").field(self.tensor()).finish()
    }
}

fn device_of(device: Device) -> DLDevice {
    match device.ordinal() {
        None => DLDevice { device_type: DLDevice::CPU, device_id: 0 },
        Some(k) => DLDevice { device_type: DLDevice::CUDA, device_id: k as i32 },
    }
}

impl<T: Element> DeviceArray<T> {
    /// Computes the array and shares its data with another library, without a copy.
    ///
    /// The array and the tensor share the data, so it is flagged as read-only;
    /// [`into_dlpack`](Self::into_dlpack) gives the consumer data to write.
    ///
    /// `stream` is the one on which the consumer works on a GPU: it waits, on the device, until the
    /// data is there, and what Lazuli does with the memory later waits for it. Without one the
    /// host waits, and does so again for the whole device when the tensor comes back. The processor
    /// needs none.
    ///
    /// **Laziness.** Evaluates.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = Device::cpu().scope(|| DeviceArray::<f64>::arange_to(3.0) * 0.5);
    /// let tensor = a.to_dlpack(None)?;
    /// drop(a); // the data stays
    /// // SAFETY: the tensor has three elements on the processor.
    /// let values = unsafe { std::slice::from_raw_parts(tensor.tensor().data.cast::<f64>(), 3) };
    /// assert_eq!(values, [0.0, 0.5, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "__dlpack__")]
    #[doc(alias = "toDlpack")]
    #[track_caller]
    pub fn to_dlpack(&self, stream: Option<RawStream>) -> Result<DlpackTensor> {
        let device = self.device();
        let loan = self.data().and_then(|data| Loan::new(data, device, stream));
        let flags = DLManagedTensorVersioned::READ_ONLY;
        located(loan).map(|loan| DlpackTensor::new::<T>(loan, self.shape(), device, flags))
    }

    /// Computes the array and gives its data to another library, which may write it.
    ///
    /// Where somebody else can see the data (a clone of the array, an expression that reads it, the
    /// library that it came from), the consumer gets a copy, and a flag says so. `stream` is as for
    /// [`to_dlpack`](Self::to_dlpack).
    ///
    /// **Laziness.** Evaluates.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::dlpack::DLManagedTensorVersioned;
    /// let a = DeviceArray::<f64>::arange_to(3.0);
    /// let clone = a.clone();
    /// assert_eq!(a.into_dlpack(None)?.flags(), DLManagedTensorVersioned::IS_COPIED);
    /// assert_eq!(clone.into_dlpack(None)?.flags(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "__dlpack__")]
    #[track_caller]
    pub fn into_dlpack(mut self, stream: Option<RawStream>) -> Result<DlpackTensor> {
        let device = self.device();
        let before = self.data().map(|data| data.address());
        let lent = before.and_then(|before| {
            let data = self.data_mut()?;
            let flags = match data.address() == before {
                true => 0,
                false => DLManagedTensorVersioned::IS_COPIED,
            };
            Ok((Loan::new(data, device, stream)?, flags))
        });
        let (loan, flags) = located(lent)?;
        Ok(DlpackTensor::new::<T>(loan, self.shape(), device, flags))
    }
}
