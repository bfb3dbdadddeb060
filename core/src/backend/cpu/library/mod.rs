//! Library calls on the processor.

mod count;
#[cfg(feature = "linalg")]
mod factor;
#[cfg(feature = "fft")]
mod fft;
pub(super) mod gemv;
mod items;
#[cfg(feature = "linalg")]
mod linalg;
#[cfg(feature = "linalg")]
mod matvec;
mod random;
#[cfg(feature = "linalg")]
mod row_products;
mod sort;
#[cfg(feature = "linalg")]
mod substitution;

use super::memory::Heap;
#[cfg(feature = "fft")]
use super::room;
use crate::backend::{Arithmetic, Buffer, LibraryCall, pool};
use crate::dtype::Scalar;
#[cfg(not(all(feature = "linalg", feature = "fft")))]
use crate::error::Error;
use crate::error::Result;
use crate::library::Library;
use crate::library::factor::Factor;
use crate::library::fft::Fft;
use crate::library::linalg::Matmul;
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
        Library::Matmul(call) => matmul(call),
        Library::Fft(call) => transform(call),
        Library::Sort(call) => Ok(sort::prepare(call, heap)),
        Library::Factor(call) => factorisation(call),
        Library::Count(call) => Ok(count::count(call)),
        Library::Generate(call) => random::generate(call),
        Library::Items(call) => Ok(items::items(call)),
        Library::Turns(_) => unreachable!("an evaluation runs a loop turn by turn"),
    }
}

#[cfg(feature = "linalg")]
fn matmul(call: &Matmul) -> Result<Box<dyn LibraryCall>> {
    Ok(linalg::matmul(call))
}

#[cfg(feature = "linalg")]
fn factorisation(call: &Factor) -> Result<Box<dyn LibraryCall>> {
    let ready = factor::factor(call);
    // Handing a call to the pool's threads takes longer than what a small matrix does.
    Ok(if factor::is_divided(call) { Box::new(Inside(ready)) } else { ready })
}

#[cfg(feature = "fft")]
fn transform(call: &Fft) -> Result<Box<dyn LibraryCall>> {
    room::check("fft", fft::tables(call))?;
    Ok(fft::transform(call))
}

#[cfg(not(feature = "linalg"))]
fn matmul(_: &Matmul) -> Result<Box<dyn LibraryCall>> {
    unreachable!("without a library products are recorded as sums")
}

#[cfg(not(feature = "linalg"))]
fn factorisation(call: &Factor) -> Result<Box<dyn LibraryCall>> {
    Err(without(call.name, "linalg"))
}

#[cfg(not(feature = "fft"))]
fn transform(_: &Fft) -> Result<Box<dyn LibraryCall>> {
    Err(without("fft", "fft"))
}

/// The error of a call whose library this build leaves out.
#[cfg(not(all(feature = "linalg", feature = "fft")))]
fn without(name: &str, feature: &str) -> Error {
    Error::unsupported(format!(
        "{name}: this build of Lazuli does not have it on the processor: the feature `{feature}` is off"
    ))
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
