//! Library calls on the processor.

mod fft;
mod linalg;

use crate::backend::LibraryCall;
use crate::error::Result;
use crate::library::Library;

/// Makes a call ready.
pub(super) fn prepare(call: &Library) -> Result<Box<dyn LibraryCall>> {
    match call {
        Library::Matmul(call) => Ok(linalg::matmul(call)),
        Library::Fft(call) => Ok(fft::transform(call)),
    }
}
