//! Sorting, selecting and scattering on NVIDIA GPUs, by kernels of our own.

mod kernels;
mod radix;
mod rows;
mod scatter;
mod select;
#[cfg(test)]
mod tests;
mod top;

use super::super::device::CudaDevice;
use crate::backend::LibraryCall;
use crate::error::Result;
use crate::library::sort::Sorting;

/// Makes a call ready.
pub(super) fn prepare(device: &'static CudaDevice, call: &Sorting) -> Result<Box<dyn LibraryCall>> {
    Ok(match call {
        Sorting::Sort(call) if rows::fit(call) => {
            Box::new(rows::Rows::new(device, call, call.len)?)
        }
        Sorting::Top(call) if rows::fit(&call.sort) => {
            Box::new(rows::Rows::new(device, &call.sort, call.count)?)
        }
        Sorting::Sort(call) => Box::new(radix::SortCall::new(device, call)?),
        Sorting::Top(call) => top::prepare(device, call)?,
        Sorting::Nonzero(call) => Box::new(select::MaskCall::nonzero(device, call)?),
        Sorting::Ranks(call) => Box::new(select::MaskCall::ranks(device, call)?),
        Sorting::Check(call) => Box::new(select::CheckCall::new(device, call)?),
        Sorting::Scatter(call) => scatter::prepare(device, call)?,
    })
}
