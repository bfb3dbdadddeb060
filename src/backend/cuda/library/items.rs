//! A user's function on NVIDIA GPUs, item by item: a thread for each.

use super::super::compile::CompileOptions;
use super::super::device::CudaDevice;
use super::super::launch::{Function, LaunchShape};
use super::super::prelude::with_prelude;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::library::items::Items;
use std::sync::Arc;

/// The threads of a block: few, since an item is much work and there may be few items.
const BLOCK: usize = 64;

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
    let kernel = device.function(&source, "lz_items", &CompileOptions::default())?.0;
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
        let blocks = self.call.count().div_ceil(BLOCK).min(i32::MAX as usize);
        let shape =
            LaunchShape { grid: [blocks as u32, 1, 1], block: [BLOCK as u32, 1, 1], shared: 0 };
        // SAFETY: the argument is laid out as the kernel's structure, all of whose parts have
        // eight bytes, and the buffers outlive the kernel in stream order.
        unsafe { self.kernel.launch(&shape, &argument) }
    }

    fn describe(&self) -> String {
        format!("{} items, a thread for each", self.call.count())
    }
}
