//! The records in which the checks of a device's kernels leave what they find for the host.
//!
//! A thread has one for each device, made by its first launch of a checked kernel; it goes to
//! another thread when this one ends. It lies in pinned memory of the host, which a GPU writes by
//! its address: so a launch costs no copy, and the host reads the record as any memory, whenever it
//! has waited for the device.
//!
//! Whoever launched a kernel is always told what it found. Other threads may read what that kernel
//! wrote, so the first of them that waits for the device is told as well.

use super::{Backend, Buffer, Device, world};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The 32-bit words of a record, the first of which is one of [`NOTHING`] and [`COMPLETE`], or
/// another number while a kernel writes.
pub const WORDS: usize = 40;
/// No kernel has found anything.
const NOTHING: u32 = 0;
/// A kernel has found something and written all of it.
pub const COMPLETE: u32 = 2;

/// What the words of a complete record say.
pub type Explain = fn(&[u32; WORDS]) -> Error;

/// A thread's record of a device.
struct Record {
    device: Device,
    /// The thread's number; none where that thread has ended.
    owner: Option<u64>,
    /// Whether a thread that did not launch the kernel has been told.
    is_told: bool,
    memory: Buffer,
    explain: Explain,
}

static RECORDS: Mutex<Vec<Record>> = Mutex::new(Vec::new());
/// Whether there is any record, so that who has none pays nothing.
static ANY: AtomicBool = AtomicBool::new(false);

/// A thread's number, which leaves its records to others at the thread's end.
struct Number(u64);

impl Drop for Number {
    fn drop(&mut self) {
        for record in RECORDS.lock().iter_mut().filter(|record| record.owner == Some(self.0)) {
            record.owner = None;
        }
    }
}

/// This thread's number; none while it ends.
fn number() -> Option<u64> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local!(static NUMBER: Number = Number(NEXT.fetch_add(1, Ordering::Relaxed)));
    NUMBER.try_with(|number| number.0).ok()
}

/// The address of this thread's record of the device.
///
/// # Errors
/// Where the host has no pinned memory left.
pub fn record(device: Device, explain: Explain) -> Result<u64> {
    record_in(device.backend(), device, explain)
}

fn record_in(backend: &dyn Backend, device: Device, explain: Explain) -> Result<u64> {
    let own = number();
    let mut records = RECORDS.lock();
    let is_own = |r: &Record| r.device == device && r.owner == own;
    // One that was left with something in it waits until somebody is told.
    let is_left = |r: &Record| r.device == device && r.owner.is_none() && !r.is_complete();
    let known = records.iter().position(is_own).or_else(|| records.iter().position(is_left));
    if let Some(at) = known {
        records[at].owner = own;
        return Ok(records[at].memory.address());
    }
    let memory = backend.pin(4 * WORDS)?;
    let address = memory.address();
    let record = Record { device, owner: own, is_told: false, memory, explain };
    record.words().iter().for_each(|word| word.store(0, Ordering::Relaxed));
    records.push(record);
    ANY.store(true, Ordering::Release);
    Ok(address)
}

/// Reads the device's records, and empties this thread's and those that were left; what they say is
/// the error.
#[inline]
pub fn check(device: Device) -> Result<()> {
    world::check()?;
    if !ANY.load(Ordering::Acquire) {
        return Ok(());
    }
    read(device)
}

#[cold]
fn read(device: Device) -> Result<()> {
    let own = number();
    let mut records = RECORDS.lock();
    let here = || records.iter().enumerate().filter(|(_, record)| record.device == device);
    let of_own = here().find(|(_, record)| record.owner == own && record.is_complete());
    let at = of_own.or_else(|| here().find(|(_, r)| r.is_complete() && !r.is_told));
    let Some((at, _)) = at else { return Ok(()) };
    let record = &mut records[at];
    let others = record.owner.is_some() && record.owner != own;
    record.is_told = others;
    if others { Err(record.told()) } else { record.take() }
}

impl Record {
    fn words(&self) -> &[AtomicU32; WORDS] {
        // SAFETY: `pin` gave the memory so many bytes, and pages are aligned for words. It is
        // released with `self`, which the list keeps; the host touches it through this alone.
        unsafe { &*(self.memory.address() as *const [AtomicU32; WORDS]) }
    }

    fn is_complete(&self) -> bool {
        self.words()[0].load(Ordering::Acquire) == COMPLETE
    }

    /// What the record says.
    fn told(&self) -> Error {
        let words = self.words();
        (self.explain)(&std::array::from_fn(|k| words[k].load(Ordering::Relaxed)))
    }

    fn take(&self) -> Result<()> {
        if !self.is_complete() {
            return Ok(());
        }
        let error = self.told();
        self.words()[0].store(NOTHING, Ordering::Release);
        Err(error)
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
        let record = Record { device, owner: None, is_told: false, memory, explain };
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
    #[test]
    fn who_launched_is_told_and_one_other() {
        fn explain(words: &[u32; WORDS]) -> Error {
            Error::shape(format!("found {}", words[1]))
        }
        /// Writes what a kernel of this thread would have found.
        fn find(address: u64, what: u32) {
            // SAFETY: the address is that of a record of so many words, which are atomic.
            let words = unsafe { &*(address as *const [AtomicU32; WORDS]) };
            words[1].store(what, Ordering::Relaxed);
            words[0].store(COMPLETE, Ordering::Release);
        }
        // No other test waits for a device that is not there.
        let device = || Device::numbered(999);
        let recorded = move || record_in(Device::cpu().backend(), device(), explain).unwrap();
        let is_told = move || check(device()).is_err_and(|e| e.to_string().contains("found"));
        let elsewhere = move || std::thread::spawn(is_told).join().unwrap();
        let address = recorded();
        assert_eq!(recorded(), address);
        find(address, 3);
        assert!(elsewhere() && !elsewhere());
        assert!(is_told() && !is_told());
        // What a thread leaves is told once, and its record goes to another one.
        let left = move || {
            let address = recorded();
            find(address, 4);
            address
        };
        let left = std::thread::spawn(left).join().unwrap();
        assert!(left != address && is_told() && !is_told());
        assert_eq!(std::thread::spawn(recorded).join().unwrap(), left);
    }
}
