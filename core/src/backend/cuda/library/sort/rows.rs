//! Short rows, sorted on the chip by a network of comparisons.

use super::kernels::{Gives, function, launch, part, sort_definitions, words};
use crate::backend::cuda::device::CudaDevice;
use crate::backend::cuda::launch::Function;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::library::sort::{Encoding, Sort};
use std::sync::Arc;

/// The longest row: a block of the most threads takes two elements each.
pub(super) const LONGEST: usize = 2048;
/// A block takes no fewer elements.
const FEWEST: usize = 512;

/// Whether rows are so short.
pub(super) fn fit(call: &Sort) -> bool {
    call.len <= LONGEST
}

/// The kernel that sorts short rows.
pub(super) struct RowKernel {
    key: usize,
    kernel: Arc<Function>,
    encoding: Encoding,
}

impl RowKernel {
    /// The kernel for elements of so many bytes; `given`, for keys that have positions already.
    pub(super) fn new(
        device: &'static CudaDevice,
        key: usize,
        gives: Gives,
        encoding: Encoding,
        given: bool,
    ) -> Result<RowKernel> {
        let form = if given { "#define LZ_SORT_GIVEN\n" } else { "" };
        let definitions = sort_definitions(key, gives, 4) + form;
        let kernel = function(device, &definitions, &[part::COMMON, part::ROWS], "lz_sort_rows")?;
        Ok(RowKernel { key, kernel, encoding })
    }

    /// Sorts rows; of positions, the first `count` of each are written.
    ///
    /// # Safety
    /// The addresses are those of live buffers of the device that are long enough.
    pub(super) unsafe fn run(
        &self,
        [input, given, output]: [u64; 3],
        (rows, len, count): (usize, usize, usize),
    ) -> Result<()> {
        let padded = len.next_power_of_two().max(2);
        let elements = padded.max(FEWEST);
        let [len, bits, count] = [len, padded.trailing_zeros() as usize, count].map(|n| n as u64);
        let numbers = [input, output, len, rows as u64, bits, count, given];
        let argument = words(&numbers, Some(&self.encoding));
        let shared = elements * (self.key + 4);
        let blocks = rows.div_ceil(elements / padded);
        // SAFETY: the argument is laid out as the kernel's structure; the caller vouches for the
        // addresses.
        unsafe { launch(&self.kernel, [blocks, 1], elements / 2, shared, &argument) }
    }
}

/// A sort of short rows, or of their first few positions.
pub(super) struct Rows {
    call: Sort,
    count: usize,
    kernel: RowKernel,
}

impl Rows {
    pub(super) fn new(device: &'static CudaDevice, call: &Sort, count: usize) -> Result<Rows> {
        let gives = if call.positions { Gives::Positions } else { Gives::Keys };
        let key = call.dtype.size();
        let kernel = RowKernel::new(device, key, gives, call.encoding(), false)?;
        Ok(Rows { call: call.clone(), count, kernel })
    }
}

impl LibraryCall for Rows {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let addresses = [inputs[0].address(), 0, outputs[0].address()];
        // SAFETY: the buffers hold what the call describes.
        unsafe { self.kernel.run(addresses, (self.call.rows, self.call.len, self.count)) }
    }

    fn describe(&self) -> String {
        format!("sort on the chip, {} rows of {}", self.call.rows, self.call.len)
    }
}
