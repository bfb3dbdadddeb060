//! Copies between ordinary host memory and the device, through pinned memory.
//!
//! The driver's own copy from ordinary memory goes through one small buffer on one thread. Here
//! several threads take chunks in turn, each with pinned slots of its own: while the copy engine
//! moves one slot, the processor empties or fills another, and fresh pages of the target are
//! touched in parallel. No thread waits for another, so a copy asked for from inside a thread
//! pool cannot lock up.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use cudarc::driver::sys;
use parking_lot::Mutex;

use super::device::{CudaDevice, check_range};
use super::slots::{Slot, Slots, Staging, Tier};
use crate::backend::{Buffer, Meter, pool};
use crate::error::Result;

/// Up to [`SMALL_COPY`] bytes: little to pin, and one thread is enough.
const SMALL: Tier = Tier { slots: 8, slot_bytes: 128 << 10 };
const SMALL_COPY: usize = SMALL.slots * SMALL.slot_bytes;
/// Above that: two slots for each thread that shares the copy, of a large page each.
const LARGE_SLOT: usize = 2 << 20;
/// One thread copies some 10 GB/s, or 6 into memory that nobody has touched, and the link carries
/// 55. On an H200 with 16 cores, 8 threads write fresh large pages at 32 GB/s and 16 at 49.
const MOST_WORKERS: usize = 16;
/// What a thread must have to do to be worth waking.
const BYTES_PER_WORKER: usize = 1 << 20;
/// Sets of slots kept for each tier; more are made where more threads copy at once.
const SETS_KEPT: usize = 2;

impl CudaDevice {
    /// Copies host memory to `target`. When this returns, `source` has been read.
    ///
    /// # Errors
    /// Where the driver fails.
    ///
    /// # Panics
    /// Where the range is outside the buffer.
    pub fn copy_to_device(
        &'static self,
        source: &[u8],
        target: &Buffer,
        offset: usize,
    ) -> Result<()> {
        check_range(target, offset, source.len());
        self.staging().to_device(self, source, target.address() + offset as u64)
    }

    /// Copies device memory into `target`, after all work that was launched before.
    ///
    /// # Errors
    /// Where the driver fails, or where an earlier kernel has failed.
    ///
    /// # Panics
    /// Where the range is outside the buffer.
    pub fn copy_to_host(
        &'static self,
        source: &Buffer,
        offset: usize,
        target: &mut [u8],
    ) -> Result<()> {
        check_range(source, offset, target.len());
        self.staging().to_host(self, source.address() + offset as u64, target)
    }
}

impl Staging {
    /// Copies `source` to a device address. `source` has been read when this returns; the
    /// device has it in stream order.
    pub(super) fn to_device(&self, device: &CudaDevice, source: &[u8], target: u64) -> Result<()> {
        let from = HostPointer(source.as_ptr().cast_mut());
        let body = |work: &Work<'_>, slots: &[Slot], turn| work.upload(slots, turn, from, target);
        self.copy(device, ("bytes to the device", source.len()), from, body)
    }

    /// Copies from a device address into `target`, after all that was launched before.
    pub(super) fn to_host(
        &self,
        device: &CudaDevice,
        source: u64,
        target: &mut [u8],
    ) -> Result<()> {
        let to = HostPointer(target.as_mut_ptr());
        let body = |work: &Work<'_>, slots: &[Slot], turn| work.download(slots, turn, source, to);
        self.copy(device, ("bytes to the host", target.len()), to, body)
    }

