//! Data of arrays in the hands of code outside.

use crate::array::{DeviceArray, located};
use crate::backend::{Buffer, Device, RawStream, faults};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::shape::Shape;
use ndarray::{ArrayViewD, IxDyn};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// Memory of ours that somebody else reads until this is dropped.
pub(super) struct Loan {
    data: Arc<Buffer>,
    device: Device,
    stream: Option<RawStream>,
}

impl Loan {
    /// Makes a stream wait for the data, or the host.
    pub(super) fn new(
        data: Arc<Buffer>,
        device: Device,
        stream: Option<RawStream>,
    ) -> Result<Loan> {
        device.backend().lend(&data, stream)?;
        if stream.is_none() {
            faults::check(device)?;
        }
        Ok(Loan { data, device, stream })
    }

    /// Where the data begins; for data without elements an address that nobody reads.
    pub(super) fn address(&self) -> u64 {
        self.data.address()
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        // Where the driver fails, its context has failed, and nothing reads the memory any more.
        let _ = self.device.backend().reclaim(&self.data, self.stream);
    }
}

/// The data of an array where it lies, for code that is not Lazuli's: a pointer to hand to a C
/// library, or on the processor a view. [`DeviceArray::lend`] makes one.
///
/// The data stays as it is while this lives, whatever becomes of the array. On a GPU what was
/// started on the stream that it was lent to comes before whatever Lazuli does with the memory
/// afterwards.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = Device::cpu().scope(|| DeviceArray::<f64>::arange_to(4.0) * 2.0);
/// let lent = a.lend(None)?;
/// assert_eq!(lent.view()?.sum(), 12.0);
/// // SAFETY: the array has four elements on the processor.
/// assert_eq!(unsafe { *lent.as_ptr().add(3) }, 6.0);
/// # Ok::<(), Error>(())
/// ```
pub struct Lent<T: Element> {
    loan: Loan,
    shape: Shape,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Lent<T> {
    /// The address of the first element in the memory of the array's device; the others follow in
    /// C order. Nothing may be written there.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = Device::cpu().scope(|| DeviceArray::<u8>::ones(3));
    /// let lent = a.lend(None)?;
    /// // SAFETY: the array has elements, on the processor.
    /// assert_eq!(unsafe { *lent.as_ptr() }, 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn as_ptr(&self) -> *const T {
        self.loan.address() as *const T
    }

    /// The lengths of the axes.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::<u8>::ones([2, 3]).lend(None)?.shape(), [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The device whose memory it is.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<u8>::ones(3);
    /// assert_eq!(a.lend(None)?.device(), a.device());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device(&self) -> Device {
        self.loan.device
    }

    /// The array as an `ndarray` view of the data itself.
    ///
    /// # Errors
    /// [`Error::is_device`] where the data lies on a GPU.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = Device::cpu().scope(|| DeviceArray::<i32>::arange_to(6).reshape([2, 3]));
    /// assert_eq!(a.lend(None)?.view()?[[1, 2]], 5);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn view(&self) -> Result<ArrayViewD<'_, T>> {
        let slice = self.as_slice()?;
        let view = ArrayViewD::from_shape(IxDyn(&self.shape), slice);
        Ok(view.expect("there are as many elements as the shape says"))
    }

    /// The elements in C order, where they lie.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = Device::cpu().scope(|| DeviceArray::<i32>::arange_to(3));
    /// assert_eq!(a.lend(None)?.as_slice()?, [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn as_slice(&self) -> Result<&[T]> {
        let device = self.device();
        if device.is_cuda() {
            return located(Err(Error::device(format!(
                "the data lies on {device}, where the host cannot read it: `copy_to_host` copies it"
            ))));
        }
        let len = crate::shape::len(&self.shape);
        if len == 0 {
            return Ok(&[]);
        }
        // SAFETY: the buffer holds so many elements, aligned, in the host's memory; it is alive, and
        // nothing writes it while this holds it.
        Ok(unsafe { std::slice::from_raw_parts(self.as_ptr(), len) })
    }
}

impl<T: Element> fmt::Debug for Lent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lent({} {:?} on {})", T::DTYPE, &self.shape[..], self.device())
    }
}

impl<T: Element> DeviceArray<T> {
    /// Computes the array and gives access to its data where it lies, for code that is not Lazuli's.
    ///
    /// `stream` is the one on which that code works on a GPU: it waits, on the device, until the
    /// data is there. Without one the host waits, and does so again for the whole device when the
    /// data comes back; on the processor there is none.
    ///
    /// **Laziness.** Evaluates.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = Device::cpu().scope(|| DeviceArray::<f64>::linspace(0.0, 1.0, 3).exp());
    /// let total: f64 = a.lend(None)?.as_slice()?.iter().sum();
    /// assert_eq!(total, 1.0 + 0.5f64.exp() + 1.0f64.exp());
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "__cuda_array_interface__")]
    #[doc(alias = "__array_interface__")]
    #[doc(alias = "data_ptr")]
    #[track_caller]
    pub fn lend(&self, stream: Option<RawStream>) -> Result<Lent<T>> {
        let device = self.device();
        let loan = self.data().and_then(|data| Loan::new(data, device, stream));
        let shape = self.node().shape.clone();
        located(loan).map(|loan| Lent { loan, shape, element: PhantomData })
    }
}
