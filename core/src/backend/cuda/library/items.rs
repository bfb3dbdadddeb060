//! A user's function on NVIDIA GPUs, item by item: a thread for each, or blocks whose threads share
//! the turns of its loops.

use super::super::compile::CompileOptions;
use super::super::device::CudaDevice;
use super::super::launch::{Function, LaunchShape};
use super::super::prelude::with_prelude;
use crate::backend::{Arithmetic, Buffer, LibraryCall};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::library::items::Items;
use std::sync::Arc;

/// The threads of a block where each has an item: few, since an item is much work and there may be
/// few items.
const BLOCK: usize = 64;
/// The most threads that share an item within a block.
const SHARED: usize = 256;
/// The blocks for each multiprocessor that are enough to keep it busy.
const ENOUGH: usize = 8;

struct Each {
    device: &'static CudaDevice,
    call: Items,
    kernel: Arc<Function>,
}

/// Makes a call ready.
pub(super) fn items(device: &'static CudaDevice, call: &Items) -> Result<Box<dyn LibraryCall>> {
    let Some(source) = call.source else {
        return Err(Error::unsupported(format!(
            "{}: a GPU runs a function with arrays of its own only where the turns of its loops \
             are independent; make those arrays results of the function",
            call.name
        )));
    };
    let source = with_prelude(&source());
    let options = CompileOptions::of(Arithmetic::current());
    let kernel = device.function(&source, "lz_items", &options)?.0;
    Ok(Box::new(Each { device, call: call.clone(), kernel }))
}

impl LibraryCall for Each {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        self.device.bind()?;
        // Results begin as zeros.
        outputs.iter().try_for_each(|buffer| self.device.fill(buffer, 0))?;
        let mut argument = Vec::new();
        for buffer in inputs.iter().chain(outputs) {
            argument.extend(buffer.address().to_le_bytes());
        }
        for number in self.call.numbers() {
            argument.extend(number.to_le_bytes());
        }
        let shape = self.shape();
        // SAFETY: the argument is laid out as the kernel's structure, all of whose parts have
        // eight bytes, and the buffers outlive the kernel in stream order.
        unsafe { self.kernel.launch(&shape, &argument) }
    }

    fn describe(&self) -> String {
        let LaunchShape { grid, block, .. } = self.shape();
        match self.call.stages {
            0 => format!("{} items, a thread for each", self.call.count()),
            _ => format!(
                "{} items, {} threads for each",
                self.call.count(),
                u64::from(block[0]) * u64::from(grid[1])
            ),
        }
    }
}

impl Each {
    fn shape(&self) -> LaunchShape {
        let items = self.call.count();
        let shape = |grid: [usize; 2], block: usize| LaunchShape {
            grid: [grid[0].min(i32::MAX as usize) as u32, grid[1] as u32, 1],
            block: [block as u32, 1, 1],
            shared: 0,
        };
        if self.call.stages == 0 {
            return shape([items.div_ceil(BLOCK), 1], BLOCK);
        }
        // A turn writes at least one element, so that an item has no more turns than elements.
        let turns = self.call.outputs.iter().map(|output| output.1).max().unwrap_or(1).max(1);
        let block = turns.next_power_of_two().clamp(32, SHARED);
        let several = match self.call.stages {
            1 => {
                let wanted = ENOUGH * self.device.info().multiprocessors as usize;
                turns.div_ceil(block).min(wanted.div_ceil(items)).clamp(1, 65_535)
            }
            // The blocks of a grid cannot wait for each other.
            _ => 1,
        };
        shape([items, several], block)
    }
}
