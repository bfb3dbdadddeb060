//! A CUDA device: what it is, its context, and its queues with the memory behind them.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use cudarc::driver::{CudaContext, result, sys};
use parking_lot::{Mutex, RwLock};

use super::cache::Kernels;
use super::compile::Arch;
use super::driver::{self, Doing, driver};
use super::launch::Function;
use super::library::{self, Handles};
use super::nvrtc;
use super::queue::{Pinned, Queue};
use super::slots::Staging;
use crate::backend::{Buffer, Device, Touched, current_queue, fork};
use crate::error::{Error, Result};

/// What is known of a device without opening it.
#[derive(Clone, Debug)]
pub struct Properties {
    /// Its number, as in `cuda:0`.
    pub ordinal: usize,
    /// The name that its maker gave it.
    pub name: String,
    /// The compute capability.
    pub arch: Arch,
    /// How many multiprocessors it has.
    pub multiprocessors: u32,
    /// Bytes of device memory.
    pub total_memory: usize,
    /// The most bytes of shared memory that a block may ask for.
    pub shared_memory_per_block: usize,
    /// Bytes of the second-level cache.
    #[allow(dead_code)] // For schedules that block for it.
    pub l2_bytes: usize,
    /// The CUDA version that the driver supports.
    pub driver_version: (i32, i32),
    /// The version of NVRTC, where it was found.
    pub nvrtc_version: Option<(i32, i32)>,
}

/// An open device. It lives as long as the process, and so do its queues.
pub struct CudaDevice {
    info: Properties,
    context: Arc<CudaContext>,
    /// The queue of all work for which no other was chosen.
    main: &'static Queue,
    queues: RwLock<Queues>,
    /// Whether there ever was a second queue.
    several: AtomicBool,
    /// How many queues programs have open beside the main one.
    open: AtomicUsize,
    staging: Staging,
    kernels: Kernels<Function>,
}

/// The queues of a device.
struct Queues {
    /// All of them, by number.
    all: Vec<&'static Queue>,
    /// The numbers of those that nobody has.
    spare: Vec<u32>,
}

/// Every CUDA device of this machine, none of them opened.
///
/// # Errors
/// Where the driver or NVRTC is missing: then no kernel could run.
pub fn list() -> Result<Vec<Properties>> {
    let driver = driver()?;
    nvrtc::nvrtc()?;
    (0..driver.device_count()).map(describe).collect()
}

