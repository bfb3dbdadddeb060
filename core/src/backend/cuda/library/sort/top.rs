//! The first few positions of long rows: by finding the last of them, or by sorting all.

use super::kernels::{Gives, blocks_for, filled, function, launch, part, sort_definitions, words};
use super::radix::{Ends, Radix};
use super::rows::{LONGEST, RowKernel};
use crate::backend::cuda::device::CudaDevice;
use crate::backend::cuda::launch::Function;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::library::sort::Top;
use std::sync::Arc;

/// The bytes of what is known of a row's last element.
const STATE: usize = 24;

/// Makes a call for long rows ready.
pub(super) fn prepare(device: &'static CudaDevice, call: &Top) -> Result<Box<dyn LibraryCall>> {
    // More than these are sorted faster with all the others.
    Ok(match call.count <= LONGEST && call.sort.rows < 65_536 {
        true => Box::new(Found::new(device, call)?),
        false => Box::new(Sorted::new(device, call)?),
    })
}

/// Sorted, and cut.
struct Sorted {
    device: &'static CudaDevice,
    call: Top,
    radix: Radix,
    cut: Arc<Function>,
}

impl Sorted {
    fn new(device: &'static CudaDevice, call: &Top) -> Result<Sorted> {
        let key = call.sort.dtype.size();
        let (shape, encoding) = ((call.sort.rows, call.sort.len), call.sort.encoding());
        let radix = Radix::new(device, key, key, Gives::Positions, shape, encoding)?;
        let cut = function(device, "", &[part::FIRST], "lz_sort_first")?;
        Ok(Sorted { device, call: call.clone(), radix, cut })
    }
}

impl LibraryCall for Sorted {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let sorted = self.device.allocate(8 * self.call.sort.total())?;
        let ends = Ends { input: inputs[0].address(), keys: 0, positions: sorted.address() };
        let total = self.call.sort.rows * self.call.count;
        let numbers = [self.call.sort.len, self.call.count, total].map(|n| n as u64);
        let argument = [&[sorted.address(), outputs[0].address()][..], &numbers].concat();
        let blocks = blocks_for(self.device, total);
        // SAFETY: the buffers hold what the call describes; the scratch memory goes back in
        // stream order.
        unsafe {
            self.radix.run(ends)?;
            launch(&self.cut, [blocks, 1], 256, 0, &words(&argument, None))
        }
    }

    fn describe(&self) -> String {
        let (rows, len) = (self.call.sort.rows, self.call.sort.len);
        format!("radix sort, the first {} of {rows} rows of {len}", self.call.count)
    }
}

/// Found digit by digit, gathered and sorted.
struct Found {
    device: &'static CudaDevice,
    call: Top,
    count: Arc<Function>,
    pick: Arc<Function>,
    gather: Arc<Function>,
    sort: RowKernel,
}

impl Found {
    fn new(device: &'static CudaDevice, call: &Top) -> Result<Found> {
        let key = call.sort.dtype.size();
        if u32::try_from(call.sort.len).is_err() {
            let len = call.sort.len;
            return Err(Error::unsupported(format!("sorting a row of {len} elements on a GPU")));
        }
        let definitions = sort_definitions(key, Gives::Positions, 4);
        let find = |entry| function(device, &definitions, &[part::COMMON, part::TOP], entry);
        let encoding = call.sort.encoding();
        Ok(Found {
            device,
            call: call.clone(),
            count: find("lz_top_count")?,
            pick: find("lz_top_pick")?,
            gather: find("lz_top_gather")?,
            sort: RowKernel::new(device, key, Gives::Positions, encoding, true)?,
        })
    }
}

impl LibraryCall for Found {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let (device, count) = (self.device, self.call.count);
        let (rows, len, key) =
            (self.call.sort.rows, self.call.sort.len, self.call.sort.dtype.size());
        let zeros = filled(device, rows * (1024 + STATE + 4), 0)?;
        let (keys, index) =
            (device.allocate(rows * count * key)?, device.allocate(rows * count * 4)?);
        let state = zeros.address() + 1024 * rows as u64;
        let argument = |pass: usize| {
            let addresses = [
                inputs[0].address(),
                zeros.address(),
                state,
                state + (STATE * rows) as u64,
                keys.address(),
                index.address(),
            ];
            let numbers = [len, rows, count, pass].map(|n| n as u64);
            words(&[&addresses[..], &numbers].concat(), Some(&self.call.sort.encoding()))
        };
        let blocks = device.info().multiprocessors.max(1) as usize * 8;
        let chunks = len.div_ceil(2048).min((blocks / rows).max(1));
        // SAFETY: the buffers hold what the call describes; the scratch memory goes back in
        // stream order.
        unsafe {
            for pass in 0..key + 4 {
                launch(&self.count, [chunks, rows], 256, 0, &argument(pass))?;
                launch(&self.pick, [rows, 1], 256, 0, &argument(pass))?;
            }
            launch(&self.gather, [chunks, rows], 256, 0, &argument(0))?;
            let ends = [keys.address(), index.address(), outputs[0].address()];
            self.sort.run(ends, (rows, count, count))
        }
    }

    fn describe(&self) -> String {
        let (rows, len) = (self.call.sort.rows, self.call.sort.len);
        format!("the first {} of {rows} rows of {len}, found digit by digit", self.call.count)
    }
}
