//! Device memory: a size-class cache in front of the driver's stream-ordered pool.
//!
//! An allocator serves one stream, which orders all work with its blocks, so a block may be handed
//! out again the moment it is dropped: whatever still reads it was launched earlier. This is what
//! lets the cache be a plain list of pointers, at a few tens of nanoseconds a pair where the
//! driver's pool takes half a microsecond. A block that other streams have used waits until they
//! are done with it.

use parking_lot::Mutex;

use crate::backend::Uses;
use crate::error::{Error, Result};

/// What a device's allocator holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Bytes in live buffers, rounded up to their size classes.
    pub in_use: usize,
    /// The most that `in_use` has been.
    pub peak: usize,
    /// Bytes kept for reuse.
    pub cached: usize,
    /// How often the driver was asked for a block.
    pub driver_allocations: u64,
}

/// The allocator below the cache.
pub trait RawMemory {
    /// A block, or why not; `Ok(None)` where memory has run out.
    fn allocate(&self, bytes: usize) -> Result<Option<u64>>;
    /// Frees a block in stream order.
    fn free(&self, pointer: u64);
    /// Waits for the device and gives unused memory back to it.
    fn release_unused(&self);
    /// Free and total bytes of the device.
    fn free_and_total(&self) -> (usize, usize);
}

/// Blocks above this go straight to the driver: their kernels take far longer than the call.
const LARGEST_CACHED: usize = 64 << 20;
const CLASSES: usize = class_of(LARGEST_CACHED).0 + 1;

/// A cache of freed blocks by size class, over `R`.
pub struct Allocator<R> {
    raw: R,
    /// The most bytes kept for reuse.
    cache_limit: usize,
    /// All of the device's memory.
    total: usize,
    state: Mutex<State>,
}

struct State {
    free: Vec<Vec<u64>>,
    /// Blocks that were dropped while other streams used them, with what they were asked with.
    used: Vec<(u64, usize, Box<dyn Uses>)>,
    stats: MemoryStats,
}

impl<R: RawMemory> Allocator<R> {
    pub fn new(raw: R, cache_limit: usize) -> Self {
        let free = vec![Vec::new(); CLASSES];
        let state = State { free, used: Vec::new(), stats: MemoryStats::default() };
        let total = match raw.free_and_total() {
            // It did not say.
            (_, 0) => usize::MAX,
            (_, total) => total,
        };
        Self { raw, cache_limit, total, state: Mutex::new(state) }
    }

    /// A block of at least `bytes` bytes; 0 for none.
    #[inline]
    pub fn allocate(&self, bytes: usize) -> Result<u64> {
        if bytes == 0 {
            return Ok(0);
        }
        match self.cached(bytes) {
            Some(pointer) => Ok(pointer),
            None => self.allocate_from_driver(bytes, class_of(bytes).1),
        }
    }

    /// A block that waits to be used again.
    #[inline(always)]
    fn cached(&self, bytes: usize) -> Option<u64> {
        let (class, size) = class_of(bytes);
        if class >= CLASSES {
            return None;
        }
        let mut state = self.state.lock();
        let pointer = state.free[class].pop()?;
        state.stats.cached -= size;
        state.stats.took(size);
        Some(pointer)
    }

    /// Gives a block back. `bytes` is what it was asked with.
    #[inline]
    pub fn free(&self, pointer: u64, bytes: usize) {
        if pointer == 0 {
            return;
        }
        let (class, size) = class_of(bytes);
        let mut state = self.state.lock();
        state.stats.in_use -= size;
        if class < CLASSES && state.stats.cached + size <= self.cache_limit {
            state.stats.cached += size;
            state.free[class].push(pointer);
            return;
        }
        drop(state);
        self.raw.free(pointer);
    }

    /// The same for a block that other streams may still use.
    pub fn free_after(&self, pointer: u64, bytes: usize, uses: Option<Box<dyn Uses>>) {
        match uses {
            Some(uses) if pointer != 0 && !uses.are_over() => {
                self.state.lock().used.push((pointer, bytes, uses));
                self.free_used();
            }
            _ => self.free(pointer, bytes),
        }
    }

    /// Forgets a block that somebody else frees. `bytes` is what it was asked with.
    pub fn surrender(&self, bytes: usize) {
        if bytes > 0 {
            self.state.lock().stats.in_use -= class_of(bytes).1;
        }
    }

    /// Frees the blocks that other streams are done with.
    fn free_used(&self) {
        let over: Vec<_> = {
            let mut state = self.state.lock();
            state.used.extract_if(.., |block| block.2.are_over()).collect()
        };
        over.into_iter().for_each(|(pointer, bytes, _)| self.free(pointer, bytes));
    }

    /// What the allocator holds.
    pub fn stats(&self) -> MemoryStats {
        self.state.lock().stats
    }

    /// Gives every unused block back to the device, waiting for what still runs.
    pub fn release_cached(&self) {
        let used = std::mem::take(&mut self.state.lock().used);
        for (pointer, bytes, uses) in used {
            // A failure shows in whatever is asked of the device next.
            let _ = uses.wait(false);
            self.free(pointer, bytes);
        }
        let blocks: Vec<u64> = {
            let mut state = self.state.lock();
            state.stats.cached = 0;
            state.free.iter_mut().flat_map(std::mem::take).collect()
        };
        for pointer in blocks {
            self.raw.free(pointer);
        }
        self.raw.release_unused();
    }

    #[cold]
    #[inline(never)]
    fn allocate_from_driver(&self, bytes: usize, size: usize) -> Result<u64> {
        if !self.state.lock().used.is_empty() {
            self.free_used();
            if let Some(pointer) = self.cached(bytes) {
                return Ok(pointer);
            }
        }
        // Asked for more than there is, the driver's pool takes all that it can get before it
        // refuses, and whoever allocates meanwhile is refused as well.
        if size > self.total {
            return Err(self.out_of_memory(bytes));
        }
        let mut found = self.raw.allocate(size)?;
        if found.is_none() {
            self.release_cached();
            found = self.raw.allocate(size)?;
        }
        let pointer = found.ok_or_else(|| self.out_of_memory(bytes))?;
        let mut state = self.state.lock();
        state.stats.driver_allocations += 1;
        state.stats.took(size);
        Ok(pointer)
    }

    fn out_of_memory(&self, bytes: usize) -> Error {
        let (free, total) = self.raw.free_and_total();
        Error::out_of_memory(format!(
            "{bytes} bytes were asked for, and the device has {free} free of {total}"
        ))
    }
}

impl MemoryStats {
    fn took(&mut self, size: usize) {
        self.in_use += size;
        self.peak = self.peak.max(self.in_use);
    }
}

/// The size class of a request and the size of its blocks: multiples of 512 up to 4 KiB, then
/// eight classes an octave, so that at most an eighth is lost; above the largest cached size,
/// the request itself, rounded to 512.
const fn class_of(bytes: usize) -> (usize, usize) {
    if bytes > LARGEST_CACHED {
        return (usize::MAX, bytes.saturating_add(511) & !511);
    }
    let last = bytes.saturating_sub(1);
    if last < 4096 {
        return (last >> 9, ((last >> 9) + 1) << 9);
    }
    let octave = usize::BITS as usize - 1 - last.leading_zeros() as usize;
    let step = last >> (octave - 3);
    (8 + (octave - 12) * 8 + (step & 7), (step + 1) << (octave - 3))
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
