//! Arrays over raw pointers.

use super::memory::{Memory, Strides};
use crate::array::{DeviceArray, IntoShape, located};
use crate::backend::{Device, Owner, RawStream};
use crate::dtype::Element;
use crate::error::Result;
use crate::shape::Shape;
use std::ffi::c_void;

/// A pointer to an array's elements with what is needed to read them, for
/// [`DeviceArray::from_raw_parts`].
///
/// # Example
/// Every second element of a vector, from the last one on.
/// ```
/// use lazuli::prelude::*;
/// use lazuli::exchange::RawParts;
/// let values = vec![0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0];
/// let parts = RawParts::new(Device::cpu(), &values[5], 3).strides(&[-2]);
/// // SAFETY: the vector is the owner, its elements are read only, and the strides stay inside.
/// let a = unsafe { DeviceArray::<f32>::from_raw_parts(parts, values) }?;
/// assert_eq!(a.to_vec()?, [5.0, 3.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "this describes memory, `DeviceArray::from_raw_parts` takes it"]
pub struct RawParts {
    device: Device,
    pointer: u64,
    shape: Shape,
    strides: Option<Strides>,
    stream: Option<RawStream>,
}

impl RawParts {
    /// Elements in C order from a pointer on, in the memory of a device.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::RawParts;
    /// static VALUES: [i64; 4] = [1, 2, 3, 4];
    /// let parts = RawParts::new(Device::cpu(), VALUES.as_ptr(), [2, 2]);
    /// // SAFETY: the values are there for good, and nobody writes them.
    /// let a = unsafe { DeviceArray::<i64>::from_raw_parts(parts, ()) }?;
    /// assert_eq!(a.sum(0).to_vec()?, [4, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<T>(device: Device, pointer: *const T, shape: impl IntoShape) -> Self {
        let pointer = pointer.cast::<c_void>().expose_provenance() as u64;
        RawParts { device, pointer, shape: shape.lengths(), strides: None, stream: None }
    }

    /// The steps along the axes, in elements, in place of those of C order; 0 repeats an element
    /// and a negative step goes back.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::RawParts;
    /// static VALUES: [i64; 2] = [1, 2];
    /// let parts = RawParts::new(Device::cpu(), VALUES.as_ptr(), [2, 3]).strides(&[1, 0]);
    /// // SAFETY: the values are there for good, and nobody writes them.
    /// let a = unsafe { DeviceArray::<i64>::from_raw_parts(parts, ()) }?;
    /// assert_eq!(a.to_vec()?, [1, 1, 1, 2, 2, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn strides(self, strides: &[isize]) -> Self {
        RawParts { strides: Some(strides.iter().map(|&s| s as i64).collect()), ..self }
    }

    /// The stream on which the data is computed, and on which whoever owns the memory goes on with
    /// it. Without one the data has to be there, and the host waits before it gives the memory
    /// back. The processor needs none.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::{RawParts, RawStream};
    /// let address = std::ptr::null::<f32>();
    /// let parts = RawParts::new(Device::cpu(), address, 0).stream(RawStream::LEGACY);
    /// // SAFETY: there are no elements.
    /// let a = unsafe { DeviceArray::<f32>::from_raw_parts(parts, ()) }?;
    /// assert!(a.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn stream(self, stream: RawStream) -> Self {
        RawParts { stream: Some(stream), ..self }
    }
}

impl<T: Element> DeviceArray<T> {
    /// Wraps memory that somebody else has allocated, without a copy.
    ///
    /// `owner` is what keeps the memory alive: a tensor, a vector, a guard whose drop frees the
    /// memory, or `()` where it lives for good. It is dropped once: when nothing reads the memory
    /// any more, when this call fails, or at once where there are no elements; on whichever thread
    /// that is.
    ///
    /// Memory in C order is the array's data; in any other order kernels read it by its strides.
    /// Lazuli never writes it: an assignment makes a copy first.
    ///
    /// **Laziness.** Nothing is computed or copied.
    ///
    /// # Safety
    /// - From the pointer on the strides reach nothing but elements of type `T` in the memory of the
    ///   device (for `bool`, bytes 0 and 1), which stay allocated until the owner is dropped.
    /// - Nobody writes them while the owner lives; on a GPU, except by work on the named stream that
    ///   was started before this call.
    /// - The stream lives as long as the owner.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the pointer is null or misaligned, or the
    /// strides do not fit the shape or leave the address space;
    /// [`Error::is_device`](crate::Error::is_device) where the memory is known not to be the
    /// device's.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::exchange::RawParts;
    /// let values = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    /// let parts = RawParts::new(Device::cpu(), values.as_ptr(), [2, 3]);
    /// // SAFETY: the vector is the owner, and has as many elements.
    /// let a = unsafe { DeviceArray::<f64>::from_raw_parts(parts, values) }?;
    /// assert_eq!((&a * 2.0).sum(1).to_vec()?, [12.0, 30.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "UnownedMemory")]
    #[doc(alias = "from_external")]
    #[track_caller]
    pub unsafe fn from_raw_parts(parts: RawParts, owner: impl Send + 'static) -> Result<Self> {
        let owner = Owner::new(owner);
        let RawParts { device, pointer, shape, strides, stream } = parts;
        let name = "from_raw_parts";
        let memory =
            Memory { name, device, dtype: T::DTYPE, address: pointer, shape, strides, stream };
        located(memory.into_node(owner)).map(Self::from_node)
    }
}
