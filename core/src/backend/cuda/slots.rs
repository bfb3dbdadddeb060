//! The pinned memory of the host that copies go through, cut into slots, and the driver's copies from
//! and to one slot.

use std::ffi::c_void;

use cudarc::driver::{result, sys};
use parking_lot::Mutex;

use super::driver::Doing;
use crate::error::Result;

/// The pinned memory of one kind of copy.
#[derive(Clone, Copy)]
pub(super) struct Tier {
    pub(super) slots: usize,
    pub(super) slot_bytes: usize,
}

/// The staging memory of a device, pinned at the first use.
pub(super) struct Staging {
    pub(super) small: Mutex<Vec<Slots>>,
    pub(super) large: Mutex<Vec<Slots>>,
}

impl Staging {
    pub(super) const fn new() -> Self {
        Self { small: Mutex::new(Vec::new()), large: Mutex::new(Vec::new()) }
    }
}

/// A pinned allocation, cut into slots.
pub(super) struct Slots {
    pub(super) slots: Vec<Slot>,
    /// The slot that a copy by one thread begins with, so that small uploads in a row do not
    /// wait for each other.
    pub(super) turn: usize,
}

pub(super) struct Slot {
    pub(super) memory: *mut u8,
    /// The last copy from or to the slot.
    event: sys::CUevent,
}

// SAFETY: the memory is used by one thread at a time, and an event is a handle that the driver
// allows any thread to use.
unsafe impl Send for Slot {}
// SAFETY: as above.
unsafe impl Sync for Slot {}

impl Slots {
    pub(super) fn new(tier: Tier) -> Result<Self> {
        // SAFETY: the memory is written, by the device or by us, before it is read.
        let memory = unsafe { result::malloc_host(tier.slots * tier.slot_bytes, 0) }
            .doing("pin host memory")?;
        let mut set = Self { slots: Vec::with_capacity(tier.slots), turn: 0 };
        for index in 0..tier.slots {
            let event = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
                .doing("create an event")?;
            // SAFETY: the offset lies inside the allocation.
            let memory = unsafe { memory.cast::<u8>().add(index * tier.slot_bytes) };
            set.slots.push(Slot { memory, event });
        }
        Ok(set)
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        for slot in &self.slots {
            // SAFETY: the event was created with the slot. What still runs is waited for, so
            // that the memory is not freed under it; failures leave nothing more to do.
            let _ = unsafe { result::event::synchronize(slot.event) };
            // SAFETY: as above; it is destroyed only here.
            let _ = unsafe { result::event::destroy(slot.event) };
        }
        if let Some(first) = self.slots.first() {
            // SAFETY: the first slot begins where the allocation does.
            let _ = unsafe { result::free_host(first.memory.cast::<c_void>()) };
        }
    }
}

impl Slot {
    /// Waits for the last copy; at once where there was none.
    pub(super) fn wait(&self) -> Result<()> {
        // SAFETY: the event is alive.
        unsafe { result::event::synchronize(self.event) }.doing("copy")
    }

    pub(super) fn send(&self, stream: sys::CUstream, target: u64, bytes: usize) -> Result<()> {
        // SAFETY: the slot is pinned, holds that many bytes, and is left alone until the event.
        let source = unsafe { std::slice::from_raw_parts(self.memory, bytes) };
        // SAFETY: the target range lies inside a live buffer of the stream's device.
        unsafe { result::memcpy_htod_async(target, source, stream) }.doing("copy to the device")?;
        self.record(stream)
    }

    pub(super) fn receive(&self, stream: sys::CUstream, source: u64, bytes: usize) -> Result<()> {
        // SAFETY: the slot is pinned, holds that many bytes, and is left alone until the event.
        let target = unsafe { std::slice::from_raw_parts_mut(self.memory, bytes) };
        // SAFETY: the source range lies inside a live buffer of the stream's device.
        unsafe { result::memcpy_dtoh_async(target, source, stream) }.doing("copy to the host")?;
        self.record(stream)
    }

    fn record(&self, stream: sys::CUstream) -> Result<()> {
        // SAFETY: the event and the stream are alive.
        unsafe { result::event::record(self.event, stream) }.doing("record an event")
    }
}
