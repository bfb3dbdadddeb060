//! Device memory for whoever asks, and what is given up where it runs short.

use super::device::CudaDevice;
use super::series;
use crate::backend::Buffer;
use crate::error::{Error, Result};

impl CudaDevice {
    /// A block of device memory, uninitialised.
    ///
    /// # Errors
    /// Where memory runs out, once the caches were released and the allocation tried again.
    pub fn allocate(&'static self, bytes: usize) -> Result<Buffer> {
        let queue = self.queue();
        let allocated = queue.allocate(bytes);
        let is_short = allocated.as_ref().is_err_and(Error::is_out_of_memory);
        if is_short && (series::release() || self.several()) {
            // What graphs had, and what the other queues keep for later, may be enough.
            self.release_cached_memory();
            return queue.allocate(bytes);
        }
        allocated
    }
}
