//! The record in which the checks of a device's kernels leave what they find for the host.
//!
//! A device has one, made by its first launch of a checked kernel and kept for good. It lies in
//! pinned memory of the host, which a GPU writes by its address: so a launch costs no copy, and the
//! host reads the record as any memory, whenever it has waited for the device.

use super::{Buffer, Device};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The 32-bit words of a record, the first of which is one of [`NOTHING`] and [`COMPLETE`], or
/// another number while a kernel writes.
pub(crate) const WORDS: usize = 40;
/// No kernel has found anything.
const NOTHING: u32 = 0;
/// A kernel has found something and written all of it.
pub(crate) const COMPLETE: u32 = 2;

/// What the words of a complete record say.
pub(crate) type Explain = fn(&[u32; WORDS]) -> Error;

/// A device's record.
struct Record {
    device: Device,
    memory: Buffer,
    explain: Explain,
}

static RECORDS: Mutex<Vec<Record>> = Mutex::new(Vec::new());
/// Whether there is any record, so that who has none pays nothing.
static ANY: AtomicBool = AtomicBool::new(false);

/// The address of the device's record.
///
/// # Errors
/// Where the host has no pinned memory left.
pub(crate) fn record(device: Device, explain: Explain) -> Result<u64> {
    let mut records = RECORDS.lock();
    if let Some(record) = records.iter().find(|r| r.device == device) {
        return Ok(record.memory.address());
    }
    let memory = device.backend().pin(4 * WORDS)?;
    let address = memory.address();
    let record = Record { device, memory, explain };
    record.words().iter().for_each(|word| word.store(0, Ordering::Relaxed));
    records.push(record);
    ANY.store(true, Ordering::Release);
    Ok(address)
}

/// Reads the device's record and empties it; what it says is the error.
#[inline]
pub(crate) fn check(device: Device) -> Result<()> {
    if !ANY.load(Ordering::Acquire) {
        return Ok(());
    }
    read(device)
}

#[cold]
fn read(device: Device) -> Result<()> {
    let records = RECORDS.lock();
    records.iter().find(|r| r.device == device).map_or(Ok(()), Record::take)
}

impl Record {
    fn words(&self) -> &[AtomicU32; WORDS] {
        // SAFETY: `pin` gave the memory so many bytes, and pages are aligned for words. It is
        // released with `self`, which the list keeps; the host touches it through this alone.
        unsafe { &*(self.memory.address() as *const [AtomicU32; WORDS]) }
    }

    fn take(&self) -> Result<()> {
        let words = self.words();
        if words[0].load(Ordering::Acquire) != COMPLETE {
            return Ok(());
        }
        let copy = std::array::from_fn(|k| words[k].load(Ordering::Relaxed));
        words[0].store(NOTHING, Ordering::Release);
        Err((self.explain)(&copy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_told_once_and_only_when_it_is_complete() {
        let device = Device::cpu();
        let memory = device.backend().pin(4 * WORDS).unwrap();
        let explain =
            |words: &[u32; WORDS]| Error::shape(format!("{} and {}", words[1], words[39]));
        let record = Record { device, memory, explain };
        let words = record.words();
        words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        assert!(record.take().is_ok());
        words[0].store(1, Ordering::Relaxed);
        words[1].store(5, Ordering::Relaxed);
        assert!(record.take().is_ok(), "a kernel writes still");
        words[39].store(7, Ordering::Relaxed);
        words[0].store(COMPLETE, Ordering::Relaxed);
        assert!(record.take().unwrap_err().to_string().contains("5 and 7"));
        assert!(record.take().is_ok());
    }
}
