//! Queues of work that a program opens beside a device's own one.
//!
//! Number 0 is the queue of all work for which a program chose no other. [`Stream::scope`] puts a
//! number into a thread's cell, and the backend asks for it where it allocates, copies and
//! launches: neither the planner nor the evaluator knows of streams. On the processor work is done
//! when a call returns, so there is one queue.

use super::{Device, RawStream, faults};
use crate::error::{Error, Result};
use std::cell::RefCell;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A queue of work on a device: what is given to one stream runs in order, what is given to two
/// may run at once.
///
/// Each device has a stream of its own, on which everything runs that no other was chosen for.
/// More of them are for work that overlaps: the copies of one part of the data with the kernels of
/// another, both directions of the link, kernels that do not fill the GPU. Evaluations, copies and
/// launches go to the stream in whose [`scope`](Self::scope) they are started.
///
/// Arrays pass freely from stream to stream: an operation waits, on the GPU and not on the host,
/// until other streams have written what it reads and read what it overwrites. So a program gives
/// the same numbers whatever its streams are, and needs no events.
///
/// A clone is another handle of the same stream. On the processor an operation is done when its
/// call returns, and streams change nothing.
///
/// For copies that the host does not wait for, see `PinnedArray`.
///
/// Numba: `numba.cuda.stream()`; CuPy: `cupy.cuda.Stream`.
///
/// # Example
/// Two parts of the data, one on each stream; each part's copies overlap the other's kernels.
/// ```
/// use lazuli::prelude::*;
/// use lazuli::{PinnedArray, Stream};
///
/// let data: Vec<f32> = (0..1000).map(|k| k as f32).collect();
/// let streams = [Stream::new()?, Stream::new()?];
/// let mut parts = PinnedArray::from_vec(1000, data)?.into_parts(100)?;
/// for (k, part) in parts.iter_mut().enumerate() {
///     streams[k % 2].scope(|| {
///         let x = DeviceArray::from_pinned(part)?; // the host goes on
///         (&x * 2.0 + 1.0).copy_to_pinned(part) // here, too
///     })?;
/// }
/// // Reading waits for the copy.
/// assert_eq!(parts[9].as_slice()?[99], 1999.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Stream(Arc<Queue>);

/// A queue that was opened, given back with its last handle.
struct Queue {
    device: Device,
    number: u32,
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.device.backend().close_queue(self.number);
    }
}

thread_local! {
    /// The queues that scopes of this thread have chosen, the innermost last.
    static CHOSEN: RefCell<Vec<(Device, u32)>> = const { RefCell::new(Vec::new()) };
}

/// The queue to which this thread gives work for a device.
#[inline]
pub fn current_queue(device: Device) -> u32 {
    let find = |chosen: &RefCell<Vec<(Device, u32)>>| {
        let chosen = chosen.borrow();
        chosen.iter().rev().find(|queue| queue.0 == device).map_or(0, |queue| queue.1)
    };
    // A thread that ends may still release memory.
    CHOSEN.try_with(find).unwrap_or(0)
}

