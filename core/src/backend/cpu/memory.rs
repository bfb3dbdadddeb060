//! The processor's memory: aligned blocks, of which large and small ones are used again.
//!
//! Fresh pages cost a page fault each, which is more than the arithmetic done on what lies there. A
//! block of at least [`KEPT`] bytes that is given back waits in a list, and the next one of about
//! its size takes it. So does one of at most [`SMALL`] bytes: loops over rows and elements make many,
//! and aligned blocks cost the system's allocator several times what others do.

use super::room;
use crate::backend::pages::ask_for_large_pages;
use crate::backend::{Memory, MemoryUse, Uses, pool};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::alloc::{Layout, alloc, dealloc};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The alignment of every buffer: a cache line, which is also the widest vector register.
pub(super) const ALIGN: usize = 64;

/// Blocks up to this size wait to be used again.
const SMALL: usize = 2 << 10;
/// The most of them that wait, of each size.
const SMALL_WAITING: usize = 64;
/// Blocks from this size on wait to be used again: allocators give those that are a little larger
/// back to the system each time.
const KEPT: usize = 64 << 10;
/// Blocks from this size on are aligned to large pages.
const LARGE: usize = 1 << 20;
/// The alignment of large blocks: that of large pages.
const LARGE_ALIGN: usize = 2 << 20;
/// The most blocks that wait.
const WAITING: usize = 32;
/// The most bytes that wait.
const WAITING_BYTES: usize = 2 << 30;

/// The processor's memory.
#[derive(Default)]
pub(super) struct Heap {
    /// Blocks that wait: bytes and address, the oldest first.
    waiting: Mutex<Vec<(usize, u64)>>,
    /// Small blocks that wait, by size.
    small: [Mutex<Vec<u64>>; SMALL / ALIGN],
    /// The bytes of blocks that are alive, and the most that these have been.
    in_use: AtomicUsize,
    peak: AtomicUsize,
}

/// The bytes that a block really has: those that wait have few sizes, so that they fit again.
fn rounded(bytes: usize) -> Option<usize> {
    match bytes {
        ..=SMALL => Some(bytes.next_multiple_of(ALIGN)),
        bytes if bytes < KEPT => Some(bytes),
        // Steps of an eighth of the size.
        _ => {
            let step = 1usize << (usize::BITS - 1 - bytes.leading_zeros()).saturating_sub(3);
            bytes.checked_next_multiple_of(step)
        }
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    let align = if bytes >= LARGE { LARGE_ALIGN } else { ALIGN };
    Layout::from_size_align(bytes, align).ok()
}

impl Heap {
    /// A block of at least so many bytes, not zero.
    pub(super) fn allocate(&self, bytes: usize) -> Result<u64> {
        let address = self.find(bytes)?;
        let in_use = self.in_use.fetch_add(bytes, Relaxed) + bytes;
        if in_use > self.peak.load(Relaxed) {
            self.peak.fetch_max(in_use, Relaxed);
        }
        Ok(address)
    }

    /// What buffers have of the memory.
    pub(super) fn memory_use(&self) -> MemoryUse {
        MemoryUse {
            in_use: self.in_use.load(Relaxed),
            peak: self.peak.load(Relaxed),
            cached: self.waiting.lock().iter().map(|block| block.0).sum::<usize>()
                + self.small_waiting(),
        }
    }

    /// The bytes of small blocks that wait.
    fn small_waiting(&self) -> usize {
        let lists = self.small.iter().enumerate();
        lists.map(|(k, list)| list.lock().len() * (k + 1) * ALIGN).sum()
    }

    fn find(&self, bytes: usize) -> Result<u64> {
        let fail = || Error::out_of_memory(format!("cannot allocate {bytes} bytes"));
        let size = rounded(bytes).ok_or_else(fail)?;
        if size <= SMALL
            && let Some(address) = self.small[size / ALIGN - 1].lock().pop()
        {
            return Ok(address);
        }
        if size >= KEPT {
            let mut waiting = self.waiting.lock();
            if let Some(at) = waiting.iter().rposition(|block| block.0 == size) {
                return Ok(waiting.remove(at).1);
            }
        }
        let layout = layout(size).ok_or_else(fail)?;
        // SAFETY: the size is not zero.
        let mut address = unsafe { alloc(layout) };
        if address.is_null() {
            self.trim();
            // SAFETY: as above.
            address = unsafe { alloc(layout) };
        }
        if address.is_null() {
            return Err(fail());
        }
        if !room::leaves_margin(size) {
            free(size, address as u64);
            return Err(fail());
        }
        if size >= LARGE_ALIGN {
            ask_for_large_pages(address, size);
        }
        Ok(address as u64)
    }

    /// Gives all blocks that wait back to the system.
    pub(super) fn trim(&self) {
        for (size, address) in self.waiting.lock().drain(..) {
            free(size, address);
        }
        for (k, list) in self.small.iter().enumerate() {
            list.lock().drain(..).for_each(|address| free((k + 1) * ALIGN, address));
        }
    }
}

/// Copies bytes, with several threads where there are many.
///
/// # Safety
/// As `std::ptr::copy_nonoverlapping`.
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    const PART: usize = 1 << 20;
    /// Addresses that threads share, each moving its own part.
    #[derive(Clone, Copy)]
    struct Ends(*const u8, *mut u8);
    // SAFETY: the parts are disjoint.
    unsafe impl Sync for Ends {}
    impl Ends {
        /// # Safety
        /// The part is inside both blocks.
        unsafe fn part(&self, at: usize, bytes: usize) {
            // SAFETY: the caller says so.
            unsafe { std::ptr::copy_nonoverlapping(self.0.add(at), self.1.add(at), bytes) }
        }
    }
    let ends = Ends(from, to);
    if bytes < 4 * PART {
        // SAFETY: the caller's promise.
        return unsafe { ends.part(0, bytes) };
    }
    pool::each(bytes.div_ceil(PART), |k| {
        // SAFETY: the parts cover the blocks.
        unsafe { ends.part(k * PART, PART.min(bytes - k * PART)) };
    });
}

