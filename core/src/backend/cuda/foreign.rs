//! Memory of a device that another library has allocated, and memory of ours that one reads.
//!
//! Adopted memory belongs to the queue that was current when it came: that queue has waited for the
//! stream on which the data was computed, and others wait for that queue, as for any buffer. When
//! it goes, the stream waits for all that queues were given to do with it, and only then does its
//! owner get it back.

use std::sync::Arc;

use cudarc::driver::{result, sys};

use super::device::CudaDevice;
use super::driver::{Doing, failed};
use super::queue::{Queue, settle_notes};
use crate::backend::{Buffer, Foreign, Memory, Owner, RawStream, Uses};
use crate::error::{Error, Result};

/// Memory that another library has allocated.
struct Adopted {
    device: &'static CudaDevice,
    queue: &'static Queue,
    stream: Option<RawStream>,
    _owner: Owner,
}

impl Memory for Adopted {
    unsafe fn release(&self, _: u64, _: usize, uses: Option<Box<dyn Uses>>) {
        // Where the driver fails, its context has failed, and nothing reads the memory any more.
        let _ = settle(self.device, self.queue, &uses, self.stream);
    }

    fn queue(&self) -> u32 {
        self.queue.number()
    }

    fn may_be_written(&self) -> bool {
        false
    }
}

/// Makes a stream wait for what queues were given to do with memory of `queue`, or the host where
/// there is none.
fn settle(
    device: &CudaDevice,
    queue: &Queue,
    uses: &Option<Box<dyn Uses>>,
    stream: Option<RawStream>,
) -> Result<()> {
    device.bind()?;
    let own = queue.mark()?;
    match stream {
        Some(stream) => own.hold_back(stream)?,
        None => own.wait()?,
    }
    settle_notes(uses, stream)
}

/// The stream, if it is the same one whichever thread names it.
fn of_any_thread(stream: Option<RawStream>) -> Option<RawStream> {
    stream.filter(|&stream| stream != RawStream::PER_THREAD)
}

/// Wraps memory that another library has allocated, behind what its stream was given until now.
///
/// # Errors
/// Where the memory is not this device's, or the driver fails.
pub(super) fn adopt(device: &'static CudaDevice, foreign: Foreign) -> Result<Buffer> {
    device.bind()?;
    let Foreign { address, bytes, stream, owner } = foreign;
    if bytes > 0 {
        check(device, address)?;
        check(device, address + (bytes as u64 - 1))?;
    }
    let queue = device.queue();
    if let Some(stream) = stream {
        queue.wait_for_stream(stream)?;
    }
    // Another thread may be the one that gives the memory back.
    let stream = of_any_thread(stream);
    Ok(Buffer::new(address, bytes, Arc::new(Adopted { device, queue, stream, _owner: owner })))
}

/// Makes a stream wait for what queues were given to do with a buffer, or the host.
///
/// # Errors
/// Where the driver fails.
pub(super) fn lend(device: &CudaDevice, buffer: &Buffer, stream: Option<RawStream>) -> Result<()> {
    settle(device, device.numbered(buffer.queue()), &buffer.uses(), stream)
}

/// Makes a buffer's queue wait for what a stream was given until now, or the host for the device.
///
/// # Errors
/// Where the driver fails.
pub(super) fn reclaim(
    device: &CudaDevice,
    buffer: &Buffer,
    stream: Option<RawStream>,
) -> Result<()> {
    device.bind()?;
    match of_any_thread(stream) {
        // Other queues wait for this one before they write the buffer.
        Some(stream) => device.numbered(buffer.queue()).wait_for_stream(stream),
        None => result::ctx::synchronize().doing("wait for the device"),
    }
}

/// Fails where an address is not one of the device's memory.
fn check(device: &CudaDevice, address: u64) -> Result<()> {
    use sys::CUpointer_attribute as Attribute;
    let own = device.info().ordinal;
    let managed = attribute(Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED, address)?;
    if managed.is_some_and(|managed| managed & 0xff != 0) {
        return Ok(());
    }
    let kind = attribute(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)?;
    if kind != Some(sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as u32) {
        return Err(Error::device(format!(
            "the address {address:#x} is not one of a GPU's memory, and memory of cuda:{own} was \
             expected"
        )));
    }
    match attribute(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address)? {
        Some(ordinal) if ordinal as usize != own => Err(Error::device(format!(
            "the address {address:#x} is one of cuda:{ordinal}'s memory, and memory of cuda:{own} \
             was expected"
        ))),
        _ => Ok(()),
    }
}

/// An attribute of an address; none where the driver knows no such address.
fn attribute(which: sys::CUpointer_attribute, address: u64) -> Result<Option<u32>> {
    // The driver writes four bytes at most for what is asked here, one for a flag.
    let mut value = 0u32;
    // SAFETY: the pointer is to a live word, which holds any of the attributes that are asked for.
    let status = unsafe { sys::cuPointerGetAttribute((&raw mut value).cast(), which, address) };
    match status {
        sys::CUresult::CUDA_SUCCESS => Ok(Some(value)),
        sys::CUresult::CUDA_ERROR_INVALID_VALUE => Ok(None),
        status => Err(failed("ask for the memory at an address", result::DriverError(status))),
    }
}
