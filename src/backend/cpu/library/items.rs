//! A user's function on the processor, item by item, the items over all cores.

use crate::backend::{Buffer, LibraryCall};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::library::items::Items;
use rayon::prelude::*;
use smallvec::SmallVec;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Makes a call ready.
pub(super) fn items(call: &Items) -> Box<dyn LibraryCall> {
    Box::new(Each(call.clone()))
}

struct Each(Items);

impl LibraryCall for Each {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        let first: SmallVec<[u64; 6]> = inputs.iter().map(|buffer| buffer.address()).collect();
        let into: SmallVec<[u64; 2]> = outputs.iter().map(|buffer| buffer.address()).collect();
        let items = 0..self.0.count();
        let all = || items.into_par_iter().for_each(|item| self.item(item, &first, &into));
        // What the user's function panics with is an error of the evaluation.
        catch_unwind(AssertUnwindSafe(all)).map_err(|payload| self.explain(&*payload))
    }

    fn describe(&self) -> String {
        format!("{} items", self.0.count())
    }
}

impl Each {
    fn item(&self, item: usize, inputs: &[u64], outputs: &[u64]) {
        let call = &self.0;
        let offsets = call.offsets(item);
        let read =
            |k: usize| (inputs[k] as *const u8).wrapping_add(offsets[k] * call.inputs[k].0.size());
        let read: SmallVec<[*const u8; 6]> = (0..inputs.len()).map(read).collect();
        let written = |k: usize| {
            let (dtype, len) = call.outputs[k];
            (outputs[k] as *mut u8).wrapping_add(item * len * dtype.size())
        };
        let written: SmallVec<[*mut u8; 2]> = (0..outputs.len()).map(written).collect();
        // SAFETY: the plan gives buffers for all items, and each item has results of its own, which
        // begin as zeros.
        unsafe {
            for (at, (dtype, len)) in written.iter().zip(&call.outputs) {
                at.write_bytes(0, len * dtype.size());
            }
            (call.native)(&read, &written, &call.sizes);
        }
    }

    fn explain(&self, payload: &(dyn Any + Send)) -> Error {
        let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "no message".into());
        Error::device(format!("{}: the function panicked: {text}", self.0.name))
    }
}
