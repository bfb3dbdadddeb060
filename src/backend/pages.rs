//! Large pages of the host's memory.

/// The bytes of a large page.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 2 << 20;

/// Asks the system for large pages: fewer faults when memory is first written, fewer misses in
/// the tables of pages afterwards. It may refuse; nothing depends on it. The memory is the
/// caller's own and keeps its contents.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_large_pages(address: *mut u8, bytes: usize) {
    const MADV_HUGEPAGE: i32 = 14;
    unsafe extern "C" {
        fn madvise(address: *mut std::ffi::c_void, bytes: usize, advice: i32) -> i32;
    }
    let skip = address.align_offset(LARGE_PAGE);
    let Some(bytes) = bytes.checked_sub(skip).map(|rest| rest & !(LARGE_PAGE - 1)) else { return };
    if bytes > 0 {
        // SAFETY: the range is whole pages inside the caller's memory, and the advice changes no
        // contents.
        unsafe { madvise(address.wrapping_add(skip).cast(), bytes, MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for_large_pages(_: *mut u8, _: usize) {}
