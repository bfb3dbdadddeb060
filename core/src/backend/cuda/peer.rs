//! Copies from one GPU's memory to another's, and within one; and memory of one GPU that kernels of
//! another read where it is.
//!
//! A copy between two GPUs is given to the queue of the one that receives. It waits for what the other
//! GPU's queue was given, and that queue goes on once the copy is done, so that nobody writes the
//! memory or hands it out again meanwhile. A piece that is read where it is costs no copy: the queue of
//! the reader waits for a moment of the other one's, and its reading is noted with the buffer once the
//! piece is let go of.
//! Between two H200s a kernel reads 1 MiB of the other's memory as fast as of its own.

use super::device::{CudaDevice, check_range};
use super::driver::Doing;
use super::queue::{Mark, Queue, note_reader};
use crate::backend::{Buffer, Memory, Touched, Uses};
use crate::error::Result;
use cudarc::driver::{result, sys};
use parking_lot::Mutex;
use std::sync::Arc;

impl CudaDevice {
    /// Some bytes of a buffer of a GPU, this one or another, in a new buffer of this one.
    ///
    /// # Errors
    /// Where memory runs out or the driver fails.
    ///
    /// # Panics
    /// Where the range is outside the buffer.
    pub(super) fn receive(
        &'static self,
        from: &Buffer,
        source: &'static CudaDevice,
        start: usize,
        bytes: usize,
    ) -> Result<Buffer> {
        check_range(from, start, bytes);
        let to = self.allocate(bytes)?;
        if bytes == 0 {
            return Ok(to);
        }
        let address = from.address() + start as u64;
        if std::ptr::eq(self, source) {
            let touched = Touched { read: &[from], written: &[&to] };
            self.bind()?;
            self.in_order(touched, || {
                // SAFETY: both ranges are live and hold so many bytes.
                unsafe {
                    result::memcpy_dtod_async(to.address(), address, bytes, self.raw_stream())
                }
                .doing("copy on the device")
            })?;
            return Ok(to);
        }
        self.open_to(source)?;
        let (there, here) = (source.queue(), self.queue());
        source.bind()?;
        source.in_order(Touched { read: &[from], written: &[] }, || {
            let ready = there.mark()?;
            self.bind()?;
            here.wait_for(&ready)?;
            self.in_order(Touched { read: &[], written: &[&to] }, || {
                // SAFETY: both ranges are live and hold so many bytes, each in the memory of the
                // context that is given with it; the marks keep them for the copy.
                unsafe {
                    sys::cuMemcpyPeerAsync(
                        to.address(),
                        self.context(),
                        address,
                        source.context(),
                        bytes,
                        here.raw_stream(),
                    )
                }
                .result()
                .doing("copy from another device")
            })?;
            let done = here.mark()?;
            source.bind()?;
            there.wait_for(&done)
        })?;
        Ok(to)
    }

    /// Some bytes of another GPU's buffer where they are, from a moment of that GPU on; none where this
    /// GPU cannot read them, or where they are not aligned as kernels expect it.
    ///
    /// # Errors
    /// Where the driver fails.
    ///
    /// # Panics
    /// Where the range is outside the buffer.
    pub(super) fn reach(
        &'static self,
        from: &Arc<Buffer>,
        (source, ready): (&'static CudaDevice, &Mark),
        start: usize,
        bytes: usize,
    ) -> Result<Option<Buffer>> {
        check_range(from, start, bytes);
        let address = from.address() + start as u64;
        // What somebody else has allocated lies in no pool of ours.
        let is_other = !std::ptr::eq(self, source) && bytes > 0 && from.may_be_written();
        if !is_other || !address.is_multiple_of(ALIGNMENT) || !self.open_to(source)? {
            return Ok(None);
        }
        // Whoever writes the memory later looks at what is noted of its uses.
        source.note_uses();
        self.bind()?;
        let here = self.queue();
        here.wait_for(ready)?;
        let memory = Arc::new(Reached { whole: from.clone(), reader: self, here });
        Ok(Some(Buffer::new(address, bytes, memory)))
    }

    /// Lets this GPU read another one's memory where the machine can do that; else the driver copies by
    /// way of the host. Says whether it can.
    pub(super) fn open_to(&self, source: &CudaDevice) -> Result<bool> {
        static OPENED: Mutex<Vec<(usize, usize, bool)>> = Mutex::new(Vec::new());
        let (own, other) = (self.info().ordinal, source.info().ordinal);
        let mut opened = OPENED.lock();
        if let Some(known) = opened.iter().find(|pair| (pair.0, pair.1) == (own, other)) {
            return Ok(known.2);
        }
        let can = self.try_open(source)?;
        opened.push((own, other, can));
        Ok(can)
    }

    fn try_open(&self, source: &CudaDevice) -> Result<bool> {
        source.bind()?;
        let mut can = 0;
        // SAFETY: the devices are there; the answer has room.
        unsafe { sys::cuDeviceCanAccessPeer(&mut can, self.number(), source.number()) }
            .result()
            .doing("ask whether devices reach each other's memory")?;
        // SAFETY: the device is there.
        let pool = unsafe { result::device::get_mem_pool(source.number()) };
        let (true, Ok(pool)) = (can != 0, pool) else { return Ok(false) };
        let access = sys::CUmemAccessDesc {
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: self.number(),
            },
            flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // A pool that cannot be opened is read by way of the host.
        // SAFETY: the pool is the device's, and there is one description.
        Ok(unsafe { sys::cuMemPoolSetAccess(pool, &access, 1) }.result().is_ok())
    }
}

/// How kernels expect arrays to be aligned.
const ALIGNMENT: u64 = 256;

/// Memory of one GPU that another one reads.
struct Reached {
    whole: Arc<Buffer>,
    reader: &'static CudaDevice,
    here: &'static Queue,
}

impl Memory for Reached {
    unsafe fn release(&self, _: u64, _: usize, uses: Option<Box<dyn Uses>>) {
        // Nobody can be told of a failure; the context has failed then, and its memory with it.
        let _ = uses.map(|uses| uses.wait(false));
        if self.reader.bind().is_ok()
            && let Ok(done) = self.here.mark()
        {
            note_reader(&self.whole, &done);
        }
    }

    fn queue(&self) -> u32 {
        self.here.number()
    }

    fn may_be_written(&self) -> bool {
        false
    }
}
