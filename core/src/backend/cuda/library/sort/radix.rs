//! The radix sort of long rows: one count of all digits, then one pass for each of them.
//!
//! The least significant digit comes first. One kernel a digit reads and writes the data once; its
//! tiles tell each other their counts (decoupled look-back), and digits that all keys share are
//! skipped on the device, without a word to the host.

use super::kernels::{Gives, filled, function, launch, part, sort_definitions, words};
use crate::backend::cuda::device::CudaDevice;
use crate::backend::cuda::launch::Function;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::library::sort::{Encoding, Sort};
use std::sync::Arc;

/// A tile's count has two bits less than its word.
const SHORT: usize = 1 << 30;

/// What a sort reads and writes, as addresses; those that it does not give are zero.
#[derive(Clone, Copy, Default)]
pub(super) struct Ends {
    /// The keys.
    pub input: u64,
    /// The sorted keys.
    pub keys: u64,
    /// The positions, `i64` or `u32` as asked for.
    pub positions: u64,
}

/// A sort of rows of one length, by keys of one width.
pub(super) struct Radix {
    device: &'static CudaDevice,
    count: Arc<Function>,
    plan: Arc<Function>,
    pass: Arc<Function>,
    gives: Gives,
    key: usize,
    status: usize,
    rows: usize,
    len: usize,
    passes: usize,
    threads: usize,
    items: usize,
    encoding: Encoding,
}

impl Radix {
    /// Makes a sort ready; `key` is the width of keys in bytes, of which `passes` are sorted by.
    ///
    /// # Errors
    /// Where a kernel does not compile, or there are more positions than fit into 32 bits.
    pub(super) fn new(
        device: &'static CudaDevice,
        key: usize,
        passes: usize,
        gives: Gives,
        (rows, len): (usize, usize),
        encoding: Encoding,
    ) -> Result<Radix> {
        if u32::try_from(len).is_err() {
            return Err(Error::unsupported(format!("sorting a row of {len} elements on a GPU")));
        }
        let (threads, items) = tile(key, gives);
        let status = if len < SHORT { 4 } else { 8 };
        let definitions = sort_definitions(key, gives, status);
        let find = |text: &str, entry: &str| {
            function(device, &definitions, &[part::COMMON, part::RADIX, text], entry)
        };
        let pass = format!(
            "#define LZ_SORT_THREADS {threads}\n#define LZ_SORT_ITEMS {items}\n{}",
            part::PASS
        );
        Ok(Radix {
            device,
            count: find(part::COUNT, "lz_sort_count")?,
            plan: find(part::PLAN, "lz_sort_plan")?,
            pass: find(&pass, "lz_sort_pass")?,
            gives,
            key,
            status,
            rows,
            len,
            passes,
            threads,
            items,
            encoding,
        })
    }

    /// Sorts.
    ///
    /// # Safety
    /// The addresses are those of live buffers of this device that are long enough.
    pub(super) unsafe fn run(&self, ends: Ends) -> Result<()> {
        let device = self.device;
        let total = self.rows * self.len;
        let tiles = self.len.div_ceil(self.threads * self.items);
        let bins = self.passes * self.rows * 256 * 4;
        let status = self.passes * self.rows * tiles * 256 * self.status;
        // The scratch memory goes back when this returns, in stream order.
        let zeros = filled(device, bins + 64 + status, 0)?;
        let spare = |needed: bool, width: usize| match needed {
            true => device.allocate(total * width),
            false => device.allocate(0),
        };
        let positions = self.gives != Gives::Keys;
        let (key_a, key_b) = (spare(true, self.key)?, spare(ends.keys == 0, self.key)?);
        let (index_a, index_b) = (spare(positions, 4)?, spare(self.gives == Gives::Positions, 4)?);
        let or = |given: u64, spare: &Buffer| if given == 0 { spare.address() } else { given };
        let both = if self.gives == Gives::Both { ends.positions } else { 0 };
        let argument = |pass: usize| {
            let addresses = [
                ends.input,
                key_a.address(),
                or(ends.keys, &key_b),
                index_a.address(),
                or(both, &index_b),
                ends.positions,
                zeros.address(),
                zeros.address() + bins as u64,
                zeros.address() + bins as u64 + 32,
                zeros.address() + bins as u64 + 64,
            ];
            let numbers = [self.len, self.rows, tiles, self.passes, pass].map(|n| n as u64);
            words(&[&addresses[..], &numbers].concat(), Some(&self.encoding))
        };
        let blocks = device.info().multiprocessors.max(1) as usize * 8;
        let chunks = self.len.div_ceil(4096).min((blocks / self.rows).max(1));
        // SAFETY: the arguments are laid out as the kernels' structure, and the stream orders the
        // release of the scratch memory after them.
        unsafe {
            launch(&self.count, [chunks, self.rows.min(65_535)], 256, 0, &argument(0))?;
            launch(&self.plan, [self.rows, self.passes], 256, 0, &argument(0))?;
            for pass in 0..self.passes {
                launch(&self.pass, [self.rows * tiles, 1], self.threads, 0, &argument(pass))?;
            }
        }
        Ok(())
    }
}

/// The threads of a block, at least one for each value of a digit, and the keys of a thread: what was
/// fastest on an H200.
fn tile(key: usize, gives: Gives) -> (usize, usize) {
    match (key, gives) {
        (8, Gives::Keys) => (256, 15),
        (8, _) => (384, 13),
        (_, Gives::Keys) => (256, 23),
        _ => (384, 17),
    }
}

/// A sort as a library call.
pub(super) struct SortCall {
    call: Sort,
    radix: Radix,
}

impl SortCall {
    pub(super) fn new(device: &'static CudaDevice, call: &Sort) -> Result<SortCall> {
        let gives = if call.positions { Gives::Positions } else { Gives::Keys };
        let key = call.dtype.size();
        let shape = (call.rows, call.len);
        let radix = Radix::new(device, key, key, gives, shape, call.encoding())?;
        Ok(SortCall { call: call.clone(), radix })
    }
}

impl LibraryCall for SortCall {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let (input, out) = (inputs[0].address(), outputs[0].address());
        let ends = match self.call.positions {
            true => Ends { input, keys: 0, positions: out },
            false => Ends { input, keys: out, positions: 0 },
        };
        // SAFETY: the buffers hold what the call describes.
        unsafe { self.radix.run(ends) }
    }

    fn describe(&self) -> String {
        format!("radix sort, {} rows of {}", self.call.rows, self.call.len)
    }
}
