//! Sorting, selecting and scattering on the processor.

mod cached;
mod chunks;
mod nonzero;
mod radix;
mod rows;
mod scatter;
mod shared;
mod split;
#[cfg(test)]
mod tests;
mod top;
mod word;

use self::radix::By;
use crate::backend::cpu::memory::{self, Heap};
use crate::backend::{Buffer, LibraryCall, Memory};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::library::sort::{Sorting, Top};
use std::sync::Arc;

/// Makes a call ready.
pub(super) fn prepare(call: &Sorting, heap: &Arc<Heap>) -> Box<dyn LibraryCall> {
    Box::new(Prepared { call: call.clone(), heap: heap.clone() })
}

struct Prepared {
    call: Sorting,
    heap: Arc<Heap>,
}

/// Memory that goes back when the call has run.
struct Spare<'a> {
    heap: &'a Arc<Heap>,
    taken: Vec<Buffer>,
}

impl rows::Spare for Spare<'_> {
    fn bytes(&mut self, bytes: usize) -> Result<*mut u8> {
        let bytes = bytes.max(1);
        let memory: Arc<dyn Memory> = self.heap.clone();
        let buffer = Buffer::new(self.heap.allocate(bytes)?, bytes, memory);
        let address = buffer.address();
        self.taken.push(buffer);
        Ok(address as *mut u8)
    }
}

/// The elements of a buffer.
///
/// # Safety
/// The buffer holds so many valid elements of the type, and nobody writes them meanwhile.
unsafe fn slice<T>(buffer: &Buffer, len: usize) -> &[T] {
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(buffer.address() as *const T, len) }
}

impl LibraryCall for Prepared {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let (input, out) = (inputs[0].address() as *const u8, outputs[0].address() as *mut u8);
        // SAFETY: the buffers hold the arguments and the outputs that the call describes.
        unsafe {
            match &self.call {
                Sorting::Sort(call) => {
                    let mut spare = Spare { heap: &self.heap, taken: Vec::new() };
                    rows::sort(call, input, out, &mut spare, By::best())
                }
                Sorting::Top(call) => {
                    top::top(call, input, out.cast());
                    Ok(())
                }
                Sorting::Nonzero(call) => {
                    nonzero::nonzero(slice(inputs[0], call.len), out.cast(), call.count);
                    Ok(())
                }
                Sorting::Ranks(call) => {
                    let out = std::slice::from_raw_parts_mut(out.cast(), call.len);
                    nonzero::ranks(slice(inputs[0], call.len), out);
                    Ok(())
                }
                Sorting::Scatter(call) => {
                    let count = if call.shared { call.count } else { call.values() };
                    // Where nobody else sees the base, the values go to its own memory.
                    if input != out.cast_const() {
                        let elements = call.outer * call.len * call.inner;
                        memory::copy(input, out, elements * call.dtype.size());
                    }
                    let values = inputs[2].address() as *const u8;
                    scatter::scatter(call, slice(inputs[1], count), values, out)
                }
                Sorting::Check(call) => {
                    let out = std::slice::from_raw_parts_mut(out.cast(), call.count);
                    scatter::check(call, slice(inputs[0], call.count), out)
                }
            }
        }
    }

    fn describe(&self) -> String {
        match &self.call {
            Sorting::Sort(call) | Sorting::Top(Top { sort: call, .. }) => {
                format!("radix, {} rows of {}", call.rows, call.len)
            }
            Sorting::Nonzero(call) => format!("compaction of {}", call.len),
            Sorting::Ranks(call) => format!("ranks of {}", call.len),
            Sorting::Scatter(call) => format!("{} values", call.values()),
            Sorting::Check(call) => format!("{} indices", call.count),
        }
    }
}