impl Stream {
    /// A new stream on the current device.
    ///
    /// # Errors
    /// [`Error::is_device`] where the device is missing or fails.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let stream = lazuli::Stream::new()?;
    /// let total = stream.scope(|| DeviceArray::<f64>::ones(1000).sum(..).item())?;
    /// assert_eq!(total, 1000.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new() -> Result<Stream> {
        Self::on(Device::current()?)
    }

    /// A new stream on a device.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let stream = lazuli::Stream::on(Device::cpu())?;
    /// assert_eq!(stream.device(), Device::cpu());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn on(device: Device) -> Result<Stream> {
        let number = device.backend().open_queue()?;
        Ok(Stream(Arc::new(Queue { device, number })))
    }

    /// The device that the stream belongs to.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(lazuli::Stream::new()?.device(), Device::current()?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Runs `f` with this stream as the one to which this thread gives its work, and with the
    /// stream's device as the one that new arrays are made on.
    ///
    /// What counts is where an array is evaluated, not where it was recorded. Scopes nest; other
    /// threads, those of a pool too, go on with their own.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (one, two) = (lazuli::Stream::new()?, lazuli::Stream::new()?);
    /// let x = DeviceArray::<f64>::linspace(0.0, 1.0, 5);
    /// let y = one.scope(|| {
    ///     let y = &x * 2.0;
    ///     y.eval().map(|()| y)
    /// })?;
    /// // The second stream waits, on the device, for what it takes from the first.
    /// let z = two.scope(|| (&y + 1.0).to_vec())?;
    /// assert_eq!(z, [1.0, 1.5, 2.0, 2.5, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scope<R>(&self, f: impl FnOnce() -> R) -> R {
        struct Leave;
        impl Drop for Leave {
            fn drop(&mut self) {
                CHOSEN.with_borrow_mut(Vec::pop);
            }
        }
        CHOSEN.with_borrow_mut(|chosen| chosen.push((self.0.device, self.0.number)));
        let _leave = Leave;
        self.0.device.scope(f)
    }

    /// The driver's stream, for libraries that are told on which one their data will be read; none
    /// on the processor.
    ///
    /// Work of others on it is in order with Lazuli's. It lives as long as the process; the program
    /// may open it again as another [`Stream`] once this one and its clones are gone.
    ///
    /// # Errors
    /// [`Error::is_device`] where the device cannot be opened.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let stream = lazuli::Stream::new()?;
    /// assert_eq!(stream.raw()?.is_some(), stream.device().is_cuda());
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "cuda_stream")]
    pub fn raw(&self) -> Result<Option<RawStream>> {
        self.0.device.backend().stream_of(self.0.number)
    }

    /// The stream of the driver on which a device runs what is given to no other; none for the
    /// processor.
    ///
    /// # Errors
    /// As [`raw`](Self::raw).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(lazuli::Stream::raw_main(Device::cpu())?, None);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn raw_main(device: Device) -> Result<Option<RawStream>> {
        device.backend().stream_of(0)
    }

    /// Waits until all work that was given to the stream is done.
    ///
    /// # Errors
    /// [`Error::is_device`] where the work failed.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let stream = lazuli::Stream::new()?;
    /// let y = DeviceArray::<f64>::linspace(0.0, 1.0, 1000).exp();
    /// stream.scope(|| y.eval())?;
    /// stream.synchronize()?;
    /// assert!(stream.is_idle()?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn synchronize(&self) -> Result<()> {
        self.0.device.backend().synchronize_queue(self.0.number)?;
        self.scope(|| faults::check(self.0.device))
    }

    /// Whether all work that was given to the stream is done.
    ///
    /// # Errors
    /// [`Error::is_device`] where the work failed.
    ///
    /// # Example
    /// ```
    /// assert!(lazuli::Stream::new()?.is_idle()?);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    #[doc(alias = "done")]
    pub fn is_idle(&self) -> Result<bool> {
        self.0.device.backend().is_queue_idle(self.0.number)
    }

    /// Makes what this stream is given from now on wait, on the device, for all that another one
    /// was given until now. Arrays do not need it.
    ///
    /// # Errors
    /// [`Error::is_device`] where the streams belong to different devices.
    ///
    /// # Example
    /// ```
    /// let (one, two) = (lazuli::Stream::new()?, lazuli::Stream::new()?);
    /// two.wait_for(&one)?;
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    #[track_caller]
    pub fn wait_for(&self, other: &Stream) -> Result<()> {
        let (here, there) = (self.0.device, other.0.device);
        if here != there {
            let why = format!("wait_for: a stream on {here} cannot wait for one on {there}");
            return Err(Error::device(why).at(Location::caller()));
        }
        here.backend().order_queues(other.0.number, self.0.number)
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({}, {})", self.0.device, self.0.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_choose_a_queue_for_their_device_alone_and_end_with_a_panic() {
        let (one, two) = (Device::numbered(7), Device::numbered(8));
        let stream = |device, number| Stream(Arc::new(Queue { device, number }));
        let (a, b, c) = (stream(one, 1), stream(two, 2), stream(one, 3));
        a.scope(|| {
            b.scope(|| {
                assert_eq!((current_queue(one), current_queue(two)), (1, 2));
                c.scope(|| assert_eq!((current_queue(one), current_queue(two)), (3, 2)));
                let caught = std::panic::catch_unwind(|| c.scope(|| panic!("inside")));
                assert!(caught.is_err());
                assert_eq!((current_queue(one), Device::current().unwrap()), (1, two));
            });
            assert_eq!((current_queue(one), current_queue(two)), (1, 0));
        });
        assert_eq!(current_queue(one), 0);
        // There are no such devices to take the queues back.
        [a, b, c].into_iter().for_each(std::mem::forget);
    }
}
