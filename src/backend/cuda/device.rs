//! A CUDA device: what it is, its context, its one stream, and the memory behind it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use cudarc::driver::{CudaContext, CudaStream, result, sys};
use parking_lot::Mutex;

use super::cache::{DeviceKernels, Kernels};
use super::compile::Arch;
use super::driver::{Doing, driver};
use super::library::{self, Handles};
use super::memory::Allocator;
use super::nvrtc;
use super::pool::Pool;
use super::staging::Staging;
use crate::backend::{Buffer, Memory};
use crate::error::{Error, Result};

/// What is known of a device without opening it.
#[derive(Clone, Debug)]
pub(crate) struct Properties {
    /// Its number, as in `cuda:0`.
    pub(crate) ordinal: usize,
    /// The name that its maker gave it.
    pub(crate) name: String,
    /// The compute capability.
    pub(crate) arch: Arch,
    /// How many multiprocessors it has.
    pub(crate) multiprocessors: u32,
    /// Bytes of device memory.
    pub(crate) total_memory: usize,
    /// The most bytes of shared memory that a block may ask for.
    pub(crate) shared_memory_per_block: usize,
    /// Bytes of the second-level cache.
    #[allow(dead_code)] // For schedules that block for it.
    pub(crate) l2_bytes: usize,
    /// The CUDA version that the driver supports.
    pub(crate) driver_version: (i32, i32),
    /// The version of NVRTC, where it was found.
    pub(crate) nvrtc_version: Option<(i32, i32)>,
}

/// An open device. It lives as long as the process; all its work goes through one stream.
pub(crate) struct CudaDevice {
    info: Properties,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    memory: Allocator<Pool>,
    /// What buffers hold of the device.
    owner: OnceLock<Arc<dyn Memory>>,
    staging: Staging,
    kernels: DeviceKernels,
    counters: Mutex<Option<Buffer>>,
    handles: Handles,
}

/// Every CUDA device of this machine, none of them opened.
///
/// # Errors
/// Where the driver or NVRTC is missing: then no kernel could run.
pub(crate) fn list() -> Result<Vec<Properties>> {
    let driver = driver()?;
    nvrtc::nvrtc()?;
    (0..driver.device_count()).map(describe).collect()
}

impl CudaDevice {
    /// The device of that number, opened at the first call.
    ///
    /// # Errors
    /// Where there is no driver, no NVRTC, no such device, or where it cannot be opened.
    pub(crate) fn get(ordinal: usize) -> Result<&'static Self> {
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

    fn open(ordinal: usize) -> Result<Self> {
        // Without a compiler no kernel can run, so this is the moment to say so.
        nvrtc::nvrtc()?;
        let info = describe(ordinal)?;
        library::preload();
        let context = CudaContext::new(ordinal).doing("open the device")?;
        // SAFETY: one stream owns every buffer here, so no events are needed to order its uses.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().doing("create the device's stream")?;
        let pool = Pool::new(&context, &stream)?;
        let kernels = Kernels::new(info.arch);
        let cache_limit = (info.total_memory / 32).min(2 << 30);
        Ok(Self {
            staging: Staging::new(),
            memory: Allocator::new(pool, cache_limit),
            owner: OnceLock::new(),
            counters: Mutex::new(None),
            handles: Handles::default(),
            info,
            context,
            stream,
            kernels,
        })
    }

    /// What the device is.
    pub(crate) fn info(&self) -> &Properties {
        &self.info
    }

    /// The stream that orders all of the device's work, for cudarc's libraries.
    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The handles of the libraries.
    pub(super) fn handles(&self) -> &Handles {
        &self.handles
    }

    pub(super) fn raw_stream(&self) -> sys::CUstream {
        self.stream.cu_stream()
    }

    /// The kernels that were loaded onto the device.
    pub(super) fn kernels(&self) -> &DeviceKernels {
        &self.kernels
    }

    /// Makes the device's context the calling thread's. Every call of the driver comes after
    /// this. Another library may have changed the thread's context in the meantime, so the
    /// driver is asked (a read of its own thread-local) and nothing is remembered here.
    #[inline]
    pub(super) fn bind(&self) -> Result<()> {
        bind(&self.context)
    }

