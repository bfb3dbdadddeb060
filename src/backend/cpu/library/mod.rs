//! Library calls on the processor.

mod balance;
mod count;
mod factor;
mod fft;
mod items;
mod linalg;
mod random;
mod sort;

use super::memory::Heap;
use crate::backend::LibraryCall;
use crate::error::Result;
use crate::library::Library;
use std::sync::Arc;

/// Makes a call ready.
pub(super) fn prepare(call: &Library, heap: &Arc<Heap>) -> Result<Box<dyn LibraryCall>> {
    match call {
        Library::Matmul(call) => Ok(linalg::matmul(call)),
        Library::Fft(call) => Ok(fft::transform(call)),
        Library::Sort(call) => Ok(sort::prepare(call, heap)),
        Library::Factor(call) => Ok(factor::factor(call)),
        Library::Count(call) => Ok(count::count(call)),
        Library::Generate(call) => random::generate(call),
        Library::Items(call) => Ok(items::items(call)),
    }
}
