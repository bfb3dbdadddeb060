//! Memory that somebody else has allocated: data of other libraries, read where it lies.
//!
//! A backend adopts such memory as a [`Buffer`](super::Buffer) like any other, but for two things:
//! nothing is ever written into it (`Buffer::may_be_written` is asked wherever an operation would
//! overwrite a buffer that nobody else holds), and with the buffer its owner goes, once the work that
//! reads it is done or ordered before whatever the owner does. An owner's drop is other people's code
//! and may take locks, Python's among them: one that goes during an evaluation waits for its end,
//! behind the evaluator's lock (`Hold`).
//!
//! On a GPU adopted memory belongs to the queue that was current when it came. That queue waits for
//! the stream on which the data was computed, and all others wait for that queue, as they do for any
//! buffer. When the buffer goes, the owner's stream waits for the queue and for the marks of others,
//! and then the owner is dropped (`cuda/foreign.rs`). What is lent out is the same the other way
//! round. Where a stream is not named, the host waits.

use super::{Memory, Uses, fork};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::fmt;

/// A stream of the CUDA driver by its handle: one that another library has made.
///
/// Data that passes from one library to another on a GPU has to be ordered: what computes it comes
/// before what reads it. Whoever names the stream on which the other library works has that done by
/// the GPU; the host waits for nothing.
///
/// A handle is a number and can be sent to other threads. [`LEGACY`](Self::LEGACY) is the stream
/// that CUDA programs use where they name none; PyTorch and CuPy do so, too, outside of their
/// stream contexts.
///
/// # Example
/// ```
/// use lazuli::exchange::RawStream;
/// assert_eq!(RawStream::LEGACY.handle() as usize, 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawStream(usize);

impl RawStream {
    /// The default stream of a device's primary context (`cudaStreamLegacy`).
    pub const LEGACY: RawStream = RawStream(1);
    /// The default stream of the calling thread (`cudaStreamPerThread`). What is given back on it
    /// may be given back by another thread, so that the host waits then.
    pub const PER_THREAD: RawStream = RawStream(2);

    /// The stream of a handle (`CUstream`, `cudaStream_t`); null is [`LEGACY`](Self::LEGACY).
    ///
    /// # Safety
    /// The handle is that of a stream of the primary context of the device that the data is on, and
    /// the stream lives for as long as what is given this handle.
    ///
    /// # Example
    /// ```
    /// use lazuli::exchange::RawStream;
    /// // SAFETY: the default stream is always there.
    /// let stream = unsafe { RawStream::from_handle(std::ptr::null_mut()) };
    /// assert_eq!(stream, RawStream::LEGACY);
    /// ```
    pub unsafe fn from_handle(handle: *mut c_void) -> Self {
        match handle.addr() {
            0 => Self::LEGACY,
            address => RawStream(address),
        }
    }

    /// The handle: a `CUstream`, which is a `cudaStream_t`.
    ///
    /// # Example
    /// ```
    /// use lazuli::exchange::RawStream;
    /// assert_eq!(RawStream::PER_THREAD.handle() as usize, 2);
    /// ```
    pub fn handle(self) -> *mut c_void {
        self.0 as *mut c_void
    }
}

impl fmt::Debug for RawStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::LEGACY => f.write_str("RawStream(legacy)"),
            Self::PER_THREAD => f.write_str("RawStream(per thread)"),
            RawStream(handle) => write!(f, "RawStream({handle:#x})"),
        }
    }
}

/// What keeps foreign memory alive, dropped once: a tensor, a vector, whatever it belongs to.
///
/// Its drop runs other people's code, which may take locks. So none runs while this thread
/// evaluates: it waits for the end of the evaluation (see [`Hold`]).
pub struct Owner(Option<Box<dyn Send>>);

// SAFETY: nobody gets at the box by a shared reference; it is moved out when this is dropped.
unsafe impl Sync for Owner {}

impl Owner {
    /// Keeps something until the memory is not needed any more.
    pub fn new(owner: impl Send + 'static) -> Owner {
        Owner(Some(Box::new(owner)))
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let owner = self.0.take();
        if fork::is_copy() {
            // The owner's locks may be held by a thread that the copy of the process lacks.
            std::mem::forget(owner);
            return;
        }
        if HOLDS.try_with(Cell::get).unwrap_or(0) > 0
            && let Some(owner) = owner
        {
            // A thread that ends evaluates nothing, so the list is there.
            WAITING.with_borrow_mut(|waiting| waiting.push(owner));
        }
    }
}

thread_local! {
    static HOLDS: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Box<dyn Send>>> = const { RefCell::new(Vec::new()) };
}

/// Has the owners that this thread lets go of wait until the last hold is dropped. Made before
/// a lock, it is dropped after it.
pub struct Hold(());

impl Hold {
    /// Begins to hold.
    #[inline]
    pub fn new() -> Hold {
        HOLDS.set(HOLDS.get() + 1);
        Hold(())
    }
}

impl Drop for Hold {
    #[inline]
    fn drop(&mut self) {
        HOLDS.set(HOLDS.get() - 1);
        if HOLDS.get() == 0 {
            let waiting = WAITING.with_borrow_mut(std::mem::take);
            drop(waiting);
        }
    }
}

/// Memory that a backend is asked to adopt.
pub struct Foreign {
    /// Where it begins, in the device's address space.
    pub address: u64,
    /// The length in bytes.
    pub bytes: usize,
    /// The stream in whose order the data was written and the memory goes back; none where the
    /// data is there already, and the host is to wait before the owner goes.
    pub stream: Option<RawStream>,
    /// What keeps the memory alive.
    pub owner: Owner,
}

/// Foreign memory whose uses are over when calls return.
pub(super) struct Adopted {
    pub _owner: Owner,
}

impl Memory for Adopted {
    unsafe fn release(&self, _: u64, _: usize, _: Option<Box<dyn Uses>>) {}

    fn may_be_written(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn owners_wait_for_the_end_of_the_outermost_hold_of_their_thread() {
        let count = Arc::new(AtomicUsize::new(0));
        let owner = || Owner::new(Counted(count.clone()));
        drop(owner());
        assert_eq!(count.load(Relaxed), 1);
        {
            let _outer = Hold::new();
            {
                let _inner = Hold::new();
                drop(owner());
            }
            drop(owner());
            assert_eq!(count.load(Relaxed), 1);
            let other = owner();
            std::thread::spawn(move || drop(other)).join().unwrap();
            assert_eq!(count.load(Relaxed), 2);
        }
        assert_eq!(count.load(Relaxed), 4);
    }
}