impl CudaDevice {
    /// The device of that number, opened at the first call.
    ///
    /// # Errors
    /// Where there is no driver, no NVRTC, no such device, or where it cannot be opened.
    pub fn get(ordinal: usize) -> Result<&'static Self> {
        let cells = cells()?;
        let cell = cells.get(ordinal).ok_or_else(|| no_such_device(ordinal, cells.len()))?;
        if let Some(device) = cell.get() {
            return Ok(device);
        }
        static OPENING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = OPENING.lock();
        if let Some(device) = cell.get() {
            return Ok(device);
        }
        let device: &'static Self = Box::leak(Box::new(Self::open(ordinal)?));
        Ok(cell.get_or_init(|| device))
    }

    /// The device of that number, where it was opened.
    pub(super) fn opened(ordinal: usize) -> Option<&'static Self> {
        cells().ok()?.get(ordinal)?.get().copied()
    }

    fn open(ordinal: usize) -> Result<Self> {
        // Without a compiler no kernel can run, so this is the moment to say so.
        nvrtc::nvrtc()?;
        let info = describe(ordinal)?;
        library::preload();
        let context = CudaContext::new(ordinal).doing("open the device")?;
        // SAFETY: buffers are ordered here, by their queue or by marks, so cudarc need not.
        unsafe { context.disable_event_tracking() };
        let main: &'static Queue = Box::leak(Box::new(Queue::new(&context, 0, cached(&info))?));
        let kernels = Kernels::new(info.arch);
        Ok(Self {
            staging: Staging::new(),
            main,
            queues: RwLock::new(Queues { all: vec![main], spare: Vec::new() }),
            several: AtomicBool::new(false),
            open: AtomicUsize::new(0),
            info,
            context,
            kernels,
        })
    }

    /// The device's primary context.
    pub(super) fn context(&self) -> sys::CUcontext {
        self.context.cu_ctx()
    }

    /// The driver's name for the device.
    pub(super) fn number(&self) -> sys::CUdevice {
        self.context.cu_device()
    }

    /// What the device is.
    pub fn info(&self) -> &Properties {
        &self.info
    }

    /// The queue to which this thread gives its work.
    #[inline]
    pub(super) fn queue(&self) -> &'static Queue {
        match self.several() {
            true => self.numbered(current_queue(Device::numbered(self.info.ordinal))),
            false => self.main,
        }
    }

    /// The queue of that number.
    pub(super) fn numbered(&self, number: u32) -> &'static Queue {
        match number {
            0 => self.main,
            number => self.queues.read().all[number as usize],
        }
    }

    /// Whether there ever was a second queue, here or on another device that reads this one's memory:
    /// then uses of buffers are noted.
    #[inline]
    pub(super) fn several(&self) -> bool {
        self.several.load(Ordering::Acquire)
    }

    /// Has uses of buffers noted from now on: other devices read this one's memory.
    pub(super) fn note_uses(&self) {
        if !self.several() {
            self.several.store(true, Ordering::Release);
        }
    }

    /// Opens a queue, and gives its number.
    ///
    /// # Errors
    /// Where the driver fails.
    pub(super) fn open_queue(&self) -> Result<u32> {
        self.bind()?;
        let mut queues = self.queues.write();
        self.open.fetch_add(1, Ordering::Relaxed);
        // What an earlier holder has left running must not hold the next one up.
        let idle = |&number: &u32| queues.all[number as usize].is_idle().unwrap_or(false);
        if let Some(at) = queues.spare.iter().position(idle) {
            return Ok(queues.spare.swap_remove(at));
        }
        let number = queues.all.len() as u32;
        let queue = Queue::new(&self.context, number, cached(&self.info)).inspect_err(|_| {
            self.open.fetch_sub(1, Ordering::Relaxed);
        })?;
        queues.all.push(Box::leak(Box::new(queue)));
        self.several.store(true, Ordering::Release);
        Ok(number)
    }

    /// Gives a queue to whoever opens the next one.
    pub(super) fn close_queue(&self, number: u32) {
        self.queues.write().spare.push(number);
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// Runs work that touches buffers: after what other queues do with them, and noted.
    #[inline]
    pub(super) fn in_order<R>(
        &self,
        touched: Touched,
        work: impl FnOnce() -> Result<R>,
    ) -> Result<R> {
        if self.several() { self.in_turn(touched, work) } else { work() }
    }

    fn in_turn<R>(&self, touched: Touched, work: impl FnOnce() -> Result<R>) -> Result<R> {
        self.bind()?;
        let queue = self.queue();
        queue.begin(touched, |number| self.numbered(number))?;
        let done = work();
        // What failed may have been started.
        match queue.number() == 0 && self.open.load(Ordering::Relaxed) == 0 {
            true => queue.end_alone(touched)?,
            false => queue.end(touched)?,
        }
        done
    }

    /// The handles of the libraries, for the current queue.
    pub(super) fn handles(&self) -> &'static Handles {
        self.queue().handles()
    }

    /// The stream of the current queue.
    pub(super) fn raw_stream(&self) -> sys::CUstream {
        self.queue().raw_stream()
    }

    /// The kernels that were loaded onto the device.
    pub(super) fn kernels(&self) -> &Kernels<Function> {
        &self.kernels
    }

    /// The pinned memory through which copies go.
    pub(super) fn staging(&self) -> &Staging {
        &self.staging
    }

    /// Makes the device's context the calling thread's. Every call of the driver comes after
    /// this. Another library may have changed the thread's context in the meantime, so the
    /// driver is asked (a read of its own thread-local) and nothing is remembered here.
    #[inline]
    pub(super) fn bind(&self) -> Result<()> {
        fork::check()?;
        driver::bind(&self.context)
    }

    /// Host memory for copies that the host does not wait for.
    ///
    /// # Errors
    /// Where the driver fails, or the host has no room.
    pub(super) fn pin(&self, bytes: usize) -> Result<Buffer> {
        let memory = Arc::new(Pinned(self.context.clone()));
        if bytes == 0 {
            return Ok(Buffer::new(0, 0, memory));
        }
        self.bind()?;
        // SAFETY: the memory is handed out as uninitialised.
        let address = unsafe { result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_PORTABLE) }
            .doing(&format!("pin {bytes} bytes of the host's memory"))?;
        Ok(Buffer::new(address as u64, bytes, memory))
    }

    /// Copies the beginning of pinned memory to a buffer, or `down` from the buffer into it, in the
    /// order of the current queue; does not wait.
    ///
    /// # Errors
    /// Where the driver fails.
    ///
    /// # Panics
    /// Where the bytes are more than the buffers have.
    pub(super) fn copy_pinned(
        &self,
        here: &Buffer,
        host: &Buffer,
        bytes: usize,
        down: bool,
    ) -> Result<()> {
        check_range(here, 0, bytes);
        check_range(host, 0, bytes);
        if bytes == 0 {
            return Ok(());
        }
        self.bind()?;
        let (queue, memory) = (self.queue(), host.address() as *mut u8);
        let touched = match down {
            true => Touched { read: &[here], written: &[] },
            false => Touched { read: &[], written: &[here] },
        };
        queue.begin_host(host, down)?;
        let copied = self.in_order(touched, || {
            // SAFETY: both ranges are live and hold so many bytes; the host's memory is pinned, and
            // neither freed nor touched by the host before the copy that is noted below is done.
            unsafe {
                if down {
                    let into = std::slice::from_raw_parts_mut(memory, bytes);
                    result::memcpy_dtoh_async(into, here.address(), queue.raw_stream())
                } else {
                    let from = std::slice::from_raw_parts(memory, bytes);
                    result::memcpy_htod_async(here.address(), from, queue.raw_stream())
                }
            }
            .doing("copy pinned memory")
        });
        // What failed may have been started.
        let _ = queue.end_host(host, down)?;
        copied
    }

    /// Fills a buffer with one byte, in the order of the current queue.
    ///
    /// # Errors
    /// Where the driver fails.
    pub fn fill(&'static self, target: &Buffer, byte: u8) -> Result<()> {
        if target.bytes() == 0 {
            return Ok(());
        }
        self.bind()?;
        let (pointer, bytes) = (target.address(), target.bytes());
        // SAFETY: the range is a live buffer of this device, which the caller may write.
        let filled = unsafe { result::memset_d8_async(pointer, byte, bytes, self.raw_stream()) };
        filled.doing("fill a buffer")
    }

    /// Waits for all work that any queue was given before.
    ///
    /// # Errors
    /// Where a kernel has failed.
    pub fn synchronize(&self) -> Result<()> {
        self.bind()?;
        if !self.several() {
            return self.main.synchronize();
        }
        self.every_queue().into_iter().try_for_each(Queue::synchronize)
    }

    /// As [`Queue::counters`], of the current queue.
    ///
    /// # Errors
    /// Where memory runs out.
    pub fn counters(&'static self, count: usize) -> Result<u64> {
        self.queue().counters(count, |buffer| self.fill(buffer, 0))
    }

    /// What the allocator holds.
    #[cfg(test)]
    pub fn memory_stats(&self) -> super::memory::MemoryStats {
        self.main.memory.stats()
    }

    /// Gives unused blocks back to the device, waiting for what still runs.
    pub fn release_cached_memory(&self) {
        self.every_queue().iter().for_each(|queue| queue.memory.release_cached());
    }

    /// All queues that were opened.
    pub(super) fn every_queue(&self) -> Vec<&'static Queue> {
        self.queues.read().all.clone()
    }
}

