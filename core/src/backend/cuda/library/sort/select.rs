//! The positions of a mask, and indices that are checked.

use super::kernels::{
    Gives, blocks_for, filled, first_bad, function, index_at, launch, part, sort_definitions, words,
};
use crate::backend::cuda::device::CudaDevice;
use crate::backend::cuda::launch::Function;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::library::sort::{Check, Nonzero, Ranks};
use std::sync::Arc;

/// The positions at which a mask is true, or how many elements are true up to each.
pub(super) struct MaskCall {
    device: &'static CudaDevice,
    len: usize,
    count: usize,
    kernel: Arc<Function>,
}

/// The elements of a tile of the mask.
const MASK_TILE: usize = 4096;

impl MaskCall {
    pub(super) fn nonzero(device: &'static CudaDevice, call: &Nonzero) -> Result<MaskCall> {
        Self::new(device, (call.len, call.count), "")
    }

    pub(super) fn ranks(device: &'static CudaDevice, call: &Ranks) -> Result<MaskCall> {
        Self::new(device, (call.len, call.len), "#define LZ_RANKS\n")
    }

    fn new(
        device: &'static CudaDevice,
        (len, count): (usize, usize),
        form: &str,
    ) -> Result<MaskCall> {
        let definitions = sort_definitions(1, Gives::Keys, 8) + form;
        let kernel = function(device, &definitions, &[part::COMMON, part::NONZERO], "lz_nonzero")?;
        Ok(MaskCall { device, len, count, kernel })
    }
}

impl LibraryCall for MaskCall {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let tiles = self.len.div_ceil(MASK_TILE);
        let zeros = filled(self.device, 8 * tiles + 8, 0)?;
        let addresses =
            [inputs[0].address(), outputs[0].address(), zeros.address() + 8, zeros.address()];
        let numbers = [self.len as u64, self.count as u64];
        let argument = words(&[&addresses[..], &numbers].concat(), None);
        // SAFETY: the buffers hold what the call describes; the scratch memory goes back in
        // stream order.
        unsafe { launch(&self.kernel, [tiles, 1], 256, 0, &argument) }
    }

    fn describe(&self) -> String {
        format!("scan of a mask of {}", self.len)
    }
}

/// Indices that are checked. It waits for the answer.
pub(super) struct CheckCall {
    device: &'static CudaDevice,
    call: Check,
    kernel: Arc<Function>,
}

impl CheckCall {
    pub(super) fn new(device: &'static CudaDevice, call: &Check) -> Result<CheckCall> {
        let kernel = function(device, "", &[part::CHECK], "lz_check_positions")?;
        Ok(CheckCall { device, call: call.clone(), kernel })
    }
}

impl LibraryCall for CheckCall {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let bad = filled(self.device, 8, 0xff)?;
        let addresses = [inputs[0].address(), outputs[0].address(), bad.address()];
        let numbers = [self.call.len as u64, self.call.count as u64];
        let argument = words(&[&addresses[..], &numbers].concat(), None);
        let blocks = blocks_for(self.device, self.call.count);
        // SAFETY: the buffers hold what the call describes.
        unsafe { launch(&self.kernel, [blocks, 1], 256, 0, &argument)? };
        match first_bad(self.device, &bad)? {
            Some(at) => Err(self.call.out_of_range(index_at(self.device, inputs[0], at)?, at)),
            None => Ok(()),
        }
    }

    fn describe(&self) -> String {
        format!("{} indices", self.call.count)
    }
}