    /// Splits a copy from or to `host` into chunks and gives them to as many threads as are worth
    /// it. `body` gets the slots of its thread and the first to use. Who shows progress is told of
    /// large copies.
    fn copy(
        &self,
        device: &CudaDevice,
        (what, bytes): (&'static str, usize),
        host: HostPointer,
        body: impl Fn(&Work<'_>, &[Slot], usize) -> Result<()> + Sync,
    ) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        device.bind()?;
        let workers = workers_for(bytes);
        let (shelf, tier) = match bytes <= SMALL_COPY {
            true => (&self.small, SMALL),
            false => (&self.large, Tier { slots: 2 * workers, slot_bytes: LARGE_SLOT }),
        };
        let taken = shelf.lock().pop().filter(|set| set.slots.len() >= tier.slots);
        let mut set = taken.map_or_else(|| Slots::new(tier), Ok)?;
        let chunk = bytes.div_ceil(2 * workers).next_power_of_two();
        let chunk = chunk.clamp(64 << 10, tier.slot_bytes);
        let mut work = Work::new(device, bytes, chunk, host);
        work.meter = if bytes > SMALL_COPY { Meter::start(what, bytes as u64) } else { None };
        let done = if workers == 1 {
            let done = body(&work, &set.slots, set.turn);
            set.turn = (set.turn + work.chunks()) % set.slots.len();
            done
        } else {
            share(&work, &set.slots, workers, &body)
        };
        // Slots whose copy is still under way may go back: their next user waits for them.
        let mut shelf = shelf.lock();
        if shelf.len() < SETS_KEPT {
            shelf.push(set);
        }
        done
    }
}

fn workers_for(bytes: usize) -> usize {
    if bytes <= SMALL_COPY {
        return 1;
    }
    let threads = pool::threads().min(MOST_WORKERS);
    (bytes / BYTES_PER_WORKER).clamp(1, threads.max(1))
}

/// Runs the body on this thread and on `workers - 1` of the pool.
fn share(
    work: &Work<'_>,
    slots: &[Slot],
    workers: usize,
    body: &(impl Fn(&Work<'_>, &[Slot], usize) -> Result<()> + Sync),
) -> Result<()> {
    let failure = Mutex::new(None);
    let run = |slots: &[Slot]| {
        let done = work.device.bind().and_then(|()| body(work, slots, 0));
        if let Err(error) = done {
            failure.lock().get_or_insert(error);
        }
    };
    let parts: Vec<&[Slot]> = slots.chunks(slots.len() / workers).take(workers).collect();
    pool::parts(parts.len(), |k| run(parts[k]));
    failure.into_inner().map_or(Ok(()), Err)
}

/// A host address that threads write to, or read from, in disjoint chunks.
#[derive(Clone, Copy)]
struct HostPointer(*mut u8);

// SAFETY: every chunk is taken by one thread, and the copy ends before the borrow it came from.
unsafe impl Send for HostPointer {}
// SAFETY: as above.
unsafe impl Sync for HostPointer {}

// SAFETY: a stream is a handle that the driver allows any thread to use, and the rest may be shared
// anyway.
unsafe impl Sync for Work<'_> {}

/// One copy, shared by its threads.
struct Work<'a> {
    device: &'a CudaDevice,
    /// The stream of the thread that asked for the copy.
    stream: sys::CUstream,
    bytes: usize,
    chunk: usize,
    /// How far the host's memory begins behind a multiple of a chunk, where chunks are pages.
    skew: usize,
    /// The next chunk that nobody has taken.
    next: AtomicUsize,
    meter: Option<Meter>,
}

impl<'a> Work<'a> {
    fn new(device: &'a CudaDevice, bytes: usize, chunk: usize, host: HostPointer) -> Self {
        let skew = if chunk == LARGE_SLOT { host.0.addr() % chunk } else { 0 };
        let stream = device.raw_stream();
        Work { device, stream, bytes, chunk, skew, next: AtomicUsize::new(0), meter: None }
    }

    fn chunks(&self) -> usize {
        (self.bytes + self.skew).div_ceil(self.chunk)
    }

    /// The next chunk. Those as long as a large page end where one does: the system clears a fresh
    /// page for each thread that touches it while another does, and throws all but one away.
    fn take(&self) -> Option<Range<usize>> {
        let k = self.next.fetch_add(1, Ordering::Relaxed);
        let start = (k * self.chunk).saturating_sub(self.skew);
        let end = ((k + 1) * self.chunk - self.skew).min(self.bytes);
        (start < end).then_some(start..end)
    }

    fn upload(&self, slots: &[Slot], first: usize, from: HostPointer, target: u64) -> Result<()> {
        let mut turn = first;
        while let Some(range) = self.take() {
            let slot = &slots[turn % slots.len()];
            turn += 1;
            slot.wait()?;
            // SAFETY: the range lies inside the caller's slice, it fits the slot, and the device
            // has finished reading the slot.
            unsafe { from.0.add(range.start).copy_to_nonoverlapping(slot.memory, range.len()) };
            slot.send(self.stream, target + range.start as u64, range.len())?;
            self.meter.iter().for_each(|meter| meter.add(range.len() as u64));
        }
        Ok(())
    }

    fn download(&self, slots: &[Slot], first: usize, source: u64, to: HostPointer) -> Result<()> {
        let mut turn = first;
        let mut under_way = VecDeque::with_capacity(slots.len());
        loop {
            if under_way.len() < slots.len()
                && let Some(range) = self.take()
            {
                let slot = &slots[turn % slots.len()];
                turn += 1;
                slot.receive(self.stream, source + range.start as u64, range.len())?;
                under_way.push_back((slot, range));
                continue;
            }
            let Some((slot, range)) = under_way.pop_front() else { return Ok(()) };
            slot.wait()?;
            // SAFETY: the range lies inside the caller's slice, only this thread has taken it,
            // and the device has finished writing the slot.
            unsafe { slot.memory.copy_to_nonoverlapping(to.0.add(range.start), range.len()) };
            self.meter.iter().for_each(|meter| meter.add(range.len() as u64));
        }
    }
}