fn free(size: usize, address: u64) {
    let layout = layout(size).expect("it was allocated so");
    // SAFETY: the block was allocated with this layout, and nobody has it any more.
    unsafe { dealloc(address as *mut u8, layout) }
}

impl Memory for Heap {
    unsafe fn release(&self, address: u64, bytes: usize, _: Option<Box<dyn Uses>>) {
        if bytes == 0 {
            return;
        }
        self.in_use.fetch_sub(bytes, Relaxed);
        let size = rounded(bytes).expect("it was allocated so");
        if size <= SMALL {
            let mut waiting = self.small[size / ALIGN - 1].lock();
            if waiting.len() < SMALL_WAITING {
                return waiting.push(address);
            }
        }
        if size < KEPT {
            return free(size, address);
        }
        let mut waiting = self.waiting.lock();
        waiting.push((size, address));
        let mut total: usize = waiting.iter().map(|block| block.0).sum();
        while waiting.len() > WAITING || total > WAITING_BYTES {
            let (size, address) = waiting.remove(0);
            total -= size;
            free(size, address);
        }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        self.trim();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_blocks_are_used_again() {
        let heap = Heap::default();
        for bytes in [3 << 20, 300 << 10, KEPT] {
            let first = heap.allocate(bytes).expect("there is memory");
            // SAFETY: the block was given out by this heap.
            unsafe { heap.release(first, bytes, None) };
            let second = heap.allocate(bytes - 5).expect("there is memory");
            assert_eq!(first == second, bytes > KEPT);
            assert_ne!(heap.allocate(bytes).expect("there is memory"), second);
            // SAFETY: as above, with the size that was asked for.
            unsafe { heap.release(second, bytes - 5, None) };
        }
        heap.trim();
        assert!(heap.waiting.lock().is_empty());
    }

    #[test]
    fn small_blocks_are_used_again_and_few_wait() {
        let heap = Heap::default();
        for bytes in [1, 64, 65, SMALL] {
            let blocks: Vec<u64> = (0..2 * SMALL_WAITING)
                .map(|_| heap.allocate(bytes).expect("there is memory"))
                .collect();
            // SAFETY: the blocks were given out by this heap, so long.
            blocks.iter().for_each(|&block| unsafe { heap.release(block, bytes, None) });
            let again = heap.allocate(bytes).expect("there is memory");
            assert!(blocks[..SMALL_WAITING].contains(&again), "{bytes} bytes");
            // SAFETY: as above.
            unsafe { heap.release(again, bytes, None) };
        }
        // Of 1 and 64 bytes alike: one line.
        let waiting = SMALL_WAITING * (64 + 128 + SMALL);
        assert_eq!((heap.memory_use().cached, heap.memory_use().in_use), (waiting, 0));
        heap.trim();
        assert_eq!(heap.memory_use().cached, 0);
    }

    #[test]
    fn too_much_is_an_error() {
        let heap = Heap::default();
        for bytes in [usize::MAX, usize::MAX / 2, 1 << 60] {
            assert!(heap.allocate(bytes).expect_err("nobody has that").is_out_of_memory());
        }
    }
}
