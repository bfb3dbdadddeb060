//! Library calls on the processor.

mod balance;
mod count;
mod factor;
mod fft;
mod householder;
mod items;
mod linalg;
mod random;
mod sort;

use super::memory::Heap;
use super::room;
use crate::backend::{Buffer, LibraryCall, pool};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::library::Library;
use std::sync::Arc;

/// Makes a call ready.
pub(super) fn prepare(call: &Library, heap: &Arc<Heap>) -> Result<Box<dyn LibraryCall>> {
    match call {
        Library::Matmul(call) => Ok(linalg::matmul(call)),
        Library::Fft(call) => {
            room::check("fft", fft::tables(call))?;
            Ok(fft::transform(call))
        }
        Library::Sort(call) => Ok(sort::prepare(call, heap)),
        Library::Factor(call) => Ok(Box::new(Inside(factor::factor(call)))),
        Library::Count(call) => Ok(count::count(call)),
        Library::Generate(call) => random::generate(call),
        Library::Items(call) => Ok(items::items(call)),
    }
}

/// A call that divides its work by rayon in places that only its library knows.
struct Inside(Box<dyn LibraryCall>);

impl LibraryCall for Inside {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        pool::inside(|| self.0.run(inputs, outputs, scalars))
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}
