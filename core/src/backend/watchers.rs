//! Whether somebody watches what threads work on. It stands apart from [`trace`](super::trace), which
//! knows devices, since NVIDIA's tools begin to watch when devices are opened.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// How many watch: profiles of all threads, and one for tools that follow the whole process.
pub(super) static WATCHERS: AtomicUsize = AtomicUsize::new(cfg!(feature = "tracing") as usize);

/// Whether somebody watches.
#[inline(always)]
pub fn is_on() -> bool {
    WATCHERS.load(Relaxed) > 0
}

/// Whether the whole process is watched.
pub(super) static PROCESS: AtomicBool = AtomicBool::new(false);

/// Tells that the whole process is watched from now on.
pub(super) fn watch_process() {
    PROCESS.store(true, Relaxed);
    WATCHERS.fetch_add(1, Relaxed);
}