/// The most bytes that a queue of the device keeps for later.
fn cached(info: &Properties) -> usize {
    (info.total_memory / 32).min(2 << 30)
}

impl fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cuda:{} ({})", self.info.ordinal, self.info.name)
    }
}

/// One cell for each device of the machine.
fn cells() -> Result<&'static [OnceLock<&'static CudaDevice>]> {
    static CELLS: OnceLock<Vec<OnceLock<&'static CudaDevice>>> = OnceLock::new();
    let count = driver()?.device_count();
    Ok(CELLS.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect()))
}

fn no_such_device(ordinal: usize, count: usize) -> Error {
    Error::device(format!(
        "cuda:{ordinal} was asked for, and this machine has {count} CUDA devices"
    ))
}

pub(super) fn check_range(buffer: &Buffer, offset: usize, bytes: usize) {
    let inside = offset.checked_add(bytes).is_some_and(|end| end <= buffer.bytes());
    assert!(inside, "{bytes} bytes at {offset} are outside a buffer of {}", buffer.bytes());
}

fn describe(ordinal: usize) -> Result<Properties> {
    use sys::CUdevice_attribute as A;
    let driver = driver()?;
    if ordinal >= driver.device_count() {
        return Err(no_such_device(ordinal, driver.device_count()));
    }
    let device = result::device::get(ordinal as i32).doing("find the device")?;
    let attribute = |attribute: A| {
        // SAFETY: the device was returned by the driver just now.
        unsafe { result::device::get_attribute(device, attribute) }.unwrap_or(0).max(0) as usize
    };
    Ok(Properties {
        ordinal,
        name: result::device::get_name(device).doing("ask for the device's name")?,
        arch: Arch::new(
            attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) as u32,
            attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) as u32,
        ),
        multiprocessors: attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) as u32,
        // SAFETY: the device was returned by the driver just now.
        total_memory: unsafe { result::device::total_mem(device) }.doing("ask for the memory")?,
        shared_memory_per_block: attribute(
            A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        ),
        l2_bytes: attribute(A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        driver_version: driver.version(),
        nvrtc_version: nvrtc::nvrtc().ok().map(|nvrtc| nvrtc.version()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_there_is_an_error_and_no_panic() {
        let count = list().map_or(0, |devices| devices.len());
        let error = CudaDevice::get(count).unwrap_err();
        assert!(error.is_device(), "{error}");
    }
}
