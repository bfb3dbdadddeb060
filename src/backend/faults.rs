//! What kernels with checks leave behind for the host to find: each launch has a record in the
//! device's memory, which is read when the host next waits for the device.

use super::{Buffer, Device};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A launch whose record has not been read.
struct Pending {
    device: Device,
    record: Buffer,
    explain: Explain,
}

/// What the bytes of a record say: nothing, or what went wrong.
pub(crate) type Explain = Box<dyn Fn(&[u8]) -> Option<Error> + Send>;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static PENDING: Mutex<Vec<Pending>> = Mutex::new(Vec::new());

/// Notes that a launch may leave something in `record`.
pub(crate) fn watch(device: Device, record: Buffer, explain: Explain) {
    PENDING.lock().push(Pending { device, record, explain });
    COUNT.fetch_add(1, Relaxed);
}

/// Reads the records of the launches so far; the first that says something is the error.
#[inline]
pub(crate) fn check(device: Device) -> Result<()> {
    if COUNT.load(Relaxed) == 0 {
        return Ok(());
    }
    read(device)
}

#[cold]
fn read(device: Device) -> Result<()> {
    let here: Vec<Pending> = {
        let mut pending = PENDING.lock();
        pending.extract_if(.., |p| p.device == device).collect()
    };
    COUNT.fetch_sub(here.len(), Relaxed);
    let mut found = Ok(());
    for pending in here {
        let mut bytes = vec![0; pending.record.bytes()];
        device.backend().download(&pending.record, &mut bytes)?;
        if let (Ok(()), Some(error)) = (&found, (pending.explain)(&bytes)) {
            found = Err(error);
        }
    }
    found
}
