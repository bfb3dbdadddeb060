//! Library calls on the processor.

mod balance;
mod count;
mod factor;
mod fft;
mod gemv;
mod householder;
mod items;
mod linalg;
mod random;
mod sort;

use super::memory::Heap;
use super::room;
use crate::backend::{Arithmetic, Buffer, LibraryCall, pool};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::library::Library;
use std::sync::Arc;

/// Makes a call ready. How transforms and factorisations are divided among threads decides in which
/// order they add up: strict arithmetic has one thread do it.
pub(super) fn prepare(call: &Library, heap: &Arc<Heap>) -> Result<Box<dyn LibraryCall>> {
    let call_ready = ready(call, heap)?;
    let strict = Arithmetic::current() == Arithmetic::Strict;
    match call {
        Library::Fft(_) | Library::Factor(_) if strict => Ok(Box::new(Alone(call_ready))),
        _ => Ok(call_ready),
    }
}

fn ready(call: &Library, heap: &Arc<Heap>) -> Result<Box<dyn LibraryCall>> {
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

/// A call that is not divided among threads.
struct Alone(Box<dyn LibraryCall>);

impl LibraryCall for Alone {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        pool::with_threads(1, || self.0.run(inputs, outputs, scalars))
    }

    fn describe(&self) -> String {
        format!("{}, by one thread", self.0.describe())
    }
}