    /// A block of device memory, uninitialised.
    ///
    /// # Errors
    /// Where memory runs out, once the caches were released and the allocation tried again.
    pub(crate) fn allocate(&'static self, bytes: usize) -> Result<Buffer> {
        let address = self.memory.allocate(bytes)?;
        Ok(Buffer::new(address, bytes, self.owner.get_or_init(|| Arc::new(Owner(self))).clone()))
    }

    /// Copies host memory to `target`. When this returns, `source` has been read.
    ///
    /// # Errors
    /// Where the driver fails.
    ///
    /// # Panics
    /// Where the range is outside the buffer.
    pub(crate) fn copy_to_device(
        &'static self,
        source: &[u8],
        target: &Buffer,
        offset: usize,
    ) -> Result<()> {
        check_range(target, offset, source.len());
        self.staging.to_device(self, source, target.address() + offset as u64)
    }

    /// Copies device memory into `target`, after all work that was launched before.
    ///
    /// # Errors
    /// Where the driver fails, or where an earlier kernel has failed.
    ///
    /// # Panics
    /// Where the range is outside the buffer.
    pub(crate) fn copy_to_host(
        &'static self,
        source: &Buffer,
        offset: usize,
        target: &mut [u8],
    ) -> Result<()> {
        check_range(source, offset, target.len());
        self.staging.to_host(self, source.address() + offset as u64, target)
    }

    /// Fills a buffer with one byte, in stream order.
    ///
    /// # Errors
    /// Where the driver fails.
    pub(crate) fn fill(&'static self, target: &Buffer, byte: u8) -> Result<()> {
        if target.bytes() == 0 {
            return Ok(());
        }
        self.bind()?;
        let (pointer, bytes) = (target.address(), target.bytes());
        // SAFETY: the range is a live buffer of this device, whose stream this is.
        let filled = unsafe { result::memset_d8_async(pointer, byte, bytes, self.raw_stream()) };
        filled.doing("fill a buffer")
    }

    /// Waits for all work that was launched before.
    ///
    /// # Errors
    /// Where a kernel has failed.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.bind()?;
        // SAFETY: the stream is alive as long as the device.
        unsafe { result::stream::synchronize(self.raw_stream()) }.doing("wait for the device")
    }

    /// The address of at least `count` 32-bit counters, all zero. Kernels that count arrivals
    /// leave them at zero again; the stream's order keeps two kernels from counting at once.
    ///
    /// # Errors
    /// Where memory runs out.
    pub(crate) fn counters(&'static self, count: usize) -> Result<u64> {
        let mut counters = self.counters.lock();
        if let Some(buffer) = &*counters
            && buffer.bytes() >= count * 4
        {
            return Ok(buffer.address());
        }
        let buffer = self.allocate((count * 4).next_power_of_two().max(64 << 10))?;
        self.fill(&buffer, 0)?;
        let address = buffer.address();
        // The smaller buffer goes back in stream order, after the kernels that count in it.
        *counters = Some(buffer);
        Ok(address)
    }

    /// What the allocator holds.
    #[cfg(test)]
    pub(crate) fn memory_stats(&self) -> super::memory::MemoryStats {
        self.memory.stats()
    }

    /// Gives unused blocks back to the device, waiting for what still runs.
    pub(crate) fn release_cached_memory(&self) {
        self.memory.release_cached();
    }
}

/// Gives the memory of dropped buffers back to its device, in stream order.
struct Owner(&'static CudaDevice);

impl Memory for Owner {
    unsafe fn release(&self, address: u64, bytes: usize) {
        self.0.memory.free(address, bytes);
    }
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

fn check_range(buffer: &Buffer, offset: usize, bytes: usize) {
    let inside = offset.checked_add(bytes).is_some_and(|end| end <= buffer.bytes());
    assert!(inside, "{bytes} bytes at {offset} are outside a buffer of {}", buffer.bytes());
}

#[inline]
pub(super) fn bind(context: &CudaContext) -> Result<()> {
    let current = result::ctx::get_current().doing("ask for the thread's context")?;
    if current == Some(context.cu_ctx()) {
        return Ok(());
    }
    // SAFETY: the primary context is retained for the life of the process.
    unsafe { result::ctx::set_current(context.cu_ctx()) }.doing("set the thread's context")
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
