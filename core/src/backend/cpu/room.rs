//! Memory that operations work in: where there is none, an error that names the operation and the
//! bytes, never the end of the process.
//!
//! What a library allocates by itself ends the process where it fails. So whoever calls one says
//! first how much that is at most, and [`check`] looks whether it can be had. Large allocations
//! leave a margin for the small ones around them, which nobody checks.
//!
//! `tests/memory.rs` runs operations with parts of the memory that they want.

use crate::caught::raise;
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The bytes that large allocations leave.
const MARGIN: usize = 4 << 20;
/// Allocations from this size on are large.
pub(super) const LARGE: usize = 64 << 10;

/// The error of an operation for which there is no memory.
#[cold]
pub(super) fn full(operation: &str, bytes: usize) -> Error {
    Error::out_of_memory(format!("{operation}: cannot allocate {bytes} bytes to work in"))
}

/// Whether so many bytes can be had at this moment.
fn can_have(bytes: usize) -> bool {
    let Ok(layout) = Layout::from_size_align(bytes.max(1), 64) else { return false };
    // SAFETY: the size is not zero.
    let address = unsafe { alloc(layout) };
    if address.is_null() {
        return false;
    }
    // The compiler may leave out an allocation that nobody looks at.
    std::hint::black_box(address);
    // SAFETY: the block was allocated with this layout.
    unsafe { dealloc(address, layout) };
    true
}

/// Whether an allocation of so many bytes has left enough for small ones.
pub(super) fn leaves_margin(bytes: usize) -> bool {
    bytes < LARGE || can_have(MARGIN)
}

/// An error unless what a library is about to allocate, at most, can be had.
pub(super) fn check(operation: &str, bytes: usize) -> Result<()> {
    // Small ones have the margin.
    match bytes < LARGE || can_have(bytes.saturating_add(MARGIN)) {
        true => Ok(()),
        false => Err(full(operation, bytes)),
    }
}

/// An empty vector with room for so many elements.
pub(super) fn room<T>(operation: &str, len: usize) -> Result<Vec<T>> {
    let mut memory = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>());
    match memory.try_reserve_exact(len) {
        Ok(()) if leaves_margin(bytes) => Ok(memory),
        _ => Err(full(operation, bytes)),
    }
}

/// A vector of so many equal elements.
pub(super) fn filled<T: Clone>(operation: &str, len: usize, value: T) -> Result<Vec<T>> {
    let mut memory = room(operation, len)?;
    memory.resize(len, value);
    Ok(memory)
}

/// [`filled`] on one of a launch's threads, where the error ends the launch.
pub(super) fn filled_or_raise<T: Clone>(operation: &str, len: usize, value: T) -> Vec<T> {
    filled(operation, len, value).unwrap_or_else(|error| raise(error))
}

// ---- What products of matrices pack their operands into ----

/// The threads that have memory to pack into.
static PACKING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static PACKS: Cell<bool> = const { Cell::new(false) };
}

/// The bytes that faer's products keep for each thread: the third cache twice.
fn packing() -> usize {
    static BYTES: LazyLock<usize> = LazyLock::new(|| 2 * third_cache());
    *BYTES
}

#[cfg(target_os = "linux")]
fn third_cache() -> usize {
    let size = |index: usize| {
        let file = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        let text = std::fs::read_to_string(file).ok()?;
        text.trim().strip_suffix('K')?.parse::<usize>().ok()
    };
    let (second, third) = (size(2).unwrap_or(0), size(3).unwrap_or(0));
    (third.max(4 * second) << 10).max(8 << 20)
}

#[cfg(not(target_os = "linux"))]
fn third_cache() -> usize {
    64 << 20
}

/// An error unless this thread has memory to pack products into, or can have it: `take` is a product,
/// which takes it. One thread at a time looks and takes, so that none takes what another has seen.
pub(super) fn check_packing(operation: &str, take: impl FnOnce()) -> Result<()> {
    static TAKING: Mutex<()> = Mutex::new(());
    if PACKS.get() {
        return Ok(());
    }
    let _alone = TAKING.lock();
    check(operation, packing())?;
    take();
    PACKS.set(true);
    PACKING.fetch_add(1, Relaxed);
    Ok(())
}

/// The bytes that so many threads may take to pack into. Where they share products, a thread that
/// waits for the others may begin another product meanwhile, which needs memory of its own.
pub(super) fn packing_of(threads: usize, shared: bool) -> usize {
    let first = threads.saturating_sub(PACKING.load(Relaxed));
    let second = if shared && threads > 1 { threads } else { 0 };
    (first + second).saturating_mul(packing())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_an_error_that_names_operation_and_bytes() {
        let error = room::<u64>("svd", 1 << 58).unwrap_err();
        assert!(error.is_out_of_memory());
        let bytes = 1u64 << 61;
        assert_eq!(error.to_string(), format!("svd: cannot allocate {bytes} bytes to work in"));
        assert!(check("qr", usize::MAX).unwrap_err().to_string().starts_with("qr: cannot"));
        assert!(filled("fft", usize::MAX, 0u8).is_err());
        assert_eq!(filled("fft", 3, 7).unwrap(), [7; 3]);
    }
}
