//! Processes that are copies of one that computes.
//!
//! `fork` copies the memory of a process and none of its threads but the one that called it. In
//! the copy the pool's threads are gone, locks that they held stay locked, and the driver of a GPU
//! refuses its work. So a copy is told that it is one before it waits for anything.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static IS_COPY: AtomicBool = AtomicBool::new(false);

/// Has copies of this process know that they are. Called when the devices are opened: what is
/// copied before then has nothing that a copy could miss.
pub(super) fn watch() {
    #[cfg(all(unix, not(miri)))]
    {
        unsafe extern "C" {
            fn pthread_atfork(
                before: Option<extern "C" fn()>,
                in_parent: Option<extern "C" fn()>,
                in_copy: Option<extern "C" fn()>,
            ) -> std::ffi::c_int;
        }
        extern "C" fn note() {
            IS_COPY.store(true, Relaxed);
        }
        // SAFETY: the signature is POSIX's, and `note` does nothing but to set a flag, which is
        // allowed after a `fork`.
        let failed = unsafe { pthread_atfork(None, None, Some(note)) };
        debug_assert_eq!(failed, 0, "there is room for one more function");
    }
}

/// Whether this process was copied from one that had opened its devices.
pub fn is_copy() -> bool {
    IS_COPY.load(Relaxed)
}

/// # Errors
/// In such a copy.
pub fn check() -> Result<()> {
    if is_copy() {
        return Err(Error::device(
            "this process was forked after Lazuli had begun to compute: its threads and GPUs stay \
             with the process that it was forked from (start it anew instead, by `exec`, or fork \
             before the first array is made)",
        ));
    }
    Ok(())
}
