//! A user's function on the processor, item by item, the items over all cores.

use crate::backend::cpu::stacks;
use crate::backend::{Buffer, LibraryCall, pool};
use crate::caught::{Caught, catch, raise};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::library::items::Items;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Makes a call ready.
pub(super) fn items(call: &Items) -> Box<dyn LibraryCall> {
    Box::new(Each(call.clone()))
}

struct Each(Items);

/// The bytes of results that are set to zero at once.
const CACHED: usize = 16 << 10;

impl LibraryCall for Each {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        let first: SmallVec<[u64; 6]> = inputs.iter().map(|buffer| buffer.address()).collect();
        let into: SmallVec<[u64; 2]> = outputs.iter().map(|buffer| buffer.address()).collect();
        let (count, run) = (self.0.count(), self.run_length());
        let failed = Failed { item: AtomicUsize::new(usize::MAX), why: Mutex::new(None) };
        pool::each(count.div_ceil(run), |k| {
            let (items, at) = (k * run..((k + 1) * run).min(count), Cell::new(0));
            // What lies behind an item that failed is not computed.
            if items.start > failed.item.load(Relaxed) {
                return;
            }
            let all = || stacks::on_large(|| self.items(items, &first, &into, &at));
            match catch(all) {
                Ok(done) => done.unwrap_or_else(|why| raise(self.no_stack(&why))),
                Err(caught) => failed.note(at.get(), caught),
            }
        });
        let Some(caught) = failed.why.into_inner() else { return Ok(()) };
        let item = crate::shape::position(failed.item.into_inner(), &self.0.items);
        let why = format!("{}, for item {item:?}", caught.text());
        Err(Error::panic(self.0.name, why).for_element(""))
    }

    fn describe(&self) -> String {
        format!("{} items", self.0.count())
    }
}

impl Each {
    /// How many items a thread takes at a time: some for each thread, and few enough that the
    /// results of all are still in a cache when the function adds to their zeros.
    fn run_length(&self) -> usize {
        let bytes: usize = self.0.outputs.iter().map(|(dtype, len)| len * dtype.size()).sum();
        let fair = self.0.count().div_ceil(8 * pool::threads());
        (CACHED / bytes.max(1)).min(fair).max(1)
    }

    /// Runs some items one after the other, and says which of them is at work.
    fn items(&self, range: Range<usize>, inputs: &[u64], outputs: &[u64], now: &Cell<usize>) {
        let call = &self.0;
        let lengths: SmallVec<[usize; 2]> =
            call.outputs.iter().map(|(dtype, len)| len * dtype.size()).collect();
        let mut written: SmallVec<[*mut u8; 2]> = outputs
            .iter()
            .zip(&lengths)
            .map(|(&at, len)| (at as *mut u8).wrapping_add(range.start * len))
            .collect();
        // SAFETY: the plan gives buffers for all items, and each item has results of its own, which
        // begin as zeros.
        unsafe {
            for (at, len) in written.iter().zip(&lengths) {
                at.write_bytes(0, range.len() * len);
            }
        }
        let last = call.items.last().copied().unwrap_or(1);
        let steps: SmallVec<[usize; 6]> = call
            .inputs
            .iter()
            .map(|(dtype, strides)| strides.last().copied().unwrap_or(0) * dtype.size())
            .collect();
        let mut read: SmallVec<[*const u8; 6]> =
            SmallVec::from_elem(std::ptr::null(), inputs.len());
        // Along the last axis each argument advances by the same number of bytes.
        let mut at = range.start;
        while at < range.end {
            let offsets = call.offsets(at);
            for (k, place) in read.iter_mut().enumerate() {
                let offset = offsets[k] * call.inputs[k].0.size();
                *place = (inputs[k] as *const u8).wrapping_add(offset);
            }
            let end = range.end.min(at - at % last + last);
            for item in at..end {
                now.set(item);
                // SAFETY: as above.
                unsafe { (call.native)(&read, &written, &call.sizes) };
                for (place, step) in read.iter_mut().zip(&steps) {
                    *place = place.wrapping_add(*step);
                }
                for (place, len) in written.iter_mut().zip(&lengths) {
                    *place = place.wrapping_add(*len);
                }
            }
            at = end;
        }
    }

    fn no_stack(&self, why: &std::io::Error) -> Error {
        Error::out_of_memory(format!("{}: no stack for its arrays ({why})", self.0.name))
    }
}

/// The first item for which the function panicked: the same one for any number of threads.
struct Failed {
    item: AtomicUsize,
    why: Mutex<Option<Caught>>,
}

impl Failed {
    fn note(&self, item: usize, caught: Caught) {
        let mut why = self.why.lock();
        if item < self.item.load(Relaxed) {
            self.item.store(item, Relaxed);
            *why = Some(caught);
        }
    }
}
