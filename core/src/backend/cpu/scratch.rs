//! Scratch memory of threads, kept from launch to launch.

use super::affine::Desc;
use super::room;
use crate::error::Result;
use lazuli_inner_loops::operations::Arg;
use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;

/// Slots, bases and indices of a worker.
type Lists = (Vec<Arg>, Vec<Arg>, Vec<Desc>);

/// Memory and lists for one worker. A thread keeps those that it has used, and a thread that is
/// in the middle of one launch takes another one where it helps with a second.
#[derive(Default)]
pub struct Scratch {
    memory: Memory,
    lists: Lists,
}

struct Memory {
    ptr: *mut u8,
    bytes: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Memory { ptr: std::ptr::null_mut(), bytes: 0 }
    }
}

impl Memory {
    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, 4096).expect("scratch memory is small")
    }

    fn grow(&mut self, bytes: usize) -> Result<()> {
        if bytes <= self.bytes {
            return Ok(());
        }
        self.free();
        let bytes = bytes.next_power_of_two().max(1 << 16);
        let layout = Self::layout(bytes);
        // SAFETY: the size is not zero.
        self.ptr = unsafe { alloc(layout) };
        if self.ptr.is_null() {
            return Err(room::full("evaluation", bytes));
        }
        self.bytes = bytes;
        if !room::leaves_margin(bytes) {
            self.free();
            return Err(room::full("evaluation", bytes));
        }
        Ok(())
    }

    fn free(&mut self) {
        if self.bytes > 0 {
            // SAFETY: the memory was allocated with this layout.
            unsafe { dealloc(self.ptr, Self::layout(self.bytes)) };
            self.bytes = 0;
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.free();
    }
}

thread_local! {
    static POOL: RefCell<Vec<Scratch>> = const { RefCell::new(Vec::new()) };
}

impl Scratch {
    /// Scratch memory of at least so many bytes.
    pub fn take(bytes: usize) -> Result<Scratch> {
        let kept = POOL.with(|pool| pool.borrow_mut().pop());
        let mut scratch = kept.unwrap_or_default();
        scratch.memory.grow(bytes)?;
        Ok(scratch)
    }

    /// Where the memory begins.
    pub fn memory(&self) -> *mut u8 {
        self.memory.ptr
    }

    /// Empty lists.
    pub fn take_lists(&mut self) -> Lists {
        std::mem::take(&mut self.lists)
    }

    /// Keeps the memory and the lists for the next launch.
    pub fn give_back(&mut self, mut lists: Lists) {
        lists.0.clear();
        lists.1.clear();
        lists.2.clear();
        let kept = Scratch { memory: std::mem::take(&mut self.memory), lists };
        POOL.with(|pool| pool.borrow_mut().push(kept));
    }
}
