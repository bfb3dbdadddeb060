//! Counting into bins on NVIDIA GPUs: bins in shared memory where they fit, else in memory.

use super::super::compile::CompileOptions;
use super::super::device::CudaDevice;
use super::super::launch::{Function, LaunchShape};
use super::super::prelude::with_prelude;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::library::count::Count;
use std::sync::Arc;

const SOURCE: &str = include_str!("count.cuh");

/// The threads of a block.
const BLOCK: usize = 256;
/// The bytes of bins that a block holds by itself.
const SHARED: usize = 48 << 10;

/// What the kernels of a count take.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Arguments {
    at: u64,
    weights: u64,
    counts: u64,
    high: u64,
    low: u64,
    odd: u64,
    top: u64,
    sums: u64,
    n: i64,
    bins: i32,
    bits: i32,
}

/// A count with its kernels.
struct Counter {
    device: &'static CudaDevice,
    call: Count,
    kernels: Vec<(Arc<Function>, LaunchShape)>,
}

/// Makes a count ready.
pub(super) fn count(device: &'static CudaDevice, call: &Count) -> Result<Box<dyn LibraryCall>> {
    let index = if call.index == DType::I32 { "int" } else { "long long" };
    let source = with_prelude(&format!("typedef {index} lz_index;\n{SOURCE}"));
    let each = if call.weighted { 16 } else { 4 };
    let own = call.bins * each;
    let fits = own <= SHARED;
    let blocks = call.len.div_ceil(8 * BLOCK).min(8 * device.info().multiprocessors as usize);
    let shape = |blocks: usize, shared: usize| LaunchShape {
        grid: [blocks as u32, 1, 1],
        block: [BLOCK as u32, 1, 1],
        shared: shared as u32,
    };
    let counting = match (call.weighted, fits) {
        (false, true) => "lazuli_count",
        (false, false) => "lazuli_count_many",
        (true, true) => "lazuli_count_weights",
        (true, false) => "lazuli_count_many_weights",
    };
    let mut names = vec![(counting, shape(blocks, if fits { own } else { 0 }))];
    if call.weighted {
        names.insert(0, ("lazuli_count_top", shape(blocks, 0)));
        names.push(("lazuli_count_finish", shape(call.bins.div_ceil(BLOCK), 0)));
    }
    let options = CompileOptions::default();
    let kernels = names
        .into_iter()
        .map(|(name, shape)| Ok((device.function(&source, name, &options)?.0, shape)))
        .collect::<Result<_>>()?;
    Ok(Box::new(Counter { device, call: call.clone(), kernels }))
}

impl Counter {
    /// The bits of each part of a weight: sums of all of them fit into 64.
    fn bits(&self) -> i32 {
        let grows = usize::BITS - self.call.len.leading_zeros();
        31.min(62 - grows as i32)
    }
}

impl LibraryCall for Counter {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        self.device.bind()?;
        let bins = self.call.bins;
        let mut arguments = Arguments {
            at: inputs[0].address(),
            n: self.call.len as i64,
            bins: bins as i32,
            bits: self.bits(),
            ..Arguments::default()
        };
        // The memory for sums goes back when this returns, in stream order.
        let scratch = match self.call.weighted {
            true => Some(self.device.allocate(16 + bins * 20)?),
            false => None,
        };
        match &scratch {
            Some(scratch) => {
                self.device.fill(scratch, 0)?;
                arguments.weights = inputs[1].address();
                arguments.sums = outputs[0].address();
                arguments.top = scratch.address();
                arguments.high = scratch.address() + 16;
                arguments.low = arguments.high + 8 * bins as u64;
                arguments.odd = arguments.low + 8 * bins as u64;
            }
            None => {
                self.device.fill(outputs[0], 0)?;
                arguments.counts = outputs[0].address();
            }
        }
        // SAFETY: the structure is plain and has no padding.
        let bytes = unsafe {
            std::slice::from_raw_parts((&raw const arguments).cast::<u8>(), size_of::<Arguments>())
        };
        for (function, shape) in &self.kernels {
            // SAFETY: the argument is laid out as the kernels' own, and the buffers outlive them
            // in stream order.
            unsafe { function.launch(shape, bytes)? };
        }
        Ok(())
    }

    fn describe(&self) -> String {
        format!("{} elements into {} bins", self.call.len, self.call.bins)
    }
}
