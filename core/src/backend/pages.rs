//! The host's memory: large pages, and what is free.

/// The bytes of a large page.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 2 << 20;

/// Asks the system for large pages: fewer faults when memory is first written, fewer misses in
/// the tables of pages afterwards. It may refuse; nothing depends on it. The memory is the
/// caller's own and keeps its contents.
#[cfg(target_os = "linux")]
pub fn ask_for_large_pages(address: *mut u8, bytes: usize) {
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
pub fn ask_for_large_pages(_: *mut u8, _: usize) {}

/// Below so many bytes nobody asks: an allocation says by itself where there are none.
const SMALL: usize = 16 << 20;

/// Whether so many bytes are free, as far as the system tells. Linux gives out memory that it does
/// not have, and ends a process that then uses it.
pub fn are_free(bytes: usize) -> bool {
    bytes < SMALL || free().is_none_or(|free| bytes as u64 <= free)
}

/// The bytes that can be used without another program having to give up its own.
fn free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kib = |name: &str| number(&text, name).map(|kib| kib << 10);
    let machine = kib("MemAvailable:")?.saturating_add(kib("SwapFree:").unwrap_or(0));
    Some(group().map_or(machine, |group| group.min(machine)))
}

/// What is left of the limit of this process's group, as containers have one.
fn group() -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
    let one = |name: &str| read(name)?.trim().parse::<u64>().ok();
    let (most, used) = (one("memory.max")?, one("memory.current")?);
    let text = read("memory.stat")?;
    // Contents of files make room for others.
    let files = ["inactive_file", "active_file"].map(|name| number(&text, name).unwrap_or(0));
    Some(most.saturating_sub(used.saturating_sub(files.iter().sum())))
}

/// The number behind a name at the beginning of a line.
fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_more_than_there_is() {
        assert!(are_free(0) && are_free(SMALL - 1));
        assert_eq!(are_free(usize::MAX), free().is_none());
        assert!(free().is_none_or(|free| free > 1 << 20));
        let text = "MemFree:  12 kB\nMemAvailable: 34 kB\nempty\n";
        assert_eq!((number(text, "MemAvailable:"), number(text, "Mem")), (Some(34), None));
        assert_eq!((number(text, "empty"), number("", "empty")), (None, None));
    }
}
